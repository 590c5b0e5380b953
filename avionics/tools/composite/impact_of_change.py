"""impact_of_change: what depends on what changed, how control gets there, and whom to ask.

Knows: two versions, dependents, entry points, owners.
Does not know: git, how uses are resolved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated

import attrs

from avionics.model.enums import Certainty, SymbolKind
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.change_items import ChangeItem
from avionics.tools.answers.items import plural
from avionics.tools.answers.reasons import describe_reason
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.revision_pair import RevisionPair, open_revision_pair
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.index.analysis.impact import Dependent
    from avionics.index.changes.symbol_diff import SymbolChange
    from avionics.index.entrypoints.discovery import EntryPoint
    from avionics.model.knowledge import Definition
    from avionics.workspace import Workspace

_MAX_DEFINITIONS = 300
"""Following one takes about 10 ms; what depends on more is everything."""

_AUTHOR_COMMITS = 100
"""So many of a file's commits tell who knows it."""

_MAX_OWNED_FILES = 20
"""Each file without declared owners costs a question to git."""


@attrs.frozen
class ImpactedItem:
    """A function, class or file that uses what changed, directly or through others, and where."""

    file: str
    line: int
    symbol: str
    on: str
    distance: int
    reason: str

    @classmethod
    def of(cls, found: Dependent) -> ImpactedItem:
        """The item of a dependent."""
        symbol, on = describe(found.definition), describe(found.on)
        on = f"{on} of {found.on.file}" if on == symbol else on
        return cls(found.file, found.line, symbol, on, found.distance, describe_reason(found.reason))

    def to_text(self) -> str:
        """One line."""
        steps = f", {self.distance} steps from the change" if self.distance > 1 else ""
        why = f" ({self.reason})" if self.reason else ""
        return f"{self.file}:{self.line} {self.symbol} uses {self.on}{steps}{why}"


@attrs.frozen
class ReachedEntryItem:
    """A place where control comes in from outside that reaches a change."""

    file: str
    line: int
    kind: str
    name: str
    distance: int
    is_proven: bool

    def to_text(self) -> str:
        """One line."""
        sure = "" if self.is_proven else ", possibly"
        return f"{self.file}:{self.line} {self.kind} {self.name}, {plural(self.distance, 'step')} away{sure}"


@attrs.frozen
class OwnerItem:
    """Who is responsible for changed files, or wrote most of their latest commits."""

    owner: str
    files: tuple[str, ...]
    source: str

    def to_text(self) -> str:
        """One line."""
        more = f" and {len(self.files) - 2} more" if len(self.files) > 2 else ""
        return f"{self.owner}: {', '.join(self.files[:2])}{more} ({self.source})"


@attrs.frozen
class ImpactOfChangeAnswer:
    """What changed and what depends on it, nearest first; `revision` is the commit of the places named."""

    title: str
    summary: str
    revision: str
    coverage: Coverage
    changes: tuple[ChangeItem, ...] = part("changed", share=2.0)
    proven: tuple[ImpactedItem, ...] = part("depends on it", share=3.0, counts=True)
    possible: tuple[ImpactedItem, ...] = part("may depend on it", share=1.5)
    entry_points: tuple[ReachedEntryItem, ...] = part("entry points reached", share=1.0)
    owners: tuple[OwnerItem, ...] = part("owners of what changed", share=0.5)
    tests: tuple[ImpactedItem, ...] = part("tests that depend on it", share=0.5)

    def headline(self) -> str:
        """What changed, and how much depends on it."""
        return f"{self.title}: {self.summary}"


@tool(
    ToolId.IMPACT_OF_CHANGE,
    accepts="nothing for what is not committed, or one or two revisions",
    returns="changed symbols, proven and possible dependents, entry points reached, owners",
)
def impact_of_change(
    workspace: Workspace,
    base: str | None = None,
    head: str | None = None,
    depth: Annotated[int, Bounds(ge=1, le=10)] = 3,
) -> ImpactOfChangeAnswer:
    """Find what a change reaches: dependents, proven and possible, entry points, owners.

    Args:
        base: The revision before; the last commit when left out.
        head: The revision after; the files on the disk when left out.
        depth: How many uses away from the change to look.
    """
    from avionics.index.analysis.impact import trace_impact
    from avionics.index.analysis.test_selection import is_for_tests, is_of_tests
    from avionics.index.changes.symbol_diff import ChangeKind, find_changes
    from avionics.index.model.file_roles import role_of

    sides = open_revision_pair(workspace, base, head)
    changes = find_changes(sides.before, sides.after, sides.files)
    code, before = sides.head.code, sides.base.code
    product = [each for each in changes if not is_of_tests(sides.before, sides.after, each)]
    impact = trace_impact(code, before, product, depth=depth, most=_MAX_DEFINITIONS)
    tests = [each for each in impact.dependents if is_for_tests(code, each.definition)]
    others = [each for each in impact.dependents if not is_for_tests(code, each.definition)]
    others.sort(key=lambda each: (each.distance, role_of(each.file)))
    proven = tuple(ImpactedItem.of(each) for each in others if each.is_proven)
    possible = tuple(ImpactedItem.of(each) for each in others if not each.is_proven)
    silent = sum(each.change is ChangeKind.TEXT for each in changes)
    comments = (Reason(ReasonKind.COMMENTS_ONLY, silent),) if silent else ()
    return ImpactOfChangeAnswer(
        sides.title,
        _summarize(changes, proven, possible, tests),
        sides.revision,
        Coverage(
            len(proven),
            len(proven),
            Certainty.AT_LEAST if possible or tests or impact.reasons else Certainty.EXACT,
            len(possible),
            (*sides.reasons, *impact.reasons, *sides.list_other_files(), *comments),
            "tests_for_change lists the tests to run" if tests else "",
            settled=True,
        ),
        tuple(ChangeItem.of(each) for each in changes if each.change is not ChangeKind.TEXT),
        proven,
        possible,
        _entry_points(sides, product, impact.dependents),
        _owners(sides, product),
        tuple(map(ImpactedItem.of, tests)),
    )


def describe(definition: Definition) -> str:
    """A definition by its qualified name; code outside of functions by its module's."""
    is_module = definition.kind is SymbolKind.MODULE
    return f"module {definition.symbol.name}" if is_module else definition.symbol.qualname


def _summarize(
    changes: tuple[SymbolChange, ...],
    proven: tuple[ImpactedItem, ...],
    possible: tuple[ImpactedItem, ...],
    tests: list[Dependent],
) -> str:
    if not changes:
        return "no symbol differs"
    return (
        f"{plural(len(changes), 'symbol')} changed; {len(proven)} proven and {len(possible)} possible dependents, "
        f"{plural(len(tests), 'test')}"
    )


def _entry_points(
    sides: RevisionPair, changes: Iterable[SymbolChange], dependents: Iterable[Dependent]
) -> tuple[ReachedEntryItem, ...]:
    """The entry points that are, or lead to, what changed."""
    from avionics.index.entrypoints.discovery import find_entry_points
    from avionics.index.model.file_roles import FileRole, role_of

    reached = {each.definition: (each.distance, each.is_proven) for each in dependents}
    reached |= {each.after: (0, True) for each in changes if each.after is not None}

    def item(entry: EntryPoint) -> ReachedEntryItem | None:
        found = reached.get(entry.definition) if entry.definition else None
        return found and ReachedEntryItem(entry.file, entry.line, entry.kind.value, entry.name, *found)

    every = find_entry_points(sides.head.code, sides.head.source)
    items = filter(None, map(item, (each for each in every if role_of(each.file) is not FileRole.TEST)))
    return tuple(sorted(items, key=lambda each: (not each.is_proven, each.distance)))


def _owners(sides: RevisionPair, changes: Iterable[SymbolChange]) -> tuple[OwnerItem, ...]:
    """Whom to ask: as declared, else whoever wrote most of a file's latest commits."""
    from avionics.index.analysis.code_owners import find_declared_owners, read_owner_rules

    place, rules = read_owner_rules(sides.head.source.walk().paths, sides.head.source.text)
    files = list(dict.fromkeys((each.before or each.definition).file for each in changes))
    owned: dict[tuple[str, str], list[str]] = {}
    asked = 0
    for file in files:
        declared = find_declared_owners(rules, file)
        for owner in declared:
            owned.setdefault((owner, place), []).append(file)
        if not declared and asked < _MAX_OWNED_FILES:
            asked += 1
            for author in _authors(sides, file):
                owned.setdefault((author, "most of its latest commits"), []).append(file)
    ranked: Mapping[tuple[str, str], list[str]] = dict(sorted(owned.items(), key=lambda each: -len(each[1])))
    return tuple(OwnerItem(owner, tuple(files), source) for (owner, source), files in ranked.items())


def _authors(sides: RevisionPair, file: str) -> tuple[str, ...]:
    """Who wrote most of the latest commits of a file before the change."""
    commits = sides.base.history.find_commits(file, limit=_AUTHOR_COMMITS)
    most = Counter(commit.author for commit in commits).most_common(1)
    return tuple(author for author, _ in most)
