"""Answer questions about one symbol, or about a line outside of any."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import structs

from avionics.cancellation import watch_cuts
from avionics.index.analysis.joint_usages import list_overloads
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.file_roles import FileRole, is_product, role_and_place, role_of
from avionics.late_pattern import late_pattern
from avionics.model.enums import Certainty, ReferenceKind, SymbolKind, is_class
from avionics.model.errors import UsageError
from avionics.model.knowledge import Definition
from avionics.model.naming import plural
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.syntax.registry import conventions_of
from avionics.tools.answers.answer import Section, take_sections
from avionics.tools.answers.items import NameItem, SymbolItem, UsageItem, few, symbol_items
from avionics.tools.internal.symbols.find_references import head_usages
from avionics.tools.questions.intents import Intent, Question
from avionics.tools.resolution.asked_parameters import get_absent_parameter, get_parameter
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer, list_others, make_section
from avionics.tools.unified.code_excerpts import WHOLE_SHARE, code_section, get_rest, is_shown, read_excerpts, shorten

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.tools.composite.explore_symbol_usage import ExploreSymbolUsageAnswer
    from avionics.workspace import Workspace

FLOW_DEPTH = 2
_HEAD_SHARE, _MAX_METHODS = 0.2, 12
"""The share of the default budget for the head of a class that is too long, and how many of its methods are listed."""
_LINES_BEFORE, _LINES_AFTER = 10, 20
_ASKED = r"\A\W*(?:who|what|which \w+)(?: else)? "
_ACTIONS = (
    (
        "return",
        late_pattern(rf"\breturned\W*\Z|{_ASKED}returns?\b", re.IGNORECASE, needs=("return",)),
        late_pattern(r"\breturn\b|\A\W*(?:Err|Ok|Some)\("),
    ),
    (
        "raise",
        late_pattern(rf"\b(?:raised|thrown)\W*\Z|{_ASKED}(?:raise|throw)s?\b", re.IGNORECASE, needs=("raise", "throw")),
        late_pattern(r"\b(?:raise|throws?|panic)\b"),
    ),
    (
        "catch",
        late_pattern(
            rf"\bcaught\W*\Z|{_ASKED}(?:catch(?:es)?|rescues?|swallows?)\b",
            re.IGNORECASE,
            needs=("caught", "catch", "rescue", "swallow"),
        ),
        late_pattern(r"\b(?:except|catch|rescue)\b"),
    ),
    (
        "assign",
        late_pattern(
            r"\b(?:assigned|set|changed|modified|mutated|updated|written|reset|(?:in|de)cremented)\W*\Z"
            rf"|{_ASKED}(?:assigns?|sets?|modif(?:y|ies)|mutates?|updates?|writes?|resets?)\b"
            r"|\bwhere (?:do|does) \w+ (?:assign|set|modify|mutate|update|write|reset) ",
            re.IGNORECASE,
            needs=("assign", "set", "changed", "modif", "mutate", "update", "writ", "cremented"),
        ),
        late_pattern(r"(?<![=!<>])=(?![=>])|\+\+|--"),
    ),
    (
        "compare",
        late_pattern(r"\b(?:checked|compared)\W*\Z", needs=("checked", "compared")),
        late_pattern(r"[=!]=|\b(?:if|elif|case|match|switch)\b"),
    ),
)
"""The actions on a symbol that questions ask for, and how lines that perform them are recognized."""
_LATE = " so far (the time ran out)"
_ASKS_IMPORTS = late_pattern(r"\bimport", re.IGNORECASE)


def _list_asked(question: Question, usages: tuple[UsageItem, ...]) -> tuple[UsageItem, ...]:
    """Return the usages that a question asks for: those outside tests if it leaves these out, imports last or first."""
    asks_imports = _ASKS_IMPORTS.search(question.text) is not None
    kept = (each for each in usages if not (question.is_without_tests and role_of(each.file) is FileRole.TEST))
    return tuple(sorted(kept, key=lambda each: (each.role == ReferenceKind.IMPORT.value) != asks_imports))


def answer_symbol(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the definition of a symbol, its code if that was asked for, and who uses it."""
    from avionics.tools.composite.explore_symbol_usage import explore_definition

    definition, intent, source = question.definition, question.intent, workspace.source
    if definition is None:
        return _answer_line(workspace, question)
    if intent is Intent.SUBTYPES:
        # Subclasses are found quickly; finding all usages of a type may exceed the time limit.
        with watch_cuts() as cuts:
            descendants = symbol_items(workspace.code.graph.classes.descendants(definition))
        used = explore_definition(workspace.code, source, definition, (), question.scope)
        if not (question.scope or cuts.were_made):
            direct = symbol_items(workspace.code.graph.classes.subclasses(definition))
            used = structs.replace(used, subclasses=tuple(dict.fromkeys((*used.subclasses, *direct))))
        if workspace.code.graph.interfaces.is_protocol(definition):
            # A class may also have members that it inherits from an unknown base.
            used = structs.replace(used, coverage=structs.replace(used.coverage, certainty=Certainty.AT_LEAST))
        foreign = _list_foreign(workspace.code, definition, used)
        return _answer_subtypes(question, used, descendants, foreign, is_cut=cuts.were_made)
    overloads = list_overloads(workspace.code, definition, question.others) if intent is Intent.USAGE else ()
    used = explore_definition(workspace.code, source, definition, (), question.scope, overloads)
    span = definition.file, definition.symbol.span.start_line, definition.symbol.span.end_line
    code = read_excerpts(source, [span], WHOLE_SHARE) if intent is not Intent.USAGE else ()
    is_cut = bool(code and is_class(definition.kind) and get_rest(span, code))
    methods = _list_methods(workspace.code, definition) if is_cut else ()
    if methods:
        code = read_excerpts(source, [span], _HEAD_SHARE)
    coverage = used.coverage
    if code:
        coverage = structs.replace(coverage, next=coverage.next or get_rest(span, code))
    definitions = tuple(shorten(each, code) for each in used.definitions)
    usages = tuple(each for each in used.usages if not is_shown(each.file, each.line, code))
    if intent is Intent.USAGE:
        asked = _list_asked(question, usages)
        left_out = len(usages) - len(asked)
        coverage = structs.replace(coverage, found=coverage.found - left_out, shown=max(0, coverage.shown - left_out))
        usages = asked
    done, usages = _put_asked_first(question, usages)
    (listed,) = take_sections(used, "usages", counts=True)
    is_code = intent is Intent.CODE
    others, others_of_tests = _list_others_by_role(question, used)
    return build_answer(
        question,
        head_usages(f"{used.summary}{done}", used.ledger) if intent is Intent.USAGE else used.summary,
        coverage,
        _build_definition_section(definitions),
        others,
        () if is_code else structs.replace(listed, items=usages),
        () if is_code else take_sections(used, "through"),
        take_sections(used, "overrides", "subclasses"),
        () if is_code else take_sections(used, "unresolved"),
        make_section("members", "methods", methods, 3.0),
        others_of_tests,
        code_section(code),
    )


def _list_methods(code: CodeIndex, definition: Definition) -> tuple[NameItem, ...]:
    """Return one item with the names of a class's methods that code outside may call, in the order of the file."""
    methods = (each for each in code.graph.classes.members(definition) if each.kind is SymbolKind.METHOD)
    public = (each.name for each in methods if each.symbol.exported and not each.name.startswith(("_", "#")))
    names = [each for each in dict.fromkeys(public) if each != definition.name]
    return (NameItem(", ".join(few(names, _MAX_METHODS))),) if names else ()


def _put_asked_first(question: Question, usages: tuple[UsageItem, ...]) -> tuple[str, tuple[UsageItem, ...]]:
    """Return how many lines do with a symbol what a question asks for, and the usages with these lines first."""
    found = next((each for each in _ACTIONS if each[1].search(question.text)), None)
    if found is None:
        return "", usages
    verb, _, line = found
    written = [each for each in usages if each.role == ReferenceKind.WRITE.value] if verb == "assign" else []
    # What makes an error says more than a declaration that it may be thrown.
    makes: Sequence[UsageItem] = usages
    if verb == "raise":
        makes = sorted(usages, key=lambda each: (not is_product(each.file), each.role != ReferenceKind.CALL.value))
    asked = written or [each for each in makes if line.search(each.text)]
    rest = [each for each in usages if each not in asked]
    return f"; {plural(len(asked), 'line')} may {verb} it" if asked else "", (*asked, *rest)


def answer_signature(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the calls of a function by their arguments: those that pass the parameter asked about, or all."""
    from avionics.tools.composite.explore_symbol_usage import explore_definition, list_override_calls, narrow_calls

    if question.definition is None:
        return answer_symbol(workspace, question)
    overloads = list_overloads(workspace.code, question.definition, question.others)
    named = _read_parameters(workspace.code, (question.definition, *overloads))
    if question.definition not in named:
        return answer_symbol(workspace, question)
    # Of several overloads, the one that has the parameter is meant; a change that names none may be one of any.
    passed = {each: get_parameter(question.query.text, names) for each, names in named.items()}
    definition = next((each for each, name in passed.items() if name), question.definition)
    names, passing = named[definition], passed[definition]
    overloads = () if passing else overloads
    whole = explore_definition(workspace.code, workspace.source, definition, (), question.scope, overloads)
    values = () if passing else tuple(each for each in whole.usages if each.role == ReferenceKind.READ.value)
    used = whole
    if not overloads:
        used = narrow_calls(workspace.code, whole, definition, question.scope or "", passing or "*", "")
    absent = get_absent_parameter(question.query.text, names)
    note = ""
    if absent:
        taken = f"takes {plural(len(names), 'parameter')}{': ' if names else ''}{', '.join(names)}"
        note = f"{definition.symbol.qualname} has no {absent} parameter: it {taken}; its calls are listed\n"
    below = list_override_calls(workspace.code, workspace.source, definition, question.scope) if used.overrides else ()
    others, others_of_tests = _list_others_by_role(question, used)
    also = f"; {plural(len(used.overrides), 'override')} with {plural(len(below), 'call')}" if used.overrides else ""
    return build_answer(
        question,
        note + head_usages(f"{used.summary}{also}", used.ledger),
        used.coverage,
        _build_definition_section(used.definitions),
        others,
        take_sections(used, "usages", counts=True),
        make_section("values", "passed on as a value", values, 2.0),
        take_sections(used, "arguments", "overridden", "overrides"),
        make_section("override_calls", "calls of its overrides", below, 1.0),
        take_sections(used, "unresolved"),
        others_of_tests,
    )


def _read_parameters(code: CodeIndex, definitions: Sequence[Definition]) -> dict[Definition, list[str]]:
    """Return function → the names of its parameters without the receiver, for those whose signature can be read."""
    from avionics.index.verdicts.calls.call_arguments import CallArguments

    signatures = ((each, CallArguments(code).read_signature(each)) for each in definitions)
    return {
        each: [
            parameter.name
            for at, parameter in enumerate(signature.parameters)
            if at or parameter.name not in conventions_of(each.file).receivers
        ]
        for each, signature in signatures
        if signature is not None
    }


def _list_others_by_role(
    question: Question, used: ExploreSymbolUsageAnswer
) -> tuple[Section | tuple[()], Section | tuple[()]]:
    """Return the section of other definitions with the name, as first if product code has any, else as second.

    What only tests define is seldom meant, and must not push the usages down.
    """
    others = list_others(question, _list_family(used))
    is_of_product = any(role_of(each.file) < FileRole.TEST for each in others.items)
    return (others, ()) if is_of_product else ((), others)


def _list_family(used: ExploreSymbolUsageAnswer) -> tuple[SymbolItem, ...]:
    """Return the definitions of a symbol with those that it overrides and that override it."""
    return *used.definitions, *used.overridden, *used.overrides


def answer_outside(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the usages or subtypes of a name that only libraries define; None if there are none."""
    from avionics.index.analysis.outside_usages import find_outside_usages
    from avionics.tools.composite.explore_symbol_usage import explore_outside

    meanings = find_outside_usages(workspace.code, question.missing)
    if not meanings:
        return None
    used = explore_outside(workspace.code, workspace.source, meanings, question.scope)
    subclasses, usages, unresolved = take_sections(used, "subclasses", "usages", "unresolved", counts=True)
    if question.wanted is Intent.SUBTYPES and used.subclasses:
        count, reasons = len(used.subclasses), (Reason(ReasonKind.UNKNOWN_SUBCLASS),)
        coverage = Coverage(count, count, Certainty.AT_LEAST, reasons=reasons, next=used.coverage.next)
        summary = f"{used.symbol} (outside the workspace): {plural(count, 'class')} directly below it"
        return build_answer(question, summary, coverage, subclasses)
    summary = used.summary
    if question.wanted is Intent.SUBTYPES:
        late = _LATE if used.coverage.ran_out_of_time else ""
        summary = f"no subclasses or implementers of {used.symbol} are known{late}; {summary}"
    return build_answer(question, head_usages(summary, used.ledger), used.coverage, usages, subclasses, unresolved)


def _list_foreign(code: CodeIndex, definition: Definition, used: ExploreSymbolUsageAnswer) -> tuple[UsageItem, ...]:
    """Return the lines that implement an interface for types which no file of the workspace defines."""
    inheriting = [each for each in code.usages(definition).usages if each.role is ReferenceKind.INHERIT]
    foreign = {(each.file, each.line) for each in inheriting if not code.graph.classes.inheriting((each,))}
    return tuple(each for each in used.usages if (each.file, each.line) in foreign)


def _answer_subtypes(
    question: Question,
    used: ExploreSymbolUsageAnswer,
    descendants: tuple[SymbolItem, ...],
    foreign: tuple[UsageItem, ...],
    *,
    is_cut: bool,
) -> AnalyzeAnswer:
    """Return the direct and indirect subclasses, implementers and overrides of a symbol; else its usages."""
    kind = SymbolKind(used.definitions[0].kind)
    counts = [
        (len(used.subclasses), "subtype" if kind is SymbolKind.INTERFACE else "subclass"),
        (len(used.overrides), "override"),
        (len(foreign), "outside type"),
    ]
    definitions = _build_definition_section(used.definitions)
    others = list_others(question, _list_family(used))
    if not any(count for count, _ in counts):
        what = "subclasses or implementers" if is_class(kind) or kind is SymbolKind.TYPE else "overrides"
        typed = _list_typed_values(used)
        late = _LATE if is_cut or used.coverage.ran_out_of_time else ""
        values = f", but {plural(len(typed), 'value')} declared with this type" if typed else ""
        (usages,) = take_sections(used, "usages", counts=True)
        usages = structs.replace(usages, items=tuple(each for each in used.usages if each not in typed))
        return build_answer(
            question,
            f"no {what} of {used.symbol} are known{late}{values}; {used.summary}",
            used.coverage,
            definitions,
            others,
            make_section("values", "values of this type", typed, 2.0, counts=True),
            usages,
            take_sections(used, "unresolved"),
        )
    # Classes come before interfaces, product code before tests, direct subclasses before others.
    direct = {(each.file, each.line) for each in used.subclasses}
    further = [each for each in descendants if (each.file, each.line) not in direct]
    ordered = sorted(
        (*used.subclasses, *further), key=lambda each: (each.kind == SymbolKind.INTERFACE.value, role_of(each.file))
    )
    overrides, subclasses = take_sections(used, "overrides", "subclasses", counts=True)
    summary = f"{used.symbol}: {', '.join(plural(count, what) for count, what in counts if count)}"
    summary += f" and {len(further)} indirect" if further else ""
    return build_answer(
        question,
        summary,
        _cover_subtypes(used, len(further) + len(foreign), is_cut=is_cut),
        definitions,
        others,
        overrides,
        structs.replace(subclasses, items=tuple(ordered)),
        make_section("usages", "implemented for types of other packages", foreign, counts=True),
    )


def _list_typed_values(used: ExploreSymbolUsageAnswer) -> list[UsageItem]:
    """Return the usages that declare a value with a type: `log: Handler = (line) => …`, `struct driver x11 = {`."""
    name = re.escape(used.symbol.rpartition(".")[2])
    after_name = rf"[\w$][?!]?\s*:\s*(?:\w+\.)*{name}(?:<[^=]*>)?\s*=(?![=>])"
    declared = re.compile(rf"{after_name}|\b{name}\s+\w+(?:\[\w*\])?\s*=\s*(?:\{{|\Z)")
    annotated = (each for each in used.usages if each.role == ReferenceKind.ANNOTATE.value)
    return [each for each in annotated if declared.search(each.text)]


def _cover_subtypes(used: ExploreSymbolUsageAnswer, further: int, *, is_cut: bool) -> Coverage:
    """Return how complete the subclasses and overrides are."""
    count, certainty = len(used.subclasses) + len(used.overrides) + further, used.coverage.certainty
    reasons = () if certainty is Certainty.EXACT else (Reason(ReasonKind.UNKNOWN_SUBCLASS),)
    if is_cut:
        certainty, reasons = Certainty.AT_LEAST, (Reason(ReasonKind.TIME_RAN_OUT),)
    return Coverage(count, count, certainty, reasons=reasons)


def _answer_line(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the lines around a line that is in no function or class."""
    path, line = question.path, question.line
    if not path:
        return None
    total = workspace.code.facts(path).lines
    if line > total:
        raise UsageError(f"{path!r} has no line {line}: it has {total}", hint="lines count from 1")
    span = (path, max(1, line - _LINES_BEFORE), min(total, line + _LINES_AFTER))
    code = read_excerpts(workspace.source, [span])
    coverage = Coverage(len(code), len(code))
    return build_answer(question, f"{path}:{line} is at module level", coverage, code_section(code))


def answer_bases(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the classes that a class inherits from, nearest first, and the interfaces that its methods satisfy."""
    definition = question.definition
    if definition is None or not is_class(definition.kind):
        return None
    code = workspace.code
    above, lineage = code.graph.classes.ancestors(definition)
    implied, libraries = _find_implied(code, definition)
    outside = ", ".join(lineage.externals)
    reasons: tuple[Reason, ...] = (Reason(ReasonKind.EXTERNAL_BASES, subject=outside),) if outside else ()
    reasons += (Reason(ReasonKind.BASE_CLASS_UNKNOWN),) if lineage.is_open else ()
    names = ", ".join([*(each.symbol.qualname for each in above), *lineage.externals]) or "nothing"
    satisfied = ", ".join(dict.fromkeys((*(each.symbol.qualname for each in implied), *libraries)))
    said = f"; its methods satisfy {satisfied}" if satisfied else ""
    return build_answer(
        question,
        f"{definition.symbol.qualname} inherits from {names}{said}",
        Coverage.of(len(above) + len(implied), is_exact=not (reasons or satisfied), reasons=reasons),
        _build_definition_section(symbol_items((definition,))),
        list_others(question),
        make_section("bases", "inherits from, nearest first", symbol_items(above)),
        make_section("satisfied", "interfaces that its methods satisfy", symbol_items(implied)),
    )


def _find_implied(code: CodeIndex, definition: Definition) -> tuple[tuple[Definition, ...], tuple[str, ...]]:
    """Return the interfaces that a class implements without naming them, and the names of those of libraries."""
    interfaces, scopes = code.graph.interfaces, code.resolver.scopes
    found: dict[Definition, None] = {}
    outside: dict[str, None] = {}
    for member in code.graph.classes.members(definition):
        for above in interfaces.implemented(member):
            holder = code.get_parent(above)
            if holder is None:
                continue
            if above.file.startswith(STUBS):
                outside[scopes.name_outside(above.file, holder.symbol.qualname)] = None
            else:
                found[holder] = None
    return tuple(sorted(found, key=role_and_place)), tuple(outside)


def answer_callees(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the calls that a function makes."""
    from avionics.index.entrypoints.flow_starts import FlowStart
    from avionics.tools.composite.trace_entry_point import trace_calls

    if question.definition is None:
        return None
    found = trace_calls(workspace.code, FlowStart((question.definition,)), FLOW_DEPTH, workspace.settings)
    flow = make_section("flow", "call flow", found.flow, 2.0)
    return build_answer(question, found.headline(), found.coverage, list_others(question), flow)


def _build_definition_section(items: tuple[SymbolItem, ...]) -> Section:
    return make_section("definitions", "definitions", items)
