"""What runs each host of a lab, and what a host's machine is made of.

The kernel and the fault shim of UML hosts lie in the lab's own folder: whatever happens to the
cache of artefacts, a lab keeps the hardware it was made with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ingot.lab.labs import Lab
from ingot.lab.outlets import is_local_libvirt, outlet_bridge
from ingot.lab.plan import HostPlan, LabPlan
from ingot.lab.words import DriverKind
from ingot.machine.driver import Driver
from ingot.machine.model import Disk, MachineSpec, Nic

__all__ = [
    "driver_by",
    "drivers_of",
    "host_namespaces",
    "kernel_file",
    "machine_spec",
    "shim_file",
]

GIB = 1 << 30
HYPERVISOR = "qemu:///system"


def kernel_file(lab: Lab) -> Path:
    """Return the kernel of a lab's UML hosts."""
    return lab.home / "hardware" / "linux"


def shim_file(lab: Lab) -> Path:
    """Return the library that makes their disks and clocks misbehave."""
    return lab.home / "hardware" / "faults.so"


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

    return LibvirtDriver(uri=uri or HYPERVISOR, home=lab.home / "libvirt", owner=namespace)


def machine_spec(host: HostPlan) -> MachineSpec:
    """Return what a host's machine is made of."""
    return MachineSpec(
        name=host.name,
        uuid=host.uuid,
        memory_mib=host.memory_mib,
        cpus=host.cpus,
        disks=tuple(_disks(host)),
        nics=tuple(
            Nic(
                mac=nic.mac,
                bridge=outlet_bridge(nic.port) if is_local_libvirt(host) else nic.bridge,
                port=nic.port,
            )
            for nic in host.nics
        ),
    )


def _disks(host: HostPlan) -> Iterator[Disk]:
    for disk in host.disks:
        yield Disk(size_bytes=disk.size_gib * GIB, serial=disk.serial, wwn=disk.wwn)
