"""`avionics man`: the manual page, made from the commands and their help."""

from __future__ import annotations

from collections.abc import Iterator

import click

import avionics
from avionics.cli.options import examples
from avionics.cli.output.exit_codes import ANSWERED

_ENVIRONMENT = {
    "AVIONICS_CACHE_DIR": "Where the index is stored, instead of the user's cache directory.",
    "AVIONICS_NO_IGNORE": "If 1, files that .gitignore and similar files exclude are included.",
    "AVIONICS_LINK": "The address that links in a terminal lead to, with {path} and {line}, or none.",
    "AVIONICS_TIMEOUT": "Seconds that a call may take.",
    "AVIONICS_WORKERS": "The number of processes that parse; 0 is one for each core.",
    "NO_COLOR": "If set, no colours are used unless --color always is given.",
    "PAGER": "The program that shows output longer than the terminal.",
}
_EXIT_CODES = {0: "answered", 1: "nothing found", 2: "usage error or permission denied", 3: "failed"}


@click.command("man", epilog=examples("avionics man | man -l -", "avionics man > avionics.1"))
def man_command() -> int:
    """Print the manual page."""
    click.echo("\n".join(iter_page()))
    return ANSWERED


def iter_page() -> Iterator[str]:
    """Yield the lines of the page in the language of roff."""
    from avionics.cli.shell.group import MODULES, group

    yield f'.TH AVIONICS 1 "" "avionics {avionics.__version__}" "User Commands"'
    yield from (".SH NAME", "avionics \\- answer questions about a codebase, with citations")
    yield from (".SH SYNOPSIS", ".B avionics", ".I COMMAND", "[\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]")
    yield from (".SH DESCRIPTION", _escape(group.help or ""))
    yield "Results are grouped by file on a terminal, and one line each elsewhere."
    yield ".SH COMMANDS"
    context = click.Context(group, info_name="avionics")
    for name in MODULES:
        command = group.get_command(context, name)
        if command is not None and not command.hidden:
            yield from _iter_command(name, command, context)
    yield ".SH ENVIRONMENT"
    for variable, meaning in _ENVIRONMENT.items():
        yield from (".TP", f".B {_escape(variable)}", _escape(meaning))
    yield ".SH EXIT STATUS"
    for code, meaning in _EXIT_CODES.items():
        yield from (".TP", f".B {code}", meaning)


def _iter_command(name: str, command: click.Command, above: click.Context) -> Iterator[str]:
    """Yield the section of a command: how it is called, what it does, its options and examples."""
    context = click.Context(command, info_name=name, parent=above)
    yield f".SS {_escape(' '.join([name, *command.collect_usage_pieces(context)[1:]]))}"
    for paragraph in (command.help or "").split("\n\n"):
        yield from (_escape(" ".join(paragraph.split())), ".PP")
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context) if isinstance(parameter, click.Option) else None
        if record is not None and record[0] != "-h, --help":
            yield from (".TP", f".B {_escape(record[0])}", _escape(" ".join(record[1].split())))
    shown = [line.strip() for line in (command.epilog or "").split("\n") if line.startswith("  ")]
    if shown:
        yield from (".PP", ".RS", ".nf", *map(_escape, shown), ".fi", ".RE")


def _escape(text: str) -> str:
    """Escape text for roff: backslashes, hyphens, and a dot or quote at the start."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
