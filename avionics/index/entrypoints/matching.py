"""Entry names: which entry points a caller's words mean.

Knows: what entry points are called, how routes stand for paths.
Does not know: how entry points are found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from avionics.index.entrypoints.discovery import EntryPoint
from avionics.index.entrypoints.rules import EntryKind


def find_routes(points: Sequence[EntryPoint], asked: str) -> tuple[EntryPoint, ...]:
    """The routes that a path, with or without a method, goes to; the surest way that finds any."""
    method, _, path = asked.rpartition(" ")
    if not path.startswith("/") or (method and not method.isalpha()):
        return ()
    wanted = path.rstrip("/") or "/"
    routes = [e for e in points if e.kind is EntryKind.ROUTE and _serves(e, method.upper())]
    ways: tuple[Callable[[EntryPoint], bool], ...] = (
        lambda e: (e.name.rstrip("/") or "/") == wanted,
        lambda e: _route_pattern(e.name).fullmatch(wanted) is not None,
        lambda e: len(e.name) > 1 and wanted.endswith(e.name.rstrip("/")),
    )
    return next((found for way in ways if (found := tuple(e for e in routes if way(e)))), ())


def _serves(entry: EntryPoint, method: str) -> bool:
    return not method or not entry.methods or method in entry.methods


def _route_pattern(route: str) -> re.Pattern[str]:
    """A route as a pattern: `<int:id>` and `{id}` stand for one part of the path, `<path:x>` for several."""
    pieces = re.split(r"(<[^<>]*>|\{[^{}]*\})", route.rstrip("/"))
    return re.compile(
        "".join(
            (".+" if "path:" in piece or ":path" in piece else "[^/]+") if piece[:1] in {"<", "{"} else re.escape(piece)
            for piece in pieces
        )
    )


def is_named(entry: EntryPoint, asked: str) -> bool:
    """Whether an entry point is called exactly so."""
    return asked in {entry.name, entry.name.removeprefix("python -m ")} and entry.kind is not EntryKind.ROUTE


def is_like(entry: EntryPoint, asked: str) -> bool:
    """Whether every word asked for occurs in what an entry point is called, or in what it runs."""
    runs = entry.definition.symbol.qualname if entry.definition else ""
    file = entry.definition.file if entry.definition else ""
    text = f"{entry.kind.value} {entry.name} {entry.file} {runs} {file} {' '.join(entry.methods)}".lower()
    words = re.findall(r"\w+", asked.lower())
    return bool(words) and all(word in text for word in words)
