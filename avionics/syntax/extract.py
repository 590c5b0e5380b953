"""Extraction: the room's one face: bytes in, facts out.

Knows: languages, and the two depths of facts.
Does not know: paths beyond their ending, storage, other files.
"""

from __future__ import annotations

import functools

from avionics.syntax import grammars
from avionics.syntax.long_tail import LONG_TAIL, has_long_tail
from avionics.syntax.outline import Outline
from avionics.syntax.patience import TooCostlyError
from avionics.syntax.spec import LANGUAGES, require_spec
from avionics.syntax.uses import Uses
from avionics.syntax.words import count_words
from protocols.facts import FileFacts, FileUses

EXTRACTOR_VERSION = 14
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
    spec = require_spec(language)
    if spec.refine is not None:
        spec = require_spec(spec.refine(content))
    code = spec.prepare(content) if spec.prepare is not None else content
    outline = Outline(code, spec)
    try:
        outline.read(grammars.parse(code, spec.grammar))
    except (TooCostlyError, RecursionError) as error:
        outline.give_up(error)
    return outline.facts(count_words(content))


def extract_uses(content: bytes, language: str, facts: FileFacts) -> FileUses:
    """Every scope, binding and reference in the bytes, whose outline is `facts`."""
    spec = require_spec(facts.language or language)
    code = spec.prepare(content) if spec.prepare is not None else content
    uses = Uses(code, spec, facts)
    try:
        uses.read(grammars.parse(code, spec.grammar))
        if spec.blanked is not None:
            spec.blanked(uses, content)
    except (TooCostlyError, RecursionError):
        uses.give_up()
    return uses.result()


def give_up_uses(language: str, facts: FileFacts) -> FileUses:
    """The uses of bytes that cannot be read: they may use anything."""
    uses = Uses(b"", require_spec(facts.language or language), facts)
    uses.give_up()
    return uses.result()
