"""Answer questions about changes and history: what changed, why, by whom, what it affects, and the tests to run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from msgspec import structs

from avionics.index.model.file_roles import FileRole, is_product, role_of
from avionics.index.scopes.symbol_lookup import is_within
from avionics.late_pattern import late_pattern
from avionics.model.enums import FUNCTIONS, Certainty, SymbolKind, is_class
from avionics.model.errors import HistoryError, UsageError
from avionics.model.naming import plural
from avionics.model.results import Coverage
from avionics.syntax.registry import get_language
from avionics.tools.answers.answer import Section, shorten, take_sections
from avionics.tools.answers.change_items import ChangeItem, group_by_file
from avionics.tools.answers.items import NameItem
from avionics.tools.internal.workspace.git_log import CommitItem
from avionics.tools.questions.change_reader import (
    LAST_RELEASE,
    AskedChange,
    AskedDefinitions,
    read_asked_changes,
    read_asked_definitions,
)
from avionics.tools.questions.commits_reader import AskedCommits, read_commits
from avionics.tools.questions.intents import Question
from avionics.tools.questions.path_mentions import PATHLIKE, get_path
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer, list_others, make_section

if TYPE_CHECKING:
    from avionics.history.commits import Commit
    from avionics.tools.composite.compare_revisions import CompareRevisionsAnswer
    from avionics.workspace import Workspace

_MAX_SCOPES = 5
"""Files with the same name that are compared."""
_MAX_COUNTED, _MAX_TOUCHED = 5, 8
_MAX_COMMITS = 10
_MAX_BETWEEN, _MAX_SUBJECTS, _MAX_SUBJECT = 300, 10, 100
"""The commits between two revisions that are read and listed, and the characters shown of a subject."""
_NAMED_PLACE = late_pattern(r"\b(?:in|of|and|or|under|within)(?: the)? ([a-z][\w-]*+)(?![/.])", re.IGNORECASE)


def answer_changes(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the differences between two revisions: API breaks and signatures first, then symbols by file."""
    from avionics.tools.composite.compare_revisions import compare_revisions

    base, head = _get_ends(workspace, question.change or AskedChange())
    base = base or "HEAD"
    places = _find_places(workspace, question.text) if question.path else ()
    scopes = [None] if len(places) > 1 else _list_scopes(workspace, question)
    # If several files have the name in the question, the one that changed is meant.
    compared = (compare_revisions(workspace, base, head, scope) for scope in scopes)
    found = first = next(compared)
    if not first.coverage.found:
        found = next((each for each in compared if each.coverage.found), first)
    # Changes in tests are listed by file, because no other code calls them.
    product = tuple(each for each in found.signatures if role_of(each.file) < FileRole.TEST)
    breaks, signatures, renamed = take_sections(
        structs.replace(found, signatures=product), "breaks", "signatures", "renamed"
    )
    names = read_asked_changes(question.text)
    asked = take_sections(found, *names) if names else ()
    if asked and (wanted := read_asked_definitions(question.text)):
        return structs.replace(_answer_asked(question, found, asked, wanted), revision=found.revision)
    return structs.replace(
        build_answer(
            question,
            found.headline(),
            found.coverage,
            *map(_choose_outermost, asked),
            breaks,
            signatures.show(counts=False),
            make_section("changed_files", "changed files", group_by_file(_list_kinds(found), places), 4.0),
            renamed,
            _list_commits_between(workspace, base, head, places or scopes[:1]),
        ),
        revision=found.revision,
    )


def _choose_outermost(section: Section) -> Section:
    """Return a section of changes without the members of what it lists, product code and classes first."""
    places = [(each.file or each.was.rpartition(":")[0], each) for each in section.items]
    listed = {(file, each.symbol) for file, each in places}
    chosen = [(file, each) for file, each in places if (file, each.symbol.rpartition(".")[0]) not in listed]
    chosen.sort(key=lambda entry: (role_of(entry[0]), not is_class(SymbolKind(entry[1].kind))))
    return structs.replace(section, items=tuple(each for _, each in chosen))


def _answer_asked(
    question: Question, found: CompareRevisionsAnswer, asked: Sequence[Section], wanted: AskedDefinitions
) -> AnalyzeAnswer:
    """Return the definitions of some kinds that were added or removed."""
    sections = [
        structs.replace(each, items=tuple(item for item in each.items if SymbolKind(item.kind) in wanted.kinds))
        for each in asked
    ]
    told = ", ".join(f"{plural(len(each.items), wanted.called)} {each.name}" for each in sections)
    # The members of a definition that was added as a whole are not changes of their own.
    whole = [each for each in asked if any(is_class(SymbolKind(item.kind)) for item in each.items)]
    told += "".join(f", beside the members of types {each.name}" for each in whole if wanted.kinds == FUNCTIONS)
    count = sum(len(each.items) for each in sections)
    coverage = structs.replace(found.coverage, found=count, shown=count)
    return build_answer(question, f"{found.title}: {told}", coverage, *map(_choose_outermost, sections))


def _list_scopes(workspace: Workspace, question: Question) -> Sequence[str | None]:
    """Return the directories or files that a question may be about, the likeliest first."""
    if not question.path:
        return [question.scope or None]
    written = (each.strip("/").rstrip(".") for each in PATHLIKE.findall(question.text))
    name = next((each for each in written if question.path.endswith(f"/{each}")), question.path)
    if get_path(workspace.code, question.text, is_written=True) is None:
        # The plain words that are also the name of a directory may mean something else.
        return [question.path, None]
    return [question.path, *(each for each in workspace.code.files if each.endswith(f"/{name}"))][:_MAX_SCOPES]


def _find_places(workspace: Workspace, text: str) -> tuple[str, ...]:
    """Return the directories and files that a text writes as paths, and those at the root that it names beside them."""
    written = (get_path(workspace.code, each, is_written=True) for each in map(str, PATHLIKE.findall(text)))
    roots = {file.partition("/")[0] for file in workspace.code.files if "/" in file}
    named = (found[1] for found in _NAMED_PLACE.finditer(text) if found[1] in roots)
    return tuple(dict.fromkeys((*filter(None, written), *named)))


def _list_commits_between(workspace: Workspace, base: str, head: str | None, places: Sequence[str | None]) -> Section:
    """Return the commits between two revisions, those first that change most lines of product code in some places."""
    commits: tuple[Commit, ...] = ()
    if head is not None and workspace.history.is_available():
        # A partial clone lacks the contents in which lines are counted.
        with suppress(HistoryError):
            commits = workspace.history.find_commits_between(base, head, limit=_MAX_BETWEEN)

    def count_lines(commit: Commit) -> int:
        own = (
            each for each in commit.files
            if is_product(each.path) and get_language(each.path) and any(is_within(each.path, at) for at in places)
        )  # fmt: skip
        return sum((each.added or 0) + (each.deleted or 0) for each in own)

    sizes = {each.oid: count_lines(each) for each in commits}
    largest = sorted((each for each in commits if sizes[each.oid]), key=lambda each: -sizes[each.oid])
    items = [NameItem(f"{each.oid[:7]} {shorten(each.subject, _MAX_SUBJECT)}") for each in largest[:_MAX_SUBJECTS]]
    return make_section("commits", "commits that changed this code most", items, 1.0)


def _list_kinds(found: CompareRevisionsAnswer) -> dict[str, tuple[ChangeItem, ...]]:
    """Return what happened to symbols → the changes of that kind."""
    return {
        "signature": found.signatures,
        "changed": found.bodies,
        "added": found.added,
        "removed": found.removed,
        "moved": found.moved,
        "comments": found.comments,
    }


def answer_commits(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the commits of a period or an author, newest first, and the files they touched; None without a match."""
    asked = read_commits(question.text, datetime.now().astimezone())
    place = "" if question.path == "." else question.path
    since = int(asked.since.timestamp()) if asked.since else None
    limit = (asked.count or _MAX_COMMITS) if asked.is_for_newest else workspace.settings.max_history_commits
    try:
        commits = workspace.history.find_commits(place, limit=limit, counts=True, since=since)
    except HistoryError:
        # A partial clone lacks the contents in which lines are counted.
        commits = workspace.history.find_commits(place, limit=limit, since=since)
    is_cut = len(commits) == limit
    if asked.until:
        commits = tuple(each for each in commits if each.epoch < asked.until.timestamp())
    if asked.author:
        commits = tuple(each for each in commits if asked.author.casefold() in f"{each.author} {each.email}".casefold())
    if not commits and (asked.author or not asked.since):
        return None
    shown = commits[:_MAX_COMMITS]
    is_all = asked.is_for_newest or not (is_cut or workspace.history.is_shallow)
    return build_answer(
        question,
        _describe_commits(workspace, asked, place, commits, is_cut=is_cut),
        Coverage(len(commits), len(shown), Certainty.EXACT if is_all else Certainty.AT_LEAST),
        make_section("commits", "commits, newest first", tuple(map(CommitItem.of, shown)), 3.0, counts=True),
        _list_authors(commits),
        _list_touched(commits),
    )


def _describe_commits(
    workspace: Workspace, asked: AskedCommits, place: str, commits: Sequence[Commit], *, is_cut: bool
) -> str:
    """Return how many commits there are, by whom and of when; if there are none, which one is the newest."""
    until = f" until {asked.until - timedelta(days=1):%Y-%m-%d}" if asked.until else ""
    period = f" since {asked.since:%Y-%m-%d}{until}" if asked.since else ""
    where = f" of {place}" if place else ""
    if not commits:
        newest = next(iter(workspace.history.find_commits(place, limit=1)), None)
        last = f"; the newest one is {newest.oid[:10]} of {newest.time[:10]}: {newest.subject}" if newest else ""
        return f"no commit{where}{period}{last}"
    authors = {each.email or each.author for each in commits}
    by = f" by {commits[0].author}" if len(authors) == 1 else f" by {plural(len(authors), 'author')}"
    dates = f"from {commits[-1].time[:10]} to {commits[0].time[:10]}"
    if asked.is_for_newest:
        return f"the newest {plural(len(commits), 'commit')}{where}{by}, {dates}"
    least = "at least " if is_cut else ""
    return f"{least}{plural(len(commits), 'commit')}{where}{period}{by}, {dates}"


def _list_authors(commits: Sequence[Commit]) -> Section:
    """Return the authors with most commits, if there are several."""
    names = {each.email: each.author for each in reversed(commits)}
    counted = Counter(each.email for each in commits).most_common(_MAX_COUNTED) if len(names) > 1 else []
    items = [NameItem(f"{names[email]}: {plural(count, 'commit')}") for email, count in counted]
    return make_section("authors", "authors with most commits", items, 1.0)


def _list_touched(commits: Sequence[Commit]) -> Section:
    """Return the files that most commits touched."""
    touched = Counter(file.path for each in commits for file in each.files)
    items = [NameItem(f"{path}: {plural(count, 'commit')}") for path, count in touched.most_common(_MAX_TOUCHED)]
    return make_section("touched", "files that most of them touched", items, 1.0)


def answer_impact(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return what depends on a change that was made, or on one of a symbol or file that is planned."""
    from avionics.tools.composite.impact_of_change import impact_of_change, predict_impact

    if question.change is not None:
        found = impact_of_change(workspace, *_get_ends(workspace, question.change))
    else:
        found = predict_impact(workspace, question.definition, question.path)
    answer = build_answer(question, found.headline(), found.coverage, take_sections(found), list_others(question))
    return structs.replace(answer, revision=found.revision)


def answer_change_tests(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the tests to run for a change, ranked."""
    from avionics.tools.composite.tests_for_change import tests_for_change

    found = tests_for_change(workspace, *_get_ends(workspace, question.change or AskedChange()))
    answer = build_answer(question, found.headline(), found.coverage, take_sections(found))
    return structs.replace(answer, revision=found.revision)


def _get_ends(workspace: Workspace, change: AskedChange) -> tuple[str | None, str | None]:
    """Return the revisions before and after a change: what changed in a release is compared with the one before it.

    Raises:
        UsageError: There is no such revision.
    """
    from avionics.tools.resolution.revision_pair import STAGED

    if change.is_staged:
        return change.base, STAGED
    base, head = (
        _get_release(workspace, each) if each == LAST_RELEASE else each for each in (change.base, change.head)
    )
    if change.is_one and head is not None:
        workspace.history.require_commit(head)
        base = workspace.history.get_release_before(head) or base or f"{head}~1"
    return base, head


def _get_release(workspace: Workspace, asked: str) -> str:
    """Return the tag of the last release.

    Raises:
        UsageError: No commit of the history is tagged as a release.
    """
    tag = workspace.history.get_last_release()
    if tag is None:
        raise UsageError(f"{asked} is not known: no tag of HEAD's history has a number", hint="name two revisions")
    return tag
