"""Derive schemas from Python types, typed signatures and attrs classes."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from msgspec import structs

from avionics.model.errors import ConfigError, MissingDependencyError, RegistrationError
from avionics.model.results import to_plain
from avionics.tools.schema.parameters import ANYTHING, Bounds, Parameter, Parameters, Shape, build_parameters

if TYPE_CHECKING:
    import inspect

    from avionics.tools.schema.plain_signature import PlainParameter

_KINDS: Final[Mapping[Any, Shape]] = {
    str: Shape("string"),
    int: Shape("integer"),
    float: Shape("number"),
    bool: Shape("boolean"),
    type(None): Shape("null"),
    list: Shape("array"),
    Sequence: Shape("array"),
    tuple: Shape("array", python=tuple),
    dict: Shape("object"),
    Mapping: Shape("object"),
    Any: ANYTHING,
    object: ANYTHING,
}


def read_parameter(
    place: str, declared: PlainParameter | inspect.Parameter, annotation: Any, description: str
) -> Parameter:
    """Return one parameter of a function, whose name is given for the error.

    Raise `RegistrationError` (also a `ValueError`) if plain data cannot have this type, or the default does not fit.
    """
    place = f"{place}({declared.name})"
    required = declared.default is declared.empty
    default = None if required else declared.default
    shape, found = _read_described(place, annotation)
    parameter = Parameter(declared.name, shape, required, description or found, default)
    if default is not None:
        faults = build_parameters([parameter]).find_faults({declared.name: to_plain(default)})
        if faults:
            raise RegistrationError(f"{place}: the default does not fit its type: {'; '.join(faults)}")
    return parameter


def read_type(place: str, annotation: Any) -> Shape:
    """Return the shape of values of a type; `place` is where it is written, for the error.

    Raise `RegistrationError` (also a `ValueError`) if plain data cannot have this type.
    """
    return _read_described(place, annotation)[0]


def _read_described(place: str, annotation: Any) -> tuple[Shape, str]:
    """Return the shape of a type, and its own description of its values."""
    try:
        return _read_plain_type(place, annotation), ""
    except _UnknownTypeError as error:
        try:
            from avionics.tools.schema.from_pydantic import adapt_type
        except MissingDependencyError:
            hint = "pip install 'avionics[pydantic]' for more types"
            raise RegistrationError(f"{place}: plain data cannot have the type {annotation!r}", hint=hint) from error
    return adapt_type(place, annotation)


class _UnknownTypeError(Exception):
    """The type has no shape here; pydantic may know one."""


def _read_plain_type(place: str, annotation: Any) -> Shape:
    """Return the shape of a type that needs no library itself; its parts may."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        if not all(isinstance(item, Bounds) for item in arguments[1:]):
            raise _UnknownTypeError
        return structs.replace(read_type(place, arguments[0]), bounds=arguments[1])
    if origin in (Union, types.UnionType) and len(arguments) == 2 and type(None) in arguments:
        (present,) = (argument for argument in arguments if argument is not type(None))
        return structs.replace(read_type(place, present), nullable=True)
    if origin is Literal:
        return structs.replace(_read_kind_of(place, arguments), choices=arguments)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        values = tuple(member.value for member in annotation)
        return structs.replace(_read_kind_of(place, values), choices=values, python=annotation)
    if isinstance(annotation, type) and hasattr(annotation, "__attrs_attrs__"):
        fields = {field.name: field for field in _iter_fields(annotation)}
        return Shape("object", fields=fields, python=annotation)
    if is_typeddict(annotation):
        hints = get_type_hints(annotation, include_extras=True)
        return Shape("object", fields={name: _read_key(annotation, name, hints[name]) for name in hints})
    if origin in (list, Sequence) or (origin is tuple and arguments[1:] == (Ellipsis,)):
        return structs.replace(_KINDS[origin], items=read_type(place, arguments[0]))
    if origin in (dict, Mapping) and arguments[0] is str:
        held = read_type(place, arguments[1])
        return _KINDS[origin] if held is ANYTHING else Shape("object", fields={}, extra=held)
    try:
        return _KINDS[annotation]
    except (KeyError, TypeError):
        raise _UnknownTypeError from None


def read_attrs_class(cls: type) -> Parameters:
    """Return the fields of an attrs class as parameters, described by `Attributes:` in its docstring.

    Raise `ConfigError` if it is not an attrs class, or a field has a type that plain data cannot have.
    """
    if not hasattr(cls, "__attrs_attrs__"):
        raise ConfigError(f"{cls.__qualname__} is not an attrs class", hint="decorate it with attrs.frozen")
    return build_parameters(_iter_fields(cls))


def read_descriptions(doc: str, heading: str = "Args") -> dict[str, str]:
    """Return parameter → its text in that section of a Google docstring."""
    found: dict[str, str] = {}
    name = ""
    _, _, section = doc.partition(f"\n{heading}:\n")
    for line in section.split("\n"):
        if line and not line.startswith(" "):
            break
        text = line.strip()
        if line.startswith("    ") and not line.startswith("     ") and ":" in text:
            name, _, text = text.partition(":")
            found[name] = text.strip()
        elif text and name:
            found[name] += f" {text}"
    return found


def _iter_fields(cls: type) -> Iterator[Parameter]:
    """Yield the fields that the constructor of an attrs class accepts, by their parameter names."""
    import attrs

    annotations = get_type_hints(cls, include_extras=True)
    described = read_descriptions(_get_doc(cls), "Attributes")
    for field in attrs.fields(cls):
        if field.init:
            required = field.default is attrs.NOTHING
            yield Parameter(
                name=field.alias or field.name,
                shape=read_type(f"{cls.__qualname__}.{field.name}", annotations[field.name]),
                required=required,
                description=described.get(field.name, ""),
                default=None if required else _read_default(field.default),
            )


def _get_doc(cls: type) -> str:
    import inspect

    return inspect.getdoc(cls) or ""


def _read_key(typed_dict: Any, name: str, annotation: Any) -> Parameter:
    """Return a key of a TypedDict; `Required` and `NotRequired` take precedence over the class."""
    required, marker = name in typed_dict.__required_keys__, get_origin(annotation)
    if marker in (Required, NotRequired):
        required, (annotation,) = marker is Required, get_args(annotation)
    return Parameter(name, read_type(f"{typed_dict.__qualname__}.{name}", annotation), required)


def _read_kind_of(place: str, values: tuple[Any, ...]) -> Shape:
    """Return the common type of the values."""
    kinds = {type(value) for value in values}
    if len(kinds) != 1:
        raise ConfigError(f"{place}: the choices {values!r} have different types")
    return read_type(place, kinds.pop())


def _read_default(default: Any) -> Any:
    """Return the default of a field."""
    import attrs

    if not isinstance(default, attrs.Factory):  # type: ignore[arg-type]
        return default
    return None if default.takes_self else default.factory()
