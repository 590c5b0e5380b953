"""What nobody trusts: contents of repositories, pushes, questions, and a second repository of a known name."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess

import pytest

from avionics.cli.main import main
from avionics.fleet.catalogue import SnapshotReplacedError
from tests.fleet.conftest import LIBRARY
from tests.fleet.test_fleet_server import send, serve, sign, waiting

LETTERS = random.Random(21)
LONG = "".join(LETTERS.choice("abcdefghijklmnop") for _ in range(9_000))
"""Longer than what PostgreSQL can index, and random: it compresses what repeats."""


@pytest.fixture
def hostile(fleet, git_repository):
    files = {
        "package.json": '{"name": "a\\u0000b\\ud800", "version": "1\\u0000\\ud800"}',
        "Cargo.toml": '[package]\nname = "x\\u0000"\nversion = "1\\u0000"\n',
        "go.mod": f"module example.com/{LONG}\n",
        "a.js": f'import x from "{LONG}";\nimport y from "a\\u0000b";\nimport z from "q\\ud800/z";\n'
                f'import w from "a\0b";\nexport const {LONG} = 1;\n',
        "b.py": f"import {LONG}\n\n\ndef {LONG}(): ...\n\n\ndef plain(): ...\n",
        "new\nline.py": "def inside(): ...\n",
    }  # fmt: skip
    place = git_repository(files, "clones/hostile").root
    (place / os.fsdecode(b"bad\xff\xfe.py")).write_text("def odd(): ...\n")
    git = ["git", "-C", place, "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-qm", "more"], check=True)
    assert fleet.run("add", str(place)) == 0
    assert fleet.run("worker", "--drain") == 0
    return fleet


def test_names_that_postgresql_cannot_store_stop_nothing(hostile, capsys):
    assert hostile.run("status") == 0
    assert "failed:" not in capsys.readouterr().out
    for name, place in (("plain", "b.py:7"), ("inside", "line.py:1"), ("odd", ".py:1")):
        capsys.readouterr()
        assert main(["def", name, "--fleet", hostile.url]) == 0
        printed = capsys.readouterr().out
        assert place in printed
        assert "\nline.py" not in printed


@pytest.mark.parametrize("symbol", ["a\0b", "\ud800", LONG, "'; DROP TABLE snapshots; --", "%", "x.\0"])
def test_a_question_that_no_name_can_match_is_refused(hostile, capsys, symbol):
    assert hostile.run("refs", symbol) == 2
    assert "no repository defines" in capsys.readouterr().err


def test_a_second_repository_of_a_name_does_not_open_the_first(stocked, git_repository, capsys):
    """Its groups would be those of the snapshot that is there."""
    other = git_repository(LIBRARY, "elsewhere/vault").root
    assert stocked.run("add", str(other)) == 2
    assert "the name 'vault' is taken by another repository" in capsys.readouterr().err
    assert "vault" not in {each.name for each in stocked.catalogue.list_repositories(("everyone",))}
    assert stocked.run("add", str(other), "--name", "vault-copy") == 0
    assert "vault-copy" in {each.name for each in stocked.catalogue.list_repositories(("everyone",))}


def test_adding_again_keeps_the_groups(stocked, tmp_path):
    assert stocked.run("add", str(tmp_path / "hidden")) == 0
    assert "vault" not in {each.name for each in stocked.catalogue.list_repositories(("everyone",))}
    assert stocked.run("add", str(tmp_path / "hidden"), "--group", "everyone") == 0
    assert "vault" in {each.name for each in stocked.catalogue.list_repositories(("everyone",))}


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[31m", "\u202eevil", "x" * 501])
def test_a_name_that_could_pose_as_other_text_is_refused(fleet, git_repository, capsys, name):
    assert fleet.run("add", str(git_repository(LIBRARY, "clones/shelf").root), "--name", name) == 2
    assert "cannot be stored" in capsys.readouterr().err


def test_a_snapshot_that_was_replaced_is_not_shown_under_its_old_revision(stocked, git_repository):
    (old,) = (each for each in stocked.catalogue.list_repositories() if each.name == "shop")
    git = ["git", "-C", stocked.clones / "shop", "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "push"], check=True)
    stocked.run("sync", "shop")
    stocked.run("worker", "--drain")
    with pytest.raises(SnapshotReplacedError, match="shop was indexed again"):
        stocked.catalogue.read_files(old)
    (new,) = (each for each in stocked.catalogue.list_repositories() if each.name == "shop")
    assert [each.path for each in stocked.catalogue.read_files(new)] == ["other.py", "shop.py"]


@pytest.mark.parametrize("words", [("fleet", "status"), ("fleet", "worker"), ("refs", "pack"),
                                   ("ask", "who uses pack?"), ("serve",)], ids=" ".join)  # fmt: skip
@pytest.mark.parametrize("url", ["postgresql://ada:planted%zz@h/db", "postgresql://ada:planted@127.0.0.1:1/db",
                                 "postgresql://ada:planted@h/db?planted=1", "planted://ada"])  # fmt: skip
def test_the_password_is_not_repeated(capsys, caplog, words, url):
    assert main([*words, "--fleet", url]) in {2, 3}
    printed = capsys.readouterr()
    assert re.search("the catalogue failed|the database URL is not a valid", printed.err)
    assert "planted" not in printed.out + printed.err + caplog.text


def mutate(chance: random.Random, value):
    """Return a push with something in it replaced by something else."""
    if isinstance(value, dict) and value and chance.random() < 0.8:
        name = chance.choice(sorted(value))
        return {**value, name: mutate(chance, value[name])}
    deep = json.loads("[" * 400 + "]" * 400)
    return chance.choice(
        [
            None,
            3,
            -1e308,
            [],
            {},
            "",
            "\0",
            "\ud800",
            "x" * 5_000,
            ["shop"],
            True,
            {"full_name": "shop"},
            "%",
            deep,
            "shop\n",
        ]
    )


def test_no_malformed_push_is_accepted_for_another_or_ends_the_server(stocked):
    chance = random.Random(7)
    whole = {"repository": {"full_name": "unknown", "clone_url": "https://h/x.git"}, "ref": "refs/heads/main"}
    with serve(stocked) as address:
        for _ in range(120):
            body = json.dumps(mutate(chance, whole)).encode()
            cut = body[: chance.randrange(len(body))] if chance.random() < 0.3 else body
            headers = {"x_hub_signature_256": f"sha256={sign(cut)}", "x_github_event": "push"}
            assert send(address, "POST", "/webhooks/github", cut, **headers)[0] in {202, 400}
            headers["x_hub_signature_256"] = chance.choice(
                ["", "sha256=", "sha1=00", sign(cut), "\xff" * 71, "a" * 9_000]
            )
            assert send(address, "POST", "/webhooks/github", cut, **headers)[0] == 401
        assert send(address, "POST", "/webhooks/github", b"x" * 5_000_000)[0] == 413
        assert send(address, "GET", "/healthz")[0] == 200
    assert waiting(stocked) == 0
