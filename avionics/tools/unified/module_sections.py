"""Answer questions about the contents of a directory, a file, a class or the whole workspace, and who imports them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from avionics.cancellation import seconds_left
from avionics.index.analysis import declared_properties
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.model.values import ClassType, InstanceType
from avionics.index.scopes.symbol_lookup import is_within
from avionics.late_pattern import late_pattern
from avionics.model.enums import FUNCTIONS, Certainty, SymbolKind, is_class
from avionics.model.errors import AvionicsError
from avionics.model.knowledge import Definition
from avionics.model.naming import agree, last_part, plural
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.syntax.engine.expressions import bare_name
from avionics.syntax.registry import conventions_of, get_language
from avionics.tools.answers.answer import Section, shorten, take_sections
from avionics.tools.answers.items import CodeItem, NameItem, few, first_sentence, kind_word, symbol_items
from avionics.tools.answers.next_step import suggest
from avionics.tools.ids import ToolId
from avionics.tools.internal.files.read_file import cut_lines, read_text_lines
from avionics.tools.questions.intents import Intent, Question
from avionics.tools.questions.path_mentions import PATHLIKE
from avionics.tools.questions.rules.intent_rules import RETURNING
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer, build_list, list_others, make_section
from avionics.tools.unified.code_excerpts import code_section
from avionics.tools.unified.file_sections import answer_file, answer_most_imported

if TYPE_CHECKING:
    from avionics.index.analysis.symbol_usage import UseCount
    from avionics.index.code_index import CodeIndex
    from avionics.source.tree import SourceTree
    from avionics.tools.composite.map_module import MapModuleAnswer
    from avionics.workspace import Workspace

_MAX_PURPOSE = 200
_MAX_UNREAD = 30
_SHARES = {"submodules": 6.0, "api": 3.0}
"""The shares of the contents and of the public API of a directory."""
_TYPES = frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.TYPE})
_VALUES = frozenset({SymbolKind.ATTRIBUTE, SymbolKind.PROPERTY, SymbolKind.CONSTANT, SymbolKind.VARIABLE})
_KINDS = tuple(
    (late_pattern(rf"\b(?:{words})\b", re.IGNORECASE), frozenset(kinds))
    for words, kinds in (
        ("methods?", {SymbolKind.METHOD, SymbolKind.FUNCTION}),
        ("functions?", {SymbolKind.FUNCTION, SymbolKind.METHOD}),
        ("fields?|attributes?|properties|variants?", _VALUES),
        ("constants?", {SymbolKind.CONSTANT, SymbolKind.ATTRIBUTE}),
        ("variables?", {SymbolKind.VARIABLE, SymbolKind.CONSTANT}),
        ("macros?", {SymbolKind.MACRO}),
        ("interfaces?|traits?|protocols?", {SymbolKind.INTERFACE}),
        ("enums?|enumerations?", {SymbolKind.ENUM}),
        ("class(?:es)?", {SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM}),
        ("structs?|records?|exceptions?|errors?", {SymbolKind.CLASS}),
        ("types?", _TYPES),
    )
)
"""The words of a question for a kind of definitions, and the kinds of symbols that it means."""
_RETURNING = late_pattern(RETURNING, re.IGNORECASE)
_MARKER = late_pattern(r"(?<!\w)(?:to-?do|fixme|xxx|hack)", re.IGNORECASE)
_OPENING = r"//|/\*|\A\s*\*|#|--|<!--|\A\s*;|\A\s*%"
"""How a comment begins, where no string is."""
_STRING = late_pattern(r"\"(?>(?:[^\"\\]++|\\.)*)\"|'(?>(?:[^'\\]++|\\.)*)'(?!\w)")
_MAX_MARKED, _MAX_NAMED, _MAX_LARGEST, _MAX_COUNTED = 2_000, 5, 30, 40
_LATE = " so far (the time ran out)"
_PUBLIC = late_pattern(r"\b(?:public|exported)\b", re.IGNORECASE)


class SizeItem(Struct, frozen=True):
    """A definition or file with its number of lines."""

    file: str
    line: int
    lines: int
    what: str

    @classmethod
    def of(cls, definition: Definition) -> SizeItem:
        """Return the item of a definition, decorators included."""
        symbol, span = definition.symbol, definition.symbol.span
        what = f"{kind_word(symbol)} {symbol.qualname}"
        return cls(definition.file, span.start_line, span.end_line - span.start_line + 1, what)

    def to_text(self) -> str:
        return f"{self.file}:{self.line}  {plural(self.lines, 'line')}{self.what and f', {self.what}'}"


def answer_map(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the purpose, the contents and the imports of a directory or file."""
    from avionics.tools.composite.map_module import map_place

    code, source = workspace.code, workspace.source
    found = map_place(code, source, question.path)
    is_list = question.intent is Intent.LIST_MODULES
    if question.path in code.files:
        return answer_file(workspace, question, found)
    largest = max(found.submodules, key=lambda each: each.lines, default=None)
    next_step = found.coverage.next
    if is_list and largest:
        next_step = suggest(ToolId.MAP_MODULE, "for its contents", path=largest.path)
    text = _read_text(code, source, question.path)
    # Most questions are about the contents of a directory rather than its most used definitions.
    listed = ("submodules",) if is_list else ("submodules", "api")
    contents = tuple(each.show(share=_SHARES[each.name]) for each in take_sections(found, *listed))
    return build_answer(
        question,
        _describe(found, question.path),
        structs.replace(found.coverage, next=None if text else next_step),
        take_sections(found, "purpose"),
        contents,
        _list_unread(code, found, question.path),
        code_section(text),
        take_sections(found, "dependents", "dependencies", "entry_points"),
    )


def _list_unread(code: CodeIndex, found: MapModuleAnswer, path: str) -> Section:
    """Return the names of the files and directories in a directory that has no code."""
    below = () if found.files else [each[len(path) + 1 :] for each in code.paths if each.startswith(f"{path}/")]
    names = dict.fromkeys(f"{name}{mark}" for name, mark, _ in (each.partition("/") for each in sorted(below)))
    items = [NameItem(each) for each in few(tuple(names), _MAX_UNREAD)]
    return make_section("files", "files without code", items, 2.0)


def _describe(found: MapModuleAnswer, path: str) -> str:
    """Return the first line: the purpose that a README states, then the contents."""
    if path != "." or not found.purpose:
        return found.headline()
    said = shorten(first_sentence(found.purpose[0].text).removeprefix(" — "), _MAX_PURPOSE)
    return f"{said} — {found.headline().removeprefix('.: ')}"


def _read_text(code: CodeIndex, source: SourceTree, path: str) -> tuple[CodeItem, ...]:
    """Return the text of a file in an unsupported language, whose map is empty; () if it cannot be read."""
    if path in code.files or path not in code.snapshot.entries:
        return ()
    try:
        item = cut_lines(source, path, read_text_lines(source, path))
    except AvionicsError:
        return ()
    return () if item is None else (item,)


def answer_members(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the members of a class, or the definitions of a file or directory: all, or some kinds."""
    code, owner = workspace.code, _get_class(workspace.code, question.definition) if question.definition else None
    every = _find_members(code, owner) if owner else _find_definitions(code, question.path)
    if not every and owner is None:
        return None
    _, kinds = _get_kinds(question)
    is_public = _PUBLIC.search(PATHLIKE.sub(" ", question.text)) is not None
    members = [each for each in every if (kinds is None or each.kind in kinds) and (not is_public or _is_public(each))]
    if owner is None:
        # The classes within other ones say least of what a directory contains.
        members.sort(key=lambda each: is_class(each.kind) and "." in each.symbol.qualname)
    counted = Counter(kind_word(each.symbol) for each in members)
    counts = ", ".join(plural(count, kind) for kind, count in counted.most_common()) or "none of them"
    other = "other member" if owner else "other definition"
    left = f"; {plural(len(every) - len(members), other)}" if len(every) > len(members) else ""
    inherited = f"; it inherits from {', '.join(owner.symbol.bases)}" if owner and owner.symbol.bases else ""
    return build_answer(
        question,
        f"{owner.symbol.qualname if owner else _name_place(question.path)} has {counts}{left}{inherited}",
        Coverage(len(members), len(members), settled=True),
        make_section("definitions", "definitions", symbol_items((owner,) if owner else ())),
        list_others(question),
        make_section("members", "members" if owner else "definitions", symbol_items(members), 5.0, counts=True),
    )


def answer_returning(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the functions that declare to return, or to take, the type in a question; None if there are none."""
    from avionics.index.analysis.declared_properties import find_declaring

    asked = _RETURNING.search(question.text)
    found = find_declaring(workspace.code, asked["type"], takes=bool(asked["takes"])) if asked else ()
    if asked is None or not found:
        return None
    declaring = agree(len(found), "function", "declares", "declare")
    summary = f"{declaring} to {'take' if asked['takes'] else 'return'} {asked['type']}"
    return _list_declared(question, found, summary)


def answer_declared(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return what is deprecated, asynchronous or undocumented: all, or of some kinds, or in a directory or file."""
    find, said = {
        Intent.DEPRECATED: (declared_properties.find_deprecated, "marked as deprecated"),
        Intent.ASYNCHRONOUS: (declared_properties.find_asynchronous, "declared as asynchronous"),
        Intent.UNDOCUMENTED: (declared_properties.find_undocumented, "without documentation in product code"),
    }[question.intent]
    named, kinds = _get_kinds(question)
    place = question.place
    every = [each for each in find(workspace.code) if is_within(each.file, place)]
    if question.intent is Intent.UNDOCUMENTED and _PUBLIC.search(question.text):
        every = [each for each in every if _is_public(each)]
    found = [each for each in every if kinds is None or each.kind in kinds]
    left = f"; {plural(len(every) - len(found), 'other definition')} too" if len(every) > len(found) else ""
    if not found:
        none = "no definition" if kinds is None else f"none of the {named}"
        return _list_declared(question, found, f"{none} is {said}{left}")
    counted = plural(len(found), "definition") if kinds is None else f"{len(found)} of the {named}"
    return _list_declared(question, found, f"{counted} {'is' if len(found) == 1 else 'are'} {said}{left}")


def _get_kinds(question: Question) -> tuple[str, frozenset[SymbolKind] | None]:
    """Return the word of a question for a kind of definitions and the kinds that it means; "" and None for none."""
    asked = PATHLIKE.sub(" ", question.text)
    return next(((said[0], kinds) for words, kinds in _KINDS if (said := words.search(asked))), ("", None))


def answer_largest(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the definitions of the asked kind, or the files, with the most lines."""
    from avionics.index.analysis.declared_properties import find_largest

    code, place = workspace.code, question.place
    named, kinds = _get_kinds(question)
    if kinds is None:
        files = [file for file in code.files if is_within(file, place) and role_of(file) < FileRole.GENERATED]
        code.load_facts(files)
        ranked = sorted(files, key=lambda file: -code.facts(file).lines)
        items = [SizeItem(file, 1, code.facts(file).lines, "") for file in ranked[:_MAX_LARGEST]]
        count = len(ranked)
    else:
        found = find_largest(code, kinds, place)
        items, count = [SizeItem.of(each) for each in found[:_MAX_LARGEST]], len(found)
    noun = named.lower() or "files"
    first = f"the longest of {count:,} {noun} has {plural(items[0].lines, 'line')}" if items else f"there are no {noun}"
    summary = f"{first}: {items[0].what or items[0].file}" if items else first
    return build_list(question, summary, "longest first, without generated and vendored code", items, found=count)


class UsedItem(Struct, frozen=True):
    """A definition, or a file, and how often it is used."""

    file: str
    line: int
    symbol: str
    uses: int
    files: int
    tests: int = 0

    @classmethod
    def of(cls, count: UseCount) -> UsedItem:
        """Return the item of a definition."""
        symbol = count.definition.symbol
        what = f"{kind_word(symbol)} {symbol.qualname}"
        return cls(count.definition.file, symbol.line, what, count.product, count.files, count.tests)

    def to_text(self) -> str:
        used = (
            f"{plural(self.uses, 'usage')} in {plural(self.files, 'file')}" if self.uses else "no usage outside tests"
        )
        tests = f", {self.tests:,} in tests" if self.tests else ""
        return f"{self.file}:{self.line} {self.symbol} — {used}{tests}"


def answer_most_used(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the definitions of the asked kind that product code uses most, or the files that most others import."""
    from avionics.index.analysis.symbol_usage import rank_by_usages

    named, kinds = _get_kinds(question)
    if kinds is None:
        return answer_most_imported(workspace, question)
    code = workspace.code.with_every_file()
    found = _find_product(code, question, kinds)
    counted, left = rank_by_usages(code, found, _MAX_COUNTED)
    late = _list_time_reasons()
    items = [UsedItem.of(each) for each in counted if each.product][:_MAX_LARGEST]
    summary = f"no usage of the {len(found):,} {named} is proven{_LATE if late else ''}"
    if items:
        first = f"{plural(items[0].uses, 'proven usage')} in {plural(items[0].files, 'file')}"
        best = items[0].symbol.partition(" ")[2]
        summary = f"the most used of {len(found):,} {named} is {best}: {first}"
        if left:
            part = f"the {len(counted)} examined in time of the {len(counted) + len(left)} mentioned most"
            summary = f"of {len(found):,} {named}, {best} is used most among {part}: {first}"
    words = [NameItem(_describe_mentions(each)) for each in left[:_MAX_LARGEST]]
    if words:
        summary += "; of the others only the words are counted"
    return build_answer(
        question,
        summary,
        Coverage(len(found), len(items) + len(words), Certainty.AT_LEAST, reasons=late, settled=True),
        make_section("members", f"usages counted of the {len(counted)} mentioned most", items, 5.0, counts=True),
        make_section("near", "not examined: how often product code has the word", words, 3.0, counts=True),
    )


def _describe_mentions(count: UseCount) -> str:
    """Return the line of a definition whose usages were not counted for lack of time."""
    symbol = count.definition.symbol
    within = f" in {plural(count.files, 'file')}" if count.files else ""
    what = f"{kind_word(symbol)} {symbol.qualname}"
    return f"{count.definition.file}:{symbol.line} {what} — {plural(count.product, 'mention')}{within}"


def answer_recursive(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the functions that call themselves, without those that do by way of others."""
    from avionics.index.analysis.symbol_usage import map_recursive_calls

    code = workspace.code.with_every_file()
    calls = map_recursive_calls(code, _find_product(code, question, FUNCTIONS))
    late = _list_time_reasons()
    items = [
        NameItem(f"{each.file}:{line} {kind_word(each.symbol)} {each.symbol.qualname} (from line {each.line})")
        for each, line in calls.items()
    ]
    summary = agree(len(items), "function", "calls itself directly", "call themselves directly")
    summary += _LATE if late else ""
    return build_list(question, summary, "calls of themselves", items, Certainty.AT_LEAST, reasons=late)


def answer_test_only(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the definitions of product code that only tests use."""
    from avionics.index.analysis.symbol_usage import find_used_by_tests_only

    code = workspace.code.with_every_file()
    _, kinds = _get_kinds(question)
    found = _find_product(code, question, kinds or FUNCTIONS | _TYPES)
    items = [UsedItem.of(each) for each in find_used_by_tests_only(code, found)]
    late = _list_time_reasons()
    used = agree(len(items), "definition", "of product code is used", "of product code are used")
    summary = f"{used} in tests only{_LATE if late else ''}"
    title = "no product code mentions their names"
    return build_list(question, summary, title, items, Certainty.AT_LEAST, reasons=late)


def answer_untested(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the definitions of product code whose names no test mentions."""
    from avionics.index.analysis.symbol_usage import find_unmentioned_in_tests

    named, kinds = _get_kinds(question)
    code = workspace.code.with_every_file()
    every = _find_product(code, question, kinds or FUNCTIONS)
    found = find_unmentioned_in_tests(code, every)
    summary = f"{len(found):,} of {len(every):,} {named or 'functions'} are mentioned in no test"
    return _list_declared(question, found, f"{summary}; tests may run them by way of others")


def _list_time_reasons() -> tuple[Reason, ...]:
    """Return the reason that the time ran out, if it did."""
    return (Reason(ReasonKind.TIME_RAN_OUT),) if seconds_left() <= 0 else ()


def _find_product(code: CodeIndex, question: Question, kinds: Collection[SymbolKind]) -> tuple[Definition, ...]:
    """Return the definitions of some kinds in the product code that a question is about: no inner ones, no promises."""
    from avionics.index.analysis.symbol_usage import is_for_tests

    place = question.place
    files = [file for file in code.files if is_within(file, place) and role_of(file) is FileRole.PRODUCT]
    found = []
    for each in code.iter_all_definitions(files):
        holder = code.get_parent(each)
        is_inner = holder is not None and holder.kind in FUNCTIONS | {SymbolKind.INTERFACE}
        is_special = each.symbol.is_announced or each.name.startswith("__")
        if each.kind in kinds and not (is_inner or is_special or is_for_tests(code, each)):
            found.append(each)
    return tuple(found)


def answer_markers(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the comments of code with the asked markers, the files with most first; None if a symbol is meant."""
    from avionics.tools.internal.files.grep_search import search_lines

    code = workspace.code
    asked = list(dict.fromkeys(each.upper().replace("-", "") for each in _MARKER.findall(question.text)))
    is_lower = not any(mark in question.text for mark in asked) and "comment" not in question.text.lower()
    if is_lower and any(code.find_definitions(each) for mark in asked for each in _spell_marker(mark)):
        return None
    place = question.place or "."
    searched = search_lines(workspace.source, code, rf"\b(?:{'|'.join(asked)})\b", place, limit=_MAX_MARKED)
    marked = re.compile(rf"(?:{_OPENING}).*?\b(?:{'|'.join(asked)})\b")
    lines = [each for each in searched.matches if get_language(each.file)]
    found = [each for each in lines if marked.search(_STRING.sub("", each.text))]
    counts = Counter(each.file for each in found)
    found.sort(key=lambda each: (role_of(each.file), -counts[each.file], each.file, each.line))
    most = ", ".join(f"{file} {count}" for file, count in counts.most_common(_MAX_NAMED))
    summary = f"{plural(len(found), 'comment')} with {' or '.join(asked)} in {plural(len(counts), 'file')}"
    others = len(lines) - len(found)
    rest = f"; {agree(others, 'other line', 'of code has', 'of code have')} the word" if others else ""
    summary += f" ({most})" if len(counts) > 1 else ""
    reasons = searched.coverage.reasons
    return build_list(question, summary + rest, "comments", found, Certainty.AT_LEAST, key="lines", reasons=reasons)


def _spell_marker(mark: str) -> tuple[str, ...]:
    """Return how a class, a function or a variable may be called that has the name of a marker."""
    word = mark.lower().removesuffix("s")
    return word, f"{word}s", word.capitalize(), f"{word.capitalize()}s"


def _list_declared(question: Question, found: Sequence[Definition], summary: str) -> AnalyzeAnswer:
    """Return the answer that lists definitions by what is declared of them; what is not declared is not known."""
    return build_answer(
        question,
        summary,
        Coverage(len(found), len(found), Certainty.AT_LEAST),
        make_section("members", "definitions", symbol_items(found), 5.0, counts=True),
    )


def _get_class(code: CodeIndex, definition: Definition) -> Definition | None:
    """Return a class, or the class behind an alias; None for anything else."""
    if is_class(definition.kind) or definition.kind is not SymbolKind.TYPE:
        return definition if is_class(definition.kind) else None
    named = bare_name(definition.name)
    found = (
        each.of
        for each in code.resolver.inference.read_type(named, definition.file, 0)
        if isinstance(each, InstanceType)
    )
    of = next((each for each in found if isinstance(each, ClassType)), None)
    symbol = code.resolver.scopes.get_class_symbol(of) if of else None
    return Definition(of.file, symbol, of.symbol) if of and symbol else None


def _find_members(code: CodeIndex, owner: Definition) -> tuple[Definition, ...]:
    """Return the members of a class, those with a body without their signatures for type checkers."""
    members = code.graph.classes.members(owner)
    marks = frozenset(conventions_of(owner.file).decorators.overloads)
    signatures = {each for each in members if not marks.isdisjoint(map(last_part, each.symbol.decorators))}
    written = {each.name for each in members if each not in signatures}
    return tuple(each for each in members if each not in signatures or each.name not in written)


def _name_place(path: str) -> str:
    return path if path != "." else "the workspace (without tests)"


def _find_definitions(code: CodeIndex, path: str) -> tuple[Definition, ...]:
    """Return the definitions of a file or directory that are not in functions, and in no class but as its methods."""
    files = [file for file in code.files if path and is_within(file, path)]
    if path == ".":
        # A question about the whole workspace does not mean code for tests.
        files = sorted((each for each in files if role_of(each) <= FileRole.AUXILIARY), key=role_of)
    found = []
    for each in code.iter_all_definitions(files):
        holder = code.get_parent(each)
        is_listed = each.kind is SymbolKind.METHOD or each.kind in _TYPES
        if holder is None or (is_class(holder.kind) and is_listed):
            found.append(each)
    return tuple(found)


def _is_public(definition: Definition) -> bool:
    return definition.symbol.exported and not definition.name.startswith(("_", "#"))


def answer_unused(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the unused definitions of a class, of a directory, of a file or of the workspace."""
    from avionics.tools.composite.find_unused import check_unused

    scope = question.place or ""
    found = check_unused(workspace.code, workspace.source, scope, question.definition)
    return build_answer(question, found.headline(), found.coverage, list_others(question), take_sections(found))
