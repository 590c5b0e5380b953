"""Render shapes as SVG, as one HTML page, or as PNG (which needs Pillow)."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from io import BytesIO

from avionics.model.errors import MissingDependencyError
from avionics.tools.builtin.tables.drawing import HEIGHT, WIDTH, Box, Disc, Polyline, Shape

_SCALE = 2
"""PNG has this many pixels for a unit of SVG."""

_RADIUS = 3.5


def build_svg(shapes: Sequence[Shape]) -> str:
    """Return the shapes as a document of its own; the same shapes give the same text."""
    body = "\n".join(map(_to_svg, shapes))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">'
    return f"{head}\n{body}\n</svg>\n"


def build_html(shapes: Sequence[Shape], title: str) -> str:
    """Return a page that contains the picture and loads nothing."""
    head = f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title or "Chart")}</title>'
    style = "<style>body{margin:2em auto;max-width:60em}svg{width:100%}</style></head>"
    return f"{head}\n{style}\n<body>\n{build_svg(shapes)}</body></html>\n"


def build_png(shapes: Sequence[Shape]) -> bytes:
    """Return the shapes as PNG.

    Raises:
        MissingDependencyError: Pillow is not installed.
    """
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise MissingDependencyError(
            "PNG needs Pillow", hint="pip install 'avionics[charts]', or ask for svg"
        ) from None
    image = Image.new("RGB", (WIDTH * _SCALE, HEIGHT * _SCALE), "#ffffff")
    canvas = ImageDraw.Draw(image, "RGBA")
    anchors = {"start": "ls", "middle": "ms", "end": "rs"}
    for shape in shapes:
        if isinstance(shape, Box):
            corners = (shape.x, shape.y, shape.x + shape.width, shape.y + shape.height)
            canvas.rectangle(tuple(_SCALE * value for value in corners), fill=shape.fill)
        elif isinstance(shape, Disc):
            centre = (shape.x * _SCALE, shape.y * _SCALE)
            canvas.circle(centre, _RADIUS * _SCALE, fill=shape.fill)
        elif isinstance(shape, Polyline):
            points = [(x * _SCALE, y * _SCALE) for x, y in shape.points]
            if shape.fill and len(points) > 2:
                canvas.polygon(points, fill=shape.fill)
            if shape.width and shape.stroke != "none":
                canvas.line(points, fill=shape.stroke, width=int(shape.width * _SCALE), joint="curve")
        else:
            font = ImageFont.load_default(shape.size * _SCALE)
            place = (shape.x * _SCALE, shape.y * _SCALE)
            canvas.text(place, shape.text, fill=shape.fill, font=font, anchor=anchors[shape.anchor])
    held = BytesIO()
    image.save(held, "PNG")
    return held.getvalue()


def _to_svg(shape: Shape) -> str:
    if isinstance(shape, Box):
        place = f'x="{_n(shape.x)}" y="{_n(shape.y)}" width="{_n(shape.width)}" height="{_n(shape.height)}"'
        return f'<rect {place} fill="{shape.fill}">{_title(shape.title)}</rect>'
    if isinstance(shape, Disc):
        place = f'cx="{_n(shape.x)}" cy="{_n(shape.y)}" r="{_RADIUS}"'
        return f'<circle {place} fill="{shape.fill}">{_title(shape.title)}</circle>'
    if isinstance(shape, Polyline):
        points = " ".join(f"{_n(x)},{_n(y)}" for x, y in shape.points)
        pen = f'stroke="{shape.stroke}" stroke-width="{_n(shape.width)}"'
        return f'<polyline points="{points}" fill="{shape.fill or "none"}" {pen}/>'
    pen = f'text-anchor="{shape.anchor}" font-size="{shape.size}" fill="{shape.fill}"'
    return f'<text x="{_n(shape.x)}" y="{_n(shape.y)}" {pen}>{escape(_clean(shape.text))}</text>'


def _title(text: str) -> str:
    return f"<title>{escape(_clean(text))}</title>" if text else ""


def _clean(text: str) -> str:
    """Return the text without characters that XML does not have."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
