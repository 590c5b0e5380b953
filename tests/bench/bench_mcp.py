"""What the protocol adds to a tool, how soon a cold server answers, and what calls leave behind.

python tests/bench/bench_mcp.py DIR
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import time
from pathlib import Path

from mcp import Client, StdioServerParameters

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from avionics.model import ToolCall, ToolContext
from avionics.settings import Settings
from avionics.tools.executor import ToolExecutor
from avionics.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
QUESTION = ("locate", {"symbol": "main"})
CALLS = 200
FIRSTS = 5


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


async def time_first(parameters: StdioServerParameters) -> float:
    """Seconds from nothing to the first answer."""
    started = time.perf_counter()
    async with Client(parameters) as client:
        await client.call_tool(*QUESTION)
        return time.perf_counter() - started


async def time_client(parameters: StdioServerParameters) -> tuple[float, float, tuple[int, int, int]]:
    """The median of calls one after another, seconds for 32 at once, and what grew: descriptors, threads, kilobytes."""
    async with Client(parameters) as client:
        for _ in range(3):
            await asyncio.gather(*(client.call_tool(*QUESTION) for _ in range(32)))
        before = held_by_children()
        taken = []
        for _ in range(CALLS):
            begun = time.perf_counter()
            await client.call_tool(*QUESTION)
            taken.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        await asyncio.gather(*(client.call_tool(*QUESTION) for _ in range(32)))
        together = time.perf_counter() - begun
        grown = tuple(after - was for after, was in zip(held_by_children(), before, strict=True))
        return statistics.median(taken), together, grown


def held_by_children() -> tuple[int, int, int]:
    """Descriptors, threads and resident kilobytes of the processes this one started; zeros where there is no /proc."""
    found = [0, 0, 0]
    for listing in Path("/proc/self/task").glob("*/children"):
        for child in listing.read_text().split():
            place = Path(f"/proc/{child}")
            found[0] += len(os.listdir(place / "fd"))
            found[1] += len(os.listdir(place / "task"))
            found[2] += int((place / "status").read_text().partition("VmRSS:")[2].split()[0])
    return found[0], found[1], found[2]


def time_tool(directory: Path) -> float:
    """The median of the same calls without the protocol."""
    settings = Settings.from_environment()
    executor = ToolExecutor(settings=settings)

    async def ask(workspace: Workspace) -> float:
        taken = []
        for _ in range(CALLS):
            begun = time.perf_counter()
            await executor.execute(ToolCall(*QUESTION), ToolContext(workspace=workspace))
            taken.append(time.perf_counter() - begun)
        return statistics.median(taken)

    with Workspace.open(directory, settings) as workspace:
        workspace.index()
        return asyncio.run(ask(workspace))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    asked = parser.parse_args()
    floor = time_tool(asked.directory)
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "avionics.cli", "serve", "--repo", str(asked.directory)],
        cwd=ROOT,
        env=dict(os.environ),
    )
    firsts = sorted(asyncio.run(time_first(parameters)) for _ in range(FIRSTS))
    warm, together, grown = asyncio.run(time_client(parameters))
    print(
        f"first answer of a cold server, warm index: median {milliseconds(statistics.median(firsts))}, "
        f"best {milliseconds(firsts[0])} (budget 1000 ms)"
    )
    print(f"the tool alone {milliseconds(floor)}, through the protocol {milliseconds(warm)}: "
          f"{milliseconds(warm - floor)} more (budget 5 ms)")  # fmt: skip
    print(f"32 at once: {milliseconds(together)}")
    print(
        f"after {CALLS} calls in a row and 32 at once: {grown[0]:+} descriptors, {grown[1]:+} threads, {grown[2]:+} kB"
    )


if __name__ == "__main__":
    main()
