"""Where Go converts a value to a declared type: interfaces are satisfied or missed there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from avionics.model.facts import Expression
from avionics.syntax.engine.expressions import member_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import code_children
from avionics.syntax.languages.go.assignments import parts_of
from avionics.syntax.languages.go.expressions import held_by, inner_of
from avionics.syntax.languages.go.types import read_declarations, typed

if TYPE_CHECKING:
    from avionics.syntax.conversions import Conversion, ValueReader

_FUNCTIONS = frozenset({"function_declaration", "method_declaration", "func_literal"})


def iter_conversions(reader: ValueReader, root: Node) -> Iterator[Conversion]:
    """Yield the conversions of a file."""
    pending: list[tuple[Node, tuple[Expression, ...]]] = [(root, ())]
    while pending:
        node, results = pending.pop()
        if node.type in _FUNCTIONS:
            results = tuple(_iter_results(reader, node))
        elif node.type == "return_statement":
            yield from _of_return(reader, node, results)
        else:
            rule = _RULES.get(node.type)
            if rule is not None:
                yield from rule(reader, node)
        pending.extend((child, results) for child in node.named_children)


def _iter_results(reader: ValueReader, function: Node) -> Iterator[Expression]:
    """Yield a value of the declared type of each result of a function."""
    written = function.child_by_field_name("result")
    if written is None:
        return
    if written.type != "parameter_list":
        yield typed(reader.value_of(written))
        return
    for entry, names in read_declarations(function, "result"):
        declared = typed(reader.value_of(entry.child_by_field_name("type")))
        yield from [declared] * max(1, len(names))


def _of_return(reader: ValueReader, node: Node, results: tuple[Expression, ...]) -> Iterator[Conversion]:
    values = [part for child in code_children(node) for part in parts_of(child)]
    if len(values) == len(results):
        for value, wanted in zip(values, results, strict=True):
            yield from reader.convert(value, wanted)


def _of_call(reader: ValueReader, node: Node) -> Iterator[Conversion]:
    callee = reader.value_of(node.child_by_field_name("function"))
    for position, argument in enumerate(code_children(node.child_by_field_name("arguments"))):
        if argument.type != "variadic_argument":
            yield from reader.convert(argument, callee, position)


def _of_literal(reader: ValueReader, node: Node) -> Iterator[Conversion]:
    """Yield the fields and elements of `T{…}`, or of a literal `{…}` in it, whose type is that of the elements."""
    body = node.child_by_field_name("body") if node.type == "composite_literal" else node
    if node.type != "composite_literal" and node.parent is not None and node.parent.type == "composite_literal":
        return
    whole = reader.value_of(node)
    key_type, element_type = held_by(whole)
    for position, entry in enumerate(code_children(body)):
        if entry.type != "keyed_element":
            yield from reader.convert(inner_of(entry), element_type)
            yield from reader.convert(inner_of(entry), whole, position)
            continue
        key, value = (part and inner_of(part) for part in map(entry.child_by_field_name, ("key", "value")))
        yield from reader.convert(value, element_type)
        if key is not None and key.type == "identifier":
            yield from reader.convert(value, member_of(whole, reader.source.of(key)))
        yield from reader.convert(key, key_type)


def _of_variable(reader: ValueReader, node: Node) -> Iterator[Conversion]:
    declared = node.child_by_field_name("type")
    for value in parts_of(node.child_by_field_name("value")) if declared is not None else ():
        yield from reader.convert(value, typed(reader.value_of(declared)))


def _of_assignment(reader: ValueReader, node: Node) -> Iterator[Conversion]:
    left, right = parts_of(node.child_by_field_name("left")), parts_of(node.child_by_field_name("right"))
    if len(left) == len(right):
        for target, value in zip(left, right, strict=True):
            yield from reader.convert(value, reader.value_of(target))


def _of_assertion(reader: ValueReader, node: Node) -> Iterator[Conversion]:
    """Yield `x.(T)`, where T has to satisfy the interface of `x`."""
    operand, written = node.child_by_field_name("operand"), node.child_by_field_name("type")
    yield from _of_written(reader, written, reader.value_of(operand))


def _of_cases(reader: ValueReader, node: Node) -> Iterator[Conversion]:
    """Yield the types of `switch x.(type)`, each of which has to satisfy the interface of `x`."""
    operand = reader.value_of(node.child_by_field_name("value"))
    for case in node.named_children:
        for written in case.children_by_field_name("type") if case.type == "type_case" else ():
            yield from _of_written(reader, written, operand)


def _of_written(reader: ValueReader, written: Node | None, operand: Expression) -> Iterator[Conversion]:
    for each in reader.convert(written, operand):
        yield type(each)(typed(each.value), each.wanted, each.scope, each.line, each.column)


_RULES: Mapping[str, Callable[[ValueReader, Node], Iterator[Conversion]]] = {
    "call_expression": _of_call,
    **dict.fromkeys(("composite_literal", "literal_value"), _of_literal),
    "var_spec": _of_variable,
    "assignment_statement": _of_assignment,
    "type_assertion_expression": _of_assertion,
    "type_switch_statement": _of_cases,
}
