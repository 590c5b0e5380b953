"""TypeScript calls and parameter lists as a caller sees them, and signatures without a separator before them.

The grammar reads `): A⏎<T>(b: B): C` as one type `A<T>`. TypeScript ends a member if the next line cannot continue it,
so a separator is written into the indentation.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING

from avionics.late_pattern import late_pattern
from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind
from avionics.model.facts import UNKNOWN, Binding, Expression, Reference
from avionics.syntax.engine.call_shapes import CallGrammar, CallParameter, CallShape, CallSignature
from avionics.syntax.engine.embedded_code import iter_generics
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import code_children, iter_outermost, text_of

if TYPE_CHECKING:
    from avionics.syntax.conversions import Conversion, ValueReader
    from avionics.syntax.engine.uses import UsesBuilder

# ⏎  <T>(   ⏎  <⏎    T extends A,
_BEGINNING = late_pattern(rb"\n[ \t]{0,200}([ \t])<(?=\s{0,200}[A-Za-z_$])")
# using file = open()   await using file = open()   for (using file of files)
_USING = late_pattern(
    rb"\b(?:(await)[ \t]{1,20})?(using)[ \t]{1,20}(?!(?:of|in)\b)[A-Za-z_$][\w$]{0,200}+\s{0,20}(?:[=:](?!=)|of\b)",
    needs=(b"using",),
)
# interface Page<in out Model extends Target> {
_VARIANCE = late_pattern(
    rb"[<,]\s{0,20}((?:in[ \t]{1,20})?out|in)[ \t]{1,20}(?=[A-Z_$][\w$]{0,200}+\s{0,20}(?:extends\b|[=,>]))"
)
# type Filter = {⏎  size?: number⏎  in?: string[]
_OPERATOR_MEMBER = late_pattern(
    rb"[\w\])}>'\"`][ \t]{0,20}\r?\n[ \t]{0,200}([ \t])(?:in|instanceof|as|satisfies|is)\?:"
)
_TYPE_EXPORT = late_pattern(rb"\bexport[ \t]{1,20}(type)(?=[ \t]{0,20}\*[ \t]{0,20}(?:from|as)\b)", needs=(b"export",))
# load<typeof import("./cart")>(
_MODULE_TYPE = late_pattern(
    rb"(?<=[\w$])(<)\s{0,20}(typeof)\s{1,20}import\(\s{0,20}(?:'[^'\n]{1,300}'|\"[^\"\n]{1,300}\")\s{0,20}\)\s{0,20}(>)(?=\s{0,20}\()",
    needs=(b"import(",),
)
# let cart: import("./cart").Cart<Item>
_MODULE_MEMBER = late_pattern(
    rb"\bimport\(\s{0,20}(?:'[^'\n]{1,300}'|\"[^\"\n]{1,300}\")\s{0,20}\)(?>(?:\.[\w$]{1,200}+){1,8})<",
    needs=(b"import(",),
)
# <h1>Terms & Conditions</h1>   <b>Terms</b> & Conditions   <h1>Terms & <b>Conditions</b></h1>
_BARE_AMPERSANDS = (
    late_pattern(rb"(?<!&)(&)(?=\s[^<>{}&]{0,300}+</[\w>])", needs=(b"&",)),
    late_pattern(rb"</[\w.]{0,100}+>[^<>{}&]{0,300}+(&)(?=\s)", needs=(b"&",)),
    late_pattern(
        rb"<[A-Za-z][^<>{}\n]{0,300}+>[ \t]{0,20}+[A-Za-z][\w ,.'-]{0,300}+(&)(?=\s{1,200}[<{])", needs=(b"&",)
    ),
)
_REWRITTEN = (
    (_TYPE_EXPORT, 1, b""), (_USING, 1, b""), (_USING, 2, b"const"), (_VARIANCE, 1, b""), (_OPERATOR_MEMBER, 1, b";")
)  # fmt: skip
_IN_ELEMENTS = tuple((pattern, 1, b"") for pattern in _BARE_AMPERSANDS)
"""Patterns of syntax that the grammar lacks, each with a group and the text in its place; spaces fill it up."""
_NAME = late_pattern(rb"(?<![\w$'\"])[A-Za-z_$][\w$]{0,200}+(?!['\"])")
_TEXT = late_pattern(rb"'[^'\n]{0,300}'|\"[^\"\n]{0,300}\"")
_ANY_OWNER = Expression(ExpressionKind.UNKNOWN, "inside a type")
_TOKEN = late_pattern(rb"'[^']{0,200}'|=>|[<>(){}\[\],.]|[A-Za-z_$][\w$]{0,200}+")
_BOUND = late_pattern(rb"([A-Za-z_$][\w$]{0,200}+)\s{1,20}extends\s{1,20}([A-Za-z_$][\w$]{0,200}+)\s{0,20}(?=,|[\"'])")
_OPENING, _CLOSING = frozenset((b"<", b"(", b"{", b"[")), frozenset((b">", b")", b"}", b"]"))
_MODIFIERS = frozenset((b"const", b"in", b"out"))
_TYPE_WORDS = frozenset(
    b"extends keyof typeof infer readonly is any unknown never string number boolean object".split()
)
_MARK = late_pattern(rb"=>|[<>();]")
_RESULT = late_pattern(rb"\s{0,200}:")
_LIST = late_pattern(rb"\s{0,200}\(")
_ENDS_TYPE = late_pattern(rb"(?:[\])}>'\"`]|\b(\w{1,200}))\Z")
_NOT_LINE_END = late_pattern(rb"[^\r\n]")
_WORDS = frozenset(b"return default else yield case await typeof in of extends export new void do throw".split())
_MAX_BEGINNINGS = 2_000
_MAX_LINES = 100
_MAX_MARKS = 400
_MAX_LINE_LENGTH = 1_000
_MIN_MINIFIED, _MIN_MEAN_LENGTH, _MIN_FUNCTIONS = 2_000, 300, 3
"""The minimum size of minified code in bytes, of the mean length of its lines, and of functions and returns a line."""


def open_unknown_syntax(content: bytes) -> bytes:
    """Return the bytes with a `;` before each such signature, and with the syntax that the grammar lacks rewritten.

    All positions stay. tree-sitter-typescript 0.23 has no `using`, which becomes `const`, no `in` and `out` before type
    parameters, no `export type *`, which came with TypeScript 5.0 and becomes `export *`, no type of a module as a type
    argument of a call, which becomes an index, to keep the import, no bare `&` in the text of an element, which is
    blanked, and no type arguments of a module's type, which are blanked too; `refer_blanked` counts their names.
    Translation files of Qt, whose names also end with `.ts`, are blanked, and so is minified code, whose names come
    from a compiler.
    """
    is_translation = content[:_MAX_LINE_LENGTH].lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<?xml", b"<!DOCTYPE TS"))
    if is_translation or _is_minified(content):
        return _NOT_LINE_END.sub(b" ", content)
    code = bytearray(content)
    for pattern, group, text in (*_REWRITTEN, *(_IN_ELEMENTS if b"</" in content else ())):
        for start, end in (found.span(group) for found in pattern.finditer(content)):
            code[start:end] = text.ljust(end - start) if start >= 0 else code[start:end]
    for found in _MODULE_TYPE.finditer(content):
        code[found.start(1)], code[found.start(3)] = b"[]"
        code[found.start(2) : found.end(2)] = b" " * 6
    for start, end in _iter_member_arguments(content):
        code[start:end] = _NOT_LINE_END.sub(b" ", content[start:end])
    for count, found in enumerate(_BEGINNING.finditer(content)):
        if count >= _MAX_BEGINNINGS:
            break
        if _is_signature(content, found.end() - 1) and _follows_type(content, found.start()):
            code[found.start(1)] = ord(";")
    return bytes(code)


def _iter_member_arguments(content: bytes) -> Iterator[tuple[int, int]]:
    """Yield the spans of the type arguments of types that are named through their module: `import("m").T<A>`."""
    last = 0
    for found in islice(_MODULE_MEMBER.finditer(content), _MAX_BEGINNINGS):
        start = found.end() - 1
        if start >= last and (end := _get_end(content, start, b"<", b">")) >= 0:
            yield start, end
            last = end


def refer_blanked(uses: UsesBuilder, content: bytes) -> None:
    """Count the names in blanked type arguments as uses of types; what follows a dot may be any member."""
    for start, end in _iter_member_arguments(content):
        texts = [each.span() for each in _TEXT.finditer(content, start, end)]
        for found in _NAME.finditer(content, start, end):
            if any(first < found.start() < last for first, last in texts):
                continue
            name, (line, column) = found[0].decode(), _get_place(content, found.start())
            inner = range(len(uses.scopes) - 1, 0, -1)
            scope = next((index for index in inner if uses.scopes[index].span.contains(line)), 0)
            owner = _ANY_OWNER if content[found.start() - 1 : found.start()] == b"." else None
            uses.references[name].append(Reference(name, ReferenceKind.ANNOTATE, line, column, scope, owner))


def bind_generics(uses: UsesBuilder, content: bytes) -> None:
    """Bind the type parameters of a component, and count the other names in their list as uses of types.

    The declared type of a parameter is known if its bound is one name: `T extends Item`.
    """
    for start, end in iter_generics(content):
        depth, declared, before = 0, "", b""
        bounds = {found[1]: found[2].decode() for found in _BOUND.finditer(content, start, end)}
        for found in _TOKEN.finditer(content, start, end):
            token, (line, column) = found[0], _get_place(content, found.start())
            depth += (token in _OPENING) - (token in _CLOSING)
            if token == b"," and not depth:
                declared = ""
            elif token[:1].isalpha() or token[:1] in b"_$":
                name = token.decode()
                if not declared and token not in _MODIFIERS:
                    declared = name
                    bound = bounds.get(token)
                    annotation = Expression(ExpressionKind.NAME, bound) if bound else UNKNOWN
                    place = Binding(name, 0, BindingKind.TYPE_PARAMETER, line, column, within=0, annotation=annotation)
                    uses.bindings[name].append(place)
                elif declared and token not in _TYPE_WORDS and before != b".":
                    uses.references[name].append(Reference(name, ReferenceKind.ANNOTATE, line, column, 0))
            before = token


def _get_place(content: bytes, at: int) -> tuple[int, int]:
    """Return the line and column of a byte."""
    start = content.rfind(b"\n", 0, at) + 1
    return content.count(b"\n", 0, start) + 1, len(content[start:at].decode("utf-8", "replace"))


def _is_minified(content: bytes) -> bool:
    """Return whether lines are long and have several functions each; long lines of data have no functions."""
    lines = content.count(b"\n") + 1
    if len(content) < max(_MIN_MINIFIED, lines * _MIN_MEAN_LENGTH):
        return False
    return sum(map(content.count, (b"function", b"=>", b"return"))) >= lines * _MIN_FUNCTIONS


def _is_signature(content: bytes, at: int) -> bool:
    """Return whether a signature with type parameters begins at a byte: `<T>(a: T): T`."""
    end = _get_end(content, at, b"<", b">")
    opened = _LIST.match(content, end) if end >= 0 else None
    end = _get_end(content, opened.end() - 1, b"(", b")") if opened is not None else -1
    return end >= 0 and _RESULT.match(content, end) is not None


def _get_end(content: bytes, at: int, opening: bytes, closing: bytes) -> int:
    """Return the offset behind the bracket that closes the one at a byte; -1 if there is none."""
    depth = 0
    for count, found in enumerate(_MARK.finditer(content, at)):
        if count >= _MAX_MARKS or (found[0] == b";" and opening == b"<"):
            break
        depth += (found[0] == opening) - (found[0] == closing)
        if not depth:
            return found.end()
    return -1


def _follows_type(content: bytes, end: int) -> bool:
    """Return whether the last line of code before a byte ends as a type may end."""
    for _ in range(_MAX_LINES):
        start = content.rfind(b"\n", max(0, end - _MAX_LINE_LENGTH), end) + 1
        line = content[start:end].strip()
        if line and not line.startswith((b"//", b"/*", b"*")):
            found = _ENDS_TYPE.search(line.partition(b" //")[0].rstrip())
            return found is not None and found[1] not in _WORDS
        if not start:
            break
        end = start - 1
    return False


def read_parameter(node: Node) -> Iterator[CallParameter]:
    """Yield the parameter that a node declares, except `this`, which callers do not pass."""
    pattern = node.child_by_field_name("pattern") or node
    if pattern.type == "this":
        return
    gathers = "*" if "rest_pattern" in {pattern.type, node.type} else ""
    is_optional = node.type in {"optional_parameter", "assignment_pattern"} or bool(gathers)
    is_optional = is_optional or node.child_by_field_name("value") is not None
    is_optional = is_optional or _may_be_void(node.child_by_field_name("type"))
    name = text_of(pattern)
    yield CallParameter(name, is_optional=is_optional, gathers=gathers)


_WITH_RESULTS = frozenset({"function_type", "constructor_type", "object_type"})
"""Types in which `void` is the result of a function."""


def _may_be_void(declared: Node | None) -> bool:
    """Return whether a type may be `void`, so that an argument may be left out."""
    plain = iter_outermost(declared, {"predefined_type"}, lambda node: node.type not in _WITH_RESULTS)
    return any(node.text == b"void" for node in plain)


def is_required(node: Node) -> bool:
    """Return whether a member of an interface is not optional, or a member of a class is abstract."""
    if node.type == "abstract_method_signature":
        return True
    is_member = node.type in {"method_signature", "property_signature"}
    is_inside = node.parent is not None and node.parent.type in {"interface_body", "object_type"}
    return is_member and is_inside and all(child.type != "?" for child in node.children)


_NAMED_TYPES = frozenset({"type_identifier", "nested_type_identifier", "generic_type"})
_DECLARING = frozenset({"variable_declarator", "required_parameter", "optional_parameter", "public_field_definition"})


def _read_key(node: Node | None) -> str:
    """Return the name of a member or a key; "" if it is computed."""
    is_written = node is not None and node.type not in {"computed_property_name", "spread_element"}
    return text_of(node).strip("\"'") if node is not None and is_written else ""


def read_literal(node: Node) -> CallShape | None:
    """Return the keys of the object literal that a declared type is about, or of the argument that a key is in.

    The node is the type of a variable, parameter or field with such a value, or of the result of a function. If this
    returns several object literals, return the keys of that with the fewest.
    """
    holder = node.parent
    if holder is not None and node.type in {"pair", "object"}:
        object_node = node if node.type == "object" else holder
        return (
            _read_object(object_node)
            if object_node.parent is not None and object_node.parent.type == "arguments"
            else None
        )
    if holder is None or len(node.named_children) != 1 or node.named_children[0].type not in _NAMED_TYPES:
        return None
    value = None
    if holder.type in _DECLARING:
        value = holder.child_by_field_name("value")
    elif holder.type in _RETURNING and all(child.type not in {"async", "*"} for child in holder.children):
        value = holder.child_by_field_name("body")
    if value is not None and value.type == "statement_block":
        statements = iter_outermost(value, {"return_statement"}, _may_contain_returns)
        returned = (_read_object(each.named_children[0]) for each in statements if each.named_children)
        closed = [each for each in returned if each is not None and not each.is_open]
        return min(closed, key=lambda each: len(each.keywords), default=None)
    return _read_object(value)


_RETURNING = frozenset({"arrow_function", "function_declaration", "function_expression", "method_definition"})


def _may_contain_returns(node: Node) -> bool:
    """Return whether return statements of the same function may be below a node."""
    return node.type.endswith(_HOLDING) and node.type not in {"expression_statement", "class_body"}


_HOLDING = ("statement", "_block", "_body", "_clause", "_case", "_default")
"""The endings of the types of nodes that contain statements of the same function."""


def _read_object(value: Node | None) -> CallShape | None:
    """Return the keys of an object, None for any other value."""
    while value is not None and value.type == "parenthesized_expression" and len(value.named_children) == 1:
        value = value.named_children[0]
    if value is None or value.type != "object" or value.has_error:
        return None
    given = code_children(value)
    keys = [_read_key(each.child_by_field_name("key") or each.child_by_field_name("name") or each) for each in given]
    return CallShape(0, tuple(key for key in keys if key), is_open="" in keys, line=value.start_point[0] + 1)


_WITHIN = frozenset({"pair", "object", "array", "parenthesized_expression", "method_definition", "string"})
_CASTS = frozenset({"as_expression", "type_assertion"})


def is_open_key(name: Node) -> bool:
    """Return whether a key may be missing in the type of its object.

    The object is a variable that is declared as `any`, or a literal that is cast to its type: `{ a: 1 } as T`.
    """
    if _is_member_of_any(name):
        return True
    node, is_inside = name, False
    while node.parent is not None and node.parent.type in _WITHIN:
        node = node.parent
        is_inside = is_inside or node.type == "object"
    return is_inside and node.parent is not None and node.parent.type in _CASTS


def _is_member_of_any(name: Node) -> bool:
    """Return whether a name is a member of a variable whose nearest declaration has the type `any`."""
    node: Node | None = name.parent
    variable = node.child_by_field_name("object") if node is not None and node.type == "member_expression" else None
    if (
        node is None
        or variable is None
        or variable.type != "identifier"
        or node.child_by_field_name("property") != name
    ):
        return False
    while (node := node.parent) is not None:
        for each in _list_declared(node):
            if text_of(each.child_by_field_name("name") or each.child_by_field_name("pattern")) == text_of(variable):
                return text_of(each.child_by_field_name("type")).lstrip(": ") == "any"
    return False


def _list_declared(node: Node) -> list[Node]:
    """Return the variables that a block declares, or the parameters of a function."""
    parameters = node.child_by_field_name("parameters")
    if parameters is not None:
        return parameters.named_children
    inner = node.named_children if node.type in {"statement_block", "program"} else ()
    return [each for child in inner if child.type.endswith("_declaration") for each in child.named_children]


def read_fields(node: Node) -> CallSignature | None:
    """Return the required and the optional members of an interface."""
    body = node.child_by_field_name("body")
    if node.type != "interface_declaration" or body is None or body.has_error:
        return None
    found = []
    for each in body.named_children:
        if each.type in {"property_signature", "method_signature"}:
            key = _read_key(each.child_by_field_name("name"))
            is_optional = not key or any(child.type == "?" for child in each.children)
            found.append(CallParameter(key, is_optional=is_optional, is_named_only=True))
    # The type may have other members: those of its bases, or any.
    return CallSignature((*found, CallParameter("", is_optional=True, gathers="**")))


_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})

CALLS = CallGrammar(
    calls={"call_expression": "function", "new_expression": "constructor"},
    read_parameters=read_parameter,
    spreads=frozenset({"spread_element"}),
    held=MappingProxyType(
        {
            "variable_declarator": _FUNCTIONS,
            "public_field_definition": _FUNCTIONS,
            "field_definition": _FUNCTIONS,
            "pair": _FUNCTIONS,
        }
    ),
    is_required=is_required,
    is_open_key=is_open_key,
    checks_overrides=True,
    literals=MappingProxyType({"type_annotation": "", "pair": "key", "object": ""}),
    read_literal=read_literal,
    read_fields=read_fields,
)


_OBJECTS = frozenset({"new_expression", "this"})


def iter_conversions(reader: ValueReader, root: Node) -> Iterator[Conversion]:
    """Yield where `new C()` or `this` is a value at a place that expects a type.

    The type of any other value may have been narrowed before it gets to its place.
    """
    pending = [root]
    while pending:
        node = pending.pop()
        if node.type in _OBJECTS:
            yield from reader.convert(node, reader.expected_of(node))
        pending.extend(node.named_children)
