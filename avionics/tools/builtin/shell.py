"""Shell: run one program with its arguments below the root, without a shell.

So `;`, `|`, `>` and `$(…)` are plain arguments. The list of dangerous commands catches mistakes of a model; it is not a
security boundary. The boundary is the permission, the approval, and the confinement by the operating system.
"""

from __future__ import annotations

import re
import shlex
import signal
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from pydantic import Field

from avionics.model.enums import Permission, RiskLevel, ToolDomain
from avionics.model.errors import SourceError, UsageError
from avionics.sandbox.confinement import MAX_TIMEOUT_SECONDS, ConfinedProgram, Outcome, get_confinement, run_confined
from avionics.settings import Settings
from avionics.tools.base import ToolInput
from avionics.tools.builtin.rooted import RootedTool

_DANGEROUS: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        "rm -rf /": re.compile(r"\brm\s+(?:-\S+\s+)+[\"']?(?:/|~|\$HOME)(?:[\s*\"';&|]|$)"),
        "dd if=": re.compile(r"\bdd\s(?:[^;&|\n]*\s)?if="),
        "mkfs": re.compile(r"(?:^|[\s;&|/\"'])mkfs(?:\.\w+)?(?:\s|$)"),
        "format": re.compile(r"(?:^|[;&|]|\bsudo\b)\s*format(?:\.com)?(?:\s|$)"),
        "a fork bomb": re.compile(r"(?:^|[\s;\"'])[\w:.]+\s*\(\s*\)\s*\{[^}|]*\|[^}&]*&"),
    }
)

_NOT_STARTED: Final = frozenset({126, 127})
_SIGNALS_FROM: Final = 128
"""By custom a shell, and `unshare`, add this to the number of the signal that ended a program."""


class ShellInput(ToolInput):
    """The command, its directory and its time limit."""

    command: str = Field(description="The program and its arguments", min_length=1, max_length=10_000)
    timeout: float = Field(default=30, description="The time limit in seconds", gt=0, le=MAX_TIMEOUT_SECONDS)
    working_dir: str = Field(default=".", description="The working directory, relative to the root")


class ShellTool(RootedTool):
    """Runs a program.

    Args:
        root: The directory it stays below.
        settings: The limits; the program directories are the PATH.
        network: Whether programs may use the network.
        environment: The environment of programs; nothing is inherited.
    """

    name = "shell.execute"
    description = "Run a program with arguments, without a shell"
    category = ToolDomain.SHELL
    risk_level = RiskLevel.HIGH
    required_permissions: frozenset[Permission] = frozenset({Permission.SHELL_EXECUTE})
    timeout_seconds = MAX_TIMEOUT_SECONDS + 10.0
    input_model = ShellInput

    def __init__(
        self,
        root: str | Path = ".",
        settings: Settings | None = None,
        *,
        network: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(root, settings)
        self.required_permissions = require_second_grant(self.required_permissions)
        self._network = network
        self._environment = MappingProxyType(dict(environment or {}))

    def _validate(self, input_data: ShellInput) -> None:
        for name, pattern in _DANGEROUS.items():
            if pattern.search(input_data.command):
                raise ValueError(f"command: looks like {name}, which is not allowed; ask a person to do this")

    def _execute(self, input_data: ShellInput) -> dict[str, Any]:
        task = ConfinedProgram(
            split_command(input_data.command),
            directory=self.require_directory(input_data.working_dir),
            timeout_seconds=input_data.timeout,
            writable=(self.tree.root,),
            program_directories=self.settings.program_directories,
            environment=self._environment,
            network=self._network,
        )
        return describe_outcome(run_confined(task))


def describe_outcome(outcome: Outcome) -> dict[str, Any]:
    """Return the output and the exit of a program. Raise `SourceError` if it did not start, or a signal ended it."""
    output = (outcome.stderr or outcome.stdout)[-500:].strip()
    if outcome.exit_code in _NOT_STARTED:
        raise SourceError(f"the program could not be started: {output or 'no such program'}", hint="check the PATH")
    if outcome.exit_code < 0 or outcome.exit_code > _SIGNALS_FROM:
        number = -outcome.exit_code if outcome.exit_code < 0 else outcome.exit_code - _SIGNALS_FROM
        name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
        raise SourceError(f"the program was ended by {name}" + (f"; it last said: {output}" if output else ""))
    return {
        "exit_code": outcome.exit_code,
        "stdout": outcome.stdout,
        "stderr": outcome.stderr,
        "truncated": outcome.is_truncated,
        "not_confined": list(outcome.not_confined),
    }


def require_second_grant(permissions: frozenset[Permission]) -> frozenset[Permission]:
    """Return the permissions of a tool that runs programs, plus one if this system cannot confine them."""
    return permissions if get_confinement().is_complete else permissions | {Permission.UNCONFINED}


def split_command(command: str) -> tuple[str, ...]:
    """Split a command at spaces outside of quotes. Raise `UsageError` if a quote is open or no program is named."""
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise UsageError(f"the command cannot be split: {error}", hint="close every quote") from None
    if not words or not words[0] or any("\0" in word for word in words):
        raise UsageError("the command names no program", hint="for example: ls -l src")
    return words
