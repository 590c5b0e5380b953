"""What questions ask for, and how a rule recognizes it."""

from __future__ import annotations

import re
from enum import Enum
from functools import cached_property

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
        is_other = bool(self.unless) and re.match(self.unless, text, re.IGNORECASE) is not None
        return not is_other and self.pattern.search(text) is not None

    def get_group(self, text: str, name: str) -> str:
        """Return what a named group of the words matches in a text, "" if nothing."""
        found = self.pattern.search(text)
        return found[name] or "" if found else ""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Return the words as a pattern, compiled on first use because a question of one word never needs it."""
        return re.compile(rf"(?<!\w)(?:{self.words})(?!\w)", re.IGNORECASE)
