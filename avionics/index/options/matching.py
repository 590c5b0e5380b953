"""Find the option, setting or environment variable that a text describes.

Every line that may declare an option is compared with the text, by its name, by the words of its help beside it, and
by what documents say of it.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Mapping, Sequence
from itertools import islice

from msgspec import structs

from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.modules.published_names import find_project_names
from avionics.index.options.candidate_lines import list_candidates
from avionics.index.options.declarations import SETTINGS_FILE, OptionCandidate
from avionics.index.options.declared_names import OptionKind
from avionics.index.options.match_score import AskedOption, OptionMatch, score_option
from avionics.index.options.option_lists import mark_variables
from avionics.index.options.option_names import cut_stems, identify_option, read_stems
from avionics.index.options.question_words import ASKS_FOR_OPTION, PLAIN, read_kinds, read_wanted
from avionics.index.search.query import stem, text_stems
from avionics.index.search.synonyms import read_said
from avionics.late_pattern import late_pattern
from avionics.model.mappings import group_pairs
from avionics.model.naming import split_name
from avionics.syntax.registry import get_language

_CONFIGURATION_FILE = late_pattern(
    r"(?<![\w./-])[\w./-]*\w\.(?:conf|cfg|config|ini|toml|ya?ml|json|properties|env|rc|log)\b", re.IGNORECASE
)
_SETTER = late_pattern(r"set[A-Z]")
_MAX_HELPS = 4
_NULLS = frozenset({"", "None", "null", "nil", "undefined", "NULL", "nullptr"})
"""Defaults that stand for one which is chosen elsewhere."""
_MIN_SCORE_TO_COMPARE_AGAIN, _MAX_COMPARED_AGAIN = 0.4, 24
"""The least score, relative to the best one, of options that are compared again, and how many of them are."""
_MAX_USING_FILES, _MAX_USES, _LINES_AROUND = 6, 4, 2
"""The most files that may use an option, the uses read of each, and the lines around each use that may describe it."""
_MIN_SCORE_EQUAL = 0.93
"""Declarations with at least this part of the best one's score are as good; those with a description come first."""
_MIN_DESCRIBED, _FOR_FLAG = 2, 0.01
"""The least words of a text for which a flag and a field are one option, and what sets the flag before the field."""
_MIN_SCORE_OTHER, _MAX_OTHER = 0.8, 2
"""The least part of the best line's score that another declaration of the same option has, and how many are shown."""
_MIN_SCORE_CLOSE, MIN_SCORE_ROUGH = 0.6, 0.4
"""The least part of the best option's score that others have which are shown beside it: if it is clear, and if not."""
_NEARLY = 0.8
"""The part of a doubtful option's score that another one needs to be named first."""
_MAX_CLOSE, _MAX_ROUGH, _MAX_COVERING = 5, 8, 2
"""How many options are shown if one is clear, and if none is, and how many more with words that those shown lack."""
_LEAD, _MIN_SHARE_CLEAR, _MIN_SHARE_UNNAMED = 1.25, 0.7, 0.8
"""An option is clear if its score is so many times that of the next one, and if it has that share of the words; more
of them if its name has none."""
_UNDESCRIBED = 0.6
"""What an option counts that nothing describes, where none is likely."""
_MIN_SHARE_UNASKED = 0.65
"""The least share where the text has no word for an option, as "how can I limit the size?"."""


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
        names. With `is_wish`, an option is only one way to answer the text, and less likely ones are of use.
        """
        asked = (weakref.ref(code), text, scope, is_wish)
        if self._last != asked:
            self._found = _find_options(code, text, scope, is_wish=is_wish)
            self._last = asked
        return self._found


def _find_options(code: CodeIndex, text: str, scope: str | None, *, is_wish: bool) -> tuple[OptionMatch, ...]:
    kinds = read_kinds(text)
    declared = _score_declarations(code, text, kinds, scope)
    ranked = _rank_options(declared)
    if not ranked:
        return ()
    min_share = 0.0 if is_wish or ASKS_FOR_OPTION.search(text) else _MIN_SHARE_UNASKED
    min_score = _MIN_SCORE_CLOSE * ranked[0].score
    likely = [each for each in ranked if each.is_likely and each.share >= min_share and each.score >= min_score]
    best = _choose_best(likely, kinds)
    if best is None:
        rough = _choose_rough(ranked)
        return tuple(_list_declarations(each, declared)[0] for each in (*rough, *_find_covering(rough, ranked)))
    own = _list_declarations(best, declared)
    others = [each for each in ranked if each is not best]
    is_clear = _is_clear(best, others) and not _may_be_several(own) and _is_known(own, kinds)
    min_score = (_MIN_SCORE_CLOSE if is_clear else MIN_SCORE_ROUGH) * best.score
    close = [each for each in others if each.score >= min_score][: (_MAX_CLOSE if is_clear else _MAX_ROUGH) - 1]
    close += _find_covering([best, *close], ranked)
    first = structs.replace(
        own[0], is_clear=is_clear, share=best.share, is_named=best.is_named, is_doubtful=best.is_doubtful
    )
    return (first, *own[1 : 1 + _MAX_OTHER], *(_list_declarations(each, declared)[0] for each in close))


def _choose_best(likely: Sequence[OptionMatch], kinds: frozenset[OptionKind]) -> OptionMatch | None:
    """Return the best option; instead of a doubtful one, the first of the kinds asked for that fits nearly as well."""
    if not likely or not likely[0].is_doubtful:
        return next(iter(likely), None)
    min_score = _NEARLY * likely[0].score
    sure = (each for each in likely if not each.is_doubtful and each.kind in kinds and each.score >= min_score)
    return next(sure, likely[0])


def _score_declarations(
    code: CodeIndex, text: str, kinds: frozenset[OptionKind], scope: str | None
) -> dict[str, list[OptionMatch]]:
    """Return option → the lines that may declare it, best first, for the options that have words of a text."""
    wanted = _read_wanted(code, text)
    if not wanted:
        return {}
    candidates = mark_variables(code, list_candidates(code, wanted, scope))
    if kinds == {OptionKind.ENVIRONMENT}:
        candidates = [each for each in candidates if (each.label or each.kind) in kinds]
    asked = AskedOption.read(text, wanted, kinds, candidates)
    helped = _pool_help(candidates)
    stems = {name: cut_stems(text_stems(" ".join(helps))) for name, helps in helped.items()}
    described_by = ((each, each.described | stems[identify_option(each.name)]) for each in candidates)
    scored = [(each, match) for each, words in described_by if (match := score_option(each, asked, words))]
    found = sorted(
        _compare_again(code, scored, asked, helped),
        key=lambda each: (-each.score, role_of(each.file), each.file, each.line),
    )
    return group_pairs((identify_option(match.name), match) for match in found)


def _rank_options(declared: Mapping[str, Sequence[OptionMatch]]) -> list[OptionMatch]:
    """Return the best declaration of each option, best option first, each option once however it is written."""
    # An option is doubtful only if all of its declarations are.
    best = [structs.replace(each[0], is_doubtful=all(one.is_doubtful for one in each)) for each in declared.values()]
    return _drop_named_beside(sorted(_join_described(_join_dotted(best)), key=lambda each: -each.score))


def _choose_rough(ranked: Sequence[OptionMatch]) -> list[OptionMatch]:
    """Return the options that fit roughly where none is likely, those that something describes first."""
    # What nothing describes may be anything, although its name shares a word.
    scores = {
        each: each.score * (1.0 if _is_described(each) else _UNDESCRIBED)
        for each in ranked
        if each.is_named or _is_described(each)
    }
    best_first = sorted(scores, key=lambda each: -scores[each])
    return [each for each in best_first if scores[each] >= MIN_SCORE_ROUGH * scores[best_first[0]]][:_MAX_ROUGH]


def _find_covering(chosen: Sequence[OptionMatch], ranked: Sequence[OptionMatch]) -> tuple[OptionMatch, ...]:
    """Return the best described options that have a word of the text which none of those chosen has."""
    lacking = frozenset.intersection(*(each.lacking for each in chosen)) if chosen else frozenset[str]()
    covering = (each for each in ranked if lacking - each.lacking and each not in chosen and _is_described(each))
    return tuple(islice(covering, _MAX_COVERING))


def _is_clear(best: OptionMatch, others: Sequence[OptionMatch]) -> bool:
    """Return whether an option fits much better than others, and has most words of the text."""
    is_ahead = best.score >= _LEAD * max((each.score for each in others), default=0.0)
    min_share = _MIN_SHARE_CLEAR if best.is_named else _MIN_SHARE_UNNAMED
    return is_ahead and best.share >= min_share and not best.is_wordy


def _read_wanted(code: CodeIndex, text: str) -> list[str]:
    """Return the stems that identify an option, without the names of the project and of settings files if any are left.

    Any option of a program may be said to make that program do something, and to be set in such a file.
    """
    unnamed, own = text, set[str]()
    for name in find_project_names(code.paths, code.read_text):
        spelled = r"[-_ ]".join(map(re.escape, re.split(r"[-_ ]", name)))
        unnamed = re.sub(rf"(?<![\w-]){spelled}(?![\w-])", " ", unnamed, flags=re.IGNORECASE)
        own.add(stem(name.lower()))
    unnamed = _CONFIGURATION_FILE.sub(" ", unnamed)
    return [each for each in read_wanted(unnamed) if each not in own] or read_wanted(text)


def _drop_named_beside(ranked: Sequence[OptionMatch]) -> list[OptionMatch]:
    """Return options without those that a better one's declaration also names, as it does a variable beside a flag."""
    kept: dict[tuple[str, str, int], OptionMatch] = {}
    for each in ranked:
        near = ((each.file, each.help, each.line + step) for step in (-1, 0, 1))
        if not each.help or not any(place in kept for place in near):
            kept[each.file, each.help or each.name, each.line] = each
    return list(kept.values())


def _join_described(found: Sequence[OptionMatch]) -> list[OptionMatch]:
    """Return options with each flag scored at least as a field that the same words describe: it holds the flag's value.

    The usage text of `-r` may say "Receive-only mode", and the comment of the field `receive_only` too.
    """
    fields: dict[frozenset[str], OptionMatch] = {}
    for each in sorted(found, key=lambda each: each.score):
        if each.kind in PLAIN and len(words := frozenset(text_stems(each.help))) >= _MIN_DESCRIBED:
            fields[words] = each
    joined = []
    for each in found:
        field = fields.get(frozenset(text_stems(each.help))) if each.kind is OptionKind.FLAG else None
        is_better = field is not None and field.score > each.score
        joined.append(_raise(each, field) if field is not None and is_better else each)
    return joined


def _raise(flag: OptionMatch, field: OptionMatch) -> OptionMatch:
    """Return a flag that fits as well as the field that holds its value."""
    share = max(flag.share, field.share)
    return structs.replace(flag, score=field.score + _FOR_FLAG, share=share, is_named=field.is_named)


def _is_described(match: OptionMatch) -> bool:
    """Return whether something describes what is likely an option that users set."""
    return bool(match.document) or (bool(match.help) and _is_for_users(match))


def _list_declarations(option: OptionMatch, declared: Mapping[str, Sequence[OptionMatch]]) -> tuple[OptionMatch, ...]:
    """Return the lines that may be the declaration of an option, likeliest first, the first one with its default."""
    lines = declared[identify_option(option.name)]
    best_score = lines[0].score
    # Of similar lines, one with a value is likely the declaration, and one in a file of settings no read of it.
    alike = sorted(
        (each for each in lines if each.score >= _MIN_SCORE_OTHER * best_score),
        key=lambda each: (
            each.score < _MIN_SCORE_EQUAL * best_score,
            each.kind in PLAIN,
            not each.help,
            each.default in _NULLS,
            not SETTINGS_FILE.search(each.file),
        ),
    )
    chosen, *others = alike
    own = sorted((*alike, *lines), key=lambda each: each.file != chosen.file)
    # What the same words describe in the same file, such as a getter, is no second declaration.
    others = [each for each in others if not each.help or (each.file, each.help) != (chosen.file, chosen.help)]
    return (_add_default(chosen, own), *others)


def _is_known(declared: Sequence[OptionMatch], kinds: frozenset[OptionKind]) -> bool:
    """Return whether something says that users set an option, and that it is of the kind that a text asks for."""
    is_asked = len(kinds) > 1 or any(each.kind in kinds for each in declared)
    return is_asked and any(each.document or _is_for_users(each) for each in declared)


def _is_for_users(match: OptionMatch) -> bool:
    """Return whether a line is no mere name or constant: it declares a flag or variable, sets one, or has a default."""
    is_variable = (bool(match.default) and not match.name.isupper()) or _SETTER.match(match.name) is not None
    return is_variable or match.kind not in PLAIN or SETTINGS_FILE.search(match.file) is not None


def _may_be_several(declared: Sequence[OptionMatch]) -> bool:
    """Return whether declarations of one name are in files of their own, one in capitals and one not.

    `--output-folder` of one command and the setting `OUTPUT_FOLDER` of the program may be two options.
    """
    files: dict[bool, set[str]] = {True: set(), False: set()}
    for each in declared:
        files[each.name.isupper()].add(each.file)
    return all(files.values()) and files[True].isdisjoint(files[False])


def _add_default(match: OptionMatch, declared: Sequence[OptionMatch]) -> OptionMatch:
    """Return a declaration with the default that it, or else another one of the option, gives.

    A name of one word, such as `port`, may be an option of another program where it stands in another file.
    """
    is_general = len(split_name(match.name)) == 1
    own = (each for each in declared if not is_general or each.file == match.file)
    default = next((each.default for each in (match, *own) if each.default not in _NULLS), match.default)
    return structs.replace(match, default=default)


def _compare_again(
    code: CodeIndex,
    scored: Sequence[tuple[OptionCandidate, OptionMatch]],
    asked: AskedOption,
    helped: Mapping[str, Sequence[str]],
) -> list[OptionMatch]:
    """Return matches; the best ones are compared again with more words than is worthwhile for all.

    These are what descriptions say in several words and code in one, and for options that nothing describes the lines
    where the code reads them.
    """
    matches = [match for _, match in scored]
    ranked = sorted(range(len(matches)), key=lambda at: -matches[at].score)[:_MAX_COMPARED_AGAIN]
    for at in (at for at in ranked if matches[at].score >= _MIN_SCORE_TO_COMPARE_AGAIN * matches[ranked[0]].score):
        each = scored[at][0]
        words = read_said(" ".join(helped[identify_option(each.name)]))
        described_by = each.described | cut_stems(text_stems(words))
        more = each if each.help else structs.replace(each, beside=each.beside | _read_uses(code, each))
        again = score_option(more, asked, described_by)
        if again is not None and again.score > matches[at].score:
            matches[at] = again
    return matches


def _read_uses(code: CodeIndex, option: OptionCandidate) -> frozenset[str]:
    """Return the stems of the lines around the first uses of an option's name, and of the functions that have them.

    A field of a Go struct has another name in the configuration, and is used by its own.
    """
    texts: list[str] = []
    capitalized = f"{option.name[:1].upper()}{option.name[1:]}"
    names = tuple(dict.fromkeys((option.name, capitalized)))
    files = {file for name in names for file in code.files_with_word(name)}
    # A name that occurs in many files is an ordinary word.
    for file in sorted(files) if len(files) <= _MAX_USING_FILES else ():
        if role_of(file) >= FileRole.TEST or not get_language(file):
            continue
        lines = code.read_lines(file)
        using = (
            at
            for at, line in enumerate(lines, 1)
            if any(name in line for name in names) and (file, at) != (option.file, option.line)
        )
        for at in islice(using, _MAX_USES):
            around = code.graph.enclosing(file, at)
            texts.append(around.symbol.qualname if around else "")
            texts += lines[max(0, at - 1 - _LINES_AROUND) : at + _LINES_AROUND]
    return read_stems(" ".join(texts))


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


def _pool_help(candidates: Sequence[OptionCandidate]) -> dict[str, tuple[str, ...]]:
    """Return option → the first texts that describe it."""
    texts: dict[str, dict[str, None]] = {}
    for each in candidates:
        texts.setdefault(identify_option(each.name), {})[each.help] = None
    return {name: tuple(islice(helps, _MAX_HELPS)) for name, helps in texts.items()}
