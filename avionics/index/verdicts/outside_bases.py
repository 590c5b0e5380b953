"""Tell which members a class may have from bases outside the workspace."""

from __future__ import annotations

from avionics.index.code_index import CodeIndex
from avionics.index.types.member_lookup import Mro
from avionics.model.naming import as_written, last_part
from avionics.syntax.spec import LanguageSpec

PLAIN_BASES = frozenset(
    {
        "builtins.object", "typing.Generic", "typing.Protocol", "abc.ABC", "typing_extensions.Protocol", "object",
        "Object", "Any",
    }
)  # fmt: skip
"""Bases outside the workspace that add no members beside those that every object has."""

KEYED_BASES = frozenset({"typing.TypedDict", "typing_extensions.TypedDict"})
"""Bases that make the fields of a class the keys of its objects."""

ABSTRACT_BASE, ABSTRACT_METACLASS = "abc.ABC", "ABCMeta"
"""The base and the metaclass with which Python refuses objects of a class that lacks an abstract member."""


_EVERY_OBJECT = ("Object", "builtins.object")
"""The classes from which all others of a language inherit, whether they name it or not."""


def has_every_object(spec: LanguageSpec, name: str) -> bool:
    """Return whether every object of a language has a member of that name, so that no class can lose it."""
    return any(as_written(name) in spec.outside_members.get(each, ()) for each in _EVERY_OBJECT)


def may_give(spec: LanguageSpec, base: str, name: str) -> bool:
    """Return whether a base outside the workspace may declare the member for its subclasses."""
    if base in PLAIN_BASES:
        return False
    known = spec.outside_members.get(base, spec.outside_members.get(f".{base.rpartition('.')[2]}"))
    return known is None or as_written(name) in known


def may_inherit(spec: LanguageSpec, lineage: Mro, name: str) -> bool:
    """Return whether a class may have a member from a base that is unknown or outside the workspace."""
    return lineage.is_open or any(may_give(spec, each, name) for each in lineage.externals)


def is_in_scope(code: CodeIndex, file: str, base: str) -> bool:
    """Return whether a file may use the members that an outside base adds to objects.

    A trait of Rust adds its functions only in files that import it, unless it is in the prelude.
    """
    spec, path = code.resolver.scopes.spec(file), base.removeprefix("builtins.")
    name = last_part(path)
    if not spec.own_fields or name == path or name in spec.builtin_names:
        return True
    return not {name, "*"}.isdisjoint(code.uses(file).bindings)
