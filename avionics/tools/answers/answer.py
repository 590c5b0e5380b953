"""Answers: how a tool declares what it found, and the one way an answer becomes text and data.

An answer is a frozen attrs class with a `coverage: Coverage`, a `headline()` and fields declared with
`part(title)`: tuples of items, best first. An item is a frozen attrs class with `to_text()`; one that can be
shortened has `cut(tokens)`, and one that is listed under a common line has `heading()`. Budget, text, JSON, attempt
history and citations follow from the declaration.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

import attrs

from avionics.model.enums import Certainty, Status
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Citation, Coverage, ToolResult, to_plain
from avionics.tools.answers.reasons import describe_reasons

CHARACTERS_PER_TOKEN = 2.3
"""Line-numbered code has 2.2–2.3 characters a token; prose has more, so this errs high."""

_MAX_HEADLINE_LENGTH = 1_000
"""Characters; a longer one repeats a question that is itself a text."""

_PART = "avionics_part"
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Controls, directions, and what is drawn as nothing: text can be hidden in it."""

_BREAK = re.compile(r"\n(?![ \t+\\-]|\d+│|\Z)")
"""A line break before a line that no item has: not indented, not numbered, not a line of a patch."""

_OURS = re.compile(r"(?P<break>\n|\A)(?=\[|next: |error: |hint: |.*\(\d+(?: of \d+)?\):$)", re.MULTILINE)
"""The start of a line that only the answer itself may have."""


@attrs.frozen
class AnswerPart:
    """A ranked list within an answer.

    Attributes:
        title: What heads it in text.
        share: Its share of the budget against the other parts.
        counts: Whether the answer's coverage counts its items, or a function of the answer that returns it.
    """

    title: str
    share: float
    counts: bool | Callable[[Any], bool]

    def is_counted(self, answer: Any) -> bool:
        """Return whether an answer's coverage counts its items."""
        return self.counts(answer) if callable(self.counts) else self.counts


@runtime_checkable
class Item(Protocol):
    """One entry of a part."""

    def to_text(self) -> str:
        """Return the entry as text, one line or several."""
        ...


@runtime_checkable
class Grouped(Protocol):
    """An entry that is listed with others under one line."""

    def heading(self) -> str:
        """Return the line, without the count that is added to it."""
        ...


@runtime_checkable
class Continued(Protocol):
    """An entry that can be shortened and continued."""

    def get_next(self, next_step: str, shown: Any, *, is_all: bool) -> str:
        """Return what to ask next where only `shown` of it is shown; `is_all` if nothing else is missing."""
        ...


class Answer(Protocol):
    """What every tool's answer has."""

    @property
    def coverage(self) -> Coverage:
        """How complete the answer is."""
        ...

    def headline(self) -> str:
        """Return the answer in a line."""
        ...


AnswerT = TypeVar("AnswerT", bound=Answer)


@attrs.frozen
class StoredRest:
    """Where the rest of an answer that was cut is stored.

    Attributes:
        handle: Its name there; "" when nothing is stored.
        hint: How the reader asks for it, in at most `MAX_HINT_CHARACTERS`; "" when the reader cannot.
    """

    handle: str = ""
    hint: str = ""


NOTHING_KEPT = StoredRest()
MAX_HINT_CHARACTERS = 120
"""The length that a cut text reserves for the hint."""


_Declared = tuple[str, AnswerPart, tuple[Any, ...]]
"""A part of an answer: the field's name, how it is declared, its items."""


def part(title: str, share: float = 1.0, *, counts: bool | Callable[[Any], bool] = False) -> Any:
    """Declare an attrs field with a ranked tuple of items; the title heads it in text ("" for none).

    Coverage counts the items of the parts with `counts`, else of the first part that has any.
    """
    return attrs.field(factory=tuple, metadata={_PART: AnswerPart(title, share, counts)})


def is_answer(value: object) -> bool:
    """Return whether the value is a declared answer, not plain data."""
    return attrs.has(type(value)) and hasattr(value, "coverage") and hasattr(value, "headline")


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens the text has, for code never fewer than a real tokenizer counts."""
    return -int(-len(text.encode("utf-8", "surrogatepass")) // CHARACTERS_PER_TOKEN)


def visible(text: str) -> str:
    """Make control, direction and zero-width characters in text from a repository visible."""
    return text if text.isascii() and text.isprintable() else _UNSAFE.sub(_escape, text)


def fenced(text: str) -> str:
    """Escape an entry so that no line of it can be taken for one that the answer itself writes."""
    shown = _BREAK.sub(_escape, visible(text))
    return f"  {shown}" if _OURS.match(shown) else shown


def headed(text: str) -> str:
    """Escape a headline so that no line of it can be taken for a part's title or the footer."""
    return _OURS.sub(lambda match: match["break"] and _escape(match), visible(text))


def headline_of(answer: Any) -> str:
    """Return the headline of an answer; of a long one its start and its end."""
    text = str(answer.headline())
    half = _MAX_HEADLINE_LENGTH // 2
    return text if len(text) <= _MAX_HEADLINE_LENGTH else f"{text[:half]}…{text[-half:]}"


def one_line(text: str) -> str:
    """Escape text so that it stays one line, whatever it quotes."""
    return visible(text).replace("\n", "\\u{a}")


def shorten(text: str, most: int) -> str:
    """Cut text to at most that many characters, the last of them `…`."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _escape(match: re.Match[str]) -> str:
    return f"\\u{{{ord(match[0]):x}}}"


def parts_of(answer: Any) -> Iterator[tuple[str, AnswerPart, tuple[Any, ...]]]:
    """Yield the declared parts: field name, declaration, items."""
    for field in attrs.fields(type(answer)):
        if _PART in field.metadata:
            yield field.name, field.metadata[_PART], getattr(answer, field.name)


def render(answer: Any, whole: Any = None) -> str:
    """Render an answer as text: headline, parts, footer. `whole` is the answer before it was cut."""
    every = {name: items for name, _, items in parts_of(whole or answer)}
    blocks = [headed(headline_of(answer))]
    for name, declared, items in parts_of(answer):
        if not items:
            continue
        title = (_counted(declared.title, len(items), len(every[name])),) if declared.title else ()
        blocks.append("\n".join((*title, *_iter_lines(items, every[name]))))
    footer = _footer(answer.coverage)
    if footer:
        blocks.append(footer)
    return "\n\n".join(block for block in blocks if block)


def _iter_lines(items: Sequence[Any], every: Sequence[Any]) -> Iterator[str]:
    """Yield the lines of items; neighbors with the same heading are listed under it."""
    totals, shown = Counter(map(_heading_of, every)), Counter(map(_heading_of, items))
    current = ""
    for item in items:
        heading = _heading_of(item)
        if heading and heading != current:
            yield _counted(one_line(heading), shown[heading], totals[heading])
        current = heading
        yield fenced(item.to_text())


def _heading_of(item: Any) -> str:
    """Return the line under which an item is listed, "" for none."""
    return item.heading() if isinstance(item, Grouped) else ""


def _counted(title: str, shown: int, total: int) -> str:
    """Return a title with how many entries follow, and of how many when some are left out."""
    return f"{title} ({total}):" if shown == total else f"{title} ({shown} of {total}):"


def fit(answer: AnswerT, tokens: int) -> AnswerT:
    """Leave out the lowest ranked items until the answer's text fits; 0 tokens means no limit.

    Parts share the budget by their declared shares; what is left over goes to those that were cut, in order.
    """
    if tokens <= 0 or estimate_tokens(render(answer)) <= tokens:
        return answer
    room = float(tokens - estimate_tokens(_frame(answer)))
    declared = [entry for entry in parts_of(answer) if entry[2]]
    shares = sum(spec.share for _, spec, _ in declared) or 1.0
    fitted = {name: _prefix(items, room * spec.share / shares) for name, spec, items in declared}
    left = room - sum(cost for _, cost in fitted.values())
    for name, _, items in declared:
        _, cost = fitted[name]
        fitted[name] = _prefix(items, cost + left)
        left -= fitted[name][1] - cost
    kept = {name: chosen for name, (chosen, _) in fitted.items()}
    counted = [name for name, spec, _ in declared if spec.is_counted(answer)] or [name for name, _, _ in declared[:1]]
    missing = sum(len(getattr(answer, name)) - len(kept[name]) for name in counted)
    coverage = attrs.evolve(
        answer.coverage,
        shown=max(0, answer.coverage.shown - missing),
        reasons=(*answer.coverage.reasons, Reason(ReasonKind.CUT_TO_BUDGET, tokens), *_count_lost(declared, kept)),
        next=_advise(answer.coverage.next, declared, kept),
    )
    return attrs.evolve(answer, coverage=coverage, **kept)  # type: ignore[misc]


def _count_lost(declared: Sequence[_Declared], kept: Mapping[str, tuple[Any, ...]]) -> Iterator[Reason]:
    """Yield how many items are left out, and how many are shown only in part."""
    pairs = [(items, kept[name]) for name, _, items in declared]
    lost = sum(len(items) - len(shown) for items, shown in pairs)
    shortened = sum(mine is not item for items, shown in pairs for mine, item in zip(shown, items, strict=False))
    if lost:
        yield Reason(ReasonKind.ITEMS_LEFT_OUT, lost)
    if shortened:
        yield Reason(ReasonKind.ITEMS_SHORTENED, shortened)


def _advise(next_step: str, declared: Sequence[_Declared], kept: Mapping[str, tuple[Any, ...]]) -> str:
    """Return what to ask next: if only a shortened item is incomplete, to continue it."""
    whole = [(item, kept[name][at : at + 1]) for name, _, items in declared for at, item in enumerate(items)]
    cut = [(item, *shown) for item, shown in whole if shown != (item,)]
    for item, *shown in cut:
        if shown and isinstance(item, Continued):
            next_step = item.get_next(next_step, shown[0], is_all=len(cut) == 1)
    return next_step or "ask with a larger budget or a narrower scope for the rest"


def to_result(answer: Any, budget_tokens: int = 0, keep: Callable[[Any], StoredRest] | None = None) -> ToolResult:
    """Convert an answer to the documented result: `data` and text are cut to the budget, and the rest may be stored.

    The reasons of the coverage become sentences here, under `because` in `data`.
    """
    shown, kept = fit(answer, budget_tokens), NOTHING_KEPT
    if keep and shown is not answer:
        kept = keep(rest_of(answer, shown))
        coverage = shown.coverage
        shown = attrs.evolve(shown, coverage=attrs.evolve(coverage, next=kept.hint or coverage.next))
    status = answer.coverage.status
    if status is Status.SUCCESS and shown is not answer:
        status = Status.PARTIAL
    data = to_plain(shown)
    data["coverage"]["because"] = list(describe_reasons(shown.coverage.reasons))
    data["attempt_history"] = to_plain(getattr(shown, "attempts", ()))
    data.pop("attempts", None)
    data["citations"] = [str(citation) for citation in citations_of(shown)]
    message = "" if status is Status.SUCCESS else headline_of(shown)
    return ToolResult(status=status, data=data, message=message, text=render(shown, whole=answer), rest=kept.handle)


def rest_of(answer: Any, shown: Any) -> Any:
    """Return the part of an answer that was not shown, shortened items included, as an answer."""
    left = {}
    for name, _, items in parts_of(answer):
        chosen = getattr(shown, name)
        whole = sum(1 for mine, other in zip(chosen, items, strict=False) if mine is other)
        left[name] = items[whole:]
    coverage = attrs.evolve(answer.coverage, shown=max(0, answer.coverage.shown - shown.coverage.shown))
    return attrs.evolve(answer, coverage=coverage, **left)


def citations_of(answer: Any) -> tuple[Citation, ...]:
    """Return every place that the answer's items name, in order, once each."""
    found: dict[Citation, None] = {}
    for _, _, items in parts_of(answer):
        for item in items:
            file = getattr(item, "file", None)
            line = getattr(item, "line", None) or getattr(item, "start_line", None)
            if file and line:
                found[Citation(file, line)] = None
    return tuple(found)


def _frame(answer: Any) -> str:
    """Return the text that stays whatever is cut: headline, titles, footer with its longest additions."""
    titles = "".join(f"{spec.title} (1000 of 1000):\n\n" for _, spec, items in parts_of(answer) if items)
    return f"{headed(headline_of(answer))}{titles}{_footer(answer.coverage)}{'x' * (40 + MAX_HINT_CHARACTERS)}"


def _prefix(items: tuple[Any, ...], allowed: float) -> tuple[tuple[Any, ...], float]:
    """Return as many of the first items as fit, the last one cut if it can be, and what they cost."""
    chosen: list[Any] = []
    cost = 0.0
    current = ""
    for item in items:
        heading = _heading_of(item)
        above = f"{heading} (1000 of 1000):\n" if heading and heading != current else ""
        current = heading
        price = estimate_tokens(above + fenced(item.to_text()) + "\n")
        if cost + price > allowed:
            shortened = item.cut(int(allowed - cost)) if hasattr(item, "cut") else None
            if shortened is not None:
                chosen.append(shortened)
                cost += estimate_tokens(fenced(shortened.to_text()) + "\n")
            break
        chosen.append(item)
        cost += price
    return tuple(chosen), cost


_CERTAINTY = {Certainty.EXACT: "", Certainty.AT_LEAST: "at least ", Certainty.UNKNOWN: "unknown, at least "}


def _footer(coverage: Coverage) -> str:
    """Return how complete the answer is, and what to ask next."""
    pieces = []
    if coverage.found and (coverage.shown < coverage.found or coverage.certainty is not Certainty.EXACT):
        pieces.append(f"shown {coverage.shown} of {_CERTAINTY[coverage.certainty]}{coverage.found}")
    elif coverage.found and not coverage.reasons:
        pieces.append(f"complete: {coverage.found} of {coverage.found}")
    if coverage.unresolved:
        pieces.append(f"{coverage.unresolved} unresolved")
    pieces.extend(describe_reasons(coverage.reasons))
    lines = ["[" + "; ".join(pieces) + "]"] if pieces else []
    if coverage.next:
        lines.append(f"next: {coverage.next}")
    return "\n".join(map(one_line, lines))
