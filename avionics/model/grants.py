"""Names of permissions and groups that tools require and callers are granted.

A permission is a `Permission`, its value, or its value with a colon (`"database:read"`). A product may add its own as
`"subject:action"`; nobody has those unless they are granted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, TypeAlias

from avionics.model.enums import Permission
from avionics.model.errors import ConfigError

Grant: TypeAlias = Permission | str
"""A permission of avionics, or one of a product's own."""

_OWN_PERMISSION: Final = re.compile(r"[a-z0-9_.-]+:[a-z0-9_.-]+")


def read_permissions(given: Grant | Iterable[Grant] | None) -> frozenset[Grant]:
    """Return the permissions with one name or several names.

    Raise `ConfigError` if a name is neither a `Permission` nor of the form `subject:action`.
    """
    if given is None:
        return frozenset()
    if isinstance(given, str):
        return frozenset({_read_permission(given)})
    return _read_all(given if isinstance(given, frozenset) else frozenset(given))


def read_optional_permissions(given: Grant | Iterable[Grant] | None) -> frozenset[Grant] | None:
    """Return the given permissions, or None if none were stated."""
    return None if given is None else read_permissions(given)


def read_groups(given: str | Iterable[str] | None) -> frozenset[str]:
    """Return the groups with one name or several names: `"admin"` is one group, not five letters."""
    if given is None:
        return frozenset()
    return frozenset({given}) if isinstance(given, str) else frozenset(given)


def read_group_list(given: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return the groups in the order given."""
    if given is None:
        return ()
    return (given,) if isinstance(given, str) else tuple(given)


@lru_cache(maxsize=1024)
def _read_all(given: frozenset[Grant]) -> frozenset[Grant]:
    return frozenset(map(_read_permission, given))


def _read_permission(given: Grant) -> Grant:
    if isinstance(given, Permission):
        return given
    if not isinstance(given, str):
        raise ConfigError(f"{given!r} is not a permission", hint="give a Permission or its name")
    plain = given.strip().lower()
    known = {permission.value: permission for permission in Permission}
    found = known.get(plain.replace(":", "_"))
    if found is not None:
        return found
    if _OWN_PERMISSION.fullmatch(plain):
        return plain
    from difflib import get_close_matches

    near = get_close_matches(plain.replace(":", "_"), known, n=1)
    suggestion = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
    raise ConfigError(f"unknown permission {given[:80]!r}; {suggestion}", hint='write your own as "subject:action"')
