"""What the protocol adds to a tool, and how soon a cold server answers; with --suites also the official suites.

    python tests/bench/bench_mcp.py DIR [--suites NODE_MODULES]

NODE_MODULES is where `npm i node@22 @modelcontextprotocol/conformance @modelcontextprotocol/inspector` put them.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

from mcp import Client, StdioServerParameters

from avionics.settings import Settings
from avionics.tools.executor import ToolExecutor
from avionics.workspace import Workspace
from protocols import ToolCall, ToolContext

ROOT = Path(__file__).resolve().parents[2]
QUESTION = ("locate", {"symbol": "main"})
CALLS = 200
SCENARIOS = (
    "server-initialize", "ping", "tools-list", "resources-list", "prompts-list",
    "server-sse-multiple-streams", "dns-rebinding-protection",
)  # fmt: skip
"""Those of the conformance suite that need no tools of their own."""


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


async def time_client(parameters: StdioServerParameters) -> tuple[float, float, float]:
    """Seconds to the first answer, the median of later ones, and seconds for 32 at once."""
    started = time.perf_counter()
    async with Client(parameters) as client:
        await client.call_tool(*QUESTION)
        first = time.perf_counter() - started
        taken = []
        for _ in range(CALLS):
            begun = time.perf_counter()
            await client.call_tool(*QUESTION)
            taken.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        await asyncio.gather(*(client.call_tool(*QUESTION) for _ in range(32)))
        return first, statistics.median(taken), time.perf_counter() - begun


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


def run_suites(directory: Path, modules: Path) -> None:
    """The official conformance suite and Inspector against a server over HTTP and stdio."""
    server = [sys.executable, "-m", "avionics.cli", "serve", "--repo", str(directory)]
    programs = modules / ".bin"
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    with subprocess.Popen(
        [*server, "--transport", "http", "--port", "0"], cwd=ROOT, stderr=subprocess.PIPE, text=True
    ) as process:
        url = process.stderr.readline().split()[-1]
        for scenario in SCENARIOS:
            command = [programs / "conformance", "server", "--url", url, "--scenario", scenario]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            passed = re.search(r"Passed: .*", done.stdout + done.stderr)
            print(f"conformance {scenario}: {passed[0] if passed else done.stdout[-300:] + done.stderr[-300:]}")
        process.terminate()
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
        command = [programs / "mcp-inspector", "--cli", *server, "--method", method]
        command += ["--strict"] if method == "tools/list" else []
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        print(f"inspector {method}: exit {done.returncode} {done.stderr.strip()[:200]}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("--suites", type=Path)
    asked = parser.parse_args()
    floor = time_tool(asked.directory)
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "avionics.cli", "serve", "--repo", str(asked.directory)],
        cwd=ROOT,
        env=dict(os.environ),
    )
    first, warm, together = asyncio.run(time_client(parameters))
    print(f"first answer of a cold server, warm index: {milliseconds(first)} (budget 1000 ms)")
    print(f"the tool alone {milliseconds(floor)}, through the protocol {milliseconds(warm)}: "
          f"{milliseconds(warm - floor)} more (budget 5 ms)")  # fmt: skip
    print(f"32 at once: {milliseconds(together)}")
    if asked.suites:
        run_suites(asked.directory.resolve(), asked.suites.resolve())


if __name__ == "__main__":
    main()
