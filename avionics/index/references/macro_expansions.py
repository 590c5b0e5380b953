"""Decide what names in the bodies of macros mean, by resolving them wherever the macro is expanded.

A name in a body that is not a parameter is looked up where the macro is expanded, also by other macros. For a member,
the receiver before it is resolved there, with the arguments of the expansion in place of the parameters. A mention
stays a possible usage if its expansions disagree, if `##` joins it to another name, or if the body declares the name.

In the text of a macro, only the name of another macro becomes a usage. Compilers report the use of anything else where
the macro is expanded, in lines that lack the name: such a mention stays possible even if it is proven.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property

from msgspec import Struct

from avionics.cancellation import seconds_left
from avionics.index.facts.fact_source import FactSource
from avionics.index.model.cached_method import bounded_method
from avionics.index.model.values import Variable
from avionics.index.references.macro_mentions import NOT_CODE, ParameterRoles, read_arguments, read_parameters
from avionics.index.references.reference_resolver import Resolver
from avionics.index.references.usage_classifier import TAGGED, UsageClassifier
from avionics.index.types.calls.overloads import Overloads
from avionics.late_pattern import late_pattern
from avionics.model.enums import Evidence, ReferenceKind, SymbolKind
from avionics.model.facts import Expression, Reference, Symbol, line_and_column
from avionics.model.knowledge import Definition, UnresolvedUse, Usage
from avionics.model.naming import as_written, tagged
from avionics.model.reasons import ReasonKind
from avionics.syntax.registry import get_language

_MAX_FILES = 100
_MANY_FILES = 20
"""The number of files read for a macro that more than `_MAX_FILES` mention, which may not find all expansions."""
_MAX_EXPANSIONS = 3_000
_MAX_BEFORE = 300
_MAX_PARSED = 20_000
_HEADER = late_pattern(r"[ \t]*#[ \t]*define[ \t]+\w+(\([^()]*\))?")
_WORD = late_pattern(r"\w+")
# What stands at the end of a text is matched in the reversed text: a search for it would try every position.
_TAG_REVERSED = late_pattern(r"\s++(?:tcurts|noinu|mune)\b")
_MEMBER_REVERSED = late_pattern(r"\s*+(?:>-|\.(?!\.))")
_WORD_REVERSED = late_pattern(r"[*\s]*+(\w++)")
_BEFORE_VALUES = frozenset({"return", "else", "do", "case", "sizeof", "typeof", "__typeof__", "defined"})
_BEFORE_TYPES = frozenset({"const", "volatile", "static", "extern", "inline", "register", "restrict", "typedef"})
_DECLARATION = late_pattern(r"\s*(?:\w+\s+)*?\w+[\s*]+\w+\s*(?:[=,;\[]|\Z)")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_TYPES = TAGGED | {SymbolKind.TYPE}


class _Position(Enum):
    """The role of a name in the body of a macro."""

    BARE = 1
    TAG = 2
    MEMBER = 3
    DECLARED = 4
    JOINED = 5


class _Macro(Struct, frozen=True):
    """One definition of a macro.

    Attributes:
        line: The line on which its text begins.
        text: Its definition, with blanks in place of comments, the contents of strings and backslashes at line ends.
        body: The offset in the text at which its body begins.
        parameters: The names of its parameters → their positions; -1 for a variadic one.
    """

    file: str
    name: str
    line: int
    text: str
    body: int
    parameters: Mapping[str, int]

    def iter_mentions(self, name: str) -> Iterator[int]:
        """Yield the offsets of a name in the body, except after `#` or `##`."""
        for found in re.finditer(rf"\b{re.escape(name)}\b", self.text[self.body :]):
            offset = self.body + found.start()
            if not self.text[:offset].rstrip().endswith("#"):
                yield offset

    def place_at(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset in the text."""
        line, column = line_and_column(self.text, offset)
        return self.line + line - 1, column

    def declares(self, name: str, *, is_type: bool = False) -> bool:
        """Return whether the body may declare a name; with `is_type`, after a word such as `const` it is a mere use."""
        found = (self.get_position(name, offset, is_type=is_type) for offset in self.iter_mentions(name))
        return _Position.DECLARED in found

    def get_position(self, name: str, offset: int, *, is_type: bool = False) -> _Position:
        """Return the role of the name at an offset in the text."""
        before, after = self.text[self.body : offset], self.text[offset + len(name) :].lstrip()
        if after.startswith("##"):
            return _Position.JOINED
        backwards = before[::-1]
        if _MEMBER_REVERSED.match(backwards):
            return _Position.MEMBER
        if _TAG_REVERSED.match(backwards):
            return _Position.TAG
        found = _WORD_REVERSED.match(backwards[:_MAX_BEFORE])
        word = found[1][::-1] if found is not None else ""
        harmless = _BEFORE_VALUES | _BEFORE_TYPES if is_type else _BEFORE_VALUES
        if word and word not in harmless and not word.isdigit():
            return _Position.DECLARED
        start = _get_statement(before)
        is_label = after.startswith(":") and not before[start:].strip()
        is_declared = before.rstrip().endswith(",") and _DECLARATION.match(before, start) is not None
        return _Position.DECLARED if is_label or is_declared else _Position.BARE

    def get_receiver(self, offset: int) -> str:
        """Return the receiver of the member at an offset; "" if it is not written there."""
        end = re.search(r"(?:->|\.)\s*\Z", self.text[self.body : offset])
        if end is None:
            return ""
        stop = self.body + end.start()
        return self.text[_get_operand(self.text, self.body, stop) : stop].strip()

    def substitute(self, text: str, arguments: Sequence[str]) -> str:
        """Return a part of the body with arguments substituted for parameters; "" if one is missing."""
        named = set(_WORD.findall(text)) & self.parameters.keys()
        if any(not 0 <= self.parameters[each] < len(arguments) for each in named) or "#" in text:
            return ""
        return _WORD.sub(
            lambda found: f"({arguments[self.parameters[found[0]]]})" if found[0] in named else found[0], text
        )


class _Expansion(Struct, frozen=True):
    """A place where a macro is expanded.

    Attributes:
        reference: The name in the code there: of the macro, or of one whose text has it.
        around: The macros through whose texts the macro is expanded, if the code does not name it directly.
    """

    file: str
    reference: Reference
    arguments: tuple[str, ...]
    around: tuple[_Macro, ...] = ()


class _Expansions(Struct, frozen=True):
    """The places where a macro is expanded, and whether there may be more."""

    places: tuple[_Expansion, ...] = ()
    is_open: bool = False


class MacroExpansions:
    """Settles the possible usages in the texts of macros."""

    def __init__(self, source: FactSource, resolver: Resolver, classifier: UsageClassifier) -> None:
        self._source = source
        self._resolver = resolver
        self._scopes = resolver.scopes
        self._classifier = classifier
        self._roles = ParameterRoles(source)
        self._macros: dict[str, tuple[_Macro, ...]] = {}
        self._expansions: dict[tuple[str, str], _Expansions] = {}

    def settle(
        self,
        definition: Definition,
        variables: Sequence[Variable],
        overloads: Overloads,
        possible: Iterable[UnresolvedUse],
    ) -> tuple[list[Usage], list[UnresolvedUse]]:
        """Return the usages among possible usages, and those that stay possible, without uses of something else."""
        usages: list[Usage] = []
        kept: list[UnresolvedUse] = []
        texts: defaultdict[str, list[UnresolvedUse]] = defaultdict(list)
        for each in possible:
            if each.reason.kind is ReasonKind.MACRO_TEXT and self._source.has_file(each.file):
                texts[each.file].append(each)
            elif not self._is_parameter(as_written(variables[0].name), each):
                kept.append(each)
        if not texts:
            return usages, kept
        subject = _Subject(definition.kind, tuple(variables), overloads, self._scopes.is_member(variables[0]))
        name = subject.name
        for file, uses in texts.items():
            wanted = Counter(each.line for each in uses)
            mentions = [
                (macro, offset, macro.place_at(offset))
                for macro in self._list_macros(file, frozenset(wanted))
                for offset in macro.iter_mentions(name)
            ]
            there = Counter(place[0] for _, _, place in mentions)
            for macro, offset, place in mentions:
                line = place[0]
                if there[line] != wanted[line]:
                    continue
                use = self._decide(subject, macro, offset)
                if isinstance(use, Usage):
                    usages.append(use)
                elif use is None:
                    kept.append(next(each for each in uses if each.line == line))
            kept += (each for each in uses if there[each.line] != wanted[each.line])
        return usages, kept

    def _is_parameter(self, name: str, use: UnresolvedUse) -> bool:
        """Return whether a possible usage is a parameter of the macro around it, in its header or in its text."""
        if use.reason.kind is not ReasonKind.CODE_NOT_READ or not self._source.has_file(use.file):
            return False
        return any(name in macro.parameters for macro in self._list_macros(use.file, frozenset({use.line})))

    def _decide(self, subject: _Subject, macro: _Macro, offset: int) -> Usage | bool | None:
        """Return the usage at a mention in a macro; False if it is a use of something else, None if it is possible."""
        name, position = subject.name, macro.get_position(subject.name, offset, is_type=subject.is_type)
        if position is _Position.JOINED or (not subject.is_macro and self._scopes.spec(macro.file).overloads):
            return None
        line, column = macro.place_at(offset)
        if subject.is_macro and macro.name == name:
            return False  # a macro is not expanded within itself
        if not subject.is_macro:
            if position is _Position.MEMBER and not subject.is_member:
                return False
            if subject.is_member and position is not _Position.MEMBER:
                return self._decide_beside_member(subject, macro, line, column, position)
            if (position is _Position.TAG) is not subject.is_tag:
                return False if subject.is_tag else None
            if not (subject.is_tag or subject.is_member) and macro.declares(name, is_type=subject.is_type):
                return None
            if not subject.is_member and self._classifier.is_linked(subject.variables[0]):
                return None  # thousands of files may name it; do not parse them for this
        is_called = macro.text[offset + len(name) :].lstrip().startswith("(")
        role = ReferenceKind.CALL if is_called else ReferenceKind.READ
        role = ReferenceKind.ANNOTATE if subject.is_type else role
        receiver = macro.get_receiver(offset) if subject.is_member else None
        verdicts, evidence = self._list_verdicts(subject, macro, role, receiver)
        if subject.is_macro and True in verdicts and False not in verdicts:
            return Usage(macro.file, line, column, role, evidence, self._classifier.enclosing)
        return False if verdicts == {False} else None

    def _decide_beside_member(
        self, subject: _Subject, macro: _Macro, line: int, column: int, position: _Position
    ) -> bool | None:
        """Return False if a name without a receiver cannot be a member, None if a macro may supply a receiver."""
        if position in {_Position.TAG, _Position.DECLARED}:
            return False
        if self._roles.may_take(macro.file, line, column):
            return None
        if macro.declares(subject.name):
            return False
        verdicts, _ = self._list_verdicts(subject, macro, ReferenceKind.READ, None)
        return False if verdicts == {False} else None

    def _list_verdicts(
        self, subject: _Subject, macro: _Macro, role: ReferenceKind, receiver: str | None
    ) -> tuple[set[bool | None], Evidence]:
        """Return whether a name in a macro's text means the subject, for each expansion of the macro, and the evidence.

        The verdict of an expansion is True, False, or None if it is unknown. The name in a macro that is never expanded
        is resolved in the macro's own file.
        """
        expansions = self._read_expansions(macro.file, macro.name)
        verdicts: set[bool | None] = {None} if expansions.is_open else set()
        evidence = Evidence.SCOPE
        seen: set[tuple[str, int, str, int]] = set()
        unused = _Expansion(macro.file, Reference("", role, macro.line, 0, 0), ())
        for each in expansions.places or (unused,):
            name = tagged(subject.name) if subject.is_tag else subject.name
            text = macro.substitute(receiver, each.arguments) if receiver is not None else ""
            key = (each.file, each.reference.scope, text, each.reference.line if subject.depends_on_line else 0)
            if key in seen:
                continue
            seen.add(key)
            before = self._read_receiver(each.file, text) if receiver is not None else None
            is_declared = any(around.declares(subject.name, is_type=subject.is_type) for around in each.around)
            is_declared = is_declared and not (subject.is_macro or subject.is_tag)
            if receiver is not None:
                is_declared = before is None or _declares_any((macro, *each.around), text)
            if is_declared or (self._scopes.spec(each.file).overloads and not subject.is_macro):
                verdicts.add(None)
                continue
            line, column = each.reference.line, each.reference.column
            reference = Reference(name, role, line, column, each.reference.scope, before)
            resolution = self._resolver.resolve_expanded(each.file, reference)
            is_own = not subject.wanted.isdisjoint(resolution.targets)
            verdict: bool | None = None
            if resolution.unknown is None:
                if is_own and subject.overloads.select(each.file, reference) is True:
                    verdict, evidence = True, resolution.evidence
                elif not is_own and (resolution.targets or before is not None):
                    verdict = False
            verdicts.add(verdict)
        return verdicts, evidence

    def _read_receiver(self, file: str, text: str) -> Expression | None:
        """Return the expression of a receiver given as text; None if there is none or it cannot be parsed."""
        language = get_language(file)
        return self._parse_receiver(language, text) if text and language is not None and text.isprintable() else None

    @bounded_method(_MAX_PARSED)
    def _parse_receiver(self, language: str, text: str) -> Expression | None:
        from avionics.syntax.extract import extract_whole

        _, uses = extract_whole(f"void f(void) {{ ({text})->{_MARKER}; }}".encode(), language)
        found = [each.receiver for each in uses.references.get(_MARKER, ())]
        return found[0] if len(found) == 1 else None

    def _read_expansions(self, file: str, name: str) -> _Expansions:
        """Return the places where the macro of a file is expanded, by its own name or through other macros."""
        key = (file, name)
        if key not in self._expansions and seconds_left() <= 0:
            return _Expansions(is_open=True)
        if key not in self._expansions:
            self._expansions[key] = _Expansions(is_open=True)  # ends the recursion of macros
            found: list[_Expansion] = []
            is_open = False
            files = [each for each in self._source.files_with_word(name) if self._scopes.spec(each).linkage]
            read = files if len(files) <= _MAX_FILES else files[:_MANY_FILES]
            self._source.load_uses(read)
            for each in read:
                if len(found) >= _MAX_EXPANSIONS:
                    break
                uses = self._source.uses(each)
                found += self._iter_named(each, file, name)
                lines = frozenset(uses.strings.get(name, ()))
                outer = self._list_macros(each, lines) if lines else ()
                within = [self._read_within(macro, name) for macro in outer if macro.name != name]
                found += (place for there in within for place in there.places)
                is_open = is_open or name in uses.unread or any(there.is_open for there in within)
            is_cut = len(read) < len(files) or len(found) >= _MAX_EXPANSIONS
            self._expansions[key] = _Expansions(tuple(found[:_MAX_EXPANSIONS]), is_open or is_cut)
        return self._expansions[key]

    def _iter_named(self, file: str, home: str, name: str) -> Iterator[_Expansion]:
        """Yield the expansions of the macro `name` of the file `home` that the code of a file names."""
        references = self._source.uses(file).references.get(name, ())
        lines = self._source.read_lines(file) if references else []
        for each in references:
            if each.kind is ReferenceKind.DELETE or _NO_EXPANSION.match(lines[each.line - 1]):
                continue
            targets = self._scopes.find_targets(file, each.scope, name)
            if any(isinstance(target, Variable) and target.file == home for target in targets):
                call = "\n".join((lines[each.line - 1][each.column + len(name) :], *lines[each.line : each.line + 40]))
                yield _Expansion(file, each, tuple(read_arguments(call, 0)))

    def _read_within(self, outer: _Macro, name: str) -> _Expansions:
        """Return the places where a macro is expanded through the text of another one."""
        places = self._read_expansions(outer.file, outer.name)
        calls = [read_arguments(outer.text, offset + len(name)) for offset in outer.iter_mentions(name)]
        found = []
        for call in calls:
            for each in places.places:
                arguments = tuple(outer.substitute(argument, each.arguments) for argument in call)
                found.append(_Expansion(each.file, each.reference, arguments, (outer, *each.around)))
        return _Expansions(tuple(found[:_MAX_EXPANSIONS]), places.is_open or len(found) > _MAX_EXPANSIONS)

    def _list_macros(self, file: str, lines: frozenset[int]) -> tuple[_Macro, ...]:
        """Return the macros of a file whose text has one of the lines."""
        if file not in self._macros:
            symbols = [each for each in self._source.facts(file).symbols if each.kind is SymbolKind.MACRO]
            written = self._source.read_lines(file) if symbols else []
            self._macros[file] = tuple(_read_macro(file, each, written) for each in symbols)
        return tuple(
            each
            for each in self._macros[file]
            if any(each.line <= line <= each.line + each.text.count("\n") for line in lines)
        )


class _Subject(Struct, frozen=True, dict=True):
    """The definition that mentions are compared with: its variables, its own first, and the overloads of its name."""

    kind: SymbolKind
    variables: tuple[Variable, ...]
    overloads: Overloads
    is_member: bool

    @cached_property
    def name(self) -> str:
        """Return the definition's name as written."""
        return as_written(self.variables[0].name)

    @cached_property
    def is_tag(self) -> bool:
        """Return whether the definition is a tag of C, whose name follows `struct`, `union` or `enum`."""
        return all(each.name == tagged(self.name) for each in self.variables)

    @cached_property
    def wanted(self) -> frozenset[Variable]:
        """Return the variables as a set."""
        return frozenset(self.variables)

    @property
    def is_macro(self) -> bool:
        """Return whether the definition is a macro, whose name has no other meaning in the files that see it."""
        return self.kind is SymbolKind.MACRO

    @property
    def depends_on_line(self) -> bool:
        """Return whether several macros or overloads have the name, so that the line of a mention matters."""
        return self.overloads.are_told_apart

    @property
    def is_type(self) -> bool:
        """Return whether the definition is a type."""
        return self.kind in _TYPES


_MARKER = "avionics_member"
_NO_EXPANSION = late_pattern(r"[ \t]*#[ \t]*(?:undef|ifdef|ifndef|define)\b")
"""Matches a directive that names a macro without expanding it."""


def _read_macro(file: str, symbol: Symbol, lines: Sequence[str]) -> _Macro:
    """Return a macro with its text."""
    written = "\n".join(lines[symbol.span.start_line - 1 : symbol.span.end_line])
    text = NOT_CODE.sub(lambda found: _blank(found[0]), written).replace("\\\n", " \n")
    header = _HEADER.match(text)
    parameters = read_parameters(header[1]) if header is not None else {}
    positions = {name: -1 if each.is_rest else each.at for name, each in parameters.items()}
    body = header.end() if header is not None else len(text)
    return _Macro(file, symbol.name, symbol.span.start_line, text, body, positions)


def _blank(text: str) -> str:
    """Return blanks for a comment, and quotes with blanks for a string."""
    inner = re.sub(r"[^\n]", " ", text)
    return f"{text[0]}{inner[1:-1]}{text[-1]}" if text[0] in "\"'" else inner


def _get_statement(before: str) -> int:
    """Return the offset at which the last statement of a text begins; the end of the text within parentheses."""
    depth = 0
    for offset in range(len(before) - 1, -1, -1):
        if before[offset] in _CLOSING:
            depth += 1
        elif before[offset] in _OPENING:
            if not depth:
                return offset + 1 if before[offset] == "{" else len(before)
            depth -= 1
        elif before[offset] == ";" and not depth:
            return offset + 1
    return 0


def _get_operand(text: str, start: int, end: int) -> int:
    """Return the offset at which the operand before a member begins: `f(x).y` of `f(x).y->z`."""
    offset = begin = end
    while offset > start:
        offset = len(text[start:offset].rstrip()) + start
        if offset == start:
            break
        if text[offset - 1] in _CLOSING:
            depth = 0
            while offset > start:
                offset -= 1
                depth += (text[offset] in _CLOSING) - (text[offset] in _OPENING)
                if not depth:
                    break
            begin = offset
            if text[offset] == "{":
                break
        elif text[offset - 1].isalnum() or text[offset - 1] == "_":
            while offset > start and (text[offset - 1].isalnum() or text[offset - 1] == "_"):
                offset -= 1
            begin = offset
            before = text[start:offset].rstrip()
            if not before.endswith(("->", ".")):
                break
        elif text[start:offset].endswith("->"):
            offset -= 2
        elif text[offset - 1] == ".":
            offset -= 1
        else:
            break
    return begin


def _declares_any(macros: Iterable[_Macro], text: str) -> bool:
    """Return whether one of the macros may declare a name in a receiver, other than those of its members."""
    names = {found[0] for found in _WORD.finditer(text) if not _MEMBER_REVERSED.match(text[: found.start()][::-1])}
    return any(macro.declares(name) for macro in macros for name in names)
