"""Held lines: where files hold what a question quotes, as it stands.

Knows: what questions quote, the text of files.
Does not know: which question is asked, how an answer is put together.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import attrs

from avionics.index.model.file_roles import role_of
from avionics.model.enums import Certainty
from avionics.syntax.registry import get_language
from avionics.tools.answers.items import plural
from avionics.tools.questions.literals import LiteralQuery, find_literals

if TYPE_CHECKING:
    from avionics.tools.internal.files.grep_search import MatchItem
    from avionics.workspace import Workspace

_MAX_LINES = 500
_LINES_THRESHOLD = 50
"""What stands in more lines is a word like others, unless it is quoted whole."""
_REMARKS = ("//", "/*", "*", "#", "--", "<!--", ";")
"""What a line of nothing but a comment begins with."""
_MAX_LITERALS = 3
"""Each costs a search of the text."""


@attrs.frozen
class HeldLines:
    """The lines that hold something quoted: code first, a line of every file first.

    Attributes:
        said: What was quoted.
        lines: Where it is.
        certainty: Whether those are all.
        is_word_for_word: Whether the lines hold it whole; else the longest part of it that any hold.
        is_renamed: Whether some may hold the name that code has for it instead.
    """

    said: str
    lines: tuple[MatchItem, ...]
    certainty: Certainty
    is_word_for_word: bool = True
    is_renamed: bool = False

    def __len__(self) -> int:
        return len(self.lines)

    def to_text(self) -> str:
        """Where it is, in a few words."""
        if not self.lines:
            return f"no line holds {self.said!r}" if self.certainty is Certainty.EXACT else ""
        first = self.lines[0]
        said = f"{self.said!r}, or the name it has in code," if self.is_renamed else repr(self.said)
        part = "" if self.is_word_for_word else "part of "
        if len(self.lines) == 1:
            return f"{part}{said} is at {first.file}:{first.line}"
        least = "" if self.certainty is Certainty.EXACT else "at least "
        return f"{part}{said} is in {least}{plural(len(self.lines), 'line')}, first {first.file}:{first.line}"


NONE_HELD = HeldLines("", (), Certainty.AT_LEAST)
"""Of a text that quotes nothing."""


def find_quoted(workspace: Workspace, text: str) -> tuple[LiteralQuery, ...]:
    """What a text quotes that is looked for as it stands."""
    code = workspace.code
    return find_literals(text, lambda name: bool(code.find_definitions(name)))[:_MAX_LITERALS]


def get_held_lines(workspace: Workspace, quoted: tuple[LiteralQuery, ...], scope: str | None) -> HeldLines:
    """The lines that hold the first of what is quoted which any hold."""
    nowhere = NONE_HELD
    for literal in quoted:
        held = _look(workspace, literal, scope)
        if held.lines:
            return held
        nowhere = nowhere if nowhere.said else held
    return nowhere


def _look(workspace: Workspace, literal: LiteralQuery, scope: str | None) -> HeldLines:
    """The lines that hold a literal; none where it stands in so many that they say nothing."""
    from avionics.tools.internal.files.grep_search import grep_search

    certainty = Certainty.EXACT
    for at, pattern in enumerate(literal.patterns):
        found = grep_search(workspace, pattern, scope or ".", limit=_MAX_LINES)
        certainty = certainty if found.coverage.certainty is Certainty.EXACT else Certainty.AT_LEAST
        most = _MAX_LINES if literal.is_whole and not at else _LINES_THRESHOLD
        if len(found.matches) > most:
            return NONE_HELD
        if found.matches:
            lines = _ranked(found.matches)
            return HeldLines(literal.said, lines, certainty, is_word_for_word=not at, is_renamed=literal.is_renamed)
    return HeldLines(literal.said, (), certainty)


def _ranked(matches: tuple[MatchItem, ...]) -> tuple[MatchItem, ...]:
    """The lines: code, product and statements before text, tests and comments; then a line of every file first."""
    seen: Counter[str] = Counter()
    ranked: list[tuple[bool, int, bool, int, str, MatchItem]] = []
    for each in matches:
        is_remark = each.text.lstrip().startswith(_REMARKS)
        standing = role_of(each.file)
        ranked.append((not get_language(each.file), standing, is_remark, seen[each.file], each.file, each))
        seen[each.file] += 1
    return tuple(rank[-1] for rank in sorted(ranked, key=lambda rank: rank[:-1]))
