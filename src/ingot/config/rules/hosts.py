"""The servers: names, MAC addresses, BMCs, boot modes and disks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ingot.config.model import BootMode, Host, InstallConfig
from ingot.config.problem import at, error
from ingot.config.reading import quoted
from ingot.config.registry import Findings, check, declare, retire
from ingot.config.rules.names import NAME_FORM, is_subdomain

declare("X1", "bootMACAddress is a unicast MAC address of the form XX:XX:XX:XX:XX:XX.")
declare("X2", "A host's role is master or worker, or none.", note="Upstream: a typo means none.")
declare(
    "X3",
    "A BMC address has a scheme that is supported today, and a valid host, port and path.",
    note="Upstream checks with a table of 2023, which has gained one scheme and lost six since.",
)
retire("R17", reason="hosts are checked once, when the file is loaded (B4 to B9).")

DEVICE = re.compile(r"/dev/(disk/by-path/)?[^/\s]+")
RESERVED_NAMES = ("api", "api-int", "apps", "bootstrap", "localhost")


def _hosts(config: InstallConfig) -> Iterator[tuple[int, Host]]:
    return enumerate(config.baremetal.hosts)


def _label(index: int, host: Host) -> str:
    return f"host {quoted(host.name)}" if host.name else f"host number {index + 1}"


def _repeated(
    config: InstallConfig, key: Callable[[Host], str | None]
) -> Iterator[tuple[int, Host, str]]:
    """Return each host whose key an earlier host has, with the label of that earlier host."""
    first: dict[str, str] = {}
    for index, host in _hosts(config):
        value = key(host)
        if value and value in first:
            yield index, host, first[value]
        elif value:
            first[value] = _label(index, host)


@check(
    "B5",
    "Each host has a name and a bootMACAddress of its own.",
    note="MAC addresses are compared in any letter case.",
)
def hosts_are_told_apart(config: InstallConfig) -> Findings:
    for index, host in _hosts(config):
        if not host.name:
            yield error(
                at("hosts", index, "name"),
                f"{_label(index, host)} has no name",
                "name it: the node is called so too",
            )
        if not host.boot_mac_address:
            yield error(
                at("hosts", index, "bootMACAddress"),
                f"{_label(index, host)} has no bootMACAddress",
                "add the MAC address of the card it boots from",
            )
    for index, host, _ in _repeated(config, lambda host: host.name):
        yield error(
            at("hosts", index, "name"),
            f"a second host is called {quoted(host.name)}",
            "give each host a name of its own",
        )
    for index, host, other in _repeated(config, lambda host: host.boot_mac_address):
        yield error(
            at("hosts", index, "bootMACAddress"),
            f"bootMACAddress {host.boot_mac_address} is also that of {other}",
            "give each host its own card's address",
        )


@check(
    "B9",
    "A host's name is a DNS name in lower case.",
    note="Each part has at most 63 characters, as DNS demands; upstream limits the whole only.",
)
def host_names_are_dns_names(config: InstallConfig) -> Findings:
    for index, host in _hosts(config):
        if host.name and not is_subdomain(host.name):
            yield error(
                at("hosts", index, "name"),
                f"host name {quoted(host.name)} is not a DNS name",
                f"use {NAME_FORM}",
            )


@check(
    "X16",
    "No host is called by a name that is taken: api, api-int, apps, bootstrap, localhost.",
    note="Upstream lets it pass; the node's DNS record then hides the VIP's.",
)
def host_names_are_free(config: InstallConfig) -> Findings:
    for index, host in _hosts(config):
        if host.name in RESERVED_NAMES:
            yield error(
                at("hosts", index, "name"),
                f"{host.name!r} is a name that the cluster uses itself",
                "choose another name for the host",
            )


@check("B6", "bootMode is known, and secure boot is asked only of BMCs that can set it.")
def secure_boot_is_supported(config: InstallConfig) -> Findings:
    for index, host in _hosts(config):
        bmc = host.bmc.address
        if host.boot_mode is BootMode.UEFI_SECURE_BOOT and bmc is not None:
            if bmc.traits.supports_secure_boot:
                continue
            yield error(
                at("hosts", index, "bootMode"),
                f"{_label(index, host)} asks for secure boot, which {bmc.scheme} cannot set",
                "use a Redfish address, or bootMode UEFI",
            )


@check(
    "B7",
    "rootDeviceHints.deviceName is a device in /dev or /dev/disk/by-path, and no size is negative.",
    note="Upstream does not look at minSizeGigabytes.",
)
def root_device_is_a_device(config: InstallConfig) -> Findings:
    for index, host in _hosts(config):
        hints = host.root_device_hints
        path = at("hosts", index, "rootDeviceHints")
        if hints is None:
            continue
        if hints.device_name and not DEVICE.fullmatch(hints.device_name):
            yield error(
                (*path, "deviceName"),
                f"deviceName {quoted(hints.device_name)} is not directly in /dev or "
                "/dev/disk/by-path",
                "write it as /dev/disk/by-path/… (stable) or /dev/sda",
            )
        if hints.min_size_gigabytes is not None and hints.min_size_gigabytes < 0:
            yield error(
                (*path, "minSizeGigabytes"),
                f"minSizeGigabytes is {hints.min_size_gigabytes}",
                "write 0 or more",
            )


@check(
    "R14",
    "Each host's BMC has an address of its own, a username and a password.",
    note="Addresses are compared by what they lead to, not by their spelling.",
)
def bmcs_are_complete(config: InstallConfig) -> Findings:
    for index, host in _hosts(config):
        for name, value in (
            ("address", host.bmc.address),
            ("username", host.bmc.username),
            ("password", host.bmc.password),
        ):
            if value is None:
                yield error(
                    at("hosts", index, "bmc", name),
                    f"{_label(index, host)} has no bmc.{name}",
                    f"add `{name}` under `bmc`",
                )
    for index, host, other in _repeated(config, _bmc_identity):
        yield error(
            at("hosts", index, "bmc", "address"),
            f"{_label(index, host)} has the same BMC as {other}",
            "give each host its own BMC address",
        )


def _bmc_identity(host: Host) -> str | None:
    return host.bmc.address.identity if host.bmc.address else None


@check(
    "R7",
    "Without a provisioning network, every BMC can boot its host by virtual media or UEFI HTTP.",
    needs=(at("provisioningNetwork"),),
    note="That the address itself is right is X3's to tell, whatever the network.",
)
def bmcs_boot_without_provisioning_network(config: InstallConfig) -> Findings:
    if config.baremetal.has_provisioning_network:
        return
    for index, host in _hosts(config):
        bmc = host.bmc.address
        if bmc is not None and bmc.traits.needs_provisioning_network:
            yield error(
                at("hosts", index, "bmc", "address"),
                f"{_label(index, host)} boots by PXE with {bmc.scheme}, "
                "and provisioningNetwork is Disabled",
                "use redfish-virtualmedia or its like, or a provisioning network",
            )


@check(
    "X25",
    "A redfish-uefihttp address names its system by a path.",
    note="Ironic is always told the system there, and refuses an empty one.",
)
def uefi_http_names_its_system(config: InstallConfig) -> Findings:
    for index, host in _hosts(config):
        bmc = host.bmc.address
        if bmc is not None and bmc.traits.always_names_system and not bmc.path:
            yield error(
                at("hosts", index, "bmc", "address"),
                f"{_label(index, host)} has a {bmc.scheme} address without a path",
                "append the system's path, such as /redfish/v1/Systems/1",
            )


@check(
    "X17",
    "The bootstrap VM's MAC addresses are not those of a host.",
    note="Upstream compares the VM's two with each other only.",
)
def bootstrap_macs_are_free(config: InstallConfig) -> Findings:
    platform = config.baremetal
    owners = {host.boot_mac_address: _label(index, host) for index, host in _hosts(config)}
    for name, mac in (
        ("externalMACAddress", platform.external_mac_address),
        ("provisioningMACAddress", platform.provisioning_mac_address),
    ):
        if mac and mac in owners:
            yield error(
                at(name),
                f"{name} {mac} is also the boot MAC of {owners[mac]}",
                "choose another, or leave it out to have one made up",
            )
