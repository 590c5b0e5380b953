"""Answer questions about changes and history: what changed, why, by whom, what it affects, and the tests to run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from msgspec import structs

from avionics.cancellation import has_time
from avionics.index.model.file_roles import FileRole, is_product, role_of
from avionics.index.scopes.symbol_lookup import is_within
from avionics.index.search.query import is_stop_word, stems_of, text_stems
from avionics.index.search.synonyms import read_said
from avionics.late_pattern import late_pattern
from avionics.model.enums import FUNCTIONS, Certainty, SymbolKind, is_class
from avionics.model.errors import HistoryError, SourceError, UsageError
from avionics.model.knowledge import Definition
from avionics.model.naming import agree, plural
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
from avionics.tools.questions.literals import find_texts
from avionics.tools.questions.mention_resolver import is_value
from avionics.tools.questions.path_mentions import PATHLIKE, get_path
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer, list_others, make_section, name_commit
from avionics.tools.unified.code_excerpts import Span, code_section, read_excerpts

if TYPE_CHECKING:
    from avionics.history.commits import Commit
    from avionics.tools.answers.items import CodeItem
    from avionics.tools.composite.compare_revisions import CompareRevisionsAnswer
    from avionics.tools.composite.explain_code_history import BlameShareItem, ExplainCodeHistoryAnswer
    from avionics.tools.internal.symbols.ranked_search import RankedItem
    from avionics.workspace import Workspace

_MAX_SCOPES = 5
"""Files with the same name that are compared."""
_MAX_COUNTED, _MAX_TOUCHED = 5, 8
_MAX_COMMITS, _MAX_TELLING = 10, 4
_MAX_BETWEEN, _MAX_SUBJECTS, _MAX_SUBJECT = 300, 10, 100
"""The commits between two revisions that are read and listed, and the characters shown of a subject."""
_NAMED_PLACE = late_pattern(r"\b(?:in|of|and|or|under|within)(?: the)? ([a-z][\w-]*+)(?![/.])", re.IGNORECASE)
_MAX_RELATED = 4
_MIN_COMMITS, _MAX_USERS = 3, 3
"""Fewer commits say little about a value, and in how many files that use it others are looked for."""
_MAX_MESSAGES = 20_000
"""Commits whose messages are read; most histories have fewer."""
_MAX_EXCERPTS, _MAX_BLAMED, _MIN_TELLING = 2, 120, 3
"""The excerpts, the lines of each whose last commits are looked for, and the least words by which they are found."""
_MAX_AUTHORS = 3
_HISTORY_SHARE = 0.3
"""The share of the default budget for code in an answer about history."""
_ASKS_HISTORY = late_pattern(
    r"\b(?:why|since when|when|who|which|what)\b|\b(?:introduc|explain)\w*"
    r"|\b(?:history|commits?|reasons?|rationale|last|recent(?:ly)?)\b",
    re.IGNORECASE,
)
"""Words that ask for history, which messages seldom have."""
_ASKS_FIRST = late_pattern(r"\b(?:add|introduc|creat|start|invent)\w*", re.IGNORECASE)
_ASKS_LATEST = late_pattern(r"\b(?:last|latest|newest|(?:most )?recent(?:ly)?)\b", re.IGNORECASE)


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


def answer_history(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the commits that explain a symbol, file or directory, and the code of the symbol."""
    from avionics.tools.composite.explain_code_history import HistoryTarget, explain_target

    if question.path == ".":
        return _answer_authors(workspace, question)
    if question.definition is None and not question.path:
        return _answer_text_history(workspace, question) or _answer_topic_history(workspace, question)
    if question.definition is not None and is_value(question.definition):
        name = question.definition.name
        if name.isalpha() and name.islower() and (topic := _answer_topic_history(workspace, question)):
            # For a plain word in a sentence, commits with all of its words are more useful than the history of a
            # variable.
            return topic
        is_product = role_of(question.definition.file) is FileRole.PRODUCT
        older = None if is_product else _answer_text_history(workspace, question, question.definition.name)
        return older or _answer_value_history(workspace, question, question.definition)
    definition = question.definition and workspace.code.graph.body_of(question.definition)
    target = HistoryTarget.of(definition) if definition else HistoryTarget(question.path, question.path)
    found = explain_target(workspace.history, target, _MAX_COMMITS, workspace.settings.max_history_commits)
    symbols = _find_related(workspace, question)
    # A plain word that happens to be a name is also searched for in commit messages.
    own = stems_of(definition.name) if definition is not None else text_stems(question.path)
    known = own if len(own) > 1 else ()
    is_latest = _ASKS_LATEST.search(question.text) is not None
    matching = () if is_latest else find_matching_commits(workspace, question, known)
    return build_answer(
        question,
        _introduce_best(question, matching, definition) + found.headline(),
        found.coverage,
        make_section("symbols", "best matches", symbols, 3.0),
        _list_writers_of(workspace, question, definition),
        build_matching_commits(matching),
        list_others(question),
        _build_history_sections(found),
        code_section(_read_matches(workspace, question, _list_spans(symbols))),
    )


def _introduce_best(question: Question, commits: Sequence[Commit], definition: Definition | None) -> str:
    """Return the beginning of a summary that names the best commit, if it says more of the question than its subject.

    The subject of a question in plain words may be only a part of what is meant: `api` of "the fever api".
    """
    own = text_stems(question.path if definition is None else f"{definition.file} {definition.symbol.qualname}")
    telling = {each for each in text_stems(_ASKS_HISTORY.sub(" ", question.text)) if not is_stop_word(each)}
    may_tell_more = not telling <= {*own}
    best = next((each for each in commits if may_tell_more and telling <= {*text_stems(each.subject)}), None)
    return name_commit(best.oid, best.subject) if best is not None else ""


def _answer_authors(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return who made most of the commits that are read."""
    from avionics.tools.composite.explain_code_history import HistoryTarget, explain_target

    limit = workspace.settings.max_history_commits
    found = explain_target(workspace.history, HistoryTarget("the workspace", ""), 1, limit)
    first = f"; {found.authors[0].author} made most of them: {found.authors[0].commits:,}" if found.authors else ""
    return build_answer(
        question,
        f"{plural(found.coverage.found, 'commit')}{first}",
        structs.replace(found.coverage, shown=found.coverage.found, next=None),
        take_sections(found, "authors"),
    )


def _list_spans(symbols: Iterable[RankedItem]) -> list[Span]:
    return [(each.file, each.start_line, each.end_line) for each in symbols]


def _read_matches(
    workspace: Workspace, question: Question, spans: Sequence[Span], share: float = _HISTORY_SHARE
) -> tuple[CodeItem, ...]:
    """Return the lines of the best matches that contain most words of a question."""
    return read_excerpts(workspace.source, spans, share, frozenset(question.query.terms))


def list_reasons(workspace: Workspace, question: Question, spans: Sequence[Span]) -> tuple[Section, ...]:
    """Return the commits that may tell why code is as it is, for a question of which no rule knows the history."""
    if not (workspace.history.is_available() and has_time()):
        return ()
    return (
        build_matching_commits(find_matching_commits(workspace, question)),
        _list_writers(workspace, question, _read_matches(workspace, question, spans)),
    )


def _list_writers(workspace: Workspace, question: Question, code: Sequence[CodeItem]) -> Section:
    """Return the commits that last changed the lines of the first excerpts that have most words of a question."""
    from avionics.tools.composite.explain_code_history import list_blame_shares

    wanted = frozenset(question.query.terms)
    shared = [
        {
            at: len(wanted.intersection(text_stems(text)))
            for at, text in enumerate(each.text.split("\n")[:_MAX_BLAMED], each.start_line)
        }
        for each in code[:_MAX_EXCERPTS]
    ]
    least = max(1, max((count for counts in shared for count in counts.values()), default=0) - 1)
    shares: list[BlameShareItem] = []
    for item, counts in zip(code, shared, strict=False):
        lines = [at for at, count in counts.items() if count >= least]
        try:
            found = workspace.history.find_blame(item.file, lines[0], lines[-1]) if lines and has_time() else ()
        except (UsageError, SourceError):
            # The file is not committed, or has changed since it was read.
            continue
        shares += list_blame_shares(item.file, (each for each in found if each.line in lines))[:_MAX_TELLING]
    return make_section("blame", "commits that last changed these lines, not counting indentation", shares, 2.0)


def _list_writers_of(
    workspace: Workspace, question: Question, definition: Definition | None, text: str = ""
) -> Section:
    """Return who wrote the lines that a question tells something of, if it does so beside the name of its subject.

    Only code that has the name is about the subject; `text` is the name of one that no code defines.
    """
    own = stems_of(definition.name) if definition is not None else text_stems(question.path)
    name = definition.name if definition is not None else text or PurePosixPath(question.path).stem
    telling = {each for each in text_stems(_ASKS_HISTORY.sub(" ", question.text)) if not is_stop_word(each)}
    if len(telling.difference(own)) < _MIN_TELLING or _ASKS_LATEST.search(question.text):
        return _list_writers(workspace, question, ())
    code = _read_best(workspace, question)
    return _list_writers(workspace, question, [each for each in code if name in each.text or name in each.file])


def _read_best(workspace: Workspace, question: Question, share: float = 1.0) -> tuple[CodeItem, ...]:
    """Return the lines of the few best matches that contain most words of a question."""
    from avionics.tools.internal.symbols.ranked_search import search_ranked

    found = search_ranked(workspace, question.query, question.scope, _MAX_EXCERPTS).items
    return _read_matches(workspace, question, _list_spans(found), share)


def find_matching_commits(workspace: Workspace, question: Question, known: Collection[str] = ()) -> tuple[Commit, ...]:
    """Return the commits whose messages contain most words of a question."""
    from avionics.index.changes import commit_ranking

    commits = workspace.history.find_commits(limit=_MAX_MESSAGES)
    is_oldest_first = _ASKS_FIRST.search(question.text) is not None
    return commit_ranking.find_matching_commits(commits, _read_words(question), known, is_oldest_first=is_oldest_first)


def _read_words(question: Question) -> str:
    """Return the words of a question that a message may have."""
    return read_said(_ASKS_HISTORY.sub(" ", question.text), with_hints=False)


def build_matching_commits(commits: tuple[Commit, ...]) -> Section:
    """Return the section of the first commits whose messages match a question."""
    return make_section(
        "telling", "commits whose messages have these words", tuple(map(CommitItem.of, commits[:_MAX_TELLING])), 2.0
    )


def _answer_topic_history(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the commits whose messages match a question that names no symbol, and the code that matches it best."""
    from avionics.index.changes.commit_ranking import find_shared
    from avionics.tools.internal.symbols.ranked_search import search_ranked

    commits = find_matching_commits(workspace, question)
    if not commits:
        return None
    shared = ", ".join(map(repr, find_shared(commits[0], _read_words(question)))) or "most of these words"
    symbols = search_ranked(workspace, question.query, question.scope, _MAX_RELATED).items
    shown = min(len(commits), _MAX_TELLING)
    code = _read_matches(workspace, question, _list_spans(symbols))
    return build_answer(
        question,
        f"{agree(len(commits), 'commit message', 'has', 'have')} {shared}; "
        f"the best one is that of {commits[0].oid[:10]}: {commits[0].subject}",
        Coverage(len(commits), shown, Certainty.AT_LEAST),
        build_matching_commits(commits),
        make_section("symbols", "best matches", symbols, 2.0),
        _list_writers(workspace, question, code),
        code_section(code),
    )


def _build_history_sections(found: ExplainCodeHistoryAnswer) -> tuple[Section, ...]:
    """Return the sections of the commits, the introducing one first, and of their authors."""
    commits, introduction, mentions, authors = take_sections(found, "commits", "introduction", "mentions", "authors")
    older = tuple(each for each in introduction.items if each not in commits.items[:1])
    newer = tuple(each for each in commits.items if each not in older)
    return (
        structs.replace(introduction, items=older),
        structs.replace(commits, items=newer),
        structs.replace(mentions, items=mentions.items[:_MAX_AUTHORS]),
        structs.replace(authors, items=authors.items[:_MAX_AUTHORS]),
    )


def _answer_value_history(workspace: Workspace, question: Question, definition: Definition) -> AnalyzeAnswer:
    """Return the commits that added or removed the name of a value; the history of one line says little.

    If few did in its own file, those in the files that use it most are added.
    """
    limit = workspace.settings.max_history_commits
    commits = workspace.history.find_commits(definition.file, limit=limit, word=definition.name)
    where = "its file has"
    if len(commits) < _MIN_COMMITS:
        used = Counter(each.file for each in workspace.code.usages(definition).usages if is_product(each.file))
        users = [file for file, _ in used.most_common(_MAX_USERS) if file != definition.file and has_time()]
        found = (workspace.history.find_commits(file, limit=limit, word=definition.name) for file in users)
        every = {each.oid: each for each in (*commits, *(commit for each in found for commit in each))}
        if users:
            where = f"its file and {agree(len(users), 'file', 'that uses', 'that use')} it have"
        commits = tuple(sorted(every.values(), key=lambda each: each.time, reverse=True))
    place = f"{definition.symbol.qualname} ({definition.file}:{definition.line})"
    summary = f"{place}: {plural(len(commits), 'commit')} changed how often {where} the name"
    newer = tuple(map(CommitItem.of, commits[: min(len(commits) - 1, _MAX_COMMITS)]))
    return build_answer(
        question,
        summary,
        Coverage(len(commits), len(newer) + len(commits[-1:])),
        make_section("introduction", "introduced by", tuple(map(CommitItem.of, commits[-1:])), 1.0),
        _list_writers_of(workspace, question, definition),
        build_matching_commits(find_matching_commits(workspace, question, stems_of(definition.name))),
        list_others(question),
        make_section("commits", "commits, newest first", newer, 3.0),
    )


def _answer_text_history(workspace: Workspace, question: Question, *names: str) -> AnalyzeAnswer | None:
    """Return the commits that added or removed a text that no product code defines, None if no commit did."""
    from avionics.tools.composite.explain_code_history import HistoryTarget, explain_target

    for name in filter(None, (*names, *find_texts(question.query), question.missing)):
        target = HistoryTarget(name, "", name=name)
        found = explain_target(workspace.history, target, _MAX_COMMITS, workspace.settings.max_history_commits)
        if found.commits:
            code = tuple(each for each in _read_best(workspace, question, _HISTORY_SHARE) if name in each.text)
            return build_answer(
                question,
                found.headline(),
                found.coverage,
                _list_writers_of(workspace, question, None, name),
                build_matching_commits(find_matching_commits(workspace, question)),
                _build_history_sections(found),
                code_section(code),
            )
    return None


def _find_related(workspace: Workspace, question: Question) -> tuple[RankedItem, ...]:
    """Return the best matches if a question names more than its subject: "why does `load` need `TOKEN`?"."""
    subject = question.definition.name if question.definition else ""
    if not subject or not any(name.rpartition(".")[2] != subject for name in question.query.names):
        return ()
    from avionics.tools.internal.symbols.ranked_search import search_ranked

    return search_ranked(workspace, question.query, question.scope, _MAX_RELATED).items


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
