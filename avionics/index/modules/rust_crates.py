"""Crates: packages by `Cargo.toml`, modules by `mod`, paths through both (Rust).

A path is followed the way the compiler does: from the crate's root, the module around, the module above it, a name
that the module binds, or another crate of the workspace that the package depends on; then from part to part, through
`mod x;`, inline modules, types, and what `use` brings in.

Knows: manifests (https://doc.rust-lang.org/cargo/reference/manifest.html) and where `mod x;` finds its file
(https://doc.rust-lang.org/reference/items/modules.html).
Does not know: scopes, types.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

import attrs

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.memo import Computation, Memo
from avionics.index.model.values import External, Module
from avionics.index.modules.cargo_manifests import Package, read_packages
from avionics.index.modules.protocol import ModuleSystem
from avionics.model.enums import SymbolKind
from avionics.model.facts import Import
from avionics.model.naming import fold_name
from avionics.syntax.languages.rust.paths import ABOVE, CRATE, OWN, PRIMITIVES, SLICE

_PATHS, _MACROS = "paths", "macros"
"""What a file sees without importing it: where paths start, and macros of its crate."""

_MACRO_USE = r"#\[macro_use[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?"
_HOLDERS = frozenset({SymbolKind.CLASS, SymbolKind.ENUM, SymbolKind.INTERFACE, SymbolKind.TYPE, SymbolKind.MODULE})
_Place = tuple[str, tuple[str, ...], str]
"""A file, the modules within it, and a name looked up there."""


class RustCrates(ModuleSystem):
    """The crates among the workspace's paths."""

    extends_any_type = True

    def __init__(self, source: FactSource) -> None:
        self._source = source
        self._packages = read_packages(source)
        self._parents: dict[str, Module | None] = {}
        computation = Computation()
        self._found: Memo[tuple[Import, str], Module | External] = Memo(self._find, External(""), computation)
        self._children: Memo[_Place, Module | None] = Memo(self._get_child, None, computation)
        self._held: dict[tuple[str, str], tuple[str, ...]] = {}
        self._macros: dict[tuple[str, str], tuple[str, ...]] = {}

    def find(self, found: Import, importer: str) -> Module | External:
        """The module an import in the importing file means; outside the workspace it is External."""
        return self._found((found, importer))

    def _find(self, wanted: tuple[Import, str]) -> Module | External:
        found, importer = wanted
        parts = [part for part in found.module.split(".") if part]
        if found.level and not found.name:
            return self._declared(importer, found.module) or External(found.module)
        if found.level:
            start: Module | None = Module(importer)
            for _ in range(found.level - 1):
                start = self._above(start) if start is not None else None
        elif parts[:1] == ["crate"]:
            start, parts = Module(self._root(importer)), parts[1:]
        else:
            start, parts = self._first(parts[0], importer, self._around(importer, found.line)), parts[1:]
        for part in parts:
            start = self._step(start, part) if start is not None else None
        if start is not None and not start.inner and found.name and self._is_root(start.file):
            start = self._exported_macro(start.file, found.name) or start
        return start or External(found.module)

    def _first(self, name: str, importer: str, around: tuple[str, ...]) -> Module | None:
        """What the first part of a path means: a name of the module, another crate, a name of the crate's root."""
        own = self._child(importer, around, name)
        if own is not None:
            return own
        crate = self._crate(name, importer)
        if crate is not None:
            return crate
        root = self._root(importer)
        return self._child(root, (), name) if root != importer else None

    def _crate(self, name: str, importer: str) -> Module | None:
        """The library that a file knows under that name: its own package's, or one that the package depends on."""
        package = self._package_of(importer)
        if package is None:
            return None
        if name == package.crate and package.library and self._root(importer) != package.library:
            return Module(package.library)
        wanted = package.dependencies.get(name, "")
        other = next((each for each in self._packages if each.name == wanted and each.library), None)
        return Module(other.library) if other is not None and self._source.has_file(other.library) else None

    def _package_of(self, file: str) -> Package | None:
        """The package whose directory holds the file most closely."""
        for package in self._packages:
            if not package.directory or file.startswith(f"{package.directory}/"):
                return package
        return None

    def _step(self, module: Module, name: str) -> Module | None:
        """What a part of a path means after a module."""
        if name == "super":
            return self._above(module)
        return module if name == "self" else self._child(module.file, module.inner, name)

    def _child(self, file: str, inner: tuple[str, ...], name: str) -> Module | None:
        """The module or type of that name in a module: declared there, or brought there by `use`."""
        return self._children((file, inner, name))

    def _get_child(self, place: _Place) -> Module | None:
        return self._declared_child(*place) or self._used_child(*place)

    def _declared_child(self, file: str, inner: tuple[str, ...], name: str) -> Module | None:
        facts = self._source.facts(file)
        for found in facts.imports:
            is_module = not found.name and found.level == 1 and found.alias == name
            if is_module and self._around(file, found.line) == inner:
                return self._declared(file, found.module)
        wanted = ".".join((*inner, name))
        if any(symbol.qualname == wanted and symbol.kind in _HOLDERS for symbol in facts.symbols):
            return Module(file, inner=(*inner, name))
        return None

    def _used_child(self, file: str, inner: tuple[str, ...], name: str) -> Module | None:
        for found in self._source.facts(file).imports:
            is_module = not found.name and found.level == 1
            if found.alias not in {name, ""} or is_module or self._around(file, found.line) != inner:
                continue
            module = self.find(found, file)
            if isinstance(module, Module):
                taken = name if found.name == "*" else found.name
                there = self._child(module.file, module.inner, taken) if taken else module
                if there is not None:
                    return there
        return None

    def _declared(self, file: str, module: str) -> Module | None:
        """The file of `mod x;`, as the declaring file says it."""
        directory, _, name = file.rpartition("/")
        if module.startswith("#"):
            path = posixpath.normpath(posixpath.join(directory, module[1:]))
            return Module(path) if self._source.has_file(path) else None
        base = directory if name == "mod.rs" or self._is_root(file) else file.removesuffix(".rs")
        stem = "/".join(part for part in (base, *module.split(".")) if part)
        return next((Module(path) for path in (f"{stem}.rs", f"{stem}/mod.rs") if self._source.has_file(path)), None)

    def _is_root(self, file: str) -> bool:
        """Whether a crate begins with the file."""
        if file.rpartition("/")[2] in {"lib.rs", "main.rs", "build.rs"}:
            return True
        return any(file in package.roots for package in self._packages)

    def _root(self, file: str) -> str:
        """The file that the crate of a file begins with."""
        seen = {file}
        while (above := self._parent(file)) is not None and above.file not in seen:
            file = above.file
            seen.add(file)
        return file

    def _above(self, module: Module) -> Module | None:
        """The module that holds a module."""
        if module.inner:
            return attrs.evolve(module, inner=module.inner[:-1])
        return self._parent(module.file)

    def _parent(self, file: str) -> Module | None:
        """The module whose `mod x;` takes a file in."""
        if file not in self._parents:
            found = None if self._is_root(file) else next(self._iter_parents(file), None)
            self._parents[file] = found
        return self._parents[file]

    def _iter_parents(self, file: str) -> Iterator[Module]:
        directory, _, name = file.rpartition("/")
        stem = directory if name == "mod.rs" else file.removesuffix(".rs")
        base, _, child = stem.rpartition("/")
        places = [f"{base}.rs", *(f"{base}/{each}" if base else each for each in ("mod.rs", "lib.rs", "main.rs"))]
        roots = [root for package in self._packages for root in package.roots if root.rpartition("/")[0] == base]
        elsewhere = [path for path in self._source.files_with_word(child) if path.endswith(".rs")]
        for place in dict.fromkeys((*places, *roots, *elsewhere)):
            if place == file or not self._source.has_file(place):
                continue
            for found in self._source.facts(place).imports:
                if not found.name and found.level == 1 and self._declared(place, found.module) == Module(file):
                    yield Module(place, inner=self._around(place, found.line))

    def _around(self, file: str, line: int) -> tuple[str, ...]:
        """The inline modules around a line, outermost first."""
        symbols = self._source.facts(file).symbols
        return tuple(s.name for s in symbols if s.kind is SymbolKind.MODULE and s.span.contains(line))

    def _exported_macro(self, root: str, name: str) -> Module | None:
        """The file of the crate that exports a macro of that name, which stands at the crate's root wherever it is."""
        for file in self._macro_files(root, name):
            symbols = self._source.facts(file).symbols
            if file != root and any(s.name == name and s.kind is SymbolKind.MACRO and s.exported for s in symbols):
                return Module(file)
        return None

    def _macro_files(self, near: str, name: str) -> tuple[str, ...]:
        """The files of the same package that define a macro of that name."""
        package = self._package_of(near)
        key = (package.directory if package is not None else "", name)
        if key not in self._macros:
            self._macros[key] = tuple(
                file
                for file in self._source.files_defining(fold_name(name))
                if file.endswith(".rs")
                and self._package_of(file) == package
                and any(s.name == name and s.kind is SymbolKind.MACRO for s in self._source.facts(file).symbols)
            )
        return self._macros[key]

    def given_from(self, module: Module, name: str) -> tuple[str, ...]:
        """The file that exports a macro of that name, for the crate's root."""
        there = self._exported_macro(module.file, name) if not module.inner and self._is_root(module.file) else None
        return (there.file,) if there is not None else ()

    def submodule(self, module: Module, name: str) -> Module | None:
        """The module of that name inside a module, or None."""
        file = module.file or module.directory
        if name == CRATE:
            return Module(self._root(file))
        if name == OWN:
            return Module(file)
        if name == ABOVE:
            return self._above(Module(file))
        return self._crate(name, file) if module.name == _PATHS else None

    def files_of(self, module: Module, name: str) -> tuple[str, ...]:
        """The files that define a macro of that name that a file sees."""
        if module.name != _MACROS:
            return ()
        above = set(self._iter_above(module.directory))
        return tuple(file for file in self._macro_files(module.directory, name) if self._reach_of(file) in above)

    def _iter_above(self, file: str) -> Iterator[str]:
        """A file and those that take it in, up to the crate's root."""
        seen: set[str] = set()
        while file not in seen:
            yield file
            seen.add(file)
            above = self._parent(file)
            file = above.file if above is not None else file

    def _reach_of(self, file: str) -> str:
        """The file in which, and in all it takes in, the macros that a file defines are seen."""
        for above in self._iter_above(file):
            parent = self._parent(above)
            name = above.removesuffix("/mod.rs").removesuffix(".rs").rpartition("/")[2]
            taken = re.compile(_MACRO_USE + rf"mod\s+{re.escape(name)}\b")
            if parent is None or taken.search(self._source.read_text(parent.file)) is None:
                return above
        return file

    def ambient(self, file: str) -> tuple[Module, ...]:
        """Where the paths of a file start, and the macros of its crate."""
        return tuple(Module("", directory=file, name=name, system="rust_crates") for name in (_PATHS, _MACROS))

    def additions(self, file: str, name: str) -> tuple[str, ...]:
        """The other files whose `impl`s may give a type of the file members of that name, or bases."""
        named = self._source.files_defining(fold_name(name))
        if name[:1].isupper():
            named = self._holding(name, name)
        elif name in PRIMITIVES:
            named = tuple(dict.fromkeys((*named, *self._holding(name, "impl" if name == SLICE else name))))
        return tuple(path for path in named if path.endswith(".rs") and path != file)

    def _holding(self, of: str, word: str) -> tuple[str, ...]:
        """The files with the word that add members to types of that name."""
        if (of, word) not in self._held:
            words = [path for path in self._source.files_with_word(word) if path.endswith(".rs")]
            self._held[of, word] = tuple(
                path for path in words if any(f"{of}." in s.qualname for s in self._source.facts(path).symbols)
            )
        return self._held[of, word]

    def program_name(self, path: str) -> str:
        """What the program that begins with a file is called; "" where none does."""
        named = {file: name for package in self._packages for name, file in package.commands.items()}
        return named.get(path, "")

    def dotted_name(self, path: str) -> str:
        """The name a file is imported by: `grep_searcher.lines`."""
        package = self._package_of(path)
        inside = path.removeprefix(f"{package.directory}/") if package is not None and package.directory else path
        parts = inside.removesuffix(".rs").removeprefix("src/").split("/")
        if parts[-1] in {"mod", "lib", "main"}:
            parts.pop()
        return ".".join(([package.crate] if package is not None else []) + parts)

    def mentions(self, path: str) -> tuple[str, ...]:
        """The module's name, its crate's, and the words for what is around."""
        package = self._package_of(path)
        directory, _, name = path.removesuffix(".rs").rpartition("/")
        own = directory.rpartition("/")[2] if name == "mod" else name
        crate = (package.crate, "crate") if package is not None and self._is_root(path) else ()
        return tuple(dict.fromkeys((own, *crate, "super")))


SYSTEM = RustCrates
