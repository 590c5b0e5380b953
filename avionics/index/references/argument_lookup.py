"""Find the names of C and C++ that may mean another definition than the one in their scopes.

A call of a bare name in C++ also finds functions in the namespaces of the arguments or of a `using`. They compete with
the functions in scope as overloads, so the call may mean any of them. A macro that a file defines only if it is not yet
defined may have been defined in a file that is included before.
"""

from __future__ import annotations

from msgspec import structs

from avionics.index.model.values import External, InstanceType, Type, Variable
from avionics.index.references.reference_resolver import Resolution, Resolver
from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, SymbolKind
from avionics.model.facts import Expression, Reference
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.conventions import read_tests


class ArgumentLookup:
    """Tells which calls may find a function through their arguments, and which macros may be defined elsewhere."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._scopes = resolver.scopes

    def doubt(self, file: str, reference: Reference, resolution: Resolution, wanted: Variable) -> Reason | None:
        """Return why a reference may mean a definition that is not the one in its scope; None if it does not."""
        if self._may_find(file, reference, resolution, wanted):
            return Reason(ReasonKind.FOUND_BY_ARGUMENT)
        return Reason(ReasonKind.DEFINED_BY_DEFAULT) if self._may_replace_default(file, resolution, wanted) else None

    def _may_replace_default(self, file: str, resolution: Resolution, wanted: Variable) -> bool:
        """Return whether a used macro is only a default: `#ifndef LIMIT⏎#define LIMIT 10⏎#endif`.

        In a source file that includes both, the wanted definition may come first and be the one in use.
        """
        others = [each for each in resolution.targets if isinstance(each, Variable) and each.file != wanted.file]
        if not others or not all(map(self._is_macro, (wanted, *others))) or not any(map(self._is_default, others)):
            return False
        system = self._scopes.modules.system_of(file)
        with_wanted, with_use = system.list_seeing((wanted.file,)), system.list_seeing((file,))
        return with_wanted is None or with_use is None or not with_wanted.isdisjoint(with_use)

    def _is_macro(self, variable: Variable) -> bool:
        """Return whether a variable is a macro of C or C++."""
        kinds = {each.kind for each in self._scopes.list_definitions(variable)}
        return kinds == {SymbolKind.MACRO} and self._scopes.spec(variable.file).linkage

    def _is_default(self, variable: Variable) -> bool:
        """Return whether a macro is only defined if it is not yet defined."""
        branches = self._resolver.inference.conditions.list_branches(variable.file)
        test = (f"defined {variable.name}", False)
        return any(test in read_tests(branches, each.line) for each in self._scopes.bindings(variable))

    def _may_find(self, file: str, reference: Reference, resolution: Resolution, wanted: Variable) -> bool:
        """Return whether a call may find a function of a namespace that is not in its scope, by its arguments."""
        spec = self._scopes.spec(file)
        if not (spec.linkage and spec.overloads) or reference.receiver is not None:
            return False
        if reference.kind is not ReferenceKind.CALL or reference.arguments is None:
            return False
        space = self._get_namespace(wanted)
        if not space or not all(map(self._is_function, resolution.targets)):
            return False
        if resolution.targets and wanted in self._scopes.stars.find(file, reference.scope, reference.name):
            return self._resolver.inference.overloads.may_take(wanted, file, reference)
        if not any(self._may_belong_to(space, each, file, reference) for each in reference.arguments):
            return False
        return wanted.file == file or self._sees(file, wanted, space)

    def _get_namespace(self, wanted: Variable) -> str:
        """Return the qualified name of the namespace that contains a variable; "" if it is in no namespace."""
        symbol = self._scopes.source.uses(wanted.file).scopes[wanted.scope].symbol
        of = self._scopes.source.facts(wanted.file).symbols[symbol] if symbol >= 0 else None
        return of.qualname if of is not None and of.kind is SymbolKind.MODULE else ""

    def _is_function(self, target: object) -> bool:
        """Return whether a target is a function outside of classes; anything else ends the lookup."""
        if not isinstance(target, Variable):
            return isinstance(target, External)
        symbols = self._scopes.source.facts(target.file).symbols
        declared = [each for each in self._scopes.bindings(target) if each.kind is not BindingKind.IMPORT]
        is_free = not self._scopes.is_member(target)
        return is_free and all(
            each.symbol >= 0 and symbols[each.symbol].kind is SymbolKind.FUNCTION for each in declared
        )

    def _may_belong_to(self, space: str, argument: Expression, file: str, reference: Reference) -> bool:
        """Return whether the type of an argument may be associated with a namespace."""
        if argument.kind in {ExpressionKind.LITERAL, ExpressionKind.FUNCTION}:
            return False
        types = self._resolver.inference.infer(argument, file, reference.scope, reference.line)
        return not types or any(self._is_associated(space, each) for each in types)

    def _is_associated(self, space: str, of: Type) -> bool:
        if not isinstance(of, InstanceType) or of.arguments:
            return True
        if isinstance(of.of, External):
            return False
        if of.of.arguments:
            return True
        lineage = self._resolver.inference.members.lineage(of.of)
        symbols = [self._scopes.get_class_symbol(each) for each in lineage.classes]
        names = [symbol.qualname if symbol is not None else space for symbol in symbols]
        return lineage.is_open or any(name.startswith(f"{space}.") for name in names)

    def _sees(self, file: str, wanted: Variable, space: str) -> bool:
        """Return whether a file sees the function in its namespace."""
        for module in self._scopes.modules.ambient(file):
            if module.seen_from:
                inner = structs.replace(module, inner=tuple(space.split(".")))
                return wanted in self._scopes.find_member(inner, wanted.name)
        return False
