"""What a resident server holds after many mixed calls: python tests/bench/bench_memory.py mcp|lsp DIR CALLS [SERVER…]

    python tests/bench/bench_memory.py mcp repos/django 10000
    python tests/bench/bench_memory.py lsp repos/django 2000
    python tests/bench/bench_memory.py lsp repos/django 2000 pyright-langserver --stdio

Over stdio, one call after another. MCP calls ask all exposed tools about names and files of the repository; requests of
the LSP are definitions, references, hovers and outlines. Both are drawn from the text, seeded by the name of DIR, so
that another server of the same language gets the same requests. Prints the resident memory of the server and of the
processes it started, after each tenth of the calls.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench_lsp import iter_names, memory_mb
from language_server import Server

AVIONICS = [sys.executable, "-m", "avionics.cli"]
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
SUFFIXES = {".py", ".go", ".c", ".h", ".ts", ".rs", ".java", ".cc", ".cpp"}
_PARTS = 10
_OPENED_FILES = 20
_METHODS = ("definition", "references", "hover", "documentSymbol")


def find_files(root: Path) -> tuple[str, ...]:
    """Files in a language that is read in depth."""
    found = (path for path in sorted(root.rglob("*")) if path.suffix in SUFFIXES and path.is_file())
    return tuple(str(path.relative_to(root)) for path in found if path.stat().st_size < 200_000)


def iter_calls(root: Path, files: tuple[str, ...], seed: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls of all exposed tools, without end."""
    chance = random.Random(seed)
    for file, line, column in iter_names(root, files, seed):
        text = (root / file).read_text("utf-8", "replace").split("\n")[line - 1]
        name = "".join(letter if letter.isalnum() or letter == "_" else " " for letter in text[column:]).split()[0]
        yield chance.choice(
            [
                ("analyze", {"query": f"who uses {name}?"}),
                ("analyze", {"query": f"where is {name} in {file.rpartition('/')[0] or file}?"}),
                ("locate", {"symbol": name}),
                ("explore_symbol_usage", {"symbol": name}),
                ("map_module", {"path": file}),
                ("trace_entry_point", {"entry": name}),
                ("explain_code_history", {"path": file}),
                ("read_code", {"path": file, "start_line": line, "end_line": line + 40}),
                ("find_related", {"reference": file}),
                ("git_status", {}),
                ("list_tools", {}),
            ]
        )


def run_mcp(root: Path, count: int, files: tuple[str, ...]) -> None:
    """Ask the MCP server."""
    command = [*AVIONICS, "serve", "--repo", str(root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        calls, failed = iter_calls(root, files, root.name), 0

        def ask(identity: int, method: str, params: dict[str, Any]) -> Any:
            assert process.stdin is not None
            assert process.stdout is not None
            message = {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            while (answer := json.loads(process.stdout.readline())).get("id") != identity:
                pass
            return answer

        def call(number: int) -> None:
            nonlocal failed
            name, arguments = next(calls)
            failed += "error" in ask(number + 1, "tools/call", {"name": name, "arguments": arguments})

        ask(0, "initialize", HELLO)
        repeat(call, count, process.pid)
        print(f"{failed} of {count} calls were refused by the protocol")
        process.stdin.close() if process.stdin else None


def run_lsp(root: Path, count: int, files: tuple[str, ...], command: list[str]) -> None:
    """Ask a language server, with the latest files open."""
    server = Server(command, root)
    chance, names, opened = random.Random(root.name), iter_names(root, files, root.name), dict.fromkeys([""])

    def call(_number: int) -> None:
        at = next(names)
        if at[0] not in opened and len(opened) <= _OPENED_FILES:
            opened[at[0]] = None
            server.open(at[0])
        file = at[0] if at[0] in opened else chance.choice(list(opened)[1:])
        position = {"line": at[1] - 1, "character": at[2]} if file == at[0] else {"line": 0, "character": 0}
        method = chance.choice(_METHODS)
        more = {"context": {"includeDeclaration": True}} if method == "references" else {}
        place = {} if method == "documentSymbol" else {"position": position}
        document = {"uri": (root / file).as_uri()}
        server.ask(f"textDocument/{method}", textDocument=document, **place, **more)

    repeat(call, count, server.pid)
    server.close()


def repeat(call: Callable[[int], None], count: int, pid: int) -> None:
    """Run the calls, and print what the server holds."""
    started, highest = time.perf_counter(), 0.0
    for number in range(count):
        call(number)
        if (number + 1) % max(1, count // _PARTS) == 0:
            held = memory_mb(pid)
            highest = max(highest, held)
            print(f"{number + 1:6} calls {time.perf_counter() - started:6.0f} s {held:6.0f} MB", flush=True)
    print(f"highest {highest:.0f} MB")


def main() -> None:
    if len(sys.argv) < 4 or sys.argv[1] not in {"mcp", "lsp"}:
        sys.exit(__doc__)
    root, count = Path(sys.argv[2]).resolve(), int(sys.argv[3])
    files = find_files(root)
    if sys.argv[1] == "mcp":
        run_mcp(root, count, files)
    else:
        run_lsp(root, count, files, sys.argv[4:] or [*AVIONICS, "lsp"])


if __name__ == "__main__":
    main()
