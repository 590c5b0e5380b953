"""Modules whose names are not all bound by their own code: others add some, or keys of their namespace do."""

from __future__ import annotations

from avionics.index.model.values import Module, Variable
from avionics.index.scopes.name_resolver import NameResolver
from avionics.model.enums import BindingKind
from avionics.model.facts import Import
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.registry import conventions_of

DYNAMIC_MODULE = Reason(ReasonKind.DYNAMIC_MODULE)
MODULE_NOT_FOUND = Reason(ReasonKind.MODULE_NOT_FOUND)
"""Why a name below a module of the workspace that is not found may mean anything of its name."""


class DynamicModules:
    """Tells of the imports of one snapshot whether a module may have names that its code does not bind."""

    def __init__(self, scopes: NameResolver) -> None:
        self._scopes = scopes
        self._computed: dict[str, bool] = {}

    def get_lack(self, file: str, found: Import) -> Reason | None:
        """Return why an import that leads nowhere may take what other code or a macro binds in a module, or None."""
        if self._is_lacking(file, found):
            return DYNAMIC_MODULE
        is_named = found.name not in {"", "*"} and self._scopes.spec(file).path_separator
        modules = self._scopes.modules.find_all(found, file) if is_named else ()
        return MODULE_NOT_FOUND if any(isinstance(each, Module) and each.file for each in modules) else None

    def _is_lacking(self, file: str, found: Import) -> bool:
        """Return whether an import takes a name from a file that does not bind it, so that other code has to.

        What a module of JavaScript exports may be computed: `module.exports = Object.assign({}, require('./a'))`.
        """
        is_dynamic = bool(self._scopes.spec(file).module_names) or conventions_of(file).implicit.text_names is not None
        if not is_dynamic or found.name in {"", "*", "default"}:
            return False
        return any(isinstance(each, Module) and each.file for each in self._scopes.modules.find_all(found, file))

    def may_bring(self, file: str, bound: Variable | None) -> bool:
        """Return whether a bare name that leads nowhere may be put into a module as a key of its namespace.

        It is imported from a file that does not bind it, or star-imported from one whose names are computed.
        """
        imports = self._scopes.source.facts(file).imports
        if bound is not None:
            taken = [each.imported for each in self._scopes.bindings(bound) if each.kind is BindingKind.IMPORT]
            return any(self._is_lacking(bound.file, self._scopes.source.facts(bound.file).imports[at]) for at in taken)
        if conventions_of(file).implicit.text_names is None:
            return False
        starred = (each for star in imports if star.name == "*" for each in self._scopes.modules.find_all(star, file))
        return any(isinstance(each, Module) and self.is_computed(each) for each in starred)

    def is_open(self, module: Module) -> bool:
        """Return whether other code may add members to a module, as to what is no ES module of JavaScript."""
        spec = self._scopes.spec(module.file) if module.file else None
        if spec is None or not spec.module_names or spec.module_line is None:
            return False
        return spec.module_line.search(self._scopes.source.read_text(module.file)) is None

    def is_computed(self, module: Module) -> bool:
        """Return whether the code of a module takes its names as keys, which may add others."""
        known = self._computed.get(module.file) if module.file else False
        if known is None:
            ways = conventions_of(module.file).implicit.text_names
            known = ways is not None and ways.namespaces.search(self._scopes.source.read_text(module.file)) is not None
            self._computed[module.file] = known
        return known
