"""How names are taken apart and compared.

Knows: letters.
Does not know: what a name stands for.
"""

from __future__ import annotations

import functools
import re

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\dA-Za-z_]+")


@functools.lru_cache(maxsize=100_000)
def split_name(name: str) -> tuple[str, ...]:
    """The parts of a name, lower case, at least two letters each; then the whole if it has several.

    >>> split_name("HTTPServerError")
    ('http', 'server', 'error', 'httpservererror')
    """
    parts = tuple([part.lower() for part in _PART.findall(name) if len(part) > 1])
    if len(parts) > 1:
        return (*parts, name.strip("_").lower())
    return parts


def fold_name(name: str) -> str:
    """The name without case and underscores, so that `URL_for` and `urlFor` are one."""
    return name.replace("_", "").lower()
