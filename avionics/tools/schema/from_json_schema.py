"""Read JSON Schema, as used by tools of other systems and pydantic models.

`$ref` is followed. If a schema refers to itself, deeper values are not validated, and the exported schema says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec import Struct, structs

from avionics.model.errors import ConfigError
from avionics.tools.schema.parameters import ANYTHING, UNBOUNDED, Bounds, Parameter, Parameters, Shape, build_parameters
from avionics.tools.schema.validation import KINDS, build_check, compile_pattern

_ANNOTATIONS = frozenset({
    "$anchor", "$comment", "$defs", "$id", "$schema", "contentEncoding", "contentMediaType", "default", "definitions",
    "deprecated", "description", "discriminator", "examples", "readOnly", "title", "writeOnly",
})  # fmt: skip
"""Keywords that do not affect validation."""

_FOR_ANY_TYPE = frozenset({"$ref", "type", "enum", "const", "anyOf", "oneOf", "allOf", "format"})
"""Keywords that restrict values of any type."""

_LIMITS: Final[Mapping[str, Mapping[str, str]]] = {
    "number": {"minimum": "ge", "exclusiveMinimum": "gt", "maximum": "le", "exclusiveMaximum": "lt",
               "multipleOf": "multiple_of"},
    "string": {"minLength": "min_length", "maxLength": "max_length", "pattern": "pattern"},
    "array": {"minItems": "min_length", "maxItems": "max_length", "uniqueItems": "unique"},
    "object": {"minProperties": "min_length", "maxProperties": "max_length"},
}  # fmt: skip
"""Keyword → bound, by the type of value that it limits."""

_FOR_PARTS = frozenset({"items", "properties", "required", "additionalProperties"})
_KNOWN = _ANNOTATIONS | _FOR_ANY_TYPE | _FOR_PARTS | {keyword for limits in _LIMITS.values() for keyword in limits}
_KIND_OF: Final[Mapping[type, str]] = {str: "string", bool: "boolean", int: "integer", float: "number",
                                       type(None): "null", list: "array", dict: "object"}  # fmt: skip
_KINDS = frozenset({*_KIND_OF.values(), "any"})


def read_json_schema(schema: Mapping[str, Any], *, of_model: bool = False) -> Parameters:
    """Return the parameters that an object schema describes.

    Args:
        schema: JSON Schema of an object.
        of_model: Whether it was derived from a model that validates arguments again: then objects accept no other
            fields unless they say so, and unknown keywords are left to the model.

    Raises:
        ConfigError: The schema is not that of an object, or uses unsupported keywords.
    """
    reader = _Reader(schema, of_model)
    shape = reader.read_shape("arguments", {"type": "object", **schema}, ())
    if shape.kind != "object":
        raise ConfigError("arguments: the schema is not that of an object", hint='{"type": "object", "properties": …}')
    if shape.bounds != UNBOUNDED:
        raise ConfigError("arguments: minProperties and maxProperties are not supported")
    if shape.fields is None:
        return build_parameters((), ANYTHING)
    return build_parameters(shape.fields.values(), shape.extra)


def find_output_faults(schema: Mapping[str, Any], value: Any) -> tuple[str, ...]:
    """Return every problem of a tool's output. Raise `ConfigError` if its schema uses unsupported keywords."""
    faults: list[str] = []
    build_check(_Reader(schema, of_model=False).read_shape("output", schema, ()))("output", value, faults)
    return tuple(faults)


class _Reader(Struct, frozen=True):
    """Reads the parts of one schema; `trail` has the references being followed."""

    root: Mapping[str, Any]
    of_model: bool

    def read_shape(self, place: str, schema: Any, trail: tuple[str, ...]) -> Shape:
        """Return the shape of the values a schema accepts."""
        if schema is True or schema == {}:
            return ANYTHING
        if not isinstance(schema, Mapping):
            raise ConfigError(f"{place}: {str(schema)[:80]!r} is not a schema that any value can satisfy")
        while "$ref" in schema or len(schema.get("allOf", ())) == 1:
            reference = schema.get("$ref")
            if reference in trail:
                return ANYTHING
            if reference:
                trail = (*trail, reference)
            schema = self._follow(place, schema)
        self._require_known(place, schema)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                return self._read_options(place, schema[keyword], trail)
        kinds = schema.get("type", ())
        if isinstance(kinds, list):
            meant = [kind for kind in kinds if "enum" not in schema or _list_choices_of(kind, schema["enum"])]
            return self._read_options(place, [{**schema, "type": kind} for kind in meant], trail)
        return self._read_kind(place, schema, trail)

    def _follow(self, place: str, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Return the target of a reference, or of an `allOf` with one, merged with the other keywords."""
        rest = {key: value for key, value in schema.items() if key not in ("$ref", "allOf")}
        if "$ref" not in schema:
            return {**schema["allOf"][0], **rest}
        target: Any = self.root
        head, *steps = str(schema["$ref"]).split("/")
        for step in steps:
            key = step.replace("~1", "/").replace("~0", "~")
            target = target.get(key) if isinstance(target, Mapping) else None
        if head != "#" or not isinstance(target, Mapping):
            raise ConfigError(f"{place}: {schema['$ref']!r} refers to nothing", hint="refer to #/$defs/…")
        return {**{key: value for key, value in target.items() if key not in ("description", "title")}, **rest}

    def _require_known(self, place: str, schema: Mapping[str, Any]) -> None:
        """Reject unsupported keywords, unless a model validates them."""
        if self.of_model:
            return
        if "type" not in schema:
            unsupported = schema.keys() - _ANNOTATIONS - {"enum", "const", "anyOf", "oneOf"}
        else:
            unsupported = schema.keys() - _KNOWN
        if len(schema.get("allOf", ())) > 1 or (
            schema.keys() & {"anyOf", "oneOf"} and schema.keys() & {"enum", "type"}
        ):
            unsupported = {*unsupported, *({"allOf", "anyOf", "oneOf"} & schema.keys())}
        if unsupported:
            raise ConfigError(
                f"{place}: {', '.join(sorted(unsupported))} is not supported",
                hint="use a type and the unconditional keywords of JSON Schema for that type",
            )

    def _read_options(self, place: str, options: Iterable[Any], trail: tuple[str, ...]) -> Shape:
        """Return alternatives; null among them makes the rest nullable."""
        shapes = [self.read_shape(place, option, trail) for option in options]
        present = tuple(shape for shape in shapes if shape.kind != "null")
        nullable = len(present) < len(shapes)
        if len(present) == 1:
            return structs.replace(present[0], nullable=nullable or present[0].nullable)
        if not present:
            return Shape("null")
        return Shape("any", options=present, nullable=nullable)

    def _read_kind(self, place: str, schema: Mapping[str, Any], trail: tuple[str, ...]) -> Shape:
        """Return the shape of one type, or of some choices."""
        choices: tuple[Any, ...] = ()
        if "enum" in schema:
            choices = tuple(schema["enum"])
        elif "const" in schema:
            choices = (schema["const"],)
        kind = schema.get("type") or _read_kind_of(choices)
        if kind not in _KINDS:
            raise ConfigError(f"{place}: {kind!r} is not a type", hint=f"one of {', '.join(_KIND_OF.values())}")
        if choices:
            choices = _list_choices_of(kind, choices)
            if not choices:
                raise ConfigError(f"{place}: no choice is of the type {kind!r}")
        shape = Shape(kind, choices=choices, bounds=_read_bounds(place, kind, schema), format=schema.get("format", ""))
        if kind == "array" and "items" in schema:
            items = self.read_shape(f"{place}[]", schema["items"], trail)
            return shape if items == ANYTHING else structs.replace(shape, items=items)
        if kind == "object" and schema.keys() & {"properties", "required", "additionalProperties"}:
            return self._read_object(place, schema, shape, trail)
        return shape

    def _read_object(self, place: str, schema: Mapping[str, Any], shape: Shape, trail: tuple[str, ...]) -> Shape:
        """Return an object with some known fields."""
        others = schema.get("additionalProperties", not self.of_model or "properties" not in schema)
        required = tuple(schema.get("required", ()))
        missing = [name for name in required if name not in schema.get("properties", {})]
        properties = {**schema.get("properties", {}), **dict.fromkeys(missing, others)}
        fields = {
            name: self._read_field(f"{place}.{name}", name, each, trail, required=name in required)
            for name, each in properties.items()
        }
        extra = None if others is False else self.read_shape(f"{place}.*", others, trail)
        return shape if not fields and extra == ANYTHING else structs.replace(shape, fields=fields, extra=extra)

    def _read_field(self, place: str, name: str, schema: Any, trail: tuple[str, ...], *, required: bool) -> Parameter:
        """Return one field of an object."""
        words = schema if isinstance(schema, Mapping) else {}
        shape = self.read_shape(place, schema, trail)
        return Parameter(
            name, shape, required, words.get("description", ""), None if required else words.get("default")
        )


def _read_kind_of(choices: tuple[Any, ...]) -> str:
    """Return the common type of the choices, else any."""
    kinds = {_KIND_OF.get(type(choice), "any") for choice in choices}
    return kinds.pop() if len(kinds) == 1 else "any"


def _list_choices_of(kind: str, choices: Iterable[Any]) -> tuple[Any, ...]:
    """Return the choices of a type."""
    return tuple(choice for choice in choices if KINDS.get(kind, KINDS["any"])(choice))


def _read_bounds(place: str, kind: str, schema: Mapping[str, Any]) -> Bounds:
    """Return the limits that the schema sets for values of that type."""
    limits = _LIMITS.get("number" if kind == "integer" else kind, {})
    bounds = {limits[keyword]: value for keyword, value in schema.items() if keyword in limits}
    if "pattern" in bounds:
        try:
            compile_pattern(bounds["pattern"])
        except re.error as error:
            raise ConfigError(f"{place}: {bounds['pattern']!r} is not a regular expression: {error}") from None
    return Bounds(**bounds) if bounds else UNBOUNDED
