"""The members of types of standard libraries, as `standard_members.txt` in the package of a language lists them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from avionics.late_pattern import late_pattern

_CONTINUED = late_pattern(r"\n(?: +|#.*)")


def read_standard_members(language: str) -> Mapping[str, frozenset[str]]:
    """Return type or package → all of its members.

    A line of the file is `type type: member member`; indented lines continue it.
    """
    text = Path(__file__).with_name(language).joinpath("standard_members.txt").read_text("utf-8")
    found: dict[str, frozenset[str]] = {}
    for line in _CONTINUED.sub(" ", f"\n{text}").strip().split("\n"):
        names, _, members = line.partition(":")
        found |= dict.fromkeys(names.split(), frozenset(members.split()))
    return MappingProxyType(found)
