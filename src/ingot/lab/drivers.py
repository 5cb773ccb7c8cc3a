"""What runs each host of a lab, and what a host's machine is made of.

The kernel and the fault shim of UML hosts lie in the lab's own folder: whatever happens to the
cache of artefacts, a lab keeps the hardware it was made with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ingot.lab.labs import Lab
from ingot.lab.outlets import has_outlets, outlet_bridge, tap
from ingot.lab.plan import HostPlan, LabPlan
from ingot.lab.words import DriverKind
from ingot.machine.driver import Driver
from ingot.machine.hypervisor import install_prefix
from ingot.machine.libvirt.service import LibvirtService
from ingot.machine.libvirt.virsh import Virsh
from ingot.machine.model import Disk, MachineSpec, Nic

__all__ = [
    "driver_by",
    "drivers_of",
    "has_own_libvirt",
    "host_namespaces",
    "install_driver",
    "kernel_file",
    "libvirt_folder",
    "machine_spec",
    "own_libvirt",
    "shim_file",
    "virsh_of",
]

GIB = 1 << 30


def kernel_file(lab: Lab) -> Path:
    """Return the kernel of a lab's UML hosts."""
    return lab.home / "hardware" / "linux"


def shim_file(lab: Lab) -> Path:
    """Return the library that makes their disks and clocks misbehave."""
    return lab.home / "hardware" / "faults.so"


def libvirt_folder(lab: Lab) -> Path:
    """Return where the programs of a lab's own libvirt are."""
    return lab.home / "hardware" / "libvirt"


def own_libvirt(lab: Lab) -> LibvirtService:
    """Return the libvirt of a lab, which runs those hosts that are given no other."""
    return LibvirtService(lab.home / "libvirt", libvirt_folder(lab))


def virsh_of(lab: Lab, host: HostPlan) -> Virsh:
    """Return the way to speak to the libvirt that runs a host."""
    return own_libvirt(lab).virsh if host.libvirt_uri is None else Virsh(host.libvirt_uri)


def has_own_libvirt(plan: LabPlan) -> bool:
    """Tell whether a lab needs a libvirt of its own."""
    return any(
        host.driver is DriverKind.LIBVIRT and host.libvirt_uri is None for host in plan.hosts
    )


def host_namespaces(namespace: str, hosts: Iterable[str]) -> tuple[str, ...]:
    """Return the network namespaces of a lab's hosts."""
    return tuple(f"{_prefix(namespace)}-{host}" for host in hosts)


def _prefix(namespace: str) -> str:
    # With a dot, which no lab's name has: else lab `a` with host `b` would clash with lab `a-b`.
    return f"{namespace}.host"


def drivers_of(lab: Lab, plan: LabPlan) -> dict[str, Driver]:
    """Return the driver of each host, by its name."""
    places = {(host.driver, host.libvirt_uri) for host in plan.hosts}
    made = {place: driver_by(lab, plan.namespace, *place) for place in places}
    return {host.name: made[host.driver, host.libvirt_uri] for host in plan.hosts}


def driver_by(lab: Lab, namespace: str, kind: DriverKind, uri: str | None) -> Driver:
    """Return a driver of some of a lab's hosts.

    Args:
        lab: the lab.
        namespace: its network namespace.
        kind: what runs the hosts.
        uri: where, with libvirt.
    """
    if kind is DriverKind.UML:
        from ingot.machine.uml.driver import UmlDriver  # noqa: PLC0415 - only where it is used

        shim = shim_file(lab)
        return UmlDriver(
            lab.machines,
            kernel=kernel_file(lab),
            shim=shim if shim.exists() else None,
            namespace_prefix=_prefix(namespace),
        )
    from ingot.machine.libvirt.driver import LibvirtDriver  # noqa: PLC0415 - as above

    if uri is None:
        return own_libvirt(lab).driver(namespace)
    return LibvirtDriver(uri=uri, home=lab.home / "libvirt", owner=namespace)


def install_driver(lab: Lab, namespace: str) -> Driver:
    """Return the driver of machines that installs make on a lab's networks."""
    from ingot.machine.uml.driver import UmlDriver  # noqa: PLC0415 - as above

    return UmlDriver(
        lab.installs, kernel=kernel_file(lab), namespace_prefix=install_prefix(namespace)
    )


def machine_spec(host: HostPlan) -> MachineSpec:
    """Return what a host's machine is made of."""
    return MachineSpec(
        name=host.name,
        uuid=host.uuid,
        memory_mib=host.memory_mib,
        cpus=host.cpus,
        disks=tuple(_disks(host)),
        nics=tuple(
            Nic(mac=nic.mac, bridge=outlet_bridge(nic.port), port=tap(nic.port))
            if has_outlets(host)
            else Nic(mac=nic.mac, bridge=nic.bridge, port=nic.port)
            for nic in host.nics
        ),
    )


def _disks(host: HostPlan) -> Iterator[Disk]:
    for disk in host.disks:
        yield Disk(size_bytes=disk.size_gib * GIB, serial=disk.serial, wwn=disk.wwn)
