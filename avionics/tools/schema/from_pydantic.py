"""Pydantic models: the bases of class-based tools, and any model as parameters.

Pydantic is an optional extra: importing this module without it raises MissingDependencyError.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cache
from types import MethodType
from typing import Any

from msgspec import structs

from avionics.model.errors import ConfigError, RegistrationError, importing
from avionics.tools.schema.from_json_schema import read_json_schema
from avionics.tools.schema.parameters import Parameter, Parameters, Shape

with importing("class-based tools need pydantic", hint="pip install 'avionics[pydantic]'"):
    from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
    from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError, PydanticUserError
    from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

__all__ = [
    "BaseModel", "ModelChecked", "OpenInput", "ToolInput", "ToolParameter", "ValidationError", "adapt_type",
    "find_faults", "read_model",
]  # fmt: skip


class ToolInput(BaseModel):
    """The input of a tool; a subclass has a field for every parameter."""


class OpenInput(ToolInput):
    """An input that accepts any fields."""

    model_config = ConfigDict(extra="allow")


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # `schema` hides a deprecated method of pydantic

    class ToolParameter(BaseModel):
        """One parameter of a tool.

        Attributes:
            name: Its name.
            type: Its type, as in JSON Schema.
            description: For the caller.
            required: Whether a call must include it.
            default: Its default.
            schema: Everything else, as JSON Schema.
        """

        name: str
        type: str
        description: str
        required: bool = True
        default: Any | None = None
        schema: dict[str, Any] | None = None  # type: ignore[assignment]


@cache
def _methods_of_pydantic() -> Mapping[Any, Any]:
    """Return pydantic's handler for each kind of schema, looked up once instead of per model."""
    methods: Mapping[Any, Any] = GenerateJsonSchema().build_schema_type_to_method()
    return {kind: method.__func__ for kind, method in methods.items()}


class _PlainSchema(GenerateJsonSchema):
    """Pydantic's schema without what our reader ignores: sorted keywords, and an adapter for every default.

    This saves a third of the time for a thousand models.
    """

    def build_schema_type_to_method(self) -> dict[Any, Any]:
        return {kind: MethodType(method, self) for kind, method in _methods_of_pydantic().items()}

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:  # noqa: ARG002
        return value

    def encode_default(self, dft: Any) -> Any:
        return dft if type(dft) in {type(None), bool, int, str} else super().encode_default(dft)

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False


def read_model(model: type[BaseModel]) -> Parameters:
    """Return the parameters of a pydantic model; the model validates constraints that JSON Schema cannot express."""
    read = read_json_schema(model.model_json_schema(schema_generator=_PlainSchema), of_model=True)
    names = {field.alias or name: field for name, field in model.model_fields.items()}

    def complete(parameter: Parameter) -> Parameter:
        """Return the parameter with the default of its factory, which JSON Schema omits."""
        made = getattr(names.get(parameter.name), "default_factory", None)
        takes_data = getattr(names.get(parameter.name), "default_factory_takes_validated_data", False)
        return structs.replace(parameter, default=made()) if made and not takes_data else parameter

    return Parameters({name: complete(parameter) for name, parameter in read.items()}, read.extra)


def adapt_type(place: str, annotation: Any) -> tuple[Shape, str]:
    """Return the shape of any type that pydantic knows, and its description; values are converted by pydantic.

    Raise `RegistrationError` (also a `ValueError`) if Pydantic knows no schema of the type.
    """
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(annotation)
        schema = adapter.json_schema(schema_generator=_PlainSchema)
        read = read_json_schema({"properties": {"value": schema}, "$defs": schema.get("$defs", {})}, of_model=True)
    except (PydanticSchemaGenerationError, PydanticInvalidForJsonSchema, PydanticUserError, ConfigError) as error:
        reason = str(error).partition("\n")[0]
        raise RegistrationError(f"{place}: plain data cannot have the type {annotation!r}: {reason}") from error
    shape = read["value"].shape
    assert isinstance(shape, Shape)
    if shape.fields is None:
        converted = structs.replace(shape, python=adapter.validate_python)
    else:
        converted = structs.replace(shape, python=lambda **given: adapter.validate_python(given))
    return converted, read["value"].description


class ModelChecked:
    """The part of a tool that judges arguments by a pydantic model."""

    def _build_input(self, arguments: Mapping[str, Any]) -> Any:
        """Return the arguments as a validated model; raise ValueError if they are invalid."""
        raise NotImplementedError

    def get_misuse(self, arguments: Mapping[str, Any]) -> str | None:
        """Return the problems that the model finds in well-formed arguments, or None."""
        return "; ".join(self._read_input(arguments)[0]) or None

    def _read_input(self, arguments: Mapping[str, Any]) -> tuple[tuple[str, ...], Any]:
        """Return all problems, or the model."""
        try:
            return (), self._build_input(arguments)
        except ValidationError as error:
            return find_faults(error), None
        except ValueError as error:
            return (str(error) or "invalid combination of arguments",), None


def find_faults(error: ValidationError) -> tuple[str, ...]:
    """Return every problem that pydantic found, each naming its place."""
    found = []
    for fault in error.errors(include_url=False, include_context=False, include_input=False):
        place = ".".join(map(str, fault["loc"]))
        found.append(f"{place}: {fault['msg']}" if place else fault["msg"])
    return tuple(found)
