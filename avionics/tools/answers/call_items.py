"""The items of calls with their arguments, and of calls that a changed parameter list breaks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from avionics.model.mappings import group_pairs
from avionics.model.naming import plural
from avionics.tools.answers.items import few

if TYPE_CHECKING:
    from avionics.index.verdicts.calls.call_arguments import PassedCall

_MAX_PLACES = 3


class ArgumentGroupItem(Struct, frozen=True):
    """The calls that pass the same parameters: which, how many, and the first of them."""

    passed: tuple[str, ...]
    calls: int
    file: str
    line: int
    places: tuple[str, ...]

    def to_text(self) -> str:
        return f"({', '.join(self.passed)})  {plural(self.calls, 'call')}: {', '.join(few(self.places, _MAX_PLACES))}"


class BrokenCallItem(Struct, frozen=True):
    """A call that another parameter list breaks, and why."""

    file: str
    line: int
    within: str
    because: str

    def to_text(self) -> str:
        within = f" in {self.within}" if self.within else ""
        return f"{self.file}:{self.line}{within}: {self.because}"


def group_calls(calls: Sequence[PassedCall]) -> tuple[ArgumentGroupItem, ...]:
    """Return the calls by the parameters that they pass, the largest group first."""
    groups = group_pairs((call.passed, call) for call in calls)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(
        ArgumentGroupItem(
            passed, len(found), found[0].usage.file, found[0].usage.line,
            tuple(f"{each.usage.file}:{each.usage.line}" for each in found),
        )
        for passed, found in ordered
    )  # fmt: skip


def list_broken(calls: Sequence[PassedCall], subject: str) -> tuple[BrokenCallItem, ...]:
    """Return the calls that do not fit, in order."""
    from avionics.tools.answers.findings import MESSAGES

    return tuple(
        BrokenCallItem(
            call.usage.file,
            call.usage.line,
            call.usage.enclosing.symbol.qualname if call.usage.enclosing else "",
            MESSAGES[call.misfit.cause].format(subject=subject, detail=call.misfit.detail, of=""),
        )
        for call in calls
        if call.misfit is not None
    )
