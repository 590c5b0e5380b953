"""The public API: which changes break code that uses it from outside.

Knows: what is public by name and place, signatures, what is still imported or inherited under the old name.
Does not know: who the users are.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from avionics.index.changes import Change, Side, SymbolChange, is_plumbing
from avionics.index.places import Standing, standing_of
from avionics.index.scopes import is_class
from avionics.index.signatures import find_breaks, read_parameters
from avionics.index.values import ClassType
from protocols.enums import SymbolKind
from protocols.knowledge import Definition

_PACKAGE_FILES = ("__init__.py", "__init__.pyi", "index.ts", "index.js", "mod.rs", "lib.rs")


@attrs.frozen
class ApiBreak:
    """A change that may break users, and how."""

    change: SymbolChange
    reason: str


def find_api_breaks(base: Side, head: Side, changes: Iterable[SymbolChange]) -> tuple[ApiBreak, ...]:
    """The changes that may break code outside, in their order."""
    found: dict[tuple[str, str], ApiBreak] = {}
    for each in changes:
        if each.before is not None and is_public(base, each.before) and not is_plumbing(each.before):
            reason = _reason(base, head, each, each.before)
            if reason:
                found.setdefault((each.before.file, each.before.symbol.qualname), ApiBreak(each, reason))
    return tuple(found.values())


def is_public(side: Side, definition: Definition) -> bool:
    """Whether code outside is meant to use the definition: by its name, its holders' and its file's."""
    if standing_of(definition.file) is not Standing.PRODUCT or definition.kind is SymbolKind.MODULE:
        return definition.kind is SymbolKind.MODULE and standing_of(definition.file) is Standing.PRODUCT
    facts = side.code.facts(definition.file)
    parts = definition.symbol.qualname.split(".")
    if not all(_is_public_name(part) for part in parts) or not definition.symbol.exported:
        return False
    top = definition.symbol
    while top.parent >= 0:
        top = facts.symbols[top.parent]
        if not (is_class(top.kind) and top.exported):
            return False
    stem = definition.file.rsplit(".", 1)[0]
    is_open = all(_is_public_name(part) for part in stem.split("/"))
    return is_open or _is_offered(side, definition.file, parts[0])


def _is_public_name(name: str) -> bool:
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _is_offered(side: Side, file: str, name: str) -> bool:
    """Whether a package above a private file takes the name in, for others to find there."""
    directory = file.rpartition("/")[0]
    while directory:
        for package in (f"{directory}/{each}" for each in _PACKAGE_FILES):
            if side.code.has_file(package) and any(found.alias == name for found in side.code.facts(package).imports):
                return True
        directory = directory.rpartition("/")[0]
    return False


def _reason(base: Side, head: Side, change: SymbolChange, before: Definition) -> str:
    """How a change of a public symbol may break users, "" when it does not."""
    after = change.after
    if change.change is Change.REMOVED:
        return "" if _is_still_there(head, before) else "it is gone"
    if change.change is Change.MOVED and after is not None:
        if before.kind is SymbolKind.MODULE:
            return f"its file is {after.file} now"
        return "" if _is_still_there(head, before) else f"it is in {after.file} now"
    if change.change is Change.SIGNATURE and after is not None:
        old, new = before.symbol, after.symbol
        if is_class(old.kind):
            lost = [base for base in old.bases if base not in new.bases]
            return f"it no longer names {', '.join(lost)} as its base" if lost else ""
        if old.kind is not new.kind:
            return f"it was a {old.kind.value}, it is a {new.kind.value}"
        whole = _whole_signature(base, before), _whole_signature(head, after)
        return "; ".join(find_breaks(*whole, head.code.facts(after.file).language))
    return ""


def _whole_signature(side: Side, definition: Definition) -> str:
    """The signature; where facts keep it shortened, as it is written."""
    symbol = definition.symbol
    if "…" not in symbol.signature:
        return symbol.signature
    lines = side.source.lines(definition.file, symbol.line, max(symbol.line, symbol.span.end_line))
    return f"{symbol.name}({read_parameters(symbol.name, ' '.join(lines))})"


def _is_still_there(head: Side, before: Definition) -> bool:
    """Whether the old name still leads somewhere: its file imports it, or its class inherits it."""
    code = head.code
    if not code.has_file(before.file):
        return False
    facts = code.facts(before.file)
    holder, _, name = before.symbol.qualname.rpartition(".")
    if not holder:
        return any(found.alias == name for found in facts.imports)
    for index, symbol in enumerate(facts.symbols):
        if symbol.qualname == holder and is_class(symbol.kind):
            return code.resolver.inference.members.find(ClassType(before.file, index), name) is not None
    return False
