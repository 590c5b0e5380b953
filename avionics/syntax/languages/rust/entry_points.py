"""How programs in Rust declare entry points."""

from __future__ import annotations

from avionics.model.enums import EntryKind
from avionics.syntax.entry_points import HTTP_VERBS, CallRule, DecoratorRule, EntryPointRules, MainRule

_VERBS = "|".join(sorted(HTTP_VERBS))
_CALLS = (
    CallRule(
        EntryKind.ROUTE,
        "route",
        rf'\.route\(\s*"(?P<name>/[^"]*)"\s*,\s*(?:\w+::)*(?P<call>{_VERBS}|any)\('
        rf"(?:\)\s*\.to\()?\s*(?P<runs>[A-Za-z_][\w:]*)",
    ),
    CallRule(
        EntryKind.COMMAND,
        "clap",
        r'\.subcommand\(\s*(?:clap::)?(?:Command|App)::(?P<call>new)\(\s*"(?P<name>[\w-]+)"(?P<runs>)',
    ),
)
_DECORATORS = (DecoratorRule(EntryKind.ROUTE, HTTP_VERBS | {"route"}, frozenset({"actix_web", "rocket"})),)

ENTRY_POINTS = EntryPointRules(main=MainRule(), decorators=_DECORATORS, calls=_CALLS)
