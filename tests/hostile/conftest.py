"""The place apart where hostile repositories are built."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from avionics.model import Caller, ToolCall, ToolContext
from avionics.settings import Settings
from avionics.tools.executor import ToolExecutor
from avionics.workspace import Workspace
from tests.hostile.arena import DRIVING, Arena, Watch, class_of, judge
from tests.timing import PATIENCE_SECONDS


@pytest.fixture(scope="module")
def arena() -> Iterator[Arena]:
    """Directories that an ordinary user may go to, with what lies outside of the repositories."""
    place = Arena(Path(tempfile.mkdtemp(prefix="avionics-hostile-")).resolve())
    place.prepare()
    yield place
    shutil.rmtree(place.base, ignore_errors=True)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache for the questions of a module: making one takes longer than most questions."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def ask(arena: Arena, kept: Path) -> Iterator[Callable[..., dict[str, Any]]]:
    """Asks a tool about a directory through the pipeline that every door uses, and judges whatever comes back."""
    opened: dict[Path, Workspace] = {}
    settings = Settings(cache_directory=kept, timeout_seconds=PATIENCE_SECONDS)
    executor = ToolExecutor(settings=settings)

    def ask_tool(root: Path, tool: str, /, budget: int = 0, **given: Any) -> dict[str, Any]:
        if root not in opened:
            opened[root] = Workspace.open(root, settings)
        context = ToolContext(Caller("test"), opened[root], budget_tokens=budget)
        result = executor.run(ToolCall(tool, given), context)
        answer = result.to_dict()
        assert judge(answer) == [], (tool, given)
        assert not DRIVING.search(result.text)
        return {**answer, "text": result.text, "class": class_of(answer)}

    yield ask_tool
    for workspace in opened.values():
        workspace.close()


@pytest.fixture
def untouched(arena: Arena) -> Iterator[Callable[[Path], None]]:
    """Demands, when the test is over, that a directory is as it was, and that nothing outside was opened or ran."""
    watch = Watch(arena.outside, arena.base / "repos" / "control-evil")
    before: dict[Path, Any] = {}

    def remember(root: Path) -> None:
        before[root] = arena.fingerprint(root)
        watch.has_seen()

    yield remember
    assert not watch.has_seen(), "opened what lies outside"
    watch.close()
    assert arena.sprung() == []
    for root, seen in before.items():
        assert arena.fingerprint(root) == seen
