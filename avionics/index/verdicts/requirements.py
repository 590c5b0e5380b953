"""Read which members interfaces and abstract classes require of subclasses, in the two versions of a change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.facts.stdlib_stubs import STUBS, read_stub
from avionics.index.model.cached_method import cached_method
from avionics.index.model.values import ClassType, FunctionType
from avionics.index.verdicts.findings import Cause
from avionics.model.enums import FUNCTIONS
from avionics.model.knowledge import Definition
from avionics.model.naming import as_written
from avionics.syntax.call_sites import Position, read_requirements, read_signatures


class UnmetRequirement(Struct, frozen=True):
    """A required member that a class lacks, or a member that overrides nothing or does not fit its base.

    Attributes:
        cause: NOT_IMPLEMENTED, OVERRIDES_NOTHING, ASKED_BY_NONE or DECLARED_OTHERWISE.
        holder: The class, or the type that an implementation block is for.
        member: The member's name.
        required_by: The interface or base class; "" for an override.
        place: The place to report.
        requirement: The definition that requires the member, or required it before.
    """

    cause: Cause
    holder: str
    member: str
    required_by: str
    place: tuple[str, int, int]
    requirement: Definition | None


class NeededMember(Struct, frozen=True):
    """A member that an interface or abstract class requires; `count` is its number of parameters."""

    name: str
    count: int
    owner: str
    definition: Definition

    @property
    def function(self) -> FunctionType:
        """Return the member as a function."""
        return FunctionType.of(self.definition)

    @property
    def holder(self) -> ClassType:
        """Return the interface or class that declares the member."""
        return ClassType(self.definition.file, self.definition.symbol.parent)


def list_declared(code: CodeIndex, of: ClassType) -> tuple[Definition, ...]:
    """Return the definitions directly in the body of a class; () for a class without a name."""
    if of.symbol < 0:
        return ()
    return tuple(each for each in code.iter_definitions(of.file) if each.symbol.parent == of.symbol)


def list_names(code: CodeIndex, file: str, scope: int) -> dict[str, Position]:
    """Return the names that a scope binds itself, with their places."""
    return {
        as_written(name): (binding.line, binding.column)
        for name, bindings in code.uses(file).bindings.items()
        for binding in bindings
        if binding.scope == scope
    }


class Requirements:
    """Reads which members of a class have to be implemented below it, and with how many parameters."""

    def iter_needed(self, code: CodeIndex, of: ClassType) -> Iterator[NeededMember]:
        """Yield the members that a class or an interface requires of its subclasses."""
        owner = code.facts(of.file).symbols[of.symbol].qualname
        required = self.read_required(code, of.file)
        for each in list_declared(code, of):
            place = (each.line, each.symbol.column)
            if required.get(place):
                yield NeededMember(each.name, self.count(code, of.file, place), owner, each)

    def read_required(self, code: CodeIndex, file: str) -> Mapping[Position, bool]:
        """Return the locations of a file's members → whether subclasses have to implement them."""
        return self._read_members(code, file)[0]

    def count(self, code: CodeIndex, file: str, place: Position) -> int:
        """Return the number of parameters of a member; -1 if it is not a function."""
        return self._read_members(code, file)[1].get(place, -1)

    @cached_method
    def _read_members(self, code: CodeIndex, file: str) -> tuple[Mapping[Position, bool], Mapping[Position, int]]:
        """Return the locations of a file's members → what `read_required` and `count` return."""
        facts = code.facts(file)
        content = read_stub(file) if file.startswith(STUBS) else code.read_content(file)
        places = [(each.line, each.column) for each in facts.symbols if "." in each.qualname]
        signatures = read_signatures(content, facts.language, places)
        counts = {place: len(found.parameters) for place, found in signatures.items()}
        return read_requirements(content, facts.language, places), counts

    def count_members(self, code: CodeIndex, of: ClassType) -> dict[str, tuple[int, Definition]]:
        """Return name of each method of an interface → number of parameters, and the method."""
        return {
            each.name: (self.count(code, of.file, (each.line, each.symbol.column)), each)
            for each in list_declared(code, of)
            if each.kind in FUNCTIONS
        }
