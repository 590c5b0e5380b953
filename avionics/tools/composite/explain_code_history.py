"""explain_code_history: explain who wrote code, when and why.

The commits that touched the lines come first, followed back through renames and moves. If there are none, the commits
of the file are used, and then those that changed how often the symbol's name occurs, which also finds removed symbols.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct, structs

from avionics.history.blame import BlameLine
from avionics.history.commits import Commit
from avionics.history.line_history import LineStory
from avionics.history.worktree import is_in_submodule
from avionics.model.enums import is_class
from avionics.model.errors import UsageError
from avionics.model.knowledge import Definition
from avionics.model.mappings import group_pairs
from avionics.model.naming import plural
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Attempt, Coverage, NextStep
from avionics.tools.answers.answer import part, shorten
from avionics.tools.answers.fallback_chain import FallbackChain
from avionics.tools.answers.items import NameItem
from avionics.tools.answers.next_step import suggest
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.internal.workspace.git_log import MAX_COMMITS, CommitItem, get_coverage
from avionics.tools.resolution.path_resolver import get_prefix
from avionics.tools.resolution.symbol_resolver import find_near
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.history.history import History
    from avionics.index.code_index import CodeIndex
    from avionics.workspace import Workspace

_MENTION = re.compile(r"(?:(?<![\w&/#])#|\bGH-|/(?:pull|issues|merge_requests)/)(\d{1,7})\b")
_MAX_ITEMS = 10
_MAX_NAME = 80
"""Characters of a name that no symbol has, as a note repeats it."""


class AuthorItem(Struct, frozen=True):
    """An author: the number of commits, and the dates of the first and the last."""

    author: str
    commits: int
    first: str
    last: str

    def to_text(self) -> str:
        when = self.first[:10] if self.commits == 1 else f"{self.first[:10]} to {self.last[:10]}"
        return f"{self.author}: {plural(self.commits, 'commit')} ({when})"


class MentionItem(Struct, frozen=True):
    """A pull request or issue that commit messages mention, and the newest commit that does."""

    number: int
    commit: str
    subject: str

    def to_text(self) -> str:
        return f"#{self.number} in {self.commit[:10]} {self.subject}"


class TogetherItem(Struct, frozen=True):
    """A file that changed in the same commits: in how many, of how many that were read."""

    path: str
    commits: int
    of_commits: int

    def to_text(self) -> str:
        return f"{self.path}: in {self.commits} of {plural(self.of_commits, 'commit')}"


class BlameShareItem(Struct, frozen=True):
    """A commit that last changed some of the current lines: how many, and the first of them."""

    file: str
    line: int
    lines: int
    commit: str
    date: str
    author: str
    subject: str

    def to_text(self) -> str:
        who = f"{self.commit[:10]} {self.date[:10]} {self.author}: " if self.commit else ""
        return f"{self.file}:{self.line} {plural(self.lines, 'line')} from {who}{self.subject}"


class MoveItem(Struct, frozen=True):
    """A commit that moved the lines from another file."""

    commit: str
    former: str
    path: str

    def to_text(self) -> str:
        return f"{self.commit[:10]} moved it from {self.former} to {self.path}"


class ExplainCodeHistoryAnswer(Struct, frozen=True):
    """The commits that explain the code, and a summary of them."""

    subject: str
    coverage: Coverage
    attempts: tuple[Attempt, ...]
    churn: str = ""
    introduction: tuple[CommitItem, ...] = part("introduced by", share=1.0)
    origin: tuple[CommitItem, ...] = part("its lines originate in", share=0.5)
    commits: tuple[CommitItem, ...] = part("commits, newest first", share=4.0)
    moves: tuple[MoveItem, ...] = part("moves", share=0.5)
    authors: tuple[AuthorItem, ...] = part("authors", share=1.0)
    mentions: tuple[MentionItem, ...] = part("pull requests and issues mentioned in messages", share=1.0)
    together: tuple[TogetherItem, ...] = part("files that change together with it", share=1.0)
    blame: tuple[BlameShareItem, ...] = part("current lines, by the commit that last changed them", share=1.0)
    near: tuple[NameItem, ...] = part("similar names")

    def headline(self) -> str:
        if not self.commits:
            return f"{self.subject}: no commits found"
        notes = "" if self.introduction else "; the first commit is not known"
        if not (self.mentions or any(commit.why for commit in self.commits)):
            notes += "; the commit has no body" if self.coverage.found == 1 else "; no commit has a body"
        return f"{self.subject}: {plural(self.coverage.found, 'commit')}{self.churn}{notes}"


class HistoryTarget(Struct, frozen=True):
    """The code to explain: a path, lines or a symbol.

    Attributes:
        title: How the answer names it.
        path: Its file or directory; "" for the whole workspace, or if only the name is known.
        start_line: The first line, 0 for the whole file.
        end_line: The last line, 0 for the whole file.
        name: The name of the symbol, "" if none was given.
        reasons: Why the history is incomplete.
    """

    title: str
    path: str
    start_line: int = 0
    end_line: int = 0
    name: str = ""
    reasons: tuple[Reason, ...] = ()

    @classmethod
    def of(cls, definition: Definition) -> HistoryTarget:
        """Return the target for the lines of a definition."""
        span, name = definition.symbol.span, definition.symbol.qualname
        title = f"{name} ({definition.file}:{span.start_line}-{span.end_line})"
        return cls(title, definition.file, span.start_line, span.end_line, name)


@tool(
    ToolId.EXPLAIN_CODE_HISTORY,
    accepts="a symbol or a path, or lines of a file",
    returns="commits, first introduction, authors, reasons, files that change together",
)
def explain_code_history(
    workspace: Workspace,
    path: str | None = None,
    symbol: str | None = None,
    start_line: Annotated[int, Bounds(ge=1)] | None = None,
    end_line: Annotated[int, Bounds(ge=1)] | None = None,
    limit: Annotated[int, Bounds(ge=1, le=MAX_COMMITS)] = 10,
) -> ExplainCodeHistoryAnswer:
    """Explain who wrote code, when and why, through moves and renames.

    Args:
        path: A file or directory; needed unless a symbol is given.
        symbol: A function, class or other name; needed unless a path is given.
        start_line: First line; default: all.
        end_line: Last line; default: start_line.
        limit: The maximum number of commits.
    """
    source = workspace.source
    prefix = get_prefix(source, path)
    if symbol:
        target = _get_target(workspace.code, prefix, symbol)
    elif path is None:
        raise UsageError("a path or a symbol is needed", hint="give path='src/app.py' or symbol='Name'")
    elif end_line is not None and end_line < (start_line or 1):
        raise UsageError(f"not a range of lines: {start_line or 1} to {end_line}", hint="give start_line ≤ end_line")
    elif start_line is None and end_line is None:
        target = HistoryTarget(prefix or "the workspace", prefix)
    else:
        first = start_line or 1
        last = end_line or first
        target = HistoryTarget(f"{prefix}:{first}-{last}", prefix, first, last)
    answer = explain_target(workspace.history, target, limit, workspace.settings.max_history_commits)
    if answer.commits:
        return answer
    near = source.find_near(target.path) if target.path else ()
    if symbol:
        near = tuple(each.label for each in find_near(workspace.code, symbol))
    return structs.replace(answer, near=tuple(map(NameItem, near)))


def explain_target(history: History, target: HistoryTarget, limit: int, max_commits: int) -> ExplainCodeHistoryAnswer:
    """Return the history of some code, with at most `limit` of the at most `max_commits` commits that are read."""
    fallbacks = FallbackChain()
    is_file = bool(target.path) and history.get_kind(target.path, history.require_head()) == "blob"
    story, in_file, commits = _find_commits(history, fallbacks, target, max_commits, is_file=is_file)
    together, counted = history.find_co_changes(in_file or commits, target.path)
    lines: tuple[BlameLine, ...] = ()
    if is_file:
        lines = fallbacks.try_step(
            "who changed the lines last",
            lambda: history.find_blame(target.path, target.start_line or 1, target.end_line or None),
        )
    is_all = len(commits) < max_commits and story.is_whole
    inner = [each for each in history.find_submodules() if is_in_submodule(target.path, (each,))]
    separate = (Reason(ReasonKind.SEPARATE_REPOSITORY, subject=each) for each in inner)
    unread = () if is_all else (Reason(ReasonKind.COMMIT_LIMIT, max_commits),)
    told = (each for each in target.reasons if commits or each.kind is not ReasonKind.TEXT_HISTORY)
    reasons = (*told, *separate, *unread)
    shown = commits[:limit]
    shallow = history.is_shallow
    introduction, origin = _find_beginnings(commits, story, target) if is_all and not shallow else ((), ())
    coverage = get_coverage(len(commits), len(shown), is_all=is_all, is_shallow=shallow, reasons=reasons)
    return ExplainCodeHistoryAnswer(
        target.title,
        structs.replace(coverage, next=_suggest_more(target, len(commits), len(shown))),
        fallbacks.attempts,
        _describe_churn(in_file) if is_file else "",
        introduction,
        origin,
        tuple(CommitItem.of(commit) for commit in shown),
        tuple(MoveItem(*move) for move in story.moves),
        _rank_authors(commits),
        _list_mentions(commits),
        tuple(TogetherItem(each.path, each.commits, counted) for each in together[:_MAX_ITEMS] if each.commits > 1),
        list_blame_shares(target.path, lines),
    )


def _suggest_more(target: HistoryTarget, found: int, shown: int) -> NextStep | None:
    """Return the step that lists more commits, None if there are no more or no call lists them."""
    limit = min(found, MAX_COMMITS)
    if limit <= shown:
        return None
    asked: dict[str, object] = {"path": target.path or "."}
    if target.name:
        asked["symbol"] = target.name
    elif target.start_line:
        asked |= {"start_line": target.start_line, "end_line": target.end_line}
    purpose = f"for {plural(limit - shown, 'more commit')}"
    return suggest(ToolId.EXPLAIN_CODE_HISTORY, purpose, **asked, limit=limit)


def _find_commits(
    history: History, fallbacks: FallbackChain, target: HistoryTarget, max_commits: int, *, is_file: bool
) -> tuple[LineStory, tuple[Commit, ...], tuple[Commit, ...]]:
    """Return the story of the lines, the commits of the path, and the commits that explain the target best."""
    story = LineStory((), (), is_whole=True)
    in_file: tuple[Commit, ...] = ()
    commits: tuple[Commit, ...] = ()
    if is_file and target.start_line:
        story = (
            fallbacks.try_step(
                "commits that touched the lines",
                lambda: history.get_line_story(target.path, target.start_line, target.end_line),
            )
            or story
        )
        commits = tuple(dict.fromkeys(change.commit for change in story.changes))
    if target.path or not target.name:
        in_file = fallbacks.try_step(
            "commits of the path, through renames",
            lambda: history.find_commits(target.path, limit=max_commits, follow=bool(target.path), counts=True),
        )
    if target.path and not in_file:
        # A partial clone lacks contents, by which lines are counted and renames found.
        in_file = fallbacks.try_step(
            "commits of the path", lambda: history.find_commits(target.path, limit=max_commits)
        )
    if target.name and not commits and not in_file:
        word = target.name.rpartition(".")[2]
        commits = fallbacks.try_step(
            "commits that added or removed the name", lambda: history.find_commits(limit=max_commits, word=word)
        )
    return story, in_file, commits or in_file


def _find_beginnings(
    commits: tuple[Commit, ...], story: LineStory, target: HistoryTarget
) -> tuple[tuple[CommitItem, ...], tuple[CommitItem, ...]]:
    """Return the commit that introduced the name and, if the lines are older, the commit that added those."""
    if not commits:
        return (), ()
    oldest = commits[-1]
    word = target.name.rpartition(".")[2]
    named = [change.commit for change in story.changes if word and word in change.text]
    if named and named[-1] is not oldest:
        return (CommitItem.of(named[-1]),), (CommitItem.of(oldest),)
    return (CommitItem.of(oldest),), ()


def _get_target(code: CodeIndex, prefix: str, symbol: str) -> HistoryTarget:
    """Return the target for a symbol: its first definition, or only its name if it has none."""
    definitions = code.find_definitions(symbol, file=prefix or None)
    if not definitions:
        reasons = (Reason(ReasonKind.TEXT_HISTORY, subject=shorten(symbol, _MAX_NAME)),)
        return HistoryTarget(f"{symbol} (not defined in the code now)", prefix, name=symbol, reasons=reasons)
    first, *rest = dict.fromkeys(map(code.graph.body_of, definitions))
    others = [each for each in rest if not _is_constructor(each, first)]
    places = ", ".join(f"{each.file}:{each.line}" for each in others[:3])
    note = (Reason(ReasonKind.OTHER_DEFINITIONS, len(others), subject=places),) if others else ()
    return structs.replace(HistoryTarget.of(first), name=symbol, reasons=note)


def _is_constructor(definition: Definition, of: Definition) -> bool:
    """Return whether a definition is a constructor of a class, which may have the name of the class."""
    return definition.file == of.file and is_class(of.kind) and of.symbol.span.contains(definition.line)


def list_blame_shares(path: str, lines: Iterable[BlameLine]) -> tuple[BlameShareItem, ...]:
    """Return the commits by how many of the lines they last changed."""
    by_commit = group_pairs((line.oid, line) for line in lines)
    ranked = sorted(by_commit.values(), key=lambda each: (-len(each), each[0].line))
    items = []
    for each in ranked[:_MAX_ITEMS]:
        first = each[0]
        commit = (first.oid, first.time, first.author, first.subject)
        if not first.is_committed:
            commit = ("", "", "", "the work tree, not committed yet")
        items.append(BlameShareItem(path, first.line, len(each), *commit))
    return tuple(items)


def _rank_authors(commits: Iterable[Commit]) -> tuple[AuthorItem, ...]:
    """Return the authors of the commits, most active first."""
    by_author = group_pairs((commit.author, commit) for commit in commits)
    ranked = sorted(by_author.items(), key=lambda entry: (-len(entry[1]), -entry[1][0].epoch, entry[0]))
    return tuple(
        AuthorItem(author, len(theirs), theirs[-1].time, theirs[0].time) for author, theirs in ranked[:_MAX_ITEMS]
    )


def _list_mentions(commits: Iterable[Commit]) -> tuple[MentionItem, ...]:
    """Return the issue numbers in the messages, each with the newest commit that mentions it."""
    found: dict[int, MentionItem] = {}
    for commit in commits:
        for number in _MENTION.findall(f"{commit.subject}\n{commit.body}"):
            found.setdefault(int(number), MentionItem(int(number), commit.oid, commit.subject))
    return tuple(found.values())[:_MAX_ITEMS]


def _describe_churn(commits: tuple[Commit, ...]) -> str:
    """Return the end of the headline that says how much a file changed over its commits; "" without commits."""
    if not commits:
        return ""
    added = sum(max(0, touch.added) for commit in commits for touch in commit.files)
    deleted = sum(max(0, touch.deleted) for commit in commits for touch in commit.files)
    lines = f", +{added} −{deleted} lines" if added or deleted else ""
    return f"; its file: {plural(len(commits), 'commit')}{lines}"
