"""`avionics watch`: keep a directory warm for the command line."""

from __future__ import annotations

from contextlib import closing, suppress
from importlib import import_module
from pathlib import Path

import click

from avionics.cli import text
from avionics.cli.options import directory_argument, examples
from avionics.cli.output.exit_codes import ANSWERED
from avionics.model.naming import plural
from avionics.settings import Settings


@click.command("watch", epilog=examples("avionics watch &", "avionics watch ../flask"))
@directory_argument
def watch_command(repo: Path) -> int:
    """Keep the index of a directory in memory, for faster answers.

    Runs until it is interrupted. Commands find the process by a socket that only you can use. They never need it:
    without it, or while it is busy, they do the work themselves, with the same answer.
    """
    from avionics.cli.indexing import Bar
    from avionics.cli.warm.server import WarmServer
    from avionics.workspace import Workspace

    with Workspace.open(repo, Settings.from_environment()) as workspace, closing(WarmServer(workspace)) as server:
        with Bar() as bar:
            report = workspace.index(bar.show)
        is_watched = workspace.watch()
        load_modules()
        looks = "changes are noticed at once" if is_watched else "each command looks for changes"
        text.show_text(f"watching {workspace.root}: {plural(report.files, 'source file')}; {looks}; stop with Ctrl+C")
        with suppress(KeyboardInterrupt):
            server.serve()
    return ANSWERED


def load_modules() -> None:
    """Import the modules of the command line and of the tools, so that the first question need not."""
    from avionics.cli.shell.group import MODULES
    from avionics.tools import tool_catalog

    for name in {*MODULES.values()}:
        import_module(f"avionics.cli.{name}")
    for name in tool_catalog.get_tool_names():
        tool_catalog.get_tool(name)
