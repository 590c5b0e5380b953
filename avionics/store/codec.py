"""Facts as bytes and back.

Rows are nested arrays. What few questions ask for (`FileUses.bindings`, `.references`, `.returns`, `.yields`)
stays packed until it is asked for, a name at a time.

Knows: the fields of facts.
Does not know: tables, files.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import attrs
from msgspec import Raw, Struct, msgpack

from avionics.model.enums import BindingKind, ExpressionKind, NarrowingKind, ReferenceKind, ScopeKind, SymbolKind
from avionics.model.facts import (
    UNKNOWN,
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
)
from avionics.model.naming import fold_name
from avionics.store.payload import decode_plain, from_payload, open_payload, to_payload, unescape
from avionics.store.schema import VERSION

KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")

_SYMBOL_KINDS = {kind.value: kind for kind in SymbolKind}
_SCOPE_KINDS = {kind.value: kind for kind in ScopeKind}
_BINDING_KINDS = {kind.value: kind for kind in BindingKind}
_REFERENCE_KINDS = {kind.value: kind for kind in ReferenceKind}
_EXPRESSION_KINDS = {kind.value: kind for kind in ExpressionKind}

_GLOSSARY = (Binding, Expression, FileFacts, FileUses, Import, Narrowing, ParseProblem, Reference, Scope, Span, Symbol)

_decode_uses = msgpack.Decoder(
    tuple[
        list[Any], dict[str, Raw], dict[str, Raw], dict[int, Raw], dict[int, Raw], dict[int, Raw], dict[int, Raw],
        list[Any], list[Any], dict[str, tuple[int, ...]], dict[int, Raw], bool,
    ]
).decode  # fmt: skip


class _Named(Struct, array_like=True, gc=False):
    """The first field of a symbol's row; those that follow are passed over."""

    name: str


_decode_names = msgpack.Decoder(tuple[Raw, list[_Named], Raw, Raw, Raw, Raw, Raw, Raw]).decode
_decode_rows = msgpack.Decoder(tuple[Raw, list[Raw], Raw, Raw, Raw, Raw, Raw, Raw]).decode
_decode_imports = msgpack.Decoder(
    tuple[Raw, Raw, list[tuple[str, str, str, int, int, int, bool]], Raw, Raw, Raw, Raw, Raw]
).decode

BlobKey = tuple[str, str]
"""Content read in a language: (git blob id in hex, language)."""


@attrs.frozen
class ParseFailure:
    """Why some bytes gave no facts; their words are known all the same, so that nothing overlooks them."""

    reason: str
    words: Mapping[str, int] = attrs.field(factory=dict)


@attrs.frozen
class PackedFacts:
    """Facts ready to be stored, small enough to travel between processes.

    Attributes:
        outline: The payload of everything but words.
        words: Identifier → occurrences.
        names: The folded names of the symbols, each once.
        lines: How many lines.
        symbols: How many symbols.
        loose: Loose name → its packed uses (`syntax/loose`); {} where they were not taken.
    """

    outline: bytes
    words: Mapping[str, int]
    names: tuple[str, ...]
    lines: int
    symbols: int
    loose: Mapping[str, bytes] = attrs.field(factory=dict)

    @classmethod
    def of(cls, facts: FileFacts, loose: Mapping[str, bytes] | None = None) -> PackedFacts:
        """The facts, packed."""
        names = dict.fromkeys(fold_name(symbol.name) for symbol in facts.symbols)
        return cls(encode_facts(facts), facts.words, tuple(names), facts.lines, len(facts.symbols), loose or {})

    def to_message(self) -> bytes:
        """One message between processes."""
        row = (self.outline, self.words, self.names, self.lines, self.symbols, self.loose)
        return to_payload(row, compress=False)

    @classmethod
    def from_message(cls, message: bytes) -> PackedFacts:
        """The packed facts of a message."""
        outline, words, names, lines, symbols, loose = from_payload(message)
        return cls(outline, words, tuple(names), lines, symbols, loose)


def encode_facts(facts: FileFacts, *, compress: bool = True) -> bytes:
    """The outline of facts; words are left out, they live in postings."""
    return to_payload(
        (
            facts.language,
            [_from_symbol(each) for each in facts.symbols],
            [(i.module, i.name, i.alias, i.level, i.line, i.column, i.lazy) for i in facts.imports],
            facts.exports,
            facts.doc,
            facts.lines,
            [(each.line, each.message) for each in facts.problems],
            facts.package,
        ),
        compress=compress,
    )


def decode_facts(data: bytes) -> FileFacts:
    """The facts of a payload, with `words` empty.

    Raises:
        IndexStateError: The payload is not what was written.
    """
    language, symbols, imports, exports, doc, lines, problems, package = from_payload(data)
    return FileFacts(
        language,
        tuple([_to_symbol(row) for row in symbols]),
        tuple([Import(*row) for row in imports]),
        None if exports is None else tuple(exports),
        {},
        doc,
        lines,
        tuple([ParseProblem(*row) for row in problems]),
        package,
    )


def decode_symbols_named(data: bytes, folded: str) -> tuple[tuple[int, Symbol], ...]:
    """The symbols of that folded name in an outline's payload, each with its place; the others are not unpacked.

    Raises:
        IndexStateError: The payload is not what was written.
    """
    body, escaped = open_payload(data)
    if escaped:
        return tuple([(at, s) for at, s in enumerate(decode_facts(data).symbols) if fold_name(s.name) == folded])
    names = enumerate(_decode_names(body)[1])
    named = [at for at, each in names if len(each.name) >= len(folded) and fold_name(each.name) == folded]
    rows = _decode_rows(body)[1] if named else ()
    return tuple([(at, _to_symbol(decode_plain(rows[at]))) for at in named])


def decode_import_lines(data: bytes) -> tuple[tuple[str, int], ...]:
    """The module and the level of each import of an outline's payload; the rest of it is not unpacked.

    Raises:
        IndexStateError: The payload is not what was written.
    """
    body, escaped = open_payload(data)
    imports = unescape(decode_plain(body))[2] if escaped else _decode_imports(body)[2]
    return tuple([(module, level) for module, _, _, level, *_ in imports])


def encode_uses(uses: FileUses, *, compress: bool = True) -> bytes:
    """Encode uses as one payload."""
    return to_payload(
        (
            [_from_scope(each) for each in uses.scopes],
            {name: [_from_binding(each) for each in rows] for name, rows in uses.bindings.items()},
            {name: [_from_reference(each) for each in rows] for name, rows in uses.references.items()},
            _from_expressions(uses.bases),
            {symbol: _from_expression(each) for symbol, each in uses.results.items()},
            _from_expressions(uses.returns),
            _from_expressions(uses.yields),
            [_from_narrowing(each) for each in uses.narrowings],
            [(each.name, *_from_reference(each)) for each in uses.dynamic],
            uses.strings,
            _from_expressions(uses.decorators),
            uses.is_partial,
        ),
        compress=compress,
    )


def decode_uses(data: bytes) -> FileUses:
    """The uses of a payload; rows become values when asked for.

    Raises:
        IndexStateError: The payload is not what was written.
    """
    body, escaped = open_payload(data)
    parts = unescape(decode_plain(body)) if escaped else _decode_uses(body)
    scopes, bindings, references, bases, results, returns, yields, narrowings, dynamic, strings, *_ = parts
    decorators, is_partial = parts[-2:]
    return FileUses(
        tuple([_to_scope(row) for row in scopes]),
        LazyRows(bindings, _to_bindings),
        LazyRows(references, _to_references),
        LazyRows(bases, _to_expressions),
        LazyRows(results, _to_result),
        LazyRows(returns, _to_expressions),
        LazyRows(yields, _to_expressions),
        tuple([_to_narrowing(row) for row in narrowings]),
        tuple([_to_references(name, [row])[0] for name, *row in dynamic]),
        {text: tuple(lines) for text, lines in strings.items()},
        LazyRows(decorators, _to_expressions),
        is_partial,
    )


def layout_version() -> int:
    """A number that changes whenever the glossary's fields or the packing do: no file outlives its own meaning."""
    fields = [(each.__name__, [field.name for field in attrs.fields(each)]) for each in _GLOSSARY]
    return zlib.crc32(repr((VERSION, sys.byteorder, fields)).encode()) & 0x7FFFFFFF


class LazyRows(Mapping[KeyT, ValueT]):
    """Key → value, where a value is decoded when it is first asked for."""

    __slots__ = ("_decode", "_known", "_rows")

    def __init__(self, rows: Mapping[KeyT, Any], decode: Callable[[KeyT, Any], ValueT]) -> None:
        self._rows = rows
        self._known: dict[KeyT, ValueT] = {}
        self._decode = decode

    def __getitem__(self, key: KeyT) -> ValueT:
        known = self._known.get(key)
        if known is None:
            row = self._rows[key]
            known = self._decode(key, decode_plain(row) if isinstance(row, Raw) else row)
            self._known[key] = known
        return known

    def __iter__(self) -> Iterator[KeyT]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    def __repr__(self) -> str:
        return repr(dict(self))


def _from_expression(value: Expression | None) -> tuple[Any, ...] | None:
    """A row (kind, name, parts…), None for UNKNOWN; an index stands in the place of the name that it has no use for."""
    if value is None or value == UNKNOWN:
        return None
    name = value.name if value.index < 0 else value.index
    return (value.kind, name, *map(_from_expression, value.parts)) if value.parts else (value.kind, name)


def _to_expression(row: list[Any] | None) -> Expression:
    """The expression of a row."""
    if row is None:
        return UNKNOWN
    kind, name = _EXPRESSION_KINDS[row[0]], row[1]
    parts = tuple(map(_to_expression, row[2:])) if len(row) > 2 else ()
    return Expression(kind, name, parts) if isinstance(name, str) else Expression(kind, "", parts, name)


def _from_expressions(table: Mapping[int, tuple[Expression, ...]]) -> dict[int, list[Any]]:
    return {index: [_from_expression(each) for each in values] for index, values in table.items()}


def _to_result(_: int, row: list[Any] | None) -> Expression:
    return _to_expression(row)


def _to_expressions(_: int, rows: list[Any]) -> tuple[Expression, ...]:
    return tuple(map(_to_expression, rows))


def _from_narrowing(n: Narrowing) -> tuple[Any, ...]:
    return (n.name, n.span.start_line, n.span.end_line, n.kind, _from_expression(n.type), n.member)


def _to_narrowing(row: list[Any]) -> Narrowing:
    name, start, end, kind, said, member = row
    return Narrowing(name, Span(start, end), NarrowingKind(kind), _to_expression(said), member)


def _from_symbol(s: Symbol) -> tuple[Any, ...]:
    return (
        s.name, s.kind, s.qualname, s.span.start_line, s.span.end_line, s.line, s.column, s.signature, s.doc,
        s.parent, s.exported, s.decorators, s.bases,
    )  # fmt: skip


def _to_symbol(row: list[Any]) -> Symbol:
    name, kind, qualname, start, end, line, column, signature, doc, parent, exported, decorators, bases = row
    return Symbol(
        name, _SYMBOL_KINDS[kind], qualname, Span(start, end), line, column, signature, doc, parent, exported,
        tuple(decorators), tuple(bases),
    )  # fmt: skip


def _from_scope(s: Scope) -> tuple[Any, ...]:
    return (s.kind, s.parent, s.span.start_line, s.span.end_line, s.symbol, s.self_name, _from_expression(s.of))


def _to_scope(row: list[Any]) -> Scope:
    kind, parent, start, end, symbol, self_name, of = row
    return Scope(_SCOPE_KINDS[kind], parent, Span(start, end), symbol, self_name, _to_expression(of))


def _from_binding(b: Binding) -> tuple[Any, ...]:
    return (
        b.scope, b.kind, b.line, b.column, b.symbol, b.imported, b.within, _from_expression(b.value),
        _from_expression(b.annotation),
    )  # fmt: skip


def _to_bindings(name: str, rows: list[list[Any]]) -> tuple[Binding, ...]:
    return tuple(
        [
            Binding(name, scope, _BINDING_KINDS[kind], line, column, symbol, imported, within, _to_expression(value),
                    _to_expression(annotation))
            for scope, kind, line, column, symbol, imported, within, value, annotation in rows
        ]
    )  # fmt: skip


def _from_reference(r: Reference) -> tuple[Any, ...]:
    receiver = 0 if r.receiver is None else _from_expression(r.receiver)
    row = (r.kind, r.line, r.column, r.scope, receiver, r.imported)
    return row if r.arguments is None else (*row, [_from_expression(each) for each in r.arguments])


def _to_references(name: str, rows: list[list[Any]]) -> tuple[Reference, ...]:
    return tuple(
        [
            Reference(name, _REFERENCE_KINDS[kind], line, column, scope,
                      None if receiver == 0 else _to_expression(receiver), imported,
                      tuple(map(_to_expression, passed[0])) if passed else None)
            for kind, line, column, scope, receiver, imported, *passed in rows
        ]
    )  # fmt: skip
