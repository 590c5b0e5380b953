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
from avionics.model.facts import UNKNOWN
from avionics.model.knowledge import Definition, Usage
from avionics.model.naming import fold_name
from avionics.model.reasons import Reason, ReasonKind
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
        found = self._inference.members.get_overridden(own, variable)
        if found is None:
            return self._interfaces.get_implemented(definition)
        above = self._scopes.list_definitions(found.variable) if self._scopes.spec(definition.file).overloads else ()
        return get_alike(self._inference.overloads, definition, above) or self._get_definition(found.variable)

    def iter_combined(self, definition: Definition) -> Iterator[Reason]:
        """Yield another class with a member of the name, if a class has both and so calls one for the other."""
        members, name = self._inference.members, definition.name
        if is_class(definition.kind):
            yield from self._iter_reopened(definition)
        own, constants = members.class_of(definition), self._scopes.spec(definition.file).outer_members
        of = self._scopes.get_class_definition(own)
        if own is None or of is None or (constants is not None and constants.match(name)):
            return
        mine = members.lineage(own).classes
        owners = ((each, members.class_of(each)) for each in self._source.iter_named(name))
        others = {owner: each for each, owner in owners if owner is not None and owner not in mine}
        is_module = of.kind is SymbolKind.INTERFACE
        modules = [each for each in others if self._is_module(each)]
        if not (others if is_module else modules):
            return
        below = self.descendants(of)
        for each in below if is_module else ():
            beside = members.lineage(ClassType.of(each)).classes
            for joined in (other for other in others if other in beside and not members.is_subclass(other, own)):
                yield _combine(each, others[joined])
        hooked = next((each for each in (of, *below) if self._is_hooked(each)), None)
        if hooked is not None or (is_module and self._is_mixed_in(of)):
            yield _combine(hooked or of, next(iter(others.values())) if is_module else others[modules[0]])

    def _iter_reopened(self, of: Definition) -> Iterator[Reason]:
        """Yield a further declaration of a class, by a path such as `class Outer::Name`, that has another name here."""
        path = self._get_full_path(of)
        for each in self._source.iter_named(of.name):
            if each.symbol.qualname != of.symbol.qualname and is_class(each.kind) and self._get_full_path(each) == path:
                yield _combine(each, of)

    def _get_full_path(self, of: Definition) -> str:
        """Return the path of a class, below the class to which its declaration adds it."""
        declared = self._scopes.get_declared(of)
        added = declared is not None and self._source.uses(of.file).scopes[declared.scope].of != UNKNOWN
        owner = self._inference.members.class_declaring(declared) if declared is not None and added else None
        holder = self._scopes.get_class_symbol(owner)
        return f"{holder.qualname}.{of.name}" if holder is not None else of.symbol.qualname

    def _is_module(self, of: ClassType) -> bool:
        symbol = self._scopes.get_class_symbol(of)
        return symbol is not None and symbol.kind is SymbolKind.INTERFACE

    def _is_hooked(self, of: Definition) -> bool:
        """Return whether what a class inherits from receives the class, to which it may add modules."""
        members, hooks = self._inference.members, conventions_of(of.file).implicit.class_hooks
        lineage = members.lineage(ClassType.of(of)).classes[1:]
        return any(members.own_member(each, hook) is not None for each in lineage for hook in hooks)

    def _is_mixed_in(self, of: Definition) -> bool:
        """Return whether code adds a module to a class or an object while it runs: `object.extend(Module)`.

        Files that are not read may do so.
        """
        words, unread = conventions_of(of.file).implicit.mixins, conventions_of(of.file).files.unread_code
        for file in self._source.files_with_word(of.name):
            if unread.search(file):
                return True
            for each in self._source.uses(file).references.get(of.name, ()):
                line = self._source.read_line(file, each.line)[: each.column]
                if each.kind is ReferenceKind.READ and any(word in line for word in words):
                    return True
        return False

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


def _combine(of: Definition, other: Definition) -> Reason:
    """Return the reason that a class has a member of that name and another one."""
    place, detail = (of.file, of.line), other.symbol.qualname
    return Reason(ReasonKind.SUBCLASS_COMBINES, place=place, subject=of.symbol.qualname, detail=detail)
