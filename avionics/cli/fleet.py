"""`avionics fleet`: index many repositories into PostgreSQL and a bucket, and ask across them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import attrs
import click

from avionics.cli import text
from avionics.cli.options import examples, owner_option
from avionics.cli.output.exit_codes import ANSWERED, FAILED, NOTHING_FOUND
from avionics.model import ToolResult
from avionics.model.errors import MissingDependencyError, UsageError
from avionics.model.naming import plural
from avionics.settings import Settings
from avionics.tools.observers.telemetry import Metric, export_metrics

if TYPE_CHECKING:
    from avionics.fleet.catalogue import Catalogue, FleetRepository
    from avionics.fleet.segments import SegmentStore
    from avionics.fleet.webhooks import PushReceiver
    from avionics.fleet.work import WorkQueue
    from avionics.mcp.answers import Contents
    from avionics.mcp.registries.serving import Listening
    from avionics.tools.fleet.fleet_tools import FleetTools

_fleet_option = click.option(
    "--fleet", "url", metavar="URL", help="The PostgreSQL database.  [default: AVIONICS_FLEET]"
)
_groups_option = click.option(
    "--group", "groups", multiple=True, metavar="GROUP", help="An access group; may be repeated."
    "  [default: everyone; with add, a known repository keeps its groups]",
)  # fmt: skip


@click.group("fleet", epilog=examples(
    "avionics fleet init --bucket s3://facts/avionics --fleet postgresql://localhost/avionics",
    "avionics fleet add ~/clones", "avionics fleet sync && avionics fleet worker", "avionics fleet refs Cart.add",
))  # fmt: skip
def fleet_command() -> None:
    """Index many repositories, and ask across them.

    Facts are kept in PostgreSQL and a bucket.
    """


class _Fleet:
    """The stores of a fleet, opened when they are needed."""

    def __init__(self, url: str | None) -> None:
        self.settings: Settings = Settings.from_environment()
        self.url = url or self.settings.fleet.reveal()
        if not self.url:
            raise UsageError("no fleet given", hint="give --fleet postgresql://… or set AVIONICS_FLEET")
        try:
            from avionics.fleet.catalogue import Catalogue
        except ImportError as error:
            raise MissingDependencyError(
                f"{error.name} is not installed", hint="pip install 'avionics[fleet]'"
            ) from error
        self.catalogue: Catalogue = Catalogue(self.url)
        self.outcomes: Counter[str] = Counter()
        self.contents, self.seconds = 0, 0.0

    def open_segments(self, bucket: str | None = None) -> SegmentStore:
        from avionics.fleet.segments import SegmentStore

        return SegmentStore(bucket or self.catalogue.get_bucket())

    def list_known(self, names: Collection[str]) -> tuple[FleetRepository, ...]:
        """Return all repositories. Raises `UsageError` if a name is that of none."""
        from avionics.cross_repository.usages import require_known

        known = self.catalogue.list_repositories()
        require_known(names, {each.name for each in known})
        return known

    def open_queue(self) -> WorkQueue:
        from avionics.fleet.work import WorkQueue

        return WorkQueue(self.url, self._index, self.catalogue.note_problem)

    def list_worker_metrics(self) -> tuple[Metric, ...]:
        """Return what this process has indexed."""
        return (
            Metric("avionics_worker_jobs_total", "Finished jobs by outcome.",
                   lambda: [({"outcome": name}, count) for name, count in sorted(self.outcomes.copy().items())]),
            Metric("avionics_worker_contents_total", "Contents whose facts were new.", lambda: [({}, self.contents)]),
            Metric("avionics_worker_seconds_total", "The duration of jobs.", lambda: [({}, self.seconds)]),
        )  # fmt: skip

    def _index(self, number: int) -> bool:
        """Index the repository of a job, update the counters, and return whether nothing is left to do."""
        started, outcome = time.monotonic(), "failed"
        try:
            is_done = self._index_repository(number)
            outcome = "indexed"
        finally:
            self.outcomes[outcome] += 1
            self.seconds += time.monotonic() - started
        return is_done

    def _index_repository(self, number: int) -> bool:
        from avionics.cross_repository.indexing import index_repository
        from avionics.fleet.work import PUSH

        queue = self.open_queue()
        for repository in self.catalogue.get_repositories((number,)):
            done, is_done = index_repository(
                self.catalogue, self.open_segments(), self.settings, repository, lambda: queue.has_due(PUSH)
            )
            self.contents += len(done.facts)
            text.show_text(f"{repository.name}@{done.revision[:12]}: {len(done.facts)} new contents")
            return is_done
        return True


@contextmanager
def _open(url: str | None) -> Iterator[_Fleet]:
    fleet = _Fleet(url)
    try:
        yield fleet
    finally:
        fleet.catalogue.close()


@fleet_command.command("init")
@click.option(
    "--bucket", metavar="URL",
    help="s3://bucket/prefix, gs://…, az://… or a directory.  [default: where the fleet's segments are]",
)  # fmt: skip
@_fleet_option
def init_command(bucket: str | None, url: str | None) -> int:
    """Create the tables, or bring them to this version."""
    with _open(url) as fleet:
        given = bucket if bucket is None or "://" in bucket else str(Path(bucket).absolute())
        if given is None:
            steps = fleet.catalogue.create(given)
        else:
            segments = fleet.open_segments(given)
            segments.check()
            steps = fleet.catalogue.create(given, segments.has)
        fleet.open_queue().create()
        place = fleet.catalogue.get_bucket()
    text.show_text(f"{plural(steps, 'migration')} done; segments are kept in {place}")
    return ANSWERED


@fleet_command.command("add", epilog=examples(
    "avionics fleet add ~/clones", "avionics fleet add https://example.com/shop/cart.git",
    "avionics fleet add --forge github https://github.com/pallets --group engineering",
))  # fmt: skip
@click.argument("places", nargs=-1, required=True)
@click.option("--forge", type=click.Choice(("github", "gitlab", "gitea")),
              help="Each PLACE is an owner's page on a forge of this kind; adds all repositories there.")  # fmt: skip
@click.option("--name", metavar="NAME", help="The name of the repository.  [default: the last part of its place]")
@click.option("--ref", default="HEAD", show_default=True, help="The branch, tag or commit to index.")
@_groups_option
@_fleet_option
def add_command(
    places: tuple[str, ...], forge: str | None, name: str | None, ref: str, groups: tuple[str, ...], url: str | None
) -> int:
    """Add repositories, and queue them.

    Each PLACE is a clone, a directory of clones, a file that lists clones and URLs line by line, or the https URL of a
    repository. AVIONICS_FORGE_TOKENS has the tokens of private ones, as HOST=TOKEN.
    """
    with _open(url) as fleet:
        fleet.catalogue.get_bucket()
        from avionics.fleet.work import BACKFILL

        found = dict(each for place in places for each in _iter_places(place, forge, fleet.settings))
        if name and len(found) > 1:
            raise UsageError(f"--name is for one repository, not {len(found)}", hint="add them one by one")
        added = [fleet.catalogue.add(name or called, at, ref, groups) for at, called in found.items()]
        queued = fleet.open_queue().enqueue(tuple(added), BACKFILL)
    if not added:
        raise UsageError(
            f"no repository in {', '.join(places)}", hint="name a git clone, a directory of clones or a URL"
        )
    text.show_text(f"added {plural(len(added), 'repository')}; {queued} to index by `avionics fleet worker`")
    return ANSWERED


def _iter_places(place: str, forge: str | None, settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield the location and the name of each repository that a PLACE means."""
    from avionics.cross_repository.clones import is_url, require_clone_url
    from avionics.cross_repository.forges import Forge, list_owned

    if forge is not None:
        yield from ((each.url, each.name) for each in list_owned(place, Forge(forge), settings))
    elif is_url(place):
        yield require_clone_url(place), urlsplit(place).path.strip("/").removesuffix(".git")
    elif not Path(place).exists():
        raise UsageError(f"no such file or directory: {place}", hint="name a clone, a directory of clones or a URL")
    elif Path(place).is_file():
        for line in Path(place).read_text("utf-8").splitlines():
            if (entry := line.strip()) and not entry.startswith("#"):
                yield from _iter_places(entry if is_url(entry) else str(Path(place).parent / entry), None, settings)
    else:
        yield from ((str(clone), clone.name) for clone in _iter_clones(Path(place)))


def _iter_clones(place: Path) -> Iterator[Path]:
    """Yield the directory if it is a clone, else the clones in it."""
    path = place.resolve()
    if (path / ".git").exists():
        yield path
    else:
        yield from (each for each in sorted(path.iterdir()) if (each / ".git").exists())


@fleet_command.command("sync")
@click.argument("names", nargs=-1)
@_fleet_option
def sync_command(names: tuple[str, ...], url: str | None) -> int:
    """Queue repositories to be indexed again, by default all.

    They come before those that were never indexed.
    """
    with _open(url) as fleet:
        from avionics.fleet.work import PUSH

        found = [each for each in fleet.list_known(names) if not names or each.name in names]
        queue = fleet.open_queue()
        queue.rescue()
        queued = queue.enqueue(tuple(each.id for each in found), PUSH)
    text.show_text(f"{queued} of {plural(len(found), 'repository')} queued")
    return ANSWERED if found else NOTHING_FOUND


@fleet_command.command("worker")
@click.option("--drain", is_flag=True, help="Stop when no job is left.")
@_fleet_option
def worker_command(drain: bool, url: str | None) -> int:
    """Index queued repositories until it is stopped.

    Any number of workers may run, on any machines.
    """
    with _open(url) as fleet:
        fleet.catalogue.get_bucket()
        export_metrics(fleet.list_worker_metrics())
        fleet.open_queue().run(is_waiting=not drain)
    return ANSWERED


@fleet_command.command("status")
@_fleet_option
def status_command(url: str | None) -> int:
    """Show the repositories and the queue.

    Of each repository, shows the snapshot, its age, and why the last attempt to index it failed.
    """
    with _open(url) as fleet:
        bucket = fleet.catalogue.get_bucket()
        repositories = fleet.catalogue.list_repositories()
        state = fleet.open_queue().get_state()
    from avionics.tools.fleet.fleet_answer import describe_age

    for each in repositories:
        known = f"{each.revision[:12]} {describe_age(each.age)}" if each.revision else "not indexed"
        text.show_text(f"{each.name}  {known}" + (f"  failed: {each.problem}" if each.problem else ""))
    text.show_text(
        f"{plural(len(repositories), 'repository')}; queue: {state.waiting} waiting, {state.running} running, "
        f"{state.failed} failed; segments in {bucket}"
    )
    return FAILED if state.failed else ANSWERED


@fleet_command.command("remove")
@click.argument("names", nargs=-1, required=True)
@_fleet_option
def remove_command(names: tuple[str, ...], url: str | None) -> int:
    """Remove repositories.

    `avionics fleet gc` then deletes what no other repository has.
    """
    with _open(url) as fleet:
        fleet.list_known(names)
        count = fleet.catalogue.remove(names)
    text.show_text(f"removed {plural(count, 'repository')}")
    return ANSWERED


@fleet_command.command("gc")
@_fleet_option
def gc_command(url: str | None) -> int:
    """Delete what no snapshot needs from the catalogue and the bucket. Stop the workers first."""
    with _open(url) as fleet:
        segments = fleet.open_segments()
        gone = fleet.catalogue.collect()
        for digest in gone:
            segments.delete(digest)
    text.show_text(f"deleted {plural(len(gone), 'segment')}")
    return ANSWERED


@fleet_command.command("refs", epilog=examples("avionics fleet refs Cart.add", "avionics fleet refs Cart.add --json"))
@click.argument("symbol")
@owner_option
@click.option("--all", "is_all", is_flag=True, help="Show every usage, and possible ones.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@_groups_option
@_fleet_option
def refs_command(**given: Any) -> int:
    """List who uses a function, class or method.

    Searches every repository that the groups may see.
    """
    return show_usages(
        given["url"], given["symbol"], given["groups"], given["owner"],
        as_json=given["as_json"], is_all=given["is_all"],
    )  # fmt: skip


@contextmanager
def open_fleet_tools(url: str | None, groups: tuple[str, ...], timeout: float | None = None) -> Iterator[FleetTools]:
    """Open a fleet to ask it."""
    with _open(url) as fleet:
        from avionics.cross_repository.usages import FleetQuestions
        from avionics.fleet.catalogue import EVERYONE
        from avionics.tools.fleet.fleet_tools import LIMIT_SECONDS, FleetTools

        questions = FleetQuestions(fleet.catalogue, fleet.open_segments(), fleet.settings)
        try:
            member_of = groups or fleet.settings.fleet_groups or (EVERYONE,)
            yield FleetTools(questions, member_of, fleet.settings, timeout or LIMIT_SECONDS)
        finally:
            questions.close()


def ask_fleet(url: str, ask: Callable[[FleetTools], ToolResult], timeout: float | None = None) -> ToolResult:
    """Return the answer of a fleet to a question."""
    with open_fleet_tools(url, (), timeout) as fleet:
        return ask(fleet)


def serve_fleet(url: str, listening: Listening, contents: Contents, settings: Settings) -> None:
    """Serve the tools about a fleet, over http with webhooks, readiness and the state of the fleet in its metrics."""
    from avionics.fleet.webhooks import PushReceiver
    from avionics.mcp.registries.server import RegistryOptions
    from avionics.mcp.registries.serving import serve_registry
    from avionics.mcp.transports.routes import Routes
    from avionics.tools.fleet.fleet_registry import build_fleet_registry

    with _open(url) as state, open_fleet_tools(url, ()) as fleet:
        receiver = PushReceiver(state.catalogue, state.open_queue(), settings.webhook_secret)
        serve_registry(
            build_fleet_registry(fleet),
            # Questions share the workspaces that are open: the next one may close what it does not need.
            options=RegistryOptions(contents=contents, max_concurrent=1),
            settings=settings,
            **listening,
            routes=Routes(receiver.get_hooks(), state.catalogue.is_reachable, _list_metrics(state, receiver)),
        )


def _list_metrics(fleet: _Fleet, receiver: PushReceiver) -> tuple[Metric, ...]:
    """Return the state of a fleet, all groups together."""

    def count_repositories() -> Iterator[tuple[Mapping[str, str], float]]:
        repositories = fleet.catalogue.list_repositories()
        indexed = sum(each.age is not None for each in repositories)
        failing = sum(bool(each.problem) for each in repositories)
        for state, count in (("indexed", indexed), ("waiting", len(repositories) - indexed), ("failing", failing)):
            yield {"state": state}, count

    def count_jobs() -> Iterator[tuple[Mapping[str, str], float]]:
        for state, count in attrs.asdict(fleet.open_queue().get_state()).items():
            yield {"state": state}, count

    def read_oldest() -> Iterator[tuple[Mapping[str, str], float]]:
        ages = (each.age.total_seconds() for each in fleet.catalogue.list_repositories() if each.age is not None)
        yield {}, round(max(ages, default=0))

    return (
        Metric("avionics_fleet_repositories", "Repositories by state.", count_repositories),
        Metric("avionics_fleet_jobs", "Repositories in the queue by state.", count_jobs),
        Metric("avionics_fleet_oldest_snapshot_seconds", "The age of the oldest snapshot.", read_oldest),
        Metric("avionics_fleet_pushes_queued_total", "Pushes that were queued.", lambda: [({}, receiver.queued)]),
    )


def show_usages(
    url: str | None,
    symbol: str,
    groups: tuple[str, ...] = (),
    owner: str | None = None,
    *,
    as_json: bool = False,
    is_all: bool = False,
) -> int:
    """Print who uses a symbol in a fleet and return the exit code."""
    with open_fleet_tools(url, groups) as fleet:
        result = fleet.ask_usages(symbol, owner, is_all=is_all)
    if as_json:
        text.show_json(result.data)
    else:
        text.show_text(result.text)
    return text.exit_code(result)


def show_impact(url: str, changed: ToolResult, repo: Path, *, as_json: bool) -> int:
    """Print who in a fleet uses what was changed in a directory, and return the exit code.

    `changed` is the answer of `impact_of_change`; the fleet's repository with the name of the directory is taken for
    it.
    """
    from avionics.index.model.file_roles import FileRole, role_of

    if changed.answer is None:
        return text.show(changed, as_json)
    was = [(each.symbol, each.was.rpartition(":")[0]) for each in changed.answer.changes]
    symbols = [symbol for symbol, file in was if file and role_of(file) is FileRole.PRODUCT]
    if not symbols:
        text.show_text("no definition changed that another repository could use")
        return NOTHING_FOUND
    return text.show(ask_fleet(url, lambda fleet: fleet.ask_impact(symbols, repo.resolve().name)), as_json)
