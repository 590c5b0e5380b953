"""Complete repositories, paths and symbols in the arguments that a client edits."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from avionics.mcp.answers import clean
from avionics.mcp.protocol.params import CompleteParams
from avionics.mcp.protocol.service import McpRequest, Result
from avionics.mcp.repositories import Repositories, ServedRepository
from avionics.model.errors import AvionicsError

MEANINGS: Final[Mapping[str, str]] = MappingProxyType(
    {"repo": "repository", "path": "file", "focus": "file", "name": "symbol", "symbol": "symbol"}
)
"""The kind of value of each argument of a prompt or a resource template that can be completed."""

_MAX_COMPLETIONS = 100
"""The maximum number of values in a response of the protocol."""


class Completions:
    """Complete arguments of prompts and resources; wait `patience_seconds` for a repository's first reading."""

    def __init__(self, repositories: Repositories, patience_seconds: float) -> None:
        self._repositories = repositories
        self._patience_seconds = patience_seconds

    async def complete(self, _request: McpRequest, params: CompleteParams) -> Result:
        """Return the values that start with the argument; () for free text."""
        meaning = MEANINGS.get(params.argument.name, "")
        begun = params.argument.value
        if meaning == "repository":
            return _build([name for name in self._repositories.names if name.startswith(begun)])
        chosen = (params.context.arguments or {}).get("repo") if params.context else None
        repository = self._repositories.get(chosen)
        if not meaning or repository is None or not await self._is_ready(repository):
            return _build([])
        try:
            return _build(await asyncio.to_thread(_find, repository, meaning, begun))
        except AvionicsError:
            # A call with it reports the error; completion does not.
            return _build([])

    async def _is_ready(self, repository: ServedRepository) -> bool:
        """Return whether the first indexing has ended, or ends while the completion waits."""
        repository.start_reading()
        return await repository.wait_until_read(self._patience_seconds)


def _find(repository: ServedRepository, meaning: str, begun: str) -> list[str]:
    """Return files and symbols with a prefix, at most one more than are sent."""
    code = repository.workspace.code
    if meaning == "file":
        beginning = [path for path in code.paths if path.startswith(begun)]
        within = [path for path in code.paths if begun in path and not path.startswith(begun)]
        return [*beginning, *within]
    found = code.names.find_prefixed(begun, _MAX_COMPLETIONS + 1) if begun else ()
    return list(dict.fromkeys(each.symbol.qualname for each in found))


def _build(values: list[str]) -> Result:
    shown = [value for value in values[:_MAX_COMPLETIONS] if clean(value) == value]
    has_more = len(values) > _MAX_COMPLETIONS
    total = {} if has_more else {"total": len(shown)}
    return {"completion": {"values": shown, **total, "hasMore": has_more}}
