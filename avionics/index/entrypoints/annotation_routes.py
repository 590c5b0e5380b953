"""Find the requests that a method handles from its annotations and those of its class.

The class gives the beginning of the path, the method the rest and the HTTP methods.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from avionics.late_pattern import late_pattern
from avionics.model.facts import Symbol
from avionics.syntax.entry_points import AnnotatedRoutes

_ANNOTATION = late_pattern(r"(?:[\w.]+\.)?(\w+)\s*(?:\((.*))?$", re.DOTALL)
_PAIR = late_pattern(r"(\w+)\s*=(?!=)\s*(\{[^}]*\}|\[[^\]]*\]|[^,)]*)")
_TEXT = late_pattern(r"""(["'`])((?:(?!\1)[^\\]|\\.)*)\1""")
_VERB = late_pattern(r"RequestMethod\.(\w+)|\b(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b")
_CONTROLLER = late_pattern(r"Controller$")

Route = tuple[str, str, tuple[str, ...]]
"""The annotation as written, the path, the HTTP methods (() for all)."""


def find_annotated_routes(method: Symbol, owner: Symbol | None, rules: AnnotatedRoutes) -> tuple[Route, ...]:
    """Return the routes that a method of a class handles; () if it handles none."""
    read = tuple(_read(method.decorators))
    verbs = [(each, rules.methods[name], text) for each, name, text in read if name in rules.methods]
    if not verbs:
        return ()
    own = [path for _, name, text in read if name in rules.method_paths for path in _paths(text)]
    around = _read(owner.decorators if owner else ())
    above = [path for _, name, text in around if name in rules.paths for path in _paths(text)]
    found = []
    for written, methods, text in verbs:
        for first in above or [""]:
            for rest in _paths(text) or own or [""]:
                asked = methods or tuple(dict.fromkeys(a or b for a, b in _VERB.findall(_given(text, "method"))))
                found.append(
                    (
                        written,
                        _joined("" if rules.alone and rules.alone.match(rest) else first, rest, method, owner),
                        asked,
                    )
                )
    return tuple(found)


def _read(decorators: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Yield each annotation as written, its name, and its arguments."""
    for each in decorators:
        match = _ANNOTATION.match(each)
        if match is not None:
            yield each, match[1], (match[2] or "").removesuffix(")")


def _paths(text: str) -> list[str]:
    """Return the paths that an annotation names: its only value, or the one under `value` or `path`."""
    pairs = {match[1]: match[2] for match in _PAIR.finditer(text)}
    first = text if not pairs else text.partition(",")[0] if "=" not in text.partition(",")[0] else ""
    return [path for part in (first, pairs.get("value", ""), pairs.get("path", "")) for _, path in _TEXT.findall(part)]


def _given(text: str, name: str) -> str:
    """Return the named argument of an annotation; "" if it has none."""
    return next((match[2] for match in _PAIR.finditer(text) if match[1] == name), "")


def _joined(first: str, rest: str, method: Symbol, owner: Symbol | None) -> str:
    """Join both parts of a path; `[controller]` and `[action]` become the names of class and method (ASP.NET)."""
    path = "/".join(part.strip("~/") for part in (first, rest) if part.strip("~/"))
    of = _CONTROLLER.sub("", owner.name) if owner is not None else ""
    return f"/{path.replace('[controller]', of.lower()).replace('[action]', method.name.lower())}"
