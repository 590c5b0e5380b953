"""How Python is read: the rules for its node types."""

from __future__ import annotations

from msgspec import structs

from avionics.model.enums import ExpressionKind
from avionics.syntax.engine.common_rules import container, ignored, literal, member, name_use, transparent, wrapped
from avionics.syntax.engine.embedded_code import cells, is_never_code
from avionics.syntax.engine.grammars import Grammar
from avionics.syntax.engine.textual import TextualScanner
from avionics.syntax.languages.python import definitions, expressions, names, statements
from avionics.syntax.languages.python.import_texts import IMPORT_TEXTS
from avionics.syntax.languages.python.outline import NESTED, OUTLINE, read_exports
from avionics.syntax.languages.python.signatures import CALLS
from avionics.syntax.languages.python.spec import SPEC
from avionics.syntax.languages.python.textual import classify_token
from avionics.syntax.rules import LanguageRules

_BOOLEAN = literal("bool")

RULES = LanguageRules(
    **structs.asdict(SPEC),
    calls=CALLS,
    import_texts=IMPORT_TEXTS,
    grammar=Grammar("tree_sitter_python"),
    outline=OUTLINE,
    nested=NESTED,
    finish_outline=read_exports,
    uses={
        "identifier": name_use,
        "attribute": member("object", "attribute"),
        "call": expressions.call_expression,
        "subscript": expressions.subscript_expression,
        "await": wrapped(ExpressionKind.AWAIT),
        "parenthesized_expression": transparent,
        "string": expressions.string_literal,
        "concatenated_string": literal("str"),
        "integer": literal("int"),
        "float": literal("float"),
        **dict.fromkeys(("true", "false", "comparison_operator", "not_operator"), _BOOLEAN),
        "none": literal("None"),
        "slice": literal("slice"),
        "ellipsis": expressions.ellipsis,
        "list": container("list"),
        **dict.fromkeys(("tuple", "expression_list"), container("tuple")),
        "set": container("set"),
        "dictionary": container("dict"),
        "pair": expressions.pair,
        "list_comprehension": definitions.comprehension("list"),
        "set_comprehension": definitions.comprehension("set"),
        "dictionary_comprehension": definitions.comprehension("dict"),
        "generator_expression": definitions.comprehension("generator"),
        "lambda": definitions.lambda_expression,
        "boolean_operator": statements.boolean_operator,
        "binary_operator": expressions.binary_operator,
        "conditional_expression": statements.conditional_expression,
        "named_expression": names.named_expression,
        "type": expressions.type_expression,
        "generic_type": expressions.generic_type,
        "union_type": expressions.union_type,
        "assignment": names.assignment,
        "type_alias_statement": definitions.type_alias,
        "augmented_assignment": names.augmented,
        "for_statement": statements.for_statement,
        "with_item": statements.with_item,
        **dict.fromkeys(("except_clause", "except_group_clause"), statements.except_clause),
        "if_statement": statements.guarded_statement,
        "elif_clause": statements.guarded_statement,
        "while_statement": statements.guarded_statement,
        "assert_statement": statements.guarded_statement,
        "case_clause": statements.case_clause,
        "function_definition": definitions.function_definition,
        "class_definition": definitions.class_definition,
        "decorator": definitions.decorator,
        **dict.fromkeys(("global_statement", "nonlocal_statement"), names.outer_statement),
        "delete_statement": names.delete_statement,
        "import_statement": names.import_statement,
        "import_from_statement": names.import_from_statement,
        "future_import_statement": ignored,
        **dict.fromkeys(("return_statement", "yield"), definitions.return_statement),
    },
    textual=TextualScanner(classify_token=classify_token),
)

DIALECTS = {"notebook": structs.replace(RULES, name="notebook", prepare=cells, may_be_blanked_code=is_never_code)}
"""Notebooks of kernels other than Python's yield syntax errors."""
