"""The files of a workspace and their text, as they are now."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from avionics.model.errors import SourceError, UsageError
from avionics.model.naming import did_you_mean
from avionics.settings import Settings
from avionics.source.paths import RepoPath, SkipReason
from avionics.source.read import Content, decode, iter_contents, lines_of, read_content
from avionics.source.walk import FoundFile, Walk, stat_file, walk

if TYPE_CHECKING:
    from avionics.source.ignored import IgnoredBy
    from avionics.source.search.engines import Narrowing, SearchResult
    from avionics.source.tree_status import TreeStatus

MAX_COMPARED_PATHS = 20_000
MAX_COMPARED_CHARACTERS = 300
"""Bounds the search for similar paths, which compares letter by letter."""


class SourceTree:
    """The files below one root.

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
        """Return every file at or below a path that no ignore rule excludes, and what was skipped.

        A path that names a file is included even if it is ignored. Raise `SourceError` if the path does not exist, or
        is a link or a special file; `UsageError` if it is not a path, or leads out of the workspace.
        """
        place = RepoPath.parse(path, self._spellings)
        if not place.parts:
            return self._walk_all()
        itself = self._read_status(place)
        if isinstance(itself, FoundFile):
            return Walk((itself,), ())
        if itself is not SkipReason.DIRECTORY:
            raise self._build_refusal(str(place), itself)
        return self._walk_all().below(str(place))

    def resolve(self, text: str) -> str:
        """Return a caller's path as a clean path relative to the root, "." for the root; it need not exist.

        Raise `UsageError` if it is not a path, or leads out of the workspace.
        """
        return str(RepoPath.parse(text, self._spellings))

    @property
    def ignored(self) -> tuple[IgnoredBy, ...]:
        """Return the rules that exclude most of the tree, as the last walk found; () before a walk."""
        return self._walked.ignored if self._walked else ()

    def find_lines(self, path: str) -> tuple[str, ...]:
        """Return the lines of a file that a text search can read; () if it cannot be read."""
        place = RepoPath.parse(path, self._spellings)
        content = next(self.iter_searched((str(place),)))
        return () if content.refused else lines_of(content.data)

    def find_paths(self, glob: str, path: str = ".") -> tuple[str, ...]:
        """Return the paths of the walk that match a glob (see `globs.compile_glob`) relative to the directory `path`.

        Raise `SourceError` if there is no such directory; `UsageError` if it is not a glob or a path, or leads out of
        the workspace.
        """
        from avionics.source.globs import compile_glob

        inside = self._strip_root(glob)
        matches = compile_glob(inside).fullmatch
        scope = "." if inside != glob else self.resolve(path)
        start = 0 if scope == "." else len(scope) + 1
        return tuple(found for found in self.walk(scope).paths if matches(found, start))

    def iter_contents(self, paths: Iterable[str]) -> Iterator[Content]:
        """Yield the contents of many files, or why they cannot be read; sorted by directory is the cheapest."""
        return iter_contents(self.root, paths, self.settings.max_file_bytes)

    def iter_searched(self, paths: Iterable[str]) -> Iterator[Content]:
        """Yield the contents of files for a text search, which also reads files that are too large to parse."""
        return iter_contents(self.root, paths, self.settings.max_searched_bytes)

    def read(self, path: str) -> bytes:
        """Return all bytes of a file.

        Raise `SourceError`, whose hint names the nearest path, if the file does not exist or cannot be read;
        `UsageError` if it is not a path, or leads out of the workspace.
        """
        place = RepoPath.parse(path, self._spellings)
        content = self._read_content(place)
        if content.refused is None:
            return content.data
        raise self._build_refusal(str(place), content.refused)

    def read_known(self, path: str) -> bytes:
        """Return all bytes of a file that existed; raises as `read`, but without looking for similar paths."""
        content = self._read_content(RepoPath.parse(path, self._spellings))
        if content.refused is None:
            return content.data
        raise SourceError(f"{path[:200]!r} cannot be read any more: {content.refused.value}")

    def text(self, path: str) -> str:
        """Return a file as text; bytes that are not UTF-8 become lone surrogates. Raises as `read`."""
        return decode(self.read(path))

    def lines(self, path: str, start: int = 1, end: int | None = None) -> tuple[str, ...]:
        """Return lines `start` to `end` of a file, counted from 1 and inclusive; fewer if the file is shorter.

        Raise `UsageError` if the range is invalid or the path leads out of the workspace, else what `read` raises.
        """
        if start < 1 or (end is not None and end < start):
            raise UsageError(
                f"invalid range of lines: {start} to {end}", hint="lines count from 1; the end is included"
            )
        return lines_of(self.read(path))[start - 1 : end]

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
        """Return the lines that match a pattern (its language: `avionics.source.search.pattern`).

        Args:
            pattern: What to look for.
            paths: Clean relative paths to search, each once, in this order; all files of the walk if None.
            case_sensitive: Whether case matters.
            literal: Whether the pattern is plain text.
            limit: The maximum number of matches, limited by `settings.max_matches`.
            narrow: Returns which files need to be read.

        Raises:
            UsageError: The pattern is invalid.
        """
        from avionics.source.search import python_search as pysearch
        from avionics.source.search.engines import Feed, run_search
        from avionics.source.search.pattern import parse_pattern
        from avionics.source.search.ripgrep import get_ripgrep, ripgrep_engine

        node = parse_pattern(pattern, literal=literal, case_sensitive=case_sensitive)
        chosen = self.walk().paths if paths is None else tuple(paths)
        most = min(self.settings.max_matches if limit is None else limit, self.settings.max_matches)
        possible = None if narrow is None else narrow(node)
        program = get_ripgrep(self.settings, self.root)
        if program is not None:
            try:
                feed = Feed(chosen, self.iter_searched, possible)
                return run_search(ripgrep_engine(program), "ripgrep", node, feed, most, self.settings)
            except (SourceError, OSError):
                # The pattern is too large for ripgrep, or ripgrep does not start: use the other engine.
                pass
        feed = Feed(chosen, self.iter_searched, possible)
        return run_search(pysearch.iter_hits, "python", node, feed, most, self.settings)

    def sift(self, paths: Sequence[str], word: str, is_folded: bool, seconds: float) -> set[str] | None:
        """Return the files that may contain a word in any case; None if reading them all is as fast."""
        from avionics.source.search.ripgrep import get_ripgrep, sift

        program = get_ripgrep(self.settings, self.root)
        if program is None:
            return None
        return sift(program, self.root, paths, word, is_folded, time.monotonic() + seconds)

    def find_near(self, path: str, limit: int = 3) -> tuple[str, ...]:
        """Return the existing paths most similar to one that does not exist, best first."""
        import difflib

        paths = self.walk().paths
        name = path.rpartition("/")[2]
        same = sorted((found for found in paths if found.rpartition("/")[2] == name), key=len)
        comparable = paths if len(path) <= MAX_COMPARED_CHARACTERS else ()
        close = difflib.get_close_matches(path, comparable[:MAX_COMPARED_PATHS], n=limit)
        return tuple(dict.fromkeys((*same, *close)))[:limit]

    @property
    def status(self) -> TreeStatus | None:
        """Return the status that the last walk depended on, for a walk of another process."""
        return self._walked.status if self._walked else None

    def remember(self, walk: Walk) -> None:
        """Use a walk of an earlier process as the last walk."""
        self._walked = walk

    def _walk_all(self) -> Walk:
        """Return every file, and what was skipped."""
        self._walked = walk(self.root, self.settings, self._walked)
        return self._walked

    def _read_status(self, place: RepoPath) -> FoundFile | SkipReason:
        """Return the status of one file, or why there is no file to read."""
        return stat_file(self.root, place)

    def _read_content(self, place: RepoPath) -> Content:
        """Return the bytes of one file, or why they cannot be read."""
        return read_content(self.root, place, self.settings.max_file_bytes)

    def _strip_root(self, glob: str) -> str:
        """Strip one of the root's spellings from the start of a glob."""
        for root in self._spellings:
            if glob.startswith(f"{root}/"):
                return f"./{glob[len(str(root)) + 1 :]}"
        return glob

    def _build_refusal(self, path: str, reason: SkipReason) -> SourceError:
        """Return the error for a path that cannot be read; its hint says what to do instead."""
        shown = repr(path[:200])
        if reason is SkipReason.MISSING:
            near = self.find_near(path)
            hint = did_you_mean(near, "give a path relative to the workspace")
            return SourceError(f"there is no file {shown}", hint=hint)
        if reason is SkipReason.TOO_LARGE:
            most = self.settings.max_file_bytes
            return SourceError(f"{shown} is larger than {most:,} bytes", hint="generated files are not read")
        if reason is SkipReason.DIRECTORY:
            return SourceError(f"{shown} is a directory", hint="name a file in it")
        if reason is SkipReason.NOT_FETCHED:
            return SourceError(f"{shown} is not in this partial clone", hint="`git show REVISION:PATH` fetches it")
        return SourceError(f"{shown} cannot be read: {reason.value}", hint="only regular files are read, no links")
