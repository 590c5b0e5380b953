"""`--rev`: commands about a revision."""

from __future__ import annotations

import json

import pytest

from avionics.cli.main import main


@pytest.fixture(autouse=True)
def repository(git_repository, monkeypatch):
    """A tagged version and a later one, the current directory, with a cache of its own."""
    made = git_repository({"app.py": "def old():\n    return 1\n\n\nold()\n"})
    made.git("tag", "v1")
    made.commit("second", {"app.py": "def new(): ...\n"})
    monkeypatch.chdir(made.root)
    return made


def test_a_tool_is_run_on_a_revision(repository, capsys):
    assert main(["run", "find_symbol", "-p", "name=old", "--rev", "v1", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)["data"]
    assert data["revision"] == repository.git("rev-parse", "v1")
    assert main(["run", "find_symbol", "-p", "name=old"]) == 1


def test_a_question_is_asked_about_a_revision(repository, capsys):
    assert main(["ask", "who uses old?", "--rev", "v1"]) == 0
    printed = capsys.readouterr().out
    assert "app.py:5" in printed
    assert f"[as of {repository.git('rev-parse', 'v1')[:12]}, not the files on the disk]" in printed


@pytest.mark.parametrize("command", [["run", "list_files"], ["ask", "old"]])
def test_a_bad_revision_is_exit_code_two_with_near_names(command, capsys):
    assert main([*command, "--rev", "v2"]) == 2
    shown = capsys.readouterr()
    assert "no such revision: v2" in shown.out + shown.err
    assert "did you mean v1?" in shown.out + shown.err


def test_the_review_tools_are_a_profile(capsys):
    assert main(["prompt", "--profile", "review"]) == 0
    assert "- compare_revisions(base, head?, scope?): " in capsys.readouterr().out
