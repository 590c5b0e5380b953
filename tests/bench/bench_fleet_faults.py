"""Kill the workers of a fleet while they index, and measure how soon a push can be asked about during a back-fill.

    python tests/bench/bench_fleet_faults.py --database URL [--rounds N] [--repositories N] [--pushes N]

Small repositories are generated: a library and its users. In each round a worker is killed with SIGKILL after a
random part of a second. Afterwards one worker finishes, and the answers are compared with those of a fleet whose
workers were never killed. URL is that of a PostgreSQL server on which databases may be made.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

import psycopg

from avionics.cross_repository.usages import FleetQuestions
from avionics.fleet.catalogue import EVERYONE, Catalogue
from avionics.fleet.segments import SegmentStore
from avionics.fleet.work import BACKFILL, PUSH, WorkQueue
from avionics.settings import Settings

GIT = ("git", "-c", "user.name=bench", "-c", "user.email=bench@example.com", "-c", "commit.gpgsign=false")
LIBRARY = {
    "pyproject.toml": '[project]\nname = "shelf"\nversion = "1"\n',
    "shelf.py": "def pack(box):\n    return box\n",
}


def make_clone(place: Path, files: dict[str, str]) -> Path:
    place.mkdir(parents=True)
    for name, text in files.items():
        (place / name).write_text(text)
    subprocess.run([*GIT, "init", "-q", str(place)], check=True)
    commit(place)
    return place


def commit(place: Path) -> str:
    subprocess.run([*GIT, "-C", str(place), "add", "."], check=True)
    subprocess.run([*GIT, "-C", str(place), "commit", "-qm", "change"], check=True)
    return subprocess.run(
        [*GIT, "-C", str(place), "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    ).stdout.strip()


def user_files(number: int, files: int) -> dict[str, str]:
    return {
        f"m{at}.py": f"from shelf import pack\n\n\ndef use{at}():\n    return pack({at * number})\n"
        for at in range(files)
    }


class Fleet:
    """A fleet in a database and a bucket of its own."""

    def __init__(self, server: str, place: Path, clones: list[Path]) -> None:
        name = f"bench_{uuid.uuid4().hex}"
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        self.url = server.replace("/postgres?", f"/{name}?")
        self.place = place
        self.catalogue = Catalogue(self.url)
        self.catalogue.create(str(place / "bucket"))
        self.queue = WorkQueue(self.url, lambda number: True, lambda number, text: None, stalled_seconds=0.0)
        self.queue.create()
        self.numbers = {each.name: self.catalogue.add(each.name, str(each), "HEAD", (EVERYONE,)) for each in clones}
        self.queue.enqueue(tuple(self.numbers.values()), BACKFILL)

    def start(self, *, drain: bool) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-m", "avionics", "fleet", "worker", "--fleet", self.url, *(["--drain"] * drain)]
        environment = {**os.environ, "AVIONICS_CACHE_DIR": str(self.place / "cache")}
        return subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def answer(self) -> dict[str, list[tuple[str, int]]]:
        settings = Settings(cache_directory=self.place / "asking")
        questions = FleetQuestions(self.catalogue, SegmentStore(str(self.place / "bucket")), settings)
        found = questions.ask_usages("pack", (EVERYONE,))
        questions.close()
        return {each.repository.name: [(one.usage.file, one.usage.line) for one in each.usages] for each in found.found}


def run_kills(server: str, place: Path, clones: list[Path], rounds: int) -> None:
    """Kill workers, finish, and compare."""
    calm, hunted = (Fleet(server, place / name, clones) for name in ("calm", "hunted"))
    with calm.start(drain=True) as worker:
        worker.wait()
    chance, in_work = random.Random(20), 0
    for _ in range(rounds):
        hunted.queue.enqueue(tuple(hunted.numbers.values()), BACKFILL)
        with hunted.start(drain=True) as worker:
            while hunted.queue.get_state().running == 0 and worker.poll() is None:
                time.sleep(0.02)
            time.sleep(chance.uniform(0, 0.5))
            in_work += worker.poll() is None
            worker.send_signal(signal.SIGKILL)
        hunted.queue.rescue()
    with hunted.start(drain=True) as worker:
        worker.wait()
    state = hunted.queue.get_state()
    same = hunted.answer() == calm.answer()
    print(f"{rounds} workers killed, {in_work} of them at work: answers equal {same}, {state.failed} jobs lost")


def run_pushes(server: str, place: Path, clones: list[Path], pushes: int) -> None:
    """Push to one repository while the others are indexed again and again by two workers."""
    fleet = Fleet(server, place / "pushes", clones)
    target, seconds = clones[1], []
    workers = [fleet.start(drain=False) for _ in range(2)]
    try:
        while any(not each.revision for each in fleet.catalogue.list_repositories()):
            time.sleep(0.2)
        others = tuple(number for name, number in fleet.numbers.items() if name != target.name)
        for number in range(pushes):
            fleet.queue.enqueue(others, BACKFILL)
            time.sleep(0.5)
            (target / "pushed.py").write_text(f"from shelf import pack\n\npack({number})\n")
            revision, started = commit(target), time.monotonic()
            fleet.queue.enqueue((fleet.numbers[target.name],), PUSH)
            while revision not in {each.revision for each in fleet.catalogue.list_repositories()}:
                time.sleep(0.02)
            seconds.append(time.monotonic() - started)
    finally:
        for worker in workers:
            worker.send_signal(signal.SIGTERM)
            worker.wait()
    seconds.sort()
    print(f"push to queryable: median {statistics.median(seconds):.1f} s, p95 {seconds[int(0.95 * (pushes - 1))]:.1f} s"
          f" of {pushes} pushes while {len(clones) - 1} repositories were indexed by 2 workers")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", required=True)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--repositories", type=int, default=12)
    parser.add_argument("--pushes", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        clones = [make_clone(place / "clones" / "shelf", LIBRARY)]
        clones += [make_clone(place / "clones" / f"user{n}", user_files(n, 40)) for n in range(1, given.repositories)]
        run_kills(given.database, place, clones, given.rounds)
        run_pushes(given.database, place, clones, given.pushes)


if __name__ == "__main__":
    main()
