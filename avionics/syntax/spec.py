"""What a language contributes: tables from node types to rules.

Knows: the shape of a language's contribution, and the list of languages.
Does not know: any language's details.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import attrs

from avionics.model.enums import ReferenceKind
from avionics.model.facts import Expression

if TYPE_CHECKING:
    from avionics.syntax.engine.grammars import Node
    from avionics.syntax.engine.outline import Outline
    from avionics.syntax.engine.uses import UsesBuilder

LANGUAGES: Mapping[str, tuple[str, ...]] = {
    "c": (".c", ".h"),
    "cpp": (".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".tpp", ".inl", ".cu", ".cuh"),
    "csharp": (".cs",),
    "go": (".go",),
    "html": (".html", ".htm"),
    "java": (".java",),
    "javascript": (".js", ".mjs", ".cjs"),
    "jsx": (".jsx",),
    "kotlin": (".kt", ".kts"),
    "notebook": (".ipynb",),
    "php": (".php",),
    "python": (".py", ".pyi", ".pyw"),
    "ruby": (".rb", ".rake", ".gemspec"),
    "rust": (".rs",),
    "svelte": (".svelte",),
    "tsx": (".tsx",),
    "typescript": (".ts", ".mts", ".cts"),
    "vue": (".vue",),
}
"""Every language with the endings of its files, which are known without loading what reads it."""

OutlineRule = Callable[["Outline", "Node", int], None]
"""Adds what a node defines to the outline; the number is the index of the enclosing symbol."""

FileRule = Callable[["Outline", "Node"], None]
"""Adds to the outline what only the file as a whole tells; the node is the root."""

UsesRule = Callable[["UsesBuilder", "Node", int, ReferenceKind], Expression]
"""Adds what a node binds and uses; the number is the scope it stands in, the kind the role it plays there."""


@attrs.frozen
class LanguageSpec:
    """A language.

    Attributes:
        name: Its name in facts.
        grammar: The grammar that reads it.
        module_system: How imports find files: the name of a module of `index/modules`.
        outline: Node type → what it defines. Nodes not named are looked into only if in `nested`.
        nested: Node types that can hold definitions.
        uses: Node type → what it binds and uses. Nodes not named are looked into.
        executed_classes: Whether a class body runs like a block, which sees what it binds, and its methods do not.
        implicit_members: Whether a bare name may mean a member of a class around, inherited ones included.
        overloads: Whether definitions of one name in one scope are told apart by what they take.
        separate_functions: Whether functions have names of their own, beside those of variables and types: they are
            bound, referred to and looked up as `avionics.model.naming.called` has it.
        open_classes: Whether a class may be declared in several parts, or be given members from outside of it.
        static_types: Whether what is not generic has the type that its declaration tells: calls of what is declared
            outside of the workspace give objects from outside.
        structural_interfaces: Whether a class satisfies an interface by what it has, without naming it.
        silent_construction: Whether an object may be made without its class being named there: `new(…)`, `{…}`,
            conversions.
        non_virtual_members: A pattern that matches the start of a member declaration that cannot implement or
            override anything; "" for none.
        pointers: Whether what is indexed may be a pointer: an object that cannot be indexed itself is what is given.
        stub: The file beside the language that declares, in the language's own words, those types of its standard
            library that hold others; "" for none.
        distribution: The package that brings a module from outside the workspace, "" for the standard library; None
            where that is the first part of its dotted name.
        doc_files: The files, below a directory, that speak for it: its documentation and what it offers, best first.
        refine: The language that bytes with this language's endings are really written in; None where endings tell.
        prepare: Blanks out everything that is not code, keeping lines and columns; None if all of a file is code.
        blanked_uses: Adds the uses within what `prepare` blanked out; None if there are none.
        finish_outline: Adds to the outline, at its end, what only the file as a whole tells.
        nearest_stars: Whether a star import comes before what the scopes around its own bind.
        linkage: Whether a name that nothing seen declares may still mean one of another file, which a linker joins.
        text_mention_reason: What a place is where a name stands in text rather than in code.
    """

    name: str
    grammar: str
    module_system: str
    outline: Mapping[str, OutlineRule]
    nested: frozenset[str]
    uses: Mapping[str, UsesRule]
    executed_classes: bool = False
    implicit_members: bool = False
    overloads: bool = False
    separate_functions: bool = False
    open_classes: bool = False
    static_types: bool = False
    structural_interfaces: bool = False
    silent_construction: bool = False
    non_virtual_members: str = ""
    pointers: bool = False
    stub: str = ""
    distribution: Callable[[str], str] | None = None
    doc_files: tuple[str, ...] = ()
    refine: Callable[[bytes], str] | None = None
    prepare: Callable[[bytes], bytes] | None = None
    blanked_uses: Callable[[UsesBuilder, bytes], None] | None = None
    finish_outline: FileRule | None = None
    nearest_stars: bool = False
    linkage: bool = False
    text_mention_reason: str = "a string that may name it"


@functools.cache
def require_spec(language: str) -> LanguageSpec:
    """The language of that name: one of LANGUAGES, or of the long tail."""
    if language not in LANGUAGES:
        plain: LanguageSpec = importlib.import_module("avionics.syntax.languages.generic").plain_spec(language)
        return plain
    spec = importlib.import_module(f"avionics.syntax.languages.{language}").SPEC
    assert isinstance(spec, LanguageSpec)
    return spec
