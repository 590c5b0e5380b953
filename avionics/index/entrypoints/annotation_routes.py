"""Annotated routes: what the annotations of a method and of its class say of the requests it answers.

A class gives the beginning of the path, a method the rest and the HTTP methods (Spring, JAX-RS, Micronaut, Ktor's
resources, ASP.NET).

Knows: annotations as written.
Does not know: files, what the method does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from avionics.model.facts import Symbol

_VERBS = ("Get", "Post", "Put", "Patch", "Delete", "Head", "Options")
_METHODS: dict[str, tuple[str, ...]] = {
    **{f"{verb}Mapping": (verb.upper(),) for verb in _VERBS},
    **{f"Http{verb}": (verb.upper(),) for verb in _VERBS},
    **{verb.upper(): (verb.upper(),) for verb in _VERBS},
    "RequestMapping": (),
    "MessageMapping": (),
}
_PATHS = frozenset({"Path", "RequestMapping", "Controller", "RestController", "Route", "RoutePrefix"})
_ANNOTATION = re.compile(r"(?:[\w.]+\.)?(\w+)\s*(?:\((.*))?$", re.DOTALL)
_PAIR = re.compile(r"(\w+)\s*=(?!=)\s*(\{[^}]*\}|\[[^\]]*\]|[^,)]*)")
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
_VERB = re.compile(r"RequestMethod\.(\w+)|\b(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b")
_CONTROLLER = re.compile(r"Controller$")

Route = tuple[str, str, tuple[str, ...]]
"""The annotation as written, the path, the HTTP methods."""


def find_routes(method: Symbol, holder: Symbol | None) -> tuple[Route, ...]:
    """The routes that a method of a class answers, () for none."""
    verbs = [(each, _METHODS[name], text) for each, name, text in _read(method.decorators) if name in _METHODS]
    if not verbs:
        return ()
    own = [path for _, name, text in _read(method.decorators) if name in {"Path", "Route"} for path in _paths(text)]
    above = [
        path for _, name, text in _read(holder.decorators if holder else ()) if name in _PATHS for path in _paths(text)
    ]
    found = []
    for written, methods, text in verbs:
        for first in above or [""]:
            for rest in _paths(text) or own or [""]:
                asked = methods or tuple(dict.fromkeys(a or b for a, b in _VERB.findall(_given(text, "method"))))
                found.append((written, _joined(first, rest, method, holder), asked))
    return tuple(found)


def _read(decorators: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Each annotation: as written, its name, what stands between its brackets."""
    for each in decorators:
        match = _ANNOTATION.match(each)
        if match is not None:
            yield each, match[1], (match[2] or "").removesuffix(")")


def _paths(text: str) -> list[str]:
    """The paths that an annotation names: its only value, or the one under `value` or `path`."""
    pairs = {match[1]: match[2] for match in _PAIR.finditer(text)}
    first = text if not pairs else text.partition(",")[0] if "=" not in text.partition(",")[0] else ""
    return [path for part in (first, pairs.get("value", ""), pairs.get("path", "")) for path in _TEXT.findall(part)]


def _given(text: str, name: str) -> str:
    """What an annotation gives under a name."""
    return next((match[2] for match in _PAIR.finditer(text) if match[1] == name), "")


def _joined(first: str, rest: str, method: Symbol, holder: Symbol | None) -> str:
    """Both parts as one path; `[controller]` and `[action]` stand for the names of class and method."""
    path = "/".join(part.strip("/") for part in (first, rest) if part.strip("/"))
    if rest.startswith("/") and first and "[" in first:
        path = rest.strip("/")
    of = _CONTROLLER.sub("", holder.name) if holder is not None else ""
    return f"/{path.replace('[controller]', of.lower()).replace('[action]', method.name.lower())}"
