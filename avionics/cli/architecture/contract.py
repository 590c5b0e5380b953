"""`avionics contract`: check an architecture contract, propose one, and compare two revisions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import click

from avionics import __version__
from avionics.cli import text
from avionics.cli.options import budget_option, examples, json_option, repo_option, revision_option, timeout_option
from avionics.cli.output.exit_codes import ANSWERED, NOTHING_FOUND
from avionics.cli.running import call_tool
from avionics.tools.answers.sarif import SarifResult, SarifRule, build_sarif
from avionics.tools.resolution.contract_reader import compare_contracts, open_dependencies
from avionics.workspace import Workspace

_STEP = re.compile(r"(?P<file>.+):(?P<line>\d+) → (?P<target>.+)", re.DOTALL)
"""An import of a chain, as the answer writes it."""

file_option = click.option(
    "--file", "contract", metavar="FILE",
    help="The file that holds the contract.  [default: avionics.toml, or pyproject.toml]",
)  # fmt: skip


@click.group("contract", epilog=examples("avionics contract check --since origin/main", "avionics contract propose"))
def contract_command() -> None:
    """Check, propose or compare rules about who may import what.

    The contract is the table `contract` in avionics.toml, or `tool.avionics.contract` in pyproject.toml.
    """


@contract_command.command(
    "check",
    epilog=examples(
        "avionics contract check",
        "avionics contract check --since origin/main",
        "avionics contract check --rev v2.0 --sarif > contract.sarif",
    )
    + "\n\nExit codes: 0 kept, 1 broken, 2 invalid contract or usage, 3 failed.",
)
@repo_option
@revision_option
@click.option("--since", metavar="BASE", help="Report only violations that the revision BASE did not have.")
@file_option
@json_option
@click.option("--sarif", "as_sarif", is_flag=True, help="Print a SARIF 2.1.0 log, for code scanning.")
@budget_option
@timeout_option
def check_command(
    repo: Path,
    rev: str | None,
    since: str | None,
    contract: str | None,
    as_json: bool,
    as_sarif: bool,
    budget: int | None,
    timeout: float | None,
) -> int:
    """Check the contract."""
    given = {"base": since, "contract": contract, "rev": rev}
    arguments = {name: value for name, value in given.items() if value is not None}
    is_document = as_json or as_sarif
    result = call_tool("check_architecture", arguments, repo, 0 if budget is None and is_document else budget, timeout)
    if as_sarif and result.data is not None:
        text.show_json(_build_sarif(result.data))
        code = text.exit_code(result)
    else:
        code = text.show(result, as_json)
    return code if code != ANSWERED or result.data is None or result.data["kept"] else NOTHING_FOUND


def _build_sarif(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the SARIF log of a `check_architecture` answer, with one result for each violation."""
    rules = [SarifRule(rule["rule"], rule["type"]) for rule in data["rules"]]
    results = [_build_result(item, "new") for item in data["violations"]]
    results += [_build_result(item, "unchanged") for item in data["known"]]
    return build_sarif(__version__, rules, results, [problem["text"] for problem in data["problems"]])


def _build_result(item: Mapping[str, Any], state: str) -> SarifResult:
    found = [match for step in item["chain"] if (match := _STEP.fullmatch(step))]
    parts = (item["rule"], item["file"], item["message"], *(match["target"] for match in found))
    digest = blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    steps = [(match["file"], int(match["line"]), f"imports {match['target']}") for match in found]
    return SarifResult(
        item["rule"],
        item["severity"],
        item["message"],
        item["file"],
        item["line"],
        ("violation/v1", digest),
        state,
        tuple(steps) if len(steps) > 1 else (),
    )


@contract_command.command("propose", epilog=examples("avionics contract propose > avionics.toml"))
@repo_option
@revision_option
def propose_command(repo: Path, rev: str | None) -> int:
    """Print a contract that describes today's code.

    It has the layers of the code, with an exception for each import against them.
    """
    from avionics.index.contract.proposal import propose_contract

    with Workspace.open(repo) as opened:
        workspace = opened if rev is None else opened.at(rev)
        with workspace.pinned_index():
            proposed = propose_contract(open_dependencies(workspace))
    click.echo(proposed, nl=False)
    return ANSWERED


@contract_command.command("diff", epilog=examples("avionics contract diff v1.0 v2.0", "avionics contract diff HEAD~20"))
@click.argument("base")
@click.argument("head", required=False)
@repo_option
@json_option
def diff_command(base: str, head: str | None, repo: Path, as_json: bool) -> int:
    """Show what changed between two revisions.

    Lists rules, violations, and imports between directories.

    Without HEAD, the files on the disk are compared with BASE.
    """
    with Workspace.open(repo) as workspace:
        found = compare_contracts(workspace, base, head)
    if as_json:
        text.show_json(found.to_dict())
    else:
        text.show_text(found.to_text())
    return ANSWERED
