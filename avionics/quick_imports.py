"""Import what every command needs without modules that its importers name and a plain command never uses.

Their bytecode would be read, their classes made and their patterns compiled at every start.
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
    """Import pathlib, whose import of `urllib.parse` needs `ipaddress` for hosts in brackets only."""
    _import_with("pathlib", {"ipaddress": LaterModule("ipaddress")})


def import_msgspec() -> None:
    """Import msgspec for commands that make no JSON schema.

    Of typing_extensions it uses only what this Python's `typing` has as well.
    """
    later = {name: LaterModule(name) for name in ("msgspec.inspect", "textwrap")}
    # Importing what is None raises ImportError, which msgspec expects of typing_extensions.
    _import_with("msgspec", {**later, "typing_extensions": None})


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
