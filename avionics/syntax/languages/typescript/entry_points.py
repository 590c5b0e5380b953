"""How programs in JavaScript and TypeScript declare entry points."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from avionics.late_pattern import late_pattern
from avionics.model.enums import EntryKind
from avionics.syntax.entry_points import (
    HTTP_VERBS,
    AnnotatedRoutes,
    CallRule,
    DecoratorRule,
    EntryPointRules,
    PassedPaths,
    PlacedRoutes,
    PlacedRule,
    RouterRules,
    Script,
)
from avionics.syntax.manifests import read_json

_MAX_SCRIPTS = 300
_OBJECTS = r"(?:\w*[aA]pp|\w*[rR]oute[rs]?|\w*[sS]erver|fastify|api)"
_SERVER = rf"\b{_OBJECTS}"
"""Objects on which routes are declared: https://expressjs.com/en/guide/routing.html, Koa's router, Fastify, Hono."""
_RUNS = r"(?:async\b|function\b|\(|\w+\s*=>|(?P<runs>[A-Za-z_$][\w.$]*)\s*\))"
_LITERAL = r"[\"'`](?P<name>/[^\"'`\n]*)[\"'`]"
_TYPED = r"(?:<[^()\n]{0,300}>)?"
"""The type arguments of a call: Fastify's `app.get<{ Params: … }>(…)`."""
_BASE = r"(?:\$\{[^}\n]{0,80}\})?"
"""A placeholder before the path in a template, such as the base of all routes."""
_VERBS = "|".join((*sorted(HTTP_VERBS), "all"))
_FIELDS = r"(?:[^{}]|\{[^{}]*\}){0,800}?"
_EVENTS = ("onClick", "onChange", "onSubmit", "onKeyDown")
_MORE_CALLS = (
    CallRule(
        EntryKind.ROUTE,
        "route",
        rf"{_SERVER}\.route\(\s*{_LITERAL}\s*\)(?P<chain>(?:\s*\.(?:{_VERBS})\((?:[^()]|\([^()]*\))*\))+)",
        ".route(",
        rf"\.(?P<call>{_VERBS})\(\s*(?:[\w.$]+(?:\([^()\n]*\))?\s*,\s*)*{_RUNS}",
    ),
    CallRule(
        EntryKind.ROUTE,
        "route",
        rf"{_SERVER}\.(?P<call>route)\(\s*\{{(?={_FIELDS}\bmethod:\s*(?P<verb>\[[^\]]*\]|[\"'`]\w+))"
        rf"(?={_FIELDS}\burl:\s*{_LITERAL})(?:(?={_FIELDS}\bhandler:\s*(?P<runs>[A-Za-z_$][\w.$]*)))?",
        ".route(",
    ),
    CallRule(EntryKind.ROUTE, "routes", r"[\"'](?P<verb>GET|POST|PUT|PATCH|DELETE) (?P<name>/[^\"'\n]*)[\"']\s*:"),
    CallRule(
        EntryKind.COMMAND,
        "action",
        r"\.(?P<call>command)\(\s*[\"'`](?P<name>[\w:-]++)[^\"'`\n]*+[\"'`]"
        r"(?:(?!\.command\()[\s\S]){0,1500}?\.action\(\s*(?:async\b|function\b|\(|(?P<runs>[A-Za-z_$][\w.$]*))",
        ".action(",
    ),
    CallRule(
        EntryKind.COMMAND,
        "yargs",
        r"\.(?P<call>command)\(\s*(?:\[\s*)?[\"'`](?P<name>[\w:-]++)[^\"'`\n]*+[\"'`]",
        ".command(",
        takes_handler=True,
    ),
    CallRule(
        EntryKind.COMMAND,
        "handler",
        r"\bexport(?:s\.| const )command {0,2}= {0,2}\[?[\"'`](?P<name>[\w:-]++)"
        r"(?:(?!\.command\b|\bconst command\b)[\s\S]){0,4000}?"
        r"\bexport(?:s\.| const | (?:async )?function )(?P<runs>handler)\b",
        "command",
        needs_handler=True,
    ),
    CallRule(
        EntryKind.COMMAND,
        "defineCommand",
        r"\b(?P<call>defineCommand)\(\s*\{\s*meta:\s*\{[^{}]{0,300}?\bname:\s*[\"'`](?P<name>[\w:.-]++)[\"'`]"
        r"(?:(?!defineCommand\()[\s\S]){0,1500}?(?<![\w$.])(?:run\s*\("
        r"|run:\s*(?:async\b|function\b|\(|(?P<runs>[A-Za-z_$][\w.$]*)))",
        "defineCommand",
    ),
    *(
        CallRule(EntryKind.EVENT, name, rf"\b(?P<name>{name})=\{{\s*(?P<runs>[A-Za-z_$][\w.$]*)\s*\}}", f"{name}=")
        for name in _EVENTS
    ),
)
"""Routes of Express and Fastify with several methods, commands of commander, yargs and citty, React's events."""
_METHOD = r"\bmethod:\s*(?P<verb>[\"'`](?:GET|POST|PUT|PATCH|DELETE)[\"'`]|\[[^\[\]\n]{0,80}\])\s*,"
_AT_PATH = rf"\bpath:\s*{_LITERAL}\s*,"
_HANDLES = (
    rf"{_FIELDS}(?:\b(?:options|config):\s*\{{{_FIELDS})?\bhandler"
    r"(?::\s*(?:async\b|function\b|\(|\w+\s*=>|(?P<runs>[A-Za-z_$][\w.$]*))|\s*\()"
)
_OBJECTS_OF_ROUTES = tuple(
    CallRule(EntryKind.ROUTE, "handler", f"{pattern}{_HANDLES}", sign="method:")
    for pattern in (rf"{_METHOD}\s*{_AT_PATH}", rf"{_AT_PATH}\s*{_METHOD}")
)
"""Hapi: https://hapi.dev/tutorials/routing."""
_VERB = r"\bmethod:\s*[\"'`](?P<verb>get|post|put|patch|delete)[\"'`]\s*,"
_DESCRIBED_ROUTES = tuple(
    CallRule(
        EntryKind.ROUTE, "createRoute", f"{call}\\(\\s*\\{{\\s*{fields}", sign="createRoute(", takes_handler=is_given
    )
    for call, is_given in ((r"\.(?P<call>openapi)\(\s*createRoute", True), (r"=\s*(?P<call>createRoute)", False))
    for fields in (rf"{_VERB}\s*{_AT_PATH}", rf"{_AT_PATH}\s*{_VERB}")
)
"""Hono with OpenAPI: https://hono.dev/examples/zod-openapi."""
_EVENTS_AND_TASKS = (
    CallRule(
        EntryKind.EVENT,
        "on",
        r"\b(?:io|wss|\w*[sS]ocket)\.(?P<call>on)\(\s*[\"'`](?P<name>[\w:.-]+)[\"'`]\s*,",
        ".on(",
        takes_handler=True,
    ),
    CallRule(
        EntryKind.TASK,
        "cron",
        r"\bcron\.(?P<call>schedule)\(\s*[\"'`](?P<name>[^\"'`\n]+)[\"'`]\s*,",
        ".schedule(",
        takes_handler=True,
    ),
    CallRule(
        EntryKind.ROUTE,
        "router",
        rf"\brouter\.(?P<call>{_VERBS})\(\s*{_LITERAL}\s*,\s*\[\s*(?P<runs>[A-Z][\w$]*)\s*,",
        "router.",
        needs_handler=True,
    ),
)
"""Socket.IO, node-cron, and AdonisJS (https://docs.adonisjs.com/guides/basics/routing)."""
_NEST_PACKAGES = frozenset(
    {f"@nestjs/{each}" for each in ("schedule", "event-emitter", "websockets", "bull", "bullmq")}
)
_SCHEDULES = (
    DecoratorRule(EntryKind.TASK, frozenset({"Cron", "Interval", "Process"}), _NEST_PACKAGES),
    DecoratorRule(EntryKind.EVENT, frozenset({"OnEvent", "SubscribeMessage"}), _NEST_PACKAGES),
)
"""https://docs.nestjs.com/techniques/task-scheduling and https://docs.nestjs.com/techniques/events"""
_CALLS = tuple(
    CallRule(
        EntryKind.ROUTE,
        verb,
        rf"{on}\.(?P<call>{verb}){_TYPED}\(\s*(?P<quote>[\"'`]){_BASE}(?P<name>{path})(?P=quote)\s*,",
        f".{verb}",
        takes_handler=True,
    )
    for verb in (*sorted(HTTP_VERBS), "all")
    # A Koa router that is mounted below a path takes names without a slash: `router.post("orders.add", …)`.
    for on, path in ((_SERVER, r"/[^\"'`\n]*"), (r"\b\w*[rR]outer", r"[A-Za-z][\w.:/-]*"))
)


def iter_package_json(text: str) -> Iterator[Script]:
    """Yield the commands of a package.json: https://docs.npmjs.com/cli/configuring-npm/package-json#bin."""
    document = read_json(text)
    given, name = document.get("bin"), document.get("name")
    named = {name.rpartition("/")[2]: given} if isinstance(given, str) and isinstance(name, str) else given
    lines = text.split("\n")
    for command, target in islice(named.items(), _MAX_SCRIPTS) if isinstance(named, dict) else ():
        if isinstance(target, str) and target:
            key = command if isinstance(given, dict) else "bin"
            line = next((at for at, line in enumerate(lines, 1) if f'"{key}"' in line and target in line), 1)
            yield command, f"./{target.removeprefix('./')}", line


_NEST = AnnotatedRoutes(
    methods={
        **{verb.capitalize(): (verb.upper(),) for verb in HTTP_VERBS},
        "All": (), "MessagePattern": (), "EventPattern": (),
    },
    paths=("Controller",),
    base=("setGlobalPrefix", late_pattern(r"\.setGlobalPrefix\(")),
    versions=("enableVersioning", late_pattern(r"\.enableVersioning\(")),
    base_of="Controller",
    method_paths=frozenset(),
)  # fmt: skip
_PLACED = (
    PlacedRule(
        re.compile(r"\A(?>(?:(?!src/commands/)[^/]*+/)*)src/commands/([\w/-]+?)(?:/index)?\.tsx?$"),
        "",
        "run",
        re.compile(r"\bextends \w*Command\b"),
    ),
)
"""oclif: https://oclif.io/docs/commands/"""
_ONLY_VERB = rf"(?:\.(?P<verb>{'|'.join(sorted(HTTP_VERBS))}))?\.[jt]s$"
_NITRO_HANDLER = re.compile(r"export default \w*(?:Handler|NodeMiddleware)\b", re.IGNORECASE)
_ORDERING = re.compile(r"(?<![^/])(?:\([^()/]++\)|@[^/]++)/")
"""Directories that only order the files of routes: groups and slots."""
_PLACED_ROUTES = (
    PlacedRoutes(
        re.compile(r"\A(?>(?:(?!app/)[^/]*+/)*)app/((?>(?:[^/]++/)*))route\.[jt]sx?$"),
        by_method=True,
        unspoken=_ORDERING,
    ),
    PlacedRoutes(
        re.compile(r"\A(?>(?:(?!app/)[^/]*+/)*)app/((?>(?:[^/]++/)*))page\.[jt]sx?$"),
        by_method=False,
        unspoken=_ORDERING,
    ),
    PlacedRoutes(
        re.compile(r"\A(?>(?:(?!src/routes/)[^/]*+/)*)src/routes/((?>(?:[^/]++/)*))\+server\.[jt]s$"),
        by_method=True,
        unspoken=_ORDERING,
    ),
    PlacedRoutes(
        re.compile(r"\A(?>(?:(?!src/routes/)[^/]*+/)*)src/routes/((?>(?:[^/]++/)*))\+page(?:\.server)?\.[jt]s$"),
        by_method=False,
        header=re.compile(r"export (?:async function|function|const) load\b"),
        unspoken=_ORDERING,
    ),
    PlacedRoutes(re.compile(r"\A(?>(?:(?!pages/api/)[^/]*+/)*)pages/(api/[^.]++)\.[jt]sx?$"), by_method=False),
    PlacedRoutes(
        re.compile(rf"\A(?>(?:(?!server/api/)[^/]*+/)*)server/(api/(?:[^.]|\.\.\.)+?){_ONLY_VERB}"),
        by_method=False,
        header=_NITRO_HANDLER,
    ),
    PlacedRoutes(
        re.compile(rf"\A(?>(?:(?!server/routes/)[^/]*+/)*)server/routes/((?:[^.]|\.\.\.)+?){_ONLY_VERB}"),
        by_method=False,
        header=_NITRO_HANDLER,
    ),
)
"""Next: https://nextjs.org/docs/app/building-your-application/routing/route-handlers. SvelteKit:
https://svelte.dev/docs/kit/routing. Nuxt's server: https://nitro.build/guide/routing."""

_QUOTED_PREFIX = (
    r"(?:[\"'](?P<prefix>/[^\"'\n]*)[\"']|(?P<computed>`[^`\n]*+`"
    r"|(?:[A-Z][A-Z\d_]++|[A-Za-z_$][\w$.]*?(?:[Pp]refix|[Pp]ath|[Uu]rl))(?![\w$.(])(?!\s*+\+)"
    r"|[A-Za-z_$][\w$.]*+\s*+\+\s*+[\"'][^\"'\n]*+[\"']))"
)
"""A path; a name stands for one only if it is that of a constant or of a path, because handlers are passed, too."""
_PREFIX_OPTION = rf"\{{[^{{}}]{{0,400}}?\bprefix\s*:\s*{_QUOTED_PREFIX}"
_TAKEN = r"(?P<router>(?:require|import)\([^()\n]*\)|[A-Za-z_$][\w$.]*)"
_ROUTERS = RouterRules(
    groups=(
        late_pattern(rf"(?<![\w.])(?:new\s+)?(?:\w{{1,40}}\.)?\w{{0,40}}Router\(\s*{_PREFIX_OPTION}"),
        late_pattern(rf"(?<![\w$.])(?P<parent>[A-Za-z_$][\w$.]{{0,80}})\.basePath\(\s*{_QUOTED_PREFIX}"),
        late_pattern(rf"new\s+Hono(?:<[^<>\n]*>)?\([^()\n]*\)\.basePath\(\s*{_QUOTED_PREFIX}"),
    ),
    mounts=(
        *(
            (
                word,
                late_pattern(
                    rf"(?:(?<![\w$.])(?P<parent>[A-Za-z_$][\w$.]{{0,80}})|(?<=\)))\s*\.{word}\(\s*{path}"
                    rf"(?:[\w$.]++(?:\([^()\n]*+\))?\s*+,\s*+){{0,5}}{_TAKEN}(?:\([^()\n]*\))?\s*,?\s*\)"
                ),
            )
            for word, path in (("use", rf"(?:{_QUOTED_PREFIX}\s*+,\s*+)?"), ("route", rf"{_QUOTED_PREFIX}\s*,\s*"))
        ),
        (
            "mount",
            late_pattern(
                rf"(?<![\w$.])(?P<parent>[A-Za-z_$][\w$.]{{0,80}})\.use\(\s*mount\(\s*{_QUOTED_PREFIX}\s*,\s*{_TAKEN}"
            ),
        ),
        (
            "register",
            late_pattern(
                rf"(?<![\w$.])(?P<parent>[A-Za-z_$][\w$.]{{0,80}})\.register\(\s*{_TAKEN}\s*,\s*{_PREFIX_OPTION}"
            ),
        ),
    ),
)
"""Express (`use`), Koa's router (`prefix`, `mount`), Hono (`route`, `basePath`), and Fastify (`register`)."""

ENTRY_POINTS = EntryPointRules(
    routers=_ROUTERS,
    calls=(*_CALLS, *_MORE_CALLS, *_OBJECTS_OF_ROUTES, *_DESCRIBED_ROUTES, *_EVENTS_AND_TASKS),
    decorators=_SCHEDULES,
    passed_paths=(PassedPaths((*sorted(HTTP_VERBS), "all"), rf"(?:this\.)?{_OBJECTS}"),),
    routes=_NEST,
    placed=_PLACED,
    placed_routes=_PLACED_ROUTES,
    script_files={"package.json": iter_package_json},
    script_importer="index.js",
    view_suffix=".bind",
)
