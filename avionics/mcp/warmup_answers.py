"""Answer calls from the text of files while a repository is indexed for the first time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from avionics.index.search.query import is_stop_word
from avionics.model.enums import Certainty, Status
from avionics.model.results import ToolResult
from avionics.model.tools import ToolCall
from avionics.tools.ids import ToolId

_AT_ONCE: Final = frozenset({
    ToolId.GET_PROJECT_TREE, ToolId.GIT_BLAME, ToolId.GIT_DIFF, ToolId.GIT_LOG, ToolId.GIT_STATUS,
    ToolId.GLOB_FILES, ToolId.GREP_SEARCH, ToolId.READ_FILE, ToolId.TREE_STRUCTURE,
})  # fmt: skip
"""Tools that need only the files or git."""

_COLD: Final = frozenset({
    ToolId.ANALYZE, ToolId.EXPLORE_SYMBOL_USAGE, ToolId.FIND_REFERENCES, ToolId.FIND_SYMBOL,
    ToolId.GET_FILE_SYMBOLS, ToolId.GET_IMPORTERS, ToolId.LOCATE, ToolId.READ_CODE,
})  # fmt: skip
"""Tools about a name, for which the text can be searched; the others are about the whole repository."""

_ASKED: Final = ("symbol", "name", "query", "entry", "reference", "path")
_WORD = re.compile(r"[^\W\d]\w{2,}")
_MAX_WORDS = 6
_MAX_LINES = 60


def is_at_once(call: ToolCall) -> bool:
    """Return whether a call needs no index: lines of a file do not, a symbol in it does."""
    if "rev" in call.arguments:
        return False
    is_plain_reading = call.name == ToolId.READ_CODE.value and not call.arguments.get("symbol")
    return is_plain_reading or call.name in {tool_id.value for tool_id in _AT_ONCE}


def is_answered_cold(call: ToolCall) -> bool:
    """Return whether a call can be answered before indexing ends; the text of a revision cannot be searched."""
    return "rev" not in call.arguments and call.name in {tool_id.value for tool_id in _COLD}


def plan_stopgap(call: ToolCall) -> ToolCall | None:
    """Return a search for the words of a call, or None if it has none."""
    asked = next((call.arguments[name] for name in _ASKED if isinstance(call.arguments.get(name), str)), "")
    words = [word for word in dict.fromkeys(_WORD.findall(asked)) if not is_stop_word(word.lower())]
    if not words or "rev" in call.arguments:
        return None
    # The last word of a dotted name or a path is the most specific.
    chosen = words[:_MAX_WORDS] if re.search(r"\s", asked.strip()) else words[-1:]
    pattern = rf"\b({'|'.join(chosen)})\b"
    return ToolCall(ToolId.GREP_SEARCH.value, {"pattern": pattern, "limit": _MAX_LINES}, call.id)


def build_stopgap(found: ToolResult, because: str) -> ToolResult:
    """Return the results of the search as a partial answer that says why it is partial."""
    note = f"{because}; this is only a text search, which proves nothing: ask again for the answer"
    if found.status is Status.ERROR:
        return found.evolve(hint=note)
    # The search lists every matching line, which says nothing about how complete an answer to the call itself is.
    coverage = dict((found.data or {}).get("coverage") or {})
    text = found.text.replace("\n\n[complete: {0} of {0}]".format(coverage.get("found")), "")
    coverage |= {"certainty": Certainty.UNKNOWN.value, "because": [*coverage.get("because", ()), because]}
    data: Mapping[str, Any] = {**(found.data or {}), "coverage": coverage, "stopgap": because}
    return found.evolve(status=Status.PARTIAL, data=data, message=note, text=f"[{note}]\n{text}")
