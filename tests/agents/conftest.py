"""A small shop to ask about, and a chat model's server on loopback that speaks the real HTTP APIs from a script."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import attrs
import pytest

from tests.http_servers import QuietHandler, serving, url_of

SHOP = {
    "shop/__init__.py": "from .models import Order as Order\n",
    "shop/models.py": '''"""What is sold."""


class Record:
    """Something that is kept."""

    def save(self) -> None:
        """Keep it."""


class Order(Record):
    """What somebody buys."""

    def add(self, item: object) -> None:
        """Put an item in."""
        self.save()
''',
    "shop/pricing.py": '''"""Prices and taxes."""

from shop.models import Order

TAX_RATE = 0.2


def total_of(order: Order) -> float:
    """The price of an order, with tax."""
    return with_tax(1.0)


def with_tax(price: float) -> float:
    """A price and its tax."""
    return price * (1 + TAX_RATE)
''',
    "shop/cli.py": '''"""The command line."""

from shop.models import Order
from shop.pricing import total_of


def main() -> None:
    """Sell one thing."""
    order = Order()
    order.add(1)
    print(total_of(order))


if __name__ == "__main__":
    main()
''',
}


@attrs.frozen
class Say:
    """One scripted reply.

    Attributes:
        text: Its words, streamed in pieces.
        calls: Tool calls: name and arguments (text is sent as it stands).
        status: Another HTTP status, with `text` as its body.
        headers: More headers.
        is_streamed: Whether it comes as a stream or as one document.
        raw: Sent instead of all that, as one document.
    """

    text: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    is_streamed: bool = True
    raw: str = ""


@attrs.frozen
class Server:
    """A running server: where it is, and what it was asked."""

    url: str
    requests: list[tuple[str, dict[str, str], dict[str, Any]]]


@pytest.fixture
def chat_server() -> Iterator[Callable[..., Server]]:
    """Starts a server that says what it is given, in order: `chat_server({"text": "hello"})`; the last is repeated."""
    running = ExitStack()

    def start(*replies: dict[str, Any]) -> Server:
        script = [Say(**reply) for reply in replies]
        requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []

        class Handler(QuietHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                say = script[min(len(requests), len(script) - 1)]
                requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
                is_anthropic = self.path.endswith("/messages")
                is_stream = say.is_streamed and say.status == 200 and not say.raw and body.get("stream", False)
                kind = "text/event-stream" if is_stream else "application/json"
                self.send_response(say.status)
                self.send_header("content-type", kind)
                for name, value in say.headers:
                    self.send_header(name, value)
                self.end_headers()
                if say.status != 200 or say.raw:
                    self.wfile.write((say.raw or say.text).encode())
                elif is_anthropic:
                    self.wfile.write(anthropic_stream(say) if is_stream else anthropic_document(say))
                else:
                    self.wfile.write(openai_stream(say) if is_stream else openai_document(say))

        return Server(url_of(running.enter_context(serving(Handler))), requests)

    with running:
        yield start


def written(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def halves(text: str) -> tuple[str, str]:
    return text[: len(text) // 2], text[len(text) // 2 :]


def openai_stream(say: Say) -> bytes:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": piece} for piece in halves(say.text) if piece]
    for index, (name, arguments) in enumerate(say.calls):
        head, tail = halves(written(arguments))
        call = {"index": index, "id": f"c{index}", "type": "function", "function": {"name": name, "arguments": head}}
        deltas.append({"tool_calls": [call]})
        deltas.append({"tool_calls": [{"index": index, "function": {"arguments": tail}}]})
    events = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    events.append({"choices": [], "usage": {"total_tokens": 7}})
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode() + b"data: [DONE]\n\n"


def openai_document(say: Say) -> bytes:
    calls = [{"id": f"c{index}", "type": "function", "function": {"name": name, "arguments": written(arguments)}}
             for index, (name, arguments) in enumerate(say.calls)]  # fmt: skip
    message = {"role": "assistant", "content": say.text, "tool_calls": calls}
    return json.dumps({"choices": [{"index": 0, "message": message}], "usage": {"total_tokens": 7}}).encode()


def anthropic_stream(say: Say) -> bytes:
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {"usage": {"input_tokens": 5}}}]
    if say.text:
        events.append({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
        for piece in halves(say.text):
            events.append({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}})
    for index, (name, arguments) in enumerate(say.calls, 1):
        block = {"type": "tool_use", "id": f"c{index}", "name": name, "input": {}}
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        for piece in halves(written(arguments)):
            delta = {"type": "input_json_delta", "partial_json": piece}
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
    events += [{"type": "message_delta", "usage": {"output_tokens": 2}}, {"type": "message_stop"}]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()


def anthropic_document(say: Say) -> bytes:
    content: list[dict[str, Any]] = [{"type": "text", "text": say.text}] if say.text else []
    for index, (name, arguments) in enumerate(say.calls):
        content.append({"type": "tool_use", "id": f"c{index}", "name": name, "input": arguments})
    return json.dumps(
        {"type": "message", "content": content, "usage": {"input_tokens": 5, "output_tokens": 2}}
    ).encode()


@pytest.fixture
def shop(workspace: Callable[..., Any]) -> Any:
    """A workspace of the shop."""
    return workspace(SHOP)
