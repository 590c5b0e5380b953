"""Every limit in the product, each with its reason; the only reader of the environment.

Knows: defaults, bounds and environment variables.
Does not know: who obeys them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import attrs

from protocols.errors import ConfigError


def default_cache_directory() -> Path:
    """The platform's own place for caches; never inside a repository."""
    from platformdirs import user_cache_path

    return user_cache_path("avionics", appauthor=False)


def default_program_directories() -> tuple[Path, ...]:
    """Where programs are looked for: beside this Python, then the PATH; relative entries would trust a repository."""
    entries = (os.path.dirname(sys.executable), *os.get_exec_path())
    return tuple(Path(entry) for entry in entries if os.path.isabs(entry))


@attrs.frozen
class Settings:
    """What avionics may use, and where it keeps what it learnt.

    Attributes:
        cache_directory: Where the store lives. AVIONICS_CACHE_DIR.
        program_directories: Where `rg` is looked for.
        max_file_bytes: Larger files are listed but not parsed or searched: hand-written code stays far below.
        max_line_characters: A longer line is shown cut: minified code floods answers.
        max_files: A walk stops here and says so: bounds memory and time on trees that never end.
        max_parse_depth: Deeper syntax is recorded as a problem: the interpreter's stack is finite.
        worker_threshold_files: From so many unseen files on, parsing goes to worker processes: with fewer,
            starting them costs more than they save.
        workers: How many parsing processes; 0 means one a core. AVIONICS_WORKERS.
        timeout_seconds: How long a call may take. AVIONICS_TIMEOUT.
        search_timeout_seconds: How long one text search may take, well inside a call.
        git_timeout_seconds: How long one git command may take.
        default_budget_tokens: The length of an answer unless asked otherwise: what an agent can read without
            losing its thread.
        max_budget_tokens: No answer is longer: fits the smallest client's limit of tool results with room to spare.
        max_matches: A text search stops collecting here.
        max_history_commits: A history question reads at most this many commits.
    """

    cache_directory: Path = attrs.field(factory=default_cache_directory)
    program_directories: tuple[Path, ...] = attrs.field(factory=default_program_directories)
    max_file_bytes: int = 2_000_000
    max_line_characters: int = 400
    max_files: int = 500_000
    max_parse_depth: int = 400
    worker_threshold_files: int = 300
    workers: int = 0
    timeout_seconds: float = 120.0
    search_timeout_seconds: float = 30.0
    git_timeout_seconds: float = 30.0
    default_budget_tokens: int = 2_000
    max_budget_tokens: int = 6_000
    max_matches: int = 2_000
    max_history_commits: int = 2_000

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Settings with AVIONICS_* variables applied.

        Raises:
            ConfigError: A variable holds something that cannot be used.
        """
        given = os.environ if environment is None else environment
        changes: dict[str, object] = {}
        if given.get("AVIONICS_CACHE_DIR"):
            changes["cache_directory"] = Path(given["AVIONICS_CACHE_DIR"]).expanduser()
        if given.get("AVIONICS_WORKERS"):
            changes["workers"] = int(_number("AVIONICS_WORKERS", given["AVIONICS_WORKERS"]))
        if given.get("AVIONICS_TIMEOUT"):
            changes["timeout_seconds"] = _number("AVIONICS_TIMEOUT", given["AVIONICS_TIMEOUT"])
        return cls(**changes)  # type: ignore[arg-type]


def _number(name: str, text: str) -> float:
    """The variable's value as a number ≥ 0."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9:
        raise ConfigError(f"{name} must be a number from 0 on, not {text!r}", hint=f"unset {name} or give it a number")
    return value
