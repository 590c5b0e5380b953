"""Offer files and symbols as resources with stable addresses.

avionics://{repo}/file/{path}       the text of a file
avionics://{repo}/symbol/{name}     where a name is defined, with its code
avionics://{repo}/tree              the directories and files
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, unquote, urlsplit

from avionics.mcp.answers import clean
from avionics.mcp.calls import CallRunner
from avionics.mcp.protocol.params import ListParams, ResourceParams
from avionics.mcp.protocol.service import INVALID_PARAMS, McpRequest, ProtocolError, Result
from avionics.mcp.repositories import Repositories, ServedRepository
from avionics.model.enums import Status
from avionics.tools.answers.result_text import build_text

SCHEME = "avionics"
TEXT = "text/plain"


class Resources:
    """Lists and reads the resources of the repositories."""

    def __init__(self, repositories: Repositories, calls: CallRunner) -> None:
        self._repositories = repositories
        self._calls = calls

    async def list_resources(self, _request: McpRequest, _params: ListParams) -> Result:
        """Return one tree per repository; files are not listed, because a template names them."""
        return {
            "resources": [
                {
                    "uri": f"{SCHEME}://{quote(name, safe='')}/tree",
                    "name": f"{name} files",
                    "description": "Directories and files.",
                    "mimeType": TEXT,
                }
                for name in self._repositories.names
            ]
        }

    async def list_templates(self, _request: McpRequest, _params: ListParams) -> Result:
        """Return the templates of the addresses of files and symbols."""
        return {
            "resourceTemplates": [
                {
                    "uriTemplate": f"{SCHEME}://{{repo}}/file/{{+path}}",
                    "name": "file",
                    "description": f"The text of a file. repo: {', '.join(self._repositories.names)}.",
                    "mimeType": TEXT,
                },
                {
                    "uriTemplate": f"{SCHEME}://{{repo}}/symbol/{{+name}}",
                    "name": "symbol",
                    "description": "Where a function, class or other name is defined: `Class.method`.",
                    "mimeType": TEXT,
                },
            ]
        }

    async def read(self, request: McpRequest, params: ResourceParams) -> Result:
        """Return the text of a resource. Raise `ProtocolError` if there is no such resource."""
        text = await self.read_text(params.uri, request.identity)
        return {"contents": [{"uri": params.uri, "mimeType": TEXT, "text": text}]}

    def require(self, address: str) -> tuple[ServedRepository, str, str]:
        """Return the repository, kind and name in an address. Raise `ProtocolError` if no resource can have it."""
        try:
            parts = urlsplit(address)
        except ValueError:
            raise _build_unknown_error(address, "the address is malformed") from None
        kind, _, name = parts.path.removeprefix("/").partition("/")
        known = parts.scheme == SCHEME and (kind == "tree" if not name else kind in {"file", "symbol"})
        repository = self._repositories.get(unquote(parts.netloc)) if known else None
        if repository is None:
            raise _build_unknown_error(address, "no such repository or kind of resource")
        return repository, kind, unquote(name)

    async def read_text(self, address: str, request_id: str = "") -> str:
        """Return the text of a resource, from a tool. Raise `ProtocolError` if there is no such resource."""
        repository, kind, name = self.require(address)
        if kind == "tree":
            return build_text(await self._calls.ask("get_project_tree", {}, repository, request_id))
        if kind == "symbol":
            found = await self._calls.ask("find_symbol", {"name": name}, repository, request_id)
            if found.status in {Status.NOT_FOUND, Status.ERROR}:
                raise _build_unknown_error(address, found.error or found.message)
            return build_text(found)
        file = await self._calls.ask("read_file", {"path": name}, repository, request_id)
        data: Any = file.data or {}
        if file.status is Status.ERROR or data.get("path") != name:
            raise _build_unknown_error(address, file.error or f"there is no file {name!r}")
        return str(clean("\n".join(piece["text"] for piece in data["code"])))


def _build_unknown_error(address: str, why: str) -> ProtocolError:
    return ProtocolError(INVALID_PARAMS, f"Unknown resource: {clean(why)}", {"uri": clean(address)})
