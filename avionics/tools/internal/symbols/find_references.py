"""find_references: list every usage of a definition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct, structs

from avionics.index.analysis.joint_usages import join_usages, list_overloads
from avionics.index.analysis.symbol_usage import find_others, is_in_tests, narrow_usages
from avionics.index.model.file_roles import FileRole, role_of
from avionics.model.enums import Certainty
from avionics.model.knowledge import Definition, Ledger, UnresolvedUse, Usage, UsageReport
from avionics.model.naming import plural
from avionics.model.reasons import Reason, ReasonKind, count_reasons
from avionics.model.results import Coverage, NextStep
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import SymbolItem, UnresolvedItem, UsageItem, kind_word, read_lines, symbol_items
from avionics.tools.answers.next_step import suggest, suggest_meant
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.path_resolver import find_paths, parse_place, require_code_file
from avionics.tools.resolution.symbol_resolver import find_locals, find_near, resolve_symbol
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.index.analysis.outside_usages import OutsideUsages
    from avionics.index.code_index import CodeIndex
    from avionics.source.tree import SourceTree
    from avionics.workspace import Workspace


MAX_QUOTED = 2_000
"""Usages whose lines are read, from thousands of files at worst. All are counted."""

_MAX_NAMED = 3
_MAX_MEANINGS = 4
"""Other meanings of a name outside the workspace that a headline lists."""


class FindReferencesAnswer(Struct, frozen=True):
    """The usages of a definition, those in product code first."""

    symbol: str
    summary: str
    coverage: Coverage
    ledger: Ledger | None = None
    usages: tuple[UsageItem, ...] = part("usages", share=4.0)
    definitions: tuple[SymbolItem, ...] = part("definitions")
    unresolved: tuple[UnresolvedItem, ...] = part("possible usages")
    other_definitions: tuple[SymbolItem, ...] = part("other definitions with this name, not counted")
    near: tuple[SymbolItem, ...] = part("similar names")

    def headline(self) -> str:
        return head_usages(self.summary, self.ledger)


@tool(
    ToolId.FIND_REFERENCES,
    accepts="a name, perhaps with the file and line that define it",
    returns="every usage with its line, and possible usages",
)
def find_references(
    workspace: Workspace, symbol: str, file: str | None = None, line: Annotated[int, Bounds(ge=1)] | None = None
) -> FindReferencesAnswer:
    """List every usage of a function, class, method or variable.

    Args:
        symbol: A name, a dotted name such as Class.method, file:name or file:line.
        file: A file that defines or uses it, if several definitions share the name.
        line: A line of that file where it is defined or used.
    """
    from avionics.index.analysis.outside_usages import find_outside_usages

    code, source = workspace.code, workspace.source
    path = None if file is None else require_code_file(code, source, file)
    found = resolve_symbol(code, symbol, path, line)
    outside = find_outside_usages(code, symbol) if not found and path is None else ()
    if outside:
        return build_outside_references(code, source, outside)
    if not found:
        near = find_near(code, symbol, path)
        meant = suggest_meant(ToolId.FIND_REFERENCES, [each.symbol.qualname for each in near], "symbol")
        nothing = Coverage(0, 0, Certainty.UNKNOWN, next=meant)
        missing = describe_missing(code, symbol, path, line)
        return FindReferencesAnswer(symbol, missing, nothing, near=symbol_items(near))
    overloads = list_overloads(code, found[0], found[1:]) if line is None else ()
    report = join_usages(code, (found[0], *overloads))
    return build_references(code, source, narrow_usages(code, report), found[1:], overloads=len(overloads))


def build_references(
    code: CodeIndex,
    source: SourceTree,
    report: UsageReport,
    others: tuple[Definition, ...],
    scope: str | None = None,
    tool_id: ToolId = ToolId.FIND_REFERENCES,
    overloads: int = 0,
) -> FindReferencesAnswer:
    """Return the usages of a definition in a scope; `tool_id` can be asked about the others of its name.

    `overloads` is the number of others whose usages are among them.
    """
    uncovered = find_others(others, report)
    first = report.definitions[0]
    following = None
    if uncovered:
        other = uncovered[0]
        which = "the other definition" if len(uncovered) == 1 else f"one of {len(uncovered)} other definitions"
        purpose = f"for {other.symbol.qualname}, {which}"
        following = suggest(tool_id, purpose, symbol=other.name, file=other.file, line=other.line)
    answer = _answer_report(code, source, report, following)
    name, kind = first.symbol.qualname, kind_word(first.symbol)
    kind += f" with {plural(overloads + 1, 'overload')}" if overloads else ""
    return structs.replace(
        answer,
        symbol=name,
        summary=f"{name} ({kind}, {first.file}:{first.line}): {_count(code, report, scope)}",
        definitions=symbol_items(report.definitions),
        other_definitions=symbol_items(uncovered),
    )


def build_outside_references(
    code: CodeIndex,
    source: SourceTree,
    found: Sequence[OutsideUsages],
    scope: str | None = None,
    tool_id: ToolId = ToolId.FIND_REFERENCES,
) -> FindReferencesAnswer:
    """Return the answer for a name that only libraries define: the usages within a scope of its most used meaning.

    `found` has all meanings, the most used first; `tool_id` can be asked about the others.
    """
    first, *others = found
    report = narrow_usages(code, first.report, scope)
    following = suggest(tool_id, f"for {others[0].name}", symbol=others[0].name) if others else None
    also = f"; not counted: {', '.join(each.name for each in others[:_MAX_MEANINGS])}" if others else ""
    return structs.replace(
        _answer_report(code, source, report, following),
        symbol=first.name,
        summary=f"{first.name} (outside the workspace): {_count(code, report, scope)}{also}",
    )


def _answer_report(
    code: CodeIndex, source: SourceTree, report: UsageReport, following: NextStep | None
) -> FindReferencesAnswer:
    """Return the answer for a usage report, without the definition's own entries."""
    usages, unresolved = _quote(code, source, report)
    coverage = _cover(report, following)
    return FindReferencesAnswer("", "", coverage, report.ledger, usages, unresolved=unresolved)


def head_usages(summary: str, ledger: Ledger | None) -> str:
    """Return the head of an answer about usages: the summary, and the ledger in a line of its own."""
    return summary if ledger is None else f"{summary}\n{describe_ledger(ledger)}"


def describe_ledger(ledger: Ledger) -> str:
    """Return a ledger as a sum: `ledger: 4 mentions = 1 definition + 3 usages`."""
    written = ledger.usages
    classes = (
        (ledger.definitions, plural(ledger.definitions, "definition")),
        (written, plural(written, "usage")),
        (ledger.possible, f"{ledger.possible:,} possible"),
        (ledger.others, f"{ledger.others:,} of other names"),
        (ledger.text, f"{ledger.text:,} in comments, strings, documents"),
        (ledger.not_examined, f"{ledger.not_examined:,} not examined"),
    )
    known = " + ".join(text for count, text in classes if count)
    more = f"; {plural(ledger.unwritten, 'usage')} without the name" if ledger.unwritten else ""
    return f"ledger: {plural(ledger.mentions, 'mention')} = {known or 0}{more}"


def describe_missing(code: CodeIndex, symbol: str, file: str | None, line: int | None) -> str:
    """Return a message that a name has no definition; for a local name, with its usages."""
    place = parse_place(symbol)
    if file is None and place is not None:
        return _describe_missing_place(code, *place)
    if file is None:
        where = " in the files read in time" if code.unread else ""
        return f"no symbol named {symbol!r}{where}"
    if file in code.unread:
        return f"{file} was not read in time; it may define or use {symbol!r}"
    local = next(iter(find_locals(code, file, symbol, line)), None)
    if local is not None:
        lines = ", ".join(map(str, local.lines))
        used = f"used in line{'s' * (len(local.lines) > 1)} {lines}" if lines else "not used"
        return f"{file}:{local.line} {symbol!r} is local to {local.function}, {used}"
    return f"{file}{f':{line}' if line else ''} neither defines nor uses {symbol!r}"


def _describe_missing_place(code: CodeIndex, path: str, line: int) -> str:
    """Return a message that no definition is at a line of a file."""
    files = [each for each in find_paths(code.files, path) if f"/{each}".endswith(f"/{path.removeprefix('./')}")]
    if len(files) != 1:
        several = f"{path} may be {' or '.join(files[:_MAX_NAMED])}" if files else f"there is no file {path!r}"
        return f"{several}; no symbol is meant"
    lines = code.facts(files[0]).lines
    where = f"has {plural(lines, 'line')}" if line > lines else f"has no function or class around line {line}"
    return f"{files[0]} {where}"


def _quote(
    code: CodeIndex, source: SourceTree, report: UsageReport
) -> tuple[tuple[UsageItem, ...], tuple[UnresolvedItem, ...]]:
    """Return the first usages and possible usages with their lines, the possible ones grouped by reason.

    Reasons that only tests have come last, and behind them the mentions in code that is not parsed.
    """
    counted = [structs.replace(each, count=1) for each in count_reasons(each.reason for each in report.unresolved)]
    in_product = {each.reason for each in report.unresolved if role_of(each.file) < FileRole.TEST}
    ranked = sorted(counted, key=lambda each: (each.kind is ReasonKind.UNREAD_LANGUAGE, each not in in_product))
    order = {each: at for at, each in enumerate(ranked)}
    grouped = sorted(report.unresolved, key=lambda each: order[each.reason])[:MAX_QUOTED]
    usages = report.usages[:MAX_QUOTED]
    uses: tuple[Usage | UnresolvedUse, ...] = (*usages, *grouped)
    text = read_lines(source, ((each.file, each.line) for each in uses))
    code.load_facts({each.file for each in usages})
    return (
        tuple(UsageItem.of(each, text.get((each.file, each.line), "")) for each in usages),
        tuple(UnresolvedItem.of(each, text.get((each.file, each.line), "")) for each in grouped),
    )


def _cover(report: UsageReport, following: NextStep | None) -> Coverage:
    """Return how complete a report is."""
    doubts = count_reasons(each.reason for each in report.unresolved)
    count = len(report.usages)
    shown = min(count, MAX_QUOTED)
    more = (Reason(ReasonKind.NOT_QUOTED, count - shown),) if count > shown else ()
    reasons = (*doubts, *report.reasons, *more)
    return Coverage(count, shown, report.certainty, len(report.unresolved), reasons, following, settled=True)


def _count(code: CodeIndex, report: UsageReport, scope: str | None) -> str:
    """Return the number of usages and possible usages; "no usages" only if every mention was checked."""
    within = f" within {scope}" if scope else ""
    possible = f", {len(report.unresolved):,} possible" if report.unresolved else ""
    if not report.usages:
        if possible:
            return f"0 confirmed{possible}{within}"
        if report.certainty is Certainty.EXACT:
            return f"no usages{within}; every mention was checked"
        if any(each.kind is ReasonKind.FILES_NOT_EXAMINED for each in report.reasons):
            return f"not known{within}: files that mention it were not examined in time"
        return f"no usages found{within}; dynamic or external use cannot be ruled out"
    files = {usage.file for usage in report.usages}
    tests = sum(is_in_tests(code, usage) for usage in report.usages)
    share = f" ({tests:,} in tests)" if tests else ""
    least = "at least " if report.certainty is not Certainty.EXACT and not possible else ""
    count = plural(len(report.usages), "confirmed usage" if possible else "usage")
    return f"{least}{count} in {plural(len(files), 'file')}{within}{share}{possible}"
