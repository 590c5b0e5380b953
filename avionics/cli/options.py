"""The options and examples that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from avionics.settings import Settings

ANSWERED, NOTHING_FOUND, ASKED_BADLY, FAILED, INTERRUPTED = 0, 1, 2, 3, 130
SIGNALLED = 128
"""A process that a signal ended exits with this plus the number of the signal, as shells report it."""

_NO_IGNORE = "avionics.no_ignore"

CommandT = TypeVar("CommandT", bound=Callable[..., Any])

repo_option = click.option(
    "--repo", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".", metavar="DIR",
    help="The directory to ask about.  [default: the current one]",
)  # fmt: skip
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
budget_option = click.option(
    "--budget", type=click.IntRange(min=0), metavar="TOKENS",
    help="Length limit of the answer; 0 is unlimited, the default with --json.",
)  # fmt: skip
timeout_option = click.option(
    "--timeout", type=click.FloatRange(min=0, min_open=True), metavar="S", help="Seconds allowed."
)

no_ignore_option = click.option(
    "--no-ignore", is_flag=True, expose_value=False, is_eager=True,
    callback=lambda context, _, value: context.meta.update({_NO_IGNORE: value}),
    help="Include files that .gitignore and the like name, as AVIONICS_NO_IGNORE=1 does.",
)  # fmt: skip

revision_option = click.option(
    "--rev",
    metavar="REVISION",
    help="Ask about a commit, tag or branch, such as HEAD~10, instead of the files on the disk.",
)
fleet_option = click.option(
    "--fleet", metavar="URL",
    help="Ask the repositories of a fleet; AVIONICS_FLEET_GROUPS names your access groups.  "
    "[default: AVIONICS_FLEET, unless --repo or --rev is given]",
)  # fmt: skip


def get_asked_fleet(url: str | None) -> str:
    """Return the URL of the fleet that a command asks, "" if it asks a directory."""
    if url is not None:
        return url
    context = click.get_current_context()
    given = (context.get_parameter_source(name) for name in ("repo", "rev"))
    is_about_directory = any(source is ParameterSource.COMMANDLINE for source in given)
    return "" if is_about_directory else read_settings().fleet.reveal()


def call_options(command: CommandT) -> CommandT:
    """Add the options of every call."""
    for option in (timeout_option, budget_option, json_option, no_ignore_option, revision_option, repo_option):
        command = option(command)
    return command


def read_settings() -> Settings:
    """Return the settings of the environment, with what the options of the command say."""
    from msgspec import structs

    from avionics.settings import Settings

    context = click.get_current_context(silent=True)
    settings = Settings.from_environment()
    is_ignoring = not (context and context.meta.get(_NO_IGNORE))
    return settings if is_ignoring else structs.replace(settings, obeys_ignore_files=False)


def examples(*commands: str) -> str:
    """Return the examples of a help text, one command per line."""
    return "\b\nExamples:\n" + "\n".join(f"  {command}" for command in commands)
