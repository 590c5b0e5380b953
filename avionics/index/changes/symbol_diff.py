"""Compare two versions of the code symbol by symbol.

Files that git reports as changed are read on both sides. A symbol is identified by its qualified name within its file;
a symbol that was removed in one place and added in another is matched by its name and its text.

A line of the text belongs to the innermost independent symbol; symbols within a function belong to the function. White
space at line ends and blank lines are ignored; comments and documentation are compared separately.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property
from itertools import zip_longest

from msgspec import Struct

from avionics.index.changes.signature_compat import read_parameters
from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.handlers import build_module_body
from avionics.index.model.file_roles import role_of
from avionics.index.scopes.symbol_lookup import is_within
from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.model.facts import FileFacts
from avionics.model.knowledge import Definition
from avionics.model.mappings import group_pairs
from avionics.source.tree import SourceTree
from avionics.syntax.registry import get_conventions

_MIN_LIKENESS = 0.6
"""The minimum share of equal lines for two symbols with the same name to count as one that moved."""

_MIN_LINE_BREAKS = 2
"""Shorter texts may be equal by chance in classes with other names."""

_QUOTED = late_pattern(r"""(["'])([A-Za-z_][\w.]*(?:\[[\w., |]*\])?)\1""")
_PLUMBING = late_pattern(r"=\s*[\w.]*(?:TypeVar|ParamSpec|getLogger|TypeVarTuple)\(")
"""Values that every module defines for itself."""

_SIGNED = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.CLASS, SymbolKind.MACRO,
                     SymbolKind.INTERFACE})  # fmt: skip
"""Symbols whose signature is not their value."""


_HOLDERS = frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.MODULE})
_BODIES = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.MACRO})

_IMPORTS = late_pattern(r"\s*(?:from|import|use|using|package|export \{|#\s*include|[)}\]];?,?\s*$)")
_TRAILING = late_pattern(r"(?<![ \t])[ \t]+$", re.MULTILINE)
_BLANK = late_pattern(r"\n{2,}")


class ChangeKind(str, Enum):
    """How a symbol changed, in the order of a listing."""

    REMOVED = "removed"
    SIGNATURE = "signature"
    MOVED = "moved"
    BODY = "body"
    ADDED = "added"
    TEXT = "comments"


class RevisionView(Struct, frozen=True):
    """One of two versions."""

    code: CodeIndex
    source: SourceTree


class ChangedFile(Struct, frozen=True):
    """A changed file: its path before and after, "" if it does not exist there."""

    before: str
    after: str


class SymbolChange(Struct, frozen=True):
    """A changed symbol.

    Attributes:
        change: How it changed.
        before: The symbol before; None if added.
        after: The symbol after; None if removed.
        is_edited: For a moved one, whether its text also changed.
        written: The parameters before and after, where they differ and the signatures are shortened; else ().
    """

    change: ChangeKind
    before: Definition | None
    after: Definition | None
    is_edited: bool = False
    written: tuple[str, ...] = ()

    @property
    def definition(self) -> Definition:
        """Return the symbol after, or else before, the change."""
        found = self.after or self.before
        assert found is not None
        return found


def is_plumbing(definition: Definition) -> bool:
    """Return whether it is a value that only concerns its module: a logger, a type variable."""
    return bool(_PLUMBING.search(definition.symbol.signature))


def find_changes(
    base: RevisionView, head: RevisionView, files: Iterable[ChangedFile], scope: str = ""
) -> tuple[SymbolChange, ...]:
    """Return all changed symbols of a directory or file, then or now, by kind, product code first."""
    chosen = [file for file in files if is_within(file.after, scope) or (file.before and is_within(file.before, scope))]
    old = _read(base, [file.before for file in chosen])
    new = _read(head, [file.after for file in chosen])
    changes: list[SymbolChange] = []
    for file in chosen:
        changes += _compare_file(old.get(file.before), new.get(file.after))
    order = list(ChangeKind)
    joined = _join_moves(changes, old, new)

    def rank(each: SymbolChange) -> tuple[int, int, str, int]:
        definition = each.definition
        return order.index(each.change), role_of(definition.file), definition.file, definition.line

    return tuple(sorted(joined, key=rank))


class _File(Struct, frozen=True):
    path: str
    facts: FileFacts
    texts: FileTexts
    body: Definition

    def definition(self, index: int) -> Definition:
        """Return the symbol at an index of the outline."""
        return Definition(self.path, self.facts.symbols[index], index)

    def text(self, definition: Definition) -> SymbolText:
        """Return the text of one of its symbols."""
        return self.texts.symbols[definition.index]


def _read(side: RevisionView, paths: Iterable[str]) -> Mapping[str, _File]:
    """Return the files of a side in supported languages."""
    wanted = [path for path in paths if path and side.code.has_file(path)]
    side.code.load_facts(wanted)
    found = {}
    for content in side.source.iter_contents(wanted):
        facts = side.code.facts(content.path)
        text = content.data.decode("utf-8", "surrogateescape")
        body = build_module_body(side.code, content.path)
        found[content.path] = _File(content.path, facts, read_texts(facts, text), body)
    return found


def _compare_file(old: _File | None, new: _File | None) -> Iterator[SymbolChange]:
    """Yield the changes of a file; a renamed file has moved as a whole."""
    if old and new and old.path != new.path:
        yield SymbolChange(ChangeKind.MOVED, old.body, new.body)
    before, after = _group_by_name(old), _group_by_name(new)
    pairs = (pair for name in before.keys() | after.keys() for pair in _pair(before.get(name, ()), after.get(name, ())))
    for was, now in pairs:
        if was and now:
            assert old
            assert new
            change = _compare_symbol(old, was, new, now)
            if change:
                signatures = was.symbol.signature, now.symbol.signature
                is_cut = change is ChangeKind.SIGNATURE and any("…" in each for each in signatures)
                written = (_parameters(old, was), _parameters(new, now)) if is_cut else ()
                yield SymbolChange(change, was, now, written=written if len({*written}) > 1 else ())
        elif was or now:
            yield SymbolChange(ChangeKind.REMOVED if was else ChangeKind.ADDED, was, now)
    if old and new:
        texts = old.texts.module, new.texts.module
        if texts[0].lines != texts[1].lines and texts[0].code != texts[1].code:
            yield SymbolChange(ChangeKind.BODY, old.body, new.body)


def _group_by_name(file: _File | None) -> dict[str, list[Definition]]:
    """Return qualified name → symbols, in order."""
    found: dict[str, list[Definition]] = {}
    for index in file.texts.symbols if file else ():
        assert file
        definition = file.definition(index)
        found.setdefault(definition.symbol.qualname, []).append(definition)
    return found


def _pair(
    before: Sequence[Definition], after: Sequence[Definition]
) -> Iterator[tuple[Definition | None, Definition | None]]:
    """Yield the symbols of one name then and now: overloads with equal signatures, then the others in their order."""
    left = list(after)
    changed = []
    for was in before:
        equal = next((each for each in left if each.symbol.signature == was.symbol.signature), None)
        if equal is None:
            changed.append(was)
        else:
            left.remove(equal)
            yield was, equal
    yield from zip_longest(changed, left)


def _compare_symbol(old: _File, was: Definition, new: _File, now: Definition) -> ChangeKind | None:
    """Return how a symbol that both versions have changed; None if it did not."""
    before, after = was.symbol, now.symbol
    if before.kind in _SIGNED or after.kind in _SIGNED:
        own_name = get_conventions(old.facts.language).own_name
        texts = [own_name.sub("", _unquoted(each.signature)) for each in (before, after)]
        signs = [
            (each.kind, text, each.bases, each.decorators) for each, text in zip((before, after), texts, strict=True)
        ]
        if signs[0] != signs[1] or ("…" in after.signature and _parameters(old, was) != _parameters(new, now)):
            return ChangeKind.SIGNATURE
    bodies = old.text(was), new.text(now)
    if bodies[0].lines == bodies[1].lines or bodies[0].whole == bodies[1].whole:
        return None
    is_signed = before.signature != after.signature
    plain = [_unquoted(each.code) if is_signed else each.code for each in bodies]
    return ChangeKind.BODY if plain[0] != plain[1] else ChangeKind.TEXT


def _parameters(file: _File, definition: Definition) -> str:
    """Return the parameters as written, even if facts have a shortened signature."""
    return read_parameters(definition.name, file.text(definition).whole)


def _unquoted(text: str) -> str:
    """Return the text with quoted types unquoted."""
    return _QUOTED.sub(lambda match: match[2], text)


def _join_moves(
    changes: Iterable[SymbolChange], old: Mapping[str, _File], new: Mapping[str, _File]
) -> list[SymbolChange]:
    """Join a removed and an added symbol to a moved one where they match, and drop the parts of such symbols."""
    kept = [each for each in changes if each.change not in {ChangeKind.REMOVED, ChangeKind.ADDED}]
    removed = {each.before: None for each in changes if each.change is ChangeKind.REMOVED and each.before}
    added = {each.after: None for each in changes if each.change is ChangeKind.ADDED and each.after}
    candidates = group_pairs(((definition.name, definition.kind), definition) for definition in added)
    moves: dict[Definition, Definition] = {}
    for was in sorted(removed, key=lambda each: (each.file, each.line)):
        code = old[was.file].text(was).code
        if is_plumbing(was):
            continue
        rated = [
            (_measure_likeness(code, new[now.file].text(now).code), now)
            for now in candidates.get((was.name, was.kind), ())
            if now.symbol.qualname == was.symbol.qualname or code.count("\n") >= _MIN_LINE_BREAKS
        ]
        likeness, now = max(rated, key=lambda each: each[0], default=(0.0, was))
        if likeness >= _MIN_LIKENESS and code:
            moves[was] = now
            candidates[was.name, was.kind].remove(now)
            kept.append(SymbolChange(ChangeKind.MOVED, was, now, is_edited=likeness < 1.0))
    arrived = set(moves.values())
    removed_places, added_places = ({(each.file, each.symbol.qualname) for each in some} for some in (removed, added))
    kept += [
        SymbolChange(ChangeKind.REMOVED, was, None)
        for was in removed
        if was not in moves and _get_container(was) not in removed_places
    ]
    kept += [
        SymbolChange(ChangeKind.ADDED, None, now)
        for now in added
        if now not in arrived and _get_container(now) not in added_places
    ]
    places = {(was.file, was.symbol.qualname): (now.file, now.symbol.qualname) for was, now in moves.items()}
    return [each for each in kept if not _has_moved_along(each, places)]


_Place = tuple[str, str]
"""A file and a qualified name in it."""


def _get_container(definition: Definition) -> _Place:
    """Return the container of the symbol; the container of top-level symbols has an empty qualified name."""
    return definition.file, definition.symbol.qualname.rpartition(".")[0]


def _has_moved_along(change: SymbolChange, places: Mapping[_Place, _Place]) -> bool:
    """Return whether a symbol only moved together with its container."""
    was, now = change.before, change.after
    if change.change is not ChangeKind.MOVED or not was or not now or change.is_edited:
        return False
    return places.get(_get_container(was)) == _get_container(now)


def _measure_likeness(one: str, other: str) -> float:
    """Return the share of equal lines, 1.0 for equal texts."""
    if one == other:
        return 1.0
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, one.split("\n"), other.split("\n"), autojunk=False)
    return min(0.99, matcher.ratio())


class SymbolText(Struct, frozen=True, dict=True):
    """The text of a symbol; texts with equal lines, the usual case, are compared without normalizing them.

    Attributes:
        lines: Its lines as written, without those of other symbols.
    """

    lines: tuple[str, ...]
    language: str

    @cached_property
    def whole(self) -> str:
        """Return the lines without indentation and insignificant white space."""
        margin = min((len(line) - len(line.lstrip()) for line in self.lines if line.strip()), default=0)
        return _drop_blanks("\n".join(line[margin:] for line in self.lines))

    @cached_property
    def code(self) -> str:
        """Return the text without comments and documentation."""
        bare = self.whole
        for pattern in get_conventions(self.language).comments:
            bare = pattern.sub("", bare)
        return _drop_blanks(bare)


class FileTexts(Struct, frozen=True):
    """The independent symbols of a file, by their index in the outline, and the text outside of them."""

    symbols: dict[int, SymbolText]
    module: SymbolText


def read_texts(facts: FileFacts, text: str) -> FileTexts:
    """Return the text of every symbol of a file."""
    lines = text.split("\n")
    own = [index for index in range(len(facts.symbols)) if _stands_for_itself(facts, index)]
    owners = [-1] * (len(lines) + 1)
    for index in own:
        symbol = facts.symbols[index]
        for line in range(symbol.span.start_line, min(symbol.span.end_line, len(lines)) + 1):
            if symbol.kind in _HOLDERS | _BODIES or owners[line] == symbol.parent:
                owners[line] = index
    gathered: dict[int, list[str]] = {index: [] for index in (*own, -1)}
    imported = {each.line for each in facts.imports}
    for number, text_line in enumerate(lines, 1):
        if owners[number] >= 0 or not (number in imported or _IMPORTS.match(text_line)):
            gathered[owners[number]].append(text_line)
    texts = {index: SymbolText(tuple(text_lines), facts.language) for index, text_lines in gathered.items()}
    return FileTexts({index: texts[index] for index in own}, texts[-1])


def _stands_for_itself(facts: FileFacts, index: int) -> bool:
    """Return whether the symbol is not part of a function."""
    return all(each.kind not in _BODIES for each in facts.iter_around(facts.symbols[index]))


def _drop_blanks(text: str) -> str:
    """Return the text without white space at line ends and without blank lines."""
    return _BLANK.sub("\n", _TRAILING.sub("", text.replace("\r\n", "\n"))).strip("\n")
