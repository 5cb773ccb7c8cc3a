"""What a description means where it is silent: every host by name, with what it is made of.

Nothing is chosen here that depends on the PC: addresses come with the plan. Each host knows where
in the file its parts were said, so that a rule can point there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, cycle, repeat

from ingot.config.problem import Path
from ingot.config.reading import IPAddress, MacAddress
from ingot.config.secret import Secret
from ingot.lab.description import (
    FaultDescription,
    HostDescription,
    LabDescription,
)
from ingot.lab.words import BmcChoice, BmcKind, DriverKind, ProvisioningMode, Role, Wire

__all__ = ["PREFIXES", "Card", "HostOutline", "Outline", "outline"]

PREFIXES = {Role.CONTROL_PLANE: "cp", Role.WORKER: "worker", Role.SPARE: "spare"}
FIELDS = {Role.CONTROL_PLANE: "controlPlane", Role.WORKER: "workers", Role.SPARE: "spares"}
COUNTS = {Role.CONTROL_PLANE: 3, Role.WORKER: 2, Role.SPARE: 0}
MAX_HOSTS = 200
"""Of a lab: what MAC addresses are numbered by, and more than any PC runs."""

DISKS_GIB = (20,)
LIBVIRT_MEMORY_MIB, LIBVIRT_CPUS = 4096, 2
CONTROL_PLANE_MEMORY_MIB, AGENT_MEMORY_MIB = 2560, 2048
"""In User-Mode Linux. The agent and its ramdisk take two of them up; a control plane that runs
comfortably has half a GiB more."""


@dataclass(frozen=True, slots=True)
class Card:
    """A network card, and where it was said."""

    path: Path
    wire: Wire | None
    mac: MacAddress | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostOutline:
    """One host.

    Attributes:
        path: where it was said that there is one.
        said: the host as it was described; an empty description of one that was made up.
        role: None where none was said.
    """

    path: Path
    said: HostDescription
    name: str
    role: Role | None
    driver: DriverKind
    libvirt_uri: str | None
    memory_mib: int
    memory_path: Path
    cpus: int
    cpus_path: Path
    disks_gib: tuple[int, ...]
    disks_path: Path
    cards: tuple[Card, ...]
    bmc: BmcKind
    bmc_path: Path
    username: Secret | None
    password: Secret | None
    faults: tuple[tuple[Path, FaultDescription], ...]

    @property
    def is_listed(self) -> bool:
        """Whether the file describes it."""
        return self.path[0] == "hosts"

    @property
    def address(self) -> IPAddress | None:
        """Its address on the external network, where one was asked for."""
        return self.said.address

    @property
    def label(self) -> str:
        """What messages call it."""
        return f"host {self.name!r}" if self.name else "a host without a name"


@dataclass(frozen=True, slots=True)
class Outline:
    """The lab with all its hosts: control plane first, then workers, then spares."""

    said: LabDescription
    hosts: tuple[HostOutline, ...]

    @property
    def mode(self) -> ProvisioningMode:
        """Who runs the provisioning network."""
        return self.said.provisioning_network

    @property
    def has_provisioning(self) -> bool:
        """Whether there is a provisioning network."""
        return self.mode is not ProvisioningMode.DISABLED

    @property
    def cluster_name(self) -> str:
        """The cluster's name."""
        return self.said.cluster_name or self.said.name


def outline(said: LabDescription, *, driver: DriverKind) -> Outline:
    """Complete a description.

    Args:
        said: the description.
        driver: what runs hosts where nothing is said.
    """
    kinds = _kinds(said)
    hosts = tuple(
        _host(said, path, one, role=role, driver=one.driver or said.driver or driver, bmc=kind)
        for (path, one, role), kind in zip(_described(said), kinds, strict=False)
    )
    return Outline(said, hosts)


def wanted(said: LabDescription, role: Role) -> int:
    """Return how many hosts of a role are asked for."""
    number = {
        Role.CONTROL_PLANE: said.control_plane,
        Role.WORKER: said.workers,
        Role.SPARE: said.spares,
    }[role]
    if number is not None:
        return number
    return sum(host.role is role for host in said.hosts) if said.hosts else COUNTS[role]


def _described(said: LabDescription) -> Iterator[tuple[Path, HostDescription, Role | None]]:
    """Return every host with its place: listed ones, and those made up to reach the numbers."""
    taken = {host.name for host in said.hosts}
    listed: list[tuple[Path, HostDescription]] = [
        (("hosts", index), host) for index, host in enumerate(said.hosts)
    ]
    for role, prefix in PREFIXES.items():
        mine = [(path, host) for path, host in listed if host.role is role]
        # A host that is called as one made up would be stands in its place.
        asked = min(wanted(said, role), MAX_HOSTS + 1)  # One too many is enough to be refused.
        names = {f"{prefix}-{number}": number for number in range(asked)}
        placed = {names[host.name]: (path, host) for path, host in mine if host.name in names}
        others = iter([(path, host) for path, host in mine if host.name not in names])
        for number in range(max(asked, len(mine))):
            found = placed.get(number) or next(others, None)
            if found is None:
                name = next(name for name in _names(prefix, number) if name not in taken)
                taken.add(name)
                found = ((FIELDS[role],), HostDescription(name=name))
            yield *found, role
    yield from ((path, host, None) for path, host in listed if host.role is None)


def _names(prefix: str, number: int) -> Iterator[str]:
    return (f"{prefix}-{one}" for one in count(number))


def _kinds(said: LabDescription) -> Iterator[BmcKind]:
    disabled = said.provisioning_network is ProvisioningMode.DISABLED
    if said.bmc is BmcChoice.MIXED:
        return cycle(BmcKind)
    default = BmcKind.REDFISH_VIRTUALMEDIA if disabled else BmcKind.REDFISH
    return repeat(BmcKind(said.bmc.value) if said.bmc else default)


def _host(
    said: LabDescription,
    path: Path,
    host: HostDescription,
    *,
    role: Role | None,
    driver: DriverKind,
    bmc: BmcKind,
) -> HostOutline:
    uml = driver is DriverKind.UML
    leading = role is Role.CONTROL_PLANE
    uml_memory = CONTROL_PLANE_MEMORY_MIB if leading else AGENT_MEMORY_MIB
    memory, cpus = uml_memory if uml else LIBVIRT_MEMORY_MIB, 1 if uml else LIBVIRT_CPUS
    common = said.defaults

    def place(field: str, *, own: bool, shared: bool) -> Path:
        if own:
            return (*path, field)
        return ("defaults", field) if shared else path

    return HostOutline(
        path=path,
        said=host,
        name=host.name,
        role=role,
        driver=driver,
        libvirt_uri=None if uml else host.libvirt_uri or said.libvirt_uri or None,
        memory_mib=_first(host.memory_mib, common.memory_mib, memory),
        memory_path=place(
            "memoryMiB", own=host.memory_mib is not None, shared=common.memory_mib is not None
        ),
        cpus=_first(host.cpus, common.cpus, cpus),
        cpus_path=place("cpus", own=host.cpus is not None, shared=common.cpus is not None),
        disks_gib=host.disks_gib or common.disks_gib or DISKS_GIB,
        disks_path=place("disksGiB", own=bool(host.disks_gib), shared=bool(common.disks_gib)),
        cards=_cards(said, path, host),
        bmc=host.bmc.kind or bmc,
        bmc_path=(*path, "bmc", "kind") if host.bmc.kind else ("bmc",),
        username=host.bmc.username or said.bmc_username,
        password=host.bmc.password or said.bmc_password,
        faults=_faults(said, path, host),
    )


def _first(*values: int | None) -> int:
    return next(value for value in values if value is not None)


def _cards(said: LabDescription, path: Path, host: HostDescription) -> tuple[Card, ...]:
    for above, nics in ((path, host.nics), (("defaults",), said.defaults.nics)):
        if nics:
            return tuple(
                Card((*above, "nics", number), nic.network, nic.mac)
                for number, nic in enumerate(nics)
            )
    wires = tuple(Wire)
    if said.provisioning_network is ProvisioningMode.DISABLED:
        wires = (Wire.EXTERNAL,)
    return tuple(Card(path, wire) for wire in wires)


def _faults(
    said: LabDescription, path: Path, host: HostDescription
) -> tuple[tuple[Path, FaultDescription], ...]:
    own = [((*path, "faults", number), fault) for number, fault in enumerate(host.faults)]
    elsewhere = [
        (("faults", number), fault)
        for number, fault in enumerate(said.faults)
        if host.name and fault.host == host.name
    ]
    return (*own, *elsewhere)
