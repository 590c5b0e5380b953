"""Memory: remember which tool call answered a question, and find it for similar questions.

Similarity is lexical: the cosine of the questions' letter trigrams, which tolerates other word forms and orders and
needs no download.
"""

from __future__ import annotations

import json
import math
import re
import threading
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from pydantic import Field

from avionics.model.enums import RiskLevel, ToolDomain
from avionics.model.errors import SourceError
from avionics.model.results import to_plain
from avionics.tools.base import BaseTool, ToolInput
from avionics.tools.execution.current_call import get_current_context

MAX_REMEMBERED: Final = 5_000
"""Older ones are dropped, so that comparing with all of them takes about a tenth of a second."""

MAX_QUESTION_CHARACTERS: Final = 2_000
DEFAULT_LIMIT: Final = 10
DEFAULT_SIMILARITY: Final = 0.7


class ToolUse(Struct, frozen=True):
    """A tool and the arguments that answered a caller's question."""

    question: str
    tool_name: str
    args: Mapping[str, Any]
    owner: str = ""


class _Profile(Struct, frozen=True):
    """The frequency of each letter trigram in a question, and the length of that vector."""

    counts: Mapping[str, int]
    norm: float

    @classmethod
    def of(cls, text: str) -> _Profile:
        words = re.findall(r"\w+", text[:MAX_QUESTION_CHARACTERS].casefold())
        counts = Counter(padded[i : i + 3] for word in words for padded in [f" {word} "] for i in range(len(word)))
        return cls(counts, math.sqrt(sum(count * count for count in counts.values())))

    def similarity(self, other: _Profile) -> float:
        """Return the similarity from 0, nothing in common, to 1, the same words."""
        if not self.norm or not other.norm:
            return 0.0
        small, large = sorted((self.counts, other.counts), key=len)
        return sum(count * large.get(triple, 0) for triple, count in small.items()) / (self.norm * other.norm)


class ToolMemory:
    """The latest questions of each caller with the tool calls that answered them. Safe for several threads.

    Args:
        capacity: How many uses are kept of all callers together; the oldest are forgotten.
        path: A file of JSON lines that uses are read from and added to; without one they end with the process.

    Raises:
        SourceError: The file cannot be read, or a line of it is not a tool use.
    """

    def __init__(self, capacity: int = MAX_REMEMBERED, path: str | Path | None = None) -> None:
        self._lock = threading.Lock()
        self._uses: deque[tuple[_Profile, ToolUse]] = deque(maxlen=capacity)
        self._path = None if path is None else Path(path)
        if self._path is not None and self._path.exists():
            for use in _read_uses(self._path):
                self._add(use)

    def __len__(self) -> int:
        return len(self._uses)

    def count(self, owner: str) -> int:
        """Return how many uses are kept of one caller."""
        return sum(use.owner == owner for _, use in tuple(self._uses))

    def save(self, use: ToolUse) -> None:
        """Store a use of a tool unless it is stored already. Raise `SourceError` if the file cannot be written."""
        with self._lock:
            self._add(use)
            if self._path is not None:
                _append_use(self._path, use)

    def find_similar(
        self,
        question: str,
        limit: int = DEFAULT_LIMIT,
        similarity: float = DEFAULT_SIMILARITY,
        tool_name: str | None = None,
        owner: str = "",
    ) -> tuple[tuple[float, ToolUse], ...]:
        """Return the calls whose questions are at least this similar, most similar first, then the latest."""
        profile = _Profile.of(question)
        with self._lock:
            uses = tuple(reversed(self._uses))
        scored = (
            (profile.similarity(known), use)
            for known, use in uses
            if use.owner == owner and tool_name in {None, use.tool_name}
        )
        found = [(score, use) for score, use in scored if score >= similarity]
        return tuple(sorted(found, key=lambda pair: -pair[0])[:limit])

    def _add(self, use: ToolUse) -> None:
        for entry in [entry for entry in self._uses if entry[1] == use]:
            self._uses.remove(entry)
        self._uses.append((_Profile.of(use.question), use))


def _read_uses(path: Path) -> Iterator[ToolUse]:
    try:
        for line in path.read_text("utf-8").splitlines():
            yield ToolUse(**json.loads(line))
    except (OSError, ValueError, TypeError) as error:
        raise SourceError(f"the tool memory cannot be read: {error}", hint=f"see {path.name}") from error


def _append_use(path: Path, use: ToolUse) -> None:
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(to_plain(use)) + "\n")
    except OSError as error:
        raise SourceError(f"the tool memory cannot be written: {error.strerror}") from error


class SaveQuestionInput(ToolInput):
    """A question and the tool call that answered it."""

    question: str = Field(
        description="The question that was answered", min_length=1, max_length=MAX_QUESTION_CHARACTERS
    )
    tool_name: str = Field(description="The tool that answered it", min_length=1, max_length=128)
    args: dict[str, Any] = Field(description="The arguments it was given")


class SaveQuestionToolArgsTool(BaseTool):
    """Saves a question with the tool call that answered it."""

    name = "save_question_tool_args"
    description = "Remember which tool and arguments answered a question"
    category = ToolDomain.SYSTEM
    risk_level = RiskLevel.MEDIUM
    input_model = SaveQuestionInput

    def __init__(self, memory: ToolMemory) -> None:
        super().__init__()
        self.memory = memory

    def _execute(self, input_data: SaveQuestionInput) -> dict[str, Any]:
        owner = get_current_context().caller.id
        self.memory.save(ToolUse(input_data.question, input_data.tool_name, input_data.args, owner))
        return {"saved": True, "remembered": self.memory.count(owner)}


class SearchSavedInput(ToolInput):
    """A question for which to find similar ones."""

    question: str = Field(description="The question to find answers to", max_length=MAX_QUESTION_CHARACTERS)
    limit: int = Field(default=DEFAULT_LIMIT, description="The maximum number of calls to show", ge=1, le=100)
    similarity_threshold: float = Field(
        default=DEFAULT_SIMILARITY, description="The minimum similarity, 0 to 1", ge=0, le=1
    )
    tool_name_filter: str | None = Field(default=None, description="Only calls of this tool")


class SearchSavedCorrectToolUsesTool(BaseTool):
    """Finds the tool calls that answered similar questions."""

    name = "search_saved_correct_tool_uses"
    description = "Find which tools and arguments answered similar questions before"
    category = ToolDomain.SYSTEM
    input_model = SearchSavedInput

    def __init__(self, memory: ToolMemory) -> None:
        super().__init__()
        self.memory = memory

    def _execute(self, input_data: SearchSavedInput) -> dict[str, Any]:
        found = self.memory.find_similar(
            input_data.question,
            input_data.limit,
            input_data.similarity_threshold,
            input_data.tool_name_filter,
            get_current_context().caller.id,
        )
        uses = [
            {"question": use.question, "tool_name": use.tool_name, "args": use.args, "similarity": round(score, 3)}
            for score, use in found
        ]
        return {"uses": uses, "similarity": "lexical"}
