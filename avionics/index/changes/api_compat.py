"""The public API: which changes may break code outside that uses it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct

from avionics.index.changes.signature_compat import find_breaks, read_parameters
from avionics.index.changes.symbol_diff import ChangeKind, RevisionView, SymbolChange, is_plumbing
from avionics.index.model.file_roles import FileRole, find_package_files, iter_upwards, role_of
from avionics.index.model.values import BUILTIN, ClassType
from avionics.late_pattern import late_pattern
from avionics.model.enums import VALUES, SymbolKind, is_class
from avionics.model.facts import Symbol
from avionics.model.knowledge import Definition
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.registry import conventions_of

_TYPE_ARGUMENTS = late_pattern(r"[\[<(]")
_LINKED_KINDS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.VARIABLE, SymbolKind.MODULE})
"""Definitions that a linker finds in a file that no other file includes; macros and types there are private."""
_PRIVATE_MEMBER = late_pattern(r"(?:\w+ )*private\b|#")
_RETURNS_OR_HOLDS = late_pattern(
    r"(?:\b(?:return|yield)\b[^;]*|=>\s*(?:new\s+)?|->[^:;]*|\)[\s:]*\(?[^(){}=;]*|\.[A-Za-z]\w*\s*=\s*(?:new\s+)?)\Z"
)
"""The text before the name of a class where a function returns an object of it (`return `, `-> `), or a field has one.
"""
_OPEN_KINDS = frozenset({SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.TYPE})
_INTERNAL = "internal"
"""A directory of this name is private to the workspace: Go's compiler enforces it, other languages by convention."""


class ApiBreak(Struct, frozen=True):
    """A change that may break users, and how."""

    change: SymbolChange
    reasons: tuple[Reason, ...]


def find_api_breaks(base: RevisionView, head: RevisionView, changes: Iterable[SymbolChange]) -> tuple[ApiBreak, ...]:
    """Return the changes that may break outside code, in order; a prototype stands for its definition."""
    found: dict[tuple[str, str], ApiBreak] = {}
    announced: set[str] = set()
    for each in changes:
        before = each.before
        if (holder := _get_extended_type(base, head, each)) is not None:
            reason = Reason(ReasonKind.REQUIRED_MEMBER_ADDED, subject=holder.symbol.qualname)
            found[each.definition.file, each.definition.symbol.qualname] = ApiBreak(each, (reason,))
        if before is not None and is_public(base, before) and not is_plumbing(before):
            reasons = _find_reasons(base, head, each, before)
            if reasons:
                found.setdefault((before.file, before.symbol.qualname), ApiBreak(each, reasons))
                announced |= {before.symbol.qualname} if before.symbol.is_announced else set()
    return tuple(each for each in found.values() if _is_independent(each, announced))


def _get_extended_type(base: RevisionView, head: RevisionView, change: SymbolChange) -> Definition | None:
    """Return the public type, as it was, whose added member outside code has to name, or None.

    Implementations of a Java interface need each method that it declares.
    """
    added = change.after
    must_name = conventions_of(added.file).must_name if added is not None else None
    if added is None or must_name is None or change.before is not None or not base.code.has_file(added.file):
        return None
    qualname = added.symbol.qualname.rpartition(".")[0]
    holder = next(iter(base.code.find_qualified(added.file, qualname)), None)
    if holder is None or not is_public(base, holder):
        return None
    now = next(iter(head.code.find_qualified(added.file, qualname)), holder).symbol
    members = tuple(each.symbol for each in base.code.list_members(holder))
    return holder if must_name(now, members, added.symbol) else None


def _is_independent(found: ApiBreak, announced: Collection[str]) -> bool:
    """Return whether a break is not a repetition of its prototype's break."""
    before = found.change.before
    return before is None or before.symbol.is_announced or before.symbol.qualname not in announced


def is_public(side: RevisionView, definition: Definition) -> bool:
    """Return whether the names of a definition, its containers and its file make it public."""
    if role_of(definition.file) is not FileRole.PRODUCT:
        return False
    if definition.kind is SymbolKind.MODULE:
        return _INTERNAL not in definition.file.split("/")
    facts = side.code.facts(definition.file)
    parts = definition.symbol.qualname.split(".")
    top = definition.symbol
    conventions = conventions_of(definition.file)
    is_named_privately = conventions.implicit.has_private_underscore and not all(map(_is_public_name, parts))
    if is_named_privately or not top.exported:
        return False
    marked = conventions.offered
    lines = side.code.read_lines(definition.file) if conventions.is_hidden is not None else ()
    while top.parent >= 0:
        holder = facts.symbols[top.parent]
        is_namespace = holder.kind is SymbolKind.MODULE
        is_type = holder.kind is SymbolKind.TYPE or is_class(holder.kind)
        if not (is_namespace or is_type) or not holder.exported:
            return False
        if conventions.is_hidden is not None and conventions.is_hidden(lines, holder, top):
            return False
        if not (is_namespace or _is_always_visible(holder, top) or marked.match(top.signature)):
            return False
        top = holder
    is_hidden = top.kind not in _LINKED_KINDS and definition.file.endswith(conventions.files.private_suffixes or "/")
    if is_hidden or not marked.match(top.signature):
        return False
    stem = definition.file.rsplit(".", 1)[0]
    is_open = all(_is_public_name(part) and part != _INTERNAL for part in stem.split("/"))
    return is_open or _is_reexported(side, definition.file, parts[0])


def is_offered_by_public(side: RevisionView, definition: Definition) -> bool:
    """Return whether outside code can reach a public member of a private class.

    A public class may inherit it, or public code may return an object of the class.
    """
    facts, conventions = side.code.facts(definition.file), conventions_of(definition.file)
    symbol = definition.symbol
    holder = facts.get_parent(symbol)
    if holder is None or not is_class(holder.kind) or not _is_public_name(symbol.name):
        return False
    lines = side.code.read_lines(definition.file) if conventions.is_hidden is not None else ()
    if conventions.is_hidden is not None and conventions.is_hidden(lines, holder, symbol):
        return False
    # Where interfaces are structural, names alone decide what other packages see.
    is_named = side.code.resolver.scopes.spec(definition.file).structural_interfaces
    is_offered = symbol.exported if is_named else conventions.offered.match(symbol.signature) is not None
    if _PRIVATE_MEMBER.match(symbol.signature) or not (is_offered or _is_always_visible(holder, symbol)):
        return False
    owner = Definition(definition.file, holder, symbol.parent)
    classes = (owner, *side.code.graph.classes.descendants(owner))
    return any(is_public(side, each) for each in classes[1:]) or any(_is_given_away(side, each) for each in classes)


def _is_given_away(side: RevisionView, cls: Definition) -> bool:
    """Return whether a public function returns objects of a class, or a public variable or field holds one."""
    for usage in side.code.usages(cls).usages:
        declared_there = (each for each in side.code.iter_definitions(usage.file) if each.line == usage.line)
        if any(each.kind in VALUES and each.symbol.parent < 0 and is_public(side, each) for each in declared_there):
            return True
        around, line = usage.enclosing, side.code.read_line(usage.file, usage.line)
        if around is not None and is_public(side, around) and _RETURNS_OR_HOLDS.search(line[: usage.column]):
            return True
    return False


def _is_always_visible(holder: Symbol, member: Symbol) -> bool:
    """Return whether a member is always as visible as its type: in interfaces, enumerations and records."""
    is_field = member.kind in {SymbolKind.ATTRIBUTE, SymbolKind.PROPERTY}
    return holder.kind in _OPEN_KINDS or (is_field and "record " in holder.signature)


def _is_public_name(name: str) -> bool:
    return not name.startswith(("_", ".")) or (name.startswith("__") and name.endswith("__"))


def _is_reexported(side: RevisionView, file: str, name: str) -> bool:
    """Return whether a package above a private file re-exports the name."""
    above = (each for each in iter_upwards(file.rpartition("/")[0]) if each)
    packages = (each for directory in above for each in find_package_files(directory) if side.code.has_file(each))
    return any(found.alias == name for package in packages for found in side.code.facts(package).imports)


def _find_reasons(
    base: RevisionView, head: RevisionView, change: SymbolChange, before: Definition
) -> tuple[Reason, ...]:
    """Return how a change of a public symbol may break its users; () when it does not."""
    after = change.after
    if change.change is ChangeKind.REMOVED:
        return () if _is_still_there(head, before) else (_describe_removal(head, before),)
    if change.change is ChangeKind.MOVED and after is not None:
        if before.kind is SymbolKind.MODULE:
            is_same = base.code.dotted_name(before.file) == head.code.dotted_name(after.file)
            return () if is_same else (Reason(ReasonKind.FILE_MOVED, subject=after.file),)
        # Users find a member that moved with its class wherever they find the class.
        is_carried = before.symbol.parent >= 0 and before.symbol.qualname == after.symbol.qualname
        is_there = is_carried or _is_still_there(head, before)
        return () if is_there else (Reason(ReasonKind.MOVED, subject=after.file),)
    if change.change is ChangeKind.SIGNATURE and after is not None:
        old, new = before.symbol, after.symbol
        if is_class(old.kind):
            lost = _list_lost_bases(base, head, before, after)
            return (Reason(ReasonKind.BASES_REMOVED, subject=", ".join(lost)),) if lost else ()
        if old.kind is not new.kind:
            return (Reason(ReasonKind.KIND_CHANGED, subject=old.kind.value, detail=new.kind.value),)
        whole = _read_whole_signature(base, before), _read_whole_signature(head, after)
        return find_breaks(new.name, *whole, head.code.facts(after.file).language)
    return ()


def _list_lost_bases(base: RevisionView, head: RevisionView, before: Definition, after: Definition) -> list[str]:
    """Return the bases, as written, from which a class no longer inherits, not even under other names."""
    lost = [each for each in before.symbol.bases if each not in after.symbol.bases]
    old, new = (_list_inherited(*each) if lost else () for each in ((base, before), (head, after)))

    def is_kept(written: str) -> bool:
        name = _last_part(_TYPE_ARGUMENTS.split(written, maxsplit=1)[0])
        with_name = [each for each in old if _last_part(each) == name]
        return any(each in new for each in with_name) if with_name else any(_last_part(each) == name for each in new)

    return [each for each in lost if not is_kept(each)]


def _list_inherited(side: RevisionView, definition: Definition) -> tuple[str, ...]:
    """Return the qualified names of all known bases of a class, direct and indirect."""
    lineage = side.code.resolver.inference.members.lineage(ClassType.of(definition))
    above = (each for each in lineage.classes if each.symbol >= 0 and side.code.has_file(each.file))
    return (*lineage.externals, *(side.code.facts(each.file).symbols[each.symbol].qualname for each in above))


def _last_part(name: str) -> str:
    return name.replace("::", ".").rpartition(".")[2].strip()


def _read_whole_signature(side: RevisionView, definition: Definition) -> str:
    """Return the signature, from the source where the facts have it shortened."""
    symbol = definition.symbol
    if "…" not in symbol.signature:
        return symbol.signature
    lines = side.source.lines(definition.file, symbol.line, max(symbol.line, symbol.span.end_line))
    return f"{symbol.name}({read_parameters(symbol.name, ' '.join(lines))})"


def _is_still_there(head: RevisionView, before: Definition) -> bool:
    """Return whether the old name still resolves: its file imports it, or its class inherits it."""
    code = head.code
    holder, _, name = before.symbol.qualname.rpartition(".")
    if not holder:
        return code.has_file(before.file) and any(found.alias == name for found in code.facts(before.file).imports)
    owner = _get_class(head, before.file, holder)
    return owner is not None and code.resolver.inference.members.find(owner, name) is not None


def _describe_removal(head: RevisionView, before: Definition) -> Reason:
    """Return the reason for a removal, which names the base outside the workspace that may still provide the member."""
    owner = _get_class(head, before.file, before.symbol.qualname.rpartition(".")[0])
    outside = head.code.resolver.inference.members.lineage(owner).externals if owner else ()
    if outside:
        return Reason(ReasonKind.REMOVED_UNLESS_INHERITED, subject=outside[0].removeprefix(BUILTIN))
    return Reason(ReasonKind.REMOVED)


def _get_class(side: RevisionView, file: str, qualname: str) -> ClassType | None:
    """Return the class of that qualified name in a file, or None."""
    found = (each for each in side.code.find_qualified(file, qualname) if is_class(each.kind))
    return next((ClassType(file, each.index) for each in found), None)
