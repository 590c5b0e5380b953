"""Build call trees: the calls that a definition makes, the calls that those make, and so on.

The tree grows level by level until the wanted depth is reached or the size limit is exceeded. A body's last calls are
expanded first, because functions usually prepare first and act last. A definition is expanded once, and vendored code
counts as outside. A method called on `self` is looked up in the class of the object that the flow began with, so a
template method of a base class leads to the overrides of the subclass.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Iterator
from enum import Enum
from pathlib import PurePosixPath

from msgspec import Struct, field, structs

from avionics.index.analysis.call_resolution import ERROR_ENDINGS, CallResolver
from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import FileRole, role_and_place, role_of
from avionics.index.model.values import ClassType, Variable
from avionics.late_pattern import late_pattern
from avionics.model.enums import BODIES, CALLS, ExpressionKind, ReferenceKind, SymbolKind, is_class
from avionics.model.facts import Reference
from avionics.model.knowledge import Definition
from avionics.model.reasons import Reason
from avionics.syntax.engine.expressions import dotted

_ABSTRACT = late_pattern(r"[^(]*\babstract\b")
"""The word by which most languages mark a method without a body."""
_OWN_OBJECT = frozenset({ExpressionKind.SELF, ExpressionKind.OWN_CLASS, ExpressionKind.SUPER})
_MAX_CHILDREN = 40
"""A function that calls more than this many others is like a table; its first calls are representative."""


class Truncation(str, Enum):
    """Why the calls of a definition are not expanded: they are elsewhere in the tree, or past a limit."""

    REPEATED = "repeated"
    DEPTH = "depth"
    SIZE = "size"


class Role(str, Enum):
    """The role of a definition in the body that refers to it."""

    CALLS = "calls"
    PASSES = "passes on"
    DEFINES = "defines"
    OVERRIDDEN = "overridden by"
    CALLS_BACK = "called back from outside"
    READS = "reads"
    HOLDS = "holds"
    SET_TO = "is set to"
    MAY_CALL = "may call"


class UnknownCall(Struct, frozen=True):
    """A call whose target is unknown: its line, its text and the reason."""

    line: int
    text: str
    reason: Reason


class CallStep(Struct, frozen=True):
    """A definition that a body calls or passes on, with the lines and, if known, the class of its object."""

    definition: Definition
    lines: tuple[int, ...]
    owner: ClassType | None = None
    role: Role = Role.CALLS


class Body(Struct, frozen=True):
    """The calls of a body.

    Attributes:
        steps: Calls within the workspace, in order.
        leaving: The lines that call libraries, which may call back.
    """

    steps: tuple[CallStep, ...] = ()
    outside: tuple[str, ...] = ()
    raises: tuple[str, ...] = ()
    unknown: tuple[UnknownCall, ...] = ()
    leaving: tuple[int, ...] = ()


class FlowNode(Struct, frozen=True):
    """A definition in a flow.

    Attributes:
        step: How it is reached.
        depth: 0 where the flow begins.
        body: What it does; None when it was not expanded.
        truncation: Why it was not; None where there is nothing to expand.
    """

    step: CallStep
    depth: int
    body: Body | None
    truncation: Truncation | None = None


class _BodyBuilder(Struct):
    """The parts of a body, collected while it is read."""

    steps: dict[Definition, CallStep] = field(default_factory=dict)
    outside: dict[str, None] = field(default_factory=dict)
    raises: dict[str, None] = field(default_factory=dict)
    unknown: list[UnknownCall] = field(default_factory=list)
    leaving: dict[int, None] = field(default_factory=dict)

    def add(self, definition: Definition, line: int, owner: ClassType | None, role: Role) -> None:
        """Add a step; a repeated definition keeps its first role, and has no class if it runs on several."""
        known = self.steps.get(definition)
        if known is None:
            self.steps[definition] = CallStep(definition, (line,), owner, role)
        elif known.role is role:
            lines = known.lines if line in known.lines else (*known.lines, line)
            self.steps[definition] = CallStep(definition, lines, owner if owner == known.owner else None, role)

    def body(self) -> Body:
        """Return the steps and calls read so far, in order."""
        ordered = sorted(self.steps.values(), key=lambda step: step.lines[:1])
        return Body(tuple(ordered), tuple(self.outside), tuple(self.raises), tuple(self.unknown), tuple(self.leaving))


class _TreeNode(Struct):
    """A node of the tree, before it is complete."""

    step: CallStep
    depth: int
    children: list[_TreeNode] = field(default_factory=list)
    body: Body | None = None
    truncation: Truncation | None = None


class CallTreeBuilder:
    """Builds the call trees of one index."""

    def __init__(self, code: CodeIndex) -> None:
        self._code = code
        self._calls = CallResolver(code)
        self._ordered: dict[str, list[Reference]] = {}

    def trace(
        self, roots: tuple[Definition, ...], depth: int, room: int, owner: Definition | None = None
    ) -> tuple[FlowNode, ...]:
        """Return the call tree of definitions, in reading order, with about `room` characters.

        `owner` is the class of the object it begins on, where that is a subclass of the one around a root.
        """
        root_class = self._calls.get_class(owner) if owner is not None else None
        tree = [
            _TreeNode(CallStep(self._calls.get_entered(root), (), root_class or self._calls.get_class(root)), 0)
            for root in roots
        ]
        opened: set[Definition] = set()
        level = list(tree)
        while level:
            following: list[_TreeNode] = []
            level.reverse()
            for node in sorted(level, key=lambda node: role_of(node.step.definition.file)):
                definition = node.step.definition
                if definition in opened:
                    node.truncation = Truncation.REPEATED
                elif node.depth and definition.kind not in BODIES and node.step.role is not Role.CALLS_BACK:
                    continue
                elif node.depth >= depth or room <= 0:
                    if self._has_calls(definition):
                        node.truncation = Truncation.SIZE if room <= 0 else Truncation.DEPTH
                else:
                    opened.add(definition)
                    node.body = _move_vendored_outside(definition, self.read_body(definition, node.step.owner))
                    node.children = [_TreeNode(step, node.depth + 1) for step in node.body.steps[:_MAX_CHILDREN]]
                    room -= sum(_measure_line(child) for child in node.children) + _measure_calls(node.body)
                    following.extend(node.children)
            level = following
        return tuple(FlowNode(n.step, n.depth, n.body, n.truncation) for root in tree for n in _iter_tree(root))

    def read_body(self, definition: Definition, owner: ClassType | None = None) -> Body:
        """Return the steps and calls of a definition's body; functions defined in it have bodies of their own."""
        nested = self._list_nested(definition)
        reading = _BodyBuilder()
        for reference in self._iter_references(definition, CALLS, nested):
            self._read_call(definition.file, reference, owner, reading)
        for inner in nested:
            if inner.kind in BODIES:
                reading.add(inner, inner.line, owner, Role.DEFINES)
        for reference in self._iter_references(definition, frozenset({ReferenceKind.READ}), nested):
            passed = self.get_passed(definition.file, reference)
            if passed is not None and passed != definition:
                reading.add(passed, reference.line, self._calls.get_class(passed), Role.PASSES)
        for override in self._list_overrides(definition, reading):
            reading.steps[override] = CallStep(override, (), self._calls.get_class(override), Role.OVERRIDDEN)
        return reading.body()

    def get_class(self, definition: Definition) -> ClassType | None:
        """Return the class itself, for a class; the class around it, for a method."""
        return self._calls.get_class(definition)

    def get_entered(self, definition: Definition) -> Definition:
        """Return the definition that runs when another one is called: the constructor, for a class."""
        return self._calls.get_entered(definition)

    def list_references(self, definition: Definition, kinds: frozenset[ReferenceKind]) -> tuple[Reference, ...]:
        """Return the references of some kinds in the definition's own body, in order."""
        return tuple(self._iter_references(definition, kinds, self._list_nested(definition)))

    def map_owners(self, source: Definition, target: Definition) -> dict[int, list[ClassType | None]]:
        """Return the lines on which a body calls a definition, each with the classes of the objects that it runs on.

        An object that may be of several classes has all of them, each of which may override what the target calls.
        """
        owners: dict[int, list[ClassType | None]] = {}
        for reference in self._iter_references(source, CALLS, self._list_nested(source)):
            if reference.name.removesuffix("()") == target.name or is_class(target.kind) or target.name == "__init__":
                call = self._calls.resolve_call(source.file, reference, self._calls.get_class(source))
                for of in (of for called, of in call.targets if called == target):
                    owners.setdefault(reference.line, []).append(of)
        return owners

    def is_on_self(self, source: Definition, target: Definition) -> bool:
        """Return whether a method calls another one on its own object or class."""
        scopes = self._code.uses(source.file).scopes
        return any(
            each.receiver is None
            or each.receiver.kind in _OWN_OBJECT
            or each.receiver.name == scopes[each.scope].self_name
            for each in self._iter_references(source, CALLS, self._list_nested(source))
            if each.name.removesuffix("()") == target.name
        )

    def list_within(self, file: str, first: int, last: int) -> list[Reference]:
        """Return the references in some lines of a file, in order."""
        if file not in self._ordered:
            every = (reference for references in self._code.uses(file).references.values() for reference in references)
            self._ordered[file] = sorted(every, key=lambda each: (each.line, each.column))
        ordered = self._ordered[file]
        start, end = (bisect_left(ordered, line, key=lambda each: each.line) for line in (first, last + 1))
        return ordered[start:end]

    def list_passed(self, file: str, line: int) -> tuple[Definition, ...]:
        """Return the functions that a line names without calling them."""
        read = (each for each in self.list_within(file, line, line) if each.kind is ReferenceKind.READ)
        return tuple(dict.fromkeys(d for each in read if (d := self.get_passed(file, each)) is not None))

    def _read_call(self, file: str, reference: Reference, owner: ClassType | None, reading: _BodyBuilder) -> None:
        """Add the targets of one call."""
        call = self._calls.resolve_call(file, reference, owner)
        outside = call.outside.removesuffix("()")
        for target, object_class in call.targets:
            if self._calls.is_error(target):
                reading.raises[self._calls.get_error_name(target)] = None
            else:
                reading.add(target, reference.line, object_class, Role.CALLS)
        if call.targets:
            return
        if outside.endswith(ERROR_ENDINGS):
            reading.raises[outside] = None
        elif outside:
            reading.outside[outside] = None
            is_standard = outside.partition(".")[0] in sys.stdlib_module_names
            if not is_standard:
                reading.leaving[reference.line] = None
            called_back = None if is_standard else self._calls.get_called_back(file, reference)
            if called_back is not None:
                reading.add(called_back, reference.line, None, Role.CALLS_BACK)
        elif call.reason is not None:
            reading.unknown.append(UnknownCall(reference.line, _shorten_call(reference), call.reason))

    def get_passed(self, file: str, reference: Reference) -> Definition | None:
        """Return the function that a reference passes as a value, or None."""
        targets = self._code.resolver.resolve(file, reference).targets
        for target in targets:
            found = self._calls.get_implementation(target) if isinstance(target, Variable) else None
            if found is not None and found.kind in {SymbolKind.FUNCTION, SymbolKind.METHOD}:
                return found
        return None

    def _list_overrides(self, definition: Definition, reading: _BodyBuilder) -> tuple[Definition, ...]:
        """Return the overrides that run instead of an abstract method; those in tests only if there are no others."""
        if reading.steps or not self._is_abstract(definition):
            return ()
        found = sorted(self._code.graph.classes.overrides(definition), key=role_and_place)
        return tuple(d for d in found if role_of(d.file) is not FileRole.TEST) or tuple(found)

    def _is_abstract(self, definition: Definition) -> bool:
        """Return whether a method is marked, or written, as one to be overridden."""
        if definition.kind is not SymbolKind.METHOD:
            return False
        raising = self._code.uses(definition.file).references.get("NotImplementedError", ())
        is_marked = any(text.endswith("abstractmethod") for text in definition.symbol.decorators)
        owner = self._calls.get_class(definition)
        owner_symbol = self._code.resolver.scopes.get_class_symbol(owner)
        is_declared_only = owner_symbol is not None and owner_symbol.kind is SymbolKind.INTERFACE
        is_declared_only = is_declared_only or definition.symbol.is_announced
        is_marked = is_marked or _ABSTRACT.match(definition.symbol.signature) is not None
        return is_marked or is_declared_only or any(definition.symbol.span.contains(use.line) for use in raising)

    def _iter_references(
        self, definition: Definition, kinds: frozenset[ReferenceKind], nested: tuple[Definition, ...]
    ) -> Iterator[Reference]:
        """Yield the references in the body itself, without its decorators, in order."""
        span = definition.symbol.span
        first = definition.line if definition.kind in BODIES else span.start_line
        inner = [(each.symbol.line, each.symbol.span.end_line) for each in nested]
        for reference in self.list_within(definition.file, first, span.end_line):
            if reference.kind in kinds and not any(above <= reference.line <= below for above, below in inner):
                yield reference

    def _list_nested(self, definition: Definition) -> tuple[Definition, ...]:
        """Return the functions and classes defined directly in a body."""
        span = definition.symbol.span
        return tuple(
            each
            for each in self._code.list_members(definition)
            if (each.kind in BODIES or is_class(each.kind)) and span.contains(each.line)
        )

    def _has_calls(self, definition: Definition) -> bool:
        """Return whether expanding the definition would show anything."""
        if definition.kind not in BODIES:
            return False
        references = self._iter_references(definition, CALLS, ())
        return bool(self._list_overrides(definition, _BodyBuilder())) or any(
            self._calls.resolve_call(definition.file, reference, None).targets for reference in references
        )


def _move_vendored_outside(caller: Definition, body: Body) -> Body:
    """Return the body with vendored steps as names of outside calls, unless the caller is vendored itself."""
    if role_of(caller.file) is FileRole.VENDORED:
        return body
    vendored = [each.definition for each in body.steps if role_of(each.definition.file) is FileRole.VENDORED]
    names = (f"{PurePosixPath(each.file).parent.name}.{each.symbol.qualname}" for each in vendored)
    steps = tuple(each for each in body.steps if each.definition not in vendored)
    return structs.replace(body, steps=steps, outside=tuple(dict.fromkeys((*body.outside, *names))))


def _iter_tree(node: _TreeNode) -> Iterator[_TreeNode]:
    """Yield a node and all below it, in reading order."""
    yield node
    for child in node.children:
        yield from _iter_tree(child)


def _measure_line(node: _TreeNode) -> int:
    """Return about how many characters a node's line takes."""
    return 2 * node.depth + len(node.step.definition.file) + len(node.step.definition.symbol.qualname) + 20


def _measure_calls(body: Body) -> int:
    """Return about how many characters the external and unknown calls of a body take."""
    return sum(len(name) + 2 for name in (*body.outside[:8], *body.raises[:5])) + 30 * min(3, len(body.unknown)) + 20


def _shorten_call(reference: Reference) -> str:
    """Return the call, shortened."""
    if reference.receiver is None:
        return reference.name
    return f"{dotted(reference.receiver) or '…'}.{reference.name}"
