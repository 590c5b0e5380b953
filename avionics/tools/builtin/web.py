"""Web: one HTTP request whose every connection goes to a checked address.

A name is resolved here, each of its addresses is checked, and the connection goes to the checked address, so that
nothing can change in between. Redirects are checked in the same way.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import Field

from avionics.model.enums import Permission, RiskLevel, ToolDomain
from avionics.model.errors import DeadlineExceededError, SourceError, UsageError, importing
from avionics.tools.base import BaseTool, ToolInput
from avionics.tools.builtin.addresses import Network, parse_networks

if TYPE_CHECKING:
    import httpx

MAX_BODY_BYTES: Final = 1_000_000
MAX_REDIRECTS: Final = 5
MAX_TIMEOUT_SECONDS: Final = 300

_TEXTS: Final = ("text/", "application/json", "application/xml", "application/javascript", "application/x-www-form")


class FetchInput(ToolInput):
    """A request."""

    url: str = Field(description="The URL, http or https", min_length=1, max_length=8_000)
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] = Field(
        default="GET", description="The HTTP method"
    )
    headers: dict[str, str] = Field(default_factory=dict, description="Request headers", max_length=50)
    body: str | None = Field(default=None, description="The content of the request", max_length=MAX_BODY_BYTES)
    timeout: float = Field(default=30, description="The time limit in seconds", gt=0, le=MAX_TIMEOUT_SECONDS)


class FetchTool(BaseTool):
    """Makes an HTTP request.

    Args:
        allowed_networks: Networks that may be contacted although they are not public, such as "10.1.0.0/16".
    """

    name = "web.fetch"
    description = "Make an HTTP or HTTPS request"
    category = ToolDomain.WEB
    risk_level = RiskLevel.MEDIUM
    required_permissions = frozenset({Permission.NETWORK_ACCESS})
    timeout_seconds = MAX_TIMEOUT_SECONDS + 10.0
    input_model = FetchInput

    def __init__(self, allowed_networks: Iterable[str] = ()) -> None:
        super().__init__()
        self._allowed = parse_networks(allowed_networks)

    def _execute(self, input_data: FetchInput) -> dict[str, Any]:
        return fetch(input_data, self._allowed)


def fetch(asked: FetchInput, allowed: Iterable[str | Network], *, follows_redirects: bool = True) -> dict[str, Any]:
    """Make a request to a public or allowed address and return the response as plain data.

    Raise `SourceError` if the server cannot be reached, `DeadlineExceededError` if there was no complete response in
    time, `MissingDependencyError` if httpx is not installed.
    """
    with importing("requests need httpx", hint="pip install 'avionics[web]'"):
        import httpx

        from avionics.tools.builtin.http import CheckedTransport
    until = time.monotonic() + asked.timeout
    headers = httpx.Headers({"user-agent": "avionics", "accept-encoding": "identity"})
    try:
        headers.update(asked.headers)
        with (
            httpx.Client(
                transport=CheckedTransport(parse_networks(allowed), until),
                follow_redirects=follows_redirects,
                max_redirects=MAX_REDIRECTS,
                timeout=asked.timeout,
                trust_env=False,
            ) as client,
            client.stream(asked.method, require_url(asked.url), headers=headers, content=asked.body) as response,
        ):
            return _describe(response)
    except httpx.TimeoutException:
        raise DeadlineExceededError(
            f"no complete response within {asked.timeout:g} s", hint="allow more time"
        ) from None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise SourceError(f"the request failed: {str(error) or type(error).__name__}") from None


def require_url(url: str) -> str:
    """Return the URL if it is http or https. Raise `UsageError` if it is not."""
    if not url.lower().startswith(("http://", "https://")):
        raise UsageError(f"not a web URL: {url[:80]!r}", hint="give http:// or https:// and a host")
    return url


def _describe(response: httpx.Response) -> dict[str, Any]:
    """Return a response as plain data."""
    body, is_truncated = _read_body(response)
    kind = response.headers.get("content-type", "")
    is_text = not kind or kind.startswith(_TEXTS) or "+json" in kind or "+xml" in kind
    try:
        text = body.decode(response.charset_encoding or "utf-8", "replace") if is_text else ""
    except LookupError:
        text = body.decode("utf-8", "replace")
    return {
        "url": str(response.url),
        "status_code": response.status_code,
        "headers": dict(response.headers),
        "body": text,
        "is_text": is_text,
        "size_bytes": len(body),
        "truncated": is_truncated,
        "redirects": [str(step.url) for step in response.history],
    }


def _read_body(response: httpx.Response) -> tuple[bytes, bool]:
    """Return the beginning of the body and whether there is more; decompress no further than the limit."""
    unpack = _get_unpacker(response.headers.get("content-encoding", "identity").lower())
    body = bytearray()
    for chunk in response.iter_raw(65_536):
        body += unpack.decompress(chunk, MAX_BODY_BYTES + 1 - len(body)) if unpack else chunk
        if len(body) > MAX_BODY_BYTES:
            return bytes(body[:MAX_BODY_BYTES]), True
    return bytes(body), False


def _get_unpacker(encoding: str) -> Any:
    """Return the decompressor of a content encoding; None if none is needed."""
    if encoding == "identity":
        return None
    if encoding in {"gzip", "x-gzip", "deflate"}:
        return zlib.decompressobj(47)
    raise SourceError(f"the response uses the encoding {encoding[:40]!r}, which was not requested")
