"""explore_symbol_usage: find who uses a symbol, how, and which classes build on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct, structs

from avionics.index.analysis.joint_usages import join_usages, list_overloads
from avionics.index.analysis.symbol_usage import count_callers, find_subclasses, narrow_usages
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.scopes.symbol_lookup import is_within
from avionics.model.enums import Certainty, ReferenceKind
from avionics.model.errors import UsageError
from avionics.model.knowledge import Definition, Ledger, Usage
from avionics.model.naming import agree, plural
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Attempt, Coverage, NextStep
from avionics.tools.answers.answer import part
from avionics.tools.answers.call_items import ArgumentGroupItem, BrokenCallItem, group_calls, list_broken
from avionics.tools.answers.fallback_chain import FallbackChain
from avionics.tools.answers.items import PlaceItem, SymbolItem, UnresolvedItem, UsageItem, symbol_items
from avionics.tools.answers.next_step import suggest, suggest_meant
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.internal.symbols.find_references import (
    build_outside_references,
    build_references,
    describe_missing,
    head_usages,
)
from avionics.tools.resolution.path_resolver import get_named_path, parse_place, require_code_file, require_scope
from avionics.tools.resolution.symbol_resolver import find_near, rank_by_use, resolve_symbol
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.index.analysis.outside_usages import OutsideUsages
    from avionics.index.code_index import CodeIndex
    from avionics.source.tree import SourceTree
    from avionics.syntax.engine.call_shapes import CallSignature
    from avionics.workspace import Workspace

_MAX_FILES_THROUGH = 200
"""The usages of what a member overrides are listed if at most this many files have its name."""

_MAX_NAME_LENGTH = 200
"""Characters; a longer name is not repeated as advice."""


class CallerItem(Struct, frozen=True):
    """A function that calls the symbol: the line that defines it, and how often it calls."""

    file: str
    line: int
    symbol: str
    calls: int

    def to_text(self) -> str:
        times = f" ({plural(self.calls, 'call')})" if self.calls > 1 else ""
        return f"{self.file}:{self.line} {self.symbol}{times}"


class ExploreSymbolUsageAnswer(Struct, frozen=True):
    """The usages and relations of a symbol; `summary` counts them before any are left out."""

    symbol: str
    summary: str
    coverage: Coverage
    attempts: tuple[Attempt, ...]
    ledger: Ledger | None = None
    usages: tuple[UsageItem, ...] = part("usages", share=5.0)
    broken: tuple[BrokenCallItem, ...] = part("calls that the new parameters break", share=4.0)
    arguments: tuple[ArgumentGroupItem, ...] = part("calls by the parameters they pass", share=1.5)
    definitions: tuple[SymbolItem, ...] = part("definitions", share=1.0)
    callers: tuple[CallerItem, ...] = part("callers", share=2.0)
    overridden: tuple[SymbolItem, ...] = part("overrides", share=0.5)
    through: tuple[UsageItem, ...] = part("usages of what it overrides, which may mean it", share=1.0)
    overrides: tuple[SymbolItem, ...] = part("overridden by", share=1.0)
    subclasses: tuple[SymbolItem, ...] = part("subclasses and implementers", share=1.0)
    importers: tuple[PlaceItem, ...] = part("imported by", share=0.5)
    unresolved: tuple[UnresolvedItem, ...] = part("possible usages", share=1.0)
    other_definitions: tuple[SymbolItem, ...] = part("other definitions with this name, not counted", share=0.5)
    near: tuple[SymbolItem, ...] = part("similar names", share=1.0)

    def headline(self) -> str:
        return head_usages(self.summary, self.ledger)


@tool(
    ToolId.EXPLORE_SYMBOL_USAGE,
    accepts="a function, class, method or variable, perhaps with its file and line",
    returns="definitions, usages, callers, importers, subclasses, overrides and possible usages",
)
def explore_symbol_usage(
    workspace: Workspace,
    symbol: str,
    file: str | None = None,
    line: Annotated[int, Bounds(ge=1)] | None = None,
    scope: str | None = None,
    passing: str | None = None,
    signature: str | None = None,
) -> ExploreSymbolUsageAnswer:
    """Find who uses a symbol: usages, callers, importers, subclasses, overrides.

    Args:
        symbol: A name, a dotted name such as Class.method, file:name or file:line.
        file: A file that defines or uses it, if several definitions share the name.
        line: A line of that file where it is defined or used.
        scope: Only usages in this directory or file.
        passing: Only calls that pass this parameter, or `*`.
        signature: New parameters, `(a, b=1)`: list broken calls.
    """
    from avionics.index.analysis.outside_usages import find_outside_usages

    code = workspace.code
    source = workspace.source
    fallbacks = FallbackChain()
    within = require_scope(code, source, scope)
    place = get_named_path(code, symbol) if file is None else None
    if place is not None:
        return _build_path(code, place)
    path = None if file is None else require_code_file(code, source, file)
    found = fallbacks.try_step("definition of that name", lambda: resolve_symbol(code, symbol, path, line, within))
    if found:
        found = rank_by_use(code, found) if path is None else found
        overloads = list_overloads(code, found[0], found[1:]) if line is None else ()
        answer = explore_definition(code, source, found[0], found[1:], within, overloads)
        if passing or signature:
            answer = narrow_calls(code, answer, found[0], within, passing or "*", signature or "")
        fallbacks.try_step("references that mean it", lambda: answer.usages)
        return structs.replace(answer, attempts=fallbacks.attempts)
    outside = fallbacks.try_step(
        "names of libraries", lambda: find_outside_usages(code, symbol) if path is None else ()
    )
    if outside:
        answer = explore_outside(code, source, outside, within)
    else:
        near = fallbacks.try_step("near names", lambda: find_near(code, symbol, path))
        summary = describe_missing(code, symbol, path, line)
        names = [each.symbol.qualname for each in near]
        meant = suggest_meant(ToolId.EXPLORE_SYMBOL_USAGE, names, "symbol", scope=scope)
        answer = _build_unknown(symbol, summary, near, meant or _suggest_instead(code, symbol))
    return structs.replace(answer, attempts=fallbacks.attempts)


def explore_definition(
    code: CodeIndex,
    source: SourceTree,
    definition: Definition,
    others: tuple[Definition, ...] = (),
    scope: str | None = None,
    overloads: Sequence[Definition] = (),
) -> ExploreSymbolUsageAnswer:
    """Return the usages and relations of a definition; its `overloads` are asked about together with it."""
    everywhere = join_usages(code, (definition, *overloads))
    report = narrow_usages(code, everywhere, scope)
    found = build_references(code, source, report, others, scope, ToolId.EXPLORE_SYMBOL_USAGE, len(overloads))
    first = report.definitions[0]
    above = map(code.graph.classes.overridden, (first, *overloads))
    overridden = tuple(dict.fromkeys(each for each in above if each is not None and not each.file.startswith(STUBS)))
    coverage, outside = found.coverage, len(everywhere.usages) - len(report.usages)
    if outside:
        coverage = coverage.with_reasons(Reason(ReasonKind.OUTSIDE_SCOPE, outside, subject=scope or ""))
    return ExploreSymbolUsageAnswer(
        found.symbol,
        found.summary,
        coverage,
        (),
        found.ledger,
        usages=found.usages,
        definitions=found.definitions,
        callers=_list_callers(code, report.usages[: len(found.usages)]),
        overridden=symbol_items(overridden),
        through=_list_through(code, source, overridden, report.usages, scope),
        overrides=symbol_items(code.graph.classes.overrides(first)),
        subclasses=symbol_items(find_subclasses(code, first, report.usages, scope)),
        importers=_list_importers(found.usages),
        unresolved=found.unresolved,
        other_definitions=found.other_definitions,
    )


def explore_outside(
    code: CodeIndex, source: SourceTree, meanings: Sequence[OutsideUsages], scope: str | None
) -> ExploreSymbolUsageAnswer:
    """Return the usages of names that only libraries define, the most used first, and the classes derived from them."""
    found = build_outside_references(code, source, meanings, scope, ToolId.EXPLORE_SYMBOL_USAGE)
    usages, declared = narrow_usages(code, meanings[0].report, scope).usages, meanings[0].declared
    unsaid = code.graph.interfaces.implementers(declared) if declared is not None else ()
    subclasses = (*code.graph.classes.inheriting(usages), *(each for each in unsaid if is_within(each.file, scope)))
    return ExploreSymbolUsageAnswer(
        found.symbol,
        found.summary,
        found.coverage,
        (),
        found.ledger,
        usages=found.usages,
        callers=_list_callers(code, usages[: len(found.usages)]),
        subclasses=symbol_items(dict.fromkeys(subclasses)),
        importers=_list_importers(found.usages),
        unresolved=found.unresolved,
    )


def _list_through(
    code: CodeIndex, source: SourceTree, overridden: Sequence[Definition], own: Sequence[Usage], scope: str | None
) -> tuple[UsageItem, ...]:
    """Return the usages of the member that one overrides, but for those that are known to mean this one."""
    known = {each.place for each in own}
    found: list[UsageItem] = []
    for above in overridden:
        if len(code.files_with_word(above.name)) <= _MAX_FILES_THROUGH:
            report = narrow_usages(code, code.usages(above), scope)
            usages = [each for each in report.usages if each.place not in known]
            found += build_references(code, source, structs.replace(report, usages=tuple(usages)), ()).usages
    return tuple(found)


def list_override_calls(
    code: CodeIndex, source: SourceTree, definition: Definition, scope: str | None
) -> tuple[UsageItem, ...]:
    """Return the calls of the members that override one; () if too many files have the name."""
    if len(code.files_with_word(definition.name)) > _MAX_FILES_THROUGH:
        return ()
    report = code.usages(definition)
    known = {each.place for each in report.usages}
    calls = {
        each.place: each
        for below in code.graph.classes.overrides(definition)
        for each in narrow_usages(code, code.usages(below), scope).usages
        if each.role is ReferenceKind.CALL
    }
    others = tuple(call for place, call in calls.items() if place not in known)
    return build_references(code, source, structs.replace(report, usages=others), ()).usages


def _list_callers(code: CodeIndex, usages: Sequence[Usage]) -> tuple[CallerItem, ...]:
    callers = count_callers(code, usages)
    return tuple(CallerItem(each.file, each.line, each.symbol.qualname, calls) for each, calls in callers.items())


def _list_importers(usages: Sequence[UsageItem]) -> tuple[PlaceItem, ...]:
    imports = (each for each in usages if each.role == ReferenceKind.IMPORT.value)
    return tuple(PlaceItem(each.file, each.line, each.text) for each in imports)


def narrow_calls(
    code: CodeIndex, answer: ExploreSymbolUsageAnswer, definition: Definition, scope: str, passing: str, signature: str
) -> ExploreSymbolUsageAnswer:
    """Return the answer about calls only: those that pass a parameter, and those that new parameters break.

    Raise `UsageError` if the definition takes no such parameter, or the new parameters cannot be read.
    """
    from avionics.index.verdicts.calls.call_arguments import CallArguments

    reader = CallArguments(code)
    now = _require_readable(reader.read_signature(definition), f"the parameters of {definition.symbol.qualname}")
    changed = None
    if signature:
        written = signature if signature.lstrip().startswith("(") else f"({signature})"
        changed = _require_readable(reader.read_signature(definition, written), "the new parameters")
    names = [each.name for each in now.parameters]
    if passing not in {*names, "*"}:
        raise UsageError(
            f"{definition.name} has no parameter {passing!r}", hint=f"it takes {', '.join(names) or 'none'}"
        )
    every = reader.list_passed(definition, narrow_usages(code, code.usages(definition), scope).usages, changed)
    others = any(each.name == passing and each.gathers == "**" for each in now.parameters)
    calls = [call for call in every if passing in {*call.passed, "*"} or (others and {*call.passed} - {*names, "…"})]
    broken = list_broken(calls, definition.symbol.qualname)
    places = {call.usage.place for call in calls}
    usages = tuple(each for each in answer.usages if (each.file, each.line, each.column) in places)
    counted = plural(len(every), "call")
    if passing != "*":
        verb = "passes" if len(calls) == 1 else "pass"
        counted = f"{len(calls)} of {counted} {verb} {passing}"
    broken_count = f"; the new parameters break {len(broken)}" if signature else ""
    coverage = structs.replace(answer.coverage, found=len(calls), shown=len(usages), settled=True)
    return structs.replace(
        answer,
        summary=f"{answer.summary}; {counted}{broken_count}",
        coverage=coverage,
        usages=() if broken else usages,
        callers=(),
        importers=(),
        broken=broken,
        arguments=group_calls(calls),
    )


def _require_readable(signature: CallSignature | None, what: str) -> CallSignature:
    """Return a signature. Raise `UsageError` if it could not be read."""
    if signature is None:
        raise UsageError(f"{what} cannot be read", hint="ask about a function; write parameters in its language")
    return signature


def _build_unknown(
    symbol: str, summary: str, near: tuple[Definition, ...], next_step: NextStep | None
) -> ExploreSymbolUsageAnswer:
    """Return the answer for a name without a definition."""
    return ExploreSymbolUsageAnswer(
        symbol, summary, Coverage(0, 0, Certainty.UNKNOWN, next=next_step), (), near=symbol_items(near)
    )


def _build_path(code: CodeIndex, path: str) -> ExploreSymbolUsageAnswer:
    """Return the answer for a path, which has importers but no usages."""
    kind = "file" if path in code.snapshot.entries else "directory"
    following = suggest(ToolId.MAP_MODULE, "for its contents and importers", path=path)
    return _build_unknown(path, f"{path} is a {kind}, not a symbol", (), following)


def _suggest_instead(code: CodeIndex, symbol: str) -> NextStep | None:
    """Return an alternative next step: ask about the module of that name, or search for the text."""
    last = symbol.rpartition(".")[2]
    for path in code.files:
        name = code.dotted_name(path)
        if name == symbol or name.endswith(f".{symbol}"):
            return suggest(ToolId.MAP_MODULE, "for the importers of this module", path=path)
    is_name = len(last) < _MAX_NAME_LENGTH and parse_place(symbol) is None
    count = len(code.files_with_word(last)) if is_name else 0
    if not count:
        return None
    mentions = agree(count, "file", "mentions", "mention")
    return suggest(ToolId.LOCATE, f"for the text: {mentions} it", symbol=last)
