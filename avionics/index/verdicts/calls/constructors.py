"""Find the constructors of classes: written ones, and ones that are generated from the fields."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from avionics.index.changes.symbol_diff import ChangedFile
from avionics.index.code_index import CodeIndex
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.cached_method import cached_method
from avionics.index.model.values import ClassType, FunctionType, SuperType, Types
from avionics.index.scopes.name_resolver import CONSTRUCTOR
from avionics.index.types.member_lookup import Mro
from avionics.index.verdicts.calls.misfits import Callee, list_chosen_from
from avionics.index.verdicts.comparison import VersionPair
from avionics.index.verdicts.outside_bases import KEYED_BASES, PLAIN_BASES
from avionics.model.enums import FUNCTIONS, BindingKind, ExpressionKind, ScopeKind, SymbolKind, is_class
from avionics.model.facts import UNKNOWN, Binding, Expression, Reference, Symbol
from avionics.model.knowledge import Definition
from avionics.model.naming import called, last_part
from avionics.syntax.call_sites import Position, read_base_calls, read_signatures
from avionics.syntax.conventions import Records, is_decorated
from avionics.syntax.engine.call_shapes import CallParameter, CallSignature
from avionics.syntax.engine.expressions import dotted
from avionics.syntax.registry import conventions_of

CONSTRUCTORS = (CONSTRUCTOR, called(CONSTRUCTOR))


class Constructors:
    """Finds the constructors of the classes of two versions, and the classes whose constructors differ."""

    def __init__(self, pair: VersionPair) -> None:
        self._pair = pair
        self._resolver = pair.after.resolver

        self._lost_constructors: dict[tuple[str, int], list[Definition]] = {}
        """Class that has no constructor any more, as file and symbol index → its former constructors."""

    def iter_without_constructor(self, was: Definition) -> Iterator[Definition]:
        """Yield the class of a removed constructor; if it inherits none, it takes no arguments now."""
        variable = self._pair.before.graph.get_variable(was)
        if variable is None or variable.name not in CONSTRUCTORS:
            return
        file, holder = self._pair.path_after(was.file), was.symbol.qualname.rpartition(".")[0]
        for each in self._pair.after.find_qualified(file, holder):
            if each.kind is SymbolKind.CLASS:
                self._lost_constructors.setdefault((file, each.index), []).append(was)
                yield each

    def iter_with_other_fields(self, changed: ChangedFile) -> Iterator[Definition]:
        """Yield the classes of a changed file whose generated constructor takes other parameters now."""
        before = _map_signatures(self._pair.before, changed.before)
        for name, (now, texts) in _map_signatures(self._pair.after, changed.after).items():
            was, texts_before = before.get(name, (None, ()))
            if was is None or texts == texts_before or not (self.makes_objects(now) and self.makes_objects(was)):
                continue
            signature = self.read(self._pair.after, now)
            if signature is not None and signature != self.read(self._pair.before, was):
                yield now

    def list_previous(self, now: Definition) -> tuple[Definition, ...]:
        """Return the former constructors of a class that lost its own, or else its former definitions."""
        if lost := self._lost_constructors.get((now.file, now.index)):
            return tuple(lost)
        found = self._pair.before.find_qualified(self._pair.path_before(now.file), now.symbol.qualname)
        return tuple(
            each for each in found if self.makes_objects(each) and self.read(self._pair.before, each) is not None
        )

    def read(self, code: CodeIndex, of: Definition) -> CallSignature | None:
        """Return the signature of a constructor that is not written: generated from the fields, or without parameters.

        None if the constructor is written, or if something else may determine its signature.
        """
        if code is self._pair.after and (of.file, of.index) in self._lost_constructors:
            return CallSignature(())
        return self._read_unwritten(code, of)

    @cached_method
    def _read_unwritten(self, code: CodeIndex, of: Definition) -> CallSignature | None:
        is_executed = code.resolver.scopes.spec(of.file).executed_classes
        return _read_fields(code, of) if is_executed else _read_header(code, of)

    def makes_objects(self, definition: Definition) -> bool:
        """Return whether a called definition is a class or a variant of an enumeration instead of a function."""
        calls = self._resolver.scopes.rules(definition.file).calls
        is_of_fields = calls is not None and calls.read_fields is not None
        is_variant = is_of_fields and definition.kind is SymbolKind.ATTRIBUTE and definition.symbol.parent >= 0
        return is_class(definition.kind) or is_variant

    def is_made_of_fields(self, of: Definition) -> bool:
        """Return whether a definition of the new version makes objects from their fields alone."""
        return self.makes_objects(of) and (of.file, of.index) not in self._lost_constructors

    def lost_field(self, now: Definition, names: Collection[str]) -> bool:
        """Return whether the change removed a field with one of some names from a class or variant."""
        made = self.read(self._pair.after, now)
        left = {each.name for each in made.parameters} if made is not None else set()
        before = (self.read(self._pair.before, each) for each in self.list_previous(now))
        had = {each.name for signature in before if signature is not None for each in signature.parameters}
        return not (had - left).isdisjoint(names)

    def list_called(self, of: Definition) -> tuple[Callee, ...]:
        """Return the functions that run when a class is called; () if they are not known."""
        members, scopes = self._resolver.inference.members, self._resolver.scopes
        own = ClassType.of(of)
        lineage = members.lineage(own)
        if self.is_made_of_fields(of) and self.read(self._pair.after, of) is not None:
            return (Callee(of, is_bound=False), *self._iter_written_beside(own))
        if may_change_constructors(of.file, of.symbol) or lineage.is_open or members.find(own, "__new__") is not None:
            return ()
        outside = [each for each in lineage.externals if each not in PLAIN_BASES]
        has_own = any(members.own_member(own, name) is not None for name in CONSTRUCTORS)
        if outside and (not has_own or any("Meta" in each for each in outside)):
            return ()
        if "metaclass=" in of.symbol.signature:
            return ()
        grammar = scopes.rules(of.file).calls
        is_inherited = has_own or grammar is None or grammar.calls_base is None
        found = members.find(own, CONSTRUCTOR) or members.find(own, called(CONSTRUCTOR))
        if found is None or not is_inherited:
            return self._without_constructor(lineage.classes)
        if found.variable.file.startswith(STUBS) or any(each.symbol < 0 for each in scopes.bindings(found.variable)):
            return ()
        definitions = self._pair.after.graph.find_all_definitions(found.variable)
        is_executed = scopes.spec(of.file).executed_classes
        if is_executed and len(definitions) != 1:
            return ()
        return tuple(Callee(each, is_executed) for each in list_chosen_from(definitions) or ())

    def list_above(self, owners: Types) -> tuple[Callee, ...]:
        """Return the constructors that a call by `super` runs in a base class that lost its own."""
        of = owners[0].of if len(owners) == 1 and isinstance(owners[0], SuperType) else None
        if not self._lost_constructors or of is None:
            return ()
        lineage = self._resolver.inference.members.lineage(of)
        if self._resolver.scopes.spec(of.file).executed_classes and not self._is_last(of, lineage):
            return ()
        found = [each for each in lineage.classes[1:] if (each.file, each.symbol) in self._lost_constructors]
        bare = self._resolver.scopes.get_class_definition(found[0]) if found else None
        return self.list_called(bare) if bare is not None else ()

    def _is_last(self, of: ClassType, lineage: Mro) -> bool:
        """Return whether `super` in a class of Python searches only known classes.

        In an object of a subclass, it may also search the other bases of the subclass.
        """
        definition = self._resolver.scopes.get_class_definition(of)
        if definition is None or lineage.is_open or not PLAIN_BASES.issuperset(lineage.externals):
            return False
        return not self._pair.after.graph.classes.descendants(definition)

    def iter_unwritten_calls(self, file: str, names: Collection[str]) -> Iterator[tuple[Definition, list[Position]]]:
        """Yield the base classes whose constructors a file calls implicitly, with the places of the calls.

        These are the names of the calling constructors, or of subclasses without one. `names` are those of the
        subclasses to check.
        """
        code, facts = self._pair.after, self._pair.after.facts(file)
        grammar = self._resolver.scopes.rules(file).calls
        if grammar is None or grammar.calls_base is None:
            return
        for index, symbol in enumerate(facts.symbols):
            lineage = self._resolver.inference.members.lineage(ClassType(file, index)).classes[1:2]
            above = self._resolver.scopes.get_class_symbol(lineage[0]) if symbol.name in names and lineage else None
            if symbol.kind is not SymbolKind.CLASS or above is None or above.kind is not SymbolKind.CLASS:
                continue
            written = [each for each in facts.symbols if each.parent == index and each.name == symbol.name]
            places = [(each.line, each.column) for each in written if each.kind in FUNCTIONS]
            content = code.read_content(file)
            calling = read_base_calls(content, facts.language, places)
            found = [place for place in places if calling.get(place)]
            if not places and not may_change_constructors(file, symbol):
                found = [(symbol.line, symbol.column)]
            if found:
                yield Definition(lineage[0].file, above, lineage[0].symbol), found

    def map_own(self, file: str, classes: Iterable[Definition]) -> dict[Position, tuple[Callee, ...]]:
        """Return the places of `Self { … }` in a file, within blocks that add members to one of the classes.

        `Self` is not recorded as a reference of the class.
        """
        code, rules = self._pair.after, self._resolver.scopes.rules(file)
        if rules.calls is None or not rules.calls.literals or not rules.type_forms.own:
            return {}
        members, scopes = self._resolver.inference.members, code.uses(file).scopes
        blocks = [index for index, scope in enumerate(scopes) if scope.kind is ScopeKind.CLASS]
        added = {
            scope: each
            for each in classes
            if each.kind is SymbolKind.CLASS
            for home, scope in members.additions(ClassType.of(each))
            if home == file
        }
        word = re.compile(rf"\b(?:{'|'.join(sorted(rules.type_forms.own))})\b")
        lines = code.read_lines(file) if added else []
        found: dict[Position, tuple[Callee, ...]] = {}
        for block, of in added.items():
            span = scopes[block].span
            for number, line in enumerate(lines[span.start_line - 1 : span.end_line], span.start_line):
                around = [index for index in blocks if scopes[index].span.contains(number)]
                if max(around, key=lambda index: (scopes[index].span.start_line, index)) == block:
                    for each in word.finditer(line):
                        found[number, each.start()] = (Callee(of, is_bound=False),)
        return found

    def list_giving(self, classes: Iterable[Definition]) -> frozenset[str]:
        """Return the files that may pass an object literal of one of the interfaces as an argument."""
        keys = {each: self._get_lasting_key(each) for each in classes}
        found = (self._pair.list_files_with(key, (of.file,)) for of, key in keys.items() if key)
        return frozenset(file for files in found for file in files)

    def map_given(self, file: str, classes: Iterable[Definition]) -> dict[Position, tuple[Callee, ...]]:
        """Return the places of one required key in the object literals that a file passes for one of the interfaces.

        The key is one that both versions of the interface require, so that each literal has it once.
        """
        references = self._pair.after.uses(file).references
        found: dict[Position, tuple[Callee, ...]] = {}
        for of in classes:
            for each in references.get(self._get_lasting_key(of), ()):
                if self._is_given(file, each, of):
                    found[each.line, each.column] = (Callee(of, is_bound=False),)
        return found

    def _get_lasting_key(self, of: Definition) -> str:
        """Return a member that an interface requires in both versions, "" if there is none."""
        if of.kind is not SymbolKind.INTERFACE or not self._resolver.scopes.spec(of.file).separate_types:
            return ""
        made = self.read(self._pair.after, of)
        asked = {each.name for each in made.parameters if not each.is_optional} if made is not None else set()
        for was in self.list_previous(of):
            had = self.read(self._pair.before, was)
            asked &= {each.name for each in had.parameters if not each.is_optional} if had is not None else set()
        # A long name occurs in few files.
        return max(asked, key=lambda name: (len(name), name), default="")

    def _is_given(self, file: str, key: Reference, of: Definition) -> bool:
        """Return whether a key is in an argument for a parameter that is declared with the interface's bare name."""
        matching, inference = key.receiver, self._resolver.inference
        expected = matching.parts[0] if matching is not None and matching.kind is ExpressionKind.MATCHING else UNKNOWN
        if expected.kind is not ExpressionKind.EXPECTED:
            return False
        kinds = inference.infer(expected.parts[0], file, key.scope, key.line)
        if len(kinds) == 1 and isinstance(kinds[0], ClassType):
            written = inference.members.find(kinds[0], CONSTRUCTOR)
            kinds = inference.infer_variable(written.variable) if written is not None else ()
        function = kinds[0] if len(kinds) == 1 and isinstance(kinds[0], FunctionType) else None
        argument = expected.name or expected.index
        taken = inference.signatures.get(function, argument) if function is not None else None
        if function is None or taken is None or taken.kind is not BindingKind.PARAMETER:
            return False
        declared = taken.annotation
        if declared.kind is not ExpressionKind.NAME:
            return False  # `Partial<Cart>` asks for less than `Cart`.
        targets = self._resolver.scopes.find_targets(function.file, taken.within, declared.name)
        definitions = self._pair.after.graph.list_definitions(targets)
        return [(each.file, each.index) for each in definitions] == [(of.file, of.index)]

    def _without_constructor(self, lineage: Iterable[ClassType]) -> tuple[Callee, ...]:
        """Return the class that lost its constructor, in a lineage without one, unless a decorator may add one."""
        if not self._lost_constructors:
            return ()
        owners = [self._resolver.scopes.get_class_definition(each) for each in lineage]
        if any(each is None or may_change_constructors(each.file, each.symbol) for each in owners):
            return ()
        bare = [each for each in owners if each is not None and (each.file, each.index) in self._lost_constructors]
        return (Callee(bare[0], self._resolver.scopes.spec(bare[0].file).executed_classes),) if bare else ()

    def _iter_written_beside(self, own: ClassType) -> Iterator[Callee]:
        """Yield the written constructors with parameters that a class has besides the one made from its fields."""
        found = (self._resolver.inference.members.own_member(own, name) for name in CONSTRUCTORS)
        for variable in found:
            for each in self._pair.after.graph.find_all_definitions(variable) if variable is not None else ():
                if "(" in each.symbol.signature:
                    yield Callee(each, is_bound=False)


def may_change_constructors(file: str, symbol: Symbol) -> bool:
    """Return whether a decorator of a class may give it other constructors than those that it declares."""
    decorators = conventions_of(file).decorators
    if decorators.keep_parameters:
        return any(map(decorators.add_constructors.match, symbol.decorators))
    return bool(symbol.decorators)


def _map_signatures(code: CodeIndex, file: str) -> dict[str, tuple[Definition, tuple[str, ...]]]:
    """Return qualified name → definition, and its own signature with those of its members.

    The methods of a Python class are left out, except special ones: they do not change its generated constructor.
    """
    symbols, is_executed = code.facts(file).symbols, code.resolver.scopes.spec(file).executed_classes
    texts = [[each.signature] for each in symbols]
    for each in symbols:
        is_called = is_executed and each.kind in FUNCTIONS and not each.name.startswith("__")
        if each.parent >= 0 and not is_called:
            texts[each.parent].append(each.signature)
    return {each.symbol.qualname: (each, tuple(texts[each.index])) for each in code.iter_definitions(file)}


def _read_header(code: CodeIndex, of: Definition) -> CallSignature | None:
    """Return the signature that follows from the fields of a class or variant, or from a header: `class Cart(id)`."""
    calls = code.resolver.scopes.rules(of.file).calls
    is_of_fields = calls is not None and calls.read_fields is not None
    if not is_of_fields and (of.kind is not SymbolKind.CLASS or "(" not in of.symbol.signature):
        return None
    content, place = code.read_content(of.file), (of.line, of.symbol.column)
    return read_signatures(content, code.facts(of.file).language, [place]).get(place)


def _read_fields(code: CodeIndex, of: Definition) -> CallSignature | None:
    """Return the parameters of the constructor that is generated from the fields of a class, in order."""
    inference, own = code.resolver.inference, ClassType.of(of)
    records, rules = inference.records, conventions_of(of.file).records
    if not records.is_made_of_fields(own) or inference.members.find(own, "__new__") is not None:
        return None
    lineage = inference.members.lineage(own)
    if not KEYED_BASES.isdisjoint(lineage.externals):
        return _read_keys(code, own)
    is_known = all(each in PLAIN_BASES or last_part(each) in rules.tuples for each in lineage.externals)
    if lineage.is_open or not is_known or (records.is_tuple(own) and any(map(records.is_record, lineage.classes[1:]))):
        return None
    if not all(_is_plain_record(code, each, rules) for each in lineage.classes):
        return None
    parameters: list[CallParameter] = []
    values: list[Binding] = []
    for field in records.fields(own):
        symbols = code.facts(field.file).symbols
        binding = code.resolver.scopes.bindings(field)[0]
        symbol = next((each for each in symbols if (each.line, each.column) == (binding.line, binding.column)), None)
        if symbol is None or field.name.startswith("_"):
            return None
        values.append(binding)
        parameters.append(CallParameter(field.name, is_optional=_has_default(binding.value, symbol.signature, rules)))
    are_calls = [_is_field_call(each.value, rules) for each in values]
    # A class declares its fields either all by type annotations or all by calls.
    is_uniform = all(are_calls) or all(each.annotation != UNKNOWN for each in values)
    return CallSignature(tuple(parameters)) if is_uniform else None


def _read_keys(code: CodeIndex, of: ClassType) -> CallSignature | None:
    """Return the signature of a typed dictionary, whose parameters are its required and optional keys."""
    inference, scopes, rules = code.resolver.inference, code.resolver.scopes, conventions_of(of.file).records
    lineage = inference.members.lineage(of)
    if lineage.is_open or not {*lineage.externals} <= KEYED_BASES | PLAIN_BASES:
        return None
    parameters = []
    for field in inference.records.fields(of):
        annotation = scopes.bindings(field)[0].annotation
        owner = scopes.get_class_symbol(scopes.class_of_scope(field.file, field.scope))
        form = dotted(annotation.parts[0]).rpartition(".")[2] if annotation.kind is ExpressionKind.SUBSCRIPT else ""
        is_partial = owner is not None and rules.partial.search(owner.signature) is not None
        if owner is None or ("=" in owner.signature and not is_partial) or form in rules.hiding_forms:
            return None
        is_optional = form in rules.optional_forms or (is_partial and form not in rules.required_forms)
        parameters.append(CallParameter(field.name, is_optional=is_optional, is_named_only=True))
    return CallSignature(tuple(parameters))


def _is_plain_record(code: CodeIndex, of: ClassType, rules: Records) -> bool:
    """Return whether only the fields of a class determine the parameters of its constructor."""
    symbol = code.resolver.scopes.get_class_symbol(of) if code.has_file(of.file) else None
    is_generated = symbol is not None and all(is_decorated((each,), rules.decorators) for each in symbol.decorators)
    if symbol is None or (may_change_constructors(of.file, symbol) and not is_generated):
        return False
    text = code.read_definition(Definition(of.file, symbol, of.symbol))
    return rules.unusual.search(text) is None and rules.unordered.search(text) is None


def _is_field_call(value: Expression, rules: Records) -> bool:
    return value.kind is ExpressionKind.CALL and value.parts[0].name in rules.field_calls


def _has_default(value: Expression, signature: str, rules: Records) -> bool:
    """Return whether a field has a default value."""
    if not _is_field_call(value, rules):
        return "=" in signature
    given = value.parts[1:]
    return any(each.kind is not ExpressionKind.KEYWORD or rules.defaults.fullmatch(each.name) for each in given)
