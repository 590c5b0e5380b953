"""Find the symbols, the directory or the file that a question is about, depending on what it asks for."""

from __future__ import annotations

import re
from collections.abc import Set
from itertools import pairwise

from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.references.import_graph import MODULE_WORD
from avionics.index.search.query import find_names, is_stop_word, stem, stems_of, text_stems
from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind, is_class
from avionics.model.knowledge import Definition
from avionics.model.naming import last_part
from avionics.syntax.registry import get_language
from avionics.tools.questions.intents import Intent, IntentRule, Needs
from avionics.tools.questions.mention_resolver import (
    QUOTES,
    find_best_fitting,
    find_inflected,
    find_likely_names,
    find_proper_names,
    find_types_with_kind,
    is_loosely_named,
    is_of_absent_class,
    is_value,
    resolve_mentions,
)
from avionics.tools.questions.path_mentions import (
    CALLED_PART,
    PATHLIKE,
    get_directory_within,
    get_file_called,
    get_joined_path,
    get_path,
    has_subject_word,
)
from avionics.tools.questions.rules.intent_rules import ABOUT_PAST
from avionics.tools.questions.rules.structure_rules import ABOUT_EVERYTHING
from avionics.tools.resolution.option_targets import FLAG
from avionics.tools.resolution.symbol_resolver import find_folded, rank_by_use

_OF_ALL = frozenset({Intent.MAP, Intent.LIST_MODULES, Intent.MEMBERS, Intent.HISTORY})
"""Intents that apply to the whole workspace if the question is about everything."""
_OF_TYPES = frozenset({Intent.SUBTYPES, Intent.BASES, Intent.MEMBERS})
"""Intents of questions about a type, which some of them call one."""
_MAX_COMPARED = 8
"""The definitions of one name of which the subtypes are looked up to choose one."""
_PARAMETER = late_pattern(
    r"(?<!\w)[`'\"]?\w++[`'\"]?\s++(?:parameters?|params?|arguments?|args?)\b(?=[^\w\n]*+\w)", re.IGNORECASE
)
"""A parameter with its name, which is not what the question is about."""
_CHANGED = late_pattern(
    r"\b(?:parameter|param|argument|arg|signature) (?:[`'\"]?\w+[`'\"]? )?(?:of|to|from|in|for) (?:the )?"
    r"(?:(?:function|method) )?"
    r"[`'\"]?([^\W\d][\w.:]*\w)",
    re.IGNORECASE,
)
"""A parameter with the function that it belongs to: "a Context as first parameter of Store.load", "the parameter key
of Store.load"."""
_IMPORTS = late_pattern(r"\bimport", re.IGNORECASE)
_IMPORTS_NAMED = late_pattern(
    r"\b(?:who|which|what|anything|(?:file|module|package)s?|code) imports? \S+\Z", re.IGNORECASE
)
_TESTS = late_pattern(r"\b(?:tests?|specs?)\b", re.IGNORECASE)
"""Words that a question for tests is not about, although a directory may have that name."""
ASKING_TESTS = frozenset(
    map(
        stem,
        (
            "test", "cover", "exercise", "verify", "check", "case", "suite", "coverage", "about", "run", "code",
            "logic", "unit", "integration", "spec", "exist", "show", "list", "class", "function", "method", "module",
            "package", "file", "struct", "type", "interface", "trait", "helper", "touch", "edit", "change",
        ),
    )
)  # fmt: skip
"""Stems of the words with which people ask for tests."""
_ASKING = {
    Intent.TESTS: ASKING_TESTS,
    Intent.HISTORY: frozenset(
        map(
            stem,
            (
                "add", "author", "change", "commit", "exist", "history", "idea", "introduce", "last", "latest",
                "motivation", "motivate", "old", "origin", "rationale", "reason", "recent", "recently", "remove",
                "story", "touch", "wrote",
            ),
        )
    ),
}  # fmt: skip
"""Stems of the words of questions that may be about a topic; a name that is one of its words is not what is meant."""
_LEFT_USERS = late_pattern(
    r"\b(callers?|calls|call ?sites?|usages?|users?|uses|references) (?:left|remaining|there)\b", re.IGNORECASE
)
"""Words for users, with a word that may also be the name of some code."""
_MIN_TOPIC = 3
"""The minimum number of words of a topic that may contain the name of some code."""
_FEATURE = late_pattern(r"\b(?:\w+ feature|support for \w+|\w+ (?:support|functionality|integration))\b", re.IGNORECASE)
"""What plain words describe, of which no single one is a name."""


_BEGINS_WITH_TYPE = late_pattern(
    r"\W*(?:(?:[Ii]n|[Oo]f|class|struct) )?[`'\"]?(?P<type>[A-Z]\w*)[`'\"]?\s?(?:[:,](?!:)|[–-] )\s*(?=\S)"
)
"""A type, which the members that are named behind it belong to."""
_MEMBER = late_pattern(r"(?<![\w./:])([^\W\d]\w*(?=\(\))|[a-z]+(?:[A-Z]|_[a-z])\w*)(?![\w/])")
"""A name that is called, or written as no plain word is."""
_POSSESSED = late_pattern(r"\b([A-Z]\w*)['’]s (?=([^\W\d]\w*))", needs=("'s", "’s"))
"""A type, and the member of it that is named behind it."""
_IN_TYPE = late_pattern(r"\A\W*[Ii]n (?:class |struct )?[`'\"]?([A-Z]\w*)[`'\"]?,? (?=[`'\"]?([^\W\d]\w*))")
"""A type, and the member of it that is named directly behind it: "In Cart add should no longer take a price"."""
_CALL_AT_START = late_pattern(
    r"\W*(?:(?:the )?(?:function|method) )?[`'\"]?([^\W\d][\w.:]*\w)\([^()\n]*\)[`'\"]?\s?(?:[:,;–—-]|->|→)"
)
"""A function with its parameters, of which the question then tells what shall change."""
_APPOSED = late_pattern(r"\([`'\"]?([A-Za-z_][\w.:]*\w)[`'\"]?(?:\(\))?\)")
"""A name in parentheses, which says where to find what the words before it describe."""
_HAS_MEMBER = late_pattern(
    r"\b([A-Za-z_]\w*)[`'\"]?(?: in \S+)? (?:has|have|had|declares|defines|offers|provides|contains|comes with) "
    r"(?:(?:an?|the|another|also|still|one|public|private|protected|static|virtual|own) )*"
    r"(?:method|function|member|getter|setter|property|field|attribute|accessor)s? (?:(?:called|named) )?"
    r"[`'\"]?(?=([^\W\d]\w*))",
)
"""A type, and the member that it is said to have: "Cart has a method add that nobody calls"."""


def qualify_members(code: CodeIndex, text: str) -> str:
    """Return a text with the members of a type qualified: "Cart: how does add() reach sum()?", "Cart's add"."""

    def join(possessed: re.Match[str]) -> str:
        name = f"{possessed[1]}.{possessed[2]}"
        return f"{possessed[1]}." if code.find_definitions(name) else possessed[0]

    text = _IN_TYPE.sub(join, _HAS_MEMBER.sub(join, _POSSESSED.sub(join, text)))
    begins = _BEGINS_WITH_TYPE.match(text)
    if begins is None or not any(is_class(each.kind) for each in code.find_definitions(begins["type"])):
        return text

    def qualify(called: re.Match[str]) -> str:
        name = f"{begins['type']}.{called[1]}"
        return called[0].replace(called[1], name) if code.find_definitions(name) else called[0]

    return text[: begins.end()] + _MEMBER.sub(qualify, text[begins.end() :])


def find_subject(code: CodeIndex, text: str, rule: IntentRule, scope: str | None) -> tuple[tuple[Definition, ...], str]:
    """Return the definitions or the path that a question with an intent is about, both empty if there is neither."""
    from avionics.tools.questions.literals import find_hyphenated

    if rule.intent is Intent.SIGNATURE:
        if (changed := _CHANGED.search(text)) and (
            typed := code.find_definitions(changed[1].replace("::", "."), scope=scope)
        ):
            return typed, ""
        called = _CALL_AT_START.match(text)
        if called and (whole := code.find_definitions(called[1].replace("::", "."), scope=scope)):
            return whole, ""
        text = _PARAMETER.sub("", text)
    if rule.intent is Intent.USAGE:
        text = _LEFT_USERS.sub(r"\1", text)
    if rule.needs is Needs.NOTHING:
        return (), _get_place(code, text, rule.intent)
    written = get_path(code, text, is_written=True) or ""
    if rule.needs is Needs.WRITTEN_PATH:
        return (), written
    outside = "" if written else _get_imported_module(code, text)
    is_for_symbol = rule.needs in {Needs.SYMBOL, Needs.INTERFACE}
    if is_for_symbol and not written and (outside or _names_module(code, text)):
        return (), ""
    if is_for_symbol and written:
        beside = CALLED_PART.sub(" ", PATHLIKE.sub(" ", text))
        # In "which files use the question module" only the question's own words are beside the path.
        mentioned = resolve_mentions(code, beside, written) if has_subject_word(beside) else ()
        # "Types that implement Store in the main module": there may be several modules of that name.
        return find_named(code, text, scope) or mentioned or find_proper_names(code, beside), ""
    if written and rule.needs is Needs.EITHER and (inner := find_named(code, text, written)):
        return inner, ""
    if written or rule.needs is Needs.PATH:
        return (), written or outside or _get_meant_path(code, text, rule.intent)
    apposed = _find_apposed(code, text, scope) if rule.intent is Intent.HISTORY else ()
    if rule.intent is Intent.HISTORY and not apposed and (keys := find_hyphenated(text)):
        return next((found for each in keys if (found := find_folded(code, each.replace("-", "_"), scope))), ()), ""
    option = FLAG.search(text) if rule.intent is Intent.TESTS else None
    if option is not None:
        name = option[0].strip("-").replace("-", "_")
        return find_folded(code, name, scope) or find_folded(code, f"{name}s", scope), ""
    typed = find_types_with_kind(code, text, scope) if rule.intent in _OF_TYPES else ()
    return (typed, "") if typed else _find_mentioned(code, text, rule, scope)


def _get_place(code: CodeIndex, text: str, intent: Intent) -> str:
    """Return the directory or file to which a question about everything is restricted; "." for everything."""
    if intent in ABOUT_EVERYTHING:
        # In "only used in tests", the tests are not the scope of the question.
        said = _TESTS.sub(" ", text) if intent is Intent.TEST_ONLY else text
        place = get_path(code, said, is_written=True) or get_directory_within(code, said)
        if place:
            return place
    return "." if intent in _OF_ALL else ""


def _find_mentioned(
    code: CodeIndex, text: str, rule: IntentRule, scope: str | None
) -> tuple[tuple[Definition, ...], str]:
    """Return the definitions, or the path, that a question without a written path mentions."""
    if rule.intent is Intent.HISTORY and (apposed := _find_apposed(code, text, scope)):
        return apposed, ""
    is_loose = rule.intent is not Intent.HISTORY or ABOUT_PAST.search(text) is not None
    named = resolve_mentions(code, text, scope, is_loose=is_loose)
    if not named and not is_loose:
        named = find_proper_names(code, text)
    if rule.intent is Intent.HISTORY and named and is_value(named[0]) and (called := get_file_called(named)):
        # Prefer the history of a file named by the word to that of a variable in it with the same name.
        return (), called
    about = _TESTS.sub(" ", text) if rule.intent is Intent.TESTS else text
    is_word = rule.intent is Intent.TESTS and named and named[0].name.islower() and named[0].name in text.split()
    if is_word and (joined := get_joined_path(code, about)):
        # "Tests for text wrapping" more likely means a file `textWrapping.ts` than a variable called `text`.
        return (), joined
    if named or rule.needs in {Needs.SYMBOL, Needs.INTERFACE}:
        return named, ""
    # In "why does the client retry", "client" does not mean a directory of that name.
    return (), _get_meant_path(code, about, rule.intent, is_written=not is_loose)


def _find_apposed(code: CodeIndex, text: str, scope: str | None) -> tuple[Definition, ...]:
    """Return the definitions of the only name of a function, or else of a value, that a text has in parentheses."""
    names = [each[1].replace("::", ".") for each in _APPOSED.finditer(text)]
    found = [code.find_definitions(each, scope=scope) for each in names if find_names(each)]
    members = [each for each in found if any(not is_class(one.kind) for one in each)]
    named = [each for each in members if any(not is_value(one) for one in each)] or members
    return named[0] if len(named) == 1 else ()


def _get_meant_path(code: CodeIndex, text: str, intent: Intent, *, is_written: bool = False) -> str:
    """Return the directory or file that a text mentions; "" for none, and for data if the question is for tests."""
    path = get_path(code, text, is_written=is_written) or ""
    # "Tests for the import from pocket" does not mean the tests of a fixture `pocket.csv`.
    is_data = path in code.snapshot.entries and not get_language(path)
    return "" if intent is Intent.TESTS and is_data else path


def _get_imported_module(code: CodeIndex, text: str) -> str:
    """Return the module of a library that a text asks the importers of; "" if its last word is not one.

    A word after "import" that names nothing in the workspace is a module that no file imports.
    """
    module = text.rsplit(None, 1)[-1].strip(QUOTES) if _IMPORTS.search(text) else ""
    root = MODULE_WORD.match(module)
    links = code.outside_importers(module) if root else ()
    if root is None or any(link.module == module for link in links):
        return module if links else ""
    if get_path(code, module):
        return ""
    if not links and _IMPORTS_NAMED.search(text) and not is_stop_word(module):
        return "" if find_folded(code, module) or find_inflected(code, module, None) else module
    # The end of a module's path may be a name of the workspace; the beginning of an import is not.
    is_sure = any(link.module.startswith(root[0]) for link in links)
    return module if links and (is_sure or not code.find_definitions(module)) else ""


def _names_module(code: CodeIndex, text: str) -> bool:
    """Return whether a text asks who imports a module that it names with dots: `shop.cart`.

    Its last word may also be that of a directory with code, if no class or function has that name.
    """
    if not _IMPORTS.search(text):
        return False
    last = text.rsplit(maxsplit=1)[-1].strip(QUOTES)
    if "-" in last and any(f"/{file}".partition(".")[0].endswith(f"/{last}") for file in code.files):
        return True
    if last.isidentifier() and not any(
        not is_value(each) and role_of(each.file) < FileRole.TEST for each in code.find_definitions(last)
    ):
        return any(f"/{last}/" in f"/{file}" for file in code.files)
    dotted = [each for each in find_names(text) if "." in each]
    return any(
        f"/{path}".rpartition(".")[0].endswith("/" + each.replace(".", "/")) for each in dotted for path in code.files
    )


def find_named(code: CodeIndex, text: str, scope: str | None) -> tuple[Definition, ...]:
    """Return the definitions of the first name written as code in a text that also has a path."""
    for name in find_names(PATHLIKE.sub(" ", text.replace("::", "."))):
        found = code.find_definitions(name, scope=scope)
        if found or is_of_absent_class(code, name):
            return found
    return ()


def _is_only_declared(code: CodeIndex, definition: Definition) -> bool:
    """Return whether a function has no body: a prototype, or a member of an interface."""
    holder = code.get_parent(definition)
    return definition.symbol.is_announced or (holder is not None and holder.kind is SymbolKind.INTERFACE)


def rank_subjects(code: CodeIndex, text: str, intent: Intent, named: tuple[Definition, ...]) -> tuple[Definition, ...]:
    """Return the definitions that a question names, the one that is meant first."""
    if intent is Intent.SUBTYPES:
        # A struct of the same name implements nothing for others.
        named = tuple(each for each in named if each.kind is SymbolKind.INTERFACE) or named
    likely = find_best_fitting(text, named) if named else ()
    named = rank_by_use(code, named, likely) if named else ()
    if intent is Intent.SUBTYPES and 1 < len(likely) <= _MAX_COMPARED:
        # The interface that types of the workspace implement is meant, not one that is used more without them.
        first = sorted(
            (each for each in named if each in likely),
            key=lambda each: (role_of(each.file), not code.graph.classes.subclasses(each)),
        )
        named = (*first, *(each for each in named if each not in likely))
    if intent is Intent.CALLEES:
        named = tuple(sorted(named, key=lambda each: _is_only_declared(code, each)))
    return named


def is_about_others(rule: IntentRule, text: str, named: tuple[Definition, ...]) -> bool:
    """Return whether a question with the words of a rule is about something else than the symbols found for it."""
    if rule.needs is Needs.INTERFACE:
        return not any(each.kind is SymbolKind.INTERFACE for each in named)
    is_feature = rule.intent is Intent.HISTORY and _FEATURE.search(text) is not None
    if is_feature and not find_likely_names(text):
        return True
    if rule.intent is Intent.HISTORY and named:
        name = re.escape(named[0].name)
        is_grammatical_subject = re.search(rf"\b(?:does|do|did|is|are|was|were|has)(?: the)? {name}\b", text)
        if is_grammatical_subject or len(stems_of(named[0].name)) > 1:
            return False
    return rule.intent in _ASKING and bool(named) and _is_aside(text, named[0], _ASKING[rule.intent])


def _is_aside(text: str, definition: Definition, asking: Set[str]) -> bool:
    """Return whether a text has a name only as one of several plain words: "prepared statement caching"."""
    said = {each for each in text_stems(text) if not is_stop_word(each)} - asking
    is_capital = not definition.name.islower() and re.search(rf"(?<!\w){re.escape(definition.name)}(?!\w)", text)
    is_code = is_capital or any(last_part(each) == definition.name for each in find_names(text.replace("::", ".")))
    own = said.intersection(stems_of(definition.name))
    if not own and not is_code and not definition.name.islower() and asking is not ASKING_TESTS:
        # "What was the reason?" is not about a class `Reason`.
        return True
    is_topic = len(said) >= _MIN_TOPIC and 2 * len(own) < len(said)
    # "Typo tolerance" is not about `Typo`, "the tokenizer of queries" in query.rs may be about `Tokenizer`.
    is_half = (
        asking is ASKING_TESTS
        and len(said) == _MIN_TOPIC - 1
        and any({*map(stem, pair)} == said for pair in pairwise(re.findall(r"\w+", text.lower())))
        and is_loosely_named(text, definition, asking)
    )
    return (is_topic or is_half) and not is_code
