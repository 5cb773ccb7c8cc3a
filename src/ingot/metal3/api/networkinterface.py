"""What a server's network card should be connected to."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from ingot.kube.crd.wire import WIRE
from ingot.metal3.api.references import AttachmentReference
from ingot.metal3.api.wire import MAC_EXACTLY

__all__ = ["NetworkInterface", "SwitchPort"]


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class SwitchPort:
    """A port of a switch."""

    switch_id: Annotated[str, Field(alias="switchID"), MAC_EXACTLY]
    """The switch, by its MAC address."""

    port_id: Annotated[str, Field(alias="portID")]
    """The port, as the switch names it."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class NetworkInterface:
    """A network card, by its name or by its MAC address, and the other end of its cable."""

    name: Annotated[str, Field(pattern=r"^[a-zA-Z0-9._-]+$")] | None = None
    """The card's name, as inspection found it."""

    mac_address: Annotated[str, MAC_EXACTLY] | None = None
    """The card's MAC address."""

    host_network_attachment: AttachmentReference | None = None
    """The HostNetworkAttachment that says how the switch's port is set up."""

    switch_port: SwitchPort | None = None
    """The switch's port, where inspection cannot find it."""
