"""Code owners, as the project declares them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from avionics.model.errors import SourceError, UsageError
from avionics.source.globs import compile_glob

PLACES = (".github/CODEOWNERS", ".gitlab/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
"""Where a CODEOWNERS file may be; the first one that exists counts."""

Rule = tuple[tuple[re.Pattern[str], ...], tuple[str, ...]]
"""The patterns of a line, and its owners."""


def read_owner_rules(paths: Collection[str], text: Callable[[str], str]) -> tuple[str, tuple[Rule, ...]]:
    """Return the file that declares owners, "" for none, and its rules in order."""
    for place in PLACES:
        if place in paths:
            try:
                return place, tuple(filter(None, map(_read_rule, text(place).split("\n"))))
            except SourceError:
                continue
    return "", ()


def find_declared_owners(rules: tuple[Rule, ...], path: str) -> tuple[str, ...]:
    """Return the owners of a path: those of the last matching rule."""
    for patterns, owners in reversed(rules):
        if any(pattern.fullmatch(path) for pattern in patterns):
            return owners
    return ()


def _read_rule(line: str) -> Rule | None:
    """Return a line's pattern and owners; None for a comment, a section or an invalid pattern."""
    pattern, *owners = line.partition("#")[0].split() or [""]
    if not pattern or pattern.startswith(("[", "^")):
        return None
    body = pattern.strip("/")
    start = "" if pattern.startswith("/") or "/" in body else "**/"
    globs = [f"{start}{body}/**"] if pattern.endswith("/") else [f"{start}{body}", f"{start}{body}/**"]
    try:
        return tuple(compile_glob(each) for each in (["**"] if body in {"*", ""} else globs)), tuple(owners)
    except UsageError:
        return None
