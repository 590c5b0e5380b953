"""The values of the Language Server Protocol that this server reads and writes; what else a client says is ignored.

A field that a client need not send has a default, and a field that has its default is not sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Annotated, Any

from msgspec import Meta, Struct, field

Count = Annotated[int, Meta(ge=0)]
"""A number of lines, or of units in a line."""

ProgressToken = int | str


class OutlineKind(IntEnum):
    """The kind of a symbol; the protocol calls it `SymbolKind`."""

    FILE = 1
    MODULE = 2
    CLASS = 5
    METHOD = 6
    PROPERTY = 7
    FIELD = 8
    ENUM = 10
    INTERFACE = 11
    FUNCTION = 12
    VARIABLE = 13
    CONSTANT = 14
    TYPE_PARAMETER = 26


class HighlightKind(IntEnum):
    """How a highlighted place uses the name."""

    TEXT = 1
    READ = 2
    WRITE = 3


class DiagnosticSeverity(IntEnum):
    """The severity of a diagnostic, most severe first."""

    ERROR = 1
    WARNING = 2
    INFORMATION = 3


TYPE_HINT = 1
"""The kind of an inlay hint that shows a type."""


class _Value(Struct, rename="camel", omit_defaults=True):
    """A value of the protocol."""


FILES_CHANGED = "workspace/didChangeWatchedFiles"
CODE_LENS = "textDocument/codeLens"
INLAY_HINT = "textDocument/inlayHint"
"""Methods that are registered during the session, where the client allows it."""


class Position(Struct, frozen=True, order=True):
    """A place between two characters."""

    line: Count
    character: Count


class Range(Struct, frozen=True, order=True):
    """The text between two positions."""

    start: Position
    end: Position


class Location(Struct, frozen=True, order=True):
    """A range of a document."""

    uri: str
    range: Range


class DocumentId(_Value):
    """The document that a request is about."""

    uri: str


class DocumentParams(_Value):
    """What requests about a whole document send."""

    text_document: DocumentId
    work_done_token: ProgressToken | None = None


class PositionParams(DocumentParams, kw_only=True):
    """What requests about a position send."""

    position: Position


class ReferenceContext(_Value):
    """Whether definitions and declarations are wanted among the references."""

    include_declaration: bool


class ReferenceParams(PositionParams, kw_only=True):
    """What `textDocument/references` sends."""

    context: ReferenceContext
    partial_result_token: ProgressToken | None = None


class RenameParams(PositionParams, kw_only=True):
    """What `textDocument/rename` sends."""

    new_name: str


class InlayHintParams(DocumentParams, kw_only=True):
    """What `textDocument/inlayHint` sends."""

    range: Range


class WorkspaceSymbolParams(_Value):
    """What `workspace/symbol` sends."""

    query: str
    work_done_token: ProgressToken | None = None
    partial_result_token: ProgressToken | None = None


class ExecuteCommandParams(_Value):
    """What `workspace/executeCommand` sends."""

    command: str
    arguments: list[Any] | None = None


class CancelParams(_Value):
    """Which request to cancel."""

    id: int | str


class WorkspaceFolder(_Value):
    """A directory that the client works in."""

    uri: str
    name: str = ""


class FoldersChange(_Value):
    """Workspace folders that were added and removed."""

    added: list[WorkspaceFolder]
    removed: list[WorkspaceFolder]


class FoldersChangeParams(_Value):
    """What `workspace/didChangeWorkspaceFolders` sends."""

    event: FoldersChange


class SettingsChangeParams(_Value):
    """What `workspace/didChangeConfiguration` sends."""

    settings: Any = None


class ClientCapabilities(Struct, frozen=True):
    """What a client says that it can do, as it came; what is not in the form that the protocol demands is ignored."""

    given: Mapping[str, Any] = {}

    @property
    def position_encodings(self) -> list[str]:
        """Return the units of columns that the client can count in, best first."""
        found = self._get("general", "positionEncodings")
        return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []

    @property
    def has_progress(self) -> bool:
        """Return whether the client shows the progress of work that it did not ask for."""
        return self._get("window", "workDoneProgress") is True

    @property
    def has_versioned_edits(self) -> bool:
        """Return whether the client takes edits that name the version of a document."""
        return self._get("workspace", "workspaceEdit", "documentChanges") is True

    @property
    def prepares_renames(self) -> bool:
        """Return whether the client asks what a rename would be about before it asks for a name."""
        return self._get("textDocument", "rename", "prepareSupport") is True

    def is_registrable(self, method: str) -> bool:
        """Return whether the client lets the server register a method, which is named like its capability, later."""
        return self._get(*method.split("/"), "dynamicRegistration") is True

    def _get(self, *path: str) -> Any:
        found: Any = self.given
        for name in path:
            found = found.get(name) if isinstance(found, Mapping) else None
        return found


class SessionParams(_Value):
    """The parameters of `initialize`."""

    capabilities: dict[str, Any]
    process_id: int | None = None
    root_uri: str | None = None
    root_path: str | None = None
    workspace_folders: list[WorkspaceFolder] | None = None
    initialization_options: Any = None


class OpenedDocument(_Value):
    """A document as it was opened."""

    uri: str
    version: int
    text: str


class OpenParams(_Value):
    """What `textDocument/didOpen` sends."""

    text_document: OpenedDocument


class DocumentVersion(_Value):
    """A document at a version; None for one that is not open."""

    uri: str
    version: int | None


class ContentChange(_Value):
    """New text for a range of a document, or for all of it."""

    text: str
    range: Range | None = None


class ChangeParams(_Value):
    """What `textDocument/didChange` sends."""

    text_document: DocumentVersion
    content_changes: list[ContentChange]


class DocumentHighlight(_Value):
    """A place that uses the name under the cursor."""

    range: Range
    kind: HighlightKind


class MarkupContent(_Value):
    """Text to be shown."""

    value: str
    kind: str


class Hover(_Value):
    """The information shown about a name."""

    contents: MarkupContent
    range: Range


class Command(_Value):
    """A command of the server, and its title in the editor."""

    title: str
    command: str
    arguments: list[Any]


class CodeLens(_Value):
    """A line above a definition; it has a command once it is resolved."""

    range: Range
    command: Command | None = None
    data: Any = None


class InlayHint(_Value):
    """Text beside code."""

    position: Position
    label: str
    kind: int


class DocumentSymbol(_Value):
    """A symbol of a document, and what is defined in it."""

    name: str
    kind: OutlineKind
    range: Range
    selection_range: Range
    detail: str | None = None
    children: list[DocumentSymbol] = field(default_factory=list)


class WorkspaceSymbol(_Value):
    """A symbol of the workspace."""

    name: str
    kind: OutlineKind
    location: Location
    container_name: str | None = None


class HierarchyItem(_Value):
    """A function or class in a hierarchy; a client sends `data` back."""

    name: str
    kind: OutlineKind
    uri: str
    range: Range
    selection_range: Range
    detail: str | None = None
    data: Any = None


class HierarchyParams(_Value):
    """What requests about an item of a hierarchy send."""

    item: HierarchyItem
    work_done_token: ProgressToken | None = None


class IncomingCall(_Value):
    """A function that calls an item, and where."""

    caller: HierarchyItem = field(name="from")
    from_ranges: list[Range]


class OutgoingCall(_Value):
    """A function that an item calls, and where."""

    to: HierarchyItem
    from_ranges: list[Range]


class RenamePlaceholder(_Value):
    """The range and the name that a rename would change."""

    range: Range
    placeholder: str


class TextReplacement(_Value):
    """New text for a range; the protocol calls it `TextEdit`."""

    range: Range
    new_text: str


class DocumentReplacements(_Value):
    """The edits of a document at a version."""

    text_document: DocumentVersion
    edits: list[TextReplacement]


class WorkspaceEdit(_Value):
    """Edits of several documents, by URI or by version."""

    changes: dict[str, list[TextReplacement]] | None = None
    document_changes: list[DocumentReplacements] | None = None


class RelatedInformation(_Value):
    """Another place that a diagnostic is about."""

    location: Location
    message: str


class Diagnostic(_Value):
    """Something wrong at a place."""

    range: Range
    message: str
    severity: DiagnosticSeverity
    source: str
    code: str
    related_information: list[RelatedInformation] | None = None


class PublishDiagnosticsParams(_Value):
    """All diagnostics of a document."""

    uri: str
    diagnostics: list[Diagnostic]
    version: int | None = None


class WorkDone(_Value):
    """The begin, a report or the end of progress."""

    kind: str
    title: str | None = None
    message: str | None = None
    percentage: int | None = None


class ProgressParams(_Value):
    """The progress of a request, or a part of its answer; the token names the request."""

    token: ProgressToken
    value: Any
