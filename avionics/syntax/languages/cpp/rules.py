"""How C++ is read: the rules for its node types."""

from __future__ import annotations

from functools import partial

from msgspec import structs

from avionics.syntax.engine.common_rules import block, constant, ignored, last_child, return_statement
from avionics.syntax.engine.expressions import OWN_OBJECT
from avionics.syntax.engine.textual import TextualScanner
from avionics.syntax.languages.c.macros.macro_bodies import refer_blanked
from avionics.syntax.languages.c.rules import USES
from avionics.syntax.languages.c.textual.free_name_scan import may_be_code
from avionics.syntax.languages.c.textual.include_scan import scan_includes
from avionics.syntax.languages.c.types import tagged_type
from avionics.syntax.languages.cpp import definitions, expressions
from avionics.syntax.languages.cpp.block_repair import GRAMMAR, blank_breaking_code
from avionics.syntax.languages.cpp.macro_shapes import SHAPES, blank_for_cpp
from avionics.syntax.languages.cpp.outline import NESTED, OUTLINE
from avionics.syntax.languages.cpp.spec import SPEC
from avionics.syntax.rules import LanguageRules

RULES = LanguageRules(
    **structs.asdict(SPEC),
    grammar=GRAMMAR,
    outline=OUTLINE,
    nested=NESTED,
    uses={
        **USES,
        "class_specifier": tagged_type,
        "this": constant(OWN_OBJECT),
        "qualified_identifier": expressions.qualified,
        "template_type": expressions.template_type,
        "template_function": expressions.template_function,
        "call_expression": expressions.call_expression,
        "new_expression": expressions.new_expression,
        "delete_expression": last_child(),
        "subscript_expression": expressions.subscript,
        "pointer_expression": expressions.pointer,
        "lambda_expression": expressions.lambda_expression,
        "parameter_pack_expansion": constant(expressions.MORE),
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
    prepare=blank_for_cpp,
    repair=blank_breaking_code,
    may_be_blanked_code=may_be_code,
    blanked_uses=partial(refer_blanked, more=SHAPES),
    textual=TextualScanner(scan_includes=scan_includes),
)
