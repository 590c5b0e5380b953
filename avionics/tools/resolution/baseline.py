"""Read and write the baseline: the findings of `avionics check` that a project accepts."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from avionics.model.errors import UsageError

BASELINE = ".avionics-baseline.json"
"""The baseline's file at the root of a workspace."""

_MAX_BYTES = 16_000_000
_REPAIR = "--write-baseline writes a new one"


def read_baseline(file: Path) -> frozenset[str]:
    """Return the keys of the findings that a baseline accepts; () if the file does not exist.

    Raises:
        UsageError: The file is not a baseline.
    """
    try:
        data = _read(file)
    except FileNotFoundError:
        return frozenset()
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}", hint=_REPAIR) from None
    try:
        document = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file} is not JSON: {error}", hint=_REPAIR) from error
    accepted = document.get("accepted") if isinstance(document, dict) else None
    if not isinstance(accepted, list) or not all(isinstance(each, str) for each in accepted):
        raise UsageError(f"{file} has no list 'accepted'", hint=_REPAIR)
    return frozenset(accepted)


def write_baseline(file: Path, keys: Iterable[str]) -> None:
    """Write a baseline that accepts the findings with these keys."""
    document = {"version": 1, "accepted": sorted(set(keys))}
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
    try:
        with open(os.open(file, flags, 0o644), "w", encoding="utf-8") as opened:
            opened.write(json.dumps(document, indent=2) + "\n")
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}", hint="name another file with --baseline") from None


def _read(file: Path) -> bytes:
    """Return the bytes of a regular file. Links are refused because they may point outside the repository.

    Raises:
        OSError: It cannot be read, or is not such a file.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with open(os.open(file, flags), "rb") as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        return opened.read(_MAX_BYTES)
