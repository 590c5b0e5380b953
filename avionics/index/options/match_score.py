"""Score how well an option fits a text by BM25F, over its name, its help, the documents and the code about it.

All lines that name an option say something of it, so the words of all of them are put together before they are
compared: https://en.wikipedia.org/wiki/Okapi_BM25#Modifications. What is not about words, such as the kind of an
option, is a factor.
"""

from __future__ import annotations

import functools
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from itertools import pairwise

from msgspec import Struct

from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.options.declarations import OptionCandidate, cut_stems, read_stems
from avionics.index.options.declared_names import OptionKind
from avionics.index.options.documentation import fold_option
from avionics.index.options.option_names import find_prefixes, identify_option
from avionics.index.options.question_words import (
    ASKS_NUMBER,
    NAMING,
    PLAIN,
    VARIABLES,
    list_measures,
    read_manner,
    read_measures,
)
from avionics.index.search.query import text_stems
from avionics.index.search.synonyms import kinds_of, read_hints
from avionics.late_pattern import late_pattern

_LIMITS = kinds_of("limit")
"""Words that say what kind of option is meant; alone they say nothing."""
_WEIGHTS = (3.0, 1.5, 1.0, 0.5)
"""What a word counts in the name, the help, the documents and the code of an option."""
_SATURATION, _USUAL_LENGTH, _LENGTH = 1.2, 4, 0.03
"""BM25F's k; the words of a field beyond which each further one makes all of them count less, and by how much."""
_SCALE = 2.0
_ALIKE_SHARE = 0.75
"""How much a word counts that only means the same as one of the text."""
_SHARES = (1.0, 1.0, 0.9, 0.6)
"""How much of a word is found where only the name, the help, the documents or the code have it."""
_FACTORS = {OptionKind.FLAG: 1.15, OptionKind.ENVIRONMENT: 1.1, OptionKind.PROPERTY: 1.1, OptionKind.CONSTANT: 0.8}
"""How much an option counts by its kind: people set flags and variables, and seldom a constant."""
_OTHER_KIND, _GUESSED, _GIVEN, _NOT_PRODUCT, _ORDINARY = 0.45, 0.85, 0.5, 0.5, 0.8
"""How much one counts that is of another kind than the text asks for, that may be anything else, that is a flag given
to another program, that is in no product code, and whose name is one plain word."""
_KNOWN = 0.03
_WORD, _WRITTEN, _MIN_WRITTEN = late_pattern(r"\w[\w.-]*+"), 1.0, 3
"""A word that may be a name, what is added to the score of an option that is called so, and the least letters of it."""
_LITERAL, _QUOTED = late_pattern(r"\w[-_.]\w|[a-z][A-Z]"), 0.2
"""A word that is written as code is, and what is added to the score of an option whose description has it."""
_SWITCHED = 0.6
"""How much an option counts that is on or off, where a number is asked for."""
_MEASURED, _OTHERWISE_MEASURED, _SAID_OTHERWISE = 1.1, 0.65, 0.75
"""How much an option counts whose name says that its number measures what is asked for, and one whose name, or whose
description, says that it measures something else: a size, where a count is asked for."""
_MEASURES = {measure: cut_stems(stems) for measure, stems in list_measures().items()}
_UNKNOWN, _SAID_BY_ANY = 0.3, 0.5
"""The weights, relative to other words, of one that no option has, and of the verb with which any number of things is
asked for."""
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

    @property
    def is_likely(self) -> bool:
        """Return whether the name, or the words around it, contain enough of the text's words."""
        beside = _MIN_SHARE_DESCRIBED if self.document else _MIN_SHARE_BESIDE
        if self.is_doubtful and not self.is_named:
            return False
        return self.share >= (_MIN_SHARE if self.is_named and not self.is_doubtful else beside)


class OptionWords(Struct, frozen=True):
    """The stems of what is known of an option: of its names, its help, the documents about it and the code beside it.

    Attributes:
        folded: Its names without case and separators.
    """

    named: frozenset[str]
    help: frozenset[str]
    documents: frozenset[str]
    code: frozenset[str]
    folded: frozenset[str]

    @property
    def fields(self) -> tuple[frozenset[str], ...]:
        """Return the stems of each field, in the order of the weights."""
        return self.named, self.help, self.documents, self.code


def identify_all(candidates: Sequence[OptionCandidate]) -> list[str]:
    """Return a key for each candidate that is equal for those that are one option."""
    prefixes = find_prefixes(each.name for each in candidates if each.kind is OptionKind.ENVIRONMENT)
    return [identify_option(each.name, prefixes) for each in candidates]


def pool_words(candidates: Iterable[OptionCandidate], keys: Iterable[str]) -> dict[str, OptionWords]:
    """Return option → what all candidates say that are the same one."""
    pooled: defaultdict[str, list[OptionCandidate]] = defaultdict(list)
    for each, key in zip(candidates, keys, strict=True):
        pooled[key].append(each)
    return {
        key: OptionWords(
            frozenset[str]().union(*(each.named for each in same)),
            frozenset[str]().union(*(_read_help(text) for text in {each.help for each in same} if text)),
            frozenset[str]().union(*(each.described for each in same)),
            frozenset[str]().union(*(each.beside for each in same)),
            frozenset(fold_option(each.name) for each in same),
        )
        for key, same in pooled.items()
    }


@functools.lru_cache(maxsize=20_000)
def _read_help(text: str) -> frozenset[str]:
    return read_stems(text)


class AskedOption(Struct, frozen=True):
    """What a text asks for.

    Attributes:
        wanted: The stems that identify the option.
        weights: The weight of each of them; rare ones have higher weights.
        alike: Each of them with the stems that mean the same and that no other one is.
        total: The sum of the weights of those that an option should have.
        kinds: The kinds of options that it may mean.
        meant: The stems of all its words, and their synonyms.
        written: The words that are written as names are, folded.
        literals: The words that are written as code is.
        is_number: Whether the option has a number or a duration.
        measures: What the number may measure, empty if the text does not tell.
        stems: The stems of all its words.
    """

    wanted: tuple[str, ...]
    weights: Mapping[str, float]
    alike: Mapping[str, frozenset[str]]
    total: float
    kinds: frozenset[OptionKind]
    meant: frozenset[str]
    written: frozenset[str]
    literals: tuple[str, ...]
    is_number: bool
    measures: frozenset[str]
    stems: frozenset[str]

    @classmethod
    def read(
        cls, text: str, wanted: Sequence[str], kinds: frozenset[OptionKind], options: Collection[OptionWords]
    ) -> AskedOption:
        """Return what a text asks for, with weights by how many options have its stems."""
        stems, words = text_stems(text), _WORD.findall(text)
        # A capital may begin a sentence, or be that of an acronym or a product.
        names = (fold_option(each) for each in words if _LITERAL.search(each))
        weights = _weigh(wanted, options, stems)
        for each in weights.keys() & set(read_manner(text)):
            weights[each] *= _SAID_BY_ANY if len(weights) > 1 else 1.0
        needed = weights.keys() - (read_hints(text) - {*stems})
        return cls(
            tuple(weights),
            weights,
            {one: meaning_of(one) - cut_stems(other for other in weights if other != one) for one in weights},
            sum(weights[each] for each in needed or weights),
            kinds,
            frozenset[str]().union(*map(meaning_of, stems)),
            frozenset(each for each in names if len(each) >= _MIN_WRITTEN),
            tuple(each for each in words if _LITERAL.search(each)),
            ASKS_NUMBER.search(text) is not None,
            read_measures(text),
            cut_stems(stems),
        )


@functools.lru_cache(maxsize=1_000)
def meaning_of(stemmed: str) -> frozenset[str]:
    """Return the synonyms of a stem, shortened like the stems of candidates."""
    # Nearly every option is part of a configuration, so a word for that in its name says little.
    return cut_stems((stemmed,) if stemmed in NAMING else kinds_of(stemmed))


def _weigh(wanted: Sequence[str], options: Collection[OptionWords], asked: Sequence[str]) -> dict[str, float]:
    """Return the inverse document frequency of each wanted stem.

    Those that the text does not have but only means are left out if nothing has them.
    """
    meant = {one: meaning_of(one) for one in wanted}
    counts: Counter[str] = Counter()
    for each in options:
        counts.update(one for one, alike in meant.items() if any(not alike.isdisjoint(field) for field in each.fields))
    wanted = [each for each in wanted if counts[each] or each in asked] or wanted
    weights = {each: math.log(1 + (len(options) - counts[each] + 0.5) / (counts[each] + 0.5)) + 0.05 for each in wanted}
    # What no option has does not help to choose one.
    return {each: weight * (1.0 if counts[each] else _UNKNOWN) for each, weight in weights.items()}


def score_option(each: OptionCandidate, words: OptionWords, asked: AskedOption) -> OptionMatch | None:
    """Return a candidate with its score; None if nothing that is known of its option has one of the words."""
    measured = _weigh_measure(each, words, asked)
    # The limit of a size is not the limit of a count.
    wanted = [one for one in asked.wanted if not (measured == _OTHERWISE_MEASURED and one in _LIMITS)]
    joined = _find_joined(wanted, words)
    # A word of an option means one word of the text: "old" and "expired" do not both mean `ttl`.
    meant: set[str] = set()
    counts = [_count_fields(one, words, asked.alike[one] - meant, meant, one in joined) for one in wanted]
    found = {one for one, fields in zip(wanted, counts, strict=True) if any(fields)}
    # A word for a limit says little unless the text also says what is limited.
    if found <= _LIMITS and not {*asked.wanted} <= _LIMITS:
        return None
    score = share = 0.0
    for one, fields in zip(wanted, counts, strict=True):
        frequency = sum(weight * count for weight, count in zip(_WEIGHTS, fields, strict=True))
        score += asked.weights[one] * frequency / (frequency + _SATURATION)
        share += asked.weights[one] * max(part * (count > 0) for part, count in zip(_SHARES, fields, strict=True))
    if not score:
        return None
    share, score = min(1.0, share / asked.total), _SCALE * score / asked.total
    score *= _weigh_declaration(each, asked.kinds) * measured
    score *= _SWITCHED if asked.is_number and each.is_switch else 1.0
    unasked = len(each.named.difference(asked.meant, *map(meaning_of, asked.wanted)))
    known = sum((bool(each.help), bool(each.document), each.has_comment, each.kind not in PLAIN))
    known += 2 * each.is_among_options
    score += _KNOWN * known + _weigh_spelling(each, words, asked)
    kinds = asked.kinds
    is_doubtful = _may_be_anything(each) or not (known or each.default) or (len(kinds) == 1 and each.kind not in kinds)
    is_wordy = unasked >= _MANY_UNASKED and 2 * unasked >= len(each.named)
    place = (each.name, each.label or each.kind, each.file, each.line, each.help, each.default, each.document)
    is_named = any(fields[0] for fields in counts)
    return OptionMatch(*place, share, score, is_named, is_doubtful, is_wordy=is_wordy)


def _count_fields(one: str, words: OptionWords, alike: Set[str], meant: set[str], is_joined: bool) -> tuple[float, ...]:
    """Return how much each field of an option has of a wanted word, and note the words that only mean it."""
    exact = cut_stems((one,))
    counts, said = [], set[str]()
    for field in words.fields:
        is_exact = exact <= field
        also = set[str]() if is_exact else alike & field
        has = 1.0 if is_exact else _ALIKE_SHARE if also else 0.0
        counts.append(has / (1 + _LENGTH * max(0, len(field) - _USUAL_LENGTH)) if has else 0.0)
        said |= also
    counts[0] = 1.0 if is_joined else counts[0]
    # The limit of a size is one, whatever else limits it.
    if one not in _LIMITS and not is_joined and said:
        meant.add(min(said))
    return tuple(counts)


def _find_joined(wanted: Sequence[str], words: OptionWords) -> set[str]:
    """Return the wanted words that a name has joined to others: `timeout`, `NOSENDFILE`, `PASSSTRENGTH`."""
    joined = {one for pair in pairwise(wanted) if _is_joined(pair, words.named) for one in pair}
    denied = {one for one in wanted if any(f"no{one}" in folded for folded in words.folded)}
    joined |= denied | {one for one in wanted if denied and "no" in kinds_of(one)}
    return joined | {one for one in wanted if any(_is_inside(one, folded, words.named) for folded in words.folded)}


def _weigh_spelling(each: OptionCandidate, words: OptionWords, asked: AskedOption) -> float:
    """Return what is added to the score of an option for how its name and its description are written."""
    added = _WRITTEN * (not asked.written.isdisjoint((*words.folded, identify_option(each.name))))
    return added + _QUOTED * any(literal in each.help for literal in asked.literals)


def _weigh_declaration(each: OptionCandidate, kinds: frozenset[OptionKind]) -> float:
    """Return how much an option counts by its kind, where it is declared, and whether it may be something else."""
    is_variable = each.kind is OptionKind.SETTING and kinds == VARIABLES
    weight = _FACTORS.get(each.kind, 1.0) if each.kind in kinds else _OTHER_KIND
    weight *= _GUESSED if is_variable else 1.0
    weight *= 1.0 if role_of(each.file) is FileRole.PRODUCT else _NOT_PRODUCT
    weight *= _ORDINARY if _may_be_anything(each) else 1.0
    return weight * ((_GIVEN if each.kind is OptionKind.FLAG else _GUESSED) if each.is_guess else 1.0)


def _weigh_measure(each: OptionCandidate, words: OptionWords, asked: AskedOption) -> float:
    """Return how much an option counts by what its name, or else its description, says that its number measures."""
    if not asked.measures:
        return 1.0
    has = {measure for measure, stems in _MEASURES.items() if stems & words.named - asked.stems}
    if has:
        return _OTHERWISE_MEASURED if asked.measures.isdisjoint(has) else _MEASURED
    measures = read_measures(each.help)
    return _SAID_OTHERWISE if measures and asked.measures.isdisjoint(measures) else 1.0


def _may_be_anything(option: OptionCandidate) -> bool:
    """Return whether only a plain word is declared, as for any variable."""
    is_word = option.kind is OptionKind.SETTING and option.name.isalpha() and option.name[1:].islower()
    return is_word and not (option.is_among_options or option.document)


def _is_inside(word: str, folded: str, named: Set[str]) -> bool:
    """Return whether a long word is a part of a name that does not separate its words, as those in capitals may not."""
    least = MIN_INSIDE_UPPER if len(named) == 1 else _MIN_INSIDE
    return len(word) >= least and word.removesuffix("s") in folded


def _is_joined(pair: tuple[str, str], named: Set[str]) -> bool:
    """Return whether a name has two words of the text as one: `timeout` for "time out"."""
    both = cut_stems(("".join(pair),))
    return both <= named and both != cut_stems(pair[:1])
