"""Plan renames: possible only if every place that names a definition is known, and otherwise refused with the reason.

A planned rename is proven before it is offered. The edits are applied to an overlay, the files are read again, and the
new name must then mean the definition at exactly the places that were edited: this reveals a name that is taken,
shadows another, or is invalid in the language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import structs

from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.values import ClassType, Target, Variable
from avionics.index.scopes.name_resolver import CONSTRUCTOR
from avionics.index.verdicts.typed_conversions import TypedConversions
from avionics.model.enums import BindingKind, Certainty, ReferenceKind, is_class
from avionics.model.knowledge import Definition, Ledger
from avionics.model.mappings import group_pairs
from avionics.model.naming import called
from avionics.syntax.registry import conventions_of
from avionics.tools.answers.reasons import describe_reason, describe_reasons
from avionics.tools.edits.conditions import iter_undefined
from avionics.tools.edits.edit_plan import EditPlan, EditRefusedError
from avionics.tools.edits.occurrences import (
    Occurrence,
    find_definitions,
    find_targets,
    get_occurrence,
    is_imported,
    iter_keyword_doubts,
)
from avionics.tools.edits.source_text import Place
from avionics.tools.edits.uses import CodeView, find_uses

_NAME = re.compile(r"[^\W\d][\w$]*|[$@]\w+")
_SAME_ALIAS = re.compile(r"\s+as\s+([^\W\d]\w*)")
_UNPACKING = re.compile(r"\*\*|\.\.\.")
"""Syntax that passes arguments under names that are not in the call."""

_UNDEFINED = "is compiled under conditions under which something else must have the name"

_MAX_CALL = 2_000
"""Characters of a call that are searched for it."""


class RenamePlan(EditPlan, frozen=True):
    """Every place that is proven to name a definition, and places that may also name it.

    Attributes:
        places: The places, ordered by file and line.
        occurrence: The occurrence that the user selected.
    """

    places: tuple[Place, ...]
    occurrence: Occurrence

    def by_file(self) -> dict[str, list[Place]]:
        """Return the places by file."""
        return group_pairs((place.file, place) for place in self.places)


def plan_rename(view: CodeView, file: str, line: int, column: int) -> RenamePlan:
    """Return every place to rename. Raise `EditRefusedError` if there is none, or one names two definitions."""
    occurrence = get_occurrence(view.code, view.text(file), file, line, column)
    if occurrence is None:
        raise EditRefusedError("there is no name at this position")
    targets = [each for each in find_targets(view.code, occurrence) if not is_imported(view.code, each)]
    definitions = {find_definitions(view.code, each)[:1]: each for each in targets}
    if len(definitions) != 1 or not isinstance(target := targets[0], Variable):
        raise EditRefusedError(_describe_unfit(occurrence, targets))
    definition = next(iter(definitions))[:1]
    name = occurrence.name
    if definition and definition[0].name != name:
        raise EditRefusedError(f"{name!r} refers to {definition[0].name!r} here; rename its definition instead")
    is_constructor = target.name in {CONSTRUCTOR, called(CONSTRUCTOR)}
    if is_constructor and not any(each.symbol.qualname.endswith(f"{name}.{name}") for each in definition):
        raise EditRefusedError(f"the language itself calls {name!r} by this name")
    owner = view.code.resolver.inference.members.class_of(definition[0]) if is_constructor and definition else None
    if owner is not None:
        # A constructor has the name of its class, so they can only be renamed together.
        symbol = view.code.facts(owner.file).symbols[owner.symbol]
        return plan_rename(view, owner.file, symbol.line, symbol.column)
    doubts, reasons, ledger = _read_target_doubts(view, target, definition)
    places = _read_written(view, targets, name)
    places |= {structs.replace(place, length=len(name)) for place in _list_constructors(view, definition)}
    for place in places:
        _require_single(view, place, target, definition)
    ordered = tuple(sorted(places, key=lambda place: place.start))
    return RenamePlan(ordered, occurrence, name=name, open=doubts, reasons=reasons, ledger=ledger)


def require_complete(plan: RenamePlan) -> None:
    """Refuse a plan that may lack places. Raise `EditRefusedError` if some possible use of the target is undecided."""
    if not plan.is_complete:
        doubts = [f"{file}:{line} {why}" for file, line, why in plan.open[:1]]
        reasons = "; ".join([*doubts, *plan.reasons][:3])
        raise EditRefusedError(f"not every use of {plan.name!r} is known: {reasons}")


def prove_rename(view: CodeView, plan: RenamePlan, new_name: str) -> dict[str, str]:
    """Return the texts of the edited files, proven: the new name means the target at the edited places alone.

    Raise `EditRefusedError` if the new name is not a valid one, or would mean something else somewhere.
    """
    if not _NAME.fullmatch(new_name):
        raise EditRefusedError(f"{new_name!r} is not a valid name")
    by_file = plan.by_file()
    texts = {file: _edit(view, file, places, new_name) for file, places in by_file.items()}
    after = view.edited(texts)
    for file in texts:
        if len(after.code.facts(file).problems) > len(view.code.facts(file).problems):
            raise EditRefusedError(f"{new_name!r} cannot be written at {file}:{by_file[file][0].line}")
    for file, line in _iter_misread(after, plan, by_file, new_name):
        raise EditRefusedError(f"{new_name!r} would mean something else at {file}:{line}")
    return texts


def _describe_unfit(occurrence: Occurrence, targets: Iterable[Target]) -> str:
    """Return why a name without a single definition in the workspace cannot be renamed."""
    if any(isinstance(each, Variable) for each in targets):
        return f"{occurrence.name!r} may mean several things here"
    return f"{occurrence.name!r} is not defined in this workspace, or its meaning here is unknown"


Doubts = tuple[tuple[tuple[str, int, str], ...], tuple[str, ...], Ledger | None]
"""The places that may use a definition, why there may be more, and the ledger of its name."""


def read_doubts(view: CodeView, definition: Definition) -> Doubts:
    """Return the places that may use a definition, why there may be more, and the ledger of its name."""
    report = view.code.usages(definition)
    hidden = tuple((file, line, _UNDEFINED) for file, line in iter_undefined(view.code, report))
    if report.certainty is Certainty.EXACT and not report.unresolved:
        return hidden, (), report.ledger
    unsure = report.unresolved
    doubts = hidden + tuple((each.file, each.line, f"may use it: {describe_reason(each.reason)}") for each in unsure)
    reasons = describe_reasons(report.reasons)
    return doubts, reasons if reasons or doubts else ("its uses are not known",), report.ledger


def _iter_bound_by_name(view: CodeView, definition: Definition) -> Iterator[tuple[str, int, str]]:
    """Yield the other places bound to a definition's name: overrides, interfaces of libraries, the file of a class."""
    for each in view.code.graph.classes.overrides(definition):
        yield each.file, each.line, "overrides or implements it, and would have to be renamed with it"
    yield from _iter_combined(view, definition)
    yield from _iter_resembled(view, definition)
    for file, line, outside in TypedConversions(view.code).iter_outside(definition):
        yield file, line, f"converts its type to {outside}, which may require it"
    stem, dot, suffix = definition.file.rpartition("/")[2].rpartition(".")
    is_public = definition.symbol.parent < 0 and "public " in definition.symbol.signature
    if is_public and stem == definition.name and conventions_of(definition.file).files.are_named_by_types:
        name = f"{stem}{dot}{suffix}"
        yield definition.file, definition.line, f"is the public type of {name}, which has to be renamed too"


def _iter_combined(view: CodeView, definition: Definition) -> Iterator[tuple[str, int, str]]:
    """Yield the members of other classes that a subclass combines with a member, as an interface requires."""
    scopes, members = view.code.resolver.scopes, view.code.resolver.inference.members
    own = members.class_of(definition)
    owner = scopes.get_class_definition(own)
    if own is None or owner is None:
        return
    above = members.lineage(own).classes
    names = {each.name for each in scopes.iter_declared(definition)}
    for subclass in view.code.graph.classes.descendants(owner):
        for beside in members.lineage(ClassType.of(subclass)).classes:
            if beside in above or beside.file.startswith(STUBS) or members.is_subclass(beside, own):
                continue
            found = next((each for name in names if (each := members.own_member(beside, name)) is not None), None)
            there = view.code.graph.get_definition(found) if found is not None else None
            if there is not None:
                why = f"is combined with it in {subclass.symbol.qualname}, and would have to be renamed with it"
                yield there.file, there.line, why


def _iter_resembled(view: CodeView, definition: Definition) -> Iterator[tuple[str, int, str]]:
    """Yield the type that the class of a member resembles without naming it: its objects may stand for one."""
    code = view.code
    pattern = code.resolver.scopes.spec(definition.file).unasked_members
    if pattern and re.match(pattern, definition.symbol.signature):
        return
    if (resembled := code.graph.interfaces.get_resembled(definition)) is not None:
        why = f"is a type for which an object with {definition.name!r} may be given"
        yield resembled.file, resembled.line, why


def _read_target_doubts(view: CodeView, target: Variable, definitions: tuple[Definition, ...]) -> Doubts:
    """Return the places that may use the target, why there may be more, and the ledger of its name."""
    if definitions:
        doubts, reasons, ledger = read_doubts(view, definitions[0])
        return (*doubts, *_iter_bound_by_name(view, definitions[0])), reasons, ledger
    bindings = view.code.resolver.scopes.bindings(target)
    if any(each.kind is BindingKind.PARAMETER for each in bindings):
        return tuple(_iter_unknown_callers(view, target)), (), None
    if view.code.resolver.scopes.is_member(target):
        return (), (f"{target.name!r} is a member that nothing declares; its uses cannot be counted",), None
    return (), (), None


def _iter_unknown_callers(view: CodeView, parameter: Variable) -> Iterator[tuple[str, int, str]]:
    """Yield the calls that may pass the parameter by its name unseen."""
    scope = view.code.uses(parameter.file).scopes[parameter.scope]
    for file, line in iter_keyword_doubts(view.code, parameter):
        yield file, line, f"may pass {parameter.name!r} by name to a function that is not known"
    if scope.symbol < 0:
        return
    function = view.code.definition_at(parameter.file, scope.symbol)
    for usage in view.code.usages(function).usages:
        text = view.text(usage.file)
        start = text.offset_of(usage.line, usage.column)
        if usage.role is ReferenceKind.CALL and _UNPACKING.search(_call_at(text.content, start)):
            yield usage.file, usage.line, "passes arguments whose names cannot be seen"


def _call_at(content: str, start: int) -> str:
    """Return the text of a call from its name to the end of its arguments, by matching brackets."""
    depth = 0
    for at in range(start, min(len(content), start + _MAX_CALL)):
        if content[at] in "([{":
            depth += 1
        elif content[at] in ")]}":
            depth -= 1
            if depth <= 0:
                return content[start:at]
    return content[start : start + _MAX_CALL]


def _list_constructors(view: CodeView, definitions: tuple[Definition, ...]) -> set[Place]:
    """Return the names of constructors and destructors that repeat that of their class."""
    found = set()
    for of in definitions if definitions and is_class(definitions[0].kind) else ():
        members = view.code.resolver.inference.members
        for file in view.code.files_with_word(of.name):
            for each in view.code.iter_definitions(file):
                owner = members.class_of(each) if each.name.lstrip("~") == of.name else None
                if owner is not None and (owner.file, owner.symbol) == (of.file, of.index):
                    skipped = len(each.name) - len(of.name)
                    found.add(Place(file, each.line, each.symbol.column + skipped, len(of.name)))
    return found


def _read_written(view: CodeView, targets: Sequence[Target], name: str) -> set[Place]:
    """Return the places where the text uses targets under a name."""
    uses = find_uses(view, targets)
    places = {use.place for use in uses if view.text(use.place.file).is_at(name, use.place.line, use.place.column)}
    return places | {alias for place in places for alias in _iter_same_alias(view, place, name)}


def _iter_same_alias(view: CodeView, place: Place, name: str) -> Iterator[Place]:
    """Yield the second name of `import x as x`, by which a module re-exports the name."""
    text = view.text(place.file).line(place.line)
    found = _SAME_ALIAS.match(text, place.column + place.length)
    if found is not None and found[1] == name:
        yield Place(place.file, place.line, found.start(1), len(name))


def _require_single(view: CodeView, place: Place, target: Variable, definitions: tuple[Definition, ...]) -> None:
    """Refuse a place where a name has two meanings at once, as in `{ a }` for `{ a: a }`."""
    occurrence = get_occurrence(view.code, view.text(place.file), place.file, place.line, place.column)
    for each in find_targets(view.code, occurrence) if occurrence is not None else ():
        if each == target or is_imported(view.code, each) or not isinstance(each, Variable):
            continue
        found = find_definitions(view.code, each)
        is_own = bool(set(found) & set(definitions)) or any(_is_constructor_of(view, one, definitions) for one in found)
        if not is_own and not (each.file.startswith(STUBS)):
            raise EditRefusedError(f"the name at {place.file}:{place.line} also refers to something else")


def _is_constructor_of(view: CodeView, one: Definition, definitions: tuple[Definition, ...]) -> bool:
    """Return whether a definition is a constructor of one of the classes."""
    owner = view.code.resolver.inference.members.class_of(one)
    return owner is not None and any((owner.file, owner.symbol) == (each.file, each.index) for each in definitions)


def _iter_misread(
    after: CodeView, plan: RenamePlan, by_file: Mapping[str, list[Place]], new_name: str
) -> Iterator[tuple[str, int]]:
    """Yield the file and line of edited places that do not mean the target afterwards, and of others that do."""
    moved = {_shift(place, by_file[place.file], len(new_name) - len(plan.name)) for place in plan.places}
    start = _shift(plan.occurrence.place, by_file[plan.occurrence.place.file], len(new_name) - len(plan.name))
    occurrence = get_occurrence(after.code, after.text(start.file), start.file, start.line, start.column)
    targets = [
        each
        for each in (find_targets(after.code, occurrence) if occurrence is not None else ())
        if not is_imported(after.code, each)
    ]
    found = {place.start for place in _read_written(after, targets, new_name)}
    found |= {
        place.start for each in targets for place in _list_constructors(after, find_definitions(after.code, each))
    }
    yield from ((file, line) for file, line, _ in sorted({each.start for each in moved} ^ found))


def _edit(view: CodeView, file: str, places: Iterable[Place], new_name: str) -> str:
    """Return the text of a file with a name replaced."""
    text = view.text(file)
    content = text.content
    for place in sorted(places, key=lambda place: place.start, reverse=True):
        start = text.offset_of(place.line, place.column)
        content = content[:start] + new_name + content[start + place.length :]
    return content


def _shift(place: Place, edited: Iterable[Place], by: int) -> Place:
    """Return a place shifted by the new lengths of earlier places on its line."""
    before = sum(each.line == place.line and each.column < place.column for each in edited)
    return structs.replace(place, column=place.column + by * before, length=place.length + by)
