"""Answer questions about a change: its contents, what it affects, and the tests to run for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from avionics.index.model.file_roles import FileRole, role_of
from avionics.tools.answers.answer import take_sections
from avionics.tools.answers.items import few
from avionics.tools.questions.change_reader import AskedChange
from avionics.tools.questions.mention_resolver import PATHLIKE
from avionics.tools.questions.question_reader import Question
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer, list_others, make_section

if TYPE_CHECKING:
    from avionics.tools.composite.compare_revisions import CompareRevisionsAnswer
    from avionics.workspace import Workspace

_MAX_SCOPES = 5
"""Files with the same name that are compared."""
_MAX_NAMES = 6
"""Names that are listed of each kind of change in a file."""


class ChangedFileItem(Struct, frozen=True):
    """A changed file and its changed symbols, by kind of change; the line is that of the first."""

    file: str
    line: int
    changes: tuple[tuple[str, tuple[str, ...]], ...]

    def to_text(self) -> str:
        """Return one line."""
        said = "; ".join(f"{kind} {', '.join(few(names, _MAX_NAMES))}" for kind, names in self.changes)
        return f"{self.file}:{self.line} {said}"


def answer_changes(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the differences between two revisions: API breaks and signatures first, then symbols by file."""
    from avionics.tools.composite.compare_revisions import compare_revisions

    change = question.change or AskedChange()
    base, head = _get_base(workspace, change) or "HEAD", _head_of(change)
    # Of several files with the name in the question that one is meant which changed.
    compared = (compare_revisions(workspace, base, head, scope) for scope in _list_scopes(workspace, question))
    first = next(compared)
    found = first if first.coverage.found else next((each for each in compared if each.coverage.found), first)
    # Changes in tests are listed by file, because no other code calls them.
    product = tuple(each for each in found.signatures if role_of(each.file) < FileRole.TEST)
    breaks, signatures, renamed = take_sections(
        structs.replace(found, signatures=product), "breaks", "signatures", "renamed"
    )
    return structs.replace(
        build_answer(
            question,
            found.headline(),
            found.coverage,
            breaks,
            structs.replace(signatures, shown=structs.replace(signatures.shown, counts=False)),
            make_section("changed_files", "changed files", _group_by_file(found), 4.0),
            renamed,
        ),
        revision=found.revision,
    )


def _list_scopes(workspace: Workspace, question: Question) -> Sequence[str | None]:
    """Return the directories or files that a question may be about, the likeliest first."""
    if not question.path:
        return [question.scope or None]
    written = (each.strip("/") for each in PATHLIKE.findall(question.text))
    name = next((each for each in written if question.path.endswith(f"/{each}")), question.path)
    return [question.path, *(each for each in workspace.code.files if each.endswith(f"/{name}"))][:_MAX_SCOPES]


def _group_by_file(found: CompareRevisionsAnswer) -> tuple[ChangedFileItem, ...]:
    """Return the changed symbols by file, product files with most of them first."""
    kinds = {
        "signature": found.signatures,
        "changed": found.bodies,
        "added": found.added,
        "removed": found.removed,
        "moved": found.moved,
        "comments": found.comments,
    }
    by_file: dict[str, dict[str, list[str]]] = {}
    lines: dict[str, int] = {}
    for kind, items in kinds.items():
        for each in items:
            file = each.file or each.was.rpartition(":")[0]
            by_file.setdefault(file, {}).setdefault(kind, []).append(each.symbol or "top-level code")
            lines.setdefault(file, each.line or 1)

    def rank(file: str) -> tuple[FileRole, int, str]:
        return role_of(file), -sum(len(names) for kind, names in by_file[file].items() if kind != "comments"), file

    return tuple(
        ChangedFileItem(file, lines[file], tuple((kind, tuple(names)) for kind, names in by_file[file].items()))
        for file in sorted(by_file, key=rank)
    )


def answer_impact(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return what depends on a change that was made, or on one of a symbol or file that is planned."""
    from avionics.tools.composite.impact_of_change import impact_of_change, predict_impact

    if question.change is not None:
        found = impact_of_change(workspace, _get_base(workspace, question.change), _head_of(question.change))
    else:
        found = predict_impact(workspace, question.definition, question.path)
    answer = build_answer(question, found.headline(), found.coverage, take_sections(found), list_others(question))
    return structs.replace(answer, revision=found.revision)


def answer_change_tests(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the tests to run for a change, ranked."""
    from avionics.tools.composite.tests_for_change import tests_for_change

    change = question.change or AskedChange()
    found = tests_for_change(workspace, _get_base(workspace, change), _head_of(change))
    answer = build_answer(question, found.headline(), found.coverage, take_sections(found))
    return structs.replace(answer, revision=found.revision)


def _get_base(workspace: Workspace, change: AskedChange) -> str | None:
    """Return the revision before a change: what changed in a release is compared with the release before it.

    Raises:
        UsageError: There is no such revision.
    """
    if not change.is_one or change.head is None:
        return change.base
    workspace.history.require_commit(change.head)
    return workspace.history.get_release_before(change.head) or change.base


def _head_of(change: AskedChange) -> str | None:
    from avionics.tools.resolution.revision_pair import STAGED

    return STAGED if change.is_staged else change.head
