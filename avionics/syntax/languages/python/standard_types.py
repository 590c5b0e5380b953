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

_STUBBED = {
    "": (
        "builtins", "collections", "collections.abc", "contextlib", "copy", "functools", "io", "logging", "pathlib",
        "random", "re", "typing", "urllib.parse", "weakref",
    ),
    "concurrency/": ("asyncio", "concurrent.futures", "contextvars"),
    "third_party/": ("attr", "pytest", "twisted.internet.defer"),
}  # fmt: skip
"""Folder in `languages/stubs/python` → the modules that have a file there."""

_SAME = {
    "asyncio.futures": "asyncio", "asyncio.tasks": "asyncio", "attrs": "attr", "dataclasses": "copy",
    "typing_extensions": "typing",
}  # fmt: skip
_FILES = {module: f"python/{folder}{module}.pyi" for folder, modules in _STUBBED.items() for module in modules}

BUILTINS = _FILES["builtins"]
MODULE_STUBS = _FILES | {module: _FILES[same] for module, same in _SAME.items()}
