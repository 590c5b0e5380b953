"""Meant: the definitions and paths that a sentence names, as code spells them or as people do.

A plain sentence names many things by chance: of the words that are names, the one is meant whose definition the rest of
the sentence speaks of too ("tests of the battery module" are those of the module in `battery.rs`).

Knows: how names are written within sentences, and what this code has by name.
Does not know: what is asked about them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import attrs

from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.scopes.name_resolver import is_class
from avionics.index.search.query import is_stop_word, read_query, stems_of, text_stems
from avionics.model.enums import SymbolKind
from avionics.model.knowledge import Definition
from avionics.model.naming import fold_name
from avionics.tools.resolution.subject_resolver import find_folded, find_paths

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex

_WORD = re.compile(r"[^\W\d][\w.]*[^\W]|[^\W\d]")
PATHLIKE = re.compile(r"(?<![\w.-])[\w.-]++(?:/[\w.-]+)+/?|(?<![\w-])[\w-]++/|(?<![\w-])[\w-]++\.[a-z]{1,4}\b")
_FILE = re.compile(r"(?<![\w:/.@+-])(?P<path>(?:[\w.@+-]++/|/)+[\w.@+-]*\w\.[a-z]\w{0,4})(?::[1-9]\d{0,8})?(?![\w/])")
"""A path of a file, perhaps with a line."""
QUOTES = "`'\"?!.,;:"
_PROPER = re.compile("[A-Z][a-z]{2,}")
_MAX_STRESSED = 15
_MIN_WORD = 3
"""Shorter words are the names of too much, but for their capitals."""
_WORDS_THRESHOLD = 6
"""In a longer sentence a plain word that is also the name of a value is rather a word."""
_MIN_JOINED = 6
"""Shorter names of several words are what sentences have by chance: `is in`."""
_MAX_JOINED = 4
_MAX_CANDIDATES = 4
"""Names looked at before one is chosen: those nearer the start of a sentence are seldom what it is about."""
_MAX_FILES = 200
"""A plain word that so many files define says nothing; it is taken where no other word is a name."""
_MAX_WEIGHED = 300
"""Definitions of one name that are compared with the sentence."""
_ASKING = re.compile(
    r"breaks?|call(?:ed|ers?|s)?|cover(?:ed|s)?|chang\w+|depend(?:ents?|s)?|exercises?|extends?|history"
    r"|implement(?:ers|s)?|import(?:ed|ers|s)?|inherits?|invokes?|overrid\w+|referenced?s?|remov\w+|rename\w*"
    r"|subclass(?:es)?|test(?:ed|s)?|touch(?:ed|es)?|usages?|use(?:[ds]|rs?)?|wrote",
    re.IGNORECASE,
)
"""Words that ask; they are names only where a sentence has no others."""
_DOING = frozenset({"add", "get", "make", "run", "set", "show", "use"})
"""Words that say nothing alone, and begin the names of functions."""


@attrs.frozen
class _Candidate:
    """A name of a sentence: what it may mean, best first, and how much speaks for it."""

    found: tuple[Definition, ...]
    weight: int
    is_ambiguous: bool

    @property
    def rank(self) -> tuple[bool, int, bool]:
        """What is compared: classes and functions before values, then what the sentence says, then what is plain."""
        return (is_value(self.found[0]), -self.weight, self.is_ambiguous)


def resolve_mentions(
    code: CodeIndex, text: str, scope: str | None = None, *, is_loose: bool = True
) -> tuple[Definition, ...]:
    """The definitions a sentence names, the one it means first: what is written as code, else plain words.

    Only at the very end may that be a word which says nothing elsewhere: "who calls add?". Where that is loose enough
    for the question, a plain word may also be the plural of a class's name or be spelled without its capitals, and
    words that follow one another may be one name: "the content type parser".

    Args:
        code: What names mean here.
        text: The sentence.
        scope: The path of a directory or file to stay within.
        is_loose: Whether names may be spelled as people do.
    """
    text = text.replace("::", ".")
    written = read_query(text).names
    for name in written:
        found = code.find_definitions(name, scope=scope) or (find_folded(code, name, scope) if is_loose else ())
        if found:
            return _ordered(found, _context(text, name))[0]
    plain = [word.strip(QUOTES) for word in _WORD.findall(text)]
    candidates = list(_iter_candidates(code, plain, text, scope, is_loose=is_loose))
    best = min(candidates, key=lambda each: each.rank, default=None)
    if best is None or (is_value(best.found[0]) and not best.weight and len(plain) > _WORDS_THRESHOLD):
        return ()
    return best.found


def find_stressed(code: CodeIndex, text: str) -> tuple[str, ...]:
    """The plain words of a short text that are the names of classes, as a reader takes them.

    A capital within a sentence is no chance: "is Context safe for goroutines?" is about the class.
    """
    words = text.split()
    if not 1 < len(words) <= _MAX_STRESSED or "`" in text:
        return ()
    return tuple(
        dict.fromkeys(word for word in (each.strip(QUOTES) for each in words[1:]) if _is_class_name(code, word))
    )


def stress(text: str, names: Iterable[str]) -> str:
    """The text with some words in backticks."""
    for name in names:
        text = re.sub(rf"(?<!\w){name}(?!\w)", f"`{name}`", text)
    return text


def _is_class_name(code: CodeIndex, word: str) -> bool:
    if not _PROPER.fullmatch(word):
        return False
    found = [each for each in code.find_definitions(word) if role_of(each.file) < FileRole.TEST]
    return any(is_class(each.kind) for each in found)


def get_unknown(text: str) -> str:
    """The name that a sentence is about where nothing goes by any of its words, as far as that can be told."""
    plain = [word.strip(QUOTES) for word in _WORD.findall(text)]
    return next(iter([*read_query(text).names, *filter(_PROPER.fullmatch, plain[1:])]), "")


def find_inflected(code: CodeIndex, word: str, scope: str | None) -> tuple[Definition, ...]:
    """The classes and functions, those of tests aside, that a plain word names but for capitals and an ending."""
    for spelled in dict.fromkeys((word, word.removesuffix("s"), word.removesuffix("es"))):
        found = code.names.find_folded(spelled, scope=scope) if len(spelled) >= _MIN_WORD else ()
        meant = tuple(each for each in found if not is_value(each) and role_of(each.file) is not FileRole.TEST)
        if meant:
            return meant
    return ()


def is_value(definition: Definition) -> bool:
    """Whether it is neither a class nor a function: sentences are seldom about those."""
    return not is_class(definition.kind) and definition.kind not in {SymbolKind.FUNCTION, SymbolKind.METHOD}


def get_path(code: CodeIndex, text: str, *, is_written: bool = False) -> str | None:
    """The directory or file a text names, None for none: a path, else, unless one must be written, a file's name."""
    paths = code.snapshot.entries
    directories = {file[:at] for file in paths for at, mark in enumerate(file) if mark == "/"}
    for written in map(str, PATHLIKE.findall(text)):
        path = written.strip("/")
        if path in paths or path in directories:
            return path
        ending = find_paths(paths, path) if "." in path or "/" in path else ()
        if ending:
            return ending[0]
        if find_absent(written):
            return None
    if is_written:
        return None
    for word in reversed(_WORD.findall(text)):
        dotted = word.strip(QUOTES).replace(".", "/")
        named = [path for path in directories if path == dotted or path.endswith(f"/{dotted}")]
        named = named or [path for path in paths if f"/{path}".rpartition(".")[0].endswith(f"/{dotted}")]
        if named and not is_stop_word(word):
            return min(named, key=lambda path: (path.count("/"), len(path), path))
    return None


def find_absent(text: str) -> tuple[str, ...]:
    """The paths of files that a text writes, wherever those are."""
    return tuple(match["path"] for match in _FILE.finditer(text))


def _iter_candidates(
    code: CodeIndex, plain: list[str], text: str, scope: str | None, *, is_loose: bool
) -> Iterator[_Candidate]:
    """What the plain words of a sentence may name: several of them as one name, then single ones, the last first."""
    names = [*_iter_joined(plain)] if is_loose else []
    saying = [word for word in reversed(plain) if not is_stop_word(word)]
    telling = [word for word in saying if not _ASKING.fullmatch(word)]
    names += [(word, 1) for word in dict.fromkeys(telling or [*saying, *plain[-1:]])]
    found, is_any = 0, False
    for name, words in names:
        if found == _MAX_CANDIDATES:
            return
        if is_any and words == 1 and len(code.files_defining(fold_name(name))) > _MAX_FILES:
            continue
        meant = find_inflected(code, name, scope) if words > 1 else _find_plain(code, name, scope, is_loose=is_loose)
        if meant:
            ordered, weight = _ordered(meant, _context(text, name))
            product = {each.file for each in meant if role_of(each.file) < FileRole.TEST and not is_value(each)}
            found, is_any = found + (words == 1), True
            yield _Candidate(ordered, weight + words - 1, len(product) > 1)


def _iter_joined(plain: list[str]) -> Iterator[tuple[str, int]]:
    """Words that follow one another as one name, the longest first, and how many words it is."""
    for size in range(_MAX_JOINED, 1, -1):
        for start in range(len(plain) - size + 1):
            window = plain[start : start + size]
            says = [not is_stop_word(word) for word in window]
            name = "".join(window)
            if all(says[1:]) and (says[0] or window[0].lower() in _DOING) and len(name) >= _MIN_JOINED:
                yield name, size


def _find_plain(code: CodeIndex, name: str, scope: str | None, *, is_loose: bool) -> tuple[Definition, ...]:
    """What one plain word names."""
    found = code.find_definitions(name, scope=scope)
    if is_loose and (not found or (name.islower() and all(map(is_value, found)))):
        return find_inflected(code, name, scope) or found
    return found


def _context(text: str, name: str) -> frozenset[str]:
    """What a sentence says beside a name."""
    own = {*stems_of(name), *stems_of(name.rpartition(".")[2])}
    words = (word.lower() for word in _WORD.findall(text) if not is_stop_word(word))
    return frozenset({*text_stems(text), *words} - own)


def _ordered(found: tuple[Definition, ...], context: frozenset[str]) -> tuple[tuple[Definition, ...], int]:
    """The definitions, product code that the sentence speaks of first, and how much of the sentence the first is in."""
    weights = {each: _weigh(each, context) for each in found[:_MAX_WEIGHED]} if len(found) > 1 or context else {}

    def rank(each: Definition) -> tuple[bool, bool, int]:
        return is_value(each), role_of(each.file) >= FileRole.TEST, -weights.get(each, 0)

    ordered = tuple(sorted(found, key=rank))
    return ordered, weights.get(ordered[0], 0)


def _weigh(definition: Definition, context: frozenset[str]) -> int:
    """How many words of a sentence stand in a definition's path and containers."""
    parts = re.split(r"[/.]", f"{definition.file}.{definition.symbol.qualname}")
    said = {*(fold_name(part) for part in parts), *(stem for part in parts for stem in stems_of(part))}
    return len(context & said)
