"""Type names: from where a name in a type position is looked up, where members are seen bare.

In `Color Color { get; }` the first name is the type's, though a member of that name stands nearer.

Knows: what members and local variables are no types.
Does not know: what types mean.
"""

from __future__ import annotations

from avionics.index.model.values import Variable
from avionics.index.scopes.name_resolver import NameResolver
from avionics.model.enums import BindingKind, SymbolKind
from avionics.model.facts import UNKNOWN, Binding

_VALUES = frozenset({SymbolKind.ATTRIBUTE, SymbolKind.PROPERTY, SymbolKind.METHOD})


def scope_of_type(scopes: NameResolver, file: str, scope: int, name: str) -> int:
    """The innermost scope around from which the name means no plain value."""
    if not scopes.spec(file).implicit_members:
        return scope
    opened = scopes.source.uses(file).scopes
    while scope > 0:
        variable = scopes.get_variable(file, scope, name)
        if variable is None or not _is_value(scopes, variable):
            return scope
        scope = opened[scope].parent
    return scope


def _is_value(scopes: NameResolver, variable: Variable) -> bool:
    """Whether all that a variable stands for are members and locals that hold values."""
    symbols = scopes.source.facts(variable.file).symbols
    bindings = scopes.bindings(variable)
    return bool(bindings) and all(
        symbols[binding.symbol].kind in _VALUES if binding.symbol >= 0 else _is_local(binding) for binding in bindings
    )


def _is_local(binding: Binding) -> bool:
    """Whether the binding is of a variable with a type of its own."""
    return binding.kind is BindingKind.ASSIGNMENT and binding.annotation != UNKNOWN
