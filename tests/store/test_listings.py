"""Listings: shared by what is the same, and back what was given."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from avionics.store.listings import join, to_chunks, to_own
from avionics.store.payload import to_payload

ROWS = st.lists(
    st.tuples(st.text(max_size=4), st.text(max_size=3), st.text(max_size=2), st.integers(0, 9), st.integers(0, 9),
              st.integers(-(2**63), 2**64 - 1), st.integers(0, 2**40)),
    unique_by=lambda row: row[0],
)  # fmt: skip


@given(ROWS)
@example([("?", "00", "", 0, 0, 0, 0), ("", "", "", 0, 0, 0, 0)])
def test_columns_come_back(rows):
    columns = tuple(zip(*rows, strict=True))
    chunks = to_chunks(columns)
    back = join(chunks, list(chunks), to_own(columns))
    assert [list(column) for column in back] == [list(column) for column in columns]


def columns_of(paths):
    return tuple(zip(*[(path, path[::-1], "python", 1, 2, 3, 4, 5) for path in sorted(paths)], strict=True))


def test_one_file_more_changes_one_chunk():
    paths = [f"package/module_{number}.py" for number in range(5_000)]
    before, after = to_chunks(columns_of(paths)), to_chunks(columns_of([*paths, "package/module_77b.py"]))
    assert len(before) > 10
    assert len(set(after) - set(before)) <= 2


def test_a_small_listing_is_cut_too():
    paths = [f"package/module_{number}.py" for number in range(200)]
    before, after = to_chunks(columns_of(paths)), to_chunks(columns_of([*paths, "package/module_77b.py"]))
    changed = sum(len(after[digest]) for digest in set(after) - set(before))
    assert changed < sum(map(len, after.values())) / 5


def test_a_missing_chunk_is_no_listing():
    columns = (("a", "b"), ("x", "y"), ("p", "p"), (1, 2), (3, 4))
    assert join({}, list(to_chunks(columns)), []) is None


def test_chunks_of_an_earlier_version_are_read_beside_new_ones():
    columns = tuple(zip(*[(f"{number}.py", f"{number:040x}", "python", number, 9, 2, 3, 4) for number in range(40)],
                        strict=True))  # fmt: skip
    first, rest = ([column[:20] for column in columns], [column[20:] for column in columns])
    old = {"old": to_payload([list(column) for column in first[:5]])}
    new = to_chunks(rest)
    back = join(old | new, ["old", *new], to_own(columns))
    assert [list(column) for column in back] == [list(column) for column in columns]
