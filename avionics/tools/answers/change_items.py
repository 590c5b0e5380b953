"""What the answers of the tools about changes share: their first lines, and the items of changed symbols and files."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar

from msgspec import Struct

from avionics.index.changes.symbol_diff import ChangeKind, SymbolChange
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.scopes.symbol_lookup import is_within
from avionics.model.enums import FUNCTIONS, SymbolKind, is_class
from avionics.model.facts import Symbol
from avionics.model.results import Coverage
from avionics.tools.answers.items import few

_MAX_NAMES = 6
"""Names that are listed of each kind of change in a file."""


class RevisionAnswer(Struct, frozen=True):
    """An answer about two revisions; its places are those of the commit `revision`, "" for the files on disk."""

    title: str
    summary: str
    revision: str
    coverage: Coverage

    def headline(self) -> str:
        return f"{self.title}: {self.summary}"


class ChangeItem(Struct, frozen=True):
    """A symbol that differs: its change, its place now ("" and 0 when removed), its place and signature before."""

    change: str
    symbol: str
    kind: str
    file: str
    line: int
    was: str
    signature: str
    previous_signature: str
    is_moved: bool = False

    OMITTED: ClassVar[frozenset[str]] = frozenset({"is_moved"})

    @classmethod
    def of(cls, change: SymbolChange) -> ChangeItem:
        """Return the item of a change."""
        before, after = change.before, change.after
        definition = change.definition
        is_signed = change.change is ChangeKind.SIGNATURE
        return cls(
            f"{change.change.value} and changed" if change.is_edited else change.change.value,
            definition.symbol.qualname,
            definition.kind.value,
            after.file if after else "",
            after.line if after else 0,
            f"{before.file}:{before.line}" if before else "",
            *_get_signatures(change, is_signed=is_signed),
            change.change is ChangeKind.MOVED,
        )

    def to_text(self) -> str:
        """Return one line; two more for a changed signature."""
        place = f"{self.file}:{self.line}" if self.file else f"was {self.was}"
        moved = f" (was {self.was})" if self.file and self.is_moved else ""
        name = f"{self.kind} {self.symbol}"
        if self.kind == SymbolKind.MODULE.value:
            name = "the file" if moved else "top-level code"
        if self.previous_signature and self.previous_signature != self.signature:
            return f"{place} {name}\n    − {self.previous_signature}\n    + {self.signature}"
        return f"{place} {name}{moved}  {self.signature}".rstrip()


def _get_signatures(change: SymbolChange, *, is_signed: bool) -> tuple[str, str]:
    """Return the signature now, and the one before where it has changed."""
    before, now = change.before, change.definition.symbol
    if before is None or not is_signed:
        return now.signature, ""
    if change.written:
        return f"{now.name}({change.written[1]})", f"{now.name}({change.written[0]})"
    return _write_declaration(now, before.symbol), _write_declaration(before.symbol, now)


def _write_declaration(symbol: Symbol, other: Symbol) -> str:
    """Return the signature, with the decorators and kind if they differ from the other's."""
    is_marked = symbol.decorators != other.decorators
    marks = "".join(f"@{decorator} " for decorator in symbol.decorators) if is_marked else ""
    kind = f"({symbol.kind.value}) " if symbol.kind is not other.kind else ""
    return f"{marks}{kind}{symbol.signature}"


class ChangedFileItem(Struct, frozen=True):
    """A changed file and its changed symbols, by kind of change; the place is that of the first.

    If only removed symbols are listed, `was` is the place of the first one before the change, and `file` is empty: the
    file may no longer exist.
    """

    file: str
    line: int
    was: str
    changes: tuple[tuple[str, tuple[str, ...]], ...]

    def to_text(self) -> str:
        said = "; ".join(f"{kind} {', '.join(few(names, _MAX_NAMES))}" for kind, names in self.changes)
        place = f"{self.file}:{self.line}" if self.file else f"was {self.was}"
        return f"{place} {said}"


def group_by_file(kinds: Mapping[str, Sequence[ChangeItem]], places: Collection[str]) -> tuple[ChangedFileItem, ...]:
    """Return the changed symbols by file, product files with most of them first, before all those in some places."""
    by_file: dict[str, dict[str, dict[str, None]]] = {}
    first: dict[str, ChangeItem] = {}
    for kind, items in kinds.items():
        # Many macros or values must not leave the functions among them out.
        for each in sorted(items, key=lambda item: not _is_code(SymbolKind(item.kind))):
            file = each.file or each.was.rpartition(":")[0]
            by_file.setdefault(file, {}).setdefault(kind, {})[each.symbol or "top-level code"] = None
            if file not in first or (each.file and not first[file].file):
                first[file] = each

    def rank(file: str) -> tuple[bool, FileRole, int, str]:
        is_asked = any(is_within(file, place) for place in places)
        telling = sum(len(names) for kind, names in by_file[file].items() if kind != "comments")
        return not is_asked, role_of(file), -telling, file

    return tuple(
        ChangedFileItem(
            first[file].file,
            first[file].line,
            "" if first[file].file else first[file].was,
            tuple((kind, tuple(names)) for kind, names in by_file[file].items()),
        )
        for file in sorted(by_file, key=rank)
    )


def _is_code(kind: SymbolKind) -> bool:
    """Return whether a symbol of some kind is a function or a class."""
    return kind in FUNCTIONS or is_class(kind)
