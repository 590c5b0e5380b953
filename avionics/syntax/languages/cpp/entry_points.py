"""How programs in C++ declare entry points."""

from __future__ import annotations

from avionics.model.enums import EntryKind
from avionics.syntax.entry_points import CallRule, EntryPointRules, MainRule

_CALLS = (
    CallRule(
        EntryKind.ROUTE, "CROW_ROUTE", r'\bCROW_ROUTE\(\s*\w+\s*,\s*"(?P<name>/[^"\n]*)"\s*\)', needs_handler=True
    ),
    *(
        CallRule(
            EntryKind.ROUTE,
            verb,
            rf'\.(?P<call>{verb})\(\s*R?"\(?(?P<name>/[^"()\n]*)\)?"\s*,\s*(?:(?P<runs>[A-Za-z_][\w:.]*)\s*\)|\[)',
            needs_handler=True,
        )
        for verb in ("Get", "Post", "Put", "Patch", "Delete", "Options")
    ),
)
"""Crow (https://crowcpp.org/master/guides/routes) and cpp-httplib (https://github.com/yhirose/cpp-httplib)."""

ENTRY_POINTS = EntryPointRules(main=MainRule(), calls=_CALLS)
