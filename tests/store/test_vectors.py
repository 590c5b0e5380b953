from __future__ import annotations

from array import array

import pytest

from avionics.model import IndexStateError
from avionics.store.session import Session
from avionics.store.store import Store
from avionics.store.vectors import Vectors, to_direction


@pytest.fixture
def session(tmp_path):
    """The connection of a store in a file."""
    store = Store.open(tmp_path, 1)
    yield store._session
    store.close()


def direction(number: int) -> array[int]:
    return array("b", [number, -number])


def test_vectors_come_back_as_they_were_and_outlive_the_process(tmp_path):
    first = Store.open(tmp_path, 1)
    first.vectors.put({b"one": direction(1), b"two": direction(127)})
    first.close()
    again = Store.open(tmp_path, 2)
    assert again.vectors.get_many([b"two", b"never"]) == {b"two": direction(127)}
    again.close()


def test_the_oldest_make_room(session: Session):
    vectors = Vectors(session, most=3)
    for number in range(5):
        vectors.put({bytes([number]): direction(number)})
    assert set(vectors.get_many([bytes([number]) for number in range(5)])) == {b"\2", b"\3", b"\4"}


def test_what_is_put_again_is_the_newest(session: Session):
    vectors = Vectors(session, most=2)
    for digest in (b"a", b"b", b"a", b"c"):
        vectors.put({digest: direction(1)})
    assert set(vectors.get_many([b"a", b"b", b"c"])) == {b"a", b"c"}


def test_a_damaged_vector_is_never_given(session: Session):
    vectors = Vectors(session)
    vectors.put({b"a": direction(1)})
    with session.writing() as connection:
        connection.execute("UPDATE vectors SET data = substr(data, 1, length(data) - 1) || x'07'")
    with pytest.raises(IndexStateError):
        vectors.get_many([b"a"])
    assert session.is_damaged


@pytest.mark.parametrize(
    ("vector", "expected"),
    [((1.0, -0.5, 0.0), [127, -64, 0]), ((3e-9, 0.0), [127, 0]), ((0.0, 0.0), [0, 0]), ((), []), ((-2e30,), [-127])],
)
def test_a_direction_is_the_vector_without_its_length(vector, expected):
    assert to_direction(vector).tolist() == expected
