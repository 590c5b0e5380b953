"""Cache the results of a method, for each object by itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property, lru_cache, partial
from typing import Concatenate, ParamSpec, TypeVar, cast

from avionics.cancellation import watch_cuts

Owner = TypeVar("Owner")
Given = ParamSpec("Given")
Result = TypeVar("Result")


def cached_method(
    method: Callable[Concatenate[Owner, Given], Result],
) -> Callable[Concatenate[Owner, Given], Result]:
    """Make a method compute each result only once; results are kept as long as the object.

    A method that may ask itself for the result that it is computing needs a `Memo`.
    """
    caching = cached_property(lambda owner: cache(partial(method, owner)))
    return cast("Callable[Concatenate[Owner, Given], Result]", caching)


def uncut_method(
    method: Callable[Concatenate[Owner, Given], Result],
) -> Callable[Concatenate[Owner, Given], Result]:
    """Make a method keep its results, but none from which something is left out for lack of time.

    Otherwise it is as `cached_method`; its arguments are given by position.
    """

    def build(owner: Owner) -> Callable[Given, Result]:
        kept: dict[tuple[object, ...], Result] = {}

        def get(*args: Given.args, **kwargs: Given.kwargs) -> Result:
            if args not in kept:
                with watch_cuts() as cuts:
                    found = method(owner, *args, **kwargs)
                if cuts.were_made:
                    return found
                kept[args] = found
            return kept[args]

        return get

    return cast("Callable[Concatenate[Owner, Given], Result]", cached_property(build))


def bounded_method(
    limit: int,
) -> Callable[[Callable[Concatenate[Owner, Given], Result]], Callable[Concatenate[Owner, Given], Result]]:
    """Make a method keep, as `cached_method` does, only so many results: those that were asked for last."""

    def decorate(method: Callable[Concatenate[Owner, Given], Result]) -> Callable[Concatenate[Owner, Given], Result]:
        caching = cached_property(lambda owner: lru_cache(limit)(partial(method, owner)))
        return cast("Callable[Concatenate[Owner, Given], Result]", caching)

    return decorate
