"""Faults of what a fleet stands on: everything is indexed in the end, and every answer is right."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from email.utils import formatdate
from hashlib import md5
from pathlib import Path

import psycopg
import pytest

from avionics.fleet.work import WorkQueue
from avionics.syntax.extract import EXTRACTOR_VERSION
from tests.fleet.conftest import LIBRARY, PASSWORD, SHOP, make_fleet, with_password
from tests.http_servers import QuietHandler, serving, url_of
from tests.postgres import make_postgres
from tests.timing import PATIENCE_SECONDS, wait_until

LOST = 3
"""The exit code of a worker that lost the database."""

USERS = {f"user{number}": {**SHOP, "unique.py": f"name = {number}\n"} for number in range(4)}
EXPECTED = {"shelf": [("src/shelf/box.py", 7)], **{name: [("shop.py", 6)] for name in USERS}}


def fill(fleet, git_repository, more=()):
    for name, files in {"shelf": LIBRARY, **USERS, **dict(more)}.items():
        git_repository(files, f"clones/{name}")
    assert fleet.run("add", str(fleet.clones)) == 0


def ask(fleet, capsys):
    """Return where `Box.put` is used in each repository."""
    capsys.readouterr()
    code = fleet.run("refs", "Box.put", "--json")
    answer = json.loads(capsys.readouterr().out)
    assert code == 0, answer
    assert answer["coverage"]["failed"] == []
    return {each["repository"]: [(use["file"], use["line"]) for use in each["usages"]]
            for each in answer["repositories"]}  # fmt: skip


def queue_of(fleet):
    return WorkQueue(fleet.url, lambda number: True, lambda number, text: None, stalled_seconds=0.0)


def start_worker(fleet, *words, **environment):
    command = [sys.executable, "-m", "avionics", "fleet", "worker", *words, "--fleet", fleet.url]
    return subprocess.Popen(command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)  # fmt: skip


@pytest.fixture
def killable(tmp_path, monkeypatch):
    """A fleet on a PostgreSQL that no other test uses."""
    postgres = make_postgres(PASSWORD)
    try:
        for fleet in make_fleet(with_password(postgres.url), tmp_path, monkeypatch):
            yield fleet, postgres
    finally:
        postgres.stop()


def test_postgresql_may_be_killed_while_workers_index(killable, git_repository, capsys):
    fleet, postgres = killable
    many = {f"m{at}.py": f"def use{at}(): ...\n" for at in range(150)}
    fill(fleet, git_repository, {f"many{n}": {**many, "n.py": f"n = {n}\n"} for n in range(3)})
    questions = fleet.catalogue.list_repositories()
    for delay in (0.0, 0.3):
        queue = queue_of(fleet)
        queue.rescue()
        with start_worker(fleet) as worker:
            wait_until(lambda queue=queue: queue.get_state().running > 0, "a job is running")
            time.sleep(delay)
            postgres.kill()
            postgres.start()
            _, said = worker.communicate()
            assert worker.returncode == LOST, said
            assert "the connection to the database was lost" in said
    assert [each.name for each in fleet.catalogue.list_repositories()] == [each.name for each in questions]
    queue_of(fleet).rescue()
    assert fleet.run("worker", "--drain") == 0
    assert queue_of(fleet).get_state().failed == 0
    assert ask(fleet, capsys) == EXPECTED


@pytest.fixture
def small_disk():
    """A directory on a file system of 128 MB."""
    place = Path(tempfile.mkdtemp(prefix="avionics-disk-"))
    mount = ["mount", "-t", "tmpfs", "-o", "size=128m", "tmpfs", place]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        place.rmdir()
        pytest.skip("a small file system cannot be mounted here")
    place.chmod(0o755)
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)
    place.rmdir()


def test_a_full_disk_of_postgresql_costs_only_time(small_disk, tmp_path, monkeypatch, git_repository, capsys):
    with monkeypatch.context() as only:
        only.setattr(tempfile, "tempdir", str(small_disk))
        postgres = make_postgres(PASSWORD)
    try:
        for fleet in make_fleet(with_password(postgres.url), tmp_path, monkeypatch):
            names = {f"n{at}.py": "".join(f"def made{at}_{n}(): ...\n" for n in range(900)) for at in range(30)}
            fill(fleet, git_repository, {"names": names})
            room = os.statvfs(small_disk)
            (small_disk / "other").write_bytes(bytes((room.f_bavail - 16) * room.f_frsize))
            with start_worker(fleet, "--drain") as worker:
                _, said = worker.communicate()
            capsys.readouterr()
            fleet.run("status")
            status = capsys.readouterr().out
            assert worker.returncode == LOST or "failed: the catalogue failed: DiskFull" in status, said
            (small_disk / "other").unlink()
            queue_of(fleet).rescue()
            with psycopg.connect(fleet.url) as connection:  # Not to wait for the next attempt.
                connection.execute("UPDATE procrastinate_jobs SET scheduled_at = now()")
            assert fleet.run("worker", "--drain") == 0
            assert queue_of(fleet).get_state().failed == 0
            assert ask(fleet, capsys) == EXPECTED
    finally:
        postgres.stop()


def test_a_full_bucket_costs_only_time(fleet, git_repository, capsys):
    place = fleet.bucket.parent / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", place], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("a small file system cannot be mounted here")
    try:
        assert fleet.run("init", "--bucket", str(place)) == 0
        (place / "other").write_bytes(b"x" * 60_000)
        noise = {
            f"n{at}.py": "".join(f"v{(at * 7919 + n * 104729) % 99991} = {n}\n" for n in range(300)) for at in range(9)
        }
        fill(fleet, git_repository, {"noise": noise})
        fleet.run("worker", "--drain")
        capsys.readouterr()
        assert fleet.run("status") == 0
        assert "failed: the object store failed" in capsys.readouterr().out
        (place / "other").unlink()
        subprocess.run(["mount", "-o", "remount,size=8m", place], check=True)
        with psycopg.connect(fleet.url) as connection:  # Not to wait for the next attempt.
            connection.execute("UPDATE procrastinate_jobs SET scheduled_at = now()")
        assert fleet.run("worker", "--drain") == 0
        assert fleet.run("status") == 0
        assert "failed:" not in capsys.readouterr().out
        assert ask(fleet, capsys) == EXPECTED
    finally:
        subprocess.run(["umount", place], check=True)


CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec *found) {
    int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
    int code = real(clock, found);
    if (clock == CLOCK_REALTIME) found->tv_sec += SHIFT;
    return code;
}
"""


@pytest.mark.parametrize("shift", [7_200, -7_200])
def test_a_worker_whose_clock_is_wrong_tries_again_in_time(fleet, git_repository, capsys, tmp_path, shift):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler builds the clock")
    (tmp_path / "clock.c").write_text(CLOCK)
    subprocess.run([compiler, f"-DSHIFT={shift}", "-shared", "-fPIC", "-o", "clock.so", "clock.c", "-ldl"],
                   cwd=tmp_path, check=True)  # fmt: skip
    fill(fleet, git_repository)
    (fleet.clones / "shelf").rename(tmp_path / "away")
    with start_worker(fleet, "--drain", LD_PRELOAD=str(tmp_path / "clock.so")) as worker:
        assert worker.wait() == 0
    with psycopg.connect(fleet.url) as connection:
        (waits,) = connection.execute(
            "SELECT scheduled_at - now() FROM procrastinate_jobs WHERE attempts > 0"
        ).fetchone()
    assert -60 < waits.total_seconds() < 10
    (tmp_path / "away").rename(fleet.clones / "shelf")
    with start_worker(fleet, LD_PRELOAD=str(tmp_path / "clock.so")) as worker:
        wait_until(lambda: all(each.revision for each in fleet.catalogue.list_repositories()), "all are indexed")
        worker.terminate()
        assert worker.wait() == 0
    assert ask(fleet, capsys) == EXPECTED
    assert all(0 <= each.age.total_seconds() < 600 for each in fleet.catalogue.list_repositories())


def test_a_worker_that_a_script_started_in_the_background_ends_when_it_is_told_to(fleet, git_repository):
    fill(fleet, git_repository)
    command = [sys.executable, "-m", "avionics", "fleet", "worker", "--fleet", fleet.url]
    ignoring = f"trap '' INT; exec {shlex.join(command)}"
    with subprocess.Popen(
        ["sh", "-c", ignoring], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as worker:
        wait_until(lambda: all(each.revision for each in fleet.catalogue.list_repositories()), "all are indexed")
        worker.terminate()
        assert worker.wait(timeout=PATIENCE_SECONDS) == 0


OLDER = """
import sys
from avionics.syntax import extract
extract.EXTRACTOR_VERSION -= 1
from avionics.cli.main import main
sys.exit(main(["fleet", "worker", "--drain", "--fleet", sys.argv[1]]))
"""


def test_facts_of_a_worker_of_another_version_are_not_believed(fleet, git_repository, capsys):
    fill(fleet, git_repository)
    subprocess.run([sys.executable, "-c", OLDER, fleet.url], check=True, env=dict(os.environ))
    with psycopg.connect(fleet.url) as connection:
        versions = connection.execute("SELECT DISTINCT extractor FROM facts").fetchall()
    assert versions == [(EXTRACTOR_VERSION - 1,)]
    assert ask(fleet, capsys) == EXPECTED
    fleet.run("sync")
    capsys.readouterr()
    assert fleet.run("worker", "--drain") == 0
    assert ": 0 new contents" not in capsys.readouterr().out
    assert ask(fleet, capsys) == EXPECTED


def test_a_worker_of_another_catalogue_takes_no_job(stocked, capsys):
    with psycopg.connect(stocked.url) as connection:
        connection.execute("INSERT INTO fleet_versions SELECT max(version) + 1 FROM fleet_versions")
    stocked.run("sync")
    assert stocked.run("worker", "--drain") == 2
    assert "run `avionics fleet init`" in capsys.readouterr().err
    assert queue_of(stocked).get_state().waiting == 4


@pytest.fixture
def failing_bucket(monkeypatch):
    """The URL of a bucket whose every fifth request ends with an internal error, and the counts of requests."""
    objects: dict[str, bytes] = {}
    counts = {"asked": 0, "failed": 0}
    lock = threading.Lock()

    class Handler(QuietHandler):
        protocol_version = "HTTP/1.1"

        def do_PUT(self):
            self.answer(self.rfile.read(int(self.headers["content-length"])))

        def do_GET(self):
            self.answer(None)

        do_HEAD = do_GET

        def answer(self, body):
            with lock:
                counts["asked"] += 1
                is_failing = counts["asked"] % 5 == 0
                counts["failed"] += is_failing
            path = self.path.partition("?")[0]
            if is_failing:
                self.reply(500, b"failing")
            elif body is not None:
                objects[path] = body
                self.reply(200, b"")
            elif path not in objects:
                self.reply(404, b"")
            else:
                self.give(objects[path])

        def give(self, whole):
            asked = self.headers.get("range")
            if asked is None:
                self.reply(200, whole)
                return
            start, _, end = asked.removeprefix("bytes=").partition("-")
            part = whole[int(start) : int(end) + 1]
            self.reply(206, part, {"content-range": f"bytes {start}-{int(start) + len(part) - 1}/{len(whole)}"})

        def reply(self, status, content, more=()):
            digest = md5(content, usedforsecurity=False).hexdigest()
            known = {"etag": f'"{digest}"', "last-modified": formatdate(usegmt=True)}
            super().reply(status, content, {**known, **dict(more)})

    with serving(Handler) as server:
        for name, value in {
            "AWS_ENDPOINT": url_of(server), "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "eu-central-1",
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        yield "s3://facts/avionics", counts


def test_a_bucket_that_fails_one_request_in_five_costs_nothing(
    fleet, failing_bucket, git_repository, capsys, monkeypatch, tmp_path
):
    url, counts = failing_bucket
    assert fleet.run("init", "--bucket", url) == 0
    users = {f"user{number}": SHOP for number in range(4)}
    for name, files in {"shelf": LIBRARY, **users}.items():
        git_repository({**files, "unique.py": f"name = '{name}'\n"}, f"clones/{name}")
    fleet.run("add", str(fleet.clones))
    assert fleet.run("worker", "--drain") == 0
    monkeypatch.setenv("AVIONICS_CACHE_DIR", str(tmp_path / "fresh"))  # Every content comes from the bucket.
    capsys.readouterr()
    assert fleet.run("refs", "Box.put", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    found = {each["repository"]: [use["line"] for use in each["usages"]] for each in answer["repositories"]}
    assert found == {"shelf": [7], **{name: [6] for name in users}}
    assert answer["coverage"]["failed"] == []
    assert counts["failed"] >= 3
    fleet.run("status")
    assert "failed:" not in capsys.readouterr().out
