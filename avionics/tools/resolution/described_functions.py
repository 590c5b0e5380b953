"""Find the functions that words describe by what they do: "writing the query history file", "the save key".

People who ask for a path often do not know the name of its end. A function matches if its name has the verb or a
synonym, or if it has a line with that effect, and if it, its class or its file is named after the thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from avionics.index.analysis.symbol_usage import is_for_tests
from avionics.index.code_index import CodeIndex
from avionics.index.flows.flow_steps import FlowSteps
from avionics.index.model.file_roles import is_product
from avionics.index.search.query import is_stop_word, spellings_of, stem, stems_of, text_stems
from avionics.index.search.synonyms import forms_of, meanings_of
from avionics.late_pattern import late_pattern
from avionics.model.enums import BODIES, is_class
from avionics.model.knowledge import Definition
from avionics.tools.resolution.outside_effects import get_effect_of, map_functions_with

_ACTION = late_pattern(
    r"(?:(?:the|then|actually|finally|eventually|really|it)\s+)*(?P<verb>[a-z]{2,})(?P<rest> [^,;:()]+)?",
    re.IGNORECASE,
)
_BEHIND = late_pattern(r"\s(?:in|on|to|into|onto|from|for|with|at|by|via|through|as|out|inside)\s", re.IGNORECASE)
"""Words after these describe the action, not its object."""
_NOUN = late_pattern(r"(?:the )?(?P<noun>[a-z]{3,}(?:ion|al|ment)) (?:of|for)(?P<rest> [^,;:()]+)", re.IGNORECASE)
"""An action expressed as a noun: "the calculation of the total"."""
_OF_NOUNS = (("ation", ("ate", "e", "")), ("ion", ("e", "")), ("al", ("e", "")), ("ment", ("",)))
"""The endings of such nouns, and those of the corresponding verbs."""
_VERBS = (
    "write save store persist dump flush record serialize", "remove delete erase unlink purge clear drop",
    "read load parse open", "send post publish emit notify deliver upload push", "create add make new insert",
    "start spawn launch run execute", "show print display render draw", "compute calculate", "update change modify set",
    "check validate verify", "close stop quit shutdown", "fetch download get request query", "convert transform format",
)  # fmt: skip
"""Verbs that names of functions have for one another."""
_GENERAL = frozenset(map(stem, ("file", "files", "disk", "thing", "data", "function", "code", "real", "actual", "new")))
"""Stems that say too little of what something is done to."""
_DONE_TO = late_pattern(r"\b(?:being|getting|gets|got) \w+(?:ed|en|t|n)\b", re.IGNORECASE)
"""Words for what is done to something, which is no description of it."""
_MAX_FILES, _MAX_FOUND, _MAX_DESCRIBED = 300, 12, 5
_SHARE = 0.8
"""The minimum share of the best function's likelihood for the others."""
_MIN_LIKELIHOOD = 0.4
_SAME_VERB, _OTHER_VERB, _BY_EFFECT, _EFFECT_TOO = 1.0, 0.8, 0.5, 0.2
_IN_NAME, _IN_CLASS, _IN_PARAMETERS, _IN_PATH, _IN_DOC, _SYNONYM = 1.0, 0.8, 0.7, 0.6, 0.3, 0.6
_ONLY_VERB = 0.8
_FURTHER, _OTHER_WORD, _MAX_OTHER = 0.1, 0.15, 2


class Action(Struct, frozen=True):
    """An action and its object.

    Attributes:
        verb: The stem of the verb.
        things: The stems of its object.
        further: The stems of the remaining words.
    """

    verb: str
    things: tuple[str, ...]
    further: tuple[str, ...] = ()

    @property
    def verbs(self) -> frozenset[str]:
        """Return the stems of the verbs that names may have for it."""
        groups = (frozenset(map(stem, each.split())) for each in _VERBS)
        return frozenset().union(*(each for each in groups if self.verb in each), forms_of(self.verb))


def read_action(text: str) -> Action | None:
    """Return the action that words describe: a verb as `writing` or a known one, and a thing; else None."""
    noun = _NOUN.fullmatch(text.strip())
    if noun and (named := _get_verb(noun["noun"].lower())):
        text = f"{named}{noun['rest']}"
    match = _ACTION.fullmatch(text.strip())
    word = match["verb"].lower() if match else ""
    verb, is_participle = stem(word), word.endswith("ing")
    if match is None or not (is_participle or any(verb in map(stem, each.split()) for each in _VERBS)):
        return None
    if is_stop_word(word) or len(word) - len("ing") < 2:
        return None
    if not match["rest"]:
        return Action(verb, ()) if is_participle else None
    head, *rest = _BEHIND.split(f"{match['rest']} ")
    things, further = _list_specific_stems(head), tuple(each for part in rest for each in _list_specific_stems(part))
    if not things and not further:
        return None
    return Action(verb, things, further) if things else Action(verb, further)


def _get_verb(noun: str) -> str:
    """Return the known verb of a noun for what is done, "" if it is none."""
    known = frozenset(stem(each) for verbs in _VERBS for each in verbs.split())
    ending, others = next((each for each in _OF_NOUNS if noun.endswith(each[0])), ("", ()))
    verbs = (noun.removesuffix(ending) + other for other in others)
    return next((each for each in verbs if stem(each) in known), "")


def _list_specific_stems(text: str) -> tuple[str, ...]:
    """Return the stems of a description, each once, without those of general words."""
    return tuple(dict.fromkeys(each for each in text_stems(text) if each not in _GENERAL))


def is_thing(action: Action, definition: Definition) -> bool:
    """Return whether a function is named after the object of an action: `newline` performs "printing a newline"."""
    return definition.kind in BODIES and frozenset(stems_of(definition.name)) == frozenset(action.things)


def map_performers(code: CodeIndex, action: Action) -> Mapping[Definition, int]:
    """Map the functions that most likely perform an action to the line that does, without their callers."""
    effect = get_effect_of(action.verb)
    lines = map_functions_with(code, effect) if effect else {}
    likely = {
        each: _weigh(each, action, has_effect=each in lines)
        for each in _iter_functions(code, _list_files(code, action.things, action.verbs), lines)
    }
    if not any(likely.values()):
        likely = {each: _weigh_body(code, each, action) for each in lines if each.kind in BODIES}
    least = max((*likely.values(), _MIN_LIKELIHOOD / _SHARE)) * _SHARE
    found = sorted((each for each in likely if likely[each] >= least), key=lambda each: -likely[each])[:_MAX_FOUND]
    steps = FlowSteps(code)
    calling = {
        each for each in found if any(step.target in found and not step.reason for step in steps.list_forward(each))
    }
    last = [each for each in found if each not in calling] or found
    return {each: lines.get(each, each.line) for each in last}


def find_described(code: CodeIndex, text: str) -> tuple[Definition, ...]:
    """Return the functions and classes whose name has every word of a description; () if too many have.

    If none has all of them, the class or file around may have the others: "the ledger client" is `Ledger.getClient`.
    """
    words = _list_specific_stems(text)
    if len(words) < 2 or len(words) != len(set(text_stems(text))) or _DONE_TO.search(text):
        return ()
    named: dict[Definition, int] = {}
    placed: dict[Definition, int] = {}
    for each in code.iter_all_definitions(_list_files(code, words)):
        if each.kind not in BODIES and not is_class(each.kind):
            continue
        stems = set(stems_of(each.name))
        if 2 * len(stems.intersection(words)) < len(words) or is_for_tests(code, each):
            continue
        if set(words) <= stems:
            named[each] = len(stems) - len(words)
        elif set(words) <= stems.union(_list_stems_around(each)):
            placed[each] = len(stems.difference(words))
    more = named or placed
    least = min(more.values(), default=0)
    slack = 1 if named else 0
    found = tuple(dict.fromkeys(code.graph.body_of(each) for each, count in more.items() if count <= least + slack))
    return found if len(found) <= _MAX_DESCRIBED else ()


def _list_stems_around(definition: Definition) -> frozenset[str]:
    """Return the stems of the class around a definition, and of the name of its file and directory."""
    place = definition.file.partition(".")[0].split("/")
    parts = (*definition.symbol.qualname.split(".")[:-1], *place[-2:])
    return frozenset(stem for part in parts for stem in stems_of(part))


def _list_files(code: CodeIndex, words: Iterable[str], verbs: Iterable[str] = ()) -> list[str]:
    """Return the product files with all the words, and with one of the verbs if there are any."""
    wanted = [meanings_of(each) if verbs else frozenset((each,)) for each in words]
    wanted += [frozenset(verbs)] if verbs else []
    having: set[str] | None = None
    for forms in wanted:
        spelled = {spelling for each in forms for spelling in spellings_of(each)}
        files = code.words.count_in_files(code.words.term_postings(spelled))
        having = set(files) if having is None else having.intersection(files)
    return sorted(filter(is_product, having or ()))[:_MAX_FILES]


def _iter_functions(code: CodeIndex, files: Sequence[str], more: Iterable[Definition]) -> Iterator[Definition]:
    found = (each for each in code.iter_all_definitions(files) if not each.symbol.is_announced)
    yield from (each for each in (*found, *more) if each.kind in BODIES and not is_for_tests(code, each))


def _weigh(function: Definition, action: Action, *, has_effect: bool) -> float:
    """Return how likely a function performs an action; 0 without evidence."""
    name = frozenset(stems_of(function.name))
    if action.verb in name:
        verb = _SAME_VERB
    elif name & action.verbs:
        verb = _OTHER_VERB
    else:
        verb = _BY_EFFECT if has_effect else 0.0
    holder = frozenset(stems_of(function.symbol.qualname.rpartition(".")[0].rpartition(".")[2] or "_"))
    where = (
        (name, _IN_NAME), (holder, _IN_CLASS), (frozenset(text_stems(function.file)), _IN_PATH),
        (frozenset(text_stems(function.symbol.signature.partition("(")[2])), _IN_PARAMETERS),
        (frozenset(text_stems(function.symbol.doc)), _IN_DOC),
    )  # fmt: skip
    found = [max(_rate_fit(each, words) * weight for words, weight in where) for each in action.things]
    if not verb or not all(found):
        return 0.0
    beside = frozenset().union(*(words for words, _ in where)) & frozenset(action.further)
    meant = action.verbs.union(_GENERAL, action.further, *map(meanings_of, action.things))
    others = sum(each not in meant and not is_stop_word(each) for each in name)
    things = sum(found) / len(found) if found else _ONLY_VERB
    effect = _EFFECT_TOO if has_effect else 0.0
    return verb * things + effect + _FURTHER * len(beside) - _OTHER_WORD * min(others, _MAX_OTHER)


def _weigh_body(code: CodeIndex, function: Definition, action: Action) -> float:
    """Return the share of an action's object that the text of a function names."""
    span = function.symbol.span
    lines = code.read_lines(function.file)[span.start_line - 1 : span.end_line]
    words = frozenset(text_stems("\n".join(lines)))
    return sum(bool(forms_of(each) & words) for each in action.things) / len(action.things)


def _rate_fit(word: str, words: frozenset[str]) -> float:
    """Return how well one of some words matches a word: 1 for a form of it, less for a synonym, 0 for none."""
    if forms_of(word) & words:
        return 1.0
    return _SYNONYM if meanings_of(word) & words else 0.0
