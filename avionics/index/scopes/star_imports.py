"""Find the names that star imports bring into a scope, and the outer bindings that they hide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import TYPE_CHECKING, Protocol

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.cached_method import cached_method
from avionics.index.model.memo import Computation, Memo
from avionics.index.model.values import External, Module, Target
from avionics.index.modules.import_resolver import Modules
from avionics.model.enums import BindingKind
from avionics.model.facts import Binding, iter_scopes_around

if TYPE_CHECKING:
    from avionics.syntax.spec import LanguageSpec

STAR = "*"
"""The name bound by star imports."""


class ModuleNames(Protocol):
    """What star imports need to know about the names of modules."""

    source: FactSource
    modules: Modules
    computation: Computation

    def spec(self, file: str) -> LanguageSpec:
        """Return the language of a file."""

    def find_member(self, module: Module, name: str) -> tuple[Target, ...]:
        """Return the targets of a name in a module."""

    def find_in_stub(self, file: str, name: str, module: str = "") -> tuple[Target, ...]:
        """Return the stub declarations of a name in an outside module."""


class StarImports:
    """The star imports of one snapshot."""

    def __init__(self, names: ModuleNames) -> None:
        self._names = names
        self._starred: Memo[tuple[str, int, str], tuple[Target, ...]] = Memo(self._find_starred, (), names.computation)
        self._modules: Memo[tuple[str, int], tuple[Module | External, ...]] = Memo(
            self._find_modules, (), names.computation
        )

    def find(self, file: str, scope: int, name: str) -> tuple[Target, ...]:
        """Return the targets of a name that no enclosing scope binds, through the star imports of these scopes.

        `super::` of Rust means a module by its position, whatever is star-imported.
        """
        separator = self._names.spec(file).path_separator
        if separator and name.endswith(separator):
            return ()
        return self._starred((file, scope, name)) if STAR in self._names.source.uses(file).bindings else ()

    def _find_starred(self, place: tuple[str, int, str]) -> tuple[Target, ...]:
        file, scope, name = place
        return self._take_starred(file, self._iter_around(file, scope, -1), name)

    def find_hiding(self, file: str, scope: int, name: str, bound: int) -> tuple[Target, ...]:
        """Return the targets of a name from an inner star import that hides the binding of an outer scope."""
        is_possible = scope != bound and self._names.spec(file).nearest_stars
        if not is_possible or STAR not in self._names.source.uses(file).bindings:
            return ()
        return self._take_starred(file, self._iter_around(file, scope, bound), name)

    def _take_starred(self, file: str, around: Iterable[int], name: str) -> tuple[Target, ...]:
        """Return the targets of a name from the star imports in some scopes, innermost first.

        In Python the last star import that has the name binds it. Earlier ones count too if that import is in a block,
        which may not be executed, or if its module computes `__all__`. In other languages, several star imports of one
        scope can only have the name under build conditions, so all of them count.
        """
        stars = [b for b in self._names.source.uses(file).bindings.get(STAR, ()) if b.kind is BindingKind.IMPORT]
        scopes = tuple(around) if stars else ()
        is_ordered = self._names.spec(file).executed_classes
        groups = [[b for b in stars if b.scope == scope] for scope in scopes] if not is_ordered else [stars]
        for group in groups:
            found: dict[Target, None] = {}
            for star in reversed(group):
                given = self._given_by(star, file, name) if star.scope in scopes else ()
                found.update(dict.fromkeys(given))
                if given and is_ordered and not self._is_in_block(file, star.line) and self._is_sure(star, file, name):
                    break
            if found:
                return tuple(found)
        return ()

    def _is_in_block(self, file: str, number: int) -> bool:
        """Return whether a line is indented, as the lines under a condition are."""
        return self._names.source.read_line(file, number)[:1].isspace()

    def _given_by(self, star: Binding, file: str, name: str) -> tuple[Target, ...]:
        """Return the targets of a name from one star import."""
        modules = self._modules((file, star.imported))
        return tuple(target for module in modules for target in self._given_by_module(module, file, name))

    def _find_modules(self, place: tuple[str, int]) -> tuple[Module | External, ...]:
        """Return the modules that a star import, given as its file and its index there, may mean."""
        file, imported = place
        return self._names.modules.find_all(self._names.source.facts(file).imports[imported], file)

    def _given_by_module(self, module: Module | External, file: str, name: str) -> tuple[Target, ...]:
        """Return the targets of a name from a star import of one module."""
        if isinstance(module, External):
            return self._names.find_in_stub(file, name, module.name) if self._names.spec(file).module_stubs else ()
        return self._names.find_member(module, name) if self._is_taken(module, name) else ()

    def _is_taken(self, module: Module, name: str) -> bool:
        """Return whether a star import of a module takes a name: one in its `__all__`, or any if that is computed.

        Without `__all__` it takes every name that is not private.
        """
        exported = self.exported_names(module)
        hidden = self._names.modules.system_of(module.file).private_prefix if module.file else ""
        if not exported:
            # What is declared as an empty list is filled elsewhere, as by decorators.
            return not (hidden and name.startswith(hidden))
        is_special = bool(hidden) and name.startswith(hidden * 2) and name.endswith(hidden * 2)
        return name in exported or (STAR in exported and not is_special)

    def _is_sure(self, star: Binding, file: str, name: str) -> bool:
        """Return whether a star import surely takes a name: none of its modules computes an `__all__` without it."""
        modules = self._modules((file, star.imported))
        known = [self.exported_names(module) or () for module in modules if isinstance(module, Module)]
        return not any(STAR in names and name not in names for names in known)

    @cached_method
    def list_outside(self, file: str) -> tuple[External, ...]:
        """Return the outside modules that a file star-imports, directly or through others."""
        return self._list_outside(file)

    def get_standard(self, file: str, name: str) -> External | None:
        """Return the type of the standard library that an unbound name means by `import java.util.*`, or None.

        No other star-imported package can have the name, because it would be ambiguous.
        """
        spec = self._names.spec(file)
        packages = {} if spec.executed_classes else spec.outside_members
        starred = self.list_outside(file) if packages else ()
        having = (each.name for each in starred if name in packages.get(each.name, ()))
        return next((External(f"{module}.{name}") for module in having), None)

    def _list_outside(self, file: str) -> tuple[External, ...]:
        found: dict[External, None] = {}
        pending, seen = [file], {file}
        while pending:
            above = pending.pop()
            stars = (each for each in self._names.source.facts(above).imports if each.name == "*")
            for module in (module for star in stars for module in self._names.modules.find_all(star, above)):
                if isinstance(module, External):
                    found[module] = None
                elif module.file and module.file not in seen:
                    seen.add(module.file)
                    pending.append(module.file)
        return tuple(found)

    def _iter_around(self, file: str, scope: int, outer: int) -> Iterator[int]:
        """Yield a scope and those around it, up to but excluding the outer one."""
        return takewhile(lambda at: at != outer, iter_scopes_around(self._names.source.uses(file).scopes, scope))

    def exported_names(self, module: Module) -> frozenset[str] | None:
        """Return the names a star import takes, `*` for computed ones; None if the module does not declare them."""
        exports = self._names.source.facts(module.file).exports if module.file else None
        return frozenset(exports) if exports is not None else None
