"""How programs in PHP declare entry points."""

from __future__ import annotations

import re
from collections.abc import Iterator

from avionics.late_pattern import late_pattern
from avionics.model.enums import EntryKind
from avionics.model.facts import line_of
from avionics.syntax.entry_points import (
    AnnotatedRoutes,
    CallRule,
    DecoratorRule,
    EntryPointRules,
    RouteFile,
    RouteLine,
    RouterRules,
)

_ROUTE = re.compile(
    r"""(?:Route::|->)(?P<verb>get|post|put|patch|delete|options|any|match|(?:api)?[rR]esource)\("""
    r"""\s*(?:\[(?P<verbs>[^\[\]]{0,200})\]\s*,\s*)?["'](?P<name>[^"']*)["']\s*,\s*"""
    r"""(?:\[\s*\\?(?:\w+\\)*(?P<of>\w+)::class\s*,\s*["'](?P<method>\w+)["']"""
    r"""|["'](?:\w+\\)*(?P<at>\w+@\w+|\w+Controller)["']|\\?(?:\w+\\)*(?P<single>\w+)::class)"""
)


_RESOURCE = {
    "index": ("GET", ""), "create": ("GET", "/create"), "store": ("POST", ""), "show": ("GET", "/{}"),
    "edit": ("GET", "/{}/edit"), "update": ("PUT,PATCH", "/{}"), "destroy": ("DELETE", "/{}"),
}  # fmt: skip
_LIMIT = re.compile(r"""\b(only|except)["']?\s*(?:=>|\()\s*(\[[^\[\]]*\]|["']\w+["'])""")
"""https://laravel.com/docs/controllers#resource-controllers"""


def _iter_resource(text: str, match: re.Match[str], line: int) -> Iterator[RouteLine]:
    """Yield the routes of `Route::resource` and `Route::apiResource`."""
    limits = dict(_LIMIT.findall(text, match.end(), text.find(";", match.end())))
    left_out = {"create", "edit"} if match["verb"] == "apiResource" else set()
    left_out |= set(re.findall(r"\w+", limits.get("except", "")))
    only = set(re.findall(r"\w+", limits.get("only", ""))) or set(_RESOURCE)
    *outer, own = match["name"].strip("/").split(".")
    # Those of `albums.songs` are served below one of its albums.
    name = "".join(f"{each}/{{{_name_item(each)}}}/" for each in outer) + own
    item = _name_item(own)
    for action, (verb, path) in _RESOURCE.items():
        if action in only - left_out:
            runs = f"{match['single'] or match['at']}.{action}"
            yield tuple(verb.split(",")), f"/{name}{path.replace('{}', f'{{{item}}}')}", runs, line


def _name_item(resource: str) -> str:
    """Return the name of one item of a resource: `photo_album` of `admin/photo-albums`."""
    return re.sub(r"s$", "", re.sub(r"ies$", "y", resource.rpartition("/")[2])).replace("-", "_")


def iter_laravel_routes(text: str) -> Iterator[RouteLine]:
    """Yield the routes of a Laravel routes file."""
    for match in _ROUTE.finditer(text):
        line = line_of(text, match.start())
        if match["verb"].lower().endswith("resource"):
            yield from _iter_resource(text, match, line)
            continue
        runs = f"{match['of']}.{match['method']}" if match["of"] else (match["at"] or "").replace("@", ".")
        verbs = re.findall(r"\w+", match["verbs"] or "") or [match["verb"]]
        methods = () if verbs == ["any"] else tuple(verb.upper() for verb in verbs)
        yield methods, f"/{match['name'].strip('/')}", runs or f"{match['single']}.__invoke", line


_PREFIX = r"""["'](?P<prefix>[^"'$\n]*)["']\s*"""
_LED = rf"""\bRoute::(?:\w+\([^()]{{0,200}}\)\s*->){{0,8}}prefix\(\s*{_PREFIX}\)"""
_FILE = r"""(?:base_path\(\s*|__DIR__\s*\.\s*)["'](?P<file>[^"'\n]*)["']"""
_ROUTERS = RouterRules(
    chains=(late_pattern(_LED),),
    blocks=(late_pattern(rf"""\bRoute::group(?P<open>\()\s*\[[^\[\]]{{0,400}}?["']prefix["']\s*=>\s*{_PREFIX}"""),),
    mounts=(
        ("require", late_pattern(rf"""\brequire(?:_once)?\s*\(?\s*{_FILE}""")),
        (
            "group",
            late_pattern(
                rf"""{_LED}\s*(?:->\w+\([^()]{{0,200}}\)\s*){{0,8}}"""
                rf"""->group\(\s*{_FILE}"""
            ),
        ),
    ),
)
"""https://laravel.com/docs/routing#route-group-prefixes"""

_CALLS = tuple(
    CallRule(EntryKind.COMMAND, word, regex, needs_handler=True, methods=("handle", "execute"))
    for word, regex in (
        *(
            (word, rf"""\bprotected\s+(?:static\s+)?(?:\??string\s+)?\${word}\s*=\s*["'](?P<name>[\w:.-]+)""")
            for word in ("signature", "defaultName")
        ),
        ("setName", r"""->setName\(\s*["'](?P<name>[\w:.-]+)["']"""),
    )
)
_DECORATORS = (
    DecoratorRule(EntryKind.COMMAND, frozenset({"AsCommand"}), frozenset({"Symfony"}), methods=("execute", "__invoke")),
)
"""https://laravel.com/docs/artisan#writing-commands and https://symfony.com/doc/current/console.html"""

_VERBS = ("get", "post", "put", "patch", "delete", "options")
_ROUTES = tuple(
    CallRule(
        EntryKind.ROUTE,
        verb,
        rf"""\$(?:app|group|router|r)->(?P<call>{verb})\(\s*["'](?P<name>/[^"'\n]*)["']\s*+,\s*+"""
        r"""(?:(?:static\s+)?(?:function|fn)\b|(?:\[\s*+)?\\?(?:\w+\\)*(?P<runs>\w+)::class)""",
        sign=f"->{verb}(",
        needs_handler=True,
    )
    for verb in _VERBS
)
"""Slim: https://www.slimframework.com/docs/v4/objects/routing.html."""
_ATTRIBUTES = AnnotatedRoutes(methods={"Route": ()}, paths=("Route",))
"""Symfony: https://symfony.com/doc/current/routing.html#creating-routes-as-attributes."""

_SUBSCRIBED = CallRule(
    EntryKind.EVENT,
    "getSubscribedEvents",
    r"\bfunction getSubscribedEvents\(\)[^{;]{0,40}\{(?P<chain>[^{}]{0,4000})\}",
    chain=r"""(?P<name>\\?[A-Z][\w\\]*+(?:::\w+)?|["'][\w.\\-]+["'])\s*+=>\s*+(?:\[\s*+){0,2}["'](?P<runs>\w+)["']""",
    needs_handler=True,
)
"""https://symfony.com/doc/current/event_dispatcher.html#creating-an-event-subscriber"""

ENTRY_POINTS = EntryPointRules(
    calls=(*_CALLS, *_ROUTES, _SUBSCRIBED),
    routes=_ATTRIBUTES,
    decorators=_DECORATORS,
    routers=_ROUTERS,
    route_files=(RouteFile(re.compile(r"(?:^|/)routes/[\w/.-]+\.php$"), iter_laravel_routes),),
)
