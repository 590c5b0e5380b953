"""Declarators of C and C++: the declared name within its stars, brackets and parentheses."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import code_children, iter_around

_NAMES = frozenset(
    {
        "identifier", "field_identifier", "type_identifier", "destructor_name", "operator_name", "operator_cast",
        "qualified_identifier", "template_function", "template_method", "structured_binding_declarator",
    }
)  # fmt: skip
_NO_NAMES = frozenset(b"int char long short float double void unsigned signed const struct union enum".split())
_DEEPEST = 30
_OF_TEST = 2
"""Arguments of a test's macro: the suite and the name."""


class Declared(Struct, frozen=True):
    """One declarator, read.

    Attributes:
        name: The node that names it; may be qualified.
        function: The function declarator directly around the name: then it declares a function.
        arrays: How many dimensions it has.
        is_callable: Whether it declares a pointer to a function.
        value: Its initial value.
        type: The type before a name in parentheses, `T` of `T(min)()`; the declaration has no field for it.
    """

    name: Node
    function: Node | None = None
    arrays: int = 0
    is_callable: bool = False
    value: Node | None = None
    type: Node | None = None


def read_declarator(node: Node) -> Declared | None:
    """Return what a declarator declares, None if it has no name."""
    function: Node | None = None
    value: Node | None = None
    arrays, is_callable = 0, False
    current: Node | None = node
    for _ in range(_DEEPEST):
        if current is None:
            return None
        kind = current.type
        if kind in _NAMES:
            if not current.text or current.text in _NO_NAMES:
                # The grammar makes up a name after `__attribute__((weak)) =`; `DECLARE(int);` is a macro, which that of
                # C++ takes for a type.
                return None
            name = last_name(current)
            taking = name.child_by_field_name("declarator") if name.type == "operator_cast" else function
            return Declared(current, taking, arrays, is_callable, value)
        if kind == "init_declarator":
            value = current.child_by_field_name("value")
        elif kind == "function_declarator":
            is_callable = is_callable or function is not None
            function = current
        elif kind == "array_declarator":
            arrays += 1
            is_callable, function = is_callable or function is not None, None
        elif kind in {"pointer_declarator", "reference_declarator"}:
            is_callable, function = is_callable or function is not None, None
        current = current.child_by_field_name("declarator") or _inner(current)
    return None


def read_definition(node: Node) -> Declared | None:
    """Return what the definition of a function declares, None if it has no name."""
    declared = read_declarator(node.child_by_field_name("declarator") or node)
    return _with_type(node, declared) if declared is not None else None


def _with_type(node: Node, declared: Declared) -> Declared:
    """Return the declared name, type and function if the name is in parentheses, which keep it from macro expansion.

    `T(min)()` is parsed as a function `T` that returns a function, which neither language has. A name in capitals is
    that of a macro.
    """
    inner, text = declared.function, declared.name.text or b""
    outer = inner.parent if inner is not None else None
    is_macro = len(text) > 1 and text.isupper()
    if inner is None or outer is None or outer.type != "function_declarator" or is_macro:
        return declared
    if node.child_by_field_name("type") is not None:
        return declared
    listed = list(parameters_of(inner))
    name = listed[0].child_by_field_name("type") if len(listed) == 1 else None
    if name is None or name.type not in {"type_identifier", "qualified_identifier"}:
        return declared
    if listed[0].child_by_field_name("declarator") is not None:
        return declared
    return Declared(name, outer, type=declared.name)


def _inner(node: Node) -> Node | None:
    """Return the declarator within parentheses, attributes or a reference."""
    inner = (child for child in node.named_children if child.type in _NAMES or child.type.endswith("_declarator"))
    return next(inner, None)


def iter_declared(node: Node) -> Iterator[Declared]:
    """Yield what each declarator of a declaration declares.

    What follows a prototype with a syntax error may be its parameters: `int f(ENABLE_IF(a() = 1), ENABLE_IF(b()));`.
    """
    for declarator in node.children_by_field_name("declarator"):
        declared = read_declarator(declarator)
        if declared is not None:
            yield _with_type(node, declared)
            if declared.function is not None and declarator.has_error:
                return


def is_macro_call(enumerator: Node) -> bool:
    """Return whether what looks like a constant of an enum is a macro, whose arguments the grammar cannot read."""
    after = enumerator.next_sibling
    return after is not None and after.is_error and (after.text or b"").startswith(b"(")


def cast_name(name: Node) -> str:
    """Return the name of a conversion to a type, such as `operator bool`; "" for other names."""
    written = name.child_by_field_name("type") if name.type == "operator_cast" else None
    return f"operator {(written.text or b'').decode('utf-8', 'surrogateescape')}" if written is not None else ""


def last_name(name: Node) -> Node:
    """Return the last part of a name: `f` of `a::B<T>::f`, and the name of a template with arguments."""
    for _ in range(_DEEPEST):
        if name.type not in {"qualified_identifier", "template_function", "template_method", "template_type"}:
            break
        inner = name.child_by_field_name("name")
        if inner is None:
            break
        name = inner
    return name


def iter_scopes(name: Node) -> Iterator[Node]:
    """Yield the parts before the last of a qualified name, outermost first; a leading `::` gives none."""
    current: Node | None = name
    for _ in range(_DEEPEST):
        if current is None or current.type != "qualified_identifier":
            return
        scope = current.child_by_field_name("scope")
        if scope is not None:
            yield scope
        current = current.child_by_field_name("name")


class MacroHeader(Struct, frozen=True):
    """A macro in place of a function's header, the class that it adds the function to, and the function's name."""

    macro: Node
    holder: Node | None
    name: Node


def macro_definition(node: Node, declared: Declared) -> MacroHeader | None:
    """Return what a macro in place of a function's header defines, None for a plain function.

    `TEST(Suite, name) {`, `DEFINE_CALL(name, …) {`, and `TEST(name) {`, which C reads as a type before a name. A test
    with a title instead of a name, which is read as `TEST(Suite, ...) {`, has the name of the macro.
    """
    name, written = declared.name, node.child_by_field_name("type")
    if declared.function is None:
        inner = node.child_by_field_name("declarator")
        is_named = inner is not None and inner.type == "parenthesized_declarator" and name.type == "identifier"
        is_macro = written is not None and written.type == "type_identifier" and (written.text or b"").isupper()
        is_whole = node.type == "function_definition" and is_named and is_macro
        return MacroHeader(written, None, name) if is_whole and written is not None else None
    if name.type != "identifier" or written is not None or not (name.text or b"").isupper():
        return None
    listed = list(parameters_of(declared.function))
    given = [parameter.child_by_field_name("type") for parameter in listed]
    plain = [part for part in given if part is not None and part.type == "type_identifier"]
    if not plain or plain[0] != given[0]:
        return None
    if len(listed) == 1 and _is_open(declared.function):
        return MacroHeader(name, plain[0], name)
    is_test = len(plain) == len(given) == _OF_TEST and listed[1].child_by_field_name("declarator") is None
    return MacroHeader(name, plain[0], plain[1]) if is_test else MacroHeader(name, None, plain[0])


def _is_open(function: Node) -> bool:
    """Return whether the parameters of a function end with `...`."""
    listed = function.child_by_field_name("parameters")
    return listed is not None and any(child.type == "..." for child in listed.children)


def is_members_macro(node: Node, declared: Declared, owner: str) -> bool:
    """Return whether a seeming member of a class is a use of a macro.

    `DECLARE(T, name)` is parsed as a method without a type, and `NONCOPYABLE(Store)` without a semicolon as a field
    whose name is in parentheses.
    """
    text = (declared.name.text or b"").decode("utf-8", "surrogateescape")
    written = node.child_by_field_name("type")
    if declared.function is not None:
        return written is None and declared.name.type == "identifier" and text.isupper() and text != owner
    given = node.child_by_field_name("declarator")
    is_given = given is not None and given.type == "parenthesized_declarator" and declared.name in given.named_children
    return is_given and written is not None and written.type == "type_identifier"


def is_made(node: Node, declared: Declared) -> bool:
    """Return whether a seeming prototype defines a static member with names as constructor arguments: `T A::b(c);`.

    Outside of a class a declared name is qualified only in a definition, or in a template.
    """
    around = next((each for each in iter_around(node) if not each.type.startswith("preproc")), None)
    is_within = around is None or around.type not in {"translation_unit", "declaration_list"}
    if declared.function is None or declared.is_callable or is_within or declared.name.type != "qualified_identifier":
        return False
    written, name = node.child_by_field_name("type"), last_name(declared.name)
    if written is None or written.type == "primitive_type" or name.type != "identifier":
        return False
    given = list(parameters_of(declared.function))
    return bool(given) and all(
        each.named_child_count == 1 and each.named_children[0].type in {"type_identifier", "qualified_identifier"}
        for each in given
    )


def has_word(node: Node, *words: bytes) -> bool:
    """Return whether the specifiers of a declaration include one of the words, such as `static` or `typedef`."""
    return any(
        child.text in words
        for child in node.children
        if child.type in {"storage_class_specifier", "type_qualifier", "virtual", "friend"}
    )


def parameters_of(function: Node) -> Iterator[Node]:
    """Yield the parameters that a function declarator lists."""
    yield from code_children(function.child_by_field_name("parameters"))
