"""`avionics hook`: one entry goes in, the same bytes come out, and only what is broken stops git and agents."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from avionics.cli.main import main

FILES = {"core.py": "def stop(): ...\n", "main.py": "from core import stop\nstop()\n"}
BROKEN = "def halt(): ...\n"
SETTINGS = (
    "{}\n",
    '{"model": "x"}\n',
    '{\n  "model": "x",\n  "hooks": {}\n}\n',
    '{\n    "hooks": {\n        "Stop": []\n    }\n}',
    '{\n\t"hooks": {\n\t\t"PostToolUse": []\n\t}\n}\n',
    '{"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": []}]}}\n',
    '{\r\n  "hooks": {\r\n    "PostToolUse": [\r\n      {\r\n        "matcher": "Bash",\r\n        "hooks": []'
    "\r\n      }\r\n    ]\r\n  }\r\n}\r\n",
)


def hook(repository, *arguments):
    return main(["hook", *arguments, "--repo", str(repository.root)])


def commit(repository, *arguments):
    """Commits as a user does: hooks run, with the environment that git gives them."""
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    return subprocess.run(
        ["git", *identity, "commit", "-m", "next", *arguments],
        cwd=repository.root, env=dict(os.environ), capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_commit_that_breaks_something_is_stopped(git_repository, capsys):
    repository = git_repository(FILES)
    assert hook(repository, "install", "pre-commit") == 0
    out = capsys.readouterr().out
    assert out.index("+#!/bin/sh") < out.index("is written")
    assert "to undo: avionics hook remove pre-commit" in out
    (repository.root / "core.py").write_text(BROKEN)
    done = commit(repository, "-a")
    assert done.returncode == 1
    assert "missing-import" in done.stdout + done.stderr
    (repository.root / "main.py").write_text("from core import halt\nhalt()\n")
    assert commit(repository, "core.py").returncode == 1
    assert commit(repository, "-a").returncode == 0


def test_a_check_that_cannot_run_stops_nothing(git_repository):
    repository = git_repository()
    repository.git("init", "-q")
    assert hook(repository, "install", "pre-commit") == 0
    (repository.root / "a.py").write_text("x = 1\n")
    repository.git("add", "a.py")
    done = commit(repository)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("before", [None, "#!/bin/sh\necho before\n", "#!/usr/bin/env bash\necho before"])
def test_a_hook_is_removed_to_the_byte(git_repository, before):
    repository = git_repository(FILES)
    file = repository.root / ".git/hooks/pre-commit"
    if before is not None:
        file.parent.mkdir(exist_ok=True)
        file.write_text(before)
        file.chmod(0o755)
    assert hook(repository, "install", "pre-commit") == 0
    written = file.read_bytes()
    assert hook(repository, "install", "pre-commit") == 0
    assert file.read_bytes() == written
    assert os.access(file, os.X_OK)
    assert hook(repository, "remove", "pre-commit") == 0
    assert (file.read_text() if file.exists() else None) == before
    assert hook(repository, "remove", "pre-commit") == 0


@pytest.mark.parametrize(
    ("content", "mode", "why"),
    [
        ("#!/usr/bin/env python3\n", 0o755, "not a shell script"),
        ("#!/bin/sh\nexit 0\n", 0o755, "ends before the entry would run"),
        ("#!/bin/sh\nexec other\n\n", 0o755, "ends before the entry would run"),
        ("#!/bin/sh\n", 0o644, "not executable"),
    ],
)
def test_a_hook_in_which_the_entry_would_not_run_is_left_alone(git_repository, capsys, content, mode, why):
    repository = git_repository(FILES)
    file = repository.root / ".git/hooks/pre-commit"
    file.parent.mkdir(exist_ok=True)
    file.write_text(content)
    file.chmod(mode)
    assert hook(repository, "install", "pre-commit") == 2
    assert why in capsys.readouterr().err
    assert file.read_text() == content


def test_hooks_that_git_looks_for_elsewhere_are_not_guessed(git_repository, tmp_path, capsys):
    repository = git_repository(FILES)
    repository.git("config", "core.hooksPath", str(tmp_path / "elsewhere"))
    assert hook(repository, "install", "pre-commit") == 2
    assert "core.hooksPath" in capsys.readouterr().err
    assert not (tmp_path / "elsewhere").exists()


def test_a_linked_directory_is_not_followed(git_repository, tmp_path):
    repository = git_repository(FILES)
    outside = tmp_path / "outside"
    outside.mkdir()
    (repository.root / ".claude").symlink_to(outside)
    assert hook(repository, "install", "claude-code") == 2
    assert list(outside.iterdir()) == []


def test_printing_writes_nothing(git_repository, capsys):
    repository = git_repository(FILES)
    for name in ("pre-commit", "claude-code"):
        assert hook(repository, "install", name, "--print") == 0
        assert "nothing was written" in capsys.readouterr().out
    assert not (repository.root / ".git/hooks/pre-commit").exists()
    assert not (repository.root / ".claude").exists()


@pytest.mark.parametrize("before", [None, *SETTINGS])
def test_an_entry_of_an_agent_is_removed_to_the_byte(git_repository, before):
    repository = git_repository(FILES)
    file = repository.root / ".claude/settings.json"
    if before is not None:
        file.parent.mkdir()
        file.write_bytes(before.encode())
    assert hook(repository, "install", "claude-code") == 0
    groups = json.loads(file.read_bytes())["hooks"]["PostToolUse"]
    assert groups[-1]["matcher"] == "Edit|MultiEdit|Write"
    assert groups[-1]["hooks"][0]["command"].endswith('hook run claude-code --repo "$CLAUDE_PROJECT_DIR"')
    assert hook(repository, "install", "claude-code") == 0
    assert json.loads(file.read_bytes())["hooks"]["PostToolUse"] == groups
    assert hook(repository, "remove", "claude-code") == 0
    assert (file.read_bytes().decode() if file.exists() else None) == before
    assert (repository.root / ".claude").exists() is (before is not None)


def test_an_entry_that_was_edited_is_left_to_the_user(git_repository, capsys):
    repository = git_repository(FILES)
    file = repository.root / ".claude/settings.json"
    assert hook(repository, "install", "claude-code") == 0
    file.write_text(file.read_text().replace("Edit|MultiEdit|Write", "Edit"))
    written = file.read_bytes()
    assert hook(repository, "remove", "claude-code") == 2
    assert "edited around the entry" in capsys.readouterr().err
    assert file.read_bytes() == written


def test_an_agent_hears_of_what_it_broke_and_of_nothing_else(git_repository, tmp_path, capsys):
    repository = git_repository(FILES)
    assert hook(repository, "install", "claude-code") == 0
    settings = json.loads((repository.root / ".claude/settings.json").read_bytes())
    command = settings["hooks"]["PostToolUse"][0]["hooks"][0]["command"]
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(repository.root)}

    def run():
        return subprocess.run(
            ["sh", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    done = run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (repository.root / "core.py").write_text(BROKEN)
    done = run()
    assert done.returncode == 2
    assert "main.py:1 missing-import" in done.stderr
