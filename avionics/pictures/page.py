"""One self-contained HTML page of pictures: no network, no framework; pan, zoom, search and keyboard."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from avionics.pictures.drawing import STYLE, Picture, clean, quote

_CSS = """
body{margin:0;background:var(--paper);color:var(--ink);
font:14px system-ui,-apple-system,"Segoe UI","Noto Sans",sans-serif}
header{position:sticky;top:0;z-index:1;background:var(--paper);border-bottom:1px solid var(--line);padding:8px 20px;
display:flex;gap:14px;align-items:center;flex-wrap:wrap}h1{font-size:17px;margin:0}
nav{display:flex;gap:10px;flex-wrap:wrap}
nav a,td a{color:var(--mark)}main{max-width:1240px;margin:0 auto;padding:0 16px 40px}
section{margin:24px 0}
h2{font-size:15px}.stage{overflow:auto;border:1px solid var(--line);border-radius:6px;max-height:85vh}
.stage svg{display:block;transform-origin:0 0;max-width:none}
input,button{font:inherit;color:var(--ink);background:var(--box);
border:1px solid var(--line);border-radius:6px;padding:4px 8px}table{border-collapse:collapse;margin:8px 0}
td,th{border:1px solid var(--line);padding:2px 8px;text-align:left;vertical-align:top}
summary{cursor:pointer;padding:4px 0}
.inside{display:inline-block;margin-right:16px}.inside[open]{display:block}
.faded{opacity:.15}.arrow.near{display:inline;stroke:var(--mark);stroke-opacity:1}.arrow.back.near{stroke:var(--back)}
.found rect{stroke:var(--mark)!important;stroke-width:3px!important}
:focus-visible{outline:3px solid var(--mark);outline-offset:2px}g:focus{outline:none}
g:focus-visible rect{stroke:var(--mark);stroke-width:3px}.scroll{overflow:auto;max-height:60vh}.hint{color:var(--soft)}
@media print{header{position:static}.stage{max-height:none;overflow:visible}}
""".strip()

_SCRIPT = """
"use strict";
const all=(q,e=document)=>[...e.querySelectorAll(q)];
const zooms=new Map();
function zoom(stage,by){const svg=stage.querySelector("svg"),old=zooms.get(stage)||1;
const now=by===0?1:Math.min(8,Math.max(.25,old*by));zooms.set(stage,now);
const box=svg.viewBox.baseVal;const base=Math.min(1200,box.width);
svg.setAttribute("width",base*now);svg.setAttribute("height",base*now*box.height/box.width);}
function mark(svg,name){const near=new Set([name]);
for(const a of all(".arrow,.cell",svg)){const hit=a.dataset.source===name||a.dataset.target===name;
a.classList.toggle("near",hit);a.classList.toggle("faded",!hit);if(hit){near.add(a.dataset.source);near.add(a.dataset.target);}}
for(const b of all(".box",svg))b.classList.toggle("faded",!near.has(b.dataset.name));}
function clear(svg){for(const e of all(".near,.faded",svg))e.classList.remove("near","faded");}
for(const stage of all(".stage")){const svg=stage.querySelector("svg");
for(const b of all(".box",svg)){const on=()=>mark(svg,b.dataset.name),off=()=>clear(svg);
b.addEventListener("mouseenter",on);b.addEventListener("mouseleave",off);
b.addEventListener("focus",on);b.addEventListener("blur",off);
const inner=document.getElementById("inside:"+b.dataset.name);
if(inner){b.style.cursor="zoom-in";
const open=()=>{inner.open=true;inner.scrollIntoView();inner.querySelector("summary").focus();};
b.addEventListener("click",open);b.addEventListener("keydown",e=>{if(e.key==="Enter")open();});}}
let from=null;stage.addEventListener("pointerdown",e=>{if(e.button===0&&!e.target.closest("a,.box"))
from=[e.clientX+stage.scrollLeft,e.clientY+stage.scrollTop];});
stage.addEventListener("pointermove",e=>{if(from){stage.scrollLeft=from[0]-e.clientX;stage.scrollTop=from[1]-e.clientY;}});
for(const end of["pointerup","pointerleave"])stage.addEventListener(end,()=>{from=null;});
stage.addEventListener("wheel",e=>{if(e.ctrlKey||e.metaKey){e.preventDefault();zoom(stage,e.deltaY<0?1.15:1/1.15);}},{passive:false});
stage.addEventListener("keydown",e=>{const by={"+":1.25,"=":1.25,"-":.8,"0":0}[e.key];
if(by!==undefined){e.preventDefault();zoom(stage,by);}});}
const search=document.getElementById("search"),count=document.getElementById("count");
search.addEventListener("input",()=>{const asked=search.value.trim().toLowerCase();let found=0,first=null;
for(const e of all("[data-name]")){const hit=asked!==""&&e.dataset.name.toLowerCase().includes(asked);
e.classList.toggle("found",hit);if(hit){found++;first=first||e;}}
count.textContent=asked===""?"":found+" found";if(first)first.scrollIntoView({block:"center",inline:"center"});});
document.addEventListener("keydown",e=>{if(e.key==="/"&&e.target!==search){e.preventDefault();search.focus();}
if(e.key==="Escape"){search.value="";search.dispatchEvent(new Event("input"));document.activeElement.blur();}});
""".strip()


@attrs.frozen
class PageTable:
    """A table of a page.

    Attributes:
        title: What it lists.
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
        key: What links on the page call it.
        picture: The picture.
        inside: Pictures of its parts by the name of their box: a click on the box opens them.
        tables: Tables below the picture.
    """

    key: str
    picture: Picture
    inside: tuple[tuple[str, Picture], ...] = ()
    tables: tuple[PageTable, ...] = ()


def write_page(title: str, sections: Sequence[PageSection], notes: Iterable[str] = ()) -> str:
    """Return the HTML of a page.

    Args:
        title: What it is about.
        sections: The pictures, in order.
        notes: What could not be seen; listed at the end.
    """
    links = "".join(f"<a href={quote(f'#{each.key}')}>{clean(each.picture.title)}</a>" for each in sections)
    body = "\n".join(map(_section, sections))
    listed = "".join(f"<li>{clean(note)}</li>" for note in notes)
    unseen = f'<section id="notes"><h2>What the pictures do not show</h2><ul>{listed}</ul></section>' if listed else ""
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{clean(title)}</title>\n<style>{STYLE}\n{_CSS}</style>\n</head>\n<body>\n"
        f'<header><h1>{clean(title)}</h1><nav aria-label="Pictures">{links}</nav>'
        '<label>Search <input id="search" type="search" placeholder="name or path"></label>'
        '<span id="count" role="status"></span></header>\n<main>\n'
        '<p class="hint">Hover or Tab to a box to see all its arrows; Enter or a click opens it. '
        "In a picture: drag to pan, + and − zoom, 0 resets. / searches, Esc clears.</p>\n"
        f"{body}\n{unseen}\n</main>\n<script>{_SCRIPT}</script>\n</body>\n</html>\n"
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
    """Return a table that is folded until a click opens it; nothing for one without rows."""
    if len(table.rows) < 2:
        return ""
    head, *rows = table.rows
    hrefs = table.hrefs or ("",) * len(rows)
    counted = "1 row" if len(rows) == 1 else f"{len(rows):,} rows"
    cells = "".join(f'<th scope="col">{clean(cell)}</th>' for cell in head)
    lines = "".join(_row(row, href) for row, href in zip(rows, hrefs, strict=True))
    return (
        f"<details><summary>{clean(table.title)} ({counted})</summary>"
        f'<div class="scroll" tabindex="0" role="region" aria-label={quote(table.title)}><table><thead><tr>{cells}</tr>'
        f"</thead><tbody>{lines}</tbody></table></div></details>"
    )


def _row(cells: Sequence[str], href: str) -> str:
    shown = [clean(cell) for cell in cells]
    if href:
        shown[-1] = f"<a href={quote(href)}>{shown[-1]}</a>"
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in shown)}</tr>"
