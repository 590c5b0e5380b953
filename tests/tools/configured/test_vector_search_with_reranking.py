"""`vectorSearchWithReranking`, end to end, with and without a reranker."""

from __future__ import annotations

import asyncio

import pytest

from avionics.model import VectorRecord
from avionics.tools.factory import KnowledgeText, create_tool_from_config, open_knowledge_base

CONFIG = {"type": "vectorSearchWithReranking", "index": "my-index", "namespace": "docs"}
PASSAGES = [KnowledgeText(f"p{number:02}", f"refund {'of something ' * number}") for number in range(30)]


@pytest.fixture
def tool(endpoints, keys):
    """The tool over the embedded store with a reranker there, or none."""

    def make(url="", passages=PASSAGES, **more):
        settings = endpoints(reranker_api_url=url, http_attempts=2)
        config = {**CONFIG, **more}
        asyncio.run(open_knowledge_base(config, 1, settings=settings)).add(passages)
        return asyncio.run(create_tool_from_config(config, 1, None, keys["reranker"], settings=settings))

    return make


def flags(result):
    return {name: value for name, value in result.data.items() if name != "results"}


def test_candidates_are_reranked_and_the_best_few_are_left(tool, serve, call):
    server = serve("reranker")
    result = call(tool(server.url), "refund")
    assert flags(result) == {
        "namespace": "docs", "index": "my-index", "reranking_applied": True, "initial_candidates": 20,
        "final_results": 5,
    }  # fmt: skip
    assert [list(each) for each in result.data["results"]] == [["metadata", "score", "similarity_score", "id"]] * 5
    assert [each["id"] for each in result.data["results"]] == ["p00", "p01", "p02", "p03", "p04"]
    assert [each["score"] for each in result.data["results"]] == [1 / 2, 1 / 4, 1 / 6, 1 / 8, 1 / 10]
    assert all(0 < each["similarity_score"] <= 1 for each in result.data["results"])
    (request,) = server.requests
    assert (request.body["query"], len(request.body["documents"]), request.body["top_n"]) == ("refund", 20, 5)


def test_both_numbers_can_be_configured(tool, serve, call):
    result = call(tool(serve("reranker").url, topK=4, topN=2), "refund")
    assert (result.data["initial_candidates"], result.data["final_results"]) == (4, 2)


def test_fewer_candidates_than_asked_for_are_all_there_are(tool, serve, call):
    result = call(tool(serve("reranker").url, PASSAGES[:3]), "refund")
    assert (result.data["initial_candidates"], result.data["final_results"]) == (3, 3)


def similarity_order(result):
    results = result.data["results"]
    return (
        result.status.value == "success"
        and len(results) == 5
        and results == sorted(results, key=lambda each: -each["score"])
        and all(each["score"] == each["similarity_score"] for each in results)
    )


def test_without_a_reranker_similarity_orders(tool, call):
    result = call(tool(), "refund")
    assert similarity_order(result)
    assert flags(result) == {
        "namespace": "docs", "index": "my-index", "reranking_applied": False, "initial_candidates": 20,
        "final_results": 5,
    }  # fmt: skip
    assert result.message.startswith("ordered by similarity, because RERANKER_API_URL is not set")


@pytest.mark.parametrize(
    ("status", "body"),
    [(500, b"{}"), (401, b"{}"), (404, b"{}"), (200, b"no json"), (200, b'{"results": []}'), (200, b"[1]")],
)
def test_a_reranker_that_fails_leaves_the_order_of_similarity(tool, serve, call, caplog, status, body):
    server = serve("reranker")
    server.fail(status, times=2, body=body)
    result = call(tool(server.url), "refund")
    assert similarity_order(result)
    assert result.data["reranking_applied"] is False
    assert result.message.startswith("ordered by similarity: the reranker")
    assert "[VECTOR SEARCH WITH RERANKING TOOL] ordered by similarity" in caplog.text


def test_a_reranker_that_is_busy_for_a_moment_is_asked_again(tool, serve, call):
    server = serve("reranker")
    server.fail(503)
    assert call(tool(server.url), "refund").data["reranking_applied"] is True


def test_a_reranker_that_is_gone_leaves_the_order_of_similarity(tool, call):
    result = call(tool("http://127.0.0.1:9"), "refund")
    assert similarity_order(result)


def test_passages_kept_by_others_are_read_where_they_put_the_text(endpoints, serve, keys, call):
    server = serve("reranker")
    settings = endpoints(reranker_api_url=server.url)
    base = asyncio.run(open_knowledge_base(CONFIG, 1, settings=settings))
    texts = [{"text": "a"}, {"page_content": "b"}, {"chunk_text": "c"}, {"title": "d"}]
    (vector,) = base.embedder.embed(["refund"])
    base.store.upsert("docs", [VectorRecord(str(place), vector, each) for place, each in enumerate(texts)])
    tool = asyncio.run(create_tool_from_config(CONFIG, 1, None, keys["reranker"], settings=settings))
    call(tool, "refund")
    assert server.requests[0].body["documents"] == ["a", "b", "c", '{"title": "d"}']


def test_it_can_be_told_from_the_plain_search_of_the_same_namespace(tool):
    made = tool(passages=(), description="Guides")
    assert (made.name, made.description) == (
        "search_docs_reranked", "Search the docs knowledge base, slower and more accurate: Guides")  # fmt: skip
