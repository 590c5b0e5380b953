"""Find further declarations of a symbol (a prototype, a stub, another part of its class), and its body."""

from __future__ import annotations

from collections.abc import Iterator

from avionics.index.facts.include_graph import list_qualnames
from avionics.index.model.values import ClassType, Variable
from avionics.index.scopes.class_sides import get_side
from avionics.index.scopes.name_resolver import NameResolver
from avionics.late_pattern import late_pattern
from avionics.model.enums import ScopeKind, SymbolKind, is_class
from avionics.model.facts import UNKNOWN
from avionics.model.knowledge import Definition
from avionics.model.naming import fold_name

_STATIC = late_pattern(r"(?!.*\b(?:inline|constexpr)\b)(?:\w+ )?static\b(?!.*[{])")


_MAX_OPENING = 500
"""The maximum number of files that open one namespace; a namespace that more files open is not followed."""


class Redeclarations:
    """The declarations of symbols in one snapshot."""

    def __init__(self, scopes: NameResolver) -> None:
        self._scopes = scopes

    def iter_declared_again(self, definition: Definition) -> Iterator[Variable]:
        """Yield the same definition where it is declared again: in a stub, a prototype, another part of its class."""
        if self._is_of_block(definition):
            return
        yield from self._iter_added(definition)
        package = self._scopes.source.facts(definition.file).package
        own = (definition.file,) if self._scopes.spec(definition.file).open_classes else ()
        files = (*own, *self._scopes.modules.counterparts(definition.file, definition.symbol.name))
        for file in dict.fromkeys((*files, *self._list_reopening(definition))):
            yield from self._iter_in(file, definition, package, is_own=file in own)

    def _is_of_block(self, definition: Definition) -> bool:
        """Return whether only a block has a definition, which is no declaration of what others have."""
        spec, own = self._scopes.spec(definition.file), self._scopes.get_declared(definition)
        if own is None or not spec.class_sides:
            return False
        return self._scopes.source.uses(own.file).scopes[own.scope].kind is ScopeKind.BLOCK

    def _list_reopening(self, definition: Definition) -> tuple[str, ...]:
        """Return the files that open a namespace of C++ (`namespace n { … }`), which is one across all files.

        A namespace without a name is not exported, and each file has its own.
        """
        symbol, scopes = definition.symbol, self._scopes
        if symbol.kind is not SymbolKind.MODULE or not (symbol.exported and scopes.spec(definition.file).linkage):
            return ()
        folded = fold_name(symbol.name)
        named = scopes.source.summaries.symbols_named(folded, scopes.source.files_defining(folded))
        opening = tuple(
            file
            for file, symbols in named.items()
            if any(each.kind is SymbolKind.MODULE for _, each in symbols) and scopes.spec(file).linkage
        )
        return opening if len(opening) <= _MAX_OPENING else ()

    def _iter_in(self, file: str, definition: Definition, package: str, *, is_own: bool) -> Iterator[Variable]:
        """Yield the variables that declarations of the same symbol bind in a file: one for each `namespace n { … }`."""
        source = self._scopes.source
        facts, found, names = source.facts(file), set(), self._qualnames(definition)
        own = self._scopes.get_declared(definition)
        is_linked = self._scopes.spec(file).linkage
        specs = [self._scopes.spec(file), self._scopes.spec(definition.file)]
        # The tag of a C struct is another name, and a type of C# with other type parameters is another type.
        is_marked = all(each.counts_parameters or (each.linkage and not each.overloads) for each in specs)
        around = self._list_bound_names(definition)
        named = (each for each in source.iter_definitions(file) if each.name == definition.name)
        for other in named if facts.package == package else ():
            if file != definition.file and (self._is_of_file(other) or self._is_of_file(definition)):
                continue
            is_same_kind = (other.kind is SymbolKind.MODULE) is (definition.kind is SymbolKind.MODULE)
            if (is_linked and not is_same_kind) or not names & list_qualnames(facts, other.symbol):
                continue
            variable = self._scopes.get_declared(other)
            if variable is None or (is_marked and own is not None and variable.name != own.name):
                continue
            if self._list_bound_names(other) != around:
                continue
            if own is not None and get_side(self._scopes, variable) is not get_side(self._scopes, own):
                continue
            if variable not in found and (not is_own or self._is_same(variable, definition)):
                found.add(variable)
                yield variable

    def _is_of_file(self, definition: Definition) -> bool:
        """Return whether a definition, or the outermost type around it, is private to its file."""
        if not self._scopes.spec(definition.file).declared_again:
            return False
        outermost = definition
        while (holder := self._scopes.source.get_parent(outermost)) is not None:
            outermost = holder
        return not outermost.symbol.exported

    def _list_bound_names(self, definition: Definition) -> list[str]:
        """Return the bound names of the types around a definition if they tell types apart (C#), else an empty list."""
        names: list[str] = []
        source = self._scopes.source
        holder = source.get_parent(definition) if self._scopes.spec(definition.file).counts_parameters else None
        while holder is not None:
            bound = self._scopes.get_declared(holder)
            names.append(bound.name if bound is not None else "")
            holder = source.get_parent(holder)
        return names

    def _iter_added(self, definition: Definition) -> Iterator[Variable]:
        """Yield the declaration to which an import adds members: an interface in `declare module 'x'`."""
        place = (definition.symbol.line, definition.symbol.column)
        own = self._scopes.get_declared(definition)
        bindings = self._scopes.bindings(own) if own is not None else ()
        if own is not None and any(b.imported >= 0 and (b.line, b.column) == place for b in bindings):
            yield from (each for each in self._scopes.follow(own) if isinstance(each, Variable) and each != own)

    def iter_bodies(self, definition: Definition) -> Iterator[Definition]:
        """Yield the definitions with a body if this one is only a declaration: one for each overload."""
        if not self._is_announced(definition):
            return
        own = self._scopes.get_declared(definition)
        for variable in (*((own,) if own is not None else ()), *self.iter_declared_again(definition)):
            for each in self._scopes.list_definitions(variable):
                is_same = self._qualnames(each) & self._qualnames(definition)
                if is_same and not self._is_announced(each) and not self._is_in_same_class(each, definition):
                    yield each

    def _is_announced(self, definition: Definition) -> bool:
        """Return whether a declaration has no body; a C++ class declares its static data members without one."""
        symbol, is_linked = definition.symbol, self._scopes.spec(definition.file).linkage
        is_static = is_linked and symbol.kind is SymbolKind.ATTRIBUTE and _STATIC.match(symbol.signature) is not None
        return symbol.is_announced or is_static

    def _qualnames(self, definition: Definition) -> set[str]:
        return list_qualnames(self._scopes.source.facts(definition.file), definition.symbol)

    def _is_in_same_class(self, body: Definition, declared: Definition) -> bool:
        """Return whether both are in the body of one C++ class, so that they are two overloads."""
        if (body.file, body.symbol.parent) != (declared.file, declared.symbol.parent):
            return False
        holder = self._scopes.source.get_parent(body) if self._scopes.spec(body.file).linkage else None
        return holder is not None and is_class(holder.kind)

    def _is_same(self, variable: Variable, definition: Definition) -> bool:
        """Return whether a variable with the same qualified name, in the class body or outside of it, is the same."""
        own = self._scopes.get_declared(definition)
        if own is None or own.name != variable.name:
            return False
        scopes = self._scopes.source.uses(variable.file).scopes
        where = (scopes[own.scope], scopes[variable.scope])
        here, there = (ClassType(variable.file, each.symbol) for each in where)
        if own != variable and all(each.of == UNKNOWN and each.symbol >= 0 for each in where):
            return there in self._scopes.parts(here)
        is_in_body = any(scope.of == UNKNOWN and scope.symbol >= 0 for scope in where)
        return own == variable or (is_in_body and all(scope.kind is ScopeKind.CLASS for scope in where))
