"""Rust crates: packages by `Cargo.toml`, modules by `mod`, paths through both.

A path is followed as the compiler does: from the crate's root, the current module, its parent, a name that the module
binds, or another crate of the workspace that the package depends on; then part by part, through `mod x;`, inline
modules, types, and `use`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct, structs

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.cached_method import cached_method
from avionics.index.model.file_roles import get_mount
from avionics.index.model.memo import Computation, Memo
from avionics.index.model.values import External, Module
from avionics.index.modules.cargo_manifests import Package, join_path, read_packages
from avionics.index.modules.protocol import ModuleSystem
from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.model.facts import Import, Symbol
from avionics.model.mappings import group_pairs
from avionics.model.naming import fold_name
from avionics.syntax.languages.rust.paths import ABOVE, CRATE, OWN, PATH, PRIMITIVES, SLICE

_OWN_CRATE = "self"
"""What `extern crate self as name` imports."""
_PATHS, _MACROS = "paths", "macros"
"""Pseudo-modules that a file sees without importing: the start of paths, and the macros of its crate."""

_INCLUDE = late_pattern(r'\binclude!\s*[(\[{]\s*"([^"\n]*)"')
_MACRO_CRATE = late_pattern(r"#\[macro_use[^\][\n]*\]\s*extern\s+crate\s+(\w+)")
_MACRO_USE = r"#\[macro_use[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?"
_READ_IN = late_pattern(r'\binclude!\s*[(\[{]\s*(?:r?"([^"\n]*)")?')
_CALLED_MACRO = late_pattern(r"^[ \t]*(?:\w+::)*(\w+)!\s*[(\[{]", re.MULTILINE)
_OWN_PATHS = frozenset({"crate", "self", "super"})
_STANDARD = frozenset({"std", "core", "alloc", "proc_macro", "test"})
_MACRO_WORDS = frozenset({"derive", "macro", "macros"})
"""Words in the names of crates that provide macros."""
_HOLDERS = frozenset({SymbolKind.CLASS, SymbolKind.ENUM, SymbolKind.INTERFACE, SymbolKind.TYPE, SymbolKind.MODULE})
_MAX_RENAMED = 3
"""The number of imports that are followed from a name at the start of a path to a crate."""
_Place = tuple[str, tuple[str, ...], str]
"""A file, the modules within it, and a name looked up there."""


class _Outline(Struct, frozen=True):
    """The facts of a file that are needed to follow paths.

    Attributes:
        modules: The inline modules, outermost first.
        named: Alias → the imports that bind it; "" → star imports.
        holders: The qualified names of types and modules.
    """

    modules: tuple[Symbol, ...]
    named: Mapping[str, tuple[Import, ...]]
    holders: frozenset[str]


class RustCrates(ModuleSystem):
    """The crates of the workspace."""

    extends_any_type = True

    def __init__(self, source: FactSource) -> None:
        self._source = source
        self._packages = read_packages(source)
        computation = Computation()
        self._found: Memo[tuple[Import, str], tuple[Module, ...]] = Memo(self._find, (), computation)
        self._children: Memo[_Place, tuple[Module, ...]] = Memo(self._get_children, (), computation)
        self._libraries = frozenset(p.crate for p in self._packages if p.library and not p.is_of_macros)
        self._macro_crates = {package.crate: package.library for package in self._packages if package.is_of_macros}
        self._roots = frozenset(root for package in self._packages for root in package.roots)
        self._macros: dict[tuple[str, str], tuple[str, ...]] = {}

    def find(self, imported: Import, importer: str) -> Module | External:
        """Return the module that an import takes a name from; `External` if it is outside the workspace."""
        return self.find_all(imported, importer)[0]

    def find_all(self, imported: Import, importer: str) -> tuple[Module | External, ...]:
        """Return every module that an import may mean; conditions of the build choose one of several.

        A macro hides no type of its name: beside `use a_derive::A`, star imports may bring another `A`.
        """
        modules = self._found((imported, importer))
        if modules:
            return modules
        above = "super." * (imported.level - 1) if imported.level > 1 else "self." if imported.level else ""
        first = imported.module.partition(".")[0]
        is_of_macros = first in self._macro_crates or not _MACRO_WORDS.isdisjoint(first.split("_"))
        is_macro = is_of_macros and imported.name not in {"", "*"}
        beside = self._list_starred(importer, self._inner_at(importer, imported.line)) if is_macro else ()
        return (External(f"{above}{imported.module}".rstrip(".")), *beside)

    def _list_starred(self, file: str, inner: tuple[str, ...]) -> tuple[Module, ...]:
        """Return the modules of which a module imports all names."""
        stars = (each for each in self._outline(file).named.get("", ()) if self._inner_at(file, each.line) == inner)
        return tuple(dict.fromkeys(module for star in stars for module in self._found((star, file))))

    def is_lost(self, file: str, name: str) -> bool:
        """Return whether a path begins in the workspace: with a keyword, with one of its crates, or with no known one.

        What no manifest names may be a module that a macro declares. Crates are not named with capital letters.
        """
        first = name.partition(".")[0]
        return self._is_own(first) or (first[:1].islower() and not self._is_of_library(file, first, _MAX_RENAMED))

    def _is_own(self, name: str) -> bool:
        """Return whether a path that begins with a name is one of the workspace, in whatever file it is."""
        return name in _OWN_PATHS or name in self._libraries

    def _is_of_library(self, file: str, name: str, left: int) -> bool:
        """Return whether a name at the start of a path in a file is an outside crate, or imported from one."""
        package = self._package_of(file)
        if package is None or name in package.dependencies or name in package.released or name in _STANDARD:
            return True
        if not left:
            return False
        bringing = (*self._outline(file).named.get(name, ()), *self._outline(self._root_of(file)).named.get(name, ()))
        firsts = {each.module.partition(".")[0] for each in bringing if not each.level}
        # `extern crate name` is a crate that the compiler finds, as `rustc_middle` is.
        return any(
            each == name or self._is_of_library(file, each, left - 1) for each in firsts if not self._is_own(each)
        )

    @cached_method
    def may_bring(self, file: str) -> bool:
        """Return whether names that are not in the index may be in scope in a file.

        They come from a star import of a module that is not found or has such names itself, or from a macro.
        """
        pending, seen = [file], {file}
        while pending:
            current = pending.pop()
            if self._has_unread(current):
                return True
            for star in self._outline(current).named.get("", ()):
                modules = self._found((star, current))
                if not modules and not self._is_from_library(star, current):
                    return True
                pending += (each.file for each in modules if each.file not in seen)
                seen.update(each.file for each in modules)
        return False

    def _is_from_library(self, imported: Import, file: str) -> bool:
        """Return whether an import in a file that leads to nothing in the workspace takes names from a library."""
        first = imported.module.partition(".")[0]
        return not (imported.level or self._is_own(first)) and self._is_of_library(file, first, _MAX_RENAMED)

    def _has_unread(self, file: str) -> bool:
        """Return whether a file includes a text that the workspace lacks, or calls a macro that imports names."""
        text, directory = self._source.read_text(file), file.rpartition("/")[0]
        included = (found[1] for found in _READ_IN.finditer(text)) if "include!" in text else ()
        if any(not each or not self._source.has_file(join_path(directory, each)) for each in included):
            return True
        return any(map(self._imports_names, sorted(set(_CALLED_MACRO.findall(text)))))

    @cached_method
    def _imports_names(self, macro: str) -> bool:
        """Return whether a macro of the workspace expands to imports where it is called, not within a block or item."""
        files = (path for path in self._source.files_defining(fold_name(macro)) if path.endswith(".rs"))
        return any(
            _has_imports("\n".join(self._source.read_lines(file)[each.span.start_line - 1 : each.span.end_line]))
            for file in files
            for each in self._source.facts(file).symbols
            if each.name == macro and each.kind is SymbolKind.MACRO
        )

    def _find(self, wanted: tuple[Import, str]) -> tuple[Module, ...]:
        found, importer = wanted
        parts = [part for part in found.module.split(".") if part]
        if found.level and not found.name:
            declared = self._declared(importer, found.module)
            return (declared,) if declared is not None else ()
        if found.level:
            start: Module | None = Module(importer)
            for _ in range(found.level - 1):
                start = self._get_parent_module(start) if start is not None else None
            modules: tuple[Module, ...] = (start,) if start is not None else ()
        elif parts[:1] in (["crate"], [_OWN_CRATE]):
            modules, parts = (Module(self._root_of(importer)),), parts[1:]
        else:
            modules, parts = (
                self._resolve_first(parts[0], importer, self._inner_at(importer, found.line)),
                parts[1:],
            )
        for part in parts:
            modules = tuple(dict.fromkeys(after for module in modules for after in self._next(module, part)))
        return tuple(
            self._with_macro(each, found.name) for each in modules if self._can_import(each, found.name, importer)
        )

    def _can_import(self, module: Module, name: str, importer: str) -> bool:
        """Return whether a file may import a name from a module; other crates see only functions of a macro crate."""
        if module.file not in self._macro_crates.values() or self._root_of(importer) == module.file:
            return True
        symbols = self._source.facts(module.file).symbols
        return name in {"", "*"} or any(s.qualname == name and s.kind is SymbolKind.FUNCTION for s in symbols)

    def _with_macro(self, module: Module, name: str) -> Module:
        """Return the file that exports a macro of that name if a module is the root of a crate, else the module."""
        is_asked = bool(name) and not module.inner and self.is_root(module.file)
        return (self._exported_macro(module.file, name) if is_asked else None) or module

    def _resolve_first(self, name: str, importer: str, around: tuple[str, ...]) -> tuple[Module, ...]:
        """Return what the first part of a path may be: a name of the module, a crate, or a name of the crate's root."""
        own = self._find_child(importer, around, name)
        if own:
            return own
        crate = self._get_crate(name, importer)
        if crate is not None:
            return (crate,)
        root = self._root_of(importer)
        return self._find_child(root, (), name) if root != importer else ()

    def _get_crate(self, name: str, importer: str) -> Module | None:
        """Return the library with that name: the file's own package, or one that it depends on."""
        package = self._package_of(importer)
        if package is None:
            return None
        if name == package.crate and package.library and self._root_of(importer) != package.library:
            return Module(package.library)
        inside, beside = package.dependencies.get(name), package.released.get(name)
        wanted = (each for each in self._packages if each.name == (beside if _is_beside(each, package) else inside))
        # Of several mounted repositories, the first is the one that the question is about.
        other = min((each for each in wanted if each.library), key=lambda each: get_mount(each.library), default=None)
        return Module(other.library) if other is not None and self._source.has_file(other.library) else None

    def _package_of(self, file: str) -> Package | None:
        """Return the innermost package that contains the file."""
        for package in self._packages:
            if not package.directory or file.startswith(f"{package.directory}/"):
                return package
        return None

    def _next(self, module: Module, name: str) -> tuple[Module, ...]:
        """Return the modules that a further part of a path may be: `super`, `self`, or a name of the module before."""
        if name == "super":
            above = self._get_parent_module(module)
            return (above,) if above is not None else ()
        return (module,) if name == "self" else self._find_child(module.file, module.inner, name)

    def _find_child(self, file: str, inner: tuple[str, ...], name: str) -> tuple[Module, ...]:
        """Return the modules or types of that name in a module: declared there, or brought there by `use`."""
        return self._children((file, inner, name))

    def _get_children(self, place: _Place) -> tuple[Module, ...]:
        """Return the declarations and imports of a name in a module; if there are none, those by star imports."""
        file, inner, name = place
        named = self._outline(file).named
        found = dict.fromkeys(self._iter_declared(file, inner, name))
        if name:
            found |= dict.fromkeys(self._iter_used(file, inner, name, named.get(name, ())))
        return tuple(found or dict.fromkeys(self._iter_used(file, inner, name, named.get("", ()))))

    @cached_method
    def _outline(self, file: str) -> _Outline:
        """Return the parts of a file's facts that following paths needs."""
        facts = self._source.facts(file)
        named = group_pairs((imported.alias, imported) for imported in facts.imports)
        return _Outline(
            tuple(symbol for symbol in facts.symbols if symbol.kind is SymbolKind.MODULE),
            {alias: tuple(imports) for alias, imports in named.items()},
            frozenset(symbol.qualname for symbol in facts.symbols if symbol.kind in _HOLDERS),
        )

    def _iter_declared(self, file: str, inner: tuple[str, ...], name: str) -> Iterator[Module]:
        """Yield the modules and types that a module declares by a name, several if conditions choose one."""
        outline = self._outline(file)
        for found in outline.named.get(name, ()):
            if not found.name and found.level == 1 and self._inner_at(file, found.line) == inner:
                declared = self._declared(file, found.module)
                if declared is not None:
                    yield declared
        if ".".join((*inner, name)) in outline.holders:
            yield Module(file, inner=(*inner, name))

    def _iter_used(self, file: str, inner: tuple[str, ...], name: str, chosen: tuple[Import, ...]) -> Iterator[Module]:
        """Yield the modules and types of a name that `use` declarations bring into a module."""
        for found in chosen:
            is_module = not found.name and found.level == 1
            if is_module or self._inner_at(file, found.line) != inner:
                continue
            taken = name if found.name == "*" else found.name
            for module in self._found((found, file)):
                yield from self._find_child(module.file, module.inner, taken) if taken else (module,)

    def _declared(self, file: str, module: str) -> Module | None:
        """Return the file of a module declared by `mod x;`, or by `#[path = "y.rs"] mod x;`, where it is `#y.rs`."""
        directory, _, name = file.rpartition("/")
        if module.startswith("#"):
            path = join_path(directory, module[1:])
            return Module(path) if self._source.has_file(path) else None
        base = directory if name == "mod.rs" or self.is_root(file) else file.removesuffix(".rs")
        stem = "/".join(part for part in (base, *module.split(".")) if part)
        return next((Module(path) for path in (f"{stem}.rs", f"{stem}/mod.rs") if self._source.has_file(path)), None)

    def is_root(self, file: str) -> bool:
        """Return whether a file is the root of a crate, which no other file has to declare."""
        directory, _, name = file.rpartition("/")
        if name == "build.rs":
            # Only beside a manifest is `build.rs` a build script; elsewhere it is a module.
            package = self._package_of(file)
            return package is None or directory == package.directory or file in self._roots
        return file in self._roots or (name in {"lib.rs", "main.rs"} and not self._is_declared_beside(file))

    @cached_method
    def _is_declared_beside(self, file: str) -> bool:
        """Return whether a file that has the name of a root is a module, since that of its directory declares it."""
        directory, _, name = file.rpartition("/")
        above = (path for path in (f"{directory}/mod.rs", f"{directory}.rs") if self._source.has_file(path))
        imports = (each for path in above for each in self._source.facts(path).imports)
        return any(not each.name and each.level == 1 and each.module == name.removesuffix(".rs") for each in imports)

    def _root_of(self, file: str) -> str:
        """Return the root file of a file's crate."""
        seen = {file}
        while (above := self._parent(file)) is not None and above.file not in seen:
            file = above.file
            seen.add(file)
        return file

    def _get_parent_module(self, module: Module) -> Module | None:
        """Return the parent of a module."""
        if module.inner:
            return structs.replace(module, inner=module.inner[:-1])
        return self._parent(module.file)

    @cached_method
    def _parent(self, file: str) -> Module | None:
        """Return the module whose `mod x;` includes a file."""
        found = None if self.is_root(file) else next(self._iter_parents(file), None)
        return found or self._likely_root(file)

    def _likely_root(self, file: str) -> Module | None:
        """Return the library whose directory contains a file that no known `mod x;` includes."""
        package = self._package_of(file)
        library = package.library if package is not None else ""
        is_below = bool(library) and file.startswith(f"{library.rpartition('/')[0]}/")
        return Module(library) if is_below and not self.is_root(file) else None

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
            for imported in self._source.facts(place).imports:
                if not imported.name and imported.level == 1 and self._declared(place, imported.module) == Module(file):
                    yield Module(place, inner=self._inner_at(place, imported.line))

    def _inner_at(self, file: str, line: int) -> tuple[str, ...]:
        """Return the inline modules around a line, outermost first."""
        return tuple(module.name for module in self._outline(file).modules if module.span.contains(line))

    def _exported_macro(self, root: str, name: str) -> Module | None:
        """Return the file of the crate that exports a macro of that name; exported macros belong to the root."""
        return next((Module(file) for file in self._iter_exporting(root, name) if file != root), None)

    def _iter_exporting(self, near: str, name: str) -> Iterator[str]:
        """Yield the files of a package that export a macro of that name."""
        for file in self._macro_files(near, name):
            symbols = self._source.facts(file).symbols
            if any(s.name == name and s.kind is SymbolKind.MACRO and s.exported for s in symbols):
                yield file

    def _macro_files(self, near: str, name: str) -> tuple[str, ...]:
        """Return the files of the same package that define a macro of that name."""
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
        """Return the file that exports a macro of that name, for the crate's root."""
        there = self._exported_macro(module.file, name) if not module.inner and self.is_root(module.file) else None
        return (there.file,) if there is not None else ()

    def submodule(self, module: Module, name: str) -> Module | None:
        file = module.file or module.directory
        if name == CRATE:
            return Module(self._root_of(file))
        if name == OWN:
            return Module(file)
        if name == ABOVE:
            return self._get_parent_module(Module(file))
        if module.name != _PATHS:
            return None
        root, name = self._root_of(file), name.removesuffix(PATH)
        own = (each.alias for each in self._outline(root).named.get(name, ()) if each.module == _OWN_CRATE)
        return self._get_crate(name, file) or (Module(root) if name in own else None)

    def files_of(self, module: Module, name: str) -> tuple[str, ...]:
        """Return the files that define a macro of that name and are visible to a file."""
        if module.name != _MACROS:
            return ()
        above = set(self._iter_with_parents(module.directory))
        files = self._macro_files(module.directory, name)
        own = tuple(file for file in files if not above.isdisjoint(self._iter_with_parents(file, bringing_macros=True)))
        libraries = dict.fromkeys(library for root in above for library in self._list_bringing(root))
        return own or tuple(file for library in libraries for file in self._iter_exporting(library, name))

    @cached_method
    def _list_bringing(self, root: str) -> tuple[str, ...]:
        """Return the libraries whose macros a crate sees everywhere: `#[macro_use] extern crate x;` in its root."""
        names = _MACRO_CRATE.findall(self._source.read_text(root)) if self.is_root(root) else ()
        crates = (self._get_crate(name, root) for name in names)
        return tuple(crate.file for crate in crates if crate is not None)

    def _iter_with_parents(self, file: str, *, bringing_macros: bool = False) -> Iterator[str]:
        """Yield a file and the files that contain its module, up to crate roots: all, or those that see its macros."""
        pending, seen = [file], {file}
        while pending:
            file = pending.pop()
            yield file
            name = file.removesuffix("/mod.rs").removesuffix(".rs").rpartition("/")[2]
            declaration = re.compile(_MACRO_USE + rf"mod\s+{re.escape(name)}\b")
            for above in self._list_parents(file):
                is_asked = not bringing_macros or declaration.search(self._source.read_text(above)) is not None
                if is_asked and above not in seen:
                    seen.add(above)
                    pending.append(above)

    @cached_method
    def _list_parents(self, file: str) -> tuple[str, ...]:
        """Return every file whose `mod x;` includes a file: several crates of a package may share one."""
        parents = () if self.is_root(file) else (each.file for each in self._iter_parents(file))
        return tuple(dict.fromkeys(parents))

    def ambient(self, file: str) -> tuple[Module, ...]:
        """Return the start of the paths of a file, and the macros of its crate."""
        return tuple(Module("", directory=file, name=name, system="rust_crates") for name in (_PATHS, _MACROS))

    def additions(self, file: str, name: str) -> tuple[str, ...]:
        """Return the other files whose `impl` blocks may add members of that name, or traits, to a type of the file."""
        files = self._source.files_defining(fold_name(name))
        if name[:1].isupper():
            files = tuple(dict.fromkeys((*files, *self._files_adding_to(name, name))))
        elif name in PRIMITIVES:
            files = tuple(dict.fromkeys((*files, *self._files_adding_to(name, "impl" if name == SLICE else name))))
        return tuple(path for path in files if path.endswith(".rs") and path != file)

    @cached_method
    def _files_adding_to(self, of: str, word: str) -> tuple[str, ...]:
        """Return the files that contain the word and add members to types of that name."""
        words = (path for path in self._source.files_with_word(word) if path.endswith(".rs"))
        return tuple(path for path in words if any(f"{of}." in s.qualname for s in self._source.facts(path).symbols))

    @cached_method
    def includers(self, file: str) -> tuple[str, ...]:
        """Return the files that include the text of a file by `include!("…")`.

        A file that no `mod x;` includes is taken for included by its library: a macro may declare its module.
        """
        name = file.rpartition("/")[2]
        word = max(re.findall(r"\w+", name.removesuffix(".rs")), key=len, default="include")
        naming = set(self._source.files_with_word("include")) & set(self._source.files_with_word(word))
        found = (path for path in sorted(naming) if path.endswith(".rs"))
        known = tuple(path for path in found if name in self._list_included(path))
        likely = None if known or self._list_parents(file) else self._likely_root(file)
        return (likely.file,) if likely is not None else known

    @cached_method
    def _list_included(self, path: str) -> frozenset[str]:
        """Return the names of the files whose text a file includes, without their directories."""
        text = self._source.read_text(path)
        written = _INCLUDE.findall(text) if "include!" in text else ()
        return frozenset(each.rpartition("/")[2] for each in written)

    def program_name(self, path: str) -> str:
        named = {file: name for package in self._packages for name, file in package.commands.items()}
        return named.get(path, "")

    def dotted_name(self, path: str) -> str:
        """Return the name a file is imported by: `grep_searcher.lines`."""
        package = self._package_of(path)
        inside = path.removeprefix(f"{package.directory}/") if package is not None and package.directory else path
        parts = inside.removesuffix(".rs").removeprefix("src/").split("/")
        if parts[-1] in {"mod", "lib", "main"}:
            parts.pop()
        return ".".join(([package.crate] if package is not None else []) + parts)

    def mentions(self, path: str) -> tuple[str, ...]:
        """Return the module's name, its crate's, and the keywords for enclosing modules."""
        package = self._package_of(path)
        directory, _, name = path.removesuffix(".rs").rpartition("/")
        own = directory.rpartition("/")[2] if name == "mod" else name
        crate = (package.crate, "crate") if package is not None and self.is_root(path) else ()
        return tuple(dict.fromkeys((own, *crate, "super")))


SYSTEM = RustCrates


def _is_beside(package: Package, user: Package) -> bool:
    """Return whether a package is in a repository mounted beside the one that uses it."""
    mount = get_mount(package.library)
    return bool(mount) and mount != get_mount(f"{user.directory}/")


def _has_imports(definition: str) -> bool:
    """Return whether an arm of a macro's definition imports names outside of blocks and items of its own."""
    for arm in definition.split("=>")[1:]:
        for found in re.finditer(r"\buse\s", arm):
            before = arm[: found.start()]
            if before.count("{") - before.count("}") <= (before.lstrip()[:1] == "{"):
                return True
    return False
