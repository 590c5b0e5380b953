"""map_module: show what a directory or file is for, what it exports, what it imports and who imports it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct

from avionics.index.analysis.module_summary import Link, ModuleMap, Part, build_module_map
from avionics.index.analysis.public_api import ExportedSymbol, MethodGroup, find_method_groups
from avionics.index.analysis.purposes import iter_purposes
from avionics.index.entrypoints.discovery import find_entry_points
from avionics.index.model.file_roles import is_product
from avionics.index.references.import_graph import Cycle
from avionics.model.enums import SymbolKind
from avionics.model.errors import SourceError
from avionics.model.naming import plural
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage, NextStep
from avionics.tools.answers.answer import part, shorten
from avionics.tools.answers.items import PlaceItem, few
from avionics.tools.answers.next_step import suggest
from avionics.tools.composite.trace_entry_point import EntryPointItem
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.path_resolver import is_product_place, require_module
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.source.tree import SourceTree
    from avionics.workspace import Workspace

_MAX_EXPORTS = 80
_MAX_PARTS = 60
_MAX_LINKS = 15
_MAX_ENTRIES = 10
_MAX_CYCLES = 5
_MAX_GROUPS, _MAX_METHODS = 20, 24
_DOC_CHARACTERS = 80
_SIGNATURE_CHARACTERS = 120
_VALUE_CHARACTERS = 50
_VALUES = frozenset({SymbolKind.VARIABLE.value, SymbolKind.CONSTANT.value, SymbolKind.ATTRIBUTE.value})
_MAX_MEMBERS = 15
"""Members are listed only in the map of a file; in the map of a directory they would displace other symbols."""


class OfferItem(Struct, frozen=True):
    """An exported symbol: its definition, and how many other files use it."""

    file: str
    line: int
    symbol: str
    kind: str
    signature: str
    doc: str
    importers: int
    members: tuple[str, ...]

    @classmethod
    def of(cls, exported: ExportedSymbol, max_members: int) -> OfferItem:
        """Return the item of an exported symbol, with its first members."""
        definition = exported.definition
        symbol = definition.symbol
        return cls(
            definition.file, definition.line, exported.name, definition.kind.value,
            symbol.signature, symbol.doc, exported.importers, tuple(few(exported.members, max_members)),
        )  # fmt: skip

    def to_text(self) -> str:
        limit = _VALUE_CHARACTERS if self.kind in _VALUES else _SIGNATURE_CHARACTERS
        signature = shorten(self.signature, limit) or f"{self.kind} {self.symbol}"
        named = "" if self.symbol in signature else f"{self.symbol} = "
        used = f" [used in {plural(self.importers, 'file')}]" if self.importers else ""
        members = f"\n    members: {', '.join(self.members)}" if self.members else ""
        return f"{self.file}:{self.line} {named}{signature}{used}{_describe(self.doc)}{members}"


class MethodsItem(Struct, frozen=True):
    """The methods that a file defines for a type of another file."""

    file: str
    line: int
    symbol: str
    members: tuple[str, ...]

    @classmethod
    def of(cls, group: MethodGroup) -> MethodsItem:
        """Return the item of a group of methods."""
        names = dict.fromkeys(method.name for method in group.methods)
        return cls(group.methods[0].file, group.methods[0].line, group.holder, tuple(names))

    def to_text(self) -> str:
        return f"{self.file}:{self.line} {self.symbol}: {', '.join(few(self.members, _MAX_METHODS))}"


class PartItem(Struct, frozen=True):
    """A module or directory within the mapped one."""

    path: str
    is_file: bool
    files: int
    lines: int
    symbols: int
    importers: int
    doc: str

    @classmethod
    def of(cls, found: Part) -> PartItem:
        """Return the item of a part."""
        return cls(found.path, found.is_file, found.files, found.lines, found.symbols, found.importers, found.doc)

    def to_text(self) -> str:
        files = "" if self.is_file else f"{plural(self.files, 'file')}, "
        used = f", imported by {plural(self.importers, 'file')}" if self.importers else ""
        return f"{self.path}  {files}{plural(self.lines, 'line')}{used}{_describe(self.doc)}"


class LinkItem(Struct, frozen=True):
    """The imports from or to another place: the number of files, the names, the first location, and new names."""

    place: str
    files: int
    imports: int
    names: tuple[str, ...]
    file: str
    line: int
    only: str

    @classmethod
    def of(cls, link: Link) -> LinkItem:
        """Return the item of a link."""
        return cls(link.place, link.files, link.imports, link.names[:20], link.first.file, link.first.line, link.only)

    def to_text(self) -> str:
        files = f"{plural(self.files, 'file')}, " if self.files > 1 else ""
        cited = "" if self.place == self.file else f"  {self.file}:{self.line}"
        line = f":{self.line}" if self.place == self.file else ""
        only = f" ({self.only})" if self.only else ""
        return f"{self.place}{line}  {files}{', '.join(few(self.names, 5))}{cited}{only}"


class CycleItem(Struct, frozen=True):
    """Modules that import one another when they are loaded, and the imports of one way around."""

    file: str
    line: int
    places: tuple[str, ...]
    way: tuple[str, ...]

    @classmethod
    def of(cls, cycle: Cycle) -> CycleItem:
        """Return the item of a cycle."""
        way = tuple(f"{edge.file}:{edge.line} imports {edge.target}" for edge in cycle.way)
        first = cycle.way[0]
        return cls(first.file, first.line, cycle.places, way)

    def to_text(self) -> str:
        names = [place.rpartition("/")[2] for place in self.places]
        return f"{', '.join(few(names, 10))}; for example {'; '.join(self.way)}"


class MapModuleAnswer(Struct, frozen=True):
    """The map of a directory or file."""

    path: str
    kind: str
    files: int
    lines: int
    symbols: int
    other_files: dict[str, int]
    standard_library: tuple[str, ...]
    offered: str
    coverage: Coverage
    purpose: tuple[PlaceItem, ...] = part("")
    api: tuple[OfferItem, ...] = part("public API, by use", share=4.0)
    methods: tuple[MethodsItem, ...] = part("methods of types declared elsewhere", share=2.0)
    submodules: tuple[PartItem, ...] = part("contents, by import count", share=4.0)
    dependents: tuple[LinkItem, ...] = part("imported by", share=1.5)
    dependencies: tuple[LinkItem, ...] = part("imports from the workspace", share=1.5)
    packages: tuple[LinkItem, ...] = part("imports of external packages", share=0.7)
    entry_points: tuple[EntryPointItem, ...] = part("entry points", share=1.0)
    tests: tuple[LinkItem, ...] = part("tests that import it", share=0.8)
    cycles: tuple[CycleItem, ...] = part("import cycles among its modules", share=0.7)

    def headline(self) -> str:
        others = ", ".join(f"{count} {suffix}" for suffix, count in list(self.other_files.items())[:5])
        sizes = [plural(self.lines, "line"), plural(self.symbols, "symbol")]
        if self.kind != "module":
            sizes.insert(0, plural(self.files, "code file"))
        other = f"; other files: {others}" if others else ""
        standard = f"\nstandard library: {', '.join(few(self.standard_library, 12))}" if self.standard_library else ""
        offered = f"\npublic API: {self.offered}" if self.api and self.kind != "module" else ""
        return f"{self.path}: {self.kind}, {', '.join(sizes)}{other}{offered}{standard}"


@tool(
    ToolId.MAP_MODULE,
    accepts="a directory, a file or a dotted module name",
    returns="purpose, public API, sub-modules, imports and importers, entry points, tests",
)
def map_module(workspace: Workspace, path: str, depth: Annotated[int, Bounds(ge=1, le=5)] = 1) -> MapModuleAnswer:
    """Map a directory, package or file: its purpose, public API, contents, imports and importers.

    Args:
        path: A directory or file (`.` for everything), or a dotted module name (`shop.cart`).
        depth: How many levels of directories to list.
    """
    code, source = workspace.code, workspace.source
    return map_place(code, source, require_module(code, source, path), depth)


def map_place(code: CodeIndex, source: SourceTree, place: str, depth: int = 1) -> MapModuleAnswer:
    """Return the map of a directory or file of the workspace, "." for the root."""

    def read_text(file: str) -> str:
        try:
            return source.text(file)
        except SourceError:
            return ""

    found = build_module_map(code, place, depth, read_text)
    entries = [e for e in find_entry_points(code, place) if is_product(e.file) or not is_product_place(place)]
    is_text = place in code.snapshot.entries and not found.files
    if is_text:
        kind = "file in an unsupported language"
    elif found.files == (place,):
        kind = "module"
    else:
        kind = "package" if found.package_file else "directory"
    next_step = suggest(ToolId.READ_CODE, "for its text", path=place) if is_text else None
    members = _MAX_MEMBERS if kind == "module" else 0
    groups = find_method_groups(code, place) if kind == "module" else ()
    return MapModuleAnswer(
        place,
        kind,
        len(found.files),
        found.lines,
        found.symbols,
        dict(found.suffixes) if kind != "module" else {},
        found.standard,
        found.offered,
        _cover(found, len(groups), len(entries), next_step),
        tuple(PlaceItem(*purpose) for purpose in iter_purposes(code, place, found.package_file, read_text)),
        tuple(OfferItem.of(offer, members) for offer in found.offers[:_MAX_EXPORTS]),
        tuple(map(MethodsItem.of, groups[:_MAX_GROUPS])),
        tuple(PartItem.of(each) for each in found.parts[:_MAX_PARTS]),
        _build_link_items(found.users),
        _build_link_items(found.uses),
        _build_link_items(found.outside),
        tuple(EntryPointItem.of(entry) for entry in entries[:_MAX_ENTRIES]),
        _build_link_items(found.tests),
        tuple(CycleItem.of(cycle) for cycle in found.cycles[:_MAX_CYCLES]),
    )


def _cover(found: ModuleMap, groups: int, entries: int, next_step: NextStep | None) -> Coverage:
    """Return how much of the map is shown."""
    lists = (
        (len(found.offers), _MAX_EXPORTS, "public symbols"),
        (groups, _MAX_GROUPS, "types with methods"),
        (len(found.parts), _MAX_PARTS, "parts"),
        (len(found.users), _MAX_LINKS, "importing places"),
        (len(found.uses), _MAX_LINKS, "imported places"),
        (len(found.outside), _MAX_LINKS, "packages"),
        (len(found.tests), _MAX_LINKS, "test files"),
        (entries, _MAX_ENTRIES, "entry points"),
    )
    reasons = tuple(
        Reason(ReasonKind.LIST_LIMIT, most, subject=name, total=count) for count, most, name in lists if count > most
    )
    total = sum(count for count, _, _ in lists)
    shown = sum(min(count, most) for count, most, _ in lists)
    others = sum(found.suffixes.values())
    return Coverage(total or others, shown or others, reasons=reasons, next=next_step)


def _build_link_items(links: Iterable[Link]) -> tuple[LinkItem, ...]:
    return tuple(LinkItem.of(link) for link in tuple(links)[:_MAX_LINKS])


def _describe(doc: str) -> str:
    """Return documentation as the end of a line; "" if there is none."""
    return f" — {shorten(doc, _DOC_CHARACTERS)}" if doc else ""
