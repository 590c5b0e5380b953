"""Answer any other question by a search: text matches, ranked symbols, their code, and their calls."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.scopes.symbol_lookup import SymbolQuery
from avionics.index.search.plain_questions import (
    add_forms,
    add_words_of_code,
    list_subject_stems,
    list_telling_stems,
)
from avionics.index.search.query import Query, read_query, stems_of, text_stems
from avionics.late_pattern import late_pattern
from avionics.model.enums import ReferenceKind, SymbolKind, is_class
from avionics.model.naming import agree, plural
from avionics.model.results import Coverage, NextStep
from avionics.syntax.registry import get_language
from avionics.tools.answers.answer import Section
from avionics.tools.answers.fallback_chain import FallbackChain, as_found
from avionics.tools.answers.items import CodeItem, NameItem, UsageItem, suggest_reading
from avionics.tools.answers.next_step import suggest, suggest_meant
from avionics.tools.ids import ToolId
from avionics.tools.questions.commits_reader import asks_reason
from avionics.tools.questions.intent_guess import find_similar_questions
from avionics.tools.questions.intents import ASKS, WHAT, Intent, Question
from avionics.tools.questions.mention_resolver import emphasize
from avionics.tools.questions.pasted_messages import ASKS_ORIGIN
from avionics.tools.questions.question_reader import is_about_absent_file
from avionics.tools.resolution.symbol_resolver import find_near
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer, list_others, make_section, name_commit
from avionics.tools.unified.answer_lines import FUNCTIONS, MAX_RANKED, get_share, list_places, rank_places
from avionics.tools.unified.code_excerpts import code_section, get_rest, is_shown, read_excerpts, shorten
from avionics.tools.unified.literal_matches import LiteralMatches, find_unknown_literals, match_literals
from avionics.tools.unified.symbol_sections import FLOW_DEPTH, answer_outside

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.model.knowledge import Definition, RankedSymbol
    from avionics.source.tree import SourceTree
    from avionics.tools.composite.trace_entry_point import FlowItem
    from avionics.tools.internal.files.grep_search import MatchItem
    from avionics.tools.internal.symbols.ranked_search import RankedSearch
    from avionics.workspace import Workspace

_MAX_SYMBOLS, _MAX_SHOWN = 10, 6
_LIKELY = 0.72
"""A match with a smaller share of the best one's score is not shown."""
_POSSIBLE = 0.5
"""The same where an open question has a list of places for an answer."""
_FEW = 4
"""So few matches are shown with more of their code."""
_MIN_HAVING, _MIN_SHARE, _MAX_COMPARED = 2, 0.34, 3
"""Where each of the first matches has fewer of the question's words, none is an answer."""
_MAX_TRACED, _MAX_FLOW, _MIN_MESSAGE_WORDS, _MIN_WISH, _MIN_SENTENCE = 1, 8, 1, 2, 3
_JOINING = frozenset(("whether", "unless", "although", "whose"))  # That no code has such words is no news.
_MAX_LINES, _MAX_ORIGINS, _MAX_EXCERPTS, _CODE_SHARE = 6, 12, 2, 0.2
_CONTEXT_LINES = 8
"""Lines shown before and after a text match."""
_DOTTED_NAME = late_pattern(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_MAY_BE_MESSAGE = frozenset({Intent.PHRASE, Intent.OPTION, Intent.KINDS})
"""What the words of a message may be read as: "the database is not configured"."""
_MAY_BE_WISH = frozenset({Intent.PHRASE, Intent.FLOW, Intent.KEY})
_ASKS_TO_SHOW = late_pattern(
    r"\W*(?:please )?(?:list|show|explain|describe|enumerate|summari[sz]e|tell me about|give me)\b"
    r"(?! .*\b(?:only|not|no)\b)",
    re.IGNORECASE,
)
"""A text that asks for an answer; "show only errors" asks for an option."""
_CAN = late_pattern(r"\b(?:can|could|may|how (?:do|would|should)) (?:i|we|you|one)\b|\bhow to\b", re.IGNORECASE)
"""Words of a question for a way to do something."""
_ASKS_DOING = late_pattern(
    r"(?:\A\W*|[,:;.?!–-] +)(?:so |and |but )?(?:(?:which|what) (?:code|functions?|methods?)\b"
    r"|(?:where|(?:in |at )?which \w+)(?:['’]s| (?:does|is|are|was|were))\b)"
    r"(?![^.?!]*\b(?:set|configur\w*|defin\w*|specif\w*|chang\w*|control\w*|defaults?)\b)",
    re.IGNORECASE,
)
"""How a sentence or a part of it begins that asks what the code does, and not what a number is set to."""
_ASKS_WITHIN = late_pattern(
    rf"(?:\A|[,:;.?!–-] +)(?:so |and |but )?(?:{WHAT}|where|who|how|why|when(?! (?:it|i|we|you|they|the|an?|my|our)\b)"
    r"|is|are|does|do(?! not\b))\b"
    r"|\b(?:looking for|point me (?:to|at)|show me|tell me|(?:like|want) to (?:see|know|find)) (?:the )?(?:exact )?"
    r"(?:code|places?|spots?|lines?|functions?|methods?|where|which)\b",
    re.IGNORECASE,
)
"""How a sentence or a part of it begins that asks about the code; "when it starts" begins what is told."""
_ABOUT_DECISIONS = late_pattern(
    r"\b(?:where|how|when|who|what)\b(?: \w+){0,2} (?:decides?|decided|determines?|determined|checks?|checked|ensures?"
    r"|ensured|makes? sure|verif\w+)\b(?: (?:if|that|whether to))?",
    re.IGNORECASE,
)
"""Words of the question itself, which the code need not have."""
_ASKS_PLACE = late_pattern(
    r"\W*(?:where|(?:at|in) which|(?:which|what) (?:code|function|method|line|place|class|file|part|module)s?"
    r"|what happens)\b",
    re.IGNORECASE,
)
_ASKS_WHETHER = late_pattern(
    r"\bwhether\b|\b(?:decid|check|determin|test|verif)\w* if\b|\b(?:is|are) (?:\w+ )?(?:allowed|permitted) to\b",
    re.IGNORECASE,
)
_IS_BOOLEAN = late_pattern(r"(?:^|[a-z0-9_])(?:[iI]s|[hH]as|[cC]an|[sS]hould|[mM]ay|[nN]eeds)(?=_|[A-Z])|\?$")
_DECIDES = late_pattern(r"^_*(?:check|verify|validate|ensure|assert|must|require)(?=_|[A-Z]|$)", re.IGNORECASE)
_ABOUT_TESTS = late_pattern(r"\b(?:un|re)?tests?\b|\btest(?:ed|ing)\b|\bspecs?\b|\bmock", re.IGNORECASE)
_IS_ERROR = late_pattern(r"(?:Error|Exception|Failure|Fault)$|^Err[A-Z]")
_CLOSE = 0.6
"""A declaration without a body gives way to code that is at least this share as good."""
_MAX_RAISES, _MIN_COVERED, _BEFORE_RAISE = 3, 0.6, 6


class _Reading(Struct, frozen=True):
    """The names that a question has among plain words.

    Attributes:
        text: The question with these names in backticks.
        names: The names of classes and functions.
        is_open: Whether it asks in plain words about what the code does, and names nothing in it.
    """

    text: str
    names: tuple[str, ...]
    is_open: bool


def answer_search(workspace: Workspace, question: Question, fallbacks: FallbackChain) -> AnalyzeAnswer:
    """Answer a text that no other section is for: as a message, by its words, and with options that fit."""
    from avionics.tools.unified.message_sections import answer_message
    from avionics.tools.unified.option_sections import add_options, answer_named_option, list_options

    source = workspace.source
    if is_about_absent_file(question):
        near = source.find_near(question.missing)
        if question.missing.endswith("/"):
            kind = "directory"
        else:
            kind = "file" if "." in question.missing else "file or directory"
        coverage = Coverage(0, 0, next=None if near else suggest(ToolId.MAP_MODULE, "for the contents", path="."))
        names = make_section("near", "similar names", tuple(map(NameItem, near)), 0.5)
        return build_answer(question, f"no {kind} {question.missing}", coverage, names)
    if question.wanted and question.missing:
        used = fallbacks.try_step("names of libraries", lambda: as_found(answer_outside(workspace, question)))
        if used:
            return used[0]
    if question.intent is Intent.PHRASE:
        named = fallbacks.try_step("options", lambda: as_found(answer_named_option(workspace, question)))
        if named:
            return named[0]
    quoted = max(map(len, question.query.phrases), default=0)
    is_message = question.intent in _MAY_BE_MESSAGE and 2 * quoted < len(question.text)
    is_message = is_message and not question.wanted and not ASKS.match(question.text)
    if is_message and len(question.text.split()) > _MIN_MESSAGE_WORDS:
        written = fallbacks.try_step("a message in the code", lambda: as_found(answer_message(workspace, question)))
        if written:
            return written[0]
    answer = _answer_words(workspace, question, fallbacks)
    if question.intent is not Intent.OPTION and not _is_wish(question):
        return answer
    is_answered = bool(answer.get_items("symbols") or answer.get_items("lines"))
    options = fallbacks.try_step("options", lambda: list_options(workspace, question, is_answered=is_answered))
    if not options and question.intent is Intent.OPTION and not answer.get_items("symbols"):
        # What the question is about may have no option, but is somewhere in the code.
        return _answer_words(workspace, structs.replace(question, intent=Intent.PHRASE), fallbacks)
    return add_options(workspace, answer, options) if options else answer


def _answer_words(workspace: Workspace, question: Question, fallbacks: FallbackChain) -> AnalyzeAnswer:
    """Return the lines with what a question quotes, and the symbols that match its words."""
    code, source, literal = workspace.code, workspace.source, LiteralMatches()
    if asks_reason(question.text) and workspace.history.is_available():
        told = fallbacks.try_step("the commit that tells it", lambda: _answer_by_commit(workspace, question))
        if told:
            return told[0]
    literals = () if question.others else find_unknown_literals(code, question.query)
    if literals:
        matched = fallbacks.try_step("text", lambda: match_literals(code, source, literals, question))
        literal = matched if isinstance(matched, LiteralMatches) else literal
    query = question.query
    is_origin = bool(query.phrases) and not query.names and ASKS_ORIGIN.search(question.text) is not None
    if literal.lines and (query.is_empty or is_origin):
        # The translations of a message tell nothing of where it comes from.
        written = tuple(each for each in literal.lines if get_language(each.file)) or literal.lines
        shown = written[:_MAX_ORIGINS] if is_origin else literal.lines
        coverage = Coverage(len(literal.lines), len(shown), literal.certainty)
        lines = make_section("lines", "text matches", shown)
        first = shown[0]
        span = (first.file, max(1, first.line - _BEFORE_RAISE), first.line + 1)
        excerpts = read_excerpts(source, [span], _CODE_SHARE) if is_origin else ()
        return build_answer(question, literal.to_text(), coverage, lines, code_section(excerpts))
    reading = _read_names(code, question, literal)
    if reading.is_open and literal.is_partial:
        literal = LiteralMatches()
    found = _search(workspace, question, reading, fallbacks)
    if question.wanted and question.missing and not literal.lines:
        return _answer_unknown(workspace.code, question, found)
    is_named = bool(literal.lines or question.query.names or reading.names)
    raised: tuple[UsageItem, ...] = ()
    if _ASKS_PLACE.match(question.text):
        raised = fallbacks.try_step(
            "where the error is raised", lambda: _list_raises(workspace, question, found.symbols)
        )
        found = structs.replace(found, symbols=_prefer_code(code, question, found.symbols))
    likely = _drop_unlikely(source, question, found, is_named=is_named, is_open=reading.is_open)
    if not likely.symbols and not literal.lines:
        return _answer_not_understood(workspace, question, literal, found, is_open=reading.is_open)
    found = likely
    if reading.is_open and len(found.symbols) > _FEW and not literal.lines and not raised:
        return _list_places(workspace, question, found)
    return _build_found(workspace, question, literal, found, raised, fallbacks)


def _is_wish(question: Question) -> bool:
    """Return whether a text states a wish or a complaint, which an option may settle."""
    from avionics.index.options.question_words import HOW_MUCH

    text = question.text
    query = question.query
    is_plain = _is_plain(question, _list_written(query), is_quoted=bool(query.phrases))
    is_long = is_plain and len(text.split()) >= _MIN_SENTENCE and not _ASKS_TO_SHOW.match(text)
    is_number = HOW_MUCH.search(text) is not None and not _ASKS_DOING.search(text)
    return is_long and (is_number or _CAN.search(text) is not None or not _ASKS_WITHIN.search(text))


def _is_plain(question: Question, named: Sequence[str], *, is_quoted: bool) -> bool:
    """Return whether a question is in plain words, with no name, path or quotation of code."""
    if question.intent not in _MAY_BE_WISH or question.missing or named or question.query.paths or is_quoted:
        return False
    return len(question.query.terms) >= _MIN_WISH


def _list_written(query: Query) -> list[str]:
    """Return the names that a question writes as code; methods of HTTP and other abbreviations are plain words."""
    return [each for each in query.names if not (each.isalpha() and each.isupper())]


def _read_names(code: CodeIndex, question: Question, literal: LiteralMatches) -> _Reading:
    """Return a question with the names that it has among plain words.

    What it writes as code or quotes, but no code has, is the name of a product or an example; the parts of a host or a
    file that somebody made up tell nothing of the code.
    """
    text, names = emphasize(code, question.text)
    query, written = question.query, _list_written(question.query)
    # A literal without a text is on too many lines to be listed.
    is_absent = bool(literal.text) and (not literal.lines or literal.is_partial)
    named = [each for each in written if not is_absent or code.find_definitions(each)]
    is_plain = not names and _is_plain(question, named, is_quoted=bool(query.phrases) and not is_absent)
    is_open = is_plain and _ASKS_WITHIN.search(question.text) is not None
    made_up = [each for each in written if is_open and "." in each]
    if made_up:
        text = " ".join(word for word in text.split(" ") if not any(each in word for each in made_up))
    return _Reading(text, names, is_open)


def _search(workspace: Workspace, question: Question, reading: _Reading, fallbacks: FallbackChain) -> RankedSearch:
    """Return the symbols that match a question; the classes and functions that it names come first."""
    from avionics.tools.internal.symbols.ranked_search import RankedSearch, search_ranked

    said = add_words_of_code(reading.text, is_sentence=_is_sentence(reading.text))
    query = question.query if said == question.text else read_query(said)
    query = question.query if query.is_empty else query
    # Of the words that no file has, only those of the question are worth telling.
    said = question.text
    asked = {stem: word for stem, word in query.spelling.items() if word in said and word not in _JOINING}
    query = structs.replace(query, spelling=asked)
    if _is_sentence(query.text):
        query = add_forms(workspace.code, query, is_open=reading.is_open)
    limit = MAX_RANKED if reading.is_open else _MAX_SYMBOLS
    ranked = fallbacks.try_step("ranked search", lambda: search_ranked(workspace, query, question.scope, limit))
    found = ranked if isinstance(ranked, RankedSearch) else RankedSearch((), Coverage(0, 0), ())
    if limit > _MAX_SYMBOLS:
        likely = rank_places(workspace.source, _drop_tests(question, found.symbols), query)[:_MAX_SYMBOLS]
        found = structs.replace(found, symbols=likely, coverage=structs.replace(found.coverage, shown=len(likely)))
    if question.intent not in _MAY_BE_WISH:
        return found
    named_first = sorted(found.symbols, key=lambda each: not _is_named(each, reading.names))
    return structs.replace(found, symbols=tuple(named_first))


def _is_named(symbol: RankedSymbol, names: Collection[str]) -> bool:
    """Return whether a symbol has one of some names; a function may belong to a class."""
    return symbol.symbol in names or (symbol.kind in FUNCTIONS and symbol.symbol.rpartition(".")[2] in names)


def _drop_tests(question: Question, symbols: tuple[RankedSymbol, ...]) -> tuple[RankedSymbol, ...]:
    """Return the matches without tests, unless the question is about tests or nothing else matches."""
    if _ABOUT_TESTS.search(question.text):
        return symbols
    return tuple(each for each in symbols if role_of(each.file) < FileRole.TEST) or symbols


def _is_sentence(text: str) -> bool:
    """Return whether somebody says in a sentence what the code does, or should do."""
    return ASKS.match(text) is not None or ("\n" not in text and len(text.split()) >= _MIN_SENTENCE)


def _get_telling_stems(question: Question) -> frozenset[str]:
    """Return the stems of a question by which the lines that answer it are found."""
    return list_telling_stems(question.text, is_sentence=_is_sentence(question.text))


def _prefer_code(code: CodeIndex, question: Question, symbols: tuple[RankedSymbol, ...]) -> tuple[RankedSymbol, ...]:
    """Return the matches for a question where something happens: code first, and no code that is only declared.

    Tests are none of them, unless the question is about tests. Names such as `is_idle` come first if the question asks
    whether something is so, and then those such as `check_idle`.
    """
    placed = _drop_tests(question, symbols)
    done = [each for each in placed if each.definition is None or not _is_only_declared(code, each.definition)]
    best = max((each.score for each in placed), default=0.0)
    if not done or max(each.score for each in done) < _CLOSE * best:
        return placed
    asks_whether = _ASKS_WHETHER.search(question.text) is not None
    asks_decision = _ABOUT_DECISIONS.search(question.text) is not None

    def rank(each: RankedSymbol) -> tuple[bool, bool, bool]:
        name = each.symbol.rpartition(".")[2]
        is_boolean = asks_whether and _IS_BOOLEAN.search(name) is not None
        decides = asks_decision and _DECIDES.search(name) is not None
        is_weak = each.kind not in FUNCTIONS or bool(_get_error(code, each)) or each.score < _CLOSE * best
        return not is_boolean, not decides or is_weak, is_weak

    return tuple(sorted(done, key=rank))


def _is_only_declared(code: CodeIndex, definition: Definition) -> bool:
    """Return whether a function has no body here: a prototype, or a line of an interface."""
    symbol = definition.symbol
    holder = code.get_parent(definition) if symbol.span.start_line == symbol.span.end_line else None
    return symbol.is_announced or (holder is not None and holder.kind is SymbolKind.INTERFACE)


def _list_raises(workspace: Workspace, question: Question, symbols: tuple[RankedSymbol, ...]) -> tuple[UsageItem, ...]:
    """Return where an error is raised whose name has most words of the question."""
    from avionics.tools.composite.explore_symbol_usage import explore_definition

    said = {*question.query.terms, *text_stems(question.text)}
    errors = dict.fromkeys(filter(None, (_get_error(workspace.code, each) for each in symbols)))
    name = next((each for each in errors if _covers(said, stems_of(_IS_ERROR.sub("", each)))), "")
    best = next((each for each in workspace.code.find_definitions(name) if is_class(each.kind)), None) if name else None
    if best is None:
        return ()
    raised: list[UsageItem] = []
    for error in (best, *workspace.code.graph.classes.descendants(best)[:_MAX_RAISES]):
        used = explore_definition(workspace.code, workspace.source, error, (), question.scope).usages
        makes = re.compile(rf"\b{re.escape(error.name)}\s*(?:[({{]|::)|\b(?:raise|throw)\b")
        raised += (each for each in used if role_of(each.file) < FileRole.TEST and makes.search(each.text))
    # A signature may only say what a function throws.
    raised.sort(key=lambda each: each.role == ReferenceKind.ANNOTATE.value)
    return tuple(raised)[:_MAX_RAISES]


def _covers(said: Collection[str], stems: Collection[str]) -> bool:
    """Return whether a question contains most stems of a name."""
    return len(stems) > 1 and sum(each in said for each in stems) >= _MIN_COVERED * len(stems)


def _get_error(code: CodeIndex, symbol: RankedSymbol) -> str:
    """Return the name of the error class that a symbol is or belongs to; "" if there is none."""
    return next((each for each in symbol.symbol.split(".")[:2] if _is_error(code, each)), "")


def _is_error(code: CodeIndex, name: str) -> bool:
    """Return whether a name is that of an error, or of a class that inherits from one."""
    if _IS_ERROR.search(name) is not None:
        return True
    classes = (each for each in code.find_definitions(name) if is_class(each.kind)) if name[:1].isupper() else ()
    return any(_IS_ERROR.search(base.rpartition(".")[2]) for each in classes for base in each.symbol.bases)


def _drop_unlikely(
    source: SourceTree, question: Question, found: RankedSearch, *, is_named: bool, is_open: bool
) -> RankedSearch:
    """Return a search without matches much weaker than the best; empty if even the best has too few words."""
    if not found.symbols or question.intent is Intent.TRACEBACK or question.query.frames:
        return found
    best = max(each.score for each in found.symbols)
    share, shown = (_POSSIBLE, _MAX_SYMBOLS) if is_open else (_LIKELY, _MAX_SHOWN)
    likely = tuple(each for each in found.symbols if each.score >= share * best or _is_asked(question, each))
    likely = likely[:shown]
    wanted = list_subject_stems(question.text)
    most = max(get_share(source, each, wanted) for each in likely[:_MAX_COMPARED]) * len(wanted)
    if len(wanted) > _MIN_HAVING and not is_named and most < max(_MIN_HAVING, _MIN_SHARE * len(wanted)):
        likely = ()
    return structs.replace(found, symbols=likely)


def _is_asked(question: Question, symbol: RankedSymbol) -> bool:
    """Return whether a yes-or-no question is answered by the function with its words in the name."""
    name = symbol.symbol.rpartition(".")[2]
    if not (_ASKS_WHETHER.search(question.text) and _IS_BOOLEAN.search(name)):
        return False
    said = set(question.query.terms)
    return all(each in said for each in stems_of(name)[1:])


def _list_places(workspace: Workspace, question: Question, found: RankedSearch) -> AnalyzeAnswer:
    """Return the answer to an open question that many places may be meant by, each with its telling lines."""
    places = list_places(workspace.source, found.items, _get_telling_stems(question))
    shown = found.symbols[: len(places)]
    found = structs.replace(found, symbols=shown, coverage=structs.replace(found.coverage, shown=len(shown)))
    reasons, best = _list_reasons(workspace, question, shown), shown[0]
    where = f"{best.symbol or best.file} ({best.file}:{best.start_line})"
    return build_answer(
        question,
        f"{_name_commit(reasons)}the likeliest of {plural(len(shown), 'place')} is {where}",
        _cover(LiteralMatches(), found, ()),
        *reasons,
        make_section("symbols", "places that may be meant", places, 3.0),
        list_others(question),
        make_section("near", "similar names", found.near, 0.5),
    )


def _build_found(
    workspace: Workspace,
    question: Question,
    literal: LiteralMatches,
    found: RankedSearch,
    raised: tuple[UsageItem, ...],
    fallbacks: FallbackChain,
) -> AnalyzeAnswer:
    """Return the answer with the matches, the best one's lines that match the question, and its calls."""
    source = workspace.source
    around = [(each.file, max(1, each.line - _BEFORE_RAISE), each.line + 1) for each in raised]
    spans = around or [_get_span(each, literal) for each in found.symbols]
    excerpts = read_excerpts(source, spans[:_MAX_EXCERPTS], _CODE_SHARE, _get_telling_stems(question))
    flow: tuple[FlowItem, ...] = ()
    if question.intent is Intent.FLOW:
        flow = fallbacks.try_step("what the best match calls", lambda: _trace(workspace, found.symbols))
    items = tuple(shorten(each, excerpts) for each in found.items)
    sections = [make_section("symbols", "best matches", items, 3.0), list_others(question), code_section(excerpts)]
    if _ASKS_PLACE.match(question.text) or question.intent is Intent.FLOW:
        sections.reverse()
    reasons = _list_reasons(workspace, question, found.symbols)
    return build_answer(
        question,
        _name_commit(reasons) + (_summarize_raises(raised) or _summarize(workspace, question, literal, found)),
        _cover(literal, found, excerpts),
        *reasons,
        make_section("lines", "text matches", _list_lines(literal, found, excerpts), 3.0),
        make_section("usages", "raised at", raised, 2.0),
        sections,
        make_section("flow", "call flow", flow, 2.0),
        make_section("near", "similar names", found.near, 0.5),
    )


def _answer_by_commit(workspace: Workspace, question: Question) -> tuple[AnalyzeAnswer, ...]:
    """Return the answer that a commit tells the reason that a question asks for, () if none does."""
    from avionics.tools.unified.history.matching_commits import answer_by_commit

    return as_found(answer_by_commit(workspace, question))


def _list_reasons(workspace: Workspace, question: Question, symbols: Sequence[RankedSymbol]) -> tuple[Section, ...]:
    """Return the commits that may tell why code is as it is, if the question asks that."""
    if question.intent is not Intent.HISTORY and not asks_reason(question.text):
        return ()
    from avionics.tools.unified.history.matching_commits import list_reasons

    return list_reasons(workspace, question, [(each.file, each.start_line, each.end_line) for each in symbols])


def _name_commit(reasons: tuple[Section, ...]) -> str:
    """Return the beginning of a summary that names the commit whose message says most; "" if there is none."""
    told = next((each for section in reasons[:1] for each in section.items), None)
    return name_commit(told.commit, told.subject) if told else ""


def _answer_unknown(code: CodeIndex, question: Question, found: RankedSearch) -> AnalyzeAnswer:
    """Return an answer that no symbol has this name, with similar names instead of weak matches."""
    name = SymbolQuery.read(question.missing).last
    count = len(code.files_with_word(name))
    where = f"{agree(count, 'file', 'mentions', 'mention')} {name}" if count else f"no file mentions {name}"
    summary = f"no symbol named {question.missing}; {where}"
    similar = find_near(code, question.missing)
    near = found.near or tuple(NameItem(f"{each.symbol.qualname} ({each.file}:{each.line})") for each in similar)
    # A missing name is written with dots, also if the question has `Cart::add`.
    text = question.text if question.missing in question.text else question.text.replace("::", ".")
    meant = [text.replace(question.missing, each.symbol.qualname) for each in similar]
    following = suggest_meant(ToolId.ANALYZE, meant, "query")
    coverage = Coverage(0, 0, next=following)
    return build_answer(question, summary, coverage, make_section("near", "similar names", near, 0.5))


def _answer_not_understood(
    workspace: Workspace, question: Question, literal: LiteralMatches, found: RankedSearch, *, is_open: bool
) -> AnalyzeAnswer:
    """Return that a question was not understood, with the two nearest readings.

    To an open question the few best places are listed, too: they can be judged, and guessing other words takes longer.
    """
    is_sentence = len(question.text.split()) > 1
    readings = tuple(map(NameItem, find_similar_questions(question.text, question.missing))) if is_sentence else ()
    nearest = found.items[:_FEW] if is_open else ()
    places = list_places(workspace.source, nearest, _get_telling_stems(question))
    summary = _summarize(workspace, question, literal, structs.replace(found, symbols=()))
    if places and not literal.to_text() and not question.missing:
        best = nearest[0]
        where = f"{best.symbol or best.file} ({best.file}:{best.start_line})"
        summary = f"no place has most of these words; the nearest is {where}"
    elif found.items and is_sentence and not literal.to_text() and not question.missing:
        summary = "no symbol, path or text has most of the words of this question"
    return build_answer(
        question,
        summary,
        structs.replace(found.coverage, found=0, shown=0),
        make_section("nearest", "places that have a few of the words", places, 2.0),
        make_section("near", "similar names", found.near, 0.5),
        make_section("readings", "did you mean", readings, 0.5),
    )


def _list_lines(literal: LiteralMatches, found: RankedSearch, code: tuple[CodeItem, ...]) -> tuple[MatchItem, ...]:
    """Return the text matches to list: the first one, and those that no excerpt shows."""
    if not found.symbols:
        return literal.lines
    others = (each for each in literal.lines[1:] if not is_shown(each.file, each.line, code))
    return (*literal.lines[:1], *others)[:_MAX_LINES]


def _get_span(symbol: RankedSymbol, literal: LiteralMatches) -> tuple[str, int, int]:
    """Return the lines of a match to show: all, or those around the literal."""
    start, end = symbol.start_line, symbol.end_line
    line = next((each.line for each in literal.lines if each.file == symbol.file and start <= each.line <= end), 0)
    if not line or end - start <= 2 * _CONTEXT_LINES:
        return symbol.file, start, end
    return symbol.file, max(start, line - _CONTEXT_LINES), min(end, line + _CONTEXT_LINES)


def _cover(literal: LiteralMatches, found: RankedSearch, code: tuple[CodeItem, ...]) -> Coverage:
    """Return how complete a search is, with the next step."""
    if found.symbols or not literal.lines:
        return structs.replace(found.coverage, next=_get_next_step(found, literal, code))
    return Coverage(len(literal.lines), len(literal.lines), literal.certainty)


def _summarize(workspace: Workspace, question: Question, literal: LiteralMatches, found: RankedSearch) -> str:
    """Return one line: names that do not exist, where the literal is, and the best match."""
    missing = question.text if _DOTTED_NAME.fullmatch(question.text) else question.missing
    parts = ["no line was found that writes this message"] if question.intent is Intent.ERROR else []
    if "/" in missing and missing != literal.text:
        near = workspace.source.find_near(missing)
        parts.append(f"no file {missing}" + (f" (similar: {', '.join(near)})" if near else ""))
    elif missing and (found.symbols or literal.lines):
        parts.append(f"no symbol named {missing}")
    if literal.to_text() and (literal.lines or literal.text != missing):
        parts.append(literal.to_text())
    if found.symbols:
        best, others = found.symbols[0], len(found.symbols) - 1
        more = f", then {others} more" if others else ""
        parts.append(f"best match: {best.symbol or best.file} ({best.file}:{best.start_line}){more}")
    return "; ".join(parts) or f"no match for {question.text!r} in symbols, paths or text"


def _summarize_raises(raised: tuple[UsageItem, ...]) -> str:
    """Return the phrase for where an error is raised, "" for nowhere."""
    if not raised:
        return ""
    within = f" in {raised[0].enclosing}" if raised[0].enclosing else ""
    return f"an error named like this is raised at {raised[0].file}:{raised[0].line}{within}"


def _get_next_step(found: RankedSearch, literal: LiteralMatches, code: tuple[CodeItem, ...]) -> NextStep | None:
    """Return the next step: read around the literal, read the rest of the best match, or ask for its usages."""
    if not found.symbols:
        return None
    if literal.lines:
        first = literal.lines[0]
        if is_shown(first.file, first.line, code):
            return None
        start, end = max(1, first.line - _CONTEXT_LINES), first.line + _CONTEXT_LINES
        return suggest_reading(first.file, start, end, "for the code there")
    best = found.symbols[0]
    rest = get_rest((best.file, best.start_line, best.end_line), code)
    if rest or not best.symbol:
        return rest
    return suggest(ToolId.EXPLORE_SYMBOL_USAGE, "for who uses it", symbol=best.symbol, file=best.file)


def _trace(workspace: Workspace, symbols: tuple[RankedSymbol, ...]) -> tuple[FlowItem, ...]:
    """Return the longest call flow from one of the best matches."""
    from avionics.index.entrypoints.flow_starts import FlowStart
    from avionics.tools.composite.trace_entry_point import trace_calls

    functions = [each.definition for each in symbols if each.definition and each.kind in FUNCTIONS]
    flows = [
        trace_calls(workspace.code, FlowStart((each,)), FLOW_DEPTH, workspace.settings).flow
        for each in functions[:_MAX_TRACED]
    ]
    longest = max(flows, key=len, default=())
    return longest[:_MAX_FLOW] if len(longest) > 1 else ()
