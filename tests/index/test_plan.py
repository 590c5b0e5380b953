"""Plans name each unread content once."""

from __future__ import annotations

from avionics.index.facts.builder import PlannedFile, plan_build
from avionics.index.facts.snapshot import Snapshot, SnapshotEntry


def entry(oid: str, size: int = 1, language: str = "python", blob_id: int = 0) -> SnapshotEntry:
    return SnapshotEntry(oid, language, blob_id, size, 0, 0, 0)


def test_only_contents_with_a_language_and_without_facts_are_planned():
    snapshot = Snapshot(
        {
            "known.py": entry("1", blob_id=5),
            "stored.py": entry("2"),
            "small.py": entry("3", size=10),
            "copy.py": entry("3", size=10),
            "large.py": entry("4", size=99),
            "text.md": entry("", language=""),
            "unreadable.py": entry(""),
        }
    )
    assert plan_build(snapshot, {("2", "python")}) == (
        PlannedFile("large.py", "4", "python", 99),
        PlannedFile("small.py", "3", "python", 10),
    )


def test_the_order_of_files_does_not_matter():
    entries = {f"{name}.py": entry(name, size=5) for name in "abc"}
    assert plan_build(Snapshot(entries), ()) == plan_build(Snapshot(dict(reversed(entries.items()))), ())
