"""explore_symbol_usage: find who uses a symbol, how, and which classes build on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import attrs

from avionics.index.analysis.symbol_usage import count_callers, find_subclasses, narrow_usages
from avionics.model.enums import ReferenceKind
from avionics.model.knowledge import Definition, Ledger
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Attempt, Coverage, NextStep
from avionics.tools.answers.answer import part
from avionics.tools.answers.fallback_chain import FallbackChain
from avionics.tools.answers.items import PlaceItem, SymbolItem, UnresolvedItem, UsageItem, plural, symbol_items
from avionics.tools.answers.next_step import suggest
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.internal.symbols.find_references import build_references, describe_missing, head_usages
from avionics.tools.resolution.path_resolver import require_code_file, require_scope
from avionics.tools.resolution.symbol_resolver import find_near, resolve_symbol
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.source.tree import SourceTree
    from avionics.workspace import Workspace

_MAX_NAME_LENGTH = 200
"""Characters; a longer name is not repeated as advice."""


@attrs.frozen
class CallerItem:
    """A function that calls the symbol: the line that defines it, and how often it calls."""

    file: str
    line: int
    symbol: str
    calls: int

    def to_text(self) -> str:
        """Return one line."""
        times = f" ({plural(self.calls, 'call')})" if self.calls > 1 else ""
        return f"{self.file}:{self.line} {self.symbol}{times}"


@attrs.frozen
class ExploreSymbolUsageAnswer:
    """The usages and relations of a symbol; `summary` counts them before any are left out."""

    symbol: str
    summary: str
    coverage: Coverage
    attempts: tuple[Attempt, ...]
    ledger: Ledger | None = None
    usages: tuple[UsageItem, ...] = part("usages", share=5.0)
    definitions: tuple[SymbolItem, ...] = part("definitions", share=1.0)
    callers: tuple[CallerItem, ...] = part("callers", share=2.0)
    overridden: tuple[SymbolItem, ...] = part("overrides", share=0.5)
    overrides: tuple[SymbolItem, ...] = part("overridden by", share=1.0)
    subclasses: tuple[SymbolItem, ...] = part("subclasses and implementers", share=1.0)
    importers: tuple[PlaceItem, ...] = part("imported by", share=0.5)
    unresolved: tuple[UnresolvedItem, ...] = part("possible usages", share=1.0)
    other_definitions: tuple[SymbolItem, ...] = part("other definitions with this name, not counted", share=0.5)
    near: tuple[SymbolItem, ...] = part("similar names", share=1.0)

    def headline(self) -> str:
        """Say how many usages there are, where, how certain that is, and what every mention of the name is."""
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
) -> ExploreSymbolUsageAnswer:
    """Find who uses a symbol: usages, callers, importers, subclasses, overrides.

    Args:
        symbol: A name, a dotted name such as Class.method, or file:name.
        file: A file that defines or uses it, where several definitions share the name.
        line: A line of that file where it is defined or used.
        scope: Only usages in this directory or file.
    """
    code = workspace.code
    source = workspace.source
    ladder = FallbackChain()
    within = require_scope(code, source, scope)
    path = None if file is None else require_code_file(code, source, file)
    found = ladder.try_step("definition of that name", lambda: resolve_symbol(code, symbol, path, line, within))
    if found:
        answer = explore_definition(code, source, found[0], found[1:], within)
        ladder.try_step("references that mean it", lambda: answer.usages)
    else:
        near = ladder.try_step("near names", lambda: find_near(code, symbol, path))
        summary = describe_missing(code, symbol, path, line)
        answer = _build_unknown(symbol, summary, near, _suggest_instead(code, symbol))
    return attrs.evolve(answer, attempts=ladder.attempts)


def explore_definition(
    code: CodeIndex,
    source: SourceTree,
    definition: Definition,
    others: tuple[Definition, ...] = (),
    scope: str | None = None,
) -> ExploreSymbolUsageAnswer:
    """Return the usages and relations of a definition.

    Args:
        code: The index.
        source: The files that the usages are quoted from.
        definition: The definition.
        others: Other definitions with the same name.
        scope: Only usages and subclasses at or below this path.
    """
    everywhere = code.usages(definition)
    report = narrow_usages(everywhere, scope)
    found = build_references(code, source, report, others, scope, ToolId.EXPLORE_SYMBOL_USAGE)
    callers = count_callers(code, report.usages[: len(found.usages)])
    first = report.definitions[0]
    overridden = code.graph.overridden(first)
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
        callers=tuple(CallerItem(each.file, each.line, each.symbol.qualname, calls) for each, calls in callers.items()),
        overridden=symbol_items((overridden,) if overridden else ()),
        overrides=symbol_items(code.graph.overrides(first)),
        subclasses=symbol_items(find_subclasses(code, first, report.usages, scope)),
        importers=tuple(
            PlaceItem(each.file, each.line, each.text)
            for each in found.usages
            if each.role == ReferenceKind.IMPORT.value
        ),
        unresolved=found.unresolved,
        other_definitions=found.other_definitions,
    )


def _build_unknown(
    symbol: str, summary: str, near: tuple[Definition, ...], next_step: NextStep | None
) -> ExploreSymbolUsageAnswer:
    """Return the answer for a name that nothing defines."""
    return ExploreSymbolUsageAnswer(symbol, summary, Coverage(0, 0, next=next_step), (), near=symbol_items(near))


def _suggest_instead(code: CodeIndex, symbol: str) -> NextStep | None:
    """Return what to ask instead: about the module of that name, or for the text of the name."""
    last = symbol.rpartition(".")[2]
    for path in code.files:
        name = code.dotted_name(path)
        if name == symbol or name.endswith(f".{symbol}"):
            return suggest(ToolId.MAP_MODULE, "for the importers of this module", path=path)
    count = len(code.files_with_word(last)) if len(last) < _MAX_NAME_LENGTH else 0
    if not count:
        return None
    mentions = f"{plural(count, 'file')} mention{'s' * (count == 1)} it"
    return suggest(ToolId.LOCATE, f"for the text: {mentions}", symbol=last)
