"""Answers: how a tool declares its result, and how it is rendered as text and data.

An answer is a frozen class, a `Struct` or one of attrs, with a `coverage: Coverage`, a `headline()` and fields declared
with `part(title)`: tuples of items, best first. An item is a frozen class with `to_text()`; one that can be shortened
has `cut(tokens)`, and one that is listed under a common line has `heading()`. Budget, text, JSON, attempt history and
citations follow from the declaration.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

from msgspec import Struct, structs

from avionics.late_pattern import late_pattern
from avionics.model.enums import Certainty, Status
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.records import evolve, get_fields, iter_defaults
from avionics.model.results import Citation, Coverage, NextStep, ToolResult, to_plain
from avionics.settings import Settings
from avionics.tools.answers.next_step import NextWriter, suggest_same, write_python
from avionics.tools.answers.reasons import describe_reasons

CHARACTERS_PER_TOKEN = 4
"""Budgets are measured by this rule of thumb, for prose and code alike."""

_MAX_REFILLS = 3
_MAX_UNUSED = 0.05
"""The share of a budget that may stay unused while items are left out."""

_MAX_HEADLINE_LENGTH = 1_000
"""Characters; a longer one repeats a question that is itself a text."""

_UNSAFE = late_pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Control, direction and invisible characters, which can hide text."""

_UNUSUAL_BREAK = late_pattern(r"\n(?![ \t+\\-]|\d+│|\Z)")
"""A line break before a line that is like none of an item: not indented, not numbered, not of a patch."""

_FRAME_START = late_pattern(r"(?P<break>\n|\A)(?=\[|next: |error: |hint: |.*\(\d+(?: of \d+)?\):$)", re.MULTILINE)
"""The start of a line that looks like one of the frame: a title, the footer, a next step, an error."""


class AnswerPart(Struct, frozen=True):
    """How a ranked list within an answer is shown.

    Attributes:
        share: Its share of the budget, relative to the other sections.
        counts: Whether the answer's coverage counts its items.
    """

    title: str
    share: float = 1.0
    counts: bool = False


class Section(Struct, frozen=True):
    """A ranked list within an answer: its key in JSON, how it is shown, and its items, best first."""

    name: str
    shown: AnswerPart
    items: tuple[Any, ...]

    def show(self, **changes: Any) -> Section:
        """Return the section with some fields of its `AnswerPart` changed."""
        return structs.replace(self, shown=structs.replace(self.shown, **changes))


@runtime_checkable
class Item(Protocol):
    """One entry of a part."""

    def to_text(self) -> str:
        """Return the entry as text, one line or several."""


class Grouped(Protocol):
    """An entry that is listed together with others under one heading."""

    def heading(self) -> str:
        """Return the heading, without the count that is appended to it."""


@runtime_checkable
class Continued(Protocol):
    """An entry that can be shortened and continued."""

    def get_next(self, next_step: NextStep | None, shown: Any, *, is_all: bool) -> NextStep | None:
        """Return the next step if only `shown` results are shown; `is_all` if nothing else is missing."""


class Answer(Protocol):
    """The fields that the answer of every tool has."""

    @property
    def coverage(self) -> Coverage:
        """Return the completeness of the answer."""

    def headline(self) -> str:
        """Return the answer in one line."""


AnswerT = TypeVar("AnswerT", bound=Answer)


class _Declared(tuple[Any, ...]):
    """The default of a declared field: an empty tuple that carries how the items of the field are shown.

    Attributes:
        how: The part, or the keys of a tuple of sections.
    """

    how: AnswerPart | tuple[str, ...]

    def __new__(cls, how: AnswerPart | tuple[str, ...]) -> Self:
        """Create the default."""
        created = super().__new__(cls)
        created.how = how
        return created


class StoredRest(Struct, frozen=True):
    """The stored rest of an answer that was cut.

    Attributes:
        handle: Its name in the store; "" if nothing is stored.
        hint: How the reader can ask for it, in at most `MAX_HINT_CHARACTERS`; "" if the reader cannot.
    """

    handle: str = ""
    hint: str = ""


NOTHING_KEPT = StoredRest()
MAX_HINT_CHARACTERS = 120
"""The length that a cut text reserves for the hint."""


def part(title: str, share: float = 1.0, *, counts: bool = False) -> Any:
    """Declare a field with a ranked tuple of items, empty by default; the title heads it in text ("" for none).

    Coverage counts the items of the sections with `counts`, else of the first section that has any.
    """
    return _Declared(AnswerPart(title, share, counts))


def sections(keys: Iterable[str] = ()) -> Any:
    """Declare a field with a tuple of sections, empty by default; `OMITTED` names it, for the sections are keys too.

    The answer's JSON always has the given keys; those without a section are empty lists.
    """
    return _Declared(tuple(keys))


def take_sections(answer: Any, *names: str, counts: bool = False) -> tuple[Section, ...]:
    """Return sections of an answer, by default all, for use in another one, whose coverage may count their items."""
    own = {section.name: section for section in sections_of(answer)}
    chosen = tuple(own[name] for name in names or own)
    return tuple(section.show(counts=True) for section in chosen) if counts else chosen


def is_answer(value: object) -> bool:
    """Return whether the value is a declared answer, not plain data."""
    return get_fields(type(value)) is not None and hasattr(value, "coverage") and hasattr(value, "headline")


def estimate_tokens(text: str) -> int:
    """Return how many tokens the text counts as: a quarter of its characters, rounded up."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def visible(text: str) -> str:
    """Make control, direction and zero-width characters in text from a repository visible."""
    plain = text.replace("\n", "").replace("\t", "")
    return text if plain.isascii() and plain.isprintable() else _UNSAFE.sub(_escape, text)


def escape_entry(text: str) -> str:
    """Escape an entry so that none of its lines can be mistaken for a line of the answer's frame."""
    shown = _UNUSUAL_BREAK.sub(_escape, visible(text))
    return f"  {shown}" if _FRAME_START.match(shown) else shown


def escape_headline(text: str) -> str:
    """Escape a headline so that it cannot be mistaken for a part's title or the footer."""
    return _FRAME_START.sub(lambda match: match["break"] and _escape(match), visible(text))


def headline_of(answer: Any) -> str:
    """Return the headline of an answer; a long one is cut in the middle."""
    text = str(answer.headline())
    half = _MAX_HEADLINE_LENGTH // 2
    return text if len(text) <= _MAX_HEADLINE_LENGTH else f"{text[:half]}…{text[-half:]}"


def one_line(text: str) -> str:
    """Escape text so that it stays on one line."""
    return visible(text).replace("\n", "\\u{a}")


def shorten(text: str, most: int) -> str:
    """Cut text to at most that many characters, the last of them `…`."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _escape(match: re.Match[str]) -> str:
    return f"\\u{{{ord(match[0]):x}}}"


def sections_of(answer: Any) -> Iterator[Section]:
    """Yield the sections of an answer in the order in which they are printed."""
    for name, how in _iter_declared(answer):
        if isinstance(how, AnswerPart):
            yield Section(name, how, getattr(answer, name))
        else:
            yield from getattr(answer, name)


def _iter_declared(answer: Any) -> Iterator[tuple[str, AnswerPart | tuple[str, ...]]]:
    """Yield the fields that were declared with `part` and `sections`, and how they are shown."""
    for name, default in iter_defaults(type(answer)):
        if isinstance(default, _Declared):
            yield name, default.how


def _with_items(answer: AnswerT, items: Mapping[str, tuple[Any, ...]], coverage: Coverage) -> AnswerT:
    """Return the answer with other items in its sections and another coverage."""
    changes: dict[str, Any] = {"coverage": coverage}
    for name, how in _iter_declared(answer):
        own = getattr(answer, name)
        if isinstance(how, AnswerPart):
            changes[name] = items.get(name, own)
        else:
            changes[name] = tuple(structs.replace(each, items=items.get(each.name, each.items)) for each in own)
    evolved: AnswerT = evolve(answer, changes)
    return evolved


def render(answer: Any, whole: Any = None, write: NextWriter = write_python) -> str:
    """Render an answer as text: headline, sections, footer; `whole` is the answer before it was cut."""
    every = {section.name: section.items for section in sections_of(whole or answer)}
    blocks = [escape_headline(headline_of(answer))]
    for section in sections_of(answer):
        items, whole_items, title = section.items, every[section.name], section.shown.title
        if items:
            first = (_write_title(title, len(items), len(whole_items)),) if title else ()
            blocks.append("\n".join((*first, *_iter_lines(items, whole_items))))
    footer = _write_footer(answer.coverage, write)
    if footer:
        blocks.append(footer)
    return "\n\n".join(block for block in blocks if block)


def _iter_lines(items: Sequence[Any], every: Sequence[Any]) -> Iterator[str]:
    """Yield the lines of items; neighbors with the same heading are listed under it."""
    totals, shown = Counter(map(_get_heading, every)), Counter(map(_get_heading, items))
    current = ""
    for item in items:
        heading = _get_heading(item)
        if heading and heading != current:
            yield _write_title(one_line(heading), shown[heading], totals[heading])
        current = heading
        yield escape_entry(item.to_text())


def _get_heading(item: Any) -> str:
    """Return the heading under which an item is listed; "" if it has none."""
    # Asking whether the item is `Grouped` takes a hundred times as long.
    grouped: Grouped | None = item if hasattr(item, "heading") else None
    return grouped.heading() if grouped is not None else ""


def _write_title(title: str, shown: int, total: int) -> str:
    """Return a title with how many entries follow, and of how many when some are left out."""
    return f"{title} ({total}):" if shown == total else f"{title} ({shown} of {total}):"


def fit(answer: AnswerT, tokens: int, write: NextWriter = write_python) -> AnswerT:
    """Leave out the lowest ranked items until the answer's text fits; 0 tokens means no limit.

    Sections share the budget by their declared shares; what is left over goes to those that were cut, in order.
    """
    if tokens <= 0 or (needed := estimate_tokens(render(answer, write=write))) <= tokens:
        return answer
    larger = _suggest_budget(tokens, needed)
    room = float(tokens - estimate_tokens(_write_frame(answer, larger, write)))
    fitted = _fill_sections(answer, tokens, room, larger)
    for _ in range(_MAX_REFILLS):
        # The frame is measured at its longest; after a first cut, give the room that it did not need to the items.
        left = tokens - estimate_tokens(render(fitted, answer, write)) - MAX_HINT_CHARACTERS // CHARACTERS_PER_TOKEN
        if left <= _MAX_UNUSED * tokens:
            break
        room += left
        fuller = _fill_sections(answer, tokens, room, larger)
        if estimate_tokens(render(fuller, answer, write)) > tokens:
            break
        fitted = fuller
    return fitted


def _fill_sections(answer: AnswerT, tokens: int, room: float, larger: NextStep | None) -> AnswerT:
    """Return the answer with as many items as `room` tokens have place for."""
    filled = [section for section in sections_of(answer) if section.items]
    shares = sum(section.shown.share for section in filled) or 1.0
    fitted = {each.name: _take_fitting(each.items, room * each.shown.share / shares) for each in filled}
    left = room - sum(cost for _, cost in fitted.values())
    for section in filled:
        _, cost = fitted[section.name]
        fitted[section.name] = _take_fitting(section.items, cost + left)
        left -= fitted[section.name][1] - cost
    kept = {name: chosen for name, (chosen, _) in fitted.items()}
    counted = [section for section in filled if section.shown.counts] or filled[:1]
    missing = sum(len(section.items) - len(kept[section.name]) for section in counted)
    coverage = structs.replace(
        answer.coverage,
        shown=max(0, answer.coverage.shown - missing),
        reasons=(*answer.coverage.reasons, Reason(ReasonKind.CUT_TO_BUDGET, tokens), *_count_lost(filled, kept)),
        next=_choose_next_step(answer.coverage.next, filled, kept) or larger,
    )
    return _with_items(answer, kept, coverage)


def _count_lost(filled: Sequence[Section], kept: Mapping[str, tuple[Any, ...]]) -> Iterator[Reason]:
    """Yield how many items are left out, and how many are shown only in part."""
    pairs = [(section.items, kept[section.name]) for section in filled]
    lost = sum(len(items) - len(shown) for items, shown in pairs)
    shortened = sum(mine is not item for items, shown in pairs for mine, item in zip(shown, items, strict=False))
    if lost:
        yield Reason(ReasonKind.ITEMS_LEFT_OUT, lost)
    if shortened:
        yield Reason(ReasonKind.ITEMS_SHORTENED, shortened)


def _choose_next_step(
    next_step: NextStep | None, filled: Sequence[Section], kept: Mapping[str, tuple[Any, ...]]
) -> NextStep | None:
    """Return the next step; if only a shortened item is incomplete, the step that continues it."""
    whole = [(item, kept[each.name][at : at + 1]) for each in filled for at, item in enumerate(each.items)]
    cut = [(item, *shown) for item, shown in whole if shown != (item,)]
    for item, *shown in cut:
        if shown and isinstance(item, Continued):
            next_step = item.get_next(next_step, shown[0], is_all=len(cut) == 1)
    return next_step


def _suggest_budget(tokens: int, needed: int) -> NextStep | None:
    """Return the step that repeats the call with a sufficient budget; None if that exceeds the maximum."""
    larger = min(-(-needed // 100) * 100 + 100, Settings().max_budget_tokens)
    return suggest_same("for the rest", budget=larger) if larger > tokens else None


def to_result(
    answer: Any,
    budget_tokens: int = 0,
    keep: Callable[[Any], StoredRest] | None = None,
    write: NextWriter = write_python,
) -> ToolResult:
    """Convert an answer to the documented result: `data` and text are cut to the budget, and the rest may be stored.

    The reasons of the coverage become sentences here, under `because` in `data`, and the next step a call as the
    reader writes it.
    """
    shown, kept = fit(answer, budget_tokens, write), NOTHING_KEPT
    if keep and shown is not answer:
        kept = keep(rest_of(answer, shown))
    following = kept.hint or (write(shown.coverage.next) if shown.coverage.next else "")
    status = answer.coverage.status
    if status is Status.SUCCESS and shown is not answer:
        status = Status.PARTIAL
    data = to_plain(shown) | _map_plain_sections(shown)
    data["coverage"] |= {"next": following, "because": list(describe_reasons(shown.coverage.reasons))}
    data["attempt_history"] = to_plain(getattr(shown, "attempts", ()))
    data.pop("attempts", None)
    data["citations"] = [str(citation) for citation in citations_of(shown)]
    message = "" if status is Status.SUCCESS else headline_of(shown)
    text = render(shown, answer, lambda _: following)
    return ToolResult(status=status, data=data, message=message, text=text, rest=kept.handle, answer=shown)


def _map_plain_sections(answer: Any) -> dict[str, Any]:
    """Return the sections that are not fields of the answer, by key, as plain data."""
    plain: dict[str, Any] = {}
    for name, how in _iter_declared(answer):
        if not isinstance(how, AnswerPart):
            plain |= {key: [] for key in how}
            plain |= {section.name: to_plain(section.items) for section in getattr(answer, name)}
    return plain


def rest_of(answer: Any, shown: Any) -> Any:
    """Return the part of an answer that was not shown, shortened items included, as an answer."""
    left = {}
    for section, other in zip(sections_of(answer), sections_of(shown), strict=True):
        whole = sum(1 for mine, item in zip(other.items, section.items, strict=False) if mine is item)
        left[section.name] = section.items[whole:]
    coverage = structs.replace(answer.coverage, shown=max(0, answer.coverage.shown - shown.coverage.shown))
    return _with_items(answer, left, coverage)


def citations_of(answer: Any) -> tuple[Citation, ...]:
    """Return every place that the answer's items name, in order, once each."""
    found: dict[Citation, None] = {}
    for item in (each for section in sections_of(answer) for each in section.items):
        file = getattr(item, "file", None)
        line = getattr(item, "line", None) or getattr(item, "start_line", None)
        if file and line:
            found[Citation(file, line)] = None
    return tuple(found)


def _write_frame(answer: Any, larger: NextStep | None, write: NextWriter) -> str:
    """Return the text that is never cut: headline, titles, and the footer with its longest additions."""
    coverage = structs.replace(answer.coverage, next=answer.coverage.next or larger)
    titles = "".join(f"{each.shown.title} (1000 of 1000):\n\n" for each in sections_of(answer) if each.items)
    hint = "x" * (40 + MAX_HINT_CHARACTERS)
    return f"{escape_headline(headline_of(answer))}{titles}{_write_footer(coverage, write)}{hint}"


def _take_fitting(items: tuple[Any, ...], allowed: float) -> tuple[tuple[Any, ...], float]:
    """Return the first items that fit, the last one shortened if possible, and their cost."""
    chosen: list[Any] = []
    cost = 0.0
    current = ""
    for item in items:
        heading = _get_heading(item)
        above = f"{heading} (1000 of 1000):\n" if heading and heading != current else ""
        current = heading
        price = estimate_tokens(above + escape_entry(item.to_text()) + "\n")
        if cost + price > allowed:
            shortened = item.cut(int(allowed - cost)) if hasattr(item, "cut") else None
            if shortened is not None:
                chosen.append(shortened)
                cost += estimate_tokens(escape_entry(shortened.to_text()) + "\n")
            break
        chosen.append(item)
        cost += price
    return tuple(chosen), cost


_CERTAINTY = {Certainty.EXACT: "", Certainty.AT_LEAST: "at least ", Certainty.UNKNOWN: "unknown, at least "}


def _write_footer(coverage: Coverage, write: NextWriter) -> str:
    """Return the completeness of the answer and the next step."""
    pieces = []
    if coverage.found and (coverage.shown < coverage.found or coverage.certainty is not Certainty.EXACT):
        pieces.append(f"shown {coverage.shown} of {_CERTAINTY[coverage.certainty]}{coverage.found}")
    elif coverage.found and not coverage.reasons:
        pieces.append(f"complete: {coverage.found} of {coverage.found}")
    if coverage.unresolved:
        pieces.append(f"{coverage.unresolved} unresolved")
    pieces.extend(describe_reasons(coverage.reasons))
    lines = ["[" + "; ".join(pieces) + "]"] if pieces else []
    following = write(coverage.next) if coverage.next else ""
    if following:
        lines.append(f"next: {following}")
    return "\n".join(map(one_line, lines))
