"""Read the messages of commits and the definitions they touch.

Only the lines of differences are read, never whole files: the definition around a change is named in the heading of the
hunk, or by the nearest line above it within the hunk. Patterns of the lines that begin a definition come from the
caller. A commit that git cannot read, or not in time, counts as one that touches nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, TypeVar

from msgspec import Struct

from avionics.history.commits import LOG, parse_commits
from avionics.history.diff import HUNK, PATCHES
from avionics.history.repo import GitRepository
from avionics.late_pattern import late_pattern
from avionics.model.errors import HistoryError

MAX_SOURCE_FILES = 10
"""A commit that changes more source files is no evidence about any of them."""
MAX_SYMBOLS = 30
"""A commit that touches more definitions is no evidence about any of them; one more is listed to show that."""
_MAX_FILES = 200
"""A commit over more files of any kind is a vendored tree or a reformat."""
_MAX_MESSAGE_CHARACTERS = 4_000
_MAX_LINE_BYTES = 300
"""The number of bytes of a line that are compared with a pattern."""
_MAX_FAILURES = 5
"""After this many commits that git could not read, the rest are postponed."""
_DIFF = ("diff-tree", "--stdin", "-r", "--root", "-M", "-l50", "--no-ext-diff", "--no-textconv", "--ignore-submodules")
_STATEMENTS = (
    r"[ \t]*(?:if|else|elif|for|foreach|while|switch|return|case|catch|except|with|try|do|throw|raise|await|yield"
    r"|assert|new|delete|goto|using|lock|synchronized|match|defer|go|select|until|unless)\b"
)
"""The beginnings of lines that look like the head of a function but are not, in any language."""
_STATEMENT = late_pattern(_STATEMENTS)


class TouchedCommit(Struct, frozen=True):
    """The message of a commit and the definitions it touches.

    Attributes:
        epoch: The author date in seconds since 1970.
        message: The beginning of its message.
        touched: The path and the unqualified name of each definition it touches, in order.
        renames: The former and the new path of each renamed source file.
    """

    oid: str
    epoch: int = 0
    message: str = ""
    touched: tuple[tuple[str, str], ...] = ()
    renames: tuple[tuple[str, str], ...] = ()


class DefinitionLines:
    r"""The lines that begin a definition, by the suffix of the file.

    A pattern matches at the start of such a line; the last group that matches is the name. Besides `(?:`, `\w` and `\b`
    it has only what extended regular expressions have.
    """

    def __init__(self, patterns: Mapping[str, str]) -> None:
        self._drivers = {pattern: f"lines{number}" for number, pattern in enumerate(dict.fromkeys(patterns.values()))}
        self._driver_of = {suffix: self._drivers[pattern] for suffix, pattern in patterns.items()}
        self._patterns = {suffix: re.compile(pattern) for suffix, pattern in patterns.items()}

    def is_source(self, path: str) -> bool:
        """Return whether the definitions of a file are known."""
        return os.path.splitext(path)[1] in self._patterns

    def get_name(self, path: str, line: str) -> str | None:
        """Return the name of the definition that a line of a file begins, or None."""
        pattern = self._patterns.get(os.path.splitext(path)[1])
        found = pattern.match(line) if pattern and not _STATEMENT.match(line) else None
        return found[found.lastindex] if found and found.lastindex else None

    def to_attributes(self) -> str:
        """Return the attributes that tell git the driver of each suffix, and to print no lines of other files."""
        lines = (f"*{suffix} diff={driver}\n" for suffix, driver in self._driver_of.items())
        return "* -diff\n" + "".join(lines)

    def to_options(self) -> tuple[str, ...]:
        """Return git's options that define the drivers."""
        excluded = _to_extended(_STATEMENTS)
        return tuple(
            option
            for pattern, driver in self._drivers.items()
            for option in ("-c", f"diff.{driver}.xfuncname=!^{excluded}\n^({_to_extended(pattern)}).*$")
        )


def _to_extended(pattern: str) -> str:
    """Return a pattern as an extended regular expression."""
    inner = re.sub(r"\[[^]]*\]", lambda found: found[0].replace(r"\w", "A-Za-z0-9_").replace(r"\t", "\t"), pattern)
    return inner.replace("(?:", "(").replace(r"\w", "[A-Za-z0-9_]").replace(r"\b", r"\>").replace(r"\d", "[0-9]")


def list_commits(repository: GitRepository, revision: str, limit: int) -> tuple[str, ...]:
    """Return the ids of the last commits that are not merges, newest first; ancestors follow descendants."""
    options = ("rev-list", "--no-merges", "--topo-order", f"--max-count={limit}", revision, "--")
    return tuple(repository.run_text(*options).split())


def read_touched(
    repository: GitRepository, oids: Sequence[str], definitions: DefinitionLines
) -> tuple[TouchedCommit, ...]:
    """Return the commits with messages and definitions, in order; commits postponed after failures are missing."""
    changes = _collect(repository, oids, (*_DIFF, "--raw", "-z"), _iter_changes)
    eligible = {oid: found for oid in oids if (found := changes.get(oid)) and _has_readable_changes(found, definitions)}
    attributes = repository.private.path / "definition-lines"
    attributes.write_text(definitions.to_attributes())
    options = ("-c", f"core.attributesFile={attributes}", *definitions.to_options(), *_DIFF, "--patch", "--unified=0")
    touched = _collect(
        repository, tuple(eligible), options, lambda output, asked: _iter_touched(output, asked, eligible, definitions)
    )
    messages = _read_messages(repository, [oid for oid, names in touched.items() if names])
    return tuple(
        TouchedCommit(
            oid,
            *messages.get(oid, (0, "")),
            tuple(touched.get(oid, ())),
            tuple((old, new) for status, old, new in eligible.get(oid, ()) if status == "R"),
        )
        for oid in oids
        if oid in changes and (oid in touched or oid not in eligible)
    )


_Change = tuple[str, str, str]
"""The letter of a status, the former path of a renamed file, and the path."""
_Result = TypeVar("_Result", bound=Sequence[object])
_Parse = Callable[[IO[bytes], frozenset[str]], Iterator[tuple[str, _Result]]]


def _has_readable_changes(changes: Sequence[_Change], definitions: DefinitionLines) -> bool:
    """Return whether a commit touches few enough files, and source."""
    sources = sum(definitions.is_source(path) for _, _, path in changes)
    return 0 < sources <= MAX_SOURCE_FILES and len(changes) <= _MAX_FILES


def _collect(
    repository: GitRepository, oids: Sequence[str], arguments: Sequence[str], parse: _Parse[_Result]
) -> dict[str, _Result | tuple[()]]:
    """Return commit → parsed output of git; commits postponed after too many failures are missing.

    Git ends at the first commit that it cannot read: the last one it printed, or the first of those that are left.
    """
    found: dict[str, _Result | tuple[()]] = {}
    rest = list(oids)
    for _ in range(_MAX_FAILURES):
        if not rest:
            break
        last = rest[0]
        try:
            with repository.stream(*arguments, given="".join(f"{oid}\n" for oid in rest).encode()) as output:
                for oid, value in parse(output, frozenset(rest)):
                    found[oid], last = value, oid
        except HistoryError:
            done = rest.index(last) + 1
        else:
            done = len(rest)
        found |= {oid: () for oid in rest[:done] if oid not in found}
        rest = rest[done:]
    return found


def _iter_changes(output: IO[bytes], asked: frozenset[str]) -> Iterator[tuple[str, list[_Change]]]:
    """Yield the commits of `--raw -z` with their changes, only the first of very many."""
    oid, changes = "", list[_Change]()
    tokens = _iter_tokens(output)
    for token in tokens:
        if token in asked:
            if oid:
                yield oid, changes
            oid, changes = token, []
        elif token.startswith(":"):
            status = token.rsplit(" ", 1)[1][:1]
            path, previous = next(tokens, ""), ""
            if status in "RC":
                previous, path = path, next(tokens, "")
            if len(changes) <= _MAX_FILES:
                changes += [(status, previous, path)] * PATCHES.get(status, 1)
    if oid:
        yield oid, changes


def _iter_tokens(output: IO[bytes]) -> Iterator[str]:
    """Yield the tokens between null characters."""
    rest = b""
    while piece := output.read(65536):
        *tokens, rest = (rest + piece).split(b"\0")
        for token in tokens:
            yield token.decode("utf-8", "surrogateescape")


def _iter_touched(
    output: IO[bytes], asked: frozenset[str], changes: Mapping[str, Sequence[_Change]], definitions: DefinitionLines
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the commits of a patch without context, with the paths and names that it touches.

    A changed line that begins a definition touches that one; any other touches the one above it. Lines are counted, so
    that none of a file can pose as a heading.
    """
    oid, touched = "", dict[tuple[str, str], None]()
    patches: Iterator[_Change] = iter(())
    path, name, left = "", None, 0
    for line in _iter_lines(output):
        if left and line[:1] in "+-":
            left -= 1
            name = definitions.get_name(path, line[1:]) or name
            if name and len(touched) <= MAX_SYMBOLS and line[1:].strip():
                touched[path, name] = None
        elif line in asked:
            if oid:
                yield oid, list(touched)
            oid, touched, patches = line, {}, iter(changes[line])
        elif line.startswith("diff --git "):
            _, _, path = next(patches, ("", "", ""))
        elif hunk := HUNK.match(line):
            name, left = definitions.get_name(path, hunk[5]), int(hunk[2] or 1) + int(hunk[4] or 1)
    if oid:
        yield oid, list(touched)


def _iter_lines(output: IO[bytes]) -> Iterator[str]:
    """Yield the beginnings of lines."""
    is_start = True
    while piece := output.readline(_MAX_LINE_BYTES):
        if is_start:
            yield piece.decode("utf-8", "replace").rstrip("\r\n")
        is_start = piece.endswith(b"\n")


def _read_messages(repository: GitRepository, oids: Sequence[str]) -> dict[str, tuple[int, str]]:
    """Return commit → the time and the beginning of the message; without those that git cannot print."""
    given = "".join(f"{oid}\n" for oid in oids).encode()
    try:
        text = repository.run_text(*LOG, "-z", "--no-walk=unsorted", "--stdin", given=given) if oids else ""
    except HistoryError:
        if len(oids) == 1:
            return {}
        middle = len(oids) // 2
        return _read_messages(repository, oids[:middle]) | _read_messages(repository, oids[middle:])
    return {
        commit.oid: (commit.epoch, f"{commit.subject}\n{commit.body}"[:_MAX_MESSAGE_CHARACTERS])
        for commit in parse_commits(text)
    }
