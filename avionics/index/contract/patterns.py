"""Match patterns over paths and module names, in every language.

| pattern | files |
|---|---|
| `src/api` | the file, or every file in the directory |
| `src/*/views.py`, `src/**/*.ts` | `*` stands for any characters but `/`, `**` for any characters |
| `shop.cart`, `crate::cart` | the module, and every module in it |
| `shop.*.models` | `*` stands for one name, or a part of one |
| `@core` | the files of the part `core` |
| `!src/api/v1` | in a list: without these |
| `src/api?` | may match no file |

A pattern without `/` is tried as a module's name and as a path.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from avionics.cancellation import check_cancelled
from avionics.index.model.cached_method import cached_method
from avionics.model.mappings import group_sets

_SEPARATOR = re.compile(r"[/.]|::")
_WILDCARD = re.compile(r"\*+")
_GLOB = re.compile(r"\*\*/|\*\*|\*|[^*]+")

MAX_WILDCARDS = 4
"""Matching may take as long as this power of the length of a path, and a hostile repository writes its own contract."""


class FilePattern(Struct, frozen=True):
    """One pattern.

    Attributes:
        text: As written.
        body: Without its marks.
        is_negated: Whether it excludes files.
        is_optional: Whether it may match no file.
    """

    text: str
    body: str
    is_negated: bool = False
    is_optional: bool = False

    @classmethod
    def parse(cls, text: str) -> FilePattern:
        """Return the pattern written in a text."""
        body = text.strip()
        is_negated, is_optional = body.startswith("!"), body.endswith("?")
        return cls(text, body.removeprefix("!").removesuffix("?").strip(), is_negated, is_optional)

    @property
    def part(self) -> str:
        """Return the part that the pattern refers to, "" if it refers to none."""
        return self.body[1:] if self.body.startswith("@") else ""

    @property
    def wildcards(self) -> int:
        """Return how many wildcards it has."""
        return len(_WILDCARD.findall(self.body))

    @property
    def is_path(self) -> bool:
        """Return whether it can only be a path."""
        return "/" in self.body or self.body in {"*", "**", "."}


FilePatterns = tuple[FilePattern, ...]


class FileGroup(Struct, frozen=True):
    """The files that a pattern, or one match of its wildcards, selects."""

    name: str
    files: frozenset[str]


class PatternMatcher:
    """Finds the files that patterns select, which may refer to named parts."""

    def __init__(
        self, files: Sequence[str], dotted_name: Callable[[str], str], parts: Mapping[str, FilePatterns]
    ) -> None:
        self._files = files
        self._dotted_name = dotted_name
        self._parts = parts
        self._empty: dict[str, None] = {}

    @property
    def empty(self) -> tuple[str, ...]:
        """Return the patterns asked for so far that match no file and are not optional."""
        return tuple(self._empty)

    def files(self, patterns: Iterable[FilePattern]) -> frozenset[str]:
        """Return the files of a list of patterns; a list of only negated patterns starts with all files."""
        listed = tuple(patterns)
        found: set[str] = set(self._files) if listed and all(each.is_negated for each in listed) else set()
        for pattern in listed:
            matched = self._match(pattern)
            found = found - matched if pattern.is_negated else found | matched
        return frozenset(found)

    def groups(self, patterns: Iterable[FilePattern]) -> tuple[FileGroup, ...]:
        """Return one group of files for each pattern, or for each match of its wildcards.

        A file that several groups have belongs to the one with the longest name, the most specific one.
        """
        (groups,) = self.partition((tuple(patterns),))
        return groups

    def partition(self, lists: Iterable[FilePatterns]) -> tuple[tuple[FileGroup, ...], ...]:
        """Return the groups of several lists of patterns; each file is in at most one group of one list."""
        listed = tuple(lists)
        groups: list[tuple[int, tuple[int, int], str, frozenset[str]]] = []
        for list_index, patterns in enumerate(listed):
            removed = frozenset().union(*(self._match(each) for each in patterns if each.is_negated))
            for pattern in patterns:
                if not pattern.is_negated:
                    self._match(pattern)
                    depth = self._depth(pattern)
                    groups += [
                        (list_index, depth, name, files - removed)
                        for name, files in sorted(self._find(pattern).items())
                    ]
        group_of: dict[str, int] = {}
        for number, (_, _, _, files) in sorted(enumerate(groups), key=lambda each: each[1][1], reverse=True):
            group_of |= {file: number for file in files if file not in group_of}
        members = group_sets((number, file) for file, number in group_of.items())
        result: list[list[FileGroup]] = [[] for _ in listed]
        for number, (list_index, _, name, _) in enumerate(groups):
            if number in members:
                result[list_index].append(FileGroup(name, frozenset(members[number])))
        return tuple(map(tuple, result))

    def _depth(self, pattern: FilePattern) -> tuple[int, int]:
        """Return how specific a pattern is: its number of names, then of characters that are not wildcards."""
        if pattern.part:
            return max((self._depth(each) for each in self._parts[pattern.part]), default=(0, 0))
        return len(_SEPARATOR.split(pattern.body)), len(pattern.body.replace("*", ""))

    def _match(self, pattern: FilePattern) -> frozenset[str]:
        found: frozenset[str] = frozenset().union(*self._find(pattern).values())
        if not found and not pattern.is_optional:
            self._empty[pattern.text] = None
        return found

    @cached_method
    def _find(self, pattern: FilePattern) -> Mapping[str, frozenset[str]]:
        """Return name → files for each match of the pattern's wildcards."""
        if pattern.part:
            return {pattern.part: self.files(self._parts[pattern.part])}
        body = pattern.body.removeprefix("./").rstrip("/")
        if body in {"", ".", "**"}:
            return {pattern.body: frozenset(self._files)}
        names: Iterable[tuple[str, str]] = ((path, path) for path in self._files)
        found = _collect(names, _compile_path(body), body)
        if not pattern.is_path:
            module = _collect(self._dotted.items(), _compile_module(body), body)
            for name, files in module.items():
                found[name] = found.get(name, frozenset()) | files
        return found

    @cached_property
    def _dotted(self) -> Mapping[str, str]:
        return {file: self._dotted_name(file) for file in self._files}


def _collect(names: Iterable[tuple[str, str]], pattern: re.Pattern[str], body: str) -> dict[str, frozenset[str]]:
    """Return each match of the wildcards → its files; a pattern with `**`, or without wildcards, has only one match."""
    is_single = "*" not in body or "**" in body
    found: defaultdict[str, set[str]] = defaultdict(set)
    for file, name in names:
        check_cancelled()
        match = pattern.match(name)
        if match is not None:
            found[body if is_single else match[1]].add(file)
    return {name: frozenset(files) for name, files in found.items()}


def _compile_path(body: str) -> re.Pattern[str]:
    """Return a pattern whose first group is the file or directory that matched."""
    spelled = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    pieces = [spelled.get(piece) or re.escape(piece) for piece in _GLOB.findall(body)]
    return re.compile(rf"({''.join(pieces)})(?:/.*)?\Z", re.DOTALL)


def _compile_module(body: str) -> re.Pattern[str]:
    """Return a pattern whose first group is the module that matched."""
    spelled = {"**/": ".*", "**": ".*", "*": "[^./]*"}
    pieces = [spelled.get(piece) or re.escape(piece) for piece in _GLOB.findall(body.replace("::", "."))]
    return re.compile(rf"({''.join(pieces)})(?:[./].*)?\Z", re.DOTALL)
