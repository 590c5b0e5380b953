"""Recognize modules that may have names which their own code does not bind.

Other files may assign them (`shop.cart = …` in JavaScript), or the module writes to `globals()`.
"""

from __future__ import annotations

from avionics.index.model.values import Module, Variable
from avionics.index.scopes.name_resolver import NameResolver
from avionics.model.enums import BindingKind
from avionics.model.facts import Import
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.registry import conventions_of

DYNAMIC_MODULE = Reason(ReasonKind.DYNAMIC_MODULE)
MODULE_NOT_FOUND = Reason(ReasonKind.MODULE_NOT_FOUND)
"""Why a name in a module of the workspace that does not bind it may mean any definition with that name."""


class DynamicModules:
    """Tells whether the imported modules of one snapshot may have names that their code does not bind."""

    def __init__(self, scopes: NameResolver) -> None:
        self._scopes = scopes
        self._computed: dict[str, bool] = {}

    def get_lack(self, file: str, found: Import) -> Reason | None:
        """Return why an import that is not resolved may take a name that other code or a macro binds in a module.

        None if it cannot.
        """
        if self._takes_unbound_name(file, found):
            return DYNAMIC_MODULE
        is_named = found.name not in {"", "*"} and self._scopes.spec(file).path_separator
        modules = self._scopes.modules.find_all(found, file) if is_named else ()
        return MODULE_NOT_FOUND if any(isinstance(each, Module) and each.file for each in modules) else None

    def _takes_unbound_name(self, file: str, found: Import) -> bool:
        """Return whether an unresolved import takes a name from a file of the workspace, so that other code binds it.

        Exports of a JavaScript module may be computed: `module.exports = Object.assign({}, require('./a'))`.
        """
        is_dynamic = bool(self._scopes.spec(file).module_names) or conventions_of(file).implicit.text_names is not None
        if not is_dynamic or found.name in {"", "*", "default"}:
            return False
        return any(isinstance(each, Module) and each.file for each in self._scopes.modules.find_all(found, file))

    def may_bring(self, file: str, bound: Variable | None) -> bool:
        """Return whether an unresolved bare name may be bound at run time, as by `globals()[name] = …`.

        It is imported from a file that does not bind it, or star-imported from a file that computes names.
        """
        imports = self._scopes.source.facts(file).imports
        if bound is not None:
            taken = [each.imported for each in self._scopes.bindings(bound) if each.kind is BindingKind.IMPORT]
            bound_imports = self._scopes.source.facts(bound.file).imports
            return any(self._takes_unbound_name(bound.file, bound_imports[index]) for index in taken)
        if conventions_of(file).implicit.text_names is None:
            return False
        starred = (each for star in imports if star.name == "*" for each in self._scopes.modules.find_all(star, file))
        return any(isinstance(each, Module) and self.is_computed(each) for each in starred)

    def is_open(self, module: Module) -> bool:
        """Return whether other code may add members to a module: in JavaScript to any that is not an ES module."""
        spec = self._scopes.spec(module.file) if module.file else None
        if spec is None or not spec.module_names or spec.module_line is None:
            return False
        return spec.module_line.search(self._scopes.source.read_text(module.file)) is None

    def is_computed(self, module: Module) -> bool:
        """Return whether a module accesses its own namespace by keys (`globals()`), which may bind other names."""
        known = self._computed.get(module.file) if module.file else False
        if known is None:
            ways = conventions_of(module.file).implicit.text_names
            known = ways is not None and ways.namespaces.search(self._scopes.source.read_text(module.file)) is not None
            self._computed[module.file] = known
        return known
