"""save_session_state: small values, kept outside the repository, replaced whole."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from avionics.model import RiskLevel, SourceError, UsageError
from avionics.settings import Settings
from avionics.tools import tool_catalog
from avionics.tools.answers.answer import to_result
from avionics.tools.internal.workspace.get_session_state import get_session_state
from avionics.tools.internal.workspace.save_session_state import save_session_state
from avionics.tools.internal.workspace.session_state import MAX_KEYS, SessionState


def test_a_saved_value_replaces_the_one_before(workspace):
    here = workspace()
    assert to_result(save_session_state(here, "plan", {"step": 1})).text.startswith("saved plan (11 bytes)")
    save_session_state(here, "plan", ["a", None, 1.5])
    assert get_session_state(here, "plan").values[0].value == ["a", None, 1.5]


def test_what_writes_is_neither_cached_nor_retried():
    assert tool_catalog.get_tool("save_session_state").risk_level is RiskLevel.MEDIUM


def test_nothing_is_written_into_the_repository(workspace):
    here = workspace({"a.py": "x = 1"})
    save_session_state(here, "plan", 1)
    assert [path.name for path in here.root.iterdir()] == ["a.py"]


@pytest.mark.parametrize("value", [{1, 2}, float("nan"), b"x", object()])
def test_what_is_no_json_is_refused(workspace, value):
    with pytest.raises(UsageError, match="not JSON"):
        save_session_state(workspace(), "plan", value)


def test_a_value_that_contains_itself_is_refused(workspace):
    endless = []
    endless.append(endless)
    with pytest.raises(UsageError, match="not JSON"):
        save_session_state(workspace(), "plan", endless)


def test_size_and_number_are_bounded(workspace):
    here = workspace()
    with pytest.raises(UsageError, match="65538 bytes"):
        save_session_state(here, "plan", "x" * 64 * 1024)
    for key in ("", "k" * 201):
        with pytest.raises(UsageError, match="1 to 200 characters"):
            save_session_state(here, key, 1)
    for number in range(MAX_KEYS):
        save_session_state(here, str(number), number)
    with pytest.raises(UsageError, match=f"{MAX_KEYS} keys"):
        save_session_state(here, "one more", 1)
    save_session_state(here, "0", "replaced")


@pytest.mark.parametrize("key", ["../../escape", "/etc/passwd", "a/b", "nul\x00", "ключ", "\ud800"])
def test_any_key_is_only_a_name(workspace, settings, key):
    here = workspace()
    save_session_state(here, key, 1)
    assert [item.key for item in get_session_state(here).values] == [key]
    written = [path for path in settings.cache_directory.rglob("*") if path.is_file() and path.suffix == ".json"]
    assert [path.parent.parent.name for path in written] == ["sessions"]


def save_many(root: Path, cache: Path, name: str) -> None:
    state = SessionState.of(root, Settings(cache_directory=cache))
    for number in range(50):
        state.save("shared", {"by": name, "number": number})
        state.save(f"{name} {number}", number)


def test_processes_that_save_at_once_lose_nothing(tmp_path):
    start = multiprocessing.get_context("spawn")
    writers = [start.Process(target=save_many, args=(tmp_path, tmp_path / "cache", name)) for name in ("a", "b")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    kept = SessionState.of(tmp_path, Settings(cache_directory=tmp_path / "cache")).load()
    assert kept.pop("shared")["number"] == 49
    assert kept == {f"{name} {number}": number for name in ("a", "b") for number in range(50)}


def test_a_cache_that_cannot_be_written_is_a_failure_of_the_source(tmp_path):
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(SourceError, match="cannot be written"):
        SessionState.of(tmp_path, Settings(cache_directory=tmp_path / "cache")).save("plan", 1)
