"""Items written inside macros: `cfg_unix! { pub fn open() { … } }` defines `open` as if it stood outside."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from avionics.late_pattern import late_pattern
from avionics.syntax.engine import grammars
from avionics.syntax.engine.grammars import Grammar, Node
from avionics.syntax.engine.source_text import SourceText

_ITEM = re.compile(rb"\b(?:use|fn|struct|enum|union|impl|trait|mod|const|static|type)\s")
_ITEMS = frozenset(
    {
        "function_item", "struct_item", "union_item", "enum_item", "trait_item", "impl_item", "type_item", "const_item",
        "static_item", "macro_definition", "mod_item", "use_declaration", "extern_crate_declaration",
        "foreign_mod_item", "macro_invocation", "attribute_item", "inner_attribute_item", "line_comment",
        "block_comment", "empty_statement",
    }
)  # fmt: skip
_OF_MODULES = re.compile(r"(?i)(?:\b|_)mod(?:ule)?s?(?:\b|_)")
"""The names of macros that declare the modules that they are given: `mod_flat!(a b)` is `mod a; pub use a::*; …`."""
_DEFINITION = late_pattern(rb"\bmacro_rules!\s{0,4}(\w{1,200})", needs=(b"macro_rules!",))
_DECLARES = re.compile(rb"\bmod\s{1,4}\$")
"""The declaration of a module in the definition of a macro: `$( pub mod $name; )*`."""
_MAX_DEPTH = 3
"""The maximum depth of nested braces that are tried: `cfg_if!` has items two deep."""
_WRAPPERS = frozenset({"source_file", "expression_statement"})
"""The nodes around a block that is parsed alone."""
_HOLDERS = frozenset({"source_file", "declaration_list"})


def iter_item_blocks(content: bytes, grammar: Grammar, invocation: Node) -> Iterator[Node]:
    """Yield the blocks of a macro's tokens that contain only items, if the macro is among items."""
    if not _is_among_items(invocation):
        return
    trees = [(child, 0) for child in invocation.named_children if child.type == "token_tree"]
    while trees:
        tree, depth = trees.pop(0)
        if not _ITEM.search(content, tree.start_byte, tree.end_byte):
            continue
        block = _parse_block(content, grammar, tree) if content[tree.start_byte : tree.start_byte + 1] == b"{" else None
        if block is not None:
            yield block
        elif depth < _MAX_DEPTH:
            trees += [(child, depth + 1) for child in tree.named_children if child.type == "token_tree"]


def iter_declared_modules(source: SourceText, invocation: Node) -> Iterator[Node]:
    """Yield the names of the modules that a macro among items declares: `mod_flat!(cart orders);`.

    It declares modules if its own name, or its definition in the same file, says so.
    """
    macro = invocation.child_by_field_name("macro")
    macro_name = "" if macro is None else source.of(macro).rpartition("::")[2]
    is_named_for_modules = _OF_MODULES.search(macro_name) is not None
    is_declaring = is_named_for_modules or macro_name in _list_declaring_macros(source.content)
    if not macro_name or not is_declaring or not _is_among_items(invocation):
        return
    trees = [child for child in invocation.named_children if child.type == "token_tree"]
    tokens = [token for tree in trees for token in tree.children[1:-1]]
    names = [token for token in tokens if token.type != ","]
    if all(each.type == "identifier" for each in names):
        yield from names
    elif not is_named_for_modules:
        # Attributes stand before some of the names.
        ends = [*(token.type == "," for token in tokens[1:]), True]
        yield from (token for token, is_end in zip(tokens, ends, strict=True) if is_end and token.type == "identifier")


@functools.lru_cache(maxsize=1)
def _list_declaring_macros(content: bytes) -> frozenset[str]:
    """Return the macros defined in a file whose arguments are names of modules that they declare."""
    ends: dict[bytes, tuple[int, int]] = {}
    for found in _DEFINITION.finditer(content):
        ends.setdefault(found[1], (found.end(), content.find(b"\n}", found.end())))
    declaring = (
        name
        for name, (start, end) in ends.items()
        if _DECLARES.search(content, start, end if end >= 0 else len(content))
    )
    return frozenset(name.decode("utf-8", "replace") for name in declaring)


def _is_among_items(invocation: Node) -> bool:
    """Return whether a macro is among items: at the top of a file, in a body of items, or in such a macro's block.

    A block that was parsed by itself is the top of what was parsed.
    """
    around = invocation.parent
    if around is not None and around.type == "expression_statement" and around.parent is not None:
        around = around.parent  # `m!(a);`
    if around is None or around.type != "block":
        return around is not None and around.type in _HOLDERS
    while around.parent is not None and around.parent.type in _WRAPPERS:
        around = around.parent
    return around.parent is None


def _parse_block(content: bytes, grammar: Grammar, tree: Node) -> Node | None:
    """Return the tokens between braces as a block of items, None if they are anything else."""
    node = grammars.parse_part(content, grammar, tree)
    while node.type in _WRAPPERS and node.named_child_count == 1:
        node = node.named_children[0]
    is_items = node.type == "block" and not node.has_error
    return node if is_items and all(map(_is_item, node.named_children)) else None


def _is_item(node: Node) -> bool:
    """Return whether a part of a block is an item; a call of a macro with its semicolon is parsed as a statement."""
    inside = node.named_children if node.type == "expression_statement" else [node]
    is_call = len(inside) == 1 and inside[0].type == "macro_invocation"
    return is_call or node.type in _ITEMS
