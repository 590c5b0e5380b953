"""`email`: send mail by SMTP, to the recipients that a configuration allows."""

from __future__ import annotations

import re
import smtplib
import ssl
from collections.abc import Mapping
from email.message import EmailMessage
from email.utils import make_msgid
from typing import Any, Final

from avionics.cancellation import on_cancel
from avionics.model.enums import Permission, RiskLevel
from avionics.model.errors import RemoteError, UsageError
from avionics.tools.configured.knowledge import Account
from avionics.tools.configured.local_tools import DESCRIPTION, NAME
from avionics.tools.configured.resources import MailServer, ToolResources, from_resources, require_resource
from avionics.tools.configured.tool import ConfiguredTool, ToolType
from avionics.tools.schema.parameters import Bounds, Parameter, Shape, build_parameters

SECONDS: Final = 30.0
MAX_RECIPIENTS: Final = 50
MAX_BODY_CHARACTERS: Final = 100_000

_ADDRESS: Final = re.compile(r"[A-Za-z0-9._%+'-]+@[A-Za-z0-9.-]+")
_LINE: Final = Shape("string", bounds=Bounds(min_length=1, max_length=300, pattern=r"^[^\r\n]+$"))


@from_resources
async def build_email(tool_config: Mapping[str, Any], resources: ToolResources, _account: Account) -> ConfiguredTool:
    """Return the tool that sends mail."""
    server = require_resource("mail server", resources.mail_servers, tool_config["server"])
    sender, allowed = tool_config["from"], tuple(tool_config["allowedRecipients"])

    def send_email(to: list[str], subject: str, body: str) -> dict[str, Any]:
        for address in to:
            if not _ADDRESS.fullmatch(address):
                raise UsageError(f"{address[:80]!r} is not a mail address", hint="ada@example.org")
            if not _is_allowed(address, allowed):
                raise UsageError(f"{address[:80]!r} may not receive mail", hint=f"allowed: {', '.join(allowed)}")
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = sender, ", ".join(to), subject
        message["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
        message.set_content(body)
        return {"sent_to": to, "refused": _send(server, message), "message_id": message["Message-ID"]}

    parameters = build_parameters(
        (
            Parameter(
                "to",
                Shape("array", items=Shape("string"), bounds=Bounds(min_length=1, max_length=MAX_RECIPIENTS)),
                description=f"Addresses; allowed: {', '.join(allowed)}",
            ),
            Parameter("subject", _LINE, description="The subject."),
            Parameter(
                "body", Shape("string", bounds=Bounds(max_length=MAX_BODY_CHARACTERS)), description="The plain text."
            ),
        )
    )
    return ConfiguredTool(
        tool_config.get("name") or "send_email",
        send_email,
        parameters,
        tool_config.get("description") or f"Send mail as {sender}",
        risk_level=RiskLevel.HIGH,
        required_permissions=frozenset({Permission.NETWORK_ACCESS}),
    )


def _is_allowed(address: str, allowed: tuple[str, ...]) -> bool:
    """Return whether an address is allowed, itself or by its domain: `@example.org`."""
    plain = address.lower()
    return any(plain == each.lower() or (each.startswith("@") and plain.endswith(each.lower())) for each in allowed)


def _send(server: MailServer, message: EmailMessage) -> list[str]:
    """Send a message; return the recipients that were refused. Raise `RemoteError` if the server fails."""
    trusted = ssl.create_default_context()
    try:
        made = (
            smtplib.SMTP_SSL(server.host, server.port, timeout=SECONDS, context=trusted)
            if server.security == "tls"
            else smtplib.SMTP(server.host, server.port, timeout=SECONDS)
        )
        with made as connection, on_cancel(connection.close):
            if server.security == "starttls":
                connection.starttls(context=trusted)
            if server.user:
                connection.login(server.user, server.password.reveal())
            return sorted(connection.send_message(message))
    except smtplib.SMTPAuthenticationError:
        raise RemoteError("the mail server refused the credentials", hint="check its user and password") from None
    except (smtplib.SMTPException, OSError) as error:
        raise RemoteError(f"the mail could not be sent: {error}"[:500]) from None


EMAIL: Final = ToolType(
    "email",
    build_email,
    (
        Parameter("server", Shape("string"), description="The name of a mail server."),
        Parameter("from", Shape("string", bounds=Bounds(pattern=f"^{_ADDRESS.pattern}$")), description="The sender."),
        Parameter("allowedRecipients", Shape("array", items=Shape("string", bounds=Bounds(pattern=r".*@.+")),
                                             bounds=Bounds(min_length=1)),
                  description='Addresses, or "@example.org" for a domain.'),
        NAME, DESCRIPTION,
    ),
    "Sends mail by SMTP.",
)  # fmt: skip
