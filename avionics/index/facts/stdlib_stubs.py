"""Stubs of standard container types, written in each language itself.

Stubs are read like files of the workspace, so that generics, callbacks and inheritance work through them. A reference
that resolves to a stub still counts as outside the workspace.
"""

from __future__ import annotations

import functools

from avionics.model.facts import FileFacts, FileUses
from avionics.syntax.registry import get_language

STUBS = "<stubs>/"
"""The prefix of the paths of stubs. No file of a workspace has it."""


@functools.cache
def stub_facts(path: str) -> FileFacts:
    """Return the outline of a stub, by its path in a snapshot."""
    from avionics.syntax.extract import extract_facts

    return extract_facts(read_stub(path), get_language(path) or "")


@functools.cache
def stub_uses(path: str) -> FileUses:
    """Return the scopes, bindings and references of a stub."""
    from avionics.syntax.extract import extract_uses

    return extract_uses(read_stub(path), get_language(path) or "", stub_facts(path))


def read_stub(path: str) -> bytes:
    """Return the content of a stub."""
    from importlib.resources import files

    return files("avionics.syntax.languages").joinpath("stubs", path.removeprefix(STUBS)).read_bytes()
