"""Separate: files of which nothing is known but what they define (the long tail of languages).

Knows: paths.
Does not know: imports.
"""

from __future__ import annotations

from avionics.index.layouts.layout import LayoutSource
from avionics.index.values import External, Module
from protocols.facts import Import


class SeparateLayout:
    """Every file stands alone."""

    private_prefix = ""

    def __init__(self, source: LayoutSource) -> None:
        self._source = source

    def find(self, found: Import, importer: str) -> Module | External:
        """Something outside: imports are not read."""
        return External(found.module)

    def submodule(self, module: Module, name: str) -> Module | None:
        """None: a file holds no module."""
        return None

    def files_of(self, module: Module, name: str) -> tuple[str, ...]:
        """The file itself."""
        return (module.file,) if module.file else ()

    def ambient(self, file: str) -> tuple[Module, ...]:
        """Nothing."""
        return ()

    def counterparts(self, file: str, name: str) -> tuple[str, ...]:
        """None."""
        return ()

    def dotted_name(self, path: str) -> str:
        """The path without its ending."""
        return path.rpartition(".")[0].replace("/", ".")

    def mentions(self, path: str) -> tuple[str, ...]:
        """Nobody is known to import it."""
        return ()


LAYOUT = SeparateLayout
