"""What a lab may have left on this PC, and how all of it is removed.

Nothing here depends on how far a lab came, on whether it still runs, or on a plan that can still be
understood: a plan written by another version is read for the names in it alone.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ingot.background import Background
from ingot.errors import ExitCode, IngotError
from ingot.lab import outlets
from ingot.lab.drivers import driver_by, host_namespaces, install_driver, own_libvirt
from ingot.lab.labs import Lab
from ingot.lab.networks import remove_networks
from ingot.lab.services import PROGRAMS
from ingot.lab.words import DriverKind
from ingot.machine import namespaces
from ingot.machine.hypervisor import install_prefix

__all__ = ["InsideLab", "Traces", "read_traces", "remove_everything"]


class InsideLab(IngotError):  # noqa: N818 - it says what was seen
    """A command that removes a lab runs on that lab's own network."""

    exit_code = ExitCode.USAGE


@dataclass(frozen=True, slots=True)
class HostTraces:
    """What is known of a host."""

    name: str
    driver: DriverKind
    libvirt_uri: str | None
    ports: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Traces:
    """What a lab may have made outside of its folder."""

    namespace: str
    uplink: str
    hosts: tuple[HostTraces, ...]
    installed: tuple[str, ...] = ()
    """Machines that installs made on the lab's networks: bootstrap VMs."""

    @property
    def namespaces(self) -> tuple[str, ...]:
        """All network namespaces, the lab's first."""
        names = (host.name for host in self.hosts)
        installs = (f"{install_prefix(self.namespace)}-{name}" for name in self.installed)
        return self.namespace, *host_namespaces(self.namespace, names), *installs

    @property
    def links(self) -> tuple[str, ...]:
        """All links in the user's network namespace."""
        ports = (
            port for host in self.hosts if host.driver is DriverKind.LIBVIRT for port in host.ports
        )
        return self.uplink, *outlets.links(ports)


def read_traces(lab: Lab) -> Traces | None:
    """Return what a lab may have made, or None where nothing but its folder can be there.

    The plan is the first thing that is written.
    """
    try:
        plan = json.loads(lab.plan_file.read_bytes())
        return Traces(
            namespace=str(plan["namespace"]),
            uplink=str(plan["networks"]["uplink"]),
            hosts=tuple(_hosts(plan)),
            installed=tuple(path.name for path in _listed(lab.installs)),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _listed(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _hosts(plan: Mapping[str, list[Mapping[str, object]]]) -> Iterator[HostTraces]:
    for host in plan["hosts"]:
        uri, cards = host.get("libvirt_uri"), host.get("nics")
        yield HostTraces(
            name=str(host["name"]),
            driver=DriverKind(str(host.get("driver", DriverKind.UML))),
            libvirt_uri=str(uri) if uri else None,
            ports=tuple(str(card["port"]) for card in cards if isinstance(card, Mapping))
            if isinstance(cards, list)
            else (),
        )


def remove_everything(lab: Lab) -> None:
    """Remove a lab: processes, machines, networks, files. Nothing of it is left."""
    traces = read_traces(lab)
    if traces is not None:
        if namespaces.is_inside(traces.namespaces):
            raise InsideLab(
                f"this command runs on the network of the lab {lab.name!r} itself",
                remedy="leave the shell that `ingot lab exec` has started, and run it again",
            )
        _end_daemon(lab)
        refused = _remove_machines(lab, traces)
        namespaces.end_processes(traces.namespaces)
        remove_networks(traces.namespace, traces.links, traces.namespaces[1:])
        if refused:
            raise refused[0]  # The files stay, and with them the knowledge of what is left.
    if lab.exists:
        _remove_files(lab)


def _end_daemon(lab: Lab) -> None:
    """End the daemon first, which would start others again, and then what it has started."""
    for record in (lab.daemon, *(Background(lab.home / f"{name}.json") for name in PROGRAMS)):
        record.stop()


def _remove_machines(lab: Lab, traces: Traces) -> list[IngotError]:
    """Remove the hosts, and return what stood in the way: a libvirt may be out of reach."""

    def remove() -> list[IngotError]:
        refused = []
        # With the lab's own libvirt go its machines, whether it still answers or not.
        own_libvirt(lab).destroy()
        for name in traces.installed:
            install_driver(lab, traces.namespace).undefine(name)
        for host in traces.hosts:
            if host.driver is DriverKind.LIBVIRT and host.libvirt_uri is None:
                continue
            driver = driver_by(lab, traces.namespace, host.driver, host.libvirt_uri)
            try:
                driver.undefine(host.name)
            except IngotError as error:
                refused.append(error)
        return refused

    if namespaces.exists(traces.namespace):
        return namespaces.inside(traces.namespace, remove)
    return remove()


def _remove_files(lab: Lab) -> None:
    """Remove the folder; the plan last, so that whoever is interrupted can begin again."""
    for path in lab.home.iterdir():
        if path == lab.plan_file:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    lab.plan_file.unlink(missing_ok=True)
    lab.home.rmdir()
