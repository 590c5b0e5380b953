"""Resolve bare names in their scope, and imports to their targets: lexical scoping, re-exports, `__all__`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from msgspec import structs

from avionics.index.facts.fact_source import FactSource
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.cached_method import bounded_method, cached_method
from avionics.index.model.memo import Computation, FinalValues, Memo
from avionics.index.model.values import ClassType, External, Module, Target, Type, Variable
from avionics.index.modules.import_resolver import Modules
from avionics.index.scopes.exported_members import EXPORT_EQUALS, ExportedMembers
from avionics.index.scopes.global_object import GlobalObject
from avionics.index.scopes.language_specs import SpecsOfFiles
from avionics.index.scopes.namespaces import Namespaces
from avionics.index.scopes.script_globals import ScriptGlobals
from avionics.index.scopes.star_imports import StarImports
from avionics.model.enums import FUNCTIONS, BindingKind, ExpressionKind, ScopeKind, SymbolKind, is_class
from avionics.model.facts import UNKNOWN, Binding, Import, Symbol, iter_scopes_around
from avionics.model.knowledge import Definition
from avionics.model.naming import as_namespace, as_written, called, is_namespace, join_outside, list_generic, tagged
from avionics.syntax.registry import require_rules

if TYPE_CHECKING:
    from avionics.syntax.rules import LanguageRules
    from avionics.syntax.spec import LanguageSpec

UNWRITTEN = frozenset({"default", EXPORT_EQUALS})
"""Names that importers refer to without writing them."""

CONSTRUCTOR = "__init__"
"""The name bound to constructors in every language."""

_UNNAMED = "__"
"""The prefix of names of classes in stubs that code cannot name."""
# To look up a member of an enumeration takes several times as long as to compare it, and this is done at every step.
_CLASS = ScopeKind.CLASS
_IMPORT, _MEMBER, _OUTER = BindingKind.IMPORT, BindingKind.MEMBER, BindingKind.OUTER
_MAYBE_WITH_BODY = frozenset({SymbolKind.TYPE, SymbolKind.MODULE})
_BindingsByScope = Mapping[int, tuple[Binding, ...]]
_MAX_GROUPED = 50_000
"""The number of names whose bindings are kept by scope, about 20 MB; when there are more, all are dropped."""
_MAX_TYPED = 50_000
"""The number of names that are kept with whether they are type parameters; when there are more, all are dropped."""


class MemberLookup(Protocol):
    """What the resolver needs to know about members of classes, which depends on types."""

    def get_implicit(self, file: str, scope: int, name: str, of_class: bool | None) -> Variable | None:
        """Return the member, own or inherited, that a bare name in a class means: of the class itself, if known."""

    def list_inner(self, variable: Variable, name: str) -> tuple[Variable, ...]:
        """Return the members of that name of the classes that a variable names."""


class NameResolver:
    """Resolves the names of one snapshot to variables, and imported variables to their origin.

    Attributes:
        members: Finds the members of classes. Whoever builds the resolver sets it, because it needs the resolver.
        computation: Shared by all memos of values that may depend on names.
        spec: Returns the specification of a file's language.
    """

    members: MemberLookup

    def __init__(self, source: FactSource, modules: Modules) -> None:
        self.source = source
        self.modules = modules
        self.scripts = ScriptGlobals(source, self.get_variable)
        self.global_object = GlobalObject(source, modules, self.find_member, self.scripts)
        self.computation = Computation()
        self._followed: Memo[Variable, tuple[Target, ...]] = Memo(self._follow, (), self.computation)
        self.stars = StarImports(self)
        self._members: Memo[tuple[Module, str], tuple[Target, ...]] = Memo(self._find_member, (), self.computation)
        self.exports = ExportedMembers(self)
        self.namespaces = Namespaces(self)
        self.spec: Callable[[str], LanguageSpec] = SpecsOfFiles(source).__getitem__
        self._type_parameters: dict[str, dict[int, tuple[Variable, ...]]] = {}
        self._innermost: FinalValues[tuple[str, int, str], Variable | None] = FinalValues(
            self._look_up_bound, self.computation
        )
        self._targets: FinalValues[tuple[str, int, str], tuple[Target, ...]] = FinalValues(
            self._find_targets, self.computation
        )
        self._opened: dict[str, dict[int, int]] = {}
        self._parts: dict[ClassType, tuple[ClassType, ...]] = {}
        self._standard: dict[tuple[str, str], ClassType | None] = {}

    def rules(self, file: str) -> LanguageRules:
        """Return how the language of a file is read."""
        return require_rules(self.source.facts(file).language)

    def get_variable(self, file: str, scope: int, name: str) -> Variable | None:
        """Return the variable of a bare name in a scope; None if it is not bound or a star import hides it."""
        variable = self._innermost((file, scope, name))
        if variable is None or variable.scope == scope:
            return variable
        return None if self.stars.find_hiding(file, scope, name, variable.scope) else variable

    def _look_up_bound(self, place: tuple[str, int, str]) -> Variable | None:
        """Return the variable of a bare name in a scope, also if a star import hides it; None if it is not bound."""
        file, scope, name = place
        bound, _ = self._map_bindings(file, name)
        # In languages that execute class bodies, bare names never mean members of the classes around them.
        is_bound = bool(bound) or not self.spec(file).executed_classes
        found = self._get_innermost(file, scope, name, bound) if is_bound else None
        if found is None or found.scope or any(each.kind is not BindingKind.IMPORT for each in bound.get(0, ())):
            return found
        return None if self.modules.system_of(file).declares_beside(file, name) else found

    def _get_innermost(
        self, file: str, scope: int, name: str, bound: Mapping[int, tuple[Binding, ...]]
    ) -> Variable | None:
        scopes = self.source.uses(file).scopes
        # A file that cannot be read, or whose language has only definitions extracted, has no scopes.
        current, is_direct, of_class = scope if scopes else -1, True, None
        sees_classes, outer_members = True, self.spec(file).outer_members
        while current >= 0:
            opened, own = scopes[current], bound.get(current, ())
            is_class = opened.kind is _CLASS
            if is_class and not sees_classes:
                current = opened.parent
                continue
            if opened.self_name:
                of_class = False
            if own and opened.of != UNKNOWN:
                # An extension is also bound in the scope outside the type that it extends; skip it here.
                around = [(each.line, each.column) for each in bound.get(opened.parent, ())]
                own = tuple(each for each in own if (each.line, each.column) not in around)
            if not own and not is_class:
                current, is_direct = opened.parent, False
                continue
            # `global x` at the top level of a module refers to the scope it stands in.
            outer = next((each.within for each in reversed(own) if each.kind is _OUTER and each.within != current), -1)
            if outer >= 0:
                current, is_direct = outer, False
                continue
            if is_class:
                member = self._in_class(Variable(file, current, name), own, of_class, is_direct=is_direct)
                if member is not None:
                    return member
                sees_classes = outer_members is None or outer_members.match(name) is not None
            elif any(each.kind is not _MEMBER for each in own):
                # `self.x = …` binds a member, which cannot be used as a bare name.
                return Variable(file, current, name)
            current, is_direct = opened.parent, False
        return None

    def is_in_lambda(self, file: str, scope: int) -> bool:
        """Return whether a scope is within a function without a name."""
        scopes = self.source.uses(file).scopes
        while scope >= 0 and not (scopes[scope].kind is ScopeKind.FUNCTION and scopes[scope].symbol < 0):
            scope = scopes[scope].parent
        return scope >= 0

    @bounded_method(_MAX_GROUPED)
    def _map_bindings(self, file: str, name: str) -> tuple[_BindingsByScope, _BindingsByScope]:
        """Return scope → bindings of a name in a file: all, and without those that only refer to an outer scope."""
        rows = self.source.uses(file).bindings.get(name, ())
        held = tuple([row for row in rows if row.kind is not _OUTER])
        grouped = _group_by_scope(rows)
        return grouped, grouped if len(held) == len(rows) else _group_by_scope(held)

    def _in_class(
        self, member: Variable, own: tuple[Binding, ...], of_class: bool | None, *, is_direct: bool
    ) -> Variable | None:
        """Return the variable of a bare name in a class scope: a type parameter, or a member used without receiver."""
        file, scope, name = member.file, member.scope, member.name
        spec, is_namespace = self.spec(file), self.is_namespace(file, scope)
        is_bare = spec.implicit_members or (is_direct and spec.executed_classes) or is_namespace
        kinds = {binding.kind for binding in own}
        if BindingKind.TYPE_PARAMETER in kinds or (is_bare and kinds - {BindingKind.MEMBER, BindingKind.OUTER}):
            return member
        if is_namespace:
            return self._in_own_namespace(file, scope, name)
        return self.members.get_implicit(file, scope, name, of_class) if spec.implicit_members else None

    def _in_own_namespace(self, file: str, scope: int, name: str) -> Variable | None:
        """Return the variable that other visible files bind to a name in the surrounding namespace."""
        qualname = self.source.facts(file).symbols[self.source.uses(file).scopes[scope].symbol].qualname
        space = self.get_namespace_of(file, qualname)
        targets = self.find_member(space, name) if space is not None else ()
        return next((target for target in targets if isinstance(target, Variable)), None)

    def get_namespace_of(self, file: str, qualname: str) -> Module | None:
        """Return the namespace of a name, in a language where each file sees only a part of it."""
        seen = self._get_visible_part(file)
        return structs.replace(seen, inner=tuple(filter(None, qualname.split(".")))) if seen is not None else None

    @cached_method
    def _get_visible_part(self, file: str) -> Module | None:
        """Return the part of the global namespace that a file sees, in a language where each file sees only a part."""
        return next((module for module in self.modules.ambient(file) if module.seen_from), None)

    def get_namespace(self, targets: tuple[Target, ...], file: str) -> Module | None:
        """Return the namespace that a name means, in a language where each file sees only a part of it; else None."""
        for target in targets if self._get_visible_part(file) is not None else ():
            if not isinstance(target, Variable) or target.file.startswith(STUBS):
                continue
            symbol = next((binding.symbol for binding in self.bindings(target)), -1)
            if symbol >= 0:
                of = self.source.facts(target.file).symbols[symbol]
                if of.kind is SymbolKind.MODULE and (space := self.get_namespace_of(file, of.qualname)) is not None:
                    return space
        return None

    def is_namespace(self, file: str, scope: int) -> bool:
        """Return whether a class scope is a namespace, whose members are visible in everything inside it."""
        symbol = self.source.uses(file).scopes[scope].symbol
        return symbol >= 0 and self.source.facts(file).symbols[symbol].kind is SymbolKind.MODULE

    def find_targets(self, file: str, scope: int, name: str) -> tuple[Target, ...]:
        """Return the targets of a bare name: variables, modules, externals; () if it is not bound anywhere."""
        return self._targets((file, scope, name))

    def _find_targets(self, place: tuple[str, int, str]) -> tuple[Target, ...]:
        file, scope, name = place
        variable = self._innermost(place)
        if variable is not None:
            return self.stars.find_hiding(file, scope, name, variable.scope) or self.follow(variable)
        spaces: tuple[Target, ...] = ()
        for module in self.modules.ambient(file):
            found = () if module.file.startswith(STUBS) else self.find_member(module, name)
            inner = [each for each in found if isinstance(each, Module) and not each.file]
            if len(inner) < len(found):
                return (*found, *spaces)
            spaces = spaces or tuple(each for each in inner if self.modules.system_of(file).is_named_alone(each, file))
        # A namespace may be that of a program that the file's own does not know, so that it hides nothing.
        found = (*self.stars.find(file, scope, name), *spaces)
        if not found and self.scripts.may_declare(file, name):
            found = self.scripts.find(file, name)
            if name in self.spec(file).builtin_names:
                return found
        found = found or self.find_in_stub(file, name) or self.global_object.find_property(file, name)
        return found or self._find_in_build_imports(file, name)

    def _find_in_build_imports(self, file: str, name: str) -> tuple[Target, ...]:
        """Return the targets of a name that the build imports into every file, without an import statement."""
        bringing = () if file.startswith(STUBS) else self.modules.system_of(file).list_bringing(file, name)
        return tuple(target for each in bringing for target in self.follow(Variable(each, 0, name)))

    def find_in_stub(self, file: str, name: str, module: str = "") -> tuple[Target, ...]:
        """Return the stub declarations of an otherwise unresolved name, or of a name in an outside module."""
        spec = self.spec(file)
        is_bare = not module and name not in spec.builtin_names and not name.startswith(_UNNAMED)
        if is_bare and not self._may_be_starred(file):
            return ()
        is_other = bool(module) and not _is_of_roots(module, spec)
        stub = None if is_other and name not in spec.shared_types else self.modules.get_stub(file, module)
        return self.find_member(stub, name) if stub is not None else ()

    @cached_method
    def _may_be_starred(self, file: str) -> bool:
        """Return whether a file sees the stub's declarations that are not built in: it star-imports their module.

        If the language has one stub without modules, all of its declarations are visible without an import.
        """
        spec = self.spec(file)
        outside = self.stars.list_outside(file) if spec.stub_roots else ()
        is_whole = not (spec.module_stubs or spec.stub_roots)
        return is_whole or any(_is_of_roots(each.name, spec) for each in outside)

    def get_standard_class(self, file: str, name: str) -> ClassType | None:
        """Return the stub's class of values that literals make: `str` of `"a"`, `list` of `[1]`; None without one."""
        key = (self.source.facts(file).language, name)
        if key not in self._standard:
            stub = self.modules.get_stub(file)
            found = self.bindings(Variable(stub.file, 0, name)) if stub is not None else ()
            classes = (b.symbol for b in found if b.symbol >= 0 and self.has_members(stub.file, b.symbol))  # type: ignore[union-attr]
            self._standard[key] = next((ClassType(stub.file, symbol) for symbol in classes), None)  # type: ignore[union-attr]
        return self._standard[key]

    def name_outside(self, file: str, qualname: str) -> str:
        """Return the name of a declaration in a stub; it is dotted if names are only unique within their module."""
        stubs = self.spec(file).module_stubs
        module = next((module for module, stub in stubs.items() if file == f"{STUBS}{stub}"), "")
        return f"{module}.{qualname}" if module else qualname

    def is_open_stub(self, of: ClassType) -> bool:
        """Return whether a stub may lack members of its class: it declares a module's class, not a built-in one."""
        spec = self.spec(of.file)
        return of.file.startswith(STUBS) and bool(spec.module_stubs) and of.file != f"{STUBS}{spec.stub}"

    def get_declared(self, definition: Definition) -> Variable | None:
        """Return the variable that a definition binds."""
        return next(self.iter_declared(definition), None)

    def iter_declared(self, definition: Definition) -> Iterator[Variable]:
        """Yield the variables that a definition binds: a record's component is a field and a function."""
        symbol = definition.symbol
        bindings = self.source.uses(definition.file).bindings
        names = [symbol.name, CONSTRUCTOR, called(symbol.name), tagged(symbol.name), EXPORT_EQUALS]
        setters = self.spec(definition.file).setters
        names += [f"{symbol.name}{setters}"] if setters else []
        is_counted = self.spec(definition.file).counts_parameters and symbol.kind not in FUNCTIONS
        for name in (*names, *(list_generic(symbol.name) if is_counted else ())):
            for binding in bindings.get(name, ()):
                if (binding.line, binding.column) == (symbol.line, symbol.column):
                    yield Variable(definition.file, binding.scope, name)

    @bounded_method(_MAX_TYPED)
    def names_type_parameter(self, file: str, name: str) -> bool:
        """Return whether a type parameter in a file has a name."""
        bound = self.source.uses(file).bindings.get(name, ())
        return any(each.kind is BindingKind.TYPE_PARAMETER for each in bound)

    def parameters_at(self, file: str, scope: int) -> tuple[Variable, ...]:
        """Return the type parameters that the scope of a class or an alias declares, in order."""
        if scope < 0:
            return ()
        if file not in self._type_parameters:
            found: dict[int, list[Binding]] = {}
            for bindings in self.source.uses(file).bindings.values():
                for each in bindings:
                    if each.kind is BindingKind.TYPE_PARAMETER:
                        found.setdefault(each.scope, []).append(each)
            self._type_parameters[file] = {
                at: tuple(Variable(file, at, b.name) for b in sorted(those, key=lambda b: (b.line, b.column)))
                for at, those in found.items()
            }
        return self._type_parameters[file].get(scope, ())

    def parameters_around(self, file: str, scope: int) -> tuple[Variable, ...]:
        """Return the type parameters that a scope sees, from within outwards."""
        around = iter_scopes_around(self.source.uses(file).scopes, scope)
        return tuple([each for at in around for each in self.parameters_at(file, at)])

    def bindings(self, variable: Variable) -> tuple[Binding, ...]:
        """Return the bindings of the variable, in order of appearance."""
        return self._map_bindings(variable.file, variable.name)[1].get(variable.scope, ())

    def list_definitions(self, variable: Variable) -> tuple[Definition, ...]:
        """Return every symbol that defines the variable: overloads, property setters, conditional definitions."""
        symbols = self.source.facts(variable.file).symbols
        indices = [each.symbol for each in self.bindings(variable) if each.symbol >= 0]
        return tuple([Definition(variable.file, symbols[index], index) for index in indices])

    def is_macro(self, target: Target) -> bool:
        """Return whether a macro defines a target."""
        found = self.list_definitions(target) if isinstance(target, Variable) else ()
        return any(each.kind is SymbolKind.MACRO for each in found)

    def follow(self, variable: Variable) -> tuple[Target, ...]:
        """Return the targets of a variable: those of its imports and aliases (`{ open }`), and itself otherwise."""
        bindings = self.bindings(variable)
        for each in bindings:
            if each.kind is _IMPORT or is_shorthand(each):
                return self._followed(variable)
        return (variable,) if bindings else ()

    def _follow(self, variable: Variable) -> tuple[Target, ...]:
        found: dict[Target, None] = {}
        for binding in self.bindings(variable):
            if binding.kind is BindingKind.IMPORT:
                found.update(dict.fromkeys(self.resolve_import_binding(variable, binding)))
            elif is_shorthand(binding) and self._get_named(variable, binding) != variable:
                found.update(dict.fromkeys(self.find_targets(variable.file, binding.within, variable.name)))
            else:
                found[variable] = None
        return tuple(found)

    def _get_named(self, key: Variable, binding: Binding) -> Variable | None:
        """Return the variable that a shorthand key (`{ open }`) takes its value from; a variable of a scope itself."""
        is_key = binding.kind is _MEMBER or self.source.uses(key.file).scopes[key.scope].kind is _CLASS
        return self.get_variable(key.file, binding.within, key.name) if is_key else key

    def resolve_import_binding(self, variable: Variable, binding: Binding) -> tuple[Target, ...]:
        """Return the targets of an import binding: functions, namespaces or others, if the language separates them."""
        found, name = self.source.facts(variable.file).imports[binding.imported], variable.name
        if not self.spec(variable.file).separate_functions:
            return self.find_imported(variable.file, found)
        if is_namespace(name):
            return self._find_imported(variable.file, found, as_namespace(found.name))
        is_function = name != as_written(name)
        return self._find_imported(variable.file, found, called(found.name) if is_function else found.name)

    def find_imported(self, file: str, found: Import) -> tuple[Target, ...]:
        """Return the targets of one imported name."""
        if within := self.exports.get_scope(file, found):
            return self.find_targets(file, within, found.name)
        targets = self._find_imported(file, found, found.name)
        if not found.name or not self.spec(file).separate_functions:
            return targets
        functions = self._find_imported(file, found, called(found.name))
        return (*functions, *(target for target in targets if not (functions and isinstance(target, External))))

    def _find_imported(self, file: str, wanted: Import, name: str) -> tuple[Target, ...]:
        modules = self.modules.find_all(wanted, file)
        if len(modules) == 1:
            return self._find_in_module(file, wanted, name, modules[0])
        found = (target for module in modules for target in self._find_in_module(file, wanted, name, module))
        return tuple(dict.fromkeys(found))

    def _find_in_module(self, file: str, wanted: Import, name: str, module: Module | External) -> tuple[Target, ...]:
        """Return the targets of an imported name, or of a module imported as a whole, in one module."""
        if not wanted.name:
            top = wanted.module.partition(".")[0]
            # A slash makes it a path, whose host may be called like the package: `gorm.io/gorm`.
            if wanted.alias == top != wanted.module and "/" not in wanted.module:
                return (self.modules.module_named(top, file),)
            return (*self.exports.find_value(module), module)
        if isinstance(module, External):
            if self.modules.system_of(file).is_declared(module.name):
                return ()
            return self.find_in_stub(file, name, module.name) or (External(join_outside(module.name, name)),)
        return self.exports.find(module, name)

    def find_member(self, module: Module, name: str) -> tuple[Target, ...]:
        """Return the targets of a name in a module: its own, star-imported, or a submodule; () if it is not bound."""
        return self._members((module, name))

    def find_after(self, module: Module, name: str) -> tuple[Target, ...]:
        """Return the targets of a name after a module (`space::name`), in files that its file does not include too."""
        return self.find_member(module, name) or self.namespaces.find_unseen(module, name)

    def _find_member(self, wanted: tuple[Module, str]) -> tuple[Target, ...]:
        module, name = wanted
        if self.global_object.is_global(module):
            return self.global_object.find(module.seen_from, name)
        if module.inner:
            seen = self.namespaces.find(module, name) if module.seen_from else ()
            return seen or self._inner_member(module, name) or self._in_standard_namespace(module, name)
        targets = self._bound_in(module, name)
        if targets:
            return targets
        submodule = self.modules.submodule(module, name)
        given = (Variable(file, 0, name) for file in self.modules.given_from(module, name))
        return (submodule,) if submodule is not None else tuple(v for v in given if self.bindings(v))

    def _in_standard_namespace(self, module: Module, name: str) -> tuple[Target, ...]:
        """Return the targets of a name in a namespace of the standard library: `std::vector` beside own members."""
        stub = self.modules.get_stub(module.seen_from) if module.seen_from else None
        return self._inner_member(structs.replace(stub, inner=module.inner), name) if stub is not None else ()

    def _bound_in(self, module: Module, name: str) -> tuple[Target, ...]:
        """Return the targets that the files of a module bind to the name, directly or by a star import."""
        files = self.modules.files_of(module, name)
        bound = [
            variable
            for file in files
            if self.bindings(variable := Variable(file, 0, self._spell(file, name, module.seen_from)))
        ]
        is_open = not bound or self.modules.system_of(bound[0].file).exports_imports
        found = [target for variable in bound for target in (self.follow(variable) if is_open else (variable,))]
        # `mod a; pub use a::*;` of Rust may import a function with the name of its module.
        if not found or all(isinstance(each, Module) and self.spec(each.file).nearest_stars for each in found):
            found += [target for file in files for target in self.stars.find(file, 0, name)]
        return tuple(dict.fromkeys(found))

    def _spell(self, file: str, name: str, seen_from: str) -> str:
        """Return how a file spells a name of another dialect: the tag of a C struct is a plain name in C++."""
        here, there = self.spec(file), self.spec(seen_from) if seen_from else self.spec(file)
        if name == called(as_written(name)) and not here.separate_functions:
            return as_written(name)
        if here.overloads == there.overloads or self.bindings(Variable(file, 0, name)):
            return name
        return as_written(name) if here.overloads else tagged(name)

    def _inner_member(self, module: Module, name: str) -> tuple[Target, ...]:
        """Return the targets of a member of a class in the module."""
        first, *rest = module.inner
        targets = self.find_member(structs.replace(module, inner=()), first)
        for inner in (*rest, name):
            holders = [target for target in targets if isinstance(target, Variable)]
            targets = tuple(
                dict.fromkeys(target for holder in holders for target in self.exports.held_by(holder, inner))
            )
        return targets

    def has_dynamic_members(self, module: Module) -> bool:
        """Return whether the module answers for names it does not bind (`__getattr__`)."""
        return bool(module.file) and bool(self.bindings(Variable(module.file, 0, "__getattr__")))

    def class_scope(self, file: str, symbol: int) -> int:
        """Return the scope that a class or function symbol opened, or -1."""
        if file not in self._opened:
            scopes = self.source.uses(file).scopes
            last_first = reversed(list(enumerate(scopes)))
            self._opened[file] = {scope.symbol: index for index, scope in last_first if scope.symbol >= 0}
        return self._opened[file].get(symbol, -1)

    def scope_of_class(self, of: ClassType) -> int:
        """Return the scope of a class, or -1 for one that is only forward-declared."""
        return self.class_scope(of.file, of.symbol) if of.symbol >= 0 else of.scope

    def class_of_scope(self, file: str, scope: int) -> ClassType:
        """Return the class that a class scope is the body of."""
        symbol = self.source.uses(file).scopes[scope].symbol
        return ClassType(file, symbol) if symbol >= 0 else ClassType(file, -1, scope=scope)

    def get_class_symbol(self, of: Type | None) -> Symbol | None:
        """Return the symbol of a class; None for a class without a name, and for anything else."""
        if not isinstance(of, ClassType) or of.symbol < 0:
            return None
        return self.source.facts(of.file).symbols[of.symbol]

    def get_class_definition(self, of: Type | None) -> Definition | None:
        """Return the definition of a class; None for a class without a name, and for anything else."""
        symbol = self.get_class_symbol(of)
        return Definition(of.file, symbol, of.symbol) if isinstance(of, ClassType) and symbol is not None else None

    def get_namespace_around(self, of: ClassType) -> str:
        """Return the qualified name of the innermost namespace around a class, "" where there is none."""
        facts, symbol = self.source.facts(of.file), self.get_class_symbol(of)
        while symbol is not None and symbol.kind is not SymbolKind.MODULE:
            symbol = facts.get_parent(symbol)
        return symbol.qualname if symbol is not None else ""

    def has_members(self, file: str, symbol: int) -> bool:
        """Return whether a symbol can have members: a class, or an alias or namespace with a body."""
        kind = self.source.facts(file).symbols[symbol].kind
        if kind not in _MAYBE_WITH_BODY:
            return is_class(kind)
        scope = self.class_scope(file, symbol)
        return scope >= 0 and self.source.uses(file).scopes[scope].kind is ScopeKind.CLASS

    def is_type(self, file: str, symbol: int) -> bool:
        """Return whether a symbol can have members and objects: namespaces have none."""
        return self.has_members(file, symbol) and self.source.facts(file).symbols[symbol].kind is not SymbolKind.MODULE

    def is_member(self, variable: Variable) -> bool:
        """Return whether a variable is a member of a class; members of namespaces are not."""
        scope = self.source.uses(variable.file).scopes[variable.scope]
        if scope.kind is not ScopeKind.CLASS:
            return False
        symbols = self.source.facts(variable.file).symbols
        return scope.symbol < 0 or symbols[scope.symbol].kind is not SymbolKind.MODULE

    def parts(self, of: ClassType) -> tuple[ClassType, ...]:
        """Return all declarations of a class, in languages that allow several, in a fixed order."""
        plain = of.plain
        known = self._parts.get(plain)
        if known is None:
            found = {plain, *self._iter_parts(plain)} if self.spec(of.file).open_classes else {plain}
            known = self._parts[plain] = tuple(sorted(found, key=lambda part: (part.file, part.symbol)))
        return known

    def is_merged(self, of: ClassType) -> bool:
        """Return whether a class has several declarations, one of them an interface of its name."""
        kinds = {self.source.facts(each.file).symbols[each.symbol].kind for each in self.parts(of) if each.symbol >= 0}
        return {SymbolKind.CLASS, SymbolKind.INTERFACE} <= kinds

    def canonical(self, of: ClassType) -> ClassType:
        """Return the first declaration of a class, which represents all of them."""
        first = self.parts(of)[0]
        return first.applied(of.arguments) if of.arguments else first

    def _iter_parts(self, of: ClassType) -> Iterable[ClassType]:
        definition = self.get_class_definition(of)
        if definition is None:
            return
        declared = self.get_declared(definition)
        for binding in self.bindings(declared) if declared is not None else ():
            if binding.symbol >= 0 and self.has_members(of.file, binding.symbol):
                yield ClassType(of.file, binding.symbol)
        package = self.source.facts(of.file).package
        # A namespace within another one is opened again where the outer one is.
        own = (of.file,) if definition.kind is SymbolKind.MODULE and self.spec(of.file).linkage else ()
        for file in (*own, *self.modules.counterparts(of.file, definition.name)):
            if self.source.facts(file).package != package:
                continue
            for other in self.source.find_qualified(file, definition.symbol.qualname):
                is_same = not own or other.symbol.exported is definition.symbol.exported
                if declared is not None and self.spec(file).counts_parameters:
                    bound = self.get_declared(other)
                    is_same = bound is not None and bound.name == declared.name
                if is_same and self.has_members(file, other.index):
                    yield ClassType(file, other.index)


def is_shorthand(binding: Binding) -> bool:
    """Return whether a binding has the name of its value and no definition: `{ open }`, `exports.open = open`."""
    value = binding.value
    if value.kind is not ExpressionKind.NAME or value.name != binding.name or binding.symbol >= 0:
        return False
    is_exported = binding.kind is _MEMBER and binding.scope == 0 != binding.within
    return is_exported or binding.kind is BindingKind.ASSIGNMENT


def _group_by_scope(rows: tuple[Binding, ...]) -> _BindingsByScope:
    found = {row.scope: (row,) for row in rows}
    if len(found) == len(rows):
        return found
    grouped: dict[int, list[Binding]] = {scope: [] for scope in found}
    for row in rows:
        grouped[row.scope].append(row)
    return {scope: tuple(each) for scope, each in grouped.items()}


def _is_of_roots(module: str, spec: LanguageSpec) -> bool:
    """Return whether the stub of a language declares a module; a stub without roots declares every one."""
    return not spec.stub_roots or module.partition(".")[0] in spec.stub_roots
