"""Walking: every file of the workspace that no ignore rule leaves out, in a fixed order.

Knows: directories, ignore files, limits.
Does not know: contents.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import attrs

from avionics.settings import Settings
from avionics.source.ignore import IgnoreRules, parse_rules
from avionics.source.paths import RepoPath, Skipped, SkipReason, open_directory, open_regular, open_subdirectory
from avionics.source.read import decode, read_regular

IGNORE_FILES = (".gitignore", ".ignore", ".avionicsignore")
MAX_DEPTH = 200
"""One descriptor stays open a level, and paths end at 4,096 characters."""
MAX_ENTRIES = 1_000_000
"""A directory is listed no further: bounds memory."""
MAX_IGNORE_BYTES = 65_536
MAX_IGNORE_BYTES_IN_ALL = 1_048_576
"""Hand-written ignore files are far smaller; bounds what a planted one can cost."""


@attrs.frozen
class FoundFile:
    """A file of the workspace, as the disk describes it."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@attrs.frozen
class Walk:
    """All files, ordered by path, and what was left aside though no rule ignores it."""

    files: tuple[FoundFile, ...]
    skipped: tuple[Skipped, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """Every file's path in order, also of those too large to read."""
        large = [entry.path for entry in self.skipped if entry.reason is SkipReason.TOO_LARGE]
        return tuple(sorted([*(file.path for file in self.files), *large]))

    def below(self, directory: str) -> Walk:
        """The part of the walk that lies below a directory."""
        start = f"{directory}/"
        return Walk(
            tuple(file for file in self.files if file.path.startswith(start)),
            tuple(entry for entry in self.skipped if entry.path.startswith(start)),
        )


def walk(root: Path, settings: Settings) -> Walk:
    """Every file below the root that no ignore rule leaves out.

    Larger files than `settings.max_file_bytes` are among the skipped, as are links and whatever is not a file.
    """
    walker = _Walker(settings)
    directory = open_directory(root, ())
    if isinstance(directory, SkipReason):
        return Walk((), (Skipped(".", directory),))
    try:
        walker.visit(directory, "", walker.inherited(root), 0)
    finally:
        os.close(directory)
    walker.files.sort(key=lambda file: file.path)
    walker.skipped.sort(key=lambda skipped: skipped.path)
    return Walk(tuple(walker.files), tuple(walker.skipped))


def stat_file(root: Path, path: RepoPath) -> FoundFile | SkipReason:
    """One file, whether or not a rule ignores it, or why there is none to read."""
    if not path.parts:
        return SkipReason.DIRECTORY
    directory = open_directory(root, path.parts[:-1])
    if isinstance(directory, SkipReason):
        return directory
    try:
        descriptor = open_regular(directory, path.parts[-1])
    finally:
        os.close(directory)
    if isinstance(descriptor, SkipReason):
        return descriptor
    found = os.fstat(descriptor)
    os.close(descriptor)
    return FoundFile(str(path), found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


class _Walker:
    """One walk under way: what was found so far and what may still be spent."""

    def __init__(self, settings: Settings) -> None:
        self.files: list[FoundFile] = []
        self.skipped: list[Skipped] = []
        self._settings = settings
        self._ignore_bytes = MAX_IGNORE_BYTES_IN_ALL

    def visit(self, directory: int, prefix: str, rules: tuple[IgnoreRules, ...], depth: int) -> None:
        """Take in the directory and all below it; `rules` are those from above, the nearest first."""
        with os.scandir(directory) as listing:
            entries = sorted(islice(listing, MAX_ENTRIES), key=lambda entry: entry.name)
        names = {entry.name for entry in entries}
        own = self._rules(directory, prefix, [name for name in IGNORE_FILES if name in names])
        if prefix == "" and ".git" in names:
            rules = (*rules, *self._exclude(directory))
        rules = (*own, *rules)
        folders = []
        for entry in entries:
            is_directory = entry.is_dir(follow_symlinks=False)
            if entry.name == ".git" or (rules and _is_ignored(entry.name, is_directory, rules)):
                continue
            if is_directory:
                folders.append(entry.name)
            elif len(self.files) < self._settings.max_files:
                self._take(entry, prefix)
            else:
                self.skipped.append(Skipped(prefix + entry.name, SkipReason.TOO_MANY))
                break
        for name in folders:
            self._descend(directory, name, prefix, rules, depth)

    def inherited(self, root: Path) -> tuple[IgnoreRules, ...]:
        """The rules of the directories above, up to the git root; none when the root is in no repository."""
        above = [root, *root.parents]
        top = next((at for at, folder in enumerate(above) if os.path.lexists(folder / ".git")), 0)
        rules: tuple[IgnoreRules, ...] = ()
        for at in range(top, 0, -1):
            directory = open_directory(above[at], ())
            if isinstance(directory, SkipReason):
                return ()
            try:
                if at == top:
                    rules = self._exclude(directory)
                rules = (*self._rules(directory, None, IGNORE_FILES), *rules)
            finally:
                os.close(directory)
            rules = _entered(rules, above[at - 1].name)
        return rules

    def _take(self, entry: os.DirEntry[str], prefix: str) -> None:
        path = prefix + entry.name
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError:
            self.skipped.append(Skipped(path, SkipReason.UNREADABLE))
            return
        if not stat.S_ISREG(found.st_mode):
            is_link = stat.S_ISLNK(found.st_mode)
            self.skipped.append(Skipped(path, SkipReason.LINK if is_link else SkipReason.NOT_REGULAR))
        elif found.st_size > self._settings.max_file_bytes:
            self.skipped.append(Skipped(path, SkipReason.TOO_LARGE))
        else:
            self.files.append(
                FoundFile(path, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino),
            )

    def _descend(self, above: int, name: str, prefix: str, rules: tuple[IgnoreRules, ...], depth: int) -> None:
        path = prefix + name
        if len(self.files) >= self._settings.max_files:
            self.skipped.append(Skipped(path, SkipReason.TOO_MANY))
            return
        if depth >= MAX_DEPTH:
            self.skipped.append(Skipped(path, SkipReason.TOO_DEEP))
            return
        directory = open_subdirectory(above, name)
        if isinstance(directory, SkipReason):
            self.skipped.append(Skipped(path, directory))
            return
        try:
            self.visit(directory, f"{path}/", _entered(rules, name), depth + 1)
        finally:
            os.close(directory)

    def _rules(self, directory: int, prefix: str | None, names: Iterable[str]) -> tuple[IgnoreRules, ...]:
        """The rules of these ignore files, none or one value; one too large is listed if there is a prefix."""
        texts = []
        for name in names:
            data = read_regular(directory, name, min(MAX_IGNORE_BYTES, self._ignore_bytes))
            if not isinstance(data, SkipReason):
                self._ignore_bytes -= len(data)
                texts.append(decode(data))
            elif data is SkipReason.TOO_LARGE and prefix is not None:
                self.skipped.append(Skipped(prefix + name, SkipReason.IGNORE_FILE))
        rules = parse_rules("\n".join(texts)) if texts else None
        return () if rules is None else (rules,)

    def _exclude(self, directory: int) -> tuple[IgnoreRules, ...]:
        """The rules of `.git/info/exclude`."""
        rules: tuple[IgnoreRules, ...] = ()
        git = open_subdirectory(directory, ".git")
        if isinstance(git, SkipReason):
            return ()
        info = open_subdirectory(git, "info")
        os.close(git)
        if isinstance(info, int):
            rules = self._rules(info, None, ("exclude",))
            os.close(info)
        return rules


def _is_ignored(name: str, is_directory: bool, rules: tuple[IgnoreRules, ...]) -> bool:
    """What the nearest rules that speak of the name say."""
    for nearest in rules:
        verdict = nearest.ignores(name, is_directory)
        if verdict is not None:
            return verdict
    return False


def _entered(rules: tuple[IgnoreRules, ...], name: str) -> tuple[IgnoreRules, ...]:
    return tuple(rule.enter(name) for rule in rules) if rules else rules
