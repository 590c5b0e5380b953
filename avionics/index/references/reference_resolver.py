"""Resolve a reference to its targets, with the evidence for them.

scope → import → member of a known receiver → unknown. Nothing is guessed: a member of a receiver of unknown type
resolves to nothing, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct, structs

from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.cached_method import cached_method
from avionics.index.model.file_roles import is_declaration_file
from avionics.index.model.memo import FinalValues
from avionics.index.model.values import (
    BUILTIN,
    SEVERAL_RESULTS,
    CallableType,
    ClassType,
    External,
    FunctionType,
    InstanceType,
    Module,
    SuperType,
    Target,
    Type,
    TypeVariable,
    UnknownType,
    Variable,
    as_class,
)
from avionics.index.references.compiled_targets import CompiledTargets
from avionics.index.references.macro_receivers import INSIDE_MACRO, MacroReceivers, is_cpp
from avionics.index.scopes.dynamic_modules import DYNAMIC_MODULE, MODULE_NOT_FOUND, DynamicModules
from avionics.index.scopes.name_resolver import NameResolver
from avionics.index.scopes.type_position import choose_namespace, scope_before_static, scope_of_type, scope_of_value
from avionics.index.types.calls.named_arguments import find_fields
from avionics.index.types.calls.specializations import is_of_standard_template
from avionics.index.types.inference import Inference
from avionics.index.types.outside_extensions import find_infix, keep_seen
from avionics.index.types.signatures import Arguments
from avionics.index.types.substitution import is_foreign
from avionics.model.enums import (
    VALUES,
    Evidence,
    ExpressionKind,
    ReferenceKind,
    ScopeKind,
    SymbolKind,
    is_class,
)
from avionics.model.facts import UNKNOWN, Expression, Reference
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.records import evolve
from avionics.syntax.engine.expressions import dotted
from avionics.syntax.registry import conventions_of

_CALL, _KEYWORD, _READ, _WRITE = ReferenceKind.CALL, ReferenceKind.KEYWORD, ReferenceKind.READ, ReferenceKind.WRITE
_OF_TYPES = frozenset({ReferenceKind.ANNOTATE, ReferenceKind.INHERIT})
_NAMED = frozenset({ExpressionKind.NAME, ExpressionKind.ATTRIBUTE, ExpressionKind.SELF})
_OWN_NAME = "this"
_MAX_KEPT = 200_000
"""The number of resolutions kept, about 50 MB; when there are more, all are dropped."""
_RECEIVER_UNKNOWN = Reason(ReasonKind.RECEIVER_TYPE_UNKNOWN)
_DECORATED = Reason(ReasonKind.DECORATED_RECEIVER)
_RECEIVER_NOT_ANALYZED = Reason(ReasonKind.RECEIVER_NOT_ANALYZED)
KEY_OR_FIELD = Reason(ReasonKind.KEY_OR_FIELD)
"""Why `name` in a composite literal `T{name: 1}` may be a value in scope: `T` may be a map rather than a struct."""
_CALLEE_UNKNOWN = Reason(ReasonKind.CALLEE_UNKNOWN)
INHERITED_OVERLOAD = Reason(ReasonKind.INHERITED_OVERLOAD)
_BLANKET_IMPLEMENTATION = Reason(ReasonKind.BLANKET_IMPLEMENTATION)
_OUTSIDE_INTERFACE = Reason(ReasonKind.OUTSIDE_INTERFACE)
_BASE_CLASS_UNKNOWN = Reason(ReasonKind.BASE_CLASS_UNKNOWN)
_MEMBER_NOT_DECLARED = Reason(ReasonKind.MEMBER_NOT_DECLARED)

Alike = tuple[str, str, ReferenceKind, int, Expression | None, int]
"""The file of a reference, its name and kind, the outermost scope with the same meaning, its receiver and index."""
_Members = tuple[tuple[Target, ...], Reason | None]
"""The targets of a member of one receiver, and the reason why it may mean something else."""


class Resolution(Struct, frozen=True):
    """The targets of a reference.

    Attributes:
        targets: The variables and modules that it means; () for something outside the workspace.
        unknown: Why it may also mean something else; None if it certainly does not.
    """

    targets: tuple[Target, ...]
    evidence: Evidence
    unknown: Reason | None = None


class Resolver:
    """Resolves the references of one snapshot, memoised."""

    def __init__(self, scopes: NameResolver) -> None:
        self.scopes = scopes
        self.inference = Inference(scopes)
        scopes.members = self.inference.members
        self._lost = self.inference.lost
        self._guessing = Inference(scopes, follow_fixtures=True)
        self.compiled = CompiledTargets(scopes)
        self._members: FinalValues[tuple[Type, str], _Members] = FinalValues(self._gather_members, scopes.computation)
        self._macros = MacroReceivers(scopes, self._list_starred_outside)
        self._shared: FinalValues[Alike, Resolution] = FinalValues(self._settle_alike, scopes.computation)
        self._dynamic = DynamicModules(scopes)
        self._resolved: dict[tuple[str, int, int, str], Resolution] = {}
        self._guessed: dict[tuple[str, int, int, str], Resolution] = {}

    def resolve(self, file: str, reference: Reference) -> Resolution:
        """Return the targets of the reference and the evidence for them."""
        key = (file, reference.line, reference.column, reference.name)
        known = self._resolved.get(key)
        if known is None:
            if len(self._resolved) >= _MAX_KEPT:
                self._resolved.clear()
            known = self._resolved[key] = self._get_proven(file, reference) or self._infer(file, reference)
        return known

    def _infer(self, file: str, reference: Reference) -> Resolution:
        """Resolve a reference that the facts of no compiler resolve."""
        found, spec = self._resolve(file, reference), self.scopes.spec(file)
        if spec.path_separator:
            found = self._if_lost(file, reference, found)
        if spec.nearest_stars and len(found.targets) > 1:
            found = structs.replace(found, targets=choose_namespace(self.scopes, file, reference, found.targets))
        return _inside(self._taking(file, reference, found) if spec.overloads else found)

    def _get_proven(self, file: str, reference: Reference) -> Resolution | None:
        """Return the resolution that a compiler proved; None if there is none."""
        facts = self.scopes.source.compiled(file)
        if facts is None:
            return None
        there = facts.find_targets(reference.line, reference.column)
        targets = tuple(target for each in there for target in self.compiled.find_targets(each))
        return Resolution(targets, Evidence.COMPILER) if targets else None

    def _resolve(self, file: str, reference: Reference) -> Resolution:
        if reference.index >= 0 and reference.is_import:
            found = self.scopes.source.facts(file).imports[reference.index]
            targets = self._with_stubbed(self.scopes.find_imported(file, found))
            unknown = None if targets else self._dynamic.get_lack(file, found)
            return Resolution(targets, Evidence.IMPORT, unknown)
        if reference.kind is _KEYWORD and reference.receiver is not None:
            fields, is_known = find_fields(
                self.inference, self.inference.parameters, file, reference, reference.receiver
            )
            return Resolution(fields, Evidence.MEMBER, None if is_known else _CALLEE_UNKNOWN)
        end = self.scopes.spec(file).omitted_end if reference.kind is ReferenceKind.DECORATE else ""
        if end and not reference.name.endswith(end):
            whole = self._resolve(file, evolve(reference, {"name": f"{reference.name}{end}"}))
            if any(isinstance(each, Variable) for each in whole.targets):
                return whole
        alike = self.get_alike(file, reference)
        settled = self._settle(file, reference) if alike is None else self._shared(alike)
        literal = reference.receiver if reference.kind is _WRITE and not settled.targets else None
        if literal is not None and _is_typed(literal):
            return self._key(file, reference, literal) or settled
        return settled

    def get_alike(self, file: str, reference: Reference) -> Alike | None:
        """Return the key of all references with the same meaning; None if the meaning also depends on the place."""
        receiver, kind, shared = reference.receiver, reference.kind, self.inference.shared_scopes
        if receiver is not None:
            scope, kind = shared.get_shared(file, reference.scope, receiver), kind if kind is _CALL else _READ
            return None if scope is None else (file, reference.name, kind, scope, receiver, -1)
        if reference.arguments is not None:
            return None
        scope = shared.get_binding_scope(file, reference.scope, reference.name)
        if scope_before_static(self.scopes, file, reference) != reference.scope:
            return None
        return None if scope is None else (file, reference.name, kind, scope, None, reference.index)

    def resolve_alike(self, alike: Alike) -> Resolution:
        """Return what the references mean that have something in common; those without arguments mean nothing more."""
        return _inside(self._shared(alike))

    def _settle_alike(self, alike: Alike) -> Resolution:
        file, name, kind, scope, receiver, index = alike
        return self._settle(file, Reference(name, kind, 0, 0, scope, receiver, index))

    def _settle(self, file: str, reference: Reference) -> Resolution:
        """Resolve a bare name, or a member of a receiver."""
        if reference.receiver is None:
            scope = scope_before_static(self.scopes, file, reference) if reference.line else reference.scope
            return self._name(file, reference if scope == reference.scope else evolve(reference, {"scope": scope}))
        return self._member(file, reference, reference.receiver, self.inference)

    def _if_lost(self, file: str, reference: Reference, found: Resolution) -> Resolution:
        """Return the resolution, with the reason MODULE_NOT_FOUND if its target is in a missing workspace module."""
        if found.unknown is not None:
            return found
        if any(not isinstance(each, External) for each in found.targets):
            return found
        if reference.receiver is None and not found.targets:
            is_lost = self.scopes.modules.may_bring(file)
        else:
            is_lost = any(self._lost.is_lost(file, each) for each in found.targets)
        return structs.replace(found, targets=(), unknown=MODULE_NOT_FOUND) if is_lost else found

    @cached_method
    def _list_starred_outside(self, file: str) -> tuple[External, ...]:
        """Return the outside modules that a file star-imports, directly or through others."""
        return self.scopes.stars.list_outside(file)

    def _key(self, file: str, reference: Reference, literal: Expression) -> Resolution | None:
        """Return the resolution of `name` in `T{name: 1}` as a value in scope; None for a field or an unbound name."""
        pattern, bare = self.scopes.spec(file).valued_keys, self._name(file, reference)
        if pattern is None or not any(map(self._is_value, bare.targets)):
            return None
        # Only names that begin with a capital letter are visible in another package.
        is_hidden, is_known = not reference.name[0].isupper(), True
        owners = self.inference.infer_owner(literal, file, reference.scope, reference.line, reference.name)
        for owner in map(as_class, owners):
            if isinstance(owner, ClassType) and owner.symbol >= 0:
                symbols = self.scopes.source.facts(owner.file).symbols
                if any(each.parent == owner.symbol and each.kind is SymbolKind.ATTRIBUTE for each in symbols):
                    return None
                is_valued = owner.file.startswith(STUBS) or pattern.match(symbols[owner.symbol].signature) is not None
            else:
                is_valued = isinstance(owner, External) and not owner.is_builtin and is_hidden
            is_known = is_known and is_valued
        if owners and is_known:
            return structs.replace(bare, evidence=Evidence.SCOPE)
        return Resolution((), Evidence.NAME_ONLY, KEY_OR_FIELD)

    def _is_value(self, target: Target) -> bool:
        """Return whether a target is a variable or constant, which can be a key, rather than a type or function."""
        if not isinstance(target, Variable):
            return False
        symbols, bindings = self.scopes.source.facts(target.file).symbols, self.scopes.bindings(target)
        return all(each.symbol < 0 or symbols[each.symbol].kind in VALUES for each in bindings)

    def _taking(self, file: str, reference: Reference, found: Resolution) -> Resolution:
        """Replace targets that do not take the arguments by inherited or outer overloads that do."""
        if reference.arguments is None or not self.scopes.spec(file).overloads:
            return found
        given = Arguments(reference.arguments, file, reference.scope, reference.line)
        targets: list[Target] = []
        for target in found.targets:
            is_member = isinstance(target, Variable) and self.scopes.is_member(target)
            taking = self.inference.overloads.get_taking(target, given) if is_member else target  # type: ignore[arg-type]
            if taking is None:
                return structs.replace(found, targets=(), unknown=INHERITED_OVERLOAD)
            targets.append(self.inference.overloads.get_outer(taking, file, reference) or taking)
        return structs.replace(found, targets=tuple(targets))

    def guess(self, file: str, reference: Reference) -> Resolution:
        """Resolve a reference that `resolve` could not settle, taking test parameters for the fixtures they name."""
        has_fixtures = conventions_of(file).tests.has_fixtures
        if reference.receiver is None or reference.kind is ReferenceKind.KEYWORD or not has_fixtures:
            return self.resolve(file, reference)
        key = (file, reference.line, reference.column, "")
        known = self._guessed.get(key)
        if known is None:
            if len(self._guessed) >= _MAX_KEPT:
                self._guessed.clear()
            guess = self._member(file, reference, reference.receiver, self._guessing)
            known = self._guessed[key] = _inside(self._taking(file, reference, guess))
        return known

    def resolve_as_written(self, file: str, reference: Reference) -> Resolution:
        """Resolve a name in the arguments of a macro as if the macro left them unchanged, which is only a guess."""
        receiver = reference.receiver
        if receiver is None or receiver.kind is not ExpressionKind.UNKNOWN or not receiver.name:
            return self.resolve(file, reference)
        before = receiver.parts[0] if receiver.parts else None
        return self._resolve(file, structs.replace(reference, receiver=before))

    def resolve_expanded(self, file: str, reference: Reference) -> Resolution:
        """Resolve a name in the expansion of a macro, at the place of the call."""
        return _inside(self._resolve(file, reference))

    def _name(self, file: str, reference: Reference) -> Resolution:
        scope = self._scope_seen(file, reference)
        if reference.kind in _OF_TYPES or (reference.kind is ReferenceKind.CALL and reference.index >= 0):
            may_be_value = reference.kind is ReferenceKind.ANNOTATE and reference.index >= 0
            scope = scope_of_type(self.scopes, file, scope, reference.name, may_be_value=may_be_value)
        else:
            scope = scope_of_value(self.scopes, file, scope, reference.name)
        variable = self.scopes.get_variable(file, scope, reference.name)
        targets = self.scopes.find_targets(file, scope, reference.name)
        unknown = _RECEIVER_UNKNOWN if self._is_among_unknown(file, reference, variable) else None
        if variable is not None and variable in targets:
            return Resolution(targets, Evidence.SCOPE, unknown)
        own = (variable,) if variable is not None else ()
        if not targets and self._dynamic.may_bring(file, variable):
            return Resolution((), Evidence.IMPORT, DYNAMIC_MODULE)
        if not own and not targets and reference.arguments and is_cpp(self.scopes, file):
            return Resolution(self._find_by_arguments(file, reference), Evidence.INFERRED, unknown)
        if not (own or targets or unknown) and self.scopes.spec(file).receiving_lambdas:
            may_be_member = self.scopes.is_in_lambda(file, reference.scope) or self._is_cast(file, _OWN_NAME)
            unknown = _RECEIVER_UNKNOWN if may_be_member else None
        if not (own or targets or unknown) and self._lost.is_within(file, reference.scope):
            unknown = _BASE_CLASS_UNKNOWN
        return Resolution(self._with_stubbed((*own, *targets)), Evidence.IMPORT, unknown)

    def _find_by_arguments(self, file: str, reference: Reference) -> tuple[Target, ...]:
        """Return the functions that a call of C++ finds by its arguments' classes, if only one namespace has any."""
        spaces: dict[str, None] = {}
        for argument in reference.arguments or ():
            for kind in self.inference.infer(argument, file, reference.scope, reference.line):
                of = kind.of if isinstance(kind, InstanceType) else None
                for each in self.inference.members.lineage(of).classes if isinstance(of, ClassType) else ():
                    spaces[self.scopes.get_namespace_around(each)] = None
        ambient = [module for module in self.scopes.modules.ambient(file) if module.seen_from]
        found = (
            self.scopes.find_member(structs.replace(module, inner=tuple(space.split("."))), reference.name)
            for space in spaces
            for module in (ambient if space else ())
        )
        several = {targets for targets in found if targets}
        return several.pop() if len(several) == 1 else ()

    def _is_among_unknown(self, file: str, reference: Reference, bound: Variable | None) -> bool:
        """Return whether a bare name may be a member of an object of unknown type: `switch (unknown()) { case A: }`."""
        spec, scopes = self.scopes.spec(file), self.scopes.source.uses(file).scopes
        scope = reference.scope if spec.implicit_members and not spec.linkage else -1
        end = bound.scope if bound is not None and bound.file == file else -1
        while scope not in {-1, end} and reference.kind not in _OF_TYPES:
            of = scopes[scope].of
            scope = scopes[scope].parent
            if of != UNKNOWN:
                kinds = self.inference.infer(of, file, scope, reference.line)
                if not kinds or any(isinstance(kind, UnknownType) for kind in kinds):
                    return True
        return False

    def _with_stubbed(self, targets: tuple[Target, ...]) -> tuple[Target, ...]:
        """Return the targets; for one in a declaration file (`.pyi`, `.d.ts`), also the original of its module."""
        stubbed = [t for t in targets if isinstance(t, Variable) and t.scope == 0 and is_declaration_file(t.file)]
        beside = ((each, file) for each in stubbed for file in self.scopes.modules.counterparts(each.file, each.name))
        found = (brought for each, file in beside for brought in self.scopes.follow(Variable(file, 0, each.name)))
        return tuple(dict.fromkeys((*targets, *found))) if stubbed else targets

    def _scope_seen(self, file: str, reference: Reference) -> int:
        """Return the scope in which lookup of a bare name starts, skipping a class body that binds it only later."""
        scope = self.scopes.source.uses(file).scopes[reference.scope]
        is_executed = scope.kind is ScopeKind.CLASS and self.scopes.spec(file).executed_classes
        if not is_executed or reference.kind is ReferenceKind.WRITE:
            return reference.scope
        own = self.scopes.bindings(Variable(file, reference.scope, reference.name))
        is_early = bool(own) and all(binding.line >= reference.line for binding in own)
        return scope.parent if is_early else reference.scope

    def _member(self, file: str, reference: Reference, receiver: Expression, inference: Inference) -> Resolution:
        if receiver.kind is ExpressionKind.UNKNOWN:
            if infix := find_infix(self.scopes, file, reference.name):
                return Resolution(infix, Evidence.IMPORT)
            # Inside a macro, the receiver is recorded with a name but is not parsed.
            return Resolution((), Evidence.NAME_ONLY, INSIDE_MACRO if receiver.name else _RECEIVER_NOT_ANALYZED)
        if own := inference.get_implemented(receiver.kind, reference.name, file, reference.scope):
            return Resolution((own,), Evidence.MEMBER)
        owners = inference.infer_owner(receiver, file, reference.scope, reference.line, reference.name)
        spec = self.scopes.spec(file)
        if (
            spec.linkage
            and not any(isinstance(each, ClassType) for each in map(as_class, owners))
            and is_of_standard_template(receiver, self.scopes)
        ):
            return Resolution((), Evidence.MEMBER)
        receiver = receiver.parts[0] if receiver.kind is ExpressionKind.POINTED else receiver
        if spec.linkage or spec.path_separator:  # Languages with macros.
            if self._macros.may_declare(file, reference, receiver, owners):
                return Resolution((), Evidence.NAME_ONLY, INSIDE_MACRO)
            owners = () if self._macros.is_undeclared(file, owners) else owners
        targets: dict[Target, None] = {}
        evidence, unknown = _evidence_of(file, receiver, owners), None if owners else _RECEIVER_UNKNOWN
        for owner in owners:
            found, reason = self._resolve_member(file, reference, owner)
            found = keep_seen(self.scopes, file, found)
            targets.update(dict.fromkeys(found))
            unknown = unknown or reason
            if evidence is Evidence.MEMBER:
                inherits = any(isinstance(t, Variable) and self._is_inherited(owner, t) for t in found)
                evidence = Evidence.INHERITED if inherits else evidence
        if not targets and unknown is None and spec.smart_casts and receiver.kind in _NAMED:
            unknown = _RECEIVER_UNKNOWN if self._is_cast(file, receiver.name or _OWN_NAME) else None
        if not targets and unknown is not None and (infix := find_infix(self.scopes, file, reference.name)):
            return Resolution(infix, Evidence.IMPORT)
        return Resolution(tuple(targets), evidence, unknown)

    @cached_method
    def _is_cast(self, file: str, name: str) -> bool:
        """Return whether a file tests or casts the type of a name (`x is A`), which gives it members of that type."""
        pattern = self.scopes.spec(file).smart_casts.replace("NAME", re.escape(name))
        return re.search(pattern, self.scopes.source.read_text(file)) is not None

    def _resolve_member(self, file: str, reference: Reference, owner: Type) -> _Members:
        """Return the targets of a member of one possible receiver, including extensions of its type."""
        found, reason = self._member_of(owner, reference.name)
        of = as_class(owner)
        if isinstance(of, External):
            return self._resolve_outside_member(file, reference, owner, of, reason)
        if not found and isinstance(of, (ClassType, TypeVariable)) and reason in {None, _MEMBER_NOT_DECLARED}:
            found, added = self._added_to_bases(file, of, reference.name)
            is_standard = isinstance(of, ClassType) and of.file.startswith(STUBS)
            if not found and is_standard and self.scopes.spec(file).smart_casts:
                # The stub, or a comment, may declare a less precise type than the value has.
                added = added or (_RECEIVER_UNKNOWN if self.inference.members.extends_some(reference.name) else None)
            elif not found and is_standard and self.scopes.spec(file).types_in_comments:
                added = added or _MEMBER_NOT_DECLARED
            return found, added if found else added or reason
        if not found and reason is None and isinstance(of, CallableType) and self.scopes.spec(file).overloads:
            # A function has no members: the receiver is something else.
            return found, _RECEIVER_UNKNOWN
        return found, reason

    def _resolve_outside_member(
        self, file: str, reference: Reference, owner: Type, of: External, reason: Reason | None
    ) -> _Members:
        """Return the extensions of an outside type with the member's name, and why it may mean something else."""
        found, for_all = self.inference.members.added_outside(file, of, reference.name)
        is_called = reference.kind is ReferenceKind.CALL and of != owner
        if is_called and self._may_be_interface(file, of):
            return found, _OUTSIDE_INTERFACE
        if for_all and not found:
            return found, _BLANKET_IMPLEMENTATION
        if reason is not None:
            return found, reason
        if of != owner and self.inference.members.may_be_below(file, of, reference.name):
            return found, _MEMBER_NOT_DECLARED
        is_own = self._may_refer_to_own(file, owner, reference.name) or self._macros.is_type_elsewhere(file, owner)
        if is_own or self._is_reopened(file, of) or self._is_memberless(file, of):
            return found, _RECEIVER_UNKNOWN
        # The constants of a generated class are not in the workspace: `R.string.title`.
        is_own = of == owner and reference.kind is not _CALL and not self.scopes.spec(file).path_separator
        return found, MODULE_NOT_FOUND if not is_own and self._lost.is_lost(file, of) else None

    def _may_refer_to_own(self, file: str, owner: Type, name: str) -> bool:
        """Return whether an outside generic object may have members of the workspace types among its arguments.

        `Deref` of Rust forwards to the object inside; in TypeScript, `Partial<Cart>` has the members of `Cart`.
        """
        arguments = owner.arguments if isinstance(owner, InstanceType) else ()
        given = [kind for types in arguments for kind in types]
        if conventions_of(file).implicit.key_queries:
            own = (kind.of for kind in given if isinstance(kind, InstanceType) and isinstance(kind.of, ClassType))
            return any(self.inference.members.find(of, name) is not None for of in own)
        return not all(map(is_foreign, given)) and self.scopes.spec(file).dereferences

    def _added_to_bases(self, file: str, of: ClassType | TypeVariable, name: str) -> _Members:
        """Return the members of a name that the workspace adds to all types, or to outside bases of a class."""
        spec = self.scopes.spec(file)
        if not (spec.overloads or spec.implementations_are_uses):
            return (), None
        bases: Iterable[External | ClassType | TypeVariable] = (of,)
        if isinstance(of, ClassType):
            outside = map(External, self.inference.members.lineage(of).externals)
            bases = outside if spec.overloads else (of.plain,)
        added = [self.inference.members.added_outside(file, base, name) for base in bases]
        found = tuple(dict.fromkeys(member for members, _ in added for member in members))
        return found, _BLANKET_IMPLEMENTATION if not found and any(for_all for _, for_all in added) else None

    def _is_reopened(self, file: str, of: External) -> bool:
        """Return whether the workspace opens a built-in class again to add members: `class String` of Ruby."""
        spec, name = self.scopes.spec(file), of.name.removeprefix(BUILTIN)
        if not of.is_builtin or not spec.open_classes or spec.static_types or spec.stub:
            return False
        return any(is_class(each.kind) for each in self.scopes.source.iter_named(name))

    def _is_memberless(self, file: str, of: External) -> bool:
        """Return whether values of a type have no members (`any`, `int` of Go); the receiver then has another type."""
        spec, name = self.scopes.spec(file), of.name.removeprefix(BUILTIN)
        is_plain = of.is_builtin and name in spec.builtin_names and name != "error"
        return of == SEVERAL_RESULTS or (spec.structural_interfaces and is_plain)

    def _is_assigned(self, owner: Module, name: str) -> bool:
        """Return whether a module is the global object, and some file assigns a property of that name to it."""
        whole = self.scopes.global_object
        return whole.is_global(owner) and whole.is_assigned(owner.seen_from, name)

    def _may_be_interface(self, file: str, of: External) -> bool:
        """Return whether an outside type may be an interface that classes satisfy implicitly: no stub declares it."""
        spec = self.scopes.spec(file)
        directory, slash, rest = of.name.rpartition("/")
        module = f"{directory}{slash}{rest.partition('.')[0]}"
        return spec.structural_interfaces and spec.distribution is not None and bool(spec.distribution(module))

    def _member_of(self, owner: Type, name: str) -> _Members:
        return self._members((owner, name))

    def _gather_members(self, member: tuple[Type, str]) -> _Members:
        owner, name = member
        if isinstance(owner, UnknownType):
            return (), _RECEIVER_UNKNOWN
        if isinstance(owner, Module):
            targets = self._with_stubbed(self.scopes.find_after(owner, name))
            is_open = self.scopes.has_dynamic_members(owner) or self._is_assigned(owner, name)
            if targets or is_open or self._dynamic.is_computed(owner) or self._dynamic.is_open(owner):
                return targets, None if targets else DYNAMIC_MODULE
            return (), self._macros.get_lack(owner, name)
        if isinstance(owner, TypeVariable):
            found = [self._member_of(bound, name) for bound in owner.bound]
            return _join(found) if found else ((), _RECEIVER_UNKNOWN)
        if isinstance(owner, FunctionType):
            # If functions have no members in this language, the receiver is something else with the same name.
            spec = self.scopes.spec(owner.file)
            if spec.static_types or spec.smart_casts:
                return (), _RECEIVER_UNKNOWN
            return (), _DECORATED if self.inference.is_replaced(owner) else None
        is_object = isinstance(owner, (ClassType, SuperType)) or (
            isinstance(owner, InstanceType) and isinstance(owner.of, ClassType)
        )
        return self._class_member(owner, name) if is_object else ((), None)

    def _class_member(self, owner: Type, name: str) -> _Members:
        found = self.inference.get_member(owner, name)
        if found is not None:
            of = owner if isinstance(owner, ClassType) else owner.of  # type: ignore[union-attr]
            others = self.inference.members.alternatives(of, found) if isinstance(of, ClassType) else ()
            beside = self.inference.members.find_beside(found)
            if not self._is_same_type((found.variable, *beside)):
                return (), Reason(ReasonKind.AMBIGUOUS_OVERLOAD, total=len(beside) + 1)
            is_open = isinstance(of, ClassType) and self.inference.members.may_be_given(of)
            targets = (found.variable, *self.scopes.follow(found.variable), *others, *beside)
            return targets, _RECEIVER_UNKNOWN if is_open else None
        of = owner if isinstance(owner, ClassType) else owner.of  # type: ignore[union-attr]
        assert isinstance(of, ClassType)
        contained = [self._contained_member(of.file, kind, name) for kind in self.inference.dereference(owner)]
        if contained:
            return _join(contained)
        if brought := self.inference.members.find_exported(of, name):
            return brought, None
        lineage = self.inference.members.lineage(of)
        if self._lost.inherits(of):
            return (), _BASE_CLASS_UNKNOWN
        empty = conventions_of(of.file).implicit.empty_bases
        is_outside = any(base not in empty for base in lineage.externals)
        is_outside = is_outside or (of.file.startswith(STUBS) and not self.scopes.is_open_stub(of))
        return (), None if is_outside else _MEMBER_NOT_DECLARED

    def _contained_member(self, file: str, owner: Type, name: str) -> _Members:
        """Return a member of the object that a smart pointer contains, which may be a smart pointer again."""
        found, reason = self._member_of(owner, name)
        is_open = not found and isinstance(as_class(owner), External) and self._may_refer_to_own(file, owner, name)
        return found, reason or (_RECEIVER_UNKNOWN if is_open else None)

    def _is_same_type(self, members: tuple[Variable, ...]) -> bool:
        """Return whether all members are added to a type with the same known arguments, as by two `impl Box<A>`."""
        types = {self.scopes.source.uses(each.file).scopes[each.scope].of for each in members}
        is_known = all(part.kind is not ExpressionKind.UNKNOWN for of in types for part in of.parts)
        return len(members) == 1 or (len(types) == 1 and is_known)

    def _is_inherited(self, owner: Type, member: Variable) -> bool:
        """Return whether a member found through the owner is declared in one of its ancestors."""
        of = owner.of if isinstance(owner, (InstanceType, SuperType)) else owner
        return isinstance(of, ClassType) and self.inference.members.own_member(of, member.name) != member


def _is_typed(literal: Expression) -> bool:
    """Return whether a receiver is a composite literal of a written type: `T{name: 1}`."""
    while literal.kind is ExpressionKind.SUBSCRIPT:
        literal = literal.parts[0]
    return literal.kind is ExpressionKind.TYPED


def _join(members: list[_Members]) -> _Members:
    """Combine the members found for several receivers; keep the first reason."""
    targets = tuple(target for targets, _ in members for target in targets)
    return targets, next((reason for _, reason in members if reason), None)


def _inside(resolution: Resolution) -> Resolution:
    """Drop targets in stubs: they are outside the workspace."""
    targets = resolution.targets
    for target in targets:
        if not isinstance(target, External) and target.file.startswith(STUBS):
            inside = (each for each in targets if isinstance(each, External) or not each.file.startswith(STUBS))
            return structs.replace(resolution, targets=tuple(inside))
    return resolution


def _evidence_of(file: str, receiver: Expression, owners: tuple[Type, ...]) -> Evidence:
    """Return the evidence for the type of a receiver: an import, a written class, `self`, or inference."""
    is_class = False
    for owner in owners:
        if isinstance(owner, (Module, External)):
            return Evidence.IMPORT
        is_class = is_class or isinstance(owner, (ClassType, SuperType))
    if is_class or receiver.kind is ExpressionKind.SELF:
        return Evidence.MEMBER
    own = conventions_of(file).receivers
    return Evidence.MEMBER if own and dotted(receiver) in own else Evidence.INFERRED
