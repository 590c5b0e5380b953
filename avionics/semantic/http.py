"""JSON over HTTP: one pool of connections that retries busy servers and never reveals credentials."""

from __future__ import annotations

import base64
import math
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from functools import cache
from http import HTTPStatus
from http.cookiejar import CookieJar, DefaultCookiePolicy
from secrets import SystemRandom
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import unquote, urlsplit

import attrs

from avionics.cancellation import check_cancelled
from avionics.model.errors import ConfigError, RemoteError, importing
from avionics.model.secret import Secret
from avionics.model.vectors import VectorMatch
from avionics.settings import EndpointSettings

if TYPE_CHECKING:
    import httpx

_LOOPBACK: Final = ("all://127.0.0.1", "all://localhost", "all://[::1]")
_DETAIL_CHARACTERS: Final = 200
_KEY_REFUSED: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_NEVER_DONE: Final = frozenset({HTTPStatus.NOT_IMPLEMENTED, HTTPStatus.HTTP_VERSION_NOT_SUPPORTED})


@attrs.frozen
class HttpAttempt:
    """The outcome of one attempt.

    Attributes:
        status: The HTTP status, 0 without a response.
        body: The response's JSON, or None.
        detail: The message of the server or the network.
        wait_seconds: How long the server asked to wait, or None.
    """

    status: int
    body: Any = None
    detail: str = ""
    wait_seconds: float | None = None

    @property
    def is_passing(self) -> bool:
        """Return whether trying again may help."""
        busy = self.status == HTTPStatus.TOO_MANY_REQUESTS or self.status >= HTTPStatus.INTERNAL_SERVER_ERROR
        return self.status == 0 or (busy and self.status not in _NEVER_DONE)


class HttpClient:
    """Sends requests to servers that speak JSON; safe to share between threads.

    Every request made here may be repeated without harm, so a request with a lost response is sent again.

    Args:
        settings: The time limits and the number of attempts.
        sleep: The function that pauses; tests may replace it.
    """

    def __init__(self, settings: EndpointSettings, sleep: Callable[[float], None] = time.sleep) -> None:
        self._settings = settings
        self._sleep = sleep
        self._client = _open_client()

    def ask(
        self,
        server: str,
        method: str,
        url: str,
        body: Mapping[str, Any] | None = None,
        secrets: Mapping[str, Secret] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Return the JSON of a server's response; errors name the server, and empty secrets are not sent.

        Raise `RemoteError`, without credentials in its message, if the server did not answer or refused; `ConfigError`
        if the URL is invalid.
        """
        url, host, login = _split_url(server, url)
        secrets = {name: secret for name, secret in {**login, **(secrets or {})}.items() if secret}
        sent = {**(headers or {}), **{name: secret.reveal() for name, secret in secrets.items()}}
        deadline = time.monotonic() + self._settings.http_deadline_seconds
        attempt = 1
        reply = self._try(method, url, body, sent, deadline)
        while reply.is_passing and attempt < self._settings.http_attempts:
            pause = self._pause_seconds(attempt, reply)
            if time.monotonic() + pause >= deadline:
                break
            self._sleep(pause)
            check_cancelled()
            attempt += 1
            reply = self._try(method, url, body, sent, deadline)
        if HTTPStatus.OK <= reply.status < HTTPStatus.MULTIPLE_CHOICES and not reply.detail:
            return reply.body
        raise _build_error(server, host, reply, tuple(secrets.values()))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _try(
        self, method: str, url: str, body: Mapping[str, Any] | None, headers: Mapping[str, str], deadline: float
    ) -> HttpAttempt:
        import httpx

        seconds = max(0.001, min(self._settings.http_timeout_seconds, deadline - time.monotonic()))
        try:
            response = self._client.request(method, url, json=body, headers=dict(headers), timeout=seconds)
        except httpx.TimeoutException:
            return HttpAttempt(0, detail=f"no answer within {seconds:.3g} s")
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            return HttpAttempt(0, detail=type(error).__name__)
        try:
            parsed = response.json()
        except ValueError:
            parsed, is_json = None, False
        else:
            is_json = True
        detail = "" if response.is_success and is_json else _read_detail(parsed) or "the response is not JSON"
        return HttpAttempt(response.status_code, parsed, detail, _read_retry_after(response.headers.get("retry-after")))

    def _pause_seconds(self, attempt: int, reply: HttpAttempt) -> float:
        """Return the pause the server asked for; else twice as long each time, randomised so that callers spread."""
        longest = self._settings.http_backoff_seconds * 2 ** (attempt - 1)
        spread = SystemRandom().uniform(longest / 2, longest)
        return spread if reply.wait_seconds is None else max(reply.wait_seconds, 0.0)


@cache
def shared_http_client(settings: EndpointSettings) -> HttpClient:
    """Return the shared client, and so the shared pool, for these settings."""
    return HttpClient(settings)


def _open_client() -> httpx.Client:
    """Return a pool without redirects and cookies, so that no key or session reaches another server."""
    with importing("remote servers need httpx", hint="pip install 'avionics[semantic]', or use the provider \"local\""):
        import httpx
    jar = CookieJar(DefaultCookiePolicy(allowed_domains=()))
    return httpx.Client(cookies=jar, follow_redirects=False, mounts=dict.fromkeys(_LOOPBACK))


def _split_url(server: str, url: str) -> tuple[str, str, Mapping[str, Secret]]:
    """Return the URL without its credentials, which httpx would log; the host; the credentials as a header."""
    try:
        parts = urlsplit(url)
        host = parts.hostname if parts.scheme in ("http", "https") else None
        port = f":{parts.port}" if host and parts.port else ""
    except ValueError:
        host = None
    if not host:
        raise ConfigError(
            f"the URL of {server} is invalid", hint="it must start with https:// or http:// and name a host"
        )
    login, _, place = parts.netloc.rpartition("@")
    if not login:
        return url, f"{host}{port}", {}
    basic = base64.b64encode(unquote(login).encode()).decode()
    return parts._replace(netloc=place).geturl(), f"{host}{port}", {"Authorization": Secret(f"Basic {basic}")}


def _read_detail(parsed: Any) -> str:
    """Return the server's error message, in any of the usual forms."""
    for key in ("error", "status", "message", "detail"):
        if isinstance(parsed, Mapping) and isinstance(parsed.get(key), (str, Mapping)):
            return _read_detail(parsed[key])
    return parsed if isinstance(parsed, str) else ""


def _read_retry_after(text: str | None) -> float | None:
    """Return the seconds to wait, from a number or a date; None if unusable."""
    if text is None:
        return None
    if text.strip().isdecimal():
        return float(text)
    try:
        return parsedate_to_datetime(text).timestamp() - time.time()
    except (ValueError, TypeError):
        return None


def _build_error(server: str, host: str, reply: HttpAttempt, secrets: tuple[Secret, ...]) -> RemoteError:
    """Build the error. A server that refuses a key may quote it, so its message is not passed on."""
    if reply.status in _KEY_REFUSED:
        return RemoteError(
            f"{server} at {host} refused the credentials ({reply.status})",
            hint="check the key of this account",
            status=reply.status,
        )
    detail = " ".join(reply.detail.split())
    for secret in secrets:
        detail = secret.hide_in(detail)
        detail = Secret(secret.reveal().removeprefix("Bearer ")).hide_in(detail)
    suffix = f": {detail[:_DETAIL_CHARACTERS]}" if detail else ""
    what = f"answered {reply.status}" if reply.status else "did not answer"
    when = f"in {reply.wait_seconds:.0f} s" if reply.wait_seconds else "later"
    hint = f"try again {when}" if reply.is_passing else ""
    return RemoteError(f"{server} at {host} {what}{suffix}", hint=hint, status=reply.status)


def bearer(secret: Secret) -> Secret:
    """Return the value of an Authorization header; nothing without a credential."""
    return Secret(f"Bearer {secret.reveal()}") if secret else secret


def as_list(server: str, value: Any) -> list[Mapping[str, Any]]:
    """Return the value as a list of objects. Raise `RemoteError` if it is not one."""
    if isinstance(value, list) and all(isinstance(item, Mapping) for item in value):
        return cast("list[Mapping[str, Any]]", value)
    raise RemoteError(f"{server} sent a response that does not follow its API")


def to_number(value: Any) -> float | None:
    """Return a finite number of a response, or None."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if is_number else None


def read_match(server: str, item: Mapping[str, Any], name: Any, metadata: Any) -> VectorMatch:
    """Return a match of a response. Raise `RemoteError` if it has no score."""
    score = to_number(item.get("score"))
    if score is None:
        raise RemoteError(f"{server} returned a match without a score")
    return VectorMatch(str(name), score, metadata if isinstance(metadata, Mapping) else {})
