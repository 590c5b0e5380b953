"""Find the classes that libraries may load by package, directory, manifest or base, without code that names them.

A base class or metaclass of the workspace may register them as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.model.values import BUILTIN, ClassType
from avionics.index.references.implicit.class_bodies import get_metaclass
from avionics.index.scopes.name_resolver import NameResolver
from avionics.index.types.member_lookup import Members
from avionics.late_pattern import NEVER, late_pattern
from avionics.model.enums import SymbolKind, is_class
from avionics.model.facts import FileFacts, Symbol, line_of
from avionics.model.knowledge import Definition
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.conventions import ClassFinders
from avionics.syntax.registry import conventions_of

_READING_CALL = late_pattern(r"\b(?:[gG]etLogger|\w+With|equals|contains|\w*[iI]ndexOf)\([^()\"\n]*\Z")
"""The start of a call that only compares a string, or takes it as the name of a logger."""
_MAX_BEFORE = 120
_PRIVATE = late_pattern(r"(?:\w+ )*private\b")
_MODULES = frozenset({SymbolKind.MODULE, SymbolKind.INTERFACE})
_ACCESSOR = late_pattern(r"(?:[gs]et|is)[A-Z]\w*")
"""The name of a method that reads or sets a property."""
_CONFIGURATION = late_pattern(r"\.(?:cfg|conf|ini|json|properties|toml|xml|ya?ml)\Z")
_SEPARATOR = r"(?:\.|/|\\{1,2})"
"""The separator of a package's parts in a string."""


class _BuiltName(Struct, frozen=True):
    """A string to which code appends the rest of a class's name or path.

    Attributes:
        place: The place of the string.
        space: The beginning of a namespace, with dots, or "".
        directory: The last directory in the beginning of a path, or "".
        is_calling: Whether its file also calls members with computed names.
    """

    place: tuple[str, int]
    space: str = ""
    directory: str = ""
    is_calling: bool = False


class FoundClasses:
    """Finds the ways in which libraries may find a class that no code names."""

    def __init__(self, scopes: NameResolver, members: Members) -> None:
        self._scopes = scopes
        self._members = members
        self._source = scopes.source
        self._finders: dict[tuple[str, str], str] = {}
        self._built: dict[ClassFinders, tuple[_BuiltName, ...]] = {}

    def iter_reasons(self, definition: Definition) -> Iterator[Reason]:
        """Yield the reasons why a library may discover the class that a definition is, constructs or belongs to."""
        yield from self._iter_of_named_package(definition)
        yield from self._iter_of_built_name(definition)
        yield from self._iter_of_library(definition)
        yield from self._iter_of_base(definition)
        yield from self._iter_of_hook(definition)
        yield from self._iter_of_described(definition)

    def _iter_of_hook(self, definition: Definition) -> Iterator[Reason]:
        """Yield the first member of a base class that receives a class when it is defined, or else its metaclass."""
        if not is_class(definition.kind):
            return
        _, *bases = lineage = self._members.lineage(ClassType.of(definition)).classes
        hooks = conventions_of(definition.file).implicit.class_hooks
        receiving = (
            f"{symbol.qualname}.{hook}"
            for of in bases
            if (symbol := self._scopes.get_class_symbol(of)) is not None
            for hook in hooks
            if self._members.own_member(of, hook) is not None
        )
        if name := next(receiving, "") or get_metaclass(lineage, self._scopes):
            yield Reason(ReasonKind.RECEIVED_BY_HOOK, subject=name)

    def _iter_of_described(self, definition: Definition) -> Iterator[Reason]:
        """Yield the first configuration file with the full name of an accessor's class; its reader may call it."""
        facts, holder = self._source.facts(definition.file), self._source.get_parent(definition)
        if holder is None or "." not in facts.package or not _ACCESSOR.fullmatch(definition.name):
            return
        if not definition.symbol.exported or not is_class(holder.kind):
            return
        name = re.escape(f"{facts.package}.{holder.symbol.qualname}").replace(r"\.", "[.$]")
        written = re.compile(rf"\b{name}\b")
        for file in sorted(self._source.count_word(holder.name)):
            text = self._source.read_text(file) if _CONFIGURATION.search(file) is not None else ""
            if (found := written.search(text)) is not None:
                yield Reason(ReasonKind.UNREAD_LANGUAGE, place=(file, line_of(text, found.start())))
                return

    def _iter_of_named_package(self, definition: Definition) -> Iterator[Reason]:
        """Yield a reason for the first string with the package of a class, or with the start of its full name.

        Code may load the class by such a string (`"a.b.C" + name`) and call its constructor.
        """
        facts = self._source.facts(definition.file)
        of, around = definition.symbol, facts.get_parent(definition.symbol)
        if around is not None and around.name == of.name:
            of = around
        if of.parent >= 0 or not is_class(of.kind) or "." not in facts.package:
            return
        own, package = self._scopes.spec(definition.file), facts.package.split(".")
        written = re.compile(rf"""["']{_SEPARATOR.join(package)}(?:{_SEPARATOR}(\w*))?["'{{$]""")
        for file in sorted(self._source.files_with_word(package[-1])):
            if self._scopes.spec(file).module_system != own.module_system or role_of(file) is not FileRole.PRODUCT:
                continue
            text = self._source.read_text(file)
            for found in written.finditer(text):
                start = found[1] or ""
                is_read = _READING_CALL.search(text, max(0, found.start() - _MAX_BEFORE), found.start())
                if of.name.startswith(start) and of.name != start and is_read is None:
                    yield Reason(ReasonKind.STRING_LITERAL, place=(file, line_of(text, found.start())))
                    return

    def _iter_of_built_name(self, definition: Definition) -> Iterator[Reason]:
        """Yield the first string to which code appends the rest of a class's name, or of the path of its file.

        Code that also calls members with computed names may call those of a class that it finds by a path.
        """
        facts, finders = self._source.facts(definition.file), conventions_of(definition.file).implicit.class_finders
        if finders is None or (finders.spaces is NEVER and finders.directories is NEVER):
            return
        if finders not in self._built:
            self._built[finders] = tuple(self._iter_built(finders))
        is_type, path = is_class(definition.kind), f"/{definition.file}"
        for each in self._built[finders]:
            is_of_space = is_type and each.space and f"{facts.package}.".startswith(f"{each.space}.")
            may_call = is_type or (each.is_calling and definition.symbol.exported and definition.symbol.parent >= 0)
            if is_of_space or (may_call and each.directory and f"/{each.directory}/" in path):
                yield Reason(ReasonKind.BUILT_NAME, place=each.place)
                return

    def _iter_built(self, finders: ClassFinders) -> Iterator[_BuiltName]:
        """Yield the beginnings of namespaces and paths in the strings of the product."""
        for file in self._source.files:
            if conventions_of(file).implicit.class_finders != finders or role_of(file) is not FileRole.PRODUCT:
                continue
            text = self._source.read_text(file)
            for found in finders.spaces.finditer(text):
                space = ".".join(filter(None, found["space"].split("\\")))
                yield _BuiltName((file, line_of(text, found.start())), space=space)
            is_making = finders.making.search(text) is not None
            for found in finders.directories.finditer(text) if is_making else ():
                is_calling = finders.calling.search(text) is not None
                place = file, line_of(text, found.start())
                yield _BuiltName(place, directory=found["directory"], is_calling=is_calling)

    def _iter_of_library(self, definition: Definition) -> Iterator[Reason]:
        """Yield the required library that finds the class of a definition without its name, and calls its members.

        Members do not count if other files name their class.
        """
        finders = conventions_of(definition.file).implicit.class_finders
        facts = self._source.facts(definition.file)
        of: Symbol | None = definition.symbol
        while of is not None and not _is_outermost(of, facts):
            if _PRIVATE.match(of.signature):
                return
            of = facts.get_parent(of)
        if finders is None or of is None or (finders.need_base and not of.bases):
            return
        library = self._get_finder(definition.file)
        if library and (of == definition.symbol or not self._is_named(of.name, definition.file)):
            yield Reason(ReasonKind.FOUND_BY_LIBRARY, subject=library)

    def _iter_of_base(self, definition: Definition) -> Iterator[Reason]:
        """Yield the outside base of a class whose library may look for subclasses."""
        if not is_class(definition.kind):
            return
        lineage = self._members.lineage(ClassType.of(definition))
        finding = conventions_of(definition.file).implicit.finding_bases
        bases = (each.removeprefix(BUILTIN) for each in lineage.externals)
        base = next((each for each in bases if finding.fullmatch(each)), "")
        if base:
            yield Reason(ReasonKind.FOUND_BY_BASE, subject=base)

    def _is_named(self, name: str, home: str) -> bool:
        """Return whether code in another file than `home` refers to a name."""
        files = (each for each in self._source.files_with_word(name) if each != home)
        return any(name in self._source.uses(each).references for each in files)

    def _get_finder(self, file: str) -> str:
        """Return the library that the manifest above a file requires and that finds classes by itself, or ""."""
        finders, directory = conventions_of(file).implicit.class_finders, file.rpartition("/")[0]
        if finders is None:
            return ""
        key = directory, finders.manifest.pattern
        if key not in self._finders:
            homes = {path: path.rpartition("/")[0] for path in self._source.paths if finders.manifest.search(path)}
            above = (path for path, home in homes.items() if not home or f"{directory}/".startswith(f"{home}/"))
            found = (finders.libraries.search(self._source.read_text(path)) for path in above)
            self._finders[key] = next((match[0] for match in found if match is not None), "")
        return self._finders[key]


def _is_outermost(of: Symbol, facts: FileFacts) -> bool:
    """Return whether a symbol is a class at the top level or in modules."""
    holder = facts.get_parent(of)
    return is_class(of.kind) and (holder is None or holder.kind in _MODULES)
