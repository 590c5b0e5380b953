"""get_file_symbols: show the outline of a file."""

from __future__ import annotations

from msgspec import Struct

from avionics.model.enums import Certainty
from avionics.model.facts import FileFacts, Symbol
from avionics.model.naming import plural
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import first_sentence
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.path_resolver import require_code_file
from avionics.workspace import Workspace


class OutlineItem(Struct, frozen=True):
    """A definition, indented below the one that contains it; its lines include its decorators."""

    file: str
    line: int
    start_line: int
    end_line: int
    symbol: str
    kind: str
    signature: str
    doc: str
    depth: int

    @classmethod
    def of(cls, file: str, symbol: Symbol, depth: int) -> OutlineItem:
        """Return the item of a symbol."""
        span, signature = symbol.span, symbol.signature or symbol.name
        return cls(
            file, symbol.line, span.start_line, span.end_line, symbol.qualname, symbol.kind.value, signature,
            symbol.doc, depth,
        )  # fmt: skip

    def to_text(self) -> str:
        lines = f"{self.line}-{self.end_line}" if self.end_line > self.line else str(self.line)
        return f"{'  ' * self.depth}{lines} {self.signature}{first_sentence(self.doc)}"


class ProblemItem(Struct, frozen=True):
    """A place in a file that could not be parsed."""

    file: str
    line: int
    message: str

    def to_text(self) -> str:
        return f"{self.file}:{self.line} {self.message}"


class GetFileSymbolsAnswer(Struct, frozen=True):
    """The symbols of a file, in order."""

    path: str
    language: str
    lines: int
    doc: str
    coverage: Coverage
    problems: tuple[ProblemItem, ...] = part("could not be parsed", share=0.5)
    symbols: tuple[OutlineItem, ...] = part("", share=4.0, counts=True)

    def headline(self) -> str:
        size = f"{plural(self.coverage.found, 'symbol')} in {plural(self.lines, 'line')} of {self.language}"
        return f"{self.path}: {size}{first_sentence(self.doc)}"


@tool(ToolId.GET_FILE_SYMBOLS, accepts="a file", returns="its symbols, nested, with their lines and signatures")
def get_file_symbols(workspace: Workspace, path: str) -> GetFileSymbolsAnswer:
    """Outline a file: its classes, functions and variables with their lines.

    Args:
        path: The file, relative to the workspace; a package means its `__init__.py`.
    """
    file = require_code_file(workspace.code, workspace.source, path)
    facts = workspace.code.facts(file)
    return GetFileSymbolsAnswer(
        file,
        facts.language,
        facts.lines,
        facts.doc,
        cover_outline(file, facts),
        list_problems(file, facts),
        list_outline(file, facts),
    )


def cover_outline(path: str, facts: FileFacts) -> Coverage:
    """Return how complete an outline is: a file that could not be parsed whole may define more."""
    count = len(facts.symbols)
    if not facts.problems:
        return Coverage(count, count, settled=True)
    return Coverage(count, count, Certainty.AT_LEAST, reasons=(Reason(ReasonKind.PARSED_IN_PART, subject=path),))


def list_outline(file: str, facts: FileFacts) -> tuple[OutlineItem, ...]:
    """Return the symbols of a file, each with its depth."""
    depths: list[int] = []
    items = []
    for symbol in facts.symbols:
        depths.append(depths[symbol.parent] + 1 if symbol.parent >= 0 else 0)
        items.append(OutlineItem.of(file, symbol, depths[-1]))
    return tuple(items)


def list_problems(file: str, facts: FileFacts) -> tuple[ProblemItem, ...]:
    """Return the places in a file that could not be parsed."""
    return tuple(ProblemItem(file, problem.line, problem.message) for problem in facts.problems)
