"""find_references: every usage of a definition, as a plain list.

Knows: usages and what the index says of their certainty.
Does not know: how references are resolved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import attrs

from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.scopes.symbol_lookup import is_within
from avionics.model.enums import Certainty
from avionics.model.knowledge import Definition, UnresolvedUse, Usage, UsageReport
from avionics.model.reasons import Reason, ReasonKind, count_reasons
from avionics.model.results import Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import SymbolItem, UnresolvedItem, UsageItem, plural, read_lines
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.subject_resolver import find_locals, find_near, resolve_symbol
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.workspace import Workspace


MAX_QUOTED = 2_000
"""More usages than anyone reads: thousands of files would be opened for them. All are counted."""


@attrs.frozen
class FindReferencesAnswer:
    """The usages, those in product code first."""

    symbol: str
    summary: str
    coverage: Coverage
    usages: tuple[UsageItem, ...] = part("usages", share=4.0)
    definitions: tuple[SymbolItem, ...] = part("defined")
    unresolved: tuple[UnresolvedItem, ...] = part("possible usages")
    other_definitions: tuple[SymbolItem, ...] = part("other definitions of that name")
    near: tuple[SymbolItem, ...] = part("near names")

    def headline(self) -> str:
        """How many usages there are, and how sure that is."""
        return self.summary


@tool(
    ToolId.FIND_REFERENCES,
    accepts="a name, perhaps with the file and line that define it",
    returns="every usage with its line, and the places that may be one",
)
def find_references(
    workspace: Workspace, symbol: str, file: str | None = None, line: Annotated[int, Bounds(ge=1)] | None = None
) -> FindReferencesAnswer:
    """List every usage of a function, class, method or variable.

    Args:
        symbol: A name, a dotted name such as Class.method, or file:name.
        file: A file that defines or uses it, where several definitions share the name.
        line: A line of that file where it is defined or used.
    """
    meant = resolve_symbol(workspace, symbol, file, line)
    if not meant:
        near = find_near(workspace.code, symbol, file)
        return FindReferencesAnswer(
            symbol,
            not_defined(workspace.code, symbol, file, line),
            Coverage(0, 0),
            near=tuple(map(SymbolItem.of, near)),
        )
    report = order_report(workspace.code.usages(meant[0]))
    usages, unresolved = quote_usages(workspace, report)
    others = find_others(meant, report)
    return FindReferencesAnswer(
        meant[0].symbol.qualname,
        summarize(report),
        cover(report, others),
        usages,
        tuple(map(SymbolItem.of, report.definitions)),
        unresolved,
        tuple(map(SymbolItem.of, others)),
    )


def order_report(report: UsageReport, scope: str | None = None) -> UsageReport:
    """Order a report, product code before tests, file by file; with a scope only what is within it."""
    usages = tuple(sorted((each for each in report.usages if is_within(each.file, scope)), key=_order))
    unresolved = tuple(sorted((each for each in report.unresolved if is_within(each.file, scope)), key=_order))
    # The reasons hold for every scope, the unresolved places only where they are.
    is_settled = not unresolved and not report.reasons and report.certainty is Certainty.AT_LEAST
    certainty = Certainty.EXACT if is_settled else report.certainty
    return attrs.evolve(report, usages=usages, unresolved=unresolved, certainty=certainty)


def quote_usages(workspace: Workspace, report: UsageReport) -> tuple[tuple[UsageItem, ...], tuple[UnresolvedItem, ...]]:
    """Return the first usages of a report with their lines, and the possible usages grouped by reason."""
    order = [attrs.evolve(each, count=1) for each in count_reasons(each.reason for each in report.unresolved)]
    grouped = sorted(report.unresolved, key=lambda each: order.index(each.reason))[:MAX_QUOTED]
    usages = report.usages[:MAX_QUOTED]
    uses: tuple[Usage | UnresolvedUse, ...] = (*usages, *grouped)
    text = read_lines(workspace, ((each.file, each.line) for each in uses))
    workspace.code.load_facts({each.file for each in usages})
    return (
        tuple(UsageItem.of(each, text.get((each.file, each.line), "")) for each in usages),
        tuple(UnresolvedItem.of(each, text.get((each.file, each.line), "")) for each in grouped),
    )


def cover(
    report: UsageReport, others: tuple[Definition, ...] = (), tool_id: ToolId = ToolId.FIND_REFERENCES
) -> Coverage:
    """Return the coverage of an ordered report; `others` share the definition's name and were not examined."""
    doubts = count_reasons(each.reason for each in report.unresolved)
    advice = ""
    if others:
        first = others[0]
        advice = (
            f"{tool_id.value}(symbol={first.name!r}, file={first.file!r}, line={first.line}) "
            f"for {first.symbol.qualname}, {'the other' if len(others) == 1 else f'one of {len(others)} others'}"
        )
    count = len(report.usages)
    shown = min(count, MAX_QUOTED)
    more = (Reason(ReasonKind.NOT_QUOTED, count - shown),) if count > shown else ()
    reasons = (*doubts, *report.reasons, *more)
    return Coverage(count, shown, report.certainty, len(report.unresolved), reasons, advice, settled=True)


def find_others(meant: tuple[Definition, ...], report: UsageReport) -> tuple[Definition, ...]:
    """The definitions that a name may mean beside those reported; constructors named like their class are no others."""
    constructors = {(each.file, each.index) for each in report.definitions}
    return tuple(
        each for each in meant if each not in report.definitions and (each.file, each.symbol.parent) not in constructors
    )


def summarize(report: UsageReport, scope: str | None = None) -> str:
    """An ordered report in a line; that there are no usages is said only as surely as it is known."""
    first = report.definitions[0]
    within = f" within {scope}" if scope else ""
    return f"{first.symbol.qualname} ({first.kind.value}, {first.file}:{first.line}): {_count(report, within)}"


def not_defined(code: CodeIndex, symbol: str, file: str | None = None, line: int | None = None) -> str:
    """What is said of a name without a definition; a local one's uses stand where it does."""
    if file is None:
        where = "that was read in time" if code.unread else "in this workspace"
        return f"nothing {where} defines {symbol!r}"
    if file in code.unread:
        return f"{file} was not read in time: it is not known whether it defines or uses {symbol!r}"
    local = next(iter(find_locals(code, file, symbol, line)), None)
    if local is not None:
        lines = ", ".join(map(str, local.lines))
        used = f"used in line{'s' * (len(local.lines) > 1)} {lines}" if lines else "and not used"
        return f"{file}:{local.line} {symbol!r} is local to {local.holder} and no definition of its own, {used}"
    return f"{file}{f':{line}' if line else ''} neither defines nor uses {symbol!r}"


def _count(report: UsageReport, within: str) -> str:
    doubtful = len(report.unresolved)
    if not report.usages:
        if report.certainty is Certainty.EXACT:
            return f"no usages{within}: proven"
        if doubtful:
            return f"0 confirmed, {doubtful} possible{within}"
        return f"no usages found{within}; dynamic or external use cannot be ruled out"
    least = "" if report.certainty is Certainty.EXACT else "at least "
    files = {usage.file for usage in report.usages}
    tests = sum(role_of(usage.file) is FileRole.TEST for usage in report.usages)
    share = f" ({tests} in tests)" if tests else ""
    more = f"; {doubtful} possible" if doubtful else ""
    return f"{least}{plural(len(report.usages), 'usage')} in {plural(len(files), 'file')}{within}{share}{more}"


def _order(use: Usage | UnresolvedUse) -> tuple[int, str, int, int]:
    return (role_of(use.file), use.file, use.line, use.column)
