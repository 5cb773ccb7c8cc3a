"""The way to one BMC, and what can be done there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

from ingot.bmc.address import BmcAddress

__all__ = ["CALL_SECONDS", "BmcAccess", "LiveBmc", "Power", "connected"]

CALL_SECONDS: Final = 30.0
"""How long a call may take. Slow BMCs need ten seconds for a log-in alone."""


class Power(StrEnum):
    """Whether a server is powered, as its BMC tells."""

    ON = "on"
    OFF = "off"
    CHANGING = "changing"
    """Being switched, or not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BmcAccess:
    """Where a BMC is, and who we are there.

    Attributes:
        address: where.
        username: who.
        password: the proof.
        verify: whether its certificate is checked.
        authorities: certificates in PEM of those that may have signed it; empty for those that
            this machine trusts anyway.
    """

    address: BmcAddress
    username: str = field(repr=False)
    password: str = field(repr=False)
    verify: bool = True
    authorities: str = field(default="", repr=False)


class LiveBmc(Protocol):
    """One server through its BMC. Every call ends within its deadline."""

    def power(self) -> Power:
        """Return whether the server is powered."""

    def power_off(self) -> bool:
        """Pull the plug, and return whether it was on. It is off when this returns."""

    def eject_media(self) -> tuple[str, ...]:
        """Take out all virtual media and return which; none where the BMC has no such drives."""


@contextmanager
def connected(access: BmcAccess, *, seconds: float = CALL_SECONDS) -> Iterator[LiveBmc]:
    """Talk to a BMC for as long as this lasts.

    Args:
        access: the way to it.
        seconds: how long each call may take.

    Raises:
        BmcUnreachable: it does not answer in time.
        CertificateUntrusted: it may be another's.
        WrongCredentials: it does not accept them.
        NoSuchSystem: it knows nothing of the server.
        BmcRefused: it does not do it.
    """
    if access.address.traits.is_redfish:
        from ingot.bmc.live.redfish import RedfishBmc  # noqa: PLC0415 - slow to import

        bmc = RedfishBmc(access, seconds=seconds)
        try:
            yield bmc
        finally:
            bmc.close()
    else:
        from ingot.bmc.live.ipmi import IpmiBmc  # noqa: PLC0415 - as above

        yield IpmiBmc(access, seconds=seconds)
