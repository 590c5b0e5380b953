"""Recognize modules of which every name is known, so that any other name does not exist."""

from __future__ import annotations

from collections.abc import Iterable

from avionics.index.code_index import CodeIndex
from avionics.index.model.cached_method import cached_method
from avionics.index.model.values import ClassType, External, InstanceType, Module, SuperType
from avionics.index.verdicts.comparison import VersionPair
from avionics.index.verdicts.outside_bases import may_give, may_inherit
from avionics.model.enums import FUNCTIONS, SymbolKind, is_class
from avionics.model.facts import Import, Reference

_STAR = "*"
_NAMESPACES = frozenset({"globals", "vars", "locals", "setattr"})
"""Functions of Python through which a module may get names."""

_MODULE_LOOKUPS = ("modules", "import_module", "__import__", "getmodule", "reload")
"""Names with which Python code accesses a module that it does not import."""


class ClosedModules:
    """Tells whether modules of the version after a change show all their names."""

    def __init__(self, pair: VersionPair) -> None:
        self._pair = pair
        self._after = pair.after.resolver

    def is_closed(self, module: Module, name: str) -> bool:
        """Return whether the files of a module show that it does not have a name."""
        if module.inner:
            return self._is_inner_closed(module, name)
        if not module.file:
            return bool(module.directory or module.name or self._after.scopes.modules.files_of(module, ""))
        return not self._is_open(module) and self._pair.accounts_for(module.file, name)

    def _is_inner_closed(self, module: Module, name: str) -> bool:
        """Return whether a class or module within a file shows that it does not have a name."""
        code = self._pair.after
        files = (module.file,) if module.file else code.modules.files_of(module, module.inner[0])
        qualname = ".".join(module.inner)
        whole = (file for file in filter(code.has_file, files) if not code.facts(file).problems)
        read = [file for file in whole if not code.uses(file).is_partial]
        found = [each for file in read for each in code.find_qualified(file, qualname)]
        if len(found) != 1:
            return False
        (of,) = found
        if is_class(of.kind):
            lineage = code.resolver.inference.members.lineage(ClassType.of(of))
            return not may_inherit(code.resolver.scopes.spec(of.file), lineage, name)
        imports = code.facts(of.file).imports
        return not any(each.name == _STAR and of.symbol.span.contains(each.line) for each in imports)

    @cached_method
    def _is_open(self, module: Module) -> bool:
        """Return whether a file may have names that it does not show."""
        code, scopes = self._pair.after, self._after.scopes
        if not code.has_file(module.file) or scopes.has_dynamic_members(module) or code.uses(module.file).is_partial:
            return True
        if any(self._may_add_names(module.file, each) for each in code.uses(module.file).dynamic):
            return True
        facts = code.facts(module.file)
        lines = code.read_lines(module.file) if facts.problems else []
        if any(_STAR in line for each in facts.problems for line in lines[each.line - 1 : each.line]):
            return True  # The code that could not be parsed may import all names of another module.
        # Imports within a part of the file, such as `mod tests { use super::*; }`, bind no name of the file.
        inner = [each.span for each in facts.symbols if each.kind is SymbolKind.MODULE or each.kind in FUNCTIONS]
        stars = (each for each in facts.imports if each.name == _STAR)
        outer = (each for each in stars if not any(span.contains(each.line) for span in inner))
        return self.has_open_star(outer, module.file, {module.file})

    def _may_add_names(self, file: str, dynamic: Reference) -> bool:
        """Return whether a dynamic access may bind names in a file's module, as `globals()[name] = …` does."""
        code = self._pair.after
        if dynamic.receiver is None:
            is_local = dynamic.name in {"locals", "vars"} and dynamic.scope > 0
            return dynamic.name in _NAMESPACES and not is_local
        if dynamic.name not in _NAMESPACES:
            return False
        kinds = self._after.inference.infer(dynamic.receiver, file, dynamic.scope, dynamic.line)
        if kinds and all(isinstance(each, (InstanceType, ClassType, SuperType)) for each in kinds):
            return False
        # It changes the module only if the file obtains its own module object.
        if any(name in code.uses(file).references for name in _MODULE_LOOKUPS):
            return True
        found = (code.modules.find(each, file) for each in code.facts(file).imports)
        return any(isinstance(each, Module) and each.file == file for each in found)

    def has_open_star(self, imports: Iterable[Import], file: str, seen: set[str], name: str = "") -> bool:
        """Return whether a star import may bring names from outside the workspace, directly or through files.

        With `name`, only whether it may bring this name.
        """
        code = self._pair.after if self._pair.after.has_file(file) else self._pair.before
        for found in imports:
            if found.name != _STAR:
                continue
            module = code.modules.find(found, file)
            if isinstance(module, External) and self._is_lost_module(found, file):
                continue
            if not isinstance(module, External) and self._is_namespace(module):
                continue  # If the namespace lacks the name, it lacked it before, too.
            if name and isinstance(module, External) and not may_give(self._after.scopes.spec(file), module.name, name):
                continue
            if name and isinstance(module, Module) and module.inner and self._is_inner_closed(module, name):
                continue
            if isinstance(module, External) or not module.file:
                return True
            if module.file in seen:
                continue
            seen.add(module.file)
            if name and self._pair.made.may_make(module.file, name):
                return True
            further = code.facts(module.file).imports if code.has_file(module.file) else ()
            if self.has_open_star(further, module.file, seen, name):
                return True
        return False

    def passes_on(self, file: str, name: str) -> bool:
        """Return whether a file imports all names of a file that imports a name itself, directly or through others."""
        code = self._pair.after
        pending, seen = [file], {file}
        while pending:
            current = pending.pop()
            for found in code.facts(current).imports:
                module = code.modules.find(found, current) if found.name == _STAR else None
                home = module.file if isinstance(module, Module) and code.has_file(module.file) else ""
                if home and home not in seen:
                    if any(each.alias == name for each in code.facts(home).imports):
                        return True
                    seen.add(home)
                    pending.append(home)
        return False

    def _is_namespace(self, module: Module) -> bool:
        """Return whether a module is a namespace of workspace files that declare it: `namespace Shop;`."""
        files = () if module.file or module.inner else self._after.scopes.modules.files_of(module, "")
        return bool(files) and not self._after.scopes.spec(files[0]).linkage

    def _is_lost_module(self, found: Import, file: str) -> bool:
        """Return whether the module of an import was a file of the workspace that the change removed."""
        previous = self._pair.path_before(file)
        was = self._pair.before.modules.find(found, previous) if previous else None
        return isinstance(was, Module) and bool(was.file) and self._pair.path_after(was.file) != was.file


def is_declared_once(code: CodeIndex, of: ClassType, name: str) -> bool:
    """Return whether a namespace is the only definition of its name, so that no other declaration adds to it."""
    system = code.modules.system_of(of.file)
    named = (each for each in code.iter_named(name) if code.modules.system_of(each.file) is system)
    return [(each.file, each.index) for each in named] == [(of.file, of.symbol)]
