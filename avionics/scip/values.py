"""Documents, occurrences and symbols of an index as plain values.

Lines count from 1, columns from 0 in characters, as in facts; files count lines from 0 and columns by their encoding.
"""

from __future__ import annotations

from msgspec import Struct

from avionics.scip.schema import Kind, SymbolRole

Range = tuple[int, int, int, int]
"""First line, first column, last line, the column after the end."""


class ScipOccurrence(Struct, frozen=True):
    """A place that names a symbol.

    Attributes:
        range: Where the name is.
        symbol: The symbol, in SCIP's own notation.
        roles: The roles of the occurrence.
        enclosing: For a definition, the range of the whole definition.
    """

    range: Range
    symbol: str
    roles: SymbolRole = SymbolRole.REFERENCE
    enclosing: Range | None = None


class ScipSymbol(Struct, frozen=True):
    """What is known about a symbol.

    Attributes:
        symbol: In SCIP's own notation.
        kind: What it is.
        name: The name to display.
        documentation: Its documentation.
        signature: Its signature, one line.
        implements: The symbols it implements: bases of a class, members that a member overrides.
    """

    symbol: str
    kind: Kind = Kind.UNSPECIFIED
    name: str = ""
    documentation: str = ""
    signature: str = ""
    implements: tuple[str, ...] = ()


class ScipDocument(Struct, frozen=True):
    """The contents of an index about one file.

    Attributes:
        path: Relative to the root of the index.
        language: The language's name in SCIP.
        occurrences: The places that name symbols.
        symbols: The symbols that the file defines.
        text: The whole text; "" if the index leaves it out, as most do.
    """

    path: str
    language: str
    occurrences: tuple[ScipOccurrence, ...]
    symbols: tuple[ScipSymbol, ...] = ()
    text: str = ""
