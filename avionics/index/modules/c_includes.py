"""Resolve includes, the module system of C and C++: a file sees everything its includes see.

A quoted name is looked for beside the including file. Then, like one in angle brackets, it is matched with the ends of
the workspace's paths: in the directories above the including file and the include directories beside these, else the
nearest. A file sees the declarations of all files that it includes, directly or not. Declarations of the same name are
one symbol, together with a definition elsewhere that itself sees one of them. This keeps two programs that use the same
name apart.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from avionics.index.facts.fact_source import FactSource
from avionics.index.facts.include_graph import (
    INCLUDE_DIRECTORIES,
    NAMESPACE,
    IncludeGraph,
    iter_used_namespaces,
    list_qualnames,
)
from avionics.index.model.cached_method import cached_method
from avionics.index.model.values import External, Module
from avionics.index.modules.protocol import ModuleSystem
from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.model.facts import Import, Symbol
from avionics.model.naming import as_written, fold_name
from avionics.syntax.registry import get_language, require_spec

_OPENED_BY_MACRO = 3
"""The level of an import that names a macro whose body opens a namespace for everything declared there."""
_NAME = "c_includes"
_TAGGED = frozenset({SymbolKind.CLASS, SymbolKind.ENUM})
_HOLDERS = frozenset({SymbolKind.MODULE, SymbolKind.CLASS})
_LINKED_IN_C = frozenset({SymbolKind.FUNCTION, SymbolKind.VARIABLE})
_LINKED = _LINKED_IN_C | {
    SymbolKind.METHOD, SymbolKind.CLASS, SymbolKind.ENUM, SymbolKind.ATTRIBUTE, SymbolKind.TYPE
}  # fmt: skip
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".cuh")
_WORDS = re.compile(r"[A-Za-z_]\w*")
# const path home   static constexpr int* first   char const* const name
_CONSTANT_PREFIX = late_pattern(
    r"(?!.*\b(?:extern|inline|volatile)\b)(?:.*\bconstexpr\b|.*\bconst\Z|(?:static )?const\b[^*&]*\Z)"
)
"""The text before the name of a constant variable."""
_MAX_RESOLVED = 20_000
"""In a tree of more files, one question does not resolve all includes."""
_MAX_DEFINERS = 300
"""A name declared in more files is not external; only nearby files are considered."""
_MAX_MENTIONS = 200
"""If more files mention the name of a fragment, not all of them are searched for it."""


class CIncludes(ModuleSystem):
    """Resolves includes and the visibility that follows from them."""

    def __init__(self, source: FactSource) -> None:
        self._source = source
        self.graph = IncludeGraph(source.files, source.summaries)
        self._numbers = self.graph.numbers
        self._is_complete = False
        self._closures: dict[str, int] = {}
        self._namespace_prefixes: dict[tuple[str, int], str] = {}
        self._seeing: dict[tuple[str, ...], frozenset[str] | None] = {}

    def find(self, imported: Import, importer: str) -> Module | External:
        """Return the file of an include, or the namespace of a `using`, as seen from the importing file."""
        if imported.level == _OPENED_BY_MACRO:
            return Module("", "", imported.module, (), _NAME, importer)
        if imported.level == NAMESPACE:
            named = imported.module.lstrip(".")
            if named.partition(".")[0] == "std":
                return External(named)
            around = self._get_namespace_around(importer, imported)
            return Module("", "", "", tuple(f"{around}{named}".split(".")), _NAME, importer)
        path = self.graph.resolve(imported.module, importer, is_quoted=bool(imported.level))
        return Module(path) if path else External(imported.module)

    def _get_namespace_around(self, file: str, imported: Import) -> str:
        """Return the nearest namespace or class around a `using` that contains the first part of its name; "" for none.

        Behind `using namespace a`, `using namespace b` may mean `a::b`.
        """
        first, key = imported.module.partition(".")[0], (file, imported.line)
        if not first:
            return ""
        if key not in self._namespace_prefixes:
            self._namespace_prefixes[key] = (
                ""  # Do not look for the first part of a `using` in the namespace that it brings.
            )
            facts = self._source.facts(file)
            holders = [
                each.qualname for each in facts.symbols if each.kind in _HOLDERS and each.span.contains(imported.line)
            ]
            around = max(holders, key=len, default="").split(".") if holders else []
            prefixes = ["".join(f"{part}." for part in around[:end]) for end in range(len(around), 0, -1)]
            used = [each for each in iter_used_namespaces(facts) if each.line < imported.line]
            prefixes += ["", *(f"{self._get_namespace_around(file, each)}{each.module.lstrip('.')}." for each in used)]
            seen = self._list_declaring(first, self._closure(file)) if len(prefixes) > 1 else ()
            named = {each.qualname for path in seen for each in self._source.facts(path).symbols if each.name == first}
            self._namespace_prefixes[key] = next((prefix for prefix in prefixes if f"{prefix}{first}" in named), "")
        return self._namespace_prefixes[key]

    def files_of(self, module: Module, name: str) -> tuple[str, ...]:
        """Return the files that declare the name, of those that the module's file sees."""
        plain = as_written(name)
        if module.name:
            opening = set(self._source.files_with_word(module.name))
            return tuple(path for path in self._list_defining(plain) if path in opening)
        found = self._list_declaring(plain, self._closure(module.seen_from))
        if not found and self._list_defining(plain):
            found = self._list_around(module.seen_from, plain)
        is_type = plain != name or self._source.facts(module.seen_from).language != "c"
        if is_type and not any(self._has_tag(path, plain) for path in found):
            # A type that is only forward-declared here is defined in a file that others include together with this one.
            more = [path for path in self._list_defining(plain) if path not in found and self._has_tag(path, plain)]
            if len(more) > 1:
                more = [path for path in more if self._are_included_together(path, module.seen_from, plain)]
            found += more
        here = module.seen_from.rpartition("/")[0]
        return tuple(sorted(found, key=lambda path: (path != module.seen_from, path.rpartition("/")[0] != here, path)))

    def get_first_read(self, file: str, files: Collection[str]) -> str | None:
        seen, pending = {file}, [(file, iter(self.graph.includes(file)))]
        while pending:
            current, included = pending[-1]
            following = next((each for each in included if each not in seen), None)
            if following is not None:
                seen.add(following)
                pending.append((following, iter(self.graph.includes(following))))
            elif current in files:
                return current
            else:
                pending.pop()
        return None

    def ambient(self, file: str) -> tuple[Module, ...]:
        """Return everything that a file includes, as one module."""
        return (Module("", system=_NAME, seen_from=file),)

    def counterparts(self, file: str, name: str) -> tuple[str, ...]:
        """Return other files that declare the same function, variable or type and are connected by includes."""
        candidates = [path for path in self._list_defining(name) if path != file]
        if len(candidates) > _MAX_DEFINERS:
            here = file.rpartition("/")[0]
            candidates = [path for path in candidates if path.rpartition("/")[0] == here or self._sees(file, path)]
        own = [symbol for symbol in self._source.facts(file).symbols if symbol.name == name]
        internal = tuple(self._iter_internal(file, own, candidates))
        if not candidates or (own and not any(self._is_external(file, symbol) for symbol in own)):
            return internal
        is_constant = bool(own) and all(map(is_own_constant, own))
        if is_constant and not any(self._only_declares(path, name) for path in (file, *candidates)):
            return internal
        names = {each for symbol in own for each in list_qualnames(self._source.facts(file), symbol)}
        candidates = [path for path in candidates if self._declares(path, name, names)]
        # Two files that are included together declare the same type; functions or variables in them may belong to two
        # programs.
        is_alias = any(symbol.kind is SymbolKind.TYPE for symbol in own)
        found: dict[str, None] = {}
        pending = [file]
        for current in pending:
            for path in candidates:
                is_met = self._sees(current, path) or self._sees(path, current)
                if path not in found and (is_met or (is_alias and self._are_included_together(path, current, name))):
                    found[path] = None
                    pending.append(path)
        unseen = self._unseen_counterparts(file, name, [path for path in candidates if path not in found])
        return tuple(dict.fromkeys((*found, *unseen, *internal)))

    def _iter_internal(self, file: str, own: list[Symbol], candidates: list[str]) -> Iterator[str]:
        """Yield the headers that declare a `static` function of a file, and for a header the files with a body for it.

        Several bodies belong to different programs, so none is a counterpart of another. If a file sees only the
        declaration, its uses count for all of them.
        """
        internal = {symbol.qualname: symbol.is_announced for symbol in own if _is_internal(symbol)}
        for path in candidates if internal else ():
            if self._sees(file, path) or self._sees(path, file):
                declared = (each for each in self._source.facts(path).symbols if _is_internal(each))
                if any(each.qualname in internal and each.is_announced != internal[each.qualname] for each in declared):
                    yield path

    def _unseen_counterparts(self, file: str, name: str, candidates: list[str]) -> tuple[str, ...]:
        """Return the only other body or value in the directory, for a file that does not include the declaration."""
        here = file.rpartition("/")[0]
        near = [path for path in candidates if path.rpartition("/")[0] == here]
        bodies = [path for path in (file, *near) if self._has_body(path, name)]
        return tuple(near) if len(bodies) == 1 else ()

    @cached_method
    def list_mistaken(self, file: str) -> tuple[tuple[str, int], ...]:
        """Return the files and lines whose include may mean a header but is taken for another one of its name.

        The compiler's options decide between a header and a copy of it. Beside the including file there is no choice.
        """
        word = next(iter(self.mentions(file)), "")
        candidates = self._source.files_with_word(word) if word and file.endswith(_HEADERS) else ()
        candidates = candidates if len(candidates) <= _MAX_DEFINERS else ()
        self._source.summaries.load_import_lines(candidates)
        return tuple(
            (path, imported.line)
            for path in candidates
            for imported in self._source.facts(path).imports
            if path != file and imported.level < NAMESPACE and f"/{file}".endswith(f"/{imported.module}")
            if self._is_taken_for_other(imported, path, file)
        )

    def _is_taken_for_other(self, imported: Import, path: str, file: str) -> bool:
        """Return whether an include leads to a file that is neither a certain one nor beside the including file."""
        resolved = self.graph.resolve(imported.module, path, is_quoted=bool(imported.level))
        directory = path.rpartition("/")[0]
        beside = f"{directory}/{imported.module}" if directory else imported.module
        return bool(resolved) and resolved not in {file, beside}

    def may_declare(self, file: str, name: str) -> bool:
        """Return whether some file declares a structure, union or enumeration of the name with its members."""
        plain = as_written(name)
        return plain != name and any(self._has_tag(path, plain) for path in self._list_defining(plain))

    def dotted_name(self, path: str) -> str:
        """Return the name under which a file is included."""
        parts = path.split("/")
        roots = [at for at, part in enumerate(parts[:-1]) if part in INCLUDE_DIRECTORIES]
        return "/".join(parts[roots[-1] + 1 :]) if roots else path

    def mentions(self, path: str) -> tuple[str, ...]:
        """Return the longest word of a file's name, which every file that includes it contains."""
        words = _WORDS.findall(path.rpartition("/")[2].rpartition(".")[0])
        return (max(words, key=len),) if words else ()

    def _is_external(self, path: str, symbol: Symbol) -> bool:
        """Return whether other files may declare the same symbol: in C only functions and variables have linkage."""
        is_c = self._source.facts(path).language == "c"
        return symbol.exported and symbol.kind in (_LINKED_IN_C if is_c else _LINKED)

    def _are_included_together(self, path: str, other: str, name: str) -> bool:
        """Return whether some file that mentions the name, or includes the first file itself, includes both files."""
        if self._sees(path, other):
            return True
        mentioning = self._source.files_with_word(name)
        near = (*(mentioning if len(mentioning) <= _MAX_DEFINERS else ()), *self._included_by(path))
        return any(self._sees(each, path) and self._sees(each, other) for each in near)

    def _has_tag(self, path: str, name: str) -> bool:
        """Return whether a file declares a type of that name with its members."""
        return any(symbol.name == name and symbol.kind in _TAGGED for symbol in self._source.facts(path).symbols)

    def _has_body(self, path: str, name: str) -> bool:
        """Return whether a file defines a function or variable of that name instead of only declaring it."""
        return any(
            symbol.name == name and symbol.kind in _LINKED_IN_C and not symbol.is_announced
            for symbol in self._source.facts(path).symbols
        )

    def _only_declares(self, path: str, name: str) -> bool:
        """Return whether a file only declares a name (`extern`), or defines it in C, where constants have linkage."""
        facts = self._source.facts(path)
        return any(each.name == name and (each.is_announced or facts.language == "c") for each in facts.symbols)

    def _declares(self, path: str, name: str, names: set[str]) -> bool:
        """Return whether a file declares the name for others; if qualified names are given, under one of them."""
        facts = self._source.facts(path)
        own = (symbol for symbol in facts.symbols if symbol.name == name and self._is_external(path, symbol))
        return any(not names or names & list_qualnames(facts, symbol) for symbol in own)

    @cached_method
    def _list_defining(self, name: str) -> tuple[str, ...]:
        """Return the files of C and C++ that declare the name, exactly as it is written."""
        folded = fold_name(name)
        languages = ((path, get_language(path)) for path in self._source.files_defining(folded))
        own = [path for path, each in languages if each is not None and require_spec(each).module_system == _NAME]
        named = self._source.summaries.symbols_named(folded, own)
        return tuple(path for path in own if any(each.name == name for _, each in named.get(path, ())))

    def _sees(self, file: str, other: str) -> bool:
        """Return whether a file includes another, directly or not."""
        return bool(self._closure(file) >> self._numbers.get(other, 0) & 1)

    def _list_declaring(self, name: str, seen: int) -> list[str]:
        """Return the files of a bit set that declare the name."""
        return [path for path in self._list_defining(name) if seen >> self._numbers.get(path, 0) & 1]

    def map_included(self, targets: Sequence[str], files: Iterable[str]) -> dict[str, int]:
        """Return file → bit set of the targets that it includes, directly or not. Files without any are left out."""
        return self.graph.map_included(targets, files)

    def list_seeing(self, files: Sequence[str]) -> frozenset[str] | None:
        """Return the files that include one of these, directly or not, and these; None if others may see them too.

        That is so in a tree too large to resolve the includes of all files, and for a header that no file includes.
        """
        key = tuple(files)
        if len(self._numbers) > _MAX_RESOLVED:
            return None
        if key not in self._seeing:
            self.included(files[0])
            seeing = frozenset(self.graph.map_included(files, ()))
            is_loose = any(path.endswith(_HEADERS) for path in files) and len(seeing) == len(files)
            self._seeing[key] = None if is_loose else seeing
        return self._seeing[key]

    def may_see_more(self, file: str) -> bool:
        """Return whether a file includes, directly or not, a file in quotes that the workspace lacks."""
        return bool(self._closure(file) & self._files_lacking_includes)

    @functools.cached_property
    def _files_lacking_includes(self) -> int:
        """Return the files that include a file in quotes that the workspace lacks, as a bit set."""
        lines = ((number, path, self._source.summaries.import_lines(path)) for path, number in self._numbers.items())
        return sum(
            1 << number
            for number, path, found in lines
            if any(level == 1 and not self.graph.resolve(name, path, is_quoted=True) for name, level in found)
        )

    def included(self, file: str) -> tuple[str, ...]:
        """Return the files that a file includes itself; the includes of all files are resolved at once."""
        if not self._is_complete:
            self.graph.keep()
            self._is_complete = True
        return self.graph.includes(file)

    def _list_around(self, file: str, name: str) -> list[str]:
        """Return the files that declare a name and are visible to a file because others include it as text.

        A C header may rely on what is included before it, so it sees whatever every file that includes it sees. Macros
        are the exception: a header may test for a macro that is only defined after it.
        """
        if not file.endswith(_HEADERS):
            seen = 0 if self._is_compiled(file) else self._seen_by_includers(file, operator.or_)
            return self._list_declaring(name, seen)
        if self._source.facts(file).language != "c":
            return []
        found = self._list_declaring(name, self._seen_by_includers(file, operator.and_))
        return [path for path in found if any(_is_code(each, name) for each in self._source.facts(path).symbols)]

    @cached_method
    def _is_compiled(self, file: str) -> bool:
        """Return whether a build file names the object of a file, which is then also compiled on its own.

        Some programs can also be built from one file that includes all others.
        """
        return bool(self._included_by(file)) and any(self._iter_builds(file))

    def _iter_builds(self, file: str) -> Iterator[bool]:
        """Yield, for each build file beside or above a file, whether it names the file's object."""
        here, _, name = file.rpartition("/")
        stem = name.rpartition(".")[0]
        object_file = re.compile(rf"(?<![\w.-]){re.escape(stem)}\.(?:o|lo|obj)\b")
        is_only = sum(path.rpartition("/")[2] == name for path in self._source.files) == 1
        for path in self._source.count_word(max(_WORDS.findall(stem), key=len, default="")):
            above = path.rpartition("/")[0]
            is_near = above == here or (is_only and f"{here}/".startswith(f"{above}/" if above else ""))
            if is_near and not self._source.has_file(path):
                yield object_file.search(self._source.read_text(path)) is not None

    @cached_method
    def _seen_by_includers(self, file: str, join: Callable[[int, int], int]) -> int:
        """Return the files visible to one, or to all, of the files that include a file, without its own includes."""
        closures = [self._closure(includer) for includer in self._included_by(file)]
        return functools.reduce(join, closures) if closures else 0

    def _closure(self, file: str) -> int:
        """Return the closure of a file's includes, with the file itself, as a bit set."""
        known = self._closures.get(file)
        if known is None:
            for included in self.graph.includes(file):
                if included not in self._closures:
                    self._closures[included] = self._collect_reachable((included,))
            known = self._closures[file] = self._collect_reachable((file,))
        return known

    def _collect_reachable(self, start: Iterable[str]) -> int:
        """Return some files and all that they include, directly or not, as a bit set."""
        pending, seen = list(start), 0
        while pending:
            path = pending.pop()
            known = self._closures.get(path)
            if known is not None:
                seen |= known
                continue
            bit = 1 << self._numbers.get(path, 0)
            if not seen & bit:
                seen |= bit
                pending.extend(self.graph.includes(path))
        return seen

    @cached_method
    def _included_by(self, file: str) -> tuple[str, ...]:
        """Return the files that include a file directly."""
        word = next(iter(self.mentions(file)), "")
        candidates = self._source.files_with_word(word) if word else ()
        if len(candidates) > _MAX_MENTIONS:
            return ()
        name = file.rpartition("/")[2]
        self._source.summaries.load_import_lines(candidates)
        return tuple(
            path
            for path in candidates
            if path != file
            and any(module.endswith(name) for module, _ in self._source.summaries.import_lines(path))
            and file in self.graph.includes(path)
        )


def is_own_constant(symbol: Symbol) -> bool:
    """Return whether a constant of C++ is of its file alone, as it is unless it is declared `extern` before."""
    if symbol.kind is not SymbolKind.VARIABLE:
        return False
    return _CONSTANT_PREFIX.match(symbol.signature.partition(symbol.name)[0].rstrip()) is not None


def _is_internal(symbol: Symbol) -> bool:
    """Return whether a symbol is a `static` function."""
    return symbol.kind is SymbolKind.FUNCTION and not symbol.exported


def _is_code(symbol: Symbol, name: str) -> bool:
    return symbol.name == name and symbol.kind is not SymbolKind.MACRO


SYSTEM = CIncludes
