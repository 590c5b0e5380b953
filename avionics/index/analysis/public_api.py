"""The public symbols of a place, most used first.

A file uses a symbol if it imports it, or if it mentions its name and imports its whole module, imports a module that
re-exports it, or sees the module without an import.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.cached_method import cached_method
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.model.values import Module, Variable
from avionics.index.references.import_graph import Edge, iter_edges
from avionics.index.scopes.exported_members import EXPORT_EQUALS
from avionics.index.scopes.symbol_lookup import is_within
from avionics.model.enums import VALUES, SymbolKind, is_class
from avionics.model.facts import FileFacts, Symbol
from avionics.model.knowledge import Definition
from avionics.syntax.conventions import is_decorated
from avionics.syntax.registry import conventions_of

_MEMBERS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.FUNCTION, SymbolKind.CLASS})
_VALUES = VALUES | {SymbolKind.ATTRIBUTE, SymbolKind.TYPE, SymbolKind.MACRO}


class ExportedSymbol(Struct, frozen=True):
    """A public symbol: its exported name, its definition, and the number of other files that use it by that name."""

    name: str
    definition: Definition
    importers: int
    members: tuple[str, ...] = ()


class MethodGroup(Struct, frozen=True):
    """The methods that a file defines for a type of another file: the name of the type, and the definitions."""

    holder: str
    methods: tuple[Definition, ...]


def find_method_groups(code: CodeIndex, file: str) -> tuple[MethodGroup, ...]:
    """Return the methods of a file whose types it does not define, by type, those with most methods first.

    Examples are Go's methods with a receiver, C++ bodies outside of their class, and `impl` blocks.
    """
    facts = code.facts(file)
    own = {symbol.qualname for symbol in facts.symbols}
    groups: defaultdict[str, list[Definition]] = defaultdict(list)
    for each in code.iter_definitions(file):
        holder, around = each.symbol.qualname.rpartition(".")[0], facts.get_parent(each.symbol)
        is_outermost = around is None or around.kind is SymbolKind.MODULE
        if is_outermost and holder and holder not in own and each.kind in _MEMBERS:
            groups[holder].append(each)
    found = (MethodGroup(holder, tuple(methods)) for holder, methods in groups.items())
    return tuple(sorted(found, key=lambda group: -len(group.methods)))


class ImporterIndex:
    """Finds the files that use the definitions of other files, from outlines alone."""

    def __init__(self, code: CodeIndex, edges: Iterable[Edge]) -> None:
        self._code = code
        self._name_importers: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        self._whole_importers: defaultdict[str, set[str]] = defaultdict(set)
        for edge in edges:
            if edge.target and edge.target != edge.file:
                self._name_importers[edge.target, edge.name].add(edge.file)
                if edge.name in {"*", edge.module} or edge.name in _list_module_names(edge.target):
                    self._whole_importers[edge.target].add(edge.file)

    def find(self, file: str, name: str, *, exported: bool = True) -> frozenset[str]:
        """Return the other files that use a name of a file; if it is not exported, only files that need no import."""
        using = self._files_seeing(file) & self._files_mentioning(name)
        providers = [file] if exported else []
        for provider in providers:
            by_name = self._name_importers.get((provider, name), set())
            by_star = self._name_importers.get((provider, "*"), set())
            using |= by_name
            using |= self._whole_importers.get(provider, set()) & self._files_mentioning(name)
            # A file that imports the name may be imported for it in turn.
            providers.extend((by_name | by_star).difference(providers))
        return frozenset(using - {file})

    def list_importing(self, file: str, name: str) -> frozenset[str]:
        """Return the other files that import a name from its file."""
        return frozenset(self._name_importers.get((file, name), ()))

    def package(self, file: str) -> Module | None:
        """Return the package of a file if it spans several files, else None."""
        return next((each for each in self._code.modules.ambient(file) if not each.file), None)

    def _files_seeing(self, file: str) -> set[str]:
        """Return the files that see the declarations of a file without importing it."""
        package = self.package(file)
        return self._seeing_files.get(package, set()) if package is not None else set()

    @cached_property
    def _seeing_files(self) -> Mapping[Module, set[str]]:
        """Return a package of several files → the files that see it without an import."""
        seeing: defaultdict[Module, set[str]] = defaultdict(set)
        for file in self._code.files:
            for module in self._code.modules.ambient(file):
                if not module.file:
                    seeing[module].add(file)
        return seeing

    @cached_method
    def _files_mentioning(self, name: str) -> frozenset[str]:
        return frozenset(self._code.files_with_word(name))


def build_importer_index(code: CodeIndex) -> ImporterIndex:
    """Return the importers of the whole workspace."""
    return ImporterIndex(code, iter_edges(code.source, code.graph.edges))


def _list_module_names(file: str) -> tuple[str, str]:
    """Return the names by which a module may be imported as a whole: that of its file, and that of its directory."""
    directory, _, base = file.rpartition("/")
    return base.partition(".")[0], directory.rpartition("/")[2]


def find_offers(
    code: CodeIndex, path: str, doc_file: str, files: Sequence[str], edges: Iterable[Edge]
) -> tuple[str, tuple[ExportedSymbol, ...]]:
    """Return the public symbols of a directory or file, and how they are determined.

    `doc_file` is the file that represents the place, "" for none; `edges` are the imports of the whole workspace.
    """
    users = ImporterIndex(code, edges)
    if doc_file:
        doc_file = _follow_reexport(code, doc_file)
        facts = code.facts(doc_file)
        if facts.exports and "*" not in facts.exports:
            return "__all__", _find_named(code, doc_file, facts.exports, users)
        if doc_file == path and any(_is_in_namespace(facts, symbol) for symbol in facts.symbols):
            return "public names", _find_defined(code, (path,), users)
        names = _public_names(code, doc_file, with_imports=doc_file != path)
        every = _find_named(code, doc_file, names, users)
        offers = tuple(o for o in every if is_within(o.definition.file, path) or users.find(doc_file, o.name))
        if offers:
            return f"exports of {doc_file.rpartition('/')[2]}" if doc_file != path else "public names", offers
    inside = [file for file in files if role_of(file) <= FileRole.AUXILIARY] or list(files)
    own = [file for file in inside if file.rpartition("/")[0] == path.removeprefix(".") and users.package(file)]
    for chosen, why in ((own, "definitions in its files"), (inside, "definitions in its files that others use")):
        defined = _find_defined(code, chosen, users)
        if defined:
            return why, tuple(offer for offer in defined if offer.importers) or defined
    return "", ()


def _find_defined(code: CodeIndex, files: Iterable[str], users: ImporterIndex) -> tuple[ExportedSymbol, ...]:
    """Return the top-level definitions that other files can use."""
    defined = [
        ExportedSymbol(each.name, each, len(users.find(file, each.name)), _members_of(code, each))
        for file in files
        for each in _iter_outermost(code, file)
        if each.symbol.exported and not _is_overload(file, each.symbol)
    ]
    return tuple(_iter_without_variants(code, _rank(defined)))


def _iter_without_variants(code: CodeIndex, offers: Iterable[ExportedSymbol]) -> Iterable[ExportedSymbol]:
    """Yield each symbol once, without further overloads, prototypes and variants for other systems."""
    seen: defaultdict[str, list[str]] = defaultdict(list)
    for offer in offers:
        definition = offer.definition
        places = seen[definition.symbol.qualname]
        others = code.modules.counterparts(definition.file, definition.name) if places else ()
        if not any(place == definition.file or place in others for place in places):
            yield offer
        places.append(definition.file)


def _follow_reexport(code: CodeIndex, file: str) -> str:
    """Return the file that a file re-exports as a whole: `module.exports = require("./lib")`."""
    facts = code.facts(file)
    whole = next((each for each in facts.imports if each.alias == EXPORT_EQUALS and not each.name), None)
    module = code.modules.find(whole, file) if whole is not None and not facts.symbols else None
    return module.file if isinstance(module, Module) and module.file else file


def _public_names(
    code: CodeIndex, file: str, *, with_imports: bool, seen: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """Return the public names of a module that has no `__all__`; those of a package include what it passes on."""
    facts, passes_on = code.facts(file), conventions_of(file).passes_on
    text = code.read_text(file) if with_imports and passes_on is not None else ""
    names = [s.name for s in facts.symbols if s.parent < 0 and s.exported and s.kind is not SymbolKind.MODULE]
    for imported in facts.imports if with_imports else ():
        if imported.name == "*":
            module = code.modules.find(imported, file)
            inner = module.file if isinstance(module, Module) else ""
            if inner and inner not in seen:
                exports = code.facts(inner).exports
                names += exports or _public_names(code, inner, with_imports=False, seen=seen | {file})
        elif imported.name and not imported.lazy and (passes_on is None or passes_on(text, imported)):
            names.append(imported.alias)
    return tuple(name for name in names if not name.startswith("_") and name != EXPORT_EQUALS)


def _find_named(code: CodeIndex, file: str, names: Iterable[str], users: ImporterIndex) -> tuple[ExportedSymbol, ...]:
    """Return the definitions of a module's names, anywhere in the workspace."""
    offers = []
    for name in dict.fromkeys(names):
        targets = code.resolver.scopes.find_member(Module(file), name)
        for target in targets:
            found = code.graph.find_all_definitions(target) if isinstance(target, Variable) else ()
            # A definition of a standard library is not one that this module offers.
            own = (d for d in found if not d.file.startswith(STUBS) and not _is_overload(d.file, d.symbol))
            definition = next(own, None)
            if definition is not None:
                homes = (definition.file, *code.modules.counterparts(definition.file, definition.name))
                using = users.find(file, name).union(*(users.find(home, definition.name) for home in homes))
                offers.append(ExportedSymbol(name, definition, len(using), _members_of(code, definition)))
                break
    return _rank(offers)


def _rank(offers: Iterable[ExportedSymbol]) -> tuple[ExportedSymbol, ...]:
    """Return the symbols by number of users, then classes and functions before values; tests come last."""

    def rank(offer: ExportedSymbol) -> tuple[int, int, bool, str, int]:
        definition = offer.definition
        return role_of(definition.file), -offer.importers, definition.kind in _VALUES, definition.file, definition.line

    return tuple(sorted(offers, key=rank))


def _is_in_namespace(facts: FileFacts, symbol: Symbol) -> bool:
    """Return whether a public symbol is a member of a namespace."""
    holder = facts.get_parent(symbol)
    return symbol.exported and holder is not None and holder.kind is SymbolKind.MODULE


def _iter_outermost(code: CodeIndex, file: str) -> Iterator[Definition]:
    """Yield the definitions of a file that only namespaces enclose, without the namespaces."""
    facts, namespaces = code.facts(file), _list_namespaces(code.facts(file))
    for each in code.iter_definitions(file):
        symbol, holder = each.symbol, facts.get_parent(each.symbol)
        outer = "" if holder is None else f"{holder.qualname}."
        is_within = symbol.parent < 0 or symbol.parent in namespaces
        if each.index not in namespaces and is_within and symbol.qualname == f"{outer}{symbol.name}":
            yield each


def _list_namespaces(facts: FileFacts) -> frozenset[int]:
    """Return the modules with members, and the interfaces that only hold other types and values.

    Those within another definition are none.
    """
    held: defaultdict[int, list[Symbol]] = defaultdict(list)
    for symbol in facts.symbols:
        held[symbol.parent].append(symbol)
    found = set[int]()
    for index, symbol in enumerate(facts.symbols):
        members = held.get(index, [])
        is_mixin = symbol.kind is SymbolKind.INTERFACE and any(is_class(each.kind) for each in members)
        is_plain = all(is_class(each.kind) or each.kind in _VALUES for each in members)
        is_namespace = bool(members) and (symbol.kind is SymbolKind.MODULE or (is_mixin and is_plain))
        if is_namespace and (symbol.parent < 0 or symbol.parent in found):
            found.add(index)
    return frozenset(found)


def _is_overload(file: str, symbol: Symbol) -> bool:
    """Return whether a definition is an overload, which only declares the types of another one (`@overload`)."""
    return is_decorated(symbol.decorators, conventions_of(file).decorators.overloads)


def _members_of(code: CodeIndex, definition: Definition) -> tuple[str, ...]:
    """Return the public methods, properties and classes of a class, or of a named object, in order."""
    if not is_class(definition.kind) and definition.kind not in VALUES:
        return ()
    symbols = code.facts(definition.file).symbols
    prefix = f"{definition.symbol.qualname}."
    names = (
        s.name
        for s in symbols
        if (s.parent == definition.index or (s.parent < 0 and s.qualname == f"{prefix}{s.name}"))
        and s.kind in _MEMBERS
        and s.exported
        and not s.name.startswith("_")
    )
    return tuple(dict.fromkeys(names))
