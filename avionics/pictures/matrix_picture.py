"""The dependency structure matrix: who imports whom, ordered by layers, cycles framed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from avionics.index.architecture.grouping import GroupLink, Structure
from avionics.index.model.graphs import find_components
from avionics.pictures.drawing import WIDTH, Picture, element, fit, heading, heat_of, text_at

_MAX_CELL = 32.0
_LABEL = 270.0


def draw_matrix(structure: Structure, title: str, hrefs: Mapping[tuple[str, str], str] | None = None) -> Picture:
    """Return the matrix of a structure: a row imports the columns.

    `hrefs` has where a click on the cell of a source and a target leads, such as the first import.
    """
    order = _sort(structure)
    at = {name: place for place, name in enumerate(order)}
    cell = min(_MAX_CELL, (WIDTH - _LABEL - 60) / max(1, len(order)))
    notes = (
        "A row imports the columns with a number: how many names. Top rows depend on those below, so a layered system",
        "has numbers only right of the diagonal. Numbers left of it (orange) run upwards; frames hold cycles.",
    )
    top = 62.0 + 18 * len(notes) + 20
    most = max((link.imports for link in structure.links), default=0)
    body = [*heading(title, notes)]
    body += [_label(name, place, cell, top) for name, place in at.items()]
    side = cell * len(order)
    for place in range(len(order) + 1):
        line = place * cell
        body.append(
            element(
                "path",
                d=f"M{_LABEL} {top + line:.1f}h{side:.1f}M{_LABEL + line:.1f} {top:.1f}v{side:.1f}",
                class_="grid",
            )
        )
    body += [
        element(
            "rect",
            x=_LABEL + place * cell,
            y=top + place * cell,
            width=cell,
            height=cell,
            fill="var(--line)",
            opacity=0.5,
        )
        for place in at.values()
    ]
    body += [_cell(link, at, cell, top, heat_of(link.imports, most), (hrefs or {})) for link in structure.links]
    body += list(_iter_frames(structure, at, cell, top))
    return Picture(title, " ".join(notes), tuple(body), WIDTH, top + side + 24, tuple(_iter_rows(order, structure)))


def _sort(structure: Structure) -> list[str]:
    """Return the groups from the top layer down, those of one cycle together."""
    return [
        name
        for component in reversed(_find_components(structure))
        for name in sorted(component, key=lambda name: (-structure.layers[name], name))
    ]


def _find_components(structure: Structure) -> tuple[tuple[str, ...], ...]:
    """Return the groups that import one another, the lowest first."""
    graph: dict[str, list[str]] = {name: [] for name in structure.groups}
    for link in structure.links:
        graph[link.source].append(link.target)
    return find_components(sorted(structure.groups), graph)


def _label(name: str, place: int, cell: float, top: float) -> str:
    y = top + (place + 0.5) * cell + 4
    x = _LABEL + (place + 0.5) * cell
    return (
        element("text", x=_LABEL - 34, y=y, text_anchor="end", text=fit(name, _LABEL - 60))
        + text_at(_LABEL - 8, y, str(place + 1), "soft", "end")
        + text_at(x, top - 7, str(place + 1), "soft", "middle")
    )


def _cell(
    link: GroupLink, at: Mapping[str, int], cell: float, top: float, heat: int, hrefs: Mapping[tuple[str, str], str]
) -> str:
    row, column = at[link.source], at[link.target]
    x, y = _LABEL + column * cell, top + row * cell
    label = link.to_text()
    is_back = column < row
    shown = element(
        "g",
        element("title", text=label),
        element("rect", x=x, y=y, width=cell, height=cell, class_=f"heat{max(1, heat)}"),
        element("rect", x=x + 1, y=y + 1, width=cell - 2, height=cell - 2, class_="cycle") if is_back else "",
        text_at(x + cell / 2, y + cell / 2 + 4, _short(link.imports), "on-heat small", "middle"),
        class_="cell",
        tabindex=None if (link.source, link.target) in hrefs else 0,
        role="img",
        aria_label=label,
        data_source=link.source,
        data_target=link.target,
    )
    href = hrefs.get((link.source, link.target))
    return element("a", shown, href=href) if href else shown


def _short(count: int) -> str:
    return str(count) if count < 1000 else f"{count / 1000:.0f}k"


def _iter_frames(structure: Structure, at: Mapping[str, int], cell: float, top: float) -> Iterator[str]:
    for component in _find_components(structure):
        if len(component) > 1:
            first, side = min(at[name] for name in component), len(component) * cell
            label = f"{len(component)} groups import one another: {', '.join(sorted(component))}"
            yield element(
                "rect", element("title", text=label), x=_LABEL + first * cell, y=top + first * cell, width=side,
                height=side, class_="cycle", fill="none", pointer_events="none",
            )  # fmt: skip


def _iter_rows(order: list[str], structure: Structure) -> Iterator[tuple[str, ...]]:
    counts = {(link.source, link.target): str(link.imports) for link in structure.links}
    yield ("imports", *order)
    for row in order:
        yield (row, *(counts.get((row, column), "") for column in order))
