"""Contradictions between answers about one snapshot, and between those about a repository and an altered copy of it."""

from __future__ import annotations

import random
import re
import shutil
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import structs

from avionics.index.analysis.impact import trace_impact
from avionics.index.changes.symbol_diff import ChangeKind, SymbolChange
from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import is_directory_file
from avionics.model.enums import ReferenceKind, SymbolKind
from avionics.model.knowledge import Definition, Usage
from avionics.settings import Settings
from avionics.syntax.registry import conventions_of
from avionics.tools.composite.explore_symbol_usage import explore_definition
from avionics.tools.internal.imports.get_importers import get_importers
from avionics.workspace import Workspace

_FUNCTIONS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY})
_LONG = re.compile(r"(?=\w{8})[a-z]+(?:[A-Z][a-z]+|_[a-z]+)+\Z")
"""Names of several words, which no language and no library is likely to have."""
_COMMENTS = {".py": "#", ".pyi": "#", ".rb": "#"}


def iter_caller_faults(workspace: Workspace, asked: Iterable[Definition]) -> Iterator[str]:
    """Yield the calls that no caller contains, and the callers that contain no call."""
    code = workspace.code
    for each in asked:
        answer = explore_definition(code, workspace.source, each)
        report = code.usages(each)
        calls = [usage for usage in report.usages if usage.role is ReferenceKind.CALL]
        spans = {
            (definition.file, definition.symbol.span)
            for caller in answer.callers
            for definition in code.find_definitions(caller.symbol, file=caller.file)
            if definition.line == caller.line
        }
        for call in calls:
            is_within = any(file == call.file and span.contains(call.line) for file, span in spans)
            if _is_in_function(code, call) and not is_within:
                yield f"no caller for {call.file}:{call.line}, a call of {describe(each)}"
        for file, span in spans:
            if not any(call.file == file and span.contains(call.line) for call in calls):
                yield f"{file}:{span.start_line} calls {describe(each)} nowhere"


def _is_in_function(code: CodeIndex, usage: Usage) -> bool:
    holder = usage.enclosing
    while holder is not None:
        # A decorator, or the default of a parameter, runs before the function does.
        if holder.kind in _FUNCTIONS and (usage.line, usage.column) > (holder.line, holder.symbol.column):
            return True
        parent = holder.symbol.parent
        holder = Definition(holder.file, code.facts(holder.file).symbols[parent], parent) if parent >= 0 else None
    return False


def iter_importer_faults(workspace: Workspace, files: Iterable[str]) -> Iterator[str]:
    """Yield the files that import a file by one answer, and not by another."""
    code = workspace.code
    importing: dict[str, set[str]] = {}
    for file in code.files:
        for link in code.imports(file):
            if link.target and link.target != file:
                importing.setdefault(link.target, set()).add(file)
    for file in files:
        listed = {item.file for item in get_importers(workspace, file).importers}
        if listed ^ importing.get(file, set()):
            yield f"importers of {file} differ: {sorted(listed ^ importing.get(file, set()))[:4]}"


def iter_impact_faults(workspace: Workspace, asked: Iterable[Definition]) -> Iterator[str]:
    """Yield the functions that use a definition, and that a change of it is not said to reach."""
    code = workspace.code
    for each in asked:
        change = SymbolChange(ChangeKind.BODY, each, each)
        reached = trace_impact(code, code, [change], depth=1, most=10).dependents
        places = {(dependent.file, dependent.definition.symbol.span) for dependent in reached}
        for usage in code.usages(each).usages:
            around = usage.enclosing
            is_own = usage.file == each.file and each.symbol.span.contains(usage.line)
            if around is None or is_own or usage.role is ReferenceKind.IMPORT:
                continue
            if not any(file == usage.file and span.contains(usage.line) for file, span in places):
                yield f"{usage.file}:{usage.line} uses {describe(each)}, and a change of that does not reach it"


def iter_thread_faults(code: CodeIndex, asked: list[Definition], seed: int) -> Iterator[str]:
    """Yield the definitions about which several threads that ask at once are told different things."""
    answers: list[dict[Definition, object]] = [{} for _ in range(4)]

    def ask(number: int) -> None:
        for each in random.Random(seed + number).sample(asked, len(asked)):
            report = code.usages(each)
            answers[number][each] = (report.usages, frozenset(report.unresolved), report.certainty)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(len(answers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for each in asked:
        if any(answer.get(each) != answers[0].get(each) for answer in answers):
            yield f"threads are told different things of {describe(each)}"


def iter_copy_faults(workspace: Workspace, asked: Iterable[Definition], scratch: Path) -> Iterator[str]:
    """Yield the definitions whose counts change with their names, and those that a comment changes besides its class.

    Names are changed in all files of a copy, code or not. The new ones are as long, and end as the old ones do.
    """
    code = workspace.code
    chosen = {each.name: each for each in asked if _is_of_workspace(code, each)}
    renamed = {name: _rename(name) for name in chosen}
    before = {name: code.usages(each) for name, each in chosen.items()}
    for folder, is_renaming in (("renamed", True), ("commented", False)):
        _copy(workspace, scratch / folder, renamed if is_renaming else {}, () if is_renaming else chosen.values())
        settings = structs.replace(Settings(), cache_directory=scratch / f"{folder} cache")
        with Workspace.open(scratch / folder, settings) as copy:
            copy.index()
            for name, each in chosen.items():
                symbol = copy.code.facts(each.file).symbols[each.index]
                report, was = copy.code.usages(Definition(each.file, symbol, each.index)), before[name]
                if report.ledger is None or was.ledger is None:
                    continue
                added = 0 if is_renaming else 1
                expected = structs.replace(
                    was.ledger, mentions=was.ledger.mentions + added, text=was.ledger.text + added
                )
                if (report.ledger, report.certainty) != (expected, was.certainty):
                    yield f"{folder}: {describe(each)} was {was.ledger}, is {report.ledger}, {report.certainty.value}"


def _rename(name: str) -> str:
    """Return another name that is as long, and spelled alike."""
    return f"{name[:-2]}{'qz' if name[-2:] != 'qz' else 'zq'}"


def _is_of_workspace(code: CodeIndex, each: Definition) -> bool:
    """Return whether only the workspace is likely to have the name, and nothing follows from how it is spelled."""
    conventions = conventions_of(each.file)
    is_special = conventions.implicit.special_names.fullmatch(each.name) is not None
    is_collected = each.name.startswith((*conventions.tests.collected, *conventions.tests.hooks))
    is_alone = len(code.find_definitions(each.name)) == 1 and not is_directory_file(each.file)
    is_alone = is_alone and not code.source.count_word(_rename(each.name))
    return _LONG.match(each.name) is not None and not is_special and not is_collected and is_alone


def _copy(workspace: Workspace, to: Path, renamed: dict[str, str], commented: Iterable[Definition]) -> None:
    """Copy the files of a workspace, with some words changed, and with a comment about each of some definitions."""
    root = workspace.root
    for path in workspace.code.snapshot.entries:
        (to / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / path, to / path)
    words = (
        re.compile(rb"(?<![^\W\d])(?:%s)\b" % b"|".join(map(re.escape, map(str.encode, renamed)))) if renamed else None
    )
    for path in workspace.code.snapshot.entries if words is not None else ():
        content = (root / path).read_bytes()
        assert words is not None
        changed = words.sub(lambda found: renamed[found[0].decode()].encode(), content)
        if changed != content:
            (to / path).write_bytes(changed)
    for each in commented:
        content = (to / each.file).read_bytes()
        mark = _COMMENTS.get(Path(each.file).suffix, "//").encode()
        end = b"" if not content or content.endswith(b"\n") else b"\n"
        (to / each.file).write_bytes(b"%s%s%s See %s.\n" % (content, end, mark, each.name.encode()))


def describe(definition: Definition) -> str:
    """Return a definition as a place and a name."""
    return f"{definition.file}:{definition.line} {definition.symbol.qualname}"
