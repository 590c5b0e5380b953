"""Find the identifiers in code that no rule of the language recorded.

Identifiers in comments and strings are text. Any other identifier is either recorded by the walk over the tree, or it
may refer to anything with its name: the grammar reports an error there, a macro hides the code, or the language has no
rule for that place. A claim that all usages of a name are known has to count these.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from avionics.late_pattern import late_pattern
from avionics.model.facts import FileFacts, FileUses
from avionics.model.naming import as_written, called, tagged

if TYPE_CHECKING:
    from avionics.syntax.engine.grammars import Grammar, Node


class UnreadTables(Protocol):
    """The part of a language that distinguishes code from text; see `LanguageSpec`."""

    @property
    def grammar(self) -> Grammar:
        """Return the grammar that parses it."""

    @property
    def may_be_blanked_code(self) -> Callable[[bytes, int], bool] | None:
        """Return a predicate for blanked bytes that may be code after all; None if there is none."""

    @property
    def reading_sigil(self) -> bytes:
        """Return the character before a name that stands for what the variable of that name holds; empty for none."""


Place = tuple[int, int]
"""A line from 1 and a column from 0, in characters."""

_IDENTIFIER = late_pattern(r"[^\W\d]\w*")
_WORD = late_pattern(rb"\w+")
_TEXT = late_pattern(
    r"comment|string|char|regex|heredoc|nowdoc|jsx_text|^text$|escape|shebang|hash_bang|template_chars|^simple_symbol$"
)
_CODE = late_pattern(r"interpolation|substitution|template_type|ERROR")
_NAME = late_pattern(r"(?<!statement_)identifier|constant$|^name$|preproc_arg|ERROR|^word$")
_PLACE_WITHOUT_USES = late_pattern(
    r"import|export_specifier|pair_pattern|package|use_declaration|param|module_name|namespace_name|destructor|label|lifetime|attribute_item|attribute_declaration"
)
"""Nodes around the names of modules, of exports, of parameters that function types declare, and of labels."""
_TYPE_PARAMETER = late_pattern("type_?param")
_TEXT_DEPTH, _PLACE_DEPTH = 3, 4
_ENDS = frozenset({b"?", b"!"})
"""Characters that end a name in some languages, and are not part of a word."""
_SIGILS = frozenset({b"$", b"@", b"#"})
"""Characters that start a name in some languages, and are not part of a word."""


def find_unread(
    root: Node, content: bytes, code: bytes, spec: UnreadTables, facts: FileFacts, uses: FileUses
) -> tuple[dict[str, tuple[Place, ...]], dict[str, tuple[Place, ...]], dict[str, int]]:
    """Return the identifiers that occur in the code but not in its recorded uses, and the reverse.

    The tree is that of `code`: the content with everything but code blanked.

    Returns:
        `FileUses.unread`, `FileUses.unwritten` and `FileUses.unnamed`.
    """
    recorded = _collect_recorded(facts, uses)
    unread: defaultdict[str, list[Place]] = defaultdict(list)
    unwritten: defaultdict[str, list[Place]] = defaultdict(list)
    unnamed: defaultdict[str, int] = defaultdict(int)
    written: dict[Place, str] = {}
    keywords = _list_keywords(spec.grammar)
    reader = _Reader(root, content, code, spec.may_be_blanked_code)
    for word, place, start in _iter_identifiers(content):
        names, sigil = recorded.get(place), content[start - 1 : start] if start else b""
        if names is None and sigil in _SIGILS:
            before = (place[0], place[1] - 1)
            names = recorded.get(before)
            if names is not None and (spelled := f"{sigil.decode()}{word}") in names:
                written[before] = spelled
                if sigil == spec.reading_sigil:
                    unread[word].append(place)
                continue
        if names is not None:
            end = start + len(word.encode("utf-8", "surrogateescape"))
            behind = content[end : end + 1]
            spelled = f"{word}{behind.decode()}" if behind in _ENDS else word
            written[place] = spelled if spelled in names else word
            if word not in names and spelled not in names:
                unnamed[word] += 1
        elif word not in keywords and reader.is_code(start):
            if reader.may_be_use(start):
                unread[word].append(place)
            else:
                unnamed[word] += 1
    for place, names in recorded.items():
        for name in names:
            if written.get(place) != name:
                unwritten[name].append(place)
    return (
        {name: tuple(places) for name, places in unread.items()},
        {name: tuple(places) for name, places in unwritten.items()},
        dict(unnamed),
    )


def iter_recorded(word: str, facts: FileFacts, uses: FileUses) -> Iterator[Place]:
    """Yield the places where facts record a word, also as the name of a function or a tag, if the text has it there."""
    unwritten = frozenset(uses.unwritten.get(word, ()))
    for name in (word, called(word), tagged(word)):
        for group in (uses.references.get(name, ()), uses.bindings.get(name, ())):
            yield from {(each.line, each.column) for each in group} - unwritten
    named = {(each.line, each.column) for each in facts.symbols if each.name == word}
    named |= {(each.line, each.column) for each in facts.imports if word in {each.name, each.alias}}
    yield from named - unwritten


def _collect_recorded(facts: FileFacts, uses: FileUses) -> dict[Place, set[str]]:
    """Return the recorded places, with the names recorded there as the text spells them."""
    recorded: defaultdict[Place, set[str]] = defaultdict(set)
    groups: tuple[Mapping[str, tuple[object, ...]], ...] = (uses.references, uses.bindings)
    for group in groups:
        for name, found in group.items():
            plain = as_written(name)
            for each in found:
                recorded[each.line, each.column].add(plain)  # type: ignore[attr-defined]
    for symbol in facts.symbols:
        recorded[symbol.line, symbol.column].add(symbol.name)
    for imported in facts.imports:
        recorded[imported.line, imported.column].update(filter(None, (imported.name, imported.alias)))
    return recorded


def _iter_identifiers(content: bytes) -> Iterator[tuple[str, Place, int]]:
    """Yield every identifier with its place and its first byte, as `count_words` finds them."""
    start = 0
    for number, line in enumerate(content.split(b"\n"), 1):
        text = line.decode("utf-8", "surrogateescape")
        is_ascii, column, offset = len(text) == len(line), 0, 0
        for found in _IDENTIFIER.finditer(text):
            # Counting from the previous identifier keeps the cost of a long line linear.
            between = found.start() - column
            offset += between if is_ascii else len(text[column : found.start()].encode("utf-8", "surrogateescape"))
            column = found.start()
            yield found[0], (number, column), start + offset
        start += len(line) + 1


@functools.cache
def _list_keywords(grammar: Grammar) -> frozenset[str]:
    """Return the words that the grammar reserves."""
    from avionics.syntax.engine.grammars import load_grammar

    language = load_grammar(grammar)
    kinds = (
        language.node_kind_for_id(number) or ""
        for number in range(language.node_kind_count)
        if not language.node_kind_is_named(number)
    )
    return frozenset(kind for kind in kinds if kind.isidentifier())


@functools.cache
def _classify(kind: str) -> tuple[bool, bool]:
    """Return whether a node of some kind is code, and whether it is text."""
    return _CODE.search(kind) is not None, _TEXT.search(kind) is not None


class _Reader:
    """Tells code from text at a byte; asked from the first byte to the last."""

    def __init__(
        self, root: Node, content: bytes, code: bytes, may_be_blanked_code: Callable[[bytes, int], bool] | None
    ) -> None:
        self._cursor = root.walk()
        self._path = [root]
        self._content = content
        self._code = code
        self._may_be_blanked_code = may_be_blanked_code
        self._text_end = -1
        self._has_errors = root.has_error

    def is_code(self, start: int) -> bool:
        """Return whether the identifier at a byte is neither in a comment nor in a string."""
        if start < self._text_end:
            return False
        if self._is_blanked(start):
            return self._may_be_blanked_code is None or self._may_be_blanked_code(self._content, start)
        for node in islice(self._iter_around(start), _TEXT_DEPTH):
            kind = node.type
            is_code, is_text = _classify(kind)
            if is_code:
                return True
            if kind == "preproc_arg" and self._may_be_blanked_code is not None:
                return self._may_be_blanked_code(self._content, start)
            if is_text:
                if self._may_be_swallowed(node):
                    return True
                if node.named_child_count == 0:
                    self._text_end = node.end_byte
                return False
        return True

    def may_be_use(self, start: int) -> bool:
        """Return whether the identifier at a byte of code may mean something that a workspace defines."""
        if self._is_blanked(start):
            return True
        around = self._iter_around(start)
        node = next(around)
        if self._may_be_swallowed(node):
            return True
        if not node.is_named or not _NAME.search(node.type):
            return False
        if node.type.endswith("identifier") and b"-" in self._content[node.start_byte : node.end_byte]:
            # It is part of a longer name: `aria-label`.
            return False
        outer = list(islice(around, _PLACE_DEPTH))
        is_parameter = bool(outer) and self._is_macro_parameter(node, outer[0], start)
        if is_parameter or self._content[start : node.end_byte] == b"_":
            return False
        for each in outer:
            if each.type == "ERROR":
                return True
            without_uses = _PLACE_WITHOUT_USES.search(each.type)
            # The type of a parameter is a use; its name is not.
            if without_uses and not (node.type == "type_identifier" and without_uses[0] == "param"):
                return False
            if without_uses and _TYPE_PARAMETER.search(each.type):
                return False
            if each.child_count > 1 and each.type.endswith(("statement", "block", "body", "call", "expression")):
                return True
        return True

    def _may_be_swallowed(self, node: Node) -> bool:
        """Return whether a string may be code: after a syntax error, the end of one string may open another."""
        is_long = node.start_point.row != node.end_point.row
        return self._has_errors and is_long and _TEXT.search(node.type) is not None and "comment" not in node.type

    def _is_blanked(self, start: int) -> bool:
        return self._code[start : start + 1] != self._content[start : start + 1]

    def _is_macro_parameter(self, node: Node, outer: Node, start: int) -> bool:
        """Return whether the text of a macro has one of the macro's own parameters at a byte."""
        parameters = outer.child_by_field_name("parameters") if node.type == "preproc_arg" else None
        word = _WORD.match(self._content, start)
        if parameters is None or word is None:
            return False
        return word[0] in _WORD.findall(self._content[parameters.start_byte : parameters.end_byte])

    def _iter_around(self, start: int) -> Iterator[Node]:
        """Yield the innermost node that has a byte, and the nodes around it.

        The path to the last byte that was asked for is kept: a node finds its parent only from the root down.
        """
        while len(self._path) > 1 and self._path[-1].end_byte <= start:
            self._path.pop()
            self._cursor.goto_parent()
        while self._cursor.goto_first_child_for_byte(start) is not None:
            child = self._cursor.node
            if child is None or child.start_byte > start:
                self._cursor.goto_parent()
                break
            self._path.append(child)
        return reversed(self._path)
