"""find_path: show how control gets from one place to another, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.flows.path_search import FlowPath, PathSearch, PathSearchResult
from avionics.model.enums import Certainty, SymbolKind, is_class
from avionics.model.errors import UsageError
from avionics.model.knowledge import Definition
from avionics.model.naming import plural
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage, NextStep
from avionics.tools.answers.answer import part, shorten
from avionics.tools.answers.items import NameItem, read_lines
from avionics.tools.answers.next_step import suggest, suggest_meant
from avionics.tools.answers.reasons import describe_reason
from avionics.tools.composite.trace_entry_point import EntryPointItem
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.flow_endpoints import DESCRIBED, RECOGNIZED, FlowEnd, FlowEnds
from avionics.tools.resolution.symbol_resolver import find_near
from avionics.workspace import Workspace

_CODE_CHARACTERS = 100
_MAX_DECLARED = 4
_DONE = frozenset({"effect", "action"})
"""Kinds of ends that a function may reach itself."""
_MAX_NEAR = 6
_MIN_SHARED = 2
"""The last steps that a path must share with an earlier one for them to be left out."""


class PathStepItem(Struct, frozen=True):
    """A step of a path: its location, the kind of step, and its target.

    Attributes:
        path: The number of the path, from 1.
        step: The number of the step, from 1.
        file: Where the step stands.
        more_lines: The other lines of the source that call the same.
        source: The definition where the step begins, with its place.
        role: The kind of step: "calls", "passes on", …
        target: The definition that it leads to.
        target_at: The place of the target.
        reason: Why the step is only possible; "" if it is proven.
        title: The heading of the path; "" for its later steps.
        also: Other targets of the last step, each with its place.
        then: The earlier path whose last steps are those behind this one, 0 if they are listed.
    """

    path: int
    step: int
    file: str
    line: int
    source: str
    role: str
    target: str
    target_at: str
    text: str
    reason: str
    title: str
    also: tuple[str, ...] = ()
    more_lines: tuple[int, ...] = ()
    then: int = 0

    def to_text(self) -> str:
        doubt = f" ({self.reason})" if self.reason else ""
        code = shorten(self.text, _CODE_CHARACTERS)
        head = f"{self.title}\n  {self.source}\n" if self.title else ""
        also = f", also {', '.join(self.also)}" if self.also else ""
        lines = ",".join(map(str, (self.line, *self.more_lines)))
        then = f"\n  then as in path {self.then}" if self.then else ""
        return f"{head}  {self.file}:{lines} {self.role} {self.target} ({self.target_at}){also}{doubt} | {code}{then}"


class FindPathAnswer(Struct, frozen=True):
    """The paths from one place to another, the most plausible first."""

    subject: str
    coverage: Coverage
    steps: tuple[PathStepItem, ...] = part("", share=8.0)
    approach: tuple[PathStepItem, ...] = part("calls that lead to the goal from elsewhere", share=4.0)
    declared: tuple[EntryPointItem, ...] = part("entry points", share=0.5)
    near: tuple[NameItem, ...] = part("similar names", share=0.3)

    def headline(self) -> str:
        return self.subject


@tool(
    ToolId.FIND_PATH,
    accepts="two symbols, files, lines, routes, commands, tasks or texts in the code",
    returns="the most plausible and the shortest call paths, each step cited; uncertain steps marked",
)
def find_path(workspace: Workspace, start: str, goal: str) -> FindPathAnswer:
    """Find how control gets from one place to another: through calls, overrides, callbacks and tables.

    Args:
        start: Where it begins: `main`, `Class.method`, `src/app.py`, `src/app.py:12`, `POST /orders`, a command.
        goal: Where it ends, written the same way, or a text in the code, such as a message or an event.
    """
    ends = FlowEnds(workspace)
    first, last = ends.get_end(start), ends.get_end(goal)
    if first is None or last is None:
        return describe_unknown(workspace, {"start": start, "goal": goal}, "start" if first is None else "goal")
    if set(first.definitions) == set(last.definitions):
        raise UsageError("start and goal are the same place", hint="name two different ones")
    return search_path(workspace, first, last)


def search_path(workspace: Workspace, first: FlowEnd, last: FlowEnd) -> FindPathAnswer:
    """Search for paths between two known ends."""
    result = PathSearch(workspace.code).find(*_separate_ends(workspace.code, first, last))
    declared = (*first.declared, *last.declared)[:_MAX_DECLARED]
    paths, also = _join_ends(tuple(path for path in result.paths if path.steps))
    approach = (result.approach,) if result.approach else ()
    there = [each for each in first.definitions if each in set(last.definitions)] if last.kind in _DONE else []
    return FindPathAnswer(
        _summarize(first, last, paths, there, result),
        Coverage(
            len(paths) or len(there),
            len(paths) or len(there),
            Certainty.AT_LEAST if paths or there else Certainty.UNKNOWN,
            reasons=tuple(_iter_reasons(result)),
            next=None if there else _suggest(first, paths),
        ),
        tuple(_iter_items(workspace, paths, also, last.lines)),
        tuple(_iter_items(workspace, approach, ((),), last.lines)),
        tuple(EntryPointItem.of(each) for each in declared),
    )


def _separate_ends(
    code: CodeIndex, first: FlowEnd, last: FlowEnd
) -> tuple[tuple[Definition, ...], tuple[Definition, ...]]:
    """Return the starts and goals of a search, none of which is both.

    A class stands for its methods, so a definition may be among both ends; the search begins at the others. A start
    that has the effect itself needs no path, but one outside the workspace reaches the goal by a call. Of several
    functions of one name, those are meant that do not have the effect themselves, and of these, those with a body.
    """
    both = frozenset(first.definitions).intersection(last.definitions)
    is_done = both.issuperset(first.definitions) or any(is_class(each.kind) for each in first.definitions)
    if is_done and last.kind in _DONE and first.kind not in _DONE:
        both = frozenset()
    starts = tuple(each for each in first.definitions if each not in both)
    if both and last.kind in _DONE:
        starts = tuple(each for each in starts if not _is_of_interface(code, each)) or starts
    goals = last.definitions if starts else tuple(each for each in last.definitions if each not in both)
    return starts if starts or not goals else first.definitions, goals


def _is_of_interface(code: CodeIndex, definition: Definition) -> bool:
    """Return whether a definition is a method of an interface, which others implement."""
    holder = code.get_parent(definition)
    return holder is not None and holder.kind is SymbolKind.INTERFACE


def _summarize(
    first: FlowEnd, last: FlowEnd, paths: Sequence[FlowPath], there: Sequence[Definition], result: PathSearchResult
) -> str:
    """Return the headline: the number of paths, the starts that are goals themselves, or why no path was found."""
    if paths:
        shortest = min(len(path.steps) for path in paths)
        which = "" if len(paths) == 1 else f", the shortest with {plural(shortest, 'step')}"
        # A search ends with the first paths; there may be others, also equally short ones.
        return f"{first.asked} → {last.asked}: {plural(len(paths), 'path')} found{which}"
    if there:
        lines = {each: last.lines.get(each, each.line) for each in there}
        places = ", ".join(f"{describe_definition(each)} ({each.file}:{lines[each]})" for each in there[:_MAX_NEAR])
        return f"{first.asked} is where {last.asked} is reached: {places}"
    failure = _describe_failure(result, is_recognized=not RECOGNIZED.isdisjoint({first.kind, last.kind}))
    subject = f"{failure} from {_describe_end(first)} to {_describe_end(last)}"
    if result.approach is None:
        return subject
    source = result.approach.steps[0].source
    return f"{subject}; {describe_definition(source)} ({_place_of(source)}) leads there"


def _join_ends(paths: Sequence[FlowPath]) -> tuple[tuple[FlowPath, ...], tuple[tuple[Definition, ...], ...]]:
    """Return the paths, merged where they differ only in the target of the last step, each with its other targets.

    A call through an interface leads to each implementation, which is one path. Calls on other lines are separate
    paths.
    """
    joined: dict[tuple[object, ...], list[FlowPath]] = {}
    for path in paths:
        last = path.steps[-1]
        is_within = last.file == last.source.file and last.source.symbol.span.contains(last.line)
        way = (*(each.source for each in path.steps), *(each.target for each in path.steps[:-1]))
        joined.setdefault((*way, last.line if is_within else 0), []).append(path)
    also = (tuple(dict.fromkeys(each.steps[-1].target for each in rest)) for _, *rest in joined.values())
    return tuple(first for first, *_ in joined.values()), tuple(also)


def _describe_failure(result: PathSearchResult, *, is_recognized: bool) -> str:
    """Return why a search found no path; "there is none" only if nothing on the way is unknown.

    For an end recognized by patterns of code, such as the database, there may be more places than were found.
    """
    if result.is_cut and not result.is_exhausted:
        return "the search ended before it found a path"
    is_open = result.is_cut or result.unfollowed or result.unexamined or is_recognized
    return "no proven path" if is_open else "no path found"


def _iter_items(
    workspace: Workspace,
    paths: Sequence[FlowPath],
    also: Sequence[Sequence[Definition]],
    reached: Mapping[Definition, int],
) -> Iterator[PathStepItem]:
    """Yield the steps of the paths; the last target has the line that is reached in it.

    The last steps of a path that are those of an earlier one are not repeated.
    """
    lines = read_lines(workspace.source, {(step.file, step.line) for path in paths for step in path.steps})
    shortest = min((len(path.steps) for path in paths), default=0)
    for number, path in enumerate(paths, 1):
        possible = sum(step.reason is not None for step in path.steps)
        marks = [plural(len(path.steps), "step")]
        marks += ["the shortest"] if len(paths) > 1 and len(path.steps) == shortest else []
        marks += [f"{possible} only possible"] if possible else []
        same, kept = _find_same_end(paths, number - 1)
        for at, step in enumerate(path.steps[:kept], 1):
            is_last = at == len(path.steps)
            others = also[number - 1] if is_last else ()
            yield PathStepItem(
                number,
                at,
                step.file,
                step.line,
                f"{describe_definition(step.source)} ({_place_of(step.source)})",
                step.role.value,
                describe_definition(step.target),
                _place_of(step.target, reached.get(step.target) if is_last else None),
                lines.get((step.file, step.line), ""),
                describe_reason(step.reason),
                f"path {number}: {', '.join(marks)}" if at == 1 else "",
                tuple(f"{describe_definition(d)} ({_place_of(d, reached.get(d))})" for d in others),
                step.more_lines,
                same if at == kept < len(path.steps) else 0,
            )


def _find_same_end(paths: Sequence[FlowPath], at: int) -> tuple[int, int]:
    """Return the number of an earlier path with the same last steps, and how many steps of a path come before them."""
    steps, best = paths[at].steps, (0, len(paths[at].steps))
    for number, earlier in enumerate(paths[:at], 1):
        pairs = zip(reversed(steps), reversed(earlier.steps), strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        kept = len(steps) - shared
        if shared >= _MIN_SHARED and 0 < kept < best[1]:
            best = number, kept
    return best


def _iter_reasons(result: PathSearchResult) -> Iterator[Reason]:
    """Yield why the paths are uncertain or, if there are none, how far the search went."""
    possible = [step for path in result.paths for step in path.steps if step.reason is not None]
    if possible:
        first = f"{possible[0].file}:{possible[0].line}"
        yield Reason(ReasonKind.PATH_POSSIBLE_STEPS, len(possible), subject=first)
    if not result.paths or result.is_cut:
        forward, backward = str(result.forward), str(result.backward)
        yield Reason(ReasonKind.PATHS_SEARCHED, result.bodies, None, forward, backward, result.names)
    if result.is_cut:
        yield Reason(ReasonKind.PATH_SEARCH_CUT)
    if result.unfollowed and not result.paths:
        file, line = result.unfollowed[0]
        yield Reason(ReasonKind.PATH_CALLS_NOT_FOLLOWED, len(result.unfollowed), subject=f"{file}:{line}")
    for name, files in list(result.unexamined.items())[:1]:
        yield Reason(ReasonKind.FILES_NOT_EXAMINED, files, subject=f"only calls of what {name} overrides were followed")


def _suggest(first: FlowEnd, paths: Sequence[FlowPath]) -> NextStep | None:
    if paths:
        return None
    place = f"{first.definitions[0].file}:{first.definitions[0].line}"
    is_name = first.declared or " " not in first.asked
    return suggest(ToolId.TRACE_ENTRY_POINT, "for what runs from there", entry=first.asked if is_name else place)


def describe_unknown(workspace: Workspace, ends: Mapping[str, str], unknown: str) -> FindPathAnswer:
    """Return the answer for an end of the path that does not exist, with the call for the most similar name."""
    asked = ends[unknown]
    near = find_near(workspace.code, asked.strip(), limit=_MAX_NEAR) if " " not in asked.strip() else ()
    items = tuple(NameItem(each.label) for each in near)
    others = {name: value for name, value in ends.items() if name != unknown}
    meant = suggest_meant(ToolId.FIND_PATH, [each.symbol.qualname for each in near], unknown, **others)
    coverage = Coverage(0, 0, next=meant or suggest(ToolId.TRACE_ENTRY_POINT, "for the entry points", entry="list"))
    return FindPathAnswer(f"no symbol, file, entry point or text {asked!r}", coverage, near=items)


def _describe_end(end: FlowEnd) -> str:
    first = end.definitions[0]
    others = f" and {len(end.definitions) - 1} more" if len(end.definitions) > 1 else ""
    if end.kind in DESCRIBED:
        return end.asked
    return f"{end.asked} ({end.kind}, {first.file}:{first.line}{others})"


def describe_definition(definition: Definition) -> str:
    """Return the name of a definition; for code outside functions, "module level" or the lines it has."""
    if definition.kind is not SymbolKind.MODULE:
        return definition.symbol.qualname
    span = definition.symbol.span
    return "module level" if span.start_line == 1 else f"lines {span.start_line}-{span.end_line}"


def _place_of(definition: Definition, line: int | None = None) -> str:
    return f"{definition.file}:{line or definition.line}"
