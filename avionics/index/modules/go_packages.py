"""Go packages: a package is the files of a directory, and import paths start with the path of a module."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from msgspec import Struct

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.cached_method import cached_method
from avionics.index.model.file_roles import iter_upwards
from avionics.index.model.values import External, Module
from avionics.index.modules.protocol import ModuleSystem
from avionics.model.facts import Import
from avionics.model.mappings import group_pairs
from avionics.model.naming import fold_name

_NAME = "go_packages"
_IMPORTED = "imported"
"""A pseudo-module: the packages that a file imports, by the names that they give themselves."""
_MANIFEST = "go.mod"
_COMMENT = re.compile(r"//[^\n]*")
_MODULE = re.compile(r'^[ \t]*module[ \t]+"?([^\s"]+)', re.M)
_REPLACE = re.compile(r"^[ \t]*(?:replace[ \t]+)?(\S+)(?:[ \t]+v\S+)?[ \t]*=>[ \t]*(\.\.?/\S*|\.\.?$)", re.M)
_MAJOR = re.compile(r"v\d+\Z")
_WORD = re.compile(r"\w+")
_NO_NAME = re.compile(r"[\W_]")


class _Manifest(Struct, frozen=True):
    """A `go.mod`: the path of its module, and the modules it replaces by directories."""

    directory: str
    module: str
    replaced: tuple[tuple[str, str], ...]


class GoPackages(ModuleSystem):
    """The packages of the workspace."""

    def __init__(self, source: FactSource) -> None:
        self._source = source
        self._packages = group_pairs((_directory(path), path) for path in source.files if path.endswith(".go"))
        found = (self._read(path) for path in source.paths if path.rpartition("/")[2] == _MANIFEST)
        self._manifests = {manifest.directory: manifest for manifest in found}
        self._imported: dict[str, dict[str, Module]] = {}

    def _read(self, path: str) -> _Manifest:
        text = _COMMENT.sub("", self._source.read_text(path))
        named = _MODULE.search(text)
        directory = _directory(path)
        replaced = tuple((old.strip('"'), _join(directory, new.strip('"'))) for old, new in _REPLACE.findall(text))
        return _Manifest(directory, named[1] if named is not None else "", replaced)

    def find(self, imported: Import, importer: str) -> Module | External:
        """Return the package of an import path; External if it is outside the workspace."""
        return self._find(imported.module, _directory(importer))

    @cached_method
    def _find(self, path: str, directory: str) -> Module | External:
        place = next((place for place in self._iter_places(path, directory) if place in self._packages), None)
        return External(path) if place is None else Module("", place, system=_NAME)

    def _iter_places(self, path: str, directory: str) -> Iterator[str]:
        """Yield the directories that an import path may refer to, likeliest first.

        They are in the importer's own module, its replacements, its vendored packages, and other modules.
        """
        if path.startswith("."):
            yield _join(directory, path)
            return
        own = self._manifest_of(directory)
        if own is not None:
            yield from _iter_below(own.module, own.directory, path)
            for old, place in own.replaced:
                yield from _iter_below(old, place, path)
        yield from (_join(above, f"vendor/{path}") for above in iter_upwards(directory))
        for other in sorted(self._manifests.values(), key=lambda each: (-len(each.module), len(each.directory))):
            yield from _iter_below(other.module, other.directory, path)

    def _manifest_of(self, directory: str) -> _Manifest | None:
        """Return the manifest of the module that a directory belongs to."""
        return next((self._manifests[above] for above in iter_upwards(directory) if above in self._manifests), None)

    def files_of(self, module: Module, name: str) -> tuple[str, ...]:
        """Return the files of the directory that declare the name, without tests of another package."""
        if module.name == _IMPORTED and module.directory not in self._packages:
            return ()
        if not name:
            return tuple(file for file in self._packages.get(module.directory, ()) if not file.endswith("_test.go"))
        return tuple(
            file
            for file in self._files_defining(module.directory, name)
            if self._package(file) == module.name or (not module.name and not self._package(file).endswith("_test"))
        )

    def ambient(self, file: str) -> tuple[Module, ...]:
        """Return the file's own package, and the packages that it imports."""
        own = Module("", _directory(file), self._package(file), system=_NAME)
        return (own, Module("", file, _IMPORTED, system=_NAME))

    def submodule(self, module: Module, name: str) -> Module | None:
        """Return the package that a file imports by a path that does not contain its name.

        `import "example.org/go-yaml"` brings the name `yaml` if the files there declare `package yaml`.
        """
        if module.name != _IMPORTED or module.directory in self._packages:
            return None
        file = module.directory
        if file not in self._imported:
            # An alias that is not a part of the path is written in the import, and is the only name of the package.
            imports = (each for each in self._source.facts(file).imports if _has_alias_in_path(each))
            found = (self.find(each, file) for each in imports)
            packages = [each for each in found if isinstance(each, Module)]
            self._imported[file] = {self._package_in(each.directory): each for each in packages}
        return self._imported[file].get(name)

    def declares_beside(self, file: str, name: str) -> bool:
        """Return whether another file of the package declares a name, which then does not mean an imported package."""
        package = self._package(file)
        return any(
            each.qualname == name
            for other in self._files_defining(_directory(file), name)
            if other != file and self._package(other) == package
            for each in self._source.facts(other).symbols
        )

    def _package_in(self, directory: str) -> str:
        """Return the name of the package in a directory, without the `_test` that files of its tests may append."""
        named = map(self._package, self._packages.get(directory, ()))
        return next((each for each in named if not each.endswith("_test")), "")

    def counterparts(self, file: str, name: str) -> tuple[str, ...]:
        """Return the other files of the package that declare the name, such as methods of its types."""
        package = self._package(file)
        beside = self._files_defining(_directory(file), name)
        return tuple(other for other in beside if other != file and self._package(other) == package)

    def dotted_name(self, path: str) -> str:
        """Return the import path of the file's package, if it follows from a manifest."""
        directory = _directory(path)
        manifest = self._manifest_of(directory)
        if manifest is None or not manifest.module:
            return directory
        return posixpath.join(manifest.module, directory.removeprefix(manifest.directory).strip("/")).rstrip("/")

    def mentions(self, path: str) -> tuple[str, ...]:
        """Return the longest word of the last part of its import path, ignoring major versions."""
        parts = [part for part in self.dotted_name(path).split("/") if not _MAJOR.match(part)]
        return tuple(sorted(_WORD.findall(parts[-1]), key=len)[-1:]) if parts else ()

    def _package(self, file: str) -> str:
        """Return the name of the package that a file declares."""
        return self._source.facts(file).package

    def _files_defining(self, directory: str, name: str) -> list[str]:
        """Return the files of a directory that define something of that name."""
        return self._map_defining_files(name).get(directory, [])

    @cached_method
    def _map_defining_files(self, name: str) -> Mapping[str, list[str]]:
        homes: defaultdict[str, list[str]] = defaultdict(list)
        for file in self._source.files_defining(fold_name(name)):
            if file.endswith(".go"):
                homes[_directory(file)].append(file)
        return homes


def _has_alias_in_path(imported: Import) -> bool:
    """Return whether the alias of an import is a part of its path, apart from characters that names lack."""
    alias, path = (_NO_NAME.sub("", each) for each in (imported.alias, imported.module))
    return bool(alias) and alias in path


def _directory(path: str) -> str:
    return path.rpartition("/")[0]


def _join(directory: str, path: str) -> str:
    """Return the path relative to a directory; a path that leaves the workspace matches nothing."""
    joined = posixpath.normpath(posixpath.join(directory, path))
    return "" if joined == "." else joined


def _iter_below(prefix: str, directory: str, path: str) -> Iterator[str]:
    """Yield the directory of an import path if that is the path of a module, its `prefix`, or below it."""
    if prefix and (path == prefix or path.startswith(f"{prefix}/")):
        yield _join(directory, path[len(prefix) :].lstrip("/"))


SYSTEM = GoPackages
