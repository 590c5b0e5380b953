"""Read manifests in TOML and JSON. A malformed one has no tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def read_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML document; {} if it is malformed."""
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def read_json(text: str) -> dict[str, Any]:
    """Return a JSON object; {} if the text is malformed or has another value."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def get_table(outer: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return the table that is reached by some names, one within another; {} if there is none."""
    found: Any = outer
    for name in names:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, dict) else {}
