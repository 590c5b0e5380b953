"""Colour the text of an answer for a person: headings, places as links, and what is said about the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from avionics.cli.output.style import Style, clip, wrap

_PLACE = re.compile(r"(?P<indent>\s*)(?P<path>[^\s:\[][^\s:]*):(?P<line>\d+)(?P<end>-\d+)?(?=\s|$)")
_CODE = re.compile(r"\s*\d+│")
_TITLE = re.compile(r"\S.*\(\d+(?: of \d+)?\):")
_FOOTER = re.compile(r"\[.*\]|ledger: .*")


def iter_coloured(text: str, style: Style, columns: int = 0) -> Iterator[str]:
    """Yield the lines of an answer's text, which is visible already.

    Args:
        text: The text.
        style: Colours and links.
        columns: Where lines are broken between words, and code is cut; 0 for nowhere.
    """
    for number, line in enumerate(text.split("\n")):
        if line.startswith("next: "):
            yield f"{style.faint('next:')} {line.removeprefix('next: ')}"
        elif _CODE.match(line):
            yield clip(line, columns) if columns else line
        elif number == 0 or _TITLE.fullmatch(line):
            yield from map(style.heading, wrap(line, columns))
        elif _FOOTER.fullmatch(line):
            yield from map(style.faint, wrap(line, columns))
        else:
            first, *others = wrap(line, columns)
            yield _link_place(first, style)
            yield from others


def _link_place(line: str, style: Style) -> str:
    """Return a line with the place that it begins with, if any, as a link."""
    place = _PLACE.match(line)
    if not place:
        return line
    path, at = place["path"], int(place["line"])
    shown = style.path(f"{path}:{at}{place['end'] or ''}", at, path)
    return f"{place['indent']}{shown}{line[place.end() :]}"
