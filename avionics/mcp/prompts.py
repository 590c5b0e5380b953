"""Prompts: the planner's, and two ways of working that use the tools well.

Knows: the words, and what each prompt takes.
Does not know: who follows them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs
from mcp import MCPError, types
from mcp.server import ServerRequestContext

from avionics.tools.catalog import ToolCatalog
from avionics.tools.ids import ToolId

Request = ServerRequestContext[Any, Any]

_PLAN = """\
{tools}

Question: {question}

Write a plan: the fewest steps that answer the question, each with a tool of the list, its arguments and why. \
Steps that need nothing of one another stand side by side. Cite only what the tools return."""

_EXPLAIN = """\
Explain this repository to somebody new to it{focus}.

1. map_module(path=".") for its parts; map_module on the two or three that matter most.
2. trace_entry_point(entry="list"), then trace the main one.
3. read_code only where the map leaves a question open.

Say what it is for, its parts and how they depend on one another, where control enters, and where to start reading. \
Cite path:line for every claim; say what you did not look at."""

_FIND_PLACE = """\
Find the place in this code that has to change for the issue below. Change nothing.

1. analyze(query=the issue as it stands).
2. For each of the best candidates: read_code, then explore_symbol_usage for who depends on it.
3. find_related on the place you choose, for the tests that cover it.

Answer with the files and lines to change, why these, who else is affected, and which tests to run. \
Cite path:line; say how sure you are.

Issue:
{issue}"""


@attrs.frozen
class PromptText:
    """A prompt: what it is for, what it takes, and its text."""

    name: str
    description: str
    argument: str
    is_required: bool
    build: Callable[[str], str]

    def to_prompt(self) -> types.Prompt:
        """The prompt as it is listed."""
        argument = types.PromptArgument(name=self.argument, required=self.is_required)
        return types.Prompt(name=self.name, description=self.description, arguments=[argument])


def build_prompt_texts(catalog: ToolCatalog[ToolId], allowed: frozenset[ToolId]) -> Mapping[str, PromptText]:
    """The prompts by name; the planner's lists the allowed tools."""

    def plan(question: str) -> str:
        return _PLAN.format(tools=catalog.generate_planner_prompt(allowed), question=question)

    def explain(focus: str) -> str:
        return _EXPLAIN.format(focus=f", above all {focus}" if focus else "")

    def place(issue: str) -> str:
        return _FIND_PLACE.format(issue=issue)

    every = (
        PromptText("plan", "Plan which tools to ask for a question.", "question", True, plan),  # noqa: FBT003
        PromptText("explain_repository", "Explain this repository.", "focus", False, explain),  # noqa: FBT003
        PromptText("find_place", "Find the place an issue is about.", "issue", True, place),  # noqa: FBT003
    )
    return {text.name: text for text in every}


class Prompts:
    """Lists prompts and fills them in."""

    def __init__(self, texts: Mapping[str, PromptText]) -> None:
        self._texts = texts

    async def list_prompts(
        self, _request: Request, _params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        """All of them."""
        return types.ListPromptsResult(prompts=[text.to_prompt() for text in self._texts.values()])

    async def get_prompt(self, _request: Request, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """A prompt with its argument in place.

        Raises:
            MCPError: There is no such prompt, or its argument is missing.
        """
        text = self._texts.get(params.name)
        if text is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name[:80]}", {"prompts": list(self._texts)})
        given = (params.arguments or {}).get(text.argument, "")
        if text.is_required and not given:
            raise MCPError(types.INVALID_PARAMS, f"{text.argument}: missing, expected string")
        content = types.TextContent(type="text", text=text.build(given))
        return types.GetPromptResult(
            description=text.description, messages=[types.PromptMessage(role="user", content=content)]
        )
