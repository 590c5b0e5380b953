"""Find calls that still pass an argument of the type that a parameter had before the change.

Only numbers, texts, truth values and objects of workspace classes are compared, and only if the types of the argument,
the former parameter and the new one are known for certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from avionics.index.code_index import CodeIndex
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.cached_method import cached_method
from avionics.index.model.values import ClassType, External, FunctionType, InstanceType, Types
from avionics.index.verdicts.calls.callees import Callees
from avionics.index.verdicts.calls.misfits import Callee, Misfit
from avionics.index.verdicts.comparison import VersionPair
from avionics.index.verdicts.findings import Cause
from avionics.late_pattern import late_pattern
from avionics.model.enums import BindingKind, ExpressionKind, SymbolKind
from avionics.model.facts import UNKNOWN
from avionics.model.knowledge import Definition
from avionics.syntax.conversions import PassedValue, read_arguments

_NUMBER = "number"
_OTHER_NAMES = {"Number": "number", "byte": "uint8", "rune": "int32"}
"""Other name of a number type → its name here."""

_GROUPS: Mapping[str, re.Pattern[str]] = {
    "text": late_pattern(r"[sS]tring|str"),
    "truth": late_pattern(r"bool|[bB]oolean"),
    _NUMBER: late_pattern(r"[nN]umber|u?int\d*|float\d*|[iu]size|[iuf]\d+|byte|rune"),
}
"""The names of plain types by group. No language converts a value of one group to another implicitly."""

_Kind = str | ClassType
"""A group of plain types, the name of a type of numbers, or a class with fields."""


class ArgumentTypes:
    """Compares the arguments of calls with the types of parameters before and after a change."""

    def __init__(self, pair: VersionPair, callees: Callees) -> None:
        self._pair = pair
        self._callees = callees

    def is_retyped(self, definition: Definition) -> bool:
        """Return whether parameters of a function have other types now, as far as these are known."""
        return bool(self._read_retyped(definition))

    def iter_unfit(
        self, file: str, callees: Mapping[tuple[int, int], Callee]
    ) -> Iterator[tuple[tuple[int, int], Callee, Misfit]]:
        """Yield the calls of a file, by the places of their names, that pass an argument of the former type."""
        after = self._pair.after
        rules = after.resolver.scopes.rules(file)
        if not callees or rules.calls is None:
            return
        content = after.read_content(file)
        content = content if rules.prepare is None else rules.prepare(content)
        for place, passed in read_arguments(content, rules, rules.calls, after.facts(file), callees).items():
            if any(each.is_spread for each in passed):
                continue
            for position, (was, now, name) in sorted(self._read_retyped(callees[place].definition).items()):
                each = passed[position] if position < len(passed) else None
                if each is not None and self._is_former(file, each, was, now) and not self._may_become(was, now, file):
                    yield place, callees[place], Misfit(Cause.ARGUMENT_TYPE, name)
                    break

    def _is_former(self, file: str, passed: PassedValue, was: _Kind, now: _Kind) -> bool:
        """Return whether an argument has the former type of a parameter and not the new one."""
        after = self._pair.after
        kind = self._identify(after, after.resolver.inference.infer(passed.value, file, passed.scope, passed.line))
        if kind is None or _get_group(was) != _get_group(now):
            return kind is not None and _get_group(kind) == _get_group(was)
        return kind == was and self._has_declared_type(file, passed)

    def _has_declared_type(self, file: str, passed: PassedValue) -> bool:
        """Return whether an argument is a variable with a declared type; a literal takes the type of the parameter."""
        if passed.value.kind is not ExpressionKind.NAME:
            return False
        scopes = self._pair.after.resolver.scopes
        variable = scopes.get_variable(file, passed.scope, passed.value.name)
        bindings = scopes.bindings(variable) if variable is not None else ()
        return bool(bindings) and all(each.annotation != UNKNOWN for each in bindings)

    @cached_method
    def _read_retyped(self, now: Definition) -> dict[int, tuple[_Kind, _Kind, str]]:
        """Return position of a parameter with another type now → its former type, its new type and its name."""
        before, after = self._pair.before, self._pair.after
        rules = after.resolver.scopes.rules(now.file)
        if rules.overloads or rules.linkage or rules.calls is None or rules.calls.named_arguments:
            return {}
        previous = self._callees.list_previous(now)
        symbols = after.facts(now.file).symbols
        if len(previous) != 1 or sum(each.qualname == now.symbol.qualname for each in symbols) != 1:
            return {}
        had, has = self._read_types(before, previous[0]), self._read_types(after, now)
        found = {}
        for position, ((was, _), (kind, name)) in enumerate(zip(had, has, strict=False)):
            current = self._pair.class_after(was) if isinstance(was, ClassType) else was
            if current is not None and kind is not None and current != kind:
                found[position] = current, kind, name
        return found

    def _read_types(self, code: CodeIndex, of: Definition) -> list[tuple[_Kind | None, str]]:
        """Return the declared type and the name of each parameter that is passed by position."""
        signature = self._callees.read_signature(code, of)
        inference = code.resolver.inference
        bindings = {each.name: each for each in inference.signatures.find(FunctionType.of(of))}
        found: list[tuple[_Kind | None, str]] = []
        for each in signature.parameters if signature is not None else ():
            binding = bindings.get(each.name)
            if each.gathers or binding is None or binding.kind is not BindingKind.PARAMETER:
                found.append((None, each.name))
            else:
                types = inference.read_type(binding.annotation, of.file, binding.within)
                found.append((self._identify(code, types), each.name))
        return found

    def _identify(self, code: CodeIndex, types: Types) -> _Kind | None:
        """Return the kind of a value's only type, or None: a plain type other than a number counts as its group."""
        kind = types[0] if len(types) == 1 else None
        if not isinstance(kind, InstanceType):
            return None
        of = kind.of
        if isinstance(of, External):
            return _identify_plain(of.name.rpartition(".")[2]) if of.is_builtin else None
        symbol = code.resolver.scopes.get_class_symbol(of)
        if of.file.startswith(STUBS):
            return _identify_plain(symbol.name) if symbol is not None else None
        is_class = symbol is not None and symbol.kind is SymbolKind.CLASS
        has_fields = any(
            each.parent == of.symbol and each.kind is SymbolKind.ATTRIBUTE for each in code.facts(of.file).symbols
        )
        return of.plain if is_class and has_fields else None

    def _may_become(self, given: _Kind, wanted: _Kind, file: str) -> bool:
        """Return whether a value of one type may also be accepted as one of another type.

        In TypeScript, which compares members, a text may have those of a class. In Rust, a reference to an object may
        be converted to one to the text or object inside (`Deref`).
        """
        rules = self._pair.after.resolver.scopes.rules(file)
        if isinstance(given, str):
            return isinstance(wanted, ClassType) and rules.separate_types
        if isinstance(wanted, str):
            return wanted == "text" and not (rules.separate_types or rules.structural_interfaces)
        return rules.separate_types or not rules.structural_interfaces


def _identify_plain(name: str) -> str | None:
    """Return the name of a plain type of numbers, the group of any other plain type, and None for other names."""
    group = next((group for group, named in _GROUPS.items() if named.fullmatch(name)), None)
    return _OTHER_NAMES.get(name, name) if group == _NUMBER else group


def _get_group(kind: _Kind) -> _Kind:
    """Return one group for the names of all types of numbers, and any other kind as it is."""
    return _NUMBER if isinstance(kind, str) and kind not in _GROUPS else kind
