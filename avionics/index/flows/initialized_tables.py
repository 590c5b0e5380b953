"""Find what tables set the fields of structures to by position: `{ "add", run_add }` in a `struct command commands[]`.

Such a row names no field; the declaration of the structure tells which one each value is for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from avionics.index.analysis.call_tree import CallTreeBuilder
from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.call_arguments import list_starts, read_arguments
from avionics.index.flows.registrations import HOLDERS
from avionics.index.model.memo import cached_method
from avionics.model.enums import BODIES, ReferenceKind, SymbolKind, is_class
from avionics.model.facts import line_of
from avionics.model.knowledge import Definition

_MAX_FILES, _MAX_ROWS, _MAX_DEPTH = 60, 400, 2
_NOT_PLAIN = re.compile(r"#|\{[^}]*\{|\bunion\b|=")
"""What the body of a structure has whose fields cannot be counted by their symbols alone."""
_DECIDES = re.compile(r"^[ \t]*#[^\n]*(?:\\\n[^\n]*)*", re.MULTILINE)
"""A directive between the rows of a table."""


class InitializedTables:
    """Finds the functions in tables of one index, and the fields that they are the values of."""

    def __init__(self, code: CodeIndex, builder: CallTreeBuilder) -> None:
        self._code = code
        self._builder = builder

    def list_values(self, field: Definition) -> tuple[tuple[Definition, str, int], ...]:
        """Return the functions that tables set a field to by position, each with the place of the value."""
        of = self._get_parent(field)
        if of is None or field not in (fields := self._list_fields(of)):
            return ()
        position = fields.index(field)
        found: dict[tuple[Definition, str, int], None] = {}
        for file in sorted(self._code.files_with_word(of.name))[:_MAX_FILES]:
            for table in self._code.iter_definitions(file):
                if table.kind in HOLDERS and self._is_of(table, of):
                    found |= dict.fromkeys(self._iter_values(table, position))
        return tuple(found)

    def may_be_set(self, field: Definition) -> bool:
        """Return whether tables may set a field by a position that is not known."""
        of = self._get_parent(field)
        return of is not None and self._code.spec(of.file).linkage and not self._list_fields(of)

    def get_field(self, table: Definition, line: int, column: int) -> Definition | None:
        """Return the field that a value in a table is for, None if the table is of no structure with such fields."""
        if table.kind not in HOLDERS or not self._code.spec(table.file).linkage:
            return None
        offset = list_starts(self._code.read_text(table.file))[line - 1] + column
        for of in self._list_structures(table):
            fields = self._list_fields(of)
            for row in self._iter_rows(table):
                at = next((at for at, (begin, end) in enumerate(row) if begin <= offset < end), -1)
                if 0 <= at < len(fields):
                    return fields[at]
        return None

    def _list_structures(self, table: Definition) -> tuple[Definition, ...]:
        """Return the structure that the declaration of a table names."""
        named = re.findall(r"\w+", table.symbol.signature.partition("=")[0].partition(table.name)[0])
        found = [each for name in named for each in self._code.find_definitions(name) if is_class(each.kind)]
        near = [each for each in found if each.file == table.file] or found
        return tuple(near) if len({each.name for each in near}) == 1 else ()

    def _is_of(self, table: Definition, of: Definition) -> bool:
        return of.name in table.symbol.signature.partition("=")[0] and of in self._list_structures(table)

    @cached_method
    def _list_fields(self, of: Definition) -> tuple[Definition, ...]:
        """Return the fields of a structure in their order; () if other things in it make the order uncertain."""
        span = of.symbol.span
        text = "\n".join(self._code.read_lines(of.file)[span.start_line - 1 : span.end_line])
        is_plain = self._code.spec(of.file).linkage and not _NOT_PLAIN.search(text)
        own = sorted(self._code.list_members(of), key=lambda each: (each.line, each.symbol.column))
        is_known = is_plain and all(each.kind is SymbolKind.ATTRIBUTE for each in own)
        return tuple(own) if is_known else ()

    def _iter_rows(self, table: Definition) -> Iterator[tuple[tuple[int, int], ...]]:
        """Yield where the values of each structure in a table begin and end; one is alone without rows around it."""
        text, span = self._code.read_text(table.file), table.symbol.span
        starts = list_starts(text)
        first, last = (
            starts[span.start_line - 1] + table.symbol.column * (span.start_line == table.line),
            starts[span.end_line],
        )
        opening = text.find("{", first, last)
        assigned = text.find("=", first, last)
        if opening < 0 or not 0 <= assigned < opening:
            return
        plain = _DECIDES.sub(lambda each: " " * len(each[0]), text[:last])
        yield from self._iter_within(plain, opening, _MAX_DEPTH)

    def _iter_within(self, text: str, opening: int, depth: int) -> Iterator[tuple[tuple[int, int], ...]]:
        row = read_arguments(text, opening)
        inner = [begin + len(text[begin:end]) - len(text[begin:end].lstrip()) for begin, end in row]
        is_of_rows = bool(inner) and text.startswith("{", inner[0])
        if not is_of_rows:
            yield row
        for begin in (inner if is_of_rows and depth > 1 else ())[:_MAX_ROWS]:
            if text.startswith("{", begin):
                yield from self._iter_within(text, begin, depth - 1)

    def _iter_values(self, table: Definition, position: int) -> Iterator[tuple[Definition, str, int]]:
        """Yield the functions at a position of the rows of a table."""
        text = self._code.read_text(table.file)
        for row in self._iter_rows(table):
            if position >= len(row):
                continue
            begin, end = row[position]
            line = line_of(text, begin + len(text[begin:end]) - len(text[begin:end].lstrip()))
            start = list_starts(text)[line - 1]
            for each in self._builder.list_within(table.file, line, line):
                if each.kind is ReferenceKind.READ and begin <= start + each.column < end:
                    given = self._builder.get_passed(table.file, each)
                    if given is not None and given.kind in BODIES:
                        yield given, table.file, line

    def _get_parent(self, field: Definition) -> Definition | None:
        holder = self._code.get_parent(field) if field.index >= 0 else None
        return holder if holder is not None and is_class(holder.kind) else None
