"""find_path shows how control gets from one place to another, and claims no way that the code does not have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from avionics.index.flows import path_search
from avionics.model.enums import Status
from avionics.model.errors import UsageError
from avionics.model.reasons import ReasonKind
from avionics.model.tools import ToolCall, ToolContext
from avionics.tools.composite.find_path import find_path
from avionics.tools.executor import ToolExecutor

_FENCE = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.M | re.S)
_QUESTION = re.compile(r"^`(.+?) -> (.+?)`: (.+)$", re.M)
SECTIONS = re.split(r"^## ", Path(__file__).with_name("paths.md").read_text(encoding="utf-8"), flags=re.M)[1:]
FILES = {"app.py": "def main():\n    run()\n\n\ndef run():\n    save()\n\n\ndef save(): ...\n\n\ndef lonely(): ...\n"}


@pytest.mark.parametrize("section", SECTIONS, ids=[section.partition("\n")[0] for section in SECTIONS])
def test_a_path_is_what_the_case_says(workspace, section):
    opened = workspace(dict(_FENCE.findall(section)))
    questions = _QUESTION.findall(section)
    assert questions
    for start, goal, expected in questions:
        answer = find_path(opened, start, goal)
        if expected in {"no path", "no proven path", "unknown"}:
            assert answer.steps == ()
            assert answer.coverage.status is Status.NOT_FOUND
            assert ("no path" in answer.subject) is (expected == "no path")
            assert ("no proven path" in answer.subject) is (expected == "no proven path")
            continue
        steps = [step for step in answer.steps if step.path == 1]
        assert [f"{'? ' if s.reason else ''}{s.file}:{s.line} {s.role} {s.target}" for s in steps] == expected.split(
            " · "
        )


def test_a_third_of_the_cases_are_refusals():
    assert sum("no path" in section or "unknown" in section for section in SECTIONS) >= len(SECTIONS) // 3


def test_every_step_is_cited_with_its_code(workspace, settings):
    context = ToolContext(workspace=workspace(FILES))
    result = ToolExecutor(settings=settings).run(ToolCall("find_path", {"start": "main", "goal": "save"}), context)
    assert result.text.startswith(
        "main → save: 1 path found\n\npath 1: 2 steps\n  main (app.py:1)\n  app.py:2 calls run (app.py:5) | run()\n"
        "  app.py:6 calls save (app.py:9) | save()\n"
    )
    assert {"app.py:2", "app.py:6"} <= set(result.data["citations"])


def test_where_there_is_no_path_the_answer_says_what_was_searched(workspace):
    answer = find_path(workspace(FILES), "main", "lonely")
    (reason,) = answer.coverage.reasons
    assert reason.kind is ReasonKind.PATHS_SEARCHED
    assert (reason.count, reason.total, reason.subject, reason.detail) == (3, 1, "2", "0")


def test_a_search_that_has_no_time_says_so(workspace, settings, monkeypatch):
    monkeypatch.setattr(path_search, "_MIN_PROCESSOR_SECONDS", 0.0)
    context = ToolContext(workspace=workspace(FILES), answer_seconds=1e-9)
    result = ToolExecutor(settings=settings).run(ToolCall("find_path", {"start": "main", "goal": "save"}), context)
    assert result.status is Status.NOT_FOUND
    assert "the search ended at its limit" in result.text
    assert "the search ended before it found a path" in result.text
    assert "no path" not in result.text


def test_no_path_is_ruled_out_where_files_were_not_read(workspace):
    opened = workspace(FILES)
    opened.code.source.unread = {"other.py"}
    answer = find_path(opened, "main", "lonely")
    assert answer.subject.startswith("the search ended before it found a path from main")
    assert ReasonKind.PATH_SEARCH_CUT in {reason.kind for reason in answer.coverage.reasons}


def test_a_search_that_begins_late_still_gets_a_share_of_the_processor(workspace, settings):
    context = ToolContext(workspace=workspace(FILES), answer_seconds=1e-9)
    result = ToolExecutor(settings=settings).run(ToolCall("find_path", {"start": "main", "goal": "save"}), context)
    assert result.text.startswith("main → save: 1 path")


def test_the_last_step_shows_where_in_its_function_the_database_is_reached(workspace):
    files = {"app.py": "def main(db):\n    save(db)\n\n\ndef save(db):\n    row = 1\n    db.execute('SELECT 1', row)\n"}
    (step,) = find_path(workspace(files), "main", "the database").steps
    assert (step.file, step.line, step.target, step.target_at) == ("app.py", 2, "save", "app.py:7")


def test_calls_on_different_lines_are_not_one_step(workspace):
    files = {
        "app.py": "def main():\n    save_file()\n    save_copy()\n\n\ndef save_file(): ...\n\n\ndef save_copy(): ...\n"
    }
    steps = find_path(workspace(files), "main", "saving").steps
    assert [(each.line, each.target, each.also) for each in steps] == [(2, "save_file", ()), (3, "save_copy", ())]


def test_the_same_question_has_the_same_answer(workspace):
    opened = workspace(FILES)
    assert find_path(opened, "main", "save") == find_path(opened, "main", "save")


def test_one_place_has_no_path_to_itself(workspace):
    with pytest.raises(UsageError, match="same place"):
        find_path(workspace(FILES), "main", "app.py:2")


def test_names_that_mean_nothing_are_told_with_those_alike(workspace):
    answer = find_path(workspace(FILES), "main", "sav")
    assert answer.subject == "no symbol, file, entry point or text 'sav'"
    assert [item.name for item in answer.near] == ["save (app.py:9)"]


def test_a_start_from_which_everything_was_followed_has_no_proven_path(workspace):
    chain = "".join(f"def step{at}():\n    step{at + 1}()\n\n\n" for at in range(405))
    answer = find_path(
        workspace({"app.py": f"{chain}def step405(): ...\n\n\ndef lonely(): ...\n"}), "lonely", "step405"
    )
    assert answer.subject.startswith("no proven path from lonely")
    assert ReasonKind.PATH_SEARCH_CUT in {each.kind for each in answer.coverage.reasons}


def test_implementations_that_only_the_last_step_tells_apart_are_one_path(workspace):
    files = {
        "base.py": "class Store:\n    def save(self):\n        raise NotImplementedError\n\n\n"
        "class File(Store):\n    def save(self):\n        open('x', 'w')\n\n\n"
        "class Copy(Store):\n    def save(self):\n        open('y', 'w')\n",
        "app.py": "from base import Store\n\n\ndef main(store: Store):\n    store.save()\n",
    }
    answer = find_path(workspace(files), "main", "the file system")
    assert answer.subject == "main → the file system: 1 path found"
    assert [(each.target, each.also) for each in answer.steps] == [
        ("Store.save", ()),
        ("File.save", ("Copy.save (base.py:13)",)),
    ]


def test_a_misspelt_end_leads_to_the_call_with_the_most_similar_name(workspace):
    answer = find_path(workspace(FILES), "mian", "save")
    assert [each.name for each in answer.near] == ["main (app.py:1)"]
    assert answer.coverage.next.arguments == {"start": "main", "goal": "save"}


def test_a_step_has_all_lines_that_call_its_target(workspace):
    opened = workspace({"app.py": "def main():\n    save()\n    save()\n\n\ndef save(): ...\n"})
    (step,) = find_path(opened, "main", "save").steps
    assert (step.line, step.more_lines) == (2, (3,))


def test_what_leads_to_the_goal_is_shown_where_the_start_does_not(workspace):
    files = {
        "app.py": "def serve():\n    answer()\n\n\ndef answer():\n    act()\n\n\ndef act(): ...\n\n\n"
        "class Request:\n    def read(self): ...\n",
    }
    answer = find_path(workspace(files), "Request", "act")
    assert answer.steps == ()
    assert answer.subject.endswith("; serve (app.py:1) leads there")
    assert [(step.line, step.target) for step in answer.approach] == [(2, "answer"), (6, "act")]
    assert find_path(workspace(files), "Request", "serve").approach == ()


def test_the_last_steps_of_a_path_that_an_earlier_one_has_are_not_repeated(workspace):
    text = (
        "def main(fast):\n    one() if fast else two()\n\n\ndef one():\n    load()\n\n\ndef two():\n    load()\n\n\n"
        "def load():\n    parse()\n\n\ndef parse():\n    save()\n\n\ndef save(): ...\n"
    )
    steps = find_path(workspace({"app.py": text}), "main", "save").steps
    assert [(each.path, each.target, each.then) for each in steps] == [
        (1, "one", 0),
        (1, "load", 0),
        (1, "parse", 0),
        (1, "save", 0),
        (2, "two", 0),
        (2, "load", 1),
    ]
    assert steps[-1].to_text().endswith("\n  then as in path 1")
