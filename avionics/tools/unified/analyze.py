"""analyze: one question in any words; what answers it most likely, in one call.

A question loads the tools that answer it and no others: a cold process would spend longer on them than on the answer.

Knows: which tools answer which kind of question.
Does not know: how any of them finds its answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

import attrs

from avionics.tools.answer import estimate_tokens, part
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.items import CodeItem, NameItem, PlaceItem, SymbolItem, UnresolvedItem, UsageItem
from avionics.tools.ladder import Ladder
from avionics.tools.questions import Question, QuestionKind, read_question
from avionics.tools.resilient.read_code import read_code
from avionics.tools.subjects import require_scope
from protocols.enums import Certainty
from protocols.errors import UsageError
from protocols.results import Attempt, Coverage

if TYPE_CHECKING:
    from avionics.tools.composite.explain_code_history import AuthorItem, MentionItem
    from avionics.tools.composite.explore_symbol_usage import ExploreSymbolUsageAnswer
    from avionics.tools.composite.map_module import LinkItem, OfferItem, PartItem
    from avionics.tools.composite.trace_entry_point import EntryItem, FlowItem
    from avionics.tools.internal.git_log import CommitItem
    from avionics.tools.ranked import RankedItem, RankedSearch
    from avionics.workspace import Workspace

_MOST_SYMBOLS = 10
_MOST_CODE = 4
_CODE_SHARE = 0.55
"""How much of a usual answer code may take: the list before it and the flow after it need the rest."""
_LARGEST_SHARE = 0.6
"""How much of that one symbol may take, so that a long function does not push out the second best."""
_WHOLE_SHARE = 0.65
"""How much of a usual answer the code of the one symbol asked about may take."""
_FLOW_DEPTH = 2
_MOST_TRACED = 3
_MOST_FLOW = 12
_DOTTED_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_FUNCTIONS = frozenset({"function", "method", "property"})


@attrs.frozen
class AnalyzeAnswer:
    """What answers the question; which parts are there depends on its kind."""

    question: str
    kind: str
    summary: str
    coverage: Coverage
    attempts: tuple[Attempt, ...]
    symbols: tuple[RankedItem, ...] = part("best matches", share=3.0)
    definitions: tuple[SymbolItem, ...] = part("defined", share=1.0)
    other_definitions: tuple[SymbolItem, ...] = part("other definitions of that name, not counted here", share=0.7)
    purpose: tuple[PlaceItem, ...] = part("", share=0.5)
    api: tuple[OfferItem, ...] = part("public API, most imported first", share=4.0)
    submodules: tuple[PartItem, ...] = part("in it, most imported first", share=4.0)
    commits: tuple[CommitItem, ...] = part("commits, newest first", share=3.0)
    introduction: tuple[CommitItem, ...] = part("introduced by", share=1.0)
    mentions: tuple[MentionItem, ...] = part("pull requests and issues the messages name", share=0.5)
    authors: tuple[AuthorItem, ...] = part("authors", share=0.5)
    usages: tuple[UsageItem, ...] = part("usages", share=3.0, counts=True)
    overrides: tuple[SymbolItem, ...] = part("overridden by", share=0.7)
    subclasses: tuple[SymbolItem, ...] = part("subclasses", share=0.7)
    unresolved: tuple[UnresolvedItem, ...] = part("may be usages", share=0.7)
    code: tuple[CodeItem, ...] = part("code", share=5.0)
    flow: tuple[FlowItem, ...] = part("what it calls", share=2.0)
    dependents: tuple[LinkItem, ...] = part("imported by", share=1.0)
    dependencies: tuple[LinkItem, ...] = part("imports, in the workspace", share=1.0)
    entry_points: tuple[EntryItem, ...] = part("entry points", share=1.0)
    near: tuple[NameItem, ...] = part("names like it", share=0.5)

    def headline(self) -> str:
        """What was found."""
        return self.summary


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


Composed = tuple["AnalyzeAnswer", ...]
"""One answer, or none where the question needs another way."""


def _compose_symbol(workspace: Workspace, question: Question) -> Composed:
    """A name or a line: the definition, its code, who uses it."""
    from avionics.tools.composite.explore_symbol_usage import explore_symbol_usage

    definition = question.definition
    if definition is None:
        return _compose_lines(workspace, question)
    symbol, kind = definition.symbol, question.kind
    used = explore_symbol_usage(workspace, definition.name, definition.file, definition.line, question.scope)
    is_shown = kind in {QuestionKind.SYMBOL, QuestionKind.PLACE}
    span = (definition.file, symbol.span.start_line, symbol.span.end_line)
    code = _read_spans(workspace, [span], _WHOLE_SHARE) if is_shown else ()
    is_kin = kind is QuestionKind.KIN and bool(used.subclasses or used.overrides)
    usages = () if is_kin else tuple(each for each in used.usages if not _is_within(each.file, each.line, code))
    coverage = _cover_kin(used) if is_kin else used.coverage
    counted = {(each.file, each.line) for each in used.definitions}
    others = (SymbolItem.of(each) for each in question.others if (each.file, each.line) not in counted)
    answer = AnalyzeAnswer(
        question.text,
        kind.value,
        _summarize_kin(used) if is_kin else used.summary,
        attrs.evolve(coverage, next=coverage.next or _rest(span, code)) if code else coverage,
        (),
        definitions=tuple(_shorten(each, code) for each in used.definitions),
        other_definitions=tuple(others),
        usages=usages,
        overrides=used.overrides,
        subclasses=used.subclasses,
        unresolved=() if is_kin else used.unresolved,
        code=code,
    )
    return (answer,)


def _summarize_kin(used: ExploreSymbolUsageAnswer) -> str:
    counts = [(len(used.subclasses), "subclasses"), (len(used.overrides), "overrides")]
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


def _compose_map(workspace: Workspace, question: Question) -> Composed:
    """A directory or file: what it is for, offers and needs."""
    from avionics.tools.composite.map_module import map_module

    found = map_module(workspace, question.path)
    return (
        AnalyzeAnswer(
            question.text,
            question.kind.value,
            found.headline(),
            found.coverage,
            (),
            purpose=found.purpose,
            api=found.api,
            submodules=found.submodules,
            dependents=found.dependents,
            dependencies=found.dependencies,
            entry_points=found.entry_points,
        ),
    )


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
        code = _read_spans(workspace, [(definition.file, span.start_line, span.end_line)])
    return (
        AnalyzeAnswer(
            question.text,
            question.kind.value,
            story.headline(),
            story.coverage,
            (),
            commits=story.commits,
            introduction=tuple(commit for commit in story.introduction if commit not in story.commits),
            mentions=story.mentions,
            authors=story.authors,
            code=code,
        ),
    )


_COMPOSERS = MappingProxyType(
    {
        QuestionKind.SYMBOL: _compose_symbol,
        QuestionKind.PLACE: _compose_symbol,
        QuestionKind.USAGE: _compose_symbol,
        QuestionKind.KIN: _compose_symbol,
        QuestionKind.MAP: _compose_map,
        QuestionKind.HISTORY: _compose_history,
    }
)
"""What answers a kind of question; the other kinds are searched."""


def _compose_search(workspace: Workspace, question: Question, ladder: Ladder) -> AnalyzeAnswer:
    """Any other text: the symbols it is about, code of the best, and for a flow what the best one calls."""
    from avionics.tools.ranked import RankedSearch, search_ranked

    searched = ladder.attempt(
        "ranked search", lambda: search_ranked(workspace, question.text, question.scope, _MOST_SYMBOLS)
    )
    found = searched if isinstance(searched, RankedSearch) else RankedSearch((), Coverage(0, 0), ())
    code = _read_spans(workspace, [(item.file, item.start_line, item.end_line) for item in found.items])
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
        symbols=tuple(_shorten(item, code) for item in found.items),
        code=code,
        flow=flow,
        other_definitions=tuple(map(SymbolItem.of, question.others)),
        near=found.near,
    )


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
    rest = _rest((best.file, best.start_line, best.end_line), code)
    if rest or not best.symbol:
        return rest
    return f"explore_symbol_usage(symbol={best.symbol!r}, file={best.file!r}) for who uses it"


def _rest(span: tuple[str, int, int], code: tuple[CodeItem, ...]) -> str:
    """How to read what of a span is not shown, "" when all of it is."""
    file, start, end = span
    shown = next((item.end_line for item in code if item.file == file and item.start_line == start), start - 1)
    return f"read_code(path={file!r}, start_line={shown + 1}, end_line={end}) for the rest" if shown < end else ""


def _trace(workspace: Workspace, items: tuple[RankedItem, ...]) -> tuple[FlowItem, ...]:
    """What the best matches call: of the first functions the one with the longest flow."""
    from avionics.tools.composite.trace_entry_point import trace_entry_point

    first = [item for item in items if item.kind in _FUNCTIONS][:_MOST_TRACED]
    flows = [trace_entry_point(workspace, f"{item.file}:{item.end_line}", _FLOW_DEPTH).flow for item in first]
    longest = max(flows, key=len, default=())
    return longest[:_MOST_FLOW] if len(longest) > 1 else ()


def _read_spans(
    workspace: Workspace, spans: Sequence[tuple[str, int, int]], share: float = _CODE_SHARE
) -> tuple[CodeItem, ...]:
    """The code of some spans, best first, as far as that share of the usual budget goes; no line twice."""
    room = int(workspace.settings.default_budget_tokens * share)
    largest = int(room * _LARGEST_SHARE) if len(spans) > 1 else room
    found: list[CodeItem] = []
    for file, start, end in spans:
        if len(found) == _MOST_CODE or any(_overlaps(each, file, start, end) for each in found):
            continue
        for item in read_code(workspace, file, start, end).code:
            shown = item if _cost(item) <= min(room, largest) else item.cut(min(room, largest))
            if shown is None:
                return tuple(found)
            found.append(shown)
            room -= _cost(shown)
    return tuple(found)


def _cost(item: CodeItem) -> int:
    return estimate_tokens(item.to_text())


def _overlaps(item: CodeItem, file: str, start: int, end: int) -> bool:
    return item.file == file and item.start_line <= end and start <= item.end_line


def _is_within(file: str, line: int, code: Iterable[CodeItem]) -> bool:
    """Whether a line is shown as code."""
    return any(item.file == file and item.start_line <= line <= item.end_line for item in code)


ItemT = TypeVar("ItemT", "RankedItem", SymbolItem)


def _shorten(item: ItemT, code: Iterable[CodeItem]) -> ItemT:
    """The item without what the code below says already."""
    if _is_within(item.file, item.start_line, code):
        return attrs.evolve(item, signature="", doc="")
    return item
