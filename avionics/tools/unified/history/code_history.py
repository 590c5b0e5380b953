"""Answer who wrote a symbol, a file or a text, when and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import structs

from avionics.cancellation import has_time
from avionics.index.model.file_roles import FileRole, is_product, role_of
from avionics.index.search.query import stems_of, text_stems
from avionics.model.enums import Certainty
from avionics.model.knowledge import Definition
from avionics.model.naming import agree, plural
from avionics.model.results import Coverage
from avionics.tools.answers.answer import Section, take_sections
from avionics.tools.internal.workspace.git_log import CommitItem
from avionics.tools.questions.intents import Question
from avionics.tools.questions.literals import find_texts
from avionics.tools.questions.mention_resolver import is_value
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer, list_others, make_section, name_commit
from avionics.tools.unified.code_excerpts import code_section, read_excerpts
from avionics.tools.unified.history.matching_commits import (
    ASKS_LATEST,
    HISTORY_SHARE,
    MAX_TELLING,
    MIN_TELLING,
    answer_by_commit,
    build_matching_commits,
    build_told,
    find_matching_commits,
    list_spans,
    list_telling_words,
    list_writers,
    list_writers_of,
    read_best,
    read_matches,
    read_message_words,
)

if TYPE_CHECKING:
    from avionics.history.commits import Commit
    from avionics.tools.answers.items import CodeItem
    from avionics.tools.composite.explain_code_history import ExplainCodeHistoryAnswer
    from avionics.tools.internal.symbols.ranked_search import RankedItem
    from avionics.workspace import Workspace


_MAX_COMMITS = 10
_MAX_RELATED = 4
_MIN_COMMITS, _MAX_USERS = 3, 3
"""Fewer commits say little about a value, and in how many files that use it others are looked for."""
_AROUND = 5
"""The lines shown before and after those that a commit wrote."""
_MIN_ON_LINE = 2
"""The words of a question that a line of a function must have for the question to be about that line."""
_MAX_AUTHORS = 3


def answer_history(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the commits that explain a symbol, file or directory, and the code of the symbol."""
    from avionics.tools.composite.explain_code_history import HistoryTarget, explain_target

    if question.path == ".":
        return _answer_authors(workspace, question)
    if question.definition is None and not question.path:
        told = answer_by_commit(workspace, question)
        return told or _answer_text_history(workspace, question) or _answer_topic_history(workspace, question)
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
    own_code = _read_own(workspace, question, definition) if definition else ()
    symbols = () if own_code else _find_related(workspace, question)
    # A plain word that happens to be a name is also searched for in commit messages.
    own = stems_of(definition.name) if definition is not None else text_stems(question.path)
    known = own if len(own) > 1 else ()
    is_latest = ASKS_LATEST.search(question.text) is not None
    matching = () if is_latest else find_matching_commits(workspace, question, known)
    writers = list_writers(workspace, question, own_code)
    wrote = {each.commit for each in writers.items}
    # The commit that has the words, and wrote the lines that have them, needs no others beside it.
    if agreed := next((each for each in matching if each.oid in wrote), None):
        written = [each for each in writers.items if each.commit == agreed.oid]
        spans = [(each.file, max(1, each.line - _AROUND), each.line + each.lines + _AROUND) for each in written]
        code = read_excerpts(workspace.source, spans, HISTORY_SHARE)
        return build_told(question, (agreed,), writers, code, found.coverage.next)
    return build_answer(
        question,
        _introduce_best(question, matching, definition) + found.headline(),
        found.coverage,
        make_section("symbols", "best matches", symbols, 3.0),
        writers if writers.items else list_writers_of(workspace, question, definition),
        build_matching_commits(matching),
        list_others(question),
        _build_history_sections(found),
        code_section(own_code or read_matches(workspace, question, list_spans(symbols))),
    )


def _read_own(workspace: Workspace, question: Question, definition: Definition) -> tuple[CodeItem, ...]:
    """Return the lines of a function that a question tells more of than its name; () unless they have all it names."""
    file, span = definition.file, definition.symbol.span
    names = {each.rpartition(".")[2] for each in question.query.names} - {definition.name}
    telling = list_telling_words(question).difference(stems_of(definition.name))
    lines = workspace.source.find_lines(file)[span.start_line : span.end_line]
    most = max((len(telling.intersection(text_stems(each))) for each in lines), default=0)
    has_names = all(any(name in each for each in lines) for name in names)
    if len(telling) < MIN_TELLING or most < _MIN_ON_LINE or not has_names:
        return ()
    return read_excerpts(workspace.source, [(file, span.start_line, span.end_line)], HISTORY_SHARE, telling)


def _introduce_best(question: Question, commits: Sequence[Commit], definition: Definition | None) -> str:
    """Return the beginning of a summary that names the best commit, if it says more of the question than its subject.

    The subject of a question in plain words may be only a part of what is meant: `api` of "the fever api".
    """
    own = text_stems(question.path if definition is None else f"{definition.file} {definition.symbol.qualname}")
    telling = list_telling_words(question)
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


def _answer_topic_history(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the commits whose messages match a question that names no symbol, and the code that matches it best."""
    from avionics.index.changes.commit_ranking import find_shared
    from avionics.tools.internal.symbols.ranked_search import search_ranked

    commits = find_matching_commits(workspace, question)
    if not commits:
        return None
    shared = ", ".join(map(repr, find_shared(commits[0], read_message_words(question)))) or "most of these words"
    symbols = search_ranked(workspace, question.query, question.scope, _MAX_RELATED).items
    shown = min(len(commits), MAX_TELLING)
    code = read_matches(workspace, question, list_spans(symbols))
    return build_answer(
        question,
        f"{agree(len(commits), 'commit message', 'has', 'have')} {shared}; "
        f"the best one is that of {commits[0].oid[:10]}: {commits[0].subject}",
        Coverage(len(commits), shown, Certainty.AT_LEAST),
        build_matching_commits(commits),
        make_section("symbols", "best matches", symbols, 2.0),
        list_writers(workspace, question, code),
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
        list_writers_of(workspace, question, definition),
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
            code = tuple(each for each in read_best(workspace, question, HISTORY_SHARE) if name in each.text)
            return build_answer(
                question,
                found.headline(),
                found.coverage,
                list_writers_of(workspace, question, None, name),
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
