"""Declare what configured tools may reach: folders, databases, endpoints, mail servers and calendars, by name.

A configuration is data, perhaps written by a user, and only names a resource. The application decides where the
resource is and which credential gives access to it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import attrs

from avionics.model.errors import ConfigError
from avionics.model.secret import NO_SECRET, Secret
from avionics.settings import EndpointSettings
from avionics.tools.configured.knowledge import Account
from avionics.tools.configured.tool import Builder

T = TypeVar("T")


@attrs.frozen
class HttpEndpoint:
    """A server that tools may call.

    Attributes:
        url: Its base URL; every call stays below it.
        credential: The name of the account's credential; "" for none.
        secret: The key of accounts without a credential store.
        header: The header that carries the key.
        scheme: The prefix of the key in the header: "Bearer" or "".
        allowed_networks: Networks that may be contacted although they are not public.
    """

    url: str
    credential: str = ""
    secret: Secret = NO_SECRET
    header: str = "Authorization"
    scheme: str = "Bearer"
    allowed_networks: tuple[str, ...] = ()

    async def build_headers(self, account: Account) -> dict[str, str]:
        """Return the headers that authorize an account. Raise `ConfigError` if it has no such credential."""
        if not self.credential and not self.secret:
            return {}
        name = self.credential
        secret = await account.get_credential(name, self.secret) if name else self.secret
        if not secret:
            raise ConfigError(f"this account has no credential {name!r}", hint="add it to the account")
        return {self.header: f"{self.scheme} {secret.reveal()}".strip()}


@attrs.frozen
class MailServer:
    """A server that sends mail by SMTP.

    Attributes:
        security: "starttls", "tls", or "none" for a server on the same machine.
        user: The name to log in with; "" for none.
    """

    host: str
    port: int = 587
    security: str = attrs.field(default="starttls", validator=attrs.validators.in_(("starttls", "tls", "none")))
    user: str = ""
    password: Secret = NO_SECRET


@attrs.frozen
class ToolResources:
    """The resources of configured tools, by the names that configurations use.

    Attributes:
        folders: Directories, for `fileOperation`, `sqlQuery` and `calendar`.
        databases: SQLite and DuckDB files, for `sqlQuery`.
        endpoints: Servers, for `apiCall`, `webSearch` and CalDAV's `calendar`.
        mail_servers: Servers, for `email`.
        tables: A `TableStore` that `sqlQuery` and `codeExecution` share, if any.
    """

    folders: Mapping[str, Path] = attrs.field(factory=dict)
    databases: Mapping[str, Path] = attrs.field(factory=dict)
    endpoints: Mapping[str, HttpEndpoint] = attrs.field(factory=dict)
    mail_servers: Mapping[str, MailServer] = attrs.field(factory=dict)
    tables: Any = None


def require_resource(kind: str, known: Mapping[str, T], name: str) -> T:
    """Return the resource of that name. Raise `ConfigError` if the application offers none."""
    found = known.get(name)
    if found is None:
        there = f"there are {', '.join(known)}" if known else f"the application offers no {kind}"
        raise ConfigError(f"unknown {kind} {name[:80]!r}", hint=there)
    return found


def from_resources(build: Callable[[Mapping[str, Any], ToolResources, Account], Awaitable[Any]]) -> Builder:
    """Return the builder of tools that need only the application's resources, and the account for its credentials."""

    async def run(
        tool_config: Mapping[str, Any], account_id: int | str, db: Any, auth_token: str | None = None, **more: Any
    ) -> Any:
        account = Account(account_id, db, Secret(auth_token or ""), EndpointSettings())
        return await build(tool_config, more.get("resources") or ToolResources(), account)

    return run
