"""Find the commits that a question is about: those of a period, of an author, or the newest ones."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from msgspec import Struct

from avionics.late_pattern import late_pattern

_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
           "december")  # fmt: skip
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "couple of": 2, "couple": 2, "three": 3, "few": 3, "four": 4,
            "five": 5, "six": 6, "seven": 7, "ten": 10}  # fmt: skip
_DAYS = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "quarter": 91, "year": 365}
_UNIT = "(?:hour|day|week|fortnight|month|quarter|year)"
_COUNT = rf"(?:\d{{1,3}}|{'|'.join(_NUMBERS)})"
_MONTH, _WEEKDAY = f"(?:{'|'.join(_MONTHS)})", f"(?:{'|'.join(_WEEKDAYS)})"
_YEAR = r"(?:19|20)\d\d"
_LAST = rf"(?:last|past|previous) (?:{_COUNT} )?{_UNIT}s?"
_WHEN = (
    rf"(?:today|yesterday|(?:the |these )?{_LAST}|this (?:week|month|year)|{_COUNT} {_UNIT}s? ago"
    rf"|since (?:{_YEAR}(?:-\d\d){{0,2}}|(?:last )?(?:{_WEEKDAY}|{_MONTH})(?: {_YEAR})?|this morning)"
    rf"|in (?:{_MONTH}(?: {_YEAR})?|{_YEAR}))"
)
_DONE = (
    r"(?:chang(?:e|es|ed)|commits?|committed|modified|happen(?:ed|s)?|new|added|merged|done|work(?:ed)? on|touched"
    r"|edit(?:s|ed)?)"
)
_NEWEST = r"(?:last|latest|recent|newest|most recent)"
_AUTHOR = r"(?P<author>[\w.@-]+(?: [A-Z][\w.-]+)?)"
COMMITS = (
    r"(?:what|which|who|show|list|give|summar\w+|any|how many|anything|commits|changes)\b"
    rf".{{0,40}}?\b{_DONE}\b.{{0,60}}?\b{_WHEN}"
    rf"|\A\W*(?:{_WHEN}(?:['’]s)?|commits|changes) .{{0,40}}?(?:changes|commits|{_WHEN})"
    r"|\A\W*(?:(?:show|list|give|summar\w+|what|which|print|describe|get|are|were|me|of|the|all|a|overview|is|there)\s+)*"
    rf"{_NEWEST} (?:{_COUNT} )?commits\b"
    rf"|what (?:was |has been |has |have been )?(?:been )?{_DONE} (?:recently|lately)(?=\W*\Z)"
    rf"|recent(?:ly)? {_DONE}(?=\W*\Z)"
    r"|\A\W*what (?:is|'s) new(?=\W*\Z)"
    r"|what (?:did|has|have) (?!(?:i|we|you|it|this|that|they|the|my|commit|HEAD)\b|@|v?\d|[0-9a-f]{7,}\b)\S+"
    r"(?: [A-Z]\S+)? (?:been )?"
    r"(?:chang\w+|commit\w*|do|done|work\w* on|add\w*|touch\w*|modif\w+|contribut\w+)"
    r"|(?:commits|changes|work|contributions) (?:made |done )?by \S+"
)
"""Words with which people ask for commits, as a pattern."""
_BY = late_pattern(
    rf"\bwhat (?:did|has|have) {_AUTHOR} (?:been )?(?:chang|commit|do|work|add|touch|modif|contribut)"
    rf"|\b(?:commits|changes|work|contributions) (?:made |done )?by (?P<by>[\w.@-]+(?: [A-Z][\w.-]+)?)",
    re.IGNORECASE,
)
PERIOD = late_pattern(rf"(?:(?<!\W)\W*+)?\b{_WHEN}(?!\w)\W*", re.IGNORECASE)
"""The period that a question names."""
WITHIN = late_pattern(
    r"\b(?:in|to|of|for|on|within|under) (?!(?:the |this )?(?:commits|changes|project|repo\w*|code ?base|code|workspace"
    r"|last|past)\b)\S.*\Z",
    re.IGNORECASE,
)
"""The end of a question that names a part of the code."""
_SPAN = late_pattern(rf"\b(?:last|past|previous) (?:(?P<count>{_COUNT}) )?(?P<unit>{_UNIT})s?\b", re.IGNORECASE)
_AGO = late_pattern(rf"\b(?P<count>{_COUNT}) (?P<unit>{_UNIT})s? ago\b", re.IGNORECASE)
_SINCE_DATE = late_pattern(rf"\bsince (?P<year>{_YEAR})(?:-(?P<month>\d\d))?(?:-(?P<day>\d\d))?\b", re.IGNORECASE)
_SINCE_NAME = late_pattern(
    rf"\bsince (?:last )?(?:(?P<weekday>{_WEEKDAY})|(?P<month>{_MONTH})(?: (?P<year>{_YEAR}))?)\b", re.IGNORECASE
)
_IN = late_pattern(rf"\bin (?:(?P<month>{_MONTH})(?: (?P<year>{_YEAR}))?|(?P<only>{_YEAR}))\b", re.IGNORECASE)
_THIS = late_pattern(r"\b(?:(?P<day>today|this morning|yesterday)|this (?P<unit>week|month|year))\b", re.IGNORECASE)
_NEWEST_COUNT = late_pattern(rf"\b{_NEWEST} (?P<count>{_COUNT}) commits\b", re.IGNORECASE)
_ASKS_REASON = late_pattern(
    r"\A\W*why\b|\bwhy\W*\Z|\b(?:reasons?|rationale|commits?|regression|history|bug report|what for)\b"
    r"|\b(?:which|what) (?:problem|issue|bug)\b|\bwent wrong\b|\bsince when\b"
    r"|\bwho (?:did|added|made|wrote|introduced|changed|put)\b",
    re.IGNORECASE,
)
"""Words that ask why code is as it is."""
_ASKS_OF_CODE = late_pattern(
    r"\W*(?:where|how|(?:which|what) (?:functions?|methods?|class(?:es)?|code|part))\b", re.IGNORECASE
)
_OF_HISTORY = late_pattern(r"commits?|history", re.IGNORECASE)


def asks_reason(text: str) -> bool:
    """Return whether a question asks why code is as it is."""
    asked = _ASKS_REASON.search(text)
    # A program may have commits and a history of its own: "where are the new commits counted?"
    return asked is not None and not (_ASKS_OF_CODE.match(text) and _OF_HISTORY.match(asked[0]))


class AskedCommits(Struct, frozen=True):
    """The commits that a question asks for.

    Attributes:
        since: Their first moment; None for no limit.
        until: The moment after their last one; None for no limit.
        author: A part of the name or address of their author; "" for anybody.
        count: How many of the newest ones; 0 for as many as fit.
    """

    since: datetime | None = None
    until: datetime | None = None
    author: str = ""
    count: int = 0

    @property
    def is_for_newest(self) -> bool:
        """Return whether just the newest ones are asked for."""
        return not (self.since or self.author)


def read_commits(text: str, now: datetime) -> AskedCommits:
    """Return which commits a text asks for; the current time has the time zone in which days begin."""
    by, newest = _BY.search(text), _NEWEST_COUNT.search(text)
    since, until = _read_period(text, now)
    author = (by["author"] or by["by"]).removesuffix("'s") if by else ""
    count = _read_count(newest["count"]) if newest else 0
    return AskedCommits(since, until, author, count)


def _read_period(text: str, now: datetime) -> tuple[datetime | None, datetime | None]:
    """Return the first moment of a period and the moment after its last one, None where it has no end."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if span := _SPAN.search(text) or _AGO.search(text):
        count, unit = _read_count(span["count"]), span["unit"].lower()
        return now - (timedelta(hours=count) if unit == "hour" else timedelta(days=count * _DAYS[unit])), None
    if this := _THIS.search(text):
        if this["day"]:
            is_past = this["day"].lower() == "yesterday"
            is_whole = is_past and not re.search(r"\bsince yesterday\b", text, re.IGNORECASE)
            return today - timedelta(days=is_past), today if is_whole else None
        starts = {"week": today - timedelta(days=today.weekday()), "month": today.replace(day=1)}
        return starts.get(this["unit"].lower(), today.replace(month=1, day=1)), None
    if date := _SINCE_DATE.search(text):
        try:
            return today.replace(int(date["year"]), int(date["month"] or 1), int(date["day"] or 1)), None
        except ValueError:
            return None, None
    if named := _SINCE_NAME.search(text):
        if named["weekday"]:
            passed = (today.weekday() - _WEEKDAYS.index(named["weekday"].lower())) % 7 or 7
            return today - timedelta(days=passed), None
        return _get_month(named["month"], named["year"], today), None
    if within := _IN.search(text):
        if within["only"]:
            start = today.replace(int(within["only"]), 1, 1)
            return start, start.replace(start.year + 1)
        start = _get_month(within["month"], within["year"], today)
        return start, (start + timedelta(days=31)).replace(day=1)
    return None, None


def _get_month(name: str, year: str | None, today: datetime) -> datetime:
    """Return the first day of a month; without a year, of the last one that has begun."""
    month = _MONTHS.index(name.lower()) + 1
    return today.replace(int(year) if year else today.year - (month > today.month), month, 1)


def _read_count(text: str | None) -> int:
    """Return the number that a text writes; 1 for None."""
    return int(text) if text and text.isdigit() else _NUMBERS.get((text or "a").lower(), 1)
