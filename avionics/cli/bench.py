"""`avionics bench`: speed and certainty on the user's own repository, beside the tools that are installed."""

from __future__ import annotations

import re
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct, structs

from avionics.cli import text
from avionics.cli.options import directory_argument, examples, json_option
from avionics.cli.output.exit_codes import ANSWERED
from avionics.cli.output.session import read_settings
from avionics.model.enums import Certainty, SymbolKind
from avionics.model.naming import plural

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.model.knowledge import Definition
    from avionics.workspace import Workspace

_SECONDS = 300.0
_KEPT_CHARACTERS = 100_000
_RIPGREP = ("rg", "--no-config", "--word-regexp", "--fixed-strings")


class BenchRow(Struct, frozen=True):
    """The time of a task here and in another program, both without starting a process.

    Attributes:
        milliseconds: The median time.
        worst: The longest time.
        other: The other program; "" if none is installed.
        other_milliseconds: Its median time.
    """

    task: str
    milliseconds: float
    worst: float
    other: str = ""
    other_milliseconds: float = 0.0

    @property
    def ratio(self) -> float:
        """Return our time divided by the other program's; 0 without one."""
        return self.milliseconds / max(self.other_milliseconds, 1.0) if self.other else 0.0

    def to_text(self) -> str:
        own = f"{self.task:28} {self.milliseconds:9.1f} ms  worst {self.worst:9.1f} ms"
        return f"{own}   {self.other} {self.other_milliseconds:9.1f} ms  {self.ratio:6.2f} ×" if self.other else own


class Ledgers(Struct, frozen=True):
    """How certain the answers about some symbols are.

    Attributes:
        exact: How many have an exact count of usages.
        adding_up: For how many every mention is in exactly one class.
        same_as_search: How many have as many mentions as a word search finds.
        searched: How many were compared with one.
    """

    symbols: int
    exact: int
    adding_up: int
    same_as_search: int
    searched: int


@click.command("bench", epilog=examples("avionics bench", "avionics bench ../flask --symbols 50 --json"))
@directory_argument
@click.option(
    "--symbols", type=click.IntRange(min=1), default=20, show_default=True, help="How many symbols to ask about."
)
@json_option
def bench_command(repo: Path, symbols: int, as_json: bool) -> int:
    """Measure avionics on a repository, beside rg and ctags.

    Programs that are not installed are left out; slower tasks come first. Asks about symbols that are spread evenly
    over the definitions of product code. Stores nothing.
    """
    rows, ledgers = measure(repo, symbols)
    rows.sort(key=lambda row: -row.ratio)
    if as_json:
        text.show_json({"rows": [structs.asdict(row) for row in rows], "ledgers": structs.asdict(ledgers)})
        return ANSWERED
    text.show_text("\n".join(row.to_text() for row in rows))
    compared = f"; {ledgers.same_as_search} of {ledgers.searched} with as many as rg finds" if ledgers.searched else ""
    text.show_text(
        f"{plural(ledgers.symbols, 'symbol')}: {ledgers.exact} with an exact count of usages; "
        f"{ledgers.adding_up} with each mention in exactly one class{compared}"
    )
    missing = [name for name in ("rg", "ctags") if not any(name in row.other for row in rows)]
    if missing:
        text.show_text(f"not compared, because not installed: {', '.join(missing)}")
    text.show_text("rg finds words and ctags definitions, where avionics resolves usages; language servers are not run")
    return ANSWERED


def measure(directory: Path, count: int) -> tuple[list[BenchRow], Ledgers]:
    """Return the times of some tasks, and how certain the answers are."""
    from avionics.workspace import Workspace

    with tempfile.TemporaryDirectory() as cache:
        settings = structs.replace(read_settings(), cache_directory=Path(cache))
        with Workspace.open(directory, settings) as workspace:
            started = time.perf_counter()
            workspace.index()
            indexed = (time.perf_counter() - started) * 1000
            code = workspace.code
            chosen = choose_symbols(code, count)
            names = [definition.symbol.name for definition in chosen]
            others = _OtherPrograms(workspace)
            rows = [
                BenchRow("index, nothing stored", indexed, indexed, *others.tags()),
                _measure_row("definitions of a name", [partial(code.find_definitions, name) for name in names]),
                _measure_row(
                    "usages of a symbol", [partial(code.usages, each) for each in chosen], others.words(names)
                ),
                _measure_row(
                    "text search for a name", [partial(_search, workspace, name) for name in names], others.words(names)
                ),
            ]
            return rows, _check_ledgers(code, chosen, others)


def choose_symbols(code: CodeIndex, count: int) -> list[Definition]:
    """Return definitions spread evenly over the product's functions, methods and classes."""
    from avionics.index.model.file_roles import FileRole, role_of

    kinds = {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS}
    names = [
        (symbol.name, file, symbol.line)
        for file in code.files
        if role_of(file) is FileRole.PRODUCT
        for symbol in code.facts(file).symbols
        if symbol.kind in kinds and re.fullmatch(r"\w+", symbol.name)
    ]
    step = max(1, len(names) // count)
    found = (code.find_definitions(name, file=file, line=line) for name, file, line in names[::step][:count])
    return [definitions[0] for definitions in found if definitions]


def _measure_row(task: str, calls: Iterable[Callable[[], object]], other: tuple[str, float] = ("", 0.0)) -> BenchRow:
    """Return the median and the longest time of some calls."""
    times = []
    for call in calls:
        started = time.perf_counter()
        call()
        times.append((time.perf_counter() - started) * 1000)
    return BenchRow(task, statistics.median(times or [0.0]), max(times, default=0.0), *other)


def _search(workspace: Workspace, name: str) -> object:
    code = workspace.code
    return workspace.source.search(rf"\b{name}\b", paths=code.paths, narrow=code.narrow)


def _check_ledgers(code: CodeIndex, chosen: list[Definition], others: _OtherPrograms) -> Ledgers:
    """Return how many answers are exact, add up, and agree with a word search."""
    counts: Counter[str] = Counter()
    for definition in chosen:
        report = code.usages(definition)
        ledger = report.ledger
        counts["exact"] += report.certainty is Certainty.EXACT
        if ledger is None:
            continue
        counts["adds"] += ledger.adds_up
        found = others.count_word(definition.symbol.name)
        counts["searched"] += found is not None
        counts["same"] += found == ledger.mentions
    return Ledgers(len(chosen), counts["exact"], counts["adds"], counts["same"], counts["searched"])


class _OtherPrograms:
    """The other programs, each run without network in a sandbox; the times are those that they report themselves."""

    def __init__(self, workspace: Workspace) -> None:
        self._root = workspace.root
        self._directories = workspace.settings.program_directories

    def words(self, names: list[str]) -> tuple[str, float]:
        """Return the median time in which rg finds a word."""
        if not self._has_program("rg"):
            return "", 0.0
        outputs = (self._run(*_RIPGREP, "--line-number", "--stats", "-e", name) for name in names)
        return "rg --word-regexp", statistics.median([_read_last_seconds(each) * 1000 for each in outputs] or [0.0])

    def tags(self) -> tuple[str, float]:
        """Return the time in which ctags finds all definitions."""
        if not self._has_program("ctags"):
            return "", 0.0
        totals = re.search(r"\((\d+) kB\) .*\((\d+) kB/s\)", self._run("ctags", "--totals=yes", "-R", "-f", "-", "."))
        return ("ctags -R", int(totals[1]) / max(1, int(totals[2])) * 1000) if totals else ("", 0.0)

    def count_word(self, name: str) -> int | None:
        """Return how often rg finds a word; None without rg."""
        if not self._has_program("rg"):
            return None
        lines = self._run(*_RIPGREP, "--count-matches", "--no-filename", "--hidden", "-e", name).split()
        return sum(map(int, filter(str.isdigit, lines)))

    def _has_program(self, program: str) -> bool:
        """Return whether a program is installed."""
        return any((directory / program).is_file() for directory in self._directories)

    def _run(self, *command: str) -> str:
        """Return what a program prints, its standard error last."""
        from avionics.sandbox.confinement import ConfinedProgram, run_confined

        done = run_confined(
            ConfinedProgram(
                command,
                self._root,
                timeout_seconds=_SECONDS,
                readable=(self._root,),
                program_directories=self._directories,
            )
        )
        return f"{done.stdout[-_KEPT_CHARACTERS:]}\n{done.stderr}"


def _read_last_seconds(output: str) -> float:
    """Return the last time that a program reports."""
    return float((re.findall(r"(\d+\.\d+) seconds", output) or ["0"])[-1])
