"""How C++ is read: the rule of every node type."""

from __future__ import annotations

from avionics.model.reasons import ReasonKind
from avionics.syntax.engine.grammars import Grammar
from avionics.syntax.languages.c.definitions import block, ignored
from avionics.syntax.languages.c.expressions import parenthesized
from avionics.syntax.languages.c.macro_bodies import blank_macros, refer_blanked
from avionics.syntax.languages.c.spec import USES
from avionics.syntax.languages.c.textual.scanner import IncludeScanner
from avionics.syntax.languages.c.types import tagged_type
from avionics.syntax.languages.cpp.definitions import (
    alias,
    catch,
    concept,
    for_range,
    friend,
    initializers,
    macro,
    namespace,
    namespace_alias,
    template,
    using,
)
from avionics.syntax.languages.cpp.expressions import (
    call_expression,
    decltype,
    lambda_expression,
    new_expression,
    qualified,
    subscript,
    template_function,
    template_type,
    this,
)
from avionics.syntax.languages.cpp.outline import NESTED, OUTLINE
from avionics.syntax.languages.distributions import of_header
from avionics.syntax.spec import LanguageSpec

SPEC = LanguageSpec(
    name="cpp",
    grammar=Grammar("tree_sitter_cpp"),
    module_system="c_includes",
    distribution=of_header,
    outline=OUTLINE,
    nested=NESTED,
    uses={
        **USES,
        "class_specifier": tagged_type,
        "this": this,
        "qualified_identifier": qualified,
        "template_type": template_type,
        "template_function": template_function,
        "call_expression": call_expression,
        "new_expression": new_expression,
        "delete_expression": parenthesized,
        "subscript_expression": subscript,
        "lambda_expression": lambda_expression,
        "decltype": decltype,
        "placeholder_type_specifier": decltype,
        "namespace_definition": namespace,
        "alias_declaration": alias,
        "namespace_alias_definition": namespace_alias,
        "using_declaration": using,
        "template_declaration": template,
        "concept_definition": concept,
        "field_initializer_list": initializers,
        "for_range_loop": for_range,
        "catch_clause": catch,
        "friend_declaration": friend,
        "if_statement": block,
        "while_statement": block,
        "switch_statement": block,
        "attribute_declaration": ignored,
        "preproc_def": macro,
    },
    implicit_members=True,
    overloads=True,
    silent_construction=True,
    open_classes=True,
    static_types=True,
    pointers=True,
    stub="cpp.hpp",
    prepare=blank_macros,
    blanked_uses=refer_blanked,
    linkage=True,
    text_mention_reason=ReasonKind.MACRO_TEXT,
    textual=IncludeScanner(),
)
