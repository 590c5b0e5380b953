"""A store of the test's own."""

from __future__ import annotations

import pytest

from avionics.store.store import Store


@pytest.fixture
def store(tmp_path):
    opened = Store.open(tmp_path / "cache", 1)
    yield opened
    opened.close()
