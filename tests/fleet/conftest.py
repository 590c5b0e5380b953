"""A fleet on a real PostgreSQL: every test has its own database, bucket and cache."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Iterator
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
    database: str
    bucket: Path
    clones: Path
    catalogue: Catalogue

    def run(self, *words: str) -> int:
        return main(["fleet", words[0], *words[1:], "--fleet", self.url])


@attrs.frozen
class Template:
    """A fleet of which others are made: a copy of its database takes a tenth of the time that filling one takes."""

    database: str
    place: Path


@pytest.fixture(scope="session")
def empty_template(server, tmp_path_factory) -> Template:
    """A fleet without repositories."""
    return make_template(server, tmp_path_factory.mktemp("empty-fleet"), None, lambda fleet: None)


@pytest.fixture(scope="session")
def stocked_template(server, empty_template, tmp_path_factory, empty_git_directory) -> Template:
    """A fleet that has read what is in `stock_places`."""
    place = tmp_path_factory.mktemp("stocked-fleet")

    def fill(fleet: Fleet) -> None:
        stock_places(place, empty_git_directory)
        assert fleet.run("add", str(fleet.clones)) == 0
        assert fleet.run("add", str(place / "hidden/vault"), "--group", "guards") == 0
        assert fleet.run("worker", "--drain") == 0

    return make_template(server, place, empty_template, fill)


def make_template(server: str, place: Path, template: Template | None, fill: Callable[[Fleet], None]) -> Template:
    with pytest.MonkeyPatch.context() as patch:
        for fleet in make_fleet(server, place, patch, template):
            fill(fleet)
    return Template(fleet.database, place)


@pytest.fixture
def fleet(request, server, empty_template, tmp_path, monkeypatch) -> Iterator[Fleet]:
    """A fleet in a database of its own."""
    is_stocked = "stocked_template" in request.fixturenames
    template = request.getfixturevalue("stocked_template") if is_stocked else empty_template
    yield from make_fleet(server, tmp_path, monkeypatch, template)


def make_fleet(
    server: str, place: Path, patch: pytest.MonkeyPatch, template: Template | None = None
) -> Iterator[Fleet]:
    """Makes a fleet in a database of its own, which finds in the place what the template finds in its own."""
    name = f"fleet_{uuid.uuid4().hex}"
    source = template.database if template else "template1"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {source}".encode())
    patch.setenv("AVIONICS_CACHE_DIR", str(place / "cache"))
    (place / "clones").mkdir(exist_ok=True)
    url = server.replace("/postgres?", f"/{name}?")
    found = Fleet(url, name, place / "bucket", place / "clones", Catalogue(url))
    if template:
        move(found, template.place, place)
    else:
        assert found.run("init", "--bucket", str(found.bucket)) == 0
    yield found
    found.catalogue.close()


def move(fleet: Fleet, old: Path, new: Path) -> None:
    """Has a fleet find in the new place what it found in the old one."""
    for kept in ("bucket", "cache"):
        if (old / kept).exists():
            shutil.copytree(old / kept, new / kept)
    with psycopg.connect(fleet.url) as connection:
        for table, column in (("fleet_settings", "value"), ("repositories", "location")):
            query = f"UPDATE {table} SET {column} = replace({column}, %s, %s)"
            connection.execute(query.encode(), (str(old), str(new)))


@pytest.fixture
def stocked(fleet, stocked_template, tmp_path, empty_git_directory) -> Fleet:
    """A fleet with a library, a public and a secret user of it, and a stranger."""
    stock_places(tmp_path, empty_git_directory)
    return fleet


@pytest.fixture(scope="module")
def asked_fleet(server, stocked_template, tmp_path_factory, empty_git_directory) -> Iterator[Fleet]:
    """A stocked fleet that the tests of a module share, because they only ask it."""
    place = tmp_path_factory.mktemp("fleet")
    stock_places(place, empty_git_directory)
    with pytest.MonkeyPatch.context() as patch:
        yield from make_fleet(server, place, patch, stocked_template)


def stock_places(place: Path, empty_git_directory: Path) -> None:
    """Makes the repositories of a stocked fleet."""
    for name, files in (("clones/shelf", LIBRARY), ("clones/shop", SHOP), ("clones/stranger", STRANGER),
                        ("hidden/vault", SECRET)):  # fmt: skip
        make_git_repository(place / name, empty_git_directory, files)
