"""The PC that a lab is to run on: what it has, and which networks it uses already."""

from __future__ import annotations

import fcntl
import importlib.util
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Network
from pathlib import Path

from ingot.errors import IngotError
from ingot.lab.labs import labs, labs_home
from ingot.lab.planning import Taken
from ingot.lab.words import DriverKind
from ingot.process import run

__all__ = ["Pc", "best_driver", "kvm_is_usable", "look_around", "taken_networks"]

KVM_CREATE_VM = 0xAE01
TUN = Path("/dev/net/tun")
LIBRARIES = ("pyghmi", "sushy_tools")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pc:
    """What matters to a lab.

    Attributes:
        is_root: whether this process may make networks.
        has_tun: whether there are tap devices.
        libraries: those of the lab's that are not installed.
        memory_bytes: what could be used without swapping.
        disk_bytes: what is free where labs are kept.
        disk: where that is.
        used: networks of other labs, by the lab's name, whether it runs or not.
    """

    is_root: bool
    has_tun: bool
    libraries: tuple[str, ...]
    memory_bytes: int
    disk_bytes: int
    disk: Path
    used: tuple[tuple[str, IPv4Network], ...] = ()


def look_around() -> Pc:
    """Return what this PC has."""
    home = labs_home()
    existing = next(path for path in (home, *home.parents) if path.exists())
    return Pc(
        is_root=os.geteuid() == 0,
        has_tun=TUN.is_char_device(),
        libraries=tuple(name for name in LIBRARIES if importlib.util.find_spec(name) is None),
        memory_bytes=_available_memory(),
        disk_bytes=shutil.disk_usage(existing).free,
        disk=existing,
        used=tuple(_networks_of_labs()),
    )


def best_driver() -> DriverKind:
    """Return what runs hosts where nobody says: libvirt if it and KVM can be used, else uml."""
    found = all(shutil.which(name) for name in ("virsh", "qemu-system-x86_64"))
    return DriverKind.LIBVIRT if found and kvm_is_usable() else DriverKind.UML


def kvm_is_usable(device: Path = Path("/dev/kvm")) -> bool:
    """Tell whether a virtual machine can be made; on many a PC the device is there in vain."""
    try:
        descriptor = os.open(device, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        os.close(fcntl.ioctl(descriptor, KVM_CREATE_VM, 0))
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def taken_networks() -> list[Taken]:
    """Return the networks that routes of this PC or other labs use."""
    routes = json.loads(run(["ip", "-4", "-json", "route", "show"]) or "[]")
    direct = [
        Taken(IPv4Network(route["dst"]), direct="gateway" not in route)
        for route in routes
        if route["dst"] != "default"
    ]
    return [*direct, *(Taken(network) for _, network in _networks_of_labs())]


def _networks_of_labs() -> Iterator[tuple[str, IPv4Network]]:
    for lab in labs():
        with suppress(IngotError):  # A damaged one keeps nobody from making another.
            networks = lab.plan().networks
            yield lab.name, networks.external
            yield lab.name, networks.out_of_band
            yield lab.name, networks.uplink_outside.network


def _available_memory() -> int:
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0
