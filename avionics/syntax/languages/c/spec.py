"""How C is read: the rule of every node type."""

from __future__ import annotations

from collections.abc import Mapping

from avionics.model.reasons import ReasonKind
from avionics.syntax.engine.grammars import Grammar
from avionics.syntax.engine.uses import UsesRule
from avionics.syntax.languages.c.definitions import (
    block,
    declaration,
    directive,
    field_declaration,
    function_definition,
    ignored,
    macro,
    return_statement,
)
from avionics.syntax.languages.c.dialect import written_in
from avionics.syntax.languages.c.expressions import (
    assignment,
    binary,
    call_expression,
    cast,
    comma,
    compound_literal,
    conditional,
    initializer_list,
    member,
    name_use,
    number,
    offsetof,
    parenthesized,
    text,
    transparent,
    update,
)
from avionics.syntax.languages.c.macro_bodies import blank_macros, refer_blanked
from avionics.syntax.languages.c.outline import NESTED, OUTLINE
from avionics.syntax.languages.c.signatures import BUILTIN_NAMES, CALLS
from avionics.syntax.languages.c.textual.scanner import CScanner
from avionics.syntax.languages.c.types import plain_type, tagged_type, type_definition, type_descriptor, type_name
from avionics.syntax.languages.distributions import of_header
from avionics.syntax.spec import LanguageSpec

USES: Mapping[str, UsesRule] = {
    "identifier": name_use,
    "type_identifier": type_name,
    "primitive_type": plain_type,
    "sized_type_specifier": plain_type,
    "struct_specifier": tagged_type,
    "union_specifier": tagged_type,
    "enum_specifier": tagged_type,
    "type_definition": type_definition,
    "type_descriptor": type_descriptor,
    "function_definition": function_definition,
    "declaration": declaration,
    "field_declaration": field_declaration,
    "compound_statement": block,
    "for_statement": block,
    "return_statement": return_statement,
    "field_expression": member,
    "call_expression": call_expression,
    "subscript_expression": transparent("argument"),
    "pointer_expression": transparent("argument"),
    "parenthesized_expression": parenthesized,
    "assignment_expression": assignment,
    "update_expression": update,
    "binary_expression": binary,
    "unary_expression": number,
    "sizeof_expression": number,
    "number_literal": number,
    "char_literal": ignored,
    "string_literal": ignored,
    "concatenated_string": text,
    "conditional_expression": conditional,
    "comma_expression": comma,
    "cast_expression": cast,
    "compound_literal_expression": compound_literal,
    "initializer_list": initializer_list,
    "offsetof_expression": offsetof,
    "preproc_def": macro,
    "preproc_function_def": macro,
    "preproc_call": directive,
    "preproc_include": ignored,
    "attribute_specifier": ignored,
}

SPEC = LanguageSpec(
    name="c",
    calls=CALLS,
    builtin_names=BUILTIN_NAMES,
    grammar=Grammar("tree_sitter_c"),
    module_system="c_includes",
    distribution=of_header,
    outline=OUTLINE,
    nested=NESTED,
    uses=USES,
    open_classes=True,
    static_types=True,
    refine=written_in,
    prepare=blank_macros,
    blanked_uses=refer_blanked,
    import_aliases=False,
    linkage=True,
    text_mention_reason=ReasonKind.MACRO_TEXT,
    textual=CScanner(),
)
