"""Find the option, setting or environment variable that a text describes.

Options are declared in many ways, most of them plain data: a call that reads the environment, a flag in a string, a
field with a tag, an entry of a table. So every line that may declare one is compared with the text, by its name and by
the words of its help beside it.
"""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import pairwise
from types import MappingProxyType

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.search.query import is_stop_word, spellings_of, stem, stems_of, text_stems
from avionics.syntax.registry import get_language


class OptionKind(str, Enum):
    """Where the value of an option comes from."""

    ENVIRONMENT = "environment variable"
    PROPERTY = "system property"
    FLAG = "flag"
    SETTING = "setting"


_GUESS = re.compile(r"[\"'`](?!ERR_)([A-Z][A-Z0-9]*_[A-Z0-9_]+)[\"'`]")
"""The pattern for the name of an environment variable in a line that may be about anything."""
_PATTERNS = (
    (
        OptionKind.ENVIRONMENT,
        re.compile(
            r"(?:[eE]nv|ENV)(?:(?![eE]nv|ENV)\w)*+(?:::\w+|\.\w+)?\s*[(\[][^)\]\n]{0,40}?[\"'`]([A-Za-z]\w{2,})[\"'`]"
        ),
    ),
    (
        OptionKind.ENVIRONMENT,
        re.compile(r"\benv\.([A-Z][A-Z0-9_]{2,})\b|\benv(?:var)?\s*[=:]\s*[\"']([A-Z][A-Z0-9_]+)[\"']"),
    ),
    (OptionKind.ENVIRONMENT, re.compile(r"\b([A-Z][A-Z0-9_]{3,})\b[^=\"'\n]{0,20}=\s*[\"']\1[\"']")),
    (OptionKind.ENVIRONMENT, _GUESS),
    (
        OptionKind.PROPERTY,
        re.compile(
            r"(?:[gG]etProperty|\b(?:Boolean\.getBoolean|Integer\.getInteger|Long\.getLong))"
            r"\(\s*(?:[\w.]+\.)?[\"']?([\w.-]+)"
        ),
    ),
    (OptionKind.FLAG, re.compile(r"[\"'`](--[A-Za-z][\w-]+)")),
    (
        OptionKind.FLAG,
        re.compile(
            r"(?:\.long|[Ff]lags?(?:[sS]et)?(?:\(\))?\.\w+|\bArg::(?:new|with_name)|\.option)"
            r"\(\s*(?:&[\w.]+,\s*)?[\"']([\w-]{2,})[\"']"
        ),
    ),
    (
        OptionKind.SETTING,
        re.compile(r"(?<!\w)\.?(?:name|key|id|option)\s*[=:]\s*[\"'`]([a-zA-Z][\w.-]+)(?<!Error)(?<!Exception)[\"'`]"),
    ),
    (
        OptionKind.SETTING,
        re.compile(r"(?:[sS]etting|[oO]ption|[cC]onfig|[pP]ref)\w*(?:(?:\.|->)\w+)?\(\s*[\"']([a-z][\w.-]+)[\"']"),
    ),
    (OptionKind.SETTING, re.compile(r"[\"'`]\s*-\s([a-z][\w.-]+)(?:=\S+)?:\s+\w+")),
    (OptionKind.SETTING, re.compile(r"^\s+(?:\w[\w:]*[\s*]+){1,3}([a-z]\w+)(?:\s*=\s*[^;]{1,40})?;\s*/[/*]")),
    (OptionKind.SETTING, re.compile(r"(?:json|yaml|toml|mapstructure|ini|env|hcl):\"([\w.-]+)")),
    (
        OptionKind.SETTING,
        re.compile(
            r"^\s*(?:(?:public|private|protected|static|final|readonly|pub|val|var"
            r"|let)\s+)*([a-zA-Z_]\w*)\??\s*:\s*[^=;{(]{1,60}(?:[=,;]|$)"
        ),
    ),
    (OptionKind.SETTING, re.compile(r"^\s+([a-z]\w+)=(?:\w+\.)*[A-Z]\w*\(")),
    (OptionKind.SETTING, re.compile(r"^\s*([A-Z][A-Z0-9_]{3,})\s*(?::\s*\w+\s*)?=")),
    (OptionKind.SETTING, re.compile(r"^\s*(?:\w[\w<>\[\].]*\s+){1,3}([a-z]\w+)\(\w+ \w+\)\s*(?:[;{]|$)")),
)
_OF_SETTINGS = (
    re.compile(r"^\s+(?:\w[\w:<>]*[\s*]+){1,3}([a-z]\w+)(?:\s*=\s*[^;]{1,40})?;"),
    re.compile(r"^\s+([A-Z]\w+)\s+\*?(?:bool|u?int\d*|float\d*|string|time\.Duration|\[\]string)\b"),
)
"""The patterns for fields of a file whose name says that it has settings."""
_SETTINGS_FILE = re.compile(r"(?:setting|config|option|preference|default)[^/]*\Z", re.IGNORECASE)
_USAGE = re.compile(r"^\s+(?:-\w,? )?(--[a-z][\w-]+)(?:[=\[ ]\S+)?\s{2,}\w+ \w+")
"""A line of a usage text: `  --size=N   Maximum number of entries`."""
_DESCRIBED = re.compile(
    r"(?:^\s+(?:-\w,? )?--[a-z][\w-]+(?:[=\[ ]\S+)?\s{2,}|[\"'`]\s*-\s[a-z][\w.-]+(?:=\S+)?:\s+)(\w.{10,})"
)
"""A line that names an option and says what it does."""
_MACRO = re.compile(r"\s*#\s*define\s+([A-Z][A-Z0-9_]{3,})\s+\S")
_READS_ENVIRONMENT = ("environ", "getenv", "Getenv", "LookupEnv", "GetEnvironmentVariable", "env", "env_var", "var_os")
_ONLY = (
    (re.compile(r"\benv(?:ironment)?\b", re.IGNORECASE), {OptionKind.ENVIRONMENT}),
    (re.compile(r"\bsystem propert|\bpropert(?:y|ies)\b", re.IGNORECASE), {OptionKind.PROPERTY, OptionKind.SETTING}),
    (
        re.compile(r"\bflags?\b|\bcommand[- ]line\b|\bcli\b|\bswitch(?:es)?\b(?! off| on)", re.IGNORECASE),
        {OptionKind.FLAG},
    ),
    (re.compile(r"\bvariables?\b", re.IGNORECASE), {OptionKind.ENVIRONMENT, OptionKind.SETTING}),
)
"""Words of a question that say which kind is meant."""
_SAID = frozenset(
    [
        "option",
        "setting",
        "flag",
        "switch",
        "variabl",
        "env",
        "environment",
        "config",
        "configuration",
        "configur",
        "kei",
        "knob",
        "preferenc",
        "properti",
        "paramet",
        "param",
        "toggl",
        "control",
        "set",
        "determin",
        "govern",
        "decid",
        "choos",
        "select",
        "giv",
        "chang",
        "adjust",
        "defin",
        "specifi",
        "influenc",
        "affect",
        "tell",
        "call",
        "nam",
        "valu",
        "default",
        "argument",
        "command",
        "line",
        "cli",
        "system",
        "tun",
        "let",
        "point",
        "thing",
        "name",
        "var",
        "program",
        "code",
        "file",
        "whether",
        "turn",
        "enabl",
        "say",
        "overrid",
        "instead",
        "pls",
        "plz",
        "pleas",
        "thank",
    ]
)
"""Stems of the words with which people ask for an option."""
_NAMING = frozenset(
    {"default", "command", "file", "system", "program", "cli", "line", "name", "config", "configuration"}
)
"""Those of them that names of options have too."""
_ALIKE = tuple(
    frozenset(map(stem, words.split()))
    for words in (
        "limit max maximum cap most many large longest size length",
        "disable no off without skip suppress never",
        "timeout wait deadline long duration grace block",
        "dir directory folder path",
        "min minimum least",
        "colour color",
        "shutdown shut stop",
        "tls ssl",
        "ca cert certificate",
        "thread worker job parallel concurrent simultaneous",
        "number num count",
        "keep kept",
        "deep depth nest nested",
        "wide width column columns",
        "high tall height row rows",
        "password pass passphrase",
        "retry attempt",
        "interval period frequent often every",
        "quiet silent",
        "hide hidden exclude ignore",
        "delete remove purge clean",
        "expire expiry lifetime ttl age",
        "verbose debug",
    )
)
"""Words that name options of the same kind."""
_AT_ONCE = re.compile(r"\b(?:at (?:once|(?:the|one|a) (?:same )?time)|side by side|in parallel)\b", re.IGNORECASE)
_HOW_MANY = re.compile(
    r"\bhow (?:many|much|large|big)\b(?! (?:days|hours|minutes|seconds|weeks|months)\b)", re.IGNORECASE
)
_OFF = re.compile(r"\b(?:turn|switch|shut)\w* (?:it )?off\b|\bdeactivat\w+|\bforbid\w*|\bprevent\w*", re.IGNORECASE)
_MIN_FOLDED, _KEPT = 7, 6
"""Longer stems are alike if they begin alike: `conversion`, `converted`."""
_DOCUMENTED = re.compile(r"\s*+(?:[-*:@#/]++\s*+)(?:param\b\s*+)?(?:[*`]++)?(\w[\w-]++)[`*]*+\s*+[:(–—-]\s*+(.{10,})")
"""A line of documentation about one name: `* **name** - what it does`, `@param name what it does`."""
_ALONE = re.compile(
    r"\s*(?:[-*=]+ )?[`*\"]{0,2}(--[a-z][\w-]+|[A-Z][A-Z0-9]*_[A-Z0-9_]+|[a-z]+_[a-z_]+)(?:[= ]\S+)?[`*\"]{0,2}:?:?\s*"
)
"""A line of documentation with only the name of an option, and perhaps what its value is."""
_NOTHING_SAID: Mapping[str, tuple[str, str]] = MappingProxyType({})
_MAX_FILES, _MAX_ALONE, _MAX_SAID = 250, 90, 8
_MAX_LINE = 400
_LIMITS = _ALIKE[0]
_LIMIT_FACTOR, _UNKNOWN_FACTOR = 1.5, 0.4
"""The weight of words such as `limit`, which say what kind of option is meant, relative to other words."""
_BEFORE, _AFTER = 6, 8
_NAME_WEIGHT, _HELP_WEIGHT = 1.6, 1.0
_OTHER_KIND, _GUESSED = 0.45, 0.9
_ALSO, _MAX_ALSO = 0.8, 2
"""Lines that fit an option nearly as well as the best one may be its declaration, too."""
_UNASKED = 0.02
"""The share of its score that a name loses for each word that was not asked for."""
_MIN_SHARE, _MIN_SHARE_BESIDE = 0.5, 0.75
"""The least share of the words for a name that has some of them, and for one that has none."""
_ASSIGNED = re.compile(
    r"^\s*(?:(?:const|var|let|pub|public|static|final|export|String|string)\s+)*(\w+)\b[^=\"'\n]{0,20}="
)
_SETTER = re.compile(r"^(?:set|with)(?=[A-Z_])")
_COMMENT = re.compile(r"^\s*(?://|/\*|\*|#(?!\[)|--|\"\"\"|<!--|;)")
_DEFAULT = re.compile(
    r"(?:\bdefault\w*\s*[:=(]\s*|=\s*|\?\?\s*|unwrap_or(?:_else)?\(|,\s*default\w*\s*=\s*)([\"'][^\"'\n]{0,40}[\"']"
    r"|[\w.+*-][\w.+* -]{0,40}?)"
    r"\s*(?:[,;)}\n]|$)"
)
_DEFAULT_NEAR = re.compile(r"\bdefault\w*\s*(?:=|:|\()\s*([\"'][^\"'\n]{0,40}[\"']|[\w.+-][\w.+-]{0,40})")


class OptionMatch(Struct, frozen=True):
    """A line that may declare the option meant.

    Attributes:
        name: The option as a user writes it.
        kind: Where its value comes from.
        file: The file of the declaration.
        line: The line of the declaration.
        help: The text that describes it, "" for none.
        default: Its default as the declaration has it, "" if that is not seen.
        share: The share of the text's words that it has.
        score: How well it fits.
        is_named: Whether its name has a word of the text.
    """

    name: str
    kind: OptionKind
    file: str
    line: int
    help: str
    default: str
    share: float
    score: float
    is_named: bool = False

    @property
    def is_likely(self) -> bool:
        """Return whether it has enough of the text's words, in its name or nearly all beside it."""
        return self.share >= (_MIN_SHARE if self.is_named else _MIN_SHARE_BESIDE)


class _Candidate(Struct, frozen=True):
    name: str
    kind: OptionKind
    file: str
    line: int
    named: frozenset[str]
    said: frozenset[str]
    help: str
    default: str
    is_guess: bool


def find_options(
    code: CodeIndex, text: str, read_text: Callable[[str], str], scope: str | None = None, limit: int = 4
) -> tuple[OptionMatch, ...]:
    """Return the options that a text may mean, the most likely first, also where it is declared again; () for none.

    Args:
        code: The index.
        text: The question.
        read_text: Returns the text of a file.
        scope: A directory or file to stay within.
        limit: The maximum number.
    """
    wanted = _read_wanted(text)
    if not wanted:
        return ()
    texts = {file: read_text(file) for file in _choose_files(code, wanted, scope)}
    documented = _read_documentation(texts.values())
    for file in _list_declaring(code, documented, wanted):
        texts.setdefault(file, read_text(file))
    candidates = [each for file, text in texts.items() for each in _iter_candidates(file, text, documented)]
    kinds = next((kinds for pattern, kinds in _ONLY if pattern.search(text)), set(OptionKind))
    if kinds == {OptionKind.ENVIRONMENT}:
        candidates = [each for each in candidates if each.kind in kinds]
    weights = _weigh(wanted, candidates)
    found = [match for each in candidates if (match := _score(each, wanted, weights, kinds))]
    best: dict[tuple[str, str], list[OptionMatch]] = {}
    for match in sorted(found, key=lambda each: (-each.score, role_of(each.file), each.file, each.line)):
        best.setdefault((fold_option(match.name), match.kind), []).append(match)
    ranked = [each[0] for each in best.values()][:limit]
    likely = tuple(each for each in ranked if each.is_likely and each.score >= 0.6 * ranked[0].score)
    if not likely:
        return ()
    again = [
        each for each in best[fold_option(likely[0].name), likely[0].kind][1:] if each.score >= _ALSO * likely[0].score
    ]
    return (likely[0], *again[:_MAX_ALSO], *likely[1:])


def find_environment_variables(
    code: CodeIndex, text: str, read_text: Callable[[str], str], scope: str | None = None
) -> tuple[OptionMatch, ...]:
    """Return the environment variables that product code reads, if a text asks for one; those with its words first."""
    if not _ONLY[0][0].search(text):
        return ()
    wanted = _read_wanted(text)
    files = sorted({file for word in _READS_ENVIRONMENT for file in code.files_with_word(word)})
    chosen = [file for file in files if role_of(file) is FileRole.PRODUCT and (not scope or file.startswith(scope))]
    found: dict[str, OptionMatch] = {}
    for file in chosen[:_MAX_FILES]:
        for each in _iter_candidates(file, read_text(file)):
            if each.kind is OptionKind.ENVIRONMENT and each.name.isupper():
                has = sum(bool(_meaning(one) & (each.said | each.named)) for one in wanted) / max(1, len(wanted))
                named = sum(bool(_meaning(one) & each.named) for one in wanted)
                match = OptionMatch(each.name, each.kind, file, each.line, each.help, each.default, has, has + named)
                if has > getattr(found.get(each.name), "share", -1):
                    found[each.name] = match
    return tuple(sorted(found.values(), key=lambda each: -each.score))


def _read_wanted(text: str) -> list[str]:
    """Return the stems of a question that say which option it means."""
    said = _OFF.sub("disable", _HOW_MANY.sub("limit", _AT_ONCE.sub("concurrent", text)))
    stems = dict.fromkeys(text_stems(said))
    words = [each for each in stems if not is_stop_word(each)]
    # An option may itself be called by such words: which variable sets the default command?
    return [each for each in words if each not in _SAID] or [each for each in words if each in _NAMING]


def _choose_files(code: CodeIndex, wanted: Sequence[str], scope: str | None) -> list[str]:
    """Return the product files that have most of the words."""
    counts: Counter[str] = Counter()
    for each in wanted:
        spelled = {word for alike in _group(each) for word in spellings_of(alike)}
        spelled |= {f"{each}{other}" for other in wanted if other != each}
        having = code.words.count_in_files(code.words.term_postings(spelled))
        weight = 1 / math.log(3 + len(having))
        for file in having:
            counts[file] += weight  # type: ignore[assignment]
    chosen = [
        file for file, _ in counts.most_common()
        if role_of(file) < FileRole.TEST and get_language(file) and (not scope or file.startswith(scope))
    ]  # fmt: skip
    return chosen[:_MAX_FILES]


def _group(stemmed: str) -> frozenset[str]:
    """Return the stems that mean the same."""
    return frozenset({stemmed}.union(*(group for group in _ALIKE if stemmed in group)))


@functools.lru_cache(maxsize=1_000)
def _meaning(stemmed: str) -> frozenset[str]:
    """Return the stems that mean the same, cut as those of candidates are."""
    return _cut(_group(stemmed))


def _cut(stemmed: Iterable[str]) -> frozenset[str]:
    """Return stems without the endings of long ones, which differ between words of one family."""
    return frozenset(each[:_KEPT] if len(each) >= _MIN_FOLDED else each for each in stemmed)


def _list_declaring(code: CodeIndex, documented: Mapping[str, tuple[str, str]], wanted: Sequence[str]) -> list[str]:
    """Return the product files that mention a name of which documentation says most of the words."""
    files: dict[str, None] = {}
    for name, said in documented.values():
        words = _cut(text_stems(said))
        if sum(bool(_meaning(each) & words) for each in wanted) > len(wanted) / 2:
            files |= dict.fromkeys(sorted(code.files_with_word(name)))
    return [file for file in files if role_of(file) < FileRole.TEST and get_language(file)][:_MAX_FILES]


def _read_documentation(texts: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return folded name → name and what texts say of it, where it stands alone above lines indented further."""
    found: dict[str, tuple[str, str]] = {}
    for text in texts:
        lines = text.split("\n")
        for number, line in enumerate(lines):
            alone = _ALONE.fullmatch(line) if len(line) < _MAX_ALONE else None
            if alone:
                said = " ".join(_iter_below(lines, number)).strip()
                found.setdefault(fold_option(alone[1]), (alone[1], said))
    return found


def _iter_below(lines: Sequence[str], number: int) -> Iterator[str]:
    """Yield the next lines, without their indentation, as long as they are indented further than a line."""
    depth = len(lines[number]) - len(lines[number].lstrip())
    for line in lines[number + 1 : number + 1 + _MAX_SAID]:
        if line.strip() and len(line) - len(line.lstrip()) <= depth:
            return
        yield line.strip()


def _iter_candidates(
    file: str, text: str, said_of: Mapping[str, tuple[str, str]] = _NOTHING_SAID
) -> Iterator[_Candidate]:
    """Yield the lines of a file that may declare an option, with the words beside them and what is said of it."""
    lines = text.split("\n")
    more = _OF_SETTINGS if _SETTINGS_FILE.search(file) else ()
    found = {number: names for number, line in enumerate(lines) if (names := _read_declared(line, more))}
    starts = sorted(found)
    documented = {match[1]: match[2] for line in lines if len(line) < _MAX_LINE and (match := _DOCUMENTED.match(line))}
    for at, number in enumerate(starts):
        following = starts[at + 1] if at + 1 < len(starts) else len(lines)
        for kind, name in found[number].items():
            said = documented.get(name) or said_of.get(fold_option(name), ("", ""))[1]
            yield _build_candidate(file, lines, number, following, kind, name, said)


def _read_declared(line: str, more: Sequence[re.Pattern[str]] = ()) -> dict[OptionKind, str]:
    """Return the names of options that a line may declare: a setting only where it declares nothing surer."""
    if len(line) > _MAX_LINE:
        return {}
    if described := _USAGE.match(line):
        return {OptionKind.FLAG: described[1]}
    if defined := _MACRO.match(line):
        return {OptionKind.SETTING: defined[1]}
    found: dict[OptionKind, str] = {}
    if _COMMENT.match(line):
        return found
    for kind, pattern in _PATTERNS:
        if kind not in found and not (found and kind is OptionKind.SETTING) and (match := pattern.search(line)):
            found[kind] = next(filter(None, match.groups()))
    field = None if found else next(filter(None, (pattern.search(line) for pattern in more)), None)
    return {OptionKind.SETTING: field[1]} if field else found


def _build_candidate(
    file: str, lines: list[str], number: int, following: int, kind: OptionKind, name: str, documented: str
) -> _Candidate:
    """Return a declared name with the words beside it, up to the following declaration."""
    above = _comment_above(lines, number)
    below = lines[number : min(number + _AFTER, max(number + 1, following))]
    if following - number > 1 and kind is not OptionKind.FLAG:
        while len(below) > 1 and _COMMENT.match(below[-1]):
            below.pop()
    beside = "\n".join((*above, *below, documented))
    assigned = _ASSIGNED.match(lines[number]) if kind is OptionKind.ENVIRONMENT else None
    parts = (*re.split(r"[.\-]", name), *(assigned.groups() if assigned else ()))
    named = _cut(each for part in parts for each in stems_of(part))
    words = re.findall(r"[^\W\d]\w*", beside)
    said = _cut(each for word in words for each in (*stems_of(word.lower()), *stems_of(word)))
    beside_name = _DESCRIBED.search(lines[number])
    said_of_it = beside_name[1] if beside_name else _help(above, below) or documented
    is_guess = kind is OptionKind.ENVIRONMENT and _get_pattern(lines[number], kind) is _GUESS
    return _Candidate(name, kind, file, number + 1, named, said, said_of_it, _default(below), is_guess)


def _get_pattern(line: str, kind: OptionKind) -> re.Pattern[str] | None:
    """Return the first pattern of a kind that a line has."""
    return next((pattern for each, pattern in _PATTERNS if each is kind and pattern.search(line)), None)


def _comment_above(lines: list[str], number: int) -> list[str]:
    """Return the comment lines directly above a line."""
    start = number
    while start > 0 and number - start < _BEFORE and _COMMENT.match(lines[start - 1]):
        start -= 1
    return lines[start:number]


def _help(above: list[str], below: list[str]) -> str:
    """Return the text that describes an option: the comment above, else the longest string below."""
    said = " ".join(re.sub(r"^\s*(?:///?|/\*+|\*+/?|#+)\s?|\*/\s*$", "", line).strip() for line in above).strip()
    if said:
        return said
    strings = re.findall(r"\"([^\"\n]{12,})\"?|'([^'\n]{12,})'", "\n".join(below))
    return max((first or second for first, second in strings), key=len, default="").strip()


def _default(below: list[str]) -> str:
    """Return the default value as the declaration has it, "" if it is not seen."""
    near = _DEFAULT_NEAR.search("\n".join(below))
    found = near or _DEFAULT.search(below[0])
    return found[1].strip() if found else ""


def _weigh(wanted: list[str], candidates: list[_Candidate]) -> dict[str, float]:
    """Return the weight of each wanted stem: the rarer among the candidates, the more it says."""
    counts: Counter[str] = Counter()
    for each in candidates:
        words = each.said | each.named
        counts.update(one for one in wanted if _meaning(one) & words)
    weights = {each: math.log(1 + len(candidates) / (1 + counts[each])) + 0.2 for each in wanted}
    # A word that no declaration has says nothing about which of them is meant.
    weights = {each: weight * (1.0 if counts[each] else _UNKNOWN_FACTOR) for each, weight in weights.items()}
    heaviest = max(weights.values())
    return {each: heaviest * _LIMIT_FACTOR if each in _LIMITS else weight for each, weight in weights.items()}


def _score(
    each: _Candidate, wanted: list[str], weights: dict[str, float], kinds: set[OptionKind]
) -> OptionMatch | None:
    """Return how well a candidate fits, None if it has none of the words."""
    total = sum(weights.values())
    joined = {one for pair in pairwise(wanted) if _cut(("".join(pair),)) <= each.named for one in pair}
    in_name = {one for one in wanted if one in joined or _meaning(one) & each.named}
    named = sum(weights[one] for one in in_name)
    said = sum(weights[one] for one in wanted if one not in in_name and _meaning(one) & each.said)
    if not named and not said:
        return None
    score = (_NAME_WEIGHT * named + _HELP_WEIGHT * said) / total
    score *= 1.0 if each.kind in kinds else _OTHER_KIND
    score *= 1.0 if role_of(each.file) is FileRole.PRODUCT else 0.7
    score *= _GUESSED if each.is_guess else 1.0
    score *= 1.0 - _UNASKED * len(each.named.difference(*map(_meaning, wanted)))
    score += 0.05 * bool(each.help) + 0.05 * (each.kind is not OptionKind.SETTING)
    share = (named + said) / total
    return OptionMatch(each.name, each.kind, each.file, each.line, each.help, each.default, share, score, bool(named))


def fold_option(name: str) -> str:
    """Return the name of an option without case and what separates its words."""
    return re.sub(r"[\W_]", "", name).lower()


def spell_option(name: str) -> tuple[str, ...]:
    """Return the names that code may have for an option: as written, with underscores, in camel case."""
    bare = _SETTER.sub("", name.lstrip("-"))
    words = [each for part in re.split(r"[\W_]+", bare) for each in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", part)]
    lower = [each.lower() for each in words]
    camel = "".join((lower[0], *(each.capitalize() for each in lower[1:]))) if lower else ""
    spelled = (
        name.lstrip("-"),
        "-".join(lower),
        "_".join(lower),
        camel,
        camel[:1].upper() + camel[1:],
        "_".join(lower).upper(),
    )
    return tuple(dict.fromkeys(each for each in spelled if len(each) > 2))
