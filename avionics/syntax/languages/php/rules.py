"""How PHP is read: the rules for its node types."""

from __future__ import annotations

from msgspec import structs

from avionics.syntax.engine.common_rules import ignored, transparent
from avionics.syntax.engine.grammars import Grammar
from avionics.syntax.languages.php import definitions, expressions, names
from avionics.syntax.languages.php.outline import KINDS, OUTLINE
from avionics.syntax.languages.php.spec import SPEC
from avionics.syntax.rules import LanguageRules

RULES = LanguageRules(
    **structs.asdict(SPEC),
    grammar=Grammar("tree_sitter_php", "language_php"),
    outline=OUTLINE,
    nested=frozenset({"if_statement", "compound_statement", "else_clause"}),
    uses={
        **dict.fromkeys((*KINDS, "anonymous_class"), definitions.class_definition),
        **dict.fromkeys(
            ("function_definition", "method_declaration", "anonymous_function", "arrow_function"),
            definitions.function_definition,
        ),
        **dict.fromkeys(("name", "qualified_name", "relative_name"), names.bare),
        **dict.fromkeys(("member_access_expression", "nullsafe_member_access_expression"), expressions.member),
        **dict.fromkeys(
            (
                "function_call_expression", "member_call_expression", "nullsafe_member_call_expression",
                "scoped_call_expression", "object_creation_expression",
            ),
            expressions.call,
        ),
        **dict.fromkeys(("union_type", "optional_type", "intersection_type", "type_list"), names.alternatives),
        **dict.fromkeys(("comment", "primitive_type", "namespace_name", "namespace_definition_name"), ignored),
        "scoped_property_access_expression": expressions.member,
        "class_constant_access_expression": expressions.class_constant,
        "relative_scope": names.relative_scope,
        "named_type": names.named_type,
        "property_declaration": definitions.property_declaration,
        "const_declaration": definitions.constant_declaration,
        "enum_case": definitions.enum_case,
        "namespace_use_clause": definitions.import_clause,
        "variable_name": expressions.variable,
        "assignment_expression": expressions.assignment,
        "augmented_assignment_expression": expressions.augmented_assignment,
        **dict.fromkeys(("global_declaration", "function_static_declaration"), expressions.declared_variables),
        "array_creation_expression": expressions.array_literal,
        "foreach_statement": expressions.foreach_statement,
        "catch_clause": expressions.catch_clause,
        "parenthesized_expression": transparent,
    },
)  # fmt: skip
