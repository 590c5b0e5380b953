"""The protocol as pygls speaks it, with our own documents, and an answer to every request however it is formed."""

from __future__ import annotations

import logging
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from avionics.lsp.documents import Documents
from avionics.lsp.positions import Encoding

_LOG = logging.getLogger(__name__)


class Protocol(LanguageServerProtocol):
    """Keeps documents as the Language Server Protocol defines their lines.

    The documents of pygls end lines wherever Python does, at form feeds and at some spaces of Unicode too, so that
    positions behind one of these would be off.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.documents = Documents(Encoding.UTF_16)

    @property
    def is_shut_down(self) -> bool:
        """Whether the client asked for the end before it ended."""
        return self._shutdown

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return a message as its type; a request of the wrong form is answered before it is refused.

        Raises:
            JsonRpcException: It cannot be read.
        """
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "method" in data and isinstance(data.get("id"), (str, int)):
                self._send_response(data["id"], error=error.to_response_error())
            raise

    def _send_response(
        self, msg_id: str | int, result: Any | None = None, error: types.ResponseError | None = None
    ) -> None:
        if error is not None:
            # A traceback is for the log.
            error = types.ResponseError(error.code, error.message)
        super()._send_response(msg_id, result, error)

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Take in a document."""
        if self.documents.open(params.text_document) is not None:
            self._tell(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Apply edits."""
        if self.documents.change(params) is not None:
            self._tell(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Forget a document."""
        self.documents.close(params.text_document.uri)
        self._tell(types.TEXT_DOCUMENT_DID_CLOSE, params)

    def _tell(self, method: str, params: Any) -> None:
        """Tell the server of a document that has changed."""
        handler = self.fm.features.get(method)
        if handler is not None:
            handler(params)


class QuietServer(LanguageServer):
    """A server that logs its own faults, and does not open a window on the user's screen for them."""

    protocol: Protocol

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log a fault that no request waits for."""
        _LOG.warning("%s: %s", getattr(source, "__name__", source), error)
