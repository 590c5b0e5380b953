"""Open documents: the text on the screen, kept up to date edit by edit."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

import attrs

from avionics.lsp.positions import DocumentText, Encoding
from avionics.lsp.types import ChangeParams, OpenedDocument


@attrs.frozen(slots=False)
class OpenDocument:
    """A document at one version.

    Attributes:
        uri: Its URI as the client spells it.
        path: Its real path, at which there may be no file yet.
        text: Its text on the screen.
    """

    uri: str
    path: Path
    version: int
    text: DocumentText

    @cached_property
    def data(self) -> bytes:
        """Return the bytes that saving would write; the protocol implies UTF-8."""
        return self.text.content.encode("utf-8")


class Documents:
    """The documents that a client has open.

    Handlers of notifications change them one after another; requests take `snapshot`, which no later edit changes.
    """

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding
        self.snapshot: Mapping[Path, OpenDocument] = {}
        """Path → document."""

    def open(self, item: OpenedDocument) -> OpenDocument | None:
        """Take in an opened document; None for one that is not a file."""
        path = get_path(item.uri)
        if path is None:
            return None
        return self._put(OpenDocument(item.uri, path, item.version, DocumentText(item.text, self.encoding)))

    def change(self, params: ChangeParams) -> OpenDocument | None:
        """Apply changes in their order; None for a document that is not open."""
        known = self.get(params.text_document.uri)
        if known is None:
            return None
        text = known.text
        for change in params.content_changes:
            text = text.edited(change)
        return self._put(attrs.evolve(known, version=params.text_document.version or 0, text=text))

    def close(self, uri: str) -> None:
        """Forget a document; the file on disk is used again."""
        path = get_path(uri)
        self.snapshot = {each: document for each, document in self.snapshot.items() if each != path}

    def get(self, uri: str) -> OpenDocument | None:
        """Return an open document, or None."""
        path = get_path(uri)
        return self.snapshot.get(path) if path is not None else None

    def _put(self, document: OpenDocument) -> OpenDocument:
        self.snapshot = {**self.snapshot, document.path: document}
        return document


def get_path(uri: str) -> Path | None:
    """Return the real path that a URI names, or None for a URI of another scheme.

    Links are followed, since a workspace is known by its real path; the file itself need not exist.
    """
    shown = get_shown_path(uri)
    return Path(os.path.realpath(shown)) if shown is not None else None


def get_shown_path(uri: str) -> Path | None:
    """Return the path in a URI unchanged, or None if the text is no URI or one of another scheme."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    found = os.fsdecode(unquote_to_bytes(parts.path)) if parts.scheme == "file" else ""
    if os.name == "nt":
        # "/c:/a" is a path on a drive, and a host names a shared directory.
        found = f"//{parts.netloc}{found}" if parts.netloc else found.removeprefix("/")
    return Path(os.path.normpath(found)) if os.path.isabs(found) and "\0" not in found else None
