"""Choose the default length limit of an answer, which is lower for questions that do not ask for code."""

from __future__ import annotations

import re

from avionics.late_pattern import late_pattern
from avionics.model.tools import ToolCall
from avionics.settings import Settings
from avionics.tools.ids import ToolId

_QUESTIONS = ToolId.ANALYZE.value
_ABOUT_CODE = late_pattern(
    r"\b(?:code|source|body|implementation|show me)\b",
    re.IGNORECASE,
    needs=("code", "source", "body", "implementation", "show me"),
)
"""Matches questions that ask for code, whose answers may be longer."""


def get_usual_tokens(settings: Settings, call: ToolCall | None) -> int:
    """Return the length limit of a call without a budget."""
    question = call.arguments.get("query") if call is not None and call.name == _QUESTIONS else None
    return get_question_tokens(settings, question) if isinstance(question, str) else settings.default_budget_tokens


def get_question_tokens(settings: Settings, question: str) -> int:
    """Return the length limit of the answer to a question without a budget."""
    return settings.default_budget_tokens if _ABOUT_CODE.search(question) else settings.question_budget_tokens
