"""Run a tool, or answer a question, and print the result."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from avionics.cli import text
from avionics.cli.input.command_line import PlainLine, is_ignoring
from avionics.cli.input.values import build_call_writer, parse_parameters
from avionics.cli.output.session import open_workspace, read_settings, release
from avionics.model import Caller, DeadlineExceededError, ToolCall, ToolContext, ToolResult, UsageError
from avionics.model.secret import Secret
from avionics.tools.guards import permitted
from avionics.tools.ids import EXPOSED_TOOL_IDS, ToolId

if TYPE_CHECKING:
    from avionics.agents.agent import Inquiry
    from avionics.agents.plans import AgentLimits
    from avionics.model.seams import ChatModelProtocol
    from avionics.model.tools import CallWriter
    from avionics.settings import Settings


_ASKED_OF_FLEETS = frozenset(
    each.value
    for each in (
        ToolId.ANALYZE, ToolId.EXPLORE_SYMBOL_USAGE, ToolId.FIND_SYMBOL, ToolId.GREP_SEARCH, ToolId.LOCATE,
        ToolId.SEARCH_CODE,
    )
)  # fmt: skip
"""The tools that a fleet can be asked."""


def get_asked_fleet(url: str | None, given: frozenset[str]) -> str:
    """Return the URL of the fleet that a command asks, "" if it asks a directory; `given` are its options."""
    if url is not None:
        return url
    return "" if given & {"repo", "rev"} else read_settings().fleet.reveal()


def run_plain(line: PlainLine) -> int:
    """Run a command line that click need not read, and return its exit code."""
    if line.command == "check":
        from avionics.cli.changes.check_run import run_check

        is_ignoring.set(True)
        return run_check(line.words, line.options)
    is_ignoring.set(not line.options["no_ignore"])
    options = {key: value for key, value in line.options.items() if key != "no_ignore"}
    if line.command == "ask":
        return run_question(line.words, line.given, options)
    tool, value = (*line.words, None)[:2]
    assert tool is not None
    return run_tool(tool, value, line.given, options)


def run_tool(tool: str, value: str | None, chosen: frozenset[str], options: Mapping[str, Any]) -> int:
    """Run a tool, print its result, and return the exit code.

    `value` is its first parameter, if given without its name; `chosen` are the options that the command line gives.
    """
    from avionics.tools import tool_catalog

    given, repo, as_json, timeout = (options[key] for key in ("given", "repo", "as_json", "timeout"))
    fleet, rev, budget = options["fleet"], options["rev"], _limit_budget(options["budget"], as_json)
    definition = tool_catalog.get_tool(tool)
    types = definition.parameters if definition else {}
    if value is not None and types:
        given = (f"{next(iter(types))}={value}", *given)
    arguments = parse_parameters(given, types)
    url = get_asked_fleet(fleet, chosen) if tool in _ASKED_OF_FLEETS or fleet else ""
    if url:
        from avionics.cli.fleet import ask_fleet

        if tool not in _ASKED_OF_FLEETS:
            raise UsageError(f"{tool} cannot be asked of a fleet", hint=f"one of {', '.join(sorted(_ASKED_OF_FLEETS))}")
        return text.show(ask_fleet(url, lambda asked: asked.run(ToolId(tool), arguments, budget), timeout), as_json)
    arguments |= {} if rev is None else {"rev": rev}
    return text.show(call_tool(tool, arguments, repo, budget, timeout), as_json, repo)


def run_question(words: tuple[str, ...], chosen: frozenset[str], options: Mapping[str, Any]) -> int:
    """Answer a question, print the answer, and return the exit code."""
    asked = " ".join(words)
    repo, as_json, timeout, explain = (options[key] for key in ("repo", "as_json", "timeout", "explain"))
    budget, url = _limit_budget(options["budget"], as_json), get_asked_fleet(options["fleet"], chosen)
    if url:
        from avionics.cli.fleet import ask_fleet

        return text.show(ask_fleet(url, lambda repositories: repositories.answer(asked, budget), timeout), as_json)
    model = {key: options.get(key) for key in ("model", "base_url", "api", "key_file", "no_tool_calls")}
    return text.show(answer_question(asked, repo, options["rev"], budget, timeout, explain, model), as_json, repo)


def show_status(repo: Path, as_json: bool) -> int:
    """Print what is indexed of a directory, and return the exit code."""
    return text.show(call_tool("get_index_stats", {}, repo, _limit_budget(None, as_json), None), as_json, repo)


def call_tool(
    name: str,
    arguments: Mapping[str, Any],
    repo: Path,
    budget: int | None,
    timeout: float | None,
    write_call: CallWriter | None = None,
) -> ToolResult:
    """Run one call on a directory; `write_call` writes the next one, by default as `avionics run`."""
    settings = read_settings()
    workspace = open_workspace(repo, settings)
    writer = write_call or build_call_writer(repo)
    context = ToolContext(Caller("cli"), workspace, timeout_seconds=timeout, budget_tokens=budget, write_call=writer)
    with ExitStack() as left:
        left.callback(release, workspace)
        if name in {each.value for each in EXPOSED_TOOL_IDS} and "rev" not in arguments:
            workspace.look_ahead()
        from avionics.tools.executor import ToolExecutor

        result = ToolExecutor(settings=settings).run(ToolCall(name, arguments), context)
        if result.error_type == DeadlineExceededError.code:
            left.pop_all()  # A tool that ran out of time still uses the workspace; it ends with the process.
    return result


def answer_question(
    question: str,
    repo: Path,
    rev: str | None,
    budget: int | None,
    timeout: float | None,
    explain: bool,
    model: Mapping[str, Any],
) -> ToolResult:
    """Answer with the agent: with a model if one is named, else by rules."""
    from avionics.agents.plans import AgentLimits
    from avionics.tools.execution.usual_budget import get_question_tokens

    settings = read_settings()
    chat = _open_model(settings, **model)
    if not question.strip():
        raise UsageError("the question is empty", hint="ask in your own words, or give a name or a path")
    limits = AgentLimits() if timeout is None else AgentLimits(seconds=timeout)
    allowance = budget if chat or budget is not None else get_question_tokens(settings, question)
    opened = open_workspace(repo, settings)
    workspace = opened if rev is None else opened.at(rev)
    context = ToolContext(
        Caller("cli"), workspace, timeout_seconds=timeout, budget_tokens=allowance, write_call=build_call_writer(repo)
    )
    with ExitStack() as left:
        left.callback(release, opened)
        workspace.look_ahead()
        with nullcontext() if chat else workspace.pinned_index():
            inquiry = _inquire(question, context, settings, limits, chat)
        if any(evidence.result.error_type == DeadlineExceededError.code for evidence in inquiry.evidence):
            left.pop_all()  # A tool that ran out of time still uses the workspace; it ends with the process.
    from avionics.agents.report import build_result

    return build_result(inquiry, explain=explain)


def _inquire(
    question: str, context: ToolContext, settings: Settings, limits: AgentLimits, chat: ChatModelProtocol | None
) -> Inquiry:
    """Run the agent."""
    from avionics.agents.agent import Agent
    from avionics.agents.traverser import Traverser
    from avionics.tools.executor import ToolExecutor

    workspace = context.workspace
    traverser = Traverser(ToolExecutor(guards=(permitted(),), settings=settings), context, limits)
    if chat is None:
        from avionics.agents.rules import RulePlanner
        from avionics.tools.execution.direct_run import run_directly

        return run_directly(Agent(RulePlanner(workspace), traverser, workspace, limits).ask(question))
    from avionics.agents.planner import Planner

    answer = Agent(Planner(chat, limits=limits), traverser, workspace, limits).ask(question)
    import asyncio

    return asyncio.run(answer)


def _open_model(
    settings: Settings,
    model: str | None,
    base_url: str | None,
    api: str | None,
    key_file: Path | None,
    no_tool_calls: bool | None,
) -> ChatModelProtocol | None:
    """Return the chat model of the options, else that of the settings, or None; `--model ""` is none."""
    name = settings.model if model is None else model
    if not name:
        if base_url or api or key_file or no_tool_calls:
            raise UsageError("no model is given", hint="add --model NAME, or set AVIONICS_MODEL")
        return None
    from avionics.agents import anthropic_chat, openai_chat
    from avionics.agents.transport import Endpoint

    url = base_url or settings.model_url
    # A key is for the server it was given for, and for no other.
    kept = settings.model_key if url == settings.model_url else Secret("")
    key = Secret(key_file.read_text("utf-8").strip()) if key_file else kept
    if (api or settings.model_api) == "anthropic":
        endpoint = Endpoint(url or anthropic_chat.DEFAULT_URL, key)
        return anthropic_chat.AnthropicChat.at(name, endpoint, is_native=not no_tool_calls)
    endpoint = Endpoint(url or openai_chat.DEFAULT_URL, key)
    return openai_chat.OpenAIChat.at(name, endpoint, is_native=not no_tool_calls)


def _limit_budget(asked: int | None, as_json: bool) -> int | None:
    """Return the budget of a call; a JSON document is complete unless a budget is given."""
    return 0 if asked is None and as_json else asked
