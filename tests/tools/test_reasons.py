"""Every reason has its English sentence, in the singular and in the plural."""

from __future__ import annotations

from pathlib import Path

from msgspec import structs

from avionics.model.reasons import Reason, ReasonKind, count_reasons
from avionics.tools.answers.reasons import describe_reason

TABLE = Path(__file__).with_name("reasons.md")


def read_rows() -> list[list[str]]:
    lines = TABLE.read_text(encoding="utf-8").split("\n")
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("| ")][2:]


def read_reason(kind: str, about: str) -> Reason:
    given = dict(each.split("=", 1) for each in about.split("; ") if each)
    file, _, line = given.pop("place", "").rpartition(":")
    total = int(given.pop("total", 0))
    return Reason(ReasonKind[kind], place=(file, int(line)) if file else None, total=total, **given)


def test_every_kind_has_a_sentence_and_one_for_several() -> None:
    rows = read_rows()
    assert [kind for kind, *_ in rows] == [kind.name for kind in ReasonKind]
    for kind, about, one, three in rows:
        reason = read_reason(kind, about)
        assert describe_reason(reason) == one
        if three:
            assert describe_reason(structs.replace(reason, count=3)) == three
    assert describe_reason(None) == ""


def test_what_a_reason_quotes_is_no_template() -> None:
    assert describe_reason(Reason(ReasonKind.DECORATOR, subject="route('{count}')")).startswith(
        "the decorator @route('{count}')"
    )


def test_equal_reasons_are_counted_most_frequent_first() -> None:
    text, unknown = Reason(ReasonKind.STRING_LITERAL), Reason(ReasonKind.RECEIVER_TYPE_UNKNOWN)
    assert count_reasons((text, unknown, unknown)) == (structs.replace(unknown, count=2), text)
