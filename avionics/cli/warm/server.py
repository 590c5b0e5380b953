"""Answer the commands of clients with one workspace, one after another."""

from __future__ import annotations

import gc
import io
import os
import select
import signal
import socket
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path

from msgspec import Struct

from avionics.cli.output.session import Terminal, WarmSession, current_session
from avionics.cli.warm.client import SETTINGS, read_environment
from avionics.cli.warm.wire import ACCEPTED, IDENTITY, get_socket, is_private, is_same_user, pack_reply, read_fields
from avionics.model import UsageError
from avionics.settings import TerminalSettings
from avionics.workspace import Workspace

_REQUEST_SECONDS = 1.0
"""The time limit for reading a request, which clients send at once."""

_REPLY_SECONDS = 60.0
"""The connection to a client that does not read for this long is closed."""

_HEAD = 9
"""The number of fields before the environment."""


class WarmRequest(Struct, frozen=True):
    """A command line as a client sends it, with the terminal and the directory it is run in."""

    directory: str
    encoding: str
    terminal: Terminal
    arguments: list[str]

    @classmethod
    def read(cls, fields: list[str], root: str) -> WarmRequest | None:
        """Return the request of some fields; None if it is for another installation, directory or environment."""
        if len(fields) < _HEAD or fields[:2] != [IDENTITY, root] or not all(map(str.isdigit, fields[4:_HEAD])):
            return None
        is_terminal, columns, lines, settings, presentation = map(int, fields[4:_HEAD])
        rest = fields[_HEAD:]
        if rest[:settings] != read_environment(SETTINGS):
            return None
        shown = dict(each.split("=", 1) for each in rest[settings : settings + presentation])
        terminal = Terminal(bool(is_terminal), columns or 80, lines or 24, TerminalSettings.from_environment(shown))
        return cls(fields[2], fields[3], terminal, rest[settings + presentation :])


class WarmServer:
    """Answers commands about one directory, indexed and watched, until it is closed.

    Raises:
        UsageError: Another process already watches it, or the socket cannot be private.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._root = str(workspace.root)
        self._turn = threading.Lock()
        self.path = get_socket(self._root)
        self._socket = _listen(self.path)

    def serve(self) -> None:
        """Answer clients until the process is interrupted or told to end."""
        gc.collect()
        gc.freeze()
        with _open_end() as end:
            while end not in select.select((self._socket, end), (), ())[0]:
                self._accept()

    def _accept(self) -> None:
        """Accept a client, and answer it in a thread."""
        with suppress(BlockingIOError):
            connection, _ = self._socket.accept()
            connection.settimeout(None)
            # A client that is not accepted runs its command itself, which is better than waiting.
            if is_same_user(connection) and self._turn.acquire(blocking=False):
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()
            else:
                connection.close()

    def close(self) -> None:
        """Stop listening, and remove the socket."""
        self._socket.close()
        with suppress(OSError):
            os.unlink(self.path)

    def _answer(self, connection: socket.socket) -> None:
        """Answer one client; an error ends only this answer, and the client runs its command itself."""
        try:
            with connection, suppress(OSError):
                connection.settimeout(_REQUEST_SECONDS)
                fields = read_fields(connection)
                request = WarmRequest.read(fields, self._root) if fields else None
                if request is None:
                    return
                connection.settimeout(_REPLY_SECONDS)
                connection.sendall(ACCEPTED)
                reply = self._run(request)
                connection.sendall(reply)
        finally:
            self._turn.release()

    def _run(self, request: WarmRequest) -> bytes:
        """Run a command and return the reply."""
        from avionics.cli.main import run

        out, err = (_Capture(io.BytesIO(), request.encoding) for _ in range(2))
        session = WarmSession(request.terminal, self._workspace)
        current_session.set(session)
        os.chdir(request.directory)
        try:
            with redirect_stdout(out), redirect_stderr(err):
                code = run(request.arguments)
        finally:
            os.chdir(self._root)
        return pack_reply(code, session.is_paged, out.take(), err.take())


class _Capture(io.TextIOWrapper):
    """A stream that keeps what is written."""

    def __init__(self, buffer: io.BytesIO, encoding: str) -> None:
        super().__init__(buffer, encoding, "backslashreplace", newline="\n", write_through=True)
        self._kept = buffer

    def take(self) -> bytes:
        """Return what was written."""
        self.flush()
        return self._kept.getvalue()


def _listen(path: str) -> socket.socket:
    """Return a socket for this user alone. Raise `UsageError` if its directory is not private, or it is taken."""
    directory = os.path.dirname(path)
    with suppress(FileExistsError):
        os.mkdir(directory, 0o700)
    if not is_private(directory, stat.S_ISDIR):
        raise UsageError(f"{directory} is not private to you", hint="remove it, or chmod 700 it if it is yours")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    if _is_answered(path):
        listener.close()
        raise UsageError("another process watches this directory", hint=f"its socket is {path}")
    with suppress(FileNotFoundError):
        os.unlink(path)
    before = os.umask(0o177)
    try:
        listener.bind(path)
    finally:
        os.umask(before)
    listener.listen(16)
    listener.settimeout(0)
    return listener


@contextmanager
def _open_end() -> Iterator[socket.socket]:
    """Yield a socket that can be read as soon as SIGINT or SIGTERM has arrived.

    An exception from a handler would be lost in a destructor, and a signal that arrives between the interpreter's last
    look and `accept` would wait for the next client.
    """
    end, signalled = socket.socketpair()
    with end, signalled:
        signalled.settimeout(0)
        before = {each: signal.signal(each, lambda *_: None) for each in (signal.SIGINT, signal.SIGTERM)}
        previous = signal.set_wakeup_fd(signalled.fileno(), warn_on_full_buffer=False)
        try:
            yield end
        finally:
            signal.set_wakeup_fd(previous)
            for each, handler in before.items():
                signal.signal(each, handler)


def _is_answered(path: str) -> bool:
    """Return whether a process listens at a socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_REQUEST_SECONDS)
        return Path(path).exists() and probe.connect_ex(path) == 0
