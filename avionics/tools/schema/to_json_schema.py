"""Export parameters as JSON Schema 2020-12."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from avionics.model.results import to_plain
from avionics.tools.schema.parameters import ANYTHING, Parameter, Parameters, Shape


def build_json_schema(parameters: Parameters) -> dict[str, Any]:
    """Return the object schema that accepts exactly the arguments the parameters accept."""
    return {"type": "object", **_build_fields(parameters, parameters.extra)}


def build_property(parameter: Parameter) -> dict[str, Any]:
    """Return the schema of one parameter; one with its own validator accepts anything here."""
    shape = parameter.shape
    schema = build_shape_schema(shape) if isinstance(shape, Shape) else {}
    if parameter.description:
        schema["description"] = parameter.description
    if parameter.default is not None:
        schema["default"] = to_plain(parameter.default)
    return schema


def build_shape_schema(shape: Shape) -> dict[str, Any]:
    """Return the schema of a value."""
    if shape.options:
        options = [*shape.options, Shape("null")] if shape.nullable else shape.options
        return {"anyOf": [build_shape_schema(option) for option in options]}
    schema: dict[str, Any] = {}
    if shape.kind != "any":
        schema["type"] = [shape.kind, "null"] if shape.nullable else shape.kind
    if shape.items:
        schema["items"] = build_shape_schema(shape.items)
    if shape.fields is not None:
        schema |= _build_fields(shape.fields, shape.extra)
    if shape.choices:
        schema["enum"] = [*shape.choices, None] if shape.nullable else list(shape.choices)
    if shape.format:
        schema["format"] = shape.format
    schema.update(_iter_limits(shape))
    return schema


def _build_fields(fields: Mapping[str, Parameter], extra: Shape | None) -> dict[str, Any]:
    """Return the keywords of an object's fields."""
    schema: dict[str, Any] = {"properties": {name: build_property(field) for name, field in fields.items()}}
    required = [name for name, field in fields.items() if field.required]
    if required:
        schema["required"] = required
    schema["additionalProperties"] = _build_extra(extra)
    return schema


def _build_extra(extra: Shape | None) -> bool | dict[str, Any]:
    """Return the schema of other fields."""
    if extra is None or extra == ANYTHING:
        return extra is not None
    return build_shape_schema(extra)


def _iter_limits(shape: Shape) -> Iterator[tuple[str, Any]]:
    """Yield the keywords of the limits that are set."""
    bounds = shape.bounds
    unit = {"array": "Items", "object": "Properties"}.get(shape.kind, "Length")
    words = (
        ("minimum", bounds.ge),
        ("exclusiveMinimum", bounds.gt),
        ("maximum", bounds.le),
        ("exclusiveMaximum", bounds.lt),
        (f"min{unit}", bounds.min_length),
        (f"max{unit}", bounds.max_length),
        ("pattern", bounds.pattern),
        ("multipleOf", bounds.multiple_of),
        ("uniqueItems", bounds.unique or None),
    )
    return ((word, value) for word, value in words if value is not None)
