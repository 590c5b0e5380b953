"""Find the definitions that a sentence mentions, spelled as code or as people spell them.

Many plain words are names by coincidence. Of several candidates the one is chosen whose path and containers have most
words in common with the sentence: "tests of the battery module" are those of the module in `battery.rs`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from itertools import pairwise

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import FileRole, is_product, role_of
from avionics.index.search.query import find_names, is_stop_word, stems_of, text_stems
from avionics.late_pattern import late_pattern
from avionics.model.enums import FUNCTIONS, SymbolKind, is_class
from avionics.model.knowledge import Definition
from avionics.model.naming import fold_name, last_part
from avionics.tools.resolution.symbol_resolver import find_folded

WORD = late_pattern(r"[^\W\d][\w.]*[^\W]|[^\W\d]")
_POSSESSIVE = late_pattern(r"(?<=\w)['’]s\b")
_MEMBER_KIND = r"(?:method|function|member|field|attribute|property|constant)"
_MEMBER_PHRASES = (
    late_pattern(
        rf"(?<![\w.])(?P<name>[^\W\d]\w*)(?:\(\))?(?: {_MEMBER_KIND})? (?:on|of|in|from) "
        r"(?=(?P<holder>\w+(?: \w+){0,4}))",
        re.IGNORECASE,
    ),
    late_pattern(r"(?<![\w.])(?P<holder>[^\W\d]\w*)['’]s (?P<name>[^\W\d]\w*)"),
    late_pattern(
        rf"(?<![\w.])(?P<holder>[^\W\d]\w*)(?: (?:have|has|needs?|with))?(?: (?:the|an?))?"
        rf" (?P<name>[^\W\d]\w*) {_MEMBER_KIND}\b",
        re.IGNORECASE,
    ),
)
"""How sentences name a member of a class: "focus on Screen", "Screen's focus", "the Screen focus method"."""
_TYPE_KIND = r"(?i:trait|interface|protocol|(?:abstract |base ){0,2}class|struct|enum)"
_OF_KIND = late_pattern(
    rf"(?<![\w.])[`'\"]?(?P<before>[A-Z][\w.:]*\w)[`'\"]? {_TYPE_KIND}\b"
    rf"|(?<!\w){_TYPE_KIND} [`'\"]?(?P<after>[A-Z][\w.:]*\w)"
)
"""A type with its kind: "the Listener trait"."""
_INTERFACE_KIND = late_pattern(r"\b(?:interface|trait|protocol)\b", re.IGNORECASE)
_OPTION = late_pattern(r"(?<![\w-])--([a-zA-Z]\w*(?:-\w+)+)")
"""An option of several words, the parts of which are not names."""
QUOTES = "`'\"?!.,;:"
"""Quotes and marks around a word, which are no part of it."""
_PROPER = late_pattern("[A-Z]{1,3}[a-z]{2,}")
_LITERALS = frozenset({"True", "False", "None", "Null", "Nil", "Undefined"})
_SENTENCE_END = late_pattern(r"[.?!]\s+(?=[A-Z])")
HYPHENATED = late_pattern(r"(?<![\w-])\w++(?:-\w++)+")
_MAX_EMPHASIZED_WORDS = 15
_MIN_WORD = 3
"""Characters; shorter words are the names of too many things if case is ignored."""
_WORDS_THRESHOLD = 6
"""In a longer sentence a plain word is rarely the name of a variable."""
_MIN_JOINED = 6
"""Characters; sentences contain shorter names of several words by coincidence: `is in`."""
_MAX_JOINED = 6
_SURE_JOINED = 3
"""The minimum number of consecutive words that may also be the name of a value."""
_MAX_CANDIDATES = 4
"""Words that are looked up from the end of the sentence: those near its start are rarely its subject."""
_MAX_SUBJECT_WORDS = 3
"""The maximum number of words of a sentence, besides stop words and those of questions, of which one may be a name."""
_MAX_FILES = 200
"""A plain word defined in more files is used only if no other word is a name."""
_MAX_WEIGHED = 300
"""Definitions with one name that are compared with the sentence."""
_MIN_ENDING, _MAX_ENDING = 3, 8
"""The least words of a name that may be the end of a longer one, and how many definitions with such names are read."""
QUESTION_WORDS = late_pattern(
    r"breaks?|call(?:ed|ers?|s)?|cover(?:ed|s)?|chang\w+|depend(?:ents?|s)?|exercises?|extends?|history"
    r"|implement(?:ers|s)?|import(?:ed|ers|s)?|inherits?|invokes?|overrid\w+|referenced?s?|remov\w+|rename\w*"
    r"|subclass(?:es)?|test(?:ed|s)?|touch(?:ed|es)?|usages?|use(?:[ds]|rs?)?|wrote"
    r"|throws?|raises?|catch(?:es)?|reads?|writes?|handles?|frees?|returns?|emits?|accesses"
    r"|param(?:eter)?s?|arg(?:ument)?s?|signature|takes?|another|gains?|loses?|delet\w+"
    r"|files?|functions?|methods?|class(?:es)?|modules?|packages?|places?"
    r"|interfaces?|traits?|structs?|protocols?|enums?|types?",
    re.IGNORECASE,
)
"""Words of the question itself; they are names only if a sentence has no others."""
_VERBS = frozenset({"add", "get", "make", "run", "set", "show", "use"})
"""Stop words with which names of functions begin."""


class _Candidate(Struct, frozen=True):
    """A name in a sentence.

    Attributes:
        found: Its possible definitions, best first.
        weight: How well they match the sentence.
        is_ambiguous: Whether several product files define it.
        is_sure: Whether the name has so many words of the sentence that it is not a coincidence.
    """

    found: tuple[Definition, ...]
    weight: int
    is_ambiguous: bool
    is_sure: bool

    @property
    def rank(self) -> tuple[bool, bool, int, bool]:
        """Return the sort key: classes and functions first, product code, the best match, unambiguous names."""
        first = self.found[0]
        is_value_or_test = is_value(first), role_of(first.file) >= FileRole.TEST
        return (*((False, False) if self.is_sure else is_value_or_test), -self.weight, self.is_ambiguous)


def resolve_mentions(
    code: CodeIndex, text: str, scope: str | None = None, *, is_loose: bool = True
) -> tuple[Definition, ...]:
    """Return the definitions that a sentence mentions, the most likely first.

    A member of a class comes first ("clear of the DataTable"), then names written as code, then plain words. Question
    words such as "add" are used only at the end of the sentence: "who calls add?". With `is_loose`, a plain word may be
    the plural of a class name or ignore its case, and consecutive words may be one name: "the content type parser".
    Without it, a longer sentence has no plain words that are names. An option (`--page-size`) is what is named after
    it. A dotted name of a library, or of a member that its class lacks, or of a class that no file names, means nothing
    else: the last part of `os.environ.get` is not a mention.
    """
    member = _find_member(code, text, scope)
    if member:
        return member
    text = _POSSESSIVE.sub("", text.replace("::", "."))
    options = [each.replace("-", "_") for each in _OPTION.findall(text)]
    for name in (spelled for each in options for spelled in (each, f"{each}s")):
        found = find_folded(code, name, scope)
        if found:
            return _sort_by_context(found, text, name)
    text = _OPTION.sub(" ", text)
    written = _resolve_written(code, text, scope, is_loose=is_loose)
    if written is not None:
        return written
    plain = split_plain(drop_described(code, text))
    candidates = list(_iter_candidates(code, plain, text, scope, is_loose=is_loose))
    best = min(candidates, key=lambda each: each.rank, default=None)
    if best is None or (is_value(best.found[0]) and not best.weight and len(plain) > _WORDS_THRESHOLD):
        return ()
    return best.found


def drop_described(code: CodeIndex, text: str) -> str:
    """Return a text without the nouns that say what names are which only text has: "the `render_row` tag".

    A tag of a template, a column or a key of a library may be defined nowhere in the workspace.
    """
    for name in (each for each in find_names(text) if "." not in each and not code.find_definitions(each)):
        if code.files_with_word(name):
            text = re.sub(rf"(?<=\bthe )([`'\"]?{re.escape(name)}[`'\"]?) [a-z]+\b", r"\1", text)
    return text


def _resolve_written(code: CodeIndex, text: str, scope: str | None, *, is_loose: bool) -> tuple[Definition, ...] | None:
    """Return the definitions of the first name in a text that is written as code, best match first.

    () if that name means nothing of the workspace, so no other word of the text is looked up; None if none is a name.
    """
    from avionics.index.analysis.outside_usages import is_outside_name

    # A question about `shop.cart_items.add` does not mean `cart_items`.
    for name in (each for each in find_names(text) if re.search(rf"(?<!\w){re.escape(each)}(?!\w|\.\w)", text)):
        found = code.find_definitions(name, scope=scope)
        if not found and is_outside_name(code, name):
            return ()
        found = found or (find_folded(code, name, scope) if is_loose else ())
        if is_loose and all(role_of(each.file) >= FileRole.TEST for each in found):
            found = _find_only_ending(code, name) or found
        if found:
            return _sort_by_context(found, text, name)
        holder = name.rpartition(".")[0]
        is_of_class = holder and any(is_class(each.kind) for each in code.find_definitions(holder))
        # A member that a class does not have is not one of another class.
        if is_of_class or is_of_absent_class(code, name):
            return ()
    return None


def is_of_absent_class(code: CodeIndex, name: str) -> bool:
    """Return whether a dotted name is that of a member of a class that no file names, and so means nothing else."""
    holder = last_part(name.rpartition(".")[0])
    return holder[:1].isupper() and not code.files_with_word(holder)


def _find_only_ending(code: CodeIndex, name: str) -> tuple[Definition, ...]:
    """Return the only function of the product whose name ends with several words, with its declarations, or ()."""
    words = name.strip("_").count("_") + 1
    ending = code.names.find_ending(name, _MAX_ENDING) if words >= _MIN_ENDING else ()
    found = tuple(each for each in ending if each.name.endswith(f"_{name}") and role_of(each.file) < FileRole.TEST)
    return found if len({each.name for each in found}) == 1 and all(each.kind in FUNCTIONS for each in found) else ()


def resolve_product_mentions(code: CodeIndex, text: str, scope: str | None = None) -> tuple[Definition, ...]:
    """Return the definitions that some words mention as an end of a path: none of tests, to which control does not get.

    A field is meant only by all of the words: "a file change" is no field `file`.
    """
    from avionics.index.analysis.symbol_usage import is_for_tests

    is_plain = len(text.split()) > 1 and not find_likely_names(text)
    product = (each for each in resolve_mentions(code, text, scope) if is_product(each.file))
    named = (each for each in product if not is_for_tests(code, each))
    return tuple(each for each in named if not (is_plain and is_value(each)) or _has_all(text, each))


def _has_all(text: str, definition: Definition) -> bool:
    """Return whether a definition, with what is around it, has all of several words."""
    unnamed, all_of_them = _count_unnamed(text, definition)
    return not unnamed and all_of_them > 1


def is_loosely_named(text: str, definition: Definition, asking: Set[str] = frozenset()) -> bool:
    """Return whether a definition, with what is around it, has only half of the words that mention it, or less.

    `asking` are the stems of words that are no part of the mention.
    """
    unnamed, all_of_them = _count_unnamed(text, definition, asking)
    return 2 * unnamed >= all_of_them > 1


def _count_unnamed(text: str, definition: Definition, asking: Set[str] = frozenset()) -> tuple[int, int]:
    """Return how many words of a text a definition, with what is around it, does not have, and how many there are."""
    words = {each for each in text_stems(text) if not is_stop_word(each)} - asking
    parts = (*definition.symbol.qualname.split("."), *re.split(r"[/.]", definition.file))
    return len(words.difference(stemmed for part in parts for stemmed in stems_of(part))), len(words)


def _find_member(code: CodeIndex, text: str, scope: str | None) -> tuple[Definition, ...]:
    """Return the members that a sentence names together with their class, best match first."""
    for phrase in _MEMBER_PHRASES:
        for match in phrase.finditer(text):
            name = match["name"]
            if is_stop_word(name) or QUESTION_WORDS.fullmatch(name):
                continue
            found: dict[Definition, None] = {}
            for holder in _list_classes(code, match["holder"].split(), scope):
                found |= dict.fromkeys(code.find_definitions(f"{holder.symbol.qualname}.{name}", scope=scope))
            if found:
                return _sort_by_context(tuple(found), text, name)
    return ()


def find_types_with_kind(code: CodeIndex, text: str, scope: str | None) -> tuple[Definition, ...]:
    """Return the types of the first name that a text calls a type, best match with the text first."""
    for match in _OF_KIND.finditer(text):
        name = (match["before"] or match["after"]).replace("::", ".")
        found = tuple(each for each in code.find_definitions(name, scope=scope) if is_class(each.kind))
        if found:
            return _sort_by_context(found, text, name)
    return ()


def get_written_interface(text: str) -> str:
    """Return the first name that a text calls an interface, trait or protocol; "" if there is none."""
    called = (match for match in _OF_KIND.finditer(text) if _INTERFACE_KIND.search(match[0]))
    return next((match["before"] or match["after"] for match in called), "")


def _list_classes(code: CodeIndex, words: list[str], scope: str | None) -> tuple[Definition, ...]:
    """Return the classes that most consecutive words name: `DataTable` for "the data table widget"."""
    for size in range(len(words), 0, -1):
        for start in range(len(words) - size + 1):
            window = words[start : start + size]
            if size == 1 and is_stop_word(window[0]):
                continue
            found = tuple(each for each in find_folded(code, "".join(window), scope) if is_class(each.kind))
            if found:
                return found
    return ()


def emphasize(code: CodeIndex, text: str) -> tuple[str, tuple[str, ...]]:
    """Return a short text with the names of classes and functions in backticks, and these names.

    A capitalized word within a sentence that is also a class or function means it: "is Context safe for goroutines?"
    A name after that of a variable means a member of the class with a similar name: `db.Create`, `DB.Create`.
    """
    words = text.split()
    if not 1 < len(words) <= _MAX_EMPHASIZED_WORDS or "`" in text:
        return text, ()
    proper = (each for each in (word.strip(QUOTES) for word in words[1:]) if _is_proper_name(code, each))
    meant = {each: each for each in proper}
    for written in find_names(text):
        if "." in written and not code.find_definitions(written) and (found := find_folded(code, written)):
            meant[written] = found[0].symbol.qualname
    for name, qualname in meant.items():
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", f"`{qualname}`", text)
    return text, tuple(dict.fromkeys(meant.values()))


def _is_proper_name(code: CodeIndex, word: str) -> bool:
    """Return whether a capitalized word is the name of a class or function of the product."""
    found = code.find_definitions(word) if _PROPER.fullmatch(word) else ()
    return any(not is_value(each) and role_of(each.file) < FileRole.TEST for each in found)


def find_proper_names(code: CodeIndex, text: str) -> tuple[Definition, ...]:
    """Return the definitions of the first capitalized word that is the name of a class or function of the product."""
    words = split_plain(HYPHENATED.sub(" ", text))
    named = next((each for each in words if _is_proper_name(code, each)), "")
    return tuple(each for each in code.find_definitions(named) if not is_value(each)) if named else ()


def find_likely_names(text: str) -> tuple[str, ...]:
    """Return the words of a sentence that are likely names: those written as code, then capitalized ones."""
    sentences = _SENTENCE_END.split(HYPHENATED.sub(" ", text))
    words = (word for each in sentences for word in split_plain(each)[1:])
    proper = (each for each in words if _PROPER.fullmatch(each) and each not in _LITERALS)
    return (*find_names(text.replace("::", ".")), *proper)


_ASKS_USERS = late_pattern(
    r"\W*(?:who|what|which \w+)(?: else)? (?:calls?|uses?|references?|invokes?|implements?|overrides?|extends?) "
    r"[`'\"]?([^\W\d]\w*)[`'\"]?(?:\(\))?\W*",
    re.IGNORECASE,
)
"""A question for the users of what one word names."""


def get_unknown(text: str) -> str:
    """Return the word of a sentence that is most likely a name; "" if there is none."""
    return next(iter(find_likely_names(text)), "")


def get_absent_word(code: CodeIndex, text: str) -> str:
    """Return the plain word whose users a text asks for, if no file contains it; else ""."""
    asked = _ASKS_USERS.fullmatch(text)
    return asked[1] if asked is not None and not code.files_with_word(asked[1]) else ""


def find_inflected(code: CodeIndex, word: str, scope: str | None) -> tuple[Definition, ...]:
    """Return the product's classes and functions that a plain word names, ignoring case and a plural ending."""
    for spelled in dict.fromkeys((word, word.removesuffix("s"), word.removesuffix("es"))):
        found = code.names.find_folded(spelled, scope=scope) if len(spelled) >= _MIN_WORD else ()
        meant = tuple(each for each in found if not is_value(each) and role_of(each.file) is not FileRole.TEST)
        if meant:
            return meant
    return ()


def is_value(definition: Definition) -> bool:
    """Return whether a definition is neither a class nor a function; sentences rarely refer to values."""
    return not is_class(definition.kind) and definition.kind not in {SymbolKind.FUNCTION, SymbolKind.METHOD}


def split_plain(text: str) -> list[str]:
    """Return the words of a text without the quotes and marks around them."""
    return [word.strip(QUOTES) for word in WORD.findall(text)]


def _iter_candidates(
    code: CodeIndex, plain: list[str], text: str, scope: str | None, *, is_loose: bool
) -> Iterator[_Candidate]:
    """Yield the names that plain words may be: several words as one name first, then single words from the last."""
    names = [*iter_joined(plain)]
    unstopped = [word for word in reversed(plain) if not is_stop_word(word)]
    of_subject = [word for word in unstopped if not QUESTION_WORDS.fullmatch(word)]
    if is_loose or len(of_subject) <= _MAX_SUBJECT_WORDS:
        names += [(word, 1) for word in dict.fromkeys(of_subject or [*unstopped, *plain[-1:]])]
    found, is_any = 0, False
    for name, words in names:
        if found == _MAX_CANDIDATES:
            return
        if is_any and words == 1 and len(code.files_defining(fold_name(name))) > _MAX_FILES:
            continue
        if words > 1:
            # "The file writer" may be the result of `newFileWriter`, whose type may have another name.
            meant = find_inflected(code, name, scope) or find_folded(code, f"new{name}", scope)
        else:
            meant = _find_plain(code, name, scope, is_loose=is_loose)
        meant = meant or (find_folded(code, name, scope) if words >= _SURE_JOINED else ())
        meant = tuple(each for each in meant if not each.name.startswith("__"))
        if meant:
            ordered, weight = _sort_and_weigh(meant, _get_context(text, name))
            product = {each.file for each in meant if role_of(each.file) < FileRole.TEST and not is_value(each)}
            found, is_any = found + (words == 1), True
            weight += words - 1 + (not name.islower() and ordered[0].name == name)
            yield _Candidate(ordered, weight, len(product) > 1, words >= _SURE_JOINED)


def iter_joined(plain: list[str]) -> Iterator[tuple[str, int]]:
    """Iterate over consecutive words joined to one name, the longest first, with the number of words."""
    for size in range(_MAX_JOINED, 1, -1):
        for start in range(len(plain) - size + 1):
            window = plain[start : start + size]
            says = [not is_stop_word(word) for word in window]
            name = "".join(window)
            is_start = says[0] or size >= _SURE_JOINED or window[0].lower() in _VERBS
            if all(says[1:]) and is_start and len(name) >= _MIN_JOINED:
                yield name, size


def _find_plain(code: CodeIndex, name: str, scope: str | None, *, is_loose: bool) -> tuple[Definition, ...]:
    """Return the definitions that one plain word names."""
    from avionics.index.analysis.outside_usages import is_imported_from_outside

    found = code.find_definitions(name, scope=scope)
    if not found and _PROPER.fullmatch(name) and is_imported_from_outside(code, name):
        return ()
    if is_loose and (not found or (name.islower() and all(map(is_value, found)))):
        return find_inflected(code, name, scope) or found
    return found


def _get_context(text: str, name: str) -> frozenset[str]:
    """Return the words and stems of a sentence without those of a name."""
    own = {*stems_of(name), *stems_of(name.rpartition(".")[2])}
    words = [word.lower() for word in WORD.findall(text) if not is_stop_word(word)]
    joined = (first + second for first, second in pairwise(words))
    return frozenset({*text_stems(text), *words, *joined} - own)


def _sort_by_context(found: tuple[Definition, ...], text: str, name: str) -> tuple[Definition, ...]:
    """Return the definitions that a name in a sentence may mean, best match with the rest of the sentence first."""
    return _sort_and_weigh(found, _get_context(text, name))[0]


def _sort_and_weigh(found: tuple[Definition, ...], context: frozenset[str]) -> tuple[tuple[Definition, ...], int]:
    """Return the definitions, best match with the sentence first, and how well the first one matches."""
    weights = {each: _weigh(each, context) for each in found[:_MAX_WEIGHED]} if len(found) > 1 or context else {}

    def rank(each: Definition) -> tuple[bool, bool, int]:
        return is_value(each), role_of(each.file) >= FileRole.TEST, -weights.get(each, 0)

    ordered = tuple(sorted(found, key=rank))
    return ordered, weights.get(ordered[0], 0)


def find_best_fitting(text: str, found: tuple[Definition, ...]) -> tuple[Definition, ...]:
    """Return the definitions of one name whose path and containers have most words of a sentence."""
    context = _get_context(text, found[0].name)
    weights = [_weigh(each, context) for each in found]
    return tuple(each for each, weight in zip(found, weights, strict=True) if weight == max(weights))


def _weigh(definition: Definition, context: frozenset[str]) -> int:
    """Return how many words of a sentence are in the path and containers of a definition."""
    parts = re.split(r"[/.]", f"{definition.file}.{definition.symbol.qualname}")
    words = {*(fold_name(part) for part in parts), *(stem for part in parts for stem in stems_of(part))}
    return len(context & words)
