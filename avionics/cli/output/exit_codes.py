"""The exit codes of the command line."""

from __future__ import annotations

ANSWERED, NOTHING_FOUND, ASKED_BADLY, FAILED, INTERRUPTED = 0, 1, 2, 3, 130
SIGNALLED = 128
"""A process that a signal ended exits with this plus the number of the signal, as shells report it."""
