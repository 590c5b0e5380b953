"""Items that several answers share: definitions, usages, imports and code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import attrs

from avionics.model.knowledge import Definition, ModuleLink, UnresolvedUse, Usage
from avionics.source.read import clip_line, decode, split_lines
from avionics.tools.answers.answer import estimate_tokens
from avionics.tools.answers.reasons import describe_reason

if TYPE_CHECKING:
    from avionics.workspace import Workspace

Place = tuple[str, int]
"""A file and a line of it."""


def read_lines(workspace: Workspace, places: Iterable[Place]) -> Mapping[Place, str]:
    """Return the text of lines, reading each file once; lines that do not exist are left out."""
    wanted: dict[str, set[int]] = {}
    for file, line in places:
        wanted.setdefault(file, set()).add(line)
    most = workspace.settings.max_line_characters
    found: dict[Place, str] = {}
    for content in workspace.source.iter_contents(sorted(wanted)):
        lines = split_lines(decode(content.data).removeprefix("\ufeff"))
        for number in wanted[content.path]:
            if number <= len(lines):
                found[content.path, number] = clip_line(lines[number - 1].strip(), most)
    return found


def plural(count: int, noun: str) -> str:
    """Return `1 file`, `2 files`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def first_sentence(doc: str) -> str:
    """Return the first sentence of a docstring as the end of a line, "" for none."""
    return f" — {doc.partition('. ')[0].removesuffix('.')}" if doc else ""


@attrs.frozen
class SymbolItem:
    """A definition: its place, kind, signature and first line of documentation."""

    file: str
    line: int
    start_line: int
    end_line: int
    symbol: str
    kind: str
    signature: str
    doc: str = ""

    @classmethod
    def of(cls, definition: Definition) -> SymbolItem:
        """Return the item of a definition."""
        symbol = definition.symbol
        span = symbol.span
        return cls(
            definition.file, symbol.line, span.start_line, span.end_line, symbol.qualname, symbol.kind.value,
            symbol.signature, symbol.doc,
        )  # fmt: skip

    def to_text(self) -> str:
        """Return one line: its first and last line, its signature and the first sentence of its docstring."""
        end = f"-{self.end_line}" if self.end_line > self.line else ""
        return f"{self.file}:{self.line}{end} {self.kind} {self.symbol}  {self.signature}{first_sentence(self.doc)}"


@attrs.frozen
class PlaceItem:
    """A line of a file with its text: `src/app.py:12  return make_app()`."""

    file: str
    line: int
    text: str

    def to_text(self) -> str:
        """Return one line."""
        return f"{self.file}:{self.line}  {self.text}"


@attrs.frozen
class UsageItem:
    """A proven usage: its role, the definition around it, the line itself and the evidence."""

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
        """Return one line."""
        within = f" in {self.enclosing}" if self.enclosing else ""
        return f"{self.file}:{self.line} {self.role}{within}  {self.text}"


@attrs.frozen
class UnresolvedItem:
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
        """Return one line."""
        return f"{self.file}:{self.line}  {self.text}"


@attrs.frozen
class ImportItem:
    """What a file imports from a module: the first line, all lines, the names, and the file it leads to."""

    file: str
    line: int
    lines: tuple[int, ...]
    module: str
    names: tuple[str, ...]
    target: str | None

    @classmethod
    def of_links(cls, links: Iterable[ModuleLink]) -> tuple[ImportItem, ...]:
        """Return one item for each file, module and target; an import of the module itself has no names."""
        joined: dict[tuple[str, str, str | None], list[ModuleLink]] = {}
        for link in links:
            joined.setdefault((link.file, link.module, link.target), []).append(link)
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
        """Return one line."""
        taken = f": {', '.join(self.names)}" if self.names else ""
        leads = f" → {self.target}" if self.target else ""
        return f"{self.file}:{self.line}  {self.module}{taken}{leads}"


@attrs.frozen
class NameItem:
    """A near name, offered where the asked one does not exist."""

    name: str

    def to_text(self) -> str:
        """Return the name."""
        return self.name


@attrs.frozen
class CodeItem:
    """Lines of a file, shown with their numbers."""

    file: str
    start_line: int
    end_line: int
    text: str

    def to_text(self) -> str:
        """Return line-numbered code under its place."""
        numbered = [f"{number:>5}│ {line}" for number, line in enumerate(self.text.split("\n"), self.start_line)]
        return "\n".join([f"{self.file}:{self.start_line}-{self.end_line}", *numbered])

    def cut(self, tokens: int) -> CodeItem | None:
        """Return as many of the first lines as fit, or None when not even three do."""
        lines: list[str] = []
        room = tokens - estimate_tokens(f"{self.file}:{self.start_line}-{self.end_line}\n")
        for line in self.text.split("\n"):
            room -= estimate_tokens(f"{0:>5}│ {line}\n")
            if room < 0:
                break
            lines.append(line)
        if len(lines) < 3:
            return None
        return CodeItem(self.file, self.start_line, self.start_line + len(lines) - 1, "\n".join(lines))

    def get_next(self, next_step: str, shown: CodeItem, *, is_all: bool) -> str:
        """Return what to ask next: a call that continued after it now continues after what is shown."""
        if not next_step and is_all:
            return f"{_reading(self.file, shown.end_line)}, end_line={self.end_line}) for the rest"
        return next_step.replace(_reading(self.file, self.end_line), _reading(self.file, shown.end_line))


def _reading(file: str, after: int) -> str:
    """Return the beginning of a call that reads a file from after a line."""
    return f"read_code(path={file!r}, start_line={after + 1}"
