"""The circumstances of one command: its terminal, and the workspace that a warm process keeps for it."""

from __future__ import annotations

import sys
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from avionics.cli.input.command_line import is_ignoring
from avionics.settings import Settings, TerminalSettings

if TYPE_CHECKING:
    from avionics.workspace import Workspace


class Terminal(Struct, frozen=True):
    """Where standard output goes."""

    is_terminal: bool
    columns: int = 80
    lines: int = 24
    settings: TerminalSettings = TerminalSettings()

    @classmethod
    def detect(cls) -> Terminal:
        """Return the terminal of this process."""
        is_terminal = sys.stdout.isatty()
        columns, lines = 80, 24
        if is_terminal:
            from shutil import get_terminal_size

            columns, lines = get_terminal_size()
        return cls(is_terminal, columns, lines, TerminalSettings.from_environment())


class WarmSession(Struct, eq=False):
    """One command in a warm process.

    Attributes:
        workspace: The directory it may ask about without opening it.
        is_paged: Whether the output is for the client's pager.
    """

    terminal: Terminal
    workspace: Workspace
    is_paged: bool = False


current_session: ContextVar[WarmSession | None] = ContextVar("current_session", default=None)


def read_settings() -> Settings:
    """Return the settings of the environment, with what the options of the command say."""
    settings = Settings.from_environment()
    return settings if is_ignoring.get() else structs.replace(settings, obeys_ignore_files=False)


def get_terminal() -> Terminal:
    """Return the terminal that the command writes to."""
    session = current_session.get()
    return session.terminal if session else Terminal.detect()


def open_workspace(repo: Path, settings: Settings) -> Workspace:
    """Return the workspace of a directory: the one that is kept, or a new one."""
    session = current_session.get()
    if session and session.workspace.root == repo.resolve():
        return session.workspace
    from avionics.workspace import Workspace

    return Workspace.open(repo, settings.for_one_answer())


def release(workspace: Workspace) -> None:
    """Close a workspace unless it is kept for the next command."""
    session = current_session.get()
    if session is None or workspace is not session.workspace:
        workspace.close()
        if workspace.is_left_unindexed and sys.stderr is not None:
            print(
                "hint: this directory has no index, so each question searches it again; `avionics index` builds one",
                file=sys.stderr,
            )
