"""How Go is read: the rules for its node types."""

from __future__ import annotations

from msgspec import structs

from avionics.syntax.engine.common_rules import cast, ignored, literal, member, name_use, transparent
from avionics.syntax.engine.grammars import Grammar
from avionics.syntax.languages.go import assignments, definitions, expressions, statements
from avionics.syntax.languages.go.conversions import iter_conversions
from avionics.syntax.languages.go.import_texts import IMPORT_TEXTS
from avionics.syntax.languages.go.outline import NESTED, OUTLINE
from avionics.syntax.languages.go.signatures import CALLS
from avionics.syntax.languages.go.spec import SPEC
from avionics.syntax.languages.go.types import TYPES
from avionics.syntax.languages.go.unknown_syntax import open_new_of_values
from avionics.syntax.rules import LanguageRules

_STRING, _BOOLEAN = literal("string"), literal("bool")

RULES = LanguageRules(
    **structs.asdict(SPEC),
    calls=CALLS,
    conversions=iter_conversions,
    import_texts=IMPORT_TEXTS,
    grammar=Grammar("tree_sitter_go"),
    prepare=open_new_of_values,
    outline=OUTLINE,
    nested=NESTED,
    uses={
        "package_clause": ignored,
        "identifier": expressions.identifier,
        **dict.fromkeys(("type_identifier", "package_identifier"), name_use),
        "selector_expression": member("operand", "field"),
        "qualified_type": member("package", "name"),
        "parenthesized_expression": transparent,
        "call_expression": expressions.call,
        "type_conversion_expression": expressions.conversion,
        "type_assertion_expression": cast("operand", "type"),
        "index_expression": expressions.index,
        "slice_expression": expressions.part_of_slice,
        "unary_expression": expressions.unary,
        "binary_expression": expressions.binary,
        "composite_literal": expressions.composite_literal,
        "literal_value": expressions.literal_value,
        "variadic_argument": expressions.variadic,
        "func_literal": definitions.function_literal,
        **dict.fromkeys(("interpreted_string_literal", "raw_string_literal"), _STRING),
        "rune_literal": literal("rune"),
        **dict.fromkeys(("int_literal", "iota"), literal("int")),
        "float_literal": literal("float64"),
        "imaginary_literal": literal("complex128"),
        **dict.fromkeys(("true", "false"), _BOOLEAN),
        "nil": literal("None"),
        **TYPES,
        "import_spec": definitions.import_spec,
        "function_declaration": definitions.function_declaration,
        "method_declaration": definitions.method_declaration,
        "type_spec": definitions.type_spec,
        "type_alias": definitions.type_alias,
        "const_declaration": assignments.constants,
        "var_declaration": assignments.variables,
        "assignment_statement": assignments.assignment,
        **dict.fromkeys(("inc_statement", "dec_statement"), assignments.step),
        **dict.fromkeys(("block", "select_statement"), statements.block),
        **dict.fromkeys(("if_statement", "expression_switch_statement"), statements.guarded),
        "type_switch_statement": statements.type_switch,
        **dict.fromkeys(("expression_case", "default_case", "communication_case"), statements.case),
        "for_statement": statements.loop,
    },
)
