"""Separate: files of which nothing is known but what they define (the long tail of languages).

Knows: paths.
Does not know: imports.
"""

from __future__ import annotations

from avionics.index.model.values import External, Module
from avionics.index.modules.protocol import ModuleSystem
from avionics.model.facts import Import


class StandaloneFiles(ModuleSystem):
    """Every file stands alone."""

    def find(self, found: Import, importer: str) -> Module | External:
        """Something outside: imports are not read."""
        return External(found.module)

    def dotted_name(self, path: str) -> str:
        """The path without its ending."""
        return path.rpartition(".")[0].replace("/", ".")


SYSTEM = StandaloneFiles
