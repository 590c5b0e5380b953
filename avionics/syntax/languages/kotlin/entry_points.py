"""Where control enters programs in Kotlin."""

from __future__ import annotations

from avionics.syntax.entry_points import EntryPointRules, MainRule
from avionics.syntax.languages.java.entry_points import ROUTES

ENTRY_POINTS = EntryPointRules(main=MainRule(), routes=ROUTES)
