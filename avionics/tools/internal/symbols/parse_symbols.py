"""parse_symbols: parse a file as it is now, without the index."""

from __future__ import annotations

from msgspec import Struct

from avionics.index.facts.worker_pool import read_outline
from avionics.model.errors import UsageError
from avionics.model.facts import Import, Symbol
from avionics.model.naming import plural
from avionics.model.results import Coverage
from avionics.syntax.registry import LANGUAGES, get_language
from avionics.tools.answers.answer import part
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.internal.symbols.get_file_symbols import ProblemItem, cover_outline, list_problems
from avionics.workspace import Workspace


class ParsedItem(Struct, frozen=True):
    """A definition; `bases` and `decorators` are as written, `parent` is the name of the enclosing definition."""

    file: str
    line: int
    column: int
    start_line: int
    end_line: int
    symbol: str
    kind: str
    signature: str
    doc: str
    parent: str
    exported: bool
    bases: tuple[str, ...]
    decorators: tuple[str, ...]

    @classmethod
    def of(cls, file: str, symbol: Symbol) -> ParsedItem:
        """Return the item of a symbol."""
        return cls(
            file, symbol.line, symbol.column, symbol.span.start_line, symbol.span.end_line, symbol.qualname,
            symbol.kind.value, symbol.signature, symbol.doc, symbol.qualname.rpartition(".")[0], symbol.exported,
            symbol.bases, symbol.decorators,
        )  # fmt: skip

    def to_text(self) -> str:
        decorators = "".join(f"@{each} " for each in self.decorators)
        private = "" if self.exported else " (private)"
        lines = f"{self.line}-{self.end_line}" if self.end_line > self.line else str(self.line)
        return f"{lines} {self.kind} {self.symbol}{private}  {decorators}{self.signature}"


class ParsedImportItem(Struct, frozen=True):
    """An imported name as written; `level` counts the leading dots, `is_lazy` means within a function."""

    file: str
    line: int
    module: str
    name: str
    alias: str
    level: int
    is_lazy: bool

    @classmethod
    def of(cls, file: str, found: Import) -> ParsedImportItem:
        """Return the item of an import."""
        return cls(file, found.line, found.module, found.name, found.alias, found.level, found.lazy)

    def to_text(self) -> str:
        module = "." * self.level + self.module
        written = f"from {module} import {self.name}" if self.name else f"import {module}"
        bound = self.name or self.module.partition(".")[0]
        alias = f" as {self.alias}" if self.alias and self.alias != bound else ""
        return f"{self.line} {written}{alias}{' (in a function)' if self.is_lazy else ''}"


class ParseSymbolsAnswer(Struct, frozen=True):
    """The outline of a file; `exports` is None if it declares none."""

    path: str
    language: str
    lines: int
    doc: str
    exports: tuple[str, ...] | None
    coverage: Coverage
    problems: tuple[ProblemItem, ...] = part("could not be parsed", share=0.5)
    symbols: tuple[ParsedItem, ...] = part("symbols", share=4.0, counts=True)
    imports: tuple[ParsedImportItem, ...] = part("imports", share=1.0)

    def headline(self) -> str:
        count = f"{plural(self.coverage.found, 'symbol')} in {plural(self.lines, 'line')} of {self.language}"
        named = [each for each in self.exports or () if each != "*"]
        exports = "" if self.exports is None else f"; exports {plural(len(named), 'name')}: {', '.join(named[:20])}"
        computed = " and computed ones" if "*" in (self.exports or ()) else ""
        return f"{self.path}: {count}{exports}{', …' if len(named) > 20 else ''}{computed}"


@tool(ToolId.PARSE_SYMBOLS, accepts="a file", returns="its raw outline: bases, decorators, exports, imports, problems")
def parse_symbols(workspace: Workspace, path: str) -> ParseSymbolsAnswer:
    """Parse a file as it is now and show its raw outline.

    Args:
        path: The file, relative to the workspace; ignored files are allowed.
    """
    file = workspace.source.resolve(path)
    content = workspace.source.read(file)
    language = get_language(file)
    if language is None:
        raise UsageError(f"{file!r} is in an unsupported language", hint=f"supported: {', '.join(LANGUAGES)}")
    facts = read_outline(content, language)
    return ParseSymbolsAnswer(
        file,
        language,
        facts.lines,
        facts.doc,
        facts.exports,
        cover_outline(path, facts),
        list_problems(file, facts),
        tuple(ParsedItem.of(file, symbol) for symbol in facts.symbols),
        tuple(ParsedImportItem.of(file, found) for found in facts.imports),
    )
