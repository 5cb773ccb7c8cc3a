"""Readings: how the text of one field becomes a value, under the id of the rule it enforces.

Each function here makes a pydantic validator for an `Annotated` field. What cannot be read raises
an error whose type is the rule's id and whose context carries the remedy and, where one is
obvious, the repaired value that the remaining checks go on with.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import NewType, TypeAlias

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from ingot.bmc.address import BmcAddressError, parse
from ingot.config.secret import Secret, SecretSource
from ingot.config.spelling import nearest

__all__ = [
    "IPV4",
    "IPV6",
    "AddressRange",
    "IPAddress",
    "IPNetwork",
    "MacAddress",
    "address",
    "address_range",
    "bmc_address",
    "choice",
    "mac",
    "network",
    "quoted",
    "secret",
    "to_address",
    "unreadable",
]

IPAddress: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
IPNetwork: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
IPV4, IPV6 = 4, 6
SHOWN_CHARACTERS = 120
MacAddress = NewType("MacAddress", str)
"""Six octets, lower case, with colons."""

_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")
_MAC_OTHER = re.compile(r"[0-9a-f]{2}(-[0-9a-f]{2}){5}|[0-9a-f]{4}(\.[0-9a-f]{4}){2}|[0-9a-f]{12}")
_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class AddressRange:
    """Addresses from the first to the last, both included."""

    start: IPAddress
    end: IPAddress

    def __contains__(self, one: IPAddress) -> bool:
        return one.version == self.start.version and int(self.start) <= int(one) <= int(self.end)

    def __str__(self) -> str:
        return f"{self.start},{self.end}"


def quoted(text: str) -> str:
    """Return text for a message: in quotes, control characters escaped, and not too long."""
    return repr(text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…")


def unreadable(
    rule_id: str, message: str, remedy: str, repair: object = None
) -> PydanticCustomError:
    """Return the error of a value that breaks a rule by itself.

    Args:
        rule_id: the rule it breaks.
        message: what is wrong, naming the value unless it is a secret.
        remedy: what to do.
        repair: the value to go on with, so that the other rules can still be checked.
    """
    # The template must not contain the value: pydantic would read braces in it as fields.
    context = {"message": message, "remedy": remedy, "repair": repair}
    return PydanticCustomError(rule_id, "{message}", context)


def to_address(text: str) -> IPAddress:
    """Parse an address; an IPv4 address in IPv6 clothes is the IPv4 address.

    Raises:
        ValueError: with what is wrong, in a few words.
    """
    text = text.strip()
    if "%" in text:
        raise ValueError("it has a zone (%), which no cluster address has")
    try:
        parsed = ipaddress.ip_address(text)
    except ValueError:
        if re.fullmatch(r"\d+(\.\d+){3}", text) and re.search(r"\b0\d", text):
            raise ValueError("it has leading zeros, which some readers take as octal") from None
        if "/" in text:
            raise ValueError("it has a prefix length") from None
        raise ValueError("it is neither IPv4 nor IPv6") from None
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped:
        return parsed.ipv4_mapped
    return parsed


def address(rule_id: str) -> BeforeValidator:
    """Read an IP address."""

    def read(value: object) -> object:
        if not isinstance(value, str):
            return value
        try:
            return to_address(value)
        except ValueError as bad:
            raise unreadable(
                rule_id,
                f"{quoted(value)} is not an IP address: {bad}",
                "write one, such as 192.0.2.10",
            ) from None

    return BeforeValidator(read)


def network(rule_id: str) -> BeforeValidator:
    """Read a CIDR; one with host bits is an error that is repaired by cutting them off."""

    def read(value: object) -> object:
        if not isinstance(value, str):
            return value
        base, slash, length = value.strip().partition("/")
        remedy = "write a network and its prefix length, such as 192.0.2.0/24"
        if not slash or not length.isascii() or not length.isdigit():
            raise unreadable(rule_id, f"{quoted(value)} has no prefix length", remedy)
        try:
            to_address(base)
            interface = ipaddress.ip_interface(f"{base}/{int(length)}")
        except ValueError:
            raise unreadable(rule_id, f"{quoted(value)} is not a CIDR", remedy) from None
        if interface.ip != interface.network.network_address:
            raise unreadable(
                rule_id,
                f"{quoted(value)} has bits set behind its prefix length",
                f"write {interface.network}, or the prefix length that is meant",
                repair=interface.network,
            )
        return interface.network

    return BeforeValidator(read)


def address_range(rule_id: str) -> BeforeValidator:
    """Read `start,end`."""

    def read(value: object) -> object:
        if not isinstance(value, str):
            return value
        remedy = "write the first and the last address, such as 172.22.0.10,172.22.0.254"
        try:
            start, end = (to_address(part) for part in value.split(","))
        except ValueError:
            raise unreadable(
                rule_id, f"{quoted(value)} is not a range of addresses", remedy
            ) from None
        if start.version != end.version:
            raise unreadable(rule_id, f"{quoted(value)} mixes IPv4 and IPv6", remedy)
        return AddressRange(start, end)

    return BeforeValidator(read)


def mac(rule_id: str) -> BeforeValidator:
    """Read a unicast EUI-48 in the one spelling that BareMetalHost accepts, in any letter case."""

    def read(value: object) -> object:
        if not isinstance(value, str):
            return value
        lower = value.strip().lower()
        if not _MAC.fullmatch(lower):
            digits = re.sub(r"[^0-9a-f]", "", lower)
            repair = None
            if _MAC_OTHER.fullmatch(lower):
                repair = ":".join(digits[i : i + 2] for i in range(0, 12, 2))
            raise unreadable(
                rule_id,
                f"{quoted(value)} is not a MAC address of the form XX:XX:XX:XX:XX:XX",
                f"write {repair}" if repair else "write six pairs of hexadecimal digits",
                repair=repair,
            )
        if int(lower[1], 16) & 1:
            raise unreadable(
                rule_id,
                f"{quoted(value)} is a multicast address, which no network card has",
                "write the card's own MAC address",
            )
        return lower

    return BeforeValidator(read)


def bmc_address(rule_id: str) -> BeforeValidator:
    """Read a BMC address by its scheme."""

    def read(value: object) -> object:
        if not isinstance(value, str):
            return value
        try:
            return parse(value)
        except BmcAddressError as bad:
            raise unreadable(
                rule_id, f"BMC address {quoted(bad.text)} {bad.reason}", bad.remedy
            ) from None

    return BeforeValidator(read)


def choice(
    rule_id: str,
    options: type[StrEnum],
    *,
    unlisted: tuple[str, ...] = (),
    remedy: str = "write one of them",
) -> BeforeValidator:
    """Read one of a few words; another letter case is an error that is repaired.

    Args:
        rule_id: the rule that a word which is none of them breaks.
        options: the words.
        unlisted: words that are read but not offered, since another rule refuses them.
        remedy: what to do where no word is near.
    """
    words = {option.value for option in options}
    folded = {option.value.lower(): option.value for option in options}
    listed = ", ".join(word for word in sorted(words) if word and word not in unlisted)

    def read(value: object) -> object:
        if not isinstance(value, str) or value in words:
            return value
        near = folded.get(value.strip().lower()) or nearest(value, words)
        raise unreadable(
            rule_id,
            f"{quoted(value)} is none of {listed}",
            f"did you mean {near}?" if near else remedy,
            repair=folded.get(value.strip().lower()),
        )

    return BeforeValidator(read)


def secret(rule_id: str) -> BeforeValidator:
    """Read a secret, or the variable or file that holds it."""

    def read(value: object) -> object:
        if isinstance(value, str):
            return Secret(SecretSource.INLINE, value)
        if not isinstance(value, dict):
            return value
        given = {key: text for key, text in value.items() if text}
        if len(given) != 1 or not given.keys() <= {"env", "file"}:
            raise unreadable(
                rule_id,
                "a secret is given as text, or as one of env and file",
                "write {env: NAME} or {file: PATH}",
            )
        source, text = next(iter(given.items()))
        if source == "env" and not _ENV_NAME.fullmatch(text):
            raise unreadable(
                rule_id, "env is not the name of an environment variable", "write {env: NAME}"
            )
        return Secret(SecretSource(source), text)

    return BeforeValidator(read)
