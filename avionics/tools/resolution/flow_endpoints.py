"""Resolve the ends of a flow: a symbol, file, line, route, command, task, or text in the code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from avionics.index.analysis.outside_usages import find_outside_usages, is_outside_name
from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.data_entries import TabledRow, find_held, find_tabled, get_tabled_name
from avionics.index.entrypoints.discovery import find_entry_points
from avionics.index.entrypoints.flow_starts import start_at_entries, start_at_line
from avionics.index.entrypoints.handlers import EntryPoint, build_module_body
from avionics.index.entrypoints.matching import find_routes, is_like, is_named
from avionics.index.flows.flow_steps import FlowSteps, list_overriding
from avionics.index.model.file_roles import is_product, role_of
from avionics.model.enums import BODIES, EntryKind, SymbolKind, is_class
from avionics.model.knowledge import Definition
from avionics.model.naming import fold_name
from avionics.tools.answers.items import few
from avionics.tools.resolution.described_functions import find_described, map_performers, read_action
from avionics.tools.resolution.option_targets import FLAG, map_option_targets
from avionics.tools.resolution.outside_effects import get_outside_effect, map_functions_with
from avionics.tools.resolution.path_resolver import WRITTEN_ROUTE, find_paths, get_named_place, parse_place
from avionics.tools.resolution.symbol_resolver import find_by_alias, find_folded
from avionics.workspace import Workspace

_MAX_SAME_NAMED = 16
"""Definitions of one name that a path may begin or end at."""
_MAX_ENTRIES = 5
_MAX_TEXT_PLACES = 12
_MIN_TEXT = 3
_MAX_PHRASE = 5
_MAX_FILES = 30
"""The maximum number of files of a directory in which a path may begin or end."""
_MAX_TAKEN = 3
DESCRIBED = frozenset({"action", "words"})
"""The kinds of ends that words describe, which may be taken for the wrong ones."""
RECOGNIZED = DESCRIBED | {"effect", "option", "key", "value"}
"""The kinds of ends that are recognized by how such code looks: there may be more places than were found."""
_KIND_AND_NAME = 2
"""Words of an entry point, such as `add command`, after the name of the program."""
_REQUEST = re.compile(r"(?:the |an? )?(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|[A-Z]{4,}) requests?")
_BEFORE_VERB = ("do_", "handle_", "on_", "process_")
"""How functions are named that answer the requests of an HTTP method."""
_FILE_LAST = re.compile(r" [\w./-]*\w\.[a-z]{1,5}$")
"""A file after words that say what it is: "the script bin/start.ts"."""
_HANDLER = re.compile(r"(?:the |an? )?(\w+) (?:handler|endpoint|view|controller)(?: function| method)?", re.IGNORECASE)
_HANDLERS = re.compile(r"(?:^|[/_])(?:handlers?|views?|controllers?|routes?|routers?|endpoints?|api)(?=[/_.])")
"""Found in the path of a file with functions that answer requests."""
_COMMENT = re.compile(r"\s*+(?://|/?\*|#(?!\s*+(?:define|include))|--|<!--)")
"""The beginning of a line that is a comment."""
START = re.compile(
    r"(?:(?:the|its|a) )?(?:(?:main )?(?:program|app(?:lication)?|tool|process|server)(?:'s)? |very )?"
    r"(?:start(?:ing point|[- ]?up)?|beginning|launch|command[- ]line|entry[- ]?point)"
    r"(?: of (?:the |a )?(?:program|app(?:lication)?|tool|process|server))?",
    re.IGNORECASE,
)
"""Where a program begins, in words."""
_STARTS = ((EntryKind.SCRIPT, EntryKind.MODULE), (EntryKind.GUARD,))
"""The kinds of entry points at which a program begins, likelier ones first."""
_KIND_WORDS = re.compile(r"\b(?:the|an?|class|function|method|module|package|of)\b", re.IGNORECASE)
"""Words of a phrase that are in no name."""


def _is_within(definition: Definition, container: str) -> bool:
    """Return whether a folded name is a class, file or directory around a definition; "" contains all."""
    parts = re.split(r"[/.]", f"{definition.file}.{definition.symbol.qualname}")
    return not container or container in map(fold_name, parts[:-1])


def _describe_resolved(asked: str, found: Iterable[Definition]) -> str:
    """Return the words for an end, with the names that they resolved to."""
    names = few(list(dict.fromkeys(each.symbol.qualname for each in found)), _MAX_TAKEN)
    return f"{asked} (taken for {', '.join(names)})"


class FlowEnd(Struct, frozen=True):
    """An end of a flow.

    Attributes:
        asked: What the caller wrote.
        kind: What it resolved to: "symbol", "file", "route", …
        definitions: Where a path may begin or end.
        declared: The entry points it names.
        lines: Definition → the line in it that is meant, if not the definition itself.
    """

    asked: str
    kind: str
    definitions: tuple[Definition, ...]
    declared: tuple[EntryPoint, ...] = ()
    lines: Mapping[Definition, int] = MappingProxyType({})


class FlowEnds:
    """Resolves the ends of flows in one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._code: CodeIndex = workspace.code

    def get_end(self, text: str) -> FlowEnd | None:
        """Return the end that a text refers to; None if the workspace has no such end."""
        asked = text.strip().strip("`")
        ways: tuple[Callable[[str], FlowEnd | None], ...] = (
            self._get_place, self._get_start, self._get_effect, self._get_symbol, self._get_held, self._get_handler,
            self._get_declared, self._get_routed, self._get_phrase, self._get_action, self._get_entry, self._get_tabled,
            self._get_folded,
            self._get_outside, self._get_option, self._get_directory, self._get_described, self._get_value,
            self._get_text,
        )  # fmt: skip
        return next((end for way in ways if (end := way(asked)) is not None and end.definitions), None)

    def get_member(self, named: Sequence[Definition], taken_from: str = "") -> FlowEnd | None:
        """Return the end for the first of some definitions that words mention, with its methods if it is a class.

        The words are given as `taken_from` if they may well mean something else.
        """
        if not named:
            return None
        if taken_from:
            return FlowEnd(_describe_resolved(taken_from, named[:1]), "words", self._open(named[:1]))
        return FlowEnd(named[0].symbol.qualname, "symbol", self._open(named[:1]))

    def get_entered(self, asked: str) -> FlowEnd | None:
        """Return the end for the route, command or event that has this name; None if there is none."""
        return self._get_entry(asked) or self._get_tabled(asked)

    def _get_place(self, asked: str) -> FlowEnd | None:
        """Return the end for `file` or `file:line`: the definitions in the file, or the one around the line."""
        path, line = parse_place(asked) or (asked, 0)
        path = (path.rpartition(" ")[2] if _FILE_LAST.search(path) else path).removeprefix("./")
        if not self._code.has_file(path):
            found = find_paths(self._code.files, path) if "." in path or "/" in path else ()
            path = found[0] if len(found) == 1 else ""
        if not path:
            return None
        if line:
            start = start_at_line(self._code, path, line, find_entry_points(self._code))
            return FlowEnd(asked, "line", self._open(start.roots))
        inside = [each for each in self._code.iter_definitions(path) if each.kind in BODIES]
        return FlowEnd(asked, "file", (build_module_body(self._code, path), *inside))

    def _get_start(self, asked: str) -> FlowEnd | None:
        """Return the end for the start of the program: "its start", "the command line"."""
        if " " not in asked or not START.fullmatch(asked):
            return None
        points = [each for each in find_entry_points(self._code) if each.definition and is_product(each.file)]
        chosen = (found for kinds in _STARTS if (found := [each for each in points if each.kind in kinds]))
        return self._build_declared(asked, next(chosen, []))

    def _get_symbol(self, asked: str) -> FlowEnd | None:
        if not asked or " " in asked or asked.startswith("/"):
            return None
        name = asked.removesuffix("()")
        found = self._rank(self._code.find_definitions(name)) or self._rank(find_by_alias(self._code, name))
        return FlowEnd(asked, "symbol", self._open(found)) if found and not self._is_place(name, found) else None

    def _is_place(self, name: str, found: Sequence[Definition]) -> bool:
        """Return whether a plain word names a file or directory, and no functions or classes: "the cli"."""
        is_value = name.islower() and not any(each.kind in BODIES or is_class(each.kind) for each in found)
        return is_value and bool(get_named_place(self._code, name))

    def _get_effect(self, asked: str) -> FlowEnd | None:
        """Return the end for something outside the program, unless a function or class of a module has that name."""
        effect = get_outside_effect(asked)
        if effect is None:
            return None
        named = self._rank_bodies(self._code.find_definitions(asked)) if asked.isidentifier() else ()
        if any(each.symbol.parent < 0 for each in named):
            return None
        lines = map_functions_with(self._code, effect)
        return FlowEnd(effect.name, "effect", tuple(lines), lines=lines)

    def _get_held(self, asked: str) -> FlowEnd | None:
        """Return the end for a member of an object that is passed on: `orders.create` of a router."""
        held = find_held(self._code, asked)
        return FlowEnd(asked, "member", held) if held else None

    def _get_tabled(self, asked: str) -> FlowEnd | None:
        """Return the end for a command or event that a table or a branch leads from: `the add command`."""
        name = get_tabled_name(asked)
        rows = find_tabled(self._code, name) if name else ()
        declared = tuple(self._build_point(name, each) for each in rows)
        return FlowEnd(asked, "command", tuple(each.definition for each in rows), declared) if rows else None

    def _build_point(self, name: str, row: TabledRow) -> EntryPoint:
        text = self._code.read_line(row.file, row.line).strip()
        return EntryPoint(EntryKind.COMMAND, name, row.file, row.line, text, row.definition)

    def _get_phrase(self, asked: str) -> FlowEnd | None:
        """Return the end for a name in words, perhaps after its container: `reverse proxy handler`."""
        request = _REQUEST.fullmatch(asked)
        if request is not None:
            spelled = (find_folded(self._code, f"{before}{request[1]}") for before in _BEFORE_VERB)
            return FlowEnd(asked, "request", next(filter(None, map(self._rank_bodies, spelled)), ()))
        words = _KIND_WORDS.sub(" ", asked).split()
        if not 1 < len(words) <= _MAX_PHRASE or not all(map(str.isidentifier, words)):
            return None
        for split in range(len(words)):
            container, name = fold_name("".join(words[:split])), "".join(words[split:])
            found = [each for each in find_folded(self._code, name) if _is_within(each, container)]
            if bodies := self._rank_bodies(found):
                return FlowEnd(asked, "symbol", self._open(bodies))
        last = words[-1]
        bodies = self._rank_bodies(self._code.find_definitions(last)) if last != last.lower() or "_" in last else ()
        return FlowEnd(asked, "symbol", self._open(bodies)) if bodies else None

    def _rank_bodies(self, found: Sequence[Definition]) -> tuple[Definition, ...]:
        """Return the functions and classes among the definitions that `_rank` returns."""
        return tuple(each for each in self._rank(found) if each.kind in BODIES or is_class(each.kind))

    def _get_folded(self, asked: str) -> FlowEnd | None:
        found = self._rank(find_folded(self._code, asked)) if asked and " " not in asked else ()
        return FlowEnd(asked, "symbol", self._open(found)) if found and not self._is_place(asked, found) else None

    def _get_outside(self, asked: str) -> FlowEnd | None:
        """Return the end for a name qualified by a library's module or class: the functions that use it."""
        name = asked.removesuffix("()")
        if "." not in name or not is_outside_name(self._code, name):
            return None
        usages = (usage for found in find_outside_usages(self._code, name) for usage in found.report.usages)
        lines: dict[Definition, int] = {}
        for each in usages:
            if each.enclosing and is_product(each.file):
                lines.setdefault(each.enclosing, each.line)
        return FlowEnd(asked, "name of a library", tuple(lines)[:_MAX_TEXT_PLACES], lines=lines)

    def _get_handler(self, asked: str) -> FlowEnd | None:
        """Return the end for the handler of a request, by its name or the end of its route: "the login handler"."""
        match = _HANDLER.fullmatch(asked)
        if match is None:
            return None
        name = fold_name(match[1])
        routes = [each for each in find_entry_points(self._code) if each.kind is EntryKind.ROUTE]
        ending = [
            each for each in routes
            if is_product(each.file) and fold_name(each.name.rstrip("/").rpartition("/")[2]) == name
        ]  # fmt: skip
        if end := self._build_declared(asked, ending):
            return end
        found = [each for each in self._rank_bodies(find_folded(self._code, name)) if _HANDLERS.search(each.file)]
        return FlowEnd(asked, "symbol", self._open(found)) if found else None

    def _get_declared(self, asked: str) -> FlowEnd | None:
        """Return the end for an entry point by its whole name: "the serve command"."""
        name = get_tabled_name(asked) if " " in asked else ""
        named = [each for each in find_entry_points(self._code) if is_named(each, name)] if name else []
        return self._build_declared(asked, [each for each in named if is_product(each.file)] or named)

    def _build_declared(self, asked: str, points: Sequence[EntryPoint]) -> FlowEnd | None:
        """Return the end for the first entry points whose definitions are known, None if there are none."""
        declared = [each for each in points if each.definition is not None][:_MAX_ENTRIES]
        starts = [(each, start) for each in declared if (start := start_at_entries(self._code, [each]))]
        roots = [root for each, start in starts for root in (self._list_own(each) or start.roots)]
        return FlowEnd(asked, declared[0].kind.value, self._open(roots), tuple(declared)) if declared else None

    def _get_routed(self, asked: str) -> FlowEnd | None:
        """Return the end for a route that is named within a phrase: "a request to /orders"."""
        route = WRITTEN_ROUTE.search(asked)
        points = find_entry_points(self._code) if route and route[0] != asked else ()
        return self._build_declared(asked, find_routes(points, route[0])) if route else None

    def _list_own(self, entry: EntryPoint) -> tuple[Definition, ...]:
        """Return the methods of a command's class that an inherited method, which runs first, calls by overrides.

        From the inherited method, paths would lead to the overrides of every other command as well.
        """
        owner, runs = entry.owner, entry.definition
        if owner is None or runs is None or (runs.file, runs.symbol.parent) == (owner.file, owner.index):
            return ()
        return list_overriding(self._code, owner)

    def _get_entry(self, asked: str) -> FlowEnd | None:
        """Return the end for a route, command, task or script."""
        points = find_entry_points(self._code)
        product = [each for each in points if is_product(each.file)]
        routes = find_routes(product, asked) or find_routes(points, asked)
        named = [each for each in product if is_named(each, asked)] or [e for e in points if is_named(e, asked)]
        alike = [each for each in product if is_like(each, asked)] if asked else []
        if not (routes or named or alike) and len(asked.split()) > _KIND_AND_NAME:
            return self._get_entry(asked.partition(" ")[2])
        last = get_tabled_name(asked) or asked.rpartition(" ")[2]
        named = named or [each for each in product if last != asked and is_named(each, last)]
        chosen = routes or named or (alike if len(alike) <= _MAX_ENTRIES else [])
        return self._build_declared(asked, chosen)

    def _get_option(self, asked: str) -> FlowEnd | None:
        """Return the end for a command-line option: the function it is declared to run, else its readers."""
        flag = FLAG.search(asked)
        found = map_option_targets(self._code, flag[0]) if flag else {}
        return FlowEnd(flag[0], "option", tuple(found), lines=found) if flag and found else None

    def _get_action(self, asked: str) -> FlowEnd | None:
        """Return the end for what is done to something: "writing the history file"."""
        action = read_action(asked)
        found = map_performers(self._code, action) if action else {}
        return FlowEnd(_describe_resolved(asked, found), "action", tuple(found), lines=found) if found else None

    def _get_described(self, asked: str) -> FlowEnd | None:
        """Return the end for words that are all in one name, perhaps with others: "the admin client"."""
        found = find_described(self._code, asked)
        return FlowEnd(_describe_resolved(asked, found), "words", self._open(found)) if found else None

    def _get_value(self, asked: str) -> FlowEnd | None:
        """Return the end for the functions that use a value, by its name in words: "night mode" is `NIGHT_MODE`."""
        words = _KIND_WORDS.sub(" ", asked).split()
        named = self._rank(find_folded(self._code, "".join(words))) if 1 < len(words) <= _MAX_PHRASE else ()
        lines: dict[Definition, int] = {}
        for usage in (usage for each in named for usage in self._code.usages(each).usages):
            if usage.enclosing is not None and usage.enclosing.kind in BODIES and is_product(usage.file):
                lines.setdefault(usage.enclosing, usage.line)
        return FlowEnd(asked, "value", tuple(lines)[:_MAX_TEXT_PLACES], lines=lines)

    def _get_directory(self, asked: str) -> FlowEnd | None:
        """Return the end for a directory or file of product code that words name: `the tcp transport`."""
        path = get_named_place(self._code, _KIND_WORDS.sub(" ", asked))
        if not path:
            return None
        files = [each for each in self._code.files if f"/{each}".startswith(f"/{path}") and is_product(each)]
        every = (each for file in files[:_MAX_FILES] for each in self._code.iter_definitions(file))
        inside = (each for each in every if each.kind in BODIES)
        if path.endswith("/"):
            return FlowEnd(asked, "directory", tuple(inside))
        return FlowEnd(asked, "file", (build_module_body(self._code, path), *inside))

    def _get_text(self, asked: str) -> FlowEnd | None:
        """Return the end for a message, an event or other text: the code with that string, but no comment."""
        words = sorted(filter(str.isidentifier, re.sub(r"[-:.]", " ", asked).split()), key=len)
        if len(asked) < _MIN_TEXT or not words:
            return None
        found: dict[Definition, None] = {}
        steps = FlowSteps(self._code)
        files = sorted(self._code.files_with_word(words[-1]), key=lambda file: (role_of(file), file))
        for file in (each for each in files if is_product(each)):
            for number, line in enumerate(self._code.read_lines(file), 1):
                if asked in line and not _COMMENT.match(line):
                    found[steps.get_holder(file, number)] = None
            if len(found) >= _MAX_TEXT_PLACES:
                break
        return FlowEnd(asked, "text", tuple(found)[:_MAX_TEXT_PLACES]) if found else None

    def _rank(self, found: Sequence[Definition]) -> tuple[Definition, ...]:
        """Return the definitions of product code, if there are any, that control can get to."""
        kept = [each for each in found if each.kind is not SymbolKind.MODULE]
        product = [each for each in kept if is_product(each.file)]
        return tuple(dict.fromkeys(self._code.graph.body_of(each) for each in product or kept))[:_MAX_SAME_NAMED]

    def _open(self, found: Iterable[Definition]) -> tuple[Definition, ...]:
        """Return the definitions and the methods of classes among them."""
        opened: dict[Definition, None] = {}
        for each in found:
            opened[each] = None
            if is_class(each.kind):
                for inner in self._code.iter_definitions(each.file):
                    if inner.symbol.qualname.startswith(f"{each.symbol.qualname}.") and inner.kind in BODIES:
                        opened[inner] = None
        return tuple(opened)
