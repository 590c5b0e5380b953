"""Navigation: from a name to its definition, its type, its implementations and its uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from avionics.index.analysis.outside_usages import find_same_outside
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.values import Module, Target, Variable
from avionics.index.references.reference_targets import find_reference_targets
from avionics.lsp.features.labels import find_jumps, find_label
from avionics.lsp.types import DocumentHighlight, HighlightKind, Location, Position
from avionics.lsp.view import View
from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, SymbolKind, is_class
from avionics.model.facts import Expression, Import
from avionics.model.knowledge import Definition, ModuleLink
from avionics.model.naming import fold_name, tagged
from avionics.tools.edits.occurrences import (
    Occurrence,
    choose_overloads,
    find_declaring_places,
    find_definitions,
    find_meant_definitions,
    find_targets,
    find_types,
    get_occurrence,
)
from avionics.tools.edits.source_text import Place
from avionics.tools.edits.uses import find_uses, find_uses_in, place_of

Report = Callable[[list[Location]], None]
"""Takes a part of an answer as soon as it is known."""

_NAME = re.compile(r"[\w$]+")
_KEY_OF_TYPE = re.compile(r"\b(?:struct|union|class|enum)\s+\Z")
_HIGHLIGHTS = {ReferenceKind.WRITE: HighlightKind.WRITE, ReferenceKind.DELETE: HighlightKind.WRITE}


def occurrence_at(view: View, file: str, position: Position) -> Occurrence | None:
    """Return the name at a position of a file, or None."""
    text = view.text(file)
    return get_occurrence(view.code, text, file, *text.place_of(position))


def list_definitions(view: View, file: str, position: Position) -> list[Location]:
    """Return where the name at a position is defined; at the definition itself, where it is declared."""
    found = [view.location(place) for place in find_defining_places(view, file, position)]
    is_there = all(each.uri == view.uri(file) and each.range.start <= position <= each.range.end for each in found)
    return list_declarations(view, file, position) if is_there else found


def find_defining_places(view: View, file: str, position: Position) -> tuple[Place, ...]:
    """Return the places of `list_definitions`; of a name from outside the workspace where it is imported."""
    targets, occurrence = find_targets_at(view, file, position), occurrence_at(view, file, position)
    found = dict.fromkeys(place for target in targets for place in find_declaring_places(view.code, target, occurrence))
    if occurrence is not None:
        found.update(dict.fromkeys(_find_primary(view, occurrence)))
    inside = tuple(place for place in found if view.code.has_file(place.file))
    known = inside or _find_imports(view, file, targets) or find_label(view, file, position)
    return known if known or occurrence is None else _find_opaque(view, occurrence)


def find_targets_at(view: View, file: str, position: Position) -> tuple[Target, ...]:
    """Return the targets of the name at a position, which may be the module of an import."""
    occurrence = occurrence_at(view, file, position)
    if occurrence is not None:
        return find_targets(view.code, occurrence)
    text = view.text(file)
    line, column = text.place_of(position)
    written = text.line(line)
    for link in view.code.imports(file) if view.code.has_file(file) else ():
        # Relative modules start with dots, which paths of C includes lack.
        module = link.module.lstrip(".")
        start = written.find(module) if module else -1
        if not link.target or not 0 <= start <= column <= start + len(module):
            continue
        # In a statement over several lines, the module precedes the name, or follows it in quotes.
        if link.line >= line or _is_quoted(written, start, start + len(module)):
            return (_get_package(view, link, column - start) or Module(link.target),)
    words = _NAME.finditer(written)
    word = next((each for each in words if each.start() <= column <= each.end()), None)
    if word is None or not view.code.has_file(file):
        return ()
    return (
        _find_own_class(view, file, line, word[0])
        or _find_in_macro(view, file, line, word)
        or _find_declared_ahead(view, file, line, word)
    )


def _is_quoted(text: str, start: int, end: int) -> bool:
    """Return whether a part of a line is in quotes, ignoring dots before it."""
    quote = text[:start].rstrip(".")[-1:]
    return quote in {"'", '"', "`"} and text[end : end + 1] == quote


def _get_package(view: View, link: ModuleLink, column: int) -> Module | None:
    """Return the package in the name of an imported module up to a column: `shop` in `from shop.cart import Cart`.

    Return None for other forms of names, such as quoted ones, and for a package without a file.
    """
    written = link.module.lstrip(".")
    if "/" in written:
        return None
    name = written[: written.find(".", column) if "." in written[column:] else None]
    given = Import(name, "", name, len(link.module) - len(written), link.line)
    found = view.code.resolver.scopes.modules.find(given, link.file)
    return found if isinstance(found, Module) and view.code.has_file(found.file) else None


def _find_declared_ahead(view: View, file: str, line: int, word: re.Match[str]) -> tuple[Target, ...]:
    """Return the type that a line of C or C++ declares ahead, as in `struct store;`."""
    scopes = view.code.resolver.scopes
    if not _is_ahead(word.string, *word.span()) or not scopes.spec(file).linkage:
        return ()
    name = word[0] if scopes.spec(file).overloads else tagged(word[0])
    return scopes.find_targets(file, _list_scopes_at(view, file, line)[-1], name)


def _list_scopes_at(view: View, file: str, line: int) -> list[int]:
    """Return the scopes around a line, from outside inwards."""
    scopes = enumerate(view.code.uses(file).scopes)
    return [at for at, scope in scopes if scope.span.start_line <= line <= scope.span.end_line] or [0]


def _find_in_macro(view: View, file: str, line: int, word: re.Match[str]) -> tuple[Target, ...]:
    """Return the meaning of a word in the text of a C macro where the macro is defined; members are not looked up."""
    symbols, before = view.code.facts(file).symbols, word.string[: word.start()].rstrip()
    is_inside = any(each.kind is SymbolKind.MACRO and each.span.contains(line) for each in symbols)
    is_text = line in view.code.uses(file).strings.get(word[0], ()) and before.count('"') % 2 == 0
    if not is_inside or not is_text or before.endswith((".", "->")):
        return ()
    return view.code.resolver.scopes.find_targets(file, 0, word[0])


def _find_own_class(view: View, file: str, line: int, word: str) -> tuple[Target, ...]:
    """Return the class around a line if a word, such as `Self`, denotes it in the language."""
    resolver = view.code.resolver
    if word not in resolver.scopes.spec(file).type_forms.own:
        return ()
    scope = _list_scopes_at(view, file, line)[-1]
    own = resolver.inference.infer(Expression(ExpressionKind.OWN_CLASS), file, scope, line)
    classes = map(resolver.scopes.get_class_definition, own)
    found = (view.code.graph.get_variable(each) for each in classes if each is not None)
    return tuple(each for each in found if each is not None)


def list_declarations(view: View, file: str, position: Position) -> list[Location]:
    """Return where the name at a position is declared (a prototype, a stub, a trait), else where it is defined."""
    occurrence = occurrence_at(view, file, position)
    if occurrence is None:
        return []
    graph, found = view.code.graph, dict[Place, None]()
    for definition in _find_meant(view, occurrence):
        announced = [
            each
            for each in graph.find_declarations(definition)
            if each.kind is SymbolKind.MODULE or (each != definition and graph.body_of(each) == definition)
        ]
        if view.code.spec(definition.file).implementations_are_uses:
            above = graph.classes.overridden(definition)
            announced += [above] if above is not None and not above.file.startswith(STUBS) else []
        found.update((place_of(view, each), None) for each in announced)
        if not found:
            found.update(dict.fromkeys(_find_ahead(view, definition)))
    return [view.location(place) for place in found or find_defining_places(view, file, position)]


def _find_primary(view: View, occurrence: Occurrence) -> tuple[Place, ...]:
    """Return the forward declaration of a C++ template of which only specializations are defined."""
    found = _find_meant(view, occurrence)
    is_whole = any(not is_class(each.kind) or f"{each.name}<" not in each.symbol.signature for each in found)
    return _find_ahead(view, found[0]) if found and not is_whole else ()


def _find_ahead(view: View, definition: Definition) -> tuple[Place, ...]:
    """Return the first forward declaration of a C++ class; its own file comes before others."""
    code, own = view.code, view.code.graph.get_variable(definition)
    spec = code.spec(definition.file)
    if not (is_class(definition.kind) and spec.linkage and spec.overloads):
        return ()
    for file in dict.fromkeys((definition.file, *code.files_with_word(definition.name))):
        found = tuple(place for place, targets in _iter_ahead(view, file, definition.name) if own in targets)
        if found:
            return found
    return ()


def _find_opaque(view: View, occurrence: Occurrence) -> tuple[Place, ...]:
    """Return the forward declaration of a C++ class that no file defines: in the file itself, else the first one."""
    found = next(_iter_opaque(view, occurrence), ())
    return found if occurrence.place not in found else ()


def _iter_opaque(view: View, occurrence: Occurrence) -> Iterator[tuple[Place, ...]]:
    """Yield the forward declarations of a C++ class that no file defines, those in the occurrence's file first."""
    code, file, name = view.code, occurrence.place.file, occurrence.name
    spec = code.spec(file) if code.has_file(file) else None
    if spec is None or not (spec.linkage and spec.overloads) or code.files_defining(fold_name(name)):
        return
    for each in dict.fromkeys((file, *code.files_with_word(name))):
        if found := tuple(at for at, targets in _iter_ahead(view, each, name) if not targets):
            yield found


def _iter_ahead(view: View, file: str, name: str) -> Iterator[tuple[Place, tuple[Target, ...]]]:
    """Yield the forward declarations of a class in a file, with their meanings."""
    code, length = view.code, len(name)
    for each in code.uses(file).references.get(name, ()) if code.has_file(file) else ():
        if _is_ahead(view.text(file).line(each.line), each.column, each.column + length):
            yield Place(file, each.line, each.column, length), find_reference_targets(code.resolver, file, each)


def _is_ahead(line: str, start: int, end: int) -> bool:
    """Return whether a line declares a type ahead with the name in it, as in `struct store;`."""
    return _KEY_OF_TYPE.search(line, 0, start) is not None and line[end:].lstrip()[:1] in {";", ":"}


def _find_imports(view: View, file: str, targets: Iterable[Target]) -> tuple[Place, ...]:
    """Return where a file imports a name from outside the workspace."""
    scopes = view.code.resolver.scopes
    imports = [
        (target.name, binding)
        for target in targets
        if isinstance(target, Variable) and target.file == file
        for binding in scopes.bindings(target)
        if binding.kind is BindingKind.IMPORT
    ]
    return tuple(
        Place(file, binding.line, max(view.text(file).find(name, binding.line, binding.column), 0), len(name))
        for name, binding in imports
    )


def list_type_definitions(view: View, file: str, position: Position) -> list[Location]:
    """Return the classes of the object that the name at a position denotes."""
    occurrence = occurrence_at(view, file, position)
    found = find_types(view.code, occurrence) if occurrence is not None else ()
    return [view.location(place_of(view, each)) for each in found]


def list_implementations(view: View, file: str, position: Position) -> list[Location]:
    """Return the classes below a class, or the members that override a member."""
    occurrence = occurrence_at(view, file, position)
    found: dict[Definition, None] = {}
    for definition in _find_meant(view, occurrence) if occurrence is not None else ():
        found.update(dict.fromkeys(find_implementations(view, definition)))
    return [view.location(place_of(view, each)) for each in found]


def find_implementations(view: View, definition: Definition) -> tuple[Definition, ...]:
    """Return the implementations of a definition: subclasses, classes that satisfy an interface, overriding members."""
    graph = view.code.graph
    if is_class(definition.kind):
        return tuple(
            dict.fromkeys((*graph.classes.descendants(definition), *graph.interfaces.implementers(definition)))
        )
    return graph.classes.overrides(definition)


def list_references(
    view: View, file: str, position: Position, include_declaration: bool, report: Report | None = None
) -> list[Location]:
    """Return the places that are proven to use the name at a position, ordered by file and line.

    `report` is called with the places in the file itself before the rest is searched; those are then not returned.
    """
    targets, occurrence = find_targets_at(view, file, position), occurrence_at(view, file, position)
    early: set[Place] = set()
    is_overloaded = any(choose_overloads(view.code, occurrence, target) for target in targets)
    if report is not None and targets and not is_overloaded:
        uses = [use for use in find_uses_in(view, file, targets) if include_declaration or not use.is_declaration]
        early = {use.place for use in uses}
        report([view.location(place) for place in sorted(early, key=lambda place: place.start)])
    places = {
        use.place for use in find_uses(view, targets, occurrence) if include_declaration or not use.is_declaration
    }
    places.update(_iter_outside(view, file, position, targets))
    if not targets:
        labels = find_label(view, file, position) if include_declaration else ()
        places.update((*find_jumps(view, file, position), *labels))
    return [view.location(place) for place in sorted(places - early, key=lambda place: place.start)]


def _iter_outside(view: View, file: str, position: Position, targets: Sequence[Target]) -> Iterator[Place]:
    """Yield the places with the same meaning as a position, if only a library, or nothing, defines it."""
    occurrence = occurrence_at(view, file, position)
    if occurrence is None or any(find_definitions(view.code, target) for target in targets):
        return
    for reference in occurrence.references:
        for usage in find_same_outside(view.code, file, reference):
            written = _NAME.match(view.text(usage.file).line(usage.line), usage.column)
            if written is not None:
                yield Place(usage.file, usage.line, usage.column, len(written[0]))
    name, is_opaque = occurrence.name, not targets and any(_iter_opaque(view, occurrence))
    for each in view.code.files_with_word(name) if is_opaque else ():
        for reference in view.code.uses(each).references.get(name, ()) if view.code.has_file(each) else ():
            if not find_reference_targets(view.code.resolver, each, reference):
                yield Place(each, reference.line, reference.column, len(name))


def list_highlights(view: View, file: str, position: Position) -> list[DocumentHighlight]:
    """Return the places of a file with the same meaning as the name at a position."""
    occurrence = occurrence_at(view, file, position)
    if occurrence is None:
        return []
    uses = find_uses_in(view, file, find_targets(view.code, occurrence))
    kinds = {use.place: _HIGHLIGHTS.get(use.role, HighlightKind.READ) for use in uses}
    kinds.setdefault(occurrence.place, HighlightKind.TEXT)
    return [
        DocumentHighlight(view.range(place), kinds[place]) for place in sorted(kinds, key=lambda place: place.start)
    ]


def find_definitions_at(view: View, file: str, position: Position) -> tuple[Definition, ...]:
    """Return the definitions that the name at a position means."""
    occurrence = occurrence_at(view, file, position)
    return _find_meant(view, occurrence) if occurrence is not None else ()


def _find_meant(view: View, occurrence: Occurrence) -> tuple[Definition, ...]:
    targets = find_targets(view.code, occurrence)
    found = (each for target in targets for each in find_meant_definitions(view.code, target, occurrence))
    return tuple(dict.fromkeys(found))
