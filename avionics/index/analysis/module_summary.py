"""Module maps: what a directory or file contains and exports, what it imports and who imports it.

Everything comes from outlines alone: one pass over the workspace's imports gives both directions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from avionics.index.analysis.public_api import ExportedSymbol, find_offers
from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.references.import_graph import Cycle, Edge, TypeChecking, find_cycles, get_distribution, iter_edges
from avionics.index.scopes.symbol_lookup import is_within
from avionics.model.mappings import group_pairs
from avionics.model.naming import count_shared
from avionics.syntax.registry import get_language, require_spec

_CONTAINED, _MAX_EXPANDED = 0.5, 20
"""A directory with a larger share of the product's lines is listed by its contents, if these are few."""


_MAX_PARTS = 2
"""A standard module with more imported parts is listed by their names."""
_MAX_IMPORTERS = 8
"""So few files that import a file are each a place; more are grouped by their directories."""


class Part(Struct, frozen=True):
    """A module or directory within the place: its size, purpose, and the number of files outside that import it."""

    path: str
    is_file: bool
    files: int
    lines: int
    symbols: int
    doc: str
    importers: int


class Link(Struct, frozen=True):
    """Imports between the mapped place and another.

    Attributes:
        imports: The number of imported names.
        names: Those names, most imported first.
        first: The first of the imports.
        only: "for type checkers" or "within functions" if all of them are; else "".
    """

    place: str
    files: int
    imports: int
    names: tuple[str, ...]
    first: Edge
    only: str = ""


class ModuleMap(Struct, frozen=True):
    """The map of a directory or file.

    Attributes:
        package_file: The file that represents it: itself, or one its language names (`__init__.py`); "" for none.
        files: The files in it, of supported languages.
        suffixes: Suffix → number of files in unsupported languages.
        parts: Its contents, by import count.
        offers: Its public symbols, most used first.
        offered: How they are determined: "`__all__`", "exports of index.ts", …
        uses: The places of the workspace it imports.
        outside: The external packages it imports, without the standard library.
        standard: The modules of the standard library it imports.
        users: The places that import it, without tests.
        cycles: Import cycles among its parts.
    """

    package_file: str
    files: tuple[str, ...]
    lines: int
    symbols: int
    suffixes: Mapping[str, int]
    parts: tuple[Part, ...]
    offers: tuple[ExportedSymbol, ...]
    offered: str
    uses: tuple[Link, ...]
    outside: tuple[Link, ...]
    standard: tuple[str, ...]
    users: tuple[Link, ...]
    tests: tuple[Link, ...]
    cycles: tuple[Cycle, ...]


def build_module_map(code: CodeIndex, path: str, depth: int, read_text: Callable[[str], str]) -> ModuleMap:
    """Return the map of a directory or file of the snapshot, "." for the root.

    Directories are separate parts down to a depth. `read_text` is called only for files with imports that may be meant
    for type checkers alone.
    """
    inside = tuple(file for file in code.files if is_within(file, path))
    code.load_facts(inside)
    edges = tuple(iter_edges(code.source, code.graph.edges, path))
    entering = [edge for edge in edges if edge.target and is_within(edge.target, path)]
    incoming = [edge for edge in entering if not is_within(edge.file, path)]
    outgoing = [edge for edge in edges if is_within(edge.file, path)]
    leaving = [edge for edge in outgoing if edge.target and not is_within(edge.target, path)]
    foreign = [edge for edge in outgoing if not edge.target]
    is_file = inside == (path,)
    package_file = path if is_file else get_package_file(code, path)
    offered, offers = find_offers(code, path, package_file, inside, edges)
    others = [edge for edge in foreign if get_distribution(edge)]
    product = [edge for edge in incoming if role_of(edge.file) is not FileRole.TEST]
    tests = [edge for edge in incoming if role_of(edge.file) is FileRole.TEST]
    are_few = is_file and len({edge.file for edge in product}) <= _MAX_IMPORTERS
    part_of = _build_part_naming(code, inside, path, depth)
    checking = TypeChecking(code.source, read_text)
    return ModuleMap(
        package_file,
        inside,
        sum(code.facts(file).lines for file in inside),
        sum(len(code.facts(file).symbols) for file in inside),
        _count_suffixes(code, path),
        () if is_file else _find_parts(code, inside, part_of, edges),
        offers,
        offered,
        _find_links(leaving, lambda edge: _place_beside(edge.target, path), checking),
        _find_links(others, get_distribution),
        _list_standard_modules(edge.module for edge in foreign if not get_distribution(edge)),
        _find_links(product, lambda edge: edge.file if are_few else _place_beside(edge.file, path), checking),
        _find_links(tests, lambda edge: edge.file),
        () if is_file else find_cycles([file for file in inside if file != package_file], outgoing, part_of, checking),
    )


def _list_standard_modules(modules: Iterable[str]) -> tuple[str, ...]:
    """Return standard modules by their first name, or two if one has most of the library: `java.util`, `std.io`."""
    within: dict[str, set[str]] = defaultdict(set)
    for module in modules:
        first, *rest = module.removeprefix("node:").split(".")
        within[first].add(".".join((first, *rest[:1])))
    parts = {first: found - {first} for first, found in within.items() if first}
    names = ((found if len(found) > _MAX_PARTS else {first}) for first, found in parts.items())
    return tuple(sorted(name for group in names for name in group))


def get_package_file(code: CodeIndex, directory: str) -> str:
    """Return the file that represents a directory, "" if there is none."""
    prefix = "" if directory == "." else f"{directory}/"
    languages = {language for file in code.files if file.startswith(prefix) and (language := get_language(file))}
    names = (name for language in sorted(languages) for name in require_spec(language).doc_files)
    return next((f"{prefix}{name}" for name in names if code.has_file(f"{prefix}{name}")), "")


def _count_suffixes(code: CodeIndex, path: str) -> Mapping[str, int]:
    """Return suffix → number of files in unsupported languages, most first."""
    counts = Counter(
        _suffix(file) for file, entry in code.snapshot.entries.items() if not entry.language and is_within(file, path)
    )
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _suffix(file: str) -> str:
    name = file.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    return f".{suffix}" if dot and stem else name


def _build_part_naming(code: CodeIndex, files: tuple[str, ...], path: str, depth: int) -> Callable[[str], str]:
    """Return a function from a file to its part of the mapped place: a file in it, or a directory up to `depth` below.

    A directory that contains most of the product and is not a package is replaced by its contents.
    """
    start = 0 if path == "." else path.count("/") + 1
    lines = {file: code.facts(file).lines for file in files if role_of(file) <= FileRole.AUXILIARY}
    opened: set[str] = set()

    def name(file: str) -> str:
        steps = file.split("/")
        end = start + depth
        while "/".join(steps[:end]) in opened:
            end += 1
        return "/".join(steps[:end])

    while True:
        sizes: Counter[str] = Counter()
        for file, count in lines.items():
            sizes[name(file)] += count
        largest, size = next(iter(sizes.most_common(1)), ("", 0))
        if size <= _CONTAINED * sum(lines.values()) or largest in lines or get_package_file(code, largest):
            return name
        opened.add(largest)
        if len({name(file) for file in lines}) > _MAX_EXPANDED:
            opened.discard(largest)
            return name


def _place_beside(file: str, path: str) -> str:
    """Return the part of the workspace of a file, relative to a path: the first component where their paths differ."""
    if path == ".":
        return file.partition("/")[0]
    here, there = path.split("/"), file.split("/")
    return "/".join(there[: count_shared(here, there) + 1])


def _find_parts(
    code: CodeIndex, files: Iterable[str], part_of: Callable[[str], str], edges: Iterable[Edge]
) -> tuple[Part, ...]:
    """Return the parts: product code first, then those that most files outside import, then the largest."""
    members = group_pairs((part_of(file), file) for file in files)
    users: dict[str, set[str]] = defaultdict(set)
    for edge in edges:
        part = part_of(edge.target) if edge.target else ""
        if part in members and part_of(edge.file) != part:
            users[part].add(edge.file)
    parts = []
    for path, inside in members.items():
        doc_file = path if path in inside else get_package_file(code, path)
        facts = [code.facts(file) for file in inside]
        doc = code.facts(doc_file).doc if doc_file else ""
        symbols = sum(len(each.symbols) for each in facts)
        is_file = inside == [path]
        parts.append(
            Part(path, is_file, len(inside), sum(each.lines for each in facts), symbols, doc, len(users[path]))
        )
    return tuple(sorted(parts, key=lambda part: (_role_of_part(part.path), -part.importers, -part.lines, part.path)))


def _role_of_part(path: str) -> FileRole:
    """Return the role of a file, or of the contents of a directory."""
    return max(role_of(path), role_of(f"{path}/file"))


def _find_links(
    edges: Iterable[Edge], place_of: Callable[[Edge], str], checking: TypeChecking | None = None
) -> tuple[Link, ...]:
    """Return imports grouped by place: product code first, then those made by most files."""
    grouped = group_pairs((place_of(edge), edge) for edge in edges)
    links = []
    for place, group in grouped.items():
        names = Counter(edge.name or edge.module for edge in group)
        common = tuple(name for name, _ in names.most_common())
        first = min(group, key=lambda edge: (role_of(edge.file), edge.is_lazy, edge.file, edge.line))
        only = ""
        if checking is not None and all(checking.covers(edge) for edge in group):
            only = "for type checkers"
        elif all(edge.is_lazy for edge in group):
            only = "within functions"
        links.append(Link(place, len({edge.file for edge in group}), len(group), common, first, only))
    return tuple(sorted(links, key=lambda link: (role_of(link.first.file), -link.files, -link.imports, link.place)))
