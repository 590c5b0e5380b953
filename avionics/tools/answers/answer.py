"""Answers: how a tool declares what it found, and the one way an answer becomes text and data.

An answer is a frozen attrs class with a `coverage: Coverage`, a `headline()` and fields declared with
`part(title)`: tuples of items, best first. An item is a frozen attrs class with `to_text()`; one that can be
shortened has `cut(tokens)`. Nothing else is needed: budget, text, JSON, attempt history and citations
follow from the declaration.

Knows: the shape of answers, tokens.
Does not know: any tool.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

import attrs

from avionics.model.enums import Certainty, Status
from avionics.model.results import Citation, Coverage, ToolResult, to_plain

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
"""A line break after which a line would stand that no entry has: not indented, not numbered, no line of a patch."""

_OURS = re.compile(r"(?P<break>\n|\A)(?=\[|next: |error: |hint: |.*\(\d+(?: of \d+)?\):$)", re.MULTILINE)
"""The start of a line as only an answer itself says it."""


@attrs.frozen
class AnswerPart:
    """A ranked list within an answer.

    Attributes:
        title: What heads it in text.
        share: Its share of the budget against the other parts.
        counts: Whether its items are what the answer's coverage counts, or what tells so of an answer.
    """

    title: str
    share: float
    counts: bool | Callable[[Any], bool]

    def is_counted(self, answer: Any) -> bool:
        """Whether an answer's coverage counts its items."""
        return self.counts(answer) if callable(self.counts) else self.counts


@runtime_checkable
class Item(Protocol):
    """One entry of a part."""

    def to_text(self) -> str:
        """The entry as text, one line or several."""
        ...


@runtime_checkable
class Continued(Protocol):
    """An entry that can be shortened, and gone on with."""

    def get_next(self, next_step: str, shown: Any, *, is_all: bool) -> str:
        """What to ask next where only `shown` of it is shown; `is_all` if nothing else is missing."""
        ...


class Answer(Protocol):
    """What every tool's answer has."""

    @property
    def coverage(self) -> Coverage:
        """How much of the truth this is."""
        ...

    def headline(self) -> str:
        """The answer in a line."""
        ...


AnswerT = TypeVar("AnswerT", bound=Answer)


@attrs.frozen
class StoredRest:
    """Where the part of an answer that was cut is kept.

    Attributes:
        handle: Its name there; "" when nothing is kept.
        hint: How the reader asks for it, in at most `MAX_HINT_CHARACTERS`; "" when the reader cannot.
    """

    handle: str = ""
    hint: str = ""


NOTHING_KEPT = StoredRest()
MAX_HINT_CHARACTERS = 120
"""The room that a cut text leaves for the words that say how to go on."""


_Declared = tuple[str, AnswerPart, tuple[Any, ...]]
"""A part of an answer: the field's name, how it is declared, its items."""


def part(title: str, share: float = 1.0, *, counts: bool | Callable[[Any], bool] = False) -> Any:
    """An attrs field holding a ranked tuple of items; the title heads it in text ("" for none).

    Coverage counts the items of the parts that say so, else of the first that has any.
    """
    return attrs.field(factory=tuple, metadata={_PART: AnswerPart(title, share, counts)})


def is_answer(value: object) -> bool:
    """Whether the value is a declared answer (and not plain data)."""
    return attrs.has(type(value)) and hasattr(value, "coverage") and hasattr(value, "headline")


def estimate_tokens(text: str) -> int:
    """Tokens the text costs a model, never less than a real tokenizer would say for code."""
    return -int(-len(text.encode("utf-8", "surrogatepass")) // CHARACTERS_PER_TOKEN)


def visible(text: str) -> str:
    """Text from a repository with control, direction and zero-width characters made visible."""
    return text if text.isascii() and text.isprintable() else _UNSAFE.sub(_escape, text)


def fenced(text: str) -> str:
    """An entry as it is shown: no line of it can be taken for one of ours."""
    shown = _BREAK.sub(_escape, visible(text))
    return f"  {shown}" if _OURS.match(shown) else shown


def headed(text: str) -> str:
    """A headline as it is shown; no line of it can be taken for a part's title or the end."""
    return _OURS.sub(lambda match: match["break"] and _escape(match), visible(text))


def headline_of(answer: Any) -> str:
    """What the answer says first; of a long one its start and its end."""
    text = str(answer.headline())
    half = _MAX_HEADLINE_LENGTH // 2
    return text if len(text) <= _MAX_HEADLINE_LENGTH else f"{text[:half]}…{text[-half:]}"


def one_line(text: str) -> str:
    """Text that is one line of ours, whatever is quoted in it."""
    return visible(text).replace("\n", "\\u{a}")


def shorten(text: str, most: int) -> str:
    """The text; of a longer one as many characters as are allowed, the last of them `…`."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _escape(match: re.Match[str]) -> str:
    return f"\\u{{{ord(match[0]):x}}}"


def parts_of(answer: Any) -> Iterator[tuple[str, AnswerPart, tuple[Any, ...]]]:
    """The declared parts: field name, declaration, items."""
    for field in attrs.fields(type(answer)):
        if _PART in field.metadata:
            yield field.name, field.metadata[_PART], getattr(answer, field.name)


def render(answer: Any, whole: Any = None) -> str:
    """The answer as text: headline, parts, how much of the truth it is. `whole` is the answer before it was cut."""
    totals = {name: len(items) for name, _, items in parts_of(whole or answer)}
    blocks = [headed(headline_of(answer))]
    for name, declared, items in parts_of(answer):
        if not items:
            continue
        lines = [fenced(item.to_text()) for item in items]
        if declared.title:
            count = str(totals[name]) if len(items) == totals[name] else f"{len(items)} of {totals[name]}"
            lines.insert(0, f"{declared.title} ({count}):")
        blocks.append("\n".join(lines))
    footer = _footer(answer.coverage)
    if footer:
        blocks.append(footer)
    return "\n\n".join(block for block in blocks if block)


def fit(answer: AnswerT, tokens: int) -> AnswerT:
    """The answer with the least ranked items left out until its text fits; 0 tokens means whole.

    Parts share the room by their declared shares; what is left over goes to those that were cut, in order.
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
        because=(*answer.coverage.because, f"cut to about {tokens} tokens, {_say_lost(declared, kept)}"),
        next=_advise(answer.coverage.next, declared, kept),
    )
    return attrs.evolve(answer, coverage=coverage, **kept)  # type: ignore[misc]


def _say_lost(declared: Sequence[_Declared], kept: Mapping[str, tuple[Any, ...]]) -> str:
    """How much of an answer is not shown: items left out, and items that are shown in part."""
    pairs = [(items, kept[name]) for name, _, items in declared]
    lost = sum(len(items) - len(shown) for items, shown in pairs)
    shortened = sum(mine is not item for items, shown in pairs for mine, item in zip(shown, items, strict=False))
    return " and ".join(f"{count} {how}" for count, how in ((lost, "left out"), (shortened, "shortened")) if count)


def _advise(next_step: str, declared: Sequence[_Declared], kept: Mapping[str, tuple[Any, ...]]) -> str:
    """What to ask next, where an item that was shortened now stops; if only that is missing, to go on there."""
    whole = [(item, kept[name][at : at + 1]) for name, _, items in declared for at, item in enumerate(items)]
    cut = [(item, *shown) for item, shown in whole if shown != (item,)]
    for item, *shown in cut:
        if shown and isinstance(item, Continued):
            next_step = item.get_next(next_step, shown[0], is_all=len(cut) == 1)
    return next_step or "ask with a larger budget or a narrower scope for the rest"


def to_result(answer: Any, budget_tokens: int = 0, keep: Callable[[Any], StoredRest] | None = None) -> ToolResult:
    """The answer as the documented result; `data` and text are both cut to the budget, and what is cut may be kept."""
    shown, kept = fit(answer, budget_tokens), NOTHING_KEPT
    if keep and shown is not answer:
        kept = keep(rest_of(answer, shown))
        coverage = shown.coverage
        shown = attrs.evolve(shown, coverage=attrs.evolve(coverage, next=kept.hint or coverage.next))
    status = answer.coverage.status
    if status is Status.SUCCESS and shown is not answer:
        status = Status.PARTIAL
    data = to_plain(shown)
    data["attempt_history"] = to_plain(getattr(shown, "attempts", ()))
    data.pop("attempts", None)
    data["citations"] = [str(citation) for citation in citations_of(shown)]
    message = "" if status is Status.SUCCESS else headline_of(shown)
    return ToolResult(status=status, data=data, message=message, text=render(shown, whole=answer), rest=kept.handle)


def rest_of(answer: Any, shown: Any) -> Any:
    """What of an answer was not shown, an item that was shortened again; itself an answer."""
    left = {}
    for name, _, items in parts_of(answer):
        chosen = getattr(shown, name)
        whole = sum(1 for mine, other in zip(chosen, items, strict=False) if mine is other)
        left[name] = items[whole:]
    coverage = attrs.evolve(answer.coverage, shown=max(0, answer.coverage.shown - shown.coverage.shown))
    return attrs.evolve(answer, coverage=coverage, **left)


def citations_of(answer: Any) -> tuple[Citation, ...]:
    """Every place the answer's items name, in order, once each."""
    found: dict[Citation, None] = {}
    for _, _, items in parts_of(answer):
        for item in items:
            file = getattr(item, "file", None)
            line = getattr(item, "line", None) or getattr(item, "start_line", None)
            if file and line:
                found[Citation(file, line)] = None
    return tuple(found)


def _frame(answer: Any) -> str:
    """The text that stays whatever is cut: headline, titles, footer with its longest additions."""
    titles = "".join(f"{spec.title} (1000 of 1000):\n\n" for _, spec, items in parts_of(answer) if items)
    return f"{headed(headline_of(answer))}{titles}{_footer(answer.coverage)}{'x' * (40 + MAX_HINT_CHARACTERS)}"


def _prefix(items: tuple[Any, ...], allowed: float) -> tuple[tuple[Any, ...], float]:
    """As many of the first items as fit, the last one cut if it can be; and what they cost."""
    chosen: list[Any] = []
    cost = 0.0
    for item in items:
        price = estimate_tokens(fenced(item.to_text()) + "\n")
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
    """How much of the truth the answer is, and what to ask next."""
    pieces = []
    if coverage.shown < coverage.found or coverage.certainty is not Certainty.EXACT:
        pieces.append(f"shown {coverage.shown} of {_CERTAINTY[coverage.certainty]}{coverage.found}")
    elif coverage.found and not coverage.because:
        pieces.append(f"complete: {coverage.found} of {coverage.found}")
    if coverage.unresolved:
        pieces.append(f"{coverage.unresolved} unresolved")
    pieces.extend(coverage.because)
    lines = ["[" + "; ".join(pieces) + "]"] if pieces else []
    if coverage.next:
        lines.append(f"next: {coverage.next}")
    return "\n".join(map(one_line, lines))
