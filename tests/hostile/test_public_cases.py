"""The twenty public cases through both doors, as root and as an ordinary user, and every invariant they are held to."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from avionics.cli.main import main
from tests.hostile.arena import (
    DRIVING,
    TOKEN,
    USERS,
    McpServer,
    Watch,
    class_of,
    judge,
    python_of,
    read_mcp,
    run_commands,
    run_on_terminal,
    run_program,
)
from tests.hostile.repositories import make
from tests.timing import measure_floor

_OWN = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;;(?:file://[\w/:@+,~.%-]*)?\x1b\\")
"""The colours and links that avionics itself writes on a terminal."""

CASES = json.loads(Path(__file__).with_name("public_cases.json").read_text())
ORDINARY = {
    "read_code": {"path": "src/app.py"},
    "glob_files": {"pattern": "**/*.py"},
    "grep_search": {"pattern": "def"},
    "git_status": {},
    "explain_code_history": {"path": "src/app.py"},
    "find_symbol": {"name": "Cart"},
}
"""What each tool of the cases must answer first: one that refuses everything gains nothing."""

FLOORS_A_SECOND = 50
"""A case's `within` is in seconds of processor time on a machine where a floor takes 20 ms."""

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="watches the disk as Linux can")
as_users = pytest.mark.parametrize("user", USERS, ids=["self", "nobody"][: len(USERS)])
AT_THE_COMMAND_LINE = [
    pytest.param(case, user, id=f"{case['id']}-{'nobody' if user else 'self'}")
    for case in CASES
    for user in USERS
    if user == USERS[-1] or case["tool"].startswith("@")
]
"""In a process of its own; for whoever runs the tests, where another user can be had, in that of the tests as well."""


class Ground:
    """The cases' repositories, built once, and a look at everything around them."""

    def __init__(self, arena) -> None:
        self.arena = arena
        self.roots = {name: make(arena, name) for name in sorted({case["repo"] for case in CASES})}
        for user in USERS:
            (arena.base / f"cache-{user}").mkdir()
            os.chown(arena.base / f"cache-{user}", user or -1, user or -1)
        self.watch = Watch(arena.outside, arena.base / "repos" / "control-evil")
        self.before = self.look()

    def root(self, case) -> Path:
        return self.roots[case["repo"]] / case.get("sub", "")

    def look(self):
        found = self.arena.fingerprint(self.arena.base / "repos", self.arena.outside, self.arena.base / "bin")
        self.watch.has_seen()
        return found

    def run(self, user: int, *words: str):
        environment = self.arena.environment(self.arena.base / f"cache-{user}")
        return run_program([python_of(user), "-m", "avionics.cli", *words], environment, self.arena.base, user)

    def faults(self) -> list[str]:
        """What was touched that is nobody's to touch."""
        faults = [f"ran {each}" for each in self.arena.sprung()]
        faults += ["opened what lies outside"] * self.watch.has_seen()
        return faults + ["changed something"] * (self.look() != self.before)


@pytest.fixture(scope="module")
def ground(arena):
    """The cases' repositories."""
    place = Ground(arena)
    yield place
    place.watch.close()


@pytest.fixture(scope="module", params=USERS, ids=["self", "nobody"][: len(USERS)])
def server(request, ground):
    """One server over all of the cases' repositories."""
    roots = {case["repo"]: ground.root(case) for case in CASES}
    opened = McpServer(ground.arena, ground.arena.base / f"cache-{request.param}", roots, request.param)
    yield opened
    said = opened.close()
    assert (said.code, said.left) == (0, ())


def command(case: dict[str, Any], ground: Ground, *more: str) -> list[str]:
    root = ground.root(case)
    if case["tool"] == "@index":
        return ["index", "--repo", str(root)]
    given = ground.arena.fill(case["params"], root)
    return ["run", case["tool"], "--repo", str(root), *more, *(w for k, v in given.items() for w in ("-p", f"{k}={v}"))]


def judge_answer(case: dict[str, Any], answer: dict[str, Any], shown: str) -> list[str]:
    """What a case demands of its answer."""
    faults = judge(answer)
    if class_of(answer) not in case["expect"]:
        faults.append(f"{class_of(answer)} is none of {case['expect']}")
    faults += [f"lacks {text}" for text in case.get("contains", ()) if text not in shown]
    faults += [f"shows {text}" for text in case.get("lacks", ()) if text in shown]
    faults += [f"does not match {text}" for text in case.get("match", ()) if not re.search(text, shown)]
    return faults


@pytest.mark.parametrize(("case", "user"), AT_THE_COMMAND_LINE)
def test_a_case_holds_at_the_command_line(case, user, ground):
    said = ground.run(user, *command(case, ground, "--json"))
    shown = said.out.decode()
    answer = {"status": "success"} if case["tool"] == "@index" else json.loads(shown)
    assert judge_answer(case, answer, shown) == []
    assert ground.faults() == []
    assert (said.code >= 0, said.left, b"Traceback" in said.err) == (True, (), False)
    assert said.cpu_seconds < case.get("within", 20) * FLOORS_A_SECOND * measure_floor()
    assert said.rss_mb < case.get("rss_mb", 500)
    assert len(said.out) < case.get("max_out", 8_000_000)
    assert not re.search(rb"[^\n\t\x20-\x7e]", said.out), "raw characters in the document"


@pytest.mark.parametrize("case", [case for case in CASES if not case["tool"].startswith("@")], ids=lambda c: c["id"])
def test_a_case_holds_as_a_document_and_as_text(case, ground, capsys, monkeypatch):
    for name, value in ground.arena.environment(ground.arena.base / "cache-0").items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(ground.arena.base)
    main(command(case, ground, "--json"))
    document = capsys.readouterr().out
    assert judge_answer(case, json.loads(document), document) == []
    main(command(case, ground))
    shown = "".join(capsys.readouterr())
    assert not DRIVING.search(shown)
    assert TOKEN not in shown
    assert "Traceback" not in shown
    assert ground.faults() == []


@pytest.mark.parametrize("case", [case for case in CASES if case.get("tty")], ids=lambda case: case["id"])
def test_nothing_drives_the_terminal(case, ground):
    words = [sys.executable, "-m", "avionics.cli", *command(case, ground)]
    shown = run_on_terminal(words, ground.arena.environment(ground.arena.base / "cache-0"), ground.arena.base)
    assert "esc.py" in shown
    assert not DRIVING.search(_OWN.sub("", shown))


@pytest.mark.parametrize("case", [case for case in CASES if not case["tool"].startswith("@")], ids=lambda c: c["id"])
def test_a_case_holds_over_mcp(case, server, ground):
    name = ground.root(case).name
    given = ground.arena.fill(case["params"], ground.root(case))
    given = {
        key: value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for key, value in given.items()
    }
    answer, text = read_mcp(server.call(case["tool"], given, name))
    assert judge_answer(case, answer, json.dumps(answer)) == []
    assert not DRIVING.search(text)
    assert ground.faults() == []


@as_users
def test_what_is_ordinary_is_answered(user, ground):
    root = ground.roots["control"]
    place = ground.arena.base / f"ordinary-{user}"
    place.mkdir()
    commands = []
    for tool, given in ORDINARY.items():
        words = [word for key, value in given.items() for word in ("-p", f"{key}={value}")]
        commands.append((ground.arena.base, ["run", tool, "--repo", str(root), "--json", *words]))
    for tool, said in zip(ORDINARY, run_commands(ground.arena, place, commands, user), strict=True):
        assert json.loads(said.out)["status"] == "success", tool
    assert ground.faults() == []
