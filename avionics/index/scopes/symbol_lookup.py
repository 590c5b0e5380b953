"""Look up definitions by exact, folded, prefix and similar name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

from msgspec import Struct, structs

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.file_roles import role_of
from avionics.index.modules.import_resolver import Modules
from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind, is_class
from avionics.model.facts import Symbol
from avionics.model.knowledge import Definition
from avionics.model.naming import fold_name
from avionics.syntax.registry import conventions_of, require_spec

_KIND_ORDER = (
    SymbolKind.CLASS,
    SymbolKind.INTERFACE,
    SymbolKind.FUNCTION,
    SymbolKind.ENUM,
    SymbolKind.METHOD,
    SymbolKind.PROPERTY,
    SymbolKind.CONSTANT,
    SymbolKind.VARIABLE,
    SymbolKind.TYPE,
    SymbolKind.ATTRIBUTE,
)
_CLOSEST = 200
"""The number of names with the most common letter pairs that are compared letter by letter; all would take seconds."""
_MIN_ENDING = 4
"""The minimum number of letters of an ending; shorter ones are those of many names."""
ALIKE = 0.7
"""The minimum share of letters in common runs for similar names."""
MISSPELT = 0.85
"""The minimum share for a misspelt name instead of another word (`behind` is not `bind`)."""


_PLACE = late_pattern(r"(?P<file>(?=[^:\s]*\.)[^:\s]++):(?P<line>[1-9]\d{0,6})(?::\d+)?")
_TYPE_ARGUMENTS = late_pattern(r"(?<=\w)<[^<>()]{0,200}>")
_SEPARATING = late_pattern(r"(?<=\w)#|#(?!\w)")


def strip_type_arguments(name: str) -> str:
    """Return a name without type arguments: `Policy.run` for `Policy<T>.run`, also where they are nested."""
    while (plain := _TYPE_ARGUMENTS.sub("", name)) != name:
        name = plain
    return name


def count_type_parameters(symbol: Symbol) -> int:
    """Return the number of type parameters in the signature of a type: 2 for `class Map<K, V>`."""
    parameters = symbol.signature.partition(f"{symbol.name}<")[2].partition(">")[0]
    return parameters.count(",") + 1 if parameters else 0


class SymbolQuery(Struct, frozen=True):
    """A name to look up: `file.py:Class.method`, `package.module.function`, `Class.method`, `name`, `file.py:12`."""

    last: str
    qualifier: str = ""
    file: str = ""

    @classmethod
    def read(cls, text: str) -> SymbolQuery:
        """Parse a query; call parentheses and a leading `@` are not part of a name.

        A `#` after a name separates (`Cart#add`); before one it is a part of it, as JavaScript's private names are
        written.
        """
        text = text.strip().lstrip("@").split("(", 1)[0].strip()
        place = _PLACE.fullmatch(text)
        if place:
            return cls(place["line"], "", place["file"])
        file, separator, rest = text.replace("::", ":").rpartition(":")
        if not separator or "." not in file:
            file, rest = "", text.replace("::", ".")
        rest = _SEPARATING.sub(".", rest.replace(":", ".")).replace(".prototype.", ".").strip(".")
        qualifier, _, last = rest.rpartition(".")
        return cls(last, qualifier, file)

    def matches(self, definition: Definition, dotted_module: str) -> bool:
        """Return whether a definition's path and containers match the query."""
        dotted_module = dotted_module.replace("/", ".")
        if self.file and definition.file != self.file and not definition.file.endswith(f"/{self.file}"):
            return False
        if not self.qualifier:
            return True
        full = f"{dotted_module}.{definition.symbol.qualname}".rpartition(".")[0]
        if f".{full}".endswith(f".{self.qualifier}"):
            return True
        # `shop.Cart.add`: the module between package and class may be omitted, as by a re-export.
        package, _, holder = self.qualifier.rpartition(".")
        is_in_package = not package or f".{package}." in f".{dotted_module}."
        own = definition.symbol.qualname.rpartition(".")[0]
        if own:
            return is_in_package and f".{own}".endswith(f".{holder}")
        return f".{dotted_module}.".startswith(f".{self.qualifier}.")

    def is_within_names(self, definition: Definition) -> bool:
        """Return whether the names of a definition's containers, without its module, match the qualifier."""
        return f".{definition.symbol.qualname}".endswith(f".{self.qualifier}.{self.last}")


class SymbolLookup:
    """Finds definitions by name."""

    def __init__(self, source: FactSource, modules: Modules) -> None:
        self._source = source
        self._modules = modules

    def find(
        self, text: str, *, file: str | None = None, kind: SymbolKind | None = None, scope: str | None = None
    ) -> tuple[Definition, ...]:
        """Return the definitions of exactly that name, dotted name or `file:name`, product code first."""
        wanted = SymbolQuery.read(text)
        if wanted.file and wanted.last.isdecimal():
            return self._find_placed(wanted.file, int(wanted.last), kind)
        found = self._find_matching(wanted, lambda name: name == wanted.last, file, kind, scope, is_exact=True)
        if found or wanted.last.startswith("#"):
            return found
        # `getRows` may mean the private `#getRows`.
        private = structs.replace(wanted, last=f"#{wanted.last}")
        return self._find_matching(private, lambda name: name == private.last, file, kind, scope, is_exact=True)

    def find_unnamed(self, name: str, *, scope: str | None = None) -> tuple[Definition, ...]:
        """Return the unnamed default exports of the files `<name>.js` and `<name>/index.js`.

        Importers name them after the file: `import clean from './clean'`.
        """
        if not name.isidentifier():
            return ()
        path = re.compile(rf"(?:.*/)?{name}(?:/index)?\.\w+", re.DOTALL)
        found = []
        for file in self._source.files:
            if name in file and path.fullmatch(file) and is_within(file, scope):
                unnamed = require_spec(self._source.facts(file).language).unnamed_export
                named = (each for each in self._source.iter_definitions(file) if unnamed and each.name == unnamed)
                found += [each for each in named if each.symbol.parent < 0]
        return tuple(sorted(found, key=_order))

    def find_folded(self, text: str, *, scope: str | None = None) -> tuple[Definition, ...]:
        """Return the definitions of that name, ignoring case and underscores."""
        wanted = SymbolQuery.read(text)
        return self._find_matching(
            SymbolQuery(wanted.last), lambda name: fold_name(name) == fold_name(wanted.last), None, None, scope
        )

    def find_prefixed(self, text: str, limit: int = 20, *, scope: str | None = None) -> tuple[Definition, ...]:
        """Return the definitions whose names have the prefix, shortest names first."""
        folded = fold_name(SymbolQuery.read(text).last)
        if not folded:
            return ()
        return self._find_all_named(self._source.words.names_starting(folded, limit), limit, scope)

    def find_ending(self, text: str, limit: int = 20) -> tuple[Definition, ...]:
        """Return the definitions whose names end with a text of four letters or more, shortest names first."""
        folded = fold_name(SymbolQuery.read(text).last)
        if len(folded) < _MIN_ENDING:
            return ()
        ending = sorted((each for each in self._source.words.all_names() if each.endswith(folded)), key=len)
        return self._find_all_named(ending[:limit], limit, None)

    def find_similar(self, text: str, limit: int = 5, *, cutoff: float = ALIKE) -> tuple[Definition, ...]:
        """Return the definitions with the most similar names (misspellings), most similar first."""
        return self._find_all_named(self.similar_names(text, limit, cutoff), limit, None)

    def similar_names(self, text: str, limit: int = 5, cutoff: float = ALIKE) -> tuple[str, ...]:
        """Return the most similar folded names: candidates by common letter pairs, then by longest common runs.

        `cutoff` is the minimum share of letters in common runs.
        """
        folded = fold_name(SymbolQuery.read(text).last)
        pairs = _pairs(folded)
        if not pairs:
            return ()
        scored = []
        letters = sorted(folded)
        for name in self._source.words.all_names():
            if len(name) == len(folded) and name != folded and sorted(name) == letters:
                scored.append((-len(pairs) - 1, len(name), name))
            elif abs(len(name) - len(folded)) <= max(2, len(folded) // 3) and name != folded:
                shared = len(pairs & _pairs(name))
                if 2 * shared >= len(pairs):
                    scored.append((-shared, len(name), name))
        closest = [name for _, _, name in sorted(scored)[:_CLOSEST]]
        from difflib import get_close_matches

        # `mian` and `main` share no pair of letters although they differ only by two swapped letters.
        swapped = [name for name in closest if cutoff <= ALIKE and _is_swapped(name, folded)]
        return tuple(dict.fromkeys((*swapped, *get_close_matches(folded, closest, n=limit, cutoff=cutoff))))[:limit]

    def at(self, file: str, line: int, name: str | None = None) -> Definition | None:
        """Return the definition on a line (or the innermost around it) of a file, of that name if one is given."""
        wanted = SymbolQuery.read(name).last if name else None
        best: Definition | None = None
        for each in self._source.iter_definitions(file):
            if wanted is not None and each.name != wanted:
                continue
            if each.line == line:
                return each
            if each.symbol.span.contains(line):
                best = each
        return best

    def _find_placed(self, file: str, line: int, kind: SymbolKind | None) -> tuple[Definition, ...]:
        """Return the definition on a line, or the innermost around it, of the one file that has the path or its end."""
        wanted = file.removeprefix("./")
        ending = [each for each in self._source.files if f"/{each}".endswith(f"/{wanted}")]
        paths = [wanted] if wanted in ending else ending
        found = self.at(paths[0], line) if len(paths) == 1 else None
        return (found,) if found is not None and kind in {None, found.kind} else ()

    def _find_all_named(self, names: Iterable[str], limit: int, scope: str | None) -> tuple[Definition, ...]:
        """Return up to `limit` definitions of folded names, in the order of the names."""
        found: list[Definition] = []
        for name in names:
            found.extend(self.find_folded(name, scope=scope))
            if len(found) >= limit:
                break
        return tuple(found[:limit])

    def _find_matching(
        self,
        wanted: SymbolQuery,
        is_name: _NameTest,
        file: str | None,
        kind: SymbolKind | None,
        scope: str | None,
        *,
        is_exact: bool = False,
    ) -> tuple[Definition, ...]:
        """Return the definitions that match a query, with a name that a test accepts, in the order of a listing."""
        found = []
        holder, folded = wanted.qualifier.rpartition(".")[2], fold_name(wanted.last)
        files = self._source.files_defining(folded, wanted.last if is_exact else "", holder)
        within = [path for path in files if (file is None or path == file) and is_within(path, scope)]
        for path, symbols in self._source.summaries.symbols_named(folded, within).items():
            dotted = self._modules.dotted_name(path) if wanted.qualifier else ""
            for definition in (Definition(path, symbol, index) for index, symbol in symbols):
                is_kind = kind is None or definition.kind is kind
                if is_name(definition.name) and is_kind and wanted.matches(definition, dotted):
                    found.append(definition)
        if wanted.qualifier:
            # Prefer the constructor for `Cart.Cart` to the class `Cart` in a module of that name.
            return tuple(
                sorted(found, key=lambda each: (role_of(each.file), not wanted.is_within_names(each), _order(each)))
            )
        return tuple(sorted(found, key=_order))


_TYPEDEF = "typedef "


class _NameTest(Protocol):
    def __call__(self, name: str, /) -> bool: ...


def is_within(path: str, scope: str | None) -> bool:
    """Return whether a path is the scope, or below it; everything is within an empty scope."""
    return not scope or scope in {".", path} or path.startswith(f"{scope.rstrip('/')}/")


def _is_swapped(name: str, other: str) -> bool:
    """Return whether two names differ only by two swapped neighbouring letters: `mian` and `main`."""
    differing = [at for at, (mine, theirs) in enumerate(zip(name, other, strict=False)) if mine != theirs]
    is_pair = len(name) == len(other) and len(differing) == 2 and differing[1] == differing[0] + 1
    return is_pair and name[differing[0]] == other[differing[1]] and name[differing[1]] == other[differing[0]]


def _pairs(name: str) -> frozenset[str]:
    """Return the pairs of adjacent letters, including the ends."""
    framed = f"^{name}$"
    return frozenset(framed[at : at + 2] for at in range(len(framed) - 1)) if name else frozenset()


def _order(definition: Definition) -> tuple[int, int, int, bool, bool, int, str, int]:
    """Return the sort key: product code, classes and functions, public names, top-level names first.

    Declarations come after definitions, and the tag of a type after the name by which it is used. In C names that most
    files can see come first; so do types in headers, in C++ too.
    """
    symbol = definition.symbol
    is_known = symbol.kind in _KIND_ORDER and not (symbol.kind is SymbolKind.FUNCTION and symbol.parent >= 0)
    kind = 2 * (_KIND_ORDER.index(symbol.kind) if is_known else len(_KIND_ORDER))
    if symbol.signature.startswith(_TYPEDEF):
        kind = 2 * _KIND_ORDER.index(SymbolKind.CLASS) - 1
    elif symbol.is_announced:
        kind += 1
    is_private = any(part.startswith("_") and not part.startswith("__") for part in symbol.qualname.split("."))
    conventions = conventions_of(definition.file)
    is_type = is_class(symbol.kind) or symbol.kind is SymbolKind.TYPE
    is_own = is_type and definition.file.endswith(conventions.files.private_suffixes)
    depth = definition.file.count("/")
    rank = conventions.rank_visibility
    visibility = rank(definition.file, symbol) if rank is not None else 0
    return (role_of(definition.file), visibility, kind, is_private, is_own, depth, definition.file, symbol.line)
