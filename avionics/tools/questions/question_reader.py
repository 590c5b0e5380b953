"""Read a question: its intent, and the symbol, file or directory it is about."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import structs

from avionics.index.code_index import CodeIndex
from avionics.index.scopes.symbol_lookup import is_within
from avionics.index.search.query import Query, find_names, read_query
from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind, is_class
from avionics.model.knowledge import Definition
from avionics.model.naming import last_part
from avionics.tools.questions.commits_reader import PERIOD, WITHIN
from avionics.tools.questions.ends_reader import ROUTE
from avionics.tools.questions.intent_guess import BY_WORDS, GUESSABLE, guess_intent
from avionics.tools.questions.intents import ASKS, Intent, IntentRule, Needs, Question
from avionics.tools.questions.mention_resolver import (
    QUOTES,
    find_inflected,
    find_likely_names,
    get_absent_word,
    get_unknown,
    get_written_interface,
    is_of_absent_class,
    is_value,
)
from avionics.tools.questions.pasted_messages import get_message
from avionics.tools.questions.path_mentions import (
    PATHLIKE,
    find_written_files,
    get_directory_within,
    get_path,
    get_path_at_end,
    is_file_name,
    is_project_name,
    split_users_place,
)
from avionics.tools.questions.rules.intent_rules import EXPLAINED, RULES
from avionics.tools.questions.rules.option_rules import OPTION_RULES
from avionics.tools.questions.rules.structure_rules import ASKED_NAME
from avionics.tools.questions.subjects import (
    find_named,
    find_subject,
    is_about_others,
    qualify_members,
    rank_subjects,
)
from avionics.tools.resolution.option_targets import FLAG
from avionics.tools.resolution.path_resolver import find_paths, parse_place
from avionics.tools.resolution.symbol_resolver import find_folded, rank_by_use

_CONTRACTED = late_pattern(r"\A(\W*(?:how|where|who|when|why|what(?!['’])))(?:['’]s|s)(?= )", re.IGNORECASE)
"""A question word contracted with its verb: "how's this tested"."""
_WITHOUT_TESTS = late_pattern(
    r"[(,;–-] ?(?:\w+ and |also |with )?(?:the )?tests? (?:and \w+ )?(?:included|as well|too|count)\W{0,9}\Z"
    r"|(?:[(,;–-] ?(?:please |but )?(?:no|without|not(?: in)?|skip(?:ping)?|leave out|ignore|exclude|omit|never mind)"
    r"|\b(?:not (?:interested in|counting)|ignor(?:e|ing)|exclud(?:e|ing)|except(?: for| in)?|leav(?:e|ing) out"
    r"|(?:apart|aside) from|(?:other|else) than|besides|outside(?: of)?))"
    r" (?:any |the |unit |its |our |all ){0,3}tests?(?: files?| code| cases?)?"
    r"(?:,? (?:please|thanks|thank you))?\W{0,9}\Z"
    r"|[^\w\s] (?:the )?tests?(?: \w+){0,2} (?:not (?:needed|required|wanted|relevant)|left out|ignored|skipped"
    r"|(?:do not|don['’]?t) (?:matter|count))\W{0,9}\Z"
    r"|[^\w\s] (?:i |we )?(?:do not|don['’]?t) (?:need|want|care about) (?:the )?tests?\W{0,9}\Z"
    r"|\b(?:in|by|from|of) (?:the )?(?:non-tests?|production) code(?: only)?\W{0,9}\Z",
    re.IGNORECASE,
    needs=("test", "production"),
)
"""The end of a question that names tests but does not ask for them; they come last in an answer."""
_BESIDES_TESTS = late_pattern(
    r",? (?:besides|except(?: for)?|other than|apart from|aside from|outside(?: of)?|excluding|but not)"
    r" (?:any |the |unit |its |our ){0,3}tests?(?: files?| code| cases?)?,?"
    r"(?= (?:still |really |actually |also )?"
    r"(?:use|call|referenc|need|depend|import|invok|rel(?:y|ies)\b|read|extend|implement))"
    r"|\b(?:non-test|production)(?= (?:code|callers?|call sites?|usages?|users?|uses|files?|references)\b)",
    re.IGNORECASE,
    needs=("test", "production"),
)
"""Words within a question for users that leave out those in tests: "does anything besides tests call it"."""
_WITH_TESTS = late_pattern(r"\b(?:included|as well|too|count)\W*\Z", re.IGNORECASE)
"""What such an end has that asks for more than what is in tests, and not for less."""
_RECEIVER = late_pattern(r"\(\*(\w+)\)\.(?=\w)|\b([A-Z]\w*)#(?=[a-z]\w*\b)")
"""A type whose method is named, as Go writes it, `(*Cart).Add`, or as the documentation of Java does: `Cart#add`."""
_OF_USERS = frozenset({Intent.USAGE, Intent.DEPENDENTS})
"""Intents that a question may restrict to a directory or file."""
_DOUBTFUL, _MAX_PLAIN_WORDS = frozenset({Intent.PHRASE, Intent.FLOW}), 6
"""The intents as which rules may read short questions wrongly, too, and the words of a question that is short."""
_IS_OF_TYPE = {(Intent.FLOW, Intent.MAP): True, (Intent.IMPACT, Intent.SIGNATURE): False}
"""Whether what a question names must be a type, or must be none, to be read by a guess as the second intent."""
_OF_SYMBOL = frozenset({Intent.SYMBOL, Intent.USAGE, Intent.SUBTYPES, Intent.SIGNATURE, Intent.TESTS, Intent.HISTORY})
"""The intents that a guess may read in a question which names a symbol, although no rule finds its subject."""
_SUBJECTS = frozenset({Needs.SYMBOL, Needs.INTERFACE, Needs.WRITTEN_PATH, Needs.PATH, Needs.EITHER, Needs.CHANGE})
"""What a question that is read by a guess may be about."""
_CHANGES = next(each for each in RULES if each.intent is Intent.CHANGES and each.needs is Needs.CHANGE)
_MAX_QUESTION_LENGTH = 400
"""Characters; longer text is an issue or a log, and is only searched for."""
_DOUBTED = late_pattern(
    r"\W*(?:is |are )?(?!(?:list|show|find|give|get|print|any|all|the|some|what|which|where|there)\b)"
    r"[`'\"]?([^\W\d][\w.]*)[`'\"]?(?:\(\))?(?: ?[:,–-]| (?:still |now )?(?:dead|unused)\b)",
    re.IGNORECASE,
)
"""The beginning of a question whether one name is dead code."""
_MEMBERS_OF = late_pattern(
    r"\b(?:methods?|members?|fields?|attributes?|properties|functions?|constructors?|parts?) (?:of|in|on|from|within) "
    r"(?:(?:the|class|struct|interface|trait)\s+)*[`'\"]?([^\W\d][\w.:]*\w)[`'\"]?(?!\w*[./])",
    re.IGNORECASE,
)
"""The class whose members a question asks for."""
_ASKED_WORDS = late_pattern(
    r"\W*(?:what(?:['’]s| is| does)|where(?:['’]s| is)|explain|describe|define|locate|find|show(?: me)?|tell me about)"
    r" (?:the |an? )?((?:[a-z]+ ){1,4}[a-z]+?)(?: (?:class|function|method|interface|struct|trait|defined|implemented"
    r"|do|for|mean))*\W*",
    re.IGNORECASE,
)
"""A question about what several plain words name."""
_ENDING = " \t\n?.!"
_ABOUT_WHOLE = late_pattern(r"\W*what (?:is|does) [\w.-]+(?: do| for| about)?\W*", re.IGNORECASE)
_ASKS_FOR_CODE = late_pattern(
    r"\b(?:which|what) (?:functions?|methods?|class(?:es)?|(?:piece|part) of (?:the )?code|code)\b", re.IGNORECASE
)
"""What a question asks for that has no option for an answer, whatever its other words are."""
_TOLD = late_pattern(
    r"[^\n]{12,300}?[,;.?!] +((?:so |and |but )?(?:what|which|where|who|how|why)\b(?: +[^\s]+){3}[^\n]*)\Z",
    re.IGNORECASE,
)
"""A sentence that first describes a situation and then asks; "what for?" asks about what the sentence says."""
_ASKS_LAST = late_pattern(
    r"[^\n]{12,300}?[\"'”’`,;:.?!] +((?:so |and |but )?(?:what|which|where|how|can|could|may|is there|are there|is it"
    r"|i want|i need|i['’]d like|i don['’]?t want)\b(?: +[^\s]+){2}[^\n]*)\Z",
    re.IGNORECASE,
)
"""A text that ends with a question or a wish, perhaps behind a message."""
_ABOUT_PROJECT = frozenset({Intent.MAP, Intent.LIST_MODULES, Intent.HISTORY, Intent.CHANGES})
"""Intents that count only in the asking part of a question, because programs have directories and commits of their
own."""
_OF_FILES = frozenset({Intent.MAP, Intent.IMPORTS, Intent.USAGE, Intent.DEPENDENTS, Intent.TESTS})
"""Intents of questions about a file; one about its history may be about a removed file."""
_LISTS = frozenset(
    {
        Intent.UNUSED, Intent.DEPRECATED, Intent.PACKAGES, Intent.MARKERS, Intent.LARGEST, Intent.ASYNCHRONOUS,
        Intent.UNDOCUMENTED, Intent.USED_MOST, Intent.RECURSIVE, Intent.TEST_ONLY, Intent.UNTESTED, Intent.CYCLES,
        Intent.HOTSPOTS, Intent.ENTRIES, Intent.KINDS,
    }
)  # fmt: skip
"""Intents of questions for all items, or for all within a directory or file."""
_WITHIN_PATH = late_pattern(
    r"\b(?:in|of|from|under|within|inside) [`'\"]?([\w.-]+/[\w./-]*|[\w-]+\.[a-z]{1,4})[`'\"]?(?: please)?\W*\Z",
    re.IGNORECASE,
)


def is_about_absent_file(question: Question) -> bool:
    """Return whether a question asks only for a file that does not exist."""
    is_of_file = question.wanted in _OF_FILES | _LISTS or len(question.text.split()) == 1
    return is_of_file and is_file_name(question.missing)


def read_in_full(code: CodeIndex, text: str, scope: str | None = None, *, may_guess: bool = True) -> Question:
    """Return the intent and the subject of a question, within a directory or file if a scope is given.

    With `may_guess`, the intent of a question that no rule reads is guessed from its words.
    """
    text = qualify_members(code, _RECEIVER.sub(lambda found: f"{found[1] or found[2]}.", text))
    without = _WITHOUT_TESTS.search(text)
    besides = _BESIDES_TESTS.search(text)
    if without:
        text = text[: without.start()].rstrip(" (,;")
    elif besides:
        text = f"{text[: besides.start()].rstrip()} {text[besides.end() :].lstrip()}"
    asked, within = split_users_place(code, _CONTRACTED.sub(r"\1 is", text))
    found = _read(code, read_query(asked), scope, may_guess=may_guess)
    if within and found.intent not in _OF_USERS:
        found, within = _read(code, read_query(text), scope, may_guess=may_guess), ""
    is_whole = not scope and not within and found.intent is Intent.USAGE and found.definition is not None
    place = get_path_at_end(code, text) if is_whole else None
    named = tuple(each for each in (found.definition, *found.others) if each is not None)
    there = tuple(each for each in named if place and is_within(each.file, place))
    if place and not there:
        within = place
    elif there and there[0] != named[0]:
        # "Who calls Store.save in the users package?" is about the method there, and not about calls there.
        others = tuple(each for each in named if each != there[0])
        found = structs.replace(found, definition=there[0], others=others)
    found = structs.replace(found, others=_leave_out_declarations(code, found))
    leaves_tests = _WITH_TESTS.search(without[0]) is None if without is not None else besides is not None
    return structs.replace(
        found,
        query=read_query(text) if within else found.query,
        scope=within or scope,
        is_without_tests=leaves_tests,
    )


def _leave_out_declarations(code: CodeIndex, question: Question) -> tuple[Definition, ...]:
    """Return the other definitions with the name in a question, without prototypes of the one that it is about."""
    meant = question.definition
    if meant is None or not question.others or not code.resolver.scopes.spec(meant.file).linkage:
        return question.others
    declared = frozenset(code.graph.find_declarations(meant))
    return tuple(each for each in question.others if each not in declared)


def _read(code: CodeIndex, query: Query, scope: str | None, *, may_guess: bool) -> Question:
    text = query.text
    if any(frame.function for frame in query.frames):
        return Question(Intent.TRACEBACK, query)
    printed = get_message(query)
    if printed and _asks_for_option(text):
        printed = ""
    if printed and (len(text) <= _MAX_QUESTION_LENGTH or printed == text):
        found = Question(Intent.ERROR, query if printed == text else read_query(printed))
        return (_read_as_guessed(code, query, scope, found) if may_guess and ASKS.match(text) else None) or found
    if len(text) > _MAX_QUESTION_LENGTH:
        return Question(Intent.PHRASE, query)
    if len(text.split()) == 1 and ".." not in text:
        return _read_name(code, text, scope)
    found = _read_by_rules(code, query, scope)
    # Rules read short questions rightly, and need not wait for the weights.
    is_doubtful = found.intent in _DOUBTFUL or len(text.split()) > _MAX_PLAIN_WORDS
    is_open = may_guess and found.intent in GUESSABLE and is_doubtful
    return (_read_as_guessed(code, query, scope, found) if is_open else None) or found


def _asks_for_option(text: str) -> bool:
    """Return whether a text tells of something printed, then asks for an option: "how can I have that left out?"."""
    asking = _ASKS_LAST.match(text)
    return asking is not None and any(rule.reads(f". {asking[1]}") for rule in OPTION_RULES)


def _read_by_rules(code: CodeIndex, query: Query, scope: str | None) -> Question:
    """Return the question as the first rule reads it that finds its subject; a phrase if there is none."""
    text = query.text
    missing, wanted = "", None
    told = _TOLD.match(text) if not (query.names or query.paths or query.phrases) else None
    for rule in RULES:
        # A question about the parameters of a library function does not ask for a setting.
        if (wanted is Intent.SIGNATURE and missing and rule.intent is Intent.OPTION) or not rule.reads(text):
            continue
        if rule.intent in _OF_FILES and (absent := _get_absent_file(code, text)):
            return Question(Intent.PHRASE, query, missing=absent, wanted=rule.intent)
        is_told = told is not None and rule.intent in _ABOUT_PROJECT and not _names_revisions(text)
        asked = read_query(told[1]) if told is not None and is_told else query
        found = _apply(code, asked, rule, scope) if asked is query or rule.reads(asked.text) else None
        if found is not None:
            return structs.replace(found, query=query)
        missing = missing or next(
            (path for path in find_written_files(text) if not get_path(code, path, is_written=True)), ""
        )
        if rule.needs in {Needs.SYMBOL, Needs.EITHER}:
            missing = missing or get_unknown(text) or get_absent_word(code, text)
            wanted = wanted or rule.intent
    named = ASKED_NAME.fullmatch(text)
    if named:
        return _read_name_asked(code, query, scope, named, missing)
    return _read_described(code, query, scope) or Question(Intent.PHRASE, query, missing=missing, wanted=wanted)


def _read_as_guessed(code: CodeIndex, query: Query, scope: str | None, found: Question) -> Question | None:
    """Return a question as one of the kind that its words tell; None if it names nothing that the kind requires.

    What it names is written as code, as a path or as a revision. `found` is the question as the rules read it.
    """
    is_path = bool(get_path(code, query.text, is_written=True))
    guess = guess_intent(query.text, is_path=is_path)
    # A type that a new parameter shall have need not exist, and a why may be about a use of a library.
    if found.missing and guess.intent not in {Intent.SIGNATURE, Intent.HISTORY}:
        return None
    # An explained file is shown with what imports it.
    if guess.intent is Intent.DEPENDENTS and re.match(EXPLAINED, query.text, re.IGNORECASE):
        return None
    is_open = found.intent is Intent.PHRASE
    is_change = is_open and guess.intent is Intent.CHANGES and _names_revisions(query.text)
    is_named, words = bool(query.names or is_path), len(query.text.split())
    is_about_code = guess.intent is Intent.OPTION and _ASKS_FOR_CODE.search(query.text) is not None
    if is_about_code or not (is_change or guess.overrules(found.intent, is_named=is_named, words=words)):
        is_unclear = is_open and guess.intent not in {None, *BY_WORDS}
        return _read_unclear(code, query, scope) if is_unclear else None
    if guess.intent is None or guess.intent in BY_WORDS:
        return Question(guess.intent or Intent.PHRASE, query)
    return _read_as(code, query, scope, found.intent, guess.intent, is_path=is_path)


def _read_as(
    code: CodeIndex, query: Query, scope: str | None, by_rules: Intent, intent: Intent, *, is_path: bool
) -> Question | None:
    """Return a question as one with a guessed intent; None if it names nothing that the intent requires."""
    known = _list_known(code, find_likely_names(query.text), scope)
    is_of_type = _IS_OF_TYPE.get((by_rules, intent))
    named = code.find_definitions(known[0]) if known and is_of_type is not None else ()
    if is_of_type is not None and is_of_type != any(is_class(each.kind) for each in named):
        return None
    if intent is Intent.PATH:
        start, *end = sorted(known, key=query.text.replace("::", ".").find) or [""]
        return Question(intent, query, ends=(start, end[0])) if len(end) == 1 else None
    if known or is_path or intent is Intent.CHANGES:
        for rule in (each for each in RULES if each.intent is intent and each.needs in _SUBJECTS):
            if read := _apply(code, query, rule, scope):
                return read
    symbol = Intent.SYMBOL if intent is Intent.MAP else intent
    if not known or symbol not in _OF_SYMBOL:
        return None
    ranked = rank_by_use(code, code.find_definitions(known[0], scope=scope))
    return Question(symbol, query, ranked[0], ranked[1:])


def _read_unclear(code: CodeIndex, query: Query, scope: str | None) -> Question | None:
    """Return a question of an uncertain kind as one for the only symbol that it names: its code, users and tests.

    Words in capitals, such as "SERVFAIL", are names of protocols, too.
    """
    names = find_names(query.text.replace("::", "."))
    known = _list_known(code, (each for each in names if not each.isupper()), scope)
    if len(known) != 1:
        return None
    ranked = rank_by_use(code, code.find_definitions(known[0], scope=scope))
    return Question(Intent.SYMBOL, query, ranked[0], ranked[1:])


def _list_known(code: CodeIndex, names: Iterable[str], scope: str | None) -> list[str]:
    """Return the names that something has, without those that are part of another one, which may not exist."""
    dotted = list(dict.fromkeys(each.replace("::", ".") for each in names))
    known = [each for each in dotted if code.find_definitions(each, scope=scope)]
    whole = (*known, *(each for each in dotted if is_of_absent_class(code, each)))
    return [each for each in known if not any(f".{each}." in f".{other}." and each != other for other in whole)]


def _names_revisions(text: str) -> bool:
    """Return whether a text names two revisions, which its last clause need not repeat: "diff v1 v2, what is new?"."""
    from avionics.tools.questions.change_reader import get_change

    change = get_change(text, lambda _: True)
    return change is not None and change.is_pair and not change.is_one and change.head is not None


def _read_name_asked(code: CodeIndex, query: Query, scope: str | None, named: re.Match[str], missing: str) -> Question:
    """Return the question what one name means, which may not exist."""
    from avionics.index.analysis.outside_usages import is_outside_name

    text = query.text
    name = named["name"] or named["of"]
    if is_file_name(name) and not get_path(code, name, is_written=True) and not code.find_definitions(name):
        return Question(Intent.PHRASE, query, missing=name, wanted=Intent.MAP)
    found = _read_asked(code, name, scope, text)
    if found is None:
        unknown = get_unknown(text)
        is_sought = not code.files_with_word(last_part(name)) or (not name.islower() and is_outside_name(code, name))
        wanted = Intent.SYMBOL if unknown == name and is_sought else None
        return Question(Intent.PHRASE, query, missing=missing or unknown, is_about_name=True, wanted=wanted)
    is_for_code = found.definition is not None and (named["of"] or named["does"])
    return structs.replace(found, intent=Intent.CODE, query=query) if is_for_code else found


def _get_absent_file(code: CodeIndex, text: str) -> str:
    """Return the only file that a text writes as a path, if it does not exist; else ""."""
    written = find_written_files(text)
    is_alone = len(written) == 1 and "/" in written[0]
    return written[0] if is_alone and not get_path(code, text, is_written=True) else ""


def _get_absent_place(code: CodeIndex, text: str) -> str:
    """Return the directory or file to which a text restricts its question, if it does not exist; else ""."""
    within = _WITHIN_PATH.search(text)
    return within[1] if within and not get_path(code, text, is_written=True) else ""


def _apply(code: CodeIndex, query: Query, rule: IntentRule, scope: str | None) -> Question | None:
    """Return the question as a rule reads it; None if it lacks the subject that the rule requires."""
    text, needs = query.text, rule.needs
    if needs is Needs.CHANGE:
        return _read_change(code, query, rule, scope)
    if needs is Needs.TWO_ENDS:
        from avionics.tools.questions.known_ends import find_half_known, get_ends

        if ends := get_ends(code, text):
            return Question(rule.intent, query, ends=ends)
        ends, missing = find_half_known(code, text)
        return Question(rule.intent, query, ends=ends, missing=missing) if missing else None
    if needs is Needs.TOPIC:
        missing = get_unknown(text)
        # If the tested name is unknown, do not search for tests about its words.
        return None if missing and rule.intent is Intent.TESTS else Question(rule.intent, query, missing=missing)
    if rule.intent is Intent.COMMITS:
        # "v1 → v2: what has been worked on?" asks for the difference.
        is_pair = _names_revisions(query.text)
        return _read_change(code, query, _CHANGES, scope) if is_pair else _read_commits(code, query)
    return _read_list(code, query, rule, scope) or _read_subject(code, query, rule, scope)


def _read_change(code: CodeIndex, query: Query, rule: IntentRule, scope: str | None) -> Question | None:
    """Return the question about a change; None if the text names none, or asks about code that somebody changed."""
    from avionics.tools.questions.change_reader import CHANGED_LAST, get_change, get_changed_part

    text = query.text
    change = get_change(text, lambda word: bool(code.find_definitions(word) or get_path(code, word, is_written=True)))
    path = get_path(code, text, is_written=True) or ""
    if change is None:
        return None
    if not change.is_pair and rule.intent in {Intent.CHANGES, Intent.CHANGE_TESTS}:
        # "I changed Cart::add, which tests are there?" asks for those of one method.
        named = bool(find_named(code, text, scope))
        # "The last commit" does not mean a function called `commit`.
        last = CHANGED_LAST.sub(" ", text).split()[-1:]
        is_history = path or any(code.find_definitions(each.strip(QUOTES)) for each in last)
        if named or (is_history and rule.intent is Intent.CHANGES):
            return None
    if not path and change.is_pair and rule.intent is Intent.CHANGES:
        path = get_changed_part(code, text)
    return Question(rule.intent, query, path=path, change=change)


def _read_list(code: CodeIndex, query: Query, rule: IntentRule, scope: str | None) -> Question | None:
    """Return the question that words for a list ask in fact, about one name or an absent place; None otherwise."""
    if rule.intent is Intent.UNUSED and (doubted := _read_unused(code, query, scope)):
        return doubted
    if rule.intent in _LISTS and (absent := _get_absent_place(code, query.text)):
        return Question(Intent.PHRASE, query, missing=absent, wanted=rule.intent)
    return None


def _read_subject(code: CodeIndex, query: Query, rule: IntentRule, scope: str | None) -> Question | None:
    """Return the question about a symbol, directory or file; None if it lacks the subject that the rule requires."""
    text = query.text
    of = rule.get_group(text, "of") if rule.intent is Intent.ENTRIES else ""
    about = of if of and not is_project_name(code, of) else ""
    named, path = find_subject(code, text, rule, scope)
    if (about and not _has_entries_about(code, about)) or is_about_others(rule, text, named):
        return None
    is_type = any(not is_value(each) or each.kind is SymbolKind.TYPE for each in named)
    if rule.intent is Intent.SUBTYPES and named and not is_type:
        # `Default` may be a value here, and a trait of a library there.
        name = named[0].name
        return Question(Intent.PHRASE, query, missing=name if name in text else get_unknown(text), wanted=rule.intent)
    interface = get_written_interface(text) if rule.intent is Intent.SUBTYPES and named else ""
    if interface and named[0].name != interface and named[0].name.casefold() == interface.casefold():
        # A struct `generator` is not "the Generator interface", which does not exist.
        return Question(Intent.PHRASE, query, missing=interface, wanted=rule.intent)
    named = _find_repeated(code, text, named, scope) or named
    named = rank_subjects(code, text, rule.intent, named)
    is_known = named or path or (rule.intent is Intent.TESTS and FLAG.search(text))
    if not is_known and rule.needs is not Needs.NOTHING:
        return None
    return Question(rule.intent, query, named[0] if named else None, named[1:], path, about=about)


def _find_repeated(
    code: CodeIndex, text: str, named: tuple[Definition, ...], scope: str | None
) -> tuple[Definition, ...]:
    """Return the definitions of a name that a text repeats, instead of those of one that it has once; else nothing.

    "A has f and g. I suspect that g has no caller" is about g; "f(a, b): a shall go last" is about f.
    """
    if named and re.search(rf"\b{re.escape(named[0].name)}\([^)\n]", text):
        return ()
    written = find_names(text.replace("::", "."))
    counts = {each: len(re.findall(rf"(?<![\w.]){re.escape(each)}(?!\w|\.\w)", text)) for each in written}
    repeated = [each for each, count in counts.items() if count > 1]
    is_other = len(repeated) == 1 and bool(named) and named[0].name not in repeated[0]
    return code.find_definitions(repeated[0], scope=scope) if is_other else ()


def _has_entries_about(code: CodeIndex, about: str) -> bool:
    """Return whether the names or files of any entry points have the words of a text."""
    from avionics.index.entrypoints.discovery import find_entry_points
    from avionics.index.entrypoints.matching import select_about

    return bool(select_about(find_entry_points(code), about))


def _read_commits(code: CodeIndex, query: Query) -> Question | None:
    """Return a question for commits, of everything or of a directory or file; None for those of a symbol."""
    text = PERIOD.sub(" ", query.text).strip(_ENDING)
    path = get_path(code, text, is_written=True) or get_directory_within(code, text) or ""
    is_for_part = not path and WITHIN.search(text) is not None
    last = () if path else (text.split()[-1].strip(QUOTES),)
    # A key such as `page.size` is what the commits are about; `ann.lee` behind "by" is who made them.
    is_for_key = any("." in each and f"by {each}" not in query.text for each in query.names) and not path
    if is_for_part or is_for_key or any(map(code.find_definitions, (*query.names, *last))):
        return None
    return Question(Intent.COMMITS, query, path=path)


def _read_described(code: CodeIndex, query: Query, scope: str | None) -> Question | None:
    """Return the question what a class or function is whose name is written as words: "explain the data provider"."""
    asked = _ASKED_WORDS.fullmatch(query.text)
    found = _find_folded(code, "".join(asked[1].split()), scope) if asked else ()
    named = [each for each in found if not is_value(each)]
    if not named:
        return None
    ranked = rank_by_use(code, tuple(named))
    return Question(Intent.SYMBOL, query, ranked[0], ranked[1:])


def _read_unused(code: CodeIndex, query: Query, scope: str | None) -> Question | None:
    """Return the question about the unused members of a class, or whether a name is dead code; None for others.

    That name may not exist.
    """
    owned = _MEMBERS_OF.search(query.text)
    owners = code.find_definitions(owned[1].replace("::", "."), scope=scope) if owned else ()
    if classes := [each for each in owners if is_class(each.kind)]:
        return Question(Intent.UNUSED, query, classes[0], tuple(classes[1:]))
    match = _DOUBTED.match(query.text)
    name = match[1] if match else ""
    named = (name and code.find_definitions(name, scope=scope)) or find_named(code, query.text, scope)
    if named:
        return Question(Intent.USAGE, query, named[0], named[1:])
    is_written_as_code = re.search(r"\w[._]\w", name) is not None
    return Question(Intent.USAGE, query, missing=name) if is_written_as_code and not get_path(code, name) else None


def _read_asked(code: CodeIndex, name: str, scope: str | None, text: str) -> Question | None:
    """Return the question about one name: the project, a class or function, else a path, else a value; else None."""
    if _ABOUT_WHOLE.fullmatch(text) and is_project_name(code, name):
        return Question(Intent.MAP, read_query(text), path=".")
    found = _read_name(code, name, scope)
    is_sure = found.path or (found.definition and not is_value(found.definition))
    if is_sure or not name.islower():
        return found if found.definition or found.path else None
    meant = find_inflected(code, name, scope)
    if meant:
        return Question(Intent.SYMBOL, read_query(meant[0].name), meant[0], meant[1:])
    path = get_path(code, name) or get_path(code, name.removesuffix("s"))
    if path:
        return Question(Intent.MAP, read_query(path), path=path)
    return found if found.definition else None


def _read_name(code: CodeIndex, word: str, scope: str | None) -> Question:
    """Return the question about one word: a location, a symbol, a path, or any word."""
    query = read_query(word.strip(QUOTES))
    text = query.text
    place = parse_place(text)
    if place:
        files = [file for file in _find_files(code, place[0]) if is_within(file, scope)]
        if files:
            around = code.graph.enclosing(files[0], place[1])
            return Question(Intent.PLACE, query, around, path=files[0], line=place[1])
    path = get_path(code, text, is_written=True) if "/" in text or PATHLIKE.fullmatch(text) else None
    if path and text.startswith("/") and not f"/{path}".endswith(text.rstrip("/")):
        path = None
    absent = () if path else find_written_files(text)
    if absent:
        path = next(iter(_find_files(code, absent[0])), None)
        if not path:
            return Question(Intent.PHRASE, query, missing=absent[0])
    if path:
        return Question(Intent.MAP, query, path=path)
    found = code.find_definitions(text, scope=scope) or _find_folded(code, text, scope)
    if found:
        found = rank_by_use(code, found)
        return Question(Intent.SYMBOL, query, found[0], found[1:])
    if ROUTE.fullmatch(text):
        return Question(Intent.FLOW, query)
    path = get_path(code, text)
    if path:
        return Question(Intent.MAP, query, path=path)
    namesakes = code.find_definitions(text.rpartition(".")[2], scope=scope) if "." in text else ()
    return Question(Intent.PHRASE, query, others=namesakes, missing=text)


def _find_files(code: CodeIndex, path: str) -> tuple[str, ...]:
    """Return the files that a path may refer to; an absolute path may be from another machine."""
    from avionics.index.search.exact_mentions import find_files_ending

    return find_paths(code.files, path) or (find_files_ending(code.files, path) if path.startswith("/") else ())


def _find_folded(code: CodeIndex, name: str, scope: str | None) -> tuple[Definition, ...]:
    """Return the definitions of a name, ignoring case and underscores; without values if it is a plain word."""
    found = find_folded(code, name, scope)
    return found if not name.isalpha() or any(not is_value(each) for each in found) else ()
