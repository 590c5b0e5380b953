"""Ask a tool in every repository of a fleet that may have an answer, and who anywhere uses a definition."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from avionics.cross_repository.usages import FleetQuestions
from avionics.fleet.catalogue import FleetRepository
from avionics.model.enums import Status
from avionics.model.errors import AvionicsError, DeadlineExceededError, UsageError
from avionics.model.naming import agree
from avionics.model.results import ToolResult
from avionics.model.tools import Caller, ToolCall, ToolContext
from avionics.settings import Settings
from avionics.tools.executor import ToolExecutor
from avionics.tools.fleet.fleet_answer import (
    MAX_SHOWN_USAGES,
    FleetAnswer,
    RepositoryAnswer,
    describe_age,
    describe_repository,
    get_status,
    name_snapshot,
    place_citations,
    to_usage_data,
    write_usages,
)
from avionics.tools.ids import ToolId
from avionics.tools.questions.intents import Intent
from avionics.tools.questions.rules.intent_rules import RULES

LIMIT_SECONDS = 20.0
"""How long a question to a fleet may take; repositories that were not asked by then are counted."""

MAX_ANSWERING = 8
"""The number of repositories whose answers are shown."""

_MIN_TOKENS = 150
"""The minimum length of the answer of one repository."""

_SUBJECTS = ("symbol", "name", "query", "pattern")
"""The parameters that say what a tool looks for."""

_BY_NAME = frozenset({ToolId.LOCATE, ToolId.FIND_SYMBOL})
"""The tools that only a repository that defines the name can answer, if any repository defines it."""

_BY_WORDS = frozenset({ToolId.SEARCH_CODE, ToolId.ANALYZE})
"""The tools that the repositories with most of the words answer."""

_WORD = re.compile(r"[^\W\d]\w*(?:(?:\.|::|#)[^\W\d]\w*)*")
_REPOSITORY = re.compile(r"[^\W_][\w/-]*(?:\.\w[\w/-]*)*")
_NOT_FOR_ALL = frozenset({"validation_error", "parameter_error", UsageError.code})
_MAX_SYMBOLS = 20


class FleetTools:
    """Asks a fleet for a caller of some groups."""

    def __init__(
        self,
        questions: FleetQuestions,
        groups: Collection[str],
        settings: Settings,
        limit_seconds: float = LIMIT_SECONDS,
    ) -> None:
        self._questions = questions
        self._groups = tuple(groups)
        self._settings = settings
        self._limit_seconds = limit_seconds
        self._executor = ToolExecutor(settings=settings)

    def run(self, tool: ToolId, arguments: Mapping[str, Any], budget_tokens: int | None = None) -> ToolResult:
        """Return what a tool that reads a workspace finds in the fleet, grouped by repository.

        The budget is that of the whole text, 0 for unlimited; by default that of the settings. Raise `UsageError` if
        the arguments are wrong.
        """
        if tool is ToolId.EXPLORE_SYMBOL_USAGE:
            return self.ask_usages(str(arguments.get("symbol", "")))
        subject = next((str(arguments[name]) for name in _SUBJECTS if arguments.get(name)), "")
        return self._ask_each(tool, arguments, subject, budget_tokens).to_result()

    def answer(self, question: str, budget_tokens: int | None = None) -> ToolResult:
        """Return the answer to a question in words; who uses a symbol is asked across repositories."""
        if not question.strip():
            raise UsageError("the question is empty", hint="ask in your own words, or give a name")
        rule = next((each for each in RULES if each.search(question)), None)
        if rule is not None and rule.intent is Intent.USAGE:
            for name in _find_names(question):
                if defining := self._questions.find_defining((name,), self._groups):
                    return self.ask_usages(name, _get_owner(question, name, defining))
        return self._ask_each(ToolId.ANALYZE, {"query": question}, question, budget_tokens).to_result()

    def ask_usages(self, symbol: str, owner: str | None = None, *, is_all: bool = False) -> ToolResult:
        """Return who uses a definition, in every repository that imports its package.

        The owner defines it, if several do. `is_all` makes the text list every usage, and the possible ones.
        """
        found = self._questions.ask_usages(symbol, self._groups, owner)
        is_whole = not (found.failed or found.unindexed) and all(each.is_complete for each in found.found)
        status = get_status(is_found=bool(found.found), is_whole=is_whole)
        message = "" if is_whole else "there may be more usages"
        text = write_usages(found, None if is_all else MAX_SHOWN_USAGES)
        return ToolResult(status, to_usage_data(found), message, text=text)

    def ask_impact(self, symbols: Iterable[str], owner: str | None = None) -> ToolResult:
        """Return who uses any of some definitions that are about to change."""
        wanted = tuple(dict.fromkeys(symbols))
        results: list[ToolResult] = []
        unknown: list[str] = []
        for symbol in wanted[:_MAX_SYMBOLS]:
            try:
                results.append(self.ask_usages(symbol, owner))
            except UsageError as error:
                unknown.append(f"{symbol}: {error}")
        text = "\n\n".join((*(each.text for each in results), *unknown))
        left = len(wanted) - _MAX_SYMBOLS
        if left > 0:
            text += f"\n{agree(left, 'more symbol', 'was', 'were')} not asked about"
        is_whole = not unknown and left <= 0 and all(each.status is Status.SUCCESS for each in results)
        status = get_status(is_found=bool(results), is_whole=is_whole)
        data = {"symbols": [each.data for each in results], "unknown": unknown}
        return ToolResult(status, data, "" if is_whole else "not every symbol was answered", text=text)

    def list_repositories(self) -> ToolResult:
        """Return the repositories that the caller may see, each with its revision and the age of its snapshot."""
        visible = self._questions.list_visible(self._groups)
        lines = [
            f"{name_snapshot(each.name, each.revision)} ({describe_age(each.age)})" if each.revision
            else f"{each.name} (not indexed yet)"
            for each in visible
        ]  # fmt: skip
        data = {"repositories": [describe_repository(each) for each in visible]}
        return ToolResult(Status.SUCCESS, data, text="\n".join(lines) or "no repositories")

    def _ask_each(
        self, tool: ToolId, arguments: Mapping[str, Any], subject: str, budget_tokens: int | None
    ) -> FleetAnswer:
        """Ask repositories in turn until time is up, best first."""
        until = time.monotonic() + self._limit_seconds
        visible, waiting = self._questions.count_visible(self._groups)
        wanted, skipped = self._choose_repositories(tool, subject)
        whole = self._settings.default_budget_tokens if budget_tokens is None else budget_tokens
        each_tokens = max(_MIN_TOKENS, whole // max(1, min(len(wanted), MAX_ANSWERING))) if whole else 0
        found: list[RepositoryAnswer] = []
        failed: list[tuple[str, str]] = []
        late: list[str] = []
        for each in wanted:
            left = until - time.monotonic()
            result = self._ask(each, tool, arguments, left, each_tokens) if left > 0 else None
            if result is None or result.error_type == DeadlineExceededError.code:
                late.append(each.name)
            elif result.status is Status.ERROR:
                if result.error_type in _NOT_FOR_ALL:
                    raise UsageError(result.error or "", hint=result.hint)
                failed.append((each.name, result.error or ""))
            elif result.status is not Status.NOT_FOUND:
                found.append(RepositoryAnswer(each, result))
        asked = len(wanted) - len(failed) - len(late)
        return FleetAnswer(tuple(found), visible, asked, tuple(failed), tuple(late), waiting, skipped)

    def _choose_repositories(self, tool: ToolId, subject: str) -> tuple[Sequence[FleetRepository], str]:
        """Return the repositories to ask, best first, and why the others are not asked.

        Those that define the subject come first, then those with most of its words. For a question in words and for
        ranked search, the others are not asked, because they would add little and take as long.
        """
        wanted = self._questions.find_defining(_find_names(subject), self._groups)
        if tool in _BY_NAME and wanted:
            return wanted, "the others do not define it"
        is_by_words = tool in _BY_WORDS
        most = MAX_ANSWERING if is_by_words else None
        wanted = _join(wanted, self._questions.rate_repositories(subject, self._groups, most))[:most]
        if not (is_by_words and wanted):
            wanted = _join(wanted, [each for each in self._questions.list_visible(self._groups) if each.revision])
        return wanted, "the others have fewer of the words"

    def _ask(
        self, repository: FleetRepository, tool: ToolId, arguments: Mapping[str, Any], seconds: float, tokens: int
    ) -> ToolResult:
        """Run the call on one repository, and prefix the citations of its answer with the repository."""
        try:
            workspace = self._questions.open_repository(repository)
        except AvionicsError as error:
            return ToolResult(Status.ERROR, error=str(error), error_type=error.code)
        context = ToolContext(
            Caller("fleet"), workspace, timeout_seconds=seconds, budget_tokens=tokens, write_call=lambda _: ""
        )
        result = self._executor.run_blocking(ToolCall(tool.value, dict(arguments)), context)
        head = name_snapshot(repository.name, repository.revision)
        return result.evolve(text=place_citations(result.text, head, workspace.paths))


def _join(first: Iterable[FleetRepository], second: Iterable[FleetRepository]) -> tuple[FleetRepository, ...]:
    """Return the repositories of both lists, each once."""
    return tuple({each.id: each for each in (*first, *second)}.values())


def _find_names(text: str) -> tuple[str, ...]:
    """Return the words of a text that may name something, those with a dot or capitals first."""
    words = dict.fromkeys(_WORD.findall(text))
    return tuple(sorted(words, key=lambda word: not ("." in word or "_" in word or word != word.lower())))


def _get_owner(question: str, name: str, defining: Iterable[FleetRepository]) -> str | None:
    """Return the repository that defines a name and that a question also names: `bytes::Bytes`, `invoke of click`."""
    named = set(_REPOSITORY.findall(question)) - {name}
    return next((each.name for each in defining if each.name in named), None)
