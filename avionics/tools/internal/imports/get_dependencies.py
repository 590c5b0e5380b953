"""get_dependencies: find the files that a file depends on, directly and through others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Annotated

from msgspec import Struct

from avionics.model.knowledge import ModuleLink
from avionics.model.naming import plural
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import NameItem
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.path_resolver import require_code_file
from avionics.tools.schema.parameters import Bounds
from avionics.workspace import Workspace

MAX_LEVELS = 100
"""The depth when none is given: more than any chain of imports has."""

Step = tuple[int, ModuleLink]
"""A level, and the import that first reached a file on it."""


class DependencyItem(Struct, frozen=True):
    """A dependency: its distance in imports, and the import through which it is first reached."""

    path: str
    level: int
    file: str
    line: int

    def to_text(self) -> str:
        return f"{self.level} {self.path}  by {self.file}:{self.line}"


class GetDependenciesAnswer(Struct, frozen=True):
    """The dependencies, nearest first, and the external modules that the file itself imports."""

    path: str
    summary: str
    coverage: Coverage
    dependencies: tuple[DependencyItem, ...] = part("by level", share=4.0)
    external: tuple[NameItem, ...] = part("external modules that the file itself imports")

    def headline(self) -> str:
        return f"{self.path} depends on {self.summary}"


@tool(ToolId.GET_DEPENDENCIES, accepts="a file", returns="the files it needs, by level")
def get_dependencies(
    workspace: Workspace, path: str, depth: Annotated[int, Bounds(ge=1, le=MAX_LEVELS)] | None = None
) -> GetDependenciesAnswer:
    """Find the files that a file depends on, directly and through others.

    Args:
        path: The file, relative to the workspace; a package means its own file.
        depth: How many imports away to go; no limit by default.
    """
    file = require_code_file(workspace.code, workspace.source, path)
    code = workspace.code
    steps, is_whole = walk_links(file, code.imports, lambda link: link.target, depth or MAX_LEVELS)
    outside = sorted({link.module for link in code.imports(file) if not link.target})
    items = (DependencyItem(str(link.target), level, link.file, link.line) for level, link in steps)
    return GetDependenciesAnswer(
        file,
        count_levels(level for level, _ in steps),
        cover_levels(len(steps), depth, is_whole=is_whole),
        tuple(items),
        tuple(map(NameItem, outside)),
    )


def walk_links(
    start: str,
    links_of: Callable[[str], Iterable[ModuleLink]],
    other_end: Callable[[ModuleLink], str | None],
    depth: int,
) -> tuple[tuple[Step, ...], bool]:
    """Return the files reached from a file, level by level, and whether these are all."""
    seen = {start}
    level, edge, steps = 0, [start], list[Step]()
    while edge and level < depth:
        level += 1
        reached = []
        for file in edge:
            for link in links_of(file):
                other = other_end(link)
                if other and other not in seen:
                    seen.add(other)
                    reached.append(other)
                    steps.append((level, link))
        edge = reached
    is_whole = not any(other_end(link) not in {None, *seen} for file in edge for link in links_of(file))
    return tuple(steps), is_whole


def count_levels(levels: Iterable[int]) -> str:
    """Return how many files there are on each level: `12 files: 5 directly, 7 at level 2`."""
    counts = sorted(Counter(levels).items())
    if not counts:
        return "no file in the workspace"
    listed = ", ".join(f"{count} directly" if level == 1 else f"{count} at level {level}" for level, count in counts)
    return f"{plural(sum(count for _, count in counts), 'file')}: {listed}"


def cover_levels(count: int, depth: int | None, *, is_whole: bool) -> Coverage:
    """Return the coverage of a walk; a depth limit set by the caller does not make it incomplete."""
    reasons = () if is_whole else (Reason(ReasonKind.DEPTH_LIMIT, depth or 0),)
    return Coverage(count, count, reasons=reasons, settled=True)
