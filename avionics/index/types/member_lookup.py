"""Look up members in class hierarchies by the method resolution order."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct, structs

from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.cached_method import cached_method
from avionics.index.model.memo import FinalValues, Memo
from avionics.index.model.values import (
    BUILTIN,
    ClassType,
    External,
    InstanceType,
    Module,
    Target,
    Type,
    Types,
    TypeVariable,
    UnknownType,
    Variable,
    as_class,
    union,
)
from avionics.index.scopes.class_sides import get_side, list_sides
from avionics.index.scopes.name_resolver import NameResolver
from avionics.index.types.linearization import merge_orders
from avionics.index.types.outside_extensions import Extended, OutsideExtensions, keep_seen
from avionics.model.enums import BindingKind, ExpressionKind, ScopeKind, SymbolKind, is_class
from avionics.model.facts import UNKNOWN, Binding, Expression
from avionics.model.knowledge import Definition
from avionics.model.naming import fold_name
from avionics.syntax.engine.expressions import last_name
from avionics.syntax.registry import conventions_of

_MANY_PARTS = 16
"""A class with more parts, such as a module that hundreds of files extend, is searched only in files with the name."""


class Mro(Struct, frozen=True):
    """A class with all it inherits from, nearest first.

    Attributes:
        classes: The classes of the workspace.
        externals: Names of base classes outside of it.
        modules: Modules whose exports are members: `interface Box extends Methods` with `type Methods = typeof module`.
        is_open: Whether some base is unknown.
    """

    classes: tuple[ClassType, ...]
    externals: tuple[str, ...] = ()
    modules: tuple[Module, ...] = ()
    is_open: bool = False


class MemberMatch(Struct, frozen=True):
    """A member: where it is declared, and the class that declares it."""

    variable: Variable
    owner: ClassType


class Members:
    """The class hierarchies of one snapshot and their members; `infer` returns the types of an expression."""

    def __init__(self, scopes: NameResolver, infer: Callable[[Expression, str, int], Types]) -> None:
        self._scopes = scopes
        self._infer = infer
        computation = scopes.computation
        self._own_bases: Memo[tuple[str, int], tuple[ClassType, ...]] = Memo(self._find_own_bases, (), computation)
        self._extended: Memo[ClassType, tuple[ClassType, ...]] = Memo(self._find_extended, (), computation)
        self._added: Memo[tuple[ClassType, str], tuple[Variable, ...]] = Memo(self._find_added, (), computation)
        self._find_in: FinalValues[tuple[ClassType, str, bool, bool | None], MemberMatch | None] = FinalValues(
            self._look_up_declared, computation
        )
        self._at: Memo[tuple[str, int], ClassType | None] = Memo(self._class_at, None, computation)
        self._adding: Memo[ClassType, tuple[tuple[str, int], ...]] = Memo(self._find_additions, (), computation)
        self._outside = OutsideExtensions(scopes, infer, self.list_bases_at, self.is_subclass)
        self._imported: dict[str, frozenset[tuple[str, str]]] = {}
        self._lineages: Memo[ClassType, Mro | None] = Memo(self._build_lineage, None, computation)
        self._bases: Memo[ClassType, Types] = Memo(self._list_bases, (), computation)
        self._choices: Memo[ClassType, tuple[tuple[ClassType, ...], ...]] = Memo(self._find_choices, (), computation)

    def lineage(self, of: ClassType) -> Mro:
        """Return the class and its ancestors in order; for circular bases, the class with an unknown base."""
        plain = self._scopes.canonical(of.plain)
        return self._lineages(plain) or Mro((plain,), is_open=True)

    def bases(self, of: ClassType) -> Types:
        """Return the declared bases of a class, with their type arguments."""
        return self._bases(of.plain)

    def _list_bases(self, of: ClassType) -> Types:
        found: list[Type] = []
        for part in self._scopes.parts(of):
            found.extend(union(*self.list_bases_at(part.file, self._scopes.scope_of_class(part))))
        for file, scope in self.additions(of):
            found.extend(union(*self.list_bases_at(file, scope)))
        # A base may be written as a type (`implements`, an intersection), or be an object whose members the class
        # copies.
        return tuple(map(as_class, found))

    def list_bases_at(self, file: str, scope: int) -> list[Types]:
        """Return the types of each of the bases that one declaration of a class names."""
        uses = self._scopes.source.uses(file)
        found = []
        for expression in uses.bases.get(scope, ()):
            outer = uses.scopes[scope].parent
            mentioned = (binding for name in iter_names(expression) for binding in uses.bindings.get(name, ()))
            is_own = any(each.scope == scope and each.kind is BindingKind.TYPE_PARAMETER for each in mentioned)
            within = scope if is_own else outer
            kinds = self._infer(expression, file, within)
            if self._scopes.spec(file).open_classes and any(isinstance(kind, UnknownType) for kind in kinds):
                kinds = self._infer_trait(expression, file, within) or kinds
            found.append(kinds)
        return found

    def _infer_trait(self, expression: Expression, file: str, scope: int) -> Types:
        """Return the types of an outside trait without its type arguments; () if it is not from outside."""
        while expression.kind is ExpressionKind.SUBSCRIPT:
            expression = expression.parts[0]
        found = self._infer(expression, file, scope)
        return found if all(isinstance(kind, External) for kind in found) else ()

    def alternatives(self, of: ClassType, found: MemberMatch) -> tuple[Variable, ...]:
        """Return the other members that an inherited member may be, if a condition or union chooses the base class."""
        plain = self._scopes.canonical(of.plain)
        spec = self._scopes.spec(of.file)
        is_own = plain == self._scopes.canonical(found.owner) and not self._is_joined(plain)
        if is_own or not (spec.executed_classes or spec.separate_types):
            return ()
        groups = [g for g in self._choices(plain) if any(found.owner in self.lineage(each).classes for each in g)]
        others = [self.find(each, found.variable.name) for group in groups for each in group]
        return tuple(dict.fromkeys(o.variable for o in others if o is not None and o.variable != found.variable))

    def may_be_given(self, of: ClassType) -> bool:
        """Return whether an object also takes members from an unknown object: `{ a: 1, ...unknown }`."""
        has_objects = self._scopes.spec(of.file).separate_types
        return has_objects and self._is_object(of) and self.lineage(of).is_open

    def _is_object(self, of: ClassType) -> bool:
        """Return whether the members are those of an object literal rather than of a class or type."""
        symbol = self._scopes.get_class_symbol(of)
        return symbol is None or not (symbol.kind is SymbolKind.TYPE or is_class(symbol.kind))

    def _is_joined(self, of: ClassType) -> bool:
        """Return whether a type or object has members of other objects beside its own: `A & { b: B }`, `{ ...a }`."""
        if not self._is_object(of):
            symbol = self._scopes.get_class_symbol(of)
            return symbol is not None and symbol.kind is SymbolKind.TYPE
        scope = self._scopes.scope_of_class(of)
        bases = self.list_bases_at(of.file, scope) if scope >= 0 else []
        return any(isinstance(kind, InstanceType) for types in bases for kind in types)

    def _find_choices(self, of: ClassType) -> tuple[tuple[ClassType, ...], ...]:
        """Return each group of classes of which a base in the hierarchy is one: `Base = A if … else B`, `A | B`."""
        classes: list[tuple[ClassType, ...]] = []
        for each in self.lineage(of).classes:
            scope = self._scopes.scope_of_class(each)
            bases = self.list_bases_at(each.file, scope) if scope >= 0 else []
            kinds = [tuple(k.of if isinstance(k, InstanceType) else k for k in types) for types in bases]
            found = [tuple(kind for kind in types if isinstance(kind, ClassType)) for types in kinds]
            classes += [(each, *(k for group in found for k in group))] if self._is_joined(each) else found
        # A class with other type arguments is the same class.
        distinct = (tuple(dict.fromkeys(self._scopes.canonical(kind.plain) for kind in group)) for group in classes)
        return tuple(group for group in distinct if len(group) > 1)

    def find(
        self, of: ClassType, name: str, *, skip_own: bool = False, of_class: bool | None = None
    ) -> MemberMatch | None:
        """Return the nearest declaration of the member in the hierarchy, or None.

        In languages that separate them, members of the class itself come first if `of_class` is true, those of its
        objects if it is false.

        A declaration (a definition, or an assignment with a type) anywhere in the hierarchy comes before plain
        assignments: a subclass that only assigns what its base declares means the base's member.
        """
        of_class = of_class if self._scopes.spec(of.file).class_sides else None
        found = self._find_in((of.plain, name, skip_own, of_class))
        if found is not None:
            return found
        exported = (MemberMatch(each, of) for each in self.find_exported(of, name) if isinstance(each, Variable))
        return next(exported, None)

    def get_overridden(self, of: ClassType, member: Variable) -> MemberMatch | None:
        """Return the nearest declaration that a member of a class overrides, or None."""
        return self.find(of, member.name, skip_own=True, of_class=get_side(self._scopes, member))

    def _look_up_declared(self, member: tuple[ClassType, str, bool, bool | None]) -> MemberMatch | None:
        """Return the nearest declaration of a member in a hierarchy, else the nearest assignment, or None.

        A module may have the members that its objects have, as by `extend self`, and constants are on no side.
        """
        of, name, skip_own, of_class = member
        classes = self.lineage(of).classes[1:] if skip_own else self.lineage(of).classes
        found = self._look_up_side(classes, name, of_class)
        if found is not None or of_class is None:
            return found
        symbol = self._scopes.get_class_symbol(of)
        constants = self._scopes.spec(of.file).outer_members
        is_either = symbol is None or symbol.kind is SymbolKind.INTERFACE
        is_either = is_either or (constants is not None and constants.match(name) is not None)
        return self._look_up_side(classes, name, not of_class) if is_either else None

    def _look_up_side(self, classes: tuple[ClassType, ...], name: str, of_class: bool | None) -> MemberMatch | None:
        assigned: MemberMatch | None = None
        for candidate in classes:
            variable = self.own_member(candidate, name, of_class)
            if variable is None and of_class:
                extended = (self.find(each, name, of_class=False) for each in self._extended(candidate))
                if (found := next(filter(None, extended), None)) is not None:
                    return found
            if variable is None:
                continue
            runs = self._scopes.spec(variable.file).executed_classes
            if any(_is_declaration(binding, runs) for binding in self._scopes.bindings(variable)):
                return MemberMatch(variable, candidate)
            assigned = assigned or MemberMatch(variable, candidate)
        return assigned

    def _find_extended(self, of: ClassType) -> tuple[ClassType, ...]:
        """Return the modules by which a class itself is extended, the last one first."""
        sides = (
            (part.file, side)
            for part in self._scopes.parts(of)
            for side in list_sides(self._scopes, part, of_class=True)
        )
        kinds = [kind for place in sides for types in self.list_bases_at(*place) for kind in types]
        return tuple(self._scopes.canonical(each.plain) for each in reversed(kinds) if isinstance(each, ClassType))

    def find_exported(self, of: ClassType, name: str) -> tuple[Target, ...]:
        """Return the targets of a name in the modules whose exports are members of a class (`typeof module`).

        If the modules define the name themselves, the targets that they only import are left out.
        """
        found = [(each, self._scopes.find_member(each, name)) for each in self.lineage(of).modules]
        own = [
            target
            for module, targets in found
            for target in targets
            if isinstance(target, Variable) and target.file == module.file
        ]
        return tuple(own) or tuple(dict.fromkeys(target for _, targets in found for target in targets))

    def own_member(self, of: ClassType, name: str, of_class: bool | None = None) -> Variable | None:
        """Return the member that a class itself declares: in the body of one of its parts, or added by an `impl`."""
        parts = self._scopes.parts(of)
        if len(parts) > _MANY_PARTS and name.isidentifier():
            having = frozenset(self._scopes.source.files_with_word(name))
            parts = tuple(part for part in parts if part.file in having)
        for part in parts:
            for scope in list_sides(self._scopes, part, of_class):
                variable = Variable(part.file, scope, name)
                for each in self._scopes.bindings(variable):
                    if each.kind is not BindingKind.TYPE_PARAMETER:
                        return variable
        spec = self._scopes.spec(of.file)
        has_added = spec.open_classes or spec.is_extended_elsewhere or spec.linkage
        return next(iter(self._added((self._scopes.canonical(of.plain), name))), None) if has_added else None

    def list_added(self, of: ClassType, name: str) -> tuple[Variable, ...]:
        """Return the members of a name that are added outside of the body to a class or to one of its ancestors."""
        classes = self.lineage(of).classes if self._may_be_extended(of) else ()
        found = (self._added((self._scopes.canonical(each.plain), name)) for each in classes)
        return tuple(dict.fromkeys(variable for added in found for variable in added))

    def find_beside(self, found: MemberMatch) -> tuple[Variable, ...]:
        """Return further members of that name added to the same class, as by `impl Box<A>` and `impl Box<B>`.

        Members that a scope adds for a trait are left out: they are found through the trait.
        """
        variable = found.variable
        uses = self._scopes.source.uses(variable.file)
        if uses.scopes[variable.scope].of == UNKNOWN or self._scopes.spec(variable.file).linkage:
            return ()
        added = self._added((self._scopes.canonical(found.owner.plain), variable.name))
        return tuple(
            each for each in added if each != variable and each.scope not in self._scopes.source.uses(each.file).bases
        )

    def extends_some(self, name: str) -> bool:
        """Return whether some file declares a member of that name outside of the body of its type."""
        source = self._scopes.source
        named = ((each.symbol.qualname, source.get_parent(each)) for each in source.iter_named(name))
        return any(own != (f"{of.symbol.qualname}.{name}" if of is not None else name) for own, of in named)

    def may_be_below(self, file: str, of: External, name: str) -> bool:
        """Return whether a value that a comment says to be of an outside type may be of a class below it.

        Such a class of the workspace declares a member of the name.
        """
        if not self._scopes.spec(file).types_in_comments:
            return False
        parents = ((each.file, each.symbol.parent) for each in self._scopes.source.iter_named(name))
        classes = (ClassType(file, parent) for file, parent in parents if parent >= 0)
        return any(of.name in self.lineage(each).externals for each in classes)

    def is_added_twice(self, of: ClassType, name: str) -> bool:
        """Return whether several scopes add a member of that name to a class, as the `impl`s of a trait do."""
        return len(self._added((self._scopes.canonical(of.plain), name))) > 1

    def class_at(self, file: str, scope: int) -> ClassType | None:
        """Return the class that a class scope belongs to: its own, or the one it adds members to."""
        return self._at((file, scope))

    def class_declaring(self, variable: Variable) -> ClassType | None:
        """Return the class that a variable is a member of: the one whose scope contains it, or None."""
        return self.class_at(variable.file, variable.scope)

    def added_to(self, file: str, line: int) -> Definition | None:
        """Return the class to which the code around a line adds members from outside, as an `impl` does."""
        scopes = self._scopes.source.uses(file).scopes
        around = (at for at, scope in enumerate(scopes) if scope.of != UNKNOWN and scope.span.contains(line))
        of = next((found for at in around if (found := self.class_at(file, at)) is not None), None)
        return None if of is None or of.file.startswith(STUBS) else self._scopes.get_class_definition(of)

    def class_of(self, definition: Definition) -> ClassType | None:
        """Return the class that declares a member, in its body or outside of it; None for any other definition."""
        variable = self._scopes.get_declared(definition)
        if variable is None or not self._scopes.is_member(variable):
            return None
        return self.class_declaring(variable)

    def _class_at(self, place: tuple[str, int]) -> ClassType | None:
        file, index = place
        scope = self._scopes.source.uses(file).scopes[index]
        if scope.kind is not ScopeKind.CLASS:
            return None
        if scope.of == UNKNOWN:
            return self._scopes.canonical(self._scopes.class_of_scope(file, index))
        named = scope.of
        while named.kind is ExpressionKind.SUBSCRIPT:
            named = named.parts[0]
        kinds = self._infer(named, file, scope.parent)
        if named != scope.of and not any(isinstance(kind, ClassType) for kind in kinds):
            kinds = self._infer(scope.of, file, scope.parent)  # `a[i]` is an item of a value, not a generic type.
        if self._scopes.spec(file).implicit_members:
            kinds = union(*(each.bound if isinstance(each, TypeVariable) else (each,) for each in kinds))
        for kind in kinds:
            of = as_class(kind)
            if isinstance(of, ClassType):
                return self._scopes.canonical(of.plain)
        return None

    def _find_own_bases(self, part: tuple[str, int]) -> tuple[ClassType, ...]:
        """Return the bases of one part of a class; () while they are inferred, so that they are not searched then."""
        return tuple(each for each in union(*self.list_bases_at(*part)) if isinstance(each, ClassType))

    def get_implicit(self, file: str, scope: int, name: str, of_class: bool | None) -> Variable | None:
        of, is_linked = self.class_at(file, scope), self._scopes.spec(file).linkage
        if of is not None and is_linked and len(self._scopes.parts(of)) > 1:
            # A specialization of a template inherits only from its own bases.
            own_bases = (self._get_nearest(each.plain, name) for each in self._own_bases((file, scope)))
            if (own := next(filter(None, own_bases), None)) is not None:
                return own
        if not is_linked:
            of_class = get_side(self._scopes, Variable(file, scope, name)) or of_class
            found = self.find(of, name, of_class=of_class) if of is not None else None
            return self._get_visible(file, found) if found is not None else None
        is_added = self._scopes.source.uses(file).scopes[scope].of != UNKNOWN
        seen = self._get_nearest(of, name) if of is not None else None
        if seen is not None or not is_added:
            return seen
        return (self._get_outer(of, name) if of is not None else None) or self._get_in_namespaces(file, scope, name)

    def _get_visible(self, file: str, found: MemberMatch) -> Variable | None:
        """Return the member that a bare name in a file means, which may be another extension than the first one."""
        kept = keep_seen(self._scopes, file, (found.variable, *self.find_beside(found)))
        return next((each for each in kept if isinstance(each, Variable)), None)

    def _get_in_namespaces(self, file: str, scope: int, name: str) -> Variable | None:
        """Return the variable that a bare name in the body of `void space::f() {}` means in the namespace `space`."""
        named = self._scopes.source.uses(file).scopes[scope]
        for kind in self._infer(named.of, file, named.parent):
            space: Type | None = kind
            if isinstance(kind, ClassType) and (symbol := self._scopes.get_class_symbol(kind)) is not None:
                space = self._scopes.get_namespace_of(file, symbol.qualname.rpartition(".")[0])
            while isinstance(space, Module) and space.inner:
                targets = self._scopes.find_member(space, name)
                found = next((each for each in targets if isinstance(each, Variable)), None)
                if found is not None:
                    return found
                space = structs.replace(space, inner=space.inner[:-1])
        return None

    def _get_outer(self, of: ClassType, name: str) -> Variable | None:
        """Return the member of a class around a nested one, as the body of `void Outer::Inner::f() {}` sees it."""
        symbols = self._scopes.source.facts(of.file).symbols
        outer = symbols[of.symbol].parent if of.symbol >= 0 else -1
        while outer >= 0 and self._scopes.is_type(of.file, outer):
            around = ClassType(of.file, outer)
            if (seen := self._get_nearest(around, name)) is not None:
                return seen
            outer = symbols[outer].parent
        return None

    def _get_nearest(self, of: ClassType, name: str) -> Variable | None:
        """Return the nearest member of a C++ class that a bare name means; the names of classes are their members."""
        found = self.find(of, name)
        for each in self.lineage(of).classes:
            definition = self._scopes.get_class_definition(each)
            if definition is not None and definition.name == name:
                return self._scopes.get_declared(definition)
            if found is not None and each == found.owner:
                break
        return found.variable if found is not None else None

    def list_inner(self, variable: Variable, name: str) -> tuple[Variable, ...]:
        """Return the members of a name in each class that a variable may be (`if X: class A: … else: class A: …`)."""
        file, found = variable.file, dict[Variable, None]()
        for symbol in (each.symbol for each in self._scopes.bindings(variable)):
            if symbol < 0 or not self._scopes.has_members(file, symbol):
                continue
            own = Variable(file, self._scopes.class_scope(file, symbol), name)
            if own.scope >= 0 and self._scopes.bindings(own):
                found[own] = None
            elif (member := self.find(ClassType(file, symbol), name)) is not None:
                found[member.variable] = None
        return tuple(found)

    def _find_added(self, member: tuple[ClassType, str]) -> tuple[Variable, ...]:
        """Return the members of a name that are added to a class from outside its body."""
        of, name = member
        variables = (Variable(file, scope, name) for file, scope in self._iter_additions(of, name))
        found = tuple(variable for variable in variables if self._scopes.bindings(variable))
        constant = self._get_constant(of, name) if not found and self._scopes.spec(of.file).linkage else None
        return (constant,) if constant is not None else found

    def _get_constant(self, of: ClassType, name: str) -> Variable | None:
        """Return the constant of an enumeration whose constants are visible in the enclosing scope, as in C."""
        symbol = self._scopes.get_class_symbol(of)
        if symbol is None or symbol.kind is not SymbolKind.ENUM:
            return None
        around = self._scopes.source.uses(of.file).scopes[self._scopes.scope_of_class(of)].parent
        variable = Variable(of.file, around, name)
        is_own = any(symbol.span.contains(each.line) for each in self._scopes.bindings(variable))
        return variable if is_own else None

    def additions(self, of: ClassType) -> tuple[tuple[str, int], ...]:
        """Return the scopes that add members or bases to the class from outside its body."""
        return self._adding(self._scopes.canonical(of.plain)) if self._may_be_extended(of) else ()

    def _may_be_extended(self, of: ClassType) -> bool:
        spec = self._scopes.spec(of.file)
        return spec.open_classes or spec.is_extended_elsewhere

    def _find_additions(self, of: ClassType) -> tuple[tuple[str, int], ...]:
        return tuple(self._iter_additions(of))

    def _iter_additions(self, of: ClassType, name: str = "") -> Iterator[tuple[str, int]]:
        """Yield the scopes that add members of that name (or, for "", bases) to a class from outside its body."""
        symbol = self._scopes.get_class_symbol(of)
        if symbol is None or not self._may_be_extended(of):
            return
        source = self._scopes.source
        for file in dict.fromkeys((of.file, *self._scopes.modules.additions(of.file, name or symbol.name))):
            if name and file != of.file and all(each.name != name for each in source.facts(file).symbols):
                continue
            for index, extended in self._list_extending(file):
                may_be = extended == symbol.name or self._is_other_name(extended, file, symbol.name)
                if may_be and self.class_at(file, index) == of:
                    yield file, index

    def _is_other_name(self, name: str, file: str, of: str) -> bool:
        """Return whether a name in a file is an import of the name `of`, or an alias that some file defines."""
        imported = self._imported.get(file)
        if imported is None:
            imports = self._scopes.source.facts(file).imports
            imported = self._imported[file] = frozenset((each.alias, each.name) for each in imports)
        return (name, of) in imported or self._is_alias(name)

    @cached_method
    def _is_alias(self, name: str) -> bool:
        """Return whether some file defines a name as a type that is not a class, such as an alias."""
        source = self._scopes.source
        declaring = source.files_defining(fold_name(name)) if name else ()
        symbols = (each for declared in declaring for each in source.facts(declared).symbols)
        return any(each.name == name and each.kind is SymbolKind.TYPE for each in symbols)

    @cached_method
    def _list_extending(self, file: str) -> tuple[tuple[int, str], ...]:
        """Return the scopes of a file that add members to a type declared elsewhere, each with the name of the type."""
        scopes = enumerate(self._scopes.source.uses(file).scopes)
        return tuple((index, last_name(scope.of)) for index, scope in scopes if scope.of != UNKNOWN)

    def added_outside(self, file: str, of: Extended, name: str) -> tuple[tuple[Variable, ...], bool]:
        """Return the extensions that give a type a member of a name, and whether further ones may apply to it.

        Further ones extend a type parameter (`impl<T> Trait for T`) or a type that may be one of its bases. Those of a
        type parameter are returned only if the file names the trait.
        """
        return self._outside.find(file, of, name)

    def implementing(self, interface: ClassType, name: str) -> tuple[Variable, ...]:
        """Return the members of that name in all scopes that add an interface to a type: `impl Trait for Vec<A>`."""
        own, found = self._scopes.canonical(interface.plain), list[Variable]()
        for file in dict.fromkeys((own.file, *self._scopes.modules.additions(own.file, name))):
            uses = self._scopes.source.uses(file)
            for binding in uses.bindings.get(name, ()):
                if uses.scopes[binding.scope].of == UNKNOWN:
                    continue
                bases = union(*self.list_bases_at(file, binding.scope))
                if any(isinstance(each, ClassType) and self._scopes.canonical(each.plain) == own for each in bases):
                    found.append(Variable(file, binding.scope, name))
        return tuple(found)

    def is_subclass(self, of: ClassType, ancestor: ClassType) -> bool:
        """Return whether the class is, or inherits from, the other."""
        return self._scopes.canonical(ancestor.plain) in self.lineage(of).classes

    def _build_lineage(self, of: ClassType) -> Mro:
        parents: list[ClassType] = []
        externals: list[str] = []
        modules: list[Module] = []
        is_open = False
        # A class of a stub for a module names that module itself; its bases are not listed as external.
        is_named = of.file.startswith(STUBS) and bool(self._scopes.spec(of.file).module_stubs)
        for base in self.bases(of):
            if isinstance(base, ClassType):
                parents.append(self._scopes.canonical(base.plain))
                if base.file.startswith(STUBS) and not is_named:
                    symbol = self._scopes.get_class_symbol(base)
                    externals.append(self._scopes.name_outside(base.file, symbol.name) if symbol is not None else "")
            elif isinstance(base, External):
                externals.append(base.name)
                is_open = is_open or self._may_be_made_of_own(of)
            elif isinstance(base, Module):
                modules.append(base)
            elif isinstance(base, (UnknownType, TypeVariable)):
                is_open = True
        externals.extend(self._iter_reopened(of))
        lineages = [self.lineage(parent) for parent in parents]
        for inherited in lineages:
            externals.extend(inherited.externals)
            modules.extend(inherited.modules)
            is_open = is_open or inherited.is_open
        if self._scopes.spec(of.file).separate_types:
            # The first base that has a member declares it, whatever the others inherit from.
            order = list(dict.fromkeys(each for inherited in lineages for each in inherited.classes))
        else:
            order = merge_orders([list(inherited.classes) for inherited in lineages] + [parents])
        order = [each for each in order if each != of]
        return Mro((of, *order), tuple(dict.fromkeys(externals)), tuple(dict.fromkeys(modules)), is_open)

    def _iter_reopened(self, of: ClassType) -> Iterator[str]:
        """Yield the name of a library's class that a file of the workspace opens again: `class Library::Base`."""
        symbol = self._scopes.get_class_symbol(of)
        if symbol is None or not self._scopes.spec(of.file).open_classes:
            return
        if self._scopes.modules.system_of(of.file).is_of_library(symbol.qualname.partition(".")[0]):
            yield BUILTIN + symbol.qualname
            return
        for part in self._scopes.parts(of):
            scope = self._scopes.scope_of_class(part)
            scopes = self._scopes.source.uses(part.file).scopes
            around = scopes[scopes[scope].parent] if scope > 0 else None
            if around is not None and around.of != UNKNOWN:
                found = self._infer(around.of, part.file, around.parent)
                yield from (f"{each.name}.{symbol.name}" for each in found if isinstance(each, External))

    def _may_be_made_of_own(self, of: ClassType) -> bool:
        """Return whether an outside base may have the members of workspace types among its type arguments.

        In languages with computed types, `Context<Own>` may be declared as `Base & T`.
        """
        scope = self._scopes.scope_of_class(of)
        if not conventions_of(of.file).implicit.key_queries or scope < 0:
            return False
        uses = self._scopes.source.uses(of.file)
        given = (part for base in uses.bases.get(scope, ()) for part in _iter_type_arguments(base))
        names = {name for part in given for name in iter_names(part)}
        targets = (target for name in names for target in self._scopes.find_targets(of.file, scope, name))
        own = (each for each in targets if isinstance(each, Variable) and not each.file.startswith(STUBS))
        return any(b.kind is not BindingKind.TYPE_PARAMETER for each in own for b in self._scopes.bindings(each))


def _iter_type_arguments(expression: Expression) -> Iterator[Expression]:
    """Yield the type arguments that are written in a base."""
    if expression.kind is ExpressionKind.SUBSCRIPT:
        yield from expression.parts[1:]
    else:
        for part in expression.parts:
            yield from _iter_type_arguments(part)


def iter_names(expression: Expression) -> Iterator[str]:
    """Yield the bare names in an expression."""
    if expression.kind is ExpressionKind.NAME:
        yield expression.name
    for part in expression.parts:
        yield from iter_names(part)


def _is_declaration(binding: Binding, runs: bool) -> bool:
    """Return whether a binding declares the member; `x = 1` in a class body that is executed (`runs`) does not."""
    is_field = binding.kind is BindingKind.ASSIGNMENT and not runs
    return is_field or binding.kind is BindingKind.DEFINITION or binding.annotation != UNKNOWN
