"""What analyze answers: whatever parts a question needs, in the order in which they are read.

Knows: the parts.
Does not know: which question has which, how any is found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from avionics.model.results import Attempt, Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import CodeItem, NameItem, PlaceItem, SymbolItem, UnresolvedItem, UsageItem

if TYPE_CHECKING:
    from avionics.tools.composite.explain_code_history import AuthorItem, MentionItem
    from avionics.tools.composite.find_unused import UnknownItem
    from avionics.tools.composite.map_module import LinkItem, OfferItem, PartItem
    from avionics.tools.composite.tests_for_change import TestItem
    from avionics.tools.composite.trace_entry_point import EntryPointItem, FlowItem
    from avionics.tools.internal.files.grep_search import MatchItem
    from avionics.tools.internal.workspace.git_log import CommitItem
    from avionics.tools.resolution.ranked_search import RankedItem


def _is_kin(answer: AnalyzeAnswer) -> bool:
    """Whether an answer lists subclasses and overrides, and no usages."""
    return answer.kind == "kin" and not answer.usages


def _has_found(answer: AnalyzeAnswer) -> bool:
    """Whether the tests listed are those that were found to use something."""
    return answer.coverage.found > 0


@attrs.frozen
class AnalyzeAnswer:
    """What answers the question; which parts are there depends on its kind."""

    question: str
    kind: str
    summary: str
    coverage: Coverage
    attempts: tuple[Attempt, ...]
    lines: tuple[MatchItem, ...] = part("lines that hold it", share=3.0)
    symbols: tuple[RankedItem, ...] = part("best matches", share=3.0)
    definitions: tuple[SymbolItem, ...] = part("defined", share=1.0)
    other_definitions: tuple[SymbolItem, ...] = part("other definitions of that name, not counted here", share=0.7)
    purpose: tuple[PlaceItem, ...] = part("", share=0.5)
    api: tuple[OfferItem, ...] = part("public API, most imported first", share=4.0)
    submodules: tuple[PartItem, ...] = part("in it, most imported first", share=4.0)
    commits: tuple[CommitItem, ...] = part("commits, newest first", share=3.0)
    introduction: tuple[CommitItem, ...] = part("introduced by", share=1.0)
    mentions: tuple[MentionItem, ...] = part("pull requests and issues the messages name", share=0.5)
    authors: tuple[AuthorItem, ...] = part("authors", share=0.5)
    bases: tuple[SymbolItem, ...] = part("inherits from, nearest first", share=1.0)
    tests: tuple[TestItem, ...] = part("tests", share=4.0, counts=_has_found)
    unused: tuple[SymbolItem, ...] = part("unused", share=3.0, counts=True)
    public: tuple[SymbolItem, ...] = part("unused here, but public: code outside may use it", share=1.5, counts=True)
    unknown: tuple[UnknownItem, ...] = part("no use found, but one cannot be ruled out", share=1.5)
    usages: tuple[UsageItem, ...] = part("usages", share=3.0, counts=True)
    overrides: tuple[SymbolItem, ...] = part("overridden by", share=0.7, counts=_is_kin)
    subclasses: tuple[SymbolItem, ...] = part("subclasses and implementers", share=0.7, counts=_is_kin)
    unresolved: tuple[UnresolvedItem, ...] = part("possible usages", share=0.7)
    code: tuple[CodeItem, ...] = part("code", share=5.0)
    flow: tuple[FlowItem, ...] = part("what it calls", share=2.0)
    dependents: tuple[LinkItem, ...] = part("imported by", share=1.0)
    dependencies: tuple[LinkItem, ...] = part("imports, in the workspace", share=1.0)
    entry_points: tuple[EntryPointItem, ...] = part("entry points", share=1.0)
    near: tuple[NameItem, ...] = part("names like it", share=0.5)

    def headline(self) -> str:
        """What was found."""
        return self.summary


Composed = tuple[AnalyzeAnswer, ...]
"""One answer, or none where the question needs another way."""
