"""Decide whether a decorator of the workspace only wraps the function, or may pass it to other code."""

from __future__ import annotations

from collections.abc import Iterator

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.values import FunctionType
from avionics.index.scopes.name_resolver import NameResolver
from avionics.index.types.inference import Inference
from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import Expression, FileUses, Reference
from avionics.model.naming import fold_name

_TRANSPARENT_CALLS = frozenset({"wraps", "update_wrapper", "cast"})
"""Functions that return a function they are given, or copy its name."""


class DecoratorEffects:
    """Reads the decorators that the workspace defines."""

    def __init__(self, source: FactSource, scopes: NameResolver, inference: Inference) -> None:
        self._source = source
        self._scopes = scopes
        self._inference = inference
        self._known: dict[tuple[FunctionType, bool], bool] = {}

    def may_define(self, decorator: str) -> bool:
        """Return whether the workspace may define a decorator, as written: something in it has the name."""
        return bool(self._source.files_defining(fold_name(decorator.partition("(")[0].rpartition(".")[2].strip())))

    def decide(self, file: str, symbol: int, decorator: Expression) -> bool | None:
        """Return whether a decorator only wraps a symbol: no code but the function that replaces it gets the symbol.

        None if the decorator is not a function of the workspace.
        """
        uses, parent = self._source.uses(file), self._source.facts(file).symbols[symbol].parent
        scope = next((index for index, each in enumerate(uses.scopes) if parent >= 0 and each.symbol == parent), 0)
        is_factory = decorator.kind is ExpressionKind.CALL
        callee = decorator.parts[0] if is_factory else decorator
        line = self._source.facts(file).symbols[symbol].line
        found = self._inference.infer(callee, file, scope, line)
        own = [each for each in found if isinstance(each, FunctionType) and self._source.has_file(each.file)]
        return len(own) == len(found) and all(self._wraps(each, is_factory) for each in own) if own else None

    def _wraps(self, of: FunctionType, is_factory: bool) -> bool:
        key = (of, is_factory)
        if key not in self._known:
            # This ends the recursion for a decorator that decorates itself.
            self._known[key] = False
            self._known[key] = self._only_wraps(of, is_factory)
        return self._known[key]

    def _only_wraps(self, of: FunctionType, is_factory: bool) -> bool:
        """Return whether a decorator only calls, reads or returns the decorated function and its own inner functions.

        The decorated function is its first parameter; of a factory (`@retry(3)`) it is that of an inner function.
        """
        uses = self._source.uses(of.file)
        own = [index for index, each in enumerate(uses.scopes) if each.symbol == of.symbol]
        if len(own) != 1 or self._source.facts(of.file).symbols[of.symbol].decorators:
            return False
        inside = set(_iter_within(uses, own[0]))
        decorators = [index for index in inside if uses.scopes[index].parent == own[0]] if is_factory else own
        passed = {(name, index) for index in decorators for name in _first_parameter(uses, index)}
        if not passed:
            return False
        passed |= {
            (name, each.scope)
            for name, bindings in uses.bindings.items()
            for each in bindings
            if each.scope in inside and each.kind is BindingKind.DEFINITION
        }
        return all(self._only_returns(of.file, uses, name, scope, inside) for name, scope in passed)

    def _only_returns(self, file: str, uses: FileUses, name: str, scope: int, inside: set[int]) -> bool:
        """Return whether every use of a name calls it, reads an attribute of it, or returns it."""
        symbols = [self._source.uses(file).scopes[index].symbol for index in inside]
        values = [each for index in inside for each in uses.returns.get(index, ())]
        values += [each for symbol in symbols for each in uses.decorators.get(symbol, ())]
        returned = [part for value in values for part in _iter_passed(value)]
        harmless = sum(part.kind is ExpressionKind.NAME and part.name == name for part in returned)
        every = (each for found in uses.references.values() for each in found if each.scope in inside)
        harmless += sum(_reads_attribute(each, name) for each in every)
        read = 0
        for each in uses.references.get(name, ()):
            if each.receiver is not None or each.scope not in inside:
                continue
            variable = self._scopes.get_variable(file, each.scope, name)
            if variable is None or variable.scope != scope or each.kind is ReferenceKind.CALL:
                continue
            if each.kind is not ReferenceKind.READ:
                return False
            read += 1
        return read <= harmless


def _iter_within(uses: FileUses, scope: int) -> Iterator[int]:
    """Yield a scope and the scopes within it."""
    inside = {scope}
    yield scope
    for at in range(scope + 1, len(uses.scopes)):
        if uses.scopes[at].parent in inside:
            inside.add(at)
            yield at


def _first_parameter(uses: FileUses, scope: int) -> list[str]:
    """Return a list with the name of the first parameter of a function's scope; [] if it has none."""
    if uses.scopes[scope].kind is not ScopeKind.FUNCTION:
        return []
    found = [
        ((each.line, each.column), name)
        for name, bindings in uses.bindings.items()
        for each in bindings
        if each.scope == scope and each.kind is BindingKind.PARAMETER
    ]
    return [name for _, name in sorted(found)[:1]]


def _iter_passed(value: Expression) -> Iterator[Expression]:
    """Yield the expression and, for calls that return their argument, the argument."""
    if value.kind is ExpressionKind.CALL:
        callee = value.parts[0]
        if callee.name in _TRANSPARENT_CALLS:
            for argument in value.parts[1:]:
                yield from _iter_passed(argument)
    elif value.kind in {ExpressionKind.UNION, ExpressionKind.TYPED}:
        for part in value.parts:
            yield from _iter_passed(part)
    else:
        yield value


def _reads_attribute(reference: Reference, name: str) -> bool:
    """Return whether a reference reads an attribute of a name."""
    owner = reference.receiver
    is_own = owner is not None and owner.kind is ExpressionKind.NAME and owner.name == name
    return is_own and reference.kind is ReferenceKind.READ
