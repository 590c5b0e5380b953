"""Reach: ways to use a definition that no reference shows.

A count of references is the whole truth only where none of these exists.

Knows: decorators, special names, hierarchies that lead out of the workspace, test runners.
Does not know: the references themselves.
"""

from __future__ import annotations

from collections.abc import Iterator

from avionics.index import builtin_names as names
from avionics.index.members import Members
from avionics.index.places import Standing, standing_of
from avionics.index.scopes import FactsSource, is_class
from avionics.index.values import ClassType
from protocols.enums import SymbolKind
from protocols.facts import Symbol
from protocols.knowledge import Definition

_HARMLESS = frozenset(
    {
        "property", "cached_property", "staticmethod", "classmethod", "abstractmethod", "overload", "override", "final",
        "contextmanager", "asynccontextmanager", "wraps", "cache", "lru_cache", "dataclass", "setter", "getter",
        "deleter", "total_ordering", "runtime_checkable", "deprecated", "define", "frozen", "s", "attrs", "unique",
    }
)  # fmt: skip
"""Decorators that change a definition without handing it to anybody who would call it."""

_COLLECTED = ("test", "setup", "teardown", "setUp", "tearDown", "asyncSetUp", "asyncTearDown", "pytest_", "load_tests")
_CALLABLE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY})


class Reach:
    """Tells how a definition may be used unseen."""

    def __init__(self, source: FactsSource, members: Members) -> None:
        self._source = source
        self._members = members

    def iter_hidden(self, definition: Definition) -> Iterator[str]:
        """Every way to use the definition without naming it, in words."""
        symbol = definition.symbol
        yield from self.iter_decorators(symbol)
        if symbol.name.startswith("__") and symbol.name.endswith("__"):
            yield "the language itself uses names with two underscores"
        if self._is_collected(definition):
            yield "test runners collect it by its name"
        yield from self._inherited(definition)

    def iter_decorators(self, symbol: Symbol) -> Iterator[str]:
        """The decorators that may make something of a definition that nothing shows, in words."""
        for decorator in symbol.decorators:
            if names.last_part(decorator.partition("(")[0]) not in _HARMLESS:
                yield f"@{decorator} may hand it on"

    def get_caller(self, definition: Definition) -> str:
        """Who calls the definition without naming it, in words; "" where nobody surely does."""
        name = definition.symbol.name
        if name.startswith("__") and name.endswith("__"):
            return "the language itself uses it"
        if name.startswith("pytest_") and definition.symbol.parent < 0:
            return "pytest calls hooks of that name"
        return "the test runner collects it by its name" if self._is_collected(definition) else ""

    def _is_collected(self, definition: Definition) -> bool:
        """Whether a test runner finds it: by its name, in a test file, not inside a function."""
        symbol = definition.symbol
        if symbol.kind is SymbolKind.CLASS:
            return self.collects(definition)
        if not self.is_test_name(definition):
            return False
        if symbol.parent < 0:
            return True
        holder = self._source.facts(definition.file).symbols[symbol.parent]
        return is_class(holder.kind) and self.collects(Definition(definition.file, holder, symbol.parent))

    def is_test_name(self, definition: Definition) -> bool:
        """Whether test runners look for functions so named there."""
        symbol = definition.symbol
        is_test = standing_of(definition.file) is Standing.TEST
        return is_test and symbol.kind in _CALLABLE and symbol.name.startswith(_COLLECTED)

    def collects(self, of: Definition) -> bool:
        """Whether test runners collect the tests of a class."""
        if standing_of(of.file) is not Standing.TEST or not is_class(of.kind):
            return False
        lineage = self._members.lineage(ClassType(of.file, of.index))
        is_case = any(name.endswith("TestCase") for name in lineage.externals)
        return is_case or (of.name.startswith("Test") and of.symbol.parent < 0)

    def _inherited(self, definition: Definition) -> Iterator[str]:
        """What calls a member through one of its class's ancestors."""
        parent = definition.symbol.parent
        if parent < 0 or not is_class(self._source.facts(definition.file).symbols[parent].kind):
            return
        own = ClassType(definition.file, parent)
        lineage = self._members.lineage(own)
        above = self._members.find(own, definition.symbol.name, skip_own=True)
        if above is not None:
            owner = self._source.facts(above.owner.file).symbols[above.owner.symbol]
            yield f"it overrides {owner.qualname}.{definition.symbol.name}, whose uses may reach it"
        outside = [name for name in lineage.externals if name not in _PLAIN_BASES]
        if outside:
            yield f"its class inherits from {outside[0]}, outside the workspace, which may use it"
        elif lineage.is_open:
            yield "its class has a base that is not known, which may use it"


_PLAIN_BASES = frozenset(
    {
        "builtins.object", "builtins.Exception", "builtins.ValueError", "builtins.TypeError", "builtins.RuntimeError",
        "typing.Generic", "typing.Protocol", "typing.NamedTuple", "typing.TypedDict", "abc.ABC", "enum.Enum",
        "typing_extensions.Protocol", "typing_extensions.TypedDict",
    }
)  # fmt: skip
"""Bases that call no method but those with two underscores."""
