"""Convert results to the protocol's form: text for models, the result document for programs."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any

from avionics.model.enums import Status
from avionics.model.results import ToolResult
from avionics.tools.answers.result_text import build_text


class Contents(str, Enum):
    """Which forms of a result are sent.

    Text is the default. Several clients give their model the JSON of `structuredContent` whenever a result has it, and
    the model then never sees the text, which has the layout and the budget.
    """

    TEXT = "text"
    DATA = "data"
    BOTH = "both"


def build_call_result(result: ToolResult, contents: Contents = Contents.TEXT) -> dict[str, Any]:
    """Return a result in the protocol's form."""
    text = [{"type": "text", "text": build_text(result)}] if contents is not Contents.DATA else []
    data = {"structuredContent": clean(result.to_dict())} if contents is not Contents.TEXT else {}
    return {"content": text, **data, "isError": result.status is Status.ERROR}


def clean(plain: Any) -> Any:
    """Return plain data with a question mark for each character that UTF-8 cannot carry."""
    text = json.dumps(plain, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.loads(text.encode("utf-8", "replace"))
    return plain
