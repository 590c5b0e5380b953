"""Find the fields of classes with generated constructors (dataclasses, attrs, named tuples), and of enums."""

from __future__ import annotations

from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.values import ClassType, External, Variable
from avionics.index.scopes.name_resolver import NameResolver
from avionics.index.types.member_lookup import Members
from avionics.model.enums import BindingKind, ExpressionKind, SymbolKind
from avionics.model.facts import UNKNOWN, Binding, Symbol
from avionics.model.naming import last_part
from avionics.syntax.conventions import is_decorated
from avionics.syntax.registry import conventions_of


class RecordFields:
    """Finds the fields of the classes of one snapshot."""

    def __init__(self, scopes: NameResolver, members: Members) -> None:
        self._scopes = scopes
        self._members = members

    def is_record(self, of: ClassType) -> bool:
        """Return whether the constructor of a class is generated from its fields."""
        records, symbol = conventions_of(of.file).records, self._scopes.get_class_symbol(of)
        is_made = symbol is not None and is_decorated(symbol.decorators, records.decorators)
        return is_made or self._inherits(of, records.bases | records.tuples)

    def is_enum(self, of: ClassType) -> bool:
        """Return whether the names assigned in the class's body are objects of it."""
        return self._inherits(of, conventions_of(of.file).records.enums)

    def is_tuple(self, of: ClassType) -> bool:
        """Return whether objects of the class are tuples of its fields."""
        return self._inherits(of, conventions_of(of.file).records.tuples)

    def _inherits(self, of: ClassType, names: frozenset[str]) -> bool:
        return any(last_part(base) in names for base in self._members.lineage(of).externals)

    def fields(self, of: ClassType) -> tuple[Variable, ...]:
        """Return the fields of a record in constructor order; inherited ones come first."""
        found: dict[str, Variable] = {}
        for owner in reversed(self._members.lineage(of).classes):
            if self.is_record(owner):
                for variable in self._own_fields(owner):
                    found[variable.name] = variable
        return tuple(found.values())

    def is_made_of_fields(self, of: ClassType) -> bool:
        """Return whether the constructor of a class, its own or an inherited one, is generated."""
        is_generated = any(map(self.is_record, self._members.lineage(of).classes))
        return is_generated and self._members.find(of, "__init__") is None

    def get_field(self, of: ClassType, name: str) -> Variable | None:
        """Return the field that a keyword argument of a generated constructor sets; None if it is not generated."""
        if not self.is_made_of_fields(of):
            return None
        return next((variable for variable in self.fields(of) if variable.name == name), None)

    def get_in_header(self, of: ClassType, name: str) -> Variable | None:
        """Return the field of a class that is a parameter of its constructor: `b` of `class A(val b: Int)`."""
        if not conventions_of(of.file).records.in_header:
            return None
        variable = Variable(of.file, self._scopes.scope_of_class(of), name)
        own = [each for each in self._scopes.bindings(variable) if each.kind is BindingKind.ASSIGNMENT]
        # A property in the body has a scope of its own, in which its value is read.
        return variable if any(each.symbol >= 0 and each.within == each.scope for each in own) else None

    def get_unpacked(self, of: ClassType | External, position: int) -> str | None:
        """Return the name of the data member that `auto [a, b] = value` gives the name at a position.

        Return None for arrays and tuples, which have items instead, and for classes of other languages that no standard
        library declares.
        """
        if not isinstance(of, ClassType) or not (self._scopes.spec(of.file).linkage or of.file.startswith(STUBS)):
            return None
        if any(self._members.find(of, name) is not None for name in ("__getitem__", "__iter__")):
            return None
        for owner in self._members.lineage(of).classes:
            symbols = self._scopes.source.facts(owner.file).symbols
            own = [each for each in symbols if _is_data_member(each, owner.symbol)]
            if own:
                return own[position].name if position < len(own) else None
        return None

    def _own_fields(self, of: ClassType) -> list[Variable]:
        scope, calls = self._scopes.scope_of_class(of), conventions_of(of.file).records.field_calls
        bindings = self._scopes.source.uses(of.file).bindings.values()
        found = [bs[0] for each in bindings if (bs := [b for b in each if b.scope == scope and _is_field(b, calls)])]
        return [Variable(of.file, scope, b.name) for b in sorted(found, key=lambda b: (b.line, b.column))]


def _is_data_member(symbol: Symbol, owner: int) -> bool:
    """Return whether a symbol is a non-static data member of a C++ class."""
    is_attribute = symbol.kind is SymbolKind.ATTRIBUTE and symbol.parent == owner >= 0
    return is_attribute and not symbol.signature.startswith(("static ", "inline static "))


def _is_field(binding: Binding, calls: frozenset[str]) -> bool:
    """Return whether a name bound in a record's body is a field: it has an annotation or is assigned `attr.ib()`."""
    if binding.kind is not BindingKind.ASSIGNMENT:
        return False
    value = binding.value
    is_made = value.kind is ExpressionKind.CALL and value.parts[0].name in calls
    return is_made or binding.annotation != UNKNOWN
