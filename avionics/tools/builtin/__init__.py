"""Built-in tools, in groups; none runs unless it is registered and its permissions are granted.

Knows: which tools belong together.
Does not know: who registers them, what is granted.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from avionics.tools.base import BaseTool
from avionics.tools.builtin.calculator import CalculatorTool
from avionics.tools.builtin.chart import VisualizeDataTool
from avionics.tools.builtin.data import FormatTool, ParseCsvTool, ParseJsonTool, TransformTool
from avionics.tools.builtin.filesystem import GetInfoTool, ListDirectoryTool, ReadFileTool, WriteFileTool
from avionics.tools.builtin.git import GitCloneTool, GitCommitTool, GitDiffTool, GitLogTool, GitStatusTool
from avionics.tools.builtin.memory import SaveQuestionToolArgsTool, SearchSavedCorrectToolUsesTool, ToolMemory
from avionics.tools.builtin.python import PythonTool
from avionics.tools.builtin.rooted import RootedTool
from avionics.tools.builtin.shell import ShellTool
from avionics.tools.builtin.sql import RunSqlTool, SqliteRunner
from avionics.tools.builtin.tables.duckdb_runner import DuckdbFilesRunner, DuckdbRunner
from avionics.tools.builtin.tables.rows import SqlRunner
from avionics.tools.builtin.tables.store import TableStore
from avionics.tools.builtin.tables.summary import SummarizeTableTool
from avionics.tools.builtin.web import FetchTool

__all__ = [
    "ALL_BUILTIN_TOOLS", "CALCULATOR_TOOLS", "CHART_TOOLS", "DATA_TOOLS", "FILESYSTEM_TOOLS", "GIT_TOOLS",
    "PYTHON_TOOLS", "SHELL_TOOLS", "WEB_TOOLS", "DuckdbFilesRunner", "DuckdbRunner", "RunSqlTool", "SqliteRunner",
    "TableStore", "ToolMemory", "build_builtin_tools", "build_data_tools", "build_memory_tools",
]  # fmt: skip

FILESYSTEM_TOOLS = (ReadFileTool, WriteFileTool, ListDirectoryTool, GetInfoTool)
SHELL_TOOLS = (ShellTool,)
WEB_TOOLS = (FetchTool,)
GIT_TOOLS = (GitStatusTool, GitLogTool, GitDiffTool, GitCommitTool, GitCloneTool)
PYTHON_TOOLS = (PythonTool,)
DATA_TOOLS = (ParseJsonTool, ParseCsvTool, TransformTool, FormatTool)
ALL_BUILTIN_TOOLS: tuple[type[BaseTool], ...] = (
    *FILESYSTEM_TOOLS, *SHELL_TOOLS, *WEB_TOOLS, *GIT_TOOLS, *PYTHON_TOOLS, *DATA_TOOLS
)  # fmt: skip
"""The tools that need only a root directory; memory and SQL tools need more arguments."""

CALCULATOR_TOOLS = (CalculatorTool,)
CHART_TOOLS = (VisualizeDataTool,)


def build_builtin_tools(root: str | Path, tools: Iterable[type[BaseTool]] = ALL_BUILTIN_TOOLS) -> tuple[BaseTool, ...]:
    """Return the tools, bound to a root if they use the disk; by default to the current directory."""
    return tuple(tool(root) if issubclass(tool, RootedTool) else tool() for tool in tools)


def build_memory_tools(memory: ToolMemory | None = None) -> tuple[BaseTool, ...]:
    """Return the two memory tools for one memory."""
    shared = ToolMemory() if memory is None else memory
    return SaveQuestionToolArgsTool(shared), SearchSavedCorrectToolUsesTool(shared)


def build_data_tools(runner: SqlRunner, store: TableStore | None = None) -> tuple[BaseTool, ...]:
    """Return the tools of a data chain: `run_sql` returns handles, which the other tools accept instead of rows.

    They are `run_sql`, `summarize_table`, `visualize_data` and `python.execute`.
    """
    shared = TableStore() if store is None else store
    return (
        RunSqlTool(runner, store=shared),
        SummarizeTableTool(shared),
        VisualizeDataTool(shared),
        PythonTool(store=shared),
    )
