"""Find the lines of code that may declare an option, and the words around them.

Options are declared in many ways, most of them plain data: a call that reads the environment, a flag in a string, a
field with a tag, an entry of a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from types import MappingProxyType

from msgspec import Struct, structs

from avionics.index.options.documentation import DocumentedOption, fold_option, is_document
from avionics.index.options.tables import read_rows
from avionics.index.search.query import stems_of


class OptionKind(str, Enum):
    """Where the value of an option comes from."""

    ENVIRONMENT = "environment variable"
    PROPERTY = "system property"
    FLAG = "flag"
    SETTING = "setting"


_GUESS = re.compile(r"(?<!value_name\()[\"'`](?!ERR_)(_*[A-Z][A-Z0-9]*_[A-Z0-9_]+)[\"'`]")
"""The pattern for the name of an environment variable in a line that may be about anything."""
_PATTERNS = (
    (
        OptionKind.ENVIRONMENT,
        "",
        re.compile(
            r"(?:[eE]nv|ENV)(?:(?![eE]nv|ENV)\w)*+(?:::\w+|\.\w+)?\s*[(\[][^)\]\n]{0,40}?[\"'`](_*[A-Za-z]\w{2,})[\"'`]"
        ),
    ),
    (
        OptionKind.ENVIRONMENT,
        "env",
        re.compile(r"\benv\.(_*[A-Z][A-Z0-9_]{2,})\b|\benv(?:var)?\s*[=:]\s*[\"']([A-Z][A-Z0-9_]+)[\"']"),
    ),
    (OptionKind.ENVIRONMENT, "", re.compile(r"\b([A-Z][A-Z0-9_]{3,})\b[^=\"'\n]{0,20}=\s*[\"']\1[\"']")),
    (OptionKind.ENVIRONMENT, "", _GUESS),
    (
        OptionKind.PROPERTY,
        "get",
        re.compile(
            r"(?:[gG]etProperty|\b(?:Boolean\.getBoolean|Integer\.getInteger|Long\.getLong))"
            r"\(\s*(?:[\w.]+\.)?[\"']?([\w.-]+)"
        ),
    ),
    (
        OptionKind.PROPERTY,
        "",
        re.compile(
            r"\b(?:static\s+final|final\s+static|const(?:\s+val)?)\b[^=\"'\n]{1,100}=\s*\"([a-z][\w-]*(?:\.[\w-]+)+)\""
        ),
    ),
    (OptionKind.FLAG, "", re.compile(r"[\"'`](?:-\w,?\s+)?(--[A-Za-z][\w-]+)")),
    (OptionKind.FLAG, "", re.compile(r"[fF]lag\w*\{\s*Name:\s*\"([\w.-]+)\"|(?<!\w)flag:\s*[\"']([a-z][\w-]+)[\"']")),
    (OptionKind.FLAG, "", re.compile(r"[\s(,]long\s*=\s*\"([a-z][\w-]+)\"")),
    (
        OptionKind.FLAG,
        "",
        re.compile(
            r"(?:\.(?:long|switch|named)|[Ff]lags?(?:[sS]et)?(?:\(\))?(?:\.|::)\w+|\bfs\.\w+|\bArg::(?:new|with_name)|\.option)"
            r"\(\s*(?:&?[\w.&{}]+,\s*)?[\"']([\w-]{2,})[\"']|\.Flag\(\s*\"([\w.-]{2,})\""
        ),
    ),
    (
        OptionKind.SETTING,
        "",
        re.compile(r"(?<!\w)\.?(?:name|key|id|option)\s*[=:]\s*[\"'`]([a-zA-Z][\w.-]+)(?<!Error)(?<!Exception)[\"'`]"),
    ),
    (
        OptionKind.SETTING,
        "",
        re.compile(r"(?:[sS]etting|[oO]ption|[cC]onfig|[pP]ref)\w*(?:(?:\.|->)\w+)?\(\s*[\"']([a-z][\w.-]+)[\"']"),
    ),
    (OptionKind.SETTING, "", re.compile(r"(?:Key|Property|Flag|Knob)\(\s*[\"']([a-z]\w*[.-]\w[\w.-]*)[\"']")),
    (OptionKind.SETTING, "", re.compile(r"[\"'`]\s*-\s([a-z][\w.-]+)(?:=\S+)?:\s+\w+")),
    (OptionKind.SETTING, "/", re.compile(r"^\s+(?:\w[\w:]*[\s*]+){1,3}([a-z]\w+)(?:\s*=\s*[^;]{1,40})?;\s*/[/*]")),
    (OptionKind.SETTING, "", re.compile(r"(?:json|yaml|toml|mapstructure|ini|env|hcl):\"([\w.-]+)")),
    (
        OptionKind.SETTING,
        ":",
        re.compile(
            r"^\s*(?:(?:public|private|protected|static|final|readonly|pub|val|var"
            r"|let)\s+)*([a-zA-Z_]\w*)\??\s*:(?!:|//)\s*(?:[^=;{(]{1,60}(?:[=,;]|$)|$)"
        ),
    ),
    (OptionKind.SETTING, "=", re.compile(r"^\s+([a-z]\w+)=(?:\w+\.)*[A-Z]\w*\(")),
    (OptionKind.SETTING, "=", re.compile(r"^(?: {4}|\t)([a-z]\w+)(?:\s*:[^=\n]{1,60})?\s*=\s*(?:\w+\.)*[A-Z]\w*[(\[]")),
    (
        OptionKind.SETTING,
        "=",
        re.compile(
            r"^\s*(?!\w+\s*=\s*\d+\s*;)(?:(?:pub|export|static|const)\s+)*([A-Z][A-Z0-9_]{3,})\s*(?::\s*\w+\s*)?="
        ),
    ),
    (
        OptionKind.SETTING,
        "(",
        re.compile(
            r"^\s*(?:(?:public|protected|default|abstract|final|override|virtual)\s+)*(?:(?:void|T|B|S|Self|this"
            r"|\w*(?:Builder|Options|Config\w*|Settings))(?:<[^>(]{0,40}>)?\s+([a-z]\w+)"
            r"|\w[\w<>\[\].]*\s+((?:set|with)[A-Z]\w+))"
            r"\((?:final )?\w[\w.]*+(?:<[^()]{0,60}>)?(?:\[\]|\.\.\.)*+ \w+\)\s*(?:[;{]|$)"
        ),
    ),
    (OptionKind.SETTING, ";", re.compile(r"^\s*(?:\w[\w<>\[\].]*\s+){1,3}([a-z]\w+)\(\w+ \w+\)\s*;")),
    (
        OptionKind.SETTING,
        "(",
        re.compile(
            r"^\s*pub fn (?:((?:set|with)_\w+)(?:<[^>(]{0,40}>)?\(\s*&?(?:mut )?self,\s*\w+:|(\w+)\(mut self, \w+: )"
            r"|^\s*(?:async )?def (set_\w+)\(self, \w+|^func (?:\(\w+ \*?\w+\) )?((?:With|Set)[A-Z]\w*)\(\w+ "
        ),
    ),
)
"""The kind of an option, a text that a line must have for the pattern to match ("": a quotation mark), the pattern."""
_OF_SETTINGS = (
    re.compile(r"^\s+(?:\w[\w:<>]*[\s*]+){1,3}([a-z]\w+)(?:\s*=\s*[^;]{1,40})?;"),
    re.compile(r"\bget\w*\(\s*(?:[\w.]+,\s*|[\"']\w+[\"'],\s*)?[\"']([a-z]\w+)[\"']\s*[,)]"),
    re.compile(r"^\s+([A-Z]\w+)\s+\*?(?:bool|u?int\d*|float\d*|string|time\.Duration|\[\]string)\b"),
)
"""The patterns for fields and keys of a file or type whose name says that it has settings."""
_GO_FIELD = re.compile(r"^\s+([A-Z]\w+)\s+(?:func\(|chan |map\[|\*?(?:\[\w*\])?\*?[A-Za-z][\w.]*+\s*(?:[`/]|$))")
"""A field of a Go struct whose name says that it has settings."""
_CLASS_ATTRIBUTE = re.compile(
    r" {4}([a-z][a-z\d]*+_\w++)\s*+=\s*+(?:[\"'][^\"'\n]{0,60}[\"']|-?\d[\d_.]*+|True|False|None)\s*+(?:#|\Z)"
)
"""An attribute of a class with a plain value, which subclasses or users may set to another one."""
_BOUND = re.compile(r"&(?:\w+\.)+([A-Z]\w+),\s*\"")
"""A field of a Go struct that a flag sets: users know it as the flag."""
_BINDS_FLAG = re.compile(r"[fF]lags?(?:[sS]et)?(?:\(\))?\.\w+Var\w*\($")
"""A call that declares a flag and names the variable for its value before the flag."""
_HELP_TEXT = re.compile(r"(?:(?:export|const|let|var|static)\s+)*(\w+)\s*:?=\s*\(?[\"'`]([^\"'`]{12,})[\"'`]")
"""A variable with a text that may be the help of an option."""
_HELP_VARIABLE = re.compile(r"\b(?:help|description|desc|usage)\w*\s*[=:(]\s*([A-Za-z_]\w+)\b(?!\()")
_LONG = re.compile(r"[\s(,]long\s*[,)]")
_DESCRIBES_FLAG = re.compile(r"\s*flag:\s")
"""An entry of an object literal whose other entries describe the flag."""
_SETTINGS_FILE = re.compile(r"(?:setting|config|option|preference|default)[^/]*\Z", re.IGNORECASE)
_USAGE = re.compile(r"^\s+(?:-\w,? )?(--[a-z][\w-]+)(?:[=\[ ]\S+)?\s{2,}\w+ \w+")
"""A line of a usage text: `  --size=N   Maximum number of entries`."""
_DESCRIBED = re.compile(
    r"(?:^\s+(?:-\w,? )?--[a-z][\w-]+(?:[=\[ ]\S+)?\s{2,}|[\"'`]\s*-\s[a-z][\w.-]+(?:=\S+)?:\s+)(\w.{10,})"
)
"""A line that names an option and says what it does."""
_CALLED = re.compile(r"(\w+)\s*\Z")
_BRANCHES = frozenset({"if", "for", "while", "switch", "match", "return", "catch", "with", "elif"})
_MAX_ABOVE = 12
"""Lines above a variable that is read where the function is looked for."""
_MACRO = re.compile(r"\s*#\s*define\s+([A-Z][A-Z0-9_]{3,})\s+\S")

_WRITES_ENVIRONMENT = re.compile(r"\b(?:remove_var|set_var|[sS]etenv|unsetenv|delenv|pop|del|delete|unset)\b")
_GROUP = re.compile(
    r"\s*(?:(?:export|default|public|private|protected|static|final|abstract|declare|pub|const|var|let|typedef)\s+)*"
    r"(?:(?:interface|class|struct|type|enum|record|object)\s+(\w+)|(\w+)\s*(?::\s*[\w<>\[\], ]+)?=\s*[{(\[]\s*$)"
)
"""A line that begins a group of declarations, with its name."""
_OPTIONS = re.compile(r"(?:config|option|setting|(?<!set)default|preference|opts|params|props)\w*\Z", re.IGNORECASE)
_SAID_OF = re.compile(r"\s*+(?:[-*:@#/]++\s*+)(?:param\b\s*+)?(?:[*`]++)?(\w[\w-]++)[`*]*+\s*+[:(–—-]\s*+(.{10,})")
"""A line of documentation about one name: `* **name** - what it does`, `@param name what it does`."""
_STRING = re.compile(r"\"([^\"\n]*)(?:\"|$)|'([^'\n]*)'|`([^`\n]*)`", re.MULTILINE)
_MIN_HELP = 12
_BEHIND = re.compile(r"[;,}]\s*(?://+|/\*+)\s*(.{8,}?)\s*(?:\*/)?\s*$")
"""A comment behind what it describes."""
SECURE = re.compile(r"\bhttps\b", re.IGNORECASE)
"""A word whose stem would be that of its opposite."""
_NAMES = re.compile(r"\"([a-z]\w+)\"")
_CONSTANT = re.compile(r"\b([A-Z][A-Z0-9_]+)\s*=\s*\"([\w.-]+)\"")
_PASCAL_CASE = re.compile(r"[A-Z][a-z0-9]+[A-Z]")
"""How classes are named, and seldom options."""
_KEYWORDS = frozenset(
    {"case", "default", "else", "true", "false", "null", "return", "public", "private", "protected", "try", "finally"}
)
_ATTRIBUTE = re.compile(r"\s*(?:#\[|@\w|#\s*if)")
_QUOTES = frozenset("\"'`")
_NOTHING_SAID: Mapping[str, DocumentedOption] = MappingProxyType({})
_MAX_LINE = 400
"""Characters of a line that are read; patterns take the square of that."""
_BEFORE, _AFTER, _BEFORE_ATTRIBUTE = 6, 8, 16
_MIN_FOLDED, _KEPT = 7, 6
"""Longer stems are alike if they begin alike: `conversion`, `converted`."""
_ASSIGNED = re.compile(
    r"^\s*(?:(?:const|var|let|pub|public|static|final|export|String|string)\s+)*(\w+)\b[^=\"'\n]{0,20}="
)
_COMMENT = re.compile(r"^\s*(?://|/\*|\*|#(?!\[|\s*(?:if|else|elif|endif|define|undef|include|pragma))|--|<!--|;)")
_DOCSTRING = re.compile(r"\s*[rRuU]?(\"\"\"|''')(.*)")
"""How a documentation string begins; it describes what stands above it."""
_VALUE = r"([\"'][^\"'\n]{0,40}[\"']|\d[\w.]*+(?: ?[*+-] ?\d[\w.]*+){1,4}|[\w.+*-][\w.+*<-]{0,40}?)"
_FALLBACK = re.compile(
    rf"(?:\?\?\s*|unwrap_or(?:_else)?\(|,\s*default\w*\s*=\s*|\bdefault\w*\s*\(){_VALUE}\s*(?:[,;)}}]|$)"
)
_SECOND = re.compile(rf"\(\s*(?:&[\w.]+,\s*)?[\"'][\w-]+[\"'],\s*{_VALUE}\s*(?:\)|,\s*(?:[\"'`]|$))")
"""The argument behind the name, where nothing or a text follows: `getenv("NAME", "value")`."""
_ASSIGNED_VALUE = re.compile(rf"(\w+)\b[^=\"'\n(]{{0,30}}[^=!<>]=\s*{_VALUE}\s*(?:[,;)}}]|//|/\*|#|$)")
_SET_VALUE = re.compile(r"\s*(\w+)\s*:\s+([\"'][^\"'\n]{0,40}[\"']|-?\d[\w.*]*|[tT]rue|[fF]alse)\s*+,?\s*+\Z")
"""An entry of a literal that sets a field: `FetchInterval: 60,`."""
_NAMED_CALL = re.compile(r"\s*+([a-z]\w*+)\s*+=\s*+[\w.]++\(\s*+\Z")
"""An argument or variable whose value is a call over several lines: `worker=Namespace(`."""
_ARGUMENT = re.compile(r"\s*+[\"'`][\w.-]+[\"'`],\s*+\Z")
_VALUE_ARGUMENT = re.compile(r"\s*+([\"'][^\"'\n ]{0,40}[\"']|-?\d[\w.]*+|[tT]rue|[fF]alse|[A-Z][A-Z0-9_]++),\s*+\Z")
_TEXT_ARGUMENT = re.compile(r"\s*+[rRuU]?(?:\"\"\"|'''|[\"'`]\w[^\"'`\n]* )")
"""An argument alone on its line: the name of an option, a value, a text."""
_DEFAULT_NEAR = re.compile(
    r"(?:\bdefault\w*\s*[=:(]|\.Default\(|@default)\s*([\"'][^\"'\n]{0,40}[\"']|[\w.+-][\w.+-]{0,40})"
)


_SAID_DEFAULT = re.compile(
    r"\bdefaults?\b(?: (?:value|time|timeout|size|length|number))?[*_]*(?: ?[:=]| is| to| of)[*_]* ?"
    r"([`\"'][^`\"'\n]{1,40}[`\"']|-?\d[\w.]*\b|(?:true|false|none|null|nil)\b)",
    re.IGNORECASE,
)
"""A default in the text that describes an option: `Defaults to 5`, `*Default:* false`."""


class OptionCandidate(Struct, frozen=True):
    """A line that may declare an option.

    Attributes:
        name: The option as a user writes it.
        kind: Where its value comes from.
        file: The file of the line.
        line: The number of the line.
        named: The stems of its name, cut as `cut_stems` does.
        said: The stems of the words beside it, cut in the same way.
        described: The stems of what documents say of it, cut in the same way.
        help: The text that describes it, "" for none.
        default: Its default as written on the line, "" if there is none.
        document: Where a document describes it as `path:line`, "" for nowhere.
        is_guess: Whether the line may declare something else, or sets a variable for another program.
        is_among_options: Whether the type or literal around it is called a configuration, options or settings.
    """

    name: str
    kind: OptionKind
    file: str
    line: int
    named: frozenset[str]
    said: frozenset[str]
    described: frozenset[str]
    help: str
    default: str
    document: str
    is_guess: bool
    is_among_options: bool


def iter_candidates(
    file: str, text: str, documented: Mapping[str, DocumentedOption] = _NOTHING_SAID
) -> Iterator[OptionCandidate]:
    """Yield the lines of a file that may declare an option, with the words around them and their documentation."""
    lines = [line[:_MAX_LINE] for line in text.split("\n")]
    groups = _read_groups(lines)
    found = _read_declaring(file, lines, groups)
    for number in [number for number in found if _DESCRIBES_FLAG.match(lines[number])]:
        for each in _iter_entries(lines, number):
            if each != number:
                found.pop(each, None)
    ends: dict[int, int] = {}
    for number in sorted(found):
        if OptionKind.FLAG in found.get(number, ()) and lines[number].lstrip()[:1] in _QUOTES:
            # The other arguments of a call that declares a flag are about the flag.
            inside = tuple(_iter_entries(lines, number, (1,)))
            ends[number] = inside[-1] + 1 if inside else number + 1
            for each in inside:
                if found.get(each, {}).keys() == {OptionKind.SETTING}:
                    del found[each]
        elif found.get(number, {}).keys() == {OptionKind.SETTING} and _has_long_flag(lines, number):
            found[number] = {OptionKind.FLAG: f"--{found[number][OptionKind.SETTING].replace('_', '-')}"}
    rows = read_rows(lines)
    for number, row in rows.items():
        if set(found.get(number, ())) <= {OptionKind.SETTING} or row.is_environment:
            kind = OptionKind.FLAG if row.is_flag else OptionKind.SETTING
            found[number] = {OptionKind.ENVIRONMENT if row.is_environment else kind: row.name}
    constants = {
        match[1]: (match[2], number)
        for number, line in enumerate(lines, 1)
        if '"' in line and (match := _CONSTANT.search(line))
    }
    starts = sorted(found)
    helps = {match[1]: match[2] for line in lines if "=" in line and (match := _HELP_TEXT.match(line))}
    said_here = {match[1]: match[2] for line in lines if (match := _SAID_OF.match(line))}
    for at, number in enumerate(starts):
        following = number + 1 if number in rows else starts[at + 1] if at + 1 < len(starts) else len(lines)
        following = max(following, ends.get(number, 0))
        for kind, own in found[number].items():
            name = _name_within(lines, number, own, documented)
            known = documented.get(fold_option(name))
            first = number - _BEFORE_ATTRIBUTE if lines[number - 1].rstrip().endswith(")]") else number
            above = lines[max(starts[at - 1] + 1 if at else 0, first) : number]
            below = lines[number : min(following, number + _AFTER)]
            told = said_here.get(name) or _get_help_text([*above, *below], helps)
            said = known or (DocumentedOption(name, told, "", 0) if told else None)
            is_among_options = number in rows or _OPTIONS.search(groups.get(number, "")) is not None
            built = _build_candidate(
                file, lines, number, following, kind, name, said, is_among_options=is_among_options
            )
            value = constants.get(name) if kind is OptionKind.PROPERTY else None
            yield structs.replace(built, name=value[0], line=value[1]) if value else built


def _read_declaring(file: str, lines: list[str], groups: Mapping[int, str]) -> dict[int, dict[OptionKind, str]]:
    """Return line index → kind → name, for the lines that may declare an option."""
    of_file = _OF_SETTINGS if _SETTINGS_FILE.search(file) else ()
    bound = {name for line in lines for name in _BOUND.findall(line)}
    texts = _read_long_texts(lines)
    found = {}
    for number in range(len(lines)):
        is_field = _OPTIONS.search(groups.get(number, "")) is not None
        more = (*_OF_SETTINGS, _GO_FIELD) if is_field else of_file
        is_attribute = number in groups and number not in texts
        names = _read_declared(_join(lines, number), (*more, _CLASS_ATTRIBUTE) if is_attribute else more)
        if names and bound.isdisjoint(names.values()):
            found[number] = names
    return found


def _read_long_texts(lines: Sequence[str]) -> set[int]:
    """Return the line indexes within documentation strings of several lines, whose examples declare nothing."""
    found: set[int] = set()
    quote = ""
    for number, line in enumerate(lines):
        if quote:
            found.add(number)
            quote = "" if quote in line else quote
        elif opened := _DOCSTRING.match(line):
            quote = "" if opened[1] in opened[2] else opened[1]
    return found


def _read_groups(lines: Sequence[str]) -> dict[int, str]:
    """Return line index → name of the innermost type or literal whose indented lines have the line."""
    groups: dict[int, str] = {}
    for number, line in enumerate(lines):
        if match := _GROUP.match(line):
            indent, at = _get_indent(line), number + 1
            while at < len(lines) and not _ends_group(lines[at], indent):
                groups[at] = match[1] or match[2]
                at += 1
    return groups


def _ends_group(line: str, indent: int) -> bool:
    """Return whether a line ends a group that is indented so far; a brace or label may stand at its edge."""
    text = line.strip()
    return bool(text) and _get_indent(line) <= indent and not (text.startswith(("{", "#", "//")) or text.endswith(":"))


def _has_long_flag(lines: Sequence[str], number: int) -> bool:
    """Return whether the attribute above a field says that its name is that of a flag, as clap's `arg(long)` does."""
    if not number or not lines[number - 1].rstrip().endswith(")]"):
        return False
    above = range(number - 1, max(-1, number - _BEFORE_ATTRIBUTE), -1)
    start = next((at for at in above if _ATTRIBUTE.match(lines[at])), None)
    return start is not None and _LONG.search("\n".join(lines[start:number])) is not None


def _iter_entries(lines: Sequence[str], number: int, steps: Sequence[int] = (-1, 1)) -> Iterator[int]:
    """Yield the indices of the lines around one, of a call or an object literal, that are indented at least like it."""
    indent = _get_indent(lines[number])
    for step in steps:
        at = number + step
        while 0 <= at < len(lines) and lines[at].strip() and _get_indent(lines[at]) >= indent:
            yield at
            at += step


def _get_indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _get_help_text(lines: Sequence[str], helps: Mapping[str, str]) -> str:
    """Return the help text that a declaration names by the variable that holds it, "" for none."""
    named = (match[1] for line in lines for match in _HELP_VARIABLE.finditer(line))
    return next((helps[each] for each in named if each in helps), "")


def get_mention(file: str, text: str, option: DocumentedOption, name: str) -> OptionCandidate | None:
    """Return the first line of a file that may declare or read a documented option under a name; else None."""
    mention = re.compile(rf"[\"'`.\s]{re.escape(name)}(?:[\"'`]|\??\s*[:=;])")
    lines = [line[:_MAX_LINE] for line in text.split("\n")]
    number = next((at for at, line in enumerate(lines) if mention.search(line) and not _COMMENT.match(line)), None)
    if number is None:
        return None
    kind = OptionKind.SETTING
    return _build_candidate(file, lines, number, number + 1, kind, option.name, option, is_among_options=True)


def _join(lines: list[str], number: int) -> str:
    """Return a line; if it starts with the first argument of a call, joined to the line before it."""
    start = _get_start(lines, number)
    return "".join((lines[start], *(line.lstrip() for line in lines[start + 1 : number + 1])))


def _name_within(lines: Sequence[str], number: int, name: str, documented: Mapping[str, DocumentedOption]) -> str:
    """Return a name with that of the call around its line, if documents know the option by both: `worker_pool`."""
    if not documented or not lines[number].lstrip().startswith(f"{name}="):
        return name
    indent = _get_indent(lines[number])
    outer = next((each for each in reversed(lines[:number]) if each.strip() and _get_indent(each) < indent), "")
    opened = _NAMED_CALL.match(outer)
    joined = f"{opened[1]}_{name}" if opened else name
    return joined if fold_option(joined) in documented else name


def _get_start(lines: list[str], number: int) -> int:
    """Return the index of the line that opens the call whose first argument starts the line; else the line's own."""
    text, above = lines[number].lstrip(), lines[number - 1] if number else ""
    if text[:1] in _QUOTES and above.endswith(",") and number > 1 and _BINDS_FLAG.search(lines[number - 2]):
        return number - 2
    is_first = (text[:1] in _QUOTES and above.endswith("(")) or (text.startswith("Name:") and above.endswith("{"))
    return number - 1 if is_first else number


def _read_declared(line: str, more: Sequence[re.Pattern[str]] = ()) -> dict[OptionKind, str]:
    """Return the names of options that a line may declare; a setting only if there is no more specific kind."""
    if len(line) > _MAX_LINE or not line or line.isspace():
        return {}
    if "--" in line and (described := _USAGE.match(line)):
        return {OptionKind.FLAG: described[1]}
    if "#" in line and (defined := _MACRO.match(line)):
        return {OptionKind.SETTING: defined[1]}
    found: dict[OptionKind, str] = {}
    is_quoted = not _QUOTES.isdisjoint(line)
    if _COMMENT.match(line) or (is_quoted and _DOCSTRING.match(line)):
        return found
    for kind, need, pattern in _PATTERNS:
        if not (need in line if need else is_quoted) or kind in found or (found and kind is OptionKind.SETTING):
            continue
        if match := pattern.search(line):
            name = next(filter(None, match.groups()))
            if name not in _KEYWORDS:
                found[kind] = name
    field = None if found else next(filter(None, (pattern.search(line) for pattern in more)), None)
    return {OptionKind.SETTING: field[1]} if field and field[1] not in _KEYWORDS else found


def _build_candidate(
    file: str,
    lines: list[str],
    number: int,
    following: int,
    kind: OptionKind,
    name: str,
    known: DocumentedOption | None,
    *,
    is_among_options: bool,
) -> OptionCandidate:
    """Return a declared name with the words around it, up to the next declaration."""
    above = _comment_above(lines, _get_start(lines, number))
    chained = _read_chain(lines, number)
    below = chained or lines[number : min(number + _AFTER, max(number + 1, following))]
    if following - number > 1 and kind is not OptionKind.FLAG:
        while len(below) > 1 and _COMMENT.match(below[-1]):
            below.pop()
    documented = known.said if known else ""
    document = f"{known.file}:{known.line}" if known and is_document(known.file) else ""
    around = _get_function(lines, number) if kind is OptionKind.ENVIRONMENT else ""
    beside = "\n".join((*above, *below, around, "" if document else documented))
    assigned = _ASSIGNED.match(lines[number]) if kind is OptionKind.ENVIRONMENT else None
    other_names = _NAMES.findall(lines[number]) if kind is OptionKind.ENVIRONMENT and is_among_options else ()
    parts = (*re.split(r"[.\-]", name), *(assigned.groups() if assigned else ()), *other_names)
    named = cut_stems(each for part in parts for each in stems_of(part))
    beside_name = _DESCRIBED.search(lines[number])
    told = known.said if known and not known.file else ""
    said_of_it = told or (beside_name[1] if beside_name else _help(above, below, documented))
    line = lines[number]
    is_guess = kind is OptionKind.ENVIRONMENT and (
        (not is_among_options and _get_pattern(line, kind) is _GUESS) or _WRITES_ENVIRONMENT.search(line) is not None
    )
    is_class = kind is OptionKind.SETTING and not is_among_options and _PASCAL_CASE.match(name) is not None
    is_guess = is_guess or is_class
    return OptionCandidate(
        name, kind, file, number + 1, named, _read_stems(beside), _read_stems(documented if document else ""),
        said_of_it, _default(below, name) or _read_said_default(said_of_it), document, is_guess, is_among_options,
    )  # fmt: skip


def _read_chain(lines: list[str], number: int) -> list[str]:
    """Return a line with the other calls of its chain, () if it is no call in a chain.

    What a builder says of an option stands in calls before and after the one with the name: `.help("…")`.
    """
    indent = _get_indent(lines[number])
    if not lines[number].startswith(".", indent):
        return []
    first = last = number
    while first and lines[first - 1].startswith(".", indent) and _get_indent(lines[first - 1]) == indent:
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].startswith(".", indent) and _get_indent(lines[last + 1]) == indent:
        last += 1
    return [lines[number], *lines[first:number], *lines[number + 1 : last + 1]]


def _get_function(lines: list[str], number: int) -> str:
    """Return the name of the function that a line is in, "" if it begins too far above."""
    own = len(lines[number]) - len(lines[number].lstrip())
    for line in reversed(lines[max(0, number - _MAX_ABOVE) : number]):
        head, is_open, _ = line.partition("(")
        name = _CALLED.search(head) if is_open and len(line) - len(line.lstrip()) < own else None
        if name and "=" not in head and not line.rstrip().endswith(";") and name[1] not in _BRANCHES:
            return name[1]
    return ""


def _read_stems(text: str) -> frozenset[str]:
    words = re.findall(r"[^\W\d]\w*", SECURE.sub("tls", text))
    return cut_stems(each for word in words for each in (*stems_of(word.lower()), *stems_of(word)))


def _get_pattern(line: str, kind: OptionKind) -> re.Pattern[str] | None:
    """Return the first pattern of a kind that a line has."""
    return next((pattern for each, _, pattern in _PATTERNS if each is kind and pattern.search(line)), None)


def _comment_above(lines: list[str], number: int) -> list[str]:
    """Return the comment lines directly above a line, or above the attribute or condition that it is part of."""
    start = number
    for at in range(number - 1, max(-1, number - _BEFORE - 1), -1):
        if not lines[at].strip() or _COMMENT.match(lines[at]):
            break
        if _ATTRIBUTE.match(lines[at]):
            start = at
            break
    end = start
    most = _BEFORE if start == number else _BEFORE_ATTRIBUTE
    while start > 0 and end - start < most and _COMMENT.match(lines[start - 1]):
        start -= 1
    return lines[start:end]


def _help(above: list[str], below: list[str], documented: str) -> str:
    """Return the text that describes an option: a comment above or behind it, its longest string, or a document."""
    said = " ".join(re.sub(r"^\s*(?:///?|/\*+|\*+/?|#+)\s?|\*/\s*$", "", line).strip() for line in above).strip()
    behind = None if said else _BEHIND.search(below[0])
    if said or behind:
        return said or (behind[1] if behind else "")
    if text := _read_docstring(_skip_arguments(below) or below[1:]):
        return text
    for text in (below[0], "" if documented else "\n".join(below)):
        strings = ("".join(each).strip() for each in _STRING.findall(text))
        longest = max((each for each in strings if len(each) >= _MIN_HELP and " " in each), key=len, default="")
        if longest:
            return longest
    return documented


def _skip_arguments(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines from the first text on, behind a line that is the first argument of a call; () for none."""
    if not _ARGUMENT.match(lines[0]):
        return ()
    return lines[next((at for at, line in enumerate(lines) if at and _TEXT_ARGUMENT.match(line)), len(lines)) :]


def _read_docstring(lines: Sequence[str]) -> str:
    """Return the text of the docstring at the start of some lines; "" if there is none."""
    opened = _DOCSTRING.match(lines[0]) if lines else None
    if not opened:
        return ""
    said = [opened[2], *lines[1:]] if opened[1] not in opened[2] else [opened[2]]
    text = "\n".join(said).partition(opened[1])[0]
    return " ".join(text.split())


def _default(below: list[str], name: str) -> str:
    """Return the default value as the declaration has it, "" if it is not seen.

    What an attribute assigns to another of its keys is no default: `short = 'p'`.
    """
    near = _DEFAULT_NEAR.search("\n".join(below)) or _FALLBACK.search(below[0]) or _SECOND.search(below[0])
    if near:
        value = near[1].strip()
        # What an option of another object is passed on from is no default: `setdefault("limit", self.limit)`.
        return "" if fold_option(re.split(r"\.|->", value)[-1]) == fold_option(name) else value
    if _ARGUMENT.match(below[0]):
        before = below[1 : len(below) - len(_skip_arguments(below))]
        return next((match[1] for line in before if (match := _VALUE_ARGUMENT.match(line))), "")
    assigned = _ASSIGNED_VALUE.search(below[0]) or _SET_VALUE.match(below[0])
    named = re.findall(r"\w+", assigned[0].partition("=")[0]) if assigned else ()
    is_own = any(fold_option(name).endswith(fold_option(each)[-_KEPT:]) for each in named)
    return assigned[2].strip() if assigned and is_own else ""


def _read_said_default(text: str) -> str:
    """Return the default value mentioned in a description; "" if there is none."""
    said = _SAID_DEFAULT.search(text)
    return said[1].strip("`") if said else ""


def cut_stems(stemmed: Iterable[str]) -> frozenset[str]:
    """Return stems with a mark in place of the endings of long ones, which differ between words of one family."""
    return frozenset(f"{each[:_KEPT]}…" if len(each) >= _MIN_FOLDED else each for each in stemmed)
