"""The messages of SCIP that avionics reads and writes, described to the protobuf runtime.

The numbers are those of `scip.proto` (https://github.com/sourcegraph/scip, Apache-2.0). Fields that are not listed
here are skipped when an index is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, IntFlag
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_Field: Any = descriptor_pb2.FieldDescriptorProto
_TEXT, _INT, _BOOL = _Field.TYPE_STRING, _Field.TYPE_INT32, _Field.TYPE_BOOL

_MESSAGES: Mapping[str, Mapping[str, tuple[int, int | str, bool]]] = {
    "ToolInfo": {"name": (1, _TEXT, False), "version": (2, _TEXT, False), "arguments": (3, _TEXT, True)},
    "Metadata": {
        "version": (1, _INT, False),
        "tool_info": (2, "ToolInfo", False),
        "project_root": (3, _TEXT, False),
        "text_document_encoding": (4, _INT, False),
    },
    "Occurrence": {
        "range": (1, _INT, True),
        "symbol": (2, _TEXT, False),
        "symbol_roles": (3, _INT, False),
        "enclosing_range": (7, _INT, True),
    },
    "Relationship": {
        "symbol": (1, _TEXT, False),
        "is_reference": (2, _BOOL, False),
        "is_implementation": (3, _BOOL, False),
        "is_type_definition": (4, _BOOL, False),
        "is_definition": (5, _BOOL, False),
    },
    "SymbolInformation": {
        "symbol": (1, _TEXT, False),
        "documentation": (3, _TEXT, True),
        "relationships": (4, "Relationship", True),
        "kind": (5, _INT, False),
        "display_name": (6, _TEXT, False),
        "signature_documentation": (7, "Document", False),
        "enclosing_symbol": (8, _TEXT, False),
    },
    "Document": {
        "relative_path": (1, _TEXT, False),
        "occurrences": (2, "Occurrence", True),
        "symbols": (3, "SymbolInformation", True),
        "language": (4, _TEXT, False),
        "text": (5, _TEXT, False),
        "position_encoding": (6, _INT, False),
    },
    "Index": {
        "metadata": (1, "Metadata", False),
        "documents": (2, "Document", True),
        "external_symbols": (3, "SymbolInformation", True),
    },
}
"""Message → field → its number, its type (a message by name), and whether it is repeated."""

METADATA_FIELD, DOCUMENTS_FIELD = 1, 2
UTF8_TEXT = 1
"""The `TextEncoding` of sources in UTF-8."""


class PositionEncoding(IntEnum):
    """The unit of columns."""

    UNSPECIFIED = 0
    UTF8 = 1
    UTF16 = 2
    UTF32 = 3


class SymbolRole(IntFlag):
    """The role of an occurrence."""

    REFERENCE = 0
    DEFINITION = 0x1
    IMPORT = 0x2
    WRITE = 0x4
    READ = 0x8
    GENERATED = 0x10
    TEST = 0x20
    FORWARD_DEFINITION = 0x40


class Kind(IntEnum):
    """The kind of a symbol; only those that avionics distinguishes."""

    UNSPECIFIED = 0
    CLASS = 7
    CONSTANT = 8
    CONSTRUCTOR = 9
    ENUM = 11
    FIELD = 15
    FUNCTION = 17
    INTERFACE = 21
    MACRO = 25
    METHOD = 26
    MODULE = 29
    PARAMETER = 37
    PROPERTY = 41
    TYPE = 54
    TYPE_PARAMETER = 58
    VARIABLE = 61


def _build() -> Mapping[str, Any]:
    """Return name → message class."""
    file = descriptor_pb2.FileDescriptorProto(name="avionics_scip", package="scip", syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, (number, kind, is_repeated) in fields.items():
            label = _Field.LABEL_REPEATED if is_repeated else _Field.LABEL_OPTIONAL
            added: Any = message.field.add(name=field, number=number, label=label)
            if isinstance(kind, str):
                added.type, added.type_name = _Field.TYPE_MESSAGE, f".scip.{kind}"
            else:
                added.type = kind
    # Use a separate pool, because another library in the process may have registered the same names.
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    found = pool.FindFileByName("avionics_scip").message_types_by_name
    return {name: message_factory.GetMessageClass(found[name]) for name in _MESSAGES}


CLASSES = _build()
"""Name → message class."""
