"""What is true of the code: facts joined across files.

Knows: definitions, resolutions and usages as values.
Does not know: how they were found.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs

from avionics.model.enums import Certainty, Evidence, ReferenceKind, SymbolKind
from avionics.model.facts import Symbol


@attrs.frozen
class Definition:
    """A symbol in its file; `index` is its place in the file's outline."""

    file: str
    symbol: Symbol
    index: int = -1

    @property
    def name(self) -> str:
        """The symbol's name."""
        return self.symbol.name

    @property
    def line(self) -> int:
        """The line of the symbol's name."""
        return self.symbol.line

    @property
    def kind(self) -> SymbolKind:
        """The symbol's kind."""
        return self.symbol.kind


@attrs.frozen
class Usage:
    """A place that uses a definition.

    Attributes:
        file: Relative to the root.
        line: Where.
        column: Where.
        role: What the name does there.
        evidence: Why it is believed to mean the definition.
        around: What is around it, or tells that of a file and a line: most are never asked.
    """

    file: str
    line: int
    column: int
    role: ReferenceKind
    evidence: Evidence
    around: Definition | Callable[[str, int], Definition | None] | None = attrs.field(default=None, eq=False)

    @property
    def enclosing(self) -> Definition | None:
        """The innermost function or class around it, None at module level."""
        return self.around(self.file, self.line) if callable(self.around) else self.around


@attrs.frozen
class UnresolvedUse:
    """A place that may use a definition, and why that is not known."""

    file: str
    line: int
    column: int
    reason: str


@attrs.frozen
class UsageReport:
    """All usages of a definition.

    Attributes:
        definitions: Every place that defines it (repeated and conditional definitions too).
        usages: Proven, ordered by file and line.
        unresolved: Not proven and not disproven.
        certainty: EXACT only when every candidate was settled one way or the other.
        because: Why the certainty is not EXACT, in words.
        candidates: How many files were looked at.
    """

    definitions: tuple[Definition, ...]
    usages: tuple[Usage, ...] = ()
    unresolved: tuple[UnresolvedUse, ...] = ()
    certainty: Certainty = Certainty.EXACT
    because: tuple[str, ...] = ()
    candidates: int = 0


@attrs.frozen
class ModuleLink:
    """An import that joins two files: `file` line `line` imports `target` (None outside the workspace)."""

    file: str
    line: int
    module: str
    names: tuple[str, ...]
    target: str | None


@attrs.frozen
class RankedSymbol:
    """A search result: lines `start_line`–`end_line` of `file`, why they matched, and how well."""

    file: str
    start_line: int
    end_line: int
    symbol: str
    kind: str
    signature: str
    doc: str
    score: float
    reasons: tuple[str, ...] = ()
