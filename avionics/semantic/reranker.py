"""Rerank with a cross-encoder behind HTTP, in each of the usual APIs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import attrs

from avionics.model.errors import ConfigError, RemoteError
from avionics.model.secret import NO_SECRET, Secret
from avionics.model.vectors import Ranking
from avionics.semantic.embeddings import endpoint
from avionics.semantic.http import HttpClient, as_list, bearer, to_number
from avionics.settings import EndpointSettings

_SERVER: Final = "the reranker"


@attrs.frozen
class Form:
    """The field names of an API.

    Attributes:
        texts: The name of the texts.
        limit: The name of the number of results; "" if all are ranked.
        results: The name of the results; "" if the response is the list itself.
        score: The name of a result's relevance.
    """

    texts: str
    limit: str
    results: str
    score: str


FORMS: Final[Mapping[str, Form]] = MappingProxyType(
    {
        "cohere": Form("documents", "top_n", "results", "relevance_score"),
        "voyage": Form("documents", "top_k", "data", "relevance_score"),
        "tei": Form("texts", "", "", "score"),
    }
)
"""Cohere, Jina, vLLM and llama.cpp; Voyage AI; Hugging Face's Text Embeddings Inference."""


class HttpReranker:
    """Ranks texts with the server of `RERANKER_API_URL`.

    Raises:
        ConfigError: The API is unknown.
    """

    def __init__(self, http: HttpClient, settings: EndpointSettings, secret: Secret = NO_SECRET) -> None:
        form = FORMS.get(settings.reranker_form)
        if form is None:
            raise ConfigError(f"unknown RERANKER_FORM {settings.reranker_form!r}", hint=f"one of {', '.join(FORMS)}")
        self._form = form
        self._http = http
        self._url = endpoint(settings.reranker_api_url, "rerank")
        self._model = settings.reranker_model
        self._secret = secret

    @property
    def name(self) -> str:
        """Return the name of the model; "reranker" if the server needs none."""
        return self._model or "reranker"

    def rerank(self, query: str, texts: Sequence[str], limit: int) -> tuple[Ranking, ...]:
        """Return the positions of the most relevant texts, best first. Raise `RemoteError` if the server fails."""
        wanted = min(limit, len(texts))
        if not wanted:
            return ()
        form = self._form
        body: dict[str, Any] = {"query": query, form.texts: list(texts)}
        if form.limit:
            body[form.limit] = wanted
        if self._model:
            body["model"] = self._model
        answer = self._http.ask(_SERVER, "POST", self._url, body, secrets={"Authorization": bearer(self._secret)})
        if form.results:
            answer = answer.get(form.results) if isinstance(answer, Mapping) else None
        items = as_list(_SERVER, answer)
        known = range(len(texts))
        scores = {item.get("index"): to_number(item.get(form.score)) for item in items}
        rankings = [Ranking(place, score) for place in known if (score := scores.get(place)) is not None]
        if len(rankings) != len(items) or len(rankings) < wanted:
            raise RemoteError(f"{_SERVER} did not rank {wanted} of {len(texts)} texts")
        return tuple(sorted(rankings, key=lambda each: (-each.score, each.position))[:wanted])
