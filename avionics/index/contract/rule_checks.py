"""Check the rules of a contract.

They are about which files import which (layers, forbidden, required, independent, cycles), and about packages from
outside, public surfaces and sizes.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from avionics.index.architecture.dependencies import Dependencies, PackageUse
from avionics.index.contract.findings import ImportStep, Violation
from avionics.index.contract.patterns import FileGroup, FilePattern, PatternMatcher
from avionics.index.contract.rules import (
    ContractRule,
    CountedImports,
    CycleLevel,
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
from avionics.index.model.graphs import find_components, find_shortest_cycle
from avionics.index.references.import_graph import Edge
from avionics.model.mappings import group_pairs

_SEPARATORS = re.compile(r"[-_.]+")


class ImportView:
    """The arcs between some files that count for a rule, without those that exceptions exclude."""

    def __init__(
        self,
        dependencies: Dependencies,
        files: Collection[str],
        counted: CountedImports,
        is_excepted: Callable[[str, str], bool] | None = None,
    ) -> None:
        self.dependencies = dependencies
        self._counted = counted
        self.targets: dict[str, tuple[str, ...]] = {}
        for file in dependencies.files:
            if file in files:
                arcs = (arc for arc in dependencies.arcs(file) if counted.counts(arc.kind) and arc.target in files)
                targets = [arc.target for arc in arcs if is_excepted is None or not is_excepted(file, arc.target)]
                if targets:
                    self.targets[file] = tuple(targets)

    def iter_arcs(self, sources: Iterable[str], targets: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield the arcs from some files to others, ordered by path."""
        for file in sorted(sources):
            yield from ((file, target) for target in self.targets.get(file, ()) if target in targets)

    def search_back(self, goals: Collection[str], through: Callable[[str], bool] | None = None) -> Mapping[str, str]:
        """Return file → the file that it imports on a shortest chain of imports to one of the goals.

        Files without such a chain are left out. `through` returns whether a chain may lead through a file; a chain may
        begin in any file.
        """
        following: dict[str, str] = {}
        front = sorted(goals)
        seen = set(front)
        while front:
            reached = []
            for goal in front:
                for file in self._sources.get(goal, ()):
                    if file not in seen:
                        seen.add(file)
                        following[file] = goal
                        if through is None or through(file):
                            reached.append(file)
            front = sorted(reached)
        return following

    def cite_chain(self, file: str, following: Mapping[str, str], goals: Collection[str]) -> tuple[ImportStep, ...]:
        """Return the chain from a file to a goal, each import with its line."""
        steps: list[ImportStep] = []
        while file not in goals or not steps:
            target = following[file]
            steps.append(self.cite(file, target))
            file = target
        return tuple(steps)

    def cite(self, file: str, target: str) -> ImportStep:
        """Return an arc with the line of its first import that counts."""
        edges = self.dependencies.cite(file, target)
        counted = [edge for edge in edges if self._counted.counts(self.dependencies.kind_of(edge))]
        line = min((edge.line for edge in counted or edges), default=1)
        return ImportStep(file, line, target)

    @cached_property
    def _sources(self) -> Mapping[str, list[str]]:
        return group_pairs((target, file) for file, targets in self.targets.items() for target in targets)


_MAX_STARTS = 300
"""The shortest cycle of a component is looked for from this many of its members; each takes linear time."""


def check_layers(rule: LayersRule, view: ImportView, matcher: PatternMatcher) -> Iterator[Violation]:
    """Yield the imports that go up, to a sibling, or past a layer, and the files in no layer."""
    layers = matcher.partition(rule.layers)
    groups = [(level, group) for level, found in enumerate(layers) for group in found]
    level_of = {file: level for level, group in groups for file in group.files}
    yield from _check_groups(rule, view, groups, level_of, lambda low, high: _layer_fault(rule, low, high))
    for file in sorted(matcher.files(rule.complete) - level_of.keys()) if rule.complete else ():
        yield Violation(rule, f"{file} is in no layer", file, 1, (file,))


def _layer_fault(rule: LayersRule, level: int, other: int) -> str:
    """Return why one group must not import another; "" if it may. Layer 0 is the top."""
    if other < level:
        return f"layer {level + 1} must not import layer {other + 1}, which is above it"
    if other == level:
        return "they are in one layer" if rule.independent else ""
    return "only the next layer may be imported" if rule.adjacent and other > level + 1 else ""


def check_independent(rule: IndependentRule, view: ImportView, matcher: PatternMatcher) -> Iterator[Violation]:
    """Yield the imports between siblings."""
    groups = [(at, group) for at, group in enumerate(matcher.groups(rule.siblings))]
    group_of = {file: at for at, group in groups for file in group.files}
    yield from _check_groups(
        rule, view, groups, group_of, lambda one, other: "they are siblings" if one != other else ""
    )


def _check_groups(
    rule: LayersRule | IndependentRule,
    view: ImportView,
    groups: Sequence[tuple[int, FileGroup]],
    level_of: Mapping[str, int],
    get_fault: Callable[[int, int], str],
) -> Iterator[Violation]:
    """Yield the forbidden imports, and chains of imports through files in no group."""
    for other, target in groups:
        sources = [
            (group, fault) for level, group in groups if group is not target and (fault := get_fault(level, other))
        ]
        if not sources:
            continue
        is_chain = rule.indirect and not (isinstance(rule, LayersRule) and rule.adjacent)
        following = view.search_back(target.files, lambda file: file not in level_of) if is_chain else {}
        for group, fault in sources:
            for file, imported in view.iter_arcs(group.files, target.files):
                step = view.cite(file, imported)
                message = f"{group.name} imports {target.name}: {fault}"
                yield Violation(rule, message, file, step.line, (file, imported), (step,))
            for file in sorted(group.files):
                if file in following and following[file] not in target.files:
                    steps = view.cite_chain(file, following, target.files)
                    message = f"{group.name} imports {target.name} through {steps[0].target}: {fault}"
                    yield Violation(rule, message, file, steps[0].line, (file, steps[-1].target), steps)


def check_forbidden(rule: ForbiddenRule, view: ImportView, matcher: PatternMatcher) -> Iterator[Violation]:
    """Yield the forbidden imports; a chain of imports is reported from the last of its files that must not import."""
    targets = matcher.files(rule.targets)
    sources = matcher.files(rule.sources) - targets
    what = f"{_join_patterns(rule.sources)} must not import {_join_patterns(rule.targets)}"
    for file, target in view.iter_arcs(sources, targets):
        step = view.cite(file, target)
        yield Violation(rule, what, file, step.line, (file, target), (step,))
    if not rule.indirect:
        return
    following = view.search_back(targets, lambda file: file not in sources)
    for file in sorted(sources):
        if file in following and following[file] not in targets:
            steps = view.cite_chain(file, following, targets)
            yield Violation(
                rule, f"{what}, not through {steps[0].target} either", file, steps[0].line,
                (file, steps[-1].target), steps,
            )  # fmt: skip


def check_required(rule: RequiredRule, view: ImportView, matcher: PatternMatcher) -> Iterator[Violation]:
    """Yield the files that lack a required import."""
    targets = matcher.files(rule.targets)
    sources = matcher.files(rule.sources)
    following = view.search_back(targets) if rule.indirect else {}
    for file in sorted(sources - targets):
        if file not in following and not any(target in targets for target in view.targets.get(file, ())):
            chain = " or through others" if rule.indirect else ""
            yield Violation(rule, f"it has to import {_join_patterns(rule.targets)}{chain}", file, 1, (file,))


def check_cycles(rule: CyclesRule, view: ImportView, matcher: PatternMatcher) -> Iterator[Violation]:
    """Yield the import cycles, largest first, each with a shortest way round."""
    part_of = _map_nodes(rule, matcher.groups(rule.among))
    graph: defaultdict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
    for file, targets in view.targets.items():
        source = part_of.get(file)
        for target in targets if source is not None else ():
            target_node = part_of.get(target)
            if source is not None and target_node is not None and source != target_node:
                graph[source].setdefault(target_node, (file, target))
    ordered = {source: sorted(links) for source, links in graph.items()}
    components = [each for each in find_components(sorted(graph), graph) if len(each) > 1]
    for component in sorted(components, key=lambda each: (-len(each), min(each))):
        members = tuple(sorted(component))
        cycle = find_shortest_cycle(ordered, members, _MAX_STARTS)
        steps = tuple(view.cite(*graph[source][target_node]) for source, target_node in cycle)
        listed = ", ".join(members[:6]) + (f" and {len(members) - 6} more" if len(members) > 6 else "")
        message = f"{len(members)} {rule.level.value} import one another: {listed}"
        yield Violation(rule, message, steps[0].file, steps[0].line, members, steps)


def _map_nodes(rule: CyclesRule, groups: Iterable[FileGroup]) -> dict[str, str]:
    """Return file → the node that it belongs to in a cycle."""
    if rule.level is CycleLevel.FILES:
        return {file: file for group in groups for file in group.files}
    if rule.level is CycleLevel.DIRECTORIES:
        return {file: file.rpartition("/")[0] or "." for group in groups for file in group.files}
    return {file: group.name for group in groups for file in group.files}


def _join_patterns(patterns: Iterable[object]) -> str:
    """Return patterns as they were written."""
    return ", ".join(str(getattr(each, "text", each)) for each in patterns)


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
                owning = ", ".join(pattern.text for pattern in rule.owners[named[0]]) or "no file"
                message = f"{file} imports {named[0]}, which belongs to {owning}"
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
    public_files = matcher.files(FilePattern.parse(text) for text in rule.surface if ":" not in _use_dots(text))
    public_names = frozenset(_use_dots(text) for text in rule.surface if ":" in _use_dots(text))
    name = ", ".join(pattern.text for pattern in rule.package)

    def is_public(edge: Edge) -> bool:
        if edge.target in public_files:
            return True
        modules = {edge.target, dependencies.dotted_name(edge.target)}
        return any(f"{module}:{each}" in public_names for module in modules for each in (edge.name, "*"))

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


def _use_dots(text: str) -> str:
    """Return an entry of `surface` with dots between modules: `shop.cart:Cart` for `shop::cart:Cart`."""
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
    members = group_pairs((file.rpartition("/")[0] or ".", file) for file in files)
    for directory, inside in members.items():
        if len(inside) > limit:
            message = f"{directory} has {len(inside)} files; at most {limit} are allowed"
            yield Violation(rule, message, inside[0], 1, (directory, "files"))
