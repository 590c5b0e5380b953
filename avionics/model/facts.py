"""Facts: everything known about some bytes from those bytes alone, without their path or any other file.

Lines count from 1, columns from 0 in characters. Facts come in two depths, both stored by content: `FileFacts` (what a
file defines, imports and mentions; extracted when a tree is indexed) and `FileUses` (scopes, bindings and references;
extracted when a question first needs them, because most files are never asked about in that depth).

Facts are frozen structs with value equality. Compare them with `==`, never with `is`: a fact read from the store is not
the same object as the one written. `replace` returns a changed copy. The order of the fields is the stored format
(`avionics.store.codec`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from avionics.model.enums import BindingKind, ExpressionKind, NarrowingKind, ReferenceKind, ScopeKind, SymbolKind

__all__ = [
    "UNKNOWN", "Binding", "Expression", "FileFacts", "FileUses", "Import", "Narrowing", "ParseProblem", "Reference",
    "Scope", "Span", "Symbol", "line_and_column", "line_of", "replace",
]  # fmt: skip


class Span(Struct, frozen=True, gc=False, array_like=True):
    """A run of whole lines, both ends included."""

    start_line: int
    end_line: int

    def contains(self, line: int) -> bool:
        """Return whether the line lies within the span."""
        return self.start_line <= line <= self.end_line


def line_of(text: str, offset: int) -> int:
    r"""Return the line of an offset.

    >>> line_of("a = 1\nb = 2\n", 6)
    2
    """
    return text.count("\n", 0, offset) + 1


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    r"""Return the line and column of an offset.

    >>> line_and_column("a = 1\nb = 2\n", 10)
    (2, 4)
    """
    return line_of(text, offset), offset - text.rfind("\n", 0, offset) - 1


class Expression(Struct, frozen=True, gc=False, array_like=True, cache_hash=True):
    """A small language-neutral tree for receivers and assigned values.

    | kind | name | parts |
    |---|---|---|
    | NAME | the identifier | ; `index`: 0 where it names no value, as before `::`; OUTERMOST after a leading `::` |
    | ATTRIBUTE | the member | (object,) |
    | CALL | | (callee, positional arguments…, KEYWORD arguments…) |
    | KEYWORD | the parameter | (argument,) |
    | SUBSCRIPT | | (object, index…) |
    | LITERAL | its built-in type: "str", "int", … or, for a string in a type position, its text | |
    | CONTAINER | "list", "tuple", "set", "dict", "generator" | (elements…), for a dict (key, value) of the first item |
    | UNION | | (alternatives…) |
    | OPERATION | the method of the operator; in a type position WITHOUT or ONLY | (left, right) |
    | AWAIT, ELEMENT, ENTER | | (awaited / iterated / entered,) |
    | POINTED | | (value,): what a smart pointer points to, or any other value itself: `*value`, `value->` |
    | ITEM | | (unpacked,), `index`: the position |
    | FUNCTION | | (body,) of a lambda, `index`: its scope or -1; in a type position (result, parameters…), GATHERING |
    | EXPECTED | the parameter, or "" | (callee, arguments…), `index`: what the callee declares an argument to be |
    | MATCHING | | (value, KEYWORDs…): the members of a union that an object literal with these members may be |
    | GUARD | the parameter | (type,): a boolean result that is true only if the argument has that type |
    | TYPED | | (type,): a value of a written type: a cast, a literal of it |
    | TYPEOF | | (value,): in a type position, the type that a value has |
    | SENT | | what a `yield` receives |
    | SELF, OWN_CLASS, SUPER | | the object of the method around, its class, that object as its bases see it |
    | OBJECT | | `index`: the class scope of the file whose object it is (a literal, an anonymous class) |
    | UNKNOWN | the reason, if there is one to give | |

    `index` is -1 where the table does not mention it.
    """

    kind: ExpressionKind
    name: str = ""
    parts: tuple[Expression, ...] = ()
    index: int = -1


UNKNOWN = Expression(ExpressionKind.UNKNOWN)
"""An expression about which nothing is known."""
COMPUTED_KEY = "[]"
"""The name of an access by a key whose text is not known: `object[key]`."""
OUTERMOST = 1
"""The index of a NAME that is looked up at the top level of its file, whatever is nearer."""
GATHERING = "*"
"""The name of a FUNCTION whose last parameter holds all further arguments."""


class Symbol(Struct, frozen=True, gc=False, array_like=True):
    """A definition.

    Attributes:
        name: The name as written.
        kind: What the symbol defines.
        qualname: The dotted path within the file: `Class.method`, `outer.inner`.
        span: The lines of the whole definition, decorators included.
        line: The line of the name.
        column: The column of the name.
        signature: One line: `def f(a, b=1) -> int`; for values the assigned text, shortened.
        doc: The first paragraph of the documentation, joined to one line.
        parent: The index of the enclosing symbol in `FileFacts.symbols`, or -1.
        exported: Whether other files are meant to see it.
        decorators: The text of the decorators, without markers.
        bases: The classes it inherits from, as written.
    """

    name: str
    kind: SymbolKind
    qualname: str
    span: Span
    line: int
    column: int
    signature: str = ""
    doc: str = ""
    parent: int = -1
    exported: bool = True
    decorators: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()

    @property
    def is_announced(self) -> bool:
        """Return whether this only declares the symbol: a prototype, or a variable defined in another file."""
        is_extern = self.kind is SymbolKind.VARIABLE and self.signature.startswith("extern ")
        return self.signature.endswith(";") or (is_extern and "=" not in self.signature)

    @property
    def is_marked_override(self) -> bool:
        """Return whether its declaration says that it overrides an inherited member."""
        return "Override" in self.decorators or "override " in self.signature


COMPUTED = "*"
"""What stands for the computed parts of the path of a module."""


class Import(Struct, frozen=True, gc=False, array_like=True):
    """One imported name.

    Attributes:
        module: The module as written, without leading dots: `a.b`; may be "". COMPUTED stands for what is computed.
        name: The name taken from the module; "" imports the module itself; "*" takes all names.
        alias: The name it is bound to in this file ("" for a star).
        level: The number of leading dots: 0 is absolute, 1 this package.
        line: The line of the import.
        column: The column of the imported name.
        lazy: Whether the import stands inside a function.
    """

    module: str
    name: str
    alias: str
    level: int
    line: int
    column: int = 0
    lazy: bool = False


class ParseProblem(Struct, frozen=True, gc=False, array_like=True):
    """A part of the bytes that could not be parsed."""

    line: int
    message: str


class FileFacts(Struct, frozen=True, gc=False, array_like=True):
    """The outline of some bytes.

    Attributes:
        language: The language the bytes were read in.
        symbols: The symbols in order of appearance; parents before children.
        imports: The imports in order of appearance.
        exports: The declared public names (`__all__`), or None if none are declared; `*` stands for computed ones.
        words: Identifier → number of occurrences, anywhere in the text.
        doc: The first paragraph of the file's own documentation.
        lines: The number of lines.
        problems: Syntax errors and limits that were reached.
        package: The dotted package or namespace that the file declares; "" if it declares none.
    """

    language: str
    symbols: tuple[Symbol, ...] = ()
    imports: tuple[Import, ...] = ()
    exports: tuple[str, ...] | None = None
    words: Mapping[str, int] = {}
    doc: str = ""
    lines: int = 0
    problems: tuple[ParseProblem, ...] = ()
    package: str = ""

    def get_parent(self, symbol: Symbol) -> Symbol | None:
        """Return the symbol around one of the file, None at the top level."""
        return self.symbols[symbol.parent] if symbol.parent >= 0 else None

    def iter_around(self, symbol: Symbol) -> Iterator[Symbol]:
        """Yield the symbols around one of the file, innermost first."""
        while symbol.parent >= 0:
            symbol = self.symbols[symbol.parent]
            yield symbol


class Scope(Struct, frozen=True, gc=False, array_like=True):
    """A lexical scope; index 0 of a file is the module.

    Attributes:
        kind: What opened the scope.
        parent: The index of the enclosing scope, -1 for the module.
        span: The lines of the scope.
        symbol: The index in `FileFacts.symbols` of the definition that opened it, or -1.
        self_name: In a method, the name of its own object there: the first parameter's name, or "this".
        of: For a CLASS scope that adds members to a type declared elsewhere (a Go receiver, a Rust `impl`, a C++
            member defined outside its class), that type, to be read in the parent scope.
    """

    kind: ScopeKind
    parent: int
    span: Span
    symbol: int = -1
    self_name: str = ""
    of: Expression = UNKNOWN


def iter_scopes_around(scopes: Sequence[Scope], scope: int) -> Iterator[int]:
    """Yield a scope and those around it, innermost first."""
    while scope >= 0:
        yield scope
        scope = scopes[scope].parent


def get_class_side(scopes: Sequence[Scope], scope: int) -> int:
    """Return the scope of the members that a class has apart from its objects; -1 if a class scope has none.

    A language whose specification says `class_sides` opens it directly after the scope of the class.
    """
    side = scope + 1
    if scope < 0 or side >= len(scopes) or scopes[scope].kind is not ScopeKind.CLASS or scopes[scope].of != UNKNOWN:
        return -1
    is_side = scopes[side].kind is ScopeKind.CLASS and scopes[side].parent == scope
    return side if is_side and scopes[side].symbol == scopes[scope].symbol else -1


class Binding(Struct, frozen=True, gc=False, array_like=True):
    """A name given a meaning in a scope.

    Attributes:
        name: The bound name.
        scope: The index of the scope that holds the name; for MEMBER the scope of the class.
        kind: How the name is bound.
        line: The line of the name.
        column: The column of the name.
        symbol: For DEFINITION the index of the symbol.
        imported: For IMPORT the index in `FileFacts.imports`.
        within: The index of the scope in which `value` and `annotation` are to be read.
        value: What was assigned.
        annotation: The declared type.
    """

    name: str
    scope: int
    kind: BindingKind
    line: int
    column: int
    symbol: int = -1
    imported: int = -1
    within: int = -1
    value: Expression = UNKNOWN
    annotation: Expression = UNKNOWN


class Narrowing(Struct, frozen=True, gc=False, array_like=True):
    """Lines in which a dotted name has a more specific type than declared (`isinstance`, `match`).

    Attributes:
        name: The dotted name.
        span: The lines.
        kind: What is known: the name is an instance of `type`; the function `type` returned true for it; it has
            `member`; its `member` may be the value `type`; its `member` may be another value than `type`.
        type: A type, a callee or a value, by the kind; UNKNOWN if only a member is asked for.
        member: The member that is asked for, or "".
        is_after: Whether the condition itself is written before the lines.
    """

    name: str
    span: Span
    kind: NarrowingKind
    type: Expression
    member: str = ""
    is_after: bool = False


class Reference(Struct, frozen=True, gc=False, array_like=True):
    """A use of a name.

    Attributes:
        name: The name.
        kind: The role that the name plays.
        line: The line of the name.
        column: The column of the name.
        scope: The index of the scope in which the name stands.
        receiver: The expression before the dot, for a KEYWORD the callee, or None for a bare name.
        index: For IMPORT the index in `FileFacts.imports`; 0 for a CALL of what can only be a type, as after `new`, and
            for an ANNOTATE of what is a value if no type has the name, as in a pattern.
        arguments: What a call passes, in languages that choose between definitions of one name by their arguments.
    """

    name: str
    kind: ReferenceKind
    line: int
    column: int
    scope: int
    receiver: Expression | None = None
    index: int = -1
    arguments: tuple[Expression, ...] | None = None

    @property
    def is_import(self) -> bool:
        """Return whether an import takes the name."""
        return self.kind is ReferenceKind.IMPORT and self.index >= 0


class FileUses(Struct, frozen=True, gc=False, array_like=True):
    """The uses in some bytes: every scope, binding and reference.

    Attributes:
        scopes: The scopes; index 0 is the module.
        bindings: Name → its bindings, in order of appearance.
        references: Name → the references to it, in order of appearance.
        bases: Index of the scope of a class, or of one that adds to a class → what it inherits from there.
        results: Index of a function symbol → its declared result.
        returns: Index of a function's scope → the expressions it returns.
        yields: Index of a function's scope → the expressions it yields.
        narrowings: Where the type of a name is known to be narrower than its declaration.
        dynamic: Accesses to names by computed text, which static reading cannot follow: `getattr(x, name)` is a
            reference named `getattr` whose receiver is `x`, `x[name]` one named `[]` whose receiver is all of it.
        strings: Text in string literals → lines: whole literals shaped like a name or dotted name (and its last
            part), those with gaps (`visit_*`), and names within longer ones that read like code.
        decorators: Index of a symbol → its decorators, outermost first.
        is_partial: Whether the bytes were read only in part: they nest too deep, or reading them took too long.
        unread: Identifier → places (line, column) in code that no rule of the language reads: a macro's text, a syntax
            error. Its meaning there is unknown.
        unwritten: Name → places of its references and bindings where the text has another word (a constructor is
            bound under the name that all constructors have).
        unnamed: Identifier → how often it stands in code without a reference or binding of that name: in the path of
            an import, or as the name of a parameter in a type.
        keys: Text in string literals → lines, where it is a key of a mapping or is compared with text: it names a
            definition only if the language or a class uses names as keys.
    """

    scopes: tuple[Scope, ...]
    bindings: Mapping[str, tuple[Binding, ...]]
    references: Mapping[str, tuple[Reference, ...]]
    bases: Mapping[int, tuple[Expression, ...]] = {}
    results: Mapping[int, Expression] = {}
    returns: Mapping[int, tuple[Expression, ...]] = {}
    yields: Mapping[int, tuple[Expression, ...]] = {}
    narrowings: tuple[Narrowing, ...] = ()
    dynamic: tuple[Reference, ...] = ()
    strings: Mapping[str, tuple[int, ...]] = {}
    decorators: Mapping[int, tuple[Expression, ...]] = {}
    is_partial: bool = False
    unread: Mapping[str, tuple[tuple[int, int], ...]] = {}
    unwritten: Mapping[str, tuple[tuple[int, int], ...]] = {}
    unnamed: Mapping[str, int] = {}
    keys: Mapping[str, tuple[int, ...]] = {}

    def get_reference(self, name: str, line: int, column: int) -> Reference | None:
        """Return the reference to a name at a place, or None."""
        named = self.references.get(name, ())
        return next((each for each in named if (each.line, each.column) == (line, column)), None)
