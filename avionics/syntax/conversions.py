"""Find where values are converted to a declared type: arguments, results, fields, variables, assertions."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping

from msgspec import Struct

from avionics.model.enums import ReferenceKind
from avionics.model.facts import UNKNOWN, Expression, FileFacts
from avionics.syntax.engine import grammars
from avionics.syntax.engine.budget import TooCostlyError
from avionics.syntax.engine.call_shapes import CallGrammar
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import code_children
from avionics.syntax.engine.uses import UsesBuilder, UsesTables


class Conversion(Struct, frozen=True):
    """A conversion of a value to a declared type.

    Attributes:
        wanted: An expression of the declared type, or the called function if `parameter` is given.
        scope: The scope in which both are read.
        parameter: The parameter's position for a function, else -1.
    """

    value: Expression
    wanted: Expression
    scope: int
    line: int
    column: int
    parameter: int = -1


class ValueReader(UsesBuilder):
    """Reads the uses of a file and keeps the value of every node."""

    def __init__(self, content: bytes, spec: UsesTables, facts: FileFacts) -> None:
        super().__init__(content, spec, facts)
        self._values: dict[int, tuple[Expression, int]] = {}
        self._expected: dict[int, Expression] = {}

    def visit(
        self, node: Node | None, scope: int, role: ReferenceKind = ReferenceKind.READ, expected: Expression = UNKNOWN
    ) -> Expression:
        """Visit a node and keep its value and scope."""
        value = super().visit(node, scope, role, expected)
        if node is not None:
            self._values[node.id] = value, scope
            self._expected[node.id] = expected
        return value

    def value_of(self, node: Node | None) -> Expression:
        """Return the value of a node that was visited; UNKNOWN for any other, and for None."""
        return self._values.get(node.id, (UNKNOWN, 0))[0] if node is not None else UNKNOWN

    def expected_of(self, node: Node) -> Expression:
        """Return the value that is expected at the place of a node, by a declared type; UNKNOWN if there is none."""
        return self._expected.get(node.id, UNKNOWN)

    def scope_of(self, node: Node) -> int:
        """Return the scope in which the value of a node was read."""
        return self._values.get(node.id, (UNKNOWN, 0))[1]

    def convert(self, node: Node | None, wanted: Expression, parameter: int = -1) -> Iterator[Conversion]:
        """Yield the conversion of a node's value to a declared type, if both are known."""
        value, scope = self._values.get(node.id, (UNKNOWN, 0)) if node is not None else (UNKNOWN, 0)
        if node is not None and UNKNOWN not in (value, wanted):
            yield Conversion(value, wanted, scope, *self.source.place(node), parameter)


ConversionRule = Callable[[ValueReader, Node], Iterator[Conversion]]
"""Yields the conversions of a file from the root of its tree."""


def read_conversions(
    content: bytes, spec: UsesTables, rule: ConversionRule, facts: FileFacts
) -> tuple[Conversion, ...]:
    """Return the conversions of a file; () if reading it is too costly."""
    reader = ValueReader(content, spec, facts)
    try:
        root = grammars.parse(content, spec.grammar)
        reader.read(root)
    except (TooCostlyError, RecursionError):
        return ()
    return tuple(rule(reader, root))


class PassedValue(Struct, frozen=True):
    """The value of an argument, the scope it is read in, and whether it is named or stands for any number of others."""

    value: Expression
    scope: int
    line: int
    is_spread: bool


def read_arguments(
    content: bytes, spec: UsesTables, calls: CallGrammar, facts: FileFacts, places: Container[tuple[int, int]]
) -> Mapping[tuple[int, int], tuple[PassedValue, ...]]:
    """Return place → the arguments, for each place of a called name: `add` of `cart.add(1)`; {} if it is too costly."""
    reader = ValueReader(content, spec, facts)
    try:
        root = grammars.parse(content, spec.grammar)
        reader.read(root)
    except (TooCostlyError, RecursionError):
        return {}
    found, pending = {}, [root]
    while pending:
        node = pending.pop()
        pending.extend(node.named_children)
        field = calls.calls.get(node.type)
        name = node.child_by_field_name(field) if field is not None else None
        while name is not None and name.named_child_count:
            name = name.named_children[-1]
        if name is None or (place := reader.source.place(name)) not in places:
            continue
        values = []
        for each in code_children(node.child_by_field_name("arguments")):
            is_spread = each.type in calls.spreads or each.type == calls.keyword
            values.append(PassedValue(reader.value_of(each), reader.scope_of(each), each.start_point[0] + 1, is_spread))
        found[place] = tuple(values)
    return found
