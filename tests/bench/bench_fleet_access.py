"""Measure whether the time of an answer tells what repositories that the caller may not see define.

    python tests/bench/bench_fleet_access.py --database URL [--hidden N] [--visible N] [--rounds N]

A fleet in the catalogue alone: some repositories that the caller may see, and others, all of which define one name and
import one package. The caller asks in turn who uses that name, and one that nothing defines; both are refused with the
same words. The medians, and how often the first took longer, are printed; a half of the time is chance. URL is that of
a PostgreSQL server on which databases may be made.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
import uuid
from pathlib import Path

import psycopg

from avionics.cross_repository.usages import FleetQuestions
from avionics.fleet.catalogue import EVERYONE, Catalogue
from avionics.fleet.segments import SegmentStore
from avionics.model.errors import UsageError
from avionics.settings import Settings


def make_database(server: str) -> str:
    name = f"bench_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return server.replace("/postgres?", f"/{name}?")


FILL = """
INSERT INTO repositories (name, location, ref, groups) SELECT 'hidden' || n, '/' || n, 'HEAD', '{guards}'
    FROM generate_series(1, %(hidden)s) AS n;
INSERT INTO snapshots (repository, revision, files, trees) SELECT id, 'r', 0, '{}' FROM repositories;
INSERT INTO defined_names
    SELECT id, get_byte(sha256(convert_to(defined, 'UTF8')), 0) %% 64 AS bucket, 0, array_agg(defined) FROM (
        SELECT id, 'name' || (id * 7919 + n) %% 99991 AS defined FROM repositories, generate_series(1, 300) AS n
        UNION ALL SELECT id, 'secretthing' FROM repositories WHERE name LIKE 'hidden%%'
    ) AS named GROUP BY id, bucket;
INSERT INTO imported_names SELECT id, 'python', 'shelf' FROM repositories;
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", required=True)
    parser.add_argument("--hidden", type=int, default=2_000)
    parser.add_argument("--visible", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=500)
    given = parser.parse_args()
    url = make_database(given.database)
    catalogue = Catalogue(url)
    with tempfile.TemporaryDirectory() as place:
        catalogue.create(place)
        for number in range(given.visible):
            catalogue.add(f"open{number}", f"/open{number}", "HEAD", (EVERYONE,))
        with psycopg.connect(url, autocommit=True, cursor_factory=psycopg.ClientCursor) as connection:
            connection.execute(FILL, {"hidden": given.hidden})
            connection.execute("VACUUM ANALYZE")
        questions = FleetQuestions(catalogue, SegmentStore(place), Settings(cache_directory=Path(place)))
        times: dict[str, list[float]] = {"secret_thing": [], "no_such_thing": []}
        said: set[str] = set()
        for number in range(2 * given.rounds):
            name = sorted(times)[number % 2]
            started = time.perf_counter()
            try:
                questions.ask_usages(name, (EVERYONE,))
            except UsageError as error:
                times[name].append(time.perf_counter() - started)
                said.add(str(error).replace(name, ""))
        print(f"what is said: {', '.join(said)}")
        for name, seconds in times.items():
            print(f"{name}: median {statistics.median(seconds) * 1000:.2f} ms of {len(seconds)}")
        longer = sum(one > other for one, other in zip(times["secret_thing"], times["no_such_thing"], strict=True))
        print(f"the name that hidden repositories define took longer {longer / given.rounds:.0%} of the time")
        questions.close()
    catalogue.close()


if __name__ == "__main__":
    main()
