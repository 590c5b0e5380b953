"""Check a contract against the code of a snapshot."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from avionics.index.architecture.dependencies import Dependencies
from avionics.index.contract import rule_checks
from avionics.index.contract.findings import ContractReport, RuleResult, Violation
from avionics.index.contract.patterns import PatternMatcher
from avionics.index.contract.rule_checks import ImportView
from avionics.index.contract.rules import (
    Contract,
    ContractException,
    ContractRule,
    CountedImports,
    CyclesRule,
    ForbiddenRule,
    IndependentRule,
    LayersRule,
    LimitsRule,
    OwnersRule,
    PackagesRule,
    PublicRule,
    RequiredRule,
)
from avionics.index.model.cached_method import cached_method
from avionics.model.naming import plural


class _ResolvedException(Struct, frozen=True):
    """An exception, with the files that its patterns select; `targets` is None if it has no target patterns."""

    exception: ContractException
    sources: frozenset[str]
    targets: frozenset[str] | None

    def covers(self, file: str, target: str) -> bool:
        """Return whether it takes out an import."""
        return file in self.sources and (self.targets is None or target in self.targets)


class _ContractCheck:
    """Checks the rules of a contract; see `check_contract`."""

    def __init__(self, contract: Contract, dependencies: Dependencies) -> None:
        self._contract = contract
        self._dependencies = dependencies
        self._today = dt.datetime.now(dt.UTC).date()
        everything = PatternMatcher(dependencies.files, dependencies.dotted_name, contract.parts)
        ignored = everything.files(contract.ignore) if contract.ignore else frozenset()
        self._files = tuple(file for file in dependencies.files if file not in ignored)
        self._inside = frozenset(self._files)
        self._matcher = PatternMatcher(self._files, dependencies.dotted_name, contract.parts)

    def run(self) -> ContractReport:
        """Return whether each rule is satisfied, and the problems of the contract itself."""
        results = tuple(map(self._check, self._contract.rules))
        return ContractReport(self._contract, results, tuple(self._iter_problems()), len(self._files))

    @cached_property
    def _exceptions(self) -> tuple[_ResolvedException, ...]:
        found = []
        for exception in self._contract.exceptions:
            sources = self._matcher.files(exception.sources)
            targets = self._matcher.files(exception.targets) if exception.targets else None
            found.append(_ResolvedException(exception, sources, targets))
        return tuple(found)

    def _check(self, rule: ContractRule) -> RuleResult:
        """Return the violations of a rule that no exception covers, and those that one covers."""
        every = self._find(rule, self._get_view(rule.imports))
        applying = (each for each in self._exceptions if each.exception.applies_to(rule))
        valid = [each for each in applying if not each.exception.is_expired(self._today)]
        if not every or not valid:
            return RuleResult(rule, every, (), self._describe(rule))
        left = every
        with_sources = [each for each in valid if each.sources]
        if with_sources and not isinstance(rule, (PackagesRule, OwnersRule, LimitsRule)):

            def is_excepted(file: str, target: str) -> bool:
                return any(each.covers(file, target) for each in with_sources)

            left = self._find(rule, ImportView(self._dependencies, self._inside, rule.imports, is_excepted))
        whole_files = frozenset[str]().union(*(each.sources for each in valid if each.targets is None))
        left = tuple(violation for violation in left if violation.file not in whole_files)
        kept = {violation.identity for violation in left}
        excepted = tuple(violation for violation in every if violation.identity not in kept)
        return RuleResult(rule, left, excepted, self._describe(rule))

    def _find(self, rule: ContractRule, view: ImportView) -> tuple[Violation, ...]:
        found = _CHECKS[type(rule)](rule, view, self._matcher)
        return tuple(dict.fromkeys(sorted(found, key=lambda each: (each.file, each.line, each.subject))))

    @cached_method
    def _get_view(self, counted: CountedImports) -> ImportView:
        return ImportView(self._dependencies, self._inside, counted)

    def _describe(self, rule: ContractRule) -> str:
        """Describe in words what a rule covers."""
        if isinstance(rule, LayersRule):
            return plural(sum(map(bool, self._matcher.partition(rule.layers))), "layer")
        if isinstance(rule, IndependentRule):
            return plural(len(self._matcher.groups(rule.siblings)), "sibling")
        if isinstance(rule, CyclesRule):
            return plural(len(self._matcher.groups(rule.among)), "group")
        if isinstance(rule, PublicRule):
            return plural(len(self._matcher.files(rule.package)), "file")
        patterns = rule.sources if isinstance(rule, (ForbiddenRule, RequiredRule)) else getattr(rule, "files", ())
        return plural(len(self._matcher.files(patterns)), "file")

    def _iter_problems(self) -> Iterator[str]:
        """Yield the problems of the contract itself; call it after all rules, which use the patterns."""
        for pattern in self._matcher.empty:
            yield f"the pattern {pattern!r} matches no file; correct it, or write {pattern + '?'!r}"
        for number, each in enumerate(self._exceptions, 1):
            name = f"exception {number} ({each.exception.reason})"
            if each.exception.is_expired(self._today):
                yield f"{name} ended on {each.exception.until}; its imports count again"
            elif not self._is_used(each):
                yield f"{name} matches no import; remove it"

    def _is_used(self, excepted: _ResolvedException) -> bool:
        if excepted.targets is None:
            return bool(excepted.sources)
        return any(arc.target in excepted.targets for file in excepted.sources for arc in self._dependencies.arcs(file))


_CHECKS: Mapping[type[ContractRule], Callable[[Any, ImportView, PatternMatcher], Iterator[Violation]]] = {
    LayersRule: rule_checks.check_layers,
    ForbiddenRule: rule_checks.check_forbidden,
    RequiredRule: rule_checks.check_required,
    IndependentRule: rule_checks.check_independent,
    CyclesRule: rule_checks.check_cycles,
    PublicRule: rule_checks.check_public,
    PackagesRule: rule_checks.check_packages,
    OwnersRule: rule_checks.check_owners,
    LimitsRule: rule_checks.check_limits,
}


def check_contract(contract: Contract, dependencies: Dependencies) -> ContractReport:
    """Return whether a contract is kept; an exception counts until the end of its last day in UTC."""
    return _ContractCheck(contract, dependencies).run()


def filter_new(
    violations: Iterable[Violation], before: Sequence[Violation], former: Callable[[str], str]
) -> frozenset[Violation]:
    """Return the violations that an earlier revision did not have; `former` gives the path of a file then."""
    known = {violation.identity for violation in before}
    return frozenset(
        violation
        for violation in violations
        if (violation.rule.name, *map(former, violation.subject)) not in known and violation.identity not in known
    )
