"""Settings: where data is kept by default."""

from __future__ import annotations

import platformdirs
import pytest

from avionics.settings import default_cache_directory


@pytest.mark.parametrize("given", [None, "", "/elsewhere/cache", "relative/cache"])
def test_the_cache_is_where_the_platform_keeps_caches(monkeypatch: pytest.MonkeyPatch, given: str | None) -> None:
    if given is None:
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    else:
        monkeypatch.setenv("XDG_CACHE_HOME", given)
    assert default_cache_directory() == platformdirs.user_cache_path("avionics", appauthor=False)
