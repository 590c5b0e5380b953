"""The catalogue: repositories, who may see them, what their snapshots contain, and where that is kept."""

from __future__ import annotations

import hashlib
import json
import threading
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime, timedelta
from typing import Any, LiteralString

import attrs
import psycopg
from psycopg import Connection

from avionics.fleet.connection import connect, get_version, list_versions, migrate, translated_errors
from avionics.model.errors import RemoteError, UsageError

BlobName = tuple[str, str]
"""A git blob id and the language that its bytes are read in."""

EVERYONE = "everyone"
"""The group of repositories that name no other."""

_USERS = """CROSS JOIN LATERAL (
    SELECT repository FROM imported_names WHERE manager = packages.manager AND root = packages.root
    UNION ALL SELECT repository FROM imported_names WHERE manager = packages.manager
        AND root ~>=~ (packages.root || '/') AND root ~<~ (packages.root || '0')) AS users"""
"""The repositories that import the root of a package or a path below it: `0` is the character after `/`."""

_INIT_HINT = "run `avionics fleet init --bucket URL`"
_MAX_NAME_BYTES = 500
"""PostgreSQL indexes only rows of less than 2,700 bytes; names take a few dozen, but an import may be a data URL."""

_BUCKETS = 64
"""The number of parts into which defined names are divided by their hash; a look-up reads one of them."""

_PIECE_BYTES, _ELEMENT_BYTES = 1200, 7
"""The size of the names in one row, and what PostgreSQL takes for one beside its bytes, alignment included."""


class SnapshotReplacedError(RemoteError):
    """A repository was indexed again or removed while a question was answered from its last snapshot."""


@attrs.frozen
class FleetRepository:
    """A repository of the fleet.

    Attributes:
        id: Its number in the catalogue.
        name: Its name, as answers show it.
        location: The directory or URL of the clone.
        ref: What is indexed, such as HEAD.
        revision: The commit that was indexed, "" if none was.
        indexed: When that was.
        problem: Why the last attempt failed, "" if it did not.
        age: How long ago it was indexed, by the clock of the database.
    """

    id: int
    name: str
    location: str
    ref: str
    revision: str
    indexed: datetime | None
    problem: str
    age: timedelta | None


@attrs.frozen
class FleetFile:
    """A file of a snapshot."""

    path: str
    oid: str
    language: str
    size: int


@attrs.frozen
class PublishedPackage:
    """A package of a repository and one name under which it is imported."""

    manager: str
    name: str
    version: str
    directory: str
    root: str


@attrs.frozen
class FleetSnapshot:
    """What one indexing of a repository writes.

    Attributes:
        revision: The commit.
        files: Its files.
        packages: What it publishes.
        imports: The package managers and roots of what it imports.
        names: The folded names that it defines.
        stems: The stems of the words in its files and paths.
        facts: Content → the digest of the segment with its facts, for new contents.
        contents: Blob id → digest of the segment with its bytes, where they start there, and how many there are.
        segments: Digest → size of the new segments.
        extractor: The version of the extractor.
    """

    revision: str
    files: tuple[FleetFile, ...]
    packages: tuple[PublishedPackage, ...]
    imports: frozenset[tuple[str, str]]
    names: frozenset[str]
    stems: frozenset[str]
    facts: Mapping[BlobName, bytes]
    contents: Mapping[str, tuple[bytes, int, int]]
    segments: Mapping[bytes, int]
    extractor: int


class Catalogue:
    """The catalogue at a PostgreSQL URL. Any method may raise `RemoteError`."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._connection: Connection | None = None
        self._lock = threading.RLock()

    def close(self) -> None:
        """Close the connection; may be called twice."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """Yield a connection in a transaction; replace one that broke since the last question."""
        with translated_errors(), self._lock, ExitStack() as stack:
            if self._connection is not None and not self._connection.closed:
                with suppress(psycopg.OperationalError):
                    stack.enter_context(self._connection.transaction())
            if self._connection is None or self._connection.closed:
                self._connection = connect(self.url)
                stack.enter_context(self._connection.transaction())
            yield self._connection

    def _select(self, query: LiteralString, values: Mapping[str, object] | Sequence[object]) -> list[Any]:
        """Return the rows of a query, in one round trip; a connection that broke since the last one is replaced.

        PostgreSQL plans each with its values. A generic plan would assume that every caller sees 1 % of the
        repositories.
        """
        with translated_errors(), self._lock:
            if self._connection is not None and not self._connection.closed:
                with suppress(psycopg.OperationalError):
                    return self._connection.execute(query, values, prepare=False).fetchall()
            if self._connection is None or self._connection.closed:
                self._connection = connect(self.url)
            return self._connection.execute(query, values, prepare=False).fetchall()

    def create(self, bucket: str | None, is_there: Callable[[bytes], bool] | None = None) -> int:
        """Create or update the tables, and return how many migrations ran.

        Args:
            bucket: Where the segments are from now on; None if they stay where they are.
            is_there: Returns whether the bucket has a segment; None if that does not matter.

        Raises:
            UsageError: There are no tables yet, and no bucket is given; or the bucket lacks the fleet's segments.
        """
        with self._writing() as connection:
            if bucket is None and not get_version(connection):
                raise UsageError("a new fleet needs a bucket", hint=_INIT_HINT)
            steps = migrate(connection)
            if bucket is not None:
                last = connection.execute("SELECT digest FROM segments ORDER BY made DESC LIMIT 1").fetchone()
                if last is not None and is_there is not None and not is_there(bytes(last[0])):
                    reason = f"{bucket} lacks the segments of this fleet"
                    raise UsageError(reason, hint="copy the old bucket there first")
                query = "INSERT INTO fleet_settings VALUES ('bucket', %s) ON CONFLICT (name) DO UPDATE SET value = %s"
                connection.execute(query, (bucket, bucket))
        return steps

    def get_bucket(self) -> str:
        """Return where the segments are. Raise `UsageError` if there is no catalogue of this version."""
        with self._writing() as connection:
            version = get_version(connection)
            if version != max(list_versions()):
                problem = f"the catalogue has version {version}, not {max(list_versions())}"
                if not version:
                    raise UsageError("this database has no fleet yet", hint=_INIT_HINT)
                raise UsageError(problem, hint="run `avionics fleet init`")
            row = connection.execute("SELECT value FROM fleet_settings WHERE name = 'bucket'").fetchone()
        assert row is not None
        return str(row[0])

    def add(self, name: str, location: str, ref: str, groups: Collection[str] = ()) -> int:
        """Add a repository or change it, and return its number.

        Without groups, a known repository keeps its own, and everyone may see a new one. Raise `UsageError` if a
        repository elsewhere has the name; its snapshot would get the groups of this one.
        """
        if not all(each.isprintable() and _is_storable(each) for each in (name, location, ref, *groups)):
            reason = f"the name, place, ref or groups of {name!r} cannot be stored"
            raise UsageError(reason, hint="use at most 500 bytes and no control characters")
        query = """INSERT INTO repositories AS known (name, location, ref, groups) VALUES (%s, %s, %s, %s)
            ON CONFLICT (name) DO UPDATE SET ref = excluded.ref,
            groups = CASE WHEN %s THEN excluded.groups ELSE known.groups END
            WHERE known.location = excluded.location RETURNING id"""
        given = (name, location, ref, sorted(groups) or [EVERYONE], bool(groups))
        with self._writing() as connection:
            row = connection.execute(query, given).fetchone()
        if row is None:
            raise UsageError(
                f"the name {name!r} is taken by another repository", hint="give --name, or remove the other first"
            )
        return int(row[0])

    def remove(self, names: Collection[str]) -> int:
        """Remove repositories and return how many there were; `collect` drops what nothing needs any more."""
        with self._writing() as connection:
            return connection.execute("DELETE FROM repositories WHERE name = ANY(%s)", (list(names),)).rowcount

    def _select_repositories(
        self, groups: Collection[str] | None, condition: LiteralString = "true ORDER BY name", **values: object
    ) -> tuple[FleetRepository, ...]:
        """Return the repositories that members of any of the groups may see and that meet a condition."""
        query = f"""SELECT id, name, location, ref, coalesce(revision, ''), indexed, coalesce(problem, ''),
            now() - indexed
            FROM repositories LEFT JOIN snapshots ON snapshots.repository = id
            WHERE (%(groups)s::text[] IS NULL OR groups && %(groups)s::text[]) AND {condition}"""  # noqa: S608
        given = {**values, "groups": None if groups is None else list(groups)}
        return tuple(FleetRepository(*row) for row in self._select(query, given))

    def list_repositories(self, groups: Collection[str] | None = None) -> tuple[FleetRepository, ...]:
        """Return the repositories that members of any of the groups may see, by name; all of them for None."""
        return self._select_repositories(groups)

    def get_repositories(
        self, numbers: Collection[int], groups: Collection[str] | None = None
    ) -> tuple[FleetRepository, ...]:
        """Return those of some repositories that exist and that members of any of the groups may see."""
        return self._select_repositories(groups, "id = ANY(%(numbers)s)", numbers=list(numbers)) if numbers else ()

    def count_visible(self, groups: Collection[str]) -> tuple[int, tuple[str, ...]]:
        """Return how many repositories members of any of the groups may see, and which of them have no snapshot."""
        query = """SELECT count(*), array_agg(name ORDER BY name) FILTER (WHERE revision IS NULL)
            FROM repositories LEFT JOIN snapshots ON repository = id WHERE groups && %s::text[]"""
        ((count, unindexed),) = self._select(query, (list(groups),))
        return count, tuple(unindexed or ())

    def find_at(self, name: str, locations: Collection[str]) -> tuple[int, ...]:
        """Return the repositories that have a name or are at one of some locations; `.git` at the end is ignored."""
        places = [each.removesuffix(".git") for each in locations if _is_storable(each)]
        query = """SELECT id FROM repositories WHERE name = %s OR regexp_replace(location, '[.]git$', '') = ANY(%s)"""
        return tuple(row[0] for row in self._select(query, (name if _is_storable(name) else "", places)))

    def is_reachable(self) -> bool:
        """Return whether the database answers and has tables of this version."""
        try:
            return bool(self.get_bucket())
        except (RemoteError, UsageError):
            return False

    def note_problem(self, repository: int, problem: str) -> None:
        """Note why a repository could not be indexed, "" if it was."""
        text = problem.encode("utf-8", "replace").decode().replace("\0", "")
        with self._writing() as connection:
            connection.execute("UPDATE repositories SET problem = nullif(%s, '') WHERE id = %s", (text, repository))

    def find_unknown(self, blobs: Collection[BlobName], extractor: int) -> tuple[frozenset[BlobName], frozenset[str]]:
        """Return the contents whose facts no segment has, and the blob ids whose bytes none has."""
        oids = _to_oids(blobs)
        rows = self._select("SELECT oid, language FROM facts WHERE oid = ANY(%s) AND extractor = %s", (oids, extractor))
        held = self._select("SELECT oid FROM contents WHERE oid = ANY(%s)", (oids,))
        known = {(bytes(oid).hex(), language) for oid, language in rows}
        bytes_known = {bytes(oid).hex() for (oid,) in held}
        return frozenset(blobs) - known, frozenset(oid for oid, _ in blobs) - bytes_known

    def list_without_uses(self, blobs: Collection[BlobName], extractor: int) -> tuple[BlobName, ...]:
        """Return the contents whose facts a segment has, but whose uses none has."""
        query = "SELECT oid, language FROM facts WHERE oid = ANY(%s) AND extractor = %s AND uses IS NULL"
        rows = self._select(query, (_to_oids(blobs), extractor))
        return tuple(frozenset((bytes(oid).hex(), language) for oid, language in rows).intersection(blobs))

    def note_uses(self, digest: bytes, size: int, blobs: Collection[BlobName], extractor: int) -> None:
        """Note the segment that has the uses of some contents."""
        query = """UPDATE facts SET uses = %s FROM unnest(%s::bytea[], %s::text[]) AS made (oid, language)
            WHERE facts.oid = made.oid AND facts.language = made.language AND extractor = %s"""
        columns = ([bytes.fromhex(oid) for oid, _ in blobs], [language for _, language in blobs])
        with self._writing() as connection:
            connection.execute("INSERT INTO segments VALUES (%s, %s) ON CONFLICT DO NOTHING", (digest, size))
            connection.execute(query, (digest, *columns, extractor))

    def map_use_segments(self, blobs: Collection[BlobName], extractor: int) -> dict[BlobName, bytes]:
        """Return each content whose uses a segment has → that segment."""
        query = "SELECT oid, language, uses FROM facts WHERE oid = ANY(%s) AND extractor = %s AND uses IS NOT NULL"
        rows = self._select(query, (_to_oids(blobs), extractor))
        return {(bytes(oid).hex(), language): bytes(digest) for oid, language, digest in rows}

    def publish(self, repository: int, snapshot: FleetSnapshot) -> None:
        """Make a snapshot the current one of its repository, whole or not at all."""
        trees = dict(_to_trees(snapshot.files))
        with self._writing() as connection:
            cursor = connection.cursor()
            # A repository that was removed in the meantime stays removed.
            if cursor.execute("SELECT 1 FROM repositories WHERE id = %s FOR UPDATE", (repository,)).fetchone() is None:
                return
            cursor.executemany(
                "INSERT INTO segments VALUES (%s, %s) ON CONFLICT DO NOTHING", list(snapshot.segments.items())
            )
            cursor.executemany(
                "INSERT INTO facts (oid, language, extractor, segment) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING",
                [(bytes.fromhex(o), lang, snapshot.extractor, at) for (o, lang), at in sorted(snapshot.facts.items())],
            )
            cursor.executemany(
                "INSERT INTO contents VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING",
                [(bytes.fromhex(oid), *place) for oid, place in sorted(snapshot.contents.items())],
            )
            cursor.executemany("INSERT INTO trees VALUES (%s, %s) ON CONFLICT DO NOTHING", sorted(trees.items()))
            query = """INSERT INTO snapshots (repository, revision, files, trees) VALUES (%s, %s, %s, %s)
                ON CONFLICT (repository) DO UPDATE SET revision = excluded.revision, indexed = now(),
                files = excluded.files, trees = excluded.trees"""
            cursor.execute(query, (repository, snapshot.revision, len(snapshot.files), list(trees)))
            _replace_names(cursor, repository, snapshot)
            cursor.execute("UPDATE repositories SET problem = NULL WHERE id = %s", (repository,))

    def read_files(self, repository: FleetRepository) -> tuple[FleetFile, ...]:
        """Return the files of a repository at its revision, by path.

        Raise `SnapshotReplacedError` if it has been indexed again or removed since it was listed.
        """
        query = """SELECT wanted, data FROM snapshots LEFT JOIN unnest(snapshots.trees) AS wanted ON true
            LEFT JOIN trees ON digest = wanted WHERE repository = %s AND revision = %s"""
        rows = self._select(query, (repository.id, repository.revision))
        if not rows:
            raise SnapshotReplacedError(f"{repository.name} was indexed again meanwhile", hint="ask again")
        if any(wanted is not None and data is None for wanted, data in rows):
            raise RemoteError(f"the catalogue lacks files of {repository.name}", hint="run `avionics fleet sync`")
        files = (each for _, data in rows if data is not None for each in _from_tree(bytes(data)))
        return tuple(sorted(files, key=lambda file: file.path))

    def read_packages(self, repository: int) -> tuple[PublishedPackage, ...]:
        """Return what a repository publishes."""
        query = "SELECT manager, name, version, directory, root FROM packages WHERE repository = %s ORDER BY directory"
        return tuple(PublishedPackage(*row) for row in self._select(query, (repository,)))

    def find_importers(
        self, packages: Iterable[PublishedPackage], groups: Collection[str]
    ) -> tuple[FleetRepository, ...]:
        """Return the visible repositories that import any of the packages, or a path below its root."""
        roots = sorted({(each.manager, each.root) for each in packages})
        condition: LiteralString = f"""revision IS NOT NULL AND id IN (SELECT users.repository
            FROM unnest(%(managers)s::text[], %(roots)s::text[]) AS packages (manager, root) {_USERS}) ORDER BY id"""  # noqa: S608
        managers, names = [manager for manager, _ in roots], [root for _, root in roots]
        return self._select_repositories(groups, condition, managers=managers, roots=names)

    def list_import_pairs(self, published: Collection[int], groups: Collection[str]) -> tuple[tuple[int, int], ...]:
        """Return pairs of numbers: one of some repositories, and a visible one that imports what it publishes."""
        query = f"""SELECT DISTINCT packages.repository, users.repository FROM packages {_USERS}
            JOIN repositories ON id = users.repository JOIN snapshots ON snapshots.repository = id
            WHERE packages.repository = ANY(%s) AND groups && %s::text[]
            AND users.repository != packages.repository ORDER BY 1, 2"""  # noqa: S608
        return tuple(self._select(query, (list(published), list(groups)))) if published else ()

    def find_defining(
        self, folded: str, groups: Collection[str], owner: str | None = None
    ) -> tuple[FleetRepository, ...]:
        """Return the visible repositories that define a folded name, or only the one with the owner's name."""
        if not _is_storable(folded):
            return ()
        condition: LiteralString = """revision IS NOT NULL AND (%(owner)s::text IS NULL OR name = %(owner)s) AND id IN (
            SELECT repository FROM defined_names WHERE bucket = %(bucket)s AND %(folded)s = ANY(names)) ORDER BY id"""
        values = {"owner": owner, "bucket": _get_name_bucket(folded), "folded": folded}
        return self._select_repositories(groups, condition, **values)

    def rate_repositories(
        self, weights: Mapping[str, float], groups: Collection[str], limit: int | None
    ) -> tuple[FleetRepository, ...]:
        """Return the visible repositories with any of some stems, best first.

        A stem weighs by its rarity among them, as in the choice of collections in distributed search (Callan, Lu and
        Croft 1995). A repository of which no stem is known may have them all.
        """
        # Sum whole numbers, whose sum does not depend on the order, so that repositories with the same stems are
        # ordered by number.
        query = """WITH seen AS MATERIALIZED (
                SELECT id FROM repositories JOIN snapshots ON repository = id WHERE groups && %(groups)s::text[]),
            unknown AS (SELECT id FROM seen WHERE NOT EXISTS (SELECT FROM held_stems WHERE repository = id)),
            held AS MATERIALIZED (SELECT weight, ARRAY(SELECT id FROM unknown)
                    || ARRAY(SELECT id FROM find_stem_holders(stem) AS holder JOIN seen ON id = holder) AS ids
                FROM unnest(%(stems)s::integer[], %(weights)s::float8[]) AS wanted (stem, weight)),
            rated AS (SELECT unnest(ids) AS id, (1e9 * weight * ln(
                1 + (SELECT count(*) FROM seen)::float8 / nullif(cardinality(ids), 0)))::bigint AS worth FROM held)
            SELECT id FROM rated GROUP BY id ORDER BY sum(worth) DESC, id LIMIT %(limit)s"""
        values = {
            "groups": list(groups), "stems": [_hash_stem(each) for each in weights], "weights": list(weights.values()),
            "limit": limit,
        }  # fmt: skip
        best = [number for (number,) in self._select(query, values)] if weights else []
        by_id = {each.id: each for each in self.get_repositories(best, groups)}
        return tuple(by_id[number] for number in best if number in by_id)

    def map_fact_segments(
        self, blobs: Collection[BlobName], extractor: int
    ) -> dict[bytes, tuple[int, frozenset[BlobName]]]:
        """Return each segment that has facts of some contents → its size and those contents."""
        query = """SELECT segment, segments.bytes, oid, language FROM facts JOIN segments ON digest = segment
            WHERE oid = ANY(%s) AND extractor = %s"""
        found: defaultdict[tuple[bytes, int], set[BlobName]] = defaultdict(set)
        for segment, size, oid, language in self._select(query, (_to_oids(blobs), extractor)):
            found[bytes(segment), size].add((bytes(oid).hex(), language))
        return {segment: (size, frozenset(held).intersection(blobs)) for (segment, size), held in found.items()}

    def get_content_place(self, oid: str) -> tuple[bytes, int, int] | None:
        """Return the segment that has the bytes of a blob, and where; None if none has."""
        query = "SELECT segment, start, bytes FROM contents WHERE oid = %s"
        rows = self._select(query, (bytes.fromhex(oid),))
        if not rows:
            return None
        segment, start, size = rows[0]
        return bytes(segment), start, size

    def collect(self) -> tuple[bytes, ...]:
        """Forget trees, contents and facts that no snapshot needs, and return the segments that nothing needs now."""
        with self._writing() as connection:
            connection.execute("LOCK TABLE snapshots IN SHARE MODE")
            connection.execute("DELETE FROM trees WHERE digest NOT IN (SELECT unnest(snapshots.trees) FROM snapshots)")
            rows = connection.execute("SELECT data FROM trees")
            needed = {bytes.fromhex(each.oid) for (data,) in rows for each in _from_tree(bytes(data))}
            connection.execute("CREATE TEMPORARY TABLE needed (oid bytea PRIMARY KEY) ON COMMIT DROP")
            with connection.cursor().copy("COPY needed FROM STDIN") as copy:
                for oid in needed:
                    copy.write_row((oid,))
            for table in ("facts", "contents"):
                connection.execute(f"DELETE FROM {table} WHERE oid NOT IN (SELECT oid FROM needed)".encode())  # noqa: S608
            query = """DELETE FROM segments WHERE digest NOT IN (SELECT segment FROM facts)
                AND digest NOT IN (SELECT segment FROM contents)
                AND digest NOT IN (SELECT uses FROM facts WHERE uses IS NOT NULL) RETURNING digest"""
            return tuple(bytes(row[0]) for row in connection.execute(query).fetchall())


def _replace_names(cursor: psycopg.Cursor, repository: int, snapshot: FleetSnapshot) -> None:
    """Replace what a repository publishes, imports and defines, and the stems that it has, by those of a snapshot."""
    for table in ("packages", "imported_names", "defined_names", "held_stems"):
        cursor.execute(f"DELETE FROM {table} WHERE repository = %s".encode(), (repository,))  # noqa: S608
    cursor.executemany(
        "INSERT INTO packages VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
        [(repository, *fields) for each in snapshot.packages if all(map(_is_storable, fields := attrs.astuple(each)))],
    )
    imports = [(repository, *each) for each in sorted(snapshot.imports) if all(map(_is_storable, each))]
    cursor.executemany("INSERT INTO imported_names VALUES (%s, %s, %s)", imports)
    pieces = _iter_pieces(filter(_is_storable, snapshot.names))
    cursor.executemany("INSERT INTO defined_names VALUES (%s, %s, %s, %s)", [(repository, *each) for each in pieces])
    stems = sorted(set(map(_hash_stem, snapshot.stems)))
    cursor.execute("INSERT INTO held_stems VALUES (%s, %s)", (repository, stems))


def _to_oids(blobs: Iterable[BlobName]) -> list[bytes]:
    return [bytes.fromhex(oid) for oid in {oid for oid, _ in blobs}]


def _get_name_bucket(name: str) -> int:
    """Return the bucket of a name, as `0004_name_pieces.up.sql` does."""
    return hashlib.sha256(name.encode()).digest()[0] % _BUCKETS


def _iter_pieces(names: Iterable[str]) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the bucket, the number and the names of each piece of the names of a repository.

    PostgreSQL keeps rows of up to 2,000 bytes in place. It stores larger ones elsewhere, where reading them is slow
    although its planner assumes that it costs nothing.
    """
    pieces: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
    sizes: Counter[int] = Counter()
    for name in sorted(names):
        bucket = _get_name_bucket(name)
        pieces[bucket, sizes[bucket] // _PIECE_BYTES].append(name)
        sizes[bucket] += len(name.encode()) + _ELEMENT_BYTES
    for (bucket, number), held in pieces.items():
        yield bucket, number, held


def _hash_stem(stem: str) -> int:
    """Return the number by which a stem is stored; if two stems share one, a repository may be asked needlessly."""
    return zlib.crc32(stem.encode("utf-8", "surrogatepass")) - (1 << 31)


def _is_storable(text: str) -> bool:
    """Return whether PostgreSQL can store and index a text: no NUL, no half of a surrogate pair, not too long."""
    try:
        return "\0" not in text and len(text.encode()) <= _MAX_NAME_BYTES
    except UnicodeEncodeError:
        return False


def _to_trees(files: Iterable[FleetFile]) -> Iterator[tuple[bytes, bytes]]:
    """Yield digest → listing of each directory; commits and forks share the listings of equal directories."""
    directories: dict[str, list[tuple[str, str, str, int]]] = {}
    for file in sorted(files, key=lambda each: each.path):
        directory, _, name = file.path.rpartition("/")
        directories.setdefault(directory, []).append((name, file.oid, file.language, file.size))
    for directory, entries in directories.items():
        text = json.dumps([directory, entries], separators=(",", ":")).encode()
        yield hashlib.sha256(text).digest(), zlib.compress(text, 6)


def _from_tree(data: bytes) -> Iterator[FleetFile]:
    directory, entries = json.loads(zlib.decompress(data))
    for name, *rest in entries:
        yield FleetFile(f"{directory}/{name}" if directory else name, *rest)
