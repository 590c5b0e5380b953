"""Account for every mention of a name: each belongs to exactly one class, and the classes add up to a word search."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from avionics.index.facts.fact_source import FactSource
from avionics.index.scopes.name_resolver import NameResolver
from avionics.model.knowledge import Definition, Ledger, UnresolvedUse, Usage
from avionics.model.naming import as_written
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.engine.unread import Place, iter_recorded
from avionics.syntax.registry import is_template

_CONFIGURATION = re.compile(r"\.(cfg|conf|ini|json|plist|properties|service|toml|xml|ya?ml)\Z")
_MAX_TEXTS = 100
_MAX_TEXT_BYTES = 200_000
"""Larger configuration is data."""

_IN_TEXT = frozenset({ReasonKind.STRING_LITERAL, ReasonKind.MAPPING_KEY, ReasonKind.MACRO_TEXT})
_IN_DOCUMENTS = frozenset({ReasonKind.CONFIGURATION_REFERENCE, ReasonKind.TEMPLATE_REFERENCE})


def iter_document_references(name: str, files: Iterable[str], source: FactSource) -> Iterator[UnresolvedUse]:
    """Yield the places in configuration and templates that may refer to a definition.

    In configuration that is a name after a dot, a colon or a hash (`package.module:main`), in a template a name within
    a tag or an expression (`{{ user.name }}`).
    """
    word = re.escape(name)
    in_configuration = re.compile(rf"\w[.:#]{word}\b")
    in_template = re.compile(rf"(?:\{{[{{%#]|<%|\$\{{)[^\n]*?(?<!\w){word}\b")
    read = 0
    for file in files:
        is_configuration = _CONFIGURATION.search(file) is not None
        if not is_configuration and not is_template(file):
            continue
        if source.snapshot.entries[file].size > _MAX_TEXT_BYTES:
            continue
        read += 1
        if read > _MAX_TEXTS:
            return
        pattern = in_configuration if is_configuration else in_template
        reason = ReasonKind.CONFIGURATION_REFERENCE if is_configuration else ReasonKind.TEMPLATE_REFERENCE
        for number, line in enumerate(source.read_text(file).split("\n"), 1):
            for found in pattern.finditer(line):
                yield UnresolvedUse(file, number, found.end() - len(name), Reason(reason))


class LedgerBuilder:
    """Builds the ledger of one answer about usages.

    Args:
        source: The facts.
        scopes: The languages' rules.
        definitions: Every definition asked about.
        usages: The proven usages.
        possible: The possible usages.
    """

    def __init__(
        self,
        source: FactSource,
        scopes: NameResolver,
        definitions: Iterable[Definition],
        usages: Iterable[Usage],
        possible: Iterable[UnresolvedUse],
    ) -> None:
        self._source = source
        self._scopes = scopes
        self._definitions = _by_file((each.file, (each.line, each.symbol.column)) for each in definitions)
        self._usages = _by_file((each.file, (each.line, each.column)) for each in usages)
        self._possible: defaultdict[str, list[UnresolvedUse]] = defaultdict(list)
        for each in possible:
            self._possible[each.file].append(each)
        self._counts: Counter[str] = Counter()

    def build(self, names: Mapping[str, Sequence[str]], linked: Collection[str], left: Collection[str]) -> Ledger:
        """Return the ledger.

        Args:
            names: Each name of the definition, with the files that mention it.
            linked: Files that were settled by their free names, without their references.
            left: Files that were not examined.
        """
        written: Counter[str] = Counter()
        for word in dict.fromkeys(map(as_written, names)):
            for file, count in self._source.count_word(word).items():
                self._counts["mentions"] += count
                if file in left:
                    self._counts["not_examined"] += count
                elif self._source.has_file(file) and self._scopes.spec(file).uses:
                    written[file] += self._add_code(file, word, count, is_linked=file in linked)
                else:
                    self._add_document(file, count)
        counts = self._counts
        everywhere = sum(map(len, self._usages.values()))
        return Ledger(
            mentions=counts["mentions"],
            definitions=counts["definitions"],
            usages=counts["usages"],
            possible=counts["possible"],
            others=counts["others"],
            text=counts["text"],
            not_examined=counts["not_examined"],
            unwritten=everywhere - sum(written.values()),
        )

    def _add_code(self, file: str, word: str, count: int, *, is_linked: bool) -> int:
        """Add the mentions in a file of code; return how many of them are usages."""
        possible = self._possible.get(file, ())
        if is_linked:
            used_count, defined_count = len(self._usages.get(file, ())), len(self._definitions.get(file, ()))
            self._add(definitions=defined_count, usages=used_count, possible=len(possible))
            self._add(others=count - defined_count - used_count - len(possible))
            return used_count
        uses = self._source.uses(file)
        if not uses.scopes:
            # Uses have at least the scope of the file, unless the file could not be read.
            self._add(not_examined=count)
            return 0
        facts = self._source.facts(file)
        recorded = set(iter_recorded(word, facts, uses))
        unread = set(uses.unread.get(word, ())) - recorded
        definitions, usages = self._definitions.get(file, frozenset()), self._usages.get(file, frozenset())
        defined = recorded & definitions
        used = (recorded & usages) - defined
        text_lines = [each.line for each in possible if each.reason.kind in _IN_TEXT]
        open_places = {(each.line, each.column) for each in possible if each.reason.kind not in _IN_TEXT}
        open_places |= {place for place in unread if place[0] in text_lines}
        unread_lines = {line for line, _ in unread}
        in_text = sum(line not in unread_lines for line in text_lines)
        doubted = (open_places & (recorded | unread)) - defined - used
        # Where no alias has a mention of its own, each open place is one of this word, recorded or not.
        has_aliases = self._scopes.spec(file).import_aliases
        found_in_text = set() if has_aliases else open_places - recorded - unread
        in_text += len(found_in_text)
        others = len(recorded | unread) - len(defined) - len(used) - len(doubted) + uses.unnamed.get(word, 0)
        text = count - len(recorded | unread) - uses.unnamed.get(word, 0) - in_text
        self._add(definitions=len(defined), usages=len(used), possible=len(doubted) + in_text, others=others)
        if uses.is_partial:
            self._add(not_examined=text)
        elif self._scopes.spec(file).textual.has_free_names:
            self._add(others=text)
        else:
            self._add(text=text)
        return len(used)

    def _add_document(self, file: str, count: int) -> None:
        """Add the mentions in a file that is not code, or whose language is read for its definitions only."""
        possible = sum(each.reason.kind in _IN_DOCUMENTS for each in self._possible.get(file, ()))
        self._add(possible=possible, text=count - possible)

    def _add(self, **counts: int) -> None:
        self._counts.update(counts)


def _by_file(places: Iterable[tuple[str, Place]]) -> dict[str, frozenset[Place]]:
    found: defaultdict[str, set[Place]] = defaultdict(set)
    for file, place in places:
        found[file].add(place)
    return {file: frozenset(there) for file, there in found.items()}
