"""Answer where a message comes from: find the line with the template of the message.

A pasted message has values where the code has placeholders, so its words are compared in order with those of each line
that has two adjacent words of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct

from avionics.index.analysis.related_symbols import is_value
from avionics.index.model.file_roles import FileRole, role_of
from avionics.late_pattern import late_pattern
from avionics.model.enums import Certainty, ReferenceKind, SymbolKind
from avionics.model.knowledge import Definition
from avionics.model.results import Coverage
from avionics.syntax.registry import get_language
from avionics.tools.answers.items import UsageItem, plural
from avionics.tools.internal.files.grep_search import MatchItem, search_lines
from avionics.tools.questions.intents import Intent
from avionics.tools.questions.question_reader import Question
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer, make_section
from avionics.tools.unified.answer_lines import COMMENTS
from avionics.tools.unified.code_excerpts import code_section, read_excerpts

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.source.tree import SourceTree
    from avionics.workspace import Workspace

_PREFIX = late_pattern(
    r"\A(?:.*?(?:[\w.$]*(?:Error|Exception|Warning|Failure|Fault|Panic)\b(?:\[\w+\]|\(\w+\))?|[\w$]+(?:\.[\w$]+)+"
    r"|panic|(?i:fatal(?: error)?|error|warn(?:ing)?|critical)|E\d{3,5}|[\w./-]+:\d+(?::\d+)?)\s*:\s+)+",
    re.DOTALL,
)
"""What a program prints before the message: the exception's name, the thread, a place."""
_LEVEL = late_pattern(r"\A\w+(?:\[\w+\])?:\s+")
"""What stands before a message at least: `Fatal: `."""
_LEVELS = frozenset({"fatal", "error", "warn", "warning", "critical", "panic"})
_ASKING = late_pattern(
    r"\A(?:so |and |please )?(?:where|what|who|which \w+|why)(?: \w+)?? (?:does|do|did|is|are|was|causes?|raises?"
    r"|throws?|prints?|logs?"
    r"|emits?|triggers?|produces?|says?|(?:am i|do i) (?:get|see)\w*)(?: (?:the|this|an?|my))?(?: (?:error|message"
    r"|warning|exception|text))*\b:?\s+"
    r"|\A(?:i (?:get|got|see|am getting|keep getting)|getting|error message|find the source of|locate)\b(?: (?:the"
    r"|this|an?))?"
    r"(?: (?:error|message|warning|exception))*:?\s+",
    re.IGNORECASE,
)
_ASKED = late_pattern(
    r"(?<!\s)\s+(?:com(?:e|es|ing) from|(?:is |are |gets? )?(?:raised|thrown|logged|printed|emitted|produced|generated"
    r"|returned|written"
    r"|shown|displayed|reported|output))(?: (?:from|by|in the code|at))?\W*\Z",
    re.IGNORECASE,
)
_VALUE = late_pattern(
    r"\"[^\"\n]*\"|`[^`\n]*`|(?<!\w)'[^'\n]*'|<[^<>\n]*>|\{[^{}\n]*\}|%\S+|(?<![\w-])\S*[/\\]\S*|(?<![\w-])[\d.:]+\b"
)
_WORD = late_pattern(r"[^\W\d](?:[\w]|['’](?=\w))*")
_QUOTE = late_pattern(r"[\"'`]")
_DOCUMENTATION = ('"""', "'''", 'r"""')
_TRIPLE = late_pattern(r"\"{3}|'{3}")
_STRING = late_pattern(r"\"([^\"\n]*)(?:\"|\\?$)|'([^'\n]*)'")
_KEY = late_pattern(r"\s*(?:case\s+|\[\s*|\{\s*)((?:\w+(?:\.|::))*[A-Z]\w+)\s*+(?:\]\s*+)?[:=,]")
"""How a line begins that pairs a constant with a message: `[E_FULL] = "…"`, `{E_FULL, "…"}`, `case E_FULL: …`."""
_CASE = late_pattern(r"\s*case\s+((?:\w+(?:\.|::))*[A-Z]\w+)\s*:\s*\Z")
_KEYS = frozenset({SymbolKind.ATTRIBUTE, SymbolKind.CONSTANT, SymbolKind.MACRO})
_WHOLE_STRING = 0.6
"""The least likeness of a message to a line with a string that it contains in full."""
_MAX_WORDS = 40
_MAX_MESSAGE = 800
"""Characters: the patterns that find values take quadratic time."""
_MAX_SEARCHES = 5
_MAX_LINES = 200
"""Lines compared for each pair of words; a pair on more of them says nothing."""
_MIN_SHARE, _MIN_SHARE_UNSURE, _MIN_WORDS = 0.6, 0.75, 2
_MIN_WRITTEN, _MIN_TELLING = 4, 4
"""The least words of a text that is a message of the code, and the letters of those that its file must have."""
_SURE_WORDS, _MAX_LONGER = 3, 2
_MAX_SHOWN, _MAX_HOLDERS = 5, 4
_COMPARES = late_pattern(r"\berrors\.(?:Is|As)\(|[!=]==?(?!\w)|\b(?:except|catch|instanceof|isinstance|matches!)\b")
"""Code that handles a message's error instead of making it."""
_MAX_EXCERPTS = 2
_BEFORE, _AFTER = 8, 4


class MessageMatch(Struct, frozen=True):
    """A line that may write the message.

    Attributes:
        line: The line.
        share: The share of the message's words that it has, in order.
        words: How many these are.
        is_exact: Whether it has the message as it stands, with what might be values.
        is_similar_only: Whether a string of it has words of the message, and none is a part of the message.
    """

    line: MatchItem
    share: float
    words: int
    is_exact: bool
    is_similar_only: bool


def answer_message(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the lines that write a message, and the code around the best one; None if no line is likely."""
    is_printed = question.intent is Intent.ERROR
    found = find_message(workspace.code, workspace.source, question.text, question.scope, is_printed=is_printed)
    # A text that nobody says was printed is no message if no string has a part of it.
    return _build_answer(workspace, question, found) if found and (is_printed or not found[0].is_similar_only) else None


def answer_written(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the lines with a string that has all words of a text in order; None if there are none."""
    code, words = workspace.code, _WORD.findall(_VALUE.sub(" ", question.text))
    telling = [each for each in words if len(each) >= _MIN_TELLING]
    if len(words) < _MIN_WRITTEN or not telling:
        return None
    files = set(code.files_with_word(telling[0]))
    for each in telling[1:]:
        files = files.intersection(code.files_with_word(each)) if files else files
    found = find_message(code, workspace.source, question.text, question.scope) if files else ()
    whole = tuple(each for each in found if each.share >= 1.0)
    return _build_answer(workspace, question, whole) if whole else None


def _build_answer(workspace: Workspace, question: Question, found: Sequence[MessageMatch]) -> AnalyzeAnswer:
    """Return the answer that a message is written on the first of some lines, with what its code stands for."""
    code, best = workspace.code, found[0].line
    around, holder = code.graph.enclosing(best.file, best.line), _get_holder(code, workspace.source, best)
    used = _list_uses(workspace, holder, best, question.scope) if holder else ()
    within = f" as {holder.symbol.qualname}" if holder else f" in {around.symbol.qualname}" if around else ""
    is_other = found[0].is_similar_only
    start = (
        "no string has the words of this message; the most similar one is" if is_other else "this message is written"
    )
    summary = f"{start} at {best.file}:{best.line}{within}"
    if used:
        summary += f", which is used at {used[0].file}:{used[0].line} in {used[0].enclosing or 'its module'}"
        summary += f" and {plural(len(used) - 1, 'other place')}" if len(used) > 1 else ""
    elif len(found) > 1:
        summary += f", or at {plural(len(found) - 1, 'other')}"
    places = used[:_MAX_EXCERPTS] or (best,)
    return build_answer(
        question,
        summary,
        Coverage(len(found), min(len(found), _MAX_SHOWN), Certainty.AT_LEAST if is_other else Certainty.EXACT),
        make_section("lines", "text matches", [each.line for each in found[:_MAX_SHOWN]], 3.0, counts=True),
        make_section("usages", "used at", used[:_MAX_SHOWN], 4.0),
        code_section(read_excerpts(workspace.source, [_span(code, each.file, each.line) for each in places])),
    )


def _get_holder(code: CodeIndex, source: SourceTree, line: MatchItem) -> Definition | None:
    """Return what stands for the message of a line, None if code writes the message there.

    That is the constant that a table or `case` pairs with the message, or the variable, field or macro whose value has
    the line.
    """
    above = source.find_lines(line.file)[max(0, line.line - 2) : line.line - 1]
    paired = _KEY.match(line.text) or (_CASE.match(above[0]) if above else None)
    if paired:
        named = code.find_definitions(paired[1].replace("::", "."))
        keys = [each for each in named if each.kind in _KEYS]
        if keys:
            return keys[0]
    return _get_value(code, line)


def _get_value(code: CodeIndex, line: MatchItem | UsageItem) -> Definition | None:
    """Return the variable, field or macro whose definition has a line, None if there is none."""
    symbols = code.facts(line.file).symbols
    around = [at for at, each in enumerate(symbols) if each.span.start_line <= line.line <= each.span.end_line]
    holder = Definition(line.file, symbols[around[-1]], around[-1]) if around else None
    return holder if holder and (is_value(holder.symbol) or holder.kind is SymbolKind.MACRO) else None


def _list_uses(workspace: Workspace, holder: Definition, line: MatchItem, scope: str | None) -> tuple[UsageItem, ...]:
    """Return where product code uses what stands for the message of a line, other than by importing it.

    The uses of a variable that is set to it are uses of it, too. Those that only compare something with it come last.
    """
    from avionics.tools.composite.explore_symbol_usage import explore_definition

    holders, used = [holder], dict[tuple[str, int], UsageItem]()
    for each in holders:
        for use in explore_definition(workspace.code, workspace.source, each, (), scope).usages:
            is_new = (use.file, use.line) != (line.file, line.line) and (use.file, use.line) not in used
            if is_new and role_of(use.file) < FileRole.TEST and use.role != ReferenceKind.IMPORT:
                another = None if use.enclosing else _get_value(workspace.code, use)
                if another and another not in holders and len(holders) < _MAX_HOLDERS:
                    holders.append(another)
                used[use.file, use.line] = use
    return tuple(sorted(used.values(), key=lambda use: (not use.enclosing, _COMPARES.search(use.text) is not None)))


def _span(code: CodeIndex, file: str, line: int) -> tuple[str, int, int]:
    """Return the lines around a line, within the function that contains it."""
    around = code.graph.enclosing(file, line)
    start, end = max(1, line - _BEFORE), min(line + _AFTER, code.facts(file).lines)
    if around:
        start, end = max(start, around.symbol.span.start_line), min(end, around.symbol.span.end_line)
    return file, start, end


def find_message(
    code: CodeIndex, source: SourceTree, text: str, scope: str | None, *, is_printed: bool = True
) -> tuple[MessageMatch, ...]:
    """Return the lines of code that may write a message, likeliest first; lines of tests only as a last resort.

    Args:
        code: The index.
        source: The files.
        text: The message, perhaps with the words that ask about it.
        scope: A directory or file to stay within.
        is_printed: Whether a program surely printed the text. Then a line may have only a small part of it.
    """
    for message in _list_messages(text):
        found = _find_written(code, source, message, scope, is_printed=is_printed)
        if found and role_of(found[0].line.file) < FileRole.TEST:
            return found
    return found


def _find_written(
    code: CodeIndex, source: SourceTree, message: str, scope: str | None, *, is_printed: bool
) -> tuple[MessageMatch, ...]:
    """Return the lines of code that may write a message without what a program prints before it, likeliest first."""
    words = [word.lower() for word in _WORD.findall(_VALUE.sub(" ", message))][:_MAX_WORDS]
    if len(words) < _MIN_WORDS:
        return ()
    least, least_said = (_MIN_SHARE, 1) if is_printed else (_MIN_SHARE_UNSURE, len(words) / 2)
    lines: dict[tuple[str, int], MatchItem] = {}
    for pattern in _iter_pairs(code, message):
        found = search_lines(source, code, pattern, scope or ".", limit=_MAX_LINES).matches
        if len(found) < _MAX_LINES:
            lines |= {(each.file, each.line): each for each in found if get_language(each.file)}
    printing = (each for each in lines.values() if _may_print(source, each))
    compared = (_compare(message, words, each, least_said) for each in printing)
    matches = [each for each in compared if each is not None and each.share >= least]
    if not is_printed and len(words) <= _SURE_WORDS:
        # So few words are in many texts that are about something else.
        matches = [each for each in matches if len(words) * _MAX_LONGER >= len(_read_said(each.line.text))]
    best = max((each.share for each in matches), default=0.0)
    likely = sorted((each for each in matches if each.share > best - 0.15), key=_rank)
    written = [each for each in likely if role_of(each.line.file) < FileRole.TEST]
    return tuple(written or likely)


def _list_messages(text: str) -> tuple[str, ...]:
    """Return a text without the words that ask about it and those that a program prints before its message.

    Where an error within the message looks like what is printed before one, the longer message is the second.
    """
    last = text.strip().splitlines()[-1] if text.startswith("Traceback") else text.strip()
    last = last[:_MAX_MESSAGE]
    said = _ASKED.sub("", _ASKING.sub("", last))
    rest = _PREFIX.sub("", said, count=1).strip() or last
    first = _LEVEL.sub("", said).strip()
    whole = said.strip()
    if first == whole:
        before = _WORD.findall(whole.removesuffix(rest))
        return (rest, whole) if len(before) > _SURE_WORDS else (rest,)
    return (rest,) if first == rest else (rest, first)


def _iter_pairs(code: CodeIndex, message: str) -> Iterator[str]:
    """Yield patterns for adjacent words of a message, the rarest first."""
    pieces = [piece for piece in _VALUE.split(message) if piece.strip()]
    pairs: dict[str, int] = {}
    for piece in pieces:
        for first, last in pairwise(_WORD.finditer(piece)):
            between = piece[first.end() : last.start()]
            if "\n" not in between:
                count = min(len(code.files_with_word(each[0].rpartition("'")[2])) for each in (first, last))
                pairs[piece[first.start() : last.end()]] = count
    ranked = sorted(pairs, key=lambda each: (pairs[each] == 0, pairs[each]))
    return (re.escape(each) for each in ranked[:_MAX_SEARCHES])


def _compare(message: str, words: list[str], line: MatchItem, least_said: float) -> MessageMatch | None:
    """Return how well a line fits a message; None if it has too few of its words.

    A string of the line that the message has in full counts if it has at least `least_said` words, or if the message
    begins with it: programs add where it happened.
    """
    there = _read_said(line.text)
    blocks = SequenceMatcher(None, words, there, autojunk=False).get_matching_blocks()
    shared = sum(block.size for block in blocks)
    share = shared / len(words)
    contained = tuple(_iter_contained(words, line.text))
    said = max(map(len, contained), default=0)
    begins = any(len(each) >= _SURE_WORDS and words[: len(each)] == each for each in contained)
    if said >= least_said or begins:
        share, shared = max(share, _WHOLE_STRING + (1 - _WHOLE_STRING) * said / len(words)), max(shared, _SURE_WORDS)
    least = _MIN_WORDS if len(words) <= _SURE_WORDS else _SURE_WORDS
    is_exact = message in line.text
    is_similar_only = not (is_exact or contained) and _has_similar(words, line.text)
    return MessageMatch(line, share, shared, is_exact, is_similar_only) if shared >= least else None


def _has_similar(words: list[str], text: str) -> bool:
    """Return whether a string of a line has several words of a message."""
    strings = (double or single for double, single in _STRING.findall(text))
    said = ({word.lower() for word in _WORD.findall(_VALUE.sub(" ", each))} for each in strings)
    return any(len(each.intersection(words)) >= _MIN_WORDS for each in said)


def _read_said(line: str) -> list[str]:
    """Return the words of a line from its first string on."""
    opening = _QUOTE.search(line)
    return [word.lower() for word in _WORD.findall(line[opening.start() :] if opening else line)]


def _iter_contained(words: list[str], text: str) -> Iterator[list[str]]:
    """Yield the words of each string of a line that a message has in full: the rest of it may be added elsewhere.

    The parts of the string between its values are compared one by one.
    """
    message = f" {' '.join(words)} "
    for double, single in _STRING.findall(text):
        parts = [[word.lower() for word in _WORD.findall(part)] for part in _VALUE.split(double or single)]
        # A level in front is cut from the message, too.
        parts = parts[1:] if _LEVELS.issuperset(parts[0]) else parts
        own = [word for part in parts for word in part]
        if len(own) >= _MIN_WORDS and all(f" {' '.join(part)} " in message for part in parts if part):
            yield own


def _may_print(source: SourceTree, line: MatchItem) -> bool:
    """Return whether a line has a string, or is within one, that is neither a comment nor documentation."""
    start = line.text.lstrip()
    if start.startswith(_DOCUMENTATION):
        return False
    if _QUOTE.search(line.text) and (start.startswith("#[") or not start.startswith(COMMENTS)):
        return True
    return _is_in_text(source.find_lines(line.file)[: line.line - 1])


def _is_in_text(before: Sequence[str]) -> bool:
    """Return whether some lines end within a string of several lines that is a value, and no documentation."""
    opened, is_value_text = "", False
    for line in before:
        for mark in _TRIPLE.findall(line):
            if not opened:
                opened, is_value_text = mark, not line.lstrip().startswith(_DOCUMENTATION)
            elif mark == opened:
                opened = ""
    return bool(opened) and is_value_text


def _rank(match: MessageMatch) -> tuple[int, bool, float, str, int]:
    """Return the sort key: product before tests, then the exact message, then the largest share."""
    return role_of(match.line.file), not match.is_exact, -match.share, match.line.file, match.line.line
