"""Read the definitions of languages without rules of their own, by conventions that most grammars share.

A grammar names the nodes of definitions `<what>_<definition | declaration | …>`, with the defined name in a field
`name` or the first identifier. Uses are not read: questions about them are answered with `unknown` and text matches.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping

from avionics.model.enums import SymbolKind
from avionics.syntax.conventions import Conventions
from avionics.syntax.engine.grammars import Grammar, Node
from avionics.syntax.engine.outline import Outline, OutlineRule
from avionics.syntax.engine.source_text import one_line, one_line_of_code
from avionics.syntax.rules import LanguageRules

_KINDS = (
    (re.compile(r"(method|constructor)_"), SymbolKind.METHOD),
    (re.compile(r"(func|subroutine|procedure|subprogram|sub_|macro|rpc|create_function)"), SymbolKind.FUNCTION),
    (re.compile(r"(interface|trait|protocol|service)"), SymbolKind.INTERFACE),
    (re.compile(r"enum"), SymbolKind.ENUM),
    (re.compile(r"(class|struct|record|object|contract|message|union|create_table|entity)"), SymbolKind.CLASS),
    (re.compile(r"(module|namespace|package|library)"), SymbolKind.MODULE),
    (re.compile(r"type"), SymbolKind.TYPE),
)
_DEFINES = re.compile(
    r"(?!.*(import|call|parameter|argument|field|forward|using|package_clause))"
    r"(\w+_(definition|declaration|def|decl|item|definition_statement|declaration_statement|statement)|"
    r"create_(table|function|view)|class_interface|message|service|rpc|enum|class|function|module)\Z"
)
_NAME = re.compile(r"(\w*identifier|name|\w+_name|word|constant|bareword|value_name)\Z")
_BODIES = re.compile(
    r"\w*(body|block|program|source_file|source|declarations?|section|list|members?|chunk|document|definitions?|statement|"
    r"interface|implementation)\Z"
)


def build_rules(language: str, wheel: str) -> LanguageRules:
    """Return the rules of a language that has none of its own, with the grammar in a wheel."""
    return LanguageRules(
        name=language,
        grammar=Grammar(wheel, "get_language", language),
        module_system="standalone_files",
        outline=_Rules(),
        nested=_Nested(),
        uses={},
        has_uses=False,
    )


class _Rules(Mapping[str, OutlineRule]):
    """A rule for every node type that looks like a definition."""

    def __getitem__(self, node_type: str) -> OutlineRule:
        if _kind_of(node_type) is None:
            raise KeyError(node_type)
        return _define

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


class _Nested(frozenset[str]):
    """Every node type that may contain definitions but is none itself; `_define` enters these."""

    def __contains__(self, node_type: object) -> bool:
        is_body = isinstance(node_type, str) and _BODIES.match(node_type) is not None
        return is_body and _kind_of(node_type) is None


CONVENTIONS: Mapping[str, Conventions] = {"swift": Conventions(is_name_first=True)}
"""The conventions of languages that differ from the defaults."""


@functools.cache
def _kind_of(node_type: str) -> SymbolKind | None:
    """Return the kind of symbol that nodes of a type define; None if they define none."""
    if not _DEFINES.match(node_type):
        return None
    return next((kind for pattern, kind in _KINDS if pattern.search(node_type)), None)


def _define(outline: Outline, node: Node, parent: int) -> None:
    name, kind = _name_of(node), _kind_of(node.type)
    if name is None or kind is None:
        outline.enter(node, parent)
        return
    body = node.child_by_field_name("body")
    end = body.start_byte if body is not None else node.end_byte
    header = outline.source.between(node.start_byte, end)
    is_member = kind is SymbolKind.FUNCTION and outline.is_class(parent)
    signature = one_line_of_code(header.partition("\n")[0]).rstrip("{ ")
    doc = _doc_above(outline, node)
    index = outline.define(name, SymbolKind.METHOD if is_member else kind, node, parent, signature=signature, doc=doc)
    outline.enter(node, index)


def _name_of(node: Node) -> Node | None:
    """Return the name of a definition: its field or first identifier, the last part of a dotted one."""
    found = node.child_by_field_name("name")
    if found is None:
        found = next((child for child in node.named_children if _NAME.match(child.type)), None)
    if found is None:
        inner = node.child_by_field_name("declarator") or node.child_by_field_name("signature")
        return _name_of(inner) if inner is not None else None
    while found.named_child_count:
        found = found.named_children[-1]
    return found


def _doc_above(outline: Outline, node: Node) -> str:
    """Return the comment that ends on the line above."""
    above = node.prev_named_sibling
    if above is None or "comment" not in above.type or above.end_point.row < node.start_point.row - 1:
        return ""
    return one_line(outline.source.of(above).strip("/*#-;!% \n\t"), 200)
