"""A cache with a limit in bytes, so that a resident process does not accumulate values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class BoundedCache(Generic[Key, Value]):
    """The values that were used most recently. Safe for several threads.

    New values go to a young generation. When that has half of the bytes, it becomes the old one, and the old one is
    dropped; a value that is found in the old generation returns to the young one. So a hit costs one lookup, and needs
    no lock: the worst that a race can do is to drop a value early. `size_of` returns about how many bytes a value
    takes.

    Attributes:
        recent: The young generation. Most values are found there, without a call.
    """

    def __init__(self, max_bytes: float, size_of: Callable[[Value], int]) -> None:
        self._half = max_bytes / 2
        self._size_of = size_of
        self.recent: dict[Key, Value] = {}
        self._old: dict[Key, Value] = {}
        self._young_bytes = 0

    def get(self, key: Key) -> Value | None:
        """Return the cached value of a key, or None."""
        found = self.recent.get(key)
        if found is None:
            found = self._old.get(key)
            if found is not None:
                self.put(key, found)
        return found

    def get_many(self, keys: Iterable[Key]) -> dict[Key, Value]:
        """Return the cached values of some keys."""
        found = ((key, self.get(key)) for key in keys)
        return {key: value for key, value in found if value is not None}

    def put(self, key: Key, value: Value) -> None:
        """Cache a value."""
        self.recent[key] = value
        self._young_bytes += self._size_of(value)
        if self._young_bytes > self._half:
            self._old, self.recent, self._young_bytes = self.recent, {}, 0

    def update(self, values: Mapping[Key, Value]) -> None:
        """Cache several values."""
        for key, value in values.items():
            self.put(key, value)

    def as_dict(self) -> dict[Key, Value]:
        """Return all cached values."""
        return {**self._old, **self.recent}

    def __contains__(self, key: object) -> bool:
        return key in self.recent or key in self._old
