"""Resolve external C names in thousands of files from their free names and includes alone.

A free name, which its file does not bind, has one meaning in the whole file: the declaration that the file sees by its
includes. A use is confirmed if that is the definition in question, disproven if only others are visible, and stays
possible if none is. Resolving each reference would give the same result. Files that bind the name, or that a text scan
cannot decide, are left to the resolver.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field, structs

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.cached_method import bounded_method
from avionics.index.model.values import Variable
from avionics.index.references.usage_classifier import NOT_DECLARED, TAGGED, UsageClassifier
from avionics.index.scopes.name_resolver import NameResolver
from avionics.late_pattern import late_pattern
from avionics.model.enums import Evidence, SymbolKind, is_class
from avionics.model.knowledge import Definition, UnresolvedUse, Usage
from avionics.model.naming import as_written, fold_name, tagged
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.engine.free_names import FreeName
from avionics.syntax.registry import conventions_of

if TYPE_CHECKING:
    from avionics.syntax.engine.textual import TextualScanner

_MAX_HEAD = 400
"""The number of characters before a brace that are searched for the head of a class or namespace."""
_LINKED = frozenset({SymbolKind.FUNCTION, SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.MODULE})
_C_LINKAGE = late_pattern(r"extern\s{1,9}\"C\"|EXTERN_C|BEGIN_DECLS")
_BRACE = late_pattern(r"""//[^\n]*+|/\*(?>(?:[^*]++|\*(?!/))*)|"(?>(?:[^"\\\n]++|\\.)*)"?|'(?:[^'\\\n]|\\.)'|([{}])""")
"""A brace, or a comment or string to pass over."""
_MAX_OPENED = 200
"""The number of files whose blocks are kept, about 10 MB; when there are more, all are dropped."""
_NOT_SETTLED = frozenset(
    {
        ReasonKind.RECEIVER_TYPE_UNKNOWN, ReasonKind.MACRO_TEXT, ReasonKind.CODE_NOT_READ, ReasonKind.NOT_DECLARED,
        ReasonKind.UNREAD_LANGUAGE, ReasonKind.TEMPLATE_REFERENCE, ReasonKind.INSIDE_MACRO,
        ReasonKind.MEMBER_NOT_DECLARED,
    }
)  # fmt: skip
"""Reasons of possible usages that have only the name in common with the definition; others involve its type."""
_NAMESPACE_HEAD = late_pattern(r"(?<!inline )\bnamespace\s+(?>(?:\w+::)*)(\w+)\s*+\Z")
_TYPEDEF = late_pattern(r"typedef\s+(?:const\s+)?((?:struct|union|enum)\s+\w+)\b")
"""The tag of the structure that a typedef names."""
_CLASS_HEAD = late_pattern(r"\b(?:class|struct|union)\b[^;{}()]{0,400}+\Z")


class Settled(Struct, frozen=True):
    """The usages of a name that are found without resolving references.

    Attributes:
        uses: The usages and possible usages of the variables.
        files: File in which each use of the name is decided → whether it was parsed only in part.
    """

    uses: tuple[Usage | UnresolvedUse, ...] = ()
    files: Mapping[str, bool] = field(default_factory=dict)


class _Visibility(Struct, frozen=True):
    """The files that declare a name, each as one bit, and which of them each file sees.

    Attributes:
        seen: File → the bits of the declaring files that it sees.
        bound: The bits of the files whose top level binds the name.
        own: The bits of the files that declare the definition in question.
        strange: The bits of the files in another language, which may provide names by other means.
    """

    seen: Mapping[str, int]
    bound: int
    own: int
    strange: int


class CLinker:
    """Links free names to the definitions that their files see."""

    def __init__(self, source: FactSource, scopes: NameResolver, classifier: UsageClassifier) -> None:
        self._source = source
        self._scopes = scopes
        self._classifier = classifier

    def link(self, name: str, files: Sequence[str], variables: Sequence[Variable]) -> Settled:
        """Return the usages in those of the files that mention a name in which a text scan can decide its meaning."""
        if not all(self._is_plain(variable, name) for variable in variables):
            return Settled()
        declaring = self._source.files_defining(fold_name(name))
        binding = self._list_binding(name, declaring, self._scopes.rules(variables[0].file).textual)
        scanned = self._source.summaries.free_names(name, files)
        free = {
            file: each
            for file, each in scanned.items()
            if file not in binding and not each.is_bound and not each.is_unsure
        }
        using = [file for file, each in free.items() if each.uses]
        visibility = self._read_visibility(name, using, variables, declaring, binding)
        strange = {file for file in using if visibility.seen.get(file, 0) & visibility.strange}
        decided = {file: each for file, each in free.items() if file not in strange}
        uses = tuple(self._iter_uses(name, decided, visibility, variables))
        return Settled(uses, {file: each.is_partial for file, each in decided.items()})

    def _is_plain(self, variable: Variable, name: str) -> bool:
        """Return whether a variable is at the top level of a file and shares its name with no tag of any file."""
        if variable.scope != 0 or variable.name != name or name != as_written(name):
            return False
        has_free_names = self._scopes.spec(variable.file).has_free_names
        return has_free_names and not self._classifier.is_name_of(name, TAGGED)

    def _list_binding(self, name: str, declaring: Sequence[str], scanner: TextualScanner) -> frozenset[str]:
        """Return the files that bind the name at their top level, according to their outlines."""
        named = self._source.summaries.symbols_named(fold_name(name), declaring)
        return frozenset(
            file
            for file, symbols in named.items()
            if any(symbol.name == name and scanner.is_outermost(symbol) for _, symbol in symbols)
        )

    def _read_visibility(
        self,
        name: str,
        files: Sequence[str],
        variables: Iterable[Variable],
        declaring: Sequence[str],
        binding: Collection[str],
    ) -> _Visibility:
        """Return which of the declaring files each of the files sees."""
        system = self._scopes.modules.system_of(files[0]) if files else None
        seen = system.map_included(declaring, files) if declaring and system is not None else None
        if seen is None:
            return _Visibility({}, 0, 0, 0)
        free = self._source.summaries.free_names(name, declaring)
        homes = {variable.file for variable in variables}
        bound = own = strange = 0
        for number, file in enumerate(declaring):
            bit = 1 << number
            own |= bit if file in homes else 0
            bound |= bit if self._binds(file, name, free.get(file), file in binding) else 0
            strange |= bit if file not in free and not self._scopes.spec(file).has_free_names else 0
        return _Visibility(seen, bound, own, strange)

    def _binds(self, file: str, name: str, free: FreeName | None, is_in_outline: bool) -> bool:
        """Return whether the top level of a file binds the name."""
        if free is None or free.is_unsure:
            return bool(self._scopes.bindings(Variable(file, 0, name)))
        return is_in_outline or free.is_bound

    def _iter_uses(
        self, name: str, free: Mapping[str, FreeName], visibility: _Visibility, variables: Sequence[Variable]
    ) -> Iterator[Usage | UnresolvedUse]:
        is_linked = self._classifier.may_be_unbound(variables[0])
        text_reason = Reason(self._scopes.spec(variables[0].file).text_mention_reason)
        for file, each in free.items():
            yield from (UnresolvedUse(file, line, 0, text_reason) for line in each.texts)
            is_own = self._decide_free_name(file, name, visibility, variables) if each.uses else False
            if is_own:
                for line, column, role in each.uses:
                    yield Usage(file, line, column, role, Evidence.IMPORT, self._classifier.enclosing)
            elif is_own is None and is_linked:
                yield from (UnresolvedUse(file, line, column, NOT_DECLARED) for line, column, _ in each.uses)

    def _decide_free_name(
        self, file: str, name: str, visibility: _Visibility, variables: Sequence[Variable]
    ) -> bool | None:
        """Return whether a free name of a file refers to the variables; None if no declaration is visible."""
        # The declaring files include those with a name that differs only in case or underscores: leave these out.
        seen = visibility.seen.get(file, 0) & (visibility.own | visibility.bound | visibility.strange)
        if seen & visibility.own:
            return True
        if seen:
            return False if seen & visibility.bound else None
        # A file that is included as text sees what its includers see.
        around = self._scopes.modules.ambient(file)
        targets = [target for module in around for target in self._scopes.find_member(module, name)]
        return any(variable in targets for variable in variables) if targets else None


class LinkageConflicts:
    """Finds definitions of C or C++ with the same linker name as another definition."""

    def __init__(self, source: FactSource, scopes: NameResolver) -> None:
        self._source = source
        self._scopes = scopes

    def iter_reasons(
        self, definition: Definition, own: Variable, definitions: Collection[Definition], files: Iterable[str]
    ) -> Iterator[Reason]:
        """Yield the reasons why usages of a definition may belong to another one."""
        yield from self._iter_tags(own, files)
        if self._scopes.spec(definition.file).linkage:
            yield from self._iter_plain(definition, definitions)
            yield from self._iter_repeated(definition, definitions)
            yield from self._iter_macros(definition, definitions)
            yield from self._iter_linked_elsewhere(definition, definitions)
            yield from self._iter_mistaken(definition, definitions)
            if self._is_in_unread_class(definition):
                yield Reason(ReasonKind.PARSED_IN_PART, subject=definition.file)

    def may_have_c_linkage(self, definitions: Collection[Definition]) -> bool:
        """Return whether a function in a namespace may be callable from C, and so from other languages."""
        free = (each for each in definitions if each.kind is SymbolKind.FUNCTION and self._is_external(each))
        return any(_C_LINKAGE.search(self._source.read_text(each.file)) for each in free)

    def _is_in_unread_class(self, definition: Definition) -> bool:
        """Return whether the text shows a class or named namespace around a definition that the parser did not see."""
        facts, holder = self._source.facts(definition.file), self._source.get_parent(definition)
        is_free = holder is None or holder.kind is SymbolKind.MODULE
        if not (is_free and facts.problems and self._scopes.spec(definition.file).overloads):
            return False
        opened = self._list_opened(definition.file)[definition.line - 1]
        head = self._source.read_text(definition.file)[max(0, opened - _MAX_HEAD) : opened] if opened >= 0 else ""
        code = _BRACE.sub(lambda found: found[1] or " ", head)
        space = _NAMESPACE_HEAD.search(code)
        around = "" if holder is None else holder.name
        return _CLASS_HEAD.search(code) is not None or (space is not None and space[1] != around)

    @bounded_method(_MAX_OPENED)
    def _list_opened(self, file: str) -> Sequence[int]:
        """Return for each line where the innermost block around its start begins; -1 if there is no block."""
        text, opened = self._source.read_text(file), [-1]
        found = array("q", [-1])
        position = 0
        for brace in _BRACE.finditer(text):
            if brace[1]:
                found.extend([opened[-1]] * text.count("\n", position, brace.start()))
                position = brace.start()
            if brace[1] == "{":
                opened.append(brace.start())
            elif brace[1] and len(opened) > 1:
                opened.pop()
        found.extend([opened[-1]] * text.count("\n", position))
        return found

    def _iter_tags(self, variable: Variable, files: Iterable[str]) -> Iterator[Reason]:
        """Yield a reason if a tag and a typedef of it have the same name, and the other one is used too."""
        plain = as_written(variable.name)
        other = structs.replace(variable, name=tagged(plain) if variable.name == plain else plain)
        both = [binding for each in (variable, other) for binding in self._scopes.bindings(each)]
        if not self._scopes.bindings(other) or all(binding.value.name != tagged(plain) for binding in both):
            return
        if any(other.name in self._source.uses(file).references for file in files):
            yield Reason(ReasonKind.TAG_AND_TYPEDEF, subject="tag" if variable.name == plain else "typedef")

    def _iter_plain(self, definition: Definition, definitions: Collection[Definition]) -> Iterator[Reason]:
        """Yield a reason if a tag and a typedef have the same name, which C++, unlike C, takes for one type."""
        is_alias, is_tag = definition.kind is SymbolKind.TYPE, is_class(definition.kind)
        if not (is_alias or is_tag):
            return
        for other in self._source.iter_named(definition.name):
            is_plain = any(self._scopes.spec(each.file).overloads for each in (other, definition))
            is_opposite = is_class(other.kind) if is_alias else other.kind is SymbolKind.TYPE
            if is_plain and is_opposite and other not in definitions:
                yield Reason(ReasonKind.TAG_AND_TYPEDEF, subject="tag" if is_alias else "typedef")
                return

    def _iter_repeated(self, definition: Definition, definitions: Collection[Definition]) -> Iterator[Reason]:
        """Yield a reason if another file repeats a typedef of the same structure, and some file of C sees both."""
        found = _TYPEDEF.match(definition.symbol.signature) if definition.kind is SymbolKind.TYPE else None
        if found is None or self._scopes.spec(definition.file).overloads:
            return
        others = dict.fromkeys(
            each.file
            for each in self._source.iter_named(definition.name)
            if each.file != definition.file and each.kind is SymbolKind.TYPE and each not in definitions
            if (other := _TYPEDEF.match(each.symbol.signature)) is not None and other[1] == found[1]
        )
        files = (definition.file, *others)
        naming = self._source.files_with_word(definition.name) if others else ()
        seen = self._scopes.modules.system_of(definition.file).map_included(files, naming) or {}
        own = {file: 1 << number for number, file in enumerate(files)}
        if any(bits & 1 and bits > 1 for bits in (each | own.get(file, 0) for file, each in seen.items())):
            yield Reason(ReasonKind.TAG_AND_TYPEDEF, subject="typedef")

    def _iter_macros(self, definition: Definition, definitions: Collection[Definition]) -> Iterator[Reason]:
        """Yield a reason if the file has both a macro and another declaration with the name, as under conditions."""
        for other in self._source.iter_definitions(definition.file):
            is_other = other.name == definition.name and other not in definitions
            if is_other and (other.kind is SymbolKind.MACRO) is not (definition.kind is SymbolKind.MACRO):
                subject = "macro" if other.kind is SymbolKind.MACRO else "declaration"
                yield Reason(ReasonKind.TAG_AND_TYPEDEF, subject=subject)
                return

    def _iter_linked_elsewhere(self, definition: Definition, definitions: Collection[Definition]) -> Iterator[Reason]:
        """Yield a reason for the first other definition with the same linker name, which a program may link instead."""
        spec = self._scopes.spec(definition.file)
        if definition.symbol.parent >= 0 and not spec.overloads:
            return
        # The compiler's options decide which of several headers with the same name is included.
        is_private = definition.file.endswith(conventions_of(definition.file).files.private_suffixes)
        header = "" if is_private else definition.file.rpartition("/")[2]
        # Overloads in connected files are distinguished by their parameters. A namespace is one entity although each
        # file has a definition of it.
        connected = (definition.file, *self._scopes.modules.counterparts(definition.file, definition.name))
        passed_over = connected if spec.overloads and definition.kind is not SymbolKind.MODULE else ()
        is_external = self._is_external(definition)
        for other in self._source.iter_named(definition.name):
            if other.file in passed_over:
                continue
            is_header = other.file != definition.file and other.file.rpartition("/")[2] == header
            is_same = is_header and other.symbol.parent < 0 and not spec.overloads
            if other in definitions or not (is_same or (is_external and self._is_external(other))):
                continue
            if other.symbol.qualname == definition.symbol.qualname or self._may_be_one_function(definition, other):
                yield Reason(ReasonKind.LINKED_ELSEWHERE, place=(other.file, other.line))
                return

    def _iter_mistaken(self, definition: Definition, definitions: Collection[Definition]) -> Iterator[Reason]:
        """Yield a reason if an include may mean another header of the same name, which has a copy of the definition."""
        if not self._scopes.spec(definition.file).overloads:
            return
        mistaken = self._scopes.modules.system_of(definition.file).list_mistaken(definition.file)
        others = (each for each in self._source.iter_named(definition.name) if each not in definitions)
        if not mistaken or all(each.symbol.qualname != definition.symbol.qualname for each in others):
            return
        naming = frozenset(self._source.files_with_word(definition.name))
        place = next((each for each in mistaken if each[0] in naming), None)
        if place is not None:
            yield Reason(ReasonKind.INCLUDED_COPY, place=place)

    def _may_be_one_function(self, definition: Definition, other: Definition) -> bool:
        """Return whether a function in a namespace has C linkage, so that it may be the same as a global one."""
        inner, outer = sorted((definition, other), key=lambda each: each.symbol.parent, reverse=True)
        is_one_inside = inner.symbol.parent >= 0 > outer.symbol.parent and inner.kind is SymbolKind.FUNCTION
        return is_one_inside and _C_LINKAGE.search(self._source.read_text(inner.file)) is not None

    def _is_external(self, definition: Definition) -> bool:
        """Return whether a function, variable or namespace has external linkage."""
        from avionics.index.modules.c_includes import is_own_constant

        symbol, spec = definition.symbol, self._scopes.spec(definition.file)
        is_linked = symbol.kind in _LINKED and spec.linkage
        if is_linked and spec.overloads and is_own_constant(symbol):
            # A header may have declared it `extern`.
            is_linked = self._is_announced_elsewhere(definition)
        symbols = self._source.facts(definition.file).symbols
        is_free = symbol.parent < 0 or symbols[symbol.parent].kind is SymbolKind.MODULE
        return is_linked and symbol.exported and is_free

    def _is_announced_elsewhere(self, definition: Definition) -> bool:
        """Return whether a constant is also declared without a value (`extern`), so that it has external linkage."""
        name = definition.name
        files = (definition.file, *self._scopes.modules.counterparts(definition.file, name))
        symbols = (each for file in files for each in self._source.facts(file).symbols)
        return any(each.name == name and each.is_announced for each in symbols)


class Sight:
    """Drops possible usages in files of C that do not see the definition and therefore cannot use it.

    `classifier` knows whether a missing header is included below a definition; `list_including` returns the files of C
    that include the text of a file that is not code.
    """

    def __init__(
        self,
        source: FactSource,
        scopes: NameResolver,
        classifier: UsageClassifier,
        list_including: Callable[[str], tuple[str, ...]],
    ) -> None:
        self._source = source
        self._scopes = scopes
        self._classifier = classifier
        self._list_including = list_including

    def keep_seeing(
        self, own: Variable, definitions: Collection[Definition], possible: list[UnresolvedUse]
    ) -> list[UnresolvedUse]:
        """Return the possible usages of a definition that are in files that may see it."""
        homes = tuple(dict.fromkeys(each.file for each in definitions))
        is_private = all(home.endswith(conventions_of(home).files.private_suffixes or "/") for home in homes)
        if not possible or not all(self._has_to_be_seen(each, own, is_private=is_private) for each in definitions):
            return possible
        if is_private and any(self._classifier.is_lost_below(each.file, each.line) for each in definitions):
            return possible
        system = self._scopes.modules.system_of(own.file)
        seeing = system.list_seeing(homes)
        if seeing is None:
            return possible
        files = {each.file for each in possible}
        kept = {file: file in seeing or (not is_private and system.may_see_more(file)) for file in files}
        # In a file that names the structure, a member access may be one of its members although the file does not
        # include the definition.
        holders = {each.name for each in map(self._source.get_parent, definitions) if each is not None}
        naming = {file for name in holders for file in self._source.files_with_word(name)}
        return [
            each
            for each in possible
            if kept[each.file]
            or each.reason.kind not in _NOT_SETTLED
            or (each.reason.kind is ReasonKind.RECEIVER_TYPE_UNKNOWN and each.file in naming)
            or self._is_text_of(each, definitions, seeing, is_private=is_private)
        ]

    def _has_to_be_seen(self, definition: Definition, own: Variable, *, is_private: bool) -> bool:
        """Return whether only files that include a definition can use it: a macro, a static function or a type."""
        spec, kind = self._scopes.spec(definition.file), definition.kind
        if kind in _LINKED:
            return spec.linkage and not definition.symbol.exported
        if kind is SymbolKind.MACRO:
            # An option of the compiler (`-include`) may read a header with macros before each file.
            return spec.linkage and is_private
        return spec.linkage and not spec.overloads and own.name == as_written(own.name)

    def _is_text_of(
        self, use: UnresolvedUse, definitions: Collection[Definition], seeing: frozenset[str], *, is_private: bool
    ) -> bool:
        """Return whether a possible usage may get into a file that sees the definition, by an include or a macro."""
        system = self._scopes.modules.system_of(next(iter(seeing)))
        if not (self._source.has_file(use.file) and self._scopes.spec(use.file).linkage):
            # Command lines of the compiler and assembler may name macros, too.
            is_macro = any(each.kind is SymbolKind.MACRO for each in definitions)
            readers = self._list_including(use.file)
            return not seeing.isdisjoint(readers) or (not readers and (is_macro or not is_private))
        including = system.list_seeing((use.file,))
        if including is None or including.isdisjoint(seeing):
            # A header that no file includes may be copied to another place by the build.
            return not is_private and any(system.list_seeing((each,)) is None for each in including or (use.file,))
        return use.reason.kind is not ReasonKind.MACRO_TEXT or self._is_expanded(use.file, use.line, seeing)

    def _is_expanded(self, file: str, line: int, seeing: Collection[str]) -> bool:
        """Return whether the macro around a line may be expanded in one of the files, directly or by other macros."""
        pending = self._list_macros_at(file, {line})
        if not pending:
            return True
        known = set(pending)
        while pending:
            name = pending.pop()
            for each in self._source.files_with_word(name):
                if each in seeing:
                    return True
                more = self._list_macros_at(each, set(self._source.uses(each).strings.get(name, ()))) - known
                known |= more
                pending |= more
        return False

    def _list_macros_at(self, file: str, lines: Collection[int]) -> set[str]:
        """Return the macros whose text has one of the lines."""
        symbols = self._source.facts(file).symbols if lines else ()
        macros = (each for each in symbols if each.kind is SymbolKind.MACRO)
        return {each.name for each in macros if any(each.span.contains(line) for line in lines)}
