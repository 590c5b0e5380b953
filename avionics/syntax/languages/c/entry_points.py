"""How programs in C declare entry points."""

from __future__ import annotations

from avionics.syntax.entry_points import EntryPointRules, MainRule

ENTRY_POINTS = EntryPointRules(main=MainRule())
