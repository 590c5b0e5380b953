"""trace_entry_point: where control comes in, and how it goes down from there.

Knows: the workspace, and how an entry may be named.
Does not know: how calls are resolved.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import attrs

from avionics.index.analysis.call_tree import CallTreeBuilder, FlowNode, Role, Truncation, UnknownCall
from avionics.index.entrypoints.discovery import EntryPoint, build_module_body, find_entry_points
from avionics.index.entrypoints.matching import find_routes, is_like, is_named
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.model.values import Module
from avionics.index.scopes.name_resolver import is_class
from avionics.model.enums import Certainty, EntryKind, SymbolKind
from avionics.model.errors import UsageError
from avionics.model.knowledge import Definition
from avionics.model.naming import fold_name
from avionics.model.reasons import Reason, ReasonKind, count_reasons
from avionics.model.results import Attempt, Coverage
from avionics.tools.answers.answer import CHARACTERS_PER_TOKEN, part
from avionics.tools.answers.fallback_chain import FallbackChain
from avionics.tools.answers.items import NameItem
from avionics.tools.answers.reasons import describe_reason
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.workspace import Workspace

_DEFAULT_DEPTH = 3
_LISTINGS = frozenset({"", "?", "*", "list", "all", "entry points", "entry_points"})
_VIEW_METHODS = ("dispatch", "get", "post", "put", "patch", "delete")
"""The methods a web framework calls on a view that is a class."""
_TRACEABLE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS, SymbolKind.PROPERTY})
_MAX_LISTED = 60
_FRAME_TOKENS = 500
"""What a flow leaves for its headline, its declaration and what is said of its completeness."""
_MAX_OFFERED = 12
"""Where nothing was found the list is only an offer."""
_MAX_OUTSIDE = 8
_MAX_UNKNOWN = 3


@attrs.frozen
class EntryPointItem:
    """An entry point: how control comes in, where that is declared, what runs."""

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
        """The item of an entry point."""
        runs = entry.definition
        place = f"{runs.file}:{runs.line}" if runs else ""
        symbol = "" if runs is None or runs.kind is SymbolKind.MODULE else runs.symbol.qualname
        return cls(
            entry.kind.value, entry.name, entry.methods, entry.file, entry.line, entry.declared[:120], symbol, place
        )

    def to_text(self) -> str:
        """One line."""
        methods = f"{','.join(self.methods)} " if self.methods else ""
        place = self.runs_at.removeprefix(self.file) if self.runs_at.startswith(f"{self.file}:") else self.runs_at
        runs = f" → {self.runs} ({place})" if self.runs else "" if self.runs_at else " → (not resolved)"
        return f"{self.kind} {methods}{self.name}  {self.file}:{self.line}  {self.declared}{runs}"


@attrs.frozen
class UnknownCallItem:
    """A call whose target is unknown: its line, its text and why."""

    line: int
    text: str
    reason: str

    @classmethod
    def of(cls, call: UnknownCall) -> UnknownCallItem:
        """Return the item of a call."""
        return cls(call.line, call.text, describe_reason(call.reason))


@attrs.frozen
class FlowItem:
    """A definition in the flow: the lines of its caller that lead to it, and what its own body does.

    Attributes:
        file: Where it stands.
        line: Where it stands.
        depth: 0 for where the flow begins.
        symbol: Its dotted name within its file.
        kind: What it is.
        role: How its caller leads to it.
        calls_at: The lines, in the caller's file, that do; none for what overrides it.
        outside: What it calls outside the workspace.
        raises: The exceptions it makes.
        unresolved: Its calls that could lead anywhere.
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
        """Its line in the tree, and under it what it does outside."""
        indent = "  " * self.depth
        calls = f":{','.join(map(str, _few(self.calls_at, 4)))} " if self.calls_at else ""
        role = "" if self.role == Role.CALLS.value else f"{self.role} "
        arrow = "→ " if self.depth else ""
        truncated_because = {"": "", "deeper": " …", "no room": " …"}.get(
            self.truncated_because, f" ({self.truncated_because})"
        )
        lines = [f"{indent}{calls}{arrow}{role}{self.file}:{self.line} {self.symbol}{truncated_because}"]
        if self.outside or self.raises:
            said = [*_few(self.outside, _MAX_OUTSIDE), *(f"raises {name}" for name in _few(self.raises, 4))]
            lines.append(f"{indent}    outside: {', '.join(said)}")
        if self.unresolved:
            reasons = dict.fromkeys(call.reason for call in self.unresolved)
            said = [f"{', '.join(_few(self._calls_for(reason), _MAX_UNKNOWN))} ({reason})" for reason in reasons]
            lines.append(f"{indent}    unresolved: {'; '.join(said)}")
        return "\n".join(lines)

    def _calls_for(self, reason: str) -> list[str]:
        """The unresolved calls of one reason."""
        return [f":{call.line} {call.text}" for call in self.unresolved if call.reason == reason]


@attrs.frozen
class TraceEntryPointAnswer:
    """The flow down from an entry, or the entry points there are."""

    subject: str
    coverage: Coverage
    attempts: tuple[Attempt, ...]
    flow: tuple[FlowItem, ...] = part("", share=12.0)
    entry_points: tuple[EntryPointItem, ...] = part("entry points", share=0.8)
    others: tuple[NameItem, ...] = part("also of that name, not traced", share=0.3)
    near: tuple[NameItem, ...] = part("names like it", share=0.3)

    def headline(self) -> str:
        """What was traced or found."""
        return self.subject


@attrs.frozen
class _Start:
    """Where a flow begins: what runs, how it is declared, and what else the name could mean."""

    roots: tuple[Definition, ...]
    declared: tuple[EntryPoint, ...] = ()
    others: tuple[Definition, ...] = ()
    owner: Definition | None = None


@tool(
    ToolId.TRACE_ENTRY_POINT,
    accepts="a symbol, file, file:line, script, command or route; `list` for the entry points there are",
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
    code, ladder = workspace.code, FallbackChain()
    points = find_entry_points(code, workspace.source)
    if asked.lower() in _LISTINGS:
        every = _listing(points, f"{len(points)} entry points", ladder, found=True)
        coverage = every.coverage.with_reasons(Reason(ReasonKind.CUSTOM_REGISTRATION))
        return attrs.evolve(every, coverage=attrs.evolve(coverage, certainty=Certainty.AT_LEAST))
    product = [e for e in points if _is_product(e.file)]
    named = [e for e in points if is_named(e, asked)]
    alike = [e for e in product if is_like(e, asked)]
    symbols = [d for d in code.find_definitions(asked) if d.kind in _TRACEABLE] if " " not in asked else []
    starts = (
        ladder.try_step("file or line", lambda: _starts_in_file(workspace, asked, points))
        or ladder.try_step("route", lambda: _starts_of(code, find_routes(product, asked)))
        or ladder.try_step("declared", lambda: _starts_of(code, [e for e in named if _is_product(e.file)]))
        or ladder.try_step("symbol", lambda: _starts_at(code, [d for d in symbols if _is_product(d.file)], points))
        or ladder.try_step("part of one declared", lambda: _starts_of(code, alike) if len(alike) == 1 else ())
    )
    if not starts and not alike:
        starts = ladder.try_step(
            "in tests and the like",
            lambda: _starts_of(code, find_routes(points, asked) or named) or _starts_at(code, symbols, points),
        )
    if not starts:
        return _not_found(workspace, asked, points, alike, ladder)
    return _traced(workspace, starts[0], depth, ladder)


def _traced(workspace: Workspace, start: _Start, depth: int, ladder: FallbackChain) -> TraceEntryPointAnswer:
    """The flow from a start."""
    settings = workspace.settings
    tokens = settings.default_budget_tokens if depth <= _DEFAULT_DEPTH else settings.max_budget_tokens
    room = int((tokens - _FRAME_TOKENS) * CHARACTERS_PER_TOKEN)
    nodes = CallTreeBuilder(workspace.code).trace(start.roots, depth, room, start.owner)
    first = start.roots[0]
    name = "module level" if first.kind is SymbolKind.MODULE else first.symbol.qualname
    called = f"{start.declared[0].kind.value} {start.declared[0].name}: " if start.declared else ""
    below = len(nodes) - len(start.roots)
    title = f"{called}{name} ({first.file}:{first.line}), {below} places below it to depth {depth}"
    others = tuple(NameItem(f"{d.file}:{d.line} {d.symbol.qualname}") for d in start.others[:8])
    entries = tuple(EntryPointItem.of(each) for each in start.declared[:5])
    return TraceEntryPointAnswer(
        title, _coverage(nodes, depth), ladder.attempts, tuple(_iter_items(nodes)), entries, others
    )


def _iter_items(nodes: Sequence[FlowNode]) -> Iterable[FlowItem]:
    """The nodes as items; one opened elsewhere says where."""
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


def _coverage(nodes: Sequence[FlowNode], depth: int) -> Coverage:
    """Return the coverage of a flow."""
    truncated = Counter(node.truncation for node in nodes)
    deeper, unexpanded = truncated[Truncation.DEPTH], truncated[Truncation.SIZE]
    unknown = count_reasons(call.reason for node in nodes if node.body for call in node.body.unknown)
    hidden = sum(max(0, len(node.body.steps) - _children(nodes, at)) for at, node in enumerate(nodes) if node.body)
    reasons = (
        Reason(ReasonKind.FLOW_DEPTH_LIMIT, deeper, total=depth),
        Reason(ReasonKind.FLOW_SIZE_LIMIT, unexpanded),
        Reason(ReasonKind.CALLS_NOT_LISTED, hidden),
        *unknown[:_MAX_UNKNOWN],
    )
    reasons = tuple(reason for reason in reasons if reason.count)
    pending = [node.step.definition for node in nodes if node.truncation in {Truncation.SIZE, Truncation.DEPTH}]
    unopened = max(pending, key=lambda d: d.symbol.span.end_line - d.symbol.span.start_line, default=None)
    after = f"trace_entry_point(entry='{unopened.file}:{unopened.line}') goes on from there" if unopened else ""
    return Coverage(
        len(nodes),
        len(nodes),
        Certainty.AT_LEAST if reasons else Certainty.EXACT,
        sum(reason.count for reason in unknown),
        reasons,
        after,
    )


def _children(nodes: Sequence[FlowNode], at: int) -> int:
    """How many nodes stand directly under one."""
    count = 0
    for node in nodes[at + 1 :]:
        if node.depth <= nodes[at].depth:
            break
        count += node.depth == nodes[at].depth + 1
    return count


def _starts_in_file(workspace: Workspace, asked: str, points: Sequence[EntryPoint]) -> tuple[_Start, ...]:
    """Where `file`, `file:line` or a dotted module begins.

    Raises:
        UsageError: The line is not in the file.
    """
    code = workspace.code
    place, _, number = asked.rpartition(":")
    path, line = (place, int(number)) if place and number.isdigit() else (asked, 0)
    path = path.removeprefix("./")
    if not code.has_file(path):
        module = code.modules.module_named(path) if "." in path and not code.find_definitions(path) else None
        path = module.file if isinstance(module, Module) else ""
    if not path:
        return ()
    if line:
        lines = code.facts(path).lines
        if not 0 < line <= lines:
            raise UsageError(f"{path} has no line {line}", hint=f"it has {lines} lines")
        around = code.graph.enclosing(path, line)
        there = next((e for e in points if e.file == path and e.line == line and e.definition), None)
        if around is None and there is not None:
            return _starts_of(code, [there])
        return (_Start((around or build_module_body(code, path),)),)
    own = [e for e in points if e.file == path and e.kind in {EntryKind.GUARD, EntryKind.MODULE}]
    return _starts_of(code, own) or (
        _Start((build_module_body(code, path),), tuple(e for e in points if e.file == path)),
    )


def _starts_at(code: CodeIndex, found: Sequence[Definition], points: Sequence[EntryPoint]) -> tuple[_Start, ...]:
    """Where a symbol's definitions begin: the first is traced, the rest are named. A class is made and called."""
    if not found:
        return ()
    first, *others = dict.fromkeys(map(code.graph.body_of, found))
    called = (
        code.find_definitions(f"{first.symbol.qualname}.__call__", scope=first.file) if is_class(first.kind) else ()
    )
    return (_Start((first, *called[:1]), tuple(e for e in points if e.definition == first), tuple(others)),)


def _starts_of(code: CodeIndex, entries: Sequence[EntryPoint]) -> tuple[_Start, ...]:
    """Where declared entry points begin; the first that could be resolved is traced."""
    runnable = [entry for entry in entries if entry.definition is not None]
    if not runnable:
        return ()
    first = runnable[0]
    assert first.definition is not None
    is_view = first.kind is EntryKind.ROUTE and is_class(first.definition.kind)
    roots = _view_methods(code, first.definition) if is_view else ()
    owner = first.definition if is_view else first.owner
    return (_Start(roots or (first.definition,), tuple(entries), (), owner),)


def _view_methods(code: CodeIndex, view: Definition) -> tuple[Definition, ...]:
    """The methods of a class that a web framework calls."""
    found = (code.find_definitions(f"{view.symbol.qualname}.{name}", scope=view.file) for name in _VIEW_METHODS)
    return tuple(definitions[0] for definitions in found if definitions)


def _is_product(path: str) -> bool:
    """Whether a file is no test, generated or vendored code."""
    return role_of(path) <= FileRole.AUXILIARY


def _not_found(
    workspace: Workspace, asked: str, points: Sequence[EntryPoint], alike: Sequence[EntryPoint], ladder: FallbackChain
) -> TraceEntryPointAnswer:
    """What there is instead."""
    names = dict.fromkeys(e.name for e in points)
    near = (
        *difflib.get_close_matches(asked, names, n=3, cutoff=0.6),
        *(f"{d.symbol.qualname} ({d.file}:{d.line})" for d in _find_near(workspace.code, asked)),
    )
    if alike:
        return _listing(alike, f"{len(alike)} entry points match {asked!r}; name one", ladder, found=True)
    title = f"no entry point, file or symbol {asked!r}; the first entry points there are"
    answer = _listing(points, title, ladder, found=False)
    return attrs.evolve(answer, near=tuple(NameItem(name) for name in dict.fromkeys(near)))


def _find_near(code: CodeIndex, asked: str) -> tuple[Definition, ...]:
    """Functions and classes whose names look like it or hold it."""
    folded = fold_name(asked)
    holding = sorted((name for name in code.words.all_names() if folded and folded in name), key=len)[:5]
    found = (*code.names.find_similar(asked, 5), *(d for name in holding for d in code.names.find_folded(name)))
    return tuple(d for d in dict.fromkeys(found) if d.kind in _TRACEABLE)[:5]


def _listing(points: Sequence[EntryPoint], title: str, ladder: FallbackChain, *, found: bool) -> TraceEntryPointAnswer:
    """The entry points of product code, or all when there are none in it."""
    product = [e for e in points if role_of(e.file) <= FileRole.AUXILIARY]
    shown = (product or list(points))[: _MAX_LISTED if found else _MAX_OFFERED]
    left = len(points) - len(shown)
    aside = len(points) - len(product)
    reasons: tuple[Reason, ...] = (Reason(ReasonKind.AUXILIARY_NOT_LISTED, aside),) if product and aside else ()
    if left > aside:
        reasons += (Reason(ReasonKind.ENTRIES_NOT_LISTED, left - aside),)
    count = len(shown) if found else 0
    following = f"trace_entry_point(entry='{shown[0].file}:{shown[0].line}') for what runs there" if shown else ""
    return TraceEntryPointAnswer(
        title if shown else "no entry points found",
        Coverage(len(points) if found else 0, count, reasons=reasons, next=following),
        ladder.attempts,
        entry_points=tuple(EntryPointItem.of(each) for each in shown),
    )


def _few(values: Sequence[object], most: int) -> list[str]:
    """The first of some values, and how many more there are."""
    shown = [str(value) for value in values[:most]]
    return [*shown, f"+{len(values) - most} more"] if len(values) > most else shown
