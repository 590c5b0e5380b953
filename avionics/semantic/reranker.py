"""Reranking by a cross-encoder behind HTTP, in the form that Cohere, Jina, vLLM and llama.cpp share.

Knows: POST /rerank.
Does not know: where the texts come from, or what to do when nobody answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from avionics.semantic.embeddings import endpoint
from avionics.semantic.http import HttpClient, as_list, bearer, to_number
from avionics.settings import EndpointSettings
from protocols.errors import RemoteError
from protocols.secret import NO_SECRET, Secret
from protocols.vectors import Ranking

_SERVER: Final = "the reranker"


class HttpReranker:
    """Asks the server of `RERANKER_API_URL` which texts answer a question.

    Args:
        http: The pool.
        settings: Where, and for which model.
        secret: What to identify with.
    """

    def __init__(self, http: HttpClient, settings: EndpointSettings, secret: Secret = NO_SECRET) -> None:
        self._http = http
        self._url = endpoint(settings.reranker_api_url, "rerank")
        self._model = settings.reranker_model
        self._secret = secret

    @property
    def name(self) -> str:
        """The model, or what it is where the server needs no name."""
        return self._model or "reranker"

    def rerank(self, query: str, texts: Sequence[str], limit: int) -> tuple[Ranking, ...]:
        """The most relevant of the texts, by their positions, best first.

        Raises:
            RemoteError: The server did not answer as it should.
        """
        wanted = min(limit, len(texts))
        if not wanted:
            return ()
        body: dict[str, Any] = {"query": query, "documents": list(texts), "top_n": wanted}
        if self._model:
            body["model"] = self._model
        answer = self._http.ask(_SERVER, "POST", self._url, body, secrets={"Authorization": bearer(self._secret)})
        items = as_list(_SERVER, answer.get("results") if isinstance(answer, Mapping) else None)
        known = range(len(texts))
        scores = {item.get("index"): to_number(item.get("relevance_score")) for item in items}
        rankings = [Ranking(place, score) for place in known if (score := scores.get(place)) is not None]
        if len(rankings) != len(items) or len(rankings) < wanted:
            raise RemoteError(f"{_SERVER} did not rank {wanted} of {len(texts)} texts")
        return tuple(sorted(rankings, key=lambda each: (-each.score, each.position))[:wanted])
