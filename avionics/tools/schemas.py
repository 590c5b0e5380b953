"""Parameters as JSON Schema 2020-12.

Knows: the vocabulary of JSON Schema.
Does not know: tools, or who reads the schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from avionics.tools.parameters import Bounds, Parameter, Parameters, Shape
from protocols.results import to_plain


def build_json_schema(parameters: Parameters) -> dict[str, Any]:
    """The object schema that accepts exactly the arguments the parameters accept."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: build_property(parameter) for name, parameter in parameters.items()},
    }
    required = [name for name, parameter in parameters.items() if parameter.required]
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    return schema


def build_property(parameter: Parameter) -> dict[str, Any]:
    """The schema of one parameter; somebody else's schema accepts anything here, it judges for itself."""
    shape = parameter.shape
    schema = build_shape_schema(shape) if isinstance(shape, Shape) else {}
    if parameter.description:
        schema["description"] = parameter.description
    if parameter.default is not None:
        schema["default"] = to_plain(parameter.default)
    return schema


def build_shape_schema(shape: Shape) -> dict[str, Any]:
    """The schema of a value."""
    schema: dict[str, Any] = {} if shape.kind == "any" else {"type": shape.kind}
    if shape.items:
        schema["items"] = build_shape_schema(shape.items)
    if shape.choices:
        schema["enum"] = list(shape.choices)
    schema.update(_iter_limits(shape.kind, shape.bounds))
    return schema


def _iter_limits(kind: str, bounds: Bounds) -> Iterator[tuple[str, Any]]:
    """The keywords of the bounds that are set."""
    unit = "Items" if kind == "array" else "Length"
    words = (
        ("minimum", bounds.ge),
        ("exclusiveMinimum", bounds.gt),
        ("maximum", bounds.le),
        ("exclusiveMaximum", bounds.lt),
        (f"min{unit}", bounds.min_length),
        (f"max{unit}", bounds.max_length),
        ("pattern", bounds.pattern),
    )
    return ((word, value) for word, value in words if value is not None)
