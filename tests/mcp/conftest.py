"""A real server process, and what it is asked about."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import pytest
from mcp import StdioServerParameters

from avionics.settings import Settings
from tests.conftest import write_files
from tests.timing import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[2]

FILES = {
    "shop/__init__.py": "",
    "shop/cart.py": (
        'class Cart:\n    """What a customer wants."""\n\n    def add(self, item):\n        return self.total(item)\n\n'
        "    def total(self, item):\n        return item\n"
    ),
    "shop/app.py": (
        "from shop.cart import Cart\n\n\ndef main():\n    cart = Cart()\n    cart.add(1)\n    return cart\n\n\n"
        'if __name__ == "__main__":\n    main()\n'
    ),
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_add():\n    assert Cart().add(1) == 1\n",
}


@attrs.frozen
class Launcher:
    """How a server is started on directories, with a cache of the test's own."""

    cache: Path

    def arguments(self, *directories: Path, extra: tuple[str, ...] = ()) -> list[str]:
        repositories = [word for directory in directories for word in ("--repo", str(directory))]
        return ["-m", "avionics.cli", "serve", *repositories, *extra]

    def environment(self) -> dict[str, str]:
        return {**os.environ, "AVIONICS_CACHE_DIR": str(self.cache), "AVIONICS_WORKERS": "2"}

    def stdio(self, *directories: Path, extra: tuple[str, ...] = ()) -> StdioServerParameters:
        return StdioServerParameters(
            command=sys.executable,
            args=self.arguments(*directories, extra=extra),
            cwd=ROOT,
            env=self.environment(),
        )

    def start(self, *directories: Path, extra: tuple[str, ...] = ()) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, *self.arguments(*directories, extra=extra)],
            cwd=ROOT,
            env=self.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    @contextlib.contextmanager
    def http(self, *directories: Path, extra: tuple[str, ...] = ()) -> Iterator[str]:
        """The URL of a server that is up; it has to end by itself when it is told to."""
        with self.start(*directories, extra=("--transport", "http", "--port", "0", *extra)) as process:
            try:
                line = process.stderr.readline().decode()
                assert line.startswith("serving at "), line + process.stderr.read().decode()
                yield line.removeprefix("serving at ").strip()
            finally:
                process.terminate()
                process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == 0


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    """The URL of one server over HTTP for all tests of a file that leave it as it is."""
    place = tmp_path_factory.mktemp("shared")
    with Launcher(place / "cache").http(write_files(place / "repository", FILES)) as shared:
        yield shared


@pytest.fixture
def launcher(settings: Settings) -> Launcher:
    """Starts servers."""
    return Launcher(settings.cache_directory)


@pytest.fixture
def shop(git_repository) -> Path:
    """A small repository with a history."""
    return git_repository(FILES).root


@pytest.fixture
def run() -> Callable:
    """Runs a coroutine; a test that waits for ever is a failed one."""

    def run_within(work):
        return asyncio.run(asyncio.wait_for(work, PATIENCE_SECONDS))

    return run_within
