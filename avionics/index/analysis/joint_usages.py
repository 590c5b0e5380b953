"""Join the usages of functions that are asked about together: those with one name that their parameters distinguish."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence

from avionics.index.code_index import CodeIndex
from avionics.model.enums import FUNCTIONS, Certainty, Evidence, ReferenceKind
from avionics.model.knowledge import Definition, Ledger, UnresolvedUse, Usage, UsageReport
from avionics.model.reasons import ReasonKind

Place = tuple[str, int, int]
"""A file, line and column."""
_MAX_OVERLOADS = 8
"""With this many overloads only one is asked about, since the usages of each take as long to find as those of any
other function."""


def list_overloads(code: CodeIndex, definition: Definition, others: Iterable[Definition]) -> tuple[Definition, ...]:
    """Return those of some definitions that differ from a function only in their parameters.

    Return () if there are too many, so that the function is asked about alone.
    """
    if definition.kind not in FUNCTIONS or not code.spec(definition.file).overloads:
        return ()
    overloads = tuple(
        each
        for each in dict.fromkeys(others)
        if each != definition
        and (each.file, each.symbol.qualname) == (definition.file, definition.symbol.qualname)
        and each.kind in FUNCTIONS
    )
    return overloads if len(overloads) < _MAX_OVERLOADS else ()


def join_usages(code: CodeIndex, definitions: Sequence[Definition]) -> UsageReport:
    """Return the usages of several overloads as one report.

    A call that may mean several overloads is a usage if all that it may mean are among the definitions.
    """
    reports = [code.usages(each) for each in definitions]
    first, *others = reports
    if not others:
        return first
    usages = {each.place: each for report in reversed(reports) for each in report.usages}
    shared_calls = list_shared_calls(definitions, reports, code.graph.enclosing)
    usages |= {each.place: each for each in shared_calls}
    unresolved = {each.place: each for report in reversed(reports) for each in report.unresolved}
    possible = tuple(each for place, each in sorted(unresolved.items()) if place not in usages)
    reasons = tuple(dict.fromkeys(reason for report in reports for reason in report.reasons))
    is_exact = not (possible or reasons)
    return UsageReport(
        tuple(dict.fromkeys(each for report in reports for each in report.definitions)),
        tuple(usages[place] for place in sorted(usages)),
        possible,
        Certainty.EXACT if is_exact else Certainty.AT_LEAST,
        reasons,
        _join_ledgers(reports, usages.keys(), possible),
    )


def list_shared_calls(
    definitions: Iterable[Definition],
    reports: Iterable[UsageReport],
    around: Callable[[str, int], Definition | None] | None = None,
) -> list[Usage]:
    """Return the calls that may mean several overloads of a member, if all that they may mean are reported.

    `around` returns the definition around a line of a file.
    """
    if any(each.symbol.parent < 0 for each in definitions):
        return []  # A function outside a class may be hidden by a value that has its name.
    unresolved = Counter(each for report in reports for each in report.unresolved)
    return [
        Usage(each.file, each.line, each.column, ReferenceKind.CALL, Evidence.MEMBER, around)
        for each, count in unresolved.items()
        if each.reason.kind is ReasonKind.AMBIGUOUS_OVERLOAD and count == each.reason.total
    ]


def _join_ledgers(
    reports: Sequence[UsageReport], found: Collection[Place], possible: Sequence[UnresolvedUse]
) -> Ledger | None:
    """Return the ledger of joined reports; None if they do not count the same mentions."""
    ledgers = [report.ledger for report in reports if report.ledger is not None]
    counts = {(each.mentions, each.text, each.not_examined) for each in ledgers}
    is_plain = all(each.ledger and each.ledger.possible == len(each.unresolved) for each in reports)
    if len(counts) != 1 or not is_plain:
        return None
    mentions, text, not_examined = counts.pop()
    definitions, nameless = (sum(each.definitions for each in ledgers), sum(each.unwritten for each in ledgers))
    usages = len(found) - nameless
    others = mentions - definitions - usages - len(possible) - text - not_examined
    joined = Ledger(mentions, definitions, usages, len(possible), others, text, not_examined, nameless)
    return joined if joined.adds_up else None
