"""Python: run code in a separate interpreter, in an empty directory that is removed afterwards."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from pydantic import Field

from avionics.model.enums import Permission, RiskLevel, ToolDomain
from avionics.sandbox.confinement import MAX_TIMEOUT_SECONDS, ConfinedProgram, run_confined
from avionics.tools.base import BaseTool, ToolInput, ToolOutput
from avionics.tools.builtin.shell import describe_outcome, require_second_grant
from avionics.tools.builtin.tables.store import TableStore

_SCRIPT: Final = "main.py"


class PythonInput(ToolInput):
    """The code and its time limit."""

    code: str = Field(description="The Python code to run", max_length=100_000)
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

    def _execute(self, input_data: PythonInput) -> ToolOutput:
        files = {_SCRIPT: input_data.code.encode("utf-8", "surrogatepass")}
        for handle in getattr(input_data, "tables", ()):
            assert self._store is not None
            files[f"{handle}.jsonl"] = self._store.get(handle).read_bytes()
        task = ConfinedProgram(
            (sys.executable, "-I", "-B", "-X", "utf8", _SCRIPT),
            files=files,
            timeout_seconds=input_data.timeout,
            readable=self._readable,
            network=self._network,
        )
        data = describe_outcome(run_confined(task))
        component = {"type": "code", "language": "python", "code": input_data.code, "output": data["stdout"]}
        return ToolOutput(success=True, data=data, metadata={"ui_component": component})
