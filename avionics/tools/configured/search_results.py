"""Render found passages as a tool's result: the documented data, and text for a model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from avionics.model.enums import Status
from avionics.model.results import ToolResult
from avionics.semantic.lexical import LexicalEmbedder
from avionics.semantic.sentences import SentenceEmbedder
from avionics.settings import Settings
from avionics.tools.answers.answer import CHARACTERS_PER_TOKEN, visible
from avionics.tools.answers.items import plural
from avionics.tools.configured.knowledge import KnowledgeBase, text_of
from avionics.tools.schema.parameters import Bounds, Parameter, Shape

QUERY: Final = Parameter(
    "query", Shape("string", bounds=Bounds(min_length=1)), description="What to look for, in words."
)

_NAME_CHARACTERS: Final = 64
"""The longest tool name that every model API accepts."""
_MIN_CHARACTERS: Final = 80
_UNNAMEABLE: Final = re.compile(r"[^A-Za-z0-9_.-]+")


def build_name(namespace: str, suffix: str = "") -> str:
    """Return a name such as `search_docs`; invalid characters become `_`."""
    return f"{_UNNAMEABLE.sub('_', f'search_{namespace}')[: _NAME_CHARACTERS - len(suffix)]}{suffix}"


def build_description(base: KnowledgeBase, told: str | None, manner: str = "") -> str:
    """Return the description for a model: `Search the docs knowledge base: API documentation`."""
    what = f"Search the {base.namespace} knowledge base{manner}"
    return f"{what}: {told}" if told else f"{what}."


def build_result(
    base: KnowledgeBase, query: str, results: Sequence[Mapping[str, Any]], more: Mapping[str, Any], note: str = ""
) -> ToolResult:
    """Return the result of a search; it mentions default parts that were not configured.

    Args:
        base: The knowledge base.
        query: The question.
        results: The passages, best first: `metadata`, `score`, `id`.
        more: Further data.
        note: How the passages were found, for the reader.
    """
    notes = [note] if note else []
    if isinstance(base.embedder, LexicalEmbedder):
        why = "" if base.named_embedder else ", as EMBEDDINGS_API_URL is not set"
        notes.append(f"compared by words ({base.embedder.name}){why}")
    elif isinstance(base.embedder, SentenceEmbedder):
        notes.append(f"compared by meaning ({base.embedder.name})")
    place = f"{base.index}/{base.namespace}"
    headline = f"{plural(len(results), 'passage') if results else 'no passages'} in {place} for {query[:80]!r}"
    data = {"results": [dict(result) for result in results], "namespace": base.namespace, "index": base.index, **more}
    message = "; ".join(notes if results else (headline, *notes))
    lines = [headline, *(f"[{each}]" for each in notes), *_show(results)]
    status = Status.SUCCESS if results else Status.NOT_FOUND
    return ToolResult(status, data=data, message=message, text=visible("\n".join(lines)))


def _show(results: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the passages as lines, each cut to its share of the default budget.

    The lines of a passage itself are marked.
    """
    room = int(Settings().default_budget_tokens * CHARACTERS_PER_TOKEN) // max(1, len(results))
    lines = []
    for number, result in enumerate(results, 1):
        text = text_of(result["metadata"])
        shown = text if len(text) <= room else f"{text[: max(room, _MIN_CHARACTERS)]}…"
        lines.append(f"\n{number}. {result['id']}  {result['score']:.3f}")
        lines.extend(f"   | {line}" for line in shown.split("\n"))
    return lines
