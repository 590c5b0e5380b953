"""How TypeScript is read: the rules for its node types."""

from __future__ import annotations

import re

from msgspec import structs

from avionics.late_pattern import late_pattern
from avionics.syntax.engine.common_rules import name_use
from avionics.syntax.engine.embedded_code import is_in_handler_or_expression, is_in_tag_or_expression, scripts
from avionics.syntax.engine.grammars import Grammar
from avionics.syntax.languages.distributions import of_node_module
from avionics.syntax.languages.typescript.classes import CLASS_RULES
from avionics.syntax.languages.typescript.definitions import FUNCTION_RULES
from avionics.syntax.languages.typescript.expressions import ELEMENTS, EXPRESSIONS
from avionics.syntax.languages.typescript.modules import (
    IMPORT_TEXTS,
    export_facts,
    export_uses,
    import_facts,
    import_uses,
    statement_facts,
    whole_file,
)
from avionics.syntax.languages.typescript.names import assignment, declaration
from avionics.syntax.languages.typescript.outline import DECLARATIONS, MEMBERS, NESTED
from avionics.syntax.languages.typescript.signatures import BUILTIN_NAMES, CALLS, iter_conversions, open_unknown_syntax
from avionics.syntax.languages.typescript.statements import FLOW
from avionics.syntax.languages.typescript.types import TYPES
from avionics.syntax.spec import LanguageSpec

_SPEAKERS = tuple(
    f"{place}index.{ending}" for ending in ("ts", "tsx", "mts", "js", "mjs", "cjs", "jsx") for place in ("", "src/")
)

_OF_ITERATOR = frozenset(
    {
        "next", "return", "throw", "map", "filter", "take", "drop", "flatMap", "reduce", "toArray", "forEach", "some",
        "every", "find",
    }
)  # fmt: skip
_OF_OBJECT = frozenset(
    {
        "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString",
        "valueOf",
    }
)  # fmt: skip

SPEC = LanguageSpec(
    name="typescript",
    jumps=frozenset({"break", "continue"}),
    calls=CALLS,
    conversions=iter_conversions,
    builtin_names=BUILTIN_NAMES,
    import_texts=IMPORT_TEXTS,
    grammar=Grammar("tree_sitter_typescript", "language_typescript"),
    module_system="js_modules",
    module_names=frozenset({"exports", "module", "require", "define"}),
    module_line=late_pattern(r"^[^\S\n]*(?:import|export)\b", re.M),
    module_values=True,
    non_virtual_members=r"(?:\w+ )*private\b|#",
    unasked_members=r"(?:\w+ )*(?:static|private|protected) |#",
    module_loaders=("proxyquire", "rewire"),
    own_module=frozenset({"exports", "module.exports"}),
    separate_types=True,
    distribution=of_node_module,
    outside_members={
        "ArrayLike": frozenset({"length"}),
        "Iterable": frozenset(),
        "IterableIterator": _OF_ITERATOR,
        "Iterator": _OF_ITERATOR,
        "Object": _OF_OBJECT,
        "PromiseLike": frozenset({"then"}),
        "builtins.AsyncDisposable": frozenset(),  # Nothing but what `Symbol.asyncDispose` names.
        "builtins.Disposable": frozenset(),
    },
    doc_files=_SPEAKERS,
    global_objects=frozenset({"window", "globalThis", "global", "self"}),
    global_interfaces=frozenset({"Window", "WindowOrWorkerGlobalScope", "WorkerGlobalScope", "NodeJS.Global"}),
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
        **dict.fromkeys(("lexical_declaration", "variable_declaration"), declaration),
        "assignment_expression": assignment,
    },
    open_classes=True,
    stub="typescript.d.ts",
    prepare=open_unknown_syntax,
    finish_outline=whole_file,
)

_JAVASCRIPT = Grammar("tree_sitter_javascript")
DIALECTS = {
    "javascript": structs.replace(SPEC, name="javascript", grammar=_JAVASCRIPT, calls=None, conversions=None),
    "jsx": structs.replace(SPEC, name="jsx", grammar=_JAVASCRIPT, calls=None, conversions=None),
    "tsx": structs.replace(SPEC, name="tsx", grammar=Grammar("tree_sitter_typescript", "language_tsx")),
    "html": structs.replace(SPEC, name="html", prepare=scripts, may_be_blanked_code=is_in_handler_or_expression),
    **{
        page: structs.replace(SPEC, name=page, prepare=scripts, may_be_blanked_code=is_in_tag_or_expression)
        for page in ("svelte", "vue")
    },
}
"""JavaScript is a subset of TypeScript with its own grammar; the scripts in pages are read as TypeScript."""
