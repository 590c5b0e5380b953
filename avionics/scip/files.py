"""Write an index file, and read one document at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any

from google.protobuf.message import DecodeError

from avionics.model.errors import UsageError
from avionics.scip.schema import CLASSES, DOCUMENTS_FIELD, METADATA_FIELD, UTF8_TEXT, PositionEncoding, SymbolRole
from avionics.scip.values import Range, ScipDocument, ScipOccurrence, ScipSymbol

_MAX_MESSAGE_BYTES = 1 << 30
"""A longer document counts as damaged."""

_LENGTH_DELIMITED = 2
_MORE = 0x80

_LANGUAGE_BY_DEFAULT = "Text"


def write_documents(file: IO[bytes], root: str, version: str, documents: Iterable[bytes]) -> int:
    """Write an index of documents below the URI `root`, and return their number. Raise `OSError` if that fails."""
    metadata = CLASSES["Metadata"](project_root=root, text_document_encoding=UTF8_TEXT)
    metadata.tool_info.name, metadata.tool_info.version = "avionics", version
    _write_field(file, METADATA_FIELD, metadata.SerializeToString())
    count = 0
    for document in documents:
        _write_field(file, DOCUMENTS_FIELD, document)
        count += 1
    return count


def iter_documents(file: IO[bytes], read_text: Callable[[str], str | None]) -> Iterator[ScipDocument]:
    """Yield the documents of an index; only one is in memory at a time.

    Columns are converted by the texts; a document whose text is None is yielded without occurrences. Raise `UsageError`
    if it is not a SCIP index, or it is damaged.
    """
    for number, body in _iter_fields(file):
        if number != DOCUMENTS_FIELD:
            continue
        message = CLASSES["Document"]()
        try:
            message.ParseFromString(body)
        except DecodeError as error:
            raise _damaged() from error
        text = read_text(message.relative_path)
        yield _to_document(message, text)


def encode_document(document: ScipDocument) -> bytes:
    """Return a document as the index contains it."""
    message = CLASSES["Document"](
        relative_path=document.path,
        language=document.language or _LANGUAGE_BY_DEFAULT,
        text=document.text,
        position_encoding=int(PositionEncoding.UTF32),
    )
    add = message.occurrences.add
    for each in document.occurrences:
        enclosing = _to_numbers(each.enclosing) if each.enclosing else ()
        add(range=_to_numbers(each.range), symbol=each.symbol, symbol_roles=each.roles, enclosing_range=enclosing)
    for symbol in document.symbols:
        added = message.symbols.add(symbol=symbol.symbol, kind=symbol.kind, display_name=symbol.name)
        if symbol.documentation:
            added.documentation.append(symbol.documentation)
        if symbol.signature:
            added.signature_documentation.language = message.language
            added.signature_documentation.text = symbol.signature
        for base in symbol.implements:
            added.relationships.add(symbol=base, is_implementation=True, is_reference=not base.endswith("#"))
    encoded: bytes = message.SerializeToString()
    return encoded


def _to_numbers(place: Range) -> tuple[int, ...]:
    line, column, last, end = place
    return (line - 1, column, end) if line == last else (line - 1, column, last - 1, end)


def _to_document(message: Any, text: str | None) -> ScipDocument:
    occurrences: list[ScipOccurrence] = []
    if text is not None:
        lines = text.split("\n")
        # Unspecified means UTF-16, because the indexers that omit it are written in JavaScript.
        encoding = PositionEncoding(message.position_encoding) if message.position_encoding in range(4) else None
        encoding = encoding or PositionEncoding.UTF16
        for each in message.occurrences:
            place = _to_range(each.range, lines, encoding)
            if place is not None and each.symbol:
                enclosing = _to_range(each.enclosing_range, lines, encoding)
                occurrences.append(ScipOccurrence(place, each.symbol, SymbolRole(each.symbol_roles & 0x7F), enclosing))
    symbols = tuple(_to_symbol(each) for each in message.symbols)
    return ScipDocument(message.relative_path, message.language, tuple(occurrences), symbols, message.text)


def _to_symbol(message: Any) -> ScipSymbol:
    bases = tuple(each.symbol for each in message.relationships if each.is_implementation)
    return ScipSymbol(message.symbol, name=message.display_name, implements=bases)


def _to_range(numbers: Any, lines: list[str], encoding: PositionEncoding) -> Range | None:
    """Return a range in characters; None if it is malformed or lies outside the text."""
    if len(numbers) not in {3, 4}:
        return None
    line, column, *end = numbers
    last, after = (line, end[0]) if len(end) == 1 else end
    if not 0 <= line <= last < len(lines):
        return None
    first = _to_characters(lines[line], column, encoding)
    return line + 1, first, last + 1, _to_characters(lines[last], after, encoding)


def _to_characters(text: str, units: int, encoding: PositionEncoding) -> int:
    if encoding is PositionEncoding.UTF32 or text.isascii():
        return units
    if encoding is PositionEncoding.UTF16:
        return len(text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "ignore"))
    return len(text.encode("utf-8", "surrogateescape")[:units].decode("utf-8", "ignore"))


def _write_field(file: IO[bytes], number: int, body: bytes) -> None:
    file.write(_to_varint(number << 3 | _LENGTH_DELIMITED) + _to_varint(len(body)) + body)


def _to_varint(number: int) -> bytes:
    found = bytearray()
    while number >= _MORE:
        found.append(number & 0x7F | _MORE)
        number >>= 7
    return bytes((*found, number))


def _iter_fields(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the fields of an index message, all of which are messages themselves."""
    while (tag := _read_varint(file)) is not None:
        size = _read_varint(file)
        if tag & 7 != _LENGTH_DELIMITED or size is None or size > _MAX_MESSAGE_BYTES:
            raise _damaged()
        body = file.read(size)
        if len(body) != size:
            raise _damaged()
        yield tag >> 3, body


def _read_varint(file: IO[bytes]) -> int | None:
    found, shift = 0, 0
    while byte := file.read(1):
        found |= (byte[0] & 0x7F) << shift
        if byte[0] < _MORE:
            return found
        shift += 7
        if shift > 63:
            raise _damaged()
    if shift:
        raise _damaged()
    return None


def _damaged() -> UsageError:
    return UsageError("not a SCIP index, or a damaged one", hint="give a file that a SCIP indexer wrote")
