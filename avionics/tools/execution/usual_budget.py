"""Return how long the answer of a call is by default: shorter for a question, unless it asks for code."""

from __future__ import annotations

import re

from avionics.late_pattern import late_pattern
from avionics.model.tools import ToolCall
from avionics.settings import Settings
from avionics.tools.ids import ToolId

_QUESTIONS = ToolId.ANALYZE.value
_ABOUT_CODE = late_pattern(r"\b(?:code|source|body|implementation|show me)\b", re.IGNORECASE)
"""Words that ask for code, which may be longer than other answers."""


def get_usual_tokens(settings: Settings, call: ToolCall | None) -> int:
    """Return the length limit of a call without a budget."""
    question = call.arguments.get("query") if call is not None and call.name == _QUESTIONS else None
    return get_question_tokens(settings, question) if isinstance(question, str) else settings.default_budget_tokens


def get_question_tokens(settings: Settings, question: str) -> int:
    """Return the length limit of the answer to a question without a budget."""
    return settings.default_budget_tokens if _ABOUT_CODE.search(question) else settings.question_budget_tokens
