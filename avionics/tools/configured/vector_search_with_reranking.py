"""`vectorSearchWithReranking`: many candidates by vector similarity, of which a reranker selects the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from avionics.model.errors import AvionicsError
from avionics.model.results import ToolResult
from avionics.model.seams import LoggerProtocol
from avionics.model.vectors import Ranking, VectorMatch
from avionics.settings import EndpointSettings
from avionics.tools.configured.knowledge import KnowledgeBase, build_fields, open_knowledge_base, text_of
from avionics.tools.configured.search_results import QUERY, build_description, build_name, build_result
from avionics.tools.configured.tool import ConfiguredTool
from avionics.tools.configured.tool_type import ToolType
from avionics.tools.log import standard_logger
from avionics.tools.schema.parameters import build_parameters

TOP_K: Final = 20
TOP_N: Final = 5


async def build_vector_search_with_reranking(
    tool_config: Mapping[str, Any],
    account_id: int | str,
    db: Any,
    auth_token: str | None = None,
    *,
    settings: EndpointSettings | None = None,
    logger: LoggerProtocol | None = None,
    **_: Any,
) -> ConfiguredTool:
    """Return the tool that searches the knowledge base of a configuration and reranks the results."""
    base = await open_knowledge_base(tool_config, account_id, db, auth_token, settings)
    candidates, limit = tool_config.get("topK") or TOP_K, tool_config.get("topN") or TOP_N
    log = logger or standard_logger()

    def search(query: str) -> ToolResult:
        """Find the passages that best answer a question."""
        matches = base.find_nearest(query, candidates, tool_config.get("minScore"))
        rankings, missing = _rerank(base, query, matches, limit, log)
        results = [_build_item(matches[each.position], each.score) for each in rankings]
        more = {
            "reranking_applied": not missing,
            "initial_candidates": len(matches),
            "final_results": len(results),
        }
        return build_result(base, query, results, more, missing)

    place = f"{base.provider}/{base.index}/{base.namespace}"
    log.debug(f"[VECTOR SEARCH WITH RERANKING TOOL] Created tool for {place}")
    described = build_description(base, tool_config.get("description"), ", slower and more accurate")
    return ConfiguredTool(
        build_name(base.namespace, "_reranked"),
        search,
        build_parameters((QUERY,)),
        described,
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
    candidates, limit = config.get("topK") or TOP_K, config.get("topN") or TOP_N
    return (f"topN: {limit} results cannot be kept of {candidates} candidates (topK)",) if limit > candidates else ()


VECTOR_SEARCH_WITH_RERANKING: Final = ToolType(
    "vectorSearchWithReranking",
    build_vector_search_with_reranking,
    build_fields(topK=TOP_K, topN=TOP_N),
    "Search in two steps: topK candidates by vector similarity, of which a reranker selects the topN best.",
    _find_conflicts,
)
