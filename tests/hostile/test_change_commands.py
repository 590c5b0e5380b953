"""What a stranger's repository cannot make check, review, plan and hook do: run, leave, write, pose or drive."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import attrs
import pytest

from tests.hostile.arena import DRIVING, TOKEN, run_program
from tests.hostile.repositories import GIT_PROGRAMS, Repository, make
from tests.sarif import require_sarif

PLANTED = [f"git_{kind}" for kind in GIT_PROGRAMS]
NAMES = (
    "a\n::error file=x::obey.py",
    "x\x1b[31m\u202e.py",
    "--output=pwned.py",
    "$(touch pwned);`touch pwned`.py",
    "%0A::set-output name=x::y.py",
)
COMMANDS = (
    ("check",),
    ("check", "--format", "github"),
    ("check", "--format", "sarif"),
    ("check", "--staged", "--notes"),
    ("check", "HEAD~1..HEAD"),
    ("review", "HEAD~1"),
    ("review", "HEAD~1...HEAD", "--format", "json"),
    ("plan", "rename", "Cart", "Basket"),
    ("hook", "install", "pre-commit", "--print"),
    ("hook", "install", "claude-code", "--print"),
    ("hook", "remove", "pre-commit"),
)


PROGRAM = """
import json, os, sys
from avionics.cli.main import main
commands, place = json.loads(sys.argv[1]), sys.argv[2]
for number, words in enumerate(commands):
    for descriptor, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(f"{place}/{number}.{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    code = main(words)
    sys.stdout.flush(), sys.stderr.flush()
    with open(f"{place}/{number}.code", "w") as file:
        file.write(str(code))
"""


@attrs.frozen
class Outcome:
    code: int
    out: bytes
    err: bytes


@pytest.fixture
def run(arena, tmp_path):
    """Runs commands one after another in a process of their own, in the repository, which leaves no other process."""

    def run_commands(root: Path, *commands: tuple[str, ...]) -> list[Outcome]:
        place = tmp_path / "said"
        place.mkdir(exist_ok=True)
        words = json.dumps([[command[0], "--repo", str(root), *command[1:]] for command in commands])
        program = [sys.executable, "-c", PROGRAM, words, str(place)]
        said = run_program(program, arena.environment(tmp_path / "cache"), root, 0)
        assert (said.code, said.out, said.err, said.left) == (0, b"", b"", ())
        return [
            Outcome(
                int((place / f"{at}.code").read_text()),
                (place / f"{at}.out").read_bytes(),
                (place / f"{at}.err").read_bytes(),
            )
            for at in range(len(commands))
        ]

    return run_commands


@pytest.mark.parametrize("name", PLANTED)
def test_nothing_that_a_repository_names_is_run(name, arena, run, untouched):
    root = make(arena, name)
    untouched(root)
    for said in run(root, ("check",), ("check", "--staged"), ("review", "HEAD"), ("plan", "rename", "Cart", "Basket")):
        assert said.code in {0, 1, 2, 3}, said.err
        assert b"Traceback" not in said.err


def test_hooks_of_a_repository_are_not_run_and_its_files_not_written(arena, run, untouched):
    root = arena.base / "repos" / "hooked"
    root.mkdir()
    Repository(arena, root).history()
    for name in ("pre-commit", "post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman"):
        hook = root / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\nexec {arena.program}\n")
        hook.chmod(0o755)
    (root / "src/evil.py").write_text("from app import nothing\n")
    untouched(root)
    for words, said in zip(COMMANDS, run(root, *COMMANDS), strict=True):
        assert said.code in {0, 1, 2, 3}, words


@pytest.fixture
def speaking(arena):
    """A repository whose file names pose as what programs print."""
    root = arena.base / "repos" / "speaking"
    if not root.exists():
        root.mkdir()
        repository = Repository(arena, root)
        repository.history()
        for name in NAMES:
            (root / name).write_text("from core import run\nrun(1)\n")
        (root / "core.py").write_text("def run(mode): ...\n")
        repository.git("add", "-A")
        repository.git("commit", "-qm", "names")
        (root / "core.py").write_text("def run(mode, depth): ...\n")
    return root


def test_no_name_poses_as_a_line_of_the_program(speaking, run, untouched):
    untouched(speaking)
    for words, said in zip(COMMANDS, run(speaking, *COMMANDS), strict=True):
        assert said.code in {0, 1, 2}, (words, said.err)
        for text in (said.out.decode("utf-8", "replace"), said.err.decode("utf-8", "replace")):
            assert not DRIVING.search(text), words
            assert TOKEN not in text
            assert not re.search(r"^(?:::error file=x::obey|next: |error: obey)", text, re.M), words
    assert not list(speaking.rglob("pwned"))


def test_commands_for_a_forge_name_files_alone(speaking, run):
    (said,) = run(speaking, ("check", "--format", "github"))
    lines = said.out.decode().splitlines()
    assert len([line for line in lines if line.startswith("::")]) == len(NAMES)
    for line in lines:
        assert re.fullmatch(r"::error file=[^:,]+,line=\d+,title=avionics[^:]*::.*|[^:].*", line), line


def test_sarif_names_files_by_uris(speaking, run):
    (said,) = run(speaking, ("check", "--format", "sarif"))
    results = require_sarif(json.loads(said.out))
    uris = {each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in results}
    assert len(uris) == len(NAMES)


@pytest.mark.parametrize(
    "range_", ["--output=x", "-x..HEAD", "HEAD..--upload-pack=x", "HEAD;touch x", "$(touch x)", "..", "\n"]
)
def test_a_range_is_never_an_option_or_a_program(speaking, run, untouched, range_):
    untouched(speaking)
    for said in run(speaking, ("check", "--", range_), ("review", "--", range_)):
        assert b"Traceback" not in said.err
        assert said.code in {0, 1, 2, 3}


def test_a_baseline_and_a_contract_that_lead_out_are_not_followed(arena, run, untouched):
    root = arena.base / "repos" / "leading"
    root.mkdir()
    Repository(arena, root).history()
    os.symlink(arena.outside / "secret.txt", root / ".avionics-baseline.json")
    os.symlink(arena.outside / "secret.txt", root / "avionics.toml")
    untouched(root)
    for said in run(root, ("check",), ("check", "--write-baseline"), ("review", "HEAD")):
        assert said.code in {0, 1, 2}
        assert TOKEN.encode() not in said.out + said.err
