"""Match what a caller asks for with entry points."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from avionics.index.search.query import text_stems
from avionics.model.enums import EntryKind, SymbolKind

if TYPE_CHECKING:
    from avionics.index.entrypoints.handlers import EntryPoint

_PLACEHOLDER = re.compile(r"(<[^<>]*>|\{[^{}]*\}|\[[^\[\]]*\]|(?<=/):\w+\??|(?<=/)\*\w*)")
"""The parts of a route that are placeholders: `<int:id>`, `{id}`, `[id]`, `:id`, `*rest`."""
_FORMAT = re.compile(r"\.(?:\{_?format\}|:format)\Z|\(\.:format\)\Z")
"""The end of a route that stands for an optional format: `/orders.{_format}`."""
_PLACEHOLDER_START = re.compile(r"/(?:<|\{|:\w|\*|\[)")


def is_route_below(point: EntryPoint, prefix: str) -> bool:
    """Return whether an entry point is a route whose path is a prefix, or begins with it and a slash."""
    return point.kind is EntryKind.ROUTE and f"{point.name}/".startswith(f"{prefix.rstrip('/')}/")


def find_routes(points: Sequence[EntryPoint], asked: str) -> tuple[EntryPoint, ...]:
    """Return the routes that match a path, with or without a method, by the strictest comparison that finds any.

    Without a slash, a dotted name is the end of a path, as in an API with a route for each of its procedures.
    """
    method, _, path = asked.rpartition(" ")
    if method and not method.isalpha():
        return ()
    if not path.startswith("/"):
        ends = (e for e in points if e.kind is EntryKind.ROUTE and e.name.rpartition("/")[2] == path)
        return tuple(e for e in ends if "." in path and _serves(e, method.upper()))
    wanted = path.rstrip("/") or "/"
    routes = [
        (e, name)
        for e in points
        if e.kind is EntryKind.ROUTE and _serves(e, method.upper())
        for name in dict.fromkeys((e.name, _FORMAT.sub("", e.name)))
    ]
    comparisons: tuple[Callable[[str], bool], ...] = (
        lambda name: (name.rstrip("/") or "/") == wanted,
        lambda name: _PLACEHOLDER.sub("{}", name.rstrip("/")) == _PLACEHOLDER.sub("{}", wanted),
        lambda name: _has_fixed_text(name) and _route_pattern(name).fullmatch(wanted) is not None,
        lambda name: len(name) > 1 and wanted.endswith(name.rstrip("/")),
        lambda name: _has_fixed_start(name) and re.search(_route_pattern(name).pattern + r"\Z", wanted) is not None,
        lambda name: len(fixed := _PLACEHOLDER_START.split(name)[0].rstrip("/")) > 1 and wanted.endswith(fixed),
        # What serves every path is meant only if nothing else is: a router may be mounted where no rule sees it.
        lambda name: _route_pattern(name).fullmatch(wanted) is not None,
    )
    for is_equal in comparisons:
        found = dict.fromkeys(route for route, name in routes if is_equal(name))
        if found:
            # Of several patterns that match, the most specific one is meant: `/orders/{id}` and not `/{path...}`.
            lengths = {route: len(_PLACEHOLDER.sub("", route.name)) for route in found}
            return tuple(route for route in found if lengths[route] == max(lengths.values()))
    return ()


def _has_fixed_text(route: str) -> bool:
    """Return whether a route has text besides placeholders; `/*` and `/{path...}` serve everything."""
    return len(_PLACEHOLDER.sub("", route).strip("/")) > 0 or route.strip("/") == ""


def _has_fixed_start(route: str) -> bool:
    """Return whether a path begins with a word; `/{id}` alone may be the end of any path."""
    return len(_PLACEHOLDER_START.split(route)[0].strip("/")) > 1


def _serves(entry: EntryPoint, method: str) -> bool:
    return not method or not entry.methods or method in entry.methods


def _route_pattern(route: str) -> re.Pattern[str]:
    """Return a route as a pattern: `{id}` and `:id` match a part of the path, `<path:x>`, `[...x]` and `*x` several."""
    pieces = _PLACEHOLDER.split(route.rstrip("/"))
    return re.compile("".join(_part_pattern(piece) if at % 2 else re.escape(piece) for at, piece in enumerate(pieces)))


def _part_pattern(piece: str) -> str:
    """Return a pattern for the values of one part of a route."""
    if piece.startswith("*"):
        return ".*"
    if "path:" in piece or ":path" in piece or "..." in piece:
        return ".+"
    return "[^/]*" if piece.endswith("?") else "[^/]+"


def is_named(entry: EntryPoint, asked: str) -> bool:
    """Return whether an entry point has exactly this name; the command that runs a module may be omitted.

    A command of several words may be written with spaces, `orders add` is `orders:add`, or without its group: `add`.
    """
    names = {entry.name, entry.name.rpartition(" ")[2]} if entry.kind is EntryKind.MODULE else {entry.name}
    if entry.kind is EntryKind.COMMAND:
        names |= {entry.name.replace(":", " "), entry.name.rpartition(" ")[2]}
    return asked in names and entry.kind is not EntryKind.ROUTE


def is_like(entry: EntryPoint, asked: str) -> bool:
    """Return whether every word that is asked for occurs in the name of an entry point or of its definition.

    The words of a path, `GET /orders`, have to occur in the declared path.
    The method that runs a command has the name that its framework asks for; the name of its class counts instead.
    """
    definition = entry.owner or entry.definition
    runs, file = (definition.symbol.qualname, definition.file) if definition else ("", "")
    if definition and entry.kind is EntryKind.COMMAND and definition.symbol.kind is SymbolKind.METHOD:
        runs = runs.rpartition(".")[0]
    declared = f"{entry.kind.value} {entry.name} {' '.join(entry.methods)}"
    is_path = asked.rpartition(" ")[2].startswith("/")
    text = (declared if is_path else f"{declared} {entry.file} {runs} {file}").lower()
    words = re.findall(r"\w+", asked.lower())
    return bool(words) and all(word in text for word in words)


def select_about(points: Sequence[EntryPoint], about: str) -> tuple[EntryPoint, ...]:
    """Return the entry points whose names or files have every word of a text, compared by stems: `order`, `orders`."""
    wanted = frozenset(text_stems(about))
    having = (each for each in points if wanted.issubset(text_stems(f"{each.name} {each.file}")))
    return tuple(having) if wanted else ()
