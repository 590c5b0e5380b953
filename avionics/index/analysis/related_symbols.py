"""Find symbols and files that are related to a symbol or a file."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from types import MappingProxyType

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.file_roles import FileRole, role_of
from avionics.model.enums import ReferenceKind, SymbolKind, is_class
from avionics.model.facts import Symbol
from avionics.model.knowledge import Definition, UsageReport
from avionics.model.naming import split_name
from avionics.syntax.engine.words import count_words

_MAX_TERMS = 250
"""The rarest terms of a file that are compared; others are rarely in a second file."""
_MIN_LETTERS = 4
_SHARED_IMPORT = 0.2
"""The weight of the first common import; the similarity of words is at most 1."""
_MIN_LIKENESS = 0.2
"""The minimum similarity relative to that of the second most similar file, because the first may be a test of it."""
_MAX_SIMILAR = 60
_MAX_NAMES = 4
_VERBS = MappingProxyType(
    {ReferenceKind.INHERIT: "inherits from", ReferenceKind.CALL: "calls", ReferenceKind.IMPORT: "imports"}
)
_VALUE_KINDS = frozenset({SymbolKind.ATTRIBUTE, SymbolKind.CONSTANT, SymbolKind.VARIABLE})
_STRONGEST = ("inherits from", "calls", "uses", "imports")


_MAX_USAGES = 2_000
"""The limit of usages whose surroundings are looked up; in thousands, the first are representative."""


class Related(Struct, frozen=True):
    """A related symbol or file, its relation, and the strength (1 is the strongest of its relation)."""

    file: str
    line: int
    symbol: str
    relation: str
    why: str
    score: float


class SimilarFile(Struct, frozen=True):
    """A file that shares rare words and imports with another."""

    file: str
    score: float
    terms: tuple[str, ...]
    imports: tuple[str, ...]


def find_siblings(code: CodeIndex, definition: Definition) -> tuple[Related, ...]:
    """Return the other members of the same class, or the other functions and classes of the module.

    For functions, functions come first, then the nearest. Where methods are outside their class (Go, Rust), the class
    is determined by their names.
    """
    symbols = code.facts(definition.file).symbols
    own = definition.symbol
    container = own.qualname.rpartition(".")[0]
    siblings = [
        (is_value(symbol) and not is_value(own), abs(symbol.line - definition.line), symbol)
        for symbol in symbols
        if (symbol.parent, symbol.qualname.rpartition(".")[0]) == (own.parent, container)
        and symbol.name != definition.name
    ]
    in_class = is_class(symbols[own.parent].kind) if own.parent >= 0 else bool(container)
    relation = "same class" if in_class else "same module"
    holder = container or code.dotted_name(definition.file)
    return tuple(
        Related(definition.file, symbol.line, symbol.qualname, relation, f"also in {holder}", 1 / (1 + rank))
        for rank, (_, _, symbol) in enumerate(sorted(siblings, key=lambda entry: (*entry[:2], entry[2].line)))
    )


def is_value(symbol: Symbol) -> bool:
    """Return whether a symbol is a value instead of code."""
    return symbol.kind in _VALUE_KINDS


def find_users(definition: Definition, report: UsageReport) -> tuple[Related, ...]:
    """Return the functions, classes and modules that use the definition, product code first.

    Tests are a separate relation.
    """
    usages = [usage for usage in report.usages[:_MAX_USAGES] if usage.enclosing != definition]
    holding = {usage.file for usage in usages if usage.enclosing is not None}
    uses: defaultdict[tuple[str, int, str], list[ReferenceKind]] = defaultdict(list)
    for usage in usages:
        if usage.enclosing is not None:
            uses[usage.file, usage.enclosing.line, usage.enclosing.symbol.qualname].append(usage.role)
        elif usage.role is not ReferenceKind.IMPORT or usage.file not in holding:
            uses[usage.file, usage.line, ""].append(usage.role)
    users = []
    for (file, line, symbol), roles in uses.items():
        verb = min((_VERBS.get(role, "uses") for role in roles), key=_STRONGEST.index)
        times = f" {len(roles)} times" if len(roles) > 1 else ""
        relation = "test" if role_of(file) is FileRole.TEST else "uses it"
        weakness = role_of(file) + max(0, _STRONGEST.index(verb) - 1) / 2
        score = (1 - 0.5 ** min(1 + len(roles), 8)) / (1 + weakness)
        users.append(Related(file, line, symbol, relation, f"{verb} {definition.name}{times}", score))
    return tuple(sorted(users, key=lambda each: (-each.score, each.file, each.line)))


def find_callees(code: CodeIndex, definition: Definition) -> tuple[Related, ...]:
    """Return the workspace's functions and classes that the definition calls outside itself, in order."""
    callees: dict[tuple[str, int], Related] = {}
    for reference, targets, _ in code.graph.callees(definition):
        for target in targets[:1]:
            if target.file != definition.file or not definition.symbol.span.contains(target.line):
                why = f"called at {definition.file}:{reference.line}"
                related = Related(
                    target.file, target.line, target.symbol.qualname, "it uses", why, 1 / (1 + len(callees))
                )
                callees.setdefault((target.file, target.line), related)
    return tuple(callees.values())


def find_kin(code: CodeIndex, definition: Definition) -> tuple[Related, ...]:
    """Return subclasses, overrides and the overridden member."""
    graph = code.graph
    found = [("subclass", f"inherits from {definition.name}", each) for each in graph.classes.subclasses(definition)]
    found += [("override", f"overrides {definition.name}", each) for each in graph.classes.overrides(definition)]
    base = graph.classes.overridden(definition)
    if base is not None and not base.file.startswith(STUBS):
        found.append(("overridden", f"{definition.name} overrides it", base))
    return tuple(
        Related(each.file, each.line, each.symbol.qualname, relation, why, 1 / (1 + role_of(each.file)))
        for relation, why, each in found
    )


def find_imported(code: CodeIndex, path: str) -> tuple[Related, ...]:
    """Return the files of the workspace that a file imports, in order."""
    found: dict[str, Related] = {}
    for link in code.imports(path):
        if link.target is not None and link.target != path:
            why = f"imported at {path}:{link.line} ({_shorten_list(link.names)})"
            found.setdefault(link.target, Related(link.target, 1, "", "it imports", why, 1 / (1 + len(found))))
    return tuple(found.values())


def find_importing(code: CodeIndex, path: str) -> tuple[Related, ...]:
    """Return the files of the workspace that import a file, product code first."""
    found: dict[str, Related] = {}
    for link in code.importers(path):
        is_test = role_of(link.file) is FileRole.TEST
        relation, score = "test" if is_test else "imports it", 1 / (1 + role_of(link.file))
        why = f"imports {_shorten_list(link.names)}"
        found.setdefault(link.file, Related(link.file, link.line, "", relation, why, score))
    return tuple(sorted(found.values(), key=lambda each: (-each.score, each.file)))


def find_similar_files(code: CodeIndex, path: str, content: bytes) -> tuple[SimilarFile, ...]:
    """Return the files that share the rarest words and imports with a file; near copies come first.

    The similarity is the cosine of log counts weighted by rarity over the file's own characteristic terms.
    """
    weights = dict(_iter_weights(code, content))
    scores: defaultdict[str, float] = defaultdict(float)
    shared: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
    for term, (weight, counts) in weights.items():
        for other, count in counts.items():
            if other != path:
                gain = weight * (1 + math.log(count))
                scores[other] += gain
                shared[other].append((gain, term))
    lengths = code.words.document_lengths(scores)
    rated = {other: score / math.sqrt(100 + lengths[other]) for other, score in scores.items()}
    top, second, *_ = *sorted(rated.values(), reverse=True)[:2], 1.0, 1.0
    similar = [other for other in rated if rated[other] >= _MIN_LIKENESS * min(top, second)]
    nearest = sorted(similar, key=lambda other: (-rated[other], other))[:_MAX_SIMILAR]
    targets = _targets(code, path)
    common = {other: targets & _targets(code, other) for other in nearest}
    found = [
        SimilarFile(
            other,
            round(rated[other] / top + _SHARED_IMPORT * math.log1p(len(common[other])), 4),
            tuple(term for _, term in sorted(shared[other], key=lambda entry: (-entry[0], entry[1]))[:5]),
            tuple(sorted(common[other], key=lambda each: (not code.has_file(each), each))[:5]),
        )
        for other in nearest
    ]
    return tuple(sorted(found, key=lambda each: (-each.score, each.file)))


def _iter_weights(code: CodeIndex, content: bytes) -> Iterator[tuple[str, tuple[float, dict[str, int]]]]:
    """Yield the characteristic terms of a file, each with its weight and the files that contain it."""
    terms: Counter[str] = Counter()
    for word, count in count_words(content).items():
        terms.update(dict.fromkeys(split_name(word), count))
    chosen = sorted(
        (term for term in terms if len(term) >= _MIN_LETTERS), key=lambda term: (-len(term) * terms[term], term)
    )
    total = len(code.files)
    for term in chosen[:_MAX_TERMS]:
        counts = code.words.term_counts(term)
        if 1 < len(counts) <= max(3, total // 4):
            rarity = math.log(total / len(counts))
            yield term, (rarity * rarity * (1 + math.log(terms[term])), counts)


def _shorten_list(names: Sequence[str]) -> str:
    """Return the first of some names and the number of further ones."""
    more = len(names) - _MAX_NAMES
    return f"{', '.join(names[:_MAX_NAMES])}{f' and {more} more' if more > 0 else ''}"


def _targets(code: CodeIndex, path: str) -> frozenset[str]:
    """Return the imports of a file: files of the workspace, and external modules by name."""
    return frozenset(link.target or link.module for link in code.imports(path))
