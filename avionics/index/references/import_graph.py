"""Find import edges (which file imports which name from which file), by outlines alone, and cycles among them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, structs

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.cached_method import cached_method
from avionics.index.model.values import External, Module
from avionics.index.modules.import_resolver import Modules
from avionics.index.scopes.symbol_lookup import is_within
from avionics.late_pattern import late_pattern
from avionics.model.enums import BindingKind, ExpressionKind
from avionics.model.facts import Import
from avionics.model.knowledge import ModuleLink
from avionics.model.mappings import group_pairs
from avionics.syntax.registry import conventions_of, get_language, require_spec

_LEVEL = late_pattern(r"^\.+(?=\w)")
_SEPARATOR = late_pattern(r"[./:]+")
_MAJOR_VERSION = late_pattern(r"/v\d+\Z")
_VERSION = late_pattern(r"v\d+")
MODULE_WORD = late_pattern(r"[^\W\d]\w*")
"""An identifier in the name of a module; every file that imports the module has it."""

MAX_USERS = 16
"""The maximum number of users of a file that are searched. Half of the modules of a program have fewer. Most others are
imported by most of the program, and finding all of these users takes longer than knowing them saves."""

_MAX_NAMING = 100
"""The maximum number of files with a module's name whose outlines are read to find its users. Most do not import it,
but reading more outlines takes longer than examining all files that may use its definitions."""


class Edge(Struct, frozen=True):
    """One imported name: `file` line `line` imports `name` from `module`.

    Attributes:
        target: The file of the name; "" outside the workspace and for packages without a file.
        is_lazy: Whether the import is inside a function.
        is_outside: Whether the module is outside the workspace.
    """

    file: str
    line: int
    module: str
    name: str
    target: str
    is_lazy: bool
    is_outside: bool = False


class Cycle(Struct, frozen=True):
    """Modules that import one another when they load, and one cycle through them."""

    places: tuple[str, ...]
    way: tuple[Edge, ...]


class TypeChecking:
    """Decides which imports only type checkers see."""

    def __init__(self, source: FactSource, read_text: Callable[[str], str]) -> None:
        self._guarded = frozenset(source.files_with_word("TYPE_CHECKING"))
        self._read_text = read_text
        self._lines: dict[str, list[str]] = {}

    def covers(self, edge: Edge) -> bool:
        """Return whether the import is under `if TYPE_CHECKING`."""
        if edge.file not in self._guarded:
            return False
        if edge.file not in self._lines:
            self._lines[edge.file] = self._read_text(edge.file).split("\n")
        lines = self._lines[edge.file][: edge.line]
        if not lines or not lines[-1].startswith((" ", "\t")):
            return False
        above = (line for line in reversed(lines) if line.strip() and not line.startswith((" ", "\t", ")")))
        return "TYPE_CHECKING" in next(above, "")


def get_distribution(edge: Edge) -> str:
    """Return the name of the outside package that an import takes something from, "" for the standard library."""
    language = get_language(edge.file)
    find = require_spec(language).distribution if language else None
    module = _LEVEL.sub("", edge.module)
    return find(module) if find is not None else module.partition(".")[0]


def is_module(asked: str, link: ModuleLink) -> bool:
    """Return whether an import takes the module asked for, or one below it.

    `asked` may be the end of the module's path, `cart` for `github.com/shop/cart`, or the end of the path of a module
    above it, `shop/cart` for `github.com/shop/cart/items`. The latter needs two names, or a version after the name,
    which shows that it is the name of a module.
    """
    wanted = _SEPARATOR.split(asked)
    module = _MAJOR_VERSION.sub("", link.module)
    parts = _SEPARATOR.split(module)
    if "/" in module and (parts[-len(wanted) :] == wanted or _has_within(module.split("/"), asked.split("/"))):
        return True
    return any([*parts, name][: len(wanted)] == wanted for name in link.names or ("",))


def _has_within(parts: list[str], wanted: list[str]) -> bool:
    """Return whether the path of a module contains names in sequence, before its end and after the host or owner.

    A single name must be followed by a version (`v2`).
    """
    first, size = 1 + ("." in parts[0]), len(wanted)
    ends = (end for end in range(max(first, size), len(parts)) if parts[end - size + 1 : end + 1] == wanted)
    return any(size > 1 or _VERSION.fullmatch("".join(parts[end + 1 : end + 2])) for end in ends)


class ImportEdges:
    """The imports of a snapshot, file by file."""

    def __init__(self, source: FactSource, modules: Modules) -> None:
        self._source = source
        self._modules = modules
        self._edges: dict[str, tuple[Edge, ...]] = {}
        self._own_names: dict[str, frozenset[str]] = {}
        self._offered: dict[Module, tuple[tuple[str, str, frozenset[str]], ...]] = {}
        self._imports: dict[str, tuple[tuple[Edge, Module | None, str], ...]] = {}

    def load(self, files: Iterable[str]) -> None:
        """Read the outlines of all files whose imports are not known yet."""
        self._source.load_facts(file for file in files if file not in self._imports)

    def of(self, file: str) -> tuple[Edge, ...]:
        """Return every name that the file imports, with its file."""
        if file not in self._edges:
            self._edges[file] = tuple(self._iter_edges(file, "."))
        return self._edges[file]

    def into(self, file: str, path: str) -> tuple[Edge, ...]:
        """Return the edges of a file; for a package with several files, none of them below a path, only one edge.

        Finding the names of the package that the file mentions would take an index look-up for each.
        """
        return self._edges[file] if file in self._edges else tuple(self._iter_edges(file, path))

    def _iter_edges(self, file: str, path: str) -> Iterator[Edge]:
        """Yield one edge, or for a package with several files one for each name that the import may use."""
        for edge, package, alias in self._read(file):
            is_asked = package is not None and self._has_within(package, path)
            taken = self._taken(file, package, alias) if is_asked and package is not None else ()
            yield from (structs.replace(edge, name=name, target=target) for target, name in taken)
            if not taken:
                yield edge

    def _read(self, file: str) -> tuple[tuple[Edge, Module | None, str], ...]:
        """Return an edge for each import of a file, with its package if that has several files, and its name there."""
        if file not in self._imports:
            self._imports[file] = tuple(
                self._read_import(file, each, module)
                for each in self._source.facts(file).imports
                for module in self._modules.find_all(each, file)
            )
        return self._imports[file]

    def _read_import(self, file: str, found: Import, module: Module | External) -> tuple[Edge, Module | None, str]:
        edge = self._edge(file, found, module)
        is_package = not edge.target and not edge.is_outside and isinstance(module, Module)
        return edge, module if is_package and isinstance(module, Module) else None, "" if found.name else found.alias

    @cached_method
    def _has_within(self, module: Module, path: str) -> bool:
        """Return whether a file of a package is a path, or below it."""
        return any(is_within(file, path) for file in self._modules.files_of(module, ""))

    def _taken(self, file: str, module: Module, alias: str) -> tuple[tuple[str, str], ...]:
        """Return the public names of a package's files that a file mentions, each with its file.

        If the package has a name there, they must follow it: in a file with `carts.Open`, `menu.Close()` is not one.
        """
        if module not in self._offered:
            self._offered[module] = tuple(
                (target, symbol.name, frozenset(self._source.files_with_word(symbol.name)))
                for target in self._modules.files_of(module, "")
                for symbol in self._source.facts(target).symbols
                if symbol.qualname == symbol.name and symbol.exported
            )
        mentioned = [(target, name) for target, name, files in self._offered[module] if file in files]
        if not (mentioned and alias):
            return tuple(mentioned)
        followed = re.findall(rf"\b{re.escape(alias)}\s*\.\s*(\w+)", self._source.read_text(file))
        # A package may have another name than its import says.
        return tuple(each for each in mentioned if each[1] in followed or not followed)

    def _edge(self, file: str, found: Import, module: Module | External) -> Edge:
        target = module.file if isinstance(module, Module) else ""
        if isinstance(module, Module) and found.name not in {"", "*"} and not self._binds(target, found.name):
            inner = self._modules.submodule(module, found.name) or self._get_declared(target, found.name)
            target = inner.file if inner is not None and inner.file else target
        if isinstance(module, Module) and not target and found.name not in {"", "*"}:
            files = self._modules.files_of(module, module.inner[0] if module.inner else found.name)
            target = next(iter(files), "")
        # The level of an `#include` says whether it is quoted.
        written = found.module if conventions_of(file).files.have_includes else "." * found.level + found.module
        is_outside = not isinstance(module, Module)
        return Edge(file, found.line, written, found.name or found.module, target, found.lazy, is_outside)

    def _get_declared(self, file: str, name: str) -> Module | None:
        """Return the submodule that a module declares by `mod name;`."""
        found = (each for each in (self._source.facts(file).imports if file else ()) if each.alias == name)
        declared = next(filter(_declares_submodule, found), None)
        module = self._modules.find(declared, file) if declared is not None else None
        return module if isinstance(module, Module) else None

    def _binds(self, file: str, name: str) -> bool:
        """Return whether a module itself binds the name, according to its outline."""
        if not file:
            return False
        if file not in self._own_names:
            facts = self._source.facts(file)
            defined = (symbol.name for symbol in facts.symbols if symbol.parent < 0)
            taken = (each for each in facts.imports if not each.lazy and not self._is_own_submodule(file, each))
            self._own_names[file] = frozenset((*defined, *(each.alias for each in taken)))
        return name in self._own_names[file]

    def _is_own_submodule(self, file: str, found: Import) -> bool:
        """Return whether a package imports from itself, as `from . import name` and `mod name;` do: the submodule."""
        if (found.level == 1 and not found.module) or _declares_submodule(found):
            return True
        if found.name in {"", "*"} or found.level:
            return False
        return any(isinstance(each, Module) and each.file == file for each in self._modules.find_all(found, file))

    def lead_outside(self, files: Iterable[str]) -> bool:
        """Return whether any of the files imports something from outside the workspace, directly or through others."""
        seen = dict.fromkeys(files)
        following = list(seen)
        for file in following:
            edges = self.of(file)
            if any(edge.is_outside for edge in edges):
                return True
            more = dict.fromkeys(edge.target for edge in edges if edge.target and edge.target not in seen)
            seen |= more
            following += more
        return False

    @cached_method
    def importers(self, path: str) -> tuple[ModuleLink, ...]:
        """Return every import in the workspace that resolves to a file."""
        naming = self._select_naming(path)
        self._source.load_facts(naming)
        return tuple(link for file in naming for link in self._links(file).get(path, ()))

    def _select_naming(self, path: str) -> list[str]:
        """Return the files that may import a file: those with its name, and those below it if it is an index file."""
        system = self._modules.system_of(path)
        naming = [file for word in system.mentions(path) for file in self._source.files_with_word(word)]
        candidates = system.select_naming(path, naming)
        # The files of a package may import it relatively, without its name.
        return sorted({*candidates, *self._iter_siblings(path)} - {path})

    def is_declared(self, path: str) -> bool:
        """Return whether another file declares a file as its submodule, as `mod name;` does."""
        links = self.importers(path)
        return any(
            _declares_submodule(each)
            for link in links
            for each in self._source.facts(link.file).imports
            if each.line == link.line
        )

    @cached_method
    def list_users(self, path: str) -> frozenset[str] | None:
        """Return the files that import a file, or access it as a member of a package around it.

        Only these and the files that import them may use its definitions. Return None if others may use them too, or if
        there are, or may be, more than `MAX_USERS`.
        """
        around = self._modules.system_of(path).list_packages_around(path)
        if around is None or path.rpartition("/")[2] == conventions_of(path).tests.fixture_file:
            return None
        naming = self._select_naming(path)
        if len(naming) > _MAX_NAMING:
            return None
        self._source.load_facts(naming)
        found: set[str] = set()
        for user in self._iter_users(path, naming, around):
            found.add(user)
            if len(found) > MAX_USERS:
                return None
        return frozenset(found)

    def _iter_users(self, path: str, naming: Iterable[str], around: Sequence[str]) -> Iterator[str]:
        """Yield the users of a file among those that have its name; `around` are the files of packages around it."""
        yield from self._modules.counterparts(path, "")
        own = frozenset(self._modules.system_of(path).mentions(path))
        others = frozenset(word for each in around for word in self._modules.system_of(each).mentions(each))
        for file in naming:
            imports = self._source.facts(file).imports
            if any(path == target for target in self._iter_ending(file, imports, own)):
                yield file
                continue
            imports_package = any(not each.name and each.module.partition(".")[0] in others for each in imports)
            if not imports_package:
                imports_package = any(target in around for target in self._iter_ending(file, imports, others))
            if imports_package and self._takes_from(file, path):
                yield file

    def _iter_ending(self, file: str, imports: Iterable[Import], words: Container[str]) -> Iterator[str]:
        """Yield the targets of those imports of a file that end with one of the words, or name no module."""
        for each in imports:
            if each.name in words or not each.module or each.module.rpartition(".")[2] in words:
                for module in self._modules.find_all(each, file):
                    yield self._edge(file, each, module).target

    def _takes_from(self, file: str, path: str) -> bool:
        """Return whether a file accesses another one as a member of an imported package: `package.module`."""
        uses = self._source.uses(file)
        for word in self._modules.system_of(path).mentions(path):
            for each in (reference.receiver for reference in uses.references.get(word, ())):
                if each is None:
                    continue
                bindings = uses.bindings.get(each.name, ())
                if each.kind is ExpressionKind.ATTRIBUTE or any(b.kind is BindingKind.IMPORT for b in bindings):
                    return True
        return False

    def outside_importers(self, module: str) -> tuple[ModuleLink, ...]:
        """Return every import of an outside module, or of one below it."""
        having = [frozenset(self._source.files_with_word(word)) for word in MODULE_WORD.findall(module)]
        files = sorted(frozenset.intersection(*having)) if having else []
        self._source.load_facts(files)
        return tuple(link for file in files for link in self._links(file).get(None, ()) if is_module(module, link))

    @cached_method
    def _links(self, path: str) -> Mapping[str | None, tuple[ModuleLink, ...]]:
        """Map each imported file of the workspace to the imports that resolve to it, and None to those from outside."""
        links = group_pairs((link.target, link) for link in self.imports(path))
        return {target: tuple(found) for target, found in links.items()}

    def imports(self, path: str) -> tuple[ModuleLink, ...]:
        """Return every import of the file, with the file of the workspace that it resolves to."""
        links = group_pairs(((edge.line, edge.module, edge.target), edge.name) for edge in self.of(path))
        return tuple(
            ModuleLink(path, line, module, tuple(names), target or None)
            for (line, module, target), names in links.items()
        )

    def _iter_siblings(self, path: str) -> Iterator[str]:
        """Yield the files below each directory whose index file this is; they may import it relatively."""
        for directory in self._modules.system_of(path).directories_of(path):
            within = f"{directory}/" if directory else ""
            yield from (file for file in self._source.files if file.startswith(within))


def _declares_submodule(found: Import) -> bool:
    """Return whether an import is `mod name;` of Rust, which binds only the module."""
    return found.level == 1 and not found.name and found.module == found.alias != ""


def iter_edges(source: FactSource, edges: ImportEdges, path: str = ".") -> Iterator[Edge]:
    """Yield every imported name of the snapshot, except those of packages without their own file.

    For packages with several files that are all outside of a path, yield only names that files below it import.
    """
    edges.load(source.files)
    for file in source.files:
        found = edges.of(file) if is_within(file, path) else edges.into(file, path)
        yield from (edge for edge in found if edge.target or edge.is_outside)


def find_cycles(
    files: Iterable[str], edges: Iterable[Edge], part_of: Callable[[str], str], checking: TypeChecking
) -> tuple[Cycle, ...]:
    """Return the cycles of parts when modules load, largest first; imports for type checkers do not count."""
    from avionics.index.model.graphs import find_components, find_shortest_cycle

    chosen = frozenset(files)
    graph: dict[str, dict[str, Edge]] = defaultdict(dict)
    for edge in edges:
        if edge.is_lazy or edge.target not in chosen or edge.file not in chosen:
            continue
        here, there = part_of(edge.file), part_of(edge.target)
        if here != there and there not in graph[here] and not checking.covers(edge):
            graph[here][there] = edge
    groups = [sorted(group) for group in find_components(sorted(graph), graph) if len(group) > 1]
    return tuple(
        Cycle(tuple(group), tuple(graph[here][there] for here, there in find_shortest_cycle(graph, group)))
        for group in sorted(groups, key=lambda group: (-len(group), group[0]))
    )
