"""Read the architecture contract of a workspace, and evaluate it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from avionics.model.errors import SourceError, UsageError
from avionics.source.read import decode

if TYPE_CHECKING:
    from avionics.index.architecture.dependencies import Dependencies
    from avionics.index.changes.symbol_diff import ChangedFile
    from avionics.index.code_index import CodeIndex
    from avionics.index.contract.comparison import ContractDiff
    from avionics.index.contract.findings import ContractReport, Violation
    from avionics.index.contract.rules import Contract
    from avionics.index.verdicts.findings import ChangeFinding
    from avionics.workspace import Workspace

CONTRACT_FILES = ("avionics.toml", "pyproject.toml")
"""The files that may contain a contract, in order of preference."""


def require_contract(workspace: Workspace, path: str | None) -> Contract:
    """Return the contract in a file, or in `avionics.toml` or `pyproject.toml`.

    Raise `UsageError` if there is none, or `ConfigError`, which lists every fault, if it is invalid.
    """
    from avionics.index.contract.reader import read_contract

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
    """Return the contract in `avionics.toml` or `pyproject.toml`, or None. Raise `ConfigError` if it is invalid."""
    for name in CONTRACT_FILES:
        try:
            text = decode(workspace.source.read_known(name))
        except SourceError:
            continue
        if "contract" in text:
            from avionics.index.contract.reader import has_contract, read_contract

            if has_contract(name, text):
                return read_contract(name, text)
    return None


def find_broken_rules(base: Workspace, head: Workspace, files: Iterable[ChangedFile]) -> tuple[ChangeFinding, ...]:
    """Return the violations that changed imports introduce. Raise `ConfigError` if the contract is invalid."""
    from avionics.index.verdicts.findings import Cause, ChangeFinding, Rule, Severity, Site

    contract = get_contract(head)
    changed = tuple(files)
    if contract is None or not any(_has_new_imports(base.code, head.code, each) for each in changed):
        return ()
    former = {each.after: each.before for each in changed if each.after and each.before}
    return tuple(
        ChangeFinding(
            Rule.CONTRACT_VIOLATION,
            Cause.CONTRACT_BROKEN,
            found.rule.name,
            None,
            (Site(found.file, found.line),),
            found.message,
            proven_severity=Severity(found.rule.severity.value),
        )
        for found in find_new_violations(base, head, contract, former)
        if found.file not in CONTRACT_FILES
    )


def find_new_violations(
    base: Workspace, head: Workspace, contract: Contract, former: Mapping[str, str], path: str | None = None
) -> tuple[Violation, ...]:
    """Return the violations that a base did not have, neither by the current contract nor by its own.

    Renamed files are compared under their `former` paths, which the base's contract names. `path` is that of the
    contract, None for the usual ones.
    """
    from avionics.index.contract.evaluation import check_contract, filter_new

    violations = check_contract(contract, open_dependencies(head)).violations
    if not violations:
        return ()
    dependencies = open_dependencies(base)
    before = check_contract(contract, dependencies).violations
    with suppress(UsageError, SourceError):
        before += check_contract(require_contract(base, path), dependencies).violations
    new = filter_new(violations, before, lambda file: former.get(file, file))
    return tuple(each for each in violations if each in new)


def _has_new_imports(before: CodeIndex, after: CodeIndex, file: ChangedFile) -> bool:
    """Return whether a file imports something else than before, or is new under its path."""
    if not file.after or not after.has_file(file.after):
        return False
    if file.before != file.after or not before.has_file(file.before):
        return True
    sides = ((before, file.before), (after, file.after))
    was, now = ({(each.module, each.name, each.level) for each in code.facts(path).imports} for code, path in sides)
    return bool(now - was)


def compare_contracts(workspace: Workspace, base: str, head: str | None) -> ContractDiff:
    """Compare the architecture of two revisions, each by its own contract; `head` is None for the disk."""
    from avionics.index.contract.comparison import compare_architectures

    before, after = workspace.at(base), workspace if head is None else workspace.at(head)
    changed = after.find_changed_since(before.revision)
    former = {each.path: each.previous for each in changed if each.previous}
    return compare_architectures(_evaluate(before), _evaluate(after), lambda path: former.get(path, path))


def _evaluate(workspace: Workspace) -> tuple[Dependencies, ContractReport | None]:
    from avionics.index.contract.evaluation import check_contract

    dependencies, contract = open_dependencies(workspace), get_contract(workspace)
    return dependencies, check_contract(contract, dependencies) if contract is not None else None


def open_dependencies(workspace: Workspace) -> Dependencies:
    """Return the imports of a workspace; they are stored, so only the first question resolves them."""
    from avionics.index.architecture.dependencies import Dependencies

    if workspace.get_index_if_built() is None:
        # Every file is needed: facts on demand would take as long as an index but would not be kept.
        workspace.index()
    return Dependencies(workspace.code, workspace.store)
