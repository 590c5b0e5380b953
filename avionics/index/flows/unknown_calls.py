"""Find the methods that a call of an unknown object may run, by its name and by how the object is called."""

from __future__ import annotations

from collections.abc import Sequence

from avionics.index.analysis.call_tree import CallTreeBuilder
from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import is_product
from avionics.index.search.query import stems_of
from avionics.model.enums import BODIES, BindingKind, ScopeKind
from avionics.model.knowledge import Definition, UnresolvedUse
from avionics.model.naming import fold_name

_CONTAINER_METHODS = frozenset(
    {
        "get", "items", "keys", "values", "append", "extend", "pop", "setdefault", "copy", "format", "join", "split",
        "push", "map", "filter", "forEach", "has", "len", "iter", "contains", "containsKey", "size", "isEmpty",
        "unwrap", "clone", "into", "strip", "index", "count", "replace", "find",
    }
)  # fmt: skip
"""Methods that values of standard libraries have; few calls of an unknown object with these names mean the workspace's
methods."""
_LOCAL = frozenset({BindingKind.ASSIGNMENT, BindingKind.PARAMETER, BindingKind.VARIADIC})


class UnknownCalls:
    """Finds the methods that unknown calls may run in one index."""

    def __init__(self, code: CodeIndex, builder: CallTreeBuilder) -> None:
        self._code = code
        self._builder = builder

    def find_candidates(self, source: Definition, text: str) -> tuple[Definition, ...]:
        """Return the methods and functions of the name that a body calls; none for a value that it binds itself."""
        receiver, _, name = text.rpartition(".")
        if not receiver and self._is_bound(source, name):
            return ()
        named = [each for each in self._code.find_definitions(name) if each.kind in BODIES]
        found = [
            each for each in named if is_product(each.file) and self._code.modules.can_import(source.file, each.file)
        ]
        return self._keep_likely(receiver, found)

    def is_common(self, text: str) -> bool:
        """Return whether an expression calls a method whose name standard libraries and the workspace both have."""
        name = text.rpartition(".")[2]
        return name in _CONTAINER_METHODS and bool(self._code.find_definitions(name))

    def is_named_otherwise(self, target: Definition, use: UnresolvedUse) -> bool:
        """Return whether the object of a possible usage is named after another class that has such a method."""
        reference = self._code.uses(use.file).get_reference(target.name, use.line, use.column)
        if reference is None or reference.receiver is None:
            return False
        named = [each for each in self._code.find_definitions(target.name) if each.kind in BODIES]
        likely = self._keep_likely(reference.receiver.name, named)
        return len(likely) < len(named) and target not in likely

    def _is_bound(self, source: Definition, name: str) -> bool:
        """Return whether a name is a parameter or a local variable in a body."""
        uses, span = self._code.uses(source.file), source.symbol.span
        return any(
            each.kind in _LOCAL and span.contains(each.line) and uses.scopes[each.scope].kind is ScopeKind.FUNCTION
            for each in uses.bindings.get(name, ())
        )

    def _keep_likely(self, receiver: str, found: Sequence[Definition]) -> tuple[Definition, ...]:
        """Return the methods of the class that an unknown object is named after; all of them if it is named otherwise.

        In `self.cart.add(…)` with a class `Cart`, its `add` is meant. A method with a name that every dictionary or
        list has is meant only if the object's name resembles the class.
        """
        name = receiver.rpartition(".")[2]
        wanted = fold_name(name)
        of_class = [each for each in found if self._get_class_name(each) == wanted] if wanted else []
        if wanted and not of_class and found and found[0].name in _CONTAINER_METHODS:
            words = frozenset(stems_of(name))
            return tuple(each for each in found if words.intersection(stems_of(self._get_class_name(each, fold=False))))
        return tuple(of_class or found)

    def _get_class_name(self, method: Definition, *, fold: bool = True) -> str:
        """Return the name of the class around a method, folded or as it is written, "" for a function."""
        owner = self._builder.get_class(method)
        symbol = self._code.resolver.scopes.get_class_symbol(owner)
        name = symbol.name if symbol is not None else ""
        return fold_name(name) if fold else name
