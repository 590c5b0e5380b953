"""How Go is read: the rule of every node type."""

from __future__ import annotations

from avionics.syntax.engine.common_rules import literal, member, name_use, transparent
from avionics.syntax.engine.grammars import Grammar
from avionics.syntax.languages.go.assignments import assignment, constants, step, variables
from avionics.syntax.languages.go.definitions import (
    function_declaration,
    function_literal,
    import_spec,
    method_declaration,
    type_alias,
    type_spec,
)
from avionics.syntax.languages.go.expressions import (
    assertion,
    binary,
    call,
    composite_literal,
    conversion,
    identifier,
    ignored,
    index,
    literal_value,
    part_of_slice,
    unary,
    variadic,
)
from avionics.syntax.languages.go.outline import NESTED, OUTLINE, distribution_of
from avionics.syntax.languages.go.signatures import BUILTIN_NAMES, CALLS
from avionics.syntax.languages.go.statements import block, case, guarded, loop, type_switch
from avionics.syntax.languages.go.types import TYPES
from avionics.syntax.spec import LanguageSpec

_STRING, _BOOLEAN = literal("string"), literal("bool")
SPEC = LanguageSpec(
    name="go",
    calls=CALLS,
    builtin_names=BUILTIN_NAMES,
    grammar=Grammar("tree_sitter_go"),
    module_system="go_packages",
    doc_files=("doc.go",),
    outline=OUTLINE,
    nested=NESTED,
    distribution=distribution_of,
    open_classes=True,
    static_types=True,
    structural_interfaces=True,
    stub="go.go",
    uses={
        "package_clause": ignored,
        "identifier": identifier,
        "type_identifier": name_use,
        "package_identifier": name_use,
        "selector_expression": member("operand", "field"),
        "qualified_type": member("package", "name"),
        "parenthesized_expression": transparent,
        "call_expression": call,
        "type_conversion_expression": conversion,
        "type_assertion_expression": assertion,
        "index_expression": index,
        "slice_expression": part_of_slice,
        "unary_expression": unary,
        "binary_expression": binary,
        "composite_literal": composite_literal,
        "literal_value": literal_value,
        "variadic_argument": variadic,
        "func_literal": function_literal,
        "interpreted_string_literal": _STRING,
        "raw_string_literal": _STRING,
        "rune_literal": literal("rune"),
        "int_literal": literal("int"),
        "iota": literal("int"),
        "float_literal": literal("float64"),
        "imaginary_literal": literal("complex128"),
        "true": _BOOLEAN,
        "false": _BOOLEAN,
        "nil": literal("None"),
        **TYPES,
        "import_spec": import_spec,
        "function_declaration": function_declaration,
        "method_declaration": method_declaration,
        "type_spec": type_spec,
        "type_alias": type_alias,
        "const_declaration": constants,
        "var_declaration": variables,
        "assignment_statement": assignment,
        "inc_statement": step,
        "dec_statement": step,
        "block": block,
        "if_statement": guarded,
        "expression_switch_statement": guarded,
        "type_switch_statement": type_switch,
        "select_statement": block,
        "expression_case": case,
        "default_case": case,
        "communication_case": case,
        "for_statement": loop,
    },
)
