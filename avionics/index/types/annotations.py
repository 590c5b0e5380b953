"""Read annotations: classes as types, special forms, type parameters and aliases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from avionics.index.model.memo import FinalValues, Memo
from avionics.index.model.values import (
    BUILTIN,
    NOTHING_KNOWN,
    CallableType,
    ClassType,
    External,
    InstanceType,
    Module,
    Target,
    Type,
    Types,
    TypeVariable,
    Variable,
    union,
)
from avionics.index.scopes.type_position import scope_of_type
from avionics.index.types.substitution import class_of, is_foreign, substitute
from avionics.model.enums import BindingKind, ExpressionKind, is_class
from avionics.model.facts import GATHERING, OUTERMOST, UNKNOWN, Expression
from avionics.syntax.engine.expressions import ANY_NUMBER, OWN_OBJECT
from avionics.syntax.type_forms import TypeForms

if TYPE_CHECKING:
    from avionics.index.types.context import InferenceContext

_NAMES = frozenset({ExpressionKind.NAME, ExpressionKind.ATTRIBUTE})
_PARAMETERS = frozenset({BindingKind.PARAMETER, BindingKind.TYPE_PARAMETER})
_OBJECTS = frozenset({ExpressionKind.SELF, ExpressionKind.OWN_CLASS, ExpressionKind.SUPER, ExpressionKind.OBJECT})
_LOOKUPS = frozenset({ExpressionKind.ATTRIBUTE, ExpressionKind.ELEMENT, ExpressionKind.SUBSCRIPT})
_TEXT, _TUPLE = "str", "tuple"
_DEEPEST = 12
"""The maximum nesting of written types; code stays far below it."""

_Written = tuple[Variable, Expression, int, ClassType | None]
"""An alias or type parameter: its declared expression and scope, and the class that `Self` refers to."""

_Applied = tuple[Expression, str, int, ClassType | None]
"""A type as written, its file, its scope, and the class that `Self` refers to."""


class Annotations:
    """Reads the annotations of one snapshot."""

    def __init__(self, context: InferenceContext) -> None:
        self._scopes = context.scopes
        self._infer = context.infer
        self._make = context.make_standard
        self._get_class_around = context.get_class_around
        self._follow_path = context.follow_path
        self._select = context.select
        # Aliases and bounds may refer to themselves; memos end such cycles, and read each alias only once.
        self._alias: Memo[_Written, Types] = Memo(self._read_alias, NOTHING_KNOWN, context.scopes.computation)
        self._bound: Memo[_Written, Types] = Memo(self._read_bound, (), context.scopes.computation)
        self._known: FinalValues[_Applied, Types] = FinalValues(self._read, context.scopes.computation)
        self._applied: Memo[_Applied, Types] = Memo(self._read_applied, NOTHING_KNOWN, context.scopes.computation)

    def read(
        self, expression: Expression, file: str, scope: int, own: ClassType | None = None, depth: int = 0
    ) -> Types:
        """Return the types of values with this annotation; `own` is the class that `Self` refers to."""
        if depth > _DEEPEST or expression == UNKNOWN:
            return NOTHING_KNOWN
        if depth:
            return self._read_within(expression, file, scope, own, depth)
        return self._known((expression, file, scope, own))

    def read_bounded(self, expression: Expression, file: str, scope: int, own: ClassType | None) -> Types:
        """Return the types of values with this annotation; a type parameter with a default has its bound instead."""
        return tuple(map(self._with_bound, self.read(expression, file, scope, own)))

    def _with_bound(self, kind: Type) -> Type:
        if not isinstance(kind, TypeVariable) or kind.path:
            return kind
        for binding in self._scopes.bindings(kind.variable):
            if binding.kind is BindingKind.TYPE_PARAMETER and binding.value != UNKNOWN:
                return TypeVariable(kind.variable, self.read(binding.value, kind.variable.file, binding.within))
        return kind

    def _read(self, written: _Applied) -> Types:
        return self._read_within(*written, 0)

    def _read_within(self, expression: Expression, file: str, scope: int, own: ClassType | None, depth: int) -> Types:
        kind = expression.kind
        if kind in _NAMES:
            return self._named(expression, file, scope, own)
        if kind is ExpressionKind.UNION:
            return union(*(self.read(part, file, scope, own, depth + 1) for part in expression.parts))
        if kind is ExpressionKind.LITERAL:
            return () if expression.name == "None" else NOTHING_KNOWN
        if kind is ExpressionKind.OPERATION:
            first, second = (self.read(part, file, scope, own, depth + 1) for part in expression.parts)
            return self._select(first, second, expression.name)
        if kind is ExpressionKind.FUNCTION:
            result, *parameters = (self.read(part, file, scope, own, depth + 1) for part in expression.parts)
            return (CallableType(result, tuple(parameters), gathers=expression.name == GATHERING),)
        if kind is ExpressionKind.OBJECT:
            return tuple(self._with_parameters(each) for each in self._infer(expression, file, scope))
        if kind in _OBJECTS:
            return self._infer(expression, file, scope)
        if kind is ExpressionKind.TYPEOF:
            return self._of_value(expression.parts[0], file, scope, own, depth)
        if kind is ExpressionKind.SUBSCRIPT:
            if depth:
                return self._generic(expression, file, scope, own, depth)
            return self._applied((expression, file, scope, own))
        return NOTHING_KNOWN

    def _of_value(self, value: Expression, file: str, scope: int, own: ClassType | None, depth: int) -> Types:
        """Return the types of `typeof value`; those of `T["member"]` stay symbolic for a type parameter `T`."""
        path, inner = list[str](), value
        while inner.kind in _LOOKUPS and inner.parts[0].kind is not ExpressionKind.TYPED:
            path.insert(0, inner.name)
            inner = inner.parts[0]
        owner = inner.parts[0] if inner.kind in _LOOKUPS else UNKNOWN
        owners = self.read(owner.parts[0], file, scope, own, depth + 1) if owner != UNKNOWN else ()
        if not any(isinstance(each, TypeVariable) for each in owners):
            return self._infer(value, file, scope)
        if inner.kind is not ExpressionKind.ATTRIBUTE:
            return NOTHING_KNOWN
        return self._follow_path(owners, (inner.name, *path)) if all(path) else self._infer(value, file, scope)

    def _with_parameters(self, kind: Type) -> Type:
        """Return an anonymous object type (`{ item: T }`) with the surrounding type parameters as its arguments."""
        of = kind.of if isinstance(kind, InstanceType) else None
        if not isinstance(of, ClassType) or of.symbol >= 0:
            return kind
        # Ignore their bounds, which may refer to the same object.
        arguments = tuple((TypeVariable(each),) for each in self._scopes.parameters_around(of.file, of.scope))
        return InstanceType(of.applied(arguments), arguments) if arguments else kind

    def _named(self, expression: Expression, file: str, scope: int, own: ClassType | None) -> Types:
        """Return the types of values that are annotated with a name: a class, an alias, a type parameter or `Self`."""
        special: Types | None = None
        is_separate = self._scopes.spec(file).separate_types
        if expression.kind is ExpressionKind.NAME:
            scope = 0 if expression.index == OUTERMOST else scope
            scope = scope_of_type(self._scopes, file, scope, expression.name)
        if expression.kind is ExpressionKind.NAME or is_separate:
            special, is_class = self._declared(expression, file, scope, own)
            if special is not None and (is_separate or not is_class):
                return special
        # A member that is a value is not a type; but the variant of an enumeration may stand for one.
        is_member = expression.kind is ExpressionKind.ATTRIBUTE
        found = [special] if special is not None else []
        for given in self._infer(expression, file, scope):
            if isinstance(given, ClassType):
                found.append((InstanceType(given, given.arguments),))
            elif isinstance(given, External):
                found.append(self._external(given, file, scope, own))
            elif isinstance(given, TypeVariable) or (isinstance(given, InstanceType) and is_member):
                found.append((given,))
            elif special is None:
                found.append(NOTHING_KNOWN)
        return union(*found) if found else NOTHING_KNOWN

    def _external(self, given: External, file: str, scope: int, own: ClassType | None) -> Types:
        """Return the types of an outside name, which may be a special form such as `Self`, `Any` or `AnyStr`."""
        forms = self._forms(file)
        last = forms.get_name(given.name)
        if self._is_unknown(given, file):
            return NOTHING_KNOWN
        if last in forms.own:
            return (InstanceType(own),) if own is not None else self._infer(OWN_OBJECT, file, scope)
        if last in forms.anything or not given.name:
            return NOTHING_KNOWN
        if last in forms.texts:
            return (self._make(file, _TEXT),)
        return (InstanceType(given),)

    def _is_unknown(self, given: External, file: str) -> bool:
        """Return whether an unbound name in a comment is no type that the language has, or may be the workspace's."""
        spec = self._scopes.spec(file)
        if not spec.types_in_comments or not given.is_builtin:
            return False
        name = given.name.removeprefix(BUILTIN)
        return name not in spec.builtin_names or any(
            is_class(each.kind) for each in self._scopes.source.iter_named(name)
        )

    def _declared(self, written: Expression, file: str, scope: int, own: ClassType | None) -> tuple[Types | None, bool]:
        """Return the types denoted by an alias or a type parameter, or None, and whether the name may be a class.

        It may be both, under conditions. In languages that name types separately, a class is returned even if a
        constant has the same name.
        """
        alternatives: list[Types] = []
        is_class = False
        for target in self._aliases(written, file, scope):
            bindings = self._scopes.bindings(target)
            if any(binding.kind is BindingKind.DEFINITION for binding in bindings):
                is_class = True
                if self._scopes.spec(target.file).separate_types:
                    classes = (
                        b.symbol for b in bindings if b.symbol >= 0 and self._scopes.is_type(target.file, b.symbol)
                    )
                    own_class = next((ClassType(target.file, symbol) for symbol in classes), None)
                    if own_class is not None:
                        alternatives.append((InstanceType(self._scopes.canonical(own_class)),))
                    else:
                        alternatives.append(())
                continue
            for binding in bindings:
                if binding.kind in _PARAMETERS:
                    bound = self._bound((target, binding.annotation, binding.within, own))
                    return (TypeVariable(target, bound),), False
                if binding.kind is BindingKind.ASSIGNMENT and binding.value != UNKNOWN:
                    alternatives.append(self._alias((target, binding.value, binding.within, own)))
        return union(*alternatives) if alternatives else None, is_class

    def _read_bound(self, written: _Written) -> Types:
        variable, bound, within, own = written
        if bound == UNKNOWN:
            return ()
        # Use `Self` without type parameters, because this is the bound of one of them.
        return self.read(bound, variable.file, within, own or self._get_class_around(variable.file, within))

    def _read_alias(self, written: _Written) -> Types:
        """Return the types denoted by an assigned type: an alias, `TypeVar(…)`, `NewType(…)` or a class."""
        variable, value, within, own = written
        if value.kind is not ExpressionKind.CALL:
            return self.read(value, variable.file, within, own)
        callee, forms = value.parts[0].name, self._forms(variable.file)
        if callee in forms.parameters:
            return (TypeVariable(variable),)
        if callee in forms.renaming and len(value.parts) > 2:
            return self.read(value.parts[2], variable.file, within, own)
        return NOTHING_KNOWN

    def _read_applied(self, written: _Applied) -> Types:
        return self._generic(*written, 0)

    def _generic(self, expression: Expression, file: str, scope: int, own: ClassType | None, depth: int) -> Types:
        """Return the types that a type with arguments declares."""
        owner, *written = expression.parts
        if len(written) == 1 and written[0].kind is ExpressionKind.CONTAINER and written[0].name == "tuple":
            written = list(written[0].parts)
        written = written[:-1] if written and written[-1] == ANY_NUMBER else written
        aliased = self._generic_alias(owner, written, file, scope, own, depth)
        if aliased is not None:
            return aliased
        bases = self._infer(owner, file, scope)
        found: list[Types] = []
        for base in bases:
            arguments = tuple(self.read(part, file, scope, own, depth + 1) for part in written)
            if isinstance(base, ClassType):
                found.append((InstanceType(base.applied(arguments), arguments),))
            elif isinstance(base, External) and self._is_unknown(base, file):
                found.append(NOTHING_KNOWN)
            elif isinstance(base, External):
                numbers = [part.kind is ExpressionKind.LITERAL and self._scopes.spec(file).linkage for part in written]
                arguments = tuple(
                    (self._make(file, part.name),) if is_number else types
                    for part, is_number, types in zip(written, numbers, arguments, strict=True)
                )
                passed = written[0].parts if written and self._is_function(base, file) else ()
                parameters = tuple(self.read(part, file, scope, own, depth + 1) for part in passed)
                is_computed = self._is_computed(base, arguments, file)
                found.append(NOTHING_KNOWN if is_computed else self._form(base, arguments, parameters, file))
            else:
                found.append(self._named(owner, file, scope, own))
        return union(*found) if found else NOTHING_KNOWN

    def _is_computed(self, base: External, arguments: tuple[Types, ...], file: str) -> bool:
        """Return whether a built-in generic type may be computed from workspace types: `Partial<Cart>`."""
        is_tuple = base.name == f"{BUILTIN}{_TUPLE}"
        if is_tuple or not base.is_builtin or not self._scopes.spec(file).separate_types:
            return False
        return not all(is_foreign(kind) for types in arguments for kind in types)

    def _aliases(self, owner: Expression, file: str, scope: int) -> list[Variable]:
        """Return the variables that a type name, qualified or not, resolves to."""
        if owner.kind is ExpressionKind.NAME:
            found = self._scopes.find_targets(file, scope, owner.name)
        elif owner.kind is ExpressionKind.ATTRIBUTE:
            owners = self._infer(owner.parts[0], file, scope)
            found = tuple(target for each in owners for target in self._find_in(each, owner.name))
        else:
            found = ()
        return [target for target in found if isinstance(target, Variable)]

    def _find_in(self, owner: Type, name: str) -> tuple[Target, ...]:
        """Return the targets of a name in a module or, in TypeScript, in a namespace."""
        if isinstance(owner, Module):
            return self._scopes.find_member(owner, name)
        if isinstance(owner, ClassType) and self._scopes.spec(owner.file).separate_types:
            places = ((part.file, self._scopes.scope_of_class(part)) for part in self._scopes.parts(owner))
            inner = (Variable(file, scope, name) for file, scope in places if scope >= 0)
            return tuple(target for variable in inner for target in self._scopes.follow(variable))
        return ()

    def _generic_alias(
        self, owner: Expression, written: list[Expression], file: str, scope: int, own: ClassType | None, depth: int
    ) -> Types | None:
        """Return the types denoted by a generic alias; None if the name is not one."""
        for target in self._aliases(owner, file, scope):
            uses = self._scopes.source.uses(target.file)
            for binding in self._scopes.bindings(target):
                if binding.symbol < 0 or binding.within < 0 or uses.scopes[binding.within].symbol != binding.symbol:
                    continue
                if binding.kind is BindingKind.ASSIGNMENT:
                    types = self._alias((target, binding.value, binding.within, own))
                    parameters = self._scopes.parameters_at(target.file, binding.within)
                    arguments = (self.read(part, file, scope, own, depth + 1) for part in written)
                    return substitute(types, dict(zip(parameters, arguments, strict=False)), self._follow_path)
        return None

    def _form(self, base: External, arguments: tuple[Types, ...], parameters: tuple[Types, ...], file: str) -> Types:
        """Return the types of a special form (`Optional[T]`, `type[T]`, `Callable[…]`) or an outside generic type."""
        forms = self._forms(file)
        last = forms.get_name(base.name)
        if last in forms.transparent:
            return arguments[0] if arguments else NOTHING_KNOWN
        if last in forms.unions:
            return union(*arguments)
        if last in forms.classes:
            inner = arguments[0] if arguments else NOTHING_KNOWN
            return tuple(map(class_of, inner))
        if self._is_function(base, file):
            return (CallableType(arguments[-1] if arguments else NOTHING_KNOWN, parameters),)
        return (self._make(file, _TEXT),) if last in forms.texts else (InstanceType(base, arguments),)

    def _is_function(self, base: External, file: str) -> bool:
        return self._forms(file).get_name(base.name) in self._forms(file).functions

    def _forms(self, file: str) -> TypeForms:
        return self._scopes.spec(file).type_forms
