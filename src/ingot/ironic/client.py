"""The client of one Ironic: everything that can be asked of it, over one pool of connections."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Self

from ingot.ironic.access import Access
from ingot.ironic.bmc import Bmc
from ingot.ironic.document import Json, members, text
from ingot.ironic.driving import Driving
from ingot.ironic.hardware import Hardware
from ingot.ironic.lanes import Speed
from ingot.ironic.nodes import Nodes
from ingot.ironic.ports import Ports
from ingot.ironic.transport import Limits, Transport
from ingot.ironic.version import Microversion

__all__ = ["Ironic", "Readiness"]


@dataclass(frozen=True, slots=True)
class Readiness:
    """What a running Ironic offers.

    Attributes:
        version: the version of its API that is spoken.
        drivers: the hardware types that it can drive. Without any, its conductor is not up yet.
    """

    version: Microversion
    drivers: frozenset[str]

    @property
    def is_ready(self) -> bool:
        """Whether nodes can be driven."""
        return bool(self.drivers)


class Ironic:
    """A client; used as `async with Ironic(access) as ironic`."""

    def __init__(self, access: Access, limits: Limits | None = None) -> None:
        self._transport = Transport(access, limits)
        self.nodes = Nodes(self._transport)
        """Nodes as records."""
        self.driving = Driving(self._transport)
        """What is done to servers."""
        self.ports = Ports(self._transport)
        """Their network cards."""
        self.hardware = Hardware(self._transport)
        """What is known of them."""
        self.bmc = Bmc(self._transport)
        """What is passed on to their BMCs."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._transport.__aexit__(kind, error, trace)

    async def version(self) -> Microversion:
        """Return the version of the API that is spoken."""
        return await self._transport.version()

    async def readiness(self) -> Readiness:
        """Return whether nodes can be driven.

        It is told by the drivers. A conductor's `alive` was rejected: on SQLite, conductors keep no
        heartbeat, and all are shown as dead.
        """
        drivers = await self._transport.call("GET", "/drivers", read=_names, speed=Speed.LISTING)
        return Readiness(await self.version(), drivers)


def _names(answer: Json) -> frozenset[str]:
    return frozenset(text(driver, "name") for driver in members(answer, "drivers"))
