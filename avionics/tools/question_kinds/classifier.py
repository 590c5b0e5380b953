"""Guess the kind of a question with multinomial logistic regression over the features of its words.

The weights in `weights.json` are fitted by `tests/bench/fit_question_kinds.py` to the questions by which `ask` is
measured. The script prints how often a guess is right on questions that it was not fitted to.
"""

from __future__ import annotations

from enum import Enum
from functools import cache
from math import exp, sqrt
from pathlib import Path

import msgspec

from avionics.tools.question_kinds.features import list_features

_WEIGHTS = Path(__file__).with_name("weights.json")
SCALE = 16
"""The weights are stored as integers: multiples of 1/16."""


class AskedKind(str, Enum):
    """A kind of question, in the words of the questions by which `ask` is measured."""

    BEHAVIOUR = "behaviour"
    CALLS = "calls"
    CHANGED = "changed"
    CONTENTS = "contents"
    DEAD = "dead"
    ERROR = "error"
    EXPLAIN = "explain"
    IMPLEMENTS = "implements"
    IMPORTS = "imports"
    OPTION = "option"
    PATH = "path"
    SIGNATURE = "signature"
    TESTS = "tests"
    WHY = "why"


def guess_kinds(text: str) -> dict[AskedKind, float]:
    """Return the probability of each kind for the text of a question."""
    return rate_kinds(list_features(text), _load_weights())


def rate_kinds(features: list[str], weights: dict[str, list[int]]) -> dict[AskedKind, float]:
    """Return the probability of each kind for the features of a question.

    `weights` has for each feature, and for "" as the bias, one weight a kind, in the order of the kinds.
    """
    known = [weights[each] for each in features if each in weights]
    share = 1 / sqrt(max(len(known), 1))
    sums = [(bias + share * sum(column)) / SCALE for bias, *column in zip(weights[""], *known, strict=True)]
    highest = max(sums)
    powers = [exp(each - highest) for each in sums]
    total = sum(powers)
    return {kind: power / total for kind, power in zip(AskedKind, powers, strict=True)}


@cache
def _load_weights() -> dict[str, list[int]]:
    return msgspec.json.decode(_WEIGHTS.read_bytes(), type=dict[str, list[int]])
