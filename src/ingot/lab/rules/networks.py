"""The lab's networks, and the addresses that were asked for in them."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network
from itertools import combinations

from ingot.config.problem import Path, error
from ingot.config.reading import IPV4, IPAddress, IPNetwork
from ingot.lab import addressing
from ingot.lab.outline import MAX_HOSTS, Outline
from ingot.lab.rules.registry import Findings, rule

EXTERNAL: Path = ("networks", "external")
PROVISIONING: Path = ("networks", "provisioning")
OUT_OF_BAND: Path = ("networks", "outOfBand")


def _given(lab: Outline) -> Iterator[tuple[str, Path, IPNetwork]]:
    said = lab.said.networks
    default = addressing.PROVISIONING if lab.has_provisioning else None
    for name, path, network in (
        ("provisioning", PROVISIONING, said.provisioning or default),
        ("external", EXTERNAL, said.external),
        ("out-of-band", OUT_OF_BAND, said.out_of_band),
    ):
        if network is not None:
            yield name, path, network


@rule("L9", "Networks are IPv4.")
def networks_are_ipv4(lab: Outline) -> Findings:
    for name, path, network in _given(lab):
        if network.version != IPV4:
            yield error(
                path, f"the {name} network {network} is IPv6", "use IPv4: labs have nothing else"
            )


@rule("L10", "No two networks overlap, nor one of them the cluster's pods or services.")
def networks_are_apart(lab: Outline) -> Findings:
    given = list(_given(lab))
    for (name, _, network), (other_name, path, other) in combinations(given, 2):
        if network.overlaps(other):
            yield error(
                path,
                f"the {other_name} network {other} overlaps the {name} network {network}",
                "choose networks that share no address",
            )
    for name, path, network in given:
        for what, reserved in (
            ("pods", addressing.CLUSTER_NETWORK),
            ("services", addressing.SERVICE_NETWORK),
        ):
            if network.overlaps(reserved):
                yield error(
                    path,
                    f"the {name} network {network} overlaps {reserved}, where the cluster's "
                    f"{what} are",
                    "choose another network, such as 192.168.120.0/24",
                )


@rule("L11", "Each network has room for the hosts.")
def networks_have_room(lab: Outline) -> Findings:
    hosts = len(lab.hosts)
    said = lab.said.networks
    if hosts > MAX_HOSTS:
        return  # L7
    provisioning = said.provisioning or addressing.PROVISIONING
    for name, path, network, room in (
        ("external", EXTERNAL, said.external or addressing.EXTERNALS[0], addressing.external_room),
        ("provisioning", PROVISIONING, provisioning, addressing.provisioning_room),
        (
            "out-of-band",
            OUT_OF_BAND,
            said.out_of_band or addressing.OUT_OF_BANDS[0],
            addressing.out_of_band_room,
        ),
    ):
        if name == "provisioning" and not lab.has_provisioning:
            continue
        if isinstance(network, IPv4Network) and room(network) < hosts:
            yield error(
                path,
                f"the {name} network {network} has room for {max(room(network), 0)} hosts, and "
                f"there are {hosts}",
                "use a larger network, or fewer hosts",
            )


@rule("L12", "provisioningNetwork disabled goes without networks.provisioning.")
def disabled_has_no_network(lab: Outline) -> Findings:
    if not lab.has_provisioning and lab.said.networks.provisioning is not None:
        yield error(
            PROVISIONING,
            "networks.provisioning is given, and provisioningNetwork is disabled",
            "remove one of them",
        )


@rule(
    "L13",
    "An address that is asked for lies in its network, which is then asked for as well, and is no "
    "gateway, network or broadcast address.",
)
def addresses_are_in_their_networks(lab: Outline) -> Findings:
    for path, what, one in _asked(lab):
        name = "outOfBand" if _is_bmc(path) else "external"
        said = lab.said.networks
        network = said.out_of_band if _is_bmc(path) else said.external
        if network is None:
            yield error(
                path,
                f"{what} {one} is asked for, and networks.{name} is not",
                f"add networks.{name}: without it, the lab takes a network that is free",
            )
        elif one not in network:
            yield error(
                path, f"{what} {one} is not in networks.{name} {network}", "choose one of it"
            )
        elif one in (network.network_address, network.broadcast_address):
            yield error(path, f"{what} {one} is the network or broadcast address", "choose another")
        elif one == network[1]:
            yield error(path, f"{what} {one} is the lab's own address there", "choose another")


@rule("L14", "Each address that is asked for is asked for once, and no host has a VIP.")
def addresses_are_told_apart(lab: Outline) -> Findings:
    said = lab.said.networks
    owners: dict[IPAddress, str] = {}
    if isinstance(said.external, IPv4Network) and addressing.external_room(said.external) > 0:
        if said.api_vip is None:
            owners[addressing.api_vip(said.external)] = "the API VIP"
        if said.ingress_vip is None:
            owners[addressing.ingress_vip(said.external)] = "the ingress VIP"
    for path, what, one in _asked(lab):
        if one in owners:
            yield error(path, f"{what} {one} is also that of {owners[one]}", "choose another")
        owners.setdefault(one, what)


def _asked(lab: Outline) -> Iterator[tuple[Path, str, IPAddress]]:
    said = lab.said.networks
    for path, what, one in (
        (("networks", "apiVIP"), "the API VIP", said.api_vip),
        (("networks", "ingressVIP"), "the ingress VIP", said.ingress_vip),
    ):
        if one is not None:
            yield path, what, one
    for host in lab.hosts:
        if host.said.address is not None:
            yield (*host.path, "address"), f"the address of {host.label}", host.said.address
        if host.said.bmc.address is not None:
            what = f"the BMC address of {host.label}"
            yield (*host.path, "bmc", "address"), what, host.said.bmc.address


def _is_bmc(path: Path) -> bool:
    return "bmc" in path
