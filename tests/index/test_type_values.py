"""Types that share parts."""

from __future__ import annotations

from avionics.index.model.values import NOTHING_KNOWN, ClassType, InstanceType, Types, limit_parts

_LIST = ClassType("list.py", 0)


def _nest(depth: int) -> Types:
    """Return a type of two equal arguments, which have two in turn."""
    types: Types = (InstanceType(ClassType("int.py", 0)),)
    for _ in range(depth):
        types = (InstanceType(_LIST, (types, types)),)
    return types


def test_the_parts_of_equal_types_are_counted_without_comparing_them_part_by_part():
    """Comparing them would not end: the parts double with each of the sixty levels."""
    unknown = (InstanceType(_LIST.applied((NOTHING_KNOWN,) * 2), (NOTHING_KNOWN,) * 2),)
    assert [limit_parts(_nest(60)), limit_parts(_nest(60))] == [unknown, unknown]


def test_types_of_few_parts_are_kept():
    types = _nest(4)
    assert limit_parts(types) is types
