"""Read tables of options: rows of one shape that begin with a name, as `{"quiet", no_argument, NULL, 'q'},`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from avionics.index.options.declared_names import QUOTES
from avionics.late_pattern import late_pattern

_ROW = late_pattern(
    r"\s*+(?:,\s*+)?([A-Za-z_][\w.:]*+\s?[({]\s*+|[{(\[]{1,2}\s*+(?:[A-Za-z_]\w*+\()?|)"
    r"[\"'`]([A-Za-z][\w.-]+)[\"'`]\s*+(\)?,|:|=>|\})"
)
"""A row: its opening, perhaps with a macro around the name, the name it begins with, and what follows it."""
_MIN_ROWS, _MAX_GAP, _HEADER = 4, 8, 4
"""The least rows of a table, the most lines from one row to the next, and the lines above that say what it has."""
_OF_SECTION = late_pattern(r"(?:sec|section|group)\W*\Z", re.IGNORECASE)
"""The end of the macro of a row that is about a section with options: `CFG_SEC("cache", …)`."""
_OF_TYPE = late_pattern(r"([A-Z]++_)[A-Z_\d]++\(\Z")
"""A macro whose end is the type of the option: `CFG_INT(`, `CFG_BOOL(`."""
_MAX_LINE = 400
_OPENS, _IS_KEYED = ("(", "{", "["), late_pattern(r"[^\"'`]*+[\"'`][^\"'`]*+[\"'`]\s*+(?::|=>)")
_OF_OPTIONS = late_pattern(
    r"opt(?:ion|s\b|_)|setting|conf|cfg|pref(?!ix)|param|flag|(?-i:Arg|\barg|_arg|\bARG|_ARG|(?<![kK][wW])(?:args|ARGS)\b)"
    r"|knob|tunable|directive|variable|vars\b|env",
    re.IGNORECASE,
)
_OF_ENVIRONMENT = late_pattern(r"env", re.IGNORECASE)
"""The words of a table, or of what its rows call, that say that it has options."""
_OF_CONFIGURATION = late_pattern(
    r"(?<![A-Za-z])(?:config|setting|option|preference)\w{0,30}\s*(?::[^=\n]{1,40})?=\s*[{\[(]", re.IGNORECASE
)
"""The head of a table of settings whose names are in capitals: `_CONFIG_DEFINITIONS = {`."""
_TAKES_ARGUMENT = late_pattern(r"\b(?:no|required|optional)_argument\b|\b[Hh]as_?[Aa]rg\b")
_OF_FLAGS = late_pattern(r"\bstruct \w*[oO]ption \w+\[|\bGOptionEntry \w+\[|\badd_options\([^;()\n]{0,80}\)\s*+\Z")
"""The head of a table of `getopt_long`, argp, popt, GLib, Boost or cxxopts."""
_OF_DIRECTIVES = late_pattern(r"\b(?:command_rec|ngx_command_t) \w+\[")
"""The head of a table of what a module of Apache or nginx adds to the configuration."""
_WITH_LETTER = late_pattern(r"\s*+\(\s*+\"(?:\w,\s?([a-z][\w-]+)|([a-z][\w-]+),\w)\"")
"""A row of a table of flags whose name has a letter beside it: `("p,port", …)`."""
_PREFIX = late_pattern(r"[\"']([A-Z][A-Z0-9]*_)[\"']")


class OptionRow(Struct, frozen=True):
    """A row of a table of options."""

    name: str
    is_environment: bool
    is_flag: bool
    is_setting: bool = False


def read_rows(lines: Sequence[str]) -> dict[int, OptionRow]:
    """Return line index → row, for the rows of tables of options."""
    flags = {at for at, line in enumerate(lines) if "ption" in line and _OF_FLAGS.search(line)}
    directives = {at for at, line in enumerate(lines) if "[" in line and _OF_DIRECTIVES.search(line)}
    shaped: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    for number, written in enumerate(lines):
        lettered = _WITH_LETTER.match(written) if flags and "(" in written else None
        line = f'("{lettered[1] or lettered[2]}"{written[lettered.end() :]}' if lettered else written
        row = _ROW.match(line) if len(line) <= _MAX_LINE else None
        if row and not _OF_SECTION.search(row[1]):
            opening = re.sub(r"\s+", "", row[1])
            typed = _OF_TYPE.match(opening)
            shaped[f"{typed[1] if typed else opening}{row[3]}"].append((number, row[2]))
    found: dict[int, OptionRow] = {}
    for shape, rows in ((shape, run) for shape, alike in shaped.items() for run in _iter_runs(alike)):
        above = range(max(0, rows[0][0] - _HEADER), rows[0][0] + 1)
        is_of_flags, is_of_directives = not flags.isdisjoint(above), not directives.isdisjoint(above)
        if len(rows) >= _MIN_ROWS or is_of_flags or is_of_directives:
            end = rows[1][0] if len(rows) > 1 else rows[0][0] + 1
            header = "".join(lines[above.start : end])
            is_of_options = is_of_directives or _OF_OPTIONS.search(f"{shape} {header}") is not None
            found |= _read_table(lines, rows, header, is_of_options=is_of_options, is_of_flags=is_of_flags)
    return found


def _read_table(
    lines: Sequence[str],
    rows: Sequence[tuple[int, str]],
    header: str,
    *,
    is_of_options: bool,
    is_of_flags: bool,
) -> dict[int, OptionRow]:
    """Return line index → row, for the rows of one table; no row if it is one of anything else."""
    is_upper = all(name.isupper() for _, name in rows)
    is_environment = is_upper and _OF_ENVIRONMENT.search(header) is not None
    is_named = is_upper and _OF_CONFIGURATION.search(header) is not None
    if not is_environment and not (is_of_options and (is_named or not is_upper)):
        return {}
    found: dict[int, OptionRow] = {}
    prefix = _get_prefix(lines) if is_environment else ""
    opened = {number for number, _ in rows if number and lines[number - 1].rstrip().endswith(_OPENS)}
    for number, name in rows:
        # Where calls have their arguments on lines of their own, only the first one is a name.
        is_keyed = _IS_KEYED.match(lines[number]) is not None
        if opened and not is_keyed and number not in opened and lines[number].lstrip()[:1] in QUOTES:
            continue
        is_flag = _TAKES_ARGUMENT.search(lines[number]) is not None or is_of_flags
        found[number] = OptionRow(f"{prefix}{name}", is_environment, is_flag, is_named and not is_environment)
    return found


def _iter_runs(rows: Sequence[tuple[int, str]]) -> Iterator[Sequence[tuple[int, str]]]:
    """Yield runs of rows within a few lines of each other."""
    breaks = [at for at in range(1, len(rows)) if rows[at][0] - rows[at - 1][0] > _MAX_GAP]
    for start, end in pairwise((0, *breaks, len(rows))):
        yield rows[start:end]


def _get_prefix(lines: Sequence[str]) -> str:
    """Return the common prefix of environment variables that a file declares as a string; "" if it declares none."""
    prefixes = {each for line in lines for each in _PREFIX.findall(line)}
    return prefixes.pop() if len(prefixes) == 1 else ""
