"""SVG: elements, escaping, colours for light and dark, and the size of text without a browser."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import attrs

WIDTH = 1200
"""The width of a picture in pixels; a page or a pull request shows it without scrolling."""

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that an XML document cannot contain, even escaped."""

_HIDDEN = re.compile("[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""Characters that reorder or hide the text around them."""

_NARROW, _WIDE = frozenset("fijlrtI.,:;'|!()[]/ "), frozenset("mwMW@%…")

STYLE = Path(__file__).with_name("picture.css").read_text("utf-8").strip()

_MARKERS = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    'orient="auto-start-reverse" markerUnits="userSpaceOnUse"><path d="M0 0 8 4 0 8z" fill="var(--edge)"/></marker>'
    '<marker id="back-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
    'orient="auto-start-reverse" markerUnits="userSpaceOnUse"><path d="M0 0 8 4 0 8z" fill="var(--back)"/></marker>'
    "</defs>"
)


@attrs.frozen
class Picture:
    """A picture before it is written.

    Attributes:
        description: What the marks mean, and what is left out.
        body: The SVG elements.
        width: Pixels.
        height: Pixels.
        table: The same facts as rows of text, for readers who do not see the picture; the first row is the heading.
    """

    title: str
    description: str
    body: tuple[str, ...]
    width: float
    height: float
    table: tuple[tuple[str, ...], ...] = ()

    def to_svg(self, *, is_alone: bool = True) -> str:
        """Return the SVG document; inside an HTML page it has no style of its own."""
        width, height = number(self.width), number(self.height)
        shown = min(self.width, WIDTH)
        size = f'width="{number(shown)}" height="{number(self.height * shown / self.width)}"'
        style = f"<style>{STYLE}</style>" if is_alone else ""
        paper = element("rect", width=width, height=height, class_="paper")
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {size} role="group" '
            f"aria-label={quote(self.title)}>"
        )
        texts = element("title", text=self.title) + element("desc", text=self.description)
        return "\n".join((head + texts + style + _MARKERS, paper, *self.body, "</svg>")) + "\n"


def element(name: str, *children: str, text: str | None = None, **attributes: object) -> str:
    """Return an element; attributes are escaped, `class_` is written `class`, and `_` in names as `-`."""
    pairs = "".join(
        f" {key.rstrip('_').replace('_', '-')}={quote(number(value) if isinstance(value, float) else str(value))}"
        for key, value in attributes.items()
        if value is not None
    )
    inner = "".join(children) if text is None else clean(text)
    return f"<{name}{pairs}>{inner}</{name}>" if inner else f"<{name}{pairs}/>"


def clean(text: str) -> str:
    """Escape text of a repository; what XML cannot contain, or hides or reorders text, becomes visible."""
    shown = _HIDDEN.sub(_spell, _NOT_XML.sub(_spell, text)).replace("\n", "\\n").replace("\t", " ").replace("\r", "\\r")
    return escape(shown)


def quote(text: str) -> str:
    """Return an attribute's value, quoted and escaped."""
    shown = _HIDDEN.sub(_spell, _NOT_XML.sub(_spell, text))
    return quoteattr(shown, {"\n": "&#10;", "\t": "&#9;", "\r": "&#13;"})


def number(value: float) -> str:
    """Return a coordinate with at most one decimal, the same on every machine."""
    text = f"{value:.1f}"
    return text.removesuffix(".0") if text != "-0.0" else "0"


def measure(text: str, size: float = 13) -> float:
    """Estimate the width of text in pixels, rather too high, because fonts differ."""
    units = sum(
        0.34 if each in _NARROW else 0.92 if each in _WIDE else 0.6 if each < "\u1100" else 1.05 for each in text
    )
    return units * size


def fit(text: str, width: float, size: float = 13) -> str:
    """Cut text in its middle until it fits, because both ends of a path are informative."""
    if measure(text, size) <= width:
        return text
    kept = len(text)
    while kept > 1 and measure(text[:kept], size) + size > width:
        kept -= 1
    half = kept // 2
    return f"{text[: kept - half]}…{text[len(text) - half :]}" if half else f"{text[:kept]}…"


def text_at(x: float, y: float, text: str, class_: str | None = None, anchor: str | None = None) -> str:
    """Return a text element."""
    return element("text", x=x, y=y, class_=class_, text_anchor=anchor, text=text)


def heading(title: str, lines: Iterable[str]) -> tuple[str, ...]:
    """Return a picture's title and the lines below it, which take 34 + 18 pixels a line."""
    shown = [text_at(20, 30, fit(title, WIDTH - 40, 18), "title")]
    shown += [text_at(20, 52 + 18 * at, fit(line, WIDTH - 40, 12), "soft") for at, line in enumerate(lines)]
    return tuple(shown)


def heat_of(value: float, most: float) -> int:
    """Return a shade from 0 (none) to 4 (the most), by the square root: a few files change very often."""
    return 0 if value <= 0 or most <= 0 else min(4, 1 + int(3.999 * (value / most) ** 0.5))


def _spell(match: re.Match[str]) -> str:
    return f"\\u{{{ord(match[0]):x}}}"
