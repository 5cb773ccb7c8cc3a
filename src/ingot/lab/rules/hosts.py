"""The hosts: names, roles, what each is made of, and how it is booted."""

from __future__ import annotations

from urllib.parse import urlsplit

from ingot.config.problem import Path, error
from ingot.config.reading import quoted
from ingot.config.rules.names import NAME_FORM, is_subdomain
from ingot.lab.outline import AGENT_MEMORY_MIB, Card, HostOutline, Outline
from ingot.lab.rules.registry import Findings, rule
from ingot.lab.words import BmcKind, DriverKind, Wire

MAX_NAME = 40
"""Of a host. Its full name in DNS and in certificates has the cluster's behind it."""

RESERVED_NAMES = ("api", "api-int", "apps", "bootstrap", "localhost")
MAX_MEMORY_MIB = 1 << 20
MAX_CPUS = 64
MAX_DISKS, MAX_DISK_GIB = 8, 16 * 1024
LEAST_DISK_GIB = 5
"""The image takes 3.4 GB, and what runs from it pulls and logs."""

MAX_CARDS = 8


@rule("L15", "Each host has a name of its own, a DNS label that the cluster does not use itself.")
def hosts_are_told_apart(lab: Outline) -> Findings:
    seen: set[str] = set()
    for index, host in enumerate(lab.said.hosts):
        path = ("hosts", index, "name")
        name = host.name
        if not name:
            yield error(path, f"host number {index + 1} has no name", "name it")
        elif "." in name or len(name) > MAX_NAME or not is_subdomain(name):
            yield error(
                path,
                f"a host cannot be called {quoted(name)}",
                f"use at most {MAX_NAME} {NAME_FORM}",
            )
        elif name in RESERVED_NAMES:
            yield error(path, f"{name!r} is a name that the cluster uses itself", "choose another")
        elif name in seen:
            yield error(
                path,
                f"a second host is called {quoted(name)}",
                "give each host a name of its own",
            )
        seen.add(name)


@rule("L16", "Each host that is listed has a role.")
def hosts_have_roles(lab: Outline) -> Findings:
    for host in lab.hosts:
        if host.role is None:
            yield error(
                (*host.path, "role"),
                f"{host.label} has no role",
                "write control-plane, worker or spare",
            )


@rule("L17", "A host has at least 2048 MiB of memory: the agent that installs it runs from memory.")
def hosts_have_memory(lab: Outline) -> Findings:
    for host in lab.hosts:
        least = AGENT_MEMORY_MIB
        if host.memory_mib < least:
            yield error(
                host.memory_path,
                f"{host.memory_mib} MiB of memory are too little for {host.label}: the agent that "
                f"installs it runs from memory, and needs {least} MiB with its ramdisk",
                f"write {least} or more; memory is taken from this PC only as it is used",
            )
        elif host.memory_mib > MAX_MEMORY_MIB:
            yield error(
                host.memory_path,
                f"{host.memory_mib:,} MiB of memory for {host.label} are over a TiB",
                "write it in MiB",
            )


@rule("L18", "A host has at least one processor; in uml exactly one.")
def hosts_have_processors(lab: Outline) -> Findings:
    for host in lab.hosts:
        if not 1 <= host.cpus <= MAX_CPUS:
            yield error(
                host.cpus_path,
                f"{host.label} cannot have {host.cpus} processors",
                f"write 1 to {MAX_CPUS}",
            )
        elif host.driver is DriverKind.UML and host.cpus > 1:
            yield error(
                host.cpus_path,
                f"{host.label} is to have {host.cpus} processors, and User-Mode Linux has one",
                "write 1, leave cpus out, or use the driver libvirt",
            )


@rule("L19", "A host has 1 to 8 disks, and the first has 5 GiB or more for the image.")
def hosts_have_disks(lab: Outline) -> Findings:
    for host in lab.hosts:
        path, disks = host.disks_path, host.disks_gib
        if len(disks) > MAX_DISKS:
            yield error(path, f"{host.label} is to have {len(disks)} disks", f"keep to {MAX_DISKS}")
        for number, size in enumerate(disks):
            where = (*path, number) if path[-1:] == ("disksGiB",) else path
            if not 1 <= size <= MAX_DISK_GIB:
                yield error(
                    where, f"a disk cannot have {size:,} GiB", f"write 1 to {MAX_DISK_GIB:,}"
                )
            elif number == 0 and size < LEAST_DISK_GIB:
                yield error(
                    where,
                    f"the first disk of {host.label} has {size} GiB, too little for the image and "
                    "what runs from it",
                    f"write {LEAST_DISK_GIB} or more; a disk takes only what is written to it",
                )


@rule(
    "L20",
    "A host's first card is on the provisioning network where there is one, and one is on the "
    "external network; no MAC address is used twice.",
)
def hosts_have_cards(lab: Outline) -> Findings:
    owners: dict[str, str] = {}
    for host in lab.hosts:
        yield from _cards_fit(lab, host)
        for card in host.cards:
            if card.mac is None:
                continue
            if card.path[0] == "defaults":
                yield error(
                    (*card.path, "mac"),
                    f"{card.mac} would be the MAC address of every host",
                    "give MAC addresses in hosts",
                )
            elif card.mac in owners:
                yield error(
                    (*card.path, "mac"),
                    f"MAC address {card.mac} of {host.label} is also that of {owners[card.mac]}",
                    "give each card its own",
                )
            owners.setdefault(card.mac, host.label)


def _cards_fit(lab: Outline, host: HostOutline) -> Findings:
    cards = host.cards
    above = cards[0].path[:-1] if cards[0].path != host.path else host.path
    if len(cards) > MAX_CARDS:
        yield error(above, f"{host.label} is to have {len(cards)} cards", f"keep to {MAX_CARDS}")
    for card in cards:
        if card.wire is None:
            yield error(
                (*card.path, "network"),
                f"a card of {host.label} is on no network",
                "write provisioning or external",
            )
        elif card.wire is Wire.PROVISIONING and not lab.has_provisioning:
            yield error(
                (*card.path, "network"),
                f"a card of {host.label} is on the provisioning network, and there is none",
                "remove it, or set provisioningNetwork to managed or unmanaged",
            )
    wires = [card.wire for card in cards]
    if None in wires:
        return
    if lab.has_provisioning and wires[0] is not Wire.PROVISIONING:
        yield error(
            _place(cards[0]),
            f"the first card of {host.label} is not on the provisioning network, where it boots",
            "put that card first",
        )
    if Wire.EXTERNAL not in wires:
        yield error(above, f"{host.label} has no card on the external network", "add one")


def _place(card: Card) -> Path:
    return (*card.path, "network")


@rule("L21", "Without a provisioning network, every BMC boots its host by virtual media.")
def bmcs_boot_without_provisioning(lab: Outline) -> Findings:
    if lab.has_provisioning:
        return
    for host in lab.hosts:
        if host.bmc is not BmcKind.REDFISH_VIRTUALMEDIA:
            yield error(
                host.bmc_path,
                f"{host.label} boots over the provisioning network with {host.bmc}, and there is "
                "none",
                "use redfish-virtualmedia, or a provisioning network",
            )


@rule("L25", "libvirtURI is an absolute URI, and only hosts of the driver libvirt have one.")
def libvirt_uris_are_used(lab: Outline) -> Findings:
    places: list[tuple[Path, str, bool]] = [(("libvirtURI",), lab.said.libvirt_uri, True)]
    places += [
        ((*host.path, "libvirtURI"), host.said.libvirt_uri, host.driver is DriverKind.LIBVIRT)
        for host in lab.hosts
    ]
    for path, uri, is_used in places:
        if uri and not _is_absolute(uri):
            yield error(
                path,
                f"libvirtURI {quoted(uri)} is not an absolute URI",
                "write it as qemu:///system or qemu+ssh://user@host/system",
            )
        elif uri and not is_used:
            yield error(
                path,
                "libvirtURI is given for a host that uml runs",
                "add `driver: libvirt`, or remove it",
            )


def _is_absolute(uri: str) -> bool:
    try:
        return bool(urlsplit(uri).scheme)
    except ValueError:
        return False
