"""Find the uses of constructors that do not name them: calls of their class, and calls from a subclass (`super(…)`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import structs

from avionics.cancellation import has_time
from avionics.index.facts.fact_source import FactSource
from avionics.index.model.values import ClassType, Variable
from avionics.index.references.class_hierarchy import ClassHierarchy
from avionics.index.references.reference_resolver import Resolver
from avionics.index.references.usage_classifier import UsageClassifier
from avionics.index.scopes.name_resolver import CONSTRUCTOR
from avionics.index.types.calls.overloads import Overloads
from avionics.late_pattern import late_pattern
from avionics.model.enums import Evidence, ReferenceKind, SymbolKind, is_class
from avionics.model.knowledge import Definition, UnresolvedUse, Usage, UsageReport
from avionics.model.reasons import Reason, ReasonKind

_GIVEN = late_pattern(r"[^()]*+\((\w+(?:\s?,\s?\w+)*)\s?\);")
"""A prototype whose parameters are single names, which are in the group."""
_CALLING = frozenset({ReferenceKind.CALL, ReferenceKind.DECORATE})
_CONSTRUCTORS = frozenset({CONSTRUCTOR, "__new__"})
_VALUES = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT})


def is_given_values(definition: Definition, source: FactSource) -> bool:
    """Return whether a prototype of C++ declares an object instead, made from values: `static Lock guard(mutex);`."""
    is_function = definition.kind is SymbolKind.FUNCTION
    given = _GIVEN.fullmatch(definition.symbol.signature) if is_function else None
    names = (name.strip() for name in given[1].split(",")) if given is not None else ()
    kinds = {each.kind for name in names for each in source.iter_named(name)}
    return bool(kinds & _VALUES) and not (any(map(is_class, kinds)) or SymbolKind.TYPE in kinds)


class ConstructorUses:
    """Finds the uses of constructors that do not name them."""

    def __init__(
        self,
        resolver: Resolver,
        classifier: UsageClassifier,
        classes: ClassHierarchy,
        find_usages: Callable[[Definition], UsageReport],
    ) -> None:
        self._resolver = resolver
        self._scopes = resolver.scopes
        self._classifier = classifier
        self._classes = classes
        self._find_usages = find_usages

    def find(
        self, definition: Definition, variables: tuple[Variable, ...], overloads: Overloads
    ) -> tuple[list[Usage | UnresolvedUse], list[Reason]]:
        """Return the calls that run a constructor, which is one of the variables, and why there may be others."""
        variable = next((each for each in variables if each.name in _CONSTRUCTORS), None)
        if variable is None or not self._scopes.is_member(variable):
            return [], []
        members = self._resolver.inference.members
        of = members.class_declaring(variable)
        owner = self._scopes.get_class_definition(of)
        if owner is None or owner == definition:  # A function of JavaScript may be its own class.
            return [], []
        is_inherited = not self._scopes.spec(owner.file).overloads
        below = (self._classes.descendants if is_inherited else self._classes.subclasses)(owner)
        is_named = definition.name == variable.name
        found = [] if is_named else list(self._iter_calls_from_below(variables, overloads, (owner, *below)))
        reasons: list[Reason] = []
        for subclass in (owner, *(below if is_inherited else ())):
            member = members.find(ClassType.of(subclass), variable.name)
            if member is not None and member.variable == variable and has_time():
                report = self._find_usages(subclass)
                open_count = len(report.unresolved) + len(report.reasons)
                for usage in (each for each in report.usages if each.role in _CALLING):
                    fits = self._fits(usage, overloads)
                    if fits:
                        found.append(structs.replace(usage, evidence=Evidence.MEMBER))
                    open_count += fits is None
                if open_count:
                    reasons.append(Reason(ReasonKind.CLASS_NOT_SETTLED, open_count, subject=subclass.symbol.qualname))
        return found, reasons

    def _iter_calls_from_below(
        self, variables: tuple[Variable, ...], overloads: Overloads, classes: tuple[Definition, ...]
    ) -> Iterator[Usage | UnresolvedUse]:
        """Yield the calls `super(…)` and `this(…)` in classes, which do not name the constructor."""
        files = sorted({each.file for each in classes})
        self._scopes.source.load_uses(files)
        for file in files:
            yield from self._classifier.classify(file, CONSTRUCTOR, variables, overloads, frozenset(), ())

    def _fits(self, usage: Usage, overloads: Overloads) -> bool | None:
        """Return whether the call at a usage selects the overload asked for; None if that is unknown."""
        references = self._scopes.source.uses(usage.file).references
        there = [
            each
            for found in references.values()
            for each in found
            if (each.line, each.column) == (usage.line, usage.column)
        ]
        selected = [overloads.select(usage.file, each) for each in there]
        if any(each is False for each in selected):
            return False
        return None if any(isinstance(each, Reason) for each in selected) else True
