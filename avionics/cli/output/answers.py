"""Colour the text of an answer for a person: headings, places as links, and what is said about the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from avionics.cli.output.style import Style

_PLACE = re.compile(r"(?P<indent>\s*)(?P<path>[^\s:\[][^\s:]*):(?P<line>\d+)(?P<end>-\d+)?(?=\s|$)")
_TITLE = re.compile(r"\S.*\(\d+(?: of \d+)?\):")
_FOOTER = re.compile(r"\[.*\]|ledger: .*")


def iter_coloured(text: str, style: Style) -> Iterator[str]:
    """Yield the lines of an answer's text, which is visible already."""
    for number, line in enumerate(text.split("\n")):
        place = _PLACE.match(line)
        if place:
            path, at = place["path"], int(place["line"])
            shown = style.path(f"{path}:{at}{place['end'] or ''}", at, path)
            yield f"{place['indent']}{shown}{line[place.end() :]}"
        elif number == 0 or _TITLE.fullmatch(line):
            yield style.heading(line)
        elif _FOOTER.fullmatch(line):
            yield style.faint(line)
        elif line.startswith("next: "):
            yield f"{style.faint('next:')} {line.removeprefix('next: ')}"
        else:
            yield line
