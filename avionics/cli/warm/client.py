"""The entry point of `avionics`: forward the command to the process that watches the directory, if there is one.

This module imports almost nothing, because importing the command line takes longer than the answer of a warm process.
If anything is not as expected, the command runs here as if there were no such process.
"""

from __future__ import annotations

import gc
import os
import sys

ASKED = frozenset(
    {
        "ask", "callees", "callers", "complete", "def", "diff", "grep", "history", "impact", "importers", "imports",
        "outline", "path", "refs", "run", "search", "status", "tests", "unused",
    }
)  # fmt: skip
"""The commands that a warm process answers."""

_OWN = ("-h", "--help", "--model", "--base-url", "--key-file", "--api", "--no-ignore")
"""Commands with these options run in this process: help, slow calls of a chat model, and files that are not watched."""

SETTINGS = ("AVIONICS_", "EMBEDDINGS_", "GIT_", "HOME", "RERANKER_", "TZ", "XDG_")
"""Prefixes of the environment variables that answers depend on; client and server must agree on them."""

PRESENTATION = ("AVIONICS_LINK", "EDITOR", "NO_COLOR", "TERM", "TERM_PROGRAM", "VISUAL")
"""Variables that only the form of an answer depends on."""

_COLLECTED_EVERY = 100_000
"""New objects between two garbage collections, where Python collects every 700: start-up allocates much and frees
nothing, and each collection takes longer than the one before."""

_ACCEPT_SECONDS = 2.0
"""How long to wait for a connection; a suspended process does not accept, a busy one refuses at once."""


def main() -> int:
    """Run the command line of this process and return its exit code."""
    arguments = sys.argv[1:]
    if arguments and arguments[0] in ASKED:
        code = ask_warm_process(arguments)
        if code is not None:
            return code
    gc.set_threshold(_COLLECTED_EVERY)
    from avionics.quick_imports import import_pathlib

    import_pathlib()
    from avionics.cli.main import main as run

    return run()


def ask_warm_process(arguments: list[str]) -> int | None:
    """Have the process that watches the directory answer, and return the exit code; None if that is not possible."""
    if not hasattr(os, "getuid") or any(each.startswith(_OWN) for each in arguments):
        return None
    from avionics.cli.warm.wire import get_socket, is_trusted_socket

    try:
        root = os.path.realpath(get_directory_of(arguments))
        path = get_socket(root)
        if "AVIONICS_MODEL" in os.environ or not is_trusted_socket(path):
            return None
        reply = _exchange(path, describe_request(root, arguments))
    except (OSError, ValueError):
        return None
    except KeyboardInterrupt:
        return 130
    return None if reply is None else _show(*reply)


def get_directory_of(arguments: list[str]) -> str:
    """Return the value of --repo, or the current directory."""
    for at, argument in enumerate(arguments):
        if argument == "--repo" and at + 1 < len(arguments):
            return arguments[at + 1]
        if argument.startswith("--repo="):
            return argument[len("--repo=") :]
    return "."


def describe_request(root: str, arguments: list[str]) -> list[str]:
    """Return the fields of a request: who asks, where and on which terminal, the environment, the command."""
    from avionics.cli.warm.wire import IDENTITY

    is_terminal = sys.stdout.isatty()
    columns, lines = measure_terminal() if is_terminal else (0, 0)
    settings, presentation = read_environment(SETTINGS), read_environment(PRESENTATION)
    numbers = (int(is_terminal), columns, lines, len(settings), len(presentation))
    return [
        IDENTITY, root, os.getcwd(), sys.stdout.encoding, *map(str, numbers), *settings, *presentation, *arguments,
    ]  # fmt: skip


def read_environment(names: tuple[str, ...]) -> list[str]:
    """Return the variables whose names start with one of these, as NAME=VALUE, in order."""
    exact = names == PRESENTATION
    return sorted(
        f"{name}={value}"
        for name, value in os.environ.items()
        if (name in names if exact else name.startswith(names) and name not in PRESENTATION)
    )


def measure_terminal() -> tuple[int, int]:
    """Return the columns and lines of the terminal; COLUMNS and LINES take precedence."""
    try:
        measured: tuple[int, int] = os.get_terminal_size(sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        measured = (80, 24)
    columns, lines = os.environ.get("COLUMNS", ""), os.environ.get("LINES", "")
    return (
        int(columns if columns.isdigit() else 0) or measured[0] or 80,
        int(lines if lines.isdigit() else 0) or measured[1] or 24,
    )


def _exchange(path: str, fields: list[str]) -> tuple[int, bool, bytes, bytes] | None:
    """Send a request and return the reply; None if the process refuses, is busy or ends."""
    import socket

    from avionics.cli.warm.wire import ACCEPTED, is_same_user, pack, read_exactly, read_reply

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(_ACCEPT_SECONDS)
        connection.connect(path)
        if not is_same_user(connection):
            return None
        connection.sendall(pack(fields))
        if read_exactly(connection, 1) != ACCEPTED:
            return None
        connection.settimeout(None)
        return read_reply(connection)


def _show(code: int, is_paged: bool, out: bytes, err: bytes) -> int:
    """Write a reply as the command itself would have written it."""
    try:
        sys.stderr.buffer.write(err)
        sys.stderr.flush()
        if is_paged:
            import click

            click.echo_via_pager(out.decode(sys.stdout.encoding, "replace"), color=True)
        else:
            sys.stdout.buffer.write(out)
            sys.stdout.flush()
    except BrokenPipeError:
        # The reader has closed the pipe; the rest of the buffer must not cause an error at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code
