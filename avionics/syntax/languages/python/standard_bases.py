"""Which members classes of Python's standard library have, and which they call on the objects of their subclasses."""

from __future__ import annotations

import builtins
import collections
import functools
import importlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast

_MODULES = frozenset({"builtins", "collections.abc", "abc", "typing", "enum", "numbers"})
"""Modules whose classes call no member by a name that they do not declare, and keep no attributes of their own."""
_COLLECTIONS = frozenset({"OrderedDict", "defaultdict", "deque", "Counter"})
_ANY_NAME = frozenset({"__getattr__", "__getattribute__"})
_REFLECTION = frozenset({"getattr", "vars", "dir", "eval", "exec", "__dict__", "getmembers"})
_COMPUTED = "*"
"""A marker among the names that a class uses for computed ones."""
_TEST_MODULES = ("unittest.",)
"""Beginnings of the names of classes whose computed names mean only the tests of their subclasses."""
_MAX_STEPS = 12
"""Imports and bases that are followed from a class."""


@functools.cache
def get_called_members(base: str) -> frozenset[str] | None:
    """Return the members that a class, given by its dotted name, may call on objects of its subclasses.

    Return None if they are unknown. A class read from source may call every name in it, and any name if it computes
    names.
    """
    cls = _get_class(base)
    if cls is not None:
        return frozenset(member for each in cls.__mro__ for member in vars(each))
    named = _read_members(base, _MAX_STEPS)
    is_computed = named is not None and _COMPUTED in named and not base.startswith(_TEST_MODULES)
    return None if is_computed else named


_FORM_MODULES = frozenset({"typing", "typing_extensions"})
_FORM_CLASSES: dict[str, type] = {"NamedTuple": collections.namedtuple("NamedTuple", ()), "TypedDict": dict}
"""A base that is no class → the class that its subclasses inherit from, or one with the same members."""


def _get_class(base: str) -> type | None:
    """Return a class of one of the modules whose classes keep no attributes of their own."""
    module, _, name = base.rpartition(".")
    if module in _FORM_MODULES and name in _FORM_CLASSES:
        return _FORM_CLASSES[name]
    if module not in _MODULES and not (module == "collections" and name in _COLLECTIONS):
        return None
    found = getattr(importlib.import_module(module), name, None)
    origin = getattr(found, "__origin__", found)
    return origin if isinstance(origin, type) else None


class StandardMembers(Mapping[str, frozenset[str]]):
    """Dotted name of a class of the standard library → every name that its objects may have.

    The classes are read from the library's source, without importing it: each attribute that the source of a class
    names counts, because it may be set there. A class whose bases cannot be read is not in the mapping.
    """

    def __getitem__(self, base: str) -> frozenset[str]:
        found = _read_members(base, _MAX_STEPS)
        if found is None:
            raise KeyError(base)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(f"builtins.{name}" for name, each in vars(builtins).items() if isinstance(each, type))

    def __len__(self) -> int:
        return sum(1 for _ in self)


@functools.cache
def _read_members(base: str, steps: int) -> frozenset[str] | None:
    import ast

    known = _get_class(base)
    if known is not None:
        return frozenset({*dir(known), *dir(type(known))})
    module, _, name = base.rpartition(".")
    tree = _parse(module)
    if tree is None or steps <= 0:
        return None
    for each in tree.body:
        if isinstance(each, ast.ClassDef) and each.name == name:
            return _read_class(module, each, steps)
        if isinstance(each, ast.ImportFrom) and any((alias.asname or alias.name) == name for alias in each.names):
            (imported,) = [alias.name for alias in each.names if (alias.asname or alias.name) == name]
            return _read_members(f"{_name_module(module, each)}.{imported}", steps - 1)
    starred = (each for each in tree.body if isinstance(each, ast.ImportFrom) and each.names[0].name == "*")
    found_there = (_read_members(f"{_name_module(module, each)}.{name}", steps - 1) for each in starred)
    return next((each for each in found_there if each is not None), None)


def _read_class(module: str, definition: ast.ClassDef, steps: int) -> frozenset[str] | None:
    """Return the names that a class and its bases use; None if a base is unknown or accepts any name."""
    import ast

    found = set(dir(object))
    literal_calls = {
        id(node.func) for node in ast.walk(definition) if isinstance(node, ast.Call) and _has_literal_name(node)
    }
    for node in ast.walk(definition):
        if isinstance(node, (ast.Attribute, ast.Name)):
            name = node.attr if isinstance(node, ast.Attribute) else node.id
            found |= {name, _COMPUTED} if name in _REFLECTION and id(node) not in literal_calls else {name}
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    for base in (*definition.bases, *(each.value for each in definition.keywords)):
        written = ast.unparse(base.value if isinstance(base, ast.Subscript) else base)
        around, _, name = written.rpartition(".")
        known = _read_members(f"builtins.{written}", 1) if not around else None
        inherited = _read_members(f"{around or module}.{name}", steps - 1) if known is None else known
        if inherited is None:
            return None
        found |= inherited
    return None if found & _ANY_NAME - set(dir(object)) else frozenset(found)


def _has_literal_name(call: ast.Call) -> bool:
    """Return whether a call of `getattr` is given a name that is written there."""
    import ast

    return len(call.args) > 1 and isinstance(call.args[1], ast.Constant)


def _name_module(module: str, found: ast.ImportFrom) -> str:
    """Return the dotted name of the module that an import names."""
    if not found.level:
        return found.module or ""
    is_package = (_get_path(module) or Path()).name == "__init__.py"
    parts = module.split(".")
    kept = parts[: len(parts) - found.level + is_package]
    return ".".join([*kept, *([found.module] if found.module else [])])


def _get_path(module: str) -> Path | None:
    """Return the source of a module of the standard library."""
    if module.partition(".")[0] not in sys.stdlib_module_names:
        return None
    import sysconfig

    place = Path(sysconfig.get_path("stdlib"), *module.split("."))
    return next((each for each in (place / "__init__.py", place.with_suffix(".py")) if each.is_file()), None)


@functools.lru_cache(maxsize=16)
def _parse(module: str) -> ast.Module | None:
    import ast

    path = _get_path(module)
    return ast.parse(path.read_bytes()) if path is not None else None
