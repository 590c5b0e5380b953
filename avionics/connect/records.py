"""What was put into which file, and what the file was before: kept so that it can be taken back to the byte.

Kept in the cache, not beside the file: a configuration may hold keys, and its directory may be under version control.
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
    """One entry made.

    Attributes:
        inserted: The piece of text put in.
        is_new: Whether there was no file before.
        directories: The directories that were made for it, innermost first.
    """

    inserted: str
    is_new: bool
    directories: tuple[str, ...] = ()


@attrs.frozen
class EntryRecords:
    """All entries made, below the cache directory."""

    directory: Path

    def get_backup(self, file: Path) -> Path:
        """Return where the bytes of a file are kept as they were before."""
        return self._place(file).with_suffix(".before")

    def get(self, file: Path) -> Record | None:
        """Return what was put into a file, None where nothing is known."""
        try:
            plain: dict[str, Any] = json.loads(self._place(file).with_suffix(".json").read_bytes())
            return Record(str(plain["inserted"]), bool(plain["is_new"]), tuple(map(str, plain["directories"])))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, file: Path, record: Record, before: bytes | None) -> None:
        """Keep what is about to be put into a file, and the file as it is.

        Raises:
            ConfigError: It cannot be kept.
        """
        plain = {"file": str(file), **attrs.asdict(record)}
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            if before is not None:
                _write_private(self.get_backup(file), before)
            _write_private(self._place(file).with_suffix(".json"), json.dumps(plain).encode())
        except OSError as error:
            raise ConfigError(
                f"no backup can be kept in {self.directory}: {error.strerror}",
                hint="set AVIONICS_CACHE_DIR to a directory to write in",
            ) from None

    def remove(self, file: Path) -> None:
        """Forget an entry; the backup stays."""
        self._place(file).with_suffix(".json").unlink(missing_ok=True)

    def _place(self, file: Path) -> Path:
        name = hashlib.sha256(os.fsencode(os.path.abspath(file))).hexdigest()[:16]
        return self.directory / f"{name}.{file.name}"


def _write_private(path: Path, data: bytes) -> None:
    """Write what nobody else may read."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)
