"""Define the types that JSDoc comments declare, and add the modules whose types they name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.model.facts import Import, replace
from avionics.syntax.engine.doc_comments import DocComment, DocDeclaration, DocTag
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import child_of, first_child, iter_outermost
from avionics.syntax.engine.outline import Outline
from avionics.syntax.engine.source_text import one_line, one_line_of_code

MAY_DEFINE = late_pattern(
    rb"@(?:typedef|callback|import|implements)\b|\bimport\(\s{0,20}['\"]",
)
"""What a file has in whose documentation comments types are declared, imported or implemented."""
_JOINING = frozenset({"intersection_type", "union_type", "parenthesized_type"})
_CLASSES = frozenset({"class_declaration", "class"})
_FIRST_LINES = late_pattern(r"[^@]{0,2000}")
_STARS = late_pattern(r"\n[ \t]{0,200}\*?[ \t]{0,200}")


def define_documented(outline: Outline, root: Node, comments: Iterable[DocComment]) -> None:
    """Define what the comments of a file declare, with its members, and add the imports in their types."""
    classes = {(each.line, each.column): at for at, each in enumerate(outline.symbols)}
    for comment in comments:
        for declared in comment.declarations:
            _define_type(outline, comment, declared)
        for tag in _iter_all(comment):
            for call in iter_outermost(tag.type, {"call_expression"}):
                _add_load(outline, call)
        if comment.get("implements") is not None:
            _add_bases(outline, root, comment, classes)


def _iter_all(comment: DocComment) -> Iterator[DocTag]:
    yield from comment.tags
    for declared in comment.declarations:
        yield declared.tag
        yield from declared.members


def _define_type(outline: Outline, comment: DocComment, declared: DocDeclaration) -> None:
    """Define the name of a `@typedef` or `@callback`; a type of object types or properties has members."""
    tag, name = declared.tag, declared.tag.name
    if name is None or name.type != "identifier":
        return
    doc = _describe(outline.source.of(comment.node))
    signature = f"@{tag.kind} {_braced(outline, tag)}{outline.source.of(name)}"
    index = outline.define(name, SymbolKind.TYPE, comment.node, -1, signature=signature, doc=doc)
    for part in iter_outermost(tag.type, {"object_type"}, lambda node: node.type in _JOINING):
        outline.enter(part, index)
    for member in declared.members if tag.kind == "typedef" else ():
        if member.kind == "property" and member.name is not None and member.name.type == "identifier":
            text = f"@property {_braced(outline, member)}{outline.source.of(member.name)}"
            outline.define(member.name, SymbolKind.ATTRIBUTE, member.name, index, signature=text)


def _braced(outline: Outline, tag: DocTag) -> str:
    return f"{{{one_line_of_code(outline.source.of(tag.type))}}} " if tag.type is not None else ""


def _describe(comment: str) -> str:
    """Return the text of a comment before its first tag."""
    found = _FIRST_LINES.match(comment, 3)
    return one_line(_STARS.sub("\n", found[0]).strip("* \t\r\n/"), 200) if found is not None else ""


def _add_load(outline: Outline, call: Node) -> None:
    """Add the import of `import('./cart').Cart`, of the name behind the module, or of the module as a whole."""
    function, argument = call.child_by_field_name("function"), first_child(call, "arguments")
    if function is None or function.type != "import" or argument is None or argument.type != "string":
        return
    text, outer = outline.source.of(argument), call.parent
    member = outer.child_by_field_name("property") if outer is not None and outer.type == "member_expression" else None
    name = outline.source.of(member)
    alias = f"{name} of {text}" if name else f"require {text}"
    line, column = outline.source.place(member or argument)
    outline.imports.append(Import(text.strip("\"'"), name, alias, 0, line, column))


def _add_bases(outline: Outline, root: Node, comment: DocComment, symbols: Mapping[tuple[int, int], int]) -> None:
    """Add the types that a class implements to its bases; the symbols are found by the places of their names."""
    node = root.descendant_for_byte_range(comment.end, comment.end + 1)
    while node is not None and node.type not in _CLASSES and node.start_byte == comment.end:
        node = child_of(node, *_CLASSES) if node.type == "export_statement" else node.parent
    name = node.child_by_field_name("name") if node is not None and node.type in _CLASSES else None
    index = symbols.get(outline.source.place(name), -1) if name is not None else -1
    bases = tuple([outline.source.of(tag.type) for tag in comment.find("implements") if tag.type is not None])
    if index >= 0:
        symbol = outline.symbols[index]
        outline.symbols[index] = replace(symbol, bases=(*symbol.bases, *bases))
