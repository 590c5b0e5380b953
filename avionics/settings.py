"""Every limit in the product, each with its reason; the only reader of the environment.

Knows: defaults, bounds and environment variables.
Does not know: who obeys them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import attrs

from avionics.model.errors import ConfigError
from avionics.model.secret import NO_SECRET, Secret

SENTENCES = "sentences"
"""The sentence model, where an embedder is named."""


def default_cache_directory() -> Path:
    """The platform's own place for caches; never inside a repository."""
    from platformdirs import user_cache_path

    return user_cache_path("avionics", appauthor=False)


def default_vectors_directory() -> Path:
    """The platform's own place for what a user made: vectors cannot be learnt again from nothing."""
    from platformdirs import user_data_path

    return user_data_path("avionics", appauthor=False) / "vectors"


def default_program_directories() -> tuple[Path, ...]:
    """Where programs are looked for: beside this Python, then the PATH; relative entries would trust a repository."""
    entries = (os.path.dirname(sys.executable), *os.get_exec_path())
    return tuple(Path(entry) for entry in entries if os.path.isabs(entry))


@attrs.frozen
class Settings:
    """What avionics may use, and where it keeps what it learnt.

    Attributes:
        cache_directory: Where the store lives. AVIONICS_CACHE_DIR.
        program_directories: Where `rg` is looked for.
        max_file_bytes: Larger files are listed but not parsed or searched: hand-written code stays far below.
        max_line_characters: A longer line is shown cut: minified code floods answers.
        max_files: A walk stops here and says so: bounds memory and time on trees that never end.
        max_parse_depth: Deeper syntax is recorded as a problem: the interpreter's stack is finite.
        worker_threshold_files: From so many unseen files on, parsing goes to worker processes: with fewer,
            starting them costs more than they save.
        workers: How many parsing processes; 0 means one a core. AVIONICS_WORKERS.
        timeout_seconds: How long a call may take. AVIONICS_TIMEOUT.
        search_timeout_seconds: How long one text search may take, well inside a call.
        git_timeout_seconds: How long one git command may take.
        default_budget_tokens: The length of an answer unless asked otherwise: what an agent can read without
            losing its thread.
        max_budget_tokens: No answer is longer: fits the smallest client's limit of tool results with room to spare.
        max_store_bytes: A larger store forgets what was used longest ago: the Linux kernel takes half a gigabyte.
            AVIONICS_STORE_BYTES.
        max_matches: A text search stops collecting here.
        max_history_commits: A history question reads at most this many commits.
        max_concurrent_calls: A server runs so many calls at a time, each in a thread; the others wait their turn.
        max_request_bytes: A server reads no longer message: the longest question, an issue with its logs, is far
            shorter.
        max_requests_per_second: An HTTP server answers no more: an agent asks a few a second, a test two hundred.
        server_token: What an HTTP server's clients must show. AVIONICS_TOKEN.
        show_secrets: Whether answers show the credentials that stand in a repository. AVIONICS_SHOW_SECRETS.
        embeddings: What ranked search compares meanings by: "sentences" for the model of that extra, or the URL of
            an OpenAI-compatible endpoint; "" is nothing, and nothing leaves the machine. AVIONICS_EMBEDDINGS.
        embeddings_model: The model asked for at an endpoint. AVIONICS_EMBEDDINGS_MODEL.
        embeddings_key: What opens it. AVIONICS_EMBEDDINGS_KEY.
        embedding_seconds: A question waits so long for vectors not kept yet; what is missing then is left to words.
        model: The chat model that `ask` plans with; "" is none, and nothing leaves the machine. AVIONICS_MODEL.
        model_url: Where it is; "" is where its makers serve it. AVIONICS_MODEL_URL.
        model_api: What is spoken there, "openai" or "anthropic". AVIONICS_MODEL_API.
        model_key: What opens it. AVIONICS_MODEL_KEY.
    """

    cache_directory: Path = attrs.field(factory=default_cache_directory)
    program_directories: tuple[Path, ...] = attrs.field(factory=default_program_directories)
    max_file_bytes: int = 2_000_000
    max_line_characters: int = 400
    max_files: int = 500_000
    max_parse_depth: int = 400
    worker_threshold_files: int = 300
    workers: int = 0
    timeout_seconds: float = 120.0
    search_timeout_seconds: float = 30.0
    git_timeout_seconds: float = 30.0
    default_budget_tokens: int = 2_000
    max_budget_tokens: int = 6_000
    max_store_bytes: int = 4_000_000_000
    max_matches: int = 2_000
    max_history_commits: int = 2_000
    max_concurrent_calls: int = 32
    max_request_bytes: int = 4_000_000
    max_requests_per_second: int = 500
    server_token: Secret = NO_SECRET
    show_secrets: bool = False
    embeddings: str = ""
    embeddings_model: str = "text-embedding-3-small"
    embeddings_key: Secret = NO_SECRET
    embedding_seconds: float = 4.0
    model: str = ""
    model_url: str = ""
    model_api: str = "openai"
    model_key: Secret = NO_SECRET

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Settings with AVIONICS_* variables applied.

        Raises:
            ConfigError: A variable holds something that cannot be used.
        """
        given = os.environ if environment is None else environment
        changes: dict[str, object] = {}
        if given.get("AVIONICS_CACHE_DIR"):
            changes["cache_directory"] = Path(given["AVIONICS_CACHE_DIR"]).expanduser()
        if given.get("AVIONICS_WORKERS"):
            changes["workers"] = int(_number("AVIONICS_WORKERS", given["AVIONICS_WORKERS"]))
        if given.get("AVIONICS_STORE_BYTES"):
            changes["max_store_bytes"] = int(_number("AVIONICS_STORE_BYTES", given["AVIONICS_STORE_BYTES"], 1e15))
        if given.get("AVIONICS_TIMEOUT"):
            changes["timeout_seconds"] = _number("AVIONICS_TIMEOUT", given["AVIONICS_TIMEOUT"])
        if given.get("AVIONICS_TOKEN"):
            changes["server_token"] = Secret(given["AVIONICS_TOKEN"])
        if given.get("AVIONICS_SHOW_SECRETS"):
            changes["show_secrets"] = _number("AVIONICS_SHOW_SECRETS", given["AVIONICS_SHOW_SECRETS"]) > 0
        changes |= _read_model(given) | _read_embeddings(given)
        return cls(**changes)  # type: ignore[arg-type]


@attrs.frozen
class EndpointSettings:
    """The servers that vector search may ask, their keys, and how patiently; a configuration can name none of these.

    Attributes:
        vectors_directory: Where the embedded vector store keeps its files. AVIONICS_VECTORS_DIR.
        embeddings_api_url: An OpenAI-compatible endpoint, `…/v1` or `…/v1/embeddings`; without one the embedded
            lexical embedder takes part. EMBEDDINGS_API_URL.
        embeddings_api_key: Its key. EMBEDDINGS_API_KEY.
        embeddings_model: The model asked for. EMBEDDINGS_MODEL.
        reranker_api_url: A `…/rerank` endpoint; without one similarity orders. RERANKER_API_URL.
        reranker_api_key: Its key. RERANKER_API_KEY.
        reranker_model: The model asked for, where the server wants a name. RERANKER_MODEL.
        reranker_form: How the server is spoken to: cohere, voyage or tei. RERANKER_FORM.
        pinecone_api_url: Where Pinecone's indexes are looked up. PINECONE_API_URL.
        pinecone_api_key: The key of accounts that have no credential store. PINECONE_API_KEY.
        qdrant_url: The Qdrant server. QDRANT_URL.
        qdrant_api_key: The key of accounts that have no credential store. QDRANT_API_KEY.
        pgvector_url: The PostgreSQL database with pgvector, `postgresql://…`; it may hold a password. PGVECTOR_URL.
        pgvector_password: The password of accounts that have no credential store. PGVECTOR_PASSWORD.
        http_timeout_seconds: How long one attempt may take: a search answers in one, a cold model in ten.
        http_deadline_seconds: How long all attempts of a request may take together, well inside a call.
        http_attempts: How often a request is tried when the server is busy or out of reach.
        http_backoff_seconds: The first pause between attempts; each next one is twice as long.
    """

    vectors_directory: Path = attrs.field(factory=default_vectors_directory)
    embeddings_api_url: str = ""
    embeddings_api_key: Secret = NO_SECRET
    embeddings_model: str = "text-embedding-3-small"
    reranker_api_url: str = ""
    reranker_api_key: Secret = NO_SECRET
    reranker_model: str = ""
    reranker_form: str = "cohere"
    pinecone_api_url: str = "https://api.pinecone.io"
    pinecone_api_key: Secret = NO_SECRET
    qdrant_url: str = "http://localhost:6333"
    qdrant_api_key: Secret = NO_SECRET
    pgvector_url: Secret = NO_SECRET
    pgvector_password: Secret = NO_SECRET
    http_timeout_seconds: float = 20.0
    http_deadline_seconds: float = 60.0
    http_attempts: int = 4
    http_backoff_seconds: float = 0.25

    @property
    def secrets(self) -> tuple[Secret, ...]:
        """Every key there is, for what must not show any."""
        return tuple(secret for name in _KEYS if (secret := getattr(self, name)))

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> EndpointSettings:
        """Settings with the variables named above applied."""
        given = os.environ if environment is None else environment
        changes: dict[str, object] = {}
        if given.get("AVIONICS_VECTORS_DIR"):
            changes["vectors_directory"] = Path(given["AVIONICS_VECTORS_DIR"]).expanduser()
        for name in ("embeddings_model", "reranker_model", "reranker_form", *_URLS):
            if given.get(name.upper()):
                changes[name] = given[name.upper()]
        for name in _KEYS:
            if given.get(name.upper()):
                changes[name] = Secret(given[name.upper()])
        return cls(**changes)  # type: ignore[arg-type]


_URLS = ("embeddings_api_url", "reranker_api_url", "pinecone_api_url", "qdrant_url")
_KEYS = (
    "embeddings_api_key",
    "reranker_api_key",
    "pinecone_api_key",
    "qdrant_api_key",
    "pgvector_url",
    "pgvector_password",
)


def _read_model(given: Mapping[str, str]) -> dict[str, object]:
    """The chat model's settings, as far as they are given."""
    changes: dict[str, object] = {
        name: given[f"AVIONICS_{name.upper()}"]
        for name in ("model", "model_url", "model_api")
        if given.get(f"AVIONICS_{name.upper()}")
    }
    if changes.get("model_api", "openai") not in {"openai", "anthropic"}:
        raise ConfigError(
            f"AVIONICS_MODEL_API must be openai or anthropic, not {changes['model_api']!r}",
            hint="unset it, or name one of the two",
        )
    if given.get("AVIONICS_MODEL_KEY"):
        changes["model_key"] = Secret(given["AVIONICS_MODEL_KEY"])
    return changes


def _read_embeddings(given: Mapping[str, str]) -> dict[str, object]:
    """The settings of the embedder that ranked search asks, as far as they are given."""
    named = given.get("AVIONICS_EMBEDDINGS", "")
    if named and named != SENTENCES and not named.startswith(("http://", "https://")):
        raise ConfigError(
            f"AVIONICS_EMBEDDINGS must be {SENTENCES} or a URL, not {named!r}", hint="unset it, or name one of the two"
        )
    changes: dict[str, object] = {"embeddings": named}
    if given.get("AVIONICS_EMBEDDINGS_MODEL"):
        changes["embeddings_model"] = given["AVIONICS_EMBEDDINGS_MODEL"]
    if given.get("AVIONICS_EMBEDDINGS_KEY"):
        changes["embeddings_key"] = Secret(given["AVIONICS_EMBEDDINGS_KEY"])
    return changes


def _number(name: str, text: str, most: float = 1e9) -> float:
    """The variable's value as a number ≥ 0."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < most:
        raise ConfigError(f"{name} must be a number from 0 on, not {text!r}", hint=f"unset {name} or give it a number")
    return value
