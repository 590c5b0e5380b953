"""Rows: the items of an answer as results that are listed one by one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from avionics.index.model.file_roles import FileRole, role_of
from avionics.late_pattern import late_pattern
from avionics.model.facts import Span
from avionics.model.results import to_plain
from avionics.syntax.registry import conventions_of, get_language
from avionics.tools.answers.answer import sections_of, visible

NEAR = "near"
"""The section of similar names, which are suggestions, not results."""

_PLACE = late_pattern(r"(?P<file>.+):(?P<line>\d+)")


class Row(Struct, frozen=True):
    """One result: its place if it has one, and what is said of it.

    Attributes:
        part: The key of the section it is in.
        title: The title of that section; "" where it has none.
        file: Its file, "" if it is not about a place.
        line: Its line, 0 for a whole file.
        text: What the answer says of it, without the place; further lines are indented.
        note: The lines under which the answer lists it, such as why a usage is only possible.
    """

    part: str
    title: str
    file: str
    line: int
    text: str
    note: str
    item: Any

    @classmethod
    def of(cls, part: str, title: str, item: Any) -> Row:
        """Return the row of an item."""
        file = str(getattr(item, "file", "") or "")
        line = int(getattr(item, "line", 0) or getattr(item, "start_line", 0) or 0)
        if not file and (place := _PLACE.fullmatch(str(getattr(item, "was", "")))):
            file, line = place["file"], int(place["line"])
        note = str(item.heading()) if hasattr(item, "heading") else ""
        lines = item.to_text().split("\n")
        # The text of the first item of a group, such as the first step of a path, begins with the group's title.
        places = (f"{file}:{line} ", f"{file}:{line},")
        start = next((at for at, each in enumerate(lines) if each.lstrip().startswith(places)), 0)
        note = "\n".join(each.strip() for each in lines[:start]) or note
        text = "\n".join([lines[start].lstrip(), *lines[start + 1 :]]) if start else "\n".join(lines)
        return cls(part, title, file, line, _without_place(text, file, line), note, item)

    def to_line(self, *, is_labelled: bool) -> str:
        """Return the row as one line that a program can split at its first two colons; a label names its section."""
        label = f"[{self.title}] " if is_labelled and self.title else ""
        note = f"  [{self.note}]" if self.note else ""
        text = re.sub(r"\s*\n\s*", "  ", f"{label}{self.text.strip()}{note}")
        place = f"{self.file}:" if self.file else ""
        place += f"{self.line}:" if self.line else ""
        return visible(f"{place}{text}")

    def to_plain(self) -> dict[str, Any]:
        """Return the item as JSON-ready data, without what is empty."""
        return {"part": self.part, **prune(to_plain(self.item))}


def list_rows(answer: Any, parts: Collection[str], min_depth: int = 0) -> tuple[Row, ...]:
    """Return the items of some sections of an answer as rows; of all sections if it has none of them.

    Items of a tree above `min_depth` are left out.
    """
    sections = [each for each in sections_of(answer) if each.name != NEAR]
    chosen = [each for each in sections if each.name in parts] or sections
    return tuple(
        Row.of(section.name, section.shown.title, item)
        for section in chosen
        for item in section.items
        if getattr(item, "depth", min_depth) >= min_depth
    )


def find_near(answer: Any) -> tuple[str, ...]:
    """Return the similar names that an answer offers, with their places."""
    items = (item for each in sections_of(answer) if each.name == NEAR for item in each.items)
    return tuple(
        f"{item.symbol} ({item.file}:{item.line})" if hasattr(item, "symbol") else str(item.to_text()) for item in items
    )


def take_first(rows: Iterable[Row], limit: int | None) -> tuple[Row, ...]:
    """Return at most that many rows of each section."""
    counts: Counter[str] = Counter()
    taken = []
    for row in rows:
        counts[row.part] += 1
        if limit is None or counts[row.part] <= limit:
            taken.append(row)
    return tuple(taken)


def without_tests(rows: Iterable[Row], root: Path) -> Iterator[Row]:
    """Yield the rows that are neither in files of tests nor in tests beside the code that they test."""
    marked: dict[str, tuple[Span, ...]] = {}
    for row in rows:
        if row.file and row.file not in marked:
            marked[row.file] = _find_tests_beside_code(row.file, root)
        is_test = bool(row.file) and role_of(row.file) is FileRole.TEST
        if not is_test and not any(each.contains(row.line) for each in marked.get(row.file, ())):
            yield row


def _find_tests_beside_code(file: str, root: Path) -> tuple[Span, ...]:
    """Return the lines of tests in a file with other code; () if it cannot be read."""
    language = get_language(file)
    if language is None or not conventions_of(file).tests.beside_code:
        return ()
    from avionics.index.analysis.symbol_usage import find_marked_lines
    from avionics.syntax.extract import extract_facts

    try:
        content = (root / file).read_bytes()
    except OSError:
        return ()
    return find_marked_lines(file, extract_facts(content, language).symbols)


def prune(value: Any) -> Any:
    """Return plain data without keys whose values are empty: null, "", [] and {}."""
    if isinstance(value, dict):
        pruned = {key: prune(each) for key, each in value.items()}
        return {key: each for key, each in pruned.items() if each is not None and each != "" and each not in ([], {})}
    return [prune(each) for each in value] if isinstance(value, list) else value


def _without_place(text: str, file: str, line: int) -> str:
    """Return the text of an item without its place, which is printed beside it."""
    if not file:
        return text
    start = re.match(rf"(was )?{re.escape(file)}:\d+(-\d+)?(?![\w:,]) ?", text)
    if start:
        return text[start.end() :].strip("\n").lstrip(" ")
    step = re.match(rf"(?P<depth>\s*)(?P<calls>:\S+ )?(→ )?(?P<role>.*?){re.escape(file)}:{line} ", text)
    if step:
        lines = f"  (called at {step['calls'][1:-1]})" if step["calls"] else ""
        first, newline, rest = text[step.end() :].partition("\n")
        return f"{step['role']}{first}{lines}{newline}{rest}"
    inline = re.search(rf"{re.escape(file)}:{line}\b((?:,\d+)*) ?", text)
    if inline:
        also = f"(also {inline[1][1:]}) " if inline[1] else ""
        return f"{text[: inline.start()]}{also}{text[inline.end() :]}"
    # Items of a file's outline begin with lines and no file.
    return re.sub(r"^(\s*)\d+(-\d+)? ", r"\1", text, count=1)
