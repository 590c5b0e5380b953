"""Python expressions: calls, strings, types and operators."""

from __future__ import annotations

from avionics.model.enums import ExpressionKind, ReferenceKind
from avionics.model.facts import UNKNOWN, Expression, Reference
from avionics.syntax.engine.common_rules import functions_last, subscript, transparent, unroll
from avionics.syntax.engine.expressions import ANY_NUMBER, call_of, expect, subscripted, union_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import operator_of
from avionics.syntax.engine.uses import ANNOTATE, CALL, READ, UsesBuilder
from avionics.syntax.languages.python.text import is_exported, mention_text

_TEXT = Expression(ExpressionKind.LITERAL, "str")
_COMPUTED_TEXT = union_of((_TEXT,))
_COMPUTED = frozenset({"eval", "exec", "globals", "locals", "vars", "dir", "getmembers", "__import__", "import_module"})
_RUNNING = frozenset({"eval", "exec", "__import__", "import_module"})
_SUBSCRIPT = subscript("value", "subscript")
_MORE = Expression(ExpressionKind.KEYWORD, "**", (UNKNOWN,))
_UNORDERED = frozenset({"keyword_argument", "dictionary_splat"})
_TYPE_FORMS = frozenset(
    {
        "Union", "Optional", "List", "Dict", "Tuple", "Set", "FrozenSet", "Type", "Callable", "Sequence", "Iterable",
        "Iterator", "Mapping", "MutableMapping", "Generator", "AsyncIterator", "AsyncIterable", "Awaitable",
        "Coroutine", "ClassVar", "Annotated", "DefaultDict", "Deque", "Collection", "Generic",
    }
)  # fmt: skip
_OPERATORS = {
    "+": "__add__", "-": "__sub__", "*": "__mul__", "/": "__truediv__", "//": "__floordiv__", "%": "__mod__",
    "**": "__pow__", "@": "__matmul__", "<<": "__lshift__", ">>": "__rshift__", "&": "__and__", "^": "__xor__",
    "|": "__or__",
}  # fmt: skip
"""Operator → the method that it calls."""
_LITERAL = "Literal"
"""The type whose arguments are values: a string among them is not a name."""
_MAX_OPERATIONS = 16
_BY_NAME = frozenset({"getattr", "setattr", "hasattr", "delattr"})


def pair(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a key and its value in a dictionary."""
    key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
    parts = tuple(uses.visit(part, scope) for part in (key, value) if part is not None)
    return Expression(ExpressionKind.CONTAINER, "tuple", parts)


def call_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a call: the callee is called, the arguments are read."""
    function, arguments = uses.require(node, scope, "function", "arguments")
    callee = uses.visit(function, scope, CALL)
    nodes = [arguments] if arguments.type == "generator_expression" else arguments.named_children
    written = [part for part in nodes if not part.is_extra]
    values = [UNKNOWN] * len(written)
    for at, is_lambda in functions_last(written, _is_lambda):
        known = [v for v, node in zip(values, written, strict=True) if v is not UNKNOWN or node.type not in _UNORDERED]
        values[at] = _argument(uses, written[at], scope, callee, at, known if is_lambda else [])
    named = [value for value in values if value.kind is ExpressionKind.KEYWORD]
    parts = [value for value in values if value.kind is not ExpressionKind.KEYWORD]
    _note_computed(uses, node, scope, callee, parts, [part.type for part in written])
    return call_of(callee, *parts, *named)


def _is_lambda(argument: Node) -> bool:
    """Return whether an argument is a function without a name."""
    value = argument.child_by_field_name("value") if argument.type == "keyword_argument" else argument
    return value is not None and value.type == "lambda"


def _argument(
    uses: UsesBuilder, argument: Node, scope: int, callee: Expression, position: int, known: list[Expression]
) -> Expression:
    """Read an argument; `name=value` uses a parameter of the callee."""
    if argument.type == "dictionary_splat":
        uses.visit_children(argument, scope)
        return _MORE
    if argument.type != "keyword_argument":
        quoted = position == 0 and callee.name == "cast"
        return uses.visit(argument, scope, ANNOTATE if quoted else READ, expect(callee, position, known))
    name, value = argument.child_by_field_name("name"), argument.child_by_field_name("value")
    if name is None or value is None:
        return UNKNOWN
    text = uses.source.of(name)
    if callee is not UNKNOWN:
        uses.add_reference(name, scope, ReferenceKind.KEYWORD, callee)
    quoted = callee.name in {"TypeVar", "NewType"} and text == "bound"
    meaning = uses.visit(value, scope, ANNOTATE if quoted else READ, expect(callee, text, known))
    return Expression(ExpressionKind.KEYWORD, text, (meaning,))


def subscript_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `x[i]`; in a type written as a value, strings are code: `Union["A", B]`."""
    value = node.child_by_field_name("value")
    name = uses.source.of(value).rpartition(".")[2] if value is not None else ""
    if name == _LITERAL:
        return _SUBSCRIPT(uses, node, scope, READ)
    return _SUBSCRIPT(uses, node, scope, ANNOTATE if name in _TYPE_FORMS and role is READ else role)


def _note_computed(
    uses: UsesBuilder, node: Node, scope: int, callee: Expression, parts: list[Expression], written: list[str]
) -> None:
    """Record a call that accesses names by computed text, or all names of an object."""
    plain = [part == _TEXT and kind == "string" for part, kind in zip(parts, written, strict=False)]
    by_name = callee.name in _BY_NAME and len(plain) > 1 and not plain[1]
    computed = callee.name in _COMPUTED and not (plain and plain[0])
    if by_name or computed:
        receiver = parts[0] if parts and callee.name not in _RUNNING else None
        place = uses.source.place(node)
        uses.dynamic.append(Reference(callee.name, READ, *place, scope, receiver))


def string_literal(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a string: code in a type position, else text that may name something."""
    content = [child for child in node.named_children if child.type == "string_content"]
    if role is ANNOTATE and len(content) == 1 and node.named_child_count == 3:
        meaning = uses.visit_part(content[0], scope)
        if meaning is not UNKNOWN:
            return meaning
    uses.visit_children(node, scope)
    if len(content) == 1 and scope == 0 and is_exported(uses, node):
        uses.add_reference(content[0], scope, READ)
        return _TEXT
    parent = node.parent
    is_doc = parent is not None and parent.type == "expression_statement"
    text = "".join(
        uses.source.of(child) if child.type == "string_content" else "*"
        for child in node.named_children
        if child.type in {"string_content", "interpolation"}
    )
    mention_text(uses, node, text, is_doc=is_doc)
    return _TEXT if len(content) == node.named_child_count - 2 else _COMPUTED_TEXT


def generic_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a type with its arguments in an annotation."""
    owner, *arguments = node.named_children
    base = uses.visit(owner, scope, ANNOTATE)
    inner = [part for argument in arguments for part in argument.named_children]
    if uses.source.of(owner).rpartition(".")[2] == _LITERAL:
        values = [value for part in inner for value in part.named_children]
        return subscripted(base, *(uses.visit(value, scope, READ) for value in values))
    return subscripted(base, *(uses.visit(part, scope, ANNOTATE) for part in inner))


def type_expression(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read an annotation."""
    return transparent(uses, node, scope, ANNOTATE)


def ellipsis(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `...`: in a type any number, elsewhere a value that something else replaces."""
    return ANY_NUMBER if role is ANNOTATE else UNKNOWN


def union_type(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read alternatives in an annotation."""
    return union_of(uses.visit(part, scope, ANNOTATE) for part in node.named_children)


def binary_operator(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a chain of operators; `|` joins types, or is called like every operator."""
    left, operations = unroll(node)
    inner = ANNOTATE if role is ANNOTATE else READ
    value = uses.visit(left, scope, inner) if left is not None else UNKNOWN
    operands, is_long = [value], len(operations) > _MAX_OPERATIONS
    for operation in operations:
        right = operation.child_by_field_name("right")
        operator = operation.child_by_field_name("operator")
        if right is None or operator is None:
            continue
        operands.append(uses.visit(right, scope, inner))
        if role is not ANNOTATE and not is_long:
            method = _OPERATORS.get(operator.type, "")
            value = Expression(ExpressionKind.OPERATION, method, (value, operands[-1])) if method else UNKNOWN
    if all(operator_of(operation) == "|" for operation in operations):
        return Expression(ExpressionKind.UNION, "" if role is ANNOTATE else "__or__", tuple(operands))
    # Assume that all operands of a long chain are numbers or strings.
    return operands[0] if is_long and operands[0].kind is ExpressionKind.LITERAL else UNKNOWN if is_long else value
