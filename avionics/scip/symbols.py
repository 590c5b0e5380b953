"""The notation of symbols: scheme, package, and one descriptor for each name on the path to the symbol."""

from __future__ import annotations

import re
from enum import Enum

import attrs

_SIMPLE = re.compile(r"[A-Za-z0-9_+$-]+\Z")
_DESCRIPTOR = re.compile(
    r"(?:`((?:[^`]|``)+)`|([A-Za-z0-9_+$-]+))(?:([/#:!])|\(([A-Za-z0-9_+$-]*)\)\.|(\.))"
    r"|\[(?:`((?:[^`]|``)+)`|([A-Za-z0-9_+$-]+))\]|\((?:`((?:[^`]|``)+)`|([A-Za-z0-9_+$-]+))\)"
)
_HEAD = re.compile(r"((?>(?:[^ ]++|  )+)) ((?>(?:[^ ]++|  )*)) ((?>(?:[^ ]++|  )*)) ((?>(?:[^ ]++|  )*)) ")

LOCAL = "local "
"""The prefix of symbols that only their own document names."""


class Suffix(Enum):
    """The kind of a descriptor; the value is the suffix that marks it."""

    NAMESPACE = "/"
    TYPE = "#"
    TERM = "."
    METHOD = "()."
    META = ":"
    MACRO = "!"
    PARAMETER = ")"
    TYPE_PARAMETER = "]"


@attrs.frozen
class Descriptor:
    """One name on the path to a symbol."""

    name: str
    suffix: Suffix
    disambiguator: str = ""

    def to_text(self) -> str:
        """Return the descriptor in SCIP's notation."""
        name = self.name if _SIMPLE.match(self.name) else f"`{self.name.replace('`', '``')}`"
        if self.suffix is Suffix.METHOD:
            return f"{name}({self.disambiguator})."
        if self.suffix is Suffix.PARAMETER:
            return f"({name})"
        return f"[{name}]" if self.suffix is Suffix.TYPE_PARAMETER else f"{name}{self.suffix.value}"


@attrs.frozen
class SymbolName:
    """A symbol's notation in parts."""

    scheme: str
    manager: str
    package: str
    version: str
    descriptors: tuple[Descriptor, ...]


def format_prefix(scheme: str, manager: str, package: str, version: str) -> str:
    """Return the beginning that all symbols of a package share."""
    parts = (scheme, manager or ".", package or ".", version or ".")
    return " ".join(part.replace(" ", "  ") for part in parts) + " "


def parse_symbol(text: str) -> SymbolName | None:
    """Return the parts of a global symbol; None for a local one and for text in another notation."""
    head = _HEAD.match(text)
    if head is None or text.startswith(LOCAL):
        return None
    scheme, *package = (part.replace("  ", " ") for part in head.groups())
    at, found = head.end(), []
    while at < len(text):
        each = _DESCRIPTOR.match(text, at)
        if each is None:
            return None
        found.append(_read_descriptor(each))
        at = each.end()
    manager, name, version = ("" if part == "." else part for part in package)
    return SymbolName(scheme, manager, name, version, tuple(found))


def _read_descriptor(found: re.Match[str]) -> Descriptor:
    escaped, plain, mark, method, term, *inner = found.groups()
    name = escaped.replace("``", "`") if escaped else plain or ""
    if mark:
        return Descriptor(name, Suffix(mark))
    if method is not None:
        return Descriptor(name, Suffix.METHOD, method)
    if term:
        return Descriptor(name, Suffix.TERM)
    name = next(part for part in inner if part).replace("``", "`")
    return Descriptor(name, Suffix.TYPE_PARAMETER if inner[0] or inner[1] else Suffix.PARAMETER)
