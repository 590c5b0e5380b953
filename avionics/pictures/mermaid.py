"""Mermaid: the same pictures as text that forges draw in pull requests, with at most 30 boxes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from avionics.index.architecture.call_flow import CallFlow
from avionics.index.architecture.grouping import Structure
from avionics.model.naming import plural
from avionics.pictures.drawing import clean
from avionics.pictures.map_picture import select_drawn

MAX_NODES = 30

_UNQUOTED = str.maketrans({'"': "#quot;", "#": "#35;", "`": "#96;", "\\": "#92;", "[": "#91;", "]": "#93;"})


def write_map(structure: Structure, own: AbstractSet[str] = frozenset(), far: AbstractSet[str] = frozenset()) -> str:
    """Return a flowchart of a structure: the arrows that the map draws, those upwards dashed."""
    names = [name for row in structure.rows() for name in row][:MAX_NODES]
    ids = {name: f"n{at}" for at, name in enumerate(names)}
    lines = ["flowchart TD"]
    for name in names:
        group = structure.groups[name]
        lines.append(f'  {ids[name]}["{_label(name)}<br/>{plural(len(group.files), "file")}"]')
    for link in select_drawn(structure):
        if link.source in ids and link.target in ids:
            arrow = "-.->" if link.is_feedback else "-->"
            lines.append(f"  {ids[link.source]} {arrow}|{link.imports}| {ids[link.target]}")
    lines += _list_classes(ids, own, far)
    return "\n".join(lines) + "\n"


def write_flow(flow: CallFlow) -> str:
    """Return a flowchart of a call flow; steps that are not proven are dashed."""
    ids = {box.key: f"n{at}" for at, box in enumerate(flow.boxes[:MAX_NODES])}
    lines = ["flowchart LR"]
    for box in flow.boxes[:MAX_NODES]:
        place = f"{box.definition.file}:{box.definition.line}"
        lines.append(f'  {ids[box.key]}["{_label(box.definition.symbol.qualname)}<br/>{_label(place)}"]')
    for arrow in flow.arrows:
        if arrow.source in ids and arrow.target in ids:
            shape = "-->" if arrow.is_certain else "-.->"
            label = f"{arrow.line} {arrow.condition}".rstrip()
            lines.append(f'  {ids[arrow.source]} {shape}|"{_label(label)}"| {ids[arrow.target]}')
    return "\n".join(lines) + "\n"


def write_reach(links: Mapping[tuple[str, str], int], own: Sequence[str]) -> str:
    """Return a flowchart from each changed file, one of `own`, to the files that use it; `links` counts how often."""
    counts = Counter(file for pair, count in links.items() for file in pair for _ in range(count))
    linked = [file for file in own if counts[file]]
    others = sorted(counts.keys() - set(own), key=lambda file: (-counts[file], file))
    chosen = [*sorted(linked, key=lambda file: (-counts[file], file))[: MAX_NODES // 2], *others][:MAX_NODES]
    ids = {file: f"n{at}" for at, file in enumerate(chosen)}
    lines = ["flowchart LR", *(f'  {ids[file]}["{_label(file)}"]' for file in chosen)]
    for (source, target), count in sorted(links.items()):
        if source in ids and target in ids and source != target:
            lines.append(f"  {ids[source]} -->|{count}| {ids[target]}")
    lines += _list_classes(ids, frozenset(own), frozenset(ids) - frozenset(own))
    return "\n".join(lines) + "\n"


def write_table(rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table, for pictures that Mermaid cannot draw."""
    listed = [[_label(cell).replace("|", "&#124;") for cell in row] for row in rows]
    if not listed:
        return ""
    head, *rest = listed
    lines = [head, ["---"] * len(head), *rest]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _list_classes(ids: Mapping[str, str], own: AbstractSet[str], far: AbstractSet[str]) -> list[str]:
    marked = [("own", own, "stroke-width:3px"), ("far", far - own, "stroke-dasharray:5 3")]
    lines = []
    for name, members, style in marked:
        listed = [ids[each] for each in sorted(members) if each in ids]
        if listed:
            lines += [f"  classDef {name} {style}", f"  class {','.join(listed)} {name}"]
    return lines


def _label(text: str) -> str:
    """Return text of a repository as a label in quotes."""
    return clean(text.translate(_UNQUOTED))
