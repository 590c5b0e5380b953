"""Knowledge bases: open the parts of a vector search by the configuration and the settings.

A configuration names an index, a namespace and the kind of store. Servers and keys come only from the settings and the
account's credentials, so no configuration can send a key anywhere.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

import attrs

from avionics.model.enums import Permission, Status
from avionics.model.errors import ConfigError
from avionics.model.naming import plural
from avionics.model.results import ToolResult
from avionics.model.seams import CredentialStoreProtocol, EmbedderProtocol, RerankerProtocol, VectorStoreProtocol
from avionics.model.secret import NO_SECRET, Secret
from avionics.model.vectors import VectorMatch, VectorRecord
from avionics.semantic.embeddings import OpenAiEmbedder
from avionics.semantic.http import shared_http_client
from avionics.semantic.lexical import LexicalEmbedder
from avionics.semantic.local import LocalVectorStore, file_name_of
from avionics.semantic.pgvector import PgVectorStore, password_of
from avionics.semantic.pinecone import PineconeVectorStore
from avionics.semantic.qdrant import QdrantVectorStore
from avionics.semantic.reranker import HttpReranker
from avionics.semantic.sentences import SentenceEmbedder
from avionics.settings import EndpointSettings, Settings
from avionics.tools.answers.answer import CHARACTERS_PER_TOKEN, visible
from avionics.tools.schema.parameters import Bounds, Parameter, Shape

QUERY: Final = Parameter(
    "query", Shape("string", bounds=Bounds(min_length=1)), description="What to look for, in words."
)

_NAME_CHARACTERS: Final = 64
"""The longest tool name that every model API accepts."""
_MIN_CHARACTERS: Final = 80
_UNNAMEABLE: Final = re.compile(r"[^A-Za-z0-9_.-]+")


DEFAULT_PROVIDER: Final = "local"
MAX_RESULTS: Final = 1_000
"""More passages than any model reads; stores accept at most ten times as many."""

_TEXT_KEYS: Final = ("text", "content", "page_content", "chunk_text", "chunk")
"""The metadata keys under which vector stores commonly keep a passage's text."""


@attrs.frozen
class Account:
    """The account and the settings with which a knowledge base is opened.

    Attributes:
        account_id: The account whose credentials and local indexes are used.
        db: The application's database; its `get_credential(account_id, name)`, if any, provides credentials.
        secret: The token for servers without a key in the settings.
        settings: The servers.
    """

    account_id: int | str
    db: Any
    secret: Secret
    settings: EndpointSettings

    async def get_credential(self, name: str, default: Secret) -> Secret:
        """Return the account's credential, or the one in the settings if the application has no credential store."""
        if not isinstance(self.db, CredentialStoreProtocol):
            return default
        found = self.db.get_credential(self.account_id, name)
        return Secret(str((await found if inspect.isawaitable(found) else found) or ""))


@attrs.frozen
class KnowledgeText:
    """A text to index, and its metadata."""

    id: str
    text: str
    metadata: Mapping[str, Any] = attrs.field(factory=dict)


@attrs.frozen
class KnowledgeBase:
    """One namespace of one index, and the means to search it; `named_embedder` is "" if none was chosen."""

    provider: str
    index: str
    namespace: str
    store: VectorStoreProtocol
    embedder: EmbedderProtocol
    reranker: RerankerProtocol | None = None
    named_embedder: str = ""

    @property
    def required_permissions(self) -> frozenset[Permission]:
        """Return the permissions that a search needs: the network, unless every part is embedded."""
        embedded = isinstance(self.embedder, (LexicalEmbedder, SentenceEmbedder)) and self.reranker is None
        return frozenset() if embedded and self.provider == DEFAULT_PROVIDER else frozenset({Permission.NETWORK_ACCESS})

    def add(self, passages: Iterable[KnowledgeText]) -> None:
        """Index passages; one with the id of an earlier one replaces it."""
        given = tuple(passages)
        vectors = self.embedder.embed([text.text for text in given])
        records = [
            VectorRecord(text.id, vector, {**text.metadata, "text": text.text})
            for text, vector in zip(given, vectors, strict=True)
        ]
        self.store.upsert(self.namespace, records)

    def delete(self, ids: Iterable[str]) -> None:
        """Delete passages."""
        self.store.delete(self.namespace, tuple(ids))

    def find_nearest(self, query: str, limit: int, min_score: float | None = None) -> tuple[VectorMatch, ...]:
        """Return the passages most similar to the question, best first; those below the score are left out."""
        (vector,) = self.embedder.embed((query,))
        found = self.store.find_nearest(self.namespace, vector, limit)
        return tuple(match for match in found if min_score is None or match.score >= min_score)


StoreBuilder: TypeAlias = Callable[[Account, str, Secret], VectorStoreProtocol]


@attrs.frozen
class Provider:
    """A kind of store: how to open it, and the key for accounts without a credential store."""

    build: StoreBuilder
    default_secret: Callable[[EndpointSettings], Secret] = lambda _: NO_SECRET
    needs_key: bool = False


@lru_cache(maxsize=64)
def _open_local(directory: Path, index: str) -> LocalVectorStore:
    """Return the shared store of an index, so that its vectors are in memory once."""
    return LocalVectorStore(directory, index)


PROVIDERS: Final[Mapping[str, Provider]] = {
    "local": Provider(
        lambda account, index, _: _open_local(
            account.settings.vectors_directory / file_name_of(f"account {account.account_id}"), index
        )
    ),
    "pgvector": Provider(lambda account, index, secret: PgVectorStore(account.settings, index, secret), password_of),
    "pinecone": Provider(
        lambda account, index, secret: PineconeVectorStore(
            shared_http_client(account.settings), account.settings, index, secret
        ),
        lambda settings: settings.pinecone_api_key,
        needs_key=True,
    ),
    "qdrant": Provider(
        lambda account, index, secret: QdrantVectorStore(
            shared_http_client(account.settings), account.settings, index, secret
        ),
        lambda settings: settings.qdrant_api_key,
    ),
}
"""Every kind of store that a configuration can name."""

EMBEDDERS: Final = ("lexical", "remote", "sentences")
"""The lexical embedder, the server of `EMBEDDINGS_API_URL`, and the model of the extra `sentences`."""

CACHE_SECONDS: Final = Parameter(
    "cacheSeconds",
    Shape("number", bounds=Bounds(ge=0, le=86_400)),
    required=False,
    description="How long a result is reused when the same caller repeats a call.",
)
_RESULTS: Final = Shape("integer", bounds=Bounds(ge=1, le=MAX_RESULTS))
_NAME: Final = Shape("string", bounds=Bounds(min_length=1, max_length=512))


def build_fields(**counts: int) -> tuple[Parameter, ...]:
    """Return the fields of a configuration that names a knowledge base, with defaults for the number of results."""
    described = {
        "topK": "The number of passages to retrieve.",
        "topN": "The number of passages to keep after reranking.",
    }
    return (
        Parameter(
            "provider",
            Shape("string", choices=tuple(PROVIDERS)),
            required=False,
            description="The vector store.",
            default=DEFAULT_PROVIDER,
        ),
        Parameter(
            "embedder",
            Shape("string", choices=EMBEDDERS),
            required=False,
            description="The embedder; by default EMBEDDINGS_API_URL if set, else lexical.",
        ),
        Parameter("index", _NAME, description="The index."),
        Parameter("namespace", _NAME, description="The only part of the index to search."),
        Parameter("description", Shape("string"), required=False, description="The contents of this knowledge base."),
        Parameter(
            "minScore",
            Shape("number", bounds=Bounds(ge=-1, le=1)),
            required=False,
            description="The minimum similarity of a passage.",
        ),
        CACHE_SECONDS,
        *(
            Parameter(name, _RESULTS, required=False, description=described[name], default=default)
            for name, default in counts.items()
        ),
    )


async def open_knowledge_base(
    tool_config: Mapping[str, Any],
    account_id: int | str = 0,
    db: Any = None,
    auth_token: str | None = None,
    settings: EndpointSettings | None = None,
) -> KnowledgeBase:
    """Open the knowledge base of a tool's configuration, to search or to fill it.

    Args:
        tool_config: The configuration: `index`, `namespace`, optionally `provider` and `embedder`.
        account_id: The account whose credentials and local indexes are used.
        db: The application's database; its `get_credential(account_id, name)`, if any, provides credentials.
        auth_token: The token for embeddings and reranking without a key in the settings.
        settings: The servers; by default from the environment.

    Raises:
        ConfigError: The provider is unknown, or its server is not configured.
        MissingDependencyError: The extra of the embedder or the store is not installed.
    """
    account = Account(account_id, db, Secret(auth_token or ""), settings or EndpointSettings.from_environment())
    name = tool_config.get("provider") or DEFAULT_PROVIDER
    provider = PROVIDERS.get(name)
    if provider is None:
        raise ConfigError(f"unknown provider {name!r}", hint=f"one of {', '.join(PROVIDERS)}")
    secret = await account.get_credential(name, provider.default_secret(account.settings))
    if provider.needs_key and not secret:
        raise ConfigError(
            f"this account has no key for {name}", hint=f"add a credential named {name}, or set the key in the settings"
        )
    index, namespace = cast("str", tool_config["index"]), cast("str", tool_config["namespace"])
    store = provider.build(account, index, secret)
    named = tool_config.get("embedder") or ""
    embedder = build_embedder(account, named)
    return KnowledgeBase(name, index, namespace, store, embedder, build_reranker(account), named)


def build_embedder(account: Account, named: str) -> EmbedderProtocol:
    """Return the named embedder; by default that of `EMBEDDINGS_API_URL`, or the lexical one.

    Raise `ConfigError` if the named server is not configured, or `MissingDependencyError` if the extra `sentences` is
    not installed.
    """
    settings = account.settings
    if named == "sentences":
        return SentenceEmbedder()
    if named == "lexical" or not (named or settings.embeddings_api_url):
        return LexicalEmbedder()
    if not settings.embeddings_api_url:
        raise ConfigError("no embeddings server is configured", hint="set EMBEDDINGS_API_URL, or name another embedder")
    return OpenAiEmbedder(shared_http_client(settings), settings, settings.embeddings_api_key or account.secret)


def build_reranker(account: Account) -> RerankerProtocol | None:
    """Return the reranker of `RERANKER_API_URL`, or None."""
    settings = account.settings
    if not settings.reranker_api_url:
        return None
    return HttpReranker(shared_http_client(settings), settings, settings.reranker_api_key or account.secret)


def text_of(metadata: Mapping[str, Any]) -> str:
    """Return a passage's text, or all of its metadata."""
    for key in _TEXT_KEYS:
        if isinstance(metadata.get(key), str):
            return cast("str", metadata[key])
    return json.dumps(metadata, ensure_ascii=False, default=str)


def build_name(namespace: str, suffix: str) -> str:
    """Return a name such as `search_docs`; invalid characters become `_`."""
    return f"{_UNNAMEABLE.sub('_', f'search_{namespace}')[: _NAME_CHARACTERS - len(suffix)]}{suffix}"


def build_description(base: KnowledgeBase, description: str | None, manner: str) -> str:
    """Return the description for a model: `Search the docs knowledge base: API documentation`."""
    what = f"Search the {base.namespace} knowledge base{manner}"
    return f"{what}: {description}" if description else f"{what}."


def build_result(
    base: KnowledgeBase, query: str, results: Sequence[Mapping[str, Any]], more: Mapping[str, Any], note: str = ""
) -> ToolResult:
    """Return the result of a search; it mentions default parts that were not configured.

    The results are passages, best first (`metadata`, `score`, `id`); the note says how they were found.
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
    """Return the passages as marked lines, each cut to its share of the default budget."""
    room = int(Settings().default_budget_tokens * CHARACTERS_PER_TOKEN) // max(1, len(results))
    lines = []
    for number, result in enumerate(results, 1):
        text = text_of(result["metadata"])
        shown = text if len(text) <= room else f"{text[: max(room, _MIN_CHARACTERS)]}…"
        lines.append(f"\n{number}. {result['id']}  {result['score']:.3f}")
        lines.extend(f"   | {line}" for line in shown.split("\n"))
    return lines
