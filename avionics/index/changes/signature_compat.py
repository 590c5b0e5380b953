"""Signature compatibility: whether callers of an old signature can call the new one.

Only parameter lists as written are compared, not types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from avionics.late_pattern import late_pattern
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.registry import get_conventions, require_rules

_OPEN, _CLOSE = "([{<", ")]}>"
_TOKEN = late_pattern(r'"(?>(?:[^"\\]++|\\.)*)"|(?<==)\s*+\'(?>(?:[^\'\\]++|\\.)*)\'|[-=]>|[][(){}<>,]', re.S)
"""A string, an arrow, a bracket or a comma. A single quote begins a string after `=` only: lifetimes have one."""

_NAME = late_pattern(r"(?>(?:\*|\.{3}|&|mut\s+|(?:readonly|public|private|protected)\s+)*)([A-Za-z_$][\w$]*)")
_OPTIONAL = late_pattern(r"=(?!>)|^\*|^\.\.\.|\.\.\.|^[\w$]+\?")

_OPENING = late_pattern(r"(?=\()")
_LAST_NAME = late_pattern(r"(?<=[\s*&\]>])\w+(?=\s*(?:\[|$))")
_SEPARATORS = frozenset({"*", "/"})
"""Separators in a parameter list that are not parameters."""


class _Parameter(Struct, frozen=True):
    name: str
    is_optional: bool
    is_keyword_only: bool


def find_breaks(name: str, before: str, after: str, language: str) -> tuple[Reason, ...]:
    """Return why a caller of the old signature may fail with the new one; () if there is no reason."""
    calls = require_rules(language).calls
    is_positional = calls is not None and not calls.named_arguments
    start = re.compile(rf"\b{re.escape(name)}\s*(?:[\[<]|(?=\())") if name else _OPENING
    texts = [text[found.start() :] if (found := start.search(text)) else text for text in (before, after)]
    if not get_conventions(language).is_name_first:
        lists = [_read_types(text) if is_positional else "".join(text.partition("(")[2].split()) for text in texts]
        return () if lists[0] == lists[1] else (Reason(ReasonKind.PARAMETERS_CHANGED),)
    old, new = map(_parameters, texts)
    if old is None or new is None:
        return ()
    return tuple(_iter_breaks_by_position(old, new) if is_positional else _iter_breaks(old, new))


def _read_types(signature: str) -> tuple[str, ...]:
    """Return the parameters of a signature without their names, which come last."""
    return tuple("".join(_LAST_NAME.sub("", each).split()) for each in split_at_commas(signature.partition("(")[2]))


def read_parameters(name: str, text: str) -> str:
    """Return the parameter list after a name in a text, on one line; "" if there is none."""
    _, found, rest = text.partition(f"{name}(")
    return ", ".join(" ".join(each.split()) for each in split_at_commas(rest)) if found else ""


def _iter_breaks_by_position(old: tuple[_Parameter, ...], new: tuple[_Parameter, ...]) -> Iterator[Reason]:
    """Yield the breaks in a language whose calls pass every argument by its position: names do not count."""
    names = [[each.name for each in listed] for listed in (old, new)]
    if names[0] != names[1] and sorted(names[0]) == sorted(names[1]):
        yield Reason(ReasonKind.PARAMETERS_REORDERED)
    for was, now in zip(old, new, strict=False):
        if was.is_optional and not now.is_optional:
            yield Reason(ReasonKind.PARAMETER_REQUIRED, subject=was.name)
    if len(new) > len(old):
        added = [each for each in new if each.name not in names[0]] or new[len(old) :]
        for each in added[: len(new) - len(old)]:
            if not each.is_optional:
                yield Reason(ReasonKind.PARAMETER_ADDED, subject=each.name)
    elif len(new) < len(old):
        lost = [each for each in old if each.name not in names[1]] or old[len(new) :]
        for each in lost[: len(old) - len(new)]:
            yield Reason(ReasonKind.PARAMETER_REMOVED, subject=each.name)


def _iter_breaks(old: tuple[_Parameter, ...], new: tuple[_Parameter, ...]) -> Iterator[Reason]:
    new_by_name = {parameter.name: parameter for parameter in new}
    old_names = {parameter.name for parameter in old}
    takes_keywords = any(parameter.name.startswith("**") for parameter in new)
    for parameter in old:
        if parameter.name in _SEPARATORS:
            continue
        if parameter.name not in new_by_name:
            if not takes_keywords or parameter.name.startswith("*"):
                yield Reason(ReasonKind.PARAMETER_REMOVED, subject=parameter.name)
        elif new_by_name[parameter.name].is_keyword_only and not parameter.is_keyword_only:
            yield Reason(ReasonKind.PARAMETER_KEYWORD_ONLY, subject=parameter.name)
        elif parameter.is_optional and not new_by_name[parameter.name].is_optional:
            yield Reason(ReasonKind.PARAMETER_REQUIRED, subject=parameter.name)
    for parameter in new:
        if parameter.name not in old_names and not parameter.is_optional and parameter.name not in _SEPARATORS:
            yield Reason(ReasonKind.PARAMETER_ADDED, subject=parameter.name)
    positional = [
        parameter.name for parameter in old if parameter.name in new_by_name and not parameter.is_keyword_only
    ]
    order = [parameter.name for parameter in new if parameter.name in positional]
    if order != positional:
        yield Reason(ReasonKind.PARAMETERS_REORDERED)
    elif any(
        each.name not in old_names | _SEPARATORS and each.is_optional
        for each in new[: _count_up_to_last_known(new, positional)]
    ):
        yield Reason(ReasonKind.PARAMETER_INSERTED)


def _count_up_to_last_known(new: tuple[_Parameter, ...], first: list[str]) -> int:
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
    for text in split_at_commas(signature[start + 1 :]):
        name = text if text in _SEPARATORS else _read_name(text)
        if not name:
            return None
        found.append(_Parameter(name, bool(_OPTIONAL.search(text)), is_keyword_only))
        is_keyword_only = is_keyword_only or text.startswith("*")
    return tuple(found)


def _read_name(text: str) -> str:
    """Return the name of a parameter with its stars, `**options`; "" for a parameter without a name."""
    match = _NAME.match(text)
    stars = text[: len(text) - len(text.lstrip("*"))][:2]
    return f"{stars}{match[1]}" if match else ""


def split_at_commas(text: str) -> Iterator[str]:
    """Yield the parts between outer commas, up to the closing bracket; commas in strings do not count."""
    depth, start = 0, 0
    for found in _TOKEN.finditer(text):
        mark = found[0]
        if mark in _OPEN:
            depth += 1
        elif mark in _CLOSE and depth == 0:
            yield from filter(None, (text[start : found.start()].strip(),))
            return
        elif mark in _CLOSE:
            depth -= 1
        elif mark == "," and depth == 0:
            yield from filter(None, (text[start : found.start()].strip(),))
            start = found.end()
    yield from filter(None, (text[start:].strip(),))
