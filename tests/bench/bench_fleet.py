"""Measure a fleet: throughput, what the queue costs, the database's size, and usages across repositories.

    python tests/bench/bench_fleet.py CLONES --database URL [--index INDEX] [--symbols N] [--ask OWNER:SYMBOL …]

CLONES is a directory of clones; URL is that of an empty PostgreSQL server on which databases may be made. INDEX is the
SCIP index that a compiler's indexer wrote for a directory with copies of the same clones, as if they were one checkout.
Of its definitions in product code that another clone uses, N are chosen by a fixed seed, and their usages in other
clones are compared with those that the fleet finds. Each SYMBOL of --ask is asked for in every way that commands ask a
fleet, twice: the first question fetches facts from the bucket.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections import defaultdict
from pathlib import Path

import attrs
import psycopg

from avionics.cross_repository.indexing import index_repository
from avionics.cross_repository.usages import FleetQuestions
from avionics.fleet.catalogue import EVERYONE, Catalogue
from avionics.fleet.segments import SegmentStore
from avionics.fleet.work import BACKFILL, WorkQueue
from avionics.index.model.file_roles import FileRole, role_of
from avionics.model.errors import AvionicsError
from avionics.scip.files import iter_documents
from avionics.scip.schema import SymbolRole
from avionics.scip.symbols import Suffix, parse_symbol
from avionics.settings import Settings
from avionics.tools.fleet.fleet_tools import FleetTools
from avionics.tools.ids import ToolId

Place = tuple[str, int, int]


def make_database(server: str) -> str:
    name = f"bench_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return server.replace("/postgres?", f"/{name}?")


def size_of(url: str, server: str) -> tuple[int, int]:
    """Return by how much a database is larger than one without repositories, and how many contents it knows."""
    empty = make_database(server)
    Catalogue(empty).create("nowhere")
    WorkQueue(empty, lambda number: True, lambda number, text: None).create()
    with psycopg.connect(empty) as connection:
        floor = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT pg_database_size(current_database()), (SELECT count(*) FROM contents)"
        ).fetchone()
    assert row is not None
    assert floor is not None
    return row[0] - floor[0], row[1]


def children_seconds() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def prepare(server: str, clones: Path, bucket: Path) -> tuple[str, Catalogue]:
    url = make_database(server)
    catalogue = Catalogue(url)
    catalogue.create(str(bucket))
    found = sorted(each for each in clones.iterdir() if (each / ".git").exists())
    for each in found:
        catalogue.add(each.name, str(each.resolve()), "HEAD", (EVERYONE,))
    return url, catalogue


@attrs.frozen
class Spent:
    """What workers took, in seconds: wall time, and processor time.

    Attributes:
        wall: The wall time.
        whole: The processor time of the workers and of the processes that they start.
        starting: That from the start of each worker to its first job.
        between: That of each worker after that and outside its jobs, which the queue takes.
    """

    wall: float
    whole: float
    starting: float
    between: float


_WORKER = """
import sys, time
sys.path.insert(0, sys.argv[1])
from avionics.cli import fleet
from avionics.cli.main import main

index = fleet._Fleet._index_repository
marks = []

def count(self, number):
    marks.append(time.process_time())
    try:
        return index(self, number)
    finally:
        marks.append(time.process_time())

fleet._Fleet._index_repository = count
main(["fleet", "worker", "--drain"])
whole = time.process_time()
first = marks[0] if marks else whole
inside = sum(end - start for start, end in zip(marks[::2], marks[1::2]))
print(first, whole - first - inside, file=sys.stderr)
"""


def run_workers(server: str, clones: Path, place: Path, count: int) -> tuple[Spent, str]:
    """Index with some workers and return what that took, and the database."""
    url, catalogue = prepare(server, clones, place / "bucket")
    queue = WorkQueue(url, lambda number: True, catalogue.note_problem)
    queue.create()
    queue.enqueue(tuple(each.id for each in catalogue.list_repositories()), BACKFILL)
    environment = {**os.environ, "AVIONICS_FLEET": url, "AVIONICS_CACHE_DIR": str(place / "cache")}
    before, started = children_seconds(), time.perf_counter()
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", _WORKER, str(root)]
    workers = [
        subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for _ in range(count)
    ]
    said = [each.communicate()[1].split()[-2:] for each in workers]
    wall = time.perf_counter() - started
    starting, between = (sum(float(each[at]) for each in said) for at in range(2))
    assert all(each.revision for each in catalogue.list_repositories()), "a repository was not indexed"
    catalogue.close()
    return Spent(wall, children_seconds() - before, starting, between), url


_DIRECT = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from tests.bench.bench_fleet import index_directly
index_directly(sys.argv[1], Path(sys.argv[2]))
"""


def index_directly(url: str, place: Path) -> None:
    """Index every repository of a catalogue without a queue."""
    catalogue = Catalogue(url)
    settings = Settings(cache_directory=place / "cache")
    for each in catalogue.list_repositories():
        index_repository(catalogue, SegmentStore(str(place / "bucket")), settings, each)
    catalogue.close()


def run_directly(server: str, clones: Path, place: Path) -> float:
    url, catalogue = prepare(server, clones, place / "bucket")
    catalogue.close()
    before = children_seconds()
    root = Path(__file__).resolve().parents[2]
    subprocess.run([sys.executable, "-c", _DIRECT, url, str(place), str(root)], check=True)
    return children_seconds() - before


def read_oracle(index: Path, clones: Path) -> dict[str, tuple[Place, set[Place]]]:
    """Return symbol → its definition in product code, and its usages in other clones, for those that have any."""
    definitions: dict[str, Place] = {}
    references: defaultdict[str, set[Place]] = defaultdict(set)

    def read(path: str) -> str | None:
        file = clones / path
        return file.read_text("utf-8", "surrogateescape") if file.is_file() else None

    with index.open("rb") as file:
        for document in iter_documents(file, read):
            for each in document.occurrences:
                name = parse_symbol(each.symbol)
                is_wanted = name is not None and name.descriptors and name.descriptors[-1].suffix in {
                    Suffix.METHOD, Suffix.TYPE
                }  # fmt: skip
                if not is_wanted or each.range[:2] == each.range[2:]:
                    continue
                place = (document.path, *each.range[:2])
                if each.roles & SymbolRole.DEFINITION:
                    definitions.setdefault(each.symbol, place)
                else:
                    references[each.symbol].add(place)
    found = {}
    for symbol, place in definitions.items():
        owner, _, path = place[0].partition("/")
        if role_of(path) is FileRole.PRODUCT:
            elsewhere = {each for each in references[symbol] if not each[0].startswith(f"{owner}/")}
            if elsewhere:
                found[symbol] = (place, elsewhere)
    return found


def compare(url: str, place: Path, oracle: dict[str, tuple[Place, set[Place]]], count: int) -> None:
    """Print how the fleet's usages in other repositories agree with those of the one checkout."""
    catalogue = Catalogue(url)
    settings = Settings(cache_directory=place / "asking")
    questions = FleetQuestions(catalogue, SegmentStore(str(place / "bucket")), settings)
    chosen = random.Random(21).sample(sorted(oracle), min(count, len(oracle)))
    both = missing = more = asked = false_complete = complete = 0
    times = []
    for symbol in chosen:
        (file, _, _), wanted = oracle[symbol]
        name = parse_symbol(symbol)
        assert name is not None
        plain = ".".join(each.name for each in name.descriptors if each.suffix in {Suffix.METHOD, Suffix.TYPE})
        owner, _, path = file.partition("/")
        try:
            questions.ask_usages(plain, (EVERYONE,), owner)
            started = time.perf_counter()
            answer = questions.ask_usages(plain, (EVERYONE,), owner)
        except AvionicsError:
            continue
        if answer.definition.file != path:
            continue
        times.append(time.perf_counter() - started)
        asked += 1
        elsewhere = [each for each in answer.found if each.repository.name != owner]
        found = {(f"{each.repository.name}/{one.usage.file}", one.usage.line, one.usage.column)
                 for each in elsewhere for one in each.usages}  # fmt: skip
        both, missing, more = both + len(found & wanted), missing + len(wanted - found), more + len(found - wanted)
        unsure = {each.repository.name for each in elsewhere if not each.is_complete}
        lacking = {each[0].partition("/")[0] for each in wanted - found}
        complete += not unsure
        false_complete += bool(lacking - unsure) and not unsure
    catalogue.close()
    questions.close()
    precision, recall = both / max(both + more, 1), both / max(both + missing, 1)
    f1 = 2 * both / max(2 * both + missing + more, 1)
    print(f"usages in other repositories of {asked} definitions: precision {precision:.4f} recall {recall:.4f} "
          f"F1 {f1:.4f} ({both} common, {missing} missing, {more} more)")  # fmt: skip
    print(f"called complete: {complete}, of those with a usage missing: {false_complete}")
    ordered = sorted(times)
    median, p95 = statistics.median(ordered) * 1000, ordered[int(len(ordered) * 0.95)] * 1000
    print(f"warm: median {median:.0f} ms, p95 {p95:.0f} ms")


def time_questions(url: str, place: Path, wanted: list[str]) -> None:
    """Print how long the questions of the commands take, and who uses each symbol."""
    catalogue = Catalogue(url)
    settings = Settings(cache_directory=place / "questions")
    questions = FleetQuestions(catalogue, SegmentStore(str(place / "bucket")), settings)
    fleet = FleetTools(questions, (EVERYONE,), settings, limit_seconds=600)
    times: defaultdict[str, list[float]] = defaultdict(list)
    for each in wanted:
        owner, _, symbol = each.partition(":")
        ways = {
            "refs": lambda symbol=symbol, owner=owner: fleet.ask_usages(symbol, owner),
            "locate": lambda symbol=symbol: fleet.run(ToolId.LOCATE, {"symbol": symbol}),
            "search": lambda symbol=symbol: fleet.run(ToolId.SEARCH_CODE, {"query": symbol}),
            "ask": lambda symbol=symbol: fleet.answer(f"where is {symbol} defined?"),
        }
        for name, ask in ways.items():
            for state in ("first", "again"):
                started = time.perf_counter()
                result = ask()
                times[f"{name}, {state}"].append(time.perf_counter() - started)
            if name == "refs":
                found = {one["repository"]: f"{len(one['usages'])}+{len(one['possible'])}"
                         for one in result.data["repositories"]}  # fmt: skip
                print(f"{each}: usages+possible {found}, {result.data['coverage']['asked']} asked")
    for name, seconds in times.items():
        print(f"{name}: median {statistics.median(seconds) * 1000:.0f} ms, worst {max(seconds) * 1000:.0f} ms")
    questions.close()
    catalogue.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", type=Path)
    parser.add_argument("--database", required=True)
    parser.add_argument("--index", type=Path)
    parser.add_argument("--symbols", type=int, default=200)
    parser.add_argument("--ask", nargs="*", default=[])
    parser.add_argument("--direct", type=float, help="seconds that indexing without a queue took before")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        direct = asked.direct or run_directly(asked.database, asked.clones, place / "direct")
        print(f"without a queue: {direct:.1f} s of processor time", flush=True)
        url = ""
        for count in asked.workers:
            spent, url = run_workers(asked.database, asked.clones, place / str(count), count)
            size, contents = size_of(url, asked.database)
            rate, more = contents / spent.wall, spent.whole / direct - 1
            print(
                f"{count} workers: {spent.wall:.1f} s, {rate:.0f} contents a second, each {size / contents:.0f} bytes"
            )
            print(f"  {spent.whole:.1f} s of processor time, {more:+.1%} against no queue")
            print(
                f"  before the first job {spent.starting:.1f} s, between jobs {spent.between / spent.whole:.1%}",
                flush=True,
            )
        if asked.index:
            oracle = read_oracle(asked.index, asked.clones)
            compare(url, place / str(asked.workers[-1]), oracle, asked.symbols)
        if asked.ask:
            time_questions(url, place / str(asked.workers[-1]), asked.ask)


if __name__ == "__main__":
    main()
