"""Write edits as a patch that `git apply` and `patch -p1` take."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping

_PLAIN = re.compile(r"[\w./+@=,:%-]+", re.ASCII)


def build_patch(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Return a unified diff of the files whose texts differ, with three lines of context."""
    found: list[str] = []
    for file in sorted(after):
        old, new = (_split(texts[file]) for texts in (before, after))
        lines = list(difflib.unified_diff(old, new, quote_path(f"a/{file}"), quote_path(f"b/{file}")))
        if lines:
            # Only LF ends a line here, so that no other line break in the file can split a line of the patch.
            found += [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines]
    return "".join(found)


def quote_path(path: str) -> str:
    """Return a path as git writes it in patches: in quotes with escapes if it has special characters."""
    if _PLAIN.fullmatch(path):
        return path
    special = {ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n", ord("\t"): "\\t", ord("\r"): "\\r"}
    written = []
    for byte in path.encode("utf-8", "surrogateescape"):
        if byte in special:
            written.append(special[byte])
        else:
            written.append(chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}")
    return f'"{"".join(written)}"'


def _split(text: str) -> list[str]:
    """Return the lines with their ends; only LF ends a line."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
