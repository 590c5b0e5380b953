"""A large check, of which a second process does a half: its answer is that of one process."""

from __future__ import annotations

import json

import pytest

from avionics.cli.changes import half_check
from avionics.cli.main import run
from avionics.own_process import start_own_process

MODULES = range(50)


@pytest.fixture
def changed_repository(git_repository, monkeypatch):
    """A repository in which half of the modules lost a function that others use, and half have another parameter."""
    files = {}
    for number in MODULES:
        stop, start = f"stop{number}", f"run{number}"
        files[f"lib/part{number}.py"] = f"def {stop}():\n    return 1\n\n\ndef {start}(mode):\n    return mode\n"
        files[f"use/user{number}.py"] = f"from lib.part{number} import {start}, {stop}\n\n{start}(1)\n{stop}()\n"
        files[f"far/again{number}.py"] = f"from use.user{number} import {stop}\n\n{stop}()\n"
    repository = git_repository(files)
    for number in MODULES:
        path = repository.root / f"lib/part{number}.py"
        old, new = ("def stop", "def halt") if number % 2 else ("(mode)", "(mode, depth)")
        path.write_text(path.read_text().replace(old, new))
    monkeypatch.chdir(repository.root)
    return repository


@pytest.fixture
def check(capsys, monkeypatch):
    """Checks the current directory on a number of cores, and gives the answer and how many files a helper checked."""

    def run_on(cores, start=start_own_process):
        received = []
        receive = half_check._receive

        def note(*arguments):
            half = receive(*arguments)
            received.append(0 if half is None else len(half.files))
            return half

        with monkeypatch.context() as patch:
            patch.setattr(half_check, "count_idle_cores", lambda _: cores)
            patch.setattr(half_check, "count_cores", lambda: cores)
            patch.setattr(half_check, "start_own_process", start)
            patch.setattr(half_check, "_receive", note)
            code = run(["check", "--json"])
        data = json.loads(capsys.readouterr().out)
        return code, data, received

    return run_on


def test_two_processes_give_the_answer_of_one(changed_repository, check):
    code, alone, received = check(1)
    assert (code, received) == (1, [])
    assert len(alone["data"]["errors"]) == len(MODULES) + len(MODULES) // 2
    both_code, both, (files,) = check(2)
    assert both_code == code
    assert 0 < files < 3 * len(MODULES)
    assert both["data"] == alone["data"]


@pytest.mark.parametrize("statements", ["raise SystemExit", "import time; time.sleep(0.1)"])
def test_a_helper_that_fails_costs_only_time(changed_repository, check, statements):
    _, alone, _ = check(1)
    _, found, received = check(2, lambda _: start_own_process(statements))
    assert received == [0]
    assert found["data"] == alone["data"]


def test_a_helper_that_read_other_files_is_not_believed(changed_repository, check, monkeypatch):
    _, alone, _ = check(1)
    contents = half_check._list_contents
    monkeypatch.setattr(half_check, "_list_contents", lambda pair: contents(pair)[1:])
    _, found, received = check(2)
    assert received == [0]
    assert found["data"] == alone["data"]


def test_a_small_change_starts_no_process(git_repository, check, monkeypatch):
    repository = git_repository({"core.py": "def stop():\n    return 1\n", "main.py": "import core\n\ncore.stop()\n"})
    (repository.root / "core.py").write_text("def halt():\n    return 1\n")
    monkeypatch.chdir(repository.root)
    code, found, received = check(2)
    assert (code, received, len(found["data"]["errors"])) == (1, [], 1)
