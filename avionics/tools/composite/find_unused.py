"""find_unused: find definitions that nothing uses, and those for which this is uncertain."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from avionics.cancellation import check_cancelled, get_last_moment, interrupt_at, seconds_left
from avionics.index.analysis.symbol_usage import is_for_tests
from avionics.index.analysis.unused_code import Unused, Use, Verdict
from avionics.index.changes.symbol_diff import RevisionView
from avionics.index.code_index import CodeIndex
from avionics.index.facts.fact_source import keep_files
from avionics.index.model.file_roles import FileRole, is_marked_generated, role_of
from avionics.index.scopes.symbol_lookup import is_within
from avionics.model.enums import BODIES, SymbolKind
from avionics.model.errors import DeadlineExceededError, IndexUnfinishedError
from avionics.model.knowledge import Definition
from avionics.model.naming import plural
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.source.tree import SourceTree
from avionics.syntax.registry import conventions_of
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import SymbolItem
from avionics.tools.answers.reasons import describe_reasons
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.path_resolver import require_scope
from avionics.workspace import Workspace

_AT_ONCE = 100
"""Definitions whose files are read together."""
_MAX_MENTIONING = 10
"""Files of one name that are read ahead; where there are more, the first ones often settle that it is used."""


class UnknownItem(Struct, frozen=True):
    """A definition without a proven use that may be used in a way that cannot be seen, and why."""

    file: str
    line: int
    symbol: str
    kind: str
    because: tuple[str, ...]

    def to_text(self) -> str:
        return f"{self.file}:{self.line} {self.kind} {self.symbol}: {'; '.join(self.because)}"


class FindUnusedAnswer(Struct, frozen=True):
    """Definitions that are unused for certain, that are unused here but public, and that may be used."""

    scope: str
    summary: str
    coverage: Coverage
    unused: tuple[SymbolItem, ...] = part("unused", share=3.0, counts=True)
    public: tuple[SymbolItem, ...] = part("unused here, but public: code outside may use it", share=1.5, counts=True)
    unknown: tuple[UnknownItem, ...] = part("no use found, but one cannot be ruled out", share=1.5)

    def headline(self) -> str:
        return self.summary


@tool(
    ToolId.FIND_UNUSED,
    accepts="an optional directory or file",
    returns="unused definitions, unused public ones, and those that may be used, with the reason",
)
def find_unused(workspace: Workspace, scope: str | None = None) -> FindUnusedAnswer:
    """Find definitions that nothing uses, and those whose use cannot be ruled out, with the reason.

    Args:
        scope: Only definitions in this directory or file; their uses are looked for everywhere.
    """
    try:
        code, source = workspace.code, workspace.source
        return check_unused(code, source, require_scope(code, source, scope))
    except IndexUnfinishedError as error:
        unread = Reason(ReasonKind.FILES_NOT_READ, error.left) if error.left else Reason(ReasonKind.TIME_RAN_OUT)
        coverage = Coverage.of(0, is_exact=False, reasons=(unread,))
        summary = f"no definition checked in time, because {error}"
        return FindUnusedAnswer(scope or "", summary, coverage, (), (), ())


def check_unused(code: CodeIndex, source: SourceTree, scope: str, owner: Definition | None = None) -> FindUnusedAnswer:
    """Return the unused definitions at or below a path, or members of a class, that can be checked in time."""
    from avionics.index.changes.api_compat import is_offered_by_public, is_public

    code = code.with_every_file()
    asked = _find_candidates(code, scope)
    if owner is not None:
        members = frozenset(code.graph.classes.members(owner))
        asked = tuple(each for each in asked if each in members)
    with keep_files():
        verdicts, left = _judge_in_time(code, asked)
    view = RevisionView(code, source)
    unused: list[SymbolItem] = []
    public: list[SymbolItem] = []
    unknown: list[UnknownItem] = []
    for definition in asked:
        verdict = verdicts.get(definition)
        if verdict is None or verdict.use is Use.USED:
            continue
        if verdict.use is Use.UNUSED:
            declared = code.graph.find_declarations(definition)
            # What is defined outside of its class is as visible as the class declares it.
            inside = [each for each in declared if each.symbol.parent >= 0]
            is_offered = any(is_public(view, each) or is_offered_by_public(view, each) for each in inside or declared)
            (public if is_offered else unused).append(SymbolItem.of(definition))
        else:
            symbol = definition.symbol
            because = describe_reasons(verdict.reasons)
            unknown.append(UnknownItem(definition.file, symbol.line, symbol.qualname, symbol.kind.value, because))
    checked = len(verdicts)
    found = len(unused) + len(public)
    reasons = (Reason(ReasonKind.DEFINITIONS_NOT_CHECKED, left),) if left else ()
    is_exact = not (unknown or left)
    counts = (
        f"{len(unused)} unused, {len(public)} unused here but public, {len(unknown)} unknown, "
        f"{checked - found - len(unknown)} used"
    )
    result = f": {counts}" if checked or not left else ", so nothing is known about them"
    return FindUnusedAnswer(
        scope,
        f"{_name_checked(checked, left, scope, owner)}{result}",
        Coverage.of(found, is_exact=is_exact, reasons=reasons, unresolved=len(unknown), settled=True),
        tuple(unused),
        tuple(public),
        tuple(unknown),
    )


def _name_checked(count: int, left: int, scope: str, owner: Definition | None) -> str:
    """Return how many definitions were checked, and of how many if there was no time for all."""
    checked = f"{count:,} of {plural(count + left, 'definition')}" if left else plural(count, "definition")
    of = f" of {owner.symbol.qualname}" if owner is not None else ""
    return f"{checked}{of} checked{' in time' if left else ''}{f' in {scope}' if scope else ''}"


def _judge_in_time(code: CodeIndex, asked: Sequence[Definition]) -> tuple[Mapping[Definition, Verdict], int]:
    """Return the verdicts on the definitions for which there was time, and the number of the others.

    What takes more than twice the time for an answer is interrupted: the first verdict may have to read many files.
    """
    verdicts: dict[Definition, Verdict] = {}
    left = len(asked)
    try:
        with interrupt_at(min(get_last_moment(), time.monotonic() + 2 * seconds_left())):
            for definition, verdict in _iter_verdicts(code, asked):
                left -= 1
                if verdict is not None:
                    verdicts[definition] = verdict
    except DeadlineExceededError:
        check_cancelled()  # A call that was cancelled needs no answer.
    return verdicts, left


def _iter_verdicts(code: CodeIndex, asked: Sequence[Definition]) -> Iterator[tuple[Definition, Verdict | None]]:
    """Yield definitions with their verdicts while there is time; None for one that needs no verdict.

    That is a prototype, and what nothing uses of a file that a tool writes: nobody would remove it there.

    Names with few mentions come first, because they take the least time and include the unused ones.
    """
    judge = Unused(code.source, code.graph, code.resolver, code.unseen)
    every, ordered = frozenset(asked), _sort_by_mentions(code, asked)
    for at, definition in enumerate(ordered):
        if at % _AT_ONCE == 0:
            _load_uses(code, ordered[at : at + _AT_ONCE])
        if not every.isdisjoint(code.graph.find_bodies(definition)):
            yield definition, None  # A prototype is reported together with its body.
            continue
        verdict = judge.judge(definition) if seconds_left() > 0 else None
        # A verdict reached after the deadline may depend on files that were not examined.
        if verdict is None or (verdict.use is not Use.USED and seconds_left() <= 0):
            return
        if verdict.use is Use.UNUSED and is_marked_generated(code.source.read_lines(definition.file)):
            yield definition, None
            continue
        if verdict.use is Use.UNUSED and (loader := judge.get_loader(definition)):
            verdict = Verdict(Use.UNKNOWN, reasons=(loader,))
        yield definition, verdict


def _load_uses(code: CodeIndex, definitions: Sequence[Definition]) -> None:
    """Read the uses of the files that mention some definitions, by several processes at once."""
    files = (file for each in definitions for file in code.files_with_word(each.name)[:_MAX_MENTIONING])
    code.load_uses(dict.fromkeys(files))


def _sort_by_mentions(code: CodeIndex, asked: Sequence[Definition]) -> list[Definition]:
    """Return the definitions by how often the text mentions their names; counting may take half of the time left."""
    least = seconds_left() / 2

    def count(name: str) -> float:
        return sum(code.source.count_word(name).values()) if seconds_left() >= least else math.inf

    # Words that are close to each other in order are stored together.
    counts = {name: count(name) for name in sorted({each.name for each in asked})}
    return sorted(asked, key=lambda each: counts[each.name])


def _find_candidates(code: CodeIndex, scope: str) -> tuple[Definition, ...]:
    """Return the definitions to check: those of product code that are not inside functions.

    Leave out special names, and variables that their statements have to name.
    """
    files = [file for file in code.files if is_within(file, scope) and role_of(file) <= FileRole.AUXILIARY]
    found = []
    for each in code.iter_all_definitions(sorted(files, key=lambda file: (role_of(file), file))):
        holder, symbol = code.get_parent(each), each.symbol
        is_inner = holder is not None and holder.kind in BODIES
        is_special = (each.name.startswith("__") and each.name.endswith("__")) or each.name == "_"
        placeholders = conventions_of(each.file).implicit.placeholders
        is_variable = each.kind is SymbolKind.VARIABLE
        is_needed = is_variable and placeholders.fullmatch(f"{symbol.name} {symbol.signature}") is not None
        if not (is_inner or is_special or is_needed or is_for_tests(code, each)):
            found.append(each)
    return tuple(found)
