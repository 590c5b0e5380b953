"""Fixtures that ask their client: for a model's words, for input, for its directories.

No tool of the product does. A client of the handshake revisions is asked while its call lasts; one of the newest gets
what is asked as the result of its call, and calls again with the answers.
"""

from __future__ import annotations

import asyncio

from mcp import MCPError, types
from mcp.server.streamable_http import EventMessage, EventStore
from mcp.types import MISSING_REQUIRED_CLIENT_CAPABILITY

RECONNECTION_SECONDS = 0.2


def said(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def form(message: str, properties: dict, required: tuple[str, ...] = ()) -> types.ElicitRequest:
    schema = {"type": "object", "properties": properties, "required": list(required or properties)}
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def sampling(prompt: str, most_tokens: int = 100) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=said(prompt))
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=[message], max_tokens=most_tokens)
    )


ROOTS = types.ListRootsRequest()
NAME = form("What is your name?", {"name": {"type": "string"}})
CONFIRM = form("Please confirm", {"ok": {"type": "boolean"}})
COLOUR = form("Step 2: What is your favorite color?", {"color": {"type": "string"}})
DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
PLAIN = ["option1", "option2", "option3"]
TITLED = [{"const": f"value{number}", "title": f"Option {number}"} for number in (1, 2, 3)]
ENUMS = {
    "untitledSingle": {"type": "string", "enum": PLAIN},
    "titledSingle": {"type": "string", "oneOf": TITLED},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": PLAIN}},
    "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
}

MEANWHILE = {
    "test_sampling": lambda given: sampling(given["prompt"]),
    "test_elicitation": lambda given: form(
        given["message"], {"username": {"type": "string"}, "email": {"type": "string"}}
    ),
    "test_elicitation_sep1034_defaults": lambda given: form("Please check", DEFAULTS),
    "test_elicitation_sep1330_enums": lambda given: form("Please choose", ENUMS),
}
"""What a tool asks while its call lasts."""

ROUNDS = {
    "test_input_required_result_elicitation": ({"user_name": NAME},),
    "test_input_required_result_sampling": ({"capital_question": sampling("What is the capital of France?")},),
    "test_input_required_result_list_roots": ({"client_roots": ROOTS},),
    "test_input_required_result_request_state": ({"confirm": CONFIRM},),
    "test_input_required_result_tampered_state": ({"confirm": CONFIRM},),
    "test_input_required_result_multiple_inputs": (
        {"user_name": NAME, "greeting": sampling("Generate a greeting", 50), "client_roots": ROOTS},
    ),
    "test_input_required_result_multi_round": ({"step1": NAME}, {"step2": COLOUR}),
    "test_input_required_result_capabilities": ({"confirm": CONFIRM, "greeting": sampling("Generate a greeting")},),
    "test_input_required_result_prompt": ({"user_context": NAME},),
    "test_streaming_elicitation": ({"confirm": CONFIRM},),
}
"""What a tool or a prompt asks, round by round."""

PROMPT = "test_input_required_result_prompt"
NEEDY = "test_missing_capability"
POLLED = "test_reconnection"
TOOLS = (*MEANWHILE, *(name for name in ROUNDS if name != PROMPT), NEEDY, POLLED)


def to_wire(result) -> dict:
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


async def call_asking_tool(request, params) -> dict:
    """The result of one of `TOOLS`, or what it asks first."""
    context = request.context
    if params.name == NEEDY:
        require_sampling(context)
    if params.name == POLLED and context.close_sse_stream:
        await context.close_sse_stream()
        await asyncio.sleep(RECONNECTION_SECONDS)
    if params.name in MEANWHILE:
        return to_wire(types.CallToolResult(content=[said(await ask_meanwhile(context, params))]))
    asked = plan_round(request, params.name) if params.name in ROUNDS else None
    state = request.params.get("requestState")
    return to_wire(asked or types.CallToolResult(content=[said(f"done: {state}")]))


async def ask_meanwhile(context, params) -> str:
    asked = MEANWHILE[params.name](params.arguments or {})
    if isinstance(asked, types.CreateMessageRequest):
        answer = await context.session.create_message(
            asked.params.messages, max_tokens=asked.params.max_tokens, related_request_id=context.request_id
        )
        return f"LLM response: {answer.content.text}"
    answer = await context.session.elicit_form(
        asked.params.message, asked.params.requested_schema, related_request_id=context.request_id
    )
    return f"User response: action={answer.action}, content={answer.content}"


def plan_round(request, name) -> types.InputRequiredResult | None:
    """What is asked next, or None when all is answered; the state is the number of the round."""
    rounds = ROUNDS[name]
    number = int(request.params.get("requestState") or 0)
    if set(rounds[number]) <= set(request.params.get("inputResponses") or {}):
        number += 1
    if number == len(rounds):
        return None
    asked = {key: each for key, each in rounds[number].items() if can_answer(request.context, name, each)}
    return types.InputRequiredResult(input_requests=asked, request_state=str(number))


def can_answer(context, name: str, asked: object) -> bool:
    """Whether the client said that it can; the suite's other scenarios declare nothing and answer all the same."""
    if name != "test_input_required_result_capabilities":
        return True
    declared = context.session.client_capabilities
    return bool(declared.sampling if isinstance(asked, types.CreateMessageRequest) else declared.elicitation)


def require_sampling(context) -> None:
    declared = context.session.client_capabilities
    if declared is None or declared.sampling is None:
        data = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, "sampling is needed", data)


class Events(EventStore):
    """What was sent, for a client that comes back. The product keeps nothing: the SDK names a stream by its request's
    id alone, so that one client would be given what another was answered."""

    def __init__(self) -> None:
        self._sent: list[tuple[str, object]] = []

    async def store_event(self, stream_id, message):
        self._sent.append((stream_id, message))
        return str(len(self._sent))

    async def replay_events_after(self, last_event_id, send_callback):
        seen = int(last_event_id)
        stream = self._sent[seen - 1][0]
        for number, (stream_id, message) in enumerate(self._sent[seen:], seen + 1):
            if stream_id == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream
