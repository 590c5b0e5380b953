"""Standalone files: languages of which only definitions are analyzed."""

from __future__ import annotations

from avionics.index.model.values import External, Module
from avionics.index.modules.protocol import ModuleSystem
from avionics.model.facts import Import


class StandaloneFiles(ModuleSystem):
    """A module system without imports between files."""

    def find(self, imported: Import, importer: str) -> Module | External:
        """Return External: imports are not analyzed."""
        return External(imported.module)

    def dotted_name(self, path: str) -> str:
        """Return the path without its extension."""
        return path.rpartition(".")[0].replace("/", ".")


SYSTEM = StandaloneFiles
