"""Every limit in the product, each with its reason; the only reader of the environment."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, field, structs

from avionics.model.errors import ConfigError
from avionics.model.secret import NO_SECRET, Secret

SENTENCES = "sentences"
"""The value of `embeddings` that selects the local sentence model."""


def default_cache_directory() -> Path:
    """Return the platform's cache directory, which is never inside a repository."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    if sys.platform == "linux" and (not given or os.path.isabs(given)):
        # This is what platformdirs returns; importing it takes longer than an answer from the store.
        return Path(given or os.path.expanduser("~/.cache"), "avionics")
    from platformdirs import user_cache_path

    return user_cache_path("avionics", appauthor=False)


def default_vectors_directory() -> Path:
    """Return the platform's data directory: users' vectors cannot be rebuilt, so they do not belong in a cache."""
    from platformdirs import user_data_path

    return user_data_path("avionics", appauthor=False) / "vectors"


_MAX_BYTES_OF_ONE_ANSWER = 450_000_000
"""The most that a process which ends after one answer keeps of what it has read."""


def default_program_directories() -> tuple[Path, ...]:
    """Return where to look for programs: beside this Python, then in the PATH.

    Relative PATH entries are dropped, because they would run programs from the repository.
    """
    entries = (os.path.dirname(sys.executable), *os.get_exec_path())
    return tuple(Path(entry) for entry in entries if os.path.isabs(entry))


class Settings(Struct, frozen=True):
    """Limits, and the location of stored data.

    Attributes:
        cache_directory: Where the store is. AVIONICS_CACHE_DIR.
        program_directories: Where to look for `rg`.
        max_file_bytes: Larger files are listed but not parsed; hand-written code is far smaller.
        max_searched_bytes: A text search also reads files too large to parse, such as bundles, up to this size.
        max_line_characters: Longer lines are shown truncated, because minified code would flood an answer.
        obeys_ignore_files: Whether to exclude files that `.gitignore` and similar files name. AVIONICS_NO_IGNORE=1.
        max_files: A walk stops here and reports it; bounds memory and time on very large trees.
        worker_threshold_files: With fewer new files to parse, starting worker processes costs more than it saves.
        workers: The number of parsing processes; 0 means one per core. AVIONICS_WORKERS.
        timeout_seconds: The time limit of a call. AVIONICS_TIMEOUT.
        answer_seconds: After this many seconds a tool answers with what it has. AVIONICS_ANSWER_SECONDS.
        search_timeout_seconds: The time limit of one text search, well within that of a call.
        git_timeout_seconds: The time limit of one git command.
        default_budget_tokens: The length of an answer unless the caller asks for another.
        question_budget_tokens: The same for a question in words that does not ask for code.
        max_budget_tokens: No answer is longer; it fits the tool-result limit of the smallest client.
        max_store_bytes: A larger store drops what was used least recently; the Linux kernel needs half a gigabyte.
            AVIONICS_STORE_BYTES.
        max_resident_bytes: A server that has grown larger drops its in-memory caches from time to time.
        max_kept_bytes: About how much memory the cached facts of files may take, for each revision: the
            outlines of 2,000 files and the uses of 1,000. Those of 1,000 files are read again in 0.2 s.
        max_matches: A text search stops after this many matches.
        max_history_commits: A history question reads at most this many commits.
        max_searched_commits: Ranked search knows the words of at most this many of the last commits.
        max_concurrent_calls: A server runs this many calls at a time, each in a thread; others wait.
        max_request_bytes: A server rejects longer messages; the longest question, an issue with its logs, is far
            shorter.
        max_requests_per_second: An HTTP server rejects more; an agent asks a few per second, a test two hundred.
        server_token: The bearer token that clients of an HTTP server must send. AVIONICS_TOKEN.
        show_secrets: Whether answers show credentials found in the repository. AVIONICS_SHOW_SECRETS.
        embeddings: How ranked search compares meanings: "sentences" for the local model, or the URL of an
            OpenAI-compatible endpoint. With "" nothing leaves the machine. AVIONICS_EMBEDDINGS.
        embeddings_model: The model to request at an endpoint. AVIONICS_EMBEDDINGS_MODEL.
        embeddings_key: The API key of the endpoint. AVIONICS_EMBEDDINGS_KEY.
        embedding_seconds: How long a question waits for vectors that are not stored yet; symbols without one are
        ranked by words.
        model: The chat model with which `ask` plans. With "" nothing leaves the machine. AVIONICS_MODEL.
        model_url: The URL of its API; "" is the provider's own. AVIONICS_MODEL_URL.
        model_api: The API it speaks, "openai" or "anthropic". AVIONICS_MODEL_API.
        model_key: Its API key. AVIONICS_MODEL_KEY.
        fleet: The PostgreSQL URL of a fleet. AVIONICS_FLEET.
        fleet_groups: The access groups of the user of a fleet, separated by commas. AVIONICS_FLEET_GROUPS.
        forge_tokens: The token for each host of a fleet's repositories, which is sent only to that host: `HOST=TOKEN`,
            separated by spaces. AVIONICS_FORGE_TOKENS.
        webhook_secret: What forges sign their webhooks with. AVIONICS_WEBHOOK_SECRET.
    """

    cache_directory: Path = field(default_factory=default_cache_directory)
    program_directories: tuple[Path, ...] = field(default_factory=default_program_directories)
    max_file_bytes: int = 2_000_000
    max_searched_bytes: int = 64_000_000
    max_line_characters: int = 400
    obeys_ignore_files: bool = True
    max_files: int = 500_000
    worker_threshold_files: int = 300
    workers: int = 0
    timeout_seconds: float = 120.0
    answer_seconds: float = 4.5
    search_timeout_seconds: float = 30.0
    git_timeout_seconds: float = 30.0
    default_budget_tokens: int = 2_000
    question_budget_tokens: int = 1_200
    max_budget_tokens: int = 6_000
    max_store_bytes: int = 4_000_000_000
    max_resident_bytes: int = 200_000_000
    max_kept_bytes: int = 96_000_000
    max_matches: int = 2_000
    max_history_commits: int = 2_000
    max_searched_commits: int = 5_000
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
    fleet: Secret = NO_SECRET
    fleet_groups: tuple[str, ...] = ()
    forge_tokens: Mapping[str, Secret] = field(default_factory=dict)
    webhook_secret: Secret = NO_SECRET

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in self.__struct_fields__ if name != "forge_tokens"))

    def for_one_answer(self) -> Settings:
        """Return the settings of a process that ends after one answer: it may keep more of what it has read."""
        return structs.replace(self, max_kept_bytes=_MAX_BYTES_OF_ONE_ANSWER)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Return the settings of the AVIONICS_* variables. Raise `ConfigError` if one has an invalid value."""
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
        if given.get("AVIONICS_ANSWER_SECONDS"):
            changes["answer_seconds"] = _number("AVIONICS_ANSWER_SECONDS", given["AVIONICS_ANSWER_SECONDS"])
        if given.get("AVIONICS_TOKEN"):
            changes["server_token"] = Secret(given["AVIONICS_TOKEN"])
        if given.get("AVIONICS_SHOW_SECRETS"):
            changes["show_secrets"] = _number("AVIONICS_SHOW_SECRETS", given["AVIONICS_SHOW_SECRETS"]) > 0
        if given.get("AVIONICS_NO_IGNORE"):
            changes["obeys_ignore_files"] = _number("AVIONICS_NO_IGNORE", given["AVIONICS_NO_IGNORE"]) == 0
        changes["fleet"] = Secret(given.get("AVIONICS_FLEET", ""))
        changes["fleet_groups"] = tuple(filter(None, given.get("AVIONICS_FLEET_GROUPS", "").split(",")))
        changes["forge_tokens"] = _read_tokens(given.get("AVIONICS_FORGE_TOKENS", ""))
        changes["webhook_secret"] = Secret(given.get("AVIONICS_WEBHOOK_SECRET", ""))
        changes |= _read_model(given) | _read_embeddings(given)
        return cls(**changes)  # type: ignore[arg-type]


class EndpointSettings(Struct, frozen=True):
    """The servers that vector search may contact, their keys, and the retry policy.

    No configuration file can name these.

    Attributes:
        vectors_directory: Where the embedded vector store keeps its files. AVIONICS_VECTORS_DIR.
        embeddings_api_url: An OpenAI-compatible endpoint, `…/v1` or `…/v1/embeddings`; without one the embedded
            lexical embedder is used. EMBEDDINGS_API_URL.
        embeddings_api_key: Its key. EMBEDDINGS_API_KEY.
        embeddings_model: The model to request. EMBEDDINGS_MODEL.
        reranker_api_url: A `…/rerank` endpoint; without one results are ordered by similarity. RERANKER_API_URL.
        reranker_api_key: Its key. RERANKER_API_KEY.
        reranker_model: The model to request, if the server wants a name. RERANKER_MODEL.
        reranker_form: The API it speaks: cohere, voyage or tei. RERANKER_FORM.
        pinecone_api_url: Where to look up Pinecone's indexes. PINECONE_API_URL.
        pinecone_api_key: The key for accounts without a credential store. PINECONE_API_KEY.
        qdrant_url: The Qdrant server. QDRANT_URL.
        qdrant_api_key: The key for accounts without a credential store. QDRANT_API_KEY.
        pgvector_url: The PostgreSQL database with pgvector, `postgresql://…`; it may contain a password. PGVECTOR_URL.
        pgvector_password: The password for accounts without a credential store. PGVECTOR_PASSWORD.
        http_timeout_seconds: The time limit of one attempt; a search takes about one second, a cold model ten.
        http_deadline_seconds: The time limit of all attempts of a request together, well within that of a call.
        http_attempts: How often to try a request when the server is busy or unreachable.
        http_backoff_seconds: The first pause between attempts; each following one is twice as long.
    """

    vectors_directory: Path = field(default_factory=default_vectors_directory)
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
        """Return every configured key, for the code that masks them."""
        return tuple(secret for name in _KEYS if (secret := getattr(self, name)))

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> EndpointSettings:
        """Return the settings with the variables named above applied."""
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


class TerminalSettings(Struct, frozen=True):
    """The terminal and the user's editor, according to the environment.

    Attributes:
        no_color: Whether colours are unwanted. NO_COLOR.
        is_dumb: Whether the terminal has no colours. TERM=dumb.
        program: The terminal, such as vscode. TERM_PROGRAM.
        editor: The command of the editor. VISUAL, else EDITOR.
        link: The address that opens `{path}` at `{line}`, or "none". AVIONICS_LINK.
    """

    no_color: bool = False
    is_dumb: bool = False
    program: str = ""
    editor: str = ""
    link: str = ""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> TerminalSettings:
        """Return the settings in the variables named above."""
        given = os.environ if environment is None else environment
        return cls(
            bool(given.get("NO_COLOR")),
            given.get("TERM") == "dumb",
            given.get("TERM_PROGRAM", ""),
            given.get("VISUAL") or given.get("EDITOR", ""),
            given.get("AVIONICS_LINK", ""),
        )


_URLS = ("embeddings_api_url", "reranker_api_url", "pinecone_api_url", "qdrant_url")
_KEYS = (
    "embeddings_api_key", "reranker_api_key", "pinecone_api_key", "qdrant_api_key", "pgvector_url",
    "pgvector_password",
)  # fmt: skip


def _read_tokens(given: str) -> Mapping[str, Secret]:
    """Return the token of each host. Raise `ConfigError` if an entry has no host."""
    pairs = [each.partition("=") for each in given.split()]
    if not all(host and token for host, _, token in pairs):
        raise ConfigError("AVIONICS_FORGE_TOKENS is malformed", hint="give HOST=TOKEN, with spaces between")
    return {host.lower(): Secret(token) for host, _, token in pairs}


def _read_model(given: Mapping[str, str]) -> dict[str, object]:
    """Return the chat model's settings that are given."""
    changes: dict[str, object] = {
        name: given[f"AVIONICS_{name.upper()}"]
        for name in ("model", "model_url", "model_api")
        if given.get(f"AVIONICS_{name.upper()}")
    }
    if changes.get("model_api", "openai") not in {"openai", "anthropic"}:
        raise ConfigError(
            f"AVIONICS_MODEL_API must be openai or anthropic, not {changes['model_api']!r}",
            hint="unset it, or set it to one of these",
        )
    if given.get("AVIONICS_MODEL_KEY"):
        changes["model_key"] = Secret(given["AVIONICS_MODEL_KEY"])
    return changes


def _read_embeddings(given: Mapping[str, str]) -> dict[str, object]:
    """Return the embedder's settings that are given."""
    named = given.get("AVIONICS_EMBEDDINGS", "")
    if named and named != SENTENCES and not named.startswith(("http://", "https://")):
        raise ConfigError(
            f"AVIONICS_EMBEDDINGS must be {SENTENCES} or a URL, not {named!r}",
            hint="unset it, or set it to one of these",
        )
    changes: dict[str, object] = {"embeddings": named}
    if given.get("AVIONICS_EMBEDDINGS_MODEL"):
        changes["embeddings_model"] = given["AVIONICS_EMBEDDINGS_MODEL"]
    if given.get("AVIONICS_EMBEDDINGS_KEY"):
        changes["embeddings_key"] = Secret(given["AVIONICS_EMBEDDINGS_KEY"])
    return changes


def _number(name: str, text: str, most: float = 1e9) -> float:
    """Return the value of a variable as a number ≥ 0."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < most:
        raise ConfigError(
            f"{name} must be a number of at least 0, not {text!r}", hint=f"unset {name} or set it to a number"
        )
    return value
