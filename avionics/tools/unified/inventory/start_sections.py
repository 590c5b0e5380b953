"""Answer what to read first: the documents at the top, where control enters, and the files that most others import."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from avionics.index.entrypoints.discovery import find_entry_points
from avionics.index.entrypoints.handlers import EntryPoint
from avionics.index.model.file_roles import FileRole, role_of
from avionics.late_pattern import late_pattern
from avionics.model.enums import Certainty, EntryKind
from avionics.model.mappings import group_pairs
from avionics.model.naming import plural
from avionics.model.results import Coverage
from avionics.tools.answers.answer import take_sections
from avionics.tools.answers.items import NameItem
from avionics.tools.composite.map_module import map_place
from avionics.tools.questions.intents import Question
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer, make_section
from avionics.tools.unified.file_sections import rank_imported

if TYPE_CHECKING:
    from avionics.workspace import Workspace

_DOCUMENT = late_pattern(
    r"(?i:(?:docs?/|doc/)?(?:(?:README|ARCHITECTURE|DESIGN|OVERVIEW|CONTRIBUTING|HACKING|DEVELOP(?:MENT|ING)|INTERNALS"
    r"|GETTING[-_]STARTED|AGENTS|CLAUDE)[\w-]*)\.(?:md|rst|txt|adoc))"
)
_MAIN = frozenset({EntryKind.SCRIPT, EntryKind.MODULE, EntryKind.GUARD})
_MAX_DOCUMENTS, _MAX_MAIN, _MAX_ROUTED, _MAX_IMPORTED = 6, 6, 3, 8


def answer_start(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the documents, entry points and files of a workspace with which one begins to read it."""
    code = workspace.code
    purpose = take_sections(map_place(code, workspace.source, "."), "purpose")
    documents = sorted(
        (each for each in code.paths if _DOCUMENT.fullmatch(each)),
        key=lambda each: (each.count("/"), "readme" not in each.lower(), each),
    )
    entries = list(_iter_entries(find_entry_points(code)))
    imported = [
        NameItem(f"{file}:1 imported by {plural(count, 'product file')}")
        for file, count in rank_imported(code)
        if role_of(file) is FileRole.PRODUCT
    ][:_MAX_IMPORTED]
    documents = documents[:_MAX_DOCUMENTS]
    count = len(documents) + len(entries) + len(imported)
    summary = f"read {documents[0]}:1 first" if documents else "no document in the root directory introduces the code"
    further = (*entries, *imported)
    if further:
        summary += f", then {further[0].name}"
    return build_answer(
        question,
        summary,
        Coverage(count, count, Certainty.AT_LEAST, settled=True),
        purpose,
        make_section("documents", "documents", [NameItem(f"{each}:1") for each in documents], 2.0),
        make_section("near", "where control enters", entries, 3.0),
        make_section("members", "files that most others import", imported, 3.0),
    )


def _iter_entries(points: Iterable[EntryPoint]) -> Iterator[NameItem]:
    """Yield where programs begin, then the files with most routes and commands."""
    product = [each for each in points if role_of(each.file) is FileRole.PRODUCT]
    main = [(each, each.definition) for each in product if each.kind in _MAIN and each.definition is not None]
    for each, runs in main[:_MAX_MAIN]:
        yield NameItem(f"{runs.file}:{runs.line} {runs.symbol.qualname or runs.file} ({each.kind.value} {each.name})")
    grouped = group_pairs(((each.file, each.kind.value), each) for each in product if each.kind not in _MAIN)
    most = sorted(grouped.items(), key=lambda each: -len(each[1]))
    for (file, kind), found in most[:_MAX_ROUTED]:
        yield NameItem(f"{file}:{found[0].line} {plural(len(found), kind)} declared here")
