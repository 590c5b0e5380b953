"""Tell which names code already used before a change although nothing that is seen defines them.

Whatever runs such code defines them: a loader that sets attributes of plug-ins, the program in which a script runs.
"""

from __future__ import annotations

from functools import cache

from avionics.index.code_index import CodeIndex
from avionics.model.naming import as_written
from avionics.syntax.registry import get_language

_MAX_FILES = 60
"""The files that are read for a name; of more, those with the nearest paths."""


class UnseenNames:
    """The bare names of one version of the code that resolve to nothing."""

    def __init__(self, code: CodeIndex) -> None:
        self._code = code
        self.has = cache(self._has)

    def _has(self, name: str, file: str) -> bool:
        """Return whether a file, or another one in its language and near it, uses a bare name that nothing defines."""
        language = get_language(file)
        top = file.rpartition("/")[0]
        named = [each for each in self._code.files_with_word(as_written(name)) if self._code.has_file(each)]
        near = sorted(named, key=lambda each: (each != file, each.rpartition("/")[0] != top, each))[:_MAX_FILES]
        self._code.load_uses(near)
        return any(self._is_unbound(each, name) for each in near if get_language(each) == language)

    def _is_unbound(self, file: str, name: str) -> bool:
        scopes = self._code.resolver.scopes
        return any(
            scopes.get_variable(file, each.scope, name) is None and not scopes.find_targets(file, each.scope, name)
            for each in self._code.uses(file).references.get(name, ())
            if each.receiver is None
        )
