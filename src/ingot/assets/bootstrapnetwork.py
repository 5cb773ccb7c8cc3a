"""The bootstrap VM's two network cards, as files of systemd-networkd, found by their MACs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ingot.assets.ignition import MachineFile
from ingot.config.model import BareMetal, InstallConfig
from ingot.config.reading import IPV4, IPAddress, MacAddress

__all__ = ["BootstrapMacs", "bootstrap_macs", "network_files"]

QEMU = (0x52, 0x54, 0x00)
"""The beginning of MAC addresses that virtual machines are given."""


@dataclass(frozen=True, slots=True)
class BootstrapMacs:
    """The cards' MAC addresses.

    Attributes:
        external: on the machine network.
        provisioning: on the provisioning network; None where there is none.
    """

    external: MacAddress
    provisioning: MacAddress | None


def bootstrap_macs(config: InstallConfig, random: Callable[[int], bytes]) -> BootstrapMacs:
    """Return the MAC addresses that the config gives, or new ones."""
    platform = config.baremetal
    return BootstrapMacs(
        external=platform.external_mac_address or _made_up(random),
        provisioning=(platform.provisioning_mac_address or _made_up(random))
        if platform.has_provisioning_network
        else None,
    )


def network_files(config: InstallConfig, macs: BootstrapMacs) -> tuple[MachineFile, ...]:
    """Return the cards' configuration."""
    external = _file("10-ingot-external", macs.external, _external(config))
    if macs.provisioning is None:
        return (external,)
    provisioning = _file("10-ingot-provisioning", macs.provisioning, _provisioning(config))
    return (external, provisioning)


def _external(config: InstallConfig) -> list[str]:
    platform = config.baremetal
    address = platform.bootstrap_external_static_ip
    if address is None:
        return [
            "DHCP=yes",
            "IPv6AcceptRA=yes",
            "",
            "[DHCPv4]",
            "ClientIdentifier=mac",
            "UseHostname=no",
        ]
    lines = [f"Address={address}/{_length(config, address)}", "DHCP=no"]
    if platform.bootstrap_external_static_gateway is not None:
        lines.append(f"Gateway={platform.bootstrap_external_static_gateway}")
    if platform.bootstrap_external_static_dns is not None:
        lines.append(f"DNS={platform.bootstrap_external_static_dns}")
    return lines


def _provisioning(config: InstallConfig) -> list[str]:
    """Return an address and nothing else: our own DHCP server is on this network, or a user's."""
    platform: BareMetal = config.baremetal
    lines = ["DHCP=no", "IPv6AcceptRA=no", "LinkLocalAddressing=ipv6"]
    address, network = platform.bootstrap_provisioning_ip, platform.provisioning_network_cidr
    if address is not None and network is not None:
        lines.insert(0, f"Address={address}/{network.prefixlen}")
    return lines


def _length(config: InstallConfig, address: IPAddress) -> int:
    networks = config.networking.machine_cidrs
    usual = 24 if address.version == IPV4 else 64
    return next((network.prefixlen for network in networks if address in network), usual)


def _file(name: str, mac: MacAddress, lines: list[str]) -> MachineFile:
    head = ["[Match]", f"MACAddress={mac}", "Type=ether", "Kind=!*", "", "[Network]"]
    text = "\n".join((*head, *lines)) + "\n"
    return MachineFile(f"/etc/systemd/network/{name}.network", text.encode())


def _made_up(random: Callable[[int], bytes]) -> MacAddress:
    return MacAddress(":".join(f"{octet:02x}" for octet in (*QEMU, *random(3))))
