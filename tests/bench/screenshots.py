"""Take screenshots of commands in tmux, at two widths, light and dark: python tests/bench/screenshots.py OUT [DIR]

Each command runs in a real terminal of 80 and of 140 columns on the repository DIR, by default this one. What tmux
shows is written to OUT as SVG, once with the colours of a light terminal and once with those of a dark one.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, DIMMED_MONOKAI
from rich.text import Text

HERE = Path(__file__).resolve().parents[2]
COMMANDS = {
    "refs": "avionics refs open_workspace",
    "callers": "avionics callers find_changed_paths",
    "outline": "avionics outline avionics/source/racy.py",
    "path": "avionics path call_tool execute",
    "grep": r"avionics grep 'def is_\w+\(' avionics/source -n 6",
    "ask": "avionics ask 'who calls get_first_read?'",
    "explain": "avionics ask 'what does avionics/source/racy.py do?'",
    "map": "avionics map --budget 500",
    "history": "avionics history avionics/source/racy.py -n 4",
    "status": "avionics status",
}
WIDTHS = {80: 60, 140: 60}
"""Columns → rows."""
THEMES = {"light": DEFAULT_TERMINAL_THEME, "dark": DIMMED_MONOKAI}
SECONDS = 60
_FONTS = re.compile(r"@font-face \{[^}]*\}\s*")


def take(command: str, columns: int, rows: int, directory: Path) -> str:
    """Return what a terminal shows after a command, with its escape sequences.

    Raises:
        TimeoutError: The command did not end in time.
    """
    socket = f"screenshots-{os.getpid()}"
    tmux = ["tmux", "-L", socket, "-f", os.devnull]
    environment = os.environ | {
        "PS1": "$ ",
        "PAGER": "cat",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    shell = ["new-session", "-d", "-x", str(columns), "-y", str(rows), "sh"]
    subprocess.run([*tmux, *shell], cwd=directory, env=environment, check=True)
    try:
        subprocess.run([*tmux, "send-keys", f"clear; {command}; tmux wait-for -S done", "Enter"], check=True)
        subprocess.run([*tmux, "wait-for", "done"], check=True, timeout=SECONDS)
        time.sleep(0.2)
        shown = subprocess.run([*tmux, "capture-pane", "-p", "-e"], check=True, capture_output=True, text=True)
        return shown.stdout
    finally:
        subprocess.run([*tmux, "kill-server"], check=False, stderr=subprocess.DEVNULL)


def draw(command: str, shown: str, columns: int, theme: str) -> str:
    """Return the SVG of a terminal's contents, below the command."""
    lines = shown.rstrip().split("\n")
    if lines and lines[-1].startswith(("$", "#")):
        lines.pop()
    console = Console(file=io.StringIO(), width=columns, record=True, force_terminal=True)
    console.print(Text(f"$ {command}"))
    for line in lines:
        console.print(Text.from_ansi(line), soft_wrap=True)
    # The picture must not load fonts from elsewhere.
    return _FONTS.sub("", console.export_svg(title="", theme=THEMES[theme]))


def main() -> None:
    out, directory = Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else HERE
    out.mkdir(parents=True, exist_ok=True)
    for name, command in COMMANDS.items():
        for columns, rows in WIDTHS.items():
            shown = take(command, columns, rows, directory)
            for theme in THEMES:
                (out / f"{name}-{columns}-{theme}.svg").write_text(draw(command, shown, columns, theme), "utf-8")
            print(f"{name:8} {columns:3} columns, {len(shown.rstrip().splitlines())} lines")


if __name__ == "__main__":
    main()
