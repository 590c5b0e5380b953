"""Answer how control gets from one place to another, and what a configuration key does, citing each step."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from avionics.index.analysis.symbol_usage import is_for_tests
from avionics.index.entrypoints.data_entries import get_block_end
from avionics.index.entrypoints.discovery import find_entry_points
from avionics.index.entrypoints.handlers import EntryPoint, build_module_body
from avionics.index.model.file_roles import FileRole, is_product, role_of
from avionics.index.search.query import text_stems
from avionics.late_pattern import late_pattern
from avionics.model.enums import BODIES, Certainty, EntryKind, SymbolKind, is_class
from avionics.model.facts import Span
from avionics.model.naming import agree
from avionics.model.results import Coverage
from avionics.syntax.registry import get_language
from avionics.tools.answers.answer import take_sections
from avionics.tools.answers.items import few, read_lines, suggest_reading
from avionics.tools.internal.files.grep_search import MatchItem, search_lines
from avionics.tools.questions.ends_reader import ROUTE
from avionics.tools.questions.intents import Question
from avionics.tools.questions.mention_resolver import (
    find_likely_names,
    is_loosely_named,
    resolve_mentions,
    resolve_product_mentions,
)
from avionics.tools.questions.rules.intent_rules import KEY, LETTER
from avionics.tools.resolution.described_functions import is_thing, read_action
from avionics.tools.resolution.outside_effects import get_outside_effect
from avionics.tools.resolution.path_resolver import WRITTEN_ROUTE
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer, make_section
from avionics.tools.unified.answer_lines import COMMENTS
from avionics.tools.unified.code_excerpts import code_section, read_excerpts
from avionics.tools.unified.symbol_sections import FLOW_DEPTH

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.model.knowledge import Definition
    from avionics.tools.composite.trace_entry_point import EntryPointItem
    from avionics.tools.resolution.flow_endpoints import FlowEnd, FlowEnds
    from avionics.workspace import Workspace

_PRESSED = late_pattern(rf"(?P<key>{KEY})(?: (?:in|on|at|of|inside|within) (?:the |a )?[\w ]+)?", re.IGNORECASE)
"""A key as one end of a path of calls, perhaps with the part of the program in which it is pressed."""
_KEY = late_pattern(rf"(?<!\w)(?:{KEY})", re.IGNORECASE)
_BETWEEN = r"[-+_ .]?(?:key_?)?"
_CTRL, _ALT = rf"(?:(?:ctrl|control){_BETWEEN}|c-|\^)", rf"(?:(?:alt|option|meta){_BETWEEN}|m-)"
_CMD = rf"(?:cmd|command|meta|super){_BETWEEN}"
_MODIFIERS = {"ctrl": _CTRL, "control": _CTRL, "alt": _ALT, "option": _ALT, "meta": _ALT, "cmd": _CMD, "command": _CMD}
"""Modifier → a pattern for how code writes it before a key. A single letter needs a hyphen: `_cb` is no key."""
_LETTER = late_pattern(LETTER, re.IGNORECASE)
_KEY_WORDS = r"\w*(?:[kK]ey|KEY)\w*|\w*[cC]har(?:acter)?|rune|ch|bind\w*|n?map|shortcut\w*|press\w*"
"""The names that code gives to a key which it compares or binds."""
_CUT = "…"
"""How a shortened line begins, because the whole is too long to show; such lines bind no key."""
_CONFIGURATION = late_pattern(r"\.(?:json5?|ya?ml|toml|ini|conf|cfg|kdl|ron|keymap|keys|properties|xml)\Z")
_NOT_PLURAL = r"(?!(?-i:[A-Za-z][a-z]+s)\b)"
"""Before a word that may be a plural, which is no key: "controls" is not Ctrl+S."""
_FIELD = late_pattern(r"\w+\s*(?:=(?!=)|:(?!:))")
"""The name of a field in a literal, before its value."""
_MACRO_CALL = late_pattern(r"\w+!")
_NAMED_AFTER = late_pattern(r"\W*+([A-Za-z_]\w*+)\s*+[,;]?\s*+(?://.*)?\Z")
"""The only name on a line after a key: `"x" => cut,`."""
_WORD = late_pattern(r"\w+")
_ESCAPE = "esc(?:ape)?"
_NAMED = late_pattern(r"\(([A-Za-z_][\w.]*)\)$")
"""The name in code of what a text describes before: `a reset request (send_reset)`."""
_PART_OF = late_pattern(r" (?:of|in|on) (?:the )?")
_PLACED = late_pattern(r"([A-Za-z_]\w*) (?:in|of) \S")
"""A name in code with words about where it is: `create in the order controller`."""
_ARM = late_pattern(r"=>\s*(?:\{|\w)")
_STATEMENT = late_pattern(r";\s*\Z|\)\s*\Z")
"""What ends a line that is not part of a pattern."""
_CASE = late_pattern(r"\s*(?:case|when|if|elif|else if)\b|.*=>\s*+(?:\{\s*+)?\Z")
_ENTERS = late_pattern(
    r"\W*(?:(?:what|who|which \w+) (?:all )?"
    r"(?:happens|runs|is run|is called|gets called|executes|handles|serves|answers)"
    r"|(?:can you |please )?(?:trace|walk me through|follow|explain)|(?:how|where|what) (?:is|are|does|do|did|will)\b"
    r"|(?:the )?(?:requests?|routes?|endpoints?|handlers?)\b)"
    r"|(?:[A-Z]+ )?/\S*\Z",
    re.IGNORECASE,
)
"""How a question begins that asks what runs when control enters somewhere; or a route alone."""
_METHOD = late_pattern(r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b")
_OF_ROUTE = late_pattern(rf"{_METHOD.pattern}|(?i:\b(?:routes?|endpoints?|requests?|handle\w*|serve[sd]?|answers)\b)")
"""Words of a question by which a path in it is a route."""
_COMMAND = late_pattern(r"(?:^|\s)(?::([\w-]+)(?!\S)|[:`'\"]?([\w-]+)[`'\"]? (?:sub)?command\b)")
_COMMAND_OF_SEVERAL_WORDS = late_pattern(r"\b(?:the|a) ([\w-]+(?: [\w-]+){1,2}|\w+(?::\w+)+) (?:sub)?command\b")
_ENDPOINT = late_pattern(r"\b(?:the|our|its|an?) (?:[\w-]+ ){0,2}?[`'\"]?([\w.-]+)[`'\"]? (?:endpoint|route)\b")
"""A route that is called by the end of its path: "the stream endpoint"."""
_RUN = late_pattern(
    r"\b(?:runs?|running|ran|types?|typing|types?|starts?|starting|execut\w+|invok\w+|calls?) (?:the )?(?:command )?"
    r"(?:`(?:\S+ )?(?P<quoted>[a-z][\w-]*)(?: -[^`]*)?`|(?:\./)?\S+ (?P<plain>[a-z][\w-]*)\W*\Z)",
    re.IGNORECASE,
)
"""A command line in a question, a program with its command: "when I run `git add`"."""
_CODE_SHARE = 0.3
_MAX_LINES, _MAX_BOUND, _MAX_HANDLERS, _MAX_BLOCK = 300, 8, 8, 80
_NOT_AN_INSTRUCTION = r"(?<!press )(?<!hit )(?<!type )(?<!use )"
"""The words before a key in an instruction to users, which binds nothing: "press Ctrl+C"."""
_SEGMENT, _PARAMETER = late_pattern(r"[A-Za-z][\w.-]{2,}"), r"(?:\{[^/{}]*\}|[:*]\w+|<[^/<>]*>|\[[^/\[\]]*\])"
"""A part of a route's path that code has as it is, and one that stands for any value."""
_CONTEXT = 8
_MAX_CASES, _CASE_LINES = 3, 5
"""Of branches that compare a key: how many are shown, and the lines after the comparison."""


def answer_path(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the paths between the two ends in a question; None if an end is not found."""
    from avionics.tools.composite.find_path import describe_unknown, search_path
    from avionics.tools.resolution.flow_endpoints import FlowEnds

    if question.ends is None:
        return None
    known = FlowEnds(workspace)
    first, last = (_get_end(workspace, known, text, question.scope) for text in question.ends)
    missing = next((text for text, end in zip(question.ends, (first, last), strict=True) if end is None), "")
    if ROUTE.fullmatch(missing):
        return _describe_undeclared(question, missing, (), _find_written(workspace, missing, question.scope))
    _, dot, name = missing.removesuffix("()").rpartition(".")
    if missing and (question.missing or (dot and name.isidentifier() and not workspace.code.files_with_word(name))):
        unknown = "start" if first is None else "goal"
        told = describe_unknown(workspace, dict(zip(("start", "goal"), question.ends, strict=True)), unknown)
        return build_answer(question, told.headline(), told.coverage, take_sections(told))
    if first is None or last is None or set(first.definitions) == set(last.definitions):
        return None
    found = search_path(workspace, first, last)
    return build_answer(question, found.headline(), found.coverage, take_sections(found))


def _get_end(workspace: Workspace, known: FlowEnds, text: str, scope: str | None) -> FlowEnd | None:
    """Return the end that some words name; for a longer description, the definition that matches it best."""
    if pressed := _PRESSED.fullmatch(text):
        return _get_key_end(workspace, pressed["key"], scope)
    in_brackets, placed = _NAMED.search(text), _PLACED.match(text)
    if placed and workspace.code.find_definitions(placed[1]):
        return known.get_member(resolve_mentions(workspace.code, text, scope))
    end = known.get_end(text) or (known.get_end(in_brackets[1]) if in_brackets else None)
    if end is not None or len(text.split()) == 1 or get_outside_effect(text) or ROUTE.fullmatch(text):
        return end
    part = _PART_OF.split(text, 1)[0]
    entered = known.get_entered(part) if part != text else None
    named, action = resolve_product_mentions(workspace.code, text, scope), read_action(text)
    if action and not find_likely_names(text):
        named = named if named and is_thing(action, named[0]) else ()
    is_loose = bool(named) and is_loosely_named(text, named[0])
    return entered or known.get_member(named, text if is_loose else "")


def answer_entry(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return what runs when control enters by a route or command that a question names; None if it names none."""
    from avionics.index.entrypoints.flow_starts import FlowStart
    from avionics.tools.composite.trace_entry_point import EntryPointItem, trace_calls
    from avionics.tools.resolution.flow_endpoints import FlowEnds

    names = _list_entry_names(question.text) if _ENTERS.match(question.text) else ()
    ends = FlowEnds(workspace)
    asked, end = next(((each, end) for each in names if (end := ends.get_entered(each)) is not None), ("", None))
    if end is None:
        return _answer_undeclared(workspace, question) if names and _OF_ROUTE.search(question.text) else None
    flow = trace_calls(workspace.code, FlowStart(end.definitions), FLOW_DEPTH, workspace.settings)
    first = end.definitions[0]
    span = (first.file, first.symbol.span.start_line, first.symbol.span.end_line)
    name = f"lines {span[1]}-{span[2]}" if first.kind is SymbolKind.MODULE else first.symbol.qualname
    wanted = frozenset(question.query.terms)
    others = f" and {len(end.definitions) - 1} more" if len(end.definitions) > 1 else ""
    return build_answer(
        question,
        f"{asked}{_describe_unknown_start(asked, end.declared)} runs {name} ({first.file}:{first.line}){others}",
        flow.coverage,
        make_section("entry_points", "entry points", tuple(map(EntryPointItem.of, end.declared)), 1.0),
        make_section("flow", "call flow", flow.flow, 3.0),
        code_section(read_excerpts(workspace.source, [span], _CODE_SHARE, wanted)),
    )


def _answer_undeclared(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return that a route is not declared, with those that have its words; None if other code may have it."""
    from avionics.tools.composite.trace_entry_point import EntryPointItem

    route = get_route(question.text)
    words = {each for each in _WORD.findall(route.rpartition(" ")[2]) if not each.isdecimal()}
    if not words:
        return None
    routes = (each for each in find_entry_points(workspace.code) if each.kind is EntryKind.ROUTE)
    alike = tuple(EntryPointItem.of(each) for each in routes if words.issubset(_WORD.findall(each.name)))
    if not alike and frozenset.intersection(*(frozenset(workspace.code.files_with_word(word)) for word in words)):
        return None
    written = () if alike else _find_written(workspace, route, question.scope)
    return _describe_undeclared(question, route, alike, written)


def _describe_undeclared(
    question: Question, route: str, alike: Sequence[EntryPointItem], written: Sequence[MatchItem]
) -> AnalyzeAnswer:
    """Return that a route is not declared in a way that is recognized, with similar routes or where its end stands."""
    summary = f"no route {route!r} is declared in a way that is recognized"
    summary += f"; {agree(len(alike), 'route', 'has', 'have')} its words" if alike else ""
    summary += f"; the end of its path stands at {written[0].file}:{written[0].line}" if written else ""
    following = suggest_reading(written[0].file, max(1, written[0].line - _CONTEXT), written[0].line + _CONTEXT,
                                "for the code there") if written else None  # fmt: skip
    return build_answer(
        question,
        summary,
        Coverage(0, 0, next=following),
        make_section("similar_routes", "similar routes", alike[:_MAX_HANDLERS]),
        make_section("lines", "lines with the end of its path", written),
    )


def _find_written(workspace: Workspace, route: str, scope: str | None) -> tuple[MatchItem, ...]:
    """Return the lines of product code with a string that is the longest end of a route's path, any parameters in it.

    The string may be more of a path, but a route of a framework that is not known is composed of such ends.
    """
    segments = [each for each in route.rpartition(" ")[2].split("/") if each]
    for at in range(len(segments)):
        end = segments[at:]
        if not any(_SEGMENT.fullmatch(each) for each in end):
            continue
        path = "/".join(re.escape(each) if _SEGMENT.fullmatch(each) else _PARAMETER for each in end)
        found = search_lines(
            workspace.source, workspace.code, rf"[\"'`]/?{path}/?[\"'`]", scope or ".", limit=_MAX_LINES
        )
        lines = [each for each in found.matches if get_language(each.file) and role_of(each.file) < FileRole.TEST]
        if lines:
            return tuple(lines) if len(lines) <= _MAX_HANDLERS else ()
    return ()


def _describe_unknown_start(asked: str, declared: tuple[EntryPoint, ...]) -> str:
    """Return the note that a declared route is only the end of the asked path; "" if it is the whole path."""
    path, known = asked.rpartition(" ")[2], next((each.name for each in declared), "").rpartition(" ")[2]
    is_whole = "*" in known or ".." in known or path.strip("/").count("/") <= known.strip("/").count("/")
    return "" if is_whole or not (path.startswith("/") and known.startswith("/")) else f", if {known} is the end of it,"


def get_route(text: str) -> str:
    """Return the route that a question names, with its method, "" for none."""
    route = WRITTEN_ROUTE.search(text)
    if route is None:
        return ""
    method = _METHOD.search(text)
    return route[0] if " " in route[0] or method is None else f"{method[0]} {route[0]}"


def _list_entry_names(text: str) -> tuple[str, ...]:
    """Return the route, with its method, or the commands that a question may name, the longest first."""
    if route := get_route(text):
        return (route,)
    if endpoint := _ENDPOINT.search(text):
        return (f"/{endpoint[1]}",)
    command, several = _COMMAND.search(text) or _RUN.search(text), _COMMAND_OF_SEVERAL_WORDS.search(text)
    longest = (several[1].lower(),) if several else ()
    return (*longest, f"{command[1] or command[2]} command") if command else longest


def answer_key(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the lines that bind a key, and the handler; None if no line of product code names the key.

    "Press Ctrl+C to quit" in a message binds nothing.
    """
    code, found = workspace.code, _KEY.search(question.text) or _LETTER.search(question.text)
    if found is None:
        return None
    asked = found[found.lastgroup or 0]
    lines, bound, configured = _find_key(workspace, asked, question.scope)
    # A key may have different meanings in different parts of a program; the question may name the part.
    lines.sort(key=lambda each: -len({*text_stems(each.file)} & question.query.terms.keys()))
    binding = [each for each in lines if bound[each.file, each.line]][:_MAX_BOUND]
    if not (lines or configured):
        return None
    if configured and not binding:
        places = make_section("configured", "configured at", configured[:_MAX_BOUND], 2.0)
        others = make_section("lines", "named at", lines[:_MAX_BOUND])
        summary = f"{asked}: configured at {configured[0].file}:{configured[0].line}"
        count = len(configured) + len(lines)
        return build_answer(question, summary, Coverage(count, count, Certainty.AT_LEAST), places, others)
    shown = binding or lines[:_MAX_BOUND]
    handlers = tuple(dict.fromkeys(handler for each in binding for handler in bound[each.file, each.line]))
    named = {each.name for each in handlers}
    summary = f"{asked}: {agree(len(lines), 'line', 'of product code names', 'of product code name')} it"
    cases = [] if binding else [each for each in shown if _CASE.match(each.text)]
    where = dict.fromkeys(filter(None, (code.graph.enclosing(each.file, each.line) for each in cases)))
    if where:
        summary += f"; handled in {', '.join(few([each.symbol.qualname for each in where], _MAX_CASES))}"
    else:
        summary += f"; bound to {', '.join(sorted(named))}" if named else "; what handles it is not known"
    spans = [(each.file, each.line, each.line + _CASE_LINES) for each in cases[:_MAX_CASES]]
    return build_answer(
        question,
        summary,
        Coverage(len(lines), len(shown), Certainty.AT_LEAST),
        make_section("lines", "bound at" if binding else "named at", shown, 2.0),
        make_section("handled", "handled at", tuple(_iter_handling(workspace, handlers, binding))[:_MAX_HANDLERS], 3.0),
        code_section(read_excerpts(workspace.source, spans)),
    )


def _find_key(
    workspace: Workspace, key: str, scope: str | None
) -> tuple[list[MatchItem], dict[tuple[str, int], tuple[Definition, ...]], tuple[MatchItem, ...]]:
    """Return the lines of product code that name a key, place → what the line binds it to, and lines of settings."""
    if len(key) == 1:
        sought, pattern = _spell_letter(key)
    else:
        spelled = _spell_key(key)
        begun = rf"{_NOT_AN_INSTRUCTION}(?<![a-z])(?<!-){_NOT_PLURAL}(?:key_?)?"
        sought = f"(?i){spelled}"
        pattern = re.compile(rf"{begun}{spelled}(?![a-z0-9_]|\W? to\b)", re.IGNORECASE)
    found = search_lines(workspace.source, workspace.code, sought, scope or ".", limit=_MAX_LINES).matches
    named = [
        each
        for each in found
        if is_product(each.file) and not each.text.lstrip().startswith((*COMMENTS, _CUT)) and pattern.search(each.text)
    ]
    lines = [each for each in named if get_language(each.file) and not _is_in_tests(workspace.code, each)]
    settings = [each for each in named if _CONFIGURATION.search(each.file)]
    configured = tuple(sorted(settings, key=lambda each: role_of(each.file)))
    return lines, {(each.file, each.line): _find_bound(workspace.code, each, pattern) for each in lines}, configured


def _get_key_end(workspace: Workspace, key: str, scope: str | None) -> FlowEnd | None:
    """Return the end of a path for a key: the functions and branches that handle it, also by a constant for it."""
    from avionics.tools.resolution.flow_endpoints import FlowEnd

    code = workspace.code
    lines, bound, _ = _find_key(workspace, key, scope)
    binding = [each for each in lines if bound[each.file, each.line]]
    handlers = dict.fromkeys(handler for found in bound.values() for handler in found)
    starts = {each: each.line for each in handlers if each.kind in BODIES}
    branches = [*_iter_handling(workspace, handlers, binding), *(each for each in lines if each not in binding)]
    for each in branches:
        texts = code.read_lines(each.file)
        line = each.line if _CASE.match(each.text.lstrip("} ")) else _get_arm(texts, each.line)
        if line:
            last = get_block_end(texts, line, _MAX_BLOCK)
            starts[build_module_body(code, each.file, Span(line, last))] = each.line
    return FlowEnd(key, "key", tuple(starts), lines=starts) if starts else None


def _get_arm(lines: Sequence[str], line: int) -> int:
    """Return the line where the block of a pattern's branch begins, in which a key is named; 0 for none."""
    near = range(line, min(line + _CASE_LINES, len(lines)) + 1)
    arm = next((number for number in near if _ARM.search(lines[number - 1])), 0)
    ends = any(_STATEMENT.search(lines[number - 1]) for number in range(line, arm))
    return 0 if ends else arm


def _spell_key(key: str) -> str:
    """Return a pattern for the ways in which code writes a key.

    They are `Ctrl+D`, `CtrlD`, `C-d`, `KEY_CTRL_D`, `'d'|CTRL`, `(ctrl 'd')` and `ctrlKey && key == "d"`.
    """
    key = re.sub(r"^(?:\^|C-)", "ctrl-", key).replace("M-", "alt-")
    *modifiers, last = re.split(r"[-+ ]", key.lower())
    written = _ESCAPE if last in {"esc", "escape"} else re.sub(r"\Af(\d+)\Z", r"f\\(?\1\\)?", re.escape(last))
    before = "".join(_MODIFIERS.get(each, f"{re.escape(each)}{_BETWEEN}") for each in modifiers)
    if modifiers != ["ctrl"] or len(last) != 1:
        return f"{before}{written}"
    quoted = rf"['\"`]{written}['\"`]"
    near = rf"(?:ctrl|control)[^'\"`|]{{0,40}}{quoted}|{quoted}[^'\"`|]{{0,40}}(?:ctrl|control)"
    return rf"(?:{before}{written}|{near}|'{written}'\s?\|\s?\w{{0,12}}ctrl)"


def _spell_letter(letter: str) -> tuple[str, re.Pattern[str]]:
    """Return how code quotes a letter, and a pattern for lines that compare it or bind it as a key."""
    quoted = rf"['\"`]{re.escape(letter)}['\"`]"
    return quoted, re.compile(rf"\b(?:case|when|{_KEY_WORDS})\b[^'\"`{{}};]*{quoted}|{quoted}\)?\s*(?:=>|->|:|\|)")


def _find_bound(code: CodeIndex, line: MatchItem, pattern: re.Pattern[str]) -> tuple[Definition, ...]:
    """Return the definitions that a line names after the key: the function or the action's constant.

    What it also names before the key takes several keys, such as a macro: `key!(Esc) | key!(char 'q') => …`. In the
    text of a macro (`keymap!({ "x" => cut })`) names refer to nothing; the first one after the key may be a function.
    """
    matches = tuple(pattern.finditer(line.text))
    after = max((match.end() for match in matches), default=0)
    around = set(_WORD.findall(line.text[: matches[0].start()])) if matches else set()
    references = code.uses(line.file).references.values()
    there = sorted(
        (
            each
            for found in references
            for each in found
            if each.line == line.line
            and each.column >= after
            and each.name not in around
            and not _FIELD.match(line.text, each.column)
            and not _MACRO_CALL.match(line.text, each.column)
        ),
        key=lambda each: each.column,
    )
    targets = (target for each in there for target in code.resolver.resolve(line.file, each).targets)
    found = tuple(dict.fromkeys(filter(_may_handle, code.graph.list_definitions(targets))))
    named = _NAMED_AFTER.match(line.text, after) if not found else None
    if named is None:
        return found
    functions = [each for each in code.find_definitions(named[1]) if each.kind in BODIES and _may_handle(each)]
    return tuple(functions) if len(functions) == 1 and functions[0].name == named[1] else ()


def _is_in_tests(code: CodeIndex, line: MatchItem) -> bool:
    """Return whether a line is in a function that exists only for tests."""
    around = code.graph.enclosing(line.file, line.line)
    return around is not None and is_for_tests(code, around)


def _may_handle(definition: Definition) -> bool:
    """Return whether a key may be bound to a definition: a function or a value of product code."""
    is_type = is_class(definition.kind) or definition.kind is SymbolKind.TYPE
    return not is_type and is_product(definition.file)


def _iter_handling(
    workspace: Workspace, handlers: Iterable[Definition], binding: list[MatchItem]
) -> Iterator[MatchItem]:
    """Yield the definitions of functions that a key is bound to, and the lines that use a constant for the key."""
    known = {(each.file, each.line) for each in binding}
    places: dict[tuple[str, int], None] = {}
    for each in handlers:
        if each.kind in BODIES:
            places[each.file, each.line] = None
            continue
        for usage in workspace.code.usages(each).usages:
            if is_product(usage.file) and (usage.file, usage.line) not in known:
                places[usage.file, usage.line] = None
    texts = read_lines(workspace.source, set(places))
    ranked = sorted(places, key=lambda place: _CASE.match(texts.get(place, "")) is None)
    yield from (MatchItem(file, line, 1, texts.get((file, line), "")) for file, line in ranked)
