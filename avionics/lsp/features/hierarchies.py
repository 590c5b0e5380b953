"""Hierarchies: who calls what, and which class is below which."""

from __future__ import annotations

from avionics.lsp.features.navigation import find_definitions_at
from avionics.lsp.features.symbols import KINDS
from avionics.lsp.types import HierarchyItem, IncomingCall, OutgoingCall, OutlineKind, Position, Range
from avionics.lsp.view import View
from avionics.model.enums import BODIES, CALLS, is_class
from avionics.model.knowledge import Definition, Usage
from avionics.tools.edits.source_text import Place


def prepare_calls(view: View, file: str, position: Position) -> list[HierarchyItem]:
    """Return the callable definitions that the name at a position means."""
    found = find_definitions_at(view, file, position)
    return [_build_item(view, each) for each in found if each.kind in BODIES or is_class(each.kind)]


def list_incoming_calls(view: View, item: HierarchyItem) -> list[IncomingCall]:
    """Return the functions that are proven to call an item, and where; calls outside functions count for their file."""
    definition = _get_definition(view, item.data)
    callers: dict[Definition | str, list[Usage]] = {}
    for usage in view.code.usages(definition).usages if definition is not None else ():
        if usage.role in CALLS:
            callers.setdefault(_get_caller(view, usage) or usage.file, []).append(usage)
    return [
        IncomingCall(_build_caller(view, caller), [_get_range(view, usage) for usage in usages])
        for caller, usages in callers.items()
    ]


def list_outgoing_calls(view: View, item: HierarchyItem) -> list[OutgoingCall]:
    """Return the functions that an item is proven to call, and where."""
    definition = _get_definition(view, item.data)
    called: dict[Definition, list[Range]] = {}
    for reference, targets, _ in view.code.graph.callees(definition) if definition is not None else ():
        assert definition is not None
        place = Place(definition.file, reference.line, reference.column, len(reference.name))
        for target in targets:
            if target != definition or reference.line != definition.line:
                called.setdefault(target, []).append(view.range(place))
    return [OutgoingCall(_build_item(view, target), ranges) for target, ranges in called.items()]


def prepare_types(view: View, file: str, position: Position) -> list[HierarchyItem]:
    """Return the classes that the name at a position means."""
    return [_build_item(view, each) for each in find_definitions_at(view, file, position) if is_class(each.kind)]


def list_supertypes(view: View, item: HierarchyItem) -> list[HierarchyItem]:
    """Return the classes of the workspace that an item inherits from directly."""
    definition = _get_definition(view, item.data)
    bases = view.code.graph.classes.bases(definition) if definition is not None else ()
    return [_build_item(view, each) for each in bases]


def list_subtypes(view: View, item: HierarchyItem) -> list[HierarchyItem]:
    """Return the classes that inherit from an item directly, or satisfy it as an interface."""
    definition = _get_definition(view, item.data)
    if definition is None:
        return []
    graph = view.code.graph
    found = dict.fromkeys((*graph.classes.subclasses(definition), *graph.interfaces.implementers(definition)))
    return [_build_item(view, each) for each in found]


def _build_caller(view: View, caller: Definition | str) -> HierarchyItem:
    """Return the item of a function, or of a file whose own code calls."""
    if isinstance(caller, Definition):
        return _build_item(view, caller)
    start = view.text(caller).range_of(1, 0, 0)
    name, kind = caller.rpartition("/")[2], OutlineKind.FILE
    return HierarchyItem(name, kind, view.uri(caller), start, start, detail=caller, data=None)


def _build_item(view: View, definition: Definition) -> HierarchyItem:
    """Return the item of a definition; `data` identifies it in later requests."""
    symbol = definition.symbol
    whole, name = view.definition_ranges(definition)
    return HierarchyItem(
        symbol.name,
        KINDS[symbol.kind],
        view.uri(definition.file),
        whole,
        name,
        f"{symbol.qualname}, {definition.file}",
        [definition.file, symbol.qualname, symbol.line],
    )


def _get_definition(view: View, data: object) -> Definition | None:
    """Return the definition of an item that the client sends back; it may have moved to another line since."""
    match data:
        case [str(file), str(qualname), int(line)] if view.code.has_file(file):
            return view.get_nearest(file, qualname, line)
    return None


def _get_caller(view: View, usage: Usage) -> Definition | None:
    """Return the innermost named function around a call, or None outside of functions."""
    holder = usage.enclosing
    while holder is not None:
        is_before = usage.line == holder.line and usage.column < holder.symbol.column
        if holder.kind in BODIES and not is_before:
            return holder
        holder = view.code.get_parent(holder)
    return None


def _get_range(view: View, usage: Usage) -> Range:
    text = view.text(usage.file)
    return text.range_of(usage.line, usage.column, text.word_length(usage.line, usage.column))
