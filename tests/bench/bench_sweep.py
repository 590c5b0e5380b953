"""How long every tool takes on every package of real repositories, warm: worst and 99th percentile.

    python tests/bench/bench_sweep.py CHECKOUT… [--tools map_module …] [--every 1] [--slow 2] [--cache DIRECTORY]

A package is a directory with code files directly in it. Tools that take a path are asked about each package and
the largest file of it; tools that take a symbol about the longest function and the largest class of that file;
tools that compare revisions about the last commits. Calls take the whole pipeline in one process, after `index`.
A call that ends at its limit with a partial answer is counted, and marked. `cpu` is processor time, for busy machines.

The floor, measured in the same run: the time to compile a fixed Python file 20 times, so that a loaded machine shows.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import attrs

from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.scopes.name_resolver import is_class
from avionics.model.enums import SymbolKind
from avionics.model.tools import Caller, ToolCall, ToolContext
from avionics.settings import Settings
from avionics.tools import tool_catalog
from avionics.tools.executor import ToolExecutor
from avionics.workspace import Workspace

BY_PATH = {
    "map_module": "path",
    "find_unused": "scope",
    "get_importers": "path",
    "get_dependents": "path",
    "get_dependencies": "path",
    "get_file_symbols": "path",
    "find_similar_files": "path",
    "find_related": "reference",
    "trace_entry_point": "entry",
    "read_code": "path",
    "git_log": "path",
    "explain_code_history": "path",
    "tree_structure": "path",
}
FOR_FILES = {
    "get_importers", "get_dependents", "get_dependencies", "get_file_symbols", "find_similar_files", "read_code"
}  # fmt: skip
BY_SYMBOL = {
    "locate": "symbol",
    "explore_symbol_usage": "symbol",
    "find_references": "symbol",
    "find_related": "reference",
    "trace_entry_point": "entry",
    "search_code": "query",
}
QUESTIONS = ("who calls {}", "what breaks if {} changes", "tests for {}", "how does {} work", "where is {} handled")
REVISIONS = (
    "compare_revisions", "impact_of_change", "tests_for_change", "check_change"
)  # fmt: skip
_FUNCTIONS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})


@attrs.frozen
class Timing:
    """One call: what was asked, how long it took, the processor time of this process meanwhile, and how it ended."""

    tool: str
    subject: str
    seconds: float
    processor: float
    status: str
    detail: str


def iter_calls(workspace: Workspace, every: int) -> Iterator[ToolCall]:
    """Yield the calls of a repository."""
    code = workspace.code
    packages: dict[str, list[str]] = defaultdict(list)
    for file in code.files:
        packages[file.rpartition("/")[0] or "."].append(file)
    for package in sorted(packages)[::every]:
        files = packages[package]
        largest = max(files, key=lambda file: (code.facts(file).lines, file))
        for tool, parameter in BY_PATH.items():
            for place in (largest,) if tool in FOR_FILES else (package, largest):
                yield ToolCall(tool, {parameter: place})
        for symbol in _list_symbols(workspace, largest):
            for tool, parameter in BY_SYMBOL.items():
                yield ToolCall(tool, {parameter: symbol})
            for question in QUESTIONS:
                yield ToolCall("analyze", {"query": question.format(symbol)})
    for tool in REVISIONS:
        for base in ("HEAD~1", "HEAD~5", "HEAD~20"):
            if _has_revision(workspace, base):
                yield ToolCall(tool, {"base": base})
    yield ToolCall("find_unused", {})
    yield ToolCall("map_module", {"path": "."})
    yield ToolCall("trace_entry_point", {"entry": "list"})
    yield ToolCall("git_status", {})
    yield ToolCall("get_project_tree", {})


def _list_symbols(workspace: Workspace, file: str) -> list[str]:
    """Return the longest function and the largest class of a file."""
    if role_of(file) is FileRole.TEST:
        return []
    symbols = workspace.code.facts(file).symbols
    groups = ([s for s in symbols if s.kind in _FUNCTIONS], [s for s in symbols if is_class(s.kind)])
    longest = [max(group, key=lambda s: s.span.end_line - s.span.start_line) for group in groups if group]
    return [symbol.qualname for symbol in longest]


def _has_revision(workspace: Workspace, revision: str) -> bool:
    try:
        workspace.history.require_commit(revision)
    except Exception:
        return False
    return True


def time_call(executor: ToolExecutor, workspace: Workspace, call: ToolCall) -> Timing:
    """Run one call through the whole pipeline."""
    context = ToolContext(Caller("bench"), workspace)
    started, worked = time.perf_counter(), time.process_time()
    result = executor.run(call, context)
    seconds, processor = time.perf_counter() - started, time.process_time() - worked
    status = result.status.value
    subject = " ".join(str(value) for value in call.arguments.values())
    return Timing(call.name, subject, seconds, processor, status, result.error or "")


def measure_floor() -> float:
    """Return how long a fixed piece of work takes on this machine now."""
    text = Path(argparse.__file__).read_text()
    started = time.perf_counter()
    for _ in range(20):
        compile(text, "argparse.py", "exec")
    return time.perf_counter() - started


def report(timings: list[Timing], slow: float) -> None:
    """Print worst, 99th percentile and median per tool, and the slow calls."""
    by_tool: dict[str, list[Timing]] = defaultdict(list)
    for timing in timings:
        by_tool[timing.tool].append(timing)
    heads = "".join(f" {each:>8}" for each in ("median", "p99", "worst", "cpu p99", "worst"))
    print(f"{'tool':24} {'calls':>6}{heads}  partial errors  slowest")
    for tool, group in sorted(by_tool.items(), key=lambda item: -max(t.seconds for t in item[1])):
        _print_row(tool, group)
    _print_row("all", timings)
    for timing in sorted(timings, key=lambda each: -each.seconds):
        if timing.seconds >= slow:
            print(f"{timing.seconds:7.2f} s  {timing.tool} {timing.subject}  [{timing.status}] {timing.detail[:80]}")


def _print_row(tool: str, group: list[Timing]) -> None:
    seconds = sorted(timing.seconds for timing in group)
    worst = max(group, key=lambda timing: timing.seconds)
    p99 = seconds[min(len(seconds) - 1, int(len(seconds) * 0.99))]
    processor = sorted(timing.processor for timing in group)
    cpu99 = processor[min(len(processor) - 1, int(len(processor) * 0.99))]
    partial = sum(timing.status == "partial" for timing in group)
    errors = sum(timing.status == "error" for timing in group)
    figures = "".join(f" {each:8.3f}" for each in (statistics.median(seconds), p99, seconds[-1], cpu99, processor[-1]))
    print(f"{tool:24} {len(group):6}{figures}  {partial:7} {errors:6}  {worst.subject[:60]}")


def sweep(root: Path, cache: Path, tools: list[str], every: int) -> list[Timing]:
    """Time the calls of one repository."""
    settings = Settings(cache_directory=cache)
    executor = ToolExecutor(tool_catalog, settings=settings)
    timings = []
    with Workspace.open(root, settings) as workspace:
        workspace.index()
        workspace.watch()
        calls = [call for call in iter_calls(workspace, every) if not tools or call.name in tools]
        gc.collect()
        for call in calls:
            timing = time_call(executor, workspace, call)
            timings.append(attrs.evolve(timing, subject=f"{root.name}: {timing.subject}"))
    return timings


def main() -> None:
    """Sweep the repositories."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("roots", nargs="+", type=Path)
    parser.add_argument("--tools", nargs="*", default=[])
    parser.add_argument("--every", type=int, default=1, help="only every n-th package")
    parser.add_argument("--slow", type=float, default=2.0, help="list calls from this many seconds on")
    parser.add_argument("--cache", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        timings = []
        for root in given.roots:
            floor = measure_floor()
            found = sweep(root.resolve(), given.cache or Path(scratch), given.tools, given.every)
            print(f"\n{root.name}: {len(found)} calls in {sum(t.seconds for t in found):.0f} s; floor {floor:.2f} s")
            report(found, given.slow)
            timings += found
    if len(given.roots) > 1:
        print("\nall repositories")
        report(timings, 4 * given.slow)


if __name__ == "__main__":
    main()
