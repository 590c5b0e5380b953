"""Parameters: one model, whatever spelling a tool used to declare them.

Knows: kinds of values, bounds, and every fault a set of arguments can have.
Does not know: signatures, JSON Schema, or which tool asks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from functools import cached_property
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

import attrs

from protocols.errors import ConfigError

Check: TypeAlias = Callable[[str, Any, list[str]], None]
"""Appends to the list what is wrong with the named value."""


def _is_integer(value: object) -> bool:
    """A whole number that is not a truth value; 3.0 is not written as one."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    """Any finite number but a truth value: JSON has neither infinities nor NaN."""
    return _is_integer(value) or (isinstance(value, float) and math.isfinite(value))


_KINDS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "integer": _is_integer,
    "number": _is_number,
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, (list, tuple)),
    "object": lambda value: isinstance(value, Mapping),
    "any": lambda _: True,
}
_SPELLING = re.compile(r"(?P<kind>\w+)(?:<(?P<items>.+)>)?(?P<optional>\??)")


@runtime_checkable
class ValueSchema(Protocol):
    """A schema of somebody else's making that judges one value."""

    def validate_value(self, value: Any) -> tuple[bool, str]:
        """Whether the value is right, and if not, why."""
        ...


@attrs.frozen
class Bounds:
    """Limits of a value, for `Annotated[int, Bounds(ge=1, le=100)]`.

    Attributes:
        ge: At least.
        gt: More than.
        le: At most.
        lt: Less than.
        min_length: Characters of a string, or items of an array, at least.
        max_length: Characters of a string, or items of an array, at most.
        pattern: A regular expression found somewhere in the string.
    """

    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None


UNBOUNDED: Final = Bounds()


@attrs.frozen
class Shape:
    """What a value looks like.

    Attributes:
        kind: string, integer, number, boolean, array, object or any.
        items: The shape of an array's items.
        choices: The only values allowed, when there are any.
        bounds: Its limits.
        python: What the tool is given instead of the plain value: an Enum class, or tuple for an array.
    """

    kind: str
    items: Shape | None = None
    choices: tuple[Any, ...] = ()
    bounds: Bounds = UNBOUNDED
    python: type | None = None

    @property
    def spelling(self) -> str:
        """`string`, `array<integer>`."""
        return f"{self.kind}<{self.items.spelling}>" if self.items else self.kind

    def to_python(self, value: Any) -> Any:
        """The valid value as the tool's own types."""
        if self.items:
            value = [self.items.to_python(item) for item in value]
        return self.python(value) if self.python else value


@attrs.frozen
class Parameter:
    """One parameter of a tool.

    Attributes:
        name: As the caller writes it.
        shape: What its value looks like, or somebody else's schema.
        required: Whether a call must give it.
        description: For the caller.
        default: What the tool takes when it is not given.
    """

    name: str
    shape: Shape | ValueSchema
    required: bool = True
    description: str = ""
    default: Any = None

    @property
    def spelling(self) -> str:
        """The catalog's word for it: `string`, `integer?`."""
        word = self.shape.spelling if isinstance(self.shape, Shape) else "any"
        return word if self.required else f"{word}?"


@attrs.frozen(slots=False)
class Parameters(Mapping[str, Parameter]):
    """All parameters of a tool, in order; judges a call's arguments."""

    by_name: Mapping[str, Parameter]

    def __getitem__(self, name: str) -> Parameter:
        return self.by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_name)

    def __len__(self) -> int:
        return len(self.by_name)

    def to_strings(self) -> dict[str, str]:
        """The catalog's spelling: `{"symbol": "string", "scope": "string?"}`."""
        return {name: parameter.spelling for name, parameter in self.by_name.items()}

    def find_faults(self, arguments: Mapping[str, Any]) -> tuple[str, ...]:
        """Everything that is wrong with the arguments, each fault naming its parameter; None counts as not given."""
        faults: list[str] = []
        for name, check in self._checks:
            check(name, arguments.get(name), faults)
        for name in arguments:
            if name not in self.by_name:
                faults.append(_unknown(name, self.by_name))
        return tuple(faults)

    def to_python(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The valid arguments as the tool's own types."""
        if not self._converted:
            return arguments
        return {
            name: self._converted[name].to_python(value) if name in self._converted else value
            for name, value in arguments.items()
        }

    @cached_property
    def _checks(self) -> tuple[tuple[str, Check], ...]:
        """The validator, built when first needed."""
        return tuple((name, _build_presence_check(parameter)) for name, parameter in self.by_name.items())

    @cached_property
    def _converted(self) -> Mapping[str, Shape]:
        """The parameters whose values the tool wants as something else than plain data."""
        shapes = {name: parameter.shape for name, parameter in self.by_name.items()}
        return {name: shape for name, shape in shapes.items() if isinstance(shape, Shape) and _converts(shape)}


def build_parameters(parameters: Iterable[Parameter]) -> Parameters:
    """The parameters, in the order given."""
    return Parameters({parameter.name: parameter for parameter in parameters})


def read_parameters(schemas: Mapping[str, Any]) -> Parameters:
    """Parameters from a mapping of names to strings, `Parameter`s, or objects with `validate_value`.

    Raises:
        ConfigError: A schema that says nothing we can read.
    """
    if isinstance(schemas, Parameters):
        return schemas
    return build_parameters(_read_parameter(name, schema) for name, schema in schemas.items())


def _read_parameter(name: str, schema: Any) -> Parameter:
    """One parameter from any of its spellings."""
    if isinstance(schema, Parameter):
        return attrs.evolve(schema, name=name)
    if isinstance(schema, str):
        shape, required = _read_spelling(name, schema)
        return Parameter(name, shape, required)
    if isinstance(schema, ValueSchema):
        return Parameter(name, schema, required=bool(getattr(schema, "required", True)))
    raise ConfigError(
        f"parameter {name!r}: a {type(schema).__name__} does not say what its values look like",
        hint='write a string such as "string?", a Parameter, or an object with validate_value(value) -> (ok, message)',
    )


def _read_spelling(name: str, text: str) -> tuple[Shape, bool]:
    """The shape a string such as `array<string>?` names, and whether it is required."""
    match = _SPELLING.fullmatch(text.strip())
    if match is None or match["kind"] not in _KINDS or (match["items"] and match["kind"] != "array"):
        raise ConfigError(
            f"parameter {name!r}: {text!r} is no kind of value",
            hint=f"one of {', '.join(_KINDS)}, or array<…>; a trailing ? makes it optional",
        )
    items = _read_spelling(name, match["items"])[0] if match["items"] else None
    return Shape(match["kind"], items), not match["optional"]


def _converts(shape: Shape) -> bool:
    """Whether plain data must be turned into something else."""
    return shape.python is not None or (shape.items is not None and _converts(shape.items))


def _build_presence_check(parameter: Parameter) -> Check:
    """The check of a parameter that may be absent (None)."""
    shape = parameter.shape
    if not isinstance(shape, Shape):
        return _build_foreign_check(shape, parameter.required)
    check = _build_check(shape)

    def presence(name: str, value: Any, faults: list[str]) -> None:
        if value is not None:
            check(name, value, faults)
        elif parameter.required:
            faults.append(f"{name}: missing, expected {shape.spelling}")

    return presence


def _build_foreign_check(schema: ValueSchema, required: bool) -> Check:
    """Asks somebody else's schema, also about an absent value unless that is optional."""

    def ask(name: str, value: Any, faults: list[str]) -> None:
        if value is None and not required:
            return
        fine, message = schema.validate_value(value)
        if not fine:
            faults.append(str(message) if name in str(message) else f"{name}: {message}")

    return ask


def _build_check(shape: Shape) -> Check:
    """The check of a value that is there."""
    is_kind = _KINDS[shape.kind]
    limits = tuple(_build_limits(shape))
    check_item = _build_check(shape.items) if shape.items else None

    def check(name: str, value: Any, faults: list[str]) -> None:
        if isinstance(value, Enum) and shape.python is type(value):
            return
        if not is_kind(value):
            faults.append(f"{name}: expected {shape.kind}, got {_shown(value)}")
            return
        for wanted, holds in limits:
            if not holds(value):
                faults.append(f"{name}: expected {wanted}, got {_shown(value)}")
        if check_item:
            for place, item in enumerate(value):
                check_item(f"{name}[{place}]", item, faults)

    return check


def _build_limits(shape: Shape) -> Iterator[tuple[str, Callable[[Any], bool]]]:
    """What the shape asks beyond its kind: the demand in words, and whether a value meets it."""
    bounds, choices = shape.bounds, shape.choices
    unit = "items" if shape.kind == "array" else "characters"
    if choices:
        listed = ", ".join(repr(choice) for choice in choices)
        yield f"one of {listed}", lambda value: any(value == choice for choice in choices)
    if (ge := bounds.ge) is not None:
        yield f"at least {ge}", lambda value: value >= ge
    if (gt := bounds.gt) is not None:
        yield f"more than {gt}", lambda value: value > gt
    if (le := bounds.le) is not None:
        yield f"at most {le}", lambda value: value <= le
    if (lt := bounds.lt) is not None:
        yield f"less than {lt}", lambda value: value < lt
    if (low := bounds.min_length) is not None:
        yield f"at least {low} {unit}", lambda value: len(value) >= low
    if (high := bounds.max_length) is not None:
        yield f"at most {high} {unit}", lambda value: len(value) <= high
    if (pattern := bounds.pattern) is not None:
        found = re.compile(pattern).search
        yield f"text matching {pattern!r}", lambda value: found(value) is not None


def _unknown(name: object, known: Iterable[str]) -> str:
    """The fault of a parameter that does not exist, with the nearest that does."""
    from difflib import get_close_matches

    label = str(name)[:80]
    near = get_close_matches(label, tuple(known), n=1)
    listed = f"did you mean {near[0]}?" if near else f"known: {', '.join(known) or 'none'}"
    return f"{label}: unknown parameter; {listed}"


def _shown(value: Any) -> str:
    """A value in a few words, however large it is."""
    if isinstance(value, str):
        return f"string {value if len(value) <= 40 else value[:39] + '…'!r}"
    if isinstance(value, bool):
        return f"boolean {str(value).lower()}"
    if isinstance(value, int):
        return f"integer {value}" if value.bit_length() <= 64 else "a huge integer"
    if isinstance(value, float):
        return f"number {value}"
    if isinstance(value, (list, tuple)):
        return f"array of {len(value)}"
    return "object" if isinstance(value, Mapping) else type(value).__name__
