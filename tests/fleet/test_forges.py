"""Repositories from a forge's API and by URL, with a token that goes to its own host and is stored nowhere."""

from __future__ import annotations

import subprocess

import psycopg
import pytest

from avionics.cli.main import main
from tests.fleet.conftest import LIBRARY, SHOP
from tests.fleet.forge_server import TOKEN, run_forge

KINDS = {
    "github": ("/api/v3/orgs/acme/repos", "full_name", "clone_url"),
    "gitlab": ("/api/v4/groups/acme/projects", "path_with_namespace", "http_url_to_repo"),
    "gitea": ("/api/v1/orgs/acme/repos", "full_name", "clone_url"),
}


@pytest.fixture
def forge(tmp_path, git_repository, monkeypatch):
    for name, files in (("shelf", LIBRARY), ("shop", SHOP)):
        made = git_repository(files, f"made/{name}")
        subprocess.run(["git", "clone", "-q", "--bare", made.root, tmp_path / "served" / "acme" / f"{name}.git"],
                       check=True)  # fmt: skip
    with run_forge(tmp_path / "served") as running:
        monkeypatch.setenv("AVIONICS_FORGE_TOKENS", f"127.0.0.1={TOKEN} other.example=planted-other-token")
        yield running


def list_on(forge, kind, path="", extra=()):
    place, name, url = KINDS[kind]
    forge.entries[path or place] = [
        {name: f"acme/{each}", url: f"{forge.url}/acme/{each}.git", "archived": False} for each in ("shelf", "shop")
    ] + [{name: f"acme/old{n}", url: f"{forge.url}/acme/old{n}.git", "archived": True} for n in extra]


@pytest.mark.parametrize("kind", KINDS)
def test_an_owner_is_listed_cloned_and_asked(fleet, forge, capsys, kind):
    list_on(forge, kind, extra=range(60))
    assert fleet.run("add", "--forge", kind, f"{forge.url}/acme") == 0
    assert "added 2 repositories" in capsys.readouterr().out, "the second page was read, archived ones left out"
    assert fleet.run("worker", "--drain") == 0
    capsys.readouterr()
    assert main(["refs", "Box.put", "--fleet", fleet.url]) == 0
    printed = capsys.readouterr().out
    assert ":shop.py:6 call" in printed
    assert "acme/shop@" in printed


def test_a_user_is_listed_where_no_organisation_has_the_name(fleet, forge, capsys):
    list_on(forge, "github", "/api/v3/users/acme/repos")
    assert fleet.run("add", "--forge", "github", f"{forge.url}/acme") == 0
    assert "added 2 repositories" in capsys.readouterr().out


def test_a_url_is_cloned_and_follows_a_push(fleet, forge, capsys, tmp_path):
    assert fleet.run("add", f"{forge.url}/acme/shop.git") == 0
    fleet.run("worker", "--drain")
    work = tmp_path / "work"
    subprocess.run(["git", "clone", "-q", tmp_path / "served/acme/shop.git", work], check=True)
    (work / "new.py").write_text("def fresh(): ...\n")
    git = ["git", "-C", work, "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "push"], check=True)
    subprocess.run([*git, "push", "-q"], check=True)
    assert fleet.run("sync", "acme/shop") == 0
    fleet.run("worker", "--drain")
    capsys.readouterr()
    assert main(["def", "fresh", "--fleet", fleet.url]) == 0
    assert ":new.py:1" in capsys.readouterr().out


def test_the_token_is_in_no_row_file_or_output(fleet, forge, capsys, tmp_path):
    list_on(forge, "gitlab")
    fleet.run("add", "--forge", "gitlab", f"{forge.url}/acme")
    fleet.run("add", f"{forge.url}/acme/missing.git")
    fleet.run("worker", "--drain")
    fleet.run("status")
    printed = capsys.readouterr()
    assert "could not be fetched" in printed.out
    with psycopg.connect(fleet.url) as connection:
        tables = connection.execute("SELECT relname FROM pg_stat_user_tables").fetchall()
        rows = [str(connection.execute(f"SELECT * FROM {table}".encode()).fetchall()) for (table,) in tables]
    kept = [each.read_bytes() for place in ("cache", "bucket") for each in (tmp_path / place).rglob("*")
            if each.is_file()]  # fmt: skip
    assert len(rows) > 10
    assert kept
    assert TOKEN not in "".join((*rows, printed.out, printed.err))
    assert not [each for each in kept if TOKEN.encode() in each]


def test_a_wrong_token_is_said(fleet, forge, capsys, monkeypatch):
    monkeypatch.setenv("AVIONICS_FORGE_TOKENS", "127.0.0.1=planted-wrong-token")
    list_on(forge, "gitea")
    assert fleet.run("add", "--forge", "gitea", f"{forge.url}/acme") == 3
    printed = capsys.readouterr().err
    assert "refused the credentials (401)" in printed
    assert "planted-wrong-token" not in printed


def test_a_token_goes_to_no_other_host(fleet, forge, capsys):
    with run_forge(forge.url) as other:
        place, name, url = KINDS["gitea"]
        forge.entries[place] = [{name: "acme/shop", url: f"{other.url}/acme/shop.git"}]
        assert fleet.run("add", "--forge", "gitea", f"{forge.url}/acme") == 2
        assert "another host" in capsys.readouterr().err
        assert other.seen == []


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("https://ada:planted@example.com/a/b.git", "contains credentials"),
        ("http://example.com/a/b.git", "give an https URL"),
        ("ssh://example.com/a/b.git", "give an https URL"),
        ("ext::sh -c id://", "give an https URL"),
        ("/no/such/place", "no such file or directory"),
    ],
)
def test_a_place_that_cannot_be_cloned_is_refused(fleet, capsys, place, reason):
    assert fleet.run("add", place) == 2
    printed = capsys.readouterr().err
    assert reason in printed
    assert "planted" not in printed
