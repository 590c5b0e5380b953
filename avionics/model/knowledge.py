"""Definitions, usages and search results across files."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, structs

from avionics.model.enums import Certainty, Evidence, ReferenceKind, SymbolKind
from avionics.model.facts import Symbol
from avionics.model.reasons import Reason, ReasonKind


class Definition(Struct, frozen=True):
    """A symbol in its file; `index` is its position in the file's outline."""

    file: str
    symbol: Symbol
    index: int = -1

    @property
    def name(self) -> str:
        """Return the symbol's name."""
        return self.symbol.name

    @property
    def line(self) -> int:
        """Return the line of the symbol's name."""
        return self.symbol.line

    @property
    def kind(self) -> SymbolKind:
        """Return the symbol's kind."""
        return self.symbol.kind

    @property
    def label(self) -> str:
        """Return the name and the place, as messages write them: `Cart.add (src/cart.py:12)`."""
        return f"{self.symbol.qualname} ({self.file}:{self.symbol.line})"

    @property
    def key(self) -> tuple[str, int, str]:
        """Return the file, line and qualified name, which sort definitions and identify them in pictures."""
        return self.file, self.symbol.line, self.symbol.qualname


class Usage(Struct, frozen=True):
    """A place that uses a definition.

    Attributes:
        file: Relative to the root.
        line: Its line.
        column: Its column.
        role: The role of the name there.
        evidence: Why it is known to mean the definition.
        around: The definition around it, or a function of file and line that returns it, because few are asked for.
    """

    file: str
    line: int
    column: int
    role: ReferenceKind
    evidence: Evidence
    around: Definition | Callable[[str, int], Definition | None] | None = None

    def __eq__(self, other: object) -> bool:
        return type(other) is Usage and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def place(self) -> tuple[str, int, int]:
        """Return the file, line and column."""
        return self.file, self.line, self.column

    @property
    def _key(self) -> tuple[object, ...]:
        return self.file, self.line, self.column, self.role, self.evidence

    @property
    def enclosing(self) -> Definition | None:
        """Return the innermost function or class around it, None at module level."""
        return self.around(self.file, self.line) if callable(self.around) else self.around


class UnresolvedUse(Struct, frozen=True):
    """A place that may use a definition, and why that is undecided."""

    file: str
    line: int
    column: int
    reason: Reason

    @property
    def place(self) -> tuple[str, int, int]:
        """Return the file, line and column."""
        return self.file, self.line, self.column


class Ledger(Struct, frozen=True):
    """Every mention of a definition's names in the text of the workspace, by class.

    Attributes:
        mentions: How often the names occur as whole words, in all files.
        definitions: Mentions that define it.
        usages: Proven usages.
        possible: Possible usages, those in strings, configuration and templates included.
        others: Mentions of other definitions, of names outside the workspace, and of parts of module paths. For a name
            in hundreds of files of C, also mentions in comments and strings, which are not told apart there.
        text: Mentions in comments, strings and documents.
        not_examined: Mentions in files that were not read, or not to their end.
        unwritten: Usages that do not mention its name, such as the calls of a class for its constructor. They are not
            among the mentions.
    """

    mentions: int = 0
    definitions: int = 0
    usages: int = 0
    possible: int = 0
    others: int = 0
    text: int = 0
    not_examined: int = 0
    unwritten: int = 0

    @property
    def adds_up(self) -> bool:
        """Return whether every mention is in exactly one class; anything else is a fault of the analysis."""
        classes = (self.definitions, self.usages, self.possible, self.others, self.text, self.not_examined)
        return min(classes) >= 0 and sum(classes) == self.mentions


class UsageReport(Struct, frozen=True):
    """All usages of a definition.

    Attributes:
        definitions: Every place that defines it, including repeated and conditional definitions.
        usages: The confirmed usages, ordered by file and line.
        unresolved: The places that may use it.
        certainty: EXACT only if every mention is decided and nothing can use it without its name.
        reasons: Why the certainty is not EXACT, apart from the unresolved places.
        ledger: Every mention of its names, by class.
    """

    definitions: tuple[Definition, ...]
    usages: tuple[Usage, ...] = ()
    unresolved: tuple[UnresolvedUse, ...] = ()
    certainty: Certainty = Certainty.EXACT
    reasons: tuple[Reason, ...] = ()
    ledger: Ledger | None = None

    def as_cut(self) -> UsageReport:
        """Return the report without the claim to be complete, because the work that it rests on ran out of time."""
        if self.certainty is not Certainty.EXACT:
            return self
        return structs.replace(self, certainty=Certainty.AT_LEAST, reasons=(Reason(ReasonKind.TIME_RAN_OUT),))


class ModuleLink(Struct, frozen=True):
    """An import that connects two files: line `line` of `file` imports `target` (None outside the workspace)."""

    file: str
    line: int
    module: str
    names: tuple[str, ...]
    target: str | None


class RankedSymbol(Struct, frozen=True):
    """A search result: lines `start_line`–`end_line` of `file`, why they match, and how well."""

    file: str
    start_line: int
    end_line: int
    symbol: str
    kind: str
    signature: str
    doc: str
    score: float
    reasons: tuple[Reason, ...] = ()
    definition: Definition | None = None
