"""Module maps: what a directory or file holds, what it offers, what it needs and who needs it.

Everything comes from outlines alone: one pass over the workspace's imports gives both directions.

Knows: outlines, imports and places.
Does not know: uses within functions, how a map is shown.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping

import attrs

from avionics.index.code_index import CodeIndex
from avionics.index.import_edges import Cycle, Edge, TypeChecking, find_cycles, iter_edges
from avionics.index.names import is_within
from avionics.index.places import Standing, standing_of
from avionics.index.scopes import is_class
from avionics.index.values import Module, Variable
from protocols.enums import SymbolKind
from protocols.facts import Symbol
from protocols.knowledge import Definition

_PACKAGE_FILES = ("__init__.py", "__init__.pyi")
_MEMBERS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.FUNCTION})


@attrs.frozen
class Offer:
    """A public symbol: the name it is offered by, where it is defined, how many files outside import it."""

    name: str
    definition: Definition
    importers: int
    members: tuple[str, ...] = ()


@attrs.frozen
class Part:
    """A module or directory within: its size, purpose, and how many files outside of it import it."""

    path: str
    files: int
    lines: int
    symbols: int
    doc: str
    importers: int


@attrs.frozen
class Link:
    """Imports between the mapped place and another.

    Attributes:
        place: The other.
        files: How many files make them.
        imports: How many names they take.
        names: Those names, most taken first.
        first: The first of them.
        only: "for type checkers" or "within functions" where all of them are; else "".
    """

    place: str
    files: int
    imports: int
    names: tuple[str, ...]
    first: Edge
    only: str = ""


@attrs.frozen
class ModuleMap:
    """The map of a directory or file.

    Attributes:
        path: The place, "." for the root.
        package_file: The file that speaks for it: itself, or the directory's `__init__`; "" for none.
        files: Its files in a known language.
        lines: Their lines.
        symbols: Their definitions.
        suffixes: Suffix → how many files of no known language.
        parts: What lies within, most imported first.
        offers: Its public symbols, most imported first.
        offered: Why those: "`__all__`", "names of its `__init__`", …
        uses: The places of the workspace it imports.
        outside: The packages outside it imports; the standard library is apart.
        standard: Names of standard modules it imports.
        users: The places that import it, tests left out.
        tests: The test files that import it.
        cycles: Cycles among its parts.
    """

    path: str
    package_file: str
    files: tuple[str, ...]
    lines: int
    symbols: int
    suffixes: Mapping[str, int]
    parts: tuple[Part, ...]
    offers: tuple[Offer, ...]
    offered: str
    uses: tuple[Link, ...]
    outside: tuple[Link, ...]
    standard: tuple[str, ...]
    users: tuple[Link, ...]
    tests: tuple[Link, ...]
    cycles: tuple[Cycle, ...]


def build_module_map(code: CodeIndex, path: str, depth: int, read_text: Callable[[str], str]) -> ModuleMap:
    """The map of a directory or file of the snapshot.

    Args:
        code: The index.
        path: A directory or file, "." for the root.
        depth: How many levels of directories count as parts of their own.
        read_text: The text of a file; asked only for files whose imports may be for type checkers alone.
    """
    code.load_facts(code.files)
    inside = tuple(file for file in code.files if is_within(file, path))
    edges = tuple(iter_edges(code))
    entering = [edge for edge in edges if edge.target and is_within(edge.target, path)]
    incoming = [edge for edge in entering if not is_within(edge.file, path)]
    outgoing = [edge for edge in edges if is_within(edge.file, path)]
    leaving = [edge for edge in outgoing if edge.target and not is_within(edge.target, path)]
    foreign = [edge for edge in outgoing if not edge.target]
    is_file = inside == (path,)
    package_file = path if is_file else get_package_file(code, path)
    importers = _count_importers(edges)
    offered, offers = _find_offers(code, path, package_file, inside, importers)
    standard = sorted({edge.module.partition(".")[0] for edge in foreign} & sys.stdlib_module_names)
    others = [edge for edge in foreign if edge.module.partition(".")[0] not in sys.stdlib_module_names]
    product = [edge for edge in incoming if standing_of(edge.file) is not Standing.TEST]
    tests = [edge for edge in incoming if standing_of(edge.file) is Standing.TEST]
    part_of = _part_names(path, depth)
    checking = TypeChecking(code, read_text)
    return ModuleMap(
        path,
        package_file,
        inside,
        sum(code.facts(file).lines for file in inside),
        sum(len(code.facts(file).symbols) for file in inside),
        _count_suffixes(code, path),
        () if is_file else _find_parts(code, inside, part_of, edges),
        offers,
        offered,
        _find_links(leaving, lambda edge: _beside(edge.target, path), checking),
        _find_links(others, lambda edge: edge.module.partition(".")[0]),
        tuple(standard),
        _find_links(product, lambda edge: _beside(edge.file, path), checking),
        _find_links(tests, lambda edge: edge.file),
        () if is_file else find_cycles([file for file in inside if file != package_file], outgoing, part_of, checking),
    )


def get_package_file(code: CodeIndex, directory: str) -> str:
    """The file that speaks for a directory, "" when it has none."""
    names = _PACKAGE_FILES if directory == "." else tuple(f"{directory}/{name}" for name in _PACKAGE_FILES)
    return next((name for name in names if code.has_file(name)), "")


def _count_importers(edges: Iterable[Edge]) -> Mapping[tuple[str, str], int]:
    """(file, name) → how many other files import that name from it; ("file", "") counts any import."""
    seen = {(edge.target, name, edge.file) for edge in edges if edge.target for name in ("", edge.name)}
    return Counter((target, name) for target, name, file in seen if file != target)


def _count_suffixes(code: CodeIndex, path: str) -> Mapping[str, int]:
    """Suffix → files of no known language, most first."""
    counts = Counter(
        _suffix(file) for file, entry in code.snapshot.entries.items() if not entry.language and is_within(file, path)
    )
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _suffix(file: str) -> str:
    name = file.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    return f".{suffix}" if dot and stem else name


def _part_names(path: str, depth: int) -> Callable[[str], str]:
    """File → the part of the mapped place it belongs to: a file directly in it, or a directory up to `depth` below."""
    start = 0 if path == "." else path.count("/") + 1

    def name(file: str) -> str:
        return "/".join(file.split("/")[: start + depth])

    return name


def _beside(file: str, path: str) -> str:
    """The part of the workspace a file belongs to, seen from a path: the first step where their ways part."""
    if path == ".":
        return file.partition("/")[0]
    here, there = path.split("/"), file.split("/")
    common = 0
    while common < min(len(here), len(there)) and here[common] == there[common]:
        common += 1
    return "/".join(there[: common + 1])


def _find_parts(
    code: CodeIndex, files: Iterable[str], part_of: Callable[[str], str], edges: Iterable[Edge]
) -> tuple[Part, ...]:
    """What lies within: product code first, then what most files outside of it import, then the largest."""
    members: dict[str, list[str]] = defaultdict(list)
    for file in files:
        members[part_of(file)].append(file)
    users: dict[str, set[str]] = defaultdict(set)
    for edge in edges:
        part = part_of(edge.target) if edge.target else ""
        if part in members and part_of(edge.file) != part:
            users[part].add(edge.file)
    parts = []
    for path, inside in members.items():
        speaker = path if path in inside else get_package_file(code, path)
        facts = [code.facts(file) for file in inside]
        doc = code.facts(speaker).doc if speaker else ""
        symbols = sum(len(each.symbols) for each in facts)
        parts.append(Part(path, len(inside), sum(each.lines for each in facts), symbols, doc, len(users[path])))
    return tuple(sorted(parts, key=lambda part: (_part_standing(part.path), -part.importers, -part.lines, part.path)))


def _part_standing(path: str) -> Standing:
    """The standing of a file, or of what lies in a directory."""
    return max(standing_of(path), standing_of(f"{path}/x.py"))


def _find_offers(
    code: CodeIndex, path: str, package_file: str, files: tuple[str, ...], importers: Mapping[tuple[str, str], int]
) -> tuple[str, tuple[Offer, ...]]:
    """The public symbols, and what makes them so."""
    if package_file:
        facts = code.facts(package_file)
        if facts.exports:
            return "__all__", _named_offers(code, package_file, facts.exports, importers)
        names = _public_names(code, package_file, with_imports=package_file != path)
        every = _named_offers(code, package_file, names, importers)
        offers = tuple(
            offer
            for offer in every
            if is_within(offer.definition.file, path) or importers.get((package_file, offer.name))
        )
        if offers:
            return "what its __init__ offers" if package_file != path else "public names", offers
    inside = [file for file in files if standing_of(file) <= Standing.ASIDE] or list(files)
    defined = [
        Offer(symbol.name, definition, importers.get((file, symbol.name), 0), _members_of(code, definition))
        for file in inside
        for index, symbol in enumerate(code.facts(file).symbols)
        if symbol.parent < 0 and symbol.exported and not _is_overload(symbol)
        for definition in (Definition(file, symbol, index),)
    ]
    used = [offer for offer in defined if offer.importers]
    return "what its modules define and others import", _ranked(used or defined)


def _public_names(
    code: CodeIndex, file: str, *, with_imports: bool, seen: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """The names a module offers without declaring any: its own and, for a package, those it imports, by star too."""
    facts = code.facts(file)
    names = [symbol.name for symbol in facts.symbols if symbol.parent < 0 and symbol.exported]
    for found in facts.imports if with_imports else ():
        if found.name == "*":
            module = code.modules.find(found.module, found.level, file)
            inner = module.file if isinstance(module, Module) else ""
            if inner and inner not in seen:
                exports = code.facts(inner).exports
                names += exports or _public_names(code, inner, with_imports=False, seen=seen | {file})
        elif found.name and not found.lazy:
            names.append(found.alias)
    return tuple(name for name in names if not name.startswith("_"))


def _named_offers(
    code: CodeIndex, file: str, names: Iterable[str], importers: Mapping[tuple[str, str], int]
) -> tuple[Offer, ...]:
    """The definitions behind a module's names, wherever they stand in the workspace."""
    offers = []
    for name in dict.fromkeys(names):
        targets = code.resolver.scopes.find_member(Module(file), name)
        for target in targets:
            found = code.graph.find_all_definitions(target) if isinstance(target, Variable) else ()
            definition = next((d for d in found if not _is_overload(d.symbol)), None)
            if definition is not None:
                places = {(file, name), (definition.file, definition.name)}
                count = sum(importers.get(place, 0) for place in places)
                offers.append(Offer(name, definition, count, _members_of(code, definition)))
                break
    return _ranked(offers)


def _ranked(offers: Iterable[Offer]) -> tuple[Offer, ...]:
    """Most imported first, then classes and functions before values, then as they stand; tests last."""
    values = {SymbolKind.CONSTANT, SymbolKind.VARIABLE, SymbolKind.ATTRIBUTE, SymbolKind.TYPE}

    def rank(offer: Offer) -> tuple[int, int, bool, str, int]:
        found = offer.definition
        return standing_of(found.file), -offer.importers, found.kind in values, found.file, found.line

    return tuple(sorted(offers, key=rank))


def _is_overload(symbol: Symbol) -> bool:
    """Whether the definition only declares a type of another."""
    return any(text.endswith("overload") for text in symbol.decorators)


def _members_of(code: CodeIndex, definition: Definition) -> tuple[str, ...]:
    """The public methods and properties of a class, in order."""
    if not is_class(definition.kind):
        return ()
    symbols = code.facts(definition.file).symbols
    found = (
        s.name for s in symbols if s.parent == definition.index and s.kind in _MEMBERS and not s.name.startswith("_")
    )
    return tuple(dict.fromkeys(found))


def _find_links(
    edges: Iterable[Edge], place_of: Callable[[Edge], str], checking: TypeChecking | None = None
) -> tuple[Link, ...]:
    """Imports grouped by place: product code first, then those that most files make."""
    grouped: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        grouped[place_of(edge)].append(edge)
    links = []
    for place, group in grouped.items():
        names = Counter(edge.name or edge.module for edge in group)
        common = tuple(name for name, _ in names.most_common())
        first = min(group, key=lambda edge: (standing_of(edge.file), edge.is_lazy, edge.file, edge.line))
        only = ""
        if checking is not None and all(checking.covers(edge) for edge in group):
            only = "for type checkers"
        elif all(edge.is_lazy for edge in group):
            only = "within functions"
        links.append(Link(place, len({edge.file for edge in group}), len(group), common, first, only))
    return tuple(sorted(links, key=lambda link: (standing_of(link.first.file), -link.files, -link.imports, link.place)))
