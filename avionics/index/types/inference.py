"""Infer the types of expressions and variables on demand.

Lazy inference with memos that resolve cycles, after jedi. `Inference` composes the rules and is the
`avionics.index.types.context.InferenceContext` through which they ask each other.
"""

from __future__ import annotations

from collections.abc import Iterator

from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.memo import FinalValues, Memo
from avionics.index.model.values import (
    BUILTIN,
    NOTHING_KNOWN,
    SEVERAL_RESULTS,
    UNKNOWN_TYPE,
    CallableType,
    ClassType,
    External,
    FunctionType,
    InstanceType,
    Module,
    SuperType,
    Target,
    Type,
    Types,
    TypeVariable,
    Variable,
    as_class,
    get_pointed,
    limit_parts,
    union,
    widen,
)
from avionics.index.scopes.conditions import Conditions
from avionics.index.scopes.exported_members import EXPORT_EQUALS
from avionics.index.scopes.name_resolver import NameResolver
from avionics.index.scopes.shared_scopes import SharedScopes
from avionics.index.scopes.type_position import scope_of_type, scope_of_value
from avionics.index.types.annotations import Annotations
from avionics.index.types.calls.call_inference import CallInference
from avionics.index.types.calls.overloads import OverloadResolution
from avionics.index.types.calls.parameters import ParameterInference
from avionics.index.types.generics import Generics
from avionics.index.types.lost_types import LostTypes
from avionics.index.types.member_lookup import MemberMatch, Members
from avionics.index.types.narrowing import Narrowings
from avionics.index.types.own_objects import OWN_NAME, OwnObjects
from avionics.index.types.record_fields import RecordFields
from avionics.index.types.signatures import MORE, Arguments, Signatures
from avionics.index.types.substitution import is_foreign
from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind, SymbolKind
from avionics.model.facts import OUTERMOST, UNKNOWN, Binding, Expression, Narrowing
from avionics.model.naming import as_written, called, join_outside, tagged
from avionics.syntax.engine.expressions import SLICE, dotted, member_of

# To look up a member of an enumeration takes several times as long as to compare it, and this is done at every step.
_NAME, _ATTRIBUTE, _CALL = ExpressionKind.NAME, ExpressionKind.ATTRIBUTE, ExpressionKind.CALL
_NAMES = frozenset({_NAME, _ATTRIBUTE})
_OPAQUE = frozenset({ExpressionKind.UNKNOWN, ExpressionKind.KEYWORD, ExpressionKind.GUARD})
_DEFINITION = BindingKind.DEFINITION
_PARAMETERS = frozenset({BindingKind.PARAMETER, BindingKind.VARIADIC, BindingKind.TYPE_PARAMETER})
ANY_MEMBER = "__getattr__"
"""The member by which index signatures declare all members at once."""
_DEREFERENCE = "__deref__"
"""The member by which stubs declare the result of dereferencing."""
_MAX_DEPTH = 60
"""Expressions nested deeper have no known type, because the interpreter's stack is finite."""

_STANDARD_SPACE, _STANDARD_NAME = External("std"), Expression(ExpressionKind.NAME, "std", index=0)


class Inference:
    """The types of one snapshot, memoised.

    With `follow_fixtures`, a test's parameter has the type of the fixture with its name. pytest decides that at run
    time, so proofs do not use it.
    """

    def __init__(self, scopes: NameResolver, *, follow_fixtures: bool = False) -> None:
        self.scopes = scopes
        self.members = Members(scopes, self.infer)
        self.lost = LostTypes(scopes, self.members)
        self.records = RecordFields(scopes, self.members)
        self.signatures = Signatures(scopes)
        self.parameters = ParameterInference(self, follow_fixtures=follow_fixtures)
        self._own = OwnObjects(self)
        self.get_own_class = self._own.get_own_class
        self.get_implemented = self._own.get_implemented
        self.get_class_around = self._own.get_class_around
        self._narrowings = Narrowings(self)
        self.conditions = Conditions(self.scopes.source)
        self.select = self._narrowings.select
        self._annotations = Annotations(self)
        self._generics = Generics(self)
        self.find_own_parameters = self._generics.find_own_parameters
        self.overloads = OverloadResolution(self)
        self._calls = CallInference(self, self._generics, self.overloads)
        self._computation = scopes.computation
        self._variables: Memo[Variable, Types] = Memo(self._all_bindings, (), self._computation, widen)
        self._of_members: FinalValues[tuple[Type, str], Types] = FinalValues(self._infer_member, self._computation)
        self._names: FinalValues[tuple[str, str, int], Types] = FinalValues(self._infer_name, self._computation)
        match = self._narrowings.match
        self._matching = FinalValues[tuple[Expression, str, int], Types](lambda at: match(*at), self._computation)
        self.shared_scopes = SharedScopes(scopes)
        self._called: FinalValues[tuple[Expression, str, int], Types] = FinalValues(
            lambda call: self._calls.infer_call(*call, 0), self._computation
        )
        self._standard: dict[str, bool] = {}
        self.read_type = self._annotations.read
        self.call = self._calls.call
        self.is_replaced = self._calls.is_replaced
        self.infer_result = self._calls.infer_result
        self.get_declared_result = self._calls.get_declared_result
        self.read_guard = self._calls.read_guard
        self.as_callable = self._calls.as_callable
        self.iterate = self._calls.iterate
        self.item = self._calls.item
        self.seen_by_call = self._generics.seen_by_call
        self.choose_declared = self.overloads.choose_declared

    def infer(self, expression: Expression, file: str, scope: int, line: int = 0) -> Types:
        here = self._computation.here
        depth = here.depth
        if depth - here.base > _MAX_DEPTH:
            here.doubts += 1
            return NOTHING_KNOWN
        here.depth = depth + 1
        try:
            if line and expression.kind in _NAMES and (found := self._narrowings.find(file, expression, scope, line)):
                return limit_parts(self._narrowed(expression, file, scope, line, found))
            return limit_parts(self._plain(expression, file, scope, line))
        finally:
            here.depth = depth

    def iter_types(self, arguments: Arguments) -> Iterator[tuple[int | str, Types]]:
        yield from enumerate(arguments.known)
        for position, part in enumerate(arguments.positional):
            types = self.infer(part, arguments.file, arguments.scope, arguments.line)
            only = types[0] if len(types) == len(arguments.positional) == 1 else None
            if isinstance(only, InstanceType) and only.of == SEVERAL_RESULTS:
                yield from enumerate(only.arguments)  # `f(g())` passes every result of `g`.
            else:
                yield position, types
        for name, part in arguments.named.items():
            if name != MORE:
                yield name, self.infer(part, arguments.file, arguments.scope, arguments.line)

    def _plain(self, expression: Expression, file: str, scope: int, line: int) -> Types:
        """Return the types of an expression, not narrowed by the conditions that name the whole expression."""
        kind, parts = expression.kind, expression.parts
        if kind is _NAME:
            find = scope_of_type if expression.index >= 0 else scope_of_value
            scope = 0 if expression.index == OUTERMOST else scope
            scope = find(self.scopes, file, scope, expression.name)
            in_force = self._in_force(expression.name, file, scope, line) if line else ()
            return in_force or self.infer_name(expression.name, file, scope)
        if kind is _ATTRIBUTE:
            if self._is_own_module(expression, file, scope):
                return self._own_module(file)
            if own := self._own.get_implemented(parts[0].kind, expression.name, file, scope):
                return self.of_targets((own,))
            owners = self.infer(parts[0], file, scope, line)
            found = union(*[self._attribute(owner, expression.name, file) for owner in owners])
            return self._known_outside(found, expression.name, file)
        if kind is _CALL:
            shared = self.shared_scopes.get_shared(file, scope, expression)
            if shared is None:
                return self._calls.infer_call(expression, file, scope, line)
            return self._called((expression, file, shared))
        match kind:
            case ExpressionKind.SUBSCRIPT:
                return self._subscript(expression, file, scope, line)
            case ExpressionKind.LITERAL:
                return () if expression.name == "None" else (self.make_standard(file, expression.name),)
            case ExpressionKind.CONTAINER:
                return (self._container(expression, file, scope, line),)
            case ExpressionKind.UNION:
                each = [self.infer(part, file, scope, line) for part in parts]
                return self._calls.joined(each, expression.name) if expression.name else union(*each)
            case ExpressionKind.OPERATION:
                left, right = (self.infer(part, file, scope, line) for part in parts)
                return self._calls.operated(left, right, expression.name)
        return self._taken_from(expression, file, scope, line)

    def _taken_from(self, expression: Expression, file: str, scope: int, line: int) -> Types:
        """Return the types of the expressions that `_plain` leaves: own objects, `await`, items, lambdas and others."""
        if expression.kind in _OPAQUE:
            return NOTHING_KNOWN
        match expression.kind:
            case ExpressionKind.SENT:
                return self._calls.sent(file, scope)
            case ExpressionKind.SELF | ExpressionKind.OWN_CLASS | ExpressionKind.SUPER:
                return self._own.infer(expression.kind, file, scope)
            case ExpressionKind.OBJECT:
                of = self.members.class_at(file, expression.index)
                return (InstanceType(of),) if of is not None else NOTHING_KNOWN
            case ExpressionKind.TYPED:
                own = self.get_own_class(file, scope)
                return self._annotations.read_bounded(expression.parts[0], file, scope, own)
            case ExpressionKind.EXPECTED:
                return self.parameters.expected(expression, file, scope, line)
            case ExpressionKind.MATCHING:
                return self._matching((expression, file, scope))
            case ExpressionKind.FUNCTION:
                within = expression.index if expression.index >= 0 else scope
                return (CallableType(self.infer(expression.parts[0], file, within, line)),)
        return self._within(expression, self.infer(expression.parts[0], file, scope, line))

    def _within(self, expression: Expression, inner: Types) -> Types:
        """Return the types of awaiting, iterating, entering, unpacking or dereferencing a value of these types."""
        match expression.kind:
            case ExpressionKind.AWAIT:
                return self._calls.awaited(inner)
            case ExpressionKind.ELEMENT:
                return self.iterate(_looked_up(expression.parts[0], inner))
            case ExpressionKind.ENTER:
                return self._calls.entered(inner)
            case ExpressionKind.ITEM:
                return self._calls.item(inner, expression.index)
            case ExpressionKind.POINTED:
                return union(*(self.dereference(kind) or get_pointed(kind) for kind in inner))
        return inner

    def _is_own_module(self, expression: Expression, file: str, scope: int) -> bool:
        """Return whether a dotted name is the export object of its own file."""
        meaning = self.scopes.spec(file).own_module
        if not meaning or (name := dotted(expression)) not in meaning:
            return False
        return not self.scopes.find_targets(file, scope, name.partition(".")[0])

    def _own_module(self, file: str) -> Types:
        """Return the types of a file's export object: the value of `module.exports = …`, and the module itself."""
        whole = self.scopes.follow(Variable(file, 0, EXPORT_EQUALS))
        return union(self.of_targets(whole), (Module(file),))

    def _attribute(self, owner: Type, name: str, file: str) -> Types:
        """Return the types of an attribute; unknown if it is outside but may contain objects of the workspace."""
        of, spec = as_class(owner), self.scopes.spec(file)
        if isinstance(owner, External) and spec.module_stubs:
            declared = self.of_targets(self.scopes.find_in_stub(file, name, owner.name))
            return declared or self.infer_member(owner, name)
        found = self.infer_member(owner, name)
        is_outside = all(isinstance(kind, External) or kind == UNKNOWN_TYPE for kind in found)
        if is_outside and isinstance(owner, (InstanceType, TypeVariable)):
            found = self._added(owner, name, file) or found
        if of is owner or not isinstance(of, External) or spec.static_types:
            return found
        if of.is_builtin and (spec.path_separator or (is_foreign(owner) and not self.lost.is_lost(file, of))):
            return found
        return tuple(UNKNOWN_TYPE if isinstance(kind, External) else kind for kind in found)

    def _added(self, owner: InstanceType | TypeVariable, name: str, file: str) -> Types:
        """Return the types of a member that extensions or traits add to a type without a member of that name."""
        of = as_class(owner)
        if (
            not isinstance(of, (External, ClassType, TypeVariable))
            or not self.scopes.modules.system_of(file).extends_any_type
        ):
            return ()
        added, _ = self.members.added_outside(file, of, name)
        receiver = owner if isinstance(owner, InstanceType) else None
        kinds = (kind for variable in added for kind in self.infer_variable(variable))
        return tuple(FunctionType(kind.file, kind.symbol, receiver) for kind in kinds if isinstance(kind, FunctionType))

    def _known_outside(self, found: Types, name: str, file: str) -> Types:
        """Return the stub's class for an outside type that is named with its module (`java.util.List`), if any."""
        is_type = name[:1].isupper() and not self.scopes.spec(file).module_stubs
        outside = [kind for kind in found if isinstance(kind, External)]
        if not (is_type and outside and len(outside) == len(found)):
            return found
        module = outside[0].name.removeprefix(BUILTIN).rpartition(".")[0]
        types = self.of_targets(self.scopes.find_in_stub(file, name, module))
        return types if types and all(isinstance(kind, ClassType) for kind in types) else found

    def infer_name(self, name: str, file: str, scope: int) -> Types:
        """Return the types of a bare name in a scope."""
        return self._names((name, file, scope))

    def _infer_name(self, place: tuple[str, str, int]) -> Types:
        name, file, scope = place
        targets = self.scopes.find_targets(file, scope, name)
        if not targets:
            if name in self.scopes.spec(file).own_module:
                return self._own_module(file)
            if self.scopes.get_variable(file, scope, name) is not None:
                return NOTHING_KNOWN
            if (whole := self.scopes.global_object.get(file, name)) is not None:
                return (whole,)
            is_open = self.scopes.modules.system_of(file).may_declare(file, name)
            if is_open or self.scopes.global_object.is_assigned(file, name) or self._is_unexplained(file, scope, name):
                return NOTHING_KNOWN
            standard = self.scopes.stars.get_standard(file, name) or External(f"{BUILTIN}{join_outside(name)}")
            return self._standard_type(file, name) or (standard,)
        if (space := self.scopes.get_namespace(targets, file)) is not None:
            return (space,)
        return self._inherited(targets, name, file, scope) or self.of_targets(targets)

    def _in_force(self, name: str, file: str, scope: int, line: int) -> Types:
        """Return the types of a local variable of C by its declarations that are compiled with the line.

        () if it has only one declaration, or all are compiled with the line (not under a contrary `#if`).
        """
        variable = self.scopes.get_variable(file, scope, name) if self.scopes.spec(file).linkage else None
        if variable is None or variable.scope == 0:
            return ()
        declared = [binding for binding in self.scopes.bindings(variable) if _is_declaration(binding, frozenset())]
        kept = [each for each in declared if not self.conditions.exclude(file, each.line, line)]
        if not 0 < len(kept) < len(declared):
            return ()
        return union(*(self._binding(variable, binding) for binding in kept))

    def _standard_type(self, file: str, name: str) -> Types:
        """Return the C++ class that an unbound name means if the file sees `using namespace std`, or ()."""
        if not (self.scopes.spec(file).linkage and self.scopes.spec(file).overloads):
            return ()
        if file not in self._standard:
            self._standard[file] = _STANDARD_SPACE in self.scopes.stars.list_outside(file)
        if not self._standard[file]:
            return ()
        found = self.infer(member_of(_STANDARD_NAME, name), file, 0)
        return found if found and all(isinstance(kind, ClassType) for kind in found) else ()

    def _inherited(self, targets: tuple[Target, ...], name: str, file: str, scope: int) -> Types:
        """Return the types of a bare name that means a member of a generic base, with the base's type arguments.

        () for every other name.
        """
        declared = targets[0] if len(targets) == 1 and self.scopes.spec(file).implicit_members else None
        if not isinstance(declared, Variable) or not self.scopes.parameters_at(declared.file, declared.scope):
            return ()
        of = self.members.class_declaring(declared)
        while of is not None and scope >= 0:
            inner = self._own.get_class_scope(file, scope)
            own = self.members.class_at(file, inner) if inner >= 0 else None
            if own == of:
                return ()
            if own is not None and self.members.is_subclass(own, of):
                return self.infer_member(InstanceType(own), name)
            scope = self.scopes.source.uses(file).scopes[inner].parent if inner >= 0 else -1
        return ()

    def _is_unexplained(self, file: str, scope: int, name: str) -> bool:
        """Return whether an unbound name may be declared in the workspace although no binding was found.

        It is a name of local variables (`it` in a lambda), or a value in C++ or Rust, which a macro may declare. In C++
        a value may also be a member of an unknown base. An unbound type or namespace is one from outside.
        """
        spec = self.scopes.spec(file)
        if not spec.dereferences:
            is_local = spec.bound_names.match(name) is not None and name not in spec.builtin_names
            return is_local and (not spec.receiving_lambdas or self.scopes.is_in_lambda(file, scope))
        kinds = {each.kind for each in self.scopes.source.uses(file).references.get(name, ())}
        if not spec.linkage:
            # A crate may be used without an import; names of crates are in lower case.
            return name.isupper() and ReferenceKind.READ in kinds
        is_called = ReferenceKind.CALL in kinds and ReferenceKind.ANNOTATE not in kinds and not name[:1].isupper()
        return is_called or not kinds.isdisjoint({ReferenceKind.READ, ReferenceKind.WRITE})

    def of_targets(self, targets: tuple[Target, ...]) -> Types:
        """Return the types of the targets of a name."""
        return union(*[self._variables(each) if isinstance(each, Variable) else (each,) for each in targets])

    def infer_variable(self, variable: Variable) -> Types:
        """Return the types of a variable: its declared types, or those of all values assigned to it."""
        return self._variables(variable)

    def _all_bindings(self, variable: Variable) -> Types:
        bindings = self.scopes.bindings(variable)
        undeclared = self.scopes.spec(variable.file).type_forms.undeclared
        declared = [b for b in bindings if _is_declaration(b, undeclared)]
        if 0 < len(declared) < len(bindings) and all(self._is_of_types(variable.file, each) for each in declared):
            # An object may have the same name as an interface: `interface Cart { … } const Cart = { … }`.
            declared += [each for each in bindings if each.value.kind is ExpressionKind.OBJECT]
        return limit_parts(union(*[self._binding(variable, binding) for binding in declared or bindings]))

    def _is_of_types(self, file: str, binding: Binding) -> bool:
        """Return whether a binding declares an interface, in a language where a value may have an interface's name."""
        symbols = self.scopes.source.facts(file).symbols if self.scopes.spec(file).separate_types else ()
        is_defined = bool(symbols) and binding.kind is BindingKind.DEFINITION and binding.symbol >= 0
        return is_defined and symbols[binding.symbol].kind is SymbolKind.INTERFACE

    def infer_member(self, owner: Type, name: str) -> Types:
        """Return the types of a member of a value; for properties their result, for methods bound to the receiver."""
        return self._of_members((owner, name))

    def _infer_member(self, member: tuple[Type, str]) -> Types:
        owner, name = member
        if isinstance(owner, Module):
            targets = self.scopes.find_after(owner, name)
            if self.scopes.global_object.is_global(owner) and not targets:
                is_known = name in self.scopes.spec(owner.seen_from).builtin_names
                return self.infer_name(name, owner.seen_from, 0) if is_known else NOTHING_KNOWN
            space = self.scopes.get_namespace(targets, owner.seen_from) if owner.seen_from else None
            if space is not None:
                return (space,)
            return self.of_targets(targets) if targets else NOTHING_KNOWN
        if isinstance(owner, External):
            return (External(join_outside(owner.text, name)),)
        if isinstance(owner, TypeVariable):
            return union(*(self.infer_member(bound, name) for bound in owner.bound)) if owner.bound else NOTHING_KNOWN
        if isinstance(owner, InstanceType) and isinstance(owner.of, External):
            return (External(join_outside(owner.of.text, name)),)
        found = self.get_member(owner, name)
        if found is None:
            inner = self.dereference(owner) if name != _DEREFERENCE else ()
            return union(*(self.infer_member(kind, name) for kind in inner)) if inner else self._undeclared(owner, name)
        receiver = InstanceType(owner.of) if isinstance(owner, SuperType) else owner
        return self._bound_member(found, receiver)

    def follow_path(self, types: Types, path: tuple[str, ...]) -> Types:
        here = self._computation.here
        if here.depth - here.base > _MAX_DEPTH:
            here.doubts += 1
            return NOTHING_KNOWN
        here.depth += 1
        try:
            for name in path:
                types = union(*(self._follow(kind, name) for kind in types))
        finally:
            here.depth -= 1
        return types

    def _follow(self, owner: Type, name: str) -> Types:
        found = self.infer_member(owner, name)
        if not isinstance(owner, TypeVariable):
            return found
        bound = tuple(kind for kind in found if kind != UNKNOWN_TYPE)
        return (TypeVariable(owner.variable, bound, path=(*owner.path, name)),)

    def _outside(self, owner: Type, name: str) -> Types:
        """Return the types of an undeclared member: an outside type if a stub or an outside base must declare it."""
        of = as_class(owner)
        if not isinstance(of, ClassType):
            return NOTHING_KNOWN
        spec = self.scopes.spec(of.file)
        is_declared = (spec.static_types or bool(spec.module_stubs)) and not self.scopes.is_open_stub(of)
        is_declared = is_declared and not self._may_return_own(of.file, of.arguments)
        if of.file.startswith(STUBS) and not name.startswith("__") and is_declared:
            symbol = self.scopes.get_class_symbol(of)
            owner_name = self.scopes.name_outside(of.file, symbol.qualname) if symbol is not None else ""
            return (External(f"{owner_name}.{name}"),)
        if of is owner or not spec.static_types:
            return NOTHING_KNOWN
        lineage = self.members.lineage(of)
        is_declared = bool(lineage.externals) and not lineage.is_open and not name.startswith("__")
        return (External(f"{lineage.externals[0]}.{name}"),) if is_declared else NOTHING_KNOWN

    def get_member(self, owner: Type, name: str) -> MemberMatch | None:
        of = owner.of if isinstance(owner, (SuperType, InstanceType)) else owner
        if not isinstance(of, ClassType):
            return None
        is_super, is_function = isinstance(owner, SuperType), name != as_written(name)
        found = self.members.find(of, name, skip_own=is_super, of_class=None if is_super else owner is of)
        is_tagged = name == tagged(as_written(name))
        if found is None and not is_tagged and self.scopes.spec(of.file).separate_functions is not is_function:
            # Languages of one platform share members, but only some of them separate the names of functions from those
            # of values.
            foreign = as_written(name) if is_function else called(name)
            found = self.members.find(of, foreign, skip_own=is_super)
        return found

    def _undeclared(self, owner: Type, name: str) -> Types:
        """Return the types of an undeclared member: those of an index signature, if there is one."""
        found = self.get_member(owner, ANY_MEMBER)
        known = self._bound_member(found, owner) if found is not None else ()
        return union(*(kind.result for kind in known if isinstance(kind, CallableType))) or self._outside(owner, name)

    def dereference(self, owner: Type) -> Types:
        """Return the types that a box or a smart pointer contains; () for any other object."""
        if not isinstance(owner, InstanceType) or self.get_member(owner, _DEREFERENCE) is None:
            return ()
        # A trait that is implemented for references may say that what they point to contains its own type.
        return tuple(k for k in union(*(self.call(m) for m in self.infer_member(owner, _DEREFERENCE))) if k != owner)

    def _bound_member(self, found: MemberMatch, receiver: Type) -> Types:
        """Return the member's types as seen from its receiver."""
        result: list[Types] = []
        for kind in self.infer_variable(found.variable):
            if isinstance(kind, FunctionType) and isinstance(receiver, (ClassType, InstanceType)):
                bound = FunctionType(kind.file, kind.symbol, receiver)
                symbol = self.scopes.source.facts(kind.file).symbols[kind.symbol]
                is_value = symbol.kind is SymbolKind.PROPERTY and isinstance(receiver, InstanceType)
                result.append(self.infer_result(bound) if is_value else (bound,))
            else:
                result.append(self._generics.member((kind,), receiver, found.owner))
        return union(*result)

    def _binding(self, variable: Variable, binding: Binding) -> Types:
        """Return the types that one binding contributes to its variable."""
        if binding.kind is BindingKind.DEFINITION:
            return self._definition(variable.file, binding.symbol)
        if binding.kind is BindingKind.IMPORT:
            return self.of_targets(self.scopes.resolve_import_binding(variable, binding)) or NOTHING_KNOWN
        if binding.kind in _PARAMETERS:
            return self.parameters.infer(variable, binding)
        if _is_declaration(binding, self.scopes.spec(variable.file).type_forms.undeclared):
            return self._declared(variable, binding)
        holder = self.members.class_declaring(variable) if binding.kind is BindingKind.ASSIGNMENT else None
        if holder is not None and not variable.name.startswith("_") and self.records.is_enum(holder):
            return (InstanceType(holder),)
        return self.infer(binding.value, variable.file, binding.within, binding.line)

    def _declared(self, variable: Variable, binding: Binding) -> Types:
        """Return the declared types of a variable; in a class, `date: date` is the outer `date`, not a parameter."""
        within = binding.within
        own = self.get_own_class(variable.file, within) or self.members.class_declaring(variable)
        scope = self.scopes.source.uses(variable.file).scopes[within]
        if scope.kind is ScopeKind.CLASS and dotted(binding.annotation).partition(".")[0] == variable.name:
            own_bindings = self.scopes.bindings(Variable(variable.file, within, variable.name))
            is_parameter = any(each.kind is BindingKind.TYPE_PARAMETER for each in own_bindings)
            within = within if is_parameter else scope.parent
        return self.read_type(binding.annotation, variable.file, within, own)

    def _definition(self, file: str, symbol: int) -> Types:
        kind = self.scopes.source.facts(file).symbols[symbol].kind if symbol >= 0 else None
        # A macro of C expands to its text, which may be anything.
        if kind is None or (kind is SymbolKind.MACRO and self.scopes.spec(file).linkage):
            return NOTHING_KNOWN
        if self.scopes.has_members(file, symbol):
            return (self._generics.within_template(self.scopes.canonical(ClassType(file, symbol))),)
        plain = FunctionType(file, symbol)
        return (plain,) if kind is SymbolKind.PROPERTY else self._calls.decorated(plain)

    def _narrowed(
        self, expression: Expression, file: str, scope: int, line: int, narrowings: tuple[Narrowing, ...]
    ) -> Types:
        """Return the types of a name that satisfy the conditions around the line."""
        types = self._plain(expression, file, scope, line)
        for found in narrowings:
            types = self._narrowings.prefer(self._narrowings.read(found, file, scope), types)
            types = self._narrowings.keep(types, found, file, scope)
        return types

    def infer_owner(self, receiver: Expression, file: str, scope: int, line: int, member: str) -> Types:
        """Return the types of a receiver; on the line that tests its member (`if (x.kind === "a")`), those before."""
        narrowings = self._narrowings.find(file, receiver, scope, line)
        if any(found.member == member and found.span.start_line == line and not found.is_after for found in narrowings):
            within = (found for found in narrowings if found.is_after or found.span.start_line < line)
            before = tuple(found for found in within if line < found.span.end_line)
            return self._narrowed(receiver, file, scope, line, before)
        return self.infer(receiver, file, scope, line)

    def _subscript(self, expression: Expression, file: str, scope: int, line: int) -> Types:
        owner, *index = expression.parts
        if index == OWN_NAME and dotted(owner) in self.scopes.spec(file).module_tables:
            return (Module(file),)
        result: list[Types] = []
        for kind in _looked_up(owner, self.infer(owner, file, scope, line)):
            if isinstance(kind, ClassType) and self.records.is_enum(kind):
                result.append((InstanceType(kind),))
            elif isinstance(kind, (ClassType, FunctionType)):
                given = tuple(self.read_type(part, file, scope) for part in index)
                result.append((kind.applied(given),))
            elif isinstance(kind, External):
                classes = [part for part in index if part.kind is not ExpressionKind.LITERAL]
                arguments = tuple(self.read_type(part, file, scope) for part in classes)
                result.append(NOTHING_KNOWN if self._may_return_own(file, arguments) else (kind,))
            else:
                result.append(self._calls.indexed(kind, is_slice=index[:1] == [SLICE]))
        return union(*result)

    def _may_return_own(self, file: str, arguments: tuple[Types, ...]) -> bool:
        """Return whether methods of an outside generic class may return workspace types: `Box<Own>` of Rust or C++."""
        is_own = not all(is_foreign(kind) for types in arguments for kind in types)
        return is_own and self.scopes.spec(file).dereferences

    def _container(self, expression: Expression, file: str, scope: int, line: int) -> InstanceType:
        """Return the type of a built-in container with its element types; a tuple has one for each item."""
        inner = tuple(self.infer(part, file, scope, line) for part in expression.parts[:16])
        name = expression.name
        if name == "tuple":
            return self.make_standard(file, name, *inner)
        if name == "dict":
            pairs = [kind for types in inner for kind in types if isinstance(kind, InstanceType)]
            keys = union(*(pair.arguments[0] for pair in pairs if len(pair.arguments) == 2))
            values = union(*(pair.arguments[1] for pair in pairs if len(pair.arguments) == 2))
            return self.make_standard(file, name, *((keys, values) if pairs else ()))
        return self.make_standard(file, name, *((union(*inner),) if inner else ()))

    def make_standard(self, file: str, name: str, *arguments: Types) -> InstanceType:
        """Return an object of a class that the language of a file has built in, as its stub declares it."""
        of = self.scopes.get_standard_class(file, name)
        return InstanceType(of.applied(arguments) if of is not None else External(f"{BUILTIN}{name}"), arguments)


def _looked_up(owner: Expression, types: Types) -> Types:
    """Return the types that `T[number]` takes items of: for a type parameter `T`, its bounds."""
    bounds = (kind.bound or (kind,) if isinstance(kind, TypeVariable) else (kind,) for kind in types)
    return union(*bounds) if owner.kind is ExpressionKind.TYPED else types


def _is_declaration(binding: Binding, undeclared: frozenset[str]) -> bool:
    """Return whether the binding declares the type of its variable, rather than only assigning a value."""
    if binding.kind is _DEFINITION:
        return True
    if binding.annotation == UNKNOWN or binding.kind in _PARAMETERS:
        return False
    return not undeclared or dotted(binding.annotation).rpartition(".")[2] not in undeclared
