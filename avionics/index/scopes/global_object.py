"""The global object: `window`, `globalThis`, and the names that its properties declare in all files.

TypeScript declares its properties in the interfaces that ambient files merge (`declare global { interface Window … }`,
https://www.typescriptlang.org/docs/handbook/declaration-merging.html). JavaScript assigns them anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from avionics.index.facts.fact_source import FactSource
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.values import Module, Target, Variable
from avionics.index.modules.import_resolver import Modules
from avionics.syntax.registry import require_spec

_NAME = "globalThis"


class GlobalObject:
    """The properties of the global object that a snapshot declares or assigns."""

    def __init__(
        self, source: FactSource, modules: Modules, find_member: Callable[[Module, str], tuple[Target, ...]]
    ) -> None:
        self._source = source
        self._modules = modules
        self._find_member = find_member
        self._assigned: dict[str, bool] = {}

    def get(self, file: str, name: str) -> Module | None:
        """Return the global object where an unbound name of a file means it, else None."""
        spec = require_spec(self._source.facts(file).language)
        return (
            Module("", name=_NAME, system=spec.module_system, seen_from=file) if name in spec.global_objects else None
        )

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
        return tuple(dict.fromkeys(found))

    def find_property(self, file: str, name: str) -> tuple[Target, ...]:
        """Return the members of the global object's interfaces that an unbound name may refer to."""
        interfaces = require_spec(self._source.facts(file).language).global_interfaces
        ambient = [module.file for module in self._modules.ambient(file) if interfaces]
        return tuple(each for path in ambient if not path.startswith(STUBS) for each in self._members(path, name))

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
        """Return whether any file assigns a property of that name to the global object."""
        if name not in self._assigned:
            objects = require_spec(self._source.facts(file).language).global_objects
            pattern = re.compile(
                rf"\b(?:{'|'.join(sorted(objects))})(?:\s+as\s+\w+\))?\s*\??(?:\.\s*|\[\s*['\"])"
                rf"{re.escape(name)}(?:['\"]\s*\])?\s*(?:[-+*/|&?]{{0,2}}=)(?![=>])"
            )
            holding = {path for each in objects for path in self._source.files_with_word(each)}
            files = holding.intersection(self._source.files_with_word(name)) if objects else ()
            self._assigned[name] = any(pattern.search(self._source.read_text(path)) for path in files)
        return self._assigned[name]
