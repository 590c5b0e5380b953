"""How long every tool takes on every package of real repositories, warm: worst and 99th percentile.

    python tests/bench/bench_sweep.py CHECKOUT… [--tools map_module …] [--every 1] [--slow 2] [--cache DIRECTORY]
    python tests/bench/bench_sweep.py CHECKOUT… --seconds 300 --part 1/4 --save FILE    # in pieces
    python tests/bench/bench_sweep.py --read FILE                                       # what they found

A package is a directory with code files directly in it. Tools that take a path are asked about each package and
the largest file of it; tools that take a symbol about the longest function and the largest class of that file;
tools that compare revisions about the last commits. Calls take the whole pipeline in one process, after `index`.
A call that ends at its limit with a partial answer is counted, and marked. `cpu` is processor time, for busy machines.
The calls are shuffled with a fixed seed, so that a part of them, or those made in the given seconds, are a sample.

The floor, measured in the same run: the time to compile a fixed Python file 20 times, so that a loaded machine shows.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import random
import resource
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import attrs

from avionics.index.model.file_roles import FileRole, role_of
from avionics.model.enums import SymbolKind, is_class
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
    """One call: what was asked, how long it took, the processor time meanwhile, and how it ended."""

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
    started, worked = time.perf_counter(), _processor_time()
    result = executor.run(call, context)
    seconds, processor = time.perf_counter() - started, _processor_time() - worked
    status = result.status.value
    subject = " ".join(str(value) for value in call.arguments.values())
    return Timing(call.name, subject, seconds, processor, status, result.error or "")


def _processor_time() -> float:
    """Return the processor time of this process, and of those that it started and that have ended, as git."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def measure_floor() -> float:
    """Return how long a fixed piece of work takes on this machine now."""
    text = Path(argparse.__file__).read_text()
    started = time.perf_counter()
    for _ in range(20):
        compile(text, "argparse.py", "exec")
    return time.perf_counter() - started


def report(timings: list[Timing], slow: float) -> None:
    """Print worst, 99th percentile and median per tool, and the slow calls."""
    if not timings:
        return
    by_tool: dict[str, list[Timing]] = defaultdict(list)
    for timing in timings:
        by_tool[timing.tool].append(timing)
    heads = "".join(f" {each:>8}" for each in ("median", "p99", "worst", "cpu p99", "worst"))
    print(f"{'tool':24} {'calls':>6}{heads}  partial errors  slowest")
    for tool, group in sorted(by_tool.items(), key=lambda item: -max(t.seconds for t in item[1])):
        _print_row(tool, group)
    _print_row("all", timings)
    for timing in sorted(timings, key=lambda each: -each.processor):
        if timing.processor >= slow:
            ended = f"[{timing.status}] {timing.detail[:80]}"
            print(f"{timing.processor:7.2f} s of {timing.seconds:6.2f}  {timing.tool} {timing.subject}  {ended}")


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


def sweep(root: Path, cache: Path, given: argparse.Namespace) -> tuple[list[Timing], int]:
    """Time the calls of one repository, and return how many there are."""
    settings = Settings(cache_directory=cache)
    executor = ToolExecutor(tool_catalog, settings=settings)
    timings: list[Timing] = []
    with Workspace.open(root, settings) as workspace:
        workspace.index()
        workspace.watch()
        calls = [call for call in iter_calls(workspace, given.every) if not given.tools or call.name in given.tools]
        random.Random(1).shuffle(calls)
        part, parts = map(int, given.part.split("/"))
        gc.collect()
        ending = time.perf_counter() + given.seconds
        for call in calls[part - 1 :: parts]:
            if time.perf_counter() > ending:
                break
            timing = time_call(executor, workspace, call)
            timings.append(attrs.evolve(timing, subject=f"{root.name}: {timing.subject}"))
            if given.save:
                with given.save.open("a") as file:
                    file.write(json.dumps(attrs.astuple(timings[-1])) + "\n")
    return timings, len(calls)


def main() -> None:
    """Sweep the repositories."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("roots", nargs="*", type=Path)
    parser.add_argument("--tools", nargs="*", default=[])
    parser.add_argument("--every", type=int, default=1, help="only every n-th package")
    parser.add_argument(
        "--slow", type=float, default=2.0, help="list calls from this many seconds of processor time on"
    )
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--seconds", type=float, default=math.inf, help="the most for the calls of one repository")
    parser.add_argument("--part", default="1/1", help="which part of the calls, of how many")
    parser.add_argument("--save", type=Path, help="append each timing to a file")
    parser.add_argument("--read", type=Path, help="only report the timings in a file")
    given = parser.parse_args()
    if given.read:
        report([Timing(*json.loads(line)) for line in given.read.read_text().splitlines()], given.slow)
        return
    with tempfile.TemporaryDirectory() as scratch:
        timings = []
        for root in given.roots:
            floor = measure_floor()
            found, total = sweep(root.resolve(), given.cache or Path(scratch), given)
            taken = sum(t.seconds for t in found)
            print(f"\n{root.name}: {len(found)} of {total} calls in {taken:.0f} s; floor {floor:.2f} s", flush=True)
            report(found, given.slow)
            timings += found
    if len(given.roots) > 1:
        print("\nall repositories")
        report(timings, given.slow)


if __name__ == "__main__":
    main()
