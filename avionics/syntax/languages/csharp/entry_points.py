"""How programs in C# declare entry points."""

from __future__ import annotations

import re

from avionics.syntax.entry_points import AnnotatedRoutes, EntryPointRules, MainRule

_VERBS = ("Get", "Post", "Put", "Patch", "Delete", "Head", "Options")

ENTRY_POINTS = EntryPointRules(
    main=MainRule("Main", header=re.compile(r"\bstatic\b")),
    routes=AnnotatedRoutes(
        methods={f"Http{verb}": (verb.upper(),) for verb in _VERBS},
        paths=frozenset({"Route", "RoutePrefix"}),
        method_paths=frozenset({"Route"}),
    ),
)
