"""Find the names under which other files import a variable, and the files that may contain these names.

Most imports contain the name that they import. A module's default export, and a module as a whole, are imported without
a name; for these, the importers of the module are the candidates. A module that is passed on as a value has further
names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from msgspec import structs

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.cached_method import cached_method
from avionics.index.model.file_roles import stem_of
from avionics.index.model.values import Module, Variable
from avionics.index.scopes.exported_members import EXPORT_EQUALS
from avionics.index.scopes.name_resolver import UNWRITTEN, NameResolver, is_shorthand
from avionics.index.types.inference import Inference
from avionics.late_pattern import NEVER, late_pattern
from avionics.model.enums import ExpressionKind, ReferenceKind, is_class
from avionics.model.facts import Import, Reference
from avionics.model.naming import as_written, called, tagged
from avionics.syntax.engine.expressions import dotted, value_of

MAX_ALIASES = 50
"""A symbol imported under more names than this is not followed further; the usage report has a reason that says so."""
_DEFAULT = "default"
_TAKING = late_pattern(r"""[\w$]*+(?>(?:(['"`])[^'"`\n]*+\1\s*+\))?)\s*+(?:\?\.|\.(?!\.)|\[)""")
"""An access to a member of a name, or of the module in `require(…)` or `import(…)`."""
_TAKEN_APART = late_pattern(
    r"[}\]]\s{0,9}=\s{0,9}(?:await\s{1,9})?(?:(?:require|import)\(\s{0,9})?\Z"
    r"|^\s*+(?:await\s{1,9})?(?:require|import)\(\s{0,9}\Z"
)
"""The text before a module that is only destructured, or only loaded."""
_LOADED = late_pattern(r"""\b\w++(?:<[^\n]{0,120}>)?\(\s*+['"][./]*+(\w[\w./-]*+)['"]""")
"""A call with text that may be the name of a module."""


def _iter_loaded(text: str, loader: str) -> Iterator[str]:
    """Yield the strings in calls of a loader, or of functions whose names start so, that may be names of modules."""
    position = text.find(loader)
    while position >= 0:
        if found := _LOADED.match(text, position):
            yield found[1]
        position = text.find(loader, position + 1)


class Aliases:
    """Finds other names of variables; `importers` returns the files that import a file."""

    def __init__(self, source: FactSource, scopes: NameResolver, importers: Callable[[str], Iterable[str]]) -> None:
        self._source = source
        self._scopes = scopes
        self._importers = importers

    def names_of(self, variable: Variable) -> dict[str, tuple[str, ...]]:
        """Return the variable's name and every name it is imported under, with the files that may mention each."""
        own = dict.fromkeys(
            (variable.name, as_written(variable.name), *self._iter_tags(variable), *self._iter_shortened(variable))
        )
        is_function = variable.name == called(as_written(variable.name))
        is_unwritten = variable.name in UNWRITTEN and variable.scope == 0
        names = {name: self._source.files_with_word(as_written(name)) for name in own if not is_unwritten}
        homes = [variable.file] if is_unwritten else []
        # Without import aliases, not every file that mentions the name has to be read.
        has_aliases = self._scopes.spec(variable.file).import_aliases
        pending = [name for name in names if name == as_written(name)] if has_aliases else []
        while (pending or homes) and len(names) <= MAX_ALIASES:
            found = (
                self._iter_renamed(pending.pop(0), variable) if pending else self._iter_unnamed(homes.pop(0), variable)
            )
            for alias, file in found:
                if alias in UNWRITTEN:
                    homes.append(file)
                elif alias not in names:
                    pending.append(alias)
                    for name in (alias, called(alias)) if is_function else (alias,):
                        names[name] = self._source.files_with_word(as_written(alias))
        return names

    def _iter_shortened(self, variable: Variable) -> Iterator[str]:
        """Yield the name by which decorators use a class whose name ends with what they may omit."""
        end = self._scopes.spec(variable.file).omitted_end
        if end and variable.name.removesuffix(end) not in {"", variable.name}:
            yield variable.name.removesuffix(end)

    def _iter_tags(self, variable: Variable) -> Iterator[str]:
        """Yield the name by which C refers to a class that a file of C++ declares outside of all namespaces."""
        spec = self._scopes.spec(variable.file)
        is_outside = variable.scope == 0 and variable.name == as_written(variable.name)
        if not (is_outside and spec.linkage and spec.overloads):
            return
        if any(is_class(each.kind) for each in self._scopes.list_definitions(variable)):
            yield tagged(variable.name)

    def _iter_renamed(self, name: str, variable: Variable) -> Iterator[tuple[str, str]]:
        """Yield every other name under which a file imports the name, and the file."""
        candidates = self._source.files_renaming(name)
        self._source.load_facts(candidates)
        for file in candidates:
            for found in self._source.facts(file).imports:
                is_alias = found.name == name and found.alias not in {"", name}
                if is_alias and variable in self._scopes.find_imported(file, found):
                    yield found.alias, file

    def _iter_unnamed(self, home: str, variable: Variable) -> Iterator[tuple[str, str]]:
        """Yield every name that importers bind to a file as a whole or to its default export, and the importer."""
        for file in self._importers(home):
            for found in self._source.facts(file).imports:
                if found.name in {"", _DEFAULT} and found.alias and variable in self._scopes.find_imported(file, found):
                    yield found.alias, file

    def find_unbound(self, variable: Variable) -> tuple[tuple[str, Import | Reference], ...]:
        """Return the uses of a module's value that bind no name: `require('./start')()`, `module.exports()`."""
        if UNWRITTEN.isdisjoint(self._source.uses(variable.file).bindings):
            return ()
        found: dict[tuple[str, Import | Reference], None] = {}
        homes = [variable.file]
        for home in homes:
            if variable in self._scopes.follow(Variable(home, 0, EXPORT_EQUALS)):
                found |= dict.fromkeys((home, each) for each in self._iter_own(home))
            for file in self._importers(home):
                for each in self._source.facts(file).imports:
                    is_unbound = each.alias and not each.name and not each.alias.isidentifier()
                    if not is_unbound or variable not in self._scopes.find_imported(file, each):
                        continue
                    if each.alias not in UNWRITTEN:
                        found[file, each] = None
                    elif file not in homes:
                        homes.append(file)
        return tuple(found)

    def find_with_default(self, variable: Variable) -> tuple[str, ...]:
        """Return the files that may take a default export from a module that exports more: `module.default`.

        The value of a module without other exports is its default export; the names of such imports are aliases.
        """
        if not self._scopes.spec(variable.file).unnamed_export or variable.scope:
            return ()
        carriers = [variable.file] if variable in self._scopes.follow(Variable(variable.file, 0, _DEFAULT)) else []
        found: dict[str, None] = {}
        for carrier in carriers:
            for file in self._importers(carrier):
                for each in self._source.facts(file).imports:
                    targets = self._scopes.find_imported(file, each)
                    is_whole = any(isinstance(target, Module) and target.file in carriers for target in targets)
                    if is_whole and variable not in targets:
                        found[file] = None
                    if (is_whole or (each.alias == _DEFAULT and variable in targets)) and file not in carriers:
                        carriers.append(file)
        return tuple(found)

    def _iter_own(self, home: str) -> Iterator[Reference]:
        """Yield the references of a file to its own export object: `module.exports`."""
        for name in self._scopes.spec(home).own_module:
            holder, _, last = name.rpartition(".")
            for each in self._source.uses(home).references.get(last, ()) if holder else ():
                is_own = each.receiver is not None and dotted(each.receiver) == holder
                if is_own and not self._scopes.find_targets(home, each.scope, holder):
                    yield each


class ModuleValues:
    """Finds the modules that are passed on as values, after which an object of unknown type may be one of them."""

    def __init__(self, scopes: NameResolver, inference: Inference, importers: Callable[[str], Iterable[str]]) -> None:
        self._scopes = scopes
        self._source = scopes.source
        self._inference = inference
        self._importers = importers

    def may_have_members(self, home: str) -> bool:
        """Return whether strings may name members of a file's module: not if the module is only accessed by members."""
        return not self._scopes.spec(home).module_values or self.is_passed(home)

    @cached_method
    def is_passed(self, home: str) -> bool:
        """Return whether the module of a file is passed on as a value, or loaded by a string with its name.

        An import whose path is not found may import it, too.
        """
        if any(found.name == "" and found.alias for _, found in self._scopes.modules.list_unlocated(home)):
            return True
        parts = f".{home.rpartition('.')[0].replace('/', '.')}."
        loaded = self._collect_loaded(self._scopes.spec(home).module_loaders)
        return any(f".{each}." in parts for each in loaded) or self.get_place(home) is not None

    @cached_method
    def is_member_passed(self, variable: Variable) -> bool:
        """Return whether a module that has a variable as a member is passed on: its own, or one that exports it again.

        `export * from './list'` in a module that is then given away as a whole (`shop.tools = { ...tools }`) does so.
        """
        if self.is_passed(variable.file):
            return True
        if not self._scopes.spec(variable.file).module_values:
            return False
        homes = [variable.file]
        for home in homes:
            files = (each for each in self._importers(home) if each not in homes)
            homes += (each for each in dict.fromkeys(files) if self._offers(each, variable))
        return any(map(self.is_passed, homes[1:]))

    def _offers(self, file: str, variable: Variable) -> bool:
        """Return whether the module of a file has a variable of another file as a member of the same name."""
        return variable in self._scopes.find_member(Module(file), variable.name)

    @cached_method
    def is_held(self, variable: Variable) -> bool:
        """Return whether an object other than its module may have a variable of a file as a member with its name.

        It is a key there (`{ open }`), is given to one (`app.open = open`), or what its module returns is given to one
        under its name (`app.Job = require('./job')(app)`), as may be what the function around it returns
        (`root.Job = factory()`).
        """
        file, name = variable.file, variable.name
        if not self._scopes.spec(file).module_names:
            return False
        uses = self._source.uses(file)
        own = {b.value.index for b in uses.bindings.get(EXPORT_EQUALS, ()) if b.value.kind is ExpressionKind.OBJECT}
        keys = (each for each in uses.bindings.get(name, ()) if each.scope not in own and is_shorthand(each))
        if any(variable in self._scopes.follow(structs.replace(variable, scope=each.scope)) for each in keys):
            return True
        word = re.escape(name)
        given = re.compile(rf"(?P<to>\w*)\.{word}\s*=\s*{word}(?![\w$.(])")
        text = self._source.read_text(file)
        if any(variable.scope or each["to"] != "exports" for each in given.finditer(text)):
            return True
        made = re.compile(rf"\.{word}\s*=\s*[\w$.]+\(") if variable.scope else NEVER
        if made.search(text) is not None and re.search(rf"\breturn\s+{word}\b", text) is not None:
            return True
        loaded = re.compile(rf"\.{word}\s*=\s*require\s*\(")
        others = (each for each in self._source.files_with_word(name) if each != file and self._source.has_file(each))
        files = (each for each in others if self._scopes.spec(each).module_names)
        return any(loaded.search(self._source.read_text(each)) is not None for each in files)

    @cached_method
    def get_place(self, home: str) -> tuple[str, int] | None:
        """Return the first place that passes the module of a file on as a value, or None."""
        return next(self.iter_places(home), None)

    def iter_places(self, home: str) -> Iterator[tuple[str, int]]:
        """Yield the places that pass the module of a file on as a value, instead of accessing a member of it."""
        files = dict.fromkeys(self._importers(home)) if self._scopes.spec(home).module_values else ()
        return ((file, line) for file in files for line in self._iter_passed(file, home))

    @cached_method
    def _collect_loaded(self, loaders: tuple[str, ...]) -> frozenset[str]:
        """Return the names of modules that are passed as text to one of the loader functions."""
        read, having = self._source.read_text, self._source.files_with_word
        found = (name for each in loaders for file in having(each) for name in _iter_loaded(read(file), each))
        return frozenset(name.replace("/", ".") for name in found)

    def _iter_passed(self, file: str, home: str) -> Iterator[int]:
        """Yield the lines on which a file passes the imported module of another file on as a value."""
        uses, lines = self._source.uses(file), self._source.read_lines(file)
        places: list[tuple[int, int]] = []
        for found in self._source.facts(file).imports:
            if found.name != "*" and self._is_module(self._scopes.find_imported(file, found), home):
                if not found.alias.isidentifier():
                    places.append((found.line, found.column))
                read = (each for each in uses.references.get(found.alias, ()) if each.kind is ReferenceKind.READ)
                places += [(each.line, each.column) for each in read if not each.is_import]
        name = stem_of(home)
        for each in uses.references.get(name, ()):
            if each.receiver is None or each.kind is not ReferenceKind.READ:
                continue
            if self._is_module(self._inference.infer(value_of(each), file, each.scope, each.line), home):
                places.append((each.line, each.column))
        yield from (line for line, column in places if not _is_taken_apart(lines, line, column))

    def _is_module(self, found: Iterable[object], home: str) -> bool:
        return any(isinstance(each, Module) and each.file == home for each in found)


def _is_taken_apart(lines: list[str], line: int, column: int) -> bool:
    """Return whether the expression at a location is only used to access a member: `m.x`, `{ x } = m`."""
    before, after = lines[line - 1][:column], "\n".join((lines[line - 1][column:], *lines[line : line + 1]))
    return _TAKING.match(after) is not None or _TAKEN_APART.search(before) is not None
