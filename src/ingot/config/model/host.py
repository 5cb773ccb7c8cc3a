"""`platform.baremetal.hosts[]`: one server, its BMC and its disks."""

from __future__ import annotations

from typing import Annotated

from ingot.bmc.address import BmcAddress
from ingot.config.model.section import HIDDEN, Deprecated, NotYet, Section
from ingot.config.model.words import BootMode, Role
from ingot.config.reading import MacAddress, bmc_address, choice, mac, secret
from ingot.config.secret import Secret

__all__ = ["Bmc", "BootMode", "Host", "RootDeviceHints"]


class Bmc(Section):
    """How a server's management controller is reached."""

    address: Annotated[BmcAddress | None, bmc_address("X3")] = None
    """Where the BMC is, and which protocol it speaks, such as
    `redfish-virtualmedia://192.0.2.11/redfish/v1/Systems/1`."""

    username: Annotated[Secret | None, secret("X19")] = None
    """The BMC user."""

    password: Annotated[Secret | None, secret("X19")] = None
    """The BMC user's password."""

    disable_certificate_verification: bool = False
    """Whether any TLS certificate of the BMC is accepted. Prefer `bmcVerifyCA`."""


class RootDeviceHints(Section):
    """Which disk the operating system is written to; a disk must match every hint given."""

    device_name: str = ""
    """A device such as `/dev/sda`, or better one under `/dev/disk/by-path/`: names such as
    `/dev/sda` may change from boot to boot."""

    hctl: str = ""
    """The SCSI address, such as `0:0:0:0`."""

    model: str = ""
    """A part of the disk's model name."""

    vendor: str = ""
    """A part of the disk's vendor name."""

    serial_number: str = ""
    """The disk's serial number, whole."""

    min_size_gigabytes: int | None = None
    """The least size of the disk, in gigabytes."""

    wwn: str = ""
    """The disk's world wide name."""

    wwn_with_extension: str = ""
    """The world wide name with the vendor's extension appended."""

    wwn_vendor_extension: str = ""
    """The vendor's extension alone."""

    rotational: bool | None = None
    """Whether the disk spins."""


class Host(Section):
    """One server."""

    name: str = ""
    """The server's name, which becomes the node's. Unique, lower case, a DNS name."""

    role: Annotated[Role, choice("X2", Role, unlisted=("arbiter",))] = Role.NONE
    """What the server becomes. Servers without a role fill the gaps, in the order of the list:
    control plane first."""

    bmc: Bmc = Bmc()
    """The server's management controller."""

    boot_mac_address: Annotated[MacAddress | None, mac("X1")] = None
    """The MAC address of the network card the server boots from: the one on the provisioning
    network, or on the external network when there is none."""

    hardware_profile: Annotated[str, Deprecated("rootDeviceHints")] = ""
    """An obsolete way to name the kind of hardware. It has no effect."""

    boot_mode: Annotated[BootMode, choice("B6", BootMode)] = BootMode.UEFI
    """How the server's firmware boots."""

    root_device_hints: RootDeviceHints | None = None
    """Which disk to write to. Without hints, the smallest suitable one is taken."""

    network_config: Annotated[object, HIDDEN] = None
    """The server's network in nmstate form, for servers without DHCP: a mapping with
    `interfaces`, `dns-resolver` and `routes`."""

    bgp_peers: Annotated[
        object, HIDDEN, NotYet("U4", "virtual IPs announced by BGP are not built yet")
    ] = None
    """BGP peers of this server alone."""
