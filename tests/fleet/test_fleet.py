"""Many repositories on a real PostgreSQL: indexing, questions across them, access, and workers that die."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import psycopg
import pytest

from avionics.cli.main import main
from avionics.cross_repository.usages import FleetQuestions
from avionics.fleet.connection import get_version, list_versions, migrate
from avionics.fleet.segments import SegmentStore
from avionics.fleet.work import WorkQueue
from avionics.model.errors import RemoteError
from avionics.settings import Settings
from tests.fleet.conftest import LIBRARY, PASSWORD
from tests.timing import wait_until


def ask(fleet, capsys, symbol, *more):
    """Asks who uses a symbol, and gives the exit code and the answer."""
    capsys.readouterr()
    code = fleet.run("refs", symbol, "--json", *more)
    return code, json.loads(capsys.readouterr().out)


def places(answer):
    return {each["repository"]: [(use["file"], use["line"]) for use in each["usages"]]
            for each in answer["repositories"]}  # fmt: skip


def test_usages_are_found_in_every_repository_that_imports_the_package(stocked, capsys):
    code, answer = ask(stocked, capsys, "Box.put")
    assert code == 0
    assert answer["definition"] == {"repository": "shelf", "file": "src/shelf/box.py", "line": 2}
    assert answer["packages"] == ["shelf 2.1"]
    assert places(answer) == {"shelf": [("src/shelf/box.py", 7)], "shop": [("shop.py", 6)]}
    assert answer["coverage"] == {"visible": 3, "asked": 2, "unindexed": [], "failed": []}


def test_an_answer_names_repository_revision_and_line(stocked, capsys):
    capsys.readouterr()
    assert stocked.run("refs", "pack") == 0
    printed = capsys.readouterr().out
    commit = next(each.revision for each in stocked.catalogue.list_repositories() if each.name == "shop")[:12]
    assert f"shop@{commit}:shop.py:7 call  pack(box)" in printed
    assert printed.startswith("pack, shelf:src/shelf/box.py:6 (shelf 2.1): 3 usages in 2 repositories, 2 outside shelf")
    assert printed.index("shop.py:7") < printed.index("__init__.py:1")
    assert "[2 of 3 repositories asked: the others do not import it]" in printed


def test_a_use_through_a_third_repository_is_found(stocked, git_repository, capsys):
    middle = {"pyproject.toml": '[project]\nname = "middle"\n',
              "middle/__init__.py": "from shelf import Box\n\n\ndef get() -> Box:\n    return Box()\n"}  # fmt: skip
    for name, files in (("middle", middle), ("far", {"far.py": "from middle import get\n\nget().put(9)\n"})):
        stocked.run("add", str(git_repository(files, f"more/{name}").root))
    stocked.run("worker", "--drain")
    assert places(ask(stocked, capsys, "Box.put")[1])["far"] == [("far.py", 3)]


@pytest.mark.parametrize(("symbol", "line"), [("render", 3), ("paint", 5), ("Pen.constructor", 4)])
def test_a_use_under_another_name_is_found(fleet, git_repository, capsys, symbol, line):
    canvas = {
        "package.json": '{"name": "canvas", "exports": "./index.ts"}',
        "index.ts": "export { paint as colour } from './paint';\nexport class Pen { constructor(size: number) {} }\n"
        "export function render(text: string) { return text }\nexport default render;\n",
        "paint.ts": "export function paint() {}\n",
    }
    user = "import draw from 'canvas';\nimport { Pen, colour } from 'canvas';\ndraw('a');\nnew Pen(1);\ncolour();\n"
    git_repository(canvas, "clones/canvas")
    git_repository({"user.ts": user}, "clones/user")
    fleet.run("add", str(fleet.clones))
    fleet.run("worker", "--drain")
    assert ("user.ts", line) in places(ask(fleet, capsys, symbol)[1])["user"]


def test_answers_do_not_depend_on_the_questions_before(stocked, git_repository):
    """Two libraries that import each other lie beside their user in one order or the other."""
    middle = {"pyproject.toml": '[project]\nname = "middle"\n',
              "middle/__init__.py": "from shelf import Box\n\n\ndef get() -> Box:\n    return Box()\n"}  # fmt: skip
    shelf = LIBRARY | {"tests/test_box.py": "from middle import get\n\nget()\n"}
    far = {"far.py": "from middle import get\nfrom shelf import pack\n\npack(get())\n"}
    for name, files in (("middle", middle), ("far", far)):
        stocked.run("add", str(git_repository(files, f"more/{name}").root))
    git_repository(shelf, "clones/shelf")
    stocked.run("sync")
    stocked.run("worker", "--drain")
    questions = FleetQuestions(stocked.catalogue, SegmentStore(str(stocked.bucket)), Settings())
    used = [("far.py", 1), ("far.py", 2), ("far.py", 4)]
    for symbol, lines in (("get", [used[0], used[2]]), ("pack", used[1:]), ("get", [used[0], used[2]])):
        found = {each.repository.name: each.usages for each in questions.ask_usages(symbol, ("everyone",)).found}
        assert [(each.usage.file, each.usage.line) for each in found["far"]] == lines
    questions.close()


def test_users_of_a_copy_of_their_own_use_the_package(fleet, git_repository, capsys):
    box = "package box\n\nfunc Pack(n int) int { return n }\n"
    library = {"go.mod": "module example.com/acme/box\n", "box.go": box}
    main_go = 'package main\n\nimport "example.com/acme/box"\n\nfunc main() { box.Pack(1) }\n'
    copied = {
        "go.mod": "module example.com/shop\n\nrequire example.com/acme/box v1.0.0\n", "main.go": main_go,
        "vendor/example.com/acme/box/box.go": box + "\nfunc own() { Pack(2) }\n",
        "vendor/example.com/other/box.go": "package other\n\nfunc Pack() {}\n\nfunc use() { Pack() }\n",
        "vendor/modules.txt": "# example.com/acme/box v1.0.0\n## explicit\nexample.com/acme/box\n",
    }  # fmt: skip
    git_repository(library, "clones/box")
    git_repository(copied, "clones/shop")
    fleet.run("add", str(fleet.clones))
    fleet.run("worker", "--drain")
    code, answer = ask(fleet, capsys, "Pack", "--owner", "box")
    assert code == 0
    assert places(answer)["shop"] == [("main.go", 5)]
    assert [each["copies"] for each in answer["repositories"]] == [["vendor/example.com/acme/box/box.go"]]
    fleet.run("refs", "Pack", "--owner", "box")
    assert "1 usage, of its own copy in vendor/example.com/acme/box/box.go" in capsys.readouterr().out


def test_refs_asks_a_fleet_too(stocked, capsys, monkeypatch):
    monkeypatch.setenv("AVIONICS_FLEET_GROUPS", "everyone,guards")
    capsys.readouterr()
    assert main(["refs", "pack", "--fleet", stocked.url, "--json"]) == 0
    assert set(places(json.loads(capsys.readouterr().out))) == {"shelf", "shop", "vault"}


def test_a_text_has_usages_of_every_repository_and_is_short(fleet, git_repository, capsys):
    git_repository(LIBRARY, "clones/shelf")
    calls = "".join(f"pack({number})\n" for number in range(90))
    for name, body in (("many", calls), ("more", calls), ("few", "pack(0)\n")):
        git_repository({f"{name}.py": f"from shelf import pack\n{body}"}, f"clones/{name}")
    fleet.run("add", str(fleet.clones))
    fleet.run("worker", "--drain")
    capsys.readouterr()
    assert fleet.run("refs", "pack") == 0
    printed = capsys.readouterr().out
    counts = {name: printed.count(f":{name}.py:") for name in ("many", "more", "few")}
    assert counts == {"many": 29, "more": 28, "few": 2}
    assert "63 more; --all shows them" in printed
    assert len(printed) < 8000


def test_what_is_not_indexed_yet_is_said_where_a_name_is_not_found(fleet, git_repository, capsys):
    assert fleet.run("refs", "pack") == 2
    assert "`avionics fleet add` adds repositories" in capsys.readouterr().err
    git_repository(LIBRARY, "clones/shelf")
    fleet.run("add", str(fleet.clones))
    assert fleet.run("refs", "pack") == 2
    assert "1 of 1 repositories are not indexed yet; `avionics fleet worker` indexes them" in capsys.readouterr().err


def test_a_database_without_a_fleet_is_refused(server, capsys):
    assert main(["fleet", "init", "--fleet", server]) == 2
    assert "a new fleet needs a bucket" in capsys.readouterr().err
    assert main(["fleet", "status", "--fleet", server]) == 2
    assert "this database has no fleet yet\nhint: run `avionics fleet init --bucket URL`" in capsys.readouterr().err


def test_a_fleet_keeps_its_bucket(fleet, capsys):
    capsys.readouterr()
    assert fleet.run("init") == 0
    assert capsys.readouterr().out == f"0 migrations done; segments are kept in {fleet.bucket}\n"


@pytest.mark.parametrize(("bucket", "problem"), [
    ("ftp://facts/avionics", "unknown kind of bucket: ftp://"),
    ("/dev/null/facts", "the directory /dev/null/facts cannot be made"),
])  # fmt: skip
def test_a_bucket_that_cannot_be_used_is_refused(stocked, capsys, bucket, problem):
    assert stocked.run("init", "--bucket", bucket) == 2
    assert problem in capsys.readouterr().err
    assert stocked.run("init") == 0
    assert str(stocked.bucket) in capsys.readouterr().out


def test_a_bucket_without_the_segments_of_the_fleet_is_refused(stocked, capsys, tmp_path):
    other = tmp_path / "other"
    assert stocked.run("init", "--bucket", str(other)) == 2
    assert f"{other} lacks the segments of this fleet\nhint: copy the old bucket there first" in capsys.readouterr().err
    shutil.copytree(stocked.bucket, other, dirs_exist_ok=True)
    assert stocked.run("init", "--bucket", str(other)) == 0
    assert str(other) in capsys.readouterr().out


def test_what_is_no_url_of_a_database_is_refused(capsys):
    for url in ("mysql://host/fleet", "nonsense"):
        assert main(["fleet", "status", "--fleet", url]) == 2
        assert "the database URL is not a valid PostgreSQL URL\nhint: postgresql://" in capsys.readouterr().err


def test_what_nobody_defines_is_refused(stocked, capsys):
    assert stocked.run("refs", "no_such_thing") == 2
    assert "no repository defines 'no_such_thing'" in capsys.readouterr().err


def test_a_caller_who_may_see_no_repository_is_told_so(stocked, capsys, monkeypatch):
    assert stocked.run("refs", "no_such_thing", "--group", "nobody") == 2
    assert "hint: your groups may see no repository" in capsys.readouterr().err
    monkeypatch.setenv("AVIONICS_FLEET_GROUPS", "nobody")
    assert main(["def", "pack", "--fleet", stocked.url]) == 1
    assert "your groups may see no repository" in "".join(capsys.readouterr())


def test_an_owner_that_is_not_there_is_refused(stocked, capsys):
    assert stocked.run("refs", "pack", "--owner", "shelv") == 2
    printed = capsys.readouterr().err
    assert "there is no repository 'shelv'" in printed
    assert "shelf" in printed
    assert stocked.run("refs", "pack", "--owner", "vault") == 2
    assert "there is no repository 'vault'" in capsys.readouterr().err
    subprocess.run(["git", "init", "-q", str(stocked.clones / "late")], check=True)
    assert stocked.run("add", str(stocked.clones / "late")) == 0
    assert stocked.run("refs", "pack", "--owner", "late") == 2
    assert "late is not indexed yet" in capsys.readouterr().err


def test_a_question_may_name_the_owner_of_a_name_that_several_define(stocked, capsys, git_repository):
    git_repository(
        {"pyproject.toml": '[project]\nname = "crate"\n', "crate.py": "def pack(crate): ...\n"}, "clones/crate"
    )
    assert stocked.run("add", str(stocked.clones / "crate")) == 0
    assert stocked.run("worker", "--drain") == 0
    capsys.readouterr()
    assert main(["ask", "who uses pack?", "--fleet", stocked.url]) == 2
    printed = capsys.readouterr().err
    assert "2 repositories define 'pack': shelf (src/shelf/box.py:6), crate (crate.py:1)" in printed
    assert "--owner" in printed
    for words in (["ask", "who uses pack of shelf?"], ["refs", "pack", "--owner", "shelf"]):
        assert main([*words, "--fleet", stocked.url]) == 0
        assert "shop.py:7" in capsys.readouterr().out
    assert main(["refs", "pack", "--owner", "shelf", "--repo", str(stocked.clones / "shop")]) == 2
    assert "--fleet" in capsys.readouterr().err


def test_a_name_without_its_container_is_no_field_of_another_repository(stocked, capsys, git_repository):
    git_repository({"crate.py": "class Crate:\n    pack = 1\n"}, "clones/crate")
    stocked.run("add", str(stocked.clones / "crate"))
    stocked.run("worker", "--drain")
    assert ask(stocked, capsys, "pack")[1]["definition"]["repository"] == "shelf"
    assert ask(stocked, capsys, "Crate.pack")[1]["definition"]["repository"] == "crate"
    code, answer = ask(stocked, capsys, "put")
    assert code == 2, "methods are asked about without their class"
    assert answer["error"] == (
        "3 repositories define 'put': shelf (src/shelf/box.py:2), shop (other.py:2), stranger (alone.py:1)"
    )


def test_a_repository_that_waits_is_no_reason_to_be_ambiguous(stocked, capsys, git_repository):
    stocked.run("add", str(git_repository({"late.py": "x = 1\n"}, "clones/late").root))
    assert "--owner" in ask(stocked, capsys, "put")[1]["hint"]
    assert "1 of 4 repositories are not indexed yet" in ask(stocked, capsys, "nothing")[1]["hint"]


@pytest.mark.parametrize("symbol", ["Box::put", "Box#put", "box.py:Box.put", "shelf::Box::put"])
def test_a_symbol_is_named_as_its_language_or_an_answer_writes_it(stocked, capsys, symbol):
    assert places(ask(stocked, capsys, symbol)[1])["shop"] == [("shop.py", 6)]
    assert main(["ask", f"who uses {symbol}?", "--fleet", stocked.url]) == 0
    assert "shop.py:6" in capsys.readouterr().out


@pytest.mark.parametrize("count", range(3))
def test_a_caller_learns_nothing_of_other_groups(stocked, capsys, count):
    """Whatever the groups: the answer is that of a fleet without the repositories that the caller may not see."""
    for groups in itertools.combinations(("everyone", "guards"), count):
        arguments = [word for group in groups or ("nobody",) for word in ("--group", group)]
        seen = {each.name for each in stocked.catalogue.list_repositories(groups or ("nobody",))}
        capsys.readouterr()
        code = stocked.run("refs", "pack", "--json", *arguments)
        printed = capsys.readouterr()
        assert not [name for name in {"shelf", "shop", "stranger", "vault"} - seen if name in printed.out]
        assert code == (0 if "everyone" in groups else 2)
        if code == 0:
            answer = json.loads(printed.out)
            assert answer["coverage"]["visible"] == len(seen)
            assert set(places(answer)) == seen & {"shelf", "shop", "vault"}
        else:
            assert json.loads(printed.out)["error"] == "no repository defines 'pack'"


def test_a_push_is_in_the_next_answer(stocked, capsys, git_repository):
    shop = stocked.clones / "shop" / "shop.py"
    shop.write_text("\n" + shop.read_text())
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qam", "push"],
                   cwd=shop.parent, check=True)  # fmt: skip
    assert stocked.run("sync", "shop") == 0
    assert stocked.run("worker", "--drain") == 0
    assert places(ask(stocked, capsys, "Box.put")[1])["shop"] == [("shop.py", 7)]


def test_indexing_again_stores_nothing_twice(stocked, capsys):
    before = sorted(each.name for each in stocked.bucket.rglob("*") if each.is_file())
    stocked.run("sync")
    capsys.readouterr()
    stocked.run("worker", "--drain")
    assert capsys.readouterr().out.count(": 0 new contents") == 4
    assert sorted(each.name for each in stocked.bucket.rglob("*") if each.is_file()) == before


def test_a_job_waits_once(stocked, capsys):
    stocked.run("sync")
    capsys.readouterr()
    stocked.run("sync")
    assert capsys.readouterr().out.startswith("0 of 4")


def test_what_is_removed_is_collected(stocked, capsys):
    assert stocked.run("remove", "shop", "vault", "stranger", "shelf") == 0
    assert stocked.run("gc") == 0
    assert not [each for each in stocked.bucket.rglob("*") if each.is_file()]
    assert stocked.run("refs", "pack") == 2


def test_what_others_share_is_kept(stocked, capsys):
    stocked.run("remove", "shop")
    stocked.run("gc")
    assert places(ask(stocked, capsys, "pack", "--group", "guards", "--group", "everyone")[1])["vault"] == [
        ("vault.py", 3)
    ]


def test_a_repository_that_cannot_be_read_is_reported_with_its_reason(stocked, capsys):
    (stocked.clones / "shop").rename(stocked.clones / "gone")
    stocked.run("sync", "shop")
    stocked.run("worker", "--drain")
    capsys.readouterr()
    stocked.run("status")
    printed = capsys.readouterr().out
    assert "failed: not a directory" in printed
    assert "1 waiting" in printed
    assert places(ask(stocked, capsys, "Box.put")[1])["shop"] == [("shop.py", 6)], "the last snapshot still answers"


def test_a_killed_worker_loses_nothing(fleet, git_repository, capsys, tmp_path):
    for number in range(6):
        files = {f"m{at}.py": f"from shelf import pack\n\npack({at * number})\n" for at in range(40)}
        git_repository(LIBRARY if number == 0 else files, f"clones/r{number}")
    fleet.run("add", str(fleet.clones))
    queue = WorkQueue(fleet.url, lambda number: True, lambda number, text: None, stalled_seconds=0.0)
    for delay in (0.05, 0.2):
        command = [sys.executable, "-m", "avionics", "fleet", "worker", "--drain", "--fleet", fleet.url]
        with subprocess.Popen(
            command, env={**os.environ, "TMPDIR": str(tmp_path)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as one:
            wait_until(lambda: queue.get_state().running > 0 or one.poll() is not None, "a job is running")
            time.sleep(delay)
            one.send_signal(signal.SIGKILL)
        queue.rescue()
    assert fleet.run("worker", "--drain") == 0
    assert queue.get_state().failed == 0
    answer = ask(fleet, capsys, "pack")[1]
    assert {name: len(uses) for name, uses in places(answer).items()} == {f"r{n}": 80 for n in range(1, 6)} | {"r0": 1}


def test_a_damaged_segment_is_refused(tmp_path):
    store = SegmentStore(str(tmp_path))
    digest = store.put(b"facts")
    (file,) = (each for each in tmp_path.rglob("*") if each.is_file())
    file.write_bytes(b"other")
    with pytest.raises(RemoteError, match="is damaged"):
        store.get(digest)


def test_a_bucket_without_facts_is_made_up_for_by_the_bytes(stocked, tmp_path, capsys):
    """Facts are a cache: where their segment is damaged, they are extracted again."""
    expected = places(ask(stocked, capsys, "Box.put")[1])
    with psycopg.connect(stocked.url) as connection:
        connection.execute("DELETE FROM facts")
    settings = Settings(cache_directory=tmp_path / "fresh")
    questions = FleetQuestions(stocked.catalogue, SegmentStore(str(stocked.bucket)), settings)
    found = questions.ask_usages("Box.put", ("everyone",))
    questions.close()
    assert {
        each.repository.name: [(one.usage.file, one.usage.line) for one in each.usages] for each in found.found
    } == expected


def test_migrations_go_both_ways(fleet):
    newest = max(list_versions())
    with psycopg.connect(fleet.url) as connection:
        assert (get_version(connection), migrate(connection)) == (newest, 0)
        assert migrate(connection, 0) == newest
        assert get_version(connection) == 0
        assert migrate(connection) == newest


def test_defined_names_survive_a_step_back_and_forth(stocked, git_repository, capsys):
    long = "".join(f"def {'many' * 30}{number}(): ...\n" for number in range(900))
    stocked.run("add", str(git_repository({"long.py": long}, "clones/long").root))
    stocked.run("worker", "--drain")
    rows = "SELECT repository, bucket, piece, names FROM defined_names ORDER BY 1, 2, 3"
    with psycopg.connect(stocked.url, autocommit=True) as connection:
        before = connection.execute(rows).fetchall()
        migrate(connection, 3)
        whole = connection.execute("SELECT repository, names FROM defined_names").fetchall()
        migrate(connection)
        after = connection.execute(rows).fetchall()
        (largest,) = connection.execute("SELECT max(pg_column_size(defined_names.*)) FROM defined_names").fetchone()
    assert after == before
    assert max(piece for _, _, piece, _ in before) > 0
    names = {number: sorted(name for one, *_, held in before if one == number for name in held) for number, _ in whole}
    assert dict(whole) == names
    assert len(whole) == 5
    assert largest < 2000, "a larger row is not stored in its place"
    assert places(ask(stocked, capsys, "Box.put")[1])["shop"] == [("shop.py", 6)]


def test_many_owners_of_a_name_are_not_all_opened(fleet, git_repository, capsys):
    for number in range(8):
        git_repository({"box.py": "def pack(): ...\n"}, f"clones/r{number}")
    fleet.run("add", str(fleet.clones))
    fleet.run("worker", "--drain")
    capsys.readouterr()
    assert fleet.run("refs", "pack") == 2
    assert "more than 5 repositories define 'pack': r0 (box.py:1), r1 (box.py:1), " in capsys.readouterr().err


def test_a_fleet_must_be_named(capsys, monkeypatch):
    monkeypatch.delenv("AVIONICS_FLEET", raising=False)
    assert main(["fleet", "status"]) == 2
    assert "set AVIONICS_FLEET" in capsys.readouterr().err


def test_a_database_that_does_not_answer_is_an_error(capsys):
    assert main(["fleet", "status", "--fleet", "postgresql://ada:planted-password@127.0.0.1:1/db"]) == 3
    printed = capsys.readouterr().err
    assert "the catalogue failed: connection refused" in printed
    assert "planted-password" not in printed


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [("/postgres?", "/planted?", "there is no such database"), (PASSWORD, "planted", "the password is wrong")],
)
def test_a_refused_connection_says_why(server, capsys, before, after, reason):
    assert main(["fleet", "status", "--fleet", server.replace(before, after)]) == 3
    printed = capsys.readouterr().err
    assert f"the catalogue failed: {reason}" in printed
    assert "planted" not in printed
