"""Find the callers and callees of a symbol, and the proven calls from one symbol to another."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct, structs

from avionics.index.analysis.call_tree import CallTreeBuilder, Role
from avionics.index.code_index import CodeIndex
from avionics.index.flows.path_search import PathSearch
from avionics.index.model.file_roles import FileRole, role_and_place, role_of
from avionics.model.enums import CALLS
from avionics.model.knowledge import Definition
from avionics.model.mappings import group_sets
from avionics.model.naming import plural
from avionics.syntax.call_sites import read_conditions
from avionics.syntax.registry import get_language

MAX_SIDE = 12
"""Boxes in one column of a picture."""


class FlowBox(Struct, frozen=True):
    """A definition in a flow; `column` 0 is the leftmost."""

    definition: Definition
    column: int
    is_entry: bool = False

    @property
    def key(self) -> tuple[str, int, str]:
        """Return the key of the definition, which is equal for equal ones."""
        return self.definition.key


class FlowArrow(Struct, frozen=True):
    """A step from one definition to another.

    Attributes:
        source: The key of the box where it starts.
        target: The key of the box that is reached.
        role: The kind of step, in a word.
        is_certain: Whether it is proven to happen when the source runs.
        condition: `if x` or `unless x`, where a plain condition around the line decides; else "".
    """

    source: tuple[str, int, str]
    target: tuple[str, int, str]
    file: str
    line: int
    role: str
    is_certain: bool = True
    condition: str = ""


class CallFlow(Struct, frozen=True):
    """Boxes in columns, and arrows between them; `notes` say what is left out, and what is not proven."""

    boxes: tuple[FlowBox, ...]
    arrows: tuple[FlowArrow, ...]
    notes: tuple[str, ...] = ()


def build_neighborhood(code: CodeIndex, definition: Definition, entries: Iterable[Definition]) -> CallFlow:
    """Return a definition between its callers and its callees, with the entry points that call the callers."""
    listed = {entry.key: entry for entry in entries}
    centre = FlowBox(definition, 2, definition.key in listed)
    callers, caller_arrows, report_note = _list_callers(code, definition)
    boxes: dict[tuple[str, int, str], FlowBox] = {centre.key: centre}
    arrows: list[FlowArrow] = []
    notes = [report_note] if report_note else []
    for caller in callers[:MAX_SIDE]:
        box = FlowBox(caller, 1, caller.key in listed)
        boxes.setdefault(box.key, box)
    notes += [f"Not drawn: {plural(len(callers) - MAX_SIDE, 'more caller')}."] if len(callers) > MAX_SIDE else []
    arrows += [arrow for arrow in caller_arrows if arrow.source in boxes]
    for caller in callers[:MAX_SIDE]:
        outer_callers, outer_arrows, _ = _list_callers(code, caller)
        for each in outer_callers:
            if each.key in listed and each.key not in boxes:
                boxes[each.key] = FlowBox(each, 0, is_entry=True)
        arrows += [arrow for arrow in outer_arrows if arrow.source in boxes and boxes[arrow.source].column == 0]
    body = CallTreeBuilder(code).read_body(definition)
    for step in body.steps[:MAX_SIDE]:
        box = FlowBox(step.definition, 3)
        if box.key not in boxes:
            boxes[box.key] = box
        arrows.append(_to_arrow(definition, step.definition, step.lines, step.role))
    notes += [f"Not drawn: {plural(len(body.steps) - MAX_SIDE, 'more call')}."] if len(body.steps) > MAX_SIDE else []
    if body.unknown:
        first = body.unknown[0]
        calls = plural(len(body.unknown), "call")
        notes.append(f"{calls} with an unknown target, first {definition.file}:{first.line}.")
    unique = tuple(dict.fromkeys(arrows))
    return CallFlow(tuple(sorted(boxes.values(), key=lambda box: (box.column, box.key))), unique, tuple(notes))


def find_call_paths(code: CodeIndex, start: Definition, goal: Definition) -> tuple[CallFlow, ...]:
    """Return the most plausible paths from one definition to another as one flow; () if none is proven."""
    paths = [path for path in PathSearch(code).find((start,), (goal,)).paths if not path.is_possible_only]
    if not paths:
        return ()
    depth: dict[Definition, int] = {start: 0}
    arrows: dict[FlowArrow, None] = {}
    for path in paths:
        for column, step in enumerate(path.steps, 1):
            depth[step.target] = max(depth.get(step.target, 0), column)
            arrows[_to_arrow(step.source, step.target, (step.line,), step.role, step.file)] = None
    boxes = sorted((FlowBox(each, column) for each, column in depth.items()), key=lambda box: (box.column, box.key))
    columns = {box.key: box.column for box in boxes}
    forward = (arrow for arrow in arrows if columns[arrow.source] < columns[arrow.target])
    return (CallFlow(tuple(boxes), tuple(sorted(forward, key=lambda arrow: (arrow.source, arrow.target)))),)


def add_conditions(flow: CallFlow, read: Callable[[str], bytes]) -> CallFlow:
    """Return the flow with the plain conditions of its steps."""
    lines = group_sets((arrow.file, arrow.line) for arrow in flow.arrows)
    conditions = {
        file: read_conditions(read(file), language, sorted(numbers))
        for file, numbers in lines.items()
        if (language := get_language(file)) is not None
    }
    arrows = (structs.replace(a, condition=conditions.get(a.file, {}).get(a.line, "")) for a in flow.arrows)
    return structs.replace(flow, arrows=tuple(arrows))


def _list_callers(code: CodeIndex, definition: Definition) -> tuple[list[Definition], list[FlowArrow], str]:
    """Return the definitions that call another one, product code first, their calls, and a note on what is left out."""
    report = code.usages(definition)
    callers: dict[tuple[str, int, str], Definition] = {}
    arrows: list[FlowArrow] = []
    for usage in report.usages:
        caller = usage.enclosing
        if usage.role not in CALLS or caller is None or caller.key == definition.key:
            continue
        key = caller.key
        if key not in callers:
            callers[key] = caller
            arrows.append(FlowArrow(key, definition.key, usage.file, usage.line, "calls"))
    order = sorted(callers.values(), key=role_and_place)
    product = [each for each in order if role_of(each.file) is not FileRole.TEST]
    tests, unproven = len(order) - len(product), len(report.unresolved)
    notes = []
    if tests and product:
        notes.append(f"Not drawn: {plural(tests, 'caller')} in tests.")
    if unproven:
        notes.append(f"Not proven: {plural(unproven, 'more place')} that may call it.")
    return product or order, arrows, " ".join(notes)


def _to_arrow(source: Definition, target: Definition, lines: tuple[int, ...], role: Role, file: str = "") -> FlowArrow:
    line = lines[0] if lines else source.line
    return FlowArrow(source.key, target.key, file or source.file, line, role.value, role is Role.CALLS)
