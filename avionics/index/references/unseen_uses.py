"""Find the ways in which a definition without usages may still be used: computed names, escaping objects, strings.

A definition without proven references is certainly unused only if none of these ways exists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from avionics.index.facts.fact_source import FactSource
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.cached_method import uncut_method
from avionics.index.model.file_roles import FileRole, is_declaration_file, role_of, stem_of
from avionics.index.model.values import BUILTIN, ClassType, External, InstanceType, Module, Type, UnknownType
from avionics.index.references.implicit.class_bodies import ClassBodies, iter_mangled
from avionics.index.references.implicit.constructor_uses import is_given_values
from avionics.index.references.implicit.dynamic_access import Dynamic, find_reflective_files, iter_around
from avionics.index.references.implicit.escaping_objects import EscapingObjects
from avionics.index.references.implicit.implicit_uses import ImplicitUses
from avionics.index.references.implicit.loaders import PRIVATE, Loaders
from avionics.index.references.implicit.outside_declarations import OutsideBlocks
from avionics.index.references.implicit.placed_constants import is_placed
from avionics.index.references.reference_resolver import Resolver
from avionics.index.references.usages import Graph
from avionics.index.scopes.field_layouts import FieldLayouts
from avionics.model.enums import Certainty, ExpressionKind, ReferenceKind, SymbolKind, is_class
from avionics.model.facts import UNKNOWN, Reference, line_of
from avionics.model.knowledge import Definition
from avionics.model.naming import fold_name
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.conventions import Records
from avionics.syntax.registry import conventions_of

_SUNDER = re.compile(r"_[a-z]\w*_\Z")
_DECLARATOR = re.compile(r"\}\s*+(?:__\w++(?>(?:\(\([^()]*+\)\))?)\s*+)*[*\s]*+[A-Za-z_]")
"""The end of a type's declaration that also declares a variable or typedef: `} current;`."""
_RESERVED = re.compile(r"_[A-Z_]")
_POSITIONAL = r"(?<!class )(?<![\w.])NAME\(\s*+(?!\w++\s*+=[^=]|\*\*|\))"
"""A call that makes an object of the class `NAME` with arguments that are not named."""
_ASSERTION = re.compile(r"typedef\s[^\[]*\[(?>.*?(?:\?|[=!<>]=|[<>])).*\]")
"""A type of C whose only purpose is that it cannot be declared unless a condition holds."""
_EXPORTED = re.compile(r"\bdllexport\b|\bvisibility\s?\(\s?\"default\"")
"""The mark of a C declaration that a library exports to programs that load it."""
_EXPORTING = re.compile(r"\s*(?:export\s+(?:const|let|var|default)\b|(?:module\.)?exports\b)[^(]*\Z")
_READ_BY_HEADERS = frozenset({SymbolKind.MACRO, SymbolKind.TYPE})
_CALLED_ALIKE = frozenset({SymbolKind.FUNCTION, SymbolKind.MACRO})
MAX_REASONS = 5
"""The maximum number of reasons for one definition: one is enough to make its use unknown."""


class UnseenUses:
    """Finds possible uses of definitions that do not name them."""

    def __init__(self, source: FactSource, graph: Graph, resolver: Resolver) -> None:
        self._source = source
        self._graph = graph
        self._resolver = resolver
        self._implicit = ImplicitUses(resolver.scopes, resolver.inference, graph.interfaces)
        self._layouts = FieldLayouts(source)
        self._bodies = ClassBodies(source, resolver.inference)
        self.loaders = Loaders(source, resolver.scopes, graph.classes, graph.edges)
        self._outside_blocks = OutsideBlocks(source)
        self._escaping = EscapingObjects(resolver, graph.classes, graph.edges, graph.usages)
        self._dynamic = Dynamic(source, resolver, find_reflective_files(source.files_with_word))
        self._listings: dict[Records, tuple[str, int] | None] = {}

    def find_reasons(self, definition: Definition) -> tuple[Reason, ...]:
        """Return the reasons why the definition may be used without a proven reference; () if it cannot be.

        One reason is enough, so the slow searches run only if the declaration itself gives none.
        """
        found: dict[Reason, None] = {}
        for find in (self._iter_declared, self._iter_mentioned):
            for reason in find(definition):
                found[reason] = None
                if len(found) == MAX_REASONS:
                    break
            if found:
                break
        return tuple(found)

    def _iter_declared(self, definition: Definition) -> Iterator[Reason]:
        """Yield the ways to use a definition that its declaration and those around it show."""
        yield from self._implicit.iter_reasons(definition)
        yield from self._implicit.iter_unnamed(definition)
        yield from self._iter_unnamed_uses(definition)
        if is_placed(definition, self._source):
            yield Reason(ReasonKind.ENUM_MEMBER)
        yield from self._iter_side_effects(definition)
        if self._is_constructed(definition):
            yield Reason(ReasonKind.CONSTRUCTED_OBJECT)
        if hook := self._bodies.get_name_hook(definition):
            yield Reason(ReasonKind.RECEIVED_BY_HOOK, subject=hook)
        stubs = conventions_of(definition.file).files.stub_places
        if is_declaration_file(definition.file) or stubs.search(definition.file):
            yield Reason(ReasonKind.STUB)

    def _iter_mentioned(self, definition: Definition) -> Iterator[Reason]:
        """Yield the ways to use a definition that need a search of the files with its name, or that of its class."""
        if definition.kind is SymbolKind.ATTRIBUTE and definition.symbol.parent >= 0:
            yield from self._iter_shape_keys(definition)
            yield from self._iter_copying_spreads(definition)
        yield from self._iter_strings(definition)
        yield from self._graph.strings.iter_reasons(definition)
        yield from self._iter_open_references(definition)
        yield from self._iter_computed(definition)
        yield from self._iter_outside_calls(definition)
        yield from self._iter_passed_modules(definition)
        yield from self._iter_protocols(definition)
        yield from self._iter_reasons_of_subclasses(definition)
        yield from self._iter_unparsed_files(definition)

    def _iter_unnamed_uses(self, definition: Definition) -> Iterator[Reason]:
        """Yield the ways in which a member of a class is used without being named."""
        symbol, holder = definition.symbol, self._source.get_parent(definition)
        if holder is None:
            return
        is_mark = conventions_of(definition.file).implicit.marking_members.fullmatch(symbol.signature) is not None
        is_method = holder.kind is SymbolKind.INTERFACE and symbol.kind is SymbolKind.METHOD
        is_required = is_method and self._resolver.scopes.spec(definition.file).structural_interfaces
        if is_mark:
            yield Reason(ReasonKind.MARKING_MEMBER)
        elif is_required or self._graph.interfaces.is_protocol(holder):
            # Even an unused member of an interface decides which types satisfy the interface.
            place = (definition.file, holder.line)
            yield Reason(ReasonKind.PROTOCOL_MEMBER, place=place, subject=holder.symbol.qualname)
        if symbol.kind is SymbolKind.ATTRIBUTE:
            yield from self._layouts.find_reasons(definition.file, holder.index)
            yield from self._layouts.iter_of_first(definition)
        if not is_class(holder.kind):
            return
        yield from self._iter_generated_reads(definition, holder)
        constructors = conventions_of(definition.file).implicit.constructors
        if symbol.name in {holder.name, *constructors} and PRIVATE.match(symbol.signature):
            yield Reason(ReasonKind.PRIVATE_CONSTRUCTOR)
        if symbol.kind is SymbolKind.ATTRIBUTE:
            yield from self._iter_tags(definition, holder)
            yield from self._iter_positional_calls(definition, holder)
            yield from self._iter_reading_listings(definition, holder)
        is_enum = self._resolver.inference.records.is_enum(ClassType(definition.file, holder.index))
        is_variant = symbol.signature.removeprefix("case ").startswith(symbol.name)
        if not is_variant or not (is_enum or holder.kind is SymbolKind.ENUM):
            return
        if self._is_declarator(holder) or not self._is_of_unused(holder):
            yield Reason(ReasonKind.ENUM_MEMBER)

    def _iter_shape_keys(self, definition: Definition) -> Iterator[Reason]:
        """Yield the first key or string with the name of a field, since an object literal may have the field's type."""
        name, written = definition.name, conventions_of(definition.file).implicit.shape_keys
        key = re.compile(written.replace("NAME", re.escape(name)), re.MULTILINE)
        for file in self._source.files_with_word(name) if written else ():
            if conventions_of(file).implicit.shape_keys != written or is_declaration_file(file):
                continue
            text, symbols = self._source.read_text(file), self._source.facts(file).symbols
            declared = {each.line for each in symbols if each.name == name and each.parent >= 0}
            found = (each for start, end in iter_around(text, name) for each in key.finditer(text, start, end))
            lines = (line_of(text, text.index(name, each.start())) for each in found)
            if (line := next((each for each in lines if each not in declared), 0)) > 0:
                yield Reason(ReasonKind.MAPPING_KEY, place=(file, line))
                return

    def _iter_copying_spreads(self, definition: Definition) -> Iterator[Reason]:
        """Yield the first object literal that copies all fields of an object of the type: `{ ...entry, id: 1 }`."""
        holder = self._source.get_parent(definition)
        if holder is None or not self._resolver.scopes.spec(definition.file).separate_types:
            return
        place = self._get_spread(holder)
        if place is not None:
            yield Reason(ReasonKind.LISTED_MEMBERS, place=place)

    @uncut_method
    def _get_spread(self, holder: Definition) -> tuple[str, int] | None:
        """Return the place of the first object literal that copies all fields of an object of a type, if any."""
        return next(self._iter_spreads(holder), None)

    def _iter_spreads(self, holder: Definition) -> Iterator[tuple[str, int]]:
        """Yield the object literals that spread an object of a type, in the files that use the type."""
        own, inference = ClassType.of(holder), self._resolver.inference
        for file in dict.fromkeys((holder.file, *(each.file for each in self._graph.usages(holder).usages))):
            uses = self._source.uses(file)
            for scope, bases in uses.bases.items():
                if uses.scopes[scope].symbol >= 0:
                    continue  # The bases of a class that has a name.
                kinds = (kind for base in bases for kind in inference.infer(base, file, scope))
                copied = (kind.of for kind in kinds if isinstance(kind, InstanceType))
                if any(isinstance(of, ClassType) and inference.members.is_subclass(of, own) for of in copied):
                    yield file, uses.scopes[scope].span.start_line

    def _iter_tags(self, definition: Definition, holder: Definition) -> Iterator[Reason]:
        """Yield the tag by which libraries read and set a field of a type that something uses."""
        line = self._source.read_line(definition.file, definition.line)
        tag = conventions_of(definition.file).implicit.tagged_members.search(line)
        if tag is not None and not self._is_of_unused(holder):
            yield Reason(ReasonKind.FIELD_TAG, subject=tag[0])

    def _iter_positional_calls(self, definition: Definition, holder: Definition) -> Iterator[Reason]:
        """Yield the first call that sets fields by position, if the constructor is generated from the fields."""
        if self._resolver.inference.records.is_made_of_fields(ClassType(definition.file, holder.index)):
            classes = (holder, *self._graph.classes.descendants(holder))
            place = next(chain.from_iterable(map(self._iter_positional, classes)), None)
            if place is not None:
                yield Reason(ReasonKind.SET_BY_POSITION, place=place)

    def _iter_generated_reads(self, definition: Definition, holder: Definition) -> Iterator[Reason]:
        """Yield a reason if generated members of a used class read a field, as `equals` of a record does."""
        is_field = definition.kind in {SymbolKind.ATTRIBUTE, SymbolKind.PROPERTY}
        if not (is_field and conventions_of(holder.file).implicit.value_classes.match(holder.symbol.signature)):
            return
        lines = self._source.read_lines(holder.file)[holder.line - 1 : definition.line]
        before = "\n".join((*lines[:-1], lines[-1][: definition.symbol.column]))
        if "{" not in before and not self._is_of_unused(holder):
            yield Reason(ReasonKind.COMPARED_FIELD)

    def _iter_reading_listings(self, definition: Definition, holder: Definition) -> Iterator[Reason]:
        """Yield the first place that reads all fields of some record: `asdict(value)`, `fields(value)`."""
        if self._resolver.inference.records.is_made_of_fields(ClassType(definition.file, holder.index)):
            records = conventions_of(definition.file).records
            if records not in self._listings:
                self._listings[records] = next(self._iter_listings(records), None)
            if (place := self._listings[records]) is not None:
                yield Reason(ReasonKind.LISTED_MEMBERS, place=place)

    def _iter_listings(self, records: Records) -> Iterator[tuple[str, int]]:
        """Yield the uses of library functions that read all fields of a record."""
        for word in records.listings:
            for file in self._source.files_with_word(word):
                taken = (each for each in self._source.facts(file).imports if each.module in records.listing_modules)
                names = {each.name or each.alias for each in taken}
                for each in self._source.uses(file).references.get(word, ()) if names else ():
                    if word in names if each.receiver is None else each.receiver.name in names:
                        yield file, each.line

    def _iter_positional(self, of: Definition) -> Iterator[tuple[str, int]]:
        """Yield the calls of a class, also as `cls` within it, with arguments that are not named."""
        within = re.compile(_POSITIONAL.replace("NAME", "cls"))
        for line in range(of.line, of.symbol.span.end_line + 1):
            if within.search(self._source.read_line(of.file, line)):
                yield of.file, line
        named = re.compile(_POSITIONAL.replace("NAME", re.escape(of.name)))
        for usage in self._graph.usages(of).usages:
            # The first argument of a long call is on the next line.
            text = "\n".join(self._source.read_lines(usage.file)[usage.line - 1 : usage.line + 1])
            if named.match(text, usage.column):
                yield usage.file, usage.line

    def _iter_side_effects(self, definition: Definition) -> Iterator[Reason]:
        """Yield the effects of a declaration that need no reference.

        In C, a type may declare a variable or a typedef as well (`enum mode { … } current;`), and headers of the
        compiler read macros with reserved names. In other languages, a block may declare names for outside code.
        """
        if definition.file.startswith(STUBS):
            return
        if self._resolver.scopes.spec(definition.file).linkage:
            if is_class(definition.kind) and self._is_declarator(definition):
                yield Reason(ReasonKind.TAG_AND_TYPEDEF, subject="declaration")
            if definition.kind is SymbolKind.TYPE and _ASSERTION.match(definition.symbol.signature):
                yield Reason(ReasonKind.MEMORY_LAYOUT, place=(definition.file, definition.line))
            if _EXPORTED.search(definition.symbol.signature):
                yield Reason(ReasonKind.DIRECTIVE, place=(definition.file, definition.line))
            is_macro = definition.kind is SymbolKind.MACRO
            may_be_read = definition.kind in _READ_BY_HEADERS and self._is_before_library(definition)
            if may_be_read or (is_macro and _RESERVED.match(definition.name)):
                yield Reason(ReasonKind.SPECIAL_NAME)
            if is_macro and self._is_used_elsewhere(definition.name):
                yield Reason(ReasonKind.RENAMED_BY_MACRO, subject=definition.name)
            if self._is_included_when_built(definition) or (is_macro and self._is_included_by_none(definition.file)):
                yield Reason(ReasonKind.FILE_NOT_IMPORTED)
            if self._is_of_system(definition):
                yield Reason(ReasonKind.SPECIAL_NAME)
            if definition.kind in _CALLED_ALIKE and len(self._list_called(definition.name)) > 1:
                yield Reason(ReasonKind.RENAMED_BY_MACRO, subject=definition.name)
            return
        if (reason := self._outside_blocks.get_reason(definition)) is not None:
            yield reason

    def _is_of_system(self, definition: Definition) -> bool:
        """Return whether a global name of C is reserved for the system, whose linker or libraries look for it."""
        symbol = definition.symbol
        is_global = symbol.name == symbol.qualname and not symbol.signature.startswith("static")
        reserved = {SymbolKind.VARIABLE: "_", SymbolKind.CONSTANT: "_", SymbolKind.FUNCTION: "__"}.get(symbol.kind)
        return is_global and reserved is not None and symbol.name.startswith(reserved)

    def _is_declarator(self, of: Definition) -> bool:
        """Return whether a declaration of a C type also declares a variable or typedef: `struct { … } current;`."""
        if not self._resolver.scopes.spec(of.file).linkage:
            return False
        lines, end = self._source.read_lines(of.file), of.symbol.span.end_line
        return _DECLARATOR.search("\n".join(lines[end - 1 : end + 1])) is not None

    def _is_before_library(self, definition: Definition) -> bool:
        """Return whether a file includes a header from outside after a definition, directly or through its own ones.

        The header may read the definition.
        """
        modules, imports = self._resolver.scopes.modules, self._source.facts(definition.file).imports
        further = (each for each in imports if each.line > definition.line)
        found = [module for each in further for module in modules.find_all(each, definition.file)]
        own = [module.file for module in found if isinstance(module, Module) and module.file]
        if self._graph.edges.lead_outside(own):
            return True
        return any(isinstance(module, External) for module in found)

    def _is_included_when_built(self, definition: Definition) -> bool:
        """Return whether only a template of a file (`config.h.in`) includes a header, and other code has the name."""
        header, name = definition.file.rpartition("/")[2], definition.name
        if self._graph.edges.importers(definition.file) or self._source.files_with_word(name) == (definition.file,):
            return False
        included = re.compile(rf'^[ \t]*#[ \t]*include[ \t]+["<](?:[^">\n]*/)?{re.escape(header)}[">]', re.MULTILINE)
        words = max(re.findall(r"\w+", stem_of(header)), key=len, default="")
        texts = (each for each in self._source.count_word(words) if each.endswith(".in"))
        return any(included.search(self._source.read_text(each)) for each in texts)

    def _is_included_by_none(self, file: str) -> bool:
        """Return whether no file includes a header, which may then configure an outside library."""
        is_header = not file.endswith(conventions_of(file).files.private_suffixes)
        return is_header and not self._graph.edges.importers(file)

    def _is_used_elsewhere(self, name: str) -> bool:
        """Return whether several files define a macro and some file uses it, so that the use may mean any of them."""
        is_common = len(self._source.files_defining(fold_name(name))) > 1
        return is_common and sum(self._source.count_word(name).values()) > len([*self._source.iter_named(name)])

    def _list_called(self, name: str) -> set[SymbolKind]:
        """Return FUNCTION and MACRO, as far as such symbols have a name: `int API(open)(void)` may define `open`."""
        return {each.kind for each in self._source.iter_named(name)} & _CALLED_ALIKE

    def _is_constructed(self, definition: Definition) -> bool:
        """Return whether a variable of C++ is an object whose constructor or destructor runs code: `Lock guard;`."""
        spec = self._resolver.scopes.spec(definition.file)
        if not (spec.linkage and spec.silent_construction):
            return False
        if definition.kind is not SymbolKind.VARIABLE:
            return is_given_values(definition, self._source)
        variable = self._resolver.scopes.get_declared(definition)
        types = self._resolver.inference.infer_variable(variable) if variable is not None else ()
        return any(isinstance(kind, InstanceType) and self._has_constructor(kind) for kind in types)

    def _has_constructor(self, kind: InstanceType) -> bool:
        """Return whether a class has a constructor or destructor; outside classes count as having one."""
        if isinstance(kind.of, External):
            return not kind.of.is_builtin
        members, symbol = self._resolver.inference.members, self._resolver.scopes.get_class_symbol(kind.of)
        names = ("__init__", f"~{symbol.name}") if symbol is not None else ()
        return any(members.find(kind.of, name) is not None for name in names)

    def _iter_strings(self, definition: Definition) -> Iterator[Reason]:
        """Yield the strings that name the definition; strings of C files count only for other languages."""
        name = definition.name
        ends = re.compile(rf"(?:.*[.:])?{re.escape(name)}\Z")
        for file in self._source.files_with_word(name):
            if self._resolver.scopes.spec(file).linkage:
                yield from self._iter_native_strings(definition, file)
                continue
            uses = self._source.uses(file)
            for text, lines in chain(uses.strings.items(), uses.keys.items()):
                if name in text and ends.match(text):
                    yield Reason(ReasonKind.STRING_LITERAL, place=(file, lines[0]))

    def _iter_native_strings(self, definition: Definition, file: str) -> Iterator[Reason]:
        """Yield the string of a C file by which it may reach a definition of another language, which it embeds."""
        quoted, text = f'"{definition.name}"', self._source.read_text(file)
        if quoted in text and not self._resolver.scopes.spec(definition.file).linkage:
            yield Reason(ReasonKind.STRING_LITERAL, place=(file, line_of(text, text.index(quoted))))

    def _iter_open_references(self, definition: Definition) -> Iterator[Reason]:
        """Yield the references with its name that are not proven to refer to something else."""
        for file in self._source.files_with_word(definition.name):
            for found in self._source.facts(file).imports:
                is_of_module = file != definition.file and definition.symbol.parent < 0
                if found.name == definition.name and is_of_module:
                    targets = self._resolver.scopes.find_imported(file, found)
                    if any(isinstance(t, External) for t in targets) and stem_of(definition.file) in found.module.split(
                        "."
                    ):
                        yield Reason(ReasonKind.UNLOCATED_IMPORT, place=(file, found.line))
            for reference in self._source.uses(file).references.get(definition.name, ()):
                if reference.receiver is not None and self._is_open(file, reference, definition):
                    yield Reason(ReasonKind.MEMBER_ACCESS, place=(file, reference.line))

    def _is_open(self, file: str, reference: Reference, definition: Definition) -> bool:
        """Return whether a member access may refer to the definition, possibly through an object from outside."""
        assert reference.receiver is not None
        if reference.kind is ReferenceKind.KEYWORD:
            return bool(self._resolver.resolve(file, reference).unknown)
        if reference.receiver == UNKNOWN:
            return True
        owners = self._resolver.inference.infer(reference.receiver, file, reference.scope, reference.line)
        if not owners or any(self._is_opaque(owner, reference.name) for owner in owners):
            return True
        stem = stem_of(definition.file)
        if any(isinstance(owner, External) and stem in owner.name.split(".") for owner in owners):
            return True
        return self._is_stand_in(definition)

    def _is_opaque(self, owner: Type, name: str) -> bool:
        """Return whether the owner of a name is unknown, comes from outside, or is a namespace without the name."""
        if isinstance(owner, UnknownType):
            return True
        if isinstance(owner, InstanceType) and isinstance(owner.of, External):
            return not owner.of.is_builtin
        if isinstance(owner, InstanceType) and isinstance(owner.of, ClassType):
            return self._resolver.scopes.is_open_stub(owner.of)
        return isinstance(owner, Module) and not owner.file and not self._resolver.scopes.find_member(owner, name)

    def _is_stand_in(self, definition: Definition) -> bool:
        """Return whether the member's class may stand in for another one, as classes in tests and in functions do."""
        own = self._lineage(definition)
        if not own:
            return False
        holder = self._resolver.scopes.get_class_symbol(own[0])
        if holder is None:
            return True
        around = self._source.facts(own[0].file).get_parent(holder)
        is_local = around is not None and not is_class(around.kind)
        return is_local or role_of(own[0].file) is FileRole.TEST

    def _iter_computed(self, definition: Definition) -> Iterator[Reason]:
        """Yield the computed accesses that reach the definition."""
        accesses = self._dynamic.get_accesses(definition.file)
        name, parent = definition.name, definition.symbol.parent
        for pattern, place in accesses.patterns:
            if pattern.match(name):
                yield Reason(ReasonKind.BUILT_NAME, place=place)
        if parent >= 0:
            access = accesses.ancestors.get((definition.file, parent))
            for owner in self._lineage(definition):
                access = access or accesses.classes.get((owner.file, owner.symbol))
        else:
            access = accesses.modules.get(definition.file)
        if access:
            yield Reason(ReasonKind.COMPUTED_ACCESS, place=access)
        if definition.file in accesses.runs:
            yield Reason(ReasonKind.EXECUTED_TEXT, place=accesses.runs[definition.file])
        listing = accesses.listing or self._get_class_listing(definition.file)
        is_found_by_type = definition.symbol.bases if is_class(definition.kind) else self._is_made_by_call(definition)
        if listing and is_found_by_type:
            yield Reason(ReasonKind.LISTED_MEMBERS, place=listing)

    def _is_made_by_call(self, definition: Definition) -> bool:
        """Return whether a top-level variable is assigned a call's result, by whose type a listing may select it."""
        variable = self._resolver.scopes.get_declared(definition) if definition.symbol.parent < 0 else None
        found = self._resolver.scopes.bindings(variable) if variable is not None else ()
        return any(each.value.kind is ExpressionKind.CALL for each in found)

    def _get_class_listing(self, near: str) -> tuple[str, int] | None:
        """Return the first place that lists the classes of a program, in the language of a file; None without one."""
        words = conventions_of(near).implicit.class_listing
        for word in words:
            for file in self._source.files_with_word(word):
                named = self._source.uses(file).references.get(word, ())
                if named and conventions_of(file).implicit.class_listing == words:
                    return file, named[0].line
        return None

    def _lineage(self, definition: Definition) -> tuple[ClassType, ...]:
        """Return the class that contains the definition, followed by its ancestors; () outside of classes."""
        members = self._resolver.inference.members
        own = members.class_of(definition)
        return members.lineage(own).classes if own is not None else ()

    def _iter_reasons_of_subclasses(self, definition: Definition) -> Iterator[Reason]:
        """Yield the subclasses of a member's class whose other bases may call the member."""
        own = self._lineage(definition)
        members = self._resolver.inference.members
        names = {variable.name for variable in self._resolver.scopes.iter_declared(definition)}
        of = self._resolver.scopes.get_class_definition(own[0]) if own else None
        # What the class itself inherits from, such as the root of all classes, its subclasses have not beside it.
        above = members.lineage(own[0]).externals if own else ()
        for subclass in self._graph.classes.descendants(of) if of is not None else ():
            lineage = members.lineage(ClassType.of(subclass))
            beside_it = next((each for each in lineage.externals if each not in above), None)
            if beside_it is not None:
                yield reason_about(ReasonKind.SUBCLASS_WITH_EXTERNAL_BASE, subclass, beside_it.removeprefix(BUILTIN))
            elif lineage.is_open:
                yield reason_about(ReasonKind.SUBCLASS_WITH_UNKNOWN_BASE, subclass)
            for beside in lineage.classes:
                if beside not in own and any(members.own_member(beside, name) is not None for name in names):
                    name = self._source.facts(beside.file).symbols[beside.symbol].qualname
                    yield reason_about(ReasonKind.SUBCLASS_COMBINES, subclass, f"{name}.{definition.name}")

    def _iter_outside_calls(self, definition: Definition) -> Iterator[Reason]:
        """Yield the ways in which outside code may call a member of an object that is passed to it."""
        own = self._lineage(definition)
        if not own:
            return
        holder = self._resolver.scopes.get_class_symbol(own[0])
        if holder is None:
            if not self._is_of_unused_object(definition):
                yield Reason(ReasonKind.ANONYMOUS_CLASS)
            return
        for decorator in self._implicit.iter_decorators(own[0].file, holder):
            yield Reason(ReasonKind.CLASS_DECORATOR, subject=decorator)
        yield from self._bodies.iter_listings(definition, own)
        library_members = conventions_of(definition.file).implicit.library_members
        if definition.name in library_members or _SUNDER.match(definition.name):
            yield Reason(ReasonKind.LIBRARY_PROTOCOL)
        elif self._resolver.scopes.spec(definition.file).implementations_are_uses:
            return  # Code outside can use only what a trait declares.
        elif self._implicit.is_open_to_libraries(definition):
            escape = self._escaping.get_reason(own[0])
            if escape is not None:
                yield escape
        else:
            yield from self._iter_private(own[0], holder.name)
        for mangled in iter_mangled(definition.name, holder.name):
            if self._source.files_with_word(mangled):
                yield Reason(ReasonKind.MANGLED_NAME, subject=mangled)

    def _iter_private(self, of: ClassType, name: str) -> Iterator[Reason]:
        """Yield the ways in which outside code may use the private members of a class.

        A library may get the object, and a private class whose name is in a string may replace one of another module.
        """
        if (dispatched := self._escaping.get_dispatched(of)) is not None:
            yield dispatched
        if name.startswith("_") and (place := self._get_string(name)) is not None:
            yield Reason(ReasonKind.STRING_LITERAL, place=place)

    def _get_string(self, name: str) -> tuple[str, int] | None:
        """Return the first recorded string that is exactly a name; None if there is none."""
        files = self._source.files_with_word(name)
        found = ((file, lines[0]) for file in files if (lines := self._source.uses(file).strings.get(name)))
        return next(found, None)

    def _iter_passed_modules(self, definition: Definition) -> Iterator[Reason]:
        """Yield the place that passes the module of a definition to outside code, which can then access its members."""
        modules, home = self._graph.modules, definition.file
        if (place := self._escaping.get_passing(definition)) is not None:
            yield Reason(ReasonKind.ESCAPING_MODULE, place=place)
        if definition.symbol.parent >= 0 or not definition.symbol.exported or modules.get_place(home) is None:
            return
        for file, line in modules.iter_places(home):
            if self._escaping.may_leave(file) or _EXPORTING.match(self._source.read_line(file, line)):
                yield Reason(ReasonKind.ESCAPING_MODULE, place=(file, line))
                return

    def _is_of_unused_object(self, definition: Definition) -> bool:
        """Return whether a definition is a key of an object that nothing uses."""
        holder = self._source.get_parent(definition)
        if holder is None:
            return False
        is_given = self.loaders.get(holder) == Reason(ReasonKind.DEFAULT_EXPORT)
        return self._is_of_unused(holder) and not is_given and not self.find_reasons(holder)

    @uncut_method
    def _is_of_unused(self, holder: Definition) -> bool:
        """Return whether the container of a member is unused."""
        report = self._graph.usages(holder)
        return not report.usages and report.certainty is Certainty.EXACT

    def _iter_protocols(self, definition: Definition) -> Iterator[Reason]:
        """Yield the protocols with a member of the definition's name, through which objects are used."""
        symbol = definition.symbol
        if not self._lineage(definition):
            return
        protocols = self._resolver.scopes.spec(definition.file).type_forms.protocols
        for file in (file for name in protocols for file in self._source.files_with_word(name)):
            facts = self._source.facts(file)
            for other in facts.symbols:
                holder = facts.get_parent(other) if other.name == symbol.name and other != symbol else None
                if holder is not None and any(name in base for base in holder.bases for name in protocols):
                    place = (file, other.line)
                    yield Reason(ReasonKind.PROTOCOL_MEMBER, place=place, subject=holder.qualname)

    def _iter_unparsed_files(self, definition: Definition) -> Iterator[Reason]:
        """Yield the files that mention the name and are not code, or were parsed only in part."""
        for file in sorted(self._source.count_word(definition.name)):
            if not self._source.has_file(file) or not self._source.facts(file).language:
                yield Reason(ReasonKind.TEXT_MENTION, subject=file)
        for file in self._source.files_with_word(definition.name):
            problems = self._source.facts(file).problems
            if problems or self._source.uses(file).is_partial:
                yield Reason(ReasonKind.PARSED_IN_PART, subject=file)


def reason_about(kind: ReasonKind, definition: Definition, detail: str = "") -> Reason:
    """Return a reason that names a definition and its place."""
    return Reason(kind, place=(definition.file, definition.line), subject=definition.symbol.qualname, detail=detail)
