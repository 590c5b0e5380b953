"""A review: what a pull request changes, breaks, reaches and leaves untested, from the tools about changes."""

from __future__ import annotations

import posixpath
from collections import Counter
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from avionics.index.model.file_roles import FileRole, role_of
from avionics.pictures.mermaid import write_reach
from avionics.tools.answers.answer import to_result
from avionics.tools.composite.check_change import CheckChangeAnswer, answer_check
from avionics.tools.composite.compare_revisions import CompareRevisionsAnswer, compare_revisions
from avionics.tools.composite.impact_of_change import ImpactOfChangeAnswer, impact_of_change
from avionics.tools.composite.tests_for_change import TestsForChangeAnswer, tests_for_change
from avionics.tools.resolution.revision_pair import open_revision_pair

if TYPE_CHECKING:
    from avionics.workspace import Workspace


class Review(Struct, frozen=True):
    """What a reviewer needs to know of a change; each part is the answer of a tool."""

    checked: CheckChangeAnswer
    compared: CompareRevisionsAnswer
    impact: ImpactOfChangeAnswer
    tests: TestsForChangeAnswer

    @property
    def modules(self) -> tuple[tuple[str, int], ...]:
        """Return the product directories that depend on the change, with how many functions and classes in each."""
        counts = Counter(
            posixpath.dirname(each.file) or "." for each in self.impact.proven if role_of(each.file) is FileRole.PRODUCT
        )
        return tuple(sorted(counts.items(), key=lambda each: (-each[1], each[0])))

    def draw_reach(self) -> str:
        """Return the Mermaid flowchart of the files that use what changed; "" if no other file does."""
        links = Counter(
            (each.on_file, each.file) for each in self.impact.proven if each.on_file and each.on_file != each.file
        )
        changed = dict.fromkeys(each.file for each in self.impact.changes if each.file)
        return write_reach(links, tuple(changed)) if links else ""

    def to_dict(self) -> dict[str, Any]:
        """Return the answers as plain data, by subject."""
        parts = {"check": self.checked, "changes": self.compared, "impact": self.impact, "tests": self.tests}
        data = {name: to_result(answer).data for name, answer in parts.items()}
        return {**data, "modules": [list(each) for each in self.modules], "reach": self.draw_reach()}


def build_review(workspace: Workspace, base: str, head: str | None, baseline: frozenset[str]) -> Review:
    """Return the review of a change; `head` is None for the files on disk, `baseline` has the accepted findings."""
    checked = answer_check(open_revision_pair(workspace, base, head), baseline, notes=True)
    return Review(
        checked,
        compare_revisions(workspace, base, head),
        impact_of_change(workspace, base, head),
        tests_for_change(workspace, base, head),
    )
