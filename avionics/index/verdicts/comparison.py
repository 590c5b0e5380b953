"""Compare two versions of the code: renamed files, new lines, removed names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, cached_property

from msgspec import Struct, field

from avionics.cancellation import check_cancelled, seconds_left
from avionics.index.changes.dependents import Dependents
from avionics.index.changes.made_names import MadeNames
from avionics.index.changes.symbol_diff import ChangedFile
from avionics.index.code_index import CodeIndex
from avionics.index.facts.stored_facts import StoredFacts
from avionics.index.model.cached_method import cached_method
from avionics.index.model.file_roles import is_declaration_file
from avionics.index.model.values import ClassType, Module, Target, Variable
from avionics.index.scopes.name_resolver import UNWRITTEN
from avionics.index.verdicts.findings import CutSearch
from avionics.index.verdicts.outside_bases import has_every_object
from avionics.index.verdicts.places import begins_path, is_in_macro, list_lines_without_match, read_conditions
from avionics.index.verdicts.same_scopes import match_symbol, qualname_of_scope, symbol_of_scope
from avionics.late_pattern import late_pattern
from avionics.model.enums import FUNCTIONS, BindingKind, ScopeKind, SymbolKind, is_class
from avionics.model.facts import Binding, Reference, Scope, iter_scopes_around
from avionics.model.knowledge import Definition
from avionics.model.mappings import group_pairs
from avionics.model.naming import as_written, called
from avionics.syntax.conventions import Visibility
from avionics.syntax.registry import conventions_of

MAX_NAMED_FILES = 1_500
"""The number of files that are searched for a name; one that more files mention is an ordinary word."""

MAX_LOST_WITH_BASES = 400
"""The maximum number of members that a class lost with a base and that are searched, nearest bases first."""


class ScopedName(Struct, frozen=True):
    """A name in a scope of a file of the version before.

    Attributes:
        holder: The qualified name of the class or function that opened the scope, "" at module level.
        name: The name.
        is_local: Whether it is a variable or parameter of a function, which only the file itself can use.
    """

    file: str
    holder: str
    name: str
    is_local: bool


class CheckedExtent(Struct):
    """How far the check of a change has come.

    Attributes:
        unchecked: The files that were not checked for lack of time.
        whole: The checked files that were parsed completely.
        cut: The names that were not searched in every file that mentions them.
    """

    unchecked: set[str] = field(default_factory=set)
    whole: set[str] = field(default_factory=set)
    cut: dict[str, CutSearch] = field(default_factory=dict)

    def add(self, other: CheckedExtent) -> None:
        """Add how far another check of the same change has come."""
        self.unchecked |= other.unchecked
        self.whole |= other.whole
        self.cut |= other.cut


_ANONYMOUS = "{}"
"""The holder of names that a class or object without a name has, at module level."""

_WORD = late_pattern(r"\w+")
_MIN_NARROWED = 64
"""The number of files with a name from which on only those that can depend on its file are searched."""

_AT_ONCE = 64
_RESERVED_SECONDS = 0.8
"""The time that the report needs after files were checked."""


class VersionPair:
    """The version before a change and the one after it, and the files that differ."""

    def __init__(self, before: CodeIndex, after: CodeIndex, files: Iterable[ChangedFile]) -> None:
        self.before = before
        self.after = after
        self.files = tuple(files)
        self._previous = {each.after: each.before for each in self.files if each.after}
        self._next = {each.before: each.after for each in self.files if each.before}
        self._builds: dict[tuple[bool, str], frozenset[str]] = {}
        self._new_words: dict[str, frozenset[str]] = {}
        self._get_system = cache(after.modules.get_system_name)
        self._dependents = Dependents(before, after, self.files)
        self.made = MadeNames(after)
        self.extent = CheckedExtent()
        if isinstance(before.source, StoredFacts):
            before.source.share_with(after.source)

    def iter_in_time(self, files: Collection[str]) -> Iterator[str]:
        """Yield the files that there is time to check, changed ones first, with uses loaded; record the others."""
        changed = self.new_lines
        ordered = sorted(files, key=lambda file: (file not in changed, file))
        for start in range(0, len(ordered), _AT_ONCE):
            if seconds_left() < _RESERVED_SECONDS:
                self.extent.unchecked.update(ordered[start:])
                return
            chunk = ordered[start : start + _AT_ONCE]
            kept = [file for file in chunk if file not in changed]
            self.after.load_facts(chunk)
            self.before.load_facts(kept)
            self.after.load_uses(chunk)
            self.before.load_uses(kept)
            for file in chunk:
                check_cancelled()
                if not self.after.facts(file).problems and not self.after.uses(file).is_partial:
                    self.extent.whole.add(file)
                yield file

    def path_before(self, file: str) -> str:
        """Return the old path of a file of the new version; "" for a new file."""
        return self._previous.get(file, file)

    def path_after(self, file: str) -> str:
        """Return the new path of a file of the old version; "" for a deleted file."""
        return self._next.get(file, file)

    def list_files_with(self, name: str, homes: Collection[str]) -> Sequence[str]:
        """Return the files that mention a name and can see one of the files `homes`; of too many, the nearest ones."""
        return self._list_naming(name, frozenset(homes))

    @cached_method
    def _list_naming(self, name: str, homes: frozenset[str]) -> Sequence[str]:
        words = {name}
        if name in UNWRITTEN and all(map(self._needs_export, homes)):
            words = {word for home in homes for word in self.before.modules.system_of(home).mentions(home)}
        systems = {self._get_system(home) for home in homes}
        named = dict.fromkeys(file for word in sorted(words) for file in self.after.files_with_word(word))
        files = [file for file in named if self._get_system(file) in systems]
        if len(files) >= _MIN_NARROWED and (dependents := self._dependents.find(homes)) is not None:
            return [file for file in files if file in dependents]
        if len(files) <= MAX_NAMED_FILES:
            return files
        self.extent.cut[name] = CutSearch(name, MAX_NAMED_FILES, len(files))
        tops = {home.rpartition("/")[0] for home in homes}
        return sorted(files, key=lambda file: (file.rpartition("/")[0] not in tops, file))[:MAX_NAMED_FILES]

    def _needs_export(self, file: str) -> bool:
        """Return whether a file has to export what others import, as a default export whose name importers choose."""
        texts = self.before.resolver.scopes.rules(file).import_texts
        return texts is not None and texts.needs_export

    @cached_property
    def readable(self) -> dict[str, bool]:
        """Return changed file → whether both of its versions were parsed completely."""
        self.before.load_uses(each.before for each in self.files if each.before)
        self.after.load_uses(each.after for each in self.files if each.after)
        return {each.after: self._was_read(each) for each in self.files if each.after}

    def _was_read(self, file: ChangedFile) -> bool:
        sides = ((self.before, file.before), (self.after, file.after))
        return not any(code.facts(path).problems or code.uses(path).is_partial for code, path in sides)

    @cached_property
    def steady(self) -> dict[str, bool]:
        """Return changed file → whether the text that could not be parsed is the same in both versions."""
        return {each.after: self._is_steady(each) for each in self.files if each.after and each.before}

    def _is_steady(self, file: ChangedFile) -> bool:
        sides, counts = ((self.before, file.before), (self.after, file.after)), []
        if not all(code.has_file(path) and not code.uses(path).is_partial for code, path in sides):
            return False
        for code, path in sides:
            lines = code.read_lines(path)
            problems = (each for each in code.facts(path).problems if each.line <= len(lines))
            counts.append(Counter((each.message, lines[each.line - 1]) for each in problems))
        return counts[0] == counts[1]

    def accounts_for(self, file: str, name: str) -> bool:
        """Return whether the definitions of a name in a file of the version after are all known.

        They are if the file was parsed completely, or if no identifier of that name is in the parts that were not. They
        are not if a macro makes the name.
        """
        facts = self.after.facts(file)
        if self.made.may_make(file, name):
            return False
        if not facts.problems:
            return not self.after.uses(file).is_partial
        if not self.steady.get(file, file not in self._previous):
            return False
        uses = self.after.uses(file)
        lines = self.after.read_lines(file) if name in uses.unread else []
        return not uses.unnamed.get(name) and all(is_in_macro(lines, line) for line, _ in uses.unread.get(name, ()))

    @cached_property
    def new_lines(self) -> dict[str, frozenset[int]]:
        """Return changed file → the lines whose text does not occur in its old version."""
        return {each.after: self._read_new_lines(each) for each in self.files if self.after.has_file(each.after)}

    def _read_new_lines(self, file: ChangedFile) -> frozenset[int]:
        known = self.before.read_lines(file.before) if file.before else ()
        return list_lines_without_match(self.after.read_lines(file.after), known)

    def list_maybe_new(self, file: str, names: Iterable[str]) -> list[str]:
        """Return those of the names that may have a reference on a new line of a changed file.

        The references of the other names need not be decoded, because no new line of Python contains the name. In other
        languages, code may refer to a name without spelling it.
        """
        if not self.after.resolver.scopes.spec(file).executed_classes:
            return list(names)
        if file not in self._new_words:
            lines = self.after.read_lines(file)
            text = " ".join(lines[number - 1] for number in self.new_lines.get(file, ()))
            self._new_words[file] = frozenset(_WORD.findall(text))
        words = self._new_words[file]
        return [name for name in names if name in words or not name.isidentifier()]

    @cached_property
    def gone(self) -> dict[str, tuple[ScopedName, ...]]:
        """Return name → scopes of changed files that bound it before the change and no longer do."""
        found: dict[str, list[ScopedName]] = {}
        for each in self.files:
            if not self.before.has_file(each.before):
                continue
            if each.after and not self.readable.get(each.after, False) and not self.steady.get(each.after, False):
                continue
            names_after = set(self._iter_bound(self.after, each.after))
            if each.after in self.undeclared:
                names_after = {(holder, name) for holder, name in names_after if not holder}
            if self._is_elsewhere(each):
                names_after = {(holder, name) for holder, name in names_after if holder}
            functions = self._function_names(self.before, each.before)
            spec = self.before.resolver.scopes.spec(each.before)
            for holder, name in dict.fromkeys(self._iter_bound(self.before, each.before)):
                if (holder, name) in names_after or (holder and has_every_object(spec, name)):
                    continue
                if not each.after or self.accounts_for(each.after, as_written(name)):
                    is_local = holder in functions
                    found.setdefault(as_written(name), []).append(ScopedName(each.before, holder, name, is_local))
        return {name: tuple(places) for name, places in found.items()}

    def _is_elsewhere(self, file: ChangedFile) -> bool:
        """Return whether a file declares that its definitions are in another package than before."""
        was, now = self.before.facts(file.before).package, self.after.facts(file.after).package
        return bool(was and now) and was != now

    @cached_property
    def undeclared(self) -> frozenset[str]:
        """Return the moved files that no module declares any more, as `mod name;` does; they are not compiled."""
        return frozenset(
            each.after
            for each in self.files
            if each.before and each.after and each.before != each.after and self.after.has_file(each.after)
            if self.before.graph.edges.is_declared(each.before) and not self.after.graph.edges.is_declared(each.after)
            if not self.after.modules.system_of(each.after).is_root(each.after)
        )

    @cached_property
    def narrowed(self) -> dict[str, dict[Definition, tuple[Visibility, Definition]]]:
        """Return name → definition that was visible everywhere before the change → its visibility, its old definition.

        Qualified names with another number of definitions than before are left out.
        """
        found: dict[str, dict[Definition, tuple[Visibility, Definition]]] = {}
        for each in self.files:
            rule = conventions_of(each.after).get_visibility if each.before and self.readable.get(each.after) else None
            is_typed = rule is not None and self.after.resolver.scopes.rules(each.after).calls is not None
            if rule is None or not is_typed or is_declaration_file(each.after):
                continue  # A declaration file exports everything that it declares, without `export`.
            before, after = _list_by_name(self.before, each.before), _list_by_name(self.after, each.after)
            for qualname, now in after.items():
                was = before.get(qualname, [])
                for old, new in zip(was, now, strict=True) if len(was) == len(now) else ():
                    visibility = rule(new.symbol) if rule(old.symbol) is None else None
                    if visibility is not None and _is_of_exported(self.before, old) == _is_of_exported(self.after, new):
                        found.setdefault(new.name, {})[new] = visibility, old
        return found

    def is_narrowed_for(self, definition: Definition, file: str, scope: int) -> bool:
        """Return whether a scope no longer sees a definition that was visible everywhere before the change."""
        visibility, _ = self.narrowed.get(definition.name, {}).get(definition, (None, None))
        if visibility is None or file == definition.file:
            return False
        code, home = self.after, definition.file
        if visibility is Visibility.PACKAGE:
            return code.facts(file).package != code.facts(home).package
        if visibility is Visibility.MODULE:
            return not f"{code.dotted_name(file)}.".startswith(f"{code.dotted_name(home)}.")
        members, scopes = code.resolver.inference.members, code.uses(file).scopes
        if visibility is Visibility.CLASS:
            classes = (index for index in iter_scopes_around(scopes, scope) if scopes[index].kind is ScopeKind.CLASS)
            around = (of for index in classes if (of := members.class_at(file, index)) is not None)
            return not any(members.is_subclass(of, ClassType(home, definition.symbol.parent)) for of in around)
        return True

    def get_narrowed(self, file: str, scope: int, targets: Iterable[Target]) -> Definition | None:
        """Return the old definition of the first target if a scope no longer sees any definition of the targets."""
        found: list[Definition] = []
        for each in targets:
            found += self.after.graph.find_all_definitions(each) if isinstance(each, Variable) else ()
            if not found or not all(self.is_narrowed_for(one, file, scope) for one in found):
                return None
        return self.narrowed[found[0].name][found[0]][1] if found else None

    def hides(self, name: str, module: str, file: str, targets: Iterable[Target]) -> bool:
        """Return whether a file imports a name that the module's own file no longer shows to it."""
        lost = self.get_narrowed(file, 0, targets) if name in self.narrowed else None
        return lost is not None and self.is_named_from(lost, module)

    def is_named_from(self, lost: Definition, module: str) -> bool:
        """Return whether a use of a lost definition through a module is broken itself.

        It is not if the module imports the definition from another file: that import is reported instead.
        """
        is_own = module in {"", self.path_after(lost.file)}
        bound = self.after.uses(module).bindings.get(lost.name, ()) if self.after.has_file(module) else ()
        return is_own or not any(each.scope == 0 for each in bound)

    @cached_property
    def has_changed_bases(self) -> bool:
        """Return whether the bases of a class in a changed file differ from before."""
        for each in self.files:
            before, after = self._bases_of(self.before, each.before), self._bases_of(self.after, each.after)
            if any(after[name] != before[name] for name in before.keys() & after.keys()):
                return True
        return False

    def _bases_of(self, code: CodeIndex, file: str) -> dict[str, tuple[str, ...]]:
        """Return qualified name of a class in a file → the bases of all its parts."""
        symbols = code.facts(file).symbols
        found: dict[str, tuple[str, ...]] = {}
        for each in symbols:
            if is_class(each.kind):
                found[each.qualname] = (*found.get(each.qualname, ()), *each.bases)
        return found

    @cached_property
    def read_files(self) -> tuple[ChangedFile, ...]:
        """The changed files that still exist and of which both versions were parsed completely."""
        return tuple(each for each in self.files if self.readable.get(each.after) and self.after.has_file(each.after))

    @cached_property
    def lost_with_bases(self) -> dict[str, set[str]]:
        """Return name of a member that a class inherited from a base it lost → the old files of such classes."""
        found: dict[str, set[str]] = {}
        for each in self.read_files if self.has_changed_bases else ():
            before, after = self._bases_of(self.before, each.before), self._bases_of(self.after, each.after)
            for now in self.after.iter_definitions(each.after):
                name = now.symbol.qualname
                if name in before and after.get(name, before[name]) != before[name]:
                    for lost in self._list_lost_with_bases(ClassType.of(now)):
                        found.setdefault(lost, set()).add(each.before)
        return found

    def _list_lost_with_bases(self, now: ClassType) -> list[str]:
        """Return the names of the members that a class inherited from removed bases and does not have itself."""
        was = self.class_before(now)
        if was is None:
            return []
        had, has = self.before.resolver.inference.members, self.after.resolver.inference.members
        left = {self._name_class(self.after, each) for each in has.lineage(now).classes}
        names: list[str] = []
        for base in had.lineage(was).classes[1:]:
            file, qualname = self._name_class(self.before, base)
            symbols = self.before.facts(base.file).symbols if qualname else ()
            if (self.path_after(file), qualname) not in left:
                names.extend(each.name for each in symbols if each.parent == base.symbol)
        modules = has.lineage(now).modules
        for module in had.lineage(was).modules:
            if module not in modules and self.before.has_file(module.file):
                names.extend(each.name for each in self.before.facts(module.file).symbols if each.parent < 0)
        lost = (name for name in dict.fromkeys(names) if not (has.find(now, name) or has.find(now, called(name))))
        return list(lost)[:MAX_LOST_WITH_BASES]

    def _name_class(self, code: CodeIndex, of: ClassType) -> tuple[str, str]:
        """Return the file and the qualified name of a class; "" for the name if it is outside or has none."""
        symbol = code.resolver.scopes.get_class_symbol(of) if code.has_file(of.file) else None
        return of.file, symbol.qualname if symbol is not None else ""

    def _function_names(self, code: CodeIndex, file: str) -> frozenset[str]:
        """Return the qualified names of the functions and properties of a file."""
        kinds = FUNCTIONS | {SymbolKind.PROPERTY}
        return frozenset(each.qualname for each in code.facts(file).symbols if each.kind in kinds)

    def _iter_bound(self, code: CodeIndex, file: str) -> Iterator[tuple[str, str]]:
        """Yield the names that a file binds, each with the qualified name of its container."""
        if not code.has_file(file):
            return
        holders: dict[int, str] = {}
        uses = code.uses(file)
        for name, bindings in uses.bindings.items():
            for binding in bindings if name != "*" else ():
                if binding.kind is BindingKind.TYPE_PARAMETER or is_only_assigned(code, file, binding):
                    continue
                holder = holders.get(binding.scope)
                if holder is None:
                    holder = self.holder_of(code, file, binding)
                    if not _is_nameless_class(uses.scopes[binding.scope]):
                        holders[binding.scope] = holder
                yield holder, name

    def holder_of(self, code: CodeIndex, file: str, binding: Binding) -> str:
        """Return the qualified name of a binding's container: a class, a function, or "" for the module."""
        if _is_nameless_class(code.uses(file).scopes[binding.scope]):
            owner = code.resolver.inference.members.class_at(file, binding.scope)
            symbol = code.resolver.scopes.get_class_symbol(owner)
            if symbol is not None:
                return symbol.qualname
            symbols = code.facts(file).symbols
            parent = symbols[binding.symbol].parent if binding.symbol >= 0 else -1
            if parent >= 0 and code.resolver.scopes.spec(file).own_fields:
                return symbols[parent].qualname  # A variant has fields but is no class of its own.
            # A member of an object literal is no name of the module.
            return qualname_of_scope(code, file, binding.scope) or _ANONYMOUS
        return qualname_of_scope(code, file, binding.scope)

    def scope_before(self, file: str, scope: int) -> tuple[str, int]:
        """Return the old file and scope of a scope of the new version; ("", -1) if it is new."""
        previous = self.path_before(file)
        if not self.before.has_file(previous):
            return "", -1
        if previous == file and file not in self._previous:
            return file, scope
        now, was = self.after.facts(file).symbols, self.before.facts(previous).symbols
        index = symbol_of_scope(self.after, file, scope)
        holder = now[index].qualname if index >= 0 else ""
        while holder:
            old_index = match_symbol(now, index, was, holder)
            found = self.before.resolver.scopes.class_scope(previous, old_index) if old_index >= 0 else -1
            if found >= 0:
                return previous, found
            holder, index = holder.rpartition(".")[0], -1
        return previous, 0

    def may_have_meant(self, file: str, reference: Reference, homes: Collection[str]) -> bool | None:
        """Return whether an unchanged file's reference resolved to one of the files before; None if unresolved.

        True if the version before cannot tell. This is fast, because that version keeps its resolutions while the other
        one is edited.
        """
        if file in self.new_lines or self.has_changed_bases or not self.before.has_file(file):
            return True
        targets = self.before.resolver.resolve(file, reference).targets
        if not targets:
            return None
        return any(not isinstance(each, Variable) or each.file in homes for each in targets)

    def may_be_of_system(self, place: tuple[str, int, int], former: Sequence[Definition]) -> bool:
        """Return whether all former definitions of a name were under conditions (`#if`) that do not hold for its use.

        A header of another system may then declare it. A prototype that the file saw counts as a definition.
        """
        file, line, _ = place
        used = read_conditions(self.after, file, line)
        prototypes = [lost for each in former for lost in self.iter_lost_declarations(each) if self._saw(file, lost)]
        defined = [read_conditions(self.before, each.file, each.line) for each in (*former, *prototypes)]
        return bool(former) and not any(each <= used for each in defined)

    def may_be_package(self, place: tuple[str, int, int], name: str, was: Iterable[Target]) -> bool:
        """Return whether a name of Rust begins a path and meant modules that still exist: a crate may have the name."""
        files = [self.path_after(each.file) for each in was if isinstance(each, Module)]
        is_there = bool(files) and all(map(self.after.has_file, files))
        is_imported = name in self.after.uses(place[0]).bindings or name in self.before.uses(place[0]).bindings
        return is_there and not is_imported and begins_path(self.after, place, name)

    def _saw(self, file: str, declaration: Definition) -> bool:
        """Return whether a file saw the file of a declaration before the change."""
        modules, previous = self.before.modules, self.path_before(file)
        return any(declaration.file in modules.files_of(each, declaration.name) for each in modules.ambient(previous))

    def iter_lost_declarations(self, was: Definition) -> Iterator[Definition]:
        """Yield the prototypes of an old definition that the change removed."""
        is_linked = bool(self.before.resolver.scopes.spec(was.file).linkage)
        for file in sorted({each.file for each in self.gone.get(was.name, ())} if is_linked else ()):
            yield from self.before.find_qualified(file, was.symbol.qualname)

    def get_lost_in_build(self, file: str, reference: Reference, targets: Iterable[Target]) -> Variable | None:
        """Return the former target of an unchanged file's reference in a build without a definition of it now, or None.

        `targets` are its targets now, in other builds.
        """
        gone = {each.file for each in self.gone.get(as_written(reference.name), ())}
        if not gone or file in self.new_lines or not self.before.has_file(file):
            return None
        if conventions_of(file).list_builds is None:
            return None
        had = [each for each in self.before.resolver.resolve(file, reference).targets if isinstance(each, Variable)]
        left = [each.file for each in targets if isinstance(each, Variable)]
        builds = self.list_builds(file) - self._list_builds_of(self.after, left)
        lost = (each for each in had if each.file in gone and builds & self._list_builds_of(self.before, [each.file]))
        return next(lost, None) if left else None

    def list_builds(self, file: str) -> frozenset[str]:
        """Return the usual builds that compile a file of the new version; none if its language has no such builds."""
        return self._list_builds_of(self.after, [file])

    def _list_builds_of(self, code: CodeIndex, files: Iterable[str]) -> frozenset[str]:
        found: set[str] = set()
        for file in files:
            key, rule = (code is self.after, file), conventions_of(file).list_builds
            if key not in self._builds:
                self._builds[key] = rule(file, code.read_text(file)) if rule is not None else frozenset()
            found |= self._builds[key]
        return frozenset(found)

    def class_before(self, of: ClassType) -> ClassType | None:
        """Return the old class, or namespace, with the same file and qualified name as a new one, or None."""
        symbol = self.after.resolver.scopes.get_class_symbol(of)
        previous = self.path_before(of.file)
        if symbol is None or not self.before.has_file(previous):
            return None
        alike = {SymbolKind.TYPE, *({symbol.kind} & {SymbolKind.MODULE})}
        found = [
            (each.kind is not symbol.kind, each.index)
            for each in self.before.find_qualified(previous, symbol.qualname)
            if is_class(each.kind) or each.kind in alike
        ]
        return ClassType(previous, min(found)[1]) if found else None

    def class_after(self, was: ClassType) -> ClassType | None:
        """Return the new version of an old class: the first definition of its qualified name, or None."""
        symbol, file = self.before.resolver.scopes.get_class_symbol(was), self.path_after(was.file)
        is_there = symbol is not None and self.after.has_file(file)
        found = self.after.find_qualified(file, symbol.qualname) if symbol is not None and is_there else ()
        return ClassType(file, found[0].index) if found else None


def _is_nameless_class(scope: Scope) -> bool:
    """Return whether a scope is that of a class, or of an object literal, without a name of its own."""
    return scope.kind is ScopeKind.CLASS and scope.symbol < 0


def is_only_assigned(code: CodeIndex, file: str, binding: Binding) -> bool:
    """Return whether a binding is an assignment to a member in a language whose classes declare their members."""
    if binding.kind is not BindingKind.MEMBER or code.uses(file).scopes[binding.scope].kind is not ScopeKind.CLASS:
        return False
    rules = code.resolver.scopes.rules(file)
    return rules.separate_types and rules.calls is not None


def find_declared_elsewhere(code: CodeIndex, definition: Definition) -> tuple[Definition, ...]:
    """Return the other declarations of a function: its prototype, in languages that have them."""
    scopes = code.resolver.scopes
    if not scopes.spec(definition.file).linkage:
        return ()
    files = scopes.modules.counterparts(definition.file, definition.name)
    named = (each for file in files for each in code.find_qualified(file, definition.symbol.qualname))
    return tuple(each for each in named if each.kind in FUNCTIONS)


def _list_by_name(code: CodeIndex, file: str) -> dict[str, list[Definition]]:
    """Return qualified name → definitions of a file."""
    return group_pairs((each.symbol.qualname, each) for each in code.iter_definitions(file))


def _is_of_exported(code: CodeIndex, definition: Definition) -> bool:
    """Return whether the container of a definition is exported; module level counts as exported."""
    holder = code.get_parent(definition)
    return holder is None or holder.symbol.exported
