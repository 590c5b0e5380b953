"""What one request sees: a workspace folder with the open documents as they were when the request came."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from avionics.lsp.documents import OpenDocument, get_path
from avionics.lsp.positions import DocumentText, Encoding
from avionics.lsp.types import Location, Range
from avionics.model.errors import SourceError
from avionics.model.knowledge import Definition
from avionics.source.read import decode, encode
from avionics.tools.edits.source_text import Place
from avionics.tools.edits.uses import place_of

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.overlay import OverlayWorkspace


class View:
    """One workspace folder for the time of one request.

    Documents have clean relative paths; the root is as the client spells it, which may be a link.

    Attributes:
        asked_at: When the request came, as a time of `time.monotonic`.
    """

    def __init__(
        self, workspace: OverlayWorkspace, documents: Mapping[str, OpenDocument], shown_root: Path, encoding: Encoding
    ) -> None:
        self.workspace = workspace
        self._documents = documents
        self._shown_root = shown_root
        self._encoding = encoding
        self.asked_at = time.monotonic()
        self._texts: dict[str, DocumentText] = {}

    @cached_property
    def code(self) -> CodeIndex:
        """Return the index for the whole request. Raise `IndexStateError` if facts can be kept nowhere."""
        return self.workspace.code

    @property
    def open_files(self) -> tuple[str, ...]:
        """Return the files that are open in the editor."""
        return tuple(self._documents)

    def text(self, file: str) -> DocumentText:
        """Return the text of a file: the document if it is open, "" if it cannot be read."""
        if file not in self._texts:
            document = self._documents.get(file)
            if document is not None:
                self._texts[file] = document.text
            else:
                self._texts[file] = DocumentText(self._read(file), self._encoding)
        return self._texts[file]

    def uri(self, file: str) -> str:
        """Return the URI of a file, in the client's own spelling if it has the file open."""
        document = self._documents.get(file)
        return document.uri if document is not None else (self._shown_root / file).as_uri()

    def file_of(self, uri: str) -> str:
        """Return the file that a URI of this folder names, as the workspace writes it; the URI itself for any other."""
        path = get_path(uri)
        if path is None or not path.is_relative_to(self.workspace.root):
            return uri
        return path.relative_to(self.workspace.root).as_posix()

    def get_nearest(self, file: str, qualname: str, line: int) -> Definition | None:
        """Return the definition of a qualified name in a file, of several the one nearest to a line; None if none."""
        found = (each for each in self.code.iter_definitions(file) if each.symbol.qualname == qualname)
        return min(found, key=lambda each: abs(each.line - line), default=None)

    def version(self, file: str) -> int | None:
        """Return the version of an open document, None for a file that is not open."""
        document = self._documents.get(file)
        return document.version if document is not None else None

    def range(self, place: Place) -> Range:
        """Return the range of a place."""
        return self.text(place.file).range_of(place.line, place.column, place.length)

    def location(self, place: Place) -> Location:
        """Return the location of a place."""
        return Location(self.uri(place.file), self.range(place))

    def definition_ranges(self, definition: Definition) -> tuple[Range, Range]:
        """Return the range of a definition, and that of its name, which the protocol requires to be within it."""
        name, span = self.range(place_of(self, definition)), definition.symbol.span
        whole = self.text(definition.file).lines_range(span.start_line, span.end_line)
        # In macros and generated lines the name may be outside of the definition's lines.
        return Range(min(whole.start, name.start), max(whole.end, name.end)), name

    def refreshed(self) -> View:
        """Return a copy of the view, to use again after a fault of the store."""
        return View(self.workspace, self._documents, self._shown_root, self._encoding)

    def edited(self, texts: Mapping[str, str]) -> View:
        """Return the view in which some files have other texts, by path, as if they were open and not saved."""
        documents = {path: document.text.content for path, document in self._documents.items()} | dict(texts)
        buffers = {path: encode(content) for path, content in documents.items()}
        changed = {
            file: OpenDocument(self.uri(file), Path(file), 0, DocumentText(content, self._encoding))
            for file, content in texts.items()
        }
        workspace = self.workspace.with_buffers(buffers)
        return View(workspace, {**self._documents, **changed}, self._shown_root, self._encoding)

    def _read(self, file: str) -> str:
        try:
            return decode(self.workspace.source.read_known(file))
        except SourceError:
            return ""
