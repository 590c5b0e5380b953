"""git_blame: show who last changed each line of a file, and in which commit."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated

from msgspec import Struct, structs

from avionics.history.blame import BlameLine
from avionics.model.errors import UsageError
from avionics.model.naming import plural
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import count_fitting, number_lines
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.path_resolver import get_prefix
from avionics.tools.schema.parameters import Bounds
from avionics.workspace import Workspace


class BlameRunItem(Struct, frozen=True):
    """Consecutive lines that one commit last changed."""

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
        """Return the item of consecutive lines of one commit."""
        first = lines[0]
        commit, date, author, subject = (
            (first.oid, first.time, first.author, first.subject)
            if first.is_committed
            else ("", "", "", "not committed yet")
        )
        text = "\n".join(line.text for line in lines)
        return cls(file, first.line, lines[-1].line, commit, date, author, subject, text)

    def to_text(self) -> str:
        return "\n".join([self._write_heading(), *number_lines(self.text, self.start_line)])

    def cut(self, tokens: int) -> BlameRunItem | None:
        """Return as many of the first lines as fit, or None if fewer than two do."""
        count = count_fitting([self._write_heading(), *number_lines(self.text, self.start_line)], tokens) - 1
        if count < 2:
            return None
        text = "\n".join(self.text.split("\n")[:count])
        return structs.replace(self, end_line=self.start_line + count - 1, text=text)

    def _write_heading(self) -> str:
        """Return lines, commit, date, author and subject."""
        who = f"{self.commit[:10]} {self.date[:10]} {self.author}: " if self.commit else ""
        return f"{self.file}:{self.start_line}-{self.end_line} {who}{self.subject}"


class GitBlameAnswer(Struct, frozen=True):
    """Runs of lines with their commits, sorted by line."""

    file: str
    lines: int
    coverage: Coverage
    runs: tuple[BlameRunItem, ...] = part("")

    def headline(self) -> str:
        commits = {run.commit for run in self.runs if run.commit}
        authors = {run.author for run in self.runs if run.commit}
        sources = f"{plural(len(commits), 'commit')} of {plural(len(authors), 'author')}"
        return f"{self.file}: {plural(self.lines, 'line')} from {sources}"


@tool(ToolId.GIT_BLAME, accepts="a file, and lines of it", returns="each run of lines with the commit that changed it")
def git_blame(
    workspace: Workspace,
    path: str,
    start_line: Annotated[int, Bounds(ge=1)] = 1,
    end_line: Annotated[int, Bounds(ge=1)] | None = None,
) -> GitBlameAnswer:
    """Show who last changed each line of a file, ignoring white space and following moves and copies.

    Args:
        path: A file.
        start_line: The first line.
        end_line: The last line; default: the last line of the file.
    """
    place = get_prefix(workspace.source, path)
    if end_line is not None and end_line < start_line:
        raise UsageError(f"not a range of lines: {start_line} to {end_line}", hint="give start_line ≤ end_line")
    lines = workspace.history.find_blame(place, start_line, end_line)
    runs = tuple(BlameRunItem.of(place, tuple(run)) for _, run in groupby(lines, key=lambda line: line.oid))
    reasons = (Reason(ReasonKind.SHALLOW_BLAME),) if workspace.history.is_shallow else ()
    return GitBlameAnswer(place, len(lines), Coverage.of(len(runs), is_exact=not reasons, reasons=reasons), runs)
