"""Results as the protocol carries them: the command line's text for the model, the result dict for programs.

Knows: results, and what can be encoded.
Does not know: who asked, or how the result came to be.
"""

from __future__ import annotations

import json
from enum import Enum
from typing import Any

from mcp import types

from avionics.model.enums import Status
from avionics.model.results import ToolResult
from avionics.tools.answers.answer import visible


class Contents(str, Enum):
    """What of a result is sent: some clients hand both forms to the model, which then pays twice."""

    BOTH = "both"
    TEXT = "text"
    DATA = "data"


def build_call_result(result: ToolResult, contents: Contents = Contents.BOTH) -> types.CallToolResult:
    """The result in the protocol's form."""
    text = [types.TextContent(type="text", text=build_text(result))] if contents is not Contents.DATA else []
    data = {"structured_content": clean(result.to_dict())} if contents is not Contents.TEXT else {}
    return types.CallToolResult(content=[*text], is_error=result.status is Status.ERROR, **data)


def build_text(result: ToolResult) -> str:
    """What the command line prints of the result."""
    if result.status is not Status.ERROR:
        return visible(result.text or result.message)
    faults = [f"  {fault}" for fault in result.validation_errors]
    lines = [f"error: {'the parameters are not right:' if faults else result.error}", *faults]
    if result.hint:
        lines.append(f"hint: {result.hint}")
    return visible("\n".join(lines))


def clean(plain: Any) -> Any:
    """The plain data with what no UTF-8 can carry (bytes of a name that is not UTF-8) as question marks."""
    text = json.dumps(plain, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.loads(text.encode("utf-8", "replace"))
    return plain
