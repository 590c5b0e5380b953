"""tests_for_change: the tests to run for a change, the surest first, and why.

Knows: two versions, chosen tests, what changed together before.
Does not know: how tests are chosen or run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING

import attrs

from avionics.model.enums import Certainty, SymbolKind
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.syntax.registry import conventions_of
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import plural
from avionics.tools.answers.reasons import describe_reason
from avionics.tools.composite.impact_of_change import describe
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.revision_pair import RevisionPair, open_revision_pair

if TYPE_CHECKING:
    from avionics.index.analysis.test_selection import SelectedTest
    from avionics.index.changes.symbol_diff import SymbolChange
    from avionics.model.knowledge import Definition
    from avionics.workspace import Workspace

_DEPTH = 3
_MAX_DEFINITIONS = 300
"""Following one takes about 10 ms; what depends on more is everything."""

_DEPTH_OF_USE, _MAX_OF_USE = 2, 60
"""Of what tests a definition that did not change: those farther away test something else."""

_MAX_NEAR = 10
_PAST_COMMITS = 80
_DOUBT = 3
"""So many commits apart are imagined: files that changed together once have not shown much."""

_MIN_SHARE, _MAX_SCRIPTS = 0.02, 20
"""Of scripts whose uses are not read only their past speaks, and it speaks softly."""

_EDITED = "the change edits it"

_MAX_FILES = 10
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
    def of(cls, chosen: SelectedTest) -> TestItem:
        """The item of a chosen test."""
        return cls(*_name(chosen.definition), _explain(chosen), chosen.score, chosen.is_proven)

    @classmethod
    def near(cls, test: Definition, why: str) -> TestItem:
        """The item of a test that is not known to use anything asked about."""
        return cls(*_name(test), why, 0.0, is_proven=False)

    @classmethod
    def of_script(cls, path: str, share: float) -> TestItem:
        """The item of a script of tests that is not read, by how often it changed with what changed now."""
        why = _describe_past(share) if share < 1 else _EDITED
        return cls(path, 1, path, path, why, share, share >= 1)

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
    from avionics.index.analysis.impact import trace_impact
    from avionics.index.analysis.test_selection import choose_tests, find_test_scripts, find_tests
    from avionics.index.changes.symbol_diff import find_changes

    sides = open_revision_pair(workspace, base, head)
    before, after = sides.before, sides.after
    changes = find_changes(before, after, sides.files)
    impact = trace_impact(after.code, before.code, changes, depth=_DEPTH, most=_MAX_DEFINITIONS)
    together = count_together(sides)
    chosen, suite = choose_tests(before, after, changes, impact, together)
    scripts = find_test_scripts(after.code.paths, find_tests(after.code))
    beside = _choose_scripts(scripts, sides.others, together)
    proven = tuple(TestItem.of(each) for each in chosen if each.is_proven) + tuple(e for e in beside if e.is_proven)
    likely = tuple(TestItem.of(each) for each in chosen if not each.is_proven)
    likely += tuple(each for each in beside if not each.is_proven)
    count, whole = len(proven) + len(likely), suite + len(scripts)
    share = f" of {whole} ({100 * count / whole:.0f} %)" if whole else ""
    reasons = (*sides.reasons, *impact.reasons, *_list_unseen(changes, whole, scripts), *sides.list_other_files())
    return TestsForChangeAnswer(
        sides.title,
        f"{plural(len(changes), 'symbol')} changed; {plural(count, 'test')}{share} to run",
        sides.revision,
        Coverage(
            count,
            count,
            Certainty.AT_LEAST if changes or sides.others else Certainty.EXACT,
            reasons=reasons,
            settled=True,
        ),
        proven,
        likely,
    )


def find_tests_of(workspace: Workspace, definitions: Sequence[Definition]) -> tuple[tuple[TestItem, ...], Coverage]:
    """The tests that use some definitions, directly or through others, the surest first.

    Where none is known to, those beside them or in a file named after theirs; coverage counts those that use them.
    """
    from avionics.index.analysis.impact import trace_impact
    from avionics.index.analysis.test_selection import choose_tests, find_test_scripts, find_tests
    from avionics.index.changes.symbol_diff import ChangeKind, RevisionView, SymbolChange

    side = RevisionView(workspace.code, workspace.source)
    changes = [SymbolChange(ChangeKind.BODY, each, each) for each in definitions]
    impact = trace_impact(side.code, side.code, changes, depth=_DEPTH_OF_USE, most=_MAX_OF_USE)
    chosen, suite = choose_tests(side, side, changes, impact, {})
    found = tuple(TestItem.of(each) for each in chosen if each.dependent is not None)
    tests = find_tests(side.code)
    near = () if found else _find_near(tests, {each.file for each in definitions})
    scripts = find_test_scripts(side.code.paths, tests)
    reasons = (*impact.reasons, *_list_unseen(changes, suite + len(scripts), scripts))
    return found or near, Coverage(len(found), len(found), Certainty.AT_LEAST, len(near), reasons)


def _find_near(tests: Iterable[Definition], files: Set[str]) -> tuple[TestItem, ...]:
    """The tests that stand in some files, or else in a file named after one of them."""
    from avionics.index.analysis.test_relevance import is_namesake

    every = tuple(tests)
    beside = [(test, "it stands in the same file") for test in every if test.file in files]
    named = [(test, "its file is named like it") for test in every if is_namesake(test.file, files)]
    return tuple(TestItem.near(test, why) for test, why in (beside or named)[:_MAX_NEAR])


def _choose_scripts(
    scripts: Sequence[str], changed: Iterable[str], together: Mapping[str, float]
) -> tuple[TestItem, ...]:
    """The scripts of tests that the change edits, then those that often changed with what it edits."""
    edited = set(changed)
    shares = {path: 1.0 if path in edited else together.get(path, 0.0) for path in scripts}
    near = [path for path in scripts if shares[path] >= _MIN_SHARE]
    near.sort(key=lambda path: (-shares[path], path))
    return tuple(TestItem.of_script(path, shares[path]) for path in near[:_MAX_SCRIPTS])


def count_together(sides: RevisionPair) -> dict[str, float]:
    """File → the largest share of a changed file's latest commits that touched it too, a little less."""
    found: dict[str, float] = {}
    history = sides.base.history
    for path in [each.before for each in sides.files if each.before][:_MAX_FILES]:
        commits = history.find_commits(path, limit=_PAST_COMMITS, counts=True)
        together, counted = history.find_co_changes(commits, path)
        for each in together:
            found[each.path] = max(found.get(each.path, 0.0), each.commits / (counted + _DOUBT))
    return found


def _name(test: Definition) -> tuple[str, int, str, str]:
    """Where a test is, what it is called, and how a runner is told of it."""
    name = test.file if test.kind is SymbolKind.MODULE else test.symbol.qualname
    separator = conventions_of(test.file).tests.node_separator
    node = separator.join((test.file, *name.split("."))) if separator else name
    return test.file, test.line, name, node


def _explain(chosen: SelectedTest) -> str:
    """Why a test is concerned, the strongest reason first."""
    if chosen.is_changed:
        return _EDITED
    reasons = []
    chain = chosen.dependent
    if chain is not None:
        target = describe(chain.change.definition)
        through = f" through {describe(chain.on)}" if chain.distance > 1 else ""
        possibly = (
            "" if chain.is_proven else f" possibly ({describe_reason(chain.reason)})" if chain.reason else " possibly"
        )
        reasons.append(f"uses {target}{through}{possibly}")
    if chosen.words:
        reasons.append(f"says {', '.join(chosen.words)}")
    if chosen.together:
        reasons.append(_describe_past(chosen.together))
    return "; ".join(reasons)


def _describe_past(share: float) -> str:
    return f"its file is in {100 * share:.0f} % of a changed file's commits"


def _list_unseen(changes: Sequence[SymbolChange], suite: int, scripts: Sequence[str]) -> Iterator[Reason]:
    """Yield why tests may be concerned that no usage leads to."""
    if scripts:
        kinds = Counter(path.rpartition(".")[2] for path in scripts)
        most = ", ".join(f".{suffix}" for suffix, _ in kinds.most_common(3))
        yield Reason(ReasonKind.TEST_SCRIPTS, len(scripts), subject=most)
    if not suite:
        yield Reason(ReasonKind.NO_TESTS)
    bodies = [each.definition.file for each in changes if each.definition.kind is SymbolKind.MODULE]
    if bodies:
        yield Reason(ReasonKind.MODULE_CODE_CHANGED, subject=", ".join(bodies[:3]))
    fixtures = [each.definition.symbol for each in changes if _is_for_all(each)]
    if fixtures:
        yield Reason(ReasonKind.SHARED_FIXTURE_CHANGED, subject=fixtures[0].qualname)
    if changes:
        yield Reason(ReasonKind.INDIRECT_TEST_USE)


def _is_for_all(change: SymbolChange) -> bool:
    """Whether tests get what changed without asking for it."""
    return any("autouse=True" in decorator for decorator in change.definition.symbol.decorators)
