"""Write a review as a comment of a pull request.

Everything that comes from the repository stands in code spans and fences: there it cannot be a link, a heading, a
mention of a person, or a marker of this program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from avionics.cli.changes.review import Review
from avionics.model.naming import count_shared, plural
from avionics.model.reasons import ReasonKind
from avionics.tools.answers.answer import visible
from avionics.tools.answers.findings import FindingItem
from avionics.tools.answers.reasons import describe_reasons

MARKER = "<!-- avionics-review -->"
"""The first line of the comment, by which the next review finds and replaces it."""

_SHOWN, _PLACES, _MAX_SPAN = 10, 3, 240
_MAX_COMMANDS = 1_000
"""Longer lines that run tests are folded: nobody reads them."""
_TICKS = re.compile(r"`+")
_PLAIN = re.compile(r"[\w'(][\w ,.;:()'=/→…-]*")
_ACTS = {"removed": "−", "added": "+", "moved": "→", "signature": "±", "body": "·"}


def write_markdown(review: Review) -> str:
    """Return the comment: a summary that can be read in twenty seconds, and the details folded below it."""
    parts = (
        (MARKER, f"### {_describe_verdict(review)}", _describe_size(review)),
        _list_breaks(review),
        _list_findings("Errors", review.checked.errors),
        _list_findings("Warnings", review.checked.warnings),
        _list_tests(review),
        _list_changes(review),
        _list_reach(review),
        _list_findings("Notes", review.checked.infos),
        _list_owners(review),
        _list_limits(review),
    )
    return "\n\n".join("\n".join(part) for part in map(tuple, parts) if part) + "\n"


def code(text: str) -> str:
    """Return text of the repository as a code span on one line, shortened if it is very long."""
    shown = " ".join(visible(text).split())
    shown = f"{shown[:_MAX_SPAN]}…" if len(shown) > _MAX_SPAN else shown
    fence = "`" * (1 + max((len(run) for run in _TICKS.findall(shown)), default=0))
    pad = " " if shown.startswith("`") or shown.endswith("`") or not shown else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def prose(text: str) -> str:
    """Return a sentence of this program, escaped if a character in it means something to a Markdown renderer."""
    shown = " ".join(visible(text).split())
    is_plain = _PLAIN.fullmatch(shown) is not None and "//" not in shown and "www." not in shown
    return shown.replace("_", "\\_") if is_plain else code(text)


def _describe_verdict(review: Review) -> str:
    errors, warnings = len(review.checked.errors), len(review.checked.warnings)
    if errors:
        return f"❌ avionics: this change breaks {plural(errors, 'place')}"
    if review.compared.breaks:
        return f"⚠️ avionics: {plural(len(review.compared.breaks), 'change')} may break users of the API"
    return f"⚠️ avionics: {plural(warnings, 'warning')}" if warnings else "✅ avionics: nothing broken"


def _describe_size(review: Review) -> str:
    """Return the counts that are not zero."""
    proven, tests = len(review.impact.proven), sum(each.tests for each in review.tests.commands)
    counted = {
        plural(len(review.compared.breaks), "API break"): review.compared.breaks,
        f"{plural(proven, 'dependent')} in {plural(len(review.modules), 'directory')}": proven,
        f"{plural(tests, 'test')} to run": tests,
        f"{plural(len(review.impact.untested), 'changed function')} without a known test": review.impact.untested,
    }
    silent = len(review.compared.comments)
    found = review.compared.coverage.found - silent
    symbols = plural(found, "changed symbol") if found else "no changed symbol"
    comments = (f"{plural(silent, 'symbol')} changed only in comments",) if silent else ()
    counts = (symbols, *comments, *(text for text, each in counted.items() if each))
    return f"{code(review.checked.title)}: {' · '.join(counts)}"


def _fold(title: str, lines: Sequence[str]) -> list[str]:
    """Return lines below a title; many of them folded."""
    if not lines:
        return []
    if len(lines) <= _SHOWN // 2:
        return [f"**{title}**", "", *lines]
    return [f"<details><summary><b>{title}</b> ({len(lines)})</summary>", "", *_cut(lines), "", "</details>"]


def _cut(items: Sequence[str], most: int = 50) -> list[str]:
    left = len(items) - most
    return [*items[:most], *([f"- … and {left} more"] if left > 0 else [])]


def _list_breaks(review: Review) -> list[str]:
    lines = []
    for each in review.compared.breaks:
        place = code(f"{each.file}:{each.line}" if each.file else f"was {each.was}")
        lines.append(f"- {code(each.symbol)} {each.kind}, {place}: {prose(each.reason)}")
    return _fold("May break users of the API", lines)


def _list_findings(title: str, findings: Sequence[FindingItem]) -> list[str]:
    lines = []
    for each in findings:
        others = len(each.places) - _PLACES
        places = ", ".join(map(code, each.places[:_PLACES])) + (f" and {others} more" if others > 0 else "")
        fix = f" Fix: {prose(each.fix)}." if each.fix else ""
        change = f" Changed: {code(each.change)}." if each.change else ""
        lines.append(f"- {places} {each.rule}: {prose(each.message)}.{fix}{change}")
    if title == "Errors" and lines:
        return [f"**{title}**", "", *_cut(lines, 2 * _SHOWN)]
    return _fold(title, lines)


def _list_changes(review: Review) -> list[str]:
    compared = review.compared
    found = (*compared.removed, *compared.signatures, *compared.moved, *compared.added, *compared.bodies)
    lines = []
    for each in found:
        place = code(f"{each.file}:{each.line}" if each.file else f"was {each.was}")
        sign = _ACTS.get(each.change.split()[0], "·")
        now, was = _contrast(each.signature, each.previous_signature)
        signature = f" {code(now)} (was {code(was)})" if was else ""
        moved = f" (was {code(each.was)})" if each.is_moved else ""
        lines.append(f"- {sign} {code(each.symbol)} {each.kind} {place}{moved}{signature}")
    return _fold("Changed", lines)


def _contrast(now: str, was: str) -> tuple[str, str]:
    """Return two texts around where they differ, if they are too long to be compared at a glance."""
    texts = [" ".join(each.split()) for each in (now, was)]
    if not was or max(map(len, texts)) <= _MAX_SPAN // 2:
        return texts[0], texts[1]
    first = count_shared(*texts)
    start = texts[0].rfind(" ", 0, first) if first > _MAX_SPAN // 4 else 0
    last = min(count_shared(texts[0][::-1], texts[1][::-1]), *(len(each) - first for each in texts))
    shown = [_shorten(each, max(0, start), len(each) - last) for each in texts]
    return shown[0], shown[1]


def _shorten(text: str, start: int, end: int) -> str:
    """Return the words of a text around a part, with `…` for what is left out."""
    after = text.find(" ", end + _MAX_SPAN // 8)
    cut = f"{text[start:after]} …" if 0 <= after < len(text) - 1 else text[start:]
    return f"…{cut}" if start else cut


def _list_tests(review: Review) -> list[str]:
    lines: list[str] = []
    if review.tests.commands:
        commands = "\n".join(" ".join(visible(each.command).split("\n")) for each in review.tests.commands)
        fence = "`" * (2 + max((len(run) for run in _TICKS.findall(commands)), default=1))
        block = [f"{fence}console", *commands.split("\n"), fence]
        if len(commands) <= _MAX_COMMANDS:
            lines += ["**Run**", "", *block]
        else:
            count = plural(sum(each.tests for each in review.tests.commands), "test")
            lines += [f"<details><summary><b>Run</b> ({count})</summary>", "", *block, "", "</details>"]
    missing = [f"- {code(each.symbol)} {code(f'{each.file}:{each.line}')}" for each in review.impact.untested]
    return [*lines, *([""] if lines and missing else []), *_fold("Changed, and no test is known to use it", missing)]


def _list_reach(review: Review) -> list[str]:
    drawn = review.draw_reach()
    if not drawn:
        return []
    modules = ", ".join(f"{code(module)} {count}" for module, count in review.modules[:_SHOWN])
    return [
        "<details><summary><b>Reaches</b></summary>", "", f"By directory: {modules}", "",
        "```mermaid", *drawn.rstrip("\n").split("\n"), "```", "", "</details>",
    ]  # fmt: skip


def _list_owners(review: Review) -> list[str]:
    owners = [
        f"{code(each.owner)} ({plural(len(each.files), 'changed file')}; {each.source})"
        for each in review.impact.owners
    ]
    return [f"**Owners**: {', '.join(_cut(owners, _SHOWN))}"] if owners else []


def _list_limits(review: Review) -> list[str]:
    reasons = dict.fromkeys(_iter_reasons(review))
    return _fold("Not seen", [f"- {prose(reason)}" for reason in reasons])


def _iter_reasons(review: Review) -> Iterator[str]:
    for answer in (review.checked, review.compared, review.impact, review.tests):
        reasons = (each for each in answer.coverage.reasons if each.kind is not ReasonKind.COMMENTS_ONLY)
        yield from describe_reasons(tuple(reasons))
