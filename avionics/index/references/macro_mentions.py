"""Find the mentions of a macro in C and C++ that were recorded as something else, or not at all.

A macro has no scope: its name is replaced wherever the code has it. A name that the parser took for something else, or
skipped because the code is invalid before macros are expanded, may be a use of the macro.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator
from enum import Enum
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from types import MappingProxyType

from msgspec import Struct

from avionics.index.facts.fact_source import FactSource
from avionics.index.references.reference_resolver import Resolver
from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.model.facts import Symbol
from avionics.model.knowledge import Definition, UnresolvedUse
from avionics.model.naming import fold_name
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.conventions import ImplicitUse
from avionics.syntax.registry import conventions_of

_CODE_NOT_READ = Reason(ReasonKind.CODE_NOT_READ)
NOT_CODE = late_pattern(
    r'//[^\n]*+|/\*(?>(?:[^*]++|\*(?!/))*)(?:\*/|\Z)|"(?>(?:[^"\\\n]++|\\.)*)"|\'(?>(?:[^\'\\\n]++|\\.)*)\''
    r"|^[ \t]*#[ \t]*include[^\n]*+",
    re.MULTILINE | re.DOTALL,
)
"""Comments, strings and the names of headers."""
_MAX_FILES = 200
_MAX_ARGUMENTS = 20_000
DEFINE = late_pattern(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)]*+\))?((?>(?:[^\\\n]++|\\(?:\r?\n|.))*))", re.MULTILINE)
HEADER = late_pattern(r"#\s*define\s+\w+(?:\([^()]*\))?")
WORD = late_pattern(r"\w+")
_BRACKET = late_pattern(r"[()\[\]{}]")
_BRACKET_OR_COMMA = late_pattern(r"[()\[\]{},;]")
_LAST_WORD = late_pattern(r"(\w+)\s*\Z")
_MARKED_CALL = late_pattern(r"\b(\w+)![ \t]*[(\[{]")
_FRAGMENTS = "block|expr|expr_2021|ident|item|lifetime|literal|meta|pat|pat_param|path|stmt|tt|ty|vis"
_MEMBER_OF_PATTERN = late_pattern(
    rf"(?:(?<!\.)\.|::)[ \t]*\$\w|\$\w++[ \t]*:(?![ \t]*(?:(?:{_FRAGMENTS})\b|:))|\b[A-Z]\w*[ \t]*\{{[^{{}}]*\$\w"
)
"""A use of a macro's parameter as a member: `$of.$name`, `Level::$name`, `$name: $value`, `Point { $name }`."""
_MAX_CALL_LINES = 40

Place = tuple[str, int, int]


class MacroParameter(Struct, frozen=True):
    """A parameter of a macro; `is_rest` if it takes all further arguments too."""

    at: int
    is_rest: bool

    def take(self, arguments: list[str]) -> list[str]:
        """Return the arguments that are passed for the parameter."""
        return arguments[self.at :] if self.is_rest else arguments[self.at : self.at + 1]


class MacroMentions:
    """Finds further mentions of macros in the code of one snapshot."""

    def __init__(self, source: FactSource, resolver: Resolver) -> None:
        self._source = source
        self._resolver = resolver

    def find(
        self, definition: Definition, known: Collection[Place], text_lines: Collection[tuple[str, int]]
    ) -> Iterator[UnresolvedUse]:
        """Yield the places in code that may use a macro, without the known ones; nothing if it is not a macro of C."""
        scopes = self._resolver.scopes
        if definition.kind is not SymbolKind.MACRO or not scopes.spec(definition.file).linkage:
            return
        name = definition.name
        there = Counter(file for file, _, _ in known)
        files = sorted(
            file
            for file, count in self._source.count_word(name).items()
            if self._source.has_file(file) and scopes.spec(file).linkage and count > there[file]
        )
        files = files[:_MAX_FILES]
        self._source.load_uses(files)
        # In a file that sees the macro, members with this name are replaced too.
        seeing = scopes.modules.system_of(definition.file).map_included((definition.file,), files) or ()
        for file in files:
            uses = self._source.uses(file)
            if file not in there and file not in seeing and name in uses.references and name not in uses.bindings:
                continue
            for line, column in iter_in_code(name, self._source.read_text(file)):
                is_known = (file, line, column) in known or (file, line) in text_lines
                if not is_known and not self._is_of_other_macro(file, name, line, column):
                    yield UnresolvedUse(file, line, column, _CODE_NOT_READ)

    def _is_of_other_macro(self, file: str, name: str, line: int, column: int) -> bool:
        """Return whether another macro of the name is defined or used at a place."""
        symbols = self._source.facts(file).symbols
        if any((each.line, each.column) == (line, column) and each.kind is SymbolKind.MACRO for each in symbols):
            return True
        reference = self._source.uses(file).get_reference(name, line, column)
        targets = self._resolver.resolve(file, reference).targets if reference is not None else ()
        return bool(targets) and all(map(self._resolver.scopes.is_macro, targets))


class ArgumentRole(Enum):
    """How a macro uses an argument; UNKNOWN if the macro is not in the workspace."""

    MEMBER = 1
    TAG = 2
    VALUE = 3
    UNKNOWN = 4


_BEFORE_PARAMETER = late_pattern(r"(?:->|(?<!\.)\.|(?<!#)#|\b(?:struct|union|enum)(?=\s))\s?\Z")
_ROLES = MappingProxyType(
    {
        **dict.fromkeys(("->", "."), (ArgumentRole.MEMBER,)),
        **dict.fromkeys(("struct", "union", "enum"), (ArgumentRole.TAG,)),
    }
)
_CUT = "…"
"""The end of a signature that is cut off."""


class ParameterRoles:
    """Finds the bare names that macros use as members or tags: `SET(gap, 1)` may expand to `d->gap = 1`."""

    def __init__(self, source: FactSource) -> None:
        self._source = source
        self._roles: dict[tuple[str, int], frozenset[ArgumentRole]] = {}
        self._marked: dict[str, bool] = {}
        self._lines: tuple[str, list[str]] = ("", [])

    def may_take(self, file: str, line: int, column: int) -> bool:
        """Return whether the name at a place is an argument that a macro may use as the name of a member."""
        implicit = conventions_of(file).implicit
        if implicit.macro_mark:
            name = self.get_marked_call(file, line, column)
            return bool(name) and self._takes_marked(name, implicit)
        before = self._split_at(file, line, column)[0]
        calls = _iter_calls_around(before)
        return any(ArgumentRole.MEMBER in self._list_roles(*call, implicit) for call in calls)

    def get_marked_call(self, file: str, line: int, column: int) -> str:
        """Return the name of the macro (`name!(…)`) that takes the name at a place as a whole argument, or ""."""
        return _get_marked_call(*self._split_at(file, line, column), conventions_of(file).implicit.macro_mark)

    def _split_at(self, file: str, line: int, column: int) -> tuple[str, str]:
        """Return the text before a place, up to the maximum length of a call, and the rest of its line."""
        if self._lines[0] != file:
            self._lines = (file, self._source.read_lines(file))
        lines = self._lines[1]
        before = (*lines[max(0, line - _MAX_CALL_LINES) : line - 1], lines[line - 1][:column])
        return "\n".join(before), lines[line - 1][column:]

    def _takes_marked(self, name: str, implicit: ImplicitUse) -> bool:
        """Return whether a macro of Rust, or one that it calls, may use an argument as the name of a member."""
        if name not in self._marked:
            self._marked[name] = False
            macros = (each for each in self._source.iter_named(name) if each.kind is SymbolKind.MACRO)
            bodies = list(map(self._source.read_definition, macros))
            called = {each for body in bodies for each in _MARKED_CALL.findall(body)}
            self._marked[name] = (
                any(map(_MEMBER_OF_PATTERN.search, bodies))
                or (not bodies and implicit.member_macros.fullmatch(name) is not None)
                or any(self._takes_marked(each, implicit) for each in sorted(called))
            )
        return self._marked[name]

    def list_roles(self, file: str, line: int, column: int) -> frozenset[ArgumentRole]:
        """Return the roles that a macro gives its argument at a place; none if no macro takes it."""
        call = next(_iter_calls_around(self._split_at(file, line, column)[0]), None)
        return frozenset() if call is None else self._list_roles(*call, conventions_of(file).implicit)

    def _list_roles(self, name: str, position: int, implicit: ImplicitUse) -> frozenset[ArgumentRole]:
        """Return the roles that a macro, or one that it uses, gives the argument at a position; none for a function."""
        if position < len(implicit.tag_macros) and implicit.tag_macros[position].fullmatch(name):
            return frozenset({ArgumentRole.TAG})
        if implicit.member_macros.fullmatch(name):
            return frozenset({ArgumentRole.MEMBER})
        key = (name, position)
        if key not in self._roles:
            self._roles[key] = frozenset()
            texts = list_macros(self._source, name)
            is_known = bool(texts) or bool(self._source.files_defining(fold_name(name)))
            found = chain.from_iterable(self._iter_roles(text, position, implicit) for text in texts)
            self._roles[key] = frozenset(found if is_known else (ArgumentRole.UNKNOWN,))
        return self._roles[key]

    def _iter_roles(self, definition: str, position: int, implicit: ImplicitUse) -> Iterator[ArgumentRole]:
        """Yield the roles that one definition of a macro gives one of its arguments."""
        header = HEADER.match(definition)
        parameters = re.findall(r"\w+|\.\.\.", header[0].partition("(")[2]) if header is not None else []
        if header is None or not parameters or definition.endswith(_CUT):
            yield ArgumentRole.VALUE
        if header is None or not parameters:
            return
        parameter = parameters[min(position, len(parameters) - 1)].replace("...", "__VA_ARGS__")
        body = definition[header.end() :]
        for found in re.finditer(rf"\b{parameter}\b", body):
            before = body[: found.start()]
            if role := _BEFORE_PARAMETER.search(before):
                yield from _ROLES.get(role[0].strip(), ())
                continue
            inner = [self._list_roles(*call, implicit) for call in _iter_calls_around(before)]
            if not (inner and inner[0]):
                yield ArgumentRole.VALUE
            yield from chain.from_iterable(inner)


def _iter_calls_around(before: str) -> Iterator[tuple[str, int]]:
    """Yield the names of the calls that are open at the end of a text, inner first, with the argument's position."""
    depth = commas = 0
    # Backwards, because most texts end within a statement that begins near their end.
    for found in _BRACKET_OR_COMMA.finditer(before[::-1]):
        if found[0] in ")]}":
            depth += 1
        elif depth:
            depth -= found[0] in "([{"
        elif found[0] == ",":
            commas += 1
        elif found[0] in ";{":
            return
        else:
            opening = len(before) - found.end()
            name = _LAST_WORD.search(before, max(0, opening - 100), opening) if found[0] == "(" else None
            if name is not None:
                yield name[1], commas
            commas = 0


def _get_marked_call(before: str, rest: str, mark: str) -> str:
    """Return the macro that takes the name at the start of `rest` as a whole argument; "" if none does.

    `mark` follows the names of macros in calls: `!` in `name!(…)`.
    """
    after = WORD.sub("", rest, count=1).lstrip()
    if before.rstrip()[-1:] not in set("([{,;") or after[:1] not in set("),]};"):
        return ""
    depth = 0
    for found in reversed(list(_BRACKET.finditer(before))):
        depth += 1 if found[0] in ")]}" else -1
        if depth < 0:
            head = before[: found.start()].rstrip()
            name = _LAST_WORD.search(head[:-1]) if head.endswith(mark) else None
            return name[1] if name is not None else ""
    return ""


def list_macros(source: FactSource, name: str) -> list[str]:
    """Return the definitions of the macros of a name, each as one line."""
    folded = fold_name(name)
    named = source.summaries.symbols_named(folded, source.files_defining(folded))
    symbols = ((file, symbol) for file, found in named.items() for _, symbol in found)
    macros = ((file, each) for file, each in symbols if each.name == name and each.kind is SymbolKind.MACRO)
    return [_read_macro(source, file, each) for file, each in macros]


def _read_macro(source: FactSource, file: str, macro: Symbol) -> str:
    """Return the whole definition of a macro as one line, from the file if its signature is cut off."""
    if not macro.signature.endswith(_CUT):
        return macro.signature
    text = "\n".join(source.read_lines(file)[macro.line - 1 :])
    found = DEFINE.match(text)
    return found[0].replace("\\\n", " ") if found is not None else macro.signature


def read_arguments(text: str, offset: int) -> list[str]:
    """Return the arguments in the parentheses that open at a position; [] if there is no parenthesis."""
    opened = re.compile(r"\s*\(").match(text, offset)
    arguments: list[str] = []
    if opened is None:
        return arguments
    depth, start = 1, opened.end()
    for found in _BRACKET_OR_COMMA.finditer(text, start, start + _MAX_ARGUMENTS):
        depth += (found[0] in "([{") - (found[0] in ")]}")
        if not depth or (depth == 1 and found[0] == ","):
            arguments.append(text[start : found.start()])
            start = found.end()
        if not depth:
            break
    return arguments


def read_parameters(written: str | None) -> dict[str, MacroParameter]:
    """Return the parameters of a macro, by name, from the text in its parentheses."""
    names = re.findall(r"\w+|\.\.\.", written or "")
    is_variadic = names[-1:] == ["..."]
    if is_variadic and (written or "").rstrip(") \t").endswith(f"{names[-2]}..." if len(names) > 1 else ","):
        names.pop()  # `rest...` is one parameter
    return {
        "__VA_ARGS__" if name == "..." else name: MacroParameter(index, is_rest=is_variadic and index == len(names) - 1)
        for index, name in enumerate(names)
    }


@lru_cache(maxsize=2)
def _list_not_code(text: str) -> tuple[tuple[int, int], ...]:
    """Return the spans of the comments and strings of a text, kept because several names are searched in one file."""
    return tuple(found.span() for found in NOT_CODE.finditer(text))


def iter_in_code(name: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of a word outside comments and strings."""
    spans = _list_not_code(text)
    line, line_start = 1, 0
    for found in re.finditer(rf"\b{re.escape(name)}\b", text):
        index = bisect_right(spans, found.start(), key=itemgetter(0)) - 1
        if index < 0 or spans[index][1] <= found.start():
            line += text.count("\n", line_start, found.start())
            line_start = text.rfind("\n", 0, found.start()) + 1
            yield line, found.start() - line_start
