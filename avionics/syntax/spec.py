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

from protocols.enums import ReferenceKind
from protocols.facts import Expression

if TYPE_CHECKING:
    from avionics.syntax.grammars import Node
    from avionics.syntax.outline import Outline
    from avionics.syntax.uses import Uses

LANGUAGES = ("python",)

OutlineRule = Callable[["Outline", "Node", int], None]
"""Adds what a node defines to the outline; the number is the index of the enclosing symbol."""

UsesRule = Callable[["Uses", "Node", int, ReferenceKind], Expression]
"""Adds what a node binds and uses; the number is the scope it stands in, the kind the role it plays there."""


@attrs.frozen
class LanguageSpec:
    """A language.

    Attributes:
        name: Its name in facts, and of its grammar.
        suffixes: File suffixes, with the dot.
        outline: Node type → what it defines. Nodes not named are looked into only if in `nested`.
        nested: Node types that can hold definitions.
        uses: Node type → what it binds and uses. Nodes not named are looked into.
        package_files: File names that make a directory a package.
    """

    name: str
    suffixes: tuple[str, ...]
    outline: Mapping[str, OutlineRule]
    nested: frozenset[str]
    uses: Mapping[str, UsesRule]
    package_files: tuple[str, ...] = ()


@functools.cache
def require_spec(language: str) -> LanguageSpec:
    """The language of that name, which must be one of LANGUAGES."""
    spec = importlib.import_module(f"avionics.syntax.languages.{language}").SPEC
    assert isinstance(spec, LanguageSpec)
    return spec
