"""The steps of action.yml, run as they stand by bash in a clone of a real bare repository, with a `gh` of our own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.sarif import require_sarif

ACTION = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text("utf-8"))
FILES = {"core.py": "def stop(): ...\n", "main.py": "from core import stop\nstop()\n"}
GH = """#!{python}
import json, pathlib, subprocess, sys
arguments, state = sys.argv[1:], pathlib.Path({state!r})
comments = json.loads(state.read_text()) if state.exists() else []
body = next((each.removeprefix("body=@") for each in arguments if each.startswith("body=@")), "")
if "--jq" in arguments:
    query = arguments[arguments.index("--jq") + 1]
    sys.exit(subprocess.run(["jq", "-r", query], input=json.dumps(comments), text=True).returncode)
if "PATCH" in arguments:
    number = int(arguments[arguments.index("PATCH") + 1].rpartition("/")[2])
    comments[number]["body"] = pathlib.Path(body).read_text()
else:
    comments.append({{"id": len(comments), "body": pathlib.Path(body).read_text(), "user": {{"type": "Bot"}},
                     "author_association": "NONE"}})
state.write_text(json.dumps(comments))
"""


@pytest.fixture
def checkout(git_repository, tmp_path):
    """A clone of a bare repository, on a branch that breaks something."""
    made = git_repository(FILES)
    bare, clone = tmp_path / "origin.git", tmp_path / "clone"
    made.git("checkout", "-q", "-b", "feature")
    made.commit("rename", {"core.py": "def halt(): ...\n", "pip.py": "raise SystemExit('executed')\n"})
    made.git("clone", "-q", "--bare", str(made.root), str(bare))
    made.git("clone", "-q", "--branch", "feature", str(bare), str(clone))
    return clone


class Runner:
    """Runs the steps of the action as the runner of a forge does: each in a bash of its own, with its environment."""

    def __init__(self, checkout: Path, place: Path) -> None:
        self.checkout, self.place = checkout, place
        self.comments = place / "comments.json"
        (place / "bin").mkdir()
        gh = place / "bin" / "gh"
        gh.write_text(GH.format(python=sys.executable, state=str(self.comments)))
        gh.chmod(0o755)
        installed = place / "avionics" / "bin"
        installed.mkdir(parents=True)
        (installed / "avionics").write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -m avionics "$@"\n')
        (installed / "avionics").chmod(0o755)

    def run(self, step: str, **given: str) -> subprocess.CompletedProcess[str]:
        found = next(each for each in ACTION["runs"]["steps"] if each["id"] == step)
        assert found["shell"] == "bash"
        known = dict.fromkeys(found.get("env", {}), "")
        environment = {
            "PATH": f"{self.place / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.place),
            "AVIONICS_CACHE_DIR": str(self.place / "cache"),
            "RUNNER_TEMP": str(self.place),
            "GITHUB_OUTPUT": str(self.place / "output"),
            "GITHUB_STEP_SUMMARY": str(self.place / "summary.md"),
            **known,
            **given,
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", found["run"]]
        return subprocess.run(command, cwd=self.checkout, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def runner(checkout, tmp_path):
    place = tmp_path / "runner"
    place.mkdir()
    return Runner(checkout, place)


def test_a_comment_is_written_once_and_then_updated(runner):
    revisions = {"BASE": "origin/main", "HEAD": "HEAD"}
    done = runner.run("review", SARIF=str(runner.place / "a.sarif"), **revisions)
    assert done.returncode == 0, done.stderr
    assert (runner.place / "output").read_text() == f"review={runner.place}/avionics-review.md\n"
    assert "missing-import" in (runner.place / "summary.md").read_text()
    assert [each["ruleId"] for each in require_sarif(json.loads((runner.place / "a.sarif").read_text()))] == [
        "missing-import"
    ]
    stranger = {"id": 0, "body": "<!-- avionics-review -->", "user": {"type": "User"}, "author_association": "NONE"}
    runner.comments.write_text(json.dumps([stranger]))
    where = {"GH_TOKEN": "t", "REPOSITORY": "a/b", "NUMBER": "7"}
    assert runner.run("comment", **where).returncode == 0
    (runner.checkout / "main.py").write_text("from core import halt\nhalt()\n")
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qam", "mend"]
    subprocess.run(git, cwd=runner.checkout, check=True)
    assert runner.run("review", SARIF="", **revisions).returncode == 0
    assert runner.run("comment", **where).returncode == 0
    bodies = [each["body"] for each in json.loads(runner.comments.read_text())]
    assert len(bodies) == 2
    assert bodies[0] == stranger["body"]
    assert "nothing broken" in bodies[1] or "may break users" in bodies[1]


@pytest.mark.parametrize(("fail_on", "code"), [("error", 1), ("never", 0)])
def test_the_verdict_fails_the_job_as_asked(runner, fail_on, code):
    done = runner.run("verdict", BASE="origin/main", HEAD="HEAD", FAIL_ON=fail_on)
    assert done.returncode == code
    assert done.stdout.startswith("::error file=main.py,line=1,title=avionics missing-import::")


def test_without_a_base_it_says_what_to_do(runner):
    done = runner.run("review", HEAD="HEAD")
    assert (done.returncode, done.stdout) == (
        2, "::error::no base to compare with: run on pull_request, or give the input base\n",
    )  # fmt: skip


def test_inputs_reach_scripts_only_through_the_environment():
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"]
    assert runner_options() == {"-I"}


def runner_options():
    """How Python is started to install: isolated, since the reviewed repository is the current directory."""
    (install,) = (each["run"] for each in ACTION["runs"]["steps"] if each["id"] == "install")
    lines = [line for line in install.splitlines() if "python" in line and not line.lstrip().startswith("#")]
    return {line.split("python", 1)[1].split()[1] for line in lines}
