"""Decide which definitions a string that is a name or a dotted name may refer to.

Code can reach a definition by such a string if it has the module as an object, or loads the module by its name; the
module must then be passed on, or its name must be in some string. A dotted name that resolves to a definition is a use
of that definition.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from msgspec import Struct

from avionics.index.model.cached_method import cached_method
from avionics.index.model.file_roles import stem_of
from avionics.index.model.values import ClassType, External, Module, Target, Variable, as_class
from avionics.index.references.import_aliases import ModuleValues
from avionics.index.references.reference_resolver import Resolver
from avionics.late_pattern import late_pattern
from avionics.model.enums import BindingKind, ReferenceKind, is_class
from avionics.model.facts import UNKNOWN, Import, Reference
from avionics.model.knowledge import ModuleLink
from avionics.syntax.conventions import TextNames
from avionics.syntax.engine.expressions import dotted_name
from avionics.syntax.registry import conventions_of

_LAST = late_pattern(r"[.:]")


class _Text(Struct, frozen=True):
    """A string that is a name or a dotted one, and where it starts."""

    file: str
    path: str
    line: int
    column: int


class NamesInText:
    """Reads the strings of one snapshot, in languages whose modules are objects."""

    def __init__(
        self, resolver: Resolver, modules: ModuleValues, importers: Callable[[str], Iterable[ModuleLink]]
    ) -> None:
        self._resolver = resolver
        self._scopes = resolver.scopes
        self._source = resolver.scopes.source
        self._members = resolver.inference.members
        self._importers = importers
        self._modules = modules

    def may_mean(self, file: str, name: str, line: int, variable: Variable) -> bool:
        """Return whether a string on a line, in which a name occurs, may refer to a variable."""
        texts = conventions_of(file).implicit.text_names
        if texts is None or texts != conventions_of(variable.file).implicit.text_names:
            return True
        text, uses = self._source.read_line(file, line), self._source.uses(file)
        whole = [each for each in texts.whole.finditer(text) if _LAST.split(each["text"])[-1] == name]
        known = {each.end("text") - len(name) for each in whole}
        known |= {each.column for each in uses.references.get(name, ()) if each.line == line}
        known |= {each.column for each in uses.bindings.get(name, ()) if each.line == line}
        places = {each.start() for each in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)}
        # Another string that begins on the line, such as one that spans several lines, may be code.
        count = sum(each.get(name, ()).count(line) for each in (uses.strings, uses.keys))
        if len(whole) < count or not known.issuperset(places):
            return True
        # A string that is plain data names nothing.
        named = (each for each in whole if not each["data"])
        return any(self._may_refer(_Text(file, each["text"], line, each.start()), variable) for each in named)

    def _may_refer(self, text: _Text, variable: Variable) -> bool:
        """Return whether a string may refer to a variable: by its module, or if it is a member by any object."""
        *holders, name = parts = _LAST.split(text.path.lstrip(".:"))
        if holders and (targets := self._resolve(text.file, parts)):
            return variable in targets
        if not holders and (access := self._get_access(text)) is not None and self._is_owner_known(text.file, access):
            resolution = self._resolver.resolve(text.file, access)
            return variable in resolution.targets or resolution.unknown is not None
        if self._scopes.is_member(variable):
            return True
        if name == variable.name and self._may_be_registered(variable):
            return True
        if variable.scope:
            return self._has_namespace(variable.file)
        binding = self._list_binding(variable, name)
        if holders:
            return any(self._is_called(each, holders[-1]) for each in binding)
        return any(self._is_reachable(each) for each in binding)

    def _is_called(self, file: str, name: str) -> bool:
        """Return whether a name is the module name of a file, or an alias under which some file imports it."""
        if stem_of(file) == name:
            return True
        naming = (other for other in self._source.files_with_word(name) if self._source.has_file(other))
        given = ((other, each) for other in naming for each in self._source.facts(other).imports if each.alias == name)
        return any(Module(file) in self._scopes.find_imported(other, each) for other, each in given)

    def _get_access(self, text: _Text) -> Reference | None:
        """Return the member access that a call with the string makes: `a.b` for `getattr(a, "b")`; None without one."""
        lines = self._source.read_lines(text.file)[max(0, text.line - 3) : text.line]
        before = "\n".join((*lines[:-1], lines[-1][: text.column]))
        found = _ways_of(text.file).accessors.search(before)
        if found is None:
            return None
        line, column = text.line - before.count("\n", found.start("owner")), text.column
        calls = self._source.uses(text.file).references.get(found["call"], ())
        near = [each for each in calls if text.line - 3 < each.line <= line]
        if not near:
            return None
        scope = max(near, key=lambda each: (each.line, each.column)).scope
        return Reference(text.path, ReferenceKind.READ, text.line, column, scope, dotted_name(found["owner"]))

    def _is_owner_known(self, file: str, access: Reference) -> bool:
        """Return whether the types of an access's receiver are known: classes, their objects or modules."""
        owner = access.receiver or UNKNOWN
        owners = self._resolver.inference.infer(owner, file, access.scope, access.line)
        holders = list(map(as_class, owners))
        return bool(holders) and all(isinstance(each, (ClassType, Module)) for each in holders)

    def _resolve(self, file: str, parts: Sequence[str]) -> tuple[Target, ...]:
        """Return the targets of a dotted name in the workspace: a module or its members; () if there are none."""
        for count in range(len(parts) - 1, 0, -1):
            module, name = ".".join(parts[:count]), parts[count]
            holder = self._scopes.find_imported(file, Import(module, "", "", 0, 0))
            if not any(isinstance(each, Module) and each.file for each in holder):
                continue
            found = self._scopes.find_imported(file, Import(module, name, name, 0, 0))
            for member in parts[count + 1 :]:
                found = tuple(each for target in found for each in self._iter_members(target, member))
            return () if any(isinstance(each, External) for each in found) else found
        return ()

    def _iter_members(self, target: Target, name: str) -> Iterator[Target]:
        symbols = self._source.facts(target.file).symbols if isinstance(target, Variable) else ()
        for binding in self._scopes.bindings(target) if isinstance(target, Variable) else ():
            if isinstance(target, Variable) and binding.symbol >= 0 and is_class(symbols[binding.symbol].kind):
                found = self._members.find(ClassType(target.file, binding.symbol), name)
                yield from (found.variable,) if found is not None else ()

    def _may_be_registered(self, variable: Variable) -> bool:
        """Return whether a decorator, a base or a metaclass may register a function or class under its name."""
        symbols = self._source.facts(variable.file).symbols
        for each in self._scopes.bindings(variable):
            symbol = symbols[each.symbol] if each.symbol >= 0 else None
            if symbol is None or not (symbol.decorators or is_class(symbol.kind)):
                continue
            if symbol.decorators or self._may_list_subclasses(variable.file, each.symbol):
                return True
        return False

    def _may_list_subclasses(self, file: str, symbol: int) -> bool:
        """Return whether a base class or metaclass may look up a class by its name."""
        own = ClassType(file, symbol)
        lineage, implicit = self._members.lineage(own), conventions_of(file).implicit
        if lineage.is_open or not implicit.plain_bases.issuperset(lineage.externals):
            return True
        symbols = map(self._scopes.get_class_symbol, lineage.classes)
        if any(each is not None and "=" in each.signature for each in symbols):
            return True  # `class C(metaclass=M)`
        hooks = _ways_of(file).subclass_hooks
        is_listed = len(lineage.classes) > 1 and any(self._source.files_with_word(each) for each in hooks)
        return is_listed or any(self._members.own_member(of, hook) for of in lineage.classes for hook in hooks)

    def _list_binding(self, variable: Variable, name: str) -> list[str]:
        """Return the files whose modules bind a variable to a name: its own file and those that import it."""
        found = [variable.file] if name == variable.name else []
        for file in self._source.files_with_word(name):
            bindings = self._source.uses(file).bindings.get(name, ()) if file != variable.file else ()
            is_imported = any(each.kind is BindingKind.IMPORT and each.scope == 0 for each in bindings)
            if is_imported and variable in self._scopes.follow(Variable(file, 0, name)):
                found.append(file)
        return [*found, *self._list_star_importers(found)]

    def _list_star_importers(self, files: Sequence[str]) -> list[str]:
        """Return the files that star-import one of the files, directly or through others."""
        found, known = list(files), set(files)
        for home in found:
            taking = (each.file for each in self._importers(home) if "*" in each.names)
            more = [file for file in taking if file not in known]
            known.update(more)
            found += more
        return found[len(files) :]

    def _has_namespace(self, file: str) -> bool:
        return _ways_of(file).namespaces.search(self._source.read_text(file)) is not None

    @cached_method
    def _is_reachable(self, file: str) -> bool:
        """Return whether code may have the module of a file as an object, or load it by a string with its name."""
        is_known = self._modules.is_passed(file) or self._has_namespace(file)
        return is_known or self._is_named(file)

    def _is_named(self, file: str) -> bool:
        """Return whether the dotted name of a module is in a string, or its last part if code computes such names."""
        name = self._scopes.modules.dotted_name(file)
        parts = name.split(".")
        if self._is_written(name) or (self._loading and self._is_written(parts[-1])):
            return True
        packages = [".".join(parts[:count]) for count in range(1, len(parts))]
        return self._lists_modules and any(self._is_written(each, whole=True) for each in packages)

    @cached_property
    def _loading(self) -> frozenset[str]:
        """Return the files that load a module whose name is computed."""
        loaders = {each for file in self._source.files for each in self._scopes.spec(file).module_loaders}
        files = {file for loader in loaders for file in self._source.files_with_word(loader)}
        dynamic = ((file, each) for file in files for each in self._source.uses(file).dynamic)
        return frozenset(file for file, each in dynamic if each.name in loaders)

    @cached_property
    def _lists_modules(self) -> bool:
        """Return whether some file lists the modules of a package and loads them."""
        words = {word for file in self._loading for word in _ways_of(file).module_listings}
        return any(not self._loading.isdisjoint(self._source.files_with_word(word)) for word in words)

    @cached_method
    def _is_written(self, name: str, *, whole: bool = False) -> bool:
        """Return whether some string is the name of a module or, unless `whole`, of a definition in it."""
        files = self._source.files_with_word(_LAST.split(name)[-1])
        return any(self._writes(file, name, whole=whole) for file in files)

    def _writes(self, file: str, name: str, *, whole: bool) -> bool:
        uses = self._source.uses(file)
        within = () if whole else (f"{name}.", f"{name}:")
        return any(text == name or text.startswith(within) for text in (*uses.strings, *uses.keys))


def _ways_of(file: str) -> TextNames:
    return conventions_of(file).implicit.text_names or _NO_WAYS


_NO_WAYS = TextNames()
