"""Verify the places an answer cites against the results of the tools and the files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from avionics.agents.plans import StepResult
from avionics.model.enums import Status
from avionics.model.mappings import group_sets
from avionics.model.results import ToolResult
from avionics.tools.execution.citation_check import check_citations

_GENERIC = r"(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z]\w*|(?:[\w.@+-]+/)+[\w.@+-]+"


class Claims(Struct, frozen=True):
    """The citations of a text: the verified and the unverified ones."""

    verified: tuple[str, ...]
    unverified: tuple[str, ...]


def check_claims(text: str, evidence: tuple[StepResult, ...], workspace: Any) -> Claims:
    """Check every `path:line` of a text: a tool must have returned it and the file must still have it."""
    shown = group_sets((file, line) for each in evidence for file, line in _iter_lines(each.result.data))
    cited = list(dict.fromkeys(_iter_cited(text, tuple(shown))))
    returned = [each for each in cited if all(line in shown.get(each[0], ()) for line in each[1:])]
    places = [f"{file}:{line}" for file, *lines in returned for line in lines]
    quotes = [each.result.data for each in evidence]
    checked = check_citations(ToolResult(Status.SUCCESS, {"citations": places, "quotes": quotes}), workspace)
    kept = set((checked.data or {})["citations"])
    verified = [each for each in returned if all(f"{each[0]}:{line}" in kept for line in each[1:])]
    return Claims(
        tuple(_spell(each) for each in verified), tuple(_spell(each) for each in cited if each not in verified)
    )


def strike(text: str, unverified: tuple[str, ...]) -> str:
    """Strike the unverified citations out of the text."""
    for citation in sorted(unverified, key=len, reverse=True):
        text = re.sub(rf"(?<![\w/.]){re.escape(citation)}(?!\d|-\d)", "[citation removed]", text)
    return text


def _iter_cited(text: str, files: tuple[str, ...]) -> Iterator[tuple[str, int] | tuple[str, int, int]]:
    """Yield every `path:line` and `path:first-last` of a text. Names of known files may contain any characters."""
    known = "|".join(re.escape(file) for file in sorted(files, key=len, reverse=True))
    pattern = rf"(?<![\w/:.])({f'{known}|' if known else ''}{_GENERIC}):(\d{{1,9}})(?:-(\d{{1,9}}))?"
    for match in re.finditer(pattern, text):
        first, last = int(match[2]), int(match[3] or 0)
        yield (match[1], first, last) if last else (match[1], first)


def _spell(cited: tuple[Any, ...]) -> str:
    file, first, *last = cited
    return f"{file}:{first}-{last[0]}" if last else f"{file}:{first}"


def _iter_lines(data: Any) -> Iterator[tuple[str, int]]:
    """Yield every line of a file that the data names or quotes."""
    if isinstance(data, Mapping):
        file, text = data.get("file"), data.get("text")
        for key in ("line", "start_line", "end_line"):
            line = data.get(key)
            if isinstance(file, str) and isinstance(line, int):
                yield file, line
        first = data.get("line") or data.get("start_line")
        if isinstance(file, str) and isinstance(text, str) and isinstance(first, int):
            yield from ((file, first + at) for at in range(text.count("\n") + 1))
        for value in data.values():
            yield from _iter_lines(value)
    elif isinstance(data, (list, tuple)):
        yield from _iter_calls(data)
        for value in data:
            yield from _iter_lines(value)
    elif isinstance(data, str):
        file, colon, number = data.rpartition(":")
        if colon and number.isascii() and number.isdigit() and len(number) < 10 and "\n" not in data:
            yield file, int(number)


def _iter_calls(steps: Sequence[Any]) -> Iterator[tuple[str, int]]:
    """Yield the lines of a flow; each step names lines of its caller, the nearest earlier step one level up."""
    files: dict[int, str] = {}
    for step in steps:
        if not isinstance(step, Mapping) or not isinstance(step.get("depth"), int):
            return
        caller, lines = files.get(step["depth"] - 1), step.get("calls_at")
        if caller and isinstance(lines, (list, tuple)):
            yield from ((caller, line) for line in lines if isinstance(line, int))
        files[step["depth"]] = str(step.get("file"))
