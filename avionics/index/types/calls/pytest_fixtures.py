"""Find the fixture that pytest passes to a parameter with the fixture's name.

pytest looks in the class, the module, then `conftest.py` files upwards
(https://docs.pytest.org/en/stable/reference/fixtures.html).
"""

from __future__ import annotations

from collections.abc import Iterator

from avionics.index.model.values import FunctionType, Variable
from avionics.index.scopes.name_resolver import NameResolver
from avionics.model.enums import BindingKind
from avionics.model.facts import Binding, Scope, Symbol
from avionics.model.knowledge import Definition
from avionics.syntax.conventions import is_decorated
from avionics.syntax.registry import conventions_of


def get_fixture(scopes: NameResolver, file: str, scope: Scope, name: str) -> FunctionType | None:
    """Return the fixture that a test's (or another fixture's) parameter names, or None."""
    if scope.symbol < 0:
        return None
    asking = scopes.source.facts(file).symbols[scope.symbol]
    if not (asking.name.startswith("test") or is_fixture(file, asking)):
        return None
    if scope.parent > 0:
        found = _fixture_in(scopes, file, scope.parent, name)
        if found is not None and found.symbol != scope.symbol:
            return found
    for candidate in (file, *_conftests(file)):
        found = _fixture_in(scopes, candidate, 0, name)
        if found is not None and (candidate != file or found.symbol != scope.symbol):
            return found
    return None


def iter_requests(scopes: NameResolver, definition: Definition) -> Iterator[tuple[str, Binding]]:
    """Yield the parameters of tests and fixtures by which pytest passes them a fixture, each with its file."""
    if not is_fixture(definition.file, definition.symbol):
        return
    own = FunctionType.of(definition)
    files = scopes.source.files_with_word(definition.name)
    scopes.source.load_uses(files)
    for file in files:
        uses = scopes.source.uses(file)
        for binding in uses.bindings.get(definition.name, ()):
            if binding.kind is BindingKind.PARAMETER:
                asked = get_fixture(scopes, file, uses.scopes[binding.scope], definition.name)
                if asked == own:
                    yield file, binding


def is_fixture(file: str, symbol: Symbol) -> bool:
    """Return whether a symbol of a file is a fixture."""
    return is_decorated(symbol.decorators, conventions_of(file).tests.fixtures)


def _conftests(file: str) -> list[str]:
    """Return the files of fixtures that a test in the file sees, nearest first."""
    name, parts = conventions_of(file).tests.fixture_file, file.split("/")[:-1]
    return ["/".join([*parts[:depth], name]) for depth in range(len(parts), -1, -1)] if name else []


def _fixture_in(scopes: NameResolver, file: str, scope: int, name: str) -> FunctionType | None:
    if not scopes.source.has_file(file):
        return None
    for target in scopes.follow(Variable(file, scope, name)):
        if not isinstance(target, Variable):
            continue
        for binding in scopes.bindings(target):
            if binding.kind is BindingKind.DEFINITION and binding.symbol >= 0:
                symbol = scopes.source.facts(target.file).symbols[binding.symbol]
                if is_fixture(target.file, symbol):
                    return FunctionType(target.file, binding.symbol)
    return None
