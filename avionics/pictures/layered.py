"""Place boxes in rows, and route arrows between them, so that few arrows cross.

The method is Sugiyama's ("Methods for visual understanding of hierarchical system structures", 1981) with rows given:
arrows over several rows pass through dummy boxes, rows are ordered by barycenters, and boxes move towards their
neighbors as far as adjacent boxes allow. Ties are settled by name, so the result is always the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import accumulate, pairwise

import attrs

from avionics.pictures.drawing import number

_SWEEPS = 12
"""Sweeps down and up; the order hardly changes after six."""

_DUMMY_WIDTH = 4.0
_ROW_WIDTH = 1150.0
"""How wide a row may be; the boxes of a wider one continue in the next."""

_GAP, _DUMMY_GAP = 22.0, 7.0
"""Between two boxes, and beside an arrow that passes them."""

_Dummy = tuple[str, str, int]
"""The ends of an arrow, and the row in which it passes other boxes."""
_Slot = str | _Dummy
_Neighbors = Mapping[_Slot, tuple[list[_Slot], list[_Slot]]]
"""Box → the boxes it is joined with in the row above, and in the row below."""


@attrs.frozen
class PlacedBox:
    """A box: its upper left corner and its size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        """Return the horizontal middle."""
        return self.x + self.width / 2


@attrs.frozen
class BoxLayout:
    """Boxes by name, arrows as lists of points, and the size of all."""

    boxes: Mapping[str, PlacedBox]
    arrows: Mapping[tuple[str, str], tuple[tuple[float, float], ...]]
    width: float
    height: float


def place_rows(
    rows: Sequence[Sequence[str]],
    widths: Mapping[str, float],
    arrows: Iterable[tuple[str, str]],
    *,
    height: float = 48,
    gap: float = 58,
) -> BoxLayout:
    """Return where boxes go, and the arrows between rows; a row that is too wide continues in the next."""
    lines = [line for row in rows for line in _wrap(row, widths)]
    row_of = {name: at for at, line in enumerate(lines) for name in line}
    drawn = [(source, target) for source, target in arrows if row_of[source] != row_of[target]]
    grid: list[list[_Slot]] = [list(line) for line in lines]
    ways: dict[tuple[str, str], list[_Slot]] = {}
    for source, target in drawn:
        step = 1 if row_of[source] < row_of[target] else -1
        dummies = [(source, target, at) for at in range(row_of[source] + step, row_of[target], step)]
        for dummy in dummies:
            grid[dummy[2]].append(dummy)
        ways[source, target] = [source, *dummies, target]
    neighbors = _collect_neighbors(ways, {each: at for at, line in enumerate(grid) for each in line})
    _order(grid, neighbors)
    places = _spread(grid, neighbors, widths)
    left = min((places[each] - _width(each, widths) / 2 for line in grid for each in line), default=0.0)
    boxes = {
        name: PlacedBox(places[name] - widths[name] / 2 - left, at * (height + gap), widths[name], height)
        for at, line in enumerate(lines)
        for name in line
    }
    points = {key: _route(way, boxes, places, left, height, gap) for key, way in ways.items()}
    right = max((places[each] + _width(each, widths) / 2 - left for line in grid for each in line), default=0.0)
    return BoxLayout(boxes, _spread_ports(points, boxes), right, max(0.0, len(lines) * (height + gap) - gap))


def _wrap(row: Sequence[str], widths: Mapping[str, float]) -> list[list[str]]:
    found: list[list[str]] = [[]]
    used = 0.0
    for name in row:
        if found[-1] and used + widths[name] > _ROW_WIDTH:
            found.append([])
            used = 0.0
        found[-1].append(name)
        used += widths[name] + _GAP
    return found


def _collect_neighbors(ways: Mapping[tuple[str, str], Sequence[_Slot]], row_of: Mapping[_Slot, int]) -> _Neighbors:
    """Return box → the boxes it is joined with in the row above, and in the row below."""
    found: dict[_Slot, tuple[list[_Slot], list[_Slot]]] = {each: ([], []) for each in row_of}
    for way in ways.values():
        for one, other in pairwise(way):
            upper, lower = (one, other) if row_of[one] < row_of[other] else (other, one)
            found[upper][1].append(lower)
            found[lower][0].append(upper)
    return found


def _order(grid: list[list[_Slot]], neighbors: _Neighbors) -> None:
    """Order each row by where the neighbors are, down and up again."""
    position = {each: float(at) for line in grid for at, each in enumerate(line)}

    def weigh(each: _Slot, side: int) -> float:
        joined = neighbors[each][side]
        return sum(position[other] for other in joined) / len(joined) if joined else position[each]

    for sweep in range(_SWEEPS):
        side = sweep % 2
        for line in grid if side == 0 else reversed(grid):
            line.sort(key=partial(weigh, side=side))
            position.update((each, float(at)) for at, each in enumerate(line))


def _spread(
    grid: Sequence[Sequence[_Slot]],
    neighbors: _Neighbors,
    widths: Mapping[str, float],
) -> dict[_Slot, float]:
    """Return the horizontal middle of each box: close to its neighbors, without overlaps, within `_ROW_WIDTH`."""
    places: dict[_Slot, float] = {}
    half = _ROW_WIDTH / 2
    for line in grid:
        apart = [_distance(one, other, widths) for one, other in pairwise(line)]
        at = -sum(apart) / 2
        half = max(half, -at + _width(line[0], widths) / 2 + _width(line[-1], widths) / 2)
        for each, distance in zip(line, (*apart, 0.0), strict=False):
            places[each] = at
            at += distance
    for sweep in range(_SWEEPS):
        for line in grid if sweep % 2 == 0 else reversed(grid):
            wanted = []
            for each in line:
                joined = [*neighbors[each][0], *neighbors[each][1]]
                wanted.append(sum(places[other] for other in joined) / len(joined) if joined else places[each])
            places |= dict(zip(line, _separate(line, wanted, widths, half), strict=True))
    return places


def _separate(line: Sequence[_Slot], wanted: Sequence[float], widths: Mapping[str, float], half: float) -> list[float]:
    """Return places near the wanted ones, from -half to half, that keep boxes apart.

    They are the mean of the places that result from pushing boxes right and from pushing them left.
    """
    apart = [_distance(one, other, widths) for one, other in pairwise(line)]
    lowest = list(accumulate(apart, initial=_width(line[0], widths) / 2 - half))
    room = 2 * half - _width(line[0], widths) / 2 - _width(line[-1], widths) / 2 - sum(apart)
    bounded = [min(max(place, low), low + room) for place, low in zip(wanted, lowest, strict=True)]
    right, left = list(bounded), list(bounded)
    for at in range(1, len(line)):
        right[at] = max(right[at], right[at - 1] + apart[at - 1])
    for at in range(len(line) - 2, -1, -1):
        left[at] = min(left[at], left[at + 1] - apart[at])
    return [(one + other) / 2 for one, other in zip(right, left, strict=True)]


def _distance(one: _Slot, other: _Slot, widths: Mapping[str, float]) -> float:
    """Return how far apart the middles of two neighbors in a row have to be."""
    gap = _GAP if isinstance(one, str) and isinstance(other, str) else _DUMMY_GAP
    return (_width(one, widths) + _width(other, widths)) / 2 + gap


def _width(each: _Slot, widths: Mapping[str, float]) -> float:
    return widths[each] if isinstance(each, str) else _DUMMY_WIDTH


def _route(
    way: Sequence[_Slot],
    boxes: Mapping[str, PlacedBox],
    places: Mapping[_Slot, float],
    left: float,
    height: float,
    gap: float,
) -> tuple[tuple[float, float], ...]:
    """Return the points of an arrow: from the border of a box, past the boxes between, to the border of the other."""
    source, target = boxes[str(way[0])], boxes[str(way[-1])]
    is_down = source.y < target.y
    points = [(source.middle, source.y + (height if is_down else 0))]
    for each in way[1:-1]:
        assert not isinstance(each, str)
        top = each[2] * (height + gap)
        x = places[each] - left
        points += [(x, top), (x, top + height)] if is_down else [(x, top + height), (x, top)]
    points.append((target.middle, target.y + (0 if is_down else height)))
    return tuple(points)


def _spread_ports(
    points: Mapping[tuple[str, str], tuple[tuple[float, float], ...]], boxes: Mapping[str, PlacedBox]
) -> dict[tuple[str, str], tuple[tuple[float, float], ...]]:
    """Return the arrows with their ends spread along the borders of the boxes, ordered by target."""
    ends: defaultdict[tuple[str, float], list[tuple[float, tuple[str, str], int]]] = defaultdict(list)
    for key, way in points.items():
        ends[key[0], way[0][1]].append((way[1][0], key, 0))
        ends[key[1], way[-1][1]].append((way[-2][0], key, len(way) - 1))
    moved = {key: list(way) for key, way in points.items()}
    for (name, y), found in ends.items():
        box = boxes[name]
        for at, (_, key, index) in enumerate(sorted(found)):
            moved[key][index] = (box.x + box.width * (at + 1) / (len(found) + 1), y)
    return {key: tuple(way) for key, way in moved.items()}


def to_path(points: Sequence[tuple[float, float]], *, is_sideways: bool = False) -> str:
    """Return the path data of a smooth line through points, vertical (or horizontal) where it meets boxes."""
    (x, y), *rest = points
    pieces = [f"M{number(x)} {number(y)}"]
    for to_x, to_y in rest:
        if is_sideways:
            bend = (to_x - x) / 2
            pieces.append(
                f"C{number(x + bend)} {number(y)} {number(to_x - bend)} {number(to_y)} {number(to_x)} {number(to_y)}"
            )
        else:
            bend = (to_y - y) / 2
            pieces.append(
                f"C{number(x)} {number(y + bend)} {number(to_x)} {number(to_y - bend)} {number(to_x)} {number(to_y)}"
            )
        x, y = to_x, to_y
    return "".join(pieces)
