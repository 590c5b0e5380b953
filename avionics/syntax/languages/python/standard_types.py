"""What Python's types mean: the special names of `typing`, and the modules that stubs declare."""

from __future__ import annotations

from avionics.syntax.type_forms import TypeForms

TYPE_FORMS = TypeForms(
    modules=frozenset({"builtins", "typing", "typing_extensions", "collections.abc", "dataclasses"}),
    transparent=frozenset(
        {
            "Optional", "Annotated", "ClassVar", "Final", "Required", "NotRequired", "ReadOnly", "InitVar", "Unpack",
        }
    ),
    unions=frozenset({"Union"}),
    classes=frozenset({"Type", "type"}),
    functions=frozenset({"Callable"}),
    texts=frozenset({"Literal", "LiteralString"}),
    own=frozenset({"Self"}),
    anything=frozenset({"Any"}),
    guards=frozenset({"TypeGuard", "TypeIs"}),
    undeclared=frozenset({"Final", "ClassVar", "TypeAlias"}),
    markers=frozenset({"Generic", "Protocol"}),
    protocols=frozenset({"Protocol"}),
    gathered=frozenset({"Unpack"}),
    parameters=frozenset({"TypeVar", "ParamSpec", "TypeVarTuple"}),
    renaming=frozenset({"NewType"}),
    casts=frozenset({"cast"}),
)  # fmt: skip

_STUBBED = (
    "asyncio", "attr", "builtins", "collections", "collections.abc", "concurrent.futures", "contextlib", "contextvars",
    "copy", "dataclasses", "functools", "io", "logging", "pathlib", "pytest", "random", "re", "twisted.internet.defer",
    "typing", "urllib.parse", "weakref",
)  # fmt: skip
_SAME = {"asyncio.futures": "asyncio", "asyncio.tasks": "asyncio", "attrs": "attr", "typing_extensions": "typing"}
_FILES = {module: f"python/{module}.pyi" for module in _STUBBED}

BUILTINS = _FILES["builtins"]
MODULE_STUBS = _FILES | {module: _FILES[same] for module, same in _SAME.items()}
