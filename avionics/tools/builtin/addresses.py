"""Check which network addresses a program may contact on behalf of an untrusted request."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from typing import Final, TypeAlias

from avionics.model.errors import SourceError, UsageError

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

_TRANSLATED: Final = ipaddress.ip_network("64:ff9b::/96")
"""IPv6 addresses that a gateway translates to the IPv4 address in their last bits."""

_NEVER: Final = tuple(map(ipaddress.ip_network, ("168.63.129.16/32", "192.0.0.0/24", "64:ff9b:1::/48")))
"""Addresses inside a cloud or a network that not every version of Python considers private."""


def parse_networks(given: Iterable[str | Network]) -> tuple[Network, ...]:
    """Return networks, parsed if they are texts. Raise `UsageError` if one is invalid."""
    try:
        return tuple(ipaddress.ip_network(str(each)) for each in given)
    except ValueError as error:
        raise UsageError(f"not a network: {error}", hint="for example 10.1.0.0/16 or ::1/128") from None


def require_addresses(host: str, port: int, allowed: Iterable[Network] = ()) -> tuple[str, ...]:
    """Return a host's addresses. Raise `UsageError` unless all are allowed, `SourceError` if it does not exist."""
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise SourceError(f"unknown host {host[:200]!r}: {error}") from None
    found = tuple(dict.fromkeys(str(entry[4][0]) for entry in entries))
    networks = tuple(allowed)
    for text in found:
        if not is_reachable(text, networks):
            raise UsageError(
                f"{host[:200]!r} has the address {text}, which is not public",
                hint="private, loopback, link-local and metadata addresses are refused unless their network is allowed",
            )
    return found


def is_reachable(text: str, allowed: Iterable[Network]) -> bool:
    """Return whether an address, perhaps one inside an IPv6 address, is public or in an allowed network."""
    address = _unwrap(ipaddress.ip_address(text.partition("%")[0]))
    if any(address in network for network in allowed):
        return True
    is_special = address.is_multicast or address.is_reserved or any(address in network for network in _NEVER)
    return address.is_global and not is_special


def _unwrap(address: Address) -> Address:
    """Return the IPv4 address embedded in an IPv6 address, if any."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _TRANSLATED:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None) or address
