"""The host of a BMC address: an IP address or a DNS name, in its one canonical spelling.

Stricter than baremetal-operator where its leniency only delays the failure: no empty host, no name
that ends in a number (``10.0.0.256`` passes for a DNS name upstream), none beyond 253 characters.

An IPv6 address always needs its brackets, as RFC 3986 has it, also where no scheme is written.
``2001:db8::5:623`` would be a valid address without a port as well as one with, so taking it would
silently mean another machine to some.
"""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final

from ingot.bmc.refusal import FaultError, quoted

__all__ = ["as_ip", "host_and_port", "in_url"]

_AUTHORITY: Final = re.compile(
    r"(?:\[(?P<bracketed>[^\[\]]*)\]|(?P<plain>[^\[\]:]*))(?::(?P<port>[^\[\]:]*))?"
)
_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_DNS_NAME: Final = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_DNS_NAME_LENGTH: Final = 253  # RFC 1035 §2.3.4, less the length bytes at both ends
_ENDS_IN_NUMBER: Final = re.compile(r"(?:.*\.)?(?:[0-9]+|0[xX][0-9a-fA-F]*)")
_PORT: Final = re.compile(r"0*([0-9]{1,5})")
_PORT_MAX: Final = 65535


def host_and_port(authority: str, *, default_port: int) -> tuple[str, int]:
    """Return the canonical host and the port of ``host``, ``host:port`` or ``[IPv6]:port``.

    Raises:
        FaultError: There is no such host or port.
    """
    match = _AUTHORITY.fullmatch(authority)
    if match is None:
        raise _misplaced_colons(authority)
    bracketed, plain, port = match.groups()
    host = _dns_name_or_ipv4(plain) if bracketed is None else _ipv6(bracketed)
    return host, default_port if port is None else _port(port, default_port)


def as_ip(host: str) -> IPv4Address | IPv6Address | None:
    """Return the IP address that a canonical host is, or None for a DNS name."""
    if ":" in host:
        return IPv6Address(host)
    return IPv4Address(host) if _ENDS_IN_NUMBER.fullmatch(host) else None


def in_url(host: str) -> str:
    """Return a canonical host as it is written in a URL."""
    return f"[{host}]" if ":" in host else host


def _dns_name_or_ipv4(text: str) -> str:
    if not text:
        raise FaultError(
            "names no host", "write SCHEME://HOST, where HOST is an IP address or a DNS name"
        )
    if _ENDS_IN_NUMBER.fullmatch(text):
        try:
            return str(IPv4Address(text))
        except AddressValueError:
            raise FaultError(
                f"has the host {quoted(text)}, which is no IPv4 address",
                "give four numbers from 0 to 255 without leading zeros",
            ) from None
    name = text.lower()
    if not text.isascii() or len(name) > _DNS_NAME_LENGTH or not _DNS_NAME.fullmatch(name):
        raise FaultError(
            f"has the host {quoted(text)}, which is neither an IP address nor a DNS name",
            "a DNS name is made of letters, digits and inner hyphens, in parts of at most 63 "
            "characters with one dot between them, and of at most 253 characters in all",
        )
    return name


def _ipv6(text: str) -> str:
    if "%" in text:
        raise FaultError(
            f"has the zone {quoted(text.partition('%')[2])} after its IPv6 address",
            "give an address without a zone: a zone means something on one machine only, and "
            "a BMC is reached from several",
        )
    try:
        ip = IPv6Address(text)
    except AddressValueError:
        raise FaultError(
            f"has {quoted(text)} in brackets, which is no IPv6 address",
            "brackets are for IPv6 addresses only",
        ) from None
    return str(ip.ipv4_mapped or ip)


def _port(text: str, default: int) -> int:
    match = _PORT.fullmatch(text)
    port = int(match[1]) if match else 0
    if 0 < port <= _PORT_MAX:
        return port
    seen = f"the port {quoted(text)}" if text else "a colon but no port after it"
    raise FaultError(f"has {seen}", f"give a port from 1 to 65535, or none for {default}")


def _misplaced_colons(authority: str) -> FaultError:
    try:
        IPv6Address(authority)
    except AddressValueError:
        return FaultError(
            f"has {quoted(authority)} where host:port belongs",
            "write an IPv6 address in brackets, and only a port after it",
        )
    return FaultError(
        "has an IPv6 address without brackets",
        f"write [{authority.partition('%')[0]}] so that a port can be told from it",
    )
