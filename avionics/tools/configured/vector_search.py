"""`vectorSearch`, which finds the passages most similar to a question, and `vectorSearchWithReranking`.

The latter finds many candidates by vector similarity, of which a reranker selects the best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from avionics.model.errors import AvionicsError
from avionics.model.results import ToolResult
from avionics.model.seams import LoggerProtocol
from avionics.model.vectors import Ranking, VectorMatch
from avionics.settings import EndpointSettings
from avionics.tools.configured.knowledge import (
    QUERY,
    KnowledgeBase,
    build_description,
    build_fields,
    build_name,
    build_result,
    open_knowledge_base,
    text_of,
)
from avionics.tools.configured.tool import ConfiguredTool, ToolType
from avionics.tools.log import standard_logger
from avionics.tools.schema.parameters import build_parameters

TOP_K: Final = 10
CANDIDATES: Final = 20
TOP_N: Final = 5


async def build_vector_search(
    tool_config: Mapping[str, Any],
    account_id: int | str,
    db: Any,
    auth_token: str | None = None,
    *,
    settings: EndpointSettings | None = None,
    logger: LoggerProtocol | None = None,
    is_reranked: bool = False,
    **_: Any,
) -> ConfiguredTool:
    """Return the tool that searches the knowledge base of a configuration, and may rerank the results."""
    base = await open_knowledge_base(tool_config, account_id, db, auth_token, settings)
    candidates = tool_config.get("topK") or (CANDIDATES if is_reranked else TOP_K)
    limit, log = tool_config.get("topN") or TOP_N, logger or standard_logger()

    def search(query: str) -> ToolResult:
        """Find the passages most similar to a question."""
        matches = base.find_nearest(query, candidates, tool_config.get("minScore"))
        results = [{"metadata": dict(each.metadata), "score": each.score, "id": each.id} for each in matches]
        return build_result(base, query, results, {})

    def search_and_rerank(query: str) -> ToolResult:
        """Find the passages that best answer a question."""
        matches = base.find_nearest(query, candidates, tool_config.get("minScore"))
        rankings, missing = _rerank(base, query, matches, limit, log)
        results = [_build_item(matches[each.position], each.score) for each in rankings]
        more = {"reranking_applied": not missing, "initial_candidates": len(matches), "final_results": len(results)}
        return build_result(base, query, results, more, missing)

    kind = "VECTOR SEARCH WITH RERANKING TOOL" if is_reranked else "VECTOR SEARCH TOOL"
    log.debug(f"[{kind}] Created tool for {base.provider}/{base.index}/{base.namespace}")
    return ConfiguredTool(
        build_name(base.namespace, "_reranked" if is_reranked else ""),
        search_and_rerank if is_reranked else search,
        build_parameters((QUERY,)),
        build_description(base, tool_config.get("description"), ", slower and more accurate" if is_reranked else ""),
        required_permissions=base.required_permissions,
        cache_seconds=tool_config.get("cacheSeconds") or 0,
    )


def _rerank(
    base: KnowledgeBase, query: str, matches: Sequence[VectorMatch], limit: int, log: LoggerProtocol
) -> tuple[Sequence[Ranking], str]:
    """Return the best matches, and why they are ordered by similarity if they are."""
    by_similarity = [Ranking(position, match.score) for position, match in enumerate(matches[:limit])]
    if base.reranker is None:
        return by_similarity, "ordered by similarity, because RERANKER_API_URL is not set"
    try:
        return base.reranker.rerank(query, [text_of(match.metadata) for match in matches], limit), ""
    except AvionicsError as error:
        reason = f"ordered by similarity: {error}"
    log.warning(f"[VECTOR SEARCH WITH RERANKING TOOL] {reason}")
    return by_similarity, reason


def _build_item(match: VectorMatch, score: float) -> Mapping[str, Any]:
    """Return one result in its documented form."""
    return {"metadata": dict(match.metadata), "score": score, "similarity_score": match.score, "id": match.id}


def _find_conflicts(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Return that more results are wanted than there are candidates."""
    candidates, limit = config.get("topK") or CANDIDATES, config.get("topN") or TOP_N
    return (f"topN: {limit} results cannot be kept of {candidates} candidates (topK)",) if limit > candidates else ()


VECTOR_SEARCH: Final = ToolType(
    "vectorSearch", build_vector_search, build_fields(topK=TOP_K), "Fast search by vector similarity alone."
)
VECTOR_SEARCH_WITH_RERANKING: Final = ToolType(
    "vectorSearchWithReranking",
    partial(build_vector_search, is_reranked=True),
    build_fields(topK=CANDIDATES, topN=TOP_N),
    "Search in two steps: topK candidates by vector similarity, of which a reranker selects the topN best.",
    _find_conflicts,
)
