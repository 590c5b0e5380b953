"""The seams: places where a product may put its own part."""

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
        """For the curious."""
        ...

    def info(self, event: str, **fields: Any) -> Any:
        """For the record."""
        ...

    def warning(self, event: str, **fields: Any) -> Any:
        """For the operator."""
        ...

    def error(self, event: str, **fields: Any) -> Any:
        """For whoever must mend it."""
        ...


@runtime_checkable
class AuditSinkProtocol(Protocol):
    """Receives one plain record for every step of a call that is audited."""

    def record(self, event: str, fields: Mapping[str, Any]) -> None:
        """Keep the record; a fault here never changes a result."""
        ...


@runtime_checkable
class EmbedderProtocol(Protocol):
    """Turns texts into vectors whose nearness is likeness of meaning."""

    @property
    def name(self) -> str:
        """Return which embedder this is, for answers to say."""
        ...

    def embed(self, texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        """One vector a text, in order, all of the same dimension."""
        ...


@runtime_checkable
class VectorStoreProtocol(Protocol):
    """Keeps the vectors of one index; its namespaces never see one another."""

    @property
    def name(self) -> str:
        """Return which store this is, for answers to say."""
        ...

    def upsert(self, namespace: str, records: Sequence[VectorRecord]) -> None:
        """Keep the records; one with the id of an earlier one takes its place."""
        ...

    def find_nearest(self, namespace: str, vector: Sequence[float], limit: int) -> tuple[VectorMatch, ...]:
        """Return the records nearest to a vector, nearest first."""
        ...

    def delete(self, namespace: str, ids: Sequence[str]) -> None:
        """Forget the records of these ids; unknown ones are no fault."""
        ...


@runtime_checkable
class RerankerProtocol(Protocol):
    """Judges texts against a question one by one: slower and surer than the nearness of vectors."""

    @property
    def name(self) -> str:
        """Return which reranker this is."""
        ...

    def rerank(self, query: str, texts: Sequence[str], limit: int) -> tuple[Ranking, ...]:
        """Return the most relevant of the texts, by their positions, best first."""
        ...


@runtime_checkable
class CredentialStoreProtocol(Protocol):
    """Holds the credentials of accounts; a product's database may be one."""

    def get_credential(self, account_id: int | str, name: str) -> str | Awaitable[str | None] | None:
        """Return the credential of that name ("pinecone", "qdrant", …) of that account alone, or None."""
        ...


@runtime_checkable
class EnablementProtocol(Protocol):
    """Remembers which tools are switched on in which thread."""

    def is_tool_enabled(self, thread_id: str, tool: str) -> bool:
        """Return whether the tool is switched on in the thread."""
        ...


@runtime_checkable
class ChatModelProtocol(Protocol):
    """A chat model: reads a conversation, answers in words or asks for tools."""

    @property
    def name(self) -> str:
        """Return which model this is."""
        ...

    def reply(
        self, system: str, messages: Sequence[ChatMessage], tools: Sequence[ToolDefinitionProtocol] = ()
    ) -> Awaitable[ChatReply]:
        """Return the next turn of the conversation; raises RemoteError when the model cannot be had."""
        ...
