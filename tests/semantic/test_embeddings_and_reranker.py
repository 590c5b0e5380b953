"""Servers that embed and rerank, in the forms their APIs have."""

from __future__ import annotations

import pytest

from avionics.model import ConfigError, EmbedderProtocol, Ranking, RemoteError, RerankerProtocol, Secret
from avionics.semantic.embeddings import OpenAiEmbedder
from avionics.semantic.http import shared_http_client
from avionics.semantic.reranker import HttpReranker


@pytest.fixture
def embedder(endpoints, keys):
    def make(url: str) -> OpenAiEmbedder:
        settings = endpoints(embeddings_api_url=url, http_attempts=1)
        return OpenAiEmbedder(shared_http_client(settings), settings, Secret(keys["embeddings"]))

    return make


@pytest.fixture
def ranker(endpoints, keys):
    def make(url: str, **changes) -> HttpReranker:
        settings = endpoints(reranker_api_url=url, http_attempts=1, **changes)
        return HttpReranker(shared_http_client(settings), settings, Secret(keys["reranker"]))

    return make


@pytest.mark.parametrize("path", ["/v1", "/v1/", "/v1/embeddings"])
def test_texts_become_vectors_in_their_order(serve, embedder, path):
    server = serve("embeddings")
    made = embedder(f"{server.url}{path}")
    first, second = made.embed(["a refund", "Login, login"])
    assert (first[3], second[0], len(first)) == (1.01, 2.01, 8)
    assert server.requests[0].body == {
        "model": "text-embedding-3-small", "input": ["a refund", "Login, login"], "encoding_format": "float"
    }  # fmt: skip
    assert (isinstance(made, EmbedderProtocol), made.name) == (True, "text-embedding-3-small")


def test_many_texts_are_sent_in_several_requests(serve, embedder):
    server = serve("embeddings")
    vectors = embedder(f"{server.url}/v1").embed(["login " * number for number in range(300)])
    assert [vector[0] for vector in vectors] == [number + 0.01 for number in range(300)]
    assert [len(request.body["input"]) for request in server.requests] == [128, 128, 44]
    assert embedder(f"{server.url}/v1").embed([]) == ()


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        [],
        {"data": None},
        {"data": [1]},
        {"data": []},
        {"data": [{"index": 0, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": []}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": ["1.0"]}]},
        {"data": [{"index": 0, "embedding": [True]}, {"index": 1, "embedding": [True]}]},
    ],
)
def test_vectors_that_are_none_are_an_error(serve, embedder, wrong):
    with pytest.raises(RemoteError, match="the embeddings server"):
        embedder(serve(lambda request: (200, wrong)).url).embed(["a", "b"])


@pytest.mark.parametrize("path", ["/v1", "/v1/rerank"])
def test_the_most_relevant_texts_come_first(serve, ranker, path):
    server = serve("reranker")
    made = ranker(f"{server.url}{path}")
    assert made.rerank("where is my parcel", ["a parcel", "no", "my parcel is where"], 2) == (
        Ranking(2, 0.8), Ranking(0, pytest.approx(1 / 3)))  # fmt: skip
    assert server.requests[0].path == "/v1/rerank"
    assert server.requests[0].body == {
        "query": "where is my parcel", "documents": ["a parcel", "no", "my parcel is where"], "top_n": 2
    }  # fmt: skip
    assert isinstance(made, RerankerProtocol)


def test_a_model_is_named_where_one_is_set(serve, ranker):
    server = serve("reranker")
    made = ranker(server.url, reranker_model="bge-reranker")
    made.rerank("q", ["a"], 5)
    assert (made.name, server.requests[0].body["model"], server.requests[0].body["top_n"]) == (
        "bge-reranker", "bge-reranker", 1)  # fmt: skip


@pytest.mark.parametrize(
    ("form", "asked", "answer"),
    [
        (
            "voyage",
            {"query": "q", "documents": ["a", "b", "c"], "top_k": 2},
            {"object": "list", "data": [{"index": 2, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.4}]},
        ),
        (
            "tei",
            {"query": "q", "texts": ["a", "b", "c"]},
            [{"index": 2, "score": 0.9}, {"index": 0, "score": 0.4}, {"index": 1, "score": 0.1}],
        ),
    ],
)
def test_each_kind_of_server_is_asked_in_its_own_form(serve, ranker, form, asked, answer):
    server = serve(lambda request: (200, answer))
    made = ranker(server.url, reranker_form=form)
    assert made.rerank("q", ["a", "b", "c"], 2) == (Ranking(2, 0.9), Ranking(0, 0.4))
    assert server.requests[0].body == asked


def test_a_form_that_no_server_has_is_refused(ranker):
    with pytest.raises(ConfigError, match="unknown RERANKER_FORM"):
        ranker("http://localhost", reranker_form="latin")


def test_nothing_to_rerank_asks_nobody(serve, ranker):
    server = serve("reranker")
    assert ranker(server.url).rerank("q", [], 5) == ()
    assert server.requests == []


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"results": None},
        {"results": []},
        {"results": [{"index": 0, "relevance_score": 1.0}]},
        {"results": [{"index": 0, "relevance_score": 1.0}, {"index": 0, "relevance_score": 0.5}]},
        {"results": [{"index": 0, "relevance_score": 1.0}, {"index": 7, "relevance_score": 0.5}]},
        {"results": [{"index": 0, "relevance_score": 1.0}, {"index": 1, "relevance_score": "high"}]},
        {"results": [{"index": 0, "relevance_score": 1.0}, {"index": -1, "relevance_score": 0.5}]},
    ],
)
def test_a_ranking_that_is_none_is_an_error(serve, ranker, wrong):
    with pytest.raises(RemoteError, match="the reranker"):
        ranker(serve(lambda request: (200, wrong)).url).rerank("q", ["a", "b"], 2)
