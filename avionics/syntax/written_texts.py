"""Read the message templates at given lines of a file: its strings, joined as the code joins them, without values.

The types of nodes are recognized by parts of their names, which the grammars share: `string_literal`, `interpolation`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from avionics.late_pattern import late_pattern
from avionics.model.errors import MissingDependencyError
from avionics.syntax.engine.budget import TooCostlyError
from avionics.syntax.engine.nodes import field_of, first_child, iter_around
from avionics.syntax.registry import require_rules

if TYPE_CHECKING:
    from avionics.syntax.engine.grammars import Node

_STRING = late_pattern(r"(?:\A|_)(?:string|heredoc|nowdoc|text_block|jsx_text)(?:_|\Z)")
_PART_OF_STRING = late_pattern(r"_(?:type|start|end|content|fragment)\Z")
_VALUE = late_pattern(r"interpolation|substitution|expansion|embedded|format_expression")
_JOINED = late_pattern(r"binary|concat|additive|infix|chained|parenthesized")
_JOINING = frozenset(("+", ".", "..", "<>", "&", "<<", "++", "~", "%"))
_CASE = late_pattern(r"(?:\A|_)(?:arm|case|when|except|catch|rescue)(?:_|\Z)")
_ANNOTATED = late_pattern(r"attribute|annotation|decorator")
_CONSTANT = late_pattern(r"(?:\A|_)enum_(?:constant|entry|variant|member|assignment|case)|enumerator\Z")
_PAIR = late_pattern(r"(?:\A|_)(?:pair|keyed_element|field_initializer|initializer_pair|keyword_argument)\Z")
_ROW = late_pattern(r"initializer_list|literal_value|array|tuple|arguments")
_OUTSIDE = late_pattern(r"function|method|class|impl_item|struct|program|source_file|translation_unit|\Amodule\Z")
_NAME = late_pattern(r"[^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*")
_OPENING = late_pattern(r"\A(?:[A-Za-z@$]{1,2}8?)?(?:#*\"+|'+|`+)")
_ESCAPE = late_pattern(r"\\(?:(?:x1[bB]|u001[bB]|033|e)\[[\d;]*m|x[0-9a-fA-F]{2}|u\{?[0-9a-fA-F]{2,6}\}?|\s+|.)")
_PLACEHOLDER = late_pattern(
    r"%(?:\(\w+\)|\{\w+\}|\d+\$)?[-+#0]*[\d.*]*(?:hh|ll|[hlzjtLq])?[a-zA-Z@]|[$#]?\{[^{}\n]{0,80}\}|\$\w+|\\\([^()]{0,80}\)"
)
_UNPARSED = late_pattern(r"\Apreproc_(?:arg|def)|\Araw_text|\Atext\Z")
"""Text with strings that the grammar does not parse."""
_QUOTED = late_pattern(rb"\"(?:[^\"\\]|\\.)*\"")
_MAX_CLIMB, _MAX_LENGTH = 14, 4_000


class WrittenText(Struct, frozen=True):
    """A text in code that may be written as a message.

    Attributes:
        line: Its first line.
        parts: The strings between its values, in order.
        labels: The names with which an attribute or a table pairs it, nearest first.
        cases: The names in the patterns of the cases and handlers around it, nearest first.
        key: The name of the field or argument whose value it is; "" for none.
    """

    line: int
    parts: tuple[str, ...]
    labels: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    key: str = ""


def split_values(text: str) -> tuple[str, ...]:
    """Return the parts of a text between the places for its values: `%s`, `{}`, `${name}`."""
    return tuple(_PLACEHOLDER.split(text))


def read_texts(content: bytes, language: str, lines: Iterable[int]) -> Mapping[int, tuple[WrittenText, ...]]:
    """Return for each line the texts that its strings are part of, without comments and documentation."""
    from avionics.syntax.engine import grammars

    spec = require_rules(language)
    code = content if spec.prepare is None else spec.prepare(content)
    try:
        root = grammars.parse(code, spec.grammar)
    except (TooCostlyError, MissingDependencyError):
        return {}
    lengths = [len(line) for line in code.split(b"\n")]
    found: dict[int, tuple[WrittenText, ...]] = {}
    for line in lines:
        if line <= len(lengths):
            around = root.descendant_for_point_range((line - 1, 0), (line - 1, lengths[line - 1]))
            texts = (_read_text(each) for each in _iter_strings(around or root, line - 1))
            found[line] = tuple(dict.fromkeys(each for each in texts if each is not None))
            if not found[line] and around is not None and _UNPARSED.search(around.type):
                quoted = _QUOTED.findall((around.text or b"")[:_MAX_LENGTH])
                found[line] = tuple(WrittenText(line, split_values(_clean(each))) for each in quoted)
    return found


def _is_string(node: Node) -> bool:
    return _STRING.search(node.type) is not None and _PART_OF_STRING.search(node.type) is None


def _iter_strings(node: Node, row: int) -> Iterator[Node]:
    """Yield the outermost strings that have a part on a row: a node, nodes below it, or one of the two around it."""
    outer = next((each for each in itertools.islice((node, *iter_around(node)), 3) if _is_string(each)), None)
    waiting = [node if outer is None else outer]
    while waiting:
        each = waiting.pop()
        if each.start_point.row > row or each.end_point.row < row or "comment" in each.type:
            continue
        if _is_string(each):
            yield each
        else:
            waiting += each.children


def _read_text(string: Node) -> WrittenText | None:
    """Return the whole text that a string is a part of, `"no " + name`; None for a string that is a statement."""
    top = string
    while top.parent is not None and _is_joined(top.parent):
        top = top.parent
    if top.parent is not None and top.parent.type == "expression_statement" and top is string:
        return None
    parts = [""]
    for piece in _iter_pieces(top):
        if piece is None:
            parts.append("")
        else:
            first, *others = split_values(piece)
            parts[-1] = f"{parts[-1]} {first}"
            parts += others
    return WrittenText(top.start_point.row + 1, tuple(parts), *_read_labels(top))


def _is_joined(node: Node) -> bool:
    if _JOINED.search(node.type) is None:
        return False
    return all(each.type in _JOINING or each.is_named or each.type in "()" for each in node.children)


def _iter_pieces(node: Node) -> Iterator[str | None]:
    """Yield the texts that an expression joins, and None for each value between them."""
    if _is_string(node) and "concat" not in node.type and "chained" not in node.type:
        yield from _iter_literal(node)
    elif _JOINED.search(node.type):
        for each in node.named_children:
            yield from _iter_pieces(each)
    else:
        yield None


def _iter_literal(node: Node) -> Iterator[str | None]:
    """Yield the texts of a string, and None for each value that it has inside."""
    content = (node.text or b"")[:_MAX_LENGTH]
    start, at = node.start_byte, 0
    for each in node.children:
        if _VALUE.search(each.type) and each.start_byte - start < len(content):
            yield _clean(content[at : each.start_byte - start])
            yield None
            at = each.end_byte - start
    yield _clean(content[at:])


def _clean(content: bytes) -> str:
    """Return a piece of a string as it is printed, with its quotes left out."""
    text = _OPENING.sub("", content.decode("utf-8", "replace")).replace("\\'", "'")
    return _ESCAPE.sub(" ", text.replace("\\n", "\n"))


def _read_labels(node: Node) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Return the labels, cases and key of a text; see `WrittenText`."""
    labels, cases = list[str](), list[str]()
    key, below, is_whole = "", node, True
    for each in itertools.islice(iter_around(node), _MAX_CLIMB):
        first = first_child(each)
        if first is None or (_OUTSIDE.search(each.type) and not _CONSTANT.search(each.type)):
            break
        names = [] if first is below else _list_names(first)
        if _PAIR.search(each.type) and is_whole and first is not below:
            key = key or _text(first).strip("\"'`[]. ")
            labels += names
        elif _ANNOTATED.search(each.type):
            labels += _list_annotated(each)
        elif _CONSTANT.search(each.type):
            labels += _list_names(first)
        elif _CASE.search(each.type):
            cases += names
        elif _ROW.search(each.type) and is_whole and len(names) == 1:
            labels += names
        below, is_whole = each, is_whole and len(each.named_children) == 1
    return tuple(dict.fromkeys(labels)), tuple(dict.fromkeys(cases)), key


def _list_annotated(node: Node) -> list[str]:
    """Return the name of the definition to which an attribute, an annotation or a decorator belongs."""
    following: Node | None = node
    while following is not None and _ANNOTATED.search(following.type):
        following = following.next_named_sibling
    named = field_of(following, "name")
    return [_text(named)] if named is not None else []


def _list_names(node: Node) -> list[str]:
    """Return the names in a pattern that have a capital letter, as those of constants and classes do."""
    return [each.replace("::", ".") for each in _NAME.findall(_text(node)) if any(map(str.isupper, each))]


def _text(node: Node) -> str:
    return (node.text or b"")[:200].decode("utf-8", "replace")
