"""Find uses of macros whose bodies contain a name that a change removed.

The names in a macro's body are looked up where the macro is used, so the compiler reports a missing one there. The
arguments of a macro may be dropped, joined to other text or quoted, by the macro itself or by one that it passes them
to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.model.cached_method import cached_method
from avionics.index.model.values import Variable
from avionics.index.references.macro_mentions import NOT_CODE
from avionics.index.verdicts.comparison import VersionPair
from avionics.index.verdicts.notes import is_defined
from avionics.index.verdicts.suppression import is_excused
from avionics.late_pattern import late_pattern
from avionics.model.enums import ReferenceKind, SymbolKind
from avionics.model.facts import Reference
from avionics.model.knowledge import Definition

_MAX_MACROS = 500
"""The maximum number of macros, followed from one macro, that expand to it."""

_HEAD = late_pattern(r"\s*+#\s*+define\s++\w++(?>(?:\(([^()]*+)\))?)")
_WORD = late_pattern(r"\w+")
_TOKEN = late_pattern(r"\w+|->|\#\#|\S")
_NOT_DECLARING = frozenset({"return", "else", "do", "case", "sizeof", "goto", "throw", "typeof", "in", "and", "or"})
_MAX_LINES = 12
"""The maximum number of lines above a name in which a call with the name as an argument may begin."""


class Macro(Struct, frozen=True):
    """The parameters and the words of one definition of a macro."""

    parameters: frozenset[str]
    words: tuple[str, ...]


class MacroArguments:
    """Finds how the macros of one version use their arguments."""

    def __init__(self, code: CodeIndex) -> None:
        self._code = code
        self._keeping: dict[str, bool] = {}

    def is_changed(self, lines: Sequence[str], place: tuple[str, int, int]) -> bool:
        """Return whether a name is an argument of a macro that may drop it, join it to another name or quote it."""
        file, number, column = place
        if not self._code.resolver.scopes.spec(file).linkage:
            return False
        start = number - 1
        while start and number - start < _MAX_LINES and not lines[start - 1].rstrip().endswith((";", "{", "}")):
            start -= 1
        above = [line.removesuffix("\\") for line in lines[start : number - 1]]
        words = _read_words("\n".join((*above, lines[number - 1][:column])))
        return not self.is_kept(words, len(words))

    def is_kept(self, words: Sequence[str], at: int) -> bool:
        """Return whether a word of a text remains after the macros around it are expanded."""
        depth = 0
        for index in range(at - 1, -1, -1):
            depth += {")": 1, "(": -1}.get(words[index], 0)
            if depth < 0:
                depth = 0
                if index and not self._keeps_arguments(words[index - 1]):
                    return False
        return True

    def _keeps_arguments(self, name: str) -> bool:
        """Return whether a name is not a macro, or a macro whose text contains each of its arguments unchanged."""
        if name not in self._keeping:
            self._keeping[name] = False  # A macro is not expanded within itself.
            self._keeping[name] = all(map(self._is_keeping, self.read(name)))
        return self._keeping[name]

    def _is_keeping(self, macro: Macro) -> bool:
        kept = {
            word
            for at, word in enumerate(macro.words)
            if word in macro.parameters and _is_use(macro.words, at) and self.is_kept(macro.words, at)
        }
        return kept == macro.parameters and "#" not in macro.words and "##" not in macro.words

    @cached_method
    def read(self, name: str) -> tuple[Macro, ...]:
        """Return the definitions of a macro."""
        return tuple(self.parse(each) for each in self._code.iter_named(name) if each.kind is SymbolKind.MACRO)

    def parse(self, definition: Definition) -> Macro:
        """Parse one definition of a macro."""
        text = "\n".join(line.removesuffix("\\") for line in self._code.read_definition(definition).split("\n"))
        head = _HEAD.match(text)
        if head is None:
            return Macro(frozenset(), ())
        return Macro(frozenset(_WORD.findall(head[1] or "")), _read_words(text[head.end() :]))

    def uses(self, macro: Macro, name: str) -> bool:
        """Return whether a macro's text uses a name, always unchanged and not as a member or its own variable."""
        indices = [index for index, word in enumerate(macro.words) if word == name]
        if not indices or name in macro.parameters:
            return False
        return all(_is_use(macro.words, index) and self.is_kept(macro.words, index) for index in indices)


class BrokenText(Struct, frozen=True):
    """A use of a macro whose body contains a removed name.

    Attributes:
        was: The removed definition.
        macro: The macro whose text contains the name; the macro that is used may be another one that expands to it.
        place: File, line and column of the use.
        is_certain: Whether no macro around the use may drop or change it.
    """

    name: str
    was: Definition
    macro: Definition
    place: tuple[str, int, int]
    is_certain: bool


class MacroTexts:
    """Finds the uses of macros that one change breaks."""

    def __init__(self, pair: VersionPair) -> None:
        self._pair = pair
        self._after = pair.after.resolver
        self._arguments = MacroArguments(pair.after)

    def iter_broken(self) -> Iterator[BrokenText]:
        """Yield the uses of macros that expand to a name without a definition."""
        for name, was in self._iter_gone():
            for macro in self._find_naming(name):
                for leading in self._find_leading(macro):
                    yield from self._check_uses(name, was, macro, leading)

    def _iter_gone(self) -> Iterator[tuple[str, Definition]]:
        """Yield the macros and functions that files of the language no longer define or declare."""
        before = self._pair.before
        for name, places in self._pair.gone.items():
            for each in places:
                if each.holder or not before.resolver.scopes.spec(each.file).linkage:
                    continue
                was = before.graph.get_definition(Variable(each.file, 0, each.name))
                is_left = was is None or is_defined(self._pair, name)
                if was is not None and not is_left and was.kind in {SymbolKind.MACRO, SymbolKind.FUNCTION}:
                    yield name, was
                    break

    def _find_naming(self, name: str) -> tuple[Definition, ...]:
        """Return the macros whose bodies contain a name unchanged."""
        code = self._pair.after
        found = []
        for file in code.files_with_word(name):
            if not self._after.scopes.spec(file).linkage:
                continue
            for each in code.iter_definitions(file):
                may_name = name in each.symbol.signature or "…" in each.symbol.signature
                is_other = each.kind is SymbolKind.MACRO and each.name != name and may_name
                if is_other and self._arguments.uses(self._arguments.parse(each), name):
                    found.append(each)
        return tuple(each for each in found if self._is_only(each, found))

    def _is_only(self, macro: Definition, naming: list[Definition]) -> bool:
        """Return whether every macro of that name contains the removed name, so that each of its uses does."""
        known = {(each.file, each.index) for each in naming}
        return all((each.file, each.index) in known for each in self._pair.after.iter_named(macro.name))

    def _find_leading(self, macro: Definition) -> tuple[Definition, ...]:
        """Return a macro and the macros whose bodies expand to it, directly or not."""
        found, pending = {macro.name: macro}, [macro]
        while pending and len(found) < _MAX_MACROS:
            for each in self._find_naming(pending.pop().name):
                if each.name not in found:
                    found[each.name] = each
                    pending.append(each)
        return tuple(found.values())

    def _check_uses(self, name: str, was: Definition, macro: Definition, leading: Definition) -> Iterator[BrokenText]:
        """Yield the uses of a macro outside the bodies of other macros."""
        code = self._pair.after
        for file in self._pair.list_files_with(leading.name, (leading.file,)):
            if not self._pair.readable.get(file, True) or not self._after.scopes.spec(file).linkage:
                continue
            for reference in code.uses(file).references.get(leading.name, ()):
                place = (file, reference.line, reference.column)
                if not self._means(file, reference, leading) or not self._is_lost(file, reference, name):
                    continue
                texts = code.read_lines(file)
                if not is_excused(texts, place, leading.name):
                    is_certain = not self._arguments.is_changed(texts, place)
                    is_certain = is_certain and not self._pair.may_be_of_system(place, [was])
                    yield BrokenText(name, was, macro, place, is_certain)

    def _means(self, file: str, reference: Reference, macro: Definition) -> bool:
        """Return whether a reference expands a macro."""
        takes_arguments = f"{macro.name}(" in macro.symbol.signature
        if reference.receiver is not None or (takes_arguments and reference.kind is not ReferenceKind.CALL):
            return False
        targets = self._after.resolve(file, reference).targets
        meant = [self._pair.after.graph.get_definition(each) for each in targets if isinstance(each, Variable)]
        return bool(meant) and all(each is not None and each.kind is SymbolKind.MACRO for each in meant)

    def _is_lost(self, file: str, reference: Reference, name: str) -> bool:
        """Return whether the name referred to the removed definition where the macro is used, and is unresolved now."""
        if self._after.scopes.find_targets(file, reference.scope, name):
            return False
        previous, scope = self._pair.scope_before(file, reference.scope)
        had = self._pair.before.resolver.scopes.find_targets(previous, scope, name) if previous else ()
        gone = {each.file for each in self._pair.gone[name]}
        return any(isinstance(each, Variable) and each.file in gone for each in had)


def _read_words(text: str) -> tuple[str, ...]:
    """Return the words and marks of code, without comments and literals."""
    return tuple(_TOKEN.findall(NOT_CODE.sub(" ", text)))


def _is_use(words: Sequence[str], at: int) -> bool:
    """Return whether a word of a macro's text is a use of a name, not a declaration, a member or a part of a name."""
    above, below = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
    first = next((word for word in reversed(words[:at]) if word != "*"), "")
    is_declared = first.isidentifier() and first not in _NOT_DECLARING
    return not is_declared and above not in {".", "->", "#", "##"} and below != "##"
