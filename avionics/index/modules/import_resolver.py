"""Resolve imports by the module system of the importing file's language."""

from __future__ import annotations

import importlib

from avionics.index.facts.fact_source import FactSource
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.cached_method import cached_method
from avionics.index.model.values import External, Module
from avionics.index.modules.protocol import ModuleSystem
from avionics.model.facts import Import
from avionics.syntax.registry import get_language, require_spec

_DECLARED_BESIDE = (".d.ts", ".d.mts", ".d.cts", ".js", ".mjs", ".cjs")
"""Files beside which other files may declare or contain the same module."""

_DEFAULT = "python"
"""The language of dotted names without a file."""


class Modules:
    """The modules of a snapshot, whatever their languages."""

    def __init__(self, source: FactSource) -> None:
        self._source = source

    @cached_method
    def system_of(self, path: str) -> ModuleSystem:
        """Return the module system of a file's language."""
        return self._system(self.get_system_name(path))

    def get_system_name(self, path: str) -> str:
        """Return the name of the module system of a file's language, which is not built for it."""
        return require_spec(get_language(path) or _DEFAULT).module_system

    def can_import(self, path: str, other: str) -> bool:
        """Return whether two files are in languages that import each other."""
        return self.get_system_name(path) == self.get_system_name(other)

    @cached_method
    def _system(self, name: str) -> ModuleSystem:
        """Return the module system of that name, built at the first use."""
        system: ModuleSystem = importlib.import_module(f"avionics.index.modules.{name}").SYSTEM(self._source)
        return system

    def find(self, imported: Import, importer: str) -> Module | External:
        """Return the module of an import; the file itself if the import names none; else External."""
        if not imported.module and not imported.level:
            return self.system_of(importer).get_seen_outwards(imported, importer) or Module(importer)
        return self.system_of(importer).find(imported, importer)

    def find_all(self, imported: Import, importer: str) -> tuple[Module | External, ...]:
        if not imported.module and not imported.level:
            return (self.find(imported, importer),)
        return self.system_of(importer).find_all(imported, importer)

    def module_named(self, dotted: str, importer: str = "") -> Module | External:
        """Return the module of a dotted name, as the importing file would see it."""
        return self.system_of(importer).find(Import(dotted, "", "", 0, 0), importer)

    def submodule(self, module: Module, name: str) -> Module | None:
        if module.file.startswith(STUBS):
            return None
        system = self.system_of(module.file) if module.file else self._system(module.system)
        return system.submodule(module, name)

    def files_of(self, module: Module, name: str) -> tuple[str, ...]:
        """Return the files whose top level may bind the name for the module."""
        if module.file.endswith(_DECLARED_BESIDE):
            return (module.file, *self.system_of(module.file).declared_beside(module.file))
        if module.file:
            return (module.file,)
        return self._system(module.system).files_of(module, name)

    def given_from(self, module: Module, name: str) -> tuple[str, ...]:
        if not module.file or module.file.startswith(STUBS):
            return ()
        return self.system_of(module.file).given_from(module, name)

    def ambient(self, file: str) -> tuple[Module, ...]:
        """Return the modules visible in a file without an import, nearest first; the language's stub is last."""
        if file.startswith(STUBS):
            return ()
        own, stub = self.system_of(file).ambient(file), self.get_stub(file)
        return (*own, stub) if stub is not None else own

    def get_stub(self, file: str, module: str = "") -> Module | None:
        """Return the stub of a standard library module, or of the built-in names for ""; None if there is none."""
        language = self._source.facts(file).language or get_language(file)
        spec = require_spec(language) if language else None
        if spec is None or not spec.stub or (file.startswith(STUBS) and not spec.module_stubs):
            return None
        stub = spec.module_stubs.get(module, "") if module and spec.module_stubs else spec.stub
        return Module(f"{STUBS}{stub}") if stub else None

    def counterparts(self, file: str, name: str) -> tuple[str, ...]:
        return () if file.startswith(STUBS) else self.system_of(file).counterparts(file, name)

    def list_unlocated(self, file: str) -> tuple[tuple[str, Import], ...]:
        return () if file.startswith(STUBS) else self.system_of(file).list_unlocated(file)

    def is_lost(self, file: str, name: str) -> bool:
        return not file.startswith(STUBS) and self.system_of(file).is_lost(file, name)

    def may_bring(self, file: str) -> bool:
        return not file.startswith(STUBS) and self.system_of(file).may_bring(file)

    def additions(self, file: str, name: str) -> tuple[str, ...]:
        system = self.system_of(file)
        if file.startswith(STUBS) and not system.extends_any_type:
            return ()
        return system.additions(file, name)

    def dotted_name(self, path: str) -> str:
        return self.system_of(path).dotted_name(path)
