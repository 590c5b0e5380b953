"""What the check of the names of one file tells the checks of other files."""

from __future__ import annotations

from msgspec import Struct, field

from avionics.index.verdicts.findings import Rule


class NotedNames(Struct):
    """What the check of a file tells those of other files.

    Attributes:
        places: The places that need no further finding, by rule.
        lost: Name → the files that bind it only by a broken import, from which other files may import it.
    """

    places: set[tuple[Rule, tuple[str, int, int]]] = field(default_factory=set)
    lost: dict[str, set[str]] = field(default_factory=dict)

    def add(self, other: NotedNames) -> None:
        """Add what was noted in other files."""
        self.places |= other.places
        for name, files in other.lost.items():
            self.lost.setdefault(name, set()).update(files)
