"""Find the global names of JavaScript: scripts share what one declares at its top level or assigns undeclared.

A file is a script unless it is a module: https://developer.mozilla.org/docs/Web/JavaScript/Guide/Modules. A file that
tests for modules (`typeof module`) may be loaded as either.
"""

from __future__ import annotations

from collections.abc import Callable

from avionics.index.facts.fact_source import FactSource
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.cached_method import bounded_method, cached_method
from avionics.index.model.values import Variable
from avionics.late_pattern import late_pattern
from avionics.model.enums import ReferenceKind
from avionics.syntax.registry import require_spec
from avionics.syntax.spec import LanguageSpec

_ASSIGNED = late_pattern(r"[^\w$.]([\w$]++)(?=\s*+=(?![=>]))")
_EXPOSED = late_pattern(r"[\"'`/?:,.]([\w$]++)(?=[\"'`])")
_MAX_FILES = 4_000
"""Files whose words are kept, about 20 MB."""


class ScriptGlobals:
    """The global names of the scripts of one snapshot; `get_bound` returns the variable of a bare name in a scope."""

    def __init__(self, source: FactSource, get_bound: Callable[[str, int, str], Variable | None]) -> None:
        self._source = source
        self._get_bound = get_bound

    def find(self, file: str, name: str) -> tuple[Variable, ...]:
        """Return the variable of the only other script that declares an unbound name of a script; () if several do.

        A name that the language or a test runner defines is not looked up, because it may mean that definition.
        """
        spec = self._spec(file)
        if not spec.module_names or name in spec.builtin_names or not self.is_script(file):
            return ()
        declaring = self._list_declaring(spec.module_system, name)
        if len(declaring) != 1 or declaring[0] == file or self._spec(declaring[0]).is_in_pages:
            return ()
        return (Variable(declaring[0], 0, name),)

    def may_declare(self, file: str, name: str) -> bool:
        """Return whether another file may make an unbound name of a file global: it declares, assigns or exposes it."""
        spec = self._spec(file)
        if not spec.module_names or (name in spec.builtin_names and not self.is_script(file)):
            return False
        system = spec.module_system
        if self._list_declaring(system, name) or self._is_assigned(system, name):
            return True
        return name not in spec.builtin_names and self._is_exposed(system, name)

    @cached_method
    def is_script(self, file: str) -> bool:
        """Return whether all scripts share the top level of a file."""
        spec = self._spec(file)
        if not spec.module_names or file.startswith(STUBS):
            return False
        text = self._source.read_text(file)
        if spec.module_line is not None and spec.module_line.search(text):
            return False
        if spec.module_guard is not None and spec.module_guard.search(text):
            return True
        if any(each.module for each in self._source.facts(file).imports):
            return False
        uses = self._source.uses(file)
        unbound = [name for name in spec.module_names if self._get_bound(file, 0, name) is None]
        if any(name in uses.unread for name in unbound):
            return False
        named = (each for name in unbound for each in uses.references.get(name, ()) if each.receiver is None)
        return all(self._get_bound(file, each.scope, each.name) is not None for each in named)

    @cached_method
    def _list_declaring(self, system: str, name: str) -> tuple[str, ...]:
        """Return the scripts that declare a name at their top level."""
        found = dict.fromkeys(
            each.file
            for each in self._source.iter_named(name)
            if each.symbol.parent < 0 and self._uses_system(system, each.file)
        )
        bound = (file for file in found if self._get_bound(file, 0, name) is not None)
        return tuple(file for file in bound if self.is_script(file))

    @cached_method
    def _is_assigned(self, system: str, name: str) -> bool:
        """Return whether a file assigns a name that it does not declare (`x = 1`), which makes it global."""
        files = (each for each in self._source.files_with_word(name) if self._uses_system(system, each))
        return any(
            reference.kind is ReferenceKind.WRITE
            and reference.receiver is None
            and self._get_bound(file, reference.scope, name) is None
            for file in files
            if name in self._read_words(file)[0]
            for reference in self._source.uses(file).references.get(name, ())
        )

    @cached_method
    def _is_exposed(self, system: str, name: str) -> bool:
        """Return whether a string ends with a name, as a build's configuration that makes a module global has it."""
        files = (each for each in self._source.files_with_word(name) if self._uses_system(system, each))
        return any(name in self._read_words(each)[1] for each in files)

    @bounded_method(_MAX_FILES)
    def _read_words(self, file: str) -> tuple[frozenset[str], frozenset[str]]:
        """Return the words of a file before `=`, and those at the end of a string.

        A file is read once for all names: many are asked for, and most of them are in many files.
        """
        text = f"\n{self._source.read_text(file)}"
        return frozenset(_ASSIGNED.findall(text)), frozenset(_EXPOSED.findall(text))

    def _uses_system(self, system: str, file: str) -> bool:
        """Return whether a file belongs to the workspace and its language to a module system."""
        is_code = self._source.has_file(file) and not file.startswith(STUBS)
        return is_code and self._spec(file).module_system == system

    def _spec(self, file: str) -> LanguageSpec:
        return require_spec(self._source.facts(file).language)
