"""Read options that a block of several lines describes: an entry of a table, a literal, the arguments of a call.

Whatever the language, such a block has an entry with a text about the option, and says its name in another entry or in
the line that opens it: `("limit", {"value": 8, "help": "…"})`, `&cli.Flag{Name: "limit", Usage: "…"}`,
`limit: int = Field(default=8, description="…")`. Or name, text and default are constants of their own: `PORT_CONFIG`,
`PORT_DOC`, `DEFAULT_PORT`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from avionics.index.options.declared_names import COMMENT, OptionKind
from avionics.index.options.descriptions import get_indent, read_text
from avionics.index.options.documentation import fold_option
from avionics.late_pattern import late_pattern

_OPENS = ("{", "(", "[")
_MAX_LINES = 60
"""Lines of a block that are read."""
_MAX_OF_ENTRY = 3
"""Lines after the first one of an entry; a longer one may declare options of its own."""
_QUOTE = "[\"'`]"
_ENTRY = late_pattern(rf"\s*+[-.]?{_QUOTE}?([A-Za-z_][\w-]*+){_QUOTE}?\s*+(?:=>|:(?!:)|=(?!=))\s*+(.*)")
_TEXTS = "help helptext helpstring helpmsg description desc describe usage doc docs documentation summary docstring"
_DESCRIBES = frozenset(_TEXTS.split())
_NAMING = "name flag flags long longname key id option env envs envvar envvars envname sources"
_NAMES = frozenset(_NAMING.split())
"""The entries that name the option."""
_DEFAULTS = ("default", "defaultvalue", "defaultval", "def", "initial", "fallback", "value")
_SAYS_OPTION = frozenset(
    (*_DEFAULTS, "type", "env", "envvar", "envvars", "sources", "required", "choices", "validator")
)
"""Entries that other things with a name and a description seldom have."""
_QUOTED_KEY = late_pattern(rf"\s*+[\[(]{{0,2}}{_QUOTE}([A-Za-z][\w.-]+){_QUOTE}\s*+(?:,|:|=>)")
_PLAIN_KEY = late_pattern(
    r"\s*+(?>(?:(?:export|const|let|var|static|final|public|private|readonly)\s++)*)([A-Za-z_][\w-]*+)\??\s*+(?::(?!:)|=(?![=>]))"
)
_ARGUMENT = late_pattern(rf"(?<!\w)(\w++)\(\s*+{_QUOTE}(-{{0,2}}[A-Za-z][\w.-]+){_QUOTE},\s*+[{{(\[]\Z")
"""The first argument of a call whose second one is the block: `option("limit", {`."""
_OF_OPTIONS = late_pattern(
    r"opt(?:ion|s\b)|flag|\barg|Arg(?:ument)?\b|setting|conf|cfg|param|pref(?!ix)|\bField\(|env|knob|trait",
    re.IGNORECASE,
)
_COMMAND = late_pattern(r"command|\bcmd\b|parser\(", re.IGNORECASE)
_OF_FLAGS = late_pattern(r"flag|arg(?:ument)?\b", re.IGNORECASE)
_NAME = late_pattern(rf"{_QUOTE}(-{{0,2}}[A-Za-z_$][\w.-]+){_QUOTE}")
_VALUE = late_pattern(
    r"([\"'`][^\"'`]{0,60}[\"'`]|-?+[\w.]{1,60}+(?>(?: ?[*+/] ?[\w.]{1,60}+){0,4}))\s*+[,;]?\s*+(?:(?://|#).*)?\Z"
)


_ASSIGNED = late_pattern(r"(?<![\w.])(\w++)(?:\s?:\s?&?[\w' ]{1,20})?\s?:?=(?!=)\s?(\S.*+)?")
_NAMED = late_pattern(r"\"([A-Za-z][\w.-]*+)\"\s*+[;,]?\s*+\Z")
_OF_NAME = late_pattern(r"(?:config|key|name|property|prop|option|opt|env|flag|setting)\Z")
_OF_TEXT = ("doc", "docs", "help", "desc", "description", "usage")
_PLAIN = late_pattern(r"([^;]{1,60}+)(?:;|\Z)")
_MAX_PIECES, _MIN_TEXT = 8, 12
"""Lines that a text may have, and the least letters of one."""


class DescribedOption(Struct, frozen=True):
    """An option that several lines describe.

    Attributes:
        names: Line index → kind and name, for the lines that name it.
        lines: The indexes of the lines that are about the option, and declare no other one.
        help: The text about it.
        default: Its default as written, "" if they give none.
    """

    names: Mapping[int, tuple[OptionKind, str]]
    lines: frozenset[int]
    help: str
    default: str


class _Entry(Struct, frozen=True):
    """An entry of a block: its key in lower case, its text, and its first and last line."""

    key: str
    text: str
    first: int
    last: int


def read_blocks(lines: Sequence[str], among_options: Collection[int]) -> Iterator[DescribedOption]:
    """Yield the options that blocks describe; some lines are known to be about options."""
    for number, line in enumerate(lines):
        opener = line.rstrip()
        if not opener.endswith(_OPENS) or COMMENT.match(line):
            continue
        entries = {each.key: each for each in reversed(list(_iter_entries(lines, number)))}
        description = next((read_text(entries[key].text) for key in entries if key in _DESCRIBES), "")
        if not description or _COMMAND.search(opener):
            continue
        if _OF_OPTIONS.search(opener) or number in among_options or not _SAYS_OPTION.isdisjoint(entries):
            names = _read_names(opener, number, entries)
            if names:
                ends = ((each.first, min(each.last, each.first + _MAX_OF_ENTRY)) for each in entries.values())
                about = {at for first, last in ends for at in range(first, last + 1)} | (names.keys() & {number})
                yield DescribedOption(names, frozenset(about), description, _read_default(entries))


def _iter_entries(lines: Sequence[str], number: int) -> Iterator[_Entry]:
    """Yield the entries of the block that a line opens; what is indented further belongs to the entry above it."""
    outer = get_indent(lines[number])
    inner, start, end = -1, -1, number + 1
    for at in range(number + 1, min(len(lines), number + 1 + _MAX_LINES)):
        line = lines[at]
        if not line.strip():
            continue
        indent = get_indent(line)
        if indent <= outer:
            break
        inner = indent if inner < 0 else inner
        if indent == inner and not line.lstrip().startswith(("}", ")", "]")):
            if start >= 0 and (entry := _read_entry(lines, start, end)):
                yield entry
            start = at
        end = at + 1
    if start >= 0 and (entry := _read_entry(lines, start, end)):
        yield entry


def _read_entry(lines: Sequence[str], start: int, end: int) -> _Entry | None:
    """Return the entry of some lines; None if they begin with no key."""
    keyed = _ENTRY.match(lines[start])
    if not keyed:
        return None
    text = "\n".join((keyed[2], *lines[start + 1 : end]))
    return _Entry(keyed[1].replace("_", "").replace("-", "").lower(), text, start, end - 1)


def _read_names(opener: str, number: int, entries: Mapping[str, _Entry]) -> dict[int, tuple[OptionKind, str]]:
    """Return the names of an option in its block, else that in the line that opens it."""
    is_flag = _OF_FLAGS.search(opener) is not None
    found: dict[int, tuple[OptionKind, str]] = {}
    for entry in (entries[key] for key in entries if key in _NAMES):
        named = _NAME.findall(entry.text)
        name = next((each for each in named if len(each) > 1), "")
        if name:
            is_of_flag = is_flag or name.startswith("--") or entry.key in {"flag", "flags", "long", "longname"}
            found[entry.first] = _kind_of(name, is_flag=is_of_flag), name
    if any(kind is not OptionKind.ENVIRONMENT for kind, _ in found.values()):
        return found
    # The field that holds the value names the option if nothing else does: `dest="page_size"`.
    held = entries.get("dest")
    field = _NAME.search(held.text) if held else None
    if held and field:
        found[held.first] = OptionKind.SETTING, field[1]
        return found
    called = _ARGUMENT.search(opener)
    keyed = called or _QUOTED_KEY.match(opener) or _PLAIN_KEY.match(opener)
    if keyed:
        is_of_flag = called is not None and (_OF_OPTIONS.search(called[1]) is not None)
        name = f"--{keyed[1]}" if "describe" in entries and not called else keyed[keyed.re.groups]
        found[number] = _kind_of(name, is_flag=is_of_flag or name.startswith("--")), name
    return found


def _kind_of(name: str, *, is_flag: bool) -> OptionKind:
    """Return the kind of an option by how its name is written."""
    if name.isupper() and "_" in name:
        return OptionKind.ENVIRONMENT
    return OptionKind.FLAG if is_flag else OptionKind.SETTING


def _read_default(entries: Mapping[str, _Entry]) -> str:
    """Return the default of an option in its block, "" if it gives none."""
    given = next((entries[key].text for key in _DEFAULTS if key in entries), "")
    value = _VALUE.match(given)
    return value[1] if value else ""


def read_texts(lines: Sequence[str]) -> dict[str, str]:
    """Return constant or variable → the text that it holds."""
    found: dict[str, str] = {}
    for number, line in enumerate(lines):
        assigned = _ASSIGNED.search(line) if "=" in line else None
        if assigned and (assigned[2] or "")[:2].lstrip("(")[:1] in {"", '"', "'", "`"}:
            text = read_text("\n".join((assigned[2] or "", *lines[number + 1 : number + _MAX_PIECES])))
            if len(text) >= _MIN_TEXT and " " in text:
                found[assigned[1]] = text
    return found


def read_constants(lines: Sequence[str], texts: Mapping[str, str]) -> Iterator[DescribedOption]:
    """Yield the options whose names are constants beside which another one has a text about them."""
    about = {fold_option(name): text for name, text in texts.items()}
    if not any(each.endswith(_OF_TEXT) for each in about):
        return
    matches = ((number, _ASSIGNED.search(line)) for number, line in enumerate(lines) if "=" in line)
    assigned = [(number, match[1], match[2] or "") for number, match in matches if match]
    values = {fold_option(name): value for _, name, value in assigned}
    for number, variable, value in assigned:
        named, own = _NAMED.match(value), _OF_NAME.sub("", fold_option(variable))
        text = next((about[own + end] for end in _OF_TEXT if own + end in about), "") if named and own else ""
        if named and text:
            default = _PLAIN.match(values.get(f"default{own}", "") or values.get(f"{own}default", ""))
            kind = OptionKind.ENVIRONMENT if named[1].isupper() else OptionKind.PROPERTY
            yield DescribedOption({number: (kind, named[1])}, frozenset(), text, default[1].strip() if default else "")
