"""`avionics map`: a repository or a part of it as text within a budget, or as a picture."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import click
from msgspec import Struct

from avionics.cli import text
from avionics.cli.architecture.pictures import draw_map, link_option
from avionics.cli.indexing import Bar
from avionics.cli.input.values import write_command
from avionics.cli.options import (
    budget_option,
    examples,
    json_option,
    no_ignore_option,
    output_option,
    repo_option,
    revision_option,
    timeout_option,
)
from avionics.cli.output.session import open_workspace, read_settings, release
from avionics.cli.running import call_tool
from avionics.cli.shell.values import suggest_values
from avionics.model import ToolResult, UsageError
from avionics.model.naming import plural
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage, NextStep
from avionics.tools.answers.answer import part, shorten
from avionics.tools.answers.items import first_sentence
from avionics.tools.ids import ToolId

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex

_MAX_SYMBOLS = 5_000
_MAX_IN_FILE, _MIN_IN_FILE = 8, 2
"""The maximum number of symbols listed of one file, and the number if no other file uses any."""
_SIGNATURE_CHARACTERS = 100


class MappedSymbolItem(Struct, frozen=True):
    """A symbol of the map, listed under its file: its line, its declaration, and how many files use it."""

    file: str
    line: int
    symbol: str
    kind: str
    signature: str
    files: int
    title: str

    OMITTED: ClassVar[frozenset[str]] = frozenset({"title"})

    def heading(self) -> str:
        return self.title

    def to_text(self) -> str:
        used = f"  [{plural(self.files, 'file')}]" if self.files else ""
        return f"  {self.line} {self.signature}{used}"


class RepositoryMapAnswer(Struct, frozen=True):
    """The most used symbols of a repository, below their files."""

    name: str
    files: int
    coverage: Coverage
    symbols: tuple[MappedSymbolItem, ...] = part("")

    def headline(self) -> str:
        size = plural(self.files, "source file")
        return f"{self.name}: {size}; most used definitions first, with the number of files that import or name them"


@click.command(
    "map",
    epilog=examples("avionics map --budget 2000", "avionics map shop", "avionics map --format page -o map.html")
    + "\n\nWith --format or --output it is a picture, else text.",
)
@click.argument("path", required=False, metavar="[PATH]", shell_complete=suggest_values)
@click.option("--format", "form", type=click.Choice(["text", "svg", "mermaid", "page"]),
              help="The output format.  [default: text; svg with --output]")  # fmt: skip
@output_option
@link_option
@timeout_option
@budget_option
@json_option
@no_ignore_option
@revision_option
@repo_option
def map_command(
    path: str | None, form: str | None, output: Path | None, link: str, timeout: float | None, budget: int | None,
    as_json: bool, rev: str | None, repo: Path,
) -> int:  # fmt: skip
    """Show what a repository, or PATH in it, consists of.

    Of a repository, lists the most used definitions of each file; of PATH, what it contains, exports and imports.
    """
    chosen = form or ("svg" if output else "text")
    if chosen != "text":
        if path is not None:
            raise UsageError(
                "a picture shows the whole repository", hint="leave out the path, or --format and --output"
            )
        return draw_map(repo, rev, chosen, link, output)
    limit = 0 if budget is None and as_json else budget
    if path is not None:
        arguments = {"path": path} | ({} if rev is None else {"rev": rev})
        return text.show(call_tool(ToolId.MAP_MODULE.value, arguments, repo, limit, timeout), as_json, repo)
    return text.show(map_repository(repo, rev, limit), as_json, repo)


def map_repository(repo: Path, rev: str | None, budget: int | None) -> ToolResult:
    """Return the map of a repository, cut to a budget."""
    from avionics.tools.execution.ignored_notice import name_ignored
    from avionics.tools.execution.result_builder import ResultOptions, build_result

    def write_next(step: NextStep) -> str:
        words = ["avionics", "map", "--budget", str(step.arguments.get("budget", 0))]
        return f"{write_command([*words, *(() if rev is None else ('--rev', rev))], repo)} {step.purpose}"

    settings = read_settings()
    opened = open_workspace(repo, settings)
    with ExitStack() as left:
        left.callback(release, opened)
        workspace = opened if rev is None else opened.at(rev)
        with Bar() as bar:
            # A map needs the words of every file, which only a complete index has.
            workspace.index(bar.show)
        with workspace.pinned_index():
            answer = build_map(workspace.code, opened.root.name)
        limit = settings.default_budget_tokens if budget is None else budget
        options = ResultOptions(limit, shows_secrets=settings.show_secrets, write=write_next)
        return name_ignored(build_result(answer, options), workspace)


def build_map(code: CodeIndex, name: str) -> RepositoryMapAnswer:
    """Return the most used symbols by file; the file whose symbols are used most comes first."""
    from avionics.index.architecture.repository_map import rank_symbols

    shown: Counter[str] = Counter()
    ranked = []
    for each in rank_symbols(code, _MAX_SYMBOLS):
        shown[each.file] += 1
        if shown[each.file] <= (_MAX_IN_FILE if each.files else _MIN_IN_FILE):
            ranked.append(each)
    order = {file: at for at, file in enumerate(dict.fromkeys(each.file for each in ranked))}
    items = tuple(
        MappedSymbolItem(
            each.file, each.symbol.line, each.symbol.qualname, each.symbol.kind.value,
            shorten(each.symbol.signature, _SIGNATURE_CHARACTERS) or each.symbol.name, each.files,
            f"{each.file}{first_sentence(code.facts(each.file).doc)}",
        )
        for each in sorted(ranked, key=lambda each: (order[each.file], -each.files, each.symbol.line))
    )  # fmt: skip
    found = sum(shown.values())
    reasons = (Reason(ReasonKind.ITEMS_LEFT_OUT, found - len(items)),) if found > len(items) else ()
    return RepositoryMapAnswer(name, len(code.files), Coverage(found, len(items), reasons=reasons), items)
