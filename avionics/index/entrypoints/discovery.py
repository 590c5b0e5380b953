"""Entry points: where control comes in from outside, as the code and its configuration declare it.

Every way of declaring one is a row of a table (`entry_rows`): a decorator, a call that registers, a guard, a place in
the tree, an entry in a configuration file.

Knows: how scripts, commands, web routes and tasks are declared.
Does not know: what happens after control has come in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import attrs

from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.annotation_routes import find_routes
from avionics.index.entrypoints.package_scripts import SCRIPT_FILES
from avionics.index.entrypoints.rules import CALLS, DECORATORS, MAINS, TEXT, VERBS, EntryKind
from avionics.index.model.file_roles import role_of
from avionics.index.model.values import ClassType, Module, Target, Variable
from avionics.index.scopes.name_resolver import is_class
from avionics.index.scopes.symbol_lookup import is_within
from avionics.model.enums import ScopeKind, SymbolKind
from avionics.model.errors import SourceError
from avionics.model.facts import Import, Span, Symbol
from avionics.model.knowledge import Definition


@attrs.frozen
class EntryPoint:
    """A place where control comes in.

    Attributes:
        kind: How.
        name: What it is called outside: the script's name, the route's path, the command.
        file: Where it is declared.
        line: Where it is declared.
        declared: The declaring line.
        definition: What runs; None when that could not be told. Code outside any function is a MODULE symbol.
        methods: For routes the HTTP methods, () for all or unsaid.
        owner: The class on whose object the definition runs, where it may be inherited.
    """

    kind: EntryKind
    name: str
    file: str
    line: int
    declared: str
    definition: Definition | None
    methods: tuple[str, ...] = ()
    owner: Definition | None = None


class TextSource(Protocol):
    """Where texts come from."""

    def text(self, path: str) -> str:
        """A file as text; raises SourceError when there is none."""
        ...


_MANAGEMENT = re.compile(r"(?:^|/)management/commands/([A-Za-z]\w*)\.py$")
_GUARD = re.compile(r"^if[ (]+__name__[ ]*==[ ]*['\"]__main__['\"]|^if[ (]+['\"]__main__['\"][ ]*==[ ]*__name__", re.M)
_DECORATOR = re.compile(r"([\w.:]+)\s*(?:\((.*))?$", re.DOTALL)
_FIRST_TEXT = re.compile(rf"\s*(?:(?:path|rule|name)\s*=\s*)?{TEXT}")
_NAMED = re.compile(r"\bname\s*=\s*[\"']([^\"']+)")
_METHODS = re.compile(r"\bmethods\s*=\s*[\[({]([^\])}]*)")
_COMMAND_ENDINGS = re.compile(r"_(command|cmd|group|grp)$")
_RUNNABLE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS})


def find_entry_points(code: CodeIndex, source: TextSource, scope: str | None = None) -> tuple[EntryPoint, ...]:
    """Every entry point that is declared in the workspace, or in a directory or file of it; product code first.

    Args:
        code: The index.
        source: The texts behind it.
        scope: Only those declared, or defined, there.
    """
    ways: tuple[Callable[[CodeIndex, TextSource], Iterator[EntryPoint]], ...] = (
        _iter_scripts, _iter_mains, _iter_modules, _iter_decorated, _iter_annotated, _iter_called, _iter_management,
        _iter_guards,
    )  # fmt: skip
    found = [
        entry
        for way in ways
        for entry in way(code, source)
        if is_within(entry.file, scope) or (entry.definition and is_within(entry.definition.file, scope))
    ]
    kinds = list(EntryKind)
    return tuple(sorted(found, key=lambda e: (role_of(e.file), kinds.index(e.kind), e.file, e.line)))


def build_module_body(code: CodeIndex, file: str, span: Span | None = None) -> Definition:
    """The code of a file outside its functions and classes, or only some lines of it, as something that runs."""
    lines = span or Span(1, max(1, code.facts(file).lines))
    name = code.dotted_name(file)
    return Definition(file, Symbol(name, SymbolKind.MODULE, name, lines, lines.start_line, 0))


def module_named(code: CodeIndex, file: str, dotted: str) -> tuple[Definition, ...]:
    """The definitions that a dotted name means at a file's top level: `views.login`, `app`."""
    first, *rest = dotted.split(".")
    targets = code.resolver.scopes.find_targets(file, 0, first)
    for part in rest:
        targets = tuple(inner for target in targets for inner in _iter_members(code, target, part))
    return find_target_definitions(code, targets)


def find_target_definitions(code: CodeIndex, targets: Iterable[Target]) -> tuple[Definition, ...]:
    """The definitions behind targets of a name."""
    found = (code.graph.get_definition(target) for target in targets if isinstance(target, Variable))
    return tuple(definition for definition in found if definition is not None)


def _iter_members(code: CodeIndex, target: Target, name: str) -> Iterator[Target]:
    """What a member of a module or class leads to."""
    if isinstance(target, Module):
        yield from code.resolver.scopes.find_member(target, name)
    elif isinstance(target, Variable):
        for kind in code.resolver.inference.infer_variable(target):
            member = code.resolver.inference.get_member(kind, name)
            if isinstance(kind, ClassType) and member is not None:
                yield member.variable


def _iter_scripts(code: CodeIndex, source: TextSource) -> Iterator[EntryPoint]:
    """Scripts that an installed package brings, by its configuration."""
    for path in code.snapshot.entries:
        read = SCRIPT_FILES.get(path.rpartition("/")[2])
        text = _text(source, path) if read is not None else ""
        if read is None or not text:
            continue
        for name, target, line in read(text):
            yield EntryPoint(EntryKind.SCRIPT, name, path, line, _line(text, line), _script(code, path, target))


def _script(code: CodeIndex, path: str, target: str) -> Definition | None:
    """What `package.module:function` means for a configuration file."""
    if target.startswith("./"):
        home = path.rpartition("/")[0]
        found = code.modules.find(Import(target, "", "", 0, 0), f"{home}/index.js" if home else "index.js")
        return build_module_body(code, found.file) if isinstance(found, Module) and found.file else None
    dotted, _, attribute = target.partition("[")[0].strip().partition(":")
    module = code.modules.module_named(dotted.strip(), path)
    if not isinstance(module, Module) or not module.file:
        return None
    if not attribute:
        return build_module_body(code, module.file)
    return next(iter(module_named(code, module.file, attribute.strip())), None)


def _iter_mains(code: CodeIndex, source: TextSource) -> Iterator[EntryPoint]:
    """Functions that programs start with."""
    for path in code.files_defining("main"):
        facts = code.facts(path)
        row = MAINS.get(facts.language)
        if row is None or facts.package != (facts.package if row.package is None else row.package):
            continue
        for index, symbol in enumerate(facts.symbols):
            is_main = symbol.name == row.name and symbol.kind in _RUNNABLE and row.header.search(symbol.signature)
            holder = facts.symbols[symbol.parent] if symbol.parent >= 0 else None
            if is_main and (holder is None or is_class(holder.kind)):
                called = code.modules.program_name(path) or _program_of(path) or code.dotted_name(path)
                if holder is not None:
                    called = f"{facts.package}.{holder.qualname}".lstrip(".")
                shown = _line(_text(source, path), symbol.line)
                yield EntryPoint(EntryKind.SCRIPT, called, path, symbol.line, shown, Definition(path, symbol, index))


def _program_of(path: str) -> str:
    """What a program is most likely called whose first function stands in a file: that file, or what holds it."""
    *directories, name = path.split("/")
    stem = name.partition(".")[0]
    around = (each for each in reversed(directories) if each not in {"src", "main"})
    return next(around, "") if stem.lower() in {"main", "program", "index"} else stem


def _iter_annotated(code: CodeIndex, source: TextSource) -> Iterator[EntryPoint]:
    """Methods whose annotations, and those of their class, say which requests they answer."""
    for path in code.files:
        symbols = code.facts(path).symbols
        for index, symbol in enumerate(symbols):
            if symbol.kind is not SymbolKind.METHOD or not symbol.decorators:
                continue
            holder = symbols[symbol.parent] if symbol.parent >= 0 else None
            for written, route, methods in find_routes(symbol, holder):
                text = _text(source, path)
                line = _decorator_line(text, symbol, written)
                yield EntryPoint(
                    EntryKind.ROUTE, route, path, line, _line(text, line), Definition(path, symbol, index), methods
                )


def _iter_modules(code: CodeIndex, source: TextSource) -> Iterator[EntryPoint]:
    """Packages that run with `python -m`."""
    for path in code.files:
        if path.rpartition("/")[2] == "__main__.py":
            name = code.dotted_name(path).removesuffix("__main__").strip(".") or path.rpartition("/")[0] or "."
            text = _text(source, path)
            guard = _GUARD.search(text)
            line = (text.count("\n", 0, guard.start()) if guard else text.rstrip().count("\n")) + 1
            body = build_module_body(code, path)
            yield EntryPoint(EntryKind.MODULE, f"python -m {name}", path, line, _line(text, line), body)


def _iter_guards(code: CodeIndex, source: TextSource) -> Iterator[EntryPoint]:
    """Files that do something when they are run themselves."""
    for path in code.files_with_word("__main__"):
        text = "" if path.rpartition("/")[2] == "__main__.py" else _text(source, path)
        guard = _GUARD.search(text)
        if guard is not None:
            line = text.count("\n", 0, guard.start()) + 1
            body = build_module_body(code, path, Span(line, _block_end(text, line)))
            yield EntryPoint(EntryKind.GUARD, path, path, line, _line(text, line), body)


def _block_end(text: str, line: int) -> int:
    """The last line of the block that starts at a line of the outermost level."""
    end = line
    for number, following in enumerate(text.split("\n")[line:], line + 1):
        if following.strip() and not following.startswith((" ", "\t")):
            break
        end = number if following.strip() else end
    return end


def _iter_decorated(code: CodeIndex, source: TextSource) -> Iterator[EntryPoint]:
    """Functions and classes that a decorator registers."""
    code.load_facts(code.files)
    for path in code.files:
        text = ""
        facts = code.facts(path)
        for index, symbol in enumerate(facts.symbols):
            for decorator in symbol.decorators:
                declared = _read_decorator(decorator, symbol, facts.imports)
                if declared is None:
                    continue
                text = text or _text(source, path)
                line = _decorator_line(text, symbol, decorator)
                kind, name, methods = declared
                shown = _line(text, line)
                yield EntryPoint(kind, name, path, line, shown, Definition(path, symbol, index), methods)


def _read_decorator(
    decorator: str, symbol: Symbol, imports: Iterable[Import]
) -> tuple[EntryKind, str, tuple[str, ...]] | None:
    """What a decorator declares: kind, outside name, methods."""
    match = _DECORATOR.match(decorator)
    if match is None or symbol.kind not in _RUNNABLE:
        return None
    receiver, _, last = match[1].replace("::", ".").rpartition(".")
    row = next((row for row in DECORATORS if last in row.names), None)
    if row is None or not (receiver or _comes_from(imports, last, row.packages)):
        return None
    arguments = match[2] or ""
    first = _FIRST_TEXT.match(arguments)
    if row.kind is EntryKind.ROUTE:
        if first is None or not (first["name"].startswith("/") or not first["name"]):
            return None
        return row.kind, first["name"] or "/", _methods(last, arguments)
    named = _NAMED.search(arguments)
    if named or first:
        return row.kind, named[1] if named else first["name"], ()  # type: ignore[index]
    plain = _COMMAND_ENDINGS.sub("", symbol.name).replace("_", "-")
    return row.kind, plain if row.kind is EntryKind.COMMAND else symbol.name, ()


def _comes_from(imports: Iterable[Import], name: str, packages: frozenset[str]) -> bool:
    return any(each.alias == name and each.module.partition(".")[0] in packages for each in imports)


def _methods(verb: str, arguments: str) -> tuple[str, ...]:
    """The HTTP methods a decorator names."""
    if verb in VERBS:
        return (verb.upper(),)
    listed = _METHODS.search(arguments)
    return tuple(re.findall(r"[A-Za-z]+", listed[1])) if listed else ()


def _decorator_line(text: str, symbol: Symbol, decorator: str) -> int:
    """The line of a decorator."""
    start = f"@{decorator.partition('(')[0].strip()}"
    quoted = _FIRST_TEXT.search(decorator)
    lines = text.split("\n")
    candidates = [
        number
        for number in range(symbol.span.start_line, min(symbol.line, len(lines)) + 1)
        if lines[number - 1].replace("@ ", "@").lstrip().startswith(start)
    ]
    exact = [number for number in candidates if quoted and quoted["name"] in lines[number - 1]]
    return next(iter((*exact, *candidates)), symbol.line)


def _iter_called(code: CodeIndex, source: TextSource) -> Iterator[EntryPoint]:
    """What a call registers."""
    for row in CALLS:
        for path in code.files_with_word(row.word):
            if row.endings and not path.endswith(row.endings):
                continue
            text = _text(source, path)
            for match in row.pattern.finditer(text) if row.sign in text else ():
                called = text.count("\n", 0, match.start("call")) + 1
                if not any(use.line == called for use in code.uses(path).references.get(match["call"], ())):
                    continue
                line = text.count("\n", 0, match.start("name")) + 1
                name = f"/{match['name'].lstrip('^/')}" if row.kind is EntryKind.ROUTE else match["name"]
                last = text.count("\n", 0, match.end()) + 1
                runs = _registered(code, path, called, last, match["runs"] or "") or _written(code, path, called, last)
                verb = match["call"].lower()
                methods = (verb.upper(),) if row.kind is EntryKind.ROUTE and verb in VERBS else ()
                yield EntryPoint(row.kind, name, path, line, _line(text, line), runs, methods)


def _registered(code: CodeIndex, path: str, line: int, last: int, dotted: str) -> Definition | None:
    """What a registering call names; `View.as_view` is the view, `self.view` a member of the class around."""
    dotted = dotted.replace("::", ".").removesuffix(".as_view")
    around = code.graph.enclosing(path, line)
    if dotted.startswith("self.") and around is not None:
        dotted = f"{around.symbol.qualname.partition('.')[0]}.{dotted.removeprefix('self.')}"
    found = module_named(code, path, dotted) if dotted else ()
    uses = code.uses(path).references.get(dotted.rpartition(".")[2], ()) if not found else ()
    for use in uses:
        if line <= use.line <= last:
            found = (*found, *find_target_definitions(code, code.resolver.resolve(path, use).targets))
    return next((definition for definition in found if definition.kind in _RUNNABLE), None)


def _written(code: CodeIndex, path: str, line: int, last: int) -> Definition | None:
    """The function without a name that a registering call is given, as something that runs."""
    scopes = code.uses(path).scopes
    unnamed = (scope.span for scope in scopes if scope.kind is ScopeKind.FUNCTION and scope.symbol < 0)
    spans = [span for span in unnamed if line <= span.start_line <= last]
    widest = max(spans, key=lambda span: span.end_line - span.start_line, default=None)
    return build_module_body(code, path, widest) if widest is not None else None


def _iter_management(code: CodeIndex, source: TextSource) -> Iterator[EntryPoint]:
    """Commands that Django finds by their place: https://docs.djangoproject.com/en/stable/howto/custom-management-commands/."""
    for path in code.files:
        placed = _MANAGEMENT.search(path)
        owner = next(iter(module_named(code, path, "Command")), None) if placed else None
        handle = next(iter(module_named(code, path, "Command.handle")), None) if owner else None
        if placed and owner and owner.file == path and handle:
            shown = _line(_text(source, path), owner.line)
            yield EntryPoint(EntryKind.COMMAND, placed[1], path, owner.line, shown, handle, owner=owner)


def _text(source: TextSource, path: str) -> str:
    """A file's text, "" when it cannot be read."""
    try:
        return source.text(path)
    except SourceError:
        return ""


def _line(text: str, line: int) -> str:
    """A line of a text."""
    lines: list[str] = text.split("\n")
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""
