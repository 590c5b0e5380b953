"""The options that commands share, and the command lines of `run`, `ask` and `check` that need no more than these.

Importing click and building its commands takes about a tenth of the time of a short answer. Click declares every
command and explains what is wrong with a command line; here the plain ones are read, from the same declarations. Their
classes are plain, because `--version` and `--help` need no msgspec.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from enum import Enum
from pathlib import Path
from typing import Any


class OptionValue(str, Enum):
    """The kinds of value that an option takes."""

    FLAG = "flag"
    TEXT = "text"
    CHOICE = "choice"
    DIRECTORY = "directory"
    COUNT = "count"
    SECONDS = "seconds"


class Option:
    """An option of a command.

    Attributes:
        names: How it is written.
        key: The parameter that receives its value.
        kind: The values it takes.
        metavar: How the help text writes its value.
        is_repeated: Whether it may be given several times, so that its value is a tuple.
        default: Its value where it is not given.
        choices: The texts that a choice is among.
    """

    __slots__ = ("choices", "default", "help", "is_repeated", "key", "kind", "metavar", "names")

    def __init__(
        self,
        names: tuple[str, ...],
        key: str,
        kind: OptionValue,
        help: str,
        metavar: str = "",
        is_repeated: bool = False,
        default: Any = None,
        choices: tuple[str, ...] = (),
    ) -> None:
        self.names, self.key, self.kind, self.help, self.metavar = names, key, kind, help, metavar
        self.is_repeated, self.default, self.choices = is_repeated, default, choices


REPO = Option(
    ("--repo",), "repo", OptionValue.DIRECTORY, "The directory to ask about.  [default: the current one]", "DIR",
    default=Path(),
)  # fmt: skip
JSON = Option(("--json",), "as_json", OptionValue.FLAG, "Print one JSON document.")
BUDGET = Option(
    ("--budget",), "budget", OptionValue.COUNT, "Length limit of the answer; 0 is unlimited, the default with --json.",
    "TOKENS",
)  # fmt: skip
TIMEOUT = Option(("--timeout",), "timeout", OptionValue.SECONDS, "Time limit in seconds.", "S")
NO_IGNORE = Option(
    ("--no-ignore",), "no_ignore", OptionValue.FLAG,
    "Include files that .gitignore and similar files exclude, as AVIONICS_NO_IGNORE=1 does.",
)  # fmt: skip
REVISION = Option(
    ("--rev",), "rev", OptionValue.TEXT,
    "Ask about a commit, tag or branch, such as HEAD~10, instead of the files on the disk.", "REVISION",
)  # fmt: skip
FLEET = Option(
    ("--fleet",), "fleet", OptionValue.TEXT,
    "Ask the repositories of a fleet; AVIONICS_FLEET_GROUPS names your access groups.  "
    "[default: AVIONICS_FLEET, unless --repo or --rev is given]", "URL",
)  # fmt: skip
PARAM = Option(
    ("-p", "--param"), "given", OptionValue.TEXT, "A parameter; repeat for more.", "KEY=VALUE", is_repeated=True
)
EXPLAIN = Option(
    ("--explain",), "explain", OptionValue.FLAG, "Show the plan, each step with its time, and the evidence."
)
STAGED = Option(
    ("--staged",), "staged", OptionValue.FLAG, "Check what is staged for the next commit, not the files on disk."
)
NOTES = Option(("--notes",), "notes", OptionValue.FLAG, "Also report definitions that the change leaves unused.")
FORMAT = Option(
    ("--format",), "form", OptionValue.CHOICE, "How to print.  [default: text]", default="text",
    choices=("text", "json", "sarif", "github"),
)  # fmt: skip
FAIL_ON = Option(
    ("--fail-on",), "fail_on", OptionValue.CHOICE,
    "The lowest severity that sets exit code 1.  [default: error]", default="error",
    choices=("error", "warning", "never"),
)  # fmt: skip
CALL_OPTIONS = (REPO, REVISION, NO_IGNORE, JSON, BUDGET, TIMEOUT)
"""The options of every call."""


class PlainLine:
    """What the command line of `run`, `ask` or `check` says.

    Attributes:
        words: The arguments that are not options.
        options: Each option's key → its value.
        given: The keys of the options that are there.
    """

    __slots__ = ("command", "given", "options", "words")

    def __init__(self, command: str, words: tuple[str, ...], options: Mapping[str, Any], given: frozenset[str]) -> None:
        self.command, self.words, self.options, self.given = command, words, options, given


_OPTIONS = {
    "run": {name: each for each in (PARAM, *CALL_OPTIONS, FLEET) for name in each.names},
    "ask": {name: each for each in (EXPLAIN, *CALL_OPTIONS, FLEET) for name in each.names},
    "check": {name: each for each in (STAGED, NOTES, FORMAT, FAIL_ON, JSON, REPO) for name in each.names},
}
_WORDS = {"run": range(1, 3), "ask": range(1, 10_001), "check": range(3)}
"""The number of positional arguments of each command."""


is_ignoring: ContextVar[bool] = ContextVar("is_ignoring", default=True)
"""Whether the command leaves out the files that `.gitignore` and the like name."""


def read_plain(line: list[str]) -> PlainLine | None:
    """Return what a command line says; None if click has to parse it or to report what is wrong with it."""
    options = _OPTIONS.get(line[0]) if line else None
    if options is None:
        return None
    words: list[str] = []
    given: dict[str, Any] = {}
    rest = iter(line[1:])
    for word in rest:
        name, equals, value = word.partition("=")
        if not word.startswith("-"):
            words.append(word)
            continue
        option = options.get(name)
        if option is None or (equals and (option.kind is OptionValue.FLAG or not name.startswith("--"))):
            return None
        read = option.kind is OptionValue.FLAG or _read_value(option, value if equals else next(rest, ""))
        if read is None:
            return None
        given[option.key] = (*given.get(option.key, ()), read) if option.is_repeated else read
    if len(words) not in _WORDS[line[0]] or not all(words):
        return None
    unset = {each.key: _get_default(each) for each in options.values()}
    return PlainLine(line[0], tuple(words), unset | given, frozenset(given))


def _get_default(option: Option) -> Any:
    """Return the value of an option that is not given."""
    if option.is_repeated:
        return ()
    return False if option.kind is OptionValue.FLAG else option.default


def _read_value(option: Option, text: str) -> Any:
    """Return the value of an option; None if it may be invalid."""
    if not text or text.startswith("-") or (option.choices and text not in option.choices):
        return None
    return _READERS[option.kind](text)


def _read_directory(text: str) -> Path | None:
    return Path(text) if os.path.isdir(text) and os.access(text, os.R_OK) else None


def _read_count(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else None


def _read_seconds(text: str) -> float | None:
    whole, _, part = text.partition(".")
    is_number = text.isascii() and whole.isdigit() and (not part or part.isdigit())
    return (float(text) or None) if is_number else None


_READERS: Mapping[OptionValue, Callable[[str], Any]] = {
    OptionValue.TEXT: str,
    OptionValue.CHOICE: str,
    OptionValue.DIRECTORY: _read_directory,
    OptionValue.COUNT: _read_count,
    OptionValue.SECONDS: _read_seconds,
}
