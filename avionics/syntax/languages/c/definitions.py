"""Declarations of C and C++: functions, variables, parameters, fields, and the scopes they open."""

from __future__ import annotations

from collections.abc import Collection

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.model.naming import called
from avionics.syntax.engine.expressions import ANYTHING, OWN_OBJECT, item_of
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, field_of
from avionics.syntax.engine.uses import ANNOTATE, CALL, READ, WRITE, UsesBuilder
from avionics.syntax.languages.c.declarators import (
    Declared,
    MacroHeader,
    cast_name,
    has_word,
    is_made,
    is_members_macro,
    iter_declared,
    last_name,
    macro_definition,
    parameters_of,
    read_declarator,
    read_definition,
)
from avionics.syntax.languages.c.expressions import initializer
from avionics.syntax.languages.c.macros.macro_bodies import macro_body
from avionics.syntax.languages.c.types import (
    UNNAMED,
    adding_scope,
    adding_scope_of,
    bind_listed_template_parameters,
    is_static,
    type_of,
    type_scope,
    visit_arguments,
    visit_declarator,
    visit_unnamed,
)

CONSTRUCTOR = "__init__"
_PARAMETERS = frozenset({"parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration"})
_SPECIAL = {"operator[]": "__getitem__", "operator->": "__deref__", "operator()": "__call__"}
"""The names of operators in expressions."""


def function_definition(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a function, and visit its body."""
    define_function(uses, node, scope, scope)


def define_function(uses: UsesBuilder, node: Node, scope: int, within: int) -> None:
    """Bind a function in a scope, and visit its body, which sees the names of the scope that it stands within."""
    declared = read_definition(node)
    is_outside = uses.scopes[scope].symbol < 0 or is_namespace(uses, scope)
    defined = macro_definition(node, declared) if declared is not None and is_outside else None
    if declared is not None and _is_block_macro(uses, node, declared, scope):
        inner = uses.open_block(node, scope)
        _given_to_macro(uses, node, declared, scope, inner)
        uses.visit_body(node, inner)
        return
    if declared is None or (declared.function is None and defined is None):
        uses.visit_children(node, scope)
        return
    if defined is not None:
        inner = _defined_by_macro(uses, node, declared, scope, defined)
    else:
        inner = declare_function(uses, node, declared, scope, within=within if within != scope else -1)
    old_style = [child for child in node.named_children if child.type == "declaration"]
    for child in old_style:
        _old_parameters(uses, child, inner)
    for child in node.named_children:
        if child.type in {"field_initializer_list", "try_statement"}:
            uses.visit(child, inner)
    uses.visit_body(node, inner)


def _is_block_macro(uses: UsesBuilder, node: Node, declared: Declared, scope: int) -> bool:
    """Return whether a seeming function in a function is a macro with a block: `FOR_EACH(item, list) { … }`."""
    is_untyped = declared.function is not None and node.child_by_field_name("type") is None
    is_within = uses.function_of(scope) >= 0 and uses.scopes[scope].kind is not ScopeKind.CLASS
    return is_untyped and declared.name.type == "identifier" and is_within


def _given_to_macro(uses: UsesBuilder, node: Node, declared: Declared, scope: int, inner: int) -> None:
    """Use a macro with its arguments, which look like parameters; one that is written as a parameter declares it.

    A single argument looks like a field in parentheses, of the type that the macro seems to be.
    """
    written_as_type = node.child_by_field_name("type")
    if declared.function is None and written_as_type is not None:
        uses.add_reference(written_as_type, scope, CALL)
        uses.add_reference(declared.name, scope, READ)
    else:
        uses.add_reference(declared.name, scope, CALL)
    if declared.function is not None:
        written = [each for each in parameters_of(declared.function) if each.child_by_field_name("declarator")]
        for parameter in written:
            _parameter(uses, parameter, inner)
        _made_of_names(uses, declared.function, scope, written)


def _defined_by_macro(uses: UsesBuilder, node: Node, declared: Declared, scope: int, defined: MacroHeader) -> int:
    """Bind a function whose header is a call of a macro; a test belongs to the class that the macro is given."""
    holder, name = defined.holder, defined.name
    uses.add_reference(defined.macro, scope, CALL)
    inside, bound_as = scope, ""
    if holder is not None:
        inside = adding_scope_of(uses, uses.name(uses.add_reference(holder, scope, ANNOTATE)), holder, scope)
        # The macro makes the test's name part of another one, so it means the same inside the test and around it.
        bound_as = called(uses.source.of(name))
    uses.bind(name, inside, BindingKind.DEFINITION, bound_as=bound_as)
    own = "this" if holder is not None else ""
    inner = uses.open(ScopeKind.FUNCTION, inside, uses.source.span(node), uses.symbol_at(name), own)
    pending = None
    for parameter in parameters_of(declared.function) if declared.function is not None and holder is None else ():
        written = parameter.child_by_field_name("type")
        if written == name or written is None:
            continue
        if pending is not None and written.type == "type_identifier":
            uses.bind(written, inner, BindingKind.PARAMETER, annotation=pending)
            pending = None
        else:
            pending = uses.visit(written, inner, ANNOTATE)
            bound = read_declarator(parameter.child_by_field_name("declarator") or parameter)
            if bound is not None:
                uses.bind(bound.name, inner, BindingKind.PARAMETER, annotation=pending)
                pending = None
    return inner


def declare_function(uses: UsesBuilder, node: Node, declared: Declared, scope: int, *, within: int = -1) -> int:
    """Bind a function or prototype, with its parameters in a scope of its own; that scope.

    `within` is the scope around that one, where it is not the one that has the function.
    """
    name = last_name(declared.name)
    written = declared.type or node.child_by_field_name("type")
    holder = adding_scope(uses, declared.name, scope)
    is_member = uses.scopes[holder].kind is ScopeKind.CLASS and not is_namespace(uses, holder)
    is_constructor = is_member and name.type in {"identifier", "field_identifier"} and (
        written is None or uses.source.of(name) == _name_of_class(uses, holder)
    )  # fmt: skip
    uses.bind(name, holder, BindingKind.DEFINITION, bound_as=CONSTRUCTOR if is_constructor else cast_name(name))
    special = _SPECIAL.get(uses.source.of(name).replace(" ", "")) if name.type == "operator_name" else None
    if special is not None:
        uses.bind(name, holder, BindingKind.DEFINITION, bound_as=special)
    symbol = uses.symbol_at(name)
    own = "this" if is_member and not is_static(node) else ""
    around = within if within >= 0 else holder
    inner = uses.open(ScopeKind.FUNCTION, around, uses.source.span(node), symbol, own)
    bind_template_parameters(uses, node, inner)
    visit_arguments(uses, declared.name, inner)
    converted = name.child_by_field_name("type")
    result = uses.visit(
        converted or written, inner if converted else _before(uses, node, scope, holder, inner), ANNOTATE
    )
    function = declared.function
    if function is not None:
        bind_parameters(uses, function, inner)
        uses.visit_children(child_of(function, "noexcept"), inner)
        trailing = child_of(function, "trailing_return_type")
        if trailing is not None and trailing.named_child_count:
            result = uses.visit(trailing.named_children[0], inner, ANNOTATE)
    if result is not UNKNOWN and symbol >= 0:
        uses.results[symbol] = result
    visit_declarator(uses, declared, scope)
    return inner


def _before(uses: UsesBuilder, node: Node, scope: int, holder: int, inner: int) -> int:
    """Return the scope of the type before a function's name: `T` of `T A::f()` does not see the names of `A`."""
    if holder == scope:
        return inner
    before = uses.open_block(node, scope)
    bind_template_parameters(uses, node, before)
    return before


def _name_of_class(uses: UsesBuilder, scope: int) -> str:
    """Return the name of the class of a scope: a member of that name is its constructor."""
    symbol, of = uses.scopes[scope].symbol, uses.scopes[scope].of
    return uses.facts.symbols[symbol].name if symbol >= 0 else of.name


def is_namespace(uses: UsesBuilder, scope: int) -> bool:
    """Return whether a class scope is that of a namespace."""
    symbol = uses.scopes[scope].symbol
    return symbol >= 0 and uses.facts.symbols[symbol].kind.value == "module"


def bind_parameters(uses: UsesBuilder, function: Node, inner: int) -> None:
    """Bind the parameters in a function declarator."""
    for parameter in parameters_of(function):
        if parameter.type in _PARAMETERS:
            _parameter(uses, parameter, inner)
        elif parameter.type == "identifier":
            uses.bind(parameter, inner, BindingKind.PARAMETER)
        elif parameter.type == "variadic_parameter" and uses.spec.overloads:
            uses.bind_text(UNNAMED, parameter, inner, BindingKind.VARIADIC)


def _parameter(uses: UsesBuilder, node: Node, inner: int) -> None:
    """Bind a parameter; its type may have the same name and is not the parameter."""
    declarator = node.child_by_field_name("declarator")
    declared = read_declarator(declarator) if declarator is not None else None
    of_type = node.child_by_field_name("type")
    is_alike = declared is not None and of_type is not None and uses.source.of(of_type) == uses.source.of(declared.name)
    around = uses.scopes[inner].parent if is_alike else inner
    written = uses.visit(of_type, around, ANNOTATE)
    default = node.child_by_field_name("default_value")
    is_variadic = node.type.startswith("variadic")
    value = UNKNOWN
    if default is not None:
        found = uses.visit(default, inner)
        value = found if found is not UNKNOWN else ANYTHING
    if declarator is not None and declared is None:
        visit_unnamed(uses, declarator, inner)
    kind = BindingKind.VARIADIC if is_variadic else BindingKind.PARAMETER
    is_void = declarator is None and uses.source.of(node) == "void"
    if declared is None and uses.spec.overloads and not is_void:
        # Overloads are distinguished by the number of their parameters, named or not.
        uses.bind_text(UNNAMED, node, inner, kind, value=UNKNOWN if is_variadic else value, annotation=written)
    if declared is not None:
        visit_declarator(uses, declared, inner, is_type=True)
        is_callable = declared.is_callable or declared.function is not None
        of = Expression(ExpressionKind.FUNCTION, "", (written,)) if is_callable and written is not UNKNOWN else written
        uses.bind(
            declared.name,
            inner,
            kind,
            within=type_scope(uses, around, of.name),
            value=UNKNOWN if is_variadic else value,
            annotation=of,
        )


def _old_parameters(uses: UsesBuilder, node: Node, inner: int) -> None:
    """Bind parameters whose types are declared after the header, as before C89."""
    written = uses.visit_field(node, "type", inner, ANNOTATE)
    for declared in iter_declared(node):
        uses.bind(
            declared.name, inner, BindingKind.ASSIGNMENT, within=type_scope(uses, inner, written.name),
            annotation=type_of(declared, written),
        )  # fmt: skip


def declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind variables and prototypes."""
    found = list(iter_declared(node))
    if _misread_members(uses, node, found, scope) or _misread_call(uses, node, scope) or _misread_friend(uses, node):
        return
    is_in_class = uses.scopes[scope].kind is ScopeKind.CLASS and not is_namespace(uses, scope)
    if found and is_in_class and is_members_macro(node, found[0], _name_of_class(uses, scope)):
        _given_to_macro(uses, node, found[0], scope, uses.open_block(node, scope))
        return
    if uses.function_of(scope) >= 0 and has_word(node, b"extern"):
        _declared_elsewhere(uses, node, found, scope)
        return
    written: Expression = UNKNOWN
    inner = _template_scope(uses, node, scope) if found and found[-1].function is None else scope
    if found and found[0].function is not None and not found[0].is_callable:
        if _is_local(uses, scope) or is_made(node, found[0]):
            _made_of_names(uses, found[0].function, scope)
            written = _made(uses, node, scope)
        else:
            declare_function(uses, node, found[0], scope)
            found = found[1:]
    elif found and found[0].value is not None and found[0].value.type == "argument_list":
        written = _made(uses, node, scope)
    else:
        written = uses.visit_field(node, "type", inner, ANNOTATE)
    for declared in found:
        variable(uses, declared, node, scope, written, inner)


def _template_scope(uses: UsesBuilder, node: Node, scope: int) -> int:
    """Return the scope in which the declaration of a variable is read: its own if it is a template."""
    if node.parent is None or node.parent.type != "template_declaration":
        return scope
    inner = uses.open_block(node, scope)
    bind_template_parameters(uses, node, inner)
    return inner


_NAMES = frozenset({"identifier", "type_identifier", "field_identifier"})


def _misread_call(uses: UsesBuilder, node: Node, scope: int) -> bool:
    """Visit `MACRO(f(a) is b);` in a function, which was read as a declaration of `f`. Returns whether it was."""
    written, given = node.child_by_field_name("type"), node.child_by_field_name("declarator")
    function = given.named_children[0] if given is not None and given.type == "parenthesized_declarator" else None
    name = field_of(function, "declarator")
    if uses.function_of(scope) < 0 or written is None or function is None or function.type != "function_declarator":
        return False
    rest = function.named_children[2:]
    if not rest or name is None or any(each.type not in {"identifier", "call_expression"} for each in (name, *rest)):
        return False
    uses.add_reference(written, scope, CALL)
    uses.add_reference(name, scope, CALL)
    _made_of_names(uses, function, scope)
    for each in rest:
        uses.visit(each, scope)
    return True


def _misread_members(uses: UsesBuilder, node: Node, found: list[Declared], scope: int) -> bool:
    """Visit `owner.name = value;` that was read as a declaration near a syntax error; return whether it was."""
    return len(found) == 1 and _misread_member(uses, node, found[0], scope, WRITE)


def _misread_member(uses: UsesBuilder, node: Node, declared: Declared, scope: int, role: ReferenceKind) -> bool:
    """Visit `owner.name` that was read as the declaration of `name` near a syntax error; return whether it was."""
    written = node.child_by_field_name("type")
    between = next((child for child in node.children if child.is_error), None)
    text = between.text or b"" if between is not None else b""
    if written is None or between is None or not text.endswith((b".", b"->")):
        return False
    if declared.name.type != "identifier":
        return False
    parts = list(between.named_children)
    if text.startswith((b".", b"->")):
        parts.insert(0, written)
    else:
        uses.visit(written, scope, ANNOTATE)
    owner = UNKNOWN
    for number, part in enumerate(parts):
        if part.type not in _NAMES:
            owner = uses.visit(part, scope)
        elif not number and uses.source.of(part) == "this":
            owner = OWN_OBJECT
        else:
            owner = (
                uses.member(part, scope, READ, owner) if number else uses.name(uses.add_reference(part, scope, READ))
            )
    uses.member(declared.name, scope, role if declared.function is None else CALL, owner)
    if declared.function is not None:
        _made_of_names(uses, declared.function, scope)
    if declared.value is not None:
        uses.visit(declared.value, scope)
    return True


def _misread_friend(uses: UsesBuilder, node: Node) -> bool:
    """Return whether `friend class Box;` was read as a declaration: the head of the class around it was not read.

    Nothing is bound or used then, so that the names in it may mean anything.
    """
    written = node.child_by_field_name("type")
    return written is not None and uses.source.of(written) == "friend"


def _declared_elsewhere(uses: UsesBuilder, node: Node, found: list[Declared], scope: int) -> None:
    """Visit `extern int level;` in a function, which binds no name of its own but refers to one of the program."""
    uses.visit_field(node, "type", scope, ANNOTATE)
    for declared in found:
        uses.add_reference(last_name(declared.name), scope, ReferenceKind.IMPORT)
        visit_declarator(uses, declared, scope)
        if declared.function is not None:
            bind_parameters(uses, declared.function, uses.open(ScopeKind.FUNCTION, scope, uses.source.span(node)))


def _is_local(uses: UsesBuilder, scope: int) -> bool:
    """Return whether `T name(…);` stands in a C++ function, where it declares a variable with constructor arguments."""
    return uses.spec.name != "c" and uses.function_of(scope) >= 0


def _made(uses: UsesBuilder, node: Node, scope: int) -> Expression:
    """Read the type of a variable that is declared with the arguments of its constructor, or of a reference to one."""
    written, declarator = node.child_by_field_name("type"), node.child_by_field_name("declarator")
    if declarator is not None and declarator.type == "reference_declarator":
        return uses.visit(written, scope, ANNOTATE)
    is_named = written is not None and written.type in {"type_identifier", "qualified_identifier", "template_type"}
    return uses.visit(written, scope, CALL if is_named else ANNOTATE)


def _made_of_names(uses: UsesBuilder, function: Node, scope: int, passed_over: Collection[Node] = ()) -> None:
    """Use the arguments in `T name(a, b)`, which look like the types of a prototype's parameters."""
    for parameter in (each for each in parameters_of(function) if each not in passed_over):
        written, declarator = parameter.child_by_field_name("type"), parameter.child_by_field_name("declarator")
        declared = read_declarator(declarator) if declarator is not None and parameter.has_error else None
        if written is not None and written.type == "type_identifier" and declarator is None:
            uses.add_reference(written, scope, READ)
        elif declared is None or not _misread_member(uses, parameter, declared, scope, READ):
            uses.visit_children(parameter, scope)


def variable(uses: UsesBuilder, declared: Declared, node: Node, scope: int, written: Expression, inner: int) -> None:
    """Bind a variable or field, and visit what initializes it in the scope `inner`."""
    visit_declarator(uses, declared, inner)
    of = type_of(declared, written)
    value = _initial(uses, declared, inner, of) if declared.value is not None else UNKNOWN
    default = node.child_by_field_name("default_value") or node.child_by_field_name("value")
    if default is not None:
        value = uses.visit(default, inner)
    visit_arguments(uses, declared.name, inner)
    uses.visit_children(child_of(node, "bitfield_clause"), inner)
    if declared.name.type == "qualified_identifier":
        outer = adding_scope(uses, declared.name, scope)
        uses.bind(last_name(declared.name), outer, BindingKind.ASSIGNMENT, within=inner, annotation=of, value=value)
        return
    variable_of(uses, declared.name, scope, of, value, inner)


def variable_of(uses: UsesBuilder, name: Node, scope: int, of: Expression, value: Expression, inner: int = -1) -> None:
    """Bind a variable by its type or, if it has none, by its value, read in the scope `inner` or its own."""
    within = type_scope(uses, scope if inner < 0 else inner, of.name)
    if name.type == "structured_binding_declarator":
        for position, part in enumerate(name.named_children):
            uses.bind(part, scope, BindingKind.ASSIGNMENT, value=item_of(value, position))
    elif of is UNKNOWN or of.kind is ExpressionKind.OBJECT:
        uses.bind(
            name,
            scope,
            BindingKind.ASSIGNMENT,
            within=within if of is not UNKNOWN else -1,
            value=value if of is UNKNOWN else of,
        )
    else:
        uses.bind(name, scope, BindingKind.ASSIGNMENT, within=within, annotation=of)


def _initial(uses: UsesBuilder, declared: Declared, scope: int, of: Expression) -> Expression:
    """Read the initial value of a variable."""
    value = declared.value
    if value is None:
        return UNKNOWN
    if value.type == "initializer_list":
        typed = of if of.kind is ExpressionKind.OBJECT else Expression(ExpressionKind.TYPED, "", (of,))
        initializer(uses, value, scope, typed if of is not UNKNOWN else UNKNOWN, declared.arrays)
        return UNKNOWN
    return uses.visit(value, scope)


def field_declaration(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind fields and, in C++, methods; those of an anonymous struct or union are fields of the type around it."""
    written = node.child_by_field_name("type")
    is_anonymous = (
        written is not None
        and written.type != "enum_specifier"
        and written.child_by_field_name("body") is not None
        and written.child_by_field_name("name") is None
        and node.child_by_field_name("declarator") is None
    )
    if written is not None and is_anonymous:
        uses.visit_body(written, scope)
    else:
        declaration(uses, node, scope, role)


def bind_template_parameters(uses: UsesBuilder, node: Node, inner: int) -> None:
    """Bind the parameters of a definition that is a template, and of the templates around a member."""
    outer = node.parent
    if outer is not None and outer.type == "friend_declaration":
        outer = outer.parent
    if outer is not None and outer.type == "template_declaration":
        bind_template_parameters(uses, outer, inner)
        bind_listed_template_parameters(uses, outer, inner)


def macro(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind a macro, which the whole file sees."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    uses.bind(name, 0, BindingKind.DEFINITION)
    if value is not None:
        macro_body(uses, value, node.child_by_field_name("parameters"))


def directive(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Use the macro of `#undef NAME`; other directives use no names."""
    name, given = node.child_by_field_name("directive"), node.child_by_field_name("argument")
    if name is not None and given is not None and uses.source.of(name).endswith("undef"):
        uses.add_reference(given, 0, ReferenceKind.DELETE, sought_as=uses.source.of(given).strip())
