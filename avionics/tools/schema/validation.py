"""Validate values; each problem names its place."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from avionics.late_pattern import late_pattern
from avionics.model.naming import suggest_name
from avionics.tools.schema.value_schema import UNBOUNDED, Parameter, Shape, ValueSchema

if TYPE_CHECKING:
    from fractions import Fraction

Check: TypeAlias = Callable[[str, Any, list[str]], None]
"""Appends the problems of the named value to the list."""

Limit: TypeAlias = tuple[str, Callable[[Any], bool]]
"""A requirement in words, and whether a value meets it."""


def _is_integer(value: object) -> bool:
    """Return whether the value is a whole number and not a boolean; 3.0 is not an integer."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    """Return whether the value is a finite number and not a boolean: JSON has neither infinities nor NaN."""
    return _is_integer(value) or (isinstance(value, float) and math.isfinite(value))


_DOLLAR: Final = late_pattern(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\$", re.DOTALL)
"""A dollar sign, or the constructs in which one can be literal: an escape, a set of characters."""

KINDS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "integer": _is_integer,
    "number": _is_number,
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, (list, tuple)),
    "object": lambda value: isinstance(value, Mapping),
    "null": lambda value: value is None,
    "any": lambda _: True,
}


_PLAIN_TYPES: Final[Mapping[str, type]] = {"string": str, "integer": int, "boolean": bool}


def get_plain_type(shape: Shape | ValueSchema) -> type | None:
    """Return the type whose values all have this shape without further checks; None if there is none."""
    if not isinstance(shape, Shape) or shape.choices or shape.bounds != UNBOUNDED or shape.converts:
        return None
    return _PLAIN_TYPES.get(shape.kind)


def build_presence_check(parameter: Parameter) -> Check:
    """Return the check of a parameter that may be missing (None)."""
    shape = parameter.shape
    if not isinstance(shape, Shape):
        return _build_foreign_check(shape, required=parameter.required)
    check = build_check(shape)

    def check_presence(name: str, value: Any, faults: list[str]) -> None:
        if value is not None:
            check(name, value, faults)
        elif parameter.required:
            faults.append(f"{name}: missing, expected {shape.spelling}")

    return check_presence


def build_check(shape: Shape) -> Check:
    """Return the check of a value that is present."""
    is_kind = KINDS[shape.kind]
    limits = tuple(_iter_limits(shape))
    inner = tuple(_iter_inner_checks(shape))

    def check(name: str, value: Any, faults: list[str]) -> None:
        if (shape.nullable and value is None) or _is_converted(shape, value):
            return
        if not is_kind(value):
            faults.append(f"{name}: expected {shape.kind}, got {shown(value)}")
            return
        for wanted, holds in limits:
            if not holds(value):
                faults.append(f"{name}: expected {wanted}, got {shown(value)}")
        for check_inside in inner:
            check_inside(name, value, faults)

    return check


def build_unknown_fault(name: object, known: Iterable[str]) -> str:
    """Return the message for an unknown parameter, with the most similar one."""
    label = str(name)[:80]
    return f"{label}: unknown parameter; {suggest_name(label, known)}"


def shown(value: Any) -> str:
    """Return a short form of a value."""
    if value is None:
        return "null"
    if isinstance(value, str):
        shortened = value if len(value) <= 40 else f"{value[:39]}…"
        return f"string {shortened!r}"
    if isinstance(value, bool):
        return f"boolean {str(value).lower()}"
    if isinstance(value, int):
        return f"integer {value}" if value.bit_length() <= 64 else "a huge integer"
    if isinstance(value, float):
        return f"number {value}"
    if isinstance(value, (list, tuple)):
        return f"array of {len(value)}"
    return "object" if isinstance(value, Mapping) else type(value).__name__


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a pattern of JSON Schema, where `$` is the very end. Raise `re.error` if it is not a pattern."""
    return re.compile(_DOLLAR.sub(lambda match: r"\Z" if match[0] == "$" else match[0], pattern))


def key_of(value: Any) -> Hashable:
    """Return a key that is equal for values that are equal in JSON, in which 1.0 equals 1 and true does not."""
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, (list, tuple)):
        return ("array", tuple(key_of(item) for item in value))
    if isinstance(value, Mapping):
        return ("object", frozenset((name, key_of(item)) for name, item in value.items()))
    return value if isinstance(value, Hashable) else ("other", id(value))


def _is_converted(shape: Shape, value: Any) -> bool:
    """Return whether a Python caller passed the tool's own type: a member of an Enum, an attrs class."""
    python = shape.python
    return isinstance(python, type) and python is not tuple and isinstance(value, python)


def _build_foreign_check(schema: ValueSchema, *, required: bool) -> Check:
    """Return a check by another object's `validate_value`, also for a missing value unless that is optional."""

    def ask(name: str, value: Any, faults: list[str]) -> None:
        if value is None and not required:
            return
        fine, message = schema.validate_value(value)
        if not fine:
            faults.append(str(message) if name in str(message) else f"{name}: {message}")

    return ask


def _iter_inner_checks(shape: Shape) -> Iterator[Check]:
    """Yield the checks of the parts of a value."""
    if shape.items:
        yield _build_items_check(shape.items)
    if shape.fields is not None:
        yield _build_fields_check(shape.fields, shape.extra)
    if shape.options:
        yield _build_options_check(shape.options)


def _build_items_check(shape: Shape) -> Check:
    """Return the check of every item of an array."""
    check_item = build_check(shape)

    def check(name: str, value: Any, faults: list[str]) -> None:
        for place, item in enumerate(value):
            check_item(f"{name}[{place}]", item, faults)

    return check


def _build_fields_check(fields: Mapping[str, Parameter], extra: Shape | None) -> Check:
    """Return the check of an object's fields, in which, unlike in arguments, None is a value."""
    checks = {name: _build_field_check(field) for name, field in fields.items()}
    check_extra = build_check(extra) if extra else None

    def check(name: str, value: Any, faults: list[str]) -> None:
        for field, parameter in fields.items():
            if field in value:
                checks[field](f"{name}.{field}", value[field], faults)
            elif parameter.required:
                faults.append(f"{name}.{field}: missing, expected {parameter.spelling}")
        for field in value:
            if field in checks:
                continue
            if check_extra:
                check_extra(f"{name}.{str(field)[:80]}", value[field], faults)
            else:
                faults.append(f"{name}.{build_unknown_fault(field, fields)}")

    return check


def _build_field_check(field: Parameter) -> Check:
    """Return the check of a field that is present."""
    shape = field.shape
    return build_check(shape) if isinstance(shape, Shape) else _build_foreign_check(shape, required=True)


def _build_options_check(options: tuple[Shape, ...]) -> Check:
    """Require that one of several shapes fits; if none does, report the problems of the closest."""
    checks = tuple((option, build_check(option)) for option in options)

    def check(name: str, value: Any, faults: list[str]) -> None:
        found: list[list[str]] = []
        for option, check_option in checks:
            wrong: list[str] = []
            check_option(name, value, wrong)
            if not wrong:
                return
            if KINDS[option.kind](value):
                found.append(wrong)
        if found:
            nearest: list[str] = min(found, key=len)
            faults.extend(nearest)
        else:
            wanted = " or ".join(dict.fromkeys(option.spelling for option, _ in checks))
            faults.append(f"{name}: expected {wanted}, got {shown(value)}")

    return check


def _iter_limits(shape: Shape) -> Iterator[Limit]:
    """Yield the requirements of a shape beyond its type."""
    bounds, choices = shape.bounds, shape.choices
    if choices:
        listed = ", ".join(repr(choice.value if isinstance(choice, Enum) else choice) for choice in choices)
        keys = frozenset(key_of(choice) for choice in choices)
        yield f"one of {listed}", lambda value: key_of(value) in keys
    yield from _iter_range(shape)
    unit = {"array": "items", "object": "fields"}.get(shape.kind, "characters")
    if (low := bounds.min_length) is not None:
        yield f"at least {low} {unit}", lambda value: len(value) >= low
    if (high := bounds.max_length) is not None:
        yield f"at most {high} {unit}", lambda value: len(value) <= high
    if (pattern := bounds.pattern) is not None:
        found = compile_pattern(pattern).search
        yield f"text matching {pattern!r}", lambda value: found(value) is not None
    if bounds.unique:
        yield "distinct items", _is_unique


def _iter_range(shape: Shape) -> Iterator[Limit]:
    """Yield the limits of a number."""
    bounds = shape.bounds
    if (ge := bounds.ge) is not None:
        yield f"at least {ge}", lambda value: value >= ge
    if (gt := bounds.gt) is not None:
        yield f"more than {gt}", lambda value: value > gt
    if (le := bounds.le) is not None:
        yield f"at most {le}", lambda value: value <= le
    if (lt := bounds.lt) is not None:
        yield f"less than {lt}", lambda value: value < lt
    if (step := bounds.multiple_of) is not None:
        yield f"a multiple of {step}", lambda value: not _to_fraction(value) % _to_fraction(step)


def _to_fraction(number: float) -> Fraction:
    """Return the number as written: 0.3 is three times 0.1."""
    from fractions import Fraction

    return Fraction(number) if isinstance(number, int) else Fraction(str(number))


def _is_unique(items: Any) -> bool:
    """Return whether all items are distinct."""
    return len({key_of(item) for item in items}) == len(items)
