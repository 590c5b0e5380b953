"""Searched: any text that no other way answers: the lines that hold what it quotes, ranked symbols, code, calls.

Knows: the ranking, what questions quote.
Does not know: how a question is read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import attrs

from avionics.index.search.query import read_query
from avionics.model.results import Coverage
from avionics.tools.answers.fallback_chain import FallbackChain
from avionics.tools.answers.items import CodeItem, NameItem, SymbolItem
from avionics.tools.questions.intent_rules import Intent, Question, find_others
from avionics.tools.questions.mention_resolver import find_stressed, stress
from avionics.tools.unified.composers import delegating as compositions
from avionics.tools.unified.composers.code_excerpts import get_rest, is_shown, read_spans, shorten
from avionics.tools.unified.composers.composed_answer import AnalyzeAnswer
from avionics.tools.unified.composers.literal_matches import NONE_HELD, HeldLines, find_quoted, get_held_lines

if TYPE_CHECKING:
    from avionics.tools.composite.trace_entry_point import FlowItem
    from avionics.tools.internal.files.grep_search import MatchItem
    from avionics.tools.resolution.ranked_search import RankedItem, RankedSearch
    from avionics.workspace import Workspace

_MAX_SYMBOLS = 10
_MAX_TRACED = 3
_MAX_FLOW = 12
_LINES_THRESHOLD = 10
_AROUND = 15
"""Lines before and after one that holds what was quoted."""
_DOTTED_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_FUNCTIONS = frozenset({"function", "method", "property"})


def compose_search(workspace: Workspace, question: Question, ladder: FallbackChain) -> AnalyzeAnswer:
    """Any other text: the lines that hold what it quotes, the symbols it is about, code, and for a flow the calls."""
    from avionics.tools.resolution.ranked_search import RankedSearch, search_ranked

    if "/" in question.missing and len(question.text.split()) == 1:
        return _compose_absent(workspace, question)
    within = question.scope
    quoted = () if question.others else find_quoted(workspace, question.text)
    looked = ladder.try_step("text as it stands", lambda: get_held_lines(workspace, quoted, within)) if quoted else ()
    held = looked if isinstance(looked, HeldLines) else NONE_HELD
    if held.lines and read_query(question.text).is_empty:
        coverage = Coverage(len(held.lines), len(held.lines), held.certainty)
        return AnalyzeAnswer(question.text, question.kind.value, held.to_text(), coverage, (), lines=held.lines)
    named = find_stressed(workspace.code, question.text)
    asked = stress(question.text, named)
    searched = ladder.try_step("ranked search", lambda: search_ranked(workspace, asked, within, _MAX_SYMBOLS))
    found = searched if isinstance(searched, RankedSearch) else RankedSearch((), Coverage(0, 0), ())
    if question.kind is Intent.PHRASE:
        found = attrs.evolve(found, items=tuple(sorted(found.items, key=lambda each: each.symbol not in named)))
    code = read_spans(workspace, [_get_span(item, held) for item in found.items])
    flow: tuple[FlowItem, ...] = ()
    if question.kind is Intent.FLOW:
        flow = ladder.try_step("what the best match calls", lambda: _trace(workspace, found.items))
    return AnalyzeAnswer(
        question.text,
        question.kind.value,
        _summarize(workspace, question, held, found),
        _cover_search(held, found, code),
        (),
        lines=_get_lines(held, found, code),
        symbols=tuple(shorten(item, code) for item in found.items),
        code=code,
        flow=flow,
        other_definitions=tuple(map(SymbolItem.of, find_others(question))),
        near=found.near,
    )


def _compose_absent(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """The path of a file that is not there: paths like it."""
    near = workspace.source.find_near(question.missing)
    return AnalyzeAnswer(
        question.text,
        question.kind.value,
        f"there is no file {question.missing}",
        Coverage(0, 0, next="" if near else "map_module(path='.') for what there is"),
        (),
        near=tuple(map(NameItem, near)),
    )


def _get_lines(held: HeldLines, found: RankedSearch, code: tuple[CodeItem, ...]) -> tuple[MatchItem, ...]:
    """The lines that are listed: the first, and the others that no code beside them shows."""
    if not found.items:
        return held.lines
    others = (each for each in held.lines[1:] if not is_shown(each.file, each.line, code))
    return (*held.lines[:1], *others)[:_LINES_THRESHOLD]


def _get_span(item: RankedItem, held: HeldLines) -> tuple[str, int, int]:
    """The lines of a match that are shown first: those around what was quoted, where a long one holds it."""
    is_long = item.end_line - item.start_line > 2 * _AROUND
    line = next((each.line for each in held.lines if each.file == item.file and _holds(item, each.line)), 0)
    if not line or not is_long:
        return item.file, item.start_line, item.end_line
    return item.file, max(item.start_line, line - _AROUND), min(item.end_line, line + _AROUND)


def _holds(item: RankedItem, line: int) -> bool:
    return item.start_line <= line <= item.end_line


def _cover_search(held: HeldLines, found: RankedSearch, code: tuple[CodeItem, ...]) -> Coverage:
    """How much of the truth a search is, and the one thing to ask next."""
    if found.items or not held.lines:
        return attrs.evolve(found.coverage, next=_next_question(found, held, code))
    return Coverage(len(held.lines), len(held.lines), held.certainty)


def _summarize(workspace: Workspace, question: Question, held: HeldLines, found: RankedSearch) -> str:
    """What a search found, in a line; first of all that what was named is not there, or where what was quoted is."""
    missing = question.text if _DOTTED_NAME.fullmatch(question.text) else question.missing
    said = []
    if "/" in missing and missing != held.said:
        near = workspace.source.find_near(missing)
        said.append(f"there is no file {missing}" + (f" (near: {', '.join(near)})" if near else ""))
    elif missing and (found.items or held.lines):
        said.append(f"nothing is called {missing}")
    if held.to_text() and (held.lines or held.said != missing):
        said.append(held.to_text())
    if found.items:
        best = found.items[0]
        more = f", then {len(found.items) - 1} more" if len(found.items) > 1 else ""
        said.append(f"best match: {best.symbol or best.file} ({best.file}:{best.start_line}){more}")
    return "; ".join(said) or "nothing in this code matches"


def _next_question(found: RankedSearch, held: HeldLines, code: tuple[CodeItem, ...]) -> str:
    """The one thing to ask next: the rest of the best match, or who uses it."""
    if held.lines and found.items:
        first = held.lines[0]
        if is_shown(first.file, first.line, code):
            return ""
        start = max(1, first.line - _AROUND)
        return f"read_code(path={first.file!r}, start_line={start}, end_line={first.line + _AROUND}) for the code there"
    if not found.items:
        return ""
    best = found.items[0]
    rest = get_rest((best.file, best.start_line, best.end_line), code)
    if rest or not best.symbol:
        return rest
    return f"explore_symbol_usage(symbol={best.symbol!r}, file={best.file!r}) for who uses it"


def _trace(workspace: Workspace, items: tuple[RankedItem, ...]) -> tuple[FlowItem, ...]:
    """What the best matches call: of the first functions the one with the longest flow."""
    from avionics.tools.composite.trace_entry_point import trace_entry_point

    first = [item for item in items if item.kind in _FUNCTIONS][:_MAX_TRACED]
    flows = [
        trace_entry_point(workspace, f"{item.file}:{item.end_line}", compositions.FLOW_DEPTH).flow for item in first
    ]
    longest = max(flows, key=len, default=())
    return longest[:_MAX_FLOW] if len(longest) > 1 else ()
