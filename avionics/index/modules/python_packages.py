"""Python packages: modules are files, packages are directories, imports are dotted.

A directory is a *source root* for a module if the importing file could see it there: the directory above the importer's
own package, the importer's directory if that is not a package, the workspace's root, and directories that contain a
regular package and are not packages themselves (`src/`, a project of a monorepo). Nearer roots come first. A manifest
may say that a package is in a directory with another name (`package_dir`), or name another root.
"""

from __future__ import annotations

import posixpath
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.cached_method import cached_method
from avionics.index.model.values import External, Module
from avionics.index.modules.protocol import ModuleSystem
from avionics.model.facts import Import
from avionics.syntax.manifests import read_package_directories

_MANIFESTS = ("pyproject.toml", "setup.cfg", "setup.py")
_MAX_MANIFESTS = 200
_STANDARD = frozenset(sys.stdlib_module_names)


class _Layout:
    """The modules and packages of some files.

    Attributes:
        files: Path of a module or package without its suffix → its file.
        packages: The directories that are regular packages.
        directories: All directories.
        homes: Name of a module or directory → the directories that have it.
    """

    def __init__(self, paths: Sequence[str], package_stems: Collection[str]) -> None:
        self.files: dict[str, str] = {}
        self.packages: set[str] = set()
        self.directories: set[str] = set()
        self._package_stems = package_stems
        for path in reversed(paths):
            self._add(path)
        for path in reversed(paths):
            # A stub takes precedence over its file.
            if path.endswith(".pyi"):
                self._add(path)
        self.homes: defaultdict[str, list[str]] = defaultdict(list)
        for stem in {*self.files, *self.directories}:
            directory, _, name = stem.rpartition("/")
            if name:
                self.homes[name].append(directory)

    def _add(self, path: str) -> None:
        stem = path.rpartition(".")[0]
        directory, _, name = stem.rpartition("/")
        if name in self._package_stems:
            self.packages.add(directory)
            stem = directory
        # A package takes precedence over a module of its name beside it.
        if name in self._package_stems or stem not in self.packages:
            self.files[stem] = path
        while directory and directory not in self.directories:
            self.directories.add(directory)
            directory = _split(directory)[0]


@lru_cache(maxsize=4)
def _get_layout(files: tuple[str, ...], suffixes: tuple[str, ...], package_stems: tuple[str, ...]) -> _Layout:
    """Return the layout of files; many snapshots of a workspace have the same paths."""
    return _Layout([path for path in files if path.endswith(suffixes)], package_stems)


class PythonPackages(ModuleSystem):
    """The modules of the workspace."""

    private_prefix = "_"
    package_stems: tuple[str, ...] = ("__init__",)
    suffixes: tuple[str, ...] = (".py", ".pyi", ".pyw")

    def __init__(self, source: FactSource) -> None:
        self._source = source
        layout = _get_layout(source.files, self.suffixes, self.package_stems)
        self._files, self._packages, self._directories = layout.files, layout.packages, layout.directories
        self._homes = layout.homes

    def find(self, imported: Import, importer: str) -> Module | External:
        """Return the module of an import in the importing file; External if it is outside the workspace."""
        module, level = imported.module, imported.level
        if level:
            base = _split(importer)[0]
            for _ in range(level - 1):
                base = _split(base)[0]
            stem = "/".join(part for part in (base, *module.split(".")) if part)
            return self._module_at(stem) or External(module)
        top = module.partition(".")[0]
        path = module.replace(".", "/")
        for directory in self._directories_by_package.get(top, ()):
            module_found = self._module_at("/".join((directory, *path.split("/")[1:])))
            if module_found is not None:
                return module_found
        for root in self._list_roots(top, _split(importer)[0]):
            module_found = self._module_at(f"{root}/{path}" if root else path)
            if module_found is not None:
                return module_found
        return External(module)

    def submodule(self, module: Module, name: str) -> Module | None:
        directory = module.directory if not module.file else self._package_directory(module.file)
        return None if directory is None else self._module_at(f"{directory}/{name}" if directory else name)

    def dotted_name(self, path: str) -> str:
        """Return the dotted name of a file by its packages: `shop.cart`."""
        stem = path.rsplit(".", 1)[0]
        directory, name = _split(stem)
        parts = [] if name in self.package_stems else [name]
        while directory and directory in self._packages:
            named = self._packages_by_directory.get(directory)
            directory, parent = _split(directory) if named is None else ("", named)
            parts.insert(0, parent)
        return ".".join(parts)

    def counterparts(self, file: str, name: str) -> tuple[str, ...]:
        """Return the stub beside a file, or the file beside its stub."""
        stem, _, suffix = file.rpartition(".")
        beside = f"{stem}.{'py' if suffix == 'pyi' else 'pyi'}"
        return (beside,) if self._source.has_file(beside) else ()

    @cached_method
    def list_unlocated(self, file: str) -> tuple[tuple[str, Import], ...]:
        """Return the imports that may mean a file through an unknown entry of `sys.path`.

        The directory of a script is such an entry, even if it is a package; its modules see the others below it.
        """
        directory, stem = _split(file.rsplit(".", 1)[0])
        if stem in _STANDARD:
            return ()
        unlocated = self._iter_unlocated(stem)
        if directory in self._packages:
            unlocated = (each for each in unlocated if self._may_run_above(file, *each))
        return tuple(unlocated)

    def _may_run_above(self, file: str, importer: str, import_found: Import) -> bool:
        """Return whether a package contains both a file and its importer, and the file under the imported name."""
        whole, path = file.rsplit(".", 1)[0], import_found.module.replace(".", "/")
        names = (path, f"{path}/{import_found.name}")
        above = (whole.removesuffix(f"/{each}") for each in names if whole.endswith(f"/{each}"))
        return any(each in self._packages and importer.startswith(f"{each}/") for each in above)

    def _iter_unlocated(self, stem: str) -> Iterator[tuple[str, Import]]:
        """Yield the imports, with their files, that name a module with some last part and lead nowhere."""
        for importer in self._source.files_with_word(stem):
            for imported in self._source.facts(importer).imports if importer.endswith(self.suffixes) else ():
                top, last = imported.module.partition(".")[0], imported.module.rpartition(".")[2]
                is_asked = stem in {last, imported.name} and not imported.level and top not in _STANDARD
                if is_asked and isinstance(self.find(imported, importer), External):
                    yield importer, imported

    def mentions(self, path: str) -> tuple[str, ...]:
        """Return the last part of its dotted name; files of a package may import it without naming it."""
        directory, name = _split(path.rsplit(".", 1)[0])
        last = self._package_name(directory) if name in self.package_stems else name
        return (last,) if last else ()

    def select_naming(self, path: str, files: Sequence[str]) -> Sequence[str]:
        """Return those of some files that can import a file: files outside its package also name the package."""
        directory = self._package_directory(path)
        package = _split(path if directory is None else directory)[0]
        if package not in self._packages:
            return files
        naming = frozenset(self._source.files_with_word(self._package_name(package)))
        return [file for file in files if file in naming or file.startswith(f"{package}/")]

    def list_packages_around(self, path: str) -> tuple[str, ...]:
        """Return the files of the packages around a file, innermost first."""
        directories = path.split("/")[:-1]
        stems = ("/".join(directories[:depth]) for depth in range(len(directories), 0, -1))
        return tuple(file for stem in stems if (file := self._files.get(stem, path)) != path)

    def _package_directory(self, file: str) -> str | None:
        """Return the directory of a package's `__init__.py`, None for a plain module."""
        directory, name = _split(file.rsplit(".", 1)[0])
        return directory if name in self.package_stems else None

    def _module_at(self, stem: str) -> Module | None:
        if stem in self._files:
            return Module(self._files[stem])
        return Module("", stem) if stem in self._directories else None

    def _package_name(self, directory: str) -> str:
        """Return the name of the package in a directory."""
        return self._packages_by_directory.get(directory) or _split(directory)[1]

    @cached_property
    def _mapped_packages(self) -> Mapping[tuple[str, str], None]:
        """Return each package, "" for any, with the directory that a manifest declares for it."""
        found: dict[tuple[str, str], None] = {}
        manifests = [path for path in self._source.paths if path.endswith(_MANIFESTS) and _split(path)[1] in _MANIFESTS]
        for path in sorted(manifests, key=lambda path: path.count("/"))[:_MAX_MANIFESTS]:
            home, name = _split(path)
            for package, written in read_package_directories(name, self._source.read_text(path)).items():
                directory = posixpath.normpath(posixpath.join(home, written)).removeprefix(".")
                if directory in self._directories and "." not in package:
                    found[package, directory] = None
        return found

    @cached_property
    def _directories_by_package(self) -> Mapping[str, Sequence[str]]:
        """Return package → the directories with other names that contain it."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for package, directory in self._mapped_packages:
            if package and _split(directory)[1] != package:
                found[package].append(directory)
        return found

    @cached_property
    def _packages_by_directory(self) -> Mapping[str, str]:
        """Return directory → the package with another name that it contains."""
        return {home: package for package, homes in self._directories_by_package.items() for home in homes}

    @cached_method
    def _list_roots(self, top: str, here: str) -> tuple[str, ...]:
        """Return the source roots with a module of that name for files of a directory, nearest first."""
        return tuple(entry[-1] for entry in sorted(self._iter_ranked_roots(top, here)))

    def _iter_ranked_roots(self, top: str, here: str) -> Iterator[tuple[bool, bool, bool, int, str]]:
        """Yield the source roots with a module of that name, each after the values that it is sorted by."""
        own_root = self._root_above(here)
        for home in self._homes.get(top, ()):
            if home in self._packages:
                continue
            is_above = not home or here == home or here.startswith(f"{home}/")
            stem = f"{home}/{top}" if home else top
            if top in _STANDARD and not (is_above and home in {own_root, here}):
                continue
            is_root = home.rsplit("/", 1)[-1] in {"src", "lib", "python"} or ("", home) in self._mapped_packages
            if is_above or stem in self._packages or is_root:
                depth = -len(home) if is_above else len(home)
                yield stem not in self._files, home != own_root, not is_above, depth, home

    def _root_above(self, directory: str) -> str:
        """Return the directory above the outermost package that a directory is in."""
        while directory and directory in self._packages:
            directory = _split(directory)[0]
        return directory


def _split(path: str) -> tuple[str, str]:
    """Return the directory and the last part."""
    directory, _, name = path.rpartition("/")
    return directory, name


SYSTEM = PythonPackages
