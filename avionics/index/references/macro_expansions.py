"""Decide what names in the bodies of macros mean, by resolving them wherever the macro is expanded.

A name in a body that is not a parameter is looked up where the macro is expanded, also by other macros. A member is
one of what stands before it, with the arguments of the expansion in the place of the parameters. A mention whose
expansions disagree, that is joined to another name, or whose body declares the name, stays possible.

Only a macro's name is a usage in the text of another macro. Compilers report the use of anything else where the macro
is expanded, in lines that lack the name: such a mention stays possible even if it is proven.
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
"""Files that are read of a macro that more than `_MAX_FILES` name: enough to find a use, but no proof of none."""
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
        text: Its definition with blanks for comments, for what is in strings and for what joins its lines.
        body: Where its body begins in the text.
        parameters: The names of its parameters → their positions; -1 where one takes several arguments.
    """

    file: str
    name: str
    line: int
    text: str
    body: int
    parameters: Mapping[str, int]

    def iter_mentions(self, name: str) -> Iterator[int]:
        """Yield where a name occurs in the body, except where it becomes a string or the end of another name."""
        for found in re.finditer(rf"\b{re.escape(name)}\b", self.text[self.body :]):
            at = self.body + found.start()
            if not self.text[:at].rstrip().endswith("#"):
                yield at

    def place_at(self, at: int) -> tuple[int, int]:
        """Return the line and column of a position in the text."""
        line, column = line_and_column(self.text, at)
        return self.line + line - 1, column

    def declares(self, name: str, *, is_type: bool = False) -> bool:
        """Return whether the body may declare a name, which may be one of a type."""
        found = (self.get_position(name, at, is_type=is_type) for at in self.iter_mentions(name))
        return _Position.DECLARED in found

    def get_position(self, name: str, at: int, *, is_type: bool = False) -> _Position:
        """Return the role of the name at a place of the text."""
        before, after = self.text[self.body : at], self.text[at + len(name) :].lstrip()
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

    def get_receiver(self, at: int) -> str:
        """Return the receiver of the member at a position; "" if it is not written there."""
        end = re.search(r"(?:->|\.)\s*\Z", self.text[self.body : at])
        if end is None:
            return ""
        stop = self.body + end.start()
        return self.text[_get_operand(self.text, self.body, stop) : stop].strip()

    def give(self, text: str, arguments: Sequence[str]) -> str:
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
        around: The macros whose texts contain the macro, if the code does not name it directly.
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

    def __init__(self, source: FactSource, resolver: Resolver, judge: UsageClassifier) -> None:
        self._source = source
        self._resolver = resolver
        self._scopes = resolver.scopes
        self._judge = judge
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
        """Return the usages among possible usages, and those that stay possible; neither has uses of something else."""
        usages: list[Usage] = []
        kept: list[UnresolvedUse] = []
        texts: defaultdict[str, list[UnresolvedUse]] = defaultdict(list)
        for each in possible:
            is_text = each.reason.kind is ReasonKind.MACRO_TEXT and self._source.has_file(each.file)
            if is_text or not self._is_parameter(as_written(variables[0].name), each):
                (texts[each.file] if is_text else kept).append(each)
        if not texts:
            return usages, kept
        subject = _Subject(definition.kind, tuple(variables), overloads, self._scopes.is_member(variables[0]))
        name = subject.name
        for file, found in texts.items():
            wanted = Counter(each.line for each in found)
            mentions = [
                (macro, at, macro.place_at(at))
                for macro in self._list_macros(file, frozenset(wanted))
                for at in macro.iter_mentions(name)
            ]
            there = Counter(place[0] for _, _, place in mentions)
            for macro, at, place in mentions:
                line = place[0]
                if there[line] != wanted[line]:
                    continue
                use = self._decide(subject, macro, at)
                if isinstance(use, Usage):
                    usages.append(use)
                elif use is None:
                    kept.append(next(each for each in found if each.line == line))
            kept += (each for each in found if there[each.line] != wanted[each.line])
        return usages, kept

    def _is_parameter(self, name: str, use: UnresolvedUse) -> bool:
        """Return whether a possible usage is a parameter of the macro around it, in its header or in its text."""
        if use.reason.kind is not ReasonKind.CODE_NOT_READ or not self._source.has_file(use.file):
            return False
        return any(name in macro.parameters for macro in self._list_macros(use.file, frozenset({use.line})))

    def _decide(self, subject: _Subject, macro: _Macro, at: int) -> Usage | bool | None:
        """Return the usage that a mention is; False if it is one of something else, None if that is not known."""
        name, position = subject.name, macro.get_position(subject.name, at, is_type=subject.is_type)
        if position is _Position.JOINED or (not subject.is_macro and self._scopes.spec(macro.file).overloads):
            return None
        line, column = macro.place_at(at)
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
            if not subject.is_member and self._judge.is_linked(subject.variables[0]):
                return None  # thousands of files may name it; do not parse them for this
        is_called = macro.text[at + len(name) :].lstrip().startswith("(")
        role = ReferenceKind.ANNOTATE if subject.is_type else ReferenceKind.CALL if is_called else ReferenceKind.READ
        receiver = macro.get_receiver(at) if subject.is_member else None
        verdicts, evidence = self._list_verdicts(subject, macro, role, receiver)
        if subject.is_macro and True in verdicts and False not in verdicts:
            return Usage(macro.file, line, column, role, evidence, self._judge.enclosing)
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
        """Return the proven meanings of a name in a macro's text wherever the macro is expanded, with the evidence.

        A macro that is never expanded has the meaning that its own file gives it.
        """
        found = self._read_expansions(macro.file, macro.name)
        verdicts: set[bool | None] = {None} if found.is_open else set()
        evidence = Evidence.SCOPE
        seen: set[tuple[str, int, str, int]] = set()
        unused = _Expansion(macro.file, Reference("", role, macro.line, 0, 0), ())
        for each in found.places or (unused,):
            name = tagged(subject.name) if subject.is_tag else subject.name
            text = macro.give(receiver, each.arguments) if receiver is not None else ""
            key = (each.file, each.reference.scope, text, each.reference.line if subject.is_told_by_line else 0)
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
            if is_own and subject.overloads.select(each.file, reference) is True and resolution.unknown is None:
                verdict: bool | None = True
                evidence = resolution.evidence
            else:
                is_other = (
                    not is_own and resolution.unknown is None and (bool(resolution.targets) or before is not None)
                )
                verdict = False if is_other else None
            verdicts.add(verdict)
        return verdicts, evidence

    def _read_receiver(self, file: str, text: str) -> Expression | None:
        """Return the types of a receiver given as text; None if they are unknown."""
        language = get_language(file)
        is_code = bool(text) and language is not None and text.isprintable()
        return self._parse_receiver(language, text) if is_code and language is not None else None

    @bounded_method(_MAX_PARSED)
    def _parse_receiver(self, language: str, text: str) -> Expression | None:
        from avionics.syntax.extract import extract_whole

        _, uses = extract_whole(f"void f(void) {{ ({text})->{_MARKER}; }}".encode(), language)
        found = [each.receiver for each in uses.references.get(_MARKER, ())]
        return found[0] if len(found) == 1 else None

    def _read_expansions(self, file: str, name: str) -> _Expansions:
        """Return where the macro of a file is expanded, by its own name or by other macros."""
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
        """Yield where a file names the macro of another file in its code."""
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
        """Return where a macro is expanded through the text of another one."""
        places = self._read_expansions(outer.file, outer.name)
        calls = [read_arguments(outer.text, at + len(name)) for at in outer.iter_mentions(name)]
        found = [
            _Expansion(
                each.file,
                each.reference,
                tuple(outer.give(argument, each.arguments) for argument in call),
                (outer, *each.around),
            )
            for call in calls
            for each in places.places
        ]
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
    """What a mention is compared with: the variables it declares, its own first, and all definitions of its name."""

    kind: SymbolKind
    variables: tuple[Variable, ...]
    overloads: Overloads
    is_member: bool

    @cached_property
    def name(self) -> str:
        """Return its name as written."""
        return as_written(self.variables[0].name)

    @cached_property
    def is_tag(self) -> bool:
        """Return whether its name follows `struct`, `union` or `enum`."""
        return all(each.name == tagged(self.name) for each in self.variables)

    @cached_property
    def wanted(self) -> frozenset[Variable]:
        """Return the targets that are the definition."""
        return frozenset(self.variables)

    @property
    def is_macro(self) -> bool:
        """Return whether it is a macro; its name has no other meaning anywhere."""
        return self.kind is SymbolKind.MACRO

    @property
    def is_told_by_line(self) -> bool:
        """Return whether several macros have the name, so that only lines distinguish them."""
        return self.overloads.are_told_apart

    @property
    def is_type(self) -> bool:
        """Return whether it is a type."""
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
    """Return where the last statement of a text begins; its end inside parentheses, where no statement begins."""
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        if before[at] in _CLOSING:
            depth += 1
        elif before[at] in _OPENING:
            if not depth:
                return at + 1 if before[at] == "{" else len(before)
            depth -= 1
        elif before[at] == ";" and not depth:
            return at + 1
    return 0


def _get_operand(text: str, start: int, end: int) -> int:
    """Return where the operand before a member begins: names, calls, members and parentheses."""
    at = begin = end
    while at > start:
        at = len(text[start:at].rstrip()) + start
        if at == start:
            break
        if text[at - 1] in _CLOSING:
            depth = 0
            while at > start:
                at -= 1
                depth += (text[at] in _CLOSING) - (text[at] in _OPENING)
                if not depth:
                    break
            begin = at
            if text[at] == "{":
                break
        elif text[at - 1].isalnum() or text[at - 1] == "_":
            while at > start and (text[at - 1].isalnum() or text[at - 1] == "_"):
                at -= 1
            begin = at
            before = text[start:at].rstrip()
            if not before.endswith(("->", ".")):
                break
        elif text[start:at].endswith("->"):
            at -= 2
        elif text[at - 1] == ".":
            at -= 1
        else:
            break
    return begin


def _declares_any(macros: Iterable[_Macro], text: str) -> bool:
    """Return whether one of some macros may declare a name that a receiver begins with."""
    names = {found[0] for found in _WORD.finditer(text) if not _MEMBER_REVERSED.match(text[: found.start()][::-1])}
    return any(macro.declares(name) for macro in macros for name in names)
