"""The ripgrep engine of text search: one process that reads a stream of checked bytes and sees no file name."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import threading
import time
from bisect import bisect_right
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from msgspec import Struct

from avionics.cancellation import check_cancelled, on_cancel
from avionics.model.errors import DeadlineExceededError, SourceError
from avionics.sandbox.landlock import program_paths, start_sandboxed
from avionics.sandbox.limits import limit_child
from avionics.settings import Settings
from avionics.source.read import decode
from avionics.source.search.engines import Engine, Feed, SourceMatch
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
"""The limit of bytes for the names given to one process (systems allow twice that), and the overhead of each name."""


def get_ripgrep(settings: Settings, root: Path) -> Path | None:
    """Return the `rg` to use; never one inside the workspace."""
    for directory in settings.program_directories:
        program = directory / "rg"
        # A directory on the PATH may belong to another user and be unreadable.
        if not os.access(program, os.X_OK):
            continue
        places = (directory.resolve(), program.resolve())
        if program.is_file() and not any(place.is_relative_to(root) for place in places):
            return program
    return None


def ripgrep_engine(program: Path) -> Engine:
    """Return the engine that runs this program."""

    def iter_hits(pattern: Node, feed: Feed, deadline: float) -> Generator[SourceMatch]:
        return _RipgrepRun(program, to_ripgrep(pattern), feed, deadline).iter_hits()

    return iter_hits


def sift(
    program: Path, root: Path, paths: Sequence[str], word: str, is_folded: bool, deadline: float
) -> set[str] | None:
    """Return those of the files that contain a word, as written or ignoring case and underscores; None if unknown.

    Here the program opens files itself, but none outside the root if the system can restrict it. Its output only
    selects the files that are then opened safely.
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
                output, _ = process.communicate(timeout=max(0.0, deadline - time.monotonic()))
                check_cancelled()
                if process.returncode not in {0, 1}:
                    return None
                found.update(os.fsdecode(name).removeprefix("./") for name in output.split(b"\0") if name)
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
    """Yield the names in shares of equal size, at least two, so that two cores have work."""
    size = sum(len(os.fsencode(name)) + _ARGUMENT for name in names)
    step = max(1, -(-len(names) // max(2, -(-size // _MAX_ARGUMENTS))))
    for at in range(0, len(names), step):
        yield names[at : at + step]


class _OutputPlace(Struct, frozen=True):
    """Where a file begins in the stream: its first byte and the number of lines before it."""

    offset: int
    lines: int
    path: str


class _RipgrepRun:
    """One search: a thread writes the texts to the program, one after the other, and this one reads the results."""

    def __init__(self, program: Path, pattern: str, feed: Feed, deadline: float) -> None:
        self._arguments = [str(program), *ARGUMENTS, "-e", pattern, "--", "-"]
        self._feed = feed
        self._deadline = deadline
        self._places: list[_OutputPlace] = []

    def iter_hits(self) -> Generator[SourceMatch]:
        """Yield the hits in order; end the process in any case."""
        self._require_time()
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
                        yield self._build_match(record["data"])
                self._require_success(process)
            finally:
                timer.cancel()
                process.kill()
                written.result()

    def _require_time(self) -> None:
        if time.monotonic() >= self._deadline:
            raise DeadlineExceededError("the text search ran out of time", hint="search for a simpler pattern")

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/", env={}
        )

    def _write(self, stream: IO[bytes]) -> None:
        """Write every text, followed by a newline so that none continues in the next."""
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

    def _build_match(self, data: dict[str, Any]) -> SourceMatch:
        """Return the file and line at a position in the stream."""
        place = self._places[bisect_right(self._places, data["absolute_offset"], key=lambda place: place.offset) - 1]
        line = _read_bytes(data["lines"])
        column = len(decode(line[: data["submatches"][0]["start"]]))
        return SourceMatch(place.path, data["line_number"] - place.lines, column, decode(line.removesuffix(b"\n")))

    def _require_success(self, process: subprocess.Popen[bytes]) -> None:
        code = process.wait()
        if code in {0, 1}:
            return
        check_cancelled()
        self._require_time()
        assert process.stderr
        raise SourceError(f"ripgrep ended with {code}: {decode(process.stderr.read(500)).strip()}")


def _read_bytes(field: dict[str, str]) -> bytes:
    """Return a JSON field of ripgrep: text, or base64 if it is not UTF-8."""
    return field["text"].encode() if "text" in field else base64.b64decode(field["bytes"])
