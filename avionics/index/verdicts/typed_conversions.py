"""Find the places where values are converted to declared types, in languages with rules for conversions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.model.values import ClassType, External, FunctionType, InstanceType, Types, only_class, union
from avionics.index.types.calls.overloads import held_by
from avionics.index.verdicts.outside_bases import may_give
from avionics.model.enums import BindingKind, ExpressionKind, SymbolKind
from avionics.model.facts import UNKNOWN
from avionics.model.knowledge import Definition
from avionics.syntax.conversions import Conversion, read_conversions


class TypedConversion(Struct, frozen=True):
    """A value of a concrete class, and the declared types of the target that it is assigned or passed to.

    `outside` is the dotted name of the target's type if it is written as one of an outside module, else "".
    """

    given: ClassType
    wanted: Types
    line: int
    column: int
    outside: str = ""


class TypedConversions:
    """Finds the conversions in the files of one index."""

    def __init__(self, code: CodeIndex) -> None:
        self._code = code

    def list_files(self, classes: Iterable[ClassType]) -> frozenset[str]:
        """Return the files that mention one of the classes, or a definition with one of them in its signature."""
        code = self._code
        found: set[str] = set()
        for of in classes:
            symbol = code.resolver.scopes.get_class_symbol(of)
            if symbol is None:
                continue
            named, system = re.compile(rf"\b{re.escape(symbol.name)}\b"), code.modules.system_of(of.file)
            naming = [file for file in code.files_with_word(symbol.name) if code.modules.system_of(file) is system]
            carriers = {
                each.name for file in naming for each in code.facts(file).symbols if named.search(each.signature)
            }
            carrying = (file for name in carriers for file in code.files_with_word(name))
            found.update(naming, (file for file in carrying if code.modules.system_of(file) is system))
        return frozenset(found)

    def read(self, file: str) -> tuple[Conversion, ...]:
        """Return the conversions of a file as they are written."""
        rules = self._code.resolver.scopes.rules(file)
        if rules.conversions is None:
            return ()
        content = self._code.read_content(file)
        if rules.prepare is not None:
            content = rules.prepare(content)  # Facts are extracted from the prepared content.
        return read_conversions(content, rules, rules.conversions, self._code.facts(file))

    def iter_conversions(self, file: str) -> Iterator[TypedConversion]:
        """Yield the conversions of a file whose value has one known class."""
        code = self._code
        for each in self.read(file):
            given = only_class(code.resolver.inference.infer(each.value, file, each.scope, each.line))
            if given is not None and not code.graph.interfaces.is_interface(given):
                wanted = self.infer_wanted(file, each)
                yield TypedConversion(given, wanted, each.line, each.column, self._name_outside(file, each))

    def infer_wanted(self, file: str, each: Conversion) -> Types:
        """Return the declared types of the target of a conversion; () if they are not known."""
        inference = self._code.resolver.inference
        kinds = inference.infer(each.wanted, file, each.scope, each.line)
        if each.parameter < 0:
            return kinds
        function = kinds[0] if len(kinds) == 1 else None
        if isinstance(function, ClassType):
            return (InstanceType(function),)
        if isinstance(function, InstanceType):
            return self._infer_field(function, each.parameter)
        if isinstance(function, External):
            taken = self._code.resolver.scopes.spec(file).outside_parameters.get(function.name, {})
            return (InstanceType(External(taken[each.parameter])),) if each.parameter in taken else ()
        if not isinstance(function, FunctionType):
            return ()
        parameter = inference.signatures.get(function, each.parameter)
        if parameter is None:
            return ()
        kinds = inference.read_type(parameter.annotation, function.file, parameter.within)
        # A variadic parameter is a slice to the function itself.
        return union(*map(held_by, kinds)) if parameter.kind is BindingKind.VARIADIC else kinds

    def _infer_field(self, whole: InstanceType, position: int) -> Types:
        """Return the declared types of a field of a structure; () if that is unknown."""
        of = whole.of
        if not isinstance(of, ClassType) or not self._code.has_file(of.file):
            return ()
        if len(self._code.resolver.inference.members.lineage(of).classes) > 1:
            return ()  # Embedded structures have positions too.
        fields = [
            each
            for each in self._code.facts(of.file).symbols
            if each.parent == of.symbol and each.kind is SymbolKind.ATTRIBUTE
        ]
        name = fields[position].name if position < len(fields) else ""
        return self._code.resolver.inference.infer_member(whole, name) if name else ()

    def iter_outside(self, method: Definition) -> Iterator[tuple[str, int, str]]:
        """Yield the conversions to outside interfaces that may require a method: file, line and name."""
        code = self._code
        own = code.graph.interfaces.class_of(method)
        if own is None or code.resolver.scopes.rules(method.file).conversions is None:
            return
        classes = code.graph.interfaces.promoted_to(own)
        for file in sorted(self.list_files(classes)):
            spec = code.resolver.scopes.spec(file)
            for each in self.iter_conversions(file):
                if each.outside and each.given in classes and may_give(spec, each.outside, method.name):
                    yield file, each.line, each.outside

    def _name_outside(self, file: str, each: Conversion) -> str:
        """Return the dotted name of the wanted type if it is written as one of an outside module, else ""."""
        written = each.wanted.parts[0] if each.wanted.kind is ExpressionKind.TYPED else UNKNOWN
        if written.kind is not ExpressionKind.ATTRIBUTE or written.parts[0].kind is not ExpressionKind.NAME:
            return ""
        kinds = self._code.resolver.inference.infer(written.parts[0], file, each.scope, each.line)
        names = [kind.name for kind in kinds if isinstance(kind, External)]
        return f"{names[0]}.{written.name}" if len(names) == len(kinds) == 1 else ""
