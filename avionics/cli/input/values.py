"""Convert between `--param key=value` in a shell and the arguments of a call.

A value that does not have its declared type stays text, so that the validation in the executor reports every problem.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from avionics.model import ToolCall, UsageError
from avionics.model.tools import CallWriter
from avionics.tools.ids import ToolId

_OPTIONS = ("budget", "rev")
"""Arguments of every tool, which have options of their own."""

_PLAIN: Mapping[str, tuple[type, ...]] = {"integer": (int,), "number": (int, float), "object": (dict,)}
"""Types that are written as in JSON."""


def parse_parameters(given: Sequence[str], types: Mapping[str, str]) -> dict[str, Any]:
    """Return the arguments of a call from `key=value` texts; an array is one JSON value or several texts.

    Raise `UsageError` if an option has no `=`, or a parameter with one value is repeated.
    """
    values: dict[str, list[str]] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise UsageError(f"--param {text!r} is not KEY=VALUE", hint=f"write --param {key or 'KEY'}=VALUE")
        values.setdefault(key, []).append(value)
    return {key: _parse(key, texts, types.get(key, "string").removesuffix("?")) for key, texts in values.items()}


def build_call_writer(repo: Path) -> CallWriter:
    """Return a function that writes a call as a command about the same directory, or "" if no shell accepts it."""

    def write(call: ToolCall) -> str:
        is_question = call.name == ToolId.ANALYZE.value and call.arguments.keys() <= {"query", *_OPTIONS}
        is_question = is_question and not str(call.arguments.get("query")).startswith("-")
        words = ["avionics", "ask"] if is_question else ["avionics", "run", call.name]
        for name, value in call.arguments.items():
            text = value if isinstance(value, str) else _to_json(value)
            if name in _OPTIONS:
                words += [f"--{name}", text]
            else:
                words += [text] if is_question else ["--param", f"{name}={text}"]
        return write_command(words, repo)

    return write


def _to_json(value: Any) -> str:
    import json

    return json.dumps(value)


def write_command(words: Sequence[str], repo: Path) -> str:
    """Return a command about a directory for a shell; "" if no shell accepts it.

    It ends with `#`, so that what the answer says after it is a comment and the whole line can be pasted.
    """
    import shlex

    words = [*words, "--repo", str(repo)] if repo != Path() else words
    return f"{shlex.join(words)} #" if all(map(str.isprintable, words)) else ""


def _parse(key: str, texts: list[str], kind: str) -> Any:
    """Return the value of one parameter."""
    if kind.startswith("array"):
        whole = _from_json(texts[0], list) if len(texts) == 1 else None
        item_kind = kind.removeprefix("array").strip("<>") or "string"
        return [_parse_one(text, item_kind) for text in texts] if whole is None else whole
    if len(texts) > 1:
        raise UsageError(f"--param {key} is given {len(texts)} times", hint=f"{key} takes one value")
    return _parse_one(texts[0], kind)


def _parse_one(text: str, kind: str) -> Any:
    """Return a single value, or the text itself if it does not have the type."""
    if kind == "boolean":
        return {"true": True, "false": False}.get(text.lower(), text)
    value = _from_json(text, *_PLAIN.get(kind, ()))
    return text if value is None else value


def _from_json(text: str, *wanted: type) -> Any:
    """Return the JSON value if it is of a wanted type, else None."""
    if not wanted:
        return None
    import json

    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, wanted) and not isinstance(value, bool) else None
