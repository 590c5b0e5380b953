"""The public API: which changes break code that uses it from outside.

Knows: what is public by name and place, signatures, what is still imported or inherited under the old name.
Does not know: who the users are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import attrs

from avionics.index.changes.signature_compat import find_breaks, read_parameters
from avionics.index.changes.symbol_diff import ChangeKind, RevisionView, SymbolChange, is_plumbing
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.model.values import ClassType
from avionics.index.scopes.name_resolver import is_class
from avionics.index.scopes.redeclarations import is_announced
from avionics.model.enums import SymbolKind
from avionics.model.knowledge import Definition

_KEPT_INSIDE = "internal"
"""A directory of this name holds what is for the workspace alone: Go's compiler sees to it, others agree on it."""

_PACKAGE_FILES = ("__init__.py", "__init__.pyi", "index.ts", "index.js", "mod.rs", "lib.rs")


@attrs.frozen
class ApiBreak:
    """A change that may break users, and how."""

    change: SymbolChange
    reason: str


def find_api_breaks(base: RevisionView, head: RevisionView, changes: Iterable[SymbolChange]) -> tuple[ApiBreak, ...]:
    """The changes that may break code outside, in their order; of a prototype and its definition the prototype's."""
    found: dict[tuple[str, str], ApiBreak] = {}
    announced: set[str] = set()
    for each in changes:
        before = each.before
        if before is not None and is_public(base, before) and not is_plumbing(before):
            reason = _reason(base, head, each, before)
            if reason:
                found.setdefault((before.file, before.symbol.qualname), ApiBreak(each, reason))
                announced |= {before.symbol.qualname} if is_announced(before.symbol) else set()
    return tuple(each for each in found.values() if _is_telling(each, announced))


def _is_telling(found: ApiBreak, announced: Collection[str]) -> bool:
    """Whether a break is not that of a definition whose prototype breaks too."""
    before = found.change.before
    return before is None or is_announced(before.symbol) or before.symbol.qualname not in announced


def is_public(side: RevisionView, definition: Definition) -> bool:
    """Whether code outside is meant to use the definition: by its name, its holders' and its file's."""
    if role_of(definition.file) is not FileRole.PRODUCT:
        return False
    if definition.kind is SymbolKind.MODULE:
        return _KEPT_INSIDE not in definition.file.split("/")
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
    is_open = all(_is_public_name(part) and part != _KEPT_INSIDE for part in stem.split("/"))
    return is_open or _is_offered(side, definition.file, parts[0])


def _is_public_name(name: str) -> bool:
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _is_offered(side: RevisionView, file: str, name: str) -> bool:
    """Whether a package above a private file takes the name in, for others to find there."""
    directory = file.rpartition("/")[0]
    while directory:
        for package in (f"{directory}/{each}" for each in _PACKAGE_FILES):
            if side.code.has_file(package) and any(found.alias == name for found in side.code.facts(package).imports):
                return True
        directory = directory.rpartition("/")[0]
    return False


def _reason(base: RevisionView, head: RevisionView, change: SymbolChange, before: Definition) -> str:
    """How a change of a public symbol may break users, "" when it does not."""
    after = change.after
    if change.change is ChangeKind.REMOVED:
        return "" if _is_still_there(head, before) else "it is gone" + _say_outside(head, before)
    if change.change is ChangeKind.MOVED and after is not None:
        if before.kind is SymbolKind.MODULE:
            if base.code.dotted_name(before.file) == head.code.dotted_name(after.file):
                return ""
            return f"its file is {after.file} now"
        return "" if _is_still_there(head, before) else f"it is in {after.file} now"
    if change.change is ChangeKind.SIGNATURE and after is not None:
        old, new = before.symbol, after.symbol
        if is_class(old.kind):
            lost = [base for base in old.bases if base not in new.bases]
            return f"it no longer names {', '.join(lost)} as its base" if lost else ""
        if old.kind is not new.kind:
            return f"it was {_with_article(old.kind.value)}, it is {_with_article(new.kind.value)}"
        whole = _whole_signature(base, before), _whole_signature(head, after)
        return "; ".join(find_breaks(*whole, head.code.facts(after.file).language))
    return ""


def _whole_signature(side: RevisionView, definition: Definition) -> str:
    """The signature; where facts keep it shortened, as it is written."""
    symbol = definition.symbol
    if "…" not in symbol.signature:
        return symbol.signature
    lines = side.source.lines(definition.file, symbol.line, max(symbol.line, symbol.span.end_line))
    return f"{symbol.name}({read_parameters(symbol.name, ' '.join(lines))})"


def _is_still_there(head: RevisionView, before: Definition) -> bool:
    """Whether the old name still leads somewhere: its file imports it, or its class inherits it."""
    code = head.code
    holder, _, name = before.symbol.qualname.rpartition(".")
    if not holder:
        return code.has_file(before.file) and any(found.alias == name for found in code.facts(before.file).imports)
    owner = _get_class(head, before.file, holder)
    return owner is not None and code.resolver.inference.members.find(owner, name) is not None


def _say_outside(head: RevisionView, before: Definition) -> str:
    """Where a member that is gone may still come from, unseen; "" for nowhere."""
    owner = _get_class(head, before.file, before.symbol.qualname.rpartition(".")[0])
    outside = head.code.resolver.inference.members.lineage(owner).externals if owner else ()
    return f", unless {outside[0]}, outside the workspace, has it too" if outside else ""


def _get_class(side: RevisionView, file: str, qualname: str) -> ClassType | None:
    """The class of that qualified name in a file, or None."""
    symbols = side.code.facts(file).symbols if side.code.has_file(file) else ()
    for index, symbol in enumerate(symbols):
        if symbol.qualname == qualname and is_class(symbol.kind):
            return ClassType(file, index)
    return None


def _with_article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
