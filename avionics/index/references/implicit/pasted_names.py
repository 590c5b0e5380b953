"""Find the macros of C and C++ that may build a name with `##`, so that code can use it without spelling it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property, partial
from itertools import chain

from msgspec import Struct

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.cached_method import cached_method
from avionics.index.references.macro_mentions import (
    DEFINE,
    HEADER,
    WORD,
    MacroParameter,
    iter_in_code,
    list_macros,
    read_arguments,
    read_parameters,
)
from avionics.index.scopes.name_resolver import NameResolver
from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.model.facts import line_of
from avionics.model.knowledge import Definition
from avionics.model.naming import fold_name
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.registry import conventions_of

_MAX_FILES = 200
_MAX_JOINING_FILES = 4_000
"""The maximum number of files that are searched for macros that join names."""
_MAX_GIVING_MACROS = 200
_MAX_WORDS = 20_000
_MAX_PIECES = 3
_MIN_JOINED = 2
_DEFINED = late_pattern(r"[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)\n]*\))?")
_INCLUDED = late_pattern(r"^[ \t]*#[ \t]*include[ \t]*[\"<](?:[^\">\n]*/)?([^\">/\n]+)[\">]", re.MULTILINE)
_NOT_GIVEN = late_pattern(r"[ \t]*#[ \t]*(?!define[ \t]+\w)\w")
"""Matches the start of a directive in which a macro's name is not a call: its own definition, `#ifdef`."""
_TOKEN = late_pattern(r'"(?>(?:[^"\\\n]++|\\.)*)"|##|\w+|[^\s\w\\]')
_OPEN_CALL = late_pattern(r"\b([A-Z][A-Z0-9_]+)\s?\([^();{}]*\Z")
"""An open call of a macro at the end of a text; the name of a macro is in capital letters."""
_MAX_BEFORE = 200
_WHOLE_ARGUMENT = late_pattern(r"\s*+[,)]")
"""The text after a whole argument of a call."""
_WITHIN = late_pattern(r"(?<=[^\W_])_|(?<=[a-z0-9])(?=[A-Z])")
"""The end of a word within a name: before `_` or a capital letter."""
_MAX_WITHIN = 8
_MIN_STEM = 3
_NO_VALUES = frozenset({SymbolKind.CLASS, SymbolKind.ENUM, SymbolKind.TYPE, SymbolKind.MODULE})
_ENCLOSING_CALL = late_pattern(r"\b(\w+)\s?\(")


class _Joining(Struct, frozen=True):
    """A macro that joins names; `chains` are the words and parameters that it joins, in order."""

    name: str
    chains: tuple[tuple[str | MacroParameter, ...], ...]


class PastedNames:
    """Finds the macros that may join a name from parts (`a ## b`)."""

    def __init__(self, source: FactSource, scopes: NameResolver) -> None:
        self._source = source
        self._scopes = scopes

    def iter_reasons(self, definition: Definition) -> Iterator[Reason]:
        """Yield the first macro that may join the name of a definition, or the first part that it may be joined from.

        A part is the start of the name up to an underscore, or its end from one, as an unbound word: it may be passed
        to a macro outside the workspace, as in `CONCAT(json_, type)`.
        """
        name = definition.name
        if not self._scopes.spec(definition.file).linkage:
            return
        for macro in self._joining:
            list_given = partial(self._list_given, macro.name)
            if any(_may_join(name, chain, list_given) for chain in macro.chains):
                yield Reason(ReasonKind.PASTED_NAME, subject=macro.name)
                return
        joined = conventions_of(definition.file).implicit.joined_ends.search(name)
        place = self._get_given(name[: joined.start()]) if joined is not None and joined.start() else None
        if joined is not None and place is not None:
            yield Reason(ReasonKind.PASTED_PART, place=place, subject=name[: joined.start()])
            return
        inner = [position for position in range(1, len(name) - 1) if name[position] == "_"]
        for part in (*(name[: position + 1] for position in inner), *(name[position:] for position in inner)):
            place = self._get_part(part, name) if part.strip("_") else None
            if place is not None:
                yield Reason(ReasonKind.PASTED_PART, place=place, subject=part)
                return
        for stem in _iter_stems(name):
            if (place := self._get_argument(stem)) is not None:
                yield Reason(ReasonKind.PASTED_PART, place=place, subject=stem)
                return

    @cached_property
    def _joining(self) -> tuple[_Joining, ...]:
        """Return the macros that join names, in code and in the texts that code includes (`#include "rows.inc"`)."""
        found: dict[_Joining, None] = {}
        included: set[str] = set()
        files = [file for file in self._source.files if self._scopes.spec(file).linkage][:_MAX_JOINING_FILES]
        texts = (each for each in self._source.snapshot.entries if not self._source.has_file(each))
        for file in chain(files, (each for each in texts if each.rpartition("/")[2] in included)):
            text = self._source.read_text(file)
            included.update(_INCLUDED.findall(text))
            if "##" in text:
                found |= dict.fromkeys(_iter_joining(text))
        return tuple(found)

    @cached_method
    def _list_given(self, macro: str, parameter: MacroParameter) -> frozenset[str]:
        """Return every word that is passed for one parameter of a macro."""
        given: set[str] = set()
        pending, seen = [(macro, parameter)], {(macro, parameter)}
        while pending and len(seen) < _MAX_GIVING_MACROS:
            words, outer = self._read_uses(*pending.pop())
            pending += outer - seen
            seen |= outer
            given |= words
        return frozenset(self._expand(given))

    def _read_uses(self, macro: str, parameter: MacroParameter) -> tuple[set[str], set[tuple[str, MacroParameter]]]:
        """Return the words passed for a parameter of a macro, and the macros that pass their own parameters to it."""
        words: set[str] = set()
        outer: set[tuple[str, MacroParameter]] = set()
        for file in list(self._source.count_word(macro))[:_MAX_FILES]:
            text = self._source.read_text(file)
            for found in re.finditer(rf"\b{re.escape(macro)}\b", text):
                start = text.rfind("\n", 0, found.start()) + 1
                line = text[start : found.start()]
                if _NOT_GIVEN.match(line):
                    continue
                arguments = read_arguments(text, found.end())
                inside = _get_macro_around(text, found.start())
                own = read_parameters(inside[2]) if inside is not None else {}
                given = set(WORD.findall(",".join(parameter.take(arguments))))
                words |= given - own.keys()
                if inside is not None:
                    outer |= {(inside[1], own[each]) for each in given & own.keys()}
                for around in _ENCLOSING_CALL.finditer(line) if not arguments else ():
                    # A macro whose name is passed to another macro is used in the body of that one: `LIST(ADD)`.
                    bodies = self._expand({around[1]}) - {around[1]}
                    every = read_arguments(text, start + around.end(1))
                    words.update(bodies, *map(WORD.findall, every if bodies else ()))
        return words, outer

    def _expand(self, words: Collection[str]) -> set[str]:
        """Return the words, together with the expansions of macros with these names."""
        found: set[str] = set()
        pending = set(words)
        while pending and len(found) < _MAX_WORDS:
            word = pending.pop()
            found.add(word)
            bodies = (HEADER.sub("", each) for each in list_macros(self._source, word))
            pending |= {each for body in bodies for each in WORD.findall(body)} - found
        return found

    def _get_given(self, start: str) -> tuple[str, int] | None:
        """Return the first place that passes the start of a name to an outside macro, or None."""
        call = re.compile(rf"^([A-Z][A-Z0-9_]+)\s*\([^();]*\b{re.escape(start)}\s*[,)]", re.MULTILINE)
        for file in self._source.files_with_word(start):
            text = self._source.read_text(file) if self._scopes.spec(file).linkage else ""
            found = next((each for each in call.finditer(text) if not list_macros(self._source, each[1])), None)
            if found is not None:
                return file, line_of(text, found.start())
        return None

    @cached_method
    def _get_argument(self, word: str) -> tuple[str, int] | None:
        """Return the first place where an unbound word is a whole argument of an outside macro, or None."""
        files = [file for file in self._source.files_with_word(word) if self._scopes.spec(file).linkage]
        files = [] if self._is_value(word) else files[:_MAX_FILES]
        # The text of a file is faster to search than its bindings are to read.
        places = filter(None, (self._get_argument_in(word, file) for file in files))
        unbound = (each for each in places if word not in self._source.uses(each[0]).bindings)
        return next(unbound, None)

    def _is_value(self, name: str) -> bool:
        """Return whether a name is that of a value rather than a type or a field, so that macros may take the value."""
        folded, source = fold_name(name), self._source
        for file, named in source.summaries.symbols_named(folded, source.files_defining(folded)).items():
            for each in (symbol for _, symbol in named if symbol.name == name and symbol.kind not in _NO_VALUES):
                is_field = each.kind is SymbolKind.ATTRIBUTE and not self._scopes.spec(file).overloads
                if not is_field or source.facts(file).symbols[each.parent].kind is SymbolKind.ENUM:
                    return True
        return False

    def _get_argument_in(self, word: str, file: str) -> tuple[str, int] | None:
        text, plain = self._source.read_text(file), conventions_of(file).implicit.plain_macros
        for found in re.finditer(re.escape(word), text):
            if (behind := _WHOLE_ARGUMENT.match(text, found.end())) is None:
                continue
            before = text[max(0, found.start() - _MAX_BEFORE) : found.start()].rstrip()
            call = _OPEN_CALL.search(before) if before.endswith(("(", ",")) else None
            if call is not None and not (plain.fullmatch(call[1]) or list_macros(self._source, call[1])):
                return file, line_of(text, behind.end() - 1)
        return None

    def _get_part(self, part: str, name: str) -> tuple[str, int] | None:
        """Return the first place of a part of a name as an unbound word; None if the part is itself a defined name.

        A part in a macro's `##` does not count for names that the macro cannot build: `mem_##name##_t` never builds
        `list_t`.
        """
        source = self._source
        files = [file for file in source.files_with_word(part) if self._scopes.spec(file).linkage]
        if not files:
            return None
        folded = fold_name(part)
        named = source.summaries.symbols_named(folded, source.files_defining(folded))
        if any(symbol.name == part for symbols in named.values() for _, symbol in symbols):
            return None
        joined = [chain for macro in self._joining for chain in macro.chains if part in chain]
        is_settled = bool(joined) and not any(re.fullmatch(_get_pattern(chain), name) for chain in joined)
        for file in files[:_MAX_FILES]:
            text = source.read_text(file)
            lines = text.split("\n") if is_settled else []
            for line, column in iter_in_code(part, text):
                if is_settled and _is_joined_at(lines[line - 1], column, column + len(part)):
                    continue
                if part in source.uses(file).bindings:
                    break
                return file, line
        return None


def _iter_joining(text: str) -> Iterator[_Joining]:
    """Yield the macros of a text that join names."""
    for found in DEFINE.finditer(text):
        if "##" not in found[3]:
            continue
        parameters = read_parameters(found[2])
        tokens = _TOKEN.findall(found[3])
        chains: list[tuple[str | MacroParameter, ...]] = []
        index = 0
        while index < len(tokens):
            chain = [tokens[index]]
            while index + 2 < len(tokens) and tokens[index + 1] == "##":
                index += 2
                chain.append(tokens[index])
            index += 1
            words = [each for each in chain if WORD.fullmatch(each)]
            if len(words) > 1:
                chains.append(tuple(parameters.get(each, each) for each in words))
        if chains:
            yield _Joining(found[1], tuple(dict.fromkeys(chains)))


def _iter_stems(name: str) -> Iterator[str]:
    """Yield the words and sequences of words in a name, longest first: a macro may add the rest of the name to one."""
    cuts = [found.span() for found in _WITHIN.finditer(name)][:_MAX_WITHIN]
    starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(name)]
    stems = {name[start:end].strip("_") for start in starts for end in ends if start < end}
    known = (each for each in stems - {name, name.strip("_")} if len(each) >= _MIN_STEM)
    yield from sorted(known, key=lambda each: (-len(each), each))


def _get_pattern(chain: Sequence[str | MacroParameter]) -> str:
    """Return a pattern of the names that a chain of words and parameters may build."""
    return "".join(re.escape(each) if isinstance(each, str) else ".*" for each in chain)


def _is_joined_at(line: str, start: int, end: int) -> bool:
    """Return whether a word of a line is next to `##`."""
    return line[:start].rstrip().endswith("##") or line[end:].lstrip().startswith("##")


def _may_join(
    name: str, chain: tuple[str | MacroParameter, ...], list_given: Callable[[MacroParameter], Collection[str]]
) -> bool:
    """Return whether a chain of words and parameters may build a name."""
    if not re.fullmatch(_get_pattern(chain), name):
        return False
    pieces = [
        each if isinstance(each, str) else [part for part in list_given(each) if part in name and part != name]
        for each in chain
    ]
    return _is_joined(name, pieces, may_be_empty=len(pieces) > _MIN_JOINED)


def _is_joined(rest: str, chain: Sequence[str | list[str]], *, may_be_empty: bool) -> bool:
    """Return whether a text is a sequence of the chain's parts; a list of words stands for up to three of them."""
    if not chain:
        return not rest
    first = chain[0]
    if isinstance(first, str):
        return rest.startswith(first) and _is_joined(rest[len(first) :], chain[1:], may_be_empty=may_be_empty)
    ends = {0}
    for _ in range(_MAX_PIECES):
        ends |= {end + len(each) for end in ends for each in first if rest.startswith(each, end)}
    ends -= set() if may_be_empty else {0}
    return any(_is_joined(rest[end:], chain[1:], may_be_empty=may_be_empty) for end in ends)


def _get_macro_around(text: str, at: int) -> re.Match[str] | None:
    """Return the header (name and parameters) of the macro whose body contains a position."""
    start = text.rfind("\n", 0, at) + 1
    while start and text[max(0, start - 3) : start].endswith(("\\\n", "\\\r\n")):
        start = text.rfind("\n", 0, start - 1) + 1
    return _DEFINED.match(text, start)
