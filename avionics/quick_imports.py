"""Import what every command needs without modules that its importers name and a plain command never uses.

Together they take a tenth of the time of `locate`: their bytecode is read, their classes are made and their patterns
are compiled at every start.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any


class LaterModule(ModuleType):
    """Stand in for a module that is imported when something in it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        from importlib import import_module

        return getattr(import_module(self.__name__), name)


def import_pathlib() -> None:
    """Import pathlib, whose import of `urllib.parse` needs `ipaddress` for hosts in brackets only.

    `datetime` becomes its implementation in C: Python 3.11 reads the one in Python first and discards it.
    """
    if sys.version_info < (3, 12) and sys.implementation.name == "cpython" and "datetime" not in sys.modules:
        sys.modules["datetime"] = __import__("_datetime")
    _import_with("pathlib", {"ipaddress": LaterModule("ipaddress")})


def import_msgspec() -> None:
    """Import msgspec for commands that encode no UUID, no decimal number and no JSON schema.

    Of typing_extensions it uses only what this Python's `typing` has as well.
    """
    uuid, decimal = ModuleType("uuid"), ModuleType("decimal")
    for module, name in ((uuid, "UUID"), (uuid, "SafeUUID"), (decimal, "Decimal")):
        setattr(module, name, type(name, (), {"unknown": None}))  # A type without values.
    later = {name: LaterModule(name) for name in ("msgspec.inspect", "textwrap")}
    # Importing what is None raises ImportError, which msgspec expects of typing_extensions.
    _import_with("msgspec", {**later, "uuid": uuid, "decimal": decimal, "typing_extensions": None})


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
