"""Offer prompts: the planner's, and three workflows that use the tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from avionics.mcp.protocol.params import ListParams, PromptParams
from avionics.mcp.protocol.service import INVALID_PARAMS, McpRequest, ProtocolError, Result
from avionics.tools.catalog import ToolCatalog
from avionics.tools.ids import ToolId

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


_IMPACT = """\
Find out what a change of `{symbol}` would touch. Change nothing.

1. locate(symbol="{symbol}"); where several are found, take the one that is meant and say which.
2. explore_symbol_usage on it: proven uses, overrides, and what could not be proven.
3. trace_entry_point for the routes, commands or jobs that lead to the uses that matter.
4. find_related on its file, for the tests that cover it.

Answer with who depends on it and how, what would break unseen, and which tests to run. Cite path:line; tell the \
proven from the likely, and say what was not looked at."""


class PromptText(Struct, frozen=True):
    """A prompt that clients can list and fill in.

    Attributes:
        arguments: Its arguments; True means required.
        build: Builds its messages; a missing argument is "".
    """

    name: str
    description: str
    arguments: Mapping[str, bool]
    build: Callable[[Mapping[str, str]], str]

    def to_dict(self) -> dict[str, Any]:
        """Return the prompt as it is listed."""
        arguments = [{"name": name, "required": needed} for name, needed in self.arguments.items()]
        return {"name": self.name, "description": self.description, "arguments": arguments}


def build_prompt_texts(catalog: ToolCatalog[ToolId], allowed: frozenset[ToolId]) -> Mapping[str, PromptText]:
    """Return the prompts by name; the planner's lists the allowed tools."""

    def plan(given: Mapping[str, str]) -> str:
        return _PLAN.format(tools=catalog.generate_planner_prompt(allowed), **given)

    def explain(given: Mapping[str, str]) -> str:
        return _EXPLAIN.format(focus=f", above all {given['focus']}" if given["focus"] else "")

    every = (
        PromptText("plan", "Plan which tools to ask for a question.", {"question": True}, plan),
        PromptText("explain_repository", "Explain this repository.", {"focus": False}, explain),
        PromptText("find_place", "Find the place an issue is about.", {"issue": True}, _build_filler(_FIND_PLACE)),
        PromptText(
            "impact_of_change", "What a change of a symbol would touch.", {"symbol": True}, _build_filler(_IMPACT)
        ),
    )
    return {text.name: text for text in every}


class Prompts:
    """Lists prompts and fills in their arguments."""

    def __init__(self, texts: Mapping[str, PromptText]) -> None:
        self._texts = texts

    async def list_prompts(self, _request: McpRequest, _params: ListParams) -> Result:
        """Return all prompts."""
        return {"prompts": [text.to_dict() for text in self._texts.values()]}

    async def get_prompt(self, _request: McpRequest, params: PromptParams) -> Result:
        """Return a prompt with its argument filled in. Raise `ProtocolError` if either is missing."""
        text = self._texts.get(params.name)
        if text is None:
            known = {"prompts": list(self._texts)}
            raise ProtocolError(INVALID_PARAMS, f"Unknown prompt: {params.name[:80]}", known)
        given = {name: (params.arguments or {}).get(name, "") for name in text.arguments}
        if missing := [name for name, is_required in text.arguments.items() if is_required and not given[name]]:
            faults = [f"{name}: missing, expected string" for name in missing]
            raise ProtocolError(INVALID_PARAMS, "; ".join(faults))
        content = {"type": "text", "text": text.build(given)}
        return {"description": text.description, "messages": [{"role": "user", "content": content}]}


def _build_filler(text: str) -> Callable[[Mapping[str, str]], str]:
    """Return a prompt of one text with its arguments filled in."""
    return lambda given: text.format(**given)
