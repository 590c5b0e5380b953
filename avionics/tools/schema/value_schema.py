"""Shapes: what a value must look like, whatever spelling said so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, runtime_checkable

import attrs


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


@attrs.frozen
class Shape:
    """What a value looks like.

    Attributes:
        kind: string, integer, number, boolean, array, object, null or any.
        items: The shape of an array's items.
        choices: The only values allowed, when there are any.
        bounds: Its limits.
        python: Makes what the tool is given of the plain value: an Enum class, tuple, or an attrs class.
        fields: An object's known fields; None when nothing is known of them.
        extra: The shape of an object's other fields; None when there may be no others.
        nullable: Whether None will do too.
        options: A value of any one of these shapes will do; the kind is any.
        format: What a string holds, in JSON Schema's words; said, not judged.
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
        """`string`, `array<integer>`."""
        return f"{self.kind}<{self.items.spelling}>" if self.items else self.kind

    @property
    def converts(self) -> bool:
        """Whether the tool is given something else than the plain value."""
        return self.python is not None or any(shape.converts for shape in self._parts)

    def to_python(self, value: Any) -> Any:
        """The valid value as the tool's own types; a value that already is of them stays."""
        if value is None or isinstance(value, self.python if isinstance(self.python, type) else ()):
            return value
        if self.items and self.items.converts:
            value = [self.items.to_python(item) for item in value]
        if self.fields is None:
            return self.python(value) if self.python else value
        fields = {name: self._field_to_python(name, item) for name, item in value.items()}
        return self.python(**fields) if self.python else fields

    def _field_to_python(self, name: str, value: Any) -> Any:
        """One field of an object."""
        known = (self.fields or {}).get(name)
        shape = known.shape if known else self.extra
        return shape.to_python(value) if isinstance(shape, Shape) else value

    @property
    def _parts(self) -> tuple[Shape, ...]:
        """The shapes of what the value holds; alternatives are never converted, for which one it is goes unsaid."""
        fields = [field.shape for field in (self.fields or {}).values()]
        return tuple(shape for shape in (self.items, self.extra, *fields) if isinstance(shape, Shape))


ANYTHING: Final = Shape("any")


@attrs.frozen
class Parameter:
    """One parameter of a tool, or one field of an object.

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
