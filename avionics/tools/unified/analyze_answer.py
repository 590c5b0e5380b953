"""The answer of analyze: a sequence of sections, most of them taken from the answers of other tools."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from msgspec import Struct

from avionics.model.enums import Certainty
from avionics.model.reasons import Reason
from avionics.model.results import Attempt, Coverage
from avionics.tools.answers.answer import AnswerPart, Section, sections
from avionics.tools.answers.items import SymbolItem, symbol_items
from avionics.tools.questions.intents import Question

_KEYS = (
    "lines", "symbols", "definitions", "other_definitions", "purpose", "api", "submodules", "commits", "introduction",
    "mentions", "authors", "bases", "tests", "unused", "public", "unknown", "usages", "overrides", "subclasses",
    "unresolved", "code", "flow", "options",
    "importers", "imports", "external", "run", "steps", "changed_files", "dependents", "dependencies", "entry_points",
    "near", "packages", "changes", "proven", "possible", "owners", "untested",
)  # fmt: skip
"""The keys that the JSON of every answer has, so that programs need not test for them."""


class AnalyzeAnswer(Struct, frozen=True):
    """The answer to a question; its sections depend on the question, and its locations are those of `revision`."""

    question: str
    kind: str
    summary: str
    coverage: Coverage
    attempts: tuple[Attempt, ...] = ()
    revision: str = ""
    sections: tuple[Section, ...] = sections(_KEYS)

    OMITTED: ClassVar[frozenset[str]] = frozenset({"sections"})

    def headline(self) -> str:
        """Return one line that summarizes the answer."""
        return self.summary

    def get_items(self, name: str) -> tuple[Any, ...]:
        """Return the items of a section, () if the answer does not have it."""
        return next((section.items for section in self.sections if section.name == name), ())


def build_answer(
    question: Question, summary: str, coverage: Coverage, *groups: Section | Iterable[Section]
) -> AnalyzeAnswer:
    """Return the answer to a question with sections in the given order."""
    ordered = tuple(each for group in groups for each in ((group,) if isinstance(group, Section) else group))
    return AnalyzeAnswer(question.text, question.intent.value, summary, coverage, sections=ordered)


def build_list(
    question: Question,
    summary: str,
    title: str,
    items: Sequence[Any],
    certainty: Certainty = Certainty.EXACT,
    *,
    key: str = "members",
    found: int | None = None,
    reasons: tuple[Reason, ...] = (),
) -> AnalyzeAnswer:
    """Return an answer that is one list; `found` is the number of results if not all of them are listed."""
    count = len(items) if found is None else found
    coverage = Coverage(count, len(items), certainty, reasons=reasons, settled=True)
    return build_answer(question, summary, coverage, make_section(key, title, items, 5.0, counts=True))


def make_section(name: str, title: str, items: Sequence[Any], share: float = 1.0, *, counts: bool = False) -> Section:
    """Return a section that is not part of another tool's answer."""
    return Section(name, AnswerPart(title, share, counts), tuple(items))


def list_others(question: Question, shown: Iterable[SymbolItem] = ()) -> Section:
    """Return the section of other definitions with the name in the question that no other section shows."""
    places = {(each.file, each.line) for each in shown}
    items = [each for each in symbol_items(question.find_others()) if (each.file, each.line) not in places]
    return make_section("other_definitions", "other definitions with this name, not counted", items, 0.7)


def name_commit(commit: str, subject: str) -> str:
    """Return the beginning of a summary that names the commit which tells most."""
    return f"the commit whose message fits best is {commit[:10]}: {subject}; "
