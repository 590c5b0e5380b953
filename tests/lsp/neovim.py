"""Neovim without a screen as a client of the language server."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

NEOVIM = shutil.which("nvim")
_SCRIPT = Path(__file__).with_name("neovim.lua")
_PLACES = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")


def read_version() -> tuple[int, ...]:
    """Return the version of Neovim, (0, 0) if it is not installed."""
    if NEOVIM is None:
        return (0, 0)
    shown = subprocess.run([NEOVIM, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"v(\d+)\.(\d+)", shown)
    return tuple(map(int, found.groups())) if found else (0, 0)


def run_neovim(scratch: Path, **asked: Any) -> dict[str, Any]:
    """Return what Neovim finds; `neovim.lua` lists the arguments.

    Args:
        scratch: A directory for its files and for the server's cache.
        **asked: `root`, `file`, `at`, `renamed_at`, `name` and `broken`.
    """
    question, out = scratch / "asked.json", scratch / "seen.json"
    command = [sys.executable, "-m", "avionics.cli", "lsp"]
    question.write_text(json.dumps({**asked, "command": command, "out": str(out)}))
    environment = {**os.environ, **dict.fromkeys(_PLACES, str(scratch)), "ASKED": str(question)}
    environment["AVIONICS_CACHE_DIR"] = str(scratch / "cache")
    arguments = [NEOVIM or "nvim", "--headless", "--clean", "-n", "-c", f"luafile {_SCRIPT}"]
    subprocess.run(arguments, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return json.loads(out.read_text())  # type: ignore[no-any-return]
