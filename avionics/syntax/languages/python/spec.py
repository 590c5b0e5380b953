"""How Python is read: the rule of every node type."""

from __future__ import annotations

import attrs

from avionics.model.enums import ExpressionKind
from avionics.syntax.engine.common_rules import container, literal, member, name_use, transparent, wrapped
from avionics.syntax.engine.embedded_code import cells
from avionics.syntax.engine.grammars import Grammar
from avionics.syntax.languages.python.definitions import (
    class_definition,
    comprehension,
    decorator,
    function_definition,
    lambda_expression,
    return_statement,
)
from avionics.syntax.languages.python.expressions import (
    binary_operator,
    call_expression,
    generic_type,
    pair,
    string_literal,
    subscript_expression,
    type_expression,
    union_type,
)
from avionics.syntax.languages.python.names import (
    assignment,
    augmented,
    delete_statement,
    ignored,
    import_from_statement,
    import_statement,
    named_expression,
    outer_statement,
)
from avionics.syntax.languages.python.outline import NESTED, OUTLINE, distribution_of
from avionics.syntax.languages.python.signatures import BUILTIN_NAMES, CALLS
from avionics.syntax.languages.python.statements import (
    boolean_operator,
    case_clause,
    conditional_expression,
    except_clause,
    for_statement,
    guarded_statement,
    with_item,
)
from avionics.syntax.languages.python.textual import PythonScanner
from avionics.syntax.spec import LanguageSpec

_BOOLEAN = literal("bool")
SPEC = LanguageSpec(
    name="python",
    calls=CALLS,
    builtin_names=BUILTIN_NAMES,
    is_closed=True,
    grammar=Grammar("tree_sitter_python"),
    module_system="python_packages",
    doc_files=("__init__.py", "__init__.pyi"),
    executed_classes=True,
    outline=OUTLINE,
    nested=NESTED,
    distribution=distribution_of,
    uses={
        "identifier": name_use,
        "attribute": member("object", "attribute"),
        "call": call_expression,
        "subscript": subscript_expression,
        "await": wrapped(ExpressionKind.AWAIT),
        "parenthesized_expression": transparent,
        "string": string_literal,
        "concatenated_string": literal("str"),
        "integer": literal("int"),
        "float": literal("float"),
        "true": _BOOLEAN,
        "false": _BOOLEAN,
        "none": literal("None"),
        "comparison_operator": _BOOLEAN,
        "not_operator": _BOOLEAN,
        "list": container("list"),
        "tuple": container("tuple"),
        "expression_list": container("tuple"),
        "set": container("set"),
        "dictionary": container("dict"),
        "pair": pair,
        "list_comprehension": comprehension("list"),
        "set_comprehension": comprehension("set"),
        "dictionary_comprehension": comprehension("dict"),
        "generator_expression": comprehension("generator"),
        "lambda": lambda_expression,
        "boolean_operator": boolean_operator,
        "binary_operator": binary_operator,
        "conditional_expression": conditional_expression,
        "named_expression": named_expression,
        "type": type_expression,
        "generic_type": generic_type,
        "union_type": union_type,
        "assignment": assignment,
        "augmented_assignment": augmented,
        "type_alias_statement": assignment,
        "for_statement": for_statement,
        "with_item": with_item,
        "except_clause": except_clause,
        "except_group_clause": except_clause,
        "if_statement": guarded_statement,
        "elif_clause": guarded_statement,
        "while_statement": guarded_statement,
        "assert_statement": guarded_statement,
        "case_clause": case_clause,
        "function_definition": function_definition,
        "class_definition": class_definition,
        "decorator": decorator,
        "global_statement": outer_statement,
        "nonlocal_statement": outer_statement,
        "delete_statement": delete_statement,
        "import_statement": import_statement,
        "import_from_statement": import_from_statement,
        "future_import_statement": ignored,
        "return_statement": return_statement,
        "yield": return_statement,
    },
    textual=PythonScanner(),
)

DIALECTS = {"notebook": attrs.evolve(SPEC, name="notebook", prepare=cells)}
"""Notebooks of other kernels than Python's give syntax errors at most."""
