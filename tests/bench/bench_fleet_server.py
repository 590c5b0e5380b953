"""Compare usages across the repositories of a fleet with a language server on one checkout of all of them.

    python tests/bench/bench_fleet_server.py --fleet URL --suffix .py --count 100 pyright-langserver --stdio
    python tests/bench/bench_fleet_server.py --fleet URL --suffix .go --count 100 gopls
    python tests/bench/bench_fleet_server.py --fleet URL --suffix .ts --count 100 typescript-language-server --stdio
    python tests/bench/bench_fleet_server.py --fleet URL --suffix .rs --count 100 rust-analyzer

The fleet's repositories must be clones on this machine. The files of all that have sources with the suffix, and that
import another or are imported, are laid into one directory, at the revisions that were indexed. There Python
repositories find each other by search paths, Go modules by a `go.work`, packages of npm by links in `node_modules` and
by `paths`, and crates by a `rust-project.json`; what none of the repositories has is missing. Public functions, methods
and classes are chosen as in `bench_fleet_usages.py`, but only those whose name is in a file of another repository that
names the package too. Their usages in other repositories are compared by line: a line that the server lists, but from
which it does not lead back to the definition, counts neither way, and one that only the fleet lists counts as wrong if
the server leads from there to something else. An answer that is called complete although a line of the server's is
missing is a false one. Calls through an interface of Go are counted apart where the server does not list them as usages
of the implementation.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import attrs

from avionics.cross_repository.usages import FleetQuestions, FleetUsages
from avionics.fleet.catalogue import EVERYONE, Catalogue, FleetRepository
from avionics.fleet.segments import SegmentStore
from avionics.model.enums import Evidence
from avionics.model.errors import AvionicsError
from avionics.settings import Settings
from tests.bench.bench_fleet_usages import Wanted, choose, read_files
from tests.bench.language_server import Place, Server, ServerEndedError, write_rust_project, write_typescript_project

_MOST_REFERENCES = 300
_ENDS = {
    ".py": (".py", ".pyi"),
    ".go": (".go", "go.mod"),
    ".ts": (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", "package.json"),
    ".rs": (".rs", "Cargo.toml"),
}
"""How the names of the files end that are laid out."""


@attrs.frozen
class Laid:
    """One checkout of many repositories.

    Attributes:
        root: Its directory.
        places: Repository → its directory below the root.
    """

    root: Path
    places: dict[str, str]

    def split_path(self, file: str) -> tuple[str, str]:
        """Return the repository of a file, the innermost one, and the path in it."""
        found = max((each for each in self.places.items() if file.startswith(f"{each[1]}/")), key=lambda e: len(e[1]),
                    default=("", ""))  # fmt: skip
        return found[0], file.removeprefix(f"{found[1]}/")


def lay(repositories: list[FleetRepository], suffix: str, root: Path) -> Laid:
    """Write the files of the repositories into one directory, and what makes a server find one from another."""
    places = {}
    for each in repositories:
        listed = subprocess.run(["git", "-C", each.location, "ls-tree", "-r", "--name-only", each.revision],
                                capture_output=True, text=True, check=True).stdout.splitlines()  # fmt: skip
        if sum(path.endswith(suffix) for path in listed) < 3:
            continue
        wanted = [path for path in listed if path.endswith(_ENDS[suffix])]
        for path, content in read_files(each, wanted):
            (root / each.name / path).parent.mkdir(parents=True, exist_ok=True)
            (root / each.name / path).write_bytes(content)
        places[each.name] = each.name
    if suffix == ".py":
        _write_search_paths(root, places)
    elif suffix == ".go":
        _write_go_workspace(root)
    elif suffix == ".ts":
        _write_packages(root)
    elif suffix == ".rs":
        files = tuple(path.relative_to(root).as_posix() for path in root.rglob("*.rs"))
        write_rust_project(root, root, files)
    return Laid(root, places)


def _list_linked(catalogue: Catalogue) -> list[FleetRepository]:
    """Return the repositories that import another one or that another one imports."""
    indexed = {each.id: each for each in catalogue.list_repositories((EVERYONE,)) if each.revision}
    pairs = catalogue.list_import_pairs(tuple(indexed), (EVERYONE,))
    return [indexed[each] for each in sorted({each for pair in pairs for each in pair})]


def _write_search_paths(root: Path, places: dict[str, str]) -> None:
    """Let each repository find its own modules first, then those of the others."""
    tops = {name: f"{place}/src" if (root / place / "src").is_dir() else place for name, place in places.items()}
    environments = [
        {"root": place, "extraPaths": [tops[name], *(top for other, top in tops.items() if other != name)]}
        for name, place in places.items()
    ]
    config = {"include": ["."], "useLibraryCodeForTypes": True, "executionEnvironments": environments}
    (root / "pyrightconfig.json").write_text(json.dumps(config))


def _write_go_workspace(root: Path) -> None:
    """Make one workspace of all modules, without what they require: nothing is fetched."""
    modules: dict[str, Path] = {}
    for manifest in sorted(root.rglob("go.mod"), key=lambda path: len(path.parts)):
        match = re.search(r"(?m)^module\s+(\S+)", manifest.read_text("utf-8", "replace"))
        name = match[1].strip('"') if match else ""
        if name and modules.setdefault(name, manifest.parent) == manifest.parent:
            manifest.write_text(f"module {name}\n\ngo 1.19\n")
        else:
            manifest.unlink()
    for lock in (*root.rglob("go.sum"), *root.rglob("go.work")):
        lock.unlink()
    used = "".join(f"\t./{place.relative_to(root)}\n" for place in modules.values())
    (root / "go.work").write_text(f"go 1.19\n\nuse (\n{used})\n")


def _write_packages(root: Path) -> None:
    """Let packages of npm find each other's sources."""
    for config in root.rglob("tsconfig*.json"):
        config.unlink()
    write_typescript_project(root, {})


def ask_server(server: Server, laid: Laid, found: FleetUsages) -> tuple[set[Place], set[Place]] | None:
    """Return the lines in other repositories that use a definition, and those that count neither way.

    Return None if the server does not know the definition.
    """
    at = (f"{laid.places[found.owner]}/{found.definition.file}", found.definition.line, found.definition.symbol.column)
    if not (laid.root / at[0]).is_file():
        return None
    server.open(at[0])
    homes = {each[:2] for each in server.places("textDocument/definition", at)}
    if at[:2] not in homes:
        return None
    listed = server.places("textDocument/references", at, context={"includeDeclaration": False})
    expected: set[Place] = set()
    neutral: set[Place] = set()
    for place in listed[:_MOST_REFERENCES]:
        if laid.split_path(place[0])[0] in {found.owner, ""}:
            continue
        server.open(place[0])
        leads = {each[:2] for each in server.places("textDocument/definition", place)}
        (expected if leads & homes else neutral).add(place[:2])
    return (expected, neutral - expected) if len(listed) <= _MOST_REFERENCES else None


def is_refuted(server: Server, place: Place, found: FleetUsages, laid: Laid) -> bool:
    """Return whether the server says that the name on a line of ours is defined elsewhere."""
    text = (laid.root / place[0]).read_text("utf-8", "replace").split("\n")[place[1] - 1]
    home = (f"{laid.places[found.owner]}/{found.definition.file}", found.definition.line)
    leads: set[Place] = set()
    server.open(place[0])
    for match in re.finditer(rf"\b{re.escape(found.definition.name)}\b", text):
        leads |= {each[:2] for each in server.places("textDocument/definition", (*place, match.start()))}
    return bool(leads) and home not in leads


def measure(questions: FleetQuestions, start: Callable[[], Server], laid: Laid, wanted: list[Wanted]) -> None:
    """Print the figures, and what only one of the two lists."""
    counts: Counter[str] = Counter()
    server = start()
    times = []
    for each in wanted:
        try:
            questions.ask_usages(each.symbol, (EVERYONE,), each.owner)
            started = time.perf_counter()
            found = questions.ask_usages(each.symbol, (EVERYONE,), each.owner)
        except AvionicsError as error:
            print(f"{each.owner}:{each.symbol}: {error}")
            counts["refused"] += 1
            continue
        times.append(time.perf_counter() - started)
        try:
            answer = ask_server(server, laid, found) if found.owner in laid.places else None
        except (SystemExit, ServerEndedError):
            print(f"{each.owner}:{each.symbol}: the server ended; another is started")
            server, answer = start(), None
        if answer is None:
            counts["not known to the server"] += 1
            continue
        expected, neutral = answer
        others = [
            one for one in found.found if one.repository.name in laid.places and one.repository.name != each.owner
        ]
        all_ours = {(f"{laid.places[one.repository.name]}/{use.usage.file}", use.usage.line): use.usage.evidence
                    for one in others for use in one.usages}  # fmt: skip
        through = {place for place, evidence in all_ours.items() if evidence is Evidence.INTERFACE} - expected
        ours = all_ours.keys() - through
        possible = {(f"{laid.places[one.repository.name]}/{use.file}", use.line)
                    for one in others for use in one.possible}  # fmt: skip
        lost = expected - ours
        extra = {place for place in ours - expected - neutral if is_refuted(server, place, found, laid)}
        is_complete = all(one.is_complete for one in found.found) and not found.failed
        unknown = len(ours - expected - neutral - extra)
        counts.update(asked=1, common=len(expected & ours), missing=len(lost), more=len(extra), unknown=unknown,
                      through=len(through), possible=len(lost & possible), complete=is_complete,
                      false=is_complete and bool(lost), used=bool(expected))  # fmt: skip
        said = "FALSE" if is_complete and lost else "complete" if is_complete else "open"
        print(f"{each.owner}:{each.symbol} theirs {len(expected)} ours {len(ours)} possible {len(possible)} {said}",
              flush=True)  # fmt: skip
        for what, places in (("missing", lost), ("more", extra)):
            for file, line in sorted(places)[:4]:
                text = (laid.root / file).read_text("utf-8", "replace").split("\n")[line - 1].strip()
                print(f"    {what}{' (possible)' if (file, line) in possible else ''} {file}:{line}: {text[:110]}")
    server.close()
    common, missing, more = counts["common"], counts["missing"], counts["more"]
    print(f"{counts['asked']} definitions, {counts['used']} of them used elsewhere; "
          f"{counts['not known to the server']} not known to the server, {counts['refused']} refused")  # fmt: skip
    precision, recall = common / max(common + more, 1), common / max(common + missing, 1)
    f1 = 2 * common / max(2 * common + missing + more, 1)
    print(f"precision {precision:.4f} recall {recall:.4f} F1 {f1:.4f} ({common} common, {missing} missing, of which "
          f"{counts['possible']} are possible usages, {more} more, {counts['unknown']} not judged; "
          f"{counts['through']} more through an interface)")  # fmt: skip
    print(f"called complete: {counts['complete']}, of those with a usage missing: {counts['false']}")
    times.sort()
    print(f"again: median {times[len(times) // 2] * 1000:.0f} ms, p95 {times[int(len(times) * 0.95)] * 1000:.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fleet", required=True)
    parser.add_argument("--suffix", required=True)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--cache", type=Path, help="keep what is fetched here")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        catalogue = Catalogue(given.fleet)
        settings = Settings(cache_directory=given.cache or Path(scratch) / "cache")
        questions = FleetQuestions(catalogue, SegmentStore(catalogue.get_bucket()), settings)
        laid = lay(_list_linked(catalogue), given.suffix, (Path(scratch) / "checkout").resolve())
        wanted = choose(questions, catalogue, given.count, given.seed, given.suffix, is_beside=True)
        print(f"{len(laid.places)} repositories laid out; {len(wanted)} definitions of "
              f"{len({each.owner for each in wanted})} of them", flush=True)  # fmt: skip
        environment = {**os.environ, "GOPROXY": "off", "GOFLAGS": "", "NODE_OPTIONS": "--max-old-space-size=6000"}
        command = [shutil.which(given.command[0]) or given.command[0], *given.command[1:]]

        def start() -> Server:
            server = Server(command, laid.root, environment)
            server.wait()
            return server

        measure(questions, start, laid, wanted)
        questions.close()
        catalogue.close()


if __name__ == "__main__":
    main()
