"""Outlines of Ruby: what statements define and require."""

from __future__ import annotations

from typing import NamedTuple

from avionics.model.enums import SymbolKind
from avionics.model.facts import Import, replace
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import children_of, require_field
from avionics.syntax.engine.outline import Outline
from avionics.syntax.engine.source_text import SourceText, one_line, one_line_of_code

RECORDS = frozenset({"Struct", "Data"})
"""The core classes that make a plain class of the names of its fields."""
ACCESSORS = frozenset({"attr_accessor", "attr_reader", "attr_writer"})
_DELEGATING = frozenset({"delegate", "def_delegator", "def_delegators", "def_instance_delegators"})
REQUIRES = frozenset({"require", "require_relative", "load", "autoload"})
_HIDING = frozenset({"private", "protected"})
_MAKERS = {"Class": "new", "Module": "new", "Struct": "new", "Data": "define"}
"""The core classes that make a class or module, and how."""


def _doc(outline: Outline, node: Node) -> str:
    """Return the comment lines directly above a definition, up to an empty one."""
    lines: list[str] = []
    above, line = node.prev_named_sibling, node.start_point.row
    while above is not None and above.type == "comment" and above.end_point.row == line - 1:
        text = outline.source.of(above).lstrip("#").strip()
        lines = [] if not text else [text, *lines]
        line, above = above.start_point.row, above.prev_named_sibling
    return one_line(" ".join(lines), 200)


def _define(outline: Outline, node: Node, kind: SymbolKind, parent: int, *, exported: bool = True) -> int:
    name = node.child_by_field_name("name")
    if name is None:
        return -1
    last, holder = name, ""
    if name.type == "scope_resolution":
        before = name.child_by_field_name("scope")
        last = name.child_by_field_name("name") or name
        holder = outline.source.of(before).strip(":").replace("::", ".") if before is not None else ""
        # A path that begins with the name of a module around is looked up from outside of that.
        first = outline.source.of(name).partition("::")[0]
        around = (each for each in outline.iter_around(parent) if outline.symbols[each].name == first)
        nearest = next(around, -1) if first else -1
        parent = outline.symbols[nearest].parent if nearest >= 0 else parent if first else -1
    bases = children_of(node, "superclass")
    body = node.child_by_field_name("body")
    stop = body.start_byte if body is not None else node.end_byte
    header = outline.source.between(node.start_byte, stop)
    header = "\n".join(line.partition(" #")[0] for line in header.split("\n") if not line.lstrip().startswith("#"))
    return outline.define(
        last,
        kind,
        node,
        parent,
        signature=one_line_of_code(header).removesuffix("end").rstrip("; ="),
        doc=_doc(outline, node),
        exported=exported,
        bases=tuple(outline.source.of(base) for base in bases),
        holder=holder,
    )


def _class(outline: Outline, node: Node, parent: int) -> None:
    body = node.child_by_field_name("body")
    kind = SymbolKind.CLASS if node.type == "class" else SymbolKind.INTERFACE
    index = _define(outline, node, kind, parent)
    if index < 0:
        return
    for base in children_of(node, "superclass"):
        _fields(outline, read_made_class(outline.source, base), index)
    if body is not None:
        _statements(outline, body, index)


class MadeClass(NamedTuple):
    """A class that the core makes: `Struct.new(:x) do … end`, `Class.new(Base)`.

    Attributes:
        maker: The core class that makes it.
        bases: What `Class.new` is given.
        fields: The symbols that name its fields.
        block: The block with its members.
    """

    maker: str
    bases: tuple[Node, ...]
    fields: tuple[Node, ...]
    block: Node | None


def read_made_class(source: SourceText, node: Node | None) -> MadeClass | None:
    """Return the class that a call makes; None for any other node."""
    receiver = node.child_by_field_name("receiver") if node is not None and node.type == "call" else None
    maker = source.of(receiver) if receiver is not None else ""
    if node is None or _MAKERS.get(maker) != source.of(node.child_by_field_name("method")):
        return None
    given = children_of(node, "arguments")
    fields = tuple([each for each in given if each.type == "simple_symbol"]) if maker in RECORDS else ()
    bases = tuple(given) if maker == "Class" else ()
    return MadeClass(maker, bases, fields, node.child_by_field_name("block"))


def _fields(outline: Outline, made: MadeClass | None, parent: int) -> None:
    """Define the fields of a record."""
    for each in made.fields if made is not None else ():
        _accessor(outline, each, each, parent)


def _statements(outline: Outline, body: Node, parent: int) -> None:
    """Define the members of a class; those after a bare `private` are hidden."""
    is_public = True
    for child in body.named_children:
        if child.type == "identifier" and outline.source.of(child) in {"private", "protected", "public"}:
            is_public = outline.source.of(child) == "public"
        elif child.type == "method":
            _method(outline, child, parent, exported=is_public)
        elif child.type in OUTLINE:
            OUTLINE[child.type](outline, child, parent)


def _method(outline: Outline, node: Node, parent: int, *, exported: bool = True) -> None:
    owner = node.child_by_field_name("object")
    if owner is not None and owner.type == "identifier":
        return  # `def value.name` adds a method to one object.
    kind = SymbolKind.METHOD if parent >= 0 and not outline.is_function(parent) else SymbolKind.FUNCTION
    _define(outline, node, kind, parent, exported=exported)


def _singleton(outline: Outline, node: Node, parent: int) -> None:
    body = node.child_by_field_name("body")
    if body is not None:
        _statements(outline, body, parent)


def _assignment(outline: Outline, node: Node, parent: int) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or left.type != "constant":
        return
    made = read_made_class(outline.source, right)
    if made is not None and right is not None:
        kind = SymbolKind.INTERFACE if made.maker == "Module" else SymbolKind.CLASS
        stop = made.block.start_byte if made.block is not None else node.end_byte
        index = outline.define(
            left,
            kind,
            node,
            parent,
            signature=one_line_of_code(outline.source.between(node.start_byte, stop)),
            doc=_doc(outline, node),
            bases=tuple(outline.source.of(base) for base in made.bases),
        )
        _fields(outline, made, index)
        body = made.block.child_by_field_name("body") if made.block is not None else None
        if body is not None:
            _statements(outline, body, index)
    else:
        kind = SymbolKind.ATTRIBUTE if parent >= 0 else SymbolKind.CONSTANT
        outline.define_value(left, kind, node, parent)


def _call(outline: Outline, node: Node, parent: int) -> None:
    """Read `require`, `attr_accessor`, `delegate`, definitions passed to `private`, or those in a block."""
    method, arguments = node.child_by_field_name("method"), node.child_by_field_name("arguments")
    block = node.child_by_field_name("block")
    body = block.child_by_field_name("body") if block is not None and block.type == "do_block" else None
    if body is not None and read_made_class(outline.source, node) is None:
        _statements(outline, body, parent)
    if method is None or arguments is None or node.child_by_field_name("receiver") is not None:
        return
    name = outline.source.of(method)
    if name in REQUIRES:
        _require(outline, arguments, name)
    elif name in _HIDING or name == "module_function":
        for inner in arguments.named_children:
            if inner.type == "method":
                _method(outline, inner, parent, exported=name not in _HIDING)
    elif parent >= 0:
        _members(outline, node, name, arguments, parent)


def _members(outline: Outline, node: Node, name: str, arguments: Node, parent: int) -> None:
    """Define the members that a call in the body of a class adds to it."""
    symbols = [each for each in arguments.named_children if each.type == "simple_symbol"]
    if name in ACCESSORS:
        for symbol in symbols:
            _accessor(outline, symbol, node, parent)
    elif name == "alias_method" and symbols and symbols[0] == arguments.named_children[0]:
        _accessor(outline, symbols[0], node, parent, SymbolKind.METHOD)
    elif (delegated := read_delegation(outline.source, name, arguments)) is not None:
        for symbol, _ in delegated.methods:
            _accessor(outline, symbol, node, parent, SymbolKind.METHOD)


def _alias(outline: Outline, node: Node, parent: int) -> None:
    """Define the new name of `alias new old`."""
    name = require_field(node, "name")
    kind = SymbolKind.METHOD if parent >= 0 and not outline.is_function(parent) else SymbolKind.FUNCTION
    if name.type == "simple_symbol":
        _accessor(outline, name, node, parent, kind)
    elif name.type in {"identifier", "setter"}:
        outline.define(name, kind, node, parent, signature=one_line_of_code(outline.source.of(node)))


class Delegation(NamedTuple):
    """The methods of a class that call those of another object.

    Attributes:
        receiver: What gives the object: a method (`client`), or a variable (`@client`).
        methods: The symbol that names each method, and the name of the one that it calls.
    """

    receiver: str
    methods: tuple[tuple[Node, str], ...]


def read_delegation(source: SourceText, name: str, arguments: Node) -> Delegation | None:
    """Return the methods that `delegate`, `def_delegators` or `def_delegator` defines; None if they are computed."""
    if name not in _DELEGATING:
        return None
    symbols = [each for each in arguments.named_children if each.type == "simple_symbol"]
    pairs = [each for each in arguments.named_children if each.type == "pair"]
    keys = {source.of(each.named_children[0]): each.named_children[-1] for each in pairs}
    named = [(each, source.of(each)[1:]) for each in symbols]
    if name == "delegate":
        to = keys.get("to")
        # With a prefix, the methods have other names.
        is_plain = to is not None and to.type == "simple_symbol" and "prefix" not in keys
        return Delegation(source.of(to)[1:], tuple(named)) if to is not None and is_plain else None
    if len(named) < 2 or len(named) != len(arguments.named_children):
        return None
    receiver, *methods = named
    if name == "def_delegator":
        methods = [(methods[-1][0], methods[0][1])]
    return Delegation(receiver[1], tuple(methods))


def _accessor(
    outline: Outline, symbol: Node, whole: Node, parent: int, kind: SymbolKind = SymbolKind.ATTRIBUTE
) -> None:
    """Define a member named by a symbol, whose name begins after the colon."""
    index = outline.define(symbol, kind, whole, parent, signature=one_line_of_code(outline.source.of(whole)))
    found = outline.symbols[index]
    outline.symbols[index] = replace(
        found, name=found.name[1:], qualname=_without_colon(found.qualname), column=found.column + 1
    )


def _without_colon(qualname: str) -> str:
    """Return the path of a member that a symbol names."""
    around, _, name = qualname.rpartition(".:")
    return f"{around}.{name}" if around else qualname.removeprefix(":")


def _require(outline: Outline, arguments: Node, name: str) -> None:
    """Import a required file, whose definitions are all visible from then on."""
    last = arguments.named_children[-1] if arguments.named_children else None
    if last is None or last.type != "string" or last.named_child_count != 1:
        return
    line, column = outline.source.place(last)
    path = outline.source.of(last.named_children[0])
    outline.imports.append(Import(path, "*", "", 1 if name == "require_relative" else 0, line, column))


OUTLINE = {
    **dict.fromkeys(("class", "module"), _class),
    **dict.fromkeys(("method", "singleton_method"), _method),
    "singleton_class": _singleton,
    "alias": _alias,
    "assignment": _assignment,
    "call": _call,
}
NESTED = frozenset({"if", "unless", "then", "else", "begin", "body_statement"})
