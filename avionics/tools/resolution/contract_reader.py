"""Find the architecture contract of a workspace, and what it has to hold against."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from avionics.model.errors import SourceError, UsageError

if TYPE_CHECKING:
    from avionics.index.architecture.dependencies import Dependencies
    from avionics.index.contract.comparison import ContractDiff
    from avionics.index.contract.findings import ContractReport
    from avionics.index.contract.rules import Contract
    from avionics.workspace import Workspace


def require_contract(workspace: Workspace, path: str | None) -> Contract:
    """Return the contract in a file, or in `avionics.toml` or `pyproject.toml`.

    Raises:
        UsageError: There is none.
        ConfigError: The contract is invalid; the message lists every fault.
    """
    from avionics.index.contract.reader import CONTRACT_FILES, read_contract

    if path is not None:
        return read_contract(path, workspace.source.text(path))
    found = get_contract(workspace)
    if found is not None:
        return found
    raise UsageError(
        f"no architecture contract in {' or '.join(CONTRACT_FILES)}",
        hint="`avionics contract propose` writes one that describes today's code; docs/contract.md lists the rules",
    )


def get_contract(workspace: Workspace) -> Contract | None:
    """Return the contract in `avionics.toml`, else in `pyproject.toml`, else None.

    Raises:
        ConfigError: The contract is invalid.
    """
    from avionics.index.contract.reader import CONTRACT_FILES, has_contract, read_contract

    for name in CONTRACT_FILES:
        try:
            text = workspace.source.text(name)
        except SourceError:
            continue
        if has_contract(name, text):
            return read_contract(name, text)
    return None


def compare_contracts(workspace: Workspace, base: str, head: str | None) -> ContractDiff:
    """Return what differs in the architecture of two revisions, each judged by the contract it holds.

    Args:
        workspace: The files on the disk.
        base: The revision before.
        head: The revision after; the files on the disk when None.
    """
    from avionics.index.contract.comparison import compare_architectures

    before, after = workspace.at(base), workspace if head is None else workspace.at(head)
    changed = workspace.history.find_changed_paths(before.revision, after.revision or None)
    former = {each.path: each.previous for each in changed if each.previous}
    return compare_architectures(_judge(before), _judge(after), lambda path: former.get(path, path))


def _judge(workspace: Workspace) -> tuple[Dependencies, ContractReport | None]:
    from avionics.index.contract.evaluation import check_contract

    dependencies, contract = open_dependencies(workspace), get_contract(workspace)
    today = dt.datetime.now(dt.UTC).date()
    return dependencies, check_contract(contract, dependencies, today) if contract is not None else None


def open_dependencies(workspace: Workspace) -> Dependencies:
    """Return the imports of a workspace; they are kept in the store, so only the first question resolves them."""
    from avionics.index.architecture.dependencies import Dependencies

    if workspace.get_index_if_built() is None:
        # Every file counts, so an index for one answer alone would take as long and be lost.
        workspace.index()
    return Dependencies(workspace.code, workspace.store)
