"""How programs in PHP declare entry points."""

from __future__ import annotations

import re
from collections.abc import Iterator

from avionics.syntax.entry_points import EntryPointRules, RouteFile, RouteLine

_ROUTE = re.compile(
    r"""(?:Route::|->)(?P<verb>get|post|put|patch|delete|options|any)\(\s*["'](?P<name>[^"']*)["']\s*,\s*"""
    r"""(?:\[\s*\\?(?:\w+\\)*(?P<of>\w+)::class\s*,\s*["'](?P<method>\w+)["']"""
    r"""|["'](?:\w+\\)*(?P<at>\w+@\w+)["']|\\?(?:\w+\\)*(?P<single>\w+)::class)"""
)


def iter_laravel_routes(text: str) -> Iterator[RouteLine]:
    """Yield the routes of a Laravel routes file."""
    for match in _ROUTE.finditer(text):
        runs = f"{match['of']}.{match['method']}" if match["of"] else (match["at"] or "").replace("@", ".")
        methods = () if match["verb"] == "any" else (match["verb"].upper(),)
        line = text.count("\n", 0, match.start()) + 1
        yield methods, f"/{match['name'].strip('/')}", runs or f"{match['single']}.__invoke", line


ENTRY_POINTS = EntryPointRules(route_files=(RouteFile(re.compile(r"(?:^|/)routes/[\w/]+\.php$"), iter_laravel_routes),))
