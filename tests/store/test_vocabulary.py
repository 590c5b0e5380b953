"""Parts of words: found on the pages that can have them, exactly where reading every word finds them."""

from __future__ import annotations

import io
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import avionics.store.postings
import avionics.store.vocabulary
from avionics.model.errors import IndexStateError
from avionics.model.facts import FileFacts
from avionics.store.postings import WordRows
from avionics.store.schema import WORD
from avionics.store.store import Store
from avionics.store.vocabulary import plan_segment

LETTERS = "abAB_é7"
Contents = dict[int, frozenset[str]]


@pytest.fixture(autouse=True)
def _many_small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments of few words have many pages, and threes are kept of all."""
    monkeypatch.setattr(avionics.store.postings, "PAGE_WORDS", 4)
    monkeypatch.setattr(avionics.store.vocabulary, "_PAGES_THRESHOLD", 0)


def draw_words(drawn: random.Random) -> frozenset[str]:
    return frozenset("".join(drawn.choices(LETTERS, k=drawn.randrange(1, 12))) for _ in range(drawn.randrange(60)))


def put(store: Store, drawn: random.Random, batches: int) -> Contents:
    """Contents in batches of their own: blob id → its words."""
    found: Contents = {}
    for _ in range(batches):
        words = {(f"{drawn.getrandbits(160):040x}", "python"): draw_words(drawn) for _ in range(drawn.randrange(1, 9))}
        facts = {key: FileFacts("python", words=dict.fromkeys(own, 1)) for key, own in words.items()}
        found |= {blob: words[key] for key, blob in store.writer.add(facts.items()).items()}
    return found


def count_threes(store: Store) -> int:
    with store._session.reading() as connection:
        return connection.execute("SELECT count(*) FROM postings WHERE kind = 5").fetchone()[0]


def require_exact(store: Store, contents: Contents, drawn: random.Random) -> None:
    """Every part drawn is found where a word has it, and nowhere else."""
    words = sorted(set().union(*contents.values()))
    for _ in range(120):
        word = drawn.choice([word for word in words if len(word) > 3])
        at = drawn.randrange(len(word) - 2)
        part = drawn.choice([word[at : at + drawn.randrange(3, 9)], "ab7" + word[at:], "aBa_"])
        fold = drawn.random() < 0.5
        part = part.lower() if fold else part
        if not part.isascii():
            continue
        found = store.reader.blobs_holding(part, sorted(contents), fold=fold, most=10_000)
        expected = {blob for blob, own in contents.items() if any(part in (w.lower() if fold else w) for w in own)}
        assert found == expected, (part, fold)


def test_parts_are_found_in_segments_written_merged_cleared_and_taken_in(store, tmp_path):
    drawn = random.Random(8)
    contents = put(store, drawn, 30)
    assert count_threes(store) > 0
    require_exact(store, contents, drawn)

    kept = dict(drawn.sample(sorted(contents.items()), len(contents) // 2))
    ones = (1,) * len(kept)
    oids = tuple(f"{blob:040x}" for blob in kept)
    paths = tuple(f"f{blob}.py" for blob in kept)
    store.writer.put_snapshot("/there", 1, (paths, oids, ("python",) * len(kept), tuple(kept), ones, ones))
    store.clear(lambda root: True, 10**9)
    require_exact(store, kept, drawn)

    file = io.BytesIO()
    store.write_contents(sorted(kept), file)
    file.seek(0)
    with_other = Store.open(tmp_path / "other", 1)
    with_other.take_contents(file)
    with with_other._session.reading() as connection:
        there = dict(connection.execute("SELECT oid, id FROM blobs"))
    with store._session.reading() as connection:
        here = dict(connection.execute("SELECT id, oid FROM blobs"))
    require_exact(with_other, {there[here[blob]]: words for blob, words in kept.items()}, drawn)
    with_other.close()


@pytest.mark.parametrize("change", ["DELETE FROM postings WHERE kind = 5", "UPDATE segments SET last = last + 1"])
def test_segments_without_threes_or_with_those_of_another_are_read_whole(store, change):
    drawn = random.Random(9)
    contents = put(store, drawn, 4)
    with store._session.writing() as connection:
        connection.execute(change)
    require_exact(store, contents, drawn)


def test_what_would_be_read_too_long_is_not_found_out(store, monkeypatch):
    contents = put(store, random.Random(7), 5)
    assert store.reader.blobs_holding("aba", sorted(contents), fold=True, most=1) is None
    monkeypatch.setattr(avionics.store.vocabulary, "_MAX_PAGES", 2)
    assert store.reader.blobs_holding("aba", sorted(contents), fold=True, most=10_000) is None
    assert store.reader.blobs_holding("qqqq", sorted(contents), fold=True, most=10_000) == frozenset()


def test_damaged_threes_are_an_error(store):
    contents = put(store, random.Random(6), 3)
    with store._session.writing() as connection:
        connection.execute("UPDATE postings SET page = page || x'00' WHERE kind = 5")
    with pytest.raises(IndexStateError):
        store.reader.blobs_holding("aba", sorted(contents), fold=True, most=100)


@given(st.lists(st.integers(0, 65_535), max_size=40).map(sorted))
def test_rising_numbers_come_back(numbers):
    steps = avionics.store.vocabulary._to_steps(numbers)
    assert avionics.store.vocabulary._from_steps(steps) == numbers


def test_few_pages_have_no_threes(monkeypatch):
    monkeypatch.setattr(avionics.store.vocabulary, "_PAGES_THRESHOLD", 64)
    rows = WordRows.of({b"word": b"1234"})
    assert [kind for kind, _, _ in plan_segment([(WORD, rows)], 3).rows] == [WORD]
