"""The parameters of the protocol's methods, as far as this server reads them; others are ignored."""

from __future__ import annotations

from typing import Any, Literal, get_args

from msgspec import Struct, field

LogLevel = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
LOG_LEVELS: tuple[LogLevel, ...] = get_args(LogLevel)


class Implementation(Struct, frozen=True):
    """The name and version of a program."""

    name: str
    version: str


class HandshakeMeta(Struct, frozen=True):
    """Metadata of a request from a client of the handshake revisions."""

    progress_token: str | int | None = field(name="progressToken", default=None)


class EnvelopeMeta(Struct, frozen=True):
    """Metadata of a request from a client of the newer revisions."""

    capabilities: dict[str, Any] = field(name="io.modelcontextprotocol/clientCapabilities")
    client: Implementation | None = field(name="io.modelcontextprotocol/clientInfo", default=None)
    log_level: LogLevel | None = field(name="io.modelcontextprotocol/logLevel", default=None)
    progress_token: str | int | None = field(name="progressToken", default=None)


class HandshakeParams(Struct, frozen=True):
    """What the parameters of every request of the handshake revisions may have."""

    meta: HandshakeMeta | None = field(name="_meta", default=None)


class EnvelopeParams(Struct, frozen=True):
    """What the parameters of every request of the newer revisions have."""

    meta: EnvelopeMeta = field(name="_meta")


class NoParams(Struct, frozen=True):
    """The parameters of methods without parameters."""


class ListParams(Struct, frozen=True):
    """The parameters of methods that list; all lists have one page."""

    cursor: str | None = None


class InitializeParams(Struct, frozen=True):
    """The parameters of `initialize`."""

    version: str = field(name="protocolVersion")
    capabilities: dict[str, Any]
    client: Implementation = field(name="clientInfo")


class CallParams(Struct, frozen=True):
    """The parameters of `tools/call`."""

    name: str
    arguments: dict[str, Any] | None = None


class PromptParams(Struct, frozen=True):
    """The parameters of `prompts/get`."""

    name: str
    arguments: dict[str, str] | None = None


class ResourceParams(Struct, frozen=True):
    """The parameters of methods about one resource."""

    uri: str


class CompletedArgument(Struct, frozen=True):
    """An argument to complete."""

    name: str
    value: str


class CompletionContext(Struct, frozen=True):
    """The arguments that are already given."""

    arguments: dict[str, str] | None = None


class PromptReference(Struct, frozen=True, tag_field="type", tag="ref/prompt"):
    """The prompt whose argument is completed."""

    name: str


class ResourceReference(Struct, frozen=True, tag_field="type", tag="ref/resource"):
    """The resource template whose argument is completed."""

    uri: str


class CompleteParams(Struct, frozen=True):
    """The parameters of `completion/complete`."""

    ref: PromptReference | ResourceReference
    argument: CompletedArgument
    context: CompletionContext | None = None


class LevelParams(Struct, frozen=True):
    """The parameters of `logging/setLevel`."""

    level: LogLevel


class ListenFilter(Struct, frozen=True, omit_defaults=True):
    """The notifications that a subscription asks for."""

    tools: bool | None = field(name="toolsListChanged", default=None)
    prompts: bool | None = field(name="promptsListChanged", default=None)
    resources: bool | None = field(name="resourcesListChanged", default=None)
    addresses: tuple[str, ...] | None = field(name="resourceSubscriptions", default=None)


class ListenParams(Struct, frozen=True):
    """The parameters of `subscriptions/listen`."""

    notifications: ListenFilter
