"""Read what interfaces and abstract classes ask of what is below them, in the two versions of a change."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.facts.stdlib_stubs import STUBS, read_stub
from avionics.index.model.values import ClassType, FunctionType
from avionics.index.verdicts.findings import Cause
from avionics.model.enums import FUNCTIONS
from avionics.model.knowledge import Definition
from avionics.model.naming import as_written
from avionics.syntax.call_sites import read_requirements, read_signatures


class UnmetRequirement(Struct, frozen=True):
    """A member that a class lacks or overrides in vain.

    Attributes:
        cause: NOT_IMPLEMENTED, OVERRIDES_NOTHING, ASKED_BY_NONE or DECLARED_OTHERWISE.
        holder: The class, or the type that an implementation block is for.
        member: The member's name.
        required_by: The interface or base class; "" for an override.
        place: Where to report it.
        requirement: The definition that asks for the member, or asked for it before.
    """

    cause: Cause
    holder: str
    member: str
    required_by: str
    place: tuple[str, int, int]
    requirement: Definition | None


class NeededMember(Struct, frozen=True):
    """A member that an interface or abstract class asks for."""

    name: str
    count: int
    owner: str
    definition: Definition

    @property
    def function(self) -> FunctionType:
        """Return the member as a function."""
        return FunctionType(self.definition.file, self.definition.index)

    @property
    def holder(self) -> ClassType:
        """Return the interface or class that declares the member."""
        return ClassType(self.definition.file, self.definition.symbol.parent)


def list_declared(code: CodeIndex, of: ClassType) -> tuple[Definition, ...]:
    """Return what the body of a class declares; () for a class without a name."""
    if of.symbol < 0:
        return ()
    return tuple(each for each in code.iter_definitions(of.file) if each.symbol.parent == of.symbol)


class Requirements:
    """Reads which members of a class have to be implemented below it, and with how many parameters."""

    def __init__(self) -> None:
        self._required: dict[tuple[bool, str], dict[tuple[int, int], bool]] = {}
        self._counts: dict[tuple[bool, str], dict[tuple[int, int], int]] = {}

    def iter_needed(self, code: CodeIndex, of: ClassType, *, is_after: bool) -> Iterator[NeededMember]:
        """Yield the members that a class or an interface asks for."""
        owner = code.facts(of.file).symbols[of.symbol].qualname
        required = self.read_required(code, of.file, is_after=is_after)
        for each in list_declared(code, of):
            place = (each.line, each.symbol.column)
            if required.get(place):
                yield NeededMember(each.name, self.count(code, of.file, place, is_after=is_after), owner, each)

    def read_required(self, code: CodeIndex, file: str, *, is_after: bool) -> dict[tuple[int, int], bool]:
        """Return the locations of a file's members → whether subclasses have to implement them."""
        key = (is_after, file)
        if key not in self._required:
            places = [(each.line, each.column) for each in code.facts(file).symbols if "." in each.qualname]
            is_stub = file.startswith(STUBS)
            content = read_stub(file) if is_stub else code.read_content(file)
            language = code.facts(file).language
            self._required[key] = dict(read_requirements(content, language, places))
            signatures = read_signatures(content, language, places)
            self._counts[key] = {place: len(found.parameters) for place, found in signatures.items()}
        return self._required[key]

    def count(self, code: CodeIndex, file: str, place: tuple[int, int], *, is_after: bool) -> int:
        """Return the number of parameters of a member; -1 if it is not a function."""
        self.read_required(code, file, is_after=is_after)
        return self._counts[is_after, file].get(place, -1)

    def count_members(self, code: CodeIndex, of: ClassType, *, is_after: bool) -> dict[str, tuple[int, Definition]]:
        """Return name of each method of an interface → number of parameters, and the method."""
        return {
            each.name: (self.count(code, of.file, (each.line, each.symbol.column), is_after=is_after), each)
            for each in list_declared(code, of)
            if each.kind in FUNCTIONS
        }

    @staticmethod
    def list_names(code: CodeIndex, file: str, scope: int) -> dict[str, tuple[int, int]]:
        """Return the names that a scope binds itself, with their places."""
        return {
            as_written(name): (binding.line, binding.column)
            for name, bindings in code.uses(file).bindings.items()
            for binding in bindings
            if binding.scope == scope
        }
