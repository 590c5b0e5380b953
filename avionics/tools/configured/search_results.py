"""Found passages as a tool's result: the documented data, and text a model can read."""

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
from avionics.tools.configured.knowledge import KnowledgeBase, text_of
from avionics.tools.schema.parameters import Bounds, Parameter, Shape

QUERY: Final = Parameter(
    "query", Shape("string", bounds=Bounds(min_length=1)), description="What to look for, in words."
)

_NAME_CHARACTERS: Final = 64
"""The longest name of a tool that every model's API takes."""
_MIN_CHARACTERS: Final = 80
_UNNAMEABLE: Final = re.compile(r"[^A-Za-z0-9_.-]+")


def build_name(namespace: str, suffix: str = "") -> str:
    """`search_docs`; what no tool's name may hold becomes `_`."""
    return f"{_UNNAMEABLE.sub('_', f'search_{namespace}')[: _NAME_CHARACTERS - len(suffix)]}{suffix}"


def build_description(base: KnowledgeBase, told: str | None, manner: str = "") -> str:
    """What a model reads: `Search the docs knowledge base: API documentation`."""
    what = f"Search the {base.namespace} knowledge base{manner}"
    return f"{what}: {told}" if told else f"{what}."


def build_result(
    base: KnowledgeBase, query: str, results: Sequence[Mapping[str, Any]], more: Mapping[str, Any], note: str = ""
) -> ToolResult:
    """The result of a search; it says so when a part that was not configured took part in it.

    Args:
        base: What was searched.
        query: For what.
        results: What was found, best first: `metadata`, `score`, `id`.
        more: What else the data holds.
        note: What a reader should know of how it was found.
    """
    notes = [note] if note else []
    if isinstance(base.embedder, LexicalEmbedder):
        why = "" if base.named_embedder else ", as EMBEDDINGS_API_URL is not set"
        notes.append(f"compared by words ({base.embedder.name}){why}")
    elif isinstance(base.embedder, SentenceEmbedder):
        notes.append(f"compared by meaning ({base.embedder.name})")
    place = f"{base.index}/{base.namespace}"
    headline = f"{len(results) or 'no'} passages in {place} for {query[:80]!r}"
    data = {"results": [dict(result) for result in results], "namespace": base.namespace, "index": base.index, **more}
    message = "; ".join(notes if results else (headline, *notes))
    lines = [headline, *(f"[{each}]" for each in notes), *_show(results)]
    status = Status.SUCCESS if results else Status.NOT_FOUND
    return ToolResult(status, data=data, message=message, text=visible("\n".join(lines)))


def _show(results: Sequence[Mapping[str, Any]]) -> list[str]:
    """The passages as lines, each cut to its share of a default budget; a passage's own lines are marked as such."""
    room = int(Settings().default_budget_tokens * CHARACTERS_PER_TOKEN) // max(1, len(results))
    lines = []
    for number, result in enumerate(results, 1):
        text = text_of(result["metadata"])
        shown = text if len(text) <= room else f"{text[: max(room, _MIN_CHARACTERS)]}…"
        lines.append(f"\n{number}. {result['id']}  {result['score']:.3f}")
        lines.extend(f"   | {line}" for line in shown.split("\n"))
    return lines
