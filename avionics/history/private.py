"""A private git directory: our own configuration, with the repository's references, index and objects.

Git obeys the configuration of the directory it works on: programs for file watching, diffs, filters, pagers, remotes.
So it never sees that of the repository. It works on a copy of HEAD, references, index and shallow marks, beside an
empty work tree, and finds the objects through an alternate. New objects (contents of the real work tree) go into the
copy.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from avionics.history.files import get_irregular, get_mode, read_beneath
from avionics.history.layout import SMALL_FILE_BYTES, Layout, read_plain_config
from avionics.late_pattern import late_pattern
from avionics.model.errors import HistoryError
from avionics.scratch import ScratchDirectory

_MAX_COPY_BYTES = 500_000_000
"""The index of a million files is about 100 MB."""

_MAX_LOOSE_REFS = 100_000
_CONFIG = """[core]
\trepositoryformatversion = {version}
\tbare = false
\tfsmonitor = false
\thooksPath = /dev/null
\tattributesFile = /dev/null
\texcludesFile = /dev/null
\tquotePath = false
\tlogAllRefUpdates = false
\tbigFileThreshold = 20m
[gc]
\tauto = 0
[protocol]
\tallow = never
"""
_OID = late_pattern(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF = late_pattern(r"refs/[^\x00-\x20\x7f~^:?*\[\\]+")
_Stamp = tuple[tuple[str, int, int, int], ...]


class PrivateDirectory:
    """The private git directory of a layout, updated by `refresh()` and removed by `close()`."""

    def __init__(self, layout: Layout, cache_directory: Path) -> None:
        irregular = get_irregular(layout.common_directory / "objects")
        if irregular:
            raise HistoryError(
                f"the git objects are not usable: {irregular} is neither a file nor a directory",
                hint="run `git fsck` to see what is wrong",
            )
        self.layout = layout
        self._directory = ScratchDirectory("git", _outside(layout.root, cache_directory))
        self.path = self._directory.path
        self.tree = self.path / "tree"
        self.refs: Mapping[str, str] = {}
        self.head = ""
        self.index_time_ns = 0
        self.config = read_plain_config(read_beneath(layout.common_directory, "config", SMALL_FILE_BYTES) or b"")
        self.object_format = "sha256" if self.config.get("extensions.objectformat", "") == "sha256" else "sha1"
        self._stamp: _Stamp | None = None
        self._build()

    @property
    def is_shallow(self) -> bool:
        """Return whether the clone is shallow: it lacks older commits."""
        return (self.path / "shallow").exists()

    @property
    def head_oid(self) -> str:
        """Return HEAD's commit, "" before the first commit."""
        return self.refs.get(self.head, "") if self.head.startswith("refs/") else self.head

    def refresh(self) -> None:
        """Copy the parts of the repository that have changed since the last call."""
        stamp = _stamp_of(self.layout)
        if stamp == self._stamp:
            return
        self.head = _head_of(self.layout)
        self.refs = dict(_iter_packed_refs(self.layout)) | dict(_iter_loose_refs(self.layout))
        lines = [f"{oid} {name}\n" for name, oid in sorted(self.refs.items(), key=lambda ref: os.fsencode(ref[0]))]
        self._write("packed-refs", os.fsencode("# pack-refs with: sorted \n" + "".join(lines)))
        self._write("HEAD", os.fsencode(f"ref: {self.head}\n" if self.head.startswith("refs/") else f"{self.head}\n"))
        self._copy(self.layout.common_directory, "shallow")
        for name in _shared_indexes(self.layout.git_directory):
            self._copy(self.layout.git_directory, name)
        self._copy(self.layout.git_directory, "index")
        self.index_time_ns = next((time for name, time, _, _ in stamp if name.endswith("/index")), 0)
        self._stamp = stamp

    def close(self) -> None:
        """Remove the directory."""
        self._directory.close()

    def _build(self) -> None:
        """Create the parts that never change."""
        for name in ("refs", "objects/info", "tree"):
            (self.path / name).mkdir(parents=True)
        # Use a symbolic link, because not every path can be written in an alternates file.
        (self.path / "borrowed").symlink_to(self.layout.common_directory / "objects")
        (self.path / "objects/info/alternates").write_bytes(os.fsencode(self.path / "borrowed") + b"\n")
        is_sha256 = self.object_format == "sha256"
        text = _CONFIG.format(version=int(is_sha256)) + ("[extensions]\n\tobjectformat = sha256\n" if is_sha256 else "")
        (self.path / "config").write_text(text)

    def _copy(self, source: Path, name: str) -> None:
        """Copy a file of the repository; if it does not exist, remove the copy."""
        if get_mode(source / name) is None:
            (self.path / name).unlink(missing_ok=True)
            return
        content = read_beneath(source, name, _MAX_COPY_BYTES)
        if content is None:
            raise HistoryError(f"the git directory is not usable: {source / name} cannot be read as a plain file")
        self._write(name, content)

    def _write(self, name: str, content: bytes) -> None:
        """Replace a file atomically, so that a concurrent git command never sees half of it."""
        fresh = self.path / f"{name}.new"
        fresh.write_bytes(content)
        fresh.replace(self.path / name)


def _outside(root: Path, cache_directory: Path) -> str:
    """Return a directory for temporary files outside the workspace."""
    usual = Path(os.path.realpath(tempfile.gettempdir()))
    if not usual.is_relative_to(root):
        return str(usual)
    cache_directory.mkdir(parents=True, exist_ok=True)
    return str(cache_directory)


def _stamp_of(layout: Layout) -> _Stamp:
    """Return names, times, sizes and inodes of everything that a commit, a checkout or an add changes."""
    paths = [layout.git_directory / "HEAD", layout.git_directory / "index"]
    paths += [layout.common_directory / "packed-refs", layout.common_directory / "shallow"]
    paths += [layout.common_directory / name for name in _iter_loose_names(layout.common_directory)]
    found = []
    for path in paths:
        try:
            status = os.lstat(path)
        except OSError:
            continue
        found.append((str(path), status.st_mtime_ns, status.st_size, status.st_ino))
    return tuple(found)


def _head_of(layout: Layout) -> str:
    """Return the target of HEAD: a reference or, when detached, a commit."""
    content = read_beneath(layout.git_directory, "HEAD", SMALL_FILE_BYTES) or b""
    text = os.fsdecode(content).strip()
    name = text.removeprefix("ref:").strip()
    if _OID.fullmatch(text) or (text.startswith("ref:") and _is_ref(name)):
        return name
    raise HistoryError("the git directory is not usable: HEAD is invalid", hint="run `git fsck` to see what is wrong")


def _iter_packed_refs(layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield the references in `packed-refs`."""
    content = read_beneath(layout.common_directory, "packed-refs", _MAX_COPY_BYTES) or b""
    for line in os.fsdecode(content).split("\n"):
        oid, _, name = line.partition(" ")
        if _OID.fullmatch(oid) and _is_ref(name):
            yield name, oid


def _iter_loose_refs(layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield the references in separate files, except symbolic ones."""
    for name in _iter_loose_names(layout.common_directory):
        text = os.fsdecode(read_beneath(layout.common_directory, name, SMALL_FILE_BYTES) or b"").strip()
        if _is_ref(name) and _OID.fullmatch(text):
            yield name, text


def _iter_loose_names(common: Path) -> Iterator[str]:
    """Yield the regular files under `refs/`, without following links."""
    count = 0
    for directory, inner, names in os.walk(common / "refs"):
        inner.sort()
        for name in sorted(names):
            count += 1
            if count > _MAX_LOOSE_REFS:
                raise HistoryError("too many loose references", hint="run `git pack-refs --all`")
            yield os.path.relpath(os.path.join(directory, name), common)


def _is_ref(name: str) -> bool:
    """Return whether git could have written the name; any other would corrupt our `packed-refs`."""
    return bool(_REF.fullmatch(name)) and ".." not in name and "//" not in name and not name.endswith((".lock", "/"))


def _shared_indexes(git_directory: Path) -> list[str]:
    """Return the parts of a split index."""
    with os.scandir(git_directory) as entries:
        return [entry.name for entry in entries if re.fullmatch(r"sharedindex\.[0-9a-f]+", entry.name)]
