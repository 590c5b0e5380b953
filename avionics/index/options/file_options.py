"""Read what single files say of options, and keep it for the next question, also for that of another process.

A question looks at hundreds of files, and most of its time is spent on patterns; the next one looks at most of them
again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from msgspec import Struct, msgpack, structs

from avionics.index.code_index import CodeIndex
from avionics.index.options.declarations import (
    OptionCandidate,
    get_own_name,
    iter_candidates,
    iter_configured,
    read_stems,
)
from avionics.index.options.descriptions import cut_tags, read_said_default
from avionics.index.options.documentation import DocumentedOption, fold_option, is_document, is_sample, list_documented
from avionics.index.options.labels import is_form, iter_labelled

_FORMAT = "options 2"
"""The prefix of the key; another one when the same bytes are read otherwise."""
_MIN_NEW = 0.02
"""The share of files that are not stored yet for which all are stored again."""


class FileOptions(Struct, frozen=True, array_like=True):
    """What a file says of options: the lines that may declare one, and the texts about them."""

    candidates: tuple[OptionCandidate, ...]
    documented: tuple[DocumentedOption, ...]


class DerivedReader(Protocol):
    """Reads values that an earlier process derived."""

    def get_derived(self, key: str) -> Any: ...


class DerivedWriter(Protocol):
    """Stores derived values for the next process."""

    def put_derived(self, key: str, value: object) -> None: ...


class DerivedStore(Protocol):
    """Keeps derived values."""

    reader: DerivedReader
    writer: DerivedWriter


class FileOptionsCache:
    """Keeps what files with certain contents say of options."""

    def __init__(self, store: DerivedStore | None, root: str) -> None:
        self._store, self._key = store, f"{_FORMAT} {root}"
        self._packed: dict[str, tuple[str, bytes]] | None = None
        self._decoder = msgpack.Decoder(FileOptions)

    def read(self, code: CodeIndex, files: Iterable[str]) -> dict[str, FileOptions]:
        """Return file → what it says of options."""
        if self._packed is None:
            stored = self._store.reader.get_derived(self._key) if self._store is not None else None
            self._packed = {file: (oid, packed) for file, (oid, packed) in (stored or {}).items()}
        found: dict[str, FileOptions] = {}
        new = 0
        for file in files:
            entry = code.snapshot.entries.get(file)
            oid = entry.oid if entry is not None else ""
            known = self._packed.get(file)
            if oid and known is not None and known[0] == oid:
                found[file] = self._decoder.decode(known[1])
                continue
            found[file] = read_file_options(file, code.read_text(file))
            if oid:
                self._packed[file] = oid, msgpack.encode(found[file])
                new += 1
        if self._store is not None and new > _MIN_NEW * len(self._packed):
            self._store.writer.put_derived(self._key, self._packed)
        return found


def read_file_options(file: str, text: str) -> FileOptions:
    """Return what a file says of options; a sample of a configuration sets them, and other documents declare none."""
    documented = [*list_documented(file, text), *(iter_labelled(file, text) if is_form(file) else ())]
    if is_sample(file):
        return FileOptions(tuple(iter_configured(documented, text)), tuple(documented))
    candidates = () if is_document(file) else tuple(iter_candidates(file, text))
    return FileOptions(candidates, tuple(documented))


def iter_described(
    candidates: Iterable[OptionCandidate], documented: Mapping[str, DocumentedOption]
) -> Iterator[OptionCandidate]:
    """Yield candidates with what is said of them elsewhere."""
    for each in candidates:
        known = documented.get(fold_option(each.name)) or documented.get(fold_option(get_own_name(each.name)))
        yield _describe(each, known) if known is not None else each


def _describe(each: OptionCandidate, known: DocumentedOption) -> OptionCandidate:
    stems = read_stems(known.text)
    is_described = is_document(known.file)
    return structs.replace(
        each,
        described=stems if is_described else each.described,
        beside=each.beside if is_described else each.beside | stems,
        help=each.help or cut_tags(known.text),
        default=each.default or ("" if each.help else read_said_default(known.text)),
        document=f"{known.file}:{known.line}" if is_described else "",
    )
