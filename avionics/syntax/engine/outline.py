"""Outlines: the definitions and imports of a file, found in one walk over its tree by the rules of a language.

Expressions are not entered, so indexing a file costs little more than parsing it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import le
from typing import Protocol

from msgspec import Struct

from avionics.model.enums import BODIES, SymbolKind
from avionics.model.facts import FileFacts, Import, ParseProblem, Symbol, replace
from avionics.syntax.engine.budget import ParseBudget
from avionics.syntax.engine.grammars import Grammar, Node
from avionics.syntax.engine.nodes import MissingPartError
from avionics.syntax.engine.source_text import SourceText, one_line_of_code

_CLASSES = frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM})

_MAX_NAME_LENGTH = 500
"""Longer names are cut, because the dotted name of every member repeats that of its class."""

OutlineRule = Callable[["Outline", Node, int], None]
"""Add what a node defines to the outline; the number is the index of the enclosing symbol, -1 for none."""

FileRule = Callable[["Outline", Node], None]
"""Completes the outline with definitions that only the whole file shows; the node is the root."""


class OutlineTables(Protocol):
    """The part of a language's specification that reads outlines; see `LanguageSpec`."""

    @property
    def grammar(self) -> Grammar:
        """Return the grammar that parses it."""

    @property
    def name(self) -> str:
        """Return the name of the language in facts."""

    @property
    def outline(self) -> Mapping[str, OutlineRule]:
        """Return node type → rule that adds its definitions."""

    @property
    def nested(self) -> frozenset[str]:
        """Return the node types that can contain definitions."""

    @property
    def finish_outline(self) -> FileRule | None:
        """Return the rule that completes an outline; None if there is none."""


class Outline:
    """Collects the outline of one file; language rules call its methods."""

    def __init__(self, content: bytes, spec: OutlineTables) -> None:
        self.source = SourceText(content)
        self.spec = spec
        self.symbols: list[Symbol] = []
        self.imports: list[Import] = []
        self.exports: list[str] | None = None
        self.doc = ""
        self.package = ""
        self.budget = ParseBudget()
        self._actions: dict[int, tuple[OutlineRule | None, bool]] = {}
        self._values: set[tuple[int, str]] = set()
        self._problems: tuple[ParseProblem, ...] = ()

    def read(self, root: Node, problems: tuple[ParseProblem, ...]) -> None:
        """Walk the tree from its root; `problems` are its syntax errors."""
        self.enter(root, -1)
        if self.spec.finish_outline is not None:
            self.spec.finish_outline(self, root)
        self._problems = problems

    def give_up(self, error: Exception) -> None:
        """Keep the definitions collected so far, and record why the rest is missing."""
        self._problems = (ParseProblem(1, f"not read to its end: {error}"),)

    def enter(self, node: Node | None, parent: int) -> None:
        """Call the rules for the nodes below a node, with the enclosing symbol as the parent of what they define.

        Of the nodes below, only those of the types in `nested` are entered, whether they have a rule or not.
        """
        actions = self._actions
        pending = [node] if node is not None else []
        while pending:
            deeper: list[Node] = []
            children = pending.pop().named_children
            self.budget.charge(len(children) + 1)
            for child in children:
                # The number of a node's type is found faster than its name.
                action = actions.get(child.kind_id) or self._find_action(child)
                rule, is_nested = action
                if is_nested:
                    deeper.append(child)
                if rule is None:
                    continue
                try:
                    rule(self, child, parent)
                except MissingPartError:
                    continue
            if deeper:
                pending.extend(reversed(deeper))

    def _find_action(self, node: Node) -> tuple[OutlineRule | None, bool]:
        """Return the rule for nodes of a type, and whether they are looked into, and note both."""
        kind = node.type
        action = self._actions[node.kind_id] = (self.spec.outline.get(kind), kind in self.spec.nested)
        return action

    def define(
        self,
        name: Node,
        kind: SymbolKind,
        whole: Node,
        parent: int,
        *,
        signature: str = "",
        doc: str = "",
        exported: bool = True,
        decorators: tuple[str, ...] = (),
        bases: tuple[str, ...] = (),
        holder: str = "",
    ) -> int:
        """Add a definition, and return its index; `holder` is a type declared elsewhere that the member belongs to."""
        self.budget.charge()
        symbols, source = self.symbols, self.source
        if parent < 0:
            parent = -1
        text = source.of(name)[:_MAX_NAME_LENGTH]
        line, column = source.place(name)
        qualified = self._qualified(text, parent, holder) if parent >= 0 or holder else text
        symbols.append(
            Symbol(
                text, kind, qualified, source.span(whole), line, column, signature, doc, parent, exported, decorators,
                bases,
            )
        )  # fmt: skip
        return len(symbols) - 1

    def _qualified(self, name: str, parent: int, holder: str) -> str:
        """Return the dotted path of a name within the file."""
        if holder:
            name = f"{holder}.{name}" if name else holder
        outer = self.symbols[parent].qualname if parent >= 0 else ""
        return f"{outer}.{name}" if outer and name else outer or name

    def define_value(
        self, name: Node, kind: SymbolKind, whole: Node, parent: int, *, exported: bool = True, signature: str = ""
    ) -> None:
        """Add a variable or attribute, unless its holder already has one of that name.

        Its signature is the text of the whole definition unless one is given.
        """
        text = self.source.of(name)
        if (parent, text) not in self._values:
            self._values.add((parent, text))
            signature = signature or one_line_of_code(self.source.of(whole))
            self.define(name, kind, whole, parent, signature=signature, exported=exported)

    def is_class(self, parent: int) -> bool:
        """Return whether the enclosing symbol is a class of any kind."""
        return parent >= 0 and self.symbols[parent].kind in _CLASSES

    def is_function(self, parent: int) -> bool:
        """Return whether the enclosing symbol is a function of any kind."""
        return parent >= 0 and self.symbols[parent].kind in BODIES

    def get_kind(self, parent: int) -> SymbolKind | None:
        """Return the kind of the enclosing symbol; None at the top level."""
        return self.symbols[parent].kind if parent >= 0 else None

    def iter_around(self, parent: int) -> Iterator[int]:
        """Yield the enclosing symbols, innermost first."""
        while parent >= 0:
            yield parent
            parent = self.symbols[parent].parent

    def facts(self, words: Mapping[str, int]) -> FileFacts:
        """Return the outline collected so far."""
        exports = None if self.exports is None else tuple(dict.fromkeys(self.exports))
        return FileFacts(
            language=self.spec.name,
            symbols=_ordered(_without_assigned_properties(self.symbols)),
            imports=tuple(sorted(self.imports, key=lambda found: (found.line, found.column))),
            exports=exports,
            words=words,
            doc=self.doc,
            lines=self.source.line_count(),
            problems=self._problems,
            package=self.package,
        )


class DeclarationStyle(Struct, frozen=True):
    """How a language writes declarations.

    Attributes:
        header: Returns the text of a declaration up to its body, if it has one.
        doc: Returns the first paragraph of its documentation.
        is_exported: Returns whether other files see it, given the index of the enclosing symbol.
        decorators: Returns the text of its decorators.
    """

    header: Callable[[Outline, Node, Node | None], str]
    doc: Callable[[Outline, Node], str]
    is_exported: Callable[[Outline, Node, int], bool]
    decorators: Callable[[Outline, Node], tuple[str, ...]]

    def define(
        self,
        outline: Outline,
        name: Node,
        kind: SymbolKind,
        node: Node,
        parent: int,
        body: Node | None = None,
        *,
        signature: str = "",
        bases: tuple[str, ...] = (),
        holder: str = "",
    ) -> int:
        """Add a definition, and return its index; `holder` is a type declared elsewhere that a member is added to."""
        signature = signature or self.header(outline, node, body)
        doc, decorators = self.doc(outline, node), self.decorators(outline, node)
        exported = self.is_exported(outline, node, parent)
        return outline.define(
            name, kind, node, parent, signature=signature, doc=doc, exported=exported, decorators=decorators,
            bases=bases, holder=holder,
        )  # fmt: skip


def _without_assigned_properties(symbols: list[Symbol]) -> list[Symbol]:
    """Drop attributes that have the name of a property of the class: `self.x = …` then runs the setter of `x`."""
    properties = {(each.parent, each.name) for each in symbols if each.kind is SymbolKind.PROPERTY}
    if not properties:
        return symbols
    kept = [
        at
        for at, each in enumerate(symbols)
        if each.kind is not SymbolKind.ATTRIBUTE or (each.parent, each.name) not in properties
    ]
    if len(kept) == len(symbols):
        return symbols
    moved = {old: new for new, old in enumerate(kept)}
    return [replace(symbols[old], parent=moved.get(symbols[old].parent, -1)) for old in kept]


def _ordered(symbols: list[Symbol]) -> tuple[Symbol, ...]:
    """Return the symbols in order of their first lines, with the indices of their parents adapted."""
    starts = [symbol.span.start_line for symbol in symbols]
    if all(map(le, starts, starts[1:])):
        return tuple(symbols)
    order = sorted(range(len(symbols)), key=lambda index: (starts[index], index))
    moved = {old: new for new, old in enumerate(order)}
    return tuple(replace(symbols[old], parent=moved.get(symbols[old].parent, -1)) for old in order)
