"""explain_code_history: who wrote this, when and why.

The surest way first: the commits that touched the very lines, back through renames and moves; then the commits of the
file; then the commits that changed how often the symbol's name occurs, which also finds what was removed.

Knows: history, and where a symbol stands.
Does not know: git commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import attrs

from avionics.history.blame import BlameLine
from avionics.history.commits import Commit
from avionics.history.moves import LineStory
from avionics.history.worktree import is_in_submodule
from avionics.index.scopes.name_resolver import is_class
from avionics.model.errors import UsageError
from avionics.model.knowledge import Definition
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Attempt, Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.fallback_chain import FallbackChain
from avionics.tools.answers.items import NameItem
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.internal.workspace.git_log import CommitItem, get_coverage, get_place
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.workspace import Workspace

_MENTION = re.compile(r"(?:(?<![\w&/#])#|\bGH-|/(?:pull|issues|merge_requests)/)(\d{1,7})\b")
_MAX_ITEMS = 10
_MAX_COMMITS = 100


@attrs.frozen
class AuthorItem:
    """An author: how many of the commits, first and last."""

    author: str
    commits: int
    first: str
    last: str

    def to_text(self) -> str:
        """One line."""
        when = self.first[:10] if self.commits == 1 else f"{self.first[:10]} to {self.last[:10]}"
        return f"{self.author}: {self.commits} ({when})"


@attrs.frozen
class MentionItem:
    """A pull request or issue that messages name, and the newest commit that does."""

    number: int
    commit: str
    subject: str

    def to_text(self) -> str:
        """One line."""
        return f"#{self.number} in {self.commit[:10]} {self.subject}"


@attrs.frozen
class TogetherItem:
    """A file that changed in the same commits, and in how many of those looked at."""

    path: str
    commits: int
    of_commits: int

    def to_text(self) -> str:
        """One line."""
        return f"{self.path}: in {self.commits} of {self.of_commits} commits"


@attrs.frozen
class BlameShareItem:
    """A commit that last changed some of the lines as they stand: how many, and the first of them."""

    file: str
    line: int
    lines: int
    commit: str
    date: str
    author: str
    subject: str

    def to_text(self) -> str:
        """One line."""
        who = f"{self.commit[:10]} {self.date[:10]} {self.author}: " if self.commit else ""
        return f"{self.file}:{self.line} {self.lines} lines from {who}{self.subject}"


@attrs.frozen
class MoveItem:
    """A commit in which the lines came from another file."""

    commit: str
    former: str
    path: str

    def to_text(self) -> str:
        """One line."""
        return f"{self.commit[:10]} moved it from {self.former} to {self.path}"


@attrs.frozen
class ExplainCodeHistoryAnswer:
    """Who, when, why: the commits, and what they add up to."""

    subject: str
    coverage: Coverage
    attempts: tuple[Attempt, ...]
    churn: str = ""
    introduction: tuple[CommitItem, ...] = part("introduced by", share=1.0)
    origin: tuple[CommitItem, ...] = part("its lines go back to", share=0.5)
    commits: tuple[CommitItem, ...] = part("commits, newest first", share=4.0)
    moves: tuple[MoveItem, ...] = part("moves", share=0.5)
    authors: tuple[AuthorItem, ...] = part("authors", share=1.0)
    mentions: tuple[MentionItem, ...] = part("pull requests and issues the messages name", share=1.0)
    together: tuple[TogetherItem, ...] = part("files that change together with it", share=1.0)
    blame: tuple[BlameShareItem, ...] = part("lines as they stand, by the commit that last changed them", share=1.0)
    near: tuple[NameItem, ...] = part("names like it")

    def headline(self) -> str:
        """What was explained; plainly, what history does not record."""
        if not self.commits:
            return f"{self.subject}: not recorded in history"
        missing = [] if self.introduction else ["its introduction"]
        missing += [] if any(commit.why for commit in self.commits) or self.mentions else ["reasons beyond subjects"]
        unsaid = f"; not recorded: {', '.join(missing)}" if missing else ""
        return f"{self.subject}: {self.coverage.found} commits{self.churn}{unsaid}"


@attrs.frozen
class _Target:
    """What is to be explained: a file, lines of it, a name; "" and 0 where not known."""

    path: str
    start_line: int
    end_line: int
    name: str
    title: str
    others: tuple[Reason, ...] = ()


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
    limit: Annotated[int, Bounds(ge=1, le=_MAX_COMMITS)] = 10,
) -> ExplainCodeHistoryAnswer:
    """Explain who wrote code, when and why, through moves and renames.

    Args:
        path: A file or directory; needed unless a symbol is given.
        symbol: A function, class or other name; needed unless a path is given.
        start_line: The first line of the file to explain.
        end_line: The last line.
        limit: The most commits to list.
    """
    target = _target(workspace, path, symbol, start_line, end_line)
    history, ladder = workspace.history, FallbackChain()
    is_file = bool(target.path) and history.get_kind(target.path, history.require_head()) == "blob"
    story, in_file, commits = _climb(workspace, ladder, target, is_file=is_file)
    together, counted = history.find_co_changes(in_file or commits, target.path)
    lines = ladder.try_step("who changed the lines last", lambda: _blame(workspace, target)) if is_file else ()
    most = workspace.settings.max_history_commits
    is_all = len(commits) < most and story.is_whole
    inner = [each for each in history.find_submodules() if is_in_submodule(target.path, (each,))]
    separate = (Reason(ReasonKind.SEPARATE_REPOSITORY, subject=each) for each in inner)
    unread = () if is_all else (Reason(ReasonKind.COMMIT_LIMIT, most),)
    reasons = (*target.others, *separate, *unread)
    shown = commits[:limit]
    shallow = history.is_shallow
    introduction, origin = _beginnings(commits, story, target) if is_all and not shallow else ((), ())
    coverage = get_coverage(len(commits), len(shown), is_all=is_all, is_shallow=shallow, reasons=reasons)
    return ExplainCodeHistoryAnswer(
        target.title,
        attrs.evolve(coverage, next=_advice(target, len(commits), len(shown))),
        ladder.attempts,
        _churn(in_file, is_file=is_file),
        introduction,
        origin,
        tuple(CommitItem.of(commit) for commit in shown),
        tuple(MoveItem(*move) for move in story.moves),
        _authors(commits),
        _mentions(commits),
        tuple(TogetherItem(each.path, each.commits, counted) for each in together[:_MAX_ITEMS] if each.commits > 1),
        _shares(target.path, lines),
        () if commits else _near(workspace, target),
    )


def _advice(target: _Target, found: int, shown: int) -> str:
    """The call that lists more commits, "" when there are no more or no call lists them."""
    limit = min(found, _MAX_COMMITS)
    if limit <= shown:
        return ""
    asked: dict[str, object] = {"path": target.path} if target.path else {}
    if target.name:
        asked["symbol"] = target.name
    elif target.start_line:
        asked |= {"start_line": target.start_line, "end_line": target.end_line}
    given = "".join(f"{name}={value!r}, " for name, value in asked.items())
    return f"explain_code_history({given}limit={limit}) for {found - shown} more commits"


def _climb(
    workspace: Workspace, ladder: FallbackChain, target: _Target, *, is_file: bool
) -> tuple[LineStory, tuple[Commit, ...], tuple[Commit, ...]]:
    """The story of the lines, the commits of the path, and those of them that explain best."""
    history, most = workspace.history, workspace.settings.max_history_commits
    story = LineStory((), (), is_whole=True)
    in_file: tuple[Commit, ...] = ()
    commits: tuple[Commit, ...] = ()
    if is_file and target.start_line:
        story = (
            ladder.try_step(
                "commits that touched the lines",
                lambda: history.get_line_story(target.path, target.start_line, target.end_line),
            )
            or story
        )
        commits = tuple(dict.fromkeys(change.commit for change in story.changes))
    if target.path or not target.name:
        in_file = ladder.try_step(
            "commits of the path, through renames",
            lambda: history.find_commits(target.path, limit=most, follow=is_file, counts=True),
        )
    if target.name and not commits and not in_file:
        word = target.name.rpartition(".")[2]
        commits = ladder.try_step(
            "commits that added or removed the name", lambda: history.find_commits(limit=most, word=word)
        )
    return story, in_file, commits or in_file


def _beginnings(
    commits: tuple[Commit, ...], story: LineStory, target: _Target
) -> tuple[tuple[CommitItem, ...], tuple[CommitItem, ...]]:
    """The commit that introduced it and, where its lines are older than its name, the one that brought those."""
    if not commits:
        return (), ()
    oldest = commits[-1]
    word = target.name.rpartition(".")[2]
    named = [change.commit for change in story.changes if word and word in change.text]
    if named and named[-1] is not oldest:
        return (CommitItem.of(named[-1]),), (CommitItem.of(oldest),)
    return (CommitItem.of(oldest),), ()


def _target(
    workspace: Workspace, path: str | None, symbol: str | None, start_line: int | None, end_line: int | None
) -> _Target:
    """What the parameters ask for.

    Raises:
        UsageError: Neither a path nor a symbol, or lines of nothing.
    """
    place = get_place(workspace, path)
    if symbol:
        return _symbol_target(workspace, place, symbol)
    if path is None:
        raise UsageError("a path or a symbol is needed", hint="give path='src/app.py' or symbol='Name'")
    if end_line is not None and end_line < (start_line or 1):
        raise UsageError(f"lines {start_line or 1} to {end_line} are none", hint="give start_line ≤ end_line")
    if start_line is None and end_line is None:
        return _Target(place, 0, 0, "", place or "the workspace")
    first = start_line or 1
    last = end_line or first
    return _Target(place, first, last, "", f"{place}:{first}-{last}")


def _symbol_target(workspace: Workspace, place: str, symbol: str) -> _Target:
    """The lines of a symbol's first definition, or only its name where the code has none."""
    definitions = workspace.code.find_definitions(symbol, file=place or None)
    if not definitions:
        return _Target(place, 0, 0, symbol, f"{symbol} (not defined in the code now)")
    first, *rest = dict.fromkeys(map(workspace.code.graph.body_of, definitions))
    span = first.symbol.span
    others = [each for each in rest if not _is_constructor(each, first)]
    title = f"{first.symbol.qualname} ({first.file}:{span.start_line}-{span.end_line})"
    places = ", ".join(f"{each.file}:{each.line}" for each in others[:3])
    note = (Reason(ReasonKind.OTHER_DEFINITIONS, len(others), subject=places),) if others else ()
    return _Target(first.file, span.start_line, span.end_line, symbol, title, note)


def _is_constructor(definition: Definition, of: Definition) -> bool:
    """Whether a definition is a class's own constructor, which may go by the class's name."""
    return definition.file == of.file and is_class(of.kind) and of.symbol.span.contains(definition.line)


def _blame(workspace: Workspace, target: _Target) -> tuple[BlameLine, ...]:
    """The lines asked about, or all of the file."""
    return workspace.history.find_blame(target.path, target.start_line or 1, target.end_line or None)


def _shares(path: str, lines: Iterable[BlameLine]) -> tuple[BlameShareItem, ...]:
    """The commits by how many of the lines they last changed."""
    by_commit: dict[str, list[BlameLine]] = {}
    for line in lines:
        by_commit.setdefault(line.oid, []).append(line)
    ranked = sorted(by_commit.values(), key=lambda each: (-len(each), each[0].line))
    return tuple(
        BlameShareItem(path, first.line, len(each), first.oid, first.time, first.author, first.subject)
        if first.is_committed
        else BlameShareItem(path, first.line, len(each), "", "", "", "the work tree, not committed yet")
        for each in ranked[:_MAX_ITEMS]
        for first in each[:1]
    )


def _authors(commits: Iterable[Commit]) -> tuple[AuthorItem, ...]:
    """Who wrote the commits, most first."""
    by_author: dict[str, list[Commit]] = {}
    for commit in commits:
        by_author.setdefault(commit.author, []).append(commit)
    ranked = sorted(by_author.items(), key=lambda entry: (-len(entry[1]), -entry[1][0].epoch, entry[0]))
    return tuple(
        AuthorItem(author, len(theirs), theirs[-1].time, theirs[0].time) for author, theirs in ranked[:_MAX_ITEMS]
    )


def _mentions(commits: Iterable[Commit]) -> tuple[MentionItem, ...]:
    """The numbers in the messages, each with the newest commit that names it."""
    found: dict[int, MentionItem] = {}
    for commit in commits:
        for number in _MENTION.findall(f"{commit.subject}\n{commit.body}"):
            found.setdefault(int(number), MentionItem(int(number), commit.oid, commit.subject))
    return tuple(found.values())[:_MAX_ITEMS]


def _churn(commits: tuple[Commit, ...], *, is_file: bool) -> str:
    """How much the file changed over its commits."""
    if not commits or not is_file:
        return ""
    added = sum(max(0, touch.added) for commit in commits for touch in commit.files)
    deleted = sum(max(0, touch.deleted) for commit in commits for touch in commit.files)
    return f"; its file: {len(commits)} commits, +{added} −{deleted} lines"


def _near(workspace: Workspace, target: _Target) -> tuple[NameItem, ...]:
    """Paths like one that no commit knows."""
    return tuple(NameItem(name) for name in workspace.source.find_near(target.path)) if target.path else ()
