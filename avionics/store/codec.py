"""Encode facts as bytes and decode them.

msgspec encodes the structs of `avionics.model.facts` field by field, as nested arrays, and checks every value when it
decodes them. The tables of `FileUses` stay packed until a key is looked up: most questions ask about a few names.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, ItemsView, Iterator, Mapping, ValuesView
from typing import Any, TypeVar, overload

from msgspec import Raw, Struct
from msgspec.structs import astuple, force_setattr

from avionics.model.enums import BindingKind, ExpressionKind, NarrowingKind, ReferenceKind, ScopeKind, SymbolKind
from avionics.model.facts import (
    Binding,
    Expression,
    FileFacts,
    FileUses,
    Import,
    Narrowing,
    ParseProblem,
    Reference,
    Scope,
    Span,
    Symbol,
    replace,
)
from avionics.model.naming import fold_name
from avionics.store.payload import decode, encode, open_payload, to_payload, unescape, wrap
from avionics.store.postings import NumberedWords, Vocabulary
from avionics.store.schema import VERSION

KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")
DefaultT = TypeVar("DefaultT")
RowT = TypeVar("RowT", Binding, Reference)

_STRUCTS = (Binding, Expression, FileFacts, FileUses, Import, Narrowing, ParseProblem, Reference, Scope, Span, Symbol)
_BY_NAME, _BY_NUMBER, _ROWS = list[str], list[int], list[Raw]
_BINDINGS, _REFERENCES = tuple[Binding, ...], tuple[Reference, ...]
_ENUMS = (BindingKind, ExpressionKind, NarrowingKind, ReferenceKind, ScopeKind, SymbolKind)

_DECODED, _DECODED_ROW = 12, 1_000
"""The memory of a decoded table, in bytes per byte of the packed table and per row."""
_LOOKED_UP = 3
"""The memory of a table of which few rows were decoded, in bytes per byte of the packed table."""

BlobKey = tuple[str, str]
"""A content in a language: (git blob id in hex, language)."""


class ParseFailure(Struct, frozen=True, array_like=True, tag=1):
    """Why some bytes have no facts. Their words are kept, so that searches still consider the file."""

    reason: str
    words: Mapping[str, int] = {}


class PackedFacts(Struct, frozen=True, array_like=True, tag=2):
    """Facts ready to be stored, small enough to travel between processes.

    Attributes:
        outline: The payload of everything but words.
        words: The identifiers with their numbers of occurrences.
        length: How many identifiers there are, each as often as it occurs.
        names: The folded names of the symbols, each once.
        lines: The number of lines.
        symbols: The number of symbols.
        loose: Free name → its packed uses (`syntax/textual/free_names`); {} if they were not collected.
        uses: The payload of the uses, if they are to be stored at once; else b"".
    """

    outline: bytes
    words: NumberedWords
    length: int
    names: tuple[str, ...]
    lines: int
    symbols: int
    loose: Mapping[str, bytes] = {}
    uses: bytes = b""

    @classmethod
    def of(
        cls,
        facts: FileFacts,
        loose: Mapping[str, bytes] | None = None,
        vocabulary: Vocabulary | None = None,
        uses: FileUses | None = None,
    ) -> PackedFacts:
        """Pack facts; the words of contents that are packed one after the other may share a vocabulary."""
        names = dict.fromkeys(fold_name(symbol.name) for symbol in facts.symbols)
        outline, length = encode_facts(facts), sum(facts.words.values())
        words = (vocabulary or Vocabulary()).to_numbers(facts.words)
        packed = encode_uses(uses) if uses is not None else b""
        return cls(outline, words, length, tuple(names), facts.lines, len(facts.symbols), loose or {}, packed)


class PackedFile(Struct, frozen=True, array_like=True, tag=3):
    """The payloads of an outline and of uses, of a file that was extracted for one question; b"" if not asked for."""

    outline: bytes = b""
    uses: bytes = b""


def encode_facts(facts: FileFacts, *, compress: bool = True) -> bytes:
    """Encode an outline, without its words: they are stored as postings."""
    return to_payload(replace(facts, words={}), compress=compress)


def decode_facts(data: bytes) -> FileFacts:
    """Decode an outline, without its words. Raise `IndexStateError` if the payload is damaged or no outline."""
    body, is_escaped = open_payload(data)
    return unescape(body, FileFacts) if is_escaped else decode(body, FileFacts)


class _SymbolName(Struct, array_like=True, gc=False):
    """The first field of a `Symbol`; msgspec skips the others."""

    name: str


class _SymbolNames(Struct, array_like=True, gc=False):
    """The first fields of `FileFacts`."""

    language: Raw
    symbols: list[_SymbolName]


class _Symbols(Struct, array_like=True, gc=False):
    """The first fields of `FileFacts`, its symbols packed."""

    language: Raw
    symbols: list[Raw]


class _ImportLine(Struct, array_like=True, gc=False):
    """The first fields of an `Import`."""

    module: str
    name: Raw
    alias: Raw
    level: int


class _ImportLines(Struct, array_like=True, gc=False):
    """The first fields of `FileFacts`."""

    language: Raw
    symbols: Raw
    imports: list[_ImportLine]


def decode_symbols_named(data: bytes, folded: str) -> tuple[tuple[int, Symbol], ...]:
    """Return an outline's symbols of a folded name, with indices. Raise `IndexStateError` if it is damaged."""
    body, is_escaped = open_payload(data)
    if is_escaped:
        symbols = unescape(body, FileFacts).symbols
        return tuple([(index, symbol) for index, symbol in enumerate(symbols) if fold_name(symbol.name) == folded])
    names = decode(body, _SymbolNames).symbols
    found = [index for index, each in enumerate(names) if fold_name(each.name) == folded]
    packed = decode(body, _Symbols).symbols if found else []
    return tuple([(index, decode(packed[index], Symbol)) for index in found])


def decode_import_lines(data: bytes) -> tuple[tuple[str, int], ...]:
    """Return module and level of each import of an outline. Raise `IndexStateError` if that is damaged."""
    body, is_escaped = open_payload(data)
    imports = unescape(body, FileFacts).imports if is_escaped else decode(body, _ImportLines).imports
    return tuple([(each.module, each.level) for each in imports])


class _PackedTable(Struct, array_like=True, gc=False):
    """A table in two parts, so that looking whether a key is there reads only the keys.

    The rows are packed, or of a large table a payload of their own; `size` is the number of bytes when packed.
    """

    keys: bytes
    rows: bytes
    size: int = 0

    def read_rows(self) -> bytes:
        """Return the packed rows."""
        return open_payload(self.rows)[0] if self.size else self.rows


class _SplitUses(Struct, array_like=True, gc=False):
    """Packed uses without the rows of the two large tables, and these rows, which few questions about a file need."""

    head: bytes
    bindings: bytes
    references: bytes


class _PackedUses(Struct, array_like=True, gc=False):
    """The fields of `FileUses`, each packed on its own, so that reading one need not pass over the others."""

    scopes: bytes
    bindings: _PackedTable
    references: _PackedTable
    bases: _PackedTable
    results: _PackedTable
    returns: _PackedTable
    yields: _PackedTable
    narrowings: bytes
    dynamic: bytes
    strings: _PackedTable
    decorators: _PackedTable
    is_partial: bytes
    unread: _PackedTable
    unwritten: _PackedTable
    unnamed: _PackedTable
    keys: _PackedTable


def encode_uses(uses: FileUses, *, compress: bool = True) -> bytes:
    """Encode uses as one payload. Rows are stored without the name under which their table has them."""
    nameless = replace(uses, bindings=_without_names(uses.bindings), references=_without_names(uses.references))
    try:
        packed = _PackedUses(*map(_pack, astuple(nameless)))  # type: ignore[arg-type]
    except UnicodeEncodeError:
        return to_payload(nameless, compress=compress)
    large = [packed.bindings.rows, packed.references.rows]
    packed.bindings, packed.references = (
        _PackedTable(each.keys, b"", len(each.rows)) for each in (packed.bindings, packed.references)
    )
    parts = (wrap(each, compress=compress) for each in (encode(packed), *large))
    return to_payload(_SplitUses(*parts), compress=False)


def _pack(value: object) -> bytes | _PackedTable:
    """Return a field of `FileUses` as `_PackedUses` has it."""
    if not isinstance(value, Mapping):
        return encode(value)
    return _PackedTable(encode(list(value)), encode(list(value.values())))


def decode_uses(data: bytes) -> FileUses:
    """Decode uses; a table is decoded when it may contain a requested name, and a value when it is looked up.

    Raise `IndexStateError` if the payload is damaged, or holds no uses.
    """
    body, is_escaped = open_payload(data)
    if is_escaped:
        uses = unescape(body, FileUses)
        for name, bindings in uses.bindings.items():
            _with_name(name, bindings)
        for name, references in uses.references.items():
            _with_name(name, references)
        return uses
    parts = decode(body, _SplitUses)
    packed = decode(open_payload(parts.head)[0], _PackedUses)
    packed.bindings.rows, packed.references.rows = parts.bindings, parts.references
    return FileUses(
        decode(packed.scopes, tuple[Scope, ...]),
        LazyTable(packed.bindings, _BY_NAME, _BINDINGS, _with_name),
        LazyTable(packed.references, _BY_NAME, _REFERENCES, _with_name),
        _open_table(packed.bases, _BY_NUMBER, tuple[Expression, ...]),
        _open_table(packed.results, _BY_NUMBER, Expression),
        _open_table(packed.returns, _BY_NUMBER, tuple[Expression, ...]),
        _open_table(packed.yields, _BY_NUMBER, tuple[Expression, ...]),
        decode(packed.narrowings, tuple[Narrowing, ...]),
        decode(packed.dynamic, _REFERENCES),
        _open_table(packed.strings, _BY_NAME, tuple[int, ...]),
        _open_table(packed.decorators, _BY_NUMBER, tuple[Expression, ...]),
        decode(packed.is_partial, bool),
        _open_table(packed.unread, _BY_NAME, tuple[tuple[int, int], ...]),
        _open_table(packed.unwritten, _BY_NAME, tuple[tuple[int, int], ...]),
        _open_table(packed.unnamed, _BY_NAME, int),
        _open_table(packed.keys, _BY_NAME, tuple[int, ...]),
    )


def _open_table(packed: _PackedTable, keys: type[list[KeyT]], kind: type[ValueT]) -> LazyTable[KeyT, ValueT]:
    return LazyTable(packed, keys, kind)


def layout_version() -> int:
    """Return a number that changes with the fields of facts, the members of their enums, and the format of payloads.

    A stored file of another version is rebuilt instead of misread.
    """
    fields = [(each.__name__, each.__struct_fields__) for each in _STRUCTS]
    members = [[(member.name, member.value) for member in each] for each in _ENUMS]
    return zlib.crc32(repr((VERSION, sys.byteorder, fields, members)).encode()) & 0x7FFFFFFF


class LazyTable(Mapping[KeyT, ValueT]):
    """Key → value; the table is decoded when it may contain a requested key, and a value when it is first looked up.

    `complete` adds to a decoded value what its key says. Iterating over the values decodes all of them at once.
    """

    __slots__ = ("_complete", "_is_decoded", "_keys", "_kind", "_known", "_packed")

    def __init__(
        self,
        packed: _PackedTable,
        keys: type[list[KeyT]],
        kind: type[ValueT],
        complete: Callable[[KeyT, ValueT], ValueT] | None = None,
    ) -> None:
        self._packed = packed
        self._keys = keys
        self._kind = kind
        self._complete = complete
        self._known: dict[KeyT, Any] | None = None
        self._is_decoded = False

    @property
    def _rows(self) -> dict[KeyT, Any]:
        if self._known is None:
            self._known = self._decode(_ROWS)
        return self._known

    def _decode(self, rows: type[list[Any]]) -> dict[KeyT, Any]:
        return dict(zip(decode(self._packed.keys, self._keys), decode(self._packed.read_rows(), rows), strict=True))

    def _decode_all(self) -> dict[KeyT, ValueT]:
        if not self._is_decoded:
            known: dict[KeyT, ValueT] = self._decode(list[self._kind])  # type: ignore[name-defined]  # a runtime type
            if self._complete is not None:
                for key, value in known.items():
                    self._complete(key, value)
            self._known, self._is_decoded = known, True
        assert self._known is not None
        return self._known

    def items(self) -> ItemsView[KeyT, ValueT]:
        """Return the keys with their values."""
        return self._decode_all().items()

    def values(self) -> ValuesView[ValueT]:
        """Return the values."""
        return self._decode_all().values()

    def __getitem__(self, key: KeyT) -> ValueT:
        if key not in self:
            raise KeyError(key)
        return self._read(key)

    def _read(self, key: KeyT) -> ValueT:
        row = self._rows[key]
        if type(row) is Raw:
            row = decode(row, self._kind)
            self._rows[key] = row if self._complete is None else self._complete(key, row)
        value: ValueT = row
        return value

    @overload
    def get(self, key: KeyT, /) -> ValueT | None: ...

    @overload
    def get(self, key: KeyT, /, default: ValueT | DefaultT) -> ValueT | DefaultT: ...

    def get(self, key: KeyT, /, default: ValueT | DefaultT | None = None) -> ValueT | DefaultT | None:
        """Return the value of a key, or the default."""
        if self._known is None and key not in self:
            return default
        rows = self._rows
        return self._read(key) if key in rows else default

    def __iter__(self) -> Iterator[KeyT]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: object) -> bool:
        if self._known is None:
            try:
                if encode(key) not in self._packed.keys:
                    return False
            except UnicodeEncodeError:
                return False  # Tables with such a name are never packed, so it may only be among the rows.
        return key in self._rows

    def __repr__(self) -> str:
        return repr(dict(self))


def get_decoded_bytes(table: Mapping[Any, Any]) -> int:
    """Return the approximate memory of a table, as far as it is decoded, when some of its keys were looked up."""
    if not isinstance(table, LazyTable):
        return _DECODED_ROW * len(table)
    return (_DECODED if table._is_decoded else _LOOKED_UP) * (table._packed.size or len(table._packed.rows))


def _without_names(table: Mapping[str, tuple[RowT, ...]]) -> dict[str, tuple[RowT, ...]]:
    return {key: tuple([replace(row, name="") for row in rows]) for key, rows in table.items()}


def _with_name(name: str, rows: tuple[RowT, ...]) -> tuple[RowT, ...]:
    """Fill the name into newly decoded rows, which nothing else refers to yet, and return them."""
    for row in rows:
        force_setattr(row, "name", name)
    return rows
