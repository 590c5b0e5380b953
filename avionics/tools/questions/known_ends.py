"""Find the ends of the path that a question asks for, among the names that the code has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from avionics.index.search.query import find_names
from avionics.late_pattern import late_pattern
from avionics.model.naming import last_part
from avionics.tools.questions.ends_reader import iter_ends
from avionics.tools.questions.mention_resolver import find_likely_names, resolve_mentions, resolve_product_mentions
from avionics.tools.questions.path_mentions import get_path, is_project_name
from avionics.tools.questions.rules.intent_rules import KEY
from avionics.tools.resolution.option_targets import FLAG
from avionics.tools.resolution.outside_effects import get_outside_effect
from avionics.tools.resolution.path_resolver import WRITTEN_ROUTE, get_named_place
from avionics.tools.resolution.symbol_resolver import find_by_alias, find_folded

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex

_KEY = late_pattern(rf"(?:{KEY})(?: (?:in|on|at|of|inside|within) (?:the |a )?[\w ]+)?", re.IGNORECASE)
_REQUEST = late_pattern(r"(?:the |this |that |an? )?(?:request|call|route|endpoint|it)", re.IGNORECASE)
"""What a text calls the request to a route that it names before: "POST /orders: how does the request reach …"."""
_COMMAND = late_pattern(r"(?:the |this |that )?(?:sub)?command", re.IGNORECASE)
_STARTED = late_pattern(r"`([a-z][\w-]*(?: [a-z][\w-]*)+)(?: -[^`]*)?`", needs=("`",))
"""A command as a user types it, which the text then calls "the command"."""
_ENDS = 2
_PROGRAM_WORDS = frozenset({"command", "program", "tool", "script", "cli", "server", "client", "app", "process"})
"""Words after the name of a program that describe it; others may be its commands."""
_ENTRY = late_pattern(
    r"(?<!\S)(?:\S++ ){1,4}(?:(?:sub)?command|request|route|endpoint|task|event|program|script|tool|job)s?\Z",
    re.IGNORECASE,
)
"""The end of a text about a thing whose declaration only a search for entry points may find."""


def get_ends(code: CodeIndex, text: str) -> tuple[str, str] | None:
    """Return the ends of the path that a text asks for, None if it names no two.

    If the sentence calls an end "the handler" or "it", the ends are the two names that are written as code.
    """
    said = text.replace("::", ".")
    routes = [each[0] for each in WRITTEN_ROUTE.finditer(text)]
    # Abbreviations such as "IMAP" are words of the text.
    names = (each for each in find_names(WRITTEN_ROUTE.sub(" ", said)) if not (each.isalpha() and each.isupper()))
    written = {*names, *routes}
    whole = (each for each in written if not any(f".{each}." in f".{other}." and each != other for other in written))
    named = sorted((each for each in whole if _is_end(code, each)), key=said.find)
    sure = [each for each in named if each in routes or code.find_definitions(each)]
    commands = [each[1] for each in _STARTED.finditer(text) if is_project_name(code, each[1].partition(" ")[0])]
    for start, end in iter_ends(text):
        begins = routes[0] if routes and _REQUEST.fullmatch(start) else start
        begins = commands[0] if commands and _COMMAND.fullmatch(start) else begins
        ends = _name_command(code, begins), end
        asked = ends if ends[0] == begins else ends[1:]
        has_names = all(any(name in each.replace("::", ".") for name in sure) for each in ends)
        if (has_names or len(sure) != _ENDS) and all(_is_end(code, each) for each in asked):
            return ends
    return (named[0], named[1]) if len(named) == _ENDS else None


def _name_command(code: CodeIndex, text: str) -> str:
    """Return an end of a path; "shop add", with which a user starts the program, becomes its command."""
    program, _, rest = text.partition(" ")
    words = rest.split()
    is_named = bool(words) and all(map(str.isidentifier, words)) and _PROGRAM_WORDS.isdisjoint(words)
    return f"{rest} command" if is_named and is_project_name(code, program) else text


def find_half_known(code: CodeIndex, text: str) -> tuple[tuple[str, str], str]:
    """Return the ends of a path of which one exists, and the other one, a name that no file has; "" if there is none.

    That name is written as code or capitalized, as other words after "get to" may be no name at all.
    """
    names = {each.removesuffix("()") for each in find_likely_names(text)}
    for ends in iter_ends(text):
        unknown = [each for each in ends if not _is_end(code, each)]
        name = unknown[0].removesuffix("()") if len(unknown) == 1 else ""
        last = last_part(name.replace("::", "."))
        if name in names and last.isidentifier() and not code.files_with_word(last):
            return ends, unknown[0]
    return ("", ""), ""


def _is_end(code: CodeIndex, text: str) -> bool:
    """Return whether a text may be an end of a path: a name of the code, a path, a route or an event."""
    from avionics.index.analysis.outside_usages import is_outside_name

    if get_outside_effect(text) or FLAG.search(text) or _KEY.fullmatch(text):
        return True
    # Few questions have ends, and what looks for them imports much.
    from avionics.tools.resolution.described_functions import find_described, is_thing, map_performers, read_action
    from avionics.tools.resolution.flow_endpoints import START

    if START.fullmatch(text):
        return True
    action = read_action(text)
    if action is not None:
        # If no function prints letters, "printing the letters" does not mean another one about letters.
        mentioned = resolve_mentions(code, text)[:1]
        is_named = mentioned and (find_likely_names(text) or is_thing(action, mentioned[0]))
        return bool(is_named or map_performers(code, action))
    if "/" in text or len(text.split()) > 1:
        is_entry = "/" in text or bool(_ENTRY.search(text))
        is_place = bool(get_path(code, text, is_written=True) or get_named_place(code, text))
        is_called = is_entry or is_place or bool(resolve_product_mentions(code, text))
        return is_called or bool(find_described(code, text) or find_folded(code, "".join(text.split())))
    named = code.find_definitions(text.replace("::", ".")) or find_folded(code, text) or get_path(code, text)
    name = text.removesuffix("()")
    if named or find_by_alias(code, name) or get_named_place(code, name):
        return True
    if "." not in name or is_outside_name(code, name):
        return "." in name
    from avionics.index.entrypoints.data_entries import find_held, is_written

    return bool(find_held(code, name)) or is_written(code, name)
