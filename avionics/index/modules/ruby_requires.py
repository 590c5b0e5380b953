"""Ruby: files require others by path, and top-level constants are visible everywhere."""

from __future__ import annotations

import posixpath
import re
from typing import ClassVar

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.cached_method import cached_method
from avionics.index.model.values import External, Module
from avionics.index.modules.protocol import ModuleSystem
from avionics.late_pattern import late_pattern
from avionics.model.facts import Import
from avionics.model.naming import fold_name

_SUFFIXES = (".rb", ".rake", ".gemspec", ".jbuilder", ".podspec", ".rabl", ".thor")
_GEM = late_pattern(
    r"^[ \t]*(?:gem|\w+\.add_(?:runtime_|development_)?dependency)[ (]+[\"']([\w-]+)[\"']", re.MULTILINE
)
_WORD_START = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class RubyRequires(ModuleSystem):
    """The files of a snapshot by the paths under which they are required, and its top-level constants."""

    shares_functions: ClassVar[bool] = True

    def __init__(self, source: FactSource) -> None:
        self._source = source
        self._directories = {path.rpartition("/")[0] for path in source.files if path.endswith(_SUFFIXES)}
        roots = {""}
        for path in source.files:
            if path.endswith(_SUFFIXES):
                before, found, _ = f"/{path}".partition("/lib/")
                roots.update([f"{before}/lib/".lstrip("/")] if found else [])
        self._roots = sorted(roots)
        self._gems: frozenset[str] | None = None

    def find(self, imported: Import, importer: str) -> Module | External:
        """Return the required file: beside the importer, or under one of the `lib` directories."""
        if imported.level:
            directory = importer.rpartition("/")[0]
            places = [posixpath.normpath(posixpath.join(directory, imported.module))]
        else:
            near = [root for root in self._roots if root and importer.startswith(root.removesuffix("lib/"))]
            others = (root for root in self._roots if root not in near)
            places = [f"{root}{imported.module}" for root in (*sorted(near, key=len, reverse=True), *others)]
        files = (path for place in places for path in (place, f"{place}.rb") if self._source.has_file(path))
        path_found = next(files, None)
        return Module(path_found) if path_found is not None else External(imported.module)

    @cached_method
    def is_of_library(self, name: str) -> bool:
        """Return whether a library that files require, or a Gemfile names, has a module of this name."""
        spelled = dict.fromkeys((name.lower(), _WORD_START.sub("_", name).lower()))
        return any(map(self._is_required, spelled))

    def _is_required(self, path: str) -> bool:
        """Return whether a file requires a path, or one below it, that is outside the workspace."""
        if self._gems is None:
            builds = [each for each in self._source.paths if each.endswith(("Gemfile", ".gemspec"))]
            self._gems = frozenset(gem for each in builds for gem in _GEM.findall(self._source.read_text(each)))
        if path in self._gems and isinstance(self.find(Import(path, "", "", 0, 0), ""), External):
            return True
        for file in self._source.files_with_word(path):
            imports = self._source.facts(file).imports if file.endswith(_SUFFIXES) else ()
            required = (each for each in imports if not each.level and each.module.partition("/")[0] == path)
            if any(isinstance(self.find(each, file), External) for each in required):
                return not any(f"{root}{path}" in self._directories for root in self._roots)
        return False

    def files_of(self, module: Module, name: str) -> tuple[str, ...]:
        """Return the files that define a top-level constant of that name."""
        if not name[:1].isupper():
            return ()
        return tuple(
            file
            for file in self._source.files_defining(fold_name(name))
            if file.endswith(_SUFFIXES)
            and any(symbol.qualname == name and symbol.parent < 0 for symbol in self._source.facts(file).symbols)
        )

    def ambient(self, file: str) -> tuple[Module, ...]:
        """Return the top-level constants."""
        return (Module("", name="constants", system="ruby_requires"),)

    def counterparts(self, file: str, name: str) -> tuple[str, ...]:
        """Return the other files that reopen a class of that name, or define a member of that name."""
        found = self._source.files_defining(fold_name(name))
        return tuple(other for other in found if other != file and other.endswith(_SUFFIXES))

    def dotted_name(self, path: str) -> str:
        """Return the path under which it is required."""
        before, found, after = f"/{path}".partition("/lib/")
        return (after if found else before.lstrip("/")).rpartition(".")[0].replace("/", ".")

    def mentions(self, path: str) -> tuple[str, ...]:
        """Return the last word of its path."""
        stem = path.rpartition("/")[2].rpartition(".")[0]
        return tuple(word for word in stem.replace("-", " ").split()[-1:])


SYSTEM = RubyRequires
