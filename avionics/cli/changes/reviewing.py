"""`avionics review`: a comment for a pull request, as Markdown, JSON or SARIF."""

from __future__ import annotations

from pathlib import Path

import click

from avionics import __version__
from avionics.cli import text
from avionics.cli.options import examples, output_option, repo_option
from avionics.cli.output.printing import write_document
from avionics.settings import Settings

_FORMATS = ("markdown", "json", "sarif")


@click.command(
    "review",
    epilog=examples(
        "avionics review main..HEAD",
        "avionics review origin/main...HEAD --format markdown > review.md",
        "avionics review main..HEAD --format sarif -o findings.sarif",
    )
    + "\n\nExit codes: 0 written, 2 usage error, 3 failed. `avionics check` has an exit code for what is found.",
)
@click.argument("revisions", metavar="BASE[..HEAD]")
@click.argument("head", required=False)
@click.option("--format", "form", type=click.Choice(_FORMATS), default="markdown",
              help="The output format.  [default: markdown]")  # fmt: skip
@output_option
@repo_option
def review_command(revisions: str, head: str | None, form: str, output: Path | None, repo: Path) -> int:
    """Summarize a change for its reviewer.

    Lists the changed symbols, what breaks, what the change reaches, the tests to run, missing tests, and the owners.
    BASE...HEAD starts at the common ancestor, as a pull request does; without HEAD the files on disk are reviewed.
    """
    from avionics.cli.changes.review import build_review
    from avionics.cli.changes.review_markdown import write_markdown
    from avionics.tools.answers.findings import build_findings_sarif
    from avionics.tools.resolution.baseline import BASELINE, read_baseline
    from avionics.tools.resolution.revision_pair import read_range
    from avionics.workspace import Workspace

    with Workspace.open(repo, Settings.from_environment().for_one_answer()) as workspace, workspace.pinned_index():
        first, last = read_range(workspace, f"{revisions}..{head}" if head else revisions)
        review = build_review(workspace, first, last, read_baseline(repo / BASELINE))
        if form == "markdown":
            document = write_markdown(review)
        elif form == "json":
            document = text.format_json(review.to_dict())
        else:
            document = text.format_json(build_findings_sarif(__version__, review.checked.findings))
    return write_document(document, output)
