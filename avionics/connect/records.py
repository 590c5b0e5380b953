"""Record the inserted text and the original file, so that the file can be restored exactly.

The records are in the cache, not beside the file: a configuration may contain keys, and its directory may be under
version control.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import attrs

from avionics.model.errors import ConfigError


@attrs.frozen
class Record:
    """One inserted entry, and the directories that were created for it, innermost first."""

    inserted: str
    is_new: bool
    directories: tuple[str, ...] = ()


@attrs.frozen
class EntryRecords:
    """All inserted entries, below the cache directory."""

    directory: Path

    def get_backup(self, file: Path) -> Path:
        """Return the path of the backup of a file."""
        return self._place(file).with_suffix(".before")

    def get(self, file: Path) -> Record | None:
        """Return the record of a file; None if there is none."""
        try:
            plain: dict[str, Any] = json.loads(self._place(file).with_suffix(".json").read_bytes())
            return Record(str(plain["inserted"]), bool(plain["is_new"]), tuple(map(str, plain["directories"])))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, file: Path, record: Record, before: bytes | None) -> None:
        """Save the text to insert into a file, and the original file. Raise `ConfigError` if that fails."""
        plain = {"file": str(file), **attrs.asdict(record)}
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            if before is not None:
                _write_private(self.get_backup(file), before)
            _write_private(self._place(file).with_suffix(".json"), json.dumps(plain).encode())
        except OSError as error:
            raise ConfigError(
                f"cannot write a backup to {self.directory}: {error.strerror}",
                hint="set AVIONICS_CACHE_DIR to a writable directory",
            ) from None

    def remove(self, file: Path) -> None:
        """Forget an entry; the backup stays."""
        self._place(file).with_suffix(".json").unlink(missing_ok=True)

    def _place(self, file: Path) -> Path:
        name = hashlib.sha256(os.fsencode(os.path.abspath(file))).hexdigest()[:16]
        return self.directory / f"{name}.{file.name}"


def _write_private(path: Path, data: bytes) -> None:
    """Write a file that only its owner may read."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)
