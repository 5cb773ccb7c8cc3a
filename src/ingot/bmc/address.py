"""A BMC address: how it is written, and which BMC that is.

Everything that baremetal-operator accepts and that can work is accepted, and a few forms that it
means to accept but does not (``bmc.example.com:6230`` and ``[2001:db8::5]`` without a scheme). What
upstream ignores and a person would miss is refused instead: a misspelt query, a fragment, a Redfish
path after an IPMI scheme.

``urllib.parse`` is not used to split. It takes ``host:port`` for a scheme, silently drops tabs and
line ends, and checks neither host nor path, so it would save none of the work below. Only a path
with characters to encode or decode loads it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NewType

from ingot.bmc.host import as_ip, host_and_port, in_url
from ingot.bmc.refusal import BmcAddressError, FaultError, quoted, unknown_scheme
from ingot.bmc.scheme import REMOVED, SCHEMES, SPELLINGS, Scheme, Transport

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

__all__ = ["BmcAddress", "BmcAddressError", "BmcIdentity", "PrivilegeLevel", "parse"]

BmcIdentity = NewType("BmcIdentity", str)
"""Equal for addresses of the same system of the same BMC, as far as their text can tell."""

_DEFAULT_PORT: Final = {None: 623, Transport.HTTP: 80, Transport.HTTPS: 443}
_SERVICE_ROOT: Final = "/redfish/v1"

_SCHEME_SHAPE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+-]*")
_PORT_FOLLOWS: Final = re.compile(r"[0-9]*(?:[/?#]|$)")
_IPV6_SHAPE: Final = re.compile(r"[0-9a-fA-F]*:[0-9a-fA-F]*:[0-9a-fA-F:.]*(?:[/?#]|$)")
_PATH_PUNCTUATION: Final = "/-._~!$&'()*+,;=:"  # RFC 3986 pchar, without the refused @
_PLAIN_PATH: Final = re.compile(rf"[A-Za-z0-9{re.escape(_PATH_PUNCTUATION)}]*")
_BAD_ESCAPE: Final = re.compile(r"%(?![0-9a-fA-F]{2})")
_SLASHES: Final = re.compile(r"/{2,}")


class PrivilegeLevel(StrEnum):
    """What an IPMI session asks to be allowed: the values that Ironic takes."""

    ADMINISTRATOR = "ADMINISTRATOR"
    OPERATOR = "OPERATOR"
    USER = "USER"
    CALLBACK = "CALLBACK"


@dataclass(frozen=True, slots=True)
class BmcAddress:
    """A valid BMC address in its parts. Made by `parse`.

    Attributes:
        scheme: The scheme's name, without ``+http`` or ``+https``.
        transport: None for IPMI.
        host: An IP address in canonical form, without brackets, or a DNS name in lower case.
        port: As given, or the default.
        path: The path of the Redfish system, decoded and without a trailing slash. Empty when
            the address names none, and for IPMI.
        privilege_level: None for Redfish.
    """

    scheme: str
    transport: Transport | None
    host: str
    port: int
    path: str
    privilege_level: PrivilegeLevel | None

    @property
    def traits(self) -> Scheme:
        """What follows from the scheme: driver, interfaces, capabilities."""
        return SCHEMES[self.scheme]

    @property
    def ip(self) -> IPv4Address | IPv6Address | None:
        """The host, if it is an IP address; None for a DNS name."""
        return as_ip(self.host)

    @property
    def system_id(self) -> str | None:
        """What Ironic is told as ``redfish_system_id``; None lets it take the only system."""
        if self.transport is None or (not self.path and not self.traits.always_names_system):
            return None
        return self.path

    @property
    def origin(self) -> str:
        """Where to connect, such as ``https://10.0.0.5``; with a port unless it is the default."""
        return f"{self.transport or 'ipmi'}://{self._authority}"

    @property
    def normalized(self) -> str:
        """The one spelling of all that this address says; `parse` gives the same address back."""
        suffix = "+http" if self.transport is Transport.HTTP else ""
        level = self.privilege_level or PrivilegeLevel.ADMINISTRATOR
        query = "" if level is PrivilegeLevel.ADMINISTRATOR else f"?privilegelevel={level}"
        return f"{self.scheme}{suffix}://{self._authority}{_encoded(self.path)}{query}"

    @property
    def identity(self) -> BmcIdentity:
        """Which system of which BMC this is, however it is driven. For finding duplicates.

        ``redfish`` and ``idrac-virtualmedia`` at the same port and path are one server, as are two
        IPMI addresses that differ in the privilege level.
        """
        protocol = "redfish" if self.transport else "ipmi"
        path = "" if self.path == _SERVICE_ROOT else _encoded(self.path)
        return BmcIdentity(f"{protocol}://{in_url(self.host)}:{self.port}{path}")

    @property
    def _authority(self) -> str:
        port = "" if self.port == _DEFAULT_PORT[self.transport] else f":{self.port}"
        return f"{in_url(self.host)}{port}"


def parse(text: str) -> BmcAddress:
    """Return the address that the text spells.

    Raises:
        BmcAddressError: It spells none that can be used. The error holds no credentials.
    """
    try:
        return _parse(text)
    except FaultError as fault:
        raise BmcAddressError(text, fault.reason, fault.remedy) from None


# Twice the largest site we measure with. Nothing secret is kept: an address with credentials is
# refused, and what is refused is not cached.
@lru_cache(maxsize=1024)
def _parse(text: str) -> BmcAddress:
    _check_characters(text)
    spelling, rest = _scheme_and_rest(text)
    known = SPELLINGS.get(spelling)
    if known is None:
        raise unknown_scheme(spelling)
    scheme, transport = known
    rest, hash_sign, fragment = rest.partition("#")
    if hash_sign:
        raise FaultError(
            f"has the fragment {quoted(fragment)}", "leave it out; write a # of the path as %23"
        )
    rest, _, query = rest.partition("?")
    authority, slash, path = rest.partition("/")
    host, port = host_and_port(authority, default_port=_DEFAULT_PORT[transport])
    if transport is None:
        _check_not_redfish(slash + path)
        return BmcAddress(scheme.name, None, host, port, "", _privilege_level(query))
    if query:
        raise FaultError(
            f"has the query {quoted(query)}", "Redfish schemes take none; leave it out"
        )
    system = _system_path(slash + path)
    if system == _SERVICE_ROOT and not scheme.always_names_system:
        system = ""
    return BmcAddress(scheme.name, transport, host, port, system, None)


def _check_characters(text: str) -> None:
    if "@" in text:
        raise FaultError(
            "has an @ in it, as if it held a user name or password",
            "put those in bmc.username and bmc.password; write an @ of the path as %40",
        )
    if not text:
        raise FaultError("is empty", "give the address of the host's BMC")
    if " " in text or not text.isprintable():
        odd = next(char for char in text if char == " " or not char.isprintable())
        raise FaultError(
            f"has the character {odd!r} in it",
            "leave out white space and what cannot be printed",
        )


def _scheme_and_rest(text: str) -> tuple[str, str]:
    head, separator, rest = text.partition("://")
    if separator:
        return head.lower(), rest
    head, separator, rest = text.partition(":")
    spelling = head.lower()
    if separator and (spelling in SPELLINGS or spelling.partition("+")[0] in REMOVED):
        return spelling, rest
    no_scheme = _PORT_FOLLOWS.match(rest) or _IPV6_SHAPE.match(text)
    if separator and not no_scheme and _SCHEME_SHAPE.fullmatch(head):
        return spelling, rest
    return "ipmi", text


def _check_not_redfish(path: str) -> None:
    if path.startswith("/redfish"):
        raise FaultError(
            f"is an IPMI address with the Redfish path {quoted(path)}",
            "begin it with redfish:// or another Redfish scheme, or leave the path out",
        )


def _privilege_level(query: str) -> PrivilegeLevel:
    if not query:
        return PrivilegeLevel.ADMINISTRATOR
    name, _, value = query.partition("=")
    if name.lower() != "privilegelevel":
        raise FaultError(f"has the query {quoted(query)}", "the only one known is privilegelevel=")
    try:
        return PrivilegeLevel(value.upper())
    except ValueError:
        raise FaultError(
            f"has the privilege level {quoted(value)}", f"use one of {', '.join(PrivilegeLevel)}"
        ) from None


def _system_path(path: str) -> str:
    if "%" in path:
        path = _decoded(path)
    if "//" in path:
        path = _SLASHES.sub("/", path)
    if "/." in path and not {".", ".."}.isdisjoint(path.split("/")):
        raise FaultError(f"has . or .. in its path {quoted(path)}", "write the path out in full")
    return path.rstrip("/")


def _decoded(path: str) -> str:
    from urllib.parse import unquote  # noqa: PLC0415  see the module's docstring

    try:
        decoded = unquote(path, errors="strict")
    except UnicodeDecodeError:
        decoded = "\N{REPLACEMENT CHARACTER}\0"
    if _BAD_ESCAPE.search(path) or not decoded.isprintable():
        raise FaultError(
            f"has an escape in its path {quoted(path)} that is not printable text",
            "write % as %25, and other characters as their two-digit UTF-8 codes",
        )
    return decoded


def _encoded(path: str) -> str:
    if _PLAIN_PATH.fullmatch(path):
        return path
    from urllib.parse import quote  # noqa: PLC0415  see the module's docstring

    return quote(path, safe=_PATH_PUNCTUATION)
