"""Embeddings from a server with an OpenAI-compatible API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from avionics.model.errors import RemoteError
from avionics.model.secret import NO_SECRET, Secret
from avionics.semantic.http import HttpClient, as_list, bearer, to_number
from avionics.settings import EndpointSettings

_SERVER: Final = "the embeddings server"
_BATCH_TEXTS: Final = 128
"""Servers accept from 32 to 2,048 texts per request; most accept this many."""


class OpenAiEmbedder:
    """Requests vectors from the server of `EMBEDDINGS_API_URL`."""

    def __init__(self, http: HttpClient, settings: EndpointSettings, secret: Secret = NO_SECRET) -> None:
        self._http = http
        self._url = endpoint(settings.embeddings_api_url, "embeddings")
        self._model = settings.embeddings_model
        self._secret = secret

    @property
    def name(self) -> str:
        return self._model

    def embed(self, texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        """Return one vector per text, in order. Raise `RemoteError` if the server did not answer as expected."""
        batches = (texts[start : start + _BATCH_TEXTS] for start in range(0, len(texts), _BATCH_TEXTS))
        return tuple(vector for batch in batches for vector in self._embed_batch(batch))

    def _embed_batch(self, texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        """Return the vectors of the texts of one request."""
        answer = self._http.ask(
            _SERVER,
            "POST",
            self._url,
            {"model": self._model, "input": list(texts), "encoding_format": "float"},
            secrets={"Authorization": bearer(self._secret)},
        )
        items = as_list(_SERVER, answer.get("data") if isinstance(answer, Mapping) else None)
        vectors = {item.get("index"): _read_vector(item.get("embedding")) for item in items}
        if set(vectors) != set(range(len(texts))) or len({len(vector) for vector in vectors.values()}) != 1:
            raise RemoteError(f"{_SERVER} did not return one vector for each of {len(texts)} texts")
        return tuple(vectors[place] for place in range(len(texts)))


def endpoint(url: str, name: str) -> str:
    """Return the URL of an endpoint that may be given by its base."""
    path, mark, query = url.partition("?")
    base = path.rstrip("/")
    return f"{base if base.endswith(f'/{name}') else f'{base}/{name}'}{mark}{query}"


def _read_vector(value: Any) -> tuple[float, ...]:
    """Return the vector in an answer."""
    numbers = [to_number(each) for each in value] if isinstance(value, list) else []
    vector = tuple(number for number in numbers if number is not None)
    if vector and len(vector) == len(numbers):
        return vector
    raise RemoteError(f"{_SERVER} returned an invalid vector")
