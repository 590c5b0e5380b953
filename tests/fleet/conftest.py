"""A fleet on a real PostgreSQL: every test has its own database, bucket and cache."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import attrs
import psycopg
import pytest

from avionics.cli.main import main
from avionics.fleet.catalogue import Catalogue
from tests.conftest import make_git_repository
from tests.postgres import run_postgres

PASSWORD = "planted-fleet-password"

LIBRARY = {
    "pyproject.toml": '[project]\nname = "shelf"\nversion = "2.1"\n',
    "src/shelf/__init__.py": "from shelf.box import Box, pack\n",
    "src/shelf/box.py": (
        "class Box:\n    def put(self, item):\n        return item\n\n\ndef pack(box: Box):\n    box.put(1)\n"
    ),
}
SHOP = {
    "shop.py": "from shelf import Box, pack\n\n\ndef sell():\n    box = Box()\n    box.put(2)\n    pack(box)\n",
    "other.py": "class Bag:\n    def put(self, item): ...\n\n\nBag().put(3)\n",
}
SECRET = {"vault.py": "import shelf\n\nshelf.pack(shelf.Box())\n"}
STRANGER = {"alone.py": "def put(x): ...\n\n\nput(1)\n"}


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The URL of a real PostgreSQL."""
    for url in run_postgres(PASSWORD):
        yield with_password(url)


def with_password(url: str) -> str:
    return url.replace("postgres@", f"postgres:{PASSWORD}@")


@attrs.frozen
class Fleet:
    url: str
    bucket: Path
    clones: Path
    catalogue: Catalogue

    def run(self, *words: str) -> int:
        return main(["fleet", words[0], *words[1:], "--fleet", self.url])


@pytest.fixture
def fleet(server, tmp_path, monkeypatch) -> Iterator[Fleet]:
    yield from make_fleet(server, tmp_path, monkeypatch)


def make_fleet(server, tmp_path, monkeypatch) -> Iterator[Fleet]:
    """Makes a fleet in a database of its own."""
    name = f"fleet_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    monkeypatch.setenv("AVIONICS_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "clones").mkdir()
    url = server.replace("/postgres?", f"/{name}?")
    found = Fleet(url, tmp_path / "bucket", tmp_path / "clones", Catalogue(url))
    assert found.run("init", "--bucket", str(found.bucket)) == 0
    yield found
    found.catalogue.close()


@pytest.fixture
def stocked(fleet, git_repository) -> Fleet:
    """A fleet with a library, a public and a secret user of it, and a stranger."""
    return stock(fleet, git_repository)


@pytest.fixture(scope="module")
def asked_fleet(server, tmp_path_factory, empty_git_directory) -> Iterator[Fleet]:
    """A stocked fleet that the tests of a module share, because they only ask it: making one takes longer."""
    place = tmp_path_factory.mktemp("fleet")
    with pytest.MonkeyPatch.context() as patch:
        for fleet in make_fleet(server, place, patch):
            yield stock(fleet, lambda files, name: make_git_repository(place / name, empty_git_directory, files))


def stock(fleet: Fleet, git_repository) -> Fleet:
    for name, files in (("shelf", LIBRARY), ("shop", SHOP), ("stranger", STRANGER)):
        git_repository(files, f"clones/{name}")
    vault = git_repository(SECRET, "hidden/vault")
    assert fleet.run("add", str(fleet.clones)) == 0
    assert fleet.run("add", str(vault.root), "--group", "guards") == 0
    assert fleet.run("worker", "--drain") == 0
    return fleet
