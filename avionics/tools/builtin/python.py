"""Python and JavaScript: run code in a separate interpreter, in an empty directory that is removed afterwards."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Final

from pydantic import Field

from avionics.model.enums import Permission, RiskLevel, ToolDomain
from avionics.model.errors import MissingDependencyError
from avionics.model.results import ToolResult
from avionics.sandbox.confinement import MAX_TIMEOUT_SECONDS, ConfinedProgram, run_confined
from avionics.settings import Settings
from avionics.tools.base import BaseTool, ToolInput
from avionics.tools.builtin.shell import describe_outcome, require_second_grant
from avionics.tools.builtin.tables.store import TableStore

_NODE_MEGABYTES: Final = 512
"""The heap of a script, well within the memory that a confined program may map."""


class PythonInput(ToolInput):
    """The code and its time limit."""

    code: str = Field(description="The code to run", max_length=100_000)
    timeout: float = Field(default=30, description="The time limit in seconds", gt=0, le=MAX_TIMEOUT_SECONDS)


class PythonWithTablesInput(PythonInput):
    """The code, its time limit, and the tables it reads."""

    tables: list[str] = Field(
        default_factory=list,
        max_length=10,
        description='Handles of tables; each is a file of JSON lines beside the code, such as "table_1.jsonl"',
    )


class PythonTool(BaseTool):
    """Runs code; the result is what it prints.

    Args:
        store: The tables that code may read; without one it has no parameter for them.
        network: Whether the code may use the network.
        readable: Files and directories that the code may read.
    """

    name = "python.execute"
    description = "Run Python code in an isolated process and return what it prints"
    category = ToolDomain.CODE
    risk_level = RiskLevel.HIGH
    required_permissions: frozenset[Permission] = frozenset({Permission.CODE_EXECUTE})
    timeout_seconds = MAX_TIMEOUT_SECONDS + 10.0
    input_model: type[ToolInput] = PythonInput
    language = "python"
    script = "main.py"

    def __init__(
        self, store: TableStore | None = None, *, network: bool = False, readable: tuple[Path, ...] = ()
    ) -> None:
        if store is not None:
            self.input_model = PythonWithTablesInput
        super().__init__()
        self._store = store
        self.required_permissions = require_second_grant(self.required_permissions)
        self._network = network
        self._readable = readable

    def _execute(self, input_data: PythonInput) -> ToolResult:
        files = {self.script: input_data.code.encode("utf-8", "surrogatepass")}
        for handle in getattr(input_data, "tables", ()):
            assert self._store is not None
            files[f"{handle}.jsonl"] = self._store.get(handle).read_bytes()
        task = ConfinedProgram(
            (*self._get_interpreter(), self.script),
            files=files,
            timeout_seconds=input_data.timeout,
            readable=self._readable,
            network=self._network,
        )
        data = describe_outcome(run_confined(task))
        component = {"type": "code", "language": self.language, "code": input_data.code, "output": data["stdout"]}
        return ToolResult(data=data, ui_component=component)

    def _get_interpreter(self) -> tuple[str, ...]:
        """Return the command that runs a script."""
        return sys.executable, "-I", "-B", "-X", "utf8"


class JavascriptTool(PythonTool):
    """Runs JavaScript with Node.js, where it is installed, in the same sandbox; the result is what it prints."""

    name = "javascript.execute"
    description = "Run JavaScript code in an isolated process and return what it prints"
    language = "javascript"
    script = "main.js"

    def _get_interpreter(self) -> tuple[str, ...]:
        return require_node(), f"--max-old-space-size={_NODE_MEGABYTES}"


def require_node() -> str:
    """Return the path of Node.js. Raise `MissingDependencyError` if it is not installed."""
    places = os.pathsep.join(map(str, Settings.from_environment().program_directories))
    found = shutil.which("node", path=places)
    if found is None:
        raise MissingDependencyError("Node.js is not installed", hint="install node, or use the language python")
    return found
