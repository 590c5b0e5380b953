"""The source sense's one face: the files of a workspace and the text in them, as they are now.

Knows: one root.
Does not know: languages, history, the index.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from avionics.model.errors import SourceError, UsageError
from avionics.settings import Settings
from avionics.source.globs import compile_glob
from avionics.source.paths import RepoPath, SkipReason
from avionics.source.read import (
    BINARY_PROBE_BYTES,
    Content,
    decode,
    is_binary,
    iter_contents,
    lines_of,
    read_content,
)
from avionics.source.walk import FoundFile, Walk, stat_file, walk

if TYPE_CHECKING:
    from avionics.source.search.engines import Narrowing, SearchResult

MAX_COMPARED_PATHS = 20_000
MAX_COMPARED_CHARACTERS = 300
"""Bounds of the search for near names, which compares letter by letter."""


class SourceTree:
    """The files below one root.

    Args:
        root: An existing directory.
        settings: The limits that hold.

    Raises:
        UsageError: The root is not a directory.
    """

    def __init__(self, root: Path, settings: Settings) -> None:
        self.root = root.resolve()
        self.settings = settings
        self._spellings = (self.root, root.absolute())
        self._walked: Walk | None = None
        if not self.root.is_dir():
            raise UsageError(f"not a directory: {str(root)!r}", hint="give the directory of a codebase")

    def walk(self, path: str = ".") -> Walk:
        """Every file at or below a path that no ignore rule leaves out, and what was skipped there.

        A file that is named itself is there even if it is ignored.

        Raises:
            SourceError: There is no such path, or it is a link or the like.
            UsageError: It is not a path, or leads out.
        """
        place = RepoPath.parse(path, self._spellings)
        if not place.parts:
            return self._walk_all()
        itself = self._stat(place)
        if isinstance(itself, FoundFile):
            return Walk((itself,), ())
        if itself is not SkipReason.DIRECTORY:
            raise self._refusal(str(place), itself)
        return self._walk_all().below(str(place))

    def resolve(self, text: str) -> str:
        """What a caller typed as a clean path relative to the root, "." for the root; it need not exist.

        Raises:
            UsageError: It is not a path, or leads out.
        """
        return str(RepoPath.parse(text, self._spellings))

    def find_paths(self, glob: str, path: str = ".") -> tuple[str, ...]:
        """The walk's paths that match a glob (see `globs.compile_glob`) which starts at the directory `path`.

        Raises:
            SourceError: There is no such directory.
            UsageError: It is not a glob or a path, or leads out.
        """
        inside = self._below_root(glob)
        matches = compile_glob(inside).fullmatch
        scope = "." if inside != glob else self.resolve(path)
        start = 0 if scope == "." else len(scope) + 1
        return tuple(found for found in self.walk(scope).paths if matches(found, start))

    def iter_contents(self, paths: Iterable[str]) -> Iterator[Content]:
        """The contents of many files (or why they could not be read), in the order given; by directory is cheapest."""
        return iter_contents(self.root, paths, self.settings.max_file_bytes)

    def read(self, path: str) -> bytes:
        """All bytes of a file.

        Raises:
            SourceError: There is no such file, or it is not one to read; the hint names the nearest.
            UsageError: It is not a path, or leads out.
        """
        place = RepoPath.parse(path, self._spellings)
        content = self._content(place)
        if content.refused is None:
            return content.data
        raise self._refusal(str(place), content.refused)

    def read_known(self, path: str) -> bytes:
        """All bytes of a file that was there; raises as `read`, but looks for no near paths: nobody asked for it."""
        content = self._content(RepoPath.parse(path, self._spellings))
        if content.refused is None:
            return content.data
        raise SourceError(f"{path[:200]!r} cannot be read any more: {content.refused.value}")

    def text(self, path: str) -> str:
        """A file as text; bytes that are not UTF-8 become lone surrogates. Raises as `read`."""
        return decode(self.read(path))

    def lines(self, path: str, start: int = 1, end: int | None = None) -> tuple[str, ...]:
        """Lines `start` to `end` of a file, both counted from 1 and included; fewer when the file is shorter.

        Raises:
            UsageError: The range is not one, or the path leads out.
            SourceError: As `read`.
        """
        if start < 1 or (end is not None and end < start):
            raise UsageError(f"not a range of lines: {start} to {end}", hint="lines count from 1, the end is included")
        return lines_of(self.read(path))[start - 1 : end]

    def is_binary(self, path: str) -> bool:
        """Whether a file is not text. Raises as `read`."""
        return is_binary(self.read(path)[:BINARY_PROBE_BYTES])

    def search(
        self,
        pattern: str,
        *,
        paths: Iterable[str] | None = None,
        case_sensitive: bool = True,
        literal: bool = False,
        limit: int | None = None,
        narrow: Narrowing | None = None,
    ) -> SearchResult:
        """Lines that match a pattern (its language: `avionics.source.search.pattern`).

        Args:
            pattern: What to look for.
            paths: Clean relative paths to search, each once, in this order; all files of the walk when None.
            case_sensitive: Whether upper and lower case differ.
            literal: Whether the pattern is plain text.
            limit: The most matches to collect; `settings.max_matches` at most.
            narrow: Says which files need not be read.

        Raises:
            UsageError: The pattern is not one.
        """
        from avionics.source.search import python_search as pysearch
        from avionics.source.search.engines import Feed, run_search
        from avionics.source.search.pattern import parse_pattern
        from avionics.source.search.ripgrep import get_ripgrep, ripgrep_engine

        node = parse_pattern(pattern, literal=literal, case_sensitive=case_sensitive)
        chosen = tuple([file.path for file in self.walk().files] if paths is None else paths)
        most = min(self.settings.max_matches if limit is None else limit, self.settings.max_matches)
        possible = None if narrow is None else narrow(node)
        program = get_ripgrep(self.settings, self.root)
        if program is not None:
            try:
                feed = Feed(chosen, self.iter_contents, possible)
                return run_search(ripgrep_engine(program), "ripgrep", node, feed, most, self.settings)
            except (SourceError, OSError):
                # A pattern too large for ripgrep, or a program that does not start: the other engine answers.
                pass
        feed = Feed(chosen, self.iter_contents, possible)
        return run_search(pysearch.iter_hits, "python", node, feed, most, self.settings)

    def sift(self, paths: Sequence[str], word: str, is_folded: bool, seconds: float) -> set[str] | None:
        """Those of the files that may hold a word, as it is written or in any case and with any underscores.

        None where that cannot be told sooner than by reading them all.
        """
        from avionics.source.search.ripgrep import get_ripgrep, sift

        program = get_ripgrep(self.settings, self.root)
        if program is None:
            return None
        return sift(program, self.root, paths, word, is_folded, time.monotonic() + seconds)

    def find_near(self, path: str, limit: int = 3) -> tuple[str, ...]:
        """The existing paths most like one that does not exist, nearest first."""
        import difflib

        paths = self.walk().paths
        name = path.rpartition("/")[2]
        same = sorted((found for found in paths if found.rpartition("/")[2] == name), key=len)
        comparable = paths if len(path) <= MAX_COMPARED_CHARACTERS else ()
        close = difflib.get_close_matches(path, comparable[:MAX_COMPARED_PATHS], n=limit)
        return tuple(dict.fromkeys((*same, *close)))[:limit]

    def _walk_all(self) -> Walk:
        """Every file there is, and what was skipped."""
        self._walked = walk(self.root, self.settings, self._walked)
        return self._walked

    def _stat(self, place: RepoPath) -> FoundFile | SkipReason:
        """One file, or why there is none to read."""
        return stat_file(self.root, place)

    def _content(self, place: RepoPath) -> Content:
        """One file's bytes, or why they cannot be had."""
        return read_content(self.root, place, self.settings.max_file_bytes)

    def _below_root(self, glob: str) -> str:
        """A glob that starts with one of the root's spellings, without it; any other as it is."""
        for root in self._spellings:
            if glob.startswith(f"{root}/"):
                return f"./{glob[len(str(root)) + 1 :]}"
        return glob

    def _refusal(self, path: str, reason: SkipReason) -> SourceError:
        shown = repr(path[:200])
        if reason is SkipReason.MISSING:
            near = self.find_near(path)
            hint = f"did you mean {', '.join(near)}?" if near else "list the files first"
            return SourceError(f"there is no file {shown}", hint=hint)
        if reason is SkipReason.TOO_LARGE:
            most = self.settings.max_file_bytes
            return SourceError(f"{shown} is larger than {most:,} bytes", hint="generated files are not read")
        if reason is SkipReason.DIRECTORY:
            return SourceError(f"{shown} is a directory", hint="name a file in it")
        if reason is SkipReason.NOT_FETCHED:
            return SourceError(f"{shown} is not in this partial clone", hint="`git show REVISION:PATH` fetches it")
        return SourceError(f"{shown} cannot be read: {reason.value}", hint="only regular files are read, no links")
