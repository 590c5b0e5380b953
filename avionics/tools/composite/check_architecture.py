"""check_architecture: whether the code keeps the architecture contract, and what changed since a revision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from avionics.model.naming import list_first, plural
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.tools.answers.answer import part
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.contract_reader import find_new_violations, open_dependencies, require_contract

if TYPE_CHECKING:
    from avionics.index.architecture.dependencies import Dependencies
    from avionics.index.contract.findings import ContractReport, RuleResult, Violation
    from avionics.workspace import Workspace


class ViolationItem(Struct, frozen=True):
    """A violation of a rule; `chain` has the imports that cause it, as `file:line → target`."""

    file: str
    line: int
    rule: str
    type: str
    severity: str
    message: str
    chain: tuple[str, ...]

    @classmethod
    def of(cls, found: Violation) -> ViolationItem:
        """Return the item of a violation."""
        chain = tuple(f"{step.file}:{step.line} → {step.target}" for step in found.steps)
        rule = found.rule
        return cls(found.file, found.line, rule.name, rule.type.value, rule.severity.value, found.message, chain)

    def heading(self) -> str:
        return f"{self.rule} ({self.type}, {self.severity})"

    def to_text(self) -> str:
        steps = self.chain if len(self.chain) > 1 else ()
        return "\n".join((f"{self.file}:{self.line}  {self.message}", *(f"    {step}" for step in steps)))


class RuleItem(Struct, frozen=True):
    """A rule, whether it is satisfied, and which files it covers."""

    rule: str
    type: str
    kept: bool
    violations: int
    excepted: int
    checked: str

    @classmethod
    def of(cls, found: RuleResult) -> RuleItem:
        """Return the item of a result."""
        return cls(
            found.rule.name, found.rule.type.value, not found.violations, len(found.violations), len(found.excepted),
            found.checked,
        )  # fmt: skip

    def to_text(self) -> str:
        excepted = f", {plural(self.excepted, 'exception')}" if self.excepted else ""
        state = "kept" if self.kept else f"broken ({self.violations})"
        return f"{state}: {self.rule} ({self.type}; {self.checked}{excepted})"


class ContractProblemItem(Struct, frozen=True):
    """Something that is wrong with the contract itself."""

    text: str

    def to_text(self) -> str:
        return self.text


class CheckArchitectureAnswer(Struct, frozen=True):
    """Whether a contract is kept: violations, those that an earlier revision had too, problems, and every rule.

    Attributes:
        contract: The file with the contract.
        kept: Whether there is no violation of severity `error`; with a base only new ones count.
        summary: The verdict as a sentence.
        coverage: How many violations there are.
        violations: The current ones; with a base only new ones.
        known: Those that the base had already; () without a base.
        problems: What is wrong with the contract itself.
    """

    contract: str
    kept: bool
    summary: str
    coverage: Coverage
    violations: tuple[ViolationItem, ...] = part("violations", share=5.0, counts=True)
    known: tuple[ViolationItem, ...] = part("violations that the base had already", share=2.0, counts=True)
    problems: tuple[ContractProblemItem, ...] = part("problems of the contract", share=1.0)
    rules: tuple[RuleItem, ...] = part("rules", share=1.0)

    def headline(self) -> str:
        return self.summary


@tool(
    ToolId.CHECK_ARCHITECTURE,
    accepts="an optional revision to compare with, or the contract's file",
    returns="whether the contract in avionics.toml or pyproject.toml is kept; violations with their import chains",
)
def check_architecture(
    workspace: Workspace, base: str | None = None, contract: str | None = None
) -> CheckArchitectureAnswer:
    """Check the architecture contract: layers, forbidden imports, public surfaces, packages, cycles, sizes.

    Args:
        base: A revision; violations that it already had are listed apart.
        contract: The file with the contract, if it is neither `avionics.toml` nor `pyproject.toml`.
    """
    from avionics.index.contract.evaluation import check_contract

    rules = require_contract(workspace, contract)
    dependencies = open_dependencies(workspace)
    report = check_contract(rules, dependencies)
    known: tuple[Violation, ...] = ()
    if base is not None:
        known = _find_known(workspace, report, workspace.at(base), contract)
    new = tuple(each for each in report.violations if each not in known)
    unresolved = _list_unresolved(dependencies)
    return CheckArchitectureAnswer(
        rules.path,
        not any(each.rule.severity.value == "error" for each in new),
        _summarize(report, new, known, base),
        Coverage.of(len(report.violations), is_exact=not unresolved, reasons=unresolved, settled=True),
        tuple(map(ViolationItem.of, new)),
        tuple(map(ViolationItem.of, known)),
        tuple(map(ContractProblemItem, report.problems)),
        tuple(map(RuleItem.of, report.results)),
    )


def _find_known(
    workspace: Workspace, report: ContractReport, base: Workspace, path: str | None
) -> tuple[Violation, ...]:
    """Return the violations that a base had already."""
    changed = workspace.find_changed_since(base.revision)
    former = {each.path: each.previous for each in changed if each.previous}
    new = find_new_violations(base, workspace, report.contract, former, path)
    return tuple(each for each in report.violations if each not in new)


def _summarize(report: ContractReport, new: Sequence[Violation], known: Sequence[Violation], base: str | None) -> str:
    """Return the verdict, with the numbers of rules, files and violations."""
    checked = f"{plural(report.files, 'file')}, {plural(len(report.results), 'rule')} of {report.contract.path}"
    if not report.violations:
        return f"the contract is kept: {checked}"
    kept = sum(not result.violations for result in report.results)
    broken = len(report.results) - kept
    count = plural(len(new) + len(known), "violation")
    since = f", {len(new)} of them new since {base}" if base is not None else ""
    return f"{count}{since}: {plural(broken, 'rule')} broken, {kept} kept ({checked})"


def _list_unresolved(dependencies: Dependencies) -> tuple[Reason, ...]:
    """Return the reason that relative imports resolve to no file, with the first of them; () if all resolve."""
    places = [f"{file}:{line}" for file, line in dependencies.unresolved]
    return (Reason(ReasonKind.IMPORTS_UNRESOLVED, len(places), subject=list_first(places)),) if places else ()
