"""One self-contained HTML page of pictures: no network, no framework; pan, zoom, search and keyboard."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import attrs

from avionics.model.naming import plural
from avionics.pictures.drawing import STYLE, Picture, clean, quote


@attrs.frozen
class PageTable:
    """A table of a page.

    Attributes:
        rows: Cells of text; the first row is the heading.
        hrefs: For each row after the heading, where a click on its last cell leads.
    """

    title: str
    rows: tuple[tuple[str, ...], ...]
    hrefs: tuple[str, ...] = ()


@attrs.frozen
class PageSection:
    """A picture of a page.

    Attributes:
        key: Its id in links on the page.
        inside: Pictures of its parts by the name of their box: a click on the box opens them.
        tables: Tables below the picture.
    """

    key: str
    picture: Picture
    inside: tuple[tuple[str, Picture], ...] = ()
    tables: tuple[PageTable, ...] = ()


def write_page(title: str, sections: Sequence[PageSection], notes: Iterable[str] = ()) -> str:
    """Return the HTML of a page of pictures; notes on what they do not show are listed at its end."""
    links = "".join(f"<a href={quote(f'#{each.key}')}>{clean(each.picture.title)}</a>" for each in sections)
    body = "\n".join(map(_section, sections))
    listed = "".join(f"<li>{clean(note)}</li>" for note in notes)
    unseen = f'<section id="notes"><h2>What the pictures do not show</h2><ul>{listed}</ul></section>' if listed else ""
    style, script = (Path(__file__).with_name(f"page.{kind}").read_text("utf-8").strip() for kind in ("css", "js"))
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{clean(title)}</title>\n<style>{STYLE}\n{style}</style>\n</head>\n<body>\n"
        f'<header><h1>{clean(title)}</h1><nav aria-label="Pictures">{links}</nav>'
        '<label>Search <input id="search" type="search" placeholder="name or path"></label>'
        '<span id="count" role="status"></span></header>\n<main>\n'
        '<p class="hint">Hover or Tab to a box to see all its arrows; Enter or a click opens it. '
        "In a picture: drag to pan, + and − zoom, 0 resets. / searches, Esc clears.</p>\n"
        f"{body}\n{unseen}\n</main>\n<script>{script}</script>\n</body>\n</html>\n"
    )


def _section(section: PageSection) -> str:
    inner = "\n".join(
        f'<details class="inside" id={quote(f"inside:{name}")}>'
        f"<summary>Inside {clean(name)}</summary>{_stage(picture)}</details>"
        for name, picture in section.inside
    )
    heading = f"<h2>{clean(section.picture.title)}</h2>"
    tables = "\n".join(map(_table, section.tables))
    return f"<section id={quote(section.key)}>{heading}\n{_stage(section.picture)}\n{inner}{tables}</section>"


def _stage(picture: Picture) -> str:
    """Return a picture that can be scrolled and zoomed, and the table with the same facts."""
    svg = picture.to_svg(is_alone=False)
    # All pictures of the page share the ids of arrowheads, so that references to them stay valid.
    stage = f'<div class="stage" tabindex="0" role="region" aria-label={quote(picture.title)}>{svg}</div>'
    return f"{stage}\n{_table(PageTable('The same as a table', picture.table))}"


def _table(table: PageTable) -> str:
    """Return a table that is folded until a click opens it; "" for one without rows."""
    if len(table.rows) < 2:
        return ""
    head, *rows = table.rows
    hrefs = table.hrefs or ("",) * len(rows)
    cells = "".join(f'<th scope="col">{clean(cell)}</th>' for cell in head)
    lines = "".join(_row(row, href) for row, href in zip(rows, hrefs, strict=True))
    return (
        f"<details><summary>{clean(table.title)} ({plural(len(rows), 'row')})</summary>"
        f'<div class="scroll" tabindex="0" role="region" aria-label={quote(table.title)}><table><thead><tr>{cells}</tr>'
        f"</thead><tbody>{lines}</tbody></table></div></details>"
    )


def _row(cells: Sequence[str], href: str) -> str:
    shown = [clean(cell) for cell in cells]
    if href:
        shown[-1] = f"<a href={quote(href)}>{shown[-1]}</a>"
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in shown)}</tr>"
