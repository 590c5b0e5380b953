"""tests_for_change: the tests to run for a change, the surest first, and why.

Knows: two versions, chosen tests, what changed together before.
Does not know: how tests are chosen or run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from avionics.tools.answer import part
from avionics.tools.composite.impact_of_change import describe
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.items import plural
from avionics.tools.sides import Sides, open_sides
from protocols.enums import Certainty, SymbolKind
from protocols.results import Coverage

if TYPE_CHECKING:
    from avionics.index.changes import SymbolChange
    from avionics.index.suite import ChosenTest
    from avionics.workspace import Workspace
    from protocols.knowledge import Definition

_DEPTH = 3
_MOST_DEFINITIONS = 300
"""Following one takes about 10 ms; what depends on more is everything."""

_DEPTH_OF_USE, _MOST_OF_USE = 2, 60
"""Of what tests a definition that did not change: those farther away test something else."""

_PAST_COMMITS = 80
_DOUBT = 3
"""So many commits apart are imagined: files that changed together once have not shown much."""

_MOST_FILES = 10
"""Each changed file's past costs a question to git."""


@attrs.frozen
class TestItem:
    """A test: where it is, how a runner is told of it, and why it is concerned."""

    file: str
    line: int
    test: str
    run: str
    why: str
    score: float
    is_proven: bool

    @classmethod
    def of(cls, chosen: ChosenTest) -> TestItem:
        """The item of a chosen test."""
        found = chosen.definition
        name = found.file if found.kind is SymbolKind.MODULE else found.symbol.qualname
        node = f"{found.file}::{name.replace('.', '::')}" if found.file.endswith(".py") else name
        return cls(found.file, found.line, name, node, _explain(chosen), chosen.score, chosen.is_proven)

    def to_text(self) -> str:
        """One line."""
        name = "" if self.test == self.file else f" {self.test}"
        return f"{self.file}:{self.line}{name}: {self.why}"


@attrs.frozen
class TestsForChangeAnswer:
    """The tests to run, ranked; `revision` is the commit of the places named."""

    title: str
    summary: str
    revision: str
    coverage: Coverage
    proven: tuple[TestItem, ...] = part("tests that are changed or lead to the change", share=3.0, counts=True)
    likely: tuple[TestItem, ...] = part("tests that may be concerned", share=2.0, counts=True)

    def headline(self) -> str:
        """What changed, and how much of the suite is concerned."""
        return f"{self.title}: {self.summary}"


@tool(
    ToolId.TESTS_FOR_CHANGE,
    accepts="nothing for what is not committed, or one or two revisions",
    returns="the tests to run, ranked, each with why; what could not be seen",
)
def tests_for_change(
    workspace: Workspace,
    base: str | None = None,  # noqa: PT028  no test, whatever its name
    head: str | None = None,  # noqa: PT028
) -> TestsForChangeAnswer:
    """Choose the tests to run for a change, ranked, with why.

    Args:
        base: The revision before; the last commit when left out.
        head: The revision after; the files on the disk when left out.
    """
    from avionics.index.changes import find_changes
    from avionics.index.impact import trace_impact
    from avionics.index.suite import choose_tests

    sides = open_sides(workspace, base, head)
    before, after = sides.before, sides.after
    changes = find_changes(before, after, sides.files)
    impact = trace_impact(after.code, before.code, changes, depth=_DEPTH, most=_MOST_DEFINITIONS)
    chosen, suite = choose_tests(before, after, changes, impact, count_together(sides))
    proven = tuple(TestItem.of(each) for each in chosen if each.is_proven)
    likely = tuple(TestItem.of(each) for each in chosen if not each.is_proven)
    share = f" of {suite} ({100 * len(chosen) / suite:.0f} %)" if suite else ""
    return TestsForChangeAnswer(
        sides.title,
        f"{plural(len(changes), 'symbol')} changed; {plural(len(chosen), 'test')}{share} to run",
        sides.revision,
        Coverage(
            len(chosen),
            len(chosen),
            Certainty.AT_LEAST if changes else Certainty.EXACT,
            because=(*sides.because, *impact.because, *_say_unseen(changes, suite), *sides.say_others()),
            settled=True,
        ),
        proven,
        likely,
    )


def find_tests_of(workspace: Workspace, definitions: Sequence[Definition]) -> tuple[tuple[TestItem, ...], Coverage]:
    """The tests that use some definitions, directly or through others, the surest first."""
    from avionics.index.changes import Change, Side, SymbolChange
    from avionics.index.impact import trace_impact
    from avionics.index.suite import choose_tests

    side = Side(workspace.code, workspace.source)
    changes = [SymbolChange(Change.BODY, each, each) for each in definitions]
    impact = trace_impact(side.code, side.code, changes, depth=_DEPTH_OF_USE, most=_MOST_OF_USE)
    chosen, suite = choose_tests(side, side, changes, impact, {})
    found = tuple(TestItem.of(each) for each in chosen if each.dependent is not None)
    because = (*impact.because, *_say_unseen(changes, suite))
    return found, Coverage(len(found), len(found), Certainty.AT_LEAST, because=because)


def count_together(sides: Sides) -> dict[str, float]:
    """File → the largest share of a changed file's latest commits that touched it too, a little less."""
    found: dict[str, float] = {}
    history = sides.base.history
    for path in [each.before for each in sides.files if each.before][:_MOST_FILES]:
        commits = history.find_commits(path, limit=_PAST_COMMITS, counts=True)
        together, counted = history.find_co_changes(commits, path)
        for each in together:
            found[each.path] = max(found.get(each.path, 0.0), each.commits / (counted + _DOUBT))
    return found


def _explain(chosen: ChosenTest) -> str:
    """Why a test is concerned, the strongest reason first."""
    if chosen.is_changed:
        return "the change edits it"
    reasons = []
    chain = chosen.dependent
    if chain is not None:
        target = describe(chain.change.definition)
        through = f" through {describe(chain.on)}" if chain.distance > 1 else ""
        possibly = "" if chain.is_proven else f" possibly ({chain.reason})" if chain.reason else " possibly"
        reasons.append(f"uses {target}{through}{possibly}")
    if chosen.words:
        reasons.append(f"says {', '.join(chosen.words)}")
    if chosen.together:
        reasons.append(f"its file is in {100 * chosen.together:.0f} % of a changed file's commits")
    return "; ".join(reasons)


def _say_unseen(changes: Sequence[SymbolChange], suite: int) -> tuple[str, ...]:
    """What no list of uses shows."""
    said = []
    if not suite:
        said.append("no tests were found")
    bodies = [each.definition.file for each in changes if each.definition.kind is SymbolKind.MODULE]
    if bodies:
        said.append(f"code outside of functions changed in {', '.join(bodies[:3])}: every test that imports it runs it")
    fixtures = [each.definition.symbol for each in changes if _is_for_all(each)]
    if fixtures:
        said.append(f"{fixtures[0].qualname} runs for every test of its directory")
    if changes:
        said.append("uses through a client, a subprocess, configuration or a computed name are not seen")
    return tuple(said)


def _is_for_all(change: SymbolChange) -> bool:
    """Whether tests get what changed without asking for it."""
    return any("autouse=True" in decorator for decorator in change.definition.symbol.decorators)
