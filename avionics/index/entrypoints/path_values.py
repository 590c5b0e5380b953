"""Read the value of an expression for a path: literals and constants, joined by `+`."""

from __future__ import annotations

from avionics.index.code_index import CodeIndex
from avionics.late_pattern import late_pattern
from avionics.model.naming import last_part

_TERM = late_pattern(
    r"\s*+(?:([\"'`])(?P<text>(?>(?:(?!\1)[^\\$\n]|\\.)*))\1|(?P<name>[A-Za-z_]\w*+(?>(?:(?:\.|::)\w++)*))(?![\w(]))\s*+(?:\+|\Z)"
)
"""A literal or a name before a plus or the end. What a template computes is not a literal."""
_VALUE = late_pattern(r"=(?![=>])\s*+([^=;]++);?\Z")
"""The value of a constant, at the end of its definition."""
_MAX_STEPS = 4
"""How deeply constants may be nested; also ends cycles."""


def read_path(code: CodeIndex, file: str, expression: str, steps: int = 0) -> str | None:
    """Return the path that is the value of an expression; None if a part of it is known only at run time."""
    expression, path, at = expression.strip(), "", 0
    while at < len(expression):
        term = _TERM.match(expression, at)
        value = (
            None if term is None else term["text"] if term["name"] is None else _get(code, file, term["name"], steps)
        )
        if term is None or value is None:
            return None
        path, at = path + value, term.end()
    return path if expression else None


def _get(code: CodeIndex, file: str, name: str, steps: int) -> str | None:
    """Return the value of the constant with a name; None if there are several, or it is not a path that is written."""
    dotted = name.replace("::", ".")
    named = code.find_definitions(last_part(dotted)) if steps < _MAX_STEPS else ()
    meant = [each for each in named if f".{each.symbol.qualname}".endswith(f".{dotted}")]
    meant = [each for each in meant if each.file == file] or meant or list(named)
    written = [(each, _VALUE.search(each.symbol.signature)) for each in meant]
    values = {read_path(code, each.file, value[1], steps + 1) for each, value in written if value is not None}
    return next(iter(values)) if len(values) == 1 else None
