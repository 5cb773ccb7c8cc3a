"""The bootstrap VM: where it runs, its cards and addresses; and the image for the servers."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from ingot.config.model import InstallConfig
from ingot.config.problem import Path, at, error
from ingot.config.reading import IPAddress, quoted
from ingot.config.registry import Findings, check, declare
from ingot.config.rules.networking import is_in_no_machine_network

SHA256 = re.compile(r"[0-9a-fA-F]{64}")
COMPRESSED = (".gz", ".xz", ".zst", ".bz2")

declare("X4", "The bootstrap VM's static address, gateway and name server are IP addresses.")


@check("R4", "The bootstrap VM's MAC addresses are unicast and differ.")
def bootstrap_macs_differ(config: InstallConfig) -> Findings:
    platform = config.baremetal
    mac = platform.provisioning_mac_address
    if mac is not None and mac == platform.external_mac_address:
        yield error(
            at("provisioningMACAddress"),
            f"provisioningMACAddress {mac} is also externalMACAddress",
            "give each of the bootstrap VM's cards its own",
        )


@check(
    "X26",
    "The bootstrap VM's two bridges differ.",
    note="Upstream lets one bridge serve both; DHCP then answers on the machine network.",
)
def bridges_differ(config: InstallConfig) -> Findings:
    platform = config.baremetal
    bridge = platform.provisioning_bridge
    if platform.has_provisioning_network and bridge == platform.external_bridge:
        yield error(
            at("provisioningBridge"),
            f"provisioningBridge {bridge!r} is also externalBridge",
            "name the bridge to the provisioning network, or set provisioningNetwork to Disabled",
        )


@check("R5", "libvirtURI is an absolute URI.")
def libvirt_uri_is_absolute(config: InstallConfig) -> Findings:
    try:
        scheme = urlsplit(config.baremetal.libvirt_uri).scheme
    except ValueError:
        scheme = ""
    if not scheme:
        yield error(
            at("libvirtURI"),
            f"libvirtURI {quoted(config.baremetal.libvirt_uri)} is not an absolute URI",
            "write it as qemu:///system or qemu+ssh://user@host/system",
        )


@check(
    "R6",
    "clusterOSImage is an http(s) URL of an image that is not compressed, with a sha256 of 64 "
    "hexadecimal digits.",
    note="Upstream takes .gz and .xz, which it unpacks first; here the image is written as it is. "
    "That it can be downloaded is looked at by the preflight. bootstrapOSImage has no effect.",
)
def os_image_is_a_checked_url(config: InstallConfig) -> Findings:
    text, path = config.baremetal.cluster_os_image, at("clusterOSImage")
    if not text:
        return
    try:
        url = urlsplit(text)
        host = url.hostname
    except ValueError:
        host = None
    if not host or url.scheme not in ("http", "https"):
        yield error(
            path,
            "clusterOSImage is not an http or https URL",
            "write it as https://host/image.qcow2?sha256=…",
        )
        return
    if url.path.endswith(COMPRESSED):
        yield error(
            path,
            "clusterOSImage is compressed, and nobody unpacks it",
            "put the image there unpacked, as .qcow2 or .raw, with the sha256 of that",
        )
    sums = parse_qs(url.query).get("sha256", [])
    if len(sums) != 1 or not SHA256.fullmatch(sums[0]):
        yield error(
            path,
            "clusterOSImage has no sha256 of 64 hexadecimal digits",
            "append ?sha256= and the checksum of the image",
        )


@check("R16", "The bootstrap VM's static address, gateway and name server are all given or none.")
def static_bootstrap_is_whole(config: InstallConfig) -> Findings:
    given = _static_bootstrap(config)
    missing = [path for path, address in given if address is None]
    if 0 < len(missing) < len(given):
        for path in missing:
            yield error(
                path,
                f"{path[-1]} is not given, and other parts of the bootstrap VM's network are",
                "give address, gateway and name server, or none of them",
            )


@check(
    "X5",
    "The bootstrap VM's static address and its gateway differ and lie in one machine network.",
    note="Upstream does not even parse them.",
)
def static_bootstrap_is_local(config: InstallConfig) -> Findings:
    (ip_path, address), (gateway_path, gateway), _ = _static_bootstrap(config)
    if address is None:
        return
    machine = config.networking.machine_cidrs
    home = next((network for network in machine if address in network), None)
    if is_in_no_machine_network(config, address):
        yield error(
            ip_path,
            f"bootstrapExternalStaticIP {address} is in no machine network",
            "choose a free address of a machine network",
        )
    elif gateway == address:
        yield error(
            gateway_path,
            f"bootstrapExternalStaticGateway {gateway} is the bootstrap VM's own address",
            "give the router's address",
        )
    elif gateway is not None and home is not None and gateway not in home:
        yield error(
            gateway_path,
            f"bootstrapExternalStaticGateway {gateway} is not in {home}, where the bootstrap VM is",
            "give the router's address on that network",
        )


def _static_bootstrap(config: InstallConfig) -> list[tuple[Path, IPAddress | None]]:
    platform = config.baremetal
    return [
        (at("bootstrapExternalStaticIP"), platform.bootstrap_external_static_ip),
        (at("bootstrapExternalStaticGateway"), platform.bootstrap_external_static_gateway),
        (at("bootstrapExternalStaticDNS"), platform.bootstrap_external_static_dns),
    ]
