"""Relations between classes: subclasses, bases, and the members that override each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from avionics.cancellation import has_time
from avionics.index.facts.fact_source import FactSource
from avionics.index.model.file_roles import role_and_place
from avionics.index.model.values import ClassType, Variable
from avionics.index.references.reference_resolver import Resolver
from avionics.index.types.calls.overloads import get_alike
from avionics.index.types.member_lookup import Mro
from avionics.index.types.structural_typing import Interfaces
from avionics.model.enums import BindingKind, ReferenceKind, SymbolKind, is_class
from avionics.model.knowledge import Definition, Usage
from avionics.model.naming import fold_name
from avionics.syntax.registry import conventions_of, get_language


class ClassHierarchy:
    """What the classes of one snapshot inherit; `iter_named` yields the proven usages of a definition's name."""

    def __init__(
        self,
        source: FactSource,
        resolver: Resolver,
        interfaces: Interfaces,
        iter_named: Callable[[Definition, Sequence[ReferenceKind]], Iterator[Usage]],
        get_definition: Callable[[Variable], Definition | None],
    ) -> None:
        self._source = source
        self._scopes = resolver.scopes
        self._inference = resolver.inference
        self._interfaces = interfaces
        self._iter_named = iter_named
        self._get_definition = get_definition

    def subclasses(self, definition: Definition) -> tuple[Definition, ...]:
        """Return the classes that inherit from the class directly."""
        if not is_class(definition.kind):
            return ()
        wanted = (definition.file, definition.index)
        named = self._iter_named(definition, (ReferenceKind.INHERIT, ReferenceKind.DECORATE))
        found = self.inheriting(sorted(named, key=lambda each: (each.file, each.line)))
        return tuple(child for child in found if (child.file, child.index) != wanted)

    def inheriting(self, usages: Iterable[Usage]) -> tuple[Definition, ...]:
        """Return the classes whose headers contain the usages, or for which Rust derives the trait."""
        roles = {ReferenceKind.INHERIT: self._class_at, ReferenceKind.DECORATE: self._get_derived}
        found = (roles[each.role](each.file, each.line) for each in usages if each.role in roles)
        return tuple(dict.fromkeys(each for each in found if each is not None))

    def _get_derived(self, file: str, line: int) -> Definition | None:
        """Return the type below a line with `#[derive(Trait)]`, for which Rust derives the trait."""
        if not self._scopes.spec(file).implementations_are_uses:
            return None
        classes = (each for each in self._source.iter_definitions(file) if each.line >= line and is_class(each.kind))
        return min(classes, key=lambda each: each.line, default=None)

    def descendants(self, definition: Definition) -> tuple[Definition, ...]:
        """Return the direct and indirect subclasses of a class that are found in time."""
        found: dict[Definition, None] = {}
        pending = [definition]
        while pending and has_time():
            for child in self.subclasses(pending.pop(0)):
                if child not in found:
                    found[child] = None
                    pending.append(child)
        return tuple(found)

    def members(self, owner: Definition) -> tuple[Definition, ...]:
        """Return the members in all declarations of a class, those in its own file first, in order.

        Some may be declared in another part of the class, or outside of it.
        """
        of = self._scopes.canonical(ClassType.of(owner))
        start, language = f"{owner.symbol.qualname}.", get_language(owner.file)
        files = [file for file in self._source.files_with_word(owner.name) if get_language(file) == language]
        self._source.load_facts(files)
        found = []
        for file in sorted(files, key=lambda file: (file != owner.file, file)):
            for member in self._source.iter_definitions(file):
                qualname = member.symbol.qualname
                if qualname.startswith(start) and "." not in qualname[len(start) :]:
                    is_inside = file == owner.file and member.symbol.parent == owner.index
                    if is_inside or self._inference.members.class_of(member) == of:
                        found.append(member)
        return tuple(found)

    def bases(self, definition: Definition) -> tuple[Definition, ...]:
        """Return the classes of the workspace that a class names as its bases."""
        members = self._inference.members
        found = members.bases(ClassType.of(definition))
        classes = [each for each in found if isinstance(each, ClassType) and self._source.has_file(each.file)]
        definitions = map(self._scopes.get_class_definition, classes)
        return tuple(dict.fromkeys(each for each in definitions if each is not None))

    def ancestors(self, definition: Definition) -> tuple[tuple[Definition, ...], Mro]:
        """Return the classes of the workspace that a class inherits from, nearest first, and its whole MRO."""
        lineage = self._inference.members.lineage(ClassType.of(definition))
        own = (each for each in lineage.classes if self._source.has_file(each.file))
        above = map(self._scopes.get_class_definition, own)
        return tuple(each for each in above if each is not None and each != definition), lineage

    def overrides(self, definition: Definition, among: Sequence[Definition] | None = None) -> tuple[Definition, ...]:
        """Return the members of descendants that override a member, product code first; only some of them if given.

        The search starts from the members: a class may have thousands of descendants, a name has few definitions.
        """
        own = self._inference.members.class_of(definition)
        if own is None:
            return ()
        name, members = definition.symbol.name, self._inference.members
        sought = {variable.name for variable in self._scopes.iter_declared(definition)}
        found: dict[ClassType, Definition] = {}
        self._source.load_facts(self._source.files_defining(fold_name(name)))
        for each in self._source.iter_named(name) if among is None else among:
            owner = members.class_of(each)
            if owner is None or owner == own or not members.is_subclass(owner, own):
                continue
            if any(variable.name in sought for variable in self._scopes.iter_declared(each)):
                found.setdefault(owner, each)
        every = dict.fromkeys((*found.values(), *self._interfaces.implementations(definition)))
        return tuple(sorted(every, key=role_and_place))

    def overridden(self, definition: Definition) -> Definition | None:
        """Return the inherited or interface member that a member, no constructor, overrides or implements; or None."""
        own = self._inference.members.class_of(definition)
        variable = self._scopes.get_declared(definition)
        if own is None or variable is None or self._is_constructor(definition, own):
            return None
        found = self._inference.members.find(own, variable.name, skip_own=True)
        if found is None:
            return self._interfaces.get_implemented(definition)
        above = self._scopes.list_definitions(found.variable) if self._scopes.spec(definition.file).overloads else ()
        return get_alike(self._inference.overloads, definition, above) or self._get_definition(found.variable)

    def _is_constructor(self, member: Definition, of: ClassType) -> bool:
        holder = self._scopes.get_class_symbol(of)
        names = conventions_of(member.file).implicit.constructors
        return member.kind is SymbolKind.METHOD and member.name in {holder.name if holder is not None else "", *names}

    def _class_at(self, file: str, line: int) -> Definition | None:
        """Return the class whose header contains the line, or the one to which an `impl` there adds members."""
        classes = (each for each in self._source.iter_definitions(file) if is_class(each.kind))
        there = [each for each in classes if each.symbol.span.contains(line)]
        if there:
            return max(there, key=lambda each: each.symbol.span.start_line)
        return self._inference.members.added_to(file, line)

    def get_origin(self, variable: Variable) -> Variable:
        """Return the ancestor's member where methods only assign it (`self.x = …`), else the variable."""
        if any(binding.kind is not BindingKind.MEMBER for binding in self._scopes.bindings(variable)):
            return variable
        members = self._inference.members
        holder = members.class_declaring(variable)
        found = members.find(holder, variable.name) if holder is not None else None
        return found.variable if found is not None else variable
