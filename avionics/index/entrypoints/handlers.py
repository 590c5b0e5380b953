"""Find what a registering call or a configuration file names as the code that runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.values import ClassType, InstanceType, Module, Target, Variable
from avionics.model.enums import VALUES, EntryKind, ScopeKind, SymbolKind
from avionics.model.facts import Reference, Span, Symbol
from avionics.model.knowledge import Definition
from avionics.model.naming import called
from avionics.syntax.entry_points import HTTP_VERBS, CallRule
from avionics.syntax.registry import conventions_of, get_entry_points, get_language

RUNNABLE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS})
"""The kinds of definitions that can handle a request or run a command."""


class EntryPoint(Struct, frozen=True):
    """A place where control enters from outside.

    Attributes:
        kind: How it enters.
        name: Its name outside: that of the script or command, or the path of the route.
        file: Where it is declared.
        declared: The text of that line.
        definition: What runs; None if unknown. Code outside any function is a MODULE symbol.
        methods: The HTTP methods of a route, () for all or unknown ones.
        owner: The class whose object runs the definition, which it may inherit.
    """

    kind: EntryKind
    name: str
    file: str
    line: int
    declared: str
    definition: Definition | None
    methods: tuple[str, ...] = ()
    owner: Definition | None = None


def build_module_body(code: CodeIndex, file: str, span: Span | None = None) -> Definition:
    """Return the code of a file outside its functions and classes, or some lines of it, as a definition that runs."""
    lines = span or Span(1, max(1, code.facts(file).lines))
    name = code.dotted_name(file)
    return Definition(file, Symbol(name, SymbolKind.MODULE, name, lines, lines.start_line, 0))


def module_named(code: CodeIndex, file: str, dotted: str) -> tuple[Definition, ...]:
    """Return the definitions that a dotted name refers to at the top level of a file: `views.login`, `app`."""
    first, *rest = dotted.split(".")
    targets = code.resolver.scopes.find_targets(file, 0, first)
    for part in rest:
        targets = tuple(inner for target in targets for inner in _iter_members(code, target, part))
    return code.graph.list_definitions(targets)


def _iter_members(code: CodeIndex, target: Target, name: str) -> Iterator[Target]:
    """Yield the targets of a member of a module or class."""
    if isinstance(target, Module):
        yield from code.resolver.scopes.find_member(target, name)
    elif isinstance(target, Variable):
        for kind in code.resolver.inference.infer_variable(target):
            member = code.resolver.inference.get_member(kind, name)
            if isinstance(kind, (ClassType, InstanceType)) and member is not None:
                yield member.variable


def get_handler(code: CodeIndex, path: str, rule: CallRule, runs: str, lines: tuple[int, int]) -> Definition | None:
    """Return the handler that a registering call names; if it names none, a method of the class around the call."""
    around = code.graph.enclosing(path, lines[0]) if rule.methods and not runs else None
    holders = (around.symbol.qualname.partition(".")[0],) if around is not None else list_handlers(runs)
    names = [f"{holder}.{method}" for holder in holders for method in rule.methods]
    names += holders if around is None else ()
    return next(filter(None, (get_registered(code, path, *lines, name) for name in names)), None)


def list_handlers(text: str) -> tuple[str, ...]:
    """Return the names in a handler expression, likeliest first: the arguments of wrapping calls, then their functions.

    `log(auth(show))` gives `show`, `auth`, `log`.
    """
    wrapped = re.match(r"(?:[\w.]+\(\s*)*[A-Za-z_][\w.]*", text) if "(" in text else None
    if wrapped is None:
        return (text.removesuffix("..."),)
    *inner, outer = reversed(re.split(r"\(\s*", wrapped[0]))
    others = re.findall(r"[A-Za-z_][\w.]*+(?!\{)", re.sub(r'"[^"\n]*"', "", text[wrapped.end() :]))
    return (*inner, *reversed(others), outer)


def list_uses(code: CodeIndex, path: str, name: str) -> tuple[Reference, ...]:
    """Return the uses of a name in a file, also as that of a function where functions have names of their own."""
    references = code.uses(path).references
    return (*references.get(name, ()), *references.get(called(name), ()))


def get_registered(code: CodeIndex, path: str, line: int, last: int, dotted: str) -> Definition | None:
    """Return the definition named in a registering call; a member of `self` belongs to the enclosing class."""
    dotted = dotted.replace("::", ".").removesuffix(get_entry_points(get_language(path) or "").view_suffix)
    around = code.graph.enclosing(path, line)
    outermost = around.symbol.qualname.partition(".")[0] if around is not None else ""
    first, _, rest = dotted.partition(".")
    if rest and first in conventions_of(path).receivers and around is not None:
        dotted = f"{outermost}.{rest}"
    found = module_named(code, path, dotted) if dotted else ()
    if dotted and not found and around is not None and "." not in dotted:
        found = module_named(code, path, f"{outermost}.{dotted}")
    definitions = [each for each in found if not each.file.startswith(STUBS)]
    if not definitions:
        for use in list_uses(code, path, dotted.rpartition(".")[2]):
            if line <= use.line <= last:
                definitions += code.graph.list_meant(path, use)
    for definition in definitions:
        if definition.kind in RUNNABLE:
            return definition
    variables = (each for each in definitions if each.kind in VALUES and each.symbol.parent < 0)
    return next((each for each in variables if holds_function(code, each)), None)


def holds_function(code: CodeIndex, definition: Definition) -> bool:
    """Return whether a function without a name is written in the value of a variable: `var h = wrap(func() {…})`."""
    first, last = definition.symbol.span.start_line, definition.symbol.span.end_line
    return get_written(code, definition.file, first, last) is not None


def get_written(code: CodeIndex, path: str, line: int, last: int) -> Definition | None:
    """Return the anonymous function passed to a registering call, as a definition."""
    scopes = code.uses(path).scopes
    unnamed = (scope.span for scope in scopes if scope.kind is ScopeKind.FUNCTION and scope.symbol < 0)
    spans = [span for span in unnamed if line <= span.start_line <= last]
    widest = max(spans, key=lambda span: span.end_line - span.start_line, default=None)
    return build_module_body(code, path, widest) if widest is not None else None


def get_named_method(code: CodeIndex, path: str, line: int, last: int) -> Definition | None:
    """Return the method of an object literal that begins on the last line of a registering call of several lines."""
    if last <= line:
        return None
    return next((each for each in code.iter_definitions(path) if each.kind in RUNNABLE and each.line == last), None)


def read_methods(text: str) -> tuple[str, ...]:
    """Return the HTTP methods that a name or a list contains: `get`, `add_get` and `"GET", "HEAD"` contain some."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", text)
    return tuple(dict.fromkeys(word.upper() for word in words if word.lower() in HTTP_VERBS))


def build_entry(
    code: CodeIndex,
    kind: EntryKind,
    name: str,
    path: str,
    line: int,
    runs: Definition | None,
    methods: tuple[str, ...] = (),
    owner: Definition | None = None,
) -> EntryPoint:
    """Return an entry point with the text of its line."""
    lines = code.read_lines(path)
    shown = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    return EntryPoint(kind, name, path, line, shown, runs, methods, owner)
