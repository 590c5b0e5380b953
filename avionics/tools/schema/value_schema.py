"""Shapes: the requirements for a value, independent of the notation they were declared in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, runtime_checkable

from msgspec import Struct


@runtime_checkable
class ValueSchema(Protocol):
    """Any object that validates one value."""

    def validate_value(self, value: Any) -> tuple[bool, str]:
        """Return whether the value is valid, and if not, why."""


class Bounds(Struct, frozen=True):
    """Limits of a value, for `Annotated[int, Bounds(ge=1, le=100)]`.

    Attributes:
        ge: At least.
        gt: More than.
        le: At most.
        lt: Less than.
        min_length: Characters of a string, items of an array or fields of an object, at least.
        max_length: Characters of a string, items of an array or fields of an object, at most.
        pattern: A regular expression found somewhere in the string.
        multiple_of: A number it is a whole multiple of.
        unique: Whether no item of an array may come twice.
    """

    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    multiple_of: float | None = None
    unique: bool = False


UNBOUNDED: Final = Bounds()


class Shape(Struct, frozen=True):
    """The requirements for a value.

    Attributes:
        kind: string, integer, number, boolean, array, object, null or any.
        items: The shape of an array's items.
        choices: The allowed values, if they are enumerated.
        bounds: Its limits.
        python: Converts the plain value for the tool: an Enum class, tuple, or an attrs class.
        fields: An object's known fields; None if unknown.
        extra: The shape of an object's other fields; None if there may be none.
        nullable: Whether None is allowed.
        options: Alternative shapes; the kind is then any.
        format: The format of a string, as in JSON Schema; not validated.
    """

    kind: str
    items: Shape | None = None
    choices: tuple[Any, ...] = ()
    bounds: Bounds = UNBOUNDED
    python: Callable[..., Any] | None = None
    fields: Mapping[str, Parameter] | None = None
    extra: Shape | None = None
    nullable: bool = False
    options: tuple[Shape, ...] = ()
    format: str = ""

    @property
    def spelling(self) -> str:
        """Return the notation, such as `string` or `array<integer>`."""
        return f"{self.kind}<{self.items.spelling}>" if self.items else self.kind

    @property
    def converts(self) -> bool:
        """Return whether the tool receives a converted value."""
        return self.python is not None or any(shape.converts for shape in self._parts)

    def to_python(self, value: Any) -> Any:
        """Convert a valid value to the tool's own types; a value that already has them is unchanged."""
        if value is None or isinstance(value, self.python if isinstance(self.python, type) else ()):
            return value
        if self.items and self.items.converts:
            value = [self.items.to_python(item) for item in value]
        if self.fields is None:
            return self.python(value) if self.python else value
        fields = {name: self._convert_field(name, item) for name, item in value.items()}
        return self.python(**fields) if self.python else fields

    def _convert_field(self, name: str, value: Any) -> Any:
        """Convert one field of an object."""
        known = (self.fields or {}).get(name)
        shape = known.shape if known else self.extra
        return shape.to_python(value) if isinstance(shape, Shape) else value

    @property
    def _parts(self) -> tuple[Shape, ...]:
        """Return the shapes of a value's parts; alternatives are not converted, as it is unknown which applies."""
        fields = [field.shape for field in (self.fields or {}).values()]
        return tuple(shape for shape in (self.items, self.extra, *fields) if isinstance(shape, Shape))


ANYTHING: Final = Shape("any")


class Parameter(Struct, frozen=True):
    """One parameter of a tool, or one field of an object.

    Attributes:
        name: Its name.
        shape: Its shape, or another object with `validate_value`.
        required: Whether a call must include it.
        description: For the caller.
        default: Its default.
    """

    name: str
    shape: Shape | ValueSchema
    required: bool = True
    description: str = ""
    default: Any = None

    @property
    def spelling(self) -> str:
        """Return the catalog's notation: `string`, `integer?`."""
        word = self.shape.spelling if isinstance(self.shape, Shape) else "any"
        return word if self.required else f"{word}?"
