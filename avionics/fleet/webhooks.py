"""Webhooks of forges: a signed push queues its repository. Only the repository's name is read from a message."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any

import attrs

from avionics.fleet.catalogue import Catalogue
from avionics.fleet.work import PUSH, WorkQueue
from avionics.model.secret import Secret

Headers = Mapping[str, str]
"""The headers of a request by their names in lower case."""


@attrs.frozen
class _Dialect:
    """How one kind of forge signs and describes a push."""

    is_signed: Callable[[Secret, Headers, bytes], bool]
    event: str
    push: str
    repository: str
    name: str
    url: str


def _build_digest_check(header: str, prefix: str = "") -> Callable[[Secret, Headers, bytes], bool]:
    def is_signed(secret: Secret, headers: Headers, body: bytes) -> bool:
        wanted = prefix + hmac.new(secret.reveal().encode(), body, hashlib.sha256).hexdigest()
        return hmac.compare_digest(headers.get(header, "").encode("utf-8", "replace"), wanted.encode())

    return is_signed


def _has_token(secret: Secret, headers: Headers, _: bytes) -> bool:
    given = headers.get("x-gitlab-token", "").encode("utf-8", "replace")
    return hmac.compare_digest(given, secret.reveal().encode())


_DIALECTS: Mapping[str, _Dialect] = {
    "github": _Dialect(
        _build_digest_check("x-hub-signature-256", "sha256="), "x-github-event", "push",
        "repository", "full_name", "clone_url",
    ),
    "gitlab": _Dialect(
        _has_token, "x-gitlab-event", "Push Hook", "project", "path_with_namespace", "git_http_url"
    ),
    "gitea": _Dialect(
        _build_digest_check("x-gitea-signature"), "x-gitea-event", "push", "repository", "full_name", "clone_url"
    ),
}  # fmt: skip


class PushReceiver:
    """Receives webhooks and queues pushed repositories; without a secret that forges sign with, nothing is accepted."""

    def __init__(self, catalogue: Catalogue, queue: WorkQueue, secret: Secret) -> None:
        self._catalogue = catalogue
        self._queue = queue
        self._secret = secret
        self.queued = 0

    def get_hooks(self) -> Mapping[str, Callable[[Headers, bytes], int]]:
        """Return the path of each kind of forge and what answers there."""
        return {f"/webhooks/{kind}": partial(self._receive, dialect) for kind, dialect in _DIALECTS.items()}

    def _receive(self, dialect: _Dialect, headers: Headers, body: bytes) -> HTTPStatus:
        """Return the status of the response: ACCEPTED for every signed message, so that it reveals no repository."""
        if not self._secret or not dialect.is_signed(self._secret, headers, body):
            return HTTPStatus.UNAUTHORIZED
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            return HTTPStatus.BAD_REQUEST
        if headers.get(dialect.event) == dialect.push and isinstance(message, dict):
            self._enqueue(dialect, message.get(dialect.repository))
        return HTTPStatus.ACCEPTED

    def _enqueue(self, dialect: _Dialect, pushed: Any) -> None:
        """Queue the repository that was pushed to, if the fleet has it."""
        if not isinstance(pushed, dict):
            return
        name, url = (pushed.get(field) for field in (dialect.name, dialect.url))
        if not (isinstance(name, str) and isinstance(url, str)):
            return
        known = self._catalogue.find_at(name, (url,))
        self.queued += self._queue.enqueue(known, PUSH) if known else 0
