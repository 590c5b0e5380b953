"""Scripts that an installed package brings, read from its configuration: name, `module:function`, line.

Nothing is run: `setup.py` is read as text.

Knows: pyproject.toml (https://packaging.python.org/en/latest/specifications/pyproject-toml/), setup.cfg, setup.py.
Does not know: what the scripts do.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Script = tuple[str, str, int]

_SECTIONS = (("project", "scripts"), ("project", "gui-scripts"), ("tool", "poetry", "scripts"))
_INI_SECTION = re.compile(r"^\[([^\]]+)\]")
_INI_ENTRY = re.compile(r"^\s+([^\s=]+)\s*=\s*([^\s#]+)")
_SETUP_GROUP = re.compile(r"[\"']?(?:console|gui)_scripts[\"']?\s*(?:[:=]|\])")
_SETUP_ENTRY = re.compile(r"(?:[\"']|^)\s*([\w.-]+)\s*=\s*([\w.]+:[\w.]+)", re.MULTILINE)


def iter_pyproject(text: str) -> Iterator[Script]:
    """The scripts of a pyproject.toml; none when it is no TOML."""
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    lines = text.split("\n")
    for section in _SECTIONS:
        for name, target in _table(document, section).items():
            called = target.get("callable") or target.get("reference") if isinstance(target, dict) else target
            if isinstance(called, str) and called:
                yield name, called, _toml_line(lines, section, name)


def iter_setup_cfg(text: str) -> Iterator[Script]:
    """The scripts of a setup.cfg."""
    section = group = ""
    for number, line in enumerate(text.split("\n"), 1):
        header = _INI_SECTION.match(line)
        if header:
            section, group = header[1].strip(), ""
        elif section == "options.entry_points" and line[:1].strip():
            group = line.partition("=")[0].strip()
        elif group in {"console_scripts", "gui_scripts"} and (entry := _INI_ENTRY.match(line)):
            yield entry[1], entry[2], number


def iter_setup_py(text: str) -> Iterator[Script]:
    """The scripts that a setup.py lists as plain strings."""
    for group in _SETUP_GROUP.finditer(text):
        end = min((at for mark in "]})" if (at := text.find(mark, group.end())) >= 0), default=len(text))
        for entry in _SETUP_ENTRY.finditer(text, group.end(), end):
            yield entry[1], entry[2], text.count("\n", 0, entry.start(1)) + 1


SCRIPT_FILES: Mapping[str, Callable[[str], Iterator[Script]]] = {
    "pyproject.toml": iter_pyproject,
    "setup.cfg": iter_setup_cfg,
    "setup.py": iter_setup_py,
}
"""File name → how its scripts are read."""


def _table(document: Mapping[str, Any], section: tuple[str, ...]) -> Mapping[str, Any]:
    """A nested table, empty when it is not there."""
    found: Any = document
    for part in section:
        found = found.get(part, {}) if isinstance(found, dict) else {}
    return found if isinstance(found, dict) else {}


def _toml_line(lines: list[str], section: tuple[str, ...], name: str) -> int:
    """The line of a key: the first after its section's header, else the first anywhere."""
    header = f"[{'.'.join(section)}]"
    start = next((at for at, line in enumerate(lines) if line.replace(" ", "").replace('"', "") == header), 0)
    key = re.compile(rf"""\s*(?:[\w.-]*\.)?["']?{re.escape(name)}["']?\s*=""")
    numbers = (*range(start, len(lines)), *range(start))
    return next((at + 1 for at in numbers if key.match(lines[at])), start + 1)
