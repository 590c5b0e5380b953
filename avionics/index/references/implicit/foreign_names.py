"""Find uses of definitions whose names code spells otherwise.

Symbol loaders take computed names of C, Perl bindings write `A::B`, and PHP ignores the case of functions and classes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice, product

from avionics.index.facts.fact_source import FactSource
from avionics.index.references.ledger import SYMBOL_LOADERS
from avionics.index.scopes.name_resolver import NameResolver
from avionics.late_pattern import late_pattern
from avionics.model.enums import FUNCTIONS, SymbolKind, is_class
from avionics.model.facts import line_of
from avionics.model.knowledge import Definition
from avionics.model.naming import called
from avionics.model.reasons import Reason, ReasonKind

_COMPUTED = late_pattern(rf"\b(?:{'|'.join(SYMBOL_LOADERS)})\s?\([^,;()]{{1,100}},\s*+[A-Za-z_&*]")
"""A call of a loader whose second argument, the name, is not a string literal."""
_END = late_pattern(r'"_?([A-Za-z]\w{2,40})"')
"""A string that may be the last part of a name."""
_GLUE = (".xs", "/typemap", ".typemap")
"""Files that join C and Perl, in which `A::B` means the type `A__B` of C."""

_WORD_IN_NAME = late_pattern(r"[A-Z]?[a-z]+|[A-Z]+|[^A-Za-z]+")
_MAX_SPELLINGS = 128
"""The number of spellings of one name that are looked up; a name of seven words has as many."""


class ForeignNames:
    """Finds uses of C names that are computed, or spelled in the way of Perl, in the files of one snapshot."""

    def __init__(self, source: FactSource, scopes: NameResolver) -> None:
        self._source = source
        self._scopes = scopes

    def iter_reasons(self, definition: Definition) -> Iterator[Reason]:
        """Yield reasons for the first places that may use a definition without spelling its name."""
        symbol = definition.symbol
        if not self._scopes.spec(definition.file).linkage or symbol.parent >= 0:
            return
        if symbol.kind is SymbolKind.FUNCTION and not re.match(r"(?:\w+\s+)*static\b", symbol.signature):
            starts = (start for start in range(1, len(symbol.name)) if symbol.name[start - 1] == "_")
            ends = (symbol.name[start:] for start in starts)
            if (end := next((each for each in ends if each in self._ends), "")) != "":
                yield Reason(ReasonKind.BUILT_NAME, place=self._ends[end])
        if "__" in symbol.name.strip("_") and (place := self._get_glued(symbol.name)) is not None:
            yield Reason(ReasonKind.UNREAD_LANGUAGE, place=place)

    @cached_property
    def _ends(self) -> Mapping[str, tuple[str, int]]:
        """Return string in a file that loads symbols by computed names → its first place."""
        found: dict[str, tuple[str, int]] = {}
        for file in dict.fromkeys(each for word in SYMBOL_LOADERS for each in self._source.files_with_word(word)):
            text = self._source.read_text(file) if self._scopes.spec(file).linkage else ""
            for match in _END.finditer(text) if _COMPUTED.search(text) is not None else ():
                found.setdefault(match[1], (file, line_of(text, match.start())))
        return found

    def _get_glued(self, name: str) -> tuple[str, int] | None:
        """Return the first place of a type's name (`A::B` for `A__B`) in a file that binds C to Perl, or None."""
        written = re.compile(rf"\b{re.escape(name.replace('__', '::'))}\b(?!::)")
        for file in sorted(self._source.count_word(name.rpartition("__")[2])):
            text = self._source.read_text(file) if f"/{file}".endswith(_GLUE) else ""
            if (match := written.search(text)) is not None:
                return file, line_of(text, match.start())
        return None


class OtherCases:
    """Finds uses of functions and classes in other letter case, in languages that ignore it."""

    def __init__(self, source: FactSource, scopes: NameResolver) -> None:
        self._source = source
        self._scopes = scopes

    def iter_reasons(self, definition: Definition) -> Iterator[Reason]:
        """Yield the first place where code spells a definition as no definition is spelled.

        Only spellings that begin each word of the name with a capital letter or do not are looked up, and those in
        small and in capital letters.
        """
        is_function = definition.kind in FUNCTIONS
        if not self._scopes.spec(definition.file).ignores_case or not (is_function or is_class(definition.kind)):
            return
        language = self._source.facts(definition.file).language
        for spelling in _list_other_cases(definition.name):
            if next(self._source.iter_named(spelling), None) is not None:
                continue
            used = called(spelling) if is_function else spelling
            for file in self._source.files_with_word(spelling):
                is_read = self._source.facts(file).language == language
                found = self._source.uses(file).references.get(used) if is_read else None
                if found:
                    yield Reason(ReasonKind.OTHER_NAME, place=(file, found[0].line), subject=spelling)
                    return


def _list_other_cases(name: str) -> list[str]:
    """Return the likely spellings of a name in other letter case."""
    choices = [dict.fromkeys((word, word.lower(), word.capitalize())) for word in _WORD_IN_NAME.findall(name)]
    spellings = {"".join(each) for each in islice(product(*choices), _MAX_SPELLINGS)}
    return sorted((spellings | {name.lower(), name.upper()}) - {name})
