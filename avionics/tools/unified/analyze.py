"""analyze: one question in any words; what answers it most likely, in one call.

A question loads the tools that answer it and no others: a cold process would spend longer on them than on the answer.

Knows: which tools answer which kind of question.
Does not know: how any of them finds its answer.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import attrs

from avionics.index.model.file_roles import role_of
from avionics.index.scopes.name_resolver import is_class
from avionics.index.search.query import read_query
from avionics.model.enums import Certainty, SymbolKind
from avionics.model.errors import UsageError
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.tools.answers.fallback_chain import FallbackChain
from avionics.tools.answers.items import CodeItem, SymbolItem
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.questions.intent_rules import Intent, Question, find_others, read_question
from avionics.tools.resilient.read_code import read_code
from avionics.tools.resolution.subject_resolver import require_scope
from avionics.tools.unified.composers import delegating as compositions
from avionics.tools.unified.composers.code_excerpts import WHOLE_SHARE, get_rest, is_shown, read_spans, shorten
from avionics.tools.unified.composers.composed_answer import AnalyzeAnswer, Composed

if TYPE_CHECKING:
    from avionics.tools.composite.explore_symbol_usage import ExploreSymbolUsageAnswer
    from avionics.tools.resolution.ranked_search import RankedItem
    from avionics.workspace import Workspace

_MAX_SAID = 4
_MAX_OTHERS = 8


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
    within, ladder = require_scope(workspace, scope), FallbackChain()
    question = read_question(workspace.code, query, within)
    compose = _COMPOSERS.get(question.kind)
    answers = ladder.try_step(question.kind.value, lambda: compose(workspace, question)) if compose else ()
    if not answers:
        from avionics.tools.unified.composers.search import compose_search

        answers = (compose_search(workspace, question, ladder),)
        coverage = answers[0].coverage
        reasons = (*ladder.failures, *coverage.reasons)
        answers = (attrs.evolve(answers[0], coverage=attrs.evolve(coverage, reasons=reasons)),)
    return attrs.evolve(_with_few_others(answers[0]), attempts=ladder.attempts)


def _with_few_others(answer: AnalyzeAnswer) -> AnalyzeAnswer:
    """The answer with the first other definitions of a name: a hundred say no more than that there are so many."""
    left = len(answer.other_definitions) - _MAX_OTHERS
    if left <= 0:
        return answer
    coverage = answer.coverage.with_reasons(Reason(ReasonKind.DEFINITIONS_NOT_LISTED, left))
    return attrs.evolve(answer, other_definitions=answer.other_definitions[:_MAX_OTHERS], coverage=coverage)


def _compose_symbol(workspace: Workspace, question: Question) -> Composed:
    """A name or a line: the definition, its code, who uses it."""
    from avionics.tools.composite.explore_symbol_usage import explore_symbol_usage

    definition = question.definition
    if definition is None:
        return _compose_lines(workspace, question)
    symbol, kind = definition.symbol, question.kind
    used = explore_symbol_usage(workspace, definition.name, definition.file, definition.line, question.scope)
    has_code = kind in {Intent.SYMBOL, Intent.PLACE, Intent.CODE}
    span = (definition.file, symbol.span.start_line, symbol.span.end_line)
    code = read_spans(workspace, [span], WHOLE_SHARE) if has_code else ()
    is_kin = kind is Intent.SUBTYPES and bool(used.subclasses or used.overrides)
    usages = (
        ()
        if is_kin or kind is Intent.CODE
        else tuple(each for each in used.usages if not is_shown(each.file, each.line, code))
    )
    coverage = _cover_kin(used) if is_kin else used.coverage
    counted = {(each.file, each.line) for each in used.definitions}
    others = (SymbolItem.of(each) for each in find_others(question) if (each.file, each.line) not in counted)
    answer = AnalyzeAnswer(
        question.text,
        kind.value,
        _summarize_kin(used) if kind is Intent.SUBTYPES else used.summary,
        attrs.evolve(coverage, next=coverage.next or get_rest(span, code)) if code else coverage,
        (),
        definitions=tuple(shorten(each, code) for each in used.definitions),
        other_definitions=tuple(others),
        usages=usages,
        overrides=used.overrides,
        subclasses=tuple(sorted(used.subclasses, key=_kin_order)) if is_kin else used.subclasses,
        unresolved=() if is_kin or kind is Intent.CODE else used.unresolved,
        code=code,
    )
    return (answer,)


def _kin_order(item: SymbolItem) -> tuple[bool, int]:
    """Classes before interfaces, product code before tests."""
    return _is_interface(item), role_of(item.file)


def _is_interface(item: SymbolItem) -> bool:
    return item.kind == SymbolKind.INTERFACE.value


def _is_class(item: SymbolItem) -> bool:
    return is_class(SymbolKind(item.kind)) or item.kind == SymbolKind.TYPE.value


def _summarize_kin(used: ExploreSymbolUsageAnswer) -> str:
    what = "implementers and interfaces that extend it" if _is_interface(used.definitions[0]) else "subclasses"
    counts = [(len(used.subclasses), what), (len(used.overrides), "overrides")]
    if not any(count for count, _ in counts):
        what = "subclasses or implementers" if _is_class(used.definitions[0]) else "overrides"
        return f"no {what} of {used.symbol} are known; {used.summary}"
    return f"{used.symbol}: {', '.join(f'{count} {what}' for count, what in counts if count)}"


def _cover_kin(used: ExploreSymbolUsageAnswer) -> Coverage:
    """How much of the truth the subclasses and overrides are."""
    count, certainty = len(used.subclasses) + len(used.overrides), used.coverage.certainty
    reasons = () if certainty is Certainty.EXACT else (Reason(ReasonKind.UNKNOWN_SUBCLASS),)
    return Coverage(count, count, certainty, reasons=reasons)


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
            other_definitions=tuple(map(SymbolItem.of, find_others(question))),
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
    from avionics.tools.resolution.ranked_search import search_ranked

    return search_ranked(workspace, question.text, question.scope, _MAX_SAID).items


_COMPOSERS = MappingProxyType(
    {
        Intent.SYMBOL: _compose_symbol,
        Intent.PLACE: _compose_symbol,
        Intent.CODE: _compose_symbol,
        Intent.USAGE: _compose_symbol,
        Intent.SUBTYPES: _compose_symbol,
        Intent.BASES: compositions.compose_bases,
        Intent.CALLEES: compositions.compose_callees,
        Intent.DEPENDENTS: compositions.compose_dependents,
        Intent.TESTS: compositions.compose_tests,
        Intent.UNUSED: compositions.compose_unused,
        Intent.ENTRIES: compositions.compose_entries,
        Intent.LIST_MODULES: compositions.compose_map,
        Intent.MAP: compositions.compose_map,
        Intent.HISTORY: _compose_history,
    }
)
"""What answers a kind of question; the other kinds are searched."""
