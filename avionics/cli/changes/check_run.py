"""Check a change and print what it breaks, without click."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from avionics import __version__
from avionics.cli import text
from avionics.cli.output.exit_codes import ANSWERED, NOTHING_FOUND
from avionics.model import UsageError
from avionics.settings import Settings
from avionics.tools.resolution.baseline import BASELINE, read_baseline, write_baseline

if TYPE_CHECKING:
    from avionics.tools.composite.check_change import CheckChangeAnswer
    from avionics.tools.resolution.revision_pair import RevisionPair
    from avionics.workspace import Workspace


def run_check(revisions: tuple[str, ...], options: Mapping[str, Any]) -> int:
    """Check what a change breaks, print it, and return the exit code.

    `revisions` are the base, a range, or base and head; () compares the last commit with the files on disk.
    """
    from avionics.cli.changes.half_check import COLLECTED_AFTER, start_half
    from avionics.tools.composite.check_change import answer_check
    from avionics.workspace import Workspace

    repo, baseline, is_accepting = options["repo"], options.get("baseline"), options.get("is_accepting", False)
    file = baseline or repo / BASELINE
    if baseline is not None and not is_accepting and not file.is_file():
        raise UsageError(f"no such file: {baseline}", hint="--write-baseline writes it")
    accepted = frozenset() if is_accepting else read_baseline(file)
    gc.set_threshold(COLLECTED_AFTER)
    with Workspace.open(repo, Settings.from_environment().for_one_answer()) as workspace, workspace.pinned_index():
        pair = _open_pair(workspace, "..".join(revisions), options["staged"], options.get("index_file"))
        with start_half(workspace, pair) as receive_half:
            answer = answer_check(pair, accepted, notes=options["notes"], receive_half=receive_half)
    if is_accepting:
        write_baseline(file, (each.key for each in answer.findings))
    _show(answer, "json" if options["as_json"] else options["form"])
    return ANSWERED if is_accepting else exit_code_of(answer, options["fail_on"])


def _open_pair(workspace: Workspace, base: str, staged: bool, index: Path | None) -> RevisionPair:
    from avionics.tools.resolution.revision_pair import STAGED, open_revision_pair, read_range

    if staged and ".." in base:
        raise UsageError("--staged and two revisions cannot be combined", hint="give one revision, or none")
    first, head = read_range(workspace, base)
    return open_revision_pair(workspace, first if base else None, STAGED if staged else head, index)


def exit_code_of(answer: CheckChangeAnswer, fail_on: str) -> int:
    """Return the exit code: 1 where a finding is at least as severe as `fail_on`."""
    failing = {"error": answer.errors, "warning": (*answer.errors, *answer.warnings), "never": ()}[fail_on]
    return NOTHING_FOUND if failing else ANSWERED


def _show(answer: CheckChangeAnswer, form: str) -> None:
    from avionics.tools.answers.answer import to_result
    from avionics.tools.answers.findings import build_findings_sarif, iter_github_commands

    if form == "json":
        text.show_json(to_result(answer).to_dict())
    elif form == "sarif":
        text.show_json(build_findings_sarif(__version__, answer.findings))
    elif form == "github":
        for command in iter_github_commands(answer.findings):
            text.show_text(command)
        text.show_text(answer.headline())
    else:
        text.show_text(to_result(answer).text)
