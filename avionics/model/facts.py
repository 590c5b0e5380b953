"""Facts: what is known of some bytes from those bytes alone.

No path, no second file. Lines count from 1, columns from 0 in characters.
Facts come in two depths, both stored by content: `FileFacts` (what a file defines, imports and
mentions; taken at indexing) and `FileUses` (scopes, bindings and references; taken when a question
first needs them, because most files are never asked that deeply).

Knows: the shape of facts in every language.
Does not know: syntax trees, files, storage.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from avionics.model.enums import BindingKind, ExpressionKind, NarrowingKind, ReferenceKind, ScopeKind, SymbolKind


@attrs.frozen
class Span:
    """A run of whole lines, both ends included."""

    start_line: int
    end_line: int

    def contains(self, line: int) -> bool:
        """Whether the line lies within."""
        return self.start_line <= line <= self.end_line


@attrs.frozen
class Location:
    """A place in the workspace: `file` is relative to the root, with forward slashes."""

    file: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@attrs.frozen
class Expression:
    """A small language-neutral tree for receivers and assigned values.

    | kind | name | parts |
    |---|---|---|
    | NAME | the identifier | |
    | ATTRIBUTE | the member | (object,) |
    | CALL | | (callee, positional arguments…, KEYWORD arguments…) |
    | KEYWORD | the parameter | (argument,) |
    | SUBSCRIPT | | (object, index…) |
    | LITERAL | its built-in type: "str", "int", … or, for a string in a type position, its text | |
    | CONTAINER | "list", "tuple", "set", "dict", "generator" | (elements…), for a dict (key, value) of the first item |
    | UNION | | (alternatives…) |
    | AWAIT, ELEMENT, ENTER | | (awaited / iterated / entered,) |
    | ITEM | | (unpacked,), `index`: the position |
    | FUNCTION | | (body,) of a lambda, `index`: its scope or -1; in a type position (result, parameters…) |
    | EXPECTED | the parameter, or "" | (callee,), `index`: what the callee declares an argument to be |
    | MATCHING | | (value, KEYWORDs…): the alternatives that an object written there with these members may be |
    | GUARD | the parameter | (type,): a result that says of an argument what it is where the result is true |
    | TYPED | | (type,): a value of a written type: a cast, a literal of it |
    | TYPEOF | | (value,): in a type position, the type that a value has |
    | SENT | | what a `yield` receives |
    | SELF, OWN_CLASS, SUPER | | the object of the method around, its class, that object as its bases see it |
    | OBJECT | | `index`: the class scope of the file whose object it is (a literal, an anonymous class) |
    | UNKNOWN | why, where that is told | |

    `index` is -1 where the table does not mention it.
    """

    kind: ExpressionKind
    name: str = ""
    parts: tuple[Expression, ...] = ()
    index: int = -1


UNKNOWN = Expression(ExpressionKind.UNKNOWN)


@attrs.frozen
class Symbol:
    """A definition.

    Attributes:
        name: As written.
        kind: What it defines.
        qualname: Dotted path within its file: `Class.method`, `outer.inner`.
        span: The lines of the whole definition, decorators included.
        line: The line of its name.
        column: The column of its name.
        signature: One line: `def f(a, b=1) -> int`; for values the assigned text, shortened.
        doc: The first paragraph of its documentation, one line.
        parent: Index of the enclosing symbol in `FileFacts.symbols`, or -1.
        exported: Whether other files are meant to see it.
        decorators: The decorators' text, without markers.
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


@attrs.frozen
class Import:
    """One imported name.

    Attributes:
        module: The module as written, without leading dots: `a.b`; may be "".
        name: The name taken from it; "" imports the module itself; "*" takes all.
        alias: The name it is bound to here ("" for a star).
        level: Leading dots: 0 is absolute, 1 this package.
        line: Where it stands.
        column: Where the imported name stands in that line.
        lazy: Whether it stands inside a function.
    """

    module: str
    name: str
    alias: str
    level: int
    line: int
    column: int = 0
    lazy: bool = False


@attrs.frozen
class ParseProblem:
    """Something in the bytes that could not be understood."""

    line: int
    message: str


@attrs.frozen
class FileFacts:
    """The outline of some bytes.

    Attributes:
        language: The language they were read in.
        symbols: In order of appearance; parents before children.
        imports: In order of appearance.
        exports: The declared public names (`__all__`), or None when none are declared.
        words: Identifier → occurrences, anywhere in the text.
        doc: First paragraph of the file's own documentation.
        lines: How many lines.
        problems: Syntax errors and limits met.
        package: The package or namespace the file says it belongs to, dotted; "" where files do not say.
    """

    language: str
    symbols: tuple[Symbol, ...] = ()
    imports: tuple[Import, ...] = ()
    exports: tuple[str, ...] | None = None
    words: Mapping[str, int] = attrs.field(factory=dict)
    doc: str = ""
    lines: int = 0
    problems: tuple[ParseProblem, ...] = ()
    package: str = ""


@attrs.frozen
class Scope:
    """A lexical scope; index 0 of a file is the module.

    Attributes:
        kind: What opened it.
        parent: Index of the enclosing scope, -1 for the module.
        span: Its lines.
        symbol: Index in `FileFacts.symbols` of the definition that opened it, or -1.
        self_name: In a method, the name its own object has there: the first parameter's, or "this".
        of: For a CLASS scope that adds members to a type declared elsewhere (a Go receiver, a Rust `impl`, a C++
            member defined outside its class), that type, to be read in the parent scope.
    """

    kind: ScopeKind
    parent: int
    span: Span
    symbol: int = -1
    self_name: str = ""
    of: Expression = UNKNOWN


@attrs.frozen
class Binding:
    """A name given a meaning in a scope.

    Attributes:
        name: The name bound.
        scope: Index of the scope that holds it; for MEMBER the scope of the class.
        kind: How.
        line: Where.
        column: Where.
        symbol: For DEFINITION the index of the symbol.
        imported: For IMPORT the index in `FileFacts.imports`.
        within: Index of the scope in which `value` and `annotation` are to be read.
        value: What was assigned, UNKNOWN if nothing can be said.
        annotation: The declared type, UNKNOWN if none.
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


@attrs.frozen
class Narrowing:
    """Lines in which more is known of a dotted name than it is declared to be (`isinstance`, `match`).

    Attributes:
        name: The name.
        span: The lines.
        kind: What is said: it is an instance of `type`; the function `type` was asked and held; it has `member`; its
            `member` may be the value `type`; its `member` may be another value than `type`.
        type: A type, a callee or a value, by the kind; UNKNOWN where only a member is asked for.
        member: The member that is asked for, "" for none.
    """

    name: str
    span: Span
    kind: NarrowingKind
    type: Expression
    member: str = ""


@attrs.frozen
class Reference:
    """A name used.

    Attributes:
        name: The name.
        kind: The role it plays.
        line: Where.
        column: Where.
        scope: Index of the scope it stands in.
        receiver: The expression before the dot, for a KEYWORD the callee, or None for a bare name.
        imported: For IMPORT the index in `FileFacts.imports`.
        arguments: What is passed where it is called, in languages that tell definitions of one name apart by that.
    """

    name: str
    kind: ReferenceKind
    line: int
    column: int
    scope: int
    receiver: Expression | None = None
    imported: int = -1
    arguments: tuple[Expression, ...] | None = None


@attrs.frozen
class FileUses:
    """The depth of some bytes: every scope, binding and reference.

    Attributes:
        scopes: Index 0 is the module.
        bindings: Name → bindings of it, in order of appearance.
        references: Name → references to it, in order of appearance.
        bases: Index of the scope of a class, or of one that adds to a class → what it inherits from there.
        results: Index of a function symbol → its declared result.
        returns: Index of a function's scope → the expressions it returns.
        yields: Index of a function's scope → the expressions it yields.
        narrowings: Where a name's type is known to be narrower.
        dynamic: Accesses to names by computed text, which no static reading follows: `getattr(x, name)` is a reference
            named `getattr` whose receiver is `x`.
        strings: Text in string literals → lines: whole literals shaped like a name or dotted name (and its last
            part), those with gaps (`visit_*`), and names within longer ones that read like code.
        decorators: Index of a symbol → what decorates it, outermost first.
        is_partial: Whether the bytes were read only in part: they nest too deep, or reading them took too long.
    """

    scopes: tuple[Scope, ...]
    bindings: Mapping[str, tuple[Binding, ...]]
    references: Mapping[str, tuple[Reference, ...]]
    bases: Mapping[int, tuple[Expression, ...]] = attrs.field(factory=dict)
    results: Mapping[int, Expression] = attrs.field(factory=dict)
    returns: Mapping[int, tuple[Expression, ...]] = attrs.field(factory=dict)
    yields: Mapping[int, tuple[Expression, ...]] = attrs.field(factory=dict)
    narrowings: tuple[Narrowing, ...] = ()
    dynamic: tuple[Reference, ...] = ()
    strings: Mapping[str, tuple[int, ...]] = attrs.field(factory=dict)
    decorators: Mapping[int, tuple[Expression, ...]] = attrs.field(factory=dict)
    is_partial: bool = False
