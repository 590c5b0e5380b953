"""The protocol through which the parts of type inference call each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from avionics.index.model.values import CallableType, ClassType, FunctionType, InstanceType, Type, Types, Variable
from avionics.index.scopes.conditions import Conditions
from avionics.index.scopes.name_resolver import NameResolver
from avionics.index.types.member_lookup import MemberMatch, Members
from avionics.index.types.record_fields import RecordFields
from avionics.index.types.signatures import NO_ARGUMENTS, Arguments, Signatures
from avionics.model.facts import Expression


class InferenceContext(Protocol):
    """The type inference of one snapshot: it combines the parts, and each part receives it.

    Attributes:
        scopes: Resolves names.
        members: Looks up members in class hierarchies.
        records: Fields of classes whose constructor follows from them.
        signatures: Parameters of functions.
        conditions: Lines that are compiled under conditions.
    """

    scopes: NameResolver
    members: Members
    records: RecordFields
    signatures: Signatures
    conditions: Conditions

    def infer(self, expression: Expression, file: str, scope: int, line: int = 0) -> Types:
        """Return the types of an expression; with a line, narrowed by the conditions around it."""

    def infer_variable(self, variable: Variable) -> Types:
        """Return the types of a variable."""

    def infer_member(self, owner: Type, name: str) -> Types:
        """Return the types of a member of a value."""

    def follow_path(self, types: Types, path: tuple[str, ...]) -> Types:
        """Return the types of the members at the end of a path of names; those of a type parameter stay symbolic."""

    def get_member(self, owner: Type, name: str) -> MemberMatch | None:
        """Return the member of a class, an instance or `super()`, or None."""

    def make_standard(self, file: str, name: str, *arguments: Types) -> InstanceType:
        """Return an object of a class that the language of a file has built in."""

    def get_own_class(self, file: str, scope: int) -> ClassType | None:
        """Return the class whose method a scope is in, or None."""

    def get_class_around(self, file: str, scope: int) -> ClassType | None:
        """Return the class that a scope is in, also outside of its methods, or None."""

    def dereference(self, owner: Type) -> Types:
        """Return the types that a smart pointer dereferences to; () for any other object."""

    def read_type(self, expression: Expression, file: str, scope: int, own: ClassType | None = None) -> Types:
        """Return the types of values with this annotation; `own` is the class that `Self` refers to."""

    def find_own_parameters(self, function: FunctionType) -> tuple[Variable, ...]:
        """Return the type parameters of a function without those of its class."""

    def select(self, types: Types, others: Types, operator: str) -> Types:
        """Return the types without those among `others` (operator WITHOUT), or only those among `others` (ONLY)."""

    def call(self, kind: Type, arguments: Arguments = NO_ARGUMENTS) -> Types:
        """Return the types of the result of calling a value."""

    def infer_result(self, function: FunctionType, arguments: Arguments = NO_ARGUMENTS) -> Types:
        """Return the result types of a function: the declared ones, or those of its `return` statements."""

    def get_declared_result(self, function: FunctionType) -> Types | None:
        """Return the result types that a function declares; None if it declares none."""

    def read_guard(self, function: FunctionType) -> Types:
        """Return the types that a type guard declares for its argument; () for any other function."""

    def as_callable(self, kind: Type) -> CallableType | None:
        """Return the signature of a callable object, as its class declares it; None if it is not callable."""

    def iterate(self, types: Types) -> Types:
        """Return the types of the items of an iterable."""

    def item(self, types: Types, position: int) -> Types:
        """Return the types of one item of an unpacked value."""

    def iter_types(self, arguments: Arguments) -> Iterator[tuple[int | str, Types]]:
        """Yield the position or the name of each argument, with the types that are passed."""

    def seen_by_call(self, types: Types, function: FunctionType, arguments: Arguments = NO_ARGUMENTS) -> Types:
        """Return types of a function's header, after solving type parameters by a call's receiver and arguments."""

    def choose_declared(self, callees: Types, arguments: Arguments) -> Types:
        """Return the callees without those `@overload`s that cannot take the arguments."""
