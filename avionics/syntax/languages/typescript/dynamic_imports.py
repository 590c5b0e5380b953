"""Where TypeScript and JavaScript load a module within an expression, found without the tree.

Knows: calls of `require` and `import`, the comments before what they are given.
Does not know: what is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LOADING = re.compile(rb"\b(?:require|import)\s*\(\s*(?=[\"'`/])")
_SPACE = re.compile(rb"\s{0,200}")
_MAX_COMMENTS = 8
"""Before what is loaded; with the bound on space it keeps the time in step with the bytes, whatever they are."""


def iter_loaded(content: bytes) -> Iterator[int]:
    """Where the texts begin that `require(` and `import(` are given, comments aside."""
    closed = 0
    for found in _LOADING.finditer(content):
        at = found.end()
        for _ in range(_MAX_COMMENTS):
            if not content.startswith(b"/*", at):
                break
            if closed < at + 2:
                closed = content.find(b"*/", at + 2)
                if closed < 0:
                    closed = len(content)
            space = _SPACE.match(content, closed + 2)
            at = space.end() if space else closed + 2
        if content[at : at + 1] in {b'"', b"'", b"`"}:
            yield at
