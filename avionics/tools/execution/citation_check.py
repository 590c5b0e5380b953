"""Citation check: every place that an answer cites is verified against the files before the answer is returned.

The index was refreshed when the question arrived; a file edited since then would make the answer cite lines that moved.
Citations that no longer hold are removed, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from avionics.model.enums import Certainty, Status
from avionics.model.errors import AvionicsError
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import ToolResult
from avionics.model.secret import HIDDEN
from avionics.tools.answers.reasons import describe_reason

ReadLines = Callable[[str], Sequence[str]]


def check_citations(result: ToolResult, workspace: Any) -> ToolResult:
    """Return the result, without the citations that the workspace's files do not confirm."""
    cited = (result.data or {}).get("citations")
    if not cited:
        return result
    # An answer about a commit names it, and cites the files of that commit.
    commit = (result.data or {}).get("revision")
    book = _Book((workspace.at(commit) if commit else workspace).source.find_lines)
    fallen = {citation for citation in cited if not book.has(*_split(citation))}
    for file, line, text in _iter_quotes(result.data):
        if not book.says(file, line, text):
            fallen.add(f"{file}:{line}")
    if not fallen:
        return result
    named = ", ".join(sorted(fallen)[:3])
    note = describe_reason(Reason(ReasonKind.CITATIONS_CHANGED, len(fallen), subject=named))
    data = dict(result.data or {})
    data["citations"] = [citation for citation in cited if citation not in fallen]
    coverage = dict(data.get("coverage") or {})
    coverage |= {"certainty": Certainty.UNKNOWN.value, "because": [*coverage.get("because", ()), note]}
    data["coverage"] = coverage
    text = f"{result.text}\n[{note}; ask again]"
    return result.evolve(status=Status.PARTIAL, data=data, message=note, text=text)


class _Book:
    """The lines of the cited files; each file is read once."""

    def __init__(self, read_lines: ReadLines) -> None:
        self._read_lines = read_lines
        self._lines: dict[str, Sequence[str]] = {}

    def has(self, file: str, line: int) -> bool:
        """Return whether the file has the line."""
        return 1 <= line <= len(self._list_lines(file))

    def says(self, file: str, line: int, text: str) -> bool:
        """Return whether the lines from there on contain the quoted text, which may be truncated."""
        quoted = text.split("\n")
        there = self._list_lines(file)[line - 1 : line - 1 + len(quoted)]
        return len(there) == len(quoted) and all(
            _is_quote(quote, actual) for quote, actual in zip(quoted, there, strict=True)
        )

    def _list_lines(self, file: str) -> Sequence[str]:
        if file not in self._lines:
            try:
                self._lines[file] = self._read_lines(file)
            except AvionicsError:
                self._lines[file] = ()
        return self._lines[file]


def _is_quote(quote: str, line: str) -> bool:
    """Return whether the line contains the quote up to a masked secret."""
    # A quote of a long line may begin in its middle, after an ellipsis.
    return quote.partition(HIDDEN)[0].strip().removeprefix("…")[:60].strip() in line


def _iter_quotes(data: Any) -> Iterator[tuple[str, int, str]]:
    """Yield every entry of the data that quotes lines of a file: file, first line, text."""
    if isinstance(data, Mapping):
        file, text = data.get("file"), data.get("text")
        line = data.get("line") or data.get("start_line")
        if isinstance(file, str) and isinstance(text, str) and isinstance(line, int) and text:
            yield file, line, text
        else:
            for value in data.values():
                yield from _iter_quotes(value)
    elif isinstance(data, (list, tuple)):
        for value in data:
            yield from _iter_quotes(value)


def _split(citation: str) -> tuple[str, int]:
    file, _, line = citation.rpartition(":")
    return file, int(line)
