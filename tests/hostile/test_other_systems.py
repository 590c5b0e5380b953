"""The core without the modules that only POSIX systems have, as far as that can be seen here; nothing was run there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WITHOUT = """
import select, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in {"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules.pop(name, None)
del select.poll
"""
IMPORT = """
import importlib, pkgutil, avionics
skipped = ("__main__", "avionics.mcp", "avionics.lsp")  # their libraries import such modules themselves
for found in pkgutil.walk_packages(avionics.__path__, "avionics."):
    if not any(each in found.name for each in skipped):
        importlib.import_module(found.name)
"""
RUN = "from avionics.cli.main import main\nsys.exit(main(sys.argv[1:]))\n"


def run(code: str, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT + code, *map(str, arguments)], cwd=ROOT, env={**os.environ, **environment},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_every_module_can_be_imported():
    done = run(IMPORT)
    assert (done.returncode, done.stderr) == (0, "")


def test_questions_are_answered(git_repository, settings):
    # Windows line ends, as git checks files out there.
    files = {
        "shop/cart.py": "class Cart:\r\n    pass\r\n",
        "shop/app.py": "from shop.cart import Cart\r\n\r\nCart()\r\n",
    }
    root = git_repository(files).root
    cache = {"AVIONICS_CACHE_DIR": str(settings.cache_directory)}
    for arguments, expected in (
        (("index",), "2 source files"),
        (("ask", "who uses Cart?"), "shop/app.py:3 call  Cart()\n"),
        (("run", "grep_search", "--param", "pattern=Cart$"), "shop/app.py:1  from shop.cart import Cart\n"),
        (("run", "git_log"), "first"),
        (("run", "read_code", "--param", "path=shop/cart.py"), "class Cart:\n"),
    ):
        done = run(RUN, *arguments, "--repo", root, **cache)
        assert (done.returncode, done.stderr) == (0, ""), arguments
        assert expected in done.stdout, arguments
