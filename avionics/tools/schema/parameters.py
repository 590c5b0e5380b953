"""Parameters: one model for every notation in which a tool declares them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from msgspec import structs

from avionics.late_pattern import late_pattern
from avionics.model.errors import ConfigError
from avionics.tools.schema.validation import (
    KINDS,
    Check,
    build_check,
    build_presence_check,
    build_unknown_fault,
    get_plain_type,
)
from avionics.tools.schema.value_schema import ANYTHING, UNBOUNDED, Bounds, Parameter, Shape, ValueSchema

__all__ = [
    "ANYTHING", "UNBOUNDED", "Bounds", "Parameter", "Parameters", "Shape", "ValueSchema", "build_parameters",
    "read_parameters",
]  # fmt: skip

_SPELLING = late_pattern(r"(?P<kind>\w+)(?:<(?P<items>.+)>)?(?P<optional>\??)")


class Parameters(Mapping[str, Parameter]):
    """All parameters of a tool, in order; validates the arguments of a call.

    Attributes:
        by_name: The parameters.
        extra: The shape of other arguments; None if there may be none.
    """

    def __init__(self, by_name: Mapping[str, Parameter], extra: Shape | None = None) -> None:
        self.by_name = by_name
        self.extra = extra

    def __eq__(self, other: object) -> bool:
        if type(other) is not Parameters:
            return NotImplemented
        return self.by_name == other.by_name and self.extra == other.extra

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, name: str) -> Parameter:
        return self.by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_name)

    def __len__(self) -> int:
        return len(self.by_name)

    def __getstate__(self) -> tuple[Mapping[str, Parameter], Shape | None]:
        return self.by_name, self.extra

    def __setstate__(self, state: tuple[Mapping[str, Parameter], Shape | None]) -> None:
        # The compiled checks are closures, which cannot be pickled; they are built again when first needed.
        self.by_name, self.extra = state

    def to_strings(self) -> dict[str, str]:
        """Return the catalog's notation: `{"symbol": "string", "scope": "string?"}`."""
        return {name: parameter.spelling for name, parameter in self.by_name.items()}

    def is_plainly_met(self, arguments: Mapping[str, Any]) -> bool:
        """Return whether the arguments are plainly valid, as most are; if not, `find_faults` decides."""
        types = self._plain_types
        for name, value in arguments.items():
            if type(value) is not types.get(name):
                return False
        return self._required <= arguments.keys()

    def find_faults(self, arguments: Mapping[str, Any]) -> tuple[str, ...]:
        """Return every problem of the arguments, each naming its parameter. None counts as missing."""
        faults: list[str] = []
        for name, check in self._checks.items():
            value = arguments.get(name)
            if type(value) is not self._plain_types.get(name):
                check(name, value, faults)
        if not arguments.keys() <= self._names:
            for name in arguments:
                if name not in self._names:
                    self._report_unknown(name, arguments[name], faults)
        return tuple(faults or self._iter_misfits(arguments))

    def to_python(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the valid arguments as the tool's own types."""
        if not self._converted:
            return arguments
        return {
            name: self._converted[name].to_python(value) if name in self._converted else value
            for name, value in arguments.items()
        }

    @cached_property
    def _checks(self) -> Mapping[str, Check]:
        """Return the validators, built at the first use."""
        return {name: build_presence_check(parameter) for name, parameter in self.by_name.items()}

    @cached_property
    def _plain_types(self) -> Mapping[str, type]:
        """Return the parameters that accept any value of one type."""
        types = {name: get_plain_type(parameter.shape) for name, parameter in self.by_name.items()}
        return {name: plain for name, plain in types.items() if plain is not None}

    @cached_property
    def _required(self) -> frozenset[str]:
        return frozenset(name for name, parameter in self.by_name.items() if parameter.required)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self.by_name)

    @cached_property
    def _check_extra(self) -> Check | None:
        """Return the validator of arguments that are not parameters."""
        return build_check(self.extra) if self.extra else None

    @cached_property
    def _converted(self) -> Mapping[str, Shape]:
        """Return the parameters whose values are converted to other types."""
        shapes = {name: parameter.shape for name, parameter in self.by_name.items()}
        return {name: shape for name, shape in shapes.items() if isinstance(shape, Shape) and shape.converts}

    def _iter_misfits(self, arguments: Mapping[str, Any]) -> Iterator[str]:
        """Yield the errors that the tool's own types find in well-formed arguments."""
        for name, shape in self._converted.items():
            try:
                shape.to_python(arguments.get(name))
            except (TypeError, ValueError) as error:
                # An error of pydantic lists its problems, each with a message.
                errors = getattr(error, "errors", None)
                message = errors()[0]["msg"] if callable(errors) else str(error).partition("\n")[0]
                yield f"{name}: {message}"

    def _report_unknown(self, name: object, value: Any, faults: list[str]) -> None:
        """Report an argument that is not a parameter."""
        if self._check_extra is None or not isinstance(name, str):
            faults.append(build_unknown_fault(name, self.by_name))
        elif value is not None:
            self._check_extra(name[:80], value, faults)


def build_parameters(parameters: Iterable[Parameter], extra: Shape | None = None) -> Parameters:
    """Return the parameters in the order given; None is never a value of one, because it counts as missing."""
    return Parameters({parameter.name: _without_null(parameter) for parameter in parameters}, extra)


def read_parameters(schemas: Mapping[str, Any]) -> Parameters:
    """Return parameters, given as strings, `Parameter`s or validators. Raise `ConfigError` for other schemas."""
    if isinstance(schemas, Parameters):
        return schemas
    return build_parameters(_read_parameter(name, schema) for name, schema in schemas.items())


def _without_null(parameter: Parameter) -> Parameter:
    """Return the parameter as a call sees it, where None means missing."""
    shape = parameter.shape
    if not isinstance(shape, Shape) or not shape.nullable:
        return parameter
    return structs.replace(parameter, shape=structs.replace(shape, nullable=False))


def _read_parameter(name: str, schema: Any) -> Parameter:
    """Return one parameter from any notation."""
    if isinstance(schema, Parameter):
        return structs.replace(schema, name=name)
    if isinstance(schema, str):
        shape, required = _read_spelling(name, schema)
        return Parameter(name, shape, required)
    if isinstance(schema, ValueSchema):
        return Parameter(name, schema, required=bool(getattr(schema, "required", True)))
    raise ConfigError(
        f"parameter {name!r}: a {type(schema).__name__} does not describe values",
        hint='write a string such as "string?", a Parameter, or an object with validate_value(value) -> (ok, message)',
    )


def _read_spelling(name: str, text: str) -> tuple[Shape, bool]:
    """Return the shape that a string such as `array<string>?` denotes, and whether it is required."""
    match = _SPELLING.fullmatch(text.strip())
    if match is None or match["kind"] not in KINDS or (match["items"] and match["kind"] != "array"):
        raise ConfigError(
            f"parameter {name!r}: unknown type {text!r}",
            hint=f"one of {', '.join(KINDS)}, or array<…>; a trailing ? makes it optional",
        )
    items = _read_spelling(name, match["items"])[0] if match["items"] else None
    return Shape(match["kind"], items), not match["optional"]
