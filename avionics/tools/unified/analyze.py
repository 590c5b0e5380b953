"""analyze: answer any question about the code in one call.

The question's intent selects the function that answers it. Its module, and the tools that it uses, are imported when
they are called, because loading all tools takes a cold process longer than the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import structs

from avionics.cancellation import watch_cuts
from avionics.model.enums import Certainty
from avionics.model.errors import UsageError
from avionics.model.reasons import Reason, ReasonKind
from avionics.tools.answers.fallback_chain import FallbackChain, as_found
from avionics.tools.answers.reasons import describe_reason
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.questions.intents import ASKS, Intent, Question
from avionics.tools.questions.reading import read_question
from avionics.tools.resolution.path_resolver import require_scope
from avionics.tools.unified.analyze_answer import AnalyzeAnswer

if TYPE_CHECKING:
    from avionics.workspace import Workspace

_MAX_OTHERS = 8
_NEVER_WRITTEN = frozenset({Intent.ERROR, Intent.TRACEBACK, Intent.SYMBOL, Intent.PLACE, Intent.PHRASE})
"""Where no other meaning is more likely than that of a message, or the search looks for messages itself."""

_OF_HISTORY = frozenset({Intent.CHANGES, Intent.COMMITS, Intent.IMPACT, Intent.CHANGE_TESTS, Intent.HOTSPOTS})
"""What nothing but the history of the repository answers; the reason for something may also be in the code."""

_UNRECOGNIZED = MappingProxyType(
    {
        Intent.TABLES: "no table or stored class was recognized in product code",
        Intent.EVENTS: "no event was recognized in product code",
    }
)
"""What is said before the result of a search if nothing is found that a question asks to list."""

_ANSWERS = MappingProxyType(
    {
        Intent.SYMBOL: "symbol_sections.answer_symbol",
        Intent.PLACE: "symbol_sections.answer_symbol",
        Intent.CODE: "symbol_sections.answer_symbol",
        Intent.USAGE: "symbol_sections.answer_symbol",
        Intent.SIGNATURE: "symbol_sections.answer_signature",
        Intent.CHANGES: "revision_sections.answer_changes",
        Intent.COMMITS: "revision_sections.answer_commits",
        Intent.IMPACT: "revision_sections.answer_impact",
        Intent.CHANGE_TESTS: "revision_sections.answer_change_tests",
        Intent.SUBTYPES: "symbol_sections.answer_symbol",
        Intent.BASES: "symbol_sections.answer_bases",
        Intent.CALLEES: "symbol_sections.answer_callees",
        Intent.TESTS: "testing_sections.answer_tests",
        Intent.HISTORY: "history.code_history.answer_history",
        Intent.MEMBERS: "module_sections.answer_members",
        Intent.RETURNING: "module_sections.answer_returning",
        Intent.DEPRECATED: "module_sections.answer_declared",
        Intent.PACKAGES: "file_sections.answer_packages",
        Intent.MARKERS: "module_sections.answer_markers",
        Intent.LARGEST: "module_sections.answer_largest",
        Intent.ASYNCHRONOUS: "module_sections.answer_declared",
        Intent.UNDOCUMENTED: "module_sections.answer_declared",
        Intent.USED_MOST: "module_sections.answer_most_used",
        Intent.RECURSIVE: "module_sections.answer_recursive",
        Intent.TEST_ONLY: "module_sections.answer_test_only",
        Intent.UNTESTED: "module_sections.answer_untested",
        Intent.CYCLES: "file_sections.answer_cycles",
        Intent.HOTSPOTS: "file_sections.answer_hotspots",
        Intent.TASK: "inventory.task_sections.answer_task",
        Intent.START: "inventory.start_sections.answer_start",
        Intent.TABLES: "inventory.table_sections.answer_tables",
        Intent.EVENTS: "inventory.event_sections.answer_events",
        Intent.KINDS: "inventory.kind_sections.answer_kinds",
        Intent.IMPORTS: "file_sections.answer_imports",
        Intent.FLOW: "path_sections.answer_entry",
        Intent.PATH: "path_sections.answer_path",
        Intent.KEY: "path_sections.answer_key",
        Intent.ERROR: "message_sections.answer_message",
        Intent.OPTION: "option_sections.answer_option",
        Intent.DEPENDENTS: "file_sections.answer_dependents",
        Intent.UNUSED: "module_sections.answer_unused",
        Intent.ENTRIES: "inventory.kind_sections.answer_entries",
        Intent.LIST_MODULES: "module_sections.answer_map",
        Intent.MAP: "module_sections.answer_map",
    }
)
"""Intent → the module and function that answer it, or return None; a search answers the rest."""


@tool(
    ToolId.ANALYZE,
    accepts="a question, an issue, a traceback, a symbol, a path or path:line",
    returns="ranked symbols with reasons, code, usages, flow, history or a map: whatever the question needs",
)
def analyze(workspace: Workspace, query: str, scope: str | None = None) -> AnalyzeAnswer:
    """Answer a question about the code in one call, which selects and combines the right tools.

    Raise `HistoryError` if the question is about changes and there is no git history that can be read.

    Args:
        query: The question in your own words, an issue or traceback as it stands, a name, or a path.
        scope: A directory or file to stay within.
    """
    if not query.strip():
        raise UsageError("the question is empty", hint="ask in your own words, or give a name or a path")
    within, fallbacks = require_scope(workspace.code, workspace.source, scope), FallbackChain()
    question = read_question(workspace.code, query, within)
    answers = _find_written(workspace, question, fallbacks)
    build = None if answers else _get_builder(question.intent)
    if build is not None:
        with watch_cuts() as cuts:
            answers = fallbacks.try_step(question.intent.value, lambda: as_found(build(workspace, question)))
        answers = tuple(map(_with_time_reason, answers)) if cuts.were_made else answers
    if fallbacks.failures and not answers and question.intent in _OF_HISTORY:
        workspace.history.require_available()
    answer = answers[0] if answers else _search(workspace, question, fallbacks)
    return structs.replace(_limit_others(answer), attempts=fallbacks.attempts)


def _find_written(workspace: Workspace, question: Question, fallbacks: FallbackChain) -> tuple[AnalyzeAnswer, ...]:
    """Return the answer to a text that may ask for something but is a message of the code, word for word."""
    if question.intent in _NEVER_WRITTEN or ASKS.match(question.text):
        return ()
    from avionics.tools.unified.message_sections import answer_written

    return fallbacks.try_step("a message in the code", lambda: as_found(answer_written(workspace, question)))


def _get_builder(intent: Intent) -> Callable[[Workspace, Question], AnalyzeAnswer | None] | None:
    """Return the function that answers questions of an intent; its module is imported on demand."""
    module, _, name = _ANSWERS.get(intent, "").rpartition(".")
    return getattr(import_module(f"avionics.tools.unified.{module}"), name) if module else None


def _search(workspace: Workspace, question: Question, fallbacks: FallbackChain) -> AnalyzeAnswer:
    """Return the answer of a search, which begins with why more specific answers failed or found nothing to list."""
    from avionics.tools.unified.search_sections import answer_search

    failures = fallbacks.failures
    answer = answer_search(workspace, question, fallbacks)
    unrecognized = () if failures else _name_unrecognized(workspace, question)
    summary = "; ".join((*map(describe_reason, failures), *unrecognized, answer.summary))
    reasons = (*fallbacks.failures, *answer.coverage.reasons)
    return structs.replace(answer, summary=summary, coverage=structs.replace(answer.coverage, reasons=reasons))


def _name_unrecognized(workspace: Workspace, question: Question) -> tuple[str, ...]:
    """Return a phrase for what a question asks to list and no rule recognizes; () if it asks for something else."""
    from avionics.index.options.declared_names import OptionKind
    from avionics.index.options.option_lists import get_listed_kind

    if question.intent is Intent.OPTION:
        asks_flags = get_listed_kind(workspace.code, question.text) is OptionKind.FLAG
        return ("no command-line flag was recognized in product code",) if asks_flags else ()
    return as_found(_UNRECOGNIZED.get(question.intent))


def _with_time_reason(answer: AnalyzeAnswer) -> AnalyzeAnswer:
    """Return an answer with the reason that the time ran out, unless it already has one or is complete."""
    coverage = answer.coverage
    if coverage.certainty is Certainty.EXACT or coverage.ran_out_of_time:
        return answer
    return structs.replace(answer, coverage=coverage.with_reasons(Reason(ReasonKind.TIME_RAN_OUT)))


def _limit_others(answer: AnalyzeAnswer) -> AnalyzeAnswer:
    """Return the answer with only the first of the other definitions of a name, and the number of the rest."""
    left = len(answer.get_items("other_definitions")) - _MAX_OTHERS
    if left <= 0:
        return answer
    limited = tuple(
        structs.replace(each, items=each.items[:_MAX_OTHERS]) if each.name == "other_definitions" else each
        for each in answer.sections
    )
    coverage = answer.coverage.with_reasons(Reason(ReasonKind.DEFINITIONS_NOT_LISTED, left))
    return structs.replace(answer, sections=limited, coverage=coverage)
