"""How C# is read: the rules for its node types."""

from __future__ import annotations

from msgspec import structs

from avionics.model.enums import ExpressionKind
from avionics.syntax.engine import common_rules as common
from avionics.syntax.engine.expressions import OWN_OBJECT, SUPER
from avionics.syntax.engine.grammars import Grammar
from avionics.syntax.engine.uses import ANNOTATE
from avionics.syntax.languages.csharp import definitions as declarations
from avionics.syntax.languages.csharp import expressions, types
from avionics.syntax.languages.csharp.outline import NESTED, OUTLINE, open_branches
from avionics.syntax.languages.csharp.spec import SPEC
from avionics.syntax.rules import LanguageRules

_TYPES = ("class_declaration", "struct_declaration", "record_declaration", "interface_declaration", "enum_declaration")

_METHODS = ("method_declaration", "constructor_declaration", "local_function_statement")

_OPERATORS = ("operator_declaration", "conversion_operator_declaration", "destructor_declaration")

_PROPERTIES = ("property_declaration", "indexer_declaration", "event_declaration")

_BLOCKS = ("block", "for_statement", "using_statement", "switch_section", "fixed_statement")

RULES = LanguageRules(
    **structs.asdict(SPEC),
    grammar=Grammar("tree_sitter_c_sharp"),
    prepare=open_branches,
    outline=OUTLINE,
    nested=NESTED,
    uses={
        "using_directive": types.using_directive,
        **dict.fromkeys(("namespace_declaration", "file_scoped_namespace_declaration"), declarations.namespace),
        "attribute": types.attribute,
        "identifier": common.name_use,
        "predefined_type": common.undeclared_name,
        **dict.fromkeys(("implicit_type", "goto_statement"), common.ignored),
        "generic_name": types.generic_name,
        "qualified_name": types.qualified_name,
        **dict.fromkeys(("nullable_type", "ref_type", "pointer_type"), common.last_child(ANNOTATE)),
        "array_type": types.array_type,
        "tuple_type": types.tuple_type,
        **dict.fromkeys(_TYPES, declarations.type_declaration),
        **dict.fromkeys(_METHODS, declarations.method_declaration),
        **dict.fromkeys(_OPERATORS, declarations.operator_declaration),
        **dict.fromkeys(_PROPERTIES, declarations.property_declaration),
        **dict.fromkeys(("field_declaration", "event_field_declaration"), declarations.field_declaration),
        "variable_declaration": declarations.variable_declaration,
        "delegate_declaration": declarations.delegate_declaration,
        **dict.fromkeys(("lambda_expression", "anonymous_method_expression"), declarations.lambda_expression),
        **dict.fromkeys(_BLOCKS, common.block),
        "this": common.constant(OWN_OBJECT),
        "base": common.constant(SUPER),
        "member_access_expression": expressions.member_access,
        "conditional_access_expression": expressions.conditional_access,
        "invocation_expression": expressions.invocation,
        "argument": expressions.argument,
        "object_creation_expression": expressions.object_creation,
        "implicit_object_creation_expression": expressions.implicit_creation,
        "array_creation_expression": expressions.array_creation,
        "element_access_expression": expressions.element_access,
        "cast_expression": common.cast("value", "type"),
        "as_expression": common.cast("left", "right"),
        **dict.fromkeys(("typeof_expression", "default_expression"), expressions.type_of),
        "assignment_expression": common.assignment,
        **dict.fromkeys(("prefix_unary_expression", "postfix_unary_expression"), expressions.unary),
        "binary_expression": expressions.binary,
        "conditional_expression": common.ternary,
        "parenthesized_expression": common.transparent,
        "switch_expression": expressions.switch_expression,
        "is_pattern_expression": expressions.pattern_test,
        "constant_pattern": expressions.constant_pattern,
        **dict.fromkeys(("declaration_pattern", "declaration_expression"), expressions.declaration),
        "is_expression": expressions.type_test,
        "recursive_pattern": expressions.recursive_pattern,
        "foreach_statement": expressions.foreach_statement,
        "query_expression": expressions.query_expression,
        "from_clause": expressions.from_clause,
        "let_clause": expressions.let_clause,
        "join_clause": expressions.join_clause,
        "catch_clause": expressions.catch_clause,
        "return_statement": common.return_statement,
        "await_expression": common.wrapped(ExpressionKind.AWAIT),
        "interpolated_string_expression": common.literal("string"),
        "string_literal": common.literal("string"),
        "verbatim_string_literal": common.literal("string"),
        "raw_string_literal": common.literal("string"),
        "character_literal": common.literal("char"),
        "integer_literal": common.literal("int"),
        "real_literal": common.literal("double"),
        "boolean_literal": common.literal("bool"),
        "null_literal": common.literal("None"),
        "labeled_statement": common.labeled,
    },
)
