"""How Java is read: the rules for its node types."""

from __future__ import annotations

from msgspec import structs

from avionics.syntax.engine import common_rules as common
from avionics.syntax.engine.expressions import OWN_OBJECT, SUPER
from avionics.syntax.engine.grammars import Grammar
from avionics.syntax.engine.uses import ANNOTATE, WRITE
from avionics.syntax.languages.java import definitions, expressions, names
from avionics.syntax.languages.java import statements as flow
from avionics.syntax.languages.java.import_texts import IMPORT_TEXTS
from avionics.syntax.languages.java.outline import NESTED, OUTLINE
from avionics.syntax.languages.java.signatures import CALLS
from avionics.syntax.languages.java.spec import SPEC
from avionics.syntax.rules import LanguageRules

RULES = LanguageRules(
    **structs.asdict(SPEC),
    calls=CALLS,
    import_texts=IMPORT_TEXTS,
    grammar=Grammar("tree_sitter_java"),
    outline=OUTLINE,
    nested=NESTED,
    uses={
        "package_declaration": names.package_declaration,
        "import_declaration": names.import_declaration,
        **dict.fromkeys(("marker_annotation", "annotation"), names.annotation),
        "type_identifier": names.type_identifier,
        "scoped_type_identifier": names.scoped_type,
        "generic_type": names.generic_type,
        "array_type": names.array_type,
        "annotated_type": common.last_child(),
        "wildcard": common.last_child(ANNOTATE, "super"),
        **dict.fromkeys(("integral_type", "floating_point_type", "boolean_type", "void_type"), common.undeclared_name),
        "scoped_identifier": names.scoped_identifier,
        **dict.fromkeys(
            ("requires_module_directive", "exports_module_directive", "opens_module_directive"), common.ignored
        ),
        **dict.fromkeys(("break_statement", "continue_statement"), common.ignored),
        **dict.fromkeys(("class_declaration", "record_declaration"), definitions.type_declaration),
        **dict.fromkeys(("interface_declaration", "annotation_type_declaration"), definitions.type_declaration),
        "enum_declaration": definitions.type_declaration,
        "enum_constant": definitions.enum_constant,
        **dict.fromkeys(("method_declaration", "annotation_type_element_declaration"), definitions.method_declaration),
        "constructor_declaration": definitions.constructor_declaration,
        "compact_constructor_declaration": definitions.constructor_declaration,
        **dict.fromkeys(("field_declaration", "constant_declaration"), definitions.field_declaration),
        "static_initializer": definitions.initializer,
        "block": definitions.block,
        "lambda_expression": definitions.lambda_expression,
        "identifier": common.name_use,
        "this": common.constant(OWN_OBJECT),
        "super": common.constant(SUPER),
        "field_access": expressions.field_access,
        "method_invocation": expressions.method_invocation,
        "explicit_constructor_invocation": expressions.constructor_invocation,
        "object_creation_expression": expressions.object_creation,
        "array_creation_expression": expressions.array_creation,
        "method_reference": expressions.method_reference,
        "array_access": common.subscript("array", "index"),
        "class_literal": expressions.class_literal,
        "cast_expression": expressions.cast,
        "assignment_expression": common.assignment,
        "update_expression": common.last_child(WRITE),
        "unary_expression": expressions.unary,
        "binary_expression": expressions.binary,
        "ternary_expression": common.ternary,
        "parenthesized_expression": common.transparent,
        "string_literal": common.constant(names.TEXT),
        "character_literal": common.literal("char"),
        **dict.fromkeys(("decimal_integer_literal", "hex_integer_literal"), expressions.number),
        **dict.fromkeys(("octal_integer_literal", "binary_integer_literal"), expressions.number),
        "decimal_floating_point_literal": expressions.number,
        **dict.fromkeys(("true", "false"), common.literal("boolean")),
        "null_literal": common.literal("None"),
        "local_variable_declaration": flow.local_variable,
        "if_statement": flow.if_statement,
        "for_statement": common.block,
        "enhanced_for_statement": flow.enhanced_for,
        "try_with_resources_statement": flow.try_with_resources,
        "resource": flow.resource,
        "catch_clause": flow.catch_clause,
        "switch_expression": flow.switch,
        "instanceof_expression": flow.instanceof,
        **dict.fromkeys(("type_pattern", "record_pattern", "record_pattern_component"), flow.pattern),
        "return_statement": common.return_statement,
        "labeled_statement": common.labeled,
    },
)
