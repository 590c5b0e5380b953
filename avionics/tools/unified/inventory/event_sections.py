"""Answer which events a program raises: signals that it declares, names that it emits, classes called events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.scopes.symbol_lookup import is_within
from avionics.late_pattern import late_pattern
from avionics.model.enums import Certainty, is_class
from avionics.model.naming import plural
from avionics.model.results import Coverage
from avionics.syntax.registry import get_language
from avionics.tools.answers.items import few
from avionics.tools.internal.files.grep_search import MatchItem, search_lines
from avionics.tools.questions.intents import Question
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer, make_section

if TYPE_CHECKING:
    from avionics.workspace import Workspace

_DECLARED = (
    r"\b(?P<declared>[A-Za-z_]\w{0,60})\s{0,9}(?::[^=]{1,40})?=\s{0,9}(?:new\s{1,9})?(?:\w{1,40}\.){0,4}"
    r"(?:Signal|NamedSignal|EventEmitter|signal)\s{0,9}(?:<[^>]{0,200}>\s{0,9})?\("
)
_EMITTED = (
    r"(?:\.|->|::|\b)(?:emit|dispatch|dispatchEvent|publish|trigger|fire|broadcast|do_action|apply_filters)"
    r"\w{0,60}\s{0,9}\(\s{0,9}"
    r"(?:new\s{1,9}\w{0,60}Event\s{0,9}\(\s{0,9})?[\"'`:](?P<emitted>[\w][\w.:/ -]{1,60})[\"'`]"
)
_LINE = late_pattern(rf"{_DECLARED}|{_EMITTED}")
_TYPE = late_pattern(r"\w+(?:Event|Signal)s?\Z")
_MAX_LINES, _MAX_SHOWN, _MAX_MEMBERS = 2_000, 40, 10


class EventItem(Struct, frozen=True):
    """An event: where it is declared or first announced, and in how many places it is."""

    file: str
    line: int
    event: str
    how: str
    places: int
    members: tuple[str, ...] = ()

    def to_text(self) -> str:
        more = f" in {plural(self.places, 'place')}" if self.places > 1 else ""
        members = f": {', '.join(few(self.members, _MAX_MEMBERS))}" if self.members else ""
        return f"{self.file}:{self.line}  {self.event} ({self.how}{more}){members}"


def answer_events(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the events that product code declares or emits; None if none is recognized."""
    place = question.place
    unnamed = f"{_DECLARED}|{_EMITTED}".replace("?P<declared>", "").replace("?P<emitted>", "")
    lines = search_lines(workspace.source, workspace.code, unnamed, place or ".", limit=_MAX_LINES).matches
    grouped: dict[tuple[str, str], list[MatchItem]] = {}
    for each in lines:
        match = _LINE.search(each.text)
        if match and get_language(each.file) and role_of(each.file) is FileRole.PRODUCT:
            key = (match["declared"], "declared") if match["declared"] else (match["emitted"], "announced")
            grouped.setdefault(key, []).append(each)
    items = [EventItem(found[0].file, found[0].line, name, how, len(found)) for (name, how), found in grouped.items()]
    types = _list_types(workspace, place)
    if not items and not types:
        return None
    items.sort(key=lambda each: (each.how != "declared", each.file, each.line))
    count = len(items) + len(types)
    counts = []
    if items:
        counts.append(f"{plural(len(items), 'event')} declared or announced by name")
    if types:
        counts.append(f"{plural(len(types), 'type')} called events")
    shown, shown_types = items[:_MAX_SHOWN], types[:_MAX_SHOWN]
    return build_answer(
        question,
        ", ".join(counts),
        Coverage(count, len(shown) + len(shown_types), Certainty.AT_LEAST, settled=True),
        make_section("events", "events", shown, 3.0, counts=True),
        make_section("event_types", "types", shown_types, 3.0, counts=True),
    )


def _list_types(workspace: Workspace, place: str | None) -> list[EventItem]:
    """Return the types of product code that are called events, with the members of enumerations."""
    code = workspace.code
    files = [each for each in code.files if role_of(each) is FileRole.PRODUCT and is_within(each, place)]
    found = []
    for each in code.iter_all_definitions(files):
        if is_class(each.kind) and each.symbol.parent < 0 and _TYPE.match(each.name):
            members = tuple(member.name for member in code.list_members(each) if member.name[:1].isupper())
            found.append(EventItem(each.file, each.line, each.name, each.kind.value, 1, members))
    return found
