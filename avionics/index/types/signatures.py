"""Parameters as functions declare them, and arguments as calls pass them."""

from __future__ import annotations

import itertools
import re

from msgspec import Struct

from avionics.index.model.values import FunctionType, Types, Variable
from avionics.index.scopes.name_resolver import NameResolver
from avionics.late_pattern import late_pattern
from avionics.model.enums import BindingKind, ExpressionKind, ScopeKind
from avionics.model.facts import Binding, Expression
from avionics.model.knowledge import Definition

_VALUES = frozenset({BindingKind.PARAMETER, BindingKind.VARIADIC})
MORE = "**"
"""The name of a KEYWORD argument that stands for any number of arguments."""


class Arguments(Struct, frozen=True):
    """The arguments of a call: as written, with the place to read them at, or as values already known.

    Attributes:
        written: The positional expressions, then the KEYWORD ones.
        file, scope, line: The place of the call, where the names in `written` are resolved.
        known: The types of positional arguments, for calls that are not written, such as that of a decorator.
    """

    written: tuple[Expression, ...] = ()
    file: str = ""
    scope: int = 0
    line: int = 0
    known: tuple[Types, ...] = ()

    @property
    def positional(self) -> tuple[Expression, ...]:
        """Return the arguments without a name."""
        return tuple(part for part in self.written if part.kind is not ExpressionKind.KEYWORD)

    @property
    def named(self) -> dict[str, Expression]:
        """Return the named arguments; MORE represents any others."""
        return {part.name: part.parts[0] for part in self.written if part.kind is ExpressionKind.KEYWORD}


_WORD = late_pattern(r"\w+|[^\w\s]")
_CLOSING = {"(": ")", "<": ">", "[": "]", "{": "}"}
_OF_OBJECT = frozenset({"const", "volatile", "&"})
"""The qualifiers after the parameters by which methods differ: `int f() const`."""
_NAMELESS_AFTER = frozenset({"::", ":", "const", "volatile", "struct", "class", "enum", "union", "typename"})
"""A word after one of these is a type rather than the name of a parameter."""
_NUMBERS = frozenset({"int", "char", "long", "short", "double", "float", "unsigned", "signed", "bool"})
_NO_TYPE = frozenset({"struct", "class", "enum", "union", "typename"})
_MAX_FILES = 400
"""The number of files whose parameters are kept; when there are more, all are dropped."""
_MAX_WRITTEN = 50_000
"""The number of functions whose written parameters are kept, about 20 MB; when there are more, all are dropped."""

NO_ARGUMENTS = Arguments()
"""A call whose arguments are not known."""


class Signatures:
    """The parameters of the functions of one snapshot."""

    def __init__(self, scopes: NameResolver) -> None:
        self._scopes = scopes
        self._known: dict[str, dict[int, tuple[Binding, ...]]] = {}
        """File → scope → parameters."""
        self._words: dict[tuple[str, int], tuple[tuple[str, ...], ...]] = {}

    def find(self, function: FunctionType) -> tuple[Binding, ...]:
        """Return the parameters of a function in order, its own object included."""
        known = self._known.get(function.file)
        if known is None:
            if len(self._known) >= _MAX_FILES:
                self._known.clear()
            known = self._known[function.file] = self._group(function.file)
        return known.get(self._scopes.class_scope(function.file, function.symbol), ())

    def _group(self, file: str) -> dict[int, tuple[Binding, ...]]:
        """Return the parameters of a file by their scopes, each in order."""
        found: dict[int, list[Binding]] = {}
        for bindings in self._scopes.source.uses(file).bindings.values():
            for each in bindings:
                if each.kind in _VALUES:
                    found.setdefault(each.scope, []).append(each)
        return {at: tuple(sorted(those, key=lambda each: (each.line, each.column))) for at, those in found.items()}

    def get(self, function: FunctionType, argument: int | str) -> Binding | None:
        """Return the parameter that an argument, by position or by name, is passed to."""
        parameters = self.find(function)
        if isinstance(argument, str):
            return next((binding for binding in parameters if binding.name == argument), None)
        position = argument + self.has_own_object(function)
        if position < len(parameters):
            return parameters[position]
        last = parameters[-1] if parameters else None
        return last if last is not None and last.kind is BindingKind.VARIADIC else None

    def read_written(self, definition: Definition) -> tuple[tuple[str, ...], ...]:
        """Return the words of each parameter of a function of C++, without its name and default; () elsewhere.

        The words are sorted, as `const T` is `T const`. The qualifiers of the method come last.
        """
        spec, key = self._scopes.spec(definition.file), (definition.file, definition.index)
        if not (spec.linkage and spec.overloads):
            return ()
        if key not in self._words:
            if len(self._words) >= _MAX_WRITTEN:
                self._words.clear()
            self._words[key] = self._read_words(definition)
        return self._words[key]

    def _read_words(self, definition: Definition) -> tuple[tuple[str, ...], ...]:
        written = definition.symbol.signature
        head = re.search(rf"(?<!\w){re.escape(definition.name)}\s*\(", written)
        if head is None:
            return ()
        words = iter(_WORD.findall(written, head.end()))
        parts: list[list[str]] = [[]]
        pending: list[str] = []
        for word in words:
            if word == ")" and not pending:
                break
            if word in _CLOSING:
                pending.append(_CLOSING[word])
            elif pending and word == pending[-1]:
                pending.pop()
            if word == "," and not pending:
                parts.append([])
            else:
                parts[-1].append(word)
        behind = itertools.takewhile(_OF_OBJECT.__contains__, words)
        return (*(_read_type(part) for part in parts if part not in ([], ["void"])), ("", *behind))

    def find_type_parameters(self, function: FunctionType) -> tuple[Variable, ...]:
        """Return the type parameters of a function, in order; they are in its scope or in an enclosing block."""
        scope = self._scopes.class_scope(function.file, function.symbol)
        scopes = self._scopes.source.uses(function.file).scopes
        around = scopes[scope].parent if scope >= 0 else -1
        is_block = around >= 0 and scopes[around].kind is ScopeKind.BLOCK
        outside = self._scopes.parameters_at(function.file, around) if is_block else ()
        return (*outside, *self._scopes.parameters_at(function.file, scope))

    def has_own_object(self, function: FunctionType) -> bool:
        """Return whether the first parameter is the object that the function was taken from."""
        parameters = self.find(function)
        if function.receiver is None or not parameters:
            return False
        scope = self._scopes.source.uses(function.file).scopes[parameters[0].scope]
        may_be_unnamed = self._scopes.spec(function.file).executed_classes
        return scope.self_name == parameters[0].name or (may_be_unnamed and not scope.self_name)


def _read_type(words: list[str]) -> tuple[str, ...]:
    """Return the words of a parameter's type, sorted."""
    words = words[: words.index("=")] if "=" in words else words
    plain = [word for word in words if word not in _NO_TYPE]
    is_name = len(plain) > 1 and plain[-1].isidentifier() and plain[-1] not in _NUMBERS | {"const"}
    is_typed = is_name and not (len(words) > 1 and words[-2] in _NAMELESS_AFTER)
    return tuple(sorted(plain[:-1] if is_typed else plain))
