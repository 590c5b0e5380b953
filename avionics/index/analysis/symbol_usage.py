"""Find the callers and subclasses of a definition from its usages, and narrow usages to a scope."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import structs

from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.scopes.name_resolver import is_class
from avionics.index.scopes.symbol_lookup import is_within
from avionics.model.enums import Certainty, ReferenceKind, ScopeKind, SymbolKind
from avionics.model.facts import UNKNOWN, Span, Symbol
from avionics.model.knowledge import Definition, UnresolvedUse, Usage, UsageReport
from avionics.syntax.registry import conventions_of

_CALLERS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY})


def narrow_usages(code: CodeIndex, report: UsageReport, scope: str | None = None) -> UsageReport:
    """Return the part of a report that lies within a scope, product code before tests."""

    def rank(usage: Usage) -> tuple[bool, tuple[int, str, int, int]]:
        return is_in_tests(code, usage), _order(usage)

    usages = tuple(sorted((each for each in report.usages if is_within(each.file, scope)), key=rank))
    unresolved = tuple(sorted((each for each in report.unresolved if is_within(each.file, scope)), key=_order))
    # Reasons apply to every scope, unresolved places only to the scope that contains them.
    is_settled = not unresolved and not report.reasons and report.certainty is Certainty.AT_LEAST
    certainty = Certainty.EXACT if is_settled else report.certainty
    return structs.replace(report, usages=usages, unresolved=unresolved, certainty=certainty)


def is_in_tests(code: CodeIndex, usage: Usage) -> bool:
    """Return whether a usage is in code for tests."""
    if usage.enclosing is None:
        return role_of(usage.file) is FileRole.TEST
    return is_for_tests(code, usage.enclosing)


def is_for_tests(code: CodeIndex, definition: Definition) -> bool:
    """Return whether the definition exists only for tests: in a test file, or marked so beside the code it tests."""
    if role_of(definition.file) is FileRole.TEST:
        return True
    if not conventions_of(definition.file).tests.beside_code:
        return False
    symbols, at = code.facts(definition.file).symbols, definition.index
    while at >= 0:
        if _is_marked(definition.file, symbols[at]):
            return True
        at = symbols[at].parent
    return False


def find_marked_lines(file: str, symbols: Iterable[Symbol]) -> tuple[Span, ...]:
    """Return the lines of a file with code that are marked as tests there."""
    if not conventions_of(file).tests.beside_code:
        return ()
    return tuple(each.span for each in symbols if _is_marked(file, each))


def _is_marked(file: str, symbol: Symbol) -> bool:
    tests = conventions_of(file).tests
    return any(tests.marks.search(each) or tests.only_for_tests.fullmatch(each) for each in symbol.decorators)


def find_others(found: Iterable[Definition], report: UsageReport) -> tuple[Definition, ...]:
    """Return the definitions of a name that a report does not cover; it covers a class's own constructors."""
    classes = {(each.file, each.index) for each in report.definitions}
    return tuple(
        each for each in found if each not in report.definitions and (each.file, each.symbol.parent) not in classes
    )


def find_subclasses(
    code: CodeIndex, definition: Definition, usages: Iterable[Usage], scope: str | None
) -> tuple[Definition, ...]:
    """Return the direct subclasses and implementers of a class or interface.

    The first are those whose headers name it. Then come those declared elsewhere, as an `impl` block is, those that
    implement it without naming it, and what is for tests.
    """
    named = (each.enclosing for each in usages if each.role is ReferenceKind.INHERIT and each.enclosing is not None)
    declared = code.graph.subclasses(definition) if is_class(definition.kind) else ()
    others = (*declared, *code.graph.interfaces.implementers(definition))
    found = dict.fromkeys((*named, *(each for each in others if is_within(each.file, scope))))
    return tuple(sorted(found, key=lambda each: is_for_tests(code, each)))


def count_callers(code: CodeIndex, usages: Iterable[Usage]) -> Mapping[Definition, int]:
    """Return how often each function calls, in the order of the usages."""
    calls = (each for each in usages if each.role is ReferenceKind.CALL)
    return Counter(caller for each in calls if (caller := _get_caller(code, each)) is not None)


def _get_caller(code: CodeIndex, usage: Usage) -> Definition | None:
    """Return the innermost function around a usage; for a function expression, the function around it."""
    holder, found, innermost = usage.enclosing, None, None
    while holder is not None:
        is_before = usage.line == holder.line and usage.column < holder.symbol.column
        if not is_before and holder.kind in _CALLERS:
            innermost = innermost or holder
        if holder.kind in _CALLERS and not is_before:
            found = None if _is_value(code, holder) else found or holder
        parent = holder.symbol.parent
        holder = Definition(holder.file, code.facts(holder.file).symbols[parent], parent) if parent >= 0 else None
    return found or innermost


def _is_value(code: CodeIndex, function: Definition) -> bool:
    """Return whether a function is an element, a member of an object without a name, or used under no name."""
    if function.symbol.exported or code.resolver.scopes.spec(function.file).textual.has_free_names:
        return False
    variable = code.graph.get_variable(function)
    if variable is None:
        return not function.name.isidentifier()
    scope = code.uses(function.file).scopes[variable.scope]
    if scope.kind is not ScopeKind.CLASS:
        return scope.symbol == function.index
    return scope.symbol < 0 and scope.of == UNKNOWN


def _order(use: Usage | UnresolvedUse) -> tuple[int, str, int, int]:
    return (role_of(use.file), use.file, use.line, use.column)
