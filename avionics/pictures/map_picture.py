"""The map: directories in layers, and the imports between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

import attrs

from avionics.index.architecture.grouping import Group, GroupLink, Structure
from avionics.model.naming import plural
from avionics.pictures.drawing import WIDTH, Picture, element, fit, heading, heat_of, measure, text_at
from avionics.pictures.layered import BoxLayout, place_rows, to_path

_BOX_HEIGHT = 48.0
_MIN_BOX, _MAX_BOX = 120.0, 250.0
_MARGIN = 24.0


@attrs.frozen
class MapMarks:
    """The marks that a map shows in addition to the structure.

    Attributes:
        recent: Group → how many commits changed it recently; shown as shade.
        own: Groups with a marked border, such as those that a change touches.
        far: Groups with a dashed border, such as those that a change reaches.
        notes: Lines below the title.
        violations: Links that break the contract.
    """

    recent: Mapping[str, int] = attrs.field(factory=dict)
    own: AbstractSet[str] = frozenset()
    far: AbstractSet[str] = frozenset()
    notes: tuple[str, ...] = ()
    violations: AbstractSet[tuple[str, str]] = frozenset()


def draw_map(structure: Structure, title: str, marks: MapMarks | None = None) -> Picture:
    """Return the picture of a structure.

    Imports downwards that other arrows imply are not drawn: they would hide the others. The page shows them for the box
    in focus, and the table lists all.
    """
    marks = marks or MapMarks()
    drawn = select_drawn(structure)
    backward = sum(link.is_feedback for link in structure.links)
    notes = (
        *marks.notes,
        "Each box imports boxes below it. Width of an arrow: names imported. Bar: lines of code. "
        "Shade: recent commits.",
        f"{len(structure.links) - len(drawn)} of {len(structure.links)} links are left out: drawn arrows imply them."
        + (f" {backward} run upwards and close cycles (dashed)." if backward else " None runs upwards: no cycles."),
    )
    widths = {name: _box_width(group) for name, group in structure.groups.items()}
    layout = place_rows(structure.rows(), widths, [(link.source, link.target) for link in drawn], height=_BOX_HEIGHT)
    top = 62.0 + 18 * len(notes)
    body = [*heading(title, notes)]
    left = max(_MARGIN, (WIDTH - layout.width) / 2)
    arrows = [_arrow(link, layout, link in drawn, marks) for link in structure.links]
    largest = max((group.lines for group in structure.groups.values()), default=0)
    busiest = max(marks.recent.values(), default=0)
    boxes = [
        _box(group, layout, marks, largest, heat_of(marks.recent.get(name, 0), busiest))
        for name, group in structure.groups.items()
    ]
    body.append(element("g", *arrows, *boxes, transform=f"translate({left:.1f} {top:.1f})", class_="scene"))
    return Picture(
        title,
        " ".join(notes),
        tuple(body),
        max(WIDTH, layout.width + 2 * _MARGIN),
        top + layout.height + _MARGIN,
        tuple(_iter_rows(structure, marks)),
    )


def select_drawn(structure: Structure) -> tuple[GroupLink, ...]:
    """Return the links that a map draws: all links against the layers, and downward links that others do not imply."""
    below: dict[str, set[str]] = {name: set() for name in structure.groups}
    down = [link for link in structure.links if not link.is_feedback]
    targets: dict[str, list[str]] = {name: [] for name in structure.groups}
    for link in down:
        targets[link.source].append(link.target)
    for name in sorted(structure.layers, key=lambda each: structure.layers[each]):
        for target in targets[name]:
            below[name] |= {target, *below[target]}
    return tuple(
        link
        for link in structure.links
        if link.is_feedback
        or not any(link.target in below[other] for other in targets[link.source] if other != link.target)
    )


def _box_width(group: Group) -> float:
    return min(_MAX_BOX, max(_MIN_BOX, measure(group.name, 14.5) + 24, measure(_size(group), 11) + 24))


def _size(group: Group) -> str:
    return f"{plural(len(group.files), 'file')} · {plural(group.lines, 'line')}"


def _box(group: Group, layout: BoxLayout, marks: MapMarks, largest: int, heat: int) -> str:
    placed = layout.boxes[group.name]
    recent = marks.recent.get(group.name, 0)
    label = f"{group.name}: {_size(group)}" + (f", {plural(recent, 'recent commit')}" if recent else "")
    classes = "box" + (" own" if group.name in marks.own else " far" if group.name in marks.far else "")
    bar = max(2.0, (placed.width - 16) * (group.lines / largest if largest else 0))
    return element(
        "g",
        element("title", text=label),
        element("rect", width=placed.width, height=placed.height, rx=6, class_=f"heat{heat}"),
        text_at(12, 19, fit(group.name, placed.width - 20, 14.5), "name on-heat"),
        text_at(12, 34, _size(group), "on-heat small"),
        element("rect", x=8, y=placed.height - 7, width=bar, height=3, class_="bar"),
        transform=f"translate({placed.x:.1f} {placed.y:.1f})",
        class_=classes,
        tabindex=0,
        role="img",
        aria_label=label,
        data_name=group.name,
    )


def _arrow(link: GroupLink, layout: BoxLayout, is_drawn: bool, marks: MapMarks) -> str:
    points = layout.arrows.get((link.source, link.target))
    if points is None:
        points = _straight(link, layout)
    is_broken = (link.source, link.target) in marks.violations
    label = link.to_text()
    classes = "arrow" + (" back" if link.is_feedback or is_broken else " implied" if not is_drawn else "")
    return element(
        "path",
        element("title", text=label),
        d=to_path(points),
        class_=classes,
        stroke_width=min(6.0, 1 + len(str(link.imports)) * 0.8),
        marker_end="url(#back-tip)" if link.is_feedback else "url(#tip)",
        data_source=link.source,
        data_target=link.target,
    )


def _straight(link: GroupLink, layout: BoxLayout) -> tuple[tuple[float, float], ...]:
    """Return the points of an arrow that is shown only while one of its boxes is in focus."""
    source, target = layout.boxes[link.source], layout.boxes[link.target]
    is_down = source.y < target.y
    start = source.y + (source.height if is_down else 0)
    end = target.y + (0 if is_down else target.height)
    return ((source.middle, start), (target.middle, end))


def _iter_rows(structure: Structure, marks: MapMarks) -> Iterable[tuple[str, ...]]:
    yield ("from", "to", "names imported", "files", "direction", "first")
    for link in structure.links:
        way = "up: closes a cycle" if link.is_feedback else "down"
        broken = "; breaks the contract" if (link.source, link.target) in marks.violations else ""
        first = f"{link.first[0]} → {link.first[1]}"
        yield (link.source, link.target, str(link.imports), str(link.files), f"{way}{broken}", first)
