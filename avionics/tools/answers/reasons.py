"""Render reasons as English, by the template of their kind (`avionics.model.reasons`)."""

from __future__ import annotations

from collections.abc import Iterable

from avionics.late_pattern import late_pattern
from avionics.model.reasons import Reason

_NUMBER = late_pattern(r"\[([^|\[\]]*)\|([^|\[\]]*)\]")


def describe_reason(reason: Reason | None) -> str:
    """Return the sentence for a reason; "" if it has none."""
    if reason is None:
        return ""
    template = reason.kind.template
    text = _NUMBER.sub(lambda found: found[1 if reason.count == 1 else 2], template)
    place = ":".join(map(str, reason.place or ()))
    phrase = text.format(
        count=reason.count, total=reason.total, subject=reason.subject, detail=reason.detail, place=place
    )
    if place and "{place}" not in text:
        phrase = f"{phrase} at {place}"
    return f"{phrase} ({reason.count})" if reason.count > 1 and text == template and "{count}" not in text else phrase


def describe_reasons(reasons: Iterable[Reason]) -> tuple[str, ...]:
    """Return the sentences for reasons, in order."""
    return tuple(map(describe_reason, reasons))
