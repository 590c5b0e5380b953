"""Compare the architecture of two revisions: contracts, violations, and imports between directories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from msgspec import Struct, to_builtins

from avionics.index.architecture.dependencies import Dependencies
from avionics.index.contract.evaluation import filter_new
from avionics.index.contract.findings import ContractReport, ImportStep, Violation


class DirectoryLink(Struct, frozen=True):
    """The imports of one directory from another, with the first of them."""

    source: str
    target: str
    imports: int
    first: ImportStep

    def to_text(self) -> str:
        return f"{self.source} → {self.target}  {self.imports} imported, first {self.first.file}:{self.first.line}"


class ContractDiff(Struct, frozen=True):
    """What differs between two revisions.

    Attributes:
        rules: Lines such as `added: layers`, `changed: packages`.
        broken: New violations.
        mended: Violations that were resolved.
        added: Imports between directories that did not import each other in that direction.
        removed: Those that no longer exist.
        packages: Lines such as `added: httpx`.
    """

    rules: tuple[str, ...]
    broken: tuple[Violation, ...]
    mended: tuple[Violation, ...]
    added: tuple[DirectoryLink, ...]
    removed: tuple[DirectoryLink, ...]
    packages: tuple[str, ...]

    def to_text(self) -> str:
        """Return a section for each kind of difference that there is."""
        sections = (
            ("rules", self.rules),
            ("new violations", tuple(f"{each.file}:{each.line}  {each.message}" for each in self.broken)),
            ("resolved violations", tuple(f"{each.file}:{each.line}  {each.message}" for each in self.mended)),
            ("new imports between directories", tuple(each.to_text() for each in self.added)),
            ("removed imports between directories", tuple(each.to_text() for each in self.removed)),
            ("external packages", self.packages),
        )
        shown = [f"{title} ({len(lines)}):\n" + "\n".join(lines) for title, lines in sections if lines]
        return "\n\n".join(shown) or "no architectural differences"

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data."""

        def plain(violation: Violation) -> dict[str, Any]:
            return {
                "rule": violation.rule.name,
                "file": violation.file,
                "line": violation.line,
                "message": violation.message,
            }

        return {
            "rules": list(self.rules),
            "broken": [plain(each) for each in self.broken],
            "mended": [plain(each) for each in self.mended],
            "added": [to_builtins(each) for each in self.added],
            "removed": [to_builtins(each) for each in self.removed],
            "packages": list(self.packages),
        }


def compare_architectures(
    before: tuple[Dependencies, ContractReport | None],
    after: tuple[Dependencies, ContractReport | None],
    former: Callable[[str], str],
) -> ContractDiff:
    """Return the differences between two revisions: of their imports, and of the reports on their contracts, if any.

    `former` returns the old path of a file for its new path.
    """
    old, new = before[1], after[1]
    old_violations = old.violations if old else ()
    new_violations = new.violations if new else ()
    broken = filter_new(new_violations, old_violations, former)
    identities = {violation.identity for violation in new_violations}
    identities |= {(violation.rule.name, *map(former, violation.subject)) for violation in new_violations}
    packages = _collect_packages(before[0]), _collect_packages(after[0])
    return ContractDiff(
        _compare_rules(old, new),
        tuple(each for each in new_violations if each in broken),
        tuple(each for each in old_violations if each.identity not in identities),
        _find_links(after[0], before[0]),
        _find_links(before[0], after[0]),
        (
            *(f"added: {name}" for name in sorted(packages[1] - packages[0])),
            *(f"removed: {name}" for name in sorted(packages[0] - packages[1])),
        ),
    )


def _compare_rules(old: ContractReport | None, new: ContractReport | None) -> tuple[str, ...]:
    before = {rule.name: rule for rule in old.contract.rules} if old else {}
    after = {rule.name: rule for rule in new.contract.rules} if new else {}
    return (
        *(f"added: {name}" for name in after if name not in before),
        *(f"removed: {name}" for name in before if name not in after),
        *(f"changed: {name}" for name in after if name in before and after[name] != before[name]),
    )


def _count_links(dependencies: Dependencies) -> dict[tuple[str, str], tuple[int, str, str]]:
    """Return (source, target) → imported names and the first two files, sorted."""
    counts: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], tuple[str, str]] = {}
    for file in dependencies.files:
        own_directory = _directory(file)
        for arc in dependencies.arcs(file):
            other_directory = _directory(arc.target)
            if own_directory != other_directory:
                counts[own_directory, other_directory] += arc.imports
                first.setdefault((own_directory, other_directory), (file, arc.target))
    return {key: (counts[key], *first[key]) for key in sorted(counts)}


def _find_links(here: Dependencies, other: Dependencies) -> tuple[DirectoryLink, ...]:
    """Return the imports between directories that only one of two revisions has."""
    known = _count_links(other)
    found = []
    for key, (count, file, target) in _count_links(here).items():
        if key not in known:
            line = min((edge.line for edge in here.cite(file, target)), default=1)
            found.append(DirectoryLink(*key, count, ImportStep(file, line, target)))
    return tuple(found)


def _collect_packages(dependencies: Dependencies) -> frozenset[str]:
    return frozenset(use.package for file in dependencies.files for use in dependencies.packages(file) if use.package)


def _directory(file: str) -> str:
    return file.rpartition("/")[0] or "."
