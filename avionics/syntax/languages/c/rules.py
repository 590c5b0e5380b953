"""How C is read: the rules for its node types."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from msgspec import structs

from avionics.syntax.engine.common_rules import block, cast, ignored, last_child, literal
from avionics.syntax.engine.free_names import pack_free_names
from avionics.syntax.engine.grammars import Grammar
from avionics.syntax.engine.textual import TextualScanner
from avionics.syntax.engine.uses import READ, WRITE, UsesRule
from avionics.syntax.import_texts import ImportTexts, Sharing
from avionics.syntax.languages.c import definitions, expressions, types
from avionics.syntax.languages.c.dialect import written_in
from avionics.syntax.languages.c.macros.macro_bodies import blank_for_c, refer_blanked
from avionics.syntax.languages.c.outline import NESTED, OUTLINE
from avionics.syntax.languages.c.signatures import CALLS
from avionics.syntax.languages.c.spec import SPEC
from avionics.syntax.languages.c.textual.free_name_scan import is_outermost, may_be_code, scan_free_names
from avionics.syntax.languages.c.textual.include_scan import scan_includes
from avionics.syntax.languages.c.textual.token_context import classify_token
from avionics.syntax.rules import LanguageRules

USES: Mapping[str, UsesRule] = {
    "identifier": expressions.name_use,
    "type_identifier": types.type_name,
    **dict.fromkeys(("primitive_type", "sized_type_specifier"), types.plain_type),
    **dict.fromkeys(("struct_specifier", "union_specifier", "enum_specifier"), types.tagged_type),
    "type_definition": types.type_definition,
    "type_descriptor": types.type_descriptor,
    "function_definition": definitions.function_definition,
    "declaration": definitions.declaration,
    "field_declaration": definitions.field_declaration,
    **dict.fromkeys(("compound_statement", "for_statement"), block),
    "field_expression": expressions.member,
    "call_expression": expressions.call_expression,
    **dict.fromkeys(("subscript_expression", "pointer_expression"), expressions.transparent("argument")),
    "parenthesized_expression": last_child(),
    "assignment_expression": expressions.assignment,
    "update_expression": last_child(WRITE),
    "binary_expression": expressions.binary,
    **dict.fromkeys(("unary_expression", "sizeof_expression", "number_literal"), literal("int")),
    **dict.fromkeys(("char_literal", "string_literal", "preproc_include", "attribute_specifier"), ignored),
    "concatenated_string": literal("str"),
    "conditional_expression": expressions.conditional,
    "comma_expression": last_child(READ),
    "cast_expression": cast("value", "type", is_type_first=True),
    "compound_literal_expression": expressions.compound_literal,
    "initializer_list": expressions.initializer_list,
    "offsetof_expression": expressions.offsetof,
    **dict.fromkeys(("preproc_def", "preproc_function_def"), definitions.macro),
    "preproc_call": definitions.directive,
}

RULES = LanguageRules(
    **structs.asdict(SPEC),
    calls=CALLS,
    import_texts=ImportTexts(lambda node: node.type == "preproc_include", Sharing.LINKER, copy=str),
    grammar=Grammar("tree_sitter_c"),
    outline=OUTLINE,
    nested=NESTED,
    uses=USES,
    refine=written_in,
    prepare=blank_for_c,
    may_be_blanked_code=may_be_code,
    blanked_uses=refer_blanked,
    textual=TextualScanner(
        classify_token=classify_token,
        scan_includes=scan_includes,
        scan_free_names=scan_free_names,
        pack_free_names=partial(pack_free_names, is_outermost=is_outermost),
        may_be_code=may_be_code,
        is_outermost=is_outermost,
    ),
)
