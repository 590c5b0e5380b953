"""What a stranger's git directory cannot make us do: run, fetch, leave, hang, crash or believe."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import pytest

from tests.hostile.git_damage import DAMAGES
from tests.hostile.repositories import GIT_PROGRAMS, Repository, make

TOUR = {
    "git_status": {},
    "git_log": {"path": "src/app.py"},
    "git_blame": {"path": "src/app.py"},
    "git_diff": {},
    "explain_code_history": {"path": "src/app.py"},
    "find_related": {"reference": "src/app.py"},
}
PLANTED = [f"git_{kind}" for kind in GIT_PROGRAMS]


@pytest.fixture(scope="module")
def sound(arena):
    """A repository with two commits and a change, to be spoiled; and one beside it that nothing may reach."""
    make(arena, "control")
    root = arena.base / "sound"
    root.mkdir()
    repository = Repository(arena, root)
    repository.history()
    return root


@pytest.mark.parametrize("name", PLANTED)
def test_programs_named_in_the_configuration_are_not_run(name, arena, ask, untouched):
    root = make(arena, name)
    untouched(root)
    for tool, given in TOUR.items():
        assert ask(root, tool, **given)["class"] in {"success", "partial"}, tool


def test_the_traps_would_spring(arena):
    """Git itself runs what we do not: the traps are real."""
    root = make(arena, "git_parent")
    environment = {"PATH": os.environ["PATH"], "HOME": str(arena.base), "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(
        ["git", "-c", "safe.directory=*", "status"], cwd=root, env=environment, capture_output=True, check=False
    )
    assert arena.sprung()
    for mark in arena.canary.iterdir():
        mark.unlink()


@pytest.mark.parametrize("name", DAMAGES)
def test_a_spoiled_git_directory_is_answered_about_or_refused(name, sound, arena, ask, untouched):
    root = arena.base / "repos" / f"damage-{name}"
    shutil.copytree(sound, root, symlinks=True)
    DAMAGES[name](Repository(arena, root))
    untouched(root)
    for tool, given in list(TOUR.items())[:4]:
        answer = ask(root, tool, **given)
        assert answer["class"] in {"success", "partial", "not_found", "error"}, tool
        assert "NAMED" not in json.dumps(answer)
    assert ask(root, "find_symbol", name="Cart")["class"] == "success", "the files need no git"


def test_replace_references_do_not_show_another_history(sound, arena, ask):
    root = arena.base / "repos" / "replacing"
    shutil.copytree(sound, root)
    honest = [commit["subject"] for commit in ask(root, "git_log", path="src/app.py")["data"]["commits"]]
    DAMAGES["replaced"](Repository(arena, root))
    assert [commit["subject"] for commit in ask(root, "git_log", path="src/app.py")["data"]["commits"]] == honest


@pytest.mark.parametrize(
    "revision",
    ["--upload-pack=x", "-x", "HEAD\n", "HEAD;touch x", "HEAD:../../x", ":/x", "@{-1}", "HEAD@{upstream}", "\0",
    "a" * 100_000,
     "\ud800", "$(touch x)", "HEAD^{/second}", "refs/heads/main..", "--output=x", "main --not main", "^HEAD",
     "HEAD~999999",
     "../../../x", "HEAD --", "*", "--all", "@", "", " "],
)  # fmt: skip
def test_a_revision_is_never_an_option_or_a_program(revision, sound, ask, untouched):
    untouched(sound)
    for given in ({"base": revision}, {"base": "HEAD", "head": revision}):
        assert ask(sound, "git_diff", **given)["class"] in {
            "success",
            "partial",
            "not_found",
            "validation_error",
            "error",
        }
    assert not (sound / "x").exists()


@pytest.mark.parametrize(
    "path",
    ["--output=x", "-", "--", ":(glob)**", ":!src", ":/", ":(attr:x)y", "*", "src/*.py", "src/app.py\0", "\ud800",
    "-O{BIN}/inj.sh",
     "{OUTSIDE}/secret.txt", "../control/src/app.py", "src/../../control/README.md", ".git/config", ".git/HEAD"],
)  # fmt: skip
def test_a_path_is_never_an_option_or_a_pattern(path, sound, arena, ask, untouched):
    untouched(sound)
    for tool in ("git_log", "git_blame", "git_diff", "explain_code_history"):
        answer = ask(sound, tool, path=arena.fill(path, sound))
        assert answer["class"] in {"not_found", "validation_error", "error", "success", "partial"}
        assert "repositoryformatversion" not in json.dumps(answer)
