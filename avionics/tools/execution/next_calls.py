"""Write the next step that an answer suggests as a call that the reader can make without changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from avionics.model.results import NextStep
from avionics.model.tools import CallWriter, ToolCall
from avionics.tools.answers.answer import visible
from avionics.tools.answers.next_step import NextWriter

MAX_CALL_CHARACTERS = 300
"""A longer call is not suggested; only calls that repeat a long text are longer."""


def build_next_writer(write_call: CallWriter, call: ToolCall, carried: Mapping[str, Any]) -> NextWriter:
    """Return the writer of the steps that the answer to a call suggests, in the form in which its reader writes calls.

    `carried` are arguments that the next call needs too, such as the revision of the answer.
    """

    def write(step: NextStep) -> str:
        arguments = dict(step.arguments) if step.tool else {**call.arguments, **step.arguments}
        text = write_call(ToolCall(step.tool or call.name, {**arguments, **carried}))
        return f"{text} {step.purpose}" if 0 < len(text) <= MAX_CALL_CHARACTERS else ""

    return write


def write_json(call: ToolCall) -> str:
    """Write a call as the name of the tool and the JSON object of its arguments, without invisible characters."""
    import json

    plain = json.dumps(dict(call.arguments), ensure_ascii=False)
    return f"{call.name} {plain if visible(plain) == plain else json.dumps(dict(call.arguments))}"
