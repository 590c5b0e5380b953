"""How Kotlin is read: the rules for its node types."""

from __future__ import annotations

from msgspec import structs

from avionics.syntax.engine.common_rules import block, cast, ignored, literal, transparent
from avionics.syntax.languages.kotlin import definitions as declarations
from avionics.syntax.languages.kotlin import expressions, types
from avionics.syntax.languages.kotlin.outline import NESTED, OUTLINE
from avionics.syntax.languages.kotlin.spec import SPEC
from avionics.syntax.languages.kotlin.tree_repair import GRAMMAR, change_misread
from avionics.syntax.rules import LanguageRules

RULES = LanguageRules(
    **structs.asdict(SPEC),
    grammar=GRAMMAR,
    repair=change_misread,
    outline=OUTLINE,
    nested=NESTED,
    uses={
        **dict.fromkeys(("package_header", "label"), ignored),
        "import": expressions.import_header,
        **dict.fromkeys(("annotation", "file_annotation"), types.annotation),
        "user_type": types.user_type,
        **dict.fromkeys(("nullable_type", "parenthesized_type", "non_nullable_type"), types.inner_type),
        "function_type": types.function_type,
        **dict.fromkeys(("class_declaration", "object_declaration"), declarations.class_declaration),
        "function_declaration": declarations.function_declaration,
        "anonymous_function": declarations.anonymous_function,
        "property_declaration": declarations.property_declaration,
        **dict.fromkeys(("secondary_constructor", "anonymous_initializer"), declarations.constructor_declaration),
        "object_literal": declarations.object_literal,
        "lambda_literal": declarations.lambda_literal,
        "type_alias": declarations.type_alias,
        "block": block,
        "identifier": expressions.identifier,
        "navigation_expression": expressions.navigation,
        "call_expression": expressions.call,
        "this_expression": expressions.this_expression,
        "super_expression": expressions.super_expression,
        "index_expression": expressions.index,
        "as_expression": cast("left", "right"),
        **dict.fromkeys(("is_expression", "type_test"), expressions.type_test),
        "assignment": expressions.assignment,
        "unary_expression": expressions.unary,
        "binary_expression": expressions.binary,
        "infix_expression": expressions.infix,
        "parenthesized_expression": transparent,
        "if_expression": expressions.conditional,
        "when_expression": expressions.when,
        "for_statement": expressions.for_statement,
        "catch_block": expressions.catch_block,
        "return_expression": expressions.returned,
        "labeled_expression": expressions.labeled,
        **dict.fromkeys(("string_literal", "multiline_string_literal"), expressions.string),
        "number_literal": literal("Int"),
        "float_literal": literal("Double"),
        "character_literal": literal("Char"),
    },
)
