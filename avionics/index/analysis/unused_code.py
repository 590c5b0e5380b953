"""Unused: whether anything uses a definition, said only when it is known.

Knows: usages, the ways to use a definition that no reference shows, and texts that mention its name.
Does not know: how texts are searched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from enum import Enum

import attrs

from avionics.index.facts.fact_source import FactSource
from avionics.index.model import python_builtins as names
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.model.values import ClassType, External, FunctionType, InstanceType, Module, Type, UnknownType
from avionics.index.references.dynamic_access import WORDS, Dynamic
from avionics.index.references.implicit_uses import ImplicitUses
from avionics.index.references.reference_resolver import Resolver
from avionics.index.references.usages import Graph
from avionics.index.scopes.name_resolver import is_class
from avionics.index.types.pytest_fixtures import get_fixture
from avionics.model.enums import BindingKind, Certainty, ExpressionKind, ReferenceKind, SymbolKind
from avionics.model.facts import UNKNOWN, Reference
from avionics.model.knowledge import Definition, Usage

_OF_PROPERTIES = frozenset({"setter", "getter", "deleter"})
_SUNDER = re.compile(r"_[a-z]\w*_\Z")
_PRIVATE = re.compile(r"(?:\w+ )*private\b")
_CONSTRUCTORS = ("constructor", "__construct")
_MAX_REASONS = 5
"""More reasons would not make it less unknown."""


class Use(str, Enum):
    """Whether a definition is used."""

    USED = "used"
    UNUSED = "unused"
    UNKNOWN = "unknown"


@attrs.frozen
class Verdict:
    """Whether a definition is used, and why that is believed.

    Attributes:
        use: UNUSED is exact: every candidate of the snapshot was settled.
        usages: The proven usages outside of the definition itself.
        because: For USED without usages who calls it, for UNKNOWN what could use it.
    """

    use: Use
    usages: tuple[Usage, ...] = ()
    because: tuple[str, ...] = ()


class Unused:
    """Judges the definitions of one snapshot.

    Args:
        source: Facts of the snapshot.
        graph: Its relations.
        resolver: What its references mean.
        mentions: Word → the files whose text has it, of whatever kind they are.
    """

    def __init__(
        self, source: FactSource, graph: Graph, resolver: Resolver, mentions: Callable[[str], tuple[str, ...]]
    ) -> None:
        self._source = source
        self._graph = graph
        self._resolver = resolver
        self._mentions = mentions
        self._reach = ImplicitUses(resolver.scopes, resolver.inference.members, graph.interfaces)
        files = sorted({file for word in WORDS for file in source.files_with_word(word)})
        self._dynamic = Dynamic(source, resolver, tuple(files))
        self._verdicts: dict[Definition, Verdict] = {}

    def judge(self, definition: Definition) -> Verdict:
        """Whether anything uses the definition."""
        if definition not in self._verdicts:
            self._verdicts[definition] = Verdict(Use.UNKNOWN, because=("it is being judged",))
            self._verdicts[definition] = self._judge(definition)
        return self._verdicts[definition]

    def _judge(self, definition: Definition) -> Verdict:
        report = self._graph.usages(definition)
        usages = tuple(usage for usage in report.usages if not _is_within(usage, definition))
        if usages:
            return Verdict(Use.USED, usages)
        caller = (
            self._reach.get_caller(definition)
            or self._registrar(definition)
            or self._test_asking(definition)
            or self._collected_heir(definition)
            or self._caller_above(definition)
        )
        if caller:
            return Verdict(Use.USED, because=(caller,))
        reasons: list[str] = ["only its own body uses it"] if report.usages else []
        for reason in self._iter_doubts(definition):
            if reason not in reasons:
                reasons.append(reason)
            if len(reasons) == _MAX_REASONS:
                break
        if not reasons and report.certainty is not Certainty.EXACT:
            reasons.extend(report.because[:_MAX_REASONS])
        return Verdict(Use.UNKNOWN if reasons else Use.UNUSED, because=tuple(reasons))

    def _collected_heir(self, definition: Definition) -> str:
        """The test class that inherits the definition, a test, in words; "" for none."""
        own = self._lineage(definition)
        if not own or not self._reach.is_test_name(definition):
            return ""
        for heir in self._heirs(own[0]):
            if self._reach.collects(heir):
                return f"the test runner collects it in {heir.symbol.qualname} ({heir.file}:{heir.line})"
        return ""

    def _registrar(self, definition: Definition) -> str:
        """The object whose method decorates the definition (`@app.route("/")`), in words; "" for none."""
        uses = self._source.uses(definition.file)
        scope = self._resolver.scopes.class_scope(definition.file, definition.index)
        written = zip(uses.decorators.get(definition.index, ()), definition.symbol.decorators, strict=False)
        for expression, text in written:
            maker = expression.parts[0] if expression.kind is ExpressionKind.CALL else expression
            if maker.kind is not ExpressionKind.ATTRIBUTE or maker.name in _OF_PROPERTIES:
                continue
            owners = self._resolver.inference.infer(maker.parts[0], definition.file, uses.scopes[scope].parent)
            if owners and all(isinstance(owner, (InstanceType, UnknownType)) for owner in owners):
                return f"@{text} takes it"
        return ""

    def _test_asking(self, definition: Definition) -> str:
        """Who asks pytest for the definition, a fixture, in words; "" for nobody."""
        if not names.is_decorated(definition.symbol.decorators, names.FIXTURES):
            return ""
        if any("autouse=True" in decorator for decorator in definition.symbol.decorators):
            return "pytest runs it without being asked"
        own = FunctionType(definition.file, definition.index)
        for file in self._source.files_with_word(definition.name):
            uses = self._source.uses(file)
            for binding in uses.bindings.get(definition.name, ()):
                if binding.kind is BindingKind.PARAMETER:
                    found = get_fixture(self._resolver.scopes, file, uses.scopes[binding.scope], definition.name)
                    if found == own:
                        return f"pytest hands it to {file}:{binding.line}"
        return ""

    def _caller_above(self, definition: Definition) -> str:
        """The used member that the definition overrides, in words; "" for none."""
        above = self._graph.overridden(definition)
        if above is not None and above != definition and self.judge(above).use is Use.USED:
            return f"it overrides {above.symbol.qualname} ({above.file}:{above.line}), which is used"
        return ""

    def _iter_doubts(self, definition: Definition) -> Iterator[str]:
        """Everything that could use the definition unseen, surest first."""
        yield from self._reach.iter_reasons(definition)
        yield from self._meant(definition)
        if definition.file.endswith(".pyi"):
            yield "a stub declares what other code defines"
        yield from self._spelled(definition)
        yield from self._open_references(definition)
        yield from self._computed(definition)
        yield from self._handed_out(definition)
        yield from self._structural(definition)
        yield from self._through_heirs(definition)
        yield from self._other_texts(definition)

    def _meant(self, definition: Definition) -> Iterator[str]:
        """What a member of a class is there for without being named."""
        symbol, parent = definition.symbol, definition.symbol.parent
        holder = self._source.facts(definition.file).symbols[parent] if parent >= 0 else None
        if holder is None or not is_class(holder.kind):
            return
        if symbol.name in {holder.name, *_CONSTRUCTORS} and _PRIVATE.match(symbol.signature):
            yield "a private constructor is there to keep others from making objects"
        is_enum = self._resolver.inference.records.is_enum(ClassType(definition.file, parent))
        is_variant = symbol.signature.removeprefix("case ").startswith(symbol.name)
        if not is_variant or not (is_enum or holder.kind is SymbolKind.ENUM):
            return
        if self.judge(Definition(definition.file, holder, parent)).use is not Use.UNUSED:
            yield "members of an enumeration are also reached by value, by name and all at once"

    def _spelled(self, definition: Definition) -> Iterator[str]:
        """Strings that name the definition."""
        name = definition.name
        ends = re.compile(rf"(?:.*[.:])?{re.escape(name)}\Z")
        for file in self._source.files_with_word(name):
            for text, lines in self._source.uses(file).strings.items():
                if name in text and ends.match(text):
                    yield f"a string at {file}:{lines[0]} spells its name"

    def _open_references(self, definition: Definition) -> Iterator[str]:
        """References of that name that are not proven to mean something else."""
        for file in self._source.files_with_word(definition.name):
            for found in self._source.facts(file).imports:
                if found.name == definition.name and self._may_import(file, definition):
                    targets = self._resolver.scopes.find_imported(file, found)
                    if any(isinstance(t, External) for t in targets) and _stem(definition.file) in found.module.split(
                        "."
                    ):
                        yield f"{file}:{found.line} imports that name from a module that could not be located"
            for reference in self._source.uses(file).references.get(definition.name, ()):
                if reference.receiver is not None and self._is_open(file, reference, definition):
                    yield f"{file}:{reference.line} uses that name on something that may be it"

    def _may_import(self, file: str, definition: Definition) -> bool:
        return file != definition.file and definition.symbol.parent < 0

    def _is_open(self, file: str, reference: Reference, definition: Definition) -> bool:
        """Whether a member access may lead to anything, or to an object from outside that may be one of ours."""
        assert reference.receiver is not None
        if reference.kind is ReferenceKind.KEYWORD:
            return bool(self._resolver.resolve(file, reference).unknown)
        if reference.receiver == UNKNOWN:
            return True
        owners = self._resolver.inference.infer(reference.receiver, file, reference.scope, reference.line)
        if not owners or any(_is_opaque(owner) for owner in owners):
            return True
        stem = _stem(definition.file)
        if any(isinstance(owner, External) and stem in owner.name.split(".") for owner in owners):
            return True
        return self._is_stand_in(definition)

    def _is_stand_in(self, definition: Definition) -> bool:
        """Whether the member's class may stand in for a declared one, as those of tests and in functions do."""
        own = self._lineage(definition)
        if not own:
            return False
        holder = self._resolver.scopes.get_class_symbol(own[0])
        if holder is None:
            return True
        is_local = holder.parent >= 0 and not is_class(self._source.facts(own[0].file).symbols[holder.parent].kind)
        return is_local or role_of(own[0].file) is FileRole.TEST

    def _computed(self, definition: Definition) -> Iterator[str]:
        """Computed accesses that reach the definition."""
        accesses = self._dynamic.accesses
        name, parent = definition.name, definition.symbol.parent
        for pattern, place in accesses.patterns:
            if pattern.match(name):
                yield f"{place} builds names like it"
        if parent >= 0:
            place = accesses.ancestors.get((definition.file, parent), "")
            for owner in self._lineage(definition):
                place = place or accesses.classes.get((owner.file, owner.symbol), "")
        else:
            place = accesses.modules.get(definition.file, "")
        if place:
            yield f"{place} takes a computed name from what holds it"
        if definition.file in accesses.runs:
            yield f"{accesses.runs[definition.file]} runs computed text in its file"
        if accesses.listing and is_class(definition.kind) and definition.symbol.bases:
            yield f"{accesses.listing} lists the members of something that is not known"

    def _lineage(self, definition: Definition) -> tuple[ClassType, ...]:
        """The class that holds the definition, with what it inherits from; () outside of classes."""
        members = self._resolver.inference.members
        own = members.class_of(definition)
        return members.lineage(own).classes if own is not None else ()

    def _through_heirs(self, definition: Definition) -> Iterator[str]:
        """What a class that inherits the member joins it with: bases beside it may call it."""
        own = self._lineage(definition)
        members = self._resolver.inference.members
        for heir in self._heirs(own[0]) if own else ():
            lineage = members.lineage(ClassType(heir.file, heir.index))
            if lineage.externals or lineage.is_open:
                outside = lineage.externals[0] if lineage.externals else "a base that is not known"
                yield f"{heir.symbol.qualname} ({heir.file}:{heir.line}) inherits it beside {outside}"
            for beside in lineage.classes:
                if beside not in own and members.own_member(beside, definition.name) is not None:
                    name = self._source.facts(beside.file).symbols[beside.symbol].qualname
                    yield f"{heir.symbol.qualname} ({heir.file}:{heir.line}) joins it with {name}.{definition.name}"

    def _heirs(self, owner: ClassType) -> tuple[Definition, ...]:
        symbol = self._resolver.scopes.get_class_symbol(owner)
        return self._graph.descendants(Definition(owner.file, symbol, owner.symbol)) if symbol is not None else ()

    def _handed_out(self, definition: Definition) -> Iterator[str]:
        """Ways in which code outside calls a member of an object it was handed."""
        own = self._lineage(definition)
        if not own:
            return
        holder = self._resolver.scopes.get_class_symbol(own[0])
        if holder is None:
            yield "its object's class has no name: it may be used wherever the object is handed on"
            return
        for doubt in self._reach.iter_decorators(holder):
            yield f"its class: {doubt}"
        if definition.name in names.CALLED_BY_LIBRARIES or _SUNDER.match(definition.name):
            yield "libraries call members of that name on objects they are given"
        elif definition.symbol.exported if self._is_structural(definition) else not definition.name.startswith("_"):
            yield from self._made_beside_outside(own[0])
        if definition.name.startswith("__"):
            mangled = f"_{holder.name.lstrip('_')}{definition.name}"
            if self._source.files_with_word(mangled):
                yield f"its mangled name {mangled} is written"

    def _made_beside_outside(self, owner: ClassType) -> Iterator[str]:
        """A place that makes objects of a class, or of an heir, in a file that could hand them to code outside."""
        symbol = self._source.facts(owner.file).symbols[owner.symbol]
        for each in (Definition(owner.file, symbol, owner.symbol), *self._heirs(owner)):
            for usage in self._graph.usages(each).usages:
                if self._is_making(usage, owner) and any(edge.is_outside for edge in self._graph.edges.of(usage.file)):
                    yield f"{usage.file}:{usage.line} makes an object that code outside may be handed"
                    return

    def _is_making(self, usage: Usage, owner: ClassType) -> bool:
        """Whether a use of a class may make an object of it."""
        around = usage.enclosing
        if usage.role is not ReferenceKind.ANNOTATE or around is None or not self._is_structural(around):
            return usage.role is ReferenceKind.CALL
        # `T{…}` and `new(T)` name the type as any declaration does; a receiver is no object made.
        return usage.line != around.line or self._resolver.inference.members.class_of(around) != owner

    def _is_structural(self, definition: Definition) -> bool:
        """Whether code outside may use it through an interface of its own, which its class never names."""
        return self._resolver.scopes.spec(definition.file).structural_interfaces

    def _structural(self, definition: Definition) -> Iterator[str]:
        """Protocols that declare a member of that name: objects are used through them without inheriting."""
        symbol = definition.symbol
        if not self._lineage(definition):
            return
        for file in self._source.files_with_word("Protocol"):
            facts = self._source.facts(file)
            for other in facts.symbols:
                if other.name != symbol.name or other.parent < 0 or other == symbol:
                    continue
                holder = facts.symbols[other.parent]
                if any("Protocol" in base for base in holder.bases):
                    yield f"the protocol {holder.qualname} ({file}:{other.line}) declares that member"

    def _other_texts(self, definition: Definition) -> Iterator[str]:
        """Texts that were not read as code and mention the name, and code that could not be read whole."""
        for file in self._mentions(definition.name):
            if not self._source.has_file(file) or not self._source.facts(file).language:
                yield f"{file} mentions its name"
        for file in self._source.files_with_word(definition.name):
            problems = self._source.facts(file).problems
            if problems or self._source.uses(file).is_partial:
                yield f"{file} could not be read whole"


def _is_within(usage: Usage, definition: Definition) -> bool:
    """Whether the definition itself holds the usage."""
    is_value = definition.kind not in {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.CLASS}
    return not is_value and usage.file == definition.file and definition.symbol.span.contains(usage.line)


def _is_opaque(owner: Type) -> bool:
    """Whether an object may be anything, or come from outside, where ours may be handed to."""
    if isinstance(owner, UnknownType):
        return True
    if isinstance(owner, InstanceType) and isinstance(owner.of, External):
        return not owner.of.name.startswith(names.BUILTIN)
    return isinstance(owner, Module) and not owner.file


def _stem(file: str) -> str:
    """The last part of the name a file is imported by."""
    directory, _, name = file.rpartition("/")
    stem = name.rsplit(".", 1)[0]
    return directory.rpartition("/")[2] if stem == "__init__" else stem
