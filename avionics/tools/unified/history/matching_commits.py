"""Find the commits whose messages tell what a question asks, and the lines of code that they wrote."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from avionics.cancellation import has_time
from avionics.index.model.file_roles import role_of
from avionics.index.search.query import is_stop_word, stems_of, text_stems
from avionics.index.search.synonyms import read_said
from avionics.late_pattern import late_pattern
from avionics.model.enums import Certainty
from avionics.model.errors import SourceError, UsageError
from avionics.model.knowledge import Definition
from avionics.model.naming import agree
from avionics.model.results import Coverage, NextStep
from avionics.syntax.registry import get_language
from avionics.tools.answers.answer import Section
from avionics.tools.answers.items import NameItem
from avionics.tools.internal.workspace.git_log import CommitItem
from avionics.tools.questions.intents import Question
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer, make_section
from avionics.tools.unified.code_excerpts import Span, code_section, read_excerpts

if TYPE_CHECKING:
    from avionics.history.commits import Commit
    from avionics.tools.answers.items import CodeItem
    from avionics.tools.composite.explain_code_history import BlameShareItem
    from avionics.tools.internal.symbols.ranked_search import RankedItem
    from avionics.workspace import Workspace


MAX_TELLING = 4
_MAX_MESSAGES = 20_000
"""Commits whose messages are read; most histories have fewer."""
_MAX_EXCERPTS, _MAX_BLAMED, MIN_TELLING = 2, 120, 3
"""The excerpts, the lines of each whose last commits are looked for, and the least words by which they are found."""
_MAX_CHANGED, _MAX_GAP = 4, 6
"""The files of a commit whose lines are shown, and the lines between two of its lines that are shown with them."""
HISTORY_SHARE = 0.3
"""The share of the default budget for code in an answer about history."""
_ASKS_HISTORY = late_pattern(
    r"\b(?:why|since when|when|who|which|what)\b|\b(?:introduc|explain)\w*"
    r"|\b(?:history|commits?|reasons?|rationale|last|recent(?:ly)?)\b",
    re.IGNORECASE,
)
"""Words that ask for history, which messages seldom have."""
_ASKS_FIRST = late_pattern(r"\b(?:add|introduc|creat|start|invent)\w*", re.IGNORECASE)
ASKS_LATEST = late_pattern(r"\b(?:last|latest|newest|(?:most )?recent(?:ly)?)\b", re.IGNORECASE)


def answer_by_commit(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the commits whose subjects have all words of a question for a reason, and the lines of the first one.

    Return None if the subject of the commit that fits best lacks a word.
    """
    telling = list_telling_words(question)
    if len(telling) < MIN_TELLING or ASKS_LATEST.search(question.text):
        return None
    found = find_matching_commits(workspace, question)
    whole = tuple(each for each in found if telling <= {*text_stems(each.subject)})
    if not whole or whole[0] is not found[0] or not whole[0].parents:
        return None
    best, spans = whole[0], list[Span]()
    changed = workspace.history.find_changed_paths(best.parents[0], best.oid)
    for each in sorted(changed, key=lambda each: (role_of(each.path), each.path))[:_MAX_CHANGED]:
        lines = (
            workspace.history.find_surviving_lines(best, each.path) if has_time() and get_language(each.path) else ()
        )
        spans += ((each.path, start, end) for start, end in _join_lines(lines))
    code = read_excerpts(workspace.source, spans, HISTORY_SHARE, telling)
    changed_files = () if code else tuple(each.path for each in changed[:_MAX_CHANGED])
    return build_told(question, whole[:MAX_TELLING], None, code, files=changed_files)


def build_told(
    question: Question,
    commits: Sequence[Commit],
    writers: Section | None,
    code: Sequence[CodeItem],
    following: NextStep | None = None,
    files: Sequence[str] = (),
) -> AnalyzeAnswer:
    """Return the answer that the messages of some commits tell the reason, with lines that the first one wrote."""
    best, others = commits[0], len(commits) - 1
    more = f", and {agree(others, 'other message', 'has', 'have')} the same words" if others else ""
    return build_answer(
        question,
        f"the commit {best.oid[:10]} tells it: {best.subject}{more}",
        Coverage(len(commits), len(commits), Certainty.AT_LEAST, next=following),
        make_section("telling", "commits that tell it", tuple(map(CommitItem.of, commits)), 2.0),
        *((writers,) if writers else ()),
        make_section("files", "files that it changed", tuple(map(NameItem, files)), 0.5),
        code_section(code),
    )


def _join_lines(lines: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last of each run of lines without large gaps."""
    first = last = 0
    for each in lines:
        if last and each > last + _MAX_GAP:
            yield first, last
            first = each
        first, last = first or each, each
    if last:
        yield first, last


def list_telling_words(question: Question) -> frozenset[str]:
    """Return the stems of a question without those that ask for history or join words."""
    asked = text_stems(_ASKS_HISTORY.sub(" ", question.text))
    return frozenset(each for each in asked if not is_stop_word(each))


def list_spans(symbols: Iterable[RankedItem]) -> list[Span]:
    """Return the lines of some matches."""
    return [(each.file, each.start_line, each.end_line) for each in symbols]


def read_matches(
    workspace: Workspace, question: Question, spans: Sequence[Span], share: float = HISTORY_SHARE
) -> tuple[CodeItem, ...]:
    """Return the lines of the best matches that contain most words of a question."""
    return read_excerpts(workspace.source, spans, share, frozenset(question.query.terms))


def list_reasons(workspace: Workspace, question: Question, spans: Sequence[Span]) -> tuple[Section, ...]:
    """Return the commits that may tell why code is as it is, for a question of which no rule knows the history."""
    if not (workspace.history.is_available() and has_time()):
        return ()
    return (
        build_matching_commits(find_matching_commits(workspace, question)),
        list_writers(workspace, question, read_matches(workspace, question, spans)),
    )


def list_writers(workspace: Workspace, question: Question, code: Sequence[CodeItem]) -> Section:
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
        shares += list_blame_shares(item.file, (each for each in found if each.line in lines))[:MAX_TELLING]
    return make_section("blame", "commits that last changed these lines, not counting indentation", shares, 2.0)


def list_writers_of(workspace: Workspace, question: Question, definition: Definition | None, text: str = "") -> Section:
    """Return who wrote the lines that a question tells something of, if it does so beside the name of its subject.

    Only code that has the name is about the subject; `text` is the name of one that no code defines.
    """
    own = stems_of(definition.name) if definition is not None else text_stems(question.path)
    name = definition.name if definition is not None else text or PurePosixPath(question.path).stem
    telling = list_telling_words(question)
    if len(telling.difference(own)) < MIN_TELLING or ASKS_LATEST.search(question.text):
        return list_writers(workspace, question, ())
    code = read_best(workspace, question)
    return list_writers(workspace, question, [each for each in code if name in each.text or name in each.file])


def read_best(workspace: Workspace, question: Question, share: float = 1.0) -> tuple[CodeItem, ...]:
    """Return the lines of the few best matches that contain most words of a question."""
    from avionics.tools.internal.symbols.ranked_search import search_ranked

    found = search_ranked(workspace, question.query, question.scope, _MAX_EXCERPTS).items
    return read_matches(workspace, question, list_spans(found), share)


def find_matching_commits(workspace: Workspace, question: Question, known: Collection[str] = ()) -> tuple[Commit, ...]:
    """Return the commits whose messages contain most words of a question."""
    from avionics.index.changes import commit_ranking

    commits = workspace.history.find_commits(limit=_MAX_MESSAGES)
    is_oldest_first = _ASKS_FIRST.search(question.text) is not None
    return commit_ranking.find_matching_commits(
        commits, read_message_words(question), known, is_oldest_first=is_oldest_first
    )


def read_message_words(question: Question) -> str:
    """Return the words of a question that a message may have."""
    return read_said(_ASKS_HISTORY.sub(" ", question.text), with_hints=False)


def build_matching_commits(commits: tuple[Commit, ...]) -> Section:
    """Return the section of the first commits whose messages match a question."""
    return make_section(
        "telling", "commits whose messages have these words", tuple(map(CommitItem.of, commits[:MAX_TELLING])), 2.0
    )
