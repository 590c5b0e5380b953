"""Draw a call flow: definitions, and the calls between them as arrows with line numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from avionics.index.architecture.call_flow import CallFlow, FlowArrow, FlowBox
from avionics.pictures.drawing import WIDTH, Picture, element, fit, heading, text_at
from avionics.pictures.layered import PlacedBox, place_rows, to_path

_HEIGHT, _GAP = 46.0, 16.0
_MIN_SPACE, _MAX_SPACE = 100.0, 230.0
"""Pixels between columns, where labels go."""

_COLUMN_WIDTH, _ROW_WIDTH = 260.0, 330.0
Key = tuple[str, int, str]
GetHref = Callable[[str, int], str]


def draw_flow(flow: CallFlow, title: str, titles: Sequence[str], get_href: GetHref | None = None) -> Picture:
    """Return the picture of the calls around a definition, in titled columns from left to right.

    `get_href` returns where a click on a box with a file and a line leads.
    """
    notes = _list_notes(flow)
    columns = sorted({box.column for box in flow.boxes})
    gaps = max(1, len(columns) - 1)
    width = min(_COLUMN_WIDTH, (WIDTH - 48 - _MIN_SPACE * gaps) / max(1, len(columns)))
    space = min(_MAX_SPACE, (WIDTH - 48 - width * len(columns)) / gaps)
    top = 62.0 + 18 * len(notes) + 24
    tallest = max((sum(box.column == column for box in flow.boxes) for column in columns), default=0)
    height = tallest * (_HEIGHT + _GAP)
    left = (WIDTH - len(columns) * width - (len(columns) - 1) * space) / 2
    placed: dict[Key, PlacedBox] = {}
    body = [*heading(title, notes)]
    for at, column in enumerate(columns):
        inside = [box for box in flow.boxes if box.column == column]
        y = top + (height - len(inside) * (_HEIGHT + _GAP)) / 2
        x = left + at * (width + space)
        body.append(text_at(x, top - 12, titles[column], "soft"))
        for row, box in enumerate(inside):
            placed[box.key] = PlacedBox(x, y + row * (_HEIGHT + _GAP), width, _HEIGHT)
    body += _draw_sideways([arrow for arrow in flow.arrows if arrow.source != arrow.target], placed, space - 24)
    body += [_box(box, placed[box.key], get_href) for box in flow.boxes]
    return Picture(title, " ".join(notes), tuple(body), WIDTH, top + height + 16, tuple(_iter_rows(flow)))


def draw_paths(flow: CallFlow, title: str, get_href: GetHref | None = None) -> Picture:
    """Return the picture of the paths from one definition to another, from the top down."""
    notes = _list_notes(flow)
    top = 62.0 + 18 * len(notes)
    names = {box.key: "\0".join(map(str, box.key)) for box in flow.boxes}
    columns = sorted({box.column for box in flow.boxes})
    rows = [[names[box.key] for box in flow.boxes if box.column == column] for column in columns]
    arrows = {(names[arrow.source], names[arrow.target]): arrow for arrow in flow.arrows}
    layout = place_rows(rows, dict.fromkeys(names.values(), _ROW_WIDTH), arrows, height=_HEIGHT, gap=50)
    shift = max(24.0, (WIDTH - layout.width) / 2)
    drawn = []
    for key, points in layout.arrows.items():
        moved = [(x + shift, y + top) for x, y in points]
        (x, y), (end_x, end_y) = moved[0], moved[-1]
        middle = ((x + end_x) / 2 + 8, (y + end_y) / 2 + 4)
        drawn.append(_arrow(arrows[key], to_path(moved), middle, "start", _ROW_WIDTH))
    placed = {key: layout.boxes[name] for key, name in names.items()}
    boxes = [
        _box(box, PlacedBox(at.x + shift, at.y + top, at.width, at.height), get_href)
        for box in flow.boxes
        for at in (placed[box.key],)
    ]
    width = max(WIDTH, layout.width + 2 * shift)
    body = (*heading(title, notes), *drawn, *boxes)
    return Picture(title, " ".join(notes), body, width, top + layout.height + 24, tuple(_iter_rows(flow)))


def _list_notes(flow: CallFlow) -> tuple[str, ...]:
    legend = (
        "An arrow is a call, with its line and the nearest plain condition around it. "
        "Dashed: a value that is passed on, or an override that may run."
    )
    return (legend, *flow.notes)


def _draw_sideways(arrows: Sequence[FlowArrow], placed: Mapping[Key, PlacedBox], room: float) -> Iterator[str]:
    """Yield the arrows between columns; their ends are spread along the sides of boxes, in the order of the others."""
    leaving, entering = Counter(arrow.source for arrow in arrows), Counter(arrow.target for arrow in arrows)
    out, into = Counter[Key](), Counter[Key]()
    order = sorted(arrows, key=lambda arrow: (placed[arrow.source].y, placed[arrow.target].y, arrow.line))
    for arrow in order:
        source, target = placed[arrow.source], placed[arrow.target]
        out[arrow.source] += 1
        into[arrow.target] += 1
        is_right = source.x < target.x
        start_y = source.y + source.height * out[arrow.source] / (leaving[arrow.source] + 1)
        end_y = target.y + target.height * into[arrow.target] / (entering[arrow.target] + 1)
        start = (source.x + (source.width if is_right else 0), start_y)
        end = (target.x if is_right else target.x + target.width, end_y)
        # Labels would overlap where many arrows meet, so put the label at the other end.
        is_at_start = entering[arrow.target] > leaving[arrow.source]
        if is_at_start:
            near, step = start, 6 if is_right else -6
        else:
            near, step = end, -10 if is_right else 10
        path = to_path((start, end), is_sideways=True)
        yield _arrow(arrow, path, (near[0] + step, near[1] - 5), "start" if step > 0 else "end", room)


def _arrow(arrow: FlowArrow, path: str, label_at: tuple[float, float], anchor: str, room: float) -> str:
    title = " ".join(
        (arrow.source[2], arrow.role, arrow.target[2], f"at {arrow.file}:{arrow.line}", arrow.condition)
    ).rstrip()
    label = " ".join(filter(None, (f":{arrow.line}", "" if arrow.is_certain else arrow.role, arrow.condition)))
    return element(
        "path",
        element("title", text=title),
        d=path,
        class_="arrow" if arrow.is_certain else "arrow unsure",
        stroke_width=1.4,
        marker_end="url(#tip)",
        data_source=arrow.source[2],
        data_target=arrow.target[2],
    ) + text_at(*label_at, fit(label, room, 11), "soft", anchor)


def _box(box: FlowBox, placed: PlacedBox, get_href: GetHref | None) -> str:
    definition = box.definition
    place = f"{definition.file}:{definition.line}"
    label = f"{definition.kind.value} {definition.symbol.qualname}, {place}{', an entry point' if box.is_entry else ''}"
    shown = element(
        "g",
        element("title", text=label),
        element("rect", width=placed.width, height=placed.height, rx=6, class_="heat2" if box.is_entry else "heat0"),
        text_at(10, 19, fit(definition.symbol.qualname, placed.width - 18, 14.5), "name on-heat"),
        text_at(10, 36, fit(place, placed.width - 18, 11), "on-heat small"),
        transform=f"translate({placed.x:.1f} {placed.y:.1f})",
        class_="box", role="img", aria_label=label, data_name=definition.symbol.qualname,
        tabindex=None if get_href else 0,
    )  # fmt: skip
    return element("a", shown, href=get_href(definition.file, definition.line)) if get_href else shown


def _iter_rows(flow: CallFlow) -> Iterator[tuple[str, ...]]:
    yield ("from", "how", "to", "where", "condition", "proven")
    for arrow in flow.arrows:
        proven = "yes" if arrow.is_certain else "not that it runs"
        yield (arrow.source[2], arrow.role, arrow.target[2], f"{arrow.file}:{arrow.line}", arrow.condition, proven)
