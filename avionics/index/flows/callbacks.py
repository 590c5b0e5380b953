"""Find the functions that code calls without naming them: those passed as a parameter, or given to a library's object.

In `each(files, visit)`, the body of `each` calls what its callers pass as `visit`. `root.add_command(serve)` gives
`serve` to an object whose class is a library's, and `root.run()` may lead there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from avionics.index.analysis.call_tree import CallTreeBuilder
from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.call_arguments import begins_function, get_position
from avionics.index.entrypoints.handlers import build_module_body, holds_function
from avionics.index.flows.registrations import HOLDERS, Registrations
from avionics.index.model.cached_method import cached_method
from avionics.index.model.file_roles import is_product
from avionics.index.types.member_lookup import iter_names
from avionics.late_pattern import late_pattern
from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind
from avionics.model.facts import Reference, line_of
from avionics.model.knowledge import Definition, UsageReport

_REGISTERING_NAME = late_pattern(
    r"(?i:add|register|include|mount|use|attach|handle|subscribe|command|route|install|set|on|plug|bind)(?![a-z])"
)
"""The first word of a method that registers a function that the object calls later."""
_MAX_DEPTH = 4
"""How often a parameter may be passed on before it is called."""
_MAX_CALLERS, _MAX_FILES, _MAX_PASSED = 40, 60, 12
_MAX_ORIGINS = 8
_MAX_ABOVE = 6
"""The limit of lines between the name of a called method and one of its arguments."""


class Callbacks:
    """Finds the functions given to others in one index."""

    def __init__(
        self,
        code: CodeIndex,
        builder: CallTreeBuilder,
        registrations: Registrations,
        read_usages: Callable[[Definition], UsageReport],
    ) -> None:
        self._code = code
        self._registrations = registrations
        self._builder = builder
        self._read_usages = read_usages

    def find_passed(self, function: Definition, name: str) -> tuple[Definition, ...]:
        """Return what a call of a parameter runs: functions that callers name, or callers that pass a lambda.

        A local name stands for the parameters in its value: `for each in list(callbacks)`.
        """
        names = self._list_origin_names(function, name)
        found = {each: None for origin in names for each in self._iter_passed(function, origin, _MAX_DEPTH, set())}
        return tuple(each for each in found if is_product(each.file))[:_MAX_PASSED]

    @cached_method
    def list_given(self, member: Definition) -> tuple[tuple[Definition, str, int], ...]:
        """Return the definitions passed to methods of a library's object, each with the place of the call."""
        is_object = member.kind in HOLDERS and member.symbol.parent < 0
        return tuple(self._iter_given(member)) if is_object else ()

    def find_takers(self, target: Definition, file: str, line: int) -> tuple[Definition, ...]:
        """Return the library objects to which a call on a line, or shortly above, passes a function or object."""
        found: dict[Definition, None] = {}
        for call in self._builder.list_within(file, max(1, line - _MAX_ABOVE), line):
            member = self._get_taker(file, call)
            if member is not None and target in self._iter_arguments(file, call):
                found[member] = None
        return tuple(found)

    def _list_origin_names(self, function: Definition, name: str) -> tuple[str, ...]:
        """Return a name, and the names in the values that a body assigns to it, and to those in turn."""
        bindings, names = self._code.uses(function.file).bindings, [name]
        for local in names:
            own = (binding for binding in bindings.get(local, ()) if function.symbol.span.contains(binding.line))
            values = (binding.value for binding in own if binding.kind is BindingKind.ASSIGNMENT)
            origins = dict.fromkeys(origin for value in values for origin in iter_names(value))
            names += [origin for origin in origins if origin not in names][: max(0, _MAX_ORIGINS - len(names))]
        return tuple(names)

    def _iter_passed(
        self, function: Definition, name: str, depth: int, seen: set[tuple[Definition, str]]
    ) -> Iterator[Definition]:
        """Yield what callers pass for a parameter; a parameter of the caller is followed to the caller's callers."""
        position = get_position(self._code, function, name)
        if position < 0:
            return
        overridden = self._code.graph.classes.overridden(function)
        for called in (function, *((overridden,) if overridden is not None else ())):
            usages = (each for each in self._read_usages(called).usages if each.role is ReferenceKind.CALL)
            for usage in [each for each in usages if is_product(each.file)][:_MAX_CALLERS]:
                on_line = self._builder.list_within(usage.file, usage.line, usage.line)
                call = next((each for each in on_line if each.column == usage.column), None)
                span = self._get_argument(usage.file, call, name, position) if call is not None else None
                if span is None:
                    continue
                around = usage.enclosing or build_module_body(self._code, usage.file)
                if begins_function(self._code.read_text(usage.file), span[0]):
                    yield around
                    continue
                for reference in self._list_read(usage.file, span):
                    passed = self._builder.get_passed(usage.file, reference) or self._get_holding(usage.file, reference)
                    key = (around, reference.name)
                    if passed is not None:
                        yield passed
                    elif depth > 1 and key not in seen:
                        seen.add(key)
                        yield from self._iter_passed(*key, depth - 1, seen)

    def _get_argument(self, file: str, call: Reference, name: str, position: int) -> tuple[int, int] | None:
        """Return where the argument for a parameter begins and ends in the text of a file."""
        text = self._code.read_text(file)
        arguments = self._registrations.list_arguments(file, call)
        keyword = re.compile(rf"\s*{re.escape(name)}\s*=(?!=)\s*")
        for begin, end in arguments:
            if named := keyword.match(text, begin, end):
                return named.end(), end
        return arguments[position] if position < len(arguments) else None

    def _list_read(self, file: str, span: tuple[int, int]) -> list[Reference]:
        """Return the references that read a name without a receiver in a part of the text of a file."""
        texts = self._registrations.texts
        first, last = (line_of(texts.read_text(file), at) for at in span)
        return [
            each
            for each in self._builder.list_within(file, first, last)
            if each.kind is ReferenceKind.READ and span[0] <= texts.get_offset(file, each.line) + each.column < span[1]
        ]

    def _iter_given(self, member: Definition) -> Iterator[tuple[Definition, str, int]]:
        """Yield the arguments of calls on a variable of a module, `app.add(handler)`, with their files and lines."""
        pattern = re.compile(rf"(?<![\w.]){re.escape(member.name)}\s*\.\s*\w+\s*\(")
        files = (each for each in sorted(self._code.files_with_word(member.name)) if is_product(each))
        for file in [each for each in files if pattern.search(self._code.read_text(each))][:_MAX_FILES]:
            references = self._code.uses(file).references.values()
            for call in (each for found in references for each in found):
                if call.receiver is None or call.receiver.name != member.name:
                    continue
                if self._get_taker(file, call) == member:
                    yield from ((each, file, call.line) for each in self._iter_arguments(file, call))

    def _is_registering_call(self, call: Reference) -> bool:
        """Return whether a call on a plain name has a name such as `add` or `register_handler`."""
        receiver = call.receiver
        is_named = receiver is not None and receiver.kind is ExpressionKind.NAME
        return call.kind is ReferenceKind.CALL and is_named and _REGISTERING_NAME.match(call.name) is not None

    def _get_taker(self, file: str, call: Reference) -> Definition | None:
        """Return the variable of a module on which a call runs a method that the workspace does not define."""
        if not self._is_registering_call(call) or self._code.resolver.resolve(file, call).targets:
            return None
        on_line = self._builder.list_within(file, call.line, call.line)
        receiver = call.receiver.name if call.receiver is not None else ""
        read = [each for each in on_line if each.name == receiver and each.column < call.column]
        found = (self._get_variable(file, each) for each in reversed(read))
        return next(filter(None, found), None)

    def _iter_arguments(self, file: str, call: Reference) -> Iterator[Definition]:
        """Yield the functions and variables of modules that the arguments of a call name."""
        for span in self._registrations.list_arguments(file, call):
            for reference in self._list_read(file, span):
                argument = self._builder.get_passed(file, reference) or self._get_variable(file, reference)
                if argument is not None:
                    yield argument

    def _get_holding(self, file: str, reference: Reference) -> Definition | None:
        """Return the variable of a module that a reference means if its value has an anonymous function in it."""
        found = self._get_variable(file, reference)
        return found if found is not None and holds_function(self._code, found) else None

    def _get_variable(self, file: str, reference: Reference) -> Definition | None:
        """Return the variable of a module that a reference means."""
        found = self._code.graph.list_meant(file, reference)
        return next((each for each in found if each.kind in HOLDERS and each.symbol.parent < 0), None)
