"""Answer where a message comes from: find the line with the template of the message.

A pasted message has values where the code has placeholders, so its words are compared in order with those of each line
that has two adjacent words of it.
"""

from __future__ import annotations

import math
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from avionics.index.analysis.related_symbols import is_value
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.search.message_templates import WORD, Fit, fit, fit_partly, read_templates
from avionics.late_pattern import late_pattern
from avionics.model.enums import FUNCTIONS, Certainty, ReferenceKind, SymbolKind, is_class
from avionics.model.knowledge import Definition
from avionics.model.naming import plural
from avionics.model.results import Coverage
from avionics.syntax.registry import get_language, is_prose
from avionics.syntax.written_texts import WrittenText, read_texts, split_values
from avionics.tools.answers.items import UsageItem
from avionics.tools.internal.files.grep_search import MatchItem, search_lines
from avionics.tools.questions.intents import Intent, Question
from avionics.tools.questions.pasted_messages import PastedMessage, read_message
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer, make_section
from avionics.tools.unified.code_excerpts import code_section, read_excerpts

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.source.tree import SourceTree
    from avionics.workspace import Workspace

_KEYS = frozenset({SymbolKind.ATTRIBUTE, SymbolKind.CONSTANT, SymbolKind.MACRO, SymbolKind.VARIABLE})
_MIN_SEARCHES, _MAX_SEARCHES, _MAX_TRIPLES = 8, 16, 4
"""Pairs of words that are searched for; a long message may be made of several texts."""
_MAX_LINES = 200
"""Lines compared for each pair of words; a pair on more of them says nothing."""
_MIN_SHARE, _MIN_SHARE_UNSURE, _MIN_SHARE_WHOLE, _MIN_WORDS = 0.6, 0.75, 0.4, 2
_LIKE_BEST, _LIKE_HEAD, _LIKE_CAUSE = 0.8, 0.5, 0.35
"""The least weight of a text beside the best one, of the message that it is added to, and of its cause."""
_MAX_TEMPLATES = 400
_MAX_FIELD_USES, _MAX_KEY_USES, _MAX_FILES = 8, 12, 30
_NUMBER = late_pattern(r"(?<![\w.])\d+(?![\w.]*\w)")
_PASSED = late_pattern(r"[\"']([\w./\[\]{}%-]{3,120})[\"']")
"""A string without spaces that a call is passed behind a text."""
_MIN_VALUE = 3
"""Characters; a shorter piece of a value occurs in many messages."""
_ENTRY = late_pattern(
    r"\s*[\"']?([\w.@/-]+)[\"']?\s*(?:=>?|:)\s*(\S.*)"
    r"|\s*<\w+ [^<>]{0,200}?(?:name|key|id)=\"([\w.@-]+)\"[^<>]{0,200}>([^<]+)"
)
"""A line of a catalogue of messages."""
_CATALOGUE = late_pattern(r"\.(?:arb|ftl|json5?|lang|messages|properties|resx|strings|toml|xml|ya?ml)\Z")
_WRITES = frozenset(
    ("Error", "fmt", "__str__", "__init__", "constructor", "toString", "to_string", "message", "getMessage", "what",
     "initialize", "description", "__construct")
)  # fmt: skip
"""Members of an error's class that write its message."""
_MIN_WRITTEN, _MIN_TELLING = 4, 4
"""The fewest words of a text in code that counts as a message, and the fewest letters of a word to search files for."""
_SURE_WORDS, _MIN_PART, _MIN_CUT, _RARE = 3, 0.34, 4, 0.5
_MAX_SHOWN, _MAX_HOLDERS, _MAX_OUTER = 5, 4, 3
_COMMENT = late_pattern(r"\s*(?://|/?\*+/?(?:\s|\Z)|#(?!\s*define\b)(?:\s|\Z))")
"""The beginning of a line of comments, which writes no message; a macro of C may."""
_COMPARES = r"\berrors\.(?:Is|As)\(|[!=]==?(?!\w)|\b(?:except|catch|instanceof|isinstance|matches!)\b"
"""Code that handles a message's error instead of making it."""
_ERROR = late_pattern(r"(?:Error|Exception|Failure|Fault|Warning|Err)(?:Kind|Type|Code)?$|^Err[A-Z]")
_DESCRIBES = late_pattern(
    r"fmt|format|str|msg|message|describe|description|error|text|reason|explain|name", re.IGNORECASE
)
"""Names of functions that say what something is."""
_OWN = "Self."
_PLAIN_NAME = late_pattern(r"\A[A-Z][a-z]*\Z")
_MAX_EXCERPTS = 2
_MAX_FIELDS = 6
"""The fields with the name of a key that are tried for the one that a message is the value of."""
_MAX_MAKER = 12
"""The lines of a function that may only make a message for those who call it."""
_BEFORE, _AFTER = 8, 4


class MessageMatch(Struct, frozen=True):
    """A line that may write the message.

    Attributes:
        text: The text that it writes, or a part of it.
        fit: The words of the message that the text has.
        weight: How much these words say.
        share: The share of the message that the text explains, values left out.
        left: How many words of the text the message does not have.
        is_data: Whether the line is in a catalogue of messages.
        is_named: Whether the message names the class that the line is in, or that it makes.
        strange: How many numbers the text has, and texts its line passes as values, that the message does not have.
        known: How many numbers both have.
        is_level: Whether the line logs with the level that was printed before the message.
    """

    line: MatchItem
    text: WrittenText
    fit: Fit
    weight: float
    share: float
    left: int
    is_data: bool = False
    is_named: bool = False
    strange: int = 0
    known: int = 0
    is_level: bool = False

    @property
    def is_similar_only(self) -> bool:
        """Return whether the message has only some words of the text."""
        return not self.fit.is_whole


def answer_message(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the lines that write a message, and the code around the best one; None if no line is likely."""
    is_printed = question.intent is Intent.ERROR
    found = find_message(workspace.code, workspace.source, question.text, question.scope, is_printed=is_printed)
    # If the question does not say that the text was printed, it is a message only if some string contains a part of it.
    return _build_answer(workspace, question, found) if found and (is_printed or not found[0].is_similar_only) else None


def answer_written(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the lines with a string that has all words of a text in order; None if there are none."""
    code, words = workspace.code, WORD.findall(question.text)
    telling = [each for each in words if len(each) >= _MIN_TELLING]
    if len(words) < _MIN_WRITTEN or not telling:
        return None
    found = find_message(code, workspace.source, question.text, question.scope, is_printed=False)
    whole = tuple(each for each in found if each.share >= 1.0 and each.fit.is_whole)
    return _build_answer(workspace, question, whole) if whole else None


def _build_answer(workspace: Workspace, question: Question, found: Sequence[MessageMatch]) -> AnalyzeAnswer:
    """Return the answer that a message is written on the first of some lines, with what its code stands for."""
    code, best = workspace.code, found[0].line
    around, holder = code.graph.enclosing(best.file, best.line), _get_holder(code, found[0])
    used = _list_uses(workspace, holder, best, question.scope) if holder else ()
    if not used and found[0].text.key:
        used = _list_key_uses(workspace, found[0], question.scope)
    places: Sequence[MatchItem | UsageItem] = used[:_MAX_EXCERPTS] or (best,)
    if not used and not holder and around is not None:
        used = _list_callers(workspace, around, best, question.scope)
        places = (best, *used[:1])
    within = f" in {around.symbol.qualname}" if around else ""
    if holder:
        within = f" {'for' if is_class(holder.kind) else 'as'} {holder.symbol.qualname}"
    elif found[0].is_data:
        within = f" as {found[0].text.key}"
    is_other = found[0].is_similar_only
    start = "no string has the words of this message; the most similar one is"
    summary = f"{start if is_other else 'this message is written'} at {best.file}:{best.line}{within}"
    if used:
        summary += f", which is used at {used[0].file}:{used[0].line} in {used[0].enclosing or 'its module'}"
        summary += f" and {plural(len(used) - 1, 'other place')}" if len(used) > 1 else ""
    elif others := [each for each in found[1:] if each.fit.end > found[0].fit.start]:
        summary += f", or at {plural(len(others), 'other place')}"
    outer = next((each.line for each in found[1:] if each.fit.end <= found[0].fit.start), None)
    if outer:
        summary += f"; what is printed before it, at {outer.file}:{outer.line}"
    return build_answer(
        question,
        summary,
        Coverage(len(found), min(len(found), _MAX_SHOWN), Certainty.AT_LEAST, settled=not is_other),
        make_section("lines", "text matches", [each.line for each in found[:_MAX_SHOWN]], 3.0, counts=True),
        make_section("usages", "used at", used[:_MAX_SHOWN], 4.0),
        code_section(read_excerpts(workspace.source, [_get_span(code, each.file, each.line) for each in places])),
    )


def _get_holder(code: CodeIndex, match: MessageMatch) -> Definition | None:
    """Return what stands for the message of a line, None if code writes the message there.

    That is the constant or error that a table, a case, a handler or an attribute pairs with the message, the variable,
    field or macro whose value has the line, or the class of errors that writes its own message there.
    """
    if match.is_data:
        return None
    around = code.graph.enclosing(match.line.file, match.line.line)
    describes = around is not None and _DESCRIBES.search(around.name) is not None
    owner = around.symbol.qualname.rpartition(".")[0] if around else ""
    for label in (*match.text.labels, *match.text.cases):
        meant = f"{owner}.{label[len(_OWN) :]}" if owner and label.startswith(_OWN) else label
        named = [each for each in code.find_definitions(meant) if role_of(each.file) < FileRole.TEST]
        keys = [each for each in named if each.kind in _KEYS or is_class(each.kind)]
        keys.sort(key=lambda each: each.file != match.line.file)
        # A text inside another case of a switch does not belong to this case.
        if keys and (label in match.text.labels or describes or (is_class(keys[0].kind) and _is_error(keys[0]))):
            return keys[0]
    held = _get_value(code, match.line) or _get_annotated(code, match.line)
    if held or around is None:
        return held
    parent = code.get_parent(around)
    if parent is None:
        classes = (each for each in code.find_definitions(owner) if owner and is_class(each.kind))
        directory = posixpath.dirname(match.line.file)
        parent = next((each for each in classes if posixpath.dirname(each.file) == directory), None)
    is_own = parent is not None and (around.name in _WRITES or around.name == parent.name)
    return parent if parent and is_own and is_class(parent.kind) and _is_error(parent) else None


def _is_error(definition: Definition) -> bool:
    """Return whether a class is one of errors by its name, or by that of a class that it inherits from."""
    names = (definition.name, *(base.rpartition(".")[2] for base in definition.symbol.bases))
    return any(_ERROR.search(each) for each in names)


def _get_value(code: CodeIndex, line: MatchItem | UsageItem) -> Definition | None:
    """Return the variable, field or macro whose definition has a line, None if there is none."""
    around = [each for each in code.iter_definitions(line.file) if each.symbol.span.contains(line.line)]
    holder = around[-1] if around else None
    return holder if holder and (is_value(holder.symbol) or holder.kind is SymbolKind.MACRO) else None


def _list_callers(
    workspace: Workspace, function: Definition, line: MatchItem, scope: str | None
) -> tuple[UsageItem, ...]:
    """Return the few calls of a short function, which may only make the message for them; () if there are many."""
    span = function.symbol.span
    is_common = len(workspace.code.files_with_word(function.name)) > _MAX_FILES
    if function.kind not in FUNCTIONS or is_common or span.end_line - span.start_line > _MAX_MAKER:
        return ()
    uses = _list_uses(workspace, function, line, scope)
    return uses if len(uses) <= _MAX_FIELD_USES else ()


def _get_annotated(code: CodeIndex, line: MatchItem) -> Definition | None:
    """Return the method without a body to which an annotation with a line gives its message, None if there is none."""
    for each in code.iter_definitions(line.file):
        is_above = each.symbol.span.start_line <= line.line < each.line
        if is_above and each.kind is SymbolKind.METHOD and each.symbol.span.end_line == each.line:
            return each
    return None


def _list_uses(workspace: Workspace, holder: Definition, line: MatchItem, scope: str | None) -> tuple[UsageItem, ...]:
    """Return where product code uses what stands for the message of a line, other than by importing it.

    The uses of a variable that is set to it are uses of it, too. Those that only compare something with it come last,
    and of a class of errors those count that make one.
    """
    from avionics.tools.composite.explore_symbol_usage import explore_definition

    code, name = workspace.code, re.escape(holder.name)
    # If the class has a common name, calls of methods with that name would match too.
    brackets = r"\{" if _PLAIN_NAME.search(holder.name) else r"[({]"
    makes = rf"\b{name}\s*(?:{brackets}|::)|\b(?:raise|throw|new)\s.*\b{name}\b|&{name}\b"
    is_common = _PLAIN_NAME.search(holder.name) or len(code.files_with_word(holder.name)) > _MAX_FILES
    if is_class(holder.kind) and is_common:
        # Most mentions of a common name mean something else, and resolving each of them takes long.
        beside = posixpath.dirname(holder.file) or "."
        return tuple(use for use in _search_uses(workspace, makes, beside) if use.line != holder.line)
    holders, used = [holder], dict[tuple[str, int], UsageItem]()
    for each in holders:
        for use in explore_definition(code, workspace.source, each, (), scope).usages:
            is_new = (use.file, use.line) != (line.file, line.line) and (use.file, use.line) not in used
            if is_new and role_of(use.file) < FileRole.TEST and use.role != ReferenceKind.IMPORT:
                another = None if use.enclosing else _get_value(code, use)
                if another and another not in holders and len(holders) < _MAX_HOLDERS:
                    holders.append(another)
                used[use.file, use.line] = use
    compares = re.compile(rf"{_COMPARES}|^\s*\|(?!\|)|\b{name}\b[^;=]*=>|\bcase\b")
    # A function that prints messages for many errors uses none of them in particular.
    own = code.graph.enclosing(line.file, line.line)
    others = (
        use for use in used.values() if own is None or not own.symbol.span.contains(use.line) or use.file != line.file
    )
    uses = sorted(others, key=lambda use: (not use.enclosing, compares.search(use.text) is not None))
    if not is_class(holder.kind):
        return tuple(uses)
    made = tuple(each for each in uses if re.search(makes, each.text))
    return made if len(made) <= _MAX_KEY_USES else ()


def _search_uses(workspace: Workspace, pattern: str, path: str) -> tuple[UsageItem, ...]:
    """Return the lines of product code that match a pattern, as uses; () if they are many."""
    code = workspace.code
    found = search_lines(workspace.source, code, pattern, path, limit=_MAX_LINES).matches
    uses = []
    for each in found:
        if get_language(each.file) and not is_prose(each.file) and role_of(each.file) < FileRole.TEST:
            around = code.graph.enclosing(each.file, each.line)
            within = around.symbol.qualname if around else ""
            role, text = ReferenceKind.READ.value, each.text.strip()
            uses.append(UsageItem(each.file, each.line, each.column, role, within, "", text))
    return tuple(uses) if len(uses) <= _MAX_KEY_USES else ()


def _list_key_uses(workspace: Workspace, match: MessageMatch, scope: str | None) -> tuple[UsageItem, ...]:
    """Return where product code reads the field, or looks up the key, that a message is the value of; () if widely."""
    code, name = workspace.code, match.text.key.rpartition(".")[2]
    if not match.is_data:
        fields = [each for each in code.find_definitions(name) if each.kind is SymbolKind.ATTRIBUTE]
        # Many types may have a field called `message`, and a value may be of several of them.
        is_common = len(fields) > _MAX_FIELDS
        set_here = [each for each in fields if not is_common and (len(fields) == 1 or _is_set_at(code, each, match))]
        uses = _list_uses(workspace, set_here[0], match.line, scope) if len(set_here) == 1 else ()
        read = tuple(each for each in uses if each.role == ReferenceKind.READ.value)
        return read if len(read) <= _MAX_FIELD_USES else ()
    return _search_uses(workspace, rf"(?:^|[^\w.-]){re.escape(match.text.key)}(?:[^\w.-]|$)", scope or ".")


def _is_set_at(code: CodeIndex, field: Definition, match: MessageMatch) -> bool:
    """Return whether the line of a message, or the one above it, names a field of a type."""
    places = ((match.line.file, match.line.line - above) for above in (0, 1))
    used = {(each.file, each.line) for each in code.usages(field).usages}
    return not used.isdisjoint(places)


def _get_span(code: CodeIndex, file: str, line: int) -> tuple[str, int, int]:
    """Return the lines around a line, within the function that contains it."""
    around = code.graph.enclosing(file, line)
    start, end = max(1, line - _BEFORE), max(line, min(line + _AFTER, code.facts(file).lines))
    if around:
        start, end = max(start, around.symbol.span.start_line), min(end, around.symbol.span.end_line)
    return file, start, end


def find_message(
    code: CodeIndex, source: SourceTree, text: str, scope: str | None, *, is_printed: bool
) -> tuple[MessageMatch, ...]:
    """Return the lines of code that may write a message, likeliest first; lines of tests only as a last resort.

    The text may include the words that ask about it. With `is_printed`, a program surely printed the text; then a line
    may have only a small part of it.
    """
    message = read_message(text)
    if len(message.words) < _MIN_WORDS:
        return ()
    written = list(_iter_texts(code, _collect_lines(code, source, message, scope)))
    rarest, whole = _weigh_word(code, 1), _iter_whole(code, message, written)
    found = [
        each
        for each in whole
        if _is_enough(each, rarest, is_printed=is_printed)
        or (is_printed and each.left == 0 and message.is_led_by(each.fit))
    ]
    if all(role_of(each.line.file) >= FileRole.TEST for each in found):
        similar = (_fit_partly(code, message, *each) for each in written)
        likely = [each for each in similar if each is not None and (is_printed or each.share >= _MIN_SHARE_UNSURE)]
        product = [each for each in likely if role_of(each.line.file) < FileRole.TEST]
        found = found + product if found or product else likely
    return _select(message, sorted(found, key=_rank))


def _collect_lines(
    code: CodeIndex, source: SourceTree, message: PastedMessage, scope: str | None
) -> dict[str, dict[int, MatchItem]]:
    """Return the lines with two adjacent words of a message, those of the rarest pairs, by file."""
    lines: dict[str, dict[int, MatchItem]] = {}
    common: list[str] = []

    def collect(run: str, pattern: str) -> None:
        found = search_lines(source, code, pattern, scope or ".", limit=_MAX_LINES).matches
        if len(found) == _MAX_LINES:
            common.append(run)
            return
        for each in found:
            if not _COMMENT.match(each.text):
                lines.setdefault(each.file, {})[each.line] = each

    ranked = _rank_by_files(code, message.list_pairs())
    most = min(max(_MIN_SEARCHES, len(ranked) // 2), _MAX_SEARCHES)
    for pair in ranked[:most]:
        collect(pair, re.escape(pair))
    common += ranked[most:]
    # A message of common words, "is not a", may have no rarer pair within one text.
    longer = [each for each in message.list_triples() if any(pair in each for pair in common)]
    for triple in _rank_by_files(code, longer)[:_MAX_TRIPLES]:
        collect(triple, rf"\b{re.escape(triple)}" + r"\b" * triple[-1].isalnum())
    return lines


def _rank_by_files(code: CodeIndex, runs: Iterable[str]) -> list[str]:
    """Return runs of words, those first whose rarest word few files have; those with a word that none has come last."""
    counts = {
        each: min(len(code.files_with_word(word.rpartition("'")[2])) for word in WORD.findall(each)) for each in runs
    }
    return sorted(counts, key=lambda each: (counts[each] == 0, counts[each]))


def _iter_texts(
    code: CodeIndex, lines: dict[str, dict[int, MatchItem]]
) -> Iterator[tuple[MatchItem, WrittenText, bool]]:
    """Yield the texts that some lines write, each with its line, and whether that is one of a catalogue."""
    count = 0
    for file in sorted(lines, key=lambda each: (role_of(each), each)):
        language = get_language(file)
        if count > _MAX_TEMPLATES:
            return
        if language is None or is_prose(file):
            texts = {line: _read_entry(item) for line, item in lines[file].items()}
        else:
            content = code.read_content(file)
            texts = dict(read_texts(content, language, lines[file]))
        seen = set()
        for line, each in sorted(lines[file].items()):
            for text in texts.get(line, ()):
                if (text.line, text.parts) not in seen:
                    count += 1
                    yield each, text, language is None or is_prose(file)
                seen.add((text.line, text.parts))


def _read_entry(item: MatchItem) -> tuple[WrittenText, ...]:
    """Return the message of a line of a catalogue, with its key; () if the line is none."""
    entry = _ENTRY.match(item.text)
    if entry is None or _CATALOGUE.search(item.file) is None:
        return ()
    key, text = (entry[1], entry[2]) if entry[1] else (entry[3], entry[4])
    return (WrittenText(item.line, split_values(text), key=key),)


def _iter_whole(
    code: CodeIndex, message: PastedMessage, written: Iterable[tuple[MatchItem, WrittenText, bool]]
) -> Iterator[MessageMatch]:
    """Yield the texts that the message has in full."""
    for line, text, is_data in written:
        for template in read_templates(text.parts):
            found = fit(template, message.words, message.places)
            shared = len(found.words) if found else 0
            # A message may end within a text, but then it must contain enough of it.
            is_cut = shared < len(template.words) and (shared < _MIN_CUT or 2 * shared < len(template.words))
            if found and shared >= _MIN_WORDS and not is_cut:
                yield _weigh(code, message, MessageMatch(line, text, found, 0.0, 0.0, len(template.words), is_data))
                break


def _fit_partly(
    code: CodeIndex, message: PastedMessage, line: MatchItem, text: WrittenText, is_data: bool
) -> MessageMatch | None:
    """Return a text that has many words of the message in their order; None if it has too few."""
    template = read_templates(text.parts)[0]
    found = fit_partly(template, message.words)
    if found is None or len(found.words) < min(_SURE_WORDS, sum(message.plain)):
        return None
    match = _weigh(code, message, MessageMatch(line, text, found, 0.0, 0.0, len(template.words), is_data))
    return match if max(match.share, len(found.words) / len(template.words)) >= _MIN_SHARE else None


def _weigh(code: CodeIndex, message: PastedMessage, match: MessageMatch) -> MessageMatch:
    """Return a match with what its words say: rare ones more."""
    weight = 0.0
    for at in match.fit.words:
        start, end = message.spans[at]
        word = message.text[start:end].rpartition("'")[2]
        weight += _weigh_word(code, len(code.files_with_word(word)))
    share, left = message.get_share(match.fit), match.left - len(match.fit.words)
    around = code.graph.enclosing(match.line.file, match.line.line) if message.names else None
    near = f"{match.line.text} {around.symbol.qualname.replace('.', ' ') if around else ''}"
    is_named = not message.names.isdisjoint(WORD.findall(near))
    numbers = frozenset(_NUMBER.findall(" ".join(match.text.parts)))
    known = len(numbers.intersection(_NUMBER.findall(message.text)))
    values = [split_values(each) for each in _list_written_values(match)]
    absent = (each for each in values if not any(len(part) >= _MIN_VALUE and part in message.text for part in each))
    strange = len(numbers) - known + sum(1 for _ in absent)
    is_level = bool(message.level) and message.level in match.line.text.lower()
    return structs.replace(
        match,
        weight=weight,
        share=share,
        left=left,
        is_named=is_named,
        strange=strange,
        known=known,
        is_level=is_level,
    )


def _list_written_values(match: MessageMatch) -> list[str]:
    """Return the strings that follow a text with values on its line: `("%s must be set", "cart.name")`."""
    last = match.text.parts[-1].strip() or match.text.parts[0].strip()
    _, found, behind = match.line.text.partition(last) if len(match.text.parts) > 1 and last else ("", "", "")
    return _PASSED.findall(behind) if found else []


def _weigh_word(code: CodeIndex, files: int) -> float:
    """Return how much a word says that some files have."""
    return math.log(1 + (len(code.files) + 1) / (1 + files))


def _is_enough(match: MessageMatch, rarest: float, *, is_printed: bool) -> bool:
    """Return whether a text is not part of a message by chance; `rarest` is what a word says that one file has."""
    shared = len(match.fit.words)
    if not is_printed:
        # So few words occur in many unrelated texts.
        is_dense = 2 * shared >= match.fit.end - match.fit.start
        is_whole = match.fit.is_whole and match.left == 0 and shared >= _SURE_WORDS
        least = _MIN_SHARE_WHOLE if is_whole and is_dense else _MIN_SHARE_UNSURE
        return match.share >= least and is_dense and (shared > _SURE_WORDS or match.left <= shared)
    is_long = shared > _SURE_WORDS or (shared == _SURE_WORDS and match.share >= _MIN_PART)
    return is_long or match.share >= _MIN_SHARE or match.weight >= _RARE * shared * rarest


def _select(message: PastedMessage, ranked: Sequence[MessageMatch]) -> tuple[MessageMatch, ...]:
    """Return the best matches: those of the message that caused the others, equally good ones, and those it caused."""
    if not ranked:
        return ()
    best, role = ranked[0], role_of(ranked[0].line.file)
    most = best.weight
    alike = [each for each in ranked if each.fit.is_whole and role_of(each.line.file) <= role]
    for each in alike:
        # Words after a message, such as a place in a file, say less about where it comes from.
        is_head = each.weight >= _LIKE_HEAD * most or (each.left == 0 and message.is_led_by(each.fit))
        if is_head and each.fit.end <= best.fit.start:
            best = each
    outer: list[MessageMatch] = []
    for each in alike:
        if each.weight >= _LIKE_CAUSE * most and message.is_cause(best.fit.end, each.fit.start):
            outer += [best] if sum(other.fit == best.fit for other in alike) <= _MAX_OUTER else []
            best = each
    likely = [
        each
        for each in ranked
        if each is not best
        and role_of(each.line.file) <= role
        and each.fit.is_whole == best.fit.is_whole
        and each.weight >= _LIKE_BEST * best.weight
        and each.fit.start < best.fit.end
        and best.fit.start < each.fit.end
        and each.strange <= best.strange
    ]
    return (best, *likely, *outer)


def _rank(match: MessageMatch) -> tuple[bool, bool, float, bool, int, int, int, bool, bool, int, str, int]:
    """Return the sort key: product before tests, then whole texts, then what says most."""
    role, line = role_of(match.line.file), match.line
    # Of texts with the same words, "(0 - 255)" is likelier than "(%d - %d)", and "(-1 - 255)" is not written there.
    numbers = match.strange, -match.known
    is_likely = not match.fit.is_whole, -match.weight, not match.is_named, match.left, *numbers, match.is_data
    return role >= FileRole.TEST, *is_likely, not match.is_level, role, line.file, line.line
