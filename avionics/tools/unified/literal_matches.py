"""Find the lines that contain the text quoted in a question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct

from avionics.index.model.file_roles import role_of
from avionics.index.search.query import Query, text_stems
from avionics.late_pattern import late_pattern
from avionics.model.enums import Certainty
from avionics.model.naming import plural
from avionics.syntax.registry import get_language
from avionics.tools.internal.files.grep_search import MatchItem, search_lines
from avionics.tools.questions.literals import LiteralQuery, find_literals
from avionics.tools.resolution.symbol_resolver import find_folded
from avionics.tools.unified.answer_lines import COMMENTS

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.source.tree import SourceTree
    from avionics.tools.questions.intents import Question

_MAX_LINES = 500
_COMMON_THRESHOLD = 50
"""A literal on more lines is a common word, unless the question quotes it whole."""
_COMPARED = late_pattern(
    r"(?:[=!]==?|[=!]~|\b(?:case|when|in|is)|\b(?:equals\w*|(?:Not)?[cC]ontains\w*|includes|starts?_?[wW]ith|ends?_?[wW]ith"
    r"|Has(?:Pre|Suf)fix|index(?:Of|_of)?|match(?:es)?|strn?(?:case)?cmp|strstr|assert\w*|to[A-Z]\w*)"
    r"[!(]+(?:[\w.]+(?:\(\))?, ?)?)\s*[\"'`]\Z"
)
_COMPARED_BEHIND = late_pattern(r"[\"'`]\s*(?:[=!]==?|(?:not )?in\b)")
"""What surrounds a string that is only compared with another one: the text does not come from there."""
_MAX_BEFORE = 80
_MAX_LITERALS = 3
"""Literals that are searched for, each in all files."""


class LiteralMatches(Struct, frozen=True):
    """The lines that match a literal, code first, and the first line of each file first.

    Attributes:
        text: The literal; "" if the question quotes nothing.
        certainty: Whether these are all.
        is_partial: Whether they contain only the longest part of the literal that any line contains.
        is_renamed: Whether they may contain the name that code uses for it.
    """

    text: str = ""
    lines: tuple[MatchItem, ...] = ()
    certainty: Certainty = Certainty.AT_LEAST
    is_partial: bool = False
    is_renamed: bool = False

    def __len__(self) -> int:
        return len(self.lines)

    def to_text(self) -> str:
        """Describe the locations of the literal; "" if they are not known."""
        if not self.lines:
            return f"no text match for {self.text!r}" if self.certainty is Certainty.EXACT else ""
        first = self.lines[0]
        name = f"part of {self.text!r}" if self.is_partial else repr(self.text)
        name += " or its name in code" if self.is_renamed else ""
        if len(self.lines) == 1:
            return f"{name} is at {first.file}:{first.line}"
        least = "" if self.certainty is Certainty.EXACT else "at least "
        return f"{name}: {least}{plural(len(self.lines), 'text match')}, first {first.file}:{first.line}"


def find_unknown_literals(code: CodeIndex, query: Query) -> tuple[LiteralQuery, ...]:
    """Return the literals in a question that are not names of symbols."""

    def is_symbol(name: str) -> bool:
        return bool(code.find_definitions(name) or ("." in name and find_folded(code, name)))

    return find_literals(query, is_symbol)[:_MAX_LITERALS]


def match_literals(
    code: CodeIndex, source: SourceTree, literals: Iterable[LiteralQuery], question: Question
) -> LiteralMatches:
    """Return the lines that match the first of the literals of a question that matches any."""
    nowhere = LiteralMatches()
    for literal in literals:
        found = _match(code, source, literal, question)
        if found.lines:
            return found
        nowhere = nowhere if nowhere.text else found
    return nowhere


def _match(code: CodeIndex, source: SourceTree, literal: LiteralQuery, question: Question) -> LiteralMatches:
    """Return the lines that match a literal; no lines if there are too many to be specific."""
    certainty = Certainty.EXACT
    for at, pattern in enumerate(literal.patterns):
        found = search_lines(source, code, pattern, question.scope or ".", limit=_MAX_LINES)
        certainty = certainty if found.coverage.certainty is Certainty.EXACT else Certainty.AT_LEAST
        if len(found.matches) > (_MAX_LINES if literal.is_specific and not at else _COMMON_THRESHOLD):
            return LiteralMatches()
        if found.matches:
            others = frozenset(question.query.terms).difference(text_stems(literal.text))
            lines = _rank(found.matches, literal.text, others)
            return LiteralMatches(literal.text, lines, certainty, is_partial=at > 0, is_renamed=literal.is_renamed)
    return LiteralMatches(literal.text, (), certainty)


def _rank(matches: tuple[MatchItem, ...], text: str, others: frozenset[str]) -> tuple[MatchItem, ...]:
    """Return the lines: code, product, statements, what makes the text and the first line of each file first.

    Of these, the lines come first that have most of some other stems.
    """
    seen: Counter[str] = Counter()
    ranked: list[tuple[bool, int, bool, bool, int, int, str, MatchItem]] = []
    for each in matches:
        is_comment, is_compared = each.text.lstrip().startswith(COMMENTS), _is_compared(each.text, text)
        no_code, role = not get_language(each.file), role_of(each.file)
        shared = len(others.intersection(text_stems(each.text)))
        ranked.append((no_code, role, is_comment, is_compared, -shared, seen[each.file], each.file, each))
        seen[each.file] += 1
    return tuple(rank[-1] for rank in sorted(ranked, key=lambda rank: rank[:-1]))


def _is_compared(line: str, text: str) -> bool:
    """Return whether a line compares something with a string that is a text, or begins with it."""
    at = line.casefold().find(text.casefold())
    before, after = line[max(0, at - _MAX_BEFORE) : at], line[at + len(text) :]
    return at > 0 and (_COMPARED.search(before) is not None or _COMPARED_BEHIND.match(after) is not None)
