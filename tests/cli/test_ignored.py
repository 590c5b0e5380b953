"""What ignore rules leave out is said by every command, and `--no-ignore` shows it."""

from __future__ import annotations

import json
import subprocess

import pytest

from avionics.cli.main import main

SAID = "the rule /* (.gitignore:1) ignores 3 files; AVIONICS_NO_IGNORE=1 shows them"


@pytest.fixture(autouse=True)
def kernel(directory, monkeypatch):
    """A git work tree whose only rule ignores everything; it is the current directory."""
    root = directory({".gitignore": "/*\n", "mm/slab.c": "void kfree(void *p)\n{\n}\n", "mm/slab.h": ""})
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    monkeypatch.chdir(root)
    return root


@pytest.mark.parametrize(
    "command",
    [["ask", "where is kfree?"], ["def", "kfree"], ["run", "locate", "x"], ["grep", "kfree"], ["status"], ["index"]],
    ids=lambda command: command[0],
)  # fmt: skip
def test_every_answer_names_the_rule(command, capsys):
    main(command)
    printed = capsys.readouterr()
    assert SAID in printed.out + printed.err


def test_nothing_found_is_not_certain(capsys):
    assert main(["def", "kfree", "--json"]) == 1
    coverage = json.loads(capsys.readouterr().out)["data"]["coverage"]
    assert (coverage["certainty"], coverage["because"]) == ("unknown", [SAID])


def test_ignored_files_are_included_if_that_is_asked_for(capsys, monkeypatch):
    for command in (["ask", "where is kfree?"], ["def", "kfree"], ["run", "locate", "kfree"], ["grep", "kfree"]):
        assert main([*command, "--no-ignore"]) == 0
        printed = capsys.readouterr()
        assert "mm/slab.c:1" in printed.out
        assert "rule" not in printed.out + printed.err
    assert main(["def", "kfree"]) == 1
    monkeypatch.setenv("AVIONICS_NO_IGNORE", "1")
    assert main(["def", "kfree"]) == 0


def test_an_empty_symbol_is_a_usage_error(capsys):
    for command in (
        ["run", "locate", " "], ["run", "find_symbol", ""], ["run", "explore_symbol_usage", ""],
        ["run", "find_references", " "], ["run", "grep_search", ""], ["ask", " "],
    ):  # fmt: skip
        code = main(command)
        assert (code, command) == (2, command)
        assert "empty" in capsys.readouterr().err
