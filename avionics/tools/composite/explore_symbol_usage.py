"""explore_symbol_usage: who uses a symbol, how, and who builds on it.

Knows: definitions, usages and the relations between classes.
Does not know: how references are resolved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import attrs

from avionics.index.scopes.name_resolver import is_class
from avionics.index.scopes.symbol_lookup import is_within
from avionics.model.enums import ExpressionKind, ReferenceKind, ScopeKind, SymbolKind
from avionics.model.facts import UNKNOWN
from avionics.model.knowledge import Definition, Usage, UsageReport
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Attempt, Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.fallback_chain import FallbackChain
from avionics.tools.answers.items import PlaceItem, SymbolItem, UnresolvedItem, UsageItem
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.internal.symbols.find_references import (
    MAX_QUOTED,
    cover,
    find_others,
    not_defined,
    order_report,
    quote_usages,
    summarize,
)
from avionics.tools.resolution.subject_resolver import find_near, require_scope, resolve_symbol
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.workspace import Workspace

_CALLERS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY})

_MAX_NAME_LENGTH = 200
"""Characters; a longer one is not repeated as advice."""


@attrs.frozen
class CallerItem:
    """A function that calls the symbol: the line that defines it, and how often it calls."""

    file: str
    line: int
    symbol: str
    calls: int

    def to_text(self) -> str:
        """One line."""
        times = f" ({self.calls} calls)" if self.calls > 1 else ""
        return f"{self.file}:{self.line} {self.symbol}{times}"


@attrs.frozen
class ExploreSymbolUsageAnswer:
    """A symbol's usages and relations; `summary` counts them before any are left out."""

    symbol: str
    summary: str
    coverage: Coverage
    attempts: tuple[Attempt, ...]
    usages: tuple[UsageItem, ...] = part("usages", share=5.0)
    definitions: tuple[SymbolItem, ...] = part("defined", share=1.0)
    callers: tuple[CallerItem, ...] = part("called by", share=2.0)
    overridden: tuple[SymbolItem, ...] = part("overrides", share=0.5)
    overrides: tuple[SymbolItem, ...] = part("overridden by", share=1.0)
    subclasses: tuple[SymbolItem, ...] = part("subclasses and implementers", share=1.0)
    importers: tuple[PlaceItem, ...] = part("imported by", share=0.5)
    unresolved: tuple[UnresolvedItem, ...] = part("possible usages", share=1.0)
    other_definitions: tuple[SymbolItem, ...] = part("other definitions of that name, not counted here", share=0.5)
    near: tuple[SymbolItem, ...] = part("near names", share=1.0)

    def headline(self) -> str:
        """How many usages there are, where, and how sure that is."""
        return self.summary


@tool(
    ToolId.EXPLORE_SYMBOL_USAGE,
    accepts="a function, class, method or variable, perhaps with its file and line",
    returns="definition, usages, callers, importers, subclasses, overrides, and what could not be proven",
)
def explore_symbol_usage(
    workspace: Workspace,
    symbol: str,
    file: str | None = None,
    line: Annotated[int, Bounds(ge=1)] | None = None,
    scope: str | None = None,
) -> ExploreSymbolUsageAnswer:
    """Find who uses a symbol: usages, callers, importers, subclasses, overrides.

    Args:
        symbol: A name, a dotted name such as Class.method, or file:name.
        file: A file that defines or uses it, where several definitions share the name.
        line: A line of that file where it is defined or used.
        scope: Only usages in this directory or file.
    """
    within = require_scope(workspace, scope)
    ladder = FallbackChain()
    meant = ladder.try_step("definition of that name", lambda: resolve_symbol(workspace, symbol, file, line, within))
    if not meant:
        return _unknown(workspace, ladder, symbol, file, line)
    code = workspace.code
    whole = code.usages(meant[0])
    report = order_report(whole, within)
    ladder.try_step("references that mean it", lambda: report.usages)
    usages, unresolved = quote_usages(workspace, report)
    first = report.definitions[0]
    others = find_others(meant, report)
    overridden = code.graph.overridden(first)
    return ExploreSymbolUsageAnswer(
        symbol=first.symbol.qualname,
        summary=summarize(report, within),
        coverage=_cover(report, whole, others, within),
        attempts=ladder.attempts,
        usages=usages,
        definitions=_items(report.definitions),
        callers=_callers(code, report.usages[:MAX_QUOTED]),
        overridden=_items((overridden,) if overridden else ()),
        overrides=_items(code.graph.overrides(first)),
        subclasses=_items(_subclasses(code, first, report.usages, within)),
        importers=tuple(
            PlaceItem(each.file, each.line, each.text) for each in usages if each.role == ReferenceKind.IMPORT.value
        ),
        unresolved=unresolved,
        other_definitions=_items(others),
    )


def _unknown(
    workspace: Workspace, ladder: FallbackChain, symbol: str, file: str | None, line: int | None
) -> ExploreSymbolUsageAnswer:
    """The answer for a name that nothing defines."""
    code = workspace.code
    near = ladder.try_step("near names", lambda: find_near(code, symbol, file))
    return ExploreSymbolUsageAnswer(
        symbol,
        not_defined(code, symbol, file, line),
        Coverage(0, 0, next=_advice(code, symbol)),
        ladder.attempts,
        near=_items(near),
    )


def _advice(code: CodeIndex, symbol: str) -> str:
    """What to ask instead: a module's importers, or the text where the name occurs."""
    last = symbol.rpartition(".")[2]
    for path in code.files:
        name = code.dotted_name(path)
        if name == symbol or name.endswith(f".{symbol}"):
            return f"map_module(path={path!r}) for who imports it: it is a module"
    count = len(code.files_with_word(last)) if len(last) < _MAX_NAME_LENGTH else 0
    return f"locate(symbol={last!r}): {count} files mention it" if count else ""


def _cover(report: UsageReport, whole: UsageReport, others: tuple[Definition, ...], scope: str | None) -> Coverage:
    """How much of the truth this is; what a scope leaves out is said."""
    coverage = cover(report, others, ToolId.EXPLORE_SYMBOL_USAGE)
    outside = len(whole.usages) - len(report.usages)
    return (
        coverage.with_reasons(Reason(ReasonKind.OUTSIDE_SCOPE, outside, subject=scope or "")) if outside else coverage
    )


def _subclasses(code: CodeIndex, of: Definition, usages: Iterable[Usage], within: str | None) -> tuple[Definition, ...]:
    """The classes whose headers name it, then those that say so elsewhere, as an `impl` does, or need not say so."""
    named = (each.enclosing for each in usages if each.role is ReferenceKind.INHERIT and each.enclosing is not None)
    told = (each for each in code.graph.subclasses(of) if is_within(each.file, within)) if is_class(of.kind) else ()
    unsaid = (each for each in code.graph.interfaces.implementers(of) if is_within(each.file, within))
    return tuple(dict.fromkeys((*named, *told, *unsaid)))


def _callers(code: CodeIndex, usages: Iterable[Usage]) -> tuple[CallerItem, ...]:
    """The functions that hold the calls, once each, in the order of the usages."""
    calls = Counter(
        caller for usage in usages if usage.role is ReferenceKind.CALL and (caller := _caller(code, usage)) is not None
    )
    return tuple(CallerItem(each.file, each.line, each.symbol.qualname, count) for each, count in calls.items())


def _caller(code: CodeIndex, usage: Usage) -> Definition | None:
    """The innermost function around the usage; what a function holds as a value is part of that."""
    holder, found, innermost = usage.enclosing, None, None
    while holder is not None:
        is_before = usage.line == holder.line and usage.column < holder.symbol.column
        if not is_before and (holder.kind is SymbolKind.FUNCTION or _is_of_nameless_class(code, holder)):
            innermost = innermost or holder
        if holder.kind in _CALLERS and not is_before:
            found = None if _is_value(code, holder) else found or holder
        parent = holder.symbol.parent
        holder = Definition(holder.file, code.facts(holder.file).symbols[parent], parent) if parent >= 0 else None
    return found or innermost


def _is_value(code: CodeIndex, function: Definition) -> bool:
    """Whether a function is an element, the member of an object without a name, or named for itself alone."""
    if function.symbol.exported or code.resolver.scopes.spec(function.file).textual.has_free_names:
        return False
    variable = code.graph.get_variable(function)
    if variable is None:
        return not function.name.isidentifier()
    scope = code.uses(function.file).scopes[variable.scope]
    if scope.kind is not ScopeKind.CLASS:
        return scope.symbol == function.index
    return scope.symbol < 0 and scope.of == UNKNOWN


_EXPECTATIONS = frozenset({ExpressionKind.EXPECTED, ExpressionKind.MATCHING})


def _is_of_nameless_class(code: CodeIndex, method: Definition) -> bool:
    """Whether a method is of a class without a name, rather than of an object that is written out."""
    variable = code.graph.get_variable(method) if method.kind is SymbolKind.METHOD else None
    uses = code.uses(method.file)
    bases = uses.bases.get(variable.scope) if variable is not None and uses.scopes[variable.scope].symbol < 0 else None
    return bases is not None and all(base.kind not in _EXPECTATIONS for base in bases)


def _items(definitions: Iterable[Definition]) -> tuple[SymbolItem, ...]:
    return tuple(map(SymbolItem.of, definitions))
