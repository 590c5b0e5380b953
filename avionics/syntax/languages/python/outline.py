"""Outlines of Python: what statements define, import and export."""

from __future__ import annotations

from collections.abc import Iterator

from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.model.facts import FileFacts, Import
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import children_of, first_child, iter_outermost, require_field, require_fields
from avionics.syntax.engine.outline import Outline
from avionics.syntax.engine.source_text import one_line, one_line_of_code

NESTED = frozenset(
    {
        "block", "if_statement", "elif_clause", "else_clause", "try_statement", "except_clause",
        "except_group_clause", "finally_clause", "with_statement", "for_statement", "while_statement",
        "match_statement", "case_clause",
    }
)  # fmt: skip
_BINDING = frozenset({"with_clause", "with_item", "as_pattern", "tuple", "parenthesized_expression"})
"""The nodes between a `with` or `except` and the names after its `as`."""
_PATTERNS = frozenset(
    {"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "list_splat", "tuple", "list"}
)
_BODIES = frozenset({"function_definition", "class_definition"})
_ALL = late_pattern(rb"\b__all__\b", needs=(b"__all__",))
_LISTS = frozenset(
    {"list", "tuple", "set", "parenthesized_expression", "binary_operator", "list_splat", "expression_list"}
)
"""The nodes between `__all__` and the strings that are its elements."""
_PLAIN = frozenset({"string_start", "string_content", "string_end"})
_QUOTE = late_pattern("[\"']")
_PROPERTIES = ("property", "cached_property", ".setter", ".getter", ".deleter", "classproperty")


def decorators_of(facts: FileFacts, symbol: int) -> tuple[str, ...]:
    """Return the decorators of a symbol, () for none."""
    return facts.symbols[symbol].decorators if symbol >= 0 else ()


def parameter_name(entry: Node) -> Node | None:
    """Return the name of a parameter, None for `/` and `*`."""
    if entry.type == "identifier":
        return entry
    name = entry.child_by_field_name("name")
    if name is not None:
        return name if name.type == "identifier" else parameter_name(name)
    return next((found for child in entry.named_children if (found := parameter_name(child)) is not None), None)


def _class(
    outline: Outline, node: Node, parent: int, whole: Node | None = None, decorators: tuple[str, ...] = ()
) -> None:
    name, body = require_fields(node, "name", "body")
    bases = node.child_by_field_name("superclasses")
    written = children_of(bases)
    index = outline.define(
        name,
        SymbolKind.CLASS,
        whole or node,
        parent,
        signature=_header(outline, node, body),
        doc=_doc(outline, body),
        exported=_is_public(outline, name, parent),
        decorators=decorators,
        bases=tuple(one_line(outline.source.of(base)) for base in written if base.type != "keyword_argument"),
    )
    outline.enter(body, index)


def _function(
    outline: Outline, node: Node, parent: int, whole: Node | None = None, decorators: tuple[str, ...] = ()
) -> None:
    name, body = require_field(node, "name"), require_field(node, "body")
    kind = SymbolKind.FUNCTION
    if outline.is_class(parent):
        is_property = bool(decorators) and any(decorator.endswith(_PROPERTIES) for decorator in decorators)
        kind = SymbolKind.PROPERTY if is_property else SymbolKind.METHOD
    index = outline.define(
        name,
        kind,
        whole or node,
        parent,
        signature=_header(outline, node, body),
        doc=_doc(outline, body),
        exported=_is_public(outline, name, parent),
        decorators=decorators,
    )
    outline.enter(body, index)


def _decorated(outline: Outline, node: Node, parent: int) -> None:
    definition = require_field(node, "definition")
    written = [child for child in node.named_children if child.type == "decorator"]
    decorators = tuple(
        one_line_of_code(_without_comments(outline.source.of(child).lstrip("@ ")), 120) for child in written
    )
    rule = _class if definition.type == "class_definition" else _function
    rule(outline, definition, parent, node, decorators)


def _statement(outline: Outline, node: Node, parent: int) -> None:
    """Read an expression statement: an assignment defines values."""
    inner = node.named_child(0)
    if inner is None:
        return
    kind = inner.type
    if parent >= 0:
        # Most statements are in functions, where only assignments to members define symbols.
        is_local = kind != "assignment" or (outline.is_function(parent) and _is_local(inner))
        if not is_local:
            _assignment(outline, inner, parent)
    elif kind == "assignment":
        _assignment(outline, inner, parent)
    elif kind == "string" and not outline.symbols and not outline.doc and not outline.imports:
        outline.doc = _first_paragraph(outline.source.of(inner))


def _is_local(assignment: Node) -> bool:
    """Return whether an assignment in a function only assigns to one plain name."""
    left = assignment.child_by_field_name("left")
    if left is None or left.type != "identifier":
        return False
    right = assignment.child_by_field_name("right")
    return right is None or right.type != "assignment"


def _assignment(outline: Outline, node: Node, parent: int) -> None:
    target: Node | None = node
    while target is not None and target.type == "assignment":
        left = target.child_by_field_name("left")
        for name in _iter_names(left) if left is not None else ():
            _define_assigned(outline, name, node, parent)
        target = target.child_by_field_name("right")


def _define_assigned(outline: Outline, name: Node, whole: Node, parent: int) -> None:
    """Define an assigned name: a variable of the module, or an attribute of a class or of `self` in a method."""
    if name.type == "attribute":
        owner, member = name.child_by_field_name("object"), name.child_by_field_name("attribute")
        holder = _method_class(outline, parent)
        is_self = owner is not None and owner.type == "identifier" and outline.source.of(owner) in {"self", "cls"}
        if holder >= 0 and is_self and member is not None:
            outline.define_value(
                member, SymbolKind.ATTRIBUTE, whole, holder, exported=_is_public(outline, member, holder)
            )
    elif outline.is_class(parent):
        outline.define_value(name, SymbolKind.ATTRIBUTE, whole, parent, exported=_is_public(outline, name, parent))
    elif parent < 0:
        kind = SymbolKind.CONSTANT if outline.source.of(name).isupper() else SymbolKind.VARIABLE
        outline.define_value(name, kind, whole, parent, exported=_is_public(outline, name, parent))


def _define_loop_targets(outline: Outline, node: Node, parent: int) -> None:
    """Define the targets of a loop at the level of a module or class, which stay bound after it."""
    target, body = node.child_by_field_name("left"), node.child_by_field_name("body")
    if target is not None and body is not None and not outline.is_function(parent):
        _define_targets(outline, target, _header(outline, node, body), parent)


def _define_as_names(outline: Outline, node: Node, parent: int) -> None:
    """Define the names after the `as` of a `with` or `except` in a module or class."""
    body = next((child for child in node.named_children if child.type == "block"), None)
    if body is not None and not outline.is_function(parent):
        pending = [child for child in node.named_children if child != body]
        while pending:
            child = pending.pop(0)
            if child.type == "as_pattern_target":
                _define_targets(outline, child, _header(outline, node, body), parent)
            elif child.type in _BINDING:
                pending.extend(child.named_children)


def _define_targets(outline: Outline, target: Node, header: str, parent: int) -> None:
    """Define the names that the header of a statement binds; they are private to the file."""
    kind = SymbolKind.ATTRIBUTE if outline.is_class(parent) else SymbolKind.VARIABLE
    named = target.named_children if target.type == "as_pattern_target" else [target]
    for name in (each for child in named for each in _iter_names(child) if each.type == "identifier"):
        if outline.source.of(name) != "_":
            outline.define_value(name, kind, name, parent, exported=False, signature=header)


def _iter_names(target: Node) -> Iterator[Node]:
    """Yield the names and members on the left side of an assignment."""
    if target.type in {"identifier", "attribute"}:
        yield target
    elif target.type in _PATTERNS:
        for child in target.named_children:
            yield from _iter_names(child)


def _method_class(outline: Outline, parent: int) -> int:
    """Return the class whose method, or function within a method, a symbol is; -1 for none."""
    return next((at for at in outline.iter_around(parent) if outline.get_kind(at) is SymbolKind.CLASS), -1)


def _type_alias(outline: Outline, node: Node, parent: int) -> None:
    name = node.child_by_field_name("left")
    while name is not None and name.type != "identifier":
        name = first_child(name)
    if name is not None:
        outline.define_value(name, SymbolKind.TYPE, node, parent, exported=_is_public(outline, name, parent))


def _import(outline: Outline, node: Node, parent: int) -> None:
    for entry in node.children_by_field_name("name"):
        name, alias = _alias(entry)
        module = outline.source.of(name)
        top = module.partition(".")[0]
        bound = outline.source.of(alias) if alias is not None else top
        if alias is not None and bound == top != module:
            # `import a.b as a` binds `b`, but `import a.b`, of which the facts would be the same, binds `a`.
            package, _, last = module.rpartition(".")
            _add_import(outline, name.named_children[-1], parent, package, last, bound, 0)
        else:
            _add_import(outline, name, parent, module, "", bound, 0)


def _import_from(outline: Outline, node: Node, parent: int) -> None:
    source = require_field(node, "module_name")
    text = outline.source.of(source).replace(" ", "")
    module = text.lstrip(".")
    level = len(text) - len(module)
    for entry in node.children_by_field_name("name"):
        name, alias = _alias(entry)
        written = outline.source.of(name)
        bound = outline.source.of(alias) if alias is not None else written
        _add_import(outline, name, parent, module, written, bound, level)
    for child in node.named_children:
        if child.type == "wildcard_import":
            _add_import(outline, child, parent, module, "*", "", level)


def _alias(entry: Node) -> tuple[Node, Node | None]:
    """Return the imported name and the name it is given, if any."""
    if entry.type == "aliased_import":
        name, alias = entry.child_by_field_name("name"), entry.child_by_field_name("alias")
        assert name is not None
        return name, alias
    return entry, None


def _add_import(outline: Outline, place: Node, parent: int, module: str, name: str, alias: str, level: int) -> None:
    line, column = outline.source.place(place)
    outline.imports.append(Import(module, name, alias, level, line, column, outline.is_function(parent)))


def read_exports(outline: Outline, root: Node) -> None:
    """Add the names that `__all__` lists, and `*` where it may have others: those of another list, or of a loop."""
    names: list[str] = []
    is_declared = False
    for found in _ALL.finditer(outline.source.content):
        name = root.descendant_for_byte_range(*found.span())
        if name is None or name.type != "identifier" or name.parent is None:
            continue
        within = _innermost_body(name)
        values = _list_exporting_values(outline, name.parent, name) if within is None else []
        is_declared = is_declared or bool(values)
        names.extend(_iter_listed_names(outline, values))
        is_own = within is None or within.type != "class_definition"
        if not values and is_own and _may_change_exports(name.parent, name):
            names.append("*")
    if is_declared:
        outline.exports = names


def _innermost_body(name: Node) -> Node | None:
    """Return the function or class in which a name is used, None for the module."""
    around: Node | None = name
    while around is not None and around.type not in _BODIES:
        around = around.parent
    return around


def _list_exporting_values(outline: Outline, around: Node, name: Node) -> list[Node]:
    """Return what an assignment to `__all__`, or a call of its methods, puts into it; [] for any other use."""
    if around.type == "attribute":
        is_added = outline.source.of(around) in {"__all__.extend", "__all__.append"} and around.parent is not None
        return list(children_of(around.parent.child_by_field_name("arguments"))) if is_added and around.parent else []
    value = around.child_by_field_name("right") if around.child_by_field_name("left") == name else None
    return [value] if value is not None else []


def _may_change_exports(around: Node, name: Node) -> bool:
    """Return whether a use of `__all__` may change it: an import, a method, an assignment in a function."""
    field = "object" if around.type == "attribute" else "left"
    return around.type == "dotted_name" or around.child_by_field_name(field) == name


def _iter_listed_names(outline: Outline, values: list[Node]) -> Iterator[str]:
    """Yield the strings among some values, and `*` for each value that is none."""
    pending = values[::-1]
    while pending:
        node = pending.pop()
        if node.type in _LISTS:
            pending.extend(reversed(node.named_children))
        elif node.type == "string" and all(child.type in _PLAIN for child in node.named_children):
            yield from map(outline.source.of, iter_outermost(node, {"string_content"}))
        elif node.type != "comment":
            yield "*"


def _is_public(outline: Outline, name: Node, parent: int) -> bool:
    """Return whether other files are meant to see a name: no leading underscore, not inside a function."""
    if outline.is_function(parent):
        return False
    text = outline.source.of(name)
    return text[:1] != "_" or (text.startswith("__") and text.endswith("__"))


def _header(outline: Outline, node: Node, body: Node) -> str:
    """Return a definition up to its body, without the colon."""
    text = outline.source.between(node.start_byte, body.start_byte)
    return one_line_of_code(_without_comments(text)).removesuffix(":")


def _without_comments(text: str) -> str:
    """Return code without its comments; a line that also contains a quote is left as it is."""
    if "#" not in text:
        return text
    return "\n".join(line if _QUOTE.search(line) else line.partition("#")[0] for line in text.split("\n"))


def _doc(outline: Outline, body: Node) -> str:
    """Return the first paragraph of a body's docstring."""
    first = body.named_child(0) if body.named_child_count else None
    if first is not None and first.type == "comment":
        first = next((child for child in body.named_children if child.type != "comment"), None)
    if first is None or first.type != "expression_statement" or not first.named_child_count:
        return ""
    value = first.named_child(0)
    return _first_paragraph(outline.source.of(value)) if value is not None and value.type == "string" else ""


def _first_paragraph(literal: str) -> str:
    text = literal.lstrip("rRbBuUfF").strip("\"'").strip()
    return one_line(text.split("\n\n", 1)[0], 200)


OUTLINE = {
    "class_definition": _class,
    "function_definition": _function,
    "decorated_definition": _decorated,
    "expression_statement": _statement,
    "type_alias_statement": _type_alias,
    "for_statement": _define_loop_targets,
    "with_statement": _define_as_names,
    "except_clause": _define_as_names,
    "import_statement": _import,
    "import_from_statement": _import_from,
}
