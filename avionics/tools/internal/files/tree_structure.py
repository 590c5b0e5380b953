"""tree_structure: show the directories and their sizes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated

from msgspec import Struct

from avionics.model.mappings import group_pairs
from avionics.model.naming import plural
from avionics.model.results import Coverage
from avionics.source.paths import summarize_skipped
from avionics.source.read import count_lines
from avionics.tools.answers.answer import part
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.schema.parameters import Bounds
from avionics.workspace import Workspace

READABLE_ENTRIES = 120
"""Without a depth, the tree is as deep as this many entries allow."""


class TreeItem(Struct, frozen=True):
    """A directory with the size of everything below it; `folded` if its subdirectories are not shown."""

    path: str
    files: int
    lines: int
    bytes: int
    folded: bool

    def to_text(self) -> str:
        more = ", more directories below" if self.folded else ""
        size = ", ".join((plural(self.files, "file"), plural(self.lines, "line"), plural(self.bytes, "byte")))
        return f"{self.path}/  {size}{more}"


class TreeStructureAnswer(Struct, frozen=True):
    """A directory and its subdirectories, each after its parent."""

    path: str
    depth: int
    coverage: Coverage
    directories: tuple[TreeItem, ...] = part("")

    def headline(self) -> str:
        return f"{self.path}: directories to depth {self.depth}, each with everything below it"


class Total(Struct):
    """The size of everything below a directory."""

    files: int = 0
    lines: int = 0
    bytes: int = 0


@tool(ToolId.TREE_STRUCTURE, accepts="a directory, by default the root", returns="its directories with their sizes")
def tree_structure(
    workspace: Workspace, path: str = ".", depth: Annotated[int, Bounds(ge=1, le=50)] | None = None
) -> TreeStructureAnswer:
    """Show the directories below a path, with files, lines and bytes of each.

    Args:
        path: The directory to start from.
        depth: How many levels to show; by default as many as fit about 120 entries.
    """
    source = workspace.source
    scope = source.resolve(path)
    walk = source.walk(scope)
    start = 0 if scope == "." else len(scope) + 1
    totals: dict[str, Total] = defaultdict(Total)
    contents = source.iter_contents(file.path for file in walk.files)
    for file, content in zip(walk.files, contents, strict=True):
        lines = count_lines(content.data)
        for directory in iter_directories(file.path[start:]):
            total = totals[directory]
            total.files += 1
            total.lines += lines
            total.bytes += file.size
    whole = totals.pop("", Total())
    shown = depth or fitting_depth(map(level, totals))
    start_item = TreeItem(scope, whole.files, whole.lines, whole.bytes, folded=False)
    items = (start_item, *_iter_items(totals, shown, "" if scope == "." else f"{scope}/"))
    coverage = Coverage(len(items), len(items), reasons=summarize_skipped(walk.skipped))
    return TreeStructureAnswer(scope, shown, coverage, items)


def level(path: str) -> int:
    """Return the depth of a path: 1 for entries of the root."""
    return path.count("/") + 1


def iter_directories(path: str) -> Iterator[str]:
    """Iterate over the directories that contain a file, from "" (the root) down."""
    yield ""
    at = path.find("/")
    while at >= 0:
        yield path[:at]
        at = path.find("/", at + 1)


def fitting_depth(levels: Iterable[int]) -> int:
    """Return the greatest depth, at least 1, down to which there are at most READABLE_ENTRIES entries."""
    counts = Counter(levels)
    depth, entries = 1, counts[1]
    while counts[depth + 1] and entries + counts[depth + 1] <= READABLE_ENTRIES:
        depth += 1
        entries += counts[depth]
    return depth


def _iter_items(totals: Mapping[str, Total], depth: int, prefix: str) -> Iterator[TreeItem]:
    """Iterate over the directories to a depth, leaving out those that only contain another directory."""
    inner = group_pairs((path.rpartition("/")[0], path) for path in totals)
    for path in sorted(totals, key=lambda path: path.split("/")):
        total, children = totals[path], inner.get(path, [])
        is_last = level(path) == depth
        is_shell = len(children) == 1 and totals[children[0]].files == total.files
        if level(path) <= depth and (is_last or not is_shell):
            yield TreeItem(prefix + path, total.files, total.lines, total.bytes, is_last and bool(children))
