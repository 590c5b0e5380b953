"""Expressions: members, calls, objects, operators, JSX elements."""

from __future__ import annotations

from bisect import bisect_left

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind, SymbolKind
from avionics.model.facts import COMPUTED_KEY, UNKNOWN, Binding, Expression, Reference
from avionics.syntax.engine.common_rules import constant, last_child, member, unroll, visit_arguments
from avionics.syntax.engine.expressions import (
    NOTHING,
    OWN_CLASS,
    OWN_OBJECT,
    SUPER,
    bare_name,
    call_of,
    expect,
    member_of,
    subscripted,
    typed,
    union_of,
)
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import (
    code_children,
    field_of,
    first_child,
    operator_of,
    require_field,
    require_fields,
)
from avionics.syntax.engine.uses import ANNOTATE, CALL, READ, WRITE, UsesBuilder
from avionics.syntax.languages.typescript.conventions import LISTING, LISTING_CALLS
from avionics.syntax.languages.typescript.definitions import CONSTRUCTOR
from avionics.syntax.languages.typescript.documentation.types import declared_type, read_type
from avionics.syntax.languages.typescript.modules import loaded_module
from avionics.syntax.languages.typescript.names import attribute, taken
from avionics.syntax.languages.typescript.node_predicates import FUNCTIONS, is_loader, name_of_key, unwrap
from avionics.syntax.languages.typescript.statements import narrow, plain_value
from avionics.syntax.languages.typescript.types import (
    BOOLEAN,
    NUMBER,
    STRING,
    generic,
    type_arguments,
    type_of,
)

_CASTS = frozenset({"as_expression", "satisfies_expression"})
_CHOICES = frozenset({"||", "??"})
_COMPARISONS = frozenset({"==", "===", "!=", "!==", "<", ">", "<=", ">=", "instanceof", "in"})
_PREFIXED = frozenset({"await_expression", "unary_expression", "binary_expression"})
_MAX_ELEMENTS = 40
"""The maximum number of element types of a list that are kept; with more, the type of an element is unknown."""
_MAX_KEYWORDS = 24
"""Plain values of an object that select its expected type; an object with more is a table, so that none are used."""
_OF_TYPES = ("_type", "type_query", "type_annotation", "type_arguments", "type_alias_declaration", "_type_clause")
"""Suffixes of the types of nodes that contain types."""


def this(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `this`: the own object of the method around, or the declared `this` of a plain function."""
    bound = uses.bindings.get("this", [])
    while scope >= 0:
        if uses.scopes[scope].self_name:
            return OWN_OBJECT
        # Scopes are numbered in order, so the bindings of `this` are sorted by scope.
        at = bisect_left(bound, scope, key=_scope_of)
        if at < len(bound) and bound[at].scope == scope:
            is_declared = at + 1 < len(bound) and bound[at + 1].scope == scope
            return OWN_CLASS if _use_static_this(uses, node, scope, role) and not is_declared else uses.name("this")
        if uses.scopes[scope].kind is ScopeKind.CLASS:
            return (
                Expression(ExpressionKind.OBJECT, index=scope)
                if uses.scopes[scope].symbol < 0
                else _own_value(uses, scope)
            )
        scope = uses.scopes[scope].parent
    return UNKNOWN


def _use_static_this(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> bool:
    """Add a use of the class that `this` means in a static method; return whether there is one."""
    around = uses.scopes[uses.scopes[scope].parent]
    if around.kind is not ScopeKind.CLASS or around.symbol < 0:
        return False
    of = uses.facts.symbols[around.symbol]
    uses.add_reference(node, scope, role, sought_as=of.name)
    return of.kind is SymbolKind.CLASS


def _scope_of(binding: Binding) -> int:
    return binding.scope


def _own_value(uses: UsesBuilder, scope: int) -> Expression:
    """Return the value of `this`: the own object or, in a static member, the class, which has the same members here."""
    return typed(uses.name(uses.facts.symbols[uses.scopes[scope].symbol].name))


def wrapped(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read parentheses or `x!`, whose value is the inner one, or a cast: `/** @type {T} */ (x)`."""
    expected, meaning = uses.expected, UNKNOWN
    declared = _documented_cast(uses, node, scope)
    for child in node.named_children:
        if not child.is_extra:
            meaning = uses.visit(child, scope, role, expected if declared is UNKNOWN else declared)
    if declared is UNKNOWN:
        return meaning
    uses.asserted = meaning
    return declared


def _documented_cast(uses: UsesBuilder, node: Node, scope: int) -> Expression:
    """Return a value of the type that the comment in front of parentheses declares; UNKNOWN if it declares none."""
    comment = uses.comments.get(node.start_byte)
    tag = comment.get("type") if comment is not None and node.type == "parenthesized_expression" else None
    return typed(read_type(uses, tag, scope)) if tag is not None else UNKNOWN


def cast(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `x as T`, `<T>x` or `x satisfies T`."""
    inner = code_children(node)
    if len(inner) == 1:
        return uses.visit(inner[0], scope, role)
    value, written = inner if node.type != "type_assertion" else reversed(inner)
    holder = written.named_children[0] if written.type == "type_arguments" else written
    annotation = uses.visit(holder, scope, ANNOTATE)
    meaning = uses.visit(value, scope, READ, typed(annotation))
    uses.asserted = meaning
    return meaning if node.type == "satisfies_expression" else typed(annotation)


_MEMBER = member("object", "property")


def member_access(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `a.b`; `Class.prototype` has the members of an object of the class.

    The grammar takes `x satisfies a.b.C` for a member of `x satisfies a.b`.
    """
    cast_value, name = node.child_by_field_name("object"), node.child_by_field_name("property")
    if cast_value is not None and name is not None and _is_module(cast_value):
        # In a comment, `import('x').y` imports the name of a type.
        index = uses.bind_import(name, 0)
        if index >= 0:
            uses.add_reference(name, scope, ReferenceKind.IMPORT, None, index)
            return uses.name(uses.facts.imports[index].alias)
    if cast_value is None or name is None or cast_value.type != "satisfies_expression":
        member = _MEMBER(uses, node, scope, role)
        return typed(member.parts[0]) if member.name == "prototype" and member.parts else member
    value, written = code_children(cast_value)
    annotation = uses.visit(written, scope, READ)
    uses.add_reference(name, scope, ANNOTATE, annotation)
    return uses.visit(value, scope, READ, typed(attribute(annotation, uses.source.of(name))))


def _is_module(node: Node) -> bool:
    """Return whether an expression is `import('x')`."""
    function = node.child_by_field_name("function") if node.type == "call_expression" else None
    return function is not None and function.type == "import"


def subscript(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `object['name']`, the member of that name, or `object[index]`, an element or a member of unknown name."""
    owner, index = require_fields(node, "object", "index")
    value = uses.visit(owner, scope)
    if index.type == "string" and index.named_child_count == 1:
        name = index.named_children[0]
        uses.add_reference(name, scope, role, value)
        return attribute(value, uses.source.of(name))
    asserted = uses.asserted if _is_cast(uses, owner) else value
    element = subscripted(value, uses.visit(index, scope))
    if index.type not in {"number", "string"}:
        # A computed key selects a member of the actual object, whatever type it is cast to.
        for accessed in dict.fromkeys(each for each in (value, asserted) if each != UNKNOWN):
            access = subscripted(accessed, *element.parts[1:])
            uses.dynamic.append(Reference(COMPUTED_KEY, READ, *uses.source.place(node), scope, access))
    return element


def _is_cast(uses: UsesBuilder, node: Node) -> bool:
    """Return whether an expression is `x as T` or `<T>x`, in parentheses or not, or `/** @type {T} */ (x)`."""
    while node.type in {"parenthesized_expression", "non_null_expression"} and node.named_child_count == 1:
        if node.start_byte in uses.comments:
            return True
        node = node.named_children[0]
    return node.type in {"as_expression", "type_assertion"}


def call(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a call, whose callee declares what it expects of its arguments."""
    expected = uses.expected
    function, arguments = uses.require(node, scope, "function", "arguments")
    written = node.child_by_field_name("type_arguments")
    index = function.child_by_field_name("index") if function.type == "subscript_expression" else None
    of_type = index if index is not None and _get_import(index) is index else None
    if of_type is not None:
        # `f<typeof import('x')>(y)`, which the grammar is given as `f[import('x')](y)`.
        uses.visit(of_type, scope)
        function = function.named_children[0]
    loads = is_loader(uses.source, function)
    loaded = loaded_module(uses, of_type or node) if loads else UNKNOWN
    is_test_loader = loaded is not UNKNOWN and function.type == "member_expression"
    if loaded is not UNKNOWN:
        is_promise = function.type == "import" or (is_test_loader and "import" in uses.source.of(function))
        loaded = typed(generic("Promise", type_of(loaded))) if is_promise and not _is_in_type(node) else loaded
        if not is_test_loader:
            uses.visit(function, scope, CALL)
            return loaded
    if written is not None and function.type in _PREFIXED:
        # The grammar takes `await f<T>(x)` for `(await f)<T>(x)`, and what follows for members of that.
        uses.visit_field(function, "left", scope)
        function = function.named_children[-1]
    if function.type == "super":
        callee = member_of(SUPER, uses.add_reference(function, scope, CALL, SUPER, sought_as=CONSTRUCTOR))
    else:
        callee = uses.visit(function, scope, CALL)
    if written is not None:
        type_arguments(uses, written, scope)
    if is_test_loader:
        return loaded
    if arguments.type == "template_string":
        uses.visit(arguments, scope)
        return call_of(callee)
    values = _arguments(uses, arguments, scope, callee, expected)
    is_named = arguments.named_child_count > 1 and arguments.named_children[1].type == "string"
    if values and not is_named and uses.source.of(function) in LISTING_CALLS:
        uses.dynamic.append(Reference(LISTING, READ, *uses.source.place(node), scope, values[0]))
    # What a computed name loads may be any module.
    result = UNKNOWN if loads else call_of(callee, *values)
    return taken(ExpressionKind.AWAIT, result) if result is not UNKNOWN and _is_awaited_whole(uses, node) else result


def _is_awaited_whole(uses: UsesBuilder, node: Node) -> bool:
    """Return whether an `await` applies to a whole call, as in `await f<T>(x)`, and not to a member of its result."""
    if not uses.source.content.startswith(b"await", node.start_byte) or node.parent is None:
        return False
    first, is_whole = node, node.parent.type not in {"member_expression", "subscript_expression", "call_expression"}
    while first.type != "await_expression" and first.named_child_count and first.type != "identifier":
        first = first.named_children[0]
    return is_whole and first.type == "await_expression"


def _is_in_type(node: Node) -> bool:
    """Return whether `import('x')`, or a member of it, is written as a type."""
    inner = node
    while inner.parent is not None and inner.parent.type == "member_expression":
        inner = inner.parent
    around = inner.parent
    if around is None or around.type not in _CASTS:
        return around is not None and around.type.endswith(_OF_TYPES)
    return around.named_children[-1].start_byte == inner.start_byte


def _arguments(
    uses: UsesBuilder, node: Node, scope: int, callee: Expression, result: Expression = UNKNOWN
) -> list[Expression]:
    written = code_children(node)
    return visit_arguments(uses, written, scope, callee, FUNCTIONS, result)


def new_object(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `new C<T>(a)`."""
    constructor, arguments = require_field(node, "constructor"), node.child_by_field_name("arguments")
    written = node.child_by_field_name("type_arguments")
    callee = uses.visit(constructor, scope, CALL)
    if written is not None:
        callee = subscripted(callee, *type_arguments(uses, written, scope))
    given = _arguments(uses, arguments, scope, callee) if arguments is not None else []
    return call_of(callee, *given)


def object_literal(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `{ a: 1, b() {}, c, ...d }`, whose keys use the members of the expected type."""
    expected = _match_alternatives(uses, node, uses.expected)
    inner = uses.open(ScopeKind.CLASS, scope, node)
    spread: list[Expression] = []
    for entry in node.named_children:
        if entry.type == "pair":
            _pair(uses, entry, scope, inner, expected)
        elif entry.type == "method_definition":
            _object_method(uses, entry, inner, expected)
        elif entry.type == "shorthand_property_identifier":
            name = uses.name(uses.add_reference(entry, scope, READ))
            key_use(uses, entry, scope, expected)
            uses.bind(entry, inner, BindingKind.ASSIGNMENT, within=scope, value=name)
        elif entry.type == "spread_element":
            spread.append(uses.visit(entry.named_children[0], scope, READ, expected))
        elif not entry.is_extra:
            uses.visit(entry, scope)
    if spread:
        uses.bases[inner] = tuple(spread)
    return Expression(ExpressionKind.OBJECT, index=inner)


def _match_alternatives(uses: UsesBuilder, node: Node, expected: Expression) -> Expression:
    """Return the expected type of an object literal, without the alternatives that its plain values rule out.

    `{ kind: "circle" }` is not of an alternative whose member `kind` has the type `"square"`.
    """
    if expected is UNKNOWN:
        return UNKNOWN
    keywords = []
    for entry in node.named_children:
        key, value = entry.child_by_field_name("key"), entry.child_by_field_name("value")
        name = name_of_key(key)
        if name is not None and value is not None and value.type in {"string", "member_expression"}:
            plain = plain_value(uses, value)
            if plain is not UNKNOWN:
                keywords.append(Expression(ExpressionKind.KEYWORD, uses.source.of(name), (plain,)))
    if len(keywords) > _MAX_KEYWORDS:
        keywords = []
    return Expression(ExpressionKind.MATCHING, parts=(expected, *keywords))


def key_use(uses: UsesBuilder, name: Node | None, scope: int, expected: Expression) -> Expression:
    """Add a use of the expected type's member for a key, None for a computed one, and return the member."""
    if expected is UNKNOWN:
        return UNKNOWN
    if name is None:
        return subscripted(expected)
    uses.add_reference(name, scope, WRITE, expected)
    return attribute(expected, uses.source.of(name))


def _pair(uses: UsesBuilder, entry: Node, scope: int, inner: int, expected: Expression) -> None:
    key, value = entry.child_by_field_name("key"), entry.child_by_field_name("value")
    name = name_of_key(key)
    if name is None and key is not None:
        uses.visit_children(key, scope)
    wanted = key_use(uses, name, scope, expected)
    annotation = declared_type(uses, entry, scope) if uses.comments else UNKNOWN
    wanted = wanted if annotation is UNKNOWN else typed(annotation)
    if value is None:
        return
    function = unwrap(value)
    has_this = function.type in FUNCTIONS and function.type != "arrow_function"
    meaning = uses.visit(value, inner if has_this else scope, READ, wanted)
    if name is None or name.type == "number":
        return
    is_symbol = function.type in FUNCTIONS and uses.symbol_at(name) >= 0
    kind = BindingKind.DEFINITION if is_symbol else BindingKind.ASSIGNMENT
    uses.bind(name, inner, kind, within=scope, value=meaning, annotation=annotation)


def _object_method(uses: UsesBuilder, entry: Node, inner: int, expected: Expression) -> None:
    key = entry.child_by_field_name("name")
    name = name_of_key(key)
    wanted = key_use(uses, name, inner, expected)
    meaning = uses.visit(entry, inner, READ, wanted)
    if name is not None and uses.symbol_at(name) < 0:
        uses.bind(name, inner, BindingKind.ASSIGNMENT, value=meaning)


def array(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `[a, b]`."""
    wanted = taken(ExpressionKind.ELEMENT, uses.expected)
    found = []
    for child in node.named_children:
        if child.type == "spread_element":
            found.append(taken(ExpressionKind.ELEMENT, uses.visit(child.named_children[0], scope)))
        elif not child.is_extra:
            found.append(uses.visit(child, scope, READ, wanted))
    types = tuple(dict.fromkeys(map(type_of, found)))
    kept = types if len(types) <= _MAX_ELEMENTS else (*types[:_MAX_ELEMENTS], UNKNOWN)
    return typed(generic("Array", union_of(kept)))


def binary(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read a chain of operators."""
    expected = uses.expected
    left, operations = unroll(node)
    if left is not None and left.type == "private_property_identifier":
        # `#size in value` asks for the member of the class around.
        uses.add_reference(left, scope, READ, OWN_OBJECT)
    meaning = uses.visit(left, scope, READ, expected)
    for operation in operations:
        sign, right = operation.child_by_field_name("operator"), operation.child_by_field_name("right")
        if right is None or sign is None:
            continue
        passed = operation.child_by_field_name("left")
        if sign.type in {"&&", "||"} and passed is not None:
            narrow(uses, passed, uses.source.span(right), holds=sign.type == "&&")
        other = uses.visit(right, scope, READ, expected)
        if sign.type in _CHOICES:
            meaning = union_of((meaning, other))
        elif sign.type == "&&":
            meaning = other
        elif sign.type in _COMPARISONS:
            meaning = typed(BOOLEAN)
        else:
            meaning = meaning if sign.type == "+" else typed(NUMBER)
    return UNKNOWN if any(map(_compares_import, operations)) else meaning


def _compares_import(operation: Node) -> bool:
    """Return whether the grammar takes a call for a comparison, as `f<import('x').T>(y)`."""
    right = operation.child_by_field_name("right")
    return operator_of(operation) == "<" and right is not None and _get_import(right) is not None


def _get_import(node: Node) -> Node | None:
    """Return the `import('x')` that `typeof import('x')` or `import('x').T` begins with."""
    current: Node | None = node
    while current is not None and current.type in {"unary_expression", "member_expression"}:
        current = current.child_by_field_name("argument") or current.child_by_field_name("object")
    function = field_of(current, "function")
    return current if function is not None and function.type == "import" else None


def ternary(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `a ? b : c`, which may be either."""
    expected = uses.expected
    condition, first, second = require_fields(node, "condition", "consequence", "alternative")
    uses.visit(condition, scope)
    if uses.source.span(second).start_line > uses.source.span(first).end_line:
        narrow(uses, condition, uses.source.span(first))
        narrow(uses, condition, uses.source.span(second), holds=False)
    else:
        # A narrowing applies to whole lines; add it only for names that the other branch does not use.
        narrow(uses, condition, uses.source.span(first), unless_in=uses.source.of(second))
    parts = (uses.visit(first, scope, READ, expected), uses.visit(second, scope, READ, expected))
    return union_of(parts)


def updated(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `x++` or `x += 1`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    left = left or node.child_by_field_name("argument")
    meaning = uses.visit(left, scope, WRITE)
    uses.visit(right, scope, READ, meaning)
    return meaning


def unary(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `!x`, `delete x.y` or `typeof x`."""
    sign = operator_of(node)
    uses.visit_field(node, "argument", scope, ReferenceKind.DELETE if sign == "delete" else READ)
    if sign == "void":
        return UNKNOWN
    return typed({"!": BOOLEAN, "delete": BOOLEAN, "typeof": STRING}.get(sign, NUMBER))


def awaited(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `await x`."""
    inner = first_child(node)
    return taken(ExpressionKind.AWAIT, uses.visit(inner, scope)) if inner is not None else UNKNOWN


def yielded(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `yield x`."""
    function = uses.function_of(scope)
    given = uses.returning.get(function, UNKNOWN)
    is_whole = any(child.type == "*" for child in node.children)
    for child in node.named_children:
        value = uses.visit(child, scope, READ, given if is_whole else taken(ExpressionKind.ELEMENT, given))
        if function >= 0:
            uses.yields[function].append(value)


_TEXT, _NUMBER, _BOOLEAN = typed(STRING), typed(NUMBER), typed(BOOLEAN)
EXPRESSIONS = {
    "this": this,
    "super": constant(SUPER),
    **dict.fromkeys(("string", "template_string"), constant(_TEXT)),
    "number": constant(_NUMBER),
    "regex": constant(typed(bare_name("RegExp"))),
    **dict.fromkeys(("true", "false"), constant(_BOOLEAN)),
    **dict.fromkeys(("null", "undefined"), constant(NOTHING)),
    **dict.fromkeys(("parenthesized_expression", "non_null_expression", "jsx_expression"), wrapped),
    **dict.fromkeys(("as_expression", "satisfies_expression", "type_assertion"), cast),
    "member_expression": member_access,
    "subscript_expression": subscript,
    "call_expression": call,
    "new_expression": new_object,
    "object": object_literal,
    "array": array,
    "binary_expression": binary,
    "ternary_expression": ternary,
    **dict.fromkeys(("update_expression", "augmented_assignment_expression"), updated),
    "unary_expression": unary,
    "sequence_expression": last_child(READ),
    "await_expression": awaited,
    "yield_expression": yielded,
}


def element(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> Expression:
    """Read `<Component prop={value}>…</Component>`, which uses the component and members of its props."""
    opening = node.child_by_field_name("open_tag") or node
    name = opening.child_by_field_name("name")
    component = UNKNOWN
    if name is not None and (name.type != "identifier" or not uses.source.of(name)[:1].islower()):
        component = uses.visit(name, scope, CALL)
    written = opening.child_by_field_name("type_arguments")
    if written is not None:
        type_arguments(uses, written, scope)
    props = expect(component, 0)
    for attribute_node in opening.children_by_field_name("attribute"):
        if attribute_node.type == "jsx_attribute":
            _jsx_attribute(uses, attribute_node, scope, props)
        else:
            uses.visit_children(attribute_node, scope)
    for child in node.named_children if node is not opening else ():
        if child.type == "jsx_closing_element":
            closing = child.child_by_field_name("name")
            if closing is not None and component is not UNKNOWN:
                uses.visit(closing, scope)
        elif child.type != "jsx_opening_element":
            uses.visit(child, scope)
    return typed(member_of(bare_name("JSX"), "Element"))


def _jsx_attribute(uses: UsesBuilder, node: Node, scope: int, props: Expression) -> None:
    name, *value = node.named_children
    wanted = key_use(uses, name, scope, props) if name.type == "property_identifier" else UNKNOWN
    for part in value:
        if part.type == "jsx_expression":
            for inner in part.named_children:
                uses.visit(inner, scope, READ, wanted)
        else:
            uses.visit(part, scope)


ELEMENTS = {
    "jsx_element": element,
    "jsx_self_closing_element": element,
}
