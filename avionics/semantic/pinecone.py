"""Pinecone, through its HTTP API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final
from urllib.parse import quote, urlsplit

from avionics.model.errors import ConfigError, RemoteError
from avionics.model.results import to_plain
from avionics.model.secret import Secret
from avionics.model.vectors import VectorMatch, VectorRecord
from avionics.semantic.http import HttpClient, as_list, read_match
from avionics.settings import EndpointSettings

_SERVER: Final = "Pinecone"
_HEADERS: Final = {"X-Pinecone-API-Version": "2025-04"}
_BATCH_RECORDS: Final = 100
"""A request is limited to 2 MB; this many records of 1,536 dimensions stay below."""


class PineconeVectorStore:
    """An existing index at Pinecone.

    Args:
        http: The pool.
        settings: The URL where indexes are looked up.
        index: The name of the index.
        secret: The account's key.
    """

    name = "pinecone"

    def __init__(self, http: HttpClient, settings: EndpointSettings, index: str, secret: Secret) -> None:
        self._http = http
        self._lookup = settings.pinecone_api_url.rstrip("/")
        self._index = index
        self._secret = secret

    def upsert(self, namespace: str, records: Sequence[VectorRecord]) -> None:
        vectors = [
            {"id": record.id, "values": list(record.vector), "metadata": to_plain(record.metadata)}
            for record in records
        ]
        for start in range(0, len(vectors), _BATCH_RECORDS):
            self._ask("/vectors/upsert", {"namespace": namespace, "vectors": vectors[start : start + _BATCH_RECORDS]})

    def find_nearest(self, namespace: str, vector: Sequence[float], limit: int) -> tuple[VectorMatch, ...]:
        answer = self._ask(
            "/query",
            {
                "namespace": namespace,
                "vector": list(vector),
                "topK": limit,
                "includeMetadata": True,
                "includeValues": False,
            },
        )
        matches = as_list(_SERVER, answer.get("matches") if isinstance(answer, Mapping) else None)
        return tuple(read_match(_SERVER, each, each.get("id"), each.get("metadata")) for each in matches)

    def delete(self, namespace: str, ids: Sequence[str]) -> None:
        if ids:
            self._ask("/vectors/delete", {"namespace": namespace, "ids": list(ids)})

    def _ask(self, path: str, body: Mapping[str, Any]) -> Any:
        """Return the response of the index's own host."""
        return self._http.ask(_SERVER, "POST", f"{self._host}{path}", body, self._credentials, _HEADERS)

    @property
    def _credentials(self) -> Mapping[str, Secret]:
        """Return the key; raise if there is none."""
        if not self._secret:
            raise ConfigError(
                "this account has no Pinecone key",
                hint="add a credential named pinecone to the account, or set PINECONE_API_KEY",
            )
        return {"Api-Key": self._secret}

    @cached_property
    def _host(self) -> str:
        """Return the host of the index, looked up once. It comes without a scheme and uses that of the look-up."""
        url = f"{self._lookup}/indexes/{quote(self._index, safe='')}"
        found = self._http.ask(_SERVER, "GET", url, secrets=self._credentials, headers=_HEADERS)
        host = found.get("host") if isinstance(found, Mapping) else None
        if not isinstance(host, str) or not host:
            raise RemoteError(f"{_SERVER} did not return the host of the index {self._index!r}")
        return host.rstrip("/") if "://" in host else f"{urlsplit(self._lookup).scheme}://{host}"
