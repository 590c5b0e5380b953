"""Tell which definition a scope belongs to, and which one of the other version is the same."""

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
    """Return the old symbol of a qualified name that a new one was, -1 where that is not known.

    Overloads share their name, and so do the functions of several blocks of one type. The index is -1 for the first new
    symbol of the name.
    """
    old = [at for at, each in enumerate(was) if each.qualname == qualname]
    new = [at for at, each in enumerate(now) if each.qualname == qualname]
    if index < 0 or not old or len(old) == len(new) == 1:
        return old[0] if old else -1
    alike = [at for at in old if was[at].signature == now[index].signature]
    if len(alike) == 1:
        return alike[0]
    return old[new.index(index)] if len(old) == len(new) else -1
