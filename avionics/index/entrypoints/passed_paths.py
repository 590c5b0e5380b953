"""Find routes whose path is not written where the router is called.

Programs register routes through functions of their own, `handle(r, "stream", api.Stream)`, which pass the path on to
the router, and keep paths in constants. The search starts at the calls of a router whose path is an expression. It
reads constants, and goes from a parameter outwards to the calls of its function, until the path is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct, structs

from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.call_arguments import (
    get_position,
    is_commented,
    is_function,
    may_handle,
    read_arguments,
    read_path,
)
from avionics.index.entrypoints.handlers import (
    EntryPoint,
    build_entry,
    get_registered,
    get_written,
    list_handlers,
    read_methods,
)
from avionics.index.entrypoints.route_prefixes import RoutePrefixes, RouterPlace
from avionics.late_pattern import late_pattern
from avionics.model.enums import FUNCTIONS, EntryKind
from avionics.model.facts import Span, line_of
from avionics.model.knowledge import Definition
from avionics.syntax.entry_points import PassedPaths
from avionics.syntax.registry import get_entry_points, get_language

_MAX_STEPS = 4
"""How many functions may pass a path on; also ends recursion."""
_MAX_FUNCTIONS = 40
"""The calls of at most this many functions that register routes are read."""
_MAX_RECEIVER = 100
"""Characters of the object that a call is made on."""
_LITERAL = r"""[\"'`](?P<{name}>[^\"'`\n]{{0,200}})[\"'`]"""
_LITERAL_FIRST = late_pattern(r"\s*+(?:\"[^\"\n]*+\"|'[^'\n]*+'|`[^`$\n]*+`)?\s*+[,)]")
"""A first argument that is a literal, or none at all."""
_CONCATENATION = late_pattern(
    rf"(?:{_LITERAL.format(name='before')} ?\+ ?)?(?P<name>[A-Za-z_$][\w$]*)(?: ?\+ ?{_LITERAL.format(name='after')})?"
)
"""A name between literals: `"/" + path + ".view"`."""
_TEMPLATE = late_pattern(
    r"(?:`|f[\"'])(?P<before>[^`\"'{}$\n]{0,200})\$?\{(?P<name>[A-Za-z_$][\w$]*)\}(?P<after>[^`\"'{}$\n]{0,200})[`\"']"
)
"""A name in a template: `` `/${path}` ``, `f"/{path}"`."""
_PATH_NAME = late_pattern(r"path|route|ur[il]|pattern|endpoint|rule", re.IGNORECASE)
"""Words in the names of variables for paths."""
_KEYWORD = late_pattern(r"\A[A-Za-z_]\w* ?= ?(?![=>])")
"""The name of an argument: `view_func=`."""
_VARIABLE = late_pattern(r"[A-Za-z_$][\w$]*+(?:\.[A-Za-z_$][\w$]*+)*")
_LITERAL_OR_NAME = late_pattern(rf"[\"`]/[^\"`\n]*[\"`]|{_VARIABLE.pattern}")
_PATH = late_pattern(r"(?:(?P<methods>[A-Z]+(?:,[A-Z]+)*) )?(?P<path>/[^\s\"'`]*)")
"""A path that is served, after its methods if there are any: `GET /orders/{id}`."""


class _Call(Struct, frozen=True):
    """A call that registers a route.

    Attributes:
        file: The file with the call.
        line: Its line.
        path: The expression for the path.
        before: What goes before the path.
        after: What goes after it.
        methods: The HTTP methods, () for all or unknown ones.
        handler: The expression for the handler.
        lines: The lines of the handler.
        router: Where the router is used.
    """

    file: str
    line: int
    path: str
    before: str
    after: str
    methods: tuple[str, ...]
    handler: str
    lines: Span
    router: RouterPlace


class PassedRoutes:
    """Finds the routes of one index whose paths are passed to the calls that register them."""

    def __init__(self, code: CodeIndex, prefixes: RoutePrefixes) -> None:
        self._code = code
        self._prefixes = prefixes
        self._followed: set[tuple[Definition, str, str, str]] = set()

    def find_routes(self) -> tuple[tuple[EntryPoint, ...], frozenset[tuple[str, int]]]:
        """Return the routes, and where the calls are that register them: those of routers and of functions around."""
        routes: dict[EntryPoint, None] = {}
        places: set[tuple[str, int]] = set()
        for call in self._iter_router_calls():
            registered = tuple(self._iter_routes(call, 0))
            if registered:
                routes |= dict.fromkeys(registered)
                places.add((call.file, call.line))
        return tuple(routes), frozenset(places.union((route.file, route.line) for route in routes))

    def _iter_router_calls(self) -> Iterator[_Call]:
        """Yield the calls of routers whose path is an expression."""
        languages = sorted({language for _, language, _ in self._code.snapshot.iter_contents()} - {""})
        rules = dict.fromkeys(rule for each in languages for rule in get_entry_points(each).passed_paths)
        for rule in rules:
            files = {file for word in rule.words for file in self._code.files_with_word(word)}
            for file in sorted(files):
                if rule not in get_entry_points(get_language(file) or "").passed_paths:
                    continue
                text = self._prefixes.texts.read_text(file)
                for match in rule.call.finditer(text):
                    call = self._read_call(file, text, match, rule)
                    if call is not None and not is_commented(text, match.start()):
                        yield call

    def _read_call(self, file: str, text: str, match: re.Match[str], rule: PassedPaths) -> _Call | None:
        """Return a call of a router; None if its path is a mere literal, or no argument can be a handler."""
        if not rule.path and _LITERAL_FIRST.match(text, match.end()):
            return None
        arguments = read_arguments(text, match.end() - 1)
        before = rule.receiver.search(text, max(0, match.start() - _MAX_RECEIVER), match.start())
        if len(arguments) < rule.path + 2 or before is None:
            return None
        path = text[slice(*arguments[rule.path])].strip()
        is_joined = "/" in path and (_CONCATENATION.fullmatch(path) or _TEMPLATE.fullmatch(path))
        if not is_joined and not (_LITERAL_OR_NAME.fullmatch(path) if rule.verb else _is_path_name(path)):
            return None
        after = re.compile(rule.after).match(text, text.find(")", arguments[-1][1]) + 1) if rule.after else None
        called = text[slice(*arguments[0])] if rule.path else match["call"]
        verbs = after["verb"] if after else called
        receiver = before[0].removesuffix(".") or match["call"]
        router = RouterPlace(file, line_of(text, match.start()), before.start(), receiver)
        call = _make_call(file, text, arguments, rule.path, ("", ""), read_methods(verbs), router)
        if call is not None and rule.verb and not is_function(call.handler):
            # `send("POST", path, encode(order))` has the form of a route, too: the called function is no handler.
            return structs.replace(call, handler=call.handler.partition("(")[2].removesuffix(")") or call.handler)
        return call

    def _iter_routes(self, call: _Call, steps: int) -> Iterator[EntryPoint]:
        """Yield the routes that a call registers, itself or for the callers of the function around it."""
        written = read_path(self._code, call.file, call.path)
        if written is not None:
            yield from self._iter_entries(call, f"{call.before}{written}{call.after}")
            return
        path_match = _CONCATENATION.fullmatch(call.path) or _TEMPLATE.fullmatch(call.path)
        around = self._code.graph.enclosing(call.file, call.line)
        if path_match is None or around is None or around.kind not in FUNCTIONS or steps > _MAX_STEPS:
            return
        before, after = f"{call.before}{path_match['before'] or ''}", f"{path_match['after'] or ''}{call.after}"
        key = around, path_match["name"], before, after
        if key in self._followed or len(self._followed) >= _MAX_FUNCTIONS:
            return
        if steps == 0 and not self._may_have_handler(around, call.handler):
            return
        self._followed.add(key)
        for outer in self._iter_outer_calls(call, around, path_match["name"], (before, after)):
            yield from self._iter_routes(outer, steps + 1)

    def _iter_outer_calls(self, call: _Call, around: Definition, name: str, joined: tuple[str, str]) -> Iterator[_Call]:
        """Yield the calls of a function that passes one of its parameters on to a router as the path.

        `joined` are the literals that the function puts before and after that parameter.
        """
        position = get_position(self._code, around, name)
        if position < 0:
            return
        router_position = (
            get_position(self._code, around, call.router.router) if call.router.file == around.file else -1
        )
        for inner in self._prefixes.texts.find_calls(around):
            text, arguments = inner.text, inner.arguments
            if max(position, router_position) >= len(arguments):
                continue
            router = call.router
            if router_position >= 0:
                start, end = arguments[router_position]
                router = RouterPlace(inner.file, line_of(text, start), start, text[start:end].strip())
            outer = _make_call(inner.file, text, arguments, position, joined, call.methods, router)
            if outer is not None:
                yield outer

    def _may_have_handler(self, around: Definition, written: str) -> bool:
        """Return whether an argument is a function written there, or names a parameter of the function around it.

        `cache.get(key, timeout)` has the form of a route, too, but a local variable `timeout` is no handler.
        """
        names = () if is_function(written) else list_handlers(written)
        return not names or any(get_position(self._code, around, each) >= 0 for each in names)

    def _iter_entries(self, call: _Call, path: str) -> Iterator[EntryPoint]:
        """Yield the route that a call registers at a path, once for each path of its router; none without a handler."""
        found, runs = _PATH.fullmatch(path), self._get_handler(call)
        if found is None or runs is None:
            return
        methods = tuple(found["methods"].split(",")) if found["methods"] else call.methods
        for prefix in self._prefixes.find_below(call.router):
            name = prefix + ("" if prefix and found["path"] == "/" else found["path"])
            yield build_entry(self._code, EntryKind.ROUTE, name, call.file, call.line, runs, methods)

    def _get_handler(self, call: _Call) -> Definition | None:
        """Return the definition that the handler of a call names, or the anonymous function that is written there."""
        first, last = call.lines.start_line, call.lines.end_line
        if is_function(call.handler):
            return get_written(self._code, call.file, first, last)
        named = (get_registered(self._code, call.file, first, last, each) for each in list_handlers(call.handler))
        return next(filter(None, named), None)


def _is_path_name(expression: str) -> bool:
    """Return whether an expression is a variable that is named after a path: `path`, `routes.Users`."""
    return _VARIABLE.fullmatch(expression) is not None and _PATH_NAME.search(expression) is not None


def _make_call(
    file: str,
    text: str,
    arguments: Sequence[tuple[int, int]],
    position: int,
    around: tuple[str, str],
    methods: tuple[str, ...],
    router: RouterPlace,
) -> _Call | None:
    """Return the call with some arguments; None if no other than the path is a function, a name or a call.

    The last such argument is the handler.
    """
    texts = [text[slice(*each)].strip() for each in arguments]
    handlers = [_KEYWORD.sub("", each) for each in texts]
    others = (each for each in reversed(range(len(arguments))) if each != position)
    handler = next((each for each in others if may_handle(handlers[each])), -1)
    if handler < 0:
        return None
    end = arguments[handler][1]
    lines = Span(line_of(text, end - len(text[slice(*arguments[handler])].lstrip())), line_of(text, end))
    start, stop = arguments[position]
    line = line_of(text, stop - len(text[start:stop].lstrip()))
    return _Call(file, line, _KEYWORD.sub("", texts[position]), *around, methods, handlers[handler], lines, router)
