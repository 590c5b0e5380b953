"""TypeScript, and with it TSX, JavaScript and JSX: what its nodes define, bind and use.

Knows: the node types of tree-sitter-typescript and tree-sitter-javascript, and the scoping rules of the languages
(https://tc39.es/ecma262/, https://www.typescriptlang.org/docs/handbook/).
Does not know: other files, how facts are joined.
"""

from __future__ import annotations

from avionics.syntax.engine.common_rules import name_use
from avionics.syntax.languages.distributions import of_node_module
from avionics.syntax.languages.typescript.classes import CLASS_RULES
from avionics.syntax.languages.typescript.definitions import FUNCTION_RULES
from avionics.syntax.languages.typescript.expressions import EXPRESSIONS
from avionics.syntax.languages.typescript.jsx import ELEMENTS
from avionics.syntax.languages.typescript.modules import (
    export_facts,
    export_uses,
    import_facts,
    import_uses,
    statement_facts,
    whole_file,
)
from avionics.syntax.languages.typescript.names import assignment, declaration
from avionics.syntax.languages.typescript.outline import DECLARATIONS, MEMBERS, NESTED
from avionics.syntax.languages.typescript.signatures import separate_signatures
from avionics.syntax.languages.typescript.statements import FLOW
from avionics.syntax.languages.typescript.types import TYPES
from avionics.syntax.spec import LanguageSpec

_SPEAKERS = tuple(
    f"{place}index.{ending}" for ending in ("ts", "tsx", "mts", "js", "mjs", "cjs", "jsx") for place in ("", "src/")
)

SPEC = LanguageSpec(
    name="typescript",
    grammar="typescript",
    module_system="js_modules",
    distribution=of_node_module,
    doc_files=_SPEAKERS,
    outline={
        **DECLARATIONS,
        **MEMBERS,
        "import_statement": import_facts,
        "export_statement": export_facts,
        "expression_statement": statement_facts,
    },
    nested=NESTED,
    uses={
        **TYPES,
        **EXPRESSIONS,
        **ELEMENTS,
        **FUNCTION_RULES,
        **CLASS_RULES,
        **FLOW,
        "identifier": name_use,
        "import_statement": import_uses,
        "export_statement": export_uses,
        "lexical_declaration": declaration,
        "variable_declaration": declaration,
        "assignment_expression": assignment,
    },
    open_classes=True,
    stub="typescript.d.ts",
    prepare=separate_signatures,
    finish_outline=whole_file,
)
