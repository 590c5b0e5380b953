"""Flow: how control goes down from a definition, call by call.

The tree grows level by level until the wanted depth or the room is used up; a definition is opened once. A method
called on `self` is looked up in the class that the flow came in by, so a base class's template method leads to what
the subclass overrides.

Knows: calls and what they lead to.
Does not know: where control comes in, how a flow is shown.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import Enum

import attrs

from avionics.index import builtin_names as names
from avionics.index.code_index import CodeIndex
from avionics.index.places import standing_of
from avionics.index.scopes import is_class
from avionics.index.types import dotted
from avionics.index.values import ClassType, External, FunctionType, InstanceType, Module, SuperType, Type, Variable
from protocols.enums import ExpressionKind, ReferenceKind, SymbolKind
from protocols.facts import UNKNOWN, Expression, Reference
from protocols.knowledge import Definition

_BODIES = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY})
_CALLED = frozenset({ReferenceKind.CALL, ReferenceKind.DECORATE})
_ERROR_ENDINGS = ("Error", "Exception", "Warning", "KeyboardInterrupt", "SystemExit")
_MOST_CHILDREN = 40
"""A function that calls more than this many others is a table; its first calls show what kind."""


class Role(str, Enum):
    """How a body leads to a definition: calls it, hands it on as a value, defines it within, and so on."""

    CALLS = "calls"
    PASSES = "passes on"
    DEFINES = "defines"
    OVERRIDDEN = "overridden by"
    CALLS_BACK = "a base outside may call back"


@attrs.frozen
class UnknownCall:
    """A call that could lead anywhere: its line, its text and why."""

    line: int
    text: str
    reason: str


@attrs.frozen
class Step:
    """A definition that a body leads to, the lines that do, and the class of its object, if known."""

    definition: Definition
    lines: tuple[int, ...]
    owner: ClassType | None = None
    role: Role = Role.CALLS


@attrs.frozen
class Body:
    """What a body does: calls within the workspace in order, calls out of it, what it raises, what is unknown."""

    steps: tuple[Step, ...] = ()
    outside: tuple[str, ...] = ()
    raises: tuple[str, ...] = ()
    unknown: tuple[UnknownCall, ...] = ()


@attrs.frozen
class FlowNode:
    """A definition in a flow.

    Attributes:
        step: How it is reached.
        depth: 0 for where the flow begins.
        body: What it does; None when it was not opened.
        closed: Why it was not: "again" (opened elsewhere in the tree), "depth", "room" or "".
    """

    step: Step
    depth: int
    body: Body | None
    closed: str = ""


@attrs.define
class _Reading:
    """A body while it is read."""

    steps: dict[Definition, Step] = attrs.Factory(dict)
    outside: dict[str, None] = attrs.Factory(dict)
    raises: dict[str, None] = attrs.Factory(dict)
    unknown: list[UnknownCall] = attrs.Factory(list)

    def add(self, definition: Definition, line: int, owner: ClassType | None, role: Role) -> None:
        """Take down a step; the first role of a definition counts."""
        known = self.steps.get(definition)
        if known is None:
            self.steps[definition] = Step(definition, (line,), owner, role)
        elif known.role is role and line not in known.lines:
            self.steps[definition] = attrs.evolve(known, lines=(*known.lines, line))

    def body(self) -> Body:
        """What was read, in order."""
        ordered = sorted(self.steps.values(), key=lambda step: step.lines[0])
        return Body(tuple(ordered), tuple(self.outside), tuple(self.raises), tuple(self.unknown))


@attrs.define
class _Growing:
    """A node while the tree grows."""

    step: Step
    depth: int
    children: list[_Growing] = attrs.Factory(list)
    body: Body | None = None
    closed: str = ""


class Flow:
    """Call flows of one index."""

    def __init__(self, code: CodeIndex) -> None:
        self._code = code
        self._inference = code.resolver.inference

    def trace(
        self, roots: tuple[Definition, ...], depth: int, room: int, owner: Definition | None = None
    ) -> tuple[FlowNode, ...]:
        """The flow down from definitions, as a tree in reading order.

        Args:
            roots: Where it begins.
            depth: How many calls deep.
            room: About how many characters of tree to grow.
            owner: The class of the object it begins on, where that is a subclass of the one around a root.
        """
        of = self._own_class(owner) if owner is not None else None
        tree = [_Growing(Step(self._entered(root), (), of or self._own_class(root)), 0) for root in roots]
        opened: set[Definition] = set()
        level = list(tree)
        while level:
            following: list[_Growing] = []
            for node in sorted(level, key=lambda node: standing_of(node.step.definition.file)):
                definition = node.step.definition
                if definition in opened:
                    node.closed = "again"
                elif node.depth and definition.kind not in _BODIES and node.step.role is not Role.CALLS_BACK:
                    continue
                elif node.depth >= depth or room <= 0:
                    node.closed = ("room" if room <= 0 else "depth") if self._has_calls(definition) else ""
                else:
                    opened.add(definition)
                    node.body = self.read_body(definition, node.step.owner)
                    node.children = [_Growing(step, node.depth + 1) for step in node.body.steps[:_MOST_CHILDREN]]
                    room -= sum(_price(child) for child in node.children) + _price_of(node.body)
                    following.extend(node.children)
            level = following
        return tuple(FlowNode(n.step, n.depth, n.body, n.closed) for root in tree for n in _iter_tree(root))

    def read_body(self, definition: Definition, owner: ClassType | None = None) -> Body:
        """What the definition's own body leads to; functions defined in it have bodies of their own."""
        nested = self._nested(definition)
        reading = _Reading()
        for reference in self._references(definition, _CALLED, nested):
            self._read_call(definition.file, reference, owner, reading)
        for reference in self._references(definition, frozenset({ReferenceKind.READ}), nested):
            passed = self._passed(definition.file, reference)
            if passed is not None and passed != definition:
                reading.add(passed, reference.line, self._own_class(passed), Role.PASSES)
        for inner in nested:
            if inner.kind in _BODIES:
                reading.add(inner, inner.line, owner, Role.DEFINES)
        for override in self._overrides(definition, reading):
            reading.add(override, override.line, self._own_class(override), Role.OVERRIDDEN)
        return reading.body()

    def _read_call(self, file: str, reference: Reference, owner: ClassType | None, reading: _Reading) -> None:
        """Take down one call."""
        found, reason, outside = self._lead(file, reference, owner)
        for target, of in found:
            if self._is_error(target):
                reading.raises[self._error_name(target)] = None
            else:
                reading.add(target, reference.line, of, Role.CALLS)
        if found:
            return
        if outside.endswith(_ERROR_ENDINGS):
            reading.raises[outside] = None
        elif outside:
            reading.outside[outside] = None
            is_standard = outside.partition(".")[0] in sys.stdlib_module_names
            called_back = None if is_standard else self._called_back(file, reference)
            if called_back is not None:
                reading.add(called_back, reference.line, None, Role.CALLS_BACK)
        elif reason:
            reading.unknown.append(UnknownCall(reference.line, _text_of(reference), reason))

    def _passed(self, file: str, reference: Reference) -> Definition | None:
        """The function that is handed on as a value, or None."""
        targets = self._code.resolver.resolve(file, reference).targets
        for target in targets:
            found = self._implementation(target) if isinstance(target, Variable) else None
            if found is not None and found.kind in {SymbolKind.FUNCTION, SymbolKind.METHOD}:
                return found
        return None

    def _called_back(self, file: str, reference: Reference) -> Definition | None:
        """The class of an object on which a method of a base outside the workspace is called from elsewhere."""
        receiver = reference.receiver
        self_name = self._code.uses(file).scopes[reference.scope].self_name
        if receiver is None or receiver.kind is not ExpressionKind.NAME or receiver.name in {self_name, "super"}:
            return None
        of = next(_classes(self._owners(file, reference)), None)
        return Definition(of.file, self._code.facts(of.file).symbols[of.symbol], of.symbol) if of is not None else None

    def _overrides(self, definition: Definition, reading: _Reading) -> tuple[Definition, ...]:
        """What runs instead of a method that is there to be overridden."""
        if definition.kind is not SymbolKind.METHOD or reading.steps:
            return ()
        raised = self._code.uses(definition.file).references.get("NotImplementedError", ())
        is_marked = any(text.endswith("abstractmethod") for text in definition.symbol.decorators)
        if not is_marked and not any(definition.symbol.span.contains(use.line) for use in raised):
            return ()
        return tuple(sorted(self._code.graph.overrides(definition), key=lambda d: (standing_of(d.file), d.file, d.line)))

    def _references(
        self, definition: Definition, kinds: frozenset[ReferenceKind], nested: tuple[Definition, ...]
    ) -> Iterator[Reference]:
        """The references that stand in the body itself, its decorators left out, in order."""
        span = definition.symbol.span
        first = definition.line if definition.kind in _BODIES else span.start_line
        inner = [(each.symbol.line, each.symbol.span.end_line) for each in nested]
        found = [
            reference
            for references in self._code.uses(definition.file).references.values()
            for reference in references
            if reference.kind in kinds
            and first <= reference.line <= span.end_line
            and not any(start <= reference.line <= end for start, end in inner)
        ]
        yield from sorted(found, key=lambda reference: (reference.line, reference.column))

    def _nested(self, definition: Definition) -> tuple[Definition, ...]:
        """The functions and classes that stand directly in a body."""
        symbols = self._code.facts(definition.file).symbols
        span = definition.symbol.span
        return tuple(
            Definition(definition.file, symbol, index)
            for index, symbol in enumerate(symbols)
            if (symbol.kind in _BODIES or is_class(symbol.kind))
            and symbol.parent == definition.index
            and span.contains(symbol.line)
        )

    def _has_calls(self, definition: Definition) -> bool:
        """Whether opening the definition would show anything."""
        if definition.kind not in _BODIES:
            return False
        references = self._references(definition, _CALLED, ())
        return any(self._lead(definition.file, reference, None)[0] for reference in references)

    def _lead(
        self, file: str, reference: Reference, owner: ClassType | None
    ) -> tuple[tuple[tuple[Definition, ClassType | None], ...], str, str]:
        """Where a call leads: definitions with the class of their object; why that is not known; its name outside."""
        own = self._through_self(file, reference, owner)
        if own is not None:
            return ((self._entered(own), owner),), "", ""
        resolution = self._code.resolver.resolve(file, reference)
        variables = [target for target in resolution.targets if isinstance(target, Variable)]
        defined = [d for v in variables if (d := self._implementation(v)) is not None]
        runnable = [d for d in defined if d.kind in _BODIES or is_class(d.kind)]
        owners = self._owners(file, reference)
        if runnable:
            of = owner if self._is_own(owners, owner) else next(iter(_classes(owners)), None)
            return tuple((self._entered(d), self._own_class(d) or of) for d in dict.fromkeys(runnable)), "", ""
        kinds = self._inference.infer(_callee(reference), file, reference.scope, reference.line)
        held = tuple(dict.fromkeys(d for kind in kinds if (d := self._held(kind)) is not None))
        if held:
            return tuple((self._entered(d), self._own_class(d)) for d in held), "", ""
        external = self._outside_name(reference, owners, kinds)
        if external is not None:
            return (), "", external
        reason = resolution.unknown or "a value of unknown type is called"
        return (), reason, ""

    def _through_self(self, file: str, reference: Reference, owner: ClassType | None) -> Definition | None:
        """The method that a call on the own object runs when the object is known to be of a subclass."""
        receiver = reference.receiver
        scopes = self._code.uses(file).scopes
        if owner is None or receiver is None or receiver.kind is not ExpressionKind.NAME or reference.scope < 0:
            return None
        if not receiver.name or scopes[reference.scope].self_name != receiver.name:
            return None
        found = self._inference.find_member(owner, reference.name)
        definition = self._implementation(found.variable) if found is not None else None
        return definition if definition is not None and definition.kind in _BODIES else None

    def _owners(self, file: str, reference: Reference) -> tuple[Type, ...]:
        """What the receiver of a call may be."""
        receiver = reference.receiver
        if receiver is None or receiver is UNKNOWN:
            return ()
        return self._inference.infer(receiver, file, reference.scope, reference.line)

    def _is_own(self, owners: tuple[Type, ...], owner: ClassType | None) -> bool:
        """Whether the receiver is the object the flow came in by, perhaps seen as one of its ancestors."""
        seen = [kind.of for kind in owners if isinstance(kind, SuperType)]
        return owner is not None and any(self._inference.members.is_subclass(owner, of) for of in seen)

    def _implementation(self, variable: Variable) -> Definition | None:
        """The definition of a variable that holds a body: overloads and earlier definitions are passed over."""
        found = self._code.graph.find_all_definitions(variable)
        bodies = [d for d in found if not any(text.endswith("overload") for text in d.symbol.decorators)]
        is_property = any(d.kind is SymbolKind.PROPERTY for d in bodies)
        return next(iter(bodies if is_property else bodies[:1]), None)

    def _held(self, kind: Type) -> Definition | None:
        """What calling a value of a type runs."""
        if isinstance(kind, (FunctionType, ClassType)):
            return Definition(kind.file, self._code.facts(kind.file).symbols[kind.symbol], kind.symbol)
        if isinstance(kind, InstanceType) and isinstance(kind.of, ClassType):
            member = self._inference.find_member(kind, "__call__")
            return self._implementation(member.variable) if member is not None else None
        return None

    def _entered(self, definition: Definition) -> Definition:
        """What calling a definition runs: for a class its `__init__`, where the workspace has one."""
        if not is_class(definition.kind):
            return definition
        member = self._inference.members.find(ClassType(definition.file, definition.index), "__init__")
        found = self._implementation(member.variable) if member is not None else None
        return found if found is not None and found.kind in _BODIES else definition

    def _own_class(self, definition: Definition) -> ClassType | None:
        """The class itself, for a class; the class around, for a method."""
        if is_class(definition.kind):
            return ClassType(definition.file, definition.index)
        parent = definition.symbol.parent
        symbols = self._code.facts(definition.file).symbols
        return ClassType(definition.file, parent) if parent >= 0 and is_class(symbols[parent].kind) else None

    def _error_name(self, definition: Definition) -> str:
        """The class of an exception that a definition makes."""
        of = self._own_class(definition)
        return self._code.facts(of.file).symbols[of.symbol].name if of is not None else definition.name

    def _is_error(self, definition: Definition) -> bool:
        """Whether the definition makes an exception."""
        of = self._own_class(definition)
        if of is None or definition.name not in {"__init__", self._code.facts(of.file).symbols[of.symbol].name}:
            return False
        externals = self._inference.members.lineage(of).externals
        return any(name.endswith(_ERROR_ENDINGS) for name in externals)

    def _outside_name(self, reference: Reference, owners: tuple[Type, ...], kinds: tuple[Type, ...]) -> str | None:
        """The name of something outside the workspace that is called; "" when it is built in; None when it is inside."""
        for kind in kinds:
            if isinstance(kind, External):
                return "" if kind.name.startswith(names.BUILTIN) else kind.name
        for owner in owners:
            if isinstance(owner, InstanceType) and isinstance(owner.of, External):
                return "" if owner.of.name.startswith(names.BUILTIN) else f"{owner.of.name}.{reference.name}"
            of = owner.of if isinstance(owner, (InstanceType, SuperType)) else owner
            if isinstance(of, ClassType):
                lineage = self._inference.members.lineage(of)
                if lineage.externals and not lineage.is_open:
                    return f"{lineage.externals[0]}.{reference.name}"
            if isinstance(owner, Module):
                return None
        return None


def _classes(owners: tuple[Type, ...]) -> Iterator[ClassType]:
    """The classes of the workspace that objects may be of."""
    for owner in owners:
        of = owner.of if isinstance(owner, InstanceType) else owner
        if isinstance(of, ClassType):
            yield of


def _callee(reference: Reference) -> Expression:
    """The called expression."""
    if reference.receiver is None:
        return Expression(ExpressionKind.NAME, reference.name)
    return Expression(ExpressionKind.ATTRIBUTE, reference.name, (reference.receiver,))


def _text_of(reference: Reference) -> str:
    """The call, shortened."""
    if reference.receiver is None:
        return reference.name
    return f"{dotted(reference.receiver) or '…'}.{reference.name}"


def _iter_tree(node: _Growing) -> Iterator[_Growing]:
    """A node and all below it, in reading order."""
    yield node
    for child in node.children:
        yield from _iter_tree(child)


def _price(node: _Growing) -> int:
    """About how many characters a node's line takes."""
    return 2 * node.depth + len(node.step.definition.file) + len(node.step.definition.symbol.qualname) + 20


def _price_of(body: Body) -> int:
    """About how many characters the folded calls of a body take."""
    return sum(len(name) + 2 for name in (*body.outside[:8], *body.raises[:5])) + 30 * min(3, len(body.unknown)) + 20
