"""save_session_state: save a small value for later calls.

The value is written to the cache directory, never to the repository.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Struct

from avionics.model.enums import RiskLevel
from avionics.model.naming import plural
from avionics.model.results import Coverage, complete
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.internal.workspace.session_state import MAX_KEY_CHARACTERS, SessionState
from avionics.tools.schema.parameters import Bounds
from avionics.workspace import Workspace


class SaveSessionStateAnswer(Struct, frozen=True):
    """What was saved."""

    key: str
    bytes: int
    coverage: Coverage

    def headline(self) -> str:
        return f"saved {self.key} ({plural(self.bytes, 'byte')})"


@tool(
    ToolId.SAVE_SESSION_STATE,
    accepts="a key and any JSON value",
    returns="the size of the saved value",
    risk_level=RiskLevel.MEDIUM,
)
def save_session_state(
    workspace: Workspace, key: Annotated[str, Bounds(min_length=1, max_length=MAX_KEY_CHARACTERS)], value: Any
) -> SaveSessionStateAnswer:
    """Save a small value for later calls about this workspace.

    Args:
        key: The key to find it by.
        value: Any JSON value of at most 64 KiB; it replaces an earlier one.

    Raises:
        UsageError: The value is not JSON or too large, or there are too many keys.
    """
    size = SessionState.of(workspace.root, workspace.settings).save(key, value)
    return SaveSessionStateAnswer(key, size, complete(1))
