"""Gather what the pictures show from a workspace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from urllib.parse import quote

import attrs

from avionics.index.architecture.call_flow import CallFlow, add_conditions, build_neighborhood, find_call_paths
from avionics.index.architecture.grouping import Structure, build_structure
from avionics.index.architecture.hotspots import (
    Hotspot,
    RecentChanges,
    count_recent_changes,
    rank_hotspots,
    select_recent,
)
from avionics.index.contract.evaluation import check_contract
from avionics.index.contract.findings import ImportStep
from avionics.index.entrypoints.discovery import find_entry_points
from avionics.index.entrypoints.handlers import EntryPoint
from avionics.index.model.file_roles import FileRole, role_of
from avionics.model.knowledge import Definition
from avionics.model.naming import agree, plural
from avionics.pictures.drawing import Picture
from avionics.pictures.flow_picture import draw_flow, draw_paths
from avionics.pictures.map_picture import MapMarks, draw_map
from avionics.pictures.matrix_picture import draw_matrix
from avionics.pictures.page import PageSection, PageTable
from avionics.pictures.treemap_picture import draw_treemap
from avionics.tools.resolution.contract_reader import get_contract, open_dependencies
from avionics.tools.resolution.revision_pair import open_revision_pair
from avionics.workspace import Workspace

_MAX_COMMITS = 2_000
_MIN_INSIDE = 3
"""A directory with fewer parts is not drawn on its own."""

_MAX_ENTRIES = 300
"""A longer list of entry points is cut on the page."""

_FLOW_TITLES = ("entry points", "callers", "the symbol", "what it calls")
"""What heads the columns of a flow."""


class Gallery:
    """The pictures of one workspace; clicks lead to the link, which has `{path}` and `{line}` in it."""

    def __init__(self, workspace: Workspace, link: str) -> None:
        self._workspace = workspace
        self._link = link
        self.dependencies = open_dependencies(workspace)
        self.name = workspace.root.name

    def href(self, path: str, line: int) -> str:
        """Return where a click on a place leads."""
        shown = quote(path.encode("utf-8", "surrogateescape"))
        return self._link.replace("{path}", shown).replace("{line}", str(line))

    @cached_property
    def structure(self) -> Structure:
        """Return the layers of the whole workspace."""
        return build_structure(self.dependencies)

    @cached_property
    def recent(self) -> RecentChanges:
        """Return the recent commits; none without a history."""
        history = self._workspace.history
        if not history.is_available():
            return RecentChanges()
        commits = select_recent(history.find_commits(limit=_MAX_COMMITS))
        return count_recent_changes(commits, history.read_touched_files(commits))

    @cached_property
    def spots(self) -> tuple[Hotspot, ...]:
        """Return the product's files, hottest first."""
        lines = {f: count for f, count in self.dependencies.lines.items() if role_of(f) is FileRole.PRODUCT}
        return rank_hotspots(lines, self.recent)

    def marks(self, structure: Structure) -> MapMarks:
        """Return the marks of a map: recent commits, and links that break the contract."""
        recent = {
            name: sum(self.recent.files.get(file, 0) for file in group.files)
            for name, group in structure.groups.items()
        }
        group_of = {file: name for name, group in structure.groups.items() for file in group.files}
        broken = {
            (group_of[step.file], group_of[step.target])
            for step in self._broken
            if step.file in group_of and step.target in group_of
        }
        return MapMarks(recent, violations=frozenset(broken))

    def draw_map(self) -> Picture:
        """Return the map of the whole workspace."""
        return draw_map(self.structure, f"Map of {self.name}", self.marks(self.structure))

    def draw_inside(self) -> tuple[tuple[str, Picture], ...]:
        """Return the maps of the directories on the map."""
        found = []
        for name, group in self.structure.groups.items():
            if group.is_directory:
                inner = build_structure(self.dependencies, within=name)
                if len(inner.groups) >= _MIN_INSIDE:
                    found.append((name, draw_map(inner, f"Map of {name}", self.marks(inner))))
        return tuple(found)

    def draw_matrix(self) -> Picture:
        """Return the matrix of the whole workspace."""
        hrefs = {}
        for link in self.structure.links:
            file, target = link.first
            line = min((edge.line for edge in self.dependencies.cite(file, target)), default=1)
            hrefs[link.source, link.target] = self.href(file, line)
        return draw_matrix(self.structure, f"Who imports whom in {self.name}", hrefs)

    def draw_hotspots(self) -> Picture:
        """Return the treemap of hotspots."""
        commits = plural(self.recent.commits, "commit")
        note = f"{commits} in the 90 days before the newest; tests and vendored files are left out."
        hrefs = {spot.file: self.href(spot.file, 1) for spot in self.spots}
        return draw_treemap(self.spots, f"Hotspots of {self.name}", note, hrefs)

    def build_flow(self, symbol: Definition) -> CallFlow:
        """Return the flow around a definition."""
        points = find_entry_points(self._workspace.code)
        return self._build_around(symbol, [point.definition for point in points if point.definition is not None])

    def find_paths(self, start: Definition, goal: Definition) -> tuple[CallFlow, ...]:
        """Return the proven paths between two definitions; () for none."""
        found = find_call_paths(self._workspace.code, start, goal)
        return tuple(add_conditions(flow, self._workspace.source.read) for flow in found)

    def draw_flow(self, flow: CallFlow, title: str) -> Picture:
        """Return the picture of the calls around a definition."""
        return draw_flow(flow, title, _FLOW_TITLES, self.href)

    def draw_paths(self, flow: CallFlow, title: str) -> Picture:
        """Return the picture of the paths between two definitions."""
        return draw_paths(flow, title, self.href)

    def find_changed(self, base: str, head: str | None) -> tuple[Mapping[str, int], Mapping[str, int], str]:
        """Return what a change touches and reaches: group → files of either kind, and a title."""
        pair = open_revision_pair(self._workspace, base, head)
        touched = {file.after or file.before for file in pair.files}
        reached, front = set(touched), sorted(touched)
        while front:
            front = sorted({s for file in front for s in self.dependencies.importers.get(file, ())} - reached)
            reached.update(front)

        def count(files: set[str]) -> dict[str, int]:
            found = {name: len(files & set(group.files)) for name, group in self.structure.groups.items()}
            return {name: many for name, many in found.items() if many}

        return count(touched), count(reached - touched), pair.title

    def draw_changes(self, base: str, head: str | None) -> Picture:
        """Return the map with what a change touches and reaches marked."""
        touched, reached, title = self.find_changed(base, head)
        changed, importing = (plural(sum(counts.values()), "file") for counts in (touched, reached))
        note = (
            f"Thick border: has changed files ({changed} in all). Dashed border: none of its files changed, "
            f"but some import a changed one, perhaps through others ({importing} in all)."
        )
        marks = attrs.evolve(
            self.marks(self.structure),
            own=frozenset(touched),
            far=frozenset(reached) - frozenset(touched),
            notes=(note,),
        )
        return draw_map(self.structure, f"{self.name}: {title}", marks)

    def sections(self) -> tuple[PageSection, ...]:
        """Return the pictures of a report."""
        return (
            PageSection("map", self.draw_map(), self.draw_inside()),
            PageSection("matrix", self.draw_matrix()),
            PageSection("hotspots", self.draw_hotspots()),
            *self._list_flow_sections(),
        )

    def list_unseen(self) -> tuple[str, ...]:
        """Return what the pictures do not show, in sentences."""
        code = self._workspace.code
        sentences = []
        others = len(code.paths) - len(code.files)
        if others:
            sentences.append(f"{agree(others, 'file', 'is', 'are')} in no supported language and in no picture.")
        problems = code.problems()
        if problems:
            sentences.append(f"{plural(len(problems), 'file')} could be parsed only in part, first {min(problems)}.")
        lost = len(self.dependencies.unresolved)
        if lost:
            sentences.append(f"{plural(lost, 'relative import')} could not be resolved.")
        return (
            *sentences,
            "Imports by computed names, and calls through reflection, are seen only where the tools can prove them.",
        )

    def _list_flow_sections(self) -> tuple[PageSection, ...]:
        """Return the flow from the product's main entry point, and the list of all of them."""
        code = self._workspace.code
        points = {
            point: point.definition for point in find_entry_points(code)
            if point.definition is not None and role_of(point.definition.file) is FileRole.PRODUCT
        }  # fmt: skip
        if not points:
            return ()
        # The main program is the one that imports most of the workspace; the others are tools and examples.
        first = max(points, key=lambda point: self._count_imported(points[point].file))
        flow = self._build_around(points[first], points.values())
        title = f"Calls around the entry point {points[first].symbol.qualname}"
        return (PageSection("flow", self.draw_flow(flow, title), tables=(self._list_entries(tuple(points)),)),)

    def _build_around(self, symbol: Definition, entries: Iterable[Definition]) -> CallFlow:
        """Return the flow around a definition, with the conditions of its steps."""
        flow = build_neighborhood(self._workspace.code, symbol, entries)
        return add_conditions(flow, self._workspace.source.read)

    def _count_imported(self, file: str) -> int:
        """Return how many files a file imports, directly or through others."""
        seen, front = {file}, [file]
        while front:
            found = {arc.target for each in front for arc in self.dependencies.arcs(each)} - seen
            seen |= found
            front = list(found)
        return len(seen)

    def _list_entries(self, points: tuple[EntryPoint, ...]) -> PageTable:
        shown = points[:_MAX_ENTRIES]
        left_out = f", the first {_MAX_ENTRIES} of {len(points):,}" if len(points) > _MAX_ENTRIES else ""
        rows = [
            (point.kind.value, " ".join((*point.methods, point.name)),
             point.definition.symbol.qualname if point.definition is not None else "", f"{point.file}:{point.line}")
            for point in shown
        ]  # fmt: skip
        heading = ("kind", "name", "runs", "declared in")
        hrefs = tuple(self.href(point.file, point.line) for point in shown)
        return PageTable(f"Entry points of the product{left_out}", (heading, *rows), hrefs)

    @cached_property
    def _broken(self) -> tuple[ImportStep, ...]:
        """Return the imports that break the workspace's contract; () without one."""
        contract = get_contract(self._workspace)
        if contract is None:
            return ()
        report = check_contract(contract, self.dependencies)
        return tuple(step for violation in report.violations for step in violation.steps)
