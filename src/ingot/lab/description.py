"""What a user may say about a lab, in `lab.yaml` or by options; nothing of it need be said.

Every field carries its meaning as a docstring below it, from which the reference page is made.
Whether a value is right is said by the readings named here and by `ingot.lab.rules`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from ingot.config import reading
from ingot.config.model.section import Section
from ingot.config.reading import IPAddress, IPNetwork, MacAddress, quoted, unreadable
from ingot.config.secret import Secret
from ingot.config.spelling import nearest
from ingot.lab.faults.kind import FaultKind
from ingot.lab.words import BmcChoice, BmcKind, DriverKind, ProvisioningMode, Role, Wire

__all__ = [
    "BmcDescription",
    "CardDescription",
    "Defaults",
    "FaultDescription",
    "HostDescription",
    "HostFaultDescription",
    "LabDescription",
    "Networks",
    "fault_kind",
]

WORD, ADDRESS, SECRET, FAULT = "L1", "L2", "L3", "L22"
"""What a value that cannot be read breaks; see `ingot.lab.rules`."""


def fault_kind(value: object) -> object:
    """Read the name of a fault, offering the nearest one for a name that is none."""
    if not isinstance(value, str) or value in set(FaultKind):
        return value
    near = nearest(value, FaultKind)
    raise unreadable(
        FAULT,
        f"there is no fault {quoted(value)}",
        f"did you mean {near}?" if near else "choose one of `ingot lab fault kinds`",
    )


class FaultDescription(Section):
    """A fault that is there from the start."""

    kind: Annotated[FaultKind | None, BeforeValidator(fault_kind)] = None
    """Which one; [Faults](lab-faults.md) lists them."""

    rate: float | None = None
    """How likely each occasion is to be struck: more than 0, at most 1. Default: 1, always."""

    times: int | None = None
    """How many occasions are struck at most. Default: the fault's own, mostly without limit."""

    after: int | None = None
    """How many occasions are spared first. Default: none."""

    seed: int | None = None
    """Decides which occasions `rate` picks: the same seed picks the same. Default: 0."""

    amount: float | None = None
    """How much, in the fault's own unit."""


class HostFaultDescription(FaultDescription):
    """A fault with the host it is set on."""

    host: str = ""
    """The host's name."""


class CardDescription(Section):
    """A network card."""

    network: Annotated[Wire | None, reading.choice(WORD, Wire)] = None
    """Which network it is plugged into."""

    mac: Annotated[MacAddress | None, reading.mac(ADDRESS)] = None
    """Its address. Made up from the lab's name and the host's number when not given."""


class BmcDescription(Section):
    """A host's management controller."""

    kind: Annotated[BmcKind | None, reading.choice(WORD, BmcKind)] = None
    """How the install-config speaks to it. Every BMC speaks both Redfish and IPMI."""

    address: Annotated[IPAddress | None, reading.address(ADDRESS)] = None
    """Its address on the out-of-band network. The next free one when not given."""

    username: Annotated[Secret | None, reading.secret(SECRET)] = None
    """Its user; at most 16 characters, as IPMI demands. Default: `admin`."""

    password: Annotated[Secret | None, reading.secret(SECRET)] = None
    """The user's password; at most 20 characters, as IPMI demands. Made up when not given."""


class Defaults(Section):
    """What hosts are made of that do not say it themselves."""

    memory_mib: Annotated[int | None, Field(alias="memoryMiB")] = None
    """Memory. Default: 2560 for a uml control plane, 2048 for other uml hosts, 4096 for libvirt."""

    cpus: int | None = None
    """Processors. Default: 1 for uml, which has no more; 2 for libvirt."""

    disks_gib: Annotated[tuple[int, ...], Field(alias="disksGiB")] = ()
    """The size of each disk; the first is installed to. Files grow as they are written to.
    Default: one of 20."""

    nics: tuple[CardDescription, ...] = ()
    """The cards, the one that boots first. Default: one on each network."""


class HostDescription(Defaults):
    """One host."""

    name: str = ""
    """Its name, a DNS label."""

    role: Annotated[Role | None, reading.choice(WORD, Role)] = None
    """What it is meant for. A spare has no role in the install-config: it is there for when the
    cluster is scaled up."""

    driver: Annotated[DriverKind | None, reading.choice(WORD, DriverKind)] = None
    """What runs it. Default: the lab's."""

    libvirt_uri: str = ""
    """The libvirt that runs it, which may be on another machine. Default: the lab's."""

    address: Annotated[IPAddress | None, reading.address(ADDRESS)] = None
    """Its address on the external network. The next free one when not given."""

    bmc: BmcDescription = BmcDescription()
    """Its management controller."""

    faults: tuple[FaultDescription, ...] = ()
    """The faults that are set on it from the start."""


class Networks(Section):
    """The addresses of the lab. Several labs on one PC need different ones, and get them."""

    external: Annotated[IPNetwork | None, reading.network(ADDRESS)] = None
    """Where the nodes have their addresses. Default: `192.168.111.0/24`, or the next that is
    free."""

    provisioning: Annotated[IPNetwork | None, reading.network(ADDRESS)] = None
    """Where hosts boot from. Default: `172.22.0.0/24`; it is never seen outside the lab."""

    out_of_band: Annotated[IPNetwork | None, reading.network(ADDRESS)] = None
    """Where the BMCs are. Default: `192.168.151.0/24`, or the next that is free."""

    api_vip: Annotated[IPAddress | None, reading.address(ADDRESS)] = None
    """The virtual IP of the API. Default: the fifth address of the external network."""

    ingress_vip: Annotated[IPAddress | None, reading.address(ADDRESS)] = None
    """The virtual IP of ingress. Default: the sixth address of the external network."""


class LabDescription(Section):
    """A lab, as its user asks for it."""

    name: str = "lab"
    """What the lab is called in commands: a DNS label of at most 32 characters."""

    cluster_name: str = ""
    """The cluster's name in the install-config. Default: the lab's name."""

    base_domain: str = "ingot.test"
    """The DNS domain the cluster lives under; the lab's own name server answers for it."""

    driver: Annotated[DriverKind | None, reading.choice(WORD, DriverKind)] = None
    """What runs hosts. Default: `libvirt` where KVM and libvirt can be used, else `uml`."""

    libvirt_uri: str = ""
    """The libvirt that runs hosts. Default: one of the lab's own, on its own network."""

    bmc: Annotated[BmcChoice | None, reading.choice(WORD, BmcChoice)] = None
    """How the install-config speaks to BMCs; `mixed` gives each kind in turn. Default: `redfish`,
    or `redfish-virtualmedia` without a provisioning network."""

    provisioning_network: Annotated[ProvisioningMode, reading.choice(WORD, ProvisioningMode)] = (
        ProvisioningMode.MANAGED
    )
    """Who serves DHCP on the provisioning network: the installer (`managed`), the lab
    (`unmanaged`); or there is none (`disabled`), and hosts boot by virtual media."""

    control_plane: int | None = None
    """How many hosts are for the control plane: an odd number. Default: 3; where hosts are listed,
    as many as are listed."""

    workers: int | None = None
    """How many are for workers. Default: 2; where hosts are listed, as many as are listed."""

    spares: int | None = None
    """How many are kept for when the cluster is scaled up. Default: as many as are listed."""

    networks: Networks = Networks()
    """The addresses of the lab."""

    bmc_username: Annotated[Secret | None, reading.secret(SECRET)] = None
    """The user of BMCs that name none. Default: `admin`."""

    bmc_password: Annotated[Secret | None, reading.secret(SECRET)] = None
    """The password of BMCs that name none. Default: each has one of its own, made up."""

    defaults: Defaults = Defaults()
    """What hosts are made of that do not say it themselves."""

    hosts: tuple[HostDescription, ...] = ()
    """Hosts that differ from the rest. Those that the numbers above ask for beyond these are made
    up."""

    faults: tuple[HostFaultDescription, ...] = ()
    """Faults that are there from the start, by host."""
