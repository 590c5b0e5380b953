"""Weigh what says that a declared name is an option that users set, and not any other name of the code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from avionics.index.options.declarations import SETTINGS_FILE, OptionCandidate
from avionics.index.options.declared_names import OptionKind
from avionics.index.options.option_names import identify_option

AMONG_SETTINGS, _AMONG_SETTINGS_UNSAID, _ELSEWHERE, _ELSEWHERE_UNSAID = 0.9, 0.8, 0.7, 0.6
"""How much a name counts that no document has and that is not a flag or variable, with and without a description."""

_INNER = frozenset({OptionKind.SETTING, OptionKind.CONSTANT})
"""The kinds of names that code also has for itself."""


def weigh_evidence(candidates: Sequence[OptionCandidate]) -> dict[str, float]:
    """Return option → how likely its declarations together make it one that users set, 1.0 where it is certain."""
    declared: defaultdict[str, list[OptionCandidate]] = defaultdict(list)
    for each in candidates:
        declared[identify_option(each.name)].append(each)
    return {name: _weigh(all_of_it) for name, all_of_it in declared.items()}


def _weigh(declared: Sequence[OptionCandidate]) -> float:
    # A name with that of its section stands for a line of a configuration.
    if any(each.document or "." in each.name or (each.kind not in _INNER and not each.is_guess) for each in declared):
        return 1.0
    is_said = any(each.help for each in declared)
    if any(each.is_among_options or SETTINGS_FILE.search(each.file) for each in declared):
        return AMONG_SETTINGS if is_said else _AMONG_SETTINGS_UNSAID
    return _ELSEWHERE if is_said else _ELSEWHERE_UNSAID
