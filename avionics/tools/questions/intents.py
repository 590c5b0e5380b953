"""What questions ask for, and how a rule recognizes it."""

from __future__ import annotations

import re
import zlib
from enum import Enum
from functools import cache, cached_property
from pathlib import Path

import msgspec
from msgspec import Struct


class Intent(str, Enum):
    """What a question asks for."""

    TRACEBACK = "traceback"
    SYMBOL = "symbol"
    CODE = "code"
    PLACE = "place"
    MAP = "map"
    LIST_MODULES = "parts"
    USAGE = "usage"
    SIGNATURE = "signature"
    SUBTYPES = "kin"
    BASES = "bases"
    MEMBERS = "members"
    RETURNING = "returning"
    DEPRECATED = "deprecated"
    PACKAGES = "packages"
    MARKERS = "markers"
    LARGEST = "largest"
    ASYNCHRONOUS = "asynchronous"
    UNDOCUMENTED = "undocumented"
    USED_MOST = "used_most"
    RECURSIVE = "recursive"
    TEST_ONLY = "test_only"
    UNTESTED = "untested"
    CYCLES = "cycles"
    HOTSPOTS = "hotspots"
    TASK = "task"
    TABLES = "tables"
    START = "start"
    EVENTS = "events"
    KINDS = "kinds"
    CALLEES = "callees"
    IMPORTS = "imports"
    DEPENDENTS = "dependents"
    TESTS = "tests"
    CHANGES = "changes"
    CHANGE_TESTS = "change_tests"
    IMPACT = "impact"
    UNUSED = "unused"
    ENTRIES = "entries"
    HISTORY = "history"
    COMMITS = "commits"
    OPTION = "option"
    PATH = "path"
    ERROR = "error"
    KEY = "key"
    FLOW = "flow"
    PHRASE = "phrase"


class Needs(Enum):
    """What a question with an intent must be about."""

    SYMBOL = "a symbol"
    INTERFACE = "a type that others implement"
    PATH = "a directory or file"
    WRITTEN_PATH = "a directory or file that is written as a path"
    EITHER = "a symbol, directory or file"
    CHANGE = "two revisions, one, or what is not committed"
    TWO_ENDS = "where it starts and where it ends"
    TOPIC = "words that say which one is meant"
    NOTHING = "anything"


class IntentRule(Struct, frozen=True, dict=True):
    """Words that express an intent, and the kind of subject that the intent requires.

    Attributes:
        words: The words, as a pattern.
        needs: What the question must be about.
        example: A question that the rule reads, with `{}` for what it is about.
        unless: A pattern for the beginning of questions that the rule does not read; "" for none.
    """

    words: str
    intent: Intent
    needs: Needs
    example: str = ""
    unless: str = ""

    def reads(self, text: str) -> bool:
        """Return whether a text has the words."""
        if self.search(text) is None:
            return False
        return not self.unless or re.match(self.unless, text, re.IGNORECASE) is None

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match of `pattern` in a text, found without compiling alternatives that cannot match."""
        folded = fold_question(text)
        found: re.Match[str] | None = None
        for each in self._alternatives:
            if not each.may_match(folded):
                continue
            match = each.pattern.search(text)
            if match is not None and (found is None or match.start() < found.start()):
                found = match
        return found

    def get_group(self, text: str, name: str) -> str:
        """Return what a named group of the words matches in a text, "" if nothing."""
        found = self.search(text)
        return (found[name] or "") if found is not None and name in found.re.groupindex else ""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Return the words as one pattern; compiling it takes far longer than `search`."""
        return compile_words(self.words)

    @cached_property
    def _alternatives(self) -> tuple[Alternative, ...]:
        """Return the alternatives of the words; the words as a whole if `rule_words.json` lacks them."""
        parts = _load_parts().get(identify_words(self.words), ((0, len(self.words), ()),))
        return tuple(Alternative(self.words[start:end], needs) for start, end, needs in parts)


class Alternative(Struct, frozen=True, dict=True):
    """One of the alternatives of a rule's words.

    Attributes:
        words: The words, as a pattern.
        needs: Groups of texts; every text that the words match contains one text of each group, when folded.
    """

    words: str
    needs: tuple[tuple[str, ...], ...]

    def may_match(self, folded: str) -> bool:
        """Return whether a folded text has what a match needs."""
        return all(any(text in folded for text in group) for group in self.needs)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Return the words as a pattern, compiled on first use."""
        return compile_words(self.words)


Part = tuple[int, int, tuple[tuple[str, ...], ...]]
"""Where an alternative starts and ends in the words of its rule, and what it needs."""

RULE_WORDS = Path(__file__).with_name("rule_words.json")
"""The parts of the words of every rule, written by `python -m tests.tools.rule_words --write`.

Compiling all rules takes ten times as long as starting Python, and a question has the words of few alternatives.
"""


def compile_words(words: str) -> re.Pattern[str]:
    """Return a pattern for words that are not parts of longer words."""
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)


def fold_question(text: str) -> str:
    """Return a text in which letters that a pattern takes for the same are the same."""
    # Patterns also take the dotless i and the I with a dot for an i.
    return text.casefold().replace("i\u0307", "i").replace("\u0131", "i")


def identify_words(words: str) -> str:
    """Return the key of a rule's words in `rule_words.json`."""
    return f"{zlib.crc32(words.encode()):08x}"


@cache
def _load_parts() -> dict[str, tuple[Part, ...]]:
    return msgspec.json.decode(RULE_WORDS.read_bytes(), type=dict[str, tuple[Part, ...]])
