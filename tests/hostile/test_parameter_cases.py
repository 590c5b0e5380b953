"""What a stranger's parameter cannot do, in any tool: each parameter of each, with what each threat would put there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from avionics.tools import tool_catalog
from tests.hostile.repositories import make

THREATS = {
    "out": "{REL_OUT}/secret.txt",
    "absolute": "{OUTSIDE}/secret.txt",
    "sibling": "{ROOT}-evil/secret.py",
    "option": "--output={CANARY}/x",
    "program": "-O{BIN}/inj.sh",
    "shell": "$(touch {CANARY}/x); `touch {CANARY}/y` | {BIN}/inj.sh",
    "escape": "\x1b]0;t\x07\x1b[2J\u202e\U000e0041",
    "nul": "src/app.py\0.txt",
    "surrogate": "\ud800\udcff",
    "long": "a/" * 30_000,
    "pathspec": ":(glob)**",
    "revision": "HEAD:../../x",
    "huge": "9" * 5_000,
    "pattern": "(a+)+$" * 200,
}
WRONG: dict[str, Any] = {
    "nothing": None,
    "list": ["x"] * 2_000,
    "deep": [[[[[[[[[[]]]]]]]]]],
    "mapping": {"$ref": "#/", "__class__": "x", "\ud800": 1},
    "number": 10**400,
    "negative": -1,
    "infinity": float("inf"),
    "nan": float("nan"),
    "truth": True,
    "empty": "",
}
ORDINARY = {"path": "src/app.py", "file": "src/app.py", "symbol": "Cart", "name": "Cart", "query": "the cart",
            "pattern": "Cart", "reference": "src/app.py", "entry": "main", "base": "HEAD~1", "line": 1, "key": "k",
            "value": "v"}  # fmt: skip
CLASSES = {"success", "partial", "not_found", "validation_error", "error", "denied"}
PARAMETERS = [(tool, name) for tool in sorted(tool_catalog.get_tool_names())
              for name in tool_catalog.get_tool(tool).parameter_schemas]  # fmt: skip


@pytest.fixture(scope="module")
def ground(arena):
    """A repository with a history, and one beside it that nothing may reach."""
    return make(arena, "git_alias")


@pytest.mark.parametrize(("tool", "name"), PARAMETERS, ids=[f"{tool}-{name}" for tool, name in PARAMETERS])
def test_no_value_of_any_parameter_leads_out_or_harms(tool, name, ground, arena, ask, untouched):
    untouched(ground)
    schemas = tool_catalog.get_tool(tool).parameter_schemas
    shape = schemas[name].shape
    others = {key: ORDINARY.get(key, "src/app.py") for key, each in schemas.items() if each.required and key != name}
    values = list(WRONG.values())
    if shape.kind in {"string", "array"}:
        threats = [arena.fill(text, ground) for text in THREATS.values()]
        values += [[text] for text in threats] if shape.kind == "array" else threats
    for value in values:
        answer = ask(ground, tool, budget=600, **others, **{name: value})
        assert answer["class"] in CLASSES, value
        assert len(answer["text"]) < 20_000, "the answer has a bound"
        assert len(json.dumps(answer)) < 8_000_000


@pytest.mark.parametrize("tool", sorted(tool_catalog.get_tool_names()))
def test_what_a_tool_does_not_know_is_named_and_refused(tool, ground, ask):
    for name in ("cwd", "env", "root", "__class__", "a" * 500, "\x1b[31m"):
        assert ask(ground, tool, **{name: "/etc"})["class"] in {"validation_error", "error"}
