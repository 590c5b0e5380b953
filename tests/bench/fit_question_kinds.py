"""Fit the weights by which the kind of a question is guessed, and measure the guesses on questions left out.

    python tests/bench/fit_question_kinds.py [--write] [--questions FILE] [--measured-alone] [--rounds N]

The questions are those by which `ask` is measured, the wordings of the tests, and, unless `--measured-alone` is given,
those about invented programs in `question_wordings.txt`. For each fold of ten, fit to the questions of the other nine
and count the guesses about its own that are right, all and those with a probability of at least .8. A fold has all
questions of a repository, so that no guess is made with the words of its product. `--questions` names another file of
questions that only count, and are not fitted to. `--write` writes the weights, fitted to all questions, to
`avionics/tools/question_kinds/weights.json`.

The weights minimize the cross-entropy with AdaGrad, each kind weighted by the inverse square root of its frequency.
A feature is used if questions about at least four repositories have it; the wordings of the tests, which are about
one invented program, count as one.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import exp, sqrt
from pathlib import Path

import attrs
import bench_ask
from test_intents import WORDINGS

from avionics.index.search.query import stem
from avionics.tools.question_kinds.classifier import SCALE, AskedKind, rate_kinds
from avionics.tools.question_kinds.features import list_features

_WORDINGS = Path(__file__).with_name("question_wordings.txt")
_WEIGHTS = Path(__file__).parents[2] / "avionics" / "tools" / "question_kinds" / "weights.json"
_KINDS = tuple(AskedKind)
_MIN_REPOSITORIES = 4
_MIN_WEIGHT = 4
"""A feature all of whose stored weights are smaller is left out."""
_WEIGHT_OF_WORDINGS = 3.0
"""Tests hold the reader to these, and they are few and short."""
_OF_TESTS = "tests"
_FOLDS, _SURE = 10, 0.8
_RATE, _DECAY = 0.5, 1e-4


@attrs.frozen
class Example:
    """A question: its features, the index of its kind, the repository that it is about, and how much it counts."""

    text: str
    features: list[str]
    kind: int
    repository: str
    weight: float = 1.0


def read_wordings() -> list[Example]:
    """Return the wordings of the intents that the tests have and that are of a kind, each as of its own repository."""
    kinds = {
        "changes": AskedKind.CHANGED, "error": AskedKind.ERROR, "history": AskedKind.WHY,
        "kin": AskedKind.IMPLEMENTS, "map": AskedKind.CONTENTS, "option": AskedKind.OPTION,
        "dependents": AskedKind.IMPORTS, "path": AskedKind.PATH, "signature": AskedKind.SIGNATURE,
        "tests": AskedKind.TESTS, "unused": AskedKind.DEAD, "usage": AskedKind.CALLS,
    }  # fmt: skip
    return [
        Example(text, list_features(text), _KINDS.index(kinds[intent]), f"{intent} {at}", _WEIGHT_OF_WORDINGS)
        for intent, lines in WORDINGS.items()
        if intent in kinds
        for at, text in enumerate(map(str.strip, lines.strip().splitlines()))
    ]


def read_examples(path: Path | None = None) -> list[Example]:
    """Return the questions of a file of a kind that is guessed; by default, those by which `ask` is measured."""
    names = {kind.value: at for at, kind in enumerate(_KINDS)}
    questions = bench_ask.read_questions() if path is None else bench_ask.read_questions(path)
    return [
        Example(each.text, list_features(each.text), names[each.kind], each.repository.name)
        for each in questions
        if each.kind in names
    ]


def read_invented() -> list[Example]:
    """Return the questions about invented programs, each of its own."""
    names = {kind.value: at for at, kind in enumerate(_KINDS)}
    lines = (line.partition(" | ") for line in _WORDINGS.read_text("utf-8").splitlines())
    return [
        Example(text, list_features(text), names[kind], f"invented {at}")
        for at, (kind, _, text) in enumerate(lines)
        if kind in names
    ]


def fit_weights(examples: Sequence[Example], rounds: int) -> dict[str, list[int]]:
    """Return for each feature, and for "" as the bias, one weight a kind as stored."""
    using = defaultdict[str, set[str]](set)
    for each in examples:
        for feature in each.features:
            using[feature].add(_OF_TESTS if each.weight == _WEIGHT_OF_WORDINGS else each.repository)
    products = {part for each in examples for part in each.repository.lower().split("-")}
    products |= {f"~{stem(each)}" for each in products}
    kept = {
        feature
        for feature, repositories in using.items()
        if len(repositories) >= _MIN_REPOSITORIES and products.isdisjoint(feature.split())
    }
    count = len(_KINDS)
    frequency = [sum(each.kind == at for each in examples) for at in range(count)]
    importance = [sqrt(len(examples) / count / max(each, 1)) for each in frequency]
    weights = {feature: [0.0] * count for feature in sorted(kept)} | {"": [0.0] * count}
    squares = {feature: [1e-6] * count for feature in weights}
    shuffled, source = list(examples), random.Random(7)
    for _ in range(rounds):
        source.shuffle(shuffled)
        for example in shuffled:
            _learn(example, weights, squares, importance)
    stored = {feature: [round(each * SCALE) for each in row] for feature, row in weights.items()}
    return {feature: row for feature, row in stored.items() if not feature or max(map(abs, row)) >= _MIN_WEIGHT}


def _learn(
    example: Example, weights: dict[str, list[float]], squares: dict[str, list[float]], importance: Sequence[float]
) -> None:
    """Change the weights by one step of AdaGrad for one example."""
    rows = [(weights[each], squares[each]) for each in example.features if each in weights]
    share = 1 / sqrt(max(len(rows), 1))
    sums = [bias + share * sum(row[at] for row, _ in rows) for at, bias in enumerate(weights[""])]
    highest = max(sums)
    powers = [exp(each - highest) for each in sums]
    total = sum(powers)
    for at, power in enumerate(powers):
        error = (power / total - (at == example.kind)) * importance[example.kind] * example.weight
        for (row, square), part in (*((each, share) for each in rows), ((weights[""], squares[""]), 1.0)):
            slope = error * part + _DECAY * row[at]
            square[at] += slope * slope
            row[at] -= _RATE * slope / sqrt(square[at])


def count_right(examples: Iterable[Example], weights: dict[str, list[int]], *, show: bool = False) -> list[int]:
    """Return how many examples there are, guesses that are right, sure guesses, and sure guesses that are right."""
    counts = [0, 0, 0, 0]
    for example in examples:
        rates = rate_kinds(example.features, weights)
        best = max(rates, key=rates.__getitem__)
        is_right, is_sure = best is _KINDS[example.kind], rates[best] >= _SURE
        counts = [a + b for a, b in zip(counts, (1, is_right, is_sure, is_right and is_sure), strict=True)]
        if show and not is_right:
            print(f"  {_KINDS[example.kind].value} taken for {best.value} ({rates[best]:.2f}): {example.text[:100]!r}")
    return counts


def _report(title: str, counts: Sequence[int]) -> None:
    every, right, sure, sure_right = counts
    print(f"{title}: {right} of {every} right ({right / every:.1%}); of {sure} sure ones {sure_right}")


def main() -> None:
    """Read the arguments, and measure or write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--questions", type=Path, action="append", default=[])
    parser.add_argument("--measured-alone", action="store_true")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--folds", type=int, default=_FOLDS)
    options = parser.parse_args()
    examples = [*read_examples(), *read_wordings(), *(read_invented() if not options.measured_alone else [])]
    repositories = sorted({each.repository for each in examples})
    random.Random(11).shuffle(repositories)
    totals = [0, 0, 0, 0]
    for fold in range(options.folds):
        left_out = set(repositories[fold :: options.folds])
        weights = fit_weights([each for each in examples if each.repository not in left_out], options.rounds)
        counts = count_right((each for each in examples if each.repository in left_out), weights)
        totals = [a + b for a, b in zip(totals, counts, strict=True)]
    if options.folds:
        _report("left out, ten folds", totals)
    weights = fit_weights(examples, options.rounds)
    for path in options.questions:
        _report(path.name, count_right(read_examples(path), weights, show=True))
    print(f"{len(weights):,} features")
    if options.write:
        rows = ",\n".join(
            f"{json.dumps(feature)}:{json.dumps(row, separators=(',', ':'))}"
            for feature, row in sorted(weights.items())
        )
        _WEIGHTS.write_text(f"{{\n{rows}\n}}\n", "utf-8")


if __name__ == "__main__":
    main()
