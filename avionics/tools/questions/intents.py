"""What questions ask for, how a rule recognizes it, and how a question was understood."""

from __future__ import annotations

import re
import zlib
from enum import Enum
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

import msgspec
from msgspec import Struct

from avionics.late_pattern import late_pattern
from avionics.model.enums import is_class

if TYPE_CHECKING:
    from avionics.index.search.query import Query
    from avionics.model.knowledge import Definition
    from avionics.tools.questions.change_reader import AskedChange

WHAT = r"(?:(?:at|by|for|from|in|on|to|under|with) )?(?:what|which|whom|how many)"
"""The words with which a question asks for a thing."""
ASKS = late_pattern(
    rf"\W*(?:{WHAT}|who|where|how|why|when|is|are|does|do|can|could|should|list|show|explain|find)\b(?!['’]| not\b)",
    re.IGNORECASE,
)
"""The beginning of a question, with which no printed message begins."""


class Intent(str, Enum):
    """What a question asks for, in a word and in a phrase."""

    meaning: str

    def __new__(cls, word: str, meaning: str) -> Self:
        intent = str.__new__(cls, word)
        intent._value_ = word
        intent.meaning = meaning
        return intent

    TRACEBACK = "traceback", "a traceback: the code that its frames lead to"
    SYMBOL = "symbol", "a name: its definition, code and users"
    CODE = "code", "the definition and code of a symbol"
    PLACE = "place", "a place: the code there, and who uses it"
    MAP = "map", "the contents of a directory or file"
    LIST_MODULES = "parts", "the modules of the workspace or a directory"
    USAGE = "usage", "who uses a symbol"
    SIGNATURE = "signature", "what a changed signature affects: every use of a symbol"
    SUBTYPES = "kin", "who inherits or overrides"
    BASES = "bases", "what a class inherits from"
    MEMBERS = "members", "the members of a class"
    RETURNING = "returning", "the functions that return or take a type"
    DEPRECATED = "deprecated", "what is marked as deprecated"
    PACKAGES = "packages", "the external packages that are declared and imported"
    MARKERS = "markers", "the comments that mark open work, such as TODO"
    LARGEST = "largest", "the longest definitions or files"
    ASYNCHRONOUS = "asynchronous", "the functions that are declared as asynchronous"
    UNDOCUMENTED = "undocumented", "the definitions without documentation"
    USED_MOST = "used_most", "the functions, classes or files that others use most"
    RECURSIVE = "recursive", "the functions that call themselves"
    TEST_ONLY = "test_only", "the definitions that only tests use"
    UNTESTED = "untested", "the definitions that no test mentions"
    CYCLES = "cycles", "the files that import one another"
    HOTSPOTS = "hotspots", "the files that change most often"
    TASK = "task", "the commands that run, test or build the project"
    TABLES = "tables", "the tables of the database"
    START = "start", "what to read first"
    EVENTS = "events", "the events that code emits"
    KINDS = "kinds", "the classes or constants of a kind"
    CALLEES = "callees", "what a function calls"
    IMPORTS = "imports", "what a file imports"
    DEPENDENTS = "dependents", "who imports a directory or file"
    TESTS = "tests", "the tests of some code"
    CHANGES = "changes", "what differs between two revisions"
    CHANGE_TESTS = "change_tests", "the tests to run for a change"
    IMPACT = "impact", "what depends, directly or indirectly, on a change that was made or is planned"
    UNUSED = "unused", "unused definitions"
    ENTRIES = "entries", "the entry points"
    HISTORY = "history", "why code is as it is: its commits"
    COMMITS = "commits", "the commits of a period, an author or a directory"
    OPTION = "option", "which option, setting or environment variable controls something"
    PATH = "path", "how control gets from one place to another"
    ERROR = "error", "a message: where it is written"
    KEY = "key", "a key: where it is bound, and what handles it"
    FLOW = "flow", "how something works: the best matches and what they call"
    PHRASE = "phrase", "a phrase: the best matches"


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


class Question(Struct, frozen=True):
    """A question as it was understood.

    Attributes:
        intent: What it asks for.
        query: Its words, for a search.
        definition: The symbol it is about, if any.
        others: The other definitions with the name that it used.
        path: The file or directory it is about, if any; "." for everything.
        scope: The path of a directory or file to stay within.
        missing: The name or path it is about, if that does not exist.
        is_about_name: Whether it asks only what one name means.
        is_without_tests: Whether it asks for what is not in tests.
        change: The revisions it is about, if any.
        ends: The start and the end of the path that it asks for, if any.
        wanted: What the first rule that recognized its words needs, if nothing that the question is about exists.
        about: Words that restrict a list to what they name: "orders" in "the routes for orders".
    """

    intent: Intent
    query: Query
    definition: Definition | None = None
    others: tuple[Definition, ...] = ()
    path: str = ""
    line: int = 0
    scope: str | None = None
    missing: str = ""
    is_about_name: bool = False
    is_without_tests: bool = False
    change: AskedChange | None = None
    ends: tuple[str, str] | None = None
    wanted: Intent | None = None
    about: str = ""

    @property
    def text(self) -> str:
        """Return the words of the question."""
        return self.query.text

    @property
    def place(self) -> str | None:
        """Return the file or directory that the question is about or stays within; None for the whole workspace."""
        return self.path or self.scope or None

    @property
    def subject(self) -> str:
        """Return the name or path that the question is about; "" if there is none."""
        return self.definition.symbol.qualname if self.definition else self.path

    def find_others(self) -> tuple[Definition, ...]:
        """Return the other definitions with the name, without constructors of the class that is asked about."""
        if self.definition is None or not is_class(self.definition.kind):
            return self.others
        file, span = self.definition.file, self.definition.symbol.span
        return tuple(each for each in self.others if each.file != file or not span.contains(each.line))


@cache
def _load_parts() -> dict[str, tuple[Part, ...]]:
    return msgspec.json.decode(RULE_WORDS.read_bytes(), type=dict[str, tuple[Part, ...]])
