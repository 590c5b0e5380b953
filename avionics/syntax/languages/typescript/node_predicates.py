"""Predicates on TypeScript and JavaScript nodes, for both outlines and uses."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from avionics.model.facts import COMPUTED
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import first_child
from avionics.syntax.engine.source_text import SourceText

FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function", "function"})
_MAX_ELEMENT_LENGTH = 60
"""Bytes; a longer element is not a name."""
_OWN_DIRECTORIES = frozenset({"__dirname", "import.meta.dirname"})
_JOINING = frozenset({"join", "path.join", "path.resolve", "require.resolve", "resolve"})
_MAX_NAME_LENGTH = 20
"""Bytes; the names of directories and of functions that join paths are shorter, and their text need not be copied."""
_MAX_PATH_DEPTH = 4
_MAX_PATH_LENGTH = 500
_TEST_LOADERS = frozenset({"importActual", "importMock", "requireActual", "requireMock"})
_WRAPPERS = frozenset({"parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"})


def last_name(name: Node) -> Node:
    """Return the last part of a dotted name."""
    return name.child_by_field_name("property") or name


def is_property(parameter: Node) -> bool:
    """Return whether a constructor's parameter is a member as well."""
    return any(
        child.type in {"accessibility_modifier", "readonly", "override_modifier"} for child in parameter.children
    )


def pattern_names(target: Node) -> Iterator[Node]:
    """Yield the names that a pattern binds."""
    if target.type in {"identifier", "shorthand_property_identifier_pattern"}:
        yield target
    elif target.type in {"object_pattern", "array_pattern", "rest_pattern"}:
        for child in target.named_children:
            yield from pattern_names(child)
    elif target.type in {"pair_pattern", "assignment_pattern", "object_assignment_pattern"}:
        inner = target.child_by_field_name("value" if target.type == "pair_pattern" else "left")
        if inner is not None:
            yield from pattern_names(inner)


def unwrap(node: Node) -> Node:
    """Return the expression within parentheses and casts."""
    while node.type in _WRAPPERS and node.named_child_count:
        node = node.named_children[0]
    return node


def name_of_key(key: Node | None) -> Node | None:
    """Return the node of a member's name; None for a computed one, and for a missing key."""
    if key is None:
        return None
    if key.type == "string":
        return key.named_children[0] if key.named_child_count == 1 else None
    return None if key.type in {"computed_property_name", "number"} else key


def whole_place(source: SourceText, node: Node) -> Node | None:
    """Return the node where an assignment sets the module as a whole (`a = module.exports = …`)."""
    current: Node | None = node
    while current is not None and current.type == "assignment_expression":
        left = current.child_by_field_name("left")
        if left is not None and left.type == "member_expression" and source.of(left) == "module.exports":
            return left.child_by_field_name("property")
        right = current.child_by_field_name("right")
        current = unwrap(right) if right is not None else None
    return None


def assigned_place(left: Node) -> Node | None:
    """Return the node that names an assigned function: `x`, `a.x`, `a['x']`; an element is named as written."""
    owner = left.child_by_field_name("object")
    if left.type == "identifier":
        return left
    if owner is None:
        return None
    index = left.child_by_field_name("index")
    if left.type == "subscript_expression" and index is not None:
        name = name_of_key(index) if index.type == "string" else None
        return name or (left if left.end_byte - left.start_byte <= _MAX_ELEMENT_LENGTH else None)
    return left.child_by_field_name("property")


def last_assigned(node: Node) -> Node:
    """Return the value at the end of a chain of assignments."""
    while node.type == "assignment_expression" and (right := node.child_by_field_name("right")) is not None:
        node = unwrap(right)
    return node


def is_loader(source: SourceText, function: Node) -> bool:
    """Return whether a callee loads a module by its path: `require`, `import`, `vi.importActual`."""
    name = source.of(function)
    return name in {"require", "import"} or name.rpartition(".")[2] in _TEST_LOADERS


def is_loading(source: SourceText, value: Node | None) -> bool:
    """Return whether a value is a loaded module or a member of one: `require('x')`, `require('x').y`."""
    function = loader_of(value)
    if function is None or function.parent is None or not is_loader(source, function):
        return False
    given = first_child(function.parent, "arguments")
    return given is not None and loaded_path(source, given) != ""


def loaded_path(source: SourceText, given: Node) -> str:
    """Return the path that is passed to a loader, with COMPUTED for computed parts; "" if its last part is computed."""
    if given.type == "string":
        return source.of(given).strip("\"'")
    path = posixpath.normpath(_read_path(source, given, 0))
    _, sign, end = path.rpartition(COMPUTED)
    if (sign and not end.startswith("/")) or len(path) > _MAX_PATH_LENGTH:
        return ""
    return path if path.startswith(".") or not sign else f"./{path}"


def _read_path(source: SourceText, node: Node, depth: int) -> str:
    """Return the path that an expression computes, with COMPUTED for parts that are not written.

    The expression may be `'./cart'`, `./${name}.js` as a template, `base + '/cart'`, or `path.join(__dirname, 'cart')`.
    """
    node, summands = unwrap(node), list[Node]()
    while node.type == "binary_expression" and (left := node.child_by_field_name("left")) is not None:
        right, operator = node.child_by_field_name("right"), node.child_by_field_name("operator")
        if right is None or operator is None or operator.type != "+":
            return COMPUTED
        summands.append(right)
        node = unwrap(left)
    return "".join(_read_path_part(source, each, depth) for each in (node, *reversed(summands)))


def _read_path_part(source: SourceText, node: Node, depth: int) -> str:
    """Return the path of an expression that is no sum; see `_read_path`."""
    if node.type == "string":
        return source.of(node).strip("\"'")
    if node.end_byte - node.start_byte <= _MAX_NAME_LENGTH and source.of(node) in _OWN_DIRECTORIES:
        return "."
    if depth >= _MAX_PATH_DEPTH:
        return COMPUTED
    if node.type == "template_string":
        pieces, end = list[str](), node.start_byte + 1
        for child in node.named_children:
            if child.type == "template_substitution":
                pieces.append(source.content[end : child.start_byte].decode("utf-8", "replace"))
                inner = first_child(child)
                pieces.append(_read_path(source, inner, depth + 1) if inner is not None else COMPUTED)
                end = child.end_byte
        return "".join((*pieces, source.content[end : node.end_byte - 1].decode("utf-8", "replace")))
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    is_called = function is not None and function.end_byte - function.start_byte <= _MAX_NAME_LENGTH
    if is_called and function is not None and source.of(function) in _JOINING and arguments is not None:
        parts = [_read_path(source, each, depth + 1) for each in arguments.named_children]
        prefix = "" if parts and parts[0].startswith((".", COMPUTED)) else f"{COMPUTED}/"
        return prefix + "/".join(parts)
    return COMPUTED


def is_importing(source: SourceText, name: Node, value: Node | None) -> bool:
    """Return whether a declaration only binds a module or its members: `x = require('x')`, `{ y } = require('x')`."""
    if not is_loading(source, value):
        return False
    if name.type == "identifier":
        return True
    is_member = value is not None and unwrap(value).type == "member_expression"
    return name.type == "object_pattern" and not is_member and all(map(_is_plain_entry, name.named_children))


def _is_plain_entry(entry: Node) -> bool:
    """Return whether an entry of a pattern binds a member to a name, without a default."""
    if entry.type != "pair_pattern":
        return entry.type == "shorthand_property_identifier_pattern"
    bound = entry.child_by_field_name("value")
    return bound is not None and bound.type == "identifier"


def loader_of(value: Node | None) -> Node | None:
    """Return the callee in `f('x')`, `await f('x')` or `f('x').y`."""
    value = unwrap(value) if value is not None else None
    if value is not None and value.type == "await_expression":
        value = unwrap(value.named_children[0])
    if value is not None and value.type == "member_expression":
        value = value.child_by_field_name("object")
    is_call = value is not None and value.type == "call_expression"
    return value.child_by_field_name("function") if value is not None and is_call else None


def declared_imports(source: SourceText, name: Node, value: Node) -> Iterator[tuple[Node, str, Node]]:
    """Yield the place, the imported name and the bound name of each import of `const … = require('x')`."""
    member = unwrap(value)
    member_name = member.child_by_field_name("property") if member.type == "member_expression" else None
    if name.type == "identifier":
        yield name, source.of(member_name), name
    else:
        for entry in name.named_children:
            if entry.type == "shorthand_property_identifier_pattern":
                yield entry, source.of(entry), entry
            elif entry.type == "pair_pattern":
                key, alias = entry.child_by_field_name("key"), entry.child_by_field_name("value")
                if key is not None and alias is not None and alias.type == "identifier":
                    yield key, source.of(key), alias
