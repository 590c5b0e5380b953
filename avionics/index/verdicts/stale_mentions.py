"""Find text that still contains a removed or renamed name: strings, configuration, routes and documentation.

Text proves nothing, so a mention is reported only where the name cannot well mean anything else: no other definition
has it, and it stands as code does, in quotes, behind a dot, or in a shape that no English word has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from avionics.cancellation import check_cancelled
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.verdicts.comparison import VersionPair
from avionics.index.verdicts.findings import Site
from avionics.model.enums import SymbolKind
from avionics.model.knowledge import Definition
from avionics.model.naming import as_written

_NAMED = frozenset(
    {
        SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.TYPE, SymbolKind.FUNCTION,
        SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.CONSTANT, SymbolKind.MACRO,
    }
)  # fmt: skip
_DISTINCT = re.compile(r"[a-z0-9]_[a-z0-9]|[a-z][A-Z]|[A-Z]_[A-Z]")
"""What no word of English has inside."""

_PAST = re.compile(r"(?i)(^|/)(change|news|history|release|upgrad|migrat|deprecat)[^/]*(/|\.\w+$|$)")
"""Documents about what was; old names belong there."""

_MAX_GONE, _MAX_PLACES, _MAX_BYTES = 60, 50, 500_000
_MIN_NAME = 4


class StaleMention(Struct, frozen=True):
    """A removed definition, and the places whose text still contains its name."""

    definition: Definition
    places: tuple[Site, ...]


def iter_stale_mentions(pair: VersionPair) -> Iterator[StaleMention]:
    """Yield the definitions that are gone and still named in text, in the order of files and lines."""
    for definition in list_gone(pair)[:_MAX_GONE]:
        check_cancelled()
        places = tuple(_iter_places(pair, definition))[:_MAX_PLACES]
        if places:
            yield StaleMention(definition, places)


def list_gone(pair: VersionPair) -> list[Definition]:
    """Return the product definitions that a change removed, if nothing has their name now."""
    found = []
    for each in pair.files:
        if not each.before or not pair.before.has_file(each.before) or role_of(each.before) is not FileRole.PRODUCT:
            continue
        if each.after and not pair.readable.get(each.after, False):
            continue
        left = {symbol.qualname for symbol in pair.after.facts(each.after).symbols} if each.after else set()
        symbols = pair.before.facts(each.before).symbols
        for index, symbol in enumerate(symbols):
            is_inner = symbol.parent >= 0 and symbols[symbol.parent].kind in {SymbolKind.FUNCTION, SymbolKind.METHOD}
            if symbol.kind in _NAMED and symbol.qualname not in left and not is_inner and len(symbol.name) >= _MIN_NAME:
                found.append(Definition(each.before, symbol, index))
    once = {(each.file, each.symbol.qualname): each for each in reversed(found)}
    return [each for each in reversed(once.values()) if not is_defined(pair, each.name)]


def is_defined(pair: VersionPair, name: str) -> bool:
    """Return whether the version after defines anything of this name."""
    files = pair.after.files_defining(name.replace("_", "").lower())
    return any(symbol.name == name for file in files for symbol in pair.after.facts(file).symbols)


def _iter_places(pair: VersionPair, definition: Definition) -> Iterator[Site]:
    name = definition.name
    word = re.escape(name)
    in_code = re.compile(rf"""(["'`])(?:[\w./-]+[.:#])?{word}\1""")
    as_code = re.compile(
        rf"(?<![\w$]){word}(?![\w$])" if _DISTINCT.search(name) else rf"`{word}(?:\(\))?`|\w[.:#]{word}\b"
    )
    source = pair.after.source
    for file in sorted(source.count_word(as_written(name))):
        entry = pair.after.snapshot.entries.get(file)
        if entry is None or entry.size > _MAX_BYTES or _PAST.search(file):
            continue
        pattern = in_code if pair.after.has_file(file) else as_code
        text = pair.after.read_text(file)
        for number, line in enumerate(text.split("\n"), 1):
            match = pattern.search(line) if name in line else None
            if match is not None:
                yield Site(file, number, line.index(name, match.start()))
