"""Symbols: the outline of a document, and definitions of the workspace by name."""

from __future__ import annotations

from avionics.index.scopes.symbol_lookup import SymbolQuery
from avionics.lsp.types import DocumentSymbol, OutlineKind, WorkspaceSymbol
from avionics.lsp.view import View
from avionics.model.enums import SymbolKind
from avionics.model.knowledge import Definition
from avionics.tools.edits.uses import place_of

MAX_SYMBOLS = 200
"""More names than anybody picks from; a longer query finds fewer."""

_OTHER_KINDS = {
    SymbolKind.TYPE: OutlineKind.TYPE_PARAMETER,
    SymbolKind.ATTRIBUTE: OutlineKind.FIELD,
    SymbolKind.MACRO: OutlineKind.CONSTANT,
}
"""The protocol has no kind for a type alias or a macro, and another name for an attribute."""
KINDS = {each: _OTHER_KINDS.get(each) or OutlineKind[each.name] for each in SymbolKind}


def list_document_symbols(view: View, file: str) -> list[DocumentSymbol]:
    """Return the outline of a file as a tree."""
    if not view.code.has_file(file):
        return []
    roots: list[DocumentSymbol] = []
    built: list[DocumentSymbol] = []
    for each in view.code.iter_definitions(file):
        node = _build_node(view, each)
        built.append(node)
        siblings = roots if each.symbol.parent < 0 else built[each.symbol.parent].children
        siblings.append(node)
    return roots


def list_workspace_symbols(view: View, query: str) -> list[WorkspaceSymbol]:
    """Return the definitions whose names are, start like, or look like the query, in this order."""
    names = view.code.names
    wanted = SymbolQuery.read(query).last
    if not wanted:
        return []
    found = dict.fromkeys(view.code.find_definitions(query))
    if wanted == query.strip():
        found.update(dict.fromkeys(names.find_folded(query)))
        found.update(dict.fromkeys(names.find_prefixed(query, MAX_SYMBOLS)))
    if not found:
        found.update(dict.fromkeys(names.find_similar(query)))
    return [_build_symbol(view, each) for each in list(found)[:MAX_SYMBOLS]]


def _build_node(view: View, definition: Definition) -> DocumentSymbol:
    symbol = definition.symbol
    whole, name = view.definition_ranges(definition)
    return DocumentSymbol(
        name=symbol.name or "(nameless)",
        kind=KINDS[symbol.kind],
        range=whole,
        selection_range=name,
        detail=symbol.signature or None,
        children=[],
    )


def _build_symbol(view: View, definition: Definition) -> WorkspaceSymbol:
    holder = definition.symbol.qualname.rpartition(".")[0]
    return WorkspaceSymbol(
        location=view.location(place_of(view, definition)),
        name=definition.name,
        kind=KINDS[definition.kind],
        container_name=holder or view.code.dotted_name(definition.file) or None,
    )
