"""map_module: what a directory or file is for, what it offers, what it needs and who needs it.

Knows: the workspace, and how a module may be named.
Does not know: how maps are drawn up.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import attrs

from avionics.index.analysis.module_summary import (
    Link,
    ModuleMap,
    Part,
    build_module_map,
)
from avionics.index.analysis.public_api import ExportedSymbol
from avionics.index.entrypoints.discovery import find_entry_points
from avionics.index.model.file_roles import FileRole, is_directory_file, role_of
from avionics.index.model.values import Module
from avionics.index.references.import_graph import Cycle
from avionics.index.scopes.symbol_lookup import is_within
from avionics.model.enums import SymbolKind
from avionics.model.errors import SourceError, UsageError
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.syntax.registry import get_language
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import PlaceItem
from avionics.tools.composite.trace_entry_point import EntryPointItem
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.workspace import Workspace

_README = re.compile(r"readme(\.(md|rst|txt))?", re.IGNORECASE)
_CODE = re.compile(r"^(```|~~~).*?^\1[^\n]*$|^<!--.*?-->|<(script|style|pre)\b.*?</\2>", re.MULTILINE | re.DOTALL)
_PROSE = re.compile(r" {0,3}(?:[*_>\"'`]*[A-Za-z][\w'`*_-]*[,:]?(?: |$)|\[[^\]!]+\]\()")
_LINK = re.compile(r"!?\[[^\]]*\]\([^)]*\)|<[^>]*>")
_MAX_README_CHARACTERS = 20_000
"""A README says what it is about at its top; `_CODE` and `_LINK` may take the square of a text's length."""
_QUOTED_CHARACTERS = 60
"""So much of a quote must stand on the line it is cited for."""
_MAX_OFFERS = 80
_MAX_PARTS = 60
_MAX_LINKS = 15
_MAX_ENTRIES = 10
_DOC_CHARACTERS = 80
_SIGNATURE_CHARACTERS = 120
_VALUE_CHARACTERS = 50
_VALUES = frozenset({SymbolKind.VARIABLE.value, SymbolKind.CONSTANT.value, SymbolKind.ATTRIBUTE.value})
_MAX_MEMBERS = 15
"""Members are listed where one file is mapped; in a directory's map they would push out other symbols."""


@attrs.frozen
class OfferItem:
    """A public symbol: where it is defined, its signature and documentation, how many other files use it."""

    file: str
    line: int
    symbol: str
    kind: str
    signature: str
    doc: str
    importers: int
    members: tuple[str, ...]

    @classmethod
    def of(cls, offer: ExportedSymbol, most_members: int) -> OfferItem:
        """The item of an offer, with so many of its members."""
        definition = offer.definition
        symbol = definition.symbol
        return cls(
            definition.file, definition.line, offer.name, definition.kind.value,
            symbol.signature, symbol.doc, offer.importers, tuple(_few(offer.members, most_members)),
        )  # fmt: skip

    def to_text(self) -> str:
        """One line; for a class another with its public members."""
        is_value = self.kind in _VALUES
        most = _VALUE_CHARACTERS if is_value else _SIGNATURE_CHARACTERS
        signature = _short(self.signature, most) or f"{self.kind} {self.symbol}"
        named = "" if self.symbol in signature else f"{self.symbol} = "
        doc = f" — {_short(self.doc, _DOC_CHARACTERS)}" if self.doc else ""
        used = f" [used in {_count(self.importers, 'file')}]" if self.importers else ""
        members = f"\n    members: {', '.join(self.members)}" if self.members else ""
        return f"{self.file}:{self.line} {named}{signature}{used}{doc}{members}"


@attrs.frozen
class PartItem:
    """A module or directory within."""

    path: str
    is_file: bool
    files: int
    lines: int
    symbols: int
    importers: int
    doc: str

    @classmethod
    def of(cls, found: Part) -> PartItem:
        """The item of a part."""
        return cls(found.path, found.is_file, found.files, found.lines, found.symbols, found.importers, found.doc)

    def to_text(self) -> str:
        """One line."""
        files = "" if self.is_file else f"{_count(self.files, 'file')}, "
        doc = f" — {_short(self.doc, _DOC_CHARACTERS)}" if self.doc else ""
        used = f", imported by {_count(self.importers, 'file')}" if self.importers else ""
        return f"{self.path}  {files}{_count(self.lines, 'line')}{used}{doc}"


@attrs.frozen
class LinkItem:
    """Imports from or to one other place: how many files make them, which names, the first of them, and when only."""

    place: str
    files: int
    imports: int
    names: tuple[str, ...]
    file: str
    line: int
    only: str

    @classmethod
    def of(cls, link: Link) -> LinkItem:
        """The item of a link."""
        return cls(link.place, link.files, link.imports, link.names[:20], link.first.file, link.first.line, link.only)

    def to_text(self) -> str:
        """One line."""
        files = f"{self.files} files, " if self.files > 1 else ""
        cited = "" if self.place == self.file else f"  {self.file}:{self.line}"
        line = f":{self.line}" if self.place == self.file else ""
        only = f" ({self.only})" if self.only else ""
        return f"{self.place}{line}  {files}{', '.join(_few(self.names, 5))}{cited}{only}"


@attrs.frozen
class CycleItem:
    """Modules that import one another when they load: the first import of one way round, and the way itself."""

    file: str
    line: int
    places: tuple[str, ...]
    way: tuple[str, ...]

    @classmethod
    def of(cls, cycle: Cycle) -> CycleItem:
        """The item of a cycle."""
        way = tuple(f"{edge.file}:{edge.line} imports {edge.target}" for edge in cycle.way)
        first = cycle.way[0]
        return cls(first.file, first.line, cycle.places, way)

    def to_text(self) -> str:
        """One line."""
        names = [place.rpartition("/")[2] for place in self.places]
        return f"{', '.join(_few(names, 10))}; one way round: {'; '.join(self.way)}"


@attrs.frozen
class MapModuleAnswer:
    """The map, the best of it first."""

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
    api: tuple[OfferItem, ...] = part("public API, most used first", share=4.0)
    submodules: tuple[PartItem, ...] = part("in it, most imported first", share=4.0)
    dependents: tuple[LinkItem, ...] = part("imported by", share=1.5)
    dependencies: tuple[LinkItem, ...] = part("imports, in the workspace", share=1.5)
    packages: tuple[LinkItem, ...] = part("imports, from packages outside", share=0.7)
    entry_points: tuple[EntryPointItem, ...] = part("entry points", share=1.0)
    tests: tuple[LinkItem, ...] = part("tests that import it", share=0.8)
    cycles: tuple[CycleItem, ...] = part("import cycles among its modules", share=0.7)

    def headline(self) -> str:
        """What it is and how large."""
        others = ", ".join(f"{count} {suffix}" for suffix, count in list(self.other_files.items())[:5])
        sizes = [_count(self.lines, "line"), _count(self.symbols, "symbol")]
        if self.kind != "module":
            sizes.insert(0, _count(self.files, "code file"))
        other = f"; other files: {others}" if others else ""
        standard = f"\nstandard library: {', '.join(_few(self.standard_library, 12))}" if self.standard_library else ""
        offered = f"\npublic API by {self.offered}" if self.api and self.kind != "module" else ""
        return f"{self.path}: {self.kind}, {', '.join(sizes)}{other}{offered}{standard}"


@tool(
    ToolId.MAP_MODULE,
    accepts="a directory, a file or a dotted module name",
    returns="purpose, public API, sub-modules, imports both ways, entry points, tests",
)
def map_module(workspace: Workspace, path: str, depth: Annotated[int, Bounds(ge=1, le=5)] = 1) -> MapModuleAnswer:
    """Map a directory, package or file: what it is for, what it offers, what it needs, who needs it.

    Args:
        path: A directory or file (`.` for everything), or a dotted module name (`shop.cart`).
        depth: How many levels of directories to list as parts.
    """
    code, source = workspace.code, workspace.source
    place = _require_place(workspace, path)

    def read_text(file: str) -> str:
        try:
            return source.text(file)
        except SourceError:
            return ""

    found = build_module_map(code, place, depth, read_text)
    entries = [e for e in find_entry_points(code, source, place) if _is_product(e.file) or not _is_product(place)]
    kind = "module" if found.files == (place,) else "package" if found.package_file else "directory"
    is_text = place in code.snapshot.entries and not found.files
    if is_text:
        kind = "file in no known language"
    members = _MAX_MEMBERS if kind == "module" else 0
    return MapModuleAnswer(
        place,
        kind,
        len(found.files),
        found.lines,
        found.symbols,
        dict(found.suffixes) if kind != "module" else {},
        found.standard,
        found.offered,
        _coverage(found, len(entries), f"read_code(path={place!r}) shows it" if is_text else ""),
        tuple(_iter_purposes(code, place, found, read_text)),
        tuple(OfferItem.of(offer, members) for offer in found.offers[:_MAX_OFFERS]),
        tuple(PartItem.of(each) for each in found.parts[:_MAX_PARTS]),
        _links(found.users),
        _links(found.uses),
        _links(found.outside),
        tuple(EntryPointItem.of(entry) for entry in entries[:_MAX_ENTRIES]),
        _links(found.tests),
        tuple(CycleItem.of(cycle) for cycle in found.cycles[:5]),
    )


def _coverage(found: ModuleMap, entries: int, next_step: str) -> Coverage:
    """How much of the map is shown."""
    lists = (
        (len(found.offers), _MAX_OFFERS, "public symbols"),
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


def _iter_purposes(
    code: CodeIndex, place: str, found: ModuleMap, read_text: Callable[[str], str]
) -> Iterator[PlaceItem]:
    """What the place says of itself: its module's documentation, else the beginning of a README in it."""
    if found.package_file:
        doc = code.facts(found.package_file).doc
        if doc:
            yield PlaceItem(found.package_file, _line_of(read_text(found.package_file), doc), doc)
            return
    prefix = "" if place == "." else f"{place}/"
    for path in code.snapshot.entries:
        if path.startswith(prefix) and _README.fullmatch(path.removeprefix(prefix)):
            line, text = _first_prose(read_text(path)[:_MAX_README_CHARACTERS])
            if text:
                yield PlaceItem(path, line, text)


def _line_of(text: str, doc: str) -> int:
    """The line on which a documentation text begins."""
    start = doc[:20]
    return next((number for number, line in enumerate(text.split("\n"), 1) if start and start in line), 1)


def _first_prose(text: str) -> tuple[int, str]:
    """The first paragraph that is a sentence, no heading, badge, code or markup; where lines are short, its first."""
    lines = _CODE.sub(lambda block: "\n" * block[0].count("\n"), text).split("\n")
    for number, line in enumerate(lines, 1):
        words = _LINK.sub("", line).split()
        if len(words) >= 5 and _PROSE.match(line) and not set(line.strip()) <= set("=-~*#"):
            end = next((at for at in range(number, len(lines)) if not lines[at].strip()), len(lines))
            paragraph = " ".join(each.strip() for each in lines[number - 1 : end])
            return number, _short(paragraph, 400) if len(line) >= _QUOTED_CHARACTERS else line.strip()
    return 0, ""


def _require_place(workspace: Workspace, text: str) -> str:
    """The directory or file that a path or a dotted name means.

    Raises:
        UsageError: There is none; the hint names the nearest.
    """
    code = workspace.code
    place = workspace.source.resolve(text.strip())
    if place == "." or any(is_within(path, place) for path in code.snapshot.entries):
        return place
    code.load_facts(code.files)
    stem = place.rpartition(".")[0] if get_language(place) else place
    dotted = stem.replace("/", ".")
    named = [file for file in code.files if code.dotted_name(file) in {dotted, place}]
    homes = Counter(
        file.rpartition("/")[0] or "."
        for file in code.files
        if place in {code.facts(file).package, code.dotted_name(file)} and _is_product(file)
    )
    if homes and (not named or len(named) > 1):
        return homes.most_common(1)[0][0]
    module = code.modules.module_named(dotted)
    if isinstance(module, Module):
        named.insert(0, module.file or module.directory)
    if named:
        chosen = min(named, key=lambda file: (role_of(file), named.index(file)))
        directory = chosen.rpartition("/")[0]
        return directory if directory and is_directory_file(chosen) else chosen
    raise UsageError(f"no directory, file or module {text!r}", hint=_hint(workspace, place))


def _hint(workspace: Workspace, place: str) -> str:
    """The nearest directories, files and modules."""
    code = workspace.code
    directories = {path.rpartition("/")[0] for path in code.snapshot.entries} - {""}
    last = place.replace(".", "/").rpartition("/")[2]
    same = sorted((d for d in directories if d.rpartition("/")[2] == last), key=len)
    modules = {code.dotted_name(file) for file in code.files}
    known = (*workspace.source.find_near(place), *directories, *modules)
    names = list(dict.fromkeys((*same, *difflib.get_close_matches(place, known, n=3))))[:3]
    return f"did you mean {', '.join(names)}?" if names else "map_module('.') maps everything"


def _links(links: Iterable[Link]) -> tuple[LinkItem, ...]:
    return tuple(LinkItem.of(link) for link in tuple(links)[:_MAX_LINKS])


def _is_product(path: str) -> bool:
    """Whether a place is no test, generated or vendored code."""
    return max(role_of(path), role_of(f"{path}/file")) <= FileRole.AUXILIARY


def _count(number: int, thing: str) -> str:
    """So many things, in words."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _short(text: str, most: int) -> str:
    """A text on one line, shortened at the end."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _few(values: Sequence[str], most: int) -> list[str]:
    """The first of some values, and how many more there are."""
    if not most:
        return []
    return [*values[:most], f"+{len(values) - most} more"] if len(values) > most else list(values)
