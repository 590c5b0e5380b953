"""Keep small values between the calls of an agent, for each workspace, caller and thread, outside the repository.

Each value is a file that is replaced atomically, so that processes which save at the same time lose nothing and readers
never see half a value.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec import Struct

from avionics.model.errors import SourceError, UsageError
from avionics.model.tools import Caller, ToolContext
from avionics.scratch import replacing
from avionics.settings import Settings
from avionics.tools.execution.current_call import get_current_context

MAX_KEY_CHARACTERS = 200
MAX_VALUE_BYTES = 64 * 1024
MAX_KEYS = 256
"""With the limit of a value, at most 16 MB for each workspace."""


class SessionState(Struct, frozen=True):
    """The saved values of one workspace."""

    directory: Path

    @classmethod
    def of(cls, root: Path, settings: Settings, context: ToolContext | None = None) -> SessionState:
        """Return the state of one caller in one thread, by default of the running call, for the workspace at a root."""
        context = context or get_current_context()
        owner = (context.caller.id, context.thread_id)
        parts = [os.fsencode(root.resolve())]
        if owner != (Caller().id, ""):
            parts += [part.encode("utf-8", "surrogatepass") for part in owner]
        name = sha256(b"\0".join(parts)).hexdigest()[:32]
        return cls(settings.cache_directory / "sessions" / name)

    def load(self) -> dict[str, Any]:
        """Return every key and its value, sorted by key; unreadable files are left out."""
        found = (_read(path) for path in self.directory.glob("*.json"))
        return dict(sorted(entry for entry in found if entry))

    def save(self, key: str, value: Any) -> int:
        """Save a value under a key and return its size in bytes.

        Raise `UsageError` if the value is not JSON or too large, the key is too long, or there are too many keys;
        `SourceError` if the cache directory cannot be written.
        """
        if not 0 < len(key) <= MAX_KEY_CHARACTERS:
            raise UsageError(f"the key must have 1 to {MAX_KEY_CHARACTERS} characters, not {len(key)}")
        try:
            text = json.dumps(value, allow_nan=False)
            document = json.dumps({"key": key, "value": value})
        except (TypeError, ValueError, RecursionError) as error:
            raise UsageError(f"the value is not JSON: {error}", hint="give text, numbers, lists or objects") from None
        if len(text) > MAX_VALUE_BYTES:
            raise UsageError(f"the value has {len(text)} bytes; the limit is {MAX_VALUE_BYTES}", hint="save less")
        path = self._get_path(key)
        try:
            self._require_room(path)
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with replacing(path) as file:
                file.write(document.encode())
        except OSError as error:
            raise SourceError(f"the session state cannot be written: {error}") from error
        return len(text)

    def _get_path(self, key: str) -> Path:
        """Return the file of a key."""
        return self.directory / f"{sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.json"

    def _require_room(self, path: Path) -> None:
        """Raise if a new file would exceed the limit on keys."""
        if not path.exists() and sum(1 for _ in self.directory.glob("*.json")) >= MAX_KEYS:
            raise UsageError(
                f"there are {MAX_KEYS} keys already", hint="replace one of them; get_session_state() lists them"
            )


def _read(path: Path) -> tuple[str, Any] | None:
    """Return the key and value in a file, None if it is unreadable."""
    try:
        document = json.loads(path.read_text("utf-8"))
        return document["key"], document["value"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
