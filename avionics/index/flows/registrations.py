"""Find the functions that are registered: given to a function that stores its parameter for later calls.

`bus.connect(handler)` stores in `receivers` what `bus.send` calls later, `set_callback(connection, handler)` assigns it
to a field, and `@bus.on("saved")` stores the function below it. A step leads from the member to each such function.

Tables set the fields of structures to functions by position, `{ "add", run_add }` in a `struct command commands[]`.
Such a row names no field; the declaration of the structure tells which one each value is for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from avionics.index.analysis.call_tree import CallTreeBuilder
from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.call_arguments import CallTexts, begins_function, read_arguments
from avionics.index.model.cached_method import cached_method
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.model.values import Variable
from avionics.late_pattern import late_pattern
from avionics.model.enums import (
    BODIES,
    CALLS,
    PARAMETERS,
    BindingKind,
    ExpressionKind,
    ReferenceKind,
    SymbolKind,
    is_class,
)
from avionics.model.facts import Reference, line_of
from avionics.model.knowledge import Definition, UsageReport

HOLDERS = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.ATTRIBUTE})
MEMBERS = HOLDERS | {SymbolKind.PROPERTY}
_ADDITION = late_pattern(
    r"(?:\[[^\]\n]{0,60}\]|\.(?:get|setdefault|entry)\([^)\n]{0,60}\)|\.or_(?:default|insert\w*)\([^)\n]{0,40}\))*"
    r"(?:\s*(?:\.|->)\s*(?:add|append|push|insert|put|set|register|connect|subscribe|extend|store|emplace)\w*\s*\("
    r"|\[[^\]\n]{0,60}\]\s*=(?!=))"
)
"""What follows a container when something is added to it: `.append(`, `[key].add(`, `[key] = `."""
_END_OF_VALUE = late_pattern(r"\s*(?:[,)\];}]|\Z|or\b|\|\||\?\?|if\b|//|#)")
"""What follows a name that is a whole value rather than the object of a member access."""
_CALLED_ELEMENT = late_pattern(r"\s*(?:\[[^\]\n]{0,60}\]|\.get\([^)\n]{0,60}\))\s*\??\.?\(")
"""What follows a container whose element is called directly."""
_READ_FIELD = late_pattern(r"\s*\[[^\]\n]{0,60}\]\s*(?:\.|->)\s*\w++(?!\s*\)?\s*\()")
"""What follows a table when a field of an element is read but not called."""
_SUBSCRIBES = late_pattern(
    r"(?:receiver|receives|subscriber?|listener|listens?(?:_?(?:to|for))?|observer?|observes|on)"
)
"""The name of a library's decorator that subscribes the function below it to the event in the first argument."""
_MAX_ABOVE = 6
"""The limit of lines between the name of a called function and one of its arguments."""
_MAX_DEPTH = 2
"""The maximum number of functions through which a function may register."""
_MAX_OVERRIDES, _MAX_CALLERS = 6, 40


_MAX_FILES, _MAX_ROWS, _MAX_ROW_DEPTH = 60, 400, 2
_UNCOUNTABLE = re.compile(r"#|\{[^}]*\{|\bunion\b|=")
"""Text in the body of a structure whose fields may not be all of its symbols: directives, nested types, unions."""
_DIRECTIVE = re.compile(r"^[ \t]*#[^\n]*(?:\\\n[^\n]*)*", re.MULTILINE)
"""A directive between the rows of a table."""


class Registrations:
    """Finds registered functions in one index."""

    def __init__(
        self, code: CodeIndex, builder: CallTreeBuilder, read_usages: Callable[[Definition], UsageReport]
    ) -> None:
        self._code = code
        self._builder = builder
        self._read_usages = read_usages
        self.texts = CallTexts(code)
        self._stored: dict[Definition, tuple[Definition, ...]] = {}

    def find_stored(self, function: Definition) -> tuple[Definition, ...]:
        """Return the members in which a function stores its parameters, itself or through another function."""
        return self._find_stored(function, _MAX_DEPTH)

    def find_storing(self, target: Definition, file: str, line: int) -> tuple[Definition, ...]:
        """Return the members in which a call or decorator on a line stores a function passed to it."""
        found: dict[Definition, None] = {}
        first = max(1, line - _MAX_ABOVE)
        for call in self._builder.list_within(file, first, line):
            if call.kind is ReferenceKind.CALL and any(each == target for each in self.find_given(file, call, line)):
                found |= dict.fromkeys(d for each in self._find_called(file, call) for d in self.find_stored(each))
        return tuple(found)

    def find_decorating(self, target: Definition) -> tuple[tuple[Definition, int], ...]:
        """Return the members in which the decorators of a function store it, each with the line of the decorator."""
        if not target.symbol.decorators:
            return ()
        above = self._builder.list_within(target.file, target.symbol.span.start_line, target.line)
        lines: dict[Definition, int] = {}
        for decorator in (each for each in above if each.kind in CALLS):
            functions = self._find_called(target.file, decorator)
            members = [member for function in functions for member in self.find_stored(function)]
            if not functions and _SUBSCRIBES.fullmatch(decorator.name):
                beside = (each for each in above if each.line == decorator.line and self.is_passed(target.file, each))
                members = [member for each in beside for member in self._iter_members(target.file, each)]
            for member in members:
                lines.setdefault(member, decorator.line)
        return tuple(lines.items())

    def iter_registering(self, member: Definition, around: Definition) -> Iterator[tuple[str, int, Definition]]:
        """Yield the calls of the function around a use of a member that register a function, and that function."""
        for function in (around, self._code.get_parent(around)):
            if function is not None and function.kind in BODIES and member in self.find_stored(function):
                yield from self._iter_registering(function, member, _MAX_DEPTH)

    def _iter_registering(
        self, function: Definition, member: Definition, depth: int
    ) -> Iterator[tuple[str, int, Definition]]:
        """Yield the calls of a function that stores its parameter, and the functions that these calls register.

        A call within another such function is followed to the calls of that function.
        """
        above = self._code.graph.classes.overridden(function)
        for called in (function, *((above,) if above is not None else ())):
            for usage in [each for each in self._read_usages(called).usages if each.role in CALLS][:_MAX_CALLERS]:
                decorated = self._get_function_below(usage.file, usage.line)
                if decorated is not None:
                    yield usage.file, usage.line, decorated
                    continue
                on_line = self._builder.list_within(usage.file, usage.line, usage.line)
                outer = usage.enclosing
                for call in (each for each in on_line if (each.line, each.column) == (usage.line, usage.column)):
                    for registered in self.find_given(usage.file, call):
                        yield usage.file, call.line, registered
                    if outer is not None and outer.kind in BODIES and self._is_given_function(usage.file, call):
                        yield usage.file, call.line, outer
                is_within_other = outer is not None and outer not in {function, called} and outer.kind in BODIES
                if depth > 1 and outer is not None and is_within_other and member in self.find_stored(outer):
                    yield from self._iter_registering(outer, member, depth - 1)

    def find_given(self, file: str, call: Reference, line: int = 0) -> tuple[Definition, ...]:
        """Return the functions that are passed to a call by name; only those on one line if a line is given."""
        arguments = self.list_arguments(file, call)
        if not arguments:
            return ()
        begin, end = arguments[0][0], arguments[-1][1]
        last = line_of(self.texts.read_text(file), end)
        functions: dict[Definition, None] = {}
        for each in self._builder.list_within(file, line or call.line, line or last):
            offset = self.texts.get_offset(file, each.line) + each.column
            if each.kind is ReferenceKind.READ and begin <= offset < end:
                function = self._builder.get_passed(file, each)
                if function is not None:
                    functions[function] = None
        return tuple(functions)

    def list_arguments(self, file: str, call: Reference) -> tuple[tuple[int, int], ...]:
        """Return where the arguments of a call begin and end in the text of a file."""
        text, start = self.texts.read_text(file), self.texts.get_offset(file, call.line) + call.column
        opening = text.find("(", start + len(call.name.removesuffix("()")))
        return read_arguments(text, opening) if opening >= 0 else ()

    def _is_given_function(self, file: str, call: Reference) -> bool:
        """Return whether an argument of a call is a function written there."""
        text = self.texts.read_text(file)
        return any(begins_function(text, begin) for begin, _ in self.list_arguments(file, call))

    def iter_called_members(
        self, function: Definition, unknown: Collection[str]
    ) -> Iterator[tuple[Reference, Definition]]:
        """Yield the members whose elements the body of a function calls: `self.handlers[key]()`.

        It may also do so by a local name: `for handle in self.handlers: handle()`. `unknown` are the names that it
        calls and whose targets are unknown.
        """
        span = function.symbol.span
        bindings = (each for of_name in self._code.uses(function.file).bindings.values() for each in of_name)
        assigned = [each for each in bindings if each.kind is BindingKind.ASSIGNMENT and span.contains(each.line)]
        are_called = any(each.name in unknown for each in assigned)
        assigning = {each.line for each in assigned} if are_called else set[int]()
        for each in self._builder.list_references(function, frozenset({ReferenceKind.READ})):
            if each.line in assigning or _CALLED_ELEMENT.match(self._read_after(function.file, each)):
                for member in self._iter_members(function.file, each):
                    yield each, member

    def may_call_held(self, function: Definition, table: Definition, unknown: Collection[str]) -> bool:
        """Return whether a body that reads a table may call its functions: it calls an element, or passes one on."""
        bindings = self._code.uses(function.file).bindings
        span = function.symbol.span
        for name in {each.partition(".")[0] for each in unknown}:
            local = bindings.get(name, ())
            if any(each.kind is BindingKind.ASSIGNMENT and span.contains(each.line) for each in local):
                return True
        for each in self._builder.list_references(function, frozenset({ReferenceKind.READ})):
            if each.name == table.name:
                after = self._read_after(function.file, each)
                if _END_OF_VALUE.match(after) or _CALLED_ELEMENT.match(after) or not _READ_FIELD.match(after):
                    return True
        return False

    def _find_stored(self, function: Definition, depth: int) -> tuple[Definition, ...]:
        """Return the members in which a function, or an override of one that is only declared, stores a parameter."""
        if function not in self._stored:
            self._stored[function] = ()
            members = dict.fromkeys(self._iter_stored(function, depth))
            overrides = self._code.graph.classes.overrides(function) if self._is_declared(function) else ()
            for override in overrides[:_MAX_OVERRIDES]:
                members |= dict.fromkeys(self._find_stored(override, depth))
            self._stored[function] = tuple(members)
        return self._stored[function]

    def _iter_stored(self, function: Definition, depth: int) -> Iterator[Definition]:
        """Yield the members that a function assigns, or adds to, on a line that also reads a parameter."""
        file = function.file
        inside = self._builder.list_within(file, function.line, function.symbol.span.end_line)
        reading = {each.line for each in inside if self._is_parameter_read(file, each)}
        for each in (each for each in inside if each.line in reading or self._spans_line(file, each, reading)):
            is_added = each.kind is ReferenceKind.READ and _ADDITION.match(self._read_after(file, each)) is not None
            if each.kind is ReferenceKind.WRITE or is_added:
                yield from self._iter_members(file, each)
            elif each.kind is ReferenceKind.CALL and depth > 1:
                for called in self._find_called(file, each):
                    yield from self._find_stored(called, depth - 1)

    def _spans_line(self, file: str, call: Reference, lines: Collection[int]) -> bool:
        """Return whether the arguments of a call continue on one of some lines below it."""
        if call.kind is not ReferenceKind.CALL or not any(call.line < each <= call.line + _MAX_ABOVE for each in lines):
            return False
        arguments = self.list_arguments(file, call)
        last = line_of(self.texts.read_text(file), arguments[-1][1]) if arguments else 0
        return any(call.line < each <= last for each in lines)

    def is_passed(self, file: str, reference: Reference) -> bool:
        """Return whether a reference reads a variable as a whole value, as an argument does."""
        if reference.kind is not ReferenceKind.READ or reference.receiver is not None:
            return False
        return _END_OF_VALUE.match(self._read_after(file, reference)) is not None

    def _read_after(self, file: str, reference: Reference) -> str:
        """Return what follows a reference on its line."""
        line = self._code.read_line(file, reference.line)
        return line[reference.column + len(reference.name) :]

    def _is_parameter_read(self, file: str, reference: Reference) -> bool:
        """Return whether a reference reads a parameter as a whole value."""
        if not self.is_passed(file, reference):
            return False
        targets = self._code.resolver.resolve(file, reference).targets
        variables = [each for each in targets if isinstance(each, Variable)]
        return any(each.kind in PARAMETERS for v in variables for each in self._code.resolver.scopes.bindings(v))

    def _iter_members(self, file: str, reference: Reference) -> Iterator[Definition]:
        """Yield the members and variables of modules that a reference means."""
        targets = self._code.resolver.resolve(file, reference).targets
        for each in (each for each in targets if isinstance(each, Variable)):
            found = self._code.graph.get_definition(each)
            if found is not None and found.kind in MEMBERS:
                yield found
            for default in self._list_defaults(each):
                yield from self._iter_members(each.file, default)

    def _list_defaults(self, parameter: Variable) -> list[Reference]:
        """Return the references to a member in the default of a parameter: `Bus.shared` of `bus=Bus.shared`."""
        found = (each for each in self._code.resolver.scopes.bindings(parameter) if each.kind in PARAMETERS)
        defaults = [each for each in found if each.value.kind is ExpressionKind.ATTRIBUTE]
        return [
            each
            for bound in defaults
            for each in self._builder.list_within(parameter.file, bound.line, bound.line)
            if each.kind is ReferenceKind.READ and each.column > bound.column and each.name == bound.value.name
        ]

    def _find_called(self, file: str, call: Reference) -> tuple[Definition, ...]:
        """Return the functions that a call may run."""
        found = self._code.graph.list_meant(file, call)
        entered = map(self._builder.get_entered, found)
        return tuple(body for each in entered if each.kind in BODIES for body in self._list_linked_bodies(each))

    def _list_linked_bodies(self, function: Definition) -> tuple[Definition, ...]:
        """Return the function itself; if it is only declared, the definitions that a linker may choose."""
        body = self._code.graph.body_of(function)
        return self.list_linked(body)[:_MAX_OVERRIDES] or (body,)

    def list_linked(self, function: Definition) -> tuple[Definition, ...]:
        """Return the definitions that a linker may choose for a function that is only declared, () for others."""
        if not (function.symbol.is_announced and self._code.spec(function.file).linkage):
            return ()
        same = (each for each in self._code.find_definitions(function.name) if each.kind in BODIES)
        linked = [each for each in same if each.symbol.exported and not each.symbol.is_announced]
        return tuple(each for each in linked if role_of(each.file) is not FileRole.TEST) or tuple(linked)

    def _is_declared(self, function: Definition) -> bool:
        """Return whether a method may be only declared, as in an interface, and so stores nothing."""
        return function.kind is SymbolKind.METHOD and function.symbol.parent >= 0 and not self._stored[function]

    def _get_function_below(self, file: str, line: int) -> Definition | None:
        """Return the function whose decorator is on a line."""
        bodies = (each for each in self._code.iter_definitions(file) if each.kind in BODIES)
        return next((each for each in bodies if each.symbol.span.start_line <= line < each.line), None)


class InitializedTables:
    """Finds the functions in tables of one index, and the fields that they are the values of."""

    def __init__(self, code: CodeIndex, builder: CallTreeBuilder) -> None:
        self._code = code
        self._builder = builder
        self.texts = CallTexts(code)

    def list_values(self, field: Definition) -> tuple[tuple[Definition, str, int], ...]:
        """Return the functions that tables set a field to by position, each with the place of the value."""
        structure = self._code.get_class_around(field)
        if structure is None or field not in (fields := self._list_fields(structure)):
            return ()
        position = fields.index(field)
        values: dict[tuple[Definition, str, int], None] = {}
        for file in sorted(self._code.files_with_word(structure.name))[:_MAX_FILES]:
            for table in self._code.iter_definitions(file):
                if table.kind in HOLDERS and self._is_table_of(table, structure):
                    values |= dict.fromkeys(self._iter_values(table, position))
        return tuple(values)

    def may_be_set(self, field: Definition) -> bool:
        """Return whether tables may set a field by a position that is not known."""
        structure = self._code.get_class_around(field)
        return structure is not None and self._code.spec(structure.file).linkage and not self._list_fields(structure)

    def get_field(self, table: Definition, line: int, column: int) -> Definition | None:
        """Return the field that a value in a table is for, None if the table is of no structure with such fields."""
        if table.kind not in HOLDERS or not self._code.spec(table.file).linkage:
            return None
        offset = self.texts.get_offset(table.file, line) + column
        for structure in self._list_structures(table):
            fields = self._list_fields(structure)
            for row in self._iter_rows(table):
                position = next((number for number, (begin, end) in enumerate(row) if begin <= offset < end), -1)
                if 0 <= position < len(fields):
                    return fields[position]
        return None

    def _list_structures(self, table: Definition) -> tuple[Definition, ...]:
        """Return the structure that the declaration of a table names."""
        named = re.findall(r"\w+", table.symbol.signature.partition("=")[0].partition(table.name)[0])
        found = [each for name in named for each in self._code.find_definitions(name) if is_class(each.kind)]
        candidates = [each for each in found if each.file == table.file] or found
        return tuple(candidates) if len({each.name for each in candidates}) == 1 else ()

    def _is_table_of(self, table: Definition, structure: Definition) -> bool:
        return structure.name in table.symbol.signature.partition("=")[0] and structure in self._list_structures(table)

    @cached_method
    def _list_fields(self, structure: Definition) -> tuple[Definition, ...]:
        """Return the fields of a structure in their order; () if other things in it make the order uncertain."""
        span = structure.symbol.span
        text = "\n".join(self._code.read_lines(structure.file)[span.start_line - 1 : span.end_line])
        is_plain = self._code.spec(structure.file).linkage and not _UNCOUNTABLE.search(text)
        members = sorted(self._code.list_members(structure), key=lambda each: (each.line, each.symbol.column))
        is_known = is_plain and all(each.kind is SymbolKind.ATTRIBUTE for each in members)
        return tuple(members) if is_known else ()

    def _iter_rows(self, table: Definition) -> Iterator[tuple[tuple[int, int], ...]]:
        """Yield where the values of each row of a table begin and end; a structure alone is one: `= { "add", add }`."""
        text, span = self.texts.read_text(table.file), table.symbol.span
        first = self.texts.get_offset(table.file, span.start_line)
        first += table.symbol.column * (span.start_line == table.line)
        last = self.texts.get_offset(table.file, span.end_line + 1)
        opening = text.find("{", first, last)
        assigned = text.find("=", first, last)
        if opening < 0 or not 0 <= assigned < opening:
            return
        plain = _DIRECTIVE.sub(lambda each: " " * len(each[0]), text[:last])
        yield from self._iter_row_arguments(plain, opening, _MAX_ROW_DEPTH)

    def _iter_row_arguments(self, text: str, opening: int, depth: int) -> Iterator[tuple[tuple[int, int], ...]]:
        """Yield where the values between braces begin and end; if braces are the values, those within each of them."""
        row = read_arguments(text, opening)
        inner = [begin + len(text[begin:end]) - len(text[begin:end].lstrip()) for begin, end in row]
        is_of_rows = bool(inner) and text.startswith("{", inner[0])
        if not is_of_rows:
            yield row
        for begin in (inner if is_of_rows and depth > 1 else ())[:_MAX_ROWS]:
            if text.startswith("{", begin):
                yield from self._iter_row_arguments(text, begin, depth - 1)

    def _iter_values(self, table: Definition, position: int) -> Iterator[tuple[Definition, str, int]]:
        """Yield the functions at a position of the rows of a table."""
        text = self.texts.read_text(table.file)
        for row in self._iter_rows(table):
            if position >= len(row):
                continue
            begin, end = row[position]
            line = line_of(text, begin + len(text[begin:end]) - len(text[begin:end].lstrip()))
            start = self.texts.get_offset(table.file, line)
            for each in self._builder.list_within(table.file, line, line):
                if each.kind is ReferenceKind.READ and begin <= start + each.column < end:
                    function = self._builder.get_passed(table.file, each)
                    if function is not None and function.kind in BODIES:
                        yield function, table.file, line
