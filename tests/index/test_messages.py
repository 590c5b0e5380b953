from __future__ import annotations

import pytest

from avionics.index.search.query import read_query
from avionics.index.search.ranking import rank_symbols
from avionics.model.reasons import Reason, ReasonKind

LONG = "".join(f'    shared.reply_{n} = make("+REPLY number {n}")\n' for n in range(60))
FILES = {
    "store/server.py": f"""
NOTICES = {{
    "full": "the disk of the store is nearly full",
}}


def create_replies(shared):
{LONG}    shared.failed = make("-FAILED the store cannot write its snapshot to disk, see the log")


def write_snapshot(store, disk):
    # we cannot tell the user that the moon is made of cheese here
    store.snapshot.write(disk)


def check(value):
    if value < 0:
        raise ValueError(f"the snapshot interval must be positive, got {{value}}")


def use(snapshot):
    "doesn't say anything"
    return snapshot.use
""",
    "store/disk.py": "def failed_write(store, snapshot, disk, log):\n    return log(store, snapshot, disk)\n",
    "store/many.py": "".join(
        f'def part_{n}():\n    raise OSError("something went badly wrong here")\n\n\n' for n in range(12)
    ),
}


@pytest.fixture
def rank(workspace):
    opened = workspace(FILES)

    def ranked(text):
        ranking = rank_symbols(opened.code, read_query(text), opened.source.text)
        return [(each.symbol, each.reasons) for each in ranking.symbols]

    return ranked


@pytest.mark.parametrize(
    ("text", "symbol", "said"),
    [
        (
            "-FAILED the store cannot write its snapshot to disk",
            "create_replies",
            "FAILED the store cannot write its snapshot to disk",
        ),
        (
            "the snapshot interval must be positive, got -3",
            "check",
            "the snapshot interval must be positive, got",
        ),
        (
            "Sometimes it stops.\n\nIt prints FAILED the store cannot write its snapshot to disk and hangs",
            "create_replies",
            "FAILED the store cannot write its snapshot to disk",
        ),
        ("the disk of the store is nearly full", "NOTICES", "disk of the store is nearly full"),
    ],
)
def test_a_message_that_a_program_printed_leads_to_the_string_it_comes_from(rank, text, symbol, said):
    first, reasons = rank(text)[0]
    assert first == symbol
    assert Reason(ReasonKind.QUOTED_TEXT, subject=said) in reasons


@pytest.mark.parametrize(
    "text",
    [
        "tell the user that the moon is made of cheese",  # a comment, not a string
        "snapshot cannot write store disk its",  # the words, in another order
        "something went badly wrong here",  # in twelve places: none of them is meant more than another
        "the store of it",  # says nothing
    ],
)
def test_what_is_no_message_of_this_code_is_none(rank, text):
    assert not [each for _, reasons in rank(text) for each in reasons if each.kind is ReasonKind.QUOTED_TEXT]


def test_a_quoted_phrase_counts_wherever_it_stands(rank):
    assert rank('why does it say "the moon is made of cheese"?')[0] == (
        "write_snapshot",
        (
            Reason(ReasonKind.QUOTED_TEXT, subject="the moon is made of cheese"),
            Reason(ReasonKind.BODY_MATCH, subject="cheese, moon"),
        ),
    )
