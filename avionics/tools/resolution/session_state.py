"""Session state: small values an agent keeps between its calls, one set a workspace, outside the repository.

Every value is a file of its own, replaced whole: two processes that save at once lose nothing of one another's,
and a reader never sees half a value.

Knows: where the state lies and how large it may be.
Does not know: what it means.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import attrs

from avionics.model.errors import SourceError, UsageError
from avionics.settings import Settings

MAX_KEY_CHARACTERS = 200
MAX_VALUE_BYTES = 64 * 1024
"""A note to oneself, not a store."""
MAX_KEYS = 256
"""With the bound of a value: at most 16 MB a workspace."""


@attrs.frozen
class SessionState:
    """The state of one workspace."""

    directory: Path

    @classmethod
    def of(cls, root: Path, settings: Settings) -> SessionState:
        """The state of the workspace at that root."""
        name = sha256(os.fsencode(root.resolve())).hexdigest()[:32]
        return cls(settings.cache_directory / "sessions" / name)

    def load(self) -> dict[str, Any]:
        """Every key and its value, by key; a file that cannot be read is no value."""
        found = (_read(path) for path in self.directory.glob("*.json"))
        return dict(sorted(entry for entry in found if entry))

    def save(self, key: str, value: Any) -> int:
        """Keep the value under the key; returns its size in bytes.

        Raises:
            UsageError: The value is no JSON or too large, the key too long, or there are too many keys.
            SourceError: The cache directory cannot be written.
        """
        if not 0 < len(key) <= MAX_KEY_CHARACTERS:
            raise UsageError(f"a key has 1 to {MAX_KEY_CHARACTERS} characters, not {len(key)}")
        try:
            text = json.dumps(value, allow_nan=False)
            document = json.dumps({"key": key, "value": value})
        except (TypeError, ValueError, RecursionError) as error:
            raise UsageError(f"the value is no JSON: {error}", hint="give text, numbers, lists and objects") from None
        if len(text) > MAX_VALUE_BYTES:
            raise UsageError(f"the value has {len(text)} bytes, more than {MAX_VALUE_BYTES}", hint="keep less")
        path = self._path(key)
        try:
            self._require_room(path)
            _replace(path, document)
        except OSError as error:
            raise SourceError(f"the session state cannot be written: {error}") from error
        return len(text)

    def _path(self, key: str) -> Path:
        """The file of a key."""
        return self.directory / f"{sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.json"

    def _require_room(self, path: Path) -> None:
        """Refuse one key too many."""
        if not path.exists() and sum(1 for _ in self.directory.glob("*.json")) >= MAX_KEYS:
            raise UsageError(f"there are {MAX_KEYS} keys already", hint="save under one of them: get_session_state()")


def _read(path: Path) -> tuple[str, Any] | None:
    """The key and value a file keeps, or None."""
    try:
        document = json.loads(path.read_text("utf-8"))
        return document["key"], document["value"]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _replace(path: Path, text: str) -> None:
    """Put the text in the file's place at once."""
    from tempfile import NamedTemporaryFile

    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with NamedTemporaryFile("w", dir=path.parent, suffix=".part", encoding="utf-8", delete=False) as part:
        part.write(text)
    os.replace(part.name, path)
