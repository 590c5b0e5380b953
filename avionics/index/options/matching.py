"""Find the option, setting or environment variable that a text describes.

Every line that may declare an option is compared with the text, by its name, by the words of its help beside it, and
by what documents say of it.
"""

from __future__ import annotations

import functools
import math
import re
import weakref
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise

from msgspec import Struct, structs

from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.options.declarations import (
    SETTINGS_FILE,
    OptionCandidate,
    cut_stems,
    get_mention,
    iter_candidates,
    read_stems,
)
from avionics.index.options.declared_names import OptionKind
from avionics.index.options.documentation import (
    DocumentedOption,
    fold_option,
    is_document,
    list_documents,
    read_documentation,
)
from avionics.index.options.evidence import AMONG_SETTINGS, weigh_evidence
from avionics.index.options.option_names import identify_option, spell_option
from avionics.index.options.question_words import (
    ASKS_FOR_OPTION,
    ASKS_NUMBER,
    LISTING,
    NAMING,
    PLAIN,
    VARIABLES,
    read_kinds,
    read_wanted,
)
from avionics.index.search.query import spellings_of, stem, stems_of, text_stems
from avionics.index.search.synonyms import kinds_of, read_said
from avionics.syntax.registry import get_language

_READS_ENVIRONMENT = ("getenv", "environ", "environment", "env")
"""Parts of the names of functions that read environment variables, those that mean nothing else first."""
_OF_A_TOOL = re.compile(r"\.config\.[cm]?[jt]s\Z|(?:completions?/[^/]*|[\w-]+[-_.]completions?\.\w+)\Z")
"""A file that sets options of a tool instead of declaring any, or that completes commands in a shell."""
_OF_SETTINGS_FILE = 0.25
"""What the name of a file with settings counts when files are chosen: about as much as a word of fifty files."""
_MAX_FILES, _MAX_UNDECLARED, _MAX_HELPS = 250, 20, 4
_LIMITS = kinds_of("limit")
_LIMIT_FACTOR, _UNKNOWN_FACTOR = 1.5, 0.4
"""The weight of words such as `limit`, which say what kind of option is meant, relative to other words."""
_NAME_WEIGHT, _HELP_WEIGHT, _DOCUMENT_WEIGHT, _BESIDE_WEIGHT = 1.8, 1.0, 0.9, 0.6
"""The weights of words in the name, in the help beside the line, in other texts about the option, and in code."""
_OTHER_KIND, _GUESSED, _NOT_PRODUCT, _KNOWN, _CONSTANT = 0.45, 0.9, 0.5, 0.05, 0.85
_NOTHING = frozenset({"", "None", "null", "nil", "undefined", "NULL", "nullptr"})
"""Defaults that stand for one which is chosen elsewhere."""
_PATH = 0.3
"""Added to the score of an option whose path has all words that its declaration does not have; less for fewer."""
_WORD, _WRITTEN, _MIN_WRITTEN = re.compile(r"\w[\w.-]*+"), 1.0, 3
"""A word that may be a name, what is added to the score of an option that is called so, and the least letters of it."""
_LITERAL, _QUOTED = re.compile(r"\w[-_.]\w|[a-z][A-Z]"), 0.2
"""A word that is written as code is, and what is added to the score of an option whose description has it."""
_KEPT_SO = re.compile(
    r"\bhow (?:many|much|long)\b.{0,160}\b(?:is|are|be|gets?|stays?)"
    r" (kept|stored|held|allowed|shown|displayed|used|valid)\b"
    r"|\bwhat(?:'s| is| are) the \w{1,20}est .{0,160} (accept|take|handle|allow|support)s?\W*\Z",
    re.IGNORECASE,
)
_SWITCHED = 0.6
"""How much an option counts that is on or off, where a number is asked for."""
_SAID_BY_ANY = 0.5
"""The weight, relative to other words, of the verb with which any number of things is asked for."""
_COVERAGE = 0.5
"""The power of the share of the words that an option has, by which its score is multiplied."""
_MIN_AGAIN, _MAX_AGAIN = 0.4, 24
"""How many options are compared again, and the least of their scores relative to the best one."""
_MAX_READ_FILES, _MAX_READ_LINES, _AROUND = 6, 4, 2
"""The files that read an option, the lines of each, and the lines around each that may describe it."""
_EQUAL = 0.93
"""Declarations with at least this share of the best one's score are as good; those with a description come first."""
_PHRASE = 0.25
"""Added to the score of a name with two adjacent words of the text side by side, even words that ask for options."""
_FOR_USERS = 0.1
"""Added to the score of a flag, because users may not know a field or parameter."""
_ALIKE_SHARE = 0.85
"""How much a word in a name counts that only means the same as one of the text."""
_CLOSE = 0.6
_ALSO, _MAX_ALSO = 0.8, 2
"""Lines that fit an option nearly as well as the best one may be its declaration, too."""
_UNASKED = 0.02
"""The share of its score that a name loses for each word that was not asked for."""
_MIN_INSIDE = 6
"""Letters of a word that are found within another one, as in `PASSSTRENGTH`."""
_MIN_INSIDE_UPPER = 4
"""The same within a name in capitals."""
_MIN_SHARE, _MIN_SHARE_BESIDE, _MIN_SHARE_DESCRIBED = 0.5, 0.75, 0.65
"""The least share of the words for a name that has some of them, one that has none, and one that documents describe."""

_MAX_LISTED = 5
_LEAD, _MIN_SHARE_CLEAR, _ROUGHLY = 1.25, 0.65, 0.4
"""How much better the best option must be than the next, and the share of the words it must have, to be named alone;
else those are of use that fit roughly."""
_MIN_SHARE_UNSAID = 0.65
"""The least share where the text asks for no option by such a word, as "how can I limit the size?"."""


class OptionMatch(Struct, frozen=True):
    """A line that may declare the option in question.

    Attributes:
        name: The option as a user writes it.
        kind: Where its value comes from.
        file: The file of the declaration.
        line: The line of the declaration.
        help: The text that describes it, "" for none.
        default: Its default as the declaration has it, "" if that is not seen.
        document: Where a document describes it as `path:line`, "" for nowhere.
        share: The share of the text's words that it has.
        score: How well it fits.
        is_named: Whether its name has a word of the text.
        is_doubtful: Whether little says that it is an option, or one of the kind that the text asks for.
        is_clear: Whether it fits much better than all others.
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

    @property
    def is_likely(self) -> bool:
        """Return whether the name, or the words around it, contain enough of the text's words."""
        beside = _MIN_SHARE_DESCRIBED if self.document else _MIN_SHARE_BESIDE
        if self.is_doubtful and not self.is_named:
            return False
        return self.share >= (_MIN_SHARE if self.is_named and not self.is_doubtful else beside)


class OptionFinder:
    """Finds the options that a text means, and keeps those for the last text: a search asks for them again."""

    def __init__(self) -> None:
        self._last: tuple[object, ...] = ()
        self._found: tuple[OptionMatch, ...] = ()

    def find(
        self, code: CodeIndex, text: str, scope: str | None = None, *, is_wish: bool = False
    ) -> tuple[OptionMatch, ...]:
        """Return the options that a text may mean, likeliest first, with further declarations of them; () if none fit.

        Where a text asks for an option and none is likely, those are returned that have some of its words in their
        names.

        Args:
            code: The index.
            text: The question.
            scope: A directory or file to stay within.
            is_wish: Whether an option is only one way to answer the text, and less likely ones are of use.
        """
        asked = (weakref.ref(code), text, scope, is_wish)
        if self._last != asked:
            self._found = _find_options(code, text, scope, is_wish=is_wish)
            self._last = asked
        return self._found


def _find_options(code: CodeIndex, text: str, scope: str | None, *, is_wish: bool) -> tuple[OptionMatch, ...]:
    wanted = read_wanted(text)
    if not wanted:
        return ()
    texts = {file: code.read_text(file) for file in (*_choose_files(code, wanted, scope), *list_documents(code))}
    documented = read_documentation(texts)
    described = _choose_described(documented, wanted)
    for file in _list_declaring(code, described):
        texts.setdefault(file, code.read_text(file))
    sources = {file: text for file, text in texts.items() if not is_document(file)}
    candidates = [each for file, text in sources.items() for each in iter_candidates(file, text, documented)]
    candidates += _iter_undeclared(described, candidates, sources)
    kinds = read_kinds(text)
    if kinds == {OptionKind.ENVIRONMENT}:
        candidates = [each for each in candidates if each.kind in kinds]
    asked = _Asked.read(text, wanted, kinds, candidates)
    helped = _pool_help(candidates)
    stems = {name: cut_stems(text_stems(" ".join(helps))) for name, helps in helped.items()}
    described_by = ((each, each.described | stems[identify_option(each.name)]) for each in candidates)
    evidence = weigh_evidence(candidates)
    scored = [(each, match) for each, words in described_by if (match := _score(each, asked, words, evidence))]
    found = _compare_again(code, scored, asked, helped, evidence)
    best: dict[str, list[OptionMatch]] = {}
    for match in sorted(found, key=lambda each: (-each.score, role_of(each.file), each.file, each.line)):
        best.setdefault(identify_option(match.name), []).append(match)
    # What one declaration of an option leaves in doubt, another one may tell.
    firsts = [
        structs.replace(each[0], is_doubtful=each[0].is_doubtful and all(other.is_doubtful for other in each))
        for each in best.values()
    ]
    ranked = _drop_twins(sorted(_join_dotted(firsts), key=lambda each: -each.score))
    least = 0.0 if is_wish or ASKS_FOR_OPTION.search(text) else _MIN_SHARE_UNSAID
    enough = _CLOSE * max((each.score for each in ranked), default=0.0)
    likely = (each for each in ranked if each.is_likely and each.share >= least and each.score >= enough)
    first = next(likely, None)
    if first is None:
        worthwhile = (each for each in ranked if each.is_named or _is_described(each, evidence))
        fitting = [each for each in worthwhile if each.score >= _ROUGHLY * ranked[0].score]
        return tuple(_choose_declaration(each, best)[0] for each in fitting[:_MAX_LISTED])
    others = [each for each in ranked if each is not first]
    lead = first.score >= _LEAD * max((each.score for each in others), default=0.0)
    is_clear = lead and first.share >= _MIN_SHARE_CLEAR
    close = [each for each in others if each.score >= (_CLOSE if is_clear else _ROUGHLY) * first.score]
    own = _choose_declaration(first, best)
    shown = (_choose_declaration(each, best)[0] for each in close[: _MAX_LISTED - 1])
    told = {"share": first.share, "is_named": first.is_named, "is_doubtful": first.is_doubtful}
    return (structs.replace(own[0], is_clear=is_clear, **told), *own[1 : 1 + _MAX_ALSO], *shown)


def _drop_twins(ranked: Sequence[OptionMatch]) -> list[OptionMatch]:
    """Return options without those that a better one's declaration also names, as it does a variable beside a flag."""
    kept: dict[tuple[str, str, int], OptionMatch] = {}
    for each in ranked:
        near = ((each.file, each.help, each.line + step) for step in (-1, 0, 1))
        if not each.help or not any(place in kept for place in near):
            kept[each.file, each.help or each.name, each.line] = each
    return list(kept.values())


def _is_described(match: OptionMatch, evidence: Mapping[str, float]) -> bool:
    """Return whether something describes what is likely an option that users set."""
    return bool(match.help or match.document) and evidence[identify_option(match.name)] >= AMONG_SETTINGS


def _choose_declaration(first: OptionMatch, best: Mapping[str, Sequence[OptionMatch]]) -> tuple[OptionMatch, ...]:
    """Return the lines that may be the declaration of an option, likeliest first, the first one with its default."""
    declared = best[identify_option(first.name)]
    alike = [each for each in declared if each.score >= _ALSO * declared[0].score]
    # Where nothing tells that a line is the declaration, one with a value is likely it.
    alike.sort(
        key=lambda each: (
            each.score < _EQUAL * declared[0].score, not each.help, not first.help and each.default in _NOTHING
        )
    )  # fmt: skip
    own = sorted((*alike, *declared), key=lambda each: each.file != alike[0].file)
    return (_add_default(alike[0], own), *alike[1:])


def _add_default(match: OptionMatch, declared: Sequence[OptionMatch]) -> OptionMatch:
    """Return a declaration with the default that it, or else another one of the option, gives."""
    default = next((each.default for each in (match, *declared) if each.default not in _NOTHING), match.default)
    return structs.replace(match, default=default)


def _compare_again(
    code: CodeIndex,
    scored: Sequence[tuple[OptionCandidate, OptionMatch]],
    asked: _Asked,
    helped: Mapping[str, Sequence[str]],
    evidence: Mapping[str, float],
) -> list[OptionMatch]:
    """Return matches; the best ones are compared again with more words than is worthwhile for all.

    These are what descriptions say in several words and code in one, and for options that nothing describes the lines
    where the code reads them.
    """
    matches = [match for _, match in scored]
    ranked = sorted(range(len(matches)), key=lambda at: -matches[at].score)[:_MAX_AGAIN]
    for at in (at for at in ranked if matches[at].score >= _MIN_AGAIN * matches[ranked[0]].score):
        each = scored[at][0]
        said = read_said(" ".join(helped[identify_option(each.name)]))
        described_by = each.described | cut_stems(text_stems(said))
        more = each if each.help else structs.replace(each, said=each.said | _read_reads(code, each))
        again = _score(more, asked, described_by, evidence)
        matches[at] = max(matches[at], again or matches[at], key=lambda match: match.score)
    return matches


def _read_reads(code: CodeIndex, option: OptionCandidate) -> frozenset[str]:
    """Return the stems of the lines around the first uses of an option's name, and of the functions that have them."""
    said: list[str] = []
    files = code.files_with_word(option.name)
    # Where many files have the name, it is a plain word.
    for file in sorted(files) if len(files) <= _MAX_READ_FILES else ():
        if role_of(file) >= FileRole.TEST or not get_language(file):
            continue
        lines = code.read_text(file).split("\n")
        using = (
            at for at, line in enumerate(lines, 1) if option.name in line and (file, at) != (option.file, option.line)
        )
        for at in islice(using, _MAX_READ_LINES):
            around = code.graph.enclosing(file, at)
            said += [around.symbol.qualname if around else "", *lines[max(0, at - 1 - _AROUND) : at + _AROUND]]
    return read_stems(" ".join(said))


def _join_dotted(found: Sequence[OptionMatch]) -> list[OptionMatch]:
    """Return options without the strings that name one of them by its path; it scores at least as they do.

    `"git.autoFetch"` in a list of names is the described field `autoFetch` of what `git` stands for.
    """
    described = {(identify_option(each.name), each.kind): each for each in found if each.help and "." not in each.name}
    kept = {id(each): each for each in found}
    for each in found:
        part = each.name.rpartition(".")[2] if not (each.help or each.default) else each.name
        declared = described.get((identify_option(part), each.kind)) if part != each.name else None
        if declared:
            del kept[id(each)]
            best = kept[id(declared)]
            kept[id(declared)] = structs.replace(
                best, score=max(best.score, each.score), share=max(best.share, each.share)
            )
    return list(kept.values())


def find_environment_variables(
    code: CodeIndex, text: str, scope: str | None = None, *, is_for_all: bool = False
) -> tuple[OptionMatch, ...]:
    """Return the environment variables that product code reads, best match first; () if none is asked for.

    Args:
        code: The index.
        text: The question.
        scope: A directory or file to stay within.
        is_for_all: Whether it asks for all of them; lines that may be about anything are then left out.
    """
    if read_kinds(text) != {OptionKind.ENVIRONMENT}:
        return ()
    wanted = read_wanted(text)
    files = dict.fromkeys(file for part in _READS_ENVIRONMENT for file in sorted(code.words.term_counts(part)))
    chosen = [file for file in files if role_of(file) is FileRole.PRODUCT and (not scope or file.startswith(scope))]
    found: dict[str, OptionMatch] = {}
    for file in chosen[:_MAX_FILES]:
        for each in iter_candidates(file, code.read_text(file)):
            if each.kind is OptionKind.ENVIRONMENT and each.name.isupper() and not (is_for_all and each.is_guess):
                # Names such as IRCNICK do not separate their words.
                inside = {one for one in wanted if len(one) >= _MIN_INSIDE_UPPER and one in each.name.lower()}
                named = {one for one in wanted if one in inside or _meaning(one) & each.named}
                has = sum(one in named or bool(_meaning(one) & each.said) for one in wanted) / max(1, len(wanted))
                match = OptionMatch(
                    each.name, each.kind, file, each.line, each.help, each.default, "", has, has + len(named)
                )
                if has > getattr(found.get(each.name), "share", -1):
                    found[each.name] = match
    return tuple(sorted(found.values(), key=lambda each: -each.score))


def asks_for_variables(code: CodeIndex, text: str) -> bool:
    """Return whether a text asks which environment variables there are, and not for one of them."""
    if read_kinds(text) != {OptionKind.ENVIRONMENT}:
        return False
    left = {each for each in read_wanted(text) if each not in LISTING}
    # "Which variables does the shop read?" names the whole product.
    return not left or left <= {stem(part.lower()) for file in code.files for part in file.split("/")[:2]}


def _choose_files(code: CodeIndex, wanted: Sequence[str], scope: str | None) -> list[str]:
    """Return the product files that have most of the words, or whose name says that they have settings."""
    counts: Counter[str] = Counter()
    for each in wanted:
        spelled = {word for alike in kinds_of(each) for word in spellings_of(alike)}
        spelled |= {f"{each}{other}" for other in wanted if other != each}
        having = code.words.count_in_files(code.words.term_postings(spelled))
        weight = 1 / math.log(3 + len(having))
        for file in having:
            counts[file] += weight  # type: ignore[assignment]
    for file in code.files:
        if SETTINGS_FILE.search(file):
            counts[file] += _OF_SETTINGS_FILE  # type: ignore[assignment]
    chosen = [
        file for file, _ in counts.most_common()
        if role_of(file) < FileRole.TEST and get_language(file) and (not scope or file.startswith(scope))
        and not _OF_A_TOOL.search(file)
    ]  # fmt: skip
    return chosen[:_MAX_FILES]


@functools.lru_cache(maxsize=1_000)
def _meaning(stemmed: str) -> frozenset[str]:
    """Return the synonyms of a stem, shortened like the stems of candidates."""
    # Nearly every option is about a configuration; a word for it in a name says little.
    return cut_stems((stemmed,) if stemmed in NAMING else kinds_of(stemmed))


def _choose_described(documented: Mapping[str, DocumentedOption], wanted: Sequence[str]) -> list[DocumentedOption]:
    """Return the documented options whose documentation contains most of the words."""
    found = {(each.file, each.line): each for each in documented.values()}
    return [
        each
        for each in found.values()
        if (words := cut_stems(text_stems(f"{each.name} {each.said}")))
        and sum(bool(_meaning(one) & words) for one in wanted) > len(wanted) / 2
    ]


def _list_declaring(code: CodeIndex, described: Sequence[DocumentedOption]) -> list[str]:
    """Return the product files that mention one of some options."""
    files: dict[str, None] = {}
    for each in described:
        for name in _names_in_code(each):
            files |= dict.fromkeys(sorted(code.files_with_word(name)))
    return [file for file in files if role_of(file) < FileRole.TEST and get_language(file)][:_MAX_FILES]


def _names_in_code(option: DocumentedOption) -> tuple[str, ...]:
    """Return the words that code may have for a documented option."""
    spelled = (*spell_option(option.name), *spell_option(option.name.rpartition(".")[2]))
    return tuple(dict.fromkeys(each for each in spelled if each.isidentifier()))


def _iter_undeclared(
    described: Sequence[DocumentedOption], candidates: Sequence[OptionCandidate], texts: Mapping[str, str]
) -> Iterator[OptionCandidate]:
    """Yield where code mentions the documented options that no line is known to declare."""
    declared = {fold_option(each.name) for each in candidates}
    left = [
        each
        for each in described
        if declared.isdisjoint((fold_option(each.name), fold_option(each.name.rpartition(".")[2])))
    ]
    for option in left[:_MAX_UNDECLARED]:
        names = _names_in_code(option)
        found = (
            get_mention(file, text, option, name) for file, text in texts.items() for name in names if name in text
        )
        yield from (each for each in (next(filter(None, found), None),) if each)


def _pool_help(candidates: Sequence[OptionCandidate]) -> dict[str, tuple[str, ...]]:
    """Return option → the first texts that describe it."""
    texts: dict[str, dict[str, None]] = {}
    for each in candidates:
        texts.setdefault(identify_option(each.name), {})[each.help] = None
    return {name: tuple(islice(helps, _MAX_HELPS)) for name, helps in texts.items()}


class _Asked(Struct, frozen=True):
    """What a text asks for.

    Attributes:
        wanted: The stems that identify the option.
        weights: The weight of each of them; rare ones have higher weights.
        kinds: The kinds of options that it may mean.
        meant: The stems of all its words, and their synonyms.
        phrases: The pairs of adjacent stems.
        written: The words that are written as names are, folded.
        literals: The words that are written as code is.
        is_number: Whether the option has a number or a duration.
    """

    wanted: tuple[str, ...]
    weights: Mapping[str, float]
    kinds: frozenset[OptionKind]
    meant: frozenset[str]
    phrases: frozenset[tuple[str, str]]
    written: frozenset[str]
    literals: tuple[str, ...]
    is_number: bool

    @classmethod
    def read(
        cls, text: str, wanted: Sequence[str], kinds: frozenset[OptionKind], candidates: Sequence[OptionCandidate]
    ) -> _Asked:
        """Return what a text asks for, with weights by how many candidates have its stems."""
        stems, words = text_stems(text), _WORD.findall(text)
        names = (fold_option(each) for each in words if not (each.islower() and each.isalpha()))
        weights = _weigh(wanted, candidates, stems)
        kept = _KEPT_SO.search(text)
        for each in weights.keys() & text_stems(kept[1] or kept[2] if kept else ""):
            weights[each] *= _SAID_BY_ANY if len(weights) > 1 else 1.0
        return cls(
            tuple(weights),
            weights,
            kinds,
            frozenset[str]().union(*map(_meaning, stems)),
            frozenset(pairwise(stems)),
            frozenset(each for each in names if len(each) >= _MIN_WRITTEN),
            tuple(each for each in words if _LITERAL.search(each)),
            ASKS_NUMBER.search(text) is not None,
        )


def _weigh(wanted: Sequence[str], candidates: Sequence[OptionCandidate], asked: Sequence[str]) -> dict[str, float]:
    """Return the weight of each wanted stem; rare stems have higher weights.

    Those that the text does not have but only means are left out if nothing has them.
    """
    counts: Counter[str] = Counter()
    together: set[str] = set()
    for each in candidates:
        words = each.said | each.named | each.described
        there = [one for one in wanted if _meaning(one) & words]
        counts.update(there)
        together.update(there if len(there) > 1 else ())
    wanted = [each for each in wanted if counts[each] or each in asked] or wanted
    weights = {each: math.log(1 + len(candidates) / (1 + counts[each])) + 0.2 for each in wanted}
    # A word that never occurs together with another one does not help to choose a declaration.
    known = together or counts
    weights = {each: weight * (1.0 if each in known else _UNKNOWN_FACTOR) for each, weight in weights.items()}
    heaviest = max(weights.values())
    return {each: heaviest * _LIMIT_FACTOR if each in _LIMITS else weight for each, weight in weights.items()}


def _score(
    each: OptionCandidate, asked: _Asked, described_by: frozenset[str], evidence: Mapping[str, float]
) -> OptionMatch | None:
    """Return a candidate with its score; None if it contains none of the words.

    Args:
        each: The candidate.
        asked: What is asked for.
        described_by: The stems of all texts that describe the option.
        evidence: How likely each name is an option that users set.
    """
    wanted, weights, kinds = asked.wanted, asked.weights, asked.kinds
    total = sum(weights.values())
    folded = fold_option(each.name)
    is_upper = each.name.isupper() and "_" not in each.name
    joined = {one for pair in pairwise(wanted) if _is_joined(pair, each.named) for one in pair}
    # `NOSENDFILE` disables what a text calls by the rest of the name.
    joined.update(one for one in wanted if "no" in kinds_of(one) and any(f"no{other}" in folded for other in wanted))
    named = said = placed = 0.0
    path = _read_path(each.file)
    is_about = not any(one not in _LIMITS for one in wanted)
    for one in wanted:
        is_exact = one in joined or cut_stems((one,)) <= each.named or _is_inside(one, folded, is_upper=is_upper)
        alike = _meaning(one) - cut_stems(other for other in wanted if other != one)
        is_beside = bool(alike & described_by), bool(alike & each.said)
        is_about = is_about or (one not in _LIMITS and (is_exact or any((alike & each.named, *is_beside))))
        if is_exact or alike & each.named:
            named += weights[one] * (1.0 if is_exact else _ALIKE_SHARE)
        else:
            said += weights[one] * _share_beside(*is_beside)
            placed += weights[one] * (not any(is_beside) and not alike.isdisjoint(path))
    # That it limits something says little unless it is known what.
    if not is_about or not (named or said):
        return None
    share = (named + said) / total
    # An option with a few words of the text in its name is less likely than one that says all of them.
    score = (_NAME_WEIGHT * named + said + _PATH * placed) / total * share**_COVERAGE
    score *= 1.0 if each.kind in kinds else _OTHER_KIND
    is_variable = each.kind is OptionKind.SETTING and kinds == VARIABLES
    score *= _CONSTANT if is_variable or each.kind is OptionKind.CONSTANT else 1.0
    score *= 1.0 if role_of(each.file) is FileRole.PRODUCT else _NOT_PRODUCT
    score *= _GUESSED if each.is_guess else 1.0
    score *= _SWITCHED if asked.is_number and each.is_switch else 1.0
    score *= 1.0 - _UNASKED * len(each.named.difference(asked.meant, *map(_meaning, wanted)))
    known = sum((bool(each.help), bool(each.document), each.has_comment, each.kind not in PLAIN))
    known += 2 * each.is_among_options
    score += _KNOWN * known + _FOR_USERS * (each.kind is OptionKind.FLAG)
    score += _PHRASE * (not asked.phrases.isdisjoint(pairwise(stems_of(each.name))))
    score += _WRITTEN * (not asked.written.isdisjoint((folded, identify_option(each.name))))
    score += _QUOTED * any(literal in each.help for literal in asked.literals)
    score *= evidence[identify_option(each.name)]
    is_other = len(kinds) == 1 and each.kind not in kinds
    is_word = each.kind is OptionKind.SETTING and each.name.isalpha() and each.name[1:].islower()
    is_anything = is_word and not (each.is_among_options or each.document)
    is_doubtful = is_other or is_anything or not (known or each.default)
    place = (each.name, each.kind, each.file, each.line)
    return OptionMatch(*place, each.help, each.default, each.document, share, score, bool(named), is_doubtful)


@functools.lru_cache(maxsize=1_000)
def _read_path(file: str) -> frozenset[str]:
    """Return the stems of a path's parts, cut as those of candidates are."""
    return cut_stems(each for part in re.split(r"[/.]", file) for each in stems_of(part))


def _is_inside(word: str, folded: str, *, is_upper: bool) -> bool:
    """Return whether a long word is a part of a name that does not separate its words, as those in capitals may not."""
    singular = word.removesuffix("s")
    return len(word) >= (_MIN_INSIDE_UPPER if is_upper else _MIN_INSIDE) and singular in folded


def _is_joined(pair: tuple[str, str], named: frozenset[str]) -> bool:
    """Return whether a name has two words of the text as one: `timeout` for "time out"."""
    both = cut_stems(("".join(pair),))
    return both <= named and both != cut_stems(pair[:1])


def _share_beside(is_described: bool, is_beside: bool) -> float:
    """Return how much a word counts that the name does not have."""
    if is_described and is_beside:
        return _HELP_WEIGHT
    return _DOCUMENT_WEIGHT * is_described or _BESIDE_WEIGHT * is_beside
