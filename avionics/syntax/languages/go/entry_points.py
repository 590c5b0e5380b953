"""How programs in Go declare entry points."""

from __future__ import annotations

import re
from collections.abc import Iterator

from avionics.late_pattern import late_pattern
from avionics.model.enums import EntryKind
from avionics.model.facts import line_of
from avionics.model.naming import last_part
from avionics.syntax.entry_points import (
    HTTP_VERBS,
    CallRule,
    EntryPointRules,
    MainRule,
    PassedPaths,
    RouteFile,
    RouteLine,
    RouterRules,
)

_ARGUMENTS = r"\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*\)"
_RUNS = rf"(?P<runs>[A-Za-z_][\w.]*(?:{_ARGUMENTS})?(?:\.\w+{_ARGUMENTS})?)\s*+(?:,\s*+)?\)"
"""The last argument of a Go route: the handler, perhaps made by a call, or within calls that wrap it."""
_MEMBER = r"(?m:^)[ \t]*(?P<member>[A-Z]\w*)[ \t]+\*?(?P<runs>[A-Za-z_][\w.]*)[ \t]+`"
"""A member of a structure, up to its tag."""
_BASE = r'" ?\+ ?[\w.]+ ?\+ ?"'
"""A variable between a method and a path: `"GET "+base+"orders"`."""
_CALLS = (
    *(
        CallRule(EntryKind.ROUTE, verb, rf'\.(?P<call>{verb})\(\s*"(?P<name>(?:/[^"]*)?)"\s*,', takes_handler=True)
        for name in sorted(HTTP_VERBS)
        for verb in (name.upper(), name.capitalize())
    ),
    *(
        CallRule(
            EntryKind.ROUTE,
            name,
            rf'\.(?P<call>{name})\(\s*(?:"(?P<before>[A-Z]+ )?(?:{_BASE})?|[\w.]+ ?\+ ?")'
            r'(?P<name>(?:/|(?<=\+")|(?<=\+ "))[^"]*)"\s*,',
            takes_handler=True,
            after=r"\s*\.Methods\((?P<verb>[^()]*)\)",
        )
        for name in ("Any", "Handle", "HandleFunc")
    ),
    *(
        CallRule(
            EntryKind.ROUTE,
            name,
            rf'\.(?P<call>{name})\(\s*(?P<verb>"[A-Z]+"|http\.Method\w+)\s*,\s*"(?P<name>/[^"]*)"\s*,',
            takes_handler=True,
        )
        for name in ("Method", "MethodFunc", "Handle", "Add")
    ),
    *(
        CallRule(
            EntryKind.ROUTE,
            name,
            rf'(?:\.Methods\((?P<verb>[^()]*)\)\s*)?\.Path(?:Prefix)?\(\s*"(?P<name>/[^"]*)"\s*\)'
            rf"(?:\s*\.\w+\([^()]*\)){{0,5}}?\s*\.\s*(?P<call>{name})\(\s*(?:func\b|{_RUNS})"
            r"(?:\s*\.Methods\((?P<verbs>[^()]*)\))?",
        )
        for name in ("HandlerFunc", "Handler")
    ),
    *(
        CallRule(
            EntryKind.ROUTE,
            name,
            rf'\b(?:web|beego)\.{name}\(\s*"(?P<name>/[^"]*)"\s*,\s*(?:&|new\()(?P<runs>[A-Za-z_][\w.]*)(?:\{{\}}|\))\s*,'
            r'\s*"(?P<chain>[^"\n]*)"',
            chain=r"(?P<verb>[\w*,]+):(?P<method>\w+)",
        )
        for name in ("Router", "NSRouter")
    ),
    *(
        CallRule(
            EntryKind.COMMAND,
            word,
            rf'\b{of}(?P<call>Command)\{{(?:(?!Command\{{)[\s\S])*?\b{field}:\s*"(?P<name>[\w:.-]+)[^"]*"'
            r"(?:(?:(?!Command\{)[\s\S])*?"
            rf"\n[ \t]*(?:{runs}):[ \t]*(?:(?:[\w.]+\(\s*){{0,3}}func\b"
            rf"|(?P<runs>[A-Za-z_][\w.]*(?:{_ARGUMENTS})?))){{{least},1}}",
            needs_handler=bool(least),
        )
        for word, of, field, runs, least in (
            ("cobra", r"cobra\.", "Use", "RunE?", 0),
            ("Command", r"(?<!cobra\.)", "Name", r"Action|\w*Func|RunE?|Handler|Exec(?:ute)?", 1),
        )
    ),
    CallRule(
        EntryKind.COMMAND,
        "cmd",
        rf"{_MEMBER}(?:[^`\n]*\s)?cmd(?=[\s:`])(?:[^`\n]*\sname:\"(?P<name>[\w.-]+)\")?",
        needs_handler=True,
        methods=("Run",),
    ),
    CallRule(
        EntryKind.COMMAND,
        "command",
        rf"{_MEMBER}(?:[^`\n]*\s)?command:\"(?P<name>[\w.-]+)\"",
        needs_handler=True,
        methods=("Execute",),
    ),
    CallRule(
        EntryKind.COMMAND,
        "AddCommand",
        r'\.(?P<call>AddCommand)\(\s*"(?P<name>[\w.-]+)"(?:\s*,\s*"(?:[^"\\\n]|\\.)*"){2}\s*,\s*&?(?P<runs>[A-Za-z_][\w.]*)',
        needs_handler=True,
        methods=("Execute",),
    ),
    CallRule(
        EntryKind.COMMAND,
        "kingpin",
        r'\.(?P<call>Command)\(\s*"(?P<name>[\w.-]+)"\s*,\s*"(?:[^"\\\n]|\\.)*"\s*\)'
        r"(?:[^;\n]{0,400}?\.Action\((?P<runs>[A-Za-z_][\w.]*))?",
    ),
)
"""Commands of cobra, urfave/cli, kingpin, kong (https://github.com/alecthomas/kong#attach-a-run-error-method-to-each-command)
and go-flags (https://pkg.go.dev/github.com/jessevdk/go-flags#hdr-Commands)."""

_TABLES = tuple(
    CallRule(
        EntryKind.ROUTE,
        word,
        rf'\{{\s*(?:(?:\w+:\s*)?"\w*"\s*,\s*)?(?:\w+:\s*)?(?P<verb>{written})\s*,\s*(?:\w+:\s*)?"(?P<name>/[^"\n]*)"'
        r"\s*,\s*(?:\w+:\s*)?(?P<runs>[A-Za-z_][\w.]*)\s*[,}]",
        sign=word,
        needs_handler=True,
    )
    for verb in sorted(HTTP_VERBS)
    for word, written in (
        (verb.upper(), f'"{verb.upper()}"'),
        (f"Method{verb.capitalize()}", rf"http\.Method{verb.capitalize()}"),
    )
)
"""Rows of tables that a program registers its routes from: `{"list", "GET", "/orders", listOrders}`."""
_PASSED_PATHS = (
    PassedPaths(
        (
            *(verb for name in sorted(HTTP_VERBS) for verb in (name.upper(), name.capitalize())),
            "Any",
            "Handle",
            "HandleFunc",
        ),
        r"[A-Za-z_][\w.]{0,80}",
        after=r"\s*\.Methods\((?P<verb>[^()]*)\)",
    ),
    PassedPaths(
        tuple(word for verb in sorted(HTTP_VERBS) for word in (verb.upper(), f"Method{verb.capitalize()}")),
        r"[A-Za-z_][\w.]{0,80}",
        path=1,
        verb=rf'"(?:{"|".join(sorted(HTTP_VERBS)).upper()})"|http\.Method\w+',
    ),
)

_ROUTER = r"(?<![\w.])(?P<parent>[A-Za-z_][\w.]{0,80}(?:\(\))?)"
_OPERAND = r'(?:"[^"\n]*+"|[A-Za-z_][\w.]*+(?!\())'
_COMPUTED = rf"(?P<computed>{_OPERAND}(?>(?:\s*+\+\s*+{_OPERAND})*))"
"""Literals and names, joined by `+`."""
_PREFIX = rf"\(\s*{_COMPUTED}"
_ROUTERS = RouterRules(
    groups=(
        late_pattern(rf"{_ROUTER}\.(?:\w*Group|Party){_PREFIX}"),
        late_pattern(rf"{_ROUTER}\.PathPrefix{_PREFIX}\s*\)\.Subrouter\("),
    ),
    blocks=(
        late_pattern(rf"\b(?:web|beego)\.(?:NewNamespace|NSNamespace)(?P<open>\()\s*{_COMPUTED}\s*,"),
        late_pattern(
            rf"(?<![\w.])(?P<parent>[A-Za-z_][\w.]{{0,80}})\.(?:Route|Group)(?P<open>\()\s*(?:{_COMPUTED}\s*,\s*)?"
            r"func\((?P<router>\w+)\b"
        ),
    ),
    mounts=(
        ("Mount", late_pattern(rf"{_ROUTER}\.Mount{_PREFIX}\s*,\s*(?P<router>[\w.{{}}]+)")),
        (
            "StripPrefix",
            late_pattern(rf'\.Handle{_PREFIX}\s*,\s*http\.StripPrefix\(\s*"[^"]*"\s*,\s*(?P<router>[A-Za-z_][\w.]*)'),
        ),
    ),
)
"""gin, echo and fiber (`Group`), chi (`Route`, `Mount`), gorilla/mux (`Subrouter`), net/http, and beego."""

_RPC = late_pattern(r"\brpc\s+(\w+)\s*\(\s*(?:stream\s+)?([\w.]+)\s*\)")
_BINDING = late_pattern(r"\b(get|put|post|delete|patch)\s*:\s*\"(/[^\"\n]*)\"")
_VARIABLE = late_pattern(r"\{([\w.]+)=([^{}]*)\}")
"""A part of a path that must match a pattern: `{name=orders/*}`."""


def _write_variable(part: re.Match[str]) -> str:
    """Return the pattern of a part of a path in the form of other frameworks: `orders/{name}`."""
    return part[2].replace("**", "*rest").replace("/*", f"/{{{part[1]}}}")


def iter_gateway_routes(text: str) -> Iterator[RouteLine]:
    """Yield the routes that annotations in protocol buffers declare for the calls of a service.

    Source: https://cloud.google.com/endpoints/docs/grpc/transcoding
    """
    calls = [*_RPC.finditer(text)] if "google.api.http" in text else []
    for at, call in enumerate(calls):
        end = calls[at + 1].start() if at + 1 < len(calls) else len(text)
        for binding in _BINDING.finditer(text, call.end(), end):
            line = line_of(text, binding.start())
            path = _VARIABLE.sub(_write_variable, binding[2])
            yield (binding[1].upper(),), path, f"{call[1]}({last_part(call[2])})", line


ENTRY_POINTS = EntryPointRules(
    main=MainRule(package="main"),
    calls=(*_CALLS, *_TABLES),
    passed_paths=_PASSED_PATHS,
    routers=_ROUTERS,
    route_files=(RouteFile(late_pattern(r"\.proto$"), iter_gateway_routes),),
)
