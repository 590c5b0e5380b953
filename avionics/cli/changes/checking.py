"""`avionics check`, `avionics explain`: what a change breaks, and what a rule reports."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING

import click

from avionics.cli import text
from avionics.cli.options import examples, json_option, repo_option
from avionics.cli.output.exit_codes import ANSWERED, NOTHING_FOUND
from avionics.model import UsageError
from avionics.tools.resolution.baseline import BASELINE, read_baseline, write_baseline

if TYPE_CHECKING:
    from avionics.tools.composite.check_change import CheckChangeAnswer
    from avionics.tools.resolution.revision_pair import RevisionPair
    from avionics.workspace import Workspace

_SEVERITIES = ("error", "warning", "never")
_FORMATS = ("text", "json", "sarif", "github")
_COLLECTED_AFTER = 1_000_000
"""New objects after which Python looks for circles among them, which takes a tenth of the time of a large check."""


@click.command(
    "check",
    epilog=examples(
        "avionics check",
        "avionics check main",
        "avionics check v1.0..v2.0 --format sarif > findings.sarif",
        "avionics check --staged --fail-on warning",
    )
    + "\n\nExit codes: 0 nothing at or above --fail-on, 1 something, 2 usage error, 3 failed.",
)
@click.argument("base", required=False)
@click.argument("head", required=False)
@click.option("--staged", is_flag=True, help="Check what is staged for the next commit, not the files on disk.")
@click.option("--index-file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="The index that holds what is staged, as git names it to its hooks.")  # fmt: skip
@click.option("--notes", is_flag=True, help="Look for definitions that the change leaves unused, too.")
@click.option("--format", "form", type=click.Choice(_FORMATS), default="text", help="How to print.  [default: text]")
@click.option("--fail-on", type=click.Choice(_SEVERITIES), default="error",
              help="The least severity that makes the exit code 1.  [default: error]")  # fmt: skip
@click.option("--baseline", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help=f"Findings to accept.  [default: {BASELINE}, where it exists]")  # fmt: skip
@click.option(
    "--write-baseline",
    "is_accepting",
    is_flag=True,
    help="Accept all findings of this run: write them to the baseline.",
)
@json_option
@repo_option
def check_command(
    base: str | None,
    head: str | None,
    staged: bool,
    index_file: Path | None,
    notes: bool,
    form: str,
    fail_on: str,
    baseline: Path | None,
    is_accepting: bool,
    as_json: bool,
    repo: Path,
) -> int:
    """Check what a change breaks.

    Compares the files on disk with BASE, the last commit unless given; BASE HEAD and BASE..HEAD compare two
    revisions, BASE...HEAD starts at their common ancestor. Reports proven errors, possible ones and notes, each with
    the place of the change and every place it breaks. What the version before had already is never reported.
    """
    from avionics.settings import Settings
    from avionics.tools.composite.check_change import answer_check
    from avionics.workspace import Workspace

    base = f"{base}..{head}" if head else base
    file = baseline or repo / BASELINE
    if baseline is not None and not is_accepting and not file.is_file():
        raise UsageError(f"no such file: {baseline}", hint="--write-baseline writes it")
    accepted = frozenset() if is_accepting else read_baseline(file)
    gc.set_threshold(_COLLECTED_AFTER)
    with Workspace.open(repo, Settings.from_environment().for_one_answer()) as workspace, workspace.pinned_index():
        answer = answer_check(_open_pair(workspace, base, staged, index_file), accepted, notes=notes)
    if is_accepting:
        write_baseline(file, (each.key for each in answer.findings))
    _show(answer, "json" if as_json else form)
    return ANSWERED if is_accepting else exit_code_of(answer, fail_on)


def _open_pair(workspace: Workspace, base: str | None, staged: bool, index: Path | None) -> RevisionPair:
    from avionics.tools.resolution.revision_pair import STAGED, open_revision_pair, read_range

    if staged and ".." in (base or ""):
        raise UsageError("--staged and two revisions exclude each other", hint="give one revision, or none")
    first, head = read_range(workspace, base or "")
    return open_revision_pair(workspace, first if base else None, STAGED if staged else head, index)


def exit_code_of(answer: CheckChangeAnswer, fail_on: str) -> int:
    """Return the exit code: 1 where a finding is at least as severe as `fail_on`."""
    failing = {"error": answer.errors, "warning": (*answer.errors, *answer.warnings), "never": ()}[fail_on]
    return NOTHING_FOUND if failing else ANSWERED


def _show(answer: CheckChangeAnswer, form: str) -> None:
    from avionics import __version__
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


@click.command("explain", epilog=examples("avionics explain missing-import", "avionics explain"))
@click.argument("rule", required=False)
def explain_command(rule: str | None) -> int:
    """Explain a rule of `avionics check`, or list all rules."""
    from avionics.index.verdicts.findings import Rule
    from avionics.tools.answers.findings import RULES

    if rule is None:
        for each, document in RULES.items():
            text.show_text(f"{each.value} ({document.severity.value}): {document.title}")
        return ANSWERED
    known = {each.value: each for each in Rule}
    if rule not in known:
        raise UsageError(f"no rule {rule!r}", hint=f"one of: {', '.join(known)}")
    document = RULES[known[rule]]
    text.show_text(
        f"{rule} ({document.severity.value}): {document.title}\n\n{document.reports}\n\n"
        f"Proven when: {document.proof}\n\nExample:\n  {document.example}\n\n"
        f"Accept one with a comment on its line: avionics: ignore[{rule}]"
    )
    return ANSWERED
