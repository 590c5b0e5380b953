"""How programs in Rust declare entry points."""

from __future__ import annotations

import re

from avionics.late_pattern import late_pattern
from avionics.model.enums import EntryKind
from avionics.syntax.entry_points import (
    HTTP_VERBS,
    CallRule,
    DecoratorRule,
    EntryPointRules,
    MainRule,
    RouterRules,
    VariantRule,
)

_VERBS = "|".join(sorted(HTTP_VERBS))
_RUNS = r"(?P<runs>[A-Za-z_][\w:]*)"
_CALLS = (
    CallRule(
        EntryKind.ROUTE,
        "route",
        rf'\.route\(\s*"(?P<name>(?:/[^"]*)?)"\s*,\s*(?P<chain>(?:\w+::)*(?:{_VERBS}|any)\((?:(?!\.route\(|;)[\s\S]){{0,600}})',
        chain=rf"(?:(?<=[.:\s(,])|(?<=^))(?P<call>{_VERBS}|any)\((?:\)\s*\.to(?:_async)?\()?\s*{_RUNS}\s*\)",
    ),
    CallRule(
        EntryKind.ROUTE,
        "poem",
        rf'\.at\(\s*"(?P<name>/[^"]*)"\s*,\s*(?P<chain>(?:\w+::)*(?:{_VERBS})\((?:(?!\.at\(|;)[\s\S]){{0,600}})',
        chain=rf"(?:(?<=[.:\s(,])|(?<=^))(?P<call>{_VERBS})\(\s*{_RUNS}\s*\)",
    ),
    CallRule(
        EntryKind.ROUTE,
        "tide",
        rf'\.at\(\s*"(?P<name>/[^"]*)"\s*\)(?P<chain>(?:\s*\.(?:{_VERBS})\([^();]*\))+)',
        chain=rf"\.(?P<call>{_VERBS})\(\s*{_RUNS}\s*\)",
    ),
    CallRule(
        EntryKind.ROUTE,
        "resource",
        r'\bweb::resource\(\s*"(?P<name>[^"]*)"\s*\)(?P<chain>(?:(?!\.service\(|;)[\s\S]){0,600})',
        chain=rf"\.route\(\s*web::(?P<call>{_VERBS})\(\)\s*\.to(?:_async)?\(\s*{_RUNS}",
    ),
    CallRule(
        EntryKind.ROUTE,
        "resource",
        rf'\bweb::resource\(\s*"(?P<name>[^"]*)"\s*\)\s*\.(?P<call>to(?:_async)?|{_VERBS})\(\s*{_RUNS}',
    ),
    CallRule(
        EntryKind.ROUTE,
        "warp",
        r'\bwarp::(?P<call>path)\(\s*"(?P<name>[^"]*)"\s*\)'
        rf"(?:\s*\.and\(\s*warp::(?P<verb>{_VERBS})\(\)\s*\))?"
        rf"(?:\s*\.\w+\((?:[^;()]|\([^;()]*\)){{0,200}}\)){{0,8}}?\s*\.(?:and_then|map|then)\(\s*{_RUNS}",
    ),
    CallRule(
        EntryKind.COMMAND,
        "clap",
        r'\.subcommand\(\s*(?:clap::)?(?:Command|App)::(?P<call>new)\(\s*"(?P<name>[\w-]+)"(?P<runs>)',
    ),
)
_BROUGHT = ("macro_use", r"#\[macro_use[^\]\n]*\]\s*extern crate rocket\b")
_DECORATORS = (DecoratorRule(EntryKind.ROUTE, HTTP_VERBS | {"route"}, frozenset({"actix_web", "rocket"}), _BROUGHT),)
_VARIANTS = (VariantRule(re.compile(r"\b(?:Subcommand|clap::Parser)\b"), re.compile(r"\bname\s*=\s*\"([\w-]+)\"")),)
"""clap: https://docs.rs/clap/latest/clap/trait.Subcommand.html."""

_PREFIX = r'(?:"(?P<prefix>[^"\n]*)"|(?P<computed>(?:\w+::)*[A-Z][A-Z\d_]*))'
_ROUTERS = RouterRules(
    blocks=(late_pattern(r'\.nest(?P<open>\()\s*"(?P<prefix>/[^"]*)"'),),
    chains=(late_pattern(rf"\b(?:web::)?scope\(\s*+{_PREFIX}\s*+(?:,\s*+)?\)"),),
    mounts=(
        ("nest", late_pattern(r'\.nest\(\s*"(?P<prefix>/[^"]*)"\s*,\s*(?P<router>(?!Router::)[A-Za-z_][\w:]*)')),
        ("configure", late_pattern(r"\.configure\(\s*(?P<router>[A-Za-z_][\w:]*)\s*\)")),
        ("service", late_pattern(r"\.service\(\s*+\(?(?P<router>[\w:,\s]*+)(?:\(\)\s*+)?\)")),
        ("mount", late_pattern(rf"\.mount\(\s*{_PREFIX}\s*,\s*(?:\w+::)?routes!\[(?P<router>[\w:,\s]*)\]")),
        ("merge", late_pattern(r"\.merge\(\s*(?P<router>(?!Router::)[A-Za-z_][\w:]*)")),
    ),
)
"""axum: https://docs.rs/axum/latest/axum/struct.Router.html#method.nest. actix: https://actix.rs/docs/application.
rocket: https://rocket.rs/guide/v0.5/overview/#mounting."""

ENTRY_POINTS = EntryPointRules(
    main=MainRule(), routers=_ROUTERS, decorators=_DECORATORS, calls=_CALLS, variants=_VARIANTS
)
