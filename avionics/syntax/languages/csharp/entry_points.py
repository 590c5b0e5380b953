"""How programs in C# declare entry points."""

from __future__ import annotations

import re

from avionics.late_pattern import late_pattern
from avionics.model.enums import EntryKind
from avionics.syntax.entry_points import (
    AnnotatedRoutes,
    CallRule,
    DecoratorRule,
    EntryPointRules,
    MainRule,
    RouterRules,
)

_VERBS = ("Get", "Post", "Put", "Patch", "Delete", "Head", "Options")
_CALLS = (
    *(
        CallRule(
            EntryKind.ROUTE,
            f"Map{verb}",
            rf'\.(?P<call>Map{verb})\(\s*"(?P<name>[^"]*)"\s*,\s*(?:async\b|\(|(?P<runs>[A-Za-z_][\w.]*)\s*\))',
        )
        for verb in _VERBS
    ),
    CallRule(
        EntryKind.COMMAND,
        "AddCommand",
        r'\.AddCommand<(?P<runs>[A-Za-z_][\w.]*)>\(\s*"(?P<name>[\w:.-]+)"',
        needs_handler=True,
        methods=("Execute", "ExecuteAsync"),
    ),
)
"""Minimal routes: https://learn.microsoft.com/aspnet/core/fundamentals/minimal-apis. Commands:
https://spectreconsole.net/cli/commandapp."""

_DECORATORS = tuple(
    DecoratorRule(EntryKind.COMMAND, frozenset({name}), frozenset(), (package, rf"\busing {package}\s*;"))
    for name, package in (("Verb", "CommandLine"), ("Command", "Cocona"))
)

_GROUP = r'(?<![\w.])(?P<parent>[A-Za-z_]\w*)\s*\.MapGroup\(\s*"(?P<prefix>[^"\n]*)"\s*\)'
_ROUTERS = RouterRules(
    groups=(late_pattern(_GROUP),),
    chains=(late_pattern(_GROUP),),
    mounts=(("MapGroup", late_pattern(rf"{_GROUP}\s*\.(?P<only>(?!Map(?:{'|'.join(_VERBS)})\b)Map\w+)\(\s*\)")),),
)
"""https://learn.microsoft.com/aspnet/core/fundamentals/minimal-apis/route-handlers#route-groups."""

ENTRY_POINTS = EntryPointRules(
    routers=_ROUTERS,
    main=MainRule("Main", header=re.compile(r"\bstatic\b"), in_class=True),
    calls=_CALLS,
    decorators=_DECORATORS,
    routes=AnnotatedRoutes(
        methods={f"Http{verb}": (verb.upper(),) for verb in _VERBS},
        paths=("Route", "RoutePrefix"),
        method_paths=frozenset({"Route"}),
        alone=late_pattern(r"~?/"),
        # https://learn.microsoft.com/aspnet/core/mvc/controllers/routing#conventional-routing
        unwritten="Index",
        results=late_pattern(r"\bpublic\b[^()]{0,80}\b(?:IActionResult|ActionResult|ViewResult|JsonResult)\b"),
    ),
)
