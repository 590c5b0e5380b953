"""A dict that cannot be changed, and that can be copied, pickled and turned into plain data."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

K = TypeVar("K")
V = TypeVar("V")


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
