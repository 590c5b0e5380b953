"""How Rust is read: the rules for its node types."""

from __future__ import annotations

from msgspec import structs

from avionics.model.enums import ExpressionKind
from avionics.syntax.engine.common_rules import cast, constant, container, ignored, last_child, transparent, wrapped
from avionics.syntax.engine.expressions import OWN_OBJECT, bare_name, typed
from avionics.syntax.engine.grammars import Grammar
from avionics.syntax.engine.uses import READ
from avionics.syntax.languages.rust import definitions, expressions, macros
from avionics.syntax.languages.rust import statements as flow
from avionics.syntax.languages.rust.outline import NESTED, OUTLINE, whole
from avionics.syntax.languages.rust.signatures import CALLS
from avionics.syntax.languages.rust.spec import SPEC
from avionics.syntax.languages.rust.types import TYPES
from avionics.syntax.languages.rust.unknown_syntax import open_try_macros
from avionics.syntax.rules import LanguageRules

_SILENT = (
    "line_comment", "block_comment", "lifetime", "label", "visibility_modifier", "inner_attribute_item",
)  # fmt: skip

RULES = LanguageRules(
    **structs.asdict(SPEC),
    calls=CALLS,
    grammar=Grammar("tree_sitter_rust"),
    prepare=open_try_macros,
    outline=OUTLINE,
    nested=NESTED,
    finish_outline=whole,
    uses={
        **TYPES,
        **dict.fromkeys(_SILENT, ignored),
        **dict.fromkeys(("function_item", "function_signature_item"), definitions.function_item),
        **dict.fromkeys(("struct_item", "union_item"), definitions.struct_item),
        "enum_item": definitions.enum_item,
        "trait_item": definitions.trait_item,
        "impl_item": definitions.impl_item,
        **dict.fromkeys(("type_item", "associated_type"), definitions.alias_item),
        **dict.fromkeys(("const_item", "static_item"), definitions.value_item),
        "mod_item": definitions.mod_item,
        "use_declaration": definitions.use_declaration,
        "extern_crate_declaration": definitions.extern_crate,
        "attribute_item": definitions.attribute_item,
        "macro_definition": macros.macro_definition,
        "macro_invocation": macros.macro_invocation,
        "identifier": expressions.identifier,
        "self": constant(OWN_OBJECT),
        "field_expression": expressions.field_expression,
        "call_expression": expressions.call_expression,
        "generic_function": expressions.generic_function,
        "struct_expression": expressions.struct_expression,
        "try_expression": expressions.try_expression,
        "await_expression": wrapped(ExpressionKind.AWAIT),
        "reference_expression": last_child(None, "mutable_specifier"),
        "unary_expression": last_child(None, "mutable_specifier"),
        "index_expression": expressions.index_expression,
        "type_cast_expression": cast("value", "type"),
        "binary_expression": expressions.binary_expression,
        **dict.fromkeys(("assignment_expression", "compound_assignment_expr"), expressions.assignment),
        "array_expression": expressions.array_expression,
        "tuple_expression": container("tuple"),
        "parenthesized_expression": transparent,
        "closure_expression": expressions.closure,
        "block": flow.block,
        "unsafe_block": last_child(None, "mutable_specifier"),
        "async_block": last_child(None, "mutable_specifier"),
        "expression_statement": last_child(READ),
        "if_expression": flow.if_expression,
        "while_expression": flow.while_expression,
        "for_expression": flow.for_expression,
        "match_expression": flow.match_expression,
        "string_literal": constant(typed(bare_name("str"))),
        "raw_string_literal": constant(typed(bare_name("str"))),
        "boolean_literal": constant(typed(bare_name("bool"))),
    },
)
