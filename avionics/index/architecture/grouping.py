"""Group the files of a workspace into a few directories, so that its structure fits one picture."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec import Struct, structs

from avionics.index.architecture.dependencies import Dependencies, ImportKind
from avionics.index.architecture.layering import assign_layers, select_feedback
from avionics.index.model.file_roles import FileRole, role_of
from avionics.model.mappings import group_pairs
from avionics.model.naming import plural

MAX_GROUPS = 30
"""The maximum number of groups in a picture; nobody can take in a larger one."""

_DOMINANT_SHARE = 0.35
"""A directory with a larger share of the product's lines is divided, since one box would show little of it."""

_MIN_PARTS = 6
"""A directory is divided only if this many of its parts can be drawn."""

OTHERS = "(others)"
"""The group of everything for which there is no room; `directory/(others)` holds the smallest parts of a directory."""


class Group(Struct, frozen=True):
    """Files that are drawn and counted together.

    Attributes:
        name: The directory; `directory/*` for the files directly in a directory whose subdirectories stand alone;
            `directory/stem.*` for the files of one stem; `(others)` and `directory/(others)` for those there is no
            room for.
        files: Sorted.
        is_product: Whether any of them is product code, not a test or an example.
    """

    name: str
    files: tuple[str, ...]
    lines: int
    is_product: bool

    @property
    def is_directory(self) -> bool:
        """Return whether it has all files of one directory."""
        return "*" not in self.name and not self.name.endswith(OTHERS)

    @property
    def patterns(self) -> tuple[str, ...]:
        """Return the patterns that select the files in a contract."""
        if self.name == OTHERS:
            return self.files
        if self.name.endswith(OTHERS):
            depth = self.name.count("/") + 1
            return tuple(sorted({"/".join(file.split("/")[:depth]) for file in self.files}))
        if not self.name.endswith("*") or self.name.endswith(".*"):
            return (self.name,)
        directory = self.name.removesuffix("*")
        return tuple(sorted({f"{directory}*{_extension(file)}" for file in self.files}))


class GroupLink(Struct, frozen=True):
    """The imports of one group from another.

    Attributes:
        first: A pair of files of which the first imports the second, for citations.
        is_feedback: Whether it runs against the layers: it is among the links that close cycles.
    """

    source: str
    target: str
    imports: int
    files: int
    first: tuple[str, str]
    is_feedback: bool = False

    def to_text(self) -> str:
        """Return who imports whom, and how much."""
        return f"{self.source} imports {self.target}: {plural(self.imports, 'name')} in {plural(self.files, 'file')}"


class Structure(Struct, frozen=True):
    """Groups of files, each with its layer (those in layer 0 import nothing), and the imports between them."""

    groups: Mapping[str, Group]
    links: tuple[GroupLink, ...]
    layers: Mapping[str, int]

    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Return the groups of each layer, the top layer first."""
        rows = group_pairs((layer, name) for name, layer in self.layers.items())
        return tuple(tuple(sorted(rows[layer])) for layer in sorted(rows, reverse=True))


def build_structure(dependencies: Dependencies, within: str = "") -> Structure:
    """Return the layers of a workspace, or of one of its directories; imports only for type checkers do not count."""
    groups = {group.name: group for group in _group_files(dependencies, within)}
    links = _find_links(dependencies, groups.values())
    graph: dict[str, dict[str, float]] = {name: {} for name in groups}
    for link in links:
        graph[link.source][link.target] = float(link.imports)
    order = tuple(groups)
    feedback = select_feedback(order, graph)
    marked = tuple(structs.replace(link, is_feedback=(link.source, link.target) in feedback) for link in links)
    return Structure(groups, marked, assign_layers(order, graph, feedback))


def _group_files(dependencies: Dependencies, within: str) -> tuple[Group, ...]:
    """Return the directories, the dominant ones divided as long as at most `MAX_GROUPS` result."""
    prefix = f"{within}/" if within else ""
    tree = _Tree(dependencies.lines, [file for file in dependencies.files if file.startswith(prefix)])
    groups = tree.children(within)
    while groups:
        name = max(groups, key=lambda each: (tree.weigh(groups[each]), each))
        if name.endswith(OTHERS) or tree.weigh(groups[name]) <= _DOMINANT_SHARE * max(tree.weigh(tree.all(within)), 1):
            break
        room = MAX_GROUPS + 1 - len(groups)
        inner = tree.stems(name, groups[name], room - 1) if name.endswith("*") else tree.children(name)
        if len(inner) > room >= _MIN_PARTS:
            inner = tree.keep_largest(inner, room, f"{name}/{OTHERS}")
        is_same = len(inner) == 1 and next(iter(inner)).endswith("*")
        if not inner or is_same or len(inner) > room:
            break
        del groups[name]
        groups |= inner
    kept = tree.keep_largest(groups, MAX_GROUPS, OTHERS)
    return tuple(tree.group(name, files) for name, files in sorted(kept.items()))


def _find_links(dependencies: Dependencies, groups: Iterable[Group]) -> tuple[GroupLink, ...]:
    """Return the imports between groups, sorted."""
    group_of = {file: group.name for group in groups for file in group.files}
    imports: defaultdict[tuple[str, str], int] = defaultdict(int)
    files: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    first: dict[tuple[str, str], tuple[str, str]] = {}
    for file in dependencies.files:
        source = group_of.get(file)
        for arc in dependencies.arcs(file) if source is not None else ():
            target = group_of.get(arc.target)
            if source is not None and target is not None and source != target and arc.kind is not ImportKind.TYPES:
                imports[source, target] += arc.imports
                files[source, target].add(file)
                first.setdefault((source, target), (file, arc.target))
    return tuple(GroupLink(*key, count, len(files[key]), first[key]) for key, count in sorted(imports.items()))


class _Tree:
    """Directories, what is in them, and how many lines of product code."""

    def __init__(self, lines: Mapping[str, int], files: Iterable[str]) -> None:
        self._lines = lines
        self._files: defaultdict[str, list[str]] = defaultdict(list)
        self._directories: defaultdict[str, set[str]] = defaultdict(set)
        for file in files:
            directory = file.rpartition("/")[0]
            self._files[directory].append(file)
            while directory:
                above = directory.rpartition("/")[0]
                self._directories[above].add(directory)
                directory = above

    def weigh(self, files: Iterable[str]) -> int:
        """Return how many lines of product code some files have."""
        return sum(self._lines[file] for file in files if role_of(file) is FileRole.PRODUCT)

    def all(self, directory: str) -> tuple[str, ...]:
        """Return the files of a directory and of those within."""
        inner = (file for each in sorted(self._directories[directory]) for file in self.all(each))
        return (*self._files[directory], *inner)

    def children(self, directory: str) -> dict[str, tuple[str, ...]]:
        """Return name → files of the subdirectories, and of the files directly within as `directory/*`."""
        found = {each: self.all(each) for each in sorted(self._directories[directory])}
        if self._files[directory]:
            found[f"{directory}/*" if directory else "*"] = tuple(self._files[directory])
        return found

    def stems(self, name: str, files: Iterable[str], room: int) -> dict[str, tuple[str, ...]]:
        """Return the largest files of one directory, those with the same stem together, and the rest as one group."""
        if name.endswith(".*"):
            return {}
        found = group_pairs((f"{file.removesuffix(_extension(file))}.*", file) for file in files)
        order = sorted(found, key=lambda stem: (-self.weigh(found[stem]), stem))
        if len(order) <= room:
            return {stem: tuple(found[stem]) for stem in order}
        largest = {stem: tuple(found[stem]) for stem in order[: max(0, room - 1)]}
        return largest | {OTHERS: tuple(file for stem in order[max(0, room - 1) :] for file in found[stem])}

    def keep_largest(self, groups: Mapping[str, tuple[str, ...]], limit: int, rest: str) -> dict[str, tuple[str, ...]]:
        """Return at most `limit` groups: the smallest become one group with the name `rest`."""
        if len(groups) <= limit:
            return dict(groups)
        order = sorted(groups, key=lambda name: (-self.weigh(groups[name]), -len(groups[name]), name))
        kept = {name: groups[name] for name in order[: limit - 1]}
        small = tuple(file for name in order[limit - 1 :] for file in groups[name])
        return kept | {rest: (*kept.get(rest, ()), *small)}

    def group(self, name: str, files: tuple[str, ...]) -> Group:
        """Return the group of some files."""
        is_product = any(role_of(file) is FileRole.PRODUCT for file in files)
        return Group(name, tuple(sorted(files)), sum(self._lines[file] for file in files), is_product)


def _extension(file: str) -> str:
    """Return `.ext`, "" for a name without one."""
    dot = file.rfind(".", file.rfind("/") + 2)
    return file[dot:] if dot > 0 else ""
