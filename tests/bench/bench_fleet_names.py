"""Ask a fleet of many repository names, whose facts are those of the real repositories of another fleet.

    python tests/bench/bench_fleet_names.py --fleet URL [--repositories N] [--count N] [--seed N] [--cache DIRECTORY]

The catalogue of the fleet is copied into a database of its own, and each repository in it is entered again under
further names until there are N. A copy has the files, defined names and words of the original; what it publishes and
imports is that of the other copies of the same number, so that each number is a world of its own. Questions are asked
about the originals, with the same cache before and after: the difference is what the other repositories cost.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import psycopg

from avionics.cross_repository.usages import FleetQuestions
from avionics.fleet.catalogue import EVERYONE, Catalogue
from avionics.fleet.segments import SegmentStore
from avionics.settings import Settings
from tests.bench.bench_fleet_usages import Wanted, choose

COPIES = """
CREATE TEMP TABLE copies AS SELECT id AS original, number, name || '-' || number AS copy, location, ref, groups
    FROM (SELECT repositories.* FROM repositories JOIN snapshots ON repository = id) AS indexed,
    generate_series(1, %(last)s) AS number ORDER BY number, id LIMIT %(more)s;
INSERT INTO repositories (name, location, ref, groups) SELECT copy, location || '-' || number, ref, groups FROM copies;
CREATE TEMP TABLE made AS SELECT id, original, number FROM copies JOIN repositories ON name = copy;
DROP INDEX held_stems_stems;
INSERT INTO snapshots SELECT id, revision, indexed, files, trees FROM made JOIN snapshots ON repository = original;
INSERT INTO packages SELECT id, manager, name, version, directory, root || '~' || number
    FROM made JOIN packages ON repository = original;
INSERT INTO imported_names SELECT id, manager, root || '~' || number FROM made JOIN imported_names
    ON repository = original;
INSERT INTO defined_names SELECT id, bucket, piece, names FROM made JOIN defined_names ON repository = original;
INSERT INTO held_stems SELECT id, stems FROM made JOIN held_stems ON repository = original;
CREATE INDEX held_stems_stems ON held_stems USING gin (stems);
VACUUM ANALYZE;
"""


def make_copies(fleet: str, count: int) -> str:
    """Return a database with the catalogue of a fleet whose repositories have so many names."""
    name = f"names_{uuid.uuid4().hex}"
    before, _, after = fleet.partition("?")
    server, _, original = before.rpartition("/")
    url = f"{server}/{name}?{after}"
    with psycopg.connect(f"{server}/postgres?{after}", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {original}".encode())
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute("SELECT count(*), (SELECT count(*) FROM snapshots) FROM repositories").fetchone()
        assert row is not None
        connection.execute("SET maintenance_work_mem = '1GB'")
        values = {"last": count // row[1] + 1, "more": count - row[0]}
        for statement in COPIES.split(";\n")[:-1]:
            started = time.perf_counter()
            psycopg.ClientCursor(connection).execute(statement.encode(), values if "%(" in statement else None)
            print(f"  {statement.strip().splitlines()[0][:60]}: {time.perf_counter() - started:.1f} s", flush=True)
    return url


def measure(url: str, settings: Settings, wanted: list[Wanted]) -> None:
    """Print how long questions take the second time: wall time, and the processor time of this process."""
    catalogue = Catalogue(url)
    questions = FleetQuestions(catalogue, SegmentStore(catalogue.get_bucket()), settings)
    visible, _ = questions.count_visible((EVERYONE,))
    ways: dict[str, Callable[[Wanted], object]] = {
        "refs": lambda each: questions.ask_usages(each.symbol, (EVERYONE,), each.owner),
        "list of repositories": lambda each: questions.list_visible((EVERYONE,)),
        "repositories that define a name": lambda each: questions.find_defining((each.symbol,), (EVERYONE,)),
        "repositories with the words": lambda each: questions.rate_repositories(each.symbol, (EVERYONE,), 8),
    }
    size = psycopg.connect(url).execute("SELECT pg_database_size(current_database())").fetchone()
    assert size is not None
    print(f"{visible} repositories, database of {size[0] / 1e6:.0f} MB")
    for name, ask in ways.items():
        wall, processor = [], []
        for each in wanted:
            ask(each)
            started, before = time.perf_counter(), time.process_time()
            ask(each)
            processor.append(time.process_time() - before)
            wall.append(time.perf_counter() - started)
        print(f"  {name}: {_summarize(wall)}; processor {_summarize(processor)}", flush=True)
    print("load", *os.getloadavg(), flush=True)
    questions.close()
    catalogue.close()


def _summarize(seconds: list[float]) -> str:
    ordered = sorted(each * 1000 for each in seconds)
    p95 = ordered[int(len(ordered) * 0.95)]
    return f"median {statistics.median(ordered):.0f} ms, p95 {p95:.0f} ms, worst {ordered[-1]:.0f} ms"


def _drop(url: str) -> None:
    before, _, after = url.partition("?")
    server, _, name = before.rpartition("/")
    with psycopg.connect(f"{server}/postgres?{after}", autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fleet", required=True)
    parser.add_argument("--repositories", type=int, default=10_000)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--cache", type=Path, help="keep what is fetched here")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        settings = Settings(cache_directory=given.cache or Path(place))
        many = make_copies(given.fleet, given.repositories)
        catalogue = Catalogue(given.fleet)
        questions = FleetQuestions(catalogue, SegmentStore(catalogue.get_bucket()), settings)
        wanted = choose(questions, catalogue, given.count, given.seed)
        questions.close()
        catalogue.close()
        for url in (given.fleet, many):
            measure(url, settings, wanted)
    _drop(many)


if __name__ == "__main__":
    main()
