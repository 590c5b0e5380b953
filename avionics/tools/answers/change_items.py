"""What the answers of the tools about changes share: their first lines, and the item of a changed symbol."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from avionics.index.changes.symbol_diff import ChangeKind, SymbolChange
from avionics.model.enums import SymbolKind
from avionics.model.facts import Symbol
from avionics.model.results import Coverage


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
