"""Walk the workspace: every file that no ignore rule excludes, in a fixed order.

A walk remembers what it depended on (see `tree_status`). While all of that is unchanged, the next one only reads the
status of each file. Otherwise it lists the directories whose status changed.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, overload

from msgspec import Struct, field, structs

from avionics.settings import Settings
from avionics.source.paths import (
    RepoPath,
    Skipped,
    SkipReason,
    list_to_top,
    open_regular,
    open_subdirectory,
    opened_directory,
)
from avionics.source.racy import is_racy
from avionics.source.read import decode, read_regular
from avionics.source.tree_status import (
    IGNORE_FILES,
    MAX_IGNORE_BYTES,
    Status,
    TreeStatus,
    get_limits,
    iter_outside,
    read_status,
)

if TYPE_CHECKING:
    from avionics.source.ignore import IgnoreRules
    from avionics.source.ignored import IgnoredBy

MAX_DEPTH = 200
"""One descriptor stays open per level, and paths end at 4,096 characters."""
MAX_ENTRIES = 1_000_000
"""Later entries of a directory are skipped; bounds memory."""
MAX_IGNORE_BYTES_IN_ALL = 1_048_576
"""Bounds the cost of malicious ignore files."""


class FoundFile(Struct, frozen=True):
    """A file of the workspace, as described by its status."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @classmethod
    def of(cls, path: str, found: os.stat_result) -> FoundFile:
        """Return the file with a status."""
        return cls(path, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


LITTLE_FILES = 20
"""A walk that finds fewer files may have lost the others to a rule."""
_get_status = attrgetter("path", "ctime_ns", "mtime_ns", "size", "inode")


class FoundFiles(Sequence[FoundFile]):
    """Files of an earlier walk, each field of all of them in a row; a file is built when it is asked for."""

    def __init__(
        self,
        paths: Sequence[str],
        sizes: Sequence[int],
        mtimes: Sequence[int],
        ctimes: Sequence[int],
        inodes: Sequence[int],
    ) -> None:
        self._fields = paths, sizes, mtimes, ctimes, inodes

    def __len__(self) -> int:
        return len(self._fields[0])

    @overload
    def __getitem__(self, at: int) -> FoundFile: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[FoundFile, ...]: ...

    def __getitem__(self, at: int | slice) -> FoundFile | tuple[FoundFile, ...]:
        if isinstance(at, slice):
            return tuple(self)[at]
        paths, sizes, mtimes, ctimes, inodes = self._fields
        return FoundFile(paths[at], sizes[at], mtimes[at], ctimes[at], inodes[at])

    def __iter__(self) -> Iterator[FoundFile]:
        return map(FoundFile, *self._fields)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def iter_statuses(self) -> Iterator[tuple[str, int, int, int, int]]:
        """Yield the path, the change and modification time, the size and the inode of each file."""
        paths, sizes, mtimes, ctimes, inodes = self._fields
        return zip(paths, ctimes, mtimes, sizes, inodes, strict=True)


_FOR_TRACKED_TOO = frozenset(IGNORE_FILES) - {".gitignore"}
_MAX_TRACKED = 100_000
"""Bounds the cost of a malicious index: of the tracked paths that a walk did not find, only this many are examined."""
_MAX_UNLISTED = 1_000
"""With more tracked paths that a walk did not find, the next walk cannot rely on the status of directories."""
_NO_PARTS = frozenset({"", ".", "..", ".git"})
"""Parts that no path of a tracked file has."""
_get_name, _get_path = attrgetter("name"), attrgetter("path")


class Listing(Struct, frozen=True, eq=False):
    """The contents of a directory.

    Attributes:
        status: Its status before it was listed.
        rules: The ignore rules of the directories above.
        folders: The directories in it, with the rules that apply in each.
        is_settled: Whether it has the same names as long as its status and the rules from above are the same.
    """

    status: Status
    rules: tuple[IgnoreRules, ...]
    files: tuple[FoundFile, ...]
    folders: tuple[tuple[str, tuple[IgnoreRules, ...]], ...]
    skipped: tuple[Skipped, ...]
    is_settled: bool


_LASTING = frozenset({SkipReason.LINK, SkipReason.NOT_REGULAR})
"""Reasons that hold until the directory itself changes."""
_WATCHED = _LASTING | {SkipReason.TOO_LARGE, SkipReason.IGNORE_FILE}
"""Reasons that hold until the directory or the entry itself changes."""


class Walk(Struct, frozen=True):
    """All files, sorted by path, and what was skipped though no rule ignores it.

    Attributes:
        listings: Directory → its listing, for the next walk.
        ignored: The rules that leave little of the tree, or would leave nothing.
        status: What it depended on; None if that cannot show whether a later walk would differ.
    """

    files: Sequence[FoundFile]
    skipped: tuple[Skipped, ...]
    listings: Mapping[str, Listing] = field(default_factory=dict)
    ignored: tuple[IgnoredBy, ...] = ()
    status: TreeStatus | None = None

    def __eq__(self, other: object) -> bool:
        return type(other) is Walk and (self.files, self.skipped, self.ignored) == (
            other.files, other.skipped, other.ignored,
        )  # fmt: skip

    def __hash__(self) -> int:
        return hash((self.files, self.skipped, self.ignored))

    def __repr__(self) -> str:
        return f"Walk(files={self.files!r}, skipped={self.skipped!r}, ignored={self.ignored!r})"

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the path of every file in order, including those too large to read."""
        large = [entry.path for entry in self.skipped if entry.reason is SkipReason.TOO_LARGE]
        return tuple(sorted([*(file.path for file in self.files), *large]))

    def below(self, directory: str) -> Walk:
        """Return the part of the walk below a directory."""
        start = f"{directory}/"
        return Walk(
            tuple(file for file in self.files if file.path.startswith(start)),
            tuple(entry for entry in self.skipped if entry.path.startswith(start)),
        )


def walk(root: Path, settings: Settings, before: Walk | None = None) -> Walk:
    """Return every file below the root that no ignore rule excludes, or that git tracks nevertheless.

    Files larger than `settings.max_file_bytes`, links and special files are among the skipped. Outside a git work tree,
    rules that would exclude everything are not applied. Without an earlier walk, `before`, this one keeps no listings,
    since it may be the last.
    """
    known = _look_again(root, settings, before) if before is not None else None
    if known is not None:
        return known
    found = _walk(root, settings, before)
    found = _with_tracked(root, settings, found) if settings.obeys_ignore_files else found
    if len(found.files) >= LITTLE_FILES:
        return found
    found = structs.replace(found, status=None)
    if not settings.obeys_ignore_files:
        return found
    if before is not None and _has_same_rules(before, found):
        return structs.replace(found, ignored=before.ignored)
    from avionics.source.ignored import find_ignored

    ignored = find_ignored(root, len(found.files), is_worktree=bool(list_to_top(root)))
    if any(not rule.is_obeyed for rule in ignored):
        found = _walk(root, structs.replace(settings, obeys_ignore_files=False), None)
    return structs.replace(found, ignored=ignored) if ignored else found


def _look_again(root: Path, settings: Settings, before: Walk) -> Walk | None:
    """Return an earlier walk with the current statuses of its files; None if the tree has to be walked."""
    if before.status is None:
        return None
    with opened_directory(root) as directory:
        if isinstance(directory, SkipReason) or not before.status.is_current(directory, settings):
            return None
        files = _read_statuses(before.files, directory, settings.max_file_bytes)
    if files is None:
        return None
    return before if files is before.files else structs.replace(before, files=files)


def _read_statuses(files: Sequence[FoundFile], root: int, max_bytes: int) -> Sequence[FoundFile] | None:
    """Return the files with their current statuses; the same sequence, or None if the set of files changed."""
    changed: dict[int, FoundFile] = {}
    look = os.stat
    known = files.iter_statuses() if isinstance(files, FoundFiles) else map(_get_status, files)
    try:
        for at, (path, ctime, mtime, size, inode) in enumerate(known):
            found = look(path, dir_fd=root, follow_symlinks=False)
            if (
                found.st_ctime_ns != ctime
                or found.st_mtime_ns != mtime
                or found.st_size != size
                or found.st_ino != inode
            ):
                if not stat.S_ISREG(found.st_mode) or found.st_size > max_bytes:
                    return None
                changed[at] = FoundFile.of(path, found)
    except OSError:
        return None
    return tuple(changed.get(at, file) for at, file in enumerate(files)) if changed else files


def _with_tracked(root: Path, settings: Settings, found: Walk) -> Walk:
    """Return a walk including tracked files that `.gitignore` matches.

    Other ignore files apply to tracked files as well; if there are any, nothing is added.
    """
    from avionics.source.git_index import read_tracked

    known = {*map(_get_path, found.files), *map(_get_path, found.skipped)}
    if any(path.rpartition("/")[2] in _FOR_TRACKED_TOO for path in known):
        return found
    files, skipped = list(found.files), list(found.skipped)
    tracked = sorted({*read_tracked(root)} - known)
    for path in tracked[:_MAX_TRACKED]:
        parts = tuple(path.split("/"))
        file = SkipReason.UNREADABLE if _NO_PARTS.intersection(parts) else stat_file(root, RepoPath(parts))
        if isinstance(file, SkipReason):
            continue
        if file.size > settings.max_file_bytes:
            skipped.append(Skipped(path, SkipReason.TOO_LARGE))
        else:
            files.append(file)
    if not tracked:
        return found
    is_watchable = found.status is not None and len(skipped) == len(found.skipped) and len(tracked) <= _MAX_UNLISTED
    if found.status is not None and is_watchable:
        is_watchable = all(_is_below_listed(root, path, found.status.folders) for path in tracked)
    files.sort(key=_get_path)
    skipped.sort(key=_get_path)
    status = found.status if is_watchable else None
    return structs.replace(found, files=tuple(files), skipped=tuple(skipped), status=status)


def _is_below_listed(root: Path, path: str, folders: Mapping[str, Status]) -> bool:
    """Return whether a listed directory changes as soon as a file appears at a path or leaves it."""
    folder = path.rpartition("/")[0]
    while folder not in folders:
        if os.path.lexists(root / folder):
            return False
        folder = folder.rpartition("/")[0]
    return True


def _has_same_rules(before: Walk, found: Walk) -> bool:
    """Return whether the same rules seem to apply as before: as many files were found, with the same ignore files."""
    rules = [[file for file in each.files if file.path.rpartition("/")[2] in IGNORE_FILES] for each in (before, found)]
    is_left = bool(found.files) or not before.ignored
    return is_left and len(found.files) >= len(before.files) and rules[0] == rules[1]


def _walk(root: Path, settings: Settings, before: Walk | None) -> Walk:
    """Return every file below the root that the rules which the settings obey leave."""
    from avionics.source.mounts import is_trusted

    # On other file systems the status of a directory may be older than its contents.
    is_reliable = is_trusted(root)
    is_remembered = before is not None and is_reliable
    with opened_directory(root) as directory:
        if isinstance(directory, SkipReason):
            return Walk((), (Skipped(".", directory),))
        walker = _Walker(settings, directory, before.listings if before and is_remembered else {}, is_remembered)
        walker.others.update((path, read_status(directory, path)) for path in iter_outside(root))
        walker.visit(_Place("", None, directory), walker.read_inherited_rules(root), 0)
    walker.files.sort(key=_get_path)
    walker.skipped.sort(key=_get_path)
    status = walker.build_status() if is_reliable else None
    return Walk(tuple(walker.files), tuple(walker.skipped), walker.listings, status=status)


def stat_file(root: Path, path: RepoPath) -> FoundFile | SkipReason:
    """Return the status of one file, ignored or not, or why there is no file to read."""
    if not path.parts:
        return SkipReason.DIRECTORY
    with opened_directory(root, path.parts[:-1]) as directory:
        descriptor = directory if isinstance(directory, SkipReason) else open_regular(directory, path.parts[-1])
    if isinstance(descriptor, SkipReason):
        return descriptor
    found = os.fstat(descriptor)
    os.close(descriptor)
    return FoundFile.of(str(path), found)


class _Place:
    """A directory on the way down: opened when something in it has to be listed, and never through a link."""

    def __init__(self, path: str, above: _Place | None, opened: int | SkipReason | None = None) -> None:
        self.path = path
        self.prefix = f"{path}/" if path else ""
        self._above = above
        self._opened = opened

    def open(self) -> int | SkipReason:
        """Return a descriptor, or why there is none."""
        if self._opened is None:
            assert self._above is not None
            above = self._above.open()
            name = self.path.rpartition("/")[2]
            self._opened = above if isinstance(above, SkipReason) else open_subdirectory(above, name)
        return self._opened

    def close(self) -> None:
        """Close the descriptor, if it is open."""
        if isinstance(self._opened, int):
            os.close(self._opened)


class _Walker:
    """The state of one walk: the files found and the limits left; an earlier walk's listings are used again."""

    def __init__(self, settings: Settings, root: int, before: Mapping[str, Listing], is_remembered: bool) -> None:
        self.files: list[FoundFile] = []
        self.skipped: list[Skipped] = []
        self.listings: dict[str, Listing] = {}
        self.folders: dict[str, Status] = {}
        self.others: dict[str, Status] = {}
        self._settings = settings
        self._looked_ns = time.time_ns()
        self._root = root
        self._device = os.fstat(root).st_dev
        self._before = before
        self._is_remembered = is_remembered
        self._ignore_bytes = MAX_IGNORE_BYTES_IN_ALL

    def visit(self, place: _Place, rules: tuple[IgnoreRules, ...], depth: int) -> None:
        """Visit the directory and everything below it; `rules` are those from above, nearest first."""
        known = self._before.get(place.path)
        listing = None if known is None else self._look_again(place.path, known, rules)
        if listing is None:
            directory = place.open()
            if isinstance(directory, SkipReason):
                self.skipped.append(Skipped(place.path, directory))
                return
            listing = self._list(directory, place.prefix, rules)
        self.folders[place.path] = listing.status
        if listing.is_settled:
            self.listings[place.path] = listing
        self.files += listing.files
        self.skipped += listing.skipped
        for name, inner in listing.folders:
            self._descend(place, name, inner, depth)

    def build_status(self) -> TreeStatus | None:
        """Return the status that the walk depended on; None if part of it may change without notice."""
        reasons = {each.reason for each in self.skipped}
        skipped = tuple(self.skipped)
        status = TreeStatus.of(get_limits(self._settings), self.folders, self.others, skipped)
        is_elsewhere = any(each[0] != self._device for each in self.folders.values())
        return None if reasons - _WATCHED or is_elsewhere or status.is_racy(self._looked_ns) else status

    def _look_again(self, path: str, known: Listing, rules: tuple[IgnoreRules, ...]) -> Listing | None:
        """Return the listing with current file statuses; None if the directory has to be listed again."""
        if known.rules != rules or len(self.files) + len(known.files) > self._settings.max_files:
            return None
        try:
            if _status_of(os.stat(path, dir_fd=self._root, follow_symlinks=False)) != known.status:
                return None
        except OSError:
            return None
        files = _read_statuses(known.files, self._root, self._settings.max_file_bytes)
        return None if files is None else structs.replace(known, files=files)

    def _list(self, directory: int, prefix: str, rules: tuple[IgnoreRules, ...]) -> Listing:
        """Return the entries of a directory."""
        above = rules
        status = _status_of(os.fstat(directory))
        with os.scandir(directory) as listing:
            entries = sorted(islice(listing, MAX_ENTRIES), key=_get_name)
        names = {entry.name for entry in entries}
        skipped: list[Skipped] = []
        ignoring = [name for name in IGNORE_FILES if name in names]
        self.others.update((prefix + name, read_status(self._root, prefix + name)) for name in ignoring)
        own = self._read_rules(directory, ignoring, prefix, skipped)
        if prefix == "" and ".git" in names:
            rules = (*rules, *self._read_exclude(directory))
        rules = (*own, *rules)
        files: list[FoundFile] = []
        folders = []
        for entry in entries:
            is_directory = entry.is_dir(follow_symlinks=False)
            if entry.name == ".git" or (rules and _is_ignored(entry.name, is_directory, rules)):
                continue
            if is_directory:
                folders.append((entry.name, _enter_rules(rules, entry.name)))
            elif len(self.files) + len(files) < self._settings.max_files:
                found = self._describe_entry(entry, prefix)
                if isinstance(found, FoundFile):
                    files.append(found)
                else:
                    skipped.append(found)
            else:
                skipped.append(Skipped(prefix + entry.name, SkipReason.TOO_MANY))
                break
        # Its own ignore files may change without changing its status; the root also has rules from elsewhere.
        is_settled = (
            self._is_remembered
            and prefix != ""
            and not ignoring
            and status[0] == self._device
            and all(each.reason in _LASTING for each in skipped)
            and not is_racy(max(status[2], status[3]), self._looked_ns)
        )
        return Listing(status, above, tuple(files), tuple(folders), tuple(skipped), is_settled)

    def read_inherited_rules(self, root: Path) -> tuple[IgnoreRules, ...]:
        """Return the rules of the directories above, up to the git root; none outside a repository."""
        above = list_to_top(root)
        rules: tuple[IgnoreRules, ...] = ()
        for at in range(len(above) - 1, 0, -1):
            with opened_directory(above[at]) as directory:
                if isinstance(directory, SkipReason):
                    return ()
                rules = (*self._read_rules(directory, IGNORE_FILES), *self._read_exclude(directory), *rules)
            rules = _enter_rules(rules, above[at - 1].name)
        return rules

    def _describe_entry(self, entry: os.DirEntry[str], prefix: str) -> FoundFile | Skipped:
        """Return an entry of a directory, other than a directory, as a file, or why it is skipped."""
        path = prefix + entry.name
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError:
            return Skipped(path, SkipReason.UNREADABLE)
        if not stat.S_ISREG(found.st_mode):
            return Skipped(path, SkipReason.LINK if stat.S_ISLNK(found.st_mode) else SkipReason.NOT_REGULAR)
        if found.st_size > self._settings.max_file_bytes:
            self.others[path] = read_status(self._root, path)
            return Skipped(path, SkipReason.TOO_LARGE)
        return FoundFile.of(path, found)

    def _descend(self, above: _Place, name: str, rules: tuple[IgnoreRules, ...], depth: int) -> None:
        """Visit a directory in another one, unless a limit is reached."""
        path = above.prefix + name
        if len(self.files) >= self._settings.max_files:
            self.skipped.append(Skipped(path, SkipReason.TOO_MANY))
            return
        if depth >= MAX_DEPTH:
            self.skipped.append(Skipped(path, SkipReason.TOO_DEEP))
            return
        place = _Place(path, above)
        try:
            self.visit(place, rules, depth + 1)
        finally:
            place.close()

    def _read_rules(
        self, directory: int, names: Iterable[str], prefix: str = "", skipped: list[Skipped] | None = None
    ) -> tuple[IgnoreRules, ...]:
        """Return the rules of these ignore files, at most one value; add a too large one to `skipped`, if given."""
        from avionics.source.ignore import parse_rules

        texts = []
        for name in names if self._settings.obeys_ignore_files else ():
            data = read_regular(directory, name, min(MAX_IGNORE_BYTES, self._ignore_bytes))
            if not isinstance(data, SkipReason):
                self._ignore_bytes -= len(data)
                texts.append(decode(data))
            elif data is SkipReason.TOO_LARGE and skipped is not None:
                skipped.append(Skipped(prefix + name, SkipReason.IGNORE_FILE))
        rules = parse_rules("\n".join(texts)) if texts else None
        return () if rules is None else (rules,)

    def _read_exclude(self, directory: int) -> tuple[IgnoreRules, ...]:
        """Return the rules of `.git/info/exclude`."""
        git = open_subdirectory(directory, ".git")
        if isinstance(git, SkipReason):
            return ()
        info = open_subdirectory(git, "info")
        os.close(git)
        if isinstance(info, SkipReason):
            return ()
        rules = self._read_rules(info, ("exclude",))
        os.close(info)
        return rules


def _is_ignored(name: str, is_directory: bool, rules: tuple[IgnoreRules, ...]) -> bool:
    """Return whether the nearest applicable rule ignores the name."""
    for nearest in rules:
        verdict = nearest.ignores(name, is_directory)
        if verdict is not None:
            return verdict
    return False


def _enter_rules(rules: tuple[IgnoreRules, ...], name: str) -> tuple[IgnoreRules, ...]:
    """Return rules as they apply inside a directory."""
    return tuple(rule.enter(name) for rule in rules)


def _status_of(found: os.stat_result) -> Status:
    """Return the device, inode, modification and change time of a directory."""
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_ctime_ns
