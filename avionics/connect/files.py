"""Read and replace configuration files safely."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from avionics.model.errors import ConfigError, SourceError
from avionics.scratch import replacing

MAX_CONFIGURATION_BYTES = 16_000_000
"""Claude Code keeps its history in its configuration; no configuration is larger."""


def read_configuration(path: Path) -> bytes | None:
    """Return the bytes of a configuration file, None if it does not exist.

    Raise `ConfigError` if it is a link, not a regular file, or too large; `SourceError` if it cannot be read.
    """
    try:
        _require_plain(path, os.lstat(path))
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        with open(os.open(path, flags), "rb") as file:
            _require_plain(path, os.fstat(file.fileno()))
            return file.read(MAX_CONFIGURATION_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SourceError(f"cannot read {path}: {error.strerror}") from None


def require_inside(root: Path, path: Path) -> None:
    """Raise `ConfigError` if a directory on the path is a link, which could lead out of the repository."""
    for parent in path.parents:
        if parent == root:
            return
        if parent.is_symlink():
            raise ConfigError(f"{parent} is a link", hint="name its target with --file")


def require_writable(path: Path) -> None:
    """Raise `ConfigError` if the file or its directory is read-only, before anything is written."""
    existing = next(each for each in (path, *path.parents) if each.exists())
    directory = path.parent if existing == path else existing
    for each in {existing, directory}:
        if not os.stat(each).st_mode & 0o222 or not os.access(each, os.W_OK):
            raise ConfigError(f"{each} is read-only", hint="make it writable, or add the entry by hand: see --print")


def replace_configuration(path: Path, before: bytes | None, after: bytes | None) -> tuple[Path, ...]:
    """Replace the old bytes by new ones, atomically; None means no file.

    Returns:
        The directories that were created.

    Raises:
        ConfigError: The file has changed in the meantime.
        SourceError: It cannot be written.
    """
    made = tuple(each for each in path.parents if not each.exists()) if after is not None else ()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if before is None and after is not None:
            with path.open("xb") as file:
                file.write(after)
        elif after is None:
            _require_same(path, before)
            path.unlink()
        else:
            _replace(path, before, after)
    except FileExistsError:
        raise _changed(path) from None
    except OSError as error:
        raise SourceError(f"cannot write {path}: {error.strerror}", hint="nothing was changed") from None
    return made


def remove_empty(directories: tuple[Path, ...]) -> None:
    """Remove empty directories, the innermost first."""
    for directory in directories:
        with suppress(OSError):
            directory.rmdir()


def _replace(path: Path, before: bytes | None, after: bytes) -> None:
    """Replace the contents of a file, keeping its mode."""
    with replacing(path) as file:
        file.write(after)
        file.flush()
        os.fsync(file.fileno())
        os.chmod(file.name, stat.S_IMODE(os.lstat(path).st_mode))
        _require_same(path, before)


def _require_same(path: Path, before: bytes | None) -> None:
    if read_configuration(path) != before:
        raise _changed(path)


def _changed(path: Path) -> ConfigError:
    return ConfigError(f"{path} has changed in the meantime; nothing was written", hint="run the command again")


def _require_plain(path: Path, status: os.stat_result) -> None:
    """Reject anything but a regular file with one name."""
    if stat.S_ISLNK(status.st_mode):
        target = os.path.realpath(path)
        raise ConfigError(f"{path} is a link to {target}", hint=f"name the file itself: --file {target}")
    if not stat.S_ISREG(status.st_mode):
        raise ConfigError(f"{path} is not a regular file")
    if status.st_nlink > 1:
        raise ConfigError(
            f"{path} has other hard links, which would no longer be the same file",
            hint="add the entry by hand: see --print",
        )
    if status.st_size >= MAX_CONFIGURATION_BYTES:
        raise ConfigError(f"{path} is larger than any configuration: {status.st_size} bytes")
