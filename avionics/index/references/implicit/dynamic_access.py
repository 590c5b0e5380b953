"""Find accesses by computed names and the members they may reach.

`getattr(x, name)` reaches members of the type of `x`. If that type is unknown, the text of the name must still occur
somewhere: whole, which a word search finds, or in parts (`visit_*`), which are collected here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from msgspec import Struct, structs

from avionics.cancellation import has_time
from avionics.index.facts.fact_source import FactSource
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.cached_method import cached_method, uncut_method
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.model.values import ClassType, InstanceType, Module, SuperType, Type, Types, Variable
from avionics.index.references.reference_resolver import Resolver
from avionics.index.types.inference import Inference
from avionics.late_pattern import NEVER, late_pattern
from avionics.model.enums import FUNCTIONS, BindingKind, ExpressionKind, SymbolKind
from avionics.model.facts import COMPUTED_KEY, Expression, Reference, line_and_column, line_of
from avionics.model.knowledge import Definition, ModuleLink
from avionics.model.naming import called
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.conventions import BuiltNames
from avionics.syntax.registry import LANGUAGES, conventions_of, get_conventions, is_prose, require_spec

_BATCH_FILES = 32
"""The number of files whose uses are read together before the time is checked."""

_MAX_BUILDING = 200
"""The number of files that may build names up to which all are read; of more, those with a part of the name."""

_WHOLE_MODULES = frozenset({"", "*", "default"})
_WORD = late_pattern(r"[^\W\d]\w*")
_MAX_BEFORE = 200
"""The number of characters before a string that are read to see which call it is an argument of."""
_MAX_BEHIND = 80
"""The number of characters after a string that are read to see which text it is joined with."""
_GIVEN = late_pattern(r"\s*+(?:[?!]\s*+)?[:=]")
"""The text after the name of a member that is set on each object rather than on the class: `run = () => 1`."""
_NUMBER = "Number"
"""The class of numbers in languages that access objects by keys."""
_FIRST_PARAMETER = late_pattern(r"[^(\n]{0,100}\(\s*+([A-Za-z_$][\w$]*)\b")
"""The first parameter, from behind the name of a function."""
_BEGINNING = late_pattern(r"\b[sS]tartsWith\(\s*+\"(\w{2,20})\"")
_FRAGMENT = late_pattern(r"_?[A-Za-z]\w+_\Z|_[A-Za-z]\w+\Z")

_Place = tuple[str, int]
"""A file and a line."""


class Accesses(Struct, frozen=True):
    """Computed accesses, grouped by the kind of receiver, each with the place of the first access.

    Attributes:
        classes: Class of a receiver, as (file, symbol) → place.
        ancestors: The same for these classes and their ancestors.
        modules: File whose top-level names are accessed → place.
        patterns: Patterns of names that are built from parts, with their places.
        listing: A place that lists the members of an unknown object, or None.
        runs: File that executes computed code → place.
    """

    classes: dict[tuple[str, int], _Place]
    ancestors: dict[tuple[str, int], _Place]
    modules: dict[str, _Place]
    patterns: tuple[tuple[re.Pattern[str], _Place], ...]
    listing: _Place | None
    runs: dict[str, _Place]


def find_reflective_files(files_with_word: Callable[[str], Iterable[str]]) -> tuple[str, ...]:
    """Return the files with a word such as `getattr`, by which some language accesses computed names, sorted."""
    words = {word for language in LANGUAGES for word in get_conventions(language).implicit.reflective_calls}
    return tuple(sorted({file for word in words for file in files_with_word(word)}))


class Dynamic:
    """The computed accesses of one snapshot, found when first asked for."""

    def __init__(self, source: FactSource, resolver: Resolver, files: tuple[str, ...]) -> None:
        self._source = source
        self._inference = resolver.inference
        self._get_system_name = resolver.scopes.modules.get_system_name
        self._files = files

    def get_accesses(self, path: str) -> Accesses:
        """Return the computed accesses in the files that can import a file."""
        return self._find(self._get_system_name(path))

    @uncut_method
    def _find(self, system: str) -> Accesses:
        """Return the computed accesses in the files of a module system."""
        files = [file for file in self._files if self._get_system_name(file) == system]
        found = Accesses({}, {}, {}, (), None, {})
        patterns: dict[str, _Place] = {}
        for index, file in enumerate(files):
            if index % _BATCH_FILES == 0:
                if not has_time():
                    break
                self._source.load_uses(files[index : index + _BATCH_FILES])
            uses = self._source.uses(file)
            listing = conventions_of(file).implicit.listing_members
            lists = [r for name in listing for r in uses.references.get(name, ()) if r.receiver is not None]
            for access in (*uses.dynamic, *lists):
                found = self._add(found, file, access)
            if uses.dynamic:
                for text, lines in uses.strings.items():
                    if "*" in text or _FRAGMENT.match(text):
                        patterns.setdefault(_as_pattern(text), (file, lines[0]))
        return structs.replace(found, patterns=tuple((re.compile(text), place) for text, place in patterns.items()))

    def _add(self, found: Accesses, file: str, access: Reference) -> Accesses:
        place, implicit = (file, access.line), conventions_of(file).implicit
        if access.name in implicit.running_calls:
            found.runs.setdefault(file, place)
        elif access.receiver is None:
            found.modules.setdefault(file, place)
        else:
            for kind in infer_owners(self._inference, file, access):
                if not self._record(found, kind, place) and access.name in implicit.listing_calls:
                    found = structs.replace(found, listing=found.listing or place)
        return found

    def _record(self, found: Accesses, kind: Type, place: _Place) -> bool:
        """Record the type of the receiver; return False if it is unknown."""
        of = _holder_of(kind)
        if isinstance(of, ClassType):
            found.classes.setdefault((of.file, of.symbol), place)
            for owner in self._inference.members.lineage(of).classes:
                found.ancestors.setdefault((owner.file, owner.symbol), place)
            return True
        if isinstance(of, Module):
            found.modules.setdefault(of.file, place)
            return True
        return False


class ComputedUses:
    """Finds accesses by computed names to the members of one class or module, in the files that may have one.

    `has_known_keys` returns whether an access has only literal keys, each of which is a mention.
    """

    def __init__(
        self,
        source: FactSource,
        inference: Inference,
        importers: Callable[[str], Iterable[ModuleLink]],
        has_known_keys: Callable[[str, Reference], bool],
    ) -> None:
        self._source = source
        self._inference = inference
        self._importers = importers
        self._has_known_keys = has_known_keys

    @cached_property
    def _reflective(self) -> frozenset[str]:
        return frozenset(find_reflective_files(self._source.files_with_word))

    def iter_reasons(self, definition: Definition) -> Iterator[Reason]:
        """Yield a reason for the first access that may reach a definition through its class or module."""
        implicit, holder = conventions_of(definition.file).implicit, self._source.get_parent(definition)
        own = self._inference.members.class_of(definition)
        if not implicit.reflective_calls or (own is None and holder is not None):
            return
        lineage = self._inference.members.lineage(own).classes if own is not None else ()
        having = self._source.files_with_word(holder.name) if holder is not None else ()
        # A file that imports a class under another name, or a subclass, need not contain its name. A file that reads
        # the names of a module imports more than names of its definitions.
        symbols = self._source.facts(definition.file).symbols if holder is None else ()
        names = {each.name for each in symbols}
        taking = (link.file for link in self._importers(definition.file) if not names.issuperset(link.names))
        files = {definition.file, *(each.file for each in lineage), *having, *taking}
        for file in sorted(files & self._source.snapshot.entries.keys()):
            for access, owners in self._list_accesses(file):
                if not any(self._reaches(access, owner, definition, lineage) for owner in owners):
                    continue
                if self._has_known_keys(file, access):
                    continue
                if holder is not None and access.name in implicit.key_queries:
                    yield Reason(ReasonKind.MAPPED_TYPE, place=(file, access.line), subject=holder.symbol.qualname)
                else:
                    yield Reason(ReasonKind.COMPUTED_ACCESS, place=(file, access.line))
                return

    @cached_method
    def _list_accesses(self, file: str) -> tuple[tuple[Reference, Types], ...]:
        """Return the accesses by computed names in a file, if it has the words of any, with their owners."""
        keys = conventions_of(file).implicit.computed_keys
        may_have = file in self._reflective or keys.search(self._source.read_text(file)) is not None
        found = self._iter_dynamic(file) if may_have else ()
        return tuple((each, self._infer_owners(file, each)) for each in found)

    def _iter_dynamic(self, file: str) -> Iterator[Reference]:
        """Yield the accesses by computed names, except subscripts with a literal key: `globals()["name"]`."""
        uses, implicit = self._source.uses(file), conventions_of(file).implicit
        lists = (each for name in implicit.listing_members for each in uses.references.get(name, ()))
        lines = self._source.read_lines(file)
        for each in (*uses.dynamic, *(each for each in lists if each.receiver is not None)):
            ways = implicit.text_names
            if ways is None or ways.fixed.match(lines[each.line - 1], each.column) is None:
                yield each

    def _infer_owners(self, file: str, access: Reference) -> Types:
        """Return the owners of the accessed members; without a receiver, the access's own module."""
        implicit = conventions_of(file).implicit
        if access.receiver is not None or implicit.text_names is None:
            return infer_owners(self._inference, file, access)
        if access.name in implicit.running_calls:
            line = self._source.read_line(file, access.line)
            return (Module(file),) if implicit.text_names.running.match(line, access.column) else ()
        # Within a function, some of these calls list the function's own names (`locals()`).
        is_local = access.name in implicit.local_listings and access.scope != 0
        return (Module(file),) if access.name in implicit.reflective_calls and not is_local else ()

    def _is_of_class(self, definition: Definition) -> bool:
        """Return whether a member is one of a class itself: not set on each object, nor of an object or interface."""
        if _GIVEN.match(definition.symbol.signature.partition(definition.name)[2]):
            return False
        own = self._inference.members.class_of(definition)
        symbol = self._inference.scopes.get_class_symbol(own)
        return symbol is not None and symbol.kind is SymbolKind.CLASS

    def _reaches(self, access: Reference, owner: Type, definition: Definition, lineage: tuple[ClassType, ...]) -> bool:
        """Return whether an access may reach a definition through an owner of the accessed name.

        An object of a base class may be one of the definition's class, but one declared only as `object` counts as
        unknown. An access that lists only an object's own names does not reach the methods of its class.
        """
        of = _holder_of(owner)
        own_listings = conventions_of(definition.file).implicit.own_listings
        is_own = isinstance(owner, InstanceType) and access.name in own_listings
        if is_own and definition.kind is not SymbolKind.ATTRIBUTE and self._is_of_class(definition):
            return False
        if isinstance(of, ClassType) and lineage and not of.file.startswith(STUBS):
            return of.plain in lineage or self._inference.members.is_subclass(of, lineage[0])
        return isinstance(of, Module) and not lineage and of.file == definition.file


def infer_owners(inference: Inference, file: str, access: Reference) -> Types:
    """Return the types whose members a computed name may reach; () if the key is a number or has known texts."""
    if access.receiver is None or access.name != COMPUTED_KEY:
        owner = access.receiver
        return inference.infer(owner, file, access.scope, access.line) if owner is not None else ()
    of, key = access.receiver.parts
    owners = inference.infer(of, file, access.scope, access.line)
    if not any(isinstance(_holder_of(each), (ClassType, Module)) for each in owners):
        return ()
    keys = inference.infer(key, file, access.scope, access.line)
    is_number = keys and all(_is_number(inference, each) for each in keys)
    return () if is_number or _is_written(inference, file, access, key) else owners


def _is_number(inference: Inference, kind: Type) -> bool:
    of = _holder_of(kind)
    symbol = inference.scopes.get_class_symbol(of)
    return symbol is not None and symbol.name == _NUMBER


def _is_written(inference: Inference, file: str, access: Reference, key: Expression) -> bool:
    """Return whether a key is a variable declared with all its texts: `of: 'a' | 'b'`, `const key = 'a'`.

    These texts are mentions of the members. The default of a parameter is not enough: a caller may pass another text.
    """
    if key.kind is not ExpressionKind.NAME:
        return False
    written = conventions_of(file).implicit.written_keys
    scopes, found = inference.scopes, inference.scopes.find_targets(file, access.scope, key.name)
    declared = [(each.file, b) for each in found if isinstance(each, Variable) for b in scopes.bindings(each)]
    for home, binding in declared:
        behind = scopes.source.read_line(home, binding.line)[binding.column + len(key.name) :]
        is_default = binding.kind is BindingKind.PARAMETER and behind.lstrip().startswith("=")
        if is_default or not written.match(behind):
            return False
    return bool(declared)


def _holder_of(kind: Type) -> Type:
    """Return the class or module whose members an object has."""
    return kind.of if isinstance(kind, (InstanceType, SuperType)) else kind


class NamingStrings:
    """Finds strings that may be names of definitions, in languages whose strings are not recorded.

    `has_members` returns whether code may read a file's top-level names from the module as from an object, and
    `is_script` whether they are global.
    """

    def __init__(
        self, source: FactSource, has_members: Callable[[str], bool], is_script: Callable[[str], bool]
    ) -> None:
        self._source = source
        self._has_members = has_members
        self._is_script = is_script
        self._building: dict[BuiltNames, tuple[str, ...]] = {}

    def iter_reasons(self, definition: Definition) -> Iterator[Reason]:
        """Yield reasons for the first string that may name a definition, one in its language and one in others."""
        yield from self._iter_of_language(definition)
        yield from self._iter_of_parts(definition)
        yield from self._iter_of_beginnings(definition)
        bridge = conventions_of(definition.file).implicit.bridge
        if bridge is None:
            return
        called = re.compile(bridge.pattern.replace("NAME", re.escape(definition.name)))
        for file in self._source.files_with_word(definition.name):
            text = self._source.read_text(file) if conventions_of(file).implicit.bridge != bridge else ""
            if (found := called.search(text)) is not None and bridge.condition.search(text):
                yield Reason(ReasonKind.STRING_LITERAL, place=(file, line_of(text, found.start())))
                return

    def _iter_of_beginnings(self, definition: Definition) -> Iterator[Reason]:
        """Yield the first place that lists members and selects those with the beginning of a definition: `set`.

        A file that lists private members counts without such a test for the private members of its own classes.
        """
        implicit = conventions_of(definition.file).implicit
        listing, is_private = implicit.member_listing, not definition.symbol.exported
        if definition.symbol.parent < 0:
            return
        words = implicit.private_listing if is_private else listing
        for file in sorted({file for word in words for file in self._source.files_with_word(word)}):
            if role_of(file) is FileRole.TEST or conventions_of(file).implicit.member_listing != listing:
                continue
            text = self._source.read_text(file)
            if is_private and file == definition.file:
                position = min(text.index(word) for word in words if word in text)
                yield Reason(ReasonKind.LISTED_MEMBERS, place=(file, line_of(text, position)))
                return
            for found in _BEGINNING.finditer(text):
                if definition.name.startswith(found[1]) and definition.name != found[1]:
                    yield Reason(ReasonKind.BUILT_NAME, place=(file, line_of(text, found.start())))
                    return

    def iter_words(self, definition: Definition) -> Iterator[Reason]:
        """Yield the first place that has a name's beginning or end, to an underscore, as a word that names nothing.

        Code joins names with such a word (`"save_" + kind`) or chooses names by it (`name.startswith("test_")`). It is
        little evidence, but enough to doubt that nothing uses a definition.
        """
        name = definition.name
        if require_spec(self._source.facts(definition.file).language).linkage:
            return  # What macros join has rules of its own, and members of classes are called `size_`.
        inner = [at for at in range(2, len(name) - 2) if name[at] == "_"]
        for part in dict.fromkeys(part for at in inner for part in (name[: at + 1], name[at:])):
            for file in sorted(self._source.count_word(part)) if len(part.strip("_")) > 1 else ():
                if is_prose(file) or self._is_name_in(file, part):
                    continue
                text = self._source.read_text(file)
                if (found := re.search(rf"(?<![\w@$]){re.escape(part)}(?!\w)", text)) is not None:
                    yield Reason(ReasonKind.BUILT_NAME, place=(file, line_of(text, found.start())))
                    return

    def _is_name_in(self, file: str, word: str) -> bool:
        """Return whether code of a file has a word as a name."""
        if not self._source.has_file(file):
            return False
        uses = self._source.uses(file)
        return any(each in names for each in (word, called(word)) for names in (uses.references, uses.bindings))

    def _iter_of_parts(self, definition: Definition) -> Iterator[Reason]:
        """Yield the first place that builds a name with the same beginning or end as a definition's: `"on" + event`."""
        built = conventions_of(definition.file).implicit.built_names
        if built is None:
            return
        condition = built.condition
        if built.of_members and definition.symbol.parent < 0:
            condition = built.global_condition if self._is_script(definition.file) else NEVER
        name = definition.name
        files = (definition.file, *self._list_building(built, name)) if condition is not NEVER else ()
        for file in dict.fromkeys(files):
            for is_end, part, line in self._list_parts(file, built, condition):
                if len(part) >= len(name) or not (name.endswith(part) if is_end else name.startswith(part)):
                    continue
                if not built.of_members or _is_boundary(name, len(name) - len(part) if is_end else len(part)):
                    yield Reason(ReasonKind.BUILT_NAME, place=(file, line))
                    return

    def _list_building(self, built: BuiltNames, name: str) -> tuple[str, ...]:
        """Return the files that may build a name from parts; of many files, only those with a part of it as a word."""
        if built.words and built not in self._building:
            reaching = {file for word in built.words for file in self._source.files_with_word(word)}
            same = (file for file in reaching if conventions_of(file).implicit.built_names == built)
            self._building[built] = tuple(sorted(same))
        files = self._building.get(built, ())
        if built.words and len(files) <= _MAX_BUILDING:
            return files
        ends = [position for position in range(1, len(name)) if not built.of_members or _is_boundary(name, position)]
        parts = {part for position in ends for part in (name[:position], name[position:])}
        having = {file for part in parts for file in self._source.files_with_word(part)}
        if built.words:
            return tuple(file for file in files if file in having)
        return tuple(sorted(file for file in having if conventions_of(file).implicit.built_names == built))

    @cached_method
    def _list_parts(
        self, file: str, built: BuiltNames, condition: re.Pattern[str]
    ) -> tuple[tuple[bool, str, int], ...]:
        """Return the parts of names in a file that meets a condition, whether names end with each, and its line."""
        text = self._source.read_text(file)
        is_reaching = condition.search(text) is not None
        ways = ((False, built.beginnings), (True, built.endings)) if is_reaching else ()
        found = ((is_end, each) for is_end, pattern in ways for each in pattern.finditer(text))
        return tuple((is_end, next(filter(None, each.groups())), line_of(text, each.start())) for is_end, each in found)

    def _iter_of_language(self, definition: Definition) -> Iterator[Reason]:
        is_of_module = definition.symbol.parent < 0
        strings = conventions_of(definition.file).implicit.naming_strings
        has_members = not is_of_module or self._has_members(definition.file)
        name = re.escape(definition.name)
        patterns = [
            (each, re.compile(each.pattern.replace("NAME", name), re.MULTILINE))
            for each in strings
            if has_members or each.is_linked
        ]
        for file in self._find_files(definition.name) if patterns else ():
            if conventions_of(file).implicit.naming_strings != strings:
                continue
            text = self._source.read_text(file)
            around = tuple(iter_around(text, definition.name))
            found = (
                (match, before, string)
                for string, pattern in patterns
                for start, end in around
                if not string.needs or any(text.find(each, start, end) >= 0 for each in string.needs)
                for match in pattern.finditer(text, start, end)
                if (before := string.before.search(text, max(0, match.start() - _MAX_BEFORE), match.start()))
                and string.condition.search(text)
                and not (string.is_key and not self._takes_key(before["callee"], is_of_module=is_of_module))
            )
            for each, before, string in found:
                position = text.rindex(definition.name, each.start(), each.end())
                line, column = line_and_column(text, position)
                if self._source.uses(file).get_reference(definition.name, line, column) is not None:
                    continue  # The resolver handles it, as in `T['name']`.
                if not is_of_module or self._may_be_module(file, before):
                    kind = ReasonKind.DIRECTIVE if string.is_linked else ReasonKind.STRING_LITERAL
                    yield Reason(kind, place=(file, line))
                    return

    @cached_method
    def _takes_key(self, callee: str, *, is_of_module: bool) -> bool:
        """Return whether a function's first parameter is a key of members: it reads `of[key]`, or passes the key on."""
        return not is_of_module and any(
            each.kind in FUNCTIONS and self._reads_key(each) for each in self._source.iter_named(callee)
        )

    def _reads_key(self, function: Definition) -> bool:
        lines, span = self._source.read_lines(function.file), function.symbol.span
        _, _, behind = "\n".join(lines[function.line - 1 : span.end_line]).partition(function.name)
        first = _FIRST_PARAMETER.match(behind)
        if first is None:
            return False
        key = re.escape(first[1])
        taking = re.compile(rf"[\w$)\]]\[\s*{key}\s*\]|[\w$)\]]\s*,\s*{key}\s*[,)]")
        return taking.search(behind, first.end()) is not None

    def _find_files(self, name: str) -> tuple[str, ...]:
        """Return the files that may have a name; one that is not a word, by the longest word in it."""
        word = max(_WORD.findall(name), key=len, default="")
        return tuple(sorted(self._source.count_word(word) if word else self._source.snapshot.entries))

    def _may_be_module(self, file: str, found: re.Match[str]) -> bool:
        """Return whether the object that is passed together with a string may be a module, by the text before it."""
        name = found.groupdict().get("object")
        imports = self._source.facts(file).imports
        return name is None or any(each.alias == name and each.name in _WHOLE_MODULES for each in imports)


def _is_boundary(name: str, at: int) -> bool:
    """Return whether a word ends before a position in a name: `on|Close`, `on_|close`, `on|_close`."""
    return name[at].isupper() or name[at].isdigit() or "_" in name[at - 1 : at + 1]


def iter_around(text: str, name: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of whole lines around each occurrence of a name, so that patterns search only these."""
    position, start, end = text.find(name), 0, -1
    while position >= 0:
        first = text.rfind("\n", 0, max(0, position - _MAX_BEFORE)) + 1
        if end >= 0 and first > end:
            yield start, end
        if end < 0 or first > end:
            start = first
        last = text.find("\n", position + len(name) + _MAX_BEHIND)
        end = last if last >= 0 else len(text)
        position = text.find(name, position + len(name))
    if end >= 0:
        yield start, end


def _as_pattern(text: str) -> str:
    """Convert a pattern with gaps, or a part of a name, to a regular expression for whole names."""
    if "*" not in text:
        text = f"{text}*" if text.endswith("_") else f"*{text}"
    return r"\w*".join(re.escape(part) for part in text.split("*")) + r"\Z"
