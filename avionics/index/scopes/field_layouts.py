"""Find code that uses the fields of a type by order or memory layout, without naming them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.cached_method import cached_method
from avionics.model.enums import FUNCTIONS, SymbolKind, is_class
from avionics.model.facts import Symbol, line_of
from avionics.model.knowledge import Definition
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.conventions import FieldsByOrder
from avionics.syntax.registry import conventions_of, get_conventions

_MAX_HOLDERS = 8
"""The maximum number of types followed for one field, from its own to those that contain it."""
_PADDING = re.compile(r"_*+(?:pad|padding|reserved|rsvd|filler|spare)(?:_?\d+)?_*")
"""The name of a padding field, which keeps those after it in place."""
_RESERVED = re.compile(r"__[a-z]")
"""The start of a name that is reserved for the system, whose type the declaration repeats."""
_BRACES = re.compile(r"[{}]")
_MAX_TYPE_LENGTH = 20_000
"""The maximum number of characters of a type's declaration that are read."""
_MAX_BEHIND = 1_000
"""The number of characters after the name of a type in which its fields may be set."""
_HEADERS = re.compile(r"/include/.*|/[^/]*\Z")


class FieldLayouts:
    """Finds the literals, casts and copies that use the fields of a type of one snapshot without naming them."""

    def __init__(self, source: FactSource) -> None:
        self._source = source
        self._linked: dict[re.Pattern[str], dict[str, str]] = {}
        self._unpacked: dict[str, dict[int, tuple[str, int]]] = {}

    @cached_method
    def find_reasons(self, home: str, index: int) -> tuple[Reason, ...]:
        """Return why the fields of a type, or of a field with an anonymous type, may be used without their names.

        Types that contain this type, and aliases and arrays of it, are searched for such uses too.
        """
        return tuple(self._iter_reasons(home, index))

    def _iter_reasons(self, home: str, index: int) -> Iterator[Reason]:
        implicit, symbols = conventions_of(home).implicit, self._source.facts(home).symbols
        fields = [each for each in symbols if each.parent == index]
        holder = symbols[_climb(symbols, index)]
        yield from self._iter_placed(home, holder, fields)
        if not implicit.ordered_fields:
            return
        if any(_PADDING.fullmatch(each.name) for each in fields) or _RESERVED.match(holder.name):
            yield Reason(ReasonKind.MEMORY_LAYOUT, place=(home, holder.line))
        if linked := self._get_linked(home):
            yield Reason(ReasonKind.MEMORY_LAYOUT, place=(linked, 1))
        if is_class(holder.kind) and (line := self._get_initialized(home, holder, implicit.listed_values)):
            yield Reason(ReasonKind.SET_BY_POSITION, place=(home, line))
            return
        by_order = self._get_by_order(home)
        if by_order is not None and (place := self._get_positional(holder.name, len(fields), by_order)):
            yield Reason(ReasonKind.SET_BY_POSITION, place=place)
            return
        names = [holder.name]
        for name in names:
            ordered = re.compile(implicit.ordered_fields.replace("NAME", re.escape(name)), re.MULTILINE)
            word = re.compile(rf"\b{re.escape(name)}\b")
            for file in sorted(self._source.files_with_word(name)):
                if conventions_of(file).implicit.ordered_fields != implicit.ordered_fields:
                    continue
                if line := self._get_undefined_taker(file, name):
                    yield Reason(ReasonKind.MEMORY_LAYOUT, place=(file, line))
                    return
                if line := self._get_ordered(file, word, ordered):
                    yield Reason(ReasonKind.SET_BY_POSITION, place=(file, line))
                    return
                if line := self._get_layout_line(file, implicit.layout_uses):
                    yield Reason(ReasonKind.MEMORY_LAYOUT, place=(file, line))
                    return
                holding = {each: None for each in self._iter_holding(file, name) if each not in names}
                names.extend(list(holding)[: _MAX_HOLDERS - len(names)])

    def _get_pointer(self, home: str, name: str) -> tuple[str, int] | None:
        """Return where a file that calls native code declares a pointer to a type, or None."""
        implicit = conventions_of(home).implicit
        pointer = re.compile(implicit.foreign_pointers.replace("NAME", re.escape(name)))
        for file in sorted(self._source.files_with_word(name)):
            is_alike = conventions_of(file).implicit.foreign_pointers == implicit.foreign_pointers
            text = self._source.read_text(file) if is_alike else ""
            if implicit.native_calls.search(text) and (match := pointer.search(text)) is not None:
                return file, line_of(text, match.start())
        return None

    def _iter_placed(self, home: str, holder: Symbol, fields: list[Symbol]) -> Iterator[Reason]:
        """Yield where the layout of a type in memory matters: by its sized fields, a decorator, or a native pointer."""
        implicit = conventions_of(home).implicit
        is_sized = len(fields) > 1 and all(implicit.sized_fields.fullmatch(each.signature) for each in fields)
        if is_sized or any(map(implicit.layout_uses.search, holder.decorators)):
            yield Reason(ReasonKind.MEMORY_LAYOUT, place=(home, holder.line))
        if implicit.foreign_pointers and (place := self._get_pointer(home, holder.name)):
            yield Reason(ReasonKind.MEMORY_LAYOUT, place=place)

    def _get_ordered(self, file: str, word: re.Pattern[str], ordered: re.Pattern[str]) -> int:
        """Return the first line of a file on which a pattern is found around a word; 0 if there is none."""
        text, end = self._source.read_text(file), 0
        for each in word.finditer(text):
            start = max(end, text.rfind("\n", 0, text.rfind("\n", 0, each.start())) + 1)
            if (match := ordered.search(text, start, each.end() + _MAX_BEHIND)) is not None:
                return line_of(text, match.start())
            end = text.rfind("\n", 0, each.start()) + 1
        return 0

    @cached_method
    def _get_layout_line(self, file: str, layout_uses: re.Pattern[str]) -> int:
        """Return the first line of a file that fixes or uses memory layouts (`#pragma pack`); 0 if none does."""
        text = self._source.read_text(file)
        match = layout_uses.search(text)
        return line_of(text, match.start()) if match is not None else 0

    def _get_initialized(self, home: str, holder: Symbol, listed_values: re.Pattern[str]) -> int:
        """Return the line on which a type is declared with values of its fields in order; 0 if it is not."""
        lines = self._source.read_lines(home)[holder.line - 1 :]
        text, depth = "\n".join(lines)[:_MAX_TYPE_LENGTH], 0
        for brace in _BRACES.finditer(text):
            depth += 1 if brace[0] == "{" else -1
            if depth <= 0:
                is_listed = listed_values.match(text, brace.end()) is not None
                return holder.line + text.count("\n", 0, brace.end()) if is_listed else 0
        return 0

    def _get_positional(self, name: str, count: int, by_order: FieldsByOrder) -> tuple[str, int] | None:
        """Return where code may set or read as many fields by their order: `auto [a, b] = …`, `Type{a, b}`, or None."""
        unpacked = self._map_unpacked(by_order)
        if count in unpacked:
            return unpacked[count]
        made = re.compile(by_order.made.replace("NAME", re.escape(name)))
        for file in self._iter_alike(name, by_order):
            text, symbols = self._source.read_text(file), self._source.facts(file).symbols
            found = next((each for each in made.finditer(text) if not _is_head(each)), None)
            if found is not None:
                return file, line_of(text, found.start())
            for each in symbols:
                if each.kind in FUNCTIONS and re.search(rf"\b{re.escape(name)}\b", each.signature.partition("(")[0]):
                    lines = text.split("\n")[each.line - 1 : each.span.end_line]
                    for number, line in enumerate(lines, each.line):
                        if by_order.listed_result.search(line):
                            return file, number
        return None

    def _get_by_order(self, file: str) -> FieldsByOrder | None:
        """Return how the language of a file uses fields by their order: a `.h` file may be C or C++."""
        language = self._source.facts(file).language
        return get_conventions(language).implicit.by_order if language else None

    def _iter_alike(self, word: str, by_order: FieldsByOrder) -> Iterator[str]:
        """Yield the files with a word whose language uses fields by their order in this way."""
        for file in sorted(self._source.files_with_word(word)):
            if self._get_by_order(file) is by_order:
                yield file

    def _map_unpacked(self, by_order: FieldsByOrder) -> dict[int, tuple[str, int]]:
        """Return number of variables that take the fields of one object → the first place that declares so many."""
        word = by_order.unpacking_word
        if word not in self._unpacked:
            found: dict[int, tuple[str, int]] = {}
            for file in self._iter_alike(word, by_order):
                text = self._source.read_text(file)
                for each in by_order.unpacking.finditer(text):
                    found.setdefault(each[1].count(",") + 1, (file, line_of(text, each.start())))
            self._unpacked[word] = found
        return self._unpacked[word]

    def iter_of_first(self, definition: Definition) -> Iterator[Reason]:
        """Yield a reason if a field is the first of its type and a structure itself, since pointers may be cast."""
        symbols, symbol = self._source.facts(definition.file).symbols, definition.symbol
        first = next((each for each in symbols if each.parent == symbol.parent), None)
        is_first = first is not None and first.name == symbol.name and first.line == symbol.line
        if is_first and conventions_of(definition.file).implicit.first_fields.fullmatch(symbol.signature):
            yield Reason(ReasonKind.MEMORY_LAYOUT, place=(definition.file, symbol.line))

    def _get_undefined_taker(self, file: str, name: str) -> int:
        """Return the line that declares a function which takes the type and has no body in the workspace, or 0."""
        word = re.compile(rf"\b{re.escape(name)}\b")
        announced = (each for each in self._source.facts(file).symbols if each.is_announced)
        taking = (each for each in announced if word.search(each.signature.partition("(")[2]))
        return next((each.line for each in taking if not self._has_body(each.name, file)), 0)

    def _has_body(self, name: str, home: str) -> bool:
        """Return whether a file of the workspace, in a language with the same field rules, defines a function."""
        order = conventions_of(home).implicit.ordered_fields
        naming = self._source.files_with_word(name)
        files = (each for each in naming if conventions_of(each).implicit.ordered_fields == order)
        named = (each for file in files for each in self._source.facts(file).symbols)
        return any(each.name == name and not each.is_announced for each in named)

    def _iter_holding(self, file: str, name: str) -> Iterator[str]:
        """Yield the names of a file's types that have a field of the type, or are an alias of it."""
        word, symbols = re.compile(rf"\b{re.escape(name)}\b"), self._source.facts(file).symbols
        for index, each in enumerate(symbols):
            owner = symbols[_climb(symbols, index)]
            if (is_class(owner.kind) or owner.kind is SymbolKind.TYPE) and word.search(each.signature):
                yield owner.name

    def _get_linked(self, home: str) -> str:
        """Return the path of linked code beside a file or its `include` directory, or "": it has offsets as numbers."""
        linked = conventions_of(home).files.linked_code
        if linked not in self._linked:
            found = (path for path in self._source.paths if linked.search(path))
            self._linked[linked] = {path.rpartition("/")[0]: path for path in sorted(found, reverse=True)}
        return self._linked[linked].get(_HEADERS.sub("", f"/{home}").lstrip("/"), "")


def _is_head(made: re.Match[str]) -> bool:
    """Return whether `Type … {` heads a definition: of the type, a subclass, or a function that returns it."""
    return made["head"] is not None or (made["listed"] is not None and made["blank"] != "")


def _climb(symbols: tuple[Symbol, ...], index: int) -> int:
    """Return the index of the type around a field, out of nested anonymous types; of another symbol its own."""
    while symbols[index].kind is SymbolKind.ATTRIBUTE and symbols[index].parent >= 0:
        index = symbols[index].parent
    return index
