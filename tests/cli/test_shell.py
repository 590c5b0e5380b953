"""Completion in real shells, and the manual page."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from avionics.cli.main import main
from avionics.cli.shell.completion import SHELLS
from avionics.cli.shell.group import MODULES
from tests.timing import PATIENCE_SECONDS

ROOT = Path(__file__).parents[2]
FILES = {
    "shop/cart.py": "class Cart:\n    def total(self):\n        return 1\n\n\nclass Carton:\n    pass\n",
    "a b.py": "",
}
RUN = {
    "bash": "COMP_WORDS=(avionics {line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); compopt() {{ :; }}\n"
    "_avionics; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
    "zsh": "words=(avionics {line}); CURRENT=${{#words}}\n"
    "_describe() {{ print -l -- ${{described%%:*}} }}\ncompadd() {{ shift ${{@[(i)--]}}; print -l -- $@ }}\n_avionics",
    "fish": 'complete -C "avionics {line}" | string split -f1 \\t',
}


@pytest.fixture(autouse=True)
def shop(enter, tmp_path, monkeypatch):
    """A small repository, indexed; it is the current directory, and `avionics` is this one."""
    root = enter(FILES)
    program = tmp_path / "bin" / "avionics"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m avionics "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    assert main(["index"]) == 0
    return root


def complete(capsys, *words):
    capsys.readouterr()
    assert main(["complete", "--", *words]) == 0
    return [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["unu"], ["unused"]),
        (["refs", "Car"], ["Cart", "Carton"]),
        (["refs", "Cart."], ["Cart.total"]),
        (["outline", "sh"], ["shop/"]),
        (["outline", "shop/"], ["shop/cart.py"]),
        (["run", "get_importe"], ["get_importers"]),
        (["refs", "Cart", "--color", "a"], ["auto", "always"]),
        (["refs", "Cart", "--no-t"], ["--no-tests"]),
        (["refs", "Nonesuch"], []),
        (["nonesuch", "x"], []),
        (["outline", "nowhere/"], []),
    ],
)
def test_words_are_completed(words, expected, capsys):
    assert complete(capsys, *words) == expected


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes_symbols_and_files(shell, shop, capsys):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    main(["completion", shell])
    start = {"zsh": "compdef() { :; }\n"}.get(shell, "")
    script = start + capsys.readouterr().out
    for line, expected in (
        ("refs Car", ["Cart", "Carton"]),
        ("outline shop/", ["shop/cart.py"]),
        ("impor", ["import", "importers", "imports"]),
    ):
        asked = f"{script}\n{RUN[shell].format(line=line)}\n"
        done = subprocess.run(
            [shell, "-c", asked], cwd=shop, capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS
        )
        assert (sorted(filter(None, done.stdout.splitlines())), done.stderr) == (expected, "")


def test_the_manual_has_every_command_and_no_fault(capsys):
    main(["man"])
    page = capsys.readouterr().out
    commands = {line.split(" ")[1].replace("\\", "") for line in page.splitlines() if line.startswith(".SS ")}
    assert commands == set(MODULES) - {"complete"}
    if shutil.which("groff"):
        done = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww"], input=page, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
