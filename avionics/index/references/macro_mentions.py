"""Find the mentions of a macro in C and C++ that were recorded as something else, or not at all.

A macro has no scope: its name is replaced wherever the code has it. What was read as a name of another kind, and what
was passed over because the code is invalid without its macros, may use it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.values import Variable
from avionics.index.references.reference_resolver import Resolver
from avionics.model.enums import SymbolKind
from avionics.model.knowledge import Definition, UnresolvedUse
from avionics.model.naming import fold_name
from avionics.model.reasons import Reason, ReasonKind

_CODE_NOT_READ = Reason(ReasonKind.CODE_NOT_READ)
_TEXT = re.compile(
    r'//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*+"|\'(?:[^\'\\\n]|\\.)*+\''
    r"|^[ \t]*#[ \t]*include[^\n]*+",
    re.MULTILINE | re.DOTALL,
)
"""Comments, strings and the names of headers."""
_MAX_FILES = 200

Place = tuple[str, int, int]


class MacroMentions:
    """Finds the mentions of macros."""

    def __init__(self, source: FactSource, resolver: Resolver) -> None:
        self._source = source
        self._resolver = resolver

    def find(self, definition: Definition, known: Collection[Place]) -> Iterator[UnresolvedUse]:
        """Yield the places in code that may use a macro.

        Args:
            definition: A definition; there are none unless it is a macro.
            known: The places that define it, use it or may use it.
        """
        scopes = self._resolver.scopes
        if definition.kind is not SymbolKind.MACRO or not scopes.spec(definition.file).linkage:
            return
        name = definition.name
        there = {file for file, _, _ in known}
        files = sorted(
            file
            for file, count in self._source.count_word(name).items()
            if self._source.has_file(file)
            and scopes.spec(file).linkage
            and count > sum(place[0] == file for place in known)
        )
        files = files[:_MAX_FILES]
        self._source.load_uses(files)
        # What a file that sees the macro takes for a member is replaced too.
        seeing = scopes.modules.system_of(definition.file).sight((definition.file,), files) or ()
        for file in files:
            uses = self._source.uses(file)
            if file not in there and file not in seeing and name in uses.references and name not in uses.bindings:
                continue
            for line, column in _iter_in_code(name, self._source.read_text(file)):
                if (file, line, column) not in known and not self._is_of_other_macro(file, name, line, column):
                    yield UnresolvedUse(file, line, column, _CODE_NOT_READ)

    def iter_pasting(self, definition: Definition) -> Iterator[Reason]:
        """Yield the place of a part from which a macro may put the name of a definition together.

        That is a word that is the start of the name up to an underscore, or its end from one, and that nothing binds:
        `json_` in `#define API(name) json_ ## name` and in `CONCAT(json_, type)`.
        """
        name = definition.name
        if not self._resolver.scopes.spec(definition.file).linkage:
            return
        inner = [at for at in range(1, len(name) - 1) if name[at] == "_"]
        for part in (*(name[: at + 1] for at in inner), *(name[at:] for at in inner)):
            place = self._get_part(part) if part.strip("_") else None
            if place is not None:
                yield Reason(ReasonKind.PASTED_PART, place=place, subject=part)
                return

    def _get_part(self, part: str) -> tuple[str, int] | None:
        """Return the first place where a word is joined to others, or may be; None for a name like any other."""
        source, spec = self._source, self._resolver.scopes.spec
        files = [file for file in source.files_with_word(part) if spec(file).linkage]
        if not files:
            return None
        folded = fold_name(part)
        named = source.summaries.symbols_named(folded, source.files_defining(folded))
        is_defined = any(symbol.name == part for symbols in named.values() for _, symbol in symbols)
        joined = re.compile(rf"##\s{{0,99}}\b{re.escape(part)}\b|\b{re.escape(part)}\b\s{{0,99}}##")
        for file in files[:_MAX_FILES]:
            text = source.read_text(file)
            found = joined.search(text)
            if found is not None:
                return file, text.count("\n", 0, found.start()) + 1
            if not is_defined and part not in source.uses(file).bindings:
                place = next(_iter_in_code(part, text), None)
                if place is not None:
                    return file, place[0]
        return None

    def _is_of_other_macro(self, file: str, name: str, line: int, column: int) -> bool:
        """Return whether another macro of the name is defined or used at a place."""
        symbols = self._source.facts(file).symbols
        if any((each.line, each.column) == (line, column) and each.kind is SymbolKind.MACRO for each in symbols):
            return True
        for reference in self._source.uses(file).references.get(name, ()):
            if (reference.line, reference.column) == (line, column):
                targets = self._resolver.resolve(file, reference).targets
                return bool(targets) and all(isinstance(each, Variable) and self._is_macro(each) for each in targets)
        return False

    def _is_macro(self, variable: Variable) -> bool:
        symbols = self._source.facts(variable.file).symbols
        bindings = self._resolver.scopes.bindings(variable)
        return any(each.symbol >= 0 and symbols[each.symbol].kind is SymbolKind.MACRO for each in bindings)


def _iter_in_code(name: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of a word outside comments and strings."""
    code = _TEXT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    word = re.compile(rf"\b{re.escape(name)}\b")
    for number, line in enumerate(code.split("\n"), 1):
        for found in word.finditer(line):
            yield number, found.start()
