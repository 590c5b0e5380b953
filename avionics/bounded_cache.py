"""A cache with a limit in bytes, so that a resident process does not accumulate values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Generic, TypeVar

_GENERATIONS = 4
"""The values used in one round of questions stay cached if they take all but one generation."""
_WEIGHINGS = 2
"""How often the values of the youngest generation are weighed while it fills."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class BoundedCache(Generic[Key, Value]):
    """The values that were used most recently. Safe for several threads.

    New values go to the youngest generation. When that has its share of the bytes, a new one begins, and the oldest is
    dropped if all take too much; a value that is found in an older generation returns to the youngest. So a hit costs
    one lookup, and needs no lock: the worst that a race can do is to drop a value early. `size_of` returns about how
    many bytes a value takes; values may grow, so that those of the youngest generation are weighed again while it
    fills.

    Attributes:
        recent: The youngest generation. Most values are found there, without a call.
    """

    def __init__(self, max_bytes: float, size_of: Callable[[Value], int]) -> None:
        self._share = max_bytes / _GENERATIONS
        self._size_of = size_of
        self.recent: dict[Key, Value] = {}
        self._older: tuple[dict[Key, Value], ...] = ()
        self._recent_bytes = 0
        self._weighed_at = self._share / _WEIGHINGS

    def get(self, key: Key) -> Value | None:
        """Return the cached value of a key, or None."""
        found = self.recent.get(key)
        if found is None:
            for generation in self._older:
                found = generation.pop(key, None)
                if found is not None:
                    self.put(key, found)
                    break
        return found

    def get_many(self, keys: Iterable[Key]) -> dict[Key, Value]:
        """Return the cached values of some keys."""
        found = ((key, self.get(key)) for key in keys)
        return {key: value for key, value in found if value is not None}

    def put(self, key: Key, value: Value) -> None:
        """Cache a value."""
        size = self._size_of(value)
        if self._recent_bytes + size > self._weighed_at:
            self._recent_bytes = self._weigh(self.recent)
            if self._recent_bytes + size > self._share:
                self._begin_generation()
            self._weighed_at = min(self._share, self._recent_bytes + self._share / _WEIGHINGS)
        self.recent[key] = value
        self._recent_bytes += size

    def _begin_generation(self) -> None:
        """Begin a generation; drop the oldest ones that take too much, and join two if there are too many.

        Values that were found again have left their generations, so that these become small.
        """
        kept: list[dict[Key, Value]] = []
        sizes: list[int] = []
        left = self._share * (_GENERATIONS - 1)
        for generation in (self.recent, *self._older):
            size = self._weigh(generation)
            left -= size
            if kept and left < 0:
                break
            kept.append(generation)
            sizes.append(size)
        if len(kept) == _GENERATIONS:
            at = min(range(_GENERATIONS - 1), key=lambda each: sizes[each] + sizes[each + 1])
            kept[at : at + 2] = [kept[at + 1] | kept[at]]
        self._older, self.recent, self._recent_bytes = tuple(kept), {}, 0

    def _weigh(self, generation: dict[Key, Value]) -> int:
        return sum(map(self._size_of, list(generation.values())))

    def update(self, values: Mapping[Key, Value]) -> None:
        """Cache several values."""
        for key, value in values.items():
            self.put(key, value)

    def as_dict(self) -> dict[Key, Value]:
        """Return all cached values."""
        found: dict[Key, Value] = {}
        for generation in (*reversed(self._older), self.recent):
            found |= generation
        return found

    def __contains__(self, key: object) -> bool:
        return key in self.recent or any(key in generation for generation in self._older)
