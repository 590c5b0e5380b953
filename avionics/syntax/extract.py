"""Turn bytes into facts.

The engine is imported only when bytes are parsed; a command without new files needs only the version.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from avionics.model.facts import FileFacts, FileUses, ParseProblem
from avionics.model.records import evolve
from avionics.syntax.registry import require_rules

if TYPE_CHECKING:
    from avionics.syntax.engine.grammars import Node
    from avionics.syntax.rules import LanguageRules

EXTRACTOR_VERSION = 122
"""Increase this whenever the same bytes give different facts: stored facts of other versions are not used."""


def extract_facts(content: bytes, language: str) -> FileFacts:
    """Return what the bytes define, import and mention; without a language ("") only the words.

    Raise `MissingDependencyError` if the language's grammar is not installed.
    """
    if not language:
        from avionics.syntax.engine.words import count_document_words

        return FileFacts("", words=count_document_words(content))
    rules = _refined_rules(content, language)
    return _read_outline(content, rules, lambda: _parse(content, rules))


def extract_uses(content: bytes, language: str, facts: FileFacts) -> FileUses:
    """Return every scope, binding and reference in the bytes, whose outline is `facts`."""
    rules = require_rules(facts.language or language)
    return _read_uses(content, rules, facts, lambda: _parse(content, rules))


def extract_whole(content: bytes, language: str) -> tuple[FileFacts, FileUses]:
    """Return outline and uses of the bytes, which are parsed once for both. Raises as `extract_facts` does."""
    rules = _refined_rules(content, language)
    parse = functools.cache(lambda: _parse(content, rules))
    facts = _read_outline(content, rules, parse)
    return facts, _read_uses(content, rules, facts, parse)


def give_up_uses(language: str, facts: FileFacts) -> FileUses:
    """Return the uses of bytes that are not read: they are partial, so that the bytes may use anything."""
    from avionics.syntax.engine.uses import UsesBuilder

    uses = UsesBuilder(b"", require_rules(facts.language or language), facts)
    uses.give_up()
    return uses.result()


def _refined_rules(content: bytes, language: str) -> LanguageRules:
    """Return the rules of the language that the bytes are really written in: a `.h` file may be C or C++."""
    rules = require_rules(language)
    return rules if rules.refine is None else require_rules(rules.refine(content))


class _Tree(Struct, frozen=True):
    """A syntax tree.

    Attributes:
        code: The parsed bytes: those of the file, with everything but code blanked.
        problems: The syntax errors, including those that were blanked.
    """

    root: Node
    code: bytes
    problems: tuple[ParseProblem, ...]


def _parse(content: bytes, rules: LanguageRules) -> _Tree:
    from avionics.syntax.engine.grammars import parse
    from avionics.syntax.engine.source_text import find_problems

    code = content if rules.prepare is None else rules.prepare(content)
    root = parse(code, rules.grammar)
    problems = find_problems(root)
    repaired = code if rules.repair is None else rules.repair(code, root)
    if repaired != code:
        root = parse(repaired, rules.grammar)
    return _Tree(root, repaired, problems)


def _read_outline(content: bytes, rules: LanguageRules, parse: Callable[[], _Tree]) -> FileFacts:
    from avionics.syntax.engine.budget import TooCostlyError
    from avionics.syntax.engine.outline import Outline
    from avionics.syntax.engine.words import count_words

    outline = Outline(content, rules)
    try:
        tree = parse()
        outline = Outline(tree.code, rules)
        outline.read(tree.root, tree.problems)
    except (TooCostlyError, RecursionError) as error:
        outline.give_up(error)
    return outline.facts(count_words(content))


def _read_uses(content: bytes, rules: LanguageRules, facts: FileFacts, parse: Callable[[], _Tree]) -> FileUses:
    from avionics.syntax.engine.budget import TooCostlyError
    from avionics.syntax.engine.unread import find_unread
    from avionics.syntax.engine.uses import UsesBuilder

    builder = UsesBuilder(content, rules, facts)
    try:
        tree = parse()
        builder = UsesBuilder(tree.code, rules, facts)
        builder.read(tree.root)
        if rules.blanked_uses is not None:
            rules.blanked_uses(builder, content)
    except (TooCostlyError, RecursionError):
        builder.give_up()
        return builder.result()
    uses = builder.result()
    unread, unwritten, unnamed = find_unread(tree.root, content, tree.code, rules, facts, uses)
    found: FileUses = evolve(uses, {"unread": unread, "unwritten": unwritten, "unnamed": unnamed})
    return found
