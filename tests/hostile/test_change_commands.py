"""What a stranger's repository cannot make check, review, plan and hook do: run, leave, write, pose or drive."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests.hostile.arena import DRIVING, TOKEN, Watch, run_commands
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


@pytest.fixture
def run(arena, tmp_path):
    """Runs commands one after another in a process of their own, in the repository, which leaves no other process."""
    return lambda root, *commands: run_commands(arena, tmp_path, [(root, in_place(root, words)) for words in commands])


def in_place(root: Path, words: tuple[str, ...]) -> list[str]:
    return [words[0], "--repo", str(root), *words[1:]]


@pytest.fixture(scope="module")
def planted(arena, tmp_path_factory):
    """What the commands said in each repository with traps, and what became of it: one process does for them all."""
    commands = (("check",), ("check", "--staged"), ("review", "HEAD"), ("plan", "rename", "Cart", "Basket"))
    roots = {name: make(arena, name) for name in PLANTED}
    before = {name: arena.fingerprint(root) for name, root in roots.items()}
    watch = Watch(arena.outside, arena.base / "repos" / "control-evil")
    asked = [(root, in_place(root, words)) for root in roots.values() for words in commands]
    said = run_commands(arena, tmp_path_factory.mktemp("planted"), asked)
    assert not watch.has_seen(), "opened what lies outside"
    watch.close()
    found = {}
    seen: frozenset[str] = frozenset()
    for at, (name, root) in enumerate(roots.items()):
        own = said[at * len(commands) : (at + 1) * len(commands)]
        found[name] = own, own[-1].sprung - seen, before[name] == arena.fingerprint(root)
        seen = own[-1].sprung
    late = {path.name for path in arena.canary.iterdir()} - seen
    for path in arena.canary.iterdir():
        path.unlink()
    assert not late
    return found


@pytest.mark.parametrize("name", PLANTED)
def test_nothing_that_a_repository_names_is_run(name, planted):
    outcomes, sprung, is_as_it_was = planted[name]
    assert (sprung, is_as_it_was) == (set(), True)
    for said in outcomes:
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
