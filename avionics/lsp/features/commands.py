"""Commands: the tools of the catalog, asked about the files as they are on the screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from avionics.lsp.view import View
from avionics.model.tools import Caller, ToolCall, ToolContext
from avionics.settings import Settings
from avionics.tools.ids import EXPOSED_TOOL_IDS, PROFILES, ToolId

USAGES_COMMAND = "avionics.usages"
"""The command that a clicked lens runs; it returns the answer of `explore_symbol_usage`."""

URI = "uri"
"""The argument that names the document or folder a command is about. No tool has a parameter of this name."""

_PREFIX = "avionics."
_TOOLS = tuple(sorted(EXPOSED_TOOL_IDS | PROFILES["review"]))
COMMANDS = (*(f"{_PREFIX}{each.value}" for each in _TOOLS), USAGES_COMMAND)
"""Every command, as a client writes it: `avionics.<tool>`, with an object of parameters as its only argument."""

_CALLER = Caller("lsp")


def get_uri(arguments: Sequence[Any]) -> str:
    """Return the URI in the arguments of a command; "" if there is none."""
    given = _read_object(arguments)
    first = arguments[0] if arguments else None
    uri = given.get(URI, first if isinstance(first, str) else "")
    return uri if isinstance(uri, str) else ""


def run_command(settings: Settings, name: str, arguments: Sequence[Any], view: View) -> str:
    """Return the text of a tool's answer, errors included.

    The arguments are an object of parameters; those of `avionics.usages` a URI, a qualified name and a line.
    """
    from avionics.tools import tool_catalog
    from avionics.tools.answers.result_text import build_text
    from avionics.tools.executor import ToolExecutor

    call = _build_call(name, arguments, view)
    executor = ToolExecutor(tool_catalog, settings=settings)
    return build_text(executor.run(call, ToolContext(_CALLER, view.workspace)))


def _build_call(name: str, arguments: Sequence[Any], view: View) -> ToolCall:
    if name == USAGES_COMMAND:
        uri, symbol, line = (*arguments, "", "", 1)[:3]
        file = view.file_of(str(uri))
        return ToolCall(ToolId.EXPLORE_SYMBOL_USAGE.value, {"symbol": symbol, "file": file, "line": line})
    given = {key: value for key, value in _read_object(arguments).items() if key != URI}
    return ToolCall(name.removeprefix(_PREFIX), given)


def _read_object(arguments: Sequence[Any]) -> Mapping[str, Any]:
    """Return the object of parameters among the arguments; empty if there is none."""
    return next((each for each in arguments if isinstance(each, Mapping)), {})
