"""Check that the steps of a path may run one after the other, and add what is shown of them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from avionics.index.analysis.call_tree import CallTreeBuilder, Role
from avionics.index.code_index import CodeIndex
from avionics.index.flows.flow_steps import FlowStep
from avionics.index.model.values import ClassType
from avionics.model.enums import SymbolKind

_MAX_LINES = 4


class PathCheck:
    """Checks the paths of one index."""

    def __init__(self, code: CodeIndex) -> None:
        self._scopes = code.resolver.scopes
        self._members = code.resolver.inference.members
        self._builder = CallTreeBuilder(code)

    def add_lines(self, step: FlowStep) -> FlowStep:
        """Return a step with the other lines of its source that call its target."""
        lines = self._builder.map_owners(step.source, step.target) if step.role is Role.CALLS else {}
        return structs.replace(step, more_lines=tuple(each for each in sorted(lines) if each != step.line)[:_MAX_LINES])

    def get_wrong_turn(self, steps: Sequence[FlowStep]) -> FlowStep | None:
        """Return the call on a path from which a later step to an override is impossible; None if there is none.

        `Circle().draw()` enters the method of a base class, and what that calls on `self` is a method of `Circle`,
        never the override of another subclass.
        """
        entering, owners = None, tuple[ClassType, ...]()
        for step in steps:
            if step.role is Role.CALLS and not (owners and self._builder.is_on_self(step.source, step.target)):
                entering, owners = step, self._list_owners(step)
            elif step.role is Role.OVERRIDDEN:
                of = self._builder.get_class(step.target)
                if of is not None and owners and not any(self._are_related(of, each) for each in owners):
                    return entering
                owners = ()
            elif step.role is not Role.CALLS:
                owners = ()
        return None

    def _list_owners(self, step: FlowStep) -> tuple[ClassType, ...]:
        """Return the classes of the objects on which the source of a step calls its target; () if one is unknown.

        An object of an interface may be of any class that has its members.
        """
        owners = tuple(self._builder.map_owners(step.source, step.target).values())
        known = tuple(each for each in owners if each is not None and not self._is_interface(each))
        return known if len(known) == len(owners) else ()

    def _is_interface(self, of: ClassType) -> bool:
        symbol = self._scopes.get_class_symbol(of)
        return symbol is None or symbol.kind is SymbolKind.INTERFACE

    def _are_related(self, of: ClassType, other: ClassType) -> bool:
        return self._members.is_subclass(of, other) or self._members.is_subclass(other, of)
