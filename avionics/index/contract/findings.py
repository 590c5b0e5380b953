"""The results of checking a contract."""

from __future__ import annotations

import attrs
from msgspec import Struct

from avionics.index.contract.rules import Contract, ContractRule


class ImportStep(Struct, frozen=True):
    """One import: `file` line `line` imports `target`, a file or a package."""

    file: str
    line: int
    target: str


@attrs.frozen
class Violation:
    """A place that breaks a rule.

    Attributes:
        message: What is wrong there, in a sentence.
        steps: The chain of imports, where the rule is about imports.
        subject: What identifies the violation in another revision: files and names, but no lines.
    """

    rule: ContractRule = attrs.field(hash=False)
    message: str
    file: str
    line: int
    subject: tuple[str, ...]
    steps: tuple[ImportStep, ...] = ()

    @property
    def identity(self) -> tuple[str, ...]:
        """Return a key that is equal for the same violation in two revisions."""
        return (self.rule.name, *self.subject)


class RuleResult(Struct, frozen=True):
    """A rule and its violations.

    Attributes:
        violations: In order of file and line.
        excepted: The violations that an exception covers.
        checked: How many files, layers or groups were checked, in words: a rule that checks none has no violations.
    """

    rule: ContractRule
    violations: tuple[Violation, ...]
    excepted: tuple[Violation, ...]
    checked: str


class ContractReport(Struct, frozen=True):
    """Whether a contract is kept.

    Attributes:
        results: One for each rule, in the contract's order.
        problems: What is wrong with the contract itself: patterns without files, expired exceptions.
        files: How many files the rules looked at.
    """

    contract: Contract
    results: tuple[RuleResult, ...]
    problems: tuple[str, ...]
    files: int

    @property
    def violations(self) -> tuple[Violation, ...]:
        """Return all violations, in the order of the rules."""
        return tuple(violation for result in self.results for violation in result.violations)
