"""Read the arguments of a call and the signature of a function from the syntax tree around a name.

Facts do not store this: it is read only for the calls of a function whose parameters have changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from msgspec import Struct, structs

from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import code_children, text_of

NAMED_ONLY, UNNAMED_ONLY = "*", "/"
"""The names under which `CallGrammar.read_parameters` yields the separators of a parameter list."""


class CallShape(Struct, frozen=True):
    """The arguments that a call passes, without their values.

    Attributes:
        positional: How many arguments are passed by position.
        keywords: The names of the arguments passed by name.
        is_open: Whether the call may pass more than it shows: `*args`, `f(g())` in Go.
        is_through_type: Whether a method is called through its type, `Cart::add(cart, 1)`, so that its object is the
            first argument.
        gives_rest: Whether the last argument is the whole value of the variadic parameter: `f(a, rest...)` in Go.
        line: The number of lines from the callee's name to the argument; for a literal, its line or 0.
    """

    positional: int = 0
    keywords: tuple[str, ...] = ()
    is_open: bool = False
    is_through_type: bool = False
    gives_rest: bool = False
    line: int = 0


class CallParameter(Struct, frozen=True):
    """A parameter as a caller sees it.

    Attributes:
        name: Its name; "" if it has none.
        is_optional: Whether a call may leave it out.
        is_named_only: Whether it can only be passed by name.
        is_unnamed_only: Whether it can only be passed by position.
        gathers: "*" for one that takes any number by position, "**" by name, "" for any other.
    """

    name: str
    is_optional: bool = False
    is_named_only: bool = False
    is_unnamed_only: bool = False
    gathers: str = ""


class CallSignature(Struct, frozen=True):
    """The signature of a function; `has_receiver` says whether `self` or the like is declared as a parameter."""

    parameters: tuple[CallParameter, ...]
    has_receiver: bool = False


class ExhaustiveMatch(Struct, frozen=True):
    """A match or switch: its line, and the places of the names of the variants that its cases take.

    Lines begin with 1 and columns, in bytes, with 0.
    """

    line: int
    labels: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, node: Node, labels: Iterable[Node]) -> ExhaustiveMatch:
        """Return the match that a node is, with the nodes of its labels."""
        return cls(node.start_point[0] + 1, tuple((each.start_point[0] + 1, each.start_point[1]) for each in labels))


class CallGrammar(Struct, frozen=True):
    """How a language writes calls and parameter lists.

    Attributes:
        calls: Node type of a call → the field that holds the callee.
        read_parameters: Yields the parameters that a node under a parameter list declares.
        keyword: Node type of an argument passed by name; its field `name` holds the name.
        spreads: Node types of arguments that stand for any number of others.
        spreads_rest: Whether such an argument binds only to the variadic parameter.
        receivers: Node types of parameters that declare the object of a method, or of patterns in such a parameter.
        held: Node types of a declaration that gives a function to a name without a type → node types of the functions
            in its field `value`: `const add = (a, b) => …`.
        paths: Node types of a callee that names a method through its type: `Cart::add`.
        gives_several: Returns whether a single argument may stand for several, as a call of a function with several
            results may; None where none does.
        named_arguments: Whether a parameter can be passed by its name.
        unspecified_empty: Whether a function with an empty parameter list accepts any arguments, as in C before C23.
        is_required: Returns whether the member that a node declares has to be implemented by subclasses; None if the
            language has no such members.
        is_open_block: Returns whether the block or interface that begins with a node may have members that it does not
            show; None where no block implements an interface for a type.
        is_open_key: Returns whether a key of an object may be missing in the declared type of the object; None where
            such a key is always an error.
        calls_base: Returns whether a constructor implicitly calls that of the base class; None in a language without
            such calls.
        checks_overrides: Whether a method has to accept the arguments that the method it overrides accepts.
        literals: Node types of an expression or a pattern that lists the fields of a class → the field with the name of
            the class. "" for a declared type that is only a name, and for the node around a key of an object.
        read_literal: Returns the fields that such a node sets, or that the declared value has; None if they are
            unknown.
        read_fields: Returns the fields of the class or variant that a node declares; None for other nodes, and if a
            condition decides.
        read_match: Returns the exhaustive match or switch whose first case contains the label under a node; None for
            anything else, and if it accepts other values, too.
        closed_type: Found in the signature of a type whose direct subtypes are all known to the compiler.
        is_separable: Whether the lines of a function alone give the same tree as within the file.
    """

    calls: dict[str, str]
    read_parameters: Callable[[Node], Iterable[CallParameter]]
    keyword: str = ""
    spreads: frozenset[str] = frozenset()
    spreads_rest: bool = False
    receivers: frozenset[str] = frozenset()
    held: Mapping[str, frozenset[str]] = MappingProxyType({})
    paths: frozenset[str] = frozenset()
    gives_several: Callable[[Node], bool] | None = None
    named_arguments: bool = False
    unspecified_empty: bool = False
    is_required: Callable[[Node], bool] | None = None
    is_open_block: Callable[[Node], bool] | None = None
    is_open_key: Callable[[Node], bool] | None = None
    calls_base: Callable[[Node], bool] | None = None
    checks_overrides: bool = False
    literals: Mapping[str, str] = MappingProxyType({})
    read_literal: Callable[[Node], CallShape | None] | None = None
    read_fields: Callable[[Node], CallSignature | None] | None = None
    read_match: Callable[[Node], ExhaustiveMatch | None] | None = None
    closed_type: re.Pattern[str] | None = None
    is_separable: bool = False


def read_call(grammar: CallGrammar, name: Node) -> CallShape | None:
    """Return the arguments of the call of the name under a node; None if the name is not the callee."""
    node = name
    is_path = False
    while node.parent is not None:
        parent = node.parent
        field = grammar.calls.get(parent.type)
        if field is not None:
            callee = parent.child_by_field_name(field)
            return _read_arguments(grammar, parent, is_path) if callee == node else None
        if parent.type in grammar.literals and grammar.read_literal is not None:
            field = grammar.literals[parent.type]
            is_named = not field or parent.child_by_field_name(field) == node
            shape = grammar.read_literal(parent) if is_named and not parent.has_error else None
            below = shape.line - name.start_point[0] - 1 if shape is not None and shape.line else 0
            return structs.replace(shape, line=below) if shape is not None else None
        if parent.end_byte != node.end_byte and parent.type not in _GENERIC:
            return None
        is_path = is_path or parent.type in grammar.paths
        node = parent
    return None


_GENERIC = frozenset({"generic_function", "generic_type", "instantiation_expression"})
"""Nodes in which type arguments follow the name of the callee."""


def _read_arguments(grammar: CallGrammar, call: Node, is_through_type: bool) -> CallShape | None:
    arguments = call.child_by_field_name("arguments")
    if arguments is None or arguments.has_error:
        return None
    if not any(child.type in {"(", "()"} for child in arguments.children):
        return None
    positional, keywords, is_spread = 0, [], False
    given = code_children(arguments)
    if not arguments.type.startswith("argument"):
        given = [arguments]  # `sum(x for x in xs)`: the parentheses are those of the only argument.
    for argument in given:
        if argument.type == grammar.keyword:
            name = argument.child_by_field_name("name")
            if name is not None and name.text is not None:
                keywords.append(name.text.decode("utf-8", "replace"))
        elif argument.type in grammar.spreads:
            is_spread = True
        else:
            positional += 1
    gives_rest = is_spread and grammar.spreads_rest
    is_open = is_spread and not gives_rest
    if grammar.gives_several is not None and len(given) == 1:
        is_open = is_open or grammar.gives_several(given[0])
    return CallShape(positional, tuple(keywords), is_open, is_through_type, gives_rest)


class PassedName(Struct, frozen=True):
    """A call of which a name alone is an argument.

    Attributes:
        column: Its column in bytes.
        position: How many arguments are passed by position before it.
        keyword: The name it is passed by, "" for none.
    """

    line: int
    column: int
    position: int
    keyword: str = ""


_MEMBERS = frozenset({"attribute", "member_expression", "selector_expression"})


def read_passed(grammar: CallGrammar, name: Node) -> PassedName | None:
    """Return the call of which the name under a node, or the member that it names, is an argument; else None."""
    node, keyword = name, ""
    while node.parent is not None and node.parent.type in _MEMBERS and node.parent.end_byte == node.end_byte:
        node = node.parent
    if node.parent is not None and node.parent.type == grammar.keyword:
        named, node = node.parent.child_by_field_name("name"), node.parent
        keyword = text_of(named)
    listed = node.parent
    call = listed.parent if listed is not None else None
    if listed is None or call is None or call.type not in grammar.calls:
        return None
    callee = call.child_by_field_name(grammar.calls[call.type])
    before = [each for each in listed.named_children if each.start_byte < node.start_byte and not each.is_extra]
    is_argument = call.child_by_field_name("arguments") == listed and callee is not None
    if not is_argument or callee is None or any(each.type in grammar.spreads for each in before):
        return None
    while callee.type in _MEMBERS:
        callee = callee.named_children[-1]
    position = sum(each.type != grammar.keyword for each in before)
    return PassedName(callee.start_point[0] + 1, callee.start_point[1], position, keyword)


def read_requirement(grammar: CallGrammar, name: Node) -> bool | None:
    """Return whether subclasses have to implement the member whose name is under a node."""
    if grammar.is_required is None or name.parent is None:
        return None
    return grammar.is_required(name.parent)


def read_openness(grammar: CallGrammar, first: Node) -> bool | None:
    """Return whether the block that begins with a node may have members that it does not show."""
    return grammar.is_open_block(first) if grammar.is_open_block is not None else None


def read_open_key(grammar: CallGrammar, name: Node) -> bool | None:
    """Return whether the key under a node may be one that the type of its object lacks."""
    return grammar.is_open_key(name) if grammar.is_open_key is not None else None


def read_match(grammar: CallGrammar, name: Node) -> ExhaustiveMatch | None:
    """Return the match or switch that the name under a node is a label of, as `CallGrammar.read_match` does."""
    return grammar.read_match(name) if grammar.read_match is not None else None


def read_base_call(grammar: CallGrammar, name: Node) -> bool | None:
    """Return whether the constructor whose name is under a node implicitly calls the base class's."""
    return grammar.calls_base(name.parent) if grammar.calls_base is not None and name.parent is not None else None


def read_signature(grammar: CallGrammar, name: Node) -> CallSignature | None:
    """Return the signature of the function or class whose name is under a node; None if it lists no parameters."""
    if grammar.read_fields is not None and name.parent is not None:
        made = grammar.read_fields(name.parent)
        if made is not None:
            return made
    listed = get_parameter_list(grammar, name)
    return _read_list(grammar, listed) if listed is not None else None


def get_parameter_list(grammar: CallGrammar, name: Node) -> Node | None:
    """Return the parameters of the function whose name is under a node: a list, or one without parentheses.

    The function is declared with the name, or is the value that the name is given: `const add = (a, b) => a + b`.
    """
    node: Node | None = name
    while node is not None:
        listed = node.child_by_field_name("parameters")
        value = node.child_by_field_name("value") if node.type in grammar.held else None
        if value is not None and value.type in grammar.held[node.type] and not node.child_by_field_name("type"):
            listed = value.child_by_field_name("parameters") or value.child_by_field_name("parameter")
        if listed is not None:
            return listed if listed.start_byte >= name.end_byte and not listed.has_error else None
        node = node.parent
        if node is not None and node.type in {"block", "module", "program", "source_file", "translation_unit"}:
            return None
    return None


def _read_list(grammar: CallGrammar, listed: Node) -> CallSignature | None:
    if grammar.unspecified_empty and not listed.named_children:
        return None
    has_receiver = any(is_receiver(grammar, child) for child in list_parameters(listed))
    found: list[CallParameter] = []
    is_named_only = False
    for parameter in _iter_parameters(grammar, listed):
        if parameter.name == UNNAMED_ONLY:
            found = [structs.replace(each, is_unnamed_only=True) for each in found]
        elif parameter.name != NAMED_ONLY:
            found.append(structs.replace(parameter, is_named_only=is_named_only))
        is_named_only = is_named_only or parameter.gathers == "*"
    return CallSignature(tuple(found), has_receiver)


def list_parameters(listed: Node) -> list[Node]:
    """Return the nodes of the parameters that `get_parameter_list` returned."""
    is_alone = not listed.children or listed.children[0].type != "("
    parts = code_children(listed)
    return [listed] if is_alone and listed.type == "identifier" else parts


def is_receiver(grammar: CallGrammar, node: Node) -> bool:
    """Return whether a parameter declares the object of a method, with a type (`self: Arc<Self>`) or none."""
    pattern = node.child_by_field_name("pattern")
    return node.type in grammar.receivers or (pattern is not None and pattern.type in grammar.receivers)


def _iter_parameters(grammar: CallGrammar, listed: Node) -> Iterator[CallParameter]:
    for child in list_parameters(listed):
        if not is_receiver(grammar, child):
            yield from grammar.read_parameters(child)
