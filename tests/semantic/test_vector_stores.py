"""What every vector store does, whoever keeps the vectors.

`QDRANT_TEST_URL=http://localhost:6333 pytest tests/semantic` asks a real Qdrant too, in collections of the tests' own.
"""

from __future__ import annotations

import os
import uuid

import pytest

from avionics.model import AvionicsError, Secret, VectorMatch, VectorRecord, VectorStoreProtocol
from avionics.semantic.http import shared_http_client
from avionics.semantic.local import LocalVectorStore, MemoryVectorStore
from avionics.semantic.pgvector import PgVectorStore
from avionics.semantic.pinecone import PineconeVectorStore
from avionics.semantic.qdrant import QdrantVectorStore

EAST, NORTH, UP = (1.0, 0.0, 0.0, 0.0), (0.0, 2.0, 0.0, 0.0), (0.0, 0.0, 0.5, 0.0)


REAL_QDRANT = os.environ.get("QDRANT_TEST_URL", "")


@pytest.fixture(params=["memory", "local", "pinecone", "qdrant", "real pgvector", "real qdrant"])
def store(request, serve, endpoints, keys, tmp_path) -> VectorStoreProtocol:
    """Each store in turn."""
    if request.param == "memory":
        return MemoryVectorStore()
    if request.param == "local":
        return LocalVectorStore(tmp_path / "vectors", "docs")
    if request.param == "real qdrant":
        if not REAL_QDRANT:
            pytest.skip("QDRANT_TEST_URL names no Qdrant")
        settings = endpoints(qdrant_url=REAL_QDRANT)
        index = f"avionics-test-{uuid.uuid4().hex}"
        secret = Secret(os.environ.get("QDRANT_TEST_KEY", ""))
        return QdrantVectorStore(shared_http_client(settings), settings, index, secret)
    if request.param == "real pgvector":
        settings = endpoints(pgvector_url=Secret(request.getfixturevalue("postgres")))
        return PgVectorStore(settings, f'the "index" {uuid.uuid4().hex}', Secret(keys["pgvector"]))
    secret, server = Secret(keys[request.param]), serve(request.param)
    if request.param == "pinecone":
        settings = endpoints(pinecone_api_url=server.url)
        return PineconeVectorStore(shared_http_client(settings), settings, "docs", secret)
    settings = endpoints(qdrant_url=server.url)
    return QdrantVectorStore(shared_http_client(settings), settings, "docs", secret)


def ids(matches: tuple[VectorMatch, ...]) -> list[str]:
    return [match.id for match in matches]


def test_it_is_a_vector_store_with_a_name(store):
    assert isinstance(store, VectorStoreProtocol)
    assert store.name in {"memory", "local", "pgvector", "pinecone", "qdrant"}


def test_the_nearest_come_first_with_their_cosine_and_their_metadata(store):
    metadata = {"text": "Grüße, 世界", "page": 3, "draft": False, "tags": ["a", "b"]}
    store.upsert("n", [VectorRecord("east", EAST, metadata), VectorRecord("up", UP), VectorRecord("north", NORTH)])
    near, far, none = store.find_nearest("n", (3.0, 4.0, 0.0, 0.0), 10)
    assert ids((near, far, none)) == ["north", "east", "up"]
    assert (near.score, far.score, none.score) == pytest.approx((0.8, 0.6, 0.0), abs=1e-6)
    assert (far.metadata, near.metadata) == (metadata, {})


def test_no_more_are_found_than_asked_for(store):
    store.upsert("n", [VectorRecord("east", EAST), VectorRecord("up", UP), VectorRecord("north", NORTH)])
    assert ids(store.find_nearest("n", EAST, 1)) == ["east"]


def test_a_record_takes_the_place_of_the_one_with_its_id(store):
    store.upsert("n", [VectorRecord("a", EAST, {"text": "old"})])
    store.upsert("n", [VectorRecord("a", NORTH, {"text": "new"})])
    (only,) = store.find_nearest("n", NORTH, 10)
    assert (only.id, only.score, only.metadata) == ("a", pytest.approx(1.0), {"text": "new"})


def test_a_deleted_record_is_gone_and_an_unknown_id_no_fault(store):
    store.upsert("n", [VectorRecord("a", EAST), VectorRecord("b", NORTH)])
    store.delete("n", ["a", "never there"])
    store.delete("n", [])
    assert ids(store.find_nearest("n", EAST, 10)) == ["b"]
    store.upsert("n", [VectorRecord("a", EAST)])
    assert ids(store.find_nearest("n", EAST, 10)) == ["a", "b"]


@pytest.mark.parametrize("other", ["m", "N", "n/../n", "n ", "", "名前"])
def test_namespaces_never_see_one_another(store, other):
    store.upsert("n", [VectorRecord("a", EAST, {"text": "ours"}), VectorRecord("b", EAST)])
    store.upsert(other, [VectorRecord("a", EAST, {"text": "theirs"})])
    store.delete(other, ["b"])
    assert [(each.id, each.metadata) for each in store.find_nearest(other, EAST, 10)] == [("a", {"text": "theirs"})]
    assert ids(store.find_nearest("n", EAST, 10)) == ["a", "b"]


def test_an_empty_namespace_has_nothing(store):
    store.upsert("n", [VectorRecord("a", EAST)])
    assert store.find_nearest("empty", EAST, 10) == ()


def test_nothing_to_keep_is_no_fault(store):
    store.upsert("n", [])


def test_more_records_than_a_request_takes_are_all_kept(store):
    store.upsert("n", [VectorRecord(f"{number:03}", (1.0, float(number), 0.0, 0.0)) for number in range(250)])
    assert sorted(ids(store.find_nearest("n", EAST, 1000))) == [f"{number:03}" for number in range(250)]


def test_vectors_of_another_embedder_are_refused(store):
    store.upsert("n", [VectorRecord("a", EAST)])
    with pytest.raises(AvionicsError, match="dimension"):
        store.find_nearest("n", (1.0, 0.0, 0.0), 10)
    with pytest.raises(AvionicsError, match="dimension"):
        store.upsert("n", [VectorRecord("b", (1.0, 0.0))])
    assert ids(store.find_nearest("n", EAST, 10)) == ["a"]
