"""Extraction, here or in a worker process: bytes in, packed facts or uses out.

Knows: how a file's fault is kept to the file, and what parent and worker say to each other.
Does not know: paths, the store's tables, who starts workers.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from pathlib import Path
from typing import IO, NoReturn

from avionics.sandbox import raise_limits, restrict_this_process
from avionics.store.codec import PackedFacts, ParseFailure, decode_facts, encode_facts, encode_uses
from avionics.store.payload import from_payload, to_payload
from avionics.syntax.engine.words import count_words
from avionics.syntax.extract import extract_facts, extract_uses, extract_whole
from avionics.syntax.registry import require_spec

Task = tuple[bytes, str, bytes | None]
"""Content, language, and the outline whose uses are asked for; None where the outline is asked for.

WITH_LOOSE in the place of an outline asks for the outline, and what else an index keeps of the bytes.
"""

WITH_LOOSE = b""

OUTLINE, BOTH = b"outline", b"both"
"""In the place of an outline, for one answer alone: asks for the outline without its words, or for it and the uses."""

READY = b"ready"
"""A worker's first message: from here on a silence is the fault of a file."""

_FOUND, _FAILURE = b"+", b"-"
_FAULTS = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)
_SIZE = 8

_SECONDS, _BYTES_A_SECOND = 5, 100_000
"""Of the processor's time for one file: a hundred times what honest files take. Some parsers can be led to loop."""

_BYTES, _BYTES_PER_BYTE = 150_000_000, 200
"""What a worker may grow by for one file: honest files take a third of it at the most."""


def perform(task: Task) -> bytes:
    """What is to be said of some bytes; whatever goes wrong in reading them is theirs alone."""
    content, language, outline = task
    try:
        if outline == WITH_LOOSE and language and require_spec(language).textual.has_free_names:
            return _FOUND + to_payload(_read_whole(content, language), compress=False)
        if not outline:
            return _FOUND + to_payload(PackedFacts.of(extract_facts(content, language)), compress=False)
        if outline == OUTLINE:
            return _FOUND + encode_facts(extract_facts(content, language), compress=False)
        if outline == BOTH:
            facts, uses = extract_whole(content, language)
            both = (encode_facts(facts, compress=False), encode_uses(uses, compress=False))
            return _FOUND + to_payload(both, compress=False)
        return _FOUND + encode_uses(extract_uses(content, language, decode_facts(outline)))
    except _FAULTS as error:
        return to_failure(f"{type(error).__name__}: {error}")


def _read_whole(content: bytes, language: str) -> PackedFacts:
    """The outline with the loose names; without them where only the outline can be read."""
    try:
        facts, uses = extract_whole(content, language)
    except _FAULTS:
        return PackedFacts.of(extract_facts(content, language))
    return PackedFacts.of(facts, require_spec(facts.language).textual.pack_free_names(facts, uses))


def serve() -> NoReturn:
    """A worker's life: shares in, one message a file out, until the parent is gone; it never returns.

    Ctrl-C is the parent's to handle. From here on only code can be read, and nothing written, nor said to the
    terminal. Extraction makes many short-lived values and no circles, so the collector of circles seldom has anything
    to do.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(100_000)
    asked, said = os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    code = (*sys.path, sys.prefix, sys.base_prefix, sys.exec_prefix)
    restrict_this_process((*map(Path, code), Path(__file__).parents[2]))
    try:
        send(said, READY)
        while True:
            for content, language, outline in from_payload(receive(asked)):
                raise_limits(_SECONDS + len(content) // _BYTES_A_SECOND, _BYTES + _BYTES_PER_BYTE * len(content))
                send(said, perform((content, language, outline)))
    except (EOFError, OSError):
        os._exit(0)


def send(to: IO[bytes], message: bytes) -> None:
    """Says something down a line that keeps nothing back.

    Raises:
        OSError: Nobody listens.
    """
    rest = memoryview(len(message).to_bytes(_SIZE, "little") + message)
    while rest:
        rest = rest[to.write(rest) :]


def receive(of: IO[bytes]) -> bytes:
    """The next thing said.

    Raises:
        EOFError: There is nobody any more.
    """
    return _read(of, int.from_bytes(_read(of, _SIZE), "little"))


def _read(of: IO[bytes], size: int) -> bytes:
    """So many bytes."""
    parts = []
    while size:
        part = of.read(size)
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def to_failure(reason: str) -> bytes:
    """What is said of a file that could not be read."""
    return _FAILURE + reason.encode("utf-8", "replace")


def read_facts(message: bytes, content: bytes) -> PackedFacts | ParseFailure:
    """What was said of the outline of these bytes; of those that could not be read their words."""
    found = read_uses(message)
    return from_payload(found, PackedFacts) if isinstance(found, bytes) else ParseFailure(found, count_words(content))


def read_uses(message: bytes) -> bytes | str:
    """What was said of a file's uses: one payload, or why there is none."""
    return message[1:].decode() if message[:1] == _FAILURE else message[1:]
