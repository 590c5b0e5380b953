"""How TypeScript is read: the rules for its node types."""

from __future__ import annotations

from msgspec import structs

from avionics.syntax.engine.common_rules import name_use
from avionics.syntax.engine.embedded_code import is_in_handler_or_expression, is_in_tag_or_expression, scripts
from avionics.syntax.engine.grammars import Grammar
from avionics.syntax.engine.uses import UsesBuilder
from avionics.syntax.languages.typescript.classes import CLASS_RULES, read_documentation
from avionics.syntax.languages.typescript.definitions import FUNCTION_RULES
from avionics.syntax.languages.typescript.documentation.types import read_rest
from avionics.syntax.languages.typescript.expressions import ELEMENTS, EXPRESSIONS
from avionics.syntax.languages.typescript.modules import (
    IMPORT_TEXTS,
    documented_file,
    export_facts,
    export_uses,
    import_facts,
    import_uses,
    statement_facts,
    whole_file,
)
from avionics.syntax.languages.typescript.names import assignment, declaration
from avionics.syntax.languages.typescript.outline import DECLARATIONS, MEMBERS, NESTED
from avionics.syntax.languages.typescript.signatures import (
    CALLS,
    bind_generics,
    iter_conversions,
    open_unknown_syntax,
    refer_blanked,
)
from avionics.syntax.languages.typescript.spec import SPEC
from avionics.syntax.languages.typescript.statements import FLOW
from avionics.syntax.languages.typescript.types import TYPES
from avionics.syntax.rules import LanguageRules

RULES = LanguageRules(
    **structs.asdict(SPEC),
    calls=CALLS,
    conversions=iter_conversions,
    import_texts=IMPORT_TEXTS,
    grammar=Grammar("tree_sitter_typescript", "language_typescript"),
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
    prepare=open_unknown_syntax,
    blanked_uses=refer_blanked,
    finish_outline=whole_file,
)


def refer_rest(uses: UsesBuilder, content: bytes) -> None:
    """Count the names in blanked type arguments, and those in comments that are about no code."""
    refer_blanked(uses, content)
    read_rest(uses)


_SCRIPT = structs.replace(
    RULES,
    grammar=Grammar("tree_sitter_javascript"),
    calls=None,
    conversions=None,
    types_in_comments=True,
    read_comments=read_documentation,
    blanked_uses=refer_rest,
    finish_outline=documented_file,
)
"""JavaScript, whose types are written in comments."""

DIALECTS = {
    "javascript": structs.replace(_SCRIPT, name="javascript"),
    "jsx": structs.replace(_SCRIPT, name="jsx"),
    "tsx": structs.replace(RULES, name="tsx", grammar=Grammar("tree_sitter_typescript", "language_tsx")),
    "html": structs.replace(
        RULES,
        name="html",
        is_in_pages=True,
        prepare=scripts,
        blanked_uses=None,
        may_be_blanked_code=is_in_handler_or_expression,
    ),
    **{
        page: structs.replace(
            RULES,
            name=page,
            is_in_pages=True,
            prepare=scripts,
            blanked_uses=bind_generics,
            may_be_blanked_code=is_in_tag_or_expression,
            reading_sigil=sigil,
        )
        # In Svelte, `$total` is the value in the store `total`.
        for page, sigil in (("svelte", b"$"), ("vue", b""))
    },
}
"""JavaScript has its own grammar; the scripts in pages are read with that of TypeScript."""
