"""The specifications of the languages of files, by path."""

from __future__ import annotations

from avionics.index.facts.fact_source import FactSource
from avionics.syntax.registry import require_spec
from avionics.syntax.spec import LanguageSpec


class SpecsOfFiles(dict[str, LanguageSpec]):
    """The specification of each file's language, which is asked for at every step and must cost no call of Python."""

    def __init__(self, source: FactSource) -> None:
        super().__init__()
        self._source = source

    def __missing__(self, file: str) -> LanguageSpec:
        found = self[file] = require_spec(self._source.facts(file).language)
        return found
