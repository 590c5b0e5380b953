"""Find the scope in which to look up a name in a type position, where an inner scope may bind a value of that name.

In `Color Color { get; }` of C# the first name is the type, although the class has a member of that name; in
`(item: item) => …` of TypeScript the second name is the type, although there is a parameter of that name.
"""

from __future__ import annotations

import re
from collections.abc import Container

from avionics.index.model.values import Module, Target, Variable
from avionics.index.scopes.name_resolver import NameResolver
from avionics.model.enums import PARAMETERS, BindingKind, ReferenceKind, SymbolKind, is_class
from avionics.model.facts import UNKNOWN, Binding, Reference

_VALUES = frozenset({SymbolKind.ATTRIBUTE, SymbolKind.PROPERTY, SymbolKind.METHOD})
_PLAIN = frozenset({SymbolKind.FUNCTION, SymbolKind.VARIABLE, SymbolKind.CONSTANT})
"""The definitions that are no types, in languages where a value and a type may share a name."""

_MEMBER = re.compile(r"\s?\.\s?(\w+)")
_STATIC = re.compile(r"\b(?:static|const)\b")


def scope_of_type(scopes: NameResolver, file: str, scope: int, name: str, *, may_be_value: bool = False) -> int:
    """Return the innermost enclosing scope in which the name does not mean a plain value.

    If no type has the name, return the given scope for a name that may be a value: an argument of a C++ template, or
    one with `may_be_value`.
    """
    spec = scopes.spec(file)
    if not (spec.implicit_members or spec.separate_types):
        return scope
    opened, outer = scopes.source.uses(file).scopes, scope
    kinds = _PLAIN if spec.separate_types else _VALUES
    while outer > 0:
        variable = scopes.get_variable(file, outer, name)
        if variable is None or not _is_value(scopes, variable, kinds):
            break
        outer = opened[outer].parent
    is_unknown = (spec.linkage or may_be_value) and outer != scope and not scopes.find_targets(file, outer, name)
    return scope if is_unknown else outer


def scope_before_static(scopes: NameResolver, file: str, reference: Reference) -> int:
    """Return the scope in which the name before a static member means its type, else the scope of the reference.

    In C#, with a property `Color Color`, the first name of `Color.Red` is the type, and that of `Color.Mix()` the
    property (ECMA-334, "Identical simple names and type names").
    """
    here, name = reference.scope, reference.name
    if not scopes.spec(file).static_receivers or reference.receiver is not None or reference.kind != ReferenceKind.READ:
        return here
    outer = scope_of_type(scopes, file, here, name)
    behind = scopes.source.read_line(file, reference.line)[reference.column + len(name) :] if outer != here else ""
    member = _MEMBER.match(behind)
    if member is None:
        return here
    types = (each for each in scopes.find_targets(file, outer, name) if isinstance(each, Variable))
    members = (inner for each in types for inner in scopes.members.list_inner(each, member[1]))
    return outer if any(_is_static(scopes, each) for each in members) else here


def _is_static(scopes: NameResolver, member: Variable) -> bool:
    """Return whether a member is reached through its type: it is static, a constant, a variant or a type."""
    for each in scopes.list_definitions(member):
        holder = scopes.source.get_class_around(each)
        is_variant = holder is not None and holder.kind is SymbolKind.ENUM
        if is_variant or is_class(each.kind) or _STATIC.search(each.symbol.signature):
            return True
    return False


def choose_namespace(
    scopes: NameResolver, file: str, reference: Reference, targets: tuple[Target, ...]
) -> tuple[Target, ...]:
    """Return only the modules of a Rust name before `::`, and only its other targets elsewhere, if it has both."""
    if reference.is_import or len({isinstance(each, Module) for each in targets}) < 2:
        return targets
    line = scopes.source.read_line(file, reference.line)
    behind = line[reference.column + len(reference.name) :]
    # Type arguments of a function may follow as well: `f::<T>()`.
    is_module = behind.startswith("::") and not behind[2:].lstrip().startswith("<")
    return tuple(each for each in targets if isinstance(each, Module) == is_module)


def scope_of_value(scopes: NameResolver, file: str, scope: int, name: str) -> int:
    """Return the innermost enclosing scope in which the name of a value does not mean a type parameter."""
    if not scopes.spec(file).separate_types or not scopes.names_type_parameter(file, name):
        return scope
    opened, outer = scopes.source.uses(file).scopes, scope
    while outer > 0:
        variable = scopes.get_variable(file, outer, name)
        kinds = {each.kind for each in scopes.bindings(variable)} if variable is not None else set()
        if variable is None or kinds != {BindingKind.TYPE_PARAMETER}:
            return outer
        outer = opened[variable.scope].parent
    return max(outer, 0)


def _is_value(scopes: NameResolver, variable: Variable, kinds: Container[SymbolKind]) -> bool:
    """Return whether a variable is bound only by definitions of these kinds, parameters and typed locals."""
    symbols = scopes.source.facts(variable.file).symbols
    bindings = scopes.bindings(variable)
    return bool(bindings) and all(
        symbols[binding.symbol].kind in kinds if binding.symbol >= 0 else _is_local(binding) for binding in bindings
    )


def _is_local(binding: Binding) -> bool:
    """Return whether the binding is of a parameter, or a local variable with its own type."""
    return binding.kind in PARAMETERS or (binding.kind is BindingKind.ASSIGNMENT and binding.annotation != UNKNOWN)
