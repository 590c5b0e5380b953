"""Extraction, here or in a worker process: bytes in, packed facts out.

Knows: how a file's fault is kept to the file, and what parent and worker say to each other.
Does not know: paths, the store's tables, who starts workers.
"""

from __future__ import annotations

import gc
import signal
import sys
from pathlib import Path
from typing import Protocol

from avionics.bounds import restrict_this_process
from avionics.store.codec import PackedFacts, ParseFailure
from avionics.syntax.extract import extract_facts

_FACTS, _FAILURE = b"+", b"-"

READY = b"ready"
"""A worker's first message: from here on a silence is the fault of a file."""


class Channel(Protocol):
    """A worker's end of the line."""

    def recv(self) -> list[tuple[bytes, str]]:
        """The next share: (content, language)."""
        ...

    def send_bytes(self, message: bytes) -> None:
        """Says something."""
        ...


def extract(content: bytes, language: str) -> PackedFacts | ParseFailure:
    """The packed facts of some bytes; whatever goes wrong in reading them is theirs alone."""
    try:
        return PackedFacts.of(extract_facts(content, language))
    except (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError) as error:
        return ParseFailure(f"{type(error).__name__}: {error}")


def serve(channel: Channel) -> None:
    """A worker's life: shares in, one message a file out, until the parent is gone.

    Ctrl-C is the parent's to handle. From here on only code can be read, and nothing written. Extraction makes many
    short-lived values and no circles, so the collector of circles seldom has anything to do.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(100_000)
    code = (*filter(None, sys.path), sys.prefix, sys.base_prefix, sys.exec_prefix)
    restrict_this_process((*map(Path, code), Path(__file__).parents[2]))
    channel.send_bytes(READY)
    while True:
        try:
            share = channel.recv()
            for content, language in share:
                channel.send_bytes(to_message(extract(content, language)))
        except (EOFError, OSError):
            return


def to_message(result: PackedFacts | ParseFailure) -> bytes:
    """What a worker says of one file."""
    if isinstance(result, ParseFailure):
        return _FAILURE + result.reason.encode("utf-8", "replace")
    return _FACTS + result.to_message()


def from_message(message: bytes) -> PackedFacts | ParseFailure:
    """What a worker said of one file."""
    if message[:1] == _FAILURE:
        return ParseFailure(message[1:].decode())
    return PackedFacts.from_message(message[1:])
