"""Mappings: a dict that cannot be changed, and values grouped by a key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import Any, NoReturn, TypeVar

K = TypeVar("K")
V = TypeVar("V")
Key = TypeVar("Key", bound=Hashable)
Member = TypeVar("Member", bound=Hashable)


class FrozenDict(dict[K, V]):
    """A dict whose changes raise TypeError; unlike `MappingProxyType` it works with pickle, deepcopy and asdict."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(f"{type(self).__name__} cannot be changed")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)

    def __deepcopy__(self, memo: dict[int, Any]) -> FrozenDict[K, V]:
        from copy import deepcopy

        return type(self)(deepcopy(dict(self), memo))

    def __copy__(self) -> FrozenDict[K, V]:
        return self


def group_pairs(pairs: Iterable[tuple[Key, V]]) -> dict[Key, list[V]]:
    """Return each key with its values; keys are in the order of their first pairs, values in the order of theirs."""
    groups: defaultdict[Key, list[V]] = defaultdict(list)
    for key, value in pairs:
        groups[key].append(value)
    return dict(groups)


def group_sets(pairs: Iterable[tuple[Key, Member]]) -> dict[Key, set[Member]]:
    """Return each key with the set of its values, keys in the order of their first pairs."""
    groups: defaultdict[Key, set[Member]] = defaultdict(set)
    for key, value in pairs:
        groups[key].add(value)
    return dict(groups)
