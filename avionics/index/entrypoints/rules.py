"""Entry rows: how languages and frameworks declare entry points, as tables. One is added as rows.

Knows: decorators that register, calls that register, where programs start.
Does not know: code; what a row finds.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import cached_property

import attrs


class EntryKind(str, Enum):
    """How control comes in; the order is the order of a listing."""

    SCRIPT = "script"
    MODULE = "module"
    COMMAND = "command"
    ROUTE = "route"
    TASK = "task"
    GUARD = "run as a file"


@attrs.frozen
class DecoratorRow:
    """Decorators that declare: the last part of their name, and the packages a bare name must come from."""

    kind: EntryKind
    names: frozenset[str]
    packages: frozenset[str]


@attrs.frozen
class CallRow:
    """Calls that declare: a word of files with such calls, a pattern with `name` and maybe `runs`, files' endings.

    `sign` is what every match holds, so that texts without it need not be searched. A pattern is compiled when a text
    is first searched for it.
    """

    kind: EntryKind
    word: str
    regex: str
    endings: tuple[str, ...] = ()
    sign: str = ""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self.regex)


VERBS = frozenset({"get", "post", "put", "patch", "delete", "head", "options", "trace"})
DECORATORS = (
    DecoratorRow(
        EntryKind.ROUTE, VERBS | {"route", "api_route", "websocket"}, frozenset({"actix_web", "bottle", "rocket"})
    ),
    DecoratorRow(EntryKind.COMMAND, frozenset({"command", "group"}), frozenset({"click", "rich_click", "asyncclick"})),
    DecoratorRow(
        EntryKind.TASK,
        frozenset({"task", "shared_task", "periodic_task", "actor"}),
        frozenset({"celery", "invoke", "prefect", "dramatiq"}),
    ),
)
TEXT = r"""[rb]?(?P<quote>["'])(?P<name>(?:(?!(?P=quote)).)*)(?P=quote)"""
_RUNS = r"(?:[A-Za-z_][\w.]*(?<!as_view)\(\s*)*(?P<runs>[A-Za-z_][\w.]*)"
"""What a registering call is given to run, inside the wrappers around it."""
_PYTHON_CALLS = (
    CallRow(
        EntryKind.ROUTE,
        "urlpatterns",
        rf"\b(?P<call>path|re_path|url)\(\s*{TEXT}\s*,\s*(?!include\b){_RUNS}",
    ),
    CallRow(
        EntryKind.ROUTE,
        "add_url_rule",
        rf"\.(?P<call>add_url_rule)\(\s*{TEXT}(?:(?:[^()]|\([^()]*\))*?view_func\s*=\s*{_RUNS})?",
    ),
    CallRow(
        EntryKind.ROUTE,
        "Route",
        rf"\b(?P<call>Route|WebSocketRoute)\(\s*{TEXT}\s*,\s*(?:endpoint\s*=\s*)?{_RUNS}",
    ),
    *(
        CallRow(EntryKind.ROUTE, f"add_{verb}", rf"\.(?P<call>add_{verb})\(\s*{TEXT}\s*,\s*{_RUNS}")
        for verb in sorted(VERBS)
    ),
    CallRow(
        EntryKind.COMMAND,
        "add_parser",
        rf"\.(?P<call>add_parser)\(\s*{TEXT}"
        rf"(?:(?:(?!\.add_parser\()[\s\S])*?\.set_defaults\(\s*\w+\s*=\s*{_RUNS})?",
    ),
)
_GO_RUNS = r"(?:[\w.]+\(\s*)*(?P<runs>[A-Za-z_][\w.]*)\)*\s*\)"
"""The last thing a Go route is given, which answers."""
_GO_FIRST = r"(?:(?:[^()\n\"]|\([^()\n]*\)){0,200},)"
"""What stands before it, on its line: middleware."""
_GO_CALLS = (
    *(
        CallRow(
            EntryKind.ROUTE,
            verb,
            rf'\.(?P<call>{verb})\(\s*"(?P<name>/[^"]*)"\s*,{_GO_FIRST}?\s*(?:func\b|{_GO_RUNS})',
        )
        for name in sorted(VERBS)
        for verb in (name.upper(), name.capitalize())
    ),
    *(
        CallRow(
            EntryKind.ROUTE,
            name,
            rf'\.(?P<call>{name})\(\s*"(?:[A-Z]+ )?(?P<name>/[^"]*)"\s*,\s*(?:func\b|{_GO_RUNS})',
        )
        for name in ("Any", "Handle", "HandleFunc")
    ),
    CallRow(
        EntryKind.COMMAND,
        "cobra",
        r'\bcobra\.(?P<call>Command)\{(?:(?!cobra\.Command\{)[\s\S])*?\bUse:\s*"(?P<name>[\w:.-]+)[^"]*"'
        r"(?:(?:(?!cobra\.Command\{)[\s\S])*?\n[ \t]*RunE?:[ \t]*(?:func\b|(?P<runs>[A-Za-z_][\w.]*)))?",
    ),
)
_RUST_VERBS = "|".join(sorted(VERBS))
_RUST_CALLS = (
    CallRow(
        EntryKind.ROUTE,
        "route",
        rf'\.route\(\s*"(?P<name>/[^"]*)"\s*,\s*(?:\w+::)*(?P<call>{_RUST_VERBS}|any)\('
        rf"(?:\)\s*\.to\()?\s*(?P<runs>[A-Za-z_][\w:]*)",
    ),
    CallRow(
        EntryKind.COMMAND,
        "clap",
        r'\.subcommand\(\s*(?:clap::)?(?:Command|App)::(?P<call>new)\(\s*"(?P<name>[\w-]+)"(?P<runs>)',
    ),
)
_SCRIPTS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
_SERVER = r"\b(?:\w*[aA]pp|\w*[rR]oute[rs]?|\w*[sS]erver|fastify|api)"
"""What a route is declared on: https://expressjs.com/en/guide/routing.html, Koa's router, Fastify, Hono."""
_SCRIPT_RUNS = r"(?:async\b|function\b|\(|\w+\s*=>|(?P<runs>[A-Za-z_$][\w.$]*)\s*\))"
_SCRIPT_CALLS = tuple(
    CallRow(
        EntryKind.ROUTE,
        verb,
        rf"{_SERVER}\.(?P<call>{verb})\(\s*(?P<quote>[\"'`])(?P<name>/[^\"'`\n]*)(?P=quote)\s*,"
        rf"(?:\s*[\w.$]+(?:\([^()\n]*\))?\s*,)*\s*{_SCRIPT_RUNS}",
        _SCRIPTS,
        f".{verb}(",
    )
    for verb in (*sorted(VERBS), "all")
)
CALLS = (*_PYTHON_CALLS, *_GO_CALLS, *_RUST_CALLS, *_SCRIPT_CALLS)


@attrs.frozen
class MainRow:
    """A function that programs start with: its name, the package that holds it, and how its header reads."""

    name: str
    package: str | None
    header: re.Pattern[str]


_ANY = re.compile("")
MAINS = {
    "c": MainRow("main", None, _ANY),
    "cpp": MainRow("main", None, _ANY),
    "csharp": MainRow("Main", None, re.compile(r"\bstatic\b")),
    "go": MainRow("main", "main", _ANY),
    "java": MainRow("main", None, re.compile(r"\bstatic\b.*\bvoid main\(|^void main\(\)")),
    "kotlin": MainRow("main", None, _ANY),
    "rust": MainRow("main", None, _ANY),
}
"""Language → what a program starts with."""
