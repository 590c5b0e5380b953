"""Find consequences that are no breaks: stale names in text, new import cycles, definitions left unused."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from avionics.cancellation import check_cancelled
from avionics.index.code_index import CodeIndex
from avionics.index.model.cached_method import cached_method
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.model.graphs import find_shortest_path
from avionics.index.model.values import Variable
from avionics.index.references.import_graph import Edge, TypeChecking
from avionics.index.verdicts.comparison import VersionPair
from avionics.index.verdicts.findings import Site
from avionics.index.verdicts.places import list_lines_without_match
from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.model.knowledge import Definition
from avionics.model.naming import as_written, last_part

_NAMED = frozenset(
    {
        SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.TYPE, SymbolKind.FUNCTION,
        SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.CONSTANT, SymbolKind.MACRO,
    }
)  # fmt: skip
_DISTINCT = late_pattern(r"[a-z0-9]_[a-z0-9]|[a-z][A-Z]|[A-Z]_[A-Z]")
"""A sequence of letters that no English word contains: `a_b`, `aB`."""

_PAST = late_pattern(
    r"(?i)(^|/)(?:[^/]{0,99}[-_.])?(?:change|news|history|release|upgrad|migrat|deprecat|breaking|what'?s?[-_]?new|api-?compat"
    r"|v?\d+(?:[._]\d+)*[-_]?to[-_]?v?\d)[^/]*(/|\.\w+$|$)"
)
"""Documents about the past, in which old names are not stale."""

_SAID = late_pattern(
    r"(?i)\b(?:removed?|renamed|replaced|deprecated|formerly|former|no longer|instead|previously|was called|used to)\b"
)
"""Found in a line of a document that says what became of a name."""

_MAX_GONE, _MAX_PLACES, _MAX_BYTES = 60, 50, 500_000
_MIN_NAME = 4


class StaleMention(Struct, frozen=True):
    """A removed definition, and the places whose text still contains its name."""

    definition: Definition
    places: tuple[Site, ...]


def iter_stale_mentions(pair: VersionPair) -> Iterator[StaleMention]:
    """Yield the removed definitions that are still named in text, in the order of files and lines."""
    for definition in list_gone(pair)[:_MAX_GONE]:
        check_cancelled()
        places = tuple(_iter_places(pair, definition))[:_MAX_PLACES]
        if places:
            yield StaleMention(definition, places)


def list_gone(pair: VersionPair) -> list[Definition]:
    """Return the product definitions that a change removed, if nothing has their name now."""
    found = []
    for each in pair.files:
        if not pair.before.has_file(each.before) or role_of(each.before) is not FileRole.PRODUCT:
            continue
        if each.after and not pair.readable.get(each.after, False):
            continue
        left = {symbol.qualname for symbol in pair.after.facts(each.after).symbols}
        for was in pair.before.iter_definitions(each.before):
            around = pair.before.get_parent(was)
            is_inner = around is not None and around.kind in {SymbolKind.FUNCTION, SymbolKind.METHOD}
            if was.kind in _NAMED and was.symbol.qualname not in left and not is_inner and len(was.name) >= _MIN_NAME:
                found.append(was)
    once = {(each.file, each.symbol.qualname): each for each in reversed(found)}
    return [each for each in reversed(once.values()) if not is_defined(pair, each.name)]


def is_defined(pair: VersionPair, name: str) -> bool:
    """Return whether the version after defines anything of this name."""
    return any(True for _ in pair.after.iter_named(name))


def _iter_places(pair: VersionPair, definition: Definition) -> Iterator[Site]:
    name, holder = definition.name, last_part(definition.symbol.qualname.rpartition(".")[0])
    in_code, as_code = map(re.compile, _match_distinct(name) if _DISTINCT.search(name) else _match_plain(definition))
    source = pair.after.source
    for file in sorted(source.count_word(as_written(name))):
        entry = pair.after.snapshot.entries.get(file)
        if entry is None or entry.size > _MAX_BYTES or _PAST.search(file):
            continue
        is_code = pair.after.has_file(file)
        text = pair.after.read_text(file)
        # Documents call other objects' members of the same name, too: `todos.find(…)`.
        is_other = not is_code and not _DISTINCT.search(name) and bool(holder) and holder not in text
        pattern = in_code if is_code else as_code
        # The text of an import is a path, which is resolved.
        passed = {each.line for each in pair.after.facts(file).imports} if is_code else ()
        for number, line in _iter_lines_with(name, text):
            match = pattern.search(line) if number not in passed else None
            if match is not None and is_other and match[0].endswith("("):
                continue
            if match is not None and (is_code or _SAID.search(line) is None):
                yield Site(file, number, line.index(name, match.start()))


def _match_distinct(name: str) -> tuple[str, str]:
    """Return the patterns of a name that is no English word: in a string of code, and anywhere in other text."""
    word = re.escape(name)
    return rf"""(["'`])(?:[\w./-]+[.:#])?{word}\1""", rf"(?<![\w$]){word}(?![\w$])"


def _match_plain(definition: Definition) -> tuple[str, str]:
    """Return the patterns of a name that is an English word: in a string of code, and in other text.

    Text means the definition where its class or module is named before it, `shop.order`, and where it is called as a
    member. Backticks mean it in a document; a string that is only the word means it if it is no member of a class,
    `ForeignKey("Order")`: it may be a label, `"Create"`, or a key, as in `[tool.ruff.lint]`.
    """
    word = re.escape(definition.name)
    above = {*definition.symbol.qualname.split(".")[:-1], *re.split(r"[/.]", definition.file)}
    holders = "|".join(sorted(re.escape(each) for each in above if each))
    named = rf"\b(?i:{holders})[.:#]{word}"
    is_member = "." in definition.symbol.qualname
    before = rf"(?:[\w./-]*{named})" if is_member else rf"(?:(?:[\w./-]+[.:#])?{word})"
    return rf"""(["'`]){before}\1""", rf"`{word}(?:\(\))?`|\w\.{word}\(|{named}\b"


def _iter_lines_with(name: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that contain a name, with their numbers, without splitting the text into lines."""
    number, counted, position = 1, 0, text.find(name)
    while position >= 0:
        start, end = text.rfind("\n", 0, position) + 1, text.find("\n", position)
        end = len(text) if end < 0 else end
        number += text.count("\n", counted, start)
        yield number, text[start:end]
        counted, position = start, text.find(name, end)


_MAX_FILES = 2_000
"""The maximum number of files followed from one new import; a longer cycle is hardly a mistake of the change."""


class NewCycle(Struct, frozen=True):
    """A cycle: its files in the order of the imports, and the new import that closes it."""

    edge: Edge
    files: tuple[str, ...]


def iter_new_cycles(pair: VersionPair) -> Iterator[NewCycle]:
    """Yield the shortest cycle through each new import that closes one, once for each set of files."""
    after = _Loads(pair.after)
    before = _Loads(pair.before)
    seen: set[frozenset[str]] = set()
    for each in pair.files:
        if not pair.after.has_file(each.after) or not _is_executed(pair.after, each.after):
            continue
        had = {pair.path_after(edge.target) for edge in before.of(each.before)} if each.before else set()
        for edge in after.of(each.after):
            check_cancelled()
            if edge.target in had:
                continue
            way = after.find_way(edge.target, each.after)
            if way and frozenset(way) not in seen and not _had_cycle(pair, before, way):
                seen.add(frozenset(way))
                yield NewCycle(edge, (each.after, *way))


def _is_executed(code: CodeIndex, file: str) -> bool:
    """Return whether importing a file of this language executes it, so that an import cycle can fail."""
    return code.resolver.scopes.spec(file).executed_classes


def _had_cycle(pair: VersionPair, before: _Loads, way: tuple[str, ...]) -> bool:
    """Return whether the files of a cycle imported one another before the change."""
    files = [pair.path_before(file) for file in way]
    if not all(map(pair.before.has_file, files)):
        return False
    return bool(before.find_way(files[0], files[-1]) and before.find_way(files[-1], files[0]))


class _Loads:
    """The imports of one version that take effect when a file is loaded."""

    def __init__(self, code: CodeIndex) -> None:
        self._code = code
        self._checking = TypeChecking(code.source, code.read_text)

    @cached_method
    def of(self, file: str) -> tuple[Edge, ...]:
        """Return the first import of each file that a file imports."""
        found: dict[str, Edge] = {}
        for edge in self._code.graph.edges.of(file) if self._code.has_file(file) else ():
            is_other = edge.target not in {"", file} and edge.target not in found
            if is_other and not edge.is_lazy and not self._checking.covers(edge):
                found[edge.target] = edge
        return tuple(found.values())

    def find_way(self, start: str, goal: str) -> tuple[str, ...]:
        """Return the files of the shortest chain of imports, both ends included; () if there is none."""
        return find_shortest_path(start, goal, lambda file: [edge.target for edge in self.of(file)], _MAX_FILES)


_MAX_JUDGED = 40
"""The maximum number of definitions checked for one change; each is searched in the whole workspace."""


def iter_left_unused(pair: VersionPair) -> Iterator[Definition]:
    """Yield the product definitions that are unused now and were used by a removed line."""
    found = _list_once_used(pair)
    if not found:
        return
    from avionics.index.analysis.unused_code import Unused, Use

    after = pair.after
    judge = Unused(after.source, after.graph, after.resolver, after.unseen)
    for definition in found[:_MAX_JUDGED]:
        check_cancelled()
        if judge.judge(definition).use is Use.UNUSED:
            yield definition


def _list_once_used(pair: VersionPair) -> list[Definition]:
    """Return the definitions, in the new version, that removed lines of changed files used."""
    found: dict[tuple[str, str], Definition] = {}
    before = pair.before
    for each in pair.files:
        if not before.has_file(each.before) or (each.after and not pair.readable.get(each.after)):
            continue
        left = pair.after.read_lines(each.after) if each.after else ()
        lines = list_lines_without_match(before.read_lines(each.before), left)
        for references in before.uses(each.before).references.values():
            for reference in references:
                if reference.line not in lines:
                    continue
                for target in before.resolver.resolve(each.before, reference).targets:
                    was = before.graph.get_definition(target) if isinstance(target, Variable) else None
                    now = _get_after(pair, was) if was is not None else None
                    if now is not None and role_of(now.file) is FileRole.PRODUCT:
                        found.setdefault((now.file, now.symbol.qualname), now)
    return list(found.values())


def _get_after(pair: VersionPair, was: Definition) -> Definition | None:
    """Return a definition in the new version, or None."""
    file = pair.path_after(was.file)
    found = pair.after.find_qualified(file, was.symbol.qualname) if pair.after.has_file(file) else ()
    return next((each for each in found if each.kind is was.kind), None)
