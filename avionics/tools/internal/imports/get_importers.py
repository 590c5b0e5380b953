"""get_importers: list the files that import a file, or a module of a library."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from avionics.index.model.file_roles import FileRole, is_directory_file, role_and_place, role_of
from avionics.index.scopes.symbol_lookup import is_within
from avionics.model.enums import Certainty
from avionics.model.errors import UsageError
from avionics.model.knowledge import ModuleLink
from avionics.model.naming import plural
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage, NextStep
from avionics.source.paths import SkipReason
from avionics.syntax.registry import conventions_of, get_language
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import ImportItem
from avionics.tools.answers.next_step import suggest
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.path_resolver import require_code_file

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.workspace import Workspace

_NAMED, _SHOWN_DIRECTORIES = 3, 6
"""Files named in a reason, and directories named in a summary; all are counted."""


class GetImportersAnswer(Struct, frozen=True):
    """The imports that resolve to a file or module, product code first; `summary` counts all of them."""

    path: str
    summary: str
    coverage: Coverage
    importers: tuple[ImportItem, ...] = part("")

    def headline(self) -> str:
        return f"{self.path}: {self.summary}"


@tool(ToolId.GET_IMPORTERS, accepts="a file or library", returns="the imports that lead to it, with their lines")
def get_importers(workspace: Workspace, path: str) -> GetImportersAnswer:
    """List who imports a file, or a module of a library.

    Args:
        path: The file, relative to the workspace; a package means its own file, a directory without one all in it.
            Or a module from outside: `rich.text`.
    """
    code = workspace.code
    try:
        file = require_code_file(code, workspace.source, path)
        links = code.importers(file)
    except UsageError:
        directory = path.strip("/").removeprefix("./")
        if has_code(code, directory):
            return describe_directory_importers(code, directory)
        file, links = path, code.outside_importers(path)
        if not links:
            raise
    unlocated = () if links else _find_unlocated(workspace, file)
    if unlocated:
        items = ImportItem.of_links(unlocated)
        summary = f"no import leads to it; {plural(len(unlocated), 'import')} of that file name could not be resolved"
        return GetImportersAnswer(file, summary, Coverage(len(items), len(items), Certainty.AT_LEAST), items)
    package = _get_package(file, {link.file for link in links})
    following = suggest(ToolId.GET_IMPORTERS, "for files that may re-export it", path=package) if package else None
    answer = describe_importers(file, links, following)
    large = _list_too_large(code, file)
    if not large:
        return answer
    reason = Reason(ReasonKind.FILES_TOO_LARGE, len(large), subject=", ".join(large[:_NAMED]))
    coverage = structs.replace(answer.coverage, certainty=Certainty.AT_LEAST, reasons=(reason,))
    return structs.replace(answer, coverage=coverage)


def _list_too_large(code: CodeIndex, file: str) -> tuple[str, ...]:
    """Return the code too large to parse that mentions the name of a file, and may import it."""
    modules = code.resolver.scopes.modules
    system = modules.get_system_name(file)
    skipped = (each.path for each in code.snapshot.skipped if each.reason is SkipReason.TOO_LARGE)
    large = [path for path in skipped if get_language(path) and modules.get_system_name(path) == system]
    return (
        code.source.search_skipped(large, modules.system_of(file).mentions(file))
        if large and file in code.files
        else ()
    )


def has_code(code: CodeIndex, directory: str) -> bool:
    """Return whether a directory has code files."""
    return any(is_within(file, directory) for file in code.files)


def describe_directory_importers(code: CodeIndex, directory: str) -> GetImportersAnswer:
    """Return the answer that lists the imports of a directory's files by files outside of it."""
    answer = describe_importers(directory, _find_directory_importers(code, directory), outside=" outside of it")
    directories = _count_directories({each.file for each in answer.importers})
    return structs.replace(answer, summary=answer.summary + directories)


def _count_directories(files: Collection[str]) -> str:
    """Return how many of some files each directory has, for the end of a summary; "" if one has all of them.

    These are the directories below the one that all files share.
    """
    shared = posixpath.commonpath(files) if files else ""
    depth = len(shared.split("/")) if shared else 0
    counts = Counter("/".join(each.split("/")[: depth + 1]) for each in files)
    shown = [f"{count} in {name}" for name, count in counts.most_common(_SHOWN_DIRECTORIES)]
    more = [f"{len(counts) - len(shown)} more"] if len(counts) > len(shown) else []
    return f": {', '.join((*shown, *more))}" if 1 < len(counts) < len(files) else ""


def describe_importers(
    path: str, links: Iterable[ModuleLink], following: NextStep | None = None, *, outside: str = ""
) -> GetImportersAnswer:
    """Return the answer that lists imports of a path, product code first; `outside` describes where the files are."""
    items = ImportItem.of_links(sorted(links, key=role_and_place))
    coverage = Coverage(len(items), len(items), next=following, settled=True)
    return GetImportersAnswer(path, _count_importers(items, outside), coverage, items)


def narrow_importers(answer: GetImportersAnswer, scope: str) -> GetImportersAnswer:
    """Return the part of an answer about the files at or below a path."""
    items = tuple(each for each in answer.importers if is_within(each.file, scope))
    coverage = structs.replace(answer.coverage, found=len(items), shown=len(items))
    elsewhere = plural(len(answer.importers) - len(items), "import")
    summary = f"{_count_importers(items, f' in {scope}')}; elsewhere {elsewhere}"
    return structs.replace(answer, summary=summary, coverage=coverage, importers=items)


def _count_importers(items: tuple[ImportItem, ...], place: str) -> str:
    """Return how many files have some imports, as a phrase; `place` describes where they were searched."""
    files = {each.file for each in items}
    tests = sum(role_of(each) is FileRole.TEST for each in files)
    summary = f"imported by {plural(len(files), 'file')}{place}" if files else f"no file{place} imports it"
    return f"{summary} ({tests} in tests)" if tests else summary


def _find_directory_importers(code: CodeIndex, directory: str) -> tuple[ModuleLink, ...]:
    """Return the imports by which files outside a directory import one in it."""
    from avionics.index.references.import_graph import iter_edges

    code.load_facts(code.files)
    names: dict[tuple[str, int, str], dict[str, str]] = {}
    for edge in iter_edges(code.source, code.graph.edges):
        if edge.target and is_within(edge.target, directory) and not is_within(edge.file, directory):
            names.setdefault((edge.file, edge.line, edge.module), {})[edge.name] = edge.target
    # An import of a package with several files is listed once for its directory, not once for each file.
    targets = {place: set(taken.values()) for place, taken in names.items()}
    return tuple(
        ModuleLink(*place, tuple(taken), directory if len(targets[place]) > 1 else targets[place].pop())
        for place, taken in names.items()
    )


def _find_unlocated(workspace: Workspace, file: str) -> tuple[ModuleLink, ...]:
    """Return the includes of a file with this name that lead to no file: a build may add directories to search."""
    name = file.rpartition("/")[2]
    stem = name.partition(".")[0]
    if not (stem.isidentifier() and conventions_of(file).files.have_includes):
        return ()
    holding = workspace.code.files_with_word(stem)
    workspace.code.load_facts(holding)
    links = (link for each in holding for link in workspace.code.imports(each))
    return tuple(link for link in links if link.target is None and link.module.rpartition("/")[2] == name)


def _get_package(file: str, importers: Iterable[str]) -> str:
    """Return the file of the innermost package that imports a file in it; "" if there is none."""
    packages = (
        each for each in importers if is_directory_file(each) and file.startswith(f"{each.rpartition('/')[0] or each}/")
    )
    return max(packages, key=len, default="")
