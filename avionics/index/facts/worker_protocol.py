"""The protocol between a worker process and its parent: messages of tasks in, messages of packed facts out.

Whatever goes wrong while a file is read becomes a `ParseFailure` of that file and affects no other.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from enum import IntEnum
from pathlib import Path
from typing import IO, NamedTuple, NoReturn

from avionics.model.facts import FileFacts, ParseProblem
from avionics.store.codec import PackedFacts, PackedFile, ParseFailure, decode_facts, encode_facts, encode_uses
from avionics.store.payload import from_payload, to_payload
from avionics.store.postings import Vocabulary

# `avionics.syntax.extract` and the sandbox are imported where a file is read: a command that parses no new file needs
# neither.


class Want(IntEnum):
    """What a task asks for."""

    INDEX = 1
    """Everything that an index stores about some bytes: `PackedFacts`."""

    OUTLINE = 2
    """The outline, without words: a `PackedFile`."""

    USES = 3
    """The uses of bytes whose outline is given: a `PackedFile`."""

    WHOLE = 4
    """Outline and uses from one parse: a `PackedFile`."""

    INDEX_WITH_USES = 5
    """Everything that an index stores, and the uses: `PackedFacts`."""


class Task(NamedTuple):
    """Bytes in a language, the kind of facts wanted and, for USES, the payload of their outline."""

    content: bytes
    language: str
    want: Want = Want.OUTLINE
    outline: bytes = b""


Extracted = PackedFacts | PackedFile | ParseFailure

READY = b"ready"
"""A worker's first message. If the worker stops answering after it, the file that it reads is the cause."""

_MESSAGE_SECONDS = 0.2
"""A worker that ends, or is ended, loses at most the results of so long and of one file."""

_FAULTS = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)
_LENGTH_BYTES = 8
_BINARY_BYTES = 8_192
"""A file with a null byte among its first bytes is not text, as for git."""

CPU_SECONDS, _BYTES_A_SECOND = 5, 100_000
"""Processor time for one file: a hundred times what ordinary files take. Crafted files can make some grammars loop."""

_BYTES, _BYTES_PER_BYTE = 150_000_000, 200
"""How much memory a worker may add for one file: ordinary files take at most a third."""


def perform(task: Task, vocabulary: Vocabulary | None = None) -> Extracted:
    """Extract what a task asks for; the tasks of one message share a vocabulary."""
    from avionics.syntax.extract import extract_facts, extract_uses, extract_whole

    content, language, want, outline = task
    try:
        if want in {Want.INDEX, Want.INDEX_WITH_USES}:
            return _extract_for_index(content, language, vocabulary, with_uses=want is Want.INDEX_WITH_USES)
        if want is Want.OUTLINE:
            return PackedFile(encode_facts(extract_facts(content, language), compress=False))
        if want is Want.WHOLE:
            facts, uses = extract_whole(content, language)
            return PackedFile(encode_facts(facts, compress=False), encode_uses(uses, compress=False))
        return PackedFile(uses=encode_uses(extract_uses(content, language, decode_facts(outline))))
    except _FAULTS as error:
        reason = f"{type(error).__name__}: {error}"
        return ParseFailure(reason.encode("utf-8", "replace").decode())


def _extract_for_index(
    content: bytes, language: str, vocabulary: Vocabulary | None, *, with_uses: bool
) -> PackedFacts | ParseFailure:
    """Extract an outline, and the uses or the free names if they are wanted, unless only the outline can be read."""
    if not language and b"\0" in content[:_BINARY_BYTES]:
        return ParseFailure("not text")
    from avionics.syntax.extract import extract_facts, extract_whole
    from avionics.syntax.registry import require_rules, require_spec

    has_free_names = bool(language) and require_spec(language).has_free_names
    if language and (has_free_names or (with_uses and require_spec(language).has_uses)):
        try:
            facts, uses = extract_whole(content, language)
        except _FAULTS:
            pass
        else:
            loose = require_rules(facts.language).textual.pack_free_names(facts, uses) if has_free_names else None
            return PackedFacts.of(facts, loose, vocabulary, uses if with_uses else None)
    return PackedFacts.of(extract_facts(content, language), vocabulary=vocabulary)


def unpack_outline(found: Extracted, language: str) -> FileFacts:
    """Return the extracted outline; for a failure, an outline with only the problem."""
    if isinstance(found, ParseFailure):
        return FileFacts(language, problems=(ParseProblem(1, found.reason),))
    return decode_facts(found.outline)


def pack_uses(found: Extracted, language: str, facts: FileFacts) -> bytes:
    """Return the payload of the extracted uses; for a failure, uses of a file that may use anything."""
    if isinstance(found, PackedFile):
        return found.uses
    from avionics.syntax.extract import give_up_uses

    return encode_uses(give_up_uses(language, facts))


def serve(cpu_seconds: int) -> NoReturn:
    """Perform tasks until the parent is gone: the results of a message's tasks are sent in order, many at once.

    The process ignores Ctrl-C, which is the parent's to handle. It can read only code, and can write nothing, not even
    to the terminal. Extraction creates many short-lived values and no reference cycles, so the garbage collector runs
    rarely.
    """
    import avionics.syntax.spec  # noqa: F401  before the limits are set
    from avionics.sandbox.landlock import restrict_this_process
    from avionics.sandbox.limits import raise_limits

    gc.set_threshold(100_000)
    tasks, results = take_pipes()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    code = (*sys.path, sys.prefix, sys.base_prefix, sys.exec_prefix)
    restrict_this_process((*map(Path, code), Path(__file__).parents[2]))
    try:
        send(results, READY)
        while True:
            vocabulary = Vocabulary()
            found: list[Extracted] = []
            sent = time.monotonic()
            for task in from_payload(receive(tasks), list[Task]):
                size = len(task.content)
                raise_limits(cpu_seconds + size // _BYTES_A_SECOND, _BYTES + _BYTES_PER_BYTE * size)
                found.append(perform(task, vocabulary))
                if time.monotonic() - sent > _MESSAGE_SECONDS:
                    send(results, to_payload(found, compress=False))
                    found, sent = [], time.monotonic()
            if found:
                send(results, to_payload(found, compress=False))
    except (EOFError, OSError):
        os._exit(0)


def take_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Return unbuffered copies of this process's input and output, and leave Ctrl-C to the parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb", buffering=0)


def send(to: IO[bytes], message: bytes) -> None:
    """Write a message to an unbuffered pipe. Raise `OSError` if the reader has closed the pipe."""
    rest = memoryview(len(message).to_bytes(_LENGTH_BYTES, "little") + message)
    while rest:
        rest = rest[to.write(rest) :]


def receive(pipe: IO[bytes]) -> bytes:
    """Read the next message from an unbuffered pipe. Raise `EOFError` if the writer has closed the pipe."""
    return _read(pipe, int.from_bytes(_read(pipe, _LENGTH_BYTES), "little"))


def _read(pipe: IO[bytes], size: int) -> bytes:
    parts = []
    while size:
        part = pipe.read(size)
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
