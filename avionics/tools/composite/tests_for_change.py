"""tests_for_change: select the tests to run for a change, and say why."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from typing import ClassVar

from msgspec import Struct, structs

from avionics.cancellation import has_time, watch_cuts
from avionics.index.analysis.affected_tests import (
    SelectedTest,
    choose_tests,
    count_shared_words,
    find_test_scripts,
    find_tests,
    is_test,
    rate_tests,
    stem_parts,
)
from avionics.index.analysis.impact import Dependent, trace_impact
from avionics.index.analysis.symbol_usage import is_for_tests
from avionics.index.changes.symbol_diff import ChangeKind, RevisionView, SymbolChange, find_changes
from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.tests_by_text import TextTest, find_option_tests, find_route_tests
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.search.query import stem, stems_of
from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind, is_class
from avionics.model.errors import UsageError
from avionics.model.knowledge import Definition
from avionics.model.naming import agree, plural
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.source.tree import SourceTree
from avionics.syntax.registry import conventions_of, get_language, require_spec
from avionics.tools.answers.answer import part
from avionics.tools.answers.change_items import RevisionAnswer
from avionics.tools.answers.reasons import describe_reason
from avionics.tools.answers.runner_commands import CommandItem, TestChoice, build_commands
from avionics.tools.composite.impact_of_change import describe, resolve_planned
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.internal.files.grep_search import search_lines
from avionics.tools.resolution.revision_pair import RevisionPair, open_revision_pair
from avionics.tools.resolution.symbol_resolver import find_top_level
from avionics.workspace import Workspace

_DEPTH = 3
_MAX_DEFINITIONS = 300
"""The maximum number of definitions followed, each in about 10 ms; a larger impact would be nearly everything."""

_DEPTH_OF_USE, _MAX_OF_USE = 2, 60
"""For the tests of a definition that did not change: tests farther away test something else."""

_MIN_ABOUT, _MAX_SAID = 0.3, 3
"""The minimum share of the best score for a test about the same words, and the number of words shown."""
_MAX_NEAR = 10
_MIN_NAME_WORDS = 2
_SAYS_TEST = late_pattern(
    r"(?:^|[/_.-])test|(?<!la)(?<!con)(?<!pro)(?<!grea)(?<!fas)tests?(?=[/_.-])", re.IGNORECASE, needs=("test",)
)
"""A path in which a word begins or ends with "test", unless it is another word such as "latest"."""
_MAX_MEMBERS = 30
_PAST_COMMITS = 80
_DOUBT = 3
"""Imagined commits without the other file, because one common commit proves little."""

_MIN_SHARE, _MAX_SCRIPTS = 0.02, 20
"""For test scripts in unsupported languages, whose relevance only their history or an option in them shows."""

_MAX_LINES = 500
"""Lines with an option that are read."""

_EDITED = "the change edits it"

_MAX_FILES = 10
"""Changed files whose history is read; each takes one git command."""


class TestItem(Struct, frozen=True):
    """A test: where it is, the argument that a runner takes for it, and why it is selected.

    If `is_grouped`, the item is listed below its reason, which many share; if `is_helper`, it is a function in a test
    file that no runner is known to run.
    """

    OMITTED: ClassVar[frozenset[str]] = frozenset({"is_grouped", "is_helper"})

    file: str
    line: int
    test: str
    run: str
    why: str
    score: float
    is_proven: bool
    is_grouped: bool = False
    is_helper: bool = False

    @classmethod
    def of(cls, selected: SelectedTest) -> TestItem:
        """Return the item of a selected test."""
        return cls(*_name(selected.definition), _explain(selected), selected.score, selected.is_proven)

    @classmethod
    def using(cls, selected: SelectedTest, chain: Dependent) -> TestItem:
        """Return the item of a test that uses a definition."""
        return cls(*_name(selected.definition), _explain_use(chain), selected.score, chain.is_proven, is_grouped=True)

    @classmethod
    def near(cls, test: Definition, why: str) -> TestItem:
        """Return the item of a test that is not known to use anything asked about."""
        return cls(*_name(test), why, 0.0, is_proven=False)

    @classmethod
    def of_script(cls, path: str, share: float) -> TestItem:
        """Return the item of a test script, by how often it changed together with the changed files."""
        why = _describe_past(share) if share < 1 else _EDITED
        return cls(path, 1, path, path, why, share, share >= 1)

    def heading(self) -> str:
        """Return the reason of a grouped item; "" for other items."""
        return self.why if self.is_grouped else ""

    def to_text(self) -> str:
        name = "" if self.test == self.file else f" {self.test}"
        return f"{self.file}:{self.line}{name}{'' if self.is_grouped else f': {self.why}'}"


class TestsForChangeAnswer(RevisionAnswer, frozen=True):
    """The tests to run, ranked."""

    commands: tuple[CommandItem, ...] = part("run them with", share=1.0)
    proven: tuple[TestItem, ...] = part("tests that changed or use the change", share=3.0, counts=True)
    likely: tuple[TestItem, ...] = part("tests that may be affected", share=2.0, counts=True)


@tool(
    ToolId.TESTS_FOR_CHANGE,
    accepts="one or two revisions, by default the uncommitted changes",
    returns="the tests to run, ranked, each with the reason; what cannot be seen",
)
def tests_for_change(
    workspace: Workspace,
    base: str | None = None,  # noqa: PT028  no test, whatever its name
    head: str | None = None,  # noqa: PT028
    symbol: str | None = None,  # noqa: PT028
) -> TestsForChangeAnswer:
    """Rank the tests to run for a change, with reasons.

    Args:
        base: The revision before; default: HEAD.
        head: The revision after; default: the files on disk.
        symbol: Or a symbol or file that you plan to change.
    """
    if symbol is not None:
        if base or head:
            raise UsageError("a symbol and revisions cannot be combined", hint="ask about one of them")
        return _select_planned(workspace, symbol)
    pair = open_revision_pair(workspace, base, head)
    before, after = pair.before, pair.after
    changes = find_changes(before, after, pair.files)
    impact = trace_impact(after.code, before.code, changes, depth=_DEPTH, most=_MAX_DEFINITIONS)
    together = count_together(pair)
    selected, suite = choose_tests(before, after, changes, impact, together)
    scripts = find_test_scripts(after.code.paths, find_tests(after.code))
    from_scripts = _select_scripts(scripts, pair.others, together)
    items = (*map(TestItem.of, selected), *from_scripts)
    proven = tuple(each for each in items if each.is_proven)
    likely = tuple(each for each in items if not each.is_proven)
    count, whole = len(proven) + len(likely), suite + len(scripts)
    share = f" of {whole} ({100 * count / whole:.0f} %)" if whole else ""
    reasons = (*pair.reasons, *impact.reasons, *_list_unseen(changes, whole, scripts), *pair.list_other_files())
    return TestsForChangeAnswer(
        pair.title,
        f"{plural(len(changes), 'changed symbol')}; {plural(count, 'test')}{share} to run",
        pair.revision,
        Coverage.of(count, is_exact=not (changes or pair.others), reasons=reasons, settled=True),
        build_commands(map(_choose, (*proven, *likely)), pair.head.source),
        proven,
        likely,
    )


def _select_planned(workspace: Workspace, symbol: str) -> TestsForChangeAnswer:
    """Return the tests to run before a symbol or file is changed."""
    code, source = workspace.code, workspace.source
    definition, file = resolve_planned(workspace, symbol)
    about = with_members(code, definition) if definition else find_top_level(code, file)
    found, coverage = find_tests_of(code, source, about)
    return TestsForChangeAnswer(
        definition.symbol.qualname if definition else file,
        describe_known(found, coverage),
        "",
        coverage,
        build_commands([_choose(each) for each in found if not each.is_helper], source),
        tuple(each for each in found if each.is_proven),
        tuple(each for each in found if not each.is_proven),
    )


def with_members(code: CodeIndex, definition: Definition) -> tuple[Definition, ...]:
    """Return a definition with the methods of a class: a test may use these without its name."""
    if not is_class(definition.kind):
        return (definition,)
    members = code.graph.classes.members(definition)
    return (definition, *(each for each in members if each.kind is SymbolKind.METHOD))[:_MAX_MEMBERS]


def _choose(item: TestItem) -> TestChoice:
    """Return the test as an argument of `build_commands`; a whole file has no test name."""
    return TestChoice(item.file, "" if item.test == item.file else item.test, item.run)


def find_tests_of(
    code: CodeIndex, source: SourceTree, definitions: Sequence[Definition], option: str = ""
) -> tuple[tuple[TestItem, ...], Coverage]:
    """Return the tests that use some definitions: proven uses before possible ones, then direct before indirect ones.

    Tests that pass the option (`--size`) come before all of them. If no test uses a definition itself, return tests
    that request a route of one, or functions in test files that use one although no runner is known to run them, else
    tests in the same files or in files named after theirs. Coverage counts only uses.
    """
    view = RevisionView(code, source)
    # The tests inside a directory are not the code under test.
    tested = [each for each in definitions if not is_for_tests(code, each)] or definitions
    changes = [SymbolChange(ChangeKind.BODY, each, each) for each in tested]
    with watch_cuts() as cuts:
        impact = trace_impact(view.code, view.code, changes, depth=_DEPTH_OF_USE, most=_MAX_OF_USE)
    late = (Reason(ReasonKind.TIME_RAN_OUT),) if cuts.were_made else ()
    selected, suite = choose_tests(view, view, changes, impact, {})
    using = [(each.dependent, TestItem.using(each, each.dependent)) for each in selected if each.dependent is not None]
    using.sort(key=lambda pair: (not pair[0].is_proven, pair[0].distance, pair[1].why, -pair[1].score))
    found = tuple(item for _, item in using)
    tests = find_tests(view.code)
    near: tuple[TestItem, ...] = ()
    if option:
        near = _list_text_tests(find_option_tests(code, option, is_test), "passes")
        near = near or _find_scripts_passing(code, source, option)
    if not (near or any(chain.is_proven or chain.distance == 1 for chain, _ in using)):
        near = _list_text_tests(find_route_tests(code, definitions, is_test), "requests")
        near = near or _find_helpers(impact.dependents)
        near = near or _find_called_like(tests, definitions[:1])
        near = near or _find_near(tests, {each.file for each in definitions})
    nearer = {(each.file, each.line) for each in near}
    found = tuple(each for each in found if (each.file, each.line) not in nearer)
    scripts = find_test_scripts(view.code.paths, tests)
    reasons = (*late, *impact.reasons, *_list_unseen(changes, suite + len(scripts), scripts))
    return (*near, *found), Coverage.of(len(found), is_exact=False, reasons=reasons, unresolved=len(near))


def describe_known(tests: Iterable[TestItem], coverage: Coverage) -> str:
    """Return how many tests use something, and how many may use it or are about it."""
    listed = tuple(tests)
    proven = sum(each.is_proven for each in listed)
    others = len(listed) - proven
    verbs = [*(["use"] if coverage.found else []), *(["be about"] if coverage.unresolved else [])]
    may = f"{plural(others, 'test')} may {' or '.join(verbs)} it" if others else ""
    known = f"{agree(proven, 'test', 'uses', 'use')} it"
    if helpers := sum(each.is_helper for each in listed):
        using = agree(helpers, "function", "in files of tests uses", "in files of tests use")
        return f"{using} it; what runs them is not known"
    late = " so far (the time ran out)" if coverage.ran_out_of_time else ""
    if others and not proven and coverage.found:
        return f"{may}, which is not proven{late}"
    if not proven and may:
        doubt = "which is not" if others == 1 else "none of which is"
        return f"{may}, {doubt} known to use it{late}"
    if not proven:
        known = f"no test is known to use it{late}"
    return f"{known}; {may}" if may else known


def find_tests_about(code: CodeIndex, source: SourceTree, stems: Collection[str]) -> tuple[TestItem, ...]:
    """Return the tests whose names and code have most of the words with some stems, best first."""
    from avionics.index.search.query import spellings_of
    from avionics.index.search.synonyms import kinds_of

    alike = {word: each for each in stems for kind in kinds_of(each) for word in spellings_of(kind)}
    wanted = dict.fromkeys(alike, 1.0)
    rated = rate_tests(RevisionView(code, source), find_tests(code), wanted)
    best = sorted(rated, key=lambda test: -rated[test].score)[:_MAX_NEAR]
    return tuple(
        TestItem.near(test, f"says {', '.join(rated[test].telling or rated[test].words[:_MAX_SAID])}")
        for test in best
        if rated[test].score >= _MIN_ABOUT and 2 * len({alike[each] for each in rated[test].words}) > len(stems)
    )


def _list_text_tests(found: Iterable[TextTest], verb: str) -> tuple[TestItem, ...]:
    """Return the items of tests with a line that names an option or a route, by what the line does with it."""
    return tuple(TestItem.near(each.definition, f"line {each.line} {verb} {each.text}") for each in found)


def _find_scripts_passing(code: CodeIndex, source: SourceTree, option: str) -> tuple[TestItem, ...]:
    """Return the files of tests in no supported language, such as scripts, that have an option of the command line."""
    written = re.compile(rf"(?<![\w-]){re.escape(option)}(?![\w-])")
    lines: dict[str, int] = {}
    for each in search_lines(source, code, re.escape(option), limit=_MAX_LINES).matches:
        is_script = role_of(each.file) is FileRole.TEST and get_language(each.file) is None
        if is_script and written.search(each.text):
            lines.setdefault(each.file, each.line)
    files = list(lines.items())[:_MAX_SCRIPTS]
    return tuple(TestItem(file, line, file, file, f"it has {option}", 0.0, is_proven=False) for file, line in files)


def _find_helpers(dependents: Iterable[Dependent]) -> tuple[TestItem, ...]:
    """Return the functions in test files that are known to use a definition, although none is known to be run.

    A program in a directory such as `testqueue` is one of tests to somebody who looks for them.
    """
    direct = (each for each in dependents if each.is_proven and each.distance == 1)
    using = (each for each in direct if role_of(each.file) is FileRole.TEST or _SAYS_TEST.search(each.file))
    ordered = sorted(using, key=lambda each: (each.file, each.line))
    found = []
    for each in ordered:
        item = TestItem.near(each.definition, f"line {each.line} uses {each.on.name}")
        # The body of a file begins at its first line, which tells nothing.
        line = each.line if item.test == item.file else item.line
        found.append(structs.replace(item, is_helper=True, line=line))
    return tuple(found)


def _find_called_like(tests: Iterable[Definition], definitions: Sequence[Definition]) -> tuple[TestItem, ...]:
    """Return the tests in whose names, or those of their files, all words of a definition's name occur.

    The fewest other words come first. A name of a single word is too common.
    """
    found = []
    for definition in definitions:
        words = set(stems_of(definition.name))
        for test in tests if len(words) >= _MIN_NAME_WORDS else ():
            own = {*stems_of(test.name), *(stem(each) for each in stem_parts(test.file))}
            if words <= own and _get_module_system(test.file) == _get_module_system(definition.file):
                found.append((len(own), TestItem.near(test, f"its name has the words of {definition.name}")))
    found.sort(key=lambda each: each[0])
    return tuple(item for _, item in found[:_MAX_NEAR])


def _find_near(tests: Iterable[Definition], files: Set[str]) -> tuple[TestItem, ...]:
    """Return the tests in some files, or else in files of the same language that are named after them."""
    every = tuple(tests)
    systems = set(map(_get_module_system, files))
    namesakes = count_shared_words({test.file for test in every}, files)
    beside = [(test, "it is in the same file") for test in every if test.file in files]
    named = [
        (test, "its file has a similar name")
        for test in every
        if test.file in namesakes and _get_module_system(test.file) in systems
    ]
    named.sort(key=lambda each: -namesakes[each[0].file])
    return tuple(TestItem.near(test, why) for test, why in (beside or named)[:_MAX_NEAR])


def _get_module_system(path: str) -> str:
    """Return what tells the languages apart in which files import one another, "" for text."""
    language = get_language(path)
    return require_spec(language).module_system if language else ""


def _select_scripts(
    scripts: Sequence[str], changed: Iterable[str], together: Mapping[str, float]
) -> tuple[TestItem, ...]:
    """Return the test scripts that the change edits, then those that often changed with the edited files."""
    edited = set(changed)
    shares = {path: 1.0 if path in edited else together.get(path, 0.0) for path in scripts}
    near = [path for path in scripts if shares[path] >= _MIN_SHARE]
    near.sort(key=lambda path: (-shares[path], path))
    return tuple(TestItem.of_script(path, shares[path]) for path in near[:_MAX_SCRIPTS])


def count_together(pair: RevisionPair) -> dict[str, float]:
    """Return for each file its largest share in the latest commits of a changed file, slightly reduced."""
    found: dict[str, float] = {}
    history = pair.base.history
    for path in [each.before for each in pair.files if each.before][:_MAX_FILES]:
        if not has_time():
            break
        commits = history.find_commits(path, limit=_PAST_COMMITS, counts=True)
        together, counted = history.find_co_changes(commits, path)
        for each in together:
            found[each.path] = max(found.get(each.path, 0.0), each.commits / (counted + _DOUBT))
    return found


def _name(test: Definition) -> tuple[str, int, str, str]:
    """Return the file, line and name of a test, and the argument that a runner takes for it."""
    name = test.file if test.kind is SymbolKind.MODULE else test.symbol.qualname
    separator = conventions_of(test.file).tests.node_separator
    node = separator.join((test.file, *name.split("."))) if separator else name
    return test.file, test.line, name, node


def _explain(selected: SelectedTest) -> str:
    """Return why a test is selected, the strongest reason first."""
    if selected.is_changed:
        return _EDITED
    reasons = []
    if selected.dependent is not None:
        reasons.append(_explain_use(selected.dependent))
    if selected.words:
        reasons.append(f"mentions {', '.join(selected.words)}")
    if selected.together:
        reasons.append(_describe_past(selected.together))
    return "; ".join(reasons)


def _explain_use(chain: Dependent) -> str:
    """Return which definition a test uses, by which path, and the reason if the use is only possible."""
    through = f" through {describe(chain.on)}" if chain.distance > 1 else ""
    why = f" ({describe_reason(chain.reason)})" if chain.reason else ""
    uses = f"{describe(chain.change.definition)}{through}"
    return f"uses {uses}" if chain.is_proven else f"may use {uses}{why}"


def _describe_past(share: float) -> str:
    return f"its file is in {100 * share:.0f} % of a changed file's commits"


def _list_unseen(changes: Sequence[SymbolChange], suite: int, scripts: Sequence[str]) -> Iterator[Reason]:
    """Yield why tests may be affected although no usage shows it."""
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
    """Return whether the change is to a fixture that tests use without naming it."""
    return any("autouse=True" in decorator for decorator in change.definition.symbol.decorators)
