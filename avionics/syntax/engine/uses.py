"""Build the uses of a file, every scope, binding and reference, by the rules of a language.

Uses are extracted in one walk when a question first needs them: a rule adds what its node binds and uses, and returns
the value of the node as an expression.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from typing import Protocol

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import (
    UNKNOWN,
    Binding,
    Expression,
    FileFacts,
    FileUses,
    Narrowing,
    Reference,
    Scope,
    Span,
    replace,
)
from avionics.syntax.engine import grammars
from avionics.syntax.engine.budget import ParseBudget, TooCostlyError
from avionics.syntax.engine.doc_comments import DocComment
from avionics.syntax.engine.grammars import Grammar, Node
from avionics.syntax.engine.nodes import MissingPartError
from avionics.syntax.engine.source_text import SourceText

READ, WRITE, CALL = ReferenceKind.READ, ReferenceKind.WRITE, ReferenceKind.CALL
ANNOTATE, INHERIT = ReferenceKind.ANNOTATE, ReferenceKind.INHERIT

_DEEPEST = 150
"""Rules nested deeper are not followed, because the interpreter's stack is finite; real code is far shallower."""

_MAX_CHAIN_LENGTH = 300
"""The maximum number of links of a chain (`a.b().c…`), two per call, plus nesting in its arguments, because readers
recurse."""

_LOCAL = frozenset({BindingKind.ASSIGNMENT, BindingKind.DEFINITION})
_STATEMENTS = frozenset({ScopeKind.BLOCK, ScopeKind.FUNCTION})

_Place = tuple[int, int]
"""A line and a column."""

UsesRule = Callable[["UsesBuilder", Node, int, ReferenceKind], Expression | None]
"""Adds what a node binds and uses, and returns its value, or None if it is unknown or there is none. The number is the
scope around the node, the kind its role there.
"""

ValueRule = Callable[["UsesBuilder", Node, int, ReferenceKind], Expression]
"""A rule that other rules call for the value of a node."""


class UsesTables(Protocol):
    """The part of a language's specification that reads uses; see `LanguageSpec`."""

    @property
    def name(self) -> str:
        """Return the name of the language in facts."""

    @property
    def grammar(self) -> Grammar:
        """Return the grammar that parses the language."""

    @property
    def uses(self) -> Mapping[str, UsesRule]:
        """Return node type → rule that adds its bindings and uses."""

    @property
    def read_comments(self) -> Callable[[UsesBuilder, Node], None] | None:
        """Return the rule that reads the documentation comments of a file; None if they declare no types."""

    @property
    def overloads(self) -> bool:
        """Return whether parameters distinguish definitions with the same name."""

    @property
    def late_locals(self) -> bool:
        """Return whether a local name is bound only from its declaration on."""


class _LateLocals:
    """Splits the scopes of statements at the declaration of a local name that was used before with an outer meaning.

    Everything from the declaration on moves to a new scope: in `a = size; int size = 2; b = size;` the first name is
    not the local one.
    """

    def __init__(self) -> None:
        self._bound: set[tuple[str, int]] = set()
        self._starts: defaultdict[int, list[tuple[_Place, int]]] = defaultdict(list)
        """Scope → the places of such declarations, and the number of scopes created before each."""

    def note(self, name: str, scope: int, place: _Place, references: Sequence[Reference], opened: int) -> None:
        """Note the declaration of a local, given the references to its name so far and the number of open scopes."""
        if (name, scope) not in self._bound:
            inside = takewhile(lambda each: each.scope >= scope, reversed(references))
            if any(each.receiver is None and (each.line, each.column) < place for each in inside):
                self._starts[scope].append((place, opened))
        self._bound.add((name, scope))

    def move(self, uses: UsesBuilder) -> None:
        """Move the references after the noted declarations into scopes of their own."""
        if not self._starts:
            return
        scopes, moved = uses.scopes, dict[int, list[int]]()
        end = len(scopes)
        for scope, starts in self._starts.items():
            starts.sort()
            moved[scope] = [scope, *range(len(scopes), len(scopes) + len(starts))]
            for at, ((line, _), _) in enumerate(starts):
                scopes.append(Scope(ScopeKind.BLOCK, moved[scope][at], Span(line, scopes[scope].span.end_line)))
        for index, each in enumerate(scopes[:end]):
            if found := self._starts.get(each.parent):
                parent = moved[each.parent][bisect_right(found, index, key=lambda start: start[1])]
                scopes[index] = replace(each, parent=parent)

        def place_in(scope: int, place: _Place, bisect: Callable[..., int] = bisect_right) -> int:
            starts = self._starts.get(scope)
            return moved[scope][bisect(starts, place, key=lambda start: start[0])] if starts else scope

        def refer(each: Reference) -> Reference:
            return replace(each, scope=place_in(each.scope, (each.line, each.column)))

        for name, references in uses.references.items():
            uses.references[name] = [refer(each) if each.scope in moved else each for each in references]
        uses.dynamic = [refer(each) if each.scope in moved else each for each in uses.dynamic]
        for bindings in uses.bindings.values():
            for at, binding in enumerate(bindings):
                if binding.scope in moved or binding.within in moved:
                    place = (binding.line, binding.column)
                    # The type of a declaration is read before its name is bound.
                    within = place_in(binding.within, place, bisect_left)
                    bindings[at] = replace(binding, scope=place_in(binding.scope, place), within=within)


class UsesBuilder:
    """Collects the uses of one file; language rules call its methods."""

    def __init__(self, content: bytes, spec: UsesTables, facts: FileFacts) -> None:
        self.source = SourceText(content)
        self.spec = spec
        self.facts = facts
        self.scopes: list[Scope] = []
        self.bindings: defaultdict[str, list[Binding]] = defaultdict(list)
        self.references: defaultdict[str, list[Reference]] = defaultdict(list)
        self.bases: dict[int, tuple[Expression, ...]] = {}
        self.results: dict[int, Expression] = {}
        self.returns: defaultdict[int, list[Expression]] = defaultdict(list)
        self.yields: defaultdict[int, list[Expression]] = defaultdict(list)
        self.decorators: defaultdict[int, list[Expression]] = defaultdict(list)
        self.narrowings: list[Narrowing] = []
        self.dynamic: list[Reference] = []
        self.asserted = UNKNOWN
        self.is_partial = False
        self.strings: defaultdict[str, list[int]] = defaultdict(list)
        self.keys: defaultdict[str, list[int]] = defaultdict(list)
        self._symbols = {(symbol.line, symbol.column): index for index, symbol in enumerate(facts.symbols)}
        self._imports = {(found.line, found.column): index for index, found in enumerate(facts.imports)}
        self.expected = UNKNOWN
        self.returning: dict[int, Expression] = {}
        """Scope of a function → the expected type of the expressions that it returns."""
        self._names: dict[str, Expression] = {}
        self._depth = 0
        self._levels: dict[int, tuple[Expression, int]] = {}
        self.budget = ParseBudget()
        self.moved: dict[tuple[str, int], int] = {}
        self.added: dict[tuple[int, Expression], int] = {}
        """A scope and a type named in it → the scope of the members added to the type from there."""
        self._late = _LateLocals() if spec.late_locals else None
        self.constructors: dict[int, int] = {}
        """Scope of a class → the scope of its constructor's parameters, which only what initializes it sees."""
        self.comments: Mapping[int, DocComment] = {}
        """The byte where code begins → the documentation comment with types in front of it."""
        self.documented: dict[int, Expression] = {}
        """The byte where a type in a documentation comment begins → the type, whose uses were added."""

    def read(self, root: Node) -> None:
        """Walk the tree from its root."""
        self.open(ScopeKind.MODULE, -1, Span(1, max(1, self.facts.lines)))
        if self.spec.read_comments is not None:
            self.spec.read_comments(self, root)
        self.visit_children(root, 0)

    def give_up(self) -> None:
        """Keep the uses collected so far; the rest of the file may use anything."""
        if not self.scopes:
            self.open(ScopeKind.MODULE, -1, Span(1, max(1, self.facts.lines)))
        self.is_partial = True

    def visit(
        self, node: Node | None, scope: int, role: ReferenceKind = ReferenceKind.READ, expected: Expression = UNKNOWN
    ) -> Expression:
        """Add the bindings and uses of a node, and return its value; UNKNOWN for no node.

        `expected` is the value that is expected at the place of the node, such as one of a parameter's type. Its rule
        has to read it from `self.expected` before it visits another node.
        """
        if node is None:
            return UNKNOWN
        rule = self.spec.uses.get(node.type)
        self.expected = expected
        if rule is None:
            self.visit_children(node, scope)
            return UNKNOWN
        if self._depth >= _DEEPEST:
            self.is_partial = True
            return UNKNOWN
        self._depth += 1
        self.budget.charge()
        try:
            value = rule(self, node, scope, role) or UNKNOWN
            return self._require_shallow(value) if value.parts else value
        except MissingPartError:
            return UNKNOWN
        finally:
            self._depth -= 1

    def visit_children(self, node: Node | None, scope: int) -> None:
        """Visit the nodes below a node, passing through those without a rule of their own."""
        rules = self.spec.uses
        pending = list(reversed(node.named_children)) if node is not None else []
        while pending:
            child = pending.pop()
            if child.type in rules:
                self.visit(child, scope)
            else:
                pending.extend(reversed(child.named_children))

    def require(self, node: Node, scope: int, *fields: str) -> tuple[Node, ...]:
        """Return the nodes in some fields.

        If one is missing, visit the children of the node and raise `MissingPartError`, which ends its rule.
        """
        found = tuple([part for field in fields if (part := node.child_by_field_name(field)) is not None])
        if len(found) < len(fields):
            self.visit_children(node, scope)
            raise MissingPartError
        return found

    def visit_part(self, node: Node, scope: int, skipped: int = 0) -> Expression:
        """Visit the text of a node, without its first bytes, as code of its own (a quoted annotation)."""
        root = grammars.parse_part(self.source.content, self.spec.grammar, node, skipped)
        read = [each for each in root.named_children if not each.is_extra]
        if root.has_error or len(read) != 1:
            return UNKNOWN
        inner = read[0]
        while inner.type not in self.spec.uses and inner.named_child_count == 1:
            inner = inner.named_children[0]
        return self.visit(inner, scope, ReferenceKind.ANNOTATE)

    def visit_field(self, node: Node, field: str, scope: int, role: ReferenceKind = ReferenceKind.READ) -> Expression:
        """Visit the node in a field, and return its value; UNKNOWN if the field is empty."""
        return self.visit(node.child_by_field_name(field), scope, role)

    def visit_body(self, node: Node, scope: int, field: str = "body") -> None:
        """Visit the nodes below the one in a field."""
        self.visit_children(node.child_by_field_name(field), scope)

    def open(
        self,
        kind: ScopeKind,
        parent: int,
        place: Node | Span,
        symbol: int = -1,
        self_name: str = "",
        of: Expression = UNKNOWN,
    ) -> int:
        """Open a scope for a node or some lines, and return its index."""
        span = place if isinstance(place, Span) else self.source.span(place)
        self.scopes.append(Scope(kind, parent, span, symbol, self_name, of))
        return len(self.scopes) - 1

    def open_block(self, node: Node, parent: int) -> int:
        """Open the scope of a block, and return its index."""
        return self.open(ScopeKind.BLOCK, parent, node)

    def bind(
        self,
        name: Node | None,
        scope: int,
        kind: BindingKind,
        *,
        within: int = -1,
        value: Expression = UNKNOWN,
        annotation: Expression = UNKNOWN,
        bound_as: str = "",
    ) -> None:
        """Bind the text of a node, if any, or `bound_as`; definitions find their symbols by place."""
        if name is None:
            return
        text = bound_as or self.source.of(name)
        line, column = self.source.place(name)
        symbol = self._symbols.get((line, column), -1)
        reading = scope if within < 0 else within
        if kind is BindingKind.OUTER:
            self.moved.setdefault((text, scope), reading)
        if self._late is not None and kind in _LOCAL and self.scopes[scope].kind in _STATEMENTS:
            self._late.note(text, scope, (line, column), self.references.get(text, ()), len(self.scopes))
        self.bindings[text].append(Binding(text, scope, kind, line, column, symbol, -1, reading, value, annotation))

    def bind_text(
        self,
        text: str,
        place: Node,
        scope: int,
        kind: BindingKind = BindingKind.ASSIGNMENT,
        *,
        within: int = -1,
        value: Expression = UNKNOWN,
        annotation: Expression = UNKNOWN,
    ) -> None:
        """Bind a name that is not written in the source, at the place of the node that implies it."""
        reading = scope if within < 0 else within
        line, column = self.source.place(place)
        self.bindings[text].append(Binding(text, scope, kind, line, column, -1, -1, reading, value, annotation))

    def symbol_at(self, name: Node | None, behind: int = 0) -> int:
        """Return the index of the symbol whose name starts at a node, or `behind` columns after it; -1 for none."""
        if name is None:
            return -1
        line, column = self.source.place(name)
        return self._symbols.get((line, column + behind), -1)

    def bind_import(self, place: Node, scope: int, behind: int = 0, within: int = 0) -> int:
        """Bind the name of the import that starts at a node, or `behind` columns after it; return its index, or -1.

        A name that is imported from the file itself is looked up in the scope `within`.
        """
        line, column = self.source.place(place)
        column += behind
        index = self._imports.get((line, column), -1)
        if index >= 0:
            alias = self.facts.imports[index].alias or "*"
            self.bindings[alias].append(
                Binding(alias, scope, BindingKind.IMPORT, line, column, imported=index, within=within)
            )
        return index

    def use_import(self, place: Node, scope: int) -> int:
        """Bind the names of the import at a node's place, add a use of it, and return its index."""
        index = self.bind_import(place, scope)
        self.add_reference(place, scope, ReferenceKind.IMPORT, None, index)
        return index

    def define_class(self, name: Node | None, node: Node, scope: int, bound_as: str = "") -> int:
        """Bind a class, open its scope, and return the index of that."""
        self.bind(name, scope, BindingKind.DEFINITION, bound_as=bound_as)
        return self.open(ScopeKind.CLASS, scope, node, self.symbol_at(name))

    def add_reference(
        self,
        name: Node,
        scope: int,
        kind: ReferenceKind,
        receiver: Expression | None = None,
        index: int = -1,
        arguments: tuple[Expression, ...] | None = None,
        sought_as: str = "",
        behind: int = 0,
    ) -> str:
        """Add a use of the name under a node, or of `sought_as`, and return the name it is looked up by.

        The name begins `behind` characters after the node, as that of a symbol of Ruby does.
        """
        text = sought_as or self.source.of(name)
        line, column = self.source.place(name)
        column += behind
        if receiver is not None and receiver.parts:
            self._require_shallow(receiver)
        self.references[text].append(Reference(text, kind, line, column, scope, receiver, index, arguments))
        return text

    def construct(self, of: Expression, arguments: tuple[Expression, ...]) -> Expression:
        """Add the arguments after `new` to the last use of a class, and return the class, which is not a value."""
        self.pass_arguments(of, arguments, index=0)
        return replace(of, index=0) if of.kind is ExpressionKind.NAME else of

    def pass_arguments(self, callee: Expression, arguments: tuple[Expression, ...], index: int = -1) -> None:
        """Add the arguments of a call to the last use of its callee that lacks them."""
        while callee.kind is ExpressionKind.SUBSCRIPT:
            callee = callee.parts[0]
        found = self.references.get(callee.name, []) if callee.name else []
        for at in range(len(found) - 1, -1, -1):
            if found[at].kind is CALL and found[at].arguments is None:
                found[at] = replace(found[at], arguments=arguments, index=index)
                return

    def member(self, name: Node, scope: int, kind: ReferenceKind, owner: Expression) -> Expression:
        """Add a use of the member named by a node, and return the member."""
        return Expression(ExpressionKind.ATTRIBUTE, self.add_reference(name, scope, kind, owner), (owner,))

    def _require_shallow(self, expression: Expression) -> Expression:
        """Return an expression with parts. Raise `TooCostlyError` if it is a longer chain than can be followed."""
        levels = self._levels
        pending = [expression] if id(expression) not in levels else []
        while pending:
            current, deepest, count = pending[-1], 0, len(pending)
            for part in current.parts:
                if part is not None and part.parts:
                    known = levels.get(id(part))
                    if known is None:
                        pending.append(part)
                    elif known[1] > deepest:
                        deepest = known[1]
            if len(pending) == count:
                if deepest >= _MAX_CHAIN_LENGTH:
                    raise TooCostlyError("an expression is a longer chain than any code has")
                levels[id(current)] = (current, deepest + 1)
                pending.pop()
        return expression

    @cached_property
    def declared_names(self) -> frozenset[str]:
        """Return the names that the file defines or imports anywhere."""
        return frozenset({each.name for each in self.facts.symbols} | {each.alias for each in self.facts.imports})

    def name(self, text: str) -> Expression:
        """Return a bare name as an expression, the same object for all its uses in the file."""
        known = self._names.get(text)
        if known is None:
            known = self._names[text] = Expression(ExpressionKind.NAME, text)
        return known

    def holder(self, scope: int) -> int:
        """Return the scope that a name bound in `scope` belongs to; comprehensions have only their loop variables."""
        while self.scopes[scope].kind is ScopeKind.COMPREHENSION:
            scope = self.scopes[scope].parent
        return scope

    def function_of(self, scope: int) -> int:
        """Return the innermost function scope around, `scope` included, or -1."""
        while scope >= 0 and self.scopes[scope].kind is not ScopeKind.FUNCTION:
            scope = self.scopes[scope].parent
        return scope

    def class_of_method(self, scope: int) -> int:
        """Return the class scope whose method a scope is in, possibly through nested functions, or -1."""
        while scope >= 0:
            parent = self.scopes[scope].parent
            if self.scopes[scope].self_name and parent >= 0 and self.scopes[parent].kind is ScopeKind.CLASS:
                return parent
            scope = parent
        return -1

    def result(self) -> FileUses:
        """Return the uses collected so far."""
        if self._late is not None:
            self._late.move(self)
        return FileUses(
            scopes=tuple(self.scopes),
            bindings={name: tuple(found) for name, found in self.bindings.items()},
            references={name: tuple(found) for name, found in self.references.items()},
            bases=self.bases,
            results=self.results,
            returns={scope: tuple(found) for scope, found in self.returns.items()},
            yields={scope: tuple(found) for scope, found in self.yields.items()},
            narrowings=tuple(self.narrowings),
            dynamic=tuple(self.dynamic),
            is_partial=self.is_partial,
            strings={text: tuple(found) for text, found in self.strings.items()},
            keys={text: tuple(found) for text, found in self.keys.items()},
            decorators={symbol: tuple(found) for symbol, found in self.decorators.items()},
        )
