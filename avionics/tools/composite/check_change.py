"""check_change: what a change breaks, each finding with the place of the change and every broken place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec import structs

from avionics.index.verdicts.findings import ChangeFinding, OutsideFile, Proof, Severity
from avionics.model.naming import plural
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.source.paths import SkipReason
from avionics.syntax.registry import get_language
from avionics.tools.answers.answer import part
from avionics.tools.answers.change_items import RevisionAnswer
from avionics.tools.answers.findings import FindingItem
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.contract_reader import find_broken_rules
from avionics.tools.resolution.revision_pair import RevisionPair, open_revision_pair
from avionics.workspace import Workspace

if TYPE_CHECKING:
    from avionics.index.verdicts.check import CheckedHalf

_NAMED = 3
"""Files named in a reason; all are counted."""


class CheckChangeAnswer(RevisionAnswer, frozen=True):
    """The breaks of a change."""

    errors: tuple[FindingItem, ...] = part("errors", share=4.0, counts=True)
    warnings: tuple[FindingItem, ...] = part("warnings", share=2.0, counts=True)
    infos: tuple[FindingItem, ...] = part("notes", share=1.0, counts=True)

    @property
    def findings(self) -> tuple[FindingItem, ...]:
        """Return all findings, most severe first."""
        return (*self.errors, *self.warnings, *self.infos)


@tool(
    ToolId.CHECK_CHANGE,
    accepts="one or two revisions, by default the uncommitted changes",
    returns="what the change breaks: proven errors with every broken place, possible ones, and the fix where evident",
)
def check_change(
    workspace: Workspace, base: str | None = None, head: str | None = None, notes: bool = False
) -> CheckChangeAnswer:
    """Check what a change breaks: removed names still used, calls that do not fit, missing imports.

    Args:
        base: The revision before (default: HEAD).
        head: The revision after (default: the files on disk).
        notes: Also report definitions that the change leaves unused.
    """
    pair = open_revision_pair(workspace, base, head)
    return answer_check(pair, frozenset(), notes=notes)


def answer_check(
    pair: RevisionPair,
    baseline: frozenset[str],
    *,
    notes: bool = False,
    receive_half: Callable[[], CheckedHalf | None] | None = None,
) -> CheckChangeAnswer:
    """Return the breaks between two versions, without those that a baseline (their keys) or a comment accepts.

    Notes on definitions that are left unused take longer. `receive_half` is that of `verdicts.check.check_change`.
    """
    from avionics.index.verdicts.check import Notes, sort_findings
    from avionics.index.verdicts.check import check_change as find_findings
    from avionics.index.verdicts.suppression import split_suppressed

    extent = Notes.ALL if notes else Notes.QUICK
    before, after = pair.before.code, pair.after.code
    verdict = find_findings(before, after, pair.files, extent, receive_half)
    if before.unread or after.unread:
        # What a file defines or passes on seems to be missing if there was no time to read it.
        before, after = before.with_every_file(), after.with_every_file()
        verdict = find_findings(before, after, pair.files, extent)
    unread = len({*before.unread, *after.unread})
    if unread:
        verdict = structs.replace(verdict, findings=tuple(map(_mark_possible, verdict.findings)))
    broken = find_broken_rules(pair.base, pair.head, pair.files)
    kept, suppressed = split_suppressed(after, sort_findings((*verdict.findings, *broken)))
    shown = tuple(each for each in kept if each.key not in baseline)
    outside = (*verdict.outside, *_iter_large(pair, verdict.names))
    reasons = [*pair.reasons, *_list_outside(outside), *pair.list_other_files()]
    if unread:
        reasons.append(Reason(ReasonKind.FILES_NOT_READ, unread))
    reasons += [
        Reason(ReasonKind.NAMES_SEARCHED_IN_PART, each.searched, subject=each.name, total=each.total)
        for each in verdict.cut
    ]
    if suppressed:
        reasons.append(Reason(ReasonKind.FINDINGS_SUPPRESSED, len(suppressed)))
    if len(shown) < len(kept):
        reasons.append(Reason(ReasonKind.FINDINGS_IN_BASELINE, len(kept) - len(shown)))
    items = [FindingItem.of(each) for each in shown]
    by_severity = {name: tuple(e for e in items if e.severity == name) for name in ("error", "warning", "info")}
    return CheckChangeAnswer(
        pair.title,
        _summarize(items, len(pair.files)),
        pair.revision,
        Coverage.of(len(items), is_exact=not (outside or verdict.cut or unread), reasons=tuple(reasons), settled=True),
        by_severity["error"],
        by_severity["warning"],
        by_severity["info"],
    )


def _mark_possible(finding: ChangeFinding) -> ChangeFinding:
    """Return an error as a warning that may be false; other findings as they are."""
    return structs.replace(finding, proof=Proof.POSSIBLE) if finding.severity is Severity.ERROR else finding


def _summarize(items: Iterable[FindingItem], files: int) -> str:
    counts = Counter(item.severity for item in items)
    named = (("error", "error"), ("warning", "warning"), ("info", "note"))
    found = [plural(counts[severity], noun) for severity, noun in named if counts[severity]]
    return f"{', '.join(found) or 'nothing broken'} in {plural(files, 'changed file')}"


def _iter_large(pair: RevisionPair, names: Collection[str]) -> Iterator[OutsideFile]:
    """Yield the files of code that are too large to parse and mention one of the names, or cannot be searched."""
    skipped = pair.after.code.snapshot.skipped if names else ()
    large = [each.path for each in skipped if each.reason is SkipReason.TOO_LARGE and get_language(each.path)]
    for path in pair.after.code.source.search_skipped(large, names):
        yield OutsideFile(path, "too_large")


def _list_outside(outside: Collection[OutsideFile]) -> list[Reason]:
    """Return why files are outside of the verdict: not parsed, too large, or in a language without rules."""
    kinds = {
        "not_in_time": ReasonKind.FILES_NOT_CHECKED,
        "parsed_in_part": ReasonKind.CHANGED_FILES_PARSED_IN_PART,
        "unsupported": ReasonKind.FILES_OUTSIDE_VERDICT,
        "not_parsed": ReasonKind.FILES_NOT_PARSED,
        "too_large": ReasonKind.FILES_TOO_LARGE,
    }
    found = []
    for why, kind in kinds.items():
        files = [each.file for each in outside if each.why == why]
        if files:
            found.append(Reason(kind, len(files), subject=", ".join(files[:_NAMED])))
    return found
