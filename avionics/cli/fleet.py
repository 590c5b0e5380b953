"""`avionics fleet`: index many repositories into PostgreSQL and a bucket, and ask across them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from avionics.cli import text
from avionics.cli.options import ANSWERED, FAILED, NOTHING_FOUND, examples
from avionics.model.errors import MissingDependencyError, UsageError
from avionics.tools.answers.items import plural

if TYPE_CHECKING:
    from avionics.cross_repository.usages import FleetUsages, RepositoryUsages
    from avionics.fleet.catalogue import Catalogue
    from avionics.fleet.segments import SegmentStore
    from avionics.fleet.work import WorkQueue
    from avionics.settings import Settings

_MAX_SHOWN = 20
_fleet_option = click.option(
    "--fleet", "url", metavar="URL", help="The PostgreSQL database.  [default: AVIONICS_FLEET]"
)
_groups_option = click.option(
    "--group", "groups", multiple=True, metavar="GROUP", help="An access group; may be repeated.  [default: everyone]"
)


@click.group("fleet", epilog=examples(
    "avionics fleet init --bucket s3://facts/avionics --fleet postgresql://localhost/avionics",
    "avionics fleet add ~/clones", "avionics fleet sync && avionics fleet worker", "avionics fleet refs Cart.add",
))  # fmt: skip
def fleet_command() -> None:
    """Index many repositories into PostgreSQL and a bucket, and ask across them."""


class _Fleet:
    """The stores of a fleet, opened when they are needed."""

    def __init__(self, url: str | None) -> None:
        from avionics.settings import Settings

        self.settings: Settings = Settings.from_environment()
        self.url = url or self.settings.fleet.reveal()
        if not self.url:
            raise UsageError("no fleet is named", hint="give --fleet postgresql://… or set AVIONICS_FLEET")
        try:
            from avionics.fleet.catalogue import Catalogue
        except ImportError as error:
            raise MissingDependencyError(
                f"{error.name} is not installed", hint="pip install 'avionics[fleet]'"
            ) from error
        self.catalogue: Catalogue = Catalogue(self.url)

    def open_segments(self) -> SegmentStore:
        from avionics.fleet.segments import SegmentStore

        return SegmentStore(self.catalogue.get_bucket())

    def open_queue(self) -> WorkQueue:
        from avionics.fleet.work import WorkQueue

        return WorkQueue(self.url, self._index, self.catalogue.note_problem)

    def _index(self, number: int) -> None:
        """Index a repository, as a job asks."""
        from avionics.cross_repository.indexing import index_repository

        for repository in self.catalogue.list_repositories():
            if repository.id == number:
                done = index_repository(self.catalogue, self.open_segments(), self.settings, repository)
                text.show_text(f"{repository.name}@{done.revision[:12]}: {len(done.facts)} new contents")


@contextmanager
def _open(url: str | None) -> Iterator[_Fleet]:
    fleet = _Fleet(url)
    try:
        yield fleet
    finally:
        fleet.catalogue.close()


@fleet_command.command("init")
@click.option("--bucket", required=True, metavar="URL", help="s3://bucket/prefix, gs://…, az://… or a directory.")
@_fleet_option
def init_command(bucket: str, url: str | None) -> int:
    """Create the tables, or bring them to this version."""
    with _open(url) as fleet:
        steps = fleet.catalogue.create(bucket if "://" in bucket else str(Path(bucket).absolute()))
        fleet.open_segments()
        fleet.open_queue().create()
    text.show_text(f"{plural(steps, 'migration')} done; segments are kept in {bucket}")
    return ANSWERED


@fleet_command.command("add")
@click.argument("places", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--ref", default="HEAD", show_default=True, help="The branch, tag or commit to index.")
@_groups_option
@_fleet_option
def add_command(places: tuple[Path, ...], ref: str, groups: tuple[str, ...], url: str | None) -> int:
    """Add clones, directories of clones, or files that list clones line by line, and queue them."""
    with _open(url) as fleet:
        fleet.catalogue.get_bucket()
        from avionics.fleet.catalogue import EVERYONE
        from avionics.fleet.work import BACKFILL

        clones = dict.fromkeys(clone for place in places for clone in _iter_clones(place))
        added = [fleet.catalogue.add(each.name, str(each), ref, groups or (EVERYONE,)) for each in clones]
        queued = fleet.open_queue().enqueue(tuple(added), BACKFILL)
    if not added:
        raise UsageError("no clone is there", hint="name a git clone or a directory of clones")
    text.show_text(f"added {plural(len(added), 'repository')}; {queued} to index by `avionics fleet worker`")
    return ANSWERED


def _iter_clones(place: Path) -> Iterator[Path]:
    """Yield the clones that a path means."""
    path = place.resolve()
    if path.is_file():
        for line in path.read_text("utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                yield from _iter_clones(path.parent / line.strip())
    elif (path / ".git").exists():
        yield path
    else:
        yield from (each for each in sorted(path.iterdir()) if (each / ".git").exists())


@fleet_command.command("sync")
@click.argument("names", nargs=-1)
@_fleet_option
def sync_command(names: tuple[str, ...], url: str | None) -> int:
    """Queue repositories, by default all, before those that were never indexed."""
    with _open(url) as fleet:
        from avionics.fleet.work import PUSH

        found = [each for each in fleet.catalogue.list_repositories() if not names or each.name in names]
        queue = fleet.open_queue()
        queue.rescue()
        queued = queue.enqueue(tuple(each.id for each in found), PUSH)
    text.show_text(f"{queued} of {plural(len(found), 'repository')} queued")
    return ANSWERED if found else NOTHING_FOUND


@fleet_command.command("worker")
@click.option("--drain", is_flag=True, help="Stop when no job is left.")
@_fleet_option
def worker_command(drain: bool, url: str | None) -> int:
    """Index queued repositories until it is stopped; any number may run on any machines."""
    with _open(url) as fleet:
        fleet.catalogue.get_bucket()
        fleet.open_queue().run(is_waiting=not drain)
    return ANSWERED


@fleet_command.command("status")
@_fleet_option
def status_command(url: str | None) -> int:
    """Show each repository's snapshot, its age and its problem, and the queue."""
    with _open(url) as fleet:
        bucket = fleet.catalogue.get_bucket()
        repositories = fleet.catalogue.list_repositories()
        state = fleet.open_queue().get_state()
    for each in repositories:
        known = f"{each.revision[:12]} {_age(each.indexed)}" if each.revision else "not indexed"
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
    """Remove repositories; `avionics fleet gc` then deletes what no other has."""
    with _open(url) as fleet:
        count = fleet.catalogue.remove(names)
    text.show_text(f"removed {plural(count, 'repository')}")
    return ANSWERED if count else NOTHING_FOUND


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
@click.option("--owner", metavar="REPOSITORY", help="The repository that defines it, if several do.")
@click.option("--all", "is_all", is_flag=True, help="Show every usage, and possible ones.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@_groups_option
@_fleet_option
def refs_command(**given: Any) -> int:
    """List who uses a function, class or method, in every repository that the groups may see."""
    return ask_fleet(given["url"], given["symbol"], given["groups"], given["owner"], given["as_json"], given["is_all"])


def ask_fleet(
    url: str | None,
    symbol: str,
    groups: tuple[str, ...] = (),
    owner: str | None = None,
    as_json: bool = False,
    is_all: bool = False,
) -> int:
    """Print who uses a symbol in a fleet and return the exit code."""
    with _open(url) as fleet:
        from avionics.cross_repository.usages import FleetQuestions
        from avionics.fleet.catalogue import EVERYONE

        questions = FleetQuestions(fleet.catalogue, fleet.open_segments(), fleet.settings)
        try:
            found = questions.ask_usages(symbol, groups or fleet.settings.fleet_groups or (EVERYONE,), owner)
        finally:
            questions.close()
    if as_json:
        text.show_json(to_json(found))
    else:
        _show(found, None if is_all else _MAX_SHOWN)
    return ANSWERED if found.found else NOTHING_FOUND


def _show(found: FleetUsages, limit: int | None) -> None:
    total = sum(len(each.usages) for each in found.found)
    packages = f" ({', '.join(found.packages)})" if found.packages else ""
    place = f"{found.owner}:{found.definition.file}:{found.definition.line}"
    where = plural(sum(bool(each.usages) for each in found.found), "repository")
    text.show_text(f"{found.definition.symbol.qualname}, {place}{packages}: {plural(total, 'usage')} in {where}")
    for each in found.found:
        _show_repository(each, limit)
    failed = "".join(f"\n{name} could not be asked: {why}" for name, why in found.failed)
    waiting = f"; {len(found.unindexed)} not indexed yet" if found.unindexed else ""
    asked = f"{found.asked} of {plural(found.visible, 'repository')} asked"
    text.show_text(f"\n[{asked}: the others do not import it{waiting}]{failed}")


def _show_repository(each: RepositoryUsages, limit: int | None) -> None:
    more = "" if each.is_complete else f", {len(each.possible)} possible" if each.possible else ", perhaps more"
    count = plural(len(each.usages), "usage")
    text.show_text(f"\n{each.repository}@{each.revision[:12]} ({_age(each.indexed)}): {count}{more}")
    for cited in each.usages[:limit]:
        use = cited.usage
        text.show_text(
            f"{each.repository}@{each.revision[:12]}:{use.file}:{use.line} {use.role.value}  {cited.text[:120]}"
        )
    if limit is not None and len(each.usages) > limit:
        text.show_text(f"… {len(each.usages) - limit} more; --all shows them")
    for possible in each.possible if limit is None else ():
        text.show_text(f"possible: {each.repository}@{each.revision[:12]}:{possible.file}:{possible.line}")


def to_json(found: FleetUsages) -> dict[str, Any]:
    """Return an answer as plain data."""
    return {
        "definition": {"repository": found.owner, "file": found.definition.file, "line": found.definition.line},
        "packages": list(found.packages),
        "repositories": [
            {
                "repository": each.repository,
                "revision": each.revision,
                "indexed": each.indexed.isoformat() if each.indexed else None,
                "complete": each.is_complete,
                "usages": [
                    {"file": one.usage.file, "line": one.usage.line, "column": one.usage.column,
                     "role": one.usage.role.value, "evidence": one.usage.evidence.value, "text": one.text}
                    for one in each.usages
                ],
                "possible": [{"file": one.file, "line": one.line} for one in each.possible],
            }
            for each in found.found
        ],
        "coverage": {
            "visible": found.visible, "asked": found.asked, "unindexed": list(found.unindexed),
            "failed": [{"repository": name, "because": why} for name, why in found.failed],
        },
    }  # fmt: skip


def _age(moment: datetime | None) -> str:
    """Return how long ago a moment was."""
    if moment is None:
        return "never"
    seconds = max(0.0, (datetime.now(UTC) - moment).total_seconds())
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size:.0f} {unit} old"
    return f"{seconds:.0f} s old"
