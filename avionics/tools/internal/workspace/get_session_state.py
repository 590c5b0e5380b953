"""get_session_state: return values saved with save_session_state."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct

from avionics.model.naming import plural
from avionics.model.results import Coverage, complete
from avionics.tools.answers.answer import part
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.internal.workspace.session_state import SessionState
from avionics.workspace import Workspace


class StateItem(Struct, frozen=True):
    """A saved value and its key."""

    key: str
    value: Any

    def to_text(self) -> str:
        return f"{self.key} = {json.dumps(self.value, ensure_ascii=False)}"


class GetSessionStateAnswer(Struct, frozen=True):
    """The saved values, sorted by key."""

    coverage: Coverage
    values: tuple[StateItem, ...] = part("")

    def headline(self) -> str:
        return f"{plural(self.coverage.found, 'value')} saved" if self.coverage.found else "no values saved"


@tool(ToolId.GET_SESSION_STATE, accepts="a key, by default all", returns="the values saved for this workspace")
def get_session_state(workspace: Workspace, key: str | None = None) -> GetSessionStateAnswer:
    """Get values saved earlier for this workspace.

    Args:
        key: Only the value of this key.
    """
    state = SessionState.of(workspace.root, workspace.settings).load()
    values = tuple(StateItem(name, value) for name, value in state.items() if key in (None, name))
    return GetSessionStateAnswer(complete(len(values)), values)
