"""Check the rules about packages from outside, public surfaces and sizes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from avionics.index.architecture.dependencies import Dependencies, PackageUse
from avionics.index.contract.findings import ImportStep, Violation
from avionics.index.contract.import_rules import ImportView
from avionics.index.contract.patterns import FilePattern, PatternMatcher
from avionics.index.contract.rules import ContractRule, LimitsRule, OwnersRule, PackagesRule, PublicRule
from avionics.index.references.import_graph import Edge

_SEPARATORS = re.compile(r"[-_.]+")


def check_packages(rule: PackagesRule, view: ImportView, matcher: PatternMatcher) -> Iterator[Violation]:
    """Yield the imports of packages that files must not use."""
    dependencies = view.dependencies
    for file in sorted(matcher.files(rule.files)):
        for use in _iter_counted(rule, dependencies, file):
            denied = next((name for name in rule.deny if _is_named(name, use)), None)
            if denied is not None:
                yield _package_violation(rule, dependencies, file, use, f"{file} must not import {denied}")
            elif rule.allow is not None and use.package and not any(_is_named(name, use) for name in rule.allow):
                allowed = ", ".join(rule.allow) or "no package"
                message = f"{file} imports {use.package}; allowed: {allowed}"
                yield _package_violation(rule, dependencies, file, use, message)


def check_owners(rule: OwnersRule, view: ImportView, matcher: PatternMatcher) -> Iterator[Violation]:
    """Yield the imports of packages by files that are not among their owners."""
    dependencies = view.dependencies
    owners = {name: matcher.files(patterns) for name, patterns in rule.owners.items()}
    for file in sorted(matcher.files(rule.files)):
        for use in _iter_counted(rule, dependencies, file):
            named = [name for name in owners if _is_named(name, use)]
            if named and not any(file in owners[name] for name in named):
                of = ", ".join(pattern.text for pattern in rule.owners[named[0]]) or "no file"
                message = f"{file} imports {named[0]}, which belongs to {of}"
                yield _package_violation(rule, dependencies, file, use, message)
            elif rule.listed and not named and use.package:
                message = f"{file} imports {use.package}, which has no owner"
                yield _package_violation(rule, dependencies, file, use, message)


def _iter_counted(rule: ContractRule, dependencies: Dependencies, file: str) -> Iterator[PackageUse]:
    return (use for use in dependencies.packages(file) if rule.imports.counts(use.kind))


def _is_named(name: str, use: PackageUse) -> bool:
    """Return whether a name in a rule is the package, or the module or a parent of it."""
    if use.package and _SEPARATORS.sub("-", use.package).lower() == _SEPARATORS.sub("-", name).lower():
        return True
    return use.module == name or use.module.startswith((f"{name}.", f"{name}/", f"{name}::"))


def _package_violation(
    rule: ContractRule, dependencies: Dependencies, file: str, use: PackageUse, message: str
) -> Violation:
    edges = dependencies.cite_package(file, use.package, use.module)
    line = min((edge.line for edge in edges), default=1)
    target = use.package or use.module
    return Violation(rule, message, file, line, (file, target), (ImportStep(file, line, target),))


def check_public(rule: PublicRule, view: ImportView, matcher: PatternMatcher) -> Iterator[Violation]:
    """Yield the imports from outside a package of names that are not in its public surface."""
    dependencies = view.dependencies
    package = matcher.files(rule.package)
    exempt = matcher.files(rule.exempt) if rule.exempt else frozenset()
    whole = matcher.files(FilePattern.parse(text) for text in rule.surface if ":" not in _plain(text))
    named = frozenset(_plain(text) for text in rule.surface if ":" in _plain(text))
    name = ", ".join(pattern.text for pattern in rule.package)

    def is_public(edge: Edge) -> bool:
        if edge.target in whole:
            return True
        spellings = {edge.target, dependencies.dotted_name(edge.target)}
        return any(f"{each}:{taken}" in named for each in spellings for taken in (edge.name, "*"))

    for file in sorted(view.targets):
        if file in package or file in exempt:
            continue
        for target in view.targets[file]:
            if target in package:
                for edge in dependencies.cite(file, target):
                    if not is_public(edge) and rule.imports.counts(dependencies.kind_of(edge)):
                        message = f"{edge.name} of {target} is not in the public surface of {name}"
                        step = ImportStep(file, edge.line, target)
                        yield Violation(rule, message, file, edge.line, (file, target, edge.name), (step,))


def _plain(text: str) -> str:
    """Return an entry of a surface with `.` between modules."""
    return text.replace("::", ".")


def check_limits(rule: LimitsRule, view: ImportView, matcher: PatternMatcher) -> Iterator[Violation]:
    """Yield the files and directories that are larger, or more entangled, than they may be."""
    lines = view.dependencies.lines if rule.max_lines is not None else {}
    files = sorted(matcher.files(rule.files))
    fan_in: Counter[str] = Counter(target for targets in view.targets.values() for target in targets)
    fan_out = {file: len(view.targets.get(file, ())) for file in files}
    sizes: tuple[tuple[int | None, Mapping[str, int], str], ...] = (
        (rule.max_lines, lines, "lines"),
        (rule.max_fan_in, fan_in, "files that import it"),
        (rule.max_fan_out, fan_out, "files that it imports"),
    )
    for limit, counts, what in sizes:
        for file in files if limit is not None else ():
            if limit is not None and counts.get(file, 0) > limit:
                message = f"{file} has {counts[file]} {what}; at most {limit} are allowed"
                yield Violation(rule, message, file, 1, (file, what))
    if rule.max_files is not None:
        yield from _check_directories(rule, files, rule.max_files)


def _check_directories(rule: LimitsRule, files: Iterable[str], limit: int) -> Iterator[Violation]:
    members: dict[str, list[str]] = {}
    for file in files:
        members.setdefault(file.rpartition("/")[0] or ".", []).append(file)
    for directory, inside in members.items():
        if len(inside) > limit:
            message = f"{directory} has {len(inside)} files; at most {limit} are allowed"
            yield Violation(rule, message, inside[0], 1, (directory, "files"))
