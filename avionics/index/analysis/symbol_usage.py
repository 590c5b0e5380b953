"""Find the callers and subclasses of a definition from its usages, narrow usages to a scope, and count usages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from msgspec import Struct, structs

from avionics.cancellation import limit_answer, seconds_left
from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.model.values import Variable
from avionics.index.scopes.symbol_lookup import is_within
from avionics.late_pattern import late_pattern
from avionics.model.enums import BODIES, FUNCTIONS, Certainty, ReferenceKind, ScopeKind, is_class
from avionics.model.facts import UNKNOWN, Span, Symbol
from avionics.model.knowledge import Definition, UnresolvedUse, Usage, UsageReport
from avionics.model.naming import as_written
from avionics.syntax.registry import conventions_of

_MAX_FILES_READ = 400
"""The maximum number of files whose uses are read to find the most mentioned names; for more, words are counted."""
_TIME_SHARE, _MIN_SECONDS = 0.25, 0.3
"""The share of the remaining time that the usages of one of many definitions may take, and its minimum in seconds."""
_WORD = late_pattern(r"[A-Za-z_]\w*")
_CALLED_NAME = late_pattern(r"(?<!def )(?<!fn )(?<!func )(?<!function )\b([A-Za-z_]\w*+)(?=!?\()")


def narrow_usages(code: CodeIndex, report: UsageReport, scope: str | None = None) -> UsageReport:
    """Return the part of a report that lies within a scope, product code before tests."""

    def rank(usage: Usage) -> tuple[bool, tuple[int, str, int, int]]:
        return is_in_tests(code, usage), _sort_key(usage)

    usages = tuple(sorted((each for each in report.usages if is_within(each.file, scope)), key=rank))
    unresolved = tuple(sorted((each for each in report.unresolved if is_within(each.file, scope)), key=_sort_key))
    # Reasons apply to every scope; unresolved places apply only to the scope that contains them.
    is_settled = not unresolved and not report.reasons and report.certainty is Certainty.AT_LEAST
    certainty = Certainty.EXACT if is_settled else report.certainty
    return structs.replace(report, usages=usages, unresolved=unresolved, certainty=certainty)


def is_in_tests(code: CodeIndex, usage: Usage) -> bool:
    """Return whether a usage is in code for tests."""
    if usage.enclosing is None:
        return role_of(usage.file) is FileRole.TEST
    return is_for_tests(code, usage.enclosing)


def is_for_tests(code: CodeIndex, definition: Definition) -> bool:
    """Return whether a definition exists only for tests: it is in a test file, or marked beside the tested code."""
    if role_of(definition.file) is FileRole.TEST:
        return True
    if not conventions_of(definition.file).tests.beside_code:
        return False
    around = code.facts(definition.file).iter_around(definition.symbol)
    return definition.index >= 0 and any(_is_marked(definition.file, each) for each in (definition.symbol, *around))


def find_marked_lines(file: str, symbols: Iterable[Symbol]) -> tuple[Span, ...]:
    """Return the lines of a file with code that are marked as tests there."""
    if not conventions_of(file).tests.beside_code:
        return ()
    return tuple(each.span for each in symbols if _is_marked(file, each))


def _is_marked(file: str, symbol: Symbol) -> bool:
    tests = conventions_of(file).tests
    return any(tests.marks.search(each) or tests.only_for_tests.fullmatch(each) for each in symbol.decorators)


def find_others(found: Iterable[Definition], report: UsageReport) -> tuple[Definition, ...]:
    """Return the definitions that a report does not cover; a report of a class covers the constructors in it."""
    classes = {(each.file, each.index) for each in report.definitions}
    return tuple(
        each for each in found if each not in report.definitions and (each.file, each.symbol.parent) not in classes
    )


def find_subclasses(
    code: CodeIndex, definition: Definition, usages: Iterable[Usage], scope: str | None
) -> tuple[Definition, ...]:
    """Return the direct subclasses and implementers of a class or interface.

    Those whose headers name it come first; then those declared elsewhere, such as by an `impl` block, those that
    implement it without naming it, and those for tests.
    """
    headers = (each.enclosing for each in usages if each.role is ReferenceKind.INHERIT and each.enclosing is not None)
    # The head of an `impl` block within a function is not the function's.
    named = (
        each for each in headers if each.kind not in FUNCTIONS or not code.spec(each.file).implementations_are_uses
    )
    declared = code.graph.classes.subclasses(definition) if is_class(definition.kind) else ()
    others = (*declared, *code.graph.interfaces.implementers(definition))
    found = dict.fromkeys((*named, *(each for each in others if is_within(each.file, scope))))
    return tuple(sorted(found, key=lambda each: is_for_tests(code, each)))


def count_callers(code: CodeIndex, usages: Iterable[Usage]) -> Mapping[Definition, int]:
    """Return how often each function calls, in the order of the usages."""
    calls = (each for each in usages if each.role is ReferenceKind.CALL)
    return Counter(caller for each in calls if (caller := _get_caller(code, each)) is not None)


def _get_caller(code: CodeIndex, usage: Usage) -> Definition | None:
    """Return the innermost function around a usage; for a function expression, the function around it."""
    holder, named, innermost = usage.enclosing, None, None
    while holder is not None:
        is_before_name = usage.line == holder.line and usage.column < holder.symbol.column
        if holder.kind in BODIES and not is_before_name:
            innermost = innermost or holder
            named = None if _is_value(code, holder) else named or holder
        holder = code.get_parent(holder)
    return named or innermost


def _is_value(code: CodeIndex, function: Definition) -> bool:
    """Return whether a function has no name that other code calls it by: `items.map(function each() {…})`."""
    if function.symbol.exported or code.spec(function.file).has_free_names:
        return False
    variable = code.graph.get_variable(function)
    if variable is None:
        return not function.name.isidentifier()
    scope = code.uses(function.file).scopes[variable.scope]
    if scope.kind is not ScopeKind.CLASS:
        return scope.symbol == function.index
    return scope.symbol < 0 and scope.of == UNKNOWN


class UseCount(Struct, frozen=True):
    """A definition, and how many proven usages it has in product code and in tests, and in how many files.

    Attributes:
        product: The usages in product code, without those that only import it.
        tests: The usages in tests.
        files: The product files with a usage.
    """

    definition: Definition
    product: int
    tests: int
    files: int


def rank_by_usages(
    code: CodeIndex, found: Iterable[Definition], limit: int
) -> tuple[tuple[UseCount, ...], tuple[UseCount, ...]]:
    """Return definitions with most usages in product code, most used first, and those left uncounted for lack of time.

    Usages are counted only for definitions whose names are mentioned most. For the others, the number of mentions of
    the name stands in for usages.
    """
    product = [file for file in code.files if role_of(file) is FileRole.PRODUCT]
    listed = list(found)
    mentions = (
        _count_words(code, listed, product)
        if len(product) > _MAX_FILES_READ
        else {name: (count, 0) for name, count in _count_mentions(code, product).items()}
    )
    namesakes = Counter(each.name for each in listed)

    def rank(each: Definition) -> float:
        return -mentions.get(each.name, (0, 0))[0] / namesakes[each.name]

    likely = sorted((each for each in listed if mentions.get(each.name)), key=rank)[:limit]
    # Count unique names first, in case time runs out: all mentions of such a name refer to its one definition.
    likely.sort(key=lambda each: namesakes[each.name] > 1 or len(code.find_definitions(each.name)) > 1)
    counted: list[UseCount] = []
    for each in likely:
        if seconds_left() <= 0:
            break
        with limit_answer(max(_MIN_SECONDS, _TIME_SHARE * seconds_left())):
            counted.append(_count_usages(code, each))
    ordered = sorted(counted, key=lambda each: (-each.product, each.definition.file, each.definition.line))
    left = [UseCount(each, mentions[each.name][0], 0, mentions[each.name][1]) for each in likely[len(counted) :]]
    left.sort(key=lambda each: rank(each.definition))
    return tuple(ordered), tuple(left)


def _count_words(code: CodeIndex, found: Sequence[Definition], files: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Return how often each name occurs in some files, as time allows, and in how many of them.

    For a function only calls count, because its name may be an ordinary word.
    """
    called = {each.name for each in found if each.kind in BODIES}
    names = {each.name for each in found} - called
    counts, having = Counter[str](), Counter[str]()
    for file in files:
        if seconds_left() <= 0:
            break
        text = code.read_text(file)
        occurrences = Counter(word for word in _CALLED_NAME.findall(text) if word in called)
        occurrences += Counter(word for word in _WORD.findall(text) if word in names) if names else Counter[str]()
        counts += occurrences
        having += Counter(occurrences.keys())
    return {name: (count, having[name]) for name, count in counts.items()}


def _count_usages(code: CodeIndex, definition: Definition) -> UseCount:
    usages = [each for each in code.usages(definition).usages if each.role is not ReferenceKind.IMPORT]
    product = [each for each in usages if not is_in_tests(code, each)]
    return UseCount(definition, len(product), len(usages) - len(product), len({each.file for each in product}))


def _count_mentions(code: CodeIndex, files: Sequence[str], *, in_tests: bool = False) -> Counter[str]:
    """Return how often files refer to each name, either within tests or outside of them."""
    code.load_uses(files)
    counts: Counter[str] = Counter()
    for file in files:
        marked, is_test = find_marked_lines(file, code.facts(file).symbols), role_of(file) is FileRole.TEST
        for name, references in code.uses(file).references.items():
            inside = sum(any(span.contains(each.line) for span in marked) for each in references) if marked else 0
            if not is_test:
                counts[as_written(name)] += inside if in_tests else len(references) - inside
            else:
                counts[as_written(name)] += len(references)
    return counts


def map_recursive_calls(code: CodeIndex, found: Iterable[Definition]) -> Mapping[Definition, int]:
    """Return the functions that call themselves directly, each with the line of its first such call.

    Methods added to a type of another package are left out, because that type may have one of the same name.
    """
    calls: dict[Definition, int] = {}
    for each in found:
        if seconds_left() <= 0:
            break
        holder = each.symbol.qualname.rpartition(".")[0]
        if holder and each.symbol.parent < 0 and not any(is_class(of.kind) for of in code.find_definitions(holder)):
            continue
        span = each.symbol.span
        references, names = code.uses(each.file).references, code.spec(each.file).list_bound(each.name)
        for reference in chain.from_iterable(references.get(name, ()) for name in names):
            if reference.kind is ReferenceKind.CALL and span.contains(reference.line) and each not in calls:
                targets = code.resolver.resolve(each.file, reference).targets
                variables = (target for target in targets if isinstance(target, Variable))
                reached = [found for variable in variables for found in code.graph.find_all_definitions(variable)]
                # If several functions have the name, the call may mean another one.
                if each in reached and (len(reached) == 1 or _is_used_at(code, each, reference.line)):
                    calls[each] = reference.line
    return calls


def _is_used_at(code: CodeIndex, definition: Definition, line: int) -> bool:
    usages = code.usages(definition).usages
    return any(each.file == definition.file and each.line == line for each in usages)


def find_used_by_tests_only(code: CodeIndex, found: Iterable[Definition]) -> tuple[UseCount, ...]:
    """Return the definitions of product code with proven usages only in tests, and none without their name.

    A name that product code mentions anywhere, even in text or for another definition, is left out.
    """
    from avionics.index.analysis.unused_code import Unused

    product = [file for file in code.files if role_of(file) <= FileRole.AUXILIARY]
    tests = [file for file in code.files if role_of(file) is FileRole.TEST]
    outside, within = _count_mentions(code, product), _count_mentions(code, [*tests, *product], in_tests=True)
    written = {name for file in product for name in (*code.uses(file).strings, *code.uses(file).unread)}
    judge = Unused(code.source, code.graph, code.resolver, code.unseen)
    counted = []
    for each in found:
        is_mentioned = outside[each.name] or each.name in written or not within[each.name]
        if not is_mentioned and seconds_left() > 0 and not judge.get_unseen_user(each):
            used = _count_usages(code, each)
            counted += [used] if used.tests and not used.product else []
    return tuple(counted)


def find_unmentioned_in_tests(code: CodeIndex, found: Iterable[Definition]) -> tuple[Definition, ...]:
    """Return the definitions whose names no test mentions."""
    files = [file for file in code.files if role_of(file) < FileRole.GENERATED]
    mentioned = _count_mentions(code, files, in_tests=True)
    return tuple(each for each in found if not mentioned[each.name])


def _sort_key(use: Usage | UnresolvedUse) -> tuple[int, str, int, int]:
    return (role_of(use.file), use.file, use.line, use.column)
