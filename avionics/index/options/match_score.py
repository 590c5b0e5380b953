"""Score how well a line that may declare an option fits a text: by its name, help, documents, and code beside it."""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.options.declarations import OptionCandidate
from avionics.index.options.declared_names import OptionKind
from avionics.index.options.documentation import fold_option
from avionics.index.options.option_names import cut_stems, identify_option, read_stems
from avionics.index.options.question_words import (
    ASKS_NUMBER,
    NAMING,
    PLAIN,
    VARIABLES,
    list_measures,
    read_manner,
    read_measures,
)
from avionics.index.search.query import stem, stems_of, text_stems
from avionics.index.search.synonyms import kinds_of, read_hints
from avionics.late_pattern import late_pattern

_LIMITS = kinds_of("limit")
_ADJECTIVES = frozenset(map(stem, ("long", "big", "large", "huge", "many", "most")))
"""Those of them that only tell of what kind something is where no number is asked for: "long tables"."""
_MIN_LIMITS = 2
_LIMIT_FACTOR, _UNKNOWN_FACTOR = 1.5, 0.4
"""The weight of words such as `limit`, which say what kind of option is meant, relative to other words."""
_NAME_WEIGHT, _HELP_WEIGHT, _DOCUMENT_WEIGHT, _BESIDE_WEIGHT = 1.8, 1.0, 0.9, 0.6
"""The weights of words in the name, in the help beside the line, in other texts about the option, and in code."""
_OTHER_KIND, _GUESSED, _NOT_PRODUCT, _KNOWN, _CONSTANT = 0.45, 0.9, 0.5, 0.05, 0.85
_GIVEN = 0.5
"""How much a flag counts that is given to another program."""
_PATH = 0.3
"""Added to the score of an option whose path has all words that its declaration does not have; less for fewer."""
_WORD, _WRITTEN, _MIN_WRITTEN = late_pattern(r"\w[\w.-]*+"), 1.0, 3
"""A word that may be a name, what is added to the score of an option that is called so, and the least letters of it."""
_LITERAL, _QUOTED = late_pattern(r"\w[-_.]\w|[a-z][A-Z]"), 0.2
"""A word that is written as code is, and what is added to the score of an option whose description has it."""
_PLAIN_WORD = late_pattern(r"[A-Za-z]{4,}+(?<!true)(?<!True)(?<!none)(?<!None)(?<!null)(?<![fF]alse)")
"""A default that a text may tell: "my posts shall not be public"."""
_SWITCHED = 0.6
"""How much an option counts that is on or off, where a number is asked for."""
_MEASURED, _OTHERWISE_MEASURED, _SAID_OTHERWISE = 1.1, 0.65, 0.75
"""How much an option counts whose name says that its number measures what is asked for, and one whose name, or whose
description, says that it measures something else: a size, where a count is asked for."""
_MEASURES = {measure: cut_stems(stems) for measure, stems in list_measures().items()}
_SAID_BY_ANY = 0.5
"""The weight, relative to other words, of the verb with which any number of things is asked for."""
_COVERAGE = 0.5
"""The power of the share of the words that an option has, by which its score is multiplied."""
_PHRASE = 0.25
"""Added to the score of a name with two adjacent words of the text side by side, even words that ask for options."""
_FOR_USERS = 0.1
"""Added to the score of a flag, because users may not know a field or parameter."""
_ALIKE_SHARE = 0.85
"""How much a word in a name counts that only means the same as one of the text."""
_UNASKED = 0.02
"""The share of its score that a name loses for each word that was not asked for."""
_MANY_UNASKED = 3
"""The words that were not asked for of a name that is mostly about something else."""
_MIN_INSIDE = 6
"""Letters of a word that are found within another one, as in `PASSSTRENGTH`."""
MIN_INSIDE_UPPER = 4
"""The same within a name in capitals."""
_MIN_SHARE, _MIN_SHARE_BESIDE, _MIN_SHARE_DESCRIBED = 0.5, 0.75, 0.65
"""The least share of the words for a name that has some of them, one that has none, and one that documents describe."""


class OptionMatch(Struct, frozen=True):
    """A line that may declare the option in question.

    Attributes:
        name: The option as a user writes it.
        kind: Where its value comes from.
        help: The text that describes it, "" for none.
        default: Its default as the declaration has it, "" if that is not seen.
        document: Where a document describes it as `path:line`, "" for nowhere.
        share: The share of the text's words that it has.
        is_named: Whether its name has a word of the text.
        is_doubtful: Whether little says that it is an option, or one of the kind that the text asks for.
        is_clear: Whether it fits much better than all others.
        is_wordy: Whether most words of its name are about something that the text does not ask for.
        lacking: The stems of the text that neither its name nor what describes it has, without those of any limit.
    """

    name: str
    kind: OptionKind
    file: str
    line: int
    help: str
    default: str
    document: str
    share: float
    score: float
    is_named: bool = False
    is_doubtful: bool = False
    is_clear: bool = False
    is_wordy: bool = False
    lacking: frozenset[str] = frozenset()

    @property
    def is_likely(self) -> bool:
        """Return whether the name, or the words around it, contain enough of the text's words."""
        beside = _MIN_SHARE_DESCRIBED if self.document else _MIN_SHARE_BESIDE
        if self.is_doubtful and not self.is_named:
            return False
        return self.share >= (_MIN_SHARE if self.is_named and not self.is_doubtful else beside)


class AskedOption(Struct, frozen=True):
    """What a text asks for.

    Attributes:
        wanted: The stems that identify the option.
        weights: The weight of each of them; rare ones have higher weights.
        total: The sum of the weights of those that an option should have.
        kinds: The kinds of options that it may mean.
        meant: The stems of all its words, and their synonyms.
        phrases: The pairs of adjacent stems.
        written: The words that are written as names are, folded.
        literals: The words that are written as code is.
        is_number: Whether the option has a number or a duration.
        measures: What the number may measure, empty if the text does not tell.
        stems: The stems of all its words.
        exact: Each of the wanted stems, cut as those of candidates are.
        alike: Each of them with its synonyms, without the other wanted stems.
        known: The stems that a name may have although the text does not ask for more: `meant`, and those wanted.
    """

    wanted: tuple[str, ...]
    weights: Mapping[str, float]
    total: float
    kinds: frozenset[OptionKind]
    meant: frozenset[str]
    phrases: frozenset[tuple[str, str]]
    written: frozenset[str]
    literals: tuple[str, ...]
    is_number: bool
    measures: frozenset[str]
    stems: frozenset[str]
    exact: Mapping[str, frozenset[str]]
    alike: Mapping[str, frozenset[str]]
    known: frozenset[str]

    @classmethod
    def read(
        cls, text: str, wanted: Sequence[str], kinds: frozenset[OptionKind], candidates: Sequence[OptionCandidate]
    ) -> AskedOption:
        """Return what a text asks for, with weights by how many candidates have its stems."""
        stems, words = text_stems(text), _WORD.findall(text)
        # A capital may begin a sentence, or be that of an acronym or a product.
        names = (fold_option(each) for each in words if _LITERAL.search(each))
        is_number = ASKS_NUMBER.search(text) is not None
        weights = _weigh(wanted, candidates, stems, is_number=is_number)
        for each in weights.keys() & set(read_manner(text)):
            weights[each] *= _SAID_BY_ANY if len(weights) > 1 else 1.0
        needed = weights.keys() - (read_hints(text) - {*stems})
        meant = frozenset[str]().union(*map(meaning_of, stems))
        return cls(
            tuple(weights),
            weights,
            sum(weights[each] for each in needed or weights),
            kinds,
            meant,
            frozenset(pairwise(stems)),
            frozenset(each for each in names if len(each) >= _MIN_WRITTEN),
            tuple(each for each in words if _LITERAL.search(each)),
            is_number,
            read_measures(text),
            cut_stems(stems),
            {one: cut_stems((one,)) for one in weights},
            {one: meaning_of(one) - cut_stems(other for other in weights if other != one) for one in weights},
            meant.union(*map(meaning_of, weights)),
        )


@functools.lru_cache(maxsize=1_000)
def meaning_of(stemmed: str) -> frozenset[str]:
    """Return the synonyms of a stem, shortened like the stems of candidates."""
    # Nearly every option is part of a configuration, so a word for that in its name says little.
    return cut_stems((stemmed,) if stemmed in NAMING else kinds_of(stemmed))


def _weigh(
    wanted: Sequence[str], candidates: Sequence[OptionCandidate], asked: Sequence[str], *, is_number: bool
) -> dict[str, float]:
    """Return the weight of each wanted stem; rare stems have higher weights.

    Those that the text does not have but only means are left out if nothing has them.
    """
    counts: Counter[str] = Counter()
    together: set[str] = set()
    for each in candidates:
        words = each.beside | each.named | each.described
        there = [one for one in wanted if meaning_of(one) & words]
        counts.update(there)
        together.update(there if len(there) > 1 else ())
    wanted = [each for each in wanted if counts[each] or each in asked] or wanted
    weights = {each: math.log(1 + len(candidates) / (1 + counts[each])) + 0.2 for each in wanted}
    # A word of the question that never occurs together with another one does not help to choose a declaration.
    known = together or counts
    weights = {each: weight * (1.0 if each in known else _UNKNOWN_FACTOR) for each, weight in weights.items()}
    heaviest = max(weights.values())
    factors = dict.fromkeys(_LIMITS, _LIMIT_FACTOR)
    factors |= {} if is_number else dict.fromkeys(_ADJECTIVES, _UNKNOWN_FACTOR)
    return {each: heaviest * factors[each] if each in factors else weight for each, weight in weights.items()}


def score_option(each: OptionCandidate, asked: AskedOption, described_by: frozenset[str]) -> OptionMatch | None:
    """Return a candidate with its score; None if it contains none of the words.

    `described_by` are the stems of all texts that describe the option; a word that is its default does as well.
    """
    wanted, weights, kinds = asked.wanted, asked.weights, asked.kinds
    default = each.default.strip("\"'`")
    described_by |= cut_stems((stem(default.lower()),)) if _PLAIN_WORD.fullmatch(default) else frozenset()
    folded = fold_option(each.name)
    is_upper = each.name.isupper() and "_" not in each.name
    joined = {one for pair in pairwise(wanted) if _is_joined(pair, each.named) for one in pair}
    # `NOSENDFILE` disables the feature that the rest of its name gives.
    denied = {one for one in wanted if f"no{one}" in folded}
    joined |= denied | {one for one in wanted if denied and "no" in kinds_of(one)}
    named = beside = placed = 0.0
    path = _read_path(each.file)
    is_about = not any(one not in _LIMITS for one in wanted)
    counted: set[str] = set()
    limits: list[frozenset[str]] = []
    lacking: set[str] = set()
    # The limit of a size is not the limit of a count.
    measured = _weigh_measure(each, asked)
    for one in (one for one in wanted if not (measured == _OTHERWISE_MEASURED and one in _LIMITS)):
        is_exact = one in joined or asked.exact[one] <= each.named or _is_inside(one, folded, is_upper=is_upper)
        # A word of an option matches one word of the text: "old" and "expired" do not both match `ttl`. A word for its
        # being a limit counts besides: "how long until it gives up".
        alike = asked.alike[one] if one in _LIMITS else asked.alike[one] - counted
        meant = alike & each.named or alike & described_by or alike & each.beside
        is_said = is_exact or one in _LIMITS or asked.exact[one] & meant
        counted |= set() if is_said else {min(meant, default="")}
        is_beside = bool(alike & described_by), bool(alike & each.beside)
        is_about = is_about or (one not in _LIMITS and (is_exact or any((alike & each.named, *is_beside))))
        lacking |= set() if is_exact or alike & each.named or any(is_beside) else {one}
        limits += [alike & each.named] if one in _LIMITS and alike & each.named else []
        if is_exact or alike & each.named:
            named += weights[one] * (1.0 if is_exact else _ALIKE_SHARE)
        else:
            beside += weights[one] * _share_beside(*is_beside)
            placed += weights[one] * (not any(is_beside) and not alike.isdisjoint(path))
    # A word for a limit says little unless the text also says what is limited; that of a size is `max` and `size`.
    is_about |= min(len(limits), len(frozenset[str]().union(*limits))) >= _MIN_LIMITS
    if not is_about or not (named or beside):
        return None
    share = min(1.0, (named + beside) / asked.total)
    # An option that matches few words of the text is less likely than one that matches all of them.
    score = (_NAME_WEIGHT * named + beside + _PATH * placed) / asked.total * share**_COVERAGE
    score *= _weigh_declaration(each, kinds)
    score *= _SWITCHED if asked.is_number and each.is_switch else 1.0
    score *= measured
    unasked = len(each.named - asked.known)
    score *= 1.0 - _UNASKED * unasked
    known = sum((bool(each.help), bool(each.document), each.has_comment, each.kind not in PLAIN))
    known += 2 * each.is_among_options
    score += _KNOWN * known + _weigh_spelling(each, asked)
    is_doubtful = _may_be_anything(each) or not (known or each.default) or (len(kinds) == 1 and each.kind not in kinds)
    is_wordy = unasked >= _MANY_UNASKED and 2 * unasked >= len(each.named)
    place = (each.name, each.label or each.kind, each.file, each.line, each.help, each.default, each.document)
    absent = frozenset(lacking) - _LIMITS - _ADJECTIVES
    return OptionMatch(*place, share, score, bool(named), is_doubtful, is_wordy=is_wordy, lacking=absent)


def _weigh_spelling(each: OptionCandidate, asked: AskedOption) -> float:
    """Return what is added to the score of an option for how its name and its description are written."""
    folded = fold_option(each.name)
    added = _FOR_USERS * (each.kind is OptionKind.FLAG)
    added += _PHRASE * (not asked.phrases.isdisjoint(pairwise(stems_of(each.name))))
    added += _WRITTEN * (not asked.written.isdisjoint((folded, identify_option(each.name))))
    return added + _QUOTED * any(literal in each.help for literal in asked.literals)


def _weigh_declaration(each: OptionCandidate, kinds: frozenset[OptionKind]) -> float:
    """Return how much an option counts by its kind, where it is declared, and whether it may be something else."""
    is_variable = each.kind is OptionKind.SETTING and kinds == VARIABLES
    weight = 1.0 if each.kind in kinds else _OTHER_KIND
    weight *= _CONSTANT if is_variable or each.kind is OptionKind.CONSTANT else 1.0
    weight *= 1.0 if role_of(each.file) is FileRole.PRODUCT else _NOT_PRODUCT
    return weight * (_GIVEN if each.is_given else _GUESSED if each.is_guess else 1.0)


def _weigh_measure(each: OptionCandidate, asked: AskedOption) -> float:
    """Return how much an option counts by what its name, or else its description, says that its number measures."""
    if not asked.measures:
        return 1.0
    has = {measure for measure, stems in _MEASURES.items() if stems & each.named - asked.stems}
    said = read_stems(each.help)
    if has and asked.measures.isdisjoint(has) and any(_MEASURES[measure] & said for measure in asked.measures):
        return 1.0
    if has:
        return _OTHERWISE_MEASURED if asked.measures.isdisjoint(has) else _MEASURED
    measures = read_measures(each.help)
    return _SAID_OTHERWISE if measures and asked.measures.isdisjoint(measures) else 1.0


def _may_be_anything(option: OptionCandidate) -> bool:
    """Return whether only a plain word is declared, as for any variable."""
    is_word = option.kind is OptionKind.SETTING and option.name.isalpha() and option.name[1:].islower()
    return is_word and not (option.is_among_options or option.document)


@functools.lru_cache(maxsize=1_000)
def _read_path(file: str) -> frozenset[str]:
    """Return the stems of a path's parts, cut as those of candidates are."""
    return cut_stems(each for part in re.split(r"[/.]", file) for each in stems_of(part))


def _is_inside(word: str, folded: str, *, is_upper: bool) -> bool:
    """Return whether a long word is a part of a name that does not separate its words, as those in capitals may not."""
    singular = word.removesuffix("s")
    return len(word) >= (MIN_INSIDE_UPPER if is_upper else _MIN_INSIDE) and singular in folded


def _is_joined(pair: tuple[str, str], named: frozenset[str]) -> bool:
    """Return whether a name has two words of the text as one: `timeout` for "time out"."""
    both = cut_stems(("".join(pair),))
    return both <= named and both != cut_stems(pair[:1])


def _share_beside(is_described: bool, is_beside: bool) -> float:
    """Return how much a word counts that the name does not have."""
    if is_described and is_beside:
        return _HELP_WEIGHT
    return _DOCUMENT_WEIGHT * is_described or _BESIDE_WEIGHT * is_beside
