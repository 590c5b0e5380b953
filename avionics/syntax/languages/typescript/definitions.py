"""Definitions and the scopes they open: functions, classes, interfaces, enums, aliases, namespaces."""

from __future__ import annotations

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind, SymbolKind
from avionics.model.facts import UNKNOWN, Binding, Expression
from avionics.syntax.engine.doc_comments import DocComment, DocTag
from avionics.syntax.engine.expressions import ANYTHING, bare_name, call_of, expect, function_giving, typed, union_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import code_children
from avionics.syntax.engine.uses import ANNOTATE, READ, UsesBuilder
from avionics.syntax.languages.typescript.documentation.types import (
    DocumentedParameters,
    bind_templates,
    comment_of,
    declared_type,
    read_type,
)
from avionics.syntax.languages.typescript.names import bind_pattern, named_place, taken
from avionics.syntax.languages.typescript.node_predicates import is_property, name_of_key
from avionics.syntax.languages.typescript.types import declare_type_parameters, generic, type_of

_MANY = Expression(ExpressionKind.LITERAL, "tuple")
CONSTRUCTOR = "__init__"


def named_function(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Bind `function f() {}`; a function that is used as a class has the members of one."""
    name = node.child_by_field_name("name")
    if name is None:
        return function_value(uses, node, scope, role)
    uses.bind(name, scope, BindingKind.DEFINITION)
    symbol = uses.symbol_at(name)
    if symbol >= 0 and uses.facts.symbols[symbol].kind is SymbolKind.CLASS:
        holder = uses.open(ScopeKind.CLASS, scope, node, symbol)
        uses.bind(name, holder, BindingKind.DEFINITION, bound_as=CONSTRUCTOR)
        open_function(uses, node, holder, -1, "this")
    else:
        open_function(uses, node, scope, symbol, "")
    return UNKNOWN


def function_value(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a function without a name, or with one that only the function itself sees."""
    expected = uses.expected
    name = node.child_by_field_name("name")
    found = (uses.symbol_at(place) for place in (named_place(node), name))
    symbol = next((symbol for symbol in found if symbol >= 0), -1)
    is_own = node.type != "arrow_function" and uses.scopes[scope].kind is ScopeKind.CLASS
    inner = open_function(uses, node, scope, symbol, "this" if is_own else "", expected)
    uses.bind(name, inner, BindingKind.DEFINITION if symbol >= 0 else BindingKind.ASSIGNMENT)
    return function_giving(result_of(uses, node, inner), inner)


def result_of(uses: UsesBuilder, node: Node, inner: int) -> Expression:
    """Return the result of a function: the declared one, or what it returns."""
    declared = uses.returning.get(inner, UNKNOWN)
    if declared is not UNKNOWN and (node.child_by_field_name("return_type") is not None or _is_documented(uses, node)):
        return declared
    return union_of(uses.returns.get(inner, ()))


def _is_documented(uses: UsesBuilder, node: Node) -> bool:
    """Return whether the comment about a function tells its result."""
    return _result_tag(node, comment_of(uses, node)) is not None


def _result_tag(node: Node, comment: DocComment | None) -> DocTag | None:
    """Return the tag with the type of the result of a function; that of a getter may be a `@type`."""
    if comment is None:
        return None
    return comment.get("returns") or (comment.get("type") if _is_accessor(node) else None)


def _is_accessor(node: Node) -> bool:
    return any(child.type in {"get", "set"} for child in node.children[:4])


def is_async(node: Node) -> bool:
    """Return whether a function returns a promise."""
    return any(child.type == "async" for child in node.children[:4])


def open_function(
    uses: UsesBuilder, node: Node, scope: int, symbol: int, self_name: str, expected: Expression = UNKNOWN
) -> int:
    """Open the scope of a function, bind its parameters, read its body, and return the scope."""
    span = uses.source.span(node)
    inner = uses.open(ScopeKind.FUNCTION, scope, span, symbol, self_name)
    if not self_name and node.type != "arrow_function":
        uses.bindings["this"].append(
            Binding("this", inner, BindingKind.ASSIGNMENT, span.start_line, node.start_point.column)
        )
    declare_type_parameters(uses, node, inner)
    comment = comment_of(uses, node)
    if comment is not None:
        expected = _read_signature(uses, node, comment, inner, expected)
    documented = DocumentedParameters(uses, comment)
    parameters = node.child_by_field_name("parameters")
    lone = node.child_by_field_name("parameter")
    if parameters is not None:
        for position, parameter in enumerate(code_children(parameters)):
            declared = documented.read(pattern_of(parameter), position, inner)
            _parameter(uses, parameter, inner, expect(expected, position), declared)
    elif lone is not None:
        declared = documented.read(lone, 0, inner)
        uses.bind(lone, inner, BindingKind.PARAMETER, value=expect(expected, 0), annotation=declared)
    result = node.child_by_field_name("return_type") or _result_tag(node, comment)
    annotation = read_type(uses, result, inner) if isinstance(result, DocTag) else uses.visit(result, inner, ANNOTATE)
    if result is not None and symbol >= 0:
        uses.results[symbol] = annotation
    _expect_result(uses, node, inner, annotation, expected)
    body = node.child_by_field_name("body")
    if body is not None and body.type == "statement_block":
        uses.visit_children(body, inner)
    elif body is not None:
        give(uses, inner, uses.visit(body, inner, READ, uses.returning.get(inner, UNKNOWN)), is_async(node))
    return inner


def _read_signature(uses: UsesBuilder, node: Node, comment: DocComment, inner: int, expected: Expression) -> Expression:
    """Bind the type variables and the `this` that a comment declares for a function, and return its expected type."""
    bind_templates(uses, comment, inner)
    own = comment.get("this")
    if own is not None and own.type is not None and not uses.scopes[inner].self_name:
        uses.bind_text("this", own.type, inner, annotation=read_type(uses, own, inner))
    whole = comment.get("type") if not _is_accessor(node) else None
    declared = typed(read_type(uses, whole, uses.scopes[inner].parent)) if whole is not None else UNKNOWN
    return expected if declared is UNKNOWN else declared


def _expect_result(uses: UsesBuilder, node: Node, inner: int, annotation: Expression, expected: Expression) -> None:
    value = typed(annotation)
    if value is UNKNOWN and expected is not UNKNOWN:
        value = call_of(expected)
    if value is not UNKNOWN:
        uses.returning[inner] = taken(ExpressionKind.AWAIT, value) if is_async(node) else value


def give(uses: UsesBuilder, function: int, value: Expression, in_promise: bool) -> None:
    """Record what a function returns."""
    if in_promise:
        value = typed(generic("Promise", type_of(value)))
    uses.returns[function].append(value)


def pattern_of(parameter: Node) -> Node:
    """Return the name or the pattern of a parameter, without its type and its default."""
    field = "left" if parameter.type == "assignment_pattern" else "pattern"
    return parameter.child_by_field_name(field) or parameter


def _parameter(uses: UsesBuilder, node: Node, scope: int, passed: Expression, declared: Expression) -> None:
    """Bind one parameter; a destructuring pattern gets a name that code cannot contain."""
    for decorator in node.children_by_field_name("decorator"):
        uses.visit_children(decorator, scope)
    pattern = pattern_of(node)
    default = node.child_by_field_name("right" if node.type == "assignment_pattern" else "value")
    annotation = uses.visit_field(node, "type", scope, ANNOTATE)
    if annotation is UNKNOWN and uses.comments:
        inline = declared_type(uses, node, scope)
        annotation = declared if inline is UNKNOWN else inline
    value = passed
    if default is not None:
        default_value = uses.visit(default, scope, READ, typed(annotation))
        value = passed if passed is not UNKNOWN else default_value if default_value is not UNKNOWN else ANYTHING
    elif node.type == "optional_parameter" and value is UNKNOWN:
        value = ANYTHING
    if pattern.type == "this":
        uses.bind(pattern, scope, BindingKind.ASSIGNMENT, annotation=annotation)
    elif pattern.type == "identifier":
        uses.bind(pattern, scope, BindingKind.PARAMETER, value=value, annotation=annotation)
        if is_property(node):
            _property_parameter(uses, pattern, scope, annotation)
    elif pattern.type == "rest_pattern" and pattern.named_children[0].type == "identifier":
        uses.bind(pattern.named_children[0], scope, BindingKind.VARIADIC, value=_MANY, annotation=annotation)
    else:
        line, column = uses.source.place(pattern)
        hidden = f"{{{line}:{column}}}"
        uses.bind_text(hidden, pattern, scope, BindingKind.PARAMETER, value=value, annotation=annotation)
        known = annotation is not UNKNOWN or value.kind not in {ExpressionKind.UNKNOWN, ExpressionKind.UNION}
        bind_pattern(uses, pattern, scope, scope, bare_name(hidden) if known else UNKNOWN)


def _property_parameter(uses: UsesBuilder, name: Node, scope: int, annotation: Expression) -> None:
    holder = uses.scopes[scope].parent
    if uses.scopes[holder].kind is ScopeKind.CLASS:
        uses.bind(name, holder, BindingKind.ASSIGNMENT, within=holder, annotation=annotation)


def method(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Bind a method of a class, an interface or an object."""
    expected = uses.expected
    key = node.child_by_field_name("name")
    name = name_of_key(key)
    for child in node.named_children:
        if child.type in {"decorator", "computed_property_name"}:
            uses.visit(child, scope)
    symbol = uses.symbol_at(name)
    is_static = any(child.type == "static" for child in node.children[:4])
    if name is not None and symbol >= 0:
        is_constructor = uses.source.of(name) == "constructor"
        uses.bind(name, scope, BindingKind.DEFINITION, bound_as=CONSTRUCTOR if is_constructor else "")
    inner = open_function(uses, node, scope, symbol, "" if is_static else "this", expected)
    result = result_of(uses, node, inner)
    return result if _is_accessor(node) else function_giving(result, inner)


FUNCTION_RULES = {
    **dict.fromkeys(("function_declaration", "generator_function_declaration", "function_signature"), named_function),
    **dict.fromkeys(("function_expression", "generator_function", "arrow_function"), function_value),
    "method_definition": method,
    "method_signature": method,
    "abstract_method_signature": method,
}
