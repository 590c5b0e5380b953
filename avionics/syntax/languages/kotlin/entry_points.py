"""How programs in Kotlin declare entry points."""

from __future__ import annotations

from avionics.late_pattern import late_pattern
from avionics.model.enums import EntryKind
from avionics.syntax.entry_points import HTTP_VERBS, CallRule, EntryPointRules, MainRule, RouterRules
from avionics.syntax.languages.java.entry_points import COMMANDS, ROUTES

_CALLS = tuple(
    CallRule(EntryKind.ROUTE, "ktor", rf'(?<![\w.])(?P<call>{verb})\(\s*"(?P<name>[^"\n]*)"\s*\)\s*\{{')
    for verb in sorted(HTTP_VERBS)
)
"""Ktor: https://ktor.io/docs/server-routing.html."""
_ROUTERS = RouterRules(
    blocks=(late_pattern(r'(?<![\w.])route\(\s*"(?P<prefix>[^"\n]*)"\s*\)\s*(?P<open>\{)'),),
)

ENTRY_POINTS = EntryPointRules(
    main=MainRule(in_class=True), routes=ROUTES, routers=_ROUTERS, calls=_CALLS, decorators=COMMANDS
)
