"""Stubs of standard container types, written in each language itself.

Stubs are read like files of the workspace, so that generics, callbacks and inheritance work through them. A reference
that resolves to a stub still counts as outside the workspace.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Final, Protocol

from avionics.model.facts import FileFacts, FileUses
from avionics.syntax.extract import EXTRACTOR_VERSION
from avionics.syntax.registry import get_language

STUBS = "<stubs>/"
"""The prefix of the paths of stubs. No file of a workspace has it."""


_DIRECTORY = Path(__file__).parents[2] / "syntax" / "languages" / "stubs"


class StubStore(Protocol):
    """Keeps the facts of stubs, whose extraction takes longer than the rest of a short answer."""

    def get_stub(self, key: str) -> tuple[FileFacts, FileUses] | None:
        """Return the outline and the uses stored under a key, or None."""

    def put_stub(self, key: str, facts: FileFacts, uses: FileUses) -> None:
        """Store them for the next process."""


class Stubs:
    """The stubs that have been read; they are the same in every workspace."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[FileFacts, FileUses]] = {}

    def load(self, path: str, store: StubStore | None = None) -> tuple[FileFacts, FileUses]:
        """Return the outline, and the scopes, bindings and references, of a stub, by its path in a snapshot."""
        known = self._known.get(path)
        if known is None:
            content = read_stub(path)
            key = f"{path} {EXTRACTOR_VERSION} {len(content)} {zlib.crc32(content)}"
            known = None if store is None else store.get_stub(key)
            if known is None:
                from avionics.syntax.extract import extract_whole

                known = extract_whole(content, get_language(path) or "")
                if store is not None:
                    store.put_stub(key, *known)
            self._known[path] = known
        return known


stubs: Final = Stubs()
"""Those of this process."""


def read_stub(path: str) -> bytes:
    """Return the content of a stub."""
    return (_DIRECTORY / path.removeprefix(STUBS)).read_bytes()
