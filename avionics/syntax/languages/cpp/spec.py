"""How C++ is read: the rules for its node types."""

from __future__ import annotations

from avionics.model.reasons import ReasonKind
from avionics.syntax.engine.common_rules import block, ignored, last_child, return_statement
from avionics.syntax.languages.c.macro_bodies import blank_macros, refer_blanked
from avionics.syntax.languages.c.spec import USES
from avionics.syntax.languages.c.textual.free_name_scan import may_be_code
from avionics.syntax.languages.c.textual.scanner import IncludeScanner
from avionics.syntax.languages.c.types import tagged_type
from avionics.syntax.languages.cpp import definitions, expressions
from avionics.syntax.languages.cpp.block_repair import GRAMMAR, blank_breaking_code
from avionics.syntax.languages.cpp.outline import NESTED, OUTLINE
from avionics.syntax.languages.distributions import of_header
from avionics.syntax.spec import LanguageSpec

SPEC = LanguageSpec(
    name="cpp",
    jumps=frozenset({"goto"}),
    grammar=GRAMMAR,
    module_system="c_includes",
    distribution=of_header,
    outline=OUTLINE,
    nested=NESTED,
    uses={
        **USES,
        "class_specifier": tagged_type,
        "this": expressions.this,
        "qualified_identifier": expressions.qualified,
        "template_type": expressions.template_type,
        "template_function": expressions.template_function,
        "call_expression": expressions.call_expression,
        "new_expression": expressions.new_expression,
        "delete_expression": last_child(),
        "subscript_expression": expressions.subscript,
        "pointer_expression": expressions.pointer,
        "lambda_expression": expressions.lambda_expression,
        "parameter_pack_expansion": expressions.pack,
        **dict.fromkeys(("decltype", "placeholder_type_specifier"), expressions.decltype),
        "namespace_definition": definitions.namespace,
        "alias_declaration": definitions.alias,
        "namespace_alias_definition": definitions.namespace_alias,
        "using_declaration": definitions.using,
        "template_declaration": definitions.template,
        "concept_definition": definitions.concept,
        "field_initializer_list": definitions.initializers,
        "for_range_loop": definitions.for_range,
        "catch_clause": definitions.catch,
        "friend_declaration": definitions.friend,
        **dict.fromkeys(("if_statement", "while_statement", "switch_statement"), block),
        "attribute_declaration": ignored,
        "return_statement": return_statement,
        "preproc_def": definitions.macro,
    },
    called_members=(
        r"begin|end|await_(?:ready|suspend|resume)|(?:initial|final)_suspend|return_(?:value|void)|yield_value|"
        r"get_return_object|unhandled_exception"
    ),
    implicit_members=True,
    overloads=True,
    # https://en.cppreference.com/w/cpp/language/sfinae
    conditional_functions=r"\b(?:decltype|enable_if\w*|requires|void_t)\b|\btypename\s[\w<>,\s]{0,200}::",
    silent_construction=True,
    late_locals=True,
    open_classes=True,
    static_types=True,
    dereferences=True,
    pointers=True,
    stub="cpp.hpp",
    prepare=blank_macros,
    repair=blank_breaking_code,
    may_be_blanked_code=may_be_code,
    blanked_uses=refer_blanked,
    linkage=True,
    text_mention_reason=ReasonKind.MACRO_TEXT,
    textual=IncludeScanner(),
)
