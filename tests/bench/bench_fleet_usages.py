"""Ask a fleet of real repositories who uses public definitions, and compare the answers with a word search.

    python tests/bench/bench_fleet_usages.py --fleet URL [--count N] [--seed N] [--show N]

The fleet's repositories must be clones on this machine, at the revisions that were indexed. For each package that
another repository imports, public definitions are chosen by a fixed seed whose name a word search finds in up to 100
lines of the repositories that import it; N of them, evenly among the packages. Each is asked twice. Lines
that have the name, in code of repositories that were asked, and that the answer neither lists nor calls possible, are
counted: they are comments, strings, uses of something else, or missing usages. With --show N of them are printed.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path

import attrs

from avionics.cross_repository.usages import FleetQuestions, FleetUsages
from avionics.fleet.catalogue import EVERYONE, Catalogue, FleetRepository
from avionics.fleet.segments import SegmentStore
from avionics.index.model.file_roles import FileRole, role_of
from avionics.model.enums import SymbolKind
from avionics.model.errors import AvionicsError
from avionics.settings import Settings

KINDS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS, SymbolKind.INTERFACE})
MIN_NAME = 4
MAX_LINES = 100
_WORD = re.compile(r"\w+")


@attrs.frozen
class Wanted:
    """A definition to ask about."""

    owner: str
    symbol: str


def search_word(repository: FleetRepository, name: str) -> set[tuple[str, int]]:
    """Return the lines of the indexed revision that have a word."""
    command = ["git", "-C", repository.location, "grep", "-nIwF", "--full-name", "-e", name, repository.revision]
    done = subprocess.run(command, capture_output=True, text=True, check=False, errors="replace")
    found = set()
    # Text may have other line ends than git's.
    for line in done.stdout.split("\n"):
        _, path, number, *_ = (*line.split(":", 3), "", "", "")
        if number.isdigit():
            found.add((path, int(number)))
    return found


def read_files(repository: FleetRepository, paths: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield files of the indexed revision with their bytes; none for one that the clone does not have."""
    asked = "".join(f"{repository.revision}:{path}\n" for path in paths)
    command = ["git", "-C", repository.location, "cat-file", "--batch"]
    printed = subprocess.run(command, input=asked.encode(), capture_output=True, check=True).stdout
    at = 0
    for path in paths:
        end = printed.index(b"\n", at)
        *_, kind, size = printed[at:end].rsplit(b" ", 2)
        is_there = kind == b"blob"
        start, at = end + 1, end + 1 + (int(size) + 1 if is_there else 0)
        yield path, printed[start : at - 1] if is_there else b""


def count_beside(repository: FleetRepository, roots: Collection[str]) -> Counter[str]:
    """Return word → its lines in the files that have one of the names by which a package is imported."""
    patterns = [word for root in roots for word in ("-e", root)]
    command = ["git", "-C", repository.location, "grep", "-lIwF", "--full-name", *patterns, repository.revision]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    files = read_files(repository, [line.partition(":")[2] for line in listed])
    return Counter(word for _, content in files for line in content.decode("utf-8", "replace").splitlines()
                   for word in set(_WORD.findall(line)))  # fmt: skip


def choose(
    questions: FleetQuestions, catalogue: Catalogue, count: int, seed: int, suffix: str = "", *, is_beside: bool = False
) -> list[Wanted]:
    """Return public definitions of packages that others import, and whose name one of those has.

    With `is_beside` it has the name in a file that names the package too; else most names mean something else there.
    """
    chance = random.Random(seed)
    repositories = {each.id: each for each in catalogue.list_repositories((EVERYONE,)) if each.revision}
    importers: dict[int, list[int]] = {}
    for number in repositories:
        packages = catalogue.read_packages(number)
        found = [each.id for each in catalogue.find_importers(packages, (EVERYONE,)) if each.id != number]
        if found:
            importers[number] = found
    pools = {
        number: _iter_definitions(questions, repositories[number], [repositories[user] for user in users],
                                  chance, suffix, _list_roots(catalogue, number) if is_beside else ())
        for number, users in importers.items()
    }  # fmt: skip
    chosen: list[Wanted] = []
    while pools and len(chosen) < count:
        for number in sorted(pools)[: count - len(chosen)]:
            one = next(pools[number], None)
            if one is None:
                del pools[number]
            else:
                chosen.append(one)
    return chosen


def _list_roots(catalogue: Catalogue, number: int) -> tuple[str, ...]:
    return tuple({each.root for each in catalogue.read_packages(number)})


def _iter_definitions(
    questions: FleetQuestions,
    owner: FleetRepository,
    users: list[FleetRepository],
    chance: random.Random,
    suffix: str,
    roots: tuple[str, ...],
) -> Iterator[Wanted]:
    code = questions.open_repository(owner).code
    names = [
        symbol.qualname
        for path in code.files
        if path.endswith(suffix) and role_of(path) is FileRole.PRODUCT
        for symbol in code.facts(path).symbols
        if symbol.kind in KINDS
        and len(symbol.name) >= MIN_NAME
        and symbol.exported
        and "._" not in f".{symbol.qualname}"
    ]
    unique = sorted(set(names))
    chance.shuffle(unique)
    beside = sum((count_beside(user, roots) for user in users), Counter[str]()) if roots else None
    for symbol in unique:
        name = symbol.rpartition(".")[2]
        found = beside[name] if beside is not None else sum(len(search_word(user, name)) for user in users)
        if 0 < found <= MAX_LINES:
            yield Wanted(owner.name, symbol)


def list_unaccounted(found: FleetUsages, asked: list[FleetRepository]) -> list[tuple[str, str, int]]:
    """Return the lines with the name, in repositories that were asked, that the answer does not have."""
    known: defaultdict[str, set[tuple[str, int]]] = defaultdict(set)
    for each in found.found:
        known[each.repository.name] |= {(one.usage.file, one.usage.line) for one in each.usages}
        known[each.repository.name] |= {(one.file, one.line) for one in each.possible}
    name = found.definition.name
    return [
        (each.name, path, line)
        for each in asked
        for path, line in sorted(search_word(each, name) - known[each.name])
        if not path.endswith((".md", ".rst", ".txt", ".xml", ".json"))
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fleet", required=True)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--cache", type=Path, help="keep what is fetched here")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as fresh:
        catalogue = Catalogue(given.fleet)
        settings = Settings(cache_directory=given.cache or Path(fresh))
        questions = FleetQuestions(catalogue, SegmentStore(catalogue.get_bucket()), settings)
        wanted = choose(questions, catalogue, given.count, given.seed)
        print(f"{len(wanted)} definitions of {len({each.owner for each in wanted})} repositories")
        repositories = {each.name: each for each in catalogue.list_repositories((EVERYONE,))}
        times: dict[str, list[float]] = {"first": [], "again": []}
        spent: list[float] = []
        complete = refused = 0
        for each in wanted:
            try:
                for seconds in times.values():
                    started, before = time.perf_counter(), time.process_time()
                    found = questions.ask_usages(each.symbol, (EVERYONE,), each.owner)
                    seconds.append(time.perf_counter() - started)
                spent.append(time.process_time() - before)
            except AvionicsError as error:
                refused += 1
                print(f"{each.owner}:{each.symbol}: {error}")
                continue
            asked = [repositories[name] for name in found.asked if name != each.owner]
            usages = sum(len(one.usages) for one in found.found if one.repository.name != each.owner)
            possible = sum(len(one.possible) for one in found.found if one.repository.name != each.owner)
            is_complete = all(one.is_complete for one in found.found) and not found.failed
            complete += is_complete
            rest = list_unaccounted(found, asked)
            print(f"{each.owner}:{each.symbol} asked {len(asked)} usages {usages} possible {possible} "
                  f"{'complete' if is_complete else 'open'} other lines {len(rest)} "
                  f"{', '.join(f'{name} {seconds[-1] * 1000:.0f} ms' for name, seconds in times.items())}",
                  flush=True)  # fmt: skip
            for name, path, line in rest[: given.show]:
                text = (Path(repositories[name].location) / path).read_text("utf-8", "replace").split("\n")[line - 1]
                print(f"    {name}:{path}:{line}: {text.strip()[:150]}")
        for state, seconds in {**times, "again, processor time": spent}.items():
            ordered = sorted(seconds)
            median, p95 = statistics.median(ordered) * 1000, ordered[int(len(ordered) * 0.95)] * 1000
            print(f"{state}: median {median:.0f} ms, p95 {p95:.0f} ms, worst {ordered[-1] * 1000:.0f} ms")
        print(f"{complete} of {len(wanted) - refused} called complete")
        questions.close()
        catalogue.close()


if __name__ == "__main__":
    main()
