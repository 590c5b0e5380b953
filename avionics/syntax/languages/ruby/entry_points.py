"""How programs in Ruby declare entry points."""

from __future__ import annotations

import re
from collections.abc import Iterator

from avionics.syntax.entry_points import EntryPointRules, RouteFile, RouteLine

_ROUTE = re.compile(
    r"""^(?P<verb>get|post|put|patch|delete)\s*+(?:\(\s*+)?["'](?P<name>[^"']+)["']\s*(?:=>|,\s*to:|,\s*:to\s*=>)\s*"""
    r"""["'](?P<runs>[\w/]+#\w+)["']"""
)
_ROOT = re.compile(r"""^root\s*+(?:\(\s*+)?(?:to:\s*+)?["'](?P<runs>[\w/]+#\w+)["']""")
_RESOURCES = re.compile(r"^resources\s*+(?:\(\s*+)?:(?P<name>\w+)(?P<rest>.*)$")
_PREFIX = re.compile(r"""^(?:namespace\s*+(?:\(\s*+)?:(?P<name>\w+)|scope\s*+(?:\(\s*+)?["']/?(?P<path>[^"']+)["'])""")
_LIMIT = re.compile(r"\b(only|except):\s*(?:\[((?:(?!only:|except:)[^\]])*+)\]|:(\w+))")
_ACTIONS = {
    "index": ("GET", ""), "create": ("POST", ""), "new": ("GET", "/new"), "show": ("GET", "/:id"),
    "edit": ("GET", "/:id/edit"), "update": ("PATCH", "/:id"), "destroy": ("DELETE", "/:id"),
}  # fmt: skip
"""https://guides.rubyonrails.org/routing.html#crud-verbs-and-actions"""


def iter_rails_routes(text: str) -> Iterator[RouteLine]:
    """Yield the routes of a Rails routes file."""
    opened: list[str] = []
    for number, written in enumerate(text.split("\n"), 1):
        line = written.strip()
        prefix = "".join(f"/{part}" for part in opened if part)
        if match := _ROUTE.match(line):
            yield (match["verb"].upper(),), f"{prefix}/{match['name'].strip('/')}", _qualify(match["runs"]), number
        elif match := _ROOT.match(line):
            yield ("GET",), prefix or "/", _qualify(match["runs"]), number
        elif match := _RESOURCES.match(line):
            for action in _list_actions(match["rest"]):
                method, path = _ACTIONS[action]
                yield (method,), f"{prefix}/{match['name']}{path}", _qualify(f"{match['name']}#{action}"), number
        if line.endswith(" do") or " do |" in line:
            named = _PREFIX.match(line)
            opened.append((named["name"] or named["path"]) if named else "")
        elif line == "end" and opened:
            opened.pop()


def _list_actions(rest: str) -> list[str]:
    """Return the actions of `resources`: all, those of `only:`, or all but those of `except:`."""
    limit = _LIMIT.search(rest)
    if limit is None:
        return list(_ACTIONS)
    named = set(re.findall(r"\w+", limit[2] or limit[3] or ""))
    return [action for action in _ACTIONS if (action in named) is (limit[1] == "only")]


def _qualify(runs: str) -> str:
    """Return the qualified name of an action: `admin/orders#create` is `OrdersController.create`."""
    controller, _, action = runs.rpartition("/")[2].partition("#")
    return f"{''.join(part.capitalize() for part in controller.split('_'))}Controller.{action}"


ENTRY_POINTS = EntryPointRules(
    route_files=(RouteFile(re.compile(r"(?:^|/)config/routes(?:/\w+)?\.rb$"), iter_rails_routes),)
)
