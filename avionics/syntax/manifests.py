"""Read manifests in TOML and JSON, and where packages of Python are. A malformed manifest has no tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from avionics.late_pattern import late_pattern

_DIRECTORIES = late_pattern(r"\bpackage_dir\s*=\s*(?:\{([^{}]*)\}|dict\(([^()]*)\))", needs=("package_dir",))
_QUOTED_PAIR = late_pattern(r"""["']([\w.]*)["']\s*:\s*["']([^"'\n]*)["']|\b(\w+)\s*=\s*["']([^"'\n]*)["']""")
_OPTION = late_pattern(
    r"^package_dir[ \t]*[=:][ \t]*((?:[^\n]*)(?:\n[ \t]+[^\n]*)*)", needs=("package_dir",), flags=re.MULTILINE
)
_PLAIN_PAIR = late_pattern(r"^[ \t]*+([\w.]*+)[ \t]*+=[ \t]*+([^\s#;]+)", flags=re.MULTILINE)


def read_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML document; {} if it is malformed."""
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def read_json(text: str) -> dict[str, Any]:
    """Return a JSON object; {} if the text is malformed or has another value."""
    import json

    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def get_table(outer: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return the table that is reached by some names, one within another; {} if there is none."""
    found: Any = outer
    for name in names:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, dict) else {}


_KEYS_OF_DIRECTORIES = ("package-dir", "poetry", "sources", "\\u", "\\U")
"""Texts, one of which is in every manifest that gives directories; a key may be written with escapes."""


def read_package_directories(name: str, text: str) -> dict[str, str]:
    """Return package → directory by the text of a manifest of Python called `name`; "" stands for any other package."""
    if name.endswith(".toml"):
        # Reading the document takes longer than most answers need for everything about modules.
        if not any(key in text for key in _KEYS_OF_DIRECTORIES):
            return {}
        return {k: v for k, v in _iter_directories(read_toml(text)) if isinstance(k, str) and isinstance(v, str)}
    if name.endswith(".cfg"):
        return {k: v for block in _OPTION.findall(text) for k, v in _PLAIN_PAIR.findall(block)}
    found = (each for block in _DIRECTORIES.finditer(text) for each in _QUOTED_PAIR.findall(block[1] or block[2]))
    return {package or word: directory or value for package, directory, word, value in found}


def _iter_directories(manifest: Mapping[str, Any]) -> Iterator[tuple[object, object]]:
    """Yield package and directory as the tables of setuptools, Poetry and Hatch declare them."""
    yield from get_table(manifest, "tool", "setuptools", "package-dir").items()
    packages = get_table(manifest, "tool", "poetry").get("packages")
    for each in packages if isinstance(packages, list) else ():
        if isinstance(each, dict) and isinstance(each.get("from"), str):
            yield "", each["from"]
    for place in (("tool", "hatch", "build"), ("tool", "hatch", "build", "targets", "wheel")):
        for directory, package in get_table(manifest, *place, "sources").items():
            yield (package.replace("/", ".") if isinstance(package, str) else package), directory
