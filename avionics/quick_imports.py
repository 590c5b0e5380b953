"""Import what every command needs without modules that its importers name and a plain command never uses.

Their bytecode would be read, their classes made and their patterns compiled at every start.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


class LaterModule(ModuleType):
    """Stand in for a module that is imported when something in it is asked for, or when one of `functions` is called.

    The functions are those that importers take out of the module at once.
    """

    def __init__(self, name: str, functions: tuple[str, ...] = ()) -> None:
        super().__init__(name)
        vars(self).update((each, _call_later(self, each)) for each in functions)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.load(), name)

    def load(self) -> ModuleType:
        """Return the module itself."""
        return import_module(self.__name__)


def import_pathlib() -> None:
    """Import pathlib, which needs `urllib.parse` for the URI of a path only."""
    _import_with("pathlib", {"urllib.parse": LaterModule("urllib.parse", ("quote_from_bytes",))})


def import_msgspec() -> None:
    """Import msgspec for commands that make no JSON schema and read neither TOML nor YAML with it.

    Of typing_extensions it uses only what this Python's `typing` has as well.
    """
    later = [LaterModule(f"msgspec.{name}") for name in ("inspect", "toml", "yaml")]
    later.append(LaterModule("msgspec._json_schema", ("schema", "schema_components")))
    named = {each.__name__: each for each in (*later, _get_platform())}
    # Importing what is None raises ImportError, which msgspec expects of typing_extensions.
    _import_with("msgspec", {**named, "datetime": _get_datetime(), "typing_extensions": None})


def import_sqlite3() -> None:
    """Import sqlite3, which uses nothing of `datetime` but its classes."""
    _import_with("sqlite3", {"datetime": _get_datetime()})


def _get_datetime() -> ModuleType:
    """Return the module with the classes of `datetime`; Python 3.11 makes others before it takes these."""
    return import_module("_datetime")


def _get_platform() -> ModuleType:
    """Return a stand-in for `platform`, which knows the name of Linux: `uuid` asks no more of it."""
    module = LaterModule("platform")
    if sys.platform == "linux":
        vars(module)["system"] = lambda: "Linux"
    return module


def _call_later(module: LaterModule, name: str) -> Callable[..., Any]:
    """Return a function that calls the one of this name in the module itself."""

    def call(*arguments: Any, **named: Any) -> Any:
        return getattr(module.load(), name)(*arguments, **named)

    return call


def _import_with(name: str, stand_ins: Mapping[str, ModuleType | None]) -> None:
    """Import a module that finds these modules in place of those that are not imported yet."""
    if name in sys.modules:
        return
    used = {each: module for each, module in stand_ins.items() if each not in sys.modules}
    sys.modules.update(used)  # type: ignore[arg-type]
    try:
        __import__(name)
    finally:
        for each in used:
            del sys.modules[each]
