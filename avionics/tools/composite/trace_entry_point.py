"""trace_entry_point: show where control enters the program, and the calls that follow."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, TypeVar

from msgspec import Struct, structs

from avionics.index.analysis.call_tree import CallTreeBuilder, FlowNode, Role, Truncation, UnknownCall
from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.discovery import find_entry_points
from avionics.index.entrypoints.flow_starts import (
    FlowStart,
    start_at_entries,
    start_at_file,
    start_at_line,
    start_at_object,
    start_at_symbol,
)
from avionics.index.entrypoints.handlers import EntryPoint
from avionics.index.entrypoints.matching import find_routes, is_like, is_named, is_route_below, select_about
from avionics.index.model.file_roles import is_product
from avionics.index.model.values import Module
from avionics.index.scopes.symbol_lookup import is_within
from avionics.model.enums import Certainty, EntryKind, SymbolKind
from avionics.model.errors import UsageError
from avionics.model.knowledge import Definition
from avionics.model.naming import agree, plural
from avionics.model.reasons import Reason, ReasonKind, count_reasons
from avionics.model.results import Attempt, Coverage
from avionics.settings import Settings
from avionics.tools.answers.answer import CHARACTERS_PER_TOKEN, part
from avionics.tools.answers.fallback_chain import FallbackChain, as_found
from avionics.tools.answers.items import NameItem, few
from avionics.tools.answers.next_step import suggest, suggest_meant
from avionics.tools.answers.reasons import describe_reason
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.path_resolver import get_named_path, parse_place
from avionics.tools.resolution.symbol_resolver import find_near
from avionics.tools.schema.parameters import Bounds
from avionics.workspace import Workspace

_DEFAULT_DEPTH = 3
_LISTINGS = frozenset({"", "?", "*", "list", "all", "entry points", "entry_points"})
_COMMANDS = frozenset({EntryKind.SCRIPT, EntryKind.MODULE, EntryKind.COMMAND})
_KINDS = {
    "subcommands": frozenset({EntryKind.COMMAND}), "commands": _COMMANDS, "routes": frozenset({EntryKind.ROUTE}),
    "endpoints": frozenset({EntryKind.ROUTE}), "urls": frozenset({EntryKind.ROUTE}),
    "programs": frozenset({EntryKind.SCRIPT, EntryKind.MODULE, EntryKind.GUARD}),
}  # fmt: skip
"""Words for entry points → their kinds."""
_KINDS_IN_TEXT = _KINDS | {
    "tasks": frozenset({EntryKind.TASK}), "jobs": frozenset({EntryKind.TASK}), "handlers": frozenset({EntryKind.EVENT}),
    "listeners": frozenset({EntryKind.EVENT}), "subscribers": frozenset({EntryKind.EVENT}),
    "consumers": frozenset({EntryKind.EVENT}),
}  # fmt: skip
"""The same with words that alone rather mean a symbol."""
_TRACEABLE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS, SymbolKind.PROPERTY})
_MAX_LISTED = 1_000
_MAX_SUGGESTED = 12
"""The number of entry points listed if nothing was found."""
_FRAME_TOKENS = 500
"""The part of the budget reserved for the headline, the entry points and the coverage."""
_MAX_OUTSIDE = 8
_MAX_UNKNOWN = 6
_MAX_REASONS = 3
_MAX_NEAR = 5


class EntryPointItem(Struct, frozen=True):
    """An entry point: its kind, its location, and the function it runs."""

    kind: str
    name: str
    methods: tuple[str, ...]
    file: str
    line: int
    declared: str
    runs: str
    runs_at: str

    @classmethod
    def of(cls, entry: EntryPoint) -> EntryPointItem:
        """Return the item of an entry point."""
        runs = entry.definition
        place = f"{runs.file}:{runs.line}" if runs else ""
        symbol = "" if runs is None or runs.kind is SymbolKind.MODULE else runs.symbol.qualname
        return cls(
            entry.kind.value, entry.name, entry.methods, entry.file, entry.line, entry.declared[:120], symbol, place
        )

    def to_text(self) -> str:
        methods = f"{','.join(self.methods)} " if self.methods else ""
        place = self.runs_at.removeprefix(self.file) if self.runs_at.startswith(f"{self.file}:") else self.runs_at
        runs = f" → {self.runs} ({place})" if self.runs else ""
        if not self.runs_at:
            runs = " → (not resolved)"
        declared = f"  {self.declared}" if self.declared else ""
        return f"{self.kind} {methods}{self.name}  {self.file}:{self.line}{declared}{runs}"


class UnknownCallItem(Struct, frozen=True):
    """A call whose target is unknown: its line, its text and the reason."""

    line: int
    text: str
    reason: str

    @classmethod
    def of(cls, call: UnknownCall) -> UnknownCallItem:
        """Return the item of a call."""
        return cls(call.line, call.text, describe_reason(call.reason))


class FlowItem(Struct, frozen=True):
    """A definition in a call flow: the lines of the calls to it, and its own calls.

    Attributes:
        depth: 0 for the start of the flow.
        symbol: Its dotted name within the file.
        role: How the caller reaches it.
        calls_at: The lines in the caller's file that do; none for an override.
        outside: What it calls outside the workspace.
        raises: The exceptions it raises.
        truncated_because: Why its own calls are not listed: "see above", "see below", "deeper", "no room", or "".
    """

    file: str
    line: int
    depth: int
    symbol: str
    kind: str
    role: str
    calls_at: tuple[int, ...]
    outside: tuple[str, ...]
    raises: tuple[str, ...]
    unresolved: tuple[UnknownCallItem, ...]
    truncated_because: str

    def to_text(self) -> str:
        indent = "  " * self.depth
        calls = f":{','.join(few(self.calls_at, 4))} " if self.calls_at else ""
        role = "" if self.role == Role.CALLS.value else f"{self.role} "
        arrow = "→ " if self.depth else ""
        truncated = {"": "", "deeper": " …", "no room": " …"}.get(
            self.truncated_because, f" ({self.truncated_because})"
        )
        lines = [f"{indent}{calls}{arrow}{role}{self.file}:{self.line} {self.symbol}{truncated}"]
        if self.outside or self.raises:
            external = [*few(self.outside, _MAX_OUTSIDE), *(f"raises {name}" for name in few(self.raises, 4))]
            lines.append(f"{indent}    external: {', '.join(external)}")
        if self.unresolved:
            unknown = few([f":{call.line} {call.text}" for call in self.unresolved], _MAX_UNKNOWN)
            lines.append(f"{indent}    unresolved: {', '.join(unknown)}")
        return "\n".join(lines)


class TraceEntryPointAnswer(Struct, frozen=True):
    """The calls from an entry point down, or a list of entry points."""

    subject: str
    coverage: Coverage
    attempts: tuple[Attempt, ...]
    flow: tuple[FlowItem, ...] = part("", share=12.0)
    entry_points: tuple[EntryPointItem, ...] = part("entry points", share=0.8)
    others: tuple[NameItem, ...] = part("other definitions with this name, not traced", share=0.3)
    near: tuple[NameItem, ...] = part("similar names", share=0.3)

    def headline(self) -> str:
        return self.subject


@tool(
    ToolId.TRACE_ENTRY_POINT,
    accepts="a symbol, file, file:line, script, command or route; `list` for all entry points",
    returns="the call flow down, as an indented cited tree",
)
def trace_entry_point(
    workspace: Workspace, entry: str, depth: Annotated[int, Bounds(ge=1, le=10)] = _DEFAULT_DEPTH
) -> TraceEntryPointAnswer:
    """Trace what runs when control enters somewhere: script, command, web route, task, file or function.

    Args:
        entry: `serve`, `/login`, `POST /login`, `Class.method`, `src/app.py`, `src/app.py:12`, or `list` to list them.
        depth: How many calls deep.
    """
    asked = entry.strip()
    code, fallbacks = workspace.code, FallbackChain()
    points = find_entry_points(code)
    if asked.lower() in _LISTINGS or asked.lower() in _KINDS:
        return list_entry_points(points, asked)
    if (place := get_named_path(code, asked)) is not None and place not in code.snapshot.entries:
        inside = [each for each in points if each.file.startswith(f"{place}/")]
        return _list_points(inside, f"{plural(len(inside), 'entry point')} in {place}", is_found=True)
    product = [e for e in points if is_product(e.file)]
    named = [e for e in points if is_named(e, asked)]
    alike = [e for e in product if is_like(e, asked)]
    only = alike if len(alike) == 1 else []
    defined = code.find_definitions(asked) if " " not in asked else ()
    symbols = [d for d in defined if d.kind in _TRACEABLE]

    def find_in_tests() -> tuple[FlowStart, ...]:
        if alike:
            return ()
        start = start_at_entries(code, find_routes(points, asked) or named) or start_at_symbol(code, symbols, points)
        return as_found(start)

    starts = (
        fallbacks.try_step("file or line", lambda: as_found(_start_at_path(code, asked, points)))
        or fallbacks.try_step("route", lambda: as_found(start_at_entries(code, find_routes(product, asked))))
        or fallbacks.try_step("declared", lambda: as_found(start_at_entries(code, _keep_product(named))))
        or fallbacks.try_step("symbol", lambda: as_found(start_at_symbol(code, _keep_product(symbols), points)))
        or fallbacks.try_step("functions of an object", lambda: as_found(start_at_object(code, _keep_product(defined))))
        or fallbacks.try_step("part of one declared", lambda: as_found(start_at_entries(code, only)))
        or fallbacks.try_step("in tests and the like", find_in_tests)
    )
    if not starts:
        answer = _suggest(asked, points, alike, find_near(code, asked, limit=4 * _MAX_NEAR))
    else:
        answer = trace_calls(code, starts[0], depth, workspace.settings)
    return structs.replace(answer, attempts=fallbacks.attempts)


def trace_calls(code: CodeIndex, start: FlowStart, depth: int, settings: Settings) -> TraceEntryPointAnswer:
    """Return the call flow from a start, as large as an answer may be."""
    tokens = settings.default_budget_tokens if depth <= _DEFAULT_DEPTH else settings.max_budget_tokens
    room = int((tokens - _FRAME_TOKENS) * CHARACTERS_PER_TOKEN)
    nodes = CallTreeBuilder(code).trace(start.roots, depth, room, start.owner)
    first = start.roots[0]
    name = "module level" if first.kind is SymbolKind.MODULE else first.symbol.qualname
    called = f"{start.declared[0].kind.value} {start.declared[0].name}: " if start.declared else ""
    calls = plural(len(nodes) - len(start.roots), "call")
    return TraceEntryPointAnswer(
        f"{called}{name} ({first.file}:{first.line}): {calls}, depth {depth}",
        _cover(nodes, depth),
        (),
        tuple(_iter_items(nodes)),
        tuple(EntryPointItem.of(each) for each in start.declared[:5]),
        tuple(NameItem(f"{d.file}:{d.line} {d.symbol.qualname}") for d in start.others[:8]),
    )


def list_entry_points(
    points: Sequence[EntryPoint], asked: str, about: str = "", place: str | None = None, below: str = ""
) -> TraceEntryPointAnswer:
    """Return the list of entry points, or of the kind that a text asks for, such as "the routes".

    With `about`, list those whose names or files have all of its words, with `place` those that are declared, or
    run what is defined, in a directory or file, and with `below` the routes whose paths begin with it. Programs may
    register others in ways that are not recognized.
    """
    word = next((word for word in _KINDS_IN_TEXT if word in asked.lower()), "entry points")
    chosen = [each for each in points if each.kind in _KINDS_IN_TEXT.get(word, EntryKind)]
    chosen = list(select_about(chosen, about)) if about else chosen
    chosen = [each for each in chosen if _is_of(each, place) and (not below or is_route_below(each, below))]
    title = plural(len(_keep_product(chosen) or chosen), word.removesuffix("s")) if chosen else f"no {word} found"
    title += f" about '{about}'" if about else ""
    title += f" in {place}" if place else ""
    title += f" below {below}" if below else ""
    answer = _list_points(chosen, title, is_found=True)
    coverage = answer.coverage.with_reasons(Reason(ReasonKind.CUSTOM_REGISTRATION))
    return structs.replace(answer, coverage=structs.replace(coverage, certainty=Certainty.AT_LEAST))


def _is_of(point: EntryPoint, place: str | None) -> bool:
    """Return whether an entry point is declared, or what it runs is defined, in a directory or file."""
    return is_within(point.file, place) or (point.definition is not None and is_within(point.definition.file, place))


def _iter_items(nodes: Sequence[FlowNode]) -> Iterator[FlowItem]:
    """Yield the nodes as items; a repeated node refers to its first occurrence."""
    opened = {node.step.definition: at for at, node in enumerate(nodes) if node.body is not None}
    words = {Truncation.DEPTH: "deeper", Truncation.SIZE: "no room", None: ""}
    for at, node in enumerate(nodes):
        definition, body = node.step.definition, node.body
        elsewhere = "see above" if opened.get(definition, at) < at else "see below"
        yield FlowItem(
            definition.file,
            definition.line,
            node.depth,
            definition.symbol.qualname,
            definition.kind.value,
            node.step.role.value,
            node.step.lines,
            body.outside if body else (),
            body.raises if body else (),
            tuple(map(UnknownCallItem.of, body.unknown)) if body else (),
            words.get(node.truncation, elsewhere),
        )


def _cover(nodes: Sequence[FlowNode], depth: int) -> Coverage:
    """Return how complete a flow is."""
    truncated = Counter(node.truncation for node in nodes)
    unknown = count_reasons(call.reason for node in nodes if node.body for call in node.body.unknown)
    hidden = sum(
        max(0, len(node.body.steps) - _count_children(nodes, at)) for at, node in enumerate(nodes) if node.body
    )
    reasons = (
        Reason(ReasonKind.FLOW_DEPTH_LIMIT, truncated[Truncation.DEPTH], total=depth),
        Reason(ReasonKind.FLOW_SIZE_LIMIT, truncated[Truncation.SIZE]),
        Reason(ReasonKind.CALLS_NOT_LISTED, hidden),
        *unknown[:_MAX_REASONS],
    )
    reasons = tuple(reason for reason in reasons if reason.count)
    pending = [node.step.definition for node in nodes if node.truncation in {Truncation.SIZE, Truncation.DEPTH}]
    unopened = max(pending, key=lambda d: d.symbol.span.end_line - d.symbol.span.start_line, default=None)
    onward = f"{unopened.file}:{unopened.line}" if unopened else ""
    following = suggest(ToolId.TRACE_ENTRY_POINT, "to go on from there", entry=onward) if onward else None
    uncertain = sum(reason.count for reason in unknown)
    return Coverage.of(len(nodes), is_exact=not reasons, reasons=reasons, unresolved=uncertain, next=following)


def _count_children(nodes: Sequence[FlowNode], at: int) -> int:
    """Return how many nodes are directly below one."""
    count = 0
    for node in nodes[at + 1 :]:
        if node.depth <= nodes[at].depth:
            break
        count += node.depth == nodes[at].depth + 1
    return count


def _start_at_path(code: CodeIndex, asked: str, points: Sequence[EntryPoint]) -> FlowStart | None:
    """Return the start for `file`, `file:line` or a dotted module. Raise `UsageError` if the file has no such line."""
    path, line = parse_place(asked) or (asked, 0)
    path = path.removeprefix("./")
    if not code.has_file(path):
        module = code.modules.module_named(path) if "." in path and not code.find_definitions(path) else None
        path = module.file if isinstance(module, Module) else ""
    if not path:
        return None
    if not line:
        return start_at_file(code, path, points)
    lines = code.facts(path).lines
    if line > lines:
        raise UsageError(f"{path} has no line {line}", hint=f"it has {plural(lines, 'line')}")
    return start_at_line(code, path, line, points)


_PlacedT = TypeVar("_PlacedT", EntryPoint, Definition)


def _keep_product(found: Sequence[_PlacedT]) -> list[_PlacedT]:
    return [each for each in found if is_product(each.file)]


def _suggest(
    asked: str, points: Sequence[EntryPoint], alike: Sequence[EntryPoint], near: Sequence[Definition]
) -> TraceEntryPointAnswer:
    """Return the answer for an unknown entry point: similar entry points and names."""
    if alike:
        return _list_points(
            alike, f"{agree(len(alike), 'entry point', 'matches', 'match')} {asked!r}; name one", is_found=True
        )
    names = (
        *difflib.get_close_matches(asked, dict.fromkeys(e.name for e in points), n=3, cutoff=0.6),
        *(d.label for d in near if d.kind in _TRACEABLE),
    )
    answer = _list_points(points, f"no entry point, file or symbol {asked!r}", is_found=False)
    following = suggest_meant(ToolId.TRACE_ENTRY_POINT, [each.partition(" (")[0] for each in names], "entry")
    if following is not None:
        answer = structs.replace(answer, coverage=structs.replace(answer.coverage, next=following))
    return structs.replace(answer, near=tuple(NameItem(name) for name in [*dict.fromkeys(names)][: _MAX_NEAR + 3]))


def _list_points(points: Sequence[EntryPoint], title: str, *, is_found: bool) -> TraceEntryPointAnswer:
    """Return a list of entry points of product code, or of all if it has none."""
    product = _keep_product(points)
    shown = (product or list(points))[: _MAX_LISTED if is_found else _MAX_SUGGESTED]
    left = len(points) - len(shown)
    aside = len(points) - len(product)
    reasons: tuple[Reason, ...] = (Reason(ReasonKind.AUXILIARY_NOT_LISTED, aside),) if product and aside else ()
    if left > aside:
        reasons += (Reason(ReasonKind.ENTRIES_NOT_LISTED, left - aside),)
    count = len(shown) if is_found else 0
    entry = f"{shown[0].file}:{shown[0].line}" if shown else ""
    following = suggest(ToolId.TRACE_ENTRY_POINT, "for what runs there", entry=entry) if entry else None
    return TraceEntryPointAnswer(
        title if shown or title.startswith("no ") else "no entry points found",
        Coverage(len(points) if is_found else 0, count, reasons=reasons, next=following),
        (),
        entry_points=tuple(EntryPointItem.of(each) for each in shown),
    )
