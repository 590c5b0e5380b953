"""Find the definitions at which a call flow starts: from a file, a line, a symbol or declared entry points."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.handlers import EntryPoint, build_module_body
from avionics.model.enums import FUNCTIONS, EntryKind, is_class
from avionics.model.knowledge import Definition

_VIEW_METHODS = ("dispatch", "get", "post", "put", "patch", "delete")
"""The methods of a class-based view that web frameworks call."""


class FlowStart(Struct, frozen=True):
    """Where a call flow starts.

    Attributes:
        roots: The definitions that run.
        declared: The entry points that run them.
        others: Further definitions of the symbol that was asked about.
        owner: The class of the object that it runs on, if that is a subclass of the one around the roots.
    """

    roots: tuple[Definition, ...]
    declared: tuple[EntryPoint, ...] = ()
    others: tuple[Definition, ...] = ()
    owner: Definition | None = None


def start_at_line(code: CodeIndex, path: str, line: int, points: Sequence[EntryPoint]) -> FlowStart:
    """Return the start for a line: the function or class around it, the entry point on it, else the module."""
    around = code.graph.enclosing(path, line)
    if around is None:
        there = start_at_entries(code, [each for each in points if (each.file, each.line) == (path, line)])
        return there or FlowStart((build_module_body(code, path),))
    return FlowStart((around,))


def start_at_file(code: CodeIndex, path: str, points: Sequence[EntryPoint]) -> FlowStart:
    """Return the start for a file: the code that runs when it is executed as a program, or when it is imported."""
    own = [each for each in points if each.file == path]
    main = start_at_entries(code, [each for each in own if each.kind in {EntryKind.GUARD, EntryKind.MODULE}])
    return main or FlowStart((build_module_body(code, path),), tuple(own))


def start_at_symbol(code: CodeIndex, found: Sequence[Definition], points: Sequence[EntryPoint]) -> FlowStart | None:
    """Return the start for the definitions of a symbol: the first one; for a class also its `__call__`."""
    if not found:
        return None
    first, *others = dict.fromkeys(map(code.graph.body_of, found))
    called = (
        code.find_definitions(f"{first.symbol.qualname}.__call__", scope=first.file) if is_class(first.kind) else ()
    )
    return FlowStart((first, *called[:1]), tuple(each for each in points if each.definition == first), tuple(others))


def start_at_object(code: CodeIndex, found: Sequence[Definition]) -> FlowStart | None:
    """Return the start for a variable that holds an object literal: each function in it."""
    for first in found:
        prefix = f"{first.symbol.qualname}."
        functions = (each for each in code.iter_definitions(first.file) if each.kind in FUNCTIONS)
        members = (each for each in functions if (holder := code.get_parent(each)) and holder.kind not in FUNCTIONS)
        roots = tuple(e for e in members if e.symbol.qualname.startswith(prefix) and first.symbol.span.contains(e.line))
        if roots and not is_class(first.kind):
            return FlowStart(roots)
    return None


def start_at_entries(code: CodeIndex, entries: Sequence[EntryPoint]) -> FlowStart | None:
    """Return the start for declared entry points: the first whose definition is known."""
    for first in entries:
        if first.definition is None:
            continue
        is_view = first.kind is EntryKind.ROUTE and is_class(first.definition.kind)
        roots = _find_view_methods(code, first.definition) if is_view else ()
        owner = first.definition if is_view else first.owner
        return FlowStart(roots or (first.definition,), tuple(entries), (), owner)
    return None


def _find_view_methods(code: CodeIndex, view: Definition) -> tuple[Definition, ...]:
    """Return the methods of a class that a web framework calls."""
    found = (code.find_definitions(f"{view.symbol.qualname}.{name}", scope=view.file) for name in _VIEW_METHODS)
    return tuple(definitions[0] for definitions in found if definitions)
