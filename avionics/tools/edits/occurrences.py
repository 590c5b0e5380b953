"""Find the targets of the name at a position, and all other places that name them.

The language server and `avionics plan` ask the resolver here. A target is a variable (a name in a scope, which
may be a definition, a parameter or a local), a module, or something outside the workspace.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from msgspec import Struct, structs

from avionics.index.code_index import CodeIndex
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.values import (
    ClassType,
    External,
    FunctionType,
    Module,
    Target,
    Type,
    TypeVariable,
    UnknownType,
    Variable,
    as_class,
)
from avionics.index.references.reference_targets import find_reference_targets
from avionics.model.enums import FUNCTIONS, BindingKind, ReferenceKind, SymbolKind
from avionics.model.facts import UNKNOWN, Binding, Reference, Symbol
from avionics.model.knowledge import Definition
from avionics.model.naming import as_written, fold_name
from avionics.syntax.engine.expressions import value_of
from avionics.tools.edits.source_text import LineText, Place


class Occurrence(Struct, frozen=True):
    """A name in the text, with all facts about it at that place.

    Attributes:
        name: As written.
        references: The references there; a name can have two roles, as in `{ a }` for `{ a: a }`.
        bindings: The bindings there.
    """

    place: Place
    name: str
    references: tuple[Reference, ...] = ()
    bindings: tuple[Binding, ...] = ()
    definitions: tuple[Definition, ...] = ()


def get_occurrence(code: CodeIndex, text: LineText, file: str, line: int, column: int) -> Occurrence | None:
    """Return the occurrence at or ending at a position; None if there is no name of the code."""
    if not code.has_file(file):
        return None
    found: dict[tuple[int, str], Occurrence] = {}
    uses = code.uses(file)
    for name, references in uses.references.items():
        for reference in references:
            if reference.line == line:
                _note(found, text, file, line, reference.column, name, references=reference)
    for name, bindings in uses.bindings.items():
        for binding in bindings:
            if binding.line == line:
                _note(found, text, file, line, binding.column, name, bindings=binding)
    for each in code.iter_definitions(file):
        if each.line == line:
            _note(found, text, file, line, each.symbol.column, each.name, definitions=each)
    touched = [each for each in found.values() if each.place.column <= column <= each.place.column + each.place.length]
    # If two names meet at the position, the one that begins there is taken.
    return max(touched, key=lambda each: each.place.column, default=None)


def _note(
    found: dict[tuple[int, str], Occurrence],
    text: LineText,
    file: str,
    line: int,
    column: int,
    name: str,
    *,
    references: Reference | None = None,
    bindings: Binding | None = None,
    definitions: Definition | None = None,
) -> None:
    """Add a fact to the occurrence at its place. Implied names are not in the text and have none."""
    written = as_written(name)
    columns = [column] if text.is_at(written, line, column) else []
    if bindings is not None and bindings.kind is BindingKind.IMPORT and written.isidentifier():
        # The alias of an import follows the imported name, and may be the same word.
        alias = text.find(written, line, column + len(written) * len(columns))
        columns += [alias] if alias > 0 and (not columns or _is_alias(text, line, column, alias)) else []
    for each in columns:
        known = found.get((each, written)) or Occurrence(Place(file, line, each, len(written)), written)
        found[each, written] = structs.replace(
            known,
            references=(*known.references, *filter(None, (references,))),
            bindings=(*known.bindings, *filter(None, (bindings,))),
            definitions=(*known.definitions, *filter(None, (definitions,))),
        )


def _is_alias(text: LineText, line: int, column: int, alias: int) -> bool:
    """Return whether a name is an alias of the name before it: `name as name`."""
    return text.line(line)[column:alias].split()[1:] == ["as"]


def find_targets(code: CodeIndex, occurrence: Occurrence) -> tuple[Target, ...]:
    """Return the targets of an occurrence; () if they are not known or are in a stub."""
    file = occurrence.place.file
    found: dict[Target, None] = {}
    for reference in occurrence.references:
        found.update(dict.fromkeys(find_reference_targets(code.resolver, file, reference)))
    for binding in occurrence.bindings:
        found.update(dict.fromkeys(_list_binding_targets(code, file, binding)))
    for definition in occurrence.definitions:
        own = code.graph.get_variable(definition)
        if own is not None:
            found[own] = None
    return tuple(target for target in found if not isinstance(target, Variable) or not target.file.startswith(STUBS))


def _list_binding_targets(code: CodeIndex, file: str, binding: Binding) -> tuple[Target, ...]:
    """Return the targets of a binding: the variable, or the targets of its import."""
    scopes = code.resolver.scopes
    variable = Variable(file, binding.scope, binding.name)
    if binding.kind is BindingKind.IMPORT:
        return (*scopes.follow(variable), variable)
    if binding.kind is BindingKind.OUTER:
        outer = scopes.get_variable(file, binding.scope, binding.name)
        return (outer,) if outer is not None else ()
    if binding.kind is BindingKind.MEMBER:
        members = code.resolver.inference.members
        holder = members.class_at(file, binding.scope)
        found = members.find(holder, binding.name) if holder is not None else None
        return (found.variable,) if found is not None else (variable,)
    return (variable,)


def find_declaring_places(code: CodeIndex, target: Target, occurrence: Occurrence | None) -> tuple[Place, ...]:
    """Return the places that declare a target: its definitions, else its first assignments.

    Among overloads, only those that the occurrence means count. An import is no such place, because it only passes a
    name on; for a module, it is the start of its file.
    """
    if isinstance(target, Module):
        return (Place(target.file, 1, 0, 0),) if target.file and not target.file.startswith(STUBS) else ()
    if isinstance(target, External) or target.file.startswith(STUBS):
        return ()
    definitions = find_meant_definitions(code, target, occurrence)
    is_space = bool(definitions) and all(_is_namespace(code, each) for each in definitions)
    if occurrence is not None and is_space and (len(definitions) == 1 or not occurrence.definitions):
        definitions = (_get_first_part(code, definitions[0], occurrence.place.file),)
    if definitions:
        return tuple(_place_of(each) for each in _find_bodies(code, target, definitions) or definitions)
    bindings = [each for each in code.resolver.scopes.bindings(target) if each.kind is not BindingKind.IMPORT]
    declared = [each for each in bindings if each.annotation != UNKNOWN or each.kind is BindingKind.PARAMETER]
    first = (declared or bindings)[:1]
    return tuple(Place(target.file, each.line, each.column, len(as_written(each.name))) for each in first)


def _is_namespace(code: CodeIndex, definition: Definition) -> bool:
    return definition.kind is SymbolKind.MODULE and code.spec(definition.file).linkage


def _get_first_part(code: CodeIndex, space: Definition, file: str) -> Definition:
    """Return the first declaration of a C++ namespace that a file sees; each declaration adds to it."""
    modules = (each for each in _iter_alike(code, space) if each.kind is SymbolKind.MODULE)
    parts = {each.file: each for each in reversed(list(modules))}
    first = code.modules.system_of(file).get_first_read(file, parts)
    return parts[first] if first is not None else space


def find_definitions(code: CodeIndex, target: Target) -> tuple[Definition, ...]:
    """Return the definitions of a target, those with bodies in place of mere declarations."""
    if not isinstance(target, Variable) or target.file.startswith(STUBS):
        return ()
    return tuple(dict.fromkeys(map(code.graph.body_of, code.graph.find_all_definitions(target))))


def find_meant_definitions(code: CodeIndex, target: Target, occurrence: Occurrence | None) -> tuple[Definition, ...]:
    """Return the definitions of a target; among overloads, those that an occurrence means."""
    overloads = map(code.graph.body_of, choose_overloads(code, occurrence, target))
    return tuple(dict.fromkeys(overloads)) or find_definitions(code, target)


def choose_overloads(code: CodeIndex, occurrence: Occurrence | None, target: Target) -> tuple[Definition, ...]:
    """Return the overloads of a target that an occurrence means; () if it has none, or they cannot be distinguished."""
    if occurrence is None or not isinstance(target, Variable) or target.file.startswith(STUBS):
        return ()
    every = code.graph.find_all_definitions(target)
    if len(every) > 1 and all(each.kind is SymbolKind.MACRO for each in every):
        place = occurrence.place
        return code.resolver.inference.overloads.list_in_force(every, place.file, place.line)
    is_overloaded = code.spec(target.file).overloads and len(every) > 1
    if not is_overloaded or any(each.kind not in FUNCTIONS for each in every):
        return ()
    own = [each for each in occurrence.definitions if each in every]
    functions = {FunctionType.of(each): each for each in every}
    chosen = (
        function
        for reference in occurrence.references
        if reference.arguments is not None
        for function in code.resolver.inference.overloads.choose_at(tuple(functions), occurrence.place.file, reference)
    )
    return tuple(dict.fromkeys(own or [functions[each] for each in chosen]))


def _find_bodies(code: CodeIndex, target: Target, definitions: tuple[Definition, ...]) -> tuple[Definition, ...]:
    """Return the bodies, in several programs or builds, of a C function that a header only declares.

    If the header leads to none of them, a macro may stand for the function as well.
    """
    first, spec = definitions[0], code.spec(definitions[0].file)
    declared = code.graph.find_all_definitions(target) if isinstance(target, Variable) and spec.linkage else ()
    if not declared or not all(each.symbol.is_announced and each.kind is SymbolKind.FUNCTION for each in declared):
        return ()
    if not first.symbol.is_announced:
        bodies = (body for each in declared for body in code.graph.find_bodies(each))
        return () if spec.overloads else tuple(dict.fromkeys(bodies))
    return tuple(e for e in _iter_alike(code, first) if code.spec(e.file).linkage and _is_body(e.symbol))


def _iter_alike(code: CodeIndex, definition: Definition) -> Iterator[Definition]:
    """Yield the definitions of the same qualified name, in all files."""
    for file in code.files_defining(fold_name(definition.name)):
        yield from (e for e in code.iter_definitions(file) if e.symbol.qualname == definition.symbol.qualname)


def _is_body(symbol: Symbol) -> bool:
    """Return whether a symbol is a macro, or a function with a body that other files can call."""
    is_function = symbol.kind is SymbolKind.FUNCTION and symbol.exported and not symbol.is_announced
    return is_function or symbol.kind is SymbolKind.MACRO


def _place_of(definition: Definition) -> Place:
    return Place(definition.file, definition.line, definition.symbol.column, len(definition.name))


def is_imported(code: CodeIndex, target: Target) -> bool:
    """Return whether a target is only bound by imports."""
    bindings = code.resolver.scopes.bindings(target) if isinstance(target, Variable) else ()
    return bool(bindings) and all(each.kind is BindingKind.IMPORT for each in bindings)


def iter_keyword_doubts(code: CodeIndex, parameter: Variable) -> Iterator[tuple[str, int]]:
    """Yield the file and line of named arguments that may be passed to a parameter: the callee is not known."""
    for file in code.files_with_word(parameter.name):
        for reference in code.uses(file).references.get(parameter.name, ()):
            if reference.kind is not ReferenceKind.KEYWORD or reference.receiver is None:
                continue
            callees = code.resolver.inference.infer(reference.receiver, file, reference.scope, reference.line)
            if not callees or any(isinstance(callee, (UnknownType, TypeVariable)) for callee in callees):
                yield file, reference.line


class NameUse(Struct, frozen=True):
    """A place that uses a target: the role of the name, and whether the name is bound there."""

    place: Place
    role: ReferenceKind
    is_declaration: bool = False


def iter_file_uses(code: CodeIndex, file: str, target: Variable) -> Iterator[NameUse]:
    """Yield the places of one file that name a variable, its own declarations included, in no order."""
    if not code.has_file(file):
        return
    uses, name, spec = code.uses(file), target.name, code.spec(file)
    length = len(as_written(name))
    for reference in chain.from_iterable(uses.references.get(each, ()) for each in spec.list_bound(as_written(name))):
        if target in find_reference_targets(code.resolver, file, reference):
            yield NameUse(Place(file, reference.line, reference.column, length), reference.kind)
    if file != target.file:
        return
    for binding in code.resolver.scopes.bindings(target):
        if binding.kind is not BindingKind.IMPORT:
            yield NameUse(Place(file, binding.line, binding.column, length), ReferenceKind.WRITE, is_declaration=True)


def iter_module_uses(code: CodeIndex, file: str, module: str) -> Iterator[NameUse]:
    """Yield the names of a file that refer to a module, by its own name or one that an import binds."""
    scopes = code.resolver.scopes
    uses = code.uses(file)
    names = module_names(module)
    for name, bindings in uses.bindings.items():
        imported = [Variable(file, each.scope, name) for each in bindings if each.kind is BindingKind.IMPORT]
        if any(is_module(target, module) for each in imported for target in scopes.follow(each)):
            names.add(name)
    for name in names:
        for reference in uses.references.get(name, ()):
            if any(is_module(target, module) for target in find_reference_targets(code.resolver, file, reference)):
                yield NameUse(Place(file, reference.line, reference.column, len(name)), reference.kind)


def module_names(module: str) -> set[str]:
    """Return the possible names of a module: those of its file and its directory."""
    return {module.rpartition("/")[2].partition(".")[0], *module.split("/")[-2:-1]}


def is_module(target: Target, file: str) -> bool:
    """Return whether a target is the module of a file."""
    return isinstance(target, Module) and target.file == file


def find_types(code: CodeIndex, occurrence: Occurrence) -> tuple[Definition, ...]:
    """Return the classes of an occurrence's values; the name of a class refers to the class itself."""
    file = occurrence.place.file
    inference = code.resolver.inference
    found: list[Type] = []
    for reference in occurrence.references:
        found += inference.infer(value_of(reference), file, reference.scope, reference.line)
    if not found:
        variables = [each for each in find_targets(code, occurrence) if isinstance(each, Variable)]
        found = [kind for each in variables for kind in inference.infer_variable(each)]
    classes = [of for kind in found if (of := _get_class(code, kind)) is not None]
    return tuple(dict.fromkeys(classes))


def _get_class(code: CodeIndex, kind: Type) -> Definition | None:
    """Return the class of the workspace that a type is, or is an instance of; None for any other type."""
    of = as_class(kind)
    if not isinstance(of, ClassType) or of.file.startswith(STUBS):
        return None
    return code.resolver.scopes.get_class_definition(of)
