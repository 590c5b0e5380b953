"""Read and write the baseline: the findings of `avionics check` that a project accepts."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from avionics.model.errors import UsageError

BASELINE = ".avionics-baseline.json"
"""The baseline's file at the root of a workspace."""

_REPAIR = "--write-baseline writes a new one"


def read_baseline(file: Path) -> frozenset[str]:
    """Return the keys of the findings that a baseline accepts; none where there is no such file.

    Raises:
        UsageError: The file is no baseline.
    """
    if not file.is_file():
        return frozenset()
    try:
        document = json.loads(file.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file} is no JSON: {error}", hint=_REPAIR) from error
    accepted = document.get("accepted") if isinstance(document, dict) else None
    if not isinstance(accepted, list) or not all(isinstance(each, str) for each in accepted):
        raise UsageError(f"{file} has no list 'accepted'", hint=_REPAIR)
    return frozenset(accepted)


def write_baseline(file: Path, keys: Iterable[str]) -> None:
    """Write a baseline that accepts the findings with these keys."""
    document = {"version": 1, "accepted": sorted(set(keys))}
    file.write_text(json.dumps(document, indent=2) + "\n", "utf-8")
