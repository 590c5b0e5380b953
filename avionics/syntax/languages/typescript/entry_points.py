"""How programs in JavaScript and TypeScript declare entry points."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice

from avionics.model.enums import EntryKind
from avionics.syntax.entry_points import HTTP_VERBS, CallRule, EntryPointRules, Script

_MAX_SCRIPTS = 300
_SERVER = r"\b(?:\w*[aA]pp|\w*[rR]oute[rs]?|\w*[sS]erver|fastify|api)"
"""Objects on which routes are declared: https://expressjs.com/en/guide/routing.html, Koa's router, Fastify, Hono."""
_RUNS = r"(?:async\b|function\b|\(|\w+\s*=>|(?P<runs>[A-Za-z_$][\w.$]*)\s*\))"
_CALLS = tuple(
    CallRule(
        EntryKind.ROUTE,
        verb,
        rf"{_SERVER}\.(?P<call>{verb})\(\s*(?P<quote>[\"'`])(?P<name>/[^\"'`\n]*)(?P=quote)\s*,"
        rf"(?:\s*[\w.$]+(?:\([^()\n]*\))?\s*,)*\s*{_RUNS}",
        f".{verb}(",
    )
    for verb in (*sorted(HTTP_VERBS), "all")
)


def iter_package_json(text: str) -> Iterator[Script]:
    """Yield the commands of a package.json: https://docs.npmjs.com/cli/configuring-npm/package-json#bin."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return
    given = document.get("bin") if isinstance(document, dict) else None
    name = document.get("name") if isinstance(document, dict) else None
    named = {name.rpartition("/")[2]: given} if isinstance(given, str) and isinstance(name, str) else given
    lines = text.split("\n")
    for command, target in islice(named.items(), _MAX_SCRIPTS) if isinstance(named, dict) else ():
        if isinstance(target, str) and target:
            key = command if isinstance(given, dict) else "bin"
            line = next((at for at, line in enumerate(lines, 1) if f'"{key}"' in line and target in line), 1)
            yield command, f"./{target.removeprefix('./')}", line


ENTRY_POINTS = EntryPointRules(
    calls=_CALLS, script_files={"package.json": iter_package_json}, script_importer="index.js"
)
