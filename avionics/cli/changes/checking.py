"""`avionics check`, `avionics explain`: what a change breaks, and what a rule reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from avionics.cli import text
from avionics.cli.changes.check_run import run_check
from avionics.cli.input.command_line import FAIL_ON, FORMAT, NOTES, STAGED
from avionics.cli.options import build_option, examples, json_option, repo_option
from avionics.cli.output.exit_codes import ANSWERED
from avionics.model import UsageError
from avionics.tools.resolution.baseline import BASELINE


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
@build_option(STAGED)
@click.option("--index-file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="The index file with the staged changes; git sets GIT_INDEX_FILE for its hooks.")  # fmt: skip
@build_option(NOTES)
@build_option(FORMAT)
@build_option(FAIL_ON)
@click.option("--baseline", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help=f"Findings to accept.  [default: {BASELINE}, if it exists]")  # fmt: skip
@click.option(
    "--write-baseline",
    "is_accepting",
    is_flag=True,
    help="Accept all findings of this run: write them to the baseline.",
)
@json_option
@repo_option
def check_command(base: str | None, head: str | None, **options: Any) -> int:
    """Check what a change breaks.

    Compares the files on disk with BASE, the last commit unless given; BASE HEAD and BASE..HEAD compare two
    revisions, BASE...HEAD starts at their common ancestor. Reports proven errors, possible ones and notes, each with
    the place of the change and every place it breaks. Problems that the version before already had are never reported.
    """
    return run_check(tuple(filter(None, (base, head))), options)


@click.command("explain", epilog=examples("avionics explain missing-import", "avionics explain"))
@click.argument("rule", required=False)
def explain_command(rule: str | None) -> int:
    """Explain a rule of `avionics check`, or list all rules."""
    from avionics.index.verdicts.findings import Rule
    from avionics.tools.answers.findings import RULES

    if rule is None:
        for each, document in RULES.items():
            text.show_text(f"{each.value} ({each.severity.value}): {document.title}")
        return ANSWERED
    known = {each.value: each for each in Rule}
    if rule not in known:
        raise UsageError(f"unknown rule {rule!r}", hint=f"one of: {', '.join(known)}")
    document, severity = RULES[known[rule]], known[rule].severity.value
    text.show_text(
        f"{rule} ({severity}): {document.title}\n\n{document.reports}\n\n"
        f"Proven when: {document.proof}\n\nExample:\n  {document.example}\n\n"
        f"Accept one with a comment on its line: avionics: ignore[{rule}]"
    )
    return ANSWERED
