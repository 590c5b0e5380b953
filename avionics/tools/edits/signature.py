"""Plan changes of a parameter list: edit the declarations and every call that is proven to lead to them.

Arguments are matched with parameters by name, so that reordering and dropping parameters edits the calls. For a new
parameter, the caller gives the value, or the parameter is optional, or the call stays open. The result is tried on a
copy in memory, and findings of `avionics check` there are open places, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.verdicts.calls.call_arguments import CallArguments, write_parameters
from avionics.index.verdicts.calls.callees import Callees
from avionics.index.verdicts.calls.misfits import list_changing_decorators
from avionics.index.verdicts.check import check_change
from avionics.index.verdicts.comparison import VersionPair, find_declared_elsewhere
from avionics.index.verdicts.findings import Severity
from avionics.model.enums import FUNCTIONS, BindingKind, ReferenceKind
from avionics.model.knowledge import Definition, Usage
from avionics.syntax.argument_texts import ArgumentList, ArgumentText, ParameterList
from avionics.syntax.call_sites import read_argument_lists, read_calls, read_parameter_lists
from avionics.syntax.engine.call_shapes import CallShape, CallSignature
from avionics.tools.edits.edit_plan import EditPlan, EditRefusedError, PlannedEdits
from avionics.tools.edits.occurrences import iter_file_uses
from avionics.tools.edits.rename import read_doubts
from avionics.tools.edits.text_edits import Piece, TextEdit
from avionics.tools.edits.uses import CodeView

_KEPT_ROLES = frozenset({ReferenceKind.IMPORT, ReferenceKind.ANNOTATE, ReferenceKind.WRITE})
"""Roles in which a function's name is neither called nor passed on."""


class _OpenError(Exception):
    """A call cannot be edited; the message says why."""


class SignaturePlan(EditPlan, frozen=True):
    """The texts of files with a changed parameter list, and how many declarations and calls are edited."""

    texts: Mapping[str, str]
    places: int


def plan_signature(
    view: CodeView, definition: Definition, parameters: str, values: Mapping[str, str] | None
) -> SignaturePlan:
    """Return the edits that change the parameters of a function.

    The list is as the language writes it, with or without parentheses; calls pass the values for new parameters. Raise
    `EditRefusedError` if the definition has no parameter list that can be changed in one place.
    """
    return _SignatureChange(view, definition, parameters, values or {}).plan()


class _SignatureChange(PlannedEdits):
    """One change of a parameter list."""

    def __init__(self, view: CodeView, definition: Definition, parameters: str, values: Mapping[str, str]) -> None:
        super().__init__(view, definition)
        self._written = parameters
        self._values = values
        self._reasons: list[str] = []
        self._declarations = self._find_declarations()
        self._old, self._new = self._read_signatures()

    def plan(self) -> SignaturePlan:
        """Return every edit, tried on a copy in memory."""
        definition = self._definition
        doubts, reasons, ledger = read_doubts(self._view, definition)
        self._open += doubts
        self._reasons += reasons
        for each in self._declarations:
            self._edit_declaration(each)
        self._check_types()
        self._check_body()
        for other in self._iter_related():
            self._open.append((other.file, other.line, f"declares {definition.name!r} with the same parameters"))
        self._edit_calls(self._code.usages(definition).usages)
        texts = self._apply()
        broken = check_change(self._code, self._view.edited(texts).code).findings
        self._note_broken(each for each in broken if each.severity is Severity.ERROR)
        places = sum(map(len, self._edits.values()))
        open_places, reasons = tuple(dict.fromkeys(self._open)), tuple(dict.fromkeys(self._reasons))
        return SignaturePlan(texts, places, name=definition.name, open=open_places, reasons=reasons, ledger=ledger)

    def _find_declarations(self) -> tuple[Definition, ...]:
        """Return the definition with its declarations; refuse overloads and decorators that may change calls."""
        definition, scopes = self._definition, self._code.resolver.scopes
        variable = self._code.graph.get_variable(definition)
        if definition.kind not in FUNCTIONS or variable is None:
            raise EditRefusedError(f"{definition.symbol.qualname!r} is not a function")
        found = dict.fromkeys((definition, *self._code.graph.find_all_definitions(variable)))
        found.update(dict.fromkeys(find_declared_elsewhere(self._code, definition)))
        if len(found) > 1 and not scopes.spec(definition.file).linkage:
            raise EditRefusedError(f"{definition.symbol.qualname!r} has {len(found)} definitions or overloads")
        decorators = list_changing_decorators(definition)
        if decorators:
            raise EditRefusedError(f"the decorator {decorators[0]!r} may change what calls pass")
        return tuple(found)

    def _read_signatures(self) -> tuple[CallSignature, CallSignature]:
        reader = CallArguments(self._code)
        old = reader.read_signature(self._definition)
        new = reader.read_signature(self._definition, self._written)
        if old is None:
            raise EditRefusedError("its parameters cannot be read")
        if new is None or any(not each.name or each.name == "_" for each in (*old.parameters, *new.parameters)):
            raise EditRefusedError(f"{self._written!r} is not a parameter list in which each parameter has a name")
        names = [each.name for each in new.parameters]
        if len(set(names)) < len(names):
            raise EditRefusedError(f"{self._written!r} names a parameter twice")
        unknown = sorted(set(self._values) - set(names))
        if unknown:
            raise EditRefusedError(f"{self._written!r} has no parameter {unknown[0]!r} to give a value for")
        return old, new

    def _read_list(self, each: Definition, content: bytes) -> ParameterList:
        place = (each.line, each.symbol.column)
        listed = read_parameter_lists(content, self._code.facts(each.file).language, [place]).get(place)
        if listed is None:
            raise EditRefusedError(f"the parameters at {each.file}:{each.line} cannot be read")
        return listed

    def _edit_declaration(self, each: Definition) -> None:
        listed = self._read_list(each, self._read_content(each.file))
        self._edits[each.file].append(TextEdit(*listed.span, (write_parameters(listed, self._written),)))

    def _check_types(self) -> None:
        """Note the remaining parameters whose type changes; arguments are not checked against the new type."""
        definition, content = self._definition, self._read_content(self._definition.file)
        was = self._read_list(definition, content)
        start, end = was.span
        changed = content[:start] + write_parameters(was, self._written) + content[end:]
        old = {name: each.type for each in was.parameters for name in each.names}
        now = self._read_list(definition, changed)
        new = {name: each.type for each in now.parameters for name in each.names}
        for name, former in old.items():
            if name in new and former != new[name]:
                self._reasons.append(f"the type of {name!r} changes, and the types of arguments are not compared")

    def _check_body(self) -> None:
        """Note where the body uses a removed parameter, or a name that a new parameter takes."""
        definition = self._definition
        uses, span = self._code.uses(definition.file), definition.symbol.span
        scope = next((at for at, each in enumerate(uses.scopes) if each.symbol == definition.index), -1)
        kept, had = ({each.name for each in listed.parameters} for listed in (self._new, self._old))
        for name, bindings in uses.bindings.items():
            for binding in bindings:
                if binding.scope == scope and binding.kind is BindingKind.PARAMETER and name in had - kept:
                    variable = self._code.resolver.scopes.get_variable(definition.file, scope, name)
                    for use in iter_file_uses(self._code, definition.file, variable) if variable is not None else ():
                        if not use.is_declaration and use.role is not ReferenceKind.KEYWORD:
                            self._open.append((definition.file, use.place.line, f"uses the parameter {name!r}"))
        for name in kept - had:
            taken = [
                each for each in uses.references.get(name, ()) if each.receiver is None and span.contains(each.line)
            ]
            bound = [each for each in uses.bindings.get(name, ()) if each.scope == scope]
            for line in (*(each.line for each in taken), *(each.line for each in bound)):
                self._open.append((definition.file, line, f"already uses the name {name!r}"))

    def _iter_related(self) -> Iterator[Definition]:
        """Yield the members that need the same parameters: those it overrides or implements, and its overrides.

        If it overrides a member of a library, the usages are incomplete and say so.
        """
        graph = self._code.graph
        above = graph.classes.overridden(self._definition)
        if above is not None and not above.file.startswith(STUBS):
            yield above
        yield from graph.classes.overrides(self._definition)

    def _edit_calls(self, usages: Sequence[Usage]) -> None:
        callees = Callees(VersionPair(self._code, self._code, ()))
        by_file: defaultdict[str, list[Usage]] = defaultdict(list)
        for usage in usages:
            if usage.role is ReferenceKind.CALL:
                by_file[usage.file].append(usage)
            elif usage.role not in _KEPT_ROLES:
                self._open.append((usage.file, usage.line, "passes the function as a value"))
        for file, found in by_file.items():
            content, language = self._read_content(file), self._code.facts(file).language
            places = [(each.line, each.column) for each in found]
            shapes = read_calls(content, language, places)
            lists = read_argument_lists(content, language, places)
            references = {
                (each.line, each.column): each
                for listed in self._code.uses(file).references.values()
                for each in listed
            }
            for place in places:
                reference = references.get(place)
                leads = callees.find(file, reference) if reference is not None else ()
                of = [each for each in leads if each.definition in self._declarations]
                try:
                    if not of or len(of) < len(leads) or place not in shapes or place not in lists:
                        raise _OpenError("the arguments of this call cannot be determined")
                    edit = self._rewrite(shapes[place], lists[place], content, is_bound=of[0].is_bound)
                except _OpenError as error:
                    self._open.append((file, place[0], str(error)))
                    continue
                if edit is not None:
                    self._edits[file].append(edit)

    def _rewrite(self, shape: CallShape, listed: ArgumentList, content: bytes, *, is_bound: bool) -> TextEdit | None:
        """Return the edit of one call; None if it stays unchanged."""
        if shape.is_open or len(listed.arguments) != shape.positional + len(shape.keywords):
            raise _OpenError("it passes unpacked arguments")
        if listed.has_comment:
            raise _OpenError("there is a comment between its arguments")
        grammar = self._code.resolver.scopes.rules(self._definition.file).calls
        has_names = grammar is not None and grammar.named_arguments
        matched = _Arguments(self._old, self._new, self._values, is_bound=is_bound, has_names=has_names)
        written = matched.match(shape, listed)
        spans = [each.span for each in listed.arguments]
        if written == spans:
            return None
        start, end = listed.span
        if not written:
            return TextEdit(start, end, ())
        between = content[spans[0][1] : spans[1][0]] if len(spans) > 1 else b", "
        head = content[start : spans[0][0]] if spans else b""
        tail = content[spans[-1][1] : end] if spans else b""
        pieces: list[Piece] = [head]
        for number, each in enumerate(written):
            pieces += [between] if number else []
            pieces += each if isinstance(each, list) else [each]
        return TextEdit(start, end, (*pieces, tail))


class _Arguments:
    """Matches the arguments of calls with parameters by name, and writes them in the order of another list."""

    def __init__(
        self, old: CallSignature, new: CallSignature, values: Mapping[str, str], *, is_bound: bool, has_names: bool
    ) -> None:
        self._has_names = has_names
        self._has_receiver = old.has_receiver
        self._old = old.parameters[1:] if is_bound else old.parameters
        self._new = new.parameters[1:] if is_bound else new.parameters
        self._values = values

    def match(self, shape: CallShape, listed: ArgumentList) -> list[tuple[int, int] | list[Piece]]:
        """Return what a call passes after the change: spans of arguments that are kept, or pieces of new ones."""
        positional = [each for each in listed.arguments if not each.keyword]
        lead = positional[:1] if self._has_receiver and shape.is_through_type else []
        positional = positional[len(lead) :]
        takers = [each for each in self._old if not each.is_named_only and not each.gathers]
        passed = {taker.name: each for taker, each in zip(takers, positional, strict=False)}
        extra = positional[len(takers) :]
        passed.update({each.keyword: each for each in listed.arguments if each.keyword})
        self._require_plain(passed)
        found: list[tuple[int, int] | list[Piece]] = [each.span for each in lead]
        named: list[tuple[int, int] | list[Piece]] = []
        omitted = ""
        for parameter in (each for each in self._new if not each.gathers):
            given = passed.pop(parameter.name, None)
            if given is None and parameter.name not in self._values:
                if not parameter.is_optional:
                    raise _OpenError(f"it needs a value for {parameter.name!r}")
                omitted = omitted or parameter.name
            elif given is not None and given.keyword and not parameter.is_unnamed_only:
                named.append(given.span)
                omitted = omitted or parameter.name
            else:
                value = self._values[parameter.name].encode() if given is None else _get_value_span(given)
                if not omitted and not parameter.is_named_only:
                    found.append(value if isinstance(value, tuple) else [value])
                elif parameter.is_unnamed_only or not self._has_names:
                    raise _OpenError(f"it leaves out {omitted!r}, which now comes before {parameter.name!r}")
                else:
                    named.append([parameter.name.encode() + b"=", value])
        gathered = {each.gathers for each in self._new}
        if extra and ("*" not in gathered or omitted):
            raise _OpenError("it passes more arguments than there are parameters")
        known = {each.name for each in self._old}
        rest = [each for each in passed.values() if each.keyword and each.keyword not in known]
        if rest and "**" not in gathered:
            raise _OpenError(f"it passes {rest[0].keyword!r}, which the new parameters do not take")
        return [*found, *(each.span for each in extra), *named, *(each.span for each in rest)]

    def _require_plain(self, passed: Mapping[str, ArgumentText]) -> None:
        """Refuse a call whose arguments would not all be evaluated in the same order as before."""
        kept = {each.name: at for at, each in enumerate(self._new)}
        gone = next((name for name, each in passed.items() if name not in kept and each.has_effect), None)
        if gone is not None and any(each.name == gone for each in self._old):
            raise _OpenError(f"the argument for {gone!r} may have side effects")
        changing = [(kept[name], each) for name, each in passed.items() if name in kept and not each.is_literal]
        has_effect = any(each.has_effect for _, each in changing)
        places = [at for at, each in changing if not each.keyword]
        if has_effect and places != sorted(places):
            raise _OpenError("its arguments may have side effects, and their order changes")


def _get_value_span(argument: ArgumentText) -> tuple[int, int]:
    start, end = argument.span
    return (start + len(argument.keyword.encode()) + 1, end) if argument.keyword else (start, end)
