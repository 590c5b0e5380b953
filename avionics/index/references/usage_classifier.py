"""Classify the references to a name: a usage of a variable, a possible usage, or neither."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain

from msgspec import structs

from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.cached_method import cached_method
from avionics.index.model.values import CallableType, ClassType, External, FunctionType, Target, Variable, as_class
from avionics.index.references.argument_lookup import ArgumentLookup
from avionics.index.references.import_aliases import ModuleValues
from avionics.index.references.macro_mentions import ArgumentRole, ParameterRoles
from avionics.index.references.macro_receivers import INSIDE_MACRO
from avionics.index.references.reference_resolver import (
    INHERITED_OVERLOAD,
    KEY_OR_FIELD,
    Resolution,
    Resolver,
)
from avionics.index.scopes.dynamic_modules import DYNAMIC_MODULE, MODULE_NOT_FOUND
from avionics.index.types.calls.overloads import Overloads
from avionics.late_pattern import late_pattern
from avionics.model.enums import FUNCTIONS, BindingKind, Evidence, ExpressionKind, ReferenceKind, ScopeKind, SymbolKind
from avionics.model.facts import UNKNOWN, FileUses, Reference
from avionics.model.knowledge import Definition, UnresolvedUse, Usage
from avionics.model.naming import as_written, called, fold_name, tagged
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.engine.expressions import last_name
from avionics.syntax.registry import conventions_of, is_template, may_be_template_member

_VALUES = frozenset({ReferenceKind.READ, ReferenceKind.WRITE})
_BARE = _VALUES | {ReferenceKind.ANNOTATE}
_MACROS = frozenset({SymbolKind.MACRO})
TAGGED = frozenset({SymbolKind.CLASS, SymbolKind.ENUM})
"""The kinds of symbols that have a tag in C."""
NOT_DECLARED = Reason(ReasonKind.NOT_DECLARED)
"""Why an undeclared name may be a usage: a linker may join it to a definition in another file."""
_PLAIN = frozenset(SymbolKind) - TAGGED
_MAPPING_KEY = Reason(ReasonKind.MAPPING_KEY)
_CODE_NOT_READ = Reason(ReasonKind.CODE_NOT_READ)
_OF_TYPES = frozenset({ReferenceKind.ANNOTATE, ReferenceKind.INHERIT})
_BLANKET_IMPLEMENTATION = Reason(ReasonKind.BLANKET_IMPLEMENTATION)
_MEMBER_ARGUMENT = Reason(ReasonKind.INSIDE_MACRO)
_THROUGH_INTERFACE = Reason(ReasonKind.THROUGH_INTERFACE, 1)
_WRAPPED = Reason(ReasonKind.WRAPPED)
_BEHIND_VALUE = Reason(ReasonKind.AMBIGUOUS_OVERLOAD, total=2)
_OF_VALUES = frozenset({SymbolKind.ATTRIBUTE, SymbolKind.PROPERTY, SymbolKind.VARIABLE, SymbolKind.CONSTANT})
_MEMBER_NOT_DECLARED = Reason(ReasonKind.MEMBER_NOT_DECLARED)
_RECEIVER_UNKNOWN = Reason(ReasonKind.RECEIVER_TYPE_UNKNOWN)
_MODULES = frozenset({SymbolKind.MODULE, SymbolKind.INTERFACE})
_OF_MODULE = late_pattern(r"def self\.")
_PYTEST_FIXTURE = Reason(ReasonKind.PYTEST_FIXTURE)


class UsageClassifier:
    """Classifies references.

    `enclosing` returns the definition around a line of a file; `modules` knows which modules are passed on as values;
    `may_mean` returns whether a string with a name, on a line of a file, may refer to a variable.
    """

    def __init__(
        self,
        resolver: Resolver,
        enclosing: Callable[[str, int], Definition | None],
        modules: ModuleValues,
        may_mean: Callable[[str, str, int, Variable], bool],
    ) -> None:
        self._resolver = resolver
        self._scopes = resolver.scopes
        self.enclosing = enclosing
        self._arguments = ArgumentLookup(resolver)
        self._parameter_roles = ParameterRoles(resolver.scopes.source)
        self._modules = modules
        self._may_mean = may_mean

    def classify(
        self,
        file: str,
        name: str,
        variables: tuple[Variable, ...],
        overloads: Overloads,
        dispatched: frozenset[Variable],
        roles: Sequence[ReferenceKind],
    ) -> Iterator[Usage | UnresolvedUse]:
        """Yield the usages and possible usages of the variables among the references to a name in a file.

        `dispatched` are methods whose calls may run one of the variables, or the reverse, because one implements the
        other implicitly: their uses are usages with the evidence INTERFACE. Without roles, all references are read.
        """
        variable, homes, wanted = variables[0], {each.file for each in variables}, frozenset(variables)
        is_member = self._scopes.is_member(variable)
        has_bare_names = not is_member or file in homes or self._may_be_bare(file, name, variable)
        # An object of unknown type cannot have members declared in a language of another platform.
        is_kin = self._scopes.spec(file).module_system == self._scopes.spec(variable.file).module_system
        is_linked = self._may_be_linked(file, variable, is_kin=is_kin)
        is_marked = conventions_of(file).implicit.macro_mark != ""
        is_marked = is_marked and (overloads.is_macro or self.is_name_of(name, _MACROS))
        for reference in self._iter_references(file, name, variables):
            if roles and reference.kind not in roles:
                continue
            is_bare_member = reference.receiver is None and not has_bare_names
            if is_bare_member and not reference.is_import and not self._may_be_macro_argument(file, reference, homes):
                continue
            calls_macro = self._calls_macro(file, reference) if is_marked else None
            if calls_macro is not None and calls_macro is not overloads.is_macro:
                continue
            resolution = self._resolver.resolve(file, reference)
            if not wanted.isdisjoint(resolution.targets):
                is_meant = overloads.select(file, reference, resolution.targets)
                if isinstance(is_meant, Reason):
                    yield UnresolvedUse(file, reference.line, reference.column, is_meant)
                elif is_meant:
                    yield self._usage(file, reference, resolution.evidence)
            elif not is_kin and is_member:
                continue
            elif not dispatched.isdisjoint(resolution.targets):
                yield self._usage(file, reference, Evidence.INTERFACE)
            elif calls_macro and not any(map(self._scopes.is_macro, resolution.targets)):
                yield UnresolvedUse(file, reference.line, reference.column, NOT_DECLARED)
            elif reason := self._doubt(file, reference, resolution, variable, is_linked=is_linked):
                yield UnresolvedUse(file, reference.line, reference.column, reason)
        # Code of another platform can only refer to names with external linkage.
        is_named = is_kin or self._is_known_outside(variable)
        is_unread_named = is_named or (is_template(file) and not self._scopes.spec(variable.file).linkage)
        yield from self._iter_mentions(file, name, variable, is_named=is_named, is_unread_named=is_unread_named)

    def _iter_references(self, file: str, name: str, variables: tuple[Variable, ...]) -> Iterator[Reference]:
        """Yield the references to a name in a file that may mean one of the variables.

        In C a tag (`struct cart`) and a plain name are different; in Java and PHP a function and a value are.
        """
        spec, references = self._scopes.spec(file), self._scopes.source.uses(file).references
        # Facts record tags and functions under marked names; here the variables are such, and the name is unmarked.
        is_unmarked = name == as_written(name) and all(each.name != as_written(each.name) for each in variables)
        has_tags = spec.linkage and not (spec.overloads or self._scopes.spec(variables[0].file).overloads)
        named = self._iter_of_tags(file, name, is_tag=is_unmarked) if has_tags else references.get(name, ())
        if not spec.separate_functions:
            yield from named
        elif is_unmarked:
            yield from (each for each in named if each.is_import)
        else:
            yield from chain(named, references.get(called(name), ()))

    def _may_be_bare(self, file: str, name: str, variable: Variable) -> bool:
        """Return whether a bare name in another file may mean a member, as by a static import."""
        is_brought = self._scopes.spec(file).implicit_members or _may_bring(self._scopes.source.uses(file), name)
        return is_brought or self._scopes.global_object.declares(variable)

    def _may_be_linked(self, file: str, variable: Variable, *, is_kin: bool) -> bool:
        """Return whether an unbound bare name in a file may mean a variable; `is_kin` files share a module system.

        A call of C++ also finds functions in the namespaces of its arguments.
        """
        if not self._scopes.spec(file).linkage:
            return is_kin and (self._is_shared(file, variable) or self._scopes.is_macro(variable))
        is_linked = self._scopes.is_member(variable) or self.may_be_unbound(variable) or variable.scope > 0
        return is_linked or (is_kin and self._is_shared(file, variable))

    def _iter_of_tags(self, file: str, name: str, *, is_tag: bool) -> Iterator[Reference]:
        """Yield the references to a name of C that may mean a tag, or else those that may mean a plain name.

        A macro may add `struct` to its argument, which makes a plain name a tag.
        """
        is_shared = self.is_name_of(name, TAGGED)
        for reference in self._scopes.source.uses(file).references.get(name, ()):
            is_bare = is_shared and reference.receiver is None and reference.kind in _BARE
            place = (file, reference.line, reference.column)
            roles = self._parameter_roles.list_roles(*place) if is_bare else frozenset()
            if not is_tag and roles != {ArgumentRole.TAG}:
                yield reference
            elif is_tag and ArgumentRole.TAG in roles:
                yield structs.replace(reference, name=tagged(name), kind=ReferenceKind.ANNOTATE)
            elif is_tag and ArgumentRole.UNKNOWN in roles:
                yield reference
            elif is_tag and self._is_plain_tag(file, reference):
                is_own = self._scopes.get_variable(file, 0, tagged(name)) is not None
                yield structs.replace(reference, name=tagged(name)) if is_own else reference

    def _is_plain_tag(self, file: str, reference: Reference) -> bool:
        """Return whether a bare type in a header means a tag: no typedef has the name, so the header is in C++."""
        if reference.receiver is not None or reference.kind not in _OF_TYPES:
            return False
        if file.endswith(conventions_of(file).files.private_suffixes or "/"):
            return False
        return not (self.is_name_of(reference.name, _PLAIN) or self._is_known(file, reference))

    @cached_method
    def is_name_of(self, name: str, kinds: frozenset[SymbolKind]) -> bool:
        """Return whether the workspace defines a symbol with a name and one of some kinds."""
        source, folded = self._scopes.source, fold_name(name)
        found = source.summaries.symbols_named(folded, source.files_defining(folded)).values()
        named = (each for symbols in found for _, each in symbols if each.name == name)
        return any(each.kind in kinds for each in named)

    def _calls_macro(self, file: str, reference: Reference) -> bool | None:
        """Return whether a reference calls a macro (`name!(…)`); None for imports and in arguments of macros."""
        receiver = reference.receiver
        if reference.is_import or (receiver is not None and receiver.kind is ExpressionKind.UNKNOWN):
            return None
        line = self._scopes.source.read_line(file, reference.line)
        rest = line[reference.column + len(as_written(reference.name)) :].lstrip()
        mark = conventions_of(file).implicit.macro_mark
        if rest.startswith(mark) and rest.removeprefix(mark).lstrip()[:1] in {"(", "[", "{"}:
            return True
        return None if self._parameter_roles.get_marked_call(file, reference.line, reference.column) else False

    def _may_implement(self, uses: FileUses, reference: Reference, variable: Variable) -> bool:
        """Return whether an unresolved member may belong to a trait in scope, which a macro may implement."""
        spec = self._scopes.spec(variable.file)
        if reference.receiver is None or not spec.implementations_are_uses:
            return False
        of = self._resolver.inference.members.class_declaring(variable)
        symbol = self._scopes.get_class_symbol(of)
        if symbol is None or symbol.kind is not SymbolKind.INTERFACE:
            return False
        return "*" in uses.bindings or symbol.name in uses.bindings or symbol.name in uses.references

    def _may_qualify(self, uses: FileUses, reference: Reference, resolution: Resolution, variable: Variable) -> bool:
        """Return whether the qualifier of an unresolved reference may be a module or namespace with the variable."""
        if _is_unread(reference, resolution) or _may_name_namespace(uses, reference):
            return True
        if reference.receiver is None:
            return False
        if self._is_extension(variable) or self._modules.is_held(variable):
            return True
        return self._is_module_member(variable) and self._modules.is_member_passed(variable)

    def _is_extension(self, variable: Variable) -> bool:
        """Return whether a variable of a file's top level is also a member that is added to a type."""
        uses = self._scopes.source.uses(variable.file)
        own = {(each.line, each.column) for each in self._scopes.bindings(variable)}
        same = (each for each in uses.bindings.get(variable.name, ()) if (each.line, each.column) in own)
        return any(uses.scopes[each.scope].of != UNKNOWN for each in same)

    def _is_module_member(self, variable: Variable) -> bool:
        """Return whether other code can access a variable as a member of its module.

        It is at the top level; in JavaScript it is also exported or assigned to `exports`.
        """
        if variable.scope != 0 or not self._scopes.spec(variable.file).module_names:
            return variable.scope == 0
        is_assigned = any(each.kind is BindingKind.MEMBER for each in self._scopes.bindings(variable))
        return is_assigned or self._is_exported(variable)

    def _may_be_macro_argument(self, file: str, reference: Reference, homes: Collection[str]) -> bool:
        """Return whether a bare name may be an argument of a macro that accesses the member of that name.

        In C, the file must see the structure, and either the name is unbound or the macro uses it as a member.
        """
        if reference.kind not in _VALUES:
            return False
        if not self._scopes.spec(file).linkage:
            return self._is_member_argument(file, reference)
        system, declaring = self._scopes.modules.system_of(file), tuple(sorted(homes))
        seeing = system.list_seeing(declaring)
        is_seen = file in (seeing if seeing is not None else system.map_included(declaring, (file,)) or {})
        return is_seen and (not self._is_known(file, reference) or self._is_member_argument(file, reference))

    def _is_member_argument(self, file: str, reference: Reference, *, is_member: bool = True) -> bool:
        """Return whether a bare name is an argument that a macro may use as the name of a member.

        In Rust, whose macros are marked (`name!`), an unbound name may also be one of a module's definitions.
        """
        has_linkage = self._scopes.spec(file).linkage
        if not (has_linkage or conventions_of(file).implicit.macro_mark):
            return False
        if not is_member and (has_linkage or self._is_known(file, reference)):
            return False
        return self._parameter_roles.may_take(file, reference.line, reference.column)

    def may_be_key(self, variable: Variable) -> bool:
        """Return whether a mapping key may refer to a variable that is used by name elsewhere.

        Keys may name fields of records, members of an enum, and members of a class that supports subscripts.
        """
        if not self._scopes.is_member(variable):
            return False
        members, records = self._resolver.inference.members, self._resolver.inference.records
        of = members.class_declaring(variable)
        if of is None or records.is_record(of) or records.is_enum(of):
            return True
        indexing = members.find(of, "__getitem__")
        if indexing is not None and not indexing.variable.file.startswith(STUBS):
            return True
        lineage = members.lineage(of)
        implicit = conventions_of(variable.file).implicit
        unknown = [base for base in lineage.externals if base not in implicit.plain_bases]
        return lineage.is_open or any(implicit.get_called_members(base) is None for base in unknown)

    def _iter_mentions(
        self, file: str, name: str, variable: Variable, *, is_named: bool, is_unread_named: bool
    ) -> Iterator[UnresolvedUse]:
        """Yield the mentions of a name in strings, keys and code that was not read, if they may name the variable."""
        uses = self._scopes.source.uses(file)
        strings = uses.strings.get(name, ())
        texts = {*strings, *uses.keys.get(name, ())}
        if is_named:
            may_refer = {line: self._may_mean(file, name, line, variable) for line in sorted(set(strings))}
            for line in (each for each in strings if may_refer[each]):
                yield UnresolvedUse(file, line, 0, Reason(self._scopes.spec(file).text_mention_reason))
            for line in sorted(texts.difference(strings)):
                yield UnresolvedUse(file, line, 0, _MAPPING_KEY)
        unread = Reason(ReasonKind.TEMPLATE_REFERENCE) if is_template(file) else _CODE_NOT_READ
        # `vars(user)` and `asdict(user)` give a template the fields of an object as bare names, but not its methods.
        is_method = self._scopes.is_member(variable) and self._list_kinds(variable) <= FUNCTIONS
        is_of_template = is_template(file) and is_method
        for line, column in uses.unread.get(name, ()) if is_unread_named else ():
            before = self._scopes.source.read_line(file, line)[:column] if is_of_template else ""
            is_possible = not is_of_template or may_be_template_member(file, before, variable.file)
            if line not in texts and is_possible:
                yield UnresolvedUse(file, line, column, unread)

    def _doubt(
        self, file: str, reference: Reference, resolution: Resolution, variable: Variable, *, is_linked: bool
    ) -> Reason | None:
        """Return why an unproven reference may refer to the variable; None if it certainly does not."""
        uses, is_member = self._scopes.source.uses(file), self._scopes.is_member(variable)
        if reference.kind is ReferenceKind.KEYWORD and not self._may_be_argument(variable):
            return _MEMBER_NOT_DECLARED if self._is_gathered(file, reference, variable) else None
        if resolution.unknown == KEY_OR_FIELD and not is_member:
            is_meant = variable in self._scopes.find_targets(file, reference.scope, reference.name)
            return KEY_OR_FIELD if is_meant else None
        if resolution.unknown and (is_member or self._may_qualify(uses, reference, resolution, variable)):
            guess = self._resolver.guess(file, reference)
            return _PYTEST_FIXTURE if variable in guess.targets else guess.unknown
        if resolution.unknown in {MODULE_NOT_FOUND, DYNAMIC_MODULE, INHERITED_OVERLOAD}:
            return resolution.unknown
        is_linked = is_linked or (variable.name == tagged(reference.name) and not self._scopes.spec(file).overloads)
        if is_linked and reference.receiver is None and not self._is_known(file, reference):
            return None if self._names_test(file, reference, variable) else NOT_DECLARED
        is_bare = reference.receiver is None and reference.kind in _VALUES
        if is_bare and self._is_member_argument(file, reference, is_member=is_member):
            return _MEMBER_ARGUMENT
        if (
            is_member
            and not (resolution.targets or resolution.unknown)
            and self._may_implement(uses, reference, variable)
        ):
            return _BLANKET_IMPLEMENTATION
        if is_member and self._is_of_open_type(file, reference, resolution, variable):
            return _RECEIVER_UNKNOWN
        if reference.receiver is not None and self._is_given_as_interface(resolution, variable):
            return _THROUGH_INTERFACE
        if is_member and not resolution.targets and self._is_of_ancestor(file, reference, variable):
            return _MEMBER_NOT_DECLARED
        if self._may_be_behind_value(file, reference, resolution, variable):
            return _BEHIND_VALUE
        if any(self._is_wrapper(target, variable) for target in resolution.targets):
            return _WRAPPED
        return self._arguments.doubt(file, reference, resolution, variable)

    def _names_test(self, file: str, reference: Reference, variable: Variable) -> bool:
        """Return whether a reference is the name of a test that a macro defines (`TEST(name)`), and nothing else."""
        if not self._scopes.spec(file).linkage:
            return False
        place = (reference.line, reference.column)
        is_own = any((each.line, each.column) == place for each in self._scopes.source.facts(file).symbols)
        return is_own and not self._scopes.is_macro(variable)

    def _may_be_of_other_class(self, file: str, reference: Reference, variable: Variable) -> bool:
        """Return whether an unresolved name in Ruby may mean a member, although no class around it has the member.

        A block may run in any object (`instance_eval`), and the members of a module may be added to any class. The
        member may also be added to a class that is not found but has the receiver's name.
        """
        words = conventions_of(file).implicit.block_receivers
        if not words or file.startswith(STUBS):
            return False
        scopes = self._scopes.source.uses(variable.file).scopes
        of, receiver = scopes[variable.scope].of, reference.receiver
        if of != UNKNOWN and receiver is not None and last_name(of) == last_name(receiver):
            return True
        own = self._resolver.inference.members.class_declaring(variable)
        holder = self._scopes.get_class_symbol(own)
        if holder is not None and holder.kind in _MODULES:
            return not all(_OF_MODULE.match(each) for each in self._list_signatures(variable))
        return receiver is None and any(self._scopes.source.files_with_word(word) for word in words)

    def _list_signatures(self, variable: Variable) -> list[str]:
        return [each.symbol.signature for each in self._scopes.list_definitions(variable)]

    def _may_be_argument(self, variable: Variable) -> bool:
        """Return whether the name of an argument (`Cart(name=1)`) may mean a variable: a field of a record class.

        The name of any other argument is that of a parameter, whatever is called.
        """
        members, records = self._resolver.inference.members, self._resolver.inference.records
        of = members.class_declaring(variable) if self._scopes.is_member(variable) else None
        if of is None or conventions_of(variable.file).records.in_header:
            return of is not None and records.get_in_header(of, variable.name) is not None
        lineage, implicit = members.lineage(of), conventions_of(variable.file).implicit
        if records.is_record(of) or lineage.is_open or not implicit.plain_bases.issuperset(lineage.externals):
            return True
        symbols = [symbol for each in lineage.classes if (symbol := self._scopes.get_class_symbol(each)) is not None]
        # A decorator, a metaclass or a class above may add a constructor.
        adding = members.find(of, "__init_subclass__")
        is_changed = adding is not None and not adding.variable.file.startswith(STUBS)
        return is_changed or any(each.decorators or "=" in each.signature for each in symbols)

    def _is_gathered(self, file: str, reference: Reference, variable: Variable) -> bool:
        """Return whether a method takes an argument in `**options`, by which it may set a member of its object."""
        inference, callee = self._resolver.inference, reference.receiver
        own = inference.members.class_declaring(variable)
        if own is None or callee is None:
            return False
        for kind in inference.infer(callee, file, reference.scope, reference.line):
            of = as_class(kind.receiver) if isinstance(kind, FunctionType) and kind.receiver is not None else kind
            if not isinstance(of, ClassType) or not inference.members.is_subclass(of, own):
                continue
            found = inference.members.find(of, "__init__") if isinstance(kind, ClassType) else None
            signatures = self._list_signatures(found.variable) if found is not None else []
            if isinstance(kind, FunctionType) and kind.symbol >= 0:
                signatures = [self._scopes.source.facts(kind.file).symbols[kind.symbol].signature]
            if any("**" in each and not _has_word(each, reference.name) for each in signatures):
                return True
        return False

    def _is_given_as_interface(self, resolution: Resolution, variable: Variable) -> bool:
        """Return whether an interface's member may be a function of a module that is passed on as such an object."""
        symbols = (
            self._scopes.get_class_symbol(self._scopes.class_of_scope(each.file, each.scope))
            for each in resolution.targets
            if isinstance(each, Variable) and self._scopes.is_member(each)
        )
        is_interface = any(each is not None and each.kind is not SymbolKind.CLASS for each in symbols)
        return is_interface and self._is_module_member(variable) and self._modules.is_passed(variable.file)

    def _is_of_open_type(self, file: str, reference: Reference, resolution: Resolution, variable: Variable) -> bool:
        """Return whether the receiver may have further members, so that the reference may mean the variable.

        It is an object of Ruby, or an object literal to which code adds members (`const app = {}; app.open = open`).
        """
        if not resolution.targets:
            return self._may_be_of_other_class(file, reference, variable)
        return all(map(self._is_added_to_literal, resolution.targets))

    def _is_added_to_literal(self, target: Target) -> bool:
        """Return whether a target is a member that code assigns to an object literal which does not list it."""
        if not isinstance(target, Variable):
            return False
        scope = self._scopes.source.uses(target.file).scopes[target.scope]
        is_literal = scope.kind is ScopeKind.CLASS and scope.symbol < 0 and scope.of == UNKNOWN
        return is_literal and all(each.kind is BindingKind.MEMBER for each in self._scopes.bindings(target))

    def _may_be_behind_value(self, file: str, reference: Reference, resolution: Resolution, variable: Variable) -> bool:
        """Return whether a call may mean a function although a value of its name is nearer, as in `val f = f(x)`."""
        spec = self._scopes.spec(file)
        is_outer = variable.scope == 0 or self._scopes.is_member(variable)
        if reference.kind is not ReferenceKind.CALL or reference.receiver is not None or not is_outer:
            return False
        if spec.linkage or not spec.overloads or not resolution.targets:
            return False
        own = self._list_kinds(variable)
        return bool(own) and own <= FUNCTIONS and all(map(self._is_uncalled_value, resolution.targets))

    def _is_uncalled_value(self, target: Target) -> bool:
        """Return whether a target is a field, or a local variable that is not known to hold a function."""
        kinds = self._list_kinds(target)
        if kinds or not isinstance(target, Variable) or target.scope == 0:
            return bool(kinds) and kinds <= _OF_VALUES
        types = self._resolver.inference.infer_variable(target)
        return not any(isinstance(each, (FunctionType, CallableType)) for each in types)

    def _is_wrapper(self, target: Target, variable: Variable) -> bool:
        """Return whether a target is assigned the result of a call with a variable of its file: `g = wrap(f)`."""
        if not isinstance(target, Variable) or target.file != variable.file or variable.scope != 0:
            return False
        calls = (each.value for each in self._scopes.bindings(target) if each.value.kind is ExpressionKind.CALL)
        given = (argument for call in calls for argument in call.parts[1:])
        return any(each.kind is ExpressionKind.NAME and each.name == variable.name for each in given)

    def _list_kinds(self, target: Target) -> set[SymbolKind]:
        """Return the kinds of the symbols that define a target."""
        return {each.kind for each in self._scopes.list_definitions(target)} if isinstance(target, Variable) else set()

    def _is_of_ancestor(self, file: str, reference: Reference, variable: Variable) -> bool:
        """Return whether the receiver is an ancestor of the variable's class, so that it may be one of its objects.

        In languages that look members up at run time, a class may use members that only its subclasses declare. A named
        argument may set a field of an ancestor, by a constructor that a decorator or a metaclass adds.
        """
        spec = self._scopes.spec(file)
        if reference.receiver is None or spec.static_types or spec.overloads or spec.implementations_are_uses:
            return False
        members, receiver = self._resolver.inference.members, reference.receiver
        own = members.class_declaring(variable)
        if own is None:
            return False
        owners = self._resolver.inference.infer_owner(receiver, file, reference.scope, reference.line, reference.name)
        above = map(as_class, owners)
        classes = (each for each in above if isinstance(each, ClassType) and not each.file.startswith(STUBS))
        if reference.kind is ReferenceKind.KEYWORD:
            below = (each for each in classes if members.is_subclass(each, own))
            return not all(self._has_parameter(each, reference.name) for each in below)
        return any(members.is_subclass(own, each) for each in classes)

    def _has_parameter(self, of: ClassType, name: str) -> bool:
        """Return whether a class has a written constructor with a parameter of a name."""
        constructor = self._resolver.inference.members.find(of, "__init__")
        signatures = self._list_signatures(constructor.variable) if constructor is not None else []
        return any(_has_word(each, name) for each in signatures)

    def _usage(self, file: str, reference: Reference, evidence: Evidence) -> Usage:
        # A key in a literal (`name: value`) is recorded as a use of the field that it sets.
        is_key = reference.receiver is not None and evidence is Evidence.SCOPE
        role = ReferenceKind.READ if is_key else reference.kind
        return Usage(file, reference.line, reference.column, role, evidence, self.enclosing)

    def is_linked(self, variable: Variable) -> bool:
        """Return whether the variable has external linkage, so that other translation units may use it."""
        if variable.scope != 0 or not self._scopes.spec(variable.file).linkage:
            return False
        return self._is_exported(variable)

    def _is_exported(self, variable: Variable) -> bool:
        return any(each.symbol.exported for each in self._scopes.list_definitions(variable))

    def _is_known_outside(self, variable: Variable) -> bool:
        """Return whether code in another language may link to the variable: an exported function or variable of C."""
        kinds = self._list_kinds(variable)
        return self.is_linked(variable) and not kinds.isdisjoint({SymbolKind.FUNCTION, SymbolKind.VARIABLE})

    @cached_method
    def may_be_unbound(self, variable: Variable) -> bool:
        """Return whether files in which nothing declares the name may use the variable.

        External linkage makes that possible, and so does the inclusion of a missing file, such as `#include
        "config.h"`, below the definition.
        """
        return self.is_linked(variable) or self._is_included_below(variable)

    def _is_included_below(self, variable: Variable) -> bool:
        """Return whether a file that the workspace lacks is included, in quotes, below the variable."""
        if variable.scope != 0 or not self._scopes.spec(variable.file).linkage:
            return False
        start = min((binding.line for binding in self._scopes.bindings(variable)), default=0)
        return self.is_lost_below(variable.file, start)

    def is_lost_below(self, file: str, line: int) -> bool:
        """Return whether a file of C includes, in quotes, a file that the workspace lacks below a line."""
        return any(
            found.level == 1 and found.line > line and isinstance(self._scopes.modules.find(found, file), External)
            for found in self._scopes.source.facts(file).imports
        )

    def _is_shared(self, file: str, variable: Variable) -> bool:
        """Return whether a file may see a variable of another one without an import: `#include`, scripts, builds."""
        pairs = ((file, variable.file), (variable.file, file))
        system_of = self._scopes.modules.system_of
        # A block may be the body of a class or module that other code includes.
        kind = self._scopes.source.uses(variable.file).scopes[variable.scope].kind
        if kind in {ScopeKind.MODULE, ScopeKind.BLOCK} and system_of(variable.file).shares_functions:
            return SymbolKind.FUNCTION in self._list_kinds(variable)
        if self.is_global(variable) or any(one in system_of(other).includers(other) for one, other in pairs):
            return True
        return file != variable.file and system_of(file).may_be_brought(file) and self._is_module_member(variable)

    def is_global(self, variable: Variable) -> bool:
        """Return whether all files see the variable, since its file is not a module."""
        return variable.scope == 0 and self._scopes.scripts.is_script(variable.file)

    def _is_known(self, file: str, reference: Reference) -> bool:
        """Return whether a bare name is bound in its scope."""
        return bool(self._scopes.find_targets(file, reference.scope, reference.name))


def _has_word(text: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def _may_bring(uses: FileUses, name: str) -> bool:
    """Return whether an import may bring a member as a bare name: a variant of an enumeration, a static member."""
    return "*" in uses.bindings or any(binding.imported >= 0 for binding in uses.bindings.get(name, ()))


def _is_unread(reference: Reference, resolution: Resolution) -> bool:
    """Return whether the reference is in code whose names are recorded but not resolved, such as a macro."""
    receiver = reference.receiver
    is_seen_only = receiver is not None and receiver.kind is ExpressionKind.UNKNOWN and bool(receiver.name)
    return is_seen_only or resolution.unknown == INSIDE_MACRO


def _may_name_namespace(uses: FileUses, reference: Reference) -> bool:
    """Return whether the qualifier of a name may be a module, a class or a namespace rather than an object.

    It may be one if the name is a type (`a.Cart`), or if the qualifier's path begins with a type (`a::b::c`).
    """
    receiver = reference.receiver
    if receiver is None or reference.kind in _OF_TYPES:
        return receiver is not None
    before = uses.references.get(last_name(receiver), ())
    return any(
        each.kind is ReferenceKind.ANNOTATE and each.line == reference.line and each.column < reference.column
        for each in before
    )
