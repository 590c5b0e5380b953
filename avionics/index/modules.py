"""Modules: which files an import means, by the layout that the importing file's language follows.

Knows: which language follows which layout.
Does not know: any layout; what the files say.
"""

from __future__ import annotations

import importlib

from avionics.index.layouts.layout import DeclaringLayout, GivingLayout, Layout, LayoutSource, OpenLayout, ProgramLayout
from avionics.index.values import External, Module
from avionics.syntax.extract import get_language
from avionics.syntax.spec import require_spec
from protocols.facts import Import

PRELUDE = "<prelude>/"
"""What the paths of preludes begin with; no file of a workspace is called so."""

_DECLARED = (".d.ts", ".d.mts", ".d.cts", ".js", ".mjs", ".cjs")
"""Files beside which others may lie that declare, or hold, the same."""

_DEFAULT = "python"
"""The language of dotted names that no file says."""


class Modules:
    """The modules of a snapshot, whatever their languages."""

    def __init__(self, source: LayoutSource) -> None:
        self._source = source
        self._layouts: dict[str, Layout] = {}

    def layout_of(self, path: str) -> Layout:
        """The layout that the language of a file follows."""
        return self._layout(require_spec(get_language(path) or _DEFAULT).layout)

    def _layout(self, name: str) -> Layout:
        """The layout of that name, built when first asked for."""
        known = self._layouts.get(name)
        if known is None:
            module = importlib.import_module(f"avionics.index.layouts.{name}")
            known = self._layouts[name] = module.LAYOUT(self._source)
        return known

    def find(self, found: Import, importer: str) -> Module | External:
        """The module an import means; the file itself where the import names none; else External."""
        if not found.module and not found.level:
            return Module(importer)
        return self.layout_of(importer).find(found, importer)

    def module_named(self, dotted: str, importer: str = "") -> Module | External:
        """The module of a dotted name, as the importing file would see it."""
        return self.layout_of(importer).find(Import(dotted, "", "", 0, 0), importer)

    def submodule(self, module: Module, name: str) -> Module | None:
        """The module of that name inside a module, or None."""
        if module.file.startswith(PRELUDE):
            return None
        layout = self.layout_of(module.file) if module.file else self._layout(module.layout)
        return layout.submodule(module, name)

    def files_of(self, module: Module, name: str) -> tuple[str, ...]:
        """The files whose top level may bind the name for the module."""
        if module.file.endswith(_DECLARED):
            layout = self.layout_of(module.file)
            return (module.file, *(layout.declared_beside(module.file) if isinstance(layout, DeclaringLayout) else ()))
        if module.file:
            return (module.file,)
        return self._layout(module.layout).files_of(module, name)

    def given_from(self, module: Module, name: str) -> tuple[str, ...]:
        """Other files whose top level binds the name for a module, wherever they lie."""
        layout = self.layout_of(module.file) if module.file and not module.file.startswith(PRELUDE) else None
        return layout.given_from(module, name) if isinstance(layout, GivingLayout) else ()

    def ambient(self, file: str) -> tuple[Module, ...]:
        """What a file sees without importing it by name, nearest first; last the prelude of its language."""
        if file.startswith(PRELUDE):
            return ()
        language = self._source.facts(file).language or get_language(file)
        prelude = require_spec(language).prelude if language else ""
        own = self.layout_of(file).ambient(file)
        return (*own, Module(f"{PRELUDE}{prelude}")) if prelude else own

    def counterparts(self, file: str, name: str) -> tuple[str, ...]:
        """Other files where what a file declares by that name may be declared, or be given members, too."""
        return () if file.startswith(PRELUDE) else self.layout_of(file).counterparts(file, name)

    def additions(self, file: str, name: str) -> tuple[str, ...]:
        """Other files where types of a file may be given members of that name."""
        layout = self.layout_of(file)
        return layout.additions(file, name) if isinstance(layout, OpenLayout) else self.counterparts(file, name)

    def is_open(self, file: str) -> bool:
        """Whether any file may add members to any type, those outside the workspace too."""
        return isinstance(self.layout_of(file), OpenLayout)

    def program_name(self, path: str) -> str:
        """What the program that begins with a file is called, where a manifest says; "" elsewhere."""
        layout = self.layout_of(path)
        return layout.program_name(path) if isinstance(layout, ProgramLayout) else ""

    def private_prefix(self, file: str) -> str:
        """How names start that a star import of the file does not take; "" where there is no such rule."""
        return self.layout_of(file).private_prefix

    def dotted_name(self, path: str) -> str:
        """The name a file is imported by."""
        return self.layout_of(path).dotted_name(path)

    def mentions(self, path: str) -> tuple[str, ...]:
        """Words of which a file that imports this one contains at least one; () where it need not name it."""
        return self.layout_of(path).mentions(path)
