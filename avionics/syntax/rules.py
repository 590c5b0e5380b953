"""The rules of a language: its grammar, and what each of its node types defines and uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from msgspec import field

from avionics.syntax.engine.call_shapes import CallGrammar
from avionics.syntax.engine.grammars import Grammar, Node
from avionics.syntax.engine.outline import FileRule, OutlineRule
from avionics.syntax.engine.textual import TextualScanner
from avionics.syntax.engine.uses import UsesBuilder, UsesRule
from avionics.syntax.import_texts import ImportTexts
from avionics.syntax.spec import LanguageSpec

if TYPE_CHECKING:
    from avionics.syntax.conversions import ConversionRule


class LanguageRules(LanguageSpec, frozen=True, kw_only=True):
    """The specification of a language with the rules that read its files.

    Attributes:
        grammar: The grammar that parses it.
        outline: Node type → the rule for what it defines. Other nodes are entered only if they are in `nested`.
        nested: Node types that can contain definitions.
        uses: Node type → the rule for what it binds and uses. The children of other nodes are visited.
        refine: Returns the language that bytes with this language's suffix are written in; None if the suffix decides.
        prepare: Blanks everything that is not code, keeping lines and columns; None if the whole file is code.
        repair: Blanks or changes code that the grammar cannot parse, given the code and its tree; the result is parsed
            again. None if no such code is known.
        may_be_blanked_code: Returns whether a byte that `prepare` blanked may be code after all; None if any may be.
        reading_sigil: The character before the name of a variable that reads what it holds: `$` of `$count` in Svelte.
        blanked_uses: Adds the uses in the bytes that `prepare` blanked; None for none.
        read_comments: Reads the types in documentation comments before the code is; None if they declare none.
        finish_outline: Completes the outline with definitions that only the whole file shows; None for none.
        textual: The scanner of texts before they are parsed.
        import_texts: How imports are written, for moving definitions; None if moves are not supported.
        calls: How calls and parameter lists are written; None if calls are not checked against parameters.
        conversions: The places where values are converted to a declared type; None if that is not checked.
    """

    grammar: Grammar
    outline: Mapping[str, OutlineRule]
    nested: frozenset[str]
    uses: Mapping[str, UsesRule]
    refine: Callable[[bytes], str] | None = None
    prepare: Callable[[bytes], bytes] | None = None
    repair: Callable[[bytes, Node], bytes] | None = None
    may_be_blanked_code: Callable[[bytes, int], bool] | None = None
    reading_sigil: bytes = b""
    blanked_uses: Callable[[UsesBuilder, bytes], None] | None = None
    read_comments: Callable[[UsesBuilder, Node], None] | None = None
    finish_outline: FileRule | None = None
    textual: TextualScanner = field(default_factory=TextualScanner)
    import_texts: ImportTexts | None = None
    calls: CallGrammar | None = None
    conversions: ConversionRule | None = None
