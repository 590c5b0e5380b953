"""Recognize constants whose place determines the values of others, in enumerations and groups with `iota`."""

from __future__ import annotations

import re

from avionics.index.facts.fact_source import FactSource
from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.model.knowledge import Definition
from avionics.syntax.registry import conventions_of, require_spec

_COMMENT = late_pattern(r"/\*[\s\S]*?(?:\*/|\Z)|//[^\n]*")
_ENUMERATION = late_pattern(r"\benum\b[^{}();]*+\{([^{}]*)\Z")
_MAX_ENUMERATION = 20_000
"""The number of characters read before and after a constant of an enumeration."""


def is_placed(definition: Definition, source: FactSource) -> bool:
    """Return whether the place of a constant determines the values of others, which makes it used."""
    return _is_counted(definition, source) or _is_followed(definition, source)


def _is_counted(definition: Definition, source: FactSource) -> bool:
    """Return whether a constant is in a group with a counter (`iota`) and others follow it there."""
    opening, counter = conventions_of(definition.file).implicit.counted_group
    if not counter or definition.kind is not SymbolKind.CONSTANT:
        return False
    lines = source.read_lines(definition.file)
    before, behind = lines[: definition.line], lines[definition.line :]
    start = max((at for at, line in enumerate(before) if line.startswith(opening)), default=len(before))
    group = before[start:]
    is_last = next((line.startswith(")") for line in behind if line.strip()), True)
    return any(counter in line for line in group) and ")" not in (line[:1] for line in group) and not is_last


def _is_followed(definition: Definition, source: FactSource) -> bool:
    """Return whether the position of a constant in an enumeration of C determines the value of the next one.

    This is so if another constant of the enumeration is used.
    """
    language, symbol = source.facts(definition.file).language, definition.symbol
    if symbol.kind is not SymbolKind.ATTRIBUTE or not require_spec(language).linkage:
        return False
    lines = source.read_lines(definition.file)
    position = sum(len(line) + 1 for line in lines[: symbol.line - 1]) + symbol.column
    text = "\n".join(lines)
    before = _ENUMERATION.search(text, max(0, position - _MAX_ENUMERATION), position)
    if before is None:
        return False
    _, *behind = _COMMENT.sub("", text[position : position + _MAX_ENUMERATION].partition("}")[0]).split(",")
    is_next = bool(behind) and behind[0].strip().isidentifier()
    names = re.findall(r"[A-Za-z_]\w*", ",".join((_COMMENT.sub("", before[1]), *behind)))
    return is_next and any(sum(source.count_word(name).values()) > 1 for name in dict.fromkeys(names))
