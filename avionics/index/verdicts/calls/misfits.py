"""Compare the arguments of a call with a function's parameters, and find out which functions' parameters are known."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct, structs

from avionics.index.changes.signature_compat import split_at_commas
from avionics.index.code_index import CodeIndex
from avionics.index.model.values import ClassType, InstanceType, Module, SuperType, Types, Variable, as_class
from avionics.index.scopes.name_resolver import CONSTRUCTOR, NameResolver
from avionics.index.verdicts.findings import Cause
from avionics.index.verdicts.outside_bases import may_inherit
from avionics.late_pattern import late_pattern
from avionics.model.enums import FUNCTIONS, ScopeKind
from avionics.model.facts import UNKNOWN
from avionics.model.knowledge import Definition
from avionics.model.naming import called
from avionics.syntax.call_sites import read_requirements
from avionics.syntax.conventions import is_decorated
from avionics.syntax.engine.call_shapes import CallShape, CallSignature
from avionics.syntax.registry import conventions_of

_KEEPING = (
    "staticmethod", "classmethod", "abstractmethod", "override", "final", "contextmanager", "asynccontextmanager",
    "inline", "must_use", "allow", "doc", "cfg", "track_caller", "cold", "deprecated", "expect",
)  # fmt: skip
"""Decorators that leave the parameters as they are."""

_UNDER_CONDITION = late_pattern(r"cfg_attr\((.*)\)")
"""A decorator that applies others under a condition: `cfg_attr(condition, other, …)`."""


class Misfit(Struct, frozen=True):
    """Why a call does not fit: `detail` names the parameter or argument."""

    cause: Cause
    detail: str


class Callee(Struct, frozen=True):
    """The function that a call runs, and whether its first parameter is the receiver."""

    definition: Definition
    is_bound: bool


def binds_receiver(scopes: NameResolver, definition: Definition, variable: Variable, owners: Types) -> bool | None:
    """Return whether the receiver is passed as the first declared parameter; None if receivers differ."""
    if not scopes.is_member(variable) or not scopes.spec(definition.file).executed_classes:
        return False
    decorators, rules = definition.symbol.decorators, conventions_of(definition.file).decorators
    if is_decorated(decorators, rules.static_methods):
        return False
    if is_decorated(decorators, rules.class_methods) or definition.name in rules.implicit_class_methods:
        return True
    kinds = {type(owner) for owner in owners}
    if kinds and kinds <= {InstanceType, SuperType}:
        return True
    return False if kinds in ({ClassType}, {Module}) else None


def _keeps_parameters(decorator: str) -> bool:
    """Return whether a decorator leaves the parameters of a function as they are."""
    if (chosen := _UNDER_CONDITION.fullmatch(decorator)) is not None:
        return all(is_decorated((each,), _KEEPING) for each in [*split_at_commas(chosen[1])][1:])
    return is_decorated((decorator,), _KEEPING)


def list_changing_decorators(definition: Definition) -> list[str]:
    """Return the decorators that may change the parameters of a function."""
    if conventions_of(definition.file).decorators.keep_parameters:
        return []
    return [each for each in definition.symbol.decorators if not _keeps_parameters(each)]


def has_plain_parameters(definition: Definition) -> bool:
    """Return whether all decorators of a function leave its parameters as they are."""
    return not list_changing_decorators(definition)


def list_chosen_from(definitions: Iterable[Definition]) -> tuple[Definition, ...] | None:
    """Return the functions among which a call chooses: the `@overload`s of a name without their common body.

    None if one of them is not a function, or a decorator may give it other parameters.
    """
    found = tuple(definitions)
    heads = {(each.file, each.symbol.qualname) for each in found if _is_overload(each)}
    chosen = [each for each in found if _is_overload(each) or (each.file, each.symbol.qualname) not in heads]
    are_plain = all(each.kind in FUNCTIONS and (_is_overload(each) or has_plain_parameters(each)) for each in found)
    return tuple(chosen) if are_plain else None


def _is_overload(definition: Definition) -> bool:
    """Return whether a definition is decorated only with `@overload`."""
    decorators, rules = definition.symbol.decorators, conventions_of(definition.file).decorators
    return len(decorators) == 1 and is_decorated(decorators, rules.overloads)


def is_abstract(code: CodeIndex, definition: Definition) -> bool:
    """Return whether a method has to be implemented by subclasses, so that no call through its class can run it."""
    content = code.read_content(definition.file)
    place = (definition.line, definition.symbol.column)
    return bool(read_requirements(content, code.facts(definition.file).language, [place]).get(place))


def get_misfit(signature: CallSignature, shape: CallShape, *, is_bound: bool, has_names: bool) -> Misfit | None:
    """Return why a call does not fit a signature; None if it fits, or if that is unknown.

    With `is_bound`, the first parameter is given by the receiver; with `has_names`, calls may pass parameters by name.
    """
    parameters = signature.parameters[1:] if is_bound else signature.parameters
    if is_bound and signature.parameters and signature.parameters[0].gathers:
        parameters = signature.parameters
    given = shape.positional - (1 if signature.has_receiver and shape.is_through_type else 0)
    if given < 0:
        return None
    by_position = [each for each in parameters if not each.is_named_only and not each.gathers]
    takes_any = any(each.gathers == "*" and each.name != "*" for each in parameters)
    takes_any_name = any(each.gathers == "**" for each in parameters)
    if shape.gives_rest and not takes_any:
        return Misfit(Cause.ARGUMENT_SURPLUS, str(max(1, given + 1 - len(by_position))))
    if given > len(by_position) and (not takes_any or shape.gives_rest):
        return Misfit(Cause.ARGUMENT_SURPLUS, str(given - len(by_position)))
    if has_names and not takes_any_name:
        known = {each.name for each in parameters if not each.is_unnamed_only and not each.gathers}
        unknown = [name for name in shape.keywords if name not in known]
        if unknown:
            return Misfit(Cause.KEYWORD_UNKNOWN, unknown[0])
    taken = {each.name for each in by_position[:given] if not each.is_unnamed_only} if has_names else set()
    if twice := taken.intersection(shape.keywords):
        return Misfit(Cause.ARGUMENT_SURPLUS, str(len(twice)))  # A value by position, and one by name.
    if shape.is_open:
        return None
    filled = {each.name for each in by_position[:given]} if has_names else set()
    left = [each for each in parameters if not each.gathers and each not in by_position[:given]]
    missing = [
        each for each in left if not each.is_optional and each.name not in shape.keywords and each.name not in filled
    ]
    return Misfit(Cause.ARGUMENT_MISSING, missing[0].name) if missing else None


def takes_all(before: CallSignature, after: CallSignature, *, has_names: bool) -> bool:
    """Return whether a signature accepts every call that the former one accepted, by name too if `has_names`."""
    old, new = before.parameters, after.parameters
    if not old or before.has_receiver != after.has_receiver or len(new) < len(old):
        return False
    for was, now in zip(old, new, strict=False):
        kept = structs.replace(now, is_optional=was.is_optional, name=now.name if has_names else was.name)
        if kept != was or (was.is_optional and not now.is_optional):
            return False
    return all(each.is_optional or each.gathers for each in new[len(old) :])


def get_declared(code: CodeIndex, variable: Variable) -> Variable | None:
    """Return the interface's member that a member in an implementation block implements, else the member itself.

    Calls pass what the interface declares. None if the interface is outside the workspace.
    """
    uses, inference = code.uses(variable.file), code.resolver.inference
    bases = uses.bases.get(variable.scope, ())
    scope = uses.scopes[variable.scope] if bases else None
    if scope is None or scope.kind is not ScopeKind.CLASS or scope.symbol >= 0 or scope.of == UNKNOWN:
        return variable
    kinds = [kind for each in bases for kind in inference.infer(each, variable.file, scope.parent)]
    interfaces = map(as_class, kinds)
    found = (inference.members.find(each, variable.name) for each in interfaces if isinstance(each, ClassType))
    return next((each.variable for each in found if each is not None), None)


def list_inherited_overloads(code: CodeIndex, variable: Variable) -> tuple[Definition, ...] | None:
    """Return the overloads that the class of a member inherits; None if a base is outside the workspace.

    Constructors are not inherited.
    """
    members = code.resolver.inference.members
    own = members.class_declaring(variable)
    if own is None:
        return None
    lineage, spec = members.lineage(own), code.resolver.scopes.spec(own.file)
    if may_inherit(spec, lineage, variable.name):
        return None
    found: list[Definition] = []
    for each in lineage.classes[1:] if variable.name not in {CONSTRUCTOR, called(CONSTRUCTOR)} else ():
        above = members.own_member(each, variable.name)
        found.extend(code.graph.find_all_definitions(above) if above is not None else ())
    return tuple(found)
