"""The protocols of the parts that an application may replace."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from avionics.model.chat import ChatMessage, ChatReply
from avionics.model.tools import ToolDefinitionProtocol
from avionics.model.vectors import Ranking, VectorMatch, VectorRecord


@runtime_checkable
class LoggerProtocol(Protocol):
    """A structured logger: an event and its fields. `logging.Logger` adapters and structlog fit."""

    def debug(self, event: str, **fields: Any) -> Any:
        """Log an event of interest to developers."""

    def info(self, event: str, **fields: Any) -> Any:
        """Log a normal event."""

    def warning(self, event: str, **fields: Any) -> Any:
        """Log an event that needs an operator's attention."""

    def error(self, event: str, **fields: Any) -> Any:
        """Log a failure."""


@runtime_checkable
class AuditSinkProtocol(Protocol):
    """Receives one plain record for every step of an audited call."""

    def record(self, event: str, fields: Mapping[str, Any]) -> None:
        """Store the record; an error here never changes a result."""


@runtime_checkable
class EmbedderProtocol(Protocol):
    """Turns texts into vectors; similar meanings have near vectors."""

    @property
    def name(self) -> str:
        """Return the name of the embedder, for answers."""

    def embed(self, texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        """Return one vector per text, in order, all of the same dimension."""


@runtime_checkable
class VectorStoreProtocol(Protocol):
    """Stores the vectors of one index; its namespaces are isolated."""

    @property
    def name(self) -> str:
        """Return the name of the store, for answers."""

    def upsert(self, namespace: str, records: Sequence[VectorRecord]) -> None:
        """Store the records; one with the id of an earlier one replaces it."""

    def find_nearest(self, namespace: str, vector: Sequence[float], limit: int) -> tuple[VectorMatch, ...]:
        """Return the records nearest to a vector, nearest first."""

    def delete(self, namespace: str, ids: Sequence[str]) -> None:
        """Delete the records with these ids; ignore unknown ones."""


@runtime_checkable
class RerankerProtocol(Protocol):
    """Compares each text with the question; slower and more accurate than vectors."""

    @property
    def name(self) -> str:
        """Return the name of the reranker."""

    def rerank(self, query: str, texts: Sequence[str], limit: int) -> tuple[Ranking, ...]:
        """Return the most relevant of the texts, by their positions, best first."""


@runtime_checkable
class CredentialStoreProtocol(Protocol):
    """Provides the credentials of accounts, for example from an application's database."""

    def get_credential(self, account_id: int | str, name: str) -> str | Awaitable[str | None] | None:
        """Return the credential with this name ("pinecone", "qdrant", …) of that account alone, or None."""


@runtime_checkable
class EnablementProtocol(Protocol):
    """Stores which tools are enabled in which thread."""

    def is_tool_enabled(self, thread_id: str, tool: str) -> bool:
        """Return whether the tool is enabled in the thread."""


@runtime_checkable
class ChatModelProtocol(Protocol):
    """A chat model: reads a conversation, and answers with text or tool calls."""

    @property
    def name(self) -> str:
        """Return the name of the model."""

    def reply(
        self, system: str, messages: Sequence[ChatMessage], tools: Sequence[ToolDefinitionProtocol] = ()
    ) -> Awaitable[ChatReply]:
        """Return the next turn of the conversation; raises RemoteError if the model is unavailable."""
