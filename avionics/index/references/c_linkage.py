"""Resolve external C names in thousands of files from their free names and includes alone.

A free name means the same in its whole file: what the file sees declared by that name. A use is confirmed if that is
the definition in question, means another one if only others are visible, and stays possible if none is. Resolving each
reference would give the same result. Files that bind the name, or that a text scan cannot decide, are left to the
resolver.
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
"""The number of characters of a class's head that are examined."""
_LINKED = frozenset({SymbolKind.FUNCTION, SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.MODULE})
_C_LINKAGE = late_pattern(r"extern\s{1,9}\"C\"|EXTERN_C|BEGIN_DECLS")
_BRACE = late_pattern(r"""//[^\n]*+|/\*(?>(?:[^*]++|\*(?!/))*)|"(?>(?:[^"\\\n]++|\\.)*)"?|'(?:[^'\\\n]|\\.)'|([{}])""")
"""A brace, or a comment or string to pass over."""
_MAX_OPENED = 200
"""Files whose blocks are kept, about 10 MB; when there are more, all are dropped."""
_NOT_SETTLED = frozenset(
    {
        ReasonKind.RECEIVER_TYPE_UNKNOWN, ReasonKind.MACRO_TEXT, ReasonKind.CODE_NOT_READ, ReasonKind.NOT_DECLARED,
        ReasonKind.UNREAD_LANGUAGE, ReasonKind.TEMPLATE_REFERENCE, ReasonKind.INSIDE_MACRO,
        ReasonKind.MEMBER_NOT_DECLARED,
    }
)  # fmt: skip
"""Reasons that say nothing about the mention but its name; others name a type."""
_NAMESPACE_HEAD = late_pattern(r"(?<!inline )\bnamespace\s+(?>(?:\w+::)*)(\w+)\s*+\Z")
_TYPEDEF = late_pattern(r"typedef\s+(?:const\s+)?((?:struct|union|enum)\s+\w+)\b")
"""The tag of the structure that a typedef names."""
_CLASS_HEAD = late_pattern(r"\b(?:class|struct|union)\b[^;{}()]{0,400}+\Z")


class Settled(Struct, frozen=True):
    """What is known about a name without resolving references.

    Attributes:
        uses: The usages and possible usages of the variable.
        files: The decided files → whether they were parsed only in part.
    """

    uses: tuple[Usage | UnresolvedUse, ...] = ()
    files: Mapping[str, bool] = field(default_factory=dict)


class _Visibility(Struct, frozen=True):
    """The files that declare a name, as bits, and which of them each file sees.

    Attributes:
        seen: File → the bits of the declaring files that it sees.
        bound: Those whose top level binds the name.
        own: Those in which that is the definition in question.
        strange: Those in another language, which may provide names by other means.
    """

    seen: Mapping[str, int]
    bound: int
    own: int
    strange: int


class CLinker:
    """Links free names to the definitions that their files see."""

    def __init__(self, source: FactSource, scopes: NameResolver, judge: UsageClassifier) -> None:
        self._source = source
        self._scopes = scopes
        self._judge = judge

    def link(self, name: str, files: Sequence[str], variables: Sequence[Variable]) -> Settled:
        """Decide, where a text scan can, what the files that mention a name of a definition mean by it."""
        if not all(self._is_plain(variable, name) for variable in variables):
            return Settled()
        declaring = self._source.files_defining(fold_name(name))
        binding = self._list_binding(name, declaring, self._scopes.rules(variables[0].file).textual)
        looked_at = self._source.summaries.free_names(name, files)
        loose = {
            file: each
            for file, each in looked_at.items()
            if file not in binding and not each.is_bound and not each.is_unsure
        }
        using = [file for file, each in loose.items() if each.uses]
        visibility = self._look(name, using, variables, declaring, binding)
        strange = {file for file in using if visibility.seen.get(file, 0) & visibility.strange}
        told = {file: each for file, each in loose.items() if file not in strange}
        uses = tuple(self._iter_uses(name, told, visibility, variables))
        return Settled(uses, {file: each.is_partial for file, each in told.items()})

    def _is_plain(self, variable: Variable, name: str) -> bool:
        """Return whether a variable is at the top level of a file and shares its name with no tag of any file."""
        if variable.scope != 0 or variable.name != name or name != as_written(name):
            return False
        has_free_names = self._scopes.spec(variable.file).has_free_names
        return has_free_names and not self._judge.is_name_of(name, TAGGED)

    def _list_binding(self, name: str, declaring: Sequence[str], scanner: TextualScanner) -> frozenset[str]:
        """Return the files whose outline shows that their top level binds the name."""
        named = self._source.summaries.symbols_named(fold_name(name), declaring)
        return frozenset(
            file
            for file, symbols in named.items()
            if any(symbol.name == name and scanner.is_outermost(symbol) for _, symbol in symbols)
        )

    def _look(
        self,
        name: str,
        files: Sequence[str],
        variables: Iterable[Variable],
        declaring: Sequence[str],
        binding: Collection[str],
    ) -> _Visibility:
        system = self._scopes.modules.system_of(files[0]) if files else None
        seen = system.map_included(declaring, files) if declaring and system is not None else None
        if seen is None:
            return _Visibility({}, 0, 0, 0)
        loose = self._source.summaries.free_names(name, declaring)
        homes = {variable.file for variable in variables}
        bound = own = strange = 0
        for number, file in enumerate(declaring):
            bit = 1 << number
            own |= bit if file in homes else 0
            bound |= bit if self._binds(file, name, loose.get(file), file in binding) else 0
            strange |= bit if file not in loose and not self._scopes.spec(file).has_free_names else 0
        return _Visibility(seen, bound, own, strange)

    def _binds(self, file: str, name: str, loose: FreeName | None, is_said: bool) -> bool:
        """Return whether the top level of a file binds the name."""
        if loose is None or loose.is_unsure:
            return bool(self._scopes.bindings(Variable(file, 0, name)))
        return is_said or loose.is_bound

    def _iter_uses(
        self, name: str, loose: Mapping[str, FreeName], visibility: _Visibility, variables: Sequence[Variable]
    ) -> Iterator[Usage | UnresolvedUse]:
        is_linked = self._judge.may_be_unbound(variables[0])
        text_reason = Reason(self._scopes.spec(variables[0].file).text_mention_reason)
        for file, each in loose.items():
            yield from (UnresolvedUse(file, line, 0, text_reason) for line in each.texts)
            is_own = self._decide_free_name(file, name, visibility, variables) if each.uses else False
            if is_own:
                for line, column, role in each.uses:
                    yield Usage(file, line, column, role, Evidence.IMPORT, self._judge.enclosing)
            elif is_own is None and is_linked:
                yield from (UnresolvedUse(file, line, column, NOT_DECLARED) for line, column, _ in each.uses)

    def _decide_free_name(
        self, file: str, name: str, visibility: _Visibility, variables: Sequence[Variable]
    ) -> bool | None:
        """Return whether a free name of a file refers to the variables; None if no declaration is visible."""
        # Files whose names differ only in case or by underscores are looked at too.
        seen = visibility.seen.get(file, 0) & (visibility.own | visibility.bound | visibility.strange)
        if seen:
            return True if seen & visibility.own else False if seen & visibility.bound else None
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
        """Return whether a definition is in a class or a named namespace that the parser did not recognize."""
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
        """Return where the innermost block around the start of each line begins; -1 where there is none."""
        text, opened = self._source.read_text(file), [-1]
        found = array("q", [-1])
        at = 0
        for brace in _BRACE.finditer(text):
            if brace[1]:
                found.extend([opened[-1]] * text.count("\n", at, brace.start()))
                at = brace.start()
            if brace[1] == "{":
                opened.append(brace.start())
            elif brace[1] and len(opened) > 1:
                opened.pop()
        found.extend([opened[-1]] * text.count("\n", at))
        return found

    def _iter_tags(self, variable: Variable, files: Iterable[str]) -> Iterator[Reason]:
        """Yield the typedef with a tag's own name, or the tag, where it is used too and counted separately."""
        plain = as_written(variable.name)
        other = structs.replace(variable, name=tagged(plain) if variable.name == plain else plain)
        both = [binding for each in (variable, other) for binding in self._scopes.bindings(each)]
        if not self._scopes.bindings(other) or all(binding.value.name != tagged(plain) for binding in both):
            return
        if any(other.name in self._source.uses(file).references for file in files):
            yield Reason(ReasonKind.TAG_AND_TYPEDEF, subject="tag" if variable.name == plain else "typedef")

    def _iter_plain(self, definition: Definition, definitions: Collection[Definition]) -> Iterator[Reason]:
        """Yield a type that C++, unlike C, identifies with a typedef of the same name, or the typedef."""
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
        """Yield the typedef of the same structure in another file, if some file of C sees both: they are one type."""
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
        """Yield the macro in a file for which a condition takes a member of a namespace instead, or the member."""
        for other in self._source.iter_definitions(definition.file):
            is_other = other.name == definition.name and other not in definitions
            if is_other and (other.kind is SymbolKind.MACRO) is not (definition.kind is SymbolKind.MACRO):
                subject = "macro" if other.kind is SymbolKind.MACRO else "declaration"
                yield Reason(ReasonKind.TAG_AND_TYPEDEF, subject=subject)
                return

    def _iter_linked_elsewhere(self, definition: Definition, definitions: Collection[Definition]) -> Iterator[Reason]:
        """Yield other definitions with the same linker name, if it is not known which of them a program links."""
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
            is_same = is_same or (is_external and self._is_external(other))
            is_same = is_same and (
                other.symbol.qualname == definition.symbol.qualname or self._is_named(definition, other)
            )
            if is_same and other not in definitions:
                yield Reason(ReasonKind.LINKED_ELSEWHERE, place=(other.file, other.line))
                return

    def _iter_mistaken(self, definition: Definition, definitions: Collection[Definition]) -> Iterator[Reason]:
        """Yield the include that is taken for another header of the same name, where C++ has a copy of a definition."""
        if not self._scopes.spec(definition.file).overloads:
            return
        mistaken = self._scopes.modules.system_of(definition.file).list_mistaken(definition.file)
        qualname = definition.symbol.qualname
        is_copied = bool(mistaken) and any(
            each.symbol.qualname == qualname and each not in definitions
            for each in self._source.iter_named(definition.name)
        )
        naming = frozenset(self._source.files_with_word(definition.name)) if is_copied else frozenset()
        place = next((each for each in mistaken if each[0] in naming), None)
        if place is not None:
            yield Reason(ReasonKind.INCLUDED_COPY, place=place)

    def _is_named(self, definition: Definition, other: Definition) -> bool:
        """Return whether a function in a namespace may be the same as a global one with C linkage."""
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
        """Return whether a variable is also declared without a value, which gives a constant external linkage."""
        name = definition.name
        files = (definition.file, *self._scopes.modules.counterparts(definition.file, name))
        symbols = (each for file in files for each in self._source.facts(file).symbols)
        return any(each.name == name and each.is_announced for each in symbols)


class Sight:
    """Drops possible usages in files of C that do not see the definition and therefore cannot use it.

    The judge decides whether a header that the workspace lacks is included below a definition; `list_including` returns
    the files of C that include the text of a file that is not code.
    """

    def __init__(
        self,
        source: FactSource,
        scopes: NameResolver,
        judge: UsageClassifier,
        list_including: Callable[[str], tuple[str, ...]],
    ) -> None:
        self._source = source
        self._scopes = scopes
        self._judge = judge
        self._list_including = list_including

    def keep_seeing(
        self, own: Variable, definitions: Collection[Definition], possible: list[UnresolvedUse]
    ) -> list[UnresolvedUse]:
        """Return the possible usages of a definition that are in files that may see it."""
        homes = tuple(dict.fromkeys(each.file for each in definitions))
        is_private = all(home.endswith(conventions_of(home).files.private_suffixes or "/") for home in homes)
        if not possible or not all(self._has_to_be_seen(each, own, is_private=is_private) for each in definitions):
            return possible
        if is_private and any(self._judge.is_lost_below(each.file, each.line) for each in definitions):
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
        """Return whether only files that see a definition can use it: neither linkage nor another declaration helps."""
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
        """Return whether a possible usage may become text of a file that sees the definition."""
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
