"""Signature compatibility: whether callers of an old signature can call the new one.

Only parameter lists as written are compared, not types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.registry import get_conventions

_OPEN, _CLOSE = "([{<", ")]}>"
_NAME = re.compile(r"(?:\*|\.{3}|&|mut\s+|(?:readonly|public|private|protected)\s+)*+([A-Za-z_$][\w$]*)")
_OPTIONAL = re.compile(r"=(?!>)|^\*|^\.\.\.|\.\.\.|^[\w$]+\?")

_MARKS = frozenset({"*", "/"})
"""Separators in a parameter list that are not parameters."""


class _Parameter(Struct, frozen=True):
    name: str
    is_optional: bool
    is_keyword_only: bool


def find_breaks(before: str, after: str, language: str) -> tuple[Reason, ...]:
    """Return why a caller of the old signature may fail with the new one; () if there is no reason."""
    if not get_conventions(language).is_name_first:
        lists = [before.partition("(")[2], after.partition("(")[2]]
        is_same = "".join(lists[0].split()) == "".join(lists[1].split())
        return () if is_same else (Reason(ReasonKind.PARAMETERS_CHANGED),)
    old, new = _parameters(before), _parameters(after)
    if old is None or new is None:
        return ()
    return tuple(_iter_breaks(old, new))


def read_parameters(name: str, text: str) -> str:
    """Return the parameter list after a name in a text, on one line; "" if there is none."""
    start = text.find(f"{name}(")
    return ", ".join(" ".join(each.split()) for each in _split(text[start + len(name) + 1 :])) if start >= 0 else ""


def _iter_breaks(old: tuple[_Parameter, ...], new: tuple[_Parameter, ...]) -> Iterator[Reason]:
    names = {parameter.name: parameter for parameter in new}
    known = {parameter.name for parameter in old}
    takes_any = any(parameter.name.startswith("**") for parameter in new)
    for parameter in old:
        if parameter.name in _MARKS:
            continue
        if parameter.name not in names:
            if not takes_any or parameter.name.startswith("*"):
                yield Reason(ReasonKind.PARAMETER_REMOVED, subject=parameter.name)
        elif names[parameter.name].is_keyword_only and not parameter.is_keyword_only:
            yield Reason(ReasonKind.PARAMETER_KEYWORD_ONLY, subject=parameter.name)
        elif parameter.is_optional and not names[parameter.name].is_optional:
            yield Reason(ReasonKind.PARAMETER_REQUIRED, subject=parameter.name)
    for parameter in new:
        if parameter.name not in known and not parameter.is_optional and parameter.name not in _MARKS:
            yield Reason(ReasonKind.PARAMETER_ADDED, subject=parameter.name)
    first = [parameter.name for parameter in old if parameter.name in names and not parameter.is_keyword_only]
    order = [parameter.name for parameter in new if parameter.name in first]
    if order != first:
        yield Reason(ReasonKind.PARAMETERS_REORDERED)
    elif any(each.name not in known | _MARKS and each.is_optional for each in new[: _last_known(new, first)]):
        yield Reason(ReasonKind.PARAMETER_INSERTED)


def _last_known(new: tuple[_Parameter, ...], first: list[str]) -> int:
    """Return how many new parameters there are up to the last old one that can be passed by position."""
    places = [at for at, parameter in enumerate(new) if parameter.name in first and not parameter.name.startswith("*")]
    return places[-1] + 1 if places else 0


def _parameters(signature: str) -> tuple[_Parameter, ...] | None:
    """Return the parameters of a signature; None if it has no parameter list."""
    start = signature.find("(")
    if start < 0:
        return None
    found: list[_Parameter] = []
    is_keyword_only = False
    for text in _split(signature[start + 1 :]):
        name = "/" if text == "/" else text if text == "*" else _name(text)
        if not name:
            return None
        found.append(_Parameter(name, bool(_OPTIONAL.search(text)), is_keyword_only))
        is_keyword_only = is_keyword_only or text.startswith("*")
    return tuple(found)


def _name(text: str) -> str:
    match = _NAME.match(text)
    stars = "**" if text.startswith("**") else "*" if text.startswith("*") else ""
    return f"{stars}{match[1]}" if match else ""


def _split(text: str) -> Iterator[str]:
    """Yield the parts between the commas of the outermost level, up to its closing bracket."""
    depth, start = 0, 0
    for at, mark in enumerate(text):
        if mark in _CLOSE and text[at - 1 : at + 1] not in {"->", "=>"}:
            if depth == 0:
                yield from filter(None, (text[start:at].strip(),))
                return
            depth -= 1
        elif mark in _OPEN:
            depth += 1
        elif mark == "," and depth == 0:
            yield from filter(None, (text[start:at].strip(),))
            start = at + 1
    yield from filter(None, (text[start:].strip(),))
