"""Qdrant, through its HTTP API.

An index is a collection. The namespace is the field `_namespace` of a point's payload, by which every query is
filtered, and our own id is its field `_id`, because Qdrant's ids are numbers or UUIDs only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote
from uuid import UUID, uuid5

from avionics.model.errors import RemoteError
from avionics.model.results import to_plain
from avionics.model.secret import NO_SECRET, Secret
from avionics.model.vectors import VectorMatch, VectorRecord
from avionics.semantic.http import HttpClient, as_list, read_match
from avionics.settings import EndpointSettings

_SERVER: Final = "Qdrant"
_NAMESPACE: Final = "_namespace"
_ID: Final = "_id"
_IDS: Final = UUID("7d3f1f0e-8a55-4b53-9d3c-0f8f5b1c6a2e")
"""The UUID namespace of our ids: the same id in the same namespace is always the same point."""
_BATCH_RECORDS: Final = 100


class QdrantVectorStore:
    """A collection at the Qdrant server of the settings, created with the first record.

    Args:
        http: The pool.
        settings: The URL.
        index: The name of the collection.
        secret: The account's key; a private server may need none.
    """

    name = "qdrant"

    def __init__(self, http: HttpClient, settings: EndpointSettings, index: str, secret: Secret = NO_SECRET) -> None:
        self._http = http
        self._url = f"{settings.qdrant_url.rstrip('/')}/collections/{quote(index, safe='')}"
        self._secret = secret

    def upsert(self, namespace: str, records: Sequence[VectorRecord]) -> None:
        points = [
            {
                "id": _point_id(namespace, record.id),
                "vector": list(record.vector),
                "payload": {**to_plain(record.metadata), _NAMESPACE: namespace, _ID: record.id},
            }
            for record in records
        ]
        for start in range(0, len(points), _BATCH_RECORDS):
            body = {"points": points[start : start + _BATCH_RECORDS]}
            if self._ask("PUT", "/points?wait=true", body) is None:
                self._create(len(records[0].vector))
                self._require("PUT", "/points?wait=true", body)

    def find_nearest(self, namespace: str, vector: Sequence[float], limit: int) -> tuple[VectorMatch, ...]:
        within = {"must": [{"key": _NAMESPACE, "match": {"value": namespace}}]}
        body = {"query": list(vector), "limit": limit, "with_payload": True, "filter": within}
        answer = self._require("POST", "/points/query", body)
        result = answer.get("result") if isinstance(answer, Mapping) else None
        points = as_list(_SERVER, result.get("points") if isinstance(result, Mapping) else None)
        return tuple(_read_point(point) for point in points)

    def delete(self, namespace: str, ids: Sequence[str]) -> None:
        if ids:
            points = [_point_id(namespace, name) for name in ids]
            self._ask("POST", "/points/delete?wait=true", {"points": points})

    def _create(self, dimension: int) -> None:
        """Create the collection and index its namespaces; another process may have created it first."""
        try:
            self._require("PUT", "", {"vectors": {"size": dimension, "distance": "Cosine"}})
        except RemoteError as error:
            if error.status != HTTPStatus.CONFLICT:
                raise
        schema = {"type": "keyword", "is_tenant": True}
        self._require("PUT", "/index?wait=true", {"field_name": _NAMESPACE, "field_schema": schema})

    def _ask(self, method: str, path: str, body: Mapping[str, Any]) -> Any:
        """Return the collection's response, None if it does not exist."""
        try:
            return self._require(method, path, body)
        except RemoteError as error:
            if error.status != HTTPStatus.NOT_FOUND:
                raise
            return None

    def _require(self, method: str, path: str, body: Mapping[str, Any]) -> Any:
        """Return the collection's response."""
        return self._http.ask(_SERVER, method, f"{self._url}{path}", body, {"api-key": self._secret})


def _point_id(namespace: str, name: str) -> str:
    """Return Qdrant's id of our record."""
    return str(uuid5(_IDS, f"{len(namespace)}:{namespace}:{name}"))


def _read_point(point: Mapping[str, Any]) -> VectorMatch:
    """Convert a point to a match."""
    payload = point.get("payload") or {}
    metadata = {key: value for key, value in payload.items() if key not in (_NAMESPACE, _ID)}
    return read_match(_SERVER, point, payload.get(_ID, point.get("id")), metadata)
