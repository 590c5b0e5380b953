"""A cache holds at most the bytes it may, and what was used last."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from avionics.bounded_cache import BoundedCache


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 20), st.integers(1, 60))))
def test_a_cache_never_holds_more_than_it_may_nor_anything_false(steps):
    cache: BoundedCache[int, bytes] = BoundedCache(100, len)
    written: dict[int, bytes] = {}
    for is_written, key, size in steps:
        if is_written:
            written[key] = bytes([key]) * size
            cache.put(key, written[key])
            assert size > 50 or cache.get(key) == written[key]
        else:
            assert cache.get(key) in {None, written.get(key)}
            assert (key in cache) == (cache.get(key) is not None)
        assert sum(map(len, cache.as_dict().values())) <= 160


def test_what_is_used_again_is_kept():
    cache: BoundedCache[str, str] = BoundedCache(10, len)
    cache.update({"kept": "x", "used": "y"})
    for number in range(40):
        cache.put(f"new {number}", "zz")
        assert cache.get("used") == "y"
    assert "kept" not in cache
    assert cache.as_dict().keys() >= {"used", "new 39"}


@given(st.lists(st.integers(0, 14), min_size=100))
def test_values_that_take_three_quarters_are_kept_in_whatever_order_they_are_used(keys):
    cache: BoundedCache[int, bytes] = BoundedCache(100, len)
    seen = set()
    for key in keys:
        if cache.get(key) is None:
            assert key not in seen
            cache.put(key, bytes(5))
            seen.add(key)
