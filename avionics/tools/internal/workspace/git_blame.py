"""git_blame: who last changed each line of a file, and in which commit.

Knows: history.
Does not know: git commands.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import attrs

from avionics.history.blame import BlameLine
from avionics.model.enums import Certainty
from avionics.model.errors import UsageError
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.tools.answers.answer import estimate_tokens, part
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.internal.workspace.git_log import get_place
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.workspace import Workspace


@attrs.frozen
class BlameRunItem:
    """Lines in a row that one commit last changed."""

    file: str
    start_line: int
    end_line: int
    commit: str
    date: str
    author: str
    subject: str
    text: str

    @classmethod
    def of(cls, file: str, lines: tuple[BlameLine, ...]) -> BlameRunItem:
        """The item of lines of one commit."""
        first = lines[0]
        commit, date, author, subject = (
            (first.oid, first.time, first.author, first.subject)
            if first.is_committed
            else ("", "", "", "not committed yet")
        )
        text = "\n".join(line.text for line in lines)
        return cls(file, first.line, lines[-1].line, commit, date, author, subject, text)

    def to_text(self) -> str:
        """The commit, and the lines below it."""
        rows = [f"{number:>5}│ {line}" for number, line in enumerate(self.text.split("\n"), self.start_line)]
        return "\n".join([self._heading(), *rows])

    def cut(self, tokens: int) -> BlameRunItem | None:
        """As many of the first lines as fit, or None when not even two do."""
        room = tokens - estimate_tokens(f"{self._heading()}\n")
        kept: list[str] = []
        for line in self.text.split("\n"):
            room -= estimate_tokens(f"{0:>5}│ {line}\n")
            if room < 0:
                break
            kept.append(line)
        if len(kept) < 2:
            return None
        return attrs.evolve(self, end_line=self.start_line + len(kept) - 1, text="\n".join(kept))

    def _heading(self) -> str:
        """Lines, commit, date, author and subject."""
        who = f"{self.commit[:10]} {self.date[:10]} {self.author}: " if self.commit else ""
        return f"{self.file}:{self.start_line}-{self.end_line} {who}{self.subject}"


@attrs.frozen
class GitBlameAnswer:
    """Runs of lines with their commits, in order of line."""

    file: str
    lines: int
    coverage: Coverage
    runs: tuple[BlameRunItem, ...] = part("")

    def headline(self) -> str:
        """How many lines, commits and authors."""
        commits = {run.commit for run in self.runs if run.commit}
        authors = {run.author for run in self.runs if run.commit}
        return f"{self.file}: {self.lines} lines from {len(commits)} commits of {len(authors)} authors"


@tool(ToolId.GIT_BLAME, accepts="a file, and lines of it", returns="each run of lines with the commit that changed it")
def git_blame(
    workspace: Workspace,
    path: str,
    start_line: Annotated[int, Bounds(ge=1)] = 1,
    end_line: Annotated[int, Bounds(ge=1)] | None = None,
) -> GitBlameAnswer:
    """Show who last changed each line of a file, white space aside, moves and copies followed.

    Args:
        path: A file.
        start_line: The first line.
        end_line: The last line; the file's last when left out.
    """
    place = get_place(workspace, path)
    if end_line is not None and end_line < start_line:
        raise UsageError(f"lines {start_line} to {end_line} are none", hint="give start_line ≤ end_line")
    lines = workspace.history.find_blame(place, start_line, end_line)
    runs = tuple(BlameRunItem.of(place, tuple(run)) for _, run in groupby(lines, key=lambda line: line.oid))
    reasons = (Reason(ReasonKind.SHALLOW_BLAME),) if workspace.history.is_shallow else ()
    certainty = Certainty.AT_LEAST if reasons else Certainty.EXACT
    return GitBlameAnswer(place, len(lines), Coverage(len(runs), len(runs), certainty, reasons=reasons), runs)
