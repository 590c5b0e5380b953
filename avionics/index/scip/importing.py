"""Import a compiler's SCIP index as proven facts about the contents that it describes.

An index names files, not contents. A file is imported only if its text here agrees with the index: with the text in the
index, or with the name of every symbol at its indexed definition.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import IO

import attrs

from avionics.index.code_index import CodeIndex
from avionics.index.model.compiler_facts import CompiledName, CompiledTarget, CompilerFactStore
from avionics.scip.files import iter_documents
from avionics.scip.schema import SymbolRole
from avionics.scip.symbols import LOCAL, Suffix, parse_symbol
from avionics.scip.values import ScipDocument, ScipOccurrence

_ACCESSOR = re.compile(r"<\w+>")
_MAX_MISMATCHES = 0.02
"""The share of the definitions of a file whose names the text may lack, since indexers invent the names of some."""


@attrs.frozen
class ImportReport:
    """The result of an import.

    Attributes:
        files: The number of files whose facts were imported.
        names: The number of names in them.
        differing: The files whose text here is not what the index describes.
        missing: The number of files of the index that are not in the snapshot.
    """

    files: int
    names: int
    differing: tuple[str, ...]
    missing: int


@attrs.define
class _Checked:
    """The occurrences of one document that its text confirms."""

    path: str
    oid: str
    occurrences: list[ScipOccurrence]


def import_index(file: IO[bytes], code: CodeIndex, store: CompilerFactStore) -> ImportReport:
    """Store what an index proves about the files of a snapshot.

    Raise `UsageError` if it is not a SCIP index, or it is damaged; `OSError` if the cache cannot be written.
    """
    checked: list[_Checked] = []
    differing: list[str] = []
    missing = 0
    targets: dict[str, dict[CompiledTarget, None]] = defaultdict(dict)
    for document, text in _iter_texts(file, code):
        entry = code.snapshot.entries.get(document.path)
        if text is None or entry is None:
            missing += 1
        elif not _agrees(document, text):
            differing.append(document.path)
        else:
            aliases = frozenset(each.alias for each in code.facts(document.path).imports)
            confirmed = [each for each in document.occurrences if _is_confirmed(each, text.split("\n"), aliases)]
            checked.append(_Checked(document.path, entry.oid, confirmed))
            for each in confirmed:
                if each.roles & SymbolRole.DEFINITION:
                    targets[_key(document.path, each.symbol)][_target(document.path, entry.oid, each)] = None
    names = 0
    for page in checked:
        compiled_names = tuple(_iter_names(page, targets))
        store.put(page.oid, compiled_names)
        names += len(compiled_names)
    return ImportReport(len(checked), names, tuple(differing), missing)


def _iter_texts(file: IO[bytes], code: CodeIndex) -> Iterator[tuple[ScipDocument, str | None]]:
    last: list[str | None] = [None]

    def read(path: str) -> str | None:
        last[0] = code.read_text(path) if code.has_file(path) else None
        return last[0]

    for document in iter_documents(file, read):
        yield document, last[0]


def _agrees(document: ScipDocument, text: str) -> bool:
    """Return whether a document describes this text."""
    if document.text:
        return document.text == text
    lines = text.split("\n")
    defined = [each for each in document.occurrences if each.roles & SymbolRole.DEFINITION and _is_named(each)]
    wrong = sum(not _has_name(each, lines) for each in defined)
    return wrong <= _MAX_MISMATCHES * len(defined)


def _is_confirmed(each: ScipOccurrence, lines: list[str], aliases: frozenset[str]) -> bool:
    """Return whether the text has a name of the symbol at the location that the index gives."""
    if each.symbol.startswith(LOCAL):
        return False
    return not _is_named(each) or _has_name(each, lines) or _text_of(each, lines) in aliases


def _is_named(each: ScipOccurrence) -> bool:
    """Return whether an occurrence is spelled like its symbol; occurrences of modules need not be."""
    name = parse_symbol(each.symbol)
    is_module = name is None or not name.descriptors or name.descriptors[-1].suffix is Suffix.NAMESPACE
    return not is_module and each.range[:2] != each.range[2:]


def _has_name(each: ScipOccurrence, lines: list[str]) -> bool:
    symbol = parse_symbol(each.symbol)
    assert symbol is not None
    last = symbol.descriptors[-1]
    written, named = _text_of(each, lines), _ACCESSOR.sub("", last.name)
    text, name = written.strip("\"'`"), named.strip("\"'`")
    if text == name or (last.suffix is Suffix.META and (last.name == "__init__" or _is_numbered(named, written))):
        return True
    # Some indexers record the whole import; others record a constructor under the name of its class or a keyword.
    return text.startswith((f"{name} ", f"{name}\n")) or not name


def _is_numbered(name: str, text: str) -> bool:
    """Return whether a name is the text with a number that an indexer appended: `count1` → `count10`."""
    return bool(text) and name.startswith(text) and name[len(text) :].isdigit()


def _text_of(each: ScipOccurrence, lines: list[str]) -> str:
    line, column, last, end = each.range
    return lines[line - 1][column:end] if line == last else lines[line - 1][column:]


def _iter_names(page: _Checked, targets: Mapping[str, Iterable[CompiledTarget]]) -> Iterator[CompiledName]:
    for each in page.occurrences:
        for target in targets.get(_key(page.path, each.symbol), ()):
            is_written, is_import = bool(each.roles & SymbolRole.WRITE), bool(each.roles & SymbolRole.IMPORT)
            yield CompiledName(each.range[0], each.range[1], target, is_written, is_import)


def _target(path: str, oid: str, each: ScipOccurrence) -> CompiledTarget:
    is_module = each.range[:2] == each.range[2:]
    return CompiledTarget(path, oid, each.range[0], -1 if is_module else each.range[1])


def _key(path: str, symbol: str) -> str:
    """Return the key of a symbol; local ones belong to their document."""
    return f"{path}\0{symbol}" if symbol.startswith(LOCAL) else symbol
