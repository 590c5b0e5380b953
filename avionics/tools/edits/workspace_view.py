"""A view of a workspace as it is on disk, and as it would be with other texts of some files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from avionics.model.errors import SourceError
from avionics.overlay import Overlays, OverlayWorkspace
from avionics.source.read import decode, encode
from avionics.tools.edits.source_text import LineText

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.workspace import Workspace


class WorkspaceView:
    """One state of a workspace. Nothing is written."""

    def __init__(self, overlays: Overlays, state: OverlayWorkspace) -> None:
        self._overlays = overlays
        self._state = state
        self._texts: dict[str, LineText] = {}

    @classmethod
    def of(cls, workspace: Workspace) -> WorkspaceView:
        """Return the files as they are on disk."""
        overlays = Overlays(workspace)
        return cls(overlays, overlays.at({}))

    def close(self) -> None:
        """Drop what is kept in memory for this state and those edited from it."""
        self._overlays.close()

    @cached_property
    def code(self) -> CodeIndex:
        return self._state.code

    def text(self, file: str) -> LineText:
        if file not in self._texts:
            try:
                content = decode(self._state.source.read_known(file))
            except SourceError:
                content = ""
            self._texts[file] = LineText(content)
        return self._texts[file]

    def edited(self, texts: Mapping[str, str]) -> WorkspaceView:
        buffers = {file: encode(content) for file, content in texts.items()}
        return WorkspaceView(self._overlays, self._state.with_buffers({**self._state.buffers, **buffers}))
