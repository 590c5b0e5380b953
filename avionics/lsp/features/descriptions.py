"""Build what editors show beside code: hovers, code lenses and inlay hints."""

from __future__ import annotations

from collections.abc import Iterable

from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.model.values import External, InstanceType, Module, Target, Type, Variable
from avionics.lsp.features.commands import USAGES_COMMAND
from avionics.lsp.features.navigation import occurrence_at
from avionics.lsp.types import TYPE_HINT, CodeLens, Command, Hover, InlayHint, MarkupContent, Position, Range
from avionics.lsp.view import View
from avionics.model.enums import BindingKind, Certainty, SymbolKind, is_class
from avionics.model.facts import UNKNOWN
from avionics.model.knowledge import Definition, UsageReport
from avionics.model.naming import plural
from avionics.tools.answers.answer import visible
from avionics.tools.edits.occurrences import Occurrence, find_definitions, find_targets
from avionics.tools.edits.uses import place_of

_LENSED = frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.FUNCTION, SymbolKind.METHOD})
_CHAIN, _MAX_FOLLOWED = 3, 40
"""The most uses between a test and a definition that it reaches, and the most definitions followed to find them."""

_MAX_ALTERNATIVES = 2
"""A type with more alternatives is too long to show beside a name."""


def build_hover(view: View, file: str, position: Position) -> Hover | None:
    """Return the signature, documentation and usage count of the name at a position; None for an unknown name."""
    occurrence = occurrence_at(view, file, position)
    targets = find_targets(view.code, occurrence) if occurrence is not None else ()
    if occurrence is None or not targets:
        return None
    definitions = dict.fromkeys(each for target in targets for each in find_definitions(view.code, target))
    parts = [_describe(view, each) for each in definitions]
    parts = parts or [_describe_target(view, occurrence, targets)]
    value = "\n\n---\n\n".join(part for part in parts if part)
    if not value:
        return None
    return Hover(MarkupContent(value, "markdown"), view.range(occurrence.place))


def describe_usages(report: UsageReport) -> str:
    """Return how often a definition is used, and how sure that is: "at least 3 usages in 2 files"."""
    count, files = len(report.usages), len({usage.file for usage in report.usages})
    if report.certainty is Certainty.UNKNOWN:
        return "usages unknown"
    least = "" if report.certainty is Certainty.EXACT else "at least "
    where = f" in {plural(files, 'file')}" if files > 1 else ""
    return f"{least}{plural(count, 'usage')}{where}"


def list_lenses(view: View, file: str) -> list[CodeLens]:
    """Return a lens for each function and class of a file; its text is computed when it becomes visible."""
    if not view.code.has_file(file):
        return []
    lensed = (each for each in view.code.iter_definitions(file) if each.kind in _LENSED)
    return [
        CodeLens(view.range(place_of(view, each)), data=[view.uri(file), each.symbol.qualname, each.line])
        for each in lensed
        if (holder := view.code.get_parent(each)) is None or is_class(holder.kind)
    ]


def resolve_lens(view: View, file: str, lens: CodeLens, qualname: str, line: int) -> CodeLens:
    """Return a lens with its text: usages, and tests that reach the definition."""
    definition = view.get_nearest(file, qualname, line)
    title = "edited" if definition is None else _summarize(view, definition)
    lens.command = Command(title, USAGES_COMMAND, [view.uri(file), qualname, line])
    return lens


def list_hints(view: View, file: str, wanted: Range) -> list[InlayHint]:
    """Return the inferred types of variables that are assigned without one, within a range."""
    if not view.code.has_file(file):
        return []
    text = view.text(file)
    first, last = text.place_of(wanted.start)[0], text.place_of(wanted.end)[0]
    found: list[InlayHint] = []
    for name, bindings in view.code.uses(file).bindings.items():
        for binding in bindings:
            is_plain = binding.kind is BindingKind.ASSIGNMENT and binding.annotation == UNKNOWN
            if not (first <= binding.line <= last and is_plain and text.is_at(name, binding.line, binding.column)):
                continue
            label = _name_types(view, view.code.resolver.inference.infer_variable(Variable(file, binding.scope, name)))
            if label:
                end = text.range_of(binding.line, binding.column, len(name)).end
                found.append(InlayHint(end, f": {label}", TYPE_HINT))
    return sorted(found, key=lambda each: each.position)


def count_tests(view: View, definition: Definition) -> tuple[int, bool]:
    """Return how many tests are proven to reach a definition, and whether there may be more."""
    from avionics.index.analysis.affected_tests import is_test
    from avionics.index.analysis.impact import trace_impact
    from avionics.index.changes.symbol_diff import ChangeKind, SymbolChange

    change = SymbolChange(ChangeKind.BODY, definition, definition)
    impact = trace_impact(view.code, view.code, (change,), depth=_CHAIN, most=_MAX_FOLLOWED)
    proven = [each for each in impact.dependents if each.is_proven]
    tests = [each for each in proven if is_test(view.code, each.definition) or _is_test_body(each.definition)]
    return len(tests), len(proven) < len(impact.dependents) or bool(impact.reasons)


def _is_test_body(definition: Definition) -> bool:
    """Return whether a definition stands for a file whose tests have no names."""
    return definition.kind is SymbolKind.MODULE and role_of(definition.file) is FileRole.TEST


def _summarize(view: View, definition: Definition) -> str:
    """Return the text of a lens: the usages of a definition, and the tests that reach it."""
    tests, has_more = count_tests(view, definition)
    usages = describe_usages(view.code.usages(definition))
    least = "at least " if has_more else ""
    return f"{usages} · {least}{plural(tests, 'test')}"


def _describe(view: View, definition: Definition) -> str:
    """Return the hover text of a definition."""
    symbol = definition.symbol
    signature = visible(symbol.signature or symbol.qualname)
    language = view.code.facts(definition.file).language
    report = view.code.usages(definition)
    where = f"{symbol.kind.value} `{symbol.qualname}` · {definition.file}:{symbol.line} · {describe_usages(report)}"
    return "\n\n".join(part for part in (_fence(signature, language), visible(symbol.doc), visible(where)) if part)


def _describe_target(view: View, occurrence: Occurrence, targets: tuple[Target, ...]) -> str:
    """Return the hover text of a name without a definition of its own."""
    for target in targets:
        if isinstance(target, Module):
            return f"module `{view.code.dotted_name(target.file) or target.name}`"
    outside = next((target for target in targets if isinstance(target, External)), None)
    if outside is not None:
        return f"`{outside.name}`, outside the workspace"
    variables = [target for target in targets if isinstance(target, Variable)]
    kinds = [kind for each in variables for kind in view.code.resolver.inference.infer_variable(each)]
    label = _name_types(view, kinds)
    bindings = view.code.resolver.scopes.bindings(variables[0])
    what = "parameter" if any(each.kind is BindingKind.PARAMETER for each in bindings) else "variable"
    annotation = f": {label}" if label else ""
    return f"{what} `{occurrence.name}{annotation}`"


def _name_types(view: View, kinds: Iterable[Type]) -> str:
    """Return the names of types as alternatives; "" if one has no name or there are too many."""
    names = dict.fromkeys(_name_type(view, kind) for kind in kinds)
    if "" in names or len(names) > _MAX_ALTERNATIVES:
        return ""
    return " | ".join(names)


def _name_type(view: View, kind: Type) -> str:
    """Return the name of the class that a value of a type is an object of; "" if it has none."""
    of = kind.of if isinstance(kind, InstanceType) else None
    if isinstance(of, External):
        return of.name.rpartition(".")[2]
    symbol = view.code.resolver.scopes.get_class_symbol(of)
    return symbol.name if symbol is not None else ""


def _fence(code: str, language: str) -> str:
    """Return a block of code, in a fence that the code cannot close."""
    return f"````{language}\n{code.replace('````', '')}\n````"
