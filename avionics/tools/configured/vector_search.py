"""`vectorSearch`: find the passages most similar to a question, in one step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from avionics.model.results import ToolResult
from avionics.model.seams import LoggerProtocol
from avionics.settings import EndpointSettings
from avionics.tools.configured.knowledge import build_fields, open_knowledge_base
from avionics.tools.configured.search_results import QUERY, build_description, build_name, build_result
from avionics.tools.configured.tool import ConfiguredTool
from avionics.tools.configured.tool_type import ToolType
from avionics.tools.log import standard_logger
from avionics.tools.schema.parameters import build_parameters

TOP_K: Final = 10


async def build_vector_search(
    tool_config: Mapping[str, Any],
    account_id: int | str,
    db: Any,
    auth_token: str | None = None,
    *,
    settings: EndpointSettings | None = None,
    logger: LoggerProtocol | None = None,
    **_: Any,
) -> ConfiguredTool:
    """Return the tool that searches the knowledge base of a configuration."""
    base = await open_knowledge_base(tool_config, account_id, db, auth_token, settings)
    limit = tool_config.get("topK") or TOP_K

    def search(query: str) -> ToolResult:
        """Find the passages most similar to a question."""
        matches = base.find_nearest(query, limit, tool_config.get("minScore"))
        results = [{"metadata": dict(each.metadata), "score": each.score, "id": each.id} for each in matches]
        return build_result(base, query, results, {})

    place = f"{base.provider}/{base.index}/{base.namespace}"
    (logger or standard_logger()).debug(f"[VECTOR SEARCH TOOL] Created tool for {place}")
    described = build_description(base, tool_config.get("description"))
    return ConfiguredTool(
        build_name(base.namespace),
        search,
        build_parameters((QUERY,)),
        described,
        required_permissions=base.required_permissions,
        cache_seconds=tool_config.get("cacheSeconds") or 0,
    )


VECTOR_SEARCH: Final = ToolType(
    "vectorSearch",
    build_vector_search,
    build_fields(topK=TOP_K),
    "Fast search by vector similarity alone.",
)
