"""Ask an installed avionics about a small repository.

    python .ci/smoke.py [--mcp]

It runs in the environment to check, needs nothing but the installed package, and fails if the package lies in a
checkout. With --mcp it also starts the MCP server, which needs the extra `mcp`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

FILES = {
    "shop/cart.py": "class Cart:\n    def add(self, item):\n        return item\n",
    "shop/app.py": "from shop.cart import Cart\n\n\ndef main():\n    return Cart().add(1)\n",
    "web/app.ts": 'import { total } from "./sum";\nexport const shown = total([1]);\n',
    "web/sum.ts": "export function total(all: number[]): number { return all.length; }\n",
    "go/main.go": "package main\n\nfunc helper() int { return 1 }\n\nfunc main() { helper() }\n",
}
ASKED = (
    (["--version"], "avionics "),
    (["index"], "5 source files"),
    (["ask", "who uses Cart.add?"], "shop/app.py:5"),
    (["run", "locate", "--param", "symbol=helper"], "go/main.go:3"),
    (["run", "explore_symbol_usage", "--param", "symbol=total"], "web/app.ts:2"),
    (["run", "read_code", "--param", "path=shop/cart.py"], "class Cart"),
    (["run", "grep_search", "--param", "pattern=all.length"], "web/sum.ts:1"),
    (["tools"], "explore_symbol_usage"),
    (["status"], "5"),
)


def main() -> None:
    """Print one line a check; end with an error at the first that fails."""
    import avionics
    import protocols

    for package in (avionics, protocols):
        home = Path(package.__file__ or "").parent
        assert "site-packages" in home.parts, f"{home} is not an installed package"
        assert (home / "py.typed").is_file(), f"{home} has no type marker"
    with tempfile.TemporaryDirectory() as made:
        root, cache = Path(made, "repository"), Path(made, "cache")
        for name, text in FILES.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        environment = {**os.environ, "AVIONICS_CACHE_DIR": str(cache)}
        for arguments, expected in ASKED:
            done = subprocess.run(
                [sys.executable, "-I", "-m", "avionics.cli", *arguments], cwd=root, env=environment,
                capture_output=True, text=True, encoding="utf-8", check=False,
            )  # fmt: skip
            assert done.returncode == 0, f"{arguments}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
            assert expected in done.stdout, f"{arguments}: no {expected!r} in\n{done.stdout}"
            assert "Traceback" not in done.stderr, done.stderr
            print("ok", *arguments)
        if "--mcp" in sys.argv:
            serve(root, environment)
    print(f"avionics {avionics.__version__} works on Python {sys.version.split()[0]}")


def serve(root: Path, environment: dict[str, str]) -> None:
    """Ask the MCP server one question."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "smoke", "version": "1"}}
    messages = (
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "locate", "arguments": {"symbol": "Cart"}}},
    )
    given = "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in messages)
    done = subprocess.run(
        [sys.executable, "-I", "-m", "avionics.cli", "serve"], cwd=root, env=environment, input=given,
        capture_output=True, text=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert "shop/cart.py:1" in done.stdout, done.stdout + done.stderr
    print("ok serve")


if __name__ == "__main__":
    main()
