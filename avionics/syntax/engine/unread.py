"""Find the identifiers in code that no rule of the language recorded.

Identifiers in comments and strings are text. Any other identifier is either recorded by the walk over the tree, or it
may refer to anything with its name: the grammar reports an error there, a macro hides the code, or the language has no
rule for that place. All usages of a name are known only if none of these has the name.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Protocol

from avionics.late_pattern import late_pattern
from avionics.model.facts import Binding, FileFacts, FileUses, Import, Reference, Symbol
from avionics.model.naming import as_written, called, tagged

if TYPE_CHECKING:
    import re

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

_COLUMN_BITS = 32
"""The bits of a column in a packed place, which is one number, because they are looked up for every identifier."""
_MAX_COLUMN = (1 << _COLUMN_BITS) - 1

_IDENTIFIER = late_pattern(r"[^\W\d]\w*")
_WORD = late_pattern(rb"\w+")
_TEXT = late_pattern(
    r"comment|string|char|regex|heredoc|nowdoc|jsx_text|^text$|escape|shebang|hash_bang|template_chars|^simple_symbol$"
    r"|^preproc_(?:end)?region$"
)
_CODE = late_pattern(r"interpolation|substitution|template_type|ERROR")
_NAME = late_pattern(r"(?<!statement_)identifier|constant$|^name$|preproc_arg|ERROR|^word$")
_PLACE_WITHOUT_USES = late_pattern(
    r"import|export_specifier|pair_pattern|package|use_declaration|param|module_name|namespace_name|destructor|label|lifetime|attribute_item|attribute_declaration"
)
"""Nodes around the names of modules, of exports, of parameters that function types declare, and of labels."""
_TYPE_PARAMETER = late_pattern("type_?param")
_TEXT_DEPTH, _PLACE_DEPTH = 3, 4
_ENCODING = ("utf-8", "surrogateescape")
_ENDS = frozenset("?!")
"""Characters that end a name in some languages, and are not part of a word."""
_SIGILS = frozenset("$@#")
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
    unnamed: defaultdict[str, int] = defaultdict(int)
    written: dict[int, str] = {}
    keywords = _list_keywords(spec.grammar)
    reader = _Reader(root, content, code, spec.may_be_blanked_code)
    sigil = spec.reading_sigil.decode()
    for number, text, get_byte in _iter_lines(content, reader, {place >> _COLUMN_BITS for place in recorded}):
        line = number << _COLUMN_BITS
        for found in _IDENTIFIER.finditer(text):
            word, column = found[0], found.start()
            names = recorded.get(line + column)
            if names is not None and len(names) == 1 and names[0] == word:
                del recorded[line + column]  # Most recorded places have one name, which is written there.
                continue
            is_behind_sigil = column > 0 and text[column - 1] in _SIGILS
            if names is not None or is_behind_sigil:
                is_named = _note_written(recorded, written, line, found)
                if is_named and names is None and text[column - 1] == sigil:
                    unread[word].append((number, column))
                if is_named is False:
                    unnamed[word] += 1
                if is_named is not None or (text[column - 1] == "#" and f"#{word}" in keywords):
                    continue
            if word in keywords:
                continue
            start = get_byte(column)
            if start >= reader.text_end and reader.is_code(start):
                if reader.may_be_use(start):
                    unread[word].append((number, column))
                else:
                    unnamed[word] += 1
    unwritten = _collect_unwritten(recorded, written)
    return {name: tuple(places) for name, places in unread.items()}, unwritten, dict(unnamed)


def iter_recorded(word: str, facts: FileFacts, uses: FileUses) -> Iterator[Place]:
    """Yield the places where facts record a word, also as the name of a function or a tag, if the text has it there."""
    unwritten = frozenset(uses.unwritten.get(word, ()))
    for name in (word, called(word), tagged(word)):
        for group in (uses.references.get(name, ()), uses.bindings.get(name, ())):
            yield from {(each.line, each.column) for each in group} - unwritten
    named = {(each.line, each.column) for each in facts.symbols if each.name == word}
    named |= {(each.line, each.column) for each in facts.imports if word in {each.name, each.alias}}
    yield from named - unwritten


def _collect_recorded(facts: FileFacts, uses: FileUses) -> dict[int, tuple[str, ...]]:
    """Return the recorded places, packed, with the names recorded there as the text spells them."""
    recorded: dict[int, tuple[str, ...]] = {}

    def add(name: str, found: Iterable[Reference | Binding | Symbol | Import]) -> None:
        only = (name,)
        for each in found:
            place = (each.line << _COLUMN_BITS) + each.column
            known = recorded.setdefault(place, only)
            if known is not only and name not in known:
                recorded[place] = (*known, name)

    groups: tuple[Mapping[str, tuple[Reference | Binding, ...]], ...] = (uses.references, uses.bindings)
    for group in groups:
        for name, found in group.items():
            add(as_written(name), found)
    for symbol in facts.symbols:
        add(symbol.name, (symbol,))
    for imported in facts.imports:
        for name in filter(None, (imported.name, imported.alias)):
            add(name, (imported,))
    return recorded


def _note_written(
    recorded: Mapping[int, tuple[str, ...]], written: dict[int, str], line: int, found: re.Match[str]
) -> bool | None:
    """Note the name that an identifier of a line is part of; return whether it is recorded there, None if none is.

    The name may begin with the character before the identifier, `$name`, or end with the one behind it, `name?`.
    """
    word, column, text = found[0], found.start(), found.string
    place, sigil = line + column, text[column - 1 : column] if column else ""
    names = recorded.get(place)
    if names is None and sigil in _SIGILS:
        before = place - 1
        names = recorded.get(before)
        if names is not None and f"{sigil}{word}" in names:
            written[before] = f"{sigil}{word}"
            return True
    if names is None:
        return None
    behind = text[found.end() : found.end() + 1]
    spelled = f"{word}{behind}" if behind in _ENDS else word
    written[place] = spelled if spelled in names else word
    return written[place] in names


def _collect_unwritten(
    recorded: Mapping[int, tuple[str, ...]], written: Mapping[int, str]
) -> dict[str, tuple[Place, ...]]:
    """Return the recorded names that the text does not have at their places."""
    unwritten: defaultdict[str, list[Place]] = defaultdict(list)
    for place, names in recorded.items():
        for name in names:
            if written.get(place) != name:
                unwritten[name].append((place >> _COLUMN_BITS, place & _MAX_COLUMN))
    return {name: tuple(places) for name, places in unwritten.items()}


def _iter_lines(content: bytes, reader: _Reader, recorded: Set[int]) -> Iterator[tuple[int, str, Callable[[int], int]]]:
    """Yield the number and the text of each line, and a function from a column to its offset in bytes.

    Identifiers in the lines are those that `count_words` finds. Lines within the comment or string that `reader` is in
    are passed over if they have no recorded place.
    """
    end = -1
    for number, line in enumerate(content.split(b"\n"), 1):
        start, end = end + 1, end + 1 + len(line)
        if end > reader.text_end or number in recorded:
            text = line.decode(*_ENCODING)
            is_ascii = len(text) == len(line)
            yield number, text, start.__add__ if is_ascii else _LongCharacters(text, start).get_byte


class _LongCharacters:
    """Where the characters of a line are among the bytes of its file, if some have several bytes."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._column, self._offset = 0, start

    def get_byte(self, column: int) -> int:
        """Return the offset of a character in bytes, counted from the last one asked for: a long line has many."""
        self._offset += len(self._text[self._column : column].encode(*_ENCODING))
        self._column = column
        return self._offset


@functools.cache
def _list_keywords(grammar: Grammar) -> frozenset[str]:
    """Return the words that the grammar reserves, and its directives: `#include`."""
    from avionics.syntax.engine.grammars import load_grammar

    language = load_grammar(grammar)
    kinds = (
        language.node_kind_for_id(number) or ""
        for number in range(language.node_kind_count)
        if not language.node_kind_is_named(number)
    )
    return frozenset(kind for kind in kinds if kind.removeprefix("#").isidentifier())


@functools.cache
def _classify(kind: str) -> tuple[bool, bool]:
    """Return whether a node of some kind is code, and whether it is text."""
    return _CODE.search(kind) is not None, _TEXT.search(kind) is not None


@functools.cache
def _is_name(kind: str) -> bool:
    """Return whether a node of some kind is a name."""
    return _NAME.search(kind) is not None


@functools.cache
def _mark_without_uses(kind: str) -> str:
    """Return the part of a kind of node that tells that it has no uses; "" if it has none."""
    found = _PLACE_WITHOUT_USES.search(kind)
    return found[0] if found is not None else ""


class _Reader:
    """Tells code from text at a byte; asked from the first byte to the last.

    Attributes:
        text_end: The end of the comment or string that contains the last byte asked for; there is no code before it.
    """

    def __init__(
        self, root: Node, content: bytes, code: bytes, may_be_blanked_code: Callable[[bytes, int], bool] | None
    ) -> None:
        self._cursor = root.walk()
        self._path = [root]
        self._content = content
        self._code = code
        self._may_be_blanked_code = may_be_blanked_code
        self.text_end = -1
        self._has_errors = root.has_error
        self._leaf_end = -1
        """The end of the innermost node that was looked at, if it has no children: no step leads further."""
        self._is_text: bool | None = False
        """Whether that node is text; None if that depends on the byte."""

    def is_code(self, start: int) -> bool:
        """Return whether the identifier at a byte is neither in a comment nor in a string."""
        if start < self.text_end:
            return False
        if self._is_blanked(start):
            return self._may_be_blanked_code is None or self._may_be_blanked_code(self._content, start)
        if start >= self._leaf_end:
            self._descend(start)
            self._is_text = self._classify_path()
        if self._is_text is None:
            assert self._may_be_blanked_code is not None
            return self._may_be_blanked_code(self._content, start)
        return not self._is_text

    def _classify_path(self) -> bool | None:
        """Return whether the innermost node is text; None if it is the text of a macro, parts of which may be code."""
        for node in self._path[: -_TEXT_DEPTH - 1 : -1]:
            kind = node.type
            is_code, is_text = _classify(kind)
            if is_code:
                return False
            if kind == "preproc_arg" and self._may_be_blanked_code is not None:
                return None
            if is_text:
                if self._may_be_swallowed(node):
                    return False
                if node.named_child_count == 0:
                    self.text_end = node.end_byte
                return True
        return False

    def may_be_use(self, start: int) -> bool:
        """Return whether the identifier at a byte of code may mean something that a workspace defines."""
        if self._is_blanked(start):
            return True
        self._descend(start)
        node = self._path[-1]
        kind = node.type
        if self._may_be_swallowed(node):
            return True
        if not node.is_named or not _is_name(kind):
            return False
        if kind.endswith("identifier") and b"-" in self._content[node.start_byte : node.end_byte]:
            # It is part of a longer name: `aria-label`.
            return False
        outer = self._path[-2 : -_PLACE_DEPTH - 2 : -1]
        is_parameter = kind == "preproc_arg" and self._is_macro_parameter(outer, start)
        if is_parameter or self._content[start : node.end_byte] == b"_":
            return False
        for each in outer:
            outer_kind = each.type
            if outer_kind == "ERROR":
                return True
            without_uses = _mark_without_uses(outer_kind)
            # The type of a parameter is a use; its name is not.
            if without_uses and not (kind == "type_identifier" and without_uses == "param"):
                return False
            if without_uses and _TYPE_PARAMETER.search(outer_kind):
                return False
            if outer_kind.endswith(("statement", "block", "body", "call", "expression")) and each.child_count > 1:
                return True
        return True

    def _may_be_swallowed(self, node: Node) -> bool:
        """Return whether a string may be code: after a syntax error, the end of one string may open another."""
        if not self._has_errors:
            return False
        is_long = node.start_point.row != node.end_point.row
        return is_long and _TEXT.search(node.type) is not None and "comment" not in node.type

    def _is_blanked(self, start: int) -> bool:
        return self._code[start : start + 1] != self._content[start : start + 1]

    def _is_macro_parameter(self, outer: Sequence[Node], start: int) -> bool:
        """Return whether the text of a macro has one of the macro's own parameters at a byte."""
        parameters = outer[0].child_by_field_name("parameters") if outer else None
        word = _WORD.match(self._content, start)
        if parameters is None or word is None:
            return False
        return word[0] in _WORD.findall(self._content[parameters.start_byte : parameters.end_byte])

    def _descend(self, start: int) -> None:
        """Make `_path` the nodes from the root to the innermost one that contains a byte.

        The path is kept from byte to byte, because a node finds its parent only from the root down.
        """
        if start < self._leaf_end:
            return
        while len(self._path) > 1 and self._path[-1].end_byte <= start:
            self._path.pop()
            self._cursor.goto_parent()
        while self._cursor.goto_first_child_for_byte(start) is not None:
            child = self._cursor.node
            if child is None or child.start_byte > start:
                self._cursor.goto_parent()
                break
            self._path.append(child)
        innermost = self._path[-1]
        self._leaf_end = innermost.end_byte if innermost.child_count == 0 else -1
