"""Find names that a change leaves unresolved: imports, bare names and members without a definition.

A name is reported if it resolved to a definition of the workspace before the change and is unresolved after it, and if
nothing outside the workspace can provide it. Names on new lines are also reported if they never resolved and the
language allows no other place for a definition.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property

from msgspec import structs

from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.cached_method import cached_method
from avionics.index.model.file_roles import FileRole, is_declaration_file, role_of
from avionics.index.model.values import External, Module, Target, Type, Types, UnknownType, Variable
from avionics.index.verdicts.comparison import ScopedName, VersionPair
from avionics.index.verdicts.findings import Proof, Rule
from avionics.index.verdicts.names.broken_name import BrokenName
from avionics.index.verdicts.names.closed_modules import ClosedModules
from avionics.index.verdicts.names.derived_members import is_standard_decorator
from avionics.index.verdicts.names.import_lists import are_listed_together, words_of
from avionics.index.verdicts.names.lost_meanings import LostMeanings
from avionics.index.verdicts.names.lost_members import LostMembers
from avionics.index.verdicts.names.macro_texts import MacroArguments
from avionics.index.verdicts.names.noted_names import NotedNames
from avionics.index.verdicts.names.unseen_names import UnseenNames
from avionics.index.verdicts.notes import is_defined
from avionics.index.verdicts.outside_bases import may_inherit
from avionics.index.verdicts.places import begins_path, is_in_angles, is_open_key
from avionics.index.verdicts.suppression import is_excused, list_guarded_lines
from avionics.late_pattern import late_pattern
from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind, is_class
from avionics.model.facts import Expression, Import, Reference, iter_scopes_around
from avionics.model.knowledge import Definition
from avionics.model.naming import as_written, called, tagged
from avionics.syntax.registry import conventions_of

_STAR = "*"
_WORD = late_pattern(r"\w+")
_EXPORTED = late_pattern(r"\bexport\s++(?>(?:type\s++)?)\{([^{}]*+)\}(?!\s*+from\b)", needs=("export",))
"""A clause that exports names of its own module. The compiler reports a missing name there, not at its uses."""

_READING = frozenset(
    {ReferenceKind.READ, ReferenceKind.CALL, ReferenceKind.INHERIT, ReferenceKind.DECORATE, ReferenceKind.ANNOTATE}
)
_BEFORE_TAG = late_pattern(r"\s*+(?>(?:(?:static|const|volatile|register)\s++)*)(?:struct|enum|union)\s++")
_AFTER_TAG = late_pattern(r"\w++\s++\w++\s*+[=;,[]")
"""The text around the tag in `static struct name value;`, which needs the definition of the structure."""


class BrokenNames:
    """Finds the names that one change leaves unresolved.

    Attributes:
        noted: What was noted in the files that were checked so far.
    """

    def __init__(self, pair: VersionPair) -> None:
        self._pair = pair
        self._before = pair.before.resolver
        self._after = pair.after.resolver
        self._arguments = MacroArguments(pair.after)
        self._meanings = LostMeanings(pair)
        self._members = LostMembers(pair)
        self._modules = ClosedModules(pair)
        self._imported: dict[str, frozenset[str]] = {}
        self._unseen = UnseenNames(pair.before)
        self.noted = NotedNames()

    @cached_property
    def files(self) -> Collection[str]:
        """The files to check first."""
        return self._sought.keys()

    def check_file(self, file: str) -> Iterator[BrokenName]:
        """Yield the broken names of one of the files."""
        if file in self._sought:
            yield from self._check(file, self._sought[file], self._pair.new_lines.get(file, frozenset()))
            for place, name, (target, holder, proof) in self._members.iter_lost_keys(file, self._sought[file]):
                yield BrokenName(Rule.MISSING_MEMBER, proof, name, holder, place, target, is_of_object=True)

    def iter_indirect(self) -> Iterator[BrokenName]:
        """Yield the names imported through a broken import, after all the files were checked."""
        known: dict[str, int] = {}
        while more := {name: files for name, files in self.noted.lost.items() if len(files) > known.get(name, 0)}:
            sought: dict[str, set[str]] = {}
            for name, files in more.items():
                for file in self._pair.list_files_with(name, files):
                    sought.setdefault(file, set()).add(name)
            known |= {name: len(files) for name, files in more.items()}
            for file in self._pair.iter_in_time(sought):
                yield from self._check(file, sought[file], frozenset())

    def _check(self, file: str, names: set[str], lines: frozenset[int]) -> Iterator[BrokenName]:
        """Yield the broken uses of some names in a file, and of any name on new lines; each place once."""
        if not self._pair.readable.get(file, True) or file in self._pair.undeclared:
            return
        for each in (*self._check_imports(file, names, lines), *self._check_references(file, names, lines)):
            if (each.rule, each.place) not in self.noted.places:
                self.noted.places.add((each.rule, each.place))
                yield each

    @cached_property
    def _sought(self) -> dict[str, set[str]]:
        """File → the names to check in it; changed files are checked on their new lines too."""
        sought: dict[str, set[str]] = {file: set() for file in self._pair.new_lines}
        homes: dict[str, set[str]] = {}
        for name, scoped in self._pair.gone.items():
            if not all(each.is_local for each in scoped):
                homes.setdefault(name, set()).update(each.file for each in scoped)
            for each in scoped:
                if (own := self._pair.path_after(each.file)) in sought:
                    sought[own].add(name)
        for changed in self._pair.files:
            if changed.before != changed.after and self._pair.before.has_file(changed.before):
                for word in self._pair.before.modules.system_of(changed.before).mentions(changed.before):
                    homes.setdefault(word, set()).add(changed.before)
                # An import of `./index.js` or `..` need not contain the name of the directory.
                is_directory = bool(self._pair.before.modules.system_of(changed.before).directories_of(changed.before))
                for link in self._pair.before.graph.edges.importers(changed.before) if is_directory else ():
                    if importer := self._pair.path_after(link.file):
                        sought.setdefault(importer, set()).add(link.module)
        narrowed = ((word, {each.file for each in found}) for word, found in self._pair.narrowed.items())
        for word, files in (*self._pair.lost_with_bases.items(), *narrowed, *self._meanings.homes.items()):
            homes.setdefault(word, set()).update(files)
        for word, files in homes.items():
            for file in self._pair.list_files_with(word, files):
                sought.setdefault(file, set()).add(word)
        return sought

    def _check_imports(self, file: str, names: set[str], lines: frozenset[int]) -> Iterator[BrokenName]:
        guarded, last = None, None
        for found in self._pair.after.facts(file).imports:
            # The name of a file may consist of several words, as in `value-node`; files are indexed by single words.
            if found.line not in lines and found.name not in names and names.isdisjoint(words_of(found.module)):
                continue
            broken = self._check_import(file, found, is_new=found.line in lines)
            if broken is None:
                continue
            text = self._pair.after.read_text(file)
            guarded = list_guarded_lines(text) if guarded is None else guarded
            if found.line not in guarded:
                self._note_lost(file, found)
                # A statement whose module is missing is broken once, however many names it lists.
                if broken.module and last is not None and are_listed_together(text, last, found):
                    self.noted.places.add((broken.rule, broken.place))
                else:
                    yield broken
                last = found if broken.module else None

    def _note_lost(self, file: str, found: Import) -> None:
        """Record the names that a broken import of Python no longer binds, so that importers of the file lose them."""
        previous = self._pair.path_before(file)
        if not self._is_python(file) or not self._pair.before.has_file(previous):
            return
        names: Iterable[str] = (found.alias,)
        if found.name == _STAR:
            was = self._pair.before.modules.find(found, previous)
            home = was.file if isinstance(was, Module) else ""
            names = self._pair.before.uses(home).bindings if self._pair.before.has_file(home) else ()
        bindings = self._pair.after.uses(file).bindings
        for name in names:
            bound = [each for each in bindings.get(_STAR if found.name == _STAR else name, ()) if each.scope == 0]
            if bound and all(each.kind is BindingKind.IMPORT and each.line == found.line for each in bound):
                self.noted.lost.setdefault(name, set()).add(file)

    def _check_import(self, file: str, found: Import, *, is_new: bool) -> BrokenName | None:
        """Return the break if the module or the name of an import is missing, else None."""
        scopes, modules = self._after.scopes, self._pair.after.modules
        previous = self._pair.path_before(file)
        module = modules.find(found, file)
        was = self._pair.before.modules.find(found, previous) if self._pair.before.has_file(previous) else None
        place = (file, found.line, found.column)
        if isinstance(module, External):
            return self._check_module(found, was, place, is_new=is_new)
        if isinstance(was, Module) and (left := self._check_stub(found, module, was, place)) is not None:
            return left
        if not found.name or found.name == _STAR:
            return None
        targets = scopes.find_imported(file, found)
        is_lost = self._is_lost(module, found.name) or self._pair.hides(found.name, module.file, file, targets)
        if targets and not is_lost:
            return None
        if not is_lost and (self._is_bound(module, found.name) or not self._modules.is_closed(module, found.name)):
            return None
        had = self._before.scopes.find_imported(previous, found) if was is not None else ()
        inside = [each for each in had if not isinstance(each, External)]
        holder = self._name_module(module)
        if inside and self._is_still_exported(module, found.name):
            return None
        if inside:
            return BrokenName(Rule.MISSING_IMPORT, Proof.CERTAIN, found.name, holder, place, inside[0])
        if not is_new or had or not self._pair.after.resolver.scopes.spec(file).executed_classes:
            return None
        return BrokenName(Rule.MISSING_IMPORT, Proof.CERTAIN, found.name, holder, place)

    def _is_still_exported(self, module: Type, name: str) -> bool:
        """Return whether a module lists a name in an export clause, where the compiler reports it as missing."""
        home = module.file if isinstance(module, Module) else ""
        if not self._pair.after.has_file(home) or not self._after.scopes.spec(home).separate_types:
            return False
        return any(name in _WORD.findall(listed) for listed in _EXPORTED.findall(self._pair.after.read_text(home)))

    def _check_module(
        self, found: Import, was: Module | External | None, place: tuple[str, int, int], *, is_new: bool
    ) -> BrokenName | None:
        """Return the break if the module of an import existed before or can only be in the workspace, else None."""
        name = f"{'.' * found.level}{found.module}"
        spec = self._after.scopes.spec(place[0])
        if spec.linkage and spec.distribution is not None and not spec.distribution(found.module):
            return None  # The system has a header that the workspace no longer replaces.
        if isinstance(was, Module):
            if not was.file and (lost := self._get_lost_import(found, place)):
                return lost
            is_gone = bool(was.file) and self._pair.path_after(was.file) != was.file
            is_moved = place[0] != self._pair.path_before(place[0])
            if is_gone or is_moved:
                # A build creates a generated file again, and a system may have a header of the name.
                is_made = is_gone and role_of(was.file) is FileRole.GENERATED
                is_made = is_made or (bool(spec.linkage) and is_in_angles(self._pair.after, place, found.module))
                proof = Proof.POSSIBLE if is_made else Proof.CERTAIN
                return BrokenName(Rule.MISSING_IMPORT, proof, name, "", place, was, was.file)
            return None
        if is_new and was is None and found.level and self._is_python(place[0]):
            return BrokenName(Rule.MISSING_IMPORT, Proof.CERTAIN, name, "", place)
        return None

    def _check_stub(self, found: Import, module: Module, was: Module, place: tuple[str, int, int]) -> BrokenName | None:
        """Return the break if the change moved or removed the code of a module and left only its stub, else None."""
        if module.file != was.file or not is_declaration_file(module.file):
            return None
        had, has = (code.modules.counterparts(module.file, "") for code in (self._pair.before, self._pair.after))
        if has or not self._is_python(module.file):
            return None
        for code in had:
            # A compiled module may take the place of code that was removed.
            proof = Proof.CERTAIN if self._pair.path_after(code) else Proof.POSSIBLE
            return BrokenName(Rule.MISSING_IMPORT, proof, f"{'.' * found.level}{found.module}", "", place, was, code)
        return None

    def _get_lost_import(self, found: Import, place: tuple[str, int, int]) -> BrokenName | None:
        """Return the break if a namespace of several files lost the imported name, else None."""
        previous = self._pair.path_before(place[0])
        had = self._before.scopes.find_imported(previous, found)
        lost = [
            each
            for each in had
            if isinstance(each, Variable) and not each.file.startswith(STUBS) and self._is_gone(each)
        ]
        if not lost or not found.name:
            return None
        return BrokenName(Rule.MISSING_IMPORT, Proof.CERTAIN, as_written(found.name), found.module, place, lost[0])

    def _is_gone(self, variable: Variable) -> bool:
        """Return whether a variable of the version before has no binding in the version after."""
        return any(each.file == variable.file for each in self._pair.gone.get(as_written(variable.name), ()))

    def _is_python(self, file: str) -> bool:
        return self._after.scopes.spec(file).executed_classes

    def _is_bound(self, module: Module, name: str) -> bool:
        """Return whether a file of the module binds the name other than by an import that is known to be broken."""
        scopes = self._after.scopes
        return any(
            each not in self.noted.lost.get(name, ()) and scopes.bindings(Variable(each, 0, name))
            for each in scopes.modules.files_of(module, name)
        )

    def _is_lost(self, module: Module, name: str) -> bool:
        """Return whether a module has a name only by an import that is known to be broken."""
        lost = self.noted.lost.get(name)
        if lost is None or self._is_bound(module, name):
            return False
        return not lost.isdisjoint(self._after.scopes.modules.files_of(module, name))

    def _name_module(self, module: Type) -> str:
        """Return the dotted name of a module, "" for any other receiver."""
        if not isinstance(module, Module):
            return ""
        if module.file:
            return self._pair.after.dotted_name(module.file)
        return module.name or module.directory.replace("/", ".")

    def _check_references(self, file: str, names: set[str], lines: frozenset[int]) -> Iterator[BrokenName]:
        references, spec = self._pair.after.uses(file).references, self._after.scopes.spec(file)
        wanted = {each for name in names for each in spec.list_bound(as_written(name))}
        # Decoding references takes time, so read only the names that matter.
        maybe_new = self._pair.list_maybe_new(file, references) if lines else ()
        for name in dict.fromkeys((*wanted, *maybe_new)):
            for reference in references.get(name, ()):
                if reference.is_import or not (name in wanted or reference.line in lines):
                    continue
                is_narrowed = as_written(name) in self._pair.narrowed
                if is_narrowed and (unseen := self._members.get_unseen(file, reference)) is not None:
                    place = (file, reference.line, reference.column)
                    broken: BrokenName | None = self._of_member(place, reference, (), unseen)
                elif reference.receiver is not None:
                    gone = self._list_gone_members(file, as_written(name))
                    may_be_lost = bool(gone) or self._pair.has_changed_bases or bool(self.noted.lost)
                    broken = self._check_member(file, reference, gone) if may_be_lost else None
                elif reference.kind in _READING or (reference.kind is ReferenceKind.WRITE and self._declares(file)):
                    broken = self._check_name(file, reference, is_new=reference.line in lines)
                else:
                    continue
                if broken is None:
                    continue
                texts = self._pair.after.read_lines(file)
                if not is_excused(texts, broken.place, as_written(name)):
                    is_doubtful = broken.proof is Proof.CERTAIN and self._may_be_harmless(broken, texts)
                    yield structs.replace(broken, proof=Proof.POSSIBLE) if is_doubtful else broken

    def _may_be_harmless(self, broken: BrokenName, texts: Sequence[str]) -> bool:
        """Return whether a macro may change a broken name, or it is a key of an object that allows further keys."""
        if self._arguments.is_changed(texts, broken.place) or self._pair.made.may_rewrite(broken.place):
            return True
        return broken.rule is Rule.MISSING_MEMBER and is_open_key(self._pair.after, broken.place)

    def _list_gone_members(self, file: str, name: str) -> tuple[ScopedName, ...]:
        """Return the scopes that lost a member of a name; in Python, scopes of functions have no members."""
        gone = self._pair.gone.get(name, ())
        return tuple(each for each in gone if not each.is_local) if self._is_python(file) else gone

    def _declares(self, file: str) -> bool:
        """Return whether the language of a file requires declarations: an assignment creates no variable."""
        rules = self._after.scopes.rules(file)
        return rules.calls is not None and not rules.executed_classes

    def _check_name(self, file: str, reference: Reference, *, is_new: bool) -> BrokenName | None:
        scopes, name = self._after.scopes, reference.name
        spec = scopes.spec(file)
        place = (file, reference.line, reference.column)
        if as_written(name) in spec.builtin_names or is_standard_decorator(file, reference):
            return None
        is_found = scopes.get_variable(file, reference.scope, name) is not None
        if is_found and not spec.separate_types and conventions_of(file).list_builds is None:
            return None  # The binding holds for types and values, and in every build.
        if targets := self._after.resolve(file, reference).targets:
            lost = self._pair.get_lost_in_build(file, reference, targets)
            lost = lost or self._meanings.get(file, reference, targets)
            return BrokenName(Rule.UNDEFINED_NAME, Proof.CERTAIN, as_written(name), "", place, lost) if lost else None
        if is_found or scopes.find_targets(file, reference.scope, name):
            return None
        return self._check_unbound(file, reference, is_new=is_new)

    def _check_unbound(self, file: str, reference: Reference, *, is_new: bool) -> BrokenName | None:
        """Return the break of a bare name that nothing binds any more; None if something unseen may bind it."""
        name, place = reference.name, (file, reference.line, reference.column)
        spec, uses = self._after.scopes.spec(file), self._pair.after.uses(file)
        previous, scope = self._pair.scope_before(file, reference.scope)
        had = self._before.scopes.find_targets(previous, scope, name) if previous else ()
        inside = [each for each in had if not isinstance(each, External) and not _file_of(each).startswith(STUBS)]
        if inside and spec.linkage and self._lost_includers(file):
            return None
        imports = self._pair.after.facts(file).imports if _STAR in uses.bindings else ()
        is_open = not self._was_starred(previous, inside) and self._modules.has_open_star(imports, file, {file}, name)
        # A definition that is passed on without being known may be one that a macro makes.
        is_passed = not inside and self._modules.passes_on(file, name)
        is_open = is_open or is_passed or self._pair.made.may_make(file, as_written(name))
        if is_open or any(each.receiver is None for each in uses.dynamic):
            return None
        is_known = not spec.implicit_members or self._is_enclosed_by_known(file, reference.scope, name)
        if inside:
            homes = {self._pair.path_after(_file_of(each)) for each in inside}
            if not all(
                self._pair.accounts_for(each, as_written(name)) for each in homes if self._pair.after.has_file(each)
            ):
                return None
            # Functions of several star imports have one name more often than classes.
            may_be_other = name[:1].islower() and self._modules.has_open_star(imports, file, {file}, name)
            is_sure = not may_be_other and self._is_surely_lost(place, name, inside, is_known=is_known)
            proof = Proof.CERTAIN if is_sure else Proof.POSSIBLE
            return BrokenName(Rule.UNDEFINED_NAME, proof, as_written(name), "", place, inside[0])
        if not is_known or (External(name) in had and begins_path(self._pair.after, place, name)):
            return None
        was_bound = bool(previous) and self._before.scopes.get_variable(previous, scope, name) is not None
        if was_bound or (is_new and spec.is_closed and not self._unseen.has(name, file)):
            is_text = reference.kind is ReferenceKind.ANNOTATE and not was_bound
            return None if is_text else BrokenName(Rule.UNDEFINED_NAME, Proof.CERTAIN, as_written(name), "", place)
        return None

    def _is_surely_lost(
        self, place: tuple[str, int, int], name: str, inside: Sequence[Target], *, is_known: bool
    ) -> bool:
        """Return whether a bare name is certainly undefined without its former targets in the workspace, `inside`.

        With `is_known`, no class around it inherits the name from outside.
        """
        target, definitions = inside[0], self._pair.before.graph.list_definitions(inside)
        is_own = (
            isinstance(target, Variable)
            and self._before.scopes.is_member(target)
            and self._members.is_no_override(target)
        )
        of = definitions[0] if len(definitions) == 1 else None
        if not (is_known or is_own or (of is not None and self._accesses_member(place[0], name, of))):
            return False
        # `struct name *` needs no definition of the structure, and `struct name value;` does.
        if name == tagged(as_written(name)) and not self._declares_value(place):
            return False
        if self._pair.may_be_of_system(place, definitions):
            return False
        return not self._pair.may_be_package(place, name, inside)

    @cached_method
    def _lost_includers(self, file: str) -> bool:
        """Return whether no file includes a moved header any more, which may have relied on earlier includes."""
        was, edges = self._pair.path_before(file), self._pair.before.graph.edges
        is_moved = was not in {file, ""} and bool(edges.importers(was))
        return is_moved and not self._pair.after.graph.edges.importers(file)

    def _accesses_member(self, file: str, name: str, of: Definition) -> bool:
        """Return whether a file accesses a member of a class by a name: `Cart.total`, if the class has `total`.

        Then the name meant this class rather than one of the same name in an outside base.
        """
        if not is_class(of.kind) or of.symbol.parent >= 0:
            return False
        references = self._pair.after.uses(file).references
        own = {each.name for each in self._pair.before.facts(of.file).symbols if each.parent == of.index}
        taken = (each for member in own for spelled in (member, called(member)) for each in references.get(spelled, ()))
        return any(
            each.receiver is not None and each.receiver.kind is ExpressionKind.NAME and each.receiver.name == name
            for each in taken
        )

    def _declares_value(self, place: tuple[str, int, int]) -> bool:
        """Return whether the tag of a structure or enumeration is used to declare a variable or field of it."""
        file, line, column = place
        text = self._pair.after.read_line(file, line)
        return _BEFORE_TAG.fullmatch(text, 0, column) is not None and _AFTER_TAG.match(text, column) is not None

    def _was_starred(self, file: str, targets: Iterable[Target]) -> bool:
        """Return whether a name came from another package, by a star import that other star imports do not replace."""
        facts = self._pair.before.facts
        packages = {facts(_file_of(each)).package for each in targets if self._pair.before.has_file(_file_of(each))}
        return bool(packages) and facts(file).package not in packages and "" not in packages

    def _is_enclosed_by_known(self, file: str, scope: int, name: str) -> bool:
        """Return whether the classes around a scope cannot inherit a name from outside the workspace."""
        spec = self._after.scopes.spec(file)
        scopes, members = self._pair.after.uses(file).scopes, self._after.inference.members
        for index in iter_scopes_around(scopes, scope):
            of = members.class_at(file, index) if scopes[index].kind is ScopeKind.CLASS else None
            if of is not None and may_inherit(spec, members.lineage(of), name):
                # If the name could not be inherited before, a base that is unknown since the change does not add it.
                was = self._pair.class_before(of) if not self._pair.has_changed_bases else None
                if was is None or may_inherit(spec, self._before.inference.members.lineage(was), name):
                    return False
        return True

    def _check_member(self, file: str, reference: Reference, gone: Iterable[ScopedName]) -> BrokenName | None:
        """Return the break of a member access that resolved to one of the removed names, else None."""
        receiver = reference.receiver
        assert receiver is not None
        if reference.kind is ReferenceKind.KEYWORD:
            field = self._members.get_field(file, reference)
            return self._of_member((file, reference.line, reference.column), reference, (), field) if field else None
        is_written = reference.kind is ReferenceKind.WRITE and self._is_python(file)
        # A name that is removed, as by `Omit<T, 'name'>`, need not exist.
        is_harmless = reference.kind is ReferenceKind.DELETE
        is_harmless = is_harmless or (is_written and not self._members.sets_field(file, reference))
        is_of_module = not self._pair.has_changed_bases and not any(each.holder for each in gone)
        if is_harmless or (is_of_module and self._is_value(file, receiver)):
            return None
        was_meant = self._pair.may_have_meant(file, reference, {each.file for each in gone})
        place = (file, reference.line, reference.column)
        # A name without a known meaning before is reported only if it can be guessed; guesses are cheaper than types.
        if was_meant is False or (was_meant is None and self._guess_lost(place, reference) is None):
            return None
        inference = self._after.inference if was_meant else self._before.inference
        owners = inference.infer_owner(receiver, file, reference.scope, reference.line, reference.name)
        targets = self._members.find_meant(file, reference, owners) if was_meant else ()
        if targets and not (self.noted.lost and all(isinstance(each, External) for each in targets)):
            lost_of_one = self._members.get_of_alternatives(file, reference, owners)
            if (gone_there := self._pair.get_lost_in_build(file, reference, targets)) is not None:
                lost_of_one = gone_there, self._name_module(owners[0]), Proof.CERTAIN
            return self._of_member(place, reference, owners, lost_of_one) if lost_of_one is not None else None
        if all(isinstance(owner, UnknownType) for owner in owners):
            return self._guess_lost(place, reference)
        owners = self._members.keep_object(file, reference, owners)
        if not was_meant or not owners or self._members.allows_any_key(reference, owners):
            return None
        former = () if file in self._pair.new_lines else self._before.resolve(file, reference).targets
        if (structure := self._members.get_incomplete(file, reference, owners, former)) is not None:
            name, former_ones = as_written(structure.name), self._pair.before.graph.list_definitions([structure])
            proof = Proof.POSSIBLE if self._pair.may_be_of_system(place, former_ones) else Proof.CERTAIN
            return BrokenName(Rule.UNDEFINED_NAME, proof, name, "", place, structure)
        lost_of_all = self._get_lost_of_all(file, reference.name, owners, former)
        return self._of_member(place, reference, owners, lost_of_all) if lost_of_all is not None else None

    def _get_lost_of_all(
        self, file: str, name: str, owners: Types, former: tuple[Target, ...]
    ) -> tuple[Target, str, Proof] | None:
        """Return the member that all possible owners lost, as the first one had it; None if an owner may have it."""
        found: list[tuple[Target, str, Proof]] = []
        is_separate = self._after.scopes.spec(file).separate_functions
        for owner in owners:
            if isinstance(owner, Module):
                is_imported = self._is_imported(file, owner, name)
                lost = None if is_imported else self._get_lost_of_module(owner, name)
            else:
                lost = self._members.get(owner, name, former, is_separate=is_separate, file=file)
            if lost is None:
                return None
            found.append(lost)
        proof = Proof.CERTAIN if all(each[2] is Proof.CERTAIN for each in found) else Proof.POSSIBLE
        return *found[0][:2], proof

    def _of_member(
        self, place: tuple[str, int, int], reference: Reference, owners: Types, lost: tuple[Target, str, Proof]
    ) -> BrokenName:
        target, holder, proof = lost
        name, is_of_object = as_written(reference.name), not isinstance(next(iter(owners), None), Module)
        return BrokenName(Rule.MISSING_MEMBER, proof, name, holder, place, target, is_of_object=is_of_object)

    def _is_value(self, file: str, receiver: Expression) -> bool:
        """Return whether a receiver is certainly not a module: in Python, if no import binds it or its value."""
        if not self._is_python(file):
            return False
        bindings, name = self._pair.after.uses(file).bindings, _get_root(receiver)
        own = bindings.get(name, ())
        of_values = (found for each in own for found in bindings.get(_get_root(each.value), ()))
        return _STAR not in bindings and all(each.kind is not BindingKind.IMPORT for each in (*own, *of_values))

    def _guess_lost(self, place: tuple[str, int, int], reference: Reference) -> BrokenName | None:
        """Return the member that a receiver of unknown type may have had, if nothing else has its name."""
        name = as_written(reference.name)
        lost = self._get_unique(name)
        if lost is None or not self._may_see(place[0], lost[0].file):
            return None
        return BrokenName(Rule.MISSING_MEMBER, Proof.POSSIBLE, name, lost[1], place, lost[0])

    @cached_method
    def _get_unique(self, name: str) -> tuple[Variable, str] | None:
        """Return the only removed member of this name, and its class; None if there are several."""
        holders = {(each.file, each.holder) for each in self._pair.gone.get(name, ()) if not each.is_local}
        if len(holders) != 1 or is_defined(self._pair, name):
            return None
        ((file, holder),) = holders
        was = next(iter(self._pair.before.find_qualified(file, f"{holder}.{name}")), None)
        variable = self._pair.before.graph.get_variable(was) if was is not None else None
        return (variable, holder) if variable is not None else None

    def _may_see(self, file: str, was: str) -> bool:
        """Return whether a file imports the file that lost a member, or is in its directory (not in Python)."""
        now = self._pair.path_after(was)
        is_beside = file.rpartition("/")[0] == was.rpartition("/")[0] and not self._is_python(file)
        if is_beside or file == now:
            return True
        if file not in self._imported:
            self._imported[file] = frozenset(edge.target for edge in self._pair.after.graph.edges.of(file))
        return now in self._imported[file]

    def _is_imported(self, file: str, package: Module, name: str) -> bool:
        """Return whether a file imports a module by its whole name; the break is then reported at the import."""
        if not self._is_python(file):
            return False
        whole = f"{self._name_module(package)}.{name}."
        return any(
            not each.name and f"{each.module}.".startswith(whole) for each in self._pair.after.facts(file).imports
        )

    def _get_lost_of_module(self, module: Module, name: str) -> tuple[Target, str, Proof] | None:
        if not self._is_lost(module, name):
            if self._after.scopes.find_member(module, name) or self._is_bound(module, name):
                return None
            if not self._modules.is_closed(module, name):
                return None
        previous = self._pair.path_before(module.file) if module.file else ""
        if module.file and not self._pair.before.has_file(previous):
            return None
        had = self._before.scopes.find_member(structs.replace(module, file=previous), name)
        inside = [each for each in had if not isinstance(each, External)]
        return (inside[0], self._name_module(module), Proof.CERTAIN) if inside else None


def _file_of(target: Target) -> str:
    return "" if isinstance(target, External) else target.file


def _get_root(expression: Expression) -> str:
    """Return the name that a chain of attributes begins with, "" for any other expression."""
    while expression.kind is ExpressionKind.ATTRIBUTE:
        expression = expression.parts[0]
    return expression.name if expression.kind is ExpressionKind.NAME else ""
