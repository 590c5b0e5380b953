"""Find the scope in which a name in a type position is looked up, in languages with bare members.

In `Color Color { get; }` the first name is the type's, although a member of that name is nearer.
"""

from __future__ import annotations

from avionics.index.model.values import Variable
from avionics.index.scopes.name_resolver import NameResolver
from avionics.model.enums import BindingKind, SymbolKind
from avionics.model.facts import UNKNOWN, Binding

_VALUES = frozenset({SymbolKind.ATTRIBUTE, SymbolKind.PROPERTY, SymbolKind.METHOD})


def scope_of_type(scopes: NameResolver, file: str, scope: int, name: str) -> int:
    """Return the innermost enclosing scope in which the name does not mean a plain value."""
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
    """Return whether a variable only stands for members and locals that contain values."""
    symbols = scopes.source.facts(variable.file).symbols
    bindings = scopes.bindings(variable)
    return bool(bindings) and all(
        symbols[binding.symbol].kind in _VALUES if binding.symbol >= 0 else _is_local(binding) for binding in bindings
    )


def _is_local(binding: Binding) -> bool:
    """Return whether the binding is of a local variable with its own type."""
    return binding.kind is BindingKind.ASSIGNMENT and binding.annotation != UNKNOWN
