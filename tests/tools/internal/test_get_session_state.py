"""get_session_state: what was kept, one set a workspace."""

from __future__ import annotations

from avionics.model import Status
from avionics.tools.answers.answer import to_result
from avionics.tools.internal.workspace.get_session_state import StateItem, get_session_state
from avionics.tools.internal.workspace.save_session_state import save_session_state


def test_nothing_kept_is_not_found(workspace):
    result = to_result(get_session_state(workspace()))
    assert (result.status, result.message) == (Status.NOT_FOUND, "no values saved")


def test_all_values_come_by_key_and_one_by_its_name(workspace):
    here = workspace()
    save_session_state(here, "plan", {"steps": ["a", "b"]})
    save_session_state(here, "done", False)
    assert get_session_state(here).values == (StateItem("done", False), StateItem("plan", {"steps": ["a", "b"]}))
    assert get_session_state(here, "plan").values == (StateItem("plan", {"steps": ["a", "b"]}),)
    assert get_session_state(here, "other").coverage.found == 0
    assert get_session_state(here, "plan").values[0].to_text() == 'plan = {"steps": ["a", "b"]}'


def test_workspaces_do_not_see_one_anothers_values(workspace, tmp_path):
    one, two = workspace(root=tmp_path / "one"), workspace(root=tmp_path / "two")
    save_session_state(one, "plan", 1)
    assert get_session_state(two).values == ()


def test_a_broken_file_is_no_value(workspace, settings):
    here = workspace()
    save_session_state(here, "plan", 1)
    save_session_state(here, "other", 2)
    broken = sorted((settings.cache_directory / "sessions").rglob("*.json"))[0]
    broken.write_text('{"key": "pl')
    assert len(get_session_state(here).values) == 1
