"""Run git on untrusted repositories: only our configuration, no hooks, no helpers, and only named protocols."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from avionics.sandbox.confinement import MAX_TIMEOUT_SECONDS, ConfinedProgram, Outcome, run_confined

_SAFE_OPTIONS: Final = (
    "-c", "protocol.allow=never", "-c", "protocol.https.allow=always", "-c", "core.hooksPath=/dev/null",
    "-c", "core.fsmonitor=false", "-c", "http.followRedirects=false", "-c", "credential.helper=",
    "-c", "transfer.fsckObjects=true",
)  # fmt: skip
_SAFE_ENVIRONMENT: Final[Mapping[str, str]] = MappingProxyType({
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
})  # fmt: skip


def run_git(
    arguments: tuple[str, ...],
    program_directories: tuple[Path, ...],
    writable: Path,
    *,
    file_bytes: int,
    directory: Path | None = None,
    environment: Mapping[str, str] | None = None,
    readable: tuple[Path, ...] = (),
) -> Outcome:
    """Run git with access to the network; it may write only below `writable`, files of at most `file_bytes`."""
    program = shutil.which("git", path=os.pathsep.join(map(str, program_directories))) or "git"
    return run_confined(
        ConfinedProgram(
            (program, *_SAFE_OPTIONS, *arguments),
            directory=directory,
            timeout_seconds=MAX_TIMEOUT_SECONDS,
            readable=readable,
            writable=(writable,),
            program_directories=program_directories,
            environment={**_SAFE_ENVIRONMENT, **(environment or {})},
            network=True,
            file_bytes=file_bytes,
        )
    )
