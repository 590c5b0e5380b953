"""Scripts that an installed package brings, read from its configuration: name, `module:function`, line.

Nothing is run: `setup.py` is read as text.

Knows: pyproject.toml (https://packaging.python.org/en/latest/specifications/pyproject-toml/), setup.cfg, setup.py,
package.json.
Does not know: what the scripts do.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

Script = tuple[str, str, int]

_MAX_GROUPS, _MAX_SCRIPTS = 20, 300
"""A file is searched anew for each; the packages with the most scripts have some fifty."""

_SECTIONS = (("project", "scripts"), ("project", "gui-scripts"), ("tool", "poetry", "scripts"))
_INI_SECTION = re.compile(r"^\[([^\]]+)\]")
_INI_ENTRY = re.compile(r"^\s+([^\s=]+)\s*=\s*([^\s#]+)")
_SETUP_GROUP = re.compile(r"[\"']?(?:console|gui)_scripts[\"']?\s*(?:[:=]|\])")
_SETUP_ENTRY = re.compile(
    r"(?:[\"']|^)[ \t]{0,100}([\w.-]{1,200})[ \t]{0,100}=[ \t]{0,100}([\w.]{1,200}:[\w.]+)", re.MULTILINE
)


def iter_pyproject(text: str) -> Iterator[Script]:
    """The scripts of a pyproject.toml; none when it is no TOML."""
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    lines = text.split("\n")
    for section in _SECTIONS:
        for name, target in islice(_table(document, section).items(), _MAX_SCRIPTS):
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
    for group in islice(_SETUP_GROUP.finditer(text), _MAX_GROUPS):
        end = min((at for mark in "]})" if (at := text.find(mark, group.end())) >= 0), default=len(text))
        for entry in islice(_SETUP_ENTRY.finditer(text, group.end(), end), _MAX_SCRIPTS):
            yield entry[1], entry[2], text.count("\n", 0, entry.start(1)) + 1


def iter_package_json(text: str) -> Iterator[Script]:
    """The commands of a package.json: https://docs.npmjs.com/cli/configuring-npm/package-json#bin."""
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


SCRIPT_FILES: Mapping[str, Callable[[str], Iterator[Script]]] = {
    "package.json": iter_package_json,
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
