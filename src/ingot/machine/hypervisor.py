"""Where virtual machines are made, by an address: libvirt's, or that of a folder for UML.

    qemu:///system                          the libvirt of this PC
    qemu+ssh://root@hypervisor/system       that of another
    libvirt:///path?netns=NAME&tree=FOLDER  one of a lab's own, its bridges in a network namespace
    uml:///path?netns=NAME&kernel=FILE      User-Mode Linux, its bridges in a network namespace

A machine of User-Mode Linux boots what its kernel is given, and that comes with the hypervisor. So
a hypervisor also says which flavour of our images its machines can boot.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

from ingot.errors import ExitCode, IngotError
from ingot.machine import namespaces
from ingot.machine.driver import Driver
from ingot.process import CommandFailed, run

__all__ = [
    "Flavour",
    "Hypervisor",
    "HypervisorError",
    "Room",
    "bridges_in",
    "hypervisor_at",
    "install_prefix",
    "own_libvirt_uri",
    "uml_uri",
]

Flavour = str
"""`metal` or `lab`: which of our images a machine boots."""


class HypervisorError(IngotError):
    """There is no hypervisor at an address, or it cannot make machines."""

    exit_code = ExitCode.INFRASTRUCTURE


@dataclass(frozen=True, slots=True)
class Room:
    """What a hypervisor has left; None where it cannot be known."""

    memory_bytes: int | None
    disk_bytes: int | None


class Hypervisor(Protocol):
    """A place where machines can be made."""

    @property
    def flavour(self) -> Flavour:
        """Which of our images its machines boot."""

    @property
    def driver(self) -> Driver:
        """Who makes them."""

    def bridges(self) -> frozenset[str]:
        """Return the bridges there are.

        Raises:
            HypervisorError: it cannot be reached.
        """

    def room(self) -> Room:
        """Return how much is left for machines."""


def hypervisor_at(uri: str, *, home: Path, owner: str) -> Hypervisor:
    """Return the hypervisor at an address.

    Args:
        uri: the address, as `platform.baremetal.libvirtURI` has it.
        home: a folder of the install, for what a driver has to keep.
        owner: whose machines they are; begins their names where others have theirs.

    Raises:
        HypervisorError: the address cannot be one.
    """
    parts = urlsplit(uri)
    folder = Path(unquote(parts.path))
    if parts.scheme == "uml":
        said = _said(uri, "netns", "kernel")
        return UmlPlace(folder, said["netns"], Path(said["kernel"]))
    # Only where they are used.
    from ingot.machine.libvirt.driver import LibvirtDriver  # noqa: PLC0415
    from ingot.machine.libvirt.place import LibvirtPlace  # noqa: PLC0415
    from ingot.machine.libvirt.service import LibvirtService  # noqa: PLC0415

    if parts.scheme == "libvirt":
        said = _said(uri, "netns", "tree")
        own = LibvirtService(folder, Path(said["tree"]))
        return LibvirtPlace(own.driver(owner), namespace=said["netns"])
    return LibvirtPlace(LibvirtDriver(uri, home=home, owner=owner))


def uml_uri(folder: Path, *, namespace: str, kernel: Path) -> str:
    """Return the address of a folder for machines of User-Mode Linux."""
    return _uri("uml", folder, netns=namespace, kernel=str(kernel))


def own_libvirt_uri(folder: Path, *, namespace: str, tree: Path) -> str:
    """Return the address of a libvirt of a lab's own, by its folder and its programs."""
    return _uri("libvirt", folder, netns=namespace, tree=str(tree))


def _uri(scheme: str, folder: Path, **said: str) -> str:
    return f"{scheme}://{quote(str(folder))}?{urlencode(said, safe='/')}"


def _said(uri: str, *names: str) -> dict[str, str]:
    """Return what an address of a lab says after its path."""
    said = parse_qs(urlsplit(uri).query)
    missing = [name for name in names if name not in said]
    if missing:
        raise HypervisorError(
            f"{uri} is no place for machines: {missing[0]!r} is missing",
            remedy="take the address that `ingot lab create` wrote, such as "
            "uml:///path?netns=…&kernel=…",
        )
    return {name: said[name][0] for name in names}


@dataclass(frozen=True, slots=True)
class UmlPlace:
    """A folder for machines of User-Mode Linux, and the namespace that has their bridges."""

    folder: Path
    namespace: str
    kernel: Path

    @property
    def flavour(self) -> Flavour:
        """The images that bring no kernel."""
        return "lab"

    @property
    def driver(self) -> Driver:
        """A driver, each of whose calls is made on the network of the namespace."""
        from ingot.machine.uml.driver import UmlDriver  # noqa: PLC0415 - as above

        made = UmlDriver(
            self.folder, kernel=self.kernel, namespace_prefix=install_prefix(self.namespace)
        )
        return cast("Driver", _Inside(self.namespace, made))

    def bridges(self) -> frozenset[str]:
        """Return the bridges in the namespace."""
        found = bridges_in(self.namespace)
        if not os.access(self.kernel, os.X_OK):
            raise HypervisorError(
                f"{self.kernel} is no kernel that can be run",
                remedy="make the lab anew with `ingot lab destroy` and `ingot lab create`",
            )
        return found

    def room(self) -> Room:
        """Return what this PC has left."""
        there = next(path for path in (self.folder, *self.folder.parents) if path.exists())
        return Room(_available_memory(), shutil.disk_usage(there).free)


def bridges_in(namespace: str) -> frozenset[str]:
    """Return the bridges of a network namespace.

    Raises:
        HypervisorError: it is not there, or may not be looked at.
    """
    if not namespaces.exists(namespace):
        raise HypervisorError(
            f"there is no network namespace {namespace}",
            remedy="start the lab with `ingot lab start`, or make one with `ingot lab create`",
        )
    try:
        seen = run(["ip", "-n", namespace, "-json", "link", "show", "type", "bridge"])
    except CommandFailed as failed:
        raise HypervisorError(
            f"the network namespace {namespace} cannot be looked at: {failed.output}",
            remedy="run the command as root",
        ) from failed
    return frozenset(link["ifname"] for link in json.loads(seen or "[]") if "ifname" in link)


def install_prefix(namespace: str) -> str:
    """Return what the namespaces of machines begin with that installs make on a network."""
    return f"{namespace}.install"


class _Inside:
    """A driver whose methods run on the network of a namespace."""

    def __init__(self, namespace: str, driver: Driver) -> None:
        self._namespace = namespace
        self._driver = driver

    def __getattr__(self, name: str) -> Callable[..., object]:
        method = getattr(self._driver, name)

        def called(*given: object, **named: object) -> object:
            return namespaces.inside(self._namespace, lambda: method(*given, **named))

        return called


def _available_memory() -> int | None:
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None
