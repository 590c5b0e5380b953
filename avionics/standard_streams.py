"""Reserve standard input and output for a protocol, so that nothing else can write into its messages."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def claimed_descriptors() -> Iterator[tuple[int, int]]:
    """Yield private copies of standard input and output; until the end, input is empty and output is standard error."""
    inbound, outbound, nothing = os.dup(0), os.dup(1), os.open(os.devnull, os.O_RDONLY)
    try:
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        yield inbound, outbound
    finally:
        os.dup2(inbound, 0)
        os.dup2(outbound, 1)
        os.close(nothing)
