"""Find the member that a receiver lost in a change, and prove that nothing else can provide it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cached_property

from avionics.index.code_index import CodeIndex
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.cached_method import cached_method
from avionics.index.model.values import (
    BUILTIN,
    ClassType,
    External,
    FunctionType,
    InstanceType,
    Module,
    SuperType,
    Target,
    Type,
    Types,
    TypeVariable,
    Variable,
    only_class,
)
from avionics.index.types.inference import ANY_MEMBER
from avionics.index.verdicts.comparison import VersionPair, is_only_assigned
from avionics.index.verdicts.findings import Proof
from avionics.index.verdicts.names.closed_modules import is_declared_once
from avionics.index.verdicts.names.derived_members import DerivedMembers
from avionics.index.verdicts.outside_bases import KEYED_BASES, has_every_object, is_in_scope, may_give, may_inherit
from avionics.index.verdicts.requirements import Requirements, list_declared
from avionics.index.verdicts.suppression import is_excused
from avionics.late_pattern import late_pattern
from avionics.model.enums import FUNCTIONS, BindingKind, ExpressionKind, ReferenceKind, SymbolKind
from avionics.model.facts import Expression, Reference
from avionics.model.knowledge import Definition
from avionics.model.naming import as_written, called, tagged
from avionics.syntax.conventions import is_decorated
from avionics.syntax.engine.expressions import dotted_name, value_of
from avionics.syntax.registry import conventions_of

_DEREFERENCING = frozenset({"Deref", "DerefMut"})
"""Traits that give a value the methods of another one without adding any to its type."""

_SLOTS = "__slots__"
_ANY_NAME = ("__getattr__", "__getattribute__", "__get", "__call", ANY_MEMBER)
"""Members by which objects have members of any name, in Python, PHP and TypeScript."""

_DECLARED = late_pattern(r"\??\s*+:([\s\w$|]++)[,)=]")
"""The text after a parameter whose type is a name or joins names."""

_ALIAS = late_pattern(r"(?:export\s++)?(?:declare\s++)?type\s++[\w$]++\s*+=([\s\w$|<>,]++);?+")
_GIVEN = late_pattern(r"<[^<>]*+>")
"""The type arguments of a name."""

_MAX_ALIASES = 4

_IS_OF_VALUE = late_pattern(r"\w\s{0,9}+\.\s{0,9}+\Z")
"""The text before a member of a named value that is not a pointer."""

_FIRST = late_pattern(r"\s*+(\w++(?>(?:\.\w++)*))\s*+,")
"""A first argument that is a name or a chain of them."""

_MAX_CALL = 30
"""The maximum number of lines between the start of a call and a named argument in it."""

_KEY = late_pattern(r"(?<!\w)(\w++)\[\s*+([\"'])(\w++)\2\s*+\]")
"""A name, and the text that is written as its index."""

_EXTRA = "extra_items"
"""The text in the signature of a class whose objects may have keys that it does not declare."""

_TYPES = frozenset({SymbolKind.INTERFACE, SymbolKind.TYPE})
"""Kinds of definitions that have no value."""

LostMember = tuple[Variable, str, Proof]
"""A member of the old version, the name of its owner, and whether the owner certainly has no such member now."""


class LostMembers:
    """Finds the members that one change took from the types of receivers."""

    def __init__(self, pair: VersionPair) -> None:
        self._pair = pair
        self._before = pair.before.resolver
        self._after = pair.after.resolver
        self._requirements = Requirements()
        self._derived = DerivedMembers(pair)

    def get(
        self, owner: Type, name: str, former: Collection[Target] = (), *, is_separate: bool = False, file: str = ""
    ) -> LostMember | None:
        """Return the member that a receiver had before the change and lacks now, or None.

        `former` are the former targets of the reference, if its file is unchanged. With `is_separate`, its language
        separates functions from values. `file` is the file of the reference, if known.
        """
        if isinstance(owner, TypeVariable):
            return self._get_of_bounds(owner, name)
        of = owner.of if isinstance(owner, (InstanceType, SuperType)) else owner
        if not isinstance(of, ClassType) or of.file.startswith(STUBS):
            return None
        inference = self._after.inference
        symbol = self._after.scopes.get_class_symbol(of)
        if symbol is None:
            return self._get_of_unnamed(of, name, former)
        if symbol.kind is SymbolKind.MODULE and not is_declared_once(self._pair.after, of, symbol.name):
            return None
        found = inference.get_member(owner, name)
        is_asked = found is not None and self._is_only_required(of, found.variable)
        if found is not None and (is_asked or self._is_absent(of, found.variable)):
            found = None
        # The names of magic methods of PHP are not marked as those of functions.
        is_other = is_separate and found is not None and found.variable.name == called(name) != name
        if (found is not None and not is_other) or inference.dereference(owner):
            return None
        if any(inference.members.find(of, each) is not None for each in _ANY_NAME):
            return None
        if has_every_object(self._after.scopes.spec(of.file), name) or self._may_be_extended(of.file, name):
            return None
        was = self._pair.class_before(of)
        before = was and self._before.inference.members.find(was, name, skip_own=isinstance(owner, SuperType))
        if was is None or not before or before.variable.file.startswith(STUBS):
            return None
        if is_asked and _get_interface(self._pair.before, before.variable):
            return None
        lineage = inference.members.lineage(of)
        derived = self._derived.get_proof(of, was, as_written(name))
        if derived is Proof.CERTAIN or any(self._has_slot(each, as_written(name)) for each in lineage.classes):
            return None
        is_told = bool(file) and isinstance(owner, InstanceType)
        seen = [each for each in lineage.externals if not is_told or is_in_scope(self._pair.after, file, each)]
        outside = [each for each in seen if self._may_have(of.file, each, name, owner)]
        if outside and self.is_no_override(before.variable):
            outside = []
        is_static = not self._after.scopes.spec(of.file).executed_classes
        is_sure = not (lineage.is_open or outside or derived) and (is_static or not self._is_added_below(of, name))
        return before.variable, symbol.qualname, Proof.CERTAIN if is_sure else Proof.POSSIBLE

    def _may_be_extended(self, file: str, name: str) -> bool:
        """Return whether an extension of a type variable has the name: `static T Fault<T>(this T builder)` of C#."""
        code, scopes = self._pair.after, self._after.scopes
        if not scopes.modules.system_of(file).extends_any_type:
            return False
        for other in {each.file for each in code.source.iter_named(name)} - self._pair.undeclared:
            uses = code.uses(other)
            extended = (uses.scopes[binding.scope].of for binding in uses.bindings.get(name, ()))
            if any(of.kind is ExpressionKind.NAME and scopes.names_type_parameter(other, of.name) for of in extended):
                return True
        return False

    def find_meant(self, file: str, reference: Reference, owners: Types) -> tuple[Target, ...]:
        """Return the targets of a reference, without members that are only assigned, or only required by an interface.

        In a language that separates functions from values (Java), the name of a value does not mean a function.
        """
        targets = tuple(
            each
            for each in self._after.resolve(file, reference).targets
            if not (isinstance(each, Variable) and self._is_not_provided(owners, each))
        )
        if not self._after.scopes.spec(file).separate_functions:
            return targets
        name, function = reference.name, called(reference.name)
        return tuple(each for each in targets if not (isinstance(each, Variable) and each.name == function != name))

    def _is_absent(self, of: ClassType | None, variable: Variable) -> bool:
        """Return whether a member is only assigned, without a declaration in a class (by default its own) or a base.

        A member in a file that is not compiled any more is absent, too.
        """
        if variable.file in self._pair.undeclared:
            return True
        code, members = self._pair.after, self._after.inference.members
        bound = self._after.scopes.bindings(variable)
        if not bound or not all(is_only_assigned(code, variable.file, each) for each in bound):
            return False
        own = of or members.class_declaring(variable)
        lineage = members.lineage(own).classes if own is not None else ()
        declared = (members.own_member(each, variable.name) for each in lineage)
        others = [each for each in declared if each is not None]
        others += [each for of in lineage for each in members.list_added(of, variable.name)]
        bindings = ((each.file, binding) for each in others for binding in self._after.scopes.bindings(each))
        return own is not None and all(is_only_assigned(code, *each) for each in bindings)

    def get_unseen(self, file: str, reference: Reference) -> LostMember | None:
        """Return the target of a reference that its file no longer sees, with the target's owner; or None.

        An imported name is not returned: it is reported at the import, unless that is a star import.
        """
        resolution, name = self._after.resolve(file, reference), as_written(reference.name)
        lost = self._pair.get_narrowed(file, reference.scope, resolution.targets) if not resolution.unknown else None
        if lost is None:
            return None
        home = self._pair.path_after(lost.file)
        if reference.receiver is None:
            is_elsewhere = any(each.file != home for each in self._pair.after.iter_named(name))
            is_elsewhere = is_elsewhere or reference.name in self._pair.after.uses(file).bindings
        else:
            place = (reference.receiver, file, reference.scope, reference.line)
            owners = self._after.inference.infer_owner(*place, reference.name)
            modules = (each.file for each in owners if isinstance(each, Module))
            is_elsewhere = not all(self._pair.is_named_from(lost, each) for each in modules)
        was = None if is_elsewhere else self._pair.before.graph.get_variable(lost)
        return (was, lost.symbol.qualname.rpartition(".")[0], Proof.CERTAIN) if was is not None else None

    def get_field(self, file: str, reference: Reference) -> LostMember | None:
        """Return the field that a named argument set before the change and that the class no longer has, or None.

        The call is one of a generated constructor (`Cart(total=1)`), or of a function that copies an object
        (`replace(cart, total=1)`).
        """
        inference, name = self._after.inference, reference.name
        of = self._get_made(file, reference) if name in self._gone_fields or self._pair.has_changed_bases else None
        symbol = self._after.scopes.get_class_symbol(of)
        was = self._pair.class_before(of) if of is not None else None
        field = self._before.inference.records.get_field(was, name) if was is not None else None
        if of is None or symbol is None or field is None or field.file.startswith(STUBS):
            return None
        rules, lineage = conventions_of(of.file).records, inference.members.lineage(of)
        symbols = [self._after.scopes.get_class_symbol(each) for each in lineage.classes]
        made = [text for each in symbols if each is not None for text in each.decorators]
        # A field may have another name in the constructor than in the class.
        texts = (*made, *(self._read_class(each) for each in lineage.classes))
        if not all(is_decorated((each,), rules.decorators) for each in made) or any(map(rules.unusual.search, texts)):
            return None
        fields = {each.name.lstrip("_") for each in inference.records.fields(of)}
        is_made = inference.records.is_made_of_fields(of) and inference.members.find(of, "__new__") is None
        if not is_made or name.lstrip("_") in fields or may_inherit(self._after.scopes.spec(of.file), lineage, name):
            return None
        if any("metaclass" in each.signature for each in symbols if each is not None):
            return None
        return field, symbol.qualname, Proof.CERTAIN

    def iter_lost_keys(
        self, file: str, names: Collection[str]
    ) -> Iterator[tuple[tuple[str, int, int], str, LostMember]]:
        """Yield the subscripts of a file with a key that the object's typed dictionary lost: `box["width"]`."""
        names = [each for each in names if each in self._gone_keys]
        texts = self._pair.after.read_lines(file) if names else []
        for name in names:
            # A test whether a key exists implies that objects may have keys that their class does not declare.
            if any(f'"{name}" in ' in text or f"'{name}' in " in text for text in texts):
                continue
            for number, text in enumerate(texts, 1):
                for found in _KEY.finditer(text) if name in text else ():
                    of = self._pair.after.uses(file).get_reference(found[1], number, found.start())
                    lost = self._get_lost_key(file, of, name) if of is not None and found[3] == name else None
                    place = (file, number, found.start(3))
                    if lost is not None and lost[2] is Proof.CERTAIN and not is_excused(texts, place, name):
                        yield place, name, lost

    def _get_lost_key(self, file: str, of: Reference, name: str) -> LostMember | None:
        """Return the lost key if the object that a reference names is of one class that declares all its keys."""
        kinds = self._after.inference.infer(value_of(of), file, of.scope, of.line)
        own = only_class(kinds)
        return self.get(kinds[0], name) if own is not None and self._declares_keys(own) else None

    @cached_property
    def _gone_fields(self) -> frozenset[str]:
        """The names that classes with a generated constructor no longer bind."""
        records = self._before.inference.records
        return frozenset(
            name
            for name, places in self._pair.gone.items()
            for each in places
            for of in self._pair.before.find_qualified(each.file, each.holder)
            if records.is_record(ClassType.of(of))
        )

    @cached_property
    def _gone_keys(self) -> frozenset[str]:
        """The keys that changed classes no longer declare."""
        return frozenset(
            name
            for name, places in self._pair.gone.items()
            for each in places
            for of in self._pair.after.find_qualified(self._pair.path_after(each.file), each.holder)
            if of.kind is SymbolKind.CLASS and self._declares_keys(ClassType.of(of))
        )

    def _declares_keys(self, of: ClassType) -> bool:
        """Return whether a class is a typed dictionary without further keys."""
        lineage = self._after.inference.members.lineage(of)
        symbols = [self._after.scopes.get_class_symbol(each) for each in lineage.classes]
        is_closed = not lineage.is_open and all(each is not None and _EXTRA not in each.signature for each in symbols)
        return is_closed and not KEYED_BASES.isdisjoint(lineage.externals)

    def sets_field(self, file: str, reference: Reference) -> bool:
        """Return whether an assignment sets a name that was a field of all its receivers' record classes."""
        receiver, records = reference.receiver, self._before.inference.records
        assert receiver is not None
        owners = self._after.inference.infer_owner(receiver, file, reference.scope, reference.line, reference.name)
        classes = [each.of for each in owners if isinstance(each, InstanceType) and isinstance(each.of, ClassType)]
        had = [self._pair.class_before(each) for each in classes if not each.file.startswith(STUBS)]
        fields = [each is not None and any(of.name == reference.name for of in records.fields(each)) for each in had]
        return bool(owners) and len(had) == len(owners) and all(fields)

    def _get_made(self, file: str, reference: Reference) -> ClassType | None:
        """Return the class of the object that a call creates or copies, by the callee of a named argument; or None."""
        callee, rules = reference.receiver, conventions_of(file).records
        if callee is None:
            return None
        inference, place = self._after.inference, (file, reference.scope, reference.line)
        kinds: Types = ()
        if callee.kind is ExpressionKind.ATTRIBUTE and callee.name in rules.copying_members:
            kinds = inference.infer(callee.parts[0], *place)
        else:
            called = inference.infer(callee, *place)
            if len(called) == 1 and isinstance(called[0], ClassType):
                return called[0]
            is_copying = len(called) == 1 and self._name_outside(called[0]) in rules.copying
            if is_copying and (copied := self._read_copied(file, reference)) is not None:
                kinds = inference.infer(copied, *place)
        return only_class(kinds)

    def _name_outside(self, of: Type) -> str:
        """Return the dotted name of a function from outside the workspace, "" for any other."""
        if isinstance(of, External):
            return of.text
        if not isinstance(of, FunctionType) or not of.file.startswith(STUBS):
            return ""
        module = of.file.rpartition("/")[2].partition(".")[0]
        return f"{module}.{self._pair.after.facts(of.file).symbols[of.symbol].name}"

    def _read_copied(self, file: str, reference: Reference) -> Expression | None:
        """Return the first argument of the call around a named argument, if it is a name or an attribute chain."""
        assert reference.receiver is not None
        lines = self._pair.after.read_lines(file)
        last = reference.line - 1
        before = "\n".join((*lines[max(0, last - _MAX_CALL) : last], lines[last][: reference.column]))
        start = before.rfind(f"{reference.receiver.name}(")
        passed = before[start + len(reference.receiver.name) + 1 :]
        found = _FIRST.match(passed) if start >= 0 and passed.count("(") == passed.count(")") else None
        return dotted_name(found[1]) if found is not None else None

    def _read_class(self, of: ClassType) -> str:
        symbol = self._after.scopes.get_class_symbol(of) if self._pair.after.has_file(of.file) else None
        return self._pair.after.read_definition(Definition(of.file, symbol, of.symbol)) if symbol is not None else ""

    def keep_object(self, file: str, reference: Reference, owners: Types) -> Types:
        """Return the owners without those of a type that has the value's name: `type Code = …; const Code = { … }`."""
        receiver, scopes = reference.receiver, self._after.scopes
        is_value = receiver is not None and receiver.kind is ExpressionKind.NAME
        if receiver is None or not is_value or len(owners) < 2 or reference.kind is ReferenceKind.ANNOTATE:
            return owners
        targets = scopes.find_targets(file, reference.scope, receiver.name)
        variable = targets[0] if len(targets) == 1 else None
        if not isinstance(variable, Variable) or not scopes.spec(variable.file).separate_types:
            return owners
        bindings, symbols = scopes.bindings(variable), self._pair.after.facts(variable.file).symbols
        values = [each for each in bindings if each.symbol < 0 or symbols[each.symbol].kind not in _TYPES]
        if len(values) != 1 or values[0].value.kind is not ExpressionKind.OBJECT:
            return owners
        object_class = self._after.inference.members.class_at(variable.file, values[0].value.index)
        return tuple(each for each in owners if isinstance(each, InstanceType) and each.of == object_class)

    def get_of_alternatives(self, file: str, reference: Reference, owners: Types) -> LostMember | None:
        """Return the member that one alternative of a parameter's union type lost, while others still have it.

        The type must be a plain union and the reference the first use of the parameter, so that no condition can have
        excluded an alternative.
        """
        receiver, lost, is_left = reference.receiver, None, False
        if receiver is None or receiver.kind is not ExpressionKind.NAME or len(owners) < 2:
            return None
        if self._after.scopes.spec(file).executed_classes:
            return None
        for owner in owners:
            found = self.get(owner, reference.name)
            if found is None and self._after.inference.get_member(owner, reference.name) is None:
                return None
            is_left = is_left or found is None
            lost = lost or found
        is_plain = lost is not None and is_left and self._is_plain_union(file, reference, receiver.name, len(owners))
        return lost if is_plain else None

    def get_incomplete(
        self, file: str, reference: Reference, owners: Types, former: Collection[Target]
    ) -> Variable | None:
        """Return the C structure of a pointer if the change removed its definition, so that no member can be used.

        For a variable of the structure itself (`value.member`) the declaration is reported instead. `former` are the
        former targets of the member, in an unchanged file.
        """
        spec, target = self._after.scopes.spec(file), next(iter(former), None)
        of = owners[0].of if len(owners) == 1 and isinstance(owners[0], InstanceType) else None
        if not isinstance(of, External) or not isinstance(target, Variable) or len(former) != 1:
            return None
        tag = of.name.removeprefix(BUILTIN)
        if not spec.linkage or spec.overloads or tag != tagged(as_written(tag)):
            return None
        text = self._pair.after.read_line(file, reference.line)
        if _IS_OF_VALUE.search(text, 0, reference.column) is not None:
            return None
        homes = [each.file for each in self._pair.gone.get(as_written(tag), ()) if each.name == tag and not each.holder]
        member = self._pair.before.graph.get_definition(target)
        holder = member.symbol.qualname.rpartition(".")[0] if member is not None else ""
        if homes != [target.file] or holder != as_written(tag) or self._after.scopes.find_targets(file, 0, tag):
            return None
        return Variable(target.file, 0, tag)

    def allows_any_key(self, reference: Reference, owners: Types) -> bool:
        """Return whether a name is a key of an object literal that may have any keys.

        The literal's type has no members any more, or it is the result of a function without a declared result type, of
        which a call only expects some keys.
        """
        receiver = reference.receiver
        if receiver is not None and reference.kind is ReferenceKind.WRITE and _is_expected_result(receiver):
            return True
        if receiver is None or receiver.kind is not ExpressionKind.MATCHING:
            return False
        classes = [owner.of for owner in owners if isinstance(owner, InstanceType) and isinstance(owner.of, ClassType)]
        lineages = [each for of in classes for each in self._after.inference.members.lineage(of).classes]
        members = (each for of in lineages for each in list_declared(self._pair.after, of))
        return len(classes) == len(owners) and next(members, None) is None

    def _is_plain_union(self, file: str, reference: Reference, name: str, count: int) -> bool:
        """Return whether a name is the first use of a parameter whose written type is a union of `count` types."""
        variable = self._after.scopes.get_variable(file, reference.scope, name)
        bindings = self._after.scopes.bindings(variable) if variable is not None and variable.file == file else ()
        if len(bindings) != 1 or bindings[0].kind is not BindingKind.PARAMETER:
            return False
        lines = self._pair.after.read_lines(file)
        first, last = bindings[0].line - 1, reference.line - 1
        text = "\n".join((*lines[first:last], lines[last][: reference.column]))
        head = _DECLARED.match(text, bindings[0].column + len(name))
        # The name in the result type `node is Text` is no use that excludes anything.
        used = rf"(?<![\w$.]){re.escape(name)}(?![\w$]|\s{{1,9}}is\b)"
        if head is None or len(re.findall(used, text[head.end() :])) != 1:
            return False
        joined = [each for each in re.split(r"[\s|]+", head[1]) if each]
        if len(joined) == count:
            return True
        found = self._list_joined(file, reference.scope, joined[0]) if len(joined) == 1 else frozenset()
        return len(found) == count

    def _list_joined(self, file: str, scope: int, name: str, depth: int = 0) -> frozenset[Definition]:
        """Return the types of the plain union that a name is an alias of, also through other aliases; else none."""
        targets = self._after.scopes.find_targets(file, scope, name)
        named = [self._pair.after.graph.get_definition(each) for each in targets if isinstance(each, Variable)]
        of = named[0] if len(named) == 1 else None
        if of is None or depth > _MAX_ALIASES:
            return frozenset()
        if of.kind is not SymbolKind.TYPE:
            return frozenset({of}) if depth else frozenset()
        found = _ALIAS.fullmatch(self._pair.after.read_definition(of).strip())
        parts = re.split(r"[\s|]+", _GIVEN.sub("", found[1]).strip(" \n|")) if found is not None else []
        joined = [self._list_joined(of.file, 0, part, depth + 1) for part in parts]
        return frozenset().union(*joined) if all(joined) else frozenset()

    def _get_of_bounds(self, owner: TypeVariable, name: str) -> LostMember | None:
        """Return the member that a bound of a type parameter (`T: Trait`) lost, if no other bound may have it."""
        lost = None
        for bound in owner.bound:
            outside = bound.of if isinstance(bound, InstanceType) else bound
            if isinstance(outside, External):
                if may_give(self._after.scopes.spec(owner.variable.file), outside.text, as_written(name)):
                    return None
                continue
            found = self.get(bound, name)
            if found is None and self._after.inference.get_member(bound, name) is not None:
                return None
            lost = lost or found
        # Another interface that is implemented for every type may give the member.
        holders = map(self._pair.after.get_parent, self._pair.after.iter_named(as_written(name)))
        is_left = any(each is not None and each.kind is SymbolKind.INTERFACE for each in holders)
        return (*lost[:2], Proof.POSSIBLE) if lost is not None and is_left else lost

    def _get_of_unnamed(self, of: ClassType, name: str, former: Collection[Target]) -> LostMember | None:
        """Return the member that a class without a name lost: an object literal, or a variant with fields."""
        inference, target = self._after.inference, next(iter(former), None)
        if len(former) != 1 or not isinstance(target, Variable) or target.name != name:
            return None
        if self._pair.path_after(target.file) != of.file or self._after.scopes.spec(of.file).executed_classes:
            return None
        if any(inference.members.find(of, each) is not None for each in (name, *_ANY_NAME)):
            return None
        lineage, was = inference.members.lineage(of), self._pair.before.graph.get_definition(target)
        if was is None or (lineage.externals and not self.is_no_override(target)):
            return None
        proof = Proof.POSSIBLE if lineage.is_open else Proof.CERTAIN
        return target, was.symbol.qualname.rpartition(".")[0], proof

    def _is_not_provided(self, owners: Types, member: Variable) -> bool:
        """Return whether a member is only required of all receivers by an interface, or only assigned."""
        classes = [each.of if isinstance(each, (InstanceType, SuperType)) else each for each in owners]
        is_asked = bool(classes) and all(
            isinstance(of, ClassType) and self._is_only_required(of, member) for of in classes
        )
        return is_asked or self._is_absent(None, member)

    def _is_only_required(self, of: ClassType, member: Variable) -> bool:
        """Return whether a member is one of an interface that a class implements, so that the class itself lacks it.

        In languages with classes that inherit from interfaces (Java), that is so if the class is not abstract and no
        method of the interface has a body.
        """
        scopes, spec = self._after.scopes, self._after.scopes.spec(of.file)
        symbol = scopes.get_class_symbol(of)
        asking = _get_interface(self._pair.after, member)
        if asking is None or symbol is None or symbol.kind is not SymbolKind.CLASS:
            return False
        if spec.separate_types:
            above = self._after.inference.members.lineage(of).classes
            kinds = ((each, scopes.get_class_symbol(each)) for each in above)
            # An interface with the name of a class declares members of the class.
            return all(
                each is not None and (each.kind is not SymbolKind.CLASS or len(scopes.parts(of_class)) == 1)
                for of_class, each in kinds
            )
        if not spec.overloads or spec.linkage or "abstract " in symbol.signature:
            return False
        required = self._requirements.read_required(self._pair.after, asking.file)
        symbols = self._pair.after.facts(asking.file).symbols
        methods = [each for each in symbols if each.parent == asking.symbol and each.kind in FUNCTIONS]
        return all(required.get((each.line, each.column)) for each in methods)

    def _has_slot(self, of: ClassType, name: str) -> bool:
        """Return whether `__slots__` of a class declares a member."""
        code = self._pair.after
        if of.symbol < 0 or not code.has_file(of.file) or not self._after.scopes.spec(of.file).executed_classes:
            return False
        slots = next((each for each in list_declared(code, of) if each.name == _SLOTS), None)
        text = code.read_definition(slots) if slots is not None else ""
        return f'"{name}"' in text or f"'{name}'" in text

    def _may_have(self, file: str, base: str, name: str, owner: Type) -> bool:
        """Return whether a base outside the workspace may declare the member."""
        if base.rpartition(".")[2] in _DEREFERENCING:
            return not isinstance(owner, ClassType)
        return may_give(self._after.scopes.spec(file), base, name)

    def is_no_override(self, variable: Variable) -> bool:
        """Return whether a member certainly overrode no member of an outside base before the change."""
        definition = self._pair.before.graph.get_definition(variable)
        if definition is None:
            return False
        spec, symbol = self._before.scopes.spec(variable.file), definition.symbol
        if spec.own_fields and symbol.kind is SymbolKind.ATTRIBUTE:
            return True
        symbols = self._pair.before.facts(definition.file).symbols
        if spec.own_interface_members and symbol.parent >= 0:
            return symbols[symbol.parent].kind is SymbolKind.INTERFACE
        return spec.marks_overrides and not symbol.is_marked_override

    @cached_method
    def _is_added_below(self, of: ClassType, name: str) -> bool:
        """Return whether a subclass declares the member, which objects of the declared class may then have."""
        members = self._after.inference.members
        return any(members.is_subclass(each, of) for each in self._list_declaring(name) if each != of)

    @cached_method
    def _list_declaring(self, name: str) -> tuple[ClassType, ...]:
        """Return the classes with bases that declare a member."""
        holders = map(self._pair.after.get_parent, self._pair.after.iter_named(name))
        derived = (each for each in holders if each is not None and each.symbol.bases)
        return tuple(dict.fromkeys(ClassType.of(each) for each in derived))


def _get_interface(code: CodeIndex, member: Variable) -> ClassType | None:
    """Return the interface of the workspace that declares a member, or None."""
    of = code.resolver.inference.members.class_declaring(member) if code.has_file(member.file) else None
    symbol = code.resolver.scopes.get_class_symbol(of)
    return of if symbol is not None and symbol.kind is SymbolKind.INTERFACE else None


def _is_expected_result(value: Expression) -> bool:
    """Return whether a value is the result of a lambda whose type follows from the parameter that it is passed to."""
    value = value.parts[0] if value.kind is ExpressionKind.MATCHING else value
    is_result = value.kind is ExpressionKind.CALL
    while value.parts and value.kind not in {ExpressionKind.TYPED, ExpressionKind.EXPECTED}:
        value = value.parts[0]
    return is_result and value.kind in {ExpressionKind.TYPED, ExpressionKind.EXPECTED}
