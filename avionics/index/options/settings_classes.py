"""Find the environment variables that classes of settings read, one for each field: those of pydantic.

A class that inherits from `BaseSettings` reads a field `page_limit` from the variable `PAGE_LIMIT`, or from that name
behind its prefix: https://docs.pydantic.dev/latest/concepts/pydantic_settings/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from avionics.index.options.descriptions import get_indent
from avionics.late_pattern import late_pattern

SETTINGS_BASE = "BaseSettings"
_CLASS = late_pattern(r"\s*class (\w+)\(([^()]*)")
_FIELD = late_pattern(r"\s*([a-z]\w*)\s*:(?!\s*(?:typing\.)?(?:ClassVar|PrivateAttr)\b)\s*[\"'\[(]*(\w+)")
_PREFIX = late_pattern(r"\benv_prefix\s*=\s*[\"'](\w*)[\"']")
_ALIAS = late_pattern(r"\b(?:env|validation_alias|alias)\s*=\s*[\"']([A-Za-z]\w*)[\"']")
_MAX_BASES = 40
"""The lines over which the bases of a class may go."""


class _SettingsClass(Struct, frozen=True):
    """A class: its name, the names of its bases, index of a line → field and its type, and its prefix, if any."""

    name: str
    bases: frozenset[str]
    fields: dict[int, tuple[str, str]]
    prefix: str | None


def read_settings_classes(lines: Sequence[str]) -> dict[int, str]:
    """Return line index → environment variable for the fields of the classes that read them from the environment.

    Such a class inherits from `BaseSettings`. The fields that it inherits from classes of the same file count as well,
    as do those of its subclasses.
    """
    if not any(SETTINGS_BASE in line for line in lines):
        return {}
    classes = {each.name: each for each in _iter_classes(lines)}
    prefixes: dict[str, str] = {}
    for name, each in classes.items():
        if _inherits(name, SETTINGS_BASE, classes):
            own = (each.prefix, *(classes[base].prefix for base in classes if _inherits(name, base, classes)))
            prefix = next((one for one in own if one is not None), "")
            prefixes |= {base: prefix for base in classes if base != name and _inherits(name, base, classes)}
            prefixes[name] = prefix
    return {
        number: _name_variable(lines[number], prefix, field)
        for name, prefix in prefixes.items()
        for number, (field, type_name) in classes[name].fields.items()
        # A field that holds further settings is no variable itself.
        if type_name not in prefixes
    }


def _name_variable(line: str, prefix: str, field: str) -> str:
    """Return the variable of a field: the one that its line gives, else its own name behind the prefix."""
    alias = _ALIAS.search(line)
    return alias[1] if alias else f"{prefix}{field}".upper()


def _inherits(name: str, base: str, classes: Mapping[str, _SettingsClass]) -> bool:
    """Return whether a class inherits from another one, directly or through classes of the same file."""
    seen: set[str] = set()
    left = [name]
    while left:
        each = left.pop()
        if each in seen or each not in classes:
            continue
        seen.add(each)
        if base in classes[each].bases:
            return True
        left += classes[each].bases
    return False


def _iter_classes(lines: Sequence[str]) -> Iterator[_SettingsClass]:
    """Yield the classes with bases, each with the fields that its body annotates with a type."""
    for number, line in enumerate(lines):
        opened = _CLASS.match(line)
        if opened is None:
            continue
        is_whole = line[opened.end() :].startswith(")")
        last = min(len(lines), number + _MAX_BASES)
        end = (
            number if is_whole else next((at for at in range(number, last) if lines[at].rstrip().endswith(":")), number)
        )
        text = " ".join((opened[2], *lines[number + 1 : end + 1])).rpartition(")")[0] if end > number else opened[2]
        body = list(_iter_body(lines, end + 1, get_indent(line)))
        inner = get_indent(lines[body[0]]) if body else 0
        fields = {
            at: (match[1], match[2])
            for at in body
            if get_indent(lines[at]) == inner and (match := _FIELD.match(lines[at]))
        }
        found = (match[1] for at in body if (match := _PREFIX.search(lines[at])))
        bases = frozenset(each.partition("[")[0].strip().rpartition(".")[2] for each in text.split(","))
        yield _SettingsClass(opened[1], bases, fields, next(found, None))


def _iter_body(lines: Sequence[str], start: int, indent: int) -> Iterator[int]:
    """Yield the indexes of the lines, without empty ones, that are indented further than a class from an index on."""
    for at in range(start, len(lines)):
        if lines[at].strip():
            if get_indent(lines[at]) <= indent:
                return
            yield at
