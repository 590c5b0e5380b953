"""How programs in C# declare entry points."""

from __future__ import annotations

import re

from avionics.model.enums import EntryKind
from avionics.syntax.entry_points import AnnotatedRoutes, CallRule, EntryPointRules, MainRule

_VERBS = ("Get", "Post", "Put", "Patch", "Delete", "Head", "Options")
_CALLS = tuple(
    CallRule(
        EntryKind.ROUTE,
        f"Map{verb}",
        rf'\.(?P<call>Map{verb})\(\s*"(?P<name>[^"]*)"\s*,\s*(?:async\b|\(|(?P<runs>[A-Za-z_][\w.]*)\s*\))',
    )
    for verb in _VERBS
)
"""Minimal routes: https://learn.microsoft.com/aspnet/core/fundamentals/minimal-apis."""

ENTRY_POINTS = EntryPointRules(
    main=MainRule("Main", header=re.compile(r"\bstatic\b")),
    calls=_CALLS,
    routes=AnnotatedRoutes(
        methods={f"Http{verb}": (verb.upper(),) for verb in _VERBS},
        paths=frozenset({"Route", "RoutePrefix"}),
        method_paths=frozenset({"Route"}),
    ),
)
