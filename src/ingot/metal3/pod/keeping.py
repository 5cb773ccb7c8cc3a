"""The provisioning address, on the card of whatever machine the pod runs on.

Two machines must never have it at once, and one that lost its way to the API cannot be told that
the pod goes on elsewhere. So it is kept by a lease: whoever leads has the address, for seconds at a
time, and renews it. Who cannot renew the lease lets the address go; who is killed or frozen has it
taken by the kernel. Both happen before the lease is anybody else's.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from ingot.kube.lease import Terms
from ingot.metal3.pod.interface import found, missing
from ingot.metal3.pod.settings import Settings
from ingot.process import CommandFailed, run

__all__ = ["EVERY", "LEASE", "LIFETIME", "TERMS", "AddressKeeper", "renewal"]

log = logging.getLogger(__name__)

LEASE: Final = "metal3-address"
TERMS: Final = Terms(duration=60.0, renew_deadline=40.0, retry_period=10.0)
LIFETIME: Final = 15
"""Seconds that the kernel keeps the address without being told again: with the deadline of the
lease still less than its duration."""
EVERY: Final = 5.0

Command = tuple[str, ...]


def renewal(text: str, settings: Settings) -> tuple[Command, ...]:
    """Return the calls of `ip` after which the address is there for some seconds more.

    Args:
        text: what `ip -j address` says.
        settings: which address, and on which card.

    Raises:
        NoInterfaceError: there is no such card.
    """
    card = found(text, settings)
    if card is None:
        raise missing(settings, "nobody can be provisioned from here")
    link = next(one for one in json.loads(text) if one["ifname"] == card)
    up: Command = ("link", "set", "dev", card, "up")
    seconds = str(LIFETIME)
    # Nobody else has it: the lease says so. Looking for others would cost a second on IPv6.
    unasked = ("nodad",) if settings.provisioning_ip.version == 6 else ()  # noqa: PLR2004 - IPv6
    address: Command = (
        *("address", "replace", with_length(settings), "dev", card),
        *("valid_lft", seconds, "preferred_lft", seconds),
        *unasked,
    )
    return (address,) if "UP" in link.get("flags", ()) else (up, address)


def with_length(settings: Settings) -> str:
    """Return the address with the length of its network."""
    assert settings.kept_in is not None  # noqa: S101 - who has none has no keeper
    return f"{settings.provisioning_ip}/{settings.kept_in.prefixlen}"


@dataclass(slots=True)
class AddressKeeper:
    """Keeps the address while it leads.

    Attributes:
        settings: which address, and on which card.
        leads: whether we may have it at this moment.
        ip: calls `ip`, and returns what it says.
        every: seconds from one renewal to the next.
    """

    settings: Settings
    leads: Callable[[], bool]
    ip: Callable[[Sequence[str]], str] = lambda words: run(["ip", *words])
    every: float = EVERY
    _card: str = ""

    async def keep(self, stop: asyncio.Event) -> None:
        """Keep it until told to stop, or cancelled; then it is gone.

        Raises:
            NoInterfaceError: no card of this machine can have it.
        """
        try:
            while not stop.is_set():
                await asyncio.to_thread(self.renew)
                with suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), self.every)
        finally:
            self._remove()

    def renew(self) -> None:
        """Have it for some seconds more, if we may.

        Raises:
            NoInterfaceError: no card of this machine can have it.
        """
        commands = renewal(self.ip(("-j", "address", "show")), self.settings)
        card = commands[-1][4]
        if not self.leads():
            return
        for command in commands:
            self.ip(command)
        if card != self._card:
            log.info("%s is on %s", with_length(self.settings), card)
        self._card = card

    def _remove(self) -> None:
        if not self._card:
            return
        try:
            self.ip(("address", "delete", with_length(self.settings), "dev", self._card))
            log.info("%s has left %s", self.settings.provisioning_ip, self._card)
        except CommandFailed as error:
            # It may have expired, or the card may be gone. The kernel sees to the rest.
            log.warning(
                "%s was not taken from %s: %s", with_length(self.settings), self._card, error
            )
