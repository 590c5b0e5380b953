"""Extraction: the room's one face: bytes in, facts out.

Knows: languages, and the two depths of facts.
Does not know: paths beyond their ending, storage, other files.
"""

from __future__ import annotations

import functools

from avionics.syntax import grammars
from avionics.syntax.outline import Outline
from avionics.syntax.spec import LANGUAGES, require_spec
from avionics.syntax.uses import Uses
from avionics.syntax.words import count_words
from protocols.facts import FileFacts, FileUses

EXTRACTOR_VERSION = 3
"""Raised whenever the same bytes would give other facts: stored facts of other versions are not used."""


@functools.cache
def _suffixes() -> dict[str, str]:
    """Suffix → language."""
    return {suffix: name for name in LANGUAGES for suffix in require_spec(name).suffixes}


def get_language(path: str) -> str | None:
    """The language a file of that name is written in, or None."""
    name = path.rsplit("/", 1)[-1]
    dot = name.rfind(".")
    return _suffixes().get(name[dot:].lower()) if dot > 0 else None


def extract_facts(content: bytes, language: str) -> FileFacts:
    """What the bytes define, import and mention.

    Raises:
        MissingDependencyError: The language's grammar is not installed.
    """
    outline = Outline(content, require_spec(language))
    outline.read(grammars.parse(content, language))
    return outline.facts(count_words(content))


def extract_uses(content: bytes, language: str, facts: FileFacts) -> FileUses:
    """Every scope, binding and reference in the bytes, whose outline is `facts`."""
    uses = Uses(content, require_spec(language), facts)
    uses.read(grammars.parse(content, language))
    return uses.result()
