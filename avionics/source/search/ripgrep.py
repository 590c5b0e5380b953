"""The ripgrep engine of text search: one process that reads a stream of checked bytes and knows no file name.

Knows: the `rg` program, its JSON lines.
Does not know: which files are searched.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import threading
import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import attrs

from avionics.cancellation import check_cancelled, on_cancel
from avionics.model.errors import DeadlineExceededError, SourceError
from avionics.sandbox.landlock import program_paths, start_sandboxed
from avionics.sandbox.limits import limit_child
from avionics.settings import Settings
from avionics.source.read import decode
from avionics.source.search.engines import Engine, Feed, Hit
from avionics.source.search.pattern import Node, to_ripgrep

ARGUMENTS = (
    "--json", "--no-config", "--text", "--encoding=none", "--engine=default", "--case-sensitive", "--threads=1",
    "--no-messages",
)  # fmt: skip


SIFTING = (
    "--files-with-matches", "--null", "--no-config", "--text", "--encoding=none", "--engine=default", "--no-messages",
    "--case-sensitive", "--threads=1", "--no-mmap", "--color=never",
)  # fmt: skip

_MAX_ARGUMENTS, _ARGUMENT = 500_000, 9
"""Bytes that the names handed to one process may take, which systems allow twice; what each takes beside its text."""


def get_ripgrep(settings: Settings, root: Path) -> Path | None:
    """The `rg` to use: never one that lies in the workspace."""
    for directory in settings.program_directories:
        program = directory / "rg"
        # A directory of the PATH may be another user's: then nothing in it can be run, nor even looked at.
        if not os.access(program, os.X_OK):
            continue
        places = (directory.resolve(), program.resolve())
        if program.is_file() and not any(place.is_relative_to(root) for place in places):
            return program
    return None


def ripgrep_engine(program: Path) -> Engine:
    """The engine that runs this program."""

    def iter_hits(pattern: Node, feed: Feed, deadline: float) -> Iterator[Hit]:
        return _Run(program, to_ripgrep(pattern), feed, deadline).iter_hits()

    return iter_hits


def sift(
    program: Path, root: Path, paths: Sequence[str], word: str, is_folded: bool, deadline: float
) -> set[str] | None:
    """Those of the files that hold a word, as written or in any case and with any underscores; None if it cannot tell.

    Here the program opens files itself, and none outside of the root where the system can hold it to that. What it
    says is only which files are worth being opened safely.
    """
    if not word.isprintable() or (is_folded and not (word.isascii() and word.isalnum())):
        return None
    sought = ("--ignore-case", "-e", "_*".join(word)) if is_folded else ("--fixed-strings", "-e", word)
    found: set[str] = set()
    with ExitStack() as stack:
        try:
            running = []
            for share in _iter_shares([f"./{path}" for path in paths]):
                process = stack.enter_context(_start_sifting([str(program), *SIFTING, *sought, "--", *share], root))
                stack.callback(process.kill)
                stack.enter_context(on_cancel(process.kill))
                running.append(process)
            for process in running:
                told, _ = process.communicate(timeout=max(0.0, deadline - time.monotonic()))
                check_cancelled()
                if process.returncode not in {0, 1}:
                    return None
                found.update(os.fsdecode(name).removeprefix("./") for name in told.split(b"\0") if name)
        except (OSError, subprocess.TimeoutExpired):
            return None
    return found


def _start_sifting(arguments: list[str], root: Path) -> subprocess.Popen[bytes]:
    def start() -> subprocess.Popen[bytes]:
        quiet = subprocess.DEVNULL
        return subprocess.Popen(arguments, stdin=quiet, stdout=subprocess.PIPE, stderr=quiet, cwd=root, env={})

    process = start_sandboxed(start, (root, *program_paths(arguments[0])))
    limit_child(process.pid, FSIZE=0)
    return process


def _iter_shares(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """The names in shares of one size, two at the least, so that two cores have something to do."""
    size = sum(len(os.fsencode(name)) + _ARGUMENT for name in names)
    step = max(1, -(-len(names) // max(2, -(-size // _MAX_ARGUMENTS))))
    for at in range(0, len(names), step):
        yield names[at : at + step]


@attrs.frozen
class _OutputPlace:
    """Where a file begins in the stream: its first byte and how many lines come before."""

    offset: int
    lines: int
    path: str


class _Run:
    """One search: a thread writes the texts to the program, one after the other, and this one reads its findings."""

    def __init__(self, program: Path, pattern: str, feed: Feed, deadline: float) -> None:
        self._arguments = [str(program), *ARGUMENTS, "-e", pattern, "--", "-"]
        self._feed = feed
        self._deadline = deadline
        self._places: list[_OutputPlace] = []

    def iter_hits(self) -> Iterator[Hit]:
        """The hits in order; ends the process whatever happens."""
        with (
            ThreadPoolExecutor(1) as pool,
            start_sandboxed(self._start, program_paths(self._arguments[0])) as process,
            on_cancel(process.kill),
        ):
            limit_child(process.pid, FSIZE=0)
            assert process.stdin
            assert process.stdout
            timer = threading.Timer(max(0.0, self._deadline - time.monotonic()), process.kill)
            timer.start()
            written = pool.submit(self._write, process.stdin)
            try:
                for line in process.stdout:
                    record = json.loads(line)
                    if record["type"] == "match":
                        yield self._hit(record["data"])
                self._require_success(process)
            finally:
                timer.cancel()
                process.kill()
                written.result()

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/", env={}
        )

    def _write(self, stream: IO[bytes]) -> None:
        """Write every text, each ended by a newline so that none runs into the next."""
        offset = lines = 0
        try:
            with stream:
                for path, data in self._feed:
                    self._places.append(_OutputPlace(offset, lines, path))
                    whole = data if data.endswith(b"\n") or not data else data + b"\n"
                    offset += len(whole)
                    lines += whole.count(b"\n")
                    stream.write(whole)
        except BrokenPipeError:
            return

    def _hit(self, data: dict[str, Any]) -> Hit:
        """The file and line that a place in the stream belongs to."""
        place = self._places[bisect_right(self._places, data["absolute_offset"], key=lambda place: place.offset) - 1]
        line = _bytes(data["lines"])
        column = len(decode(line[: data["submatches"][0]["start"]]))
        return Hit(place.path, data["line_number"] - place.lines, column, decode(line.removesuffix(b"\n")))

    def _require_success(self, process: subprocess.Popen[bytes]) -> None:
        code = process.wait()
        if code in {0, 1}:
            return
        check_cancelled()
        if time.monotonic() >= self._deadline:
            raise DeadlineExceededError("the text search ran out of time", hint="search for something simpler")
        assert process.stderr
        raise SourceError(f"ripgrep ended with {code}: {decode(process.stderr.read(500)).strip()}")


def _bytes(field: dict[str, str]) -> bytes:
    """A JSON field of ripgrep: text, or base64 when it is no UTF-8."""
    return field["text"].encode() if "text" in field else base64.b64decode(field["bytes"])
