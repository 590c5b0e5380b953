"""How programs in Ruby declare entry points."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct, structs

from avionics.model.enums import EntryKind
from avionics.syntax.entry_points import CallRule, EntryPointRules, PlacedRule, RouteFile, RouteLine

_ROUTE = re.compile(
    r"""^(?P<verb>get|post|put|patch|delete|match)[\s(]\s*+(?:["'](?P<name>[^"'#]*)["']|:(?P<action>\w+))(?P<rest>.*)$"""
)
_TO = re.compile(r"""(?:^\s*=>|\bto:|:to\s*=>)\s*["'](?P<runs>[\w/]*#\w+)["']""")
_IMPLIED = re.compile(r"/?\w+/\w+")
_GIVEN = re.compile(r"^\s*=>|\b(?:to|action|controller)\b")
_VIA = re.compile(r"\bvia(?::|\s*=>)\s*(?:%\w)?(\[[^\]]{0,200}\]|:\w+)")
_ROOT = re.compile(r"""^root\s*+(?:\(\s*+)?(?:to:\s*+|:to\s*=>\s*+)?["'](?P<runs>[\w/]+#\w+)["']""")
_RESOURCES = re.compile(r"^(?P<kind>resources?)[\s(]\s*+(?P<names>:\w+(?>(?:\s*,\s*:\w+(?![\w\s]*=>))*))(?P<rest>.*)$")
_NESTED = re.compile(r"^(?P<kind>namespace|scope|collection|member|concern|controller)\b(?P<rest>.*)$")
_FIRST = re.compile(r"""^[\s(]*(?::(\w+)(?!\s*=>)|["']([^"'#]*)["'])""")
_OPENS = re.compile(r"\bdo(?:\s*\|[^|]*\|)?$|^(?:if|unless|case|begin|def|class|module|while)\b(?!.*\bend$)")
_COMMENT = re.compile(r"(?:^|\s)#(?!\{).*$")
_LIMIT = re.compile(r"\b(only|except)(?::|\s*=>)\s*(?:(?:%[iw])?\[([^\]]*)\]|:(\w+))?")
_ACTIONS = {
    "index": ("GET", ""), "create": ("POST", ""), "new": ("GET", "/new"), "show": ("GET", "/:"),
    "edit": ("GET", "/:/edit"), "update": ("PATCH,PUT", "/:"), "destroy": ("DELETE", "/:"),
}  # fmt: skip
"""https://guides.rubyonrails.org/routing.html#crud-verbs-and-actions"""


class _Block(Struct, frozen=True):
    """A block of routes.

    Attributes:
        path: The prefix of their paths.
        module: The prefix of their controllers.
        controller: The controller of its resource.
        collection: Its path, without the item.
        item: The path of an item, for nested routes.
        is_shallow: Whether the paths of nested items do not begin with its path.
        replaces: Whether its path replaces that of the resource around it, as in `member do`.
        is_template: Whether its routes are declared where its name is used (`concern`).
    """

    path: str = ""
    module: str = ""
    controller: str = ""
    collection: str = ""
    item: str = ""
    is_shallow: bool = False
    replaces: bool = False
    is_template: bool = False


def iter_rails_routes(text: str) -> Iterator[RouteLine]:
    """Yield the routes of a Rails routes file."""
    opened: list[_Block] = []
    for number, line in _iter_statements(text):
        block = _Block()
        is_declared = not any(each.is_template for each in opened)
        if match := _RESOURCES.match(line):
            for name in re.findall(r"\w+", match["names"]):
                block = _read_resource(match["kind"], name, match["rest"])
                if is_declared:
                    yield from _iter_resource(match["kind"], block, match["rest"], opened, number)
        elif match := _ROUTE.match(line):
            route = _read_route(match, opened)
            if route is not None and is_declared:
                yield *route, number
        elif (match := _ROOT.match(line)) and is_declared:
            yield ("GET",), _join_prefixes(opened) or "/", _qualify(match["runs"], opened), number
        elif match := _NESTED.match(line):
            block = _read_block(match["kind"], match["rest"], opened)
        if _OPENS.search(line):
            opened.append(block)
        elif line == "end" and opened:
            opened.pop()


def _iter_statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield statements without comments, each with its first line."""
    first_line, statement = 0, ""
    for number, written in enumerate(text.split("\n"), 1):
        line = _COMMENT.sub("", written).strip()
        first_line, statement = (first_line, f"{statement} {line}") if statement else (number, line)
        if not line.endswith(","):
            yield first_line, statement
            statement = ""


def _read_block(kind: str, rest: str, opened: list[_Block]) -> _Block:
    """Return the block that a statement other than a resource opens."""
    first = _FIRST.match(rest)
    named = (first[1] or first[2] or "") if first else ""
    if kind in ("collection", "member"):
        around = next((each for each in reversed(opened) if each.controller), _Block())
        own = around.collection if kind == "collection" else around.item
        return structs.replace(around, path=own, replaces=True)
    path = _read_option(rest, "path", named if kind in ("namespace", "scope") else "")
    module = _read_option(rest, "module", named if kind == "namespace" else "")
    return _Block(_with_slash(path), module, is_template=kind == "concern")


def _read_resource(kind: str, name: str, rest: str) -> _Block:
    """Return the block of `resources :orders` or `resource :cart`."""
    path = _with_slash(_read_option(rest, "path", name))
    shallow = bool(re.search(r"\bshallow(?::|\s*=>)\s*true", rest))
    if kind == "resource":
        return _Block(path, "", _read_option(rest, "controller", _to_plural(name)), path, path, shallow)
    param = _read_option(rest, "param", "id")
    controller = _read_option(rest, "controller", name)
    return _Block(f"{path}/:{_to_singular(name)}_{param}", "", controller, path, f"{path}/:{param}", shallow)


def _iter_resource(kind: str, block: _Block, rest: str, opened: list[_Block], line: int) -> Iterator[RouteLine]:
    above = _join_prefixes(opened)
    shallow = next((at for at, each in enumerate(opened) if each.is_shallow), -1)
    for action in _list_actions(kind, rest):
        methods, path = _ACTIONS[action]
        is_of_item = "/:" in path
        prefix = _join_prefixes(opened[:shallow]) if is_of_item and shallow >= 0 else above
        own_path = f"{block.item if is_of_item else block.collection}{path.replace('/:', '')}"
        yield tuple(methods.split(",")), f"{prefix}{own_path}", _qualify(f"{block.controller}#{action}", opened), line


def _read_route(match: re.Match[str], opened: list[_Block]) -> tuple[tuple[str, ...], str, str] | None:
    """Return the methods, path and action of a single route; None if it names no action."""
    rest, around = match["rest"], opened[-1] if opened else _Block()
    nested_in = re.search(r"\bon(?::|\s*=>)\s*:(collection|member)", rest)
    blocks = [*opened, _read_block(nested_in[1], "", opened)] if nested_in else opened
    written = match["name"] if match["action"] is None else match["action"]
    target = _TO.search(rest)
    runs = target["runs"] if target else f"#{written}"
    if runs.startswith("#"):
        runs = f"{around.controller}{runs}" if target or (around.controller and written.isidentifier()) else ""
    if not runs and not around.controller and _IMPLIED.fullmatch(written) and not _GIVEN.search(rest):
        runs = "#".join(written.strip("/").split("/"))
    if not runs or runs.startswith("#"):
        return None
    verb_option = _VIA.search(rest)
    verbs = re.findall(r"\w+", verb_option[1]) if verb_option else [match["verb"]]
    methods = () if "all" in verbs or "match" in verbs else tuple(verb.upper() for verb in verbs)
    return methods, f"{_join_prefixes(blocks)}{_with_slash(written)}" or "/", _qualify(runs, opened)


def _join_prefixes(opened: list[_Block]) -> str:
    """Return the path prefix that blocks add to their routes."""
    path, above = "", ""
    for block in opened:
        if not block.replaces:
            above = path if block.controller else above
        path = f"{above if block.replaces else path}{block.path}"
    return path


def _read_option(rest: str, name: str, default: str) -> str:
    """Return the value of an option that is written as a literal."""
    found = re.search(rf"""(?<![\w:]):?{name}(?::|\s*=>)\s*(?:["']([^"'#]*)["']|:(\w+))""", rest)
    return default if found is None else found[1] or found[2] or ""


def _with_slash(path: str) -> str:
    return f"/{path.strip('/')}" if path.strip("/") else ""


def _to_singular(name: str) -> str:
    return re.sub(r"(?<=[sxz])es$|(?<=[cs]h)es$|(?<!s)s$", "", re.sub(r"ies$", "y", name))


def _to_plural(name: str) -> str:
    return re.sub(r"(?<![aeiou])y$", "ie", re.sub(r"(s|x|z|ch|sh)$", r"\1e", name)) + "s"


def _list_actions(kind: str, rest: str) -> list[str]:
    """Return the actions of a resource: all, those in `only:`, or all except those in `except:`."""
    every = [action for action in _ACTIONS if kind == "resources" or action != "index"]
    for limit in _LIMIT.finditer(rest):
        if limit[2] is None and limit[3] is None:
            return []
        named = set(re.findall(r"\w+", limit[2] or limit[3] or ""))
        every = [action for action in every if (action in named) is (limit[1] == "only")]
    return every


def _qualify(runs: str, opened: list[_Block]) -> str:
    """Return the qualified name of an action: `admin/orders#create` is `Admin.OrdersController.create`."""
    controller, _, action = runs.partition("#")
    parts = [part for each in (*(block.module for block in opened), controller) for part in each.split("/") if part]
    return f"{'.'.join(''.join(word.capitalize() for word in part.split('_')) for part in parts)}Controller.{action}"


_CALLS = (
    CallRule(
        EntryKind.COMMAND,
        "Thor",
        r"""(?m:^)[ \t]*desc[ (] {0,3}["'](?P<name>[\w:-]++)[^"'\n]*+["'] {0,3},[^\n]*+\n"""
        r"""(?:(?![ \t]*(?:def|desc)\b)[^\n]*\n){0,40}?[ \t]*def (?P<runs>\w+)""",
        "desc",
        needs_handler=True,
    ),
)
"""http://whatisthor.com/"""

_JOBS = r"app/(?:jobs|workers|sidekiq)/"
_PLACED = (
    PlacedRule(re.compile(rf"\A(?>(?:(?!{_JOBS})[^/]*+/)*){_JOBS}([\w/]+)\.rb\Z"), "", "perform", kind=EntryKind.TASK),
)
"""https://guides.rubyonrails.org/active_job_basics.html, https://github.com/sidekiq/sidekiq/wiki/Getting-Started"""

ENTRY_POINTS = EntryPointRules(
    calls=_CALLS,
    placed=_PLACED,
    route_files=(RouteFile(re.compile(r"(?:^|/)config/routes(?:/\w+)?\.rb$"), iter_rails_routes),),
)
