"""Turn bytes into facts.

The engine is imported where bytes are read: a command whose files are all known needs only the version.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from avionics.model.facts import FileFacts, FileUses
from avionics.model.records import evolve
from avionics.syntax.registry import require_spec

if TYPE_CHECKING:
    from avionics.syntax.engine.grammars import Node
    from avionics.syntax.spec import LanguageSpec

EXTRACTOR_VERSION = 72
"""Increase this whenever the same bytes give different facts: stored facts of other versions are not used."""


def extract_facts(content: bytes, language: str) -> FileFacts:
    """Return what the bytes define, import and mention; for no language ("") only the words.

    Raises:
        MissingDependencyError: The language's grammar is not installed.
    """
    if not language:
        from avionics.syntax.engine.words import count_document_words

        return FileFacts("", words=count_document_words(content))
    spec = _refined_spec(content, language)
    code = _prepare(content, spec)
    return _read_outline(content, code, spec, lambda: _parse(code, spec))


def extract_uses(content: bytes, language: str, facts: FileFacts) -> FileUses:
    """Return every scope, binding and reference in the bytes, whose outline is `facts`."""
    spec = require_spec(facts.language or language)
    code = _prepare(content, spec)
    return _read_uses(content, code, spec, facts, lambda: _parse(code, spec))


def extract_whole(content: bytes, language: str) -> tuple[FileFacts, FileUses]:
    """Return outline and uses of the bytes, which are parsed once for both. Raises as `extract_facts` does."""
    spec = _refined_spec(content, language)
    code = _prepare(content, spec)
    parse = functools.cache(lambda: _parse(code, spec))
    facts = _read_outline(content, code, spec, parse)
    return facts, _read_uses(content, code, spec, facts, parse)


def give_up_uses(language: str, facts: FileFacts) -> FileUses:
    """Return the uses of bytes that cannot be read: they may use anything."""
    from avionics.syntax.engine.uses import UsesBuilder

    uses = UsesBuilder(b"", require_spec(facts.language or language), facts)
    uses.give_up()
    return uses.result()


def _refined_spec(content: bytes, language: str) -> LanguageSpec:
    """Return the language that the bytes are really written in."""
    spec = require_spec(language)
    return spec if spec.refine is None else require_spec(spec.refine(content))


def _prepare(content: bytes, spec: LanguageSpec) -> bytes:
    return content if spec.prepare is None else spec.prepare(content)


def _parse(code: bytes, spec: LanguageSpec) -> Node:
    from avionics.syntax.engine.grammars import parse

    return parse(code, spec.grammar)


def _read_outline(content: bytes, code: bytes, spec: LanguageSpec, parse: Callable[[], Node]) -> FileFacts:
    from avionics.syntax.engine.budget import TooCostlyError
    from avionics.syntax.engine.outline import Outline
    from avionics.syntax.engine.words import count_words

    outline = Outline(code, spec)
    try:
        outline.read(parse())
    except (TooCostlyError, RecursionError) as error:
        outline.give_up(error)
    return outline.facts(count_words(content))


def _read_uses(
    content: bytes, code: bytes, spec: LanguageSpec, facts: FileFacts, parse: Callable[[], Node]
) -> FileUses:
    from avionics.syntax.engine.budget import TooCostlyError
    from avionics.syntax.engine.unread import find_unread
    from avionics.syntax.engine.uses import UsesBuilder

    builder = UsesBuilder(code, spec, facts)
    try:
        root = parse()
        builder.read(root)
        if spec.blanked_uses is not None:
            spec.blanked_uses(builder, content)
    except (TooCostlyError, RecursionError):
        builder.give_up()
        return builder.result()
    uses = builder.result()
    unread, unwritten, unnamed = find_unread(root, content, code, spec, facts, uses)
    found: FileUses = evolve(uses, {"unread": unread, "unwritten": unwritten, "unnamed": unnamed})
    return found
