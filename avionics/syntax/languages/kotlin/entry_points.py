"""How programs in Kotlin declare entry points."""

from __future__ import annotations

from avionics.syntax.entry_points import EntryPointRules, MainRule
from avionics.syntax.languages.java.entry_points import COMMANDS, ROUTES

ENTRY_POINTS = EntryPointRules(main=MainRule(), routes=ROUTES, decorators=COMMANDS)
