"""impact_of_change: find what depends on a change, made or planned, the entry points that reach it, and its owners."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, ClassVar

from msgspec import Struct

from avionics.index.analysis.affected_tests import is_of_tests
from avionics.index.analysis.impact import Dependent, Impact, assume_changes, trace_impact
from avionics.index.analysis.symbol_usage import is_for_tests
from avionics.index.changes.symbol_diff import ChangeKind, SymbolChange, find_changes
from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.discovery import find_entry_points
from avionics.index.model.file_roles import FileRole, role_of
from avionics.model.enums import Certainty, SymbolKind
from avionics.model.errors import HistoryError, UsageError
from avionics.model.knowledge import Definition
from avionics.model.naming import did_you_mean, plural
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage, NextStep
from avionics.syntax.registry import conventions_of
from avionics.tools.answers.answer import part
from avionics.tools.answers.change_items import ChangeItem, RevisionAnswer
from avionics.tools.answers.next_step import suggest
from avionics.tools.answers.reasons import describe_reason
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.path_resolver import require_code_file
from avionics.tools.resolution.revision_pair import RevisionPair, open_revision_pair
from avionics.tools.resolution.symbol_resolver import find_near, rank_by_use, resolve_symbol
from avionics.tools.schema.parameters import Bounds
from avionics.workspace import Workspace

_MAX_UNTESTED = 40
"""The maximum number of changed functions that are checked for tests that use them."""
_MAX_DEFINITIONS = 300
"""The maximum number of definitions followed, each in about 10 ms; a larger impact would be nearly everything."""

_AUTHOR_COMMITS = 100
"""Commits of a file that are read to find its main author."""

_MAX_OWNED_FILES = 20
"""Files without declared owners whose authors are looked up; each takes one git command."""


class ImpactedItem(Struct, frozen=True):
    """A direct or indirect dependent of the change: a function, class or file."""

    file: str
    line: int
    symbol: str
    on: str
    distance: int
    reason: str
    on_file: str = ""

    OMITTED: ClassVar[frozenset[str]] = frozenset({"on_file"})

    @classmethod
    def of(cls, found: Dependent) -> ImpactedItem:
        """Return the item of a dependent."""
        symbol, on = describe(found.definition), describe(found.on)
        on = f"{on} of {found.on.file}" if on == symbol else on
        reason = describe_reason(found.reason)
        return cls(found.file, found.line, symbol, on, found.distance, reason, found.on.file)

    def to_text(self) -> str:
        steps = f", {plural(self.distance, 'step')} from the change" if self.distance > 1 else ""
        why = f" ({self.reason})" if self.reason else ""
        return f"{self.file}:{self.line} {self.symbol} uses {self.on}{steps}{why}"


class ReachedEntryItem(Struct, frozen=True):
    """An entry point that reaches the change."""

    file: str
    line: int
    kind: str
    name: str
    distance: int
    is_proven: bool

    def to_text(self) -> str:
        sure = "" if self.is_proven else ", possibly"
        return f"{self.file}:{self.line} {self.kind} {self.name}, {plural(self.distance, 'step')} away{sure}"


class OwnerItem(Struct, frozen=True):
    """The owner of changed files: declared, or the author of most of their latest commits."""

    owner: str
    files: tuple[str, ...]
    source: str

    def to_text(self) -> str:
        more = f" and {len(self.files) - 2} more" if len(self.files) > 2 else ""
        return f"{self.owner}: {', '.join(self.files[:2])}{more} ({self.source})"


class ImpactOfChangeAnswer(RevisionAnswer, frozen=True):
    """The changes and their dependents, nearest first."""

    changes: tuple[ChangeItem, ...] = part("changed", share=2.0)
    proven: tuple[ImpactedItem, ...] = part("dependents", share=3.0, counts=True)
    possible: tuple[ImpactedItem, ...] = part("possible dependents", share=1.5)
    entry_points: tuple[ReachedEntryItem, ...] = part("entry points reached", share=1.0)
    owners: tuple[OwnerItem, ...] = part("owners of the changed files", share=0.5)
    tests: tuple[ImpactedItem, ...] = part("tests that depend on it", share=0.5)
    untested: tuple[ChangeItem, ...] = part("changed functions that no test is known to use", share=0.5)


@tool(
    ToolId.IMPACT_OF_CHANGE,
    accepts="one or two revisions, by default the uncommitted changes, or a symbol or file that may change",
    returns="changed symbols, proven and possible dependents, entry points reached, owners",
)
def impact_of_change(
    workspace: Workspace,
    base: str | None = None,
    head: str | None = None,
    depth: Annotated[int, Bounds(ge=1, le=10)] = 3,
    symbol: str | None = None,
) -> ImpactOfChangeAnswer:
    """Find what a change affects: dependents, proven and possible, entry points, owners.

    Args:
        base: The revision before; default: HEAD.
        head: The revision after; default: the files on disk.
        depth: How many uses away to search.
        symbol: Or a symbol or file that you plan to change.
    """
    if symbol is None:
        pair = open_revision_pair(workspace, base, head)
        tests = suggest(ToolId.TESTS_FOR_CHANGE, "for the tests to run", base=base, head=head)
        return _trace(pair, find_changes(pair.before, pair.after, pair.files), depth, tests)
    if base or head:
        raise UsageError("a symbol and revisions cannot be combined", hint="ask about one of them")
    return predict_impact(workspace, *resolve_planned(workspace, symbol), depth)


def resolve_planned(workspace: Workspace, text: str) -> tuple[Definition | None, str]:
    """Return a definition, or None and the path of a file. Raise `UsageError` if a name is neither."""
    code = workspace.code
    named = resolve_symbol(code, text)
    if named:
        return rank_by_use(code, named)[0], ""
    if "/" in text or code.has_file(text):
        return None, require_code_file(code, workspace.source, text)
    near = dict.fromkeys(each.symbol.qualname for each in find_near(code, text))
    raise UsageError(f"no symbol or file named {text[:200]!r}", hint=did_you_mean(near))


def predict_impact(
    workspace: Workspace, definition: Definition | None, file: str = "", depth: int = 3
) -> ImpactOfChangeAnswer:
    """Return what a change of a symbol with its members, or of a whole file, would affect before anything is edited."""
    file = definition.file if definition is not None else file
    what = f"{definition.symbol.qualname} ({file}:{definition.line})" if definition is not None else file
    pair = RevisionPair(workspace, workspace, f"a change of {what}", workspace.revision, (), (), (), ())
    return _trace(pair, assume_changes(workspace.code, definition, file), depth)


def _trace(
    pair: RevisionPair, changes: tuple[SymbolChange, ...], depth: int, run_tests: NextStep | None = None
) -> ImpactOfChangeAnswer:
    """Return what depends on the changes between two revisions, or on the assumed changes of one."""
    code, before = pair.after.code, pair.before.code
    is_planned = pair.base is pair.head
    product = [each for each in changes if is_planned or not is_of_tests(pair.before, pair.after, each)]
    impact = trace_impact(code, before, product, depth=depth, most=_MAX_DEFINITIONS)
    inside = {each.definition for each in changes} if is_planned else frozenset()
    dependents = [each for each in impact.dependents if each.definition not in inside]
    if is_planned:
        # Files that import an importer also import the file; beyond the first step they are not listed.
        dependents = [each for each in dependents if each.distance == 1 or not _is_import(each)]
    tests = [each for each in dependents if is_for_tests(code, each.definition)]
    others = [each for each in dependents if not is_for_tests(code, each.definition)]
    others.sort(key=lambda each: (each.distance, role_of(each.file)))
    proven = tuple(ImpactedItem.of(each) for each in others if each.is_proven)
    possible = tuple(ImpactedItem.of(each) for each in others if not each.is_proven)
    # A planned change is named in the title.
    shown = changes[:0] if is_planned else changes
    counted = f"{plural(len(shown), 'changed symbol')}; " if shown else ""
    silent = sum(each.change is ChangeKind.TEXT for each in changes)
    comments = (Reason(ReasonKind.COMMENTS_ONLY, silent),) if silent else ()
    return ImpactOfChangeAnswer(
        pair.title,
        f"{counted}{_summarize(impact, len(proven), len(possible), len(tests))}" if changes else "no changed symbols",
        pair.revision,
        Coverage(
            len(proven),
            len(proven),
            _get_certainty(impact, is_exact=not (possible or tests)),
            len(possible),
            (*pair.reasons, *impact.reasons, *pair.list_other_files(), *comments),
            run_tests if tests else None,
            settled=True,
        ),
        tuple(ChangeItem.of(each) for each in shown if each.change is not ChangeKind.TEXT),
        proven,
        possible,
        _list_reached_entries(pair, product, impact.dependents),
        _list_owners(pair, product),
        tuple(map(ImpactedItem.of, tests)),
        tuple(ChangeItem.of(each) for each in _list_untested(code, before, product, tests, depth)),
    )


def _list_untested(
    code: CodeIndex, before: CodeIndex, changes: Iterable[SymbolChange], tests: Iterable[Dependent], depth: int
) -> list[SymbolChange]:
    """Return the changed functions of product code that no test uses directly or indirectly.

    What the language runs by itself (`main`) is called by no test either way.
    """
    tested = {each.change.definition for each in tests}
    found = {
        (each.definition.file, each.definition.symbol.qualname): each
        for each in changes
        if each.definition not in tested and _is_changed_product_function(each)
    }
    untested = []
    # A test that depends on several changes was counted only for the nearest one.
    for each in list(found.values())[:_MAX_UNTESTED]:
        alone = trace_impact(code, before, [each], depth=depth, most=_MAX_DEFINITIONS)
        if not alone.reasons and not any(is_for_tests(code, other.definition) for other in alone.dependents):
            untested.append(each)
    return untested


def _is_changed_product_function(change: SymbolChange) -> bool:
    """Return whether a change adds or edits a function of product code that the language does not run by itself."""
    now = change.after
    if now is None or now.kind not in {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY}:
        return False
    if change.change not in {ChangeKind.ADDED, ChangeKind.SIGNATURE, ChangeKind.BODY}:
        return False
    runs_by_itself = now.symbol.parent < 0 and now.name in conventions_of(now.file).implicit.run_functions
    return role_of(now.file) is FileRole.PRODUCT and not runs_by_itself


def describe(definition: Definition) -> str:
    """Return the qualified name of a definition; for module-level code the name of the module."""
    is_module = definition.kind is SymbolKind.MODULE
    return f"module {definition.symbol.name}" if is_module else definition.symbol.qualname


def _summarize(impact: Impact, proven: int, possible: int, tests: int) -> str:
    """Return the numbers of dependents and tests as a phrase; `proven` and `possible` leave out the tests."""
    if impact.reasons and not impact.dependents:
        return "what depends on that is not known"
    least = "at least " if impact.reasons else ""
    return f"{least}{proven} proven and {possible} possible dependents, {plural(tests, 'test')}"


def _is_import(dependent: Dependent) -> bool:
    """Return whether something depends on a change only by importing a file."""
    return dependent.reason is not None and dependent.reason.kind is ReasonKind.IMPORTS_CHANGED_MODULE


def _get_certainty(impact: Impact, *, is_exact: bool) -> Certainty:
    """Return the certainty of the number of proven dependents; unknown if time ran out before any was found."""
    if impact.reasons and not impact.dependents:
        return Certainty.UNKNOWN
    return Certainty.EXACT if is_exact and not impact.reasons else Certainty.AT_LEAST


def _list_reached_entries(
    pair: RevisionPair, changes: Iterable[SymbolChange], dependents: Iterable[Dependent]
) -> tuple[ReachedEntryItem, ...]:
    """Return the entry points outside tests that changed or that reach a change, proven ones and near ones first."""
    reached = {each.definition: (each.distance, each.is_proven) for each in dependents}
    reached |= {each.after: (0, True) for each in changes if each.after is not None}
    items = [
        ReachedEntryItem(entry.file, entry.line, entry.kind.value, entry.name, *reached[entry.definition])
        for entry in find_entry_points(pair.after.code)
        if entry.definition in reached and role_of(entry.file) is not FileRole.TEST
    ]
    items.sort(key=lambda each: (not each.is_proven, each.distance))
    return tuple(items)


def _list_owners(pair: RevisionPair, changes: Iterable[SymbolChange]) -> tuple[OwnerItem, ...]:
    """Return the declared owners of the changed files, else the authors of most of their latest commits."""
    from avionics.index.analysis.code_owners import find_declared_owners, read_owner_rules

    place, rules = read_owner_rules(pair.head.source.walk().paths, pair.head.source.text)
    files = list(dict.fromkeys((each.before or each.definition).file for each in changes))
    owned: dict[tuple[str, str], list[str]] = {}
    asked = 0
    for file in files:
        declared = find_declared_owners(rules, file)
        for owner in declared:
            owned.setdefault((owner, place), []).append(file)
        if not declared and asked < _MAX_OWNED_FILES:
            asked += 1
            if author := _get_main_author(pair, file):
                owned.setdefault((author, "most of its latest commits"), []).append(file)
    ranked = sorted(owned.items(), key=lambda each: -len(each[1]))
    return tuple(OwnerItem(owner, tuple(files), source) for (owner, source), files in ranked)


def _get_main_author(pair: RevisionPair, file: str) -> str:
    """Return the author of most of the latest commits of a file before the change; "" without history."""
    try:
        commits = pair.base.history.find_commits(file, limit=_AUTHOR_COMMITS)
    except HistoryError:
        return ""
    counts = Counter(commit.author for commit in commits)
    return max(counts, key=counts.__getitem__, default="")
