"""What is PostgreSQL's own; what every store does is tested in `test_vector_stores.py`, by the real server too."""

from __future__ import annotations

import uuid

import pytest

from avionics.model import AvionicsError, ConfigError, RemoteError, Secret, VectorRecord
from avionics.semantic.pgvector import PgVectorStore, password_of


@pytest.fixture
def store(postgres, endpoints, keys):
    """A store of an index of the test's own: `store(password)`."""

    def make(password=keys["pgvector"], index=""):
        settings = endpoints(pgvector_url=Secret(postgres))
        return PgVectorStore(settings, index or f"index-{uuid.uuid4().hex}", Secret(password))

    return make


def test_vectors_outlive_the_store_that_kept_them(store):
    index = uuid.uuid4().hex
    store(index=index).upsert("n", [VectorRecord("a", (1.0, 0.0), {"page": 1})])
    (match,) = store(index=index).find_nearest("n", (1.0, 0.0), 5)
    assert (match.id, match.score, match.metadata) == ("a", 1.0, {"page": 1})


def test_two_indexes_never_see_one_another(store):
    one, other = store(), store()
    one.upsert("n", [VectorRecord("a", (1.0, 0.0))])
    other.upsert("n", [VectorRecord("a", (0.0, 1.0, 0.0))])
    assert one.find_nearest("n", (1.0, 0.0), 5)[0].score == 1.0


def test_a_batch_with_a_fault_leaves_nothing_behind(store):
    kept = store()
    kept.upsert("n", [VectorRecord("a", (1.0, 0.0))])
    with pytest.raises(RemoteError, match="expected 2 dimensions"):
        kept.upsert("n", [VectorRecord("b", (1.0, 0.0)), VectorRecord("c", (1.0,))])
    assert [match.id for match in kept.find_nearest("n", (1.0, 0.0), 5)] == ["a"]


@pytest.mark.parametrize(
    ("namespace", "vector", "metadata"),
    [("n\x00", (1.0,), {}), ("\ud800", (1.0,), {}), ("n", (float("nan"),), {}), ("n", (), {})],
)
def test_what_postgres_cannot_hold_is_refused(store, namespace, vector, metadata):
    with pytest.raises(AvionicsError):
        store().upsert(namespace, [VectorRecord("a", vector, metadata)])


def test_metadata_comes_back_whatever_is_in_it(store):
    kept, metadata = store(), {"text": "a\x00b 世界 '; DROP TABLE x; --", "deep": [{"n": None}, 1.5, True]}
    kept.upsert("n'; --", [VectorRecord("i'd", (1.0,), metadata)])
    (match,) = kept.find_nearest("n'; --", (1.0,), 5)
    assert (match.id, match.metadata) == ("i'd", metadata)


def test_a_vector_of_zeros_is_like_nothing(store):
    kept = store()
    kept.upsert("n", [VectorRecord("none", (0.0, 0.0)), VectorRecord("a", (1.0, 0.0))])
    assert [(match.id, match.score) for match in kept.find_nearest("n", (1.0, 0.0), 5)] == [("a", 1.0), ("none", 0.0)]


def test_an_index_that_is_not_there_is_an_error_and_not_an_empty_answer(store):
    with pytest.raises(RemoteError, match="does not exist"):
        store().find_nearest("n", (1.0,), 5)
    store().delete("n", ["a"])


def test_a_wrong_password_is_refused_and_not_shown(store):
    with pytest.raises(RemoteError, match="password authentication failed") as caught:
        store("planted-wrong-password").upsert("n", [VectorRecord("a", (1.0,))])
    assert "planted" not in f"{caught.value} {caught.value.hint} {caught.value.__cause__}"


def test_an_account_without_a_password_is_refused_and_no_other_is_tried(
    postgres, endpoints, keys, monkeypatch, tmp_path
):
    monkeypatch.setenv("PGPASSWORD", keys["pgvector"])
    (tmp_path / "passwords").write_text(f"*:*:*:*:{keys['pgvector']}")
    (tmp_path / "passwords").chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "passwords"))
    settings = endpoints(pgvector_url=Secret(postgres.replace("postgres@", f"postgres:{keys['pgvector']}@")))
    with pytest.raises(RemoteError, match="no password supplied"):
        PgVectorStore(settings, "index", Secret("")).find_nearest("n", (1.0,), 5)
    with pytest.raises(RemoteError, match="does not exist"):
        PgVectorStore(settings, "never-made", password_of(settings)).find_nearest("n", (1.0,), 5)


def test_a_server_that_is_not_there_is_an_error_without_the_password(endpoints):
    settings = endpoints(pgvector_url=Secret("postgresql://ada:planted-password@127.0.0.1:1/db"))
    with pytest.raises(RemoteError, match=r"pgvector at 127\.0\.0\.1: connection") as caught:
        PgVectorStore(settings, "index").find_nearest("n", (1.0,), 5)
    assert "planted" not in f"{caught.value} {caught.value.hint} {settings}"


def test_a_url_that_is_none_is_not_quoted(endpoints):
    with pytest.raises(ConfigError, match="not a PostgreSQL URL") as caught:
        PgVectorStore(endpoints(pgvector_url=Secret("postgresql//ada:planted-password@host")), "index")
    assert "planted" not in f"{caught.value} {caught.value.hint}"


def test_without_a_url_the_setting_is_named(endpoints):
    with pytest.raises(ConfigError) as caught:
        PgVectorStore(endpoints(), "index")
    assert "PGVECTOR_URL" in caught.value.hint


def test_a_name_that_postgres_would_cut_is_refused(endpoints):
    with pytest.raises(ConfigError, match="too long"):
        PgVectorStore(endpoints(pgvector_url=Secret("postgresql://host/db")), "ü" * 28)
