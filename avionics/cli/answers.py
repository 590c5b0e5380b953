"""Commands that run a tool: `run`, `ask`, `status`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from avionics.cli import text
from avionics.cli.options import (
    call_options,
    examples,
    fleet_option,
    get_asked_fleet,
    json_option,
    no_ignore_option,
    read_settings,
    repo_option,
)
from avionics.cli.output.session import open_workspace, release
from avionics.cli.shell.values import suggest_tools
from avionics.cli.values import build_call_writer, parse_parameters
from avionics.model import Caller, DeadlineExceededError, ToolCall, ToolContext, ToolResult, UsageError
from avionics.tools.ids import EXPOSED_TOOL_IDS, ToolId

if TYPE_CHECKING:
    from avionics.agents.agent import Inquiry
    from avionics.agents.limits import AgentLimits
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


@click.command(
    "run",
    epilog=examples(
        "avionics run locate UserService",
        "avionics run read_code --param path=src/app.py --param start_line=10 --param end_line=40",
        "avionics run explore_symbol_usage --param symbol=Flask.route --json --budget 3000",
        "avionics run find_symbol --param name=Flask --rev 2.0.0",
    ),
)
@click.argument("tool", shell_complete=suggest_tools)
@click.argument("value", required=False)
@click.option("-p", "--param", "given", multiple=True, metavar="KEY=VALUE", help="A parameter; repeat for more.")
@call_options
@fleet_option
def run_command(
    tool: str,
    value: str | None,
    given: tuple[str, ...],
    repo: Path,
    rev: str | None,
    as_json: bool,
    budget: int | None,
    timeout: float | None,
    fleet: str | None,
) -> int:
    """Run one tool. VALUE is its first parameter.

    Integers, booleans (true, false), arrays and objects (as JSON; an array also by repeating --param) are parsed as the
    tool declares them. `avionics tools` lists the tools.
    """
    from avionics.tools import tool_catalog

    definition = tool_catalog.get_tool(tool)
    types = definition.parameters if definition else {}
    if value is not None and types:
        given = (f"{next(iter(types))}={value}", *given)
    arguments = parse_parameters(given, types)
    url = get_asked_fleet(fleet) if tool in _ASKED_OF_FLEETS or fleet else ""
    if url:
        from avionics.cli.fleet import ask_fleet

        if tool not in _ASKED_OF_FLEETS:
            raise UsageError(f"{tool} cannot be asked of a fleet", hint=f"one of {', '.join(sorted(_ASKED_OF_FLEETS))}")
        limit = _budget(budget, as_json)
        return text.show(ask_fleet(url, lambda asked: asked.run(ToolId(tool), arguments, limit), timeout), as_json)
    arguments |= {} if rev is None else {"rev": rev}
    return text.show(call_tool(tool, arguments, repo, _budget(budget, as_json), timeout), as_json, repo)


@click.command(
    "ask",
    epilog=examples(
        'avionics ask "where are sessions saved?"',
        "avionics ask Flask.route --repo ../flask",
        'avionics ask "where is Flask.route, and who calls it?" --explain',
        'avionics ask "how are sessions signed?" --model qwen3 --base-url http://localhost:11434/v1',
    ),
)
@click.argument("question", nargs=-1, required=True)
@call_options
@click.option("--explain", is_flag=True, help="Show the plan, each step with its time, and the evidence.")
@click.option(
    "--model", metavar="NAME", help="Let a chat model plan and write the answer; it receives the results of the tools."
)
@click.option("--base-url", metavar="URL", help="URL of the model; any OpenAI-compatible endpoint.")
@click.option("--api", type=click.Choice(["openai", "anthropic"]), help="API of the endpoint.  [default: openai]")
@click.option("--key-file", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help="A file that contains the endpoint's key.")  # fmt: skip
@click.option("--no-tool-calls", is_flag=True, help="For models without tool calls: plan in JSON.")
@fleet_option
def ask_command(
    question: tuple[str, ...],
    repo: Path,
    rev: str | None,
    as_json: bool,
    budget: int | None,
    timeout: float | None,
    explain: bool,
    fleet: str | None,
    **model: Any,
) -> int:
    """Answer a question in words. A symbol, a file or a directory is a question, too."""
    asked = " ".join(question)
    url = get_asked_fleet(fleet)
    if url:
        from avionics.cli.fleet import ask_fleet

        limit = _budget(budget, as_json)
        return text.show(ask_fleet(url, lambda repositories: repositories.answer(asked, limit), timeout), as_json)
    return text.show(
        answer_question(asked, repo, rev, _budget(budget, as_json), timeout, explain, model), as_json, repo
    )


@click.command("status", epilog=examples("avionics status", "avionics status --repo ../flask --json"))
@repo_option
@json_option
@no_ignore_option
def status_command(repo: Path, as_json: bool) -> int:
    """Show what is indexed of a directory, and how fresh it is."""
    return text.show(call_tool("get_index_stats", {}, repo, _budget(None, as_json), None), as_json, repo)


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
    from avionics.agents.limits import AgentLimits
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
    from avionics.agents.planner import Planner
    from avionics.agents.rules import RulePlanner
    from avionics.agents.traverser import Traverser
    from avionics.tools.execution.direct_run import run_directly
    from avionics.tools.executor import ToolExecutor
    from avionics.tools.guards import permitted

    workspace = context.workspace
    traverser = Traverser(ToolExecutor(guards=(permitted(),), settings=settings), context, limits)
    planner = Planner(chat, limits=limits) if chat else RulePlanner(workspace)
    answer = Agent(planner, traverser, workspace, limits).ask(question)
    if chat is None:
        return run_directly(answer)
    import asyncio

    return asyncio.run(answer)


def _open_model(
    settings: Settings,
    model: str | None,
    base_url: str | None,
    api: str | None,
    key_file: Path | None,
    no_tool_calls: bool,
) -> ChatModelProtocol | None:
    """Return the chat model of the options, else that of the settings, or None; `--model ""` is none."""
    name = settings.model if model is None else model
    if not name:
        if base_url or api or key_file or no_tool_calls:
            raise UsageError("no model is given", hint="add --model NAME, or set AVIONICS_MODEL")
        return None
    from avionics.agents import anthropic_chat, openai_chat
    from avionics.agents.transport import Endpoint
    from avionics.model.secret import Secret

    url = base_url or settings.model_url
    # A key is for the server it was given for, and for no other.
    kept = settings.model_key if url == settings.model_url else Secret("")
    key = Secret(key_file.read_text("utf-8").strip()) if key_file else kept
    if (api or settings.model_api) == "anthropic":
        endpoint = Endpoint(url or anthropic_chat.DEFAULT_URL, key)
        return anthropic_chat.AnthropicChat.at(name, endpoint, is_native=not no_tool_calls)
    endpoint = Endpoint(url or openai_chat.DEFAULT_URL, key)
    return openai_chat.OpenAIChat.at(name, endpoint, is_native=not no_tool_calls)


def _budget(asked: int | None, as_json: bool) -> int | None:
    """Return the budget of a call; a JSON document is complete unless a budget is given."""
    return 0 if asked is None and as_json else asked
