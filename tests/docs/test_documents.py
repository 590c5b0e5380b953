"""What the documents show is what happens.

A fenced block with the info string `console runnable` or `python runnable` is executed in the checkout. Printed lines
are compared by shape: numbers may differ, `…` at the end of a line stands for its rest, and a line `…` for any lines.
"""

from __future__ import annotations

import asyncio
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click import Context, Group

from avionics.cli.shell.group import group
from tests.timing import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str, *, runnable: bool) -> list:
    """Fenced blocks of a language, each named by its document and line."""
    found = []
    for document in DOCUMENTS:
        text = document.read_text("utf-8") if document.exists() else ""
        for match in FENCE.finditer(text):
            if match[1] == language and (not runnable or "runnable" in match[2]):
                line = text.count("\n", 0, match.start()) + 1
                found.append(pytest.param(match[3], id=f"{document.name}:{line}"))
    return found


def examples(block: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with the output shown under it."""
    pieces = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(command, output.strip("\n")) for command, _, output in (piece.partition("\n") for piece in pieces)]


def shape(shown: str) -> re.Pattern[str]:
    """A pattern of any output that has the shape of the one shown."""
    lines = []
    for line in shown.split("\n"):
        if line.strip() == "…":
            lines.append(r"(?:.*\n)*?")
            continue
        text, rest = (line[:-1], ".*") if line.endswith("…") else (line, "")
        lines.append(re.sub(r"\d+", r"\\d+", re.sub(r"[ ]+", " ", re.escape(text).replace(r"\ ", " "))) + rest + r"\n")
    return re.compile("".join(lines))


def squeezed(printed: str) -> str:
    """Output with runs of spaces made one, as `shape` expects: columns shift with their numbers."""
    return re.sub(r" +", " ", printed.strip("\n")) + "\n"


def run(command: str) -> subprocess.CompletedProcess[str]:
    words = shlex.split(command)
    assert words[0] == "avionics", "only avionics itself is run"
    return subprocess.run(
        [sys.executable, "-m", "avionics.cli", *words[1:]],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.parametrize("block", blocks("console", runnable=True))
def test_a_runnable_example_prints_what_is_shown(block, tmp_path, monkeypatch):
    monkeypatch.setenv("AVIONICS_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("AVIONICS_ANSWER_SECONDS", str(PATIENCE_SECONDS))  # A busy machine shows the same.
    for command, shown in examples(block):
        done = run(command)
        assert done.returncode in {0, 1}, done.stderr
        assert shape(shown).fullmatch(squeezed(done.stdout)), done.stdout


@pytest.mark.parametrize("block", blocks("python", runnable=True))
def test_a_runnable_python_example_runs(block, tmp_path, monkeypatch):
    monkeypatch.setenv("AVIONICS_CACHE_DIR", str(tmp_path))
    monkeypatch.chdir(ROOT)
    # Other libraries' synchronous calls use the thread's event loop, and leave one that they make open.
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        exec(compile(block, "example", "exec"), {"__name__": "example"})
    finally:
        asyncio.set_event_loop(None)
        loop.close()


@pytest.mark.parametrize("block", blocks("console", runnable=False))
def test_every_command_shown_exists(block):
    for command in (part for line, _ in examples(block) for part in line.split("&&")):
        words = shlex.split(command, comments=True)
        if words[0] == "avionics" and len(words) > 1 and not words[1].startswith("-"):
            shown = group.get_command(Context(group), words[1])
            assert shown, command
            if isinstance(shown, Group) and len(words) > 2:
                shown = shown.get_command(Context(shown), words[2])
                assert shown, command
            options = {option for each in shown.params for option in each.opts}
            assert {word for word in words if word.startswith("--")} <= {*options, "--help"}, command


def test_every_link_leads_somewhere():
    broken = [
        f"{document.name}: {target}"
        for document in DOCUMENTS
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", document.read_text("utf-8"))
        if "://" not in target and not (document.parent / target).exists()
    ]
    assert broken == []


def test_the_tools_page_is_what_the_catalog_says():
    from avionics.cli.document import tools_document
    from avionics.tools import tool_catalog

    assert (ROOT / "docs" / "tools.md").read_text("utf-8") == tools_document(tool_catalog)


def test_a_shape_is_kept_or_broken():
    assert shape("a.py:12  x\n…\n[complete: 3 of 3]").fullmatch(
        squeezed("a.py:7 x\nmore\nmore\n[complete: 10 of 10]\n")
    )
    assert shape("a.py:12 def f(…").fullmatch("a.py:1 def f(x, y):\n")
    assert not shape("a.py:12  x").fullmatch(squeezed("b.py:12  x"))
