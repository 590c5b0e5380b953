"""get_session_state: what was kept with save_session_state.

Knows: the session state of the workspace.
Does not know: what the values mean.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import attrs

from avionics.model.results import Coverage, complete
from avionics.tools.answers.answer import part
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.session_state import SessionState

if TYPE_CHECKING:
    from avionics.workspace import Workspace


@attrs.frozen
class StateItem:
    """A key and its value."""

    key: str
    value: Any

    def to_text(self) -> str:
        """One line."""
        return f"{self.key} = {json.dumps(self.value, ensure_ascii=False)}"


@attrs.frozen
class GetSessionStateAnswer:
    """What is kept, by key."""

    coverage: Coverage
    values: tuple[StateItem, ...] = part("")

    def headline(self) -> str:
        """How many values there are."""
        return f"{self.coverage.found} values kept" if self.coverage.found else "nothing kept"


@tool(ToolId.GET_SESSION_STATE, accepts="a key, or nothing for all", returns="the values kept for this workspace")
def get_session_state(workspace: Workspace, key: str | None = None) -> GetSessionStateAnswer:
    """Get values kept earlier for this workspace.

    Args:
        key: Only the value of this key.
    """
    state = SessionState.of(workspace.root, workspace.settings).load()
    values = tuple(StateItem(name, value) for name, value in state.items() if key in (None, name))
    return GetSessionStateAnswer(complete(len(values)), values)
