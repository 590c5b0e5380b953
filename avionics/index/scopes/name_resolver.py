"""NameResolver: what a bare name means where it stands, and where imports lead.

Knows: lexical scoping, import bindings, re-exports, star imports and `__all__`.
Does not know: types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import attrs

from avionics.index.facts.fact_source import FactSource
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.values import ClassType, External, Module, Target, Variable
from avionics.index.modules.import_resolver import Modules
from avionics.index.scopes.star_imports import StarImports
from avionics.model.enums import BindingKind, ExpressionKind, ScopeKind, SymbolKind
from avionics.model.facts import Binding, FileUses, Import, Symbol
from avionics.model.knowledge import Definition
from avionics.model.naming import as_written, called, tagged
from avionics.syntax.registry import require_spec
from avionics.syntax.spec import LanguageSpec

EXPORT_EQUALS = "export="
"""What a module that is a value of its own, and no namespace, is bound as."""

CONSTRUCTOR = "__init__"
"""What constructors are bound as, whatever their language calls them."""

_MAX_CHAIN_LENGTH = 30
"""Re-exports are followed this far: real chains have three or four links, a cycle has no end."""


class MemberLookup(Protocol):
    """What classes know of their members."""

    def get_implicit(self, file: str, scope: int, name: str) -> Variable | None:
        """The member that a bare name within a class scope means, inherited ones included."""
        ...

    def get_inner(self, variable: Variable, name: str) -> Variable | None:
        """The member of that name of the class that a variable names."""
        ...


class NameResolver:
    """Names to variables, variables to what they were imported from."""

    members: MemberLookup
    """Set once by the room that knows hierarchies, which in turn needs names."""

    def __init__(self, source: FactSource, modules: Modules) -> None:
        self.source = source
        self.modules = modules
        self.stars = StarImports(self)
        self._follows: dict[Variable, tuple[Target, ...]] = {}
        self._members: dict[tuple[Module, str], tuple[Target, ...]] = {}
        self._opened: dict[str, dict[int, int]] = {}
        self._parts: dict[ClassType, tuple[ClassType, ...]] = {}

    def spec(self, file: str) -> LanguageSpec:
        """The language of a file."""
        return require_spec(self.source.facts(file).language)

    def get_variable(self, file: str, scope: int, name: str) -> Variable | None:
        """The variable a bare name means in a scope, or None when no scope of the file binds it, or a star hides it."""
        variable = self._get_bound(file, scope, name)
        is_hidden = variable is not None and bool(self.stars.find_inner(file, scope, name, variable.scope))
        return None if is_hidden else variable

    def _get_bound(self, file: str, scope: int, name: str) -> Variable | None:
        uses = self.source.uses(file)
        bound = {binding.scope: binding for binding in uses.bindings.get(name, ())}
        outers = {b.scope: b.within for b in uses.bindings.get(name, ()) if b.kind is BindingKind.OUTER}
        current, is_direct = scope, True
        while current >= 0:
            if current in outers:
                current, is_direct = outers[current], False
                continue
            if uses.scopes[current].kind is not ScopeKind.CLASS:
                if current in bound and _is_lexical(uses, current, name):
                    return Variable(file, current, name)
            else:
                member = self._in_class(file, current, name, is_direct=is_direct)
                if member is not None:
                    return member
            current, is_direct = uses.scopes[current].parent, False
        return None

    def _in_class(self, file: str, scope: int, name: str, *, is_direct: bool) -> Variable | None:
        """What a class scope says of a bare name: its type parameters, and its members where they need no receiver."""
        spec = self.spec(file)
        own = [b for b in self.source.uses(file).bindings.get(name, ()) if b.scope == scope]
        is_bare = spec.implicit_members or (is_direct and spec.executed_classes) or self._is_namespace(file, scope)
        kinds = {binding.kind for binding in own}
        if BindingKind.TYPE_PARAMETER in kinds or (is_bare and kinds - {BindingKind.MEMBER, BindingKind.OUTER}):
            return Variable(file, scope, name)
        if self._is_namespace(file, scope):
            return self._in_own_namespace(file, scope, name)
        return self.members.get_implicit(file, scope, name) if spec.implicit_members else None

    def _in_own_namespace(self, file: str, scope: int, name: str) -> Variable | None:
        """What a namespace around a name says of it in other files that this one sees."""
        qualname = self.source.facts(file).symbols[self.source.uses(file).scopes[scope].symbol].qualname
        for module in self.modules.ambient(file):
            if module.seen_from:
                targets = self.find_member(attrs.evolve(module, inner=tuple(qualname.split("."))), name)
                return next((target for target in targets if isinstance(target, Variable)), None)
        return None

    def get_namespace(self, targets: tuple[Target, ...], file: str) -> Module | None:
        """The namespace that a name means to a file, where each file sees its own share of it; None for all else."""
        for target in targets:
            if not isinstance(target, Variable) or target.file.startswith(STUBS):
                continue
            symbol = next((binding.symbol for binding in self.bindings(target)), -1)
            if symbol >= 0:
                of = self.source.facts(target.file).symbols[symbol]
                seen = [module for module in self.modules.ambient(file) if module.seen_from]
                if of.kind is SymbolKind.MODULE and seen:
                    return attrs.evolve(seen[0], inner=tuple(of.qualname.split(".")))
        return None

    def _is_namespace(self, file: str, scope: int) -> bool:
        """Whether a class scope is that of a namespace: what it holds is seen by all within."""
        symbol = self.source.uses(file).scopes[scope].symbol
        return symbol >= 0 and self.source.facts(file).symbols[symbol].kind is SymbolKind.MODULE

    def find_targets(self, file: str, scope: int, name: str) -> tuple[Target, ...]:
        """What a bare name leads to: variables of the workspace, modules, externals; () when nothing says."""
        variable = self._get_bound(file, scope, name)
        if variable is not None:
            return self.stars.find_inner(file, scope, name, variable.scope) or self.follow(variable)
        modules = self.modules.ambient(file)
        own = [module for module in modules if not module.file.startswith(STUBS)]
        for found in (*map(self._finder(name), own), self.stars.find(file, scope, name, frozenset())):
            if found:
                return found
        return self.find_prelude(file, name)

    def find_prelude(self, file: str, name: str) -> tuple[Target, ...]:
        """What a name that nothing else explains means in the stub of the file's language."""
        for module in self.modules.ambient(file)[-1:]:
            if module.file.startswith(STUBS):
                return self.find_member(module, name)
        return ()

    def get_declared(self, definition: Definition) -> Variable | None:
        """The variable a definition gives a meaning to."""
        return next(self.iter_declared(definition), None)

    def iter_declared(self, definition: Definition) -> Iterator[Variable]:
        """The variables a definition gives a meaning to: a record's component is a field and a function."""
        symbol = definition.symbol
        bindings = self.source.uses(definition.file).bindings
        for name in (symbol.name, CONSTRUCTOR, called(symbol.name), tagged(symbol.name)):
            for binding in bindings.get(name, ()):
                if (binding.line, binding.column) == (symbol.line, symbol.column):
                    yield Variable(definition.file, binding.scope, name)

    def parameters_at(self, file: str, scope: int) -> tuple[Variable, ...]:
        """The type parameters that the scope of a class or an alias declares, in order."""
        bindings = self.source.uses(file).bindings if scope >= 0 else {}
        found = [b for bs in bindings.values() for b in bs if b.scope == scope and b.kind is BindingKind.TYPE_PARAMETER]
        return tuple(Variable(file, scope, b.name) for b in sorted(found, key=lambda b: (b.line, b.column)))

    def bindings(self, variable: Variable) -> tuple[Binding, ...]:
        """What gives the variable its meaning, in order of appearance."""
        found = self.source.uses(variable.file).bindings.get(variable.name, ())
        return tuple(b for b in found if b.scope == variable.scope and b.kind is not BindingKind.OUTER)

    def follow(self, variable: Variable, seen: frozenset[Variable] = frozenset()) -> tuple[Target, ...]:
        """The variable itself where it is more than an import, and all that its imports lead to."""
        if variable in self._follows:
            return self._follows[variable]
        if variable in seen or len(seen) > _MAX_CHAIN_LENGTH:
            return ()
        found: dict[Target, None] = {}
        for binding in self.bindings(variable):
            if binding.kind is BindingKind.IMPORT:
                found.update(dict.fromkeys(self.resolve_import_binding(variable, binding, seen | {variable})))
            else:
                found[variable] = None
        targets = tuple(found)
        if not seen:
            self._follows[variable] = targets
        return targets

    def resolve_import_binding(
        self, variable: Variable, binding: Binding, seen: frozenset[Variable] = frozenset()
    ) -> tuple[Target, ...]:
        """What an import brings to a variable it binds: functions, or all else, where those have separate names."""
        found = self.source.facts(variable.file).imports[binding.imported]
        if not self.spec(variable.file).separate_functions:
            return self.find_imported(variable.file, found, seen)
        is_function = variable.name != as_written(variable.name)
        return self._find_imported(variable.file, found, called(found.name) if is_function else found.name, seen)

    def find_imported(self, file: str, found: Import, seen: frozenset[Variable] = frozenset()) -> tuple[Target, ...]:
        """What one imported name leads to."""
        targets = self._find_imported(file, found, found.name, seen)
        if not found.name or not self.spec(file).separate_functions:
            return targets
        functions = self._find_imported(file, found, called(found.name), seen)
        return (*functions, *(target for target in targets if not (functions and isinstance(target, External))))

    def _find_imported(self, file: str, wanted: Import, name: str, seen: frozenset[Variable]) -> tuple[Target, ...]:
        module = self.modules.find(wanted, file)
        if not wanted.name:
            top = wanted.module.partition(".")[0]
            if wanted.alias == top != wanted.module:
                return (self.modules.module_named(top, file),)
            return (*self._as_a_whole(module, seen), module)
        if isinstance(module, External):
            return self.find_prelude(file, name) or (External(f"{module.name}.{name}"),)
        found = self.find_member(module, name, seen)
        if found or name == "default":
            return found or self._as_a_whole(module, seen)
        return tuple(t for held in self._as_a_whole(module, seen) for t in self._of_object(held, name, seen))

    def _as_a_whole(self, module: Module | External, seen: frozenset[Variable]) -> tuple[Target, ...]:
        """What a module is itself where it says so (`module.exports = …`), beside what its members are."""
        if isinstance(module, External) or not module.file:
            return ()
        variable = Variable(module.file, 0, EXPORT_EQUALS)
        return self.follow(variable, seen) if self.bindings(variable) else ()

    def _of_object(self, held: Target, name: str, seen: frozenset[Variable]) -> Iterator[Target]:
        """What a name means in the object literal that a variable holds."""
        for binding in self.bindings(held) if isinstance(held, Variable) else ():
            if isinstance(held, Variable) and binding.value.kind is ExpressionKind.OBJECT:
                member = Variable(held.file, binding.value.index, name)
                yield from self.follow(member, seen) if self.bindings(member) else ()

    def find_member(self, module: Module, name: str, seen: frozenset[Variable] = frozenset()) -> tuple[Target, ...]:
        """What a name means in a module's namespace: its own, star-imported, or a submodule; () when nothing says."""
        key = (module, name)
        if key in self._members:
            return self._members[key]
        targets = self._in_namespace(module, name, seen) if module.inner and module.seen_from else ()
        if not targets:
            targets = self._inner_member(module, name, seen) if module.inner else self._bound_in(module, name, seen)
        if not targets and not module.inner:
            submodule = self.modules.submodule(module, name)
            given = (Variable(file, 0, name) for file in self.modules.given_from(module, name))
            targets = (submodule,) if submodule is not None else tuple(v for v in given if self.bindings(v))
        if not seen:
            self._members[key] = targets
        return targets

    def _bound_in(self, module: Module, name: str, seen: frozenset[Variable]) -> tuple[Target, ...]:
        """What the files of a module bind the name to, or take under it by a star."""
        files = self.modules.files_of(module, name)
        found: list[Target] = []
        for file in files:
            variable = Variable(file, 0, name)
            if self.bindings(variable):
                found.extend(self.follow(variable, seen))
        if not found:
            found.extend(target for file in files for target in self.stars.find(file, 0, name, seen))
        return tuple(dict.fromkeys(found))

    def _in_namespace(self, module: Module, name: str, seen: frozenset[Variable]) -> tuple[Target, ...]:
        """What the files that one file sees add to a namespace under the name."""
        qualname = ".".join(module.inner)
        found: dict[Target, None] = {}
        for file in self.modules.files_of(module, name):
            scopes, symbols = self.source.uses(file).scopes, self.source.facts(file).symbols
            for binding in self.source.uses(file).bindings.get(name, ()):
                symbol = scopes[binding.scope].symbol
                if symbol >= 0 and self._is_namespace(file, binding.scope) and symbols[symbol].qualname == qualname:
                    found.update(dict.fromkeys(self.follow(Variable(file, binding.scope, name), seen)))
        return tuple(found)

    def _inner_member(self, module: Module, name: str, seen: frozenset[Variable]) -> tuple[Target, ...]:
        """What a member of a class that the module holds leads to."""
        first, *rest = module.inner
        targets = self.find_member(attrs.evolve(module, inner=()), first, seen)
        for inner in (*rest, name):
            holders = [target for target in targets if isinstance(target, Variable)]
            found = [target for holder in holders for target in self._held_by(holder, inner, seen)]
            targets = tuple(dict.fromkeys(found))
        return targets

    def _held_by(self, holder: Variable, name: str, seen: frozenset[Variable]) -> tuple[Target, ...]:
        """What a name means in the class or namespace that a variable names."""
        member = self.members.get_inner(holder, name)
        if member is not None:
            return self.follow(member, seen)
        inner = [self.class_scope(holder.file, b.symbol) for b in self.bindings(holder) if b.symbol >= 0]
        spaces = [scope for scope in inner if scope >= 0 and self._is_namespace(holder.file, scope)]
        return tuple(t for scope in spaces for t in self.stars.find(holder.file, scope, name, seen))

    def _finder(self, name: str) -> Callable[[Module], tuple[Target, ...]]:
        return lambda module: self.find_member(module, name)

    def has_dynamic_members(self, module: Module) -> bool:
        """Whether the module answers for names it does not bind (`__getattr__`)."""
        return bool(module.file) and bool(self.bindings(Variable(module.file, 0, "__getattr__")))

    def exported_names(self, module: Module) -> frozenset[str] | None:
        """The names a star import takes; None when the module says nothing about it."""
        exports = self.source.facts(module.file).exports if module.file else None
        return frozenset(exports) if exports is not None else None

    def class_scope(self, file: str, symbol: int) -> int:
        """Return the scope that a class or function symbol opened, or -1."""
        if file not in self._opened:
            scopes = self.source.uses(file).scopes
            last_first = reversed(list(enumerate(scopes)))
            self._opened[file] = {scope.symbol: index for index, scope in last_first if scope.symbol >= 0}
        return self._opened[file].get(symbol, -1)

    def scope_of_class(self, of: ClassType) -> int:
        """Return the scope of a class, or -1 for one that is only announced."""
        return self.class_scope(of.file, of.symbol) if of.symbol >= 0 else of.scope

    def class_of_scope(self, file: str, scope: int) -> ClassType:
        """Return the class whose body a scope is."""
        symbol = self.source.uses(file).scopes[scope].symbol
        return ClassType(file, symbol) if symbol >= 0 else ClassType(file, -1, scope=scope)

    def get_class_symbol(self, of: ClassType) -> Symbol | None:
        """The symbol of a class, None for one without a name."""
        return self.source.facts(of.file).symbols[of.symbol] if of.symbol >= 0 else None

    def has_members(self, file: str, symbol: int) -> bool:
        """Whether a symbol is of the kinds that have members: a class, or an alias or namespace with a body."""
        kind = self.source.facts(file).symbols[symbol].kind
        if kind not in {SymbolKind.TYPE, SymbolKind.MODULE}:
            return is_class(kind)
        scope = self.class_scope(file, symbol)
        return scope >= 0 and self.source.uses(file).scopes[scope].kind is ScopeKind.CLASS

    def is_member(self, variable: Variable) -> bool:
        """Whether a variable is a member of a class; what a namespace holds is none."""
        scope = self.source.uses(variable.file).scopes[variable.scope]
        if scope.kind is not ScopeKind.CLASS:
            return False
        symbols = self.source.facts(variable.file).symbols
        return scope.symbol < 0 or symbols[scope.symbol].kind is not SymbolKind.MODULE

    def parts(self, of: ClassType) -> tuple[ClassType, ...]:
        """The class and its other declarations, where the language lets a class have several; in one fixed order."""
        plain = of.plain
        if plain not in self._parts:
            found = {plain, *self._iter_parts(plain)} if self.spec(of.file).open_classes else {plain}
            self._parts[plain] = tuple(sorted(found, key=lambda part: (part.file, part.symbol)))
        return self._parts[plain]

    def canonical(self, of: ClassType) -> ClassType:
        """The first declaration of a class, which stands for all of them."""
        first = self.parts(of)[0]
        return first.applied(of.arguments) if of.arguments else first

    def _iter_parts(self, of: ClassType) -> Iterable[ClassType]:
        symbol = self.get_class_symbol(of)
        if symbol is None:
            return
        declared = self.get_declared(Definition(of.file, symbol, of.symbol))
        for binding in self.bindings(declared) if declared is not None else ():
            if binding.symbol >= 0 and self.has_members(of.file, binding.symbol):
                yield ClassType(of.file, binding.symbol)
        package = self.source.facts(of.file).package
        for file in self.modules.counterparts(of.file, symbol.name):
            facts = self.source.facts(file)
            for index, other in enumerate(facts.symbols):
                is_same = other.qualname == symbol.qualname and facts.package == package
                if is_same and self.has_members(file, index):
                    yield ClassType(file, index)


def _is_lexical(uses: FileUses, scope: int, name: str) -> bool:
    """Whether a bare name can mean what the scope binds: `self.x = …` binds a member, which it cannot."""
    return any(b.scope == scope and b.kind is not BindingKind.MEMBER for b in uses.bindings.get(name, ()))


def is_class(kind: SymbolKind) -> bool:
    """Whether symbols of the kind have members and instances."""
    return kind in {SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM}
