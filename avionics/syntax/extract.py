"""Extraction: the room's one face: bytes in, facts out.

Knows: languages, and the two depths of facts.
Does not know: paths beyond their ending, storage, other files.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from avionics.model.facts import FileFacts, FileUses
from avionics.syntax.engine import grammars
from avionics.syntax.engine.budget import TooCostlyError
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.outline import Outline
from avionics.syntax.engine.uses import UsesBuilder
from avionics.syntax.engine.words import count_words
from avionics.syntax.languages.generic import LONG_TAIL, has_long_tail
from avionics.syntax.spec import LANGUAGES, LanguageSpec, require_spec

EXTRACTOR_VERSION = 15
"""Raised whenever the same bytes would give other facts: stored facts of other versions are not used."""


@functools.cache
def _suffixes() -> dict[str, str]:
    """Suffix → language."""
    known = {**LONG_TAIL, **LANGUAGES} if has_long_tail() else LANGUAGES
    return {suffix: name for name, suffixes in known.items() for suffix in suffixes}


def get_language(path: str) -> str | None:
    """The language a file of that name is written in, or None."""
    name = path.rsplit("/", 1)[-1]
    dot = name.rfind(".")
    return _suffixes().get(name[dot:].lower()) if dot > 0 else None


def extract_facts(content: bytes, language: str) -> FileFacts:
    """What the bytes define, import and mention; of no language ("") only the words.

    Raises:
        MissingDependencyError: The language's grammar is not installed.
    """
    if not language:
        return FileFacts("", words=count_words(content))
    spec = require_spec(_refine(content, language))
    code = _prepare(content, spec)
    return _read_outline(content, code, spec, lambda: grammars.parse(code, spec.grammar))


def extract_uses(content: bytes, language: str, facts: FileFacts) -> FileUses:
    """Every scope, binding and reference in the bytes, whose outline is `facts`."""
    spec = require_spec(facts.language or language)
    code = _prepare(content, spec)
    return _read_uses(content, code, spec, facts, lambda: grammars.parse(code, spec.grammar))


def extract_whole(content: bytes, language: str) -> tuple[FileFacts, FileUses]:
    """Outline and uses of bytes in a known language, which are parsed once for both. Raises as `extract_facts`."""
    spec = require_spec(_refine(content, language))
    code = _prepare(content, spec)
    parse = functools.cache(lambda: grammars.parse(code, spec.grammar))
    facts = _read_outline(content, code, spec, parse)
    return facts, _read_uses(content, code, spec, facts, parse)


def give_up_uses(language: str, facts: FileFacts) -> FileUses:
    """The uses of bytes that cannot be read: they may use anything."""
    uses = UsesBuilder(b"", require_spec(facts.language or language), facts)
    uses.give_up()
    return uses.result()


def _refine(content: bytes, language: str) -> str:
    """The language that bytes with the endings of one are really written in."""
    refine = require_spec(language).refine
    return language if refine is None else refine(content)


def _prepare(content: bytes, spec: LanguageSpec) -> bytes:
    """The code in the bytes."""
    return content if spec.prepare is None else spec.prepare(content)


def _read_outline(content: bytes, code: bytes, spec: LanguageSpec, parse: Callable[[], Node]) -> FileFacts:
    outline = Outline(code, spec)
    try:
        outline.read(parse())
    except (TooCostlyError, RecursionError) as error:
        outline.give_up(error)
    return outline.facts(count_words(content))


def _read_uses(
    content: bytes, code: bytes, spec: LanguageSpec, facts: FileFacts, parse: Callable[[], Node]
) -> FileUses:
    uses = UsesBuilder(code, spec, facts)
    try:
        uses.read(parse())
        if spec.blanked_uses is not None:
            spec.blanked_uses(uses, content)
    except (TooCostlyError, RecursionError):
        uses.give_up()
    return uses.result()
