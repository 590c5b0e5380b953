"""The options and examples that several commands share, for click."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from avionics.cli.input.command_line import (
    BUDGET,
    CALL_OPTIONS,
    FLEET,
    JSON,
    NO_IGNORE,
    REPO,
    REVISION,
    TIMEOUT,
    Option,
    OptionValue,
    is_ignoring,
)

CommandT = TypeVar("CommandT", bound=Callable[..., Any])

_TYPES: dict[OptionValue, click.ParamType[Any]] = {
    OptionValue.TEXT: click.STRING,
    OptionValue.DIRECTORY: click.Path(exists=True, file_okay=False, path_type=Path),
    OptionValue.COUNT: click.IntRange(min=0),
    OptionValue.SECONDS: click.FloatRange(min=0, min_open=True),
}


def build_option(option: Option, **more: Any) -> Callable[[CommandT], CommandT]:
    """Return the option for click."""
    if option.kind is OptionValue.FLAG:
        return click.option(*option.names, option.key, is_flag=True, help=option.help, **more)
    if option.default is not None:
        more["default"] = str(option.default)
    kind = click.Choice(option.choices) if option.choices else _TYPES[option.kind]
    return click.option(
        *option.names, option.key, type=kind, multiple=option.is_repeated, metavar=option.metavar or None,
        help=option.help, **more,
    )  # fmt: skip


def _note_no_ignore(_context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    is_ignoring.set(not value)


repo_option = build_option(REPO)
json_option = build_option(JSON)
budget_option = build_option(BUDGET)
timeout_option = build_option(TIMEOUT)
no_ignore_option = build_option(NO_IGNORE, expose_value=False, is_eager=True, callback=_note_no_ignore)
revision_option = build_option(REVISION)
fleet_option = build_option(FLEET)
output_option = click.option(
    "-o", "--output", type=click.Path(dir_okay=False, writable=True, path_type=Path), metavar="FILE",
    help="Write to FILE instead of standard output.",
)  # fmt: skip
owner_option = click.option("--owner", metavar="REPOSITORY", help="The repository of a fleet that defines the symbol.")


def directory_argument(command: Callable[..., int]) -> Callable[..., int]:
    """Add the directory as an argument, and as `--repo`, which every other command takes."""

    @click.argument("directory", required=False, type=_TYPES[OptionValue.DIRECTORY])
    @repo_option
    @functools.wraps(command)
    def run(directory: Path | None, repo: Path, **given: Any) -> int:
        if directory is not None and "repo" in get_given_options():
            raise click.UsageError("Give the directory once: as an argument or with --repo.")
        return command(repo=directory or repo, **given)

    return run


def get_given_options() -> frozenset[str]:
    """Return the parameters of the command that the command line gives."""
    context = click.get_current_context()
    return frozenset(
        name for name in context.params if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    )


def call_options(command: CommandT) -> CommandT:
    """Add the options of every call."""
    for option in reversed(CALL_OPTIONS):
        command = no_ignore_option(command) if option is NO_IGNORE else build_option(option)(command)
    return command


def examples(*commands: str) -> str:
    """Return the examples of a help text, one command per line."""
    return "\b\nExamples:\n" + "\n".join(f"  {command}" for command in commands)
