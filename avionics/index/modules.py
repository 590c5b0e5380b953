"""Modules: which file an import means, from paths alone.

A directory is a *source root* for a module when the importing file could see it there: the directory above the
importer's own package, the importer's directory when that is no package, the workspace's root, and directories
that hold a regular package and are none themselves (`src/`, a project of a monorepo). Nearer roots come first.

Knows: paths, and how Python lays out modules (https://docs.python.org/3/reference/import.html).
Does not know: what the files say.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable

from avionics.index.values import External, Module

_PACKAGE_STEMS = ("__init__",)
_SUFFIXES = (".py", ".pyi", ".pyw")
_STANDARD = frozenset(sys.stdlib_module_names)


class Modules:
    """The modules among the workspace's paths."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._files: dict[str, str] = {}
        self._packages: set[str] = set()
        self._directories: set[str] = set()
        self._homes: defaultdict[str, list[str]] = defaultdict(list)
        for path in sorted(paths, key=lambda path: (not path.endswith(".pyi"), path), reverse=True):
            if path.endswith(_SUFFIXES):
                self._add(path)
        for stem in sorted({*self._files, *self._directories}, key=lambda stem: (stem.count("/"), stem)):
            if stem:
                directory, name = _split(stem)
                self._homes[name].append(directory)

    def _add(self, path: str) -> None:
        stem = path.rsplit(".", 1)[0]
        directory, name = _split(stem)
        if name in _PACKAGE_STEMS:
            self._packages.add(directory)
            stem = directory
        self._files[stem] = path
        while directory and directory not in self._directories:
            self._directories.add(directory)
            directory = _split(directory)[0]

    def find(self, module: str, level: int, importer: str) -> Module | External:
        """The module an import in the importing file means; outside the workspace it is External."""
        if level:
            base = _split(importer)[0]
            for _ in range(level - 1):
                base = _split(base)[0]
            stem = "/".join(part for part in (base, *module.split(".")) if part)
            return self._at(stem) or External(module)
        top = module.partition(".")[0]
        path = module.replace(".", "/")
        for root in self._roots(top, importer):
            found = self._at(f"{root}/{path}" if root else path)
            if found is not None:
                return found
        return External(module)

    def submodule(self, module: Module, name: str) -> Module | None:
        """The module of that name inside a package, or None."""
        directory = module.directory if not module.file else self._package_directory(module.file)
        return None if directory is None else self._at(f"{directory}/{name}" if directory else name)

    def dotted_name(self, path: str) -> str:
        """The name a file is imported by, as far as its packages tell: `flask.app`."""
        stem = path.rsplit(".", 1)[0]
        directory, name = _split(stem)
        parts = [] if name in _PACKAGE_STEMS else [name]
        while directory and directory in self._packages:
            directory, parent = _split(directory)
            parts.insert(0, parent)
        return ".".join(parts)

    def is_module(self, path: str) -> bool:
        """Whether the file can be imported."""
        return path.endswith(_SUFFIXES)

    def _package_directory(self, file: str) -> str | None:
        """The directory of a package's own file, None for a plain module."""
        directory, name = _split(file.rsplit(".", 1)[0])
        return directory if name in _PACKAGE_STEMS else None

    def _at(self, stem: str) -> Module | None:
        if stem in self._files:
            return Module(self._files[stem])
        return Module("", stem) if stem in self._directories else None

    def _roots(self, top: str, importer: str) -> list[str]:
        """The directories that hold a module of that name and that the importer may see, nearest first."""
        homes = self._homes.get(top, ())
        own_root = self._root_of(importer)
        here = _split(importer)[0]
        ranked = []
        for home in homes:
            if home in self._packages:
                continue
            is_above = not home or here == home or here.startswith(f"{home}/")
            stem = f"{home}/{top}" if home else top
            is_regular = stem in self._packages
            if top in _STANDARD and not (is_above and home in {own_root, here}):
                continue
            if is_above or is_regular or home.rsplit("/", 1)[-1] in {"src", "lib", "python"}:
                is_code = stem in self._files
                ranked.append(
                    (not is_code, home != own_root, not is_above, -len(home) if is_above else len(home), home)
                )
        return [entry[-1] for entry in sorted(ranked)]

    def _root_of(self, path: str) -> str:
        """The directory above the file's outermost package."""
        directory = _split(path)[0]
        while directory and directory in self._packages:
            directory = _split(directory)[0]
        return directory


def _split(path: str) -> tuple[str, str]:
    """Directory and last part."""
    directory, _, name = path.rpartition("/")
    return directory, name
