"""Types and names that a language reads from documentation comments: `/** @param {Cart} cart */` of JavaScript."""

from __future__ import annotations

from msgspec import Struct

from avionics.syntax.engine.grammars import Node


class DocTag(Struct, frozen=True):
    """A tag of a documentation comment.

    Attributes:
        kind: What it describes: `param`, `returns`, `type` and so on, whatever other word stands for it.
        type: The type in braces; None if there is none that can be parsed.
        name: The name after it, a dotted one for a member of a parameter; None if there is none.
        lists: How many lists the type is within: 1 for `...Cart` and for `import('m').Cart[]`.
        is_loose: Whether only the names in the type are known, as in `function(Cart): Item`.
        subject: The parameter whose type the result tells, `x` of `x is Cart`.
    """

    kind: str
    type: Node | None = None
    name: Node | None = None
    lists: int = 0
    is_loose: bool = False
    subject: str = ""


class DocDeclaration(Struct, frozen=True):
    """A type that a comment declares, a `@typedef` or a `@callback`, with the tags of its members or parameters."""

    tag: DocTag
    members: tuple[DocTag, ...] = ()


class DocComment(Struct, frozen=True):
    """A documentation comment with tags.

    Attributes:
        node: The comment.
        end: The byte where the code behind it begins.
        tags: The tags about the code behind it.
        declarations: The types that it declares.
        imports: The statements that import types: `@import {Cart} from './cart'`.
    """

    node: Node
    end: int
    tags: tuple[DocTag, ...] = ()
    declarations: tuple[DocDeclaration, ...] = ()
    imports: tuple[Node, ...] = ()

    def find(self, kind: str) -> tuple[DocTag, ...]:
        """Return the tags of a kind."""
        return tuple([tag for tag in self.tags if tag.kind == kind])

    def get(self, kind: str) -> DocTag | None:
        """Return the first tag of a kind; None if there is none."""
        return next((tag for tag in self.tags if tag.kind == kind), None)
