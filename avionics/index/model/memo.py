"""Memos: what follows from a key, worked out once, through circles and by any number of threads.

Knows: which keys are being worked out, and by which thread.
Does not know: what keys and values mean.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class InProgress(threading.local):
    """What a thread is working out just now; every thread has its own."""

    def __init__(self) -> None:
        self.keys: set[Any] = set()
        self.depth = 0


class Memo(Generic[Key, Value]):
    """What a function gives for a key, kept.

    A key that is asked for while the same thread works it out (a circle) has the value `default`; another thread
    that asks works it out for itself, for half a value must not be taken for one. What fails is not kept.

    Args:
        build: Works out the value of a key.
        default: What a key has as long as it is being worked out.
    """

    def __init__(self, build: Callable[[Key], Value], default: Value) -> None:
        self._build = build
        self._meanwhile = default
        self._kept: dict[Key, Value] = {}
        self._underway = InProgress()

    def __call__(self, key: Key) -> Value:
        """The value of a key."""
        if key in self._kept:
            return self._kept[key]
        underway = self._underway.keys
        if key in underway:
            return self._meanwhile
        underway.add(key)
        try:
            value = self._build(key)
        finally:
            underway.discard(key)
        self._kept[key] = value
        return value
