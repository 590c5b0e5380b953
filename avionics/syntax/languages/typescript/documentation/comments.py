"""Read the tags of JSDoc comments.

The types in braces are parsed by the grammar of TypeScript, all of a file at once: in a copy of the file in which
everything else is blank, `@param {Cart} cart` becomes `0 as Cart; cart`, at the same places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from msgspec import Struct, structs

from avionics.late_pattern import late_pattern
from avionics.syntax.engine import grammars
from avionics.syntax.engine.doc_comments import DocComment, DocDeclaration, DocTag
from avionics.syntax.engine.grammars import Grammar, Node

_TYPESCRIPT = Grammar("tree_sitter_typescript", "language_typescript")
_OPENING = late_pattern(rb"/\*\*(?!/)", needs=(b"/**",))
_TAG = late_pattern(
    rb"(?<=[\s*])@(param|arg|argument|type|typedef|property|prop|returns?|template|this|extends|augments|implements"
    rb"|callback|satisfies|throws|exception|import|overload)(?![\w-])",
    needs=(b"@",),
)
_SAME = {b"arg": "param", b"argument": "param", b"prop": "property", b"return": "returns", b"augments": "extends",
         b"exception": "throws"}  # fmt: skip
_NAMED = frozenset({"param", "property", "typedef", "callback", "template"})
_DECLARING = frozenset({"typedef", "callback", "overload"})
_SPACE = late_pattern(rb"[ \t]{0,200}")
_LINES = late_pattern(rb"[ \t]{0,200}(?:\r?\n[ \t]{0,200}\*(?!/)[ \t]{0,200})?")
_NAME = late_pattern(rb"\[?[ \t]{0,20}([A-Za-z_$][\w$]{0,200}(?:\.[A-Za-z_$][\w$]{0,200}){0,5})(?![\w$\x80-\xff])")
_BARE = late_pattern(rb"[ \t]{1,200}([A-Za-z_$][\w$.]{0,200}(?:<[^\n{}]{1,300}>)?(?:\[\]){0,3})")
_UNBRACED = frozenset({"extends", "implements", "this", "type"})
"""The tags whose types need no braces."""
_MORE = late_pattern(rb"[ \t]{0,20},[ \t]{0,20}")
_BRACE = late_pattern(rb"[{}]|'[^'\n]{0,200}'|\"[^\"\n]{0,200}\"|`[^`\n]{0,200}`")
_IMPORT = late_pattern(rb"[^'\"@;]{1,2000}\bfrom\s{1,200}(?:'[^'\n]{1,300}'|\"[^\"\n]{1,300}\")")
_STAR = late_pattern(rb"(?<=\n)[ \t]{0,200}\*")
_MARK = late_pattern(rb"\?(?=\s{0,20}(?:[,;)}\]|>=&]|\Z))|!|\.(?=<)")
_FUNCTION = late_pattern(rb"\bfunction(?=\s{0,20}\()", needs=(b"function",))
_PARENTHESIS = late_pattern(rb"[()]")
_RESULT = late_pattern(rb"\s{0,20}:")
_SUBJECT = late_pattern(rb"\s{0,20}(?:asserts\s{1,20})?([A-Za-z_$][\w$]{0,200}|this)\s{1,20}is\s")
_LISTS = late_pattern(rb"(?:\[\]){1,8}\Z")
_MODULE_MEMBER = late_pattern(rb"\s{0,20}import\(\s{0,20}['\"][^'\"\n]{1,300}['\"]\s{0,20}\)(?:\.[\w$]{1,200}){0,8}\Z")
_BLANKED = bytes(each if each in b"\r\n" else ord(" ") for each in range(256))
"""Blanks for all bytes but line ends."""
_BLANKS = b" \t\r\n"
_MAX_TYPE_BYTES, _MAX_BRACES = 8_000, 400
_BLANK_LINES = late_pattern(rb"\s{0,2000}")
_MAX_COMMENTS = 20
"""The comments behind a comment that are passed over to find the code."""
_MAX_UNCLOSED = 20
"""The types of a comment without a closing brace after which it is read no further."""
_MAX_REPEATED = 200
"""The types of a file that are parsed each on its own, after an error among them."""


class _Written(Struct, frozen=True):
    """A tag and the places of its parts in the code to parse; -1 for what it lacks."""

    tag: DocTag
    start: int
    type: int = -1
    type_end: int = -1
    name: int = -1
    is_import: bool = False


def read_doc_comments(content: bytes, root: Node, of: re.Pattern[bytes] | None = None) -> dict[int, DocComment]:
    """Return the documentation comments with tags, by the byte where the code behind them begins.

    Comments in which `of` finds nothing are left out. Of several before the same code the last one describes it; the
    others keep the places of their ends.
    """
    if b"/**" not in content:
        return {}
    code, written = bytearray(), list[tuple[Node, list[_Written]]]()
    for comment in _iter_comments(content, root, of):
        code = code or bytearray(content.translate(_BLANKED))
        tags = list(_iter_tags(content, code, comment))
        if tags:
            written.append((comment, tags))
    if not written:
        return {}
    nodes = _parse(bytes(code), [each for _, tags in written for each in tags])
    ends: dict[int, int] = {}
    for comment, _ in reversed(written):
        ends[comment.start_byte] = _get_end(content, comment, ends)
    found: dict[int, DocComment] = {}
    for comment, tags in written:
        read = _join(comment, ends[comment.start_byte], tags, nodes)
        before = found.pop(read.end, None)
        if before is not None:
            found[before.node.end_byte - 1] = before
        found[read.end] = read
    return found


def _iter_comments(content: bytes, root: Node, of: re.Pattern[bytes] | None) -> Iterator[Node]:
    """Yield the comments that begin with `/**` and have an `@` and what is looked for."""
    end = closed = sign = 0
    for found in _OPENING.finditer(content):
        start = found.start()
        if start < end:
            continue
        closed = content.find(b"*/", start + 3) if closed < start + 3 else closed
        sign = content.find(b"@", start) if sign < start else sign
        if closed < 0 or sign < 0:
            return
        if sign > closed or (of is not None and of.search(content, start, closed) is None):
            continue
        node = root.descendant_for_byte_range(start, start + 3)
        if node is not None and node.type == "comment" and node.start_byte == start:
            end = node.end_byte
            yield node


def _get_end(content: bytes, comment: Node, known: Mapping[int, int]) -> int:
    """Return where the code behind a comment begins, behind any further comments, of some of which it is known."""
    end = comment.end_byte
    for _ in range(_MAX_COMMENTS):
        space = _BLANK_LINES.match(content, end)
        end = space.end() if space is not None else end
        if end in known:
            return known[end]
        closing = {b"/*": b"*/", b"//": b"\n"}.get(content[end : end + 2])
        after = content.find(closing, end + 2) if closing is not None else -1
        if after < 0:
            break
        end = after + 2 if closing == b"*/" else after
    return end


def _iter_tags(content: bytes, code: bytearray, comment: Node) -> Iterator[_Written]:
    """Yield the tags of a comment, and write their types and names into the code to parse."""
    end, last, unclosed = comment.end_byte - 2, 0, 0
    for found in _TAG.finditer(content, comment.start_byte + 2, end):
        if found.start() < last:
            continue
        start, at = found.start(), found.end()
        kind = _SAME.get(found[1]) or found[1].decode()
        if kind == "import":
            clause = _IMPORT.match(content, at, end)
            if clause is not None:
                code[start + 1 : clause.end()] = _without_stars(content[start + 1 : clause.end()])
                if content[clause.end()] in b"; ":
                    code[clause.end()] = ord(";")
                last = clause.end()
                yield _Written(DocTag(kind), start + 1, is_import=True)
            continue
        tag, begin, close = DocTag(kind), -1, -1
        if kind in _UNBRACED and (bare := _BARE.match(content, at, end + 2)) is not None:
            code[bare.start(1) - 5 : bare.end(1)] = b"0 as " + bare[1]
            last = bare.end(1)
            if code[last] == ord(" "):
                code[last] = ord(";")
            yield _Written(tag, start, bare.start(1) - 5, last)
            continue
        space = _SPACE.match(content, at)
        at = space.end() if space is not None else at
        if content[at : at + 1] == b"{":
            close = _get_closing(content, at, end)
            if close < 0:
                unclosed += 1
                if unclosed > _MAX_UNCLOSED:
                    return
                continue
            tag, begin = _write_type(content, code, tag, at, close)
            at = close + 1
        last = at
        if kind in _NAMED:
            yield from _write_names(content, code, _Written(tag, start, begin, close), at, end)
        elif begin >= 0 or kind in _DECLARING:
            yield _Written(tag, start, begin, close)


def _without_stars(text: bytes) -> bytes:
    """Return the lines of a comment without the stars at their beginnings."""
    return _STAR.sub(lambda found: b" " * len(found[0]), text) if b"\n" in text else text


def _get_closing(content: bytes, opening: int, end: int) -> int:
    """Return the byte of the brace that closes the one at a byte; -1 if there is none."""
    depth = 0
    for found in islice(_BRACE.finditer(content, opening, min(end, opening + _MAX_TYPE_BYTES)), _MAX_BRACES):
        depth += (found[0] == b"{") - (found[0] == b"}")
        if not depth:
            return found.start()
    return -1


def _write_type(content: bytes, code: bytearray, tag: DocTag, opening: int, close: int) -> tuple[DocTag, int]:
    """Write the type between two braces into the code, and return the tag with its form, and where the code begins."""
    text = _without_stars(content[opening + 1 : close])
    opened = _open_functions(text) if b"function" in text else text
    tag = structs.replace(tag, is_loose=opened is not text)
    text = _MARK.sub(lambda found: b" " * len(found[0]), opened)
    begin, end = len(text) - len(text.lstrip(_BLANKS)), len(text.rstrip(_BLANKS))
    lists, subject = 0, ""
    if tag.kind == "returns" and (found := _SUBJECT.match(text)) is not None:
        begin, subject = found.end(), found[1].decode()
    if text.startswith(b"...", begin):
        begin, lists = begin + 3, 1
    while begin < end and text[begin : begin + 1] in (b"?", b"!"):
        begin += 1
    while begin < end and text[end - 1 : end] in (b"=", b"?", b"!"):
        end -= 1
    if (listed := _LISTS.search(text[begin:end])) and _MODULE_MEMBER.match(text[begin : begin + listed.start()]):
        lists, end = lists + len(listed[0]) // 2, begin + listed.start()
    if begin >= end:
        return tag, -1
    code[opening + 1 + begin : opening + 1 + end] = text[begin:end]
    code[close] = ord(";")
    # A tag has four bytes or more, so that this overwrites nothing else.
    code[opening - 4 : opening + 1] = b"0 as "
    if code[opening - 5] == ord(" "):
        code[opening - 5] = ord(";")
    return structs.replace(tag, lists=lists, subject=subject), opening - 4


def _open_functions(text: bytes) -> bytes:
    """Return a type with a tuple and a union in place of `function(A): B`, which TypeScript has in comments only."""
    code = bytearray(text)
    for found in _FUNCTION.finditer(text):
        code[found.start() : found.end()] = b" " * len(found[0])
        depth = 0
        for sign in islice(_PARENTHESIS.finditer(text, found.end()), _MAX_BRACES):
            is_open = sign[0] == b"("
            depth += 1 if is_open else -1
            if depth == is_open:
                code[sign.start()] = ord("[" if is_open else "]")
            if not depth:
                if (result := _RESULT.match(text, sign.end())) is not None:
                    code[result.end() - 1] = ord("|")
                break
    return bytes(code) if code != text else text


def _write_names(content: bytes, code: bytearray, written: _Written, at: int, end: int) -> Iterator[_Written]:
    """Yield a tag for each name behind its type, of which only `@template` may have several."""
    space = _LINES.match(content, at)
    found = _NAME.match(content, space.end() if space is not None else at, end)
    if found is None:
        if written.type >= 0 or written.tag.kind in _DECLARING:
            yield written
        return
    while found is not None:
        code[found.start(1) : found.end(1)] = found[1]
        code[found.start(1) - 1] = ord(";")
        yield structs.replace(written, name=found.start(1))
        more = _MORE.match(content, found.end(), end) if written.tag.kind == "template" else None
        found = _NAME.match(content, more.end(), end) if more is not None else None
        written = structs.replace(written, type=-1)


def _parse(code: bytes, written: list[_Written]) -> dict[int, Node]:
    """Return the parsed parts by the byte where their statement begins: types, names and imports."""
    root = grammars.parse(code, _TYPESCRIPT)
    nodes = dict(_iter_parts(root))
    if root.has_error:
        lost = (each for each in written if each.type >= 0 and each.type not in nodes)
        for each in islice(lost, _MAX_REPEATED):
            nodes.update(_iter_parts(grammars.parse_bytes(code, _TYPESCRIPT, each.type, each.type_end + 1)))
    return nodes


def _iter_parts(root: Node) -> Iterator[tuple[int, Node]]:
    for statement in root.named_children:
        if statement.has_error:
            continue
        if statement.type == "import_statement":
            yield statement.start_byte, statement
        elif statement.type == "expression_statement" and statement.named_child_count:
            inner = statement.named_children[0]
            if inner.type == "as_expression":
                if inner.named_child_count == 2:
                    yield inner.start_byte, inner.named_children[1]
            else:
                yield inner.start_byte, inner


def _join(comment: Node, end: int, written: list[_Written], nodes: Mapping[int, Node]) -> DocComment:
    """Return a comment with its tags; those behind a `@typedef`, a `@callback` or an `@overload` belong to that."""
    tags, groups, imports = list[DocTag](), list[tuple[DocTag, list[DocTag]]](), list[Node]()
    for each in written:
        node = nodes.get(each.type) if each.type >= 0 else None
        tag = structs.replace(each.tag, type=node, name=nodes.get(each.name))
        if each.is_import:
            imports += [nodes[each.start]] if each.start in nodes else []
        elif tag.kind in _DECLARING:
            groups.append((tag, []))
        elif tag.kind == "template" or not groups:
            tags.append(tag)
        else:
            groups[-1][1].append(tag)
    declarations = tuple([DocDeclaration(tag, tuple(members)) for tag, members in groups])
    return DocComment(comment, end, tuple(tags), declarations, tuple(imports))
