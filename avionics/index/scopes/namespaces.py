"""Find the members of C++ namespaces, of which each file sees only the part that it includes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.values import Module, Target, Variable
from avionics.index.modules.import_resolver import Modules
from avionics.model.enums import SymbolKind
from avionics.syntax.registry import conventions_of

if TYPE_CHECKING:
    from avionics.syntax.spec import LanguageSpec


class NamesOfFiles(Protocol):
    """What namespaces need to know about the names of files."""

    source: FactSource
    modules: Modules
    spec: Callable[[str], LanguageSpec]

    def follow(self, variable: Variable) -> tuple[Target, ...]:
        """Return the targets of a variable."""

    def is_namespace(self, file: str, scope: int) -> bool:
        """Return whether a scope is a namespace."""

    def find_in_stub(self, file: str, name: str) -> tuple[Target, ...]:
        """Return the declarations of a name in the stub of a file's language."""


class Namespaces:
    """The namespaces of one snapshot."""

    def __init__(self, scopes: NamesOfFiles) -> None:
        self._scopes = scopes

    def find(self, space: Module, name: str) -> tuple[Target, ...]:
        """Return the targets of a name in a namespace, from the files visible to one file."""
        return self._find_in(self._scopes.modules.files_of(space, name), space, name)

    def find_unseen(self, space: Module, name: str) -> tuple[Target, ...]:
        """Return the targets of `space::name` in C++ from files that are not included.

        A header may rely on what is included before it. Return () for a namespace of the standard library, whose
        members are not all known.
        """
        file, scopes = space.seen_from, self._scopes
        spec = scopes.spec(file) if space.inner and file else None
        if spec is None or not (spec.linkage and spec.overloads) or scopes.find_in_stub(file, space.inner[0]):
            return ()
        qualname = ".".join((*space.inner, name))
        declaring = dict.fromkeys(
            each.file
            for each in scopes.source.iter_named(name)
            if each.symbol.qualname == qualname and each.kind is not SymbolKind.MACRO
            if each.symbol.exported or not each.file.endswith(conventions_of(each.file).files.private_suffixes or "/")
        )
        return self._find_in(declaring, space, name)

    def is_of_namesake(self, space: Module, name: str) -> bool:
        """Return whether `space::name` may mean a member of another namespace with that last name: `other::space`."""
        qualname, end = ".".join((*space.inner, name)), f".{space.inner[-1]}.{name}"
        named = (each.symbol.qualname for each in self._scopes.source.iter_named(name))
        return any(each != qualname and f".{each}".endswith(end) for each in named)

    def _find_in(self, files: Iterable[str], space: Module, name: str) -> tuple[Target, ...]:
        qualname, source = ".".join(space.inner), self._scopes.source
        found: dict[Target, None] = {}
        for file in files:
            scopes, symbols = source.uses(file).scopes, source.facts(file).symbols
            for binding in source.uses(file).bindings.get(name, ()):
                symbol = scopes[binding.scope].symbol
                is_inside = symbol >= 0 and self._scopes.is_namespace(file, binding.scope)
                if is_inside and symbols[symbol].qualname == qualname:
                    found.update(dict.fromkeys(self._scopes.follow(Variable(file, binding.scope, name))))
        return tuple(found)
