"""save_session_state: keep a small value for later calls.

It writes, though only our own cache and never the repository: so it is neither cached nor retried.

Knows: the session state of the workspace.
Does not know: what the values mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import attrs

from avionics.model.enums import RiskLevel
from avionics.model.results import Coverage, complete
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.session_state import MAX_KEY_CHARACTERS, SessionState
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.workspace import Workspace


@attrs.frozen
class SaveSessionStateAnswer:
    """What was kept."""

    key: str
    bytes: int
    coverage: Coverage

    def headline(self) -> str:
        """The key and its size."""
        return f"kept {self.key} ({self.bytes} bytes)"


@tool(
    ToolId.SAVE_SESSION_STATE,
    accepts="a key and any JSON value",
    returns="the size of what was kept",
    risk_level=RiskLevel.MEDIUM,
)
def save_session_state(
    workspace: Workspace,
    key: Annotated[str, Bounds(min_length=1, max_length=MAX_KEY_CHARACTERS)],
    value: Any,
) -> SaveSessionStateAnswer:
    """Keep a small value for later calls about this workspace.

    Args:
        key: What to find it by.
        value: Any JSON value, at most 64 KiB; it replaces the one before.

    Raises:
        UsageError: The value is no JSON or too large, or there are too many keys.
    """
    size = SessionState.of(workspace.root, workspace.settings).save(key, value)
    return SaveSessionStateAnswer(key, size, complete(1))
