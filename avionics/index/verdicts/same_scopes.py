"""Find the definition that a scope belongs to, and the same definition in the other version."""

from __future__ import annotations

from collections.abc import Sequence

from avionics.index.code_index import CodeIndex
from avionics.model.facts import Symbol, iter_scopes_around


def symbol_of_scope(code: CodeIndex, file: str, scope: int) -> int:
    """Return the innermost symbol around a scope, -1 at module level."""
    scopes = code.uses(file).scopes
    return next((scopes[at].symbol for at in iter_scopes_around(scopes, scope) if scopes[at].symbol >= 0), -1)


def qualname_of_scope(code: CodeIndex, file: str, scope: int) -> str:
    """Return the qualified name of the innermost symbol around a scope; "" at module level."""
    index = symbol_of_scope(code, file, scope)
    return code.facts(file).symbols[index].qualname if index >= 0 else ""


def match_symbol(now: Sequence[Symbol], index: int, was: Sequence[Symbol], qualname: str) -> int:
    """Return the index of the old symbol that is the same as a new one of a qualified name; -1 if it is not known.

    Several symbols may have the name: overloads, or functions in several blocks of one type. With a negative index, the
    first old symbol of the name is returned.
    """
    old = [position for position, each in enumerate(was) if each.qualname == qualname]
    new = [position for position, each in enumerate(now) if each.qualname == qualname]
    if index < 0 or not old or len(old) == len(new) == 1:
        return old[0] if old else -1
    alike = [position for position in old if was[position].signature == now[index].signature]
    if len(alike) == 1:
        return alike[0]
    return old[new.index(index)] if len(old) == len(new) else -1
