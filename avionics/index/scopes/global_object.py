"""Find the properties of the global object (`window`, `globalThis`), which every file can use as bare names.

TypeScript declares its properties in the interfaces that ambient files merge (`declare global { interface Window … }`,
https://www.typescriptlang.org/docs/handbook/declaration-merging.html). JavaScript assigns them anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from avionics.index.facts.fact_source import FactSource
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.cached_method import cached_method
from avionics.index.model.values import Module, Target, Variable
from avionics.index.modules.import_resolver import Modules
from avionics.index.scopes.script_globals import ScriptGlobals
from avionics.syntax.registry import require_spec

_NAME = "globalThis"
_NAMES_THRESHOLD = 32
"""For more names it is faster to read every file that names the global object than to look up the files of each."""


class GlobalObject:
    """The properties of the global object that a snapshot declares or assigns."""

    def __init__(
        self,
        source: FactSource,
        modules: Modules,
        find_member: Callable[[Module, str], tuple[Target, ...]],
        scripts: ScriptGlobals,
    ) -> None:
        self._source = source
        self._modules = modules
        self._find_member = find_member
        self._scripts = scripts
        self._properties: dict[tuple[str, str], tuple[Target, ...]] = {}
        self._assigned: dict[str, bool] = {}
        self._all_assigned: dict[frozenset[str], frozenset[str]] = {}

    def get(self, file: str, name: str) -> Module | None:
        """Return the global object if an unbound name of a file means it (`window`), else None."""
        spec = require_spec(self._source.facts(file).language)
        if name not in spec.global_objects:
            return None
        return Module("", name=_NAME, system=spec.module_system, seen_from=file)

    def is_global(self, module: Module) -> bool:
        """Return whether a module is the global object."""
        return module.name == _NAME and bool(module.seen_from)

    def find(self, file: str, name: str) -> tuple[Target, ...]:
        """Return the targets of a property of the global object: a member of its interfaces, or an ambient name."""
        interfaces = require_spec(self._source.facts(file).language).global_interfaces
        found: list[Target] = []
        for module in self._modules.ambient(file) if interfaces else ():
            if module.file.startswith(STUBS):
                continue
            found.extend(self._members(module.file, name))
            found.extend(self._find_member(module, name))
        return tuple(dict.fromkeys(found)) or self._scripts.find(file, name)

    def find_property(self, file: str, name: str) -> tuple[Target, ...]:
        """Return the members of the global object's interfaces that an unbound name may refer to."""
        language = self._source.facts(file).language
        found = self._properties.get((language, name))
        if found is None:
            # Languages with such interfaces have the same ambient files everywhere.
            ambient = self._modules.ambient(file) if require_spec(language).global_interfaces else ()
            paths = [module.file for module in ambient if not module.file.startswith(STUBS)]
            found = self._properties[language, name] = tuple(
                each for path in paths for each in self._members(path, name)
            )
        return found

    def declares(self, variable: Variable) -> bool:
        """Return whether a variable is a member of an interface of the global object."""
        return variable in self._members(variable.file, variable.name)

    def _members(self, file: str, name: str) -> tuple[Variable, ...]:
        """Return the members of that name of the interfaces of the global object that a file declares."""
        uses, facts = self._source.uses(file), self._source.facts(file)
        interfaces = require_spec(facts.language).global_interfaces
        found = dict.fromkeys(
            Variable(file, binding.scope, name)
            for binding in uses.bindings.get(name, ())
            if (symbol := uses.scopes[binding.scope].symbol) >= 0 and facts.symbols[symbol].qualname in interfaces
        )
        return tuple(found)

    def is_assigned(self, file: str, name: str) -> bool:
        """Return whether any file assigns a property of that name to the global object, or declares it in a script."""
        if self._scripts.may_declare(file, name):
            return True
        objects = require_spec(self._source.facts(file).language).global_objects
        if name not in self._assigned and len(self._assigned) < _NAMES_THRESHOLD:
            holding = self._list_holding(objects).intersection(self._source.files_with_word(name)) if objects else ()
            self._assigned[name] = any(name in self._list_assigned(objects, path) for path in holding)
        if name in self._assigned:
            return self._assigned[name]
        if objects not in self._all_assigned:
            every = (self._list_assigned(objects, path) for path in self._list_holding(objects))
            self._all_assigned[objects] = frozenset().union(*every)
        return name in self._all_assigned[objects]

    def _list_holding(self, objects: frozenset[str]) -> set[str]:
        """Return the files that name the global object."""
        return {path for each in objects for path in self._source.files_with_word(each)}

    @cached_method
    def _list_assigned(self, objects: frozenset[str], path: str) -> frozenset[str]:
        """Return the names of the properties that a file assigns to the global object."""
        pattern = re.compile(
            rf"\b(?:{'|'.join(sorted(objects))})(?:\s+as\s+\w+\))?\s*\??(?:\.\s*|\[\s*['\"])"
            r"([\w$]+)(?:['\"]\s*\])?\s*(?:[-+*/|&?]{0,2}=)(?![=>])"
        )
        return frozenset(pattern.findall(self._source.read_text(path)))
