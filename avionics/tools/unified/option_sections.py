"""Answer which option, setting or environment variable controls something: where it is declared and read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.options.declared_names import OptionKind
from avionics.index.options.documentation import fold_option
from avionics.index.options.match_score import OptionMatch
from avionics.index.options.matching import MIN_SCORE_ROUGH
from avionics.index.options.option_lists import (
    asks_how_variables_are_used,
    find_environment_variables,
    get_listed_kind,
    list_flags,
)
from avionics.index.options.option_names import get_own_name, identify_option, spell_option
from avionics.index.options.question_words import HOW_MUCH
from avionics.index.search.query import read_query, stem, text_stems
from avionics.late_pattern import late_pattern
from avionics.model.enums import Certainty, SymbolKind
from avionics.model.naming import agree, plural
from avionics.model.results import Coverage
from avionics.syntax.registry import get_language
from avionics.tools.answers.answer import Section, shorten
from avionics.tools.answers.items import NameItem
from avionics.tools.internal.files.grep_search import MatchItem, search_lines
from avionics.tools.questions.intents import Intent, Question
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer, make_section
from avionics.tools.unified.answer_lines import COMMENTS

if TYPE_CHECKING:
    from avionics.workspace import Workspace

_MAX_READS, _MAX_SEARCHED = 10, 120
_MAX_READS_OF_FIRST, _MAX_OTHERS_READ = 3, 2
"""The lines shown that read the first of several options, and the others of which one such line is shown."""
_MAX_HELP, _MAX_HELP_OF_MANY = 160, 100
_MAX_BESIDE, _MAX_WITH_BESIDE = 12, 3
"""The fields shown that are declared beside an option, and the first options of which one may have them."""
_NAME = late_pattern(r"[^\W\d]\w*+")
_PLAIN_WORD, _MAX_LACKING = late_pattern(r"[^\W\d_]{3,}+"), 2
_COMPARED = frozenset(
    ("more", "less", "fewer", "longer", "shorter", "bigger", "larger", "smaller", "higher", "lower", "faster", "slower")
)
_FIELDS = frozenset({SymbolKind.ATTRIBUTE, SymbolKind.PROPERTY, SymbolKind.VARIABLE, SymbolKind.CONSTANT})
_MAX_VARIABLES, _MAX_ALL_VARIABLES = 10, 60
_MIN_SHARE, _MIN_SHARE_OF_WISH, _MAX_FEW = 0.33, 0.25, 3
"""The least share of the words in options that are shown where nothing else is found, and how many are; the least
share where somebody says what the program shall do."""
_WISH = late_pattern(
    r"\W*(?:nobody|no one|users?|people|(?:any|every|some)(?:one|body)|(?:only|all|each|the|my|an?) \w+(?: \w+)?)"
    r" (?:shall|should|may|must|can|ha(?:s|ve) to|needs? to)\b"
    r"|[^.?!\n]{0,120}\b(?:(?:shall|should)(?:n['’]t)?|(?:it|they|nobody|no one) must)\b"
    r"|\W*(?:please |just |only |always |never )*(?:do not|don['’]?t|accept|add|allow|answer|ask|avoid|block|build"
    r"|change|check|choose|close|compress|connect|continue|convert|copy|create|cut|delete|deny|disable|drop|enable|exclude|force"
    r"|forbid|go on"
    r"|hide|ignore|include|keep|leave|let|limit|list|listen|load|log|make|omit|open|overwrite|pick|prefer|prevent|print"
    r"|protect|put|record|redirect|refuse|reject|reload|remember|retry|remove|require|restrict|run|save|send|serve|set|show|shut|skip|start|stay|stop"
    r"|store|switch|trust|try|turn|use|wait|write)\b(?! \w+ (?:is|are|was|fails|crashes)\b)",
    re.IGNORECASE,
)
"""How a text begins that says what the program shall do, which an option may be for."""
_NONE_FITS = "no option clearly fits these words"
_IN_CAPITALS = late_pattern(r"[A-Z][A-Z\d]*(?:_[A-Z\d]+)+")
_ASKS_ABOUT = late_pattern(
    r"\W*(?:what (?:does|do|is|are|if|happens (?:if|when|with))|what['’]?s|explain|describe|tell me (?:about|what)"
    r"|when (?:should|do|would) (?:i|one) (?:use|set|need)|why (?:would|should) (?:i|one) (?:use|set|need))\b"
    r"[^`'\"\n]{0,40}?[ `'\"](--[a-z][\w-]+|[a-z][a-z\d]*(?:-[a-z\d]+)+|[a-z]\w*(?:\.[a-zA-Z]\w*)+"
    r"|[a-z][a-z\d]*[A-Z_]\w*)[`'\"]?(?:[\s?.!:]|\Z)"
)
"""A question about one name that is written as those of options are: a flag, or several words as one."""
_MIN_ALIKE = 0.6
"""The least share of an option's words in the name of the variable that holds it."""
_FOR_DEFAULTS = late_pattern(r"(?!default\Z)\w*default(?!_?dict)", re.IGNORECASE)
"""A name that says so; the `default` of a module is what it exports."""
_ASSIGNS = late_pattern(
    r"(?<!\w)(\w++)[\"'\]]{0,2}\s*+(?::=|=(?!=)|:)\s*+(?:[\w.]++\()?(\d++ ?\* ?[\w.]++|[\w.\"'-]++)\)?[;,]?\s*\Z"
)
"""What a line assigns, perhaps converted: `c.Timeout = Duration(DefaultTimeout)`, `timeout: 30,`."""
_NAMED_VALUE = late_pattern(r"(?:\w++\.)?[^\W\d]\w*+\Z")
_CONSTANTS = (SymbolKind.CONSTANT, SymbolKind.VARIABLE, SymbolKind.MACRO)
_IDENTIFIER, _STRING = late_pattern(r"\b[A-Za-z_]\w{3,}\b"), late_pattern(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`|//.*")


class OptionItem(Struct, frozen=True):
    """An option: its declaration, its default and its description.

    Attributes:
        also: The places of further declarations that say no more.
    """

    file: str
    line: int
    name: str
    kind: str
    default: str
    help: str
    also: tuple[str, ...] = ()

    @classmethod
    def of(cls, found: OptionMatch) -> OptionItem:
        """Return the item of an option."""
        return cls(found.file, found.line, found.name, found.kind.value, found.default, found.help)

    def to_text(self) -> str:
        default = f" = {self.default}" if self.default else ""
        said = f" — {shorten(self.help, _MAX_HELP)}" if self.help else ""
        own = f"{self.file}:"
        lines = ",".join((str(self.line), *(each.removeprefix(own) for each in self.also if each.startswith(own))))
        elsewhere = [each for each in self.also if not each.startswith(own)]
        also = f", also at {', '.join(elsewhere)}" if elsewhere else ""
        return f"{own}{lines} {self.kind} {self.name}{default}{also}{said}"


def _list_items(found: Iterable[OptionMatch]) -> list[OptionItem]:
    """Return the items of options; a declaration that only has the name of an earlier one is a place of that one."""
    items: dict[tuple[str, str, str], OptionItem] = {}
    for each in map(OptionItem.of, found):
        known = items.get((each.name, each.kind, ""))
        if known is not None and not (each.default or each.help):
            items[each.name, each.kind, ""] = structs.replace(known, also=(*known.also, f"{each.file}:{each.line}"))
        else:
            items[each.name, each.kind, f"{each.file}:{each.line}" if known is not None else ""] = each
    return list(items.values())


def answer_option(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the options that a question may mean, and where the likeliest one is read; None if none is likely."""
    listed = get_listed_kind(workspace.code, question.text)
    if listed is OptionKind.ENVIRONMENT:
        read = find_environment_variables(workspace.code, question.text, question.scope)
        return _list_environment(question, read, is_for_all=True)
    if listed is OptionKind.FLAG:
        return _list_flags(question, list_flags(workspace.code, question.scope))
    if asks_how_variables_are_used(question.text):
        return None
    found = workspace.options.find(workspace.code, question.text, question.scope)
    if not found or not found[0].is_likely:
        read = find_environment_variables(workspace.code, question.text)
        return _list_environment(question, read) if read else None
    best = found[0]
    found = tuple(each for each in found if each is best or not _is_read_again(each, best))
    declared = [each for each in found if _is_declaration(each, best)]
    others = [each for each in found if each not in declared]
    places = {(each.file, each.line) for each in found}
    reads = tuple(each for each in _find_reads(workspace, best) if (each.file, each.line) not in places)
    value = _name_value(workspace, best.default or _get_default(workspace, best.name, reads))
    declared[0] = best = structs.replace(best, default=value)
    # The constant with the default, and the environment variable that it is read from, are no other options.
    named = frozenset(_NAME.findall(value))
    declared += (each for each in others if each.name in named and each.kind is OptionKind.ENVIRONMENT)
    others = [each for each in others if each.name not in named]
    default = f", default {value}" if value else ""
    coverage = Coverage(len(found), len(found), Certainty.AT_LEAST)
    if not best.is_clear and others:
        first_reads = (next(iter(_find_reads(workspace, each)), None) for each in others[:_MAX_OTHERS_READ])
        shown = reads[:_MAX_READS_OF_FIRST]
        known = places.union((each.file, each.line) for each in shown)
        also = {(each.file, each.line): each for each in first_reads if each and (each.file, each.line) not in known}
        return build_answer(
            question,
            f"perhaps the {best.kind.value} {best.name}{default}{_say_near(best, others)}"
            f"{_say_lacking(question.text, found)}",
            coverage,
            make_section("options", "options that may be meant", _list_items((*declared, *others)), 3.0),
            _list_beside(workspace, (*declared, *others)[:_MAX_WITH_BESIDE]),
            make_section("lines", "read or set", (*shown, *also.values()), 1.0),
        )
    said = "most likely" if best.is_clear else "perhaps"
    summary = f"{said} the {best.kind.value} {best.name} ({best.file}:{best.line}){default}"
    summary += _say_lacking(question.text, found)
    summary += f"; described at {best.document}" if best.document else ""
    summary += f"; {agree(len(reads), 'line', 'of code mentions', 'of code mention')} it" if reads else ""
    return build_answer(
        question,
        summary,
        coverage,
        make_section("options", "declared", _list_items(declared), 3.0),
        make_section("other_options", "less likely", _list_items(others), 1.0),
        make_section("lines", "read or set", reads[:_MAX_READS], 2.0),
    )


def answer_named_option(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the environment variable, flag or setting that a question names; None if there is none of that name."""
    asked = _ASKS_ABOUT.match(question.text)
    is_variable = _IN_CAPITALS.fullmatch(question.missing) is not None
    name = question.missing if is_variable else asked[1] if asked else ""
    if not name or get_language(name) or (not is_variable and workspace.code.find_definitions(name)):
        return None
    kind = OptionKind.ENVIRONMENT.value if is_variable else "option"
    answer = answer_option(workspace, structs.replace(question, query=read_query(f"{kind} {name}")))
    listed = answer.get_items("options")[:1] if answer is not None else ()
    is_named = any(fold_option(each.name) == fold_option(name) for each in listed)
    return answer if is_named and all(each.kind == kind or not is_variable for each in listed) else None


def _is_declaration(found: OptionMatch, best: OptionMatch) -> bool:
    """Return whether an option is another declaration of the best one, or the constant that its default is from."""
    name, own = (fold_option(get_own_name(each.name)) for each in (found, best))
    is_default = bool(best.default) and found.default == best.default
    return name == own or (is_default and name.endswith(own.removeprefix("set")))


def _is_read_again(found: OptionMatch, best: OptionMatch) -> bool:
    """Return whether a line only reads the same environment variable: nothing there says what it is by default."""
    return found.kind is OptionKind.ENVIRONMENT and found.name == best.name and not found.default


def list_options(workspace: Workspace, question: Question, *, is_answered: bool) -> tuple[OptionMatch, ...]:
    """Return the options that have some words of a text.

    Those of a text that does not ask for an option are likely ones, or have a third of the words if nothing else
    answers it.
    """
    is_wish = question.intent is not Intent.OPTION
    found = workspace.options.find(workspace.code, question.text, question.scope, is_wish=is_wish)
    if not is_wish or (found and found[0].is_likely):
        return found
    if _WISH.match(question.text):
        return tuple(each for each in found if each.share >= _MIN_SHARE_OF_WISH)
    is_number = HOW_MUCH.search(question.text) is not None
    if is_answered and not is_number:
        return ()
    return tuple(each for each in found if each.share >= _MIN_SHARE)[: None if is_number else _MAX_FEW]


def add_options(workspace: Workspace, searched: AnalyzeAnswer, found: tuple[OptionMatch, ...]) -> AnalyzeAnswer:
    """Return what a search found behind options that may be meant."""
    best = found[0]
    said = f"perhaps the {best.kind.value} {best.name}" if best.is_likely else _NONE_FITS
    said += _say_lacking(searched.question, found)
    if searched.kind == Intent.OPTION.value and not best.is_likely:
        # The question asks for options, but the best match of the search is none.
        searched = structs.replace(searched, summary=f"{plural(len(found), 'option')} with some of them")
    items = [structs.replace(each, help=shorten(each.help, _MAX_HELP_OF_MANY)) for each in map(OptionItem.of, found)]
    options = make_section("options", "options that have some of the words", items, 5.0)
    places = {(each.file, each.line) for each in found}
    reads = [each for each in _find_reads(workspace, best) if (each.file, each.line) not in places]
    lines = make_section("reads", f"lines that mention {best.name}", reads[:_MAX_READS_OF_FIRST], 1.0)
    sections = (options, _list_beside(workspace, found[:_MAX_WITH_BESIDE]), *searched.sections, lines)
    return structs.replace(searched, summary=f"{said}; {searched.summary}", sections=sections)


def _say_near(best: OptionMatch, others: Sequence[OptionMatch]) -> str:
    """Return how many other options fit nearly as well as the best one, "" if those listed only have other words."""
    near = sum(each.score >= MIN_SCORE_ROUGH * best.score for each in others)
    return f"; {agree(near, 'other option', 'fits', 'fit')} nearly as well" if near else ""


def _say_lacking(text: str, found: Sequence[OptionMatch]) -> str:
    """Return which words of a text none of some options has, "" if each has one that does."""
    lacking = frozenset.intersection(*(each.lacking for each in found))
    words = [
        each
        for each in dict.fromkeys(_PLAIN_WORD.findall(text))
        if each.lower() not in _COMPARED and stem(each.lower()) in lacking
    ]
    quoted = " or ".join(f"'{each}'" for each in words[:_MAX_LACKING])
    is_one = len(found) == 1 and found[0].is_likely
    return f"; {'it does not mention' if is_one else 'none listed mentions'} {quoted}" if words else ""


def _list_beside(workspace: Workspace, found: Sequence[OptionMatch]) -> Section:
    """Return the names of the fields beside the first option that is one: people name what all of them are about."""
    for option in found:
        symbols = workspace.code.facts(option.file).symbols if workspace.code.has_file(option.file) else ()
        holder = next((each.parent for each in symbols if each.line == option.line and each.name == option.name), -1)
        fields = [each for each in symbols if holder >= 0 and each.parent == holder and each.kind in _FIELDS]
        nearest = sorted(fields, key=lambda each: abs(each.line - option.line))[:_MAX_BESIDE]
        names = {each.name: each.line for each in nearest if each.name not in {each.name for each in found}}
        if names:
            item = NameItem(", ".join(sorted(names, key=lambda name: names[name])))
            return make_section("beside", f"declared beside {option.name}", [item], 1.0)
    return make_section("beside", "", (), 1.0)


def _list_environment(question: Question, read: tuple[OptionMatch, ...], *, is_for_all: bool = False) -> AnalyzeAnswer:
    """Return the environment variables that the code reads, for a question about all or one that none clearly fits."""
    shown = read[: _MAX_ALL_VARIABLES if is_for_all else _MAX_VARIABLES]
    summary = "" if is_for_all else "no environment variable clearly fits these words; "
    names = plural(len(read), "environment variable") if read else "no environment variable"
    summary += f"the code reads {names}{'' if read else ' in a way that is recognized'}"
    return build_answer(
        question,
        summary,
        Coverage(len(read), len(shown), Certainty.AT_LEAST),
        make_section("options", "environment variables", list(map(OptionItem.of, shown)), 2.0, counts=True),
    )


def _list_flags(question: Question, found: tuple[OptionMatch, ...]) -> AnalyzeAnswer | None:
    """Return the flags of the command lines of a workspace; None if none is declared in a way that is recognized."""
    if not found:
        return None
    files = plural(len({each.file for each in found}), "file")
    return build_answer(
        question,
        f"{plural(len(found), 'command-line flag')}, declared in {files}",
        Coverage(len(found), min(len(found), _MAX_ALL_VARIABLES), Certainty.AT_LEAST),
        make_section("options", "flags", list(map(OptionItem.of, found[:_MAX_ALL_VARIABLES])), 2.0, counts=True),
    )


def _get_default(workspace: Workspace, name: str, reads: Sequence[MatchItem]) -> str:
    """Return the value that a function for defaults, or a variable with them, gives an option; "" for none."""
    own = identify_option(name)
    for each in reads:
        assigned = _ASSIGNS.search(each.text)
        to = identify_option(assigned[1]) if assigned else ""
        if assigned and (own.endswith(to) or to.endswith(own)) and _is_in_defaults(workspace, each):
            return assigned[2]
    return ""


def _is_in_defaults(workspace: Workspace, line: MatchItem) -> bool:
    """Return whether a line is within a definition whose name says that it has defaults."""
    return any(
        _FOR_DEFAULTS.match(each.name) and each.span.start_line <= line.line <= each.span.end_line
        for each in workspace.code.facts(line.file).symbols
    )


def _name_value(workspace: Workspace, value: str) -> str:
    """Return a default with the value of the constant that it names, if it names one that has a value."""
    named = workspace.code.find_definitions(value) if _NAMED_VALUE.match(value) and not value.islower() else ()
    values = {each.symbol.signature.partition("=")[2].strip() for each in named if each.kind in _CONSTANTS}
    return f"{value} ({values.pop()})" if len(values) == 1 and all(values) else value


def _list_variables(workspace: Workspace, option: OptionMatch) -> list[str]:
    """Return the names that only the line of a declaration has, and not those around it, with words of the option."""
    lines = workspace.source.find_lines(option.file)
    if option.line > len(lines):
        return []
    nearby = (*lines[max(0, option.line - 3) : option.line - 1], *lines[option.line : option.line + 2])
    around = set(_IDENTIFIER.findall("\n".join(nearby)))
    words = set(text_stems(option.name))
    own = _IDENTIFIER.findall(_STRING.sub(" ", lines[option.line - 1]))
    return [
        each for each in dict.fromkeys(own)
        if each not in around and len(words & set(text_stems(each))) >= _MIN_ALIKE * len(words)
    ]  # fmt: skip


def _find_reads(workspace: Workspace, option: OptionMatch) -> tuple[MatchItem, ...]:
    """Return the lines of product code that mention an option, those that compute with it first."""
    names = (*spell_option(option.name), *_list_variables(workspace, option))
    if not names:
        # A short flag is read where its letter is compared, in the file with its usage text.
        letter = re.escape(option.name.lstrip("-"))
        return search_lines(workspace.source, workspace.code, rf"[\"']-?{letter}[\"']", option.file).matches
    spelled = "|".join(map(re.escape, dict.fromkeys(names)))
    pattern = rf"\b(?:{spelled})\b"
    found = search_lines(workspace.source, workspace.code, pattern, limit=_MAX_SEARCHED)
    chosen = [
        each
        for each in found.matches
        if get_language(each.file) and role_of(each.file) < FileRole.TEST
        and not each.text.lstrip().startswith(COMMENTS) and (each.file, each.line) != (option.file, option.line)
    ]  # fmt: skip
    is_use = re.compile(
        rf"[.\[>]\s*[\"'`]?(?:{spelled})\b|[(,]\s*[\"'`](?:{spelled})[\"'`]|\b(?:if|while|>|<|return)\b.*(?:{spelled})"
    )
    is_pass = re.compile(rf"\b(\w*(?:{spelled}))\s*[=:]\s*\1\b|^\s*\*?\w+\s*[:?]")
    # The key as a string is the option itself, but methods and fields of other things may have its name.
    is_key = re.compile(rf"[(\[]\s*[\"'`]{re.escape(option.name)}[\"'`]")
    if (
        option.name.islower()
        and _PLAIN_WORD.fullmatch(option.name)
        and any(is_key.search(each.text) for each in chosen)
    ):
        # A plain word such as `data` means many things besides; only what holds options has it as a member.
        is_held = re.compile(rf"(?i:arg|opt|conf|cfg|setting|flag|param)\w{{0,20}}(?:\(\))?\.(?:{spelled})\b")
        chosen = [each for each in chosen if is_key.search(each.text) or is_held.search(each.text)]
    return tuple(
        sorted(
            chosen,
            key=lambda each: (
                is_key.search(each.text) is None,
                is_pass.search(each.text) is not None,
                is_use.search(each.text) is None,
            ),
        )
    )
