"""Find where control enters programs from outside, as the code and its configuration declare it.

The declarations depend on language and framework: the package of each language has the rules
(`avionics.syntax.entry_points`), of which only those for the workspace's languages are loaded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import structs

from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.annotation_routes import AnnotatedPaths
from avionics.index.entrypoints.call_arguments import is_function, may_handle, read_arguments
from avionics.index.entrypoints.decorator_texts import list_decorators
from avionics.index.entrypoints.handlers import (
    RUNNABLE,
    EntryPoint,
    build_entry,
    build_module_body,
    get_handler,
    get_named_method,
    get_written,
    list_uses,
    module_named,
    read_methods,
)
from avionics.index.entrypoints.passed_paths import PassedRoutes
from avionics.index.entrypoints.resource_routes import iter_resource
from avionics.index.entrypoints.route_prefixes import RoutePrefixes
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.file_roles import role_of
from avionics.index.model.values import Module
from avionics.index.scopes.symbol_lookup import is_within
from avionics.late_pattern import NEVER, late_pattern
from avionics.model.enums import EntryKind, SymbolKind, is_class
from avionics.model.facts import FileFacts, Import, Span, Symbol, line_of
from avionics.model.knowledge import Definition
from avionics.syntax.entry_points import HTTP_VERBS, TEXT, CallRule, DecoratorRule, EntryPointRules, PlacedRule
from avionics.syntax.registry import get_entry_points, get_language

_DECORATOR = late_pattern(r"([\w.:]+)\s*(?:\((.*))?$", re.DOTALL)
_FIRST_TEXT = late_pattern(rf"\s*(?:(?:path|rule|name)\s*=\s*)?{TEXT}")
_FIRST_NAME = late_pattern(r"\A\s*+(?:[\[(]\s*+)?(?>(?:\w++\.)*)(\w++)(?!\s*=)")
"""The last part of a decorator's first argument that is a dotted name: `Saved` of `(events.Saved, retry=3)`."""
_NAMED = late_pattern(r"\bname\s*[=:]\s*[\"']([^\"']+)")
_METHODS = late_pattern(r"\bmethods\s*=\s*[\[({]([^\])}]*)")
_MAX_ATTRIBUTE_LINES = 12
"""How far above a function its attributes are looked for."""
_COMMAND_ENDINGS = late_pattern(r"_(command|cmd|group|grp)$")
_MAX_GROUPS = 4


def find_entry_points(code: CodeIndex, scope: str | None = None) -> tuple[EntryPoint, ...]:
    """Return every entry point of the workspace, or of a directory or file in it; product code first."""
    return tuple(
        entry
        for entry in code.keep(_find_all)
        if is_within(entry.file, scope) or (entry.definition and is_within(entry.definition.file, scope))
    )


def _find_all(code: CodeIndex) -> tuple[EntryPoint, ...]:
    """Return every entry point of the workspace; product code first."""
    finders: tuple[Callable[[CodeIndex], Iterator[EntryPoint]], ...] = (
        _iter_scripts, _iter_mains, _iter_modules, _iter_decorated, _iter_annotated, _iter_called,
        _iter_command_classes, _iter_file_routes, _iter_variants, _iter_listed_routes, _iter_guards,
    )  # fmt: skip
    kinds, prefixes = list(EntryKind), RoutePrefixes(code)
    entries = [entry for find in finders for found in find(code) for entry in _iter_with_prefixes(found, prefixes)]
    passed, registered = PassedRoutes(code, prefixes).find_routes()
    entries = [*(entry for entry in entries if (entry.file, entry.line) not in registered), *passed]
    return tuple(sorted(entries, key=lambda e: (role_of(e.file), kinds.index(e.kind), e.file, e.line)))


def _iter_with_prefixes(entry: EntryPoint, prefixes: RoutePrefixes) -> Iterator[EntryPoint]:
    """Yield an entry point; a route once for each path that its router is mounted at: `/orders` as `/api/orders`."""
    if entry.kind is not EntryKind.ROUTE:
        yield entry
        return
    for prefix in prefixes.find_prefixes(entry.file, entry.line, entry.name, entry.definition):
        name = prefix + ("" if prefix and entry.name == "/" else entry.name)
        # An empty path is a route only below the prefix of a router.
        if name:
            yield structs.replace(entry, name=name)


def _iter_scripts(code: CodeIndex) -> Iterator[EntryPoint]:
    """Yield the commands that an installed package provides, by its configuration."""
    readers = {name: (read, rules) for rules in _rules(code) for name, read in rules.script_files.items()}
    for path in code.snapshot.entries:
        if (name := path.rpartition("/")[2]) not in readers:
            continue
        read, rules = readers[name]
        text = code.read_text(path)
        for command, target, line in read(text) if text else ():
            yield build_entry(code, EntryKind.SCRIPT, command, path, line, _get_target(code, path, target, rules))


def _get_target(code: CodeIndex, path: str, target: str, rules: EntryPointRules) -> Definition | None:
    """Return the definition that `package.module:function` or `./file` refers to in a configuration file."""
    if target.startswith("./"):
        home, slash, _ = path.rpartition("/")
        found = code.modules.find(Import(target, "", "", 0, 0), f"{home}{slash}{rules.script_importer}")
        return build_module_body(code, found.file) if isinstance(found, Module) and found.file else None
    dotted, _, attribute = target.partition("[")[0].strip().partition(":")
    module = code.modules.module_named(dotted.strip(), path)
    if not isinstance(module, Module) or not module.file:
        return None
    if not attribute:
        return build_module_body(code, module.file)
    return next(iter(module_named(code, module.file, attribute.strip())), None)


def _iter_mains(code: CodeIndex) -> Iterator[EntryPoint]:
    """Yield the functions that programs start with."""
    for path in code.files_defining("main"):
        facts = code.facts(path)
        rule = get_entry_points(facts.language).main
        if rule is None or (rule.package is not None and facts.package != rule.package):
            continue
        for function in code.iter_definitions(path):
            if function.name != rule.name or function.kind not in RUNNABLE:
                continue
            holder = facts.get_parent(function.symbol) if rule.in_class else None
            is_outermost = is_class(holder.kind) if holder else function.symbol.qualname == function.name
            if not is_outermost or not rule.header.search(function.symbol.signature):
                continue
            # In a language whose main function has a package of its own, the directory gives the program its name.
            directory = path.split("/")[-2] if rule.package is not None and "/" in path else ""
            if holder is not None:
                program = f"{facts.package}.{holder.qualname}".lstrip(".")
            else:
                program = directory or code.modules.system_of(path).program_name(path) or _guess_program_name(path)
            yield build_entry(code, EntryKind.SCRIPT, program or code.dotted_name(path), path, function.line, function)


def _guess_program_name(path: str) -> str:
    """Return the likely name of a program that starts in a file: that of the file or of the directory around it."""
    *directories, name = path.split("/")
    stem = name.partition(".")[0]
    if stem.lower() not in {"main", "program", "index"}:
        return stem
    return next((directory for directory in reversed(directories) if directory not in {"src", "main"}), "")


def _iter_annotated(code: CodeIndex) -> Iterator[EntryPoint]:
    """Yield methods whose annotations, or those of their class, declare the requests they handle."""
    annotated = AnnotatedPaths(code)
    for path in code.files:
        rules = _rules_of(path).routes
        for method in code.iter_definitions(path) if rules.methods else ():
            if method.kind is not SymbolKind.METHOD or not (method.symbol.decorators or rules.unwritten):
                continue
            holder = code.facts(path).get_parent(method.symbol)
            for written, route, methods in annotated.find_routes(path, method.symbol, holder, rules):
                line = _decorator_line(code.read_lines(path), method.symbol, written)
                yield build_entry(code, EntryKind.ROUTE, route, path, line, method, methods)


def _iter_modules(code: CodeIndex) -> Iterator[EntryPoint]:
    """Yield the directories that run as programs."""
    for path in code.files:
        program = _rules_of(path).program
        if program is not None and path.rpartition("/")[2] == program.name:
            stem = program.name.partition(".")[0]
            name = code.dotted_name(path).removesuffix(stem).strip(".") or path.rpartition("/")[0] or "."
            text = code.read_text(path)
            guard = program.guard.search(text)
            line = line_of(text, guard.start() if guard else len(text.rstrip()))
            body = build_module_body(code, path)
            yield build_entry(code, EntryKind.MODULE, f"{program.command} {name}", path, line, body)


def _iter_guards(code: CodeIndex) -> Iterator[EntryPoint]:
    """Yield files that do something when they are run themselves."""
    for rules in _rules(code):
        program = rules.program
        for path in code.files_with_word(program.guard_word) if program is not None else ():
            if program is None or _rules_of(path) is not rules or path.rpartition("/")[2] == program.name:
                continue
            text = code.read_text(path)
            guard = program.guard.search(text)
            if guard is not None:
                line = line_of(text, guard.start())
                body = build_module_body(code, path, Span(line, _block_end(text, line)))
                yield build_entry(code, EntryKind.GUARD, path, path, line, body)


def _block_end(text: str, line: int) -> int:
    """Return the last line of the block that starts at a line of the outermost level."""
    end = line
    for number, following in enumerate(text.split("\n")[line:], line + 1):
        if following.strip() and not following.startswith((" ", "\t")):
            break
        end = number if following.strip() else end
    return end


def _iter_decorated(code: CodeIndex) -> Iterator[EntryPoint]:
    """Yield functions and classes that a decorator registers."""
    files = [path for path in code.files if _rules_of(path).decorators]
    code.load_facts(files)
    is_global = {rule: _is_global(code, rule) for rules in _rules(code) for rule in rules.decorators}
    parents = _map_subcommands(code, files)
    for path in files:
        rules, facts = _rules_of(path).decorators, code.facts(path)
        for decorated in code.iter_definitions(path):
            for decorator in list_decorators(code, path, decorated.symbol):
                declared = _read_decorator(decorator, decorated.symbol, facts.imports, rules, is_global)
                if declared is None:
                    continue
                line = _decorator_line(code.read_lines(path), decorated.symbol, decorator)
                rule, name, methods = declared
                if rule.kind is EntryKind.COMMAND:
                    name = f"{_join_groups(decorator, facts, rule, _MAX_GROUPS)}{name}"
                    name = f"{_join_parents(decorated.name, parents, _MAX_GROUPS)}{name}"
                runs = _get_method(code, path, decorated.symbol.qualname, rule.methods) or decorated
                owner = decorated if runs is not decorated else None
                yield build_entry(code, rule.kind, name, path, line, runs, methods, owner)


def _map_subcommands(code: CodeIndex, files: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Map the name of each class that an annotation lists as a subcommand to the class so annotated and its command.

    `@Command(name = "orders", subcommands = {Add.class})` on the class `Orders` maps `Add` to `("Orders", "orders")`.
    """
    parents: dict[str, tuple[str, str]] = {}
    for path in files:
        rules = [each for each in _rules_of(path).decorators if each.below is not NEVER]
        for holder in code.iter_definitions(path) if rules else ():
            for decorator in list_decorators(code, path, holder.symbol):
                listed = next(filter(None, (each.below.search(decorator) for each in rules)), None)
                named = _NAMED.search(decorator) if listed else None
                for name in re.findall(r"(\w+)\.class", listed[1]) if listed else ():
                    parents[name] = holder.name, named[1] if named else ""
    return parents


def _join_parents(holder: str, parents: Mapping[str, tuple[str, str]], steps: int) -> str:
    """Return the names of the commands above that of a class, without the program's own, each with a space."""
    outer, name = parents.get(holder, ("", ""))
    return f"{_join_parents(outer, parents, steps - 1)}{name} " if outer in parents and steps else ""


def _join_groups(decorator: str, facts: FileFacts, rule: DecoratorRule, steps: int) -> str:
    """Return the names of the groups around a command, without the program's own, each with a space.

    `@orders.command()` is below the group that `@cli.group()` makes of a function `orders`: the prefix is `orders `.
    """
    match = _DECORATOR.match(decorator)
    receiver = match[1].rpartition(".")[0] if match else ""
    holder = next((each for each in facts.symbols if each.name == receiver and each.kind in RUNNABLE), None)
    if holder is None or not steps:
        return ""
    for above in holder.decorators:
        declared = _read_decorator(above, holder, facts.imports, (rule,), {rule: False})
        package = above.partition(".")[0]
        is_root = "." not in above.partition("(")[0] or any(
            (each.alias or each.module) == package and each.module.partition(".")[0] in rule.packages
            for each in facts.imports
        )
        if declared is not None and not is_root:
            return f"{_join_groups(above, facts, rule, steps - 1)}{declared[1]} "
    return ""


def _read_decorator(
    decorator: str,
    symbol: Symbol,
    imports: Iterable[Import],
    rules: Iterable[DecoratorRule],
    is_global: Mapping[DecoratorRule, bool],
) -> tuple[DecoratorRule, str, tuple[str, ...]] | None:
    """Return the rule, outside name and HTTP methods of a decorator; None if it declares no entry point."""
    match = _DECORATOR.match(decorator)
    if match is None or symbol.kind not in RUNNABLE:
        return None
    receiver, _, last = match[1].replace("::", ".").rpartition(".")
    rule = next((rule for rule in rules if last in rule.names), None)
    if rule is None or not (receiver or is_global[rule] or _is_imported_from(imports, last, rule.packages)):
        return None
    arguments = match[2] or ""
    text = _FIRST_TEXT.match(arguments)
    if rule.kind is EntryKind.ROUTE:
        if text is None or not (text["name"].startswith("/") or not text["name"]):
            return None
        return rule, text["name"] or "/", _read_decorator_methods(last, arguments)
    named = _FIRST_NAME.match(arguments) if rule.kind is EntryKind.EVENT and not text else _NAMED.search(arguments)
    if named or text:
        return rule, named[1] if named else text["name"], ()  # type: ignore[index]
    plain = _COMMAND_ENDINGS.sub("", symbol.name).replace("_", "-")
    return rule, plain if rule.kind is EntryKind.COMMAND else symbol.name, ()


def _get_method(code: CodeIndex, path: str, holder: str, methods: Iterable[str]) -> Definition | None:
    """Return the first of some methods that a class of a file has and that is not from a standard library."""
    found = (each for method in methods for each in module_named(code, path, f"{holder}.{method}"))
    return next((each for each in found if not each.file.startswith(STUBS)), None)


def _is_global(code: CodeIndex, rule: DecoratorRule) -> bool:
    """Return whether some file imports the decorators of a rule for all files, as `global using` does in C#."""
    word, pattern = rule.brought or ("", "")
    return bool(word) and any(re.search(pattern, code.read_text(path)) for path in sorted(code.files_with_word(word)))


def _is_imported_from(imports: Iterable[Import], name: str, packages: frozenset[str]) -> bool:
    return any(each.alias == name and each.module.partition(".")[0] in packages for each in imports)


def _read_decorator_methods(verb: str, arguments: str) -> tuple[str, ...]:
    """Return the HTTP methods that a decorator names."""
    if verb in HTTP_VERBS:
        return (verb.upper(),)
    listed = _METHODS.search(arguments)
    return tuple(re.findall(r"[A-Za-z]+", listed[1])) if listed else ()


def _decorator_line(lines: Sequence[str], symbol: Symbol, decorator: str) -> int:
    """Return the line of a decorator or attribute of a symbol, that of the symbol if it is not found."""
    start = f"@{decorator.partition('(')[0].strip()}"
    quoted = _FIRST_TEXT.search(decorator)
    candidates = [
        number
        for number in range(symbol.span.start_line, min(symbol.line, len(lines)) + 1)
        if lines[number - 1].replace("@ ", "@").lstrip().startswith(start)
    ]
    marked = (start, start.replace("@", "#[", 1), start.replace("@", "[", 1))
    above = range(min(symbol.line, len(lines)), max(0, symbol.line - _MAX_ATTRIBUTE_LINES), -1)
    candidates += [number for number in above if lines[number - 1].lstrip().startswith(marked)]
    exact = [number for number in candidates if quoted and quoted["name"] in lines[number - 1]]
    return next(iter((*exact, *candidates)), symbol.line)


def _iter_called(code: CodeIndex) -> Iterator[EntryPoint]:
    """Yield the entry points that calls register."""
    for rules in _rules(code):
        for rule in rules.calls:
            for path in code.files_with_word(rule.word):
                if _rules_of(path) is rules:
                    yield from _iter_matches(code, path, code.read_text(path), rule)


def _iter_matches(code: CodeIndex, path: str, text: str, rule: CallRule) -> Iterator[EntryPoint]:
    """Yield the entry points that calls in a file register by one rule."""
    is_route = rule.kind is EntryKind.ROUTE
    for match, part in rule.iter_matches(text):
        groups = match.groupdict() | part.groupdict()
        at = part.start("call") if "call" in part.re.groupindex else part.start()
        called_at = line_of(text, at)
        if "call" in groups and all(use.line != called_at for use in list_uses(code, path, groups["call"])):
            continue
        runs, last = ".".join(filter(None, (groups.get("runs"), groups.get("method")))), line_of(text, part.end())
        if rule.takes_handler:
            handler = _read_handler(text, part, rule)
            if handler is None:
                continue
            span, runs, verb = handler
            groups["verb"], last = groups.get("verb") or verb, span.end_line
            written = get_written(code, path, span.start_line, last) if is_function(runs) else None
        else:
            written = None
        name = groups["name"]
        if not is_route:
            name = name or _to_kebab_case(groups.get("member") or "") or runs.rpartition(".")[2].replace("_", "-")
        elif name:
            # An empty path is a route only below the prefix of a router, which is added later.
            name = f"/{(name.removesuffix('$') if name.startswith('^') else name).lstrip('^/')}"
        name_match = match if "name" in match.re.groupindex else part
        line = line_of(text, name_match.start("name") if groups["name"] else match.start())
        definition = (
            written
            or get_handler(code, path, rule, runs, (called_at, last))
            or get_written(code, path, called_at, last)
            or get_named_method(code, path, called_at, last)
        )
        if definition is None and (rule.needs_handler or rule.kind is EntryKind.EVENT):
            continue
        if rule.resource is not None and definition is not None:
            yield from iter_resource(code, rule.resource, definition, name, path, line)
            continue
        verb = next((groups[each] for each in ("before", "verb", "verbs", "call") if groups.get(each)), "")
        methods = read_methods(verb) if is_route else ()
        yield build_entry(code, rule.kind, name, path, line, definition, methods)


def _read_handler(text: str, call: re.Match[str], rule: CallRule) -> tuple[Span, str, str] | None:
    """Return the lines of the last argument of a registering call, its text, and the methods written after the call.

    Return None if that argument cannot be a handler.
    """
    arguments = read_arguments(text, text.find("(", call.start("call")))
    if not arguments or arguments[-1][0] < call.end():
        return None
    start, end = arguments[-1]
    handler = text[start:end].lstrip()
    lines = Span(line_of(text, end - len(handler)), line_of(text, end))
    after = re.compile(rule.after).match(text, text.find(")", end) + 1) if rule.after else None
    if not may_handle(handler.rstrip()):
        return None
    return lines, handler.rstrip(), after["verb"] if after else ""


def _iter_command_classes(code: CodeIndex) -> Iterator[EntryPoint]:
    """Yield the commands that are classes, named by a field (`name = "add"`) or by the path of their file."""
    named = tuple(_iter_named_commands(code))
    yield from named
    known = {each.owner for each in named}
    for path in code.files:
        for rule in _rules_of(path).placed:
            placed = rule.path.search(path)
            for owner in _list_command_classes(code, path, rule) if placed else ():
                # A class of a namespace that the framework declares has no name by which it is looked up.
                own = (each for each in code.iter_definitions(path) if each.symbol.parent == owner.index)
                method = next((each for each in own if each.name == rule.method), None)
                method = method or _get_method(code, path, owner.symbol.qualname, (rule.method,))
                if placed and method and owner not in known:
                    is_command = rule.kind is EntryKind.COMMAND
                    name = placed[1].replace("/", ":") if is_command else owner.symbol.qualname
                    yield build_entry(code, rule.kind, name, path, owner.line, method, owner=owner)


def _list_command_classes(code: CodeIndex, path: str, rule: PlacedRule) -> list[Definition]:
    """Return the classes of a file that are commands by a rule: the one with its name, or those with its header."""
    if rule.class_name:
        return [each for each in module_named(code, path, rule.class_name) if each.file == path][:1]
    classes = (each for each in code.iter_definitions(path) if is_class(each.kind))
    return [each for each in classes if rule.header.search(each.symbol.signature)]


def _iter_named_commands(code: CodeIndex) -> Iterator[EntryPoint]:
    """Yield the classes that are commands because of what they inherit from, with the method that runs."""
    for rule in {rule: None for path in code.files for rule in _rules_of(path).named}:
        having = code.words.count_in_files(code.words.term_postings(rule.parts))
        for path in sorted(path for path in having if rule in _rules_of(path).named):
            for field in code.iter_definitions(path):
                owner = code.get_parent(field) if field.name == rule.field else None
                value = rule.value.search(field.symbol.signature) if owner and is_class(owner.kind) else None
                if owner is None or value is None or not any(map(rule.base.search, owner.symbol.bases)):
                    continue
                method = _get_method(code, path, owner.symbol.qualname, rule.methods)
                if method is not None:
                    yield build_entry(code, EntryKind.COMMAND, value[1], path, field.line, method, owner=owner)


def _iter_file_routes(code: CodeIndex) -> Iterator[EntryPoint]:
    """Yield the functions that answer requests because of the path of their file."""
    for path in code.files:
        for rule in _rules_of(path).placed_routes:
            placed = rule.path.search(path)
            for runs in code.iter_definitions(path) if placed else ():
                is_method = runs.symbol.exported and runs.name.isupper() and runs.name.lower() in HTTP_VERBS
                is_default = rule.header.search(runs.symbol.signature) is not None
                if placed and runs.symbol.parent < 0 and (is_method if rule.by_method else is_default):
                    verb = runs.name if rule.by_method else placed.groupdict().get("verb")
                    methods = (verb.upper(),) if verb else ()
                    name = f"/{rule.unspoken.sub('', placed[1]).removesuffix('index').strip('/')}"
                    yield build_entry(code, EntryKind.ROUTE, name, path, runs.line, runs, methods)


def _iter_variants(code: CodeIndex) -> Iterator[EntryPoint]:
    """Yield the members of enumerations that are commands."""
    for path in code.files:
        for rule in _rules_of(path).variants:
            enums = (each for each in code.iter_definitions(path) if each.kind is SymbolKind.ENUM)
            commands = [each for each in enums if any(map(rule.marks.search, each.symbol.decorators))]
            for member in (member for each in commands for member in code.list_members(each)):
                renamed = next(filter(None, map(rule.renames.search, list_decorators(code, path, member.symbol))), None)
                name = renamed[1] if renamed else _to_kebab_case(member.name)
                yield build_entry(code, EntryKind.COMMAND, name, path, member.line, member)


def _to_kebab_case(name: str) -> str:
    """Return the name of a member as that of a command: `addAll` is `add-all`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


def _iter_listed_routes(code: CodeIndex) -> Iterator[EntryPoint]:
    """Yield the routes that files list by the qualified names of their handlers."""
    for rule in (rule for rules in _rules(code) for rule in rules.route_files):
        for path in filter(rule.path.search, code.snapshot.entries):
            text = code.read_text(path)
            for methods, name, runs, line in rule.read(text):
                handler, _, argument = runs.rstrip(")").partition("(")
                candidates = (d for d in code.find_definitions(handler) if d.kind in RUNNABLE and d.file != path)
                takes = re.compile(rf"\b{re.escape(argument)}\b" if argument else "")
                handlers = [d for d in candidates if takes.search(d.symbol.signature)]
                # A handler that takes `Order` comes before one that takes `Request[Order]`.
                handlers.sort(key=lambda d: bool(argument) and f"{argument}]" in d.symbol.signature)
                yield build_entry(code, EntryKind.ROUTE, name, path, line, handlers[0] if handlers else None, methods)


def _rules(code: CodeIndex) -> tuple[EntryPointRules, ...]:
    """Return the rules of the languages in the workspace, those that several share once."""
    languages = sorted({language for _, language, _ in code.snapshot.iter_contents()} - {""})
    return tuple({id(rules): rules for rules in map(get_entry_points, languages)}.values())


def _rules_of(path: str) -> EntryPointRules:
    """Return the rules of a file's language."""
    return get_entry_points(get_language(path) or "")
