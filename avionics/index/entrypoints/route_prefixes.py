"""Find the path below which the routes of a router are served.

A router gets a path where it is created (`app.Group("/api")`, `APIRouter(prefix="/users")`) and where another router
mounts it (`app.use("/users", users)`, `include("shop.urls")`). The search goes outwards from the route: from a variable
to the call that created it, from a parameter to the calls of its function, and from a router to the places that mount
it. What no rule recognizes adds nothing to a path.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, structs

from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.call_arguments import (
    CallTexts,
    WrittenCall,
    get_end,
    get_position,
    is_commented,
    read_arguments,
    read_known_path,
)
from avionics.index.model.file_roles import role_of
from avionics.index.model.values import Module, Variable
from avionics.late_pattern import late_pattern
from avionics.model.enums import FUNCTIONS, VALUES
from avionics.model.facts import line_and_column, line_of
from avionics.model.knowledge import Definition
from avionics.syntax.entry_points import RouterRules
from avionics.syntax.registry import get_entry_points, get_language

_MAX_STEPS = 8
"""How deeply routers may be nested; also ends cycles."""
_MAX_CALLS = 6
"""If many callers pass routers to a function, only the first calls are read."""
_RECEIVER = late_pattern(
    r"(?<![\w.$])([A-Za-z_$][\w$.]{0,80}(?:\([^()\n]*\))?)\s*\.\s*\w+(?:<[^<>()]{0,80}>)?\(\s*(?:[\w.]+\s*,\s*)?[rbfu]?[\"'`]?\Z"
)
"""The router of a registering call or decorator, up to the path of the route."""
_QUOTE = late_pattern("[\"'`]")
_MAX_CALL = 200
"""Characters of a call before its path."""
_MAX_EXPRESSION = 4_000
"""Characters of an expression that is assigned to a variable."""
_ASSIGNED = late_pattern(r"(?<![\w.$])([A-Za-z_$][\w$.]*)\s*(?::[^=\n]{0,80})?:?=\s*(?:await\s+)?")
"""The variable that an expression is assigned to."""
_MAX_PATHS = 4
"""If a router is mounted more often, such as by each version of an API, only the first places count."""
_CHAINED = late_pattern(r"(?>(?:\s++|//[^\n]*+\n)*)(?:\.|->)\s*+\w++(?:<[^<>()]{0,80}>)?\(")
"""A call that is chained to an expression."""
_NAME = late_pattern(r"[A-Za-z_$][\w$.]*")
_WHOLE_NAME = late_pattern(r"([A-Za-z_$][\w$.]*+)[ \t]*+(?:[;\r\n]|\Z)")
"""A name that is a whole expression."""

_Key = tuple[str, int]
"""What is mounted: a file and the index of a definition in it, or -1 for all of the file.

For a local variable, the file is written as `file#name`, and the index is that of the function around it.
"""


class RouterPlace(Struct, frozen=True):
    """Where a router is used: file, line, offset in the text, and the expression, "" if it is not written."""

    file: str
    line: int
    offset: int
    router: str


class _Mount(Struct, frozen=True):
    """A call that mounts a router: its place, the outer router, and the path."""

    into: RouterPlace
    path: str


_ROOT = ("",)
"""The paths of a router that is mounted nowhere. A router that is mounted several times has several paths."""


class RoutePrefixes:
    """Finds the paths of routers in one index."""

    def __init__(self, code: CodeIndex) -> None:
        self._code = code
        self._paths: dict[RouterPlace, tuple[str, ...]] = {}
        self.texts = CallTexts(code)
        self._mounts: Mapping[_Key, tuple[_Mount, ...]] | None = None
        self._with_blocks: dict[str, bool] = {}

    def find_prefixes(self, file: str, line: int, name: str, runs: Definition | None) -> tuple[str, ...]:
        """Return the paths below which the route on a line is served, ("",) for the root.

        Args:
            file: The file that declares the route.
            line: The line with its path.
            name: Its path, as far as it is written there.
            runs: What handles it; if the path is in an attribute above it, routers mount it by its name.
        """
        rules = _rules_of(file)
        if not rules.has_any:
            return _ROOT
        text = self.texts.read_text(file)
        start = self.texts.get_offset(file, line)
        written = (each for each in (name, name.lstrip("/")) if each)
        found = (re.compile(rf"[\"'`]\^?{re.escape(each)}").search(text, start, start + _MAX_CALL) for each in written)
        path = next(filter(None, found), None) or _QUOTE.search(text, start, start + _MAX_CALL)
        offset = path.start() if path else start
        receiver = _RECEIVER.search(text[max(0, offset - _MAX_CALL) : offset])
        router = receiver[1] if receiver and not receiver[1].endswith(")") else ""
        if runs is not None and runs.file == file and not router and self._code.graph.enclosing(file, line) is None:
            line = runs.line
        return self._find(RouterPlace(file, line, offset, router), 0)

    def find_below(self, place: RouterPlace) -> tuple[str, ...]:
        """Return the paths below which the routes of a router are served, ("",) for the root."""
        return self._find(place, 0) if _rules_of(place.file).has_any else _ROOT

    def _find(self, place: RouterPlace, steps: int) -> tuple[str, ...]:
        """Return the paths of a router where it is used, memoized by the place."""
        if steps > _MAX_STEPS:
            return _ROOT
        if place not in self._paths:
            self._paths[place] = _ROOT
            self._paths[place] = self._read_paths(place, steps + 1)
        return self._paths[place]

    def _read_paths(self, place: RouterPlace, steps: int) -> tuple[str, ...]:
        """Return the paths of a router: from a block around it, its creation, its callers, or what mounts it."""
        text, rules = self.texts.read_text(place.file), _rules_of(place.file)
        block = next(_iter_blocks(text, rules, place), None) if self._has_blocks(place.file, text, rules) else None
        if block is not None:
            return self._below(place.file, self._find(_outer_place(place.file, text, block), steps), block)
        made = _get_creation(text, rules, place, self._get_start(place))
        if made is not None:
            parent = made.groupdict().get("parent")
            around = (
                self._find(_outer_place(place.file, text, made), steps) if parent else self._find_mounted(place, steps)
            )
            return self._below(place.file, around, made)
        paths = self._find_passed(place, steps)
        if paths == _ROOT:
            paths = self._find_mounted(place, steps)
        other_name = self._get_renamed(text, place) if paths == _ROOT else ""
        return self._find(structs.replace(place, router=other_name), steps) if other_name else paths

    def _has_blocks(self, file: str, text: str, rules: RouterRules) -> bool:
        """Return whether a file has any call whose arguments or chain may contain routes; searched once per file."""
        if file not in self._with_blocks:
            self._with_blocks[file] = any(each.search(text) for each in (*rules.blocks, *rules.chains))
        return self._with_blocks[file]

    def _get_renamed(self, text: str, place: RouterPlace) -> str:
        """Return another name of a router: the variable it was assigned from, or the object of a member; "" for none.

        A variable may be assigned a method of a router, `handle := group.Handle`.
        """
        found = ""
        places = _ASSIGNED.finditer(text, self._get_start(place), place.offset) if place.router else ()
        for assigned in places:
            if assigned[1] == place.router:
                value = _WHOLE_NAME.match(text, assigned.end())
                found = value[1] if value else ""
        return found or place.router.rpartition(".")[0]

    def _below(self, file: str, paths: tuple[str, ...], match: re.Match[str]) -> tuple[str, ...]:
        """Return each path with the path that a call declares appended: `/api` and `Group("/v1")` give `/api/v1`."""
        own = self._get_path(file, match)
        return tuple(f"{path}{own}" for path in paths)

    def _get_path(self, file: str, match: re.Match[str]) -> str:
        """Return the path that a call declares, as far as it is known; "" for none."""
        groups = match.groupdict()
        path = groups.get("prefix") or ""
        if computed := groups.get("computed"):
            path = read_known_path(self._code, file, computed)
        path = path.strip("/^$")
        return f"/{path}" if path else ""

    def _get_start(self, place: RouterPlace) -> int:
        """Return where the function around a place begins, 0 outside of functions."""
        around = self._code.graph.enclosing(place.file, place.line)
        return self.texts.get_offset(place.file, around.symbol.span.start_line) if around is not None else 0

    def _find_passed(self, place: RouterPlace, steps: int) -> tuple[str, ...]:
        """Return the paths of the routers that callers pass to a parameter of the function around a place."""
        around = self._code.graph.enclosing(place.file, place.line)
        if around is None or around.kind not in FUNCTIONS or not place.router:
            return _ROOT
        position = get_position(self._code, around, place.router)
        if position < 0:
            return _ROOT
        calls = self.texts.find_calls(around)[:_MAX_CALLS]
        given = (_argument_place(each, each.arguments[position]) for each in calls if position < len(each.arguments))
        return _merge(self._read_argument(each, steps) for each in given)

    def _read_argument(self, argument: RouterPlace, steps: int) -> tuple[str, ...]:
        """Return the paths of a router that is written as an argument: a name, or the call that makes it."""
        for pattern in _rules_of(argument.file).groups:
            made = pattern.match(argument.router)
            if made is not None:
                parent = made.groupdict().get("parent") or ""
                return self._below(argument.file, self._find(structs.replace(argument, router=parent), steps), made)
        return self._find(argument, steps) if _NAME.fullmatch(argument.router) else _ROOT

    def _find_mounted(self, place: RouterPlace, steps: int) -> tuple[str, ...]:
        """Return the paths below which other routers mount the router, the function around it, or its file."""
        if self._mounts is None:
            self._mounts = self._collect_mounts()
        if not self._mounts:
            return _ROOT
        for key in self._iter_keys(place):
            mounts = [each for each in self._mounts.get(key, ()) if each.into.offset != place.offset]
            if mounts:
                return _merge(tuple(f"{path}{m.path}" for path in self._find(m.into, steps)) for m in mounts)
        return _ROOT

    def _iter_keys(self, place: RouterPlace) -> Iterator[_Key]:
        """Yield the keys by which a router may be mounted: of its variable, a list with it, its function, its file."""
        function = self._code.graph.enclosing(place.file, place.line)
        if function is not None:
            text = self.texts.read_text(place.file)
            name = place.router or _get_variable(text, self._get_start(place), place.offset)
            yield f"{place.file}#{name}", function.index
        for each in self._code.iter_definitions(place.file):
            is_value = each.symbol.parent < 0 and each.kind in VALUES
            is_router = each.name == place.router if place.router else each.symbol.span.contains(place.line)
            if is_value and is_router:
                yield place.file, each.index
        if function is not None:
            yield place.file, function.index
        yield place.file, -1

    def _collect_mounts(self) -> Mapping[_Key, tuple[_Mount, ...]]:
        """Map the keys of what is mounted to the calls that mount it, product code first."""
        mounts_by_key: dict[_Key, list[_Mount]] = defaultdict(list)
        code = self._code
        languages = sorted({language for _, language, _ in code.snapshot.iter_contents()} - {""})
        rules_by_id = {id(rules): rules for rules in (get_entry_points(each).routers for each in languages)}
        for rules in rules_by_id.values():
            for word, pattern in rules.mounts:
                for file in code.files_with_word(word):
                    if _rules_of(file) is not rules:
                        continue
                    text = self.texts.read_text(file)
                    for match in pattern.finditer(text):
                        if is_commented(text, match.start()):
                            continue
                        mount = _Mount(_outer_place(file, text, match), self._get_path(file, match))
                        for key in self._iter_mounted(file, text, match):
                            mounts_by_key[key].append(mount)
        return {
            key: tuple(sorted(mounts, key=lambda each: (role_of(each.into.file), each.into.file, each.into.line)))
            for key, mounts in mounts_by_key.items()
        }

    def _iter_mounted(self, file: str, text: str, match: re.Match[str]) -> Iterator[_Key]:
        """Yield what a call takes in: definitions, or files by their module."""
        code, groups = self._code, match.groupdict()
        if module := groups.get("module"):
            target = code.modules.module_named(module, file)
            if isinstance(target, Module) and target.file:
                yield target.file, -1
            return
        if written := groups.get("file"):
            files = [each for each in code.files if f"/{each}".endswith(f"/{written.strip('/')}")]
            yield from ((each, -1) for each in files if len(files) == 1)
            return
        if only := groups.get("only"):
            functions = [each for each in code.find_definitions(only) if each.kind in FUNCTIONS]
            yield from ((each.file, each.index) for each in functions if len(functions) == 1)
            return
        first = line_of(text, match.start("router"))
        last = first + match["router"].count("\n")
        begin, end = (line_and_column(text, offset) for offset in match.span("router"))
        for each in code.facts(file).imports:
            if first <= each.line <= last and each.module and each.module in match["router"]:
                target = code.modules.find(each, file)
                if isinstance(target, Module) and target.file:
                    yield target.file, -1
        around = code.graph.enclosing(file, first)
        if around is not None and match["router"].isidentifier():
            yield f"{file}#{match['router']}", around.index
        for written in match["router"].split(","):
            parts = [each for each in re.split(r"\W+", written) if each]
            for name in parts[:-3:-1]:
                # `router.include_router(users.router)` has the name of the router twice.
                named = code.uses(file).references.get(name, ())
                uses = (use for use in named if begin <= (use.line, use.column) < end)
                keys = [key for use in uses for key in self._iter_target_keys(code.resolver.resolve(file, use).targets)]
                yield from keys
                if keys:
                    break
            else:
                yield from self._iter_target_keys(self._list_named_targets(file, re.findall(r"\w+", written)))

    def _list_named_targets(self, file: str, parts: Sequence[str]) -> Sequence[object]:
        """Return the targets of a dotted name, given as its parts, where there are no references: in a macro."""
        scopes = self._code.resolver.scopes
        targets = tuple(scopes.find_targets(file, 0, parts[0])) if parts else ()
        for part in parts[1:]:
            targets = tuple(
                inner for each in targets if isinstance(each, Module) for inner in scopes.find_member(each, part)
            )
        return targets

    def _iter_target_keys(self, targets: Iterable[object]) -> Iterator[_Key]:
        for target in targets:
            if isinstance(target, Variable):
                definition = self._code.graph.get_definition(target)
                if definition is not None:
                    yield definition.file, definition.index
            elif isinstance(target, Module) and target.file:
                yield target.file, -1


def _iter_blocks(text: str, rules: RouterRules, place: RouterPlace) -> Iterator[re.Match[str]]:
    """Yield the calls around a place whose arguments contain routes, the innermost first."""
    found = []
    for pattern in rules.blocks:
        for match in pattern.finditer(text, 0, place.offset):
            router_name = match.groupdict().get("router")
            if router_name and place.router and router_name != place.router:
                continue
            if _is_argument(text, match.start("open"), place.offset):
                found.append(match)
    for pattern in rules.chains:
        found += (
            each for each in pattern.finditer(text, 0, place.offset) if _is_in_chain(text, each.end(), place.offset)
        )
    yield from sorted(found, key=lambda each: -each.start())


def _is_argument(text: str, opening: int, offset: int) -> bool:
    """Return whether the arguments after an opening bracket contain an offset."""
    begin = opening + 1
    while (end := get_end(text, begin)) >= 0:
        if offset < end:
            return True
        if text[end] != ",":
            return False
        begin = end + 1
    return False


def _is_in_chain(text: str, start: int, offset: int) -> bool:
    """Return whether an offset is in the chain of calls that begins at a place: `.route(…).route(…)`."""
    while start <= offset and (call := _CHAINED.match(text, start)) is not None:
        if call.end() > offset or _is_argument(text, call.end() - 1, offset):
            return True
        arguments = read_arguments(text, call.end() - 1)
        closing = get_end(text, arguments[-1][1] if arguments else call.end())
        while closing >= 0 and text[closing] == ",":
            closing = get_end(text, closing + 1)
        if closing < 0:
            return False
        start = closing + 1
    return False


def _get_creation(text: str, rules: RouterRules, place: RouterPlace, start: int) -> re.Match[str] | None:
    """Return the last expression before a place that creates the router: `app.Group("/api")` of `r := app.Group(…)`."""
    if not place.router:
        return None
    for begin in dict.fromkeys((start, 0)):
        found = None
        for assigned in _ASSIGNED.finditer(text, begin, place.offset):
            if assigned[1] == place.router:
                made = (pattern.match(text, assigned.end()) for pattern in rules.groups)
                found = next(filter(None, made), None)
        if found is not None:
            return found
    return None


def _argument_place(call: WrittenCall, argument: tuple[int, int]) -> RouterPlace:
    """Return the place of an argument of a call."""
    start, end = argument
    written = call.text[start:end].strip()
    return RouterPlace(call.file, line_of(call.text, start), start + call.text[start:end].find(written), written)


def _get_variable(text: str, start: int, offset: int) -> str:
    """Return the variable that the expression around an offset is assigned to, "" for none."""
    found = ""
    for assigned in _ASSIGNED.finditer(text, max(start, offset - _MAX_EXPRESSION), offset):
        found = assigned[1] if ";" not in text[assigned.end() : offset] else ""
    return found


def _outer_place(file: str, text: str, match: re.Match[str]) -> RouterPlace:
    """Return the place of the outer router that a call is made on: that of `app` for `app.use("/users", users)`."""
    parent = match.groupdict().get("parent") or ""
    return RouterPlace(file, line_of(text, match.start()), match.start(), parent.removesuffix("()"))


def _merge(found: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the paths of several places that mount a router; the root only if there is no other."""
    paths = dict.fromkeys(path for each in found for path in each)
    return tuple(path for path in paths if path)[:_MAX_PATHS] or _ROOT


def _rules_of(file: str) -> RouterRules:
    """Return the rules of a file's language."""
    return get_entry_points(get_language(file) or "").routers
