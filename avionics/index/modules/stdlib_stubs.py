"""Preludes: those types of a language's standard library that hold others, in the language's own words.

They are read like any file, so that generics, callbacks and inheritance work through them; what a reference means
there is outside the workspace all the same.

Knows: where stubs lie.
Does not know: what they say.
"""

from __future__ import annotations

import functools

from avionics.index.modules.import_resolver import STUBS
from avionics.model.facts import FileFacts, FileUses
from avionics.syntax.extract import extract_facts, extract_uses
from avionics.syntax.registry import get_language


@functools.cache
def stub_facts(path: str) -> FileFacts:
    """The outline of a stub, by its path in a snapshot."""
    return extract_facts(_content(path), get_language(path) or "")


@functools.cache
def stub_uses(path: str) -> FileUses:
    """The scopes, bindings and references of a stub."""
    return extract_uses(_content(path), get_language(path) or "", stub_facts(path))


def _content(path: str) -> bytes:
    from importlib.resources import files

    return files("avionics.syntax.languages").joinpath("stubs", path.removeprefix(STUBS)).read_bytes()
