"""analyze: one question in any words; what answers it most likely, in one call.

A question loads the tools that answer it and no others: a cold process would spend longer on them than on the answer.

Knows: which tools answer which kind of question.
Does not know: how any of them finds its answer.
"""

from __future__ import annotations

import re
from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING

import attrs

from avionics.index.places import standing_of
from avionics.index.query import read_query
from avionics.syntax.extract import get_language
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.items import CodeItem, SymbolItem, plural
from avionics.tools.ladder import Ladder
from avionics.tools.questions import Question, QuestionKind, find_others, read_question
from avionics.tools.resilient.read_code import read_code
from avionics.tools.subjects import require_scope
from avionics.tools.unified.composed import compositions
from avionics.tools.unified.composed.analyzed import AnalyzeAnswer, Composed
from avionics.tools.unified.composed.shown_code import WHOLE_SHARE, get_rest, is_shown, read_spans, shorten
from protocols.enums import Certainty, SymbolKind
from protocols.errors import UsageError
from protocols.results import Coverage

if TYPE_CHECKING:
    from avionics.tools.composite.explore_symbol_usage import ExploreSymbolUsageAnswer
    from avionics.tools.composite.trace_entry_point import FlowItem
    from avionics.tools.internal.grep_search import MatchItem
    from avionics.tools.ranked import RankedItem, RankedSearch
    from avionics.workspace import Workspace

_MOST_SYMBOLS = 10
_MOST_SAID = 4
_MOST_TRACED = 3
_MOST_FLOW = 12
_MOST_LINES, _FEW_LINES = 500, 10
_MARKED_WORD = re.compile(r"(?=\S*\w)(?=\S*[^\w\s])\S{2,80}")
_DOTTED_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_FUNCTIONS = frozenset({"function", "method", "property"})


@tool(
    ToolId.ANALYZE,
    accepts="a question, an issue, a traceback, a symbol, a path or path:line",
    returns="ranked symbols with reasons, code, usages, flow, history or a map: whatever the question needs",
)
def analyze(workspace: Workspace, query: str, scope: str | None = None) -> AnalyzeAnswer:
    """Answer a question about the code in one call: the right tools are chosen and joined.

    Args:
        query: The question in your own words, an issue or traceback as it stands, a name, or a path.
        scope: A directory or file to stay within.
    """
    if not query.strip():
        raise UsageError("there is no question", hint="ask in your own words, or give a name or a path")
    within, ladder = require_scope(workspace, scope), Ladder()
    question = read_question(workspace.code, query, within)
    compose = _COMPOSERS.get(question.kind)
    answers = ladder.attempt(question.kind.value, lambda: compose(workspace, question)) if compose else ()
    if not answers:
        answers = (_compose_search(workspace, question, ladder),)
    return attrs.evolve(answers[0], attempts=ladder.attempts)


def _compose_symbol(workspace: Workspace, question: Question) -> Composed:
    """A name or a line: the definition, its code, who uses it."""
    from avionics.tools.composite.explore_symbol_usage import explore_symbol_usage

    definition = question.definition
    if definition is None:
        return _compose_lines(workspace, question)
    symbol, kind = definition.symbol, question.kind
    used = explore_symbol_usage(workspace, definition.name, definition.file, definition.line, question.scope)
    has_code = kind in {QuestionKind.SYMBOL, QuestionKind.PLACE, QuestionKind.CODE}
    span = (definition.file, symbol.span.start_line, symbol.span.end_line)
    code = read_spans(workspace, [span], WHOLE_SHARE) if has_code else ()
    is_kin = kind is QuestionKind.KIN and bool(used.subclasses or used.overrides)
    usages = (
        ()
        if is_kin or kind is QuestionKind.CODE
        else tuple(each for each in used.usages if not is_shown(each.file, each.line, code))
    )
    coverage = _cover_kin(used) if is_kin else used.coverage
    counted = {(each.file, each.line) for each in used.definitions}
    others = (SymbolItem.of(each) for each in find_others(question) if (each.file, each.line) not in counted)
    answer = AnalyzeAnswer(
        question.text,
        kind.value,
        _summarize_kin(used) if is_kin else used.summary,
        attrs.evolve(coverage, next=coverage.next or get_rest(span, code)) if code else coverage,
        (),
        definitions=tuple(shorten(each, code) for each in used.definitions),
        other_definitions=tuple(others),
        usages=usages,
        overrides=used.overrides,
        subclasses=tuple(sorted(used.subclasses, key=_is_interface)) if is_kin else used.subclasses,
        unresolved=() if is_kin or kind is QuestionKind.CODE else used.unresolved,
        code=code,
    )
    return (answer,)


def _is_interface(item: SymbolItem) -> bool:
    return item.kind == SymbolKind.INTERFACE.value


def _summarize_kin(used: ExploreSymbolUsageAnswer) -> str:
    what = "implementers and interfaces that extend it" if _is_interface(used.definitions[0]) else "subclasses"
    counts = [(len(used.subclasses), what), (len(used.overrides), "overrides")]
    return f"{used.symbol}: {', '.join(f'{count} {what}' for count, what in counts if count)}"


def _cover_kin(used: ExploreSymbolUsageAnswer) -> Coverage:
    """How much of the truth the subclasses and overrides are."""
    count, certainty = len(used.subclasses) + len(used.overrides), used.coverage.certainty
    because = () if certainty is Certainty.EXACT else ("a class whose base could not be told may be one more",)
    return Coverage(count, count, certainty, because=because)


def _compose_lines(workspace: Workspace, question: Question) -> Composed:
    """A line outside of any function or class: the lines around it."""
    if not question.path:
        return ()
    total = workspace.code.facts(question.path).lines
    if question.line > total:
        raise UsageError(f"{question.path!r} has no line {question.line}: it has {total}", hint="lines count from 1")
    code = read_code(workspace, question.path, max(1, question.line - 10), question.line + 20).code
    summary = f"{question.path}:{question.line} is at module level"
    return (AnalyzeAnswer(question.text, question.kind.value, summary, Coverage(len(code), len(code)), (), code=code),)


def _compose_history(workspace: Workspace, question: Question) -> Composed:
    """Why something is as it is: its commits, then its code."""
    from avionics.tools.composite.explain_code_history import explain_code_history

    definition = question.definition
    if definition is None:
        story = explain_code_history(workspace, question.path)
        code: tuple[CodeItem, ...] = ()
    else:
        story = explain_code_history(workspace, definition.file, definition.symbol.qualname)
        span = definition.symbol.span
        code = read_spans(workspace, [(definition.file, span.start_line, span.end_line)])
    symbols = _find_said(workspace, question)
    if symbols:
        code = read_spans(workspace, [(item.file, item.start_line, item.end_line) for item in symbols])
    return (
        AnalyzeAnswer(
            question.text,
            question.kind.value,
            story.headline(),
            story.coverage,
            (),
            symbols=symbols,
            commits=story.commits,
            introduction=tuple(commit for commit in story.introduction if commit not in story.commits),
            mentions=story.mentions,
            authors=story.authors,
            code=code,
        ),
    )


def _find_said(workspace: Workspace, question: Question) -> tuple[RankedItem, ...]:
    """Where the code speaks of what a question names beside its subject: "why does `load` need `TOKEN`?"."""
    subject = question.definition.name if question.definition else ""
    if not subject or not [name for name in read_query(question.text).names if name.rpartition(".")[2] != subject]:
        return ()
    from avionics.tools.ranked import search_ranked

    return search_ranked(workspace, question.text, question.scope, _MOST_SAID).items


_COMPOSERS = MappingProxyType(
    {
        QuestionKind.SYMBOL: _compose_symbol,
        QuestionKind.PLACE: _compose_symbol,
        QuestionKind.CODE: _compose_symbol,
        QuestionKind.USAGE: _compose_symbol,
        QuestionKind.KIN: _compose_symbol,
        QuestionKind.BASES: compositions.compose_bases,
        QuestionKind.CALLEES: compositions.compose_callees,
        QuestionKind.DEPENDENTS: compositions.compose_dependents,
        QuestionKind.TESTS: compositions.compose_tests,
        QuestionKind.UNUSED: compositions.compose_unused,
        QuestionKind.ENTRIES: compositions.compose_entries,
        QuestionKind.PARTS: compositions.compose_map,
        QuestionKind.MAP: compositions.compose_map,
        QuestionKind.HISTORY: _compose_history,
    }
)
"""What answers a kind of question; the other kinds are searched."""


def _compose_search(workspace: Workspace, question: Question, ladder: Ladder) -> AnalyzeAnswer:
    """Any other text: the symbols it is about, code of the best, and for a flow what the best one calls."""
    from avionics.tools.ranked import RankedSearch, search_ranked

    lines = _find_lines(workspace, question, ladder)
    shown = lines if question.missing else lines[:_FEW_LINES]
    if lines and read_query(question.text).is_empty:
        summary = f"{plural(len(lines), 'line')} hold {question.text!r}"
        coverage = Coverage(len(lines), len(lines), Certainty.EXACT if len(lines) < _MOST_LINES else Certainty.AT_LEAST)
        return AnalyzeAnswer(question.text, question.kind.value, summary, coverage, (), lines=lines)
    searched = ladder.attempt(
        "ranked search", lambda: search_ranked(workspace, question.text, question.scope, _MOST_SYMBOLS)
    )
    found = searched if isinstance(searched, RankedSearch) else RankedSearch((), Coverage(0, 0), ())
    code = read_spans(workspace, [(item.file, item.start_line, item.end_line) for item in found.items])
    missing = question.text if _DOTTED_NAME.fullmatch(question.text) else question.missing
    flow: tuple[FlowItem, ...] = ()
    if question.kind is QuestionKind.FLOW:
        flow = ladder.attempt("what the best match calls", lambda: _trace(workspace, found.items))
    return AnalyzeAnswer(
        question.text,
        question.kind.value,
        f"nothing is called {missing}; {_summarize(found)}" if missing else _summarize(found),
        attrs.evolve(found.coverage, next=_next_question(found, code)),
        (),
        symbols=tuple(shorten(item, code) for item in found.items),
        code=code,
        lines=shown,
        flow=flow,
        other_definitions=tuple(map(SymbolItem.of, find_others(question))),
        near=found.near,
    )


def _find_lines(workspace: Workspace, question: Question, ladder: Ladder) -> tuple[MatchItem, ...]:
    """The lines that hold a word with marks, or a name that nothing has: code first, a line of every file first."""
    text = question.missing or question.text
    is_marked = bool(_MARKED_WORD.fullmatch(text)) and not _DOTTED_NAME.fullmatch(text)
    if not (question.missing or is_marked) or question.others:
        return ()
    from avionics.tools.internal.grep_search import grep_search

    pattern, place = re.escape(text), question.scope or "."
    found = ladder.attempt(
        "text as it stands", lambda: grep_search(workspace, pattern, place, limit=_MOST_LINES).matches
    )
    seen: Counter[str] = Counter()
    ranked: list[tuple[bool, int, int, str, MatchItem]] = []
    for each in found:
        ranked.append((not get_language(each.file), standing_of(each.file), seen[each.file], each.file, each))
        seen[each.file] += 1
    return tuple(rank[-1] for rank in sorted(ranked, key=lambda rank: rank[:-1]))


def _summarize(found: RankedSearch) -> str:
    """What a search found, in a line."""
    if not found.items:
        return "nothing in this code matches"
    best = found.items[0]
    return f"best match: {best.symbol or best.file} ({best.file}:{best.start_line}), then {len(found.items) - 1} more"


def _next_question(found: RankedSearch, code: tuple[CodeItem, ...]) -> str:
    """The one thing to ask next: the rest of the best match, or who uses it."""
    if not found.items:
        return "" if found.near else "grep_search finds text as it stands"
    best = found.items[0]
    rest = get_rest((best.file, best.start_line, best.end_line), code)
    if rest or not best.symbol:
        return rest
    return f"explore_symbol_usage(symbol={best.symbol!r}, file={best.file!r}) for who uses it"


def _trace(workspace: Workspace, items: tuple[RankedItem, ...]) -> tuple[FlowItem, ...]:
    """What the best matches call: of the first functions the one with the longest flow."""
    from avionics.tools.composite.trace_entry_point import trace_entry_point

    first = [item for item in items if item.kind in _FUNCTIONS][:_MOST_TRACED]
    flows = [
        trace_entry_point(workspace, f"{item.file}:{item.end_line}", compositions.FLOW_DEPTH).flow for item in first
    ]
    longest = max(flows, key=len, default=())
    return longest[:_MOST_FLOW] if len(longest) > 1 else ()
