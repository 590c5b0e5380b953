"""How Ruby is read: the rules for its node types."""

from __future__ import annotations

from avionics.syntax.engine.common_rules import container, ignored, literal, name_use, transparent
from avionics.syntax.engine.grammars import Grammar
from avionics.syntax.languages.distributions import of_library
from avionics.syntax.languages.ruby import definitions, expressions
from avionics.syntax.languages.ruby.outline import NESTED, OUTLINE
from avionics.syntax.spec import LanguageSpec

SPEC = LanguageSpec(
    name="ruby",
    grammar=Grammar("tree_sitter_ruby"),
    module_system="ruby_requires",
    distribution=of_library,
    implicit_members=True,
    open_classes=True,
    outline=OUTLINE,
    nested=NESTED,
    uses={
        **dict.fromkeys(("class", "module"), definitions.class_definition),
        **dict.fromkeys(("method", "singleton_method"), definitions.method_definition),
        **dict.fromkeys(("block", "do_block", "lambda"), expressions.block),
        **dict.fromkeys(("instance_variable", "class_variable", "global_variable"), expressions.instance_variable),
        **dict.fromkeys(("comment", "hash_key_symbol"), ignored),
        "string": literal("str"),
        "integer": literal("int"),
        "array": container("list"),
        "parenthesized_statements": transparent,
        "constant": name_use,
        "scope_resolution": expressions.scope_resolution,
        "identifier": expressions.identifier,
        "self": expressions.own_value,
        "simple_symbol": expressions.symbol,
        "call": expressions.call,
        **dict.fromkeys(("assignment", "operator_assignment"), expressions.assignment),
        "return": expressions.return_statement,
        "rescue": expressions.rescue,
    },
)
