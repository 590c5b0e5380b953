"""Servers on loopback that speak the real HTTP APIs, as their public documentation describes them."""

from __future__ import annotations

import json
import math
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import attrs
import pytest
from msgspec import structs

from avionics.model import Secret
from avionics.semantic.http import shared_http_client
from avionics.settings import EndpointSettings
from tests.postgres import run_postgres

KEYS = {
    "pinecone": "pcsk_planted-pinecone-key",
    "qdrant": "planted-qdrant-key",
    "embeddings": "sk-planted-embeddings-key",
    "reranker": "planted-reranker-key",
    "pgvector": "planted-pgvector-password",
}
VOCABULARY = ("login", "password", "invoice", "refund", "parcel", "courier", "privacy", "account")

Answer = tuple[int, Any]


@attrs.frozen
class Request:
    """What a server was asked."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    client: tuple[str, int]


class Server:
    """One HTTP server: `answer(request)` gives status and JSON; `faults` are given first, one a request."""

    def __init__(self, answer: Callable[[Request], Answer]) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self.faults: list[tuple[int, Mapping[str, str], bytes]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1

            def handle_one(self) -> None:
                length = int(self.headers.get("content-length", 0))
                raw = self.rfile.read(length)
                headers = {name.lower(): value for name, value in self.headers.items()}
                body = json.loads(raw) if raw else None
                request = Request(self.command, self.path, headers, body, self.client_address)
                outer.requests.append(request)
                if outer.faults:
                    status, more, sent = outer.faults.pop(0)
                else:
                    status, plain = outer.answer(request)
                    more, sent = {}, json.dumps(plain).encode()
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **more}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)

            do_GET = do_POST = do_PUT = handle_one

            def log_message(self, *arguments: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        return f"http://{self.host}"

    def fail(self, status: int, times: int = 1, body: bytes = b'{"error": "busy"}', **headers: str) -> None:
        """The next requests are answered so."""
        self.faults += [(status, {name.replace("_", "-"): value for name, value in headers.items()}, body)] * times

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def cosine(left: list[float], right: list[float]) -> float:
    lengths = math.hypot(*left) * math.hypot(*right)
    return sum(a * b for a, b in zip(left, right, strict=True)) / lengths if lengths else 0.0


def pinecone() -> Server:
    """Pinecone with the index `docs` of four dimensions: https://docs.pinecone.io/reference/api."""
    namespaces: dict[str, dict[str, dict[str, Any]]] = {}
    dimension = 4

    def check(values: list[float]) -> Answer | None:
        if len(values) == dimension:
            return None
        message = f"Vector dimension {len(values)} does not match the dimension of the index {dimension}"
        return 400, {"code": 3, "message": message, "details": []}

    def answer(request: Request) -> Answer:
        if request.headers.get("api-key") != KEYS["pinecone"]:
            return 401, {
                "error": {"code": "UNAUTHENTICATED", "message": f"Invalid API key {request.headers.get('api-key')}."},
                "status": 401,
            }
        body = request.body or {}
        if request.method == "GET" and request.path.startswith("/indexes/"):
            name = unquote(request.path.removeprefix("/indexes/"))
            if name != "docs":
                return 404, {"error": {"code": "NOT_FOUND", "message": f"Resource {name} not found"}, "status": 404}
            return 200, {"name": name, "dimension": dimension, "metric": "cosine", "host": server.host,
                         "status": {"ready": True, "state": "Ready"}}  # fmt: skip
        kept = namespaces.setdefault(body.get("namespace", ""), {})
        if request.path == "/vectors/upsert":
            for vector in body["vectors"]:
                if fault := check(vector["values"]):
                    return fault
                kept[vector["id"]] = vector
            return 200, {"upsertedCount": len(body["vectors"])}
        if request.path == "/vectors/delete":
            for name in body["ids"]:
                kept.pop(name, None)
            return 200, {}
        if request.path == "/query":
            if fault := check(body["vector"]):
                return fault
            matches = [
                {"id": each["id"], "score": cosine(body["vector"], each["values"]), "values": [],
                 **({"metadata": each["metadata"]} if body.get("includeMetadata") and each.get("metadata") else {})}
                for each in kept.values()
            ]  # fmt: skip
            matches.sort(key=lambda match: -match["score"])
            return 200, {"matches": matches[: body["topK"]], "namespace": body["namespace"], "usage": {"readUnits": 1}}
        return 404, {"code": 5, "message": "Not Found", "details": []}

    server = Server(answer)
    return server


def qdrant() -> Server:
    """Qdrant without a collection: https://api.qdrant.tech/api-reference."""
    collections: dict[str, dict[str, Any]] = {}

    def refuse(status: int, message: str) -> Answer:
        return status, {"status": {"error": message}, "time": 0.0}

    def accept(result: Any) -> Answer:
        return 200, {"result": result, "status": "ok", "time": 0.0}

    def matches(payload: Mapping[str, Any], condition: Mapping[str, Any]) -> bool:
        return all(payload.get(each["key"]) == each["match"]["value"] for each in condition.get("must", ()))

    def answer(request: Request) -> Answer:
        if request.headers.get("api-key") != KEYS["qdrant"]:
            return refuse(401, "Must provide an API key or an Authorization bearer token")
        url = urlsplit(request.path)
        _, _, name, *rest = url.path.split("/")
        name, action, body = unquote(name), "/".join(rest), request.body or {}
        if request.method == "PUT" and not action:
            if name in collections:
                return refuse(409, f"Wrong input: Collection `{name}` already exists!")
            assert body["vectors"]["distance"] == "Cosine"
            collections[name] = {"size": body["vectors"]["size"], "points": {}, "indexed": set()}
            return accept(True)
        if name not in collections:
            return refuse(404, f"Not found: Collection `{name}` doesn't exist!")
        collection = collections[name]
        if action == "index":
            collection["indexed"].add(body["field_name"])
            return accept({"operation_id": 0, "status": "completed"})
        if action == "points/query":
            if len(body["query"]) != collection["size"]:
                return refuse(400, f"Wrong input: Vector dimension error: expected dim: {collection['size']}, "
                                   f"got {len(body['query'])}")  # fmt: skip
            found = [
                {"id": key, "version": 1, "score": cosine(body["query"], point["vector"]), "payload": point["payload"]}
                for key, point in collection["points"].items()
                if matches(point["payload"], body.get("filter", {}))
            ]
            found.sort(key=lambda point: -point["score"])
            return accept({"points": found[: body["limit"]]})
        assert parse_qs(url.query) == {"wait": ["true"]}
        if action == "points/delete":
            for key in body["points"]:
                collection["points"].pop(str(uuid.UUID(key)), None)
        elif action == "points":
            for point in body["points"]:
                if len(point["vector"]) != collection["size"]:
                    return refuse(400, f"Wrong input: Vector dimension error: expected dim: {collection['size']}, "
                                       f"got {len(point['vector'])}")  # fmt: skip
                collection["points"][str(uuid.UUID(point["id"]))] = point
        return accept({"operation_id": 1, "status": "completed"})

    return Server(answer)


def embeddings() -> Server:
    """OpenAI's embeddings, of texts in a language of eight words: https://platform.openai.com/docs/api-reference."""

    def embed(text: str) -> list[float]:
        return [text.lower().count(word) + 0.01 for word in VOCABULARY]

    def answer(request: Request) -> Answer:
        if request.headers.get("authorization") != f"Bearer {KEYS['embeddings']}":
            message = f"Incorrect API key provided: {request.headers.get('authorization')}."
            return 401, {"error": {"message": message, "type": "invalid_request_error", "code": "invalid_api_key"}}
        if request.path != "/v1/embeddings":
            return 404, {"error": {"message": "Invalid URL"}}
        texts = request.body["input"]
        data = [{"object": "embedding", "index": place, "embedding": embed(text)} for place, text in enumerate(texts)]
        return 200, {"object": "list", "data": data[::-1], "model": request.body["model"],
                     "usage": {"prompt_tokens": 8, "total_tokens": 8}}  # fmt: skip

    return Server(answer)


def reranker() -> Server:
    """A cross-encoder that likes short texts with the question's words: https://docs.cohere.com/reference/rerank."""

    def answer(request: Request) -> Answer:
        if request.headers.get("authorization") != f"Bearer {KEYS['reranker']}":
            return 401, {"message": "invalid api token"}
        words = set(request.body["query"].lower().split())
        scores = [
            {"index": place, "relevance_score": len(words & set(text.lower().split())) / (len(text.split()) + 1)}
            for place, text in enumerate(request.body["documents"])
        ]
        scores.sort(key=lambda each: -each["relevance_score"])
        return 200, {"id": "r", "results": scores[: request.body["top_n"]], "meta": {"api_version": {"version": "2"}}}

    return Server(answer)


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Starts a server: `serve("pinecone")`, or `serve(answer)` for one that answers as a function says."""
    known = {"pinecone": pinecone, "qdrant": qdrant, "embeddings": embeddings, "reranker": reranker}
    started = []

    def start(what: str | Callable[[Request], Answer]) -> Server:
        started.append(known[what]() if isinstance(what, str) else Server(what))
        return started[-1]

    yield start
    for each in started:
        each.close()


@pytest.fixture
def endpoints(tmp_path: Path) -> Iterator[Callable[..., EndpointSettings]]:
    """Settings of the test's own, quick to try again: `endpoints(qdrant_url=…)`."""
    made = []

    def make(**changes: Any) -> EndpointSettings:
        settings = EndpointSettings(
            vectors_directory=tmp_path / "vectors",
            http_backoff_seconds=0.001,
            http_timeout_seconds=5.0,
        )
        keys = {name: Secret(value) for name, value in changes.items() if name.endswith("_key")}
        made.append(structs.replace(settings, **{**changes, **keys}))
        return made[-1]

    yield make
    for settings in made:
        shared_http_client(settings).close()


@pytest.fixture
def keys() -> Mapping[str, str]:
    """The credentials the servers want."""
    return KEYS


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a real PostgreSQL with pgvector."""
    yield from run_postgres(KEYS["pgvector"])
