"""The items that several answers share: definitions, usages, imports and code, each as an entry of an answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct, structs

from avionics.model.enums import SymbolKind
from avionics.model.facts import Symbol
from avionics.model.knowledge import Definition, ModuleLink, UnresolvedUse, Usage
from avionics.model.mappings import group_pairs, group_sets
from avionics.model.results import NextStep
from avionics.source.read import clip_line, decode, split_lines
from avionics.tools.answers.answer import estimate_tokens
from avionics.tools.answers.next_step import suggest
from avionics.tools.answers.reasons import describe_reason
from avionics.tools.ids import ToolId

if TYPE_CHECKING:
    from avionics.source.tree import SourceTree

Place = tuple[str, int]
"""A file and a line of it."""


def read_lines(source: SourceTree, places: Iterable[Place]) -> Mapping[Place, str]:
    """Return the text of lines, reading each file once; lines that do not exist are left out."""
    wanted = group_sets(places)
    found: dict[Place, str] = {}
    for content in source.iter_contents(sorted(wanted)):
        lines = split_lines(decode(content.data).removeprefix("\ufeff"))
        for number in wanted[content.path]:
            if number <= len(lines):
                text = clip_line(lines[number - 1].strip(), source.settings.max_line_characters)
                found[content.path, number] = text
    return found


def few(values: Sequence[object], limit: int) -> list[str]:
    """Return the first values as text, then `+N more`; a single further value is shown instead of `+1 more`."""
    if 0 < limit < len(values) - 1:
        return [*map(str, values[:limit]), f"+{len(values) - limit} more"]
    return [str(value) for value in (values if limit > 0 else ())]


def first_sentence(doc: str) -> str:
    """Return the first sentence of documentation as the end of a line; "" if there is none."""
    return f" — {doc.partition('. ')[0].removesuffix('.')}" if doc else ""


def number_lines(text: str, start: int) -> list[str]:
    """Return the lines of a text, each with its number in the file."""
    return [f"{number:>5}│ {line}" for number, line in enumerate(text.split("\n"), start)]


def count_fitting(lines: Iterable[str], tokens: int) -> int:
    """Return how many of the first lines fit a budget."""
    count = 0
    for line in lines:
        tokens -= estimate_tokens(f"{line}\n")
        if tokens < 0:
            break
        count += 1
    return count


def kind_word(symbol: Symbol) -> str:
    """Return the word for a symbol's kind; for a class the word of its declaration: struct, record, type."""
    kind: str = symbol.kind.value
    if symbol.kind is not SymbolKind.CLASS:
        return kind
    declared = re.match(rf"(?:[\w()]+ )*?(struct|union|record|object) {re.escape(symbol.name)}\b", symbol.signature)
    if declared:
        return str(declared[1])
    if symbol.signature.startswith(f"type {symbol.name}"):
        return "struct" if re.search(r"[\w\]] struct\b", symbol.signature) else "type"
    return kind


def symbol_items(definitions: Iterable[Definition]) -> tuple[SymbolItem, ...]:
    """Return the items of definitions."""
    return tuple(map(SymbolItem.of, definitions))


class SymbolItem(Struct, frozen=True):
    """A definition: its location, kind, signature and documentation; `word` is the language's word for the kind."""

    file: str
    line: int
    start_line: int
    end_line: int
    symbol: str
    kind: str
    signature: str
    doc: str = ""
    word: str = ""

    OMITTED: ClassVar[frozenset[str]] = frozenset({"word"})

    def __eq__(self, other: object) -> bool:
        return type(other) is SymbolItem and structs.astuple(self)[:-1] == structs.astuple(other)[:-1]

    def __hash__(self) -> int:
        return hash(structs.astuple(self)[:-1])

    @classmethod
    def of(cls, definition: Definition) -> SymbolItem:
        """Return the item of a definition."""
        symbol = definition.symbol
        span = symbol.span
        return cls(
            definition.file, symbol.line, span.start_line, span.end_line, symbol.qualname, symbol.kind.value,
            symbol.signature, symbol.doc, kind_word(symbol),
        )  # fmt: skip

    def to_text(self) -> str:
        """Return one line: the lines from its name to its end, the signature, the first sentence of its doc."""
        end = f"-{self.end_line}" if self.end_line > self.line else ""
        description = f"{self.signature}{first_sentence(self.doc)}"
        return f"{self.file}:{self.line}{end} {self.word or self.kind} {self.symbol}  {description}".rstrip()


class PlaceItem(Struct, frozen=True):
    """A line of a file with its text: `src/app.py:12  return make_app()`."""

    file: str
    line: int
    text: str

    def to_text(self) -> str:
        return f"{self.file}:{self.line}  {self.text}"


class UsageItem(Struct, frozen=True):
    """A proven usage: its role, the definition that contains it, the text of its line, and the evidence."""

    file: str
    line: int
    column: int
    role: str
    enclosing: str
    evidence: str
    text: str

    @classmethod
    def of(cls, usage: Usage, text: str) -> UsageItem:
        """Return the item of a usage; `text` is its source line."""
        enclosing = usage.enclosing.symbol.qualname if usage.enclosing else ""
        return cls(
            usage.file, usage.line, usage.column, usage.role.value, enclosing, usage.evidence.value, text.strip()
        )

    def to_text(self) -> str:
        within = f" in {self.enclosing}" if self.enclosing else ""
        return f"{self.file}:{self.line} {self.role}{within}  {self.text}"


class UnresolvedItem(Struct, frozen=True):
    """A possible usage, listed under the reason why it is not proven."""

    file: str
    line: int
    reason: str
    text: str

    @classmethod
    def of(cls, use: UnresolvedUse, text: str) -> UnresolvedItem:
        """Return the item of an unresolved use; `text` is its source line."""
        return cls(use.file, use.line, describe_reason(use.reason), text.strip())

    def heading(self) -> str:
        """Return the reason."""
        return self.reason

    def to_text(self) -> str:
        return f"{self.file}:{self.line}  {self.text}"


class ImportItem(Struct, frozen=True):
    """The imports of a module in a file: the first line, all lines, the names, and the file of the module."""

    file: str
    line: int
    lines: tuple[int, ...]
    module: str
    names: tuple[str, ...]
    target: str | None

    @classmethod
    def of_links(cls, links: Iterable[ModuleLink]) -> tuple[ImportItem, ...]:
        """Return one item for each file, module and target; an import of the module itself has no names."""
        joined = group_pairs(((link.file, link.module, link.target), link) for link in links)
        return tuple(
            cls(
                file,
                same[0].line,
                tuple(dict.fromkeys(link.line for link in same)),
                module,
                tuple(dict.fromkeys(name for link in same for name in link.names if name != module)),
                target,
            )
            for (file, module, target), same in joined.items()
        )

    def to_text(self) -> str:
        taken = f": {', '.join(self.names)}" if self.names else ""
        leads = f" → {self.target}" if self.target else ""
        return f"{self.file}:{self.line}  {self.module}{taken}{leads}"


class NameItem(Struct, frozen=True):
    """A name similar to one that does not exist."""

    name: str

    def to_text(self) -> str:
        """Return the name."""
        return self.name


class CodeItem(Struct, frozen=True):
    """Lines of a file, shown with their numbers."""

    file: str
    start_line: int
    end_line: int
    text: str

    def to_text(self) -> str:
        """Return the code with line numbers, below its path and lines."""
        return "\n".join([f"{self.file}:{self.start_line}-{self.end_line}", *number_lines(self.text, self.start_line)])

    def cut(self, tokens: int) -> CodeItem | None:
        """Return as many of the first lines as fit, or None if fewer than three do."""
        count = count_fitting(self.to_text().split("\n"), tokens) - 1
        if count < 3:
            return None
        text = "\n".join(self.text.split("\n")[:count])
        return CodeItem(self.file, self.start_line, self.start_line + count - 1, text)

    def get_next(self, next_step: NextStep | None, shown: CodeItem, *, is_all: bool) -> NextStep | None:
        """Return the next step if only `shown` is shown: a call that continues after the code then begins earlier."""
        if next_step is None:
            return suggest_reading(self.file, shown.end_line + 1, self.end_line) if is_all else None
        asked = next_step.arguments
        if next_step.tool != ToolId.READ_CODE.value or asked.get("path") != self.file:
            return next_step
        continues = asked.get("start_line") == self.end_line + 1
        return suggest_reading(self.file, shown.end_line + 1, asked["end_line"]) if continues else next_step


def suggest_reading(file: str, start: int, end: int, purpose: str = "for the rest of the code") -> NextStep:
    """Return the step that reads lines of a file, the last one included."""
    return suggest(ToolId.READ_CODE, purpose, path=file, start_line=start, end_line=end)
