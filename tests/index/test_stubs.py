"""The stubs of standard libraries, whose facts the store keeps for the next process."""

from __future__ import annotations

import pytest

from avionics.index.facts.fact_cache import FactCache
from avionics.index.facts.stdlib_stubs import STUBS, Stubs, read_stub
from avionics.store.store import Store
from avionics.syntax import extract
from avionics.syntax.registry import LANGUAGES, require_spec

PATHS = sorted({f"{STUBS}{spec.stub}" for spec in map(require_spec, LANGUAGES) if spec.stub})


@pytest.fixture
def cache(tmp_path):
    store = Store.open(tmp_path / "cache", 1)
    yield FactCache(store)
    store.close()


@pytest.mark.parametrize("path", PATHS)
def test_a_stored_stub_has_the_facts_that_were_extracted(cache, path, monkeypatch):
    facts, uses = Stubs().load(path)
    assert Stubs().load(path, cache)[0] == facts
    monkeypatch.setattr(extract, "extract_whole", None)
    stored, stored_uses = Stubs().load(path, cache)
    assert (stored.symbols, stored.imports) == (facts.symbols, facts.imports)
    assert stored_uses.scopes == uses.scopes
    assert dict(stored_uses.references) == dict(uses.references)
    assert dict(stored_uses.bindings) == dict(uses.bindings)


def test_another_content_or_extractor_has_facts_of_its_own(cache, monkeypatch):
    from avionics.index.facts import stdlib_stubs

    keys = []
    monkeypatch.setattr(cache, "get_stub", keys.append)
    for version, content in ((1, read_stub(PATHS[0])), (2, read_stub(PATHS[0])), (2, b"class A: ...\n")):
        monkeypatch.setattr(stdlib_stubs, "EXTRACTOR_VERSION", version)
        monkeypatch.setattr(stdlib_stubs, "read_stub", lambda _, content=content: content)
        Stubs().load(f"{STUBS}python/builtins.pyi", cache)
    assert len(set(keys)) == 3


def test_a_damaged_store_is_not_believed(cache):
    Stubs().load(PATHS[0], cache)
    with cache._store._session.writing() as connection:
        connection.execute("UPDATE listings SET data = x'00' WHERE digest LIKE 'stub %'")
    from avionics.model.errors import IndexStateError

    with pytest.raises(IndexStateError):
        Stubs().load(PATHS[0], cache)
    assert cache._store.is_damaged
