"""The treemap of hotspots: size is lines, shade is recent commits, and the ten worst are named.

The layout is that of Bruls, Huizing and van Wijk ("Squarified treemaps", 2000).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from avionics.index.architecture.hotspots import Hotspot
from avionics.model.mappings import group_pairs
from avionics.model.naming import plural
from avionics.pictures.drawing import WIDTH, Picture, element, fit, heading, heat_of, measure, text_at

MAX_NAMED = 10
_MAX_TILES = 1_500
"""Smaller files are one tile a directory: at 1,200 pixels they would be dots."""

_HEIGHT = 640.0
_ROW = 18.0
Box = tuple[float, float, float, float]
"""x, y, width, height"""


def draw_treemap(spots: Sequence[Hotspot], title: str, note: str, hrefs: Mapping[str, str] | None) -> Picture:
    """Return the treemap of files, hottest first; the note says what counts as recent, `hrefs` where a click leads."""
    worst = [spot for spot in spots[:MAX_NAMED] if spot.score > 0]
    notes = (f"Area: lines of code. Shade: commits. Ranked by lines × commits × (1 + log₂ authors). {note}",)
    top = 62.0 + 18 * len(notes)
    below = top + _HEIGHT + 28
    most = max((spot.commits for spot in spots), default=0)
    rank = {spot.file: at for at, spot in enumerate(worst, 1)}
    tiles = [
        _tile(spot, box, heat_of(spot.commits, most), rank.get(spot.file, 0), (hrefs or {}).get(spot.file))
        for spot, box in _place(spots, (20.0, top, WIDTH - 40.0, _HEIGHT))
    ]
    body = [*heading(title, notes), element("g", *tiles, class_="scene")]
    if not worst:
        body.append(text_at(20, below, "No file has recent commits.", "soft"))
    for at, spot in enumerate(worst):
        label = f"{at + 1}. {spot.file}"
        changes, people = plural(spot.commits, "commit"), plural(spot.authors, "author")
        facts = f"{plural(spot.lines, 'line')} · {changes} · {people}, most by {spot.main_author}"
        body += [
            text_at(20, below + at * _ROW, fit(label, 720)),
            text_at(760, below + at * _ROW, fit(facts, WIDTH - 780, 11), "soft"),
        ]
    rows = [("rank", "file", "lines", "recent commits", "authors", "most by")]
    rows += [
        (str(at), spot.file, str(spot.lines), str(spot.commits), str(spot.authors), spot.main_author)
        for at, spot in enumerate(worst, 1)
    ]
    return Picture(title, " ".join(notes), tuple(body), WIDTH, below + max(1, len(worst)) * _ROW + 10, tuple(rows))


def _tile(spot: Hotspot, box: Box, heat: int, rank: int, href: str | None) -> str:
    x, y, width, height = box
    counts = ((spot.lines, "line"), (spot.commits, "recent commit"), (spot.authors, "author"))
    title = f"{spot.file}: {', '.join(plural(*each) for each in counts)}"
    name = f"{rank}. {spot.file.rpartition('/')[2]}" if rank else spot.file.rpartition("/")[2]
    label = ""
    if width > 44 and height > 16:
        label = text_at(x + 4, y + 13, fit(name, width - 8, 11), "on-heat small")
    elif rank and width > measure(str(rank), 11) and height > 11:
        label = text_at(x + 1, y + 10, str(rank), "on-heat small")
    shown = element(
        "g",
        element("title", text=title),
        element("rect", x=x, y=y, width=max(0.5, width - 1), height=max(0.5, height - 1), class_=f"heat{heat}",
                stroke="var(--back)" if rank else "var(--line)", stroke_width=2 if rank else 0.4),
        label,
        class_="tile", data_name=spot.file, tabindex=0 if rank and not href else None, role="img", aria_label=title,
    )  # fmt: skip
    return element("a", shown, href=href) if href else shown


def _place(spots: Sequence[Hotspot], box: Box) -> Iterator[tuple[Hotspot, Box]]:
    """Yield each file with its rectangle, those of one directory together."""
    large = sorted(spots, key=lambda spot: (-spot.lines, spot.file))[:_MAX_TILES]
    tree = group_pairs(("/".join(spot.file.split("/")[:-1][:3]), spot) for spot in large if spot.lines)
    sizes = {name: sum(spot.lines for spot in inside) for name, inside in tree.items()}
    names = sorted(tree, key=lambda name: (-sizes[name], name))
    for name, outer in zip(names, squarify([float(sizes[each]) for each in names], box), strict=True):
        inside = tree[name]
        yield from zip(inside, squarify([float(spot.lines) for spot in inside], _inner(outer)), strict=True)


def _inner(box: Box) -> Box:
    x, y, width, height = box
    return (x + 1, y + 1, max(0.5, width - 2), max(0.5, height - 2))


def squarify(sizes: Sequence[float], box: Box) -> list[Box]:
    """Return a nearly square rectangle for each positive size, largest first; their areas are proportional."""
    x, y, width, height = box
    scale = width * height / sum(sizes) if sizes else 0.0
    areas = [size * scale for size in sizes]
    found: list[Box] = []
    at = 0
    while at < len(areas):
        short = min(width, height)
        count = 1
        while at + count < len(areas) and _worst(areas[at : at + count + 1], short) <= _worst(
            areas[at : at + count], short
        ):
            count += 1
        row = areas[at : at + count]
        thick = sum(row) / short if short else 0.0
        offset = 0.0
        for area in row:
            long = area / thick if thick else 0.0
            found.append((x, y + offset, thick, long) if width >= height else (x + offset, y, long, thick))
            offset += long
        if width >= height:
            x, width = x + thick, max(0.0, width - thick)
        else:
            y, height = y + thick, max(0.0, height - thick)
        at += count
    return found


def _worst(row: Sequence[float], short: float) -> float:
    """Return the worst ratio of sides in a row of rectangles."""
    total = sum(row)
    if not total or not short:
        return float("inf")
    return max(short * short * max(row) / (total * total), total * total / (short * short * min(row)))
