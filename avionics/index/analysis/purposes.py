"""Purposes: the description of a module or directory is its documentation, else the beginning of a README."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from avionics.index.code_index import CodeIndex

_README = re.compile(r"readme(\.(md|rst|txt))?", re.IGNORECASE)
_CODE = re.compile(r"^(```|~~~).*?^\1[^\n]*$|^<!--.*?-->|<(script|style|pre)\b.*?</\2>", re.MULTILINE | re.DOTALL)
_PROSE = re.compile(r" {0,3}(?:[*_>\"'`]*[A-Za-z](?:[.]?[\w'`*_-])*[,:]?(?: |$)|\[[^\]!]+\]\()")
_LINK = re.compile(r"!?\[[^\]]*\]\([^)]*\)|<[^>]*>")
_MAX_README_CHARACTERS = 20_000
"""A README states its purpose at the top, and `_CODE` and `_LINK` may take quadratic time."""
_THANKS = re.compile(r"sponsor|backers|support(?:ed)? (?:us|by)|donat", re.IGNORECASE)
"""Words of a paragraph of thanks, which some projects put above everything else."""
_MIN_WORDS, _MIN_SENTENCE_WORDS = 5, 3
"""The minimum number of words of a line of prose, and of one that ends with a period."""
_MAX_CHARACTERS = 400
_QUOTED_CHARACTERS = 60
"""A citation check compares this much of a quote with the line it cites; a shorter line is quoted alone."""


def iter_purposes(
    code: CodeIndex, place: str, package_file: str, read_text: Callable[[str], str]
) -> Iterator[tuple[str, int, str]]:
    """Yield the descriptions of a directory or file ("." for the root) as file, line and text.

    `package_file` documents the place, as `__init__.py` does; "" if there is none.
    """
    doc = code.facts(package_file).doc if package_file else ""
    if doc:
        yield package_file, _line_of(read_text(package_file), doc), doc
        return
    prefix = "" if place == "." else f"{place}/"
    for path in code.snapshot.entries:
        if path.startswith(prefix) and _README.fullmatch(path.removeprefix(prefix)):
            line, text = _first_prose(read_text(path)[:_MAX_README_CHARACTERS])
            if text:
                yield path, line, text


def _line_of(text: str, doc: str) -> int:
    """Return the line on which a documentation text begins."""
    start = doc[:20]
    return next((number for number, line in enumerate(text.split("\n"), 1) if start and start in line), 1)


def _first_prose(text: str) -> tuple[int, str]:
    """Return the line and the text of the first paragraph that is prose: no heading, badge, code, markup or thanks.

    Paragraphs above the title are seldom about the project.
    """
    lines = _CODE.sub(lambda block: "\n" * block[0].count("\n"), text).split("\n")
    title = next((number for number, line in enumerate(lines, 1) if line.startswith("# ")), 0)
    line, prose = _find_prose(lines, title)
    return (line, prose) if prose or not title else _find_prose(lines, 0)


def _find_prose(lines: Sequence[str], after: int) -> tuple[int, str]:
    """Return the line and the text of the first paragraph of prose below a line; 0 and "" if there is none."""
    thanks_end = after
    for number, line in enumerate(lines, 1):
        if number <= thanks_end or not _is_prose(line):
            continue
        end = next((at for at in range(number, len(lines)) if not lines[at].strip()), len(lines))
        paragraph = " ".join(each.strip() for each in lines[number - 1 : end])
        if _THANKS.search(paragraph):
            thanks_end = end
            continue
        if len(line) < _QUOTED_CHARACTERS:
            return number, line.strip()
        is_long = len(paragraph) > _MAX_CHARACTERS
        return number, f"{paragraph[: _MAX_CHARACTERS - 1].rstrip()}…" if is_long else paragraph
    return 0, ""


def _is_prose(line: str) -> bool:
    """Return whether a line begins like a sentence and is long enough for one."""
    minimum = _MIN_SENTENCE_WORDS if line.rstrip().endswith(".") else _MIN_WORDS
    has_letters = not set(line.strip()) <= set("=-~*#")
    return has_letters and _PROSE.match(line) is not None and len(_LINK.sub("", line).split()) >= minimum
