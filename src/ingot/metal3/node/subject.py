"""What a host is for Ironic: who it is, how it is reached and booted, and where it stands."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address
from typing import Final

from ingot.bmc.address import BmcAddress
from ingot.ironic.document import Json
from ingot.ironic.node import NodeId
from ingot.ironic.version import ABORT_DEPLOY, DISABLE_POWER_OFF, Microversion
from ingot.metal3.api.baremetalhost import InspectionMode
from ingot.metal3.api.bootmode import BootMode

__all__ = ["Credentials", "PersistentBoot", "Ramdisk", "Site", "Subject"]

NODES: Final = uuid.UUID("5a1f2b0e-7c53-4a4e-9d8e-3f1d7a4c6b20")
"""The space of our nodes' UUIDs. Any constant would do, but it must never change."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """Who we are for a BMC."""

    username: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ramdisk:
    """What the agent is booted from: an ISO, or a kernel with its initrd.

    Attributes:
        kernel_params: what to add to the kernel's command line.
    """

    iso: str = ""
    kernel: str = ""
    initrd: str = ""
    kernel_params: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersistentBoot:
    """Whether a boot device is set for good, in Ironic's words: Default, Always, Never."""

    image: str = "Default"
    live_iso: str = "Default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """What holds for all hosts.

    Attributes:
        version: the version of Ironic's API that is spoken.
        ramdisk: for hosts that have none of their own; an ISO and a kernel may both be given.
        external_url_v6: where BMCs with an IPv6 address fetch images from.
        provisioning_network: whether hosts can boot over the network.
        driver: a driver in place of each host's own. `fake-hardware` makes a site without servers.
    """

    version: Microversion = ABORT_DEPLOY
    ramdisk: Ramdisk = Ramdisk()
    external_url_v6: str = ""
    provisioning_network: bool = True
    persistent_boot: PersistentBoot = PersistentBoot()
    driver: str | None = None

    @property
    def can_abort_deploy(self) -> bool:
        """Whether a deployment that waits for its agent can be aborted."""
        return self.version >= ABORT_DEPLOY

    @property
    def can_disable_power_off(self) -> bool:
        """Whether Ironic can be told never to power a server off."""
        return self.version >= DISABLE_POWER_OFF


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A host, as far as Ironic has to know it.

    Attributes:
        uid: the host's own identifier, which its node's is made from.
        credentials: None where they are lost. A host can still be removed then.
        resolved: the BMC's IP address, where its address has a name instead.
        boot_mac: of the network card that it boots from.
        nics: MAC addresses of all its network cards, as far as known.
        ramdisk: made for this host; None takes the site's.
        network_data: for the ramdisk, where no image was made with it.
    """

    namespace: str
    name: str
    uid: str
    bmc: BmcAddress
    credentials: Credentials | None
    verify_certificate: bool = True
    resolved: IPv4Address | IPv6Address | None = None
    boot_mac: str | None = None
    nics: tuple[str, ...] = ()
    boot_mode: BootMode = BootMode.UEFI
    architecture: str = ""
    inspection: InspectionMode = InspectionMode.AGENT
    automated_clean: bool = True
    disable_power_off: bool = False
    ramdisk: Ramdisk | None = None
    network_data: Mapping[str, Json] | None = None
    site: Site = Site()

    @property
    def node_name(self) -> str:
        """What the node is called."""
        return f"{self.namespace}~{self.name}"

    @property
    def node_id(self) -> NodeId:
        """The UUID that a new node gets.

        It follows from the host's own, so a call to create it whose answer was lost finds the node
        when it is made again, and calls about it may follow without waiting for the answer.
        """
        return NodeId(str(uuid.uuid5(NODES, self.uid)))

    @property
    def bmc_has_ipv6(self) -> bool:
        """Whether the BMC is reached by IPv6."""
        return isinstance(self.bmc.ip or self.resolved, IPv6Address)

    @property
    def boot_address(self) -> str | None:
        """The boot MAC address as Ironic writes it."""
        return self.boot_mac.lower() if self.boot_mac else None
