"""Find the lines of code that may declare an option, and the words around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import takewhile
from types import MappingProxyType

from msgspec import Struct, structs

from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.options.blocks import DescribedOption, read_blocks, read_constants, read_texts
from avionics.index.options.declared_names import (
    CLASS_ATTRIBUTE,
    COMMENT,
    DOCSTRING,
    GO_FIELD,
    MAX_LINE,
    NUMBER_CONSTANT,
    OF_SETTINGS,
    QUOTES,
    USAGE,
    OptionKind,
    is_variable,
    may_be_anything,
    read_declared,
    read_enum_entries,
    read_named_types,
    read_sectioned,
    reads_any_variable,
)
from avionics.index.options.descriptions import (
    ARGUMENT,
    CONSTANT,
    LINES_AFTER,
    LINES_BEFORE_ATTRIBUTE,
    cut_string_end,
    cut_tags,
    get_annotated_default,
    get_default,
    get_fallback,
    get_help,
    get_indent,
    mark_comments,
    read_chain,
    read_comment_above,
    read_taken,
    skip_attributes,
    spell_constants,
)
from avionics.index.options.documentation import DocumentedOption, fold_option, is_document
from avionics.index.options.option_names import cut_stems, get_own_name, read_stems
from avionics.index.options.question_words import PLAIN
from avionics.index.options.settings_classes import SETTINGS_BASE, read_settings_classes
from avionics.index.options.tables import read_rows
from avionics.index.search.query import stems_of
from avionics.late_pattern import late_pattern
from avionics.syntax.registry import get_language

_BOUND = late_pattern(r"&(?:\w+\.)+([A-Z]\w+),\s*\"")
"""A field of a Go struct that a flag sets: users know it as the flag."""
_BINDS_FLAG = late_pattern(r"[fF]lags?(?:[sS]et)?(?:\(\))?\.\w+Var\w*\($")
"""A call that declares a flag and names the variable for its value before the flag."""
_HELP_VARIABLE = late_pattern(r"\b(?:help|description|desc|usage)\w*\s*[=:(]\s*([A-Za-z_]\w+)\b(?!\()")
_LONG = late_pattern(r"[\s(,]long\s*[,)]|\bargh\((?:option|switch)\b")
_FIELD = late_pattern(r"\s*(?:pub(?:\([\w: ]*\))? )?([a-z_]\w*):(?!:)")
"""The name of a field, which an attribute may make a flag of another name."""
_ARGUMENT_ID = late_pattern(r"[\s(,](?:id|name)\s*=\s*\"([\w-]+)\"")
SETTINGS_FILE = late_pattern(
    r"(?:setting|config|option|preference|default|properties|(?<![a-z])conf(?![a-z]))[^/]*\Z", re.IGNORECASE
)
"""The path of a file whose name says that it has settings."""
_HIDDEN = late_pattern(r"(?:^|/)\.")
"""A directory of a service that runs scripts, such as workflows."""
_DESCRIBED = late_pattern(r"[\"'`]\s*-\s[a-z][\w.-]+(?:=\S+)?:\s+(\w.{10,})")
"""A line that names an option and says what it does."""
_TEST_MODULE = late_pattern(r"(\s*)#\[cfg\(test\)\]\s*\Z")
"""The attribute of a module with tests within a product file."""
_COMPOUND = late_pattern(
    r"(?<![^\W_])((?:[aA]uto|AUTO)(?=[A-Za-z]{3})|(?:MAX|MIN|DEF)(?=[A-Z]{3})(?!IMUM|UTE|AULT|INE|ER|INI))"
)
"""A word that names join to the next one: `AUTOHIDE`, `MAXLINE`."""
_PLACE_OF = late_pattern(r"(?<![A-Za-z])([a-z]{3,8})(dir|file|path)(?![a-z])")
"""A word that is joined to the one for what is stored there: `destdir`, `logfile`."""
_SWITCH = late_pattern(
    r"store_(?:true|false)|SetTrue|\b(?:get_?)?[bB]ool(?:ean)?(?:P|Var|VarP)?\b|is_flag\s*=\s*True|\bno_argument\b"
)
"""What a declaration has whose option is only on or off."""
_CALLED = late_pattern(r"(\w+)\s*\Z")
_BRANCHES = frozenset({"if", "for", "while", "switch", "match", "return", "catch", "with", "elif"})
_MAX_ABOVE = 12  # lines above a variable that is read, where the function is looked for
_WRITES_ENVIRONMENT = late_pattern(
    r"\b(?:remove_var|set_var|[sS]etenv|unsetenv|delenv|pop|del|delete|unset)\b"
    r"|(?:\benviron|\bENV|\bprocess\.env)(?:\[[^\]\n]{1,60}\]|\.\w+)\s*+=(?![=~])"
)
_GROUP = late_pattern(
    r"\s*(?:(?:export|default|public|private|protected|static|final|abstract|declare|pub|const|var|let|typedef)\s+)*"
    r"(?:(?:interface|class|struct|type|enum|record|object)\s+(\w+)|(\w+)\s*(?::\s*[\w<>\[\], ]+)?"
    r"=\s*(?:[\w. ]+\()?[{(\[]\s*$)"
    r"|const\s*\(\s*$"
)
"""A line that begins a group of declarations, with its name."""
_OF_SETTINGS_WITHIN = late_pattern(
    r"\s+(?:[\"']?([dD]efault(?:s|Options|Config|Settings)|settings)[\"']?\s*:\s*|([A-Z]\w+)\s+struct\s*)\{\s*\Z"
)
"""A line within a literal or a group of types that begins settings: `defaults: {`, `Settings struct {`."""
_RUNS = late_pattern(
    r"\b(?:exec\w*+|spawn\w*+|Popen|system|check_\w++|ProcessBuilder|Command::new)\(|\bsubprocess\b|\.args?\((?!\s*+$|\w*+Arg)"
)
"""A call that runs another program or gives it an argument."""
_ENVIRONMENT_SCHEMA = late_pattern(
    r"\b(?:cleanEnv|customCleanEnv|createEnv|envsafe)\(|[pP]arse\(\s*process\.env\b|\bvalidationSchema:\s*[jJ]oi\b"
)
"""A call that checks the whole environment by a schema, whose keys are the variables: https://github.com/af/envalid,
https://env.t3.gg, Nest's `ConfigModule`, or a library's `parse(process.env)`."""
_SCHEMA_KEY = late_pattern(r"\s+[\"']?([A-Z][A-Z0-9_]+)[\"']?:\s*[A-Za-z][\w.]*\(")
_EXPORTS = "__all__"  # the name of a list of exports
_LISTED = late_pattern(r"\s*[\"']([A-Z][A-Z0-9_]+)[\"'],?\s*\Z")
_ASSIGNED_NAME = late_pattern(r"(?:[a-z]+ ){0,4}([A-Z][A-Z0-9_]+)\s*(?::[^=\n]*)?=(?!=)(.*)")
_HANDED, _OF_CALLER = late_pattern(r"\bdef \w+\([^()\n]*\benviron\b"), late_pattern(r"(?<!\bos\.)\benviron\b")
"""A function of WSGI is handed an environment, which is that of a request."""
_CONSTANTS = "const ("
"""The name of a group of constants, which has none of its own."""
_IS_CONSTANT = late_pattern(r"\b(?:const(?:expr)?|static final|final static|static readonly)\s|^var\s")
_OPTIONS = late_pattern(
    r"(?:config|option|setting|(?<!set)default|preference|opts|params|props)\w*\Z|properties\Z", re.IGNORECASE
)
_BOUND_TYPE = late_pattern(r"\s*@Config(?:uration)?(?:Properties|Mapping|Root|Group)\b")
"""The annotation of a class whose fields are set by the configuration."""
_SAID_OF = late_pattern(r"\s*+(?:[-*:@#/]++\s*+)(?:param\b\s*+)?(?:[*`]++)?(\w[\w-]++)[`*]*+\s*+[:(–—-]\s*+(.{10,})")
"""A line of documentation about one name: `* **name** - what it does`, `@param name what it does`."""
_MARKS = frozenset("-*:@#/")
"""What such a line begins with."""
"""A word whose stem would be that of its opposite."""
_NAMES = late_pattern(r"\"([a-z]\w+)\"")
_JOINED_KEY = late_pattern(
    r"\b(?:static\s+final|final\s+static|const(?:\s+val)?)\b[^=\"'\n]{1,100}=\s*([A-Za-z_]\w*)\s*\+\s*\"([._]?[a-z][\w.-]*)\"\s*;?\s*\Z"
)
"""A constant with a key that begins as another constant does: `PORT = BASE + ".port"`."""
_BIT = late_pattern(r"\(?(?:0[xX][\da-fA-F]+|1[uUlL]*+ ?<< ?\d+)[uUlL]*+\)?")
"""The value of one bit of a state, which is not an option: `0x020`, `1 << 3`."""
_NO_NAME = late_pattern(r"(?i:true|false|none|null|nil|undefined)|[\w.-]+\.(?:conf|cfg|ini|toml|ya?ml|json|md|txt)")
"""A value or the name of a file, which no option is called."""
_PASCAL_CASE = late_pattern(r"[A-Z][a-z0-9]+[A-Z]")  # how classes are named, and seldom options
_NOTHING_SAID: Mapping[str, DocumentedOption] = MappingProxyType({})
_ASSIGNED = late_pattern(
    r"^\s*(?:(?:const|var|let|pub|public|static|final|export|String|string)\s+)*(\w+)\b[^=\"'\n]{0,20}="
)
_NAMED_CALL = late_pattern(r"\s*+([a-z]\w*+)\s*+=\s*+[\w.]++\(\s*+\Z")
"""An argument or variable whose value is a call over several lines: `worker=Namespace(`."""
_PASSED_ON = late_pattern(r"[:=]\s*(?:\w{1,60}\.){1,4}(\w{1,60})[,;]?\s*\Z")
"""The end of a line whose value is a field of another object."""


class OptionCandidate(Struct, frozen=True):
    """A line that may declare an option.

    Attributes:
        name: The option as a user writes it.
        kind: Where its value comes from.
        named: The stems of its name, cut as `cut_stems` does.
        beside: The stems of the words beside it, cut in the same way.
        described: The stems of what documents say of it, cut in the same way.
        help: The text that describes it, "" for none.
        default: Its default as written on the line, "" if there is none.
        document: Where a document describes it as `path:line`, "" for nowhere.
        is_guess: Whether the line may declare something else, or nothing.
        is_among_options: Whether the type or literal around it is called a configuration, options or settings.
        has_comment: Whether a comment stands above it.
        label: What it is called if not its kind, of which only the spelling of its name tells.
        is_given: Whether the line gives a flag to another program, or sets a variable for one.
    """

    name: str
    kind: OptionKind
    file: str
    line: int
    named: frozenset[str]
    beside: frozenset[str]
    described: frozenset[str]
    help: str
    default: str
    document: str
    is_guess: bool
    is_among_options: bool
    has_comment: bool
    is_switch: bool = False
    label: OptionKind | None = None
    is_given: bool = False


def iter_candidates(
    file: str, text: str, documented: Mapping[str, DocumentedOption] = _NOTHING_SAID
) -> Iterator[OptionCandidate]:
    """Yield the lines of a file that may declare an option, with the words around them and their documentation."""
    lines = spell_constants(mark_comments([line[:MAX_LINE] for line in text.split("\n")]))
    groups = _read_groups(lines)
    found = _read_declaring(file, lines, groups)
    helps = read_texts(lines)
    whole = _place_described(file, lines, groups, helps, found)
    ends = _place_flags(lines, found)
    rows = {at: row for at, row in read_rows(lines).items() if at not in whole or at in found}
    for number, row in rows.items():
        if set(found.get(number, ())) <= {OptionKind.SETTING} or row.is_environment or row.is_setting:
            kind = OptionKind.FLAG if row.is_flag else OptionKind.SETTING
            found[number] = {OptionKind.ENVIRONMENT if row.is_environment else kind: row.name}
    constants = {
        match[1]: (match[2], number)
        for number, line in enumerate(lines, 1)
        if '"' in line and (match := CONSTANT.search(line))
    }
    starts = sorted(found)
    reads_any = SETTINGS_BASE in text or reads_any_variable(text)
    marked = (line for line in lines if line.lstrip()[:1] in _MARKS)
    said_here = {match[1]: match[2] for line in marked if (match := _SAID_OF.match(line))}
    for at, number in enumerate(starts):
        is_whole = number in rows and not ARGUMENT.match(lines[number])
        following = number + 1 if is_whole else starts[at + 1] if at + 1 < len(starts) else len(lines)
        following = max(following, ends.get(number, 0))
        for kind, own in found[number].items():
            if _NO_NAME.fullmatch(own) or ("." in own and get_language(own)):
                continue
            name = _name_within(lines, number, own, documented)
            known = documented.get(fold_option(name)) or documented.get(fold_option(get_own_name(name)))
            first = number - LINES_BEFORE_ATTRIBUTE if lines[number - 1].rstrip().endswith(")]") else number
            above = lines[max(starts[at - 1] + 1 if at else 0, first) : number]
            below = lines[number : min(following, number + LINES_AFTER)]
            help_text = said_here.get(name) or _get_help_text([*above, *below], helps)
            document = known or (DocumentedOption(name, help_text, "", 0) if help_text else None)
            # A name alone in a list of options is declared elsewhere.
            is_listed = _LISTED.match(lines[number]) is not None and _get_start(lines, number) == number
            # A type may be one setting, and called as it is.
            group = groups.get(number, "")
            is_in_options = (group == name or _OPTIONS.search(group) is not None) and not is_listed
            is_among_options = number in rows or is_in_options
            built = _build_candidate(
                file, lines, number, following, kind, name, document, is_among_options=is_among_options
            )
            if kind is OptionKind.ENVIRONMENT and not reads_any and not is_variable(_join(lines, number), group):
                built = structs.replace(built, label=OptionKind.SETTING)
            built = _describe(built, whole[number]) if number in whole else built
            if kind in PLAIN and _BIT.fullmatch(built.default):
                continue
            value = constants.get(name) if kind is OptionKind.PROPERTY else None
            yield structs.replace(built, name=value[0], line=value[1]) if value else built


def _read_declaring(file: str, lines: list[str], groups: Mapping[int, str]) -> dict[int, dict[OptionKind, str]]:
    """Return line index → kind → name, for the lines that may declare an option."""
    is_bound = any("@" in line and _BOUND_TYPE.match(line) for line in lines)
    of_file = OF_SETTINGS if is_bound or SETTINGS_FILE.search(file) else ()
    bound = {name for line in lines if "&" in line for name in _BOUND.findall(line)}
    assigned = {
        match[1] for line in lines if "=" in line and (match := _ASSIGNED_NAME.match(line)) and match[1] not in match[2]
    }
    is_handed = any("environ" in line and _HANDED.search(line) for line in lines)
    texts = _read_long_texts(lines)
    sectioned = read_enum_entries(lines) | read_sectioned(lines) | read_named_types(lines)
    has_schema = any(
        ("nv" in line or "validationSchema" in line) and _ENVIRONMENT_SCHEMA.search(line) for line in lines
    )
    are_options = {group: _OPTIONS.search(group) is not None for group in {"", *groups.values()}}
    found: dict[int, dict[OptionKind, str]] = {}
    of_classes = read_settings_classes(lines)
    tests = _read_test_modules(lines)
    constants = {match[1]: match[2] for line in lines if '"' in line and (match := CONSTANT.search(line))}
    for number in (number for number in range(len(lines)) if number not in tests):
        if number in of_classes or number in sectioned:
            is_variable = number in of_classes
            name = of_classes[number] if is_variable else sectioned[number]
            found[number] = {OptionKind.ENVIRONMENT if is_variable else OptionKind.SETTING: name}
            continue
        is_field = are_options[groups.get(number, "")]
        more = (*OF_SETTINGS, GO_FIELD) if is_field else of_file
        is_attribute = number in groups and number not in texts
        names = read_declared(_join(lines, number), (*more, CLASS_ATTRIBUTE) if is_attribute else more)
        if not names and "+" in lines[number] and (joined := _JOINED_KEY.search(lines[number])):
            names = {OptionKind.PROPERTY: f"{constants.get(joined[1], '')}{joined[2]}".lstrip("._")}
        may_be_constant = not names and "=" in lines[number]
        if may_be_constant and (groups.get(number) == _CONSTANTS or _IS_CONSTANT.search(lines[number])):
            constant = NUMBER_CONSTANT.match(lines[number])
            names = {OptionKind.CONSTANT: constant[1]} if constant else {}
        if has_schema and (key := _SCHEMA_KEY.match(lines[number])):
            names = {OptionKind.ENVIRONMENT: key[1]}
        if _lists_names(lines[number], groups.get(number, ""), assigned) or (
            is_handed and _OF_CALLER.search(lines[number])
        ):
            names.pop(OptionKind.ENVIRONMENT, None)
        if names and bound.isdisjoint(names.values()):
            found[number] = names
    return found


def _lists_names(line: str, group: str, assigned: Set[str]) -> bool:
    """Return whether a line lists a name of the code's own, as in a list of exports: no environment variable."""
    listed = _LISTED.match(line)
    return listed is not None and (group == _EXPORTS or listed[1] in assigned)


def _place_described(
    file: str,
    lines: Sequence[str],
    groups: Mapping[int, str],
    helps: Mapping[str, str],
    found: dict[int, dict[OptionKind, str]],
) -> dict[int, DescribedOption]:
    """Return line index → option that several lines describe, for all of its lines.

    `found` then has the names that these lines give the options, and nothing else of them.
    """
    are_options = {name for name in set(groups.values()) if _OPTIONS.search(name)}
    among = {at for at, name in groups.items() if name in are_options}
    placed: dict[int, DescribedOption] = {}
    of_options = set(range(len(lines))) if SETTINGS_FILE.search(file) else among
    for each in (*read_blocks(lines, of_options), *read_constants(lines, helps)):
        for at in each.lines:
            found.pop(at, None)
        found |= {at: {kind: name} for at, (kind, name) in each.names.items()}
        placed |= dict.fromkeys((*each.lines, *each.names), each)
    return placed


def _place_flags(lines: Sequence[str], found: dict[int, dict[OptionKind, str]]) -> dict[int, int]:
    """Return line index → end of the call that declares a flag; `found` then has nothing else of such calls."""
    ends: dict[int, int] = {}
    for number in sorted(found):
        if OptionKind.FLAG in found.get(number, ()) and lines[number].lstrip()[:1] in QUOTES:
            # The other arguments of a call that declares a flag describe the flag.
            inside = tuple(_iter_arguments(lines, number))
            ends[number] = inside[-1] + 1 if inside else number + 1
            for each in inside:
                if found.get(each, {}).keys() == {OptionKind.SETTING}:
                    del found[each]
        elif found.get(number, {}).keys() == {OptionKind.SETTING}:
            flag = _get_long_flag(lines, number, found[number][OptionKind.SETTING])
            found[number] = {OptionKind.FLAG: flag} if flag else found[number]
    return ends


def _describe(built: OptionCandidate, whole: DescribedOption) -> OptionCandidate:
    """Return a candidate with what all lines about it say."""
    is_switch = built.is_switch or whole.default.lower() in {"true", "false"}
    beside = built.beside | read_stems(whole.help)
    return structs.replace(
        built, help=whole.help, default=whole.default, beside=beside, is_guess=False, is_switch=is_switch
    )


def _read_long_texts(lines: Sequence[str]) -> set[int]:
    """Return the line indexes within documentation strings of several lines, whose examples declare nothing."""
    found: set[int] = set()
    quote = ""
    for number, line in enumerate(lines):
        if quote:
            found.add(number)
            quote = "" if quote in line else quote
        elif ('"""' in line or "'''" in line) and (opened := DOCSTRING.match(line)):
            quote = "" if opened[1] in opened[2] else opened[1]
    return found


def _read_test_modules(lines: Sequence[str]) -> set[int]:
    """Return the line indexes within modules with tests."""
    found: set[int] = set()
    for number, line in enumerate(lines):
        if "cfg(test)" in line and (marked := _TEST_MODULE.match(line)) and number + 1 < len(lines):
            at = number + 1
            if not lines[at].rstrip().endswith("{"):
                continue
            while at < len(lines) and not lines[at].startswith(f"{marked[1]}}}"):
                found.add(at)
                at += 1
    return found


def _read_groups(lines: Sequence[str]) -> dict[int, str]:
    """Return line index → name of the innermost type or literal whose indented lines have the line."""
    groups: dict[int, str] = {}
    for number, line in enumerate(lines):
        if match := _GROUP.match(line) or _OF_SETTINGS_WITHIN.match(line):
            indent, at = get_indent(line), number + 1
            name = next(filter(None, match.groups()), _CONSTANTS)
            while at < len(lines) and not _ends_group(lines[at], indent):
                groups[at] = name
                at += 1
    return groups


def _ends_group(line: str, indent: int) -> bool:
    """Return whether a line ends a group that is indented so far; a brace or label may stand at its edge."""
    text = line.strip()
    return bool(text) and get_indent(line) <= indent and not (text.startswith(("{", "#", "//")) or text.endswith(":"))


def _get_long_flag(lines: Sequence[str], number: int, field: str) -> str:
    """Return the flag that the attribute above a field makes of it, as clap's `arg(long)` does; "" for none."""
    attribute = "\n".join(_read_attribute(lines, number))
    if not _LONG.search(attribute):
        return ""
    named = _ARGUMENT_ID.search(attribute)
    return f"--{named[1] if named else field.replace('_', '-')}"


def _read_attribute(lines: Sequence[str], number: int) -> Sequence[str]:
    """Return the lines of the attributes directly above a line, () for none."""
    return lines[skip_attributes(lines, number) : number]


def _iter_arguments(lines: Sequence[str], number: int) -> Iterator[int]:
    """Yield the indices of the lines below one, of a call, that are indented at least like it."""
    indent, at = get_indent(lines[number]), number + 1
    while at < len(lines) and lines[at].strip() and get_indent(lines[at]) >= indent:
        yield at
        at += 1


def _get_help_text(lines: Sequence[str], helps: Mapping[str, str]) -> str:
    """Return the help text that a declaration names by the variable that holds it, "" for none."""
    named = (match[1] for line in lines for match in _HELP_VARIABLE.finditer(line))
    return next((helps[each] for each in named if each in helps), "")


def iter_settings_texts(
    code: CodeIndex, names: re.Pattern[str], scope: str | None, most: int
) -> Iterator[tuple[str, str]]:
    """Yield at most `most` files of the product and their texts, first those named like settings."""
    files = [
        each
        for each in code.snapshot.entries
        if names.search(each)
        and not _HIDDEN.search(each)
        and role_of(each) < FileRole.TEST
        and (not scope or each.startswith(scope))
    ]
    files.sort(key=lambda each: (role_of(each), not SETTINGS_FILE.search(each), each.count("/"), each))
    for file in files[:most]:
        yield file, code.read_text(file)


def build_configured(option: DocumentedOption, text: str) -> OptionCandidate:
    """Return an option that a line of a configuration file sets, with the comment above it."""
    lines = text.split("\n")
    number = option.line - 1
    return _build_candidate(
        option.file, lines, number, number + 1, OptionKind.SETTING, option.name, option, is_among_options=True
    )


def get_mention(file: str, text: str, option: DocumentedOption, name: str) -> OptionCandidate | None:
    """Return the first line of a file that may declare or read a documented option under a name; else None."""
    mention = re.compile(rf"[\"'`.\s]{re.escape(name)}(?:[\"'`]|\??\s*[:=;])|\.{re.escape(name)}\b(?!\()")
    lines = [line[:MAX_LINE] for line in text.split("\n")]
    number = next((at for at, line in enumerate(lines) if mention.search(line) and not COMMENT.match(line)), None)
    if number is None:
        return None
    kind = OptionKind.FLAG if option.name.startswith("-") else OptionKind.SETTING
    return _build_candidate(file, lines, number, number + 1, kind, option.name, option, is_among_options=True)


def _join(lines: list[str], number: int) -> str:
    """Return a line; if it starts with the first argument of a call, joined to the line before it."""
    start = _get_start(lines, number)
    if start == number:
        return lines[number]
    return "".join((lines[start], *(line.lstrip() for line in lines[start + 1 : number + 1])))


def _name_within(lines: Sequence[str], number: int, name: str, documented: Mapping[str, DocumentedOption]) -> str:
    """Return a name with that of the call around its line, if documents know the option by both: `worker_pool`."""
    if not documented or not lines[number].lstrip().startswith(f"{name}="):
        return name
    indent = get_indent(lines[number])
    outer = next((each for each in reversed(lines[:number]) if each.strip() and get_indent(each) < indent), "")
    opened = _NAMED_CALL.match(outer)
    joined = f"{opened[1]}_{name}" if opened else name
    return joined if fold_option(joined) in documented else name


def _get_start(lines: list[str], number: int) -> int:
    """Return the index of the line that opens the call whose first argument starts the line; else the line's own."""
    text, above = lines[number].lstrip(), lines[number - 1] if number else ""
    if text[:1] in QUOTES and above.endswith(",") and number > 1 and _BINDS_FLAG.search(lines[number - 2]):
        return number - 2
    is_first = (text[:1] in QUOTES and above.endswith("(")) or (text.startswith("Name:") and above.endswith("{"))
    # A chain of calls may be broken after a dot.
    is_chained = above.endswith(").") and text[:1].isalpha()
    return number - 1 if is_first or is_chained else number


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
    above = read_comment_above(lines, _get_start(lines, number))
    chained = read_chain(lines, number)
    attribute = _read_attribute(lines, number)
    # The attribute below a field that has its own belongs to the next field.
    after = attribute or lines[number + 1 : min(number + LINES_AFTER, max(number + 1, following))]
    below = chained or [lines[number], *after]
    if following - number > 1 and kind is not OptionKind.FLAG and not attribute:
        # A comment with the same indentation describes what follows it.
        indent = get_indent(lines[number])
        own = takewhile(lambda line: get_indent(line) > indent or not COMMENT.match(line), below[1:])
        below = [lines[number], *own]
    documented = known.text if known else ""
    document = f"{known.file}:{known.line}" if known and is_document(known.file) else ""
    around = _get_function(lines, number) if kind is OptionKind.ENVIRONMENT else ""
    beside = "\n".join((*above, *below, around, "" if document else documented))
    assigned = _ASSIGNED.match(lines[number]) if kind is OptionKind.ENVIRONMENT else None
    other_names = _NAMES.findall(lines[number]) if kind is OptionKind.ENVIRONMENT and is_among_options else ()
    field = _FIELD.match(lines[number]) if kind is OptionKind.FLAG else None
    parts = (*re.split(r"[.\-]", name), *(assigned.groups() if assigned else ()), *other_names)
    parts += field.groups() if field else ()
    parts += tuple(f"{each[1]}_{each[2]}" for part in parts for each in _PLACE_OF.finditer(part))
    named = cut_stems(each for part in parts for each in stems_of(_COMPOUND.sub(r"\1_", part)))
    described = USAGE.match(lines[number]) if kind is OptionKind.FLAG else _DESCRIBED.search(lines[number])
    help_text = known.text if known and not known.file else ""
    beside_name = cut_string_end(described[described.re.groups]) if described else ""
    said_of_it = help_text or beside_name or get_help(above, below, documented)
    line = _join(lines, number)
    is_given = (kind is OptionKind.FLAG and _is_given(lines, number)) or (
        kind is OptionKind.ENVIRONMENT and _WRITES_ENVIRONMENT.search(line) is not None
    )
    is_class = kind is OptionKind.SETTING and not is_among_options and _PASCAL_CASE.match(name) is not None
    is_spelled = kind is OptionKind.ENVIRONMENT and not is_among_options and may_be_anything(line)
    is_guess = is_given or is_class or is_spelled or _is_passed_on(line, name)
    fallback = get_fallback(lines[number : number + 3], name) if kind is OptionKind.ENVIRONMENT else ""
    default = fallback or get_annotated_default(lines, number) or get_default(below, name, said_of_it)
    taken = read_taken(line) if kind is OptionKind.FLAG else ""
    default = "" if taken else default
    is_switch = taken == "nothing" or default.lower() in {"true", "false"}
    is_switch |= _SWITCH.search("\n".join((*above, *below))) is not None
    return OptionCandidate(
        name, kind, file, number + 1, named, read_stems(beside), read_stems(documented if document else ""),
        cut_tags(said_of_it), default, document, is_guess, is_among_options, bool(above), is_switch, is_given=is_given,
    )  # fmt: skip


def _is_passed_on(line: str, name: str) -> bool:
    """Return whether a line only passes an option on that is declared in another spelling: `maxAge: env.MAX_AGE`."""
    value = _PASSED_ON.search(line)
    return value is not None and value[1] != name and fold_option(value[1]) == fold_option(name)


def _is_given(lines: Sequence[str], number: int) -> bool:
    """Return whether a line gives a flag to another program, in a call or in a list within one."""
    if _RUNS.search(lines[number]):
        return True
    if lines[number].lstrip()[:1] not in QUOTES:
        return False
    indent = get_indent(lines[number])
    for line in reversed(lines[max(0, number - _MAX_ABOVE) : number]):
        if line.strip() and get_indent(line) < indent:
            if not line.rstrip().endswith(("[", "(", "{")):
                return False
            if _RUNS.search(line):
                return True
            indent = get_indent(line)
    return False


def _get_function(lines: list[str], number: int) -> str:
    """Return the name of the function that a line is in, "" if it begins too far above."""
    own = len(lines[number]) - len(lines[number].lstrip())
    for line in reversed(lines[max(0, number - _MAX_ABOVE) : number]):
        head, is_open, _ = line.partition("(")
        name = _CALLED.search(head) if is_open and len(line) - len(line.lstrip()) < own else None
        if name and "=" not in head and not line.rstrip().endswith(";") and name[1] not in _BRANCHES:
            return name[1]
    return ""
