"""Lay out a Plotly figure as lines, boxes and texts, which become SVG, HTML or PNG."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from io import BytesIO
from typing import Any, Final, TypeAlias

from msgspec import Struct

from avionics.model.errors import UsageError, importing
from avionics.model.naming import plural

_SCALE = 2
"""PNG has this many pixels for a unit of SVG."""

_RADIUS = 3.5


WIDTH, HEIGHT = 800, 480
COLOURS: Final = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#ff9da6", "#9d755d")
INK: Final = "#333333"
GRID: Final = "#dddddd"

_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 20, 50, 70
_TICKS: Final = 5
_MAX_LABELS: Final = 12
_LABEL_CHARACTERS: Final = 14
_BINS: Final = 20
_MAX_TABLE_ROWS: Final = 18
_MAX_TABLE_COLUMNS: Final = 8

Point: TypeAlias = tuple[float, float]


class Box(Struct, frozen=True):
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    title: str = ""


class Polyline(Struct, frozen=True):
    """Connected lines, filled if `fill` is given."""

    points: tuple[Point, ...]
    stroke: str
    width: float = 2
    fill: str = ""


class Disc(Struct, frozen=True):
    """A small disc."""

    x: float
    y: float
    fill: str
    title: str = ""


class Label(Struct, frozen=True):
    """A line of text; `anchor` is "start", "middle" or "end"."""

    x: float
    y: float
    text: str
    anchor: str = "start"
    size: int = 12
    fill: str = INK


Shape: TypeAlias = Box | Polyline | Disc | Label


def draw_figure(figure: Mapping[str, Any]) -> tuple[Shape, ...]:
    """Return the shapes of a figure of `build_figure`, in order. Raise `UsageError` if nothing can be drawn."""
    traces = figure["data"]
    kinds = {trace["type"] for trace in traces}
    layout = figure.get("layout", {})
    title = layout.get("title", {}).get("text", "")
    shapes: list[Shape] = [Box(0, 0, WIDTH, HEIGHT, "#ffffff")]
    if title:
        shapes.append(Label(WIDTH / 2, 28, title[:90], "middle", 16))
    if kinds == {"pie"}:
        shapes.extend(_draw_pie(traces[0]))
    elif kinds == {"table"}:
        shapes.extend(_draw_table(traces[0]))
    elif kinds == {"histogram"}:
        shapes.extend(_draw_axes_chart([_build_bars(trace) for trace in traces], layout))
    else:
        shapes.extend(_draw_axes_chart(traces, layout))
    return tuple(shapes)


def _draw_axes_chart(traces: Sequence[Mapping[str, Any]], layout: Mapping[str, Any]) -> list[Shape]:
    """Return bars, lines, areas or dots over an x and a y axis."""
    numbers = [value for trace in traces for value in trace["y"] if _is_number(value)]
    if not numbers:
        raise UsageError("there are no numbers to draw", hint="name a column of numbers as y")
    is_bars = traces[0]["type"] == "bar"
    places = _XPlaces.of([value for trace in traces for value in trace["x"]], is_bars=is_bars)
    low, high, ticks = _choose_ticks(min(0.0, *numbers) if is_bars else min(numbers), max(0.0, *numbers))

    def to_y(value: float) -> float:
        return HEIGHT - _BOTTOM - (value - low) / (high - low) * (HEIGHT - _TOP - _BOTTOM)

    shapes: list[Shape] = []
    for tick in ticks:
        shapes.append(Polyline(((_LEFT, to_y(tick)), (WIDTH - _RIGHT, to_y(tick))), GRID, 1))
        shapes.append(Label(_LEFT - 8, to_y(tick) + 4, f"{tick:g}", "end"))
    shapes.extend([Label(x, HEIGHT - _BOTTOM + 18, label, "middle") for x, label in places.labels])
    for number, trace in enumerate(traces):
        colour = COLOURS[number % len(COLOURS)]
        pairs = [(x, float(y)) for x, y in zip(trace["x"], trace["y"], strict=True) if _is_number(y) and x is not None]
        if is_bars:
            shapes.extend(_draw_bars(pairs, places, to_y, colour, number, len(traces)))
        else:
            shapes.extend(_draw_series(pairs, places, to_y, colour, trace))
    axis = layout.get("xaxis", {}).get("title", {}).get("text", "")
    side = layout.get("yaxis", {}).get("title", {}).get("text", "")
    shapes.append(Label((WIDTH + _LEFT) / 2, HEIGHT - 12, str(axis)[:80], "middle", 13))
    shapes.append(Label(_LEFT - 8, _TOP - 12, str(side)[:30], "start", 13))
    if len(traces) > 1:
        shapes.extend(_draw_legend([str(trace.get("name", "")) for trace in traces]))
    return shapes


def _draw_bars(
    pairs: Sequence[tuple[Any, float]], places: _XPlaces, to_y: Any, colour: str, number: int, count: int
) -> list[Shape]:
    step = places.step * 0.8 / count
    zero = to_y(0.0)
    return [
        Box(
            places.to_x(x) - places.step * 0.4 + number * step,
            min(zero, to_y(y)),
            max(step, 0.5),
            abs(to_y(y) - zero),
            colour,
            f"{x}: {y:g}",
        )
        for x, y in pairs
    ]


def _draw_series(
    pairs: Sequence[tuple[Any, float]], places: _XPlaces, to_y: Any, colour: str, trace: Mapping[str, Any]
) -> list[Shape]:
    if trace.get("mode") == "markers":
        return [Disc(places.to_x(x), to_y(y), colour, f"{x}: {y:g}") for x, y in pairs]
    points = tuple((places.to_x(x), to_y(y)) for x, y in pairs)
    if not points:
        return []
    line = Polyline(points, colour)
    if trace.get("fill") != "tozeroy":
        return [line]
    floor = min(max(to_y(0.0), _TOP), HEIGHT - _BOTTOM)
    around = ((points[0][0], floor), *points, (points[-1][0], floor))
    return [Polyline(around, "none", 0, colour + "55"), line]


def _draw_legend(names: Sequence[str]) -> list[Shape]:
    shapes: list[Shape] = []
    x = float(_LEFT)
    for number, name in enumerate(names[:8]):
        shapes.append(Box(x, _TOP - 8, 10, 10, COLOURS[number % len(COLOURS)]))
        shapes.append(Label(x + 14, _TOP + 1, name[:_LABEL_CHARACTERS]))
        x += 24 + 8 * min(len(name), _LABEL_CHARACTERS)
    return shapes


def _draw_pie(trace: Mapping[str, Any]) -> list[Shape]:
    slices = [(str(label), float(value)) for label, value in zip(trace["labels"], trace["values"], strict=True)
              if _is_number(value) and value > 0]  # fmt: skip
    total = math.fsum(value for _, value in slices)
    if not slices or not total:
        raise UsageError("there are no positive numbers to draw", hint="name a column of numbers as y")
    x, y, radius = 300.0, HEIGHT / 2 + 15, 170.0
    shapes: list[Shape] = []
    angle = -math.pi / 2
    for number, (label, value) in enumerate(slices):
        end = angle + 2 * math.pi * value / total
        steps = max(2, int((end - angle) / 0.05))
        arc = [angle + (end - angle) * at / steps for at in range(steps + 1)]
        points = ((x, y), *((x + radius * math.cos(a), y + radius * math.sin(a)) for a in arc))
        colour = COLOURS[number % len(COLOURS)]
        shapes.append(Polyline(points, "#ffffff", 1, colour))
        if number < 16:
            shapes.append(Box(540, 80 + 22 * number, 12, 12, colour))
            shapes.append(Label(560, 91 + 22 * number, f"{label[:18]} {100 * value / total:.1f} %"))
        angle = end
    return shapes


def _draw_table(trace: Mapping[str, Any]) -> list[Shape]:
    columns = list(zip(trace["header"]["values"], trace["cells"]["values"], strict=True))[:_MAX_TABLE_COLUMNS]
    width = (WIDTH - 40) / max(1, len(columns))
    letters = max(4, int(width / 7.5))
    shapes: list[Shape] = [Box(20, _TOP, WIDTH - 40, 22, "#eeeeee")]
    for number, (name, values) in enumerate(columns):
        x = 26 + number * width
        shapes.append(Label(x, _TOP + 15, str(name)[:letters]))
        for row, value in enumerate(values[:_MAX_TABLE_ROWS]):
            shapes.append(Label(x, _TOP + 37 + 20 * row, "" if value is None else str(value)[:letters]))
    hidden = len(columns[0][1]) - _MAX_TABLE_ROWS if columns else 0
    if hidden > 0:
        shapes.append(Label(26, HEIGHT - 12, f"and {plural(hidden, 'more row')}"))
    return shapes


def _build_bars(trace: Mapping[str, Any]) -> dict[str, Any]:
    """Return a histogram as bars: counts of values, or of numbers in bins of equal width."""
    values = [value for value in trace["x"] if value is not None]
    if values and all(map(_is_number, values)):
        low, high = min(values), max(values)
        width = (high - low) / _BINS or 1
        counts = [0] * _BINS
        for value in values:
            counts[min(_BINS - 1, int((value - low) / width))] += 1
        return {"type": "bar", "name": trace["name"], "x": [f"{low + n * width:g}" for n in range(_BINS)], "y": counts}
    found = Counter(map(str, values))
    return {"type": "bar", "name": trace["name"], "x": list(found), "y": list(found.values())}


class _XPlaces(Struct, frozen=True):
    """The positions of values on the x axis: numbers by size, anything else in order."""

    positions: Mapping[Any, float]
    step: float
    labels: tuple[tuple[float, str], ...]

    @classmethod
    def of(cls, values: Sequence[Any], *, is_bars: bool) -> _XPlaces:
        there = list(dict.fromkeys(value for value in values if value is not None))
        room = WIDTH - _LEFT - _RIGHT
        if there and all(map(_is_number, there)) and not is_bars:
            low, high, ticks = _choose_ticks(min(there), max(there))
            scale = room / (high - low)
            positions = {value: _LEFT + (value - low) * scale for value in there}
            return cls(positions, room, tuple((_LEFT + (tick - low) * scale, f"{tick:g}") for tick in ticks))
        step = room / max(1, len(there))
        positions = {value: _LEFT + (at + 0.5) * step for at, value in enumerate(there)}
        every = max(1, math.ceil(len(there) / _MAX_LABELS))
        labels = tuple((positions[value], str(value)[:_LABEL_CHARACTERS]) for value in there[::every])
        return cls(positions, step, labels)

    def to_x(self, value: Any) -> float:
        """Return the x coordinate of a value."""
        return self.positions[value]


def _choose_ticks(low: float, high: float) -> tuple[float, float, list[float]]:
    """Return round limits around some values, and the ticks between them."""
    if low == high:
        low, high = low - 0.5, high + 0.5
    rough = (high - low) / _TICKS
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * size for factor in (1, 2, 2.5, 5, 10) if factor * size >= rough * 0.999)
    first, last = math.floor(low / step), math.ceil(high / step)
    return first * step, last * step, [number * step for number in range(first, last + 1)]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def build_svg(shapes: Sequence[Shape]) -> str:
    """Return the shapes as an SVG document; the same shapes give the same text."""
    body = "\n".join(map(_to_svg, shapes))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">'
    return f"{head}\n{body}\n</svg>\n"


def build_html(shapes: Sequence[Shape], title: str) -> str:
    """Return a page that contains the picture and loads nothing."""
    head = f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title or "Chart")}</title>'
    style = "<style>body{margin:2em auto;max-width:60em}svg{width:100%}</style></head>"
    return f"{head}\n{style}\n<body>\n{build_svg(shapes)}</body></html>\n"


def build_png(shapes: Sequence[Shape]) -> bytes:
    """Return the shapes as PNG. Raise `MissingDependencyError` if Pillow is not installed."""
    with importing("PNG needs Pillow", hint="pip install 'avionics[charts]', or ask for svg"):
        from PIL import Image, ImageDraw, ImageFont
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
        return f'<rect {place} fill="{shape.fill}">{_write_title(shape.title)}</rect>'
    if isinstance(shape, Disc):
        place = f'cx="{_n(shape.x)}" cy="{_n(shape.y)}" r="{_RADIUS}"'
        return f'<circle {place} fill="{shape.fill}">{_write_title(shape.title)}</circle>'
    if isinstance(shape, Polyline):
        points = " ".join(f"{_n(x)},{_n(y)}" for x, y in shape.points)
        pen = f'stroke="{shape.stroke}" stroke-width="{_n(shape.width)}"'
        return f'<polyline points="{points}" fill="{shape.fill or "none"}" {pen}/>'
    pen = f'text-anchor="{shape.anchor}" font-size="{shape.size}" fill="{shape.fill}"'
    return f'<text x="{_n(shape.x)}" y="{_n(shape.y)}" {pen}>{escape(_clean(shape.text))}</text>'


def _write_title(text: str) -> str:
    return f"<title>{escape(_clean(text))}</title>" if text else ""


def _clean(text: str) -> str:
    """Return the text without characters that XML does not have."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
