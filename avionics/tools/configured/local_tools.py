"""Configured tools that stay on this machine: `sqlQuery`, `calculator`, `codeExecution` and `fileOperation`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from avionics.model.enums import Permission, RiskLevel
from avionics.model.errors import ConfigError, UsageError
from avionics.tools.configured.knowledge import CACHE_SECONDS, Account
from avionics.tools.configured.resources import ToolResources, from_resources, require_resource
from avionics.tools.configured.tool import ConfiguredTool, ToolType
from avionics.tools.registries.tool_override import overlaid
from avionics.tools.schema.parameters import Bounds, Parameter, Shape

NAME: Final = Parameter(
    "name", Shape("string", bounds=Bounds(pattern=r"^[A-Za-z0-9_.-]{1,64}$")), required=False,
    description="The name of the tool.",
)  # fmt: skip
DESCRIPTION: Final = Parameter(
    "description",
    Shape("string", bounds=Bounds(min_length=1)),
    required=False,
    description="What the tool does, for the model.",
)
_WORD: Final = Shape("string", bounds=Bounds(min_length=1))


def rename(tool: Any, config: Mapping[str, Any]) -> Any:
    """Return the tool with the name and the description of a configuration."""
    changed = {word: config[word] for word in ("name", "description") if config.get(word)}
    return overlaid(tool, **changed) if changed else tool


@from_resources
async def build_sql_query(tool_config: Mapping[str, Any], resources: ToolResources, _account: Account) -> Any:
    """Return the tool that queries a database, or the files of a folder."""
    from avionics.tools.builtin import DuckdbFilesRunner, DuckdbRunner, RunSqlTool, SqliteRunner
    from avionics.tools.builtin.tables.rows import SqlRunner

    seconds = tool_config.get("timeoutSeconds") or 30.0
    runner: SqlRunner
    if "folder" in tool_config:
        folder = require_resource("folder", resources.folders, tool_config["folder"])
        runner = DuckdbFilesRunner(folder, timeout_seconds=seconds)
    else:
        path = require_resource("database", resources.databases, tool_config["database"])
        if not path.is_file():
            raise ConfigError(f"the database {tool_config['database']!r} does not exist")
        kind = DuckdbRunner if path.read_bytes()[8:12] == b"DUCK" else SqliteRunner
        runner = kind(path, read_only=not tool_config.get("write"), timeout_seconds=seconds)
    tool = RunSqlTool(runner, max_rows=tool_config.get("maxRows"), store=resources.tables)
    if tool.risk_level is RiskLevel.LOW:
        tool.cache_seconds = tool_config.get("cacheSeconds") or 0
    return rename(tool, tool_config)


async def build_calculator(tool_config: Mapping[str, Any], *_: Any, **__: Any) -> Any:
    """Return the calculator."""
    from avionics.tools.builtin.calculator import CalculatorTool

    return rename(CalculatorTool(), {"name": "calculator", **tool_config})


@from_resources
async def build_code_execution(tool_config: Mapping[str, Any], resources: ToolResources, _account: Account) -> Any:
    """Return the tool that runs Python or JavaScript in the sandbox."""
    from avionics.tools.builtin.python import JavascriptTool, PythonTool, require_node

    is_javascript = tool_config.get("language") == "javascript"
    if is_javascript:
        require_node()
    folder = tool_config.get("folder")
    readable = (require_resource("folder", resources.folders, folder),) if folder else ()
    tool = (JavascriptTool if is_javascript else PythonTool)(resources.tables, readable=readable)
    return rename(tool, {"name": "execute_code", **tool_config})


@from_resources
async def build_file_operation(tool_config: Mapping[str, Any], resources: ToolResources, _account: Account) -> Any:
    """Return the tool that reads, lists and, if allowed, writes the files of a folder."""
    from avionics.tools.builtin import FILESYSTEM_TOOLS, build_builtin_tools

    folder = require_resource("folder", resources.folders, tool_config["folder"])
    read, write, listing, info = build_builtin_tools(folder, FILESYSTEM_TOOLS)
    allowed = tuple(tool_config.get("operations") or ("read", "list", "info"))

    def file_operation(
        operation: Literal["read", "list", "info", "write"], path: str, content: str | None = None
    ) -> Any:
        """Work on the files of a folder.

        Args:
            operation: What to do.
            path: A path below the folder; "." is the folder.
            content: What to write.
        """
        if operation not in allowed:
            raise UsageError(f"{operation} is not allowed here", hint=f"one of {', '.join(allowed)}")
        if (operation == "write") is not (content is not None):
            raise UsageError("content is for write, and write needs content")
        if operation == "write":
            return write.function(path=path, content=content, create_dirs=True)
        return {"read": read, "list": listing, "info": info}[operation].function(path=path)

    writes = "write" in allowed
    made = ConfiguredTool.of(
        file_operation,
        tool_config.get("name") or f"files_{tool_config['folder']}",
        tool_config.get("description") or f"Work on the files of {tool_config['folder']}: {', '.join(allowed)}",
    )
    permissions = {Permission.FILESYSTEM_READ, *((Permission.FILESYSTEM_WRITE,) if writes else ())}
    return overlaid(
        made, required_permissions=frozenset(permissions), risk_level=RiskLevel.MEDIUM if writes else RiskLevel.LOW
    )


def _find_sql_conflicts(config: Mapping[str, Any]) -> tuple[str, ...]:
    if ("database" in config) is ("folder" in config):
        return ("give either database or folder",)
    if config.get("write") and "folder" in config:
        return ("write: files of a folder can only be queried",)
    if config.get("write") and config.get("cacheSeconds"):
        return ("cacheSeconds: a tool that writes is not cached",)
    return ()


_SECONDS: Final = Parameter(
    "timeoutSeconds", Shape("number", bounds=Bounds(gt=0, le=300)), required=False, description="The time limit."
)

SQL_QUERY: Final = ToolType(
    "sqlQuery",
    build_sql_query,
    (
        Parameter("database", _WORD, required=False, description="The name of a database."),
        Parameter("folder", _WORD, required=False, description="The name of a folder with CSV, JSON or Parquet files."),
        Parameter("write", Shape("boolean"), required=False, description="Whether statements may change the database."),
        Parameter("maxRows", Shape("integer", bounds=Bounds(ge=1, le=1000)), required=False,
                  description="The maximum number of rows to show."),
        _SECONDS, CACHE_SECONDS, NAME, DESCRIPTION,
    ),
    "Queries a database, or the files of a folder, in SQL.",
    _find_sql_conflicts,
)  # fmt: skip
CALCULATOR: Final = ToolType("calculator", build_calculator, (NAME, DESCRIPTION), "Evaluates expressions.")
CODE_EXECUTION: Final = ToolType(
    "codeExecution",
    build_code_execution,
    (
        Parameter("language", Shape("string", choices=("python", "javascript")), required=False,
                  description="The language, by default python. JavaScript needs Node.js."),
        Parameter("folder", _WORD, required=False, description="The name of a folder that code may read."),
        NAME, DESCRIPTION,
    ),
    "Runs Python or JavaScript in a sandbox without network.",
)  # fmt: skip
FILE_OPERATION: Final = ToolType(
    "fileOperation",
    build_file_operation,
    (
        Parameter("folder", _WORD, description="The name of a folder."),
        Parameter("operations", Shape("array", items=Shape("string", choices=("read", "list", "info", "write")),
                                      bounds=Bounds(min_length=1)), required=False,
                  description="The operations that are allowed, by default read, list and info."),
        NAME, DESCRIPTION,
    ),
    "Reads, lists and, where allowed, writes the files of a folder.",
)  # fmt: skip
